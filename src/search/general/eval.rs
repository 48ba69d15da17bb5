//! The features of [`crate::eval::handmade`] on boards of any size.

use super::set::Set;
use super::state::{Rules, State};
use crate::eval::handmade::{DISC, FEATURES};

/// Static value of a state past the placement phase, in 1 / [`DISC`] for the side to move: the score if the game is over.
/// `weights` are those of its number of empty squares.
pub(super) fn static_value<B: Set>(rules: &Rules<B>, state: &State<B>, weights: &[i32; FEATURES]) -> i32 {
    let (moves, replies) = (rules.moves(state), rules.opponent_moves(state));
    if !moves.any() && !replies.any() {
        return rules.final_score(state) * DISC;
    }
    let values = features_with(rules, state, moves.count() as i32 - replies.count() as i32);
    let sum: i32 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    let limit = rules.geometry.board.count() as i32 * DISC - 1;
    sum.clamp(-limit, limit)
}

/// The features of a state past the placement phase.
#[cfg(test)]
pub(super) fn features<B: Set>(rules: &Rules<B>, state: &State<B>) -> [i32; FEATURES] {
    features_with(rules, state, rules.moves(state).count() as i32 - rules.opponent_moves(state).count() as i32)
}

/// The features of a state whose difference in moves is known.
fn features_with<B: Set>(rules: &Rules<B>, state: &State<B>, mobility: i32) -> [i32; FEATURES] {
    let geometry = &rules.geometry;
    let empties = rules.empties(state);
    let (own, other) = (state.player, state.opponent);
    let difference = |set: B| (set & own).count() as i32 - (set & other).count() as i32;
    let frontier = |discs: B| (geometry.around(discs) & empties).count() as i32;
    let (mut x, mut c, mut runs) = (0, 0, 0);
    for corner in &geometry.corners {
        let square = B::bit(corner.square);
        if (square & empties).any() {
            x += difference(corner.x);
            c += difference(corner.c);
        } else {
            let (discs, sign) = if (square & own).any() { (own, 1) } else { (other, -1) };
            for &(start, step, length) in &corner.edges {
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
