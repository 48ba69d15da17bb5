//! Plain solvers to compare with, and short ways to ask the engine.
#![allow(dead_code, reason = "not every file of tests uses all of them")]

use outflank::board::{Board, Squares};
use outflank::engine::{Engine, Options};
use outflank::rules::{Color, Position};
use outflank::search::{Goal, Limits, Report, StopToken};

/// Negamax by definition: no pruning, no tables.
pub fn minimax(board: Board) -> i32 {
    let moves = board.legal_moves();
    if moves == 0 {
        let passed = board.pass();
        return if passed.legal_moves() == 0 { board.final_score() } else { -minimax(passed) };
    }
    Squares(moves).map(|square| -minimax(board.play(square).unwrap())).max().unwrap()
}

/// Plain alpha-beta, moves that leave few replies first: no table, no stability, no parity, no hand-written ends.
pub fn alpha_beta(board: Board, mut alpha: i32, beta: i32) -> i32 {
    let moves = board.legal_moves();
    if moves == 0 {
        let passed = board.pass();
        return if passed.legal_moves() == 0 { board.final_score() } else { -alpha_beta(passed, -beta, -alpha) };
    }
    let mut children: Vec<Board> = Squares(moves).map(|square| board.play(square).unwrap()).collect();
    children.sort_by_key(|child| child.legal_moves().count_ones());
    let mut best = -64;
    for child in children {
        best = best.max(-alpha_beta(child, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// An engine with a small table.
pub fn engine(threads: usize) -> Engine {
    Engine::new(Options { hash_mib: 8, threads })
}

/// Searches without a stop.
pub fn solve_with(engine: &mut Engine, board: Board, limits: &Limits) -> Report {
    let position = Position::from_board(board, Color::Black);
    let report = engine.search(&position, limits, &StopToken::new(), &mut |_| {}).unwrap();
    assert!(!report.stopped);
    report
}

/// The exact score.
pub fn solve(engine: &mut Engine, board: Board) -> i32 {
    let report = solve_with(engine, board, &Limits::new(Goal::Exact));
    assert!(report.is_exact());
    report.score
}
