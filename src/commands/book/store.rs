//! `outflank book store`, `deepen` and `fix`.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use outflank::book::deepen::{Which, search_again, to_deepen, to_fix};
use outflank::book::games;
use outflank::book::leaf::level_of;
use outflank::book::negamax::Change;
use outflank::book::probe::has_book;
use outflank::formats::quantity::plural;
use outflank::rules::RuleSet;
use outflank::search::Level;
use serde_json::json;

use super::{Searchers, leaves, open_shelf, progress};
use crate::commands::error::{Outcome, Status};
use crate::commands::games::read::each_game;
use crate::commands::options::{parse_level, whole};
use crate::commands::output::Screen;

/// Arguments of `book store`.
#[derive(Args)]
#[command(after_help = "\
Every new position is searched for its best move that leads out of the book, fullest boards first. Positions that the book
has are not searched again. Games of other rules than othello's on 8x8 have no book and are only counted; positions with an empty
square in the centre, which no game from the start has, are left out. Ctrl-C stops and keeps everything; the same command goes on.

Examples:
  outflank book store my.book games.ggf
  outflank book store my.book wthor/*.wtb --games 50 --plies 24   what at least 50 games have")]
pub struct StoreArguments {
    /// The book
    file: PathBuf,

    /// Files or folders of games in any format of `outflank games`; `-` is standard input
    #[arg(required = true, value_name = "GAMES")]
    games_files: Vec<PathBuf>,

    /// Only positions that occur in at least this many games
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = whole::<u32>(0..=u32::MAX))]
    games: u32,

    /// Only positions up to this ply [default: the book's]
    #[arg(long, value_name = "PLY", value_parser = whole::<u8>(1..=60))]
    plies: Option<u8>,

    /// Level of the searches [default: the book's]
    #[arg(short, long, value_name = "LEVEL", value_parser = parse_level)]
    level: Option<Level>,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    searchers: Searchers,
}

/// Runs `book store`.
pub fn store(arguments: &StoreArguments) -> Outcome {
    let mut shelf = open_shelf(&arguments.file)?;
    let settings = shelf.book().settings;
    let level = arguments.level.map_or(settings.level, Level::get);
    let plies = u32::from(arguments.plies.unwrap_or(settings.max_ply));
    let rules = Arc::new(RuleSet::othello());
    let mut screen = Screen::new(true);
    let stop = screen.stop_token();
    let (mut counts, mut other_rules) = (games::Counts::default(), 0u64);
    let read = each_game(&arguments.games_files, &rules, &stop, |record, _, _| {
        other_rules += u64::from(!has_book(record.game.position().rules()));
        counts.add(&record.game, plies);
        Ok(())
    })?;
    if read.interrupted {
        return Ok(Status::Interrupted);
    }
    let boards = counts.frequent(arguments.games);
    let new = boards.iter().filter(|board| !shelf.book().contains(board)).count();
    let mut engines = arguments.searchers.engines()?;
    let bar = progress(new as u64, "searches");
    let added =
        games::store(&mut shelf, &mut engines, &boards, level, &stop, &mut |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let added = added?;
    // whoever interrupts what is done, while a large book is saved, has interrupted nothing
    let is_complete = !stop.is_stopped() || games::is_stored(shelf.book(), &boards);
    let summary = json!({
        "file": arguments.file.display().to_string(), "games": read.games, "unreadable": read.bad,
        "other_rules": other_rules, "frequent": boards.len(), "added": added, "positions": shelf.book().len(),
        "level": level, "complete": is_complete,
    });
    screen.write(|out| {
        if arguments.json {
            return writeln!(out, "{summary}");
        }
        let frequent = plural(boards.len() as u64, "position");
        let others = match other_rules {
            0 => String::new(),
            n => format!(" ({n} of other rules, which have no book)"),
        };
        writeln!(out, "{}{others}, {frequent} in at least {} of them", plural(read.games, "game"), arguments.games)?;
        let positions = plural(shelf.book().len() as u64, "position");
        writeln!(out, "{}: {positions}, {added} of them new", arguments.file.display())
    })?;
    screen.finish()?;
    Ok(if is_complete { read.status() } else { Status::Interrupted })
}

/// Arguments of `book deepen`.
#[derive(Args)]
#[command(after_help = "\
The best move that leads out of the book is searched again, fullest boards first, where the bounds leave open whether it is
the best of all, or everywhere with --all. Ctrl-C stops and keeps everything; the same command goes on.

Example:
  outflank book deepen my.book --level 20")]
pub struct DeepenArguments {
    /// The book
    file: PathBuf,

    /// Level to search at
    #[arg(short, long, value_name = "LEVEL", value_parser = parse_level)]
    level: Level,

    /// Also where the bounds say that another move is better
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    output: Changes,

    #[command(flatten)]
    searchers: Searchers,
}

/// Arguments of `book fix`.
#[derive(Args)]
#[command(after_help = "\
Leaves that have not been searched, or that lead into the book, are searched, those that came from a deeper search than the
book's as deeply again; then values and bounds are set anew from the ends to the start. A second run changes nothing.

Examples:
  outflank book fix my.book --changes | head
  outflank book fix my.book --no-search            takes what a killed run has left in FILE.journal")]
pub struct FixArguments {
    /// The book
    file: PathBuf,

    /// Level of the searches [default: the book's]
    #[arg(short, long, value_name = "LEVEL", value_parser = parse_level, conflicts_with = "no_search")]
    level: Option<Level>,

    /// Only set values; search nothing
    #[arg(long, conflicts_with_all = ["threads", "hash", "eval"])]
    no_search: bool,

    #[command(flatten)]
    output: Changes,

    #[command(flatten)]
    searchers: Searchers,
}

/// What is printed of changes.
#[derive(Args)]
struct Changes {
    /// Print every value that changed, and why
    #[arg(long, conflicts_with = "json")]
    changes: bool,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `book deepen`.
pub fn deepen(arguments: &DeepenArguments) -> Outcome {
    let which = if arguments.all { Which::All } else { Which::Open };
    let choose = |book: &outflank::book::Book| to_deepen(book, arguments.level.get(), which);
    again(&arguments.file, &arguments.searchers, &arguments.output, Some(arguments.level.get()), choose)
}

/// Runs `book fix`.
pub fn fix(arguments: &FixArguments) -> Outcome {
    let choose = |book: &outflank::book::Book| if arguments.no_search { Vec::new() } else { to_fix(book) };
    again(&arguments.file, &arguments.searchers, &arguments.output, arguments.level.map(Level::get), choose)
}

fn again(
    file: &std::path::Path,
    searchers: &Searchers,
    output: &Changes,
    level: Option<u8>,
    choose: impl Fn(&outflank::book::Book) -> Vec<outflank::board::Board>,
) -> Outcome {
    let mut shelf = open_shelf(file)?;
    let level = level.unwrap_or(shelf.book().settings.level);
    let boards = choose(shelf.book());
    let deepest = boards.iter().map(|board| level_of(shelf.book(), board, level)).max().unwrap_or(level);
    // nothing to search needs no engine
    let mut engines = if boards.is_empty() { Vec::new() } else { searchers.engines()? };
    let mut screen = Screen::new(true);
    let stop = screen.stop_token();
    let bar = progress(boards.len() as u64, "searches");
    let (mut searched, mut changed, mut values, mut changes) = (0, 0u64, 0u64, Vec::new());
    let outcome = search_again(
        &mut shelf,
        &mut engines,
        &boards,
        level,
        &stop,
        &mut |done| {
            searched = done;
            bar.set_position(done as u64);
        },
        &mut |change| {
            changed += 1;
            values += u64::from(change.before.value != change.after.value);
            // a large book has many
            if output.changes {
                changes.push(*change);
            }
        },
    );
    bar.finish_and_clear();
    outcome?;
    // as above
    let status = if searched == boards.len() { Status::Success } else { Status::Interrupted };
    let summary = json!({
        "file": file.display().to_string(), "searched": searched, "level": level, "nodes_changed": changed,
        "values_changed": values, "positions": shelf.book().len(), "complete": status == Status::Success,
    });
    screen.write(|out| {
        if output.json {
            return writeln!(out, "{summary}");
        }
        changes.iter().try_for_each(|change| writeln!(out, "{}", describe(change)))?;
        let levels = if deepest > level { &format!("levels {level} to {deepest}") } else { &format!("level {level}") };
        let nodes = plural(changed, "position");
        writeln!(out, "{} searched at {levels}; {nodes} changed, {values} in value", leaves(searched))?;
        writeln!(out, "{}: {}", file.display(), plural(shelf.book().len() as u64, "position"))
    })?;
    screen.finish()?;
    Ok(status)
}

fn describe(change: &Change) -> String {
    let (before, after) = (&change.before, &change.after);
    let band = |node: &outflank::book::Node| format!("{:+} [{:+}, {:+}]", node.value, node.lower, node.upper);
    let why = match change.by {
        Some(square) => format!("by {square}, which stays in the book"),
        None => "by its leaf".to_string(),
    };
    format!("{}  {} -> {}, {why}", super::board_text(after.board), band(before), band(after))
}
