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
//! | [`items`] | what users give as a position or a game: a file of any kind, or the text itself |
//! | [`quantity`] | levels, times, counts as people write them |
//! | [`atomic`] | files that appear whole or not at all: how every finished file is written |
//! | [`named_rules`] | how all of them name the rules of their games |
//! | [`wthor`] | the database of tournament games (`.wtb`, `.jou`, `.trn`) |
//!
//! Every reader reports bad input as an error that names the place and the text at fault, and none panics
//! whatever it is given.

pub mod atomic;
pub mod board_text;
pub mod files;
pub mod ggf;
pub(crate) mod gtp_notation;
pub mod items;
pub mod named_rules;
pub mod notation;
pub mod obf;
mod play;
pub mod quantity;
pub mod record;
pub mod sgf;
pub mod transcript;
pub mod wthor;

pub use files::{read_games, write_games};
pub use notation::{MoveError, parse_move};
pub use play::PlayError;
pub use record::{Ending, GameRecord, GameResult, MoveNote, Player};

use std::fmt;

/// A place in a text, both counted from 1; columns count characters, not bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Line, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
}

impl Location {
    /// The place of a byte offset (on a character boundary) in a text.
    pub fn of(text: &str, offset: usize) -> Location {
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Location { line: before.matches('\n').count() + 1, column: before[line_start..].chars().count() + 1 }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Longest piece of input that an error message repeats, in characters.
const QUOTE_LIMIT: usize = 24;

/// Input text as an error message shows it: quoted, on one line, not too long.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("'");
    for (i, c) in text.chars().enumerate() {
        if i == QUOTE_LIMIT {
            quoted.push_str("...");
            break;
        }
        if c.is_control() {
            quoted.extend(c.escape_default());
        } else {
            quoted.push(c);
        }
    }
    quoted.push('\'');
    quoted
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
    fn quotes_are_short_and_on_one_line() {
        assert_eq!(quote("f9"), "'f9'");
        assert_eq!(quote("a\nb\u{1b}"), "'a\\nb\\u{1b}'");
        assert_eq!(quote(&"x".repeat(100)).len(), 24 + 5);
    }
}
