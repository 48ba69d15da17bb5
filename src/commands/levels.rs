//! `outflank levels`: what each playing level and each grade means.

use std::io::{self, Write};

use clap::Args;
use outflank::analysis::levels::{LevelJson, MOST_EMPTIES};
use outflank::play::{Grade, Habits, Strength};
use outflank::search::Level;
use serde_json::json;

use super::error::{Outcome, Status};
use super::output::json_line;

/// Arguments of `levels`.
#[derive(Args)]
#[command(after_help = "\
A level sets how deep the engine looks in the midgame, with which confidence of selective search, and from how many empty
squares on it plays to the end of the game. Where the general search plays (one line turns, players have discs of their own, the board
is longer than 8 squares, has holes or an odd number of squares), a level looks two thirds as deep (half as deep up to level 10) and
solves later; `level` in the console tells what it means there. A grade errs as people do: what it sees of a move is wrong by some discs.

Examples:
  outflank levels
  outflank levels 21
  outflank levels club")]
pub struct LevelsArguments {
    /// Only this level or grade
    #[arg(value_name = "LEVEL")]
    level: Option<Strength>,

    /// One JSON object a level or grade
    #[arg(long)]
    json: bool,
}

/// Runs `levels`.
pub fn run(arguments: &LevelsArguments) -> Outcome {
    let mut out = io::stdout().lock();
    let asked = |strength: Strength| arguments.level.as_ref().is_none_or(|level| *level == strength);
    let levels: Vec<Level> =
        (0..=Level::MAX.get()).filter_map(Level::new).filter(|&level| asked(Strength::level(level))).collect();
    let grades: Vec<Grade> = Grade::ALL.into_iter().filter(|&grade| asked(Strength::grade(grade))).collect();
    if arguments.json {
        for &level in &levels {
            writeln!(out, "{}", json_line(&LevelJson::new(level)))?;
        }
        for &grade in &grades {
            writeln!(out, "{}", json_line(&grade_json(grade)))?;
        }
        return Ok(Status::Success);
    }
    write_levels(&mut out, &levels)?;
    if !levels.is_empty() && !grades.is_empty() {
        writeln!(out)?;
    }
    write_grades(&mut out, &grades)?;
    Ok(Status::Success)
}

/// A table of levels, if there are any.
fn write_levels(out: &mut impl Write, levels: &[Level]) -> io::Result<()> {
    if levels.is_empty() {
        return Ok(());
    }
    writeln!(out, "       midgame    plays to the end of the game from this many empty squares on,")?;
    writeln!(out, "       depth      with a confidence of")?;
    writeln!(out, "level  in plies   100%   99%   98%   95%   87%   73%")?;
    for &level in levels {
        let row = LevelJson::new(level);
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
    Ok(())
}

/// A table of grades, if there are any.
fn write_grades(out: &mut impl Write, grades: &[Grade]) -> io::Result<()> {
    if grades.is_empty() {
        return Ok(());
    }
    writeln!(out, "           looks ahead  errs by  moves without  plays to the end of the game")?;
    writeln!(out, "grade      in plies     discs    looking        from this many empty squares on")?;
    for &grade in grades {
        let Habits { depth, error, careless, perfect, .. } = *grade.habits();
        let careless = if careless > 0.0 { format!("{:.0}%", careless * 100.0) } else { "-".to_string() };
        let perfect = if perfect > 0 { perfect.to_string() } else { "-".to_string() };
        writeln!(out, "{:<10} {depth:>8} {error:>12.1}    {careless:>7}        {perfect:>3}", grade.name())?;
    }
    Ok(())
}

fn grade_json(grade: Grade) -> serde_json::Value {
    let Habits { depth, error, careless, perfect, .. } = *grade.habits();
    json!({
        "grade": grade.name(),
        "number": grade.number(),
        "depth": depth,
        "error": error,
        "careless": careless,
        "perfect": perfect,
    })
}
