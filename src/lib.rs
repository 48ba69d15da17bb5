//! Outflank: an Othello/Reversi engine as a library.
#![warn(missing_docs)]

pub mod analysis;
pub mod board;
pub mod engine;
pub mod eval;
pub mod formats;
pub mod game;
#[doc(hidden)]
pub mod internals;
pub mod kernel;
pub(crate) mod pages;
pub mod perft;
pub mod play;
pub mod protocol;
pub mod rules;
pub mod search;
pub mod selfplay;
pub mod solo;
pub mod tournament;
pub mod train;
