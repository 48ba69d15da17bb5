//! What an earlier session left: reading the games of a match back, and telling files of this match from others.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::finished::Finished;
use super::record::GameRecord;
use crate::rules::Position;

/// Longest line read, in bytes. A game of 256 moves with every number written out takes 30 KB, so that what is so much
/// longer is no game, and is not taken into memory to find that out.
pub(super) const LINE_LIMIT: usize = 1 << 20;
/// The member of the first line that says that it describes a match.
const MARK: &str = "outflank_match";

/// Files that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Reading or writing failed.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// There is a match already.
    #[error("{} has games of a match already", .0.display())]
    Exists(PathBuf),
    /// There is something else.
    #[error("{} is there already and is no file of this match: move it away, or choose another name", .0.display())]
    Foreign(PathBuf),
    /// Another process plays a match into these files.
    #[error("{} is in use by a match that is being played", .0.display())]
    InUse(PathBuf),
    /// The saved match was another one.
    #[error(
        "{}: cannot resume, {field} was {saved} then and is {asked} now",
        path.display()
    )]
    Different {
        /// The file.
        path: PathBuf,
        /// What differs.
        field: String,
        /// As saved.
        saved: String,
        /// As asked for now.
        asked: String,
    },
    /// A line that is no game.
    #[error("{}, line {line}: {error}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        error: String,
    },
}

impl StoreError {
    /// Makes an error of reading or writing a file.
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> StoreError + '_ {
        |error| StoreError::Io { path: path.to_path_buf(), error }
    }
}

/// The games that a file holds already.
#[derive(Debug, Default)]
pub(super) struct Saved {
    pub(super) games: Finished,
    /// Bytes up to the end of the last complete line; 0 when even the first line has to be written.
    pub(super) length: u64,
}

/// The file has nothing in it that a new match could overwrite: it is empty, or a match ended before its first game.
///
/// # Errors
/// [`StoreError::Exists`] and [`StoreError::Foreign`].
pub(super) fn check_unused(file: &mut File, path: &Path, description: &Value) -> Result<(), StoreError> {
    file.rewind().map_err(StoreError::io(path))?;
    let mut lines = Lines { reader: BufReader::new(file), path, number: 0, length: 0 };
    match lines.next()? {
        None => Ok(()),
        Some(line) if line.is_complete && describes_match(&line.bytes) => match lines.next()? {
            None => Ok(()),
            Some(_) => Err(StoreError::Exists(path.to_path_buf())),
        },
        Some(line) => check_torn_description(&line, path, description),
    }
}

/// Hears of a game that was saved.
pub(super) type OnSaved<'a> = &'a mut dyn FnMut(&GameRecord) -> Result<(), StoreError>;

/// Reads the complete lines, checking that they are games of the same match; an incomplete last one is left out. `on_saved` hears
/// of each, in the order they ended.
///
/// # Errors
/// [`StoreError`], naming the line, or what `on_saved` returns.
pub(super) fn read_games(
    file: &mut File,
    path: &Path,
    description: &Value,
    start: &Position,
    on_saved: OnSaved,
) -> Result<Saved, StoreError> {
    file.rewind().map_err(StoreError::io(path))?;
    let mut lines = Lines { reader: BufReader::new(file), path, number: 0, length: 0 };
    let Some(first) = lines.next()? else { return Ok(Saved::default()) };
    if !first.is_complete {
        check_torn_description(&first, path, description)?;
        return Ok(Saved::default());
    }
    if !describes_match(&first.bytes) {
        return Err(StoreError::Foreign(path.to_path_buf()));
    }
    let saved: Value = serde_json::from_slice(&first.bytes).map_err(|error| lines.bad(error.to_string()))?;
    compare(path, &saved, description)?;
    read_lines(lines, start, on_saved)
}

/// Reads the complete games of whatever match is in a file, one by one; none of a file that is not there, or holds none.
///
/// # Errors
/// [`StoreError`], naming the line, or what `on_saved` returns.
pub(super) fn games_of(path: &Path, start: &Position, on_saved: OnSaved) -> Result<(), StoreError> {
    if length_of(path)?.is_none() {
        return Ok(());
    }
    games_in(&mut File::open(path).map_err(StoreError::io(path))?, path, start, on_saved)
}

/// The same of an open file, from where it is.
///
/// # Errors
/// As [`games_of`].
pub(super) fn games_in(file: &mut File, path: &Path, start: &Position, on_saved: OnSaved) -> Result<(), StoreError> {
    let mut lines = Lines { reader: BufReader::new(file), path, number: 0, length: 0 };
    match lines.next()? {
        Some(first) if first.is_complete && describes_match(&first.bytes) => {
            read_lines(lines, start, on_saved).map(drop)
        }
        Some(first) if first.is_complete => Err(StoreError::Foreign(path.to_path_buf())),
        _ => Ok(()),
    }
}

/// Reads the games behind the description.
fn read_lines(mut lines: Lines, start: &Position, on_saved: OnSaved) -> Result<Saved, StoreError> {
    let (mut games, mut length) = (Finished::new(), lines.length);
    while let Some(line) = lines.next()?.filter(|line| line.is_complete) {
        let game = GameRecord::from_line(&line.bytes, start).map_err(|error| lines.bad(error))?;
        if !games.add(&game) {
            return Err(lines.bad(format!("pair {} game {} is there twice", game.pair + 1, game.leg + 1)));
        }
        on_saved(&game)?;
        length = lines.length;
    }
    Ok(Saved { games, length })
}

/// A file that is looked at piece by piece, whether it is a copy of the games: absent, empty, or what is expected, with nothing
/// else in it. It may end early.
pub(super) struct OldCopy<'a> {
    path: &'a Path,
    /// Nothing was found that was not expected.
    is_ours: bool,
    /// What is still to be looked at; `None` behind the end of the file.
    rest: Option<BufReader<File>>,
}

impl OldCopy<'_> {
    /// Begins with the file's first byte.
    ///
    /// # Errors
    /// [`StoreError`] for what is no file, or cannot be opened.
    pub(super) fn open(path: &Path) -> Result<OldCopy<'_>, StoreError> {
        let open = |_| File::open(path).map(BufReader::new).map_err(StoreError::io(path));
        Ok(OldCopy { path, is_ours: true, rest: length_of(path)?.map(open).transpose()? })
    }

    /// Looks at what should be next.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub(super) fn expect(&mut self, text: &str) -> Result<(), StoreError> {
        let Some(rest) = self.rest.as_mut().filter(|_| self.is_ours) else { return Ok(()) };
        let found = read_at_most(rest, text.len(), self.path)?;
        self.is_ours = text.as_bytes().starts_with(&found);
        if found.len() < text.len() {
            self.rest = None;
        }
        Ok(())
    }

    /// The file is a copy and has nothing else. Behind all of it `most` games more are no fault, the last of them whole or not, which
    /// begin as `begin` says: where the power failed, the games may have lost what their copy has kept.
    ///
    /// # Errors
    /// [`StoreError::Io`].
    pub(super) fn ends(&mut self, begin: &str, most: usize) -> Result<bool, StoreError> {
        let Some(rest) = self.rest.as_mut().filter(|_| self.is_ours) else { return Ok(self.is_ours) };
        let mut line = Vec::new();
        for more in 0.. {
            line.clear();
            rest.take(LINE_LIMIT as u64).read_until(b'\n', &mut line).map_err(StoreError::io(self.path))?;
            if line.is_empty() {
                break;
            }
            let is_whole = line.ends_with(b"\n");
            let begins = line.starts_with(begin.as_bytes()) || !is_whole && begin.as_bytes().starts_with(&line);
            if more == most || line.len() == LINE_LIMIT || !begins {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

fn read_at_most(file: &mut impl Read, length: usize, path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut found = Vec::new();
    file.take(length as u64).read_to_end(&mut found).map_err(StoreError::io(path))?;
    Ok(found)
}

/// The length of a file, `None` when there is none.
///
/// # Errors
/// [`StoreError::Foreign`] for what is no file: reading a pipe could take for ever.
pub(super) fn length_of(path: &Path) -> Result<Option<u64>, StoreError> {
    match fs::metadata(path) {
        Ok(data) if data.is_file() => Ok(Some(data.len())),
        Ok(_) => Err(StoreError::Foreign(path.to_path_buf())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(path)(error)),
    }
}

/// A line that was begun and not finished is this match's if it is the beginning of its description.
fn check_torn_description(line: &Line, path: &Path, description: &Value) -> Result<(), StoreError> {
    let ours = !line.is_complete && description.to_string().as_bytes().starts_with(&line.bytes);
    if ours { Ok(()) } else { Err(StoreError::Foreign(path.to_path_buf())) }
}

fn describes_match(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|value| value.get(MARK).is_some())
}

/// Members that descriptions have not always had: what a file without them had there is not known.
const LATER: [&str; 4] = ["first_book", "second_book", "first_eval", "second_eval"];

/// A value of a description for people.
fn words(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_string(),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| format!("{} {}", name.replace('_', " "), words(value)));
            members.collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    }
}

/// The saved description must be the one asked for, member by member.
fn compare(path: &Path, saved: &Value, asked: &Value) -> Result<(), StoreError> {
    let fields = [asked, saved].into_iter().filter_map(Value::as_object).flat_map(|members| members.keys());
    let is_unknown = |field: &str| LATER.contains(&field) && saved.get(field).is_none();
    for field in fields.filter(|field| !is_unknown(field)) {
        let (old, new) = (&saved[field.as_str()], &asked[field.as_str()]);
        if old != new {
            return Err(StoreError::Different {
                path: path.to_path_buf(),
                field: field.clone(),
                saved: words(old),
                asked: words(new),
            });
        }
    }
    Ok(())
}

/// One line of a file.
struct Line {
    /// Without the line end.
    bytes: Vec<u8>,
    /// It has a line end.
    is_complete: bool,
}

/// The lines of a file of games.
struct Lines<'a> {
    reader: BufReader<&'a mut File>,
    path: &'a Path,
    /// Of the last line read, from 1.
    number: usize,
    /// Bytes read.
    length: u64,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<Line>, StoreError> {
        self.number += 1;
        let mut bytes = Vec::new();
        let mut limited = self.reader.by_ref().take(LINE_LIMIT as u64);
        self.length += limited.read_until(b'\n', &mut bytes).map_err(StoreError::io(self.path))? as u64;
        if bytes.len() == LINE_LIMIT {
            return Err(match self.number {
                1 => StoreError::Foreign(self.path.to_path_buf()),
                _ => self.bad("the line is too long for a game".to_string()),
            });
        }
        let is_complete = bytes.pop_if(|last| *last == b'\n').is_some();
        Ok((is_complete || !bytes.is_empty()).then_some(Line { bytes, is_complete }))
    }

    fn bad(&self, error: String) -> StoreError {
        StoreError::Line { path: self.path.to_path_buf(), line: self.number, error }
    }
}
