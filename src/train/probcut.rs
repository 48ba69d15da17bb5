//! The error model of ProbCut, measured: how far a shallow search is from a deep one.
//!
//! Positions come from the engine's own games. Each is searched without selectivity at every depth up to a limit
//! (and, near the end, exactly); the differences between depths, grouped by empties and depths, give standard
//! deviations, and a log-linear model is fitted to those by weighted least squares. Log-linear because a standard
//! deviation must stay positive and grows by a factor with each ply (the form is Neural Reversi's).

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use serde::Serialize;

use super::SEARCHES;
use crate::board::{Board, Squares};
use crate::engine::{Engine, Options};
use crate::equations::solve;
use crate::eval::{ErrorModel, ErrorModels, Weights};
use crate::rules::{Color, Position};
use crate::search::othello::{MIDGAME_DEVIATIONS, by_moves, margin, probe_depth};
use crate::search::selective::DEVIATIONS;
use crate::search::{Goal, Limits, Selectivity, StopToken};
use crate::workers;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Positions of the midgame; none: its errors are not measured.
    pub midgame: usize,
    /// Positions to be solved exactly; none: the errors of searches to the end are not measured.
    pub endgame: usize,
    /// Deepest midgame search.
    pub max_depth: u8,
    /// Most empties of a position to be solved.
    pub max_empties: u32,
    /// Seed of the games.
    pub seed: u64,
}

/// Most positions of either kind that front ends let people ask for: they are in memory together, and take months of a core.
pub const MOST_POSITIONS: usize = 10_000_000;

impl Default for Settings {
    fn default() -> Settings {
        Settings { midgame: 1500, endgame: 600, max_depth: 9, max_empties: 19, seed: 1 }
    }
}

/// `ln sigma = constant + by_probe * probe + by_depth * depth + by_empties * empties`, sigma in discs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LogLinear {
    /// ln sigma at zero.
    pub constant: f64,
    /// For each ply of the shallow search.
    pub by_probe: f64,
    /// For each ply of the deep search; 0 in the endgame model, where it equals the empties.
    pub by_depth: f64,
    /// For each empty square.
    pub by_empties: f64,
    /// Root mean square difference between the model and the measured ln sigma.
    pub residual: f64,
}

impl LogLinear {
    fn error_model(&self) -> ErrorModel {
        ErrorModel {
            constant: self.constant as f32,
            by_probe: self.by_probe as f32,
            by_depth: self.by_depth as f32,
            by_empties: self.by_empties as f32,
        }
    }
}

/// One group of differences.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Group {
    /// Empty squares, rounded down to a multiple of [`BUCKET`].
    pub empties: u32,
    /// Depth of the deep search.
    pub depth: u32,
    /// Depth of the shallow search.
    pub probe: u32,
    /// Number of positions.
    pub count: usize,
    /// Mean of deep minus shallow, in discs.
    pub bias: f64,
    /// Root mean square of deep minus shallow, in discs.
    pub sigma: f64,
}

/// Empties that share a group.
pub const BUCKET: u32 = 4;
/// Groups of fewer positions are left out of the fit.
const MIN_COUNT: usize = 20;

/// What the cuts of one confidence are worth, with the error model that the weights have now.
///
/// A probe cuts any window that it is beyond by the margin; what is counted is the closest of these windows, above and below,
/// for every depth that is cut at: the full-width value is on the same side of it, or it is not. Windows further away
/// are confirmed more often still.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LevelCheck {
    /// Confidence in percent: the share of errors inside the margin on both sides.
    pub percent: u32,
    /// Standard deviations in the margin.
    pub deviations: f32,
    /// Pairs of a search and its probe.
    pub count: usize,
    /// Share (0 to 1) of cuts above the window that full width confirms; `None` without pairs.
    pub above: Option<f64>,
    /// Share of cuts below the window that full width confirms.
    pub below: Option<f64>,
    /// Share of pairs for which both are: what the confidence promises.
    pub both: Option<f64>,
}

/// The measured groups and the fitted models.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// Whether cuts in midgame searches deserve their confidences.
    pub midgame_levels: Vec<LevelCheck>,
    /// Whether cuts in solves do.
    pub endgame_levels: Vec<LevelCheck>,
    /// Midgame groups.
    pub midgame_groups: Vec<Group>,
    /// Endgame groups: the deep search is exact.
    pub endgame_groups: Vec<Group>,
    /// Midgame model; `None` when there are fewer groups than numbers to fit.
    pub midgame: Option<LogLinear>,
    /// Endgame model, likewise.
    pub endgame: Option<LogLinear>,
}

/// Shallower searches are not cut.
const LEAST_DEPTH: usize = 3;
/// Groups that four numbers are fitted to at least.
const MIN_GROUPS: usize = 8;

impl Fit {
    /// The fitted models as weights carry them, where by `settings` something was measured, else those that are `known`.
    ///
    /// # Errors
    /// [`NoErrorModel`]: too little was measured to trust it, or what was fitted is of no use.
    pub fn error_models(&self, settings: &Settings, known: &ErrorModels) -> Result<ErrorModels, NoErrorModel> {
        let part = |name, positions: usize, groups: &[Group], fitted: Option<LogLinear>, known: ErrorModel| {
            if positions == 0 {
                return Ok(known);
            }
            let fitted = fitted.filter(|_| groups.len() >= MIN_GROUPS).ok_or(NoErrorModel::TooFew)?;
            Some(fitted.error_model()).filter(ErrorModel::is_valid).ok_or(NoErrorModel::OutOfRange(name))
        };
        let midgame = part("midgame", settings.midgame, &self.midgame_groups, self.midgame, known.midgame)?;
        let endgame = part("endgame", settings.endgame, &self.endgame_groups, self.endgame, known.endgame)?;
        Ok(ErrorModels { midgame, endgame })
    }
}

/// Why nothing can be made of what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoErrorModel {
    /// Few groups of positions.
    #[error("too few positions, depths or numbers of empty squares to fit an error model to")]
    TooFew,
    /// The model of this part of the game is one that weights do not carry ([`ErrorModel::is_valid`]).
    #[error(
        "the error model fitted to the {0} positions has deviations below 0.0001 or above 10,000 discs, which no search can \
         use; more positions or depths may help"
    )]
    OutOfRange(&'static str),
}

/// Values of one position: `values[d]` by a search of depth `d`.
struct Sample {
    empties: u32,
    /// Legal moves.
    moves: u32,
    values: Vec<i32>,
    exact: Option<i32>,
}

/// Measures and fits the errors of searches with `weights`. `progress` is called once for every position done.
pub fn fit(settings: &Settings, weights: &Arc<Weights>, progress: &(dyn Fn() + Sync)) -> Fit {
    let total = settings.midgame + settings.endgame;
    workers::ready();
    let samples: Vec<Sample> = (0..total)
        .into_par_iter()
        .map_init(
            || Engine::new(Options { hash_mib: 16, threads: 1 }).with_weights(Some(weights.clone())),
            |engine, i| {
                let sample = sample(engine, settings, weights, i);
                progress();
                sample
            },
        )
        .collect();
    let mut midgame = Groups::default();
    let mut endgame = Groups::default();
    for sample in &samples {
        for probe in 0..sample.values.len() {
            match sample.exact {
                Some(exact) => endgame.add(sample.empties, sample.empties, probe as u32, exact - sample.values[probe]),
                None => {
                    for depth in probe + 1..sample.values.len() {
                        let difference = sample.values[depth] - sample.values[probe];
                        midgame.add(sample.empties, depth as u32, probe as u32, difference);
                    }
                }
            }
        }
    }
    let (midgame_groups, endgame_groups) = (midgame.finish(), endgame.finish());
    let midgame = log_linear(&midgame_groups, true);
    let endgame = log_linear(&endgame_groups, false);
    let errors = weights.errors();
    let (midgame_levels, endgame_levels) = (levels(&samples, errors, false), levels(&samples, errors, true));
    Fit { midgame_levels, endgame_levels, midgame_groups, endgame_groups, midgame, endgame }
}

/// The confidences of the cuts that a search with this error model makes, in the midgame or in solves.
fn levels(samples: &[Sample], errors: &ErrorModels, endgame: bool) -> Vec<LevelCheck> {
    let model = if endgame { &errors.endgame } else { &errors.midgame };
    // deep minus shallow, and the standard deviation that is expected of it, as much wider as the number of moves makes margins
    let mut pairs: Vec<(i32, f32)> = Vec::new();
    for sample in samples.iter().filter(|sample| sample.exact.is_some() == endgame) {
        let mut pair = |depth: u32, deep: i32| {
            let probe = probe_depth(depth, endgame);
            if let Some(shallow) = sample.values.get(probe as usize) {
                let sigma = model.sigma(sample.empties, depth, probe);
                pairs.push((deep - shallow, if endgame { sigma } else { by_moves(sigma, sample.moves) }));
            }
        };
        match sample.exact {
            Some(exact) => pair(sample.empties, exact),
            None => (LEAST_DEPTH..sample.values.len()).for_each(|depth| pair(depth as u32, sample.values[depth])),
        }
    }
    let share = |holds: &dyn Fn(&(i32, f32)) -> bool| {
        let share = pairs.iter().filter(|pair| holds(pair)).count() as f64 / pairs.len() as f64;
        (!pairs.is_empty()).then_some(share)
    };
    let check = |(selectivity, deviations): (Selectivity, f32)| LevelCheck {
        percent: selectivity.percent(),
        deviations,
        count: pairs.len(),
        above: share(&|&(error, sigma)| error >= -margin(deviations, sigma)),
        below: share(&|&(error, sigma)| error <= margin(deviations, sigma)),
        both: share(&|&(error, sigma)| error.abs() <= margin(deviations, sigma)),
    };
    let deviations = if endgame { DEVIATIONS } else { MIDGAME_DEVIATIONS };
    Selectivity::ALL.into_iter().zip(deviations).map(check).collect()
}

/// The `i`-th position, searched at all depths.
fn sample(engine: &mut Engine, settings: &Settings, weights: &Weights, i: usize) -> Sample {
    let mut rng = rng_of(settings.seed, i);
    let is_endgame = i >= settings.midgame;
    // whatever this thread searched before, the games are the same
    engine.clear();
    let board = loop {
        let empties = if is_endgame {
            rng.random_range(13..=settings.max_empties)
        } else {
            rng.random_range(settings.max_depth as u32 + 8..=54)
        };
        if let Some(board) = own_game(engine, &mut rng, empties) {
            break board;
        }
    };
    let empties = board.empty_count();
    let mut values = vec![weights.evaluate(board)];
    engine.clear();
    let position = Position::from_board(board, Color::Black);
    let mut value =
        |goal| engine.search(&position, &Limits::new(goal), &StopToken::new(), &mut |_| {}).expect(SEARCHES).score;
    let depths = if is_endgame { settings.max_depth.min(8) } else { settings.max_depth };
    values.extend((1..=depths).map(|depth| value(Goal::Depth(depth, Selectivity::NONE))));
    let exact = is_endgame.then(|| value(Goal::Exact));
    Sample { empties, moves: board.legal_moves().count_ones(), values, exact }
}

/// The random numbers of the `i`-th position: its own, so that it is the same whichever thread makes it.
pub(super) fn rng_of(seed: u64, i: usize) -> StdRng {
    StdRng::seed_from_u64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(i as u64))
}

/// A position with this many empties from a game of the engine against itself after a random opening; none where the game ends
/// before.
pub(super) fn own_game(engine: &mut Engine, rng: &mut StdRng, empties: u32) -> Option<Board> {
    let random_until = 60 - rng.random_range(6..=20);
    let mut board = Board::START;
    while board.empty_count() > empties {
        let moves = board.legal_moves();
        if moves == 0 {
            board = board.pass();
            if board.legal_moves() == 0 {
                return None;
            }
            continue;
        }
        let square = if board.empty_count() > random_until {
            Squares(moves).nth(rng.random_range(0..moves.count_ones()) as usize)?
        } else {
            let position = Position::from_board(board, Color::Black);
            let limits = Limits::new(Goal::Depth(2, Selectivity::NONE));
            let report = engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).expect(SEARCHES);
            report.best()?.mv.square()?
        };
        board = board.play(square)?;
    }
    (board.legal_moves() != 0).then_some(board)
}

/// Sums by (empties bucket, depth, probe).
#[derive(Default)]
struct Groups(std::collections::BTreeMap<(u32, u32, u32), (usize, f64, f64)>);

impl Groups {
    fn add(&mut self, empties: u32, depth: u32, probe: u32, difference: i32) {
        let depth = if depth == empties { empties / BUCKET * BUCKET } else { depth };
        let sums = self.0.entry((empties / BUCKET * BUCKET, depth, probe)).or_default();
        sums.0 += 1;
        sums.1 += difference as f64;
        sums.2 += (difference * difference) as f64;
    }

    fn finish(self) -> Vec<Group> {
        let group = |((empties, depth, probe), (count, sum, squares)): ((u32, u32, u32), (usize, f64, f64))| Group {
            empties,
            depth,
            probe,
            count,
            bias: sum / count as f64,
            sigma: (squares / count as f64).sqrt(),
        };
        self.0.into_iter().map(group).filter(|group| group.count >= MIN_COUNT && group.sigma > 0.0).collect()
    }
}

/// Weighted least squares on ln sigma; `None` when there are too few groups.
fn log_linear(groups: &[Group], with_depth: bool) -> Option<LogLinear> {
    if groups.len() < if with_depth { 4 } else { 3 } {
        return None;
    }
    // the normal equations
    let row = |group: &Group| {
        let middle = group.empties as f64 + (BUCKET - 1) as f64 / 2.0;
        [1.0, group.probe as f64, if with_depth { group.depth as f64 } else { 0.0 }, middle]
    };
    let (mut matrix, mut right) = ([[0.0; 4]; 4], [0.0; 4]);
    for group in groups {
        let x = row(group);
        for i in 0..4 {
            for j in 0..4 {
                matrix[i][j] += group.count as f64 * x[i] * x[j];
            }
            right[i] += group.count as f64 * x[i] * group.sigma.ln();
        }
    }
    let c = solve(&matrix, &right);
    let total: usize = groups.iter().map(|group| group.count).sum();
    let squares: f64 = groups
        .iter()
        .map(|group| {
            let predicted: f64 = row(group).iter().zip(c).map(|(x, c)| x * c).sum();
            group.count as f64 * (predicted - group.sigma.ln()).powi(2)
        })
        .sum();
    let residual = (squares / total as f64).sqrt();
    Some(LogLinear { constant: c[0], by_probe: c[1], by_depth: c[2], by_empties: c[3], residual })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_recovers_a_known_model() {
        let truth = |probe: u32, depth: u32, empties: u32| {
            (1.2 - 0.06 * probe as f64 + 0.03 * depth as f64 - 0.01 * (empties as f64 + 1.5)).exp()
        };
        let mut groups = Vec::new();
        for empties in [20, 28, 40] {
            for depth in 2..9 {
                for probe in 0..depth {
                    let sigma = truth(probe, depth, empties);
                    groups.push(Group { empties, depth, probe, count: 30, bias: 0.0, sigma });
                }
            }
        }
        let model = log_linear(&groups, true).unwrap();
        for (found, expected) in
            [(model.constant, 1.2), (model.by_probe, -0.06), (model.by_depth, 0.03), (model.by_empties, -0.01)]
        {
            assert!((found - expected).abs() < 1e-6, "{model:?}");
        }
        assert!(model.residual < 1e-6);
        assert_eq!((log_linear(&groups[..3], true), log_linear(&groups[..2], false)), (None, None));
    }

    #[test]
    fn a_small_measurement_is_reproducible_and_sane() {
        let settings = Settings { midgame: 400, endgame: 40, max_depth: 3, max_empties: 14, seed: 3 };
        let weights = Weights::embedded();
        let first = fit(&settings, &weights, &|| {});
        assert_eq!(first, fit(&settings, &weights, &|| {}));
        assert!(!first.midgame_groups.is_empty() && !first.endgame_groups.is_empty());
        for levels in [&first.midgame_levels, &first.endgame_levels] {
            let percents: Vec<u32> = levels.iter().map(|level| level.percent).collect();
            assert_eq!(percents, [73, 87, 95, 98, 99]);
            assert!(levels.is_sorted_by(|a, b| a.both <= b.both), "{levels:?}");
            assert!(
                levels.iter().all(|level| level.both <= level.above && level.both <= level.below && level.count >= 40)
            );
            assert!(levels[0].both > Some(0.5) && levels[4].both > Some(0.95), "{levels:?}");
        }
        assert!(first.midgame_groups.iter().all(|group| group.sigma > 0.2 && group.sigma < 40.0));
        // three plies near one number of empties are too little to know how errors change
        let models = |fit: &Fit, settings: &Settings| fit.error_models(settings, &ErrorModels::GUESS);
        assert_eq!(first.endgame_groups.len() >= MIN_GROUPS, models(&first, &settings).is_ok());
        let enough = Fit { endgame_groups: vec![first.endgame_groups[0]; MIN_GROUPS], ..first.clone() };
        let found = models(&enough, &settings).expect("enough groups");
        assert_eq!(found.midgame.by_probe, first.midgame.unwrap().by_probe as f32);
        assert_eq!(found.endgame.constant, first.endgame.unwrap().constant as f32);
        let without = Fit { midgame_groups: Vec::new(), ..enough.clone() };
        assert_eq!(models(&without, &settings), Err(NoErrorModel::TooFew));
        // enough, but nonsense
        let wild = LogLinear { constant: 30.0, ..first.midgame.unwrap() };
        let wild = Fit { midgame: Some(wild), ..enough };
        assert_eq!(models(&wild, &settings), Err(NoErrorModel::OutOfRange("midgame")));
        // what nobody wanted to know stays as it is
        let found = models(&without, &Settings { midgame: 0, ..settings }).expect("enough endgame groups");
        assert_eq!(found.midgame, ErrorModels::GUESS.midgame);
        assert_eq!(found.endgame.constant, first.endgame.unwrap().constant as f32);
    }
}
