//! The last empty squares, solved without table and sorting.

use super::entries::Entries;
use super::state::State;
use super::worker::{INFINITY, Worker};
use crate::eval::handmade::DISC;

/// Up to this many empty squares.
pub(super) const SMALL: u32 = 4;

impl<B: Entries> Worker<'_, B> {
    /// Exact value for the side to move. `passed`: the other side has just passed. (The body of
    /// [`Entries::solve_small`].)
    #[inline(always)]
    pub(super) fn solve_small(&mut self, state: &State<B>, alpha: i32, beta: i32, passed: bool) -> i32 {
        self.count();
        if self.aborted {
            return 0;
        }
        let shared = self.shared;
        let (rules, geometry) = (&shared.rules, &shared.rules.geometry);
        let empties = rules.empties(state);
        if empties.any() && !empties.without_lowest().any() {
            return self.solve_last(state, empties.lowest());
        }
        let mut best = -INFINITY;
        if !(rules.own && state.hands[0] == 0) {
            let mut odd = B::default();
            for &quadrant in &geometry.quadrants {
                if (quadrant & empties).count() % 2 == 1 {
                    odd |= quadrant;
                }
            }
            // a square in a region with an odd number of them may give the last word there
            for square in (empties & odd).iter().chain((empties & !odd).iter()) {
                if !(geometry.neighbours[square] & state.opponent).any() {
                    continue;
                }
                let (lines, moves) = match rules.one {
                    true => (geometry.lines(square, state.player, state.opponent), 8),
                    // all of them are one move
                    false => ([geometry.flips(square, state.player, state.opponent); 8], 1),
                };
                for &flips in &lines[..moves] {
                    if !flips.any() {
                        continue;
                    }
                    let child = rules.after(state, square, flips);
                    best = best.max(-B::solve_small(self, &child, -beta, -alpha.max(best), false));
                    if best >= beta || self.aborted {
                        return best;
                    }
                }
            }
        }
        if best > -INFINITY {
            return best;
        }
        if passed || !empties.any() {
            return rules.final_score(state) * DISC;
        }
        -B::solve_small(self, &state.passed(), -beta, -alpha, true)
    }

    /// Exact value with one empty square, by counting.
    #[inline(always)]
    fn solve_last(&self, state: &State<B>, square: usize) -> i32 {
        let rules = &self.shared.rules;
        for (state, sign) in [(*state, 1), (state.passed(), -1)] {
            if rules.own && state.hands[0] == 0 {
                continue;
            }
            let turned = self.last_turned(&state, square);
            if turned > 0 {
                let (own, other) = (state.player.count() as i32, state.opponent.count() as i32);
                return sign * DISC * rules.score_of_counts(own + 1 + turned, other - turned, 0);
            }
        }
        rules.final_score(state) * DISC
    }

    /// Discs that the best move on the last square turns; 0 when there is none.
    #[inline(always)]
    fn last_turned(&self, state: &State<B>, square: usize) -> i32 {
        let rules = &self.shared.rules;
        if !rules.one {
            return rules.geometry.flips(square, state.player, state.opponent).count() as i32;
        }
        let mut best = 0;
        for line in rules.geometry.lines(square, state.player, state.opponent) {
            let count = line.count() as i32;
            let is_better = if rules.fewest { best == 0 || count < best } else { count > best };
            if count > 0 && is_better {
                best = count;
            }
        }
        best
    }
}
