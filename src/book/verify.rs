//! Everything that must hold in a book.

use std::fmt;

use super::graph::{followers, leaf_is_stale, unknown_moves};
use super::negamax::valued;
use super::node::{Leaf, Node};
use super::store::{Book, Nodes};
use crate::board::Board;

/// What is wrong with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It is impossible, taken alone.
    Node(&'static str),
    /// Its value and bounds are not what its moves give.
    Value {
        /// As they are: value, lower, upper.
        is: (i8, i8, i8),
        /// As its moves give them.
        should: (i8, i8, i8),
    },
    /// It claims that every move is in the book, and some are not.
    MissingLeaf,
    /// The leaf leads into the book or ends the game: it is to be searched again.
    LinkedLeaf,
    /// The leaf has not been searched.
    UnknownLeaf,
}

/// A fault of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Of the node with this board.
    pub board: Board,
    /// What it is.
    pub kind: FaultKind,
}

impl Fault {
    /// Nothing is wrong: a search is still to be made. Books of other programs and stopped runs have such nodes.
    pub fn is_open(&self) -> bool {
        matches!(self.kind, FaultKind::LinkedLeaf | FaultKind::UnknownLeaf)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            FaultKind::Node(problem) => f.write_str(problem),
            FaultKind::Value { is, should } => write!(
                f,
                "value {:+} [{:+}, {:+}], but its moves give {:+} [{:+}, {:+}]",
                is.0, is.1, is.2, should.0, should.1, should.2
            ),
            FaultKind::MissingLeaf => f.write_str("a move leads out of the book, and no leaf says what it is worth"),
            FaultKind::LinkedLeaf => f.write_str("the leaf leads to a position of the book: to be searched again"),
            FaultKind::UnknownLeaf => f.write_str("the leaf has not been searched"),
        }
    }
}

/// All faults of a book, in the order of its nodes.
pub fn faults(book: &Book) -> Vec<Fault> {
    let mut faults = Vec::new();
    for node in book.nodes() {
        let mut fault = |kind| faults.push(Fault { board: node.board, kind });
        if let Some(problem) = node.fault() {
            fault(FaultKind::Node(problem));
            continue;
        }
        let should = valued(book, *node).0;
        if should != *node {
            let band = |node: &Node| (node.value, node.lower, node.upper);
            fault(FaultKind::Value { is: band(node), should: band(&should) });
        }
        match node.leaf() {
            Leaf::Unknown if unknown_moves(book, node.board) != 0 => fault(FaultKind::UnknownLeaf),
            Leaf::None if leaf_is_stale(book, node) => fault(FaultKind::MissingLeaf),
            Leaf::Move { .. } if leaf_is_stale(book, node) => fault(FaultKind::LinkedLeaf),
            _ => {}
        }
    }
    faults
}

/// Nodes that no way leads to from the start of the game. They are no fault: books may begin anywhere.
pub fn unreachable(book: &Book) -> usize {
    let mut reached = std::collections::HashSet::from([Board::START.canonical()]);
    let mut open = vec![Board::START.canonical()];
    while let Some(board) = open.pop().filter(|board| book.find(board).is_some()) {
        let next = followers(board).filter(|board| book.contains(board));
        open.extend(next.filter(|board| reached.insert(*board)));
    }
    book.nodes().iter().filter(|node| !reached.contains(&node.board)).count()
}

#[cfg(test)]
mod tests {
    use super::super::negamax::negamax;
    use super::super::node::Origin;
    use super::*;

    #[test]
    fn every_fault_is_found() {
        let f5 = Board::START.play("f5".parse().unwrap()).unwrap().canonical();
        let leaf = |square: &str, score| Leaf::Move { square: square.parse().unwrap(), score };
        let book = |start: Leaf, second: Leaf| {
            let mut book = Book::default();
            for (board, leaf) in [(Board::START, start), (f5, second)] {
                let mut node = Node::new(board.canonical(), Origin::Outflank);
                node.set_leaf(leaf, 16);
                book.put(node);
            }
            negamax(&mut book, |_| {});
            book
        };
        let kinds = |book: &Book| -> Vec<FaultKind> { faults(book).into_iter().map(|fault| fault.kind).collect() };
        let good = book(Leaf::None, leaf("d6", -1));
        assert_eq!((kinds(&good), unreachable(&good)), (vec![], 0));
        assert_eq!(kinds(&book(Leaf::None, Leaf::None)), [FaultKind::MissingLeaf]);
        assert_eq!(kinds(&book(leaf("d3", 0), leaf("d6", -1))), [FaultKind::LinkedLeaf]);
        assert_eq!(kinds(&book(Leaf::None, Leaf::Unknown)), [FaultKind::UnknownLeaf]);
        let mut wrong = good.clone();
        wrong.nodes_mut()[0].value = 2;
        let found = faults(&wrong);
        assert_eq!(found[0].kind, FaultKind::Value { is: (2, -2, 2), should: (1, -2, 2) });
        assert!(found[0].to_string().contains("+2 [-2, +2]") && !found[0].is_open());
        wrong.nodes_mut()[0].value = 9;
        assert_eq!(kinds(&wrong), [FaultKind::Node("the value is outside its bounds")]);
        let lonely: Book = [Node::new(f5, Origin::Outflank)].into_iter().collect();
        assert_eq!(unreachable(&lonely), 1);
    }
}
