//! `outflank perft`: counts of move sequences, checked against the published ones.

use std::ffi::OsString;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use clap::Args;
use outflank::perft::{self, Leaves, PUBLISHED};
use outflank::rules::{Position, Start};
use serde_json::json;

use super::error::{Outcome, Status};
use super::input;
use super::options::{RulesOption, parse_threads, whole};
use super::thread_pool;

/// Arguments of `perft`.
#[derive(Args)]
#[command(after_help = "\
Passes count as moves, and a game that ends early counts as one sequence: the conventions of the published counts,
which Othello's start position is checked against up to depth 12 (exit status 1 if one differs).

Examples:
  outflank perft 11                     all depths to 11, on all cores
  outflank perft 9 --divide             the last depth split by first move
  outflank perft 6 f5d6c3               from the position after these moves
  outflank perft 10 --visit --threads 1 node rate of the move generator, flips included")]
pub struct PerftArguments {
    /// Length of the move sequences in plies
    #[arg(value_name = "DEPTH", value_parser = whole::<u32>(1..=40))]
    depth: u32,

    /// The position they begin with: moves from the start, the name of an opening, a board, or a file with one of them [default: the
    /// start]
    #[arg(value_name = "POSITION", allow_hyphen_values = true)]
    position: Option<OsString>,

    /// Split the count of the last depth by first move
    #[arg(long)]
    divide: bool,

    /// Play the moves of the last ply too, instead of only counting them
    #[arg(long)]
    visit: bool,

    /// Threads [default: all cores]
    #[arg(short, long, visible_short_alias = 'n', value_name = "N", value_parser = parse_threads)]
    threads: Option<usize>,

    /// One JSON object a depth
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    rules: RulesOption,
}

/// The count at one depth.
struct Row {
    depth: u32,
    leaves: u64,
    elapsed: Duration,
    published: Option<u64>,
    divide: Vec<(String, u64)>,
}

impl Row {
    fn is_right(&self) -> bool {
        self.published.is_none_or(|published| published == self.leaves)
    }

    /// Leaves a second; below a millisecond it says nothing.
    fn rate(&self) -> Option<f64> {
        let seconds = self.elapsed.as_secs_f64();
        (seconds >= 1e-3).then(|| self.leaves as f64 / seconds)
    }
}

/// Runs `perft`.
pub fn run(arguments: &PerftArguments) -> Outcome {
    let pool = thread_pool(arguments.threads)?;
    let rules = &arguments.rules.rules;
    let position = match &arguments.position {
        Some(text) => input::first_game(text, rules)?.position().clone(),
        None => Position::start(rules.clone()),
    };
    let mut out = io::stdout().lock();
    if !arguments.json {
        writeln!(out, "depth            leaves          time       leaves/s  published")?;
    }
    let mut all_right = true;
    for depth in 1..=arguments.depth {
        let row = pool.install(|| count(&position, depth, arguments));
        all_right &= row.is_right();
        if arguments.json {
            writeln!(out, "{}", to_json(&row))?;
        } else {
            write_row(&mut out, &row)?;
        }
        out.flush()?;
    }
    Ok(if all_right { Status::Success } else { Status::CheckFailed })
}

fn count(position: &Position, depth: u32, arguments: &PerftArguments) -> Row {
    let leaves = if arguments.visit { Leaves::Played } else { Leaves::Bulk };
    let start = Instant::now();
    let entries = perft::divide(position, depth, leaves);
    let elapsed = start.elapsed();
    let is_last = depth == arguments.depth;
    Row {
        depth,
        leaves: entries.iter().map(|entry| entry.1).sum::<u64>().max(1),
        elapsed,
        published: published(position, depth),
        divide: if is_last && arguments.divide {
            entries.into_iter().map(|(mv, leaves)| (mv.to_string(), leaves)).collect()
        } else {
            Vec::new()
        },
    }
}

/// The published count, known for Othello's start position (and its mirror image).
fn published(position: &Position, depth: u32) -> Option<u64> {
    let rules = position.rules();
    let is_start = *position == Position::start(rules.clone());
    let is_othello = rules.is_fast()
        && (rules.rows(), rules.columns(), rules.corners()) == (8, 8, 0)
        && matches!(rules.start(), Start::Crossed | Start::CrossedMirrored);
    PUBLISHED.get(depth as usize).copied().filter(|_| is_othello && is_start)
}

fn write_row(out: &mut impl Write, row: &Row) -> io::Result<()> {
    let check = match row.published {
        None => "-".to_string(),
        Some(_) if row.is_right() => "ok".to_string(),
        Some(published) => format!("WRONG, should be {published}"),
    };
    let seconds = row.elapsed.as_secs_f64();
    let rate = row.rate().map_or("-".to_string(), |rate| format!("{:.1} M", rate / 1e6));
    writeln!(out, "{:>5} {:>17} {seconds:>11.3} s {rate:>14}  {check}", row.depth, row.leaves)?;
    // a move that is longer than the column of depths takes from that of counts
    for (mv, leaves) in &row.divide {
        let width = 22_usize.saturating_sub(mv.len()).min(17);
        writeln!(out, "{mv:>5} {leaves:>width$}")?;
    }
    Ok(())
}

fn to_json(row: &Row) -> serde_json::Value {
    let mut value = json!({
        "depth": row.depth,
        "leaves": row.leaves,
        "seconds": row.elapsed.as_secs_f64(),
        "leaves_per_second": row.rate(),
        "published": row.published,
        "right": row.published.map(|_| row.is_right()),
    });
    if !row.divide.is_empty() {
        let moves: Vec<_> = row.divide.iter().map(|(mv, leaves)| json!({ "move": mv, "leaves": leaves })).collect();
        value["moves"] = moves.into();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table and JSON leave out what a run of microseconds does not tell.
    #[test]
    fn rates_need_a_millisecond() {
        for (micros, rate, text) in [(4, None, " - "), (999, None, " - "), (2000, Some(28_000.0), " 0.0 M ")] {
            let elapsed = Duration::from_micros(micros);
            let row = Row { depth: 3, leaves: 56, elapsed, published: Some(56), divide: Vec::new() };
            assert_eq!(to_json(&row)["leaves_per_second"].as_f64(), rate, "{micros}");
            let mut line = Vec::new();
            write_row(&mut line, &row).unwrap();
            let line = String::from_utf8(line).unwrap();
            assert!(line.contains(text), "{line}");
        }
    }

    #[test]
    fn counts_stand_below_one_another() {
        let divide = ["c4", "p16p15", "pass"].map(|mv| (mv.to_string(), 14)).into();
        let row = Row { depth: 3, leaves: 56, elapsed: Duration::from_secs(1), published: None, divide };
        let mut table = Vec::new();
        write_row(&mut table, &row).unwrap();
        let table = String::from_utf8(table).unwrap();
        let ends = |line: &str| line[..23].trim_end().len();
        assert!(table.lines().all(|line| ends(line) == 23 && line[..23].ends_with(['4', '6'])), "{table}");
    }
}
