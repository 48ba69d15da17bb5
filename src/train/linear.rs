//! Fitting the linear model, phase by phase.
//!
//! A phase is two plies. It also learns from the plies around it, which count less the farther away they are, and it
//! starts from the weights of the phase before (with more empties) and is held to them where data is scarce: weights
//! change slowly from ply to ply, and tournament games alone are too few to fit each phase by itself.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::checkpoint::{Checkpoints, EVALUATION};
use super::dataset::{Dataset, Sample};
use super::fit::Problem;
use crate::eval::Errors;
use crate::eval::pattern::{FEATURES, OFFSETS, folded_count, folding};
use crate::eval::{EMPTIES, Features, Linear, Model, UNITS_PER_DISC};

/// Number of phases.
pub const PHASES: usize = 30;
/// Unknowns of a sample: one for each pattern and a constant.
const COLUMNS: usize = FEATURES + 1;

/// What front ends let people ask for as [`Settings::decay`].
pub const DECAYS: RangeInclusive<f64> = 1e-6..=1.0;
/// And as [`Settings::shrink`].
pub const SHRINKS: RangeInclusive<f64> = 1e-6..=1e9;

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Plies on each side of a phase that it learns from too.
    pub window: u32,
    /// What a ply of distance from the phase multiplies a sample's weight by.
    pub decay: f32,
    /// Strength of the hold to the weights of the phase before: a filling seen this often goes half the way.
    pub shrink: f32,
    /// Passes over the data for each phase.
    pub iterations: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { window: 4, decay: 0.8, shrink: 20.0, iterations: 12 }
    }
}

/// How the fit of one phase went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PhaseCurve {
    /// Fewest and most empty squares of the phase.
    pub empties: (u32, u32),
    /// Positions learned from, those of the plies around included.
    pub positions: usize,
    /// Root mean squared error on them after each iteration, in discs (the hold to the phase before counted in).
    pub train_rmse: Vec<f64>,
    /// Root mean squared error on the test positions of the phase after each iteration; nothing without any.
    pub test_rmse: Vec<f64>,
}

/// Weights are stored in steps of this many internal units: 1/32 disc.
const STEP: f32 = 4.0;

/// The phase of a number of empties.
pub const fn phase_of(empties: usize) -> usize {
    let phase = (EMPTIES - 1 - empties) / 2;
    if phase < PHASES { phase } else { PHASES - 1 }
}

/// The numbers of empties of a phase, fewest and most.
pub fn empties_of(phase: usize) -> (usize, usize) {
    let of_phase = |&empties: &usize| phase_of(empties) == phase;
    let fewest = (0..EMPTIES).find(of_phase).expect("a phase has plies");
    (fewest, (0..EMPTIES).rfind(of_phase).expect("a phase has plies"))
}

/// Fits a model without an embedding. `progress` sees each phase when it is done; phases that `checkpoints` has are not fitted again, and
/// it sees how their fit went (which checkpoints of earlier versions do not know).
///
/// # Errors
/// When a checkpoint cannot be written.
pub fn fit(
    dataset: &Dataset,
    settings: &Settings,
    checkpoints: &Checkpoints,
    progress: &mut dyn FnMut(PhaseCurve),
) -> std::io::Result<Model> {
    let count = folded_count();
    let mut linear = Linear {
        phase_of: std::array::from_fn(|empties| phase_of(empties) as u8),
        constants: [0; EMPTIES],
        phases: Vec::with_capacity(PHASES),
    };
    let mut theta = vec![0f32; count + EMPTIES];
    for phase in 0..PHASES {
        match checkpoints.load(EVALUATION, phase, theta.len()) {
            Some(known) => {
                theta = known;
                checkpoints.load_note(EVALUATION, phase).into_iter().for_each(&mut *progress);
            }
            None => {
                let curve = fit_phase(dataset, settings, phase, &mut theta);
                // the note first: where the unknowns are, it is too
                checkpoints.save_note(EVALUATION, phase, &curve)?;
                checkpoints.save(EVALUATION, phase, &theta)?;
                progress(curve);
            }
        }
        linear.phases.push(theta[..count].iter().map(|&t| to_units(t, STEP)).collect());
        let (fewest, most) = empties_of(phase);
        for empties in fewest..=most {
            linear.constants[empties] = to_units(theta[count + empties], 1.0);
        }
    }
    // phases before the first with data have learned nothing: better its weights than none
    let has_data = |empties: usize| !dataset.stages[empties].train.is_empty();
    let first = (0..PHASES).find(|&phase| window_of(phase, settings).any(has_data)).unwrap_or(0);
    for phase in 0..first {
        linear.phases[phase] = linear.phases[first].clone();
    }
    // nor has the constant of a number of empties without data: the nearest that has, of those that are odd or even too if there are some
    let seen: Vec<usize> = (0..EMPTIES).filter(|&empties| has_data(empties)).collect();
    for empties in (0..EMPTIES).filter(|&empties| !has_data(empties)) {
        let distance = |&&other: &&usize| (other % 2 != empties % 2, other.abs_diff(empties));
        if let Some(&nearest) = seen.iter().min_by_key(distance) {
            linear.constants[empties] = linear.constants[nearest];
        }
    }
    Ok(Model::linear(linear))
}

/// The numbers of empties that a phase learns from.
fn window_of(phase: usize, settings: &Settings) -> RangeInclusive<usize> {
    let (fewest, most) = empties_of(phase);
    let window = settings.window as usize;
    fewest.saturating_sub(window)..=(most + window).min(EMPTIES - 1)
}

fn fit_phase(dataset: &Dataset, settings: &Settings, phase: usize, theta: &mut [f32]) -> PhaseCurve {
    let (fewest, most) = empties_of(phase);
    let count = folded_count();
    let mut problem = Problem::<COLUMNS>::new(theta.len());
    for empties in window_of(phase, settings) {
        let distance = fewest.saturating_sub(empties) + empties.saturating_sub(most);
        let factor = settings.decay.powi(distance as i32);
        for sample in &dataset.stages[empties].train {
            problem.push(row(sample, count), sample.target, sample.weight * factor);
        }
    }
    let tests: Vec<([u32; COLUMNS], f32)> =
        dataset.stages[fewest..=most].iter().flat_map(|s| &s.test).map(|s| (row(s, count), s.target)).collect();
    let mut curve = PhaseCurve {
        empties: (fewest as u32, most as u32),
        positions: problem.len(),
        train_rmse: Vec::new(),
        test_rmse: Vec::new(),
    };
    problem.solve(theta, settings.shrink, settings.iterations, |iteration| {
        let mut errors = Errors::default();
        for (row, target) in &tests {
            errors.add(row.iter().map(|&place| iteration.theta[place as usize]).sum::<f32>() - target);
        }
        curve.train_rmse.push(iteration.loss.max(0.0).sqrt());
        if errors.count() > 0 {
            curve.test_rmse.push(errors.rmse());
        }
    });
    curve
}

/// The unknowns of a sample: its folded fillings, of which there are `count`, and the constant of its number of empties.
fn row(sample: &Sample, count: usize) -> [u32; COLUMNS] {
    let features = Features::new(sample.board);
    let folding = folding();
    let mut row = [0; COLUMNS];
    for ((place, filling), offset) in row[..FEATURES].iter_mut().zip(features.fillings(0)).zip(OFFSETS) {
        *place = folding.folded[offset as usize + *filling as usize];
    }
    row[FEATURES] = count as u32 + sample.board.empty_count();
    row
}

/// Discs to internal units, rounded to a multiple of `step`.
fn to_units(discs: f32, step: f32) -> i16 {
    let units = (discs * UNITS_PER_DISC as f32 / step).round() * step;
    units.clamp(i16::MIN as f32, i16::MAX as f32) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Squares};
    use crate::search::{Goal, Selectivity, StopToken};
    use crate::selfplay::{Settings as Games, play};
    use crate::train::dataset::Collector;
    use crate::train::labels::Labels;

    #[test]
    fn an_interrupted_fit_knows_how_all_phases_went() {
        let settings = Games { goal: Goal::Depth(1, Selectivity::NONE), exact: 4, ..Games::default() };
        let games: Vec<_> = (0..40).map(|i| play(&settings, i, &StopToken::new()).expect("nothing stops it")).collect();
        let mut collector = Collector::new(1);
        collector.add_selfplay(&games, &Labels::new(&games, 0.9));
        let dataset = collector.finish();
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::new(folder.path(), 1).unwrap();
        let settings = Settings { iterations: 1, ..Settings::default() };
        let fit = || {
            let mut curves = Vec::new();
            let model = fit(&dataset, &settings, &checkpoints, &mut |curve| curves.push(curve)).unwrap();
            (model, curves)
        };
        let whole = fit();
        assert_eq!(whole.1.len(), PHASES);
        assert!(whole.1.iter().any(|curve| curve.test_rmse.len() == 1));
        // what a kill after ten phases leaves
        (10..PHASES)
            .for_each(|phase| std::fs::remove_file(folder.path().join(format!("evaluation-{phase:02}.f32"))).unwrap());
        assert!(fit() == whole, "other curves");
        // earlier versions kept no curves
        (0..3)
            .for_each(|phase| std::fs::remove_file(folder.path().join(format!("evaluation-{phase:02}.json"))).unwrap());
        let again = fit();
        assert!(again.0 == whole.0 && again.1 == whole.1[3..], "other curves");
    }

    #[test]
    fn positions_of_other_phases_count_less() {
        let board = Board::START;
        let mut dataset = Dataset { stages: vec![Default::default(); EMPTIES] };
        // one of the phase, and one each, of another value, a ply before it and behind it
        for (empties, target) in [(28, 10.0), (29, 2.0), (31, -20.0)] {
            dataset.stages[empties].train.push(Sample { board, target, weight: 1.0 });
        }
        let value = |decay| {
            let settings = Settings { window: 1, decay, shrink: 1e-6, iterations: 20 };
            let mut theta = vec![0.0; folded_count() + EMPTIES];
            assert_eq!(fit_phase(&dataset, &settings, 15, &mut theta).positions, 3);
            let sample = Sample { board, target: 0.0, weight: 1.0 };
            row(&sample, folded_count()).iter().map(|&place| theta[place as usize]).sum::<f32>()
        };
        for (decay, mean) in [(1e-6, 2.0), (0.5, (2.0 + 5.0 - 10.0) / 2.0), (1.0, (2.0 + 10.0 - 20.0) / 3.0)] {
            assert!((value(decay) - mean).abs() < 0.01, "{decay}: {}", value(decay));
        }
    }

    #[test]
    fn numbers_of_empties_without_positions_are_as_their_neighbours() {
        let mut dataset = Dataset { stages: vec![Default::default(); EMPTIES] };
        let mut board = Board::START;
        while !board.is_game_over() {
            let empties = board.empty_count();
            // some in the midst are missing, as are the first eight plies
            if empties <= 52 && ![20, 21, 22, 23].contains(&empties) {
                let target = if empties.is_multiple_of(2) { 5.0 } else { -3.0 };
                dataset.stages[empties as usize].train.push(Sample { board, target, weight: 1000.0 });
            }
            let square = Squares(board.legal_moves()).next();
            board = square.map_or(board.pass(), |square| board.after(square, board.flips(square)));
        }
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::new(folder.path(), 1).unwrap();
        let model =
            fit(&dataset, &Settings { iterations: 2, ..Settings::default() }, &checkpoints, &mut |_| {}).unwrap();
        let constants = model.evaluation.constants;
        let seen: Vec<usize> = (0..EMPTIES).filter(|&empties| !dataset.stages[empties].train.is_empty()).collect();
        assert!(seen.iter().all(|&empties| constants[empties] != 0), "{constants:?}");
        for empties in 53..EMPTIES {
            assert_eq!(constants[empties], constants[52 - (empties - 52) % 2], "{empties}");
        }
        assert_eq!([20, 21, 22, 23].map(|e| constants[e]), [18, 19, 24, 25].map(|e| constants[e]));
    }

    #[test]
    fn phases_cover_all_empties() {
        assert_eq!(empties_of(0), (59, 60));
        assert_eq!(empties_of(15), (29, 30));
        assert_eq!(empties_of(PHASES - 1), (0, 2));
        assert!((0..EMPTIES).all(|e| empties_of(phase_of(e)).0 <= e && e <= empties_of(phase_of(e)).1));
    }

    #[test]
    fn units_are_rounded_and_bounded() {
        assert_eq!([0.0, 1.0, -1.0, 0.01, 0.02, -0.02].map(|d| to_units(d, STEP)), [0, 128, -128, 0, 4, -4]);
        assert_eq!([1e9, -1e9].map(|d| to_units(d, STEP)), [i16::MAX, i16::MIN]);
    }
}
