//! The exact solver against plain references, and against itself under everything that must not matter.

mod positions;
mod reference;
mod shared_data;

use outflank::board::{Board, Squares};
use outflank::kernel::Tier;
use outflank::rules::{Bits, Color, Move, Objective, Position, RuleSet};
use outflank::search::{Bound, Goal, Limits, StopToken};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

use positions::random_position;
use reference::{alpha_beta, engine, minimax, solve, solve_with};

#[test]
fn equals_minimax_up_to_8_empties() {
    let mut rng = StdRng::seed_from_u64(1);
    for tier in Tier::ALL {
        let mut engine = engine(1);
        if !engine.set_tier(tier) {
            shared_data::skipped(&format!("a machine with {tier}"));
            continue;
        }
        for i in 0..1000 {
            let board = random_position(&mut rng, 1 + i % 8);
            assert_eq!(solve(&mut engine, board), minimax(board), "{tier} {board:x?}");
        }
    }
}

#[test]
fn equals_plain_alpha_beta_at_9_to_12_empties() {
    let mut rng = StdRng::seed_from_u64(2);
    let mut engine = engine(1);
    for i in 0..120 {
        let board = random_position(&mut rng, 9 + i % 4);
        assert_eq!(solve(&mut engine, board), alpha_beta(board, -64, 64), "{board:x?}");
    }
}

#[test]
fn symmetries_threads_tiers_and_memory_do_not_matter() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut fresh = engine(1);
    let mut warm = engine(1);
    let mut parallel = engine(4);
    for i in 0..24 {
        let board = random_position(&mut rng, 13 + i % 6);
        fresh.clear();
        let score = solve(&mut fresh, board);
        assert_eq!(solve(&mut parallel, board), score, "4 threads {board:x?}");
        for symmetry in 0..8 {
            assert_eq!(solve(&mut warm, board.symmetry(symmetry)), score, "symmetry {symmetry} {board:x?}");
        }
        for tier in Tier::ALL {
            let mut engine = engine(1);
            if engine.set_tier(tier) {
                assert_eq!(solve(&mut engine, board), score, "{tier} {board:x?}");
            }
        }
    }
}

#[test]
fn principal_variations_lead_to_their_score() {
    let mut rng = StdRng::seed_from_u64(4);
    let mut engine = engine(1);
    for i in 0..60 {
        let board = random_position(&mut rng, 2 + i % 16);
        let report = solve_with(&mut engine, board, &Limits::new(Goal::Exact));
        let mut position = Position::from_board(board, Color::Black);
        for &mv in &report.best().unwrap().pv {
            position = position.play(mv).unwrap_or_else(|error| panic!("{error} in the line of {board:x?}"));
        }
        assert!(position.is_game_over(), "the line of {board:x?} stops early");
        assert_eq!(position.final_score(false), report.score, "{board:x?}");
    }
}

#[test]
fn every_move_gets_its_own_exact_score() {
    let mut rng = StdRng::seed_from_u64(5);
    let mut engine = engine(1);
    for i in 0..30 {
        let board = random_position(&mut rng, 5 + i % 10);
        let limits = Limits { multi_pv: usize::MAX, ..Limits::new(Goal::Exact) };
        let report = solve_with(&mut engine, board, &limits);
        if board.legal_moves() == 0 {
            assert_eq!(report.lines.len(), 1);
            assert_eq!(report.lines[0].mv, Move::Pass);
            continue;
        }
        assert_eq!(report.lines.len(), board.legal_moves().count_ones() as usize);
        assert!(report.lines.is_sorted_by_key(|line| -line.score));
        for line in &report.lines {
            let child = board.play(line.mv.square().unwrap()).unwrap();
            assert_eq!(line.bound, Bound::Exact);
            assert_eq!(line.score, -alpha_beta(child, -64, 64), "{} in {board:x?}", line.mv);
        }
    }
}

#[test]
fn win_draw_loss_agrees_with_the_score() {
    let mut rng = StdRng::seed_from_u64(6);
    let mut exact = engine(1);
    let mut engine = engine(1);
    for i in 0..60 {
        let board = random_position(&mut rng, 4 + i % 14);
        let report = solve_with(&mut engine, board, &Limits::new(Goal::WinDrawLoss));
        assert_eq!(report.score, solve(&mut exact, board).signum(), "{board:x?}");
    }
}

/// A window of outcomes tells them apart also where equal counts are a win of the second player.
#[test]
fn windows_of_outcomes_are_kept() {
    let mut rng = StdRng::seed_from_u64(9);
    let mut engine = engine(1);
    for rules in ["othello:4x6", "othello:4x6,second-wins", "othello:4x6,second-wins,fewest"] {
        let mut equal = 0;
        for i in 0..150 {
            let mut position = Position::start(Arc::new(rules.parse().unwrap()));
            while position.empty_count() > 2 + i % 6 && !position.is_game_over() {
                let moves = position.legal_moves();
                position = position.play(moves[rng.random_range(0..moves.len())]).unwrap();
            }
            let score = minimax_general(&position, true);
            let outcome = position.outcome_of(score);
            equal += u32::from(score == 0);
            for (low, high) in [(-2, 0), (-1, 0), (-1, 1), (0, 1), (0, 5), (-64, 64)] {
                let limits = Limits { window: (low, high), ..Limits::new(Goal::WinDrawLoss) };
                let report = engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
                let is_told = match outcome {
                    below if below <= low => report.score <= low,
                    above if above >= high => report.score >= high,
                    inside => report.score == inside && report.is_exact(),
                };
                assert!(is_told, "{position}: {outcome} in {low} to {high}: {report:?}");
            }
        }
        assert!(equal > 0, "{rules}");
    }
}

#[test]
fn windows_give_bounds() {
    let mut rng = StdRng::seed_from_u64(7);
    let mut engine = engine(1);
    for i in 0..60 {
        let board = random_position(&mut rng, 8 + i % 6);
        engine.clear();
        let score = solve(&mut engine, board);
        engine.clear();
        let window = (score - 6 + i as i32 % 12, score - 5 + i as i32 % 12);
        if window.0 < -64 || window.1 > 64 {
            continue;
        }
        let report = solve_with(&mut engine, board, &Limits { window, ..Limits::new(Goal::Exact) });
        let bound = if score <= window.0 { Bound::Upper } else { Bound::Lower };
        assert_eq!(report.best().map(|line| line.bound), Some(bound), "{score} {window:?}");
        if score <= window.0 {
            assert!(report.score >= score && report.score <= window.0, "{score} {window:?} {}", report.score);
        } else {
            assert!(report.score <= score && report.score >= window.1, "{score} {window:?} {}", report.score);
        }
    }
}

/// Minimax under any rules the fast search takes: smaller boards, discs only, fewest discs.
fn minimax_general(position: &Position, discs_only: bool) -> i32 {
    let moves = position.legal_moves();
    if moves.is_empty() {
        let score = position.final_score(discs_only);
        return if position.side_to_move() == Color::Black { score } else { -score };
    }
    moves.iter().map(|&mv| -minimax_general(&position.play(mv).unwrap(), discs_only)).max().unwrap()
}

#[test]
fn smaller_boards_and_other_scoring_equal_minimax() {
    let mut rng = StdRng::seed_from_u64(8);
    let mut engine = engine(1);
    for (i, (rows, columns)) in [(8, 8), (6, 6), (4, 8), (6, 4), (8, 6)].into_iter().cycle().take(150).enumerate() {
        let objective = if i % 3 == 1 { Objective::Fewest } else { Objective::Most };
        let rules = RuleSet::othello().to_builder().size(rows, columns).objective(objective).build().unwrap();
        let discs_only = i % 2 == 1;
        let mut position = Position::start(Arc::new(rules));
        while position.empty_count() > 7 && !position.is_game_over() {
            let moves = position.legal_moves();
            position = position.play(moves[rng.random_range(0..moves.len())]).unwrap();
        }
        if position.is_game_over() {
            continue;
        }
        let limits = Limits { discs_only, ..Limits::new(Goal::Exact) };
        let report = engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
        assert_eq!(report.score, minimax_general(&position, discs_only), "{rows}x{columns} {position:?}");
    }
}

#[test]
fn small_boards_have_their_known_values() {
    let value = |rows, columns, discs_only| {
        let position = Position::start(Arc::new(RuleSet::othello().to_builder().size(rows, columns).build().unwrap()));
        let limits = Limits { discs_only, ..Limits::new(Goal::Exact) };
        engine(1).search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap().score
    };
    assert_eq!(value(4, 4, false), -10);
    assert_eq!(value(4, 4, true), -8);
    assert_eq!(value(4, 6, false), 16);
    assert_eq!(value(6, 4, false), 16);
}

#[test]
fn full_board_minus_one_and_wipe_outs() {
    let mut engine = engine(1);
    // b1 takes a1's neighbour and wipes white out
    let board = Board::new(1, 2).unwrap();
    assert_eq!(solve(&mut engine, board), 64);
    let black = Bits::from_u64(!3);
    let position = Position::from_discs(Arc::new(RuleSet::othello()), black, Bits::from_u64(2), Color::Black).unwrap();
    let report = engine.search(&position, &Limits::new(Goal::Exact), &StopToken::new(), &mut |_| {}).unwrap();
    assert_eq!((report.score, report.best().unwrap().mv.to_string().as_str()), (64, "a1"));
}

/// Endgames that are solved through passes of lower confidence, which leave their bounds in the table; scores proved without
/// such passes.
#[test]
fn own_sample_of_selective_solves() {
    let text = include_str!("data/endgames-21-24.obf");
    let mut count = 0;
    let mut engine = engine(1);
    for line in text.lines().filter(|line| !line.starts_with('%') && !line.is_empty()) {
        let (board, score) = parse(line);
        assert!((21..=24).contains(&board.empty_count()));
        assert_eq!(solve(&mut engine, board), score, "{line}");
        count += 1;
    }
    assert!(count >= 15);
}

/// The sample in this folder: positions from this engine's own games, scores proved by plain alpha-beta.
#[test]
fn own_sample_of_endgames() {
    let text = include_str!("data/endgames-10-14.obf");
    let mut engine = engine(2);
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('%') && !line.is_empty()) {
        let (board, score) = parse(line);
        assert_eq!(solve(&mut engine, board), score, "{line}");
        count += 1;
    }
    assert!(count >= 50);
}

/// A line `64squares X; move:score;`, always X to move.
fn parse(line: &str) -> (Board, i32) {
    let set =
        |disc: char| line.chars().take(64).enumerate().filter(|&(_, c)| c == disc).fold(0, |b, (i, _)| b | 1 << i);
    let score = line.split(':').nth(1).and_then(|rest| rest.split(';').next()).expect("a score");
    (Board::new(set('X'), set('O')).expect("no overlap"), score.trim().parse().expect("a number"))
}

/// Makes `data/endgames-10-14.obf`: `cargo test --release --test solver make_sample -- --ignored --nocapture`.
#[test]
#[ignore = "prints the sample"]
fn make_sample() {
    let mut rng = StdRng::seed_from_u64(11);
    println!("% Endgames of 10 to 14 empties from random openings and level-2 self-play; scores by plain alpha-beta.");
    for i in 0..60 {
        let mut board = random_position(&mut rng, 44);
        let mut engine = engine(1);
        while board.empty_count() > 10 + i % 5 && !board.is_game_over() {
            let limits = Limits::new(Goal::Level(outflank::search::Level::new(2).unwrap()));
            board = match solve_with(&mut engine, board, &limits).best().unwrap().mv.square() {
                Some(square) => board.play(square).unwrap(),
                None => board.pass(),
            };
        }
        if board.is_game_over() {
            continue;
        }
        let text: String = (0..64)
            .map(|i| match (board.player >> i & 1, board.opponent >> i & 1) {
                (1, _) => 'X',
                (_, 1) => 'O',
                _ => '-',
            })
            .collect();
        let best = Squares(board.legal_moves())
            .map(|square| (-alpha_beta(board.play(square).unwrap(), -64, 64), square.to_string()))
            .max_by_key(|(score, _)| *score)
            .unwrap_or_else(|| (-alpha_beta(board.pass(), -64, 64), "ps".to_string()));
        println!("{text} X; {}:{:+};", best.1, best.0);
    }
}
