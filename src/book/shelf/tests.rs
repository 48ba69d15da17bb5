//! Of the shelf, its journal and its lock.

use super::journal::{HEADER, RECORD};
use super::*;
use crate::board::{Board, Squares};
use crate::book::node::{Leaf, Origin};
use crate::book::store::Nodes;
use crate::checksum::crc32;

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

/// The book that is there is worth more than one that nobody could open.
#[test]
fn impossible_nodes_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.book");
    let mut shelf = create_empty(&path, Settings::default()).unwrap();
    shelf.put(node(Board::START, 0)).unwrap();
    shelf.save().unwrap();
    let finished = Node::new(Board { player: u64::MAX, opponent: 0 }, Origin::Outflank);
    let refused = |result: Result<(), BookFileError>| {
        let error = result.unwrap_err().to_string();
        assert!(error.ends_with("my.book: a position that no book can hold: the side to move has no move"), "{error}");
    };
    refused(shelf.put(finished).map(drop));
    assert_eq!((shelf.book().len(), shelf.fresh()), (1, 0));
    shelf.edit().put(finished);
    refused(shelf.save());
    drop(shelf);
    let shelf = Shelf::open(&path).unwrap();
    assert_eq!((shelf.book().len(), shelf.recovered()), (1, Recovered::default()));
}

#[test]
fn a_book_that_was_removed_meanwhile_is_saved_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my.book");
    let mut shelf = create_empty(&path, Settings::default()).unwrap();
    shelf.put(node(Board::START, 0)).unwrap();
    fs::remove_file(&path).unwrap();
    shelf.save().unwrap();
    drop(shelf);
    assert_eq!(Shelf::open(&path).unwrap().book().len(), 1);
    assert!(!beside(&path, ".bak").exists(), "there was nothing to keep");
}
