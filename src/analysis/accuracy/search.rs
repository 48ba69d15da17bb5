//! Searches and static values of positions with known scores.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rayon::prelude::*;

use super::cases::Case;
use crate::analysis::batch::{AnalysisError, pool};
use crate::board::{Board, Squares};
use crate::engine::{Engine, Options};
use crate::eval::{UNITS_PER_DISC, Weights};
use crate::rules::Move;
use crate::search::{Goal, Limits, SearchError, Selectivity, StopToken};

/// How positions are searched.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Positions searched side by side.
    pub jobs: usize,
    /// Options of each job's engine.
    pub options: Options,
    /// The evaluation.
    pub weights: Arc<Weights>,
    /// Confidence of the searches.
    pub selectivity: Selectivity,
}

/// What was found out about a position.
#[derive(Clone, Debug)]
pub struct Answer {
    /// In discs, for the side to move.
    pub score: f64,
    /// The move that is preferred, if there is one.
    pub best: Option<Move>,
    /// Nodes it took.
    pub nodes: u64,
    /// The time of the search.
    pub time: Duration,
}

/// Answers of one depth (0 is the static evaluation, which is told at once) to all cases, in their order; every search starts with an
/// empty table. `on_progress` hears, on the jobs' threads, how many searches are done. `None` when the token was set meanwhile.
///
/// # Errors
/// [`AnalysisError`] when the threads of the jobs cannot be started or an engine cannot search.
pub fn answers(
    cases: &[Case],
    depth: u8,
    settings: &Settings,
    stop: &StopToken,
    on_progress: &(dyn Fn(u64) + Sync),
) -> Result<Option<Vec<Answer>>, AnalysisError> {
    if depth == 0 {
        return Ok(Some(cases.iter().map(|case| static_answer(&settings.weights, case.board)).collect()));
    }
    let threads = pool(settings.jobs)?;
    let limits = Limits::new(Goal::Depth(depth, settings.selectivity));
    let engine = || Engine::new(settings.options.clone()).with_weights(Some(settings.weights.clone()));
    let done = AtomicU64::new(0);
    let search = |engine: &mut Engine, case: &Case| {
        engine.clear();
        let report = engine.search(&case.problem.position, &limits, stop, &mut |_| {})?;
        on_progress(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(Answer {
            score: report.score as f64,
            best: report.best().map(|line| line.mv),
            nodes: report.nodes,
            time: report.elapsed,
        })
    };
    let answers: Result<Vec<Answer>, SearchError> =
        threads.install(|| cases.par_iter().with_max_len(1).map_init(engine, search).collect());
    let answers = answers?;
    Ok((!stop.is_stopped()).then_some(answers))
}

/// The static evaluation, and the move to the position with the best one.
fn static_answer(weights: &Weights, board: Board) -> Answer {
    let child = |square| board.after(square, board.flips(square));
    let value = |square| -static_value(weights, child(square));
    let moves: Vec<_> = Squares(board.legal_moves()).map(|square| (value(square), square)).collect();
    let best = moves.iter().rev().max_by(|a, b| a.0.total_cmp(&b.0)).map(|&(_, square)| Move::from(square));
    Answer {
        score: static_value(weights, board),
        best: best.or(Some(Move::Pass)),
        nodes: 1 + moves.len() as u64,
        time: Duration::ZERO,
    }
}

/// Discs for the side to move: the final score of a finished game, else the evaluation.
fn static_value(weights: &Weights, board: Board) -> f64 {
    if board.is_game_over() {
        return board.final_score() as f64;
    }
    if board.legal_moves() == 0 {
        return -static_value(weights, board.pass());
    }
    weights.evaluate_fine(board) as f64 / UNITS_PER_DISC as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn static_values_are_for_the_side_to_move() {
        let weights = Weights::embedded();
        let lost = Board { player: 0, opponent: 1 };
        assert_eq!(static_value(&weights, lost), -64.0);
        let start = static_answer(&weights, Board::START);
        assert!(start.score.abs() < 20.0 && start.nodes == 5 && start.best != Some(Move::Pass));
    }
}
