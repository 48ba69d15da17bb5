//! Parallel search: no deadlock, no lost result, prompt stops.

mod positions;
mod shared_data;

use std::sync::Arc;
use std::time::{Duration, Instant};

use outflank::engine::{Engine, Options};
use outflank::rules::{Color, Position};
use outflank::search::{Goal, Limits, Selectivity, StopToken};
use positions::random_position;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

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
            println!("{} solves", i + 1);
        }
    }
    println!("{solves} solves by 2 to 16 threads");
}

#[test]
fn small_solves_with_2_to_16_threads() {
    stress(150, 1);
}

/// Threads that get something to do change how many nodes a solve takes; threads that sleep through it leave the number as it is.
#[test]
fn threads_have_a_part_in_the_search() {
    if std::thread::available_parallelism().is_ok_and(|cores| cores.get() == 1) {
        // nodes are split where a core is idle
        shared_data::skipped("two cores");
        return;
    }
    let mut rng = StdRng::seed_from_u64(26);
    let mut engines = [1, 2].map(|threads| Engine::new(Options { hash_mib: 4, threads }));
    let has_part = (0..30).any(|_| {
        let position = Position::from_board(random_position(&mut rng, 20), Color::Black);
        let nodes = engines.each_mut().map(|engine| {
            engine.clear();
            engine.search(&position, &Limits::new(Goal::Exact), &StopToken::new(), &mut |_| {}).unwrap().nodes
        });
        nodes[0] != nodes[1]
    });
    assert!(has_part, "thirty solves with two threads took exactly the nodes of one");
}

/// `OUTFLANK_SOLVES=100000 cargo test --profile quick --test parallel -- --ignored --nocapture`
#[test]
#[ignore = "takes half an hour"]
fn hundred_thousand_small_solves() {
    let text = std::env::var("OUTFLANK_SOLVES").unwrap_or_else(|_| "100000".to_string());
    stress(text.parse().unwrap_or_else(|_| panic!("OUTFLANK_SOLVES={text}: not a number")), 0);
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

/// Times from the stop of a solve of 26 empties to its return, sorted; each solve runs for up to `most` milliseconds.
fn stop_times(threads: usize, stops: usize, most: u64) -> Vec<Duration> {
    let mut rng = StdRng::seed_from_u64(22);
    let mut engine = Engine::new(Options { hash_mib: 16, threads });
    let limits = Limits::new(Goal::Exact);
    let mut times = Vec::new();
    engine
        .search(&Position::default(), &Limits::new(Goal::Depth(1, Selectivity::NONE)), &StopToken::new(), &mut |_| {})
        .unwrap();
    while times.len() < stops {
        let position = Position::from_board(random_position(&mut rng, 26), Color::Black);
        let token = StopToken::new();
        let pause = Duration::from_micros(rng.random_range(1000..1000 * most));
        engine.clear();
        std::thread::scope(|scope| {
            let searching = scope.spawn(|| (engine.search(&position, &limits, &token, &mut |_| {}), Instant::now()));
            std::thread::sleep(pause);
            let stopped = Instant::now();
            token.stop();
            let (report, ended) = searching.join().unwrap();
            if report.unwrap().stopped {
                times.push(ended.saturating_duration_since(stopped));
            }
        });
    }
    times.sort_unstable();
    times
}

#[test]
fn most_stops_are_immediate() {
    for threads in [1, 2, 4] {
        let times = stop_times(threads, 15, 40);
        // machines that run tests are busy with others
        assert!(times[7] < Duration::from_millis(60), "{threads} threads: {times:?}");
    }
}

/// `cargo test --release --test parallel stops_take -- --ignored --nocapture` on an idle machine.
#[test]
#[ignore = "needs an idle machine"]
fn stops_take_three_milliseconds_at_most() {
    println!("threads  median ms     90 %     99 %      max");
    let mut worst = Duration::ZERO;
    for threads in [1, 2, 4] {
        let times = stop_times(threads, 200, 150);
        let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1000.0;
        println!("{threads:7} {:10.2} {:8.2} {:8.2} {:8.2}", at(50), at(90), at(99), at(100));
        worst = worst.max(times[(times.len() - 1) * 99 / 100]);
    }
    assert!(worst <= Duration::from_millis(3), "{worst:?}");
}

#[test]
fn a_callback_that_panics_hangs_nobody() {
    let general = Position::start(Arc::new("othello:8x8,one".parse().unwrap()));
    for position in [Position::default(), general] {
        for threads in [1, 2, 5] {
            let (sender, receiver) = std::sync::mpsc::channel();
            let position = position.clone();
            std::thread::spawn(move || {
                let mut engine = Engine::new(Options { hash_mib: 1, threads });
                let limits = Limits::new(Goal::Unlimited);
                let mut reports = 0;
                let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    engine.search(&position, &limits, &StopToken::new(), &mut |_| {
                        reports += 1;
                        assert!(reports < 4, "this panic is part of the test");
                    })
                }));
                // the engine is as good as new
                let limits = Limits::new(Goal::Depth(5, Selectivity::NONE));
                let report = engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
                sender.send((panicked.is_err(), report.depth)).unwrap();
            });
            assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok((true, 5)), "{threads} threads");
        }
    }
}

#[test]
fn engines_that_share_a_table_give_the_same_exact_scores() {
    let mut rng = StdRng::seed_from_u64(23);
    let boards: Vec<_> = (0..24).map(|i| random_position(&mut rng, 13 + i % 6)).collect();
    let limits = |i: usize| Limits { discs_only: i % 3 == 2, ..Limits::new(Goal::Exact) };
    let solve = |engine: &mut Engine, i: usize, symmetry: u32| {
        let position = Position::from_board(boards[i].symmetry(symmetry as _), Color::Black);
        engine.search(&position, &limits(i), &StopToken::new(), &mut |_| {}).unwrap().score
    };
    let mut alone = Engine::new(Options { hash_mib: 1, threads: 1 });
    let expected: Vec<i32> = (0..boards.len()).map(|i| solve(&mut alone, i, 0)).collect();
    let first = Engine::new(Options { hash_mib: 2, threads: 1 });
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let mut engine = first.sharing();
            engine.set_options(Options { threads: 1 + thread % 2, ..engine.options().clone() });
            let (solve, expected) = (&solve, &expected);
            scope.spawn(move || {
                for round in 0..expected.len() * 3 {
                    // the same positions at about the same time
                    let i = (round + thread) % expected.len();
                    assert_eq!(solve(&mut engine, i, (round / 24) as u32), expected[i], "{thread} {round}");
                    if round % 7 == thread {
                        engine.clear();
                    }
                }
            });
        }
    });
}

#[test]
fn what_one_engine_learns_the_others_know() {
    let mut rng = StdRng::seed_from_u64(24);
    for position in [
        Position::from_board(random_position(&mut rng, 18), Color::Black),
        // what threads keep for themselves is most of what is known of it
        Position::from_board(random_position(&mut rng, 11), Color::Black),
        Position::start(Arc::new("othello:4x4,one".parse().unwrap())),
    ] {
        let nodes = |engine: &mut Engine| {
            engine.search(&position, &Limits::new(Goal::Exact), &StopToken::new(), &mut |_| {}).unwrap().nodes
        };
        let mut first = Engine::new(Options { hash_mib: 4, threads: 1 });
        let mut second = first.sharing();
        let alone = nodes(&mut first);
        assert!(nodes(&mut second) * 4 < alone);
        second.clear();
        assert!(nodes(&mut second.sharing()) * 2 > alone, "all was forgotten");
        second.clear();
        assert!(nodes(&mut first) * 2 > alone, "by those that share the table, too");
        // another size is another table
        let mut other = second.sharing();
        other.set_options(Options { hash_mib: 3, threads: 1 });
        assert!(nodes(&mut other) * 2 > alone);
    }
}

#[test]
fn a_running_search_can_be_given_a_deadline() {
    let general = Position::start(Arc::new("othello:8x8,one".parse().unwrap()));
    for (position, threads) in [(Position::default(), 1), (Position::default(), 3), (general.clone(), 1), (general, 2)]
    {
        let mut engine = Engine::new(Options { hash_mib: 4, threads });
        let token = StopToken::new();
        // the weights are read with the first search
        engine.search(&position, &Limits::new(Goal::Depth(1, Selectivity::NONE)), &token, &mut |_| {}).unwrap();
        let clock = std::thread::spawn({
            let token = token.clone();
            move || {
                std::thread::sleep(Duration::from_millis(150));
                let counted = token.nodes();
                let now = Instant::now();
                token.set_deadline(now, now + Duration::from_millis(100));
                (now, counted)
            }
        });
        let report = engine.search(&position, &Limits::new(Goal::Unlimited), &token, &mut |_| {}).unwrap();
        let ended = Instant::now();
        let (set, counted) = clock.join().unwrap();
        assert!(report.stopped && report.depth > 0);
        assert!(ended > set && ended - set < Duration::from_millis(600), "{:?}", ended - set);
        // the count is live, complete at the end, and that of this search only
        assert!(counted > 0 && counted < report.nodes, "{counted} of {}", report.nodes);
        assert_eq!(token.nodes(), report.nodes);
        token.reset();
        let report =
            engine.search(&position, &Limits::new(Goal::Depth(3, Selectivity::NONE)), &token, &mut |_| {}).unwrap();
        assert!(!report.stopped && token.nodes() == report.nodes, "{report:?}");
    }
}

/// The most nodes of a search with this limit.
fn most_nodes(limit: u64, threads: usize) -> u64 {
    limit + limit / 100 + 500 * threads as u64
}

/// The last empty squares are solved without a look at the limits.
#[test]
fn small_node_limits_hold_in_endgames() {
    let mut rng = StdRng::seed_from_u64(23);
    let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
    let mut furthest = 0;
    for i in 0..200 {
        let position = Position::from_board(random_position(&mut rng, 12 + i % 6), Color::Black);
        let goal = if i % 2 == 0 { Goal::WinDrawLoss } else { Goal::Exact };
        let limit = rng.random_range(1..3000);
        let limits = Limits { nodes: Some(limit), ..Limits::new(goal) };
        let report = engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
        assert!(report.nodes <= most_nodes(limit, 1), "{} of {limit}: {position}", report.nodes);
        furthest = furthest.max(report.nodes.saturating_sub(limit));
    }
    assert!(furthest > 64, "{furthest} nodes too many at most");
}

#[test]
fn node_limits_hold_with_threads() {
    for limit in [50_000, 1_000_000] {
        for threads in [1, 2, 8] {
            let mut engine = Engine::new(Options { hash_mib: 4, threads });
            let limits = Limits { nodes: Some(limit), ..Limits::new(Goal::Unlimited) };
            let mut counts = Vec::new();
            let report = engine.search(&Position::default(), &limits, &StopToken::new(), &mut |report| {
                counts.push(report.nodes);
            });
            let report = report.unwrap();
            let kept = limit..=most_nodes(limit, threads);
            assert!(report.stopped && kept.contains(&report.nodes), "{threads}: {}", report.nodes);
            assert!(counts.is_sorted() && *counts.last().unwrap() <= report.nodes, "{counts:?}");
        }
    }
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
    assert!((50_000..=most_nodes(50_000, 1)).contains(&first.nodes), "{}", first.nodes);
}
