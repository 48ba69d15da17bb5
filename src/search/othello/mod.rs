//! The search on 8x8 bitboards: othello on the whole board, and every smaller board or other score on which all directions turn.

mod ages;
mod aspiration;
mod children;
mod context;
pub(crate) mod cost;
mod entries;
mod entry;
mod fast;
mod growth;
mod last;
mod line;
mod local;
mod need;
mod nws;
mod probcut;
mod pvs;
mod root;
mod sampling;
mod split;
mod symmetry;
#[cfg(test)]
mod tests;
mod tt;
mod value;
mod walls;
mod worker;

pub(crate) use fast::{Control, Memory, TableSlot};
#[cfg(feature = "tools")]
pub(crate) use probcut::{MIDGAME_DEVIATIONS, by_moves, margin, probe_depth};
pub(crate) use root::{Iteration, Task};
#[cfg(feature = "tools")]
pub(crate) use sampling::{Sample, samples};
pub(crate) use value::static_value;
pub(crate) use worker::Rules;
