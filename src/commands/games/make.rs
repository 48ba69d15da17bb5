//! `outflank games problems` and `games random`: positions for people and test sets.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use clap::Args;
use outflank::analysis::games::{Balanced, Problems, RandomError, Wanted};
use outflank::formats::named_rules::{Naming, unless_othello};
use outflank::formats::obf::{self, Problem};
use outflank::formats::quantity::plural;
use outflank::formats::transcript;
use outflank::rules::Position;
use outflank::search::{Goal, Level};
use serde::Serialize;

use super::InputOptions;
use super::convert::parse_lengths;
use super::read::each_game;
use crate::commands::error::{Error, Outcome, Status};
use crate::commands::interrupt;
use crate::commands::live::Live;
use crate::commands::options::{EngineOptions, RulesOption, SearchOptions, parse_count, parse_seed, whole};
use crate::commands::output::json_line;

/// Arguments of `games problems`.
#[derive(Args)]
#[command(after_help = "\
Every position of the games with so many empty squares is solved; those in which exactly one move wins (or, with --swing, one move
is so much better than all others) are printed as OBF problems with the exact scores of all moves. Each position is taken once, in
whichever orientation. A game of 10 to 14 empty squares takes a few milliseconds, one of 20 some seconds.

Examples:
  outflank games problems wthor/WTH_2001.wtb --empties 10..14 --count 100 > problems.obf
  outflank games problems my.ggf --missed --swing 8      where one move lost eight discs or more
  outflank solve problems.obf                            solves them again and compares")]
pub struct ProblemsArguments {
    /// Empty squares of the positions
    #[arg(short, long, value_name = "N..M", default_value = "10..14", value_parser = parse_lengths)]
    empties: RangeInclusive<usize>,

    /// One move is better than all others by so many discs, whoever wins
    #[arg(short, long, value_name = "DISCS", value_parser = whole::<u32>(1..=128))]
    swing: Option<u32>,

    /// Only where the player did not find the move
    #[arg(short, long)]
    missed: bool,

    /// No more problems than this
    #[arg(short, long, value_name = "N", value_parser = parse_count)]
    count: Option<u64>,

    /// One JSON object a problem
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    input: InputOptions,

    #[command(flatten)]
    engine: EngineOptions,
}

/// A problem with its game.
#[derive(Serialize)]
struct ProblemJson {
    /// The rules, if they are not othello's.
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
    /// The problem as a line of OBF.
    problem: String,
    empties: u32,
    file: String,
    /// Number of the game in its file, from 1.
    game: u64,
    black: String,
    white: String,
}

/// Runs `games problems`.
pub fn problems(arguments: &ProblemsArguments) -> Outcome {
    let stop = interrupt::stop_token();
    let mut engine = arguments.engine.engine()?;
    let wanted = arguments.swing.map_or(Wanted::OneWinningMove, Wanted::Swing);
    let empties = *arguments.empties.start() as u32..=*arguments.empties.end() as u32;
    let mut problems = Problems::new(wanted, empties, arguments.missed);
    let most = arguments.count.unwrap_or(u64::MAX);
    let mut out = io::stdout().lock();
    let (mut found, mut enough, mut naming) = (0, false, Naming::default());
    let InputOptions { inputs, rules } = &arguments.input;
    let count = each_game(inputs, &rules.rules, &stop, |record, place, live| {
        for problem in problems.of(&mut engine, &record.game, &stop)? {
            if found == most {
                break;
            }
            found += 1;
            let [black, white] = &record.players;
            let line = if arguments.json {
                let (empties, file) = (problem.position.empty_count(), place.path.display().to_string());
                let (black, white, game) = (black.name.clone(), white.name.clone(), place.number);
                let rules = unless_othello(problem.position.rules());
                json_line(&ProblemJson { rules, problem: obf::write(&problem), empties, file, game, black, white })
            } else {
                naming.before(problem.position.rules()) + &obf::write(&problem)
            };
            live.suspend(|| writeln!(out, "{line}"))?;
        }
        let searched = plural(problems.searched(), "position");
        live.message(format!("{} in {searched}", plural(found, "problem")));
        if found == most {
            enough = true;
            stop.stop();
        }
        Ok(())
    })?;
    out.flush()?;
    let (problems, searched) = (plural(found, "problem"), plural(problems.searched(), "position"));
    tell!("{problems} in {searched} of {}", plural(count.games, "game"));
    if enough && count.bad == 0 {
        return Ok(Status::Success);
    }
    Ok(if enough { Status::BadInput } else { count.status() })
}

/// Arguments of `games random`.
#[derive(Args)]
#[command(after_help = "\
Random games are played down to the number of empty squares; positions in which the engine finds neither side more than --margin
discs ahead are printed with its score for the side to move; one that is not proved says how deep the search was (`% 10@73%`).
Each position is made once, in whichever orientation.

Examples:
  outflank games random --empties 52 --count 100           even starts after eight random moves
  outflank games random --empties 20 --margin 0 --level 20 proved draws
  outflank games random --empties 44 --moves > starts.txt  the moves there, for match --openings")]
pub struct RandomArguments {
    /// Empty squares
    #[arg(short, long, value_name = "N", default_value = "52", value_parser = whole::<u32>(0..=u32::MAX))]
    empties: u32,

    /// How many positions
    #[arg(short, long, value_name = "N", default_value = "10", value_parser = parse_count)]
    count: u64,

    /// Discs that a side may be ahead
    #[arg(long, value_name = "DISCS", default_value = "2", value_parser = whole::<u32>(0..=u32::MAX))]
    margin: u32,

    /// Random numbers begin here: the same seed gives the same positions
    #[arg(long, value_name = "SEED", default_value = "1", value_parser = parse_seed)]
    seed: u64,

    /// The moves instead of the positions
    #[arg(short, long)]
    moves: bool,

    /// One JSON object a position
    #[arg(long, conflicts_with = "moves")]
    json: bool,

    #[command(flatten)]
    search: SearchOptions,

    #[command(flatten)]
    engine: EngineOptions,

    #[command(flatten)]
    rules: RulesOption,
}

/// A random position.
#[derive(Serialize)]
struct RandomJson {
    /// The rules, if they are not othello's.
    #[serde(skip_serializing_if = "Option::is_none")]
    rules: Option<String>,
    position: String,
    /// For the side to move.
    score: i32,
    /// The score is proved.
    exact: bool,
    empties: u32,
    moves: String,
}

/// Runs `games random`.
pub fn random(arguments: &RandomArguments) -> Outcome {
    let stop = interrupt::stop_token();
    let mut engine = arguments.engine.engine()?;
    let limits = arguments.search.limits(Goal::Level(Level::new(10).expect("a level")));
    let rules = arguments.rules.rules.clone();
    let start = Position::start(rules.clone());
    // positions are those after the players have placed the centre discs
    let most = start.empty_count() - u32::from(start.placements_left());
    if !(1..=most).contains(&arguments.empties) {
        return Err(Error::input(format!(
            "--empties {}: not a number from 1 to {most}, the empty squares of the start",
            arguments.empties
        )));
    }
    if !arguments.json {
        write!(io::stdout(), "{}", Naming::default().before(&rules))?;
    }
    let named = unless_othello(&rules);
    let mut balanced = Balanced::new(rules, arguments.empties, arguments.margin, limits, arguments.seed);
    let live = Live::bar(arguments.count);
    for made in 0..arguments.count {
        live.position(made);
        let (game, report) = match balanced.next(&mut engine, &stop) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(Status::Interrupted),
            Err(RandomError::Search(error)) => return Err(error.into()),
            Err(error) => return Err(Error::input(error.to_string())),
        };
        let position = game.position().clone();
        let line = if arguments.moves {
            transcript::write(&game)
        } else if arguments.json {
            let (moves, empties) = (transcript::write(&game), arguments.empties);
            let position = outflank::formats::board_text::write(&position);
            let (rules, score, exact) = (named.clone(), report.score, report.is_exact());
            json_line(&RandomJson { rules, position, score, exact, empties, moves })
        } else {
            obf::write(&Problem { score: Some(report.score), searched: report.searched(), ..Problem::new(position) })
        };
        live.suspend(|| writeln!(io::stdout(), "{line}"))?;
    }
    live.finish();
    Ok(Status::Success)
}
