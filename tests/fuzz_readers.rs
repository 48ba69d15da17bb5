//! Whatever a file holds, reading it ends soon, takes little memory and does not panic; and what is written reads back.
//!
//! Two ways: real inputs are mutated (`mutated_inputs`), and random games are written and read again (the properties).
//! `OUTFLANK_FUZZ` is the number of mutated inputs, 10,000 when it is not set; a long run has a million:
//!
//! ```text
//! OUTFLANK_FUZZ=1000000 cargo test --profile quick --test fuzz_readers
//! ```
//!
//! A failure names the reader and the number of its input; `OUTFLANK_FUZZ_INPUT=NAME:NUMBER` reads that one alone.
#![cfg(feature = "tools")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use outflank::formats::stream::{FileKind, GameStream};
use outflank::formats::{GameRecord, board_text, files, obf, transcript};
use outflank::game::Game;
use outflank::rules::{Position, RuleSet};
use proptest::prelude::*;
use proptest::test_runner::Config;
use rand::SeedableRng;
use rand::rngs::StdRng;

use fuzz::games::{play, rule_sets};
use fuzz::watchdog::{Watchdog, only, wanted};

mod fuzz {
    pub mod books;
    pub mod games;
    pub mod mutate;
    pub mod readers;
    pub mod watchdog;
}

/// An input of at most 64 KiB is read in less than this, also by a machine that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(20);
/// The address space of the process may grow by this while it reads, in KiB. Inputs are small; what is large is the
/// arenas of the threads.
const MEMORY: u64 = 1 << 20;

/// The address space that the process has had at most, in KiB; `None` where the system does not say.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmPeak:"))?.trim().split(' ').next()?.parse().ok()
}

#[test]
fn mutated_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let targets = fuzz::readers::targets(folder.path().to_path_buf());
    let only = only();
    let watchdog = Watchdog::start(PATIENCE);
    let share: f64 = targets.iter().map(|target| 1.0 / target.share as f64).sum();
    for (number, target) in (0u64..).zip(&targets) {
        for (seed, bytes) in target.seeds.iter().enumerate() {
            watchdog.begins(&format!("{}, seed {seed}", target.name));
            let understood = (target.read)(bytes);
            assert!(understood > 0 || target.name == "weights", "{}: seed {seed} is not understood", target.name);
        }
        let (mut understood, before, begun) = (0, memory(), Instant::now());
        let count = (wanted() as f64 / share / target.share as f64).ceil() as u64;
        for input in 0..count {
            let name = format!("{}:{input}", target.name);
            if only.as_ref().is_some_and(|only| *only != name) {
                continue;
            }
            let mut rng = StdRng::seed_from_u64(number << 48 | input);
            let bytes = fuzz::mutate::mutated(&target.seeds, &mut rng);
            watchdog.begins(&name);
            let result = catch_unwind(AssertUnwindSafe(|| (target.read)(&bytes)));
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(2000)]).into_owned();
            assert!(result.is_ok(), "OUTFLANK_FUZZ_INPUT={name} fails (see above); it begins with\n{shown}");
            understood += u64::from(result.is_ok_and(|count| count > 0));
            if let (Some(before), Some(after)) = (before, memory().filter(|_| input % 64 == 0 || input + 1 == count)) {
                assert!(
                    after < before + MEMORY,
                    "{} KiB more for OUTFLANK_FUZZ_INPUT={name} or 63 before",
                    after - before
                );
            }
        }
        println!("{:12} {count:8} inputs, {understood} understood, in {:.1?}", target.name, begun.elapsed());
    }
}

/// Cases of each property: a twentieth of the mutated inputs.
fn cases() -> Config {
    Config { cases: (wanted() / 20).clamp(1, 100_000) as u32, failure_persistence: None, ..Config::default() }
}

/// A game of random moves by any rules.
fn any_game() -> impl Strategy<Value = Game> {
    let rules = rule_sets();
    (0..rules.len(), prop::collection::vec(0usize..1000, 0..70)).prop_map(move |(i, moves)| play(&rules[i], moves))
}

/// Text of the letters that mean something somewhere.
const TEXT: &str = "[XO\\-*.a-h1-9 :;/()\\[\\]\\\\\\n#%+@GMBWSZAP\u{e4}]{0,200}";

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn positions_round_trip(game in any_game()) {
        let (position, rules) = (game.position(), game.position().rules());
        let text = board_text::write(position);
        prop_assert_eq!(&board_text::parse(&text, rules).unwrap(), position);
        let words: Vec<&str> = text.split(' ').collect();
        prop_assert_eq!(board_text::parse_words(&words[..2], rules).map(|(_, count)| count), Ok(2));
        let (problem, line) = (obf::parse_line(&text, 1, rules).unwrap().unwrap(), text.clone() + ";");
        prop_assert_eq!(obf::write(&problem), line);
        let by_rules: Position = position.to_string().parse().unwrap();
        prop_assert_eq!(&by_rules, position);
    }

    #[test]
    fn a_square_more_or_less_is_noticed(game in any_game(), at in 0usize..256, add in any::<bool>()) {
        let text = board_text::write(game.position());
        let squares = game.position().rules().squares() as usize;
        let mut wrong = text.clone();
        if add {
            wrong.insert(at % squares, '-');
        } else {
            wrong.remove(at % squares);
        }
        prop_assert!(board_text::parse(&wrong, game.position().rules()).is_err(), "{}", wrong);
    }

    #[test]
    fn games_round_trip(game in any_game()) {
        let rules = game.start().rules().clone();
        let again = transcript::parse(game.start(), &transcript::write(&game));
        prop_assert_eq!(again.as_ref(), Ok(&game));
        for format in [FileKind::Ggf, FileKind::Sgf] {
            let text = files::games_to_text(&[GameRecord::new(game.clone())], format).unwrap();
            let mut games = GameStream::from_text(text.as_str(), "text", None, &rules);
            prop_assert_eq!(&games.next().unwrap().unwrap().game, &game, "{}", text);
            prop_assert!(games.next().is_none());
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in TEXT, kind in 0usize..3) {
        let format = [FileKind::Ggf, FileKind::Sgf, FileKind::Text][kind];
        let rules = Arc::new(RuleSet::othello());
        for game in GameStream::from_text(text.as_str(), "text", Some(format), &rules) {
            if let Err(error) = game {
                prop_assert!(!error.to_string().contains('\n'), "{}", error);
            }
        }
        for (_, problem) in obf::Reader::new(text.as_bytes(), rules) {
            if let Err(error) = problem {
                prop_assert!(!error.to_string().contains('\n'), "{}", error);
            }
        }
    }
}
