//! Searching a book again: what is stale, and what a deeper search might change.

use super::graph::known_moves;
use super::leaf::unsearched;
use super::negamax::{Change, leaf_bounds, negamax};
use super::node::{Leaf, Node, promised};
use super::shelf::Shelf;
use super::store::Book;
use super::work::{WorkError, search_boards};
use crate::board::Board;
use crate::engine::Engine;
use crate::search::StopToken;

/// Which leaves are searched again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// Those whose bounds leave open whether they or a link are best, and those that alone give their node its value.
    Open,
    /// All of them.
    All,
}

/// Boards whose leaf was searched at a lower level than this one and that are to be searched again, fullest boards first, so
/// that what they give is there when the positions before them are looked at.
pub fn to_deepen(book: &Book, level: u8, which: Which) -> Vec<Board> {
    let shallow = |node: &&Node| promised(node.leaf_level()) < level && matches!(node.leaf(), Leaf::Move { .. });
    let wanted = |node: &&Node| which == Which::All || is_open(book, node);
    let mut nodes: Vec<&Node> = book.nodes().iter().filter(shallow).filter(|node| !node.leaf_is_exact()).collect();
    nodes.retain(wanted);
    nodes.sort_unstable_by_key(|node| std::cmp::Reverse(node.key()));
    nodes.into_iter().map(|node| node.board).collect()
}

/// The leaf may be the best move of its node, as far as the bounds say.
fn is_open(book: &Book, node: &Node) -> bool {
    let Some((_, _, upper)) = leaf_bounds(node, &book.settings) else { return false };
    known_moves(book, node.board).all(|known| upper >= known.lower)
}

/// Searches the leaves of these boards again at a level, or at that of the leaf they have if it is higher; then sets all values
/// and gives every change. `progress` gets the number of searches made.
///
/// # Errors
/// The engine cannot search, or the book cannot be written.
pub fn search_again(
    shelf: &mut Shelf,
    engines: &mut [Engine],
    boards: &[Board],
    level: u8,
    stop: &StopToken,
    progress: &mut dyn FnMut(usize),
    changed: &mut dyn FnMut(&Change),
) -> Result<(), WorkError> {
    let mut done = 0;
    search_boards(shelf, engines, boards, level, stop, &mut |_| {
        done += 1;
        progress(done);
    })?;
    negamax(shelf.edit(), changed);
    shelf.save()?;
    Ok(())
}

/// Boards whose leaf is unknown or no longer holds.
pub fn to_fix(book: &Book) -> Vec<Board> {
    unsearched(book).into_iter().map(|at| book.nodes()[at].board).collect()
}

#[cfg(test)]
mod tests {
    use super::super::grow::{Plan, grow};
    use super::super::shelf::create_empty;
    use super::super::store::Settings;
    use super::super::verify::faults;
    use super::super::walk::Losses;
    use super::*;
    use crate::engine::Options;

    #[test]
    fn leaves_are_searched_again_where_it_may_matter() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf =
            create_empty(&folder.path().join("book"), Settings { level: 2, ..Settings::default() }).unwrap();
        let mut engines = [Engine::new(Options { hash_mib: 4, threads: 1 })];
        let plan = Plan { positions: Some(60), ..Plan::new(2, 12, Losses { by_move: 6, in_all: 12 }) };
        let stop = StopToken::new();
        grow(&mut shelf, &mut engines, &plan, &stop, &mut |_| {}).unwrap();
        let (all, open) = (to_deepen(shelf.book(), 6, Which::All), to_deepen(shelf.book(), 6, Which::Open));
        assert!(open.len() < all.len() && !open.is_empty(), "{} of {}", open.len(), all.len());
        assert!(to_deepen(shelf.book(), 2, Which::All).is_empty());
        let (mut changes, mut calls) = (0, 0);
        search_again(&mut shelf, &mut engines, &open, 6, &stop, &mut |_| calls += 1, &mut |_| changes += 1).unwrap();
        assert_eq!(calls, open.len());
        assert!(changes > 10);
        assert_eq!(faults(shelf.book()), []);
        assert!(open.iter().all(|board| shelf.book().get(board).unwrap().leaf_level() == 6));
        assert!(to_fix(shelf.book()).is_empty());
        // no search is behind a human's word
        let mut node = *shelf.book().get(&open[0]).unwrap();
        node.set_leaf(node.leaf(), 70);
        shelf.put(node).unwrap();
        assert!(to_deepen(shelf.book(), 2, Which::All).contains(&open[0]));
    }
}
