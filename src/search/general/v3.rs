//! Sets for the x86-64-v3 tier: those of all machines, whose lines four directions, two, or one to a register fill.
//!
//! What runs with these sets runs on machines of the tier only; the search chooses them once, where it begins. (Kernels have no
//! closures: those would be compiled for the tier, and not inlined by functions such as `array::map` that are not.)

use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

use super::geometry::Axes;
use super::set::{Set, U256};
use crate::kernel::avx2::or_lanes;
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
    ($set:ty, $reached:ident) => {
        impl Set for V3<$set> {
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
        }
    };
}

set!(u64, reached_64);
set!(u128, reached_128);
set!(U256, reached_256);

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

v3! {
    /// Lines of boards of up to 64 squares: the four axes side by side.
    #[inline]
    fn reached_64(axes: &Axes<V3<u64>>, player: u64, opponent: u64) -> u64 {
        let [a, b, c, d] = axes.shifts;
        let one = _mm256_setr_epi64x(i64::from(a), i64::from(b), i64::from(c), i64::from(d));
        let (player, opponent) = (_mm256_set1_epi64x(player as i64), _mm256_set1_epi64x(opponent as i64));
        let [V3(a), V3(b), V3(c), V3(d)] = axes.inner;
        let mask = _mm256_and_si256(opponent, _mm256_setr_epi64x(a as i64, b as i64, c as i64, d as i64));
        let most = axes.most_doublings;
        or_lanes(lines!(player, mask, one, most, _mm256_sllv_epi64, _mm256_srlv_epi64, |n| _mm256_add_epi64(n, n)))
    }
}

v3! {
    /// Two sets of 128 squares, each raised by the number in its lanes; `FAR`: by more than 64.
    #[inline]
    fn raised<const FAR: bool>(sets: __m256i, n: __m256i) -> __m256i {
        let low = _mm256_bslli_epi128::<8>(sets);
        let word = _mm256_set1_epi64x(64);
        let near = _mm256_or_si256(_mm256_sllv_epi64(sets, n), _mm256_srlv_epi64(low, _mm256_sub_epi64(word, n)));
        if FAR { _mm256_or_si256(near, _mm256_sllv_epi64(low, _mm256_sub_epi64(n, word))) } else { near }
    }
}

v3! {
    /// Two sets of 128 squares, each lowered.
    #[inline]
    fn lowered<const FAR: bool>(sets: __m256i, n: __m256i) -> __m256i {
        let high = _mm256_bsrli_epi128::<8>(sets);
        let word = _mm256_set1_epi64x(64);
        let near = _mm256_or_si256(_mm256_srlv_epi64(sets, n), _mm256_sllv_epi64(high, _mm256_sub_epi64(word, n)));
        if FAR { _mm256_or_si256(near, _mm256_srlv_epi64(high, _mm256_sub_epi64(n, word))) } else { near }
    }
}

v3! {
    /// The lines of two axes.
    #[inline]
    fn two_axes<const FAR: bool>(player: __m256i, mask: __m256i, one: __m256i, doublings: u32) -> __m256i {
        lines!(player, mask, one, doublings, raised::<FAR>, lowered::<FAR>, |n| _mm256_add_epi64(n, n))
    }
}

v3! {
    #[inline]
    fn twice(set: u128) -> __m256i {
        _mm256_broadcastsi128_si256(_mm_set_epi64x((set >> 64) as i64, set as i64))
    }
}

v3! {
    #[inline]
    fn pair(low: V3<u128>, high: V3<u128>) -> __m256i {
        let (low, high) = (low.0, high.0);
        _mm256_setr_epi64x(low as i64, (low >> 64) as i64, high as i64, (high >> 64) as i64)
    }
}

v3! {
    /// Lines of boards of up to 128 squares: two axes side by side.
    #[inline]
    fn reached_128(axes: &Axes<V3<u128>>, player: u128, opponent: u128) -> u128 {
        let (player, opponent) = (twice(player), twice(opponent));
        let [a, b, c, d] = axes.inner;
        let (straight, diagonal) = (_mm256_and_si256(opponent, pair(a, b)), _mm256_and_si256(opponent, pair(c, d)));
        let [a, b, c, d] = axes.shifts;
        let (a, b, c, d) = (i64::from(a), i64::from(b), i64::from(c), i64::from(d));
        let (ab, cd) = (_mm256_setr_epi64x(a, a, b, b), _mm256_setr_epi64x(c, c, d, d));
        let most = axes.most_doublings;
        let reached = if axes.far {
            _mm256_or_si256(two_axes::<true>(player, straight, ab, most), two_axes::<true>(player, diagonal, cd, most))
        } else {
            _mm256_or_si256(two_axes::<false>(player, straight, ab, most), two_axes::<false>(player, diagonal, cd, most))
        };
        let half = _mm_or_si128(_mm256_castsi256_si128(reached), _mm256_extracti128_si256::<1>(reached));
        let (low, high) = (_mm_cvtsi128_si64(half) as u64, _mm_extract_epi64::<1>(half) as u64);
        u128::from(high) << 64 | u128::from(low)
    }
}

v3! {
    /// The words of a set, `n` higher.
    #[inline]
    fn words_up(set: __m256i, n: u32) -> __m256i {
        let zero = _mm256_setzero_si256();
        match n {
            0 => set,
            1 => _mm256_blend_epi32::<0b0000_0011>(_mm256_permute4x64_epi64::<0b10_01_00_00>(set), zero),
            2 => _mm256_permute2x128_si256::<0x08>(set, set),
            3 => _mm256_blend_epi32::<0b0011_1111>(_mm256_permute4x64_epi64::<0>(set), zero),
            _ => zero,
        }
    }
}

v3! {
    /// The words of a set, `n` lower.
    #[inline]
    fn words_down(set: __m256i, n: u32) -> __m256i {
        let zero = _mm256_setzero_si256();
        match n {
            0 => set,
            1 => _mm256_blend_epi32::<0b1100_0000>(_mm256_permute4x64_epi64::<0b11_11_10_01>(set), zero),
            2 => _mm256_permute2x128_si256::<0x81>(set, set),
            3 => _mm256_blend_epi32::<0b1111_1100>(_mm256_permute4x64_epi64::<0b11_11_11_11>(set), zero),
            _ => zero,
        }
    }
}

v3! {
    /// A set of 256 squares, raised.
    #[inline]
    fn raised_256(set: __m256i, n: u32) -> __m256i {
        let (words, bits) = (n / 64, (n % 64) as i32);
        let whole = _mm256_sll_epi64(words_up(set, words), _mm_cvtsi32_si128(bits));
        _mm256_or_si256(whole, _mm256_srl_epi64(words_up(set, words + 1), _mm_cvtsi32_si128(64 - bits)))
    }
}

v3! {
    /// A set of 256 squares, lowered.
    #[inline]
    fn lowered_256(set: __m256i, n: u32) -> __m256i {
        let (words, bits) = (n / 64, (n % 64) as i32);
        let whole = _mm256_srl_epi64(words_down(set, words), _mm_cvtsi32_si128(bits));
        _mm256_or_si256(whole, _mm256_sll_epi64(words_down(set, words + 1), _mm_cvtsi32_si128(64 - bits)))
    }
}

v3! {
    #[inline]
    fn words(set: U256) -> __m256i {
        let [a, b, c, d] = set.words();
        _mm256_setr_epi64x(a as i64, b as i64, c as i64, d as i64)
    }
}

v3! {
    /// Lines of boards of up to 256 squares.
    #[inline]
    fn reached_256(axes: &Axes<V3<U256>>, player: U256, opponent: U256) -> U256 {
        let (player, opponent) = (words(player), words(opponent));
        let mut reached = _mm256_setzero_si256();
        for i in 0..4 {
            let one = axes.shifts[i];
            let mask = _mm256_and_si256(opponent, words(axes.inner[i].0));
            let of_axis = lines!(player, mask, one, axes.doublings[i], raised_256, lowered_256, |n| 2 * n);
            reached = _mm256_or_si256(reached, of_axis);
        }
        let (low, high) = (_mm256_castsi256_si128(reached), _mm256_extracti128_si256::<1>(reached));
        let (a, b) = (_mm_cvtsi128_si64(low), _mm_extract_epi64::<1>(low));
        let (c, d) = (_mm_cvtsi128_si64(high), _mm_extract_epi64::<1>(high));
        U256::of([a as u64, b as u64, c as u64, d as u64])
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
            (0..3).map(|_| rng.random_range(0..usize::from(rows) * usize::from(columns))).collect()
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
