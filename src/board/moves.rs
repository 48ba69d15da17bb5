//! Legal moves and flips in plain integer code: the definition for all layers, and the twin that vector kernels are tested against.

use super::rays::RAYS;

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
