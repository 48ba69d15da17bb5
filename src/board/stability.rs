//! Discs that can never be flipped again.
//!
//! Three ingredients: an exact table for the four edges, lines that are completely filled, and contact with
//! discs already known to be stable. The result is a subset of the truly stable discs.

/// Stable discs of an edge: entry `player * 256 + opponent`, both as 8-bit edge fillings.
pub(crate) type EdgeTable = [u8; 65536];

/// The edge table. It is made by the compiler: at run time it would take half of a millisecond, which is most of what it takes
/// to solve a dozen empty squares.
pub(crate) fn edge_table() -> &'static EdgeTable {
    static TABLE: EdgeTable = make_edge_table();
    &TABLE
}

/// A player disc is stable when it stays in every possible way of filling the edge. Fillings are worked out
/// from full edges downwards: any empty square may be taken by either side (flips along the edge included,
/// or none when the move turns discs elsewhere).
const fn make_edge_table() -> EdgeTable {
    let mut table = [0; 65536];
    let mut discs = 256;
    // a set of squares is a smaller number than every larger set that contains it
    while discs > 0 {
        discs -= 1;
        let mut player = discs;
        loop {
            table[player * 256 + (discs ^ player)] = stable_on_edge(&table, player, discs ^ player);
            if player == 0 {
                break;
            }
            player = (player - 1) & discs;
        }
    }
    table
}

/// The entry of an edge, made of those of fuller ones.
const fn stable_on_edge(table: &EdgeTable, player: usize, opponent: usize) -> u8 {
    let mut stable = player as u8;
    let mut square = 0;
    while square < 8 {
        if (player | opponent) >> square & 1 == 0 {
            let flips = edge_flips(square, player, opponent);
            stable &= table[(player | flips | 1 << square) * 256 + (opponent & !flips)];
            let flips = edge_flips(square, opponent, player);
            stable &= table[(player & !flips) * 256 + (opponent | flips | 1 << square)];
        }
        square += 1;
    }
    stable
}

/// Flips along an edge of 8 squares.
const fn edge_flips(square: usize, player: usize, opponent: usize) -> usize {
    let mut flips = 0;
    let (mut above, mut run) = (1 << square << 1, 0);
    while above & opponent != 0 {
        run |= above;
        above <<= 1;
    }
    if above & player != 0 {
        flips |= run;
    }
    let (mut below, mut run) = (1 << square >> 1, 0);
    while below & opponent != 0 {
        run |= below;
        below >>= 1;
    }
    if below & player != 0 {
        flips |= run;
    }
    flips
}

const FILE_A: u64 = 0x0101_0101_0101_0101;

/// An 8-bit filling spread over column a, row by row.
static COLUMN: [u64; 256] = {
    let mut table = [0; 256];
    let mut line = 0;
    while line < 256 {
        let mut row = 0;
        while row < 8 {
            table[line] |= ((line >> row & 1) as u64) << (8 * row);
            row += 1;
        }
        line += 1;
    }
    table
};

/// Column `x` gathered into 8 bits.
#[inline(always)]
fn column(bits: u64, x: u32) -> usize {
    ((bits >> x & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56) as usize
}

/// Squares on completely filled rows, columns and both kinds of diagonals.
#[inline(always)]
fn full_lines(discs: u64) -> [u64; 4] {
    let empties = !discs;
    // rows: gather to column a, spread again
    let mut row = discs & discs >> 4;
    row &= row >> 2;
    row &= row >> 1;
    let rows = (row & FILE_A).wrapping_mul(0xFF);
    let mut columns = discs & discs.rotate_left(8);
    columns &= columns.rotate_left(16);
    columns &= columns.rotate_left(32);
    // diagonals: smear the empties along them both ways
    let mut up = empties | (empties << 9 & 0xFEFE_FEFE_FEFE_FEFE);
    up |= up << 18 & 0xFCFC_FCFC_FCFC_FCFC;
    up |= up << 36 & 0xF0F0_F0F0_F0F0_F0F0;
    let mut down = empties | (empties >> 9 & 0x7F7F_7F7F_7F7F_7F7F);
    down |= down >> 18 & 0x3F3F_3F3F_3F3F_3F3F;
    down |= down >> 36 & 0x0F0F_0F0F_0F0F_0F0F;
    let falling = !(up | down);
    let mut up = empties | (empties << 7 & 0x7F7F_7F7F_7F7F_7F7F);
    up |= up << 14 & 0x3F3F_3F3F_3F3F_3F3F;
    up |= up << 28 & 0x0F0F_0F0F_0F0F_0F0F;
    let mut down = empties | (empties >> 7 & 0xFEFE_FEFE_FEFE_FEFE);
    down |= down >> 14 & 0xFCFC_FCFC_FCFC_FCFC;
    down |= down >> 28 & 0xF0F0_F0F0_F0F0_F0F0;
    [rows, columns, falling, !(up | down)]
}

/// Discs of `player` on the edges that are stable whatever happens.
#[inline(always)]
fn stable_edges(edges: &EdgeTable, player: u64, opponent: u64) -> u64 {
    let top = edges[((player & 0xFF) << 8 | opponent & 0xFF) as usize] as u64;
    let bottom = edges[(player >> 56 << 8 | opponent >> 56) as usize] as u64;
    let left = COLUMN[edges[column(player, 0) << 8 | column(opponent, 0)] as usize];
    let right = COLUMN[edges[column(player, 7) << 8 | column(opponent, 7)] as usize];
    top | bottom << 56 | left | right << 7
}

/// Discs of `player` that can never be flipped.
#[inline(always)]
pub(crate) fn stable_discs(edges: &EdgeTable, player: u64, opponent: u64) -> u64 {
    const INNER: u64 = 0x007E_7E7E_7E7E_7E00;
    let [rows, columns, falling, rising] = full_lines(player | opponent);
    let mut stable = stable_edges(edges, player, opponent) | (player & INNER & rows & columns & falling & rising);
    if stable == 0 {
        return 0;
    }
    let candidates = player & INNER;
    loop {
        let horizontal = rows | stable << 1 | stable >> 1;
        let vertical = columns | stable << 8 | stable >> 8;
        let falling = falling | stable << 9 | stable >> 9;
        let rising = rising | stable << 7 | stable >> 7;
        let more = stable | (candidates & horizontal & vertical & falling & rising);
        if more == stable {
            return stable;
        }
        stable = more;
    }
}

/// [`stable_discs`] of a board with walls: `mask` are the squares that exist.
///
/// Edges are not looked up, so an edge whose stability only its whole filling shows is missed unless it is full.
#[inline(always)]
pub(crate) fn stable_discs_within(mask: u64, player: u64, opponent: u64) -> u64 {
    const SIDES: u64 = 0x8181_8181_8181_8181;
    const ENDS: u64 = 0xFF00_0000_0000_00FF;
    let walls = !mask;
    let [rows, columns, falling, rising] = full_lines(player | opponent | walls);
    // nothing can be outflanked across the border: it holds a disc as firmly as a stable neighbour does
    let (rows, columns) = (rows | SIDES, columns | ENDS);
    let (falling, rising) = (falling | SIDES | ENDS, rising | SIDES | ENDS);
    let mut stable = 0;
    loop {
        let firm = stable | walls;
        let horizontal = rows | firm << 1 | firm >> 1;
        let vertical = columns | firm << 8 | firm >> 8;
        let falling = falling | firm << 9 | firm >> 9;
        let rising = rising | firm << 7 | firm >> 7;
        let more = player & horizontal & vertical & falling & rising;
        if more == stable {
            return stable;
        }
        stable = more;
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::board::{Board, Square, Squares};

    /// The definition, without regard to the order of fillings.
    #[test]
    fn discs_of_edges_are_stable_when_no_filling_turns_them() {
        fn turns(discs: &mut Vec<Option<u8>>, player: usize, opponent: usize) -> u8 {
            if let Some(known) = discs[player * 256 + opponent] {
                return known;
            }
            let mut stable = player as u8;
            for square in (0..8).filter(|s| (player | opponent) >> s & 1 == 0) {
                // along a row of the board
                let flips = |own: usize, other: usize| {
                    let board = Board::new((own as u64) << 24, (other as u64) << 24).unwrap();
                    (board.flips(Square::new(24 + square).unwrap()) >> 24) as usize
                };
                let turned = flips(player, opponent);
                stable &= turns(discs, player | turned | 1 << square, opponent & !turned);
                let turned = flips(opponent, player);
                stable &= turns(discs, player & !turned, opponent | turned | 1 << square);
            }
            discs[player * 256 + opponent] = Some(stable);
            stable
        }
        let mut known = vec![None; 65536];
        for player in 0..256usize {
            for opponent in (0..256).filter(|opponent| player & opponent == 0) {
                let expected = turns(&mut known, player, opponent);
                assert_eq!(edge_table()[player * 256 + opponent], expected, "{player:b} {opponent:b}");
            }
        }
    }

    #[test]
    fn corners_and_full_boards() {
        let edges = edge_table();
        assert_eq!(stable_discs(edges, 1, 0), 1);
        assert_eq!(stable_discs(edges, 2, 0), 0);
        assert_eq!(stable_discs(edges, 0x3, 0), 0x3);
        assert_eq!(stable_discs(edges, 0xF0F0, !0xF0F0), 0xF0F0);
        assert_eq!(stable_discs(edges, u64::MAX, 0), u64::MAX);
        // an edge b1-g1 between two empty corners is not stable
        assert_eq!(stable_discs(edges, 0x7E, 0), 0);
    }

    /// The squares of a board in the middle of the 8x8 one.
    fn middle(columns: u32, rows: u32) -> u64 {
        let (left, top) = ((8 - columns) / 2, (8 - rows) / 2);
        let row = ((1u64 << columns) - 1) << left;
        (top..top + rows).fold(0, |mask, y| mask | row << (8 * y))
    }

    /// Plays random games within a mask and asserts that discs called stable stay whatever both sides play; how many there
    /// were.
    fn found_in_random_games(mask: u64, stable: impl Fn(u64, u64) -> u64, games: u32, seed: u64) -> u32 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut found = 0;
        for _ in 0..games {
            let (mut board, mut claimed, mut passes) = (Board::START, [0u64; 2], 0);
            let mut side = 0;
            while passes < 2 {
                for (s, b) in [(side, board), (1 - side, board.pass())] {
                    claimed[s] |= stable(b.player, b.opponent);
                    assert_eq!(claimed[s] & !b.player, 0, "a disc called stable was flipped: {board:x?}");
                }
                let moves = board.legal_moves() & mask;
                if moves == 0 {
                    passes += 1;
                    board = board.pass();
                } else {
                    passes = 0;
                    let nth = rng.random_range(0..moves.count_ones()) as usize;
                    board = board.play(Squares(moves).nth(nth).unwrap()).unwrap();
                }
                side = 1 - side;
            }
            found += claimed[0].count_ones() + claimed[1].count_ones();
        }
        found
    }

    #[test]
    fn stable_discs_within_walls_survive_random_play() {
        for (columns, rows) in [(8, 8), (6, 6), (4, 6), (8, 4), (6, 8), (4, 4)] {
            let mask = middle(columns, rows);
            let stable = |player, opponent| stable_discs_within(mask, player, opponent);
            let found = found_in_random_games(mask, stable, 2_000, 4);
            assert!(found > 2_000 * mask.count_ones() / 2, "{columns}x{rows}: only {found} stable discs found");
        }
    }

    /// What the solver makes use of to leave a test out.
    #[test]
    fn what_a_move_turns_is_not_stable() {
        let mut rng = StdRng::seed_from_u64(5);
        let mut turned = 0;
        for _ in 0..2_000 {
            let mut board = Board::START;
            while board.legal_moves() != 0 {
                let stable = stable_discs(edge_table(), board.opponent, board.player);
                for square in Squares(board.legal_moves()) {
                    assert_eq!(board.flips(square) & stable, 0, "{board:x?} {square}");
                    turned += board.flips(square).count_ones();
                }
                let nth = rng.random_range(0..board.legal_moves().count_ones()) as usize;
                board = board.play(Squares(board.legal_moves()).nth(nth).unwrap()).unwrap();
            }
        }
        assert!(turned > 1_000_000, "only {turned} discs turned");
    }

    #[test]
    fn stable_discs_survive_random_play() {
        let stable = |player, opponent| stable_discs(edge_table(), player, opponent);
        let found = found_in_random_games(u64::MAX, stable, 20_000, 3);
        assert!(found > 20_000 * 30, "only {found} stable discs found");
    }
}
