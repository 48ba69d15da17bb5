//! `outflank games`: files of games are converted, filtered, checked, searched; problems and positions are made.

mod convert;
mod find;
mod make;
mod players;
pub mod read;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use outflank::formats::stream::FileKind;

use super::error::Outcome;
use super::options::{RulesOption, whole};

/// Arguments of `games`.
#[derive(Args)]
#[command(after_help = "\
Formats: wthor (.wtb), ggf, sgf, pgn (PlayOK's texts, Edax's files), txt (moves, a game a line, f5d6c3; Othello Quest's texts
with names above the moves), board (boards and OBF, a line each: no diagrams), fen (as Edax takes it), ggs (boards of the GGS
server). A file's extension tells its format, or its content where there is none or it is .txt; folders stand for the files of
games in them, `-` for standard input. Games are read one at a time: files may be of any length. Where there is no game at all
that is said on stderr, and no error.

Examples:
  outflank games convert wthor/ -o games.sgf --to sgf   a database as SGF
  outflank games filter wthor/ --player tamenori --year 1990..1999 -o tamenori.ggf
  outflank games find f5d6c3d3c4 wthor/                 how often, by whom, and how it went on
  outflank games players round1.pgn round2.pgn --cross  the table of a tournament
  outflank games check old.ggf                          what cannot be read, what does not fit
  outflank games problems wthor/WTH_2001.wtb --empties 10..14 > problems.obf
  outflank games COMMAND --help                         more on each")]
pub struct GamesArguments {
    #[command(subcommand)]
    command: GamesCommand,
}

#[derive(Subcommand)]
enum GamesCommand {
    /// Write games in another format
    Convert(convert::ConvertArguments),
    /// Keep games of certain players, years, results, openings or positions
    Filter(convert::FilterArguments),
    /// Keep one of games that are the same, also seen from another side
    Unique(convert::UniqueArguments),
    /// Say what cannot be read and which results do not fit the moves
    Check(read::CheckArguments),
    /// Say how often a position was played, by whom, and with which moves and scores
    Find(find::FindArguments),
    /// List the players with their games, points and discs: the table of a tournament
    Players(players::PlayersArguments),
    /// Make problems of positions with one winning move, or one move far better than the others
    Problems(make::ProblemsArguments),
    /// Make random positions in which neither side is far ahead
    Random(make::RandomArguments),
}

/// The games.
#[derive(Args)]
pub struct InputOptions {
    /// Files or folders of games; `-` is standard input
    #[arg(value_name = "GAMES", required = true)]
    inputs: Vec<PathBuf>,

    #[command(flatten)]
    rules: RulesOption,
}

/// Where games go.
#[derive(Args)]
#[command(next_help_heading = "Output options")]
pub struct OutputOptions {
    /// Write to this file [default: `-`, standard output]; WTHOR also to a folder, a file a year
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Format of the output [default: by the extension of the file, or txt]
    #[arg(long, value_name = "FORMAT", value_parser = parse_kind)]
    to: Option<FileKind>,

    /// Of formats of positions: the position after so many moves [default: the last one]
    #[arg(long, value_name = "MOVES", value_parser = whole::<usize>(0..=usize::MAX))]
    at: Option<usize>,

    /// Say how many games there were as a JSON object
    #[arg(long, requires = "output")]
    json: bool,
}

impl OutputOptions {
    /// The file or folder, if it is not standard output.
    fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }
}

/// Reads a format of games.
pub fn parse_kind(text: &str) -> Result<FileKind, String> {
    text.parse().map_err(|error: outflank::formats::stream::KindError| error.to_string())
}

/// Runs `games`.
pub fn run(arguments: &GamesArguments) -> Outcome {
    match &arguments.command {
        GamesCommand::Convert(arguments) => convert::convert(arguments),
        GamesCommand::Filter(arguments) => convert::filter(arguments),
        GamesCommand::Unique(arguments) => convert::unique(arguments),
        GamesCommand::Check(arguments) => read::check(arguments),
        GamesCommand::Find(arguments) => find::run(arguments),
        GamesCommand::Players(arguments) => players::run(arguments),
        GamesCommand::Problems(arguments) => make::problems(arguments),
        GamesCommand::Random(arguments) => make::random(arguments),
    }
}
