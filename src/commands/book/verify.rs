//! `outflank book verify`: whether everything holds that must hold in a book.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use outflank::book::verify::{Fault, faults, unreachable};
use outflank::formats::quantity::plural;
use serde::Serialize;

use super::{board_text, leaves, load, name};
use crate::commands::error::{Outcome, Status};
use crate::commands::output::json_line;

/// Arguments of `book verify`.
#[derive(Args)]
#[command(after_help = "\
Checked are the file's checksum and order, every node alone, every value and bound against the moves they come from, and
every leaf. Exit status 1 when a value, a bound or a leaf is wrong, 2 when the file is damaged; leaves that are still to be searched
are counted, and no fault.

Example:
  outflank book verify my.book")]
pub struct VerifyArguments {
    /// The book [default: the built-in one]
    file: Option<PathBuf>,

    /// Print it as one JSON object
    #[arg(long)]
    json: bool,
}

/// What was found. (Members of these objects are in the order of their names.)
#[derive(Serialize)]
struct VerifyJson {
    book: String,
    faults: Vec<FaultJson>,
    positions: usize,
    /// Positions that are not reached from the start.
    unreachable: usize,
    /// Positions whose leaf is to be searched.
    unsearched: usize,
}

/// A fault of a position.
#[derive(Serialize)]
struct FaultJson {
    board: String,
    fault: String,
}

/// Runs `book verify`.
pub fn verify(arguments: &VerifyArguments) -> Outcome {
    /// Faults that are printed.
    const SHOWN: usize = 100;
    let book = load(arguments.file.as_deref())?;
    let (open, wrong): (Vec<_>, Vec<_>) = faults(&book).into_iter().partition(|fault| fault.is_open());
    let unreachable = unreachable(&book);
    let mut out = io::stdout().lock();
    if arguments.json {
        let fault = |fault: &Fault| FaultJson { board: board_text(fault.board), fault: fault.to_string() };
        let found = VerifyJson {
            book: name(arguments.file.as_ref()),
            faults: wrong.iter().map(fault).collect(),
            positions: book.len(),
            unreachable,
            unsearched: open.len(),
        };
        writeln!(out, "{}", json_line(&found))?;
    } else {
        for fault in wrong.iter().take(SHOWN) {
            writeln!(out, "{}  {fault}", board_text(fault.board))?;
        }
        if wrong.len() > SHOWN {
            writeln!(out, "... and {} more", wrong.len() - SHOWN)?;
        }
        let [positions, faults] =
            [(book.len(), "position"), (wrong.len(), "fault")].map(|(n, noun)| plural(n as u64, noun));
        writeln!(out, "{}: {positions}, {faults}", name(arguments.file.as_ref()))?;
        let unreachable = plural(unreachable as u64, "position");
        writeln!(out, "{} to be searched, {unreachable} not reached from the start", leaves(open.len()))?;
    }
    Ok(if wrong.is_empty() { Status::Success } else { Status::CheckFailed })
}
