//! Python's keyword arguments of a search as the library's limits.

use std::time::Duration;

use outflank::{Goal, Level, Limits, Position, Selectivity, Time};
use pyo3::prelude::*;

use crate::errors;
use crate::numbers::{BITS_64, COUNTS, Whole};
use crate::position::move_of;

/// The arguments that say how deep and how long to search.
#[derive(Default)]
pub struct Wanted {
    /// Playing level.
    pub level: Option<Whole>,
    /// Plies.
    pub depth: Option<Whole>,
    /// Confidence in percent, with a depth.
    pub selectivity: Option<Whole>,
    /// Seconds.
    pub time: Option<f64>,
    /// Nodes.
    pub nodes: Option<Whole>,
}

impl Wanted {
    /// The goal that a level or a depth sets, if there is one.
    pub fn goal(&self) -> PyResult<Option<Goal>> {
        let goal = match (self.level, self.depth) {
            (Some(_), Some(_)) => return Err(errors::search("level and depth exclude each other")),
            (Some(level), None) => Some(Goal::Level(level_of(level)?)),
            (None, Some(depth)) => {
                let depth = depth.within("depth", 1..=u8::MAX.into()).map_err(errors::search)?;
                Some(Goal::Depth(depth, self.selectivity.map_or(Ok(Selectivity::NONE), selectivity_of)?))
            }
            (None, None) => None,
        };
        if self.selectivity.is_some() && self.depth.is_none() {
            return Err(errors::search("selectivity needs a depth"));
        }
        Ok(goal)
    }

    /// The most nodes.
    pub fn nodes(&self) -> PyResult<Option<u64>> {
        self.nodes.map(|nodes| nodes.within("nodes", BITS_64)).transpose().map_err(errors::search)
    }

    /// The limits; `otherwise` is the goal without a level or a depth.
    pub fn limits(&self, otherwise: Goal) -> PyResult<Limits> {
        let goal = Goal::asked_or(self.goal()?, otherwise, self.time.is_some() || self.nodes.is_some());
        let time = self.time.map_or(Ok(Time::Unlimited), |seconds| seconds_of(seconds).map(Time::PerMove))?;
        Ok(Limits { time, nodes: self.nodes()?, ..Limits::new(goal) })
    }
}

/// A level from 0 to 60.
pub fn level_of(level: Whole) -> PyResult<Level> {
    u8::try_from(level.0)
        .ok()
        .and_then(Level::new)
        .ok_or_else(|| errors::search(format!("level {level}: levels are 0 to 60")))
}

/// A confidence in percent.
pub fn selectivity_of(percent: Whole) -> PyResult<Selectivity> {
    let known = Selectivity::ALL.into_iter().find(|selectivity| i128::from(selectivity.percent()) == percent.0);
    known.ok_or_else(|| errors::search(format!("selectivity {percent}: 73, 87, 95, 98, 99 and 100 are possible")))
}

/// How many lines a search is to give.
pub fn lines_of(name: &str, lines: Whole) -> PyResult<usize> {
    lines.within(name, 1..=*COUNTS.end()).map_err(errors::search)
}

/// Seconds as a time.
pub fn seconds_of(seconds: f64) -> PyResult<Duration> {
    if !(0.0..=1e9).contains(&seconds) {
        return Err(errors::search(format!("{seconds} seconds: a time from 0 to 10^9 is possible")));
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Moves to look at.
pub fn moves_of(position: &Position, moves: Option<Vec<Bound<'_, PyAny>>>) -> PyResult<Option<Vec<outflank::Move>>> {
    moves.map(|moves| moves.iter().map(|mv| move_of(position, mv)).collect()).transpose()
}

/// The search may take longer than a person notices: it must be possible to interrupt it.
pub fn is_long(position: &Position, limits: &Limits) -> bool {
    let empties = position.empty_count();
    let is_shallow = match limits.goal {
        Goal::Depth(depth, _) => depth <= 4,
        Goal::Level(level) => level.get() <= 4,
        _ => false,
    };
    let is_small = empties <= 10 || is_shallow || limits.nodes.is_some_and(|nodes| nodes <= 20_000);
    !is_small || position.fast_board().is_none()
}
