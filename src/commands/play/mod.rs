//! `outflank play`: the interactive console, for people at a terminal and for scripts over a pipe.

mod command;
mod console;
mod files;
mod view;

use std::io::{self, BufRead, BufReader, IsTerminal, Write};

use clap::Args;

use super::error::{Outcome, Status};
use super::interrupt;
use super::options::{EngineOptions, RulesOption, SearchOptions};
use command::{Command, Engine};
use console::{Console, Next};

/// Arguments of `play`.
#[derive(Args, Clone)]
#[command(after_help = "\
Type moves (f5), or commands: `help` lists them. Scripts send the same commands over a pipe; with -q only results are
printed, and each command ends with the prompt `>` on a line of its own.

Examples:
  outflank play                          you play black against level 21
  outflank play --engine black --level 5 the engine begins
  outflank play --engine none            two people, or an analysis board
  printf 'play f5d6\\ngo\\n' | outflank play -q --level 8")]
pub struct PlayArguments {
    /// Sides the engine plays [default: white at a terminal, none over a pipe]
    #[arg(short, long, value_name = "SIDE")]
    engine: Option<Engine>,

    /// Print results only, no boards
    #[arg(short, long)]
    quiet: bool,

    /// Accepted because scripts written for other engines pass it; there is no book
    #[arg(long, hide = true)]
    nobook: bool,

    #[command(flatten)]
    pub search: SearchOptions,

    #[command(flatten)]
    pub resources: EngineOptions,

    #[command(flatten)]
    pub rules: RulesOption,
}

/// Runs `play` on standard input.
pub fn run(arguments: &PlayArguments) -> Outcome {
    serve(arguments, BufReader::new(io::stdin()))
}

/// Runs `play` on lines from `input`.
pub fn serve(arguments: &PlayArguments, mut input: impl BufRead) -> Outcome {
    let at_terminal = io::stdin().is_terminal();
    let engine = arguments.engine.unwrap_or(if at_terminal { Engine::White } else { Engine::None });
    let mut console = Console::new(arguments, arguments.resources.engine()?, engine, interrupt::stop_token());
    if at_terminal && !arguments.quiet {
        println!("Outflank {}. Type a move, or `help`.", env!("CARGO_PKG_VERSION"));
    }
    console.show_board()?;
    console.engine_moves()?;
    let mut line = Vec::new();
    loop {
        // over a pipe the prompt has a line of its own: readers skip it as a whole
        write!(io::stdout(), "{}", if at_terminal { "\n> " } else { ">\n" })?;
        io::stdout().flush()?;
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            if at_terminal {
                println!();
            }
            return Ok(Status::Success);
        }
        let result = match String::from_utf8_lossy(&line).parse::<Command>() {
            Ok(command) => console.execute(command)?,
            Err(problem) => Err(problem),
        };
        match result {
            Ok(Next::Prompt) => {}
            Ok(Next::Quit) => return Ok(Status::Success),
            Err(problem) => eprintln!("outflank: {problem}"),
        }
    }
}
