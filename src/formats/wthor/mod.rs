//! WTHOR, the database of tournament games: games (`.wtb`), players (`.jou`) and tournaments (`.trn`).
//!
//! All three begin with a header of 16 bytes (little-endian): century, year, month and day of creation, number of
//! games (u32), number of names (u16), year of the games (u16), board size (0 means 8), kind, and the number of
//! empties at which the theoretical score was computed. A game is a record of 68 bytes, see [`WthorGame`]; a
//! player's name takes 20 bytes, a tournament's 26, in Latin-1, ended by a zero.
//!
//! A file is read at once and its games are views into it, so that all games of the database replay in well
//! under a second. 10x10 records hold 96 moves instead of 60 in the same coding; the format's description leaves
//! this to the reader and no such file was at hand to check it.

mod database;
mod game;
mod records;
mod table;
mod write;

pub use database::{Database, Names};
pub use game::{ReplayError, ReplayErrorKind, Replayed, Step, WthorGame};
pub use records::Records;
pub use write::{Losses, NotStorable, Writer};

use std::io;
use std::path::{Path, PathBuf};

use crate::formats::bounded;
use crate::formats::quantity::plural;
use crate::rules::RuleSet;

/// Size of the header that all files share.
pub(super) const HEADER_BYTES: usize = 16;
/// Bytes of a game's record before its moves.
const GAME_HEAD_BYTES: usize = 8;

/// How the remark begins that says a game's theoretical score, which only these files have a place for.
pub(super) const BEST_PLAY: &str = "with best play from ";

/// Why a file is not a WTHOR file.
#[derive(Debug, thiserror::Error)]
#[error("{}: {kind}", .path.display())]
pub struct WthorError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub kind: WthorErrorKind,
}

/// What is wrong with a WTHOR file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WthorErrorKind {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Shorter than a header.
    #[error("{0} bytes are too few for a WTHOR header (16 bytes)")]
    NoHeader(usize),
    /// The header's creation date is none, so this is some other kind of file.
    #[error("not a WTHOR file (month {month}, day {day} in the header)")]
    NotWthor {
        /// Month in the header.
        month: u8,
        /// Day in the header.
        day: u8,
    },
    /// Neither 8x8 (0 or 8) nor 10x10.
    #[error("board size {0} in the header (0, 8 and 10 are known)")]
    BoardSize(u8),
    /// Names and no games.
    #[error("this is a list of {} (.jou, .trn), which the games in .wtb files refer to", plural(*.0 as u64, "name"))]
    Names(u16),
    /// The file's length does not agree with the count in its header.
    #[error("{} file: the header announces {} ({expected} bytes), but the file has {}",
        if found < expected { "truncated" } else { "overlong" }, plural(*count as u64, what), plural(*found as u64, "byte"))]
    Length {
        /// Games or names in the header.
        count: usize,
        /// What is counted, one of them.
        what: &'static str,
        /// Length by the header, in bytes.
        expected: usize,
        /// Length of the file, in bytes.
        found: usize,
    },
}

/// The header of a WTHOR file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Date of the file: year, month, day.
    pub created: (u16, u8, u8),
    /// Number of games (of a `.wtb` file).
    pub games: u32,
    /// Number of names (of a `.jou` or `.trn` file).
    pub names: u16,
    /// Year in which the games were played.
    pub year: u16,
    /// Rows and columns of the board: 8 or 10.
    pub board_size: u8,
    /// The file holds solitaires (problems) instead of games.
    pub solitaires: bool,
    /// Number of empties at which the theoretical scores hold.
    pub theoretical_empties: u8,
}

impl Header {
    /// Reads the header of a file.
    ///
    /// # Errors
    /// [`WthorErrorKind`] when the file is too short or is no WTHOR file.
    pub fn parse(bytes: &[u8]) -> Result<Header, WthorErrorKind> {
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(WthorErrorKind::NoHeader(bytes.len()));
        };
        let (month, day) = (bytes[2], bytes[3]);
        if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
            return Err(WthorErrorKind::NotWthor { month, day });
        }
        let board_size = match bytes[12] {
            0 | 8 => 8,
            10 => 10,
            other => return Err(WthorErrorKind::BoardSize(other)),
        };
        Ok(Header {
            created: (bytes[0] as u16 * 100 + bytes[1] as u16, month, day),
            games: u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
            names: u16::from_le_bytes([bytes[8], bytes[9]]),
            year: u16::from_le_bytes([bytes[10], bytes[11]]),
            board_size,
            solitaires: bytes[13] == 1,
            theoretical_empties: bytes[14],
        })
    }

    /// The rules the games were played by: othello of the file's board size.
    ///
    /// # Panics
    /// When the size is none of a board (4 to 16), which [`Header::parse`] refuses.
    pub fn rules(&self) -> RuleSet {
        let size = self.board_size;
        RuleSet::othello().to_builder().size(size, size).build().expect("the header's size was checked")
    }

    /// Refuses the header of a list of names.
    fn check_games(&self) -> Result<(), WthorErrorKind> {
        if self.games == 0 && self.names > 0 { Err(WthorErrorKind::Names(self.names)) } else { Ok(()) }
    }

    /// Bytes of a game's record: 68 on 8x8.
    fn game_bytes(&self) -> usize {
        GAME_HEAD_BYTES + self.board_size as usize * self.board_size as usize - 4
    }
}

/// Checks that a file is as long as its header says.
fn check_length(bytes: &[u8], count: usize, size: usize, what: &'static str) -> Result<(), WthorErrorKind> {
    let expected = HEADER_BYTES + count * size;
    if bytes.len() == expected {
        return Ok(());
    }
    Err(WthorErrorKind::Length { count, what, expected, found: bytes.len() })
}

/// Reads a file and hands its bytes to a parser.
fn load<T>(path: &Path, parse: impl FnOnce(Vec<u8>) -> Result<T, WthorErrorKind>) -> Result<T, WthorError> {
    let result = bounded::read_file(path).map_err(WthorErrorKind::Io).and_then(parse);
    result.map_err(|kind| WthorError { path: path.to_path_buf(), kind })
}

/// A file of games (`.wtb`), in memory.
#[derive(Clone, Debug)]
pub struct WthorFile {
    header: Header,
    bytes: Vec<u8>,
}

impl WthorFile {
    /// Reads a file of games.
    ///
    /// # Errors
    /// [`WthorError`] when it cannot be read or is damaged.
    pub fn open(path: &Path) -> Result<WthorFile, WthorError> {
        load(path, WthorFile::from_bytes)
    }

    /// Makes a file of games from its bytes.
    ///
    /// # Errors
    /// [`WthorErrorKind`] when the header is wrong or does not agree with the length.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<WthorFile, WthorErrorKind> {
        let header = Header::parse(&bytes)?;
        header.check_games()?;
        check_length(&bytes, header.games as usize, header.game_bytes(), "game")?;
        Ok(WthorFile { header, bytes })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Number of games.
    pub fn len(&self) -> usize {
        self.header.games as usize
    }

    /// The file holds no game.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The game with this index, from 0.
    pub fn game(&self, index: usize) -> Option<WthorGame<'_>> {
        let size = self.header.game_bytes();
        let record = self.bytes[HEADER_BYTES..].get(index.checked_mul(size)?..)?.get(..size)?;
        Some(WthorGame::new(&self.header, record))
    }

    /// The games, in the file's order.
    pub fn games(&self) -> impl ExactSizeIterator<Item = WthorGame<'_>> + Clone {
        let records = self.bytes[HEADER_BYTES..].chunks_exact(self.header.game_bytes());
        records.map(|record| WthorGame::new(&self.header, record))
    }

    /// The rules the games were played by: othello of the file's board size.
    pub fn rules(&self) -> RuleSet {
        self.header.rules()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header of 12 May 2007 for games of 1977.
    pub(super) fn header(games: u32, names: u16, size: u8) -> Vec<u8> {
        let mut bytes = vec![20, 7, 5, 22];
        bytes.extend(games.to_le_bytes());
        bytes.extend(names.to_le_bytes());
        bytes.extend(1977u16.to_le_bytes());
        bytes.extend([size, 0, 24, 0]);
        bytes
    }

    #[test]
    fn headers() {
        let header = Header::parse(&header(12, 0, 0)).unwrap();
        assert_eq!((header.created, header.games, header.year), ((2007, 5, 22), 12, 1977));
        assert_eq!((header.board_size, header.solitaires, header.theoretical_empties), (8, false, 24));
        assert_eq!(header.game_bytes(), 68);
    }

    #[test]
    fn damaged_files() {
        let message = |bytes: Vec<u8>| WthorFile::from_bytes(bytes).unwrap_err().to_string();
        assert_eq!(message(vec![20; 15]), "15 bytes are too few for a WTHOR header (16 bytes)");
        assert_eq!(message(vec![0; 16]), "not a WTHOR file (month 0, day 0 in the header)");
        assert_eq!(message(header(0, 0, 9)), "board size 9 in the header (0, 8 and 10 are known)");
        let mut bytes = header(2, 0, 8);
        bytes.resize(16 + 68 + 10, 0);
        let counts = "the header announces 2 games (152 bytes), but the file has";
        assert_eq!(message(bytes.clone()), format!("truncated file: {counts} 94 bytes"));
        bytes.resize(16 + 3 * 68, 0);
        assert_eq!(message(bytes), format!("overlong file: {counts} 220 bytes"));
        let mut bytes = header(0, 2, 8);
        bytes.resize(16 + 2 * 20, 0);
        let names = "this is a list of 2 names (.jou, .trn), which the games in .wtb files refer to";
        assert_eq!(Records::new(&bytes[..]).unwrap_err().to_string(), names);
        assert_eq!(message(bytes), names);
        // a huge count must not overflow or allocate
        assert!(message(header(u32::MAX, 0, 10)).starts_with("truncated file"));
        let error = WthorFile::open(Path::new("no-such-file.wtb")).unwrap_err();
        assert!(error.to_string().starts_with("no-such-file.wtb: "));
    }

    #[test]
    fn games_by_index() {
        let mut bytes = header(3, 0, 8);
        bytes.resize(16 + 3 * 68, 0);
        bytes[16 + 68] = 7;
        let file = WthorFile::from_bytes(bytes).unwrap();
        assert_eq!((file.len(), file.is_empty(), file.games().len()), (3, false, 3));
        assert_eq!(file.game(1).unwrap().tournament(), 7);
        assert!(file.game(3).is_none());
        assert_eq!(file.rules(), RuleSet::othello());
    }
}
