//! How far a value can be trusted: a letter for what is behind the moves that matter. The labels are Egaroucid's.

use std::collections::HashMap;

use super::graph::Next;
use super::node::{Node, search_level};
use super::probe::{BookMove, Kind, probe_board};
use super::store::Nodes;
use crate::board::Board;
use crate::search::Selectivity;

/// What the value of a position or a move rests on. The moves that matter are those within a disc of the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// Solves alone.
    A,
    /// Solves and selective solves, solves among the next moves.
    B,
    /// Selective solves.
    C,
    /// Solves, and midgame searches.
    D,
    /// Selective solves, and midgame searches.
    E,
    /// Midgame searches alone, or moves that have not been searched.
    F,
}

/// Discs that a move that matters may be worse than the best.
const NEAR: i32 = 1;

impl Trust {
    /// `A` to `F`.
    pub const fn letter(self) -> char {
        match self {
            Trust::A => 'A',
            Trust::B => 'B',
            Trust::C => 'C',
            Trust::D => 'D',
            Trust::E => 'E',
            Trust::F => 'F',
        }
    }

    /// The label of a node's leaf: its search solved exactly (A), with some selectivity (C), or did not reach the end (F).
    pub fn of_leaf(node: &Node) -> Trust {
        let empties = node.empties() as u8;
        let stage = search_level(node.leaf_level()).stage(empties);
        match (stage.depth >= empties, stage.selectivity == Selectivity::NONE) {
            (true, true) => Trust::A,
            (true, false) => Trust::C,
            (false, _) => Trust::F,
        }
    }

    /// The label of a position whose moves that matter have these.
    fn of_moves(moves: &[Trust]) -> Trust {
        let has = |wanted: &[Trust]| moves.iter().any(|label| wanted.contains(label));
        match moves.iter().max() {
            None => Trust::F,
            Some(Trust::A) => Trust::A,
            Some(Trust::B | Trust::C) if has(&[Trust::A, Trust::B]) => Trust::B,
            Some(Trust::B | Trust::C) => Trust::C,
            Some(_) if has(&[Trust::A, Trust::B, Trust::D]) => Trust::D,
            Some(_) if has(&[Trust::C, Trust::E]) => Trust::E,
            Some(_) => Trust::F,
        }
    }
}

impl std::fmt::Display for Trust {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.letter().encode_utf8(&mut [0; 4]))
    }
}

/// The labels of a book, worked out where they are asked for: of all that follows on a position by moves that matter.
#[derive(Debug)]
pub struct Labels<'a> {
    nodes: &'a dyn Nodes,
    found: HashMap<Board, Trust>,
}

impl<'a> Labels<'a> {
    /// The labels of this book.
    pub fn new(nodes: &'a dyn Nodes) -> Labels<'a> {
        Labels { nodes, found: HashMap::new() }
    }

    /// The label of a position in any orientation; `None` when it is not in the book.
    pub fn of(&mut self, board: Board) -> Option<Trust> {
        let board = board.canonical();
        if let Some(label) = self.found.get(&board) {
            return Some(*label);
        }
        let knowledge = probe_board(self.nodes, board)?;
        let best = knowledge.best().map_or(0, |best| i32::from(best.score));
        let near: Vec<&BookMove> = knowledge.moves.iter().filter(|mv| best - i32::from(mv.score) <= NEAR).collect();
        let mut moves: Vec<Trust> = near.into_iter().filter_map(|mv| self.of_move(board, mv)).collect();
        // moves that nobody has searched may be the best
        if knowledge.is_stale() {
            moves.push(Trust::F);
        }
        let label = Trust::of_moves(&moves);
        self.found.insert(board, label);
        Some(label)
    }

    /// The label of a move that the book knows on a board; `None` when the book does not know it.
    pub fn of_move(&mut self, board: Board, mv: &BookMove) -> Option<Trust> {
        match (mv.kind, Next::of(board, mv.square)) {
            (Kind::End, _) | (_, Next::Over(_)) => Some(Trust::A),
            (Kind::Leaf, _) => self.nodes.find(&board.canonical()).map(|node| Trust::of_leaf(&node)),
            (Kind::Link, Next::Board { board, .. }) => self.of(board),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::board;
    use super::super::negamax::negamax;
    use super::super::node::{Leaf, Origin};
    use super::super::store::Book;
    use super::*;
    use crate::board::Squares;

    #[test]
    fn labels_are_made_of_those_of_the_moves() {
        use Trust::{A, B, C, D, E, F};
        for (moves, label) in [
            (&[A, A][..], A),
            (&[A, C], B),
            (&[A, B], B),
            (&[B, C], B),
            (&[C, C], C),
            (&[A, F], D),
            (&[B, E], D),
            (&[D, F], D),
            (&[C, F], E),
            (&[E], E),
            (&[F, F], F),
            (&[], F),
        ] {
            assert_eq!(Trust::of_moves(moves), label, "{moves:?}");
        }
        assert_eq!(D.to_string(), "D");
    }

    /// A position of a random game with this many empty squares.
    fn late(empties: u32) -> Board {
        let mut at = board("f5d6c3d3c4f4f6f3e6e7");
        let mut turn = 3;
        while at.empty_count() > empties {
            let moves: Vec<_> = Squares(at.legal_moves()).collect();
            turn += 7;
            at = moves.get(turn % moves.len().max(1)).and_then(|&mv| at.play(mv)).unwrap_or(at.pass());
        }
        if at.legal_moves() == 0 { at.pass().canonical() } else { at.canonical() }
    }

    fn node(board: Board, level: u8, score: i8) -> Node {
        let mut node = Node::new(board.canonical(), Origin::Outflank);
        let square = Squares(node.board.legal_moves()).next().unwrap();
        node.set_leaf(Leaf::Move { square, score }, level);
        node
    }

    #[test]
    fn leaves_have_the_label_of_their_search() {
        // level 16 solves 21 empties exactly and 24 selectively
        let label = |empties| Trust::of_leaf(&node(late(empties), 16, 0));
        assert_eq!([label(20), label(24), label(40)], [Trust::A, Trust::C, Trust::F]);
    }

    #[test]
    fn only_moves_near_the_best_matter() {
        let root = late(20);
        let children: Vec<Board> = Squares(root.legal_moves()).map(|mv| root.play(mv).unwrap().canonical()).collect();
        assert!(children.len() > 2 && children.iter().all(|child| child.legal_moves() != 0));
        let label = |scores: [i8; 2], levels: [u8; 2]| {
            let mut start = Node::new(root, Origin::Outflank);
            start.set_leaf(Leaf::None, 16);
            let mut book: Book = [start].into_iter().collect();
            for (n, child) in children.iter().enumerate() {
                book.put(node(*child, levels[n.min(1)], -scores[n.min(1)]));
            }
            negamax(&mut book, |_| {});
            Labels::new(&book).of(root.symmetry(3)).unwrap()
        };
        assert_eq!(label([4, 4], [16, 16]), Trust::A);
        assert_eq!(label([4, 3], [16, 2]), Trust::D, "a move a disc worse was not solved");
        assert_eq!(label([4, 2], [16, 2]), Trust::A, "two discs worse");
        assert_eq!(label([2, 4], [16, 2]), Trust::F);
        assert_eq!(Labels::new(&Book::default()).of(root), None);
        let unknown: Book = [Node::new(root, Origin::Outflank)].into_iter().collect();
        assert_eq!(Labels::new(&unknown).of(root), Some(Trust::F));
    }
}
