//! How hard a player thinks.

use std::str::FromStr;
use std::time::Duration;

use super::grade::{Grade, ParseGradeError};
use crate::search::{Clock, Goal, Level, Limits, Overtime, ParseLevelError, Time};

/// How hard a player thinks about a move; what is not said follows from the clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strength {
    /// How deep to look. `None`: as deep as time or nodes allow, and [`Level::DEFAULT`] without either.
    pub goal: Option<Goal>,
    /// Nodes a move.
    pub nodes: Option<u64>,
    /// Time a move, whatever the clock says.
    pub time: Option<Duration>,
    /// Plays as well as people of this grade, whatever the others say but the time. Analyses are as strong as ever.
    pub grade: Option<Grade>,
}

impl Strength {
    /// A playing level.
    pub fn level(level: Level) -> Strength {
        Strength { goal: Some(Goal::Level(level)), ..Strength::default() }
    }

    /// A person's.
    pub fn grade(grade: Grade) -> Strength {
        Strength { grade: Some(grade), ..Strength::default() }
    }

    /// This strength with what limits each move of another one: who asks for another level still has no more time.
    pub(crate) fn within(self, limits: &Strength) -> Strength {
        Strength { time: limits.time, nodes: limits.nodes, ..self }
    }

    /// The level asked for, or that of searches without any limit.
    pub(crate) fn named_level(&self) -> Level {
        match self.goal {
            Some(Goal::Level(level)) => level,
            _ => Level::DEFAULT,
        }
    }

    /// The goal of a search; `timed` when a clock limits it.
    pub fn goal(&self, timed: bool) -> Goal {
        let limited = timed || self.time.is_some() || self.nodes.is_some();
        Goal::asked_or(self.goal, Goal::Level(Level::DEFAULT), limited)
    }

    /// The limits of a search for one move with this much time on the clock.
    pub fn limits(&self, clock: Time) -> Limits {
        // the move that uses main time up goes on into the period behind it
        let most = |clock: Clock| clock.remaining.saturating_add(clock.overtime.map_or(Duration::ZERO, Overtime::part));
        let time = match (self.time, clock) {
            (None, clock) => clock,
            (Some(own), Time::PerMove(limit)) => Time::PerMove(own.min(limit)),
            (Some(own), Time::Clock(clock)) if most(clock) < own => Time::Clock(clock),
            (Some(own), _) => Time::PerMove(own),
        };
        Limits { nodes: self.nodes, time, ..Limits::new(self.goal(clock != Time::Unlimited)) }
    }
}

/// The text names neither a level nor a grade.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseStrengthError {
    /// A number that is no level.
    #[error(transparent)]
    Level(#[from] ParseLevelError),
    /// A word that is no grade.
    #[error("{}, or a grade: {}", ParseLevelError, .0)]
    Grade(#[from] ParseGradeError),
}

/// A level (`6`) or a grade (`beginner`).
impl FromStr for Strength {
    type Err = ParseStrengthError;

    fn from_str(text: &str) -> Result<Strength, ParseStrengthError> {
        let text = text.trim();
        if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Ok(Strength::level(text.parse()?));
        }
        Ok(Strength::grade(text.parse()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::budget;

    #[test]
    fn a_clock_without_a_level_is_used_up() {
        let clock = Time::Clock(Clock::new(Duration::from_secs(600)));
        assert_eq!(Strength::default().limits(clock).goal, Goal::Unlimited);
        assert_eq!(Strength::default().limits(Time::Unlimited).goal, Goal::Level(Level::DEFAULT));
        let level = Level::new(6).unwrap();
        assert_eq!(Strength::level(level).limits(clock).goal, Goal::Level(level));
        assert_eq!(Strength { nodes: Some(9), ..Strength::default() }.limits(Time::Unlimited).goal, Goal::Unlimited);
    }

    #[test]
    fn levels_and_grades_are_read() {
        assert_eq!("6".parse(), Ok(Strength::level(Level::new(6).unwrap())));
        assert_eq!("Master".parse(), Ok(Strength::grade(Grade::ALL[9])));
        for bad in ["61", "-1", "", "6x"] {
            assert_eq!(bad.parse::<Strength>(), Err(ParseStrengthError::Level(ParseLevelError)), "{bad}");
        }
        assert!("x".parse::<Strength>().unwrap_err().to_string().contains("'x' is not a grade (beginner, "));
    }

    #[test]
    fn own_time_never_exceeds_the_clock() {
        let own = |seconds| Strength { time: Some(Duration::from_secs(seconds)), ..Strength::default() };
        let per_move = |seconds| Time::PerMove(Duration::from_secs(seconds));
        let clock = |seconds| Time::Clock(Clock::new(Duration::from_secs(seconds)));
        assert_eq!(own(5).limits(Time::Unlimited).time, per_move(5));
        assert_eq!(own(5).limits(per_move(2)).time, per_move(2));
        assert_eq!(own(5).limits(clock(60)).time, per_move(5));
        assert_eq!(own(5).limits(clock(3)).time, clock(3));
    }

    /// Main time that is nearly used up is no reason to go on for as long as the period behind it allows.
    #[test]
    fn own_time_is_not_exceeded_where_overtime_begins() {
        let own = Duration::from_secs(5);
        let strength = Strength { time: Some(own), ..Strength::default() };
        for (main, period, moves) in [(3, 60, 2), (0, 60, 1), (4, 2, 10), (3, 1, 1), (4, 900, 1000)] {
            let overtime = Overtime { period: Duration::from_secs(period), moves };
            let clock = Clock { overtime: Some(overtime), ..Clock::new(Duration::from_secs(main)) };
            for empties in 1..=60 {
                let hard = budget(strength.limits(Time::Clock(clock)).time, empties).unwrap().hard;
                let most = own.min(clock.remaining + overtime.part());
                assert!(hard <= most, "{main}+{period}/{moves}, {empties}: {hard:?}");
            }
        }
    }
}
