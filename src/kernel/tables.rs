//! Constant tables that the kernels share.

use crate::board::rays::STEPS;

/// Distance in bits between neighbours on each of the first four rays (the others go the same distance down).
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) const STRIDES: [i64; 4] = [1, 8, 7, 9];

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
            table[at][line] = flips_on_line(at, line) as u8;
            line += 1;
        }
        at += 1;
    }
    table
}

/// Discs between square `at` of a line and the nearest ones of `mover` on both sides, all of them the other side's.
pub(super) const fn flips_on_line(at: usize, mover: usize) -> u32 {
    let above = mover >> (at + 1);
    let below = mover & ((1 << at) - 1);
    let mut flips = 0;
    if above != 0 {
        flips += above.trailing_zeros();
    }
    if below != 0 {
        flips += below.leading_zeros() - (usize::BITS - at as u32);
    }
    flips
}
