//! What a search found.

use std::fmt;
use std::time::Duration;

use super::{Goal, Limits};
use crate::rules::{Move, Position};

/// Confidence of selective search: how sure each ProbCut cut-off is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Selectivity(u8);

impl Selectivity {
    /// 73 %.
    pub const MOST: Selectivity = Selectivity(0);
    /// No selective cut-offs: 100 %.
    pub const NONE: Selectivity = Selectivity(5);
    /// All levels, from 73 % to 100 %.
    pub const ALL: [Selectivity; 6] =
        [Selectivity(0), Selectivity(1), Selectivity(2), Selectivity(3), Selectivity(4), Selectivity(5)];

    /// The level with this index: 0..=5 are 73, 87, 95, 98, 99 and 100 %.
    pub const fn new(index: u8) -> Option<Selectivity> {
        if index <= 5 { Some(Selectivity(index)) } else { None }
    }

    /// Index 0..=5.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 73, 87, 95, 98, 99 or 100.
    pub const fn percent(self) -> u32 {
        [73, 87, 95, 98, 99, 100][self.0 as usize]
    }

    /// The lowest level with at least this confidence in percent.
    pub fn at_least(percent: u32) -> Selectivity {
        Selectivity::ALL.into_iter().find(|s| s.percent() >= percent).unwrap_or(Selectivity::NONE)
    }
}

/// `73%` ... `100%`.
impl fmt::Display for Selectivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.percent())
    }
}

/// What a score says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The value.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// One move, its score and the continuation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The move; [`Move::Pass`] when the side to move is stuck.
    pub mv: Move,
    /// Score in discs, for the side to move.
    pub score: i32,
    /// What the score says.
    pub bound: Bound,
    /// Best play, starting with `mv`; passes included.
    pub pv: Vec<Move>,
}

/// Where a move comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A search.
    Search,
    /// The opening book.
    Book,
    /// The rules: the side to move must pass.
    Forced,
    /// The rules: there is one move. What is known about it still comes from a search.
    OnlyMove,
}

impl Source {
    /// `search`, `book`, `forced`, `only move`.
    pub const fn name(self) -> &'static str {
        match self {
            Source::Search => "search",
            Source::Book => "book",
            Source::Forced => "forced",
            Source::OnlyMove => "only move",
        }
    }
}

/// The state of a search after an iteration, or at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Depth in plies; at least `empties` when the game was searched to its end.
    pub depth: u8,
    /// Confidence of this iteration.
    pub selectivity: Selectivity,
    /// Empty squares of the position searched.
    pub empties: u8,
    /// The best lines found, best first; as many as multi-PV asked for. Empty only when the game is over.
    pub lines: Vec<Line>,
    /// Score of the position for the side to move, in discs: that of the best line, or the final score.
    pub score: i32,
    /// Nodes so far in the whole search.
    pub nodes: u64,
    /// Time so far.
    pub elapsed: Duration,
    /// The search was cut short by a limit or a stop; the lines are those of the last complete iteration, or the line of a move that
    /// has beaten the best one of it since then (one line asked for): its score is then a [`Bound::Lower`].
    pub stopped: bool,
    /// The goal was win, draw or loss only.
    pub win_draw_loss: bool,
    /// Where the move comes from.
    pub source: Source,
}

impl Report {
    /// What is to be said of a game that is over.
    pub(crate) fn of_finished_game(position: &Position, limits: &Limits, elapsed: Duration) -> Report {
        let score = position.own_final_score(limits.discs_only);
        let win_draw_loss = limits.goal == Goal::WinDrawLoss;
        // the empty 16x16 board has one more than fits
        let empties = position.empty_count().min(255) as u8;
        Report {
            depth: empties,
            selectivity: Selectivity::NONE,
            empties,
            lines: Vec::new(),
            score: if win_draw_loss { position.outcome_of(score) } else { score },
            nodes: 0,
            elapsed,
            stopped: false,
            win_draw_loss,
            source: Source::Search,
        }
    }

    /// What a book says about a position with this many empty squares.
    pub fn of_book(line: Line, empties: u32) -> Report {
        Report {
            depth: 0,
            selectivity: Selectivity::NONE,
            empties: empties as u8,
            score: line.score,
            lines: vec![line],
            nodes: 0,
            elapsed: Duration::ZERO,
            stopped: false,
            win_draw_loss: false,
            source: Source::Book,
        }
    }

    /// The best line, `None` only when the game is over.
    pub fn best(&self) -> Option<&Line> {
        self.lines.first()
    }

    /// The game was searched to its end.
    pub fn is_endgame(&self) -> bool {
        self.depth >= self.empties
    }

    /// The score is proved, or the outcome in a win/draw/loss search: the game was searched to its end at full confidence, and the
    /// score is no mere bound.
    pub fn is_exact(&self) -> bool {
        self.is_solved() && self.best().is_none_or(|best| self.is_value(best))
    }

    /// The game was searched to its end at full confidence: what the lines say, values or bounds, is proved.
    pub(crate) fn is_solved(&self) -> bool {
        self.is_endgame() && self.selectivity == Selectivity::NONE
    }

    /// The score of a line is the value that the search found, and no mere bound.
    pub(crate) fn is_value(&self, line: &Line) -> bool {
        match line.bound {
            Bound::Exact => true,
            // at least a win is a win, at most a loss is a loss
            Bound::Lower => self.win_draw_loss && line.score > 0,
            Bound::Upper => self.win_draw_loss && line.score < 0,
        }
    }

    /// Nodes per second, `None` when too little time passed to tell.
    pub fn nodes_per_second(&self) -> Option<f64> {
        let seconds = self.elapsed.as_secs_f64();
        (seconds > 1e-6).then(|| self.nodes as f64 / seconds)
    }

    /// The depth with its confidence (`12@73%`) of scores that are not exact, as problem files have it.
    pub fn searched(&self) -> Option<String> {
        (!self.is_exact()).then(|| format!("{}@{}", self.depth, self.selectivity))
    }

    /// Depth as players write it: `12` for a full-width search, `12@73%` for a selective one.
    pub fn depth_text(&self) -> String {
        if self.selectivity == Selectivity::NONE {
            self.depth.to_string()
        } else {
            format!("{}@{}", self.depth, self.selectivity)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_want_a_time() {
        let line = Line { mv: Move::Pass, score: 2, bound: Bound::Exact, pv: Vec::new() };
        let report = Report { nodes: 3000, ..Report::of_book(line, 20) };
        let speed = |elapsed| Report { elapsed, ..report.clone() }.nodes_per_second();
        assert_eq!(speed(Duration::from_secs(2)), Some(1500.0));
        assert_eq!((speed(Duration::ZERO), speed(Duration::from_micros(1))), (None, None));
        assert_eq!((report.score, report.empties, report.is_endgame()), (2, 20, false));
    }

    #[test]
    fn a_bound_is_not_exact() {
        let is_exact = |bound, score, win_draw_loss, depth| {
            let line = Line { mv: Move::Pass, score, bound, pv: Vec::new() };
            Report { depth, win_draw_loss, ..Report::of_book(line, 20) }.is_exact()
        };
        assert!(is_exact(Bound::Exact, 2, false, 20) && !is_exact(Bound::Exact, 2, false, 19));
        for bound in [Bound::Lower, Bound::Upper] {
            assert!(!is_exact(bound, 0, false, 20) && !is_exact(bound, 1, false, 20));
        }
        // the outcome is proved
        assert!(is_exact(Bound::Lower, 1, true, 20) && is_exact(Bound::Upper, -1, true, 20));
        assert!(!is_exact(Bound::Lower, 0, true, 20) && !is_exact(Bound::Upper, 0, true, 20));
    }
}
