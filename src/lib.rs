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
#[cfg(feature = "tools")]
pub mod perft;
pub mod play;
pub mod protocol;
pub mod rules;
pub mod search;
#[cfg(feature = "tools")]
pub mod selfplay;
#[cfg(feature = "tools")]
pub mod solo;
pub(crate) mod time;
#[cfg(feature = "tools")]
pub mod tournament;
#[cfg(feature = "tools")]
pub mod train;
