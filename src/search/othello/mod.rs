//! The search on 8x8 bitboards: othello on the whole board, and every smaller board or other score on which all directions turn.

mod children;
mod entries;
mod fast;
mod last;
mod local;
mod nws;
mod probcut;
mod pvs;
mod root;
mod split;
mod tt;
mod value;
mod walls;
mod worker;

pub(crate) use fast::{Control, Memory};
pub(crate) use root::{Iteration, Task};
pub(crate) use value::static_value;
pub(crate) use worker::Rules;
