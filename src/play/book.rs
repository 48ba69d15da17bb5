//! The place for an opening book.

use std::fmt::Debug;

use crate::rules::Position;
use crate::search::Line;

/// An opening book as a player asks it.
pub trait Book: Debug + Send + Sync {
    /// The book's move in a position, with its value for the side to move and the line that follows; `None` when it has none.
    /// Books that know several good moves choose by `random`.
    fn probe(&self, position: &Position, random: u64) -> Option<Line>;
}
