//! Texts from strangers: player descriptions and match records, damaged in every way. None may panic, and what is
//! accepted must be what it says. `OUTFLANK_FUZZ` sets the number of texts (10^6 in a long run).
#![cfg(feature = "cli")]

use std::fs;
use std::process::Command;

use outflank::game::Game;
use outflank::tournament::{Ending, GameRecord, PlayerKind, PlayerSpec, Statistics, TimeControl};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// Texts when nothing is said: about a second.
const DEFAULT_COUNT: usize = 3000;

fn count() -> usize {
    match std::env::var("OUTFLANK_FUZZ") {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("OUTFLANK_FUZZ={text} is not a number")),
        Err(_) => DEFAULT_COUNT,
    }
}

/// Words that mean something somewhere, and some that mean nothing.
const WORDS: [&str; 44] = [
    "outflank",
    "gtp",
    "nboard",
    "random",
    "greedy",
    "mobility",
    "level",
    "depth",
    "selectivity",
    "nodes",
    "time",
    "threads",
    "hash",
    "eval",
    "name",
    "pass",
    "auto",
    "send",
    "omit",
    "init",
    "dir",
    ",",
    ",",
    ",",
    ":",
    ":",
    "=",
    "=",
    "=",
    "'",
    "\"",
    " ",
    "0",
    "1",
    "60",
    "99999999999999999999",
    "-1",
    "73%",
    "1e9",
    "nan",
    "inf",
    "\0",
    "é",
    "\u{1F600}",
];

#[test]
fn player_descriptions() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut accepted = 0;
    for _ in 0..count() {
        let text: String = (0..rng.random_range(0..10)).map(|_| *WORDS.choose(&mut rng).unwrap()).collect();
        match text.parse::<PlayerSpec>() {
            Ok(spec) => {
                accepted += 1;
                assert_eq!(spec.text, text);
                assert!(spec.threads() > 0, "{text}");
                if let PlayerKind::External(config) = &spec.kind {
                    assert!(!config.command.is_empty(), "{text}");
                }
                // what was read is read again
                assert_eq!(format!("{:?}", text.parse::<PlayerSpec>().unwrap()), format!("{spec:?}"));
            }
            Err(error) => assert!(error.to_string().starts_with(&format!("player '{text}': ")), "{text}: {error}"),
        }
    }
    assert!(accepted * 100 > count(), "{accepted} accepted: the texts are too bad to be a test");
}

#[test]
fn clocks() {
    let mut rng = StdRng::seed_from_u64(2);
    let parts = ["0", "1", "60", "0.5", "+", "+", "/", "-", "e", "9", "99999", " ", "nan", ".", "1e-9"];
    for _ in 0..count() {
        let text: String = (0..rng.random_range(0..7)).map(|_| *parts.choose(&mut rng).unwrap()).collect();
        if let Ok(control) = text.parse::<TimeControl>() {
            let written = control.to_string();
            assert_eq!(written.parse::<TimeControl>().as_ref(), Ok(&control), "{text} is written as {written}");
        }
    }
}

/// The lines of a match that was played for this.
fn lines_of_a_match() -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_outflank"))
        .current_dir(folder.path())
        .args(["match", "random", "outflank,level=1", "--games", "6", "--json"])
        .output()
        .unwrap();
    assert!(status.status.success());
    let text = fs::read_to_string(folder.path().join("match.jsonl")).unwrap();
    text.lines().skip(1).map(str::to_string).collect()
}

/// Changes a few bytes or words, takes some away, or puts a piece somewhere else.
fn damage(line: &str, rng: &mut StdRng) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..bytes.len());
        let end = (at + rng.random_range(1..20)).min(bytes.len());
        match rng.random_range(0..6) {
            0 => bytes[at] = rng.random(),
            1 => bytes[at] = *b"0123456789{}[]\",:-eE".choose(rng).unwrap(),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece: Vec<u8> = bytes[at..end].to_vec();
                let to = rng.random_range(0..=bytes.len());
                bytes.splice(to..to, piece);
            }
            4 => drop(bytes.splice(at..at, *b"pass")),
            _ => bytes.truncate(end),
        }
    }
    bytes
}

#[test]
fn game_records() {
    let lines = lines_of_a_match();
    let mut rng = StdRng::seed_from_u64(3);
    let mut statistics = Statistics::new();
    let mut accepted = 0;
    let start = Game::default().position().clone();
    for _ in 0..count() {
        let line = damage(lines.choose(&mut rng).unwrap(), &mut rng);
        let Ok(game) = GameRecord::from_line(&line, &start) else { continue };
        accepted += 1;
        // what is accepted is a game that ended as it says, and can be counted and written
        let mut replay = Game::default();
        for played in &game.moves {
            let mv = outflank::formats::parse_move(replay.position(), &played.mv).unwrap();
            replay.play(mv).unwrap();
        }
        assert_eq!(game.ending == Ending::Board, replay.position().is_game_over() && game.score.is_some());
        statistics.add(&game);
        let text = serde_json::to_string(&game).unwrap();
        assert_eq!(GameRecord::from_line(text.as_bytes(), &start).as_ref(), Ok(&game), "{text}");
    }
    assert_eq!(statistics.games(), accepted as u64);
    assert!(accepted * 100 > count(), "{accepted} accepted: the records are too bad to be a test");
    for line in lines {
        assert!(GameRecord::from_line(line.as_bytes(), &start).is_ok());
    }
}
