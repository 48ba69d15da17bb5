//! Games on real clocks: no flag falls, and the time is spent.
//!
//! 17 clocks, 1 and 2 threads, on a machine that is idle and on one that is busy with as much again. The table says how
//! much of its time the engine used, apart from moves that were solved before their time was up. It takes seven minutes and
//! wants a machine on which nothing else runs:
//!
//! ```text
//! cargo test --profile quick --test clock_matrix -- --ignored --nocapture
//! ```
//!
//! `OUTFLANK_CLOCKS=3` takes every third clock, `OUTFLANK_CLOCKS=17` the first one only, `OUTFLANK_CLOCKS='0.1 s/move,1+0.1'`
//! those that are named.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use outflank::engine::{Engine, Options};
use outflank::game::Game;
use outflank::play::{Overhead, Player, PlayerOptions, Strength, TimeControl};
use outflank::rules::Position;
use outflank::search::{Goal, Selectivity};

/// Times for each move, main times, increments, periods behind main times and without.
fn clocks() -> Vec<TimeControl> {
    let per_move = [50, 100, 200].map(|ms| TimeControl::PerMove(Duration::from_millis(ms)));
    let others = [
        "1", "2", "5", "1+0.1", "2+0.05", "0+0.1", "0+0.2", "0+1/5", "0+2/10", "0.5+1/5", "1+0.2/1", "2+0.1/1",
        "1+0.5/3", "3+1/10",
    ];
    per_move.into_iter().chain(others.map(|text| text.parse().unwrap())).collect()
}

/// Every so-many-th clock, or those of these names.
fn wanted(text: &str) -> Vec<TimeControl> {
    let found: Vec<TimeControl> = match text.parse() {
        Ok(step) if step > 0 => clocks().into_iter().step_by(step).collect(),
        // `1` and the like are numbers; with a comma they are clocks
        _ => clocks().into_iter().filter(|clock| text.split(',').any(|name| clock.to_string() == name)).collect(),
    };
    assert!(!found.is_empty(), "OUTFLANK_CLOCKS={text}");
    found
}

fn player(engine: Engine, strength: Strength) -> Player {
    let options = PlayerOptions { strength, overhead: Overhead::THREAD, ..PlayerOptions::default() };
    Player::new(engine, Game::from_position(Position::default()), options)
}

/// What came of a game.
#[derive(Debug)]
struct Played {
    /// Time used by all moves.
    used: Duration,
    /// Time that the clock gave for it.
    given: Duration,
    /// The move that came closest to its limit, as a share of it; above one, the flag fell.
    closest: f64,
    moves: u32,
}

impl Played {
    fn share(&self) -> f64 {
        self.used.as_secs_f64() / self.given.as_secs_f64()
    }
}

/// What a clock gives for the game at the start, and for each move that is not solved: in main time, and behind it.
fn budget(control: TimeControl) -> (Duration, [Duration; 2]) {
    let zero = Duration::ZERO;
    match control {
        TimeControl::None => (zero, [zero; 2]),
        TimeControl::PerMove(time) => (zero, [time; 2]),
        TimeControl::Game { main, increment } => (main, [increment; 2]),
        TimeControl::Canadian { main, period, moves } => (main, [zero, period / moves]),
    }
}

/// The engine as black on a clock against one that looks a ply ahead.
fn play(control: TimeControl, threads: usize) -> Played {
    let mut engine = player(Engine::new(Options { hash_mib: 16, threads }), Strength::default());
    let weak = Strength { goal: Some(Goal::Depth(1, Selectivity::NONE)), ..Strength::default() };
    let mut opponent = player(Engine::new(Options { hash_mib: 1, threads: 1 }), weak);
    engine.set_time_control(control);
    let (main, each) = budget(control);
    let mut played = Played { used: Duration::ZERO, given: main, closest: 0.0, moves: 0 };
    while !engine.position().is_game_over() {
        let side = engine.position().side_to_move();
        let is_own = side == outflank::rules::Color::Black;
        let mover = if is_own { &mut engine } else { &mut opponent };
        let clock = *mover.clocks().of(side);
        let begun = Instant::now();
        let choice = mover.choose(&mut |_| {}).unwrap();
        let took = begun.elapsed();
        if is_own && choice.report.is_some() {
            let limit = clock.limit().expect("a clock");
            played.closest = played.closest.max(took.as_secs_f64() / limit.as_secs_f64());
            played.used += took;
            played.moves += 1;
            if choice.report.as_ref().is_some_and(|report| !report.is_exact()) {
                played.given += each[usize::from(clock.moves().is_some())];
            }
            engine.spend(side, took);
        }
        engine.play(choice.mv).unwrap();
        opponent.play(choice.mv).unwrap();
    }
    played
}

/// Ends the other work, also when a game fails.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
#[ignore = "takes minutes, on a machine that does nothing else"]
fn time_is_spent_and_no_flag_falls() {
    let clocks = wanted(&std::env::var("OUTFLANK_CLOCKS").unwrap_or_else(|_| "1".to_string()));
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (mut flags, mut shares, mut idle) = (0, Vec::new(), Vec::new());
    println!("clock         threads  machine  moves    used   given  share  closest to the limit");
    for busy in [false, true] {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..if busy { cores } else { 0 } {
                scope.spawn(|| {
                    while !over.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            let _end = Over(&over);
            for (&control, threads) in clocks.iter().flat_map(|control| [(control, 1), (control, 2)]) {
                let played = play(control, threads);
                let (used, given) = (played.used.as_secs_f64(), played.given.as_secs_f64());
                println!(
                    "{:13} {threads:7}  {:7}  {:5} {used:6.2}s {given:6.2}s  {:4.0}%  {:4.0}%",
                    control.to_string(),
                    if busy { "busy" } else { "idle" },
                    played.moves,
                    100.0 * played.share(),
                    100.0 * played.closest
                );
                flags += u32::from(played.closest > 1.0);
                shares.push(played.share());
                if !busy {
                    idle.push((control.to_string(), threads, played.share()));
                }
            }
        });
    }
    let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
    println!("{} games, {flags} flags, at least {:.0}% of the time used", shares.len(), 100.0 * least);
    assert_eq!(flags, 0);
    let short: Vec<_> = idle.iter().filter(|(_, _, share)| *share < 0.85).collect();
    assert!(short.is_empty(), "less than 85 % used: {short:?}");
}
