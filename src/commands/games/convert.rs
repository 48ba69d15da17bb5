//! `outflank games convert`, `filter` and `unique`: games in, games out.

use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use outflank::analysis::games::{Filter, Outcome as GameOutcome, Seen, Target};
use outflank::formats::atomic::folder;
use outflank::formats::record::GameRecord;
use outflank::formats::stream::{FileKind, GameSink, SinkError, files_of};
use outflank::rules::RuleSet;
use serde::Serialize;

use super::read::each_game;
use super::{InputOptions, OutputOptions};
use crate::commands::error::{Error, Outcome, Status};
use crate::commands::input;
use crate::commands::options::{Number, whole};
use crate::commands::output::{Screen, check_is_no_input, check_is_replaceable, is_one_place, json_line, unwritten};

/// Arguments of `games convert`.
#[derive(Args)]
#[command(after_help = "\
What the formats cannot hold is left out: transcripts have no names, WTHOR no remarks, formats of positions one position a game
(in OBF with its scores, where it was a problem). PGN, GGF and SGF keep tags of their own that mean nothing here (Round);
variations and marks of SGF are not kept, and remarks on single moves not in GGF, nor times of day in PGN and SGF. A win without a
score becomes one of all squares, except in SGF, which has no score beside R and T; PGN and WTHOR do not say that a game was given
up or lost on time. The file appears whole or not at all, and not without a game.

WTHOR holds othello from the start with a result, which is its theoretical score, too. Names of players have 19 letters of
Latin-1, of tournaments 25, in files beside the games, which are gone on with where they are there already: games.jou and
games.trn, in a folder WTHOR.JOU and WTHOR.TRN; one with other names, such as those of the database itself (WTH.JOU), is refused.
In a folder the file of each year with games is replaced.

Examples:
  outflank games convert wthor/ -o all.pgn
  outflank games convert playok.txt -o games.wtb          with games.jou and games.trn
  outflank games convert games.ggf --to fen --at 40       a position of each game, on stdout
  xclip -o | outflank games convert -                     what is in the clipboard, as moves")]
pub struct ConvertArguments {
    #[command(flatten)]
    input: InputOptions,

    #[command(flatten)]
    output: OutputOptions,
}

/// Arguments of `games filter`.
#[derive(Args)]
#[command(after_help = "\
All conditions must hold. Names are parts of names, in any case of letters. A position is one of a game in which the most discs win,
or by such rules (--rules othello:fewest) in which the fewest do, and by these rules games are read that name none. By every rule set
black is the side that begins and white the other one: in games of ravensburger, whose first side is gold, gold is meant by black.

Examples:
  outflank games filter wthor/ --player tamenori --player shaman        games against each other
  outflank games filter wthor/ --year 2010.. --opening tiger --result draw
  outflank games filter wthor/ --position f5d6c3d3c4 --score 20..64 -o wins.ggf")]
pub struct FilterArguments {
    /// Plays with either colour; given twice, the two play each other
    #[arg(long, value_name = "NAME")]
    player: Vec<String>,

    /// Plays black
    #[arg(long, value_name = "NAME")]
    black: Option<String>,

    /// Plays white
    #[arg(long, value_name = "NAME")]
    white: Option<String>,

    /// A year, or several: 1999, 1990..1999, 2010..
    #[arg(long, value_name = "YEARS", value_parser = parse_years)]
    year: Option<RangeInclusive<u16>>,

    /// The tournament, or the place
    #[arg(long, value_name = "NAME")]
    event: Option<String>,

    /// How the game ended
    #[arg(long, value_name = "RESULT")]
    result: Option<ResultKind>,

    /// Black's score in discs: 0, 20..64, -64..-2
    #[arg(long, value_name = "SCORES", value_parser = parse_scores, allow_hyphen_values = true)]
    score: Option<RangeInclusive<i32>>,

    /// The name of the opening, or a part of it
    #[arg(long, value_name = "NAME")]
    opening: Option<String>,

    /// A position that occurs, in any orientation: moves, a board, or the name of an opening
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    position: Option<OsString>,

    /// Moves of the game, passes counted: 60, 40..60
    #[arg(long, value_name = "MOVES", value_parser = parse_lengths)]
    moves: Option<RangeInclusive<usize>>,

    #[command(flatten)]
    input: InputOptions,

    #[command(flatten)]
    output: OutputOptions,
}

/// Arguments of `games unique`.
#[derive(Args)]
#[command(after_help = "\
The first of several equal games is kept. Equal are games with the same moves, also when one is the other seen from another side;
players and dates do not count. 16 bytes of memory are kept for every game.

Examples:
  outflank games unique a.ggf b.ggf -o both.ggf
  outflank games unique wthor/ -o unique.txt --json")]
pub struct UniqueArguments {
    #[command(flatten)]
    input: InputOptions,

    #[command(flatten)]
    output: OutputOptions,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ResultKind {
    /// Black won
    Black,
    /// White won
    White,
    /// A draw
    Draw,
    /// No result is recorded
    Unknown,
}

/// `1999`, `1990..1999`, `1990..`, `..1999`: numbers of a range.
fn parse_range<T: Number>(text: &str, all: RangeInclusive<T>) -> Result<RangeInclusive<T>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let number = |text: &str, open: T| match text.trim() {
        "" => Ok(open),
        text => whole(all.clone())(text).map_err(|problem| format!("'{text}' is {problem}")),
    };
    if text.trim().is_empty() {
        return Err("not a number, nor two with '..' between them".to_string());
    }
    let (first, last) = (number(first, *all.start())?, number(last.trim_start_matches('='), *all.end())?);
    if first > last { Err("there is no number in this range".to_string()) } else { Ok(first..=last) }
}

fn parse_years(text: &str) -> Result<RangeInclusive<u16>, String> {
    parse_range(text, 0..=u16::MAX)
}

fn parse_scores(text: &str) -> Result<RangeInclusive<i32>, String> {
    parse_range(text, -256..=256)
}

/// Reads numbers of moves or of empty squares.
pub fn parse_lengths(text: &str) -> Result<RangeInclusive<usize>, String> {
    parse_range(text, 0..=512)
}

impl FilterArguments {
    fn filter(&self) -> Result<Filter, Error> {
        if self.player.len() > 2 {
            return Err(Error::input("--player: at most two can play in a game"));
        }
        Ok(Filter {
            players: self.player.clone(),
            black: self.black.clone(),
            white: self.white.clone(),
            years: self.year.clone(),
            event: self.event.clone(),
            outcome: self.result.map(|result| match result {
                ResultKind::Black => GameOutcome::Black,
                ResultKind::White => GameOutcome::White,
                ResultKind::Draw => GameOutcome::Draw,
                ResultKind::Unknown => GameOutcome::Unknown,
            }),
            score: self.score.clone(),
            opening: self.opening.clone(),
            position: self.position.as_deref().map(|text| target(text, &self.input.rules.rules)).transpose()?,
            moves: self.moves.clone(),
        })
    }
}

fn target(text: &OsStr, rules: &std::sync::Arc<RuleSet>) -> Result<Target, Error> {
    Target::new(input::first_game(text, rules)?.position())
        .map_err(|error| Error::input(format!("--position: {error}")))
}

/// Runs `games convert`.
pub fn convert(arguments: &ConvertArguments) -> Outcome {
    copy(&arguments.input, &arguments.output, |_| true)
}

/// Runs `games filter`.
pub fn filter(arguments: &FilterArguments) -> Outcome {
    let filter = arguments.filter()?;
    copy(&arguments.input, &arguments.output, |record| filter.accepts(record))
}

/// Runs `games unique`.
pub fn unique(arguments: &UniqueArguments) -> Outcome {
    let mut seen = Seen::default();
    copy(&arguments.input, &arguments.output, |record| seen.is_new(&record.game))
}

/// What became of the games.
#[derive(Serialize)]
struct CopiedJson {
    /// Games read.
    games: u64,
    /// Games written.
    written: u64,
    /// Games that could not be read.
    unreadable: u64,
    /// Games that the format cannot hold.
    refused: u64,
}

/// Writes the games that are chosen.
fn copy(input: &InputOptions, output: &OutputOptions, mut keep: impl FnMut(&GameRecord) -> bool) -> Outcome {
    if output.json && output.file().is_none() {
        return Err(Error::input("--json: standard output is where the games go; name a file"));
    }
    let mut screen = Screen::new(output.file().is_some());
    let stop = screen.stop_token();
    output.file().map_or(Ok(()), |path| check_are_kept(path, &input.inputs))?;
    let mut sink = sink(output)?.at(output.at);
    if output.at.is_some() && !sink.kind().is_position() {
        return Err(Error::input(format!("--at: {} holds whole games; positions are board, fen or ggs", sink.kind())));
    }
    let mut refused = 0;
    let broken = |error: io::Error| match output.file() {
        Some(path) => Error::write(path, error),
        None => Error::Output(error),
    };
    let count = each_game(&input.inputs, &input.rules.rules, &stop, |record, place, live| {
        if !keep(&record) {
            return Ok(());
        }
        match sink.write(&record) {
            Ok(()) => Ok(()),
            Err(SinkError::Io(error)) => Err(broken(error)),
            Err(problem) => {
                refused += 1;
                live.suspend(|| tell!("outflank: {}: game {}: {problem}", place.path.display(), place.number));
                Ok(())
            }
        }
    })?;
    let written = sink.count();
    if count.interrupted && output.file().is_some() {
        tell!("outflank: interrupted: nothing is written");
        return Ok(Status::Interrupted);
    }
    // no file for no games, except where that is the answer: no game fits a filter
    let is_answer = count.games > 0 && refused == 0 && sink.kind() != FileKind::Wthor;
    let left_out = output.file().filter(|_| written == 0 && !is_answer);
    if left_out.is_some() {
        drop(sink);
    } else {
        sink.finish().map_err(broken)?.iter().for_each(|remark| tell!("outflank: {remark}"));
    }
    let copied = CopiedJson { games: count.games, written, unreadable: count.bad, refused };
    if output.json {
        screen.print(&(json_line(&copied) + "\n"))?;
    } else if let Some(path) = left_out {
        tell!("0 of {} games written: {} {}", count.games, path.display(), unwritten(path));
    } else if let Some(path) = output.file() {
        tell!("{written} of {} games written to {}", count.games, path.display());
    }
    screen.finish()?;
    Ok(match count.status() {
        Status::Success if refused > 0 => Status::BadInput,
        status => status,
    })
}

/// Checks that none of the games that are read would be lost where their file is replaced: games that are not chosen, or that cannot
/// be read, and what the new format does not hold.
fn check_are_kept(output: &Path, inputs: &[PathBuf]) -> Result<(), Error> {
    check_is_no_input(output, inputs.iter().map(PathBuf::as_path))?;
    if !output.is_dir() {
        return Ok(());
    }
    let is_of_year = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.strip_prefix("WTH_").is_some_and(|rest| rest.ends_with(".wtb"))
    };
    let is_replaced = |file: &&PathBuf| is_of_year(file) && is_one_place(folder(file), output);
    // what cannot be read is told when it is to be
    match files_of(inputs).unwrap_or_default().iter().find(is_replaced) {
        Some(file) => check_is_no_input(file, [file.as_path()]),
        None => Ok(()),
    }
}

/// Begins the output.
fn sink(output: &OutputOptions) -> Result<GameSink, Error> {
    let Some(path) = output.file() else {
        return GameSink::to_stream(Box::new(io::stdout()), output.to.unwrap_or(FileKind::Text))
            .map_err(|_| Error::input("WTHOR needs a file or a folder: -o FILE"));
    };
    check_is_replaceable(path)?;
    let by_folder = path.is_dir().then_some(FileKind::Wthor);
    let kind = output.to.or(FileKind::of_path(path)).or(by_folder).ok_or_else(|| {
        Error::input(format!("{}: the extension stands for no format; say --to FORMAT", path.display()))
    })?;
    GameSink::to_file(path, kind).map_err(|error| Error::write(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!(parse_years("1999"), Ok(1999..=1999));
        assert_eq!(parse_years("1990..1999"), Ok(1990..=1999));
        assert_eq!((parse_years("2010.."), parse_years("..2010")), (Ok(2010..=u16::MAX), Ok(0..=2010)));
        assert_eq!((parse_scores("-64..-2"), parse_scores("-4")), (Ok(-64..=-2), Ok(-4..=-4)));
        for bad in ["", "x", "5..3", "1..2..3"] {
            assert!(parse_years(bad).is_err(), "{bad}");
        }
    }
}
