//! Kernels for x86-64-v3 (AVX2 and BMI2): four directions to a register.

use std::arch::x86_64::*;

use super::KEYS;
use super::features::v3;
use super::last::{LAST_FLIPS, LAST_LINES};
use super::tables::STRIDES;
use crate::board::rays::RAYS;

v3! {
    /// The OR of the four lanes.
    #[inline]
    pub fn or_lanes(v: __m256i) -> u64 {
        let half = _mm_or_si128(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
        _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
    }
}

v3! {
    #[inline]
    fn strides(times: i64) -> __m256i {
        _mm256_setr_epi64x(STRIDES[0] * times, STRIDES[1] * times, STRIDES[2] * times, STRIDES[3] * times)
    }
}

v3! {
    /// See [`super::portable::moves`].
    #[inline]
    pub fn moves(player: u64, opponent: u64) -> u64 {
        let one = strides(1);
        let two = strides(2);
        let player4 = _mm256_set1_epi64x(player as i64);
        let inner = 0x7E7E_7E7E_7E7E_7E7E_i64;
        let mask = _mm256_and_si256(_mm256_set1_epi64x(opponent as i64), _mm256_setr_epi64x(inner, -1, inner, inner));
        let mut up = _mm256_and_si256(mask, _mm256_sllv_epi64(player4, one));
        let mut down = _mm256_and_si256(mask, _mm256_srlv_epi64(player4, one));
        up = _mm256_or_si256(up, _mm256_and_si256(mask, _mm256_sllv_epi64(up, one)));
        down = _mm256_or_si256(down, _mm256_and_si256(mask, _mm256_srlv_epi64(down, one)));
        let mask_up = _mm256_and_si256(mask, _mm256_sllv_epi64(mask, one));
        let mask_down = _mm256_srlv_epi64(mask_up, one);
        up = _mm256_or_si256(up, _mm256_and_si256(mask_up, _mm256_sllv_epi64(up, two)));
        down = _mm256_or_si256(down, _mm256_and_si256(mask_down, _mm256_srlv_epi64(down, two)));
        up = _mm256_or_si256(up, _mm256_and_si256(mask_up, _mm256_sllv_epi64(up, two)));
        down = _mm256_or_si256(down, _mm256_and_si256(mask_down, _mm256_srlv_epi64(down, two)));
        let reached = _mm256_or_si256(_mm256_sllv_epi64(up, one), _mm256_srlv_epi64(down, one));
        or_lanes(reached) & !(player | opponent)
    }
}

v3! {
    /// See [`super::portable::flips`].
    #[inline]
    pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
        let rays = &RAYS[square & 63].0;
        // SAFETY: `rays` is 64 bytes aligned to 64.
        let (up, down) =
            unsafe { (_mm256_load_si256(rays.as_ptr().cast()), _mm256_load_si256(rays.as_ptr().add(4).cast())) };
        let zero = _mm256_setzero_si256();
        let player4 = _mm256_set1_epi64x(player as i64);
        let opponent4 = _mm256_set1_epi64x(opponent as i64);
        // towards the high bits the nearest square that is not the opponent's is the lowest one on the ray
        let stop = _mm256_andnot_si256(opponent4, up);
        let nearest = _mm256_and_si256(stop, _mm256_sub_epi64(zero, stop));
        let outflank = _mm256_and_si256(nearest, player4);
        let run = _mm256_and_si256(up, _mm256_add_epi64(outflank, _mm256_set1_epi64x(-1)));
        let up_flips = _mm256_andnot_si256(_mm256_cmpeq_epi64(outflank, zero), run);
        // towards the low bits: smear the stops downwards along the ray; what is left above them is the run
        let mut stop = _mm256_andnot_si256(opponent4, down);
        stop = _mm256_or_si256(stop, _mm256_srlv_epi64(stop, strides(1)));
        stop = _mm256_or_si256(stop, _mm256_srlv_epi64(stop, strides(2)));
        stop = _mm256_or_si256(stop, _mm256_srlv_epi64(stop, strides(4)));
        let run = _mm256_andnot_si256(stop, down);
        let nearest = _mm256_andnot_si256(_mm256_srlv_epi64(stop, strides(1)), _mm256_and_si256(stop, down));
        let outflank = _mm256_and_si256(nearest, player4);
        let down_flips = _mm256_andnot_si256(_mm256_cmpeq_epi64(outflank, zero), run);
        or_lanes(_mm256_or_si256(up_flips, down_flips))
    }
}

v3! {
    /// See [`super::portable::last_flips`].
    #[inline]
    pub fn last_flips(square: usize, player: u64) -> u32 {
        last_flips_both(square, player).0
    }
}

v3! {
    /// See [`super::portable::last_flips_both`]. When only one square is empty the opponent's discs are the ones that are not
    /// the player's, so one look-up a line tells what either side would turn (idea: Edax-AVX).
    #[inline]
    pub fn last_flips_both(square: usize, player: u64) -> (u32, u32) {
        let lines = &LAST_LINES[square & 63];
        let row = player >> (square & 56) & 0xFF;
        let [column, rising, falling] = lines.masks.map(|mask| _pext_u64(player, mask));
        let mut sum = 0;
        for (start, line) in lines.starts.into_iter().zip([row, column, rising, falling]) {
            // SAFETY: as many bits as the line has squares, which is what its part of the table is indexed by.
            sum += unsafe { *LAST_FLIPS.get_unchecked(start as usize + line as usize) } as u32;
        }
        (sum & 0xFF, sum >> 8)
    }
}

v3! {
    /// See [`super::portable::least`]: one instruction finds the least of eight and its place.
    #[inline]
    pub fn least(keys: &[u16; KEYS]) -> (usize, u16) {
        // SAFETY: `keys` has 32 bytes.
        let (low, high) =
            unsafe { (_mm_loadu_si128(keys.as_ptr().cast()), _mm_loadu_si128(keys.as_ptr().add(8).cast())) };
        let low = _mm_cvtsi128_si32(_mm_minpos_epu16(low)) as u32;
        let high = _mm_cvtsi128_si32(_mm_minpos_epu16(high)) as u32;
        // the key in the low half, its place above
        let (low, high) = (low.rotate_left(16), high.rotate_left(16) + 8);
        let least = low.min(high);
        (least as usize % KEYS, (least >> 16) as u16)
    }
}
