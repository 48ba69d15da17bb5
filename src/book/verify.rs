//! Everything that must hold in a book.

use std::collections::HashSet;
use std::fmt;

use arrayvec::ArrayVec;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::negamax::valued_by;
use super::node::{Leaf, Node};
use super::store::Book;
use super::sweep::{Moves, all, layers, select};
use crate::board::{Board, MAX_MOVES};
use crate::workers;

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
    workers::ready();
    let alone: Vec<Fault> = book.nodes().par_iter().filter_map(alone).collect();
    // moves are made of possible boards only
    let impossible: HashSet<Board> = alone.iter().map(|fault| fault.board).collect();
    let possible = |at: &usize| impossible.is_empty() || !impossible.contains(&book.nodes()[*at].board);
    let places: Vec<u32> = (0..book.len()).filter(possible).map(|at| at as u32).collect();
    let together = select(book, &places, |at, moves| faults_by(book, &book.nodes()[at], moves));
    let mut faults: Vec<Fault> = together.into_iter().flatten().chain(alone).collect();
    if !impossible.is_empty() {
        faults.sort_by_key(|fault| book.position(&fault.board));
    }
    faults
}

fn alone(node: &Node) -> Option<Fault> {
    node.fault().map(|problem| Fault { board: node.board, kind: FaultKind::Node(problem) })
}

/// What is wrong with a possible node, by its moves; `None` when nothing is.
fn faults_by(book: &Book, node: &Node, moves: Moves<'_>) -> Option<ArrayVec<Fault, 2>> {
    let mut faults = ArrayVec::new();
    let mut fault = |kind| faults.push(Fault { board: node.board, kind });
    let should = valued_by(&book.settings, *node, moves.known).0;
    if should != *node {
        let band = |node: &Node| (node.value, node.lower, node.upper);
        fault(FaultKind::Value { is: band(node), should: band(&should) });
    }
    match node.leaf() {
        Leaf::Unknown if !moves.are_all(node.board) => fault(FaultKind::UnknownLeaf),
        Leaf::None if !moves.are_all(node.board) => fault(FaultKind::MissingLeaf),
        Leaf::Move { square, .. } if moves.has(square) => fault(FaultKind::LinkedLeaf),
        _ => {}
    }
    (!faults.is_empty()).then_some(faults)
}

/// Nodes that no way leads to from the start of the game. They are no fault: books may begin anywhere.
pub fn unreachable(book: &Book) -> usize {
    let mut reached = vec![false; book.len()];
    if let Some(start) = book.position(&Board::START.canonical()) {
        reached[start] = true;
    }
    for layer in layers(book).iter().rev() {
        let places: Vec<u32> = layer.iter().copied().filter(|&at| reached[at as usize]).collect();
        let links = |_, moves: Moves<'_>| Some(moves.links().map(|(_, at)| at).collect::<ArrayVec<usize, MAX_MOVES>>());
        for at in select(book, &places, links).into_iter().flatten() {
            reached[at] = true;
        }
    }
    reached.iter().filter(|reached| !**reached).count()
}

/// Moves that lead from a node to a node.
pub fn links(book: &Book) -> usize {
    select(book, &all(book), |_, moves| Some(moves.links().count())).into_iter().sum()
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
        assert_eq!((kinds(&good), unreachable(&good), links(&good)), (vec![], 0, 4));
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
