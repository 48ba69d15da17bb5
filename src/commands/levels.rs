//! `outflank levels`: what each playing level means.

use std::io::{self, Write};

use clap::Args;
use outflank::search::{Level, Selectivity};
use serde::Serialize;

use super::error::{Outcome, Status};
use super::options::parse_level;

/// Squares of the board that the levels are made for.
const MOST_EMPTIES: u8 = 60;

/// Arguments of `levels`.
#[derive(Args)]
#[command(after_help = "\
A level sets how deep the engine looks in the midgame, with which confidence of selective search, and from how many empty
squares on it plays to the end of the game.

Examples:
  outflank levels
  outflank levels 21")]
pub struct LevelsArguments {
    /// Only this level
    #[arg(value_name = "LEVEL", value_parser = parse_level)]
    level: Option<Level>,

    /// One JSON object a level
    #[arg(long)]
    json: bool,
}

/// What a level means.
#[derive(Serialize)]
struct Row {
    level: u8,
    /// Depth and confidence with too many empties for a solve.
    depth: u8,
    selectivity: u32,
    /// The most empties with which the game is searched to its end at least with this confidence: 100, 99, 98, ...
    solves: Vec<(u32, u8)>,
}

/// The most empties at which a level solves to the end with at least this confidence.
fn solves_from(level: Level, selectivity: Selectivity) -> u8 {
    let solves = |empties: &u8| {
        let stage = level.stage(*empties);
        stage.depth >= *empties && stage.selectivity >= selectivity
    };
    (1..=MOST_EMPTIES).take_while(solves).last().unwrap_or(0)
}

impl Row {
    fn new(level: Level) -> Row {
        let midgame = level.stage(MOST_EMPTIES);
        let solves = Selectivity::ALL.iter().rev().map(|&s| (s.percent(), solves_from(level, s))).collect();
        Row { level: level.get(), depth: midgame.depth, selectivity: midgame.selectivity.percent(), solves }
    }
}

/// What a level means, in a sentence.
pub fn describe(level: Level) -> String {
    let row = Row::new(level);
    let exact = row.solves[0].1;
    let widest = row.solves.iter().map(|solve| solve.1).max().unwrap_or(0);
    let midgame = format!("depth {} at {}%", row.depth, row.selectivity);
    match (exact, widest) {
        (MOST_EMPTIES.., _) => format!("level {}: solves every position exactly", row.level),
        (0, 0) => format!("level {}: {midgame}", row.level),
        _ if widest == exact => format!("level {}: {midgame}; exact with {exact} empty squares or fewer", row.level),
        _ => format!(
            "level {}: {midgame}; to the end selectively from {widest} empty squares, exactly from {exact}",
            row.level
        ),
    }
}

/// Runs `levels`.
pub fn run(arguments: &LevelsArguments) -> Outcome {
    let mut out = io::stdout().lock();
    let chosen =
        (0..=Level::MAX.get()).filter_map(Level::new).filter(|level| arguments.level.is_none_or(|l| l == *level));
    if !arguments.json {
        writeln!(out, "       midgame    plays to the end of the game from this many empty squares on,")?;
        writeln!(out, "       depth      with a confidence of")?;
        writeln!(out, "level  in plies   100%   99%   98%   95%   87%   73%")?;
    }
    for level in chosen {
        let row = Row::new(level);
        if arguments.json {
            writeln!(out, "{}", serde_json::to_string(&row).expect("plain data"))?;
            continue;
        }
        let midgame = match (row.depth, row.selectivity) {
            (MOST_EMPTIES, 100) => "-".to_string(),
            (depth, 100) => depth.to_string(),
            (depth, percent) => format!("{depth}@{percent}%"),
        };
        write!(out, "{:>5}  {midgame:<8}", row.level)?;
        let mut weaker = 0;
        for (_, empties) in &row.solves {
            // a confidence that starts no earlier than a higher one is not used
            let cell = if *empties > weaker { empties.to_string() } else { "-".to_string() };
            weaker = weaker.max(*empties);
            write!(out, "{cell:>6}")?;
        }
        writeln!(out)?;
    }
    Ok(Status::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions() {
        let describe = |level| describe(Level::new(level).unwrap());
        assert_eq!(describe(0), "level 0: depth 0 at 100%");
        assert_eq!(describe(6), "level 6: depth 6 at 100%; exact with 12 empty squares or fewer");
        assert_eq!(
            describe(21),
            "level 21: depth 21 at 73%; to the end selectively from 30 empty squares, exactly from 24"
        );
        assert_eq!(describe(60), "level 60: solves every position exactly");
    }
}
