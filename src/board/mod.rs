//! The 8x8 bitboard position that all fast code works on.
//!
//! A [`Board`] holds the discs of the side to move and of its opponent; who is black is known only
//! to the layers above. Squares outside a smaller board ("walls") are in neither set, and are not
//! empty either: the code that needs empties takes them from a mask.

pub(crate) mod moves;
pub(crate) mod rays;
mod square;
pub(crate) mod stability;

pub use square::{ParseSquareError, Square, Squares};

/// Discs of the side to move and of its opponent (bit 0 = `a1`, bit 63 = `h8`). No square is in both sets, which [`Board::new`] checks;
/// of boards that are made of their fields it is taken for granted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Board {
    /// Discs of the side to move.
    pub player: u64,
    /// Discs of the other side.
    pub opponent: u64,
}

/// Room for every legal move of a board. The most that are known are 35, where discs lie as no game brings them: annealing finds no board
/// with more.
pub(crate) const MAX_MOVES: usize = 36;

impl Board {
    /// The Othello start position, black to move.
    pub const START: Board = Board { player: 0x0000_0008_1000_0000, opponent: 0x0000_0010_0800_0000 };

    /// A board with the most moves that are known.
    #[cfg(test)]
    pub(crate) const MANY_MOVES: Board = Board { player: 0x0008_6604_243C_0800, opponent: 0x0066_0842_5240_5600 };

    /// A board from the two disc sets, or `None` when they overlap.
    pub const fn new(player: u64, opponent: u64) -> Option<Board> {
        if player & opponent == 0 { Some(Board { player, opponent }) } else { None }
    }

    /// Empty squares of the whole 8x8 board.
    #[inline(always)]
    pub const fn empties(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// Number of empty squares of the whole 8x8 board.
    #[inline(always)]
    pub const fn empty_count(self) -> u32 {
        self.empties().count_ones()
    }

    /// Squares where the side to move can place a disc.
    #[inline]
    pub fn legal_moves(self) -> u64 {
        moves::moves(self.player, self.opponent)
    }

    /// Opponent discs turned when the side to move plays on `square`; 0 when the move is not legal.
    /// The square must be empty.
    #[inline]
    pub fn flips(self, square: Square) -> u64 {
        moves::flips(square.index(), self.player, self.opponent)
    }

    /// The position after the side to move placed a disc on `square` turning `flips`; the other side is to move.
    #[inline(always)]
    #[must_use]
    pub const fn after(self, square: Square, flips: u64) -> Board {
        Board { player: self.opponent & !flips, opponent: self.player | flips | square.bit() }
    }

    /// Plays `square` if it is legal.
    #[must_use]
    pub fn play(self, square: Square) -> Option<Board> {
        if square.bit() & self.empties() == 0 {
            return None;
        }
        match self.flips(square) {
            0 => None,
            flips => Some(self.after(square, flips)),
        }
    }

    /// The same discs with the other side to move.
    #[inline(always)]
    #[must_use]
    pub const fn pass(self) -> Board {
        Board { player: self.opponent, opponent: self.player }
    }

    /// Neither side can place a disc.
    pub fn is_game_over(self) -> bool {
        self.legal_moves() == 0 && self.pass().legal_moves() == 0
    }

    /// Discs of the side to move minus discs of the opponent.
    #[inline]
    pub const fn disc_difference(self) -> i32 {
        self.player.count_ones() as i32 - self.opponent.count_ones() as i32
    }

    /// The score of a finished game for the side to move, empty squares counted for the winner.
    pub const fn final_score(self) -> i32 {
        let difference = self.disc_difference();
        let empties = self.empty_count() as i32;
        match difference {
            0 => 0,
            d if d > 0 => d + empties,
            d => d - empties,
        }
    }

    /// The image under one of the 8 symmetries of the square, `index` 0..8:
    /// bit 0 mirrors columns, bit 1 mirrors rows, bit 2 swaps columns and rows (applied last).
    #[must_use]
    pub const fn symmetry(self, index: usize) -> Board {
        Board { player: transform(self.player, index), opponent: transform(self.opponent, index) }
    }

    /// The smallest of the 8 symmetric images: one representative for each class.
    #[must_use]
    pub fn canonical(self) -> Board {
        self.canonical_by().0
    }

    /// [`Board::canonical`], and the first symmetry that leads to it.
    #[must_use]
    pub fn canonical_by(self) -> (Board, usize) {
        let images = images(self.player);
        let mut by = 0;
        for (index, image) in images.iter().enumerate() {
            if *image < images[by] {
                by = index;
            }
        }
        let mut least = Board { player: images[by], opponent: transform(self.opponent, by) };
        // the other side's discs matter only where this side's do not decide: seldom
        for (index, image) in images.iter().enumerate().skip(by + 1) {
            if *image == least.player {
                let opponent = transform(self.opponent, index);
                if opponent < least.opponent {
                    (least.opponent, by) = (opponent, index);
                }
            }
        }
        (least, by)
    }
}

/// All images of a bitboard ([`transform`] with 0..8).
const fn images(bits: u64) -> [u64; 8] {
    let (mirrored, transposed) = (mirror_columns(bits), transpose(bits));
    // what mirrors columns before rows and columns are swapped mirrors rows behind it
    let both = mirror_columns(transposed);
    [
        bits,
        mirrored,
        bits.swap_bytes(),
        mirrored.swap_bytes(),
        transposed,
        transposed.swap_bytes(),
        both,
        both.swap_bytes(),
    ]
}

/// A bitboard's image under symmetry `index` (see [`Board::symmetry`]).
pub const fn transform(mut bits: u64, index: usize) -> u64 {
    if index & 1 != 0 {
        bits = mirror_columns(bits);
    }
    if index & 2 != 0 {
        bits = bits.swap_bytes();
    }
    if index & 4 != 0 {
        bits = transpose(bits);
    }
    bits
}

/// Mirrors columns: a <-> h.
const fn mirror_columns(bits: u64) -> u64 {
    bits.swap_bytes().reverse_bits()
}

/// Swaps columns and rows (mirrors at the a1-h8 diagonal) by exchanging ever larger blocks.
const fn transpose(mut x: u64) -> u64 {
    let mut t = (x ^ (x >> 7)) & 0x00AA_00AA_00AA_00AA;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000_CCCC_0000_CCCC;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x0000_0000_F0F0_F0F0;
    x ^ t ^ (t << 28)
}

/// The image of a square under symmetry `index` (see [`Board::symmetry`]).
pub const fn transform_square(square: Square, index: usize) -> Square {
    Square::of_lowest_bit(transform(square.bit(), index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_has_four_moves() {
        let names: Vec<String> = Squares(Board::START.legal_moves()).map(|s| s.to_string()).collect();
        assert_eq!(names, ["d3", "c4", "f5", "e6"]);
        assert_eq!(Board::START.play("f5".parse().unwrap()).unwrap().disc_difference(), -3);
        assert!(Board::START.play("a1".parse().unwrap()).is_none());
        assert!(Board::START.play("d4".parse().unwrap()).is_none());
    }

    #[test]
    fn symmetries_are_distinct_and_map_squares() {
        let b1 = "b1".parse::<Square>().unwrap();
        let mut squares: Vec<String> = (0..8).map(|i| transform_square(b1, i).to_string()).collect();
        squares.sort();
        assert_eq!(squares, ["a2", "a7", "b1", "b8", "g1", "g8", "h2", "h7"]);
        let board = Board::START.play("f5".parse().unwrap()).unwrap();
        assert!((0..8).all(|i| board.symmetry(i).canonical() == board.canonical()));
        let bits = board.opponent | 0x0102_0400;
        assert!(images(bits).iter().enumerate().all(|(index, image)| *image == transform(bits, index)));
        // the start has images that differ in the other side's discs only
        for board in [Board::START, Board { player: 0x18, opponent: 0x81 }, Board { player: 0, opponent: 0x0102 }] {
            assert_eq!(Some(board.canonical()), (0..8).map(|i| board.symmetry(i)).min());
        }
    }

    #[test]
    fn final_score_gives_empties_to_the_winner() {
        assert_eq!(Board { player: 0xFF, opponent: 0 }.final_score(), 64);
        assert_eq!(Board { player: 1, opponent: 2 }.final_score(), 0);
        assert_eq!(Board { player: 1, opponent: 6 }.final_score(), -62);
    }
}
