//! Sides, points, directions and moves.

use std::fmt;

use crate::board::Square;

/// A side. Black is the first player of the rule set, whatever the edition calls its colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Color {
    /// The first player.
    Black,
    /// The second player.
    White,
}

impl Color {
    /// 0 for black, 1 for white.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `black` or `white`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Black => "black",
            Color::White => "white",
        }
    }
}

/// `black` or `white`; what rules call their sides is [`RuleSet::color_name`](super::RuleSet::color_name).
impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl std::ops::Not for Color {
    type Output = Color;
    #[inline]
    fn not(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

/// A square of a board up to 16x16; row and column are counted from 0 and below 16, row 0 at the top.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Point {
    /// Row, 0 at the top.
    pub row: u8,
    /// Column, 0 at the left (`a`).
    pub column: u8,
}

impl Point {
    /// Index in a grid of 16 columns.
    #[inline]
    pub const fn index(self) -> usize {
        self.row as usize * 16 + self.column as usize
    }

    /// The square of the 8x8 board at this place, if it has one.
    pub const fn square(self) -> Option<Square> {
        Square::at(self.column, self.row)
    }

    /// The neighbour in a direction, if it is on a board of this size.
    #[inline]
    pub fn step(self, direction: Direction, rows: u8, columns: u8) -> Option<Point> {
        let (dx, dy) = direction.steps();
        let row = self.row.wrapping_add_signed(dy);
        let column = self.column.wrapping_add_signed(dx);
        (row < rows && column < columns).then_some(Point { row, column })
    }
}

impl From<Square> for Point {
    fn from(square: Square) -> Point {
        Point { row: square.row(), column: square.column() }
    }
}

/// Lower case `f5`, `p16`; the alternate form `{:#}` is upper case.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = if f.alternate() { b'A' } else { b'a' };
        // errors name points that are on no board, too
        write!(f, "{}{}", base.saturating_add(self.column) as char, u16::from(self.row) + 1)
    }
}

/// One of the eight directions in which discs are outflanked; north is towards row 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Direction {
    N,
    NE,
    E,
    SE,
    S,
    SW,
    W,
    NW,
}

impl Direction {
    /// All eight, clockwise from north.
    pub const ALL: [Direction; 8] = [
        Direction::N,
        Direction::NE,
        Direction::E,
        Direction::SE,
        Direction::S,
        Direction::SW,
        Direction::W,
        Direction::NW,
    ];

    /// (column step, row step).
    #[inline]
    pub const fn steps(self) -> (i8, i8) {
        match self {
            Direction::N => (0, -1),
            Direction::NE => (1, -1),
            Direction::E => (1, 0),
            Direction::SE => (1, 1),
            Direction::S => (0, 1),
            Direction::SW => (-1, 1),
            Direction::W => (-1, 0),
            Direction::NW => (-1, -1),
        }
    }

    /// `N`, `NE`, ...
    pub const fn name(self) -> &'static str {
        ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][self as usize]
    }
}

/// A move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// A forced pass.
    Pass,
    /// A disc on a square. `direction` is given exactly when the rules turn one direction only
    /// (and the game is past the placement phase).
    Place {
        /// Where the disc goes.
        at: Point,
        /// The line that is turned, under one-direction rules.
        direction: Option<Direction>,
    },
}

impl Move {
    /// The square of an 8x8 move, `None` for a pass or off the 8x8 board.
    pub fn square(self) -> Option<Square> {
        match self {
            Move::Pass => None,
            Move::Place { at, .. } => at.square(),
        }
    }
}

impl From<Square> for Move {
    fn from(square: Square) -> Move {
        Move::Place { at: square.into(), direction: None }
    }
}

/// `f5`, `f5:NE` with a direction, `pass`; the alternate form `{:#}` is upper case.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Pass => f.write_str(if f.alternate() { "PASS" } else { "pass" }),
            Move::Place { at, direction } => {
                fmt::Display::fmt(at, f)?;
                match direction {
                    Some(direction) => write!(f, ":{}", direction.name()),
                    None => Ok(()),
                }
            }
        }
    }
}

/// The move is not legal in the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("illegal move {0}")]
pub struct IllegalMove(pub Move);
