//! Dates and times of day: what the machine's clock says in the headers of files, and in logs.

/// Seconds of a day.
pub const DAY: u64 = 86_400;

/// Year, month (1 to 12) and day (1 to 31) of a day counted from the first of January 1970. Years are counted from March, so that
/// the leap day is their last, in cycles of 400 years.
pub const fn date(day: u64) -> (u64, u8, u8) {
    // 719,468 days from the first of March of the year 0 to 1970
    let (cycles, day) = (day / 146_097, day % 146_097 + 719_468);
    let (cycle, day) = (cycles + day / 146_097, day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // months of 31, 30, 31, 30, 31 days, twice, and the rest
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * cycle + year + later, month as u8, day as u8)
}

/// Date and time of day, in UTC, of some seconds after the beginning of 1970: `2026-11-22 08:15:00`.
pub fn time(seconds: u64) -> String {
    let (year, month, day) = date(seconds / DAY);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
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
        // cycles of 400 years later it is the same day, up to the last that there is a number for
        let (cycles, day) = (u64::MAX / 146_097, u64::MAX % 146_097);
        let (year, month, of_month) = date(day);
        assert_eq!(date(u64::MAX), (year + 400 * cycles, month, of_month));
    }

    #[test]
    fn seconds_have_dates_and_times() {
        assert_eq!(time(1_795_335_300), "2026-11-22 08:15:00");
    }
}
