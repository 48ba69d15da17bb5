//! Game clocks as GTP clients describe them, in each client's dialect.

use std::time::Duration;

use crate::rules::Color;
use crate::search::{Clock, Time};

/// Time kept back for each move: pipes, the client's own work, scheduling.
const MOVE_OVERHEAD: Duration = Duration::from_millis(80);

/// Clients report whole seconds, rounded: this much of what they report may be gone already.
const ROUNDING: Duration = Duration::from_millis(500);

/// Budget of a move whose clock has run out.
const EXPIRED: Duration = Duration::from_millis(10);

/// Longest time understood, in seconds (31 years); more is the same as this.
const MAX_SECONDS: f64 = 1e9;

/// How a game is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Control {
    /// No clock.
    #[default]
    Unlimited,
    /// Main time for the whole game, and an increment added after each move.
    Game { main: Duration, increment: Duration },
    /// After the main time (which may be zero): periods in each of which this many moves (at least one) are made.
    Overtime { main: Duration, period: Duration, moves: u32 },
}

impl Control {
    /// Reads the three numbers of GTP's `time_settings`.
    ///
    /// Stones without a period mean nothing, so `M 0 *` is sudden death. `M P 0` is "no limit" in GTP's text, but the
    /// only clients that send it mean an increment of `P` (with main time) or `P` for each move (without).
    /// `0 0 0` is no clock.
    pub fn from_gtp(main: Duration, period: Duration, moves: u32) -> Control {
        match (main.is_zero(), period.is_zero(), moves) {
            (true, true, _) => Control::Unlimited,
            (false, true, _) => Control::Game { main, increment: Duration::ZERO },
            (false, false, 0) => Control::Game { main, increment: period },
            (true, false, 0) => Control::Overtime { main, period, moves: 1 },
            (_, false, moves) => Control::Overtime { main, period, moves },
        }
    }

    /// A player's clock at the start of a game.
    fn start(self) -> Option<PlayerClock> {
        match self {
            Control::Unlimited => None,
            Control::Game { main, .. } => Some(PlayerClock { remaining: main, moves: 0, rounded: false }),
            Control::Overtime { main, period, moves } if main.is_zero() => {
                Some(PlayerClock { remaining: period, moves, rounded: false })
            }
            Control::Overtime { main, .. } => Some(PlayerClock { remaining: main, moves: 0, rounded: false }),
        }
    }
}

/// What one player has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlayerClock {
    /// Time left of the main time or the period.
    remaining: Duration,
    /// Moves to make in the period; 0 in main time.
    moves: u32,
    /// `remaining` was reported by a client and may be rounded.
    rounded: bool,
}

/// Both players' clocks: set by the client, or kept by the session when the client only gives the settings.
#[derive(Clone, Debug, Default)]
pub(super) struct Clocks {
    control: Control,
    players: [Option<PlayerClock>; 2],
}

impl Clocks {
    /// Clocks at the start of a game.
    pub fn new(control: Control) -> Clocks {
        Clocks { control, players: [control.start(); 2] }
    }

    /// Puts the clocks back to the start, keeping the settings.
    pub fn restart(&mut self) {
        *self = Clocks::new(self.control);
    }

    /// The client reports what a player has left; `moves` is 0 in main time.
    pub fn set(&mut self, color: Color, remaining: Duration, moves: u32) {
        // the full time at the start of the game or of a period is exact, everything later is rounded
        let fresh = match self.control {
            Control::Unlimited => false,
            Control::Game { main, .. } => remaining == main,
            Control::Overtime { main, period, moves: all } => {
                (moves == 0 && remaining == main) || (moves == all && remaining == period)
            }
        };
        let rounded = !fresh && remaining.subsec_nanos() == 0;
        self.players[color.index()] = Some(PlayerClock { remaining, moves, rounded });
    }

    /// The limit for a player's next move.
    pub fn limit(&self, color: Color) -> Time {
        let Some(player) = self.players[color.index()] else { return Time::Unlimited };
        let mut remaining = player.remaining;
        if player.rounded {
            remaining -= ROUNDING.min(remaining / 2);
        }
        let (increment, moves) = match (self.control, player.moves) {
            (Control::Game { increment, .. }, 0) => (increment.saturating_sub(MOVE_OVERHEAD), None),
            // main time with overtime to come: what a period gives a move is there even when main time is gone
            (Control::Overtime { period, moves, .. }, 0) => {
                ((period / moves.max(1)).saturating_sub(MOVE_OVERHEAD), None)
            }
            (_, 0) => (Duration::ZERO, None),
            (_, moves) => (Duration::ZERO, Some(moves)),
        };
        let overhead = MOVE_OVERHEAD.saturating_mul(moves.unwrap_or(1)).min(remaining / 2);
        remaining -= overhead;
        if remaining + increment < EXPIRED {
            return Time::PerMove(EXPIRED);
        }
        match moves {
            Some(1) => Time::PerMove(remaining),
            _ => Time::Clock(Clock { remaining, increment, moves }),
        }
    }

    /// Charges a player for a move that took this long.
    pub fn charge(&mut self, color: Color, elapsed: Duration) {
        let Some(player) = &mut self.players[color.index()] else { return };
        let over = elapsed.saturating_sub(player.remaining);
        player.remaining = player.remaining.saturating_sub(elapsed);
        match self.control {
            Control::Unlimited => player.moves = player.moves.saturating_sub(1),
            Control::Game { increment, .. } => player.remaining = player.remaining.saturating_add(increment),
            Control::Overtime { period, moves, .. } => {
                if player.moves == 0 && player.remaining.is_zero() {
                    // the move that used up the main time is the first of the first period
                    *player = PlayerClock { remaining: period.saturating_sub(over), moves, rounded: player.rounded };
                }
                if player.moves > 0 {
                    player.moves -= 1;
                    if player.moves == 0 {
                        *player = PlayerClock { remaining: period, moves, rounded: false };
                    }
                }
            }
        }
    }
}

/// Reads seconds, decimals allowed; negative times are none. `None` when the text is no number.
pub(super) fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds = text.parse::<f64>().ok().filter(|seconds| !seconds.is_nan())?;
    Some(Duration::from_secs_f64(seconds.clamp(0.0, MAX_SECONDS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: f64) -> Duration {
        Duration::from_secs_f64(n)
    }

    fn clocks(main: f64, period: f64, moves: u32) -> Clocks {
        Clocks::new(Control::from_gtp(seconds(main), seconds(period), moves))
    }

    #[test]
    fn the_dialects_of_time_settings() {
        let control = |main, period, moves| Control::from_gtp(seconds(main), seconds(period), moves);
        let zero = Duration::ZERO;
        assert_eq!(control(600.0, 0.0, 0), Control::Game { main: seconds(600.0), increment: zero });
        assert_eq!(control(300.0, 0.0, 25), Control::Game { main: seconds(300.0), increment: zero });
        assert_eq!(control(60.0, 2.0, 0), Control::Game { main: seconds(60.0), increment: seconds(2.0) });
        assert_eq!(control(0.0, 15.0, 1), Control::Overtime { main: zero, period: seconds(15.0), moves: 1 });
        assert_eq!(control(0.0, 5.0, 0), Control::Overtime { main: zero, period: seconds(5.0), moves: 1 });
        assert_eq!(control(0.0, 300.0, 10), Control::Overtime { main: zero, period: seconds(300.0), moves: 10 });
        assert_eq!(control(0.0, 0.0, 0), Control::Unlimited);
    }

    #[test]
    fn seconds_are_never_refused_for_their_size() {
        assert_eq!(parse_seconds("0.5"), Some(seconds(0.5)));
        assert_eq!(parse_seconds("-3"), Some(Duration::ZERO));
        assert_eq!(parse_seconds("inf"), parse_seconds("1e300"));
        assert!(parse_seconds("x").is_none() && parse_seconds("NaN").is_none() && parse_seconds("").is_none());
    }

    #[test]
    fn sudden_death_runs_down() {
        let mut clocks = clocks(10.0, 0.0, 0);
        clocks.charge(Color::Black, seconds(4.0));
        match (clocks.limit(Color::Black), clocks.limit(Color::White)) {
            (Time::Clock(black), Time::Clock(white)) => {
                assert_eq!(black.remaining, seconds(6.0) - MOVE_OVERHEAD);
                assert_eq!(white.remaining, seconds(10.0) - MOVE_OVERHEAD);
                assert_eq!((black.increment, black.moves), (Duration::ZERO, None));
            }
            other => panic!("{other:?}"),
        }
        clocks.charge(Color::Black, seconds(7.0));
        assert_eq!(clocks.limit(Color::Black), Time::PerMove(EXPIRED));
        clocks.restart();
        assert!(matches!(clocks.limit(Color::Black), Time::Clock(clock) if clock.remaining > seconds(9.0)));
    }

    #[test]
    fn an_increment_is_added_after_each_move() {
        let mut clocks = clocks(10.0, 2.0, 0);
        clocks.charge(Color::White, seconds(1.0));
        let Time::Clock(clock) = clocks.limit(Color::White) else { panic!() };
        assert_eq!(clock.remaining, seconds(11.0) - MOVE_OVERHEAD);
        assert_eq!(clock.increment, seconds(2.0) - MOVE_OVERHEAD);
    }

    #[test]
    fn time_per_move_stays_the_same() {
        let mut clocks = clocks(0.0, 15.0, 1);
        for _ in 0..3 {
            assert_eq!(clocks.limit(Color::Black), Time::PerMove(seconds(15.0) - MOVE_OVERHEAD));
            clocks.set(Color::Black, seconds(15.0), 1);
            assert_eq!(clocks.limit(Color::Black), Time::PerMove(seconds(15.0) - MOVE_OVERHEAD));
            clocks.charge(Color::Black, seconds(14.0));
        }
    }

    #[test]
    fn canadian_periods_count_down_and_renew() {
        let mut clocks = clocks(0.0, 30.0, 3);
        let limits: Vec<(Option<u32>, bool)> = (0..4)
            .map(|_| {
                let limit = clocks.limit(Color::Black);
                clocks.charge(Color::Black, seconds(5.0));
                match limit {
                    Time::Clock(clock) => (clock.moves, clock.remaining > seconds(29.0)),
                    Time::PerMove(time) => (Some(1), time > seconds(29.0)),
                    Time::Unlimited => panic!(),
                }
            })
            .collect();
        assert_eq!(limits, [(Some(3), true), (Some(2), false), (Some(1), false), (Some(3), true)]);
    }

    #[test]
    fn main_time_runs_into_overtime() {
        let mut clocks = clocks(10.0, 30.0, 2);
        clocks.charge(Color::Black, seconds(12.0));
        // two seconds of the first period and one of its two moves are used
        let Time::PerMove(time) = clocks.limit(Color::Black) else { panic!() };
        assert_eq!(time, seconds(28.0) - MOVE_OVERHEAD);
    }

    #[test]
    fn a_clients_report_replaces_our_own_count() {
        let mut clocks = Clocks::default();
        assert_eq!(clocks.limit(Color::Black), Time::Unlimited);
        clocks.set(Color::Black, Duration::ZERO, 0);
        assert_eq!(clocks.limit(Color::Black), Time::PerMove(EXPIRED));
        clocks.set(Color::Black, seconds(20.0), 0);
        let Time::Clock(clock) = clocks.limit(Color::Black) else { panic!() };
        assert_eq!(clock.remaining, seconds(20.0) - ROUNDING - MOVE_OVERHEAD);
        clocks.set(Color::Black, seconds(1.0), 0);
        let Time::Clock(clock) = clocks.limit(Color::Black) else { panic!() };
        assert!(clock.remaining > seconds(0.3) && clock.remaining < seconds(0.5));
    }
}
