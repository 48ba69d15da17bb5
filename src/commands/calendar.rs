//! Dates and times of day, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use outflank::formats::calendar::{DAY, date};

/// Today's date, in UTC: `2026-11-22`.
pub fn today() -> Option<String> {
    now().map(|now| now[..10].to_string())
}

/// Date and time to a millisecond: `2026-11-22 08:15:00.123`; `None` when the clock stands before 1970.
pub fn now() -> Option<String> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}.{:03}", time(since.as_secs()), since.subsec_millis()))
}

/// Date and time of some seconds after the beginning of 1970: `2026-11-22 08:15:00`.
pub fn time(seconds: u64) -> String {
    let (year, month, day) = date(seconds / DAY);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_dates_and_times() {
        assert_eq!(time(1_795_335_300), "2026-11-22 08:15:00");
    }
}
