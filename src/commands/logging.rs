//! What goes on inside, for those who have to find out: `OUTFLANK_LOG=debug`, `--log FILE`.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use env_logger::{Builder, Env, Target};
use log::{Level, LevelFilter};

use super::calendar;
use super::error::Error;

/// Begins to log, on stderr as OUTFLANK_LOG says or, everything, at the end of a file.
pub fn start(file: Option<&Path>) -> Result<(), Error> {
    let mut builder = Builder::from_env(Env::new().filter("OUTFLANK_LOG"));
    if let Some(path) = file {
        let file =
            OpenOptions::new().append(true).create(true).open(path).map_err(|error| Error::write(path, error))?;
        builder.filter_level(LevelFilter::Debug).target(Target::Pipe(Box::new(file)));
    }
    builder.format(|out, record| {
        // what other libraries do is their affair, unless it goes wrong
        if record.level() > Level::Warn && !record.target().starts_with("outflank") {
            return Ok(());
        }
        writeln!(out, "{} {:<5} {}", calendar::now().unwrap_or_default(), record.level(), record.args())
    });
    builder.init();
    Ok(())
}
