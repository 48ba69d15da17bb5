//! A book that is being changed: locked against other writers, with a journal of what is new and one backup.
//!
//! Beside `NAME` there are, while it is open, `NAME.lock` and `NAME.journal`; `NAME.bak` is the book as it was before the last
//! [`Shelf::save`]. Whatever ends the program, the book is the old or the new one, whole, and what the journal holds is found
//! again by the next [`Shelf::open`]: at most the searches in flight are lost. Records of a journal that are damaged are left out
//! alone; the journal is kept as `NAME.journal.damaged` then. Of a book that is opened by a symbolic link, `NAME` is the file
//! that the link leads to.

mod beside;
mod journal;
mod lock;

#[cfg(test)]
mod tests;

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use self::beside::{beside, file_of};
use self::journal::{Found, Journal, recover};
use self::lock::Lock;
use super::file::{self, BookFile, BookFileError};
use super::negamax::negamax;
use super::node::Node;
use super::store::{Book, Settings};

pub use beside::{damaged_journal_path, files_beside, journal_path};
pub use journal::{Recovered, journalled};

/// A book in memory, its file, lock and journal.
#[derive(Debug)]
pub struct Shelf {
    /// No symbolic link.
    path: PathBuf,
    book: Book,
    journal: Journal,
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
        check_is_new(path)?;
        // the book is gone, what was found for it is not
        if Found::read(&at)?.is_some_and(|found| !found.is_empty()) {
            let problem = format!(
                "positions of a book {} that is gone; put that book back, or move this file away",
                path.display()
            );
            return Err(BookFileError::content(&journal_path(&at), problem));
        }
        let checksum = file::save(&book, &at)?;
        let journal = Journal::begin(&at, checksum)?;
        Ok(Shelf { path: at, book, journal, recovered: Recovered::default(), fresh: 0, _lock: lock })
    }

    /// Opens a book to change it, with what a killed run left in its journal.
    ///
    /// # Errors
    /// The file cannot be read or written, is no book of ours or damaged, something else is changing it, or the journal belongs
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
        let journal = Journal::begin(&at, checksum)?;
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
    /// The journal cannot be written, or the node is impossible ([`Node::fault`]): the book could not be opened again.
    pub fn put(&mut self, node: Node) -> Result<bool, BookFileError> {
        node.fault().map_or(Ok(()), |fault| Err(file::impossible(&self.path, fault)))?;
        self.journal.put(&node)?;
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
        self.journal.sync()
    }

    /// Puts the book in the place of its file, which becomes the backup, and begins a new journal.
    ///
    /// # Errors
    /// Those of [`file::save`]; the old file and its backup are still there then.
    pub fn save(&mut self) -> Result<(), BookFileError> {
        let checksum = put_in_place(&self.path, &self.book)?;
        self.journal = Journal::begin(&self.path, checksum)?;
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

/// The old file becomes the backup, the book the file; nothing is touched before the new file is on the disc.
fn put_in_place(path: &Path, book: &Book) -> Result<u32, BookFileError> {
    let backup = beside(path, ".bak");
    let keep = || -> io::Result<()> {
        let temporary = beside(path, ".bak.tmp");
        let _ = fs::remove_file(&temporary);
        // a second name for the same bytes, or a copy where there are no such names
        match fs::hard_link(path, &temporary).or_else(|_| fs::copy(path, &temporary).map(|_| ())) {
            // somebody has removed it: what is in memory is all that there is of the book
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            kept => kept.and_then(|()| fs::rename(&temporary, &backup)),
        }
    };
    file::save_after(book, path, || keep().map_err(BookFileError::io(&backup)))
}

/// Checks that a new book would not take the place of a file, as [`Shelf::create`] does: before the work for the book.
///
/// # Errors
/// There is a file of that name.
pub fn check_is_new(path: &Path) -> Result<(), BookFileError> {
    match path.exists() {
        true => Err(BookFileError::content(path, "there is a file of that name; it is not overwritten")),
        false => Ok(()),
    }
}

/// An empty book in a file of its own: [`Shelf::create`] of nothing.
///
/// # Errors
/// Those of [`Shelf::create`].
pub fn create_empty(path: &Path, settings: Settings) -> Result<Shelf, BookFileError> {
    Shelf::create(path, Book::new(settings))
}
