//! Searching: what to look for ([`Limits`]), what was found ([`Report`]), and how to stop it ([`StopToken`]).

mod children;
mod clock;
mod entries;
mod fast;
mod general;
mod last;
mod level;
mod limits;
mod local;
mod nws;
mod probcut;
mod pvs;
mod report;
mod root;
mod split;
mod tt;
mod worker;

pub(crate) use clock::budget;
pub(crate) use fast::{Control, Memory};
pub(crate) use root::{Iteration, Task};
pub(crate) use worker::Rules;

pub use level::{Level, Stage};
pub use limits::{Clock, Goal, Limits, StopToken, Time};
pub use report::{Bound, Line, Report, Selectivity};
pub use tt::TableSizeError;
