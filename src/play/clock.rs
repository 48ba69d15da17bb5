//! THE clock: time controls, what a player has left, and what of it a move may use.
//!
//! Front ends, the referee of matches and the engine all count with these types, so that they agree to the millisecond:
//! sudden death, a time for each move, increments after each move, and Canadian overtime (periods, each for a number of
//! moves, after a main time that may be zero). What pipes and clients take is kept back here and nowhere else
//! ([`Overhead`]).

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::formats::quantity::parse_span;
use crate::formats::quote;
use crate::rules::Color;
use crate::search::{Clock, Overtime, Time};

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
    "clock {}: {reason} (write SECONDS, SECONDS+INCREMENT or SECONDS+PERIOD/MOVES, such as 60, 10:00, 60+0.5, 0+30/10)",
    quote(text)
)]
pub struct TimeControlError {
    text: String,
    reason: String,
}

/// Longest time understood, in seconds (31 years); more is the same as this.
const MAX_SECONDS: f64 = 1e9;

/// Reads seconds as clients send them, decimals allowed: negative times are none, endless ones the longest. `None` when
/// the text is no number.
pub fn client_seconds(text: &str) -> Option<Duration> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| !seconds.is_nan())?;
    Some(Duration::from_secs_f64(seconds.clamp(0.0, MAX_SECONDS)))
}

/// Reads seconds as people write them: a finite number from 0 to ten days, `MM:SS` or `H:MM:SS`.
///
/// # Errors
/// What is wrong with the text.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let value = if text.contains(':') {
        parse_span(text).map_err(|error| format!("{} is {error}", quote(text)))?.as_secs_f64()
    } else {
        text.parse::<f64>().map_err(|_| format!("{} is not a number of seconds", quote(text)))?
    };
    match value {
        0.0..=864_000.0 => Ok(Duration::from_secs_f64(value)),
        value => Err(format!("{value} seconds is out of range")),
    }
}

impl TimeControl {
    /// Reads the three numbers of GTP's `time_settings`.
    ///
    /// Stones without a period mean nothing, so `M 0 *` is sudden death. `M P 0` is "no limit" in GTP's text, but the
    /// only clients that send it mean an increment of `P` (with main time) or `P` for each move (without).
    /// `0 0 0` is no clock.
    pub fn from_gtp(main: Duration, period: Duration, moves: u32) -> TimeControl {
        match (main.is_zero(), period.is_zero(), moves) {
            (true, true, _) => TimeControl::None,
            (false, true, _) => TimeControl::Game { main, increment: Duration::ZERO },
            (false, false, 0) => TimeControl::Game { main, increment: period },
            (true, false, 0 | 1) => TimeControl::PerMove(period),
            (_, false, moves) => TimeControl::Canadian { main, period, moves },
        }
    }

    /// The three numbers of `time_settings` that [`TimeControl::from_gtp`] reads as this control, or as one by which clocks run the
    /// same; `None` without a clock.
    pub fn to_gtp(self) -> Option<(Duration, Duration, u32)> {
        match self {
            TimeControl::None => None,
            TimeControl::PerMove(time) => Some((Duration::ZERO, time, 1)),
            // without main time the first move lives on an increment too; `0 P 0` would be a time for each move
            TimeControl::Game { main, increment } if main < Duration::from_millis(1) => Some((increment, increment, 0)),
            TimeControl::Game { main, increment } => Some((main, increment, 0)),
            TimeControl::Canadian { main, period, moves } => Some((main, period, moves)),
        }
    }
}

impl FromStr for TimeControl {
    type Err = TimeControlError;

    /// Reads a game clock: `60` or `1:00`, `60+0.5` (increment), `60+30/10` (then 30 s for each 10 moves).
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
                let moves =
                    moves.trim().parse().map_err(|_| error(format!("{} is not a number of moves", quote(moves))))?;
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

/// What is kept back of the time on a clock for everything outside the search.
///
/// Two things take time: every move costs a little (pipes, threads that hear of each other, the client's own work), and now and
/// then a machine stands still for some scheduler ticks, of which a clock must be able to bear one at any moment. On a virtual
/// machine of two cores the longest of such stalls was 32 ms in a day; the flags that fell in `tests/clock_matrix.rs` fell
/// by 1 to 20 ms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead {
    /// What each move costs beside its search.
    pub each_move: Duration,
    /// The longest time for which everything may stand still.
    pub stall: Duration,
    /// Clients that report whole seconds may have rounded them: this much of what they report may be gone.
    pub rounding: Duration,
}

impl Overhead {
    /// For clients across a pipe: what a clock in the same process needs, 5 ms for messages to a program that may be a script,
    /// and a little more when both of them have to wake up again.
    pub const PIPE: Overhead = Overhead {
        each_move: Duration::from_millis(10),
        stall: Duration::from_millis(40),
        rounding: Duration::from_millis(500),
    };
    /// For a clock in the same process: what its threads take to hear of each other is below 3 ms on a busy machine, and
    /// no search takes less than 2 ms.
    pub const THREAD: Overhead =
        Overhead { each_move: Duration::from_millis(5), stall: Duration::from_millis(35), rounding: Duration::ZERO };
    /// For clocks that nobody else looks at.
    pub const NONE: Overhead = Overhead { each_move: Duration::ZERO, stall: Duration::ZERO, rounding: Duration::ZERO };

    /// A time that is lost when it is not used (a move's, or what is left of a `whole` period with this many moves to come in it)
    /// without what is kept back of it: all of the overhead where that is little beside the whole.
    ///
    /// An eighth at most, so that 85 % of the time are used with what the search itself needs to stop (2 ms); that covers a
    /// stall of 35 ms from 0.3 s a move on. Of shorter times both are not to be had: with 85 % used no more than 7 ms of 0.05 s
    /// are left, and a machine that stands still for longer at a move's end loses it.
    fn leave(&self, time: Duration, moves: u32, whole: Duration) -> Duration {
        let most = (whole / 8).min(time / 4 * 3);
        time - self.each_move.saturating_mul(moves).saturating_add(self.stall).min(most)
    }

    /// The time of a whole game without what is kept back of it: nothing of it is lost before the game is over, so that the stall
    /// may come at any move, and what the moves to come cost beyond their increments is kept for them. When no more than that is
    /// left, searches are as short as they get.
    fn leave_of_game(&self, remaining: Duration, increment: Duration, moves: u32) -> Duration {
        let unpaid = self.each_move.saturating_sub(increment).saturating_mul(moves.saturating_sub(1));
        remaining.saturating_sub(self.stall.saturating_add(self.each_move).saturating_add(unpaid))
    }
}

/// The clock of one player during a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunningClock {
    control: TimeControl,
    remaining: Duration,
    /// Moves left in the period; `None` in main time and without periods.
    moves: Option<u32>,
    /// `remaining` was reported by a client and may be rounded.
    rounded: bool,
}

impl RunningClock {
    /// A clock at the start of a game.
    pub fn new(control: TimeControl) -> RunningClock {
        let mut clock = RunningClock { control, remaining: Duration::ZERO, moves: None, rounded: false };
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

    /// What a client reports: this much time left, for this many moves (0 in main time).
    fn reported(control: TimeControl, remaining: Duration, moves: u32) -> RunningClock {
        // the full time at the start of the game or of a period is exact, everything later is rounded
        let fresh = match control {
            TimeControl::None => false,
            TimeControl::PerMove(time) => remaining == time,
            TimeControl::Game { main, .. } => remaining == main,
            TimeControl::Canadian { main, period, moves: all } => {
                (moves == 0 && remaining == main) || (moves == all && remaining == period)
            }
        };
        let control = match control {
            // a clock that nobody has described: what is left is for the rest of the game, or for these moves
            TimeControl::None if moves == 0 => TimeControl::Game { main: remaining, increment: Duration::ZERO },
            TimeControl::None => TimeControl::Canadian { main: Duration::ZERO, period: remaining, moves },
            known => known,
        };
        let rounded = !fresh && remaining.subsec_nanos() == 0;
        RunningClock { control, remaining, moves: (moves > 0).then_some(moves), rounded }
    }

    /// What is left of the main time or the period; `None` without a clock.
    pub fn remaining(&self) -> Option<Duration> {
        (self.control != TimeControl::None).then_some(self.remaining)
    }

    /// How the game is timed.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// Moves left in the present period.
    pub fn moves(&self) -> Option<u32> {
        self.moves
    }

    /// The clock as a search is to know it, with the overhead kept back. The player has at most `to_play` moves to make until the
    /// game is over, this one included.
    pub fn time(&self, overhead: Overhead, to_play: u32) -> Time {
        let mut remaining = self.remaining;
        if self.rounded {
            remaining -= overhead.rounding.min(remaining / 2);
        }
        let whole = match self.control {
            TimeControl::Canadian { period, .. } => period.max(remaining),
            _ => remaining,
        };
        match (self.control, self.moves) {
            (TimeControl::None, _) => Time::Unlimited,
            (TimeControl::PerMove(_), _) | (_, Some(0 | 1)) => Time::PerMove(overhead.leave(remaining, 1, whole)),
            (_, Some(moves)) => {
                let clock = Clock::new(overhead.leave(remaining, moves, whole));
                Time::Clock(Clock { moves: Some(moves), ..clock })
            }
            (TimeControl::Game { increment, .. }, None) => {
                let clock = Clock::new(overhead.leave_of_game(remaining, increment, to_play));
                // what a move costs is paid by its increment
                let increment = increment.saturating_sub(overhead.each_move);
                Time::Clock(Clock { increment: increment.min(clock.remaining), ..clock })
            }
            (TimeControl::Canadian { period, moves, .. }, None) => {
                let overtime = Overtime { period: overhead.leave(period, moves, period), moves };
                Time::Clock(Clock { overtime: Some(overtime), ..Clock::new(overhead.leave(remaining, 1, remaining)) })
            }
        }
    }

    /// The most the next move may use; `None` without a clock.
    pub fn limit(&self) -> Option<Duration> {
        match self.control {
            TimeControl::None => None,
            TimeControl::Canadian { period, .. } if self.moves.is_none() => Some(self.remaining.saturating_add(period)),
            _ => Some(self.remaining),
        }
    }

    /// Charges a move; one that took longer than the limit leaves nothing.
    pub fn spend(&mut self, used: Duration) {
        self.run(used);
        match self.control {
            TimeControl::None => {}
            TimeControl::PerMove(time) => (self.remaining, self.rounded) = (time, false),
            TimeControl::Game { increment, .. } => self.remaining = self.remaining.saturating_add(increment),
            TimeControl::Canadian { period, moves, .. } => {
                if let Some(left) = &mut self.moves {
                    *left = left.saturating_sub(1);
                    if *left == 0 {
                        (self.remaining, self.moves, self.rounded) = (period, Some(moves), false);
                    }
                }
            }
        }
    }

    /// Time passes without a move being made.
    pub fn run(&mut self, used: Duration) {
        let over = used.saturating_sub(self.remaining);
        self.remaining = self.remaining.saturating_sub(used);
        if let TimeControl::Canadian { period, moves, .. } = self.control
            && self.moves.is_none()
            && self.remaining.is_zero()
        {
            // the move that runs out of main time is the first of a period
            (self.remaining, self.moves) = (period.saturating_sub(over), Some(moves));
        }
    }
}

/// Both players' clocks: set by a client, or kept by the session when the client only gives the settings.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    control: TimeControl,
    players: [RunningClock; 2],
}

impl Default for Clocks {
    /// No clock.
    fn default() -> Clocks {
        Clocks::new(TimeControl::None)
    }
}

impl Clocks {
    /// Clocks at the start of a game.
    pub fn new(control: TimeControl) -> Clocks {
        Clocks { control, players: [RunningClock::new(control); 2] }
    }

    /// Puts the clocks back to the start, keeping the settings.
    pub fn restart(&mut self) {
        *self = Clocks::new(self.control);
    }

    /// The client reports what a player has left; `moves` is 0 in main time.
    pub fn set(&mut self, color: Color, remaining: Duration, moves: u32) {
        self.players[color.index()] = RunningClock::reported(self.control, remaining, moves);
    }

    /// Somebody else keeps a player's clock: this is how it stands.
    pub fn put(&mut self, color: Color, clock: RunningClock) {
        self.players[color.index()] = clock;
    }

    /// A player's clock.
    pub fn of(&self, color: Color) -> &RunningClock {
        &self.players[color.index()]
    }

    /// Charges a player for a move.
    pub fn spend(&mut self, color: Color, used: Duration) {
        self.players[color.index()].spend(used);
    }

    /// The player has a clock.
    pub fn is_running(&self, color: Color) -> bool {
        self.of(color).control != TimeControl::None
    }
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
