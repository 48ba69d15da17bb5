//! Playing: a game, a clock, a book and an engine on a thread of its own, and the one place that chooses a move.
//!
//! GTP, NBoard, the console, the players of matches and every other front end are clients of [`Player`]. Nothing here reads or
//! writes text but the notation of clocks.

mod background;
mod balanced;
mod book;
mod choice;
pub mod clock;
mod grade;
mod player;
mod strength;

#[cfg(test)]
mod tests;

pub use balanced::{BalancedError, balanced_opening};
pub use book::OpeningBook;
pub use choice::{Choice, Variety};
pub use clock::{Clocks, Overhead, RunningClock, TimeControl, TimeControlError};
pub use grade::{Grade, Habits, ParseGradeError};
pub use player::{OnReport, Player, PlayerOptions, PonderCounts};
pub use strength::{ParseStrengthError, Strength};
