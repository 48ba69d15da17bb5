//! Which squares a board has: all of a rectangle, or not all of them.
//!
//! A *hole* is a square that does not exist: it is never empty, never carries a disc, and lines stop there.

use super::{Bits, Point, RuleSet};

/// Which squares of the rectangle of rows and columns exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// All of them.
    Rectangle,
    /// Three squares are cut off at each corner, as on the octagonal boards that players know (10x10 with 88 squares).
    Octagon,
    /// All but these holes.
    Holes(Bits),
}

impl RuleSet {
    /// Which squares of the rectangle exist.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Corners that the first player's discs hold at the start, 0 to 4: a handicap.
    pub fn corners(&self) -> u8 {
        self.corners
    }

    /// Squares of the rectangle, holes counted: what a board's text has.
    #[inline]
    pub fn cells(&self) -> u32 {
        u32::from(self.rows) * u32::from(self.columns)
    }

    /// The squares of the rectangle that do not exist.
    pub fn holes(&self) -> Bits {
        match self.shape {
            Shape::Rectangle => Bits::EMPTY,
            Shape::Holes(holes) => holes,
            Shape::Octagon => {
                let mut holes = Bits::EMPTY;
                for corner in self.all_corners() {
                    holes.insert(corner);
                    let row = if corner.row == 0 { 1 } else { corner.row - 1 };
                    let column = if corner.column == 0 { 1 } else { corner.column - 1 };
                    holes.insert(Point { row, ..corner });
                    holes.insert(Point { column, ..corner });
                }
                holes
            }
        }
    }

    /// The squares that exist.
    #[inline]
    pub fn area(&self) -> Bits {
        let board = Bits::board(self.rows, self.columns);
        match self.shape {
            Shape::Rectangle => board,
            _ => board & !self.holes(),
        }
    }

    /// The four squares in the middle: on an odd side the block whose lower right square is the centre of that side.
    pub fn centre(&self) -> Bits {
        let (r, c) = (self.rows / 2, self.columns / 2);
        [(r - 1, c - 1), (r - 1, c), (r, c - 1), (r, c)].into_iter().fold(Bits::EMPTY, |mut set, (row, column)| {
            set.insert(Point { row, column });
            set
        })
    }

    /// The corners of the rectangle in the order in which a handicap takes them: the upper left one, the one opposite, the
    /// upper right one, the lower left one.
    fn all_corners(&self) -> [Point; 4] {
        let (row, column) = (self.rows - 1, self.columns - 1);
        [(0, 0), (row, column), (0, column), (row, 0)].map(|(row, column)| Point { row, column })
    }

    /// The corners that the first player's discs hold at the start.
    pub(super) fn handicap_corners(&self) -> Vec<Point> {
        self.all_corners().into_iter().take(usize::from(self.corners)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(set: Bits) -> String {
        set.iter().map(|point| point.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn octagons_lack_three_squares_at_each_corner() {
        let octagon: RuleSet = "octagon".parse().unwrap();
        assert_eq!(names(octagon.holes()), "a1 b1 i1 j1 a2 j2 a9 j9 a10 b10 i10 j10");
        assert_eq!((octagon.squares(), octagon.cells(), octagon.area().count()), (88, 100, 88));
    }

    #[test]
    fn the_centre_of_odd_sides() {
        let centre = |text: &str| names(text.parse::<RuleSet>().unwrap().centre());
        assert_eq!(centre("othello"), "d4 e4 d5 e5");
        assert_eq!(centre("othello:5x5"), "b2 c2 b3 c3");
        assert_eq!(centre("othello:7x8"), "d3 e3 d4 e4");
    }
}
