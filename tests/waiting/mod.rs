//! Waiting for what takes moments, on a busy machine a while.
#![allow(dead_code)] // each test uses its part

use std::path::Path;
use std::time::{Duration, Instant};

/// Waits until something is so, and fails with what it is when it never comes; how long that took.
#[track_caller]
pub fn wait_for(what: &str, condition: impl Fn() -> bool) -> Duration {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(120), "it never came: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
    start.elapsed()
}

/// Waits until a file has so many bytes.
#[track_caller]
pub fn wait_for_bytes(path: &Path, count: u64) {
    let what = format!("{count} bytes of {}", path.display());
    wait_for(&what, || std::fs::metadata(path).is_ok_and(|file| file.len() >= count));
}
