//! Colours, squares and moves as GTP's clients write them: [`notation`](super::notation) in GTP's dialect, with the errors
//! that GTP tells apart.

use super::notation::{self, Dialect};
use crate::rules::{Color, Move, Point, Position};

/// Why a text is no move here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MoveError {
    /// Neither a square nor a pass.
    Syntax,
    /// A square that is not on the board.
    OffBoard,
    /// The rules turn one direction and the square has several: these moves.
    Ambiguous(Vec<Move>),
}

impl From<notation::MoveError> for MoveError {
    fn from(error: notation::MoveError) -> MoveError {
        match error {
            notation::MoveError::OffBoard { .. } => MoveError::OffBoard,
            notation::MoveError::Ambiguous { choices, .. } => MoveError::Ambiguous(choices),
            _ => MoveError::Syntax,
        }
    }
}

/// Reads a colour: `b`, `w`, `black`, `white` in any case.
pub(crate) fn parse_color(text: &str) -> Option<Color> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Color::Black),
        "w" | "white" => Some(Color::White),
        _ => None,
    }
}

/// A square in GTP's letters, upper case: `F5`; on wide boards without `I`.
pub(crate) fn format_point(point: Point, columns: u8) -> String {
    debug_assert!(point.column < columns);
    format!("{}{}", Dialect::Gtp.letter(point.column).to_ascii_uppercase(), point.row + 1)
}

/// A move in GTP's letters, upper case: `F5`, `F5:NE`, `PASS`.
pub(crate) fn format_move(mv: Move, columns: u8) -> String {
    match mv {
        Move::Pass => "PASS".to_string(),
        Move::Place { at, direction: None } => format_point(at, columns),
        Move::Place { at, direction: Some(direction) } => format!("{}:{}", format_point(at, columns), direction.name()),
    }
}

/// Reads a square in GTP's letters.
pub(crate) fn parse_point(text: &str, rows: u8, columns: u8) -> Result<Point, MoveError> {
    Ok(notation::parse_point(Dialect::Gtp, rows, columns, text)?)
}

/// Reads a move for the side to move of `position`; it need not be legal. Where the rules turn one direction only,
/// a plain square is read as its only legal move.
pub(crate) fn parse_move(text: &str, position: &Position) -> Result<Move, MoveError> {
    Ok(notation::parse_move_in(Dialect::Gtp, position, text)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Flips, RuleSet};
    use std::sync::Arc;

    #[test]
    fn wide_boards_skip_i() {
        for columns in [4, 8, 10, 16] {
            for column in 0..columns {
                let point = Point { row: 3, column };
                let text = format_point(point, columns);
                assert!(!text.contains('I'));
                assert_eq!(parse_point(&text, columns, columns), Ok(point));
                assert_eq!(parse_point(&text.to_lowercase(), columns, columns), Ok(point));
            }
        }
        assert_eq!(format_point(Point { row: 9, column: 8 }, 10), "J10");
        assert_eq!(parse_point("i5", 10, 10), Err(MoveError::OffBoard));
        assert_eq!(parse_point("k5", 10, 10), Ok(Point { row: 4, column: 9 }));
        assert_eq!(parse_point("l5", 10, 10), Err(MoveError::OffBoard));
    }

    #[test]
    fn bad_squares() {
        for text in ["", "f", "5", "ff", "5f", "f-1", "f+1", "é5", "f5x"] {
            assert_eq!(parse_point(text, 8, 8), Err(MoveError::Syntax), "{text}");
        }
        for text in ["a0", "a9", "i1", "f55", "f99999999999"] {
            assert_eq!(parse_point(text, 8, 8), Err(MoveError::OffBoard), "{text}");
        }
    }

    #[test]
    fn one_direction_squares_need_a_choice_only_when_there_is_one() {
        let rules = Arc::new(RuleSet::othello().to_builder().flips(Flips::One).build().unwrap());
        let start = Position::start(rules);
        let mv = parse_move("d3", &start).unwrap();
        assert_eq!(format_move(mv, 8), "D3:S");
        assert_eq!(parse_move("D3:s", &start), Ok(mv));
        assert_eq!(parse_move("d3:x", &start), Err(MoveError::Syntax));
        let position = ["d3", "c3", "c4"].iter().fold(start, |p, text| p.play(parse_move(text, &p).unwrap()).unwrap());
        match parse_move("e3", &position) {
            Err(MoveError::Ambiguous(choices)) => assert!(choices.len() > 1),
            other => panic!("{other:?} in {:?}", position.legal_moves()),
        }
    }
}
