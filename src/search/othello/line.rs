//! The principal variation: read from the table, and where the table has forgotten it, searched again.

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
    /// A bound of its score.
    Bound,
    /// Its score.
    Score,
}

/// Follows the table's best moves. With a proved score every move keeps that score and the line goes to the end of the game;
/// what the table has lost of it is searched again (microseconds near the end).
pub(super) fn principal_variation<I: Entries>(
    w: &mut Worker,
    node: Node,
    score: i32,
    proof: Proof,
) -> Vec<Option<Square>> {
    let mut line = Vec::new();
    let (mut node, mut score) = (node, score);
    while node.empties > 0 {
        let moves = I::moves(node.player, node.opponent) & w.mask::<I>();
        if moves == 0 {
            if I::moves(node.opponent, node.player) & w.mask::<I>() == 0 {
                break;
            }
            line.push(None);
            node = node.pass();
            score = -score;
            continue;
        }
        let hash = hash(node.player, node.opponent);
        let known = w.shared.table.probe(hash, node.player, node.opponent);
        let is_tail = proof != Proof::None && node.empties <= TAIL_EMPTIES;
        let known = if is_tail || proof == Proof::Score && !known.is_some_and(|data| proves(data, node, score)) {
            // an open window whatever the score, because null windows near the end leave nothing in the table
            I::pvs(w, node, score - 1, score + 1, node.empties);
            if w.is_stopped() {
                break;
            }
            w.shared.table.probe(hash, node.player, node.opponent)
        } else {
            known
        };
        let Some(data) = known else { break };
        if data.best == NO_MOVE || moves >> data.best & 1 == 0 {
            break;
        }
        let x = data.best as usize;
        line.push(Square::new(data.best));
        let flips = I::flips(x, node.player, node.opponent);
        node = w.push::<I>(node, x, flips);
        score = -score;
    }
    line
}

/// The entry's best move keeps the score.
fn proves(data: Data, node: Node, score: i32) -> bool {
    data.covers(node.empties, Selectivity::NONE.index() as u8) && data.lower as i32 == score && data.best != NO_MOVE
}
