//! The moves of all nodes of a book: from the fullest boards to the emptiest, many nodes at once.
//!
//! Work on a whole book looks for the position behind every move, and most of that is waiting for memory. So the moves of some
//! dozens of nodes are made first and then looked for one after the other: the waits overlap. Where no node has as few empty
//! squares as the positions behind the moves, nothing is looked for at all.

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use super::graph::{Known, Next};
use super::node::Node;
use super::store::Book;
use crate::board::{Board, Square, Squares};
use crate::workers;

/// Nodes whose moves are made before they are looked for.
const BLOCK: usize = 64;
/// Nodes that one thread takes at a time: some blocks.
const SHARE: usize = 8 * BLOCK;
/// Nodes whose changes are held before they are made.
const HELD: usize = 1 << 18;
/// The place of no node.
const NOWHERE: u32 = u32::MAX;

/// A position behind a move.
struct Step {
    square: Square,
    after: Board,
    canonical: Board,
    hash: u64,
    /// Where it is among the nodes.
    at: u32,
}

/// Known moves of a node ([`known_moves`](super::graph::known_moves)), each with the place of the node it leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moves<'a> {
    /// By square.
    pub known: &'a [Known],
    places: &'a [u32],
}

impl Moves<'_> {
    /// The known moves that lead to nodes, with their places among [`Book::nodes`].
    pub fn links(&self) -> impl Iterator<Item = (&Known, usize)> {
        self.known.iter().zip(self.places).filter(|(_, at)| **at != NOWHERE).map(|(known, &at)| (known, at as usize))
    }

    /// The book knows this move.
    pub fn has(&self, square: Square) -> bool {
        self.known.iter().any(|known| known.square == square)
    }

    /// The book knows every move of this board, whose moves these are.
    pub fn are_all(&self, board: Board) -> bool {
        self.known.len() == board.legal_moves().count_ones() as usize
    }
}

/// Calls `visit` for the nodes at these places, in their order, with their known moves.
pub(super) fn visit(book: &Book, places: &[u32], mut visit: impl FnMut(usize, Moves<'_>)) {
    let (mut steps, mut ends) = (Vec::new(), Vec::new());
    let (mut known, mut found) = (Vec::new(), Vec::new());
    for block in places.chunks(BLOCK) {
        steps.clear();
        ends.clear();
        for &at in block {
            add_steps(book, book.nodes()[at as usize].board, &mut steps);
            ends.push(steps.len());
        }
        for step in steps.iter_mut().filter(|step| step.at != NOWHERE) {
            step.at = book.position_hashed(step.hash, &step.canonical).map_or(NOWHERE, |at| at as u32);
        }
        let mut begin = 0;
        for (&at, &end) in block.iter().zip(&ends) {
            known.clear();
            found.clear();
            for step in &steps[begin..end] {
                if let Some((one, at)) = known_of(book, step) {
                    known.push(one);
                    found.push(at);
                }
            }
            visit(at as usize, Moves { known: &known, places: &found });
            begin = end;
        }
    }
}

/// The positions behind the moves of a board; their place is 0 when they are to be looked for.
fn add_steps(book: &Book, board: Board, steps: &mut Vec<Step>) {
    let wanted = book.has_empties(board.empty_count().saturating_sub(1));
    for square in Squares(board.legal_moves()) {
        let after = board.play(square).expect("a legal move");
        let (canonical, hash, at) = if wanted {
            let canonical = after.canonical();
            (canonical, book.hash(&canonical), 0)
        } else {
            (after, 0, NOWHERE)
        };
        steps.push(Step { square, after, canonical, hash, at });
    }
}

/// What the book knows of a move, and the place of the node it leads to.
fn known_of(book: &Book, step: &Step) -> Option<(Known, u32)> {
    let square = step.square;
    let link = |at: u32, passed: bool| {
        let node = book.nodes()[at as usize];
        (Known::link(square, node, passed), at)
    };
    if step.at != NOWHERE {
        return Some(link(step.at, false));
    }
    match Next::behind(step.after) {
        Next::Board { passed: false, .. } => None,
        Next::Board { board, passed: true } => book.position(&board.canonical()).map(|at| link(at as u32, true)),
        Next::Over(value) => Some((Known::end(square, value), NOWHERE)),
    }
}

/// Places of the nodes by their empty squares.
pub(super) fn layers(book: &Book) -> [Vec<u32>; 65] {
    let mut layers: [Vec<u32>; 65] = std::array::from_fn(|_| Vec::new());
    for (at, node) in book.nodes().iter().enumerate() {
        layers[node.empties() as usize].push(at as u32);
    }
    layers
}

/// Changes nodes from the fullest boards to the emptiest: `new` gives what a node becomes, and what else is to be known, by its
/// moves, whose nodes have become what they become before. Nodes for which it is `None` stay. `changed` gets each change: before,
/// after, and the rest.
pub(super) fn sweep<T: Send>(
    book: &mut Book,
    new: impl Fn(&Book, &Node, Moves<'_>) -> Option<(Node, T)> + Sync,
    mut changed: impl FnMut(&Node, &Node, T),
) {
    workers::ready();
    for layer in &layers(book) {
        for held in layer.chunks(HELD) {
            let read: &Book = book;
            let changes: Vec<(usize, Node, T)> = held
                .par_chunks(SHARE)
                .flat_map_iter(|places| {
                    let mut changes = Vec::new();
                    visit(read, places, |at, moves| {
                        changes.extend(new(read, &read.nodes()[at], moves).map(|(node, rest)| (at, node, rest)));
                    });
                    changes
                })
                .collect();
            for (at, after, rest) in changes {
                let before = std::mem::replace(&mut book.nodes_mut()[at], after);
                changed(&before, &after, rest);
            }
        }
    }
}

/// Something of every node, in the order of [`Book::nodes`], made of the same of the nodes that its moves lead to: `of` gets a
/// node, its moves, and the list as far as it is made.
pub(super) fn gather<T: Copy + Default + Send + Sync>(
    book: &Book,
    of: impl Fn(&Node, Moves<'_>, &[T]) -> T + Sync,
) -> Vec<T> {
    let mut all = vec![T::default(); book.len()];
    workers::ready();
    for layer in &layers(book) {
        for held in layer.chunks(HELD) {
            let found: Vec<T> = held
                .par_chunks(SHARE)
                .flat_map_iter(|places| {
                    let mut found = Vec::with_capacity(places.len());
                    visit(book, places, |at, moves| found.push(of(&book.nodes()[at], moves, &all)));
                    found
                })
                .collect();
            for (&at, one) in held.iter().zip(found) {
                all[at as usize] = one;
            }
        }
    }
    all
}

/// What `of` says of the nodes at these places, in their order; nodes of which it says nothing are left out.
pub(super) fn select<T: Send>(
    book: &Book,
    places: &[u32],
    of: impl Fn(usize, Moves<'_>) -> Option<T> + Sync,
) -> Vec<T> {
    let select = |places: &[u32]| {
        let mut found = Vec::new();
        visit(book, places, |at, moves| found.extend(of(at, moves)));
        found
    };
    workers::ready();
    places.par_chunks(SHARE).flat_map_iter(select).collect()
}

/// The places of all nodes.
pub(super) fn all(book: &Book) -> Vec<u32> {
    (0..book.len() as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::super::graph::known_moves;
    use super::super::node::Origin;
    use super::*;

    /// Positions of a game with a pass and of one that ends early, and all that follow on some of them.
    fn book() -> Book {
        let mut book = Book::default();
        let mut put = |board: Board| {
            if board.legal_moves() != 0 {
                book.put(Node::new(board.canonical(), Origin::Outflank));
            }
        };
        for moves in ["f5f6d3g5h5h4f7h6", "f5d6c5f4e7f6g5e6"] {
            for end in 0..=moves.len() / 2 {
                let at = super::super::graph::board(&moves[..2 * end]);
                put(at);
                put(at.pass());
                super::super::graph::followers(at).for_each(&mut put);
            }
        }
        book
    }

    #[test]
    fn all_at_once_know_what_one_after_the_other_know() {
        let book = book();
        let found = select(&book, &all(&book), |at, moves| {
            let node = &book.nodes()[at];
            let known: Vec<Known> = known_moves(&book, node.board).collect();
            assert_eq!(moves.known, known);
            assert_eq!(moves.are_all(node.board), known.len() as u32 == node.board.legal_moves().count_ones());
            assert!(moves.links().all(|(known, at)| known.node == Some(book.nodes()[at])));
            assert!(known.iter().all(|known| moves.has(known.square)));
            Some(known)
        });
        assert_eq!(found.len(), book.len());
        let count = |is: fn(&Known) -> bool| found.iter().flatten().filter(|known| is(known)).count();
        assert!(count(|known| known.passed) > 0 && count(|known| known.node.is_none()) > 0);
        assert!(count(|known| known.node.is_some()) > 20);
    }

    #[test]
    fn what_comes_behind_is_there_before() {
        let book = book();
        let depth = gather(&book, |_, moves, depth: &[u32]| {
            moves.links().map(|(_, at)| 1 + depth[at]).max().unwrap_or_default()
        });
        let start = book.position(&Board::START).unwrap();
        assert!(depth[start] >= 8, "{}", depth[start]);
        let mut again = book.clone();
        let mut changes = 0;
        // each node gets one more than the most that lies behind it
        sweep(
            &mut again,
            |_, node, moves| {
                let most = moves.known.iter().filter_map(|known| known.node).map(|node| node.value).max();
                let value = most.map_or(0, |most| most + 1);
                let mut node = *node;
                node.value = value;
                Some((node, ()))
            },
            |_, _, ()| changes += 1,
        );
        assert_eq!(changes, book.len());
        assert!(again.nodes().iter().zip(&depth).all(|(node, &depth)| u32::from(node.value as u8) == depth));
    }
}
