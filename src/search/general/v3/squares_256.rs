//! Boards of up to 256 squares: sixteen rows of sixteen squares, which registers move row by row.

use std::arch::x86_64::*;

use super::{V3, four_words};
use crate::kernel::features::v3;
use crate::search::general::geometry::Axes;
use crate::search::general::set::U256;

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
        let half = match UP {
            true => _mm256_permute2x128_si256::<0x08>(set, set),
            false => _mm256_permute2x128_si256::<0x81>(set, set),
        };
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
    pub(super) fn reached(axes: &Axes<V3<U256>>, player: U256, opponent: U256) -> U256 {
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
