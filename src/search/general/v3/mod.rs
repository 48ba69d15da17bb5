//! Sets for the x86-64-v3 tier: those of all machines, whose lines four directions, two, or one to a register fill.
//!
//! What runs with these sets runs on machines of the tier only; the search chooses them once, where it begins. (Kernels have no
//! closures: those would be compiled for the tier, and not inlined by functions such as `array::map` that are not.)

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

use super::geometry::Axes;
use super::set::{Set, U256};
use crate::kernel::features::v3;

/// A set of this tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(transparent)]
pub(super) struct V3<B>(B);

impl<B: Set> BitAnd for V3<B> {
    type Output = V3<B>;
    #[inline(always)]
    fn bitand(self, other: V3<B>) -> V3<B> {
        V3(self.0 & other.0)
    }
}

impl<B: Set> BitOr for V3<B> {
    type Output = V3<B>;
    #[inline(always)]
    fn bitor(self, other: V3<B>) -> V3<B> {
        V3(self.0 | other.0)
    }
}

impl<B: Set> BitOrAssign for V3<B> {
    #[inline(always)]
    fn bitor_assign(&mut self, other: V3<B>) {
        *self = *self | other;
    }
}

impl<B: Set> Not for V3<B> {
    type Output = V3<B>;
    #[inline(always)]
    fn not(self) -> V3<B> {
        V3(!self.0)
    }
}

/// What a set does as that of all machines does, and its lines.
macro_rules! set {
    ($set:ty, $reached:path $(, lines: $lines:path)? $(, flips: $flips:path)?) => {
        impl Set for V3<$set> {
            fn stride(columns: usize) -> usize {
                <$set>::stride(columns)
            }
            #[inline(always)]
            fn bit(index: usize) -> Self {
                V3(<$set>::bit(index))
            }
            #[inline(always)]
            fn any(self) -> bool {
                self.0.any()
            }
            #[inline(always)]
            fn count(self) -> u32 {
                self.0.count()
            }
            #[inline(always)]
            fn lowest(self) -> usize {
                self.0.lowest()
            }
            #[inline(always)]
            fn without_lowest(self) -> Self {
                V3(self.0.without_lowest())
            }
            #[inline(always)]
            fn lowest_alone(self) -> Self {
                V3(self.0.lowest_alone())
            }
            #[inline(always)]
            fn below_lowest(self) -> Self {
                V3(self.0.below_lowest())
            }
            #[inline(always)]
            fn up_to_highest(self) -> Self {
                V3(self.0.up_to_highest())
            }
            #[inline(always)]
            fn shl(self, n: u32) -> Self {
                V3(Set::shl(self.0, n))
            }
            #[inline(always)]
            fn shr(self, n: u32) -> Self {
                V3(Set::shr(self.0, n))
            }
            #[inline(always)]
            fn tail(self, index: usize) -> usize {
                self.0.tail(index)
            }
            #[inline(always)]
            fn mix(self, seeds: [u64; 2]) -> [u64; 2] {
                self.0.mix(seeds)
            }
            #[inline(always)]
            fn reached(axes: &Axes<Self>, player: Self, opponent: Self) -> Self {
                // SAFETY: sets of this tier are used on machines that support it only.
                V3(unsafe { $reached(axes, player.0, opponent.0) })
            }
            $(
                #[inline(always)]
                fn lines(rays: &[Self; 8], player: Self, opponent: Self) -> [Self; 8] {
                    // SAFETY: sets of this tier are used on machines that support it only.
                    unsafe { $lines(rays, player.0, opponent.0) }
                }
            )?
            $(
                #[inline(always)]
                fn flips(rays: &[Self; 8], player: Self, opponent: Self) -> Self {
                    // SAFETY: as above.
                    V3(unsafe { $flips(rays, player.0, opponent.0) })
                }
            )?
        }
    };
}

// (what is not named is as quick one line after the other: `benches/BENCHMARKS.md`, "Other rules")
set!(u64, squares_64::reached, flips: squares_64::flips);
set!(u128, squares_128::reached, lines: squares_128::lines, flips: squares_128::flips);
set!(U256, squares_256::reached);

/// What [`Set::reached`] does, of the axes that a register has side by side: the squares behind lines within `mask` that begin beside
/// `player`. The widths have shifts of their own, by numbers of their own. (A macro: what a function is given as an argument is not
/// compiled for the tier.)
macro_rules! lines {
    ($player:expr, $mask:expr, $one:expr, $doublings:expr, $raised:path, $lowered:path, |$n:ident| $twice:expr) => {{
        let (player, mask, one) = ($player, $mask, $one);
        let (mut runs_up, mut runs_down) = (mask, mask);
        let mut rising = _mm256_and_si256(mask, $raised(player, one));
        let mut falling = _mm256_and_si256(mask, $lowered(player, one));
        let mut $n = one;
        for step in 0..$doublings {
            if step > 0 {
                runs_up = _mm256_and_si256(runs_up, $raised(runs_up, $n));
                runs_down = _mm256_and_si256(runs_down, $lowered(runs_down, $n));
                $n = $twice;
            }
            rising = _mm256_or_si256(rising, _mm256_and_si256(runs_up, $raised(rising, $n)));
            falling = _mm256_or_si256(falling, _mm256_and_si256(runs_down, $lowered(falling, $n)));
        }
        _mm256_or_si256($raised(rising, one), $lowered(falling, one))
    }};
}

/// [`Set::lines`]' squares of one direction for each set that a register holds, beside sets of the same width that hold all discs of
/// either side. Of the words of a set, `$open` selects those that the end of a line can be in, or behind: from the words that have no square of
/// the ray that is not the opponent's; `$whole` those of sets all of whose words are selected.
macro_rules! directions {
    ($ascending:ident, $descending:ident, $open_up:ident, $open_down:ident, $whole:ident) => {
        v3! {
            /// Lines towards higher squares.
            #[inline]
            fn $ascending(rays: __m256i, player: __m256i, opponent: __m256i) -> __m256i {
                let zero = _mm256_setzero_si256();
                let ends = _mm256_andnot_si256(opponent, rays);
                let open = $open_up(_mm256_cmpeq_epi64(ends, zero));
                let first = _mm256_and_si256(ends, _mm256_sub_epi64(zero, ends));
                let below = _mm256_andnot_si256(ends, _mm256_add_epi64(ends, _mm256_set1_epi64x(-1)));
                let own = _mm256_and_si256(_mm256_and_si256(open, first), player);
                let none = $whole(_mm256_cmpeq_epi64(own, zero));
                _mm256_andnot_si256(none, _mm256_and_si256(rays, _mm256_and_si256(open, below)))
            }
        }

        v3! {
            /// Lines towards lower squares.
            #[inline]
            fn $descending(rays: __m256i, player: __m256i, opponent: __m256i) -> __m256i {
                let zero = _mm256_setzero_si256();
                let ends = _mm256_andnot_si256(opponent, rays);
                let open = $open_down(_mm256_cmpeq_epi64(ends, zero));
                let mut up_to = _mm256_or_si256(ends, _mm256_srli_epi64::<1>(ends));
                up_to = _mm256_or_si256(up_to, _mm256_srli_epi64::<2>(up_to));
                up_to = _mm256_or_si256(up_to, _mm256_srli_epi64::<4>(up_to));
                up_to = _mm256_or_si256(up_to, _mm256_srli_epi64::<8>(up_to));
                up_to = _mm256_or_si256(up_to, _mm256_srli_epi64::<16>(up_to));
                up_to = _mm256_or_si256(up_to, _mm256_srli_epi64::<32>(up_to));
                let first = _mm256_andnot_si256(_mm256_srli_epi64::<1>(up_to), up_to);
                let own = _mm256_and_si256(_mm256_and_si256(open, first), player);
                let none = $whole(_mm256_cmpeq_epi64(own, zero));
                _mm256_andnot_si256(none, _mm256_and_si256(open, _mm256_andnot_si256(up_to, rays)))
            }
        }
    };
}

// behind the macros that they use
mod squares_128;
mod squares_256;
mod squares_64;

v3! {
    #[inline]
    fn four_words(words: __m256i) -> [u64; 4] {
        let (low, high) = (_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
        let (a, b) = (_mm_cvtsi128_si64(low), _mm_extract_epi64::<1>(low));
        let (c, d) = (_mm_cvtsi128_si64(high), _mm_extract_epi64::<1>(high));
        [a as u64, b as u64, c as u64, d as u64]
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::super::geometry::Geometry;
    use super::*;
    use crate::kernel::Tier;

    /// Moves of random positions on a board, with the sets of all machines and with those of this tier.
    fn check<B: Set>(rows: u8, columns: u8, rng: &mut StdRng)
    where
        V3<B>: Set,
    {
        let holes: Vec<usize> = if rng.random_bool(0.5) {
            Vec::new()
        } else {
            let place = |rng: &mut StdRng, length: u8| usize::from(rng.random_range(0..length));
            (0..3).map(|_| place(rng, rows) * B::stride(usize::from(columns)) + place(rng, columns)).collect()
        };
        let plain: Geometry<B> =
            Geometry::new(rows, columns, holes.iter().fold(B::default(), |set, &i| set | B::bit(i)));
        let wide: Geometry<V3<B>> =
            Geometry::new(rows, columns, holes.iter().fold(V3::default(), |set, &i| set | V3::bit(i)));
        for _ in 0..200 {
            let (mut player, mut opponent) = (B::default(), B::default());
            // from sparse to crowded, and from one side's to the other's
            let (filled, own) = (rng.random_range(0.1..1.0), rng.random_range(0.05..0.95));
            for square in plain.board.iter().filter(|_| rng.random_bool(filled)).collect::<Vec<_>>() {
                let side = if rng.random_bool(own) { &mut player } else { &mut opponent };
                *side |= B::bit(square);
            }
            let moves = plain.moves(player, opponent);
            assert_eq!(wide.moves(V3(player), V3(opponent)).0, moves, "{rows}x{columns}: {player:?} {opponent:?}");
            let turns = |square: usize| plain.flips(square, player, opponent).any();
            let empty = (plain.board & !(player | opponent)).iter();
            let reference =
                empty.filter(|&square| turns(square)).fold(B::default(), |set, square| set | B::bit(square));
            assert_eq!(moves, reference, "{rows}x{columns}: {player:?} {opponent:?}");
            for square in (plain.board & !(player | opponent)).iter() {
                let lines = wide.lines(square, V3(player), V3(opponent)).map(|line| line.0);
                let reference = plain.lines(square, player, opponent);
                assert_eq!(lines, reference, "{rows}x{columns}, {square}: {player:?} {opponent:?}");
                let flips = wide.flips(square, V3(player), V3(opponent)).0;
                assert_eq!(flips, plain.flips(square, player, opponent), "{rows}x{columns}, {square}");
            }
        }
    }

    #[test]
    fn lines_are_those_of_all_machines() {
        if !Tier::V3.is_supported() {
            eprintln!("skipped: this machine has no x86-64-v3");
            return;
        }
        let mut rng = StdRng::seed_from_u64(1);
        for rows in 4..=16 {
            for columns in 4..=16 {
                match u16::from(rows) * u16::from(columns) {
                    0..=64 => check::<u64>(rows, columns, &mut rng),
                    65..=128 => check::<u128>(rows, columns, &mut rng),
                    _ => {}
                }
                check::<U256>(rows, columns, &mut rng);
            }
        }
    }
}
