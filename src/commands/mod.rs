//! The subcommands of the binary.

/// Prints a line on stderr. One that cannot be written there is no reason to stop the work.
macro_rules! tell {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "{}", outflank::formats::escaped(&format!($($text)*)));
    }};
}

mod accuracy;
mod analyze;
mod analyze_games;
mod automatic;
mod bench;
mod board;
mod book;
mod calendar;
mod cassio;
mod completions;
mod edax;
mod editor;
mod error;
mod fit_ordering;
mod fit_probcut;
mod games;
mod gone;
mod gtp;
mod input;
mod interrupt;
mod keys;
mod levels;
mod live;
mod logging;
mod match_;
mod match_field;
mod match_report;
mod nboard;
mod openings;
mod options;
mod output;
mod perft;
mod play;
mod report;
mod rules;
mod selfplay;
mod session;
mod session_input;
mod solo;
mod solve;
mod train;
mod train_recipe;
#[cfg(feature = "web")]
mod web;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::builder::ArgPredicate;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use outflank::analysis::json::JSON_VERSION;
use outflank::book::shelf::files_beside;
use outflank::kernel::Tier;

use self::error::Error;
use self::output::games_in;

/// The version with the instruction-set tier that searches run on.
static VERSION: LazyLock<String> = LazyLock::new(|| format!("{} ({})", env!("CARGO_PKG_VERSION"), Tier::detect()));

/// The same with the version of what `--json` prints, for scripts.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| format!("{}\njson {JSON_VERSION}", *VERSION));

/// An Othello/Reversi engine: exact endgame solver, analysis, games in the terminal, GTP and NBoard for GUIs.
///
/// Without a command it starts a game at a terminal; when its input is a pipe it speaks the protocol that the first
/// line asks for (GTP, NBoard, or the commands of the console, for which alone the options from --engine to --clock are).
#[derive(Parser)]
#[command(
    version = VERSION.as_str(),
    long_version = LONG_VERSION.as_str(),
    args_conflicts_with_subcommands = true,
    max_term_width = 110,
    after_help = "\
Exit status: 0 all right; 1 a check failed (a wrong score, a wrong count); 2 bad arguments or input;
3 output could not be written; 130 interrupted.

Examples:
  outflank                     play against the engine
  outflank solve problems.obf  solve endgame problems exactly
  outflank COMMAND --help      what a command does, with examples"
)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    play: play::PlayArguments,

    /// Log to the end of this file: every line of a session in and out, every search with its depth and why it ended
    /// (`OUTFLANK_LOG=debug` logs on stderr)
    #[arg(long, value_name = "FILE", global = true, help_heading = "Log")]
    log: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Measure how close evaluation and searches come to known exact scores
    Accuracy(accuracy::AccuracyArguments),
    /// Find the best moves of a position, or the errors of a game
    Analyze(analyze::AnalyzeArguments),
    /// Search fixed positions: speed, and a signature of the search
    Bench(bench::BenchArguments),
    /// Draw a position or a transcript as text, SVG or PNG
    Board(board::BoardArguments),
    /// Make, grow, show, repair and exchange opening books
    Book(book::BookArguments),
    /// Speak Cassio's ENGINE-PROTOCOL over stdin and stdout: a position in, its value and line out
    Cassio(cassio::CassioArguments),
    /// Print completions for a shell, or the manual page
    Completions(completions::CompletionsArguments),
    /// Fit the order of moves in solves to what moves cost (for developers, after a change of the solver)
    FitOrdering(fit_ordering::FitOrderingArguments),
    /// Measure the error model of ProbCut (for developers, after a change of the weights)
    FitProbcut(fit_probcut::FitProbcutArguments),
    /// Convert, filter, check and search files of games; take problems from them
    Games(games::GamesArguments),
    /// Speak GTP 2 over stdin and stdout, for Quarry, GoGui and match runners
    Gtp(gtp::GtpArguments),
    /// Explain the playing levels
    Levels(levels::LevelsArguments),
    /// Play two engines against each other: openings in pairs, Elo, SPRT
    Match(Box<match_::MatchArguments>),
    /// Speak NBoard 2 over stdin and stdout, for the NBoard GUI
    #[command(name = "nboard")]
    NBoard(nboard::NBoardArguments),
    /// Make a list of balanced openings
    Openings(openings::OpeningsArguments),
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

/// The command line as it is parsed: people's analyses use all cores, unless several positions are searched side by side.
fn command_line() -> clap::Command {
    let mut line = Arguments::command();
    for name in ["analyze", "solve"] {
        line = line.mut_subcommand(name, |command| {
            let has_jobs = command.get_arguments().any(|argument| argument.get_id() == "jobs");
            command.mut_arg("threads", |threads| {
                let threads = threads.default_value(cores().to_string()).hide_default_value(true);
                let help = "Threads that search one position [default: all cores";
                if has_jobs {
                    let with_jobs = threads.default_value_if("jobs", ArgPredicate::IsPresent, "1");
                    with_jobs.help(format!("{help}; 1 with --jobs]"))
                } else {
                    threads.help(format!("{help}]"))
                }
            })
        });
    }
    let at_terminal = "Threads that search one position [default: all cores at a terminal, 1 over a pipe]";
    let play_threads = |threads: clap::Arg| threads.hide_default_value(true).help(at_terminal);
    line = line.mut_arg("threads", play_threads);
    line = line.mut_subcommand("play", |command| command.mut_arg("threads", play_threads));
    let no_time = "Refused here: games must not depend on the speed of the machine; limit --nodes instead";
    line = line.mut_subcommand("selfplay", |command| command.mut_arg("time", |time| time.help(no_time)));
    for_all(line, &|command| taking_negative_numbers(unwrapped(command)))
}

/// A command and all below it, changed.
fn for_all(command: clap::Command, change: &dyn Fn(clap::Command) -> clap::Command) -> clap::Command {
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_string()).collect();
    let whole = |command, name| clap::Command::mut_subcommand(command, name, |command| for_all(command, change));
    names.into_iter().fold(change(command), whole)
}

/// A negative number behind an option is its value: where it is not allowed, the error is to name the option.
fn taking_negative_numbers(command: clap::Command) -> clap::Command {
    command.mut_args(|argument| {
        let is_option = argument.get_long().is_some() && argument.get_action().takes_values();
        if is_option { argument.allow_negative_numbers(true) } else { argument }
    })
}

/// The processor's cores that the program may use; 1 where that is not known.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// So many threads, otherwise one for each core, that work on one thing together; fewer where the system does not give them.
fn thread_pool(threads: Option<usize>) -> Result<rayon::ThreadPool, Error> {
    outflank::workers::pool(threads).map_err(Error::threads)
}

/// A command whose closing text is wrapped by the terminal's width alone: the lines of its paragraphs are joined.
fn unwrapped(command: clap::Command) -> clap::Command {
    match command.get_after_help().map(|text| join_lines(&text.to_string())) {
        Some(text) => command.after_help(text),
        None => command,
    }
}

/// Joins the lines of paragraphs; lines that begin with a blank, and the first one after a colon, stay on their own.
fn join_lines(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines() {
        let last = joined.lines().last().unwrap_or_default();
        let goes_on = !line.is_empty() && !last.is_empty() && ![line, last].iter().any(|line| line.starts_with(' '));
        if goes_on && !last.ends_with(':') && !joined.ends_with("\n\n") {
            joined.truncate(joined.trim_end().len());
            joined.push(' ');
        }
        joined += line;
        joined.push('\n');
    }
    joined.trim_end().to_string()
}

/// A game at a terminal is searched by all cores, unless somebody has said otherwise.
fn spread_play(matches: &ArgMatches, arguments: &mut Arguments) {
    let said = |matches: &ArgMatches| matches.value_source("threads") != Some(ValueSource::DefaultValue);
    let play = match (&mut arguments.command, matches.subcommand()) {
        (Some(Command::Play(play)), Some((_, matches))) if !said(matches) => play,
        (None, _) if !said(matches) => &mut arguments.play,
        _ => return,
    };
    if std::io::IsTerminal::is_terminal(&std::io::stdin()) {
        play.session.engine.threads = cores();
    }
}

/// The files that the arguments of a command name, those of games in folders that it reads, and those that are written beside books and
/// weights.
fn files(matches: &ArgMatches, arguments: &Arguments) -> Vec<PathBuf> {
    let mut files = Vec::new();
    // what the games of a match are saved under, and the folder of a report, are no files themselves
    let of_command = || matches.subcommand().map_or(matches, |(_, matches)| matches);
    let (command, name) = match &arguments.command {
        Some(Command::Match(arguments)) => {
            files.extend(arguments.games_files().chain(arguments.player_files()));
            (of_command(), "output")
        }
        Some(Command::Train(arguments)) => {
            files.extend(arguments.other_files());
            (of_command(), "report")
        }
        _ => (matches, ""),
    };
    let mut at = Some(command);
    while let Some(matches) = at {
        for id in matches.ids().map(clap::Id::as_str).filter(|id| !["log", name].contains(id)) {
            let paths = matches.try_get_many::<PathBuf>(id).ok().flatten().into_iter().flatten();
            if id == "book" || matches!(arguments.command, Some(Command::Book(_))) {
                files.extend(paths.clone().flat_map(|path| files_beside(path)));
            }
            files.extend(paths.clone().flat_map(|path| games_in(path)));
            files.extend(paths.cloned());
            // a position, moves, or a file with them
            let texts = matches.try_get_many::<OsString>(id).ok().flatten().into_iter().flatten();
            files.extend(texts.map(PathBuf::from));
        }
        at = matches.subcommand().map(|(_, matches)| matches);
    }
    files
}

/// A command takes an option; `None` is no command, which is `play`.
fn takes(command: Option<&str>, option: &str) -> bool {
    let all = Arguments::command();
    let command = command.and_then(|name| all.find_subcommand(name)).unwrap_or(&all);
    let name = option.trim_start_matches('-').split('=').next();
    command.get_arguments().any(|argument| argument.get_long() == name)
}

/// Where an option that there is not is a command's name (`--gtp`, as other programs have it), the error says so.
fn naming_the_command(mut error: clap::Error) -> clap::Error {
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
        && let Some(command) = Arguments::command().find_subcommand(option.trim_start_matches('-'))
    {
        let tip = format!("{0} is a command: outflank {0}", command.get_name());
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

fn print_help(help: &clap::Error) -> error::Outcome {
    help.print()?;
    std::io::Write::flush(&mut std::io::stdout())?;
    Ok(error::Status::Success)
}

/// Runs the command line.
pub fn run() -> ExitCode {
    let translated = match edax::translate(std::env::args_os(), &takes) {
        Ok(translated) => translated,
        Err(problem) => return error::finish(Err(Error::input(problem))),
    };
    let matches = match command_line().try_get_matches_from(translated.arguments) {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() => naming_the_command(error).exit(),
        // help and versions are output like any other
        Err(help) => return error::finish(print_help(&help)),
    };
    let mut arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Err(error) = logging::start(arguments.log.as_deref(), || files(&matches, &arguments)) {
        return error::finish(Err(error));
    }
    interrupt::survive_file_limits();
    warn_of_tier();
    spread_play(&matches, &mut arguments);
    let outcome = match &arguments.command {
        None if translated.as_edax => play::run(&arguments.play, play::Style::Edax),
        None => automatic::run(&arguments.play),
        Some(Command::Accuracy(arguments)) => accuracy::run(arguments),
        Some(Command::Board(arguments)) => board::run(arguments),
        Some(Command::Book(arguments)) => book::run(arguments),
        Some(Command::Cassio(arguments)) => cassio::run(arguments),
        Some(Command::Completions(arguments)) => completions::run(arguments, command_line()),
        Some(Command::FitOrdering(arguments)) => fit_ordering::run(arguments),
        Some(Command::FitProbcut(arguments)) => fit_probcut::run(arguments),
        Some(Command::Games(arguments)) => games::run(arguments),
        Some(Command::Gtp(arguments)) => gtp::run(arguments),
        Some(Command::Analyze(arguments)) => analyze::run(arguments),
        Some(Command::Bench(arguments)) => bench::run(arguments),
        Some(Command::Levels(arguments)) => levels::run(arguments),
        Some(Command::Match(arguments)) => match_::run(arguments),
        Some(Command::NBoard(arguments)) => nboard::run(arguments),
        Some(Command::Openings(arguments)) => openings::run(arguments),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_texts_are_joined_where_they_were_wrapped() {
        let text = "One sentence\ngoes on.\n\nExamples:\n  a b   does\n  c     too\nAfter them:\nx\ny";
        let joined = "One sentence goes on.\n\nExamples:\n  a b   does\n  c     too\nAfter them:\nx y";
        assert_eq!(join_lines(text), joined);
    }

    /// Errors of the standard library and of clap's own ranges say nothing of what an option takes.
    #[test]
    fn options_say_what_they_take() {
        fn check(line: &clap::Command, command: &clap::Command, path: &[&str]) {
            let option =
                |argument: &clap::Arg| argument.get_long().map_or("--".to_string(), |long| format!("--{long}"));
            for option in command.get_arguments().map(option) {
                for value in ["x", "-1", "99999999999999999999999", "1e999"] {
                    let words = if option == "--" { vec!["--", value] } else { vec![option.as_str(), value] };
                    let Err(error) = line.clone().try_get_matches_from([path, words.as_slice()].concat()) else {
                        continue;
                    };
                    let text = error.to_string();
                    for foreign in ["digit", "too large", "too small", "float", "is not in", "syntax", "from empty"] {
                        assert!(!text.contains(foreign), "{path:?} {option} {value}: {text}");
                    }
                }
            }
            for next in command.get_subcommands() {
                check(line, next, &[path, &[next.get_name()]].concat());
            }
        }
        let line = command_line();
        check(&line, &line, &["outflank"]);
    }

    #[test]
    fn the_command_line_is_sound() {
        command_line().debug_assert();
    }

    /// What an argument requires: clap tells it in the debugging text only.
    fn required(argument: &clap::Arg) -> Vec<String> {
        let text = format!("{argument:?}");
        let list = text.split_once(", requires: [").and_then(|(_, rest)| rest.split_once(']'));
        let (list, _) = list.expect("a list of what is required");
        list.split('"').skip(1).step_by(2).map(str::to_string).collect()
    }

    /// Of every argument that requires another one: those that the other one conflicts with, and it does not.
    fn missing_conflicts(command: &clap::Command) -> (usize, Vec<String>) {
        let all: Vec<&clap::Arg> = command.get_arguments().collect();
        let conflicting = |one: &clap::Arg, other: &clap::Arg| {
            let names = |one, other: &clap::Arg| {
                command.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id())
            };
            names(one, other) || names(other, one)
        };
        let (mut count, mut missing) = (0, Vec::new());
        for argument in &all {
            for required in required(argument) {
                count += 1;
                let required = all.iter().find(|other| other.get_id().as_str() == required).expect("an argument");
                let others = all.iter().filter(|other| conflicting(required, other) && !conflicting(argument, other));
                missing.extend(
                    others
                        .map(|other| format!("{}: {} with {}", command.get_name(), argument.get_id(), other.get_id())),
                );
            }
        }
        for (below, more) in command.get_subcommands().map(missing_conflicts) {
            count += below;
            missing.extend(more);
        }
        (count, missing)
    }

    /// Where an argument is given that conflicts with a required one, clap does not miss the required one: what requires it would
    /// be taken, and do nothing.
    #[test]
    fn what_requires_an_argument_has_its_conflicts() {
        let mut line = command_line();
        line.build();
        let (count, missing) = missing_conflicts(&line);
        assert!(count > 12, "{count} arguments that require another one");
        assert!(missing.is_empty(), "{missing:#?}");
    }
}
