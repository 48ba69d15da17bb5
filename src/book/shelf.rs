//! A book that is being changed: locked against other writers, with a journal of what is new and one backup.
//!
//! Beside `NAME` there are, while it is open, `NAME.lock` and `NAME.journal`; `NAME.bak` is the book as it was before the last
//! [`Shelf::save`]. Whatever ends the program, the book is the old or the new one, whole, and what the journal holds is found
//! again by the next [`Shelf::open`]: at most the searches in flight are lost.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::file::{self, BookFile, BookFileError};
use super::negamax::negamax;
use super::node::Node;
use super::store::{Book, Settings};
use crate::formats::atomic;

const MAGIC: &[u8; 8] = b"OUTFBKJ1";
/// Magic, checksum of the book that the journal belongs to, checksum of both.
const HEADER: usize = 16;
/// A node and its checksum.
const RECORD: usize = Node::BYTES + 4;

/// A book in memory, its file, lock and journal.
#[derive(Debug)]
pub struct Shelf {
    path: PathBuf,
    book: Book,
    journal: File,
    recovered: usize,
    /// Nodes journalled since the last save.
    fresh: usize,
    // removed and released last
    _lock: Lock,
}

impl Shelf {
    /// A new, empty book; its file is written at once.
    ///
    /// # Errors
    /// There is a file of that name, or it cannot be written.
    pub fn create(path: &Path, book: Book) -> Result<Shelf, BookFileError> {
        let lock = Lock::take(path)?;
        if path.exists() {
            return Err(BookFileError::content(path, "there is a file of that name; it is not overwritten"));
        }
        let checksum = file::save(&book, path)?;
        let journal = begin_journal(path, checksum)?;
        Ok(Shelf { path: path.to_path_buf(), book, journal, recovered: 0, fresh: 0, _lock: lock })
    }

    /// Opens a book to change it, with what a killed run left in its journal.
    ///
    /// # Errors
    /// The file cannot be read, is no book of ours or damaged, another process is changing it, or the journal belongs to
    /// another book.
    pub fn open(path: &Path) -> Result<Shelf, BookFileError> {
        let lock = Lock::take(path)?;
        let file = BookFile::open(path)?;
        let mut book = file.load().map_err(|problem| BookFileError::content(path, problem))?;
        let mut checksum = file.checksum();
        drop(file);
        let recovered = recover(path, checksum, &mut book)?;
        if recovered > 0 {
            negamax(&mut book, |_| {});
            // what was found stays in the old journal until the book has it
            checksum = put_in_place(path, &book)?;
        }
        let journal = begin_journal(path, checksum)?;
        Ok(Shelf { path: path.to_path_buf(), book, journal, recovered, fresh: 0, _lock: lock })
    }

    /// The book.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// Positions that were found in the journal of a killed run.
    pub fn recovered(&self) -> usize {
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
        let crc = file::crc_of(&record[..Node::BYTES]);
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
    /// Those of the file system; the old file is still there then.
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

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(ending);
    path.with_file_name(name)
}

fn journal_path(path: &Path) -> PathBuf {
    beside(path, ".journal")
}

/// The old file becomes the backup, the book the file.
fn put_in_place(path: &Path, book: &Book) -> Result<u32, BookFileError> {
    let backup = beside(path, ".bak");
    let keep = || -> io::Result<()> {
        let temporary = beside(path, ".bak.tmp");
        let _ = fs::remove_file(&temporary);
        // a second name for the same bytes, or a copy where there are no such names
        fs::hard_link(path, &temporary).or_else(|_| fs::copy(path, &temporary).map(|_| ()))?;
        fs::rename(&temporary, &backup)
    };
    keep().map_err(BookFileError::io(&backup))?;
    file::save(book, path)
}

/// A new journal, in the place of the old one.
fn begin_journal(path: &Path, checksum: u32) -> Result<File, BookFileError> {
    let path = journal_path(path);
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&checksum.to_le_bytes());
    let crc = file::crc_of(&header[..12]);
    header[12..].copy_from_slice(&crc.to_le_bytes());
    let begin = || -> io::Result<File> {
        let mut out = atomic::AtomicFile::create(&path)?;
        out.write_all(&header)?;
        out.commit()?;
        OpenOptions::new().append(true).open(&path)
    };
    begin().map_err(BookFileError::io(&path))
}

/// Enters what a killed run left in the journal; the number of records.
fn recover(path: &Path, checksum: u32, book: &mut Book) -> Result<usize, BookFileError> {
    let path = journal_path(path);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(BookFileError::io(&path)(error)),
    };
    let whole = bytes
        .first_chunk::<HEADER>()
        .filter(|header| header.starts_with(MAGIC) && header[12..] == file::crc_of(&header[..12]).to_le_bytes());
    let Some(header) = whole else {
        return Err(BookFileError::content(&path, "not a journal of a book; move it away to go on without it"));
    };
    // the last record may be cut off
    let records = bytes[HEADER..].chunks_exact(RECORD).map_while(|record| {
        let (node, crc) = record.split_first_chunk::<{ Node::BYTES }>()?;
        (file::crc_of(node).to_le_bytes() == *crc).then(|| Node::from_bytes(node))
    });
    let nodes: Vec<Node> = records.filter(|node| node.fault().is_none()).collect();
    if header[8..12] == checksum.to_le_bytes() {
        for node in &nodes {
            book.put(*node);
        }
        return Ok(nodes.len());
    }
    // the run was killed after it had put the book in place
    if nodes.iter().all(|node| book.contains(&node.board)) {
        return Ok(0);
    }
    let problem = format!(
        "{} positions of a journal that belongs to another state of this book; move it away to go on without them",
        nodes.len()
    );
    Err(BookFileError::content(&path, problem))
}

/// The right to change a book, held by a locked file beside it.
#[derive(Debug)]
struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    fn take(book: &Path) -> Result<Lock, BookFileError> {
        let path = beside(book, ".lock");
        loop {
            let open = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
            let file = open.map_err(BookFileError::io(&path))?;
            match file.try_lock() {
                // the one before may have removed it between our opening and our locking
                Ok(()) if !atomic::is_at(&file, &path) => {}
                Ok(()) => return Ok(Lock { file, path }),
                Err(TryLockError::WouldBlock) => return Err(BookFileError::Locked(book.to_path_buf())),
                // a file system without locks
                Err(TryLockError::Error(_)) => return Ok(Lock { file, path }),
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
        assert_eq!((shelf.book().len(), shelf.recovered()), (2, 2));
        assert_eq!(shelf.book().get(&Board::START).unwrap().value, 1, "values are set anew");
        drop(shelf);
        assert!(!journal.exists() && !beside(&path, ".lock").exists());
        assert_eq!(BookFile::open(&path).unwrap().count(), 2);
        assert_eq!(Shelf::open(&path).unwrap().recovered(), 0);
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
        fs::write(journal_path(&path), &old).unwrap();
        fs::remove_file(&path).unwrap();
        drop(Shelf::create(&path, Book::new(Settings { level: 3, ..Settings::default() })).unwrap());
        let mut foreign = old.clone();
        foreign[8] ^= 1;
        let crc = file::crc_of(&foreign[..12]);
        foreign[12..16].copy_from_slice(&crc.to_le_bytes());
        fs::write(journal_path(&path), &foreign).unwrap();
        assert!(Shelf::open(&path).unwrap_err().to_string().contains("another state"));
        fs::write(journal_path(&path), b"something else").unwrap();
        assert!(Shelf::open(&path).unwrap_err().to_string().contains("not a journal"));
        assert!(journal_path(&path).exists());
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

    #[test]
    fn the_book_before_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.book");
        let mut shelf = create_empty(&path, Settings::default()).unwrap();
        for board in [Board::START, f5()] {
            shelf.put(node(board, 0)).unwrap();
            shelf.save().unwrap();
        }
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
