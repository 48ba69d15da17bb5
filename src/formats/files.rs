//! Files of games in any format: reading game by game, writing whole files.
//!
//! The format comes from the extension (`.wtb`, `.ggf`, `.sgf`, `.txt`) and, without a known one, from the content.
//! A text file holds one transcript a line; `#` and `%` begin comments; a line that begins with a move number other
//! than 1 continues the game before it; a game that does not begin at the start of the rules, or has no moves, has
//! its board before them (`64 squares SIDE moves`); a comment `# rules: NAME` says what the games after it are played by.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::rules::text::ParseRulesError;
use crate::rules::{Color, Position, RuleSet};

use super::atomic::write_whole;
use super::board_text::{self, BoardTextErrorKind};
use super::bounded;
use super::ggf::{self, GgfError};
use super::named_rules;
use super::pgn::PgnError;
use super::record::{Ending, GameRecord, GameResult, Player};
use super::sgf::{self, SgfError};
use super::transcript::{self, TranscriptError};
use super::wthor::{Database, Header, ReplayError, WthorError, WthorErrorKind, WthorFile, WthorGame};
use super::{Cursor, Location};

/// A format of game files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// WTHOR games, `.wtb`; can only be read.
    Wthor,
    /// GGF, `.ggf`.
    Ggf,
    /// SGF, `.sgf`.
    Sgf,
    /// Transcripts, one a line, `.txt`.
    Transcript,
}

impl Format {
    /// The format that a file's extension stands for.
    pub fn of_path(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "wtb" => Some(Format::Wthor),
            "ggf" => Some(Format::Ggf),
            "sgf" => Some(Format::Sgf),
            "txt" => Some(Format::Transcript),
            _ => None,
        }
    }

    /// The format that the content looks like; transcripts when nothing else fits.
    pub fn of_content(bytes: &[u8]) -> Format {
        if bytes.contains(&0) && Header::parse(bytes).is_ok() {
            return Format::Wthor;
        }
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).to_ascii_uppercase();
        match text.find("(;").or_else(|| text.find('(').filter(|&i| text[i + 1..].trim_start().starts_with(';'))) {
            Some(start) if text[start..].contains("GM[OTHELLO]") || text[start..].contains("BO[") => Format::Ggf,
            Some(_) => Format::Sgf,
            None => Format::Transcript,
        }
    }
}

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
    #[error("games are written as .ggf, .sgf or .txt")]
    NotWritable,
}

/// Reads the games of a file, or of all game files of a folder in the order of their names.
///
/// Games come one at a time; a bad one is an error and reading goes on behind it.
///
/// # Errors
/// [`GameFileError`] when the folder or the first file cannot be read; later files' errors are items.
pub fn read_games(path: &Path, rules: &Arc<RuleSet>) -> Result<Games, GameFileError> {
    let error = |inner: io::Error| GameFileError { path: path.to_path_buf(), kind: inner.into() };
    let mut queue = VecDeque::new();
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(error)? {
            queue.push_back(entry.map_err(error)?.path());
        }
        queue.retain(|path| path.is_file() && Format::of_path(path).is_some());
        queue.make_contiguous().sort();
    } else {
        queue.push_back(path.to_path_buf());
    }
    let mut games = Games {
        given: rules.clone(),
        rules: rules.clone(),
        queue,
        path: path.to_path_buf(),
        source: Source::Transcripts(String::new()),
        cursor: Cursor::default(),
        count: 0,
        is_told: false,
    };
    match games.open_next() {
        Some(Err(error)) => Err(error),
        _ => Ok(games),
    }
}

/// Reads the games of a stream such as standard input; `name` stands for it in errors. Without a format the
/// content tells.
///
/// # Errors
/// [`GameFileError`] when it cannot be read.
pub fn read_games_from(
    input: impl Read,
    name: &str,
    format: Option<Format>,
    rules: &Arc<RuleSet>,
) -> Result<Games, GameFileError> {
    let path = PathBuf::from(name);
    let source = bounded::read_all(input, bounded::MAX_FILE).map_err(GameFileErrorKind::Io).and_then(|bytes| {
        let format = format.unwrap_or_else(|| Format::of_content(&bytes));
        Source::new(bytes, format, &path)
    });
    match source {
        Ok(source) => {
            let (given, rules) = (rules.clone(), rules.clone());
            let (queue, cursor) = (VecDeque::new(), Cursor::default());
            Ok(Games { given, rules, queue, path, source, cursor, count: 0, is_told: false })
        }
        Err(kind) => Err(GameFileError { path, kind }),
    }
}

/// The content of a file.
#[derive(Debug)]
enum Source {
    Wthor { file: WthorFile, names: Box<Database> },
    Ggf(String),
    Sgf(String),
    Transcripts(String),
}

impl Source {
    fn open(path: &Path) -> Result<Source, GameFileErrorKind> {
        let bytes = bounded::read_file(path)?;
        let format = Format::of_path(path).unwrap_or_else(|| Format::of_content(&bytes));
        Source::new(bytes, format, path)
    }

    fn new(bytes: Vec<u8>, format: Format, path: &Path) -> Result<Source, GameFileErrorKind> {
        Ok(match format {
            Format::Wthor => {
                let file = WthorFile::from_bytes(bytes)?;
                let names = Database::names_beside(path).map_err(|error| GameFileErrorKind::Names(Box::new(error)))?;
                Source::Wthor { file, names: Box::new(names) }
            }
            Format::Ggf => Source::Ggf(decode(bytes)),
            Format::Sgf => Source::Sgf(decode(bytes)),
            Format::Transcript => Source::Transcripts(decode(bytes)),
        })
    }

    /// What is wrong with a text in which no game was found; nothing where it is blank.
    fn without_game(&self) -> Option<GameFileErrorKind> {
        let (text, format) = match self {
            Source::Ggf(text) => (text, "GGF"),
            Source::Sgf(text) => (text, "SGF"),
            Source::Wthor { .. } | Source::Transcripts(_) => return None,
        };
        let begin = text.find(|c: char| !c.is_whitespace())?;
        Some(GameFileErrorKind::NoGame { at: Location::of(text, begin), format })
    }
}

/// Text in UTF-8, or in Latin-1 as older programs write it; without a byte order mark.
fn decode(bytes: Vec<u8>) -> String {
    let text =
        String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().iter().map(|&byte| byte as char).collect());
    text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text)
}

/// The games of one or more files, see [`read_games`].
#[derive(Debug)]
pub struct Games {
    /// Of games in files that do not name theirs.
    given: Arc<RuleSet>,
    /// Of the games that come next.
    rules: Arc<RuleSet>,
    queue: VecDeque<PathBuf>,
    path: PathBuf,
    source: Source,
    /// Where in a text the next game is looked for.
    cursor: Cursor,
    /// Games of a WTHOR file, or lines of a transcript file, before the next game.
    count: usize,
    /// The present file has given a game or an error.
    is_told: bool,
}

impl Games {
    /// Opens the next file; `None` when there is none.
    fn open_next(&mut self) -> Option<Result<(), GameFileError>> {
        self.path = self.queue.pop_front()?;
        (self.cursor, self.count, self.is_told) = (Cursor::default(), 0, false);
        self.rules = self.given.clone();
        // should it fail, there is nothing left to read of it
        self.source = Source::Transcripts(String::new());
        Some(match Source::open(&self.path) {
            Ok(source) => {
                self.source = source;
                Ok(())
            }
            Err(kind) => Err(GameFileError { path: self.path.clone(), kind }),
        })
    }

    /// The next game of the present file.
    fn next_of_file(&mut self) -> Option<Result<GameRecord, GameFileErrorKind>> {
        match &self.source {
            Source::Wthor { file, names } => {
                self.count += 1;
                wthor_record(file, names, self.count)
            }
            Source::Ggf(text) => {
                ggf::next_game(text, &mut self.cursor, &self.rules).map(|game| game.map_err(Into::into))
            }
            Source::Sgf(text) => {
                sgf::next_game(text, &mut self.cursor, &self.rules).map(|game| game.map_err(Into::into))
            }
            Source::Transcripts(text) => loop {
                let (block, lines) = transcript_block(&text[self.cursor.offset..])?;
                let line = self.count + 1;
                self.cursor.offset += block.len();
                self.count += lines;
                match named_rules::in_comment(block.lines().next().unwrap_or_default()) {
                    Some(Ok(rules)) => self.rules = rules,
                    Some(Err(error)) => {
                        self.cursor.offset = text.len();
                        return Some(Err(GameFileErrorKind::Rules { line, error }));
                    }
                    None => {}
                }
                if let Some(result) = transcript_record(block, line, &self.rules) {
                    return Some(result);
                }
            },
        }
    }
}

impl Iterator for Games {
    type Item = Result<GameRecord, GameFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let told = std::mem::replace(&mut self.is_told, true);
            let next = self.next_of_file().or_else(|| if told { None } else { self.source.without_game().map(Err) });
            if let Some(game) = next {
                return Some(game.map_err(|kind| GameFileError { path: self.path.clone(), kind }));
            }
            if let Err(error) = self.open_next()? {
                return Some(Err(error));
            }
        }
    }
}

fn wthor_record(file: &WthorFile, names: &Database, number: usize) -> Option<Result<GameRecord, GameFileErrorKind>> {
    let solved = file.header().theoretical_empties;
    let record = wthor_game(&file.game(number - 1)?, solved, &Arc::new(file.rules()), names);
    Some(record.map_err(|error| GameFileErrorKind::Replay { game: number, error }))
}

/// A game of WTHOR with its names, from a file whose games were solved from so many empty squares on (0: they were not).
pub(super) fn wthor_game(
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
    record.date = Some(game.year().to_string());
    record.result = Some(GameResult::from_score(game.score() as f64, Ending::Played));
    if solved > 0 {
        let best = game.theoretical_score();
        record.comment = Some(format!("with best play from {solved} empty squares: {best:+} for black"));
    }
    Ok(record)
}

/// The next line with the lines that continue it (they begin with a move number other than 1), and their count.
fn transcript_block(text: &str) -> Option<(&str, usize)> {
    let mut lines = text.split_inclusive('\n');
    let mut length = lines.next()?.len();
    let mut count = 1;
    for line in lines.take_while(|line| continues(line)) {
        length += line.len();
        count += 1;
    }
    Some((&text[..length], count))
}

/// The line begins with a move number other than 1.
pub(super) fn continues(line: &str) -> bool {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    digits > 0 && number != "1" && rest.starts_with(['.', ')', ' ', '\t'])
}

/// The game of a block; `None` when there is nothing but comments.
pub(super) fn transcript_record(
    block: &str,
    line: usize,
    rules: &Arc<RuleSet>,
) -> Option<Result<GameRecord, GameFileErrorKind>> {
    // comments become blanks, so that columns stay right
    let mut text = String::with_capacity(block.len());
    for line in block.split_inclusive('\n') {
        // a board may have `#` for its squares
        let board =
            if board_text::is_row(line, rules) { line.find(char::is_whitespace).unwrap_or(line.len()) } else { 0 };
        let end = line[board..].find(['#', '%']).map_or(line.len(), |end| board + end);
        text.push_str(&line[..end]);
        text.push(' ');
    }
    let mut moves = text.trim();
    if moves.is_empty() {
        return None;
    }
    let start = match begins_with_board(moves, rules).then(|| board_text::parse_prefix(moves, rules)) {
        None => Position::start(rules.clone()),
        Some(Ok((start, length))) => {
            moves = &moves[length..];
            start
        }
        Some(Err(error)) => return Some(Err(GameFileErrorKind::Board { line, error: error.kind })),
    };
    // the column counts from the beginning of the line
    let offset = moves.as_ptr() as usize - text.as_ptr() as usize;
    let blanks = " ".repeat(text[..offset].chars().count());
    let game = transcript::parse(&start, &(blanks + moves));
    Some(match game {
        Ok(game) => Ok(GameRecord::new(game)),
        Err(error) => Err(GameFileErrorKind::Transcript { line, error }),
    })
}

/// The text is a game as a file holds it, and not just moves: GGF, SGF, or a board with moves behind it.
pub(super) fn is_game_text(text: &str, rules: &RuleSet) -> bool {
    Format::of_content(text.as_bytes()) != Format::Transcript || begins_with_board(text, rules)
}

/// The first word is a whole board.
fn begins_with_board(text: &str, rules: &RuleSet) -> bool {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.len() == rules.cells() as usize && word.chars().all(|c| board_text::is_square(c, rules))
}

/// The games as the text of a file of this format.
///
/// # Errors
/// [`GameFileErrorKind::NotWritable`] for WTHOR.
pub fn games_to_text(games: &[GameRecord], format: Format) -> Result<String, GameFileErrorKind> {
    Ok(match format {
        Format::Wthor => return Err(GameFileErrorKind::NotWritable),
        Format::Ggf => games.iter().map(|record| ggf::write(record) + "\n").collect(),
        Format::Sgf => games.iter().map(sgf::write).collect(),
        Format::Transcript => transcripts(games),
    })
}

/// A transcript a line, and a line with the rules wherever they change.
fn transcripts(games: &[GameRecord]) -> String {
    let mut rules = Arc::new(RuleSet::othello());
    games.iter().map(|record| transcript_line(record, &mut rules)).collect()
}

/// A transcript, after a line with its rules if they are not those of the game before it.
pub(super) fn transcript_line(record: &GameRecord, rules: &mut Arc<RuleSet>) -> String {
    let mut text = String::new();
    let start = record.game.start();
    if start.rules() != rules {
        *rules = start.rules().clone();
        text += &named_rules::comment(rules);
    }
    // without moves the board tells that there is a game
    let moves = transcript::write(&record.game);
    if *start != Position::start(rules.clone()) || moves.is_empty() {
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
    let format = Format::of_path(path).ok_or(GameFileErrorKind::NotWritable);
    let text = format.and_then(|format| games_to_text(games, format));
    let written = text.and_then(|text| write_whole(path, text.as_bytes()).map_err(GameFileErrorKind::Io));
    written.map_err(|kind| GameFileError { path: path.to_path_buf(), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn othello() -> Arc<RuleSet> {
        Arc::new(RuleSet::othello())
    }

    fn read(text: &str, format: Option<Format>) -> Vec<Result<String, String>> {
        let games = read_games_from(text.as_bytes(), "stdin", format, &othello()).unwrap();
        games
            .map(|game| game.map(|record| transcript::write(&record.game)).map_err(|error| error.to_string()))
            .collect()
    }

    #[test]
    fn content_tells_the_format() {
        let mut wthor = vec![20, 7, 5, 22, 0, 0, 0, 0, 0, 0, 0xB9, 7, 8, 0, 24, 0];
        for (bytes, format) in [
            (&wthor[..], Format::Wthor),
            (b"2 (;GM[Othello]B[f5];)", Format::Ggf),
            (b"( ;gm[othello]B[f5];)", Format::Ggf),
            (b"\n(;GM[2];B[fe])", Format::Sgf),
            (b"f5d6c3", Format::Transcript),
            (b"", Format::Transcript),
        ] {
            assert_eq!(Format::of_content(bytes), format, "{bytes:?}");
        }
        wthor[2] = 0;
        assert_eq!(Format::of_content(&wthor), Format::Transcript);
        assert_eq!(Format::of_path(Path::new("a/b.WTB")), Some(Format::Wthor));
        assert_eq!(Format::of_path(Path::new("noext")), None);
    }

    #[test]
    fn transcript_files() {
        let board = "---------------------------OX------XXX-------------------------- O";
        let text = format!("# openings\n\nf5d6 # best\n1. f5 d6\n2. c3 d3\n{board} d6c3\nf5 x\n{board} 9\nd3\n");
        let expected = [
            Ok("f5d6"),
            Ok("f5d6c3d3"),
            Ok("d6c3"),
            Err("stdin: line 7: move 2 (column 4): 'x' is not a move (such as f5 or pass)"),
            Err("stdin: line 8: move 1 (column 68): '9' is not the number of the next move"),
            Ok("d3"),
        ];
        let expected = expected.map(|game| game.map(str::to_string).map_err(str::to_string));
        assert_eq!(read(&text, None), expected);
        assert_eq!(read("", None), []);
    }

    #[test]
    fn latin1_and_byte_order_marks() {
        let bytes = b"(;GM[Othello]PB[Andr\xE9]B[F5];)";
        let mut games = read_games_from(&bytes[..], "stdin", None, &othello()).unwrap();
        assert_eq!(games.next().unwrap().unwrap().players[0].name, "André");
        assert_eq!(read("\u{feff}f5", None), [Ok("f5".to_string())]);
    }

    #[test]
    fn files_are_written_whole_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let game = transcript::parse(&Position::default(), "f5d6c3").unwrap();
        let mut record = GameRecord::new(game);
        record.players[0].name = "Ann".to_string();
        record.place = Some("Club".to_string());
        for name in ["a.ggf", "b.sgf", "c.txt"] {
            write_games(&folder.path().join(name), &[record.clone(), record.clone()]).unwrap();
        }
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 3, "no temporary file stays behind: {names:?}");
        let games: Vec<GameRecord> = read_games(folder.path(), &othello()).unwrap().map(|game| game.unwrap()).collect();
        assert_eq!(games.len(), 6);
        assert_eq!(games[0], record);
        assert_eq!(games[2], record);
        assert_eq!(games[4].game, record.game);
        for (name, message) in
            [("x.wtb", "games are written as .ggf, .sgf or .txt"), ("x", "games are written as .ggf, .sgf or .txt")]
        {
            let error = write_games(&folder.path().join(name), &[]).unwrap_err().to_string();
            assert!(error.ends_with(message), "{error}");
        }
        let error = write_games(&folder.path().join("no/such.ggf"), &[]).unwrap_err().to_string();
        assert!(error.contains("such.ggf: "), "{error}");
        assert!(read_games(Path::new("no-such-file.ggf"), &othello()).is_err());
    }

    #[test]
    fn a_damaged_file_among_others_is_one_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.txt"), "f5\n").unwrap();
        fs::write(folder.path().join("b.wtb"), "short").unwrap();
        fs::write(folder.path().join("c.txt"), "d3\n").unwrap();
        let games: Vec<bool> = read_games(folder.path(), &othello()).unwrap().map(|game| game.is_ok()).collect();
        assert_eq!(games, [true, false, true]);
        // so is one that holds none of what its name says, once; a blank one is nothing
        fs::remove_file(folder.path().join("b.wtb")).unwrap();
        fs::write(folder.path().join("b.ggf"), "\n f5d6c3\n").unwrap();
        fs::write(folder.path().join("b.sgf"), " \n").unwrap();
        let games = read_games(folder.path(), &othello()).unwrap();
        let games: Vec<String> =
            games.map(|game| game.map_or_else(|error| error.to_string(), |_| String::new())).collect();
        assert_eq!([&games[0], &games[2]], ["", ""]);
        assert!(games[1].contains("b.ggf: line 2, column 2: no game of the format GGF"), "{games:?}");
        assert_eq!(games.len(), 3);
    }
}
