//! Samples in the form the embedding is trained on: the rows they use and what the linear value leaves to explain.

use rayon::prelude::*;

use crate::board::Board;
use crate::eval::blocks::{self, BLOCKS, LOOKS};
use crate::eval::pattern::{FAMILIES, FAMILY_OFFSETS, FEATURES, OFFSETS, PATTERNS, folding};
use crate::eval::{Features, UNITS_PER_DISC, Weights};
use crate::train::dataset::Sample;

/// Rows that are added up for a position: one for each pattern and for each block.
pub const INPUTS: usize = FEATURES + BLOCKS;

/// A sample by its rows.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// For each pattern its folded filling, counted from the first one of its family; for each block its row, counted from the first
    /// one of its kind.
    pub rows: [u16; INPUTS],
    /// Number of empty squares.
    pub empties: u8,
    /// Score minus the linear value, in discs.
    pub residual: f32,
    /// How much the sample counts.
    pub weight: f32,
}

/// The index of the first folded filling of each family, and after the last family how many there are.
pub fn family_begins() -> [u32; FAMILIES + 1] {
    let folding = folding();
    std::array::from_fn(|family| FAMILY_OFFSETS.get(family).map_or(folding.count as u32, |&at| folding.folded[at]))
}

/// All blocks, those of a kind side by side.
fn blocks_by_kind() -> [usize; BLOCKS] {
    let mut order: [usize; BLOCKS] = std::array::from_fn(|block| block);
    order.sort_by_key(|&block| blocks::kind(block));
    order
}

/// The rows of a board for its side to move.
fn rows_of(board: Board, begins: &[u32; FAMILIES + 1], order: &[usize; BLOCKS]) -> [u16; INPUTS] {
    let features = Features::new(board);
    let fillings = features.fillings(0);
    let looks = blocks::looks(board.legal_moves(), board.pass().legal_moves());
    std::array::from_fn(|f| {
        if f >= FEATURES {
            let block = order[f - FEATURES];
            return blocks::rows()[block][looks[block] as usize] % LOOKS as u16;
        }
        let place = folding().folded[OFFSETS[f] as usize + fillings[f] as usize];
        (place - begins[PATTERNS[f].family]) as u16
    })
}

/// The examples of samples, in their order; `linear` has the values that are subtracted from the scores.
pub fn examples<'a>(samples: impl Iterator<Item = &'a Sample>, linear: &Weights) -> Vec<Example> {
    let (begins, order) = (family_begins(), blocks_by_kind());
    let example = |sample: &&Sample| {
        let value = linear.linear_value(sample.board);
        Example {
            rows: rows_of(sample.board, &begins, &order),
            empties: sample.board.empty_count() as u8,
            residual: sample.target - value as f32 / UNITS_PER_DISC as f32,
            weight: sample.weight,
        }
    };
    let samples: Vec<&Sample> = samples.collect();
    samples.par_iter().map(example).collect()
}
