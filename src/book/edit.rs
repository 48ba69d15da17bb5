//! Books put together and cut down.

use std::collections::HashSet;

use super::graph::{followers, known_moves, leaf_is_stale};
use super::negamax::{negamax, valued_by};
use super::node::{Leaf, Node, promised};
use super::store::Book;
use super::sweep::gather;
use super::walk::{Route, walk};
use crate::board::Board;

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
                if promised(old.level) > promised(node.level) {
                    node.level = old.level;
                }
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
    (node.leaf() != Leaf::Unknown).then_some(promised(node.leaf_level()))
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

/// Removes all other positions. The best link that a position loses becomes its leaf when it is better than the one it has. What
/// was not exact before does not become so.
fn keep_only(book: &mut Book, keep: &HashSet<Board>) -> usize {
    let levels = levels(book);
    let leaves: Vec<Node> = book
        .nodes()
        .iter()
        .filter(|node| keep.contains(&node.board))
        .filter_map(|node| without_lost_links(book, *node, keep, &levels))
        .collect();
    for node in leaves {
        book.put(node);
    }
    let removed = book.retain(|node| keep.contains(&node.board));
    negamax(book, |_| {});
    removed
}

/// A node that loses links, with the leaf that it has then; `None` when it is the same.
fn without_lost_links(book: &Book, mut node: Node, keep: &HashSet<Board>, levels: &[u8]) -> Option<Node> {
    let links = known_moves(book, node.board).filter_map(|known| Some((known, known.node?)));
    let lost: Vec<_> = links.filter(|(_, child)| !keep.contains(&child.board)).collect();
    let (best, child) = lost.iter().max_by_key(|(known, _)| (known.value, known.square))?;
    let are_exact = lost.iter().all(|(known, _)| known.exact);
    let leaf_is_exact = node.leaf() == Leaf::None || node.leaf_is_exact();
    match node.leaf() {
        Leaf::Move { score, .. } if score >= best.value && !leaf_is_stale(book, &node) => {
            if are_exact || !leaf_is_exact {
                return None;
            }
            // nobody has proven that the lost links are no better
            node.set_leaf(node.leaf(), node.unproven_level(node.leaf_level()));
        }
        // what leads out of the book besides is not known either
        Leaf::Unknown => return None,
        // only one that has become a link is left here: the others are no better than it was, but may be better than what is lost
        Leaf::Move { score, .. } if score > best.value => node.set_leaf(Leaf::Unknown, 0),
        _ => {
            let leaf = Leaf::Move { square: best.square, score: best.value };
            let level = if are_exact && leaf_is_exact {
                child.level
            } else {
                node.unproven_level(levels[book.position(&child.board)?])
            };
            node.set_leaf(leaf, level);
        }
    }
    Some(node)
}

/// The level that the value of each node rests on: the lowest along its best line. That of the node's own search says nothing of
/// values that come from positions behind it.
fn levels(book: &Book) -> Vec<u8> {
    gather(book, |node, moves, levels: &[u8]| {
        let own = match node.leaf() {
            Leaf::Move { .. } => node.leaf_level(),
            Leaf::Unknown => node.level,
            Leaf::None => 60,
        };
        let (_, by) = valued_by(&book.settings, *node, moves.known);
        let behind = moves.links().find(|(known, _)| Some(known.square) == by).map(|(_, at)| levels[at]);
        behind.into_iter().chain([own]).min_by_key(|level| promised(*level)).unwrap_or(own)
    })
}

#[cfg(test)]
mod tests {
    use super::super::file::to_bytes;
    use super::super::grow::{Plan, grow};
    use super::super::node::Origin;
    use super::super::shelf::create_empty;
    use super::super::store::Settings;
    use super::super::verify::{faults, unreachable};
    use super::super::walk::{Deviation, Losses};
    use super::*;
    use crate::board::Square;
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

    /// No search is behind it.
    #[test]
    fn a_humans_word_is_no_deeper_search() {
        let known = |level: u8, score: i8| -> Book {
            let mut node = Node::new(Board::START.canonical(), Origin::Egaroucid);
            let square = crate::board::Squares(node.board.legal_moves()).next().unwrap();
            node.set_leaf(Leaf::Move { square, score }, level);
            node.level = level;
            let mut book: Book = [node].into_iter().collect();
            negamax(&mut book, |_| {});
            book
        };
        for (mine, other) in [(70, 12), (12, 70)] {
            let mut book = known(mine, mine as i8);
            merge(&mut book, &known(other, other as i8));
            let node = book.nodes()[0];
            assert_eq!((node.value, node.leaf_level(), node.level), (12, 12, 12), "{mine} {other}");
        }
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
    fn lost_links_prove_nothing_new() {
        let mut root = Board::START;
        let links = |board: Board| followers(board).count();
        while root.empty_count() > 10 || links(root) < 2 || links(root) < root.legal_moves().count_ones() as usize {
            let first = crate::board::Squares(root.legal_moves()).next();
            root = first.map_or(root.pass(), |mv| root.play(mv).unwrap());
        }
        let root = root.canonical();
        let squares: Vec<Square> = crate::board::Squares(root.legal_moves()).collect();
        let child = root.play(squares[0]).unwrap();
        assert!(child.legal_moves() != 0);
        let node = |board: Board, square: Square, score: i8, level: u8| {
            let mut node = Node::new(board, Origin::Outflank);
            node.set_leaf(Leaf::Move { square, score }, level);
            node.level = 60;
            node
        };
        // score of the leaf beside the link, level of the leaf, and of that behind the link; what is exact before and after
        for (score, level, behind, exact) in
            [(-8, 60, 60, true), (-8, 60, 0, false), (-8, 0, 60, false), (8, 60, 60, true), (8, 60, 0, false)]
        {
            let child = child.canonical();
            let reply = crate::board::Squares(child.legal_moves()).next().unwrap();
            let mut book: Book =
                [node(root, squares[1], score, level), node(child, reply, 0, behind)].into_iter().collect();
            negamax(&mut book, |_| {});
            let before = *book.get(&root).unwrap();
            assert_eq!(before.is_exact(), exact, "{score} {level} {behind}");
            assert_eq!(keep_only(&mut book, &HashSet::from([root])), 1);
            let after = book.get(&root).unwrap();
            assert_eq!((after.value, after.is_exact()), (before.value, exact), "{score} {level} {behind}");
            if score < 0 && behind == 0 {
                assert_eq!(after.leaf_level(), 0, "what the value rests on");
            }
        }
    }

    /// What leads out of the book has not been searched: the best link that is lost need not be the best of it.
    #[test]
    fn a_leaf_that_nobody_knows_stays_unknown() {
        let root = Board::START.canonical();
        let child = followers(root).next().unwrap();
        let mut known = Node::new(child, Origin::Outflank);
        known.set_leaf(Leaf::Move { square: crate::board::Squares(child.legal_moves()).next().unwrap(), score: 3 }, 4);
        let mut open = Node::new(root, Origin::Outflank);
        open.set_leaf(Leaf::Unknown, 0);
        let mut book: Book = [open, known].into_iter().collect();
        negamax(&mut book, |_| {});
        assert_eq!(keep_only(&mut book, &HashSet::from([root])), 1);
        assert_eq!(book.get(&root).unwrap().leaf(), Leaf::Unknown);
    }

    /// A leaf that has become a link, and has not been searched again: of the moves that lead out of the book nobody knows more than
    /// that they are no better than it was.
    #[test]
    fn a_leaf_to_be_searched_stays_so() {
        let root = Board::START.play("f5".parse().unwrap()).unwrap().canonical();
        let squares: Vec<Square> = crate::board::Squares(root.legal_moves()).collect();
        let children = [0, 1].map(|at| root.play(squares[at]).unwrap().canonical());
        let node = |board: Board, square: Square, score: i8| {
            let mut node = Node::new(board, Origin::Outflank);
            node.set_leaf(Leaf::Move { square, score }, 4);
            node
        };
        let reply = |board: Board| crate::board::Squares(board.legal_moves()).next().unwrap();
        // the first move was worth 3 before it was a link; what it and the other link are worth now
        for (was, now, other, keeps, expected) in [
            (3, 2, 1, 0, Leaf::Unknown),
            (3, 2, 1, 1, Leaf::Unknown),
            (1, 2, 1, 0, Leaf::Move { square: squares[1], score: 1 }),
            (1, 2, 0, 1, Leaf::Move { square: squares[0], score: 2 }),
        ] {
            let links = [(children[0], now), (children[1], other)];
            let links = links.map(|(board, value): (Board, i8)| node(board, reply(board), -value));
            let mut book: Book = links.into_iter().chain([node(root, squares[0], was)]).collect();
            negamax(&mut book, |_| {});
            assert_eq!(keep_only(&mut book, &HashSet::from([root, children[keeps]])), 1);
            let leaf = book.get(&root).unwrap().leaf();
            assert_eq!(leaf, expected, "{was} {now} {other} {keeps}");
            assert_eq!(super::super::deepen::to_fix(&book).len(), usize::from(leaf == Leaf::Unknown));
            assert_eq!(hard(&book), 0);
        }
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
