//! `outflank bench`: fixed searches that measure speed and notice every change of the search.

use std::io::{self, Write};

use clap::Args;
use outflank::analysis::bench::{self, Totals};
use outflank::analysis::json::{BenchCaseJson, BenchJson};
use outflank::analysis::text;
use outflank::engine::{Engine, Options};
use outflank::formats::quantity::plural;

use super::error::{Error, Outcome, Status};
use super::interrupt;
use super::live::Live;
use super::options::{EvalOption, RulesOption, parse_hash, parse_threads, whole};
use super::output::{json_line, terminal_width};

/// Arguments of `bench`.
#[derive(Args)]
#[command(after_help = "\
40 fixed positions (8 of any other rules), each searched with an empty table: selective and full-width midgame searches
and exact solves. The signature is made of the nodes, scores and moves of all positions: it stays the same as long as the
search does the same, on every machine and instruction-set tier. With several threads node counts vary, and with them the
signature.

Examples:
  outflank bench
  outflank bench --json | tail -n 1
  OUTFLANK_TIER=x86-64-v3 outflank bench      the same search with other kernels")]
pub struct BenchArguments {
    /// Threads that search one position
    #[arg(short, long, visible_short_alias = 'n', value_name = "N", default_value = "1", value_parser = parse_threads)]
    threads: usize,

    /// Size of the transposition table in MiB; part of what the signature depends on
    #[arg(long, value_name = "MIB", default_value_t = bench::HASH_MIB, value_parser = parse_hash)]
    hash: usize,

    /// Only the first N positions
    #[arg(long, value_name = "N", value_parser = whole::<u16>(1..=u16::MAX))]
    first: Option<u16>,

    /// One JSON object a position, then one with the totals
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    eval: EvalOption,

    #[command(flatten)]
    rules: RulesOption,
}

/// Runs `bench`.
pub fn run(arguments: &BenchArguments) -> Outcome {
    let options = Options { hash_mib: arguments.hash, threads: arguments.threads };
    let mut engine = Engine::new(options).with_weights(arguments.eval.load()?);
    let mut cases = bench::cases(&arguments.rules.rules);
    cases.truncate(arguments.first.map_or(usize::MAX, usize::from));
    let stop = interrupt::stop_token();
    let live = Live::bar(cases.len() as u64);
    let width = terminal_width();
    let mut out = io::stdout();
    if !arguments.json {
        writeln!(out, " # |{}\n---+{}", text::HEADER, text::RULE)?;
    }
    let (mut done, mut written) = (0, Ok(()));
    let totals = bench::run(&mut engine, &cases, &stop, &mut |case, report| {
        done += 1;
        live.position(done);
        let line = if arguments.json {
            json_line(&BenchCaseJson::new(case, report))
        } else {
            let row = text::row(&case.position, report, report.best(), true);
            text::fit(format!("{done:>3}|{row}"), width)
        };
        // an error of writing cannot leave the bench: it stops it, and is returned afterwards
        if written.is_ok() {
            written = live.suspend(|| writeln!(out, "{line}"));
        }
        if written.is_err() {
            stop.stop();
        }
    });
    live.finish();
    written?;
    let totals = totals.map_err(|error| Error::input(error.to_string()))?;
    if arguments.json {
        writeln!(out, "{}", json_line(&BenchJson::new(&totals, &arguments.rules.rules)))?;
    } else {
        write_totals(&mut out, &totals)?;
    }
    Ok(if stop.is_stopped() { Status::Interrupted } else { Status::Success })
}

fn write_totals(out: &mut impl Write, totals: &Totals) -> io::Result<()> {
    writeln!(out, "---+{}", text::RULE)?;
    writeln!(out, "nodes      {}", totals.nodes)?;
    writeln!(
        out,
        "time       {} ({}, {} MiB)",
        text::time_text(totals.time),
        plural(totals.options.threads as u64, "thread"),
        totals.options.hash_mib
    )?;
    writeln!(out, "nodes/s    {}", text::rate_text(totals.nodes, totals.time))?;
    writeln!(out, "tier       {}", totals.tier)?;
    let positions = plural(totals.positions as u64, "position");
    let part = if totals.is_complete { String::new() } else { format!(" of {positions}: interrupted") };
    writeln!(out, "signature  {}{part}", totals.signature)
}
