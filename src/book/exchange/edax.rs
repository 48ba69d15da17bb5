//! Edax's binary books, version 4.
//!
//! A header of 42 bytes, then records of `42 + 2 * links` bytes: the discs of the mover and of its opponent, four counts, value
//! and bounds, the moves that lead into the book with their scores, and the best one that does not (the leaf). Edax stores
//! positions in which the side to move must pass, with one link, square 64.

use std::collections::BTreeMap;

use rayon::slice::ParallelSliceMut;

use super::intake::{self, Intake, Seen};
use super::report::{ImportError, Place, Problem, Warning};
use super::{ExportError, Exported, Format};
use crate::board::{Board, Square, transform_square};
use crate::book::graph::{Known, outward};
use crate::book::leaf::is_unsearched;
use crate::book::negamax::{Counts, counts};
use crate::book::node::{self, Leaf, Node, Origin};
use crate::book::store::{Book, Settings};
use crate::book::sweep::{all, select};
use crate::formats::calendar::{DAY, date};
use crate::workers;

/// What the files begin with: two words of four letters, each reversed.
pub(super) const MAGIC: &[u8; 8] = b"XADEKOOB";
const VERSION: u8 = 4;
/// The release of Edax that we say has written a file; Edax does not look at it.
const RELEASE: u8 = 6;
const HEADER: usize = 42;
/// Bytes of a record without its links.
const RECORD: usize = 42;
/// Squares that are none.
const PASS: u8 = 64;
const NONE: u8 = 65;
/// A score that is not known, of either sign.
const UNKNOWN: i8 = 127;
/// Records that are made before they are written.
const BLOCK: usize = 1 << 16;

/// The moment in the header of a file, as the caller's clock has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// Such as 2025.
    pub year: i16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
}

impl Date {
    /// The moment (UTC) this many seconds after the beginning of 1970.
    pub fn of_unix(seconds: u64) -> Date {
        let (days, rest) = (seconds / DAY, seconds % DAY);
        let (year, month, day) = date(days);
        Date {
            year: i16::try_from(year).unwrap_or(i16::MAX),
            month,
            day,
            hour: (rest / 3600) as u8,
            minute: (rest / 60 % 60) as u8,
            second: (rest % 60) as u8,
        }
    }
}

/// Reads a book; its values are those of the file.
pub(super) fn read(bytes: &[u8]) -> Result<Intake, ImportError> {
    let (settings, said) = header(bytes)?;
    let mut intake = Intake::new(settings);
    let most = (bytes.len() - HEADER) / RECORD;
    intake.book.reserve(usize::try_from(said).unwrap_or(0).min(most));
    let mut found: i64 = 0;
    let mut last = Place::Byte(0);
    for record in Records::new(bytes) {
        let record = record?;
        record.take(&mut intake).map_err(|problem| problem.at(record.place))?;
        (found, last) = (found + 1, record.place);
    }
    // Edax reads to the end whatever its header says, and so it does not notice when the end is missing
    if i64::from(said) > found {
        return Err(Problem::Count { said: said.into(), found: found as u64 }.at(Place::Byte(bytes.len())));
    }
    for _ in i64::from(said.max(0))..found {
        intake.warn(Warning::Count, last);
    }
    for record in Records::new(bytes) {
        record?.find_lost_links(&mut intake);
    }
    Ok(intake)
}

/// Settings, and the number of positions that a header announces.
fn header(bytes: &[u8]) -> Result<(Settings, i32), ImportError> {
    if !bytes.starts_with(MAGIC) {
        return Err(Problem::Magic(Format::Edax).at(Place::Byte(0)));
    }
    if let Some(&found) = bytes.get(8)
        && found != VERSION
    {
        return Err(Problem::Version { found, known: VERSION }.at(Place::Byte(8)));
    }
    let Some(header) = bytes.first_chunk::<HEADER>() else {
        return Err(Problem::Truncated.at(Place::Byte(bytes.len())));
    };
    let number = |at: usize| i32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
    let [level, empties, midgame, endcut] = [18, 22, 26, 30].map(number);
    let settings = Settings {
        level: level.clamp(0, 60) as u8,
        midgame_error: midgame.clamp(0, 64) as u8,
        endcut_error: endcut.clamp(0, 64) as u8,
        max_ply: 61i32.saturating_sub(empties).clamp(1, 60) as u8,
    };
    Ok((settings, number(38)))
}

/// A position of a file.
struct Record<'a> {
    place: Place,
    board: Board,
    value: i16,
    bounds: [i16; 2],
    level: u8,
    /// Score and square of each.
    links: &'a [[u8; 2]],
    leaf: [u8; 2],
}

/// The records of a file, until it ends or something is wrong.
struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    number: usize,
}

impl<'a> Records<'a> {
    fn new(bytes: &'a [u8]) -> Records<'a> {
        Records { bytes, at: HEADER, number: 0 }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Record<'a>, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = &self.bytes[self.at..];
        if bytes.is_empty() {
            return None;
        }
        self.number += 1;
        let place = Place::Record { number: self.number, byte: self.at };
        let links = bytes.get(38).map_or(0, |&count| usize::from(count));
        let Some(bytes) = bytes.get(..RECORD + 2 * links) else {
            self.at = self.bytes.len();
            return Some(Err(Problem::Truncated.at(place)));
        };
        self.at += bytes.len();
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        let short = |at: usize| i16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let (links, leaf) = bytes[40..].as_chunks::<2>().0.split_at(links);
        Some(Ok(Record {
            place,
            board: Board { player: word(0), opponent: word(8) },
            value: short(32),
            bounds: [short(34), short(36)],
            level: intake::level(bytes[39]),
            links,
            leaf: leaf[0],
        }))
    }
}

impl Record<'_> {
    /// Checks the record and adds it.
    fn take(&self, intake: &mut Intake) -> Result<(), Problem> {
        let admitted = intake.admit(self.board, self.place)?;
        let moves = self.board.legal_moves();
        let linked = self.linked(moves)?;
        let Some((canonical, symmetry)) = admitted else { return Ok(()) };
        let value = match intake::score(self.value.into()) {
            Some(value) => value,
            None if self.value.unsigned_abs() <= UNKNOWN as u16 => {
                intake.warn(Warning::NoValue, self.place);
                0
            }
            None => return Err(Problem::Value(self.value.into())),
        };
        let mut node = intake::node(canonical, Origin::Edax, value, self.level);
        let [lower, upper] = self.bounds.map(|bound| bound.clamp(-64, 64) as i8);
        (node.lower, node.upper) = (lower.min(value), upper.max(value));
        let leaf = match self.leaf(moves & !linked) {
            Some(Leaf::Move { square, score }) => Leaf::Move { square: transform_square(square, symmetry), score },
            Some(leaf) => leaf,
            None => {
                intake.warn(Warning::Leaf, self.place);
                Leaf::Unknown
            }
        };
        node.set_leaf(leaf, self.level);
        intake.put(node, self.place);
        Ok(())
    }

    /// The moves that lead into the book.
    fn linked(&self, moves: u64) -> Result<u64, Problem> {
        if self.links.len() > moves.count_ones().max(1) as usize {
            return Err(Problem::Moves { listed: self.links.len(), legal: moves.count_ones() });
        }
        let mut linked = 0;
        for &[_, square] in self.links {
            let Some(square) = Square::new(square) else {
                match (square, moves) {
                    (PASS, 0) => continue,
                    (PASS, _) => return Err(Problem::Pass),
                    _ => return Err(Problem::Square(square.into())),
                }
            };
            if moves & square.bit() == 0 {
                return Err(Problem::Illegal(square));
            }
            if linked & square.bit() != 0 {
                return Err(Problem::Twice(square));
            }
            linked |= square.bit();
        }
        Ok(linked)
    }

    /// The leaf, which must be one of these moves; `None` when it is something else.
    fn leaf(&self, allowed: u64) -> Option<Leaf> {
        let [score, square] = self.leaf;
        if square == NONE {
            return Some(Leaf::None);
        }
        let square = Square::new(square).filter(|square| allowed & square.bit() != 0)?;
        match score as i8 {
            -127 | UNKNOWN => Some(Leaf::Unknown),
            score => Some(Leaf::Move { square, score: intake::score(score.into())? }),
        }
    }

    /// Links whose positions the file does not have are moves out of the book: the best of them may be the leaf.
    fn find_lost_links(&self, intake: &mut Intake) {
        if self.board.legal_moves() == 0 {
            return;
        }
        let moves = self.links.iter().filter_map(|&[score, square]| Some((score as i8, Square::new(square)?)));
        let lost = moves.filter(|&(_, square)| !intake::leads_into(&intake.book, self.board, square));
        let Some((score, square)) = lost.max_by_key(|&(score, square)| (score, std::cmp::Reverse(square))) else {
            return;
        };
        intake.warn(Warning::Nowhere, self.place);
        let Ok(Seen::Position(canonical, symmetry)) = intake::seen(self.board) else { return };
        let Some(at) = intake.book.position(&canonical) else { return };
        let node = &mut intake.book.nodes_mut()[at];
        let is_better = match node.leaf() {
            Leaf::Move { score: other, .. } => score > other,
            Leaf::None => true,
            Leaf::Unknown => false,
        };
        if is_better && node.level == self.level && (-64..=64).contains(&score) {
            // the level is that of the position's own search: nobody has proven what came from behind the link
            let leaf = Leaf::Move { square: transform_square(square, symmetry), score };
            node.set_leaf(leaf, node.unproven_level(self.level));
        }
    }
}

/// Writes a book.
pub(super) fn write(book: &Book, date: Date) -> Result<Exported, ExportError> {
    let counts = counts(book);
    let places = places(book);
    let count = i32::try_from(places.len()).map_err(|_| ExportError::TooMany(places.len()))?;
    let mut bytes = header_bytes(&book.settings, date, count);
    let put_node = |bytes: &mut Vec<u8>, at: usize, known: &[Known]| {
        put_node(bytes, &book.nodes()[at], known, &counts[at]);
    };
    let put_pass = |bytes: &mut Vec<u8>, board, after: usize| {
        put_pass(bytes, board, &book.nodes()[after], &counts[after]);
    };
    let unsearched = put_all(book, &places, &mut bytes, put_node, put_pass);
    Ok(Exported { bytes, left_out: 0, unsearched, ambiguous: 0 })
}

/// A position of a book of Edax's.
pub(super) enum Entry {
    /// The node at this place.
    Node(usize),
    /// One whose side to move must pass, and the place of the node after that.
    Pass(usize),
}

/// The positions that the book is of to Edax, in the order of files.
pub(super) fn places(book: &Book) -> Vec<(Board, Entry)> {
    let nodes = book.nodes().iter().enumerate().map(|(at, node)| (node.board, Entry::Node(at)));
    let passes = passes(book).into_iter().map(|(board, after)| (board, Entry::Pass(after)));
    let mut places: Vec<(Board, Entry)> = nodes.chain(passes).collect();
    workers::ready();
    places.par_sort_unstable_by_key(|(board, _)| node::key(board));
    places
}

/// Puts what two functions make of all positions behind `bytes`; how many leaves are still to be searched. Nodes come with their
/// known moves.
pub(super) fn put_all(
    book: &Book,
    places: &[(Board, Entry)],
    bytes: &mut Vec<u8>,
    put_node: impl Fn(&mut Vec<u8>, usize, &[Known]) + Sync,
    put_pass: impl Fn(&mut Vec<u8>, Board, usize),
) -> usize {
    let mut unsearched = 0;
    for places in places.chunks(BLOCK) {
        // what is written of nodes is made on all threads, that of passes between them
        let node = |(_, entry): &(Board, Entry)| if let Entry::Node(at) = entry { Some(*at as u32) } else { None };
        let nodes: Vec<u32> = places.iter().filter_map(node).collect();
        let mut records = select(book, &nodes, |at, moves| {
            let mut bytes = Vec::new();
            put_node(&mut bytes, at, moves.known);
            Some((bytes, is_unsearched(&book.nodes()[at], moves)))
        })
        .into_iter();
        for (board, entry) in places {
            match entry {
                Entry::Node(_) => {
                    let (record, is_unsearched) = records.next().expect("one for each node");
                    bytes.extend(record);
                    unsearched += usize::from(is_unsearched);
                }
                Entry::Pass(after) => put_pass(bytes, *board, *after),
            }
        }
    }
    unsearched
}

/// The positions that moves of the book lead to and whose side to move must pass, by canonical board, with the place of the
/// node after the pass.
fn passes(book: &Book) -> BTreeMap<Board, usize> {
    let passes = select(book, &all(book), |at, moves| {
        let board = book.nodes()[at].board;
        let passed = moves.links().filter(|(known, _)| known.passed);
        let found: Vec<(Board, usize)> =
            passed.map(|(known, to)| (board.play(known.square).expect("a legal move").canonical(), to)).collect();
        (!found.is_empty()).then_some(found)
    });
    passes.into_iter().flatten().collect()
}

fn header_bytes(settings: &Settings, date: Date, count: i32) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend([VERSION, RELEASE]);
    bytes.extend(date.year.to_le_bytes());
    bytes.extend([date.month, date.day, date.hour, date.minute, date.second, 0]);
    let verbosity = 0;
    let empties = 61 - i32::from(settings.max_ply.clamp(1, 60));
    let errors = [settings.midgame_error, settings.endcut_error].map(i32::from);
    for number in [i32::from(settings.level), empties, errors[0], errors[1], verbosity, count] {
        bytes.extend(number.to_le_bytes());
    }
    bytes
}

/// The one level of a position that is written with this leaf: that of the search for it, if there was one. That of the node is the
/// highest of all that made it, and would promise of the leaf what no search has found.
pub(super) fn level(node: &Node, written: Leaf) -> u8 {
    match written {
        Leaf::Move { .. } if written == node.leaf() => node.leaf_level(),
        _ => node.level,
    }
}

fn put_node(bytes: &mut Vec<u8>, node: &Node, known: &[Known], counts: &Counts) {
    let mut links: Vec<(i8, u8)> =
        known.iter().filter(|mv| mv.node.is_some()).map(|mv| (mv.value, mv.square.index() as u8)).collect();
    links.sort_by_key(|&(score, square)| (-score, square));
    let written = outward(node.leaf(), known);
    let leaf = match written {
        Leaf::Move { square, score } => (score, square.index() as u8),
        Leaf::None | Leaf::Unknown => (-UNKNOWN, NONE),
    };
    put(bytes, node.board, counts, [node.value, node.lower, node.upper], level(node, written), &links, leaf);
}

/// A position whose side to move must pass, valued by the node after the pass.
fn put_pass(bytes: &mut Vec<u8>, board: Board, after: &Node, counts: &Counts) {
    let counts = Counts { wins: counts.losses, losses: counts.wins, ..*counts };
    let values = [-after.value, -after.upper, -after.lower];
    put(bytes, board, &counts, values, after.level, &[(-after.value, PASS)], (-UNKNOWN, NONE));
}

fn put(
    bytes: &mut Vec<u8>,
    board: Board,
    counts: &Counts,
    values: [i8; 3],
    level: u8,
    links: &[(i8, u8)],
    leaf: (i8, u8),
) {
    bytes.extend(board.player.to_le_bytes());
    bytes.extend(board.opponent.to_le_bytes());
    for count in [counts.wins, counts.draws, counts.losses, counts.lines] {
        bytes.extend(count.to_le_bytes());
    }
    for value in values {
        bytes.extend(i16::from(value).to_le_bytes());
    }
    // levels beyond Edax's (a human's word in Egaroucid's books) promise no search
    bytes.extend([links.len() as u8, if level > 60 { 0 } else { level }]);
    for &(score, square) in links.iter().chain([&leaf]) {
        bytes.extend([score as u8, square]);
    }
}
