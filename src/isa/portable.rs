//! Kernels in plain integer code: the twin every vector kernel is tested against, and the tier for
//! machines without AVX2.

use super::tables::{LINE_FLIPS, RAYS};

/// Empty squares on which `player` outflanks `opponent` (parallel-prefix fill in 8 directions).
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & 0x7E7E_7E7E_7E7E_7E7E;
    let reached =
        prefix(player, inner, 1) | prefix(player, opponent, 8) | prefix(player, inner, 7) | prefix(player, inner, 9);
    reached & !(player | opponent)
}

/// Both senses of one direction, `shift` bits apart.
#[inline(always)]
fn prefix(player: u64, mask: u64, shift: u32) -> u64 {
    let mut up = mask & (player << shift);
    let mut down = mask & (player >> shift);
    up |= mask & (up << shift);
    down |= mask & (down >> shift);
    let mask_up = mask & (mask << shift);
    let mask_down = mask & (mask >> shift);
    up |= mask_up & (up << (2 * shift));
    down |= mask_down & (down >> (2 * shift));
    up |= mask_up & (up << (2 * shift));
    down |= mask_down & (down >> (2 * shift));
    (up << shift) | (down >> shift)
}

/// Opponent discs turned by `player` placing a disc on the empty `square`.
#[inline(always)]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let rays = &RAYS[square & 63].0;
    let mut flips = 0;
    let mut i = 0;
    while i < 4 {
        // towards the high bits: the nearest square that is not the opponent's is the lowest one on the ray
        let ray = rays[i];
        let stop = ray & !opponent;
        let outflank = stop & stop.wrapping_neg() & player;
        flips |= ray & outflank.wrapping_sub((outflank != 0) as u64);
        // towards the low bits: it is the highest one (bit 0 keeps the count of zeros below 64)
        let ray = rays[i + 4];
        let stop = (ray & !opponent) | 1;
        let outflank = (1u64 << 63 >> stop.leading_zeros()) & ray & player;
        flips |= ray & (outflank << 1).wrapping_neg();
        i += 1;
    }
    flips
}

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
