//! Where the two sides may move, as the embedding sees it.
//!
//! The board is cut into 16 blocks of two by two squares. Each square of a block may be a legal move of the side to move, of the other
//! side, of both or of nobody: 256 looks of a block, each with a row of its own. Blocks that are images of each other under the
//! symmetries of the board share their rows, so that there are three kinds: in a corner, on an edge, in the middle. (Patterns see which
//! lines turn discs, but not what several of them say together about one empty square: that it is a move, or how many moves there are.)

use std::sync::OnceLock;

use crate::board::transform;

/// Blocks of the board.
pub const BLOCKS: usize = 16;
/// Looks of a block: four squares, for each side.
pub const LOOKS: usize = 256;
/// How many blocks there are of each kind.
pub const KINDS: [usize; 3] = [4, 8, 4];
/// Rows of all kinds.
pub const BLOCK_ROWS: usize = KINDS.len() * LOOKS;

/// The four moves of each block side by side, blocks from a1 along the first two ranks and then upwards: two swaps of pairs of squares.
#[inline(always)]
fn by_blocks(moves: u64) -> u64 {
    let swapped = (moves ^ moves >> 4) & 0x00F0_00F0_00F0_00F0;
    let moves = moves ^ (swapped | swapped << 4);
    let swapped = (moves ^ moves >> 2) & 0x0C0C_0C0C_0C0C_0C0C;
    moves ^ (swapped | swapped << 2)
}

/// The look of each block: every second one from the first on, then the others. The moves of the side to move count 16 times.
#[inline(always)]
pub fn looks(moves: u64, others: u64) -> [u8; BLOCKS] {
    const LOW: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    let (moves, others) = (by_blocks(moves), by_blocks(others));
    let even = (moves & LOW) << 4 | others & LOW;
    let odd = moves & !LOW | others >> 4 & LOW;
    let mut looks = [0; BLOCKS];
    let mut i = 0;
    while i < BLOCKS / 2 {
        looks[i] = (even >> (8 * i)) as u8;
        looks[i + BLOCKS / 2] = (odd >> (8 * i)) as u8;
        i += 1;
    }
    looks
}

/// The squares of a block in the order of [`looks`].
fn squares(block: usize) -> [usize; 4] {
    let half = BLOCKS / 2;
    let place = 2 * (block % half) + block / half;
    let first = 16 * (place / 4) + 2 * (place % 4);
    [first, first + 1, first + 8, first + 9]
}

/// The kind of a block.
pub fn kind(block: usize) -> usize {
    let first = squares(block)[0];
    let is_outer = |line: usize| line == 0 || line == 6;
    2 - is_outer(first % 8) as usize - is_outer(first / 8) as usize
}

/// By block and look, the row among [`BLOCK_ROWS`]; made on first use.
pub fn rows() -> &'static [[u16; LOOKS]; BLOCKS] {
    static ROWS: OnceLock<[[u16; LOOKS]; BLOCKS]> = OnceLock::new();
    ROWS.get_or_init(|| {
        // the first block of a kind stands for all: of the images of a look there, the least number is the row
        std::array::from_fn(|block| {
            let kind = kind(block);
            let first = (0..BLOCKS).find(|&other| self::kind(other) == kind).map(squares).expect("itself at least");
            let onto_first = |symmetry: usize| {
                let place = |square: usize| first.iter().position(|&to| 1 << to == transform(1 << square, symmetry));
                squares(block).into_iter().map(place).collect::<Option<Vec<usize>>>()
            };
            let images: Vec<Vec<usize>> = (0..8).filter_map(onto_first).collect();
            std::array::from_fn(|look| {
                let image = |places: &Vec<usize>| {
                    let moved = |bits: usize| (0..4).map(|i| (bits >> i & 1) << places[i]).sum::<usize>();
                    moved(look >> 4) << 4 | moved(look & 15)
                };
                let least = images.iter().map(image).min().expect("a symmetry leads to every block of a kind");
                (kind * LOOKS + least) as u16
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::eval::features::tests::walk_random_games;

    #[test]
    fn every_square_belongs_to_one_block_and_looks_are_its_moves() {
        let mut all: Vec<usize> = (0..BLOCKS).flat_map(squares).collect();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..64));
        for block in 0..BLOCKS {
            for (i, square) in squares(block).into_iter().enumerate() {
                let mut own = [0; BLOCKS];
                own[block] = 16 << i;
                assert_eq!(looks(1 << square, 0), own, "{block} {square}");
                assert_eq!(looks(0, 1 << square), own.map(|look| look >> 4));
                assert_eq!(looks(u64::MAX, 1 << square), own.map(|look| look >> 4 | 0xF0));
            }
        }
        assert_eq!(KINDS, [0, 1, 2].map(|of| (0..BLOCKS).filter(|&block| kind(block) == of).count()));
    }

    /// The rows of a board, sorted: what the sum does not see.
    fn rows_of(board: Board) -> Vec<u16> {
        let looks = looks(board.legal_moves(), board.pass().legal_moves());
        let mut rows: Vec<u16> = looks.iter().zip(rows()).map(|(&look, rows)| rows[look as usize]).collect();
        rows.sort_unstable();
        rows
    }

    #[test]
    fn images_of_a_board_have_the_same_rows() {
        let mut seen = std::collections::HashSet::new();
        walk_random_games(60, 9, |board, _, _| {
            let expected = rows_of(board);
            assert!((1..8).all(|symmetry| rows_of(board.symmetry(symmetry)) == expected), "{board:?}");
            seen.extend(expected);
        });
        assert!(seen.len() > 200 && seen.iter().all(|&row| (row as usize) < BLOCK_ROWS), "{}", seen.len());
    }

    #[test]
    fn as_many_rows_are_used_as_looks_differ() {
        // squares may be in four states; the mirror of a block in a corner or in the middle leaves two where they are and swaps two, so
        // that 4 * 4 * 4 looks are their own images
        let used: std::collections::HashSet<u16> = rows().iter().flatten().copied().collect();
        let of_kind = [0, 1, 2].map(|kind| used.iter().filter(|&&row| row as usize / LOOKS == kind).count());
        assert_eq!(of_kind, [(256 + 64) / 2, 256, (256 + 64) / 2]);
    }
}
