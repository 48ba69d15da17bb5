//! Which depths to search and when to stop.

use std::time::Duration;

use crate::rules::{Flips, Position, RuleSet};
use crate::search::{Goal, Level, Limits, Selectivity, Stage, budget};
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
    /// How sure iterations are that do not search the game to its end.
    pub selectivity: Selectivity,
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
        let (goal, selectivity) = match limits.goal {
            Goal::Level(level) => {
                let stage = stage(position.rules(), position.empty_count(), level);
                (stage.depth as i32, stage.selectivity)
            }
            Goal::Depth(depth, selectivity) => (depth as i32, selectivity),
            Goal::Exact | Goal::WinDrawLoss => (empties, Selectivity::NONE),
            Goal::Unlimited => (empties, Selectivity::MOST),
        };
        let budget = budget(limits.time, empties as u32);
        Plan {
            iterations: iterations(goal, empties),
            selectivity,
            deadline: budget.and_then(|budget| start.checked_add(budget.hard)),
            start,
            enough: budget.map(|budget| budget.soft),
        }
    }

    /// The search will store enough to fill a good part of a table.
    pub fn fills_table(&self) -> bool {
        /// Searches of fewer plies store some ten thousand positions at most.
        const MANY: i32 = 9;
        /// So do solves of fewer empty squares.
        const MANY_TO_THE_END: i32 = 12;
        let is_deep = |one: &Iteration| one.depth >= if one.is_exact { MANY_TO_THE_END } else { MANY };
        self.iterations.iter().any(is_deep)
    }

    /// Time is limited.
    pub fn is_timed(&self) -> bool {
        self.enough.is_some()
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

/// What a level means to the general search with so many empty squares: it looks at fewer nodes a second, and with a choice of
/// directions there are more moves, so a level looks two thirds as deep as on the fast board (half as deep up to level 10, at full
/// width) and solves later.
pub(crate) fn stage(rules: &RuleSet, empties: u32, level: Level) -> Stage {
    let empties = empties.min(255) as u8;
    let exact_from = if rules.flips() == Flips::One { 5 } else { 6 } + level.get() * 2 / 5;
    if level == Level::MAX || empties <= exact_from.min(2 * level.get()) {
        return Stage { depth: empties, selectivity: Selectivity::NONE };
    }
    match level.get() {
        full @ ..=10 => Stage { depth: full.div_ceil(2).min(empties), selectivity: Selectivity::NONE },
        // where it is not solved, the game's end is not looked at either
        level => Stage { depth: (2 * level).div_ceil(3).min(empties - 1), selectivity: Selectivity::MOST },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Time;
    use std::sync::Arc;

    fn start(rules: &str) -> Position {
        Position::start(Arc::new(rules.parse().unwrap()))
    }

    #[test]
    fn iterations_lead_to_the_goal() {
        let depths = |goal, empties| -> Vec<i32> { iterations(goal, empties).iter().map(|one| one.depth).collect() };
        assert_eq!(depths(4, 20), [1, 2, 3, 4]);
        assert_eq!(depths(0, 20), [1]);
        assert!(iterations(19, 20).iter().all(|one| !one.is_exact));
        // then the end of the game at once
        assert_eq!(depths(20, 20), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20]);
        assert_eq!(depths(5, 4), [4]);
        assert!(iterations(20, 20).last().unwrap().is_exact);
    }

    #[test]
    fn levels_look_less_deep_and_solve_later() {
        let depth = |rules: &str, empties: u32, level| {
            // the first of some games that comes so far
            let reached = |seed: usize| {
                let mut position = start(rules);
                for ply in 0.. {
                    if position.empty_count() == empties {
                        return Some(position);
                    }
                    let moves = position.legal_moves();
                    position = position.play(*moves.get((seed + ply * seed) % moves.len().max(1))?).unwrap();
                }
                None
            };
            let position = (0..1000).find_map(reached).unwrap();
            stage(position.rules(), position.empty_count(), Level::new(level).unwrap()).depth
        };
        for (rules, empties, level, expected) in [
            ("othello:10x10", 96, 0, 0),
            ("othello:10x10", 96, 1, 1),
            ("othello:10x10", 96, 10, 5),
            ("othello:10x10", 96, 11, 8),
            ("othello:10x10", 96, 21, 14),
            ("othello:10x10", 19, 30, 18),
            ("othello:10x10", 18, 30, 18),
            ("othello:10x10", 96, 60, 96),
            ("othello:4x4", 10, 10, 10),
            ("othello:4x4", 11, 10, 5),
            ("othello:4x4,one", 9, 10, 9),
            ("othello:4x4,one", 10, 10, 5),
            ("othello:4x4", 4, 2, 4),
            ("othello:4x4", 5, 2, 1),
        ] {
            assert_eq!(depth(rules, empties, level), expected, "{rules}, {empties} empty, level {level}");
        }
    }

    #[test]
    fn no_iteration_begins_when_time_is_up() {
        let more = Iteration { depth: 3, is_exact: false };
        let plan =
            |time| Plan::new(&start("othello:10x10"), &Limits { time, ..Limits::new(Goal::Exact) }, Instant::now());
        assert!(!plan(Time::Unlimited).is_enough(&more));
        assert!(plan(Time::Unlimited).is_enough(&Iteration { is_exact: true, ..more }));
        assert!(!plan(Time::PerMove(Duration::from_secs(100))).is_enough(&more));
        let short = plan(Time::PerMove(Duration::from_millis(3)));
        std::thread::sleep(Duration::from_millis(5));
        assert!(short.is_enough(&more));
    }
}
