//! Matches of the general search against simple players, rule set by rule set. Those of all rules run with
//!
//! `OUTFLANK_GAMES=100 OUTFLANK_NODES=3000000 cargo test --release --test general_strength -- --ignored --nocapture`
//!
//! Three million nodes are about a second of one core; the default of 4000 is a small fraction of it, enough to win.

use std::sync::Arc;

use outflank::rules::{Color, Move, Objective, Position};
use outflank::search::general::Searcher;
use outflank::search::{Goal, Limits, StopToken};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

/// A player that looks one move ahead.
#[derive(Clone, Copy, Debug)]
enum Simple {
    /// The most (or fewest) discs after the move.
    Greedy,
    /// The fewest replies for the opponent.
    Mobility,
}

impl Simple {
    fn choose(self, position: &Position, rng: &mut StdRng) -> Move {
        let side = position.side_to_move();
        let value = |mv: &Move| {
            let next = position.play(*mv).expect("legal");
            match self {
                Simple::Greedy => {
                    let difference = next.discs(side).count() as i32 - next.discs(!side).count() as i32;
                    if position.rules().objective() == Objective::Most { difference } else { -difference }
                }
                // a forced pass is no reply
                Simple::Mobility => -(next.legal_moves().iter().filter(|mv| **mv != Move::Pass).count() as i32),
            }
        };
        let moves = position.legal_moves();
        let best = moves.iter().map(value).max().expect("moves");
        let equal: Vec<Move> = moves.into_iter().filter(|mv| value(mv) == best).collect();
        *equal.choose(rng).expect("moves")
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}: {text}")))
}

/// Wins and draws of the search in games with alternating colours, each after two random moves.
fn play(rules: &str, opponent: Simple, games: u64, nodes: u64) -> (u64, u64, f64) {
    let rules = Arc::new(rules.parse().unwrap_or_else(|error| panic!("{rules}: {error}")));
    let mut rng = StdRng::seed_from_u64(7);
    let (mut wins, mut draws, mut discs) = (0, 0, 0);
    for game in 0..games {
        let engine = if game % 2 == 0 { Color::Black } else { Color::White };
        let mut searcher = Searcher::new(8);
        let mut position = Position::start(Arc::clone(&rules));
        let mut random = 2;
        while !position.is_game_over() {
            let placing = position.placements_left() > 0;
            let mv = if random > 0 && !placing {
                random -= 1;
                let moves = position.legal_moves();
                moves[rng.random_range(0..moves.len())]
            } else if position.side_to_move() == engine {
                let limits = Limits { nodes: Some(nodes), ..Limits::new(Goal::Unlimited) };
                searcher.search(&position, &limits, 1, &StopToken::new(), &mut |_| {}).unwrap().lines[0].mv
            } else {
                opponent.choose(&position, &mut rng)
            };
            position = position.play(mv).expect("legal");
        }
        let score = position.final_score(false);
        discs += if engine == Color::Black { score } else { -score };
        match position.winner() {
            Some(color) if color == engine => wins += 1,
            None => draws += 1,
            _ => {}
        }
    }
    (wins, draws, discs as f64 / games as f64)
}

/// Greedy play is what wipes out a side of few discs, which there are long on large boards.
#[test]
fn is_not_wiped_out_on_large_boards() {
    for rules in ["othello:10x10", "othello:14x14", "othello:16x16", "othello:14x14,one"] {
        let (wins, _, discs) = play(rules, Simple::Greedy, 8, 200);
        assert_eq!(wins, 8, "{rules}: {discs} discs a game");
    }
}

#[test]
#[ignore = "minutes to hours, depending on OUTFLANK_NODES"]
fn beats_simple_players_under_every_rule_set() {
    let (games, nodes) = (number("OUTFLANK_GAMES", 100), number("OUTFLANK_NODES", 4000));
    let only = std::env::var("OUTFLANK_RULES").ok();
    let all = "othello reveris ravensburger ravensburger-one traveller traveller-all hungarian reversi:parallel \
               ravensburger-one:6x6 traveller:6x6 traveller-all:6x6 othello:10x10 ravensburger-one:10x10 \
               traveller:10x10 othello:12x12 othello:14x14 othello:16x16 \
               othello:12x12,one othello:16x16,one othello:fewest ravensburger-one:fewest";
    let mut weak = Vec::new();
    println!("{games} games, {nodes} nodes a move");
    for rules in only.as_deref().unwrap_or(all).split_whitespace() {
        for opponent in [Simple::Greedy, Simple::Mobility] {
            let (wins, draws, discs) = play(rules, opponent, games, nodes);
            let line = format!(
                "{rules:<24} {:<9} {wins:>3} won {draws:>2} drawn {discs:>+6.1} discs a game",
                format!("{opponent:?}")
            );
            println!("{line}");
            if wins * 100 < games * 95 {
                weak.push(line);
            }
        }
    }
    assert!(weak.is_empty(), "less than 95 % won:\n{}", weak.join("\n"));
}
