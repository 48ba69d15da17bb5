//! Which depths to search and when to stop.

use std::time::{Duration, Instant};

use crate::rules::{Flips, Position};
use crate::search::{Clock, Goal, Level, Limits, Report, Stage, Time};

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
        let (deadline, enough) = match limits.time {
            Time::Unlimited => (None, None),
            Time::PerMove(time) => (Some(time), None),
            Time::Clock(clock) => {
                let (enough, deadline) = share(clock, empties as u32);
                (Some(deadline), Some(enough))
            }
        };
        let deadline = deadline.and_then(|time| start.checked_add(time));
        Plan { iterations: iterations(goal, empties), deadline, start, enough }
    }

    /// The whole search is so short that a large table would cost more than it saves.
    pub fn is_tiny(&self) -> bool {
        self.iterations.last().is_none_or(|last| last.depth <= 6)
    }

    /// No further iteration should begin.
    pub fn is_enough(&self, report: &Report, done: &Iteration) -> bool {
        done.is_exact || self.enough.is_some_and(|enough| self.start.elapsed() >= enough) || report.stopped
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
    let exact_from = if position.rules().flips == Flips::One { 5 } else { 6 } + level.get() * 2 / 5;
    let depth = if empties <= exact_from.min(2 * level.get()) { empties } else { level.get().div_ceil(2).min(empties) };
    Stage { depth, ..stage }
}

/// Out of a clock: after which time no iteration begins, and when the search is broken off.
fn share(clock: Clock, empties: u32) -> (Duration, Duration) {
    // own moves to come; the last ones are solved in no time
    let moves = clock.moves.unwrap_or_else(|| (empties.saturating_sub(8) / 2).max(2)).max(1);
    let safe = clock.remaining.mul_f64(0.95).saturating_sub(Duration::from_millis(20));
    let fair = (safe / moves + clock.increment.mul_f64(0.8)).min(safe);
    (fair.mul_f64(0.6), (fair * 2).min(safe.max(Duration::from_millis(5))))
}
