//! What self-play files hold.

use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;

use super::game::{GameRecord, Kind};
use crate::board::Board;
use crate::eval::{EMPTIES, Errors, UNITS_PER_DISC, Weights};
use crate::workers;

/// Counts over games, and how far an evaluation is from their labels.
#[derive(Clone, Debug)]
pub struct Statistics {
    weights: Arc<Weights>,
    games: u64,
    /// By empty squares.
    stages: Vec<Stage>,
    results: f64,
    starts: Vec<u64>,
}

#[derive(Clone, Debug, Default)]
struct Stage {
    exact: u64,
    depths: u64,
    absolute: f64,
    errors: Errors,
    boards: Vec<u64>,
}

/// The labelled positions with one number of empty squares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StageCounts {
    /// Number of empty squares.
    pub empties: u32,
    /// Labelled positions.
    pub positions: u64,
    /// Different positions among them, symmetric images counted as one.
    pub distinct: u64,
    /// Positions whose label is the exact score.
    pub exact: u64,
    /// Mean depth of the searches behind the other labels; `None` without any.
    pub mean_depth: Option<f64>,
    /// Mean absolute value in discs.
    pub mean_absolute: f64,
    /// Mean absolute difference of the static evaluation from the value, in discs.
    pub mae: f64,
    /// Root of the mean squared difference.
    pub rmse: f64,
}

impl Statistics {
    /// Nothing counted yet; `weights` are those that the labels are compared with.
    pub fn new(weights: Arc<Weights>) -> Statistics {
        let stages = vec![Stage::default(); EMPTIES];
        Statistics { weights, games: 0, stages, results: 0.0, starts: Vec::new() }
    }

    /// Counts a game.
    pub fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.results += game.result as f64;
        self.starts.push(class(game.start()));
        for position in game.positions() {
            let stage = &mut self.stages[position.board.empty_count() as usize];
            match position.kind {
                Kind::Search { depth, .. } => stage.depths += depth as u64,
                Kind::Exact | Kind::Opening => stage.exact += 1,
            }
            stage.absolute += position.discs().abs() as f64;
            let units = self.weights.evaluate_fine(position.board);
            stage.errors.add(units as f32 / UNITS_PER_DISC as f32 - position.discs());
            stage.boards.push(class(position.board));
        }
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Different positions that games were played from, symmetric images counted as one.
    pub fn distinct_starts(&self) -> u64 {
        distinct(self.starts.clone())
    }

    /// Mean absolute difference of the static evaluation from the values over all positions, in discs; `None` without any.
    pub fn mae(&self) -> Option<f64> {
        let sum: f64 = self.stages.iter().map(|stage| stage.errors.mae() * stage.errors.count() as f64).sum();
        let count = self.stages.iter().map(|stage| stage.errors.count()).sum::<usize>();
        (count > 0).then(|| sum / count as f64)
    }

    /// Mean final score for black, in discs; `None` without a game.
    pub fn mean_result(&self) -> Option<f64> {
        (self.games > 0).then(|| self.results / self.games as f64)
    }

    /// Counts by falling number of empty squares; numbers that do not occur are left out.
    pub fn stages(&self) -> Vec<StageCounts> {
        let count = |(empties, stage): (usize, &Stage)| {
            let positions = stage.boards.len() as u64;
            let searched = positions - stage.exact;
            StageCounts {
                empties: empties as u32,
                positions,
                distinct: distinct(stage.boards.clone()),
                exact: stage.exact,
                mean_depth: (searched > 0).then(|| stage.depths as f64 / searched as f64),
                mean_absolute: stage.absolute / positions.max(1) as f64,
                mae: stage.errors.mae(),
                rmse: stage.errors.rmse(),
            }
        };
        workers::ready();
        let counts: Vec<StageCounts> = self.stages.par_iter().enumerate().map(count).collect();
        counts.into_iter().rev().filter(|counts| counts.positions > 0).collect()
    }
}

/// A hash of the position's class of symmetric images. Among tens of millions of 64-bit hashes equal ones of different
/// positions are as good as impossible.
fn class(board: Board) -> u64 {
    let Board { player, opponent } = board.canonical();
    let mixed = (player ^ opponent.rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 32) ^ opponent).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ (mixed >> 32)
}

fn distinct(mut hashes: Vec<u64>) -> u64 {
    hashes.sort_unstable();
    hashes.dedup();
    hashes.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::transform_square;
    use crate::selfplay::game::Labelled;
    use crate::selfplay::game::tests::random_game;

    #[test]
    fn symmetric_games_are_duplicates() {
        let mut statistics = Statistics::new(Weights::embedded());
        assert_eq!((statistics.mae(), statistics.mean_result()), (None, None));
        let games: Vec<GameRecord> = (0..20).map(random_game).collect();
        games.iter().for_each(|game| statistics.add(game));
        assert_eq!((statistics.mae().is_some(), statistics.mean_result().is_some()), (true, true));
        let once = statistics.stages();
        for game in &games {
            // the symmetry that keeps the start position's colours: both diagonals swapped
            let mut image = game.clone();
            image.plies.iter_mut().for_each(|ply| ply.square = transform_square(ply.square, 4));
            assert!(image.is_sound());
            statistics.add(&image);
        }
        let twice = statistics.stages();
        assert_eq!((statistics.games(), once.len()), (40, twice.len()));
        for (once, twice) in once.iter().zip(&twice) {
            assert_eq!((twice.positions, twice.distinct), (2 * once.positions, once.distinct));
            assert_eq!(twice.mean_absolute, once.mean_absolute);
        }
        let positions: usize = games.iter().map(|game| game.positions().count()).sum();
        assert_eq!(once.iter().map(|stage| stage.positions).sum::<u64>(), positions as u64);
    }

    #[test]
    fn means_are_those_of_all_labels() {
        let mut statistics = Statistics::new(Weights::embedded());
        let games: Vec<GameRecord> = (0..20).map(random_game).collect();
        games.iter().for_each(|game| statistics.add(game));
        let labels: Vec<_> = games.iter().flat_map(GameRecord::positions).collect();
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let error = |position: &Labelled| {
            f64::from(statistics.weights.evaluate_fine(position.board) - i32::from(position.value)).abs()
                / f64::from(UNITS_PER_DISC)
        };
        assert!((statistics.mae().unwrap() - mean(labels.iter().map(error).collect())).abs() < 1e-3);
        let results = games.iter().map(|game| f64::from(game.result)).collect();
        assert_eq!(statistics.mean_result(), Some(mean(results)));
        let mut met = 0;
        for stage in statistics.stages() {
            let here = || labels.iter().filter(|label| label.board.empty_count() == stage.empties);
            let depths: Vec<f64> = here()
                .filter_map(|label| match label.kind {
                    Kind::Search { depth, .. } => Some(f64::from(depth)),
                    _ => None,
                })
                .collect();
            assert_eq!(stage.exact as usize, here().count() - depths.len(), "{}", stage.empties);
            assert_eq!(stage.mean_depth.is_some(), !depths.is_empty(), "{}", stage.empties);
            if let Some(mean_depth) = stage.mean_depth {
                assert!((mean_depth - mean(depths)).abs() < 1e-9, "{}", stage.empties);
                met += 1;
            }
            assert!((stage.mae - mean(here().map(error).collect())).abs() < 1e-3, "{}", stage.empties);
            let sizes = here().map(|label| f64::from(label.discs().abs())).collect();
            assert!((stage.mean_absolute - mean(sizes)).abs() < 1e-6, "{}", stage.empties);
        }
        assert!(met > 30, "{met}");
    }
}
