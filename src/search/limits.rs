//! What a search is asked for.

use std::time::Duration;

use super::{Level, Selectivity};
use crate::rules::Move;

/// How deep to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// As deep as this level says (the usual way to set strength).
    Level(Level),
    /// Fixed depth in plies and selectivity; a depth of at least the number of empties solves to the end. Depth 0 values
    /// the moves by the evaluation of the positions after them.
    Depth(u8, Selectivity),
    /// Exact score.
    Exact,
    /// Win, draw or loss only: the score reported is +1, 0 or -1 (for the side to move). Much faster than exact.
    WinDrawLoss,
    /// Deeper and deeper until a limit of time or nodes, or the exact score, is reached.
    Unlimited,
}

impl Goal {
    /// The goal that was asked for, or else this one; but where only time or nodes are limited, a search goes as deep as they allow
    /// instead of as deep as a level says.
    pub fn asked_or(asked: Option<Goal>, otherwise: Goal, is_limited: bool) -> Goal {
        match (asked, otherwise) {
            (Some(goal), _) => goal,
            (None, Goal::Level(_)) if is_limited => Goal::Unlimited,
            _ => otherwise,
        }
    }
}

/// A game clock, as the side to move sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left on the clock.
    pub remaining: Duration,
    /// Time added after each move.
    pub increment: Duration,
    /// `remaining` is for this many moves and is then renewed (Canadian overtime); `None`: for the rest of the game.
    pub moves: Option<u32>,
    /// What comes when `remaining` is used up: periods, each for a number of moves; `None`: the game is lost.
    pub overtime: Option<Overtime>,
}

/// Periods of overtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overtime {
    /// Length of a period.
    pub period: Duration,
    /// Moves to be made in a period, at least one.
    pub moves: u32,
}

impl Overtime {
    /// What of a period a move has, if all of them take the same.
    pub(crate) fn part(self) -> Duration {
        self.period / self.moves.max(1)
    }
}

impl Clock {
    /// A clock with this much time for the rest of the game.
    pub fn new(remaining: Duration) -> Clock {
        Clock { remaining, increment: Duration::ZERO, moves: None, overtime: None }
    }
}

/// Time limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Time {
    /// None.
    #[default]
    Unlimited,
    /// At most this long for this move (never less than two milliseconds).
    PerMove(Duration),
    /// Out of a game clock: the engine decides how much to spend.
    Clock(Clock),
}

/// What to search for and when to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How deep to look.
    pub goal: Goal,
    /// Time limit; searches also stop at the goal.
    pub time: Time,
    /// Stop after this many nodes of all threads, within 1 % and 500 nodes a thread, for the last empty squares are solved in one go
    /// (exactly reproducible with one thread); at 0 the moves are valued statically.
    pub nodes: Option<u64>,
    /// How many moves to give exact values for (multi-PV): 1 for the best move only, [`usize::MAX`] for all; not 0.
    pub multi_pv: usize,
    /// Consider only these moves, all legal; `None` for all legal ones.
    pub moves: Option<Vec<Move>>,
    /// Values of these moves too, beside the best `multi_pv` ones and from the same iterations: their lines come in addition.
    /// All are legal; those that are not among `moves` are left out.
    pub include: Vec<Move>,
    /// Score window (alpha, beta) in discs, alpha below beta; results outside are bounds. Bounds beyond -64 and 64 mean no
    /// bound on any board, as those beyond the scores of a small one; a window that contains no score of the board is an error.
    /// Of win, draw or loss the scores are +1, 0 and -1.
    pub window: (i32, i32),
    /// Where time is limited, a position with one move is searched no deeper than its first iteration: for players, whom thinking
    /// does not help there. Who wants the position's value leaves it `false`.
    pub only_move_at_once: bool,
    /// Final scores count discs only, instead of giving empty squares to the winner.
    pub discs_only: bool,
}

impl Limits {
    /// A search for one best move towards a goal, without other limits.
    pub fn new(goal: Goal) -> Limits {
        Limits {
            goal,
            time: Time::Unlimited,
            nodes: None,
            multi_pv: 1,
            moves: None,
            include: Vec::new(),
            window: (-64, 64),
            only_move_at_once: false,
            discs_only: false,
        }
    }
}

/// The memory for the table is not to be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot allocate a transposition table of {0} MiB")]
pub struct TableSizeError(pub usize);
