//! Constant tables that the kernels share.

/// The rays from one square: four towards the high bits (east, south, south-west, south-east), then the
/// four opposite ones. One cache line.
#[repr(C, align(64))]
pub(crate) struct Rays(pub [u64; 8]);

/// Steps of [`Rays`] as (column, row).
const STEPS: [(i32, i32); 8] = [(1, 0), (0, 1), (-1, 1), (1, 1), (-1, 0), (0, -1), (1, -1), (-1, -1)];

/// Distance in bits between neighbours on each of the first four rays (the others go the same distance down).
#[cfg(target_arch = "x86_64")]
pub(crate) const STRIDES: [i64; 4] = [1, 8, 7, 9];

/// Rays from each square.
pub(crate) static RAYS: [Rays; 64] = rays();

const fn rays() -> [Rays; 64] {
    let mut table = [const { Rays([0; 8]) }; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (dx, dy) = STEPS[direction];
            let mut x = square as i32 % 8 + dx;
            let mut y = square as i32 / 8 + dy;
            while x >= 0 && x < 8 && y >= 0 && y < 8 {
                table[square].0[direction] |= 1u64 << (y * 8 + x);
                x += dx;
                y += dy;
            }
            direction += 1;
        }
        square += 1;
    }
    table
}

/// The up to eight squares that touch a square: a move there can only flip when one of them is an opponent disc.
pub(crate) static NEIGHBOURS: [u64; 64] = neighbours();

const fn neighbours() -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 8 {
            let (dx, dy) = STEPS[direction];
            let (x, y) = (square as i32 % 8 + dx, square as i32 / 8 + dy);
            if x >= 0 && x < 8 && y >= 0 && y < 8 {
                table[square] |= 1u64 << (y * 8 + x);
            }
            direction += 1;
        }
        square += 1;
    }
    table
}

/// `LINE_FLIPS[i][line]`: discs flipped on a line of 8 by a disc on its square `i`, when `line` holds the
/// mover's discs and every other square is the opponent's.
pub(crate) static LINE_FLIPS: [[u8; 256]; 8] = line_flips();

const fn line_flips() -> [[u8; 256]; 8] {
    let mut table = [[0; 256]; 8];
    let mut at = 0;
    while at < 8 {
        let mut line = 0usize;
        while line < 256 {
            let above = line >> (at + 1);
            let below = line & ((1 << at) - 1);
            let mut flips = 0;
            if above != 0 {
                flips += above.trailing_zeros();
            }
            if below != 0 {
                flips += below.leading_zeros() - (usize::BITS - at as u32);
            }
            table[at][line] = flips as u8;
            line += 1;
        }
        at += 1;
    }
    table
}

/// Both diagonals through each square, without the square itself.
pub(crate) static DIAGONALS: [u64; 64] = diagonals();

const fn diagonals() -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let rays = RAYS_CONST[square].0;
        table[square] = rays[2] | rays[3] | rays[6] | rays[7];
        square += 1;
    }
    table
}

const RAYS_CONST: [Rays; 64] = rays();
const DIAGONALS_CONST: [u64; 64] = diagonals();
const DIAGONAL_OFFSETS_CONST: [u32; 64] = diagonal_offsets();

/// Start of each square's part of [`DIAGONAL_FLIPS`].
pub(crate) static DIAGONAL_OFFSETS: [u32; 64] = diagonal_offsets();

const fn diagonal_offsets() -> [u32; 64] {
    let mut table = [0; 64];
    let mut square = 1;
    while square < 64 {
        table[square] = table[square - 1] + (1 << DIAGONALS_CONST[square - 1].count_ones());
        square += 1;
    }
    table
}

const DIAGONAL_ENTRIES: usize = diagonal_offsets()[63] as usize + (1 << DIAGONALS_CONST[63].count_ones());

/// Discs flipped on both diagonals through a square when all other squares are taken: the mover's discs on
/// [`DIAGONALS`], extracted in bit order, are the index after [`DIAGONAL_OFFSETS`] (idea: Neural Reversi).
pub(crate) static DIAGONAL_FLIPS: [u8; DIAGONAL_ENTRIES] = diagonal_flips();

#[allow(long_running_const_eval)]
const fn diagonal_flips() -> [u8; DIAGONAL_ENTRIES] {
    let mut table = [0; DIAGONAL_ENTRIES];
    let mut square = 0;
    while square < 64 {
        // the two diagonals are independent: a small table for each, and the sum of both for every entry
        let rays = &RAYS_CONST[square].0;
        let rising = one_diagonal(rays[2], rays[6]);
        let falling = one_diagonal(rays[3], rays[7]);
        let mask = DIAGONALS_CONST[square];
        let rising_mask = rays[2] | rays[6];
        let start = DIAGONAL_OFFSETS_CONST[square] as usize;
        // (index into `rising`, index into `falling`) of each extracted index, packed in a byte pair
        let mut parts = [(0u8, 0u8); 1 << 13];
        table[start] = rising[0] + falling[0];
        let mut left = mask;
        let mut count = 1;
        let (mut rising_bit, mut falling_bit) = (1u8, 1u8);
        while left != 0 {
            let is_rising = left & left.wrapping_neg() & rising_mask != 0;
            let mut i = 0;
            while i < count {
                let (r, f) = parts[i];
                let (r, f) = if is_rising { (r | rising_bit, f) } else { (r, f | falling_bit) };
                parts[count + i] = (r, f);
                table[start + count + i] = rising[r as usize] + falling[f as usize];
                i += 1;
            }
            if is_rising {
                rising_bit = rising_bit.wrapping_shl(1);
            } else {
                falling_bit = falling_bit.wrapping_shl(1);
            }
            count *= 2;
            left &= left - 1;
        }
        square += 1;
    }
    table
}

/// Flips along one diagonal (its two rays) for every set of the mover's discs on it, by extracted index.
const fn one_diagonal(up_ray: u64, down_ray: u64) -> [u8; 128] {
    let mask = up_ray | down_ray;
    let mut table = [0; 128];
    let mut entry = 0;
    let mut player = 0u64;
    loop {
        let up = up_ray & player;
        if up != 0 {
            table[entry] += (up_ray & ((up & up.wrapping_neg()) - 1)).count_ones() as u8;
        }
        let down = down_ray & player;
        if down != 0 {
            let nearest = 1u64 << (63 - down.leading_zeros());
            table[entry] += (down_ray & !(nearest | (nearest - 1))).count_ones() as u8;
        }
        entry += 1;
        // the next subset of `mask`, in the order of extracted bits
        player = player.wrapping_sub(mask) & mask;
        if player == 0 {
            return table;
        }
    }
}
