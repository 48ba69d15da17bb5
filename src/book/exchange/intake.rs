//! Where readers put what they find: every position is checked, turned to its canonical image and made to fit our rules.

use super::report::{Place, Problem, Warning, Warnings};
use crate::board::{Board, Square};
use crate::book::graph::Next;
use crate::book::negamax::valued_by;
use crate::book::node::{CENTRE, Leaf, Node, Origin};
use crate::book::store::{Book, Settings};
use crate::book::sweep::{Moves, sweep};

/// A book while it is read.
pub(super) struct Intake {
    pub book: Book,
    pub warnings: Warnings,
}

/// What a board of a file is to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// A position of a book: its canonical board, and the symmetry that leads to it.
    Position(Board, usize),
    /// The side to move must pass.
    Pass,
    /// Neither side has a move.
    Finished,
}

/// Looks at a board.
pub(super) fn seen(board: Board) -> Result<Seen, Problem> {
    if board.player & board.opponent != 0 {
        return Err(Problem::Board("a square has two discs"));
    }
    if board.empties() & CENTRE != 0 {
        return Err(Problem::Board("a centre square is empty"));
    }
    if board.legal_moves() != 0 {
        let (canonical, symmetry) = board.canonical_by();
        return Ok(Seen::Position(canonical, symmetry));
    }
    Ok(if board.pass().legal_moves() != 0 { Seen::Pass } else { Seen::Finished })
}

/// A legal move ends the game or leads to a position of the book.
pub(super) fn leads_into(book: &Book, board: Board, square: Square) -> bool {
    match Next::of(board, square) {
        Next::Over(_) => true,
        Next::Board { board, .. } => book.contains(&board.canonical()),
    }
}

/// A score in discs, if it is one.
pub(super) fn score(number: i32) -> Option<i8> {
    (-64..=64).contains(&number).then_some(number as i8)
}

/// A level as a file has it: what is below 0 was never searched, which is level 0 here.
pub(super) fn level(byte: u8) -> u8 {
    if byte > i8::MAX as u8 { 0 } else { byte }
}

/// A node with a value of its own and no leaf yet.
pub(super) fn node(board: Board, origin: Origin, value: i8, level: u8) -> Node {
    let mut node = Node::new(board, origin);
    (node.value, node.level) = (value, level);
    node
}

impl Intake {
    pub fn new(settings: Settings) -> Intake {
        Intake { book: Book::new(settings), warnings: Warnings::default() }
    }

    /// The canonical board of a position and the symmetry that leads to it; `None` when it is none of ours.
    pub fn admit(&mut self, board: Board, place: Place) -> Result<Option<(Board, usize)>, Problem> {
        Ok(match seen(board)? {
            Seen::Position(canonical, symmetry) => {
                if symmetry != 0 {
                    self.warn(Warning::Turned, place);
                }
                Some((canonical, symmetry))
            }
            Seen::Pass => {
                self.warn(Warning::Pass, place);
                None
            }
            Seen::Finished => {
                self.warn(Warning::Finished, place);
                None
            }
        })
    }

    /// Adds a node; of two with one board the higher level stays, of equal ones the first.
    pub fn put(&mut self, node: Node, place: Place) {
        self.put_hashed(self.book.hash(&node.board), node, place);
    }

    /// [`Intake::put`] of a node whose hash is known ([`Book::hash`]).
    pub fn put_hashed(&mut self, hash: u64, node: Node, place: Place) {
        if let Some(there) = self.book.add(hash, node) {
            if node.level > there.level {
                *there = node;
            }
            self.warn(Warning::Duplicate, place);
        }
    }

    pub fn warn(&mut self, warning: Warning, place: Place) {
        self.warnings.add(warning, Some(place));
    }

    /// Makes every leaf fit the positions that are there, now that all of them are, and sets all values; `changed` gets each
    /// node with its leaf as it was when its value was set, and with its value.
    pub fn settle(&mut self, mut changed: impl FnMut(&mut Warnings, &Node, &Node)) {
        let warnings = &mut self.warnings;
        sweep(
            &mut self.book,
            |book, node, moves| {
                let mut prepared = *node;
                let leaf = settled(node, moves);
                // what is not known was never searched
                prepared.set_leaf(leaf, if leaf == Leaf::Unknown { 0 } else { node.leaf_level() });
                let (after, _) = valued_by(&book.settings, prepared, moves.known);
                (after != *node).then_some((after, prepared))
            },
            |before, after, prepared| {
                match (before.leaf(), prepared.leaf()) {
                    (old, new) if old == new => {}
                    (Leaf::None, _) => warnings.add(Warning::NoLeaf, None),
                    (_, Leaf::Unknown) => warnings.add(Warning::Leaf, None),
                    _ => {}
                }
                changed(warnings, &prepared, after);
            },
        );
    }
}

/// The leaf that a node can have.
fn settled(node: &Node, moves: Moves<'_>) -> Leaf {
    match node.leaf() {
        Leaf::Move { square, .. } if node.board.legal_moves() & square.bit() != 0 && !moves.has(square) => node.leaf(),
        // other programs have no node for a finished game: there, the move that ends it is the best one out of the book
        _ if moves.are_all(node.board) => Leaf::None,
        _ => Leaf::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(moves: &[&str]) -> Board {
        moves.iter().fold(Board::START, |board, mv| board.play(mv.parse().unwrap()).unwrap())
    }

    const HERE: Place = Place::Record { number: 1, byte: 0 };

    #[test]
    fn boards_are_looked_at() {
        assert_eq!(seen(Board::START), Ok(Seen::Position(Board::START, 0)));
        let f5 = board(&["f5"]);
        let Ok(Seen::Position(canonical, symmetry)) = seen(f5.symmetry(3)) else { panic!("a position") };
        assert_eq!((canonical, f5.symmetry(3).symmetry(symmetry)), (f5.canonical(), f5.canonical()));
        let pass = board(&["f5", "f6", "d3", "g5", "h5", "h4", "f7", "h6"]);
        assert_eq!(seen(pass), Ok(Seen::Pass));
        assert!(matches!(seen(pass.pass()), Ok(Seen::Position(..))));
        let over = board(&["f5", "d6", "c5", "f4", "e7", "f6", "g5", "e6", "e3"]);
        assert_eq!(seen(over), Ok(Seen::Finished));
        let both = Board { player: Board::START.player | 1 << 36, ..Board::START };
        assert!(matches!(seen(both), Err(Problem::Board(text)) if text.contains("two discs")));
        assert!(matches!(seen(Board { player: 1, opponent: 2 }), Err(Problem::Board(text)) if text.contains("centre")));
    }

    #[test]
    fn the_higher_level_stays() {
        let mut intake = Intake::new(Settings::default());
        for (level, value) in [(5, 1), (9, 2), (9, 3), (7, 4)] {
            intake.put(node(Board::START, Origin::Edax, value, level), HERE);
        }
        assert_eq!((intake.book.len(), intake.book.nodes()[0].value), (1, 2));
        assert_eq!(intake.warnings.count(Warning::Duplicate), 3);
    }

    #[test]
    fn leaves_are_made_to_fit() {
        let leaf = |square: &str| Leaf::Move { square: square.parse().unwrap(), score: 0 };
        let settle = |leaf: Leaf, with_f5: bool| {
            let mut intake = Intake::new(Settings::default());
            let mut start = node(Board::START, Origin::Edax, 0, 5);
            start.set_leaf(leaf, 5);
            intake.put(start, HERE);
            if with_f5 {
                intake.put(node(board(&["f5"]).canonical(), Origin::Edax, 0, 5), HERE);
            }
            intake.settle(|_, _, _| {});
            let counts = (intake.warnings.count(Warning::Leaf), intake.warnings.count(Warning::NoLeaf));
            (intake.book.nodes()[0].leaf(), counts)
        };
        assert_eq!(settle(leaf("d3"), false), (leaf("d3"), (0, 0)));
        assert_eq!(settle(leaf("d3"), true), (Leaf::None, (0, 0)));
        assert_eq!(settle(Leaf::Unknown, true), (Leaf::None, (0, 0)));
        assert_eq!(settle(Leaf::None, true), (Leaf::None, (0, 0)));
        assert_eq!(settle(Leaf::None, false), (Leaf::Unknown, (0, 1)));
        assert_eq!(settle(Leaf::Unknown, false), (Leaf::Unknown, (0, 0)));
    }
}
