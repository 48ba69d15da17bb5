//! The lock that one process at a time has.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::beside::beside;
use crate::book::file::{BookFileError, check_is_plain};
use crate::formats::atomic;

/// The right to change a book, held by a locked file beside it.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Locks the book of this file; messages call it `name`.
    pub fn take(book: &Path, name: &Path) -> Result<Lock, BookFileError> {
        let path = beside(book, ".lock");
        check_is_plain(&path)?;
        loop {
            let open = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
            let file = open.map_err(|error| match error.kind() {
                // there is no such folder: no book either
                ErrorKind::NotFound | ErrorKind::NotADirectory => BookFileError::io(name)(error),
                _ => BookFileError::io(&path)(error),
            })?;
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
