//! Exact scores of random positions of 8 to 14 empties against plain alpha-beta: on every tier, with 1, 2 and 4 threads, turned
//! and mirrored, with windows, for win, draw or loss only, with a table that remembers what came before.
//!
//! `OUTFLANK_DIFFERENTIAL` is the number of positions, 1,000 when it is not set. The long run:
//!
//! ```text
//! OUTFLANK_DIFFERENTIAL=20000 cargo test --profile quick --test differential -- --nocapture
//! ```
//!
//! A failure names the number of its position and shows the board.

mod positions;
mod reference;
mod shared_data;

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use outflank::board::Board;
use outflank::engine::{Engine, Options};
use outflank::kernel::Tier;
use outflank::rules::{Color, Position};
use outflank::search::{Bound, Goal, Limits, Report};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use positions::{nearly_wiped_out, random_position, with_a_dead_square};
use reference::{alpha_beta, solve_with};

const THREADS: [usize; 3] = [1, 2, 4];

fn wanted() -> u64 {
    let text = std::env::var("OUTFLANK_DIFFERENTIAL").unwrap_or_else(|_| "1000".to_string());
    text.parse().unwrap_or_else(|_| panic!("OUTFLANK_DIFFERENTIAL={text}: not a number"))
}

/// The position of a number: mostly from random games, some with hardly a disc on one side or a square nobody can take.
fn position(number: u64) -> Board {
    let mut rng = StdRng::seed_from_u64(number);
    // more than 14 now and then: searches of fewer empty squares use one thread, however many there are
    let empties = if number.is_multiple_of(64) {
        15
    } else {
        [8, 9, 9, 10, 10, 11, 11, 12, 12, 12, 13, 13, 14, 14][(number % 14) as usize]
    };
    match number % 10 {
        0 => nearly_wiped_out(&mut rng, empties.min(11)),
        1 => with_a_dead_square(&mut rng, empties.min(10)),
        _ => random_position(&mut rng, empties),
    }
}

/// An engine of each tier with each number of threads; those of 2 and 4 threads have one table together.
struct Engines(Vec<(String, Engine)>);

impl Engines {
    fn new() -> Engines {
        let mut engines = Vec::new();
        for tier in Tier::ALL {
            let mut shared: Option<Engine> = None;
            for threads in THREADS {
                let mut engine = match &shared {
                    Some(first) => first.sharing(),
                    None => Engine::new(Options { hash_mib: 4, threads }),
                };
                engine.set_options(Options { threads, ..engine.options().clone() });
                if !engine.set_tier(tier) {
                    continue;
                }
                if threads > 1 {
                    shared = Some(engine.sharing());
                }
                engines.push((format!("{tier}, {threads} threads"), engine));
            }
        }
        Engines(engines)
    }

    /// Every engine searches the position, each another image of it.
    fn check(&mut self, number: u64) {
        let board = position(number);
        let score = alpha_beta(board, -64, 64);
        let mut rng = StdRng::seed_from_u64(!number);
        for (i, (name, engine)) in self.0.iter_mut().enumerate() {
            let symmetry = (number as usize + i) % 8;
            let image = board.symmetry(symmetry as _);
            let what = || format!("position {number}, {name}, symmetry {symmetry}: {board:x?}");
            if (number + i as u64).is_multiple_of(5) {
                engine.clear();
            }
            // what one search leaves in the table, the next one finds: the order is another one each time
            let mut order = [0, 1, 2];
            order.rotate_left(rng.random_range(0..3));
            for task in order {
                match task {
                    0 => exact(engine, image, score, &what),
                    1 => {
                        let found = solve_with(engine, image, &Limits::new(Goal::WinDrawLoss)).score;
                        assert_eq!(found, score.signum(), "win, draw or loss, {}", what());
                    }
                    _ => {
                        let low = (score + rng.random_range(-9..8)).clamp(-64, 63);
                        let high = rng.random_range(low + 1..=(low + 12).min(64));
                        let limits = Limits { window: (low, high), ..Limits::new(Goal::Exact) };
                        let found = solve_with(engine, image, &limits);
                        assert!(is_true(&found, score, (low, high)), "{score} in {low} to {high}, {}", what());
                    }
                }
            }
        }
    }
}

/// The score, and the line that proves it to the end of the game.
fn exact(engine: &mut Engine, board: Board, score: i32, what: &dyn Fn() -> String) {
    let report = solve_with(engine, board, &Limits::new(Goal::Exact));
    assert!(report.is_exact(), "{}", what());
    assert_eq!(report.score, score, "{}", what());
    let mut position = Position::from_board(board, Color::Black);
    for &mv in &report.best().unwrap().pv {
        position = position.play(mv).unwrap_or_else(|error| panic!("{error} in the line of {}", what()));
    }
    assert!(position.is_game_over(), "the line stops early, {}", what());
    assert_eq!(position.final_score(false), score, "the line, {}", what());
}

/// What a search with a window says about the score is so.
fn is_true(report: &Report, score: i32, (low, high): (i32, i32)) -> bool {
    if score <= low {
        (score..=low).contains(&report.score)
    } else if score >= high {
        (high..=score).contains(&report.score)
    } else {
        report.score == score && report.best().is_some_and(|line| line.bound == Bound::Exact)
    }
}

#[test]
fn random_positions_have_their_score() {
    let tiers = Tier::ALL.into_iter().filter(|tier| !tier.is_supported());
    tiers.for_each(|tier| shared_data::skipped(&format!("a machine with {tier}")));
    let (next, begun) = (AtomicU64::new(0), Instant::now());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                let mut engines = Engines::new();
                assert!(!engines.0.is_empty());
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= wanted() {
                        return;
                    }
                    engines.check(number);
                    if number > 0 && number.is_multiple_of(1000) {
                        println!("{number} positions, {:.0?}", begun.elapsed());
                    }
                }
            });
        }
    });
    println!("{} positions on {} engines, {:.0?}", wanted(), Engines::new().0.len(), begun.elapsed());
}
