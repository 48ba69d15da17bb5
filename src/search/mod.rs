//! Searching: what to look for ([`Limits`]), what was found ([`Report`]), and how to stop it ([`StopToken`]).

mod level;
mod limits;
mod report;

pub use level::{Level, Stage};
pub use limits::{Clock, Goal, Limits, StopToken, Time};
pub use report::{Bound, Line, Report, Selectivity};
