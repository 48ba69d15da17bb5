//! What the commands that run protocol sessions share.

use std::sync::Arc;

use clap::Args;
use outflank::play::Variety;
use outflank::protocol::Config;
use outflank::rules::RuleSet;
use outflank::search::Level;

use super::error::Error;
use super::gone;
use super::options::{EngineOptions, parse_level};

/// Options of a protocol session.
#[derive(Args, Clone, Debug)]
pub struct SessionOptions {
    /// Playing level 0 to 60: sets depth and selectivity by the number of empty squares [default: 21; with a clock as deep as
    /// its time allows]
    #[arg(short, long, value_name = "LEVEL", value_parser = parse_level)]
    pub level: Option<Level>,

    #[command(flatten)]
    pub habits: PlayingHabits,

    #[command(flatten)]
    pub engine: EngineOptions,

    /// Accepted because scripts written for other engines pass it; sessions print nothing but answers anyway
    #[arg(short, long, hide = true)]
    quiet: bool,

    /// Accepted because scripts written for other engines pass it; there is no book
    #[arg(long, hide = true)]
    nobook: bool,
}

/// How an engine plays games.
#[derive(Args, Clone, Debug, Default)]
pub struct PlayingHabits {
    /// Think on the opponent's time
    #[arg(long)]
    pub ponder: bool,

    /// Let games differ: in the first plies choose among the moves that are at most so many discs worse than the best one
    #[arg(long, value_name = "DISCS", num_args = 0..=1, default_missing_value = "1", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub variety: Option<u32>,

    /// With --variety: the seed of the choices; the same seed plays the same games [default: another one each time]
    #[arg(long, value_name = "SEED", requires = "variety")]
    pub seed: Option<u64>,
}

impl PlayingHabits {
    /// The library's form of the variety.
    pub fn variety(&self) -> Option<Variety> {
        let discs = self.variety?;
        let seed = self.seed.unwrap_or_else(rand::random);
        Some(Variety { discs, seed, ..Variety::default() })
    }
}

impl SessionOptions {
    /// The library's form of the options. Searches stop when nobody reads the output any more.
    pub fn config(&self, rules: &Arc<RuleSet>) -> Result<Config, Error> {
        Ok(Config {
            level: self.level,
            options: self.engine.options(),
            rules: Arc::clone(rules),
            weights: self.engine.eval.load()?,
            ponder: self.habits.ponder,
            variety: self.habits.variety(),
            stop: gone::stop_token(),
        })
    }
}
