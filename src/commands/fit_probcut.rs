//! `outflank fit-probcut`: measures the error model of ProbCut.

use std::io::{self, Write};

use clap::Args;
use outflank::eval::Weights;
use outflank::train::probcut::{Fit, Group, LogLinear, Settings, fit};

use super::error::{Error, Outcome, Status};
use super::options::EvalOption;

/// Arguments of `fit-probcut`.
#[derive(Args)]
#[command(after_help = "\
To be run after every change of the weights; the two models printed last go into src/search/probcut.rs.

Examples:
  outflank fit-probcut                            the measurement behind the built-in model (a quarter of an hour)
  outflank fit-probcut --midgame 200 --endgame 50 --json   a quick look, for a script")]
pub struct FitProbcutArguments {
    /// Midgame positions
    #[arg(long, value_name = "N", default_value_t = Settings::default().midgame)]
    midgame: usize,

    /// Endgame positions, to be solved
    #[arg(long, value_name = "N", default_value_t = Settings::default().endgame)]
    endgame: usize,

    /// Deepest midgame search, in plies
    #[arg(long, value_name = "PLIES", default_value_t = Settings::default().max_depth,
        value_parser = clap::value_parser!(u8).range(2..=14))]
    depth: u8,

    /// Seed of the games the positions come from
    #[arg(long, value_name = "N", default_value_t = Settings::default().seed)]
    seed: u64,

    #[command(flatten)]
    eval: EvalOption,

    /// One JSON object instead of the table
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(arguments: &FitProbcutArguments) -> Outcome {
    let settings = Settings {
        midgame: arguments.midgame,
        endgame: arguments.endgame,
        max_depth: arguments.depth,
        seed: arguments.seed,
        ..Settings::default()
    };
    let weights = arguments.eval.load()?.unwrap_or_else(Weights::embedded);
    let bar = indicatif::ProgressBar::new((settings.midgame + settings.endgame) as u64);
    let found = fit(&settings, &weights, &|| bar.inc(1));
    bar.finish_and_clear();
    let mut out = io::stdout().lock();
    let written = if arguments.json {
        serde_json::to_writer(&mut out, &found).map_err(io::Error::from).and_then(|()| writeln!(out))
    } else {
        print(&mut out, &found)
    };
    written.map_err(Error::Output)?;
    Ok(Status::Success)
}

fn print(out: &mut impl Write, found: &Fit) -> io::Result<()> {
    groups(out, "midgame", &found.midgame_groups)?;
    groups(out, "endgame (exact)", &found.endgame_groups)?;
    model(out, "midgame", &found.midgame)?;
    model(out, "endgame", &found.endgame)
}

fn groups(out: &mut impl Write, name: &str, groups: &[Group]) -> io::Result<()> {
    writeln!(out, "{name}\n empties | depth | probe | positions | bias (discs) | sigma (discs)")?;
    for group in groups {
        let Group { empties, depth, probe, count, bias, sigma } = group;
        writeln!(out, " {empties:>7} | {depth:>5} | {probe:>5} | {count:>9} | {bias:>+12.2} | {sigma:>13.2}")?;
    }
    writeln!(out)
}

fn model(out: &mut impl Write, name: &str, model: &LogLinear) -> io::Result<()> {
    writeln!(
        out,
        "{name}: ln sigma = {:.4} {:+.4} probe {:+.4} depth {:+.4} empties   (residual {:.3})",
        model.constant, model.by_probe, model.by_depth, model.by_empties, model.residual
    )
}
