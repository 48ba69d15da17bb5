//! Reading games, and `outflank games check`.

use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use outflank::analysis::games::{Fault, Seen, faults};
use outflank::formats::files::GameFileError;
use outflank::formats::quantity::plural;
use outflank::formats::record::GameRecord;
use outflank::formats::stream::{GameStream, Progress};
use outflank::rules::RuleSet;
use outflank::search::StopToken;
use serde::Serialize;

use super::InputOptions;
use crate::commands::error::{Error, Outcome, Status};
use crate::commands::live::Live;
use crate::commands::output::json_line;
use crate::commands::{input, interrupt};

/// What reading came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadCount {
    /// Games read.
    pub games: u64,
    /// Games that could not be read.
    pub bad: u64,
    /// The user has ended it.
    pub interrupted: bool,
}

impl ReadCount {
    /// How a command comes out that did nothing but this.
    pub fn status(&self) -> Status {
        match self {
            ReadCount { interrupted: true, .. } => Status::Interrupted,
            ReadCount { bad: 1.., .. } => Status::BadInput,
            _ => Status::Success,
        }
    }
}

/// A game with its place.
pub struct Place<'a> {
    /// The file.
    pub path: &'a Path,
    /// The number of the game in the file, from 1; what cannot be read counts.
    pub number: u64,
}

/// Hands over every game of these files and folders, one at a time, with a bar on stderr; what cannot be read is told there.
pub fn each_game(
    inputs: &[PathBuf],
    rules: &Arc<RuleSet>,
    stop: &StopToken,
    mut take: impl FnMut(GameRecord, &Place<'_>, &Live) -> Result<(), Error>,
) -> Result<ReadCount, Error> {
    let (games, progress) = until_stopped(inputs, rules, stop)?;
    let live = Live::input(progress.total());
    let mut count = ReadCount::default();
    let (mut path, mut number) = (PathBuf::new(), 0);
    for (file, game) in games {
        if file != path {
            (path, number) = (file, 0);
        }
        number += 1;
        match game {
            Ok(record) => {
                count.games += 1;
                take(record, &Place { path: &path, number }, &live)?;
            }
            Err(problem) => {
                count.bad += 1;
                live.suspend(|| tell!("outflank: {problem}"));
            }
        }
        if (count.games + count.bad).is_multiple_of(64) {
            live.position(progress.done());
        }
    }
    count.interrupted = stop.is_stopped();
    live.finish();
    note_nothing(inputs, &count);
    Ok(count)
}

/// Games as they are read, each with its file.
type Games<'a> = Box<dyn Iterator<Item = (PathBuf, Result<GameRecord, GameFileError>)> + 'a>;

/// The games of these files until the token is set: at once, also while a pipe has nothing to read.
pub fn until_stopped<'a>(
    inputs: &[PathBuf],
    rules: &Arc<RuleSet>,
    stop: &'a StopToken,
) -> Result<(Games<'a>, Arc<Progress>), Error> {
    let mut games = GameStream::open(inputs, rules).map_err(unreadable)?;
    let progress = games.progress();
    let games = iter::from_fn(move || games.next().map(|game| (games.path().to_path_buf(), game)));
    let may_wait = |path: &PathBuf| path == Path::new("-") || !path.is_file() && !path.is_dir();
    if inputs.iter().any(may_wait) {
        return Ok((Box::new(interrupt::until_stopped(games, stop)?), progress));
    }
    // to hand games from a thread to another would take longer than to read them
    Ok((Box::new(games.take_while(|_| !stop.is_stopped())), progress))
}

/// Says that there was no game at all, which is no error: what a filter has let through may be nothing.
pub fn note_nothing(inputs: &[PathBuf], count: &ReadCount) {
    if let ReadCount { games: 0, bad: 0, interrupted: false } = count {
        let names: Vec<String> = inputs.iter().map(|path| input::name(path)).collect();
        tell!("outflank: there is no game in {}", names.join(", "));
    }
}

/// The error of inputs that cannot be opened.
pub fn unreadable(error: GameFileError) -> Error {
    match error.kind {
        outflank::formats::files::GameFileErrorKind::Io(source) => Error::read(&error.path, source),
        kind => Error::input(format!("{}: {kind}", error.path.display())),
    }
}

/// Arguments of `games check`.
#[derive(Args)]
#[command(after_help = "\
A line for every game that cannot be read (on stderr), whose recorded result is not that of its moves, or that is unfinished
though nobody gave up; then the sums.

Exit status: 0 all right; 1 a recorded result is wrong; 2 a game could not be read.

Examples:
  outflank games check wthor/
  outflank games check games.ggf --json | tail -1")]
pub struct CheckArguments {
    /// Say which games occur twice, too (16 bytes of memory a game)
    #[arg(short, long)]
    duplicates: bool,

    /// One JSON object for each game with something about it, and one for the sums
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    input: InputOptions,
}

/// A game with something about it.
#[derive(Serialize)]
struct CheckedJson<'a> {
    file: String,
    /// Number of the game in its file, from 1.
    game: u64,
    black: &'a str,
    white: &'a str,
    faults: Vec<String>,
}

/// The sums.
#[derive(Default, Serialize)]
struct SumsJson {
    games: u64,
    unreadable: u64,
    wrong_results: u64,
    unfinished: u64,
    /// None where nobody looks for them.
    duplicates: Option<u64>,
    /// False when Ctrl-C ended it before the last game.
    complete: bool,
}

/// Runs `games check`.
pub fn check(arguments: &CheckArguments) -> Outcome {
    let stop = interrupt::stop_token();
    let mut out = io::stdout().lock();
    let mut seen = arguments.duplicates.then(Seen::default);
    let mut sums = SumsJson { duplicates: seen.as_ref().map(|_| 0), ..SumsJson::default() };
    let InputOptions { inputs, rules } = &arguments.input;
    let count = each_game(inputs, &rules.rules, &stop, |record, place, live| {
        let faults = faults(&record);
        let mut texts: Vec<String> = faults.iter().map(Fault::to_string).collect();
        sums.wrong_results += u64::from(faults.iter().any(Fault::is_wrong));
        sums.unfinished += faults.iter().filter(|fault| !fault.is_wrong()).count() as u64;
        if seen.as_mut().is_some_and(|seen| !seen.is_new(&record.game)) {
            *sums.duplicates.get_or_insert_default() += 1;
            texts.push("the same game as one before".to_string());
        }
        if texts.is_empty() {
            return Ok(());
        }
        let [black, white] = &record.players;
        let line = if arguments.json {
            let (file, black, white) = (place.path.display().to_string(), black.name.as_str(), white.name.as_str());
            json_line(&CheckedJson { file, game: place.number, black, white, faults: texts })
        } else {
            let name = |name: &str| if name.is_empty() { "?".to_string() } else { name.to_string() };
            let names = format!("{} - {}", name(&black.name), name(&white.name));
            format!("{}: game {} ({names}): {}", input::name(place.path), place.number, texts.join("; "))
        };
        Ok(live.suspend(|| writeln!(out, "{line}"))?)
    })?;
    (sums.games, sums.unreadable, sums.complete) = (count.games, count.bad, !count.interrupted);
    if arguments.json {
        writeln!(out, "{}", json_line(&sums))?;
    } else {
        let SumsJson { games, unreadable, wrong_results, unfinished, duplicates, complete } = sums;
        let (games, wrong) = (plural(games, "game"), plural(wrong_results, "wrong result"));
        write!(out, "{games}; {unreadable} unreadable, {wrong}, {unfinished} unfinished")?;
        write!(out, "{}", duplicates.map_or(String::new(), |count| format!(", {}", plural(count, "duplicate"))))?;
        writeln!(out, "{}", if complete { "" } else { "; interrupted" })?;
    }
    Ok(match count.status() {
        Status::Success if sums.wrong_results > 0 => Status::CheckFailed,
        status => status,
    })
}
