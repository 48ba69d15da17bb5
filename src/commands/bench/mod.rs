//! `outflank bench`: fixed searches that measure speed and notice every change of the search.

mod positions;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use clap::Args;
use outflank::engine::{Engine, Options};
use outflank::formats::board_text;
use outflank::rules::Move;
use outflank::search::{Report, StopToken};
use serde::Serialize;

use super::error::{Outcome, Status};
use super::live::Live;
use super::options::{EvalOption, RulesOption, parse_hash, parse_threads};
use super::table::{self, ReportJson};

/// Arguments of `bench`.
#[derive(Args)]
#[command(after_help = "\
40 fixed positions, each searched with an empty table: selective and full-width midgame searches and exact solves. The
signature is made of the nodes, scores and moves of all positions: it stays the same as long as the search does the same,
on every machine and instruction-set tier. With several threads node counts vary, and with them the signature.

Examples:
  outflank bench
  outflank bench --json | tail -n 1
  OUTFLANK_TIER=x86-64-v3 outflank bench      the same search with other kernels")]
pub struct BenchArguments {
    /// Threads that search one position
    #[arg(short, long, visible_short_alias = 'n', value_name = "N", default_value = "1", value_parser = parse_threads)]
    threads: usize,

    /// Size of the transposition table in MiB; part of what the signature depends on
    #[arg(long, value_name = "MIB", default_value = "16", value_parser = parse_hash)]
    hash: usize,

    /// Only the first N positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    first: Option<u16>,

    /// One JSON object a position, then one with the totals
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    eval: EvalOption,

    #[command(flatten)]
    rules: RulesOption,
}

/// Sums over all positions.
#[derive(Serialize)]
struct Totals {
    positions: usize,
    nodes: u64,
    /// Time spent searching.
    seconds: f64,
    nodes_per_second: Option<u64>,
    threads: usize,
    hash_mib: usize,
    tier: String,
    signature: String,
}

/// One line of `--json` output.
#[derive(Serialize)]
struct CaseJson {
    position: String,
    #[serde(flatten)]
    report: ReportJson,
}

/// Runs `bench`.
pub fn run(arguments: &BenchArguments) -> Outcome {
    let options = Options { hash_mib: arguments.hash, threads: arguments.threads };
    let mut engine = Engine::new(options).with_weights(arguments.eval.load()?);
    let mut cases = positions::cases(&arguments.rules.rules);
    cases.truncate(arguments.first.map_or(usize::MAX, usize::from));
    let stop = StopToken::new();
    let live = Live::bar(cases.len() as u64);
    let width = table::terminal_width();
    let (mut nodes, mut time) = (0, Duration::ZERO);
    let mut signature = Signature::default();
    let mut out = io::stdout();
    if !arguments.json {
        writeln!(out, " # |{}\n---+{}", table::HEADER, table::RULE)?;
    }
    // the table is made before the first clock starts
    engine.allocate()?;
    for (i, case) in cases.iter().enumerate() {
        engine.clear();
        let start = Instant::now();
        let report = engine.search(&case.position, &case.limits, &stop, &mut |_| {})?;
        time += start.elapsed();
        nodes += report.nodes;
        signature.add(&report);
        live.position(i as u64 + 1);
        let line = if arguments.json {
            let position = board_text::write(&case.position);
            let value = CaseJson { position, report: ReportJson::new(&report, false) };
            serde_json::to_string(&value).expect("plain data")
        } else {
            let row = table::row(&case.position, &report, report.best(), true);
            table::fit(format!("{:>3}|{row}", i + 1), width)
        };
        live.suspend(|| writeln!(out, "{line}"))?;
    }
    live.finish();
    let totals = Totals {
        positions: cases.len(),
        nodes,
        seconds: time.as_secs_f64(),
        nodes_per_second: table::rate(nodes, time),
        threads: arguments.threads,
        hash_mib: arguments.hash,
        tier: engine.tier().to_string(),
        signature: signature.text(),
    };
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string(&totals).expect("plain data"))?;
    } else {
        write_totals(&mut out, &totals, time)?;
    }
    Ok(Status::Success)
}

fn write_totals(out: &mut impl Write, totals: &Totals, time: Duration) -> io::Result<()> {
    writeln!(out, "---+{}", table::RULE)?;
    writeln!(out, "nodes      {}", totals.nodes)?;
    writeln!(
        out,
        "time       {} ({}, {} MiB)",
        table::time_text(time),
        table::plural(totals.threads as u64, "thread"),
        totals.hash_mib
    )?;
    writeln!(out, "nodes/s    {}", table::rate_text(totals.nodes, time))?;
    writeln!(out, "tier       {}", totals.tier)?;
    writeln!(out, "signature  {}", totals.signature)
}

/// FNV-1a over the nodes, score and best move of every position.
struct Signature(u64);

impl Default for Signature {
    fn default() -> Signature {
        Signature(0xcbf2_9ce4_8422_2325)
    }
}

impl Signature {
    fn add(&mut self, report: &Report) {
        let best = report.best().map_or(Move::Pass, |line| line.mv);
        let bytes = report
            .nodes
            .to_le_bytes()
            .into_iter()
            .chain(report.score.to_le_bytes())
            .chain(best.to_string().into_bytes());
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Eight hexadecimal digits.
    fn text(&self) -> String {
        format!("{:08x}", (self.0 >> 32) ^ (self.0 & 0xFFFF_FFFF))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outflank::rules::RuleSet;
    use outflank::search::{Goal, Limits, Selectivity};
    use std::sync::Arc;

    #[test]
    fn every_position_is_playable() {
        for rules in ["othello", "othello:6x6", "traveller", "othello:10x10"] {
            let cases = positions::cases(&Arc::new(rules.parse::<RuleSet>().unwrap()));
            assert!(cases.len() >= 8);
            assert!(cases.iter().all(|case| !case.position.is_game_over()), "{rules}");
        }
    }

    #[test]
    fn the_signature_depends_on_nodes_and_scores() {
        let case = &positions::cases(&Arc::new(RuleSet::othello()))[0];
        let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
        let limits = Limits::new(Goal::Depth(3, Selectivity::NONE));
        let report = engine.search(&case.position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
        let sign = |report: &Report| {
            let mut signature = Signature::default();
            signature.add(report);
            signature.text()
        };
        let more_nodes = Report { nodes: report.nodes + 1, ..report.clone() };
        let other_score = Report { score: report.score + 1, ..report.clone() };
        assert_eq!(sign(&report), sign(&report.clone()));
        assert_ne!(sign(&report), sign(&more_nodes));
        assert_ne!(sign(&report), sign(&other_score));
    }
}
