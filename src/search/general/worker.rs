//! One thread's search: principal variation search with a table, and the exact end of the game.

use super::busy::Busy;
use super::entries::Entries;
use super::eval::Evaluation;
use super::last::SMALL;
use super::probcut::Cuts;
use super::state::{Code, NONE, PASS, Placement, Rules, State};
use super::table::{Entry, TO_THE_END, Table};
use crate::eval::handmade::DISC;
use crate::search::{Bound, Selectivity, Watch};

/// Larger than every score.
pub(super) const INFINITY: i32 = 32_000;
/// From this many empty squares on the exact search looks for children in the table before it searches any.
const PROBE_CHILDREN: u32 = 8;
/// From this depth on moves are sorted by the evaluation, below by mobility; in the last ply not at all ([`Worker::search_last_ply`]).
const SORT_BY_EVALUATION: i32 = 3;

/// From this depth on nodes are in the table.
const LEAST_IN_TABLE: i32 = 2;

/// From this depth on threads put off what others are at: what is below takes less time than to look.
pub(super) const LEAST_SHARED: i32 = 4;

/// What all threads of a search share.
pub(super) struct Shared<'a, B> {
    pub rules: Rules<B>,
    pub evaluation: Evaluation,
    pub table: &'a Table,
    pub busy: Busy,
    /// Those of searches that end before the game does.
    pub cuts: Cuts,
    /// The limits, and the nodes of all threads.
    pub watch: Watch<'a>,
}

/// One thread.
pub(super) struct Worker<'a, B> {
    pub shared: &'a Shared<'a, B>,
    /// Nodes since the shared count was last brought up to date.
    nodes: u64,
    /// How many of them there may be.
    budget: u64,
    /// The search has been told to end: results that come back now mean nothing.
    pub aborted: bool,
    /// Probes that are under way, one within another.
    pub(super) probing: u8,
    lists: Vec<Vec<Placement<B>>>,
    /// The principal variation from each ply.
    pv: Vec<Vec<Code>>,
    /// By the square of the move before: the two different moves that cut latest one ply before static values (countermoves, Uiterwijk 1992).
    countermoves: Box<[[Code; 2]; NO_SQUARE + 1]>,
}

/// A window and how deep to look.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub depth: i32,
    pub alpha: i32,
    pub beta: i32,
    pub ply: usize,
    /// The square of the move before, or [`NO_SQUARE`].
    pub last: usize,
}

/// Behind all squares: there was no move before.
const NO_SQUARE: usize = 256;

/// The best move of a node so far, and its value.
struct Found {
    value: i32,
    code: Code,
}

impl Node {
    /// The window of a child after a move to a square.
    #[inline(always)]
    fn child(self, square: u8, alpha: i32, beta: i32) -> Node {
        Node { depth: self.depth - 1, alpha: -beta, beta: -alpha, ply: self.ply + 1, last: square.into() }
    }

    fn is_pv(self) -> bool {
        self.beta - self.alpha > 1
    }
}

impl<'a, B: Entries> Worker<'a, B> {
    pub fn new(shared: &'a Shared<'a, B>) -> Worker<'a, B> {
        // the first node looks at the limits
        Worker {
            shared,
            nodes: 0,
            budget: 0,
            aborted: false,
            probing: 0,
            lists: Vec::new(),
            pv: vec![Vec::new()],
            countermoves: Box::new([[NONE; 2]; NO_SQUARE + 1]),
        }
    }

    /// The principal variation after the last search that returned a score inside its window.
    pub fn pv(&self) -> &[Code] {
        &self.pv[0]
    }

    /// Adds this thread's nodes to the shared count.
    pub fn flush(&mut self) {
        self.shared.watch.add(self.nodes);
        self.budget -= self.nodes.min(self.budget);
        self.nodes = 0;
    }

    #[cold]
    fn poll(&mut self) {
        let more = self.shared.watch.look(self.nodes);
        self.nodes = 0;
        self.aborted = more.is_none();
        self.budget = more.unwrap_or(u64::MAX);
    }

    #[inline(always)]
    pub(super) fn count(&mut self) {
        self.nodes += 1;
        if self.nodes >= self.budget {
            self.poll();
        }
    }

    /// Value of a root move's position for the side that made the move; the line after it is then in [`pv`](Self::pv).
    pub fn value_after(&mut self, state: &State<B>, same_side: bool, depth: i32, alpha: i32, beta: i32) -> i32 {
        let moves = self.moves(state);
        if same_side {
            B::search(self, state, moves, Node { depth, alpha, beta, ply: 0, last: NO_SQUARE }, false)
        } else {
            -B::search(self, state, moves, Node { depth, alpha: -beta, beta: -alpha, ply: 0, last: NO_SQUARE }, false)
        }
    }

    /// Static value of a root move's position for the side that made the move.
    pub fn value_of(&self, state: &State<B>, same_side: bool) -> i32 {
        if state.placing > 0 {
            return 0;
        }
        let rules = &self.shared.rules;
        let value = B::evaluate(self, state, rules.moves(state), rules.empties(state).count());
        if same_side { value } else { -value }
    }

    fn reserve(&mut self, ply: usize) {
        while self.pv.len() <= ply + 1 {
            self.pv.push(Vec::new());
        }
        while self.lists.len() <= ply {
            self.lists.push(Vec::new());
        }
    }

    /// The line from `ply` is this move and the line from the next ply.
    fn extend_pv(&mut self, ply: usize, code: Code) {
        let (head, tail) = self.pv.split_at_mut(ply + 1);
        head[ply].clear();
        head[ply].push(code);
        head[ply].extend_from_slice(&tail[0]);
    }

    /// Static value of a state that is past the placement phase, and whose moves and number of empty squares are known. (The body of
    /// [`Entries::evaluate`].)
    #[inline(always)]
    pub(super) fn evaluate(&self, state: &State<B>, moves: B, empties: u32) -> i32 {
        self.shared.evaluation.value(&self.shared.rules, state, moves, empties)
    }

    /// The moves of a state; none in the placement phase.
    #[inline(always)]
    pub(super) fn moves(&self, state: &State<B>) -> B {
        if state.placing > 0 { B::default() } else { self.shared.rules.moves(state) }
    }

    /// Value of a state for its side to move, whose moves the caller knows: exact within the window, a bound outside. `passed`: the
    /// other side has just passed. (The body of [`Entries::search`].)
    #[inline(always)]
    pub(super) fn search(&mut self, state: &State<B>, moves: B, node: Node, passed: bool) -> i32 {
        self.reserve(node.ply);
        self.pv[node.ply].clear();
        if state.placing > 0 {
            return self.search_placements(state, node);
        }
        let rules = &self.shared.rules;
        let empties = rules.empties(state).count();
        let exact = node.depth >= empties as i32;
        if exact && empties <= SMALL && !node.is_pv() {
            return B::solve_small(self, state, node.alpha, node.beta, passed);
        }
        self.count();
        if self.aborted {
            return 0;
        }
        if node.depth <= 0 && !exact {
            return B::evaluate(self, state, moves, empties);
        }
        if !moves.any() {
            let replies = rules.opponent_moves(state);
            if passed || !replies.any() {
                return rules.final_score(state) * DISC;
            }
            let next = Node { alpha: -node.beta, beta: -node.alpha, ply: node.ply + 1, ..node };
            let value = -B::search(self, &state.passed(), replies, next, true);
            self.extend_pv(node.ply, PASS);
            return value;
        }
        if node.depth == 1 && !exact {
            return self.search_last_ply(state, moves, node);
        }
        self.search_moves(state, moves, node, empties)
    }

    /// [`search`](Self::search) when the side to move has moves.
    #[inline(always)]
    fn search_moves(&mut self, state: &State<B>, moves: B, node: Node, empties: u32) -> i32 {
        let exact = node.depth >= empties as i32;
        // searches to the end cut nothing
        let (table_depth, selectivity) = match exact {
            true => (TO_THE_END, Selectivity::NONE),
            false => (node.depth as u8, self.shared.cuts.selectivity),
        };
        let hash = (node.depth >= LEAST_IN_TABLE).then(|| state.hash(self.shared.rules.seed));
        let mut first = NONE;
        if let Some(entry) = hash.and_then(|hash| self.shared.table.probe(hash)) {
            first = entry.best;
            if !node.is_pv() && entry.depth >= table_depth && entry.selectivity >= selectivity {
                match entry.bound {
                    Bound::Exact => return entry.value,
                    Bound::Lower if entry.value >= node.beta => return entry.value,
                    Bound::Upper if entry.value <= node.alpha => return entry.value,
                    _ => {}
                }
            }
        }
        if !exact
            && !node.is_pv()
            && let Some(value) = self.probcut(state, moves, node, empties)
        {
            return value;
        }
        let mut list = std::mem::take(&mut self.lists[node.ply]);
        list.clear();
        if exact && !node.is_pv() && empties >= PROBE_CHILDREN {
            self.shared.rules.generate(state, moves, &mut list);
            if let Some((_, value)) = self.child_that_cuts(state, &list, node.beta) {
                self.lists[node.ply] = list;
                return value;
            }
        }
        let mut found = Found { value: -INFINITY, code: NONE };
        // the table's move is often enough: the others are looked at when it was not
        let known = self.shared.rules.placement(state, moves, first);
        let is_over = known.is_some_and(|placement| self.try_at_once(state, &placement, node, &mut found));
        if !is_over {
            if list.is_empty() {
                self.shared.rules.generate(state, moves, &mut list);
            }
            let done = known.and_then(|known| list.iter().position(|placement| placement.code() == known.code()));
            if let Some(at) = done {
                list.swap(0, at);
            }
            let rest = usize::from(done.is_some());
            self.assign_keys(state, &mut list[rest..], node.depth, exact);
            let least = if exact { PROBE_CHILDREN as i32 } else { LEAST_SHARED };
            let is_shared = self.shared.busy.is_used() && node.depth >= least;
            self.search_in_order(state, &mut list[rest..], is_shared, node, &mut found);
        }
        self.lists[node.ply] = list;
        if let (Some(hash), false) = (hash, self.aborted) {
            let bound = bound_of(found.value, node.alpha, node.beta);
            let entry = Entry { value: found.value, depth: table_depth, selectivity, bound, best: found.code };
            self.shared.table.store(hash, entry);
        }
        found.value
    }

    /// Searches the moves of a list, those with the highest keys first, until one ends the search of their node. What other threads are at
    /// comes last, if the node `is_shared` with them and a move of it has been searched.
    #[inline(always)]
    fn search_in_order(
        &mut self,
        state: &State<B>,
        list: &mut [Placement<B>],
        is_shared: bool,
        node: Node,
        found: &mut Found,
    ) {
        let shared = self.shared;
        let mut next = 0;
        // those behind have been put off
        let mut end = list.len();
        while next < list.len() {
            if next < end {
                let mut top = next;
                for i in next + 1..end {
                    if list[i].key > list[top].key {
                        top = i;
                    }
                }
                list.swap(next, top);
            }
            let placement = list[next];
            let child = shared.rules.after(state, placement.square as usize, placement.flips);
            let hash = is_shared.then(|| child.hash(shared.rules.seed));
            let Some(_visit) = shared.busy.visit(hash, next < end && found.code != NONE) else {
                end -= 1;
                list.swap(next, end);
                continue;
            };
            next += 1;
            if self.try_move(&child, placement.replies, &placement, node, found) {
                return;
            }
        }
    }

    /// A node one ply before static values. Moves are generated one by one: those first that have answered the same move before, then corners, and
    /// last the squares diagonally next to them; where fewest discs win corners come last. To sort them by replies, as deeper down, costs more than it
    /// saves.
    #[inline(always)]
    fn search_last_ply(&mut self, state: &State<B>, moves: B, node: Node) -> i32 {
        let rules = &self.shared.rules;
        let mut found = Found { value: -INFINITY, code: NONE };
        let answers = self.countermoves[node.last];
        let known = |code| rules.placement(state, moves, code);
        let mut is_over = answers
            .into_iter()
            .filter_map(known)
            .any(|placement| self.try_at_once(state, &placement, node, &mut found));
        let corners = moves & rules.geometry.corner_set;
        // (beside holes a square can be both)
        let x = moves & rules.geometry.x_set & !corners;
        let others = moves & !(corners | x);
        let mut list = std::mem::take(&mut self.lists[node.ply]);
        for group in if rules.fewest { [others, x, corners] } else { [corners, others, x] } {
            let mut squares = group;
            while squares.any() && !is_over {
                list.clear();
                rules.generate(state, squares.lowest_alone(), &mut list);
                squares = squares.without_lowest();
                for placement in list.iter().filter(|placement| !answers.contains(&placement.code())) {
                    is_over = self.try_at_once(state, placement, node, &mut found);
                    if is_over {
                        break;
                    }
                }
            }
        }
        self.lists[node.ply] = list;
        if found.value >= node.beta && found.code != answers[0] {
            self.countermoves[node.last] = [found.code, answers[0]];
        }
        found.value
    }

    /// [`try_move`](Self::try_move) of a move about which nothing is known yet.
    #[inline(always)]
    fn try_at_once(&mut self, state: &State<B>, placement: &Placement<B>, node: Node, found: &mut Found) -> bool {
        let rules = &self.shared.rules;
        let child = rules.after(state, placement.square as usize, placement.flips);
        self.try_move(&child, rules.moves(&child), placement, node, found)
    }

    /// Searches the child that a move leads to, and whether that ends the search of its node.
    #[inline(always)]
    fn try_move(
        &mut self,
        child: &State<B>,
        replies: B,
        placement: &Placement<B>,
        node: Node,
        found: &mut Found,
    ) -> bool {
        let alpha = node.alpha.max(found.value);
        let value = self.scout(child, replies, placement.square, node, alpha, found.code == NONE);
        if self.aborted {
            return true;
        }
        if value > found.value {
            *found = Found { value, code: placement.code() };
            if value > alpha && node.is_pv() {
                self.extend_pv(node.ply, found.code);
            }
        }
        value >= node.beta
    }

    /// Enhanced transposition cut-off: a move after which the table knows it to be bad enough for the opponent, and how good it is.
    #[inline(always)]
    pub(super) fn child_that_cuts(&self, state: &State<B>, list: &[Placement<B>], beta: i32) -> Option<(Code, i32)> {
        let rules = &self.shared.rules;
        for placement in list {
            let child = rules.after(state, placement.square as usize, placement.flips);
            if let Some(entry) = self.shared.table.probe(child.hash(rules.seed))
                && entry.depth == TO_THE_END
                && entry.bound != Bound::Lower
                && -entry.value >= beta
            {
                return Some((placement.code(), -entry.value));
            }
        }
        None
    }

    /// Value of the child after a move to a square for the parent: a null window first, unless it is the first child of a full window.
    #[inline(always)]
    fn scout(&mut self, child: &State<B>, replies: B, square: u8, node: Node, alpha: i32, is_first: bool) -> i32 {
        if is_first || node.beta - alpha <= 1 {
            return -B::search(self, child, replies, node.child(square, alpha, node.beta), false);
        }
        let value = -B::search(self, child, replies, node.child(square, alpha, alpha + 1), false);
        if value > alpha && value < node.beta && !self.aborted {
            return -B::search(self, child, replies, node.child(square, alpha, node.beta), false);
        }
        value
    }

    /// Gives each move its replies and its sorting key: first what leaves the opponent least.
    #[inline(always)]
    pub(super) fn assign_keys(&self, state: &State<B>, list: &mut [Placement<B>], depth: i32, exact: bool) {
        let rules = &self.shared.rules;
        let geometry = &rules.geometry;
        let empties = rules.empties(state);
        let mut odd = [false; 4];
        for (odd, &quadrant) in odd.iter_mut().zip(&geometry.quadrants) {
            *odd = (quadrant & empties).count() % 2 == 1;
        }
        for placement in list.iter_mut() {
            let square = placement.square as usize;
            let child = rules.after(state, square, placement.flips);
            if depth > LEAST_IN_TABLE {
                self.shared.table.prefetch(child.hash(rules.seed));
            }
            let replies = rules.moves(&child);
            placement.replies = replies;
            placement.key = if !exact && depth >= SORT_BY_EVALUATION {
                -B::evaluate(self, &child, replies, empties.count() - 1)
            } else {
                let weighted = replies.count() + (replies & geometry.corner_set).count();
                let corner = i32::from(geometry.corner_set.has(square));
                let parity = i32::from(odd[geometry.quadrant[square] as usize]);
                let sign = if rules.fewest { -1 } else { 1 };
                -16 * weighted as i32 + 12 * sign * corner + 6 * parity * i32::from(exact)
            };
        }
    }

    /// A node of the placement phase, where a side may move twice.
    fn search_placements(&mut self, state: &State<B>, node: Node) -> i32 {
        self.count();
        if node.depth <= 0 || self.aborted {
            return 0;
        }
        let rules = &self.shared.rules;
        let mut best = -INFINITY;
        for square in (rules.geometry.centre & rules.empties(state)).iter() {
            let (child, same_side) = rules.after_setup(state, square);
            let alpha = node.alpha.max(best);
            let moves = self.moves(&child);
            let value = if same_side {
                B::search(self, &child, moves, Node { depth: node.depth - 1, alpha, ply: node.ply + 1, ..node }, false)
            } else {
                -B::search(self, &child, moves, node.child(square as u8, alpha, node.beta), false)
            };
            if self.aborted {
                return 0;
            }
            if value > best {
                best = value;
                if value > alpha {
                    self.extend_pv(node.ply, (square as u8, super::state::ALL_DIRECTIONS));
                }
                if value >= node.beta {
                    break;
                }
            }
        }
        best
    }
}

/// What a value says that came out of a search with this window.
pub(super) fn bound_of(value: i32, alpha: i32, beta: i32) -> Bound {
    if value >= beta {
        Bound::Lower
    } else if value <= alpha {
        Bound::Upper
    } else {
        Bound::Exact
    }
}
