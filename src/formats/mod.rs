//! File and text formats: positions, problems and games, read and written.
//!
//! | module | what |
//! |---|---|
//! | [`notation`] | one move as text (`f5`, `F5:NE`, every spelling of a pass) |
//! | [`board_text`] | board strings (`64 squares side`), one line or a diagram |
//! | [`obf`] | problem files: positions with known scores, streamed line by line |
//! | [`transcript`] | move lists (`f5d6c3...`) |
//! | [`record`] | a game with players, result and notes: what the formats below are read into |
//! | [`ggf`] | the format of the GGS server and of NBoard |
//! | [`sgf`] | the files of Quarry, GoGui and Edax |
//! | [`files`] | files of games in any of these formats |
//! | [`pgn`] | games with tags and numbered moves, as PlayOK and Edax write them |
//! | [`fen`], [`ggs`] | positions as Edax takes them, boards as the GGS server shows them |
//! | [`stream`] | games of all these formats, one at a time, in and out: memory does not grow with the input |
//! | [`items`] | what users give as a position or a game: a file of any kind, or the text itself |
//! | [`quantity`] | levels, times, counts as people write them |
//! | [`bounded`] | reading with limits on what is kept in memory |
//! | [`openings`] | lists of openings, read or made |
//! | [`picture`] | boards and transcripts drawn as SVG, PNG and text |
//! | [`atomic`] | files that appear whole or not at all: how every finished file is written |
//! | [`calendar`] | the date of a day |
//! | [`named_rules`] | how all of them name the rules of their games |
//! | [`wthor`] | the database of tournament games (`.wtb`, `.jou`, `.trn`) |
//!
//! Every reader reports bad input as an error that names the place and the text at fault, and none panics
//! whatever it is given.

pub mod atomic;
pub mod board_text;
pub mod bounded;
pub mod calendar;
pub mod fen;
pub mod files;
pub mod ggf;
pub mod ggs;
pub(crate) mod gtp_notation;
pub mod items;
pub mod named_rules;
pub mod notation;
pub mod obf;
pub mod openings;
pub mod pgn;
pub mod picture;
mod play;
mod position;
pub mod quantity;
pub mod record;
pub mod sgf;
pub mod stream;
pub mod transcript;
pub mod wthor;

pub(crate) use crate::plain::acts;
pub use crate::plain::{escaped, quote};
pub use files::{read_games, write_games};
pub use notation::{MoveError, parse_move};
pub use play::{PlayError, result_text, why_pass};
pub use position::PositionError;
pub use record::{Ending, GameRecord, GameResult, MoveNote, Player};

use std::fmt;

use crate::plain::QUOTE_LIMIT;

/// A place in a text, both counted from 1; columns count characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Line, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
}

impl Location {
    /// The place of a byte offset in a text.
    ///
    /// # Panics
    /// When the offset is not on a character boundary, or beyond the text.
    pub fn of(text: &str, offset: usize) -> Location {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Location { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

/// Finds the places of byte offsets, each time going on from the one before: a text in which everything is wrong is
/// still read in linear time.
#[derive(Clone, Debug)]
pub(crate) struct Locator {
    offset: usize,
    location: Location,
}

impl Default for Locator {
    fn default() -> Locator {
        Locator { offset: 0, location: Location { line: 1, column: 1 } }
    }
}

impl Locator {
    /// The place of a byte offset (on a character boundary), always in the same text. Offsets before the last one are
    /// found too, but from the beginning of the text.
    pub fn locate(&mut self, text: &str, offset: usize) -> Location {
        if offset < self.offset {
            *self = Locator::default();
        }
        let between = &text[self.offset..offset];
        match between.rfind('\n') {
            Some(newline) => {
                self.location.line += between.matches('\n').count();
                self.location.column = between[newline + 1..].chars().count() + 1;
            }
            None => self.location.column += between.chars().count(),
        }
        self.offset = offset;
        self.location
    }
}

/// How far reading the games of a text has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cursor {
    /// Where the next game is looked for, in bytes.
    pub offset: usize,
    /// No value that begins from here on has an end: that has been looked for once, to the end of the text.
    pub unclosed: bool,
    /// Where the errors are.
    pub locator: Locator,
}

/// The first word of a text, as far as an error message can need it: a text may be one word of many megabytes.
pub(crate) fn first_word(text: &str, ends: impl Fn(char) -> bool) -> &str {
    let end = text.char_indices().take(QUOTE_LIMIT + 1).find(|(_, c)| ends(*c)).map(|(at, _)| at);
    let limit = || text.char_indices().nth(QUOTE_LIMIT + 1).map_or(text.len(), |(at, _)| at);
    &text[..end.unwrap_or_else(limit)]
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A text without the mark of byte order that editors of Windows begin files with.
pub(crate) fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_count_characters() {
        assert_eq!(Location::of("abc", 0), Location { line: 1, column: 1 });
        assert_eq!(Location::of("äbc\nxyz", 3).to_string(), "line 1, column 3");
        assert_eq!(Location::of("äbc\nxyz", 6).to_string(), "line 2, column 2");
    }

    #[test]
    fn a_locator_agrees_with_locations() {
        let text = "äbc\n\nxyz\r\nü\nlast";
        let offsets: Vec<usize> = (0..=text.len()).filter(|&offset| text.is_char_boundary(offset)).collect();
        for step in 1..6 {
            let mut locator = Locator::default();
            for &offset in offsets.iter().step_by(step).chain([&0, &5]) {
                assert_eq!(locator.locate(text, offset), Location::of(text, offset), "{offset}");
            }
        }
    }

    #[test]
    fn first_words_are_short() {
        assert_eq!(first_word("ab[c", |c| c == '['), "ab");
        assert_eq!(first_word("", |c| c == '['), "");
        assert_eq!(quote(first_word(&"ä".repeat(1000), |c| c == '[')), quote(&"ä".repeat(1000)));
    }
}
