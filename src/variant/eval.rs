//! The evaluation: a few features that mean the same on every board, weighted by how far the game has gone.
//!
//! Weights are per feature (not per square), in 64ths of a disc, at four points of the game, and are interpolated
//! between them by the share of empty squares.

use super::set::Set;
use super::state::{Rules, State};

/// Units of the search in a disc.
pub(super) const DISC: i32 = 64;

/// Differences (side to move minus opponent), except the last one.
pub(super) const FEATURES: usize = 9;
/// Names of the features, in order.
#[cfg(test)]
pub(super) const NAMES: [&str; FEATURES] =
    ["mobility", "potential", "corners", "x-squares", "c-squares", "edge-runs", "border", "discs", "tempo"];

/// Points of the game: all squares empty, two thirds, one third, none.
pub(super) const PHASES: usize = 4;

/// Weights by point of the game and feature.
pub(super) type Weights = [[i16; FEATURES]; PHASES];

/// Weights for games in which more discs win.
pub(super) const MOST: Weights = [
    [64, 30, 600, -260, -120, 80, 0, -20, 0],
    [64, 30, 600, -260, -120, 90, 0, -20, 0],
    [64, 20, 500, -180, -80, 100, 0, 0, 40],
    [40, 10, 260, -80, -40, 80, 0, 40, 80],
];

/// Weights for games in which fewer discs win.
pub(super) const FEWEST: Weights = [
    [40, 20, -500, 100, 60, -80, 0, -20, 0],
    [40, 20, -500, 100, 60, -80, 0, -20, 0],
    [40, 10, -400, 80, 40, -80, 0, -30, 0],
    [20, 0, -200, 40, 20, -60, 0, -50, 0],
];

/// The features of a state past the placement phase.
pub(super) fn features<B: Set>(rules: &Rules<B>, state: &State<B>) -> [i32; FEATURES] {
    let geometry = &rules.geometry;
    let empties = rules.empties(state);
    let (own, other) = (state.player, state.opponent);
    let difference = |set: B| (set & own).count() as i32 - (set & other).count() as i32;
    let mobility = rules.moves(state).count() as i32 - rules.opponent_moves(state).count() as i32;
    let frontier = |discs: B| (geometry.around(discs) & empties).count() as i32;
    let (mut x, mut c, mut runs) = (0, 0, 0);
    for corner in &geometry.corners {
        let square = B::bit(corner.square);
        if (square & empties).any() {
            x += difference(corner.x);
            c += difference(corner.c);
        } else {
            let (discs, sign) = if (square & own).any() { (own, 1) } else { (other, -1) };
            for (start, step, length) in corner.edges {
                let mut at = start;
                for _ in 0..length {
                    at = at.wrapping_add_signed(step);
                    if !discs.has(at) {
                        break;
                    }
                    runs += sign;
                }
            }
        }
    }
    [
        mobility,
        frontier(other) - frontier(own),
        difference(geometry.corner_set),
        x,
        c,
        runs,
        difference(geometry.border),
        own.count() as i32 - other.count() as i32,
        if empties.count() % 2 == 1 { 1 } else { -1 },
    ]
}

/// The weights at one number of empty squares, so that the search looks them up once a node.
pub(super) fn blend(weights: &Weights, empties: u32, squares: u32) -> [i32; FEATURES] {
    // position on the scale 0 (all empty) ..= 3 (none), in 256ths
    let steps = PHASES as u32 - 1;
    let at = (squares - empties) * steps * 256 / squares;
    let (low, part) = ((at / 256).min(steps - 1) as usize, at as i32);
    let part = part - low as i32 * 256;
    std::array::from_fn(|i| {
        let (a, b) = (weights[low][i] as i32, weights[low + 1][i] as i32);
        a + (b - a) * part / 256
    })
}
