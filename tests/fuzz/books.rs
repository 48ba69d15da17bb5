//! Books of our own format and their journals: damaged ones, also such whose checksums are right.

use std::fs;
use std::path::Path;

use flate2::Crc;
use outflank::board::Board;
use outflank::book::negamax::negamax;
use outflank::book::probe::{line, probe_board};
use outflank::book::shelf::create_empty;
use outflank::book::verify::{FaultKind, faults};
use outflank::book::{Book, BookFile, Nodes, Settings, Shelf};

/// Bytes of a book's header, of a journal's, and of a position with its checksum.
const HEADER: usize = 32;
const JOURNAL: usize = 16;
const RECORD: usize = 29;

fn crc(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

/// What a book that could be read must be.
fn is_sound(mut book: Book) -> usize {
    let impossible = faults(&book).into_iter().find(|fault| matches!(fault.kind, FaultKind::Node(_)));
    assert_eq!(impossible, None);
    negamax(&mut book, |_| {});
    book.len()
}

/// Reads a book as it is, and with checksums that fit what is in it: then the rest is looked at too.
pub fn read_book(bytes: &[u8], path: &Path, asked: &[Board]) -> usize {
    let mut signed = bytes.to_vec();
    if bytes.len() >= HEADER {
        let body = crc(&bytes[HEADER..]);
        signed[24..28].copy_from_slice(&body);
        let header = crc(&signed[..28]);
        signed[28..HEADER].copy_from_slice(&header);
    }
    let mut understood = 0;
    for bytes in [bytes, &signed] {
        fs::write(path, bytes).unwrap();
        let file = match BookFile::open(path) {
            Ok(file) => file,
            Err(error) => {
                assert!(!error.to_string().contains('\n'), "{error}");
                continue;
            }
        };
        // who plays from a book does not read it as a whole first
        for board in asked {
            let known = probe_board(&file, *board).map(|known| known.moves).unwrap_or_default();
            assert!(known.iter().all(|mv| board.play(mv.square).is_some() && (-64..=64).contains(&mv.score)));
            line(&file, *board);
        }
        if let Ok(book) = file.load() {
            assert_eq!(book.len(), file.count());
            understood = is_sound(book);
        }
    }
    understood
}

/// The journal of a run that was killed when it had put these nodes into an empty book at `path`.
pub fn journal(book: &Book, path: &Path) -> Vec<u8> {
    let _ = fs::remove_file(path);
    let mut shelf = create_empty(path, Settings::default()).unwrap();
    book.nodes().iter().take(20).for_each(|node| _ = shelf.put(*node).unwrap());
    drop(shelf);
    fs::read(path.with_extension("book.journal")).unwrap()
}

/// Opens the empty book of [`journal`] with another journal, whose checksums are made to fit.
pub fn read_journal(bytes: &[u8], path: &Path) -> usize {
    let mut signed = bytes.to_vec();
    if bytes.len() >= JOURNAL {
        let book = fs::read(path).unwrap();
        signed[8..12].copy_from_slice(&book[24..28]);
        let header = crc(&signed[..12]);
        signed[12..JOURNAL].copy_from_slice(&header);
        for record in signed[JOURNAL..].chunks_exact_mut(RECORD) {
            let sum = crc(&record[..25]);
            record[25..].copy_from_slice(&sum);
        }
    }
    let empty = fs::read(path).unwrap();
    let name = path.with_extension("book.journal");
    fs::write(&name, &signed).unwrap();
    let understood = match Shelf::open(path) {
        Ok(shelf) => is_sound(shelf.book().clone()),
        Err(error) => {
            assert!(!error.to_string().contains('\n') && fs::read(&name).unwrap() == signed, "{error}");
            0
        }
    };
    fs::write(path, empty).unwrap();
    understood
}
