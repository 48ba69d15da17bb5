//! Our own file of a book: a header of 32 bytes and 25 bytes for each position, sorted, so that a mapped file is searched as
//! it lies. All numbers are little-endian.
//!
//! | bytes | header |
//! |---|---|
//! | 0..8 | `OUTFBOOK` |
//! | 8..10 | version: 1 |
//! | 10..14 | level, midgame error, endcut error, largest ply of [`Settings`] |
//! | 14..16 | 0 |
//! | 16..24 | number of positions |
//! | 24..28 | CRC-32 of the positions |
//! | 28..32 | CRC-32 of the header before it |
//!
//! | bytes | position |
//! |---|---|
//! | 0..16 | discs of the side to move and of the other one, canonical |
//! | 16..19 | value, lower and upper bound in discs |
//! | 19 | level of the search it came with |
//! | 20..23 | leaf: square (65 none, 255 not searched), score, level |
//! | 23 | origin (3 bits), value exact (bit 3) |
//! | 24 | 0 |
//!
//! Emptiest boards come first, then smaller discs of the side to move, then of the other side.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

#[cfg(not(target_family = "wasm"))]
use memmap2::Mmap;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, IntoParallelRefMutIterator,
    ParallelIterator,
};

use super::node::{self, Node};
use super::store::{Book, Nodes, Settings};
use crate::board::Board;
use crate::checksum::crc32;
use crate::formats::atomic::{AtomicFile, BOOK as MAGIC};
use crate::formats::bounded::begins_with;
use crate::formats::quantity::plural;
use crate::workers;

const VERSION: u16 = 1;
const HEADER: usize = 32;
/// Positions that are looked at before they are entered.
const BLOCK: usize = 1 << 16;

/// Why a file is no book that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookFileError {
    /// It cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is something else, or damaged.
    #[error("{path}: {problem}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        problem: String,
    },
    /// Another process, or another [`Shelf`](super::Shelf) of this one, is changing it.
    #[error("{0} is in use: something is changing this book already")]
    Locked(PathBuf),
}

impl BookFileError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> BookFileError + '_ {
        |source| BookFileError::Io { path: path.to_path_buf(), source }
    }

    pub(crate) fn content(path: &Path, problem: impl Into<String>) -> BookFileError {
        BookFileError::Content { path: path.to_path_buf(), problem: problem.into() }
    }
}

/// Refuses what is there and no plain file, before it is opened: to open a pipe may wait for its other end.
pub(super) fn check_is_plain(path: &Path) -> Result<(), BookFileError> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(BookFileError::content(path, "not a plain file")),
        _ => Ok(()),
    }
}

/// The bytes of a file: mapped, or part of the program.
enum Bytes {
    #[cfg(not(target_family = "wasm"))]
    Mapped(Mmap),
    /// Read into memory, where files cannot be mapped.
    #[cfg(target_family = "wasm")]
    Owned(Vec<u8>),
    Static(&'static [u8]),
}

/// A book in a file, searched where it lies: opening it costs the same whatever its size.
pub struct BookFile {
    bytes: Bytes,
    settings: Settings,
    count: usize,
    crc: u32,
}

impl std::fmt::Debug for BookFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BookFile").field("settings", &self.settings).field("count", &self.count).finish()
    }
}

impl BookFile {
    /// Maps a book. Its header and size are checked; the positions are when they are read as a whole ([`BookFile::check`]).
    ///
    /// # Errors
    /// The file cannot be read, or is no book of ours.
    pub fn open(path: &Path) -> Result<BookFile, BookFileError> {
        check_is_plain(path)?;
        let file = File::open(path).map_err(BookFileError::io(path))?;
        let bytes = Bytes::of_file(file).map_err(BookFileError::io(path))?;
        BookFile::new(bytes).map_err(|problem| BookFileError::content(path, problem))
    }

    /// A book that is part of the program.
    ///
    /// # Errors
    /// What is wrong with its header or size.
    pub fn from_static(bytes: &'static [u8]) -> Result<BookFile, String> {
        BookFile::new(Bytes::Static(bytes))
    }

    fn new(bytes: Bytes) -> Result<BookFile, String> {
        let header = Header::parse(bytes.get())?;
        Ok(BookFile { bytes, settings: header.settings, count: header.count, crc: header.crc })
    }

    /// The node at a place of the order.
    ///
    /// # Panics
    /// Beyond the last one.
    pub fn node(&self, at: usize) -> Node {
        Node::from_bytes(self.record(at))
    }

    fn record(&self, at: usize) -> &[u8; Node::BYTES] {
        let start = HEADER + at * Node::BYTES;
        self.bytes.get()[start..start + Node::BYTES].try_into().expect("25 bytes")
    }

    /// Checksum of the positions: two books are the same when it is.
    pub fn checksum(&self) -> u32 {
        self.crc
    }

    /// Checks the checksum alone, which a damaged file has wrong: all of it is read, 250 MB of ten million positions in a tenth of a
    /// second.
    ///
    /// # Errors
    /// It is wrong.
    pub fn check_sum(&self) -> Result<(), String> {
        match crc32(&self.bytes.get()[HEADER..]) == self.crc {
            true => Ok(()),
            false => Err("the checksum is wrong: the file is damaged".to_string()),
        }
    }

    /// Checks everything that can be checked without the moves: checksum, order, and each node alone.
    ///
    /// # Errors
    /// The first fault.
    pub fn check(&self) -> Result<(), String> {
        self.check_sum()?;
        let fault = |at: usize| {
            let node = self.node(at);
            let out_of_order = || (at > 0 && self.node(at - 1).key() >= node.key()).then_some("out of order");
            node.fault().or_else(out_of_order).map(|fault| format!("position {}: {fault}", at + 1))
        };
        workers::ready();
        (0..self.count).into_par_iter().find_map_first(fault).map_or(Ok(()), Err)
    }

    /// The whole book in memory.
    ///
    /// # Errors
    /// Those of [`BookFile::check`].
    pub fn load(&self) -> Result<Book, String> {
        self.check()?;
        let mut book = Book::new(self.settings);
        book.reserve(self.count);
        let hash = book.hasher();
        workers::ready();
        for begin in (0..self.count).step_by(BLOCK) {
            let places = begin..self.count.min(begin + BLOCK);
            let hashed = |at: usize| {
                let node = self.node(at);
                (hash(&node.board), node)
            };
            // hashed on all threads, entered in their order
            let block: Vec<(u64, Node)> = places.into_par_iter().map(hashed).collect();
            for (hash, node) in block {
                book.add(hash, node);
            }
        }
        Ok(book)
    }
}

impl Nodes for BookFile {
    fn find(&self, canonical: &Board) -> Option<Node> {
        let wanted = node::key(canonical);
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = usize::midpoint(low, high);
            match node::key(&node::board_of(self.record(middle))).cmp(&wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                // only a damaged file has others, and a mapped one is not read as a whole before it is used
                std::cmp::Ordering::Equal => return Some(self.node(middle)).filter(Node::is_in_range),
            }
        }
        None
    }

    fn count(&self) -> usize {
        self.count
    }

    fn settings(&self) -> Settings {
        self.settings
    }
}

impl Bytes {
    #[cfg(not(target_family = "wasm"))]
    fn of_file(file: File) -> io::Result<Bytes> {
        // SAFETY: books are replaced by renaming, never written in place, by this program; where another one does, the bytes
        // read are checked like any others (boards, squares and scores out of range are no moves).
        Ok(Bytes::Mapped(unsafe { Mmap::map(&file) }?))
    }

    #[cfg(target_family = "wasm")]
    fn of_file(mut file: File) -> io::Result<Bytes> {
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut file, &mut bytes)?;
        Ok(Bytes::Owned(bytes))
    }

    fn get(&self) -> &[u8] {
        match self {
            #[cfg(not(target_family = "wasm"))]
            Bytes::Mapped(map) => map,
            #[cfg(target_family = "wasm")]
            Bytes::Owned(bytes) => bytes,
            Bytes::Static(bytes) => bytes,
        }
    }
}

struct Header {
    settings: Settings,
    count: usize,
    crc: u32,
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<Header, String> {
        if !bytes.starts_with(MAGIC) {
            return Err(
                "not a book of Outflank (import books of other programs with `outflank book import`)".to_string()
            );
        }
        let header: &[u8; HEADER] = bytes
            .first_chunk()
            .ok_or(format!("the file ends within its header, after {}", plural(bytes.len() as u64, "byte")))?;
        let u16_at = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let u32_at = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
        if u16_at(8) != VERSION {
            return Err(format!("version {} of the format; this program reads version {VERSION}", u16_at(8)));
        }
        if crc32(&header[..28]) != u32_at(28) {
            return Err("the header's checksum is wrong: the file is damaged".to_string());
        }
        let count = u64::from_le_bytes(header[16..24].try_into().expect("eight bytes"));
        let size = (bytes.len() - HEADER) as u64;
        if count.checked_mul(Node::BYTES as u64) != Some(size) {
            let positions = plural(count, "position");
            return Err(format!("the size of {positions} is not {}: the file is damaged", plural(size, "byte")));
        }
        let settings =
            Settings { level: header[10], midgame_error: header[11], endcut_error: header[12], max_ply: header[13] };
        check_settings(settings)?;
        Ok(Header { settings, count: count as usize, crc: u32_at(24) })
    }

    fn to_bytes(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(MAGIC);
        header[8..10].copy_from_slice(&VERSION.to_le_bytes());
        let Settings { level, midgame_error, endcut_error, max_ply } = self.settings;
        header[10..14].copy_from_slice(&[level, midgame_error, endcut_error, max_ply]);
        header[16..24].copy_from_slice(&(self.count as u64).to_le_bytes());
        header[24..28].copy_from_slice(&self.crc.to_le_bytes());
        let crc = crc32(&header[..28]);
        header[28..].copy_from_slice(&crc.to_le_bytes());
        header
    }
}

/// Refuses settings that no book has.
fn check_settings(settings: Settings) -> Result<(), &'static str> {
    let Settings { level, midgame_error, endcut_error, .. } = settings;
    let is_possible = level <= 60 && midgame_error <= 64 && endcut_error <= 64;
    if is_possible { Ok(()) } else { Err("a level above 60 or an error above 64 discs") }
}

/// The refusal of a node with which the book could not be opened again.
pub(super) fn impossible(path: &Path, fault: &str) -> BookFileError {
    BookFileError::content(path, format!("a position that no book can hold: {fault}"))
}

/// A book as the bytes of a file.
pub fn to_bytes(book: &Book) -> Vec<u8> {
    let nodes = book.sorted();
    let mut bytes = vec![0; HEADER + nodes.len() * Node::BYTES];
    let (records, _) = bytes[HEADER..].as_chunks_mut::<{ Node::BYTES }>();
    workers::ready();
    records.par_iter_mut().zip(&nodes).for_each(|(record, node)| *record = node.to_bytes());
    let header = Header { settings: book.settings, count: nodes.len(), crc: crc32(&bytes[HEADER..]) };
    bytes[..HEADER].copy_from_slice(&header.to_bytes());
    bytes
}

/// Writes a book, whole or not at all; its checksum.
///
/// # Errors
/// The file cannot be written, or the book has settings or a node with which it could not be opened again.
pub fn save(book: &Book, path: &Path) -> Result<u32, BookFileError> {
    save_after(book, path, || Ok(()))
}

/// [`save`]; the book takes its place only after `ready`, which is called when all of it is on the disc.
pub(super) fn save_after(
    book: &Book,
    path: &Path,
    ready: impl FnOnce() -> Result<(), BookFileError>,
) -> Result<u32, BookFileError> {
    check_settings(book.settings).map_err(|problem| BookFileError::content(path, problem))?;
    workers::ready();
    let fault = book.nodes().par_iter().find_map_first(Node::fault);
    fault.map_or(Ok(()), |fault| Err(impossible(path, fault)))?;
    let bytes = to_bytes(book);
    let write = || -> io::Result<AtomicFile> {
        let mut file = AtomicFile::create(path)?;
        let mut out = BufWriter::new(&mut file);
        out.write_all(&bytes)?;
        out.flush()?;
        drop(out);
        file.sync()?;
        Ok(file)
    };
    let file = write().map_err(BookFileError::io(path))?;
    ready()?;
    file.commit().map_err(BookFileError::io(path))?;
    Ok(u32::from_le_bytes(bytes[24..28].try_into().expect("four bytes")))
}

/// The file begins as a book of ours does.
///
/// # Errors
/// Those of opening and reading.
pub fn is_ours(path: &Path) -> io::Result<bool> {
    begins_with(path, MAGIC)
}

#[cfg(test)]
mod tests {
    use super::super::node::{Leaf, Origin};
    use super::*;
    use crate::board::Squares;

    fn book() -> Book {
        let mut boards = vec![Board::START.canonical()];
        for at in 0..300 {
            let board: Board = boards[at];
            boards.extend(Squares(board.legal_moves()).map(|square| board.play(square).unwrap().canonical()));
        }
        let nodes = boards.iter().filter(|board| board.legal_moves() != 0).enumerate().map(|(n, board)| {
            let mut node = Node::new(*board, Origin::Outflank);
            node.set_leaf(
                Leaf::Move { square: Squares(board.legal_moves()).next().unwrap(), score: (n % 9) as i8 },
                16,
            );
            node
        });
        let mut book: Book = nodes.collect();
        book.settings.level = 17;
        book
    }

    fn leak(bytes: Vec<u8>) -> Result<BookFile, String> {
        BookFile::from_static(bytes.leak())
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.book");
        let book = book();
        let crc = save(&book, &path).unwrap();
        let file = BookFile::open(&path).unwrap();
        assert_eq!((file.count(), file.checksum(), file.settings()), (book.len(), crc, book.settings));
        assert!(book.nodes().iter().all(|node| file.find(&node.board) == Some(*node)));
        assert_eq!(file.find(&Board { player: 1, opponent: 2 }), None);
        assert_eq!(file.find(&Board { player: u64::MAX, opponent: 0 }), None);
        assert_eq!(to_bytes(&file.load().unwrap()), to_bytes(&book));
        assert!(is_ours(&path).unwrap());
    }

    #[test]
    fn what_could_not_be_opened_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("b.book");
        let wrong = [
            Settings { level: 61, ..Settings::default() },
            Settings { midgame_error: 65, ..Settings::default() },
            Settings { endcut_error: 65, ..Settings::default() },
        ];
        for settings in wrong {
            let error = save(&Book::new(settings), &path).unwrap_err().to_string();
            assert!(error.ends_with("b.book: a level above 60 or an error above 64 discs"), "{error}");
            assert!(!path.exists());
        }
        save(&Book::new(Settings { level: 60, midgame_error: 64, endcut_error: 64, max_ply: 255 }), &path).unwrap();
        BookFile::open(&path).unwrap().load().unwrap();
    }

    #[test]
    fn damage_is_told() {
        let good = to_bytes(&book());
        let error = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            match leak(bytes) {
                Err(problem) => problem,
                Ok(file) => file.load().map(|_| String::new()).unwrap_or_else(|problem| problem),
            }
        };
        assert_eq!(error(&|_| {}), "");
        assert!(error(&|bytes| bytes[0] = b'X').contains("not a book"));
        assert!(error(&|bytes| bytes.truncate(20)).contains("within its header"));
        assert!(error(&|bytes| bytes.truncate(bytes.len() - 1)).contains("the size of "));
        assert!(error(&|bytes| bytes.extend([0; 25])).contains("the size of "));
        assert!(error(&|bytes| bytes[8] = 9).contains("version 9"));
        assert!(error(&|bytes| bytes[11] = 9).contains("header's checksum"));
        assert!(error(&|bytes| bytes[40] ^= 1).contains("checksum is wrong"));
    }

    #[test]
    fn every_byte_counts() {
        let good = to_bytes(&book());
        for at in (0..good.len()).step_by(7) {
            let mut bytes = good.clone();
            bytes[at] ^= 0x10;
            let found = leak(bytes).and_then(|file| file.load().map(|_| ()));
            assert!(found.is_err(), "byte {at}");
        }
    }
}
