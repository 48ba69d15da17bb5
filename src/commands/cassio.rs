//! `outflank cassio`: Cassio's ENGINE-PROTOCOL over stdin and stdout.

use std::io;

use clap::Args;
use outflank::protocol::wire::{Heard, Said};
use outflank::protocol::{Config, cassio};

use super::error::{Outcome, Status};
use super::gone;
use super::options::{EngineOptions, RulesOption};
use super::session_input::session_input;

/// Arguments of `cassio`.
#[derive(Args)]
#[command(after_help = "\
Example (squares row by row from a1, the side to move; window, depth, confidence in percent):
  $ outflank cassio
  ENGINE-PROTOCOL midgame-search ---------------------------OX------XO---------------------------X -64 64 6 73
  ---------------------------OX------XO---------------------------X, move D3, depth 6, @73%, B+1.00 <= v <= B+1.00, ...
  ready.")]
pub struct CassioArguments {
    #[command(flatten)]
    engine: EngineOptions,
    #[command(flatten)]
    rules: RulesOption,
}

/// Runs `outflank cassio`.
pub fn run(arguments: &CassioArguments) -> Outcome {
    let config = Config {
        options: arguments.engine.options(),
        rules: arguments.rules.rules.clone(),
        weights: arguments.engine.eval.load()?,
        stop: gone::stop_token(),
        ..Config::default()
    };
    cassio::run(Heard::new(session_input()), Said::new(io::stdout()), config)?;
    Ok(Status::Success)
}
