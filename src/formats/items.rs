//! What users give as a position or a game: a file, or the text itself.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::fen;
use super::files::GameFileError;
use super::ggs;
use super::obf::{self, ObfError};
use super::play::PlayError;
use super::record::GameRecord;
use super::stream::{FileKind, GameStream, STANDARD_INPUT, beginning, begins_with_board};
use super::transcript::{self, TranscriptError, TranscriptErrorKind};
use crate::game::Game;
use crate::rules::{Position, RuleSet};

/// One thing found in the input.
#[derive(Clone, Debug)]
pub enum Item {
    /// A position: a game without a move, with what is said about it.
    Position(Box<GameRecord>),
    /// A game, with at least one move.
    Game(Box<GameRecord>),
}

/// Why nothing can be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ItemsError {
    /// The text is neither a position nor a game; says what is wrong with it and where.
    #[error("{0}")]
    Text(String),
    /// The file cannot be read.
    #[error("cannot read '{}': {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl ItemsError {
    fn text(message: impl Into<String>) -> ItemsError {
        ItemsError::Text(message.into())
    }
}

/// What the input holds, one by one; a bad line or game is described, and reading goes on behind it.
pub type Items = Box<dyn Iterator<Item = Result<Item, String>> + Send>;

/// Reads an argument: the name of a file (`-` is standard input), or else what a file may hold: a board string, an OBF problem,
/// moves, a board and the moves from there, GGF, SGF or PGN.
///
/// # Errors
/// When it is none of these, or the file cannot be read.
pub fn read(argument: impl AsRef<OsStr>, rules: &Arc<RuleSet>) -> Result<Items, ItemsError> {
    let path = Path::new(&argument);
    if path == Path::new("-") || path.exists() {
        return read_file(path, rules);
    }
    // positions and moves are ASCII; names of files can be anything
    let Some(argument) = path.to_str() else {
        return Err(ItemsError::text(format!("'{}' is neither a file nor a position nor moves", path.display())));
    };
    if fen::looks_like(argument) {
        let position = fen::parse(argument, rules).map_err(|error| ItemsError::text(error.to_string()))?;
        return Ok(Box::new(std::iter::once(Ok(alone(position)))));
    }
    if ggs::looks_like(argument) {
        return read_text(argument, rules);
    }
    let item = match obf::parse_line(argument, 1, rules) {
        Ok(Some(problem)) => alone(problem.position),
        Ok(None) => return Err(ItemsError::text("neither a position nor moves are given")),
        Err(_) if is_game_text(argument, rules) => return read_text(argument, rules),
        Err(board) => read_moves(argument, rules, &board)?,
    };
    Ok(Box::new(std::iter::once(Ok(item))))
}

/// The text is a game as a file holds it, and not just moves: GGF, SGF, PGN, or a board with moves behind it.
fn is_game_text(text: &str, rules: &RuleSet) -> bool {
    is_tagged(FileKind::of_content(text.as_bytes())) || begins_with_board(text, rules)
}

/// The format says more of a game than its moves, and has no lines that could be positions.
fn is_tagged(kind: FileKind) -> bool {
    matches!(kind, FileKind::Wthor | FileKind::Ggf | FileKind::Sgf | FileKind::Pgn)
}

/// Reads games from a text as from a file; what is wrong with the first one is an error of the argument.
fn read_text(argument: &str, rules: &Arc<RuleSet>) -> Result<Items, ItemsError> {
    let mut items = games(GameStream::from_text(argument, "argument", None, rules)).peekable();
    if let Some(Err(_)) = items.peek() {
        let error = items.next().and_then(Result::err);
        return Err(ItemsError::text(error.unwrap_or_default()));
    }
    Ok(Box::new(items))
}

/// Reads moves; what is said about an argument that is nothing at all depends on what it resembles.
fn read_moves(argument: &str, rules: &Arc<RuleSet>, board: &ObfError) -> Result<Item, ItemsError> {
    match transcript::parse(&Position::start(rules.clone()), argument) {
        Ok(game) if !game.moves().is_empty() => Ok(Item::Game(Box::new(GameRecord::new(game)))),
        Err(error) if error.ply > 1 || is_move(&error) => Err(ItemsError::text(error.to_string())),
        _ if argument.len() >= rules.cells() as usize / 2 => Err(ItemsError::text(board.to_string())),
        _ => Err(ItemsError::text(format!("'{argument}' is neither a file nor a position nor moves"))),
    }
}

/// A disc was to be placed, which the rules forbid: the text is of moves all the same. (Dashes may be passes, or squares.)
fn is_move(error: &TranscriptError) -> bool {
    matches!(error.kind, TranscriptErrorKind::Play(PlayError::Illegal { .. } | PlayError::MustPass { .. }))
}

/// Reads a file of positions (boards, OBF) or of games (any format of [`stream`](super::stream)), or a folder of game files.
///
/// # Errors
/// When it cannot be read.
pub fn read_file(path: &Path, rules: &Arc<RuleSet>) -> Result<Items, ItemsError> {
    let game_error = |error: GameFileError| ItemsError::text(error.to_string());
    let open = || GameStream::open(&[path.to_path_buf()], rules).map_err(game_error);
    if path.is_dir() {
        return Ok(games(open()?));
    }
    let failed = |source| ItemsError::Read { path: path.to_path_buf(), source };
    let (reader, is_plain): (Box<dyn Read + Send>, bool) = if path == Path::new("-") {
        (Box::new(io::stdin()), false)
    } else {
        let file = File::open(path).map_err(failed)?;
        let is_plain = file.metadata().map_err(failed)?.is_file();
        (Box::new(file), is_plain)
    };
    let (start, reader) = beginning(reader).map_err(failed)?;
    let name = if path == Path::new("-") { STANDARD_INPUT.into() } else { path.to_string_lossy() };
    if holds_positions(&start, rules) {
        let problems = obf::Reader::new(BufReader::new(reader), rules.clone());
        let name = name.into_owned();
        return Ok(Box::new(problems.map(move |(_, problem)| match problem {
            Ok(problem) => Ok(alone(problem.position)),
            Err(error) => Err(format!("{name}: {error}")),
        })));
    }
    if !is_plain {
        // what a pipe has given it does not give again
        return Ok(games(GameStream::from_reader(reader, &name, rules)));
    }
    // WTHOR files need their names, which lie beside them
    Ok(games(open()?))
}

/// A position of which nothing is said.
fn alone(position: Position) -> Item {
    Item::Position(Box::new(GameRecord::new(Game::from_position(position))))
}

fn games(games: impl Iterator<Item = Result<GameRecord, GameFileError>> + Send + 'static) -> Items {
    Box::new(games.map(|game| match game {
        // a board without moves is a position
        Ok(record) if record.game.moves().is_empty() => Ok(Item::Position(Box::new(record))),
        Ok(record) => Ok(Item::Game(Box::new(record))),
        Err(error) => Err(error.to_string()),
    }))
}

/// The first line that says anything is a position, alone or with scores, or a part of a diagram: what is wrong with one is not that
/// its rows are no games.
fn holds_positions(start: &[u8], rules: &Arc<RuleSet>) -> bool {
    if is_tagged(FileKind::of_content(start)) || ggs::looks_like(&String::from_utf8_lossy(start)) {
        return false;
    }
    let mut problems = obf::Reader::new(start, rules.clone());
    problems.next().is_some_and(|(_, problem)| problem.is_ok() || problems.is_diagram())
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn kinds(argument: &str) -> Result<Vec<String>, String> {
        let rules = Arc::new(RuleSet::othello());
        let items = read(argument, &rules).map_err(|error| error.to_string())?;
        let kind = |item| match item {
            Ok(Item::Position(record)) => format!("{} empty", record.game.position().empty_count()),
            Ok(Item::Game(record)) => format!("{} moves", record.game.moves().len()),
            Err(error) => format!("bad: {error}"),
        };
        Ok(items.map(kind).collect())
    }

    #[test]
    fn arguments() {
        assert_eq!(kinds("f5d6c3"), Ok(vec!["3 moves".to_string()]));
        assert_eq!(kinds(START), Ok(vec!["60 empty".to_string()]));
        assert_eq!(kinds("8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1"), Ok(vec!["60 empty".to_string()]));
        assert_eq!(kinds(&format!("{START}; d3:+0;")), Ok(vec!["60 empty".to_string()]));
        // as in files
        let three = "(;GM[Othello]PB[Ann]B[F5]W[D6]B[C3];)";
        let page = "[Black \"Ann\"]\n\n1. f5 d6 *\n".to_string();
        for (argument, moves) in
            [(format!("{START} f5d6c3"), 3), (three.to_string(), 3), ("(;GM[2];B[f5])".into(), 1), (page, 2)]
        {
            assert_eq!(kinds(&argument), Ok(vec![format!("{moves} moves")]), "{argument}");
        }
        for (argument, part) in [
            ("xyz", "'xyz' is neither a file nor a position nor moves"),
            ("f5d6z9", "move 3 (column 5)"),
            ("a1", "black cannot play 'a1'"),
            ("", "neither a position nor moves"),
            (&format!("{START} f5d6 f5"), "argument: line 1: move 3 (column 73)"),
            ("(;GM[Othello]B[a1];)", "argument: line 1, column 16: move 1"),
            (&START[..60], "squares, not 64"),
            ("8/8/8/3Pp3 w", "FEN: 4 rows, not 8"),
        ] {
            let error = kinds(argument).unwrap_err();
            assert!(error.contains(part), "{argument}: {error}");
        }
    }

    /// Rows of a diagram with bars, and who is to move behind the last one.
    #[test]
    fn boards_of_the_server_keep_the_side_to_move() {
        let rules = Arc::new(RuleSet::othello());
        let white = Position::start(rules.clone()).play("f5".parse().unwrap()).unwrap();
        let ggs = ggs::write(&white);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("board.ggs");
        for text in [ggs.clone(), format!("% a remark\n{ggs}"), ggs.replace('\n', "\r\n"), format!("|0 move(s)\n{ggs}")]
        {
            std::fs::write(&path, &text).unwrap();
            for argument in [path.to_str().unwrap(), &text] {
                let items: Vec<Item> = read(argument, &rules).unwrap().map(Result::unwrap).collect();
                let [Item::Position(found)] = &items[..] else { panic!("{argument}: {items:?}") };
                assert_eq!(*found.game.position(), white, "{argument}");
            }
        }
        std::fs::write(&path, format!("{ggs}{ggs}")).unwrap();
        assert_eq!(kinds(path.to_str().unwrap()), Ok(vec!["59 empty".to_string(); 2]));
    }

    #[test]
    fn files_of_every_kind() {
        let folder = tempfile::tempdir().unwrap();
        for (name, content, expected) in [
            ("boards.txt", format!("% boards\n{START}\n{START}; +0;\n"), vec!["60 empty", "60 empty"]),
            ("p.obf", format!("{START}; d3:+0;\nbad\n"), vec!["60 empty", "bad"]),
            ("seven.txt", format!("{}{START}\n", "--------\n".repeat(7)), vec!["bad: seven.txt: line 7", "60 empty"]),
            ("moves.txt", "f5d6c3\nf5f6\nf5f5\n".to_string(), vec!["3 moves", "2 moves", "bad"]),
            ("remarks.pgn", "% x\n# y\n\n[Black \"a\"]\n1. f5 d6\n".to_string(), vec!["2 moves"]),
            ("some.pgn", "[Black \"a\"]\n1. f5 d6\n[Black \"b\"]\n1. d3\n".to_string(), vec!["2 moves", "1 moves"]),
            ("one.fen", "8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1\n".to_string(), vec!["60 empty"]),
            ("mixed.txt", format!("f5\n{START} f5d6\n"), vec!["1 moves", "2 moves"]),
            ("game.ggf", "(;GM[Othello]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5]W[F6];)".to_string(), vec!["2 moves"]),
        ] {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            let mut found = kinds(path.to_str().unwrap()).unwrap();
            let place = format!("{}{}", folder.path().display(), std::path::MAIN_SEPARATOR);
            found.iter_mut().for_each(|found| *found = found.replace(&place, ""));
            assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
            assert!(found.iter().zip(expected).all(|(found, expected)| found.starts_with(expected)), "{name}: {found:?}");
        }
    }
}
