//! The evaluation of boards of any size: the values of [`crate::eval::corners`] where there are some, and else the features of
//! [`crate::eval::handmade`] alone.

use super::set::Set;
use super::state::{Rules, State};
use crate::eval::corners::{self, Corners, Fillings, fillings};
use crate::eval::handmade::{self, DISC, Weights, blend};
use crate::rules::{Flips, Objective, RuleSet};

/// Most discs of a side that is in danger of losing them all at once, ...
const FEW: usize = 10;
/// ... and fewest of the other one.
const MANY: u32 = 24;
/// What the danger takes from the value of a side with a single disc, in discs; with more of them it is as much less. (What was tried is in
/// `benches/BENCHMARKS.md`, "Other rules".)
const DANGER: i32 = 24;

/// A side may be wiped out in the middle of a game: by all lines at once, on boards larger than 8x8. Nothing else in the evaluation knows
/// of it, since sides that play well seldom are; where fewest discs win it is no danger.
pub(super) fn may_vanish(rules: &RuleSet) -> bool {
    rules.flips() == Flips::All && rules.objective() == Objective::Most && rules.squares() > 64
}

/// What the evaluation looks up, for one set of rules.
pub(super) struct Evaluation {
    /// Weights of the features by number of empty squares, where there are no tables.
    weights: Vec<[i32; handmade::FEATURES]>,
    corners: Option<Corners>,
    squares: u32,
    /// What so few discs take from a side's value, where it [may vanish](may_vanish).
    danger: Option<[i32; FEW + 1]>,
}

impl Evaluation {
    /// Of these rules; with `weights`, features alone by these instead.
    pub fn new(rules: &RuleSet, weights: Option<&Weights>) -> Evaluation {
        let squares = rules.squares();
        let corners = if weights.is_none() { Corners::under(rules) } else { None };
        let weights = weights.unwrap_or(handmade::weights_for(rules));
        let count = if corners.is_some() { 0 } else { squares + 1 };
        let weights = (0..count).map(|empties| blend(weights, empties, squares)).collect();
        let share = |discs: usize| DANGER * DISC / discs.max(1) as i32;
        let danger = may_vanish(rules).then(|| std::array::from_fn(|discs| share(discs) - share(FEW + 1)));
        Evaluation { weights, corners, squares, danger }
    }

    /// Static value of a state past the placement phase with these moves and so many empty squares, in 1 / [`DISC`] for the side to
    /// move: the score if the game is over.
    #[inline(always)]
    pub fn value<B: Set>(&self, rules: &Rules<B>, state: &State<B>, moves: B, empties: u32) -> i32 {
        let replies = rules.opponent_moves(state);
        if !moves.any() && !replies.any() {
            return rules.final_score(state) * DISC;
        }
        let mobility = moves.count() as i32 - replies.count() as i32;
        let sum = match &self.corners {
            Some(corners) => corners.value(empties, everywhere(rules, state, mobility), corner_fillings(rules, state)),
            None => {
                let (values, weights) = (features_with(rules, state, mobility), &self.weights[empties as usize]);
                let mut sum = 0;
                for (value, weight) in values.iter().zip(weights) {
                    sum += value * weight;
                }
                sum
            }
        };
        let sum = match &self.danger {
            Some(danger) => {
                sum + in_danger(danger, state.opponent, state.player) - in_danger(danger, state.player, state.opponent)
            }
            None => sum,
        };
        let limit = self.squares as i32 * DISC - 1;
        sum.clamp(-limit, limit)
    }
}

/// What a side's value is less for its few discs beside those of the other one.
#[inline(always)]
fn in_danger<B: Set>(danger: &[i32; FEW + 1], own: B, other: B) -> i32 {
    let discs = own.count() as usize;
    if discs <= FEW && other.count() >= MANY { danger[discs] } else { 0 }
}

/// The fillings of the board's four corners.
#[inline(always)]
pub(super) fn corner_fillings<B: Set>(rules: &Rules<B>, state: &State<B>) -> [Fillings; 4] {
    let corners = &rules.geometry.corner_rows;
    let pair = |set: B, first: usize, next: usize| (set.tail(first) & 15 | (set.tail(next) & 15) << 4) as u8;
    let mut all = [[0; 6]; 4];
    for (found, (rows, right)) in all.iter_mut().zip(corners) {
        let discs = |set: B| [pair(set, rows[0], rows[1]), pair(set, rows[2], rows[3])];
        *found = fillings(discs(state.player), discs(state.opponent), *right);
    }
    all
}

/// The features of a state past the placement phase.
#[cfg(test)]
pub(super) fn features<B: Set>(rules: &Rules<B>, state: &State<B>) -> [i32; handmade::FEATURES] {
    features_with(rules, state, rules.moves(state).count() as i32 - rules.opponent_moves(state).count() as i32)
}

/// The features of a state whose difference in moves is known.
#[inline(always)]
fn features_with<B: Set>(rules: &Rules<B>, state: &State<B>, mobility: i32) -> [i32; handmade::FEATURES] {
    let geometry = &rules.geometry;
    let empties = rules.empties(state);
    let [mobility, potential, runs, border, discs, tempo] = everywhere(rules, state, mobility);
    let (mut x, mut c) = (0, 0);
    for corner in &geometry.corners {
        if empties.has(corner.square) {
            x += difference(state, corner.x);
            c += difference(state, corner.c);
        }
    }
    [mobility, potential, difference(state, geometry.corner_set), x, c, runs, border, discs, tempo]
}

/// How many discs more the side to move has in a set.
#[inline(always)]
fn difference<B: Set>(state: &State<B>, set: B) -> i32 {
    (set & state.player).count() as i32 - (set & state.opponent).count() as i32
}

/// The features that do not look at the squares beside corners, of a state whose difference in moves is known.
#[inline(always)]
pub(super) fn everywhere<B: Set>(rules: &Rules<B>, state: &State<B>, mobility: i32) -> [i32; corners::FEATURES] {
    let geometry = &rules.geometry;
    let empties = rules.empties(state);
    let (own, other) = (state.player, state.opponent);
    let frontier = |discs: B| (geometry.around(discs) & empties).count() as i32;
    let mut runs = 0;
    for corner in &geometry.corners {
        if empties.has(corner.square) {
            continue;
        }
        let (discs, sign) = if own.has(corner.square) { (own, 1) } else { (other, -1) };
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
    [
        mobility,
        frontier(other) - frontier(own),
        runs,
        difference(state, geometry.border),
        own.count() as i32 - other.count() as i32,
        if empties.count() % 2 == 1 { 1 } else { -1 },
    ]
}
