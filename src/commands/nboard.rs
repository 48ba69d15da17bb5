//! `outflank nboard`: an NBoard 2 session over stdin and stdout.

use std::io;

use clap::Args;
use outflank::protocol::nboard;
use outflank::protocol::wire::{Heard, Said};

use super::error::{Outcome, Status};
use super::gone;
use super::options::RulesOption;
use super::session::{QuietOption, SessionOptions};
use super::session_input::session_input;

/// Arguments of `nboard`.
#[derive(Args)]
#[command(after_help = "\
Example, a first session by hand:
  $ outflank nboard
  nboard 2
  set myname Outflank21
  set depth 10
  set myname Outflank10
  go
  ...
  === D3/0.00/0.01

NBoard: Engine > Add, name 'Outflank', command 'outflank' or 'outflank nboard': without a command the engine recognises
the protocol by itself. The GUI's depth is a playing level: `outflank levels` lists them. With a grade (--level club) it is that of hints only.")]
pub struct NBoardArguments {
    #[command(flatten)]
    session: SessionOptions,
    #[command(flatten)]
    quiet: QuietOption,
    #[command(flatten)]
    rules: RulesOption,
}

/// Runs `outflank nboard`.
pub fn run(arguments: &NBoardArguments) -> Outcome {
    let config = arguments.session.config(&arguments.rules.rules, gone::stop_token())?;
    nboard::run(&mut Heard::new(session_input()), Said::new(io::stdout()), config)?;
    Ok(Status::Success)
}
