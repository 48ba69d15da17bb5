//! Who moves last: a correction for what labels of perfect play say about odd and even numbers of empty squares.
//!
//! Positions that are labelled exactly lie on lines of perfect play, and those above them have labels that take in the
//! mistakes which come before these lines begin, of which one side makes one more. Positions of real games and of search
//! trees are others: there whoever moves with an odd number of squares empty has the last move more often than an
//! evaluation has learned, and is worth a disc more than it says; with an even number a disc less. Every search errs in
//! the same way at its root whatever its depth, because a ply further down the other side moves, with the other parity.
//!
//! So this is measured where positions can be solved, on games with mistakes up to their ends. Above, half of the last
//! amplitude is taken. That share is a choice, not a measurement: measuring upwards by comparing with deeper searches, tried
//! first, said 1.1 to 1.6 discs and overshot on tournament positions of 24 empty squares with known scores (MODEL.md). Only the
//! difference between odd and even numbers is taken out: what they have in common belongs to [`tempo`](super::tempo).
//! Only positions that somebody could still win count: where one side is far ahead the last move decides nothing, and such
//! positions, of which games after random openings have many, hide what it is worth in others (0.0 instead of 0.7 discs on
//! games that the evaluation had learned from the like of).

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::SEARCHES;
use crate::board::Board;
use crate::engine::{Engine, Options};
use crate::eval::{EMPTIES, Model, UNITS_PER_DISC, Weights};
use crate::rules::{Color, Position};
use crate::search::{Goal, Limits, Selectivity, StopToken};
use crate::selfplay::{PlyRange, Settings as Games, play};

/// How to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Games whose positions are looked at, one for each number of empties; 0 measures and corrects nothing. A thousand leave a standard
    /// error of 0.15 discs.
    pub games: u32,
    /// Chooses the games.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { games: 8000, seed: 1 }
    }
}

/// Numbers of empties that are measured together. Fewer are not evaluated but solved.
const SOLVED: [Range<usize>; 2] = [5..11, 11..15];
/// The share of the last amplitude that numbers of empties above have.
const SHARE_ABOVE: f32 = 0.5;
/// Amplitudes smaller than so many standard errors are not told from none.
const SIGNIFICANT: f64 = 2.0;
/// Fewer positions on a side than this say nothing.
const MIN_COUNT: usize = 50;
/// Positions with a score of more discs, either way, are decided.
const DECIDED: f64 = 30.0;

/// Measures the correction and takes it into the model's constants; returns it in discs, by number of empties.
pub fn correct(model: &mut Model, settings: &Settings) -> [f32; EMPTIES] {
    let mut correction = [0.0; EMPTIES];
    if settings.games == 0 {
        return correction;
    }
    let boards = boards(model, settings);
    let weights = Arc::new(Weights::new(model));
    let mut last = 0.0;
    for block in SOLVED {
        last = amplitude(&weights, &boards[block.clone()]);
        correction[block].fill(last);
    }
    correction[SOLVED[1].end..].fill(SHARE_ABOVE * last);
    for (empties, discs) in correction.iter_mut().enumerate() {
        if empties.is_multiple_of(2) {
            *discs = -*discs;
        }
        let constant = &mut model.evaluation.constants[empties];
        *constant = constant.saturating_add((*discs * UNITS_PER_DISC as f32).round() as i16);
    }
    correction
}

/// The positions of games of shallow searches, none solved before its end, by number of empties.
pub(super) fn boards(model: &Model, settings: &Settings) -> Vec<Vec<Board>> {
    let games = Games {
        seed: settings.seed,
        goal: Goal::Depth(2, Selectivity::NONE),
        exact: 0,
        random_plies: PlyRange { min: 8, max: 32 },
        balance: Some(10),
        weights: Some((Arc::new(Weights::new(model)), 0)),
        ..Games::default()
    };
    let played: Vec<_> =
        (0..settings.games).into_par_iter().map(|index| play(&games, index, &StopToken::new())).collect();
    let mut boards = vec![Vec::new(); EMPTIES];
    for position in played.iter().flatten().flat_map(|game| game.positions()) {
        boards[position.board.empty_count() as usize].push(position.board);
    }
    boards
}

/// [`measure`]d, and 0 where that is not told from none.
fn amplitude(weights: &Arc<Weights>, boards: &[Vec<Board>]) -> f32 {
    match measure(weights, boards) {
        Some((amplitude, error)) if amplitude.abs() >= SIGNIFICANT * error => amplitude as f32,
        _ => 0.0,
    }
}

/// Half of what the evaluation makes more of positions with an even number of empties than of those with an odd one, in discs,
/// compared with their exact scores; and its standard error.
fn measure(weights: &Arc<Weights>, boards: &[Vec<Board>]) -> Option<(f64, f64)> {
    let engine = || Engine::new(Options { hash_mib: 1, threads: 1 }).with_weights(Some(weights.clone()));
    let boards: Vec<Board> = boards.iter().flatten().copied().collect();
    let excess = |engine: &mut Engine, &board: &Board| {
        let worth = worth(engine, board);
        (worth.abs() <= DECIDED).then(|| (board.empty_count().is_multiple_of(2), static_value(weights, board) - worth))
    };
    let excess: Vec<(bool, f64)> = boards.par_iter().map_init(engine, excess).flatten().collect();
    let side = |even: bool| {
        let values: Vec<f64> = excess.iter().filter(|entry| entry.0 == even).map(|entry| entry.1).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (values.len() >= MIN_COUNT).then(|| (mean, squares / (count - 1.0) / count))
    };
    let ((even, of_even), (odd, of_odd)) = (side(true)?, side(false)?);
    Some(((even - odd) / 2.0, (of_even + of_odd).sqrt() / 2.0))
}

fn static_value(weights: &Weights, board: Board) -> f64 {
    weights.evaluate_fine(board) as f64 / UNITS_PER_DISC as f64
}

/// The exact score in discs.
fn worth(engine: &mut Engine, board: Board) -> f64 {
    let position = Position::from_board(board, Color::Black);
    engine.clear();
    let limits = Limits::new(Goal::Exact);
    engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).expect(SEARCHES).score as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embedded() -> Model {
        Weights::embedded_model().expect("a valid file")
    }

    #[test]
    fn a_wrong_alternation_is_found() {
        let (right, mut wrong) = (embedded(), embedded());
        for (empties, constant) in wrong.evaluation.constants.iter_mut().enumerate() {
            *constant += if empties % 2 == 0 { 1 } else { -1 } * 3 * UNITS_PER_DISC as i16;
        }
        let boards = boards(&right, &Settings { games: 40, seed: 7 });
        let of = |model| measure(&Arc::new(Weights::new(model)), &boards[11..15]).unwrap().0;
        let found = [of(&right), of(&wrong)];
        assert!((found[1] - found[0] - 3.0).abs() < 0.1, "{found:?}");
        // and taken out
        let taken = correct(&mut wrong, &Settings { games: 40, seed: 7 });
        assert!((taken[12] + 3.0).abs() < 1.0 && taken[13] == -taken[12] && taken[14] == taken[12], "{taken:?}");
    }

    #[test]
    fn constants_get_what_is_reported_and_too_few_positions_change_nothing() {
        let mut model = Model::zero();
        let correction = correct(&mut model, &Settings { games: 20, seed: 3 });
        for (empties, discs) in correction.iter().enumerate() {
            assert_eq!(model.evaluation.constants[empties], (discs * UNITS_PER_DISC as f32).round() as i16);
            assert!(empties >= SOLVED[0].start || *discs == 0.0);
        }
        let mut model = embedded();
        assert_eq!(correct(&mut model, &Settings { games: 3, seed: 3 }), [0.0; EMPTIES]);
        assert_eq!(model, embedded());
    }
}
