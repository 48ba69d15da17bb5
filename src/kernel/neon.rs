//! Kernels for 64-bit ARM, where NEON is part of every machine: two directions to a register.
//!
//! Lines of the last empty square are looked up as on the portable tier: there is no instruction that extracts bits.

use std::arch::aarch64::*;

use super::KEYS;
use super::tables::STRIDES;
use crate::board::rays::RAYS;

/// The OR of the two lanes.
#[inline(always)]
fn or_lanes(v: uint64x2_t) -> u64 {
    // SAFETY: NEON is there.
    unsafe { vgetq_lane_u64::<0>(v) | vgetq_lane_u64::<1>(v) }
}

/// Both senses of two directions, whose neighbours are `strides` bits apart: where lines of `mask` that begin beside the
/// player's discs lead.
#[inline(always)]
fn reached(player: uint64x2_t, mask: uint64x2_t, strides: [i64; 2]) -> uint64x2_t {
    // SAFETY: NEON is there, and the array has 16 bytes.
    unsafe {
        let one = vld1q_s64(strides.as_ptr());
        let (two, back) = (vaddq_s64(one, one), vnegq_s64(one));
        let two_back = vnegq_s64(two);
        let mut up = vandq_u64(mask, vshlq_u64(player, one));
        let mut down = vandq_u64(mask, vshlq_u64(player, back));
        up = vorrq_u64(up, vandq_u64(mask, vshlq_u64(up, one)));
        down = vorrq_u64(down, vandq_u64(mask, vshlq_u64(down, back)));
        let mask_up = vandq_u64(mask, vshlq_u64(mask, one));
        let mask_down = vshlq_u64(mask_up, back);
        up = vorrq_u64(up, vandq_u64(mask_up, vshlq_u64(up, two)));
        down = vorrq_u64(down, vandq_u64(mask_down, vshlq_u64(down, two_back)));
        up = vorrq_u64(up, vandq_u64(mask_up, vshlq_u64(up, two)));
        down = vorrq_u64(down, vandq_u64(mask_down, vshlq_u64(down, two_back)));
        vorrq_u64(vshlq_u64(up, one), vshlq_u64(down, back))
    }
}

/// See [`super::portable::moves`].
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & 0x7E7E_7E7E_7E7E_7E7E;
    // SAFETY: NEON is there.
    let all = unsafe {
        let own = vdupq_n_u64(player);
        let straight = vcombine_u64(vcreate_u64(inner), vcreate_u64(opponent));
        let sides = reached(own, straight, [STRIDES[0], STRIDES[1]]);
        vorrq_u64(sides, reached(own, vdupq_n_u64(inner), [STRIDES[2], STRIDES[3]]))
    };
    or_lanes(all) & !(player | opponent)
}

/// What a disc on the square turns towards the high bits.
#[inline(always)]
fn flips_up(square: usize, player: u64, opponent: u64) -> uint64x2_t {
    let rays = &RAYS[square & 63].0;
    // SAFETY: NEON is there; the first four of the eight rays are two vectors.
    unsafe {
        let (own, other) = (vdupq_n_u64(player), vdupq_n_u64(opponent));
        let lines = |first: usize| {
            let ray = vld1q_u64(rays.as_ptr().add(first));
            // the nearest square that is not the opponent's is the lowest one on the ray
            let stop = vbicq_u64(ray, other);
            let nearest = vandq_u64(stop, vsubq_u64(vdupq_n_u64(0), stop));
            let outflank = vandq_u64(nearest, own);
            let run = vandq_u64(ray, vsubq_u64(outflank, vdupq_n_u64(1)));
            vandq_u64(run, vtstq_u64(outflank, outflank))
        };
        vorrq_u64(lines(0), lines(2))
    }
}

/// See [`super::portable::flips`]. Towards the low bits is towards the high ones on the board turned by half a turn.
#[inline(always)]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let up = or_lanes(flips_up(square, player, opponent));
    let down = or_lanes(flips_up(63 - (square & 63), player.reverse_bits(), opponent.reverse_bits()));
    up | down.reverse_bits()
}

/// See [`super::portable::least`].
#[inline(always)]
pub fn least(keys: &[u16; KEYS]) -> (usize, u16) {
    // SAFETY: NEON is there; `keys` are two vectors.
    unsafe {
        let (low, high) = (vld1q_u16(keys.as_ptr()), vld1q_u16(keys.as_ptr().add(8)));
        let least = vminvq_u16(vminq_u16(low, high));
        let all = vdupq_n_u16(least);
        // a byte for each key, then four bits
        let equal = vcombine_u8(vmovn_u16(vceqq_u16(low, all)), vmovn_u16(vceqq_u16(high, all)));
        let places = vreinterpret_u64_u8(vshrn_n_u16::<4>(vreinterpretq_u16_u8(equal)));
        ((vget_lane_u64::<0>(places).trailing_zeros() / 4) as usize % KEYS, least)
    }
}
