//! Stops at any moment, and what comes after them, with 2 to 16 threads.
//!
//! `OUTFLANK_STOPS` is the number of stops, 300 when it is not set. The long run:
//!
//! ```text
//! OUTFLANK_STOPS=10000 cargo test --profile quick --test stress -- --nocapture
//! ```

mod positions;
mod reference;

use std::thread;
use std::time::{Duration, Instant};

use outflank::board::Board;
use outflank::engine::Options;
use outflank::rules::{Color, Position};
use outflank::search::{Goal, Limits, StopToken};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use positions::random_position;
use reference::{engine, solve};

fn wanted() -> u64 {
    let text = std::env::var("OUTFLANK_STOPS").unwrap_or_else(|_| "300".to_string());
    text.parse().unwrap_or_else(|_| panic!("OUTFLANK_STOPS={text}: not a number"))
}

/// Ends the process when nothing comes for a minute: a search that hangs cannot be ended otherwise.
fn watch(progress: std::sync::mpsc::Receiver<u64>) {
    thread::spawn(move || {
        let mut last = 0;
        loop {
            match progress.recv_timeout(Duration::from_secs(60)) {
                Ok(stop) => last = stop,
                Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
                Err(_) => {
                    eprintln!("stop {last} has not come to its end after a minute");
                    std::process::exit(101);
                }
            }
        }
    });
}

#[test]
fn stops_and_restarts() {
    let mut rng = StdRng::seed_from_u64(31);
    // solved once by one thread and then again and again between stops
    let known: Vec<(Board, i32)> = (0..60)
        .map(|i| random_position(&mut rng, 15 + i % 3))
        .map(|board| (board, solve(&mut engine(1), board)))
        .collect();
    let (sender, progress) = std::sync::mpsc::channel();
    watch(progress);
    let (mut stopped, mut solved, mut late, begun) = (0, 0, Duration::ZERO, Instant::now());
    let mut searching = engine(2);
    for stop in 0..wanted() {
        sender.send(stop).unwrap();
        if stop.is_multiple_of(7) {
            searching.set_options(Options { hash_mib: 8, threads: rng.random_range(2..=16) });
        }
        // half of them are positions whose score is known, so that a wrong score before the stop is seen as well
        let (board, score) = known[rng.random_range(0..known.len())];
        let (board, score) =
            if rng.random_bool(0.5) { (board, Some(score)) } else { (random_position(&mut rng, 24), None) };
        let position = Position::from_board(board.symmetry((stop % 8) as _), Color::Black);
        let token = StopToken::new();
        let pause = Duration::from_micros(rng.random_range(0..4000));
        let mut told = Instant::now();
        let report = thread::scope(|scope| {
            let timer = scope.spawn(|| {
                thread::sleep(pause);
                token.stop();
                Instant::now()
            });
            let report = searching.search(&position, &Limits::new(Goal::Exact), &token, &mut |_| {}).unwrap();
            let ended = Instant::now();
            told = timer.join().unwrap();
            if report.stopped {
                late = late.max(ended.saturating_duration_since(told));
            }
            report
        });
        stopped += u64::from(report.stopped);
        let best = report.best().expect("a move");
        assert!(position.is_legal(best.mv), "stop {stop}: {position:?}");
        if let (true, Some(score)) = (report.is_exact(), score) {
            assert_eq!(report.score, score, "stop {stop}: {board:x?}");
        }
        if stop.is_multiple_of(4) {
            let (board, score) = known[rng.random_range(0..known.len())];
            assert_eq!(solve(&mut searching, board), score, "after stop {stop}: {board:x?}");
            solved += 1;
        }
    }
    let (count, time) = (wanted(), begun.elapsed());
    println!("{count} searches, {stopped} stopped, {solved} solves after them, latest {late:.1?}, {time:.0?}");
    assert!(stopped * 4 > count, "{stopped} of {count} were stopped");
}
