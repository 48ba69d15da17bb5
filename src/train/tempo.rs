//! What the right to move is worth to the evaluation beyond what it was taught: a correction for its use in a search.
//!
//! An evaluation can be right on average for the positions of games and still mislead a search: of many moves the search
//! takes the one that is overrated most, so that the side which chooses last gains what is nothing but error. Searches of
//! odd depth then overrate the side to move at their root and those of even depth underrate it, by a disc or more each;
//! every iteration of a deepening search has to find out anew, and a probe of the other parity proves little. A constant
//! for the side to move at the leaves moves the two by the same amount towards each other.
//!
//! After a training that is measured with shallow searches on its test positions. Deeper ones, as they are used, disagree
//! a little more: what is left is measured with them, on positions of games with mistakes ([`correct_as_searched`]).

use std::sync::Arc;

use rayon::prelude::*;

use super::SEARCHES;
use super::dataset::Dataset;
use super::labels::windowed;
use super::parity;
use crate::board::Board;
use crate::engine::{Engine, Options};
use crate::eval::{EMPTIES, Model, UNITS_PER_DISC, Weights};
use crate::rules::{Color, Position};
use crate::search::{Goal, Limits, Selectivity, StopToken};

/// The searches that are compared: of an odd depth and of the next.
#[derive(Clone, Copy)]
struct Pair {
    odd: u8,
    selectivity: Selectivity,
}

/// After a training.
const SHALLOW: Pair = Pair { odd: 5, selectivity: Selectivity::NONE };
/// As searches are used.
const DEEP: Pair = Pair { odd: 9, selectivity: Selectivity::MOST };
/// Positions searched for each number of empties.
const POSITIONS: usize = 80;
/// Numbers of empties on each side that are averaged.
const WINDOW: usize = 3;
/// Fewer positions than this say nothing.
const MIN_COUNT: f64 = 100.0;
/// Roots with fewer empties would have leaves at the end of the game.
const LEAST_EMPTIES: usize = 14;

/// Measures the correction on test positions and adds it to the model's constants; returns it in discs, by number of empties of
/// the position that is evaluated. Zero where there are too few positions to tell.
pub fn correct(model: &mut Model, dataset: &Dataset) -> [f32; EMPTIES] {
    let boards: Vec<Board> = dataset.stages[LEAST_EMPTIES..]
        .iter()
        .flat_map(|stage| spread(&stage.test, POSITIONS).map(|sample| sample.board))
        .collect();
    take_in(model, measure(Weights::new(model), &boards, SHALLOW))
}

/// Measures with deeper, selective searches what is left of the correction, on positions of games that are made for it, and adds it to
/// the model's constants; returns it as [`correct`] does. No games measure nothing.
///
/// For weights whose ProbCut has errors of their own (`fit-probcut`): with those of others the searches cut what they please.
pub fn correct_as_searched(model: &mut Model, settings: &parity::Settings) -> [f32; EMPTIES] {
    let games = parity::boards(model, settings);
    let boards: Vec<Board> =
        games[LEAST_EMPTIES..].iter().flat_map(|boards| spread(boards, POSITIONS).copied()).collect();
    take_in(model, measure(Weights::new(model), &boards, DEEP))
}

fn take_in(model: &mut Model, correction: [f32; EMPTIES]) -> [f32; EMPTIES] {
    for (constant, discs) in model.evaluation.constants.iter_mut().zip(correction) {
        *constant = constant.saturating_add((discs * UNITS_PER_DISC as f32).round() as i16);
    }
    correction
}

/// Half of what a search of odd depth finds more than one of even depth, by the empties at their leaves.
fn measure(weights: Weights, boards: &[Board], pair: Pair) -> [f32; EMPTIES] {
    let weights = Arc::new(weights);
    let engine = || Engine::new(Options { hash_mib: 1, threads: 1 }).with_weights(Some(weights.clone()));
    let differences: Vec<(usize, f32)> =
        boards.par_iter().map_init(engine, |engine, &board| difference(engine, board, pair)).collect();
    let mut sums = [(0.0, 0.0); EMPTIES];
    for (empties, difference) in differences {
        let (sum, count) = &mut sums[empties];
        (*sum, *count) = (*sum + difference as f64, *count + 1.0);
    }
    let at_root = windowed(&sums, WINDOW, |sum, count| (count >= MIN_COUNT).then(|| (sum / count / 2.0) as f32));
    // where nothing was measured, the nearest that was
    let (first, last) = (at_root.iter().position(|t| t.is_some()), at_root.iter().rposition(|t| t.is_some()));
    let (Some(first), Some(last)) = (first, last) else { return [0.0; EMPTIES] };
    std::array::from_fn(|leaf| at_root[(leaf + pair.odd as usize + 1).clamp(first, last)].unwrap_or(0.0))
}

/// At most `count` of them, evenly spread.
fn spread<T>(samples: &[T], count: usize) -> impl Iterator<Item = &T> {
    samples.iter().step_by(samples.len().div_ceil(count).max(1))
}

/// The empties of a position and by how many discs the deeper search finds less.
fn difference(engine: &mut Engine, board: Board, pair: Pair) -> (usize, f32) {
    let position = Position::from_board(board, Color::Black);
    let mut value = |depth| {
        engine.clear();
        let limits = Limits::new(Goal::Depth(depth, pair.selectivity));
        engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).expect(SEARCHES).score as f32
    };
    (board.empty_count() as usize, value(pair.odd) - value(pair.odd + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selfplay::{Settings, play};
    use crate::train::dataset::{Sample, Stage};

    /// Positions of games of searches of one ply, as test positions.
    fn dataset(games: u32) -> Dataset {
        let settings = Settings { goal: Goal::Depth(1, Selectivity::NONE), exact: 0, ..Settings::default() };
        let mut stages = vec![Stage::default(); EMPTIES];
        for game in (0..games).map(|index| play(&settings, index, &StopToken::new()).expect("nothing stops it")) {
            for position in game.positions() {
                let sample = Sample { board: position.board, target: 0.0, weight: 1.0 };
                stages[position.board.empty_count() as usize].test.push(sample);
            }
        }
        Dataset { stages }
    }

    fn embedded() -> Model {
        Weights::embedded_model().expect("a valid file")
    }

    #[test]
    fn a_wrong_constant_is_taken_out() {
        let dataset = dataset(40);
        let (mut right, mut wrong) = (embedded(), embedded());
        wrong.evaluation.constants.iter_mut().for_each(|constant| *constant += 3 * UNITS_PER_DISC as i16);
        let (of_right, of_wrong) = (correct(&mut right, &dataset), correct(&mut wrong, &dataset));
        for empties in [10, 20, 30, 40] {
            // passes change the parity: the later, the more of them
            let found = of_right[empties] - of_wrong[empties];
            assert!((2.0..3.2).contains(&found), "{empties}: {found}");
        }
        // once more finds little left
        let rest = correct(&mut wrong, &dataset);
        assert!(rest.iter().all(|t| t.abs() < 0.8), "{rest:?}");
    }

    #[test]
    fn a_wrong_constant_is_seen_by_deep_searches() {
        let mut wrong = embedded();
        wrong.evaluation.constants.iter_mut().for_each(|constant| *constant -= 2 * UNITS_PER_DISC as i16);
        let before = wrong.clone();
        let found = correct_as_searched(&mut wrong, &parity::Settings { games: 16, seed: 5 });
        for empties in [10, 20, 30] {
            assert!((1.0..3.0).contains(&found[empties]), "{empties}: {}", found[empties]);
            let added = wrong.evaluation.constants[empties] - before.evaluation.constants[empties];
            assert_eq!(added, (found[empties] * UNITS_PER_DISC as f32).round() as i16);
        }
    }

    #[test]
    fn too_few_positions_change_nothing() {
        let (mut model, dataset) = (embedded(), dataset(1));
        assert_eq!(correct(&mut model, &dataset), [0.0; EMPTIES]);
        let none = parity::Settings { games: 0, seed: 1 };
        assert_eq!(correct_as_searched(&mut model, &none), [0.0; EMPTIES]);
        assert_eq!(model, embedded());
    }
}
