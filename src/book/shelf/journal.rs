//! The journal of a book: what is new since its file was written, and what of it is found again after a kill.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::beside::journal_path;
use crate::board::Board;
use crate::book::file::{BookFile, BookFileError, check_is_plain};
use crate::book::graph::{Next, unknown_moves};
use crate::book::node::{Leaf, Node};
use crate::book::store::Book;
use crate::checksum::crc32;
use crate::formats::atomic;
use crate::formats::quantity::plural;

const MAGIC: &[u8; 8] = b"OUTFBKJ1";
/// Magic, checksum of the book that the journal belongs to, checksum of both.
pub(super) const HEADER: usize = 16;
/// A node and its checksum.
pub(super) const RECORD: usize = Node::BYTES + 4;

/// What was found in the journal of a killed run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Positions: one that was journalled again counts once.
    pub positions: usize,
    /// Damaged records, which were left out.
    pub damaged: usize,
}

/// A journal that is being written.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// A new journal of a book whose file has this checksum, in the place of the old one.
    pub fn begin(book: &Path, checksum: u32) -> Result<Journal, BookFileError> {
        let path = journal_path(book);
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..12].copy_from_slice(&checksum.to_le_bytes());
        let crc = crc32(&header[..12]);
        header[12..].copy_from_slice(&crc.to_le_bytes());
        let begin = || -> io::Result<File> {
            atomic::write_whole(&path, &header)?;
            OpenOptions::new().append(true).open(&path)
        };
        Ok(Journal { file: begin().map_err(BookFileError::io(&path))?, path })
    }

    /// Enters a node.
    pub fn put(&mut self, node: &Node) -> Result<(), BookFileError> {
        let mut record = [0; RECORD];
        record[..Node::BYTES].copy_from_slice(&node.to_bytes());
        let crc = crc32(&record[..Node::BYTES]);
        record[Node::BYTES..].copy_from_slice(&crc.to_le_bytes());
        self.file.write_all(&record).map_err(BookFileError::io(&self.path))
    }

    /// Puts what it holds on the disc.
    pub fn sync(&self) -> Result<(), BookFileError> {
        self.file.sync_data().map_err(BookFileError::io(&self.path))
    }
}

/// What a journal holds.
pub(super) struct Found {
    /// Checksum of the book that it belongs to.
    checksum: u32,
    /// In the order in which they were written; a node may be there more than once.
    nodes: Vec<Node>,
    /// Records that are damaged.
    damaged: usize,
}

impl Found {
    /// Reads the journal of a book, if there is one.
    pub fn read(book: &Path) -> Result<Option<Found>, BookFileError> {
        let path = journal_path(book);
        check_is_plain(&path)?;
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(BookFileError::io(&path)(error)),
        };
        let whole = bytes
            .split_first_chunk::<HEADER>()
            .filter(|(header, _)| header.starts_with(MAGIC) && header[12..] == crc32(&header[..12]).to_le_bytes());
        let Some((header, records)) = whole else {
            return Err(BookFileError::content(&path, "not a journal of a book; move it away to go on without it"));
        };
        let checksum = u32::from_le_bytes([header[8], header[9], header[10], header[11]]);
        let mut found = Found { checksum, nodes: Vec::new(), damaged: 0 };
        // a kill may cut off the last record, and a power failure may leave zeros where the last ones had not reached the disc
        let written = records.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let (records, _) = records.as_chunks::<RECORD>();
        for (number, record) in records[..written.div_ceil(RECORD).min(records.len())].iter().enumerate() {
            match node_of(record) {
                Some(node) => found.nodes.push(node),
                None => found.damaged += usize::from((number + 1) * RECORD <= written),
            }
        }
        Ok(Some(found))
    }

    /// It holds nothing.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.damaged == 0
    }

    /// A book has what it holds: leaves too, as they were written last. Values depend on the rest of the book.
    fn is_in(&self, book: &Book) -> bool {
        let last: HashMap<Board, &Node> = self.nodes.iter().map(|node| (node.board, node)).collect();
        last.values().all(|node| {
            book.get(&node.board).is_some_and(|there| {
                (there.leaf(), there.leaf_level(), there.level) == (node.leaf(), node.leaf_level(), node.level)
            })
        })
    }

    /// The boards of its nodes, each once.
    fn boards(&self) -> HashSet<Board> {
        self.nodes.iter().map(|node| node.board).collect()
    }
}

/// The node of a record; `None` when the record is damaged.
fn node_of(record: &[u8; RECORD]) -> Option<Node> {
    let (node, crc) = record.split_first_chunk::<{ Node::BYTES }>()?;
    (crc32(node).to_le_bytes() == *crc).then(|| Node::from_bytes(node)).filter(|node| node.fault().is_none())
}

/// How many positions the journal beside the file of a book has for it, of a command that is running or was killed; 0 when there
/// is no journal, or none that fits the book. Nothing is changed.
pub fn journalled(path: &Path, book: &BookFile) -> usize {
    let journal = Found::read(path).ok().flatten().filter(|journal| journal.checksum == book.checksum());
    journal.map_or(0, |journal| journal.boards().len())
}

/// Enters what a killed run left in the journal.
pub(super) fn recover(path: &Path, checksum: u32, book: &mut Book) -> Result<Recovered, BookFileError> {
    let Some(journal) = Found::read(path)? else { return Ok(Recovered::default()) };
    let (boards, damaged) = (journal.boards(), journal.damaged);
    if journal.checksum != checksum {
        // the run was killed after it had put the book in place; what a damaged journal holds is kept, and was not all entered
        let is_entered =
            if damaged > 0 { boards.iter().all(|board| book.contains(board)) } else { journal.is_in(book) };
        if is_entered {
            return Ok(Recovered { positions: 0, damaged });
        }
        let problem = format!(
            "{} of a journal that belongs to another state of this book; move it away to go on without it",
            plural(boards.len() as u64, "position")
        );
        return Err(BookFileError::content(&journal_path(path), problem));
    }
    for node in &journal.nodes {
        if damaged == 0 || !has_lost_its_leaf(book, node, &boards) {
            book.put(*node);
        }
    }
    if damaged > 0 {
        // searched when moves that now lead out of the book led into it
        for board in &boards {
            let open = book.get(board).filter(|node| node.leaf() == Leaf::None && unknown_moves(book, *board) != 0);
            if let Some(mut node) = open.copied() {
                node.set_leaf(Leaf::Unknown, 0);
                book.put(node);
            }
        }
    }
    Ok(Recovered { positions: boards.len(), damaged })
}

/// The leaf of the node before led to a position that was to be in the book, and this one was searched without that move; but the
/// position is not there: its record is damaged. The node before still holds.
fn has_lost_its_leaf(book: &Book, node: &Node, boards: &HashSet<Board>) -> bool {
    let Some(Leaf::Move { square, .. }) = book.get(&node.board).map(Node::leaf) else { return false };
    let is_same = matches!(node.leaf(), Leaf::Move { square: new, .. } if new == square);
    // a damaged book may have a leaf that is not legal
    if is_same || node.board.legal_moves() & square.bit() == 0 {
        return false;
    }
    match Next::of(node.board, square) {
        Next::Over(_) => false,
        Next::Board { board, .. } => {
            let board = board.canonical();
            !boards.contains(&board) && !book.contains(&board)
        }
    }
}
