//! What a book knows of a position.

use std::sync::Arc;

use super::graph::{Known, Next, known_moves, leaf_on};
use super::negamax::leaf_bounds;
use super::node::{Leaf, Node};
use super::store::Nodes;
use crate::board::{Board, Square, Squares, transform_square};
use crate::rules::{Objective, Position, RuleSet, Shape};

/// How a book knows a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It leads to a position of the book.
    Link,
    /// It leads out of the book; a search found it best of those that do.
    Leaf,
    /// It ends the game.
    End,
}

impl Kind {
    /// `link`, `leaf` or `end`.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Link => "link",
            Kind::Leaf => "leaf",
            Kind::End => "end",
        }
    }
}

/// A move that a book knows; scores are in discs for the side that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// In the orientation that was asked about.
    pub square: Square,
    /// Its value.
    pub score: i8,
    /// At least this.
    pub lower: i8,
    /// At most this.
    pub upper: i8,
    /// The value rests on solves alone.
    pub exact: bool,
    /// Level of the search behind it.
    pub level: u8,
    /// How the book knows it.
    pub kind: Kind,
}

impl BookMove {
    /// The game is drawn after it, as solves have proven: not "0 by a midgame search".
    pub fn is_draw(&self) -> bool {
        self.exact && self.score == 0
    }
}

/// What a book knows of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knowledge {
    /// The position's node; its squares are in the orientation of its board, those of `moves` in that which was asked about.
    pub node: Node,
    /// Known moves, best first; of equal ones links first, then by square.
    pub moves: Vec<BookMove>,
    /// Moves that the book knows only to be no better than its leaf, or nothing about.
    pub unlisted: Vec<Square>,
}

/// What a book knows of a board in any orientation; `None` when it is not a position of the book.
pub fn probe_board(nodes: &(impl Nodes + ?Sized), board: Board) -> Option<Knowledge> {
    let (canonical, symmetry) = board.canonical_by();
    let node = nodes.find(&canonical)?;
    let mut moves: Vec<BookMove> = known_moves(nodes, board).map(of_known).collect();
    let mut unlisted = board.legal_moves() & !moves.iter().fold(0, |set, mv| set | mv.square.bit());
    if let Leaf::Move { square, score } = leaf_on(&node, symmetry)
        && unlisted & square.bit() != 0
    {
        let (_, lower, upper) = leaf_bounds(&node, &nodes.settings()).unwrap_or((score, score, score));
        let (level, exact) = (node.leaf_level(), node.leaf_is_exact());
        // where the board is its own image, so is its leaf: one move with several squares
        let same = (1..8).filter(|&index| board.symmetry(index) == board);
        let squares = same.fold(square.bit(), |set, index| set | transform_square(square, index).bit());
        let mv = |square| BookMove { square, score, lower, upper, exact, level, kind: Kind::Leaf };
        moves.extend(Squares(squares).map(mv));
        unlisted &= !squares;
    }
    moves.sort_by_key(|mv| (-mv.score, mv.kind == Kind::Leaf, mv.square));
    Some(Knowledge { node, moves, unlisted: Squares(unlisted).collect() })
}

fn of_known(known: Known) -> BookMove {
    let Known { square, value: score, lower, upper, exact, node, .. } = known;
    let (level, kind) = node.map_or((60, Kind::End), |node| (node.level, Kind::Link));
    BookMove { square, score, lower, upper, exact, level, kind }
}

/// What a book knows of a position; `None` when it is not in the book, the rules are not those of othello on 8x8, or the side
/// to move has no move.
pub fn probe(nodes: &(impl Nodes + ?Sized), position: &Position) -> Option<Knowledge> {
    probe_board(nodes, board_of(position)?)
}

/// The board of a position that books may know: [that of othello](Position::othello_board), with a move to make.
pub fn board_of(position: &Position) -> Option<Board> {
    position.othello_board().filter(|board| board.legal_moves() != 0)
}

/// The rules have a book.
pub fn has_book(rules: &RuleSet) -> bool {
    let plain = (rules.rows(), rules.columns(), rules.shape()) == (8, 8, Shape::Rectangle);
    plain && rules.is_fast() && rules.objective() == Objective::Most
}

/// The rules have a book, and their games begin as othello's do, so that moves of its openings are moves of theirs.
pub fn begins_as_othello(rules: &Arc<RuleSet>) -> bool {
    board_of(&Position::start(rules.clone())) == Some(Board::START)
}

/// These rules have no book ([`has_book`]).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a book is of othello on 8x8, and the rules are {0}")]
pub struct NoBook(pub Arc<RuleSet>);

impl Knowledge {
    /// The best known move.
    pub fn best(&self) -> Option<&BookMove> {
        self.moves.first()
    }

    /// The values no longer fit together: the best known move is two discs or more below the node's value, or below what the
    /// moves that lead out of the book may be worth.
    pub fn is_stale(&self) -> bool {
        /// Discs that the best known move may be worse.
        const STALE: i32 = 2;
        let Some(best) = self.best() else { return true };
        let most = match self.node.leaf() {
            _ if self.unlisted.is_empty() => self.node.value,
            Leaf::Unknown => return true,
            Leaf::None => self.node.value,
            // of a leaf that has become a link too: the others are no better than it was
            Leaf::Move { score, .. } => self.node.value.max(score),
        };
        i32::from(most) - i32::from(best.score) >= STALE
    }
}

/// The best line of a book from a board on: the best known moves until it is left, at most 60.
pub fn line(nodes: &(impl Nodes + ?Sized), mut board: Board) -> Vec<Square> {
    let mut line = Vec::new();
    while line.len() < 60
        && let Some(best) = probe_board(nodes, board).and_then(|knowledge| knowledge.moves.first().copied())
    {
        line.push(best.square);
        match Next::of(board, best.square) {
            Next::Board { board: next, passed: false } => board = next,
            // lines with passes in them end here: the squares alone would not say whose they are
            _ => break,
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::super::graph::board;
    use super::super::negamax::negamax;
    use super::super::node::Origin;
    use super::super::store::Book;
    use super::*;

    /// Start, f5 and f5d6, with the leaves of the book notes.
    fn three() -> Book {
        let node = |moves: &str, leaf: Leaf| {
            let mut node = Node::new(board(moves).canonical(), Origin::Outflank);
            node.set_leaf(leaf, 16);
            node
        };
        let leaf = |square: &str, score| Leaf::Move { square: square.parse().unwrap(), score };
        let mut book: Book =
            [node("", Leaf::None), node("f5", leaf("f6", -2)), node("f5d6", leaf("f6", 1))].into_iter().collect();
        negamax(&mut book, |_| {});
        book
    }

    #[test]
    fn all_images_of_a_position_know_the_same() {
        let book = three();
        for moves in ["", "f5", "f5d6"] {
            let scores = |board: Board| -> Vec<(i8, Kind)> {
                probe_board(&book, board).unwrap().moves.iter().map(|mv| (mv.score, mv.kind)).collect()
            };
            let plain = scores(board(moves));
            for index in 0..8 {
                let image = board(moves).symmetry(index);
                let knowledge = probe_board(&book, image).unwrap();
                assert_eq!(scores(image), plain, "{moves} {index}");
                // every move is legal, and what is said of it holds for the position after it
                for mv in &knowledge.moves {
                    let after = image.play(mv.square).expect("legal");
                    assert_eq!(book.contains(&after.canonical()), mv.kind == Kind::Link);
                }
            }
        }
        let start = probe_board(&book, board("")).unwrap();
        assert_eq!((start.moves.len(), start.moves[0].score, start.unlisted.len()), (4, 1, 0));
        let f5 = probe_board(&book, board("f5")).unwrap();
        let found: Vec<(String, i8)> = f5.moves.iter().map(|mv| (mv.square.to_string(), mv.score)).collect();
        assert_eq!(found, [("d6".to_string(), -1), ("f6".to_string(), -2)]);
        assert_eq!(f5.unlisted, ["f4".parse().unwrap()]);
        assert_eq!(line(&book, Board::START).len(), 3);
        assert!(probe_board(&book, board("f5f4")).is_none());
    }

    /// What the book has looked at further comes first.
    #[test]
    fn links_come_before_leaves_of_the_same_worth() {
        let mut book = three();
        let at = book.position(&board("f5").canonical()).unwrap();
        book.nodes_mut()[at].set_leaf(Leaf::Move { square: "f4".parse().unwrap(), score: -1 }, 16);
        let found = probe_board(&book, board("f5")).unwrap().moves;
        let found: Vec<(String, Kind)> = found.iter().map(|mv| (mv.square.to_string(), mv.kind)).collect();
        assert_eq!(found, [("d6".to_string(), Kind::Link), ("f4".to_string(), Kind::Leaf)]);
    }

    #[test]
    fn symmetric_boards_have_all_squares_of_their_leaf() {
        let mut start = Node::new(Board::START, Origin::Outflank);
        start.set_leaf(Leaf::Move { square: "d3".parse().unwrap(), score: 0 }, 16);
        let known = probe_board(&[start].into_iter().collect::<Book>(), Board::START).unwrap();
        assert_eq!((known.moves.len(), known.unlisted.len()), (4, 0));
        assert!(known.moves.iter().all(|mv| (mv.score, mv.kind) == (0, Kind::Leaf)));
    }

    #[test]
    fn only_othello_has_a_book() {
        let position = |rules: &str| Position::start(std::sync::Arc::new(rules.parse().unwrap()));
        for rules in ["othello", "reveris", "hungarian"] {
            assert!(has_book(position(rules).rules()) && board_of(&position(rules)).is_some(), "{rules}");
        }
        for rules in ["othello:6x6", "othello:fewest", "othello:one"] {
            assert!(!has_book(position(rules).rules()) && board_of(&position(rules)).is_none(), "{rules}");
        }
        assert!(probe(&three(), &position("reveris")).is_some());
    }

    #[test]
    fn stale_nodes_are_known() {
        let mut book = three();
        let knows = |book: &Book, moves: &str| probe_board(book, board(moves)).unwrap();
        assert!(!knows(&book, "f5").is_stale());
        let at = book.position(&board("f5").canonical()).unwrap();
        book.nodes_mut()[at].value = 1;
        assert!(knows(&book, "f5").is_stale(), "its best move is worth -1");
        book.nodes_mut()[at].value = -1;
        book.nodes_mut()[at].set_leaf(Leaf::Unknown, 0);
        assert!(knows(&book, "f5").is_stale(), "f6 and f4 may be better");
    }
}
