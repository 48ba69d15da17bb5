//! The trained model as it is fitted and stored: folded weights. The file it travels in is that of [`super::file`].

use super::embedding::Embedding;
use super::pattern::{EMPTIES, folded_count};

/// One linear model: weights by phase and filling, constants by number of empties. Units of 1/128 disc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// The phase of each number of empties.
    pub phase_of: [u8; EMPTIES],
    /// What is added at each number of empties.
    pub constants: [i16; EMPTIES],
    /// For each phase, a weight for each folded filling.
    pub phases: Vec<Vec<i16>>,
}

/// Everything a weights file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// Over all patterns.
    pub evaluation: Linear,
    /// What is added to the evaluation, if anything.
    pub embedding: Option<Embedding>,
}

impl Linear {
    /// No knowledge: one phase of zeros.
    pub fn zero() -> Linear {
        Linear { phase_of: [0; EMPTIES], constants: [0; EMPTIES], phases: vec![vec![0; folded_count()]] }
    }
}

impl Model {
    /// A model to which every position is even.
    pub fn zero() -> Model {
        Model { evaluation: Linear::zero(), embedding: None }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::eval::embedding::{Head, MAX_BIAS, MAX_WEIGHT, WIDTH};

    /// Random weights in three phases.
    pub fn random_model(seed: u64) -> Model {
        let mut rng = StdRng::seed_from_u64(seed);
        let evaluation = Linear {
            phase_of: std::array::from_fn(|empties| (empties / 21) as u8),
            constants: std::array::from_fn(|_| rng.random_range(-300..300)),
            phases: (0..3).map(|_| (0..folded_count()).map(|_| rng.random_range(-2000..2000)).collect()).collect(),
        };
        Model { evaluation, embedding: None }
    }

    /// An embedding of random numbers up to `largest` in its rows.
    pub fn random_embedding(seed: u64, largest: i8) -> Embedding {
        let mut rng = StdRng::seed_from_u64(seed);
        let heads = (0..EMPTIES)
            .map(|_| Head {
                bias: std::array::from_fn(|_| rng.random_range(-200..200)),
                weights: std::array::from_fn(|_| rng.random_range(-2000..2000)),
                constant: rng.random_range(-500..500),
            })
            .collect();
        let mut row = |_| std::array::from_fn(|_| rng.random_range(-largest..=largest));
        Embedding { heads, rows: (0..folded_count()).map(&mut row).collect() }
    }

    /// The largest numbers that are valid, all of one sign.
    pub fn extreme_embedding(sign: i16) -> Embedding {
        let row = [if sign < 0 { i8::MIN } else { i8::MAX }; WIDTH];
        let head = Head {
            bias: [MAX_BIAS * sign; WIDTH],
            weights: [(MAX_WEIGHT / WIDTH as i32) as i16 * sign; WIDTH],
            constant: i16::MAX * sign,
        };
        Embedding { heads: vec![head; EMPTIES], rows: vec![row; folded_count()] }
    }
}
