//! Self-play: games that the engine plays against itself from random openings, with a label for every position.
//!
//! [`play()`] makes one game, [`generate()`] many of them side by side, [`reanalyse()`] gives games new labels, [`Archive`] appends them to a file, [`Reader`] reads
//! such a file, and [`Statistics`] says what is in it. `outflank selfplay` is the command around them.
//!
//! # The file
//!
//! Games, not positions: a position costs four bytes that way, and a split by game is trivial. All numbers are
//! little-endian. The header:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `OUTFPLAY` |
//! | 4 | version of the format: 1 |
//! | 8 | seed |
//! | 4 | length of the settings in bytes |
//! | n | how the games were made, as UTF-8 text: `name=value`, one a line |
//! | 4 | CRC-32 of all this |
//!
//! Then games, in the order in which they were finished, without gaps:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | index of the game: with the seed it says which game this is |
//! | 1 | number of plies `p`, 1 to 60; passes are not plies, they follow from the rules |
//! | 1 | plies of the opening, at the beginning: from a list, or random |
//! | 1 | final score for black in discs (signed), empty squares counted for the winner |
//! | 1 | 0 |
//! | 4 `p` | the plies |
//! | 4 | CRC-32 of all this |
//!
//! A ply is the square (0 = a1, 1 = b1, ... 63 = h8), the kind of its label, and the value of the position before the
//! move for the side that moves, a signed 16-bit number in 1/128 disc (today's searches give whole discs). The kind is
//! 0 for no label (an opening ply; the value is 0), 128 for the exact score, and otherwise the depth of the search in
//! plies (1 to 60), plus 64 if it was selective. All games begin at the start of Othello. The value is that of the best
//! move; the move played can be another one (see [`Settings::stray_percent`]).
//!
//! A kill leaves at most one record incomplete, at the end: readers ignore it, [`Archive`] cuts it off.

mod archive;
mod error;
mod export;
mod game;
mod generate;
mod play;
mod reader;
mod settings;
mod statistics;

pub use archive::{Archive, sort};
pub use error::SelfplayError;
pub use export::{to_record, write_text};
pub use game::{GameRecord, Kind, Labelled, Ply};
pub use generate::{generate, reanalyse};
pub use play::{Player, play};
pub(crate) use reader::InOrder;
pub use reader::{Header, Reader};
pub use settings::{MOST_GAMES, PlyRange, Settings};
pub use statistics::{StageCounts, Statistics};
