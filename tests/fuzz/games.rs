//! Random games by every rule set.

use std::sync::Arc;

use outflank::game::Game;
use outflank::rules::RuleSet;
use outflank::rules::presets::PRESETS;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// All presets, and changes of them.
pub fn rule_sets() -> Vec<Arc<RuleSet>> {
    let changed = ["othello:6x6,parallel", "othello:4x8", "othello:16x12", "othello:6x8,placement,one,own"];
    let more = ["hungarian:6x4,fewest", "traveller-all:4x10,colors=Rot/Grün", "reversi:4x6,own,start=6/1XX1O1/2XOO1/6"];
    let names = PRESETS.iter().map(|preset| preset.name).chain(changed).chain(more);
    names.map(|name| Arc::new(name.parse().unwrap_or_else(|error| panic!("{name}: {error}")))).collect()
}

/// Plays moves chosen by numbers, until they or the game end.
pub fn play(rules: &Arc<RuleSet>, choices: impl IntoIterator<Item = usize>) -> Game {
    let mut game = Game::new(rules.clone());
    for choice in choices {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            break;
        }
        game.play(moves[choice % moves.len()]).unwrap();
    }
    game
}

/// A random game by every rule set, most of them cut short.
#[allow(dead_code, reason = "only the readers are given them")]
pub fn any_games(seed: u64) -> Vec<Game> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut numbers = |length| (0..length).map(|_| rng.random_range(0..1000)).collect::<Vec<usize>>();
    rule_sets().iter().enumerate().map(|(i, rules)| play(rules, numbers(4 + 12 * i))).collect()
}

/// Random games of othello to the end.
pub fn full_games(count: usize) -> Vec<Game> {
    let mut rng = StdRng::seed_from_u64(2);
    let rules = Arc::new(RuleSet::othello());
    (0..count).map(|_| play(&rules, (0..100).map(|_| rng.random_range(0..1000)).collect::<Vec<_>>())).collect()
}
