//! `outflank openings`: lists of balanced openings, as the built-in one was made.

use std::io::{self, Write};

use clap::Args;
use outflank::board::Square;
use outflank::engine::{Engine, Options};
use outflank::formats::escaped;
use outflank::formats::quantity::plural;
use outflank::search::Level;
use outflank::tournament::{Tally, Wanted, balanced_lines};

use super::cores;
use super::error::{Error, Outcome, Status};
use super::interrupt;
use super::live::Live;
use super::options::{EvalOption, parse_hash, parse_level, parse_seed, parse_threads, whole};

/// Lines where nobody says how many.
const COUNT: u32 = 5000;
/// MiB of a table where nobody says how many.
const HASH: usize = 16;

/// Arguments of `openings`.
#[derive(Args)]
#[command(after_help = "\
Lines of random moves from the start of othello, each to another position (seen from all eight sides), kept when a search of
the level sees neither side ahead by more than --within discs: as the well-known XOT lists are made. Every line begins with
f5, and the same arguments make the same list. `match --openings balanced` has the list of the first example built in.

Examples:
  outflank openings > src/formats/balanced.txt
  outflank openings --count 200 --plies 12 --level 10 --seed 7 > twelve.txt")]
pub struct OpeningsArguments {
    /// Lines to make
    #[arg(short, long, value_name = "N", default_value_t = COUNT, value_parser = whole::<u32>(1..=u32::MAX))]
    count: u32,

    /// Moves of a line
    #[arg(long, value_name = "N", default_value = "8", value_parser = whole::<u8>(1..=20))]
    plies: u8,

    /// Level of the search that judges a line
    #[arg(short, long, value_name = "LEVEL", default_value = "16", value_parser = parse_level)]
    level: Level,

    /// Discs that one side may be ahead
    #[arg(long, value_name = "DISCS", default_value = "2", value_parser = whole::<u8>(0..=64))]
    within: u8,

    /// Chooses the lines
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = parse_seed)]
    seed: u64,

    /// Lines judged side by side [default: the cores]
    #[arg(short, long, value_name = "N", value_parser = parse_threads)]
    jobs: Option<usize>,

    /// Size of each table in MiB; part of what the list depends on
    #[arg(long, value_name = "MIB", default_value_t = HASH, value_parser = parse_hash)]
    hash: usize,

    #[command(flatten)]
    eval: EvalOption,
}

/// Runs `openings`.
pub fn run(arguments: &OpeningsArguments) -> Outcome {
    let OpeningsArguments { plies, level, within, seed, hash, .. } = *arguments;
    let jobs = arguments.jobs.unwrap_or_else(cores);
    let weights = arguments.eval.load_with_checksum()?;
    let command = command(arguments, weights.as_ref().map(|(_, checksum)| *checksum));
    let weights = weights.map(|(weights, _)| weights);
    let mut engines = Vec::new();
    for _ in 0..jobs {
        let mut engine = Engine::new(Options { hash_mib: hash, threads: 1 }).with_weights(weights.clone());
        engine.allocate()?;
        engines.push(engine);
    }
    let wanted = Wanted { plies: usize::from(plies), level, discs: i32::from(within), seed };
    let stop = interrupt::stop_token();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "# {} from the start of othello, after which a search of level {} sees neither side ahead by\n\
         # more than {} ({command}, Outflank {})",
        plural(plies.into(), "random move"),
        level.get(),
        plural(within.into(), "disc"),
        env!("CARGO_PKG_VERSION"),
    )?;
    let count = arguments.count as usize;
    let live = Live::bar(count as u64);
    let made = balanced_lines::<Error>(&mut engines, &wanted, count, &stop, &mut |line, _, tally| {
        let text: String = line.iter().map(Square::to_string).collect();
        live.position(tally.kept as u64);
        live.suspend(|| writeln!(out, "{text}").and_then(|()| out.flush()))?;
        Ok(())
    });
    live.finish();
    let Tally { drawn, kept } = made?;
    tell!("{} kept of {drawn} drawn", plural(kept as u64, "line"));
    if kept < count && !stop.is_stopped() {
        return Err(Error::input(format!("there are no more than {kept} such lines")));
    }
    Ok(if stop.is_stopped() { Status::Interrupted } else { Status::Success })
}

/// The command that makes the same list: what it depends on, where that is not what it is by default; the weights by their checksum,
/// too.
fn command(arguments: &OpeningsArguments, weights: Option<u64>) -> String {
    let OpeningsArguments { count, plies, level, within, seed, hash, .. } = *arguments;
    let mut command = String::from("`outflank openings");
    if count != COUNT {
        command += &format!(" --count {count}");
    }
    command += &format!(" --plies {plies} --level {} --within {within} --seed {seed}", level.get());
    if hash != HASH {
        command += &format!(" --hash {hash}");
    }
    let Some((file, checksum)) = arguments.eval.file().zip(weights) else { return command + "`" };
    // a name may have a line end in it
    command + &format!(" --eval {}`, weights {checksum:016x}", escaped(&file.display().to_string()))
}
