//! Egaroucid's books: `.egbk3` read and written, the older `.egbk2` read.
//!
//! A header of 14 bytes (the program's name backwards, version, number of positions), then 25 bytes a position: the discs of the
//! mover and of its opponent, value, level, number of lines, and value, move and level of the leaf. An older record has instead
//! of what is behind the level a number of moves and the value and square of each.
//!
//! Egaroucid names the squares from the other end (bit 63 is a1), which is one of the eight symmetries: the canonical boards and
//! the numbers of the squares are the same as ours.
//!
//! A leaf whose level is undefined has never been searched, whatever it says: here it is unknown, and is written with the
//! sentinels for that. Level 0 stands for "undefined" both ways.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::iter::ParallelIterator;
use rayon::slice::{ParallelSlice, ParallelSliceMut};

use super::intake::{self, Intake, Seen};
use super::report::{ImportError, Place, Problem, Warning};
use super::{ExportError, Exported, Format};
use crate::board::{Board, Square, transform_square};
use crate::book::graph::outward;
use crate::book::leaf::is_unsearched;
use crate::book::node::{Leaf, Node, Origin};
use crate::book::store::{Book, Settings};
use crate::book::sweep::{all, gather, select};
use crate::workers;

const MAGIC: &[u8; 9] = b"DICUORAGE";
/// As the published description has it.
const FORWARDS: &[u8; 9] = b"EGAROUCID";
const HEADER: usize = 14;
const RECORD: usize = 25;
/// What an undefined or absent leaf has for a value, and for a move.
const NO_VALUE: u8 = -126i8 as u8;
const NO_MOVE: u8 = 65;
const UNDEFINED_MOVE: u8 = 125;
const UNDEFINED_LEVEL: u8 = 0xFF;
/// Counts of lines end here.
const MOST_LINES: u32 = 4_000_000_000;
/// Records that are looked at before they are entered; fewer in tests, so that they need more than one block.
const BLOCK: usize = if cfg!(test) { 100 } else { 1 << 16 };

/// The version of a file of Egaroucid's.
pub(super) fn version(bytes: &[u8]) -> Option<u8> {
    (bytes.starts_with(MAGIC) || bytes.starts_with(FORWARDS)).then(|| bytes.get(9).copied().unwrap_or(3))
}

/// Reads a book; its values are those of the file.
pub(super) fn read(bytes: &[u8], format: Format) -> Result<Intake, ImportError> {
    let known = if format == Format::Egbk2 { 2 } else { 3 };
    match version(bytes) {
        None => return Err(Problem::Magic(format).at(Place::Byte(0))),
        Some(found) if found != known => return Err(Problem::Version { found, known }.at(Place::Byte(9))),
        Some(_) => {}
    }
    let Some(header) = bytes.first_chunk::<HEADER>() else {
        return Err(Problem::Truncated.at(Place::Byte(bytes.len())));
    };
    let said = i32::from_le_bytes([header[10], header[11], header[12], header[13]]);
    if known == 2 { read_2(bytes, said) } else { read_3(bytes, said) }
}

fn read_3(bytes: &[u8], said: i32) -> Result<Intake, ImportError> {
    let (records, rest) = bytes[HEADER..].as_chunks::<RECORD>();
    if !rest.is_empty() {
        let place = Place::Record { number: records.len() + 1, byte: bytes.len() - rest.len() };
        return Err(Problem::Truncated.at(place));
    }
    if usize::try_from(said) != Ok(records.len()) {
        let problem = Problem::Count { said: said.into(), found: records.len() as u64 };
        return Err(problem.at(Place::Byte(bytes.len())));
    }
    let mut intake = Intake::new(Settings::default());
    intake.book.reserve(records.len());
    let hash = intake.book.hasher();
    workers::ready();
    let look = |records: &[[u8; RECORD]]| -> Vec<Found> {
        records.par_chunks(256).flat_map_iter(|records| records.iter().map(|record| found(record, &hash))).collect()
    };
    // boards are turned on all threads, and entered in their order by one, which meanwhile has the block before
    let mut blocks = records.chunks(BLOCK);
    let (mut entered, mut ready) = (0, blocks.next().map(look).unwrap_or_default());
    while !ready.is_empty() {
        let block = std::mem::take(&mut ready);
        let next = blocks.next();
        let count = block.len();
        let enter = || enter_all(block, &mut intake, entered);
        ((), ready) = rayon::join(enter, || next.map(look).unwrap_or_default());
        entered += count;
    }
    Ok(intake)
}

/// What a record is.
enum Found {
    Node { node: Node, hash: u64, turned: bool, leaf: bool },
    Other(Warning),
}

impl Found {
    fn enter(self, intake: &mut Intake, place: Place) {
        match self {
            Found::Other(warning) => intake.warn(warning, place),
            Found::Node { node, hash, turned, leaf } => {
                if turned {
                    intake.warn(Warning::Turned, place);
                }
                if !leaf {
                    intake.warn(Warning::Leaf, place);
                }
                intake.put_hashed(hash, node, place);
            }
        }
    }
}

/// Enters a block of records, before which there were so many.
fn enter_all(block: Vec<Found>, intake: &mut Intake, before: usize) {
    /// Records whose places in the index are touched before they are entered: one after the other, each would wait for memory.
    const TOUCHED: usize = 64;
    let mut number = before;
    let mut block = block.into_iter();
    while !block.as_slice().is_empty() {
        for found in block.as_slice().iter().take(TOUCHED) {
            if let Found::Node { node, hash, .. } = found {
                black_box(intake.book.position_hashed(*hash, &node.board));
            }
        }
        for found in block.by_ref().take(TOUCHED) {
            found.enter(intake, Place::Record { number: number + 1, byte: HEADER + number * RECORD });
            number += 1;
        }
    }
}

fn words(bytes: &[u8]) -> Board {
    let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
    Board { player: word(0), opponent: word(8) }
}

/// Looks at a record of version 3.
fn found(bytes: &[u8; RECORD], hash: &impl Fn(&Board) -> u64) -> Found {
    let board = words(bytes);
    let (canonical, symmetry) = match intake::seen(board) {
        Ok(Seen::Position(canonical, symmetry)) => (canonical, symmetry),
        Ok(Seen::Pass) => return Found::Other(Warning::Pass),
        Ok(Seen::Finished) => return Found::Other(Warning::Finished),
        Err(_) => return Found::Other(Warning::Unusable),
    };
    let Some(value) = intake::score((bytes[16] as i8).into()) else { return Found::Other(Warning::Unusable) };
    let mut node = intake::node(canonical, Origin::Egaroucid, value, intake::level(bytes[17]));
    let [score, square, level] = [bytes[22], bytes[23], bytes[24]];
    let leaf = match (square, Square::new(square)) {
        (NO_MOVE, _) => Some(Leaf::None),
        (UNDEFINED_MOVE, _) => Some(Leaf::Unknown),
        (_, Some(square)) if board.legal_moves() & square.bit() != 0 => match intake::score((score as i8).into()) {
            Some(score) if level != UNDEFINED_LEVEL => {
                Some(Leaf::Move { square: transform_square(square, symmetry), score })
            }
            _ => Some(Leaf::Unknown),
        },
        _ => None,
    };
    let leaf_level = if matches!(leaf, None | Some(Leaf::Unknown)) { 0 } else { intake::level(level) };
    node.set_leaf(leaf.unwrap_or(Leaf::Unknown), leaf_level);
    Found::Node { node, hash: hash(&canonical), turned: symmetry != 0, leaf: leaf.is_some() }
}

/// A record of version 2: board, value, level, and the value and square of each move.
struct Old<'a> {
    board: Board,
    value: i8,
    level: u8,
    moves: &'a [[u8; 2]],
}

/// The records of version 2, when the number of moves takes this many bytes. The description says 4, the program writes 1.
fn old_records(bytes: &[u8], said: i32, width: usize) -> Result<Vec<(Old<'_>, Place)>, ImportError> {
    let mut records = Vec::new();
    let mut at = HEADER;
    while at < bytes.len() {
        let place = Place::Record { number: records.len() + 1, byte: at };
        let truncated = || Problem::Truncated.at(place);
        let head = bytes.get(at..at + 18 + width).ok_or_else(truncated)?;
        let count = head[18..].iter().rev().fold(0, |count, &byte| count << 8 | usize::from(byte));
        if count > 64 {
            return Err(Problem::Moves { listed: count, legal: words(head).legal_moves().count_ones() }.at(place));
        }
        if let Err(problem) = intake::seen(words(head)) {
            return Err(problem.at(place));
        }
        at += head.len();
        let moves = bytes.get(at..at + 2 * count).ok_or_else(truncated)?.as_chunks::<2>().0;
        at += 2 * count;
        let (value, level) = (head[16] as i8, intake::level(head[17]));
        records.push((Old { board: words(head), value, level, moves }, place));
    }
    if usize::try_from(said) != Ok(records.len()) {
        let problem = Problem::Count { said: said.into(), found: records.len() as u64 };
        return Err(problem.at(Place::Byte(bytes.len())));
    }
    Ok(records)
}

fn read_2(bytes: &[u8], said: i32) -> Result<Intake, ImportError> {
    let records = match (old_records(bytes, said, 1), old_records(bytes, said, 4)) {
        (Ok(records), _) | (Err(_), Ok(records)) => records,
        // the right width reads on to where something is wrong with the file, the other one makes nonsense of it before
        (Err(one), Err(four)) => return Err(if four.place.byte() > one.place.byte() { four } else { one }),
    };
    let mut intake = Intake::new(Settings::default());
    for (record, place) in &records {
        let (Ok(admitted), Some(value)) = (intake.admit(record.board, *place), intake::score(record.value.into()))
        else {
            intake.warn(Warning::Unusable, *place);
            continue;
        };
        let Some((canonical, _)) = admitted else { continue };
        intake.put(intake::node(canonical, Origin::Egaroucid, value, record.level), *place);
    }
    for (record, place) in &records {
        find_leaf(&mut intake, record, *place);
    }
    Ok(intake)
}

/// Moves with a value whose positions are not there: where all other moves lead into the book, the best of them is the leaf.
fn find_leaf(intake: &mut Intake, record: &Old, place: Place) {
    let Ok(Seen::Position(canonical, symmetry)) = intake::seen(record.board) else { return };
    let legal = record.board.legal_moves();
    let moves = record.moves.iter().filter_map(|&[value, square]| Some((value as i8, Square::new(square)?)));
    let moves = moves.filter(|&(value, square)| legal & square.bit() != 0 && (-64..=64).contains(&value));
    let is_lost = |square: Square| !intake::leads_into(&intake.book, record.board, square);
    let lost: Vec<(i8, Square)> = moves.filter(|&(_, square)| is_lost(square)).collect();
    let Some(&(score, square)) = lost.iter().max_by_key(|&&(score, square)| (score, std::cmp::Reverse(square))) else {
        return;
    };
    intake.warn(Warning::Nowhere, place);
    let listed = lost.iter().fold(0, |set, (_, square)| set | square.bit());
    let all_listed =
        crate::board::Squares(legal & !listed).all(|square| intake::leads_into(&intake.book, record.board, square));
    let Some(at) = intake.book.position(&canonical).filter(|_| all_listed) else { return };
    let node = &mut intake.book.nodes_mut()[at];
    if node.level == record.level {
        // as of a lost link in Edax's books, nobody has proven what came from behind the move
        let leaf = Leaf::Move { square: transform_square(square, symmetry), score };
        node.set_leaf(leaf, node.unproven_level(record.level));
    }
}

/// Writes a book as `.egbk3`.
pub(super) fn write(book: &Book) -> Result<Exported, ExportError> {
    let count = i32::try_from(book.len()).map_err(|_| ExportError::TooMany(book.len()))?;
    let lines = lines(book);
    let mut order = all(book);
    workers::ready();
    order.par_sort_unstable_by_key(|&at| book.nodes()[at as usize].key());
    let unsearched = AtomicUsize::new(0);
    let records: Vec<[u8; RECORD]> = select(book, &order, |at, moves| {
        let node = &book.nodes()[at];
        unsearched.fetch_add(is_unsearched(node, moves).into(), Ordering::Relaxed);
        // a leaf of level 0 would be one that was never searched; where level 1 would make it a solve, it is that
        let mut shallow = *node;
        shallow.set_leaf(node.leaf(), 1);
        let is_none = node.leaf_level() == 0 && shallow.leaf_is_exact();
        let [score, square] = match outward(node.leaf(), moves.known) {
            leaf if is_none && leaf == node.leaf() && leaf != Leaf::None => [NO_VALUE, UNDEFINED_MOVE],
            Leaf::Move { square, score } => [score as u8, square.index() as u8],
            Leaf::None => [NO_VALUE, NO_MOVE],
            Leaf::Unknown => [NO_VALUE, UNDEFINED_MOVE],
        };
        let mut bytes = [0; RECORD];
        bytes[..8].copy_from_slice(&node.board.player.to_le_bytes());
        bytes[8..16].copy_from_slice(&node.board.opponent.to_le_bytes());
        bytes[16..18].copy_from_slice(&[node.value as u8, level_byte(node.level)]);
        bytes[18..22].copy_from_slice(&lines[at].to_le_bytes());
        let level = match square {
            UNDEFINED_MOVE => UNDEFINED_LEVEL,
            NO_MOVE => level_byte(node.leaf_level()),
            _ => level_byte(node.leaf_level().max(1)),
        };
        bytes[22..].copy_from_slice(&[score, square, level]);
        Some(bytes)
    });
    let mut bytes = MAGIC.to_vec();
    bytes.reserve_exact(HEADER - MAGIC.len() + RECORD * book.len());
    bytes.push(3);
    bytes.extend(count.to_le_bytes());
    bytes.extend_from_slice(records.as_flattened());
    Ok(Exported { bytes, left_out: 0, unsearched: unsearched.into_inner(), ambiguous: 0 })
}

fn level_byte(level: u8) -> u8 {
    if level == 0 { UNDEFINED_LEVEL } else { level.min(i8::MAX as u8) }
}

/// Lines through every node: itself, and those of every link.
fn lines(book: &Book) -> Vec<u32> {
    gather(book, |_, moves, lines: &[u32]| {
        moves.links().fold(1u32, |sum, (_, at)| sum.saturating_add(lines[at])).min(MOST_LINES)
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Date, Imported, Problem, export, import};
    use super::*;
    use crate::board::Squares;
    use crate::book::graph::followers;
    use crate::book::negamax::negamax;

    /// A position of a game with at most so many empty squares, some of whose moves do not end it.
    fn late(empties: u32) -> Board {
        let mut board = Board::START;
        while board.empty_count() > empties || followers(board).next().is_none() {
            assert!(board.empty_count() > 1, "a game that goes on");
            board = Squares(board.legal_moves()).next().map_or(board.pass(), |mv| board.play(mv).unwrap());
        }
        board.canonical()
    }

    #[test]
    fn leaves_that_nobody_solved_are_not_solved_when_they_come_back() {
        let mut node = Node::new(late(2), Origin::Egaroucid);
        let square = Squares(node.board.legal_moves()).last().unwrap();
        for (level, exact) in [(0, false), (1, true)] {
            node.set_leaf(Leaf::Move { square, score: 10 }, level);
            let mut book: Book = [node].into_iter().collect();
            negamax(&mut book, |_| {});
            let before = book.nodes()[0];
            let bytes = export(&book, Format::Egbk3, DATE).unwrap().bytes;
            let after = import(&bytes, Format::Egbk3).unwrap().book.nodes()[0];
            assert_eq!((before.is_exact(), after.is_exact(), after.value), (exact, exact, before.value));
        }
    }

    #[test]
    fn leaves_that_lead_into_the_book_were_never_searched() {
        let mut book = import(&two(), Format::Egbk3).unwrap().book;
        let leaf = |bytes: &[u8]| bytes[HEADER + 22..HEADER + RECORD].to_vec();
        assert_eq!(leaf(&export(&book, Format::Egbk3, DATE).unwrap().bytes), [NO_VALUE, NO_MOVE, 16]);
        let mut unknown = book.clone();
        unknown.nodes_mut()[0].set_leaf(Leaf::None, 0);
        assert_eq!(leaf(&export(&unknown, Format::Egbk3, DATE).unwrap().bytes), [NO_VALUE, NO_MOVE, UNDEFINED_LEVEL]);
        let start = book.position(&Board::START).unwrap();
        book.nodes_mut()[start].set_leaf(Leaf::Move { square: "d3".parse().unwrap(), score: 1 }, 16);
        let exported = export(&book, Format::Egbk3, DATE).unwrap();
        assert_eq!((leaf(&exported.bytes), exported.unsearched), (vec![NO_VALUE, UNDEFINED_MOVE, UNDEFINED_LEVEL], 1));
    }

    const DATE: Date = Date { year: 2025, month: 3, day: 1, hour: 12, minute: 0, second: 0 };
    const START: [u8; 16] = [0, 0, 0, 0x10, 8, 0, 0, 0, 0, 0, 0, 8, 0x10, 0, 0, 0];
    const F5: [u8; 16] = [0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0x10, 0x38, 0, 0, 0];

    fn header(version: u8, count: i32) -> Vec<u8> {
        [b"DICUORAGE".as_slice(), &[version], &count.to_le_bytes()].concat()
    }

    /// The two positions of the book notes.
    fn two() -> Vec<u8> {
        let records = [
            [START.as_slice(), &[1, 16, 5, 0, 0, 0, 0x82, 0x41, 16]].concat(),
            [F5.as_slice(), &[0xFF, 16, 1, 0, 0, 0, 0xFF, 0x2B, 16]].concat(),
        ];
        [header(3, 2), records.concat()].concat()
    }

    fn read_3(bytes: &[u8]) -> Imported {
        import(bytes, Format::Egbk3).unwrap()
    }

    #[test]
    fn the_notes_file_is_read_and_written() {
        let bytes = two();
        assert_eq!(bytes.len(), 64);
        let imported = read_3(&bytes);
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
        let nodes = imported.book.nodes();
        assert_eq!((nodes[0].value, nodes[0].leaf(), nodes[1].value), (1, Leaf::None, -1));
        assert!(nodes.iter().all(|node| (node.origin(), node.level, node.leaf_level()) == (Origin::Egaroucid, 16, 16)));
        assert_eq!(export(&imported.book, Format::Egbk3, DATE).unwrap().bytes, bytes);
    }

    #[test]
    fn a_new_book_of_egaroucid() {
        let bytes = [header(3, 1), START.to_vec(), vec![0, 0xFF, 0, 0, 0, 0, 0, 0x13, 0xFF]].concat();
        assert_eq!(bytes.len(), 39);
        let imported = read_3(&bytes);
        let node = imported.book.nodes()[0];
        // the leaf's level is undefined: it was never searched
        assert_eq!((node.value, node.level, node.leaf(), node.leaf_level()), (0, 0, Leaf::Unknown, 0));
        // not the same bytes: a new book has counted no lines yet, and what is not known is not written as d3 with 0
        let again = export(&imported.book, Format::Egbk3, DATE).unwrap().bytes;
        assert_eq!(again[..32], bytes[..32]);
        assert_eq!(again[32..], [1, 0, 0, 0, 0x82, 125, 0xFF]);
        assert_eq!(read_3(&again).book.nodes(), [node]);
    }

    #[test]
    fn blocks_are_entered_in_their_order() {
        let mut book = Book::default();
        let mut boards = vec![Board::START.canonical()];
        for at in 0.. {
            if book.len() == 3 * BLOCK + 7 {
                break;
            }
            let mut node = Node::new(boards[at], Origin::Egaroucid);
            let square = Squares(node.board.legal_moves()).next().unwrap();
            node.set_leaf(Leaf::Move { square, score: (at % 9) as i8 }, 8);
            if book.put(node) {
                boards.extend(followers(node.board));
            }
        }
        negamax(&mut book, |_| {});
        let mut bytes = export(&book, Format::Egbk3, DATE).unwrap().bytes;
        assert_eq!(read_3(&bytes).book.sorted().len(), book.len());
        // the last record of the first block once more in the third, and again as the last of all
        let record = bytes[HEADER + (BLOCK - 1) * RECORD..][..RECORD].to_vec();
        bytes[HEADER + (2 * BLOCK + 3) * RECORD..][..RECORD].copy_from_slice(&record);
        bytes.extend(record);
        bytes[10..14].copy_from_slice(&(book.len() as i32 + 1).to_le_bytes());
        let imported = read_3(&bytes);
        assert_eq!((imported.book.len(), imported.warnings.count(Warning::Duplicate)), (book.len() - 1, 2));
        let place = imported.warnings.iter().find(|noted| noted.warning == Warning::Duplicate).unwrap().first;
        assert_eq!(place, Some(Place::Record { number: 2 * BLOCK + 4, byte: HEADER + (2 * BLOCK + 3) * RECORD }));
    }

    #[test]
    fn impossible_records_are_left_out() {
        let mut bytes = two();
        bytes[14 + 25 + 16] = 90;
        let imported = read_3(&bytes);
        assert_eq!((imported.book.len(), imported.warnings.count(Warning::Unusable)), (1, 1));
        // without f5 there is something left to play from the start
        assert_eq!(imported.warnings.count(Warning::NoLeaf), 1);
        let mut bytes = two();
        bytes[14..22].copy_from_slice(&[0xFF; 8]);
        assert_eq!(read_3(&bytes).warnings.count(Warning::Unusable), 1);
        let mut bytes = two();
        bytes[14 + 25 + 23] = 0;
        let imported = read_3(&bytes);
        assert_eq!((imported.book.nodes()[1].leaf(), imported.warnings.count(Warning::Leaf)), (Leaf::Unknown, 1));
        assert_eq!(imported.book.nodes()[1].value, -1, "the value of a position without links stays");
    }

    #[test]
    fn damaged_files_are_refused() {
        let good = two();
        let problem = |bytes: &[u8], format| import(bytes, format).map(|_| ()).unwrap_err().problem;
        for length in 0..good.len() {
            assert!(import(&good[..length], Format::Egbk3).is_err(), "{length} bytes");
        }
        let cut = |bytes: &[u8]| import(bytes, Format::Egbk3).map(|_| ()).unwrap_err();
        let longer = [&good[..], &[0]].concat();
        assert_eq!(cut(&longer), Problem::Truncated.at(Place::Record { number: 3, byte: 64 }));
        assert_eq!(cut(&good[..63]), Problem::Truncated.at(Place::Record { number: 2, byte: 39 }));
        assert_eq!(cut(&good[..39]), Problem::Count { said: 2, found: 1 }.at(Place::Byte(39)));
        assert_eq!(problem(&header(3, -1), Format::Egbk3), Problem::Count { said: -1, found: 0 });
        assert_eq!(problem(&header(4, 0), Format::Egbk3), Problem::Version { found: 4, known: 3 });
        assert_eq!(problem(&good, Format::Egbk2), Problem::Version { found: 3, known: 2 });
        assert_eq!(problem(b"hello", Format::Egbk3), Problem::Magic(Format::Egbk3));
        let forwards = [b"EGAROUCID", &good[9..]].concat();
        assert_eq!(read_3(&forwards).book.nodes(), read_3(&good).book.nodes());
    }

    /// The start with its four moves and f5 with d6 and f6, which are not there.
    fn old(width: usize) -> Vec<u8> {
        let count = |moves: u8| [vec![moves], vec![0; width - 1]].concat();
        let start = [&START[..], &[1, 16], &count(4), &[1, 0x13, 1, 0x1A, 1, 0x25, 1, 0x2C]].concat();
        let f5 = [&F5[..], &[0xFF, 16], &count(3), &[0xFF, 0x2B, 0xFE, 0x2D, 0xF8, 0x1D]].concat();
        [header(2, 2), start, f5].concat()
    }

    #[test]
    fn older_books_are_read() {
        for width in [1, 4] {
            let imported = import(&old(width), Format::Egbk2).unwrap();
            let nodes = imported.book.nodes();
            assert_eq!((nodes[0].value, nodes[0].leaf(), nodes[1].value), (1, Leaf::None, -1), "{width}");
            let d6 = "d6".parse().unwrap();
            assert_eq!(nodes[1].leaf(), Leaf::Move { square: d6, score: -1 }, "{width}: all three moves have values");
            assert_eq!(imported.warnings.count(Warning::Nowhere), 1);
            for length in 0..old(width).len() {
                assert!(import(&old(width)[..length], Format::Egbk2).is_err(), "{length} bytes");
            }
        }
        let bytes = old(1);
        let end = bytes.len();
        // a move that is none counts for nothing
        let more = [&bytes[..end - 7], &[4], &bytes[end - 6..], &[20, 0]].concat();
        assert_eq!(
            import(&more, Format::Egbk2).unwrap().book.nodes()[1],
            import(&bytes, Format::Egbk2).unwrap().book.nodes()[1]
        );
        // with two of its moves, the third may be better: the value stays, the leaf is unknown
        let shorter = [&bytes[..end - 7], &[2], &bytes[end - 6..end - 2]].concat();
        let imported = import(&shorter, Format::Egbk2).unwrap();
        assert_eq!((imported.book.nodes()[1].leaf(), imported.book.nodes()[1].value), (Leaf::Unknown, -1));
    }

    #[test]
    fn damage_of_older_books_is_told_where_it_is() {
        for width in [1, 4] {
            let bytes = old(width);
            let second = Problem::Truncated.at(Place::Record { number: 2, byte: 14 + 18 + width + 8 });
            let error = import(&bytes[..bytes.len() - 1], Format::Egbk2).map(|_| ()).unwrap_err();
            assert_eq!(error, second, "{width}");
        }
    }

    #[test]
    fn moves_of_older_books_to_nowhere_prove_nothing() {
        let board = late(12);
        let moves: Vec<u8> = Squares(board.legal_moves()).flat_map(|mv| [4, mv.index() as u8]).collect();
        let words = [board.player.to_le_bytes(), board.opponent.to_le_bytes()].concat();
        let bytes = [header(2, 1), words, vec![4, 60, moves.len() as u8 / 2], moves].concat();
        let node = import(&bytes, Format::Egbk2).unwrap().book.nodes()[0];
        assert!(matches!(node.leaf(), Leaf::Move { score: 4, .. }), "{:?}", node.leaf());
        assert_eq!((node.value, node.level, node.is_exact()), (4, 60, false));
    }
}
