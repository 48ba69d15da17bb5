//! Multi-ProbCut (Buro 1995/1997): a shallow search predicts a deep one well enough to cut.

use super::entries::Entries;
use super::eval::may_vanish;
use super::state::State;
use super::worker::{INFINITY, Node, Worker};
use crate::eval::handmade::{self, DISC};
use crate::eval::{ErrorModel, corners};
use crate::rules::RuleSet;
use crate::search::selective::{DEVIATIONS, PROBES, probe_depth};
use crate::search::{Goal, Selectivity};

/// Standard deviations instead of [`DEVIATIONS`] where time or nodes decide how deep a search gets: a ply more is worth more than surety (`benches/BENCHMARKS.md` has
/// the games that chose this and the constants below).
const NARROW: f32 = 0.7;

/// Least depth at which cutting is tried.
const MIN_DEPTH: i32 = 2;

/// Fewest discs of a side that a cut may favour where it could lose them all at once, which no shallow search is off by.
const LEAST_DISCS: u32 = 3;

/// Which cuts a search makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cuts {
    /// How sure they are.
    pub selectivity: Selectivity,
    /// Standard deviations that a probe must be beyond the window; `None` at full width.
    deviations: Option<f32>,
    /// How far values of shallow searches are from those of deeper ones.
    errors: ErrorModel,
    /// Fewest discs of the side that a cut favours.
    least_discs: u32,
}

impl Cuts {
    /// Those of a search with this goal under these rules.
    pub fn new(selectivity: Selectivity, goal: Goal, rules: &RuleSet) -> Cuts {
        let deviations = DEVIATIONS.get(selectivity.index()).copied();
        let deviations = deviations.map(|usual| if goal == Goal::Unlimited { NARROW } else { usual });
        let by_features = || handmade::errors_of(rules.flips(), rules.objective(), rules.squares());
        let errors = corners::errors_under(rules).unwrap_or_else(by_features);
        Cuts { selectivity, deviations, errors, least_discs: if may_vanish(rules) { LEAST_DISCS } else { 0 } }
    }

    /// How far, in units of the search, a search of `probe` plies must be beyond the window to predict one of `depth`; `None` at full
    /// width.
    #[inline(always)]
    fn margin(&self, empties: u32, depth: i32, probe: i32) -> Option<i32> {
        let sigma = self.errors.sigma(empties, depth as u32, probe as u32);
        // beyond all scores nothing is predicted
        self.deviations.map(|deviations| ((deviations * sigma * DISC as f32) as i32).min(INFINITY))
    }
}

impl<B: Entries> Worker<'_, B> {
    /// The bound of a node with a null window that a shallow search makes sure enough, if any. What it is worth when the search has
    /// been told to end means nothing.
    #[inline(always)]
    pub(super) fn probcut(&mut self, state: &State<B>, moves: B, node: Node, empties: u32) -> Option<i32> {
        if node.depth < MIN_DEPTH || self.probing == PROBES {
            return None;
        }
        let static_margin = self.shared.cuts.margin(empties, node.depth, 0)?;
        let probe = probe_depth(node.depth as u32) as i32;
        let margin = self.shared.cuts.margin(empties, node.depth, probe)?;
        let value = B::evaluate(self, state, moves, empties);
        // the static value must point the same way before a search is spent on it
        let gate = static_margin / 2;
        let least_discs = self.shared.cuts.least_discs;
        let may_favour = |side: B| side.count() >= least_discs;
        let mut result = None;
        self.probing += 1;
        if value >= node.beta + margin - gate && may_favour(state.player) {
            let high = node.beta + margin;
            let found =
                B::search(self, state, moves, Node { depth: probe, alpha: high - 1, beta: high, ..node }, false);
            if found >= high {
                result = Some(node.beta);
            }
        }
        if result.is_none() && value <= node.alpha - margin + gate && may_favour(state.opponent) {
            let low = node.alpha - margin;
            let found = B::search(self, state, moves, Node { depth: probe, alpha: low, beta: low + 1, ..node }, false);
            if found <= low {
                result = Some(node.alpha);
            }
        }
        self.probing -= 1;
        result
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::rules::Position;
    use crate::search::general::Searcher;
    use crate::search::{Limits, Report, StopToken};

    /// The position after some moves of a game in which each takes one of the legal moves by turns.
    fn after(rules: &str, plies: usize) -> Position {
        let start = Position::start(Arc::new(rules.parse().unwrap()));
        (0..plies).fold(start, |position, ply| {
            let moves = position.legal_moves();
            position.play(moves[ply * 7 % moves.len()]).unwrap()
        })
    }

    fn search(searcher: &mut Searcher, position: &Position, goal: Goal) -> Report {
        searcher.search(position, &Limits::new(goal), 1, &StopToken::new(), &mut |_| {}).unwrap()
    }

    #[test]
    fn the_less_sure_the_fewer_nodes() {
        for rules in ["othello:10x10", "othello:8x8,one", "othello:10x8,fewest", "othello:6x8,one,fewest"] {
            let position = after(rules, 16);
            let reports = [Selectivity::MOST, Selectivity::at_least(95), Selectivity::NONE]
                .map(|selectivity| search(&mut Searcher::new(8), &position, Goal::Depth(8, selectivity)));
            assert!(reports.windows(2).all(|pair| pair[0].nodes < pair[1].nodes), "{rules}: {reports:?}");
            let [most, _, none] = reports;
            assert_eq!((most.selectivity, none.selectivity), (Selectivity::MOST, Selectivity::NONE));
            assert!(4 * most.nodes < 3 * none.nodes, "{rules}: {} of {}", most.nodes, none.nodes);
        }
    }

    #[test]
    fn what_is_less_sure_is_no_answer_to_who_asks_for_more() {
        let mut searcher = Searcher::new(8);
        for plies in 14..22 {
            let position = after("othello:8x8,one", plies);
            let full = Goal::Depth(7, Selectivity::NONE);
            let alone = search(&mut Searcher::new(8), &position, full);
            search(&mut searcher, &position, Goal::Depth(9, Selectivity::MOST));
            let after_less_sure = search(&mut searcher, &position, full);
            assert_eq!((after_less_sure.score, after_less_sure.depth), (alone.score, 7), "{plies} plies");
        }
    }

    #[test]
    fn the_end_of_the_game_is_exact_after_selective_iterations() {
        for rules in ["othello:6x6,one", "othello:6x6,one,fewest", "octagon"] {
            let mut position = after(rules, 12);
            while position.empty_count() > 9 && !position.is_game_over() {
                position = position.play(position.legal_moves()[0]).unwrap();
            }
            let report = search(&mut Searcher::new(8), &position, Goal::Unlimited);
            let exact = search(&mut Searcher::new(8), &position, Goal::Exact);
            assert!(report.is_exact() && report.selectivity == Selectivity::NONE, "{rules}");
            assert_eq!(report.score, exact.score, "{rules}");
        }
    }

    #[test]
    fn margins_do_not_leave_the_arithmetic() {
        for rules in ["othello:16x16", "othello:4x4,one,fewest"] {
            let rules = rules.parse().unwrap();
            for selectivity in Selectivity::ALL {
                let cuts = Cuts::new(selectivity, Goal::Depth(255, selectivity), &rules);
                let margins = [(0, 2, 2), (256, 255, 127), (60, 255, 0)].map(|(e, d, p)| cuts.margin(e, d, p));
                let is_full = selectivity == Selectivity::NONE;
                assert!(margins.iter().all(|margin| margin.is_none() == is_full), "{margins:?}");
                assert!(margins.iter().flatten().all(|margin| (0..=INFINITY).contains(margin)), "{margins:?}");
            }
        }
    }
}
