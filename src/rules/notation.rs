//! Squares, moves and positions as text.
//!
//! A square is a column letter `a`..`p` (no letter is left out) and a row number 1..16, row 1 at the top. A move is a
//! square, under one-direction rules followed by `:` and the compass direction of the line that turns (`f5:NE`, north
//! being towards row 1), or `pass`.
//!
//! A position is `RULES BOARD SIDE [hands=BLACK/WHITE] [placing=N]`: the rules and the board in the forms of
//! [`text`](super::text), `X` or `O` to move, and what the board does not show: the discs in hand under own supply and
//! how many discs of the placement phase are still to come.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::text::{ParseRulesError, board_text, parse_board};
use super::{Color, Direction, Move, Point, Position, RuleSet, Start, Supply};

/// The text is not a move, or not one that can be meant here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseMoveError {
    /// Not a square of any board.
    #[error("'{0}' is not a square such as f5")]
    Square(String),
    /// Not a compass direction.
    #[error("'{0}' is not a direction: expected N, NE, E, SE, S, SW, W or NW")]
    Direction(String),
    /// Nothing like a move.
    #[error("'{0}' is not a move such as f5 or pass")]
    Move(String),
    /// The square is not on this board.
    #[error("{0} is outside the {1}x{2} board")]
    Outside(Point, u8, u8),
    /// Under one-direction rules the square alone does not say which line turns.
    #[error("{at} turns discs in {count} directions: choose one of {choices}", count = choices.len(), choices = join(choices))]
    Ambiguous {
        /// The square.
        at: Point,
        /// The moves that are legal there.
        choices: Vec<Move>,
    },
    /// These rules have no choice of direction (now).
    #[error("'{0}': a direction has no meaning here, all outflanked discs turn")]
    NoDirections(Move),
}

fn join(moves: &[Move]) -> String {
    moves.iter().map(Move::to_string).collect::<Vec<String>>().join(", ")
}

impl FromStr for Point {
    type Err = ParseMoveError;

    /// Reads `f5`, `F5`, `p16`.
    fn from_str(text: &str) -> Result<Point, ParseMoveError> {
        let error = || ParseMoveError::Square(text.to_string());
        let letter = text.chars().next().ok_or_else(error)?.to_ascii_lowercase();
        let digits = &text[letter.len_utf8()..];
        if !('a'..='p').contains(&letter) || !(1..=2).contains(&digits.len()) || digits.starts_with(['0', '+']) {
            return Err(error());
        }
        match digits.parse::<u8>() {
            Ok(row @ 1..=16) => Ok(Point { row: row - 1, column: letter as u8 - b'a' }),
            _ => Err(error()),
        }
    }
}

impl FromStr for Direction {
    type Err = ParseMoveError;

    /// Reads `NE`, `ne`.
    fn from_str(text: &str) -> Result<Direction, ParseMoveError> {
        let named = |direction: &Direction| direction.name().eq_ignore_ascii_case(text);
        Direction::ALL.into_iter().find(named).ok_or_else(|| ParseMoveError::Direction(text.to_string()))
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Reads `f5`, `f5:NE`, `pass`, in any letter case; also the passes `pa`, `ps` and `--`.
    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        if ["pass", "pa", "ps", "--"].iter().any(|pass| text.eq_ignore_ascii_case(pass)) {
            return Ok(Move::Pass);
        }
        match text.split_once(':') {
            Some((at, direction)) => Ok(Move::Place { at: at.parse()?, direction: Some(direction.parse()?) }),
            None => {
                let at = text.parse().map_err(|_| ParseMoveError::Move(text.to_string()))?;
                Ok(Move::Place { at, direction: None })
            }
        }
    }
}

impl Position {
    /// Reads a move as it is meant in this position: like [`Move::from_str`], and a plain square stands for the only
    /// direction that can turn there under one-direction rules. The move is not checked to be legal; where a
    /// square has no legal direction, the plain move comes back (and [`play`](Position::play) refuses it).
    ///
    /// # Errors
    /// Text that is no move, a square outside the board, a direction under rules without choice, and a square with
    /// several choices, which the error lists.
    pub fn parse_move(&self, text: &str) -> Result<Move, ParseMoveError> {
        let mv: Move = text.trim().parse()?;
        let Move::Place { at, direction } = mv else { return Ok(mv) };
        let rules = self.rules();
        if at.row >= rules.rows || at.column >= rules.columns {
            return Err(ParseMoveError::Outside(at, rules.rows, rules.columns));
        }
        match (direction, self.chooses_direction()) {
            (Some(_), false) => return Err(ParseMoveError::NoDirections(mv)),
            (None, true) => {}
            _ => return Ok(mv),
        }
        let mut choices = self.moves_at(at);
        match choices.len() {
            0 => Ok(mv),
            1 => Ok(choices.remove(0)),
            _ => Err(ParseMoveError::Ambiguous { at, choices }),
        }
    }
}

/// The text is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParsePositionError {
    /// The rules are wrong.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// A field is missing.
    #[error("the {0} is missing: expected RULES BOARD SIDE")]
    Missing(&'static str),
    /// The board is wrong.
    #[error("board '{0}': {1}")]
    Board(String, String),
    /// Not `X` or `O`.
    #[error("side '{0}': expected X or O")]
    Side(String),
    /// A field after the side that means nothing (under these rules), or whose numbers are impossible.
    #[error("'{0}': {1}")]
    Field(String, &'static str),
}

impl FromStr for Position {
    type Err = ParsePositionError;

    /// Reads `RULES BOARD SIDE [hands=BLACK/WHITE] [placing=N]`. Without `hands=` the discs on the board are taken to have
    /// been placed by both players in turn, as in [`Position::from_discs`].
    fn from_str(text: &str) -> Result<Position, ParsePositionError> {
        let mut fields = text.split_whitespace();
        let rules: RuleSet = fields.next().ok_or(ParsePositionError::Missing("rule set"))?.parse()?;
        let board = fields.next().ok_or(ParsePositionError::Missing("board"))?;
        let (black, white) = parse_board(board, rules.rows, rules.columns)
            .map_err(|problem| ParsePositionError::Board(board.to_string(), problem))?;
        let side = match fields.next().ok_or(ParsePositionError::Missing("side to move"))? {
            "X" | "x" => Color::Black,
            "O" | "o" => Color::White,
            other => return Err(ParsePositionError::Side(other.to_string())),
        };
        let rules = Arc::new(rules);
        let overlap = || ParsePositionError::Board(board.to_string(), "not a position".to_string());
        let mut position = Position::from_discs(rules.clone(), black, white, side).ok_or_else(overlap)?;
        for field in fields {
            let wrong = |problem| ParsePositionError::Field(field.to_string(), problem);
            if let Some(hands) = field.strip_prefix("hands=") {
                if rules.supply != Supply::Own {
                    return Err(wrong("these rules have no discs in hand"));
                }
                let numbers = hands.split_once('/').and_then(|(b, w)| Some((b.parse().ok()?, w.parse().ok()?)));
                let (b, w) = numbers.ok_or_else(|| wrong("expected two numbers as in hands=12/10"))?;
                position = position.with_hands(b, w).ok_or_else(|| {
                    wrong("together both must have as many discs as there are empty squares, and each at most half")
                })?;
            } else if let Some(left) = field.strip_prefix("placing=") {
                if rules.start != Start::Placement {
                    return Err(wrong("these rules have no placement phase"));
                }
                position = left
                    .parse()
                    .ok()
                    .and_then(|left| position.with_placements(left))
                    .ok_or_else(|| wrong("does not fit the discs on the board and the side to move"))?;
            } else {
                return Err(wrong("expected hands=BLACK/WHITE or placing=N"));
            }
        }
        Ok(position)
    }
}

/// `RULES BOARD SIDE [hands=BLACK/WHITE] [placing=N]`, rules and board as in [`text`](super::text).
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.rules();
        let board = board_text(self.discs(Color::Black), self.discs(Color::White), rules.rows, rules.columns);
        let side = if self.side_to_move() == Color::Black { 'X' } else { 'O' };
        write!(f, "{rules} {board} {side}")?;
        if let (Some(black), Some(white)) = (self.in_hand(Color::Black), self.in_hand(Color::White)) {
            write!(f, " hands={black}/{white}")?;
        }
        if self.placements_left() > 0 {
            write!(f, " placing={}", self.placements_left())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_moves() {
        for text in ["a1", "f5", "i9", "p16", "f5:NE", "pass"] {
            assert_eq!(text.parse::<Move>().unwrap().to_string(), text);
            assert_eq!(text.to_uppercase().parse::<Move>(), text.parse::<Move>());
        }
        for bad in ["", "f", "5f", "q1", "a17", "a0", "a05", "a+5", "é5", "f5:", "f5:NNE", "f5NE", ":N", "pas"] {
            assert!(bad.parse::<Move>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_plain_square_needs_one_choice() {
        let position: Position = "othello:4x4,one 2X1/1OO1/X3/4 X".parse().unwrap();
        // b3 and c3: c3 turns c2 (N), b3 turns nothing to the north; a1 nothing
        assert_eq!(position.parse_move("c3").unwrap().to_string(), "c3:N");
        let position: Position = "othello:4x4,one 1X2/1OX1/4/1X2 X".parse().unwrap();
        assert_eq!(position.parse_move("a2").unwrap().to_string(), "a2:E");
        let position: Position = "othello:4x4,one X1X1/1OO1/4/4 X".parse().unwrap();
        let error = position.parse_move("c3").unwrap_err();
        assert_eq!(error.to_string(), "c3 turns discs in 2 directions: choose one of c3:N, c3:NW");
        assert_eq!(position.parse_move("c3:nw").unwrap().to_string(), "c3:NW");
        assert!(position.play(position.parse_move("d4").unwrap()).is_err());
        assert_eq!(position.parse_move("e1").unwrap_err().to_string(), "e1 is outside the 4x4 board");
        let all: Position = "othello:4x4 X1X1/1OO1/4/4 X".parse().unwrap();
        assert!(matches!(all.parse_move("c3:N"), Err(ParseMoveError::NoDirections(_))));
        assert!(all.parse_move("c3").is_ok());
    }

    #[test]
    fn positions_round_trip() {
        let mut position = Position::start(Arc::new("traveller:4x4".parse().unwrap()));
        let mut seen = Vec::new();
        while let Some(&mv) = position.legal_moves().first() {
            seen.push(position.to_string());
            assert_eq!(seen.last().unwrap().parse::<Position>().as_ref(), Ok(&position));
            position = position.play(mv).unwrap();
        }
        assert_eq!(seen[0], "traveller:4x4 4/4/4/4 X hands=8/8 placing=4");
        assert_eq!(seen[2], "traveller:4x4 4/1XX1/4/4 O hands=6/8 placing=2");
        assert_eq!(seen[4], "traveller:4x4 4/1XX1/1OO1/4 X hands=6/6");
    }

    #[test]
    fn bad_positions_are_explained() {
        for (text, error) in [
            ("", "the rule set is missing"),
            ("othello", "the board is missing"),
            ("othello:4x4 4/4/4/4", "the side to move is missing"),
            ("othello:4x4 4/4/4 X", "board '4/4/4': 3 rows"),
            ("othello:4x4 4/4/4/4 Z", "side 'Z'"),
            ("othello:4x4 4/4/4/4 X hands=1/1", "'hands=1/1': these rules have no"),
            ("othello:4x4,own 4/1XO1/1OX1/4 X hands=1/1", "'hands=1/1': together"),
            ("othello:4x4,own 4/1XO1/1OX1/4 X hands=1", "'hands=1': expected two"),
            ("othello:4x4 4/1XO1/1OX1/4 X placing=2", "'placing=2': these rules"),
            ("traveller:4x4 4/1XO1/1OX1/4 X placing=2", "'placing=2': does not fit"),
            ("othello:4x4 4/4/4/4 X yes", "'yes': expected hands="),
        ] {
            let message = text.parse::<Position>().expect_err(text).to_string();
            assert!(message.starts_with(error), "{text}: {message}");
        }
    }
}
