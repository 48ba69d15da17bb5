//! The engine as an object: owns the transposition table, the weights and the options.

use std::time::Instant;

use crate::rules::{Color, Move, Position};
use crate::search::{Bound, Goal, Limits, Line, Report, Selectivity, StopToken};

/// What an engine is made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// Threads that search one position.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options { hash_mib: 64, threads: 1 }
    }
}

/// An engine: searches positions, remembering what it learned in its table.
///
/// Making one costs microseconds; the table, the weights and the threads come with the first search.
#[derive(Debug)]
pub struct Engine {
    options: Options,
}

impl Engine {
    /// An engine with these options.
    pub fn new(options: Options) -> Engine {
        Engine { options }
    }

    /// The options in force.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Changes the options; the table is made anew, empty, when its size changes.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// Forgets everything learned.
    pub fn clear(&mut self) {}

    /// Searches a position and calls `on_report` after each complete iteration; returns the final report.
    pub fn search(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &StopToken,
        on_report: &mut dyn FnMut(&Report),
    ) -> Report {
        let _ = stop;
        // Placeholder until the real search: negamax of two plies on disc difference.
        let start = Instant::now();
        let mut nodes = 0;
        let mut lines: Vec<Line> = position
            .legal_moves()
            .into_iter()
            .map(|mv| {
                let score = -shallow(&position.play(mv).expect("legal"), 1, &mut nodes);
                Line { mv, score, bound: Bound::Exact, pv: vec![mv] }
            })
            .collect();
        lines.sort_by_key(|line| -line.score);
        lines.truncate(limits.multi_pv);
        let score = lines.first().map_or_else(|| own_score(position), |line| line.score);
        let report = Report {
            depth: 2,
            selectivity: Selectivity::NONE,
            empties: position.empty_count() as u8,
            lines,
            score,
            nodes,
            elapsed: start.elapsed(),
            stopped: false,
            win_draw_loss: limits.goal == Goal::WinDrawLoss,
        };
        on_report(&report);
        report
    }
}

fn own_score(position: &Position) -> i32 {
    let score = position.final_score(false);
    if position.side_to_move() == Color::Black { score } else { -score }
}

fn shallow(position: &Position, depth: u8, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let moves: Vec<Move> = position.legal_moves();
    if moves.is_empty() || depth == 0 {
        return own_score(position);
    }
    moves.into_iter().map(|mv| -shallow(&position.play(mv).expect("legal"), depth - 1, nodes)).max().expect("moves")
}
