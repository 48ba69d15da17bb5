//! A set of squares of a board up to 16x16.

use super::Point;

/// A set of points: 16 bits a row, so that row `r` column `c` is bit `16 * r + c` whatever the board's size. Points whose row or column
/// is 16 or more have no place in it: they are taken for others, or panic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Bits(pub [u64; 4]);

impl Bits {
    /// The empty set.
    pub const EMPTY: Bits = Bits([0; 4]);

    /// The set of all points of a board of at most 16x16.
    pub fn board(rows: u8, columns: u8) -> Bits {
        let line = (1u64 << columns) - 1;
        let mut bits = Bits::EMPTY;
        for row in 0..rows {
            bits.0[row as usize >> 2] |= line << (16 * (row & 3));
        }
        bits
    }

    /// The point is in the set.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        let i = point.index();
        self.0[i >> 6] >> (i & 63) & 1 != 0
    }

    /// Adds a point.
    #[inline]
    pub fn insert(&mut self, point: Point) {
        let i = point.index();
        self.0[i >> 6] |= 1 << (i & 63);
    }

    /// Removes a point.
    #[inline]
    pub fn remove(&mut self, point: Point) {
        let i = point.index();
        self.0[i >> 6] &= !(1 << (i & 63));
    }

    /// Number of points.
    #[inline]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// No points.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// The points, row by row.
    pub fn iter(self) -> impl Iterator<Item = Point> {
        (0..4).flat_map(move |word| {
            let mut bits = self.0[word];
            std::iter::from_fn(move || {
                if bits == 0 {
                    return None;
                }
                let i = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                Some(Point { row: (i >> 4) as u8, column: (i & 15) as u8 })
            })
        })
    }

    /// The first 8 rows and columns as an 8x8 bitboard.
    pub fn to_u64(self) -> u64 {
        let half = |rows: u64| {
            let bits = rows & 0x00FF_00FF_00FF_00FF;
            let bits = (bits | bits >> 8) & 0x0000_FFFF_0000_FFFF;
            (bits | bits >> 16) & 0xFFFF_FFFF
        };
        half(self.0[0]) | half(self.0[1]) << 32
    }

    /// The set with these squares of the first 8 rows and columns.
    pub fn from_u64(bits: u64) -> Bits {
        let half = |bits: u64| {
            let rows = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF;
            (rows | rows << 8) & 0x00FF_00FF_00FF_00FF
        };
        Bits([half(bits & 0xFFFF_FFFF), half(bits >> 32), 0, 0])
    }
}

impl FromIterator<Point> for Bits {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> Bits {
        let mut set = Bits::EMPTY;
        points.into_iter().for_each(|point| set.insert(point));
        set
    }
}

impl std::ops::BitOr for Bits {
    type Output = Bits;
    fn bitor(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl std::ops::BitAnd for Bits {
    type Output = Bits;
    fn bitand(self, other: Bits) -> Bits {
        Bits(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl std::ops::Not for Bits {
    type Output = Bits;
    fn not(self) -> Bits {
        Bits(std::array::from_fn(|i| !self.0[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_that_overlap() {
        let [one, other] = [0x0F00_0000_0000_00F3, 0x3C00_0000_0000_0033].map(Bits::from_u64);
        assert_eq!((one | other).to_u64(), 0x3F00_0000_0000_00F3);
        assert_eq!((one & other).to_u64(), 0x0C00_0000_0000_0033);
        assert_eq!((one | !one, one & !one), (!Bits::EMPTY, Bits::EMPTY));
    }

    #[test]
    fn conversions() {
        let bits = 0x8100_0000_1800_0081;
        assert_eq!(Bits::from_u64(bits).to_u64(), bits);
        for i in 0..64 {
            let set = Bits::from_iter([Point { row: i / 8, column: i % 8 }]);
            assert_eq!((Bits::from_u64(1 << i), set.to_u64()), (set, 1 << i));
        }
        assert_eq!((!Bits::EMPTY).to_u64(), u64::MAX, "what is further right or down is left out");
        assert_eq!(Bits::from_u64(u64::MAX), Bits::board(8, 8));
        assert_eq!(Bits::board(6, 4).count(), 24);
        assert_eq!(Bits::board(16, 16), !Bits::EMPTY);
        let points: Vec<Point> = Bits::from_u64(0x8001).iter().collect();
        assert_eq!(points, [Point { row: 0, column: 0 }, Point { row: 1, column: 7 }]);
    }
}
