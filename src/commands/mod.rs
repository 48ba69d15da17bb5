//! The subcommands of the binary.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// An Othello/Reversi engine.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {}

/// Runs the command line.
pub fn run() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command {
        None => ExitCode::SUCCESS,
        Some(command) => match command {},
    }
}
