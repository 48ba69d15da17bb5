//! `outflank book info`: what a book has, in numbers.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use outflank::board::Board;
use outflank::book::leaf::unsearched;
use outflank::book::node::Leaf;
use outflank::book::verify::links;
use outflank::formats::quantity::plural;
use serde::Serialize;

use super::{leaves, load, name};
use crate::commands::error::{Outcome, Status};
use crate::commands::output::json_line;

/// Arguments of `book info`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  outflank book info
  outflank book info my.book --json")]
pub struct InfoArguments {
    /// The book [default: the built-in one]
    file: Option<PathBuf>,

    /// Print it as one JSON object
    #[arg(long)]
    json: bool,
}

/// What a book has. (Members of these objects are in the order of their names.)
#[derive(Serialize)]
struct InfoJson {
    book: String,
    /// Discs that bounds lie beside a value of a selective solve.
    endcut_error: u8,
    /// Positions with an exact value.
    exact: usize,
    /// Positions whose leaf has been searched.
    leaves: usize,
    /// Level of new searches.
    level: u8,
    levels: Vec<LevelJson>,
    links: usize,
    /// The book grows to this ply.
    max_ply: u8,
    /// Bytes of memory.
    memory: usize,
    /// Discs that bounds lie beside a midgame value.
    midgame_error: u8,
    plies: Vec<PlyJson>,
    positions: usize,
    /// Positions whose leaf is to be searched.
    unsearched: usize,
    /// Value of the start in discs, none where the book does not have it.
    value: Option<i8>,
}

/// The positions of a ply.
#[derive(Serialize)]
struct PlyJson {
    exact: usize,
    leaves: usize,
    ply: u32,
    positions: usize,
    unsearched: usize,
}

/// The positions whose leaves were searched by one program at one level.
#[derive(Serialize)]
struct LevelJson {
    level: u8,
    origin: &'static str,
    positions: usize,
}

/// Runs `book info`.
pub fn info(arguments: &InfoArguments) -> Outcome {
    let book = load(arguments.file.as_deref())?;
    let mut plies: BTreeMap<u32, [usize; 4]> = BTreeMap::new();
    let mut levels: BTreeMap<(&'static str, u8), usize> = BTreeMap::new();
    let links = links(&book);
    let mut open = unsearched(&book).into_iter().peekable();
    for (at, node) in book.nodes().iter().enumerate() {
        let is_open = open.next_if_eq(&at).is_some();
        let row = plies.entry(node.ply()).or_default();
        row[0] += 1;
        row[1] += usize::from(!is_open && matches!(node.leaf(), Leaf::Move { .. }));
        row[2] += usize::from(is_open);
        row[3] += usize::from(node.is_exact());
        *levels.entry((node.origin().name(), node.leaf_level())).or_default() += 1;
    }
    let start = book.get(&Board::START).map(|node| node.value);
    let sum = |column: usize| plies.values().map(|row| row[column]).sum::<usize>();
    let settings = book.settings;
    let mut out = io::stdout().lock();
    if arguments.json {
        let ply = |(&ply, &[positions, leaves, unsearched, exact]): (&u32, &[usize; 4])| PlyJson {
            exact,
            leaves,
            ply,
            positions,
            unsearched,
        };
        let level =
            |(&(origin, level), &positions): (&(&'static str, u8), &usize)| LevelJson { level, origin, positions };
        let info = InfoJson {
            book: name(arguments.file.as_ref()),
            endcut_error: settings.endcut_error,
            exact: sum(3),
            leaves: sum(1),
            level: settings.level,
            levels: levels.iter().map(level).collect(),
            links,
            max_ply: settings.max_ply,
            memory: book.memory(),
            midgame_error: settings.midgame_error,
            plies: plies.iter().map(ply).collect(),
            positions: book.len(),
            unsearched: sum(2),
            value: start,
        };
        writeln!(out, "{}", json_line(&info))?;
        return Ok(Status::Success);
    }
    let [positions, links] = [(book.len(), "position"), (links, "link")].map(|(n, noun)| plural(n as u64, noun));
    let name = name(arguments.file.as_ref());
    writeln!(out, "{name}: {positions}, {links}, {} searched, {} to be searched", leaves(sum(1)), sum(2))?;
    writeln!(
        out,
        "level {}, to ply {}, bounds {} beside midgame values and {} beside selective solves",
        settings.level,
        settings.max_ply,
        plural(settings.midgame_error.into(), "disc"),
        settings.endcut_error
    )?;
    let exact = plural(sum(3) as u64, "value");
    writeln!(out, "{exact} exact, {} KiB of memory", book.memory() / 1024)?;
    if let Some(value) = start {
        writeln!(out, "value of the start: {value:+}")?;
    }
    writeln!(out, "\n ply  positions  searched  unsearched   exact")?;
    for (ply, row) in &plies {
        writeln!(out, "{ply:4}  {:9}  {:8}  {:10}  {:6}", row[0], row[1], row[2], row[3])?;
    }
    writeln!(out, "\nlevel  positions  searched by")?;
    for ((origin, level), count) in &levels {
        writeln!(out, "{level:5}  {count:9}  {origin}")?;
    }
    Ok(Status::Success)
}
