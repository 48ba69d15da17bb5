//! `outflank fit-probcut`: measures the error model of ProbCut.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use outflank::eval::{Model, Weights};
use outflank::formats::atomic::write_whole;
use outflank::train::probcut::{Fit, Group, LevelCheck, LogLinear, MOST_POSITIONS, Settings, fit};

use super::error::{Error, Outcome, Status};
use super::options::{EvalOption, parse_seed, parse_threads, whole};
use super::output::{check_targets, print_found, unwritten};
use super::thread_pool;
use super::train::progress_bar;

/// Arguments of `fit-probcut`.
#[derive(Args)]
#[command(after_help = "\
Weights carry the error model that searches with them use. `train` writes that of the built-in weights: run this after
it, so that new weights are judged with margins of their own. Below the errors by empties and depths stands what the cuts
are worth with the model that the weights have now: the share of windows just beyond the margin on whose side the full-width
value is. A confidence keeps its promise where `both` is as large.

Examples:
  outflank fit-probcut --eval new.bin --write new.bin      their own model (a quarter of an hour)
  outflank fit-probcut --midgame 200 --endgame 50 --json   a quick look, for a script")]
pub struct FitProbcutArguments {
    /// Midgame positions; 0 keeps the midgame model of the weights
    #[arg(long, value_name = "N", default_value_t = Settings::default().midgame,
        value_parser = whole::<usize>(0..=MOST_POSITIONS))]
    midgame: usize,

    /// Endgame positions, to be solved; 0 keeps the endgame model of the weights
    #[arg(long, value_name = "N", default_value_t = Settings::default().endgame,
        value_parser = whole::<usize>(0..=MOST_POSITIONS))]
    endgame: usize,

    /// Deepest midgame search, in plies
    #[arg(long, value_name = "PLIES", default_value_t = Settings::default().max_depth,
        value_parser = whole::<u8>(2..=14))]
    depth: u8,

    /// Seed of the games the positions come from
    #[arg(long, value_name = "SEED", default_value_t = Settings::default().seed, value_parser = parse_seed)]
    seed: u64,

    /// Write the weights with the fitted model to this file; it may be that of --eval
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
pub fn run(arguments: &FitProbcutArguments) -> Outcome {
    check_targets(&arguments.write)?;
    if arguments.midgame == 0 && arguments.endgame == 0 {
        return Err(Error::input("--midgame 0 and --endgame 0 leave nothing to be measured"));
    }
    let settings = Settings {
        midgame: arguments.midgame,
        endgame: arguments.endgame,
        max_depth: arguments.depth,
        seed: arguments.seed,
        ..Settings::default()
    };
    let pool = thread_pool(arguments.threads)?;
    let model = arguments.eval.model()?;
    let weights = Arc::new(Weights::try_new(&model).map_err(|error| Error::input(error.to_string()))?);
    let bar = progress_bar(settings.midgame + settings.endgame, "positions");
    let found = pool.install(|| fit(&settings, &weights, &|| bar.inc(1)));
    bar.finish_and_clear();
    // what was measured is worth the work, whatever becomes of the output
    let printed = print_found(&found, arguments.json, |out, found| print(out, found, &settings));
    if let Some(path) = &arguments.write {
        write(path, model, &found, &settings)?;
    }
    printed?;
    Ok(Status::Success)
}

/// Writes the model with its errors as they were found.
fn write(path: &Path, model: Model, found: &Fit, settings: &Settings) -> Result<(), Error> {
    let errors = found.error_models(settings, &model.errors).map_err(|why| {
        let (place, fate) = (path.display(), unwritten(path));
        Error::input(format!("{why}: '{place}' {fate}"))
    })?;
    write_whole(path, &Model { errors, ..model }.to_bytes()).map_err(|error| Error::write(path, error))
}

/// What was measured: of either part of the game its errors, then the confidences, then the models.
fn print(out: &mut impl Write, found: &Fit, settings: &Settings) -> io::Result<()> {
    let midgame = ("midgame", "midgame", &found.midgame_groups, &found.midgame_levels, &found.midgame);
    let endgame = ("endgame", "endgame (exact)", &found.endgame_groups, &found.endgame_levels, &found.endgame);
    let parts = [(settings.midgame, midgame), (settings.endgame, endgame)];
    let measured = || parts.iter().filter(|(positions, _)| *positions > 0).map(|(_, part)| part);
    measured().try_for_each(|(_, title, errors, ..)| groups(out, title, errors))?;
    measured().try_for_each(|(name, _, _, confidences, _)| levels(out, name, confidences))?;
    measured().try_for_each(|(name, .., fitted)| model(out, name, fitted))
}

fn levels(out: &mut impl Write, name: &str, levels: &[LevelCheck]) -> io::Result<()> {
    writeln!(out, "{name}, cuts with the model that the weights have now, confirmed by full width")?;
    writeln!(out, " confidence | deviations | searches | above   | below   | both")?;
    for LevelCheck { percent, deviations, count, above, below, both } in levels {
        let percents = |share: &Option<f64>| share.map_or("-".to_string(), |share| format!("{:.1} %", 100.0 * share));
        let [above, below, both] = [above, below, both].map(percents);
        writeln!(out, " {percent:>8} % | {deviations:>10.1} | {count:>8} | {above:>7} | {below:>7} | {both:>7}")?;
    }
    writeln!(out)
}

fn groups(out: &mut impl Write, name: &str, groups: &[Group]) -> io::Result<()> {
    writeln!(out, "{name}\n empties | depth | probe | positions | bias (discs) | sigma (discs)")?;
    for group in groups {
        let Group { empties, depth, probe, count, bias, sigma } = group;
        writeln!(out, " {empties:>7} | {depth:>5} | {probe:>5} | {count:>9} | {bias:>+12.2} | {sigma:>13.2}")?;
    }
    writeln!(out)
}

fn model(out: &mut impl Write, name: &str, model: &Option<LogLinear>) -> io::Result<()> {
    let Some(model) = model else { return writeln!(out, "{name}: too few positions to fit a model to") };
    writeln!(
        out,
        "{name}: ln sigma = {:.4} {:+.4} probe {:+.4} depth {:+.4} empties   (residual {:.3})",
        model.constant, model.by_probe, model.by_depth, model.by_empties, model.residual
    )
}
