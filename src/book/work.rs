//! Searching the leaves of many positions, kept as they are found.

use std::collections::HashSet;

use super::file::BookFileError;
use super::graph::followers;
use super::leaf::{Job, enter, search_all};
use super::node::{Leaf, Node, Origin};
use super::shelf::Shelf;
use super::store::{Book, Nodes, Settings};
use crate::board::Board;
use crate::engine::Engine;
use crate::search::{SearchError, StopToken};

/// Why work on a book ended early.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The engine cannot search.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The book cannot be written.
    #[error(transparent)]
    File(#[from] BookFileError),
}

/// A book together with positions that are about to be in it.
#[derive(Debug)]
struct Planned<'a> {
    book: &'a Book,
    planned: &'a HashSet<Board>,
}

impl Nodes for Planned<'_> {
    fn find(&self, canonical: &Board) -> Option<Node> {
        let planned = || self.planned.contains(canonical).then(|| Node::new(*canonical, Origin::Outflank));
        self.book.find(canonical).or_else(planned)
    }

    fn count(&self) -> usize {
        self.book.len() + self.planned.len()
    }

    fn settings(&self) -> Settings {
        self.book.settings
    }
}

/// Searches the leaves of these canonical boards, in their order: those of the book get a new leaf, others come into the book
/// with one. A result is kept when all positions that its search took to be in the book are: after a stop the book is as good
/// as before, only smaller. `found` is called after each search; values are set by the next negamax.
///
/// # Errors
/// The engine cannot search, or the journal cannot be written.
pub fn search_boards(
    shelf: &mut Shelf,
    engines: &mut [Engine],
    boards: &[Board],
    level: u8,
    stop: &StopToken,
    found: &mut dyn FnMut(&Book),
) -> Result<(), WorkError> {
    let planned: HashSet<Board> = boards.iter().filter(|board| !shelf.book().contains(board)).copied().collect();
    let overlay = Planned { book: shelf.book(), planned: &planned };
    let jobs: Vec<Job> = boards.iter().map(|board| Job::of(&overlay, *board, level)).collect();
    let needs: Vec<Vec<Board>> = boards.iter().map(|board| children_among(*board, &planned)).collect();
    let mut waiting: Vec<(usize, Leaf)> = Vec::new();
    search_all::<WorkError>(engines, &jobs, stop, |number, leaf| {
        waiting.push((number, leaf));
        loop {
            let ready = |&(number, _): &(usize, Leaf)| needs[number].iter().all(|board| shelf.book().contains(board));
            let Some(at) = waiting.iter().position(ready) else { break };
            let (number, leaf) = waiting.remove(at);
            let board = boards[number];
            let mut node = shelf.book().get(&board).copied().unwrap_or(Node::new(board, Origin::Outflank));
            enter(&mut node, leaf, level);
            if let (Leaf::Move { score, .. }, true) = (leaf, planned.contains(&board)) {
                // until the next negamax
                (node.value, node.lower, node.upper) = (score, score, score);
            }
            shelf.put(node)?;
        }
        found(shelf.book());
        Ok(())
    })
}

/// The planned positions that moves of a board lead to.
fn children_among(board: Board, planned: &HashSet<Board>) -> Vec<Board> {
    followers(board).filter(|board| planned.contains(board)).collect()
}
