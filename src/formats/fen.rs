//! Positions as FEN, in the form that Edax takes and gives: `8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1`.
//!
//! Rows are parted by slashes, the one with the highest number first, as in chess; numbers stand for empty squares. `P` is a
//! disc of the first player (black), whose turn is `w`, and `p` one of the second, whose turn is `b`, because protocols of chess
//! let "white" begin. A program that means it the other way round says the same about the side to move, with black and white
//! exchanged. Of the other fields, written as `- - 0 1`, none counts.
//!
//! An extension of this program: under own supply `hands=BLACK/WHITE` follows as in [`board_text`], where the discs in hand are not
//! those that the board suggests.

use std::sync::Arc;

use crate::rules::{Bits, Color, Point, Position, RuleSet};

use super::board_text::{self, BoardTextErrorKind};
use super::quantity::plural;
use super::quote;

/// Why a text is not a position in FEN.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FenError {
    /// The rows are not those of the board.
    #[error("FEN: {}, not {expected}", plural(*found as u64, "row"))]
    Rows {
        /// Rows read.
        found: usize,
        /// Rows of the board.
        expected: usize,
    },
    /// A row has more or fewer squares than the board.
    #[error("FEN: row {row} has {}, not {expected}", plural(*found as u64, "square"))]
    Row {
        /// The row, as numbered on the board.
        row: usize,
        /// Squares read.
        found: usize,
        /// Squares of a row.
        expected: usize,
    },
    /// A character that is neither a disc nor a number.
    #[error("FEN: {} is neither P, p nor a number", quote(.0))]
    Square(String),
    /// The side to move is missing or another word.
    #[error("FEN: the side to move is w or b, not {}", quote(.0))]
    Side(String),
    /// Discs, side and discs in hand are no position of these rules.
    #[error("FEN: {0}")]
    Board(#[from] BoardTextErrorKind),
}

/// The text can only be a FEN: its first word has slashes and discs `p` or `P`, or, on an empty board, a side to move behind it.
pub fn looks_like(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let word = words.next().unwrap_or_default();
    let has_discs = word.contains(['p', 'P']) || matches!(words.next(), Some("w" | "b"));
    word.contains('/') && has_discs && word.chars().all(|c| matches!(c, 'p' | 'P' | '/' | '0'..='9'))
}

/// Reads a position.
///
/// # Errors
/// [`FenError`] for the first thing wrong.
///
/// ```
/// use std::sync::Arc;
/// use outflank::{formats::fen, rules::{Position, RuleSet}};
/// let start = fen::parse("8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1", &Arc::new(RuleSet::othello())).unwrap();
/// assert_eq!(start, Position::default());
/// ```
pub fn parse(text: &str, rules: &Arc<RuleSet>) -> Result<Position, FenError> {
    let mut words = text.split_whitespace();
    let lines: Vec<&str> = words.next().unwrap_or_default().split('/').collect();
    let (rows, columns) = (usize::from(rules.rows()), usize::from(rules.columns()));
    if lines.len() != rows {
        return Err(FenError::Rows { found: lines.len(), expected: rows });
    }
    let mut discs = [Bits::EMPTY; 2];
    for (line, row) in lines.iter().zip((0..rows).rev()) {
        let squares = squares(line)?;
        if squares.len() != columns {
            return Err(FenError::Row { row: row + 1, found: squares.len(), expected: columns });
        }
        for (column, square) in squares.into_iter().enumerate() {
            if let Some(color) = square {
                discs[color.index()].insert(Point { row: row as u8, column: column as u8 });
            }
        }
    }
    let side = match words.next().unwrap_or_default() {
        "w" => Color::Black,
        "b" => Color::White,
        other => return Err(FenError::Side(other.to_string())),
    };
    let position = board_text::build(rules, discs, Some(side))?;
    match words.find_map(|word| word.strip_prefix("hands=")) {
        None => Ok(position),
        Some(hands) => board_text::parse_hands(&position, hands)
            .ok_or_else(|| BoardTextErrorKind::Hands(format!("hands={hands}")).into()),
    }
}

/// The squares of a row, from the left; no more than a board can have, and one.
fn squares(line: &str) -> Result<Vec<Option<Color>>, FenError> {
    let mut squares = Vec::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let length = digits.max(c.len_utf8());
        match c {
            'P' => squares.push(Some(Color::Black)),
            'p' => squares.push(Some(Color::White)),
            _ if digits > 0 => {
                let count = rest[..digits].parse().unwrap_or(usize::MAX).min(17);
                squares.resize(squares.len() + count, None);
            }
            _ => return Err(FenError::Square(c.to_string())),
        }
        rest = &rest[length..];
    }
    Ok(squares)
}

/// A position as FEN.
pub fn write(position: &Position) -> String {
    let rules = position.rules();
    let row = |row: u8| {
        let (mut text, mut empty) = (String::new(), 0);
        for column in 0..rules.columns() {
            let Some(color) = position.disc_at(Point { row, column }) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                text += &empty.to_string();
                empty = 0;
            }
            text.push(if color == Color::Black { 'P' } else { 'p' });
        }
        if empty > 0 { text + &empty.to_string() } else { text }
    };
    let rows: Vec<String> = (0..rules.rows()).rev().map(row).collect();
    let side = if position.side_to_move() == Color::Black { 'w' } else { 'b' };
    let hands = board_text::hands(position).map_or(String::new(), |hands| format!(" hands={hands}"));
    format!("{} {side} - - 0 1{hands}", rows.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::transcript;

    #[test]
    fn positions_are_read_back() {
        for (rules, moves) in
            [("othello", "f5d6c3d3c4f4f6"), ("othello", ""), ("othello:10x10", "g6e7"), ("octagon", "")]
        {
            let rules: Arc<RuleSet> = Arc::new(rules.parse().unwrap());
            let game = transcript::parse(&Position::start(rules.clone()), moves).unwrap();
            let text = write(game.position());
            assert_eq!(parse(&text, &rules).as_ref(), Ok(game.position()), "{text}");
            assert!(looks_like(&text));
        }
        assert_eq!(write(&Position::default()), "8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1");
        // what the board does not show: the rest of the placement phase, and the discs in hand after a pass
        let rules: Arc<RuleSet> = Arc::new("traveller:4x4".parse().unwrap());
        for text in ["traveller:4x4 4/1X2/4/4 X hands=7/8 placing=3", "traveller:4x4 4/1XO1/1OX1/4 X hands=7/5"] {
            let position: Position = text.parse().unwrap();
            assert_eq!(parse(&write(&position), &rules).as_ref(), Ok(&position), "{}", write(&position));
        }
        assert!(looks_like("8/8/8/8/8/8/8/8 w - - 0 1") && !looks_like("8/8/8/8/8/8/8/8") && !looks_like("8/8 X"));
        assert!(!looks_like("othello 8/8/8/3OX3/3XO3/8/8/8 X") && !looks_like("f5d6") && !looks_like("a/p"));
    }

    #[test]
    fn errors_say_what_is_wrong() {
        let error = |text: &str| parse(text, &Arc::new(RuleSet::othello())).unwrap_err().to_string();
        assert_eq!(error("8/8 w"), "FEN: 2 rows, not 8");
        assert_eq!(error("8 w"), "FEN: 1 row, not 8");
        assert_eq!(error("8/8/8/3Pp3/3pP3/8/8/1 w"), "FEN: row 1 has 1 square, not 8");
        assert_eq!(error("8/8/8/3Pp2/3pP3/8/8/8 w"), "FEN: row 5 has 7 squares, not 8");
        assert_eq!(error("99999999999999999999999/8/8/3Pp3/3pP3/8/8/8 w"), "FEN: row 8 has 17 squares, not 8");
        assert_eq!(error("8/8/8/3Qp3/3pP3/8/8/8 w"), "FEN: 'Q' is neither P, p nor a number");
        assert_eq!(error("8/8/8/3Pp3/3pP3/8/8/8"), "FEN: the side to move is w or b, not ''");
        assert!(error("8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1 hands=3/4").starts_with("FEN: 'hands=3/4' does not fit: "));
    }
}
