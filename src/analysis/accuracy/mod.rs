//! How close the evaluation and searches of some depths come to known exact scores.

mod cases;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

pub use cases::{Case, CaseError, from_problems, from_wthor};

use super::batch::AnalysisError;
use crate::board::{Board, Squares};
use crate::engine::{Engine, Options};
use crate::eval::{Features, UNITS_PER_DISC, Weights};
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
struct Answer {
    /// In discs.
    score: f64,
    best: Option<Move>,
    nodes: u64,
    time: Duration,
}

/// The accuracy of one depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DepthAccuracy {
    /// Depth of the searches in plies; 0 is the static evaluation.
    pub depth: u8,
    /// Mean absolute error in discs.
    pub mae: f64,
    /// Mean of score minus exact score in discs: above zero, the side to move is overrated.
    pub mean_error: f64,
    /// Share (0 to 1) of scores at most 3 discs off.
    pub within_3: f64,
    /// Share (0 to 1) of the positions whose best move is known where one was preferred; none if no best move is known.
    pub best_moves: Option<f64>,
    /// Positions whose best move is known.
    pub moves_known: usize,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Sum of the times of all searches, in seconds.
    pub seconds: f64,
    /// Mean absolute error in discs by number of empty squares.
    pub mae_by_empties: BTreeMap<u32, f64>,
}

/// Measures one depth over some positions (at least one); every search starts with an empty table. `on_progress` hears, on the
/// jobs' threads, how many are done. `None` when the token was set meanwhile.
///
/// # Errors
/// [`AnalysisError`] when the threads of the jobs cannot be started or an engine cannot search.
pub fn measure(
    cases: &[Case],
    depth: u8,
    settings: &Settings,
    stop: &StopToken,
    on_progress: &(dyn Fn(u64) + Sync),
) -> Result<Option<DepthAccuracy>, AnalysisError> {
    if depth == 0 {
        let answers: Vec<Answer> = cases.iter().map(|case| static_answer(&settings.weights, case.board)).collect();
        return Ok(Some(DepthAccuracy::new(depth, cases, &answers)));
    }
    let pool = super::batch::pool(settings.jobs)?;
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
        pool.install(|| cases.par_iter().with_max_len(1).map_init(engine, search).collect());
    let answers = answers?;
    Ok((!stop.is_stopped()).then(|| DepthAccuracy::new(depth, cases, &answers)))
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
    weights.evaluate_fine(&Features::new(board), 0, board.empty_count()) as f64 / UNITS_PER_DISC as f64
}

impl DepthAccuracy {
    fn new(depth: u8, cases: &[Case], answers: &[Answer]) -> DepthAccuracy {
        let difference = |(case, answer): (&Case, &Answer)| answer.score - case.exact as f64;
        let differences: Vec<f64> = cases.iter().zip(answers).map(difference).collect();
        let errors: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
        let mut by_empties = BTreeMap::<u32, (f64, f64)>::new();
        for (case, error) in cases.iter().zip(&errors) {
            let sums = by_empties.entry(case.problem.position.empty_count()).or_default();
            *sums = (sums.0 + error, sums.1 + 1.0);
        }
        let known = |case: &&Case| case.problem.scores.iter().any(|entry| entry.score == case.exact);
        let moves_known = cases.iter().filter(known).count();
        let is_best = |(case, answer): &(&Case, &Answer)| {
            answer.best.is_some_and(|mv| case.problem.score_of(mv) == Some(case.exact))
        };
        let found = cases.iter().zip(answers).filter(|(case, _)| known(case)).filter(is_best).count();
        let count = cases.len() as f64;
        DepthAccuracy {
            depth,
            mae: errors.iter().sum::<f64>() / count,
            mean_error: differences.iter().sum::<f64>() / count,
            within_3: errors.iter().filter(|&&error| error <= 3.0).count() as f64 / count,
            best_moves: (moves_known > 0).then(|| found as f64 / moves_known as f64),
            moves_known,
            nodes: answers.iter().map(|answer| answer.nodes).sum(),
            seconds: answers.iter().map(|answer| answer.time.as_secs_f64()).sum(),
            mae_by_empties: by_empties.iter().map(|(&empties, sums)| (empties, sums.0 / sums.1)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::obf::parse_line;
    use crate::rules::RuleSet;

    fn case(text: &str) -> Case {
        let problem = parse_line(text, 1, &Arc::new(RuleSet::othello())).unwrap().unwrap();
        let (board, _) = problem.position.fast_board().unwrap();
        Case { board, exact: problem.best_score().unwrap(), problem }
    }

    fn answer(score: f64, mv: &str) -> Answer {
        Answer { score, best: Some(mv.parse().unwrap()), nodes: 10, time: Duration::from_secs(1) }
    }

    const START: &str = "---------------------------OX------XO--------------------------- X";

    #[test]
    fn shares_and_means_are_those_of_the_definition() {
        let with_moves = case(&format!("{START}; d3:+2; c4:+2; f5:-4;"));
        let with_score = case(&format!("{START}; -6;"));
        let worse_listed = case(&format!("{START}; +8; d3:+2;"));
        let cases = [with_moves, with_score, worse_listed];
        let answers = [answer(5.0, "c4"), answer(-10.0, "d3"), answer(8.0, "d3")];
        let row = DepthAccuracy::new(3, &cases, &answers);
        assert_eq!((row.mae, row.mean_error, row.within_3), (7.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0));
        assert_eq!((row.best_moves, row.moves_known), (Some(1.0), 1));
        assert_eq!((row.nodes, row.seconds), (30, 3.0));
        assert_eq!(row.mae_by_empties.into_iter().collect::<Vec<_>>(), [(60, 7.0 / 3.0)]);
        let wrong = DepthAccuracy::new(3, &cases[..1], &[answer(2.0, "f5")]);
        assert_eq!((wrong.mae, wrong.best_moves), (0.0, Some(0.0)));
        let unknown = DepthAccuracy::new(3, &cases[1..2], &answers[1..2]);
        assert_eq!(unknown.best_moves, None);
    }

    #[test]
    fn static_values_are_for_the_side_to_move() {
        let weights = Weights::embedded();
        let lost = Board { player: 0, opponent: 1 };
        assert_eq!(static_value(&weights, lost), -64.0);
        let start = static_answer(&weights, Board::START);
        assert!(start.score.abs() < 20.0 && start.nodes == 5 && start.best != Some(Move::Pass));
    }
}
