//! The options that several commands share, and what they mean to the library.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use outflank::analysis::made_with::MadeWith;
use outflank::engine::{Engine, Options};
use outflank::eval::{Model, Weights, WeightsError, read_file};
use outflank::formats::named_rules::unless_othello;
pub use outflank::formats::quantity::{
    Number, number, parse_count, parse_hash, parse_level, parse_rules, parse_seed, parse_selectivity, parse_threads,
    parse_time, single, whole,
};
use outflank::play::Strength;
use outflank::rules::RuleSet;
use outflank::search::{Goal, Level, Limits, Selectivity, Time};

use super::error::Error;

/// How deep and how long to search.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Search options")]
pub struct SearchOptions {
    /// Playing level 0 to 60: sets depth and selectivity by the number of empty squares (`outflank levels` lists them)
    #[arg(short, long, value_name = "LEVEL", value_parser = parse_level, conflicts_with = "depth")]
    pub level: Option<Level>,

    #[command(flatten)]
    pub bounds: Bounds,
}

/// What bounds a search besides a level.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Search options")]
pub struct Bounds {
    /// Search exactly this many plies deep; from the number of empty squares on that is a solve
    #[arg(short, long, value_name = "PLIES", value_parser = whole::<u8>(1..=255))]
    pub depth: Option<u8>,

    /// With --depth: confidence of selective search in percent (73, 87, 95, 98, 99; 100 is full width) [default: 100]
    #[arg(long, value_name = "PERCENT", value_parser = parse_selectivity, requires = "depth", conflicts_with = "level")]
    pub selectivity: Option<Selectivity>,

    /// Stop each search after this time: seconds, MM:SS or H:MM:SS, fractions allowed
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub time: Option<Duration>,

    /// Stop each search after about this many nodes (k, M and G are understood: 500k, 2M)
    #[arg(long, value_name = "NODES", value_parser = parse_count)]
    pub nodes: Option<u64>,
}

impl Bounds {
    /// The goal that a depth sets, if there is one.
    pub fn goal(&self) -> Option<Goal> {
        Some(Goal::Depth(self.depth?, self.selectivity.unwrap_or(Selectivity::NONE)))
    }

    /// How hard a player thinks within them; without a depth the level says how deep.
    pub fn strength(&self, level: Option<&Strength>) -> Strength {
        let level = level.cloned().unwrap_or_default();
        Strength { goal: level.goal.or(self.goal()), nodes: self.nodes, time: self.time, ..level }
    }

    /// A limit of time or nodes was given.
    pub fn is_limited(&self) -> bool {
        self.time.is_some() || self.nodes.is_some()
    }
}

impl SearchOptions {
    /// The goal that a level or a depth sets, if there is one.
    pub fn goal(&self) -> Option<Goal> {
        self.level.map(Goal::Level).or(self.bounds.goal())
    }

    /// The limits these options ask for; `otherwise` is the goal when neither level nor depth is given.
    /// With only a time or a node limit the search goes as deep as the limit allows.
    pub fn limits(&self, otherwise: Goal) -> Limits {
        let goal = Goal::asked_or(self.goal(), otherwise, self.bounds.is_limited());
        let time = self.bounds.time.map_or(Time::Unlimited, Time::PerMove);
        Limits { time, nodes: self.bounds.nodes, ..Limits::new(goal) }
    }

    /// What decides how deep searches go, in one spelling: first the goal, then limits of time and nodes.
    fn deciding(&self) -> [Vec<String>; 2] {
        let Bounds { depth, selectivity, time, nodes } = &self.bounds;
        let selectivity = selectivity.filter(|selectivity| *selectivity != Selectivity::NONE);
        let goal = [
            self.level.map(|level| format!("--level {}", level.get())),
            depth.map(|depth| format!("--depth {depth}")),
            selectivity.map(|selectivity| format!("--selectivity {}", selectivity.percent())),
        ];
        let limits =
            [time.map(|time| format!("--time {}", time.as_secs_f64())), nodes.map(|nodes| format!("--nodes {nodes}"))];
        [goal.into_iter().flatten().collect(), limits.into_iter().flatten().collect()]
    }
}

/// The options that decide what a command finds, to tell whether it can go on with earlier results: those of the search with its
/// limits, others of its own, weights by their checksum and rules.
pub fn decisive(
    (search, limits): (&SearchOptions, &Limits),
    others: impl Iterator<Item = String>,
    weights: Option<&(Arc<Weights>, u64)>,
    rules: &RuleSet,
) -> MadeWith {
    let weights = weights.map(|(_, checksum)| format!("--eval {checksum:016x}"));
    let rules = unless_othello(rules).map(|rules| format!("--rules {rules}"));
    let names_rules = rules.is_some();
    let [mut options, mut bounds] = search.deciding();
    // with no other goal every search goes as far as they allow; others they end without changing what a finished one finds
    if limits.goal == Goal::Unlimited {
        options.append(&mut bounds);
    }
    options.extend(others.chain(weights).chain(rules));
    MadeWith { options: options.join(" "), limits: bounds.join(" "), names_rules }
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
    /// Evaluate with the weights of this file (written by `outflank train`) instead of the built-in ones: on the whole
    /// board of 8x8 by othello's rules (other rules have values of their own)
    #[arg(long, value_name = "FILE")]
    eval: Option<PathBuf>,
}

impl EvalOption {
    /// The weights file, if one is asked for.
    pub fn file(&self) -> Option<&Path> {
        self.eval.as_deref()
    }

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
        self.engine_with(self.eval.load()?)
    }

    /// The same with weights that have been read.
    pub fn engine_with(&self, weights: Option<Arc<Weights>>) -> Result<Engine, Error> {
        let mut engine = Engine::new(self.options()).with_weights(weights);
        engine.allocate()?;
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

/// When colours are used.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ColorWhen {
    /// At a terminal that has them, unless NO_COLOR is set
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

impl ColorWhen {
    /// They are used on standard output.
    pub fn is_on(self) -> bool {
        let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        match self {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => {
                let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
                io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_alone_replaces_the_level() {
        let bounds = Bounds { nodes: Some(1000), ..Bounds::default() };
        let options = SearchOptions { bounds, ..SearchOptions::default() };
        assert_eq!(options.limits(Goal::Level(Level::DEFAULT)).goal, Goal::Unlimited);
        assert_eq!(options.limits(Goal::Exact).goal, Goal::Exact);
        assert_eq!(SearchOptions::default().limits(Goal::Level(Level::DEFAULT)).goal, Goal::Level(Level::DEFAULT));
    }
}
