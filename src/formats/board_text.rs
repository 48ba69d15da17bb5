//! Positions as text: the squares row by row, then the side to move.
//!
//! Reading accepts the letters of the rule set (see [`Letters`]): `X x * B b` for black, `O o W w` for white and `- . _` for
//! an empty square; `G` and `B` for gold and black; `o`, `O` and `#` in hungarian; and `X`, `O` and `-` in all of them. What
//! could mean two things is refused. A hole of the board may be written `#` or as an empty square. Blanks and line
//! breaks anywhere; rows separated by `/`; row numbers at either end of a row (counting down from the top row
//! they turn the board round: `1` is always the row of `a1`); header lines with the column letters. The side
//! follows as one of the disc characters or by the colour's name; without it the first player is to move. What
//! [`Picture::to_text`](super::picture::Picture::to_text) writes is read back: a last move in brackets, `5-2, white to move`.
//!
//! A board has exactly its squares. Side and squares share their letters, so a board that lacks a square could pass for
//! one without a side; therefore a last disc that stands apart from the squares before it is not taken for a square,
//! and as many lines as the board has rows must be its rows.
//!
//! Writing gives `X`, `O` and `-` (for holes, too) on one line, which everyone reads.
//!
//! Under own supply `hands=BLACK/WHITE` follows the side where the discs in hand are not those that the board suggests
//! (see [`Position::from_discs`]): after passes, one side has placed more discs than the other.

use std::sync::Arc;

use crate::rules::{Bits, Color, Letter, Letters, Mixed, Move, Point, Position, RuleSet, Start};

use self::scanner::Scanner;
use super::quantity::plural;
use super::{Location, quote};

mod diagram;
mod scanner;

/// What may follow the side, as under the picture of a board.
pub(super) const TO_MOVE: &str = " to move";

/// What stands in place of the side under the picture of a board.
pub(super) const GAME_OVER: &str = "the game is over";

pub(super) use diagram::{DiagramLine, diagram_line, is_row};

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
#[non_exhaustive]
pub enum BoardTextErrorKind {
    /// The text ends before the board is full.
    #[error("the board has {}, not {expected}", plural(*found as u64, "square"))]
    TooShort {
        /// Squares read.
        found: usize,
        /// Squares of the board.
        expected: usize,
    },
    /// The text goes on with squares when the board is full.
    #[error("the board has {found} squares, not {expected}")]
    TooLong {
        /// Squares read.
        found: usize,
        /// Squares of the board.
        expected: usize,
    },
    /// A row of a diagram is too short or too long.
    #[error("row {row} has {}, not {expected}", plural(*found as u64, "square"))]
    RowLength {
        /// The row, from 1.
        row: usize,
        /// Squares read.
        found: usize,
        /// Squares of a row.
        expected: usize,
    },
    /// A character that is no square.
    #[error("{} is not a square ({letters})", quote(.found))]
    NotASquare {
        /// The character.
        found: String,
        /// What could stand there.
        letters: Letters,
    },
    /// `#` where the board has no hole.
    #[error("'#' is a hole, but these rules have none on {0}")]
    NoHole(Point),
    /// A disc where the board has a hole.
    #[error("a disc on {0}, which is a hole of this board")]
    DiscInHole(Point),
    /// Letters that mean one thing here and another there.
    #[error(transparent)]
    Mixed(#[from] Mixed),
    /// A number inside a row, or one that does not fit the rows around it.
    #[error("{} is not a row number that fits here", quote(.0))]
    RowNumber(String),
    /// The text goes on after the board, with something other than a side.
    #[error("{} follows the board, where only the side to move ({}) is expected", quote(.found), .letters.sides())]
    Trailing {
        /// What follows.
        found: String,
        /// Those of the board.
        letters: Letters,
    },
    /// The side to move is not there, and has to be.
    #[error("the side to move ({}) is missing after the board", .0.sides())]
    NoSide(Letters),
    /// Discs in hand that these rules do not have or that do not fit the board.
    #[error(
        "{} does not fit: under own supply both numbers together are the empty squares, each at most half the board",
        quote(.0)
    )]
    Hands(String),
    /// Not the side whose turn it is to place a disc on the centre: its name.
    #[error("{0} to move, but the discs on the centre say otherwise")]
    PlacementSide(String),
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
    too_long(text, length, rules)?;
    Err(BoardTextError { at: Location::of(text, text.len() - rest.len()), kind: trailing(rest, rules) })
}

/// The error of a text that goes on after the board.
pub(super) fn trailing(rest: &str, rules: &RuleSet) -> BoardTextErrorKind {
    BoardTextErrorKind::Trailing { found: rest.trim_end().to_string(), letters: rules.letters() }
}

/// An error if more squares follow the board that ends at this byte: they would pass for a side, a score or words.
pub(super) fn too_long(text: &str, end: usize, rules: &RuleSet) -> Result<(), BoardTextError> {
    let (own, letters) = (rules.symbols(), rules.letters());
    let is_square = |c: &char| "-.XOxo*".contains(*c) || own.contains(c) || *c == '#' && letters.hash_is_empty();
    let more = text[end..].chars().take_while(is_square).count();
    if more == 0 {
        return Ok(());
    }
    // holes are written, too
    let expected = rules.cells() as usize;
    let kind = BoardTextErrorKind::TooLong { found: expected + more, expected };
    Err(BoardTextError { at: Location::of(text, end), kind })
}

/// Reads a position as [`parse`] does, from a reader who numbers the rows from the bottom: row numbers that count down are the
/// rows as they stand, and those that count up turn the board round.
///
/// # Errors
/// As [`parse`].
pub fn parse_from_bottom(text: &str, rules: &Arc<RuleSet>) -> Result<Position, BoardTextError> {
    let position = parse(text, rules)?;
    let mut scanner = Scanner::new(text, rules);
    scanner.board()?;
    scanner.rest_of_diagram();
    if !scanner.has_numbers() {
        return Ok(position);
    }
    let mirrored: [Bits; 2] = [Color::Black, Color::White].map(|color| {
        let turn = |point: Point| Point { row: rules.rows() - 1 - point.row, ..point };
        position.discs(color).iter().map(turn).collect()
    });
    let in_hole = mirrored.iter().find_map(|discs| (*discs & rules.holes()).iter().next());
    let error = |kind| BoardTextError { at: Location::of(text, 0), kind };
    if let Some(point) = in_hole {
        return Err(error(BoardTextErrorKind::DiscInHole(point)));
    }
    let hands = hands(&position);
    let side = Some(position.side_to_move());
    let position = build(rules, mirrored, side).map_err(error)?;
    Ok(hands.and_then(|hands| parse_hands(&position, &hands)).unwrap_or(position))
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
        return Err(BoardTextError { at: Location::of(&text, length), kind: trailing(rest, rules) });
    }
    Ok((position, text[..length].split(' ').count()))
}

fn read(text: &str, rules: &Arc<RuleSet>, needs_side: bool) -> Result<(Position, usize), BoardTextError> {
    let mut scanner = Scanner::new(text, rules);
    scanner.board()?;
    let board_end = scanner.offset;
    scanner.rest_of_diagram();
    let (side, length) = match side_to_move(&text[scanner.offset..], rules) {
        Some((side, length)) => (Some(side), scanner.offset + length),
        None if text[scanner.offset..].starts_with(GAME_OVER) => (None, scanner.offset + GAME_OVER.len()),
        None if scanner.offset == text.len() => (None, scanner.offset),
        None => (None, board_end),
    };
    scanner.check_rows(side.is_some())?;
    if needs_side && side.is_none() {
        too_long(text, board_end, rules)?;
        let kind = BoardTextErrorKind::NoSide(rules.letters());
        return Err(BoardTextError { at: Location::of(text, board_end), kind });
    }
    let upside_down = scanner.upside_down()?;
    let discs = scanner.discs(upside_down, rules)?;
    if side.is_some() {
        // a word names one player only, a letter belongs to a spelling
        let mut letters = side_word(&text[scanner.offset..]).chars();
        if let (Some(letter), None) = (letters.next(), letters.next()) {
            scanner.note(letter, scanner.offset)?;
        }
    }
    match build(rules, discs, side) {
        Ok(position) => with_hands(position, text, length),
        Err(kind) => {
            let offset = if side.is_some() { scanner.offset } else { length };
            Err(BoardTextError { at: Location::of(text, offset), kind })
        }
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
    let mut text = squares(position, '-');
    text.push(' ');
    text.push(disc_char(position.side_to_move()));
    if let Some(hands) = hands(position) {
        text += " hands=";
        text += &hands;
    }
    text
}

/// The squares of a position, row by row: `X`, `O`, `-`, and a character for the holes of the board.
pub(crate) fn squares(position: &Position, hole: char) -> String {
    let rules = position.rules();
    let holes = rules.holes();
    let square = |at: Point| match position.disc_at(at) {
        Some(color) => disc_char(color),
        None if holes.contains(at) => hole,
        None => '-',
    };
    let rows = 0..rules.rows();
    rows.flat_map(|row| (0..rules.columns()).map(move |column| Point { row, column })).map(square).collect()
}

/// `X` or `O`.
const fn disc_char(color: Color) -> char {
    match color {
        Color::Black => 'X',
        Color::White => 'O',
    }
}

/// The character can stand for a square of these rules' boards.
pub(super) fn is_square(c: char, rules: &RuleSet) -> bool {
    let letters = rules.letters();
    match letters.read(c) {
        Some(Letter::Hash) => letters.hash_is_empty() || !rules.holes().is_empty(),
        other => other.is_some(),
    }
}

/// The side at the beginning of a text, with its length and that of `to move` behind it.
fn side_to_move(text: &str, rules: &RuleSet) -> Option<(Color, usize)> {
    let word = side_word(text);
    let rest = &text[word.len()..];
    if rest.starts_with(['-', '.']) {
        // a disc among the squares of a larger board
        return None;
    }
    let length = word.len() + if rest.starts_with(TO_MOVE) { TO_MOVE.len() } else { 0 };
    let mut chars = word.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return match rules.letters().read(c)? {
            Letter::Disc(color) => Some((color, length)),
            _ => None,
        };
    }
    Some((rules.side_named(word)?, length))
}

/// What may name a side at the beginning of a text.
fn side_word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '*').next().unwrap_or(text)
}

/// The position with these discs; in the placement phase if the rules have one and it is not over.
pub(super) fn build(
    rules: &Arc<RuleSet>,
    discs: [Bits; 2],
    side: Option<Color>,
) -> Result<Position, BoardTextErrorKind> {
    if let Some(point) = ((discs[0] | discs[1]) & rules.holes()).iter().next() {
        return Err(BoardTextErrorKind::DiscInHole(point));
    }
    if let Some(position) = placement(rules, discs) {
        return match side {
            Some(side) if side != position.side_to_move() => {
                Err(BoardTextErrorKind::PlacementSide(rules.color_name(side).to_string()))
            }
            _ => Ok(position),
        };
    }
    let side = side.unwrap_or(Color::Black);
    Ok(Position::from_discs(rules.clone(), discs[0], discs[1], side)
        .expect("each square was read once, and no disc in a hole"))
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

#[cfg(test)]
mod tests;
