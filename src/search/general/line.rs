//! The rest of a line behind which a search to the end of the game had no need to look: where a bound is proved, a line ends at
//! the first node whose moves are all too bad.

use super::entries::Entries;
use super::state::{ALL_DIRECTIONS, Code, NONE, PASS, Placement, State};
use super::table::TO_THE_END;
use super::worker::{INFINITY, Worker};

/// With so few empty squares the line is best play for both sides, found without bounds. (Those with fewer are not in the table.)
const TAIL_EMPTIES: u32 = 6;

/// What is proved of a position's value, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proof {
    /// The value is greater than this, or at most this.
    pub beyond: i32,
    /// It is greater.
    pub is_above: bool,
}

impl Proof {
    /// The same for the other side.
    pub fn of_other_side(self) -> Proof {
        Proof { beyond: -self.beyond - 1, is_above: !self.is_above }
    }
}

impl<B: Entries> Worker<'_, B> {
    /// Goes on with a line from `state` to the end of the game, by moves that keep what is proved of the position at its head. What
    /// the table has lost is searched again; when the search is told to end, the line ends too.
    pub(super) fn complete(&mut self, mut state: State<B>, line: &mut Vec<Code>, mut proof: Proof) {
        let mut next = 0;
        loop {
            while let Some(&code) = line.get(next) {
                let (after, same_side) = self.shared.rules.after_code(&state, code);
                state = after;
                proof = if same_side { proof } else { proof.of_other_side() };
                next += 1;
            }
            if state.placing == 0 && self.shared.rules.empties(&state).count() <= TAIL_EMPTIES {
                self.search_from(&state, -INFINITY, INFINITY);
                if !self.aborted {
                    line.extend_from_slice(self.pv());
                }
                return;
            }
            let Some(code) = self.keeping(&state, proof) else { return };
            line.push(code);
        }
    }

    /// A move that keeps what is proved; `None` when the game is over, and when there is no time to find one.
    fn keeping(&mut self, state: &State<B>, proof: Proof) -> Option<Code> {
        let shared = self.shared;
        let rules = &shared.rules;
        if state.placing > 0 {
            self.search_from(state, proof.beyond, proof.beyond + 1);
            // where all moves are too bad any of them is as good
            let any = (rules.geometry.centre & rules.empties(state)).lowest();
            return (!self.aborted).then(|| self.pv().first().copied().unwrap_or((any as u8, ALL_DIRECTIONS)));
        }
        let moves = rules.moves(state);
        if !moves.any() {
            return rules.opponent_moves(state).any().then_some(PASS);
        }
        let mut list = Vec::new();
        rules.generate(state, moves, &mut list);
        let known = shared.table.probe(state.hash(rules.seed)).filter(|entry| entry.depth == TO_THE_END);
        self.assign_keys(state, &mut list, 0, true);
        let best = known.map_or(NONE, |entry| entry.best);
        list.sort_by_key(|placement| (placement.code() != best, -placement.key));
        if !proof.is_above {
            // every move keeps it
            return list.first().map(Placement::code);
        }
        if let Some((code, _)) = self.child_that_cuts(state, &list, proof.beyond + 1) {
            return Some(code);
        }
        let is_enough = |placement: &&Placement<B>| {
            let child = rules.after(state, placement.square as usize, placement.flips);
            -self.search_from(&child, -proof.beyond - 1, -proof.beyond) > proof.beyond
        };
        list.iter().find(is_enough).map(Placement::code).filter(|_| !self.aborted)
    }

    /// Searches a state to the end of the game.
    fn search_from(&mut self, state: &State<B>, alpha: i32, beta: i32) -> i32 {
        let empties = self.shared.rules.empties(state).count() as i32;
        self.value_after(state, true, empties, alpha, beta)
    }
}
