//! Time controls and the referee's clock.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::search::{Clock, Time};

/// How much time the players have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeControl {
    /// As much as they like.
    #[default]
    None,
    /// This long for each move.
    PerMove(Duration),
    /// This long for the game, plus an increment after each move.
    Game {
        /// At the start.
        main: Duration,
        /// Added after each move.
        increment: Duration,
    },
    /// This long, then periods of fixed length, each for a number of moves (Canadian overtime).
    Canadian {
        /// Before the first period.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// Moves to be made in a period.
        moves: u32,
    },
}

/// The text is not a game clock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "clock '{text}': {reason} (write SECONDS, SECONDS+INCREMENT or SECONDS+PERIOD/MOVES, such as 60, 60+0.5, 0+30/10)"
)]
pub struct TimeControlError {
    text: String,
    reason: String,
}

/// Seconds as a duration: a finite number from 0 to ten days.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if (0.0..=864_000.0).contains(&value) => Ok(Duration::from_secs_f64(value)),
        Ok(value) => Err(format!("{value} seconds is out of range")),
        Err(_) => Err(format!("'{text}' is not a number of seconds")),
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    /// Reads a game clock: `60`, `60+0.5` (increment), `60+30/10` (then 30 s for each 10 moves).
    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let error = |reason: String| TimeControlError { text: text.to_string(), reason };
        let (main, rest) = match text.split_once('+') {
            Some((main, rest)) => (main, Some(rest)),
            None => (text, None),
        };
        let main = seconds(main).map_err(error)?;
        let control = match rest.map(|rest| (rest, rest.split_once('/'))) {
            None => TimeControl::Game { main, increment: Duration::ZERO },
            Some((increment, None)) => TimeControl::Game { main, increment: seconds(increment).map_err(error)? },
            Some((_, Some((period, moves)))) => {
                let period = seconds(period).map_err(error)?;
                let moves = moves.trim().parse().map_err(|_| error(format!("'{moves}' is not a number of moves")))?;
                if moves == 0 || period.is_zero() {
                    return Err(error("a period needs time and at least one move".to_string()));
                }
                TimeControl::Canadian { main, period, moves }
            }
        };
        if control == (TimeControl::Game { main: Duration::ZERO, increment: Duration::ZERO }) {
            return Err(error("no time at all".to_string()));
        }
        Ok(control)
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::None => f.write_str("none"),
            TimeControl::PerMove(time) => write!(f, "{} s/move", time.as_secs_f64()),
            TimeControl::Game { main, increment } if increment.is_zero() => write!(f, "{}", main.as_secs_f64()),
            TimeControl::Game { main, increment } => {
                write!(f, "{}+{}", main.as_secs_f64(), increment.as_secs_f64())
            }
            TimeControl::Canadian { main, period, moves } => {
                write!(f, "{}+{}/{moves}", main.as_secs_f64(), period.as_secs_f64())
            }
        }
    }
}

/// What a player may use for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The clock as searches know it.
    pub time: Time,
    /// What the clock has left; `None` without a clock. An answer later than this by more than `grace` loses.
    pub limit: Option<Duration>,
    /// Tolerated beyond the limit, for pipes and schedulers.
    pub grace: Duration,
    /// How long to wait for an answer before the player counts as hanging.
    pub patience: Duration,
}

/// The clock of one player during a game.
#[derive(Clone, Copy, Debug)]
pub struct RunningClock {
    control: TimeControl,
    remaining: Duration,
    /// Moves left in the period; `None` in main time.
    moves: Option<u32>,
}

impl RunningClock {
    /// A clock at the start of a game.
    pub fn new(control: TimeControl) -> RunningClock {
        let mut clock = RunningClock { control, remaining: Duration::ZERO, moves: None };
        match control {
            TimeControl::None => {}
            TimeControl::PerMove(time) => clock.remaining = time,
            // the increment comes after each move; without main time the first move has to live on one too
            TimeControl::Game { main, increment } => {
                clock.remaining = if main.is_zero() { increment } else { main };
            }
            TimeControl::Canadian { main, period, moves } => {
                clock.remaining = main;
                if main.is_zero() {
                    (clock.remaining, clock.moves) = (period, Some(moves));
                }
            }
        }
        clock
    }

    /// The clock as searches know it.
    pub fn time(&self) -> Time {
        match self.control {
            TimeControl::None => Time::Unlimited,
            TimeControl::PerMove(time) => Time::PerMove(time),
            TimeControl::Game { increment, .. } => {
                Time::Clock(Clock { remaining: self.remaining, increment, moves: None })
            }
            TimeControl::Canadian { .. } => {
                Time::Clock(Clock { remaining: self.remaining, increment: Duration::ZERO, moves: self.moves })
            }
        }
    }

    /// The most the next move may use; `None` without a clock.
    pub fn limit(&self) -> Option<Duration> {
        match self.control {
            TimeControl::None => None,
            TimeControl::Canadian { period, .. } if self.moves.is_none() => Some(self.remaining + period),
            _ => Some(self.remaining),
        }
    }

    /// Charges a move that was within the limit and the margin.
    pub fn spend(&mut self, used: Duration) {
        match self.control {
            TimeControl::None | TimeControl::PerMove(_) => {}
            TimeControl::Game { increment, .. } => self.remaining = self.remaining.saturating_sub(used) + increment,
            TimeControl::Canadian { period, moves, .. } => {
                let over = used.saturating_sub(self.remaining);
                self.remaining = self.remaining.saturating_sub(used);
                if self.moves.is_none() && self.remaining.is_zero() {
                    // the move that runs out of main time is the first of a period
                    (self.remaining, self.moves) = (period.saturating_sub(over), Some(moves));
                }
                if let Some(left) = &mut self.moves {
                    *left -= 1;
                    if *left == 0 {
                        (self.remaining, self.moves) = (period, Some(moves));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn text_round_trip() {
        for text in ["60", "60+0.5", "0+30/10", "120+30/10", "0+1"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for bad in ["", "0", "x", "60+", "60+x", "60+30/0", "60+0/5", "60+30/x", "-1", "nan", "inf", "60/5"] {
            assert!(bad.parse::<TimeControl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn increments() {
        let mut clock = RunningClock::new("10+2".parse().unwrap());
        assert_eq!(clock.limit(), Some(s(10.0)));
        clock.spend(s(5.0));
        assert_eq!(clock.limit(), Some(s(7.0)));
        clock.spend(s(7.5));
        assert_eq!(clock.limit(), Some(s(2.0)), "an overrun within the margin costs no more than all");
        assert_eq!(RunningClock::new("0+1".parse().unwrap()).limit(), Some(s(1.0)));
    }

    #[test]
    fn canadian() {
        let mut clock = RunningClock::new("10+6/2".parse().unwrap());
        assert_eq!(clock.limit(), Some(s(16.0)));
        clock.spend(s(4.0));
        assert_eq!(clock.limit(), Some(s(12.0)));
        clock.spend(s(8.0)); // 2 s into the period, which has one move left
        assert_eq!(clock.limit(), Some(s(4.0)));
        assert_eq!(clock.time(), Time::Clock(Clock { remaining: s(4.0), increment: Duration::ZERO, moves: Some(1) }));
        clock.spend(s(3.0));
        assert_eq!(clock.limit(), Some(s(6.0)));
        let mut clock = RunningClock::new("0+6/2".parse().unwrap());
        clock.spend(s(1.0));
        assert_eq!(clock.limit(), Some(s(5.0)));
        let mut clock = RunningClock::new(TimeControl::PerMove(s(1.0)));
        clock.spend(s(0.9));
        assert_eq!(clock.limit(), Some(s(1.0)));
    }
}
