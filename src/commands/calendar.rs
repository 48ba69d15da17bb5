//! What the machine's clock says, in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

use outflank::formats::calendar::time;

/// Today's date, in UTC: `2026-11-22`.
pub fn today() -> Option<String> {
    now().map(|now| now[..10].to_string())
}

/// Date and time to a millisecond: `2026-11-22 08:15:00.123`; `None` when the clock stands before 1970.
pub fn now() -> Option<String> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}.{:03}", time(since.as_secs()), since.subsec_millis()))
}
