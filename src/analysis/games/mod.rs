//! Work on files of games: choosing, comparing, checking, searching for positions, making problems, the table
//! of a tournament.
//!
//! Everything takes one game at a time, so that files of any length can be worked on; what is remembered between games (keys of
//! games seen, the statistics of a position) is said where it is.

mod check;
mod filter;
mod find;
mod problems;
mod random;
mod standings;
mod tally;
mod target;
mod unique;

pub use check::{Fault, faults};
pub use filter::{Filter, Outcome};
pub use find::{Finder, FoundGame, FoundJson, FoundPlayer, NextMove};
pub use problems::{Problems, Wanted};
pub use random::{Balanced, RandomError};
pub use standings::{Opponent, Standing, Standings};
pub use target::{NotSearchable, Target};
pub use unique::Seen;
