//! Samples in the form the embedding is trained on: the rows they use and what the linear value leaves to explain.

use rayon::prelude::*;

use crate::board::Board;
use crate::eval::pattern::{FAMILIES, FAMILY_OFFSETS, FEATURES, OFFSETS, PATTERNS, folding};
use crate::eval::regions::{self, KINDS, REGIONS};
use crate::eval::{Features, UNITS_PER_DISC, Weights};
use crate::train::dataset::Sample;

/// Rows that are added up for a position: one for each pattern and for each region.
pub const INPUTS: usize = FEATURES + REGIONS;

/// A sample by its rows.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// For each pattern its folded filling, counted from the first one of its family; for each region its row, counted from the first
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

/// Makes examples of samples. Those of a batch at a time: a sample has 24 bytes, its example 144.
#[derive(Debug)]
pub struct Examples<'a> {
    /// Has the values that are subtracted from the scores.
    linear: &'a Weights,
    begins: [u32; FAMILIES + 1],
    /// All regions, those of a kind side by side.
    order: [usize; REGIONS],
    /// The first row of each kind.
    first_rows: [usize; KINDS],
}

/// Samples that a thread takes at a time.
const PART: usize = 128;

impl<'a> Examples<'a> {
    /// Of samples whose linear values are those of `linear`.
    pub fn new(linear: &'a Weights) -> Examples<'a> {
        let mut order: [usize; REGIONS] = std::array::from_fn(|region| region);
        order.sort_by_key(|&region| regions::kind(region));
        let first_rows = std::array::from_fn(|kind| regions::ROWS[..kind].iter().sum());
        Examples { linear, begins: family_begins(), order, first_rows }
    }

    /// The rows of a board for its side to move.
    fn rows(&self, board: Board) -> [u16; INPUTS] {
        let features = Features::new(board);
        let fillings = features.fillings(0);
        let looks = regions::looks(board, board.legal_moves(), board.pass().legal_moves());
        std::array::from_fn(|f| {
            if f >= FEATURES {
                let region = self.order[f - FEATURES];
                let row = regions::rows()[looks[region] as usize] as usize;
                return (row - self.first_rows[regions::kind(region)]) as u16;
            }
            let place = folding().folded[OFFSETS[f] as usize + fillings[f] as usize];
            (place - self.begins[PATTERNS[f].family]) as u16
        })
    }

    /// The example of a sample.
    pub fn of(&self, sample: &Sample) -> Example {
        let value = self.linear.linear_value(sample.board);
        Example {
            rows: self.rows(sample.board),
            empties: sample.board.empty_count() as u8,
            residual: sample.target - value as f32 / UNITS_PER_DISC as f32,
            weight: sample.weight,
        }
    }

    /// The examples of samples, in their order.
    pub fn of_batch(&self, samples: &[&Sample], examples: &mut Vec<Example>) {
        samples.par_iter().with_min_len(PART).map(|sample| self.of(sample)).collect_into_vec(examples);
    }
}
