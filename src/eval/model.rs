//! The trained model as it is fitted and stored: folded weights, and what is known of their errors.

use super::embedding::Embedding;
use super::error_model::ErrorModels;
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
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Over all patterns.
    pub evaluation: Linear,
    /// What is added to the evaluation, if anything.
    pub embedding: Option<Embedding>,
    /// How far searches with it are off.
    pub errors: ErrorModels,
}

impl Linear {
    /// No knowledge: one phase of zeros.
    pub fn zero() -> Linear {
        Linear { phase_of: [0; EMPTIES], constants: [0; EMPTIES], phases: vec![vec![0; folded_count()]] }
    }

    /// Its phases are those up to the last one that [`Linear::phase_of`] names, and each has a weight for every folded filling.
    pub fn is_valid(&self) -> bool {
        let count = self.phases.len();
        count <= EMPTIES && count == self.phase_count() && self.phases.iter().all(|phase| phase.len() == folded_count())
    }
}

impl Model {
    /// A linear model of which nobody has measured the errors.
    pub fn linear(evaluation: Linear) -> Model {
        Model { evaluation, embedding: None, errors: ErrorModels::GUESS }
    }

    /// A model to which every position is even.
    pub fn zero() -> Model {
        Model::linear(Linear::zero())
    }

    /// All its parts are valid: weights can be made of it, and a file.
    pub fn is_valid(&self) -> bool {
        self.evaluation.is_valid() && self.embedding.as_ref().is_none_or(Embedding::is_valid) && self.errors.is_valid()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn tables_of_other_sizes_are_not_valid() {
        assert!(Model::zero().is_valid() && random_model(1).is_valid());
        let with = |change: &dyn Fn(&mut Model)| {
            let mut model = random_model(2);
            change(&mut model);
            model.is_valid()
        };
        assert!(!with(&|model| model.evaluation.phase_of = [3; EMPTIES]), "there is no fourth phase");
        assert!(!with(&|model| model.evaluation.phase_of = [1; EMPTIES]), "nobody asks for the third one");
        assert!(!with(&|model| model.evaluation.phases.clear()));
        assert!(!with(&|model| model.evaluation.phases[1].truncate(5)));
        assert!(!with(&|model| model.evaluation.phases[2].push(0)));
        assert!(!with(&|model| model.errors.midgame.constant = f32::NAN));
        assert!(!with(&|model| model.embedding = Some(Embedding { heads: Vec::new(), rows: Vec::new() })));
    }

    /// Random weights in three phases.
    pub fn random_model(seed: u64) -> Model {
        let mut rng = StdRng::seed_from_u64(seed);
        let evaluation = Linear {
            phase_of: std::array::from_fn(|empties| (empties / 21) as u8),
            constants: std::array::from_fn(|_| rng.random_range(-300..300)),
            phases: (0..3).map(|_| (0..folded_count()).map(|_| rng.random_range(-2000..2000)).collect()).collect(),
        };
        Model::linear(evaluation)
    }
}
