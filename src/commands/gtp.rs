//! `outflank gtp`: a GTP 2 session over stdin and stdout.

use std::io;

use clap::Args;
use outflank::protocol::gtp;
use outflank::protocol::wire::{Heard, Said};

use super::error::{Outcome, Status};
use super::gone;
use super::options::RulesOption;
use super::session::{QuietOption, SessionOptions};
use super::session_input::session_input;

/// Arguments of `gtp`.
#[derive(Args)]
#[command(after_help = "\
Example, a first session by hand (each answer ends with an empty line):
  $ outflank gtp --level 10
  play black f5
  =

  genmove white
  = D6

Quarry: Preferences > GTP Engines > Add, command line 'outflank gtp'. GoGui: gogui -program 'outflank gtp'.
With a clock the engine thinks as long as the clock allows; with --level it never searches deeper than that level says.")]
pub struct GtpArguments {
    #[command(flatten)]
    session: SessionOptions,
    #[command(flatten)]
    quiet: QuietOption,
    #[command(flatten)]
    rules: RulesOption,
}

/// Runs `outflank gtp`.
pub fn run(arguments: &GtpArguments) -> Outcome {
    let config = arguments.session.config(&arguments.rules.rules, gone::stop_token())?;
    gtp::run(Heard::new(session_input()), &mut Said::new(io::stdout().lock()), config)?;
    Ok(Status::Success)
}
