//! The sentences of the rule sheets that no other test holds the program to, and a check of the table
//! `src/rules/sentences.md`, which names a test for each of them.

use std::path::Path;
use std::sync::Arc;

use outflank::formats::board_text;
use outflank::game::Game;
use outflank::rules::presets::PRESETS;
use outflank::rules::{Bits, Color, Move, Position, RuleSet, Start};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

fn rules(text: &str) -> Arc<RuleSet> {
    Arc::new(text.parse().unwrap_or_else(|error| panic!("{text}: {error}")))
}

fn position(rules_text: &str, board: &str) -> Position {
    board_text::parse(board, &rules(rules_text)).unwrap_or_else(|error| panic!("{board}: {error}"))
}

fn squares(set: Bits) -> String {
    set.iter().map(|point| point.to_string()).collect::<Vec<String>>().join(" ")
}

/// Every sentence has a test that exists, or is advice; the nine games are all there.
#[test]
fn the_table_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(root.join("src/rules/sentences.md")).unwrap();
    let mut rows = 0;
    for line in table.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| sentence")) {
        let last = line.trim_end_matches('|').rsplit('|').next().unwrap().trim();
        rows += 1;
        let name = last.trim_start_matches("advice").trim_start_matches(';').trim();
        if name.is_empty() && last == "advice" {
            continue;
        }
        let (file, function) = name.trim_matches('`').split_once("::").unwrap_or_else(|| panic!("{line}"));
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let at = text.find(&format!("fn {function}()")).unwrap_or_else(|| panic!("{file} has no test {function}"));
        assert!(text[..at].trim_end().ends_with("#[test]"), "{file}::{function} is no test");
    }
    assert!(rows > 50, "{rows}");
    for game in
        PRESETS[..outflank::rules::presets::SHEETS].iter().map(|preset| preset.name).chain(["ravensburger-solo"])
    {
        assert!(table.contains(&format!("\n# {game}\n")), "{game} has no section");
    }
}

#[test]
fn discs_never_move_and_never_leave() {
    let mut rng = StdRng::seed_from_u64(17);
    for text in PRESETS.map(|preset| preset.name.to_string()).into_iter().chain(["othello:7x9,one,own".to_string()]) {
        let mut game = Game::new(rules(&text));
        while let Some(mv) = game.position().legal_moves().choose(&mut rng).copied() {
            let before = game.position().clone();
            game.play(mv).unwrap();
            let after = game.position();
            let all = |position: &Position| position.discs(Color::Black) | position.discs(Color::White);
            assert!((all(&before) & !all(after)).is_empty(), "{text}: a disc has left its square");
            let placed = u32::from(mv != Move::Pass);
            assert_eq!(all(after).count(), all(&before).count() + placed, "{text}: one disc a placement");
            if let Move::Place { at, .. } = mv {
                assert_eq!((before.disc_at(at), after.disc_at(at)), (None, Some(before.side_to_move())), "{text}");
            }
        }
        assert!(game.position().is_game_over());
    }
}

#[test]
fn all_outflanked_discs_turn() {
    // east, south and south-east of a1: there is no move that turns fewer
    let before = position("reversi:4x4", "-OOX OO-- O-X- X--- X");
    assert_eq!(before.moves_at("a1".parse().unwrap()), ["a1".parse().unwrap()]);
    let after = before.play("a1".parse().unwrap()).unwrap();
    assert_eq!(squares(before.flips("a1".parse().unwrap())), "b1 c1 a2 b2 a3");
    assert!(after.discs(Color::White).is_empty());
}

#[test]
fn no_chain_reactions() {
    // a1 turns b1; b1 and b4 then hold b2 and b3, which stay
    let before = position("othello:4x4", "-OX- -O-- -O-- -X-- X");
    let after = before.play("a1".parse().unwrap()).unwrap();
    assert_eq!(squares(after.discs(Color::Black)), "a1 b1 c1 b4");
    assert_eq!(squares(after.discs(Color::White)), "b2 b3");
}

#[test]
fn three_endings() {
    let over = |board: &str| {
        let end = position("reversi:4x4", board);
        assert_eq!((end.is_game_over(), end.legal_moves().len()), (true, 0), "{board}");
        end.winner()
    };
    assert_eq!(over("XXXX XXXX OOOO OOOX X"), Some(Color::Black), "a full board");
    assert_eq!(over("XX-- ---- ---- -OOO O"), Some(Color::White), "nobody can move");
    assert_eq!(over("XXX- X--- ---- ---- O"), Some(Color::Black), "a side without discs");
}

#[test]
fn a_shared_supply_never_binds() {
    // 15 of 16 discs lie there; whoever placed them, white places the last one
    let last = position("ravensburger:4x4", "-BGG BBGG GGGG GGGB B");
    assert_eq!([last.in_hand(Color::Black), last.in_hand(Color::White)], [None, None]);
    let black_only = position("ravensburger:4x4", "-GBB GGBB BBBB BBBB B");
    assert_eq!(squares(black_only.flips("a1".parse().unwrap())), "b1 a2 b2");
    assert!(black_only.play("a1".parse().unwrap()).unwrap().is_game_over());
}

#[test]
fn the_mover_chooses_the_direction() {
    for text in ["ravensburger-one:4x4", "traveller:4x4,crossed"] {
        let before = position(text, "-OX- O--- X--- ---- X");
        let legal: Vec<String> = before.moves_at("a1".parse().unwrap()).iter().map(Move::to_string).collect();
        assert_eq!(legal, ["a1:E", "a1:S"], "{text}");
        let after = before.play("a1:S".parse().unwrap()).unwrap();
        assert_eq!(
            (squares(before.flips("a1:S".parse().unwrap())), squares(after.discs(Color::White))),
            ("a2".into(), "b1".into())
        );
        assert!(before.play("a1".parse().unwrap()).is_err(), "{text}: turning is not optional");
    }
}

#[test]
fn equal_counts_of_every_preset() {
    for preset in &PRESETS {
        let text = format!("{}:6x6,rectangle,own", preset.name);
        let rules = if *preset.rules().start() == Start::Placement { format!("{text},crossed") } else { text };
        let end = position(&rules, "XXX--- ------ ------ ------ ------ OOO--- X");
        let winner = preset.name.starts_with("ravensburger").then_some(Color::White);
        assert!(end.is_game_over());
        assert_eq!(end.winner(), winner, "{}", preset.name);
    }
}

/// A game that ends with equal counts keeps its winner in every format of files.
#[test]
fn files_keep_the_winner_of_equal_counts() {
    let rules = rules("ravensburger:4x4");
    let end = Game::from_position(position("ravensburger:4x4", "GG-- ---- ---- -BB- G"));
    let record = outflank::formats::GameRecord::new(end);
    let winner = |record: &outflank::formats::GameRecord| record.result.unwrap().winner;
    assert_eq!(winner(&record), Some(Color::White));
    let ggf = outflank::formats::ggf::write(&record);
    assert_eq!(winner(&outflank::formats::ggf::parse_game(&ggf).unwrap()), Some(Color::White), "{ggf}");
    let sgf = outflank::formats::sgf::write(&record);
    assert!(sgf.contains("RE[W+0]"), "{sgf}");
    let read = outflank::formats::sgf::games(&sgf, rules).next().unwrap().unwrap();
    assert_eq!(winner(&read), Some(Color::White), "{sgf}");
}
