//! The moves of a book's positions.

use super::node::{Leaf, Node};
use super::store::Nodes;
use crate::board::{Board, Square, Squares, transform_square};

/// Where a move leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The game is over; final score for the side that moved.
    Over(i8),
    /// To a position.
    Board {
        /// The position with a move to make, as it stands: after the pass, if there is one.
        board: Board,
        /// The opponent must pass: the side that moved is to move again.
        passed: bool,
    },
}

impl Next {
    /// Where a legal move leads.
    ///
    /// # Panics
    /// When the move is not legal.
    pub fn of(board: Board, square: Square) -> Next {
        Next::behind(board.play(square).expect("a legal move"))
    }

    /// Where a move led that left this board for the opponent.
    pub(super) fn behind(after: Board) -> Next {
        if after.legal_moves() != 0 {
            return Next::Board { board: after, passed: false };
        }
        let again = after.pass();
        if again.legal_moves() != 0 {
            return Next::Board { board: again, passed: true };
        }
        Next::Over(again.final_score() as i8)
    }
}

/// The canonical positions that the moves of a board lead to, ends of games left out; one for each move, in their order.
pub fn followers(board: Board) -> impl Iterator<Item = Board> {
    Squares(board.legal_moves()).filter_map(move |square| match Next::of(board, square) {
        Next::Board { board, .. } => Some(board.canonical()),
        Next::Over(_) => None,
    })
}

/// A move whose value the book knows without a search of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// In the orientation of the board that was asked about.
    pub square: Square,
    /// For the side that moves.
    pub value: i8,
    /// At least this.
    pub lower: i8,
    /// At most this.
    pub upper: i8,
    /// The value rests on solves alone.
    pub exact: bool,
    /// The node it leads to; `None` when it ends the game.
    pub node: Option<Node>,
    /// The opponent must pass: the node is valued for the side that moves.
    pub passed: bool,
}

impl Known {
    /// A move that ends the game with this score for the side that moves.
    pub(super) fn end(square: Square, value: i8) -> Known {
        Known { square, value, lower: value, upper: value, exact: true, node: None, passed: false }
    }

    /// A move that leads to a node.
    pub(super) fn link(square: Square, node: Node, passed: bool) -> Known {
        let Node { value, lower, upper, .. } = node;
        let (value, lower, upper) = if passed { (value, lower, upper) } else { (-value, -upper, -lower) };
        Known { square, value, lower, upper, exact: node.is_exact(), node: Some(node), passed }
    }
}

/// The moves of a board that lead to nodes or end the game, by square. The board may be in any orientation.
pub fn known_moves(nodes: &(impl Nodes + ?Sized), board: Board) -> impl Iterator<Item = Known> {
    Squares(board.legal_moves()).filter_map(move |square| known_move(nodes, board, square))
}

fn known_move(nodes: &(impl Nodes + ?Sized), board: Board, square: Square) -> Option<Known> {
    match Next::of(board, square) {
        Next::Over(value) => Some(Known::end(square, value)),
        Next::Board { board, passed } => Some(Known::link(square, nodes.find(&board.canonical())?, passed)),
    }
}

/// The legal moves of a board that lead out of the book.
pub fn unknown_moves(nodes: &(impl Nodes + ?Sized), board: Board) -> u64 {
    board.legal_moves() & !known_moves(nodes, board).fold(0, |set, known| set | known.square.bit())
}

/// The symmetry that undoes another.
pub const fn inverse(symmetry: usize) -> usize {
    match symmetry {
        5 => 6,
        6 => 5,
        other => other,
    }
}

/// A node's leaf in the orientation of a board whose canonical form is the node's. Of a board that is its own image under a
/// symmetry, any of the equivalent squares is right.
pub fn leaf_on(node: &Node, symmetry: usize) -> Leaf {
    match node.leaf() {
        Leaf::Move { square, score } => Leaf::Move { square: transform_square(square, inverse(symmetry)), score },
        other => other,
    }
}

/// The best move out of the book as other programs see it: to them a move that ends the game is one of those. A leaf that leads
/// into the book, as it can after a merge, is none to them; what is best out of the book is to be searched.
pub(super) fn outward(leaf: Leaf, known: &[Known]) -> Leaf {
    let is_link = |square| known.iter().any(|known| known.square == square && known.node.is_some());
    let leaf = match leaf {
        Leaf::Move { square, .. } if is_link(square) => Leaf::Unknown,
        leaf => leaf,
    };
    let ends = known.iter().filter(|known| known.node.is_none());
    let best = ends.max_by_key(|known| (known.value, std::cmp::Reverse(known.square)));
    match (leaf, best) {
        (Leaf::Move { score, .. }, Some(end)) if score >= end.value => leaf,
        (Leaf::Move { .. } | Leaf::None, Some(end)) => Leaf::Move { square: end.square, score: end.value },
        // nobody knows whether the rest is worse
        (Leaf::Unknown, _) | (_, None) => leaf,
    }
}

/// The leaf no longer holds: it leads into the book, ends the game or is not legal; or there is none though a move leads out.
pub fn leaf_is_stale(nodes: &(impl Nodes + ?Sized), node: &Node) -> bool {
    match node.leaf() {
        Leaf::Unknown => false,
        Leaf::None => unknown_moves(nodes, node.board) != 0,
        Leaf::Move { square, .. } => {
            node.board.play(square).is_none() || known_move(nodes, node.board, square).is_some()
        }
    }
}

/// The board after these moves from the start, as they turn it.
#[cfg(test)]
pub(in crate::book) fn board(moves: &str) -> Board {
    let squares = moves.as_bytes().chunks(2).map(|square| std::str::from_utf8(square).unwrap().parse().unwrap());
    squares.fold(Board::START, |board, square| board.play(square).unwrap())
}

#[cfg(test)]
mod tests {
    use super::super::node::Origin;
    use super::super::store::Book;
    use super::*;

    /// The vectors of the book notes: moves, canonical mover, opponent, symmetry, and moves that are the same.
    const CANONICAL: [(&str, u64, u64, usize); 10] = [
        ("", 0x0000_0008_1000_0000, 0x0000_0010_0800_0000, 0),
        ("f5", 0x0000_0000_0800_0000, 0x0000_0038_1000_0000, 0),
        ("d3", 0x0000_0000_0800_0000, 0x0000_0038_1000_0000, 7),
        ("f5d6", 0x0000_0000_1808_0000, 0x0000_001c_0000_0000, 7),
        ("e6f4", 0x0000_0000_1808_0000, 0x0000_001c_0000_0000, 3),
        ("f5f6", 0x0000_0008_1008_0000, 0x0000_0010_0804_0000, 7),
        ("f5f4", 0x0000_0000_1c00_0000, 0x0000_001c_0000_0000, 3),
        ("f5d6c3", 0x0000_0000_0808_0000, 0x0000_0418_3000_0000, 2),
        ("f5d6c3d3c4", 0x0000_0000_2c00_0000, 0x0000_0818_1030_0000, 6),
        ("f5d6c5f4e3c6d3f6e6d7", 0x0000_0014_1818_0000, 0x0008_3c28_2000_0000, 0),
    ];

    #[test]
    fn canonical_boards_are_those_of_edax_and_egaroucid() {
        for (moves, player, opponent, symmetry) in CANONICAL {
            let (found, by) = board(moves).canonical_by();
            assert_eq!((found.player, found.opponent), (player, opponent), "{moves}");
            // several symmetries may lead to the canonical board
            assert_eq!(board(moves).symmetry(symmetry), found, "{moves}");
            assert_eq!(found.symmetry(inverse(by)), board(moves), "{moves}");
        }
        assert!((0..8).all(|index| board("f5d6c3").symmetry(index).symmetry(inverse(index)) == board("f5d6c3")));
    }

    #[test]
    fn leaves_turn_with_the_board() {
        let canonical = board("f5d6").canonical();
        let mut node = Node::new(canonical, Origin::Outflank);
        node.set_leaf(Leaf::Move { square: "f6".parse().unwrap(), score: 1 }, 16);
        // in the transcript's orientation it is c3, as the notes say
        let leaf = leaf_on(&node, board("f5d6").canonical_by().1);
        assert_eq!(leaf, Leaf::Move { square: "c3".parse().unwrap(), score: 1 });
    }

    #[test]
    fn passes_lead_to_the_position_after_them() {
        let before = board("f5f6d3g5h5h4f7");
        let Next::Board { board: after, passed } = Next::of(before, "h6".parse().unwrap()) else { panic!("not over") };
        assert!(passed);
        assert_eq!((after.canonical().player, after.canonical().opponent), (0x081c, 0x0000_0038_180e_0000));
    }

    #[test]
    fn games_that_end_have_their_score() {
        // f5d6c5f4e7f6g5e6e3: black wipes white out at ply 9
        let before = board("f5d6c5f4e7f6g5e6");
        assert_eq!(Next::of(before, "e3".parse().unwrap()), Next::Over(64));
        let known: Vec<Known> = known_moves(&Book::default(), before).collect();
        assert!(known.len() == 1 && known[0].exact && known[0].value == 64);
        assert_eq!(unknown_moves(&Book::default(), before) & known[0].square.bit(), 0);
    }

    #[test]
    fn leaves_that_lead_into_the_book_are_stale() {
        let start = Board::START;
        let mut node = Node::new(start, Origin::Outflank);
        node.set_leaf(Leaf::Move { square: "f5".parse().unwrap(), score: 0 }, 16);
        assert!(!leaf_is_stale(&Book::default(), &node));
        let book: Book = [Node::new(board("d3").canonical(), Origin::Outflank)].into_iter().collect();
        assert!(leaf_is_stale(&book, &node), "a symmetric image of f5 is in the book");
        assert_eq!(unknown_moves(&book, start), 0);
        node.set_leaf(Leaf::None, 16);
        assert!(!leaf_is_stale(&book, &node) && leaf_is_stale(&Book::default(), &node));
    }

    #[test]
    fn other_programs_get_no_leaf_that_is_a_link() {
        let leaf = Leaf::Move { square: "f5".parse().unwrap(), score: 0 };
        let outward_of = |book: &Book| outward(leaf, &known_moves(book, Board::START).collect::<Vec<Known>>());
        assert_eq!(outward_of(&Book::default()), leaf);
        let book: Book = [Node::new(board("d3").canonical(), Origin::Outflank)].into_iter().collect();
        assert_eq!(outward_of(&book), Leaf::Unknown);
    }
}
