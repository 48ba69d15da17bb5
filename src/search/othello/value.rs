//! Static values of positions: what a search finds at its leaves.
//!
//! A game that is over is worth its score wherever the search meets it; everything else is worth what the evaluation says.

use super::entries::Entries;
use super::walls::General;
use super::worker::{Node, Rules, Worker};
use crate::board::{Board, Square};
use crate::eval::{UNITS_PER_DISC, Weights};
use crate::kernel::{Isa, Portable};

/// Static value of a position that is not over, in discs for the side to move: what a search of depth 0 finds.
pub(crate) fn static_value(rules: &Rules, weights: &Weights, board: Board) -> i32 {
    if rules.is_plain() {
        return weights.evaluate(board);
    }
    let empties = (rules.mask & board.empties()).count_ones();
    let node = Node { player: board.player, opponent: board.opponent, ply: 0, view: 0, empties };
    General::new(rules).value::<Portable<true>>(node)
}

/// Neither side can move.
#[inline(always)]
fn is_over<I: Isa>(player: u64, opponent: u64, mask: u64) -> bool {
    let empties = !(player | opponent) & mask;
    // nearly always somebody can turn a single disc along a file, which takes no move generation to see
    let turns_one = |own: u64, other: u64| (own << 8 & other) << 8 | (own >> 8 & other) >> 8;
    if (turns_one(player, opponent) | turns_one(opponent, player)) & empties != 0 {
        return false;
    }
    (I::moves(player, opponent) | I::moves(opponent, player)) & mask == 0
}

impl Worker<'_> {
    /// What the evaluation says of a node, in discs: its static value unless the game is over.
    #[inline(always)]
    pub(super) fn evaluate<I: Entries>(&mut self, node: Node) -> i32 {
        if I::GENERAL {
            return self.shared.general.value::<I>(node);
        }
        let fillings = self.stack[node.ply as usize].fillings(node.view);
        self.shared.weights.discs::<I>(fillings, node.board(), node.empties)
    }

    /// Static value of a node if it is between `alpha` and `beta`, else a bound on the same side.
    #[inline(always)]
    pub(super) fn static_value<I: Entries>(&mut self, node: Node, alpha: i32, beta: i32) -> i32 {
        if is_over::<I>(node.player, node.opponent, self.mask::<I>()) {
            return self.final_score::<I>(node.player, node.opponent);
        }
        if I::GENERAL {
            return self.shared.general.value::<I>(node);
        }
        let fillings = self.stack[node.ply as usize].fillings(node.view);
        self.shared.weights.discs_within::<I>(fillings, node.board(), node.empties, alpha, beta)
    }

    /// [`Worker::static_value`] of the node after the side to move placed a disc on `x` turning `flips`, which needs no features on
    /// the stack.
    #[inline(always)]
    pub(super) fn reply_value<I: Entries>(&mut self, node: Node, x: usize, flips: u64, alpha: i32, beta: i32) -> i32 {
        let next = self.child::<I>(node, x, flips);
        if is_over::<I>(next.player, next.opponent, self.mask::<I>()) {
            return self.final_score::<I>(next.player, next.opponent);
        }
        if I::GENERAL {
            return self.shared.general.value::<I>(next);
        }
        let square = Square::of_lowest_bit(1 << x);
        let fillings = self.stack[node.ply as usize].reply_fillings(node.view, square, flips);
        self.shared.weights.discs_within::<I>(&fillings, next.board(), next.empties, alpha, beta)
    }

    /// The linear value, in internal units, of the node after the side to move placed a disc on `x` turning `flips`.
    #[inline(always)]
    pub(super) fn linear_reply<I: Entries>(&mut self, node: Node, x: usize, flips: u64) -> i32 {
        self.nodes += 1;
        if I::GENERAL {
            return UNITS_PER_DISC * self.shared.general.value::<I>(self.child::<I>(node, x, flips));
        }
        let square = Square::of_lowest_bit(1 << x);
        let fillings = self.stack[node.ply as usize].reply_fillings(node.view, square, flips);
        self.shared.weights.linear_units(&fillings, node.empties - 1)
    }

    /// The whole value of that node, in internal units, given its linear value.
    #[inline(always)]
    pub(super) fn whole_reply<I: Entries>(&mut self, node: Node, x: usize, flips: u64, linear: i32) -> i32 {
        let next = self.child::<I>(node, x, flips);
        let square = Square::of_lowest_bit(1 << x);
        let fillings = self.stack[node.ply as usize].reply_fillings(node.view, square, flips);
        self.shared.weights.whole_units::<I>(&fillings, next.board(), next.empties, linear)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Squares;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    /// Also where empty squares are left: such a game is worth its score, not what the evaluation makes of it.
    #[test]
    fn games_that_are_over_are_seen() {
        let mut rng = StdRng::seed_from_u64(41);
        let mut early = 0;
        for _ in 0..3000 {
            let mut board = Board::START;
            loop {
                let is_game_over = board.is_game_over();
                assert_eq!(
                    is_over::<Portable<false>>(board.player, board.opponent, u64::MAX),
                    is_game_over,
                    "{board:?}"
                );
                if is_game_over {
                    break;
                }
                let moves = board.legal_moves();
                if moves == 0 {
                    board = board.pass();
                    continue;
                }
                let nth = rng.random_range(0..moves.count_ones()) as usize;
                board = board.play(Squares(moves).nth(nth).unwrap()).unwrap();
            }
            early += u32::from(board.empty_count() > 0);
        }
        assert!(early > 20, "{early} games ended with squares left");
    }
}
