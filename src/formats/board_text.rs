//! Positions as text: the squares row by row, then the side to move.
//!
//! Reading accepts `X x * B b` for black, `O o W w` for white and `- . _` for an empty square; blanks and line
//! breaks anywhere; rows separated by `/`; row numbers at either end of a row (counting down from the top row
//! they turn the board round: `1` is always the row of `a1`); header lines with the column letters. The side
//! follows as one of the disc characters or as `black` / `white`; without it black is to move.
//!
//! A board has exactly its squares. Side and squares share their letters, so a board that lacks a square could pass for
//! one without a side; therefore a last disc that stands apart from the squares before it is not taken for a square,
//! and as many lines as the board has rows must be its rows.
//!
//! Writing gives `X`, `O` and `-` on one line, which everyone reads.
//!
//! Under own supply `hands=BLACK/WHITE` follows the side where the discs in hand are not those that the board suggests
//! (see [`Position::from_discs`]): after passes, one side has placed more discs than the other.

use std::sync::Arc;

use crate::rules::{Bits, Color, Move, Point, Position, RuleSet, Start};

use super::{Location, quote};

/// Where and why a text is not a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {kind}")]
pub struct BoardTextError {
    /// Where in the text.
    pub at: Location,
    /// What is wrong there.
    pub kind: BoardTextErrorKind,
}

/// What is wrong with the text of a position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BoardTextErrorKind {
    /// The text ends before the board is full.
    #[error("the board has {found} squares, not {expected}")]
    TooShort {
        /// Squares read.
        found: usize,
        /// Squares of the board.
        expected: usize,
    },
    /// A row of a diagram is too short or too long.
    #[error("row {row} has {found} squares, not {expected}")]
    RowLength {
        /// The row, from 1.
        row: usize,
        /// Squares read.
        found: usize,
        /// Squares of a row.
        expected: usize,
    },
    /// A character that is no square.
    #[error("{} is not a square (X, O or -)", quote(.0))]
    NotASquare(String),
    /// A number inside a row, or one that does not fit the rows around it.
    #[error("{} is not a row number that fits here", quote(.0))]
    RowNumber(String),
    /// The text goes on after the board, with something other than a side.
    #[error("{} follows the board, where only the side to move (X or O) is expected", quote(.0))]
    Trailing(String),
    /// The side to move is not there, and has to be.
    #[error("the side to move (X or O) is missing after the board")]
    NoSide,
    /// Discs in hand that these rules do not have or that do not fit the board.
    #[error(
        "{} does not fit: under own supply both numbers together are the empty squares, each at most half the board",
        quote(.0)
    )]
    Hands(String),
    /// Not the side whose turn it is to place a disc on the centre.
    #[error("{} to move, but the discs on the centre say otherwise", .0.name())]
    PlacementSide(Color),
}

/// Reads a position under a rule set; nothing may follow it.
///
/// # Errors
/// [`BoardTextError`] with the place of the first thing wrong.
///
/// ```
/// use std::sync::Arc;
/// use outflank::{formats::board_text, rules::RuleSet};
/// let text = "---------------------------OX------XO--------------------------- X";
/// let position = board_text::parse(text, &Arc::new(RuleSet::othello())).unwrap();
/// assert_eq!(board_text::write(&position), text);
/// ```
pub fn parse(text: &str, rules: &Arc<RuleSet>) -> Result<Position, BoardTextError> {
    let (position, length) = parse_prefix(text, rules)?;
    let rest = text[length..].trim_start();
    if rest.is_empty() {
        return Ok(position);
    }
    let kind = BoardTextErrorKind::Trailing(rest.trim_end().to_string());
    Err(BoardTextError { at: Location::of(text, text.len() - rest.len()), kind })
}

/// Reads a position at the beginning of a text; returns it with the number of bytes read, the side to move
/// included where one is given.
///
/// # Errors
/// As [`parse`], except that anything may follow the position.
pub fn parse_prefix(text: &str, rules: &Arc<RuleSet>) -> Result<(Position, usize), BoardTextError> {
    read(text, rules, false)
}

/// Reads the position at the beginning of a command's words, which must have the side to move, joined to the squares or
/// apart; returns it with the number of words read.
///
/// # Errors
/// As [`parse`], with columns in the words joined by single blanks, and [`BoardTextErrorKind::NoSide`].
pub fn parse_words(words: &[&str], rules: &Arc<RuleSet>) -> Result<(Position, usize), BoardTextError> {
    let text = words.join(" ");
    let (position, length) = read(&text, rules, true)?;
    let rest = &text[length..];
    if !rest.is_empty() && !rest.starts_with(' ') {
        return Err(BoardTextError {
            at: Location::of(&text, length),
            kind: BoardTextErrorKind::Trailing(rest.to_string()),
        });
    }
    Ok((position, text[..length].split(' ').count()))
}

fn read(text: &str, rules: &Arc<RuleSet>, needs_side: bool) -> Result<(Position, usize), BoardTextError> {
    let mut scanner = Scanner::new(text, rules);
    scanner.board()?;
    let board_end = scanner.offset;
    scanner.rest_of_diagram();
    let (side, length) = match side_to_move(&text[scanner.offset..]) {
        Some((side, length)) => (Some(side), scanner.offset + length),
        None if scanner.offset == text.len() => (None, scanner.offset),
        None => (None, board_end),
    };
    scanner.check_rows(side.is_some())?;
    if needs_side && side.is_none() {
        return Err(BoardTextError { at: Location::of(text, board_end), kind: BoardTextErrorKind::NoSide });
    }
    let upside_down = scanner.upside_down()?;
    let mut discs = [Bits::EMPTY; 2];
    for (i, cell) in scanner.cells.iter().enumerate() {
        if let Some(color) = cell {
            let (row, column) = (i / scanner.columns, (i % scanner.columns) as u8);
            let row = if upside_down { rules.rows() as usize - 1 - row } else { row } as u8;
            discs[color.index()].insert(Point { row, column });
        }
    }
    match build(rules, discs, side) {
        Ok(position) => with_hands(position, text, length),
        Err(kind) => Err(BoardTextError { at: Location::of(text, length - usize::from(side.is_some())), kind }),
    }
}

/// Reads `hands=BLACK/WHITE` at an offset, if it is there; returns the position with the offset of what follows.
fn with_hands(position: Position, text: &str, offset: usize) -> Result<(Position, usize), BoardTextError> {
    let rest = text[offset..].trim_start();
    if !rest.starts_with("hands=") {
        return Ok((position, offset));
    }
    let start = text.len() - rest.len();
    let token = rest.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or(rest);
    match parse_hands(&position, &token["hands=".len()..]) {
        Some(position) => Ok((position, start + token.len())),
        None => {
            Err(BoardTextError { at: Location::of(text, start), kind: BoardTextErrorKind::Hands(token.to_string()) })
        }
    }
}

/// The position with the discs in hand in `12/10`; `None` when they do not fit.
pub(super) fn parse_hands(position: &Position, text: &str) -> Option<Position> {
    let (black, white) = text.split_once('/')?;
    position.with_hands(black.parse().ok()?, white.parse().ok()?)
}

/// `12/10`, where the discs in hand are not those that discs and side suggest.
pub(super) fn hands(position: &Position) -> Option<String> {
    let (black, white) = (position.in_hand(Color::Black)?, position.in_hand(Color::White)?);
    let discs = [position.discs(Color::Black), position.discs(Color::White)];
    let suggested = build(position.rules(), discs, Some(position.side_to_move()));
    suggested.is_ok_and(|suggested| suggested != *position).then(|| format!("{black}/{white}"))
}

/// A position as text: squares row by row in `X`, `O`, `-`, a blank, the side to move, and what else is needed.
pub fn write(position: &Position) -> String {
    let rules = position.rules();
    let mut text = String::with_capacity(rules.squares() as usize + 2);
    for row in 0..rules.rows() {
        for column in 0..rules.columns() {
            text.push(match position.disc_at(Point { row, column }) {
                Some(color) => disc_char(color),
                None => '-',
            });
        }
    }
    text.push(' ');
    text.push(disc_char(position.side_to_move()));
    if let Some(hands) = hands(position) {
        text += " hands=";
        text += &hands;
    }
    text
}

/// `X` or `O`.
const fn disc_char(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
    }
}

/// What a character says about a square: a disc, or nothing on it; `None` when it is no square.
pub(super) const fn square_of(c: char) -> Option<Option<Color>> {
    match c {
        'X' | 'x' | '*' | 'B' | 'b' => Some(Some(Color::Black)),
        'O' | 'o' | 'W' | 'w' => Some(Some(Color::White)),
        '-' | '.' | '_' => Some(None),
        _ => None,
    }
}

/// The side at the beginning of a text, with its length.
fn side_to_move(text: &str) -> Option<(Color, usize)> {
    let length = text.find(|c: char| !c.is_alphanumeric() && c != '*').unwrap_or(text.len());
    let word = &text[..length];
    let mut chars = word.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return Some((square_of(c)??, length));
    }
    let color = [Color::Black, Color::White].into_iter().find(|color| word.eq_ignore_ascii_case(color.name()))?;
    Some((color, length))
}

/// The position with these discs; in the placement phase if the rules have one and it is not over.
pub(super) fn build(
    rules: &Arc<RuleSet>,
    discs: [Bits; 2],
    side: Option<Color>,
) -> Result<Position, BoardTextErrorKind> {
    if let Some(position) = placement(rules, discs) {
        return match side {
            Some(side) if side != position.side_to_move() => Err(BoardTextErrorKind::PlacementSide(side)),
            _ => Ok(position),
        };
    }
    let side = side.unwrap_or(Color::Black);
    Ok(Position::from_discs(rules.clone(), discs[0], discs[1], side).expect("each square was read once"))
}

/// Plays the placement phase up to these discs, if they belong to one.
fn placement(rules: &Arc<RuleSet>, discs: [Bits; 2]) -> Option<Position> {
    if *rules.start() != Start::Placement || discs[0].count() + discs[1].count() >= 4 {
        return None;
    }
    let mut position = Position::start(rules.clone());
    for at in discs.into_iter().flat_map(Bits::iter) {
        position = position.play(Move::Place { at, direction: None }).ok()?;
    }
    (discs == [position.discs(Color::Black), position.discs(Color::White)]).then_some(position)
}

/// What a line of text can be in a diagram of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum DiagramLine {
    /// The squares of one row.
    Row,
    /// A row and something more, such as the side to move.
    LastRow,
    /// The column letters.
    Header,
    /// The side to move, perhaps with more.
    Side,
    /// No part of a diagram.
    Other,
}

/// What a line of text can be in a diagram.
pub(super) fn diagram_line(line: &str, rules: &RuleSet) -> DiagramLine {
    let columns = rules.columns() as usize;
    if is_header(line, columns) {
        return DiagramLine::Header;
    }
    let is_frame = |c: char| c.is_whitespace() || c == '|' || c.is_ascii_digit();
    let line = line.trim_matches(|c| is_frame(c) || c == '/');
    let squares_and_more = || line.chars().filter(|c| !is_frame(*c));
    let squares = squares_and_more().take_while(|c| square_of(*c).is_some()).count();
    if squares == columns && squares_and_more().count() == squares {
        DiagramLine::Row
    } else if squares == columns || squares == columns + 1 {
        DiagramLine::LastRow
    } else if squares <= 1 && side_to_move(line).is_some() {
        DiagramLine::Side
    } else {
        DiagramLine::Other
    }
}

/// The line names the columns: `a b c ...`.
fn is_header(line: &str, columns: usize) -> bool {
    let letters = line.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'|');
    letters.map(|byte| byte.to_ascii_lowercase()).eq((b'a'..).take(columns))
}

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
struct Scanner<'a> {
    text: &'a str,
    offset: usize,
    rows: usize,
    columns: usize,
    cells: Vec<Option<Color>>,
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
    fn new(text: &'a str, rules: &RuleSet) -> Scanner<'a> {
        Scanner {
            text,
            offset: 0,
            rows: rules.rows() as usize,
            columns: rules.columns() as usize,
            cells: Vec::with_capacity(rules.squares() as usize),
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
    fn board(&mut self) -> Result<(), BoardTextError> {
        while self.cells.len() < self.rows * self.columns {
            if self.skip_decoration() {
                continue;
            }
            let Some(c) = self.rest().chars().next() else { return Err(self.too_short(self.cells.len())) };
            match square_of(c) {
                // the side, spelled out
                Some(_) if self.group == 0 && side_to_move(self.rest()).is_some_and(|(_, length)| length > 1) => {
                    return Err(self.too_short(self.cells.len()));
                }
                Some(square) => self.square(square),
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
                None => return Err(self.error(self.offset, BoardTextErrorKind::NotASquare(c.to_string()))),
            }
            self.group = if c == '/' { 0 } else { self.group };
            self.line_begins = false;
            self.offset += c.len_utf8();
        }
        Ok(())
    }

    fn square(&mut self, square: Option<Color>) {
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

    /// Skips a blank, a frame, a row number or a header line; false when there is none of them.
    fn skip_decoration(&mut self) -> bool {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return false };
        if c.is_whitespace() || c == '|' {
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
    fn rest_of_diagram(&mut self) {
        let group = self.group;
        while self.skip_decoration() {}
        self.group = group;
    }

    /// Refuses a board whose last square can only be the side to move, and lines that are not the rows.
    fn check_rows(&mut self, has_side: bool) -> Result<(), BoardTextError> {
        self.end_line();
        let alone = self.group == 1 && self.cells.last().is_some_and(Option::is_some);
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

    /// The rows are numbered downwards to 1: the first one read is the last of the board.
    fn upside_down(&self) -> Result<bool, BoardTextError> {
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

#[cfg(test)]
mod tests;
