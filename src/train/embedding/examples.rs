//! Samples in the form the embedding is trained on: the rows they use and what the linear value leaves to explain.

use rayon::prelude::*;

use crate::board::Board;
use crate::eval::pattern::{FAMILIES, FAMILY_OFFSETS, FEATURES, OFFSETS, PATTERNS, folding};
use crate::eval::{Features, UNITS_PER_DISC, Weights};
use crate::train::dataset::Sample;

/// A sample by its rows.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// For each pattern its folded filling, counted from the first one of its family.
    pub rows: [u16; FEATURES],
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

/// The rows of a board for its side to move.
fn rows_of(board: Board, begins: &[u32; FAMILIES + 1]) -> [u16; FEATURES] {
    let features = Features::new(board);
    let fillings = features.fillings(0);
    std::array::from_fn(|f| {
        let place = folding().folded[OFFSETS[f] as usize + fillings[f] as usize];
        (place - begins[PATTERNS[f].family]) as u16
    })
}

/// The examples of samples, in their order; `linear` has the values that are subtracted from the scores.
pub fn examples<'a>(samples: impl Iterator<Item = &'a Sample>, linear: &Weights) -> Vec<Example> {
    let begins = family_begins();
    let example = |sample: &&Sample| {
        let empties = sample.board.empty_count();
        let value = linear.linear_value(&Features::new(sample.board), 0, empties);
        Example {
            rows: rows_of(sample.board, &begins),
            empties: empties as u8,
            residual: sample.target - value as f32 / UNITS_PER_DISC as f32,
            weight: sample.weight,
        }
    };
    let samples: Vec<&Sample> = samples.collect();
    samples.par_iter().map(example).collect()
}
