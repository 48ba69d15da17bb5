//! Boards of up to 64 squares: the four axes, or four directions, side by side.

use std::arch::x86_64::*;

use super::V3;
use crate::kernel::avx2::or_lanes;
use crate::kernel::features::v3;
use crate::search::general::geometry::Axes;

directions!(ascending, descending, any_word, any_word, each_word);

v3! {
    /// Lines of boards of up to 64 squares: the four axes side by side.
    #[inline]
    pub(super) fn reached(axes: &Axes<V3<u64>>, player: u64, opponent: u64) -> u64 {
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
    /// Squares of four directions, two beginning at `first` and two at `second`.
    #[inline]
    fn four_rays(rays: &[V3<u64>; 8], first: usize, second: usize) -> __m256i {
        let (first, second) = (&raw const rays[first..first + 2], &raw const rays[second..second + 2]);
        // SAFETY: two words of the array each, which `V3` adds nothing to; they need no alignment.
        let (low, high) = unsafe { (_mm_loadu_si128(first.cast()), _mm_loadu_si128(second.cast())) };
        _mm256_set_m128i(high, low)
    }
}

v3! {
    /// [`Set::flips`](super::Set::flips) of boards of up to 64 squares: four directions side by side.
    #[inline]
    pub(super) fn flips(rays: &[V3<u64>; 8], player: u64, opponent: u64) -> u64 {
        let (player, opponent) = (_mm256_set1_epi64x(player as i64), _mm256_set1_epi64x(opponent as i64));
        let up = ascending(four_rays(rays, 2, 4), player, opponent);
        let down = descending(four_rays(rays, 0, 6), player, opponent);
        or_lanes(_mm256_or_si256(up, down))
    }
}

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
