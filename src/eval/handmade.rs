//! The evaluation of boards for which there is nothing better, such as those with holes, and what that of other boards without trained
//! patterns ([`super::corners`]) began with: a few features that mean the same on every board, weighted by how far the game has gone.
//!
//! Weights are per feature (not per square), in 64ths of a disc, at four points of the game, and are interpolated
//! between them by the share of empty squares. The searches compute the features, each on its own kind of board.

use super::error_model::{BoardErrors, ErrorModel};
use crate::rules::{Flips, Objective, RuleSet};

/// Units of the search in a disc.
pub(crate) const DISC: i32 = 64;

/// Units to the nearest disc, halves away from zero.
#[inline(always)]
pub(crate) fn to_discs(value: i32) -> i32 {
    (value + DISC / 2 * value.signum()) / DISC
}

/// Differences (side to move minus opponent), except the last one.
pub(crate) const FEATURES: usize = 9;
/// Names of the features, in order.
#[cfg(test)]
pub(crate) const NAMES: [&str; FEATURES] =
    ["mobility", "potential", "corners", "x-squares", "c-squares", "edge-runs", "border", "discs", "tempo"];

/// Points of the game: all squares empty, two thirds, one third, none.
pub(crate) const PHASES: usize = 4;

/// Weights by point of the game and feature.
pub(crate) type Weights = [[i16; FEATURES]; PHASES];

// Fitted to self-play by `search::general::fit`, second round (the games of the first were played with weights set by hand).
// With 2000 nodes a move the fitted weights score 55, 68, 64 and 68 % against those (120 games each, 8x8).

/// All directions turn, more discs win.
pub(crate) const ALL_MOST: Weights = [
    [16, -16, 978, -773, -519, 72, 36, -22, 91],
    [32, 5, 936, -639, -386, 71, 38, -15, 146],
    [73, 0, 419, -253, -84, 39, 9, -3, 137],
    [176, 10, -17, -94, -2, 25, 2, 32, 107],
];
/// One direction turns, more discs win.
pub(crate) const ONE_MOST: Weights = [
    [22, -26, 885, -825, -495, 39, 110, -20, -55],
    [48, 22, 837, -611, -382, 39, 111, -24, 29],
    [79, 9, 310, -210, -113, 14, 71, -12, 77],
    [149, 17, -81, -44, -45, 6, 41, 32, 35],
];
/// All directions turn, fewer discs win.
pub(crate) const ALL_FEWEST: Weights = [
    [7, -6, -340, 5, 47, -23, -45, -15, -110],
    [25, 12, -318, -43, 47, -23, -41, -19, -57],
    [35, 9, -254, -37, 64, -29, -30, -15, -25],
    [20, 8, -55, 34, 73, -12, -2, -33, -85],
];
/// One direction turns, fewer discs win.
pub(crate) const ONE_FEWEST: Weights = [
    [19, -6, -3, 2, -36, -21, 3, -18, -107],
    [30, 3, -15, -2, -28, -21, 5, -32, -72],
    [59, -11, -16, -19, -15, -27, 2, -38, -42],
    [78, -20, 25, -56, 27, -14, 14, -54, -106],
];

/// How far searches to the end of the game are from these weights' values: nobody has measured it.
pub(crate) const ERRORS: ErrorModel = ErrorModel::GUESS;

/// Which of the four kinds of rules that have numbers of their own: all lines or one, most discs; the same, fewest discs.
pub(crate) fn family(flips: Flips, objective: Objective) -> usize {
    usize::from(flips == Flips::One) + 2 * usize::from(objective == Objective::Fewest)
}

/// The weights for these rules.
pub(crate) fn weights_for(rules: &RuleSet) -> &'static Weights {
    [&ALL_MOST, &ONE_MOST, &ALL_FEWEST, &ONE_FEWEST][family(rules.flips(), rules.objective())]
}

// by family; measured by `search::general::fit` on boards of 6x6 to 10x10 when these weights evaluated those, too: standard deviations
// are 21 to 29 % off
const MEASURED: [BoardErrors; 4] = [
    [3.8906, -0.1905, 0.1334, -2.9803, -0.4159],
    [0.8407, -0.1916, 0.1695, -1.6328, 0.1403],
    [0.5555, -0.2727, 0.0921, -2.2206, 0.2333],
    [1.0360, -0.2662, 0.1198, -1.4072, -0.0501],
];

/// How far searches before the end of the game are off with the weights for such rules, on a board of so many squares.
pub(crate) fn errors_of(flips: Flips, objective: Objective, squares: u32) -> ErrorModel {
    ErrorModel::of_board(MEASURED[family(flips, objective)], squares)
}

/// Where a number of empty squares lies between the points of the game: the point before, and how far on, in 256ths.
pub(crate) fn place(empties: u32, squares: u32) -> (usize, i32) {
    let steps = PHASES as u32 - 1;
    let at = (squares - empties) * steps * 256 / squares;
    let low = (at / 256).min(steps - 1);
    (low as usize, (at - low * 256) as i32)
}

/// The weights at one number of empty squares, so that the search looks them up once a node.
pub(crate) fn blend(weights: &Weights, empties: u32, squares: u32) -> [i32; FEATURES] {
    let (low, part) = place(empties, squares);
    std::array::from_fn(|i| {
        let (a, b) = (weights[low][i] as i32, weights[low + 1][i] as i32);
        a + (b - a) * part / 256
    })
}
