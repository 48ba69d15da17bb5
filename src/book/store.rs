//! A book in memory.

use std::fmt::Debug;
use std::hash::BuildHasher;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use rayon::slice::ParallelSliceMut;

use super::node::Node;
use crate::board::Board;
use crate::workers;

/// What a book was made with. Edax's books carry the same numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Level of new searches, 0 to 60.
    pub level: u8,
    /// Discs by which a midgame value may be wrong: the half width of its bounds.
    pub midgame_error: u8,
    /// Discs by which the value of a selective solve may be wrong.
    pub endcut_error: u8,
    /// The book grows to this ply, 1 to 60.
    pub max_ply: u8,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { level: 16, midgame_error: 2, endcut_error: 1, max_ply: 36 }
    }
}

/// Where nodes can be looked up: a book in memory, or a mapped file.
pub trait Nodes: Debug + Send + Sync {
    /// The node of a canonical board.
    fn find(&self, canonical: &Board) -> Option<Node>;

    /// Number of nodes.
    fn count(&self) -> usize;

    /// What the book was made with.
    fn settings(&self) -> Settings;
}

/// A book in memory: nodes in the order they came, found by their boards.
#[derive(Clone, Debug, Default)]
pub struct Book {
    /// What it was made with.
    pub settings: Settings,
    nodes: Vec<Node>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Nodes by their empty squares.
    empties: Layers,
}

/// Numbers of nodes by their empty squares.
#[derive(Clone, Debug)]
struct Layers([u32; 65]);

impl Default for Layers {
    fn default() -> Layers {
        Layers([0; 65])
    }
}

impl Book {
    /// An empty book.
    pub fn new(settings: Settings) -> Book {
        Book { settings, ..Book::default() }
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// There is no position.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, in the order they came.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// All nodes in the order of files: emptiest boards first, then by mover and opponent.
    pub fn sorted(&self) -> Vec<Node> {
        let mut nodes = self.nodes.clone();
        workers::ready();
        nodes.par_sort_unstable_by_key(Node::key);
        nodes
    }

    /// The nodes, to be changed; their boards must stay.
    pub(crate) fn nodes_mut(&mut self) -> &mut [Node] {
        &mut self.nodes
    }

    /// Makes room for this many more nodes.
    pub fn reserve(&mut self, more: usize) {
        self.nodes.reserve_exact(more);
        let (nodes, hasher) = (&self.nodes, &self.hasher);
        self.index.reserve(more, |&at| hasher.hash_one(nodes[at as usize].board));
    }

    /// Where the node of a canonical board is among [`Book::nodes`].
    pub fn position(&self, canonical: &Board) -> Option<usize> {
        self.position_hashed(self.hash(canonical), canonical)
    }

    /// [`Book::position`] of a board whose hash is known.
    pub(super) fn position_hashed(&self, hash: u64, canonical: &Board) -> Option<usize> {
        self.index.find(hash, |&at| self.nodes[at as usize].board == *canonical).map(|&at| at as usize)
    }

    /// What the index of this book finds a canonical board by.
    pub(super) fn hash(&self, canonical: &Board) -> u64 {
        self.hasher.hash_one(canonical)
    }

    /// A function that hashes as [`Book::hash`] does, while the book changes.
    pub(super) fn hasher(&self) -> impl Fn(&Board) -> u64 + Sync + use<> {
        let hasher = self.hasher.clone();
        move |canonical| hasher.hash_one(canonical)
    }

    /// There are nodes with this many empty squares.
    pub(super) fn has_empties(&self, empties: u32) -> bool {
        self.empties.0[empties as usize] > 0
    }

    /// The node of a canonical board.
    pub fn get(&self, canonical: &Board) -> Option<&Node> {
        self.position(canonical).map(|at| &self.nodes[at])
    }

    /// The node of a canonical board is in the book.
    pub fn contains(&self, canonical: &Board) -> bool {
        self.position(canonical).is_some()
    }

    /// Adds a node, or replaces the one of the same board; true when it is new.
    ///
    /// # Panics
    /// At 2^32 nodes.
    pub fn put(&mut self, node: Node) -> bool {
        match self.add(self.hash(&node.board), node) {
            Some(there) => {
                *there = node;
                false
            }
            None => true,
        }
    }

    /// Adds a node, whose hash is known, unless there is one of the same board: that one then.
    ///
    /// # Panics
    /// At 2^32 nodes.
    pub(super) fn add(&mut self, hash: u64, node: Node) -> Option<&mut Node> {
        let at = u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes");
        let (nodes, hasher) = (&self.nodes, &self.hasher);
        let is_same = |&at: &u32| nodes[at as usize].board == node.board;
        match self.index.entry(hash, is_same, |&at| hasher.hash_one(nodes[at as usize].board)) {
            Entry::Occupied(there) => return Some(&mut self.nodes[*there.get() as usize]),
            Entry::Vacant(place) => _ = place.insert(at),
        }
        // growth by an eighth: doubling would hold twice the memory of a large book for nothing
        if self.nodes.len() == self.nodes.capacity() {
            self.nodes.reserve_exact((self.nodes.len() / 8).max(1024));
        }
        self.nodes.push(node);
        self.empties.0[node.empties() as usize] += 1;
        None
    }

    /// Keeps the nodes for which `keep` is true; the number removed.
    pub fn retain(&mut self, keep: impl FnMut(&Node) -> bool) -> usize {
        let before = self.nodes.len();
        self.nodes.retain(keep);
        self.empties = Layers::default();
        self.nodes.iter().for_each(|node| self.empties.0[node.empties() as usize] += 1);
        self.index.clear();
        let (nodes, hasher) = (&self.nodes, &self.hasher);
        let hash = |&at: &u32| hasher.hash_one(nodes[at as usize].board);
        for at in 0..nodes.len() as u32 {
            self.index.insert_unique(hash(&at), at, hash);
        }
        before - self.nodes.len()
    }

    /// Bytes of memory that the book takes.
    pub fn memory(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>() + self.index.allocation_size()
    }
}

impl Nodes for Book {
    fn find(&self, canonical: &Board) -> Option<Node> {
        self.get(canonical).copied()
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn settings(&self) -> Settings {
        self.settings
    }
}

impl FromIterator<Node> for Book {
    fn from_iter<I: IntoIterator<Item = Node>>(nodes: I) -> Book {
        let mut book = Book::default();
        for node in nodes {
            book.put(node);
        }
        book
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::Origin;
    use super::*;
    use crate::board::Squares;

    fn boards() -> Vec<Board> {
        let mut boards = vec![Board::START.canonical()];
        for at in 0..400 {
            let board: Board = boards[at];
            for square in Squares(board.legal_moves()) {
                let child = board.play(square).unwrap().canonical();
                if !boards.contains(&child) {
                    boards.push(child);
                }
            }
        }
        boards
    }

    #[test]
    fn what_is_put_is_found() {
        let boards = boards();
        let mut book = Book::default();
        assert!(boards.iter().all(|board| book.put(Node::new(*board, Origin::Edax))));
        assert!(boards.iter().all(|board| !book.put(Node::new(*board, Origin::Text))));
        assert_eq!(book.len(), boards.len());
        assert!(boards.iter().all(|board| book.get(board).unwrap().origin() == Origin::Text));
        assert!(!book.contains(&Board { player: 1, opponent: 2 }));
        assert!(book.memory() < boards.len() * 60 + 1024 * 24, "{}", book.memory());
        let removed = book.retain(|node| node.empties() > 57);
        assert_eq!((book.len(), removed), (boards.len() - removed, removed));
        assert!(boards.iter().all(|board| book.contains(board) == (board.empty_count() > 57)));
    }

    /// In steps that grow with the book, and without room for twice as many nodes.
    #[test]
    fn memory_grows_by_an_eighth() {
        let mut book = Book::default();
        let mut steps = vec![0];
        for number in 1..=100_000 {
            book.put(Node::new(Board { player: number, opponent: number << 32 }.canonical(), Origin::Outflank));
            let room = book.nodes.capacity();
            if room != *steps.last().unwrap() {
                steps.push(room);
            }
            assert!(room <= book.len() + (book.len() / 8).max(1024), "{room} of {}", book.len());
        }
        assert!(book.len() > 45_000 && steps.len() < 30, "{steps:?}");
    }

    #[test]
    fn a_book_tells_what_it_was_made_with() {
        let settings = Settings { level: 7, midgame_error: 5, endcut_error: 3, max_ply: 20 };
        let book = Book { settings, ..Book::default() };
        assert_eq!((Nodes::settings(&book), Nodes::count(&book)), (settings, 0));
        let all: Book = boards().into_iter().map(|board| Node::new(board, Origin::Outflank)).collect();
        assert_eq!(Nodes::count(&all), all.nodes().len());
    }

    #[test]
    fn the_order_of_files() {
        let book: Book = boards().into_iter().map(|board| Node::new(board, Origin::Outflank)).collect();
        let sorted = book.sorted();
        assert_eq!(sorted[0].board, Board::START.canonical());
        assert!(sorted.windows(2).all(|pair| pair[0].key() < pair[1].key()));
    }
}
