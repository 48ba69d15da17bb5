//! `outflank solo`: the solitaire, its advisor, its records, and its averages.

mod averages;
pub(super) mod board;
mod console;
mod replay;

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::Args;
use outflank::formats::atomic::write_whole;
use outflank::formats::quantity::plural;
use outflank::solo::{Budget, Game, Layout, Layouts, Record, Scoring};

use super::error::{Error, Outcome};
use super::input;
use super::options::{ColorWhen, parse_count, parse_seed, parse_threads, parse_time};
use super::output::{check_is_replaceable, is_file_name};

/// Arguments of `solo`.
#[derive(Args)]
#[command(after_help = "\
The rules: place a disc, either colour up, so that it flips discs as in Othello, or encloses, with a disc of its
colour on the other side, single face-up chips of the other colour, which are won. Face-down chips orthogonally
beside the disc are then turned up. Win all 24.

Examples:
  outflank solo                          play; `help` lists the commands
  outflank solo --seed 7 --scoring points
  outflank solo --box                    the chips lie on your table: advice
  outflank solo --replay game.solo       a recorded game, turn by turn
  outflank solo --replay game.solo --json > game.json
  outflank solo --bench 300 --seed 1     averages of the advisor, a greedy and a random player
  outflank solo --bench 100 --layout random --players advisor --budget 5k")]
pub struct SoloArguments {
    /// Seed of the shuffle: the same seed gives the same deal everywhere; with --bench the first of consecutive seeds
    /// [default: from the clock; 1 with --bench]
    #[arg(long, value_name = "SEED", value_parser = parse_seed)]
    seed: Option<u64>,

    /// Squares of the 24 chips: `lattice`, `ring`, a list as in "b2 c2 ...", or `random` (drawn from the seed)
    #[arg(long, value_name = "SQUARES", default_value = "lattice", value_parser = parse_layout)]
    layout: Layouts,

    /// Advice for the real box: nobody knows what lies under; `reveal c3 g7` enters what was turned up
    #[arg(long = "box", conflicts_with_all = ["seed", "load", "bench", "players", "threads", "replay"])]
    real_box: bool,

    /// What the advisor aims at: the `count` of chips won, or the `points` on them [default: count; with --load that of
    /// the file]
    #[arg(long, value_name = "SCORING", value_parser = parse_scoring)]
    scoring: Option<Scoring>,

    /// Work per piece of advice: nodes (20k; the same advice everywhere) or a time (0.5s, 200ms)
    #[arg(long, value_name = "NODES|TIME", default_value = "20k", value_parser = parse_budget)]
    budget: Budget,

    /// Continue a saved game
    #[arg(long, value_name = "FILE", conflicts_with_all = ["seed", "layout", "bench", "players", "threads", "replay"])]
    load: Option<PathBuf>,

    /// Show a recorded game (text or JSON, `-` is standard input) turn by turn, after checking it
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["seed", "layout", "scoring", "budget", "bench", "players", "threads"]
    )]
    replay: Option<PathBuf>,

    /// Play this many seeded deals with each player and print the averages
    #[arg(long, value_name = "N", value_parser = parse_count)]
    bench: Option<u64>,

    /// Players of the bench
    #[arg(
        long,
        value_name = "PLAYERS",
        value_delimiter = ',',
        default_value = "advisor,greedy,random",
        requires = "bench"
    )]
    players: Vec<averages::Kind>,

    /// Games of the bench that run at the same time [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = parse_threads, requires = "bench")]
    threads: Option<usize>,

    /// Colours of the board
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    color: ColorWhen,

    /// Print JSON: of the bench its results, of a replay the record
    #[arg(long)]
    json: bool,

    /// Fit the evaluation by this many games and print the source file of its weights
    #[arg(long, value_name = "GAMES", hide = true, value_parser = parse_count)]
    fit: Option<u64>,
}

impl SoloArguments {
    /// What the advisor of a new game aims at.
    fn scoring(&self) -> Scoring {
        self.scoring.unwrap_or_default()
    }
}

/// Runs `solo`.
pub fn run(arguments: &SoloArguments) -> Outcome {
    if let Some(games) = arguments.fit {
        averages::fit(games, arguments.seed.unwrap_or(1))
    } else if let Some(deals) = arguments.bench {
        averages::run(arguments, deals)
    } else if let Some(path) = &arguments.replay {
        replay::run(&load(path)?, arguments.json, arguments.color.is_on())
    } else if arguments.json {
        Err(Error::input("--json goes with --bench or --replay"))
    } else {
        let record = match &arguments.load {
            Some(path) => {
                let record = load(path)?;
                Record { scoring: arguments.scoring.unwrap_or(record.scoring), ..record }
            }
            None if arguments.real_box => real_box(arguments)?,
            None => deal(arguments.layout, arguments.seed.unwrap_or_else(clock_seed), arguments.scoring()),
        };
        console::run(record, arguments)
    }
}

/// A new game.
fn deal(layouts: Layouts, seed: u64, scoring: Scoring) -> Record {
    Record { game: Game::new(layouts.deal(seed)), seed: Some(seed), scoring }
}

/// A game with the chips on somebody's table.
fn real_box(arguments: &SoloArguments) -> Result<Record, Error> {
    let Layouts::Fixed(layout) = arguments.layout else {
        return Err(Error::input("--box: --layout must say where your chips lie"));
    };
    Ok(unknown(layout, arguments.scoring()))
}

/// A game with the real box at its start.
fn unknown(layout: Layout, scoring: Scoring) -> Record {
    Record { game: Game::unknown(layout), seed: None, scoring }
}

/// A seed nobody has to think of, short enough to be written down.
fn clock_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_micros() as u64 % 1_000_000_000
}

/// Reads a record.
fn load(path: &Path) -> Result<Record, Error> {
    let bytes = input::read_all(path)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        Error::input(format!("{}: not UTF-8 text at byte {}", input::name(path), error.utf8_error().valid_up_to() + 1))
    })?;
    Record::parse(&text).map_err(|error| Error::input(format!("{}: {error}", input::name(path))))
}

/// Writes a record: as JSON when the name ends in `.json`.
fn save(record: &Record, path: &Path) -> Result<(), Error> {
    let json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    let text = if json { record.to_json() + "\n" } else { record.to_string() };
    is_file_name(path)?;
    check_is_replaceable(path)?;
    write_whole(path, text.as_bytes()).map_err(|error| Error::write(path, error))
}

fn parse_layout(text: &str) -> Result<Layouts, String> {
    if text.trim() == "random" {
        return Ok(Layouts::Random);
    }
    text.parse::<Layout>().map(Layouts::Fixed).map_err(|error| {
        let is_name = !text.contains(|letter: char| letter.is_ascii_digit());
        if is_name { "the layouts with names are lattice, ring and random".to_string() } else { error.to_string() }
    })
}

fn parse_scoring(text: &str) -> Result<Scoring, String> {
    Scoring::from_name(text).ok_or_else(|| "the scorings are count and points".to_string())
}

/// Reads `20k` or `0.5s` or `200ms`.
fn parse_budget(text: &str) -> Result<Budget, String> {
    let number = |digits: &str, unit: f64| {
        let time = parse_time(digits).map_err(|_| "not a time such as 0.5s or 200ms".to_string())?;
        Ok(Budget::Time(Duration::from_secs_f64(time.as_secs_f64() * unit)))
    };
    if let Some(digits) = text.strip_suffix("ms") {
        number(digits, 1e-3)
    } else if let Some(digits) = text.strip_suffix('s') {
        number(digits, 1.0)
    } else {
        parse_count(text).map(Budget::Nodes).map_err(|_| "neither nodes (20k) nor a time (0.5s, 200ms)".to_string())
    }
}

/// `20000 nodes` or `500 ms`.
fn budget_text(budget: Budget) -> String {
    match budget {
        Budget::Nodes(nodes) => plural(nodes, "node"),
        Budget::Time(time) => format!("{} ms", time.as_nanos() as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets() {
        assert_eq!(parse_budget("20k"), Ok(Budget::Nodes(20_000)));
        assert_eq!(parse_budget("0.5s"), Ok(Budget::Time(Duration::from_millis(500))));
        assert_eq!(parse_budget("200ms"), Ok(Budget::Time(Duration::from_millis(200))));
        for (text, told) in [("20k", "20000 nodes"), ("0.5s", "500 ms"), ("1.9ms", "1.9 ms"), ("0.0003ms", "0.0003 ms")]
        {
            assert_eq!(parse_budget(text).map(budget_text).as_deref(), Ok(told), "{text}");
        }
        for bad in ["", "s", "ms", "0", "-1", "fast", "0s", "1h"] {
            assert!(parse_budget(bad).is_err(), "{bad}");
        }
    }
}
