//! `outflank book new`, `merge`, `prune` and `subtree`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use outflank::book::edit::{self, Merged};
use outflank::book::shelf::create_empty;
use outflank::book::{Deviation, Losses, Route, Settings};
use outflank::formats::quantity::plural;
use outflank::game::Game;
use outflank::search::Level;
use serde_json::json;

use super::{board_after, check_new, load, open_shelf, parse_moves};
use crate::commands::error::{Error, Outcome, Status};
use crate::commands::options::{parse_level, whole};

/// Arguments of `book new`.
#[derive(Args)]
#[command(after_help = "\
Example:
  outflank book new my.book --level 16 --plies 36")]
pub struct NewArguments {
    /// The file to make
    file: PathBuf,

    /// Level of its searches
    #[arg(short, long, value_name = "LEVEL", default_value = "16", value_parser = parse_level)]
    level: Level,

    /// Ply that it grows to
    #[arg(long, value_name = "PLY", default_value_t = Settings::default().max_ply, value_parser = whole::<u8>(1..=60))]
    plies: u8,

    /// Discs by which a midgame value may be wrong
    #[arg(long, value_name = "DISCS", default_value_t = Settings::default().midgame_error, value_parser = whole::<u8>(1..=64))]
    midgame_error: u8,

    /// Discs by which the value of a selective solve may be wrong
    #[arg(long, value_name = "DISCS", default_value_t = Settings::default().endcut_error, value_parser = whole::<u8>(0..=64))]
    endcut_error: u8,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `book new`.
pub fn new(arguments: &NewArguments) -> Outcome {
    let settings = Settings {
        level: arguments.level.get(),
        midgame_error: arguments.midgame_error,
        endcut_error: arguments.endcut_error,
        max_ply: arguments.plies,
    };
    check_new(&arguments.file)?;
    create_empty(&arguments.file, settings)?;
    if arguments.json {
        let summary = json!({
            "file": arguments.file.display().to_string(), "level": settings.level, "max_ply": settings.max_ply,
            "midgame_error": settings.midgame_error, "endcut_error": settings.endcut_error,
        });
        writeln!(io::stdout(), "{summary}")?;
        return Ok(Status::Success);
    }
    writeln!(io::stdout(), "{}: an empty book, level {}", arguments.file.display(), settings.level)?;
    Ok(Status::Success)
}

/// Arguments of `book merge`.
#[derive(Args)]
#[command(after_help = "\
Of a position in both books the leaf from the deeper search stays; of equal ones the other book's. Then values are set anew.
`outflank book fix` searches the leaves that now lead into the book.

Example:
  outflank book merge my.book other.book && outflank book fix my.book")]
pub struct MergeArguments {
    /// The book that grows
    file: PathBuf,

    /// The books to put into it
    #[arg(required = true, value_name = "OTHER")]
    others: Vec<PathBuf>,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `book merge`.
pub fn merge(arguments: &MergeArguments) -> Outcome {
    let mut shelf = open_shelf(&arguments.file)?;
    let mut merged = Vec::new();
    for path in &arguments.others {
        let other = load(Some(path))?;
        merged.push((path.display().to_string(), edit::merge(shelf.edit(), &other)));
    }
    // nothing is told before it is so
    shelf.save()?;
    let mut out = io::stdout().lock();
    if arguments.json {
        let file = arguments.file.display().to_string();
        let book = |(path, Merged { added, updated, kept }): &(String, Merged)| json!({"book": path, "added": added, "updated": updated, "kept": kept});
        let books: Vec<_> = merged.iter().map(book).collect();
        writeln!(out, "{}", json!({"file": file, "positions": shelf.book().len(), "books": books}))?;
        return Ok(Status::Success);
    }
    for (path, Merged { added, updated, kept }) in &merged {
        let added = plural(*added as u64, "position");
        let kept_as = if *kept == 1 { "it was" } else { "they were" };
        writeln!(out, "{path}: {added} added, {updated} updated, {kept} kept as {kept_as}")?;
    }
    writeln!(out, "{}: {}", arguments.file.display(), plural(shelf.book().len() as u64, "position"))?;
    Ok(Status::Success)
}

/// Arguments of `book prune`.
#[derive(Args)]
#[command(after_help = "\
Kept is what is reached when one side plays its best moves (or loses at most --own-loss) and the other plays anything (or
loses at most --loss), for both colours, up to --plies. Links that are lost become leaves, so values stay; where
leaves are to be searched, as after a merge, run `outflank book fix` first.

Examples:
  outflank book prune my.book                          what best play of one side can meet
  outflank book prune my.book --own-loss 1,2 --loss 4,8 --plies 30")]
pub struct PruneArguments {
    /// The book
    file: PathBuf,

    /// Discs that one move, and all moves together, of the side that plays well may lose
    #[arg(long, value_name = "MOVE,ALL", default_value = "0,0", value_parser = super::grow::parse_losses)]
    own_loss: Losses,

    /// The same for the other side [default: anything]
    #[arg(long, value_name = "MOVE,ALL", value_parser = super::grow::parse_losses)]
    loss: Option<Losses>,

    /// Up to this ply
    #[arg(long, value_name = "PLY", default_value_t = 60, value_parser = whole::<u8>(1..=60))]
    plies: u8,

    /// Begin with these moves
    #[arg(long, value_name = "MOVES", default_value = "", value_parser = parse_moves)]
    from: Game,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `book prune`.
pub fn prune(arguments: &PruneArguments) -> Outcome {
    let (own, other) = (arguments.own_loss, arguments.loss.unwrap_or(Losses::ANY));
    let deviations = vec![Deviation { first: own, second: other }, Deviation { first: other, second: own }];
    let route =
        Route { start: board_after(&arguments.from)?, deviations, window: None, max_ply: u32::from(arguments.plies) };
    cut(&arguments.file, arguments.json, |book| edit::prune(book, &route))
}

/// Arguments of `book subtree`.
#[derive(Args)]
#[command(after_help = "\
Example:
  outflank book subtree my.book f5d6")]
pub struct SubtreeArguments {
    /// The book
    file: PathBuf,

    /// Moves from the start of the game
    #[arg(value_parser = parse_moves)]
    moves: Game,

    /// Print a summary as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs `book subtree`.
pub fn subtree(arguments: &SubtreeArguments) -> Outcome {
    let board = board_after(&arguments.moves)?;
    cut(&arguments.file, arguments.json, |book| edit::subtree(book, board))
}

fn cut(path: &Path, as_json: bool, remove: impl FnOnce(&mut outflank::book::Book) -> usize) -> Outcome {
    let mut shelf = open_shelf(path)?;
    let before = shelf.book().len();
    let removed = remove(shelf.edit());
    if before > 0 && removed == before {
        return Err(Error::input(format!("{}: nothing would be left; the book stays as it is", path.display())));
    }
    shelf.save()?;
    if as_json {
        let (file, positions) = (path.display().to_string(), shelf.book().len());
        writeln!(io::stdout(), "{}", json!({"file": file, "positions": positions, "removed": removed}))?;
        return Ok(Status::Success);
    }
    let positions = plural(shelf.book().len() as u64, "position");
    writeln!(io::stdout(), "{}: {positions}, {removed} removed", path.display())?;
    Ok(Status::Success)
}
