//! Null-window search with the shared table: the midgame, and endgames above the local search's reach.

use super::children::{Children, Order, knows_no_move, score_children};
use super::cost;
use super::entries::Entries;
use super::local::{LOCAL_MAX, LOCAL_MIN};
use super::probcut::probcut;
use super::sampling;
use super::split::{self, Task};
use super::tt::{Data, Found, NO_MOVE, hash};
use super::worker::{Node, STABILITY_MIN_ALPHA, Worker};
use crate::search::Selectivity;
use crate::search::selective::DEVIATIONS;

/// Midgame searches of at most this depth use neither table nor ordering by evaluation.
pub(super) const LEAF_DEPTH: u32 = 2;
/// Fewest empties from which a search to the end that knows no move from the table asks a midgame search for one.
const DEEPENED: u32 = 17;
/// Plies before the end that such a search leaves.
const DEEPENED_GAP: u32 = 10;
/// Enhanced transposition cut-offs from this depth on.
const ETC_MIN_DEPTH: u32 = 4;

/// Alpha-beta without a table, for the last plies before static evaluation and for ordering (`depth` 0 to 2).
#[inline(always)]
pub(super) fn leaf<I: Entries>(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32) -> i32 {
    w.nodes += 1;
    if node.empties == 0 {
        return w.final_score::<I>(node.player, node.opponent);
    }
    if depth == 0 {
        return w.static_value::<I>(node, alpha, beta);
    }
    let moves = I::moves(node.player, node.opponent) & w.mask::<I>();
    if moves == 0 {
        if I::moves(node.opponent, node.player) & w.mask::<I>() == 0 {
            return w.final_score::<I>(node.player, node.opponent);
        }
        return -I::leaf(w, node.pass(), -beta, -alpha, depth);
    }
    let (corners, x_squares) = (w.corners::<I>(), w.x_squares::<I>());
    let [latest, earlier] = w.countermoves(node);
    let others = moves & !(latest | earlier);
    let mut best = -127;
    let mut low = alpha;
    for group in
        [moves & latest, moves & earlier, others & corners, others & !(corners | x_squares), others & x_squares]
    {
        let mut rest = group;
        while rest != 0 {
            let x = rest.trailing_zeros() as usize & 63;
            rest &= rest - 1;
            let flips = I::flips(x, node.player, node.opponent);
            let score = if depth == 1 {
                w.nodes += 1;
                -w.reply_value::<I>(node, x, flips, -beta, -low)
            } else {
                let next = w.push::<I>(node, x, flips);
                -I::leaf(w, next, -beta, -low, depth - 1)
            };
            if score > best {
                best = score;
                if score >= beta {
                    w.note_countermove(node, x);
                    return score;
                }
                low = low.max(score);
            }
        }
    }
    best
}

/// Exact null-window value of a position with at most [`LOCAL_MAX`] empties.
#[inline(always)]
pub(super) fn solve_local<I: Entries>(w: &mut Worker, node: Node, alpha: i32) -> i32 {
    let (player, opponent) = (node.player, node.opponent);
    let empties = w.empties::<I>(player, opponent);
    let mut squares = crate::board::Squares(empties).map(|square| square.index());
    let mut next = || squares.next().unwrap_or(0);
    match node.empties {
        0 => w.final_score::<I>(player, opponent),
        1 => super::last::solve_1::<I>(w, player, opponent, next()),
        2 => {
            let xs = next() as u32 | (next() as u32) << 8;
            I::solve_2(w, player, opponent, alpha, xs)
        }
        3 => {
            let xs = next() as u32 | (next() as u32) << 8 | (next() as u32) << 16;
            I::solve_3(w, player, opponent, alpha, xs)
        }
        4 => {
            let parity = w.parity::<I>(player, opponent);
            I::solve_4(w, player, opponent, alpha, parity)
        }
        n => {
            let parity = w.parity::<I>(player, opponent);
            let moves = I::moves(player, opponent) & w.mask::<I>();
            if n < LOCAL_MIN {
                return I::solve_5(w, player, opponent, moves, alpha, parity);
            }
            I::nws_local(w, player, opponent, moves, alpha, parity)
        }
    }
}

/// Null-window search `(alpha, alpha + 1)` of any depth; at a depth of at least the number of empties, to the end.
#[inline(always)]
pub(super) fn nws<I: Entries>(w: &mut Worker, node: Node, alpha: i32, depth: u32, expect_cut: bool) -> i32 {
    if w.is_over() {
        return alpha;
    }
    let endgame = depth >= node.empties;
    if endgame && node.empties <= LOCAL_MAX {
        return solve_local::<I>(w, node, alpha);
    }
    if !endgame && depth <= LEAF_DEPTH {
        return I::leaf(w, node, alpha, alpha + 1, depth);
    }
    if w.is_stopped() {
        return alpha;
    }
    let depth = depth.min(node.empties);
    let nodes_before = w.nodes;
    w.nodes += 1;
    let (player, opponent) = (node.player, node.opponent);
    // its entry may have left the nearer caches since the parent looked at it: on its way until it is needed
    let hash = hash(player, opponent);
    w.shared.table.prefetch(hash);
    let min_alpha = STABILITY_MIN_ALPHA[node.empties as usize];
    // stable discs bound the score at the end: a full-width search to a depth before that finds what its leaves are worth
    let bounded = endgame || (w.selectivity as usize) < DEVIATIONS.len();
    if bounded && let Some(score) = w.stability_cutoff::<I>(player, opponent, 0, alpha, min_alpha) {
        return score;
    }
    let moves = I::moves(player, opponent) & w.mask::<I>();
    if moves == 0 {
        if I::moves(opponent, player) & w.mask::<I>() == 0 {
            return w.final_score::<I>(player, opponent);
        }
        return -I::nws(w, node.pass(), -alpha - 1, depth, !expect_cut);
    }
    let mut entry = w.shared.table.probe(hash, player, opponent);
    if let Some(score) = table_cutoff(entry, alpha, alpha + 1, depth, w.selectivity) {
        return score;
    }
    let found = |score: i32, best: u8, nodes: u64, selectivity: u8| Found {
        depth,
        selectivity,
        alpha,
        beta: alpha + 1,
        score,
        best,
        nodes,
    };
    if let Some(score) = probcut::<I>(w, node, moves, alpha, depth, expect_cut) {
        if !w.is_stopped() {
            let found = found(score, NO_MOVE, w.nodes - nodes_before, w.selectivity);
            w.store(hash, player, opponent, &found);
        }
        return score;
    }
    // children that the local search takes over are not in the shared table
    let shared = !endgame || node.empties - 1 > LOCAL_MAX;
    let mut children = Children::none();
    children.fill::<I>(w, node, moves, shared);
    if shared
        && depth >= ETC_MIN_DEPTH
        && let Some((score, square)) = transposition_cutoff(w, &children, alpha, depth)
    {
        let found = found(score, square, w.nodes - nodes_before, w.selectivity);
        w.store(hash, player, opponent, &found);
        return score;
    }
    if !shared && let Some((score, square)) = local_cutoff(w, &children, alpha) {
        let found = found(score, square, w.nodes - nodes_before, w.selectivity);
        w.store(hash, player, opponent, &found);
        return score;
    }
    if endgame && let Some(score) = sampling::sample::<I>(w, node, &children, alpha, expect_cut) {
        return score;
    }
    if endgame && node.empties >= DEEPENED && children.len() > 1 && w.probing == 0 && knows_no_move(entry) {
        entry = deepened::<I>(w, node, hash, alpha, expect_cut);
    }
    // what the table knows to be best is tried before anything is done to order the others: it nearly always cuts
    let mut in_order = children.bring_forward(entry);
    let mut best = -127;
    let mut best_move = NO_MOVE;
    for i in 0..children.len() {
        let is_split = split::wanted(w, node, depth, i, children.len() - i, !expect_cut);
        if in_order < children.len() && (i == in_order || is_split) {
            let order = order_for::<I>(node, alpha, depth, endgame);
            score_children::<I>(w, node, &mut children, entry, order);
            in_order = children.len();
        }
        if is_split {
            let task = Task { node, alpha, beta: alpha + 1, depth, expect_cut, best, best_move };
            (best, best_move) = split::split::<I>(w, task, children.remaining(i));
            break;
        }
        let child = children.take(i);
        let next = if !shared {
            w.child::<I>(node, child.square as usize, child.flips)
        } else {
            w.push::<I>(node, child.square as usize, child.flips)
        };
        let score = -I::nws(w, next, -alpha - 1, depth - 1, !expect_cut);
        if score > best {
            best = score;
            best_move = child.square;
            if score > alpha {
                break;
            }
        }
    }
    if w.is_stopped() {
        return alpha;
    }
    let found = found(best, best_move, w.nodes - nodes_before, w.selectivity);
    w.store(hash, player, opponent, &found);
    best
}

/// What the table knows after a midgame search of a node that is to be searched to the end (internal iterative deepening, Scott 1969).
#[inline(always)]
fn deepened<I: Entries>(w: &mut Worker, node: Node, hash: u64, alpha: i32, expect_cut: bool) -> Option<Data> {
    let selectivity = std::mem::replace(&mut w.selectivity, Selectivity::MOST.index() as u8);
    I::nws(w, node, alpha, node.empties - DEEPENED_GAP, expect_cut);
    w.selectivity = selectivity;
    w.shared.table.probe(hash, node.player, node.opponent)
}

/// The table's answer, when it decides the window.
#[inline(always)]
pub(super) fn table_cutoff(entry: Option<Data>, alpha: i32, beta: i32, depth: u32, selectivity: u8) -> Option<i32> {
    let data = entry?;
    if !data.covers(depth, selectivity) {
        return None;
    }
    let (lower, upper) = (data.lower as i32, data.upper as i32);
    if lower >= beta || lower == upper {
        return Some(lower);
    }
    (upper <= alpha).then_some(upper)
}

/// A child that the table shows to be bad enough for its side decides the node at once.
#[inline(always)]
pub(super) fn transposition_cutoff(w: &Worker, children: &Children, alpha: i32, depth: u32) -> Option<(i32, u8)> {
    for child in children.iter() {
        if let Some(data) = w.shared.table.probe(child.hash, child.player, child.opponent)
            && data.covers(depth - 1, w.selectivity)
            && -(data.upper as i32) > alpha
        {
            return Some((-(data.upper as i32), child.square));
        }
    }
    None
}

/// The same by the thread's own table, for children that the local search takes over.
#[inline(always)]
fn local_cutoff(w: &Worker, children: &Children, alpha: i32) -> Option<(i32, u8)> {
    // a plain loop: closures would stay calls in functions with target features
    for child in children.iter() {
        if let Some(known) = w.cache.cutoff(LOCAL_MAX, child.hash, child.player, -alpha - 1)
            && -known > alpha
        {
            return Some((-known, child.square));
        }
    }
    None
}

/// How much ordering is worth at a null-window node.
#[inline(always)]
fn order_for<I: Entries>(node: Node, alpha: i32, depth: u32, endgame: bool) -> Order {
    if endgame {
        match node.empties {
            cost::LEAST..=cost::MOST if !I::GENERAL => Order::Cost { alpha },
            0..=16 => Order::Static,
            17..=28 => Order::Search(1),
            _ => Order::Search(2),
        }
    } else {
        match depth {
            0..=15 => Order::Static,
            16..=25 => Order::Search(1),
            _ => Order::Search(2),
        }
    }
}
