//! What must hold in a book, said a second time and plainly: every position by itself, from the rules of the game and the
//! searches' levels alone. Nothing of `src/book/` is used but nodes as they are stored.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use outflank::board::{Board, Square, Squares};
use outflank::book::{Leaf, Node, Settings};
use outflank::search::{Level, Selectivity};

/// Leaf squares that are none, as a file has them.
const NO_LEAF: u8 = 65;
const UNKNOWN_LEAF: u8 = 255;

/// One of the eight images of a square, by its column and row.
pub fn image_of(square: Square, symmetry: usize) -> Square {
    let (mut column, mut row) = (square.index() % 8, square.index() / 8);
    if symmetry & 1 != 0 {
        column = 7 - column;
    }
    if symmetry & 2 != 0 {
        row = 7 - row;
    }
    if symmetry & 4 != 0 {
        (column, row) = (row, column);
    }
    Square::new((8 * row + column) as u8).expect("on the board")
}

/// One of the eight images of a board, square by square.
pub fn image(board: Board, symmetry: usize) -> Board {
    let turn = |discs: u64| Squares(discs).fold(0, |set, square| set | image_of(square, symmetry).bit());
    Board { player: turn(board.player), opponent: turn(board.opponent) }
}

/// The image with the smallest discs of the side to move, then of the other one.
pub fn smallest(board: Board) -> Board {
    (0..8).map(|symmetry| image(board, symmetry)).min_by_key(|image| (image.player, image.opponent)).expect("eight")
}

/// What a move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum After {
    /// The end, with this score for the side that moved.
    End(i8),
    /// A position of the other side.
    Theirs(Board),
    /// The other side must pass: a position of the side that moved.
    Ours(Board),
}

/// What a legal move leads to, positions by their smallest images.
pub fn after(board: Board, square: Square) -> After {
    let next = board.play(square).expect("a legal move");
    if next.legal_moves() != 0 {
        return After::Theirs(smallest(next));
    }
    let again = Board { player: next.opponent, opponent: next.player };
    if again.legal_moves() != 0 {
        return After::Ours(smallest(again));
    }
    let (mine, yours) = (again.player.count_ones() as i8, again.opponent.count_ones() as i8);
    // empty squares belong to the winner
    After::End(match mine.cmp(&yours) {
        std::cmp::Ordering::Greater => 64 - 2 * yours,
        std::cmp::Ordering::Less => 2 * mine - 64,
        std::cmp::Ordering::Equal => 0,
    })
}

/// Value, lower and upper bound, and whether only solves are behind them.
pub type Band = (i8, i8, i8, bool);

pub fn band(node: &Node) -> Band {
    (node.value, node.lower, node.upper, node.to_bytes()[23] & 8 != 0)
}

/// A book as this model sees it.
pub struct Model {
    pub nodes: HashMap<Board, Node>,
    settings: Settings,
}

impl Model {
    pub fn new(nodes: &[Node], settings: Settings) -> Model {
        let model = Model { nodes: nodes.iter().map(|node| (node.board, *node)).collect(), settings };
        assert_eq!(model.nodes.len(), nodes.len(), "a position is there twice");
        model
    }

    /// What a move leads to, if the book has it or the game is over; with the score that it has for the side that moves.
    fn known(&self, board: Board, square: Square, of: &impl Fn(&Board) -> Option<Band>) -> Option<Band> {
        let turned = |(value, lower, upper, exact): Band| (-value, -upper, -lower, exact);
        match after(board, square) {
            After::End(score) => Some((score, score, score, true)),
            After::Theirs(next) => of(&next).map(turned),
            After::Ours(next) => of(&next),
        }
    }

    /// The legal moves that lead neither into the book nor to an end.
    pub fn outward(&self, board: Board) -> Vec<Square> {
        let is_out = |square: &Square| match after(board, *square) {
            After::End(_) => false,
            After::Theirs(next) | After::Ours(next) => !self.nodes.contains_key(&next),
        };
        Squares(board.legal_moves()).filter(is_out).collect()
    }

    /// What a leaf is worth with its bounds, and whether it was solved.
    fn leaf(&self, node: &Node) -> Option<(Square, Band)> {
        let Leaf::Move { square, score } = node.leaf() else { return None };
        let empties = node.board.empty_count();
        // levels that are none of this engine's promise nothing
        let stage = Level::new(node.leaf_level()).unwrap_or(Level::new(0).unwrap()).stage(empties as u8);
        let to_the_end = u32::from(stage.depth) >= empties;
        let solved = to_the_end && stage.selectivity == Selectivity::NONE;
        let (less, more) = match (to_the_end, solved) {
            (_, true) => (0, 0),
            (true, false) => (i32::from(self.settings.endcut_error), i32::from(self.settings.endcut_error)),
            (false, false) => {
                let odd = i32::from(stage.depth % 2) - (empties % 2) as i32;
                let error = i32::from(self.settings.midgame_error);
                (error + odd, error - odd)
            }
        };
        let lower = (i32::from(score) - less).clamp(-64, 64).min(score.into());
        let upper = (i32::from(score) + more).clamp(-64, 64).max(score.into());
        Some((square, (score, lower as i8, upper as i8, solved)))
    }

    /// The value that a node's moves give it, when `of` says what the positions behind them are worth; `None` when it knows
    /// neither a leaf nor a link.
    pub fn value(&self, node: &Node, of: impl Fn(&Board) -> Option<Band>) -> Option<Band> {
        let moves = Squares(node.board.legal_moves());
        let mut bands: Vec<Band> = moves.filter_map(|square| self.known(node.board, square, &of)).collect();
        match self.leaf(node) {
            Some((square, leaf)) if self.known(node.board, square, &of).is_none() => bands.push(leaf),
            // it has become a link: what else leads out is not known
            Some(_) => bands.iter_mut().for_each(|band| band.3 = false),
            None if node.leaf() == Leaf::Unknown => bands.iter_mut().for_each(|band| band.3 = false),
            None => {}
        }
        let value = bands.iter().map(|band| band.0).max()?;
        let lower = bands.iter().map(|band| band.1).max()?;
        let upper = bands.iter().map(|band| band.2).max()?;
        Some((value, lower.min(value), upper.max(value), bands.iter().all(|band| band.3)))
    }

    /// Every node's value from the ends of the book alone: no stored value is looked at but of nodes that know nothing else.
    pub fn values(&self) -> HashMap<Board, Band> {
        let mut order: Vec<&Node> = self.nodes.values().collect();
        order.sort_by_key(|node| node.board.empty_count());
        let mut values: HashMap<Board, Band> = HashMap::new();
        for node in order {
            let value = self.value(node, |board| values.get(board).copied()).unwrap_or(band(node));
            values.insert(node.board, value);
        }
        values
    }

    /// What is wrong with each node, and whether it is no more than a search that is still to be made.
    pub fn findings(&self) -> BTreeMap<Board, BTreeSet<(&'static str, bool)>> {
        let mut findings: BTreeMap<Board, BTreeSet<(&'static str, bool)>> = BTreeMap::new();
        for node in self.nodes.values() {
            let mut add = |what, open| _ = findings.entry(node.board).or_default().insert((what, open));
            if let Some(what) = alone(node) {
                add(what, false);
                continue;
            }
            let stored = |board: &Board| self.nodes.get(board).map(band);
            if self.value(node, stored).is_some_and(|value| value != band(node)) {
                add("value", false);
            }
            let outward = self.outward(node.board);
            match node.to_bytes()[20] {
                NO_LEAF if !outward.is_empty() => add("no leaf", false),
                UNKNOWN_LEAF if !outward.is_empty() => add("unknown leaf", true),
                NO_LEAF | UNKNOWN_LEAF => {}
                square if !outward.iter().any(|out| out.index() == usize::from(square)) => add("linked leaf", true),
                _ => {}
            }
        }
        findings
    }
}

/// What no position of any book may be.
fn alone(node: &Node) -> Option<&'static str> {
    let Board { player, opponent } = node.board;
    let bytes = node.to_bytes();
    let scores = [bytes[16], bytes[17], bytes[18], bytes[21]].map(|byte| i32::from(byte as i8));
    let centre: Vec<Square> = ["d4", "e4", "d5", "e5"].iter().map(|square| square.parse().unwrap()).collect();
    let square = bytes[20];
    if player & opponent != 0 {
        Some("two discs")
    } else if centre.iter().any(|square| (player | opponent) & square.bit() == 0) {
        Some("centre")
    } else if node.board != smallest(node.board) {
        Some("not the smallest image")
    } else if node.board.legal_moves() == 0 {
        Some("no move")
    } else if scores.iter().any(|score| score.abs() > 64) {
        Some("beyond 64")
    } else if node.value < node.lower || node.value > node.upper {
        Some("bounds")
    } else if square != NO_LEAF
        && square != UNKNOWN_LEAF
        && !Squares(node.board.legal_moves()).any(|legal| legal.index() == usize::from(square))
    {
        Some("leaf")
    } else {
        None
    }
}
