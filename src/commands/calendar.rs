//! Dates and times of day, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

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
    let (year, month, day) = date((seconds / 86_400).cast_signed());
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// Year, month and day of a day counted from 1970. Years are counted from March, so that the leap day is their last, in
/// cycles of 400 years.
fn date(day: i64) -> (i64, i64, i64) {
    // 719,468 days from the first of March of the year 0 to 1970
    let day = day + 719_468;
    let (cycle, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // months of 31, 30, 31, 30, 31 days, twice, and the rest
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * cycle + year + later, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_dates() {
        for (day, expected) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_779, (2026, 11, 22)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date(day), expected, "{day}");
        }
        assert_eq!(time(1_795_335_300), "2026-11-22 08:15:00");
    }
}
