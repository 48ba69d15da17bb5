//! `outflank fit-ordering`: fits the order of moves in solves.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use outflank::eval::Weights;
use outflank::formats::atomic::write_whole;
use outflank::train::ordering::{Drawn, Fit, Settings, fit};
use outflank::train::probcut::MOST_POSITIONS;

use super::error::{Error, Outcome, Status};
use super::options::{EvalOption, parse_seed, parse_threads, whole};
use super::output::{check_is_no_input, check_targets, print_found, unwritten};
use super::thread_pool;
use super::train::progress_bar;

/// Arguments of `fit-ordering`.
#[derive(Args)]
#[command(after_help = "\
Nodes of 13 to 16 empty squares order the likeliest of their moves by what these are likely to cost: a small network tells with what
chance a move cuts and how many nodes that takes. The network is compiled in: --write makes the file that belongs at
src/search/othello/cost.in, for the next build. Positions of the engine's own games are solved, and some moves, drawn at random,
are searched first to see what they cost. A tenth of the positions is kept for testing: the log loss of the chance stands beside that
of the share of moves that cut with as many empty squares, R2 is the share of the variance of ln nodes that is explained.

Examples:
  outflank fit-ordering --write src/search/othello/cost.in   the network of the next build
  outflank fit-ordering --positions 20 --json                a quick look, for a script")]
pub struct FitOrderingArguments {
    /// Positions to be solved, of 17 to 22 empty squares
    #[arg(long, value_name = "N", default_value_t = Settings::default().positions,
        value_parser = whole::<usize>(0..=MOST_POSITIONS))]
    positions: usize,

    /// Seed of the games the positions come from, of the moves drawn and of the training
    #[arg(long, value_name = "SEED", default_value_t = Settings::default().seed, value_parser = parse_seed)]
    seed: u64,

    /// Passes of the training over the moves
    #[arg(long, value_name = "N", default_value_t = Settings::default().epochs,
        value_parser = whole::<u32>(1..=1000))]
    epochs: u32,

    /// Write the network to this file, as source text
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,

    /// Threads [default: all cores]
    #[arg(short, long, visible_short_alias = 'n', value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,

    /// One JSON object instead of the table
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    eval: EvalOption,
}

/// Runs the command.
pub fn run(arguments: &FitOrderingArguments) -> Outcome {
    arguments.write.iter().try_for_each(|path| check_is_no_input(path, arguments.eval.file()))?;
    check_targets(&arguments.write)?;
    let settings = Settings {
        positions: arguments.positions,
        seed: arguments.seed,
        epochs: arguments.epochs,
        ..Settings::default()
    };
    let pool = thread_pool(arguments.threads)?;
    let model = arguments.eval.model()?;
    let weights = Arc::new(Weights::try_new(&model).map_err(|error| Error::input(error.to_string()))?);
    let bar = progress_bar(settings.positions, "positions");
    let found = pool.install(|| fit(&settings, &weights, &|| bar.inc(1)))?;
    bar.finish_and_clear();
    // what was measured is worth the work, whatever becomes of the output
    let printed = print_found(&found, arguments.json, print);
    if let Some(path) = &arguments.write {
        write(path, &found)?;
    }
    printed?;
    Ok(Status::Success)
}

/// Writes the network, unless searches had better do without it.
fn write(path: &Path, found: &Fit) -> Result<(), Error> {
    found.check().map_err(|unfit| Error::input(format!("{unfit}; '{}' {}", path.display(), unwritten(path))))?;
    write_whole(path, found.source().as_bytes()).map_err(|error| Error::write(path, error))
}

/// What was drawn, then what the network makes of it.
fn print(out: &mut io::StdoutLock<'_>, found: &Fit) -> io::Result<()> {
    writeln!(out, "moves drawn at nodes that some move cuts\n empties | moves    | cut     | ln nodes of cuts")?;
    for &Drawn { empties, count, cuts, ln_nodes } in &found.empties {
        let cuts = known(cuts.map(|share| 100.0 * share), 1);
        writeln!(out, " {empties:>7} | {count:>8} | {cuts:>5} % | {:>16}", known(ln_nodes, 2))?;
    }
    let Fit { train_samples, test_samples, log_loss, base_log_loss, r_squared, .. } = found;
    writeln!(out)?;
    writeln!(out, "network, fitted to {train_samples} moves, tested with {test_samples} of other positions")?;
    writeln!(
        out,
        " chance of a cut:  log loss {} (by the number of empty squares alone {})",
        known(*log_loss, 4),
        known(*base_log_loss, 4)
    )?;
    writeln!(out, " ln nodes of cuts: R2 {}", known(*r_squared, 3))
}

/// A number with so many decimals, or a dash.
fn known(number: Option<f64>, decimals: usize) -> String {
    number.map_or_else(|| "-".to_string(), |number| format!("{number:.decimals$}"))
}
