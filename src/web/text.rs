//! Positions and games from whatever text a client sends: a board or a diagram, an OBF line, FEN, moves, the name of an opening, GGF,
//! SGF, PGN.

use std::sync::Arc;

use super::error::Problem;
use crate::book::names;
use crate::formats::files::{GameFileError, GameFileErrorKind};
use crate::formats::obf;
use crate::formats::quantity::plural;
use crate::formats::record::GameRecord;
use crate::formats::stream::{FileKind, GameStream};
use crate::game::Game;
use crate::rules::RuleSet;

/// What a text holds.
#[derive(Debug)]
pub(crate) struct Found {
    /// The game asked for; one without moves for a position.
    pub record: GameRecord,
    /// Games or positions in the text, those that cannot be read too.
    pub count: usize,
}

/// Reads the game with this number, from 1; the rules are those of the text, or else these.
///
/// # Errors
/// What is wrong, with line and column where they are known.
pub(crate) fn read(text: &str, number: usize, rules: &Arc<RuleSet>) -> Result<Found, Problem> {
    if text.trim().is_empty() {
        return Err(nothing());
    }
    // no name is a move or a board
    if number <= 1
        && let Some(game) = names::game_of(text, rules)
    {
        return Ok(Found { record: GameRecord::new(game), count: 1 });
    }
    let kind = FileKind::of_content(text.as_bytes());
    let games = || choose(GameStream::from_text(text, "text", Some(kind), rules), number);
    if !matches!(kind, FileKind::Text | FileKind::Ggs) {
        return games().map_err(|(_, problem)| problem);
    }
    let board = match positions(text, number, rules) {
        Ok(Ok(found)) => return Ok(found),
        // boards with moves may follow on boards without
        Ok(Err(problem)) => return games().map_err(|_| problem),
        Err(board) => board,
    };
    games().map_err(|(ply, moves)| match board {
        Some(board) if ply <= 1 && looks_like_board(text, rules) => board,
        _ => moves,
    })
}

/// What a client is told who sends no text.
pub(crate) fn nothing() -> Problem {
    Problem::bad("there is nothing to read: a board, moves, the name of an opening, or a game in OBF, GGF, SGF or PGN")
}

/// The positions of a text that begins with one. `Err` when it does not: with what is wrong with it, or nothing when it holds
/// nothing of the kind.
fn positions(text: &str, number: usize, rules: &Arc<RuleSet>) -> Result<Result<Found, Problem>, Option<Problem>> {
    let unread = |error: obf::ObfError| Problem::bad(error.to_string()).at(error.line, Some(error.column));
    let mut problems = obf::Reader::new(text.as_bytes(), rules.clone()).map(|(_, problem)| problem.map_err(unread));
    let first = problems.next().ok_or(None)?.map_err(Some)?;
    let (mut chosen, mut count) = (None, 0);
    for problem in std::iter::once(Ok(first)).chain(problems) {
        count += 1;
        if count == number.max(1) {
            chosen = Some(problem);
        }
    }
    let chosen = chosen.unwrap_or_else(|| Err(too_few(number, count)));
    Ok(chosen.map(|chosen| Found { record: GameRecord::new(Game::from_position(chosen.position)), count }))
}

/// The game with this number; an error comes with the number of the bad move.
fn choose(
    games: impl Iterator<Item = Result<GameRecord, GameFileError>>,
    number: usize,
) -> Result<Found, (usize, Problem)> {
    let (mut chosen, mut count, mut readable, mut first_error) = (None, 0, 0, None);
    for game in games {
        count += 1;
        match game {
            Ok(record) if count == number.max(1) => chosen = Some(record),
            Err(error) if count == number.max(1) => return Err(problem(error.kind)),
            Ok(_) => readable += 1,
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    match (chosen, first_error) {
        (Some(record), _) => Ok(Found { record, count }),
        // what holds nothing that can be read has no number of games
        (None, Some(error)) if readable == 0 => Err(problem(error.kind)),
        (None, _) => Err((usize::MAX, too_few(number, count))),
    }
}

fn too_few(number: usize, count: usize) -> Problem {
    match count {
        0 => Problem::bad("there is neither a position nor a game in the text"),
        _ => Problem::bad(format!("the text has {}, not {number}", plural(count as u64, "game"))),
    }
}

/// An error with its place, and the number of the bad move where there is one.
fn problem(kind: GameFileErrorKind) -> (usize, Problem) {
    let message = Problem::bad(kind.to_string());
    match kind {
        GameFileErrorKind::Transcript { line, error } => (error.ply, message.at(line, Some(error.column))),
        GameFileErrorKind::Ggf(error) => (usize::MAX, message.at(error.at.line, Some(error.at.column))),
        GameFileErrorKind::Sgf(error) => (usize::MAX, message.at(error.at.line, Some(error.at.column))),
        GameFileErrorKind::Pgn(error) => (usize::MAX, message.at(error.at.line, Some(error.at.column))),
        GameFileErrorKind::Line { line, .. } => (usize::MAX, message.at(line, None)),
        GameFileErrorKind::Rules { line, .. } => (usize::MAX, message.at(line, None)),
        GameFileErrorKind::Board { line, .. } => (0, message.at(line, None)),
        _ => (usize::MAX, message),
    }
}

/// Most of the text is squares of a board.
fn looks_like_board(text: &str, rules: &RuleSet) -> bool {
    let letters = rules.letters();
    let squares = text.chars().filter(|c| letters.read(*c).is_some()).count();
    let others = text.chars().filter(|c| c.is_ascii_alphanumeric() && letters.read(*c).is_none()).count();
    squares >= rules.cells() as usize / 2 && squares > others
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{board_text, files, transcript};

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn rules() -> Arc<RuleSet> {
        Arc::new(RuleSet::othello())
    }

    fn read_one(text: &str) -> Result<(String, String, usize), Problem> {
        let found = read(text, 1, &rules())?;
        let game = &found.record.game;
        Ok((board_text::write(game.start()), transcript::write(game), found.count))
    }

    #[test]
    fn texts_of_every_kind() {
        let ggf = "(;GM[Othello]PB[Ann]TY[8]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]B[F5]W[F6];)";
        let diagram = "  a b c d e f g h\n1 - - - - - - - -\n2 - - - - - - - -\n3 - - - - - - - -\n4 - - - O X - - -\n\
                       5 - - - X O - - -\n6 - - - - - - - -\n7 - - - - - - - -\n8 - - - - - - - -\nX";
        for (text, moves, count) in [
            (START, "", 1),
            ("F5 d6 C3", "f5d6c3", 1),
            ("1. f5 d6\n2. c3 d3", "f5d6c3d3", 1),
            ("f5d6\nf5f6\n", "f5d6", 2),
            (ggf, "f5f6", 1),
            ("(;GM[2]FF[4];B[f5];W[d6])", "f5d6", 1),
            (diagram, "", 1),
            ("[Event \"Cup\"]\n[Black \"Ann\"]\n\n1. f5 d6 2. c3 *\n", "f5d6c3", 1),
            ("8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1", "", 1),
            ("Rose Bill\n", "f5d6c3d3c4f4c5b3c2", 1),
        ] {
            let found = read_one(text).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
            assert_eq!(found, (START.to_string(), moves.to_string(), count), "{text}");
        }
        assert_eq!(read_one(&format!("{START}; d3:+0;\n{START}; c4:+0;\n")).unwrap().2, 2);
        assert_eq!(read("f5d6\nf5f6", 2, &rules()).unwrap().record.game.moves().len(), 2);
        assert!(read("f5d6\nf5f6", 3, &rules()).unwrap_err().message.contains("2 games"));
        let hungarian = Arc::new("hungarian".parse().unwrap());
        assert!(read("tiger", 1, &hungarian).is_err() && read("tiger", 2, &rules()).is_err());
        // a text names its rules
        let small = read("# rules: hungarian:6x6\ne3", 1, &rules());
        assert_eq!(small.map(|found| found.record.game.start().rules().to_string()).ok(), Some("hungarian:6x6".into()));
    }

    #[test]
    fn what_is_saved_reads_back() {
        let start = "traveller".parse::<RuleSet>().map(|rules| crate::rules::Position::start(Arc::new(rules))).unwrap();
        let game = transcript::parse(&start, "d4e4d5e5").unwrap();
        for format in [FileKind::Ggf, FileKind::Sgf, FileKind::Text] {
            let text = files::games_to_text(&[GameRecord::new(game.clone())], format).unwrap();
            let found = read(&text, 1, &rules()).unwrap_or_else(|problem| panic!("{text}: {problem:?}"));
            assert_eq!(found.record.game, game, "{text}");
        }
    }

    #[test]
    fn errors_have_their_place() {
        let place = |text: &str| read_one(text).map_err(|problem| (problem.line, problem.column)).unwrap_err();
        assert_eq!(place("f5d6z9"), (Some(1), Some(5)));
        assert_eq!(place("# a game\n\nf5 d6 x"), (Some(3), Some(7)));
        assert_eq!(place(&START[..60]).0, Some(1));
        assert_eq!(place(&START.replacen('O', "Q", 1)).0, Some(1));
        assert_eq!(place("(;GM[Othello]PB[a]B[F5]W[F5];)").0, Some(1));
        assert_eq!(place("[Event \"Cup\"]\n\n1. f5 x9\n").0, Some(3));
        assert_eq!(place(" \n"), (None, None));
        let problem = read_one("hello").unwrap_err();
        assert!(problem.message.contains("'hello' is not a move"), "{problem:?}");
        // what stands between moves is no game without moves
        for text in ["....", ";", "1.", "f5d6\n-\n"] {
            let problem = read(text, text.lines().count(), &rules()).unwrap_err();
            assert!(problem.message.contains("is not a move"), "{text}: {problem:?}");
        }
        // what is wrong with a board is told of what has the squares of one, and not more of anything else
        let squares = "XO".repeat(20);
        for (text, said) in [
            ("XO", "'XO' is not a move"),
            (&squares, "the board has 40 squares, not 64"),
            (&format!("so: {squares} {}", "z".repeat(60)), "'so:' is not a move"),
        ] {
            let problem = read_one(text).unwrap_err();
            assert!(problem.message.contains(said), "{text}: {problem:?}");
        }
    }

    #[test]
    fn games_are_counted_with_those_that_cannot_be_read() {
        // where none can be read there is nothing to count
        let nothing = read("f5d6x9\nf5f5\n", 3, &rules()).unwrap_err();
        assert_eq!((nothing.line, nothing.column), (Some(1), Some(5)), "{nothing:?}");
        let text = format!("{START}\nbad line here\n{}\n", START.replace('X', "O"));
        let second = read(&text, 2, &rules()).unwrap_err();
        assert_eq!(second.line, Some(2), "{second:?}");
        let third = read(&text, 3, &rules()).unwrap();
        assert_eq!((third.count, third.record.game.start().side_to_move().index()), (3, 1));
        assert_eq!(read(&text, 4, &rules()).unwrap_err().message, "the text has 3 games, not 4");
        let moves = "f5d6\nf5f5\nf5f6\n";
        assert_eq!(read(moves, 2, &rules()).unwrap_err().line, Some(2));
        assert_eq!(read(moves, 3, &rules()).unwrap().count, 3);
        assert_eq!(read(moves, 4, &rules()).unwrap_err().message, "the text has 3 games, not 4");
        // a board with moves behind one without
        assert_eq!(read(&format!("{START}\n{START} f5d6\n"), 2, &rules()).unwrap().record.game.moves().len(), 2);
        for many in ["f5\n".repeat(2000), format!("{START}\n").repeat(2000)] {
            assert_eq!(read(&many, 1001, &rules()).unwrap().count, 2000);
            assert_eq!(read(&many, 2001, &rules()).unwrap_err().message, "the text has 2000 games, not 2001");
        }
    }
}
