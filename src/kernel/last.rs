//! Tables for the last empty square, as kernels look lines up that they extract from a board.

use super::tables::flips_on_line;
use crate::board::rays::{Rays, rays};

const RAYS_CONST: [Rays; 64] = rays();

/// The four lines through a square that may be the last empty one.
#[repr(C, align(32))]
pub(crate) struct LastLines {
    /// Column, rising and falling diagonal, the square included: what to extract from the player's discs. A row is a byte.
    pub masks: [u64; 3],
    /// Where the part of [`LAST_FLIPS`] for row, column and diagonals begins.
    pub starts: [u16; 4],
}

/// The lines of each square.
pub(crate) static LAST_LINES: [LastLines; 64] = last_lines();

const fn last_lines() -> [LastLines; 64] {
    let mut table = [const { LastLines { masks: [0; 3], starts: [0; 4] } }; 64];
    let mut square = 0;
    while square < 64 {
        let rays = &RAYS_CONST[square].0;
        let bit = 1u64 << square;
        let mut line = 0;
        while line < 4 {
            let mask = rays[line] | rays[line + 4] | bit;
            if line > 0 {
                table[square].masks[line - 1] = mask;
            }
            let at = (mask & (bit - 1)).count_ones() as usize;
            table[square].starts[line] = last_start(mask.count_ones() as usize, at) as u16;
            line += 1;
        }
        square += 1;
    }
    table
}

/// Where the entries for square `at` of a line of `len` squares begin in [`LAST_FLIPS`].
const fn last_start(len: usize, at: usize) -> usize {
    let mut start = at << len;
    let mut shorter = 1;
    while shorter < len {
        start += shorter << shorter;
        shorter += 1;
    }
    start
}

/// For a line of each length, the place of its one empty square and the player's discs on the rest of it: in the low byte
/// what the player would turn there, in the high byte what the opponent would. 7 KB.
pub(crate) static LAST_FLIPS: [u16; last_start(9, 0)] = last_flips();

const fn last_flips() -> [u16; last_start(9, 0)] {
    let mut table = [0; last_start(9, 0)];
    let mut len = 1;
    while len <= 8 {
        let mut at = 0;
        while at < len {
            let mut player = 0usize;
            while player < 1 << len {
                let opponent = !player & ((1 << len) - 1) & !(1 << at);
                let (own, other) = (flips_on_line(at, player & !(1 << at)), flips_on_line(at, opponent));
                table[last_start(len, at) + player] = own as u16 | (other as u16) << 8;
                player += 1;
            }
            at += 1;
        }
        len += 1;
    }
    table
}
