//! Where the evaluation's weights come from: least squares of the final scores of games that the search plays
//! against itself; and how far searches with them are off. Run `cargo test --lib search::general::fit -- --ignored --nocapture` and
//! copy what it prints.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::Searcher;
use super::eval::features;
use super::set::U256;
use super::state::Rules;
use crate::eval::handmade::{DISC, FEATURES, NAMES, PHASES, Weights, place, weights_for};
use crate::rules::{Color, Position};
use crate::search::selective::probe_depth;
use crate::search::{Goal, Limits, Report, Selectivity, StopToken};

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

/// The solution of linear equations: gaussian elimination.
fn solve<const N: usize>(mut matrix: Vec<[f64; N]>, mut right: [f64; N]) -> [f64; N] {
    for i in 0..N {
        let pivot = (i..N).max_by(|a, b| matrix[*a][i].abs().total_cmp(&matrix[*b][i].abs())).expect("rows");
        matrix.swap(i, pivot);
        right.swap(i, pivot);
        for j in i + 1..N {
            let factor = matrix[j][i] / matrix[i][i];
            (i..N).for_each(|k| matrix[j][k] -= factor * matrix[i][k]);
            right[j] -= factor * right[i];
        }
    }
    for i in (0..N).rev() {
        let sum: f64 = (i + 1..N).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    right
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
        let weights = solve(equations.matrix, equations.right);
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

/// Plies of the deepest searches whose errors are measured.
const DEEPEST: usize = 7;
/// What the logarithm of an error is the sum of: 1, plies of the probe, plies of the search, share of empty squares, logarithm of
/// the number of squares.
const TERMS: usize = 5;

/// A position with more than one move, of which a fifth to five sixths of the squares are empty, from a game of searches of two plies and,
/// every sixth time, random moves.
fn sample(text: &str, rng: &mut StdRng) -> Option<Position> {
    let mut position = Position::start(Arc::new(text.parse().expect("rules")));
    let squares = position.rules().squares();
    let wanted = rng.random_range(squares / 5..squares * 17 / 20);
    let mut searcher = Searcher::new(1);
    while position.empty_count() > wanted || position.placements_left() > 0 {
        if position.is_game_over() {
            return None;
        }
        let mv = if rng.random_range(0..6) == 0 {
            *position.legal_moves().choose(rng).expect("moves")
        } else {
            let limits = Limits::new(Goal::Depth(2, Selectivity::NONE));
            searcher.search(&position, &limits, 1, &StopToken::new(), &mut |_| {}).unwrap().lines[0].mv
        };
        position = position.play(mv).expect("legal");
    }
    (position.legal_moves().len() > 1).then_some(position)
}

/// The share of empty squares of such a position, and its values by searches of 0, 1, 2 and more plies.
fn values(text: &str, seed: u64) -> Option<(f64, Vec<f64>)> {
    let position = sample(text, &mut StdRng::seed_from_u64(seed))?;
    let share = position.empty_count() as f64 / position.rules().squares() as f64;
    let depth = DEEPEST.min(position.empty_count() as usize - 1);
    let limits = Limits { nodes: Some(500_000), ..Limits::new(Goal::Depth(depth as u8, Selectivity::NONE)) };
    let mut values = vec![f64::from(super::static_value(&position))];
    let mut note = |report: &Report| values.push(f64::from(report.score));
    let report = Searcher::new(16).search(&position, &limits, 1, &StopToken::new(), &mut note).unwrap();
    values.truncate(values.len() - usize::from(report.stopped));
    Some((share, values))
}

/// What the logarithm of the standard deviation is the sum of, and the logarithm, of the errors of one kind of search.
type Row = ([f64; TERMS], f64);

/// The errors of positions of like shares of empty squares, by depths; those of few positions are left out.
fn error_rows(text: &str, squares: f64, part: &[&(f64, Vec<f64>)], rows: &mut Vec<Row>) {
    let share = part.iter().map(|(share, _)| share).sum::<f64>() / part.len() as f64;
    let pairs = (3..=DEEPEST).flat_map(|depth| [(depth, 0), (depth, probe_depth(depth as u32) as usize)]);
    for (depth, probe) in pairs {
        let errors: Vec<f64> = part.iter().filter_map(|(_, v)| Some(v.get(depth)? - v[probe])).collect();
        let count = errors.len();
        if count < 10 {
            continue;
        }
        let mean = errors.iter().sum::<f64>() / count as f64;
        let sd = (errors.iter().map(|error| error * error).sum::<f64>() / count as f64).sqrt();
        println!(
            "{text:<20} {share:.2} empty, depth {depth}, probe {probe}: {count:4} positions, mean {mean:+.2}, sd {sd:.2}"
        );
        rows.push(([1.0, probe as f64, depth as f64, share, squares.ln()], sd.max(0.1).ln()));
    }
}

/// Measures how far the values of shallow searches are from those of deeper ones, on boards of all sizes.
#[test]
#[ignore = "a minute; prints error models"]
fn measure_errors() {
    for rules in ["all", "one", "all,fewest", "one,fewest"] {
        let mut rows: Vec<Row> = Vec::new();
        for size in [6, 8, 10] {
            let text = format!("othello:{size}x{size},{rules}");
            let measured: Vec<_> = (0..60).into_par_iter().filter_map(|seed| values(&text, seed)).collect();
            for third in 0..3 {
                let part: Vec<_> = measured.iter().filter(|(share, _)| (share * 3.0) as usize == third).collect();
                error_rows(&text, f64::from(size * size), &part, &mut rows);
            }
        }
        let (mut matrix, mut right) = (vec![[0.0; TERMS]; TERMS], [0.0; TERMS]);
        for (row, target) in &rows {
            for i in 0..TERMS {
                (0..TERMS).for_each(|j| matrix[i][j] += row[i] * row[j]);
                right[i] += row[i] * target;
            }
        }
        let model = solve(matrix, right);
        let told = |row: &[f64; TERMS]| row.iter().zip(model).map(|(a, b)| a * b).sum::<f64>();
        let off = rows.iter().map(|(row, target)| (told(row) - target).powi(2)).sum::<f64>() / rows.len() as f64;
        println!("{rules}: {model:.4?}, residual {:.3}", off.sqrt());
    }
}
