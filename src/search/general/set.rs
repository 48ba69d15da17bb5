//! Sets of squares of three widths, under one trait: a board of R x C squares uses the narrowest that holds it.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

use super::geometry::{Axes, ascends};

/// A fixed-width set of square indices.
pub(super) trait Set:
    Copy
    + Eq
    + Debug
    + Default
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitOrAssign
    + Not<Output = Self>
    + 'static
{
    /// How far the rows of a board with so many columns are apart.
    fn stride(columns: usize) -> usize {
        columns
    }
    /// The set of one square.
    fn bit(index: usize) -> Self;
    /// At least one square.
    fn any(self) -> bool;
    /// Number of squares.
    fn count(self) -> u32;
    /// Index of the lowest square; the set must not be empty.
    fn lowest(self) -> usize;
    /// The set without its lowest square; the set must not be empty.
    fn without_lowest(self) -> Self;
    /// Its lowest square alone, if there is one.
    fn lowest_alone(self) -> Self;
    /// All squares below its lowest; the set must not be empty.
    fn below_lowest(self) -> Self;
    /// All squares up to its highest; the set must not be empty.
    fn up_to_highest(self) -> Self;
    /// Every index raised by `n`, less than the width.
    fn shl(self, n: u32) -> Self;
    /// Every index lowered by `n`, less than the width.
    fn shr(self, n: u32) -> Self;
    /// The squares from this index on, as many as fit; those beyond the width are not there.
    fn tail(self, index: usize) -> usize;
    /// Two hashes mixed with a seed each.
    fn mix(self, seeds: [u64; 2]) -> [u64; 2];

    /// The squares behind lines of `opponent` that begin beside `player`, along all axes in both directions.
    #[inline(always)]
    fn reached(axes: &Axes<Self>, player: Self, opponent: Self) -> Self {
        let mut reached = Self::default();
        for ((&one, &inner), &doublings) in axes.shifts.iter().zip(&axes.inner).zip(&axes.doublings) {
            let (mut up, mut down) = (opponent & inner, opponent & inner);
            let mut shift = one;
            let mut rising = player.shl(shift) & up;
            let mut falling = player.shr(shift) & down;
            for step in 0..doublings {
                if step > 0 {
                    up = up & up.shl(shift);
                    down = down & down.shr(shift);
                    shift *= 2;
                }
                rising |= up & rising.shl(shift);
                falling |= down & falling.shr(shift);
            }
            reached |= rising.shl(one) | falling.shr(one);
        }
        reached
    }

    /// What a disc of `player` on an empty square outflanks in each direction, whose squares from there on are `rays` (in the order of
    /// [`Direction::ALL`](crate::rules::Direction::ALL)).
    #[inline(always)]
    fn lines(rays: &[Self; 8], player: Self, opponent: Self) -> [Self; 8] {
        let mut lines = [Self::default(); 8];
        for (direction, line) in lines.iter_mut().enumerate() {
            *line = Self::line(rays, direction, player, opponent);
        }
        lines
    }

    /// What it outflanks in all directions.
    #[inline(always)]
    fn flips(rays: &[Self; 8], player: Self, opponent: Self) -> Self {
        let mut flips = Self::default();
        for direction in 0..8 {
            flips |= Self::line(rays, direction, player, opponent);
        }
        flips
    }

    /// What it outflanks in one direction.
    #[inline(always)]
    fn line(rays: &[Self; 8], direction: usize, player: Self, opponent: Self) -> Self {
        let ray = rays[direction];
        let end = ray & !opponent;
        if ascends(direction) {
            let is_own = (end.lowest_alone() & player).any();
            return if is_own { ray & end.below_lowest() } else { Self::default() };
        }
        if !end.any() {
            return Self::default();
        }
        let up_to = end.up_to_highest();
        let is_own = (up_to & !up_to.shr(1) & player).any();
        if is_own { ray & !up_to } else { Self::default() }
    }

    /// The square is in the set.
    #[inline(always)]
    fn has(self, index: usize) -> bool {
        (self & Self::bit(index)).any()
    }

    /// The indices, lowest first.
    #[inline(always)]
    fn iter(self) -> SetIter<Self> {
        SetIter(self)
    }
}

/// Iterates over the indices of a set.
pub(super) struct SetIter<B>(B);

impl<B: Set> Iterator for SetIter<B> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if !self.0.any() {
            return None;
        }
        let index = self.0.lowest();
        self.0 = self.0.without_lowest();
        Some(index)
    }
}

/// Folds a word into a hash: multiply to 128 bits and add both halves.
#[inline(always)]
pub(super) fn fold(hash: u64, word: u64) -> u64 {
    let product = ((hash ^ word) as u128).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    (product as u64) ^ ((product >> 64) as u64)
}

macro_rules! integer_set {
    ($type:ty, $words:expr) => {
        impl Set for $type {
            #[inline(always)]
            fn bit(index: usize) -> Self {
                1 << index
            }
            #[inline(always)]
            fn any(self) -> bool {
                self != 0
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline(always)]
            fn lowest(self) -> usize {
                self.trailing_zeros() as usize
            }
            #[inline(always)]
            fn without_lowest(self) -> Self {
                self & self.wrapping_sub(1)
            }
            #[inline(always)]
            fn lowest_alone(self) -> Self {
                self & self.wrapping_neg()
            }
            #[inline(always)]
            fn below_lowest(self) -> Self {
                self.wrapping_sub(1) & !self
            }
            #[inline(always)]
            fn up_to_highest(self) -> Self {
                <$type>::MAX >> self.leading_zeros()
            }
            #[inline(always)]
            fn shl(self, n: u32) -> Self {
                self << n
            }
            #[inline(always)]
            fn shr(self, n: u32) -> Self {
                self >> n
            }
            #[inline(always)]
            fn tail(self, index: usize) -> usize {
                (self >> index) as usize
            }
            #[inline(always)]
            fn mix(self, seeds: [u64; 2]) -> [u64; 2] {
                let mut hash = seeds;
                for i in 0..$words {
                    let word = (self >> (64 * i)) as u64;
                    hash = [fold(hash[0], word), fold(hash[1], !word)];
                }
                hash
            }
        }
    };
}

integer_set!(u64, 1);
integer_set!(u128, 2);

/// 256 squares: sixteen rows of sixteen, so that rows lie where registers can shift each by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct U256(u128, u128);

impl U256 {
    /// Its words, lowest first.
    #[inline(always)]
    pub fn words(self) -> [u64; 4] {
        [self.0 as u64, (self.0 >> 64) as u64, self.1 as u64, (self.1 >> 64) as u64]
    }

    /// The set of these words.
    #[inline(always)]
    pub fn of(words: [u64; 4]) -> U256 {
        let [a, b, c, d] = words;
        U256(u128::from(a) | u128::from(b) << 64, u128::from(c) | u128::from(d) << 64)
    }
}

impl BitAnd for U256 {
    type Output = U256;
    #[inline(always)]
    fn bitand(self, other: U256) -> U256 {
        U256(self.0 & other.0, self.1 & other.1)
    }
}

impl BitOr for U256 {
    type Output = U256;
    #[inline(always)]
    fn bitor(self, other: U256) -> U256 {
        U256(self.0 | other.0, self.1 | other.1)
    }
}

impl BitOrAssign for U256 {
    #[inline(always)]
    fn bitor_assign(&mut self, other: U256) {
        *self = *self | other;
    }
}

impl Not for U256 {
    type Output = U256;
    #[inline(always)]
    fn not(self) -> U256 {
        U256(!self.0, !self.1)
    }
}

impl Set for U256 {
    fn stride(_columns: usize) -> usize {
        16
    }
    #[inline(always)]
    fn bit(index: usize) -> U256 {
        if index < 128 { U256(1 << index, 0) } else { U256(0, 1 << (index - 128)) }
    }
    #[inline(always)]
    fn any(self) -> bool {
        self.0 | self.1 != 0
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.0.count_ones() + self.1.count_ones()
    }
    #[inline(always)]
    fn lowest(self) -> usize {
        if self.0 != 0 { self.0.lowest() } else { 128 + self.1.lowest() }
    }
    #[inline(always)]
    fn without_lowest(self) -> U256 {
        if self.0 != 0 { U256(self.0.without_lowest(), self.1) } else { U256(0, self.1.without_lowest()) }
    }
    #[inline(always)]
    fn lowest_alone(self) -> U256 {
        if self.0 != 0 { U256(self.0.lowest_alone(), 0) } else { U256(0, self.1.lowest_alone()) }
    }
    #[inline(always)]
    fn below_lowest(self) -> U256 {
        if self.0 != 0 { U256(self.0.below_lowest(), 0) } else { U256(!0, self.1.below_lowest()) }
    }
    #[inline(always)]
    fn up_to_highest(self) -> U256 {
        if self.1 != 0 { U256(!0, self.1.up_to_highest()) } else { U256(self.0.up_to_highest(), 0) }
    }
    #[inline(always)]
    fn shl(self, n: u32) -> U256 {
        match n {
            0 => self,
            1..128 => U256(self.0 << n, self.1 << n | self.0 >> (128 - n)),
            _ => U256(0, self.0 << (n - 128)),
        }
    }
    #[inline(always)]
    fn shr(self, n: u32) -> U256 {
        match n {
            0 => self,
            1..128 => U256(self.0 >> n | self.1 << (128 - n), self.1 >> n),
            _ => U256(self.1 >> (n - 128), 0),
        }
    }
    #[inline(always)]
    fn tail(self, index: usize) -> usize {
        match index {
            0 => self.0 as usize,
            1..128 => (self.0 >> index | self.1 << (128 - index)) as usize,
            _ => (self.1 >> (index - 128)) as usize,
        }
    }
    #[inline(always)]
    fn mix(self, seeds: [u64; 2]) -> [u64; 2] {
        self.1.mix(self.0.mix(seeds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<B: Set>(width: usize) {
        let indices: Vec<usize> = (0..width).filter(|i| i * i % 7 == 2 || i % 63 == 0).collect();
        let set = indices.iter().fold(B::default(), |set, &i| set | B::bit(i));
        assert_eq!(set.iter().collect::<Vec<_>>(), indices);
        assert_eq!(set.count() as usize, indices.len());
        assert_eq!(set.lowest(), indices[0]);
        assert_eq!((set.lowest_alone(), B::default().lowest_alone()), (B::bit(indices[0]), B::default()));
        let up_to = |last: usize| (0..=last).fold(B::default(), |set, i| set | B::bit(i));
        let mut rest = set;
        for (i, &index) in indices.iter().enumerate() {
            assert_eq!(rest.below_lowest() | B::bit(index), up_to(index));
            assert_eq!(rest.up_to_highest(), up_to(*indices.last().unwrap()));
            let head = indices[..=i].iter().fold(B::default(), |set, &i| set | B::bit(i));
            assert_eq!(head.up_to_highest(), up_to(index));
            rest = rest.without_lowest();
        }
        for n in [0, 1, 7, 17, 63, width - 1] {
            let up: Vec<usize> = indices.iter().map(|i| i + n).filter(|i| *i < width).collect();
            assert_eq!(set.shl(n as u32).iter().collect::<Vec<_>>(), up, "{n}");
            let down: Vec<usize> = indices.iter().filter(|i| **i >= n).map(|i| i - n).collect();
            assert_eq!(set.shr(n as u32).iter().collect::<Vec<_>>(), down, "{n}");
            let near: Vec<usize> = (0..32).filter(|i| set.tail(n) >> i & 1 != 0).collect();
            assert_eq!(near, indices.iter().filter_map(|i| i.checked_sub(n).filter(|i| *i < 32)).collect::<Vec<_>>());
        }
        assert!(!B::default().any() && set.any() && (!set & set) == B::default());
        assert_ne!(set.mix([1, 2]), set.without_lowest().mix([1, 2]));
    }

    #[test]
    fn all_widths_behave_alike() {
        check::<u64>(64);
        check::<u128>(128);
        check::<U256>(256);
        assert_eq!(U256::bit(3).shl(200), U256::bit(203));
        assert_eq!(U256::bit(203).shr(200), U256::bit(3));
    }
}
