//! What goes on inside, for those who have to find out: `OUTFLANK_LOG=debug`, `--log FILE`.

use std::env;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use env_logger::{Builder, Target};
use log::{Level, LevelFilter};

use super::calendar;
use super::error::Error;
use super::output::{check_is_replaceable, is_file_name, is_one_file};

/// A file of `--log`, whose first failure is told: the work is worth more than its log, and goes on.
struct LogFile {
    file: File,
    path: PathBuf,
    has_failed: bool,
}

impl LogFile {
    fn tell(&mut self, error: &io::Error) {
        if !std::mem::replace(&mut self.has_failed, true) {
            tell!("outflank: the log is not complete: cannot write '{}': {error}", self.path.display());
        }
    }
}

impl io::Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        if let Err(error) = &written {
            self.tell(error);
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The variable that says what is logged on stderr.
const VARIABLE: &str = "OUTFLANK_LOG";

/// What is wrong with a value of the variable: a level, or levels of modules as in `outflank::search=trace` (for developers). A
/// word that is no level would pass for a module that never logs anything.
fn problem(value: &str) -> Option<String> {
    let is_good = |word: &str| match word.split_once('=') {
        Some((_, level)) => level.parse::<LevelFilter>().is_ok(),
        None => word.is_empty() || word.parse::<LevelFilter>().is_ok() || word.starts_with("outflank"),
    };
    // what the messages must have follows the levels
    let levels = value.split('/').next().unwrap_or_default();
    let bad = levels.split(',').map(str::trim).find(|word| !is_good(word))?;
    Some(format!("{VARIABLE}: '{bad}' is no level (off, error, warn, info, debug, trace)"))
}

/// Checks that no other process has locked a file, as a match has its games while the programs play that it has started.
fn check_is_free(file: &File, path: &Path) -> Result<(), Error> {
    let is_locked = matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    // the logs of several processes may go to one file
    let _ = file.unlock();
    match is_locked {
        true => Err(Error::input(format!("--log {} is in use by another process", path.display()))),
        false => Ok(()),
    }
}

/// Begins to log, on stderr as OUTFLANK_LOG says or, everything, at the end of a file, which is none of the `others` that the command
/// reads or writes.
pub fn start(file: Option<&Path>, others: impl FnOnce() -> Vec<PathBuf>) -> Result<(), Error> {
    let mut builder = Builder::new();
    if let Some(value) = env::var_os(VARIABLE) {
        let value = value.to_string_lossy();
        // the work is done all the same
        match problem(&value) {
            Some(problem) => tell!("outflank: {problem}; nothing is logged on stderr"),
            None => drop(builder.parse_filters(&value)),
        }
    }
    if let Some(path) = file {
        is_file_name(path)?;
        check_is_replaceable(path)?;
        if others().iter().any(|other| is_one_file(other, path)) {
            let path = path.display();
            return Err(Error::input(format!("--log {path}: the command has another use for this file")));
        }
        let file =
            OpenOptions::new().append(true).create(true).open(path).map_err(|error| Error::write(path, error))?;
        check_is_free(&file, path)?;
        builder.filter_level(LevelFilter::Debug).target(Target::Pipe(Box::new(LogFile {
            file,
            path: path.to_path_buf(),
            has_failed: false,
        })));
    }
    builder.format(|out, record| {
        use std::io::Write;

        // what other libraries do is their affair, unless it goes wrong
        if record.level() > Level::Warn && !record.target().starts_with("outflank") {
            return Ok(());
        }
        writeln!(out, "{} {:<5} {}", calendar::now().unwrap_or_default(), record.level(), record.args())
    });
    builder.init();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_variable() {
        for good in ["", "debug", "OFF", "outflank::search=trace", "outflank", "info,outflank=debug", "debug/depth foo"]
        {
            assert_eq!(problem(good), None, "{good}");
        }
        for (bad, word) in
            [("foo", "foo"), ("debug,verbose", "verbose"), ("outflank=loud", "outflank=loud"), ("1", "1")]
        {
            let problem = problem(bad).unwrap();
            assert!(problem.starts_with(&format!("OUTFLANK_LOG: '{word}' is no level (off, error, ")), "{problem}");
        }
    }
}
