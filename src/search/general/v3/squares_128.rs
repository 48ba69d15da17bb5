//! Boards of up to 128 squares: two axes, or two directions, side by side.

use std::arch::x86_64::*;

use super::{V3, four_words};
use crate::kernel::features::v3;
use crate::search::general::geometry::Axes;

directions!(ascending, descending, low_or_above_empty, high_or_below_empty, both_words);

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
    pub(super) fn reached(axes: &Axes<V3<u128>>, player: u128, opponent: u128) -> u128 {
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
    /// Squares of two directions.
    #[inline]
    fn two_rays(rays: &[V3<u128>; 8], first: usize) -> __m256i {
        // SAFETY: four words of the array, which `V3` adds nothing to; they need no alignment.
        unsafe { _mm256_loadu_si256((&raw const rays[first..first + 2]).cast()) }
    }
}

v3! {
    /// The lines of N and NE, E and SE, S and SW, W and NW.
    #[inline]
    fn pairs(rays: &[V3<u128>; 8], player: u128, opponent: u128) -> [__m256i; 4] {
        let (player, opponent) = (twice(player), twice(opponent));
        [
            descending(two_rays(rays, 0), player, opponent),
            ascending(two_rays(rays, 2), player, opponent),
            ascending(two_rays(rays, 4), player, opponent),
            descending(two_rays(rays, 6), player, opponent),
        ]
    }
}

v3! {
    /// [`Set::lines`](super::Set::lines) of boards of up to 128 squares: two directions side by side.
    #[inline]
    pub(super) fn lines(rays: &[V3<u128>; 8], player: u128, opponent: u128) -> [V3<u128>; 8] {
        let mut lines = [V3(0); 8];
        let pairs = pairs(rays, player, opponent);
        for i in 0..4 {
            let [a, b, c, d] = four_words(pairs[i]);
            (lines[2 * i], lines[2 * i + 1]) = (V3(two_words(a, b)), V3(two_words(c, d)));
        }
        lines
    }
}

v3! {
    /// [`Set::flips`](super::Set::flips) of boards of up to 128 squares.
    #[inline]
    pub(super) fn flips(rays: &[V3<u128>; 8], player: u128, opponent: u128) -> u128 {
        let [a, b, c, d] = pairs(rays, player, opponent);
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
