//! `outflank accuracy`: how close the evaluation and searches of some depths come to known exact scores.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use outflank::analysis::accuracy::{self, Answer, Case, DepthAccuracy, Interval, Intervals, ParityAccuracy, Settings};
use outflank::analysis::json::AccuracyJson;
use outflank::analysis::text;
use outflank::eval::Weights;
use outflank::formats::obf::Reader;
use outflank::formats::quantity::plural;
use outflank::formats::wthor::Database;
use outflank::rules::RuleSet;
use outflank::search::{Selectivity, StopToken};

use super::error::{Error, Outcome, Status};
use super::live::Live;
use super::options::{EngineOptions, parse_selectivity, parse_threads, whole};
use super::output::json_line;
use super::{input, interrupt};

/// Arguments of `accuracy`.
#[derive(Args)]
#[command(after_help = "\
Each line of the file is an OBF problem of othello on 8x8 with its exact score, or better the scores of all its
moves: `SQUARES SIDE; G8:+18; H1:+12;`. Scores that a comment says are not exact (`% 12@73%`) are an error. A WTHOR file
(*.wtb) or a folder of such files gives the positions for which the database has the score with perfect play: one a game,
of 24 empty squares in most. Depth 0 is the static evaluation; every other search starts with an empty table.

The table says for each depth how far its scores are from the exact ones on average (MAE, in discs), by how much they
overrate the side to move on average (mean error), the shares of scores that are at most 3 and 6 discs off, and how often
the move it prefers is one of the best: a move counts as best when the file gives it the best score, and positions whose
best move the file does not name are left out of that share.
Behind each figure stands its 95 % interval, for positions drawn at random from those that are meant: by Student's t
distribution of a mean, Wilson's of a share. Two rows more have the odd and the even depths together, each position counted
once.
Other tables have MAE and mean error by number of empty squares.

Examples:
  outflank accuracy positions.obf
  outflank accuracy positions.obf --eval new.bin --depths 0,1,6 --json
  outflank accuracy thor/ --every 20 --depths 0,6       a twentieth of the games of a WTHOR folder")]
pub struct AccuracyArguments {
    /// File of problems or of WTHOR games, or a folder of those; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Take every N-th of the positions only
    #[arg(long, value_name = "N", default_value = "1", value_parser = whole::<u32>(1..=u32::MAX))]
    every: u32,

    /// Depths to search to, in plies; 0 is the static evaluation
    #[arg(short, long, value_name = "LIST", value_delimiter = ',', default_value = "0,1,6,10,15",
        value_parser = whole::<u8>(0..=60))]
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

/// Runs `accuracy`.
pub fn run(arguments: &AccuracyArguments) -> Outcome {
    let name = input::name(&arguments.file);
    let cases = read_cases(&arguments.file, arguments.every as usize, &name)?;
    let settings = Settings {
        jobs: arguments.jobs,
        options: arguments.engine.options(),
        weights: arguments.engine.eval.load()?.unwrap_or_else(Weights::embedded),
        selectivity: arguments.selectivity,
    };
    // a table that does not fit is noticed before the work begins
    drop(arguments.engine.engine()?);
    let stop = interrupt::stop_token();
    let mut out = io::stdout().lock();
    if !arguments.json {
        let positions = plural(cases.len() as u64, "position");
        writeln!(out, "{name}: {positions}, searches at {}", arguments.selectivity)?;
        writeln!(out, "{HEADING}")?;
    }
    let mut rows: Vec<(u8, Vec<Answer>)> = Vec::new();
    let mut depths = Vec::new();
    // a depth that is named twice is one
    let (mut asked, mut known) = (arguments.depths.clone(), HashSet::new());
    asked.retain(|depth| known.insert(*depth));
    for &depth in &asked {
        let Some(answers) = search(&cases, depth, &settings, &stop)? else { break };
        let row = DepthAccuracy::new(depth, &cases, &answers);
        if !arguments.json {
            write_row(&mut out, &row)?;
            out.flush()?;
        }
        depths.push(row);
        rows.push((depth, answers));
    }
    let interrupted = depths.len() < asked.len();
    let parities = ParityAccuracy::of_all(&cases, &rows);
    if arguments.json {
        let found = AccuracyJson {
            file: name,
            positions: cases.len(),
            selectivity: arguments.selectivity.percent(),
            threads: arguments.engine.threads,
            hash_mib: arguments.engine.hash,
            complete: !interrupted,
            depths,
            parities,
        };
        writeln!(out, "{}", json_line(&found))?;
    } else {
        parities.iter().try_for_each(|parity| write_parity(&mut out, parity))?;
        write_by_empties(&mut out, &cases, &depths, "MAE", |error| format!("{error:.3}"), |row| &row.mae_by_empties)?;
        let signed = |error| format!("{error:+.3}");
        write_by_empties(&mut out, &cases, &depths, "Mean error", signed, |row| &row.mean_error_by_empties)?;
    }
    Ok(if interrupted { Status::Interrupted } else { Status::Success })
}

/// Every `every`-th position of a file, or of a WTHOR folder.
fn read_cases(file: &Path, every: usize, name: &str) -> Result<Vec<Case>, Error> {
    // lists of names have no positions, but to be told what they are
    let kinds = ["wtb", "jou", "trn"];
    let is_wthor = file.extension().is_some_and(|found| kinds.iter().any(|kind| found.eq_ignore_ascii_case(kind)));
    let cases = if is_wthor || file.is_dir() {
        let database = Database::open(file).map_err(|error| Error::input(error.to_string()))?;
        if database.files.is_empty() {
            return Err(Error::input(format!("{name}: this folder has no WTHOR file (*.wtb)")));
        }
        accuracy::from_wthor(&database)
    } else {
        let problems = Reader::new(input::open(file)?, Arc::new(RuleSet::othello()));
        accuracy::from_problems(problems).map_err(|error| Error::input(format!("{name}: {error}")))?
    };
    if cases.is_empty() {
        let what = if file.is_dir() { "game of WTHOR with a known score" } else { "position" };
        return Err(Error::input(format!("{name}: no {what}")));
    }
    Ok(cases.into_iter().step_by(every).collect())
}

/// The answers of one depth, with a bar; `None` when interrupted.
fn search(cases: &[Case], depth: u8, settings: &Settings, stop: &StopToken) -> Result<Option<Vec<Answer>>, Error> {
    let live = Live::bar(cases.len() as u64);
    let answers = accuracy::answers(cases, depth, settings, stop, &|done| live.position(done));
    live.finish();
    answers.map_err(|error| Error::input(error.to_string()))
}

/// What stands above the rows; behind each figure there is room for its interval.
const HEADING: &str = "\
depth    MAE +- (95 %)     mean error +-      within 3 (95 %)      within 6 (95 %)    best moves (95 %)          nodes         time";

/// A mean and half the width of its interval.
fn mean_text(figure: String, interval: Option<Interval>) -> String {
    interval.map_or(figure.clone(), |interval| format!("{figure} +-{:.3}", interval.half_width()))
}

/// A share and its interval, in percent.
fn share_text(share: f64, interval: Option<Interval>) -> String {
    let bounds = interval
        .map_or(String::new(), |Interval { low, high }| format!(" ({:.0} to {:.0})", 100.0 * low, 100.0 * high));
    format!("{:.1} %{bounds}", 100.0 * share)
}

/// The figures that rows of a depth and of a parity have in common.
fn figures([mae, mean_error]: [f64; 2], shares: [f64; 2], best_moves: Option<f64>, intervals: &Intervals) -> String {
    format!(
        "{:>15}  {:>16}  {:>19}  {:>19}  {:>19}",
        mean_text(format!("{mae:.3}"), intervals.mae),
        mean_text(format!("{mean_error:+.3}"), intervals.mean_error),
        share_text(shares[0], intervals.within_3),
        share_text(shares[1], intervals.within_6),
        best_moves.map_or("-".to_string(), |share| share_text(share, intervals.best_moves)),
    )
}

fn write_row(out: &mut impl Write, row: &DepthAccuracy) -> io::Result<()> {
    let time = text::time_text(Duration::from_secs_f64(row.seconds));
    let shares = [row.within_3, row.within_6];
    let figures = figures([row.mae, row.mean_error], shares, row.best_moves, &row.intervals);
    writeln!(out, "{:5}  {figures}  {:13}  {time:>11}", row.depth, row.nodes)
}

fn write_parity(out: &mut impl Write, row: &ParityAccuracy) -> io::Result<()> {
    let name = if row.odd { "odd" } else { "even" };
    let shares = [row.within_3, row.within_6];
    let figures = figures([row.mae, row.mean_error], shares, row.best_moves, &row.intervals);
    writeln!(out, "{name:>5}  {figures}")
}

fn write_by_empties(
    out: &mut impl Write,
    cases: &[Case],
    rows: &[DepthAccuracy],
    name: &str,
    text: fn(f64) -> String,
    of: fn(&DepthAccuracy) -> &BTreeMap<u32, f64>,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let depths: String = rows.iter().map(|row| format!("  {:>8}", format!("depth {}", row.depth))).collect();
    writeln!(out, "\n{name} in discs by number of empty squares\nempties  positions{depths}")?;
    for &empties in of(&rows[0]).keys() {
        let count = cases.iter().filter(|case| case.problem.position.empty_count() == empties).count();
        let errors: String = rows.iter().map(|row| format!("  {:>8}", text(of(row)[&empties]))).collect();
        writeln!(out, "{empties:7}  {count:9}{errors}")?;
    }
    Ok(())
}
