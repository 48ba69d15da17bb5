//! Moves of the root that are images of one another: where a symmetry of the board leaves the position as it is, one of them stands
//! for all. The four first moves of the game are one, which makes solving 6x6 from its start three times as fast.

use crate::board::{Square, Squares, transform};

/// The symmetries that leave a position as it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symmetries {
    /// How far columns and rows mirrored on the whole board lie from the rectangle in its corner, as shifts.
    back: [u32; 2],
    /// A bit for each of the eight (see [`transform`]); the identity's is set.
    set: u8,
}

impl Symmetries {
    /// The symmetries of a position on the rectangle `mask` with a corner in a1.
    pub fn of(mask: u64, player: u64, opponent: u64) -> Symmetries {
        let columns = (mask & 0xFF).count_ones();
        let rows = mask.count_ones() / columns.max(1);
        let mut symmetries = Symmetries { back: [8 - columns, 8 * (8 - rows)], set: 0 };
        for index in 0..8 {
            let stays = |set: u64| symmetries.image(set, index) == set;
            if (index < 4 || columns == rows) && stays(player) && stays(opponent) {
                symmetries.set |= 1 << index;
            }
        }
        symmetries
    }

    /// A set of squares of the rectangle under one of its symmetries. What swaps columns and rows does so last, when the mirrored
    /// square is back in its corner.
    fn image(&self, set: u64, index: usize) -> u64 {
        let mut mirrored = transform(set, index & 3);
        for (bit, shift) in self.back.into_iter().enumerate() {
            if index >> bit & 1 != 0 {
                mirrored >>= shift;
            }
        }
        transform(mirrored, index & 4)
    }

    fn indices(self) -> impl Iterator<Item = usize> {
        (0..8).filter(move |index| self.set >> index & 1 != 0)
    }

    /// The squares that a square is taken to, itself among them.
    pub fn orbit(self, square: u8) -> u64 {
        self.indices().fold(0, |orbit, index| orbit | self.image(1 << square, index))
    }

    /// One square of each orbit in a set: the first.
    pub fn representatives(self, set: u64) -> u64 {
        let is_first = |&square: &Square| self.orbit(square.index() as u8) & set & (square.bit() - 1) == 0;
        Squares(set).filter(is_first).fold(0, |first, square| first | square.bit())
    }

    /// A symmetry that takes one square to another of its orbit.
    pub fn between(self, from: u8, to: u8) -> Option<Symmetry> {
        let index = self.indices().find(|&index| self.image(1 << from, index) == 1 << to)?;
        Some(Symmetry { of: self, index })
    }
}

/// One of the symmetries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symmetry {
    of: Symmetries,
    index: usize,
}

impl Symmetry {
    /// Where a square goes.
    pub fn apply(self, square: Square) -> Square {
        Square::of_lowest_bit(self.of.image(square.bit(), self.index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn squares(names: &str) -> u64 {
        names.split(' ').fold(0, |set, name| set | name.parse::<Square>().unwrap().bit())
    }

    #[test]
    fn first_moves_are_one() {
        let start = Board::START;
        let symmetries = Symmetries::of(u64::MAX, start.player, start.opponent);
        assert_eq!(symmetries.representatives(start.legal_moves()), squares("d3"));
        assert_eq!(symmetries.orbit(19), start.legal_moves());
        // what is left when one of them may not be played
        assert_eq!(symmetries.representatives(squares("f5 e6")), squares("f5"));
        let next = start.play("d3".parse().unwrap()).unwrap();
        let none = Symmetries::of(u64::MAX, next.player, next.opponent);
        assert_eq!(none.representatives(next.legal_moves()), next.legal_moves());
        assert!(none.between(18, 34).is_none());
    }

    #[test]
    fn symmetries_keep_the_position_and_answer_to_each_other() {
        // columns, rows; symmetries with four discs in the middle; orbits of the empty board
        for (columns, rows, count, orbits) in
            [(8u32, 8u32, 4, 10), (6, 6, 4, 6), (4, 4, 4, 3), (6, 4, 2, 6), (4, 8, 2, 8)]
        {
            let row = (1u64 << columns) - 1;
            let mask = (0..rows).fold(0, |mask, y| mask | row << (8 * y));
            let middle = |x: u32, y: u32| 1u64 << (8 * (rows / 2 - 1 + y) + columns / 2 - 1 + x);
            let (player, opponent) = (middle(1, 0) | middle(0, 1), middle(0, 0) | middle(1, 1));
            let symmetries = Symmetries::of(mask, player, opponent);
            assert_eq!(symmetries.set.count_ones(), count, "{columns}x{rows}");
            let all = Symmetries::of(mask, 0, 0);
            assert_eq!(all.set.count_ones(), if columns == rows { 8 } else { 4 });
            for square in Squares(mask) {
                let orbit = all.orbit(square.index() as u8);
                assert_eq!(orbit & !mask, 0);
                assert!(orbit.count_ones() <= all.set.count_ones());
                for image in Squares(orbit) {
                    let by = all.between(square.index() as u8, image.index() as u8).unwrap();
                    assert_eq!(by.apply(square), image);
                    assert_eq!(all.orbit(image.index() as u8), orbit);
                }
            }
            assert_eq!(all.representatives(mask).count_ones(), orbits);
        }
    }
}
