//! Waiting for what takes moments, on a busy machine a while.
#![allow(dead_code)] // each test uses its part

#[cfg(unix)]
use std::io::Write;
use std::path::Path;
#[cfg(unix)]
use std::process::Command;
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

/// Runs a command whose output nobody takes before it has been interrupted, which it is once it is `done` with its work; its status.
#[cfg(unix)]
#[track_caller]
pub fn interrupted_behind_its_work(mut command: Command, what: &str, done: impl Fn() -> bool) -> Option<i32> {
    let (mut reader, mut full) = std::io::pipe().unwrap();
    command.stdout(full.try_clone().unwrap());
    let filling = std::thread::spawn(move || full.write_all(&[b'\n'; 1 << 20]));
    std::thread::sleep(Duration::from_millis(50));
    let mut child = command.spawn().unwrap();
    drop(command);
    wait_for(what, done);
    // time to come to its output
    std::thread::sleep(Duration::from_millis(50));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    std::thread::sleep(Duration::from_millis(50));
    std::io::copy(&mut reader, &mut std::io::sink()).unwrap();
    filling.join().unwrap().unwrap();
    child.wait().unwrap().code()
}
