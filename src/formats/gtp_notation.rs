//! Colours, squares and moves as clients write them.

use super::notation::is_pass;
use crate::rules::{Color, Direction, Move, Point, Position};

/// Column letters of boards with more than 8 columns: GTP leaves out `i`. On smaller boards it makes no difference.
const GTP_COLUMNS: &[u8; 16] = b"abcdefghjklmnopq";

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
    let letter = GTP_COLUMNS[usize::from(point.column)].to_ascii_uppercase();
    debug_assert!(point.column < columns);
    format!("{}{}", letter as char, point.row + 1)
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
    let (letter, number) = text.split_at_checked(1).ok_or(MoveError::Syntax)?;
    let letter = letter.as_bytes()[0].to_ascii_lowercase();
    if !letter.is_ascii_lowercase() || number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(MoveError::Syntax);
    }
    let row = number.parse::<u8>().ok().and_then(|row| row.checked_sub(1)).filter(|&row| row < rows);
    let column = GTP_COLUMNS[..usize::from(columns)].iter().position(|&column| column == letter);
    match (row, column) {
        (Some(row), Some(column)) => Ok(Point { row, column: column as u8 }),
        _ => Err(MoveError::OffBoard),
    }
}

/// Reads a move for the side to move of `position`; it need not be legal. Where the rules turn one direction only,
/// a plain square is read as its only legal move.
pub(crate) fn parse_move(text: &str, position: &Position) -> Result<Move, MoveError> {
    if is_pass(text) {
        return Ok(Move::Pass);
    }
    let rules = position.rules();
    let (square, direction) = match text.split_once(':') {
        Some((square, name)) => (square, Some(name.parse::<Direction>().map_err(|_| MoveError::Syntax)?)),
        None => (text, None),
    };
    let at = parse_point(square, rules.rows(), rules.columns())?;
    if direction.is_none() && position.chooses_direction() {
        let choices = position.moves_at(at);
        match choices.as_slice() {
            [] => {}
            [only] => return Ok(*only),
            _ => return Err(MoveError::Ambiguous(choices)),
        }
    }
    Ok(Move::Place { at, direction })
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
