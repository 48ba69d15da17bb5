//! Books put together and cut down.

use std::collections::HashSet;

use super::graph::{followers, known_moves, leaf_is_stale};
use super::negamax::negamax;
use super::node::{Leaf, Node};
use super::store::Book;
use super::walk::{Route, walk};
use crate::board::{Board, Square};

/// What a merge did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Positions that only the other book had.
    pub added: usize,
    /// Positions of both whose leaf the other book had from a search at least as deep.
    pub updated: usize,
    /// Positions of both that stay as they were.
    pub kept: usize,
}

/// Puts another book into a book: of a position in both, the leaf from the deeper search stays, of equal ones the other's.
/// Origins and levels go with the leaves. Leaves that now lead into the book are left for [`super::deepen::to_fix`].
pub fn merge(book: &mut Book, other: &Book) -> Merged {
    let mut merged = Merged::default();
    for node in other.nodes() {
        match book.get(&node.board) {
            None => {
                book.put(*node);
                merged.added += 1;
            }
            Some(old) if known_level(node) >= known_level(old) && old != node => {
                let mut node = *node;
                node.level = node.level.max(old.level);
                book.put(node);
                merged.updated += 1;
            }
            Some(_) => merged.kept += 1,
        }
    }
    negamax(book, |_| {});
    merged
}

/// Level of a leaf; one that has not been searched knows less than any.
fn known_level(node: &Node) -> Option<u8> {
    (node.leaf() != Leaf::Unknown).then_some(node.leaf_level())
}

/// Keeps the positions that a route reaches; the number removed.
pub fn prune(book: &mut Book, route: &Route) -> usize {
    let mut keep = vec![false; book.len()];
    walk(book, route, |reached| keep[reached.node] = true);
    let keep: HashSet<Board> =
        book.nodes().iter().zip(&keep).filter(|(_, keep)| **keep).map(|(node, _)| node.board).collect();
    keep_only(book, &keep)
}

/// Keeps the positions that follow on a board in any orientation, itself included; the number removed.
pub fn subtree(book: &mut Book, board: Board) -> usize {
    let mut keep = HashSet::new();
    let mut open = vec![board.canonical()];
    while let Some(board) = open.pop() {
        if !book.contains(&board) || !keep.insert(board) {
            continue;
        }
        open.extend(followers(board));
    }
    keep_only(book, &keep)
}

/// Removes all other positions. The best link that a position loses becomes its leaf when it is better than the one it has.
fn keep_only(book: &mut Book, keep: &HashSet<Board>) -> usize {
    let lost = |node: &Node| -> Option<(i8, Square, u8)> {
        let gone = known_moves(&*book, node.board).filter_map(|known| Some((known, known.node?)));
        let gone = gone.filter(|(_, child)| !keep.contains(&child.board));
        gone.map(|(known, child)| (known.value, known.square, child.level)).max()
    };
    let leaves: Vec<Node> = book
        .nodes()
        .iter()
        .filter(|node| keep.contains(&node.board))
        .filter_map(|node| {
            let (score, square, level) = lost(node)?;
            let mut node = *node;
            match node.leaf() {
                Leaf::Move { score: own, .. } if own >= score && !leaf_is_stale(&*book, &node) => return None,
                // what leads out of the book besides is not known either
                Leaf::Unknown => return None,
                _ => node.set_leaf(Leaf::Move { square, score }, level),
            }
            Some(node)
        })
        .collect();
    for node in leaves {
        book.put(node);
    }
    let removed = book.retain(|node| keep.contains(&node.board));
    negamax(book, |_| {});
    removed
}

#[cfg(test)]
mod tests {
    use super::super::file::to_bytes;
    use super::super::grow::{Plan, grow};
    use super::super::shelf::create_empty;
    use super::super::store::Settings;
    use super::super::verify::{faults, unreachable};
    use super::super::walk::{Deviation, Losses};
    use super::*;
    use crate::engine::{Engine, Options};
    use crate::search::StopToken;

    fn grown(level: u8, positions: u64) -> Book {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf = create_empty(&folder.path().join("book"), Settings { level, ..Settings::default() }).unwrap();
        let mut engines = [Engine::new(Options { hash_mib: 4, threads: 1 })];
        let losses = Losses { by_move: 4, in_all: 8 };
        let plan = Plan { positions: Some(positions), ..Plan::new(level, 16, losses) };
        grow(&mut shelf, &mut engines, &plan, &StopToken::new(), &mut |_| {}).unwrap();
        shelf.book().clone()
    }

    fn hard(book: &Book) -> usize {
        faults(book).iter().filter(|fault| !fault.is_open()).count()
    }

    #[test]
    fn the_deeper_search_wins() {
        let (shallow, deep) = (grown(2, 80), grown(4, 60));
        let mut book = shallow.clone();
        let merged = merge(&mut book, &deep);
        assert_eq!(book.len(), shallow.len() + merged.added);
        assert_eq!(merged.added + merged.updated + merged.kept, deep.len());
        assert_eq!(hard(&book), 0);
        assert!(deep.nodes().iter().all(|node| book.get(&node.board).unwrap().leaf_level() == 4));
        let mut again = book.clone();
        assert_eq!(merge(&mut again, &deep).added, 0);
        assert_eq!(to_bytes(&again), to_bytes(&book));
        // the other way round nothing is lost either
        let mut other = deep.clone();
        merge(&mut other, &shallow);
        assert_eq!(other.len(), book.len());
        assert!(deep.nodes().iter().all(|node| other.get(&node.board).unwrap().leaf_level() == 4));
    }

    #[test]
    fn pruning_keeps_what_good_play_reaches() {
        let whole = grown(3, 150);
        let mut book = whole.clone();
        let any = |first, second| Deviation { first, second };
        let deviations = vec![any(Losses::NONE, Losses::ANY), any(Losses::ANY, Losses::NONE)];
        let route = Route { start: Board::START, deviations, window: None, max_ply: 60 };
        let removed = prune(&mut book, &route);
        assert!(removed > 0 && book.len() + removed == whole.len());
        assert_eq!((hard(&book), unreachable(&book)), (0, 0));
        // what is best is still best
        let value = |book: &Book| book.get(&Board::START).unwrap().value;
        assert_eq!(value(&book), value(&whole));
        assert_eq!(prune(&mut book.clone(), &route), 0);
        let mut short = whole.clone();
        prune(&mut short, &Route { max_ply: 3, ..route });
        assert!(short.nodes().iter().all(|node| node.ply() <= 3) && short.len() > 3);
        assert_eq!(value(&short), value(&whole), "links that are lost become leaves");
        assert_eq!(hard(&short), 0);
    }

    #[test]
    fn a_subtree_begins_where_it_is_told() {
        let mut book = grown(2, 60);
        let board = Board::START.play("d3".parse().unwrap()).unwrap();
        let whole = book.len();
        let removed = subtree(&mut book, board);
        assert_eq!((removed, book.len()), (1, whole - 1), "only the start is before f5");
        assert_eq!(hard(&book), 0);
        assert_eq!(unreachable(&book), whole - 1);
    }
}
