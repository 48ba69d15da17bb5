//! `outflank games find`.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use outflank::analysis::games::{Finder, FoundJson};
use outflank::book::names;
use outflank::formats::stream::{FileKind, files_of};
use outflank::formats::wthor::{Database, Records};
use outflank::rules::Position;
use outflank::search::StopToken;
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::InputOptions;
use super::read::{ReadCount, note_nothing, unreadable, until_stopped};
use crate::commands::error::{Error, Outcome};
use crate::commands::live::Live;
use crate::commands::options::whole;
use crate::commands::output::{json_line, padded};
use crate::commands::{input, interrupt};

/// Arguments of `games find`.
#[derive(Args)]
#[command(after_help = "\
The position is found in every orientation and after any order of moves. Points and discs are those of the side to move, scores of
listed games those of black; a draw is half a point. Moves that are the same on a symmetric board are counted together. Games in
which the fewest discs win are looked through for a position of such rules (--rules othello:fewest), and no others then; by these
rules games are read that name none (GGF with `TY[8]`), too.

Examples:
  outflank games find f5d6c3d3c4 wthor/
  outflank games find tiger wthor/
  outflank games find board.txt wthor/ games.ggf --list 20
  outflank games find f5d6c3 wthor/ --json")]
pub struct FindArguments {
    /// The position: moves from the start, the name of an opening, a board, or a file with one of them
    #[arg(value_name = "POSITION", allow_hyphen_values = true)]
    position: OsString,

    /// Games listed, the latest first
    #[arg(short, long, value_name = "N", default_value = "5", value_parser = whole::<usize>(0..=usize::MAX))]
    list: usize,

    /// Players listed, those with the most games first
    #[arg(short, long, value_name = "N", default_value = "10", value_parser = whole::<usize>(0..=usize::MAX))]
    players: usize,

    /// One JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    input: InputOptions,
}

/// What was found, for scripts.
#[derive(Serialize)]
struct LookedThrough<'a> {
    #[serde(flatten)]
    found: &'a FoundJson,
    /// False when Ctrl-C ended it before the last game.
    complete: bool,
}

/// Runs `games find`.
pub fn run(arguments: &FindArguments) -> Outcome {
    let game = input::first_game(&arguments.position, &arguments.input.rules.rules)?;
    let mut finder = Finder::new(game.position(), arguments.list).map_err(|error| Error::input(error.to_string()))?;
    let stop = interrupt::stop_token();
    let files = files_of(&arguments.input.inputs).map_err(unreadable)?;
    let live = Live::bar(files.len() as u64);
    let mut count = ReadCount::default();
    for (done, file) in files.iter().enumerate() {
        live.position(done as u64);
        let is_wthor = FileKind::of_path(file) == Some(FileKind::Wthor);
        let searched = if is_wthor {
            wthor(file, &mut finder, &stop, &live)
        } else {
            any(file, arguments, &mut finder, &stop, &live)
        };
        match searched {
            Ok(bad) => count.bad += bad,
            Err(problem) => {
                count.bad += 1;
                live.suspend(|| tell!("outflank: {problem}"));
            }
        }
        if stop.is_stopped() {
            count.interrupted = true;
            break;
        }
    }
    live.finish();
    let found = finder.found(arguments.players);
    count.games = found.searched;
    note_nothing(&arguments.input.inputs, &count);
    let mut out = io::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", json_line(&LookedThrough { found: &found, complete: !count.interrupted }))?;
    } else {
        write!(out, "{}", text(&found, finder.position(), count.interrupted))?;
    }
    Ok(count.status())
}

/// Looks through a file of WTHOR without making games of its records; returns how many are damaged.
fn wthor(path: &Path, finder: &mut Finder, stop: &StopToken, live: &Live) -> Result<u64, String> {
    let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let file = File::open(path).map_err(|error| wrong(&error))?;
    let mut records = Records::new(BufReader::with_capacity(1 << 16, file)).map_err(|error| wrong(&error))?;
    let names = Database::names_beside(path).map_err(|error| error.to_string())?;
    let (mut number, mut bad) = (0, 0);
    while let Some(game) = records.next_game() {
        number += 1;
        let problem = match game {
            Ok(game) => finder.add_wthor(&game, &names).err().map(|error| format!("game {number}: {error}")),
            // of the file, and nothing follows
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem {
            bad += 1;
            live.suspend(|| tell!("outflank: {}: {problem}", path.display()));
        }
        if stop.is_stopped() {
            break;
        }
    }
    Ok(bad)
}

/// Looks through a file of any format; returns how many games could not be read.
fn any(
    path: &PathBuf,
    arguments: &FindArguments,
    finder: &mut Finder,
    stop: &StopToken,
    live: &Live,
) -> Result<u64, String> {
    let games = until_stopped(std::slice::from_ref(path), &arguments.input.rules.rules, stop);
    let mut bad = 0;
    for (_, game) in games.map_err(|error| error.to_string())?.0 {
        match game {
            Ok(record) => finder.add(&record),
            Err(problem) => {
                bad += 1;
                live.suspend(|| tell!("outflank: {problem}"));
            }
        }
    }
    Ok(bad)
}

/// What was found, for people.
fn text(found: &FoundJson, position: &Position, interrupted: bool) -> String {
    use std::fmt::Write as _;
    let mut text = format!("{}\n", found.position);
    if let Some(name) = position.whole_board().and_then(names::name_of) {
        let _ = writeln!(text, "Opening: {name}");
    }
    let years = match found.years {
        Some((first, last)) if first == last => format!(", {first}"),
        Some((first, last)) => format!(", {first} to {last}"),
        None => String::new(),
    };
    let end = if interrupted { "; interrupted" } else { "" };
    let _ = writeln!(text, "{} of {} games{years}{end}", found.games, found.searched);
    if found.games == 0 {
        return text;
    }
    let percent = |percent: Option<f64>| percent.map_or("-".to_string(), |percent| format!("{percent:.1} %"));
    let mean = |mean: Option<f64>| mean.map_or("-".to_string(), |mean| format!("{mean:+.2}"));
    let side = position.rules().color_name(position.side_to_move());
    let _ = writeln!(text, "{side}: {} of the points, {} discs on average\n", percent(found.percent), mean(found.mean));
    let _ = writeln!(text, "move    games   share     wins    draws   losses   points   discs  last");
    let _ = writeln!(text, "----  -------  ------  -------  -------  -------  -------  ------  ----");
    for next in &found.moves {
        let _ = writeln!(
            text,
            "{:<4}  {:>7}  {:>6}  {:>7}  {:>7}  {:>7}  {:>7}  {:>6}  {:>4}",
            next.mv.as_deref().unwrap_or("end"),
            next.games,
            percent(Some(100.0 * next.games as f64 / found.games as f64)).replace(' ', ""),
            next.wins,
            next.draws,
            next.losses,
            percent(next.percent).replace(' ', ""),
            mean(next.mean),
            next.last_year.map_or("-".to_string(), |year| year.to_string()),
        );
    }
    if !found.players.is_empty() {
        let width = found.players.iter().map(|player| player.name.width()).max().unwrap_or(0).max(22);
        let _ = writeln!(text, "\n{}   to move    other   points", padded("player", width));
        for player in &found.players {
            let points = percent(player.percent).replace(' ', "");
            let name = padded(&player.name, width);
            let _ = writeln!(text, "{name}  {:>8}  {:>7}  {points:>7}", player.to_move, player.other);
        }
    }
    if !found.list.is_empty() {
        let _ = writeln!(text, "\nlatest games (black - white, and black's score)");
    }
    for game in &found.list {
        let score = game.score.map_or("?".to_string(), |score| format!("{score:+}"));
        let mv = game.mv.as_deref().unwrap_or("end");
        let year = game.year.map_or("?".to_string(), |year| year.to_string());
        let event = if game.event.is_empty() { String::new() } else { format!(", {}", game.event) };
        let [black, white] = [&game.black, &game.white].map(|name| if name.is_empty() { "?" } else { name.as_str() });
        let _ = writeln!(text, "{year:<4}  {mv:<4} {score:>4}  {black} - {white}{event}");
    }
    text
}
