//! Games and points of one side.

use std::cmp::Ordering;

use crate::formats::record::GameRecord;
use crate::rules::Color;

/// How a game went for a side, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SideResult {
    /// It has won (`Greater`) or lost.
    pub(super) won: Option<Ordering>,
    /// Its score in discs.
    pub(super) score: Option<i32>,
}

impl SideResult {
    /// How a game went for black.
    pub(super) fn of(record: &GameRecord) -> SideResult {
        SideResult {
            won: record.result.map(|result| match result.winner {
                Some(Color::Black) => Ordering::Greater,
                Some(Color::White) => Ordering::Less,
                None => Ordering::Equal,
            }),
            score: record.result.and_then(|result| result.score).map(|score| score.round() as i32),
        }
    }

    /// What went so for black, for this side.
    pub(super) fn seen_by(self, side: Color) -> SideResult {
        match side {
            Color::Black => self,
            Color::White => SideResult { won: self.won.map(Ordering::reverse), score: self.score.map(|score| -score) },
        }
    }
}

/// The text is a player's name, and not what stands where it is not known.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text != "???"
}

/// Games and points of one side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) games: u64,
    pub(super) wins: u64,
    pub(super) draws: u64,
    /// Games of which it is known who won.
    decided: u64,
    /// Games whose score is known: not those that were given up.
    scored: u64,
    /// Discs of all games with a score.
    discs: i64,
}

impl Tally {
    /// Counts a game, as this side sees it.
    pub(super) fn add(&mut self, outcome: SideResult) {
        self.games += 1;
        if let Some(won) = outcome.won {
            self.decided += 1;
            self.wins += u64::from(won.is_gt());
            self.draws += u64::from(won.is_eq());
        }
        if let Some(score) = outcome.score {
            self.scored += 1;
            self.discs += i64::from(score);
        }
    }

    /// Games that this side has lost.
    pub(super) fn losses(&self) -> u64 {
        self.decided - self.wins - self.draws
    }

    /// A win is a point, a draw half a point.
    pub(super) fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Points in percent of the games with a result.
    pub(super) fn percent(&self) -> Option<f64> {
        (self.decided > 0).then(|| 100.0 * self.points() / self.decided as f64)
    }

    /// Mean score in discs of the games with one.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.scored > 0).then(|| self.discs as f64 / self.scored as f64)
    }
}
