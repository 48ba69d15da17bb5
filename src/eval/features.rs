//! The pattern fillings of a position, kept up to date move by move.

use super::pattern::{DIGITS, FEATURES, FILLINGS, OFFSETS};
use crate::board::{Board, Square, Squares};
use crate::kernel::sums::{LANES, Places};

/// The filling of every pattern as one side sees it; [`FEATURES`] rounded up to whole vectors, the rest stay 0.
pub(crate) type Fillings = [u16; LANES];

/// Where the fillings of each lane begin in a table of all families; those of the lanes too many come after all others.
static BEGIN: Places = {
    let mut begin = [FILLINGS as u32; LANES];
    let mut f = 0;
    while f < FEATURES {
        begin[f] = OFFSETS[f];
        f += 1;
    }
    Places(begin)
};

/// Indices of fillings in a table of all families: at most [`FILLINGS`] and a 16-bit number.
#[allow(clippy::needless_range_loop)] // iterators would stay calls in functions with target features
#[inline(always)]
pub(super) fn places(fillings: &Fillings) -> Places {
    let mut places = Places([0; LANES]);
    for i in 0..LANES {
        places.0[i] = BEGIN.0[i] + fillings[i] as u32;
    }
    places
}

/// What a disc on a square adds to each filling, one row a square (6 KB), and one of no square, that adds nothing.
#[repr(align(64))]
struct Rows([[u16; LANES]; 65]);

static ROWS: Rows = {
    let mut rows = [[0; LANES]; 65];
    let mut square = 0;
    while square < 64 {
        let mut f = 0;
        while f < FEATURES {
            rows[square][f] = DIGITS[square][f];
            f += 1;
        }
        square += 1;
    }
    Rows(rows)
};

/// The filling of every pattern, seen by both sides (192 bytes).
///
/// Views are numbered 0 and 1; which side has which is the caller's choice, made when it calls
/// [`Features::new`] with one of them as the board's player. A pass changes nothing here: the next
/// move is simply made by the other view. In a view, its own discs are digit 1, the other side's 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub struct Features {
    views: [Fillings; 2],
}

impl Features {
    /// The fillings of a board: view 0 is that of `board.player`, view 1 that of `board.opponent`.
    pub fn new(board: Board) -> Features {
        let mut views = [[0; LANES]; 2];
        for (discs, own) in [(board.player, 0), (board.opponent, 1)] {
            for square in Squares(discs) {
                for (f, &digit) in ROWS.0[square.index()].iter().enumerate() {
                    views[own][f] += digit;
                    views[1 - own][f] += 2 * digit;
                }
            }
        }
        Features { views }
    }

    /// The fillings after the side of `view` (0 or 1) placed a disc on `square`, turning `flips`.
    #[inline(always)]
    #[must_use]
    pub fn after(&self, view: usize, square: Square, flips: u64) -> Features {
        let mut next = Features { views: [[0; LANES]; 2] };
        self.after_into(&mut next, view, square, flips);
        next
    }

    /// [`Features::after`] written to `next`. Plain array code: it becomes vector code of the instruction
    /// set of the function it is inlined into.
    #[inline(always)]
    pub fn after_into(&self, next: &mut Features, view: usize, square: Square, flips: u64) {
        let flipped = sum_of_rows(flips);
        let placed = &ROWS.0[square.index()];
        let (mover, other) = (view & 1, view & 1 ^ 1);
        // the mover's view: the square 0 -> 1, turned discs 2 -> 1; the other's: 0 -> 2 and 1 -> 2
        for i in 0..LANES {
            next.views[mover][i] = self.views[mover][i].wrapping_add(placed[i]).wrapping_sub(flipped[i]);
            next.views[other][i] = self.views[other][i].wrapping_add(2 * placed[i]).wrapping_add(flipped[i]);
        }
    }

    /// The part of [`Features::after`] that is seen by the side to move next.
    #[inline(always)]
    pub(crate) fn reply_fillings(&self, view: usize, square: Square, flips: u64) -> Fillings {
        let flipped = sum_of_rows(flips);
        let placed = &ROWS.0[square.index()];
        let mut next = self.views[view & 1 ^ 1];
        for i in 0..LANES {
            next[i] = next[i].wrapping_add(2 * placed[i]).wrapping_add(flipped[i]);
        }
        next
    }

    /// The filling of each pattern as the side of `view` (0 or 1) sees it.
    #[inline(always)]
    pub(crate) fn fillings(&self, view: usize) -> &Fillings {
        &self.views[view & 1]
    }
}

/// What discs on all `squares` add to the fillings.
#[inline(always)]
fn sum_of_rows(squares: u64) -> Fillings {
    let mut sum = [0u16; LANES];
    let mut rest = squares;
    // rows of nothing are cheaper than the branch after each square, which nobody can predict
    loop {
        for _ in 0..3 {
            let row = &ROWS.0[rest.trailing_zeros() as usize];
            rest &= rest.wrapping_sub(1);
            for i in 0..LANES {
                sum[i] = sum[i].wrapping_add(row[i]);
            }
        }
        if rest == 0 {
            return sum;
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::eval::pattern::PATTERNS;

    /// The definition: digit by digit.
    fn reference(board: Board) -> Vec<u16> {
        let digit = |square: u8| (board.player >> square & 1) as u16 + 2 * (board.opponent >> square & 1) as u16;
        PATTERNS.iter().map(|p| p.squares().iter().rev().fold(0, |sum, &square| sum * 3 + digit(square))).collect()
    }

    /// Plays random games and hands over every position with its incremental features and the mover's view.
    pub fn walk_random_games(games: usize, seed: u64, mut visit: impl FnMut(Board, &Features, usize)) -> usize {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut passes = 0;
        for _ in 0..games {
            let (mut board, mut view) = (Board::START, 0);
            let mut features = Features::new(board);
            loop {
                visit(board, &features, view);
                let moves = board.legal_moves();
                if moves == 0 {
                    board = board.pass();
                    view ^= 1;
                    if board.legal_moves() == 0 {
                        break;
                    }
                    passes += 1;
                    continue;
                }
                let choice = rng.random_range(0..moves.count_ones());
                let square = Squares(moves).nth(choice as usize).expect("a move");
                let flips = board.flips(square);
                features = features.after(view, square, flips);
                board = board.after(square, flips);
                view ^= 1;
            }
        }
        passes
    }

    #[test]
    fn incremental_equals_from_scratch() {
        let mut positions = 0;
        let passes = walk_random_games(300, 1, |board, features, view| {
            positions += 1;
            assert_eq!(features.fillings(view)[..FEATURES], reference(board));
            assert_eq!(features.fillings(view ^ 1)[..FEATURES], reference(board.pass()));
            let fresh = Features::new(board);
            assert_eq!(fresh.fillings(0), features.fillings(view));
            assert_eq!(fresh.fillings(1), features.fillings(view ^ 1));
            for square in Squares(board.legal_moves()) {
                let flips = board.flips(square);
                let after = features.after(view, square, flips);
                assert_eq!(&features.reply_fillings(view, square, flips), after.fillings(view ^ 1));
            }
        });
        assert!(positions > 15_000 && passes > 100, "{positions} positions, {passes} passes");
    }
}
