//! Files of games in any format: reading game by game, writing whole files.
//!
//! The format comes from the extension and, without a known one, from the content: [`FileKind`] lists them. A text file holds one
//! transcript a line; `#` and `%` begin comments; a line that begins with a move number other than 1 continues the game before it;
//! a game that does not begin at the start of the rules, or has no moves, has its board before them (`64 squares SIDE moves`); a
//! comment `# rules: NAME` says what the games after it are played by.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::rules::RuleSet;
use crate::rules::text::ParseRulesError;

use super::Location;
use super::atomic::write_whole;
use super::board_text::{self, BoardTextErrorKind};
use super::ggf::{self, GgfError};
use super::named_rules::Naming;
use super::pgn::{self, PgnError};
use super::record::GameRecord;
use super::sgf::{self, SgfError};
use super::stream::{FileKind, GameStream};
use super::transcript::{self, TranscriptError};
use super::wthor::{ReplayError, WthorError, WthorErrorKind};

/// Why a game or a file of games cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {kind}", .path.display())]
pub struct GameFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub kind: GameFileErrorKind,
}

/// What is wrong with a file of games.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GameFileErrorKind {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The WTHOR file is damaged.
    #[error(transparent)]
    Wthor(#[from] WthorErrorKind),
    /// A file of names beside a WTHOR file is damaged.
    #[error(transparent)]
    Names(Box<WthorError>),
    /// A game of a WTHOR file.
    #[error("game {game}: {error}")]
    Replay {
        /// Its number, from 1.
        game: usize,
        /// What is wrong with it.
        error: ReplayError,
    },
    /// A GGF game.
    #[error(transparent)]
    Ggf(#[from] GgfError),
    /// An SGF game.
    #[error(transparent)]
    Sgf(#[from] SgfError),
    /// The moves of a transcript.
    #[error("line {line}: {error}")]
    Transcript {
        /// Line where the game begins, from 1.
        line: usize,
        /// What is wrong with it.
        error: TranscriptError,
    },
    /// A comment names rules that do not exist; what follows it cannot be read.
    #[error("line {line}: {error}")]
    Rules {
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        error: ParseRulesError,
    },
    /// The board before a transcript.
    #[error("line {line}: {error}")]
    Board {
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        error: BoardTextErrorKind,
    },
    /// A line that is no position or game.
    #[error("line {line}: {problem}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
    /// There is text, but no game of the format that the name or the beginning of the file stands for.
    #[error("{at}: no game of the format {format} is here, though the name or the beginning of the file says so")]
    NoGame {
        /// Where the text begins.
        at: Location,
        /// The format.
        format: &'static str,
    },
    /// A game of PGN's kind.
    #[error(transparent)]
    Pgn(#[from] Box<PgnError>),
    /// The extension stands for no format that can be written.
    #[error("games are written as .ggf, .sgf, .pgn or .txt")]
    NotWritable,
}

/// Reads the games of a file, or of all game files of a folder in the order of their names.
///
/// Games come one at a time; a bad one is an error and reading goes on behind it. (A file `-` is a file, and not standard input as
/// for [`GameStream::open`].)
///
/// # Errors
/// [`GameFileError`] when the folder or the first file cannot be read, or the folder has no files of games; later files' errors
/// are items.
pub fn read_games(path: &Path, rules: &Arc<RuleSet>) -> Result<GameStream, GameFileError> {
    let path = if path == Path::new("-") { Path::new("./-") } else { path };
    let mut games = GameStream::open(&[path.to_path_buf()], rules)?;
    match games.open_next() {
        Some(Err(error)) => Err(error),
        _ => Ok(games),
    }
}

/// The games as the text of a file of this format.
///
/// # Errors
/// [`GameFileErrorKind::NotWritable`] for others than GGF, SGF, PGN and transcripts.
pub fn games_to_text(games: &[GameRecord], format: FileKind) -> Result<String, GameFileErrorKind> {
    Ok(match format {
        FileKind::Ggf => games.iter().map(|record| ggf::write(record) + "\n").collect(),
        FileKind::Sgf => games.iter().map(sgf::write).collect(),
        FileKind::Pgn => games.iter().map(pgn::write).collect(),
        FileKind::Text => transcripts(games),
        _ => return Err(GameFileErrorKind::NotWritable),
    })
}

/// A transcript a line, and a line with the rules wherever they change.
fn transcripts(games: &[GameRecord]) -> String {
    let mut naming = Naming::default();
    games.iter().map(|record| transcript_line(record, &mut naming)).collect()
}

/// A transcript, after a line with its rules if they are not those of the game before it.
pub(super) fn transcript_line(record: &GameRecord, naming: &mut Naming) -> String {
    let start = record.game.start();
    let mut text = naming.before(start.rules());
    // without moves the board tells that there is a game
    let moves = transcript::write(&record.game);
    if record.game.has_own_start() || moves.is_empty() {
        text += &board_text::write(start);
        text.push(' ');
    }
    text += &moves;
    text.push('\n');
    text
}

/// Writes games to a file in the format of its extension; the file appears whole or not at all.
///
/// # Errors
/// [`GameFileError`] when the extension stands for no writable format or writing fails.
pub fn write_games(path: &Path, games: &[GameRecord]) -> Result<(), GameFileError> {
    let format = FileKind::of_path(path).ok_or(GameFileErrorKind::NotWritable);
    let text = format.and_then(|format| games_to_text(games, format));
    let written = text.and_then(|text| write_whole(path, text.as_bytes()).map_err(GameFileErrorKind::Io));
    written.map_err(|kind| GameFileError { path: path.to_path_buf(), kind })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::rules::Position;

    fn othello() -> Arc<RuleSet> {
        Arc::new(RuleSet::othello())
    }

    #[test]
    fn files_are_written_whole_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let game = transcript::parse(&Position::default(), "f5d6c3").unwrap();
        let mut record = GameRecord::new(game);
        record.players[0].name = "Ann".to_string();
        record.place = Some("Club".to_string());
        for name in ["a.ggf", "b.sgf", "c.pgn", "d.txt"] {
            write_games(&folder.path().join(name), &[record.clone(), record.clone()]).unwrap();
        }
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 4, "no temporary file stays behind: {names:?}");
        let games: Vec<GameRecord> = read_games(folder.path(), &othello()).unwrap().map(|game| game.unwrap()).collect();
        assert_eq!(games.len(), 8);
        for game in &games[..6] {
            assert_eq!(*game, record);
        }
        assert_eq!(games[6].game, record.game);
        for name in ["x.wtb", "x"] {
            let error = write_games(&folder.path().join(name), &[]).unwrap_err().to_string();
            assert!(error.ends_with("games are written as .ggf, .sgf, .pgn or .txt"), "{error}");
        }
        let error = write_games(&folder.path().join("no/such.ggf"), &[]).unwrap_err().to_string();
        assert!(error.contains("such.ggf: "), "{error}");
        assert!(read_games(Path::new("no-such-file.ggf"), &othello()).is_err());
    }

    /// What can be known of a file before its first game is no item.
    #[test]
    fn a_first_file_that_cannot_be_read_is_an_error_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| read_games(path, &othello()).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error(folder.path()).ends_with("no files of games in this folder"), "{}", error(folder.path()));
        let path = folder.path().join("a.wtb");
        fs::write(&path, "short").unwrap();
        assert!(error(&path).contains("a.wtb: "), "{}", error(&path));
        // which standard input would not be
        assert!(error(Path::new("-")).starts_with("./-: "), "{}", error(Path::new("-")));
    }
}
