//! The boards of rule sets and positions as text: rows between slashes, with numbers for empty squares.

use crate::plain::quote;
use crate::rules::{Bits, Letter, Point, RuleSet, Spelling};

/// What the rows of a board say.
pub(super) struct Cells {
    pub discs: [Bits; 2],
    /// Squares written `#`.
    pub hashes: Bits,
}

/// Reads the rows of a board (see the [module](super)).
pub(super) fn parse_cells(text: &str, rules: &RuleSet) -> Result<Cells, String> {
    let (rows, columns) = (rules.rows, rules.columns);
    let letters = rules.letters();
    let mut spelling = Spelling::default();
    let mut cells = Cells { discs: [Bits::EMPTY; 2], hashes: Bits::EMPTY };
    let lines: Vec<&str> = text.split('/').collect();
    if lines.len() != rows as usize {
        return Err(format!("the board has {rows} rows, not {}", lines.len()));
    }
    for (row, line) in (0..rows).zip(lines) {
        let mut column = 0u32;
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let mut width = 1;
            let point = Point { row, column: column.min(15) as u8 };
            if digits > 0 {
                // more digits than any board has squares: surely too wide
                width = if digits <= 3 { rest[..digits].parse::<u32>().unwrap_or(999) } else { 999 };
            } else {
                match letters.read(c) {
                    _ if column >= columns as u32 => {}
                    Some(Letter::Disc(color)) => {
                        spelling.note(&letters, c).map_err(|mixed| mixed.to_string())?;
                        cells.discs[color.index()].insert(point);
                    }
                    Some(Letter::Hash) => cells.hashes.insert(point),
                    Some(Letter::Empty) => {}
                    None => {
                        return Err(format!(
                            "{} in row {}: expected {letters}, or a number of empty squares",
                            quote(c.encode_utf8(&mut [0; 4])),
                            row + 1
                        ));
                    }
                }
            }
            column += width;
            rest = &rest[digits.max(c.len_utf8())..];
        }
        if column != columns as u32 {
            return Err(format!("row {} ({}) does not have {columns} squares", row + 1, quote(line)));
        }
    }
    Ok(cells)
}

/// Reads the rows of a board under its rules: the first player's discs and the second's, or what is wrong.
pub(in crate::rules) fn parse_board(text: &str, rules: &RuleSet) -> Result<(Bits, Bits), String> {
    let Cells { discs: [black, white], hashes } = parse_cells(text, rules)?;
    let holes = rules.holes();
    let no_hole = hashes & !holes;
    match (no_hole.iter().next(), ((black | white) & holes).iter().next()) {
        (Some(point), _) if !rules.letters().hash_is_empty() => {
            Err(format!("'#' is a hole, but these rules have none on {point}"))
        }
        (_, Some(point)) => Err(format!("a disc on {point}, which is a hole of this board")),
        _ => Ok((black, white)),
    }
}

/// The rows of a board in the form that [`parse_board`] reads, in `X`, `O` and `#` for these holes; without them they are
/// counted with the empty squares.
pub(in crate::rules) fn board_text(black: Bits, white: Bits, holes: Bits, rules: &RuleSet) -> String {
    let line = |row| {
        let mut text = String::new();
        let mut empty = 0;
        for column in 0..rules.columns {
            let point = Point { row, column };
            let sign = match (black.contains(point), white.contains(point), holes.contains(point)) {
                (true, ..) => 'X',
                (_, true, _) => 'O',
                (.., true) => '#',
                _ => {
                    empty += 1;
                    continue;
                }
            };
            if empty > 0 {
                text += &empty.to_string();
            }
            empty = 0;
            text.push(sign);
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        text
    };
    (0..rules.rows).map(line).collect::<Vec<String>>().join("/")
}
