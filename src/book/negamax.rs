//! Values from the ends of a book to its start.

use arrayvec::ArrayVec;

use super::graph::{Known, known_moves, outward};
use super::node::{Leaf, Node, search_level};
use super::store::{Book, Nodes, Settings};
use super::sweep::{gather, sweep};
use crate::board::{MAX_MOVES, Square};
use crate::search::Selectivity;

/// A node whose value a sweep has changed, as it was and as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Before.
    pub before: Node,
    /// After.
    pub after: Node,
    /// The move that the new value comes from: `None` for the leaf.
    pub by: Option<Square>,
}

/// Sets every value and bound of a book by one sweep from the fullest boards to the emptiest; calls `changed` for each node
/// that becomes another. A second sweep changes nothing. Nodes that know neither leaf nor link keep what they have.
pub fn negamax(book: &mut Book, mut changed: impl FnMut(&Change)) {
    sweep(
        book,
        |book, node, moves| {
            let (after, by) = valued_by(&book.settings, *node, moves.known);
            (after != *node).then_some((after, by))
        },
        |before, after, by| changed(&Change { before: *before, after: *after, by }),
    );
}

/// A node with the value that its leaf and links give it, and the link that the value comes from.
pub fn valued(nodes: &impl Nodes, node: Node) -> (Node, Option<Square>) {
    let known: ArrayVec<Known, MAX_MOVES> = known_moves(nodes, node.board).collect();
    valued_by(&nodes.settings(), node, &known)
}

/// [`valued`], when the known moves of the node have been found.
pub(super) fn valued_by(settings: &Settings, mut node: Node, known: &[Known]) -> (Node, Option<Square>) {
    let own = match node.leaf() {
        Leaf::Move { square, .. } => Some(square),
        _ => None,
    };
    // a leaf that has become a link counts as that; it waits for a search, and no other move is better than it was
    let leaf = leaf_bounds(&node, settings).filter(|_| known.iter().all(|known| Some(known.square) != own));
    let mut best: Option<(i8, i8, i8)> = leaf;
    let (mut by, mut exact) = (None, node.leaf() == Leaf::None || leaf.is_some() && node.leaf_is_exact());
    for &Known { square, value, lower, upper, exact: known, .. } in known {
        exact &= known;
        best = Some(match best {
            None => {
                by = Some(square);
                (value, lower, upper)
            }
            Some((most, low, high)) => {
                if value > most {
                    by = Some(square);
                }
                (most.max(value), low.max(lower), high.max(upper))
            }
        });
    }
    if let Some((value, lower, upper)) = best {
        (node.value, node.lower, node.upper) = (value, lower.min(value), upper.max(value));
        node.set_exact(exact);
    }
    (node, by)
}

/// Value, lower and upper bound that a node's leaf gives it: the band of Edax's books, in which a midgame value may be wrong
/// by [`Settings::midgame_error`] and is corrected for the parity of depth and empties. `None` without a leaf.
pub fn leaf_bounds(node: &Node, settings: &Settings) -> Option<(i8, i8, i8)> {
    let Leaf::Move { score, .. } = node.leaf() else { return None };
    let empties = node.empties() as u8;
    let stage = search_level(node.leaf_level()).stage(empties);
    let (error, shift) = match (stage.depth >= empties, stage.selectivity == Selectivity::NONE) {
        (true, true) => (0, 0),
        (true, false) => (settings.endcut_error as i32, 0),
        (false, _) => (settings.midgame_error as i32, (stage.depth & 1) as i32 - (empties & 1) as i32),
    };
    let bound = |value: i32| value.clamp(-64, 64) as i8;
    let value = score as i32;
    Some((score, bound(value - error - shift).min(score), bound(value + error - shift).max(score)))
}

/// Games that a node stands for, as Edax counts them: solved leaves below it by result, and all lines. To Edax a move that ends the
/// game is a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Solved leaves that the side to move wins.
    pub wins: u32,
    /// Solved leaves that are draws.
    pub draws: u32,
    /// Solved leaves that the side to move loses.
    pub losses: u32,
    /// Lines: the leaf, and the lines of every link.
    pub lines: u32,
}

/// [`Counts`] of every node of a book, in the order of [`Book::nodes`]. They grow beyond all bounds where lines meet, and end
/// at 2^32 - 1.
pub fn counts(book: &Book) -> Vec<Counts> {
    gather(book, |node, moves, counts: &[Counts]| {
        let mut sum = Counts::default();
        if let Leaf::Move { square, score } = outward(node.leaf(), moves.known) {
            sum.lines = 1;
            let ends_game = moves.known.iter().any(|known| known.node.is_none() && known.square == square);
            if ends_game || node.leaf_is_exact() {
                match score {
                    1.. => sum.wins = 1,
                    0 => sum.draws = 1,
                    _ => sum.losses = 1,
                }
            }
        }
        for (known, at) in moves.links() {
            let count = counts[at];
            let (wins, losses) = if known.passed { (count.wins, count.losses) } else { (count.losses, count.wins) };
            sum.wins = sum.wins.saturating_add(wins);
            sum.losses = sum.losses.saturating_add(losses);
            sum.draws = sum.draws.saturating_add(count.draws);
            sum.lines = sum.lines.saturating_add(count.lines);
        }
        sum
    })
}

#[cfg(test)]
mod tests {
    use super::super::graph::Next;
    use super::super::node::Origin;
    use super::*;
    use crate::board::Board;
    use crate::board::Squares;

    fn board(moves: &str) -> Board {
        super::super::graph::board(moves).canonical()
    }

    fn node(moves: &str, leaf: Leaf, level: u8) -> Node {
        let mut node = Node::new(board(moves), Origin::Outflank);
        node.level = level;
        node.set_leaf(leaf, level);
        node
    }

    fn leaf(square: &str, score: i8) -> Leaf {
        Leaf::Move { square: square.parse().unwrap(), score }
    }

    #[test]
    fn every_move_of_a_position_may_be_known() {
        let mut first = Node::new(Board::MANY_MOVES.canonical(), Origin::Outflank);
        first.set_leaf(Leaf::None, 0);
        let mut book: Book = [first].into_iter().collect();
        for square in Squares(first.board.legal_moves()) {
            let Next::Board { board, .. } = Next::of(first.board, square) else { panic!("the game goes on") };
            let mut node = Node::new(board.canonical(), Origin::Outflank);
            node.value = -5;
            book.put(node);
        }
        assert_eq!(known_moves(&book, first.board).count(), 35);
        assert_eq!(valued(&book, first).0.value, 5);
    }

    /// The three positions of the book notes' vector.
    fn three() -> Book {
        let mut book: Book =
            [node("", Leaf::None, 16), node("f5", leaf("f6", -2), 16), node("f5d6", leaf("f6", 1), 16)]
                .into_iter()
                .collect();
        book.settings = Settings { level: 16, midgame_error: 2, endcut_error: 1, max_ply: 11 };
        book
    }

    #[test]
    fn values_bounds_and_lines_are_those_of_the_notes() {
        let mut book = three();
        let mut changes = Vec::new();
        negamax(&mut book, |change| changes.push(*change));
        assert_eq!(changes.len(), 3);
        let band = |moves: &str| {
            let node = book.get(&board(moves)).unwrap();
            (node.value, node.lower, node.upper)
        };
        assert_eq!([band(""), band("f5"), band("f5d6")], [(1, -1, 3), (-1, -3, 1), (1, -1, 3)]);
        let lines = |moves: &str| counts(&book)[book.position(&board(moves)).unwrap()].lines;
        assert_eq!([lines(""), lines("f5"), lines("f5d6")], [8, 2, 1]);
        negamax(&mut book, |change| panic!("a second sweep changed {change:?}"));
        // the value of f5 comes from the link, not from its leaf
        let change = changes.iter().find(|change| change.after.board == board("f5")).unwrap();
        assert!(change.by.is_some());
    }

    #[test]
    fn solved_leaves_are_exact_all_the_way() {
        // moves chosen so that no move is a pass or the end of the game where it matters
        let plain = |board: Board| {
            let next = Squares(board.legal_moves()).map(|square| Next::of(board, square));
            next.map(|next| matches!(next, Next::Board { passed: false, .. }))
                .fold(board.legal_moves() != 0, |a, b| a && b)
        };
        let played = |seed: usize| {
            let mut at = Board::START;
            while at.empty_count() > 20 {
                let moves: Vec<_> = Squares(at.legal_moves()).collect();
                let square = moves.get((seed + at.empty_count() as usize * 7) % moves.len().max(1));
                at = square.and_then(|&square| at.play(square)).unwrap_or(at.pass());
            }
            at.canonical()
        };
        let at = (0..100).map(played).find(|board| plain(*board)).expect("one of a hundred");
        let children: Vec<Board> =
            Squares(at.legal_moves()).map(|square| at.play(square).unwrap().canonical()).collect();
        let mut book = Book::default();
        let mut root = Node::new(at.canonical(), Origin::Outflank);
        root.set_leaf(Leaf::None, 16);
        book.put(root);
        for (n, child) in children.iter().enumerate() {
            let mut node = Node::new(*child, Origin::Outflank);
            let square = Squares(child.legal_moves()).next().expect("a move");
            node.set_leaf(Leaf::Move { square, score: n as i8 * 2 }, 16);
            book.put(node);
        }
        negamax(&mut book, |_| {});
        let root = book.get(&at.canonical()).unwrap();
        assert!(root.is_exact() && root.value == 0 && root.lower == 0 && root.upper == 0, "{root:?}");
        let sum = counts(&book)[0];
        assert_eq!((sum.draws, sum.wins, sum.lines as usize), (1, 0, children.len()));
    }

    #[test]
    fn a_move_that_ends_the_game_is_a_line() {
        let before = "f5d6c5f4e7f6g5e6";
        let count = |leaf: Leaf| {
            let book: Book = [node(before, leaf, 2)].into_iter().collect();
            let Counts { wins, draws, losses, lines } = counts(&book)[0];
            (wins, draws, losses, lines)
        };
        // e3 wins all discs: better than any leaf
        assert_eq!(count(Leaf::None), (1, 0, 0, 1));
        let square = Squares(board(before).legal_moves())
            .find(|square| matches!(Next::of(board(before), *square), Next::Board { .. }))
            .unwrap();
        assert_eq!(count(Leaf::Move { square, score: 3 }), (1, 0, 0, 1));
        assert_eq!(count(Leaf::Unknown), (0, 0, 0, 0), "as the leaf that is written");
    }

    #[test]
    fn nodes_that_know_nothing_keep_their_value() {
        let mut lonely = node("f5", Leaf::Unknown, 0);
        (lonely.value, lonely.lower, lonely.upper) = (-7, -9, -5);
        let mut book: Book = [lonely, node("", Leaf::Unknown, 0)].into_iter().collect();
        negamax(&mut book, |_| {});
        assert_eq!((book.nodes()[0].value, book.nodes()[1].value, book.nodes()[1].lower), (-7, 7, 5));
    }
}
