//! A book that is being changed: locked against other writers, with a journal of what is new and one backup.
//!
//! Beside `NAME` there are, while it is open, `NAME.lock` and `NAME.journal`; `NAME.bak` is the book as it was before the last
//! [`Shelf::save`]. Whatever ends the program, the book is the old or the new one, whole, and what the journal holds is found
//! again by the next [`Shelf::open`]: at most the searches in flight are lost. Records of a journal that are damaged are left out
//! alone; the journal is kept as `NAME.journal.damaged` then. Of a book that is opened by a symbolic link, `NAME` is the file
//! that the link leads to.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::file::{self, BookFile, BookFileError};
use super::graph::{Next, unknown_moves};
use super::negamax::negamax;
use super::node::{Leaf, Node};
use super::store::{Book, Settings};
use crate::board::Board;
use crate::checksum::crc32;
use crate::formats::atomic;
use crate::formats::quantity::plural;

const MAGIC: &[u8; 8] = b"OUTFBKJ1";
/// Magic, checksum of the book that the journal belongs to, checksum of both.
const HEADER: usize = 16;
/// A node and its checksum.
const RECORD: usize = Node::BYTES + 4;

/// What was found in the journal of a killed run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Positions: one that was journalled again counts once.
    pub positions: usize,
    /// Damaged records, which were left out.
    pub damaged: usize,
}

/// A book in memory, its file, lock and journal.
#[derive(Debug)]
pub struct Shelf {
    /// No symbolic link.
    path: PathBuf,
    book: Book,
    journal: File,
    recovered: Recovered,
    /// Nodes journalled since the last save.
    fresh: usize,
    // removed and released last
    _lock: Lock,
}

impl Shelf {
    /// A new, empty book; its file is written at once.
    ///
    /// # Errors
    /// There is a file of that name, or a journal with positions of a book of that name, or it cannot be written.
    pub fn create(path: &Path, book: Book) -> Result<Shelf, BookFileError> {
        let at = file_of(path);
        let lock = Lock::take(&at, path)?;
        if path.exists() {
            return Err(BookFileError::content(path, "there is a file of that name; it is not overwritten"));
        }
        // the book is gone, what was found for it is not
        if Journal::read(&at)?.is_some_and(|journal| !journal.nodes.is_empty() || journal.damaged > 0) {
            let problem = format!(
                "positions of a book {} that is gone; put that book back, or move this file away",
                path.display()
            );
            return Err(BookFileError::content(&journal_path(&at), problem));
        }
        let checksum = file::save(&book, &at)?;
        let journal = begin_journal(&at, checksum)?;
        Ok(Shelf { path: at, book, journal, recovered: Recovered::default(), fresh: 0, _lock: lock })
    }

    /// Opens a book to change it, with what a killed run left in its journal.
    ///
    /// # Errors
    /// The file cannot be read or written, is no book of ours or damaged, another process is changing it, or the journal belongs
    /// to another book.
    pub fn open(path: &Path) -> Result<Shelf, BookFileError> {
        let at = file_of(path);
        let lock = Lock::take(&at, path)?;
        let file = BookFile::open(path)?;
        let mut book = file.load().map_err(|problem| BookFileError::content(path, problem))?;
        let mut checksum = file.checksum();
        drop(file);
        // a file that may not be written is not replaced: better said now than after the searches
        OpenOptions::new().write(true).open(path).map_err(BookFileError::io(path))?;
        let recovered = recover(&at, checksum, &mut book)?;
        if recovered.positions > 0 {
            negamax(&mut book, |_| {});
            // what was found stays in the old journal until the book has it
            checksum = put_in_place(&at, &book)?;
        }
        if recovered.damaged > 0 {
            let (journal, aside) = (journal_path(&at), damaged_journal_path(&at));
            fs::rename(&journal, &aside).map_err(BookFileError::io(&aside))?;
        }
        let journal = begin_journal(&at, checksum)?;
        Ok(Shelf { path: at, book, journal, recovered, fresh: 0, _lock: lock })
    }

    /// The book.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// What was found in the journal of a killed run when the book was opened.
    pub fn recovered(&self) -> Recovered {
        self.recovered
    }

    /// Positions entered since the book was opened or saved.
    pub fn fresh(&self) -> usize {
        self.fresh
    }

    /// Enters a node: into the book, and into the journal.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn put(&mut self, node: Node) -> Result<bool, BookFileError> {
        let mut record = [0; RECORD];
        record[..Node::BYTES].copy_from_slice(&node.to_bytes());
        let crc = crc32(&record[..Node::BYTES]);
        record[Node::BYTES..].copy_from_slice(&crc.to_le_bytes());
        self.journal.write_all(&record).map_err(BookFileError::io(&journal_path(&self.path)))?;
        self.fresh += 1;
        Ok(self.book.put(node))
    }

    /// Changes that only the next [`Shelf::save`] keeps.
    pub fn edit(&mut self) -> &mut Book {
        &mut self.book
    }

    /// Puts what the journal holds on the disc, so that not even a power failure loses it.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn sync(&mut self) -> Result<(), BookFileError> {
        self.journal.sync_data().map_err(BookFileError::io(&journal_path(&self.path)))
    }

    /// Puts the book in the place of its file, which becomes the backup, and begins a new journal.
    ///
    /// # Errors
    /// Those of the file system; the old file and its backup are still there then.
    pub fn save(&mut self) -> Result<(), BookFileError> {
        let checksum = put_in_place(&self.path, &self.book)?;
        self.journal = begin_journal(&self.path, checksum)?;
        self.fresh = 0;
        Ok(())
    }
}

impl Drop for Shelf {
    /// An empty journal says nothing.
    fn drop(&mut self) {
        if self.fresh == 0 {
            let _ = fs::remove_file(journal_path(&self.path));
        }
    }
}

/// The file itself, which may be known by a symbolic link: all its names have one lock, one journal and one backup.
fn file_of(path: &Path) -> PathBuf {
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    if is_link { atomic::behind_links(path) } else { path.to_path_buf() }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    atomic::beside(&file_of(path), ending)
}

/// The journal of the book at this path.
pub fn journal_path(path: &Path) -> PathBuf {
    beside(path, ".journal")
}

/// Where [`Shelf::open`] keeps a journal of the book at this path that has damaged records.
pub fn damaged_journal_path(path: &Path) -> PathBuf {
    beside(path, ".journal.damaged")
}

/// How many positions the journal beside the file of a book has for it, of a command that is running or was killed; 0 when there
/// is no journal, or none that fits the book. Nothing is changed.
pub fn journalled(path: &Path, book: &BookFile) -> usize {
    let journal = Journal::read(path).ok().flatten().filter(|journal| journal.checksum == book.checksum());
    journal.map_or(0, |journal| journal.boards().len())
}

/// The old file becomes the backup, the book the file; nothing is touched before the new file is on the disc.
fn put_in_place(path: &Path, book: &Book) -> Result<u32, BookFileError> {
    let backup = beside(path, ".bak");
    let keep = || -> io::Result<()> {
        let temporary = beside(path, ".bak.tmp");
        let _ = fs::remove_file(&temporary);
        // a second name for the same bytes, or a copy where there are no such names
        fs::hard_link(path, &temporary).or_else(|_| fs::copy(path, &temporary).map(|_| ()))?;
        fs::rename(&temporary, &backup)
    };
    file::save_after(book, path, || keep().map_err(BookFileError::io(&backup)))
}

/// A new journal, in the place of the old one.
fn begin_journal(path: &Path, checksum: u32) -> Result<File, BookFileError> {
    let path = journal_path(path);
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&checksum.to_le_bytes());
    let crc = crc32(&header[..12]);
    header[12..].copy_from_slice(&crc.to_le_bytes());
    let begin = || -> io::Result<File> {
        let mut out = atomic::AtomicFile::create(&path)?;
        out.write_all(&header)?;
        out.commit()?;
        OpenOptions::new().append(true).open(&path)
    };
    begin().map_err(BookFileError::io(&path))
}

/// What a journal holds.
struct Journal {
    /// Checksum of the book that it belongs to.
    checksum: u32,
    /// In the order in which they were written; a node may be there more than once.
    nodes: Vec<Node>,
    /// Records that are damaged.
    damaged: usize,
}

impl Journal {
    /// Reads the journal of a book, if there is one.
    fn read(book: &Path) -> Result<Option<Journal>, BookFileError> {
        let path = journal_path(book);
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
        let mut journal = Journal { checksum, nodes: Vec::new(), damaged: 0 };
        // a kill may cut off the last record, and a power failure may leave zeros where the last ones had not reached the disc
        let written = records.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let (records, _) = records.as_chunks::<RECORD>();
        for (number, record) in records[..written.div_ceil(RECORD).min(records.len())].iter().enumerate() {
            match node_of(record) {
                Some(node) => journal.nodes.push(node),
                None => journal.damaged += usize::from((number + 1) * RECORD <= written),
            }
        }
        Ok(Some(journal))
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

/// Enters what a killed run left in the journal.
fn recover(path: &Path, checksum: u32, book: &mut Book) -> Result<Recovered, BookFileError> {
    let Some(journal) = Journal::read(path)? else { return Ok(Recovered::default()) };
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

/// The right to change a book, held by a locked file beside it.
#[derive(Debug)]
struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Locks the book of this file; messages call it `name`.
    fn take(book: &Path, name: &Path) -> Result<Lock, BookFileError> {
        let path = beside(book, ".lock");
        loop {
            let open = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
            let file = open.map_err(BookFileError::io(&path))?;
            if !atomic::try_lock(&file, &path) {
                return Err(BookFileError::Locked(name.to_path_buf()));
            }
            // the one before may have removed it between our opening and our locking
            if atomic::is_at(&file, &path) {
                return Ok(Lock { file, path });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
        let _ = self.file.unlock();
    }
}

/// An empty book in a file of its own: [`Shelf::create`] of nothing.
///
/// # Errors
/// Those of [`Shelf::create`].
pub fn create_empty(path: &Path, settings: Settings) -> Result<Shelf, BookFileError> {
    Shelf::create(path, Book::new(settings))
}

#[cfg(test)]
mod tests {
    use super::super::node::{Leaf, Origin};
    use super::super::store::Nodes;
    use super::*;
    use crate::board::{Board, Squares};

    fn node(board: Board, score: i8) -> Node {
        let mut node = Node::new(board.canonical(), Origin::Outflank);
        let square = Squares(board.canonical().legal_moves()).next().unwrap();
        node.set_leaf(Leaf::Move { square, score }, 16);
        node
    }

    fn f5() -> Board {
        Board::START.play("f5".parse().unwrap()).unwrap()
    }

    #[test]
    fn a_killed_run_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        let mut shelf = create_empty(&path, Settings::default()).unwrap();
        shelf.put(node(Board::START, 0)).unwrap();
        shelf.put(node(f5(), -1)).unwrap();
        // as a kill leaves it: no save, no clean-up
        let (journal, half) = (journal_path(&path), 7);
        drop(shelf);
        assert!(journal.exists());
        let mut bytes = fs::read(&journal).unwrap();
        bytes.extend([1; RECORD - 1][..half].iter());
        fs::write(&journal, &bytes).unwrap();
        assert_eq!(BookFile::open(&path).unwrap().count(), 0);
        let shelf = Shelf::open(&path).unwrap();
        assert_eq!((shelf.book().len(), shelf.recovered()), (2, Recovered { positions: 2, damaged: 0 }));
        assert_eq!(shelf.book().get(&Board::START).unwrap().value, 1, "values are set anew");
        drop(shelf);
        assert!(!journal.exists() && !beside(&path, ".lock").exists());
        assert_eq!(BookFile::open(&path).unwrap().count(), 2);
        assert_eq!(Shelf::open(&path).unwrap().recovered(), Recovered::default());
    }

    #[test]
    fn a_kill_between_saving_and_a_new_journal_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        let mut shelf = create_empty(&path, Settings::default()).unwrap();
        shelf.put(node(f5(), 1)).unwrap();
        let old = fs::read(journal_path(&path)).unwrap();
        shelf.save().unwrap();
        drop(shelf);
        fs::write(journal_path(&path), &old).unwrap();
        assert_eq!(Shelf::open(&path).unwrap().book().len(), 1);
        // but what belongs to another book is not thrown away
        fs::remove_file(&path).unwrap();
        drop(Shelf::create(&path, Book::new(Settings { level: 3, ..Settings::default() })).unwrap());
        let mut foreign = old.clone();
        foreign[8] ^= 1;
        let crc = crc32(&foreign[..12]);
        foreign[12..16].copy_from_slice(&crc.to_le_bytes());
        fs::write(journal_path(&path), &foreign).unwrap();
        assert!(Shelf::open(&path).unwrap_err().to_string().contains(" 1 position of a journal"));
        fs::write(journal_path(&path), b"something else").unwrap();
        assert!(Shelf::open(&path).unwrap_err().to_string().contains("not a journal"));
        assert!(journal_path(&path).exists());
    }

    /// Journals nodes and stops as a kill does; the bytes of the journal.
    fn killed(path: &Path, nodes: &[Node]) -> Vec<u8> {
        let mut shelf = create_empty(path, Settings::default()).unwrap();
        for node in nodes {
            shelf.put(*node).unwrap();
        }
        drop(shelf);
        fs::read(journal_path(path)).unwrap()
    }

    #[test]
    fn damaged_records_are_left_out_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        let d6 = f5().play("d6".parse().unwrap()).unwrap();
        // the start is journalled again: it is one position
        let nodes = [node(Board::START, 0), node(f5(), 1), node(d6, 2), node(Board::START, 3)];
        let good = killed(&path, &nodes);
        let book = fs::read(&path).unwrap();
        for (bad, left) in [(0, 3), (1, 2), (2, 2), (3, 3)] {
            fs::write(&path, &book).unwrap();
            let mut bytes = good.clone();
            bytes[HEADER + bad * RECORD + 5] ^= 1;
            fs::write(journal_path(&path), &bytes).unwrap();
            let shelf = Shelf::open(&path).unwrap();
            let found = (shelf.book().len(), shelf.recovered());
            assert_eq!(found, (left, Recovered { positions: left, damaged: 1 }), "record {bad}");
            drop(shelf);
            assert_eq!(fs::read(damaged_journal_path(&path)).unwrap(), bytes, "it is kept");
            assert!(!journal_path(&path).exists());
        }
        // what a power failure leaves of records that had not reached the disc is no damage
        fs::write(&path, &book).unwrap();
        fs::write(journal_path(&path), [&good[..good.len() - 3], &[0; 3 * RECORD]].concat()).unwrap();
        let shelf = Shelf::open(&path).unwrap();
        assert_eq!(shelf.recovered(), Recovered { positions: 3, damaged: 0 });
    }

    #[test]
    fn a_node_is_as_before_when_the_position_behind_its_leaf_is_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        let with = |board: Board, square: &str, score: i8| {
            let mut node = node(board, 0);
            let symmetry = board.canonical_by().1;
            let square = crate::board::transform_square(square.parse().unwrap(), symmetry);
            node.set_leaf(Leaf::Move { square, score }, 16);
            node
        };
        // as growth does it: the position behind the leaf, then the leaf of the node anew
        let d6 = f5().play("d6".parse().unwrap()).unwrap();
        let before = with(f5(), "d6", 4);
        let mut bytes = killed(&path, &[before, with(d6, "c3", -4), with(f5(), "f6", 1)]);
        bytes[HEADER + RECORD + 20] ^= 0x40;
        fs::write(journal_path(&path), &bytes).unwrap();
        let shelf = Shelf::open(&path).unwrap();
        assert_eq!(shelf.recovered(), Recovered { positions: 1, damaged: 1 });
        let f5 = shelf.book().get(&f5().canonical()).unwrap();
        assert_eq!((f5.leaf(), f5.value), (before.leaf(), 4), "not the next best move");
        drop(shelf);
        fs::remove_file(&path).unwrap();
        // the start knew that f5 is in the book, and does not any more
        let mut start = node(Board::START, 0);
        start.set_leaf(Leaf::None, 16);
        let mut bytes = killed(&path, &[before, start]);
        bytes[HEADER + 1] ^= 1;
        fs::write(journal_path(&path), &bytes).unwrap();
        let shelf = Shelf::open(&path).unwrap();
        assert_eq!(shelf.book().get(&Board::START).unwrap().leaf(), Leaf::Unknown);
    }

    #[test]
    fn journals_are_seen_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        killed(&path, &[node(Board::START, 0), node(f5(), 1), node(Board::START, 2)]);
        let file = BookFile::open(&path).unwrap();
        assert_eq!((journalled(&path, &file), file.count()), (2, 0));
        assert_eq!(journalled(&folder.path().join("other.book"), &file), 0);
        // the book goes, its journal does not
        let journal = fs::read(journal_path(&path)).unwrap();
        fs::remove_file(&path).unwrap();
        let problem = create_empty(&path, Settings::default()).unwrap_err().to_string();
        assert!(problem.contains("my.book.journal") && problem.contains("is gone"), "{problem}");
        assert!(!path.exists() && fs::read(journal_path(&path)).unwrap() == journal);
        // one without positions is nothing to keep
        fs::write(journal_path(&path), &journal[..HEADER + 7]).unwrap();
        drop(create_empty(&path, Settings::default()).unwrap());
        assert!(path.exists() && !journal_path(&path).exists());
    }

    #[test]
    fn there_is_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        let shelf = create_empty(&path, Settings::default()).unwrap();
        assert!(matches!(Shelf::open(&path), Err(BookFileError::Locked(_))));
        drop(shelf);
        assert!(Shelf::open(&path).is_ok());
        assert!(create_empty(&path, Settings::default()).unwrap_err().to_string().contains("not overwritten"));
    }

    #[cfg(unix)]
    #[test]
    fn a_book_and_its_links_are_one() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("my.book"), folder.path().join("link.book"));
        let mut shelf = create_empty(&path, Settings::default()).unwrap();
        std::os::unix::fs::symlink("my.book", &link).unwrap();
        let problem = Shelf::open(&link).unwrap_err();
        assert!(matches!(&problem, BookFileError::Locked(name) if *name == link), "{problem}");
        shelf.put(node(Board::START, 0)).unwrap();
        assert_eq!(journalled(&link, &BookFile::open(&link).unwrap()), 1);
        shelf.save().unwrap();
        drop(shelf);
        let mut shelf = Shelf::open(&link).unwrap();
        for board in [f5(), f5().play("d6".parse().unwrap()).unwrap()] {
            shelf.put(node(board, 0)).unwrap();
            shelf.save().unwrap();
        }
        drop(shelf);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let backup = beside(&path, ".bak");
        assert!(fs::symlink_metadata(&backup).unwrap().is_file());
        assert_eq!(BookFile::open(&backup).unwrap().count(), 2);
        assert_eq!(BookFile::open(&path).unwrap().count(), 3);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "book, link and backup");
    }

    /// A book of two positions, with one of one position behind it.
    fn saved_twice(path: &Path) -> Shelf {
        let mut shelf = create_empty(path, Settings::default()).unwrap();
        for board in [Board::START, f5()] {
            shelf.put(node(board, 0)).unwrap();
            shelf.save().unwrap();
        }
        shelf
    }

    #[cfg(unix)]
    #[test]
    fn a_save_that_fails_leaves_the_backup() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        let mut shelf = saved_twice(&path);
        // a socket has a second name like any file, but cannot be opened
        fs::remove_file(&path).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(shelf.save().is_err());
        assert_eq!(BookFile::open(&beside(&path, ".bak")).unwrap().count(), 1);
    }

    #[test]
    fn a_journal_of_leaves_that_are_not_in_the_book_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        let mut shelf = create_empty(&path, Settings::default()).unwrap();
        shelf.put(node(f5(), 1)).unwrap();
        shelf.save().unwrap();
        let mut deeper = *shelf.book().get(&f5().canonical()).unwrap();
        deeper.set_leaf(deeper.leaf(), 20);
        shelf.put(deeper).unwrap();
        let journal = fs::read(journal_path(&path)).unwrap();
        shelf.save().unwrap();
        drop(shelf);
        // after the save the book has them
        let mut foreign = journal.clone();
        foreign[8] ^= 1;
        let crc = crc32(&foreign[..12]);
        foreign[12..16].copy_from_slice(&crc.to_le_bytes());
        fs::write(journal_path(&path), &foreign).unwrap();
        drop(Shelf::open(&path).unwrap());
        // put back what was before
        fs::copy(beside(&path, ".bak"), &path).unwrap();
        fs::write(journal_path(&path), &foreign).unwrap();
        assert!(Shelf::open(&path).unwrap_err().to_string().contains("another state"));
        assert_eq!(fs::read(journal_path(&path)).unwrap(), foreign);
    }

    #[test]
    fn the_book_before_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        let _shelf = saved_twice(&path);
        assert_eq!(BookFile::open(&beside(&path, ".bak")).unwrap().count(), 1);
        assert_eq!(BookFile::open(&path).unwrap().count(), 2);
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 4, "book, backup, lock, journal: {left:?}");
    }

    #[test]
    fn strange_files_stay_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        fs::write(&path, b"precious").unwrap();
        assert!(Shelf::open(&path).unwrap_err().to_string().contains("not a book"));
        assert_eq!(fs::read(&path).unwrap(), b"precious");
    }
}
