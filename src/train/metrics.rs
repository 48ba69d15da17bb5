//! How far evaluations are off.

use serde::{Deserialize, Serialize};

use super::dataset::{Dataset, Sample};
use crate::analysis::accuracy::Interval;
use crate::board::Board;
use crate::eval::{Errors, UNITS_PER_DISC, Weights};

/// How finished weights do on the positions with one number of empty squares. Nothing is known of errors without test positions.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct StageErrors {
    /// Number of empty squares.
    pub empties: u32,
    /// Positions trained on.
    pub train_positions: usize,
    /// Positions tested.
    pub test_positions: usize,
    /// Mean absolute error of the evaluation on them, in discs.
    pub mae: Option<f64>,
    /// Root mean squared error of the evaluation.
    pub rmse: Option<f64>,
    /// Mean of evaluation minus label: above zero, the side to move is overrated.
    pub mean_error: Option<f64>,
    /// 95 % interval of the mean absolute error; none with fewer than two test positions.
    pub mae_interval: Option<Interval>,
    /// 95 % interval of the mean error.
    pub mean_error_interval: Option<Interval>,
    /// Mean absolute error of the linear part of the evaluation.
    pub linear_mae: Option<f64>,
    /// Mean absolute error of the weights built into the program.
    pub built_in_mae: Option<f64>,
    /// Mean absolute error of the value 0: how far the scores spread.
    pub zero_mae: Option<f64>,
}

/// Mean absolute error over all test positions, in discs; `None` without any.
pub fn mean_absolute_error(stages: &[StageErrors]) -> Option<f64> {
    let tested: usize = stages.iter().map(|stage| stage.test_positions).sum();
    let total: f64 = stages.iter().filter_map(|stage| Some(stage.mae? * stage.test_positions as f64)).sum();
    (tested > 0).then(|| total / tested as f64)
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
            let known = |figure: f64| (!stage.test.is_empty()).then_some(figure);
            let differences = differences(weights, &stage.test);
            let absolute: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
            StageErrors {
                empties: empties as u32,
                train_positions: stage.train.len(),
                test_positions: full.count(),
                mae: known(full.mae()),
                rmse: known(full.rmse()),
                mean_error: known(differences.iter().sum::<f64>() / differences.len() as f64),
                mae_interval: Interval::of_mean(&absolute),
                mean_error_interval: Interval::of_mean(&differences),
                linear_mae: known(errors(Weights::linear_value).mae()),
                built_in_mae: known(errors_of(&built_in, &stage.test, evaluate).mae()),
                zero_mae: known(errors(|_, _| 0).mae()),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::dataset::Stage;

    /// Figures of four test positions whose labels are so far below the evaluation.
    #[test]
    fn errors_of_a_stage() {
        let weights = Weights::embedded();
        let off = [3.0, -1.0, 2.0, 4.0];
        let board = Board::START;
        let value = weights.evaluate_fine(board) as f32 / UNITS_PER_DISC as f32;
        let sample = |off: &f32| Sample { board, target: value - off, weight: 1.0 };
        let mut stages = vec![Stage::default(); 61];
        stages[60] = Stage { train: vec![sample(&0.0)], test: off.iter().map(sample).collect() };
        stages[59].train.push(sample(&0.0));
        let tested = test(&Dataset { stages }, &weights);
        let near = |found: Option<f64>, wanted: f64| (found.unwrap() - wanted).abs() < 1e-4;
        let stage = &tested[0];
        assert_eq!((tested.len(), stage.empties, stage.train_positions, stage.test_positions), (2, 60, 1, 4));
        assert!(near(stage.mae, 2.5) && near(stage.mean_error, 2.0) && near(stage.rmse, 7.5f64.sqrt()), "{stage:?}");
        assert_eq!(stage.built_in_mae, stage.mae);
        let middle = |interval: Option<Interval>| interval.map(|interval| (interval.low + interval.high) / 2.0);
        assert!(near(middle(stage.mae_interval), 2.5) && near(middle(stage.mean_error_interval), 2.0), "{stage:?}");
        let untested = &tested[1];
        assert_eq!((untested.mae, untested.mean_error, untested.test_positions), (None, None, 0));
        assert!(near(mean_absolute_error(&tested), 2.5));
    }
}
