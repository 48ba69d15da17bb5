//! Random games of every preset and of random rule combinations, compared move by move with the naive second
//! implementation of the rules in `tests/naive`.

mod naive;

use std::collections::BTreeSet;
use std::sync::Arc;

use naive::{NaiveGame, NaiveRules};
use outflank::game::Game;
use outflank::rules::{Color, Move, Point, Position, RuleSet};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

const STARTS: [&str; 4] = ["crossed", "crossed-mirrored", "parallel", "placement"];

/// How often things happened that random games may miss.
#[derive(Default, Debug)]
struct Seen {
    passes: u32,
    passes_for_want_of_discs: u32,
    early_ends: u32,
    equal: u32,
    wins: [u32; 2],
}

fn letter(color: Color) -> char {
    if color == Color::Black { '1' } else { '2' }
}

/// Compares everything visible of one state.
fn compare(position: &Position, naive: &NaiveGame, text: &str) {
    let rules = position.rules();
    assert_eq!(letter(position.side_to_move()), naive.to_move(), "{text}: side to move");
    for row in 0..rules.rows() {
        for column in 0..rules.columns() {
            let point = Point { row, column };
            let nothing = if rules.holes().contains(point) { ' ' } else { '.' };
            let cell = position.disc_at(point).map_or(nothing, letter);
            assert_eq!(cell, naive.cell(row as i32, column as i32), "{text}: row {row} column {column}");
        }
    }
    let expected = naive.placements(naive.to_move());
    let legal = position.legal_moves();
    let listed: BTreeSet<String> = legal.iter().map(Move::to_string).collect();
    assert_eq!(listed.len(), legal.len(), "{text}: a move listed twice");
    let over = naive.is_over();
    assert_eq!(position.is_game_over(), over, "{text}");
    assert_eq!(position.must_pass(), expected.is_empty() && !over, "{text}");
    if position.must_pass() {
        assert_eq!(legal, [Move::Pass], "{text}");
    } else {
        assert_eq!(listed, expected.keys().cloned().collect(), "{text}: legal moves");
        assert!(position.play(Move::Pass).is_err(), "{text}: a pass must be forced");
    }
    for mv in legal.iter().filter(|mv| **mv != Move::Pass) {
        let mut flips: Vec<String> = position.flips(*mv).iter().map(|point| point.to_string()).collect();
        let mut turned: Vec<String> =
            expected[&mv.to_string()].iter().map(|&(row, column)| naive::name(row, column)).collect();
        flips.sort();
        turned.sort();
        assert_eq!(flips, turned, "{text}: flips of {mv}");
    }
    for color in [Color::Black, Color::White] {
        if let Some(hand) = position.in_hand(color) {
            assert_eq!(hand as i32, naive.in_hand(letter(color)), "{text}: in hand");
        }
    }
    if position.empty_count().is_multiple_of(4) {
        assert_eq!(position.to_string().parse::<Position>().as_ref(), Ok(position), "{text}: text form");
    }
}

/// Every placement that is not legal is refused.
fn refuses_the_rest(position: &Position, text: &str) {
    let legal = position.legal_moves();
    let rules = position.rules();
    for index in 0..17 * 17u32 {
        let at = Point { row: (index / 17) as u8, column: (index % 17) as u8 };
        let directions = outflank::rules::Direction::ALL.into_iter().map(Some).chain([None]);
        for mv in directions.map(|direction| Move::Place { at, direction }) {
            let on_board = at.row < rules.rows() && at.column < rules.columns();
            if !on_board || !legal.contains(&mv) {
                assert!(position.play(mv).is_err(), "{text}: {mv} accepted");
            }
        }
    }
}

/// Plays a random game by both implementations.
fn random_game(text: &str, naive_rules: &NaiveRules, rng: &mut StdRng, seen: &mut Seen) {
    let rules: RuleSet = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut game = Game::new(Arc::new(rules));
    let mut naive = NaiveGame::new(naive_rules.clone());
    let probe = rng.random_range(0..40);
    while !game.position().is_game_over() {
        compare(game.position(), &naive, text);
        if game.moves().len() == probe {
            refuses_the_rest(game.position(), text);
        }
        let choices: Vec<String> = naive.placements(naive.to_move()).into_keys().collect();
        match choices.choose(rng) {
            Some(choice) => {
                let mv = outflank::formats::parse_move(game.position(), choice)
                    .unwrap_or_else(|error| panic!("{text}: {error}"));
                game.play(mv).unwrap_or_else(|error| panic!("{text}: {error}"));
                naive.place(choice);
            }
            None => {
                seen.passes += 1;
                seen.passes_for_want_of_discs +=
                    u32::from(game.position().in_hand(game.position().side_to_move()) == Some(0));
                game.play(Move::Pass).unwrap_or_else(|error| panic!("{text}: {error}"));
                naive.pass();
            }
        }
    }
    let end = game.position().clone();
    compare(&end, &naive, text);
    assert_eq!(end.winner().map_or('=', letter), naive.winner(), "{text}: winner");
    assert_eq!(end.final_score(false), naive.score(false), "{text}: score");
    assert_eq!(end.final_score(true), naive.score(true), "{text}: score of discs only");
    seen.early_ends += u32::from(end.empty_count() > 0);
    match end.winner() {
        Some(color) => seen.wins[color.index()] += 1,
        None => seen.equal += 1,
    }
    // undo goes back through the very same states
    let states = game.positions().to_vec();
    for state in states.iter().rev().skip(1) {
        game.undo().expect("a move to undo");
        assert_eq!(game.position(), state);
    }
    assert_eq!(game.undo(), None);
}

#[test]
fn presets_agree_with_the_naive_rules() {
    let othello = NaiveRules {
        rows: 8,
        columns: 8,
        start: "crossed",
        one_direction: false,
        own_supply: false,
        second_wins: false,
        fewest: false,
        holes: Vec::new(),
        corners: Vec::new(),
    };
    // three squares at each corner of ten by ten
    let cut = |row: i32, column: i32| row.min(9 - row) + column.min(9 - column) <= 1;
    let octagon = (0..10).flat_map(|row| (0..10).map(move |column| (row, column))).filter(|&(r, c)| cut(r, c));
    let large = NaiveRules { rows: 10, columns: 10, ..othello.clone() };
    let ravensburger = NaiveRules { second_wins: true, ..othello.clone() };
    let traveller = NaiveRules { start: "placement", one_direction: true, own_supply: true, ..othello.clone() };
    let presets = [
        ("othello", othello.clone()),
        // the sheet's e4, d5 and e5, d4 in chess coordinates
        ("reveris", othello.clone()),
        ("ravensburger", ravensburger.clone()),
        ("ravensburger-one", NaiveRules { one_direction: true, ..ravensburger }),
        ("traveller", traveller.clone()),
        ("traveller-all", NaiveRules { one_direction: false, ..traveller }),
        // o (first) on d5 and e4 with rows numbered from the bottom
        ("hungarian", NaiveRules { start: "crossed-mirrored", ..othello.clone() }),
        ("reversi", othello.clone()),
        ("reversi10", large.clone()),
        ("octagon", NaiveRules { holes: octagon.collect(), ..large }),
        ("handicap", NaiveRules { corners: vec![(0, 0)], ..othello.clone() }),
        ("handicap:3", NaiveRules { corners: vec![(0, 0), (7, 7), (0, 7)], ..othello.clone() }),
    ];
    assert_eq!(presets.len(), outflank::rules::presets::PRESETS.len() + 1);
    let mut rng = StdRng::seed_from_u64(1);
    let mut seen = Seen::default();
    for (name, rules) in &presets {
        for _ in 0..25 {
            random_game(name, rules, &mut rng, &mut seen);
        }
    }
    assert!(seen.passes > 50 && seen.early_ends > 5 && seen.equal > 2, "{seen:?}");
    assert!(seen.wins.iter().all(|wins| *wins > 50), "{seen:?}");
}

/// Some squares outside the 4x4 block in the middle, so that a game can begin.
fn random_holes(rows: i32, columns: i32, rng: &mut StdRng) -> Vec<(i32, i32)> {
    let outside = |at: i32, side: i32| at < side / 2 - 2 || at > side / 2 + 1;
    let all = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    all.filter(|&(row, column)| (outside(row, rows) || outside(column, columns)) && rng.random_bool(0.15)).collect()
}

#[test]
fn random_rule_combinations_agree_with_the_naive_rules() {
    let mut rng = StdRng::seed_from_u64(2);
    let mut seen = Seen::default();
    let mut tested = BTreeSet::new();
    while tested.len() < 200 {
        let side = |rng: &mut StdRng| rng.random_range(4..=16);
        let (rows, columns) = (side(&mut rng), side(&mut rng));
        let holes = if rng.random_bool(0.4) { random_holes(rows, columns, &mut rng) } else { Vec::new() };
        let rules = NaiveRules {
            rows,
            columns,
            start: STARTS[rng.random_range(0..4)],
            one_direction: rng.random(),
            own_supply: rng.random(),
            second_wins: rng.random(),
            fewest: rng.random(),
            holes,
            corners: Vec::new(),
        };
        let preset = outflank::rules::presets::PRESETS[rng.random_range(0..8)].name;
        let word = |yes: bool, words: [&'static str; 2]| words[usize::from(yes)];
        let names: Vec<String> = rules.holes.iter().map(|&(row, column)| naive::name(row, column)).collect();
        let text = format!(
            "{preset}:{}x{},{},{},{},{},{}{}{}",
            rules.rows,
            rules.columns,
            rules.start,
            word(rules.one_direction, ["all", "one"]),
            word(rules.own_supply, ["shared", "own"]),
            word(rules.second_wins, ["draw", "second-wins"]),
            word(rules.fewest, ["most", "fewest"]),
            if names.is_empty() { "" } else { ",holes=" },
            names.join(","),
        );
        if tested.insert(text.clone()) {
            // small boards end quickly and meet the rare cases
            let games = if rules.rows * rules.columns <= 48 { 6 } else { 1 };
            (0..games).for_each(|_| random_game(&text, &rules, &mut rng, &mut seen));
        }
    }
    assert!(seen.passes > 200 && seen.early_ends > 50 && seen.equal > 5, "{seen:?}");
}

/// Discs run out only when one side has passed often: small boards, many games.
#[test]
fn games_in_which_discs_run_out_agree_with_the_naive_rules() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut seen = Seen::default();
    for (rows, columns) in [(4, 4), (4, 6), (6, 4), (6, 6), (5, 5), (4, 7)] {
        for one_direction in [false, true] {
            let start = "crossed";
            let rules = NaiveRules {
                rows,
                columns,
                start,
                one_direction,
                own_supply: true,
                second_wins: false,
                fewest: false,
                holes: Vec::new(),
                corners: Vec::new(),
            };
            let text = format!("othello:{rows}x{columns},own,{}", if one_direction { "one" } else { "all" });
            (0..150).for_each(|_| random_game(&text, &rules, &mut rng, &mut seen));
        }
    }
    assert!(seen.passes_for_want_of_discs > 20, "{seen:?}");
}
