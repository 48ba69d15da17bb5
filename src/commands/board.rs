//! `outflank board`: a position or a transcript, drawn.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use outflank::formats::atomic::write_whole;
use outflank::formats::picture::Picture;
use outflank::formats::quantity::plural;
use outflank::game::Game;

use super::error::{Error, Outcome, Status};
use super::input;
use super::options::{RulesOption, whole};
use super::output::{check_is_no_input, check_is_replaceable, first_repeated, output_name, print_bytes};

/// Arguments of `board`.
#[derive(Args)]
#[command(after_help = "\
A position is a board string, an OBF line, or the end of a game; a game is a list of moves or a file (GGF, SGF, PGN, WTHOR, text).
With --numbers a game is drawn on one board as transcripts are printed: every disc as it was played, with its number. Without
--svg or --png the board is printed as text.

Examples:
  outflank board f5d6c3d3c4                          the position after these moves, as text
  outflank board f5d6c3d3c4 --svg tiger.svg          as a picture that scales to any size
  outflank board game.ggf --numbers --png game.png   a numbered transcript
  outflank board games.wtb --game 3 --at 20 --text   the third game after 20 moves")]
pub struct BoardArguments {
    /// A file (`-` is standard input), or the position or moves themselves, or the name of an opening
    #[arg(value_name = "INPUT", allow_hyphen_values = true)]
    input: OsString,

    /// The game (or position) of a file, from 1
    #[arg(short, long, value_name = "N", default_value = "1", value_parser = whole::<u32>(1..=u32::MAX))]
    game: u32,

    /// Only so many moves of a game, passes counted [default: all]
    #[arg(long, value_name = "MOVES", value_parser = whole::<usize>(0..=usize::MAX))]
    at: Option<usize>,

    /// All moves on one board, with their numbers
    #[arg(short, long)]
    numbers: bool,

    /// Do not mark the legal moves
    #[arg(long)]
    plain: bool,

    /// Draw the board to this file as SVG (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Draw the board to this file as PNG (`-`: standard output)
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,

    /// Side of a square of a PNG in pixels, 8 to 200
    #[arg(long, value_name = "PIXELS", default_value = "48", value_parser = whole::<u32>(8..=200), requires = "png")]
    size: u32,

    /// Print the board as text, also beside files
    #[arg(long)]
    text: bool,

    #[command(flatten)]
    rules: RulesOption,
}

/// Runs `board`.
pub fn run(arguments: &BoardArguments) -> Outcome {
    check_places(arguments)?;
    let picture = picture(arguments, &game(arguments)?)?;
    let written = |path: &Path, bytes: &[u8]| match path == Path::new("-") {
        true => print_bytes(bytes).map_err(Error::from),
        false => {
            check_is_replaceable(path)?;
            write_whole(path, bytes).map_err(|error| Error::write(path, error))
        }
    };
    if let Some(path) = &arguments.svg {
        written(path, picture.to_svg().as_bytes())?;
    }
    if let Some(path) = &arguments.png {
        written(path, &picture.to_png(arguments.size))?;
    }
    if arguments.text || arguments.svg.is_none() && arguments.png.is_none() {
        write!(io::stdout(), "{}", picture.to_text())?;
    }
    Ok(Status::Success)
}

/// No two forms go to one place, nor one to that of the input.
fn check_places(arguments: &BoardArguments) -> Result<(), Error> {
    for path in [&arguments.svg, &arguments.png].into_iter().flatten() {
        check_is_no_input(path, [Path::new(&arguments.input)])?;
    }
    let text = arguments.text.then(|| PathBuf::from("-"));
    match first_repeated([&arguments.svg, &arguments.png, &text].into_iter().flatten()) {
        Some(place) => Err(Error::input(format!("only one form of the board can go to {}", output_name(place)))),
        None => Ok(()),
    }
}

/// The game that was asked for; a position is a game without moves.
fn game(arguments: &BoardArguments) -> Result<Game, Error> {
    let found = input::nth_game(&arguments.input, &arguments.rules.rules, arguments.game as usize - 1)?;
    found.ok_or_else(|| {
        let name = input::name(Path::new(&arguments.input));
        Error::input(format!("there is no game or position {} in {name}", arguments.game))
    })
}

fn picture(arguments: &BoardArguments, game: &Game) -> Result<Picture, Error> {
    let count = game.moves().len();
    let moves = arguments.at.unwrap_or(count);
    if moves > count {
        return Err(Error::input(format!("--at {moves}: the game has {}", plural(count as u64, "move"))));
    }
    Ok(match arguments.numbers {
        true => Picture::transcript(game, moves),
        false => Picture::at(game, moves, !arguments.plain),
    })
}
