//! Thousands of games in one GTP session: its memory stays what it was after the first ones.
//!
//! `OUTFLANK_SOAK` is the number of games, 300 when it is not set, and 200 at least: the first 100 tell nothing. The long run:
//!
//! ```text
//! OUTFLANK_SOAK=100000 cargo test --profile quick --test soak -- --nocapture
//! ```
#![cfg(feature = "cli")]

mod sessions;

use std::sync::Arc;
use std::time::Instant;

use outflank::game::Game;
use outflank::rules::{Color, RuleSet};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use sessions::{Process, shared_data};

/// Games sent at once, so that the pipes do not decide how long it takes.
const BATCH: u64 = 10;
/// Games after which the session has all the memory that it may have.
const WARM: u64 = 100;
/// KiB that it may have more at the end: what the allocator keeps in pieces.
const GROWTH: u64 = 8 << 10;

/// How many games that is: never so few that none follows the warm-up.
fn wanted(text: Option<String>) -> u64 {
    let text = text.unwrap_or_else(|| "300".to_string());
    let games: u64 = text.parse().unwrap_or_else(|_| panic!("OUTFLANK_SOAK={text}: not a number"));
    games.max(2 * WARM)
}

/// The commands of a game that begins with random moves; two rules and a little thinking now and then.
fn game(number: u64, rng: &mut StdRng) -> Vec<String> {
    let rules = if number.is_multiple_of(50) { "reversi" } else { "othello" };
    let mut game = Game::new(Arc::new(rules.parse::<RuleSet>().unwrap()));
    let mut commands = vec![format!("outflank-rules {rules}"), format!("set_level {}", number % 2)];
    for _ in 0..8 {
        let moves = game.position().legal_moves();
        let side = if game.position().side_to_move() == Color::Black { "b" } else { "w" };
        let mv = moves[rng.random_range(0..moves.len())];
        game.play(mv).unwrap();
        commands.push(format!("play {side} {mv}"));
    }
    commands.extend((0..30).flat_map(|_| ["genmove b", "genmove w"]).map(str::to_string));
    match number % 40 {
        0 => commands.extend(["undo", "undo", "outflank-hint 3"].map(str::to_string)),
        1 => commands.extend(["time_settings 1 0 0", "reg_genmove b", "time_settings none"].map(str::to_string)),
        _ => {}
    }
    commands.push("final_score".to_string());
    commands
}

#[test]
fn games_follow_the_warm_up() {
    let wanted = |text: &str| wanted(Some(text.to_string()));
    assert_eq!((wanted("1"), wanted("100"), wanted("100000")), (2 * WARM, 2 * WARM, 100_000));
}

#[test]
fn games_without_growth() {
    let mut rng = StdRng::seed_from_u64(41);
    let mut engine = Process::start(&["gtp", "--hash", "4", "--threads", "2", "--no-book"]);
    let (mut warm, mut most, begun) = (None, 0, Instant::now());
    let (mut number, wanted) = (0, wanted(std::env::var("OUTFLANK_SOAK").ok()));
    while number < wanted {
        let mut sent = 0;
        for _ in 0..BATCH {
            let commands = game(number, &mut rng);
            sent += commands.len();
            engine.send(&(commands.join("\n") + "\n"));
            number += 1;
        }
        for _ in 0..sent {
            let answer = engine.answer();
            assert!(answer.starts_with('='), "game {number}: {answer}");
        }
        let Some(memory) = engine.memory() else {
            shared_data::skipped("a system that tells how much memory a process has");
            return;
        };
        if number == WARM {
            warm = Some(memory);
        }
        most = most.max(memory);
        if number.is_multiple_of(10_000) {
            println!("{number} games, {memory} KiB, {:.0?}", begun.elapsed());
        }
    }
    let warm = warm.expect("more games than the warm-up");
    println!("{number} games, {warm} KiB after {WARM}, {most} KiB at most, {:.0?}", begun.elapsed());
    assert!(most <= warm + GROWTH, "{warm} KiB after {WARM} games, {most} KiB later");
}
