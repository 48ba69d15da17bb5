//! Positions as text, with their rules.
//!
//! A position is `RULES BOARD SIDE [hands=BLACK/WHITE] [placing=N]`: the rules and the board in the forms of
//! [`text`](super::text), `X` or `O` to move, and what the board does not show: the discs in hand under own supply and
//! how many discs of the placement phase are still to come.

use std::fmt;
use std::sync::Arc;

use super::text::{ParseRulesError, board_text, parse_board};
use super::{Color, Letter, Position, RuleSet, Spelling, Start, Supply};
use crate::plain::quote;

/// The text is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParsePositionError {
    /// The rules are wrong.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// A field is missing.
    #[error("the {0} is missing: expected RULES BOARD SIDE")]
    Missing(&'static str),
    /// The board is wrong.
    #[error("board {board}: {1}", board = quote(.0))]
    Board(String, String),
    /// Not one of the players' letters.
    #[error("side {side}: {1}", side = quote(.0))]
    Side(String, String),
    /// A field after the side that means nothing (under these rules), or whose numbers are impossible.
    #[error("{field}: {1}", field = quote(.0))]
    Field(String, &'static str),
}

impl Position {
    /// Reads `RULES BOARD SIDE [hands=BLACK/WHITE] [placing=N]`. Without `hands=` the discs on the board are taken to have
    /// been placed by both players in turn, as in [`Position::from_discs`].
    pub(crate) fn from_text_with_rules(text: &str) -> Result<Position, ParsePositionError> {
        let mut fields = text.split_whitespace();
        let rules: RuleSet = fields.next().ok_or(ParsePositionError::Missing("rule set"))?.parse()?;
        let board = fields.next().ok_or(ParsePositionError::Missing("board"))?;
        let (black, white) =
            parse_board(board, &rules).map_err(|problem| ParsePositionError::Board(board.to_string(), problem))?;
        let side = fields.next().ok_or(ParsePositionError::Missing("side to move"))?;
        let side =
            side_of(board, side, &rules).map_err(|problem| ParsePositionError::Side(side.to_string(), problem))?;
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
                    wrong("together both must have as many discs as there are empty squares, and each at most half the board")
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

/// The side that a letter of these rules stands for, in the spelling of the board.
fn side_of(board: &str, side: &str, rules: &RuleSet) -> Result<Color, String> {
    let letters = rules.letters();
    let mut chars = side.chars();
    let expected = || format!("expected {}", letters.sides());
    let (Some(c), None) = (chars.next(), chars.next()) else { return Err(expected()) };
    let Some(Letter::Disc(color)) = letters.read(c) else { return Err(expected()) };
    let mut spelling = Spelling::default();
    let discs = board.chars().filter(|c| matches!(letters.read(*c), Some(Letter::Disc(_))));
    discs.chain([c]).try_for_each(|c| spelling.note(&letters, c)).map_err(|mixed| mixed.to_string())?;
    Ok(color)
}

/// `RULES BOARD SIDE [hands=BLACK/WHITE] [placing=N]`, rules and board as in [`text`](super::text).
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = self.rules();
        let board = board_text(self.discs(Color::Black), self.discs(Color::White), rules.holes(), rules);
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
    fn positions_round_trip() {
        let mut position = Position::start(Arc::new("traveller:4x4".parse().unwrap()));
        let mut seen = Vec::new();
        while let Some(&mv) = position.legal_moves().first() {
            seen.push(position.to_string());
            assert_eq!(Position::from_text_with_rules(seen.last().unwrap()).as_ref(), Ok(&position));
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
            ("othello:4x4 4/4/4 X", "board '4/4/4': the board has 4 rows, not 3"),
            ("othello:4x4 4/4/4/4 Z", "side 'Z'"),
            ("othello:4x4 4/4/4/4 X hands=1/1", "'hands=1/1': these rules have no"),
            ("othello:4x4,own 4/1XO1/1OX1/4 X hands=1/1", "'hands=1/1': together"),
            ("othello:4x4,own 4/1XO1/1OX1/4 X hands=1", "'hands=1': expected two"),
            ("othello:4x4 4/1XO1/1OX1/4 X placing=2", "'placing=2': these rules"),
            ("traveller:4x4 4/1XO1/1OX1/4 X placing=2", "'placing=2': does not fit"),
            ("othello:4x4 4/4/4/4 X yes", "'yes': expected hands="),
            (
                "othello:4x4,holes=a1 #2#/1XO1/1OX1/4 X",
                "board '#2#/1XO1/1OX1/4': '#' is a hole, but these rules have none on d1",
            ),
            ("othello:4x4,holes=a1 X3/1XO1/1OX1/4 X", "board 'X3/1XO1/1OX1/4': a disc on a1, which is a hole of"),
            ("othello:4x4,holes=a1 O3/1XO1/1OX1/4 X", "board 'O3/1XO1/1OX1/4': a disc on a1, which is a hole of"),
        ] {
            let message = Position::from_text_with_rules(text).expect_err(text).to_string();
            assert!(message.starts_with(error), "{text}: {message}");
        }
    }
}
