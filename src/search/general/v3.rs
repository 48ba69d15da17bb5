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
    ($set:ty, $reached:ident $(, lines: $lines:ident)? $(, flips: $flips:ident)?) => {
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
set!(u64, reached_64, flips: flips_64);
set!(u128, reached_128, lines: lines_128, flips: flips_128);
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
        either_set(reached)
    }
}

v3! {
    /// A set of sixteen rows, all moved by `BY` squares along an axis (in the order of [`Axes`]), to higher squares or to lower ones.
    #[inline]
    fn moved<const AXIS: usize, const UP: bool, const BY: i32>(set: __m256i) -> __m256i {
        let rows = if AXIS == 0 { set } else { rows_moved::<UP, BY>(set) };
        match (AXIS, UP) {
            (0, true) | (2, true) | (3, false) => _mm256_slli_epi16::<BY>(rows),
            (0, false) | (2, false) | (3, true) => _mm256_srli_epi16::<BY>(rows),
            _ => rows,
        }
    }
}

v3! {
    /// Rows moved by 1, 2, 4 or 8.
    #[inline]
    fn rows_moved<const UP: bool, const BY: i32>(set: __m256i) -> __m256i {
        // the other half where rows come from it, and nothing where none do
        let half = if UP { _mm256_permute2x128_si256::<0x08>(set, set) } else { _mm256_permute2x128_si256::<0x81>(set, set) };
        match (UP, BY) {
            (true, 1) => _mm256_alignr_epi8::<14>(set, half),
            (true, 2) => _mm256_alignr_epi8::<12>(set, half),
            (true, 4) => _mm256_alignr_epi8::<8>(set, half),
            (false, 1) => _mm256_alignr_epi8::<2>(half, set),
            (false, 2) => _mm256_alignr_epi8::<4>(half, set),
            (false, 4) => _mm256_alignr_epi8::<8>(half, set),
            _ => half,
        }
    }
}

v3! {
    /// The squares behind lines within `mask` that begin beside `player`, in one direction.
    #[inline]
    fn reached_along<const AXIS: usize, const UP: bool>(player: __m256i, mask: __m256i) -> __m256i {
        let lines = _mm256_and_si256(mask, moved::<AXIS, UP, 1>(player));
        let lines = _mm256_or_si256(lines, _mm256_and_si256(mask, moved::<AXIS, UP, 1>(lines)));
        let pairs = _mm256_and_si256(mask, moved::<AXIS, UP, 1>(mask));
        let lines = _mm256_or_si256(lines, _mm256_and_si256(pairs, moved::<AXIS, UP, 2>(lines)));
        let fours = _mm256_and_si256(pairs, moved::<AXIS, UP, 2>(pairs));
        let lines = _mm256_or_si256(lines, _mm256_and_si256(fours, moved::<AXIS, UP, 4>(lines)));
        let eights = _mm256_and_si256(fours, moved::<AXIS, UP, 4>(fours));
        let lines = _mm256_or_si256(lines, _mm256_and_si256(eights, moved::<AXIS, UP, 8>(lines)));
        moved::<AXIS, UP, 1>(lines)
    }
}

v3! {
    #[inline]
    fn along_axis<const AXIS: usize>(player: __m256i, mask: __m256i) -> __m256i {
        _mm256_or_si256(reached_along::<AXIS, true>(player, mask), reached_along::<AXIS, false>(player, mask))
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
        let [a, b, c, d] = axes.inner;
        let along = along_axis::<0>(player, _mm256_and_si256(opponent, words(a.0)));
        let across = along_axis::<1>(player, _mm256_and_si256(opponent, words(b.0)));
        // both diagonals have the same inner squares
        let mask = _mm256_and_si256(opponent, words(c.0));
        let diagonals = _mm256_or_si256(along_axis::<2>(player, mask), along_axis::<3>(player, mask));
        debug_assert_eq!(c, d);
        let reached = _mm256_or_si256(_mm256_or_si256(along, across), diagonals);
        U256::of(four_words(reached))
    }
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

directions!(ascending_64, descending_64, any_word, any_word, each_word);
directions!(ascending_128, descending_128, low_or_above_empty, high_or_below_empty, both_words);

v3! {
    /// Of sets of one word: every word.
    #[inline]
    fn any_word(_empty: __m256i) -> __m256i {
        _mm256_set1_epi64x(-1)
    }
}

v3! {
    #[inline]
    fn each_word(words: __m256i) -> __m256i {
        words
    }
}

v3! {
    /// Of sets of two words: the lower ones, and the higher ones whose lower ones are empty.
    #[inline]
    fn low_or_above_empty(empty: __m256i) -> __m256i {
        _mm256_or_si256(_mm256_bslli_epi128::<8>(empty), _mm256_setr_epi64x(-1, 0, -1, 0))
    }
}

v3! {
    /// Of sets of two words: the higher ones, and the lower ones whose higher ones are empty.
    #[inline]
    fn high_or_below_empty(empty: __m256i) -> __m256i {
        _mm256_or_si256(_mm256_bsrli_epi128::<8>(empty), _mm256_setr_epi64x(0, -1, 0, -1))
    }
}

v3! {
    /// Of sets of two words, those of which both are selected.
    #[inline]
    fn both_words(words: __m256i) -> __m256i {
        _mm256_and_si256(words, _mm256_shuffle_epi32::<0b01_00_11_10>(words))
    }
}

v3! {
    /// Squares of four directions, two beginning at `first` and two at `second`.
    #[inline]
    fn four_rays(rays: &[V3<u64>; 8], first: usize, second: usize) -> __m256i {
        // SAFETY: two words of the ray's array each, which `V3` adds nothing to; they need no alignment.
        let (low, high) = unsafe {
            (_mm_loadu_si128((&raw const rays[first..first + 2]).cast()), _mm_loadu_si128((&raw const rays[second..second + 2]).cast()))
        };
        _mm256_set_m128i(high, low)
    }
}

v3! {
    /// Squares of two directions.
    #[inline]
    fn two_rays(rays: &[V3<u128>; 8], first: usize) -> __m256i {
        // SAFETY: four words of the array, which `V3` adds nothing to; they need no alignment.
        unsafe { _mm256_loadu_si256((&raw const rays[first..first + 2]).cast()) }
    }
}

v3! {
    /// [`Set::flips`] of boards of up to 64 squares: four directions side by side.
    #[inline]
    fn flips_64(rays: &[V3<u64>; 8], player: u64, opponent: u64) -> u64 {
        let (player, opponent) = (_mm256_set1_epi64x(player as i64), _mm256_set1_epi64x(opponent as i64));
        let up = ascending_64(four_rays(rays, 2, 4), player, opponent);
        let down = descending_64(four_rays(rays, 0, 6), player, opponent);
        or_lanes(_mm256_or_si256(up, down))
    }
}

v3! {
    /// The lines of N and NE, E and SE, S and SW, W and NW.
    #[inline]
    fn pairs_128(rays: &[V3<u128>; 8], player: u128, opponent: u128) -> [__m256i; 4] {
        let (player, opponent) = (twice(player), twice(opponent));
        [
            descending_128(two_rays(rays, 0), player, opponent),
            ascending_128(two_rays(rays, 2), player, opponent),
            ascending_128(two_rays(rays, 4), player, opponent),
            descending_128(two_rays(rays, 6), player, opponent),
        ]
    }
}

v3! {
    /// [`Set::lines`] of boards of up to 128 squares: two directions side by side.
    #[inline]
    fn lines_128(rays: &[V3<u128>; 8], player: u128, opponent: u128) -> [V3<u128>; 8] {
        let mut lines = [V3(0); 8];
        let pairs = pairs_128(rays, player, opponent);
        for i in 0..4 {
            let [a, b, c, d] = four_words(pairs[i]);
            (lines[2 * i], lines[2 * i + 1]) = (V3(two_words(a, b)), V3(two_words(c, d)));
        }
        lines
    }
}

v3! {
    /// [`Set::flips`] of boards of up to 128 squares.
    #[inline]
    fn flips_128(rays: &[V3<u128>; 8], player: u128, opponent: u128) -> u128 {
        let [a, b, c, d] = pairs_128(rays, player, opponent);
        either_set(_mm256_or_si256(_mm256_or_si256(a, b), _mm256_or_si256(c, d)))
    }
}

v3! {
    /// The squares that are in either of two sets.
    #[inline]
    fn either_set(sets: __m256i) -> u128 {
        let set = _mm_or_si128(_mm256_castsi256_si128(sets), _mm256_extracti128_si256::<1>(sets));
        two_words(_mm_cvtsi128_si64(set) as u64, _mm_extract_epi64::<1>(set) as u64)
    }
}

/// The set of two words.
#[inline(always)]
fn two_words(low: u64, high: u64) -> u128 {
    u128::from(low) | u128::from(high) << 64
}

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
