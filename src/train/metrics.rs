//! How far evaluations are off.

use serde::Serialize;

use super::dataset::{Dataset, Sample};
use crate::eval::{Errors, Features, UNITS_PER_DISC, Weights};

/// How finished weights do on the positions with one number of empty squares.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StageErrors {
    /// Number of empty squares.
    pub empties: u32,
    /// Positions trained on.
    pub train_positions: usize,
    /// Positions tested.
    pub test_positions: usize,
    /// Mean absolute error of the evaluation on them, in discs.
    pub mae: f64,
    /// Root mean squared error of the evaluation.
    pub rmse: f64,
    /// Mean absolute error of the linear part of the evaluation.
    pub linear_mae: f64,
    /// Mean absolute error of the weights built into the program.
    pub built_in_mae: f64,
    /// Mean absolute error of the value 0: how far the scores spread.
    pub zero_mae: f64,
}

/// Tests weights, as the search would use them, on the positions left out of training; by falling number of empties.
pub fn test(dataset: &Dataset, weights: &Weights) -> Vec<StageErrors> {
    let built_in = Weights::embedded();
    let evaluate: Value = |weights, features, empties| weights.evaluate_fine(features, 0, empties);
    let stages = dataset.stages.iter().enumerate().rev();
    stages
        .filter(|(_, stage)| !stage.train.is_empty() || !stage.test.is_empty())
        .map(|(empties, stage)| {
            let errors = |value: Value| errors_of(weights, &stage.test, value);
            let full = errors(evaluate);
            StageErrors {
                empties: empties as u32,
                train_positions: stage.train.len(),
                test_positions: full.count(),
                mae: full.mae(),
                rmse: full.rmse(),
                linear_mae: errors(|weights, features, empties| weights.linear_value(features, 0, empties)).mae(),
                built_in_mae: errors_of(&built_in, &stage.test, evaluate).mae(),
                zero_mae: errors(|_, _, _| 0).mae(),
            }
        })
        .collect()
}

/// A value of a position with this many empties, for its view 0, in internal units.
type Value = fn(&Weights, &Features, u32) -> i32;

fn errors_of(weights: &Weights, samples: &[Sample], value: Value) -> Errors {
    let mut errors = Errors::default();
    for sample in samples {
        let units = value(weights, &Features::new(sample.board), sample.board.empty_count());
        errors.add(units as f32 / UNITS_PER_DISC as f32 - sample.target);
    }
    errors
}
