//! Games of files of any format, one at a time: memory does not grow with the input.
//!
//! [`GameStream`] reads files and folders ([`FileKind`] lists the formats), [`GameSink`] writes games as they come. Of a text no
//! more is in memory than the game being read, at most [`LONGEST_GAME`] bytes. A bad game is an error with its place, and reading
//! goes on behind it.
//!
//! ```
//! use std::sync::Arc;
//! use outflank::formats::stream::{FileKind, GameSink, GameStream};
//! use outflank::{Color, RuleSet};
//!
//! // from files: `GameStream::open`, or `formats::read_games`
//! let text = "Black: Ann\nWhite: Bob\nf5d6c3d3c4\nf5f5\nd3c5\n";
//! let games = GameStream::from_text(text, "text", None, &Arc::new(RuleSet::othello()));
//! // to files: `GameSink::to_file`
//! let mut sink = GameSink::to_stream(Box::new(std::io::sink()), FileKind::Sgf)?;
//! for game in games {
//!     match game {
//!         Ok(record) => {
//!             println!("{}: {} moves", record.player(Color::Black).name, record.game.moves().len());
//!             sink.write(&record)?;
//!         }
//!         // text: line 4: move 2 (column 3): white cannot play 'f5': a disc of black stands there
//!         Err(error) => eprintln!("{error}"),
//!     }
//! }
//! assert_eq!(sink.count(), 2);
//! // what SGF has no place for
//! assert!(sink.finish()?.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod kind;
mod lines;
mod pages;
mod sink;
mod window;

pub use kind::{FileKind, KindError};
use kind::{begins_with_tags, is_enough};
pub(super) use lines::begins_with_board;
pub use sink::{GameSink, SinkError};

use std::collections::VecDeque;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::bounded;
use super::files::{GameFileError, GameFileErrorKind};
use super::record::{Ending, GameRecord, GameResult, Player};
use super::wthor::{BEST_PLAY, Database, Records, ReplayError, WthorGame};
use super::{ggf, sgf};
use crate::rules::{Color, RuleSet};
use lines::Lines;
use pages::Pages;
use window::Window;

/// The longest text of one game, in bytes: a game of 256 moves with long remarks and many variations has far less.
pub const LONGEST_GAME: usize = 8 << 20;

/// The error of a game in this line (from 1) whose end is farther off than that.
fn too_long_game(line: usize) -> GameFileErrorKind {
    GameFileErrorKind::Line { line, problem: format!("the game has more than {LONGEST_GAME} bytes") }
}

/// What messages call standard input.
pub(super) const STANDARD_INPUT: &str = "standard input";

/// How much of a file is looked at to tell its format, in bytes.
const PEEK: usize = 64 * 1024;

/// How far a stream has come, for whoever shows it.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
}

impl Progress {
    /// Bytes read so far.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Bytes of all plain files.
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }
}

/// The files that paths stand for: folders are replaced by their game files, in the order of their names.
///
/// # Errors
/// [`GameFileError`] when a path does not exist or a folder cannot be read or holds no games.
pub fn files_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, GameFileError> {
    let mut files = Vec::new();
    for path in paths {
        let error = |inner: io::Error| GameFileError { path: path.clone(), kind: inner.into() };
        if !path.is_dir() {
            if path != Path::new("-") {
                fs::metadata(path).map_err(error)?;
            }
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        for entry in fs::read_dir(path).map_err(error)? {
            let path = entry.map_err(error)?.path();
            if path.is_file() && FileKind::of_path(&path).is_some() {
                files.push(path);
            }
        }
        if files.len() == before {
            return Err(error(io::Error::new(io::ErrorKind::NotFound, "no files of games in this folder")));
        }
        files[before..].sort();
    }
    Ok(files)
}

/// The games of files, see the [module](self).
pub struct GameStream {
    rules: Arc<RuleSet>,
    queue: VecDeque<PathBuf>,
    path: PathBuf,
    source: Source,
    progress: Arc<Progress>,
}

/// What is left of a file.
enum Source {
    Nothing,
    /// A stream at its beginning, and its format if that is known.
    Unopened(Box<dyn Read + Send>, Option<FileKind>),
    Wthor {
        records: Records<Input>,
        /// The number of empty squares from which on its games were solved; 0 if they were not.
        solved: u8,
        names: Box<Database>,
        rules: Arc<RuleSet>,
        count: usize,
    },
    Ggf(Window<Input>),
    Sgf(Window<Input>),
    Pages(Pages<Input>),
    Lines(Box<Lines<Input>>),
}

impl fmt::Debug for GameStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GameStream").field("path", &self.path).field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl GameStream {
    /// The games of these files and folders (`-` is standard input), played by `rules` where a file does not say.
    ///
    /// # Errors
    /// As [`files_of`]. What is wrong inside a file is an item.
    pub fn open(paths: &[PathBuf], rules: &Arc<RuleSet>) -> Result<GameStream, GameFileError> {
        let queue: VecDeque<PathBuf> = files_of(paths)?.into();
        let length = |path: &PathBuf| fs::metadata(path).map_or(0, |metadata| metadata.len());
        let progress = Progress::default();
        progress.total.store(queue.iter().map(length).sum(), Ordering::Relaxed);
        let (path, source) = (PathBuf::new(), Source::Nothing);
        Ok(GameStream { rules: rules.clone(), queue, path, source, progress: Arc::new(progress) })
    }

    /// The games of a stream, whose content tells the format; `name` stands for it in errors.
    pub fn from_reader(inner: Box<dyn Read + Send>, name: &str, rules: &Arc<RuleSet>) -> GameStream {
        GameStream::unopened(inner, name, None, rules)
    }

    /// The games of a text of this format, or of that which its content tells; `name` stands for it in errors.
    pub fn from_text(text: impl Into<Vec<u8>>, name: &str, kind: Option<FileKind>, rules: &Arc<RuleSet>) -> GameStream {
        GameStream::unopened(Box::new(Cursor::new(text.into())), name, kind, rules)
    }

    fn unopened(inner: Box<dyn Read + Send>, name: &str, kind: Option<FileKind>, rules: &Arc<RuleSet>) -> GameStream {
        let progress = Arc::new(Progress::default());
        let (path, queue) = (PathBuf::from(name), VecDeque::new());
        let source = Source::Unopened(inner, kind);
        GameStream { rules: rules.clone(), queue, path, source, progress }
    }

    /// How far reading has come; goes on counting while the stream is read.
    pub fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    /// The file that the last game came from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the next file; `None` when there is none.
    pub(super) fn open_next(&mut self) -> Option<Result<(), GameFileError>> {
        let path = self.queue.pop_front()?;
        self.source = Source::Nothing;
        let source = self.source(&path);
        self.path = if path == Path::new("-") { STANDARD_INPUT.into() } else { path };
        Some(match source {
            Ok(source) => {
                self.source = source;
                Ok(())
            }
            Err(kind) => Err(GameFileError { path: self.path.clone(), kind }),
        })
    }

    fn source(&self, path: &Path) -> Result<Source, GameFileErrorKind> {
        let (kind, input) = open_file(path, &self.progress)?;
        self.source_of(kind, input, path)
    }

    fn source_of(&self, kind: FileKind, input: Input, path: &Path) -> Result<Source, GameFileErrorKind> {
        let rules = self.rules.clone();
        Ok(match kind {
            FileKind::Wthor => {
                let records = Records::new(input)?;
                let names = Database::names_beside(path).map_err(|error| GameFileErrorKind::Names(Box::new(error)))?;
                let rules = Arc::new(records.rules());
                let solved = records.header().theoretical_empties;
                Source::Wthor { records, solved, names: Box::new(names), rules, count: 0 }
            }
            FileKind::Ggf => Source::Ggf(Window::new(input)),
            FileKind::Sgf => Source::Sgf(Window::new(input)),
            FileKind::Pgn => Source::Pages(Pages::new(input, rules)),
            FileKind::Text | FileKind::Board | FileKind::Fen | FileKind::Ggs => {
                Source::Lines(Box::new(Lines::new(input, rules)))
            }
        })
    }

    fn next_of_file(&mut self) -> Option<Result<GameRecord, GameFileErrorKind>> {
        if let Source::Unopened(..) = self.source
            && let Source::Unopened(input, kind) = std::mem::replace(&mut self.source, Source::Nothing)
        {
            let known = told(input, kind, &self.progress).map_err(Into::into);
            let source = known.and_then(|(kind, input)| self.source_of(kind, input, &self.path));
            match source {
                Ok(source) => self.source = source,
                Err(error) => return Some(Err(error)),
            }
        }
        match &mut self.source {
            Source::Nothing | Source::Unopened(..) => None,
            Source::Wthor { records, solved, names, rules, count } => {
                *count += 1;
                let game = match records.next_game()? {
                    Ok(game) => game,
                    Err(kind) => return Some(Err(kind.into())),
                };
                let game_number = *count;
                Some(
                    wthor_game(&game, *solved, rules, names)
                        .map_err(|error| GameFileErrorKind::Replay { game: game_number, error }),
                )
            }
            Source::Ggf(window) => {
                let rules = &self.rules;
                window.next_game(|text, cursor| ggf::next_game(text, cursor, rules))
            }
            Source::Sgf(window) => {
                let rules = &self.rules;
                window.next_game(|text, cursor| sgf::next_game(text, cursor, rules))
            }
            Source::Pages(pages) => pages.next_game(),
            Source::Lines(lines) => lines.next_game(),
        }
    }
}

impl Iterator for GameStream {
    type Item = Result<GameRecord, GameFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(game) = self.next_of_file() {
                return Some(game.map_err(|kind| {
                    if matches!(kind, GameFileErrorKind::Io(_) | GameFileErrorKind::Wthor(_)) {
                        // there is nothing more to be had of this file
                        self.source = Source::Nothing;
                    }
                    GameFileError { path: self.path.clone(), kind }
                }));
            }
            if let Err(error) = self.open_next()? {
                return Some(Err(error));
            }
        }
    }
}

/// A game of WTHOR with its names, from a file whose games were solved from so many empty squares on (0: they were not).
fn wthor_game(
    game: &WthorGame<'_>,
    solved: u8,
    rules: &Arc<RuleSet>,
    names: &Database,
) -> Result<GameRecord, ReplayError> {
    let mut record = GameRecord::new(game.to_game(rules)?);
    let player = |color| Player {
        name: names.players.get(game.player(color)).unwrap_or_default().to_string(),
        ..Player::default()
    };
    record.players = [player(Color::Black), player(Color::White)];
    record.event = names.tournaments.get(game.tournament()).map(str::to_string);
    // 0 where nobody knows
    record.date = Some(game.year()).filter(|year| *year > 0).map(|year| year.to_string());
    record.result = Some(GameResult::from_score(game.score() as f64, Ending::Played));
    if solved > 0 {
        let best = game.theoretical_score();
        record.comment = Some(format!("{BEST_PLAY}{solved} empty squares: {best:+} for black"));
    }
    Ok(record)
}

/// A file being read.
type Input = BufReader<Counted>;

/// Opens a file (`-` is standard input), whose extension or content tells the format.
fn open_file(path: &Path, progress: &Arc<Progress>) -> io::Result<(FileKind, Input)> {
    let inner: Box<dyn Read + Send> =
        if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    told(inner, FileKind::of_path(path), progress)
}

/// An input with its format, which its content tells where it is not known, or no more than that it is text.
fn told(
    mut inner: Box<dyn Read + Send>,
    kind: Option<FileKind>,
    progress: &Arc<Progress>,
) -> io::Result<(FileKind, Input)> {
    let kind = match kind {
        Some(FileKind::Wthor) => FileKind::Wthor,
        kind => {
            let (start, whole) = beginning(inner)?;
            inner = whole;
            // sites give their games of any format as `.txt`; brackets further on in a text may be remarks
            kind.filter(|kind| *kind != FileKind::Text || !begins_with_tags(&start))
                .unwrap_or_else(|| FileKind::of_content(&start))
        }
    };
    Ok((kind, BufReader::with_capacity(PEEK, Counted { inner, progress: progress.clone() })))
}

/// The beginning of an input, as much of it as tells its format, and the input as if nothing had been read. A pipe gives what
/// its writer has written so far, which may be the half of a word.
///
/// # Errors
/// Those of reading, and an input that is plainly no text of ours, whose every line would be an error.
pub(super) fn beginning(mut input: Box<dyn Read + Send>) -> io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let mut start = vec![0; PEEK];
    let mut length = 0;
    while length < PEEK && !is_enough(&start[..length]) {
        match input.read(&mut start[length..]) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    start.truncate(length);
    bounded::check_is_text(&start)?;
    let whole = Box::new(Cursor::new(start.clone()).chain(input));
    Ok((start, whole))
}

/// Counts the bytes that are read.
struct Counted {
    inner: Box<dyn Read + Send>,
    progress: Arc<Progress>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.progress.done.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[cfg(test)]
mod tests;
