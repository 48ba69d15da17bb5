//! One position of a book.

use crate::board::{Board, Square};
use crate::search::Level;

/// The best of the moves that lead out of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// Every legal move leads to a position of the book or ends the game.
    None,
    /// It has not been searched, or what was known about it no longer holds.
    Unknown,
    /// This move.
    Move {
        /// In the orientation of the node's board.
        square: Square,
        /// For the side to move, in discs.
        score: i8,
    },
}

/// The program whose searches a node's values come from: levels of different programs are different searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Origin {
    /// This engine.
    #[default]
    Outflank,
    /// Edax.
    Edax,
    /// Egaroucid.
    Egaroucid,
    /// Zebra and its relatives.
    Zebra,
    /// Lines of text, or entered by hand.
    Text,
}

impl Origin {
    const ALL: [Origin; 5] = [Origin::Outflank, Origin::Edax, Origin::Egaroucid, Origin::Zebra, Origin::Text];

    /// `Outflank`, `Edax`, ...
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Outflank => "Outflank",
            Origin::Edax => "Edax",
            Origin::Egaroucid => "Egaroucid",
            Origin::Zebra => "Zebra",
            Origin::Text => "text",
        }
    }
}

/// Leaf squares that are none.
const NO_LEAF: u8 = 65;
const UNKNOWN_LEAF: u8 = 255;

/// Bits of the flags: three for the origin, one for exactness.
const ORIGIN_BITS: u8 = 7;
const EXACT: u8 = 8;

/// The four centre squares: every game from the start has discs on them.
pub(in crate::book) const CENTRE: u64 = 0x0000_0018_1800_0000;

/// A position of a book with what is known about it, in 24 bytes. Scores are in discs for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The canonical board (the smallest of its eight images); the side to move has a move.
    pub board: Board,
    /// Best of leaf and links.
    pub value: i8,
    /// Heuristic band of the value: at least this.
    pub lower: i8,
    /// Heuristic band of the value: at most this.
    pub upper: i8,
    /// Level of the search that the node came with.
    pub level: u8,
    leaf_square: u8,
    leaf_score: i8,
    leaf_level: u8,
    flags: u8,
}

impl Node {
    /// Bytes of a node in our own file.
    pub const BYTES: usize = 25;

    /// A node whose leaf is still to be searched; its value is 0 until then.
    ///
    /// # Panics
    /// In debug builds, when the board is not canonical.
    pub fn new(board: Board, origin: Origin) -> Node {
        debug_assert_eq!(board, board.canonical(), "books store canonical boards");
        Node {
            board,
            value: 0,
            lower: -64,
            upper: 64,
            level: 0,
            leaf_square: UNKNOWN_LEAF,
            leaf_score: 0,
            leaf_level: 0,
            flags: origin as u8,
        }
    }

    /// The best move that leads out of the book.
    pub fn leaf(&self) -> Leaf {
        match (self.leaf_square, Square::new(self.leaf_square)) {
            (_, Some(square)) => Leaf::Move { square, score: self.leaf_score },
            (NO_LEAF, _) => Leaf::None,
            _ => Leaf::Unknown,
        }
    }

    /// Level of the search that found the leaf.
    pub fn leaf_level(&self) -> u8 {
        self.leaf_level
    }

    /// Sets the leaf and the level of the search that found it.
    pub fn set_leaf(&mut self, leaf: Leaf, level: u8) {
        (self.leaf_square, self.leaf_score) = match leaf {
            Leaf::None => (NO_LEAF, 0),
            Leaf::Unknown => (UNKNOWN_LEAF, 0),
            Leaf::Move { square, score } => (square.index() as u8, score),
        };
        self.leaf_level = level;
    }

    /// The program whose searches the values come from.
    pub fn origin(&self) -> Origin {
        Origin::ALL.get(usize::from(self.flags & ORIGIN_BITS)).copied().unwrap_or(Origin::Text)
    }

    /// Says whose searches the values come from.
    pub fn set_origin(&mut self, origin: Origin) {
        self.flags = self.flags & !ORIGIN_BITS | origin as u8;
    }

    /// The value rests on solves alone: a draw here is a draw, not "0 by a midgame search".
    pub fn is_exact(&self) -> bool {
        self.flags & EXACT != 0
    }

    pub(crate) fn set_exact(&mut self, exact: bool) {
        self.flags = self.flags & !EXACT | if exact { EXACT } else { 0 };
    }

    /// Empty squares.
    pub fn empties(&self) -> u32 {
        self.board.empty_count()
    }

    /// Discs placed since the start of a game.
    pub fn ply(&self) -> u32 {
        60u32.saturating_sub(self.empties())
    }

    /// The search that found the leaf went to the end of the game without selectivity.
    pub fn leaf_is_exact(&self) -> bool {
        let empties = self.empties() as u8;
        let stage = search_level(self.leaf_level).stage(empties);
        stage.depth >= empties && stage.selectivity == crate::search::Selectivity::NONE
    }

    /// The highest level up to this one at which a search for the leaf would not be exact.
    pub(in crate::book) fn unproven_level(&self, level: u8) -> u8 {
        let is_exact = |level: &u8| {
            let mut node = *self;
            node.set_leaf(self.leaf(), *level);
            node.leaf_is_exact()
        };
        (0..=level).rev().find(|level| !is_exact(level)).unwrap_or(0)
    }

    /// Where the node stands in files and in sweeps: emptiest boards first, then by mover and opponent.
    pub fn key(&self) -> (u32, u64, u64) {
        key(&self.board)
    }

    /// The node as 25 bytes of our own file.
    pub fn to_bytes(&self) -> [u8; Node::BYTES] {
        let mut bytes = [0; Node::BYTES];
        bytes[..8].copy_from_slice(&self.board.player.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.board.opponent.to_le_bytes());
        let rest = [
            self.value as u8,
            self.lower as u8,
            self.upper as u8,
            self.level,
            self.leaf_square,
            self.leaf_score as u8,
            self.leaf_level,
            self.flags,
        ];
        bytes[16..24].copy_from_slice(&rest);
        bytes
    }

    /// The node of 25 bytes, as they are: [`Node::fault`] says whether they make sense.
    pub fn from_bytes(bytes: &[u8; Node::BYTES]) -> Node {
        Node {
            board: board_of(bytes),
            value: bytes[16] as i8,
            lower: bytes[17] as i8,
            upper: bytes[18] as i8,
            level: bytes[19],
            leaf_square: bytes[20],
            leaf_score: bytes[21] as i8,
            leaf_level: bytes[22],
            flags: bytes[23],
        }
    }

    /// No score is beyond 64 discs.
    pub(crate) fn is_in_range(&self) -> bool {
        [self.value, self.lower, self.upper, self.leaf_score].into_iter().all(|score| (-64..=64).contains(&score))
    }

    /// What is impossible about this node, taken alone.
    pub fn fault(&self) -> Option<&'static str> {
        let Board { player, opponent } = self.board;
        if player & opponent != 0 {
            return Some("a square has two discs");
        }
        if (player | opponent) & CENTRE != CENTRE {
            return Some("a centre square is empty");
        }
        if self.board != self.board.canonical() {
            return Some("the board is not the canonical one of its eight images");
        }
        let moves = self.board.legal_moves();
        if moves == 0 {
            return Some("the side to move has no move");
        }
        if !self.is_in_range() {
            return Some("a value is beyond 64 discs");
        }
        if !(self.lower <= self.value && self.value <= self.upper) {
            return Some("the value is outside its bounds");
        }
        match self.leaf() {
            Leaf::Move { square, .. } if moves & square.bit() == 0 => Some("the leaf is not a legal move"),
            Leaf::Unknown if self.leaf_square != UNKNOWN_LEAF => Some("the leaf is no square"),
            _ => None,
        }
    }
}

/// Where a board stands in files: emptiest first, then by mover and opponent.
pub(crate) fn key(board: &Board) -> (u32, u64, u64) {
    (64 - board.empty_count(), board.player, board.opponent)
}

/// The board of a node's bytes.
pub(crate) fn board_of(bytes: &[u8; Node::BYTES]) -> Board {
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    Board { player: word(0), opponent: word(8) }
}

/// The search that a level of a book stands for. Levels above ours (Egaroucid's 70 is a human's word) promise nothing.
pub(crate) fn search_level(level: u8) -> Level {
    Level::new(level).unwrap_or(Level::new(0).expect("a level"))
}

/// [`search_level`] as a number: how deep a level of a book promises that a search was.
pub(in crate::book) fn promised(level: u8) -> u8 {
    search_level(level).get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_back() {
        let mut node = Node::new(Board::START.canonical(), Origin::Egaroucid);
        assert_eq!(node.leaf(), Leaf::Unknown);
        node.set_leaf(Leaf::Move { square: "d3".parse().unwrap(), score: -3 }, 21);
        node.value = -3;
        node.set_exact(true);
        let back = Node::from_bytes(&node.to_bytes());
        assert_eq!(back, node);
        assert_eq!((back.origin(), back.is_exact(), back.leaf_level()), (Origin::Egaroucid, true, 21));
        assert_eq!(size_of::<Node>(), 24);
        assert_eq!(node.fault(), None);
        node.set_leaf(Leaf::None, 21);
        assert_eq!(Node::from_bytes(&node.to_bytes()).leaf(), Leaf::None);
    }

    #[test]
    fn impossible_nodes_are_told() {
        let good = Node::new(Board::START.canonical(), Origin::Outflank);
        let fault = |change: fn(&mut Node)| {
            let mut node = good;
            change(&mut node);
            node.fault().unwrap_or_default()
        };
        assert!(fault(|node| node.board.player |= node.board.opponent).contains("two discs"));
        assert!(fault(|node| node.board.player = 0).contains("centre"));
        assert!(fault(|node| node.board = node.board.symmetry(1)).contains("canonical"));
        assert!(fault(|node| node.value = 65).contains("beyond 64"));
        assert!(fault(|node| node.lower = 1).contains("bounds"));
        assert!(
            fault(|node| node.set_leaf(Leaf::Move { square: "a1".parse().unwrap(), score: 0 }, 1)).contains("legal")
        );
        assert!(fault(|node| node.leaf_square = 70).contains("no square"));
    }

    #[test]
    fn exact_leaves_follow_the_levels() {
        let mut board = Board::START;
        while board.empty_count() > 21 {
            let mv = crate::board::Squares(board.legal_moves()).next();
            board = mv.and_then(|mv| board.play(mv)).unwrap_or(board.pass());
        }
        let mut node = Node::new(board.canonical(), Origin::Outflank);
        let mut exact = |level| {
            node.set_leaf(Leaf::None, level);
            node.leaf_is_exact()
        };
        assert!(exact(16) && exact(60) && !exact(8) && !exact(70));
    }
}
