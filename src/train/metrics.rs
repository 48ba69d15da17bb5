//! How far evaluations are off.

use serde::{Deserialize, Serialize};

use super::dataset::{Dataset, Sample};
use crate::analysis::accuracy::Interval;
use crate::board::Board;
use crate::eval::{Errors, UNITS_PER_DISC, Weights};

/// How finished weights do on the positions with one number of empty squares.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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
    /// Mean of evaluation minus label: above zero, the side to move is overrated.
    pub mean_error: f64,
    /// 95 % interval of the mean absolute error; none with fewer than two test positions.
    pub mae_interval: Option<Interval>,
    /// 95 % interval of the mean error.
    pub mean_error_interval: Option<Interval>,
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
    let evaluate: Value = Weights::evaluate_fine;
    let stages = dataset.stages.iter().enumerate().rev();
    stages
        .filter(|(_, stage)| !stage.train.is_empty() || !stage.test.is_empty())
        .map(|(empties, stage)| {
            let errors = |value: Value| errors_of(weights, &stage.test, value);
            let full = errors(evaluate);
            let differences = differences(weights, &stage.test);
            let absolute: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
            StageErrors {
                empties: empties as u32,
                train_positions: stage.train.len(),
                test_positions: full.count(),
                mae: full.mae(),
                rmse: full.rmse(),
                mean_error: differences.iter().sum::<f64>() / differences.len().max(1) as f64,
                mae_interval: Interval::of_mean(&absolute),
                mean_error_interval: Interval::of_mean(&differences),
                linear_mae: errors(Weights::linear_value).mae(),
                built_in_mae: errors_of(&built_in, &stage.test, evaluate).mae(),
                zero_mae: errors(|_, _| 0).mae(),
            }
        })
        .collect()
}

/// A value of a position for its side to move, in internal units.
type Value = fn(&Weights, Board) -> i32;

fn errors_of(weights: &Weights, samples: &[Sample], value: Value) -> Errors {
    let mut errors = Errors::default();
    for sample in samples {
        let units = value(weights, sample.board);
        errors.add(units as f32 / UNITS_PER_DISC as f32 - sample.target);
    }
    errors
}

/// Evaluation minus label, in discs.
fn differences(weights: &Weights, samples: &[Sample]) -> Vec<f64> {
    let difference = |sample: &Sample| {
        let units = weights.evaluate_fine(sample.board);
        units as f64 / UNITS_PER_DISC as f64 - sample.target as f64
    };
    samples.iter().map(difference).collect()
}
