//! Solved boards: published values, and an independent plain minimax where it can reach.

use std::sync::Arc;

use outflank::engine::{Engine, Options};
use outflank::rules::Position;
use outflank::search::{Goal, Limits, Report, StopToken};

fn solve(rules: &str, limits: &Limits) -> Report {
    let rules = rules.parse().unwrap_or_else(|error| panic!("{rules}: {error}"));
    outflank::search::general::search(&Position::start(Arc::new(rules)), limits, 1, 128, &StopToken::new(), &mut |_| {})
        .unwrap()
}

/// Prints what was found, and checks the value for the first player.
fn expect(rules: &str, value: i32, report: &Report) {
    println!("{rules:<28} {:+3} {:>12} nodes {:>9.3} s", report.score, report.nodes, report.elapsed.as_secs_f64());
    assert!(report.is_exact() && !report.stopped);
    assert_eq!(report.score, value, "{rules}");
}

fn check(rules: &str, value: i32) {
    expect(rules, value, &solve(rules, &Limits::new(Goal::Exact)));
}

#[test]
fn published_values_of_small_boards() {
    check("othello:4x4", -10);
    check("othello:4x4,parallel", -4);
    check("reveris:4x4", -10);
    check("othello:4x6", 16);
    check("othello:6x4", 16);
    check("othello:4x6,parallel", 6);
    check("othello:6x4,parallel", 22);
    let discs_only = Limits { discs_only: true, ..Limits::new(Goal::Exact) };
    assert_eq!(solve("othello:4x4", &discs_only).score, -8);
}

#[test]
#[ignore = "about a minute"]
fn published_values_of_4x8() {
    check("othello:4x8", 32);
    check("othello:8x4", 32);
    check("othello:4x8,parallel", 28);
    check("othello:8x4,parallel", 32);
}

/// The same by the search on bitboards with walls, which is the faster one where it applies: boards up to 8x8 on which moves
/// turn discs in all directions.
fn check_fast(rules: &str, value: i32) {
    let position = Position::start(Arc::new(rules.parse().unwrap_or_else(|error| panic!("{rules}: {error}"))));
    assert!(position.fast_board().is_some(), "{rules}");
    let mut engine = Engine::new(Options { hash_mib: 1024, threads: 1 });
    expect(rules, value, &engine.search(&position, &Limits::new(Goal::Exact), &StopToken::new(), &mut |_| {}).unwrap());
}

#[test]
fn published_values_of_small_boards_by_the_fast_search() {
    check_fast("othello:4x4", -10);
    check_fast("othello:4x4,parallel", -4);
    check_fast("othello:4x6", 16);
    check_fast("othello:6x4", 16);
    check_fast("othello:4x6,parallel", 6);
    check_fast("othello:6x4,parallel", 22);
}

#[test]
#[ignore = "ten minutes in a release build"]
fn published_values_of_6x6() {
    check_fast("othello:6x6", -4);
    check_fast("othello:6x6,parallel", -2);
    check_fast("othello:6x6,fewest", 2);
}
