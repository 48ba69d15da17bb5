//! `outflank book accuracy`.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use outflank::book::quality::{CLEARLY, Quality, along, measure};
use outflank::formats::quantity::plural;
use outflank::game::Game;
use outflank::rules::Move;
use serde_json::json;

use super::{load, name, parse_moves, progress};
use crate::commands::error::{Outcome, Status};
use crate::commands::interrupt;
use crate::commands::options::{EngineOptions, parse_seed, whole};

/// Arguments of `book accuracy`.
#[derive(Args)]
#[command(after_help = "\
Positions of the book are drawn by the seed and searched --deeper levels deeper than they were. Printed are the mean
difference of the values, and the share of positions in which a move that the book does not list is really better.
With --line: what the book says along a line, and where it would leave it.

Examples:
  outflank book accuracy
  outflank book accuracy my.book --positions 1000 --deeper 6")]
pub struct AccuracyArguments {
    /// The book [default: the built-in one]
    file: Option<PathBuf>,

    /// Positions to search
    #[arg(short, long, value_name = "N", default_value_t = 300, value_parser = whole::<usize>(0..=usize::MAX))]
    positions: usize,

    /// Levels deeper than the book's
    #[arg(long, value_name = "LEVELS", default_value_t = 4, value_parser = whole::<u8>(1..=40))]
    deeper: u8,

    /// Chooses the positions
    #[arg(long, value_name = "SEED", default_value_t = 1, value_parser = parse_seed)]
    seed: u64,

    /// Look along these moves instead
    #[arg(long, value_name = "MOVES", value_parser = parse_moves,
        conflicts_with_all = ["positions", "deeper", "seed", "threads", "hash", "eval"])]
    line: Option<Game>,

    /// Print it as one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    engine: EngineOptions,
}

/// Runs `book accuracy`.
pub fn run(arguments: &AccuracyArguments) -> Outcome {
    let book = load(arguments.file.as_deref())?;
    let mut out = io::stdout().lock();
    if let Some(line) = &arguments.line {
        let values = along(&book, line.moves());
        if arguments.json {
            let rows: Vec<_> = values.iter().map(|(value, loss)| json!({"value": value, "loss": loss})).collect();
            writeln!(out, "{}", json!({"book": name(arguments.file.as_ref()), "line": rows}))?;
            return Ok(Status::Success);
        }
        writeln!(out, " ply  value  move  loses")?;
        let moves = line.moves().iter().filter(|mv| **mv != Move::Pass);
        for (ply, ((value, loss), mv)) in values.iter().zip(moves).enumerate() {
            let loss = loss.map_or("not listed".to_string(), |loss| loss.to_string());
            writeln!(out, "{ply:4}  {value:+5}  {mv:4}  {loss}")?;
        }
        writeln!(out, "known to ply {}", values.len())?;
        return Ok(Status::Success);
    }
    let mut engine = arguments.engine.engine()?;
    let stop = interrupt::stop_token();
    let bar = progress(arguments.positions.min(book.len()) as u64, "positions");
    let mut found = |_: &_| bar.inc(1);
    let sample = measure(&book, &mut engine, arguments.positions, arguments.deeper, arguments.seed, &stop, &mut found);
    bar.finish_and_clear();
    let sample = sample?;
    let (quality, interrupted) = (Quality::of(&sample), stop.is_stopped());
    if arguments.json {
        let found = json!({
            "book": name(arguments.file.as_ref()), "positions": sample.len(), "deeper": arguments.deeper,
            "seed": arguments.seed, "error": quality.map(|q| q.error), "bias": quality.map(|q| q.bias),
            "missed": quality.map(|q| q.missed), "missed_clearly": quality.map(|q| q.missed_clearly),
            "complete": !interrupted,
        });
        writeln!(out, "{found}")?;
    } else {
        writeln!(
            out,
            "{} searched {} deeper{}",
            plural(sample.len() as u64, "position"),
            plural(arguments.deeper.into(), "level"),
            if interrupted { ", interrupted" } else { "" }
        )?;
        if let Some(quality) = quality {
            writeln!(out, "mean error {:.2} discs, bias {:+.2} discs", quality.error, quality.bias)?;
            let (missed, clearly) = (quality.missed * 100.0, quality.missed_clearly * 100.0);
            writeln!(
                out,
                "a move that is not listed is really better in {missed:.1} %, by {CLEARLY} discs or more in {clearly:.1} %"
            )?;
        }
    }
    Ok(if interrupted { Status::Interrupted } else { Status::Success })
}
