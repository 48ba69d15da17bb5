//! The files beside a book.

use std::fs;
use std::path::{Path, PathBuf};

use crate::formats::atomic;

/// The file itself, which may be known by a symbolic link: all its names have one lock, one journal and one backup.
pub(super) fn file_of(path: &Path) -> PathBuf {
    let is_link = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
    if is_link { atomic::behind_links(path) } else { path.to_path_buf() }
}

/// The file of this ending beside a book.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    atomic::beside(&file_of(path), ending)
}

/// The endings of what commands that change a book write beside it.
const ENDINGS: [&str; 5] = [".bak", ".bak.tmp", ".journal", ".journal.damaged", ".lock"];

/// What commands that change the book at this path write beside it, and nothing else should.
pub fn files_beside(path: &Path) -> impl Iterator<Item = PathBuf> {
    ENDINGS.into_iter().map(|ending| beside(path, ending))
}

/// The journal of the book at this path.
pub fn journal_path(path: &Path) -> PathBuf {
    beside(path, ".journal")
}

/// Where [`Shelf::open`](super::Shelf::open) keeps a journal of the book at this path that has damaged records.
pub fn damaged_journal_path(path: &Path) -> PathBuf {
    beside(path, ".journal.damaged")
}
