//! How long to think about one move.
//!
//! Times are those the engine has for itself: what pipes and clients take is kept back by whoever keeps the clock
//! ([`crate::play::clock`]), once.

use std::time::Duration;

use super::{Clock, Overtime, Time};
use crate::time::Instant;

/// What a search needs to notice that its time is up and to hand in its result.
const STOP_LATENCY: Duration = Duration::from_millis(2);
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

impl Budget {
    /// All of this time, for there is nothing to save it for.
    fn all(seconds: f64) -> Budget {
        let time = duration(seconds);
        let hard = time.saturating_sub(STOP_LATENCY.min(time / 20)).max(MINIMUM);
        Budget { soft: hard, hard }
    }

    fn new(soft: f64, hard: f64) -> Budget {
        let soft = duration(soft).max(MINIMUM);
        Budget { soft, hard: duration(hard).max(soft) }
    }
}

/// Seconds as a duration: the longest one for more than any can be. ([`Duration::MAX`] in seconds, rounded, is more already.)
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}

/// The budget for one move with this many empty squares, `None` without a time limit.
pub(crate) fn budget(time: Time, empties: u32) -> Option<Budget> {
    match time {
        Time::Unlimited => None,
        Time::PerMove(limit) => Some(Budget::all(limit.as_secs_f64())),
        Time::Clock(clock) => Some(match (clock.moves, clock.overtime) {
            (Some(moves), _) => period_budget(clock.remaining.as_secs_f64(), moves),
            (None, Some(overtime)) => main_time_budget(clock.remaining.as_secs_f64(), overtime, empties),
            (None, None) => game_budget(clock, empties),
        }),
    }
}

/// A period for this many more moves. What one move leaves is the next one's, and the last takes all.
fn period_budget(remaining: f64, moves: u32) -> Budget {
    if moves <= 1 {
        return Budget::all(remaining);
    }
    let share = remaining / f64::from(moves);
    Budget::new(share * 0.85, (share * 1.6).min(remaining * 0.7))
}

/// Main time with periods behind it. Main time is used up before a period begins and a move's part of a period is lost unless
/// it is used, so that no move is worth less than that part; the move that uses main time up may go on into the period.
fn main_time_budget(remaining: f64, overtime: Overtime, empties: u32) -> Budget {
    let part = overtime.part().as_secs_f64();
    let share = (remaining / moves_to_come(empties) * phase_weight(empties)).max(part);
    if remaining <= share {
        return Budget::all(remaining + part);
    }
    // a share is the part, or less than two thirds of what is left: nearly twice as much is there in any case
    Budget::new(share * 0.85, share * 1.8)
}

/// The rest of the game, with an increment after each move. What the increment gives back is spent, and a share of the rest.
fn game_budget(clock: Clock, empties: u32) -> Budget {
    let remaining = clock.remaining.as_secs_f64();
    let increment = clock.increment.as_secs_f64().min(remaining);
    let saved = remaining - increment;
    let moves = moves_to_come(empties);
    let share = saved / moves * phase_weight(empties);
    let limit = saved * if moves <= 2.0 { 0.7 } else { 0.5 };
    if saved < increment * 0.1 {
        return Budget::all(increment * 0.98);
    }
    Budget::new(increment * 0.95 + (share * 0.6).min(limit), increment * 0.95 + (share * 1.8).min(limit))
}

impl Time {
    /// When a search that begins `now` in a position with this many empty squares is to start no new iteration, and when it is
    /// to stop; `None` without a time limit, or with one that no clock will live to see.
    pub fn deadline(self, now: Instant, empties: u32) -> Option<(Instant, Instant)> {
        let budget = budget(self, empties)?;
        Some((now.checked_add(budget.soft)?, now.checked_add(budget.hard)?))
    }
}

/// Empties from which solving exactly takes a fraction of a second.
const SOLVED_EMPTIES: u32 = 18;

/// Own moves until a search to the end costs next to nothing.
fn moves_to_come(empties: u32) -> f64 {
    f64::from((empties.saturating_sub(SOLVED_EMPTIES) / 2).max(2))
}

/// How much more or less than an even share a move gets: the opening is quick, the middle of the game gets most.
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
    fn no_time_is_too_long() {
        let overtime = Some(Overtime { period: Duration::MAX, moves: 1 });
        let clock = Clock::new(Duration::MAX);
        let clocks = [
            clock,
            Clock { moves: Some(1), ..clock },
            Clock { moves: Some(9), ..clock },
            Clock { overtime, ..clock },
            Clock { increment: Duration::MAX, ..clock },
        ];
        for time in clocks.map(Time::Clock).into_iter().chain([Time::PerMove(Duration::MAX)]) {
            let budget = budget(time, 30).unwrap();
            assert!(budget.soft > seconds(1e9) && budget.soft <= budget.hard, "{time:?}: {budget:?}");
            time.deadline(Instant::now(), 30);
        }
    }

    #[test]
    fn a_game_clock_is_never_overdrawn() {
        for total in [0.1, 1.0, 10.0, 300.0, 3600.0] {
            let mut left = seconds(total);
            for empties in (1..=60).rev().step_by(2) {
                let budget = budget(Time::Clock(Clock::new(left)), empties).unwrap();
                assert!(budget.soft <= budget.hard && budget.hard < left.max(seconds(0.005)), "{empties}: {budget:?}");
                left = left.saturating_sub(budget.hard);
            }
        }
    }

    #[test]
    fn increments_are_spent_and_never_overdrawn() {
        for (main, increment) in [(0.0, 2.0), (1.0, 2.0), (10.0, 0.5), (60.0, 2.0)] {
            let (mut left, mut used) = (main + if main == 0.0 { increment } else { 0.0 }, 0.0);
            let mut given = left;
            for empties in (20..=60).rev().step_by(2) {
                let clock = Clock { increment: seconds(increment), ..Clock::new(seconds(left)) };
                let budget = budget(Time::Clock(clock), empties).unwrap();
                assert!(budget.hard < seconds(left), "{main}+{increment}, {empties}: {budget:?} of {left}");
                // a search ends somewhere between the two
                let time = (budget.soft + budget.hard).as_secs_f64() / 2.0;
                used += time;
                left += increment - time;
                given += increment;
            }
            assert!(used > 0.85 * (given - increment), "{main}+{increment}: {used:.2} of {given:.2} s");
        }
    }

    #[test]
    fn periods_are_spent_to_the_end() {
        for moves in [1, 2, 10, 25] {
            let (mut left, mut used) = (300.0, 0.0);
            for to_come in (1..=moves).rev() {
                let clock = Clock { moves: Some(to_come), ..Clock::new(seconds(left)) };
                let budget = budget(Time::Clock(clock), 50).unwrap();
                assert!(budget.hard < seconds(left), "{moves}, {to_come}: {budget:?} of {left}");
                left -= budget.soft.as_secs_f64();
                used += budget.soft.as_secs_f64();
            }
            assert!(used > 0.95 * 300.0, "{moves}: {used}");
        }
    }

    /// What a move gets, in seconds, worked out by hand: less in the opening, most in the middle, a limit near the end.
    #[test]
    fn shares_are_those_of_the_phase() {
        let game = |main, increment, empties| {
            let clock = Clock { increment: seconds(increment), ..Clock::new(seconds(main)) };
            budget(Time::Clock(clock), empties)
        };
        let period = |left, moves| budget(Time::Clock(Clock { moves: Some(moves), ..Clock::new(seconds(left)) }), 40);
        let overtime = |main, period, moves, empties| {
            let overtime = Some(Overtime { period: seconds(period), moves });
            budget(Time::Clock(Clock { overtime, ..Clock::new(seconds(main)) }), empties)
        };
        for (found, soft, hard) in [
            (game(100.0, 0.0, 60), 1.4286, 4.2857),
            (game(100.0, 0.0, 46), 3.8571, 11.5714),
            (game(100.0, 0.0, 40), 6.8182, 20.4545),
            (game(100.0, 0.0, 24), 22.0, 50.0),
            (game(100.0, 0.0, 10), 24.0, 70.0),
            (game(102.0, 2.0, 40), 8.7182, 22.3545),
            (game(2.1, 2.0, 40), 1.96, 1.96),
            (game(2.5, 2.0, 40), 1.9341, 2.0023),
            (period(100.0, 4), 21.25, 40.0),
            (period(100.0, 2), 42.5, 70.0),
            (overtime(600.0, 30.0, 10, 60), 12.1429, 25.7143),
            (overtime(5.0, 30.0, 10, 40), 2.55, 5.4),
        ] {
            let found = found.unwrap();
            let near = |time: Duration, expected: f64| (time.as_secs_f64() - expected).abs() < 0.005;
            assert!(near(found.soft, soft) && near(found.hard, hard), "{found:?}: {soft}, {hard}");
        }
    }

    #[test]
    fn overtime_behind_main_time_is_spent() {
        let behind = |main: f64, period: f64, moves: u32, empties| {
            let overtime = Overtime { period: seconds(period), moves };
            let clock = Clock { overtime: Some(overtime), ..Clock::new(seconds(main)) };
            budget(Time::Clock(clock), empties).unwrap()
        };
        // nothing left but the period to come
        assert!(behind(0.0, 30.0, 1, 40).soft > seconds(28.0) && behind(0.0, 30.0, 1, 40).hard < seconds(30.0));
        // the move that uses main time up goes on into the period
        assert!(behind(2.0, 30.0, 1, 40).soft > seconds(30.0) && behind(2.0, 30.0, 1, 40).hard < seconds(32.0));
        assert!(behind(1.0, 1.0, 1, 60).soft > seconds(1.7) && behind(1.0, 1.0, 1, 60).hard < seconds(2.0));
        // of a period for several moves, one move's part
        assert!(behind(0.0, 30.0, 10, 40).hard < seconds(3.0) && behind(0.0, 30.0, 10, 40).soft > seconds(2.7));
        // much main time is shared out
        let long = behind(600.0, 30.0, 10, 40);
        assert!(long.soft > seconds(30.0) && long.hard < seconds(200.0), "{long:?}");
    }

    #[test]
    fn short_times_are_spent() {
        for limit in [0.05, 0.1, 0.2, 1.0] {
            let budget = budget(Time::PerMove(seconds(limit)), 30).unwrap();
            assert!(budget.hard > seconds(limit * 0.94) && budget.hard < seconds(limit), "{limit}: {budget:?}");
        }
        assert!(budget(Time::Clock(Clock::new(Duration::ZERO)), 30).unwrap().hard <= seconds(0.1));
        assert_eq!(budget(Time::Unlimited, 30), None);
    }
}
