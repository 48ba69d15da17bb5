//! What commands print, whatever they print.

use std::io::{self, Write};
use std::path::PathBuf;

use outflank::formats::files::check_target;
use serde::Serialize;

use super::error::Error;

/// A value as a line of JSON, without the line break.
pub fn json_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// Prints what a command has found: as a line of JSON, or else as `table` writes it.
pub fn print_found<T: Serialize>(
    found: &T,
    as_json: bool,
    table: impl FnOnce(&mut io::StdoutLock<'_>, &T) -> io::Result<()>,
) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    let written = if as_json { writeln!(out, "{}", json_line(found)) } else { table(&mut out, found) };
    written.map_err(Error::Output)
}

/// Checks, before work that would be lost, that files can be written there.
pub fn check_targets<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Error> {
    paths.into_iter().try_for_each(|path| check_target(path).map_err(|error| Error::write(path, error)))
}

/// The width of the terminal that standard output is, if it is one.
pub fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}
