//! A single move as text: the one parser that everything reads moves with.
//!
//! A square is a column letter and a row number, in any case: `f5`, `P16`. Where the rules turn one direction
//! only, the direction follows a colon: `f5:NE`. A pass has many spellings, see [`is_pass`]. What the column letters
//! mean is the [`Dialect`]'s affair.

use std::str::FromStr;

use crate::rules::{Direction, Flips, Move, Point, Position};

use super::quote;

/// How columns are lettered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// `a` to `p`, no letter left out: Othello's own.
    #[default]
    Plain,
    /// GTP's: `i` is left out, so the columns of a wide board end at `q`. Up to 8 columns it makes no difference.
    Gtp,
    /// Letters as in `Plain`, rows numbered from the bottom: for the console's display only, never in files.
    FromBottom,
}

impl Dialect {
    /// The letters of the columns, from the left.
    const fn columns(self) -> &'static [u8; 16] {
        match self {
            Dialect::Plain | Dialect::FromBottom => b"abcdefghijklmnop",
            Dialect::Gtp => b"abcdefghjklmnopq",
        }
    }

    /// The letter of a column (from 0, at most 15), in lower case.
    pub fn letter(self, column: u8) -> char {
        self.columns()[usize::from(column)] as char
    }
}

/// Why a text is not a move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// There is nothing to read.
    #[error("a move is missing")]
    Missing,
    /// Neither a square nor a pass.
    #[error("{} is not a move (such as f5 or pass)", quote(.0))]
    NotAMove(String),
    /// A square of some larger board.
    #[error("{} is not on the board (a1 to {}{})", quote(.token), .dialect.letter(.last.column), .last.row + 1)]
    OffBoard {
        /// The text.
        token: String,
        /// The board's last square.
        last: Point,
        /// How the text letters its columns.
        dialect: Dialect,
    },
    /// What follows the colon is none of the eight directions.
    #[error("{} names no direction (N NE E SE S SW W NW)", quote(.0))]
    UnknownDirection(String),
    /// A direction under rules that turn every outflanked line, or in the placement phase.
    #[error("{} gives a direction, but this move does not choose one", quote(.0))]
    UnwantedDirection(String),
    /// The square outflanks in several directions, of which the rules turn only one.
    #[error("{} turns one of several lines: choose {}", quote(.token), list(.choices))]
    Ambiguous {
        /// The text.
        token: String,
        /// The legal moves on this square.
        choices: Vec<Move>,
    },
}

fn list(moves: &[Move]) -> String {
    let names: Vec<String> = moves.iter().map(Move::to_string).collect();
    names.join(" or ")
}

/// The spellings of a pass, longest first.
const PASSES: [&str; 6] = ["pass", "@@@@", "@@", "pa", "ps", "--"];

/// The text is a pass in one of the spellings that programs use: `pass`, `pa`, `ps` (any case), `--`, `@@`, `@@@@`.
pub fn is_pass(text: &str) -> bool {
    PASSES.iter().any(|pass| text.eq_ignore_ascii_case(pass))
}

/// Reads one move: a square with or without direction, or a pass; blanks around it are ignored.
///
/// The result is a move of the rule set in force but not necessarily a legal one: playing it tells. Under
/// one-direction rules a plain square stands for the only line that can be turned there; when the side to
/// move must pass, the lines are those of the other side, as for
/// [`Game::play_passing`](crate::game::Game::play_passing).
///
/// # Errors
/// [`MoveError`] when the text is no move, is off the board, or leaves a direction to choose.
pub fn parse_move(position: &Position, text: &str) -> Result<Move, MoveError> {
    parse_move_in(Dialect::Plain, position, text)
}

/// Reads one move as [`parse_move`] does, in another dialect.
///
/// # Errors
/// As [`parse_move`].
pub fn parse_move_in(dialect: Dialect, position: &Position, text: &str) -> Result<Move, MoveError> {
    let text = text.trim();
    resolve_in(dialect, position, scan_all(dialect, text)?, text)
}

/// Reads a square of a board with this many rows and columns.
///
/// # Errors
/// [`MoveError`] when the text is no square or is off the board.
pub fn parse_point(dialect: Dialect, rows: u8, columns: u8, text: &str) -> Result<Point, MoveError> {
    match scan_all(dialect, text)? {
        Scanned::Square { column, row, direction: None } => on_board(dialect, rows, columns, column, row, text),
        _ => Err(MoveError::NotAMove(text.to_string())),
    }
}

/// The square of a scanned column (from 0) and row (from 1), if it is on the board.
fn on_board(dialect: Dialect, rows: u8, columns: u8, column: u8, row: u32, token: &str) -> Result<Point, MoveError> {
    if column >= columns || row == 0 || row > u32::from(rows) {
        // by its name: the last letter and the highest number
        let last = Point { row: rows - 1, column: columns - 1 };
        return Err(MoveError::OffBoard { token: token.to_string(), last, dialect });
    }
    let row = if dialect == Dialect::FromBottom { rows - row as u8 } else { row as u8 - 1 };
    Ok(Point { row, column })
}

/// The move whose plain text is this move's in a dialect: with rows from the bottom its mirror image.
pub fn in_dialect(dialect: Dialect, rows: u8, mv: Move) -> Move {
    match mv {
        Move::Place { at, direction } if dialect == Dialect::FromBottom && at.row < rows => {
            Move::Place { at: Point { row: rows - 1 - at.row, ..at }, direction }
        }
        mv => mv,
    }
}

impl FromStr for Point {
    type Err = MoveError;

    /// Reads a square of the largest board: `f5`, `F5`, `p16`.
    fn from_str(text: &str) -> Result<Point, MoveError> {
        parse_point(Dialect::Plain, 16, 16, text)
    }
}

impl FromStr for Move {
    type Err = MoveError;

    /// Reads a move without a position: `f5`, `f5:NE`, and every pass. Under one-direction rules a plain square stays
    /// one, see [`parse_move`].
    fn from_str(text: &str) -> Result<Move, MoveError> {
        match scan_all(Dialect::Plain, text)? {
            Scanned::Pass => Ok(Move::Pass),
            Scanned::Square { column, row, direction } => {
                Ok(Move::Place { at: on_board(Dialect::Plain, 16, 16, column, row, text)?, direction })
            }
        }
    }
}

/// A move as written, not yet related to a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scanned {
    Pass,
    Square {
        /// Column from 0.
        column: u8,
        /// Row as written, from 1.
        row: u32,
        direction: Option<Direction>,
    },
}

/// Reads a text that is one move and nothing else.
fn scan_all(dialect: Dialect, text: &str) -> Result<Scanned, MoveError> {
    if text.is_empty() {
        return Err(MoveError::Missing);
    }
    match scan_in(dialect, text, usize::MAX) {
        Some((scanned, length)) if length == text.len() => Ok(scanned),
        Some((Scanned::Square { .. }, length)) if text[length..].starts_with(':') => {
            Err(MoveError::UnknownDirection(text.to_string()))
        }
        _ => Err(MoveError::NotAMove(text.to_string())),
    }
}

/// Reads a move at the beginning of a text, with its length in bytes; at most `digits` digits make the row.
pub(super) fn scan(text: &str, digits: usize) -> Option<(Scanned, usize)> {
    scan_in(Dialect::Plain, text, digits)
}

fn scan_in(dialect: Dialect, text: &str, digits: usize) -> Option<(Scanned, usize)> {
    let bytes = text.as_bytes();
    for pass in PASSES {
        if bytes.get(..pass.len()).is_some_and(|start| start.eq_ignore_ascii_case(pass.as_bytes())) {
            return Some((Scanned::Pass, pass.len()));
        }
    }
    let letter = bytes.first().filter(|byte| byte.is_ascii_alphabetic())?.to_ascii_lowercase();
    // a letter that names no column is off every board
    let column = dialect.columns().iter().position(|&column| column == letter).map_or(u8::MAX, |column| column as u8);
    let count = bytes[1..].iter().take(digits).take_while(|byte| byte.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    // and so is an absurdly long number
    let row = text[1..=count].parse().unwrap_or(u32::MAX);
    let end = 1 + count;
    let (direction, length) = scan_direction(&bytes[end..]);
    Some((Scanned::Square { column, row, direction }, end + length))
}

/// Reads `:NE`; returns the direction and the number of bytes read, or `(None, 0)`.
fn scan_direction(bytes: &[u8]) -> (Option<Direction>, usize) {
    if bytes.first() != Some(&b':') {
        return (None, 0);
    }
    let mut found = (None, 0);
    for direction in Direction::ALL {
        let name = direction.name().as_bytes();
        let end = 1 + name.len();
        let matches = bytes.get(1..end).is_some_and(|text| text.eq_ignore_ascii_case(name));
        // in `f5:Ne6` the `e` begins the next square
        let next_square = name.len() == 2 && bytes.get(end).is_some_and(u8::is_ascii_digit);
        if matches && !next_square && end > found.1 {
            found = (Some(direction), end);
        }
    }
    found
}

/// Relates a scanned move to a position (see [`parse_move`]).
pub(super) fn resolve_in(
    dialect: Dialect,
    position: &Position,
    scanned: Scanned,
    token: &str,
) -> Result<Move, MoveError> {
    let Scanned::Square { column, row, direction } = scanned else { return Ok(Move::Pass) };
    let rules = position.rules();
    let at = on_board(dialect, rules.rows(), rules.columns(), column, row, token)?;
    if rules.flips() == Flips::All || position.placements_left() > 0 {
        return match direction {
            None => Ok(Move::Place { at, direction: None }),
            Some(_) => Err(MoveError::UnwantedDirection(token.to_string())),
        };
    }
    if direction.is_some() {
        return Ok(Move::Place { at, direction });
    }
    let side = position.side_to_move();
    let mover = position.with_side(if position.must_pass() { !side } else { side });
    let mut choices = mover.legal_moves();
    choices.retain(|mv| matches!(mv, Move::Place { at: place, .. } if *place == at));
    match choices.as_slice() {
        [] => Ok(Move::Place { at, direction: None }),
        [only] => Ok(*only),
        _ => {
            let choices = choices.into_iter().map(|mv| in_dialect(dialect, rules.rows(), mv)).collect();
            Err(MoveError::Ambiguous { token: token.to_string(), choices })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::board_text;
    use crate::rules::RuleSet;

    fn one_direction() -> Arc<RuleSet> {
        Arc::new(RuleSet::othello().to_builder().flips(Flips::One).build().unwrap())
    }

    #[test]
    fn squares_and_passes() {
        let start = Position::default();
        assert_eq!(parse_move(&start, " F5 ").unwrap().to_string(), "f5");
        for pass in ["pass", "PASS", "Pass", "pa", "PA", "ps", "--", "@@", "@@@@"] {
            assert_eq!(parse_move(&start, pass), Ok(Move::Pass), "{pass}");
            assert!(is_pass(pass));
        }
        assert_eq!(parse_move(&start, ""), Err(MoveError::Missing));
        for bad in ["f", "5", "f5x", "f5 d6", "5f", "-", "passe", "é5", "f-5", "\u{0}"] {
            assert_eq!(parse_move(&start, bad), Err(MoveError::NotAMove(bad.to_string())), "{bad}");
        }
        for off in ["i1", "a9", "a0", "z99", "f55", "a99999999999999999999"] {
            let error = parse_move(&start, off).unwrap_err();
            assert!(error.to_string().contains("is not on the board (a1 to h8)"), "{off}: {error}");
        }
        assert!(matches!(parse_move(&start, "f5:NE"), Err(MoveError::UnwantedDirection(_))));
        assert!(matches!(parse_move(&start, "f5:X"), Err(MoveError::UnknownDirection(_))));
    }

    #[test]
    fn without_a_position() {
        for text in ["a1", "f5", "i9", "p16", "f5:NE", "pass"] {
            assert_eq!(text.parse::<Move>().unwrap().to_string(), text);
            assert_eq!(text.to_uppercase().parse::<Move>(), text.parse::<Move>());
        }
        for bad in ["", "f", "5f", "q1", "a17", "a0", "a+5", "é5", "f5:", "f5:NNE", "f5NE", ":N", "pas", " f5"] {
            assert!(bad.parse::<Move>().is_err(), "{bad}");
        }
        assert_eq!("p16".parse(), Ok(Point { row: 15, column: 15 }));
        for bad in ["pass", "f5:N", "q16"] {
            assert!(bad.parse::<Point>().is_err(), "{bad}");
        }
    }

    #[test]
    fn gtp_leaves_out_i() {
        let point = |columns, text| parse_point(Dialect::Gtp, 10, columns, text);
        assert_eq!(point(10, "k5"), Ok(Point { row: 4, column: 9 }));
        assert_eq!(point(8, "H5"), Ok(Point { row: 4, column: 7 }));
        for (columns, off) in [(10, "i5"), (10, "l5"), (8, "j5"), (16, "r5")] {
            assert!(matches!(point(columns, off), Err(MoveError::OffBoard { .. })), "{off}");
        }
        let last = point(16, "z1").unwrap_err().to_string();
        assert_eq!(last, "'z1' is not on the board (a1 to q10)");
    }

    #[test]
    fn rows_from_the_bottom() {
        let start = Position::start(Arc::new("hungarian".parse().unwrap()));
        let read = |text| parse_move_in(Dialect::FromBottom, &start, text);
        // o stands on d5 and e4 as on the sheet: d3 is ours d6
        assert_eq!(read("d3").unwrap().to_string(), "d6");
        assert_eq!(in_dialect(Dialect::FromBottom, 8, read("d3").unwrap()).to_string(), "d3");
        assert_eq!(read("d9").unwrap_err().to_string(), "'d9' is not on the board (a1 to h8)");
        let point = parse_point(Dialect::FromBottom, 10, 10, "a1");
        assert_eq!(point, Ok(Point { row: 9, column: 0 }));
    }

    #[test]
    fn large_boards() {
        let rules = Arc::new(RuleSet::othello().to_builder().size(16, 12).build().unwrap());
        let start = Position::start(rules);
        assert_eq!(parse_move(&start, "L16").unwrap().to_string(), "l16");
        assert!(matches!(parse_move(&start, "m1"), Err(MoveError::OffBoard { .. })));
    }

    #[test]
    fn one_direction_rules() {
        let rules = one_direction();
        let start = Position::start(rules.clone());
        assert_eq!(parse_move(&start, "f5").unwrap().to_string(), "f5:W");
        assert_eq!(parse_move(&start, "F5:w").unwrap().to_string(), "f5:W");
        // two white lines end at c3: east and south
        let text = "-------- -------- ---OX--- --O----- --X----- -------- -------- -------- X";
        let position = board_text::parse(text, &rules).unwrap();
        let error = parse_move(&position, "c3").unwrap_err();
        assert_eq!(error.to_string(), "'c3' turns one of several lines: choose c3:E or c3:S");
        assert_eq!(parse_move(&position, "c3:s").unwrap().to_string(), "c3:S");
        // nothing to turn: a move, but not a legal one
        let nothing = parse_move(&position, "h8").unwrap();
        assert!(position.play(nothing).is_err());
    }

    #[test]
    fn directions_do_not_swallow_the_next_square() {
        let square = |direction| Scanned::Square { column: 5, row: 5, direction };
        assert_eq!(scan("f5:Ne6", 1), Some((square(Some(Direction::N)), 4)));
        assert_eq!(scan("f5:NEe6", 1), Some((square(Some(Direction::NE)), 5)));
        assert_eq!(scan("f5:sw", 1), Some((square(Some(Direction::SW)), 5)));
        assert_eq!(scan("f5:q", 1), Some((square(None), 2)));
        assert_eq!(scan("f56", 1), Some((square(None), 2)));
    }
}
