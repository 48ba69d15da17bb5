//! The moves of a position with what is needed to order and search them.

use arrayvec::ArrayVec;

use super::entries::Entries;
use super::local::{LOCAL_MAX, LocalCache};
use super::tt::{Data, NO_MOVE, hash};
use super::worker::{Node, Worker};
use crate::board::Square;

/// Room for every legal move of any position (33 is the most known).
const MAX_MOVES: usize = 36;

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
    /// The children of a node, not yet ordered; their entries in the shared table, or else in the thread's own, are on the way.
    #[inline(always)]
    pub fn new<I: Entries>(w: &Worker, node: Node, moves: u64, shared: bool) -> Children {
        let mut children = Children { list: ArrayVec::new() };
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
            children.list.push(child);
        }
        for child in &mut children.list {
            child.moves = I::moves(child.player, child.opponent) & w.mask::<I>();
        }
        children
    }

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = &Child> {
        self.list.iter()
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
    /// Also by a search of this depth.
    Search(u32),
}

/// Orders children: table moves first, then by a weighted sum of mobility, potential mobility, corners, parity and value.
#[inline(always)]
pub(super) fn score_children<I: Entries>(
    w: &mut Worker,
    node: Node,
    children: &mut Children,
    entry: Option<Data>,
    order: Order,
) {
    let (best, second) = entry.map_or((NO_MOVE, NO_MOVE), |data| (data.best, data.second));
    let corners = w.corners::<I>();
    let odd = w.odd_quadrants::<I>(w.parity::<I>(node.player, node.opponent));
    for i in 0..children.list.len() {
        let child = children.list[i];
        let key = if child.square == best {
            1 << 30
        } else if child.player == 0 {
            1 << 29
        } else if child.square == second {
            1 << 28
        } else {
            let mobility = (child.moves.count_ones() + (child.moves & corners).count_ones()) as i32;
            let potential = potential_mobility(child.player, child.opponent, w.mask::<I>());
            let mut key = -MOBILITY * mobility - POTENTIAL * potential;
            key += CORNER * corner_stability(child.opponent);
            if odd >> child.square & 1 != 0 {
                key += PARITY;
            }
            match order {
                Order::Mobility => {}
                Order::Static => key -= w.linear_reply::<I>(node, child.square as usize, child.flips, VALUE),
                Order::Search(depth) => {
                    let next = w.push::<I>(node, child.square as usize, child.flips);
                    key -= VALUE * I::leaf(w, next, -64, 64, depth);
                }
            }
            key
        };
        children.list[i].key = key;
    }
}

// Weights of the ordering terms, tuned one by one on nodes for FFO 20-35 and 40-44 and 23 positions of hard-20; the optimum
// is flat: doubling or halving any of them costs 0 to 5 %.
const MOBILITY: i32 = 15;
const POTENTIAL: i32 = 5;
const CORNER: i32 = 4;
const PARITY: i32 = 2;
/// For a disc of value.
const VALUE: i32 = 5;

/// Empty squares that touch a disc of the other side: where the side to move may hope to play later.
#[inline(always)]
fn potential_mobility(player: u64, opponent: u64, mask: u64) -> i32 {
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
    const CORNERS: u64 = 0x8100_0000_0000_0081;
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
