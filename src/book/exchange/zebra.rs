//! Zebra's compact books, `.cmp`, as they are or gzipped.
//!
//! The number of positions `n` and of moves `c`; then tables of 16-bit numbers: how many children each position has, the moves to
//! them, two scores each (a drawn game counts differently for either side), the best move that was not played, its score, and
//! flags. Positions come in the order of a walk from the start that visits a position before its children; a position's
//! moves are the next ones of the list when it is visited. Scores are in 1/128 disc for Black.
//!
//! The best unplayed move is in an orientation that cannot be known without Zebra's hash tables. It is used when only one of its
//! images leads out of the book; otherwise the leaf is unknown. The level is the depth of Zebra's search, 60 where it solved the
//! position.

use flate2::read::MultiGzDecoder;

use super::intake::{self, Intake, Seen};
use super::report::{ImportError, Place, Problem, Warning};
use crate::board::{Board, Square, transform_square};
use crate::book::graph::{Next, unknown_moves};
use crate::book::node::{Leaf, Origin};
use crate::book::store::Settings;
use crate::formats::bounded;

/// What a gzipped file begins with.
pub(super) const GZIP: &[u8] = &[0x1F, 0x8B];
const HEADER: usize = 8;
/// A book of 20 million positions; the largest that is known has half a million.
const MAX_SIZE: u64 = 1 << 28;

/// Flags of a position.
const BLACK_MOVES: u16 = 1;
const WHITE_MOVES: u16 = 2;
const SOLVED: u16 = 16;
const DEPTH_SHIFT: u32 = 10;

/// The unplayed move when every move has been played.
const EXHAUSTED: i16 = -2;

/// Scores that are none; a draw that one side wants as little as a loss; where solved scores begin.
const NO_SCORE: i32 = 9999;
const UNWANTED_DRAW: i32 = 29_999;
const SOLVED_SCORE: i32 = 30_000;

/// The tables of a file.
struct Tables<'a> {
    bytes: &'a [u8],
    positions: usize,
    moves: usize,
}

impl<'a> Tables<'a> {
    fn new(bytes: &'a [u8]) -> Result<Tables<'a>, ImportError> {
        let Some((positions, moves)) = sizes(bytes) else {
            return Err(Problem::Truncated.at(Place::Byte(bytes.len())));
        };
        if positions < 1 || i64::from(moves) != i64::from(positions) - 1 || !fits(bytes, positions, moves) {
            return Err(Problem::Size { positions, moves, bytes: bytes.len() }.at(Place::Byte(0)));
        }
        Ok(Tables { bytes, positions: positions as usize, moves: moves as usize })
    }

    fn short(&self, at: usize) -> i16 {
        i16::from_le_bytes([self.bytes[at], self.bytes[at + 1]])
    }

    fn children(&self, position: usize) -> i16 {
        self.short(HEADER + 2 * position)
    }

    fn child_move(&self, number: usize) -> i16 {
        self.short(HEADER + 2 * (self.positions + number))
    }

    /// Byte where the list of moves ends.
    fn behind_moves(&self) -> usize {
        HEADER + 2 * (self.positions + self.moves)
    }

    /// The score that counts when this side is to move.
    fn score(&self, position: usize, black: bool) -> i32 {
        self.short(self.behind_moves() + 4 * position + if black { 0 } else { 2 }).into()
    }

    /// Table 2: the unplayed move, 3: its score, 4: flags.
    fn column(&self, table: usize, position: usize) -> i16 {
        self.short(self.behind_moves() + 2 * (table * self.positions + position))
    }

    fn place(&self, position: usize) -> Place {
        Place::Record { number: position + 1, byte: HEADER + 2 * position }
    }
}

/// Numbers of positions and of moves.
fn sizes(bytes: &[u8]) -> Option<(i32, i32)> {
    let (first, rest) = bytes.split_first_chunk::<4>()?;
    Some((i32::from_le_bytes(*first), i32::from_le_bytes(*rest.first_chunk()?)))
}

fn fits(bytes: &[u8], positions: i32, moves: i32) -> bool {
    HEADER as i64 + 12 * i64::from(positions) + 2 * i64::from(moves) == bytes.len() as i64
}

/// The content is as long as its first numbers say.
pub(super) fn has_its_size(bytes: &[u8]) -> bool {
    sizes(bytes).is_some_and(|(positions, moves)| {
        positions > 0 && i64::from(moves) + 1 == i64::from(positions) && fits(bytes, positions, moves)
    })
}

/// Reads a book; its values are those of the file, rounded to discs.
pub(super) fn read(bytes: &[u8]) -> Result<Intake, ImportError> {
    if !bytes.starts_with(GZIP) {
        return walk(&Tables::new(bytes)?);
    }
    let inflated = bounded::read_all(MultiGzDecoder::new(bytes), MAX_SIZE);
    let inflated = inflated.map_err(|error| Problem::Gzip(error.to_string()).at(Place::Byte(0)))?;
    walk(&Tables::new(&inflated).map_err(|_| Problem::Gzipped.at(Place::Byte(0)))?)
}

/// A position whose children are still to be visited.
struct Frame {
    board: Board,
    black: bool,
    next: usize,
    end: usize,
}

/// The unplayed move of a position, as the file has it.
struct Unplayed {
    board: Board,
    position: usize,
    black: bool,
}

fn walk(tables: &Tables) -> Result<Intake, ImportError> {
    let mut intake = Intake::new(Settings::default());
    intake.book.reserve(tables.positions);
    let mut unplayed = Vec::with_capacity(tables.positions);
    let (mut visited, mut listed) = (0, 0);
    let mut stack: Vec<Frame> = Vec::new();
    let mut next = Some((Board::START, true));
    while let Some((board, black)) = next {
        let place = tables.place(visited);
        let (board, black) = turn(tables, visited, board, black).map_err(|problem| problem.at(place))?;
        let count = i64::from(tables.children(visited));
        let end = usize::try_from(listed as i64 + count).ok().filter(|&end| count >= 0 && end <= tables.moves);
        let end = end.ok_or_else(|| Problem::Tree(count).at(place))?;
        stack.push(Frame { board, black, next: listed, end });
        listed = end;
        enter(&mut intake, tables, visited, board, black, &mut unplayed);
        visited += 1;
        next = step(tables, &mut stack)?;
    }
    // c = n - 1, and every move has led to a position
    if visited != tables.positions {
        return Err(Problem::Unreached.at(tables.place(visited)));
    }
    for unplayed in unplayed {
        find_leaf(&mut intake, tables, &unplayed);
    }
    Ok(intake)
}

/// The position after the next move that has not been made.
fn step(tables: &Tables, stack: &mut Vec<Frame>) -> Result<Option<(Board, bool)>, ImportError> {
    while let Some(frame) = stack.last_mut() {
        if frame.next == frame.end {
            stack.pop();
            continue;
        }
        let place = Place::Byte(HEADER + 2 * (tables.positions + frame.next));
        let mv = tables.child_move(frame.next);
        frame.next += 1;
        let square = square(mv).ok_or_else(|| Problem::Square(mv.into()).at(place))?;
        let is_empty = frame.board.empties() & square.bit() != 0;
        let board = is_empty.then(|| frame.board.play(square)).flatten();
        let board = board.ok_or_else(|| Problem::Illegal(square).at(place))?;
        return Ok(Some((board, !frame.black)));
    }
    Ok(None)
}

/// The side that is to move: the other one than before, unless it must pass. The flags of the file must agree.
fn turn(tables: &Tables, position: usize, board: Board, black: bool) -> Result<(Board, bool), Problem> {
    let passes = board.legal_moves() == 0 && board.pass().legal_moves() != 0;
    let says = match tables.column(4, position) as u16 & (BLACK_MOVES | WHITE_MOVES) {
        BLACK_MOVES => Some(true),
        WHITE_MOVES => Some(false),
        _ => None,
    };
    if board.legal_moves() != 0 && says.is_some_and(|says| says != black) {
        return Err(Problem::Turn);
    }
    Ok(if passes { (board.pass(), !black) } else { (board, black) })
}

fn enter(
    intake: &mut Intake,
    tables: &Tables,
    position: usize,
    board: Board,
    black: bool,
    unplayed: &mut Vec<Unplayed>,
) {
    let place = tables.place(position);
    // boards of a game from the start have nothing wrong with them; which image they are does not matter here
    let Ok(Seen::Position(canonical, _)) = intake::seen(board) else {
        intake.warn(Warning::Finished, place);
        return;
    };
    let value = discs(tables.score(position, black), black);
    if value.is_none() {
        intake.warn(Warning::NoValue, place);
    }
    let flags = tables.column(4, position) as u16;
    let level = if flags & SOLVED != 0 { 60 } else { (flags >> DEPTH_SHIFT) as u8 };
    intake.put(intake::node(canonical, Origin::Zebra, value.unwrap_or(0), level), place);
    unplayed.push(Unplayed { board: canonical, position, black });
}

/// Finds out what the unplayed move is, now that all positions are there.
fn find_leaf(intake: &mut Intake, tables: &Tables, unplayed: &Unplayed) {
    let &Unplayed { board, position, black } = unplayed;
    let mv = tables.column(2, position);
    let score = discs(tables.column(3, position).into(), black);
    let Some(at) = intake.book.position(&board) else { return };
    let leaf = match (square(mv), score) {
        _ if mv == EXHAUSTED => Leaf::None,
        (Some(square), Some(score)) => {
            let open = unknown_moves(&intake.book, board);
            let mut found: Vec<(Board, Square)> = (0..8)
                .map(|image| transform_square(square, image))
                .filter(|image| open & image.bit() != 0)
                .map(|image| (after(board, image), image))
                .collect();
            found.sort();
            found.dedup_by_key(|(after, _)| *after);
            if let [(_, square)] = found[..] {
                Leaf::Move { square, score }
            } else {
                intake.warn(Warning::Leaf, tables.place(position));
                Leaf::Unknown
            }
        }
        _ => Leaf::Unknown,
    };
    let node = &mut intake.book.nodes_mut()[at];
    let flags = tables.column(4, position) as u16;
    let is_solved = flags & SOLVED != 0 && i32::from(tables.column(3, position)).abs() >= SOLVED_SCORE;
    let level = if is_solved { 60 } else { (flags >> DEPTH_SHIFT) as u8 };
    node.set_leaf(leaf, if leaf == Leaf::Unknown { 0 } else { level });
}

/// The position after a move, the same for moves that a symmetry makes the same.
fn after(board: Board, square: Square) -> Board {
    match Next::of(board, square) {
        Next::Board { board, .. } => board.canonical(),
        Next::Over(_) => board,
    }
}

/// A square as 10 * row + column, a1 = 11.
fn square(number: i16) -> Option<Square> {
    let number = u8::try_from(number).ok()?;
    Square::at((number % 10).checked_sub(1)?, (number / 10).checked_sub(1)?)
}

/// A score in whole discs for the side to move.
fn discs(score: i32, black: bool) -> Option<i8> {
    /// Parts of a disc.
    const DISC: f64 = 128.0;
    let discs = match score.abs() {
        NO_SCORE => return None,
        UNWANTED_DRAW => 0,
        SOLVED_SCORE.. => (score.abs() - SOLVED_SCORE).min(64) * score.signum(),
        _ => intake::score((f64::from(score) / DISC).round() as i32)?.into(),
    };
    Some(if black { discs } else { -discs } as i8)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::super::{Format, Imported, import};
    use super::*;
    use crate::book::graph::board;

    /// The start and f5: the file of the book notes.
    const TWO: [u8; 34] = [
        2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0x38, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0x27, 0x0F,
        0x27, 1, 0, 2, 0,
    ];

    /// A position: children, moves to them, scores, unplayed move with its score, flags.
    type Position<'a> = (&'a [i16], [i16; 2], [i16; 2], u16);

    fn file(positions: &[Position]) -> Vec<u8> {
        let moves: usize = positions.iter().map(|position| position.0.len()).sum();
        let mut bytes = [(positions.len() as i32).to_le_bytes(), (moves as i32).to_le_bytes()].concat();
        let mut put = |numbers: Vec<i16>| numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        put(positions.iter().map(|position| position.0.len() as i16).collect());
        put(positions.iter().flat_map(|position| position.0).copied().collect());
        put(positions.iter().flat_map(|position| position.1).collect());
        put(positions.iter().map(|position| position.2[0]).collect());
        put(positions.iter().map(|position| position.2[1]).collect());
        put(positions.iter().map(|position| position.3 as i16).collect());
        bytes
    }

    fn read_all(bytes: &[u8]) -> Imported {
        import(bytes, Format::Zebra).unwrap()
    }

    fn problem(bytes: &[u8]) -> ImportError {
        import(bytes, Format::Zebra).map(|_| ()).unwrap_err()
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn the_notes_file_is_read() {
        for bytes in [TWO.to_vec(), gzip(&TWO)] {
            assert_eq!(Format::of_content(&bytes), Some(Format::Zebra));
            let imported = read_all(&bytes);
            let nodes = imported.book.nodes();
            assert_eq!((nodes.len(), nodes[0].leaf(), nodes[1].leaf()), (2, Leaf::None, Leaf::Unknown));
            assert!(nodes.iter().all(|node| node.value == 0 && node.origin() == Origin::Zebra));
            assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
        }
        let positions: [Position; 2] = [(&[56], [0, 0], [-1, 9999], 1), (&[], [0, 0], [-1, 9999], 2)];
        assert_eq!(file(&positions), TWO);
    }

    /// f5 with its answers d6 and f6: 2 and 3 discs for black; f4 is not in the book, and worth 8 to black.
    fn four() -> Vec<u8> {
        let unplayed = [46, 8 * 128];
        file(&[
            (&[56], [256, 256], [-2, 9999], 1),
            (&[64, 66], [256, 256], unplayed, 2 | 12 << 10),
            (&[], [256, 256], [33, 200], 1 | 14 << 10),
            (&[], [384, 400], [-1, 9999], 1 | 16 | 20 << 10),
        ])
    }

    #[test]
    fn scores_levels_and_unplayed_moves() {
        let imported = read_all(&four());
        let node = |moves: &str| *imported.book.get(&board(moves).canonical()).unwrap();
        assert_eq!([node("").value, node("f5").value, node("f5f6").value], [2, -2, 3]);
        assert_eq!([node("f5").level, node("f5f6").level, node("").level], [12, 60, 0]);
        let f5 = node("f5");
        let Leaf::Move { square, score } = f5.leaf() else { panic!("f4, in some orientation") };
        assert_eq!((score, f5.board.play(square).unwrap().canonical()), (-8, board("f5f4").canonical()));
        // c3 has several images among the moves after d6: which one is meant cannot be told
        let d6 = node("f5d6");
        let images: Vec<Square> = (0..8).map(|image| transform_square("c3".parse().unwrap(), image)).collect();
        let legal = images.iter().filter(|image| d6.board.legal_moves() & image.bit() != 0).count();
        assert_eq!(
            (d6.leaf() == Leaf::Unknown, imported.warnings.count(Warning::Leaf)),
            (legal > 1, (legal > 1).into())
        );
    }

    #[test]
    fn scores_in_discs() {
        assert_eq!(discs(128, true), Some(1));
        assert_eq!(discs(-200, false), Some(2));
        assert_eq!(discs(9999, true), None);
        assert_eq!([discs(29_999, true), discs(-29_999, false)], [Some(0); 2]);
        assert_eq!([discs(30_012, false), discs(-30_000, true), discs(32_000, true)], [Some(-12), Some(0), Some(64)]);
        assert_eq!(discs(20_000, true), None);
    }

    #[test]
    fn passes_are_made() {
        let moves = [56, 66, 34, 57, 58, 48, 76, 68].map(|mv: i16| mv);
        let flags = [1, 2, 1, 2, 1, 2, 1, 2, 2];
        // f5f6d3g5h5h4f7h6: black must pass, white is to move again
        let squares: Vec<[i16; 1]> = moves.iter().map(|mv| [*mv]).collect();
        let mut positions: Vec<Position> =
            squares.iter().zip(flags).map(|(mv, flags)| (mv.as_slice(), [0, 0], [-1, 9999], flags)).collect();
        positions.push((&[], [-640, -640], [-1, 9999], 2));
        let imported = read_all(&file(&positions));
        let pass = board("f5f6d3g5h5h4f7h6").pass();
        assert_eq!(imported.book.get(&pass.canonical()).unwrap().value, 5);
        assert_eq!(imported.book.get(&board("f5f6d3g5h5h4f7").canonical()).unwrap().value, 5);
    }

    #[test]
    fn damaged_files_are_refused() {
        for length in 0..TWO.len() {
            assert!(import(&TWO[..length], Format::Zebra).is_err(), "{length} bytes");
        }
        let zipped = gzip(&TWO);
        for length in 2..zipped.len() - 8 {
            assert!(matches!(problem(&zipped[..length]).problem, Problem::Gzip(_)), "{length} bytes");
        }
        for other in [&b"EDAX and more of it"[..], b"few", &[]] {
            assert_eq!(problem(&gzip(other)), Problem::Gzipped.at(Place::Byte(0)));
        }
        let changed = |at: usize, byte: u8| {
            let mut bytes = TWO;
            bytes[at] = byte;
            problem(&bytes)
        };
        assert!(matches!(changed(4, 2).problem, Problem::Size { .. }));
        assert_eq!(changed(8, 2), Problem::Tree(2).at(Place::Record { number: 1, byte: 8 }));
        assert_eq!(changed(8, 0), Problem::Unreached.at(Place::Record { number: 2, byte: 10 }));
        assert_eq!(changed(9, 0x80).problem, Problem::Tree(1 - 0x8000));
        assert_eq!(changed(12, 99), Problem::Square(99).at(Place::Byte(12)));
        assert_eq!(changed(12, 11), Problem::Illegal("a1".parse().unwrap()).at(Place::Byte(12)));
        assert_eq!(changed(32, 1).problem, Problem::Turn);
        let huge = [i32::MAX.to_le_bytes(), (i32::MAX - 1).to_le_bytes()].concat();
        assert!(matches!(problem(&huge).problem, Problem::Size { .. }));
    }
}
