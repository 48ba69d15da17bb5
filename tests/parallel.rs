//! Parallel search: no deadlock, no lost result, prompt stops.

mod positions;

use std::time::{Duration, Instant};

use outflank::engine::{Engine, Options};
use outflank::rules::{Color, Position};
use outflank::search::{Goal, Limits, Selectivity, StopToken};
use positions::random_position;
use rand::SeedableRng;
use rand::rngs::StdRng;

/// Small solves with every number of threads, each compared with one thread. 15 empty squares are the fewest at which a
/// solve uses more than one; every second one has `more` squares in addition.
fn stress(solves: usize, more: u32) {
    let mut rng = StdRng::seed_from_u64(21);
    let mut single = Engine::new(Options { hash_mib: 1, threads: 1 });
    let mut parallel = Engine::new(Options { hash_mib: 1, threads: 1 });
    for i in 0..solves {
        let threads = 2 + i % 15;
        parallel.set_options(Options { hash_mib: 1, threads });
        let board = random_position(&mut rng, 15 + more * (i % 2) as u32);
        let position = Position::from_board(board, Color::Black);
        let limits = Limits::new(Goal::Exact);
        let expected = single.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap().score;
        let found = parallel.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap().score;
        assert_eq!(found, expected, "{threads} threads: {board:x?}");
        if (i + 1).is_multiple_of(5000) {
            eprintln!("{} solves", i + 1);
        }
    }
}

#[test]
fn small_solves_with_2_to_16_threads() {
    stress(150, 1);
}

/// `cargo test --release --test parallel -- --ignored --nocapture`
#[test]
#[ignore = "takes half an hour"]
fn hundred_thousand_small_solves() {
    stress(100_000, 0);
}

#[test]
fn a_stop_is_prompt_and_leaves_a_result() {
    for threads in [1, 2, 4] {
        let mut engine = Engine::new(Options { hash_mib: 16, threads });
        let stop = StopToken::new();
        let timer = std::thread::spawn({
            let stop = stop.clone();
            move || {
                std::thread::sleep(Duration::from_millis(300));
                stop.stop();
                Instant::now()
            }
        });
        let report = engine.search(&Position::default(), &Limits::new(Goal::Unlimited), &stop, &mut |_| {}).unwrap();
        let late = timer.join().unwrap().elapsed();
        assert!(report.stopped && report.depth >= 4 && report.best().is_some(), "{report:?}");
        // the machine that runs the tests may be busy with others: the aim is 20 ms
        assert!(late < Duration::from_millis(200), "{threads} threads stopped after {late:?}");
        // the engine is as good as new
        let limits = Limits::new(Goal::Depth(6, Selectivity::NONE));
        assert_eq!(engine.search(&Position::default(), &limits, &StopToken::new(), &mut |_| {}).unwrap().depth, 6);
    }
}

#[test]
fn a_stop_before_the_start_still_gives_a_legal_move() {
    let stop = StopToken::new();
    stop.stop();
    let mut engine = Engine::new(Options { hash_mib: 1, threads: 2 });
    let report = engine.search(&Position::default(), &Limits::new(Goal::Exact), &stop, &mut |_| {}).unwrap();
    assert!(report.stopped);
    assert!(Position::default().is_legal(report.best().unwrap().mv));
}

#[test]
fn node_limits_are_exact_with_one_thread() {
    let run = || {
        let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        let limits = Limits { nodes: Some(50_000), ..Limits::new(Goal::Unlimited) };
        engine.search(&Position::default(), &limits, &StopToken::new(), &mut |_| {}).unwrap()
    };
    let (first, second) = (run(), run());
    assert_eq!((first.nodes, first.depth, &first.lines), (second.nodes, second.depth, &second.lines));
    assert!(first.nodes >= 50_000 && first.nodes < 60_000, "{}", first.nodes);
}
