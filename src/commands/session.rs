//! What the commands that run protocol sessions share.

use std::sync::Arc;

use clap::Args;
use outflank::protocol::Config;
use outflank::rules::RuleSet;
use outflank::search::Level;

use super::error::Error;
use super::options::{EngineOptions, parse_level};

/// Options of a protocol session.
#[derive(Args, Clone, Debug)]
pub struct SessionOptions {
    /// Playing level 0 to 60: sets depth and selectivity by the number of empty squares
    #[arg(short, long, value_name = "LEVEL", default_value = "21", value_parser = parse_level)]
    pub level: Level,

    #[command(flatten)]
    pub engine: EngineOptions,

    /// Accepted because scripts written for other engines pass it; sessions print nothing but answers anyway
    #[arg(short, long, hide = true)]
    quiet: bool,

    /// Accepted because scripts written for other engines pass it; there is no book
    #[arg(long, hide = true)]
    nobook: bool,
}

impl SessionOptions {
    /// The library's form of the options.
    pub fn config(&self, rules: &Arc<RuleSet>) -> Result<Config, Error> {
        let (options, weights) = (self.engine.options(), self.engine.eval.load()?);
        Ok(Config { level: self.level, options, rules: Arc::clone(rules), weights })
    }
}
