//! The principal variation: read from the table, and where the table has forgotten it, searched again.

use super::children::{Children, Order, score_children};
use super::entries::Entries;
use super::tt::{Data, NO_MOVE, hash};
use super::worker::{Node, Worker};
use crate::board::Square;
use crate::search::Selectivity;

/// Empties from which an exact line is searched again in any case: the last moves are not in the table.
const TAIL_EMPTIES: u32 = 14;

/// What a search has proved of the position at the head of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// Nothing: the search did not reach the end of the game.
    None,
    /// That its score is at least so much.
    AtLeast,
    /// That its score is at most so much.
    AtMost,
    /// Its score.
    Score,
}

impl Proof {
    /// The same for the other side.
    pub fn of_other_side(self) -> Proof {
        match self {
            Proof::AtLeast => Proof::AtMost,
            Proof::AtMost => Proof::AtLeast,
            Proof::None | Proof::Score => self,
        }
    }
}

/// Follows the table's best moves. With a proved score, or bound, every move keeps it and the line goes to the end of the game;
/// what the table has lost of it is searched again (microseconds near the end).
pub(super) fn principal_variation<I: Entries>(
    w: &mut Worker,
    node: Node,
    score: i32,
    proof: Proof,
) -> Vec<Option<Square>> {
    let mut line = Vec::new();
    let (mut node, mut score, mut proof) = (node, score, proof);
    while node.empties > 0 {
        let moves = I::moves(node.player, node.opponent) & w.mask::<I>();
        if moves == 0 {
            if I::moves(node.opponent, node.player) & w.mask::<I>() == 0 {
                break;
            }
            line.push(None);
            node = node.pass();
            (score, proof) = (-score, proof.of_other_side());
            continue;
        }
        let hash = hash(node.player, node.opponent);
        let known = w.shared.table.probe(hash, node.player, node.opponent);
        let is_tail = proof != Proof::None && node.empties <= TAIL_EMPTIES;
        let best = if is_tail || proof == Proof::Score && !known.is_some_and(|data| proves(data, node, score)) {
            // an open window whatever the score, because null windows near the end leave nothing in the table
            I::pvs(w, node, score - 1, score + 1, node.empties);
            if w.is_stopped() {
                break;
            }
            w.shared.table.probe(hash, node.player, node.opponent).map(|data| data.best)
        } else if matches!(proof, Proof::AtLeast | Proof::AtMost) {
            keeping::<I>(w, node, moves, known, score, proof)
        } else {
            known.map(|data| data.best)
        };
        let Some(best) = best.filter(|&best| best != NO_MOVE && moves >> best & 1 != 0) else { break };
        line.push(Square::new(best));
        let flips = I::flips(best as usize, node.player, node.opponent);
        node = w.push::<I>(node, best as usize, flips);
        (score, proof) = (-score, proof.of_other_side());
    }
    line
}

/// A move that keeps a proved bound; `None` when there is no time to find one.
fn keeping<I: Entries>(
    w: &mut Worker,
    node: Node,
    moves: u64,
    known: Option<Data>,
    score: i32,
    proof: Proof,
) -> Option<u8> {
    let is_move = |data: &Data| data.best != NO_MOVE && moves >> data.best & 1 != 0;
    // where the score is at most so much every move keeps that
    let is_enough = |data: &Data| proof == Proof::AtMost || at_least(*data, node, score);
    if let Some(data) = known.filter(|data| is_move(data) && is_enough(data)) {
        return Some(data.best);
    }
    // cut-offs that looked at no move, by stable discs or what lies below, leave none in the table
    let mut children = Children::new::<I>(w, node, moves, true);
    score_children::<I>(w, node, &mut children, known, Order::Mobility);
    for i in 0..children.len() {
        let child = children.take(i);
        let next = w.push::<I>(node, child.square as usize, child.flips);
        if proof == Proof::AtMost || -I::nws(w, next, -score, node.empties - 1, true) >= score {
            return (!w.is_stopped()).then_some(child.square);
        }
    }
    None
}

/// The entry's best move keeps the score.
fn proves(data: Data, node: Node, score: i32) -> bool {
    at_least(data, node, score) && data.lower as i32 == score && data.best != NO_MOVE
}

/// The entry says that the score is at least so much, and its best move, if it has one, that it is.
fn at_least(data: Data, node: Node, score: i32) -> bool {
    data.covers(node.empties, Selectivity::NONE.index() as u8) && data.lower as i32 >= score
}
