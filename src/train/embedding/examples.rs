//! Samples in the form the embedding is trained on: the rows they use and what the linear model leaves to explain.

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
    /// Number of moves of the side to move and of the other side.
    pub mobility: [u8; 2],
    /// Score minus the linear value, in discs.
    pub residual: f32,
    /// How much the sample counts.
    pub weight: f32,
}

/// Index of the first folded filling of each family, and after the last family their number.
pub fn family_begins() -> [u32; FAMILIES + 1] {
    let folding = folding();
    let first = |family: usize| FAMILY_OFFSETS.get(family).map_or(folding.count as u32, |&at| folding.folded[at]);
    std::array::from_fn(first)
}

/// The rows of a board for its side to move.
pub fn rows_of(board: Board, begins: &[u32; FAMILIES + 1]) -> [u16; FEATURES] {
    let features = Features::new(board);
    let folded = &folding().folded;
    let fillings = features.fillings(0);
    std::array::from_fn(|f| {
        let place = folded[OFFSETS[f] as usize + fillings[f] as usize];
        (place - begins[PATTERNS[f].family]) as u16
    })
}

/// Examples of samples; `linear` gives the values that are subtracted from the scores.
pub fn examples<'a>(samples: impl IntoParallelIterator<Item = &'a Sample>, linear: &Weights) -> Vec<Example> {
    let begins = family_begins();
    let example = |sample: &Sample| {
        let board = sample.board;
        let empties = board.empty_count();
        let value = linear.linear_value(&Features::new(board), 0, empties) as f32 / UNITS_PER_DISC as f32;
        let moves = |board: Board| board.legal_moves().count_ones() as u8;
        Example {
            rows: rows_of(board, &begins),
            empties: empties as u8,
            mobility: [moves(board), moves(board.pass())],
            residual: sample.target - value,
            weight: sample.weight,
        }
    };
    samples.into_par_iter().map(example).collect()
}
