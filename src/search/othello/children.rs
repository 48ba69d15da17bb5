//! The moves of a position with what is needed to order and search them.

use arrayvec::ArrayVec;

use super::cost;
use super::entries::Entries;
use super::local::{LOCAL_MAX, LocalCache};
use super::tt::{Data, NO_MOVE, hash};
use super::worker::{CORNERS, Node, Worker};
use crate::board::{MAX_MOVES, Square};
use crate::eval::UNITS_PER_DISC;

/// A move and the position it leads to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child {
    /// The discs it turns.
    pub flips: u64,
    /// Discs of the side to move after it.
    pub player: u64,
    /// Discs of the other side after it.
    pub opponent: u64,
    /// The replies.
    pub moves: u64,
    /// Hash of the position after it, for the table that it may be in.
    pub hash: u64,
    /// The square.
    pub square: u8,
    /// Higher is searched earlier.
    pub key: i32,
}

/// A list of children, sorted as far as they have been taken.
pub(crate) struct Children {
    list: ArrayVec<Child, MAX_MOVES>,
}

impl Children {
    /// None yet.
    #[inline(always)]
    pub fn none() -> Children {
        Children { list: ArrayVec::new() }
    }

    /// The children of a node, not yet ordered; their entries in the shared table, or else in the thread's own, are on the way.
    #[inline(always)]
    pub fn new<I: Entries>(w: &Worker, node: Node, moves: u64, shared: bool) -> Children {
        let mut children = Children::none();
        children.fill::<I>(w, node, moves, shared);
        children
    }

    /// Makes these the children of a node, as [`Children::new`] does: where they are, for to move a list costs as much as to make it.
    #[inline(always)]
    pub fn fill<I: Entries>(&mut self, w: &Worker, node: Node, moves: u64, shared: bool) {
        let mut rest = moves;
        while rest != 0 {
            let x = rest.trailing_zeros() as usize & 63;
            rest &= rest - 1;
            let flips = I::flips(x, node.player, node.opponent);
            let (player, opponent) = (node.opponent ^ flips, node.player ^ flips | 1 << x);
            let hash = if shared { hash(player, opponent) } else { LocalCache::hash(player, opponent) };
            if shared {
                w.shared.table.prefetch(hash);
            } else {
                w.cache.prefetch(LOCAL_MAX, hash);
            }
            let child = Child { flips, player, opponent, moves: 0, hash, square: x as u8, key: 0 };
            self.list.push(child);
        }
        for child in &mut self.list {
            child.moves = I::moves(child.player, child.opponent) & w.mask::<I>();
        }
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// A child, in the order they were made in until they are taken.
    #[inline(always)]
    pub fn get(&self, i: usize) -> &Child {
        &self.list[i]
    }

    /// Sets a child's key.
    #[inline(always)]
    pub fn set_key(&mut self, i: usize, key: i32) {
        self.list[i].key = key;
    }

    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = &Child> {
        self.list.iter()
    }

    /// Places of the children to be looked at closely, best first.
    #[inline(always)]
    pub fn few(&self, few: Few) -> ArrayVec<u8, MOST_FEW> {
        let mut places = ArrayVec::new();
        let (mut taken, mut least) = (0u64, i32::MIN);
        while places.len() < few.most {
            let mut best = usize::MAX;
            for i in 0..self.list.len() {
                let key = self.list[i].key;
                let is_open = taken >> i & 1 == 0 && least <= key && key < DECIDED;
                if is_open && (best == usize::MAX || key > self.list[best].key) {
                    best = i;
                }
            }
            if best == usize::MAX {
                break;
            }
            if places.is_empty() {
                least = self.list[best].key - few.margin;
            }
            taken |= 1 << best;
            places.push(best as u8);
        }
        places
    }

    /// Makes the move that the table knows, if any, the first child; how many need no ordering any more.
    #[inline(always)]
    pub fn bring_forward(&mut self, entry: Option<Data>) -> usize {
        let best = entry.map_or(NO_MOVE, |data| data.best);
        for i in 0..self.list.len() {
            if self.list[i].square == best {
                self.list[i].key = TABLE_MOVE;
                self.list.swap(0, i);
                return 1;
            }
        }
        (self.list.len() == 1) as usize
    }

    /// The best child not yet taken; `taken` have been.
    #[inline(always)]
    pub fn take(&mut self, taken: usize) -> Child {
        let mut first = taken;
        for i in taken + 1..self.list.len() {
            if self.list[i].key > self.list[first].key {
                first = i;
            }
        }
        self.list.swap(taken, first);
        self.list[taken]
    }

    /// All children from `taken` on, best first.
    pub fn remaining(&mut self, taken: usize) -> Vec<Child> {
        let mut rest = self.list[taken..].to_vec();
        rest.sort_by_key(|child| -child.key);
        rest
    }
}

/// How a node's children are to be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// By mobility, potential mobility and corners only.
    Mobility,
    /// Also by the linear part of the evaluation: the embedding's part would not order better and cost a quarter of the time.
    Static,
    /// The likeliest first moves by what they are likely to cost if they cut above `alpha` (see [`cost`]), unless the table knows one.
    Cost { alpha: i32 },
    /// The likeliest first moves by a search of this depth instead of the linear value.
    Search(u32),
    /// All of them: for the few nodes whose moves are worth it.
    SearchAll(u32),
}

/// Which moves are looked at closely after a glance at all: so many at most, of keys that are less than the best one by so much
/// at most. (A close look costs as much as a dozen nodes; two or three moves are all that may be worth it.)
#[derive(Clone, Copy, Debug)]
pub(super) struct Few {
    pub most: usize,
    pub margin: i32,
}

/// The most that [`Few`] may be.
pub(super) const MOST_FEW: usize = 4;
/// Moves that a search looks at.
const SEARCHED: Few = Few { most: MOST_FEW, margin: 60 };
/// Keys from here on are those of moves that nothing more need be known of: the table has them, or the opponent has no disc left.
const DECIDED: i32 = 1 << 28;
/// The key of the move that the table knows to be best.
const TABLE_MOVE: i32 = DECIDED << 2;
/// What keys of moves that were looked at closely have more than all others.
pub(super) const CLOSELY: i32 = 1 << 26;

/// What a glance at all children tells besides their keys.
pub(super) struct Glance {
    /// The linear values of the positions they lead to, in internal units, where they were asked for.
    pub linear: [i32; MAX_MOVES],
    /// The quadrants with an odd number of empties.
    pub odd: u64,
}

/// Orders children: table moves first, then by a weighted sum of mobility, potential mobility, corners, parity and value; the first
/// of these as `order` says.
#[inline(always)]
pub(super) fn score_children<I: Entries>(
    w: &mut Worker,
    node: Node,
    children: &mut Children,
    entry: Option<Data>,
    order: Order,
) {
    let glance = glance::<I>(w, node, children, entry, order);
    match order {
        Order::Mobility | Order::Static | Order::SearchAll(_) => {}
        Order::Cost { alpha } => {
            if knows_no_move(entry) {
                cost::look::<I>(w, node, children, alpha, &glance);
            }
        }
        Order::Search(depth) => {
            let few = children.few(SEARCHED);
            if few.len() > 1 {
                for &place in &few {
                    let i = place as usize;
                    let child = children.list[i];
                    let without = child.key + VALUE * glance.linear[i] / UNITS_PER_DISC;
                    let next = w.push::<I>(node, child.square as usize, child.flips);
                    let value = I::leaf(w, next, -64, 64, depth);
                    children.list[i].key = CLOSELY + without - VALUE * value;
                }
            }
        }
    }
}

/// The table has no move for a node with this entry.
#[inline(always)]
pub(super) fn knows_no_move(entry: Option<Data>) -> bool {
    match entry {
        Some(data) => data.best == NO_MOVE,
        None => true,
    }
}

/// Gives all children the keys by which the likeliest first moves are found.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // iterator adapters would stay calls in functions with target features
fn glance<I: Entries>(
    w: &mut Worker,
    node: Node,
    children: &mut Children,
    entry: Option<Data>,
    order: Order,
) -> Glance {
    let (best, second) = entry.map_or((NO_MOVE, NO_MOVE), |data| (data.best, data.second));
    let corners = w.corners::<I>();
    let odd = w.odd_quadrants::<I>(w.parity::<I>(node.player, node.opponent));
    let mut most = i32::MIN;
    for i in 0..children.list.len() {
        let child = children.list[i];
        children.list[i].key = if child.square == best {
            TABLE_MOVE
        } else if child.player == 0 {
            DECIDED << 1
        } else if child.square == second {
            DECIDED
        } else {
            let mobility = (child.moves.count_ones() + (child.moves & corners).count_ones()) as i32;
            let potential = potential_mobility(child.player, child.opponent, w.mask::<I>());
            let mut key = -MOBILITY * mobility - POTENTIAL * potential;
            key += CORNER * corner_stability(child.opponent);
            if odd >> child.square & 1 != 0 {
                key += PARITY;
            }
            most = most.max(key);
            key
        };
    }
    let mut linear = [0; MAX_MOVES];
    for i in 0..children.list.len() {
        let child = children.list[i];
        if order == Order::Mobility || child.key >= DECIDED {
            continue;
        }
        if let Order::SearchAll(depth) = order {
            let next = w.push::<I>(node, child.square as usize, child.flips);
            children.list[i].key -= VALUE * I::leaf(w, next, -64, 64, depth);
        } else if child.key < most - UNLIKELY {
            children.list[i].key -= CLOSELY;
        } else {
            linear[i] = w.linear_reply::<I>(node, child.square as usize, child.flips);
            children.list[i].key -= VALUE * linear[i] / UNITS_PER_DISC;
        }
    }
    Glance { linear, odd }
}

// Weights of the ordering terms, tuned one by one on nodes for FFO 20-35 and 40-44 and 23 positions of hard-20; the optimum
// is flat: doubling or halving any of them costs 0 to 5 %.
const MOBILITY: i32 = 15;
const POTENTIAL: i32 = 5;
const CORNER: i32 = 4;
const PARITY: i32 = 2;
/// For a disc of value.
const VALUE: i32 = 5;
/// Moves whose sum of the other terms is so much less than the best one come last without a value: it would have to be worth a dozen
/// discs more.
const UNLIKELY: i32 = 60;

/// Empty squares that touch a disc of the other side: where the side to move may hope to play later.
#[inline(always)]
pub(super) fn potential_mobility(player: u64, opponent: u64, mask: u64) -> i32 {
    const INNER_COLUMNS: u64 = 0x7E7E_7E7E_7E7E_7E7E;
    const INNER_ROWS: u64 = 0x00FF_FFFF_FFFF_FF00;
    let h = opponent & INNER_COLUMNS;
    let v = opponent & INNER_ROWS;
    let d = h & INNER_ROWS;
    let near = h << 1 | h >> 1 | v << 8 | v >> 8 | d << 7 | d >> 7 | d << 9 | d >> 9;
    (near & !(player | opponent) & mask).count_ones() as i32
}

/// Own corners and the edge discs next to them: an estimate of stability that costs next to nothing.
#[inline(always)]
fn corner_stability(discs: u64) -> i32 {
    let corners = discs & CORNERS;
    let beside = (corners << 1 & 0x0200_0000_0000_0002)
        | (corners >> 1 & 0x4000_0000_0000_0040)
        | (corners << 8 & 0x8100)
        | (corners >> 8 & 0x0081_0000_0000_0000);
    (corners | beside & discs).count_ones() as i32
}

impl Worker<'_> {
    /// The node after the side to move placed a disc on `x` turning `flips`; its features, and the square, go on the stack.
    #[inline(always)]
    pub(super) fn push<I: Entries>(&mut self, node: Node, x: usize, flips: u64) -> Node {
        let ply = node.ply as usize;
        self.placed[ply + 1] = x as u8;
        if !I::GENERAL {
            let (now, next) = self.stack.split_at_mut(ply + 1);
            let square = Square::of_lowest_bit(1 << x);
            now[ply].after_into(&mut next[0], node.view, square, flips);
        }
        self.child::<I>(node, x, flips)
    }

    /// [`Worker::push`] without features: for nodes below which nothing is evaluated.
    #[inline(always)]
    pub(super) fn child<I: Entries>(&self, node: Node, x: usize, flips: u64) -> Node {
        Node {
            player: node.opponent ^ flips,
            opponent: node.player ^ flips | 1 << x,
            ply: node.ply + 1,
            view: node.view ^ 1,
            empties: node.empties - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cost::{EMPTIES, LEAST, MODEL, all_inputs};
    use super::super::tests::{random_board, root, with_worker};
    use super::*;
    use crate::board::Board;
    use crate::kernel::{Isa, Portable};
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    type Plain = Portable<false>;

    /// An entry that says nothing.
    const TABLE_DATA: Data =
        Data { lower: -64, upper: 64, best: NO_MOVE, second: NO_MOVE, depth: 1, selectivity: 0, cost: 1, age: 1 };

    #[test]
    fn few_are_the_best_undecided_ones_within_the_margin() {
        let few = |keys: &[i32], most: usize, margin: i32| {
            let child = |&key: &i32| Child { flips: 0, player: 1, opponent: 2, moves: 0, hash: 0, square: 0, key };
            let children = Children { list: keys.iter().map(child).collect() };
            children.few(Few { most, margin }).to_vec()
        };
        assert_eq!(few(&[10, 30, 20, 30], 4, 20), [1, 3, 2, 0]);
        assert_eq!(few(&[10, 30, 20, 30], 4, 19), [1, 3, 2]);
        assert_eq!(few(&[10, 30, 20, 30], 2, 20), [1, 3]);
        assert_eq!(few(&[10, DECIDED, 20, DECIDED << 2], 4, 20), [2, 0]);
        assert_eq!(few(&[DECIDED], 4, 20), [] as [u8; 0]);
        assert_eq!(few(&[], 4, 20), [] as [u8; 0]);
    }

    #[test]
    fn there_is_room_for_the_most_moves() {
        with_worker(1, |w| {
            let node = root(w, Board::MANY_MOVES);
            let moves = Plain::moves(node.player, node.opponent);
            assert_eq!((moves.count_ones(), Children::new::<Plain>(w, node, moves, true).len()), (35, 35));
            assert!(keys(w, node, None, Order::SearchAll(1)).iter().all(|&key| key < DECIDED));
        });
    }

    /// Keys of the children of a position, ordered so.
    fn keys(w: &mut Worker, node: Node, entry: Option<Data>, order: Order) -> Vec<i32> {
        let moves = Plain::moves(node.player, node.opponent);
        let mut children = Children::new::<Plain>(w, node, moves, true);
        score_children::<Plain>(w, node, &mut children, entry, order);
        children.iter().map(|child| child.key).collect()
    }

    /// The definition: whatever a glance puts among the first few gets the network's key, compared with these few.
    #[test]
    fn likely_first_moves_get_keys_of_the_network() {
        let mut rng = StdRng::seed_from_u64(61);
        let (mut looked_at, mut changed) = (0, 0);
        for i in 0..300 {
            let board = random_board(&mut rng, LEAST + i % EMPTIES as u32);
            let alpha = [-20, -3, 0, 7, 30][i as usize / EMPTIES % 5];
            with_worker(1, |w| {
                let node = root(w, board);
                let glance = keys(w, node, None, Order::Static);
                let found = keys(w, node, None, Order::Cost { alpha });
                let mut places: Vec<usize> = (0..glance.len()).filter(|&i| glance[i] < DECIDED).collect();
                places.sort_by_key(|&i| -glance[i]);
                places.truncate(4);
                places.retain(|&i| glance[i] >= glance[places_first(&glance)] - 40);
                let mut expected = glance.clone();
                if places.len() > 1 {
                    let children = Children::new::<Plain>(w, node, Plain::moves(node.player, node.opponent), true);
                    let mut inputs = all_inputs::<Plain>(w, node, &children, alpha);
                    let best = places.iter().map(|&i| inputs[i].numbers[5]).max().unwrap();
                    for &i in &places {
                        inputs[i].numbers[9] = inputs[i].numbers[5] - best;
                        expected[i] = CLOSELY + MODEL.key(node.empties, &inputs[i]);
                    }
                    looked_at += 1;
                }
                assert_eq!(found, expected, "{board:?}");
                let first = |keys: &[i32]| (0..keys.len()).rev().max_by_key(|&i| keys[i]);
                changed += (first(&found) != first(&glance)) as u32;
            });
        }
        assert!(looked_at > 150 && changed > 30, "{looked_at} {changed}");
    }

    /// A value is worked out, and counted as a node, for moves that it may bring to the front; the others keep their order behind them.
    #[test]
    fn unlikely_moves_come_last_without_a_value() {
        let (mut valued, mut unlikely) = (0, 0);
        for seed in 0..60 {
            with_worker(1, |w| {
                let node = root(w, random_board(&mut StdRng::seed_from_u64(seed), 18));
                let cheap = keys(w, node, None, Order::Mobility);
                let before = w.nodes;
                let found = keys(w, node, None, Order::Static);
                let counted = w.nodes - before;
                let children = Children::new::<Plain>(w, node, Plain::moves(node.player, node.opponent), true);
                let undecided = |&i: &usize| cheap[i] < DECIDED;
                let most = (0..cheap.len()).filter(undecided).map(|i| cheap[i]).max().unwrap();
                let mut expected = cheap.clone();
                let mut values = 0;
                for i in (0..cheap.len()).filter(undecided) {
                    if cheap[i] < most - UNLIKELY {
                        expected[i] -= CLOSELY;
                        unlikely += 1;
                    } else {
                        let child = children.get(i);
                        let linear = w.linear_reply::<Plain>(node, child.square as usize, child.flips);
                        expected[i] -= VALUE * linear / UNITS_PER_DISC;
                        values += 1;
                    }
                }
                assert_eq!(found, expected);
                assert_eq!(counted, values);
                valued += values;
            });
        }
        assert!(valued > 200 && unlikely > 50, "{valued} {unlikely}");
    }

    #[test]
    fn a_move_of_the_table_and_an_only_move_need_no_order() {
        with_worker(1, |w| {
            let node = root(w, random_board(&mut StdRng::seed_from_u64(63), 20));
            let moves = Plain::moves(node.player, node.opponent);
            let children = |moves| Children::new::<Plain>(w, node, moves, true);
            let squares = |children: &Children| children.iter().map(|child| child.square).collect::<Vec<u8>>();
            let all = squares(&children(moves));
            assert!(all.len() > 3);
            let knows = |best: u8| {
                let data = Data { best, ..TABLE_DATA };
                let mut children = children(moves);
                (children.bring_forward(Some(data)), squares(&children), children.take(0).square)
            };
            let mut expected = all.clone();
            expected.swap(0, 2);
            assert_eq!(knows(all[2]), (1, expected, all[2]));
            assert_eq!(knows(all[0]), (1, all.clone(), all[0]));
            // no move, or that of another position
            let other = (0..64).find(|square| !all.contains(square)).unwrap();
            assert_eq!(knows(NO_MOVE).0, 0);
            assert_eq!(knows(other).0, 0);
            assert_eq!(children(moves).bring_forward(None), 0);
            assert_eq!(children(1 << all[1]).bring_forward(None), 1);
        });
    }

    /// The place of the best child that is not decided.
    fn places_first(keys: &[i32]) -> usize {
        (0..keys.len()).rev().filter(|&i| keys[i] < DECIDED).max_by_key(|&i| keys[i]).unwrap()
    }

    #[test]
    fn a_move_of_the_table_is_first_and_saves_looking_at_others() {
        with_worker(1, |w| {
            let board = random_board(&mut StdRng::seed_from_u64(62), 14);
            let node = root(w, board);
            let glance = keys(w, node, None, Order::Static);
            let square = board.legal_moves().trailing_zeros() as u8;
            let data = Data { best: square, ..TABLE_DATA };
            let found = keys(w, node, Some(data), Order::Cost { alpha: 0 });
            assert_eq!(found[0], TABLE_MOVE);
            assert_eq!(found[1..], glance[1..]);
        });
    }

    /// A search of a ply replaces the linear value of the first few, which stay before the others.
    #[test]
    fn likely_first_moves_are_searched() {
        let mut searched = 0;
        for seed in 0..20 {
            with_worker(1, |w| {
                let board: Board = random_board(&mut StdRng::seed_from_u64(seed), 24);
                let node = root(w, board);
                let (cheap, glance) = (keys(w, node, None, Order::Mobility), keys(w, node, None, Order::Static));
                let [found, all] = [Order::Search(1), Order::SearchAll(1)].map(|order| keys(w, node, None, order));
                let children = Children::new::<Plain>(w, node, Plain::moves(node.player, node.opponent), true);
                for i in 0..found.len() {
                    if found[i] == glance[i] {
                        continue;
                    }
                    let child = *children.get(i);
                    let next = w.push::<Plain>(node, child.square as usize, child.flips);
                    let value = Plain::leaf(w, next, -64, 64, 1);
                    // the linear value is taken out as it was put in: rounded to the same part of a disc
                    assert_eq!(found[i], CLOSELY + cheap[i] - VALUE * value, "{board:?}");
                    assert_eq!(all[i], cheap[i] - VALUE * value);
                    assert!(glance[i] >= glance.iter().max().unwrap() - SEARCHED.margin);
                    searched += 1;
                }
            });
        }
        assert!(searched > 20, "{searched}");
    }
}
