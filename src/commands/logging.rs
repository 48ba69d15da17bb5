//! What goes on inside, for those who have to find out: `OUTFLANK_LOG=debug`, `--log FILE`.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use env_logger::{Builder, Env, Target};
use log::{Level, LevelFilter};

use super::calendar;
use super::error::Error;

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

/// Begins to log, on stderr as OUTFLANK_LOG says or, everything, at the end of a file.
pub fn start(file: Option<&Path>) -> Result<(), Error> {
    let mut builder = Builder::from_env(Env::new().filter("OUTFLANK_LOG"));
    if let Some(path) = file {
        let file =
            OpenOptions::new().append(true).create(true).open(path).map_err(|error| Error::write(path, error))?;
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
