//! How far values of shallow searches are from those of deeper ones.

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::games::FAMILIES;
use crate::equations::solve;
use crate::rules::{Position, RuleSet};
use crate::search::general::{Searcher, static_value};
use crate::search::selective::probe_depth;
use crate::search::{Goal, Limits, Report, Selectivity, StopToken};

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
    let mut values = vec![f64::from(static_value(&position))];
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
    for (name, rules) in FAMILIES {
        let mut rows: Vec<Row> = Vec::new();
        for size in [6, 8, 10] {
            let text = format!("othello:{size}x{size},{rules}");
            let squares = text.parse::<RuleSet>().expect("rules").squares();
            let measured: Vec<_> = (0..60).into_par_iter().filter_map(|seed| values(&text, seed)).collect();
            for third in 0..3 {
                let part: Vec<_> = measured.iter().filter(|(share, _)| (share * 3.0) as usize == third).collect();
                error_rows(&text, f64::from(squares), &part, &mut rows);
            }
        }
        let (mut matrix, mut right) = (vec![[0.0; TERMS]; TERMS], [0.0; TERMS]);
        for (row, target) in &rows {
            for i in 0..TERMS {
                (0..TERMS).for_each(|j| matrix[i][j] += row[i] * row[j]);
                right[i] += row[i] * target;
            }
        }
        let model = solve(&matrix, &right);
        let told = |row: &[f64; TERMS]| row.iter().zip(model).map(|(a, b)| a * b).sum::<f64>();
        let off = rows.iter().map(|(row, target)| (told(row) - target).powi(2)).sum::<f64>() / rows.len() as f64;
        println!("{name}: {model:.4?}, residual {:.3}", off.sqrt());
    }
}
