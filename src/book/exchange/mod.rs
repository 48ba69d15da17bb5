//! The books of other programs.
//!
//! | format | read | written | what does not survive in it |
//! |---|---|---|---|
//! | [`Format::Edax`], `.dat` version 4 | yes | yes | levels of positions that have another leaf's level (there is one level, the leaf's), origins |
//! | [`Format::EdaxText`] | yes | yes | the same; values of positions that know no move; settings |
//! | [`Format::Egbk3`], Egaroucid's | yes | yes | bounds, settings, origins; leaves of level 0 before the last move |
//! | [`Format::Egbk2`], Egaroucid's older | yes | | |
//! | [`Format::Zebra`], `.cmp`, also gzipped | yes | | |
//! | [`Format::Lines`], moves and a score | yes | yes | levels, bounds; positions that no game from the start reaches; of different scores of one leaf all but one |
//!
//! To other programs a move that ends the game is a move out of the book; a leaf that is worse than one is unknown when it comes back.
//! A leaf that leads into the book is none to them: it is written as one that is not known ([`Exported::unsearched`]).
//!
//! What is read is made consistent by one sweep of [`negamax`](super::negamax::negamax): the value of a position is the best of its leaf and its links. Egaroucid
//! itself values a position by its links alone, and keeps the value that a search gave a position without any; where its leaf
//! says something else, the value changes. [`Warning::Value`] counts such positions.
//!
//! Values are kept with the program they come from ([`Origin`](super::node::Origin)): levels of different programs are
//! different searches. A file that this program wrote in another's format is that program's when it is read.
//!
//! Positions in which the side to move must pass, and finished games, are not stored here (see [`graph`](super::graph)). When
//! they are read they are left out and counted; Edax's files, which have the former, are given them again.

mod edax;
mod edax_text;
mod egaroucid;
mod intake;
mod lines;
mod report;
mod zebra;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

pub use edax::Date;
pub use report::{ImportError, Noted, Place, Problem, Warning, Warnings};

use super::node::{Leaf, Node};
use super::store::Book;
use crate::formats::quantity::plural;
use crate::formats::{bounded, without_mark};

/// A format of books of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Edax's binary books, `.dat`.
    Edax,
    /// Edax's text form: a position a line.
    EdaxText,
    /// Egaroucid's books, `.egbk3`.
    Egbk3,
    /// Egaroucid's older books, `.egbk2`; can only be read.
    Egbk2,
    /// Zebra's compact books, `.cmp`, also gzipped (`.cmp.z`, `.gz`); can only be read.
    Zebra,
    /// Moves from the start and a score for Black, a line each.
    Lines,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 6] =
        [Format::Edax, Format::EdaxText, Format::Egbk3, Format::Egbk2, Format::Zebra, Format::Lines];

    /// The word for it in options: `edax`, `edax-text`, `egbk3`, `egbk2`, `zebra` or `lines`.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Edax => "edax",
            Format::EdaxText => "edax-text",
            Format::Egbk3 => "egbk3",
            Format::Egbk2 => "egbk2",
            Format::Zebra => "zebra",
            Format::Lines => "lines",
        }
    }

    /// Books can be written in it.
    pub const fn is_writable(self) -> bool {
        !matches!(self, Format::Egbk2 | Format::Zebra)
    }

    /// The format that a file's extension stands for. `.txt` is lines; Edax's text form has no extension of its own.
    pub fn of_path(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let format = |end: &str, format: Format| name.ends_with(end).then_some(format);
        format(".dat", Format::Edax)
            .or(format(".egbk3", Format::Egbk3))
            .or(format(".egbk2", Format::Egbk2))
            .or(format(".cmp", Format::Zebra))
            .or(format(".cmp.z", Format::Zebra))
            .or(format(".cmp.gz", Format::Zebra))
            .or(format(".txt", Format::Lines))
    }

    /// The format that the content has, by its first bytes; for Zebra's, which has none of its own, by its size.
    pub fn of_content(bytes: &[u8]) -> Option<Format> {
        if bytes.starts_with(edax::MAGIC) {
            Some(Format::Edax)
        } else if let Some(version) = egaroucid::version(bytes) {
            Some(if version == 2 { Format::Egbk2 } else { Format::Egbk3 })
        } else if bytes.starts_with(zebra::GZIP) || zebra::has_its_size(bytes) {
            Some(Format::Zebra)
        } else {
            of_text(&bytes[..bytes.len().min(bounded::MAX_LINE)])
        }
    }

    /// The format of a file: what its content says, or else its extension.
    pub fn of_file(path: &Path, bytes: &[u8]) -> Option<Format> {
        Format::of_content(bytes).or_else(|| Format::of_path(path))
    }
}

/// The format of the first line that is not blank and no comment.
fn of_text(bytes: &[u8]) -> Option<Format> {
    if bytes.contains(&0) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let line = without_mark(&text).lines().map(lines::without_comment).find(|line| !line.trim().is_empty())?;
    if edax_text::is_line(line) {
        return Some(Format::EdaxText);
    }
    lines::is_line(line).then_some(Format::Lines)
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Edax => "a book of Edax",
            Format::EdaxText => "a book of Edax as text",
            Format::Egbk3 => "a book of Egaroucid",
            Format::Egbk2 => "an older book of Egaroucid",
            Format::Zebra => "a compact book of Zebra",
            Format::Lines => "lines of moves and a score",
        })
    }
}

/// A word that names no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no format of books: edax, edax-text, egbk3, egbk2, zebra or lines")]
pub struct ParseFormatError(String);

impl FromStr for Format {
    type Err = ParseFormatError;

    /// Reads [`Format::name`].
    fn from_str(text: &str) -> Result<Format, ParseFormatError> {
        Format::ALL.into_iter().find(|format| format.name() == text).ok_or(ParseFormatError(text.to_string()))
    }
}

/// A book that has been read.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its values are consistent. The settings are those of the file where it has any (Edax); elsewhere the level is the one that
    /// most leaves come from, if the file tells, and the book grows at least to the ply that its positions reach.
    pub book: Book,
    /// What had to be changed.
    pub warnings: Warnings,
}

/// Reads a book. The bytes are all of a file; memory is taken only for what they hold.
///
/// # Errors
/// [`ImportError`] says what is wrong with the file, and where. A file that is cut off is refused.
pub fn import(bytes: &[u8], format: Format) -> Result<Imported, ImportError> {
    let mut intake = match format {
        Format::Edax => edax::read(bytes),
        Format::EdaxText => edax_text::read(bytes),
        Format::Egbk3 | Format::Egbk2 => egaroucid::read(bytes, format),
        Format::Zebra => zebra::read(bytes),
        Format::Lines => lines::read(bytes),
    }?;
    intake.settle(|warnings, before, after| {
        if before.value != after.value && has_value(before, format) {
            warnings.add(Warning::Value, None);
        }
    });
    let intake::Intake { mut book, warnings } = intake;
    // of these formats only Edax's has a header with settings
    if format != Format::Edax {
        book.settings.level = common_level(&book).unwrap_or(book.settings.level);
        let last = book.nodes().iter().map(Node::ply).max().unwrap_or(0) as u8;
        book.settings.max_ply = book.settings.max_ply.max(last);
    }
    Ok(Imported { book, warnings })
}

/// The level that most leaves have been searched at, or positions where no leaf is known, the highest of several; `None` when the
/// file does not tell.
fn common_level(book: &Book) -> Option<u8> {
    /// From here on levels are none of searches to go on with: a solve, a human's word.
    const SOLVED: u8 = 60;
    let most_frequent = |level_of: fn(&Node) -> u8| {
        let mut counts = [0u64; SOLVED as usize];
        for level in book.nodes().iter().map(level_of).filter(|level| (1..SOLVED).contains(level)) {
            counts[usize::from(level)] += 1;
        }
        let (level, &count) = counts.iter().enumerate().max_by_key(|&(_, count)| count)?;
        (count > 0).then_some(level as u8)
    };
    let of_leaf = |node: &Node| if matches!(node.leaf(), Leaf::Move { .. }) { node.leaf_level() } else { 0 };
    // of Zebra's leaves hardly any can be used
    most_frequent(of_leaf).or_else(|| most_frequent(|node| node.level))
}

/// The file itself gave this node its value.
fn has_value(node: &Node, format: Format) -> bool {
    match format {
        Format::EdaxText => false,
        Format::Lines => lines::is_scored(node),
        _ => true,
    }
}

/// A book as the bytes of another program's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The file.
    pub bytes: Vec<u8>,
    /// Positions of the book that the format cannot hold: for lines, those that are not reached from the start.
    pub left_out: usize,
    /// Leaves of the positions in the file that are still to be searched, as after a merge: it has none in their place.
    pub unsearched: usize,
    /// Positions outside the book that are leaves with different scores, of which a line has one, or that another position leads
    /// to and values less.
    pub ambiguous: usize,
}

/// Why a book cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The format is only read.
    #[error("{} is read, not written: choose edax, edax-text, egbk3 or lines", .0.name())]
    NotWritable(Format),
    /// Edax and Egaroucid count positions with 31 bits.
    #[error("{0} positions are more than the format can count")]
    TooMany(usize),
    /// Lines begin at the start of othello, which the book lacks.
    #[error("lines are of moves from the start of othello, which is not among the book's {}", plural(*.0 as u64, "position"))]
    NoStart(usize),
}

/// Writes a book, whose values should be consistent ([`negamax`](super::negamax::negamax)), in the format of another program. The
/// bytes depend on the book and on nothing else; the date is for the header of Edax's books.
///
/// # Errors
/// The format is only read, has no room for so many positions, or, as lines, needs the start, which the book lacks.
pub fn export(book: &Book, format: Format, date: Date) -> Result<Exported, ExportError> {
    match format {
        Format::Edax => edax::write(book, date),
        Format::EdaxText => Ok(edax_text::write(book)),
        Format::Egbk3 => egaroucid::write(book),
        Format::Lines => lines::write(book),
        Format::Egbk2 | Format::Zebra => Err(ExportError::NotWritable(format)),
    }
}
