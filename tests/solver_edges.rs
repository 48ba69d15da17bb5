//! Where exact scores went wrong before tests looked: wipe-outs, squares nobody can take, stops, changes of rules.

mod positions;
mod reference;

use outflank::board::{Board, Squares};
use outflank::engine::Engine;
use outflank::kernel::Tier;
use outflank::rules::{Bits, Color, Objective, Position, RuleSet};
use outflank::search::{Goal, Limits, StopToken};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

use positions::{nearly_wiped_out, random_position, with_a_dead_square};
use reference::{alpha_beta, engine, solve, solve_with};

#[test]
fn wipe_outs_have_their_score_and_their_line() {
    let mut rng = StdRng::seed_from_u64(12);
    let mut wiped_out = [0; 2];
    for tier in Tier::ALL {
        let mut engine = engine(1);
        if !engine.set_tier(tier) {
            eprintln!("skipped: this machine has no {tier}");
            continue;
        }
        for i in 0..600 {
            let board = nearly_wiped_out(&mut rng, 4 + i % 14);
            let report = solve_with(&mut engine, board, &Limits::new(Goal::Exact));
            if board.empty_count() <= 9 {
                assert_eq!(report.score, alpha_beta(board, -64, 64), "{board:x?}");
            }
            let mut position = Position::from_board(board, Color::Black);
            for &mv in &report.best().unwrap().pv {
                position = position.play(mv).unwrap_or_else(|error| panic!("{error} in the line of {board:x?}"));
            }
            assert!(position.is_game_over(), "the line of {board:x?} stops early");
            assert_eq!(position.final_score(false), report.score, "{board:x?}");
            if position.empty_count() > 0 && report.score.abs() == 64 {
                wiped_out[usize::from(report.score > 0)] += 1;
            }
        }
    }
    assert!(wiped_out.iter().all(|&count| count > 10), "{wiped_out:?}");
}

/// Minimax where winning by one disc with one empty square is worth `close`: 2, because the square goes to the winner.
fn minimax_with(board: Board, close: i32) -> i32 {
    let moves = board.legal_moves();
    if moves == 0 {
        let passed = board.pass();
        if passed.legal_moves() != 0 {
            return -minimax_with(passed, close);
        }
        let difference = board.player.count_ones() as i32 - board.opponent.count_ones() as i32;
        return if board.empty_count() == 1 && difference.abs() == 1 {
            difference * close
        } else {
            board.final_score()
        };
    }
    Squares(moves).map(|square| -minimax_with(board.play(square).unwrap(), close)).max().unwrap()
}

#[test]
fn a_last_square_that_nobody_can_take_goes_to_the_winner() {
    let mut rng = StdRng::seed_from_u64(13);
    // boards on which it matters, won and lost
    let mut boards = [Vec::new(), Vec::new()];
    while boards.iter().any(|boards| boards.len() < 60) {
        let board = with_a_dead_square(&mut rng, 2 + (boards[0].len() % 4) as u32);
        let score = minimax_with(board, 2);
        if score != minimax_with(board, 0) {
            boards[usize::from(score > 0)].push((board, score));
        }
    }
    for tier in Tier::ALL {
        let mut engine = engine(1);
        if !engine.set_tier(tier) {
            eprintln!("skipped: this machine has no {tier}");
            continue;
        }
        for &(board, score) in boards.iter().flatten() {
            assert_eq!(solve(&mut engine, board), score, "{tier} {board:x?}");
        }
    }
}

#[test]
fn what_a_stopped_search_leaves_is_true() {
    let mut rng = StdRng::seed_from_u64(14);
    let mut stops = 0;
    for i in 0..30 {
        let board = random_position(&mut rng, 13 + i % 6);
        let whole = solve_with(&mut engine(1), board, &Limits::new(Goal::Exact));
        let mut stopped = engine(1 + i as usize % 3);
        for _ in 0..5 {
            stopped.clear();
            for _ in 0..3 {
                let nodes = Some(rng.random_range(1..whole.nodes.max(2)));
                let limits = Limits { nodes, ..Limits::new(Goal::Exact) };
                let position = Position::from_board(board, Color::Black);
                let report = stopped.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
                stops += usize::from(report.stopped);
                assert!(!report.is_exact() || report.score == whole.score, "{board:x?}");
            }
            assert_eq!(solve(&mut stopped, board), whole.score, "{board:x?}");
        }
    }
    assert!(stops > 200, "{stops}");
}

#[test]
fn nothing_is_remembered_across_a_change_of_rules() {
    let mut rng = StdRng::seed_from_u64(15);
    let mut warm = engine(1);
    let mut sharing = warm.sharing();
    let mut differ = [0; 2];
    for i in 0..40 {
        let board =
            if i % 2 == 0 { random_position(&mut rng, 9 + i % 7) } else { nearly_wiped_out(&mut rng, 9 + i % 7) };
        let bits = [Bits::from_u64(board.player), Bits::from_u64(board.opponent)];
        let mut scores = Vec::new();
        for (objective, discs_only) in [
            (Objective::Most, false),
            (Objective::Most, true),
            (Objective::Fewest, false),
            (Objective::Fewest, true),
            (Objective::Most, false),
        ] {
            let rules = Arc::new(RuleSet::othello().to_builder().objective(objective).build().unwrap());
            let position = Position::from_discs(rules, bits[0], bits[1], Color::Black).unwrap();
            let limits = Limits { discs_only, ..Limits::new(Goal::Exact) };
            let score =
                |engine: &mut Engine| engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap().score;
            let expected = score(&mut engine(1));
            assert_eq!(score(&mut warm), expected, "{objective:?} {discs_only} {board:x?}");
            assert_eq!(score(&mut sharing), expected, "sharing: {objective:?} {discs_only} {board:x?}");
            scores.push(expected);
        }
        differ[0] += usize::from(scores[0] != scores[1]);
        differ[1] += usize::from(scores[0] != scores[2]);
    }
    assert!(differ[0] > 2 && differ[1] > 20, "{differ:?}");
}
