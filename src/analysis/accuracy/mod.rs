//! How close the evaluation and searches of some depths come to known exact scores.
//!
//! [`answers()`] searches positions ([`Case`]) at one depth, [`DepthAccuracy`] and [`ParityAccuracy`] sum the answers up, with 95 %
//! intervals ([`Interval`]): sets of a hundred positions tell less than their digits say.

mod cases;
mod interval;
mod search;
mod summary;

pub use cases::{Case, CaseError, from_problems, from_wthor};
pub use interval::Interval;
pub use search::{Answer, Settings, answers};
pub use summary::{DepthAccuracy, Intervals, ParityAccuracy};
