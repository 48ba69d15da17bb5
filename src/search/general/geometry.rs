//! What depends on the board only, on its size and its holes: line shifts, rays, corners and their neighbours.
//!
//! Squares are numbered row by row without gaps, so that a board of up to 64 squares fits a `u64` whatever its
//! shape; only on boards of more than 128 squares each row begins at a multiple of 16. Lines cannot wrap around the
//! edge because outflanked discs never stand on the board's border in the direction of the line: the fills run
//! through inner squares only.

use super::set::Set;
use super::state::ALL_DIRECTIONS;
use crate::eval::corners::WIDTH;
use crate::rules::Direction;

/// The four axes of lines: rows, columns and both diagonals.
pub(super) struct Axes<B> {
    /// Squares that can be outflanked on each axis: those not on the border at its ends.
    pub inner: [B; 4],
    /// Index distances of neighbours.
    pub shifts: [u32; 4],
    /// Doubling steps that cover the longest lines.
    pub doublings: [u32; 4],
    /// The most of them.
    pub most_doublings: u32,
    /// A step of more than 64 is among them.
    pub far: bool,
}

/// A corner and the squares that give it away. On boards with holes every square is one that no line can pass through, such as
/// the ends of an octagon's edges.
pub(super) struct Corner<B> {
    /// The corner.
    pub square: usize,
    /// The diagonal neighbour (X square), or neighbours.
    pub x: B,
    /// The neighbours on the edges (C squares).
    pub c: B,
    /// The edges from the corner outwards, as (start, step, length without the corner).
    pub edges: Vec<(usize, isize, usize)>,
}

/// The tables of one board.
pub(super) struct Geometry<B> {
    /// How far rows are apart.
    pub stride: u8,
    /// All squares.
    pub board: B,
    /// The squares of the border.
    pub border: B,
    /// All but the first and the last column.
    not_first: B,
    not_last: B,
    pub axes: Axes<B>,
    /// Squares in each direction from each square, in the order of [`Direction::ALL`].
    pub rays: Vec<[B; 8]>,
    /// Adjacent squares.
    pub neighbours: Vec<B>,
    pub corners: Vec<Corner<B>>,
    pub corner_set: B,
    /// The squares diagonally next to a corner.
    pub x_set: B,
    /// The four corners of the rectangle as [`crate::eval::corners`] look at them: where the four squares nearest to it begin in
    /// each of four rows, the corner's first, and whether it is the last square of its row.
    pub corner_rows: [([usize; 4], bool); 4],
    /// The four quarters of the board.
    pub quadrants: [B; 4],
    /// Which quarter a square is in.
    pub quadrant: Vec<u8>,
    /// The four centre squares.
    pub centre: B,
}

/// The direction (by its place in [`Direction::ALL`]) leads to higher indices.
#[inline(always)]
pub(super) const fn ascends(direction: usize) -> bool {
    // E, SE, S, SW
    direction >= 2 && direction <= 5
}

impl<B: Set> Geometry<B> {
    /// The tables for this size and these holes; the board must fit the set.
    pub fn new(rows: u8, columns: u8, holes: B) -> Geometry<B> {
        let (r, c) = (rows as usize, columns as usize);
        let stride = B::stride(c);
        let at = |row: usize, column: usize| row * stride + column;
        // (some are no squares where rows have gaps between them)
        let indices = 0..r * stride;
        let select = |keep: &dyn Fn(usize, usize) -> bool| {
            let is_kept = |i: &usize| i % stride < c && keep(i / stride, i % stride) && !holes.has(*i);
            indices.clone().filter(is_kept).fold(B::default(), |set, i| set | B::bit(i))
        };
        let inner_columns = |_: usize, column: usize| column > 0 && column < c - 1;
        let inner_rows = |row: usize, _: usize| row > 0 && row < r - 1;
        let inner = |row: usize, column: usize| inner_columns(row, column) && inner_rows(row, column);
        let shifts = [1, stride, stride + 1, stride - 1].map(|shift| shift as u32);
        // runs of up to length - 2 outflanked discs
        let doublings = [c, r, r.min(c), r.min(c)].map(|length| (length - 2).next_power_of_two().trailing_zeros());
        let diagonal = select(&inner);
        let corners: Vec<Corner<B>> = [(0, 0, 1, 1), (0, c - 1, 1, -1), (r - 1, 0, -1, 1), (r - 1, c - 1, -1, -1)]
            .map(|(row, column, down, right): (usize, usize, isize, isize)| {
                let square = at(row, column);
                let (below, beside) = (row.wrapping_add_signed(down), column.wrapping_add_signed(right));
                Corner {
                    square,
                    x: B::bit(at(below, beside)),
                    c: B::bit(at(below, column)) | B::bit(at(row, beside)),
                    edges: vec![(square, right, c - 1), (square, down * stride as isize, r - 1)],
                }
            })
            .into();
        let corner_rows = [(false, false), (false, true), (true, false), (true, true)].map(|(low, right)| {
            let row = |i: usize| if low { r - 1 - i } else { i };
            (std::array::from_fn(|i| at(row(i), if right { c - WIDTH } else { 0 })), right)
        });
        let (corners, border) = match holes.any() {
            false => (corners, select(&|row, column| !inner(row, column))),
            true => around_holes([r, c], stride, select(&|_, _| true)),
        };
        let ray_from = |i: usize, direction| ray([i / stride, i % stride], direction, [r, c], stride);
        let rays: Vec<[B; 8]> = indices.clone().map(|i| Direction::ALL.map(|d| ray_from(i, d))).collect();
        let neighbours = indices
            .clone()
            .map(|i| {
                let near =
                    |row: usize, column: usize| row.abs_diff(i / stride) <= 1 && column.abs_diff(i % stride) <= 1;
                select(&|row, column| near(row, column) && at(row, column) != i)
            })
            .collect();
        let quadrant_of = |i: usize| (usize::from(i / stride >= r / 2) * 2 + usize::from(i % stride >= c / 2)) as u8;
        Geometry {
            stride: stride as u8,
            board: select(&|_, _| true),
            border,
            not_first: select(&|_, column| column > 0),
            not_last: select(&|_, column| column < c - 1),
            axes: Axes {
                inner: [select(&inner_columns), select(&inner_rows), diagonal, diagonal],
                shifts,
                doublings,
                most_doublings: doublings.into_iter().max().expect("four"),
                far: shifts.iter().zip(doublings).any(|(shift, doublings)| shift << (doublings - 1) > 64),
            },
            rays,
            neighbours,
            x_set: corners.iter().fold(B::default(), |set, corner| set | corner.x),
            corner_set: corners.iter().fold(B::default(), |set, corner| set | B::bit(corner.square)),
            corners,
            corner_rows,
            quadrants: [0, 1, 2, 3].map(|q| select(&|row, column| quadrant_of(at(row, column)) == q)),
            quadrant: indices.clone().map(quadrant_of).collect(),
            centre: select(&|row, column| (r / 2 - 1..=r / 2).contains(&row) && (c / 2 - 1..=c / 2).contains(&column)),
        }
    }

    /// Squares where `player` outflanks something.
    #[inline(always)]
    pub fn moves(&self, player: B, opponent: B) -> B {
        B::reached(&self.axes, player, opponent) & self.board & !(player | opponent)
    }

    /// Discs outflanked from an empty square in one direction.
    #[inline(always)]
    pub fn line(&self, square: usize, direction: usize, player: B, opponent: B) -> B {
        B::line(&self.rays[square], direction, player, opponent)
    }

    /// Discs outflanked from an empty square in each direction.
    #[inline(always)]
    pub fn lines(&self, square: usize, player: B, opponent: B) -> [B; 8] {
        B::lines(&self.rays[square], player, opponent)
    }

    /// Discs outflanked from an empty square in all directions.
    #[inline(always)]
    pub fn flips(&self, square: usize, player: B, opponent: B) -> B {
        B::flips(&self.rays[square], player, opponent)
    }

    /// Discs outflanked from an empty square in one direction, or in [all](ALL_DIRECTIONS).
    #[inline(always)]
    pub fn flips_in(&self, square: usize, direction: u8, player: B, opponent: B) -> B {
        if direction == ALL_DIRECTIONS {
            self.flips(square, player, opponent)
        } else {
            self.line(square, direction as usize, player, opponent)
        }
    }

    /// The squares adjacent to a set (the set's own squares may be among them).
    #[inline(always)]
    pub fn around(&self, set: B) -> B {
        let stride = self.stride as u32;
        let wide = set | (set & self.not_last).shl(1) | (set & self.not_first).shr(1);
        (wide | wide.shl(stride) | wide.shr(stride)) & self.board
    }
}

/// The corners and the border of a board with holes. A corner is a square with the outside (beyond the edge, or a hole) on one
/// side of each of the four axes; the border are the squares with the outside on a straight side.
fn around_holes<B: Set>([rows, columns]: [usize; 2], stride: usize, board: B) -> (Vec<Corner<B>>, B) {
    let next = |square: usize, direction: Direction| {
        let (right, down) = direction.steps();
        let row = (square / stride).wrapping_add_signed(isize::from(down));
        let column = (square % stride).wrapping_add_signed(isize::from(right));
        (row < rows && column < columns).then(|| row * stride + column).filter(|&square| board.has(square))
    };
    let straight = [Direction::N, Direction::E, Direction::S, Direction::W];
    let diagonal = [Direction::NE, Direction::SE, Direction::SW, Direction::NW];
    let open = |square: usize, direction: Direction| next(square, direction).is_none();
    let border = board.iter().filter(|&square| straight.iter().any(|&direction| open(square, direction)));
    let border = border.fold(B::default(), |set, square| set | B::bit(square));
    let is_corner = |square: &usize| {
        let axis = |i: usize| open(*square, Direction::ALL[i]) || open(*square, Direction::ALL[i + 4]);
        (0..4).all(axis)
    };
    let corner = |square: usize| {
        let beside = |directions: [Direction; 4]| {
            let squares = directions.into_iter().filter_map(|direction| next(square, direction));
            squares.fold(B::default(), |set, square| set | B::bit(square))
        };
        let edge = |direction: Direction| {
            let (right, down) = direction.steps();
            let along = |at: &usize| next(*at, direction).filter(|next| border.has(*next));
            let length = std::iter::successors(Some(square), along).count() - 1;
            (square, isize::from(down) * stride as isize + isize::from(right), length)
        };
        let edges = straight.map(edge).into_iter().filter(|edge| edge.2 > 0).collect();
        Corner { square, x: beside(diagonal), c: beside(straight), edges }
    };
    (board.iter().filter(is_corner).map(corner).collect(), border)
}

/// The squares from one (exclusive) to the border.
fn ray<B: Set>(
    [mut row, mut column]: [usize; 2],
    direction: Direction,
    [rows, columns]: [usize; 2],
    stride: usize,
) -> B {
    let (right, down) = direction.steps();
    let mut set = B::default();
    loop {
        row = row.wrapping_add_signed(down as isize);
        column = column.wrapping_add_signed(right as isize);
        if row >= rows || column >= columns {
            return set;
        }
        set |= B::bit(row * stride + column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_octagon_has_eight_corners() {
        let mut holes = 0u128;
        for (row, column) in [(0, 0), (0, 1), (1, 0)] {
            for (row, column) in [(row, column), (row, 9 - column), (9 - row, column), (9 - row, 9 - column)] {
                holes |= 1 << (10 * row + column);
            }
        }
        let geometry: Geometry<u128> = Geometry::new(10, 10, holes);
        let corners: Vec<usize> = geometry.corners.iter().map(|corner| corner.square).collect();
        assert_eq!(corners, [2, 7, 20, 29, 70, 79, 92, 97]);
        assert_eq!(geometry.board.count(), 88);
        // the edge from c1 to h1 and the step down to c2, which is no border
        assert_eq!(geometry.corners[0].edges, [(2, 1, 5)]);
        assert!(geometry.border.has(11) && !geometry.border.has(12));
        let plain: Geometry<u128> = Geometry::new(10, 10, 0);
        assert_eq!((plain.corners.len(), plain.border.count()), (4, 36));
    }
}
