//! What commands print, whatever they print.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use outflank::formats::atomic::{self, behind_links, check_target, folder};
use outflank::formats::escaped;
use outflank::formats::stream::files_of;
use outflank::search::StopToken;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::error::Error;
use super::interrupt;

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

/// Prints bytes that need not end with a line. What is left of them in a buffer would be written at the end of the process, where nobody
/// hears of errors.
pub fn print_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Standard output of a command whose results may go to files too. These are then worth the work alone: an output that cannot be
/// written any more (`| head`, a full disk) is left, and the work goes on.
#[derive(Debug)]
pub struct Screen {
    has_files: bool,
    /// Why nothing is written any more.
    left: Option<io::Error>,
}

impl Screen {
    /// The output of a command that writes its results to files too, or does not.
    pub fn new(has_files: bool) -> Screen {
        Screen { has_files, left: None }
    }

    /// Set by Ctrl-C; where there are no files, also when nobody reads the output any more.
    pub fn stop_token(&self) -> StopToken {
        if self.has_files { interrupt::ctrl_c() } else { interrupt::stop_token() }
    }

    /// Prints a text at once, unless the output was left.
    ///
    /// # Errors
    /// Of writing, where there are no files to go on for.
    pub fn print(&mut self, text: &str) -> io::Result<()> {
        self.write(|out| out.write_all(text.as_bytes()))
    }

    /// Prints what `write` writes at once, unless the output was left.
    ///
    /// # Errors
    /// Of writing, where there are no files to go on for.
    pub fn write(&mut self, write: impl FnOnce(&mut io::StdoutLock<'_>) -> io::Result<()>) -> io::Result<()> {
        self.attempt(|| {
            let mut out = io::stdout().lock();
            write(&mut out)?;
            out.flush()
        })
    }

    fn attempt(&mut self, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        if self.left.is_some() {
            return Ok(());
        }
        match write() {
            Err(error) if self.has_files => {
                self.left = Some(error);
                Ok(())
            }
            result => result,
        }
    }

    /// Ends the output, once the files are written.
    ///
    /// # Errors
    /// Why the output was left, unless its reader went away, which is none.
    pub fn finish(self) -> Result<(), Error> {
        match self.left {
            Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Error::Output(error)),
            _ => Ok(()),
        }
    }
}

/// What messages call an output.
pub fn output_name(path: &Path) -> String {
    if path == Path::new("-") { "standard output".to_string() } else { escaped(&path.display().to_string()) }
}

/// The first of these files that was named before, however it was spelt then.
pub fn first_repeated<'a>(mut paths: impl Iterator<Item = &'a PathBuf>) -> Option<&'a PathBuf> {
    let mut seen = HashSet::new();
    paths.find(|path| !seen.insert(place(path)))
}

/// Two names of one file. What is there and no plain file, such as `/dev/null` and standard output, takes what comes, and is none.
pub fn is_one_file(one: &Path, other: &Path) -> bool {
    let is_none = |path: &Path| path == Path::new("-") || path.exists() && !path.is_file();
    !is_none(one) && !is_none(other) && is_one_place(one, other)
}

/// Two spellings of one name.
pub fn is_one_place(one: &Path, other: &Path) -> bool {
    place(one) == place(other)
}

/// The one spelling of a place: through links and folders. Of a file that is not there the folder tells.
fn place(path: &Path) -> PathBuf {
    if path == Path::new("-") {
        return path.to_path_buf();
    }
    let path = behind_links(path);
    match (folder(&path).canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Checks, before work that would be lost, that files can be written there and that none of them is a book or has self-play games. Standard output is
/// none: it has what people read.
pub fn check_targets<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Result<(), Error> {
    paths.into_iter().try_for_each(|path| {
        is_file_name(path)?;
        check_is_replaceable(path)?;
        check_target(path).map_err(|error| Error::write(path, error))
    })
}

/// Checks that an output is not `-`, where that can only be a slip.
pub fn is_file_name(path: &Path) -> Result<(), Error> {
    match path == Path::new("-") {
        true => Err(Error::input("'-': this output needs a file of its own (./- is one of that name)")),
        false => Ok(()),
    }
}

/// Checks that a file that is to be written would not take the place of a book or of self-play games.
pub fn check_is_replaceable(path: &Path) -> Result<(), Error> {
    atomic::check_is_replaceable(path).map_err(|error| Error::input(error.to_string()))
}

/// Checks that a file that is to be written would not take the place of one that the command reads, also as one of the games of a
/// folder, or behind standard input.
pub fn check_is_no_input<'a>(path: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), Error> {
    let behind = |input: &'a Path| if input == Path::new("-") { Path::new("/dev/stdin") } else { input };
    let is_read = |input: &Path| match input.is_dir() {
        true => games_in(input).iter().any(|file| is_one_file(file, path)),
        false => input.is_file() && is_one_file(input, path),
    };
    match inputs.into_iter().map(behind).any(is_read) {
        true => Err(Error::input(format!("{}: the command reads this file, which is not overwritten", path.display()))),
        false => Ok(()),
    }
}

/// The files of games in a folder; none where it is no folder.
pub fn games_in(folder: &Path) -> Vec<PathBuf> {
    if folder.is_dir() { files_of(&[folder.to_path_buf()]).unwrap_or_default() } else { Vec::new() }
}

/// What becomes of a file to which nothing is written after all.
pub fn unwritten(path: &Path) -> &'static str {
    if path.exists() { "is left as it was" } else { "is not made" }
}

/// A text with blanks behind it, as wide as this on a terminal, where some characters take two columns.
pub fn padded(text: &str, width: usize) -> String {
    text.to_string() + &" ".repeat(width.saturating_sub(text.width()))
}

/// Lines of cells as a table: the second column to the left, the others to the right.
pub fn write_table(out: &mut impl Write, lines: &[Vec<String>], markdown: bool) -> io::Result<()> {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| lines.iter().map(|line| line[column].width()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for (number, line) in lines.iter().enumerate() {
        let cell = |(column, text): (usize, &String)| match column {
            1 => padded(text, widths[column]),
            _ => format!("{text:>0$}", widths[column]),
        };
        let cells: Vec<String> = line.iter().enumerate().map(cell).collect();
        match markdown {
            true => writeln!(out, "| {} |", cells.join(" | "))?,
            false => writeln!(out, "{}", cells.join("  ").trim_end())?,
        }
        if markdown && number == 0 {
            let rule = |column: usize| if column == 1 { "---".to_string() } else { "--:".to_string() };
            writeln!(out, "| {} |", (0..columns).map(rule).collect::<Vec<_>>().join(" | "))?;
        }
    }
    Ok(())
}

/// The width of the terminal that standard output is, if it is one.
pub fn terminal_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(["日本", "ab", "abcdef"].map(|text| padded(text, 5)), ["日本 ", "ab   ", "abcdef"]);
    }

    #[test]
    fn one_place_has_many_spellings() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let repeated = |paths: &[PathBuf]| first_repeated(paths.iter()).cloned();
        std::fs::create_dir(at("sub")).unwrap();
        // with the file and without it
        for _ in 0..2 {
            for other in ["./a.svg", "sub/../a.svg", "sub/.././a.svg"] {
                assert_eq!(repeated(&[at("a.svg"), at(other)]), Some(at(other)), "{other}");
            }
            std::fs::write(at("a.svg"), "").unwrap();
        }
        assert_eq!(repeated(&[at("a.svg"), at("sub/a.svg"), at("b.svg"), at("none/a.svg"), "-".into()]), None);
        assert_eq!(repeated(&["-".into(), "q.svg".into(), "./q.svg".into()]), Some("./q.svg".into()));
        #[cfg(unix)]
        for link in ["link.svg", "other.svg"] {
            std::os::unix::fs::symlink("nothing.svg", at(link)).unwrap();
            assert_eq!(
                repeated(&[at("nothing.svg"), at(link)]),
                Some(at(link)),
                "links that lead nowhere lead to one place"
            );
        }
        assert!(is_one_file(&at("a.svg"), &at("./a.svg")) && !is_one_file(&at("a.svg"), &at("b.svg")));
        assert!(is_one_file(&at("new"), &at("sub/../new")));
        assert!(!is_one_file(Path::new("-"), Path::new("-")) && !is_one_file(&at("sub"), &at("sub")));
        assert!(is_file_name(Path::new("-")).is_err() && is_file_name(Path::new("./-")).is_ok());
    }

    #[test]
    fn an_output_beside_files_is_left_when_it_fails() {
        let fail = |kind: io::ErrorKind| move || Err(io::Error::from(kind));
        let mut alone = Screen::new(false);
        assert!(alone.attempt(fail(io::ErrorKind::BrokenPipe)).is_err() && alone.finish().is_ok());
        for (kind, is_well) in [(io::ErrorKind::BrokenPipe, true), (io::ErrorKind::StorageFull, false)] {
            let mut beside = Screen::new(true);
            beside.attempt(fail(kind)).unwrap();
            beside.attempt(|| panic!("it is not written any more")).unwrap();
            assert_eq!(beside.finish().is_ok(), is_well, "{kind}");
        }
    }
}
