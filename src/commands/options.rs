//! The options that several commands share, and what they mean to the library.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use outflank::engine::{Engine, Options};
use outflank::eval::{Model, Weights, WeightsError, read_file};
use outflank::rules::{ParseRulesError, RuleSet};
use outflank::search::{Goal, Level, Limits, Selectivity, Time};

use super::error::Error;

/// The largest `--threads` and `--jobs`.
const MAX_THREADS: u64 = 256;
/// The largest `--hash`, in MiB (one TiB).
const MAX_HASH_MIB: u64 = 1 << 20;

/// How deep and how long to search.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Search options")]
pub struct SearchOptions {
    /// Playing level 0 to 60: sets depth and selectivity by the number of empty squares (`outflank levels` lists them)
    #[arg(short, long, value_name = "LEVEL", value_parser = parse_level, conflicts_with = "depth")]
    pub level: Option<Level>,

    /// Search exactly this many plies deep; from the number of empty squares on that is a solve
    #[arg(short, long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=255))]
    pub depth: Option<u8>,

    /// With --depth: confidence of selective search in percent (73, 87, 95, 98, 99; 100 is full width) [default: 100]
    #[arg(long, value_name = "PERCENT", value_parser = parse_selectivity, requires = "depth")]
    pub selectivity: Option<Selectivity>,

    /// Stop each search after this time: seconds, MM:SS or H:MM:SS, fractions allowed
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,

    /// Stop each search after about this many nodes (k, M and G are understood: 500k, 2M)
    #[arg(long, value_name = "NODES", value_parser = parse_count)]
    pub nodes: Option<u64>,
}

impl SearchOptions {
    /// The limits these options ask for; `otherwise` is the goal when neither level nor depth is given.
    /// With only a time or a node limit the search goes as deep as the limit allows.
    pub fn limits(&self, otherwise: Goal) -> Limits {
        let goal = match (self.level, self.depth) {
            (Some(level), _) => Goal::Level(level),
            (_, Some(depth)) => Goal::Depth(depth, self.selectivity.unwrap_or(Selectivity::NONE)),
            _ if self.is_limited() && matches!(otherwise, Goal::Level(_)) => Goal::Unlimited,
            _ => otherwise,
        };
        let time = self.time.map_or(Time::Unlimited, Time::PerMove);
        Limits { time, nodes: self.nodes, ..Limits::new(goal) }
    }

    /// A limit of time or nodes was given.
    pub fn is_limited(&self) -> bool {
        self.time.is_some() || self.nodes.is_some()
    }
}

/// The resources of an engine.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine options")]
pub struct EngineOptions {
    /// Threads that search one position
    #[arg(short, long, visible_short_alias = 'n', value_name = "N", default_value = "1", value_parser = parse_threads)]
    pub threads: usize,

    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = parse_hash)]
    pub hash: usize,

    #[command(flatten)]
    pub eval: EvalOption,
}

/// The evaluation.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Engine options")]
pub struct EvalOption {
    /// Evaluate with the weights of this file (written by `outflank train`) instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
}

impl EvalOption {
    /// Reads the weights file, if one is asked for.
    pub fn load(&self) -> Result<Option<Arc<Weights>>, Error> {
        Ok(self.load_with_checksum()?.map(|(weights, _)| weights))
    }

    /// [`EvalOption::load`] with what tells the file apart from others.
    pub fn load_with_checksum(&self) -> Result<Option<(Arc<Weights>, u64)>, Error> {
        let Some(path) = &self.eval else { return Ok(None) };
        let bytes = read_file(path).map_err(|error| in_file(path, error))?;
        let weights = Weights::from_bytes(&bytes).map_err(|error| in_file(path, error))?;
        Ok(Some((Arc::new(weights), Weights::checksum(&bytes))))
    }

    /// The model of the weights file, or of the built-in weights, to make another of.
    pub fn model(&self) -> Result<Model, Error> {
        match &self.eval {
            Some(path) => Model::load(path).map_err(|error| in_file(path, error)),
            None => Weights::embedded_model().map_err(|error| Error::input(error.to_string())),
        }
    }
}

/// The error of a command whose weights file cannot be used.
pub fn in_file(path: &Path, error: WeightsError) -> Error {
    match error {
        WeightsError::Io { path, source } => Error::read(&path, source),
        error => Error::input(format!("{}: {error}", path.display())),
    }
}

impl EngineOptions {
    /// The library's form of the options.
    pub fn options(&self) -> Options {
        Options { hash_mib: self.hash, threads: self.threads }
    }

    /// An engine with these options, its weights read and its table made: an error now is better than one in the middle of the work.
    pub fn engine(&self) -> Result<Engine, Error> {
        let weights = match self.eval.load()? {
            Some(weights) => weights,
            None => Weights::try_embedded().map_err(|error| Error::input(error.to_string()))?,
        };
        let mut engine = Engine::new(self.options()).with_weights(Some(weights));
        engine.allocate().map_err(|error| Error::input(error.to_string()))?;
        Ok(engine)
    }
}

/// The rules of the game.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Game options")]
pub struct RulesOption {
    /// Rule set: a preset, or one with changes as in `hungarian:6x6,parallel` (`outflank rules` lists them)
    #[arg(long, value_name = "RULES", default_value = "othello", value_parser = parse_rules)]
    pub rules: Arc<RuleSet>,
}

/// Reads a rule set: a preset, or a preset with changes.
pub fn parse_rules(text: &str) -> Result<Arc<RuleSet>, String> {
    text.parse().map(Arc::new).map_err(|error: ParseRulesError| error.to_string())
}

/// Reads a level 0..=60.
pub fn parse_level(text: &str) -> Result<Level, String> {
    text.parse().ok().and_then(Level::new).ok_or_else(|| "a level is a number from 0 to 60".to_string())
}

/// Reads a confidence in percent.
pub fn parse_selectivity(text: &str) -> Result<Selectivity, String> {
    let percent = text.strip_suffix('%').unwrap_or(text).parse::<u32>().ok();
    Selectivity::ALL
        .into_iter()
        .find(|selectivity| Some(selectivity.percent()) == percent)
        .ok_or_else(|| "the confidences are 73, 87, 95, 98, 99 and 100".to_string())
}

/// Reads a number of threads or jobs.
pub fn parse_threads(text: &str) -> Result<usize, String> {
    in_range(text, 1, MAX_THREADS).map(|n| n as usize)
}

/// Reads a table size in MiB.
pub fn parse_hash(text: &str) -> Result<usize, String> {
    in_range(text, 1, MAX_HASH_MIB).map(|n| n as usize)
}

fn in_range(text: &str, low: u64, high: u64) -> Result<u64, String> {
    match text.parse() {
        Ok(n) if (low..=high).contains(&n) => Ok(n),
        _ => Err(format!("not a number from {low} to {high}")),
    }
}

/// Reads a count with an optional factor: `1500`, `20k`, `1.5M`, `3G`.
pub fn parse_count(text: &str) -> Result<u64, String> {
    let error = || "not a positive count such as 1500, 20k, 1.5M or 3G".to_string();
    let (digits, factor) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1e3),
        Some((at, 'm' | 'M')) => (&text[..at], 1e6),
        Some((at, 'g' | 'G')) => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    if !digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Err(error());
    }
    let value = digits.parse::<f64>().map_err(|_| error())? * factor;
    // 2^53: beyond it a float skips integers, and no search gets there
    if (1.0..9e15).contains(&value) { Ok(value.round() as u64) } else { Err(error()) }
}

/// Reads a time: seconds, `MM:SS` or `H:MM:SS`, the seconds with an optional fraction.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let error = || "not a time such as 1.5 (seconds), 2:30 or 1:00:00".to_string();
    let mut parts = text.rsplit(':');
    let seconds = parts.next().unwrap_or_default();
    if !seconds.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
        return Err(error());
    }
    let mut total = seconds.parse::<f64>().map_err(|_| error())?;
    let mut unit = 60.0;
    for part in parts {
        let value = part.parse::<u32>().map_err(|_| error())?;
        total += f64::from(value) * unit;
        unit *= 60.0;
    }
    if unit > 3600.0 * 60.0 || total <= 0.0 || total > 1e9 {
        return Err(error());
    }
    Ok(Duration::from_secs_f64(total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, seconds) in [("1", 1.0), ("0.25", 0.25), ("2:30", 150.0), ("1:00:00.5", 3600.5)] {
            assert_eq!(parse_time(text), Ok(Duration::from_secs_f64(seconds)), "{text}");
        }
        for bad in ["", "0", "-1", "1e3", "a", "1:2:3:4", "1:-2", ":", "inf", "NaN", "1.5:00"] {
            assert!(parse_time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn counts() {
        for (text, count) in [("1", 1), ("1500", 1500), ("20k", 20_000), ("1.5M", 1_500_000), ("3G", 3_000_000_000)] {
            assert_eq!(parse_count(text), Ok(count), "{text}");
        }
        for bad in ["", "0", "k", "-5", "1e9", "1.2.3", "99999999999G", "5x", "é"] {
            assert!(parse_count(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn levels_and_selectivities() {
        assert_eq!(parse_level("60"), Ok(Level::MAX));
        assert!(parse_level("61").is_err() && parse_level("-1").is_err() && parse_level("x").is_err());
        assert_eq!(parse_selectivity("73%"), Ok(Selectivity::MOST));
        assert!(parse_selectivity("80").is_err());
    }

    #[test]
    fn a_limit_alone_replaces_the_level() {
        let options = SearchOptions { nodes: Some(1000), ..SearchOptions::default() };
        assert_eq!(options.limits(Goal::Level(Level::DEFAULT)).goal, Goal::Unlimited);
        assert_eq!(options.limits(Goal::Exact).goal, Goal::Exact);
        assert_eq!(SearchOptions::default().limits(Goal::Level(Level::DEFAULT)).goal, Goal::Level(Level::DEFAULT));
    }
}
