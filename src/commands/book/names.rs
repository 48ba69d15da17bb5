//! `outflank book names`: the openings that have names.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use outflank::book::names::openings;
use outflank::book::probe::probe;
use outflank::formats::quote;
use outflank::rules::Color;
use serde::Serialize;

use super::{open, parse_moves};
use crate::commands::error::{Error, Outcome, Status};
use crate::commands::output::json_line;

/// Arguments of `book names`.
#[derive(Args)]
#[command(after_help = "\
Values are black's, in discs, as the book has them. A name belongs to its position, in every orientation and after any order of
moves, and stands for its moves where a position or moves are asked for: in `book`, `analyze`, `board`, `games find`, and after
`play` and `opening` in the console. Letters may be large or small; hyphens, dots and blanks may be left out.

Examples:
  outflank book names
  outflank book names rose                       those with `rose` in their names
  outflank book show rose-bill                    what the book knows of one of them")]
pub struct NamesArguments {
    /// A part of the name [default: all openings]
    #[arg(default_value = "", hide_default_value = true)]
    name: String,

    /// The book that the values are from [default: the built-in one]
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,

    /// One JSON object an opening
    #[arg(long)]
    json: bool,
}

/// An opening with a name.
#[derive(Serialize)]
struct NameJson {
    name: &'static str,
    moves: &'static str,
    /// Black's value in discs, none of a position that is not in the book.
    value: Option<i8>,
}

/// Runs `book names`.
pub fn names(arguments: &NamesArguments) -> Outcome {
    let book = open(arguments.book.as_deref())?;
    let part = arguments.name.to_lowercase();
    let wanted = openings().filter(|(_, name)| name.to_lowercase().contains(&part));
    let found: Vec<NameJson> = wanted
        .map(|(moves, name)| {
            let game = parse_moves(moves).expect("the list has legal moves");
            let value = probe(&*book, game.position()).map(|known| known.node.value);
            let is_blacks = game.position().side_to_move() == Color::Black;
            NameJson { name, moves, value: value.map(|value| if is_blacks { value } else { -value }) }
        })
        .collect();
    if found.is_empty() {
        return Err(Error::input(format!("no opening has {} in its name", quote(&arguments.name))));
    }
    let mut out = io::stdout().lock();
    if arguments.json {
        found.iter().try_for_each(|opening| writeln!(out, "{}", json_line(opening)))?;
        return Ok(Status::Success);
    }
    let width = found.iter().map(|opening| opening.name.len()).max().unwrap_or(0);
    writeln!(out, "{:width$}  black  moves", "name")?;
    for NameJson { name, moves, value } in &found {
        let value = value.map_or("-".to_string(), |value| format!("{value:+}"));
        writeln!(out, "{name:width$}  {value:>5}  {moves}")?;
    }
    Ok(Status::Success)
}
