//! Playing: a game, a clock, a book and an engine on a thread of its own, and the one place that chooses a move.
//!
//! GTP, NBoard, the console, the players of matches and every other front end are clients of [`Player`]. Nothing here reads or
//! writes text but the notation of clocks.
//!
//! ```
//! use std::time::Instant;
//! use outflank::play::{OpeningBook, Overhead};
//! use outflank::{Engine, Game, Options, Player, PlayerOptions, Source, Strength};
//!
//! // plays as a person of a club does, from the built-in book first, with a minute for the game and a second a move
//! let strength: Strength = "club".parse()?;
//! let options = PlayerOptions { strength, overhead: Overhead::THREAD, ..PlayerOptions::default() };
//! let mut player = Player::new(Engine::new(Options::default()), Game::default(), options);
//! player.set_book(Some(OpeningBook::embedded(1)));
//! player.set_time_control("1:00+1".parse()?);
//! player.play("f5".parse()?)?;
//!
//! // its clock limits the search, and whoever keeps the time charges it
//! let (side, begun) = (player.position().side_to_move(), Instant::now());
//! let choice = player.choose(&mut |_| {})?;
//! player.spend(side, begun.elapsed());
//! player.play(choice.mv)?;
//! assert_eq!(choice.source, Source::Book);
//! println!("{side} plays {} and has {:?} left", choice.mv, player.clocks().of(side).remaining());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
