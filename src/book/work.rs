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

/// Leaves to be searched, and what becomes of the results.
///
/// The searches may be made anywhere and in any order; each result is handed to [`Work::enter`].
#[derive(Debug)]
pub struct Work {
    jobs: Vec<Job>,
    level: u8,
    planned: HashSet<Board>,
    /// Results that wait for positions that their searches took to be in the book.
    waiting: Vec<(usize, Leaf)>,
}

impl Work {
    /// The leaves of these canonical boards: those of the book get a new leaf, others come into the book with one.
    pub fn new(book: &Book, boards: &[Board], level: u8) -> Work {
        let planned: HashSet<Board> = boards.iter().filter(|board| !book.contains(board)).copied().collect();
        let overlay = Planned { book, planned: &planned };
        let jobs = boards.iter().map(|board| Job::of(&overlay, *board, level)).collect();
        Work { jobs, level, planned, waiting: Vec::new() }
    }

    /// The searches, in the order in which they are best begun.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Takes the result of the job with this number. It is kept when all positions that its search took to be in the book are:
    /// after a stop the book is as good as before, only smaller.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn enter(&mut self, shelf: &mut Shelf, number: usize, leaf: Leaf) -> Result<(), BookFileError> {
        self.waiting.push((number, leaf));
        loop {
            let needed =
                |number: usize| followers(self.jobs[number].board).filter(|board| self.planned.contains(board));
            let ready = |&(number, _): &(usize, Leaf)| needed(number).all(|board| shelf.book().contains(&board));
            let Some(at) = self.waiting.iter().position(ready) else { return Ok(()) };
            let (number, leaf) = self.waiting.remove(at);
            let board = self.jobs[number].board;
            let mut node = shelf.book().get(&board).copied().unwrap_or(Node::new(board, Origin::Outflank));
            enter(&mut node, leaf, self.level);
            if let (Leaf::Move { score, .. }, true) = (leaf, self.planned.contains(&board)) {
                // until the next negamax
                (node.value, node.lower, node.upper) = (score, score, score);
            }
            shelf.put(node)?;
        }
    }
}

/// Searches the leaves of these canonical boards, in their order, and enters them (see [`Work`]). `found` is called after each
/// search; values are set by the next negamax.
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
    let mut work = Work::new(shelf.book(), boards, level);
    let jobs = work.jobs().to_vec();
    search_all::<WorkError>(engines, &jobs, stop, |number, leaf| {
        work.enter(shelf, number, leaf)?;
        found(shelf.book());
        Ok(())
    })
}
