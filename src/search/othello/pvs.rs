//! Principal variation search: nodes with an open window.

use super::children::{Children, Order, score_children};
use super::entries::Entries;
use super::nws::table_cutoff;
use super::split::{self, Task};
use super::tt::{Found, NO_MOVE, hash};
use super::worker::{Node, Worker};

/// Search with the window `(alpha, beta)`; at a depth of at least the number of empties, to the end.
#[inline(always)]
pub(super) fn pvs<I: Entries>(w: &mut Worker, node: Node, mut alpha: i32, beta: i32, depth: u32) -> i32 {
    if alpha + 1 == beta {
        return I::nws(w, node, alpha, depth, false);
    }
    if node.empties == 0 || w.is_stopped() {
        return w.final_score::<I>(node.player, node.opponent);
    }
    let endgame = depth >= node.empties;
    if !endgame && depth == 0 {
        w.nodes += 1;
        return w.static_value::<I>(node, alpha, beta);
    }
    let depth = depth.min(node.empties);
    let nodes_before = w.nodes;
    w.nodes += 1;
    let (player, opponent) = (node.player, node.opponent);
    let moves = I::moves(player, opponent) & w.mask::<I>();
    if moves == 0 {
        if I::moves(opponent, player) & w.mask::<I>() == 0 {
            return w.final_score::<I>(player, opponent);
        }
        return -I::pvs(w, node.pass(), -beta, -alpha, depth);
    }
    let hash = hash(player, opponent);
    let entry = w.shared.table.probe(hash, player, opponent);
    if let Some(score) = table_cutoff(entry, alpha, beta, depth, w.selectivity) {
        return score;
    }
    let mut children = Children::new::<I>(w, node, moves, true);
    let order = match depth {
        _ if !w.shared.values => Order::Mobility,
        0..=2 => Order::Mobility,
        3..=8 => Order::Static,
        9..=16 => Order::SearchAll(1),
        _ => Order::SearchAll(2),
    };
    score_children::<I>(w, node, &mut children, entry, order);
    let window = (alpha, beta);
    let mut best = -127;
    let mut best_move = NO_MOVE;
    for i in 0..children.len() {
        if i > 0 && split::wanted(w, node, depth, i, children.len() - i, true) {
            let task = Task { node, alpha, beta, depth, expect_cut: false, best, best_move };
            (best, best_move) = split::split::<I>(w, task, children.remaining(i));
            break;
        }
        let child = children.take(i);
        let next = w.push::<I>(node, child.square as usize, child.flips);
        let score = pvs_child::<I>(w, next, alpha, beta, depth - 1, i == 0);
        if score > best {
            best = score;
            best_move = child.square;
            if score >= beta {
                break;
            }
            alpha = alpha.max(score);
        }
    }
    if w.is_stopped() {
        return best;
    }
    let found = Found {
        depth,
        selectivity: w.selectivity,
        alpha: window.0,
        beta: window.1,
        score: best,
        best: best_move,
        nodes: w.nodes - nodes_before,
    };
    w.store(hash, player, opponent, &found);
    best
}

/// Value of a child from its parent's view: full window for the first, otherwise a null window that is opened
/// only when the child beats alpha.
#[inline(always)]
pub(super) fn pvs_child<I: Entries>(w: &mut Worker, next: Node, alpha: i32, beta: i32, depth: u32, first: bool) -> i32 {
    if first {
        return -I::pvs(w, next, -beta, -alpha, depth);
    }
    let score = -I::nws(w, next, -alpha - 1, depth, true);
    if score > alpha && score < beta {
        return -I::pvs(w, next, -beta, -alpha, depth);
    }
    score
}
