//! Searching the leaves of many positions, kept as they are found.

use std::collections::HashSet;

use super::file::BookFileError;
use super::graph::followers;
use super::leaf::{Job, enter, level_of, search_all};
use super::node::{Leaf, Node, Origin};
use super::probe::NoBook;
use super::shelf::Shelf;
use super::store::{Book, Nodes, Settings};
use crate::board::Board;
use crate::engine::Engine;
use crate::search::{Level, SearchError, StopToken};

/// Why work on a book ended early.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// The engine cannot search.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The book cannot be written.
    #[error(transparent)]
    File(#[from] BookFileError),
    /// The game is of rules that have no book.
    #[error(transparent)]
    Rules(#[from] NoBook),
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
    planned: HashSet<Board>,
    /// Results that wait for positions that their searches took to be in the book.
    waiting: Vec<(usize, Leaf)>,
}

impl Work {
    /// The leaves of these canonical boards: those of the book get a new leaf, others come into the book with one. The level is that
    /// of new positions; a leaf of the book that a deeper search has found is searched as deeply again.
    pub fn new(book: &Book, boards: &[Board], level: u8) -> Work {
        let planned: HashSet<Board> = boards.iter().filter(|board| !book.contains(board)).copied().collect();
        let overlay = Planned { book, planned: &planned };
        let jobs = boards.iter().map(|board| Job::of(&overlay, *board, level_of(book, board, level))).collect();
        Work { jobs, planned, waiting: Vec::new() }
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
            let Job { board, level, .. } = self.jobs[number];
            let mut node = shelf.book().get(&board).copied().unwrap_or(Node::new(board, Origin::Outflank));
            enter(&mut node, leaf, level);
            if let (Leaf::Move { score, .. }, true) = (leaf, self.planned.contains(&board)) {
                // until the next negamax
                (node.value, node.lower, node.upper) = (score, score, score);
            }
            shelf.put(node)?;
        }
    }
}

/// Searches the leaves of these canonical boards, in their order, at this level or that of the leaf they have if it is higher, and
/// enters them (see [`Work`]). `found` is called after each search; values are set by the next negamax.
///
/// # Errors
/// The engine cannot search, the level is above 60, or the journal cannot be written.
pub fn search_boards(
    shelf: &mut Shelf,
    engines: &mut [Engine],
    boards: &[Board],
    level: u8,
    stop: &StopToken,
    found: &mut dyn FnMut(&Book),
) -> Result<(), WorkError> {
    // searched as level 0, it would take the place of deeper searches
    Level::new(level).ok_or(SearchError::Level(level))?;
    let mut work = Work::new(shelf.book(), boards, level);
    let jobs = work.jobs().to_vec();
    search_all::<WorkError>(engines, &jobs, stop, |number, leaf| {
        work.enter(shelf, number, leaf)?;
        found(shelf.book());
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::super::negamax::negamax;
    use super::super::shelf::create_empty;
    use super::*;
    use crate::engine::Options;

    #[test]
    fn deeper_leaves_are_searched_as_deeply_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf =
            create_empty(&folder.path().join("book"), Settings { level: 2, ..Settings::default() }).unwrap();
        let f5 = Board::START.play("f5".parse().unwrap()).unwrap().canonical();
        // levels of stale leaves: deeper, shallower, a human's, and none
        let positions = [("d6", 7, 7), ("f6", 1, 2), ("f4", 70, 2)];
        let boards = positions.map(|(mv, ..)| f5.play(mv.parse().unwrap()).unwrap().canonical());
        for (board, (_, level, _)) in boards.iter().zip(positions) {
            let mut node = Node::new(*board, Origin::Edax);
            let square = crate::board::Squares(board.legal_moves()).next().unwrap();
            node.set_leaf(Leaf::Move { square, score: 0 }, level);
            node.level = level;
            shelf.put(node).unwrap();
        }
        let all = [boards.as_slice(), &[f5]].concat();
        let work = Work::new(shelf.book(), &all, 2);
        let levels: Vec<u8> = work.jobs().iter().map(|job| job.level).collect();
        assert_eq!(levels, [7, 2, 2, 2]);
        let mut engines = [Engine::new(Options { hash_mib: 1, threads: 1 })];
        search_boards(&mut shelf, &mut engines, &all, 2, &StopToken::new(), &mut |_| {}).unwrap();
        negamax(shelf.edit(), |_| {});
        for (board, (mv, _, level)) in boards.iter().zip(positions) {
            let node = shelf.book().get(board).unwrap();
            assert_eq!((node.leaf_level(), node.level), (level, level), "{mv}");
        }
        assert_eq!(shelf.book().get(&f5).unwrap().leaf_level(), 2);
        let error = search_boards(&mut shelf, &mut engines, &all, 61, &StopToken::new(), &mut |_| {}).unwrap_err();
        assert_eq!(error.to_string(), "level 61: a level is a number from 0 to 60");
    }
}
