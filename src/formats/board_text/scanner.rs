//! Reads the squares of a board, however they are laid out.

use crate::rules::{Bits, Letter, Letters, Point, RuleSet, Spelling};

use super::diagram::{disc_counts, is_header};
use super::{BoardTextError, BoardTextErrorKind, is_square, side_to_move};
use crate::formats::Location;

/// A row number and the number of complete rows before it.
struct RowNumber {
    offset: usize,
    rows_before: usize,
    value: usize,
}

/// The squares of a line or between two slashes, as far as they have been read.
#[derive(Clone, Copy, Default)]
struct Row {
    /// Of the line, from 0.
    line: usize,
    squares: usize,
    /// Groups of squares without a blank between them.
    groups: usize,
}

/// Reads the squares of a board in one pass.
pub(super) struct Scanner<'a> {
    text: &'a str,
    rules: &'a RuleSet,
    letters: Letters,
    spelling: Spelling,
    pub offset: usize,
    rows: usize,
    columns: usize,
    cells: Vec<Letter>,
    numbers: Vec<RowNumber>,
    /// Lines before the offset, and whether only blanks stand before it in its line.
    line: usize,
    line_begins: bool,
    /// Lines (not parts between slashes) that have squares, complete ones only.
    lines: Vec<Row>,
    /// The present one.
    in_line: Row,
    /// Since the last line break or slash.
    in_row: Row,
    /// Squares since the last blank, row number or frame.
    group: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str, rules: &'a RuleSet) -> Scanner<'a> {
        Scanner {
            text,
            rules,
            letters: rules.letters(),
            spelling: Spelling::default(),
            offset: 0,
            rows: rules.rows() as usize,
            columns: rules.columns() as usize,
            cells: Vec::with_capacity(rules.cells() as usize),
            numbers: Vec::new(),
            line: 0,
            line_begins: true,
            lines: Vec::new(),
            in_line: Row::default(),
            in_row: Row::default(),
            group: 0,
        }
    }

    fn error(&self, offset: usize, kind: BoardTextErrorKind) -> BoardTextError {
        BoardTextError { at: Location::of(self.text, offset), kind }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    /// Reads squares until the board is full.
    pub fn board(&mut self) -> Result<(), BoardTextError> {
        while self.cells.len() < self.rows * self.columns {
            if self.skip_decoration() {
                continue;
            }
            let Some(c) = self.rest().chars().next() else { return Err(self.too_short(self.cells.len())) };
            match self.letters.read(c) {
                // the side, spelled out
                Some(_)
                    if self.group == 0
                        && side_to_move(self.rest(), self.rules).is_some_and(|(_, length)| length > c.len_utf8()) =>
                {
                    return Err(self.too_short(self.cells.len()));
                }
                Some(Letter::Hash) if !is_square('#', self.rules) => return Err(self.not_a_square(c)),
                Some(square) => {
                    if let Letter::Disc(_) = square {
                        self.note(c, self.offset)?;
                    }
                    self.square(square);
                }
                None if c == '/' && self.at_row_end() => self.in_row = Row::default(),
                None if c == '/' => {
                    let (row, found) = (self.cells.len() / self.columns + 1, self.cells.len() % self.columns);
                    let kind = BoardTextErrorKind::RowLength { row, found, expected: self.columns };
                    return Err(self.error(self.offset, kind));
                }
                None if c.is_ascii_digit() => {
                    let kind = BoardTextErrorKind::RowNumber(self.digits().to_string());
                    return Err(self.error(self.offset, kind));
                }
                None => return Err(self.not_a_square(c)),
            }
            self.group = if c == '/' { 0 } else { self.group };
            self.line_begins = false;
            self.offset += c.len_utf8();
        }
        Ok(())
    }

    fn not_a_square(&self, c: char) -> BoardTextError {
        let kind = BoardTextErrorKind::NotASquare { found: c.to_string(), letters: self.letters };
        self.error(self.offset, kind)
    }

    /// Takes note of the spelling of a disc or a side.
    pub fn note(&mut self, c: char, offset: usize) -> Result<(), BoardTextError> {
        let noted = self.spelling.note(&self.letters, c);
        noted.map_err(|mixed| self.error(offset, mixed.into()))
    }

    /// The discs of the board that was read.
    pub fn discs(&self, upside_down: bool, rules: &RuleSet) -> Result<[Bits; 2], BoardTextError> {
        let holes = rules.holes();
        let mut discs = [Bits::EMPTY; 2];
        let wrong =
            |kind| Err(self.error(self.text.trim_start().as_ptr() as usize - self.text.as_ptr() as usize, kind));
        for (i, cell) in self.cells.iter().enumerate() {
            let (row, column) = (i / self.columns, (i % self.columns) as u8);
            let row = if upside_down { self.rows - 1 - row } else { row } as u8;
            let point = Point { row, column };
            match cell {
                Letter::Disc(_) if holes.contains(point) => return wrong(BoardTextErrorKind::DiscInHole(point)),
                Letter::Disc(color) => discs[color.index()].insert(point),
                Letter::Hash if !holes.contains(point) && !self.letters.hash_is_empty() => {
                    return wrong(BoardTextErrorKind::NoHole(point));
                }
                Letter::Hash | Letter::Empty => {}
            }
        }
        Ok(discs)
    }

    fn square(&mut self, square: Letter) {
        self.cells.push(square);
        self.group += 1;
        for row in [&mut self.in_line, &mut self.in_row] {
            row.line = self.line;
            row.squares += 1;
            row.groups += usize::from(self.group == 1);
        }
    }

    fn at_row_end(&self) -> bool {
        self.cells.len().is_multiple_of(self.columns)
    }

    fn digits(&self) -> &'a str {
        let rest = self.rest();
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        &rest[..count]
    }

    /// Skips a blank, a frame, a bracket of the last move, a row number or a header line; false when there is none of them.
    fn skip_decoration(&mut self) -> bool {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return false };
        let closes = || self.group == 1 && self.text[..self.offset].chars().rev().nth(1) == Some('[');
        let is_bracket = c == '[' && rest.chars().nth(2) == Some(']') || c == ']' && closes();
        if c.is_whitespace() || c == '|' || is_bracket {
            self.offset += c.len_utf8();
            self.group = 0;
            if c == '\n' {
                self.end_line();
            }
            return true;
        }
        // looked at once a line, so that the whole text is read once or twice
        if std::mem::take(&mut self.line_begins) {
            let line = rest.split('\n').next().unwrap_or(rest);
            if is_header(line, self.columns) {
                self.offset += line.len();
                return true;
            }
        }
        let digits = self.digits();
        if digits.is_empty() || !self.at_row_end() {
            return false;
        }
        // a number too long to read fits nowhere
        let value = digits.parse().unwrap_or(usize::MAX);
        self.numbers.push(RowNumber { offset: self.offset, rows_before: self.cells.len() / self.columns, value });
        self.offset += digits.len();
        self.group = 0;
        true
    }

    fn end_line(&mut self) {
        let row = std::mem::take(&mut self.in_line);
        // after the last square the rows stay as they are
        if row.squares > 0 {
            self.lines.push(row);
        }
        if self.cells.len() < self.rows * self.columns {
            self.in_row = Row::default();
        }
        self.line += 1;
        self.line_begins = true;
    }

    /// Skips what may follow the last square of a diagram.
    pub fn rest_of_diagram(&mut self) {
        let group = self.group;
        while disc_counts(self.rest()) == 0 && self.skip_decoration() {}
        self.offset += disc_counts(self.rest());
        self.group = group;
    }

    /// Refuses a board whose last square can only be the side to move, and lines that are not the rows.
    pub fn check_rows(&mut self, has_side: bool) -> Result<(), BoardTextError> {
        self.end_line();
        let alone = self.group == 1 && matches!(self.cells.last(), Some(Letter::Disc(_)));
        let Row { squares, groups, .. } = self.in_row;
        // squares that all stand apart, in rows that are complete or with the side after them
        let apart = groups == squares && (has_side || squares == self.columns);
        if alone && !apart {
            if let Some(last) = self.lines.last_mut() {
                last.squares -= 1;
            }
            return Err(self.too_short(self.cells.len() - 1));
        }
        match self.wrong_line() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Rows have numbers.
    pub fn has_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// The rows are numbered downwards to 1: the first one read is the last of the board.
    pub fn upside_down(&self) -> Result<bool, BoardTextError> {
        let ascending = |n: &RowNumber| n.value == n.rows_before || n.value == n.rows_before + 1;
        let descending = |n: &RowNumber| {
            let left = self.rows - n.rows_before;
            n.value == left || n.value == left + 1
        };
        let Some(odd) = self.numbers.iter().find(|n| !ascending(n)) else { return Ok(false) };
        match self.numbers.iter().find(|n| !descending(n)) {
            None => Ok(true),
            Some(other) => {
                // the later one contradicts what was clear before it
                let bad = if odd.offset > other.offset { odd } else { other };
                let kind = BoardTextErrorKind::RowNumber(bad.value.to_string());
                Err(self.error(bad.offset, kind))
            }
        }
    }

    /// The row at fault, when the lines are the rows.
    fn wrong_line(&self) -> Option<BoardTextError> {
        if self.lines.len() != self.rows {
            return None;
        }
        let (row, line) = self.lines.iter().enumerate().find(|(_, line)| line.squares != self.columns)?;
        let kind = BoardTextErrorKind::RowLength { row: row + 1, found: line.squares, expected: self.columns };
        Some(BoardTextError { at: Location { line: line.line + 1, column: 1 }, kind })
    }

    /// The text ended after `found` squares.
    fn too_short(&mut self, found: usize) -> BoardTextError {
        self.end_line();
        // a side on a line of its own is no row
        self.lines.retain(|line| line.squares > 0);
        let kind = BoardTextErrorKind::TooShort { found, expected: self.rows * self.columns };
        self.wrong_line().unwrap_or_else(|| self.error(self.text.trim_end().len(), kind))
    }
}
