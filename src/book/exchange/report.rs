//! What reading a book of another program has to say: errors, and what it had to change.

use std::fmt;

use super::Format;
use crate::board::Square;
use crate::formats::quantity::plural;
use crate::formats::quote;
use crate::formats::transcript::TranscriptErrorKind;

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A byte, from 0.
    Byte(usize),
    /// A record of a binary file.
    Record {
        /// From 1.
        number: usize,
        /// Where it begins, from 0.
        byte: usize,
    },
    /// A line of a text file.
    Line {
        /// From 1.
        number: usize,
        /// Character, from 1.
        column: usize,
    },
}

impl Place {
    /// The byte of a binary file, where the place is one.
    pub(super) fn byte(&self) -> Option<usize> {
        match *self {
            Place::Byte(byte) | Place::Record { byte, .. } => Some(byte),
            Place::Line { .. } => None,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Byte(byte) => write!(f, "byte {byte}"),
            Place::Record { number, byte } => write!(f, "position {number} (byte {byte})"),
            Place::Line { number, column } => write!(f, "line {number}, column {column}"),
        }
    }
}

/// Why a file is no book that can be read: what is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct ImportError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It is something else.
    #[error("not {0}")]
    Magic(Format),
    /// A layout that nothing here reads.
    #[error("version {found} of the format; this program reads version {known}")]
    Version {
        /// In the file.
        found: u8,
        /// The one that can be read.
        known: u8,
    },
    /// It ends too early.
    #[error("the file ends within it")]
    Truncated,
    /// Sizes that do not fit together.
    #[error("the number of positions is said to be {said}, {found} can be read")]
    Count {
        /// By the header.
        said: i64,
        /// In the file.
        found: u64,
    },
    /// Sizes of a Zebra book that do not fit together.
    #[error("{bytes} bytes are not the size of so many positions ({positions}) and moves ({moves})")]
    Size {
        /// Said to be there.
        positions: i32,
        /// Said to be there.
        moves: i32,
        /// The size of the file.
        bytes: usize,
    },
    /// The compressed data are damaged or too much.
    #[error("cannot be decompressed: {0}")]
    Gzip(String),
    /// The compressed data are something else; other books are read as they are.
    #[error("gzipped, and not Zebra's: other books are to be decompressed first")]
    Gzipped,
    /// A board that no game has.
    #[error("{0}")]
    Board(&'static str),
    /// A number that is no square.
    #[error("{0} is no square")]
    Square(i32),
    /// A move that the rules forbid.
    #[error("{0} is not a legal move")]
    Illegal(Square),
    /// A move that is listed twice.
    #[error("{0} is listed twice")]
    Twice(Square),
    /// A pass where there are moves.
    #[error("a pass, though there are moves")]
    Pass,
    /// More moves than the position has.
    #[error("more moves are listed, {listed}, than are legal, {legal}")]
    Moves {
        /// In the file.
        listed: usize,
        /// By the rules.
        legal: u32,
    },
    /// A value that no position has.
    #[error("a value of {0} discs")]
    Value(i32),
    /// A position of a Zebra book has so many moves, and the file lists fewer from there on; or it is no number of moves.
    #[error("the file does not list so many moves of it ({0})")]
    Tree(i64),
    /// The tree of a Zebra book ends before this position.
    #[error("no move leads to it")]
    Unreached,
    /// It is not the turn of the side that the file names.
    #[error("the side to move is the other one")]
    Turn,
    /// Bytes that are not text.
    #[error("not text")]
    NotText,
    /// Text that means something else, or nothing.
    #[error("{} is not {wanted}", quote(.found))]
    Text {
        /// As written, shortened.
        found: String,
        /// What should be there.
        wanted: &'static str,
    },
    /// The end of the line where something should be.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A list of moves.
    #[error(transparent)]
    Transcript(#[from] TranscriptErrorKind),
}

impl Problem {
    pub(super) fn at(self, place: Place) -> ImportError {
        ImportError { place, problem: self }
    }

    /// Text that is not what is wanted, shortened.
    pub(super) fn text(found: &str, wanted: &'static str) -> Problem {
        Problem::Text { found: found.chars().take(20).collect(), wanted }
    }
}

/// What reading a book can have to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Positions whose side to move must pass are not stored here.
    Pass,
    /// Neither are finished games.
    Finished,
    /// A board was not the canonical one of its eight images.
    Turned,
    /// A board or a value is impossible (left out, as Egaroucid itself does).
    Unusable,
    /// A position is there twice; the higher level was kept, of lines, which have none, the last.
    Duplicate,
    /// The best move out of the book is none: not legal, leads into the book, or cannot be told.
    Leaf,
    /// There is no best move out of the book, though moves lead out of it.
    NoLeaf,
    /// A move is said to lead to a position that is not there; it is a move out of the book now.
    Nowhere,
    /// A position has no value.
    NoValue,
    /// There are more positions than the header says.
    Count,
    /// A value is not what the moves give.
    Value,
}

impl Warning {
    /// All of them.
    pub const ALL: [Warning; 11] = [
        Warning::Pass,
        Warning::Finished,
        Warning::Turned,
        Warning::Unusable,
        Warning::Duplicate,
        Warning::Leaf,
        Warning::NoLeaf,
        Warning::Nowhere,
        Warning::NoValue,
        Warning::Count,
        Warning::Value,
    ];

    /// What was done, behind a number of positions.
    pub const fn text(self) -> &'static str {
        match self {
            Warning::Pass => "with a pass to make left out (moves lead to the position after the pass)",
            Warning::Finished => "with no move for either side left out",
            Warning::Turned => "turned to the canonical one of the eight images",
            Warning::Unusable => "impossible, left out",
            Warning::Duplicate => "there twice, the higher level kept (of lines the last)",
            Warning::Leaf => "whose best move out of the book cannot be used, now unknown",
            Warning::NoLeaf => "without a best move out of the book though moves lead out of it, now unknown",
            Warning::Nowhere => "with a move to a position that is not there, now a move out of the book",
            Warning::NoValue => "without a value, now 0",
            Warning::Count => "more than the header says",
            Warning::Value => "whose value has changed to that of the best move",
        }
    }
}

/// How often something had to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Noted {
    /// What.
    pub warning: Warning,
    /// How often, at least 1.
    pub count: u64,
    /// Where first, as far as it is known.
    pub first: Option<Place>,
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", plural(self.count, "position"), self.warning.text())?;
        match self.first {
            Some(place) => write!(f, "; first: {place}"),
            None => Ok(()),
        }
    }
}

/// All that had to be changed, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Warnings {
    noted: [(u64, Option<Place>); Warning::ALL.len()],
}

impl Warnings {
    /// How often this was done.
    pub fn count(&self, warning: Warning) -> u64 {
        self.noted[warning as usize].0
    }

    /// What was done at least once.
    pub fn iter(&self) -> impl Iterator<Item = Noted> {
        let all = Warning::ALL.iter().zip(&self.noted);
        all.filter(|(_, noted)| noted.0 > 0).map(|(&warning, &(count, first))| Noted { warning, count, first })
    }

    /// Nothing had to be changed.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub(super) fn add(&mut self, warning: Warning, place: Option<Place>) {
        let noted = &mut self.noted[warning as usize];
        noted.0 += 1;
        noted.1 = noted.1.or(place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_counted_with_their_first_place() {
        let mut warnings = Warnings::default();
        assert!(warnings.is_empty());
        warnings.add(Warning::Turned, Some(Place::Line { number: 3, column: 1 }));
        warnings.add(Warning::Turned, Some(Place::Line { number: 4, column: 1 }));
        warnings.add(Warning::Value, None);
        assert_eq!((warnings.count(Warning::Turned), warnings.count(Warning::Pass)), (2, 0));
        let texts: Vec<String> = warnings.iter().map(|noted| noted.to_string()).collect();
        assert_eq!(texts[0], "2 positions turned to the canonical one of the eight images; first: line 3, column 1");
        assert_eq!(texts[1], "1 position whose value has changed to that of the best move");
        assert!(Warning::ALL.iter().enumerate().all(|(at, warning)| *warning as usize == at));
    }

    #[test]
    fn errors_say_where() {
        let error = Problem::Truncated.at(Place::Record { number: 3, byte: 126 });
        assert_eq!(error.to_string(), "position 3 (byte 126): the file ends within it");
        let control = Problem::text("a\u{1b}[2J", "a score").to_string();
        assert_eq!(control, "'a\\u{1b}[2J' is not a score", "no terminal is told anything");
    }
}
