//! A square of the 8x8 board.

use std::fmt;
use std::str::FromStr;

/// A square of the 8x8 board: `a1` is index 0 and bit 0, `h1` 7, `a8` 56; row 1 is the top row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// All squares from `a1` to `h8`, row by row.
    pub const fn all() -> [Square; 64] {
        let mut squares = [Square(0); 64];
        let mut i = 0;
        while i < 64 {
            squares[i] = Square(i as u8);
            i += 1;
        }
        squares
    }

    /// The square with this index (0..64), or `None` outside the board.
    #[inline]
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The square of the lowest set bit.
    ///
    /// # Panics
    /// In debug builds, when `bits` is zero.
    #[inline(always)]
    pub const fn of_lowest_bit(bits: u64) -> Square {
        debug_assert!(bits != 0);
        Square((bits.trailing_zeros() & 63) as u8)
    }

    /// The square on this column and row, both counted from 0.
    #[inline]
    pub const fn at(column: u8, row: u8) -> Option<Square> {
        if column < 8 && row < 8 { Some(Square(row * 8 + column)) } else { None }
    }

    /// Index 0..64, row by row from `a1`.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The bitboard with only this square.
    #[inline(always)]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// Column 0..8 (0 is `a`).
    #[inline]
    pub const fn column(self) -> u8 {
        self.0 & 7
    }

    /// Row 0..8 (0 is the top row, `1`).
    #[inline]
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }
}

/// Lower case: `f5`. The alternate form `{:#}` is upper case: `F5`.
impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = if f.alternate() { b'A' } else { b'a' };
        write!(f, "{}{}", (base + self.column()) as char, self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a square `a1`..`h8`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a square a1..h8", crate::plain::quote(.0))]
pub struct ParseSquareError(String);

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Reads `f5` or `F5`.
    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        let err = || ParseSquareError(text.to_string());
        let [column, row] = text.as_bytes() else { return Err(err()) };
        let column = column.to_ascii_lowercase().wrapping_sub(b'a');
        let row = row.wrapping_sub(b'1');
        Square::at(column, row).ok_or_else(err)
    }
}

/// Iterates over the set bits of a bitboard, lowest square first.
#[derive(Clone, Copy, Debug)]
pub struct Squares(pub u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::of_lowest_bit(self.0);
        self.0 &= self.0 - 1;
        Some(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trip() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(format!("{square:#}").parse(), Ok(square));
        }
        assert_eq!("f5".parse::<Square>().unwrap().index(), 4 * 8 + 5);
        for bad in ["", "f", "f55", "i1", "a9", "a0", "é5"] {
            assert!(bad.parse::<Square>().is_err(), "{bad}");
        }
    }

    #[test]
    fn squares_iterates_upwards() {
        let found: Vec<usize> = Squares(0x8000_0000_0000_0101).map(Square::index).collect();
        assert_eq!(found, [0, 8, 63]);
    }
}
