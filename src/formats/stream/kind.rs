//! Formats of game files.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::lines::is_remark;
use crate::formats::wthor::{HEADER_BYTES, Header};
use crate::formats::{fen, pgn, quote, without_mark};

/// A format of files of games or positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// WTHOR games, `.wtb`, with the names in `.jou` and `.trn` beside it.
    Wthor,
    /// GGF, `.ggf`.
    Ggf,
    /// SGF, `.sgf`.
    Sgf,
    /// Tags and numbered moves, `.pgn`: PlayOK's texts, Edax's files.
    Pgn,
    /// Moves, a game a line (`f5d6c3`), `.txt`; Othello Quest's texts with names above the moves.
    Text,
    /// Positions: 64 squares and the side to move, or OBF; `.obf`.
    Board,
    /// Positions as Edax takes them, `.fen`.
    Fen,
    /// Boards as the GGS server shows them, `.ggs`.
    Ggs,
}

impl FileKind {
    /// All formats.
    pub const ALL: [FileKind; 8] = [
        FileKind::Wthor,
        FileKind::Ggf,
        FileKind::Sgf,
        FileKind::Pgn,
        FileKind::Text,
        FileKind::Board,
        FileKind::Fen,
        FileKind::Ggs,
    ];

    /// The name of the format, which is the extension of its files except `wthor` and `board`.
    pub const fn name(self) -> &'static str {
        match self {
            FileKind::Wthor => "wthor",
            FileKind::Ggf => "ggf",
            FileKind::Sgf => "sgf",
            FileKind::Pgn => "pgn",
            FileKind::Text => "txt",
            FileKind::Board => "board",
            FileKind::Fen => "fen",
            FileKind::Ggs => "ggs",
        }
    }

    /// Holds positions, not games: of a game only one position is written.
    pub const fn is_position(self) -> bool {
        matches!(self, FileKind::Board | FileKind::Fen | FileKind::Ggs)
    }

    /// The format that a file's extension stands for.
    pub fn of_path(path: &Path) -> Option<FileKind> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "wtb" => Some(FileKind::Wthor),
            "obf" => Some(FileKind::Board),
            "wthor" | "board" => None,
            name => name.parse().ok(),
        }
    }

    /// The format that the beginning of a file looks like; lines of text when nothing else fits.
    pub fn of_content(bytes: &[u8]) -> FileKind {
        if bytes.contains(&0) && Header::parse(bytes).is_ok() {
            return FileKind::Wthor;
        }
        let text = String::from_utf8_lossy(bytes);
        let text = without_mark(&text).trim_start();
        // remarks further on may have brackets of other formats
        if pgn::looks_like(behind_remarks(text)) {
            return FileKind::Pgn;
        }
        let head = head(bytes);
        match bracket(&head) {
            Some(start) if is_ggf(&head[start..]) => FileKind::Ggf,
            Some(_) => FileKind::Sgf,
            None if fen::looks_like(text) => FileKind::Fen,
            None if text.starts_with('|') => FileKind::Ggs,
            None => FileKind::Text,
        }
    }
}

/// The first thing that is no remark is a bracket: a game of GGF, SGF or PGN.
pub(super) fn begins_with_tags(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    behind_remarks(without_mark(&text).trim_start()).starts_with(['(', '['])
}

/// What follows the lines of remarks that a text begins with.
fn behind_remarks(mut text: &str) -> &str {
    while is_remark(text) {
        text = text.split_once('\n').map_or("", |(_, rest)| rest.trim_start());
    }
    text
}

/// How far the formats with brackets are looked for, in bytes.
const HEAD: usize = 4096;

fn head(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).to_ascii_uppercase()
}

/// Tags, in capitals, that are GGF's and not SGF's: both name the game first, and where none is named a board is GGF's.
fn is_ggf(tags: &str) -> bool {
    match tags.split_once("GM[") {
        Some((_, game)) => game.trim_start().starts_with("OTHELLO"),
        None => tags.contains("BO["),
    }
}

/// Where a game of GGF or SGF begins.
fn bracket(head: &str) -> Option<usize> {
    head.find("(;").or_else(|| head.find('(').filter(|&i| head[i + 1..].trim_start().starts_with(';')))
}

/// So many bytes tell the format, or what of it can be told: a line that says anything is there to its end, or enough of a game in
/// brackets. A client that waits for the answer to a line is not kept waiting for more.
pub(in crate::formats) fn is_enough(bytes: &[u8]) -> bool {
    // of WTHOR's header, no text has such bytes
    if bytes.iter().take(HEADER_BYTES).any(|&byte| byte < b' ' && !byte.is_ascii_whitespace()) {
        return bytes.len() >= HEADER_BYTES;
    }
    let text = String::from_utf8_lossy(bytes);
    let text = without_mark(&text).trim_start();
    let whole_lines = text.rfind('\n').map_or("", |end| &text[..end]);
    let has_line = whole_lines.lines().map(str::trim).any(|line| !line.is_empty() && !is_remark(line));
    if text.starts_with('[') && (!has_line || pgn::looks_like(text)) {
        return has_line;
    }
    let head = head(bytes);
    match bracket(&head) {
        _ if bytes.len() >= HEAD => true,
        // the tag that tells SGF from GGF, or the end of a game without it
        Some(start) => {
            let tags = &head[start..];
            let game = tags.find("GM[").is_some_and(|at| tags[at..].contains(']'));
            game || tags.contains("BO[") || tags.contains(')')
        }
        None => has_line && !head.trim_end().ends_with('('),
    }
}

/// The name of no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is no format (wthor, ggf, sgf, pgn, txt, board, fen, ggs)", quote(.0))]
pub struct KindError(String);

impl FromStr for FileKind {
    type Err = KindError;

    fn from_str(text: &str) -> Result<FileKind, KindError> {
        let named = FileKind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(text));
        named.ok_or_else(|| KindError(text.to_string()))
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
