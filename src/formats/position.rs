//! Positions from text of either kind: a board alone, for othello, or with its rules before it.

use std::str::FromStr;
use std::sync::Arc;

use super::board_text::{self, BoardTextError, BoardTextErrorKind};
use crate::rules::{ParsePositionError, Position, RuleSet};

/// The text is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// Begun as a board, it is none.
    #[error(transparent)]
    Board(#[from] BoardTextError),
    /// A board with more squares than othello's, which a text without rules is about.
    #[error("the board has more than 64 squares: name its rules before it, as in 'othello:10x10 BOARD X'")]
    TooLarge,
    /// Begun as rules, with a board to follow, it is not that.
    #[error(transparent)]
    WithRules(#[from] ParsePositionError),
}

/// Reads 64 squares and the side to move, in the forms of [`board_text`], as a position of othello; or rules, board and side as
/// [`Position`]'s `Display` writes them, or with the board in the forms of [`board_text`] and the letters of those rules.
///
/// ```
/// use outflank::Position;
/// let start = Position::default();
/// assert_eq!("---------------------------OX------XO--------------------------- X".parse(), Ok(start.clone()));
/// assert_eq!("othello 8/8/8/3OX3/3XO3/8/8/8 X".parse(), Ok(start));
/// let small: Position = "othello:6x6,fewest 6/6/2OX2/2XO2/6/6 X".parse()?;
/// assert_eq!(small.rules().rows(), 6);
/// let gold: Position = "ravensburger:4x4 ---- -BG- -GB- ---- G".parse()?;
/// assert_eq!(gold, "ravensburger:4x4 4/1OX1/1XO1/4 X".parse()?);
/// # Ok::<(), outflank::formats::PositionError>(())
/// ```
impl FromStr for Position {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Position, PositionError> {
        if !begins_with_board(text) {
            return with_rules(text);
        }
        board_text::parse(text, &Arc::new(RuleSet::othello())).map_err(|error| match &error.kind {
            BoardTextErrorKind::TooLong { .. } => PositionError::TooLarge,
            // a side to move is one character alone
            BoardTextErrorKind::Trailing { found, .. }
                if first_word(found).chars().count() > 1 && begins_with_board(found) =>
            {
                PositionError::TooLarge
            }
            _ => PositionError::Board(error),
        })
    }
}

/// Rules, then a board: its rows between slashes with numbers for empty squares, or every square in the rule set's letters.
fn with_rules(text: &str) -> Result<Position, PositionError> {
    let rules = first_word(text);
    let board = text.trim_start()[rules.len()..].trim_start();
    let word = first_word(board);
    if word.is_empty() || word.contains('/') {
        return Ok(Position::from_text_with_rules(text)?);
    }
    let rules = rules.parse::<RuleSet>().map_err(ParsePositionError::Rules)?;
    let offset = board.as_ptr() as usize - text.as_ptr() as usize;
    // blanks keep the columns of errors right
    let blanks: String = text[..offset].chars().map(|c| if c == '\n' { c } else { ' ' }).collect();
    Ok(board_text::parse(&(blanks + board), &Arc::new(rules))?)
}

/// A row, or the number of a row or letter of a column beside it: rules have longer names of other letters.
fn begins_with_board(text: &str) -> bool {
    let word = first_word(text);
    word.chars().count() == 1 || !word.is_empty() && word.chars().all(|c| "XxOo*BbWw-._/".contains(c))
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_read() {
        let start = Position::default();
        let board = board_text::write(&start);
        for text in [board.as_str(), &board[..64], &start.to_string(), &format!(" {board}\n")] {
            assert_eq!(text.parse(), Ok(start.clone()), "{text}");
        }
        let diagram = "  A B C D E F G H\n1 - - - - - - - -\n2 - - - - - - - -\n3 - - - - - - - -\n4 - - - O X - - -\n\
                       5 - - - X O - - -\n6 - - - - - - - -\n7 - - - - - - - -\n8 - - - - - - - - X";
        assert_eq!(diagram.parse(), Ok(start));
    }

    #[test]
    fn other_sizes_and_nonsense_are_named() {
        let error = |text: &str| text.parse::<Position>().expect_err(text).to_string();
        assert_eq!(error(&"-".repeat(36)), "line 1, column 37: the board has 36 squares, not 64");
        assert!(error(&format!("{} X", "-".repeat(100))).starts_with("the board has more than 64 squares"));
        assert!(error(&format!("{} X X", "-".repeat(64))).contains("only the side to move"));
        assert!(error(&format!("{} é", "-".repeat(64))).contains("only the side to move"));
        assert!(error("").contains("the rule set is missing"));
        assert!(error("chess 8/8 X").contains("chess"));
    }
}
