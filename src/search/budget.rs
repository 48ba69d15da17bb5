//! How long to think.

use std::time::Duration;

use super::{Clock, Time};

/// Time kept back for pipes and slow clients on every move.
const OVERHEAD: Duration = Duration::from_millis(30);
/// The least time a move gets, however little is left on the clock.
const MINIMUM: Duration = Duration::from_millis(2);

/// What a search may spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    /// Start no new iteration after this.
    pub soft: Duration,
    /// Stop here.
    pub hard: Duration,
}

/// The budget for one move with this many empty squares, `None` without a time limit.
pub(crate) fn budget(time: Time, empties: u32) -> Option<Budget> {
    match time {
        Time::Unlimited => None,
        Time::PerMove(limit) => {
            // short limits are given by scripts that measure them; long ones by clients across a pipe
            let hard = limit.saturating_sub(OVERHEAD.min(limit / 10)).max(MINIMUM);
            Some(Budget { soft: hard, hard })
        }
        Time::Clock(clock) => Some(clock_budget(clock, empties)),
    }
}

/// Shares a clock among the moves to come. The middle of the game gets most: the opening is quick, and once
/// the end is solved no more time is needed.
fn clock_budget(clock: Clock, empties: u32) -> Budget {
    let overhead = OVERHEAD.min(clock.remaining / 8);
    let remaining = clock.remaining.saturating_sub(overhead);
    let moves = match clock.moves {
        Some(moves) => moves.max(1),
        // own moves until a search to the end costs next to nothing
        None => (empties.saturating_sub(SOLVED_EMPTIES) / 2).max(2),
    } as f64;
    let weight = if clock.moves.is_some() { 1.0 } else { phase_weight(empties) };
    let share = remaining.as_secs_f64() / moves * weight + clock.increment.as_secs_f64() * 0.9;
    let limit = remaining.as_secs_f64() * if moves <= 1.0 { 0.9 } else { 0.5 };
    let soft = Duration::from_secs_f64(share.min(limit) * 0.6).max(MINIMUM);
    let hard = Duration::from_secs_f64((share * 1.8).min(limit)).max(soft);
    Budget { soft, hard }
}

/// Empties from which solving exactly takes a fraction of a second.
const SOLVED_EMPTIES: u32 = 18;

/// How much more or less than an even share a move gets.
fn phase_weight(empties: u32) -> f64 {
    match empties {
        52.. => 0.5,
        44..=51 => 0.9,
        28..=43 => 1.25,
        22..=27 => 1.1,
        _ => 0.8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(s: f64) -> Duration {
        Duration::from_secs_f64(s)
    }

    #[test]
    fn a_game_clock_is_never_overdrawn() {
        for total in [0.1, 1.0, 10.0, 300.0, 3600.0] {
            let mut left = seconds(total);
            for empties in (1..=60).rev().step_by(2) {
                let clock = Clock { remaining: left, increment: Duration::ZERO, moves: None };
                let budget = budget(Time::Clock(clock), empties).unwrap();
                assert!(budget.soft <= budget.hard && budget.hard < left.max(seconds(0.005)), "{empties}: {budget:?}");
                left = left.saturating_sub(budget.hard);
            }
        }
    }

    #[test]
    fn canadian_and_increment() {
        let canadian = Clock { remaining: seconds(300.0), increment: Duration::ZERO, moves: Some(10) };
        let b = budget(Time::Clock(canadian), 50).unwrap();
        assert!(b.soft > seconds(10.0) && b.hard < seconds(60.0), "{b:?}");
        let increment = Clock { remaining: seconds(1.0), increment: seconds(2.0), moves: None };
        assert!(budget(Time::Clock(increment), 30).unwrap().hard < seconds(1.0));
        let none = Clock { remaining: Duration::ZERO, increment: Duration::ZERO, moves: None };
        assert!(budget(Time::Clock(none), 30).unwrap().hard <= seconds(0.1));
        assert_eq!(budget(Time::Unlimited, 30), None);
        assert_eq!(budget(Time::PerMove(seconds(0.1)), 30).unwrap().hard, seconds(0.09));
    }
}
