//! Kernels for x86-64-v4 (AVX-512 F, BW, CD, DQ, VL).

use std::arch::x86_64::*;

use super::features::v4;
use crate::board::rays::RAYS;

v4! {
    /// See [`super::portable::flips`]; leading-zero counts find the nearest stop towards the low bits.
    #[inline]
    pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
        let rays = &RAYS[square & 63].0;
        // SAFETY: `rays` is 64 bytes aligned to 64.
        let (up, down) =
            unsafe { (_mm256_load_si256(rays.as_ptr().cast()), _mm256_load_si256(rays.as_ptr().add(4).cast())) };
        let zero = _mm256_setzero_si256();
        let player4 = _mm256_set1_epi64x(player as i64);
        let opponent4 = _mm256_set1_epi64x(opponent as i64);
        let stop = _mm256_andnot_si256(opponent4, up);
        let nearest = _mm256_and_si256(stop, _mm256_sub_epi64(zero, stop));
        let outflank = _mm256_and_si256(nearest, player4);
        let below = _mm256_maskz_add_epi64(_mm256_test_epi64_mask(outflank, outflank), outflank, _mm256_set1_epi64x(-1));
        let up_flips = _mm256_and_si256(up, below);
        let stop = _mm256_andnot_si256(opponent4, down);
        let top = _mm256_set1_epi64x(i64::MIN);
        let nearest = _mm256_srlv_epi64(top, _mm256_lzcnt_epi64(stop));
        let outflank = _mm256_and_si256(nearest, player4);
        let above = _mm256_sub_epi64(zero, _mm256_add_epi64(outflank, outflank));
        let flips = _mm256_or_si256(up_flips, _mm256_and_si256(down, above));
        let half = _mm_or_si128(_mm256_castsi256_si128(flips), _mm256_extracti128_si256(flips, 1));
        _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
    }
}
