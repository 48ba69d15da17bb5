//! The subcommands of the binary.

/// Prints a line on stderr. One that cannot be written there is no reason to stop the work.
macro_rules! tell {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod accuracy;
mod analyze;
mod automatic;
mod bench;
mod book;
mod cassio;
mod edax;
mod error;
mod fit_probcut;
mod gone;
mod gtp;
mod input;
mod interrupt;
mod levels;
mod live;
mod match_;
mod match_report;
mod nboard;
mod options;
mod output;
mod perft;
mod play;
mod rules;
mod selfplay;
mod session;
mod solo;
mod solve;
mod train;
#[cfg(feature = "web")]
mod web;

use std::process::ExitCode;
use std::sync::LazyLock;

use clap::{CommandFactory, Parser, Subcommand};
use outflank::kernel::Tier;

/// The version with the instruction-set tier that searches run on.
static VERSION: LazyLock<String> = LazyLock::new(|| format!("{} ({})", env!("CARGO_PKG_VERSION"), Tier::detect()));

/// An Othello/Reversi engine: exact endgame solver, analysis, games in the terminal, GTP and NBoard for GUIs.
///
/// Without a command it starts a game at a terminal; when its input is a pipe it speaks the protocol that the first
/// line asks for (GTP, NBoard, or the commands of the console).
#[derive(Parser)]
#[command(
    version = VERSION.as_str(),
    args_conflicts_with_subcommands = true,
    max_term_width = 110,
    after_help = "\
Exit status: 0 all right; 1 a check failed (a wrong score, a wrong count); 2 bad arguments or input;
3 output could not be written; 130 interrupted.

Examples:
  outflank                    play against the engine
  outflank solve problems.obf solve endgame problems exactly
  outflank COMMAND --help     what a command does, with examples"
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    play: play::PlayArguments,
}

#[derive(Subcommand)]
enum Command {
    /// Measure how close evaluation and searches come to known exact scores
    Accuracy(accuracy::AccuracyArguments),
    /// Find the best moves of a position, or the errors of a game
    Analyze(analyze::AnalyzeArguments),
    /// Search fixed positions: speed, and a signature of the search
    Bench(bench::BenchArguments),
    /// Make, grow, show, repair and exchange opening books
    Book(book::BookArguments),
    /// Speak Cassio's ENGINE-PROTOCOL over stdin and stdout: a position in, its value and line out
    Cassio(cassio::CassioArguments),
    /// Measure the error model of ProbCut (for developers, after a change of the weights)
    FitProbcut(fit_probcut::FitProbcutArguments),
    /// Speak GTP 2 over stdin and stdout, for Quarry, GoGui and match runners
    Gtp(gtp::GtpArguments),
    /// Explain the playing levels
    Levels(levels::LevelsArguments),
    /// Play two engines against each other: openings in pairs, Elo, SPRT
    Match(Box<match_::MatchArguments>),
    /// Speak NBoard 2 over stdin and stdout, for the NBoard GUI
    #[command(name = "nboard")]
    NBoard(nboard::NBoardArguments),
    /// Count move sequences and compare with the published counts
    Perft(perft::PerftArguments),
    /// Play in the terminal, or drive the engine by console commands over a pipe
    Play(play::PlayArguments),
    /// List the rule sets and explain them
    Rules(rules::RulesArguments),
    /// Generate training games: the engine plays itself, every position gets a label
    Selfplay(selfplay::SelfplayArguments),
    /// Play the solitaire, ask its advisor, replay its records, average over deals
    Solo(solo::SoloArguments),
    /// Solve positions and check the scores they come with
    Solve(solve::SolveArguments),
    /// Fit the weights of the evaluation to game records
    Train(train::TrainArguments),
    /// Open the board in a browser: games, analysis, reviews; the same as an HTTP service
    #[cfg(feature = "web")]
    Web(web::WebArguments),
}

/// A tier that was asked for and is not to be had: the work is done all the same, on the best one, and the user is told.
fn warn_of_tier() {
    if let Err(error) = Tier::requested() {
        tell!("outflank: {error}; using {}", Tier::best());
    }
}

/// A command takes an option; `None` is no command, which is `play`.
fn takes(command: Option<&str>, option: &str) -> bool {
    let all = Arguments::command();
    let command = command.and_then(|name| all.find_subcommand(name)).unwrap_or(&all);
    let name = option.trim_start_matches('-').split('=').next();
    command.get_arguments().any(|argument| argument.get_long() == name)
}

/// Runs the command line.
pub fn run() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::new().filter("OUTFLANK_LOG")).init();
    warn_of_tier();
    let translated = match edax::translate(std::env::args_os(), &takes) {
        Ok(translated) => translated,
        Err(problem) => return error::finish(Err(error::Error::input(problem))),
    };
    let arguments = Arguments::parse_from(translated.arguments);
    let outcome = match &arguments.command {
        None if translated.as_edax => play::run(&arguments.play, play::Style::Edax),
        None => automatic::run(&arguments.play),
        Some(Command::Accuracy(arguments)) => accuracy::run(arguments),
        Some(Command::Book(arguments)) => book::run(arguments),
        Some(Command::Cassio(arguments)) => cassio::run(arguments),
        Some(Command::FitProbcut(arguments)) => fit_probcut::run(arguments),
        Some(Command::Gtp(arguments)) => gtp::run(arguments),
        Some(Command::Analyze(arguments)) => analyze::run(arguments),
        Some(Command::Bench(arguments)) => bench::run(arguments),
        Some(Command::Levels(arguments)) => levels::run(arguments),
        Some(Command::Match(arguments)) => match_::run(arguments),
        Some(Command::NBoard(arguments)) => nboard::run(arguments),
        Some(Command::Perft(arguments)) => perft::run(arguments),
        Some(Command::Play(arguments)) => play::run(arguments, play::Style::of(translated.as_edax)),
        Some(Command::Rules(arguments)) => rules::run(arguments),
        Some(Command::Selfplay(arguments)) => selfplay::run(arguments),
        Some(Command::Solo(arguments)) => solo::run(arguments),
        Some(Command::Solve(arguments)) => solve::run(arguments),
        Some(Command::Train(arguments)) => train::run(arguments),
        #[cfg(feature = "web")]
        Some(Command::Web(arguments)) => web::run(arguments),
    };
    error::finish(outcome)
}
