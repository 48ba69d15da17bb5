//! Which lines of a text belong to the picture of a board.

use crate::rules::RuleSet;

use super::{GAME_OVER, is_square, side_to_move};

/// What a line of text can be in a diagram of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::formats) enum DiagramLine {
    /// The squares of one row.
    Row,
    /// A row and something more, such as the side to move.
    LastRow,
    /// The column letters.
    Header,
    /// Nothing but a bar, as below the boards of the GGS server.
    Frame,
    /// The side to move, perhaps with more.
    Side,
    /// No part of a diagram.
    Other,
}

/// What a line of text can be in a diagram.
pub(in crate::formats) fn diagram_line(line: &str, rules: &RuleSet) -> DiagramLine {
    let columns = rules.columns() as usize;
    if is_header(line, columns) {
        return DiagramLine::Header;
    }
    if line.trim() == "|" {
        return DiagramLine::Frame;
    }
    let counts = disc_counts(line.trim_start());
    let after = &line.trim_start()[counts..];
    if counts > 0 && (after.starts_with(GAME_OVER) || side_to_move(after, rules).is_some()) {
        return DiagramLine::Side;
    }
    let is_frame = |c: char| c.is_whitespace() || matches!(c, '|' | '[' | ']') || c.is_ascii_digit();
    let line = line.trim_matches(|c| is_frame(c) || c == '/');
    let squares_and_more = || line.chars().filter(|c| !is_frame(*c));
    let squares = squares_and_more().take_while(|c| is_square(*c, rules)).count();
    if squares == columns && squares_and_more().count() == squares {
        DiagramLine::Row
    } else if squares == columns || squares == columns + 1 {
        DiagramLine::LastRow
    } else if squares <= 1 && side_to_move(line, rules).is_some() {
        DiagramLine::Side
    } else {
        DiagramLine::Other
    }
}

/// The line names the columns: `a b c ...`.
pub(super) fn is_header(line: &str, columns: usize) -> bool {
    let letters = line.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'|');
    letters.map(|byte| byte.to_ascii_lowercase()).eq((b'a'..).take(columns))
}

/// The length of the numbers of discs before the side at the beginning of a text: `5-2, white to move`.
pub(super) fn disc_counts(text: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let black = digits(text);
    let Some(rest) = text[black..].strip_prefix('-').filter(|_| black > 0) else { return 0 };
    let white = digits(rest);
    if white > 0 && rest[white..].starts_with(", ") { black + white + "-, ".len() } else { 0 }
}

/// The line is (or begins with) squares although it begins with `#`, which is a comment elsewhere: a row of the board, or all
/// of them. So it is only under rules that write `#` on their boards.
pub(in crate::formats) fn is_row(line: &str, rules: &RuleSet) -> bool {
    if !is_square('#', rules) {
        return false;
    }
    let word = line.split_whitespace().next().unwrap_or_default();
    let whole = word.chars().take_while(|c| is_square(*c, rules)).count() >= rules.cells() as usize;
    whole || matches!(diagram_line(line, rules), DiagramLine::Row | DiagramLine::LastRow)
}
