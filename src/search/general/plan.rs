//! Which depths to search and when to stop.

use std::time::Duration;

use crate::rules::{Flips, Position};
use crate::search::{Goal, Level, Limits, Stage, budget};
use crate::time::Instant;

/// One iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Iteration {
    /// In plies.
    pub depth: i32,
    /// Searches the game to its end.
    pub is_exact: bool,
}

/// The iterations of a search and its times.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub iterations: Vec<Iteration>,
    /// When to break off.
    pub deadline: Option<Instant>,
    start: Instant,
    /// Begin no new iteration after this time.
    enough: Option<Duration>,
}

impl Plan {
    /// The plan for these limits.
    pub fn new(position: &Position, limits: &Limits, start: Instant) -> Plan {
        let empties = position.empty_count() as i32;
        let goal = match limits.goal {
            Goal::Level(level) => stage(position, level).depth as i32,
            Goal::Depth(depth, _) => depth as i32,
            Goal::Exact | Goal::WinDrawLoss | Goal::Unlimited => empties,
        };
        let budget = budget(limits.time, empties as u32);
        Plan {
            iterations: iterations(goal, empties),
            deadline: budget.and_then(|budget| start.checked_add(budget.hard)),
            start,
            enough: budget.map(|budget| budget.soft),
        }
    }

    /// No further iteration should begin.
    pub fn is_enough(&self, done: &Iteration) -> bool {
        done.is_exact || self.enough.is_some_and(|enough| self.start.elapsed() >= enough)
    }
}

/// Depths 1, 2, ... to the goal. From where an exact search costs about as much as the next depths, it follows at once.
fn iterations(goal: i32, empties: i32) -> Vec<Iteration> {
    let exact = Iteration { depth: empties, is_exact: true };
    if goal < empties {
        return (1..=goal.max(1)).map(|depth| Iteration { depth, is_exact: false }).collect();
    }
    let warm_up = (2 * empties - 8) / 3;
    let mut iterations: Vec<Iteration> = (1..=warm_up).map(|depth| Iteration { depth, is_exact: false }).collect();
    iterations.push(exact);
    iterations
}

/// What a level means here: the general search looks at fewer nodes a second and has no selective cut-offs, and with
/// a choice of directions there are more moves, so a level looks half as deep and solves later than on the fast board.
pub(super) fn stage(position: &Position, level: Level) -> Stage {
    let empties = position.empty_count().min(255) as u8;
    let stage = level.stage(empties);
    if level == Level::MAX || level.get() == 0 {
        return stage;
    }
    let exact_from = if position.rules().flips() == Flips::One { 5 } else { 6 } + level.get() * 2 / 5;
    let depth = if empties <= exact_from.min(2 * level.get()) { empties } else { level.get().div_ceil(2).min(empties) };
    Stage { depth, ..stage }
}
