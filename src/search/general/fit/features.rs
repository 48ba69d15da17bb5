//! Weights of features alone ([`crate::eval::handmade`]).

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use crate::equations::solve;
use crate::eval::handmade::{DISC, FEATURES, NAMES, PHASES, Weights, place, weights_for};
use crate::rules::{Color, Position};
use crate::search::general::Searcher;
use crate::search::general::eval::features;
use crate::search::general::set::U256;
use crate::search::general::state::Rules;
use crate::search::{Goal, Limits, Selectivity, StopToken};

const UNKNOWNS: usize = FEATURES * PHASES;
/// Games a size.
const GAMES: usize = 400;

/// The normal equations.
struct Equations {
    matrix: Vec<[f64; UNKNOWNS]>,
    right: [f64; UNKNOWNS],
    count: f64,
    squares: f64,
}

impl Equations {
    fn add(&mut self, row: &[f64; UNKNOWNS], target: f64) {
        for i in 0..UNKNOWNS {
            if row[i] != 0.0 {
                self.right[i] += row[i] * target;
                (0..UNKNOWNS).for_each(|j| self.matrix[i][j] += row[i] * row[j]);
            }
        }
        self.count += 1.0;
        self.squares += target * target;
    }

    /// Draws the weights of a feature at neighbouring points of the game together.
    fn smooth(&mut self, strength: f64) {
        for feature in 0..FEATURES {
            let at = |phase: usize| phase * FEATURES + feature;
            let mean = (0..PHASES).map(|phase| self.matrix[at(phase)][at(phase)]).sum::<f64>() / PHASES as f64;
            for phase in 0..PHASES - 1 {
                let (a, b, pull) = (at(phase), at(phase + 1), strength * mean + 1.0);
                self.matrix[a][a] += pull;
                self.matrix[b][b] += pull;
                self.matrix[a][b] -= pull;
                self.matrix[b][a] -= pull;
            }
        }
    }
}

/// Plays a game and adds its positions to the equations.
fn play(text: &str, rng: &mut StdRng, equations: &mut Equations) {
    let mut position = Position::start(Arc::new(text.parse().expect("rules")));
    let rules: Rules<U256> = Rules::new(&position, false);
    let squares = position.rules().squares();
    let mut searcher = Searcher::new(1);
    let mut rows = Vec::new();
    let random_until = squares - 4 - squares / 6;
    let exact_from = if rules.one { 7 } else { 9 };
    while !position.is_game_over() {
        let empties = position.empty_count();
        if position.placements_left() == 0 {
            let values = features(&rules, &rules.state(&position));
            let (low, part) = place(empties, squares);
            let mut row = [0.0; UNKNOWNS];
            for (i, value) in values.into_iter().enumerate() {
                row[low * FEATURES + i] = value as f64 * (256 - part) as f64 / 256.0;
                row[(low + 1) * FEATURES + i] = value as f64 * part as f64 / 256.0;
            }
            rows.push((row, position.side_to_move()));
        }
        let random = empties > random_until || (empties > exact_from && rng.random_range(0..12) == 0);
        let mv = if random {
            *position.legal_moves().choose(rng).expect("moves")
        } else {
            let goal = if empties <= exact_from { Goal::Exact } else { Goal::Depth(3, Selectivity::NONE) };
            searcher.search(&position, &Limits::new(goal), 1, &StopToken::new(), &mut |_| {}).unwrap().lines[0].mv
        };
        position = position.play(mv).expect("legal");
    }
    let limit = squares as f64 * 0.6;
    let score = (position.final_score(false) as f64).clamp(-limit, limit) * DISC as f64;
    for (row, side) in &rows {
        equations.add(row, if *side == Color::Black { score } else { -score });
    }
}

#[test]
#[ignore = "minutes; prints weights"]
fn fit_weights() {
    for (name, rules) in
        [("ALL_MOST", "all"), ("ONE_MOST", "one"), ("ALL_FEWEST", "all,fewest"), ("ONE_FEWEST", "one,fewest")]
    {
        let mut equations =
            Equations { matrix: vec![[0.0; UNKNOWNS]; UNKNOWNS], right: [0.0; UNKNOWNS], count: 0.0, squares: 0.0 };
        let mut rng = StdRng::seed_from_u64(5);
        for game in 0..3 * GAMES {
            let size = ["6x6", "8x8", "8x8"][game % 3];
            let start = ["crossed", "parallel"].choose(&mut rng).expect("starts");
            play(&format!("othello:{size},{start},{rules}"), &mut rng, &mut equations);
        }
        let (count, squares, right) = (equations.count, equations.squares, equations.right);
        equations.smooth(0.05);
        let weights = solve(&equations.matrix, &equations.right);
        let explained: f64 = weights.iter().zip(right).map(|(weight, right)| weight * right).sum();
        println!("// {} positions, {:.0} % of the variance; {}", count, 100.0 * explained / squares, NAMES.join(" "));
        println!("pub(super) const {name}: Weights = [");
        for phase in weights.chunks(FEATURES) {
            println!("    {:?},", phase.iter().map(|weight| weight.round() as i16).collect::<Vec<i16>>());
        }
        println!("];");
    }
}

/// Discs by which `first` beats `second` on average, and its points, in pairs of games from random openings.
fn play_match(text: &str, first: &Weights, second: &Weights, pairs: u32) -> (f64, f64) {
    let mut rng = StdRng::seed_from_u64(6);
    let (mut discs, mut points) = (0.0, 0.0);
    for _ in 0..pairs {
        let mut opening = Position::start(Arc::new(text.parse().expect("rules")));
        for _ in 0..10 {
            let Some(mv) = opening.legal_moves().choose(&mut rng).copied() else { break };
            opening = opening.play(mv).expect("legal");
        }
        for side in [Color::Black, Color::White] {
            let mut players = [first, second].map(|weights| Searcher { weights: Some(*weights), ..Searcher::new(1) });
            let mut position = opening.clone();
            while !position.is_game_over() {
                let player = usize::from(position.side_to_move() != side);
                let limits = Limits { nodes: Some(2000), ..Limits::new(Goal::Unlimited) };
                let report = players[player].search(&position, &limits, 1, &StopToken::new(), &mut |_| {}).unwrap();
                position = position.play(report.lines[0].mv).expect("legal");
            }
            let sign = if side == Color::Black { 1 } else { -1 };
            let score = sign * position.final_score(false);
            discs += score as f64;
            points += (score.signum() + 1) as f64 / 2.0;
        }
    }
    let games = f64::from(2 * pairs);
    (discs / games, points / games)
}

/// Weights set by hand before there were fitted ones: the yardstick for others.
const HAND_MOST: Weights = [
    [64, 30, 600, -260, -120, 80, 0, -20, 0],
    [64, 30, 600, -260, -120, 90, 0, -20, 0],
    [64, 20, 500, -180, -80, 100, 0, 0, 40],
    [40, 10, 260, -80, -40, 80, 0, 40, 80],
];
const HAND_FEWEST: Weights = [
    [40, 20, -500, 100, 60, -80, 0, -20, 0],
    [40, 20, -500, 100, 60, -80, 0, -20, 0],
    [40, 10, -400, 80, 40, -80, 0, -30, 0],
    [20, 0, -200, 40, 20, -60, 0, -50, 0],
];

/// Judges the weights in force against those set by hand: 120 games each with 2000 nodes a move.
#[test]
#[ignore = "minutes; prints scores"]
fn compare_weights() {
    let trials = [("all", HAND_MOST), ("one", HAND_MOST), ("all,fewest", HAND_FEWEST), ("one,fewest", HAND_FEWEST)];
    for (rules, by_hand) in &trials {
        let text = format!("othello:8x8,{rules}");
        let fitted = weights_for(&text.parse().expect("rules"));
        let (discs, points) = play_match(&text, fitted, by_hand, 60);
        println!("{text:<28} {:.1} %, {discs:+.2} discs a game", 100.0 * points);
        assert!(points > 0.5, "{text}");
    }
}
