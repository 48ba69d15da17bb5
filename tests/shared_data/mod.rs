//! Reference material beside the checkout (`../shared`), which not every machine has, and the tests that go without.
//!
//! A test that cannot run says so in one line. `cargo test` hides what passing tests print, so the line also goes to the file
//! that `OUTFLANK_SKIPS` names, if it is set: `.ci/run` counts them there.
#![allow(dead_code)] // each test uses its part

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file or folder of `../shared`; where it is absent, `None`, and the test is counted as skipped.
pub fn path(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared").join(name);
    if !path.exists() {
        skipped(&format!("../shared/{name}"));
        return None;
    }
    Some(path)
}

/// Says that this test, or a part of it, is skipped for want of something.
pub fn skipped(needs: &str) {
    let thread = std::thread::current();
    // threads of the harness are called after their test
    let name = thread.name().unwrap_or("a test");
    let line = format!("skipped: {name} needs {needs}\n");
    eprint!("{line}");
    let Some(file) = std::env::var_os("OUTFLANK_SKIPS") else { return };
    let file = OpenOptions::new().create(true).append(true).open(file);
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the file of OUTFLANK_SKIPS can be written");
}
