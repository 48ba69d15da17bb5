//! The accuracy benchmark's positions (`benches/midgame-26.obf`): well made, and right.
#![cfg(feature = "cli")]

mod binary;

use std::collections::BTreeSet;
use std::sync::Arc;

use outflank::engine::{Engine, Options};
use outflank::formats::obf::{Problem, Reader};
use outflank::rules::RuleSet;
use outflank::search::{Goal, Limits, Selectivity, StopToken};

const FILE: &str = include_str!("../benches/midgame-26.obf");

fn problems() -> Vec<Problem> {
    let reader = Reader::new(FILE.as_bytes(), Arc::new(RuleSet::othello()));
    // the reader refuses moves that are not legal
    reader.map(|(_, problem)| problem.unwrap_or_else(|error| panic!("{error}"))).collect()
}

#[test]
fn enough_positions_and_none_twice() {
    let problems = problems();
    let mut seen = BTreeSet::new();
    for problem in &problems {
        assert!((26..=30).contains(&problem.position.empty_count()), "{:?}", problem.position);
        let (board, _) = problem.position.fast_board().expect("Othello");
        let canonical = board.canonical();
        assert!(seen.insert((canonical.player, canonical.opponent)), "twice: {:?}", problem.position);
    }
    assert!(problems.len() >= 200, "{} positions", problems.len());
}

#[test]
fn every_position_has_its_best_moves_and_their_score() {
    for problem in problems() {
        let best = problem.best_score().expect("a score");
        let moves: BTreeSet<String> = problem.scores.iter().map(|entry| entry.mv.to_string()).collect();
        assert!(!moves.is_empty() && moves.len() == problem.scores.len(), "{problem:?}");
        assert!(problem.scores.iter().all(|entry| entry.score == best), "{problem:?}");
        assert!(best % 2 == 0 && best.abs() <= 64, "{problem:?}");
    }
}

/// A score of the wrong sign or of another position would stand out.
#[test]
fn searches_come_close_to_the_scores() {
    let mut engine = Engine::new(Options { hash_mib: 16, threads: 1 });
    let limits = Limits::new(Goal::Depth(6, Selectivity::MOST));
    let problems = problems();
    let mut errors = 0;
    for problem in &problems {
        engine.clear();
        let report = engine.search(&problem.position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
        let error = report.score.abs_diff(problem.best_score().expect("a score"));
        assert!(error <= 24, "{error} discs: {problem:?}");
        errors += error;
    }
    let mean = f64::from(errors) / problems.len() as f64;
    assert!(mean < 4.0, "{mean} discs");
}

/// Proves everything again: hours.
#[test]
#[ignore = "solves every position: hours of a core"]
fn solving_finds_the_same_scores_and_moves() {
    let run = binary::output(binary::outflank().args(["solve", "-", "--best-moves", "--obf", "--hash", "512"]), FILE);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let found = Reader::new(run.stdout.as_slice(), Arc::new(RuleSet::othello()));
    let found: Vec<Problem> = found.map(|(_, problem)| problem.expect("solve prints problems")).collect();
    let entries = |problem: &Problem| -> BTreeSet<(String, i32)> {
        problem.scores.iter().map(|entry| (entry.mv.to_string(), entry.score)).collect()
    };
    let listed = problems();
    assert_eq!(found.len(), listed.len());
    for (found, listed) in found.iter().zip(&listed) {
        assert_eq!(found.position, listed.position);
        assert_eq!(entries(found), entries(listed), "{listed:?}");
    }
}
