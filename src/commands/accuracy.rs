//! `outflank accuracy`: how close the evaluation and searches of some depths come to known exact scores.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use outflank::analysis::accuracy::{self, Case, DepthAccuracy, Settings};
use outflank::analysis::json::AccuracyJson;
use outflank::analysis::text;
use outflank::eval::Weights;
use outflank::formats::obf::Reader;
use outflank::formats::wthor::Database;
use outflank::rules::RuleSet;
use outflank::search::{Selectivity, StopToken};

use super::error::{Error, Outcome, Status};
use super::live::Live;
use super::options::{EngineOptions, parse_selectivity, parse_threads};
use super::output::json_line;
use super::{input, interrupt};

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
        let positions = text::plural(cases.len() as u64, "position");
        writeln!(out, "{name}: {positions}, searches at {}", arguments.selectivity)?;
        writeln!(out, "depth     MAE  mean error  within 3  best moves          nodes         time")?;
    }
    let mut rows = Vec::new();
    for &depth in &arguments.depths {
        let Some(row) = measure(&cases, depth, &settings, &stop)? else { break };
        if !arguments.json {
            write_row(&mut out, &row)?;
            out.flush()?;
        }
        rows.push(row);
    }
    let interrupted = rows.len() < arguments.depths.len();
    if arguments.json {
        let found = AccuracyJson {
            file: name,
            positions: cases.len(),
            selectivity: arguments.selectivity.percent(),
            threads: arguments.engine.threads,
            hash_mib: arguments.engine.hash,
            depths: rows,
        };
        writeln!(out, "{}", json_line(&found))?;
    } else {
        write_by_empties(&mut out, &cases, &rows)?;
    }
    Ok(if interrupted { Status::Interrupted } else { Status::Success })
}

/// Every `every`-th position of a file, or of a WTHOR folder.
fn read_cases(file: &Path, every: usize, name: &str) -> Result<Vec<Case>, Error> {
    let is_wthor = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wtb"));
    let cases = if is_wthor || file.is_dir() {
        accuracy::from_wthor(&Database::open(file).map_err(|error| Error::input(error.to_string()))?)
    } else {
        let problems = Reader::new(input::open(file)?, Arc::new(RuleSet::othello()));
        accuracy::from_problems(problems).map_err(|error| Error::input(format!("{name}: {error}")))?
    };
    if cases.is_empty() {
        return Err(Error::input(format!("{name}: no position")));
    }
    Ok(cases.into_iter().step_by(every).collect())
}

/// The accuracy of one depth, with a bar; `None` when interrupted.
fn measure(cases: &[Case], depth: u8, settings: &Settings, stop: &StopToken) -> Result<Option<DepthAccuracy>, Error> {
    let live = Live::bar(cases.len() as u64);
    let row = accuracy::measure(cases, depth, settings, stop, &|done| live.position(done));
    live.finish();
    row.map_err(|error| Error::input(error.to_string()))
}

fn write_row(out: &mut impl Write, row: &DepthAccuracy) -> io::Result<()> {
    let best = row.best_moves.map_or("-".to_string(), |share| format!("{:.1} %", 100.0 * share));
    let time = text::time_text(Duration::from_secs_f64(row.seconds));
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

fn write_by_empties(out: &mut impl Write, cases: &[Case], rows: &[DepthAccuracy]) -> io::Result<()> {
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
