//! Searches of full width to a fixed depth find what plain negamax of the static value does: to the disc, at every depth, on
//! every tier, with a table that is new, cleared or shared by two threads, for every move asked for.

mod positions;

use std::sync::Arc;

use outflank::board::{Board, Square, Squares};
use outflank::engine::{Engine, Options};
use outflank::kernel::Tier;
use outflank::rules::{Color, Move, Position};
use outflank::search::{Goal, Limits, Report, Selectivity, StopToken};
use positions::random_position;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Plain negamax of the engine's static value; passes take no depth.
fn negamax(engine: &Engine, board: Board, depth: u8) -> i32 {
    let moves = board.legal_moves();
    if depth == 0 || moves == 0 && board.pass().legal_moves() == 0 {
        return engine.evaluate(&Position::from_board(board, Color::Black));
    }
    if moves == 0 {
        return -negamax(engine, board.pass(), depth);
    }
    let deeper = |square| -negamax(engine, board.play(square).expect("a legal move"), depth - 1);
    Squares(moves).map(deeper).max().expect("a move")
}

/// The same on any board.
fn negamax_anywhere(engine: &Engine, position: &Position, depth: u8) -> i32 {
    if depth == 0 || position.is_game_over() {
        return engine.evaluate(position);
    }
    let depth = if position.must_pass() { depth } else { depth - 1 };
    let deeper = |mv| -negamax_anywhere(engine, &position.play(mv).expect("a legal move"), depth);
    position.legal_moves().into_iter().map(deeper).max().expect("a game that is not over has moves")
}

fn engine(tier: Tier, threads: usize) -> Engine {
    let mut engine = Engine::new(Options { hash_mib: 1, threads });
    assert!(engine.set_tier(tier));
    engine
}

fn tiers() -> impl Iterator<Item = Tier> {
    Tier::ALL.into_iter().filter(|tier| tier.is_supported())
}

fn search(engine: &mut Engine, position: &Position, depth: u8, multi_pv: usize) -> Report {
    engine.clear();
    let limits = Limits { multi_pv, ..Limits::new(Goal::Depth(depth, Selectivity::NONE)) };
    engine.search(position, &limits, &StopToken::new(), &mut |_| {}).expect("limits that make sense")
}

/// The values of all moves by plain negamax, best first.
fn values(engine: &Engine, board: Board, depth: u8) -> Vec<(i32, Square)> {
    let value = |square| (-negamax(engine, board.play(square).expect("a legal move"), depth - 1), square);
    let mut values: Vec<_> = Squares(board.legal_moves()).map(value).collect();
    values.sort();
    values.reverse();
    values
}

/// Searches of all moves and of the best one agree with plain negamax.
fn check(engine: &mut Engine, board: Board, depth: u8, values: &[(i32, Square)], what: &str) {
    let position = Position::from_board(board, Color::Black);
    let place = || format!("{what}, depth {depth}: {board:?}");
    let all = search(engine, &position, depth, usize::MAX);
    let mut found: Vec<(i32, Square)> =
        all.lines.iter().map(|line| (line.score, line.mv.square().expect("no pass"))).collect();
    assert!(found.is_sorted_by(|a, b| a.0 >= b.0), "{}", place());
    found.sort();
    found.reverse();
    assert_eq!(found, values, "{}", place());
    assert_eq!(search(engine, &position, depth, 1).score, values[0].0, "{}", place());
}

/// A random position with at least two moves and more empty squares than the search is deep, and the moves' values; deep searches
/// are of positions in which there are few moves.
fn case(rng: &mut StdRng, reference: &Engine, depth: u8) -> (Board, Vec<(i32, Square)>) {
    loop {
        let empties = rng.random_range(depth as u32 + 1..=52);
        let board = random_position(rng, empties);
        let moves = board.legal_moves().count_ones();
        if moves < 2 || depth > 4 && moves + board.pass().legal_moves().count_ones() > 14 {
            continue;
        }
        return (board, values(reference, board, depth));
    }
}

#[test]
fn searches_are_plain_negamax() {
    let mut rng = StdRng::seed_from_u64(20);
    let reference = engine(Tier::Portable, 1);
    let mut kept: Vec<Engine> = tiers().map(|tier| engine(tier, 1)).collect();
    let mut two = engine(Tier::best(), 2);
    for (depth, count) in [(1, 150), (2, 150), (3, 100), (4, 40), (5, 12), (6, 6)] {
        for _ in 0..count {
            let (board, values) = case(&mut rng, &reference, depth);
            for kept in &mut kept {
                let tier = kept.tier();
                check(kept, board, depth, &values, &format!("{tier}, cleared"));
                check(&mut engine(tier, 1), board, depth, &values, &format!("{tier}, new"));
            }
            if depth > 4 {
                check(&mut two, board, depth, &values, "two threads");
            }
        }
    }
}

/// Positions that are all but decided: what stable discs say of the score at the end must not stand for what leaves are worth.
#[test]
fn lopsided_positions_are_plain_negamax() {
    let mut rng = StdRng::seed_from_u64(21);
    let mut engine = engine(Tier::best(), 1);
    let mut checked = 0;
    while checked < 120 {
        let empties = rng.random_range(13..=22);
        let board = random_position(&mut rng, empties);
        let board = if checked % 2 == 0 { board } else { board.pass() };
        let lead = board.player.count_ones().abs_diff(board.opponent.count_ones());
        let depth = rng.random_range(3..=4);
        if lead < 24 || board.legal_moves().count_ones() < 2 {
            continue;
        }
        let values = values(&engine, board, depth);
        check(&mut engine, board, depth, &values, "lopsided");
        checked += 1;
    }
}

/// A game that ends before the board is full is worth its score at a leaf too.
#[test]
fn finished_games_are_worth_their_score() {
    let engine = engine(Tier::best(), 1);
    let wiped_out = Board { player: 0, opponent: 0xFF };
    assert_eq!(engine.evaluate(&Position::from_board(wiped_out, Color::Black)), -64);
    assert_eq!(engine.evaluate(&Position::from_board(wiped_out, Color::White)), -64);
    let stuck = Board { player: 0x3, opponent: 0xF << 60 };
    assert_eq!(engine.evaluate(&Position::from_board(stuck, Color::Black)), -60);
    let start = Position::from_board(Board::START, Color::Black);
    assert!(engine.evaluate(&start).abs() <= 62);
}

#[test]
fn other_boards_and_goals_are_plain_negamax() {
    let mut rng = StdRng::seed_from_u64(22);
    for rules in ["othello:6x6", "othello:8x6", "othello:fewest", "othello:10x10", "othello:one", "othello:4x4,fewest"]
    {
        let rules = Arc::new(rules.parse().expect("a rule set"));
        for i in 0..20 {
            let mut engine = engine(Tier::best(), 1);
            let mut position = Position::start(Arc::clone(&rules));
            for _ in 0..rng.random_range(0..position.empty_count() - 5) {
                let moves: Vec<Move> = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[rng.random_range(0..moves.len())]).expect("a legal move");
            }
            let depth = 1 + i % 3;
            if position.is_game_over() || position.must_pass() || depth as u32 >= position.empty_count() {
                continue;
            }
            let expected = negamax_anywhere(&engine, &position, depth);
            let found = search(&mut engine, &position, depth, 1).score;
            assert_eq!(found, expected, "{} depth {depth}: {position:?}", position.rules());
        }
    }
}
