//! `outflank levels`: what each playing level means.

use std::io::{self, Write};

use clap::Args;
use outflank::analysis::levels::{LevelJson, MOST_EMPTIES};
use outflank::search::Level;

use super::error::{Outcome, Status};
use super::options::parse_level;
use super::output::json_line;

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
        let row = LevelJson::new(level);
        if arguments.json {
            writeln!(out, "{}", json_line(&row))?;
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
