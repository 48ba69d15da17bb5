//! Opening books: positions with the values of their moves, grown by searches and played from without any.
//!
//! A book is a graph of positions, one for all eight symmetric images and for either colour. A [`Node`] stores the value for
//! the side to move and one move more: the **leaf**, the best of the moves that lead out of the book, valued by a search.
//! Moves that stay in the book (**links**) are not stored; they are found by looking for the positions after them, so they are
//! never stale. The value of a node is the best of its leaf and its links; every other move is no better than the leaf. That
//! is what lets a book grow best first: it knows what the next-best deviation is worth (M. Buro's idea, in the shape that
//! Edax and Egaroucid gave it).
//!
//! Positions in which the side to move must pass are not stored: a move that leads to one leads to the position after the
//! pass, with its value taken as it is. Moves that end the game have the final score and need no node either. So every step
//! fills a square, and a sweep from the fullest boards to the emptiest is a complete negamax.
//!
//! ```
//! use outflank::book::{embedded, probe};
//! use outflank::{Position, formats::transcript};
//!
//! let game = transcript::parse(&Position::default(), "f5d6c3")?;
//! let known = probe(&*embedded(), game.position()).expect("a position of the built-in book");
//! // best first; in discs for the side to move
//! for mv in &known.moves {
//!     println!("{} {:+} [{:+}, {:+}]", mv.square, mv.score, mv.lower, mv.upper);
//! }
//! assert_eq!(known.moves[0].square.to_string(), "d3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | what |
//! |---|---|
//! | [`node`], [`store`] | a position; all of them in memory |
//! | [`graph`], [`negamax`] | moves of a node; values from the ends to the start |
//! | [`mod@file`], [`shelf`] | our own file, mapped; a book being changed: lock, journal, backup |
//! | [`mod@probe`], [`choice`] | what a book knows of a position; which of it is played |
//! | [`leaf`], [`grow`], [`deepen`], [`games`] | searches, and what asks for them |
//! | [`edit`], [`verify`], [`quality`], [`trust`] | merge, prune, subtree; every invariant; how good the values are, and what they rest on |
//! | [`names`] | names of openings |
//! | [`exchange`] | the books of other programs |
//!
//! Only othello on 8x8 has books.

pub mod choice;
pub mod deepen;
pub mod edit;
pub mod exchange;
pub mod file;
pub mod games;
pub mod graph;
pub mod grow;
pub mod leaf;
pub mod names;
pub mod negamax;
pub mod node;
pub mod probe;
pub mod quality;
pub mod shelf;
pub mod store;
mod sweep;
pub mod trust;
pub mod verify;
mod walk;
mod work;

pub use choice::Choosing;
pub use file::{BookFile, BookFileError};
pub use node::{Leaf, Node, Origin};
pub use probe::{BookMove, Kind, Knowledge, probe};
pub use shelf::Shelf;
pub use store::{Book, Nodes, Settings};
pub use trust::{Labels, Trust};
pub use walk::{Deviation, Losses, Route};
pub use work::{Work, WorkError};

use std::sync::{Arc, OnceLock};

/// The book built into the program, grown by this engine alone (`book/README.md` says how).
///
/// # Panics
/// Never: a test checks it.
pub fn embedded() -> Arc<BookFile> {
    static EMBEDDED: OnceLock<Arc<BookFile>> = OnceLock::new();
    let bytes = include_bytes!("../../book/outflank.book");
    EMBEDDED
        .get_or_init(|| Arc::new(BookFile::from_static(bytes).expect("a test has checked the built-in book")))
        .clone()
}
