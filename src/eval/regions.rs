//! Regions of the board, as the embedding sees them: what both sides have in them and where they may move.
//!
//! Patterns see which lines turn discs, but not what several of them say together about one empty square: that it is a move, or how many
//! moves there are. So the board is cut into 16 blocks of two by two squares and into its four quadrants, and each has a row of its own
//! for what it looks like:
//!
//! * Each square of a block is in one of six states: a disc of the side to move, one of the other side, or empty and a legal move of
//!   nobody, of either side or of both.
//! * A quadrant looks like the numbers of moves that both sides have in it, up to seven, and of its empty squares, up to 15.
//!
//! Regions that are images of each other under the symmetries of the board share their rows. So there are four kinds: blocks in a corner,
//! on an edge and in the middle, and quadrants. A block is seen as it would lie in the quadrant of a1, those on an edge below the diagonal:
//! then looks of a kind have the same rows. What is left is the mirror at the diagonal of blocks in a corner or in the middle.

use std::sync::OnceLock;

use crate::board::Board;

/// Blocks of the board.
const BLOCKS: usize = 16;
/// Regions of the board: blocks and quadrants.
pub const REGIONS: usize = BLOCKS + 4;
/// Kinds of regions.
pub const KINDS: usize = 4;
/// Rows of each kind: six states of four squares, less mirror images, of which 216 are their own; and what quadrants may look like.
pub const ROWS: [usize; KINDS] = [(1296 + 216) / 2, 1296, (1296 + 216) / 2, 716];
/// Rows of all kinds.
pub const REGION_ROWS: usize = ROWS[0] + ROWS[1] + ROWS[2] + ROWS[3];
/// Numbers for the looks of a block: three bits a square.
const BLOCK_LOOKS: usize = 1 << 12;
/// Numbers for the looks of a quadrant.
const QUADRANT_LOOKS: usize = 1 << 10;
/// Numbers for the looks of all kinds, which lie one kind after the other; not all of them are possible.
pub const LOOKS: usize = (KINDS - 1) * BLOCK_LOOKS + QUADRANT_LOOKS;
/// Kind of blocks on an edge.
const EDGE: usize = 1;
/// Kind of quadrants.
const QUADRANT: usize = 3;
/// Numbers of moves above this look alike in a quadrant.
const MOST_MOVES: u32 = 7;
/// As do numbers of empty squares.
const MOST_EMPTIES: u32 = 15;
/// Stands for the row of what is impossible.
pub const NO_ROW: u16 = u16::MAX;

/// Where the looks of each region begin. Blocks come in the order of [`by_blocks`], every second one first.
const BEGINS: [u32; REGIONS] = {
    let mut begins = [(QUADRANT * BLOCK_LOOKS) as u32; REGIONS];
    let mut region = 0;
    while region < BLOCKS {
        begins[region] = (kind(region) * BLOCK_LOOKS) as u32;
        region += 1;
    }
    begins
};

/// The squares of the quadrants.
const QUADRANTS: [u64; 4] = [0x0F0F_0F0F, 0xF0F0_F0F0, 0x0F0F_0F0F << 32, 0xF0F0_F0F0 << 32];

/// The kind of a region.
pub const fn kind(region: usize) -> usize {
    if region >= BLOCKS {
        return QUADRANT;
    }
    let place = 2 * (region % (BLOCKS / 2)) + region / (BLOCKS / 2);
    let (column, row) = (place % 4, place / 4);
    2 - (column == 0 || column == 3) as usize - (row == 0 || row == 3) as usize
}

/// The four squares of each block side by side, blocks from a1 along the first two ranks and then upwards: two swaps of pairs of squares.
/// Then the blocks are turned to lie as those of their kind in the quadrant of a1 do, on an edge as c1 does.
#[inline(always)]
fn by_blocks(squares: u64) -> u64 {
    const RIGHT: u64 = 0xFF00_FF00_FF00_FF00;
    const UPPER: u64 = 0xFFFF_FFFF_0000_0000;
    const SIDES: u64 = 0x0000_F00F_F00F_0000;
    let blocks = swap::<4>(squares, 0x00F0_00F0_00F0_00F0);
    let blocks = swap::<2>(blocks, 0x0C0C_0C0C_0C0C_0C0C);
    let blocks = swap::<1>(blocks, RIGHT & 0x5555_5555_5555_5555);
    let blocks = swap::<2>(blocks, UPPER & 0x3333_3333_3333_3333);
    swap::<1>(blocks, SIDES & 0x2222_2222_2222_2222)
}

/// Exchanges each bit of a mask with the one that is so many places above it.
#[inline(always)]
fn swap<const UP: u32>(bits: u64, mask: u64) -> u64 {
    let differ = (bits ^ bits >> UP) & mask;
    bits ^ (differ | differ << UP)
}

/// What each region looks like, as a number below [`LOOKS`], whatever the arguments: `moves` and `others` are the legal moves of the side
/// to move and of the other one.
#[inline(always)]
pub fn looks(board: Board, moves: u64, others: u64) -> [u32; REGIONS] {
    const LOW: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    let empty = !(board.player | board.opponent);
    // three bits tell six states apart: may be a disc of one side, of the other side, and is empty
    let own = by_blocks(board.player | moves);
    let other = by_blocks(board.opponent | others);
    let blank = by_blocks(empty);
    let halves = [(own & LOW | (other & LOW) << 4, blank & LOW), (own >> 4 & LOW | other & !LOW, blank >> 4 & LOW)];
    let mut looks = BEGINS;
    let mut i = 0;
    while i < BLOCKS / 2 {
        let of = |(discs, blank): (u64, u64)| (discs >> (8 * i)) as u8 as u32 | ((blank >> (8 * i)) as u8 as u32) << 8;
        looks[i] += of(halves[0]);
        looks[i + BLOCKS / 2] += of(halves[1]);
        i += 1;
    }
    let mut q = 0;
    while q < QUADRANTS.len() {
        let moves = (moves & QUADRANTS[q]).count_ones().min(MOST_MOVES);
        let others = (others & QUADRANTS[q]).count_ones().min(MOST_MOVES);
        let empties = (empty & QUADRANTS[q]).count_ones().min(MOST_EMPTIES);
        looks[BLOCKS + q] += moves << 7 | others << 4 | empties;
        q += 1;
    }
    looks
}

/// A look of a block mirrored at the diagonal.
fn mirrored(look: usize) -> usize {
    look & 0x999 | (look & 0x222) << 1 | (look & 0x444) >> 1
}

/// Some board has this look of this kind.
fn is_possible(kind: usize, look: usize) -> bool {
    if kind == QUADRANT {
        let empties = look & 15;
        return (look >> 7).max(look >> 4 & 7) <= empties;
    }
    let (own, other, empty) = (look & 15, look >> 4 & 15, look >> 8);
    (own ^ other | empty) == 15 && own & other & !empty == 0
}

/// By look, the row among [`REGION_ROWS`], those of a kind one after the other, or [`NO_ROW`]; made on first use.
pub fn rows() -> &'static [u16; LOOKS] {
    static ROWS: OnceLock<Box<[u16; LOOKS]>> = OnceLock::new();
    ROWS.get_or_init(|| {
        let mut rows = Box::new([NO_ROW; LOOKS]);
        let mut next = 0;
        for place in 0..LOOKS {
            let (kind, look) = (place / BLOCK_LOOKS, place % BLOCK_LOOKS);
            if !is_possible(kind, look) {
                continue;
            }
            // of two images the least has the row
            let least = if kind == EDGE || kind == QUADRANT { look } else { look.min(mirrored(look)) };
            if least == look {
                rows[place] = next;
                next += 1;
            } else {
                rows[place] = rows[place - look + least];
            }
        }
        debug_assert_eq!(next as usize, REGION_ROWS);
        rows
    })
}

/// Rows that files had for the blocks of each kind when blocks were seen by their moves alone, four bits for each side.
const MOVES_LOOKS: usize = 256;
/// Rows that files had for all kinds then.
pub const MOVES_ROWS: usize = (KINDS - 1) * MOVES_LOOKS;

/// By row among [`REGION_ROWS`], the one among [`MOVES_ROWS`] that a file had for the moves in it; quadrants had none.
pub fn rows_by_moves() -> Vec<Option<u16>> {
    let mut by_moves = vec![None; REGION_ROWS];
    for (place, &row) in rows().iter().enumerate() {
        let (kind, look) = (place / BLOCK_LOOKS, place % BLOCK_LOOKS);
        if row == NO_ROW || kind == QUADRANT {
            continue;
        }
        let (moves, others) = (look & look >> 8, look >> 4 & look >> 8);
        let look = moves << 4 | others;
        // then those of e1 and e3 stood for the blocks on an edge and in the middle
        let exchange = |a: usize, b: usize, look: usize| {
            let differ = (look >> a ^ look >> b) & 0x11;
            look ^ differ << a ^ differ << b
        };
        let mirror = |look| exchange(0, 1, exchange(2, 3, look));
        let least = match kind {
            0 => look.min(exchange(1, 2, look)),
            EDGE => mirror(look),
            _ => mirror(look).min(exchange(0, 3, mirror(look))),
        };
        by_moves[row as usize] = Some((kind * MOVES_LOOKS + least) as u16);
    }
    by_moves
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::eval::features::tests::walk_random_games;

    fn looks_of(board: Board) -> [u32; REGIONS] {
        looks(board, board.legal_moves(), board.pass().legal_moves())
    }

    /// The squares of a block in the order of its look.
    fn squares(block: usize) -> Vec<usize> {
        let place = |square: usize| {
            let looks = looks(Board { player: 1 << square, opponent: !(1 << square) }, 0, 0);
            let bits = (looks[block] - BEGINS[block]) as usize & 15;
            (bits != 0).then_some((bits.trailing_zeros(), square))
        };
        let mut found: Vec<_> = (0..64).filter_map(place).collect();
        found.sort_unstable();
        assert_eq!(found.iter().map(|&(i, _)| i).collect::<Vec<_>>(), [0, 1, 2, 3]);
        found.into_iter().map(|(_, square)| square).collect()
    }

    #[test]
    fn every_square_belongs_to_one_block_and_one_quadrant() {
        let mut all: Vec<usize> = (0..BLOCKS).flat_map(squares).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..64));
        assert_eq!(QUADRANTS.iter().fold(0, |all, quadrant| all ^ quadrant), u64::MAX);
        let count = |kind: usize| (0..REGIONS).filter(|&region| self::kind(region) == kind).count();
        assert_eq!([0, 1, 2, 3].map(count), [4, 8, 4, 4]);
        for block in 0..BLOCKS {
            let outer = squares(block)
                .into_iter()
                .map(|s| [0, 7].contains(&(s % 8)) as usize + [0, 7].contains(&(s / 8)) as usize);
            assert_eq!(outer.max(), Some(2 - kind(block)), "{block}");
        }
    }

    #[test]
    fn looks_are_the_states_of_squares() {
        walk_random_games(20, 5, |board, _, _| {
            let (moves, others) = (board.legal_moves(), board.pass().legal_moves());
            let empty = !(board.player | board.opponent);
            let looks = looks_of(board);
            for (block, &look) in looks[..BLOCKS].iter().enumerate() {
                let bit = |bits: u64, square: usize| (bits >> square & 1) as usize;
                let state = |(i, square): (usize, usize)| {
                    let own = bit(board.player | moves, square);
                    (own | bit(board.opponent | others, square) << 4 | bit(empty, square) << 8) << i
                };
                let expected: usize = squares(block).into_iter().enumerate().map(state).sum();
                assert_eq!(look as usize, kind(block) * BLOCK_LOOKS + expected);
            }
            for (q, quadrant) in QUADRANTS.into_iter().enumerate() {
                let [moves, others, empties] = [moves, others, empty].map(|bits| (bits & quadrant).count_ones());
                let expected = 128 * moves.min(7) + 16 * others.min(7) + empties.min(15);
                assert_eq!(looks[BLOCKS + q], 12_288 + expected);
            }
        });
    }

    #[test]
    fn images_of_a_board_have_the_same_rows() {
        let rows_of = |board: Board| {
            let mut rows = looks_of(board).map(|look| rows()[look as usize]);
            rows.sort_unstable();
            rows
        };
        let mut seen = HashSet::new();
        walk_random_games(100, 9, |board, _, _| {
            let expected = rows_of(board);
            assert!((1..8).all(|symmetry| rows_of(board.symmetry(symmetry)) == expected), "{board:?}");
            seen.extend(expected);
        });
        assert!(seen.len() > 1000 && seen.iter().all(|&row| (row as usize) < REGION_ROWS), "{}", seen.len());
    }

    #[test]
    fn rows_lie_kind_by_kind_and_all_are_used() {
        let mut begin = 0;
        for (kind, &count) in ROWS.iter().enumerate() {
            let looks = &rows()[kind * BLOCK_LOOKS..LOOKS.min((kind + 1) * BLOCK_LOOKS)];
            let used: HashSet<u16> = looks.iter().copied().filter(|&row| row != NO_ROW).collect();
            assert_eq!(used, (begin..begin + count as u16).collect());
            begin += count as u16;
        }
    }

    #[test]
    fn rows_by_moves_are_those_that_blocks_of_moves_had() {
        use crate::board::transform;
        // moves of a block in the order of the one that stood for its kind, the least of all images
        let firsts = [[0, 1, 8, 9], [4, 5, 12, 13], [20, 21, 28, 29]];
        let by_moves = rows_by_moves();
        walk_random_games(40, 6, |board, _, _| {
            let (moves, others) = (board.legal_moves(), board.pass().legal_moves());
            let looks = looks_of(board);
            for (block, &look) in looks[..BLOCKS].iter().enumerate() {
                let first = firsts[kind(block)];
                let is_onto_first = |symmetry: &usize| {
                    squares(block).into_iter().all(|s| first.iter().any(|&to| 1 << to == transform(1 << s, *symmetry)))
                };
                let image = |symmetry: usize| {
                    let bits =
                        |of: u64| first.iter().rev().fold(0, |all, to| all << 1 | transform(of, symmetry) >> to & 1);
                    (bits(moves) << 4 | bits(others)) as usize
                };
                let least = (0..8).filter(is_onto_first).map(image).min().unwrap();
                let row = rows()[look as usize] as usize;
                assert_eq!(by_moves[row], Some((kind(block) * MOVES_LOOKS + least) as u16), "{block} {board:?}");
            }
            assert!(looks[BLOCKS..].iter().all(|&look| by_moves[rows()[look as usize] as usize].is_none()));
        });
    }

    #[test]
    fn whatever_is_asked_looks_are_within_bounds() {
        for bits in 0..16 {
            let all = |i: u32| if bits >> i & 1 == 1 { u64::MAX } else { 0 };
            let looks = looks(Board { player: all(0), opponent: all(1) }, all(2), all(3));
            for (region, look) in looks.into_iter().enumerate() {
                assert!((look as usize) < LOOKS && look as usize / BLOCK_LOOKS == kind(region), "{bits} {region}");
            }
        }
    }
}
