//! Searching: what to look for ([`Limits`]), what was found ([`Report`]), and how to stop it ([`StopToken`]).
//!
//! Two searches stand side by side and know nothing of each other: the bitboard search for boards of at most 8x8 on which all
//! directions turn, and the [`general`] search for any rule set, which is also the oracle that the other is tested against.

mod budget;
mod check;
pub mod general;
mod level;
mod limits;
pub(crate) mod othello;
mod output;
mod report;
pub(crate) mod selective;
mod slot;
pub(crate) mod statistics;
mod stop;
pub(crate) mod threads;
mod watch;

pub(crate) use budget::{Budget, budget};
pub(crate) use check::{MAX_HASH_MIB, MAX_THREADS, check_resources};
pub(crate) use slot::Slot;
pub(crate) use watch::Watch;

pub use check::SearchError;
pub use level::{Level, ParseLevelError, Stage};
pub use limits::{Clock, Goal, Limits, Overtime, TableSizeError, Time};
pub use output::with_output;
pub use report::{Bound, Line, Report, Selectivity, Source};
#[cfg(feature = "statistics")]
pub use statistics::{ThreadStatistics, thread_statistics};
pub use stop::StopToken;
