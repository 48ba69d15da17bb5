//! The general search: any rule set on any board.
//!
//! The fast search plays on 8x8 bitboards with all directions turning and shared supply. This one plays everything:
//! boards to 16x16, one-direction moves, own supply, the placement phase, and also what the fast one plays, so
//! that it doubles as an independent solver. It is a plain alpha-beta search (principal variation search with a
//! transposition table, iterative deepening, aspiration windows, sorting by replies, squares and parity),
//! generic over the width of the board's bitsets.
//!
//! Scores follow the rule set: the objective decides the sign, empty squares go to the winner unless
//! [`Limits::discs_only`], and win/draw/loss searches know who wins with equal counts.

mod eval;
mod geometry;
mod plan;
mod root;
mod set;
mod state;
mod table;
mod worker;

use crate::rules::Position;
use crate::search::{Limits, Report, StopToken};

/// Searches a position under any rules.
///
/// `on_report` is called after each complete iteration. With one thread and without a time limit the result and the
/// node count are reproducible. `hash_mib` is the size of the transposition table, made for this search.
///
/// ```
/// use std::sync::Arc;
/// use outflank::rules::Position;
/// use outflank::search::{Goal, Limits, StopToken};
///
/// let rules = "othello:4x4,one".parse()?;
/// let position = Position::start(Arc::new(rules));
/// let report = outflank::variant::search(&position, &Limits::new(Goal::Exact), 1, 16, &StopToken::new(), &mut |_| {});
/// assert!(report.is_exact());
/// # Ok::<(), outflank::rules::ParseRulesError>(())
/// ```
pub fn search(
    position: &Position,
    limits: &Limits,
    threads: usize,
    hash_mib: usize,
    stop: &StopToken,
    on_report: &mut dyn FnMut(&Report),
) -> Report {
    let resources = (threads, hash_mib);
    match position.rules().squares() {
        0..=64 => root::search::<u64>(position, limits, resources, stop, on_report),
        65..=128 => root::search::<u128>(position, limits, resources, stop, on_report),
        _ => root::search::<set::U256>(position, limits, resources, stop, on_report),
    }
}
