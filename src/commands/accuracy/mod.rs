//! `outflank accuracy`: how close the evaluation and searches of some depths come to known exact scores.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use clap::Args;
use outflank::board::{Board, Squares};
use outflank::engine::Engine;
use outflank::eval::{Features, UNITS_PER_DISC, Weights};
use outflank::rules::Move;
use outflank::search::{Goal, Limits, SearchError, Selectivity, StopToken};
use rayon::prelude::*;
use serde::Serialize;

use super::error::{Error, Outcome, Status};
use super::live::Live;
use super::options::{EngineOptions, parse_selectivity, parse_threads};
use super::{input, interrupt, table};
use cases::{Case, read_cases};

mod cases;

/// Arguments of `accuracy`.
#[derive(Args)]
#[command(after_help = "\
Each line of the file is an OBF problem of Othello with its exact score, or better the scores of all its moves:
`SQUARES SIDE; G8:+18; H1:+12;`. A WTHOR file (*.wtb) or a folder of such files gives the positions for which the
database has the score with perfect play: one a game, of 24 empty squares in most. Depth 0 is the static evaluation; every
other search starts with an empty table.

The table says for each depth how far its scores are from the exact ones on average (MAE, in discs), by how much they
overrate the side to move on average (mean error), the share of scores that are at most 3 discs off, and how often the
move it prefers is one of the best: a move counts as best when the file gives it the best score, and positions whose
best move the file does not name are left out of that share.
A second table has the MAE by number of empty squares.

Examples:
  outflank accuracy positions.obf
  outflank accuracy positions.obf --eval new.bin --depths 0,1,6 --json
  outflank accuracy thor/ --every 20 --depths 0,6       a twentieth of the games of a WTHOR folder")]
pub struct AccuracyArguments {
    /// File of problems or of WTHOR games, or a folder of those; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Take every N-th of the positions only
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,

    /// Depths to search to, in plies; 0 is the static evaluation
    #[arg(short, long, value_name = "LIST", value_delimiter = ',', default_value = "0,1,6,10,15",
        value_parser = clap::value_parser!(u8).range(0..=60))]
    depths: Vec<u8>,

    /// Confidence of the searches in percent (73, 87, 95, 98, 99; 100 is full width)
    #[arg(long, value_name = "PERCENT", default_value = "73", value_parser = parse_selectivity)]
    selectivity: Selectivity,

    /// Positions searched side by side, each with its own threads and table
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = parse_threads)]
    jobs: usize,

    /// One JSON object instead of the tables
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    engine: EngineOptions,
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
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Row {
    depth: u8,
    /// Mean absolute error in discs.
    mae: f64,
    /// Mean of score minus exact score in discs: above zero, the side to move is overrated.
    mean_error: f64,
    /// Share of scores at most 3 discs off.
    within_3: f64,
    /// Share of positions whose best move is known where one was preferred; none if no best move is known.
    best_moves: Option<f64>,
    /// Positions whose best move is known.
    moves_known: usize,
    nodes: u64,
    /// Sum of the times of all searches.
    seconds: f64,
    /// Mean absolute error by number of empty squares.
    mae_by_empties: BTreeMap<u32, f64>,
}

/// The JSON object.
#[derive(Serialize)]
struct Accuracy<'a> {
    file: &'a str,
    positions: usize,
    selectivity: u32,
    threads: usize,
    hash_mib: usize,
    depths: &'a [Row],
}

/// Runs `accuracy`.
pub fn run(arguments: &AccuracyArguments) -> Outcome {
    let name = input::name(&arguments.file);
    let cases = read_cases(&arguments.file, arguments.every as usize, &name)?;
    let weights = arguments.engine.eval.load()?.unwrap_or_else(Weights::embedded);
    // a table that does not fit is noticed before the work begins
    drop(arguments.engine.engine()?);
    let stop = interrupt::stop_token();
    let mut out = io::stdout().lock();
    if !arguments.json {
        let positions = table::plural(cases.len() as u64, "position");
        writeln!(out, "{name}: {positions}, searches at {}", arguments.selectivity)?;
        writeln!(out, "depth     MAE  mean error  within 3  best moves          nodes         time")?;
    }
    let mut rows = Vec::new();
    for &depth in &arguments.depths {
        let Some(answers) = answers(arguments, &weights, &cases, depth, &stop)? else { break };
        let row = Row::new(depth, &cases, &answers);
        if !arguments.json {
            write_row(&mut out, &row)?;
            out.flush()?;
        }
        rows.push(row);
    }
    if arguments.json {
        let found = Accuracy {
            file: &name,
            positions: cases.len(),
            selectivity: arguments.selectivity.percent(),
            threads: arguments.engine.threads,
            hash_mib: arguments.engine.hash,
            depths: &rows,
        };
        writeln!(out, "{}", serde_json::to_string(&found).expect("plain data"))?;
    } else {
        write_by_empties(&mut out, &cases, &rows)?;
    }
    Ok(if rows.len() < arguments.depths.len() { Status::Interrupted } else { Status::Success })
}

/// The answers of one depth in the order of the cases; `None` when interrupted.
fn answers(
    arguments: &AccuracyArguments,
    weights: &Arc<Weights>,
    cases: &[Case],
    depth: u8,
    stop: &StopToken,
) -> Result<Option<Vec<Answer>>, Error> {
    if depth == 0 {
        return Ok(Some(cases.iter().map(|case| static_answer(weights, case.board)).collect()));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.jobs)
        .build()
        .map_err(|error| Error::input(format!("cannot start {} jobs: {error}", arguments.jobs)))?;
    let limits = Limits::new(Goal::Depth(depth, arguments.selectivity));
    let engine = || Engine::new(arguments.engine.options()).with_weights(Some(weights.clone()));
    let live = Live::bar(cases.len() as u64);
    let done = AtomicU64::new(0);
    let search = |engine: &mut Engine, case: &Case| {
        engine.clear();
        let report = engine.search(&case.problem.position, &limits, stop, &mut |_| {})?;
        live.position(done.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(Answer {
            score: report.score as f64,
            best: report.best().map(|line| line.mv),
            nodes: report.nodes,
            time: report.elapsed,
        })
    };
    let answers: Result<_, SearchError> =
        pool.install(|| cases.par_iter().with_max_len(1).map_init(engine, search).collect());
    live.finish();
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
    weights.evaluate_fine(&Features::new(board), 0, board.empty_count()) as f64 / UNITS_PER_DISC as f64
}

impl Row {
    fn new(depth: u8, cases: &[Case], answers: &[Answer]) -> Row {
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
        Row {
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

fn write_row(out: &mut impl Write, row: &Row) -> io::Result<()> {
    let best = row.best_moves.map_or("-".to_string(), |share| format!("{:.1} %", 100.0 * share));
    let time = table::time_text(Duration::from_secs_f64(row.seconds));
    writeln!(
        out,
        "{:5}  {:6.3}  {:+10.3}  {:6.1} %  {best:>10}  {:13}  {time:>11}",
        row.depth,
        row.mae,
        row.mean_error,
        100.0 * row.within_3,
        row.nodes
    )
}

fn write_by_empties(out: &mut impl Write, cases: &[Case], rows: &[Row]) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let depths: String = rows.iter().map(|row| format!("  depth {:<2}", row.depth)).collect();
    writeln!(out, "\nMAE in discs by number of empty squares\nempties  positions{depths}")?;
    for &empties in rows[0].mae_by_empties.keys() {
        let count = cases.iter().filter(|case| case.problem.position.empty_count() == empties).count();
        let errors: String = rows.iter().map(|row| format!("  {:8.3}", row.mae_by_empties[&empties])).collect();
        writeln!(out, "{empties:7}  {count:9}{errors}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank::formats::obf::parse_line;
    use outflank::rules::RuleSet;

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
        let row = Row::new(3, &cases, &answers);
        assert_eq!((row.mae, row.mean_error, row.within_3), (7.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0));
        assert_eq!((row.best_moves, row.moves_known), (Some(1.0), 1));
        assert_eq!((row.nodes, row.seconds), (30, 3.0));
        assert_eq!(row.mae_by_empties.into_iter().collect::<Vec<_>>(), [(60, 7.0 / 3.0)]);
        let wrong = Row::new(3, &cases[..1], &[answer(2.0, "f5")]);
        assert_eq!((wrong.mae, wrong.best_moves), (0.0, Some(0.0)));
        let unknown = Row::new(3, &cases[1..2], &answers[1..2]);
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
