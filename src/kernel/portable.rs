//! Kernels in plain integer code: the twin every vector kernel is tested against, and the tier for
//! machines without AVX2.

use super::KEYS;
use super::tables::LINE_FLIPS;
pub use crate::board::moves::{flips, moves};
use crate::board::rays::RAYS;

/// Number of discs that `player` turns on `square`, the only empty one: all other squares count as the opponent's.
#[inline(always)]
pub fn last_flips(square: usize, player: u64) -> u32 {
    const FILE: u64 = 0x0101_0101_0101_0101;
    let (x, y) = (square & 7, square >> 3 & 7);
    let rays = &RAYS[square & 63].0;
    let row = (player >> (8 * y)) & 0xFF;
    let column = ((player >> x & FILE).wrapping_mul(0x0102_0408_1020_4080)) >> 56;
    // each diagonal has at most one square a column: adding the rows up gathers it
    let rising = (player & (rays[2] | rays[6])).wrapping_mul(FILE) >> 56;
    let falling = (player & (rays[3] | rays[7])).wrapping_mul(FILE) >> 56;
    let across = &LINE_FLIPS[x];
    across[row as usize] as u32
        + LINE_FLIPS[y][column as usize] as u32
        + across[rising as usize] as u32
        + across[falling as usize] as u32
}

/// [`last_flips`] of the player, and of the opponent for when the player cannot move (0 when it can, the number then does
/// not matter).
#[inline(always)]
pub fn last_flips_both(square: usize, player: u64) -> (u32, u32) {
    let own = last_flips(square, player);
    if own > 0 { (own, 0) } else { (0, last_flips(square, !player & !(1 << (square & 63)))) }
}

/// The least of the keys and its place, the first of equal ones.
#[inline(always)]
pub fn least(keys: &[u16; KEYS]) -> (usize, u16) {
    let mut least = u32::MAX;
    let mut i = 0;
    while i < KEYS {
        least = least.min((keys[i] as u32) << 16 | i as u32);
        i += 1;
    }
    (least as usize % KEYS, (least >> 16) as u16)
}
