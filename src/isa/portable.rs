//! Kernels in plain integer code: the twin every vector kernel is tested against, and the tier for
//! machines without AVX2.

/// Squares on which `player` outflanks `opponent`, empties not yet masked in (parallel-prefix fill in 8 directions).
#[inline(always)]
pub fn moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & 0x7E7E_7E7E_7E7E_7E7E;
    prefix(player, inner, 1) | prefix(player, opponent, 8) | prefix(player, inner, 7) | prefix(player, inner, 9)
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

/// The rays from each square: four towards the high bits, then four towards the low bits.
pub(crate) static RAYS: [[u64; 8]; 64] = rays();

const fn rays() -> [[u64; 8]; 64] {
    // (column step, row step); the first four lead to higher bits
    const STEPS: [(i32, i32); 8] = [(1, 0), (0, 1), (-1, 1), (1, 1), (-1, 0), (0, -1), (1, -1), (-1, -1)];
    let mut rays = [[0; 8]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (dx, dy) = STEPS[direction];
            let mut x = square as i32 % 8 + dx;
            let mut y = square as i32 / 8 + dy;
            while x >= 0 && x < 8 && y >= 0 && y < 8 {
                rays[square][direction] |= 1u64 << (y * 8 + x);
                x += dx;
                y += dy;
            }
            direction += 1;
        }
        square += 1;
    }
    rays
}

/// Opponent discs turned by `player` placing a disc on `square`.
#[inline(always)]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let rays = &RAYS[square];
    let mut flips = 0;
    let mut i = 0;
    while i < 4 {
        // towards the high bits: the nearest non-opponent square is the lowest one on the ray
        let ray = rays[i];
        let stop = ray & !opponent;
        let outflank = stop & stop.wrapping_neg() & player;
        flips |= ray & outflank.wrapping_sub((outflank != 0) as u64);
        // towards the low bits: the nearest non-opponent square is the highest one on the ray
        let ray = rays[i + 4];
        let stop = (ray & !opponent) | 1;
        let outflank = (1u64 << 63 >> stop.leading_zeros()) & ray & player;
        flips |= ray & (outflank << 1).wrapping_neg();
        i += 1;
    }
    flips
}
