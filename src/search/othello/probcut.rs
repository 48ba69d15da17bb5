//! Multi-ProbCut (Buro 1995/1997): a shallow search predicts a deep one well enough to cut.

use super::entries::Entries;
use super::need;
use super::worker::{Node, Rules, Worker};
use crate::eval::{ErrorModel, corners, handmade};
use crate::rules::{Flips, Objective};
use crate::search::Goal;
use crate::search::selective::{self, DEVIATIONS, PROBES};

/// [`DEVIATIONS`] in the midgame, where probes are cut too ([`PROBES`]): a little more surety makes up for that at less than the nodes
/// that it saves.
pub(crate) const MIDGAME_DEVIATIONS: [f32; 5] = [1.3, 1.7, 2.2, 2.8, 3.5];

/// The same where time or nodes decide how deep a search gets, in the midgame: there full width confirms nine of ten cuts at
/// "73 %" with 1.1, and a ply more is worth more than that (`src/eval/weights/MODEL.md`). Also before a quick solve, for which midgame
/// searches only order moves.
const NARROW: [f32; 5] = [0.72, 1.0, 1.35, 1.9, 2.4];
/// Most empty squares of such a solve: where it takes longer, wrong cuts cost it more than they save.
const QUICK_SOLVE: u32 = 20;

/// The deviations of midgame cuts in a search with this goal, from so many empty squares. Levels and fixed depths that end in the
/// midgame mean the same cuts at all times.
pub(super) fn midgame_deviations(goal: Goal, empties: u32) -> &'static [f32; 5] {
    let is_quick_solve = empties <= QUICK_SOLVE && need::reaches_end(goal, empties);
    if goal == Goal::Unlimited || is_quick_solve { &NARROW } else { &MIDGAME_DEVIATIONS }
}

/// How far searches before the end of the game are off under rules for which there are no trained weights, where the goal is not
/// the score of the game: solves have few midgame iterations there, and cut as if nothing were known.
pub(super) fn general_errors(goal: Goal, rules: &Rules) -> Option<ErrorModel> {
    let objective = if rules.fewest { Objective::Fewest } else { Objective::Most };
    let is_solve = matches!(goal, Goal::Exact | Goal::WinDrawLoss);
    (!is_solve).then(|| corners::errors_of(Flips::All, objective, rules.mask.count_ones()))
}

/// Moves of a position in the midgame whose margins are as wide as its level says.
const MOVES: f32 = 10.0;

/// How many standard deviations a midgame cut asks for at a position with so many legal moves (one at least), where its level asks
/// for `t`. With few moves a probe errs more, and what it would save is less (`benches/BENCHMARKS.md` has what was tried).
#[inline(always)]
pub(crate) fn by_moves(t: f32, moves: u32) -> f32 {
    t * MOVES / moves as f32
}

/// Most plies of a midgame search that the static value alone may cut.
const STATIC_DEPTH: u32 = 6;
/// How many margins of a static value it must be beyond the window for that.
const STATIC: f32 = 2.5;

/// Least depth at which cutting is tried.
const MIN_DEPTH: u32 = 3;

/// Depth of the search that predicts one to the end of the game. Such a search is fast, a midgame search is slow: deeper
/// probes (7 plies at 13 to 15 empties) took more than half of the time of a whole solve.
const ENDGAME_PROBE: u32 = 3;

/// Depth of the search that predicts one of `depth`.
#[inline(always)]
pub(crate) fn probe_depth(depth: u32, endgame: bool) -> u32 {
    if endgame { ENDGAME_PROBE.min(depth) } else { selective::probe_depth(depth) }
}

/// How many discs a probe must be beyond the window for a cut that asks for `t` standard deviations `sigma`.
#[inline(always)]
pub(crate) fn margin(t: f32, sigma: f32) -> i32 {
    (t * sigma).ceil() as i32
}

/// The value's bound that a shallow search makes sure enough, if any: a score beyond the window `(alpha, alpha + 1)`. `moves` are
/// the legal moves.
#[inline(always)]
pub(super) fn probcut<I: Entries>(
    w: &mut Worker,
    node: Node,
    moves: u64,
    alpha: i32,
    depth: u32,
    expect_cut: bool,
) -> Option<i32> {
    let level = w.selectivity as usize;
    let endgame = depth >= node.empties;
    let trained_midgame = !I::GENERAL && !endgame;
    let general_errors = w.shared.general_errors.as_ref().filter(|_| I::GENERAL && !endgame);
    // probes at the end of the game are shallow, and nobody knows those of other boards in solves: they are not cut, nor do they cut
    // others
    let is_measured = trained_midgame || general_errors.is_some();
    let (probes, deviations) = if is_measured { (1, w.shared.midgame_deviations) } else { (PROBES, &DEVIATIONS) };
    if level >= DEVIATIONS.len() || w.probing + probes > PROBES || depth < MIN_DEPTH {
        return None;
    }
    let beta = alpha + 1;
    let asked = deviations[level];
    let t = if trained_midgame { by_moves(asked, moves.count_ones()) } else { asked };
    let errors = w.shared.weights.errors();
    let model = match (I::GENERAL, endgame) {
        (true, _) => general_errors.unwrap_or(&handmade::ERRORS),
        (false, true) => &errors.endgame,
        (false, false) => &errors.midgame,
    };
    let static_sigma = model.sigma(node.empties, depth, 0);
    let value = w.evaluate::<I>(node);
    if trained_midgame && depth <= STATIC_DEPTH {
        let far = margin(STATIC * t, static_sigma);
        if value >= beta + far {
            return Some(beta);
        }
        if value <= alpha - far {
            return Some(alpha);
        }
    }
    // the static value must point the same way before a search is spent on it
    let gate = (t * static_sigma * 0.5) as i32;
    let probe = probe_depth(depth, endgame);
    let margin = margin(t, model.sigma(node.empties, depth, probe));
    let high = beta + margin;
    let mut result = None;
    w.probing += probes;
    if high <= 64 && value >= beta + margin - gate {
        let score = I::nws(w, node, high - 1, probe, expect_cut);
        if score >= high {
            result = Some(beta);
        }
    }
    let low = alpha - margin;
    if result.is_none() && low >= -64 && value <= alpha - margin + gate {
        let score = I::nws(w, node, low, probe, expect_cut);
        if score <= low {
            result = Some(alpha);
        }
    }
    w.probing -= probes;
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Selectivity;

    #[test]
    fn cuts_are_bolder_by_the_clock_and_before_quick_solves() {
        let is_narrow = |goal, empties| *midgame_deviations(goal, empties) == NARROW;
        assert!(is_narrow(Goal::Unlimited, 60) && is_narrow(Goal::Exact, 20) && is_narrow(Goal::WinDrawLoss, 13));
        assert!(!is_narrow(Goal::Exact, 21) && !is_narrow(Goal::Depth(10, Selectivity::MOST), 20));
        assert!(NARROW.iter().zip(MIDGAME_DEVIATIONS).all(|(narrow, wide)| *narrow < wide));
    }

    #[test]
    fn few_moves_ask_for_more_than_many() {
        let asked: Vec<f32> = (1..=33).map(|moves| by_moves(1.3, moves)).collect();
        assert!(asked.windows(2).all(|pair| pair[0] > pair[1]), "{asked:?}");
        assert_eq!((asked[9], asked[0]), (1.3, 13.0));
    }
}
