//! Boards as the GGS server shows them: every line behind a bar, black as `*`, and who is to move below.
//!
//! ```text
//! |   A B C D E F G H
//! | 1 - - - - - - - - 1
//! ...
//! | 8 - - - - - - - - 8
//! |   A B C D E F G H
//! |
//! |* to move
//! ```

use std::fmt::Write as _;
use std::sync::Arc;

use crate::rules::{Color, Point, Position, RuleSet};

use super::board_text::{self, BoardTextErrorKind, DiagramLine, diagram_line};

/// What the line that completes a board ends with.
const TO_MOVE: &str = "to move";

/// There is a line behind a bar that says who is to move: rows alone could be those of any diagram.
pub(crate) fn looks_like(text: &str) -> bool {
    text.lines().any(|line| line.trim().strip_prefix('|').is_some_and(|line| line.trim_end().ends_with(TO_MOVE)))
}

/// Collects the lines of one board after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoardLines {
    /// The rows seen since the last board, as text.
    rows: Vec<String>,
}

impl BoardLines {
    /// Takes a line without its bar. A board is complete with the line that says who is to move; other lines (clocks, names)
    /// mean nothing here.
    pub fn take(&mut self, line: &str, rules: &Arc<RuleSet>) -> Option<Result<Position, BoardTextErrorKind>> {
        let line = line.trim();
        if let Some(side) = line.strip_suffix(TO_MOVE) {
            let board = std::mem::take(&mut self.rows).join("\n");
            let text = format!("{board}\n{}", side.trim());
            return (!board.is_empty()).then(|| board_text::parse(&text, rules).map_err(|error| error.kind));
        }
        if diagram_line(line, rules) == DiagramLine::Row {
            self.rows.push(line.to_string());
            // never more than a board: the last rows are those that count
            if self.rows.len() > usize::from(rules.rows()) {
                self.rows.remove(0);
            }
        }
        None
    }
}

/// A position as lines of the server.
pub fn write(position: &Position) -> String {
    let rules = position.rules();
    let letters: String = (0..rules.columns()).map(|column| format!(" {}", char::from(b'A' + column))).collect();
    let sign = |color| if color == Color::Black { '*' } else { 'O' };
    let mut text = format!("|  {letters}\n");
    for row in 0..rules.rows() {
        let _ = write!(text, "|{:>2}", row + 1);
        for column in 0..rules.columns() {
            let _ = write!(text, " {}", position.disc_at(Point { row, column }).map_or('-', sign));
        }
        let _ = writeln!(text, " {}", row + 1);
    }
    let _ = writeln!(text, "|  {letters}\n|\n|{} to move", sign(position.side_to_move()));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::transcript;

    #[test]
    fn boards_are_read_back_among_other_lines() {
        let rules = Arc::new(RuleSet::othello());
        let game = transcript::parse(&Position::default(), "f5d6c3").unwrap();
        let text = format!("|0 move(s)\n|alice 1720.0 * 05:00\n{}", write(game.position()));
        let mut lines = BoardLines::default();
        let found: Vec<_> = text.lines().filter_map(|line| lines.take(line.trim_start_matches('|'), &rules)).collect();
        assert_eq!(found, [Ok(game.position().clone())]);
        assert!(lines.take("* to move", &rules).is_none(), "no rows, no board");
        let short: Vec<_> = text.lines().filter(|line| !line.starts_with("| 4")).collect();
        let found: Vec<_> = short.iter().filter_map(|line| lines.take(line.trim_start_matches('|'), &rules)).collect();
        assert!(matches!(found[..], [Err(_)]), "{found:?}");
    }
}
