//! `outflank` without a command: a game at a terminal, or the protocol that the first line on a pipe asks for.

use std::io::{self, Cursor, IsTerminal, Read};

use outflank::protocol::wire::{Heard, Said};
use outflank::protocol::{Protocol, cassio, gtp, nboard};

use super::edax::NO_XBOARD;
use super::error::{Error, Outcome, Status};
use super::gone;
use super::play::{self, PlayArguments, Style};
use super::session_input::session_input;

/// Runs without a command.
pub fn run(arguments: &PlayArguments) -> Outcome {
    if io::stdin().is_terminal() {
        return play::run(arguments, Style::Plain);
    }
    let mut input = session_input();
    // nothing is printed before the client has said what it speaks
    let Some((protocol, seen)) = Protocol::detect_input(&mut input)? else { return Ok(Status::Success) };
    if seen.lines().last().is_some_and(|line| line.trim() == "xboard") {
        return Err(Error::input(format!("xboard: {NO_XBOARD}")));
    }
    let input = Cursor::new(seen).chain(input);
    let config = || arguments.session.config(&arguments.rules.rules, gone::stop_token());
    match protocol {
        Protocol::Console => return play::serve(arguments, input, Style::Plain),
        Protocol::Gtp => gtp::run(Heard::new(input), &mut Said::new(io::stdout().lock()), config()?)?,
        Protocol::Cassio => cassio::run(Heard::new(input), Said::new(io::stdout()), config()?)?,
        Protocol::NBoard => nboard::run(&mut Heard::new(input), Said::new(io::stdout()), config()?)?,
    }
    Ok(Status::Success)
}
