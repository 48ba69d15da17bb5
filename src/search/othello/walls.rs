//! The evaluation of boards with walls and of other scores, for which there are no trained pattern weights: the features of
//! [`crate::eval::handmade`] on bitboards.

use super::entries::Entries;
use super::worker::{Node, Rules};
use crate::eval::handmade::{ALL_FEWEST, ALL_MOST, DISC, FEATURES, blend};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// A corner and what lies around it.
#[derive(Clone, Copy, Debug, Default)]
struct Corner {
    square: u32,
    /// Its diagonal neighbour.
    x: u64,
    /// Its neighbours on the edges.
    c: u64,
    /// Steps along the two edges.
    steps: [i32; 2],
}

/// What the evaluation looks up, for one set of rules.
#[derive(Debug)]
pub(crate) struct General {
    mask: u64,
    corners: [Corner; 4],
    corner_set: u64,
    border: u64,
    /// Squares along an edge: columns, rows.
    lengths: [i32; 2],
    /// Weights of the features by number of empty squares, in units of 1 / [`DISC`].
    weights: [[i32; FEATURES]; 65],
    /// No score is higher.
    most: i32,
}

impl General {
    pub fn new(rules: &Rules) -> General {
        let mask = rules.mask;
        let columns = (mask & 0xFF).count_ones() as i32;
        let rows = mask.count_ones() as i32 / columns;
        let corner = |x: i32, y: i32| {
            let (right, down) = (if x == 0 { 1 } else { -1 }, if y == 0 { 8 } else { -8 });
            let at = y * 8 + x;
            Corner {
                square: at as u32,
                x: 1 << (at + right + down),
                c: 1 << (at + right) | 1 << (at + down),
                steps: [right, down],
            }
        };
        let corners = [(0, 0), (columns - 1, 0), (0, rows - 1), (columns - 1, rows - 1)].map(|(x, y)| corner(x, y));
        let inner = mask & mask << 8 & mask >> 8 & mask << 1 & mask >> 1 & !FILE_A & !FILE_H;
        let squares = mask.count_ones();
        let table = if rules.fewest { &ALL_FEWEST } else { &ALL_MOST };
        General {
            mask,
            corners,
            corner_set: rules.corners,
            border: mask & !inner,
            lengths: [columns, rows],
            weights: std::array::from_fn(|empties| blend(table, (empties as u32).min(squares), squares)),
            most: squares as i32 - 2,
        }
    }

    /// A rough value in discs for the side to move.
    #[inline(always)]
    pub fn value<I: Entries>(&self, node: Node) -> i32 {
        let (own, other) = (node.player, node.opponent);
        let empties = self.mask & !(own | other);
        let difference = |set: u64| (set & own).count_ones() as i32 - (set & other).count_ones() as i32;
        let moves = |player, opponent| (I::moves(player, opponent) & self.mask).count_ones() as i32;
        let frontier = |discs: u64| (around(discs) & empties).count_ones() as i32;
        let (mut x, mut c, mut runs) = (0, 0, 0);
        for corner in &self.corners {
            if empties >> corner.square & 1 != 0 {
                x += difference(corner.x);
                c += difference(corner.c);
            } else {
                runs += self.runs(corner, own, other);
            }
        }
        let features = [
            moves(own, other) - moves(other, own),
            frontier(other) - frontier(own),
            difference(self.corner_set),
            x,
            c,
            runs,
            difference(self.border),
            own.count_ones() as i32 - other.count_ones() as i32,
            if node.empties % 2 == 1 { 1 } else { -1 },
        ];
        let weights = &self.weights[(node.empties & 63) as usize];
        let sum: i32 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
        (sum / DISC).clamp(-self.most, self.most)
    }

    /// Discs of the side that holds a corner, next to it along its edges: stable ones.
    #[inline(always)]
    fn runs(&self, corner: &Corner, own: u64, other: u64) -> i32 {
        let (discs, sign) = if own >> corner.square & 1 != 0 { (own, 1) } else { (other, -1) };
        let mut runs = 0;
        for (step, length) in corner.steps.into_iter().zip(self.lengths) {
            let mut at = corner.square as i32;
            for _ in 1..length {
                at += step;
                if discs >> at & 1 == 0 {
                    break;
                }
                runs += sign;
            }
        }
        runs
    }
}

/// The squares next to a set, and the set itself.
#[inline(always)]
fn around(set: u64) -> u64 {
    let wide = set | (set & !FILE_H) << 1 | (set & !FILE_A) >> 1;
    wide | wide << 8 | wide >> 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Portable;

    fn value(general: &General, player: u64, opponent: u64) -> i32 {
        let empties = (general.mask & !(player | opponent)).count_ones();
        general.value::<Portable<true>>(Node { player, opponent, ply: 0, view: 0, empties })
    }

    #[test]
    fn corners_are_good_and_images_equal() {
        let mask = 0x3F3F_3F3F_3F3F; // 6x6
        let general = General::new(&Rules::new(mask, false, false));
        let (player, opponent) = (0x0000_0C08_0001, 0x0000_0004_0800);
        assert!(value(&general, player, opponent) > value(&general, opponent, player));
        // mirrored at the main diagonal, which exists on every square board
        let transposed = |set: u64| (0..64).filter(|i| set >> i & 1 != 0).fold(0, |t, i| t | 1 << (i % 8 * 8 + i / 8));
        assert_eq!(value(&general, player, opponent), value(&general, transposed(player), transposed(opponent)));
        let anti = General::new(&Rules::new(mask, false, true));
        assert!(value(&anti, player, opponent) < value(&anti, opponent, player));
    }

    #[test]
    fn every_size_up_to_8x8_has_its_tables() {
        for rows in (4..=8).step_by(2) {
            for columns in (4..=8).step_by(2) {
                let row = (1u64 << columns) - 1;
                let mask = (0..rows).fold(0, |mask, y| mask | row << (8 * y));
                let general = General::new(&Rules::new(mask, false, false));
                assert_eq!(general.border.count_ones(), 2 * (rows + columns) as u32 - 4);
                let full = general.corners.iter().fold(0, |set, corner| set | 1u64 << corner.square);
                assert_eq!(full, general.corner_set);
                assert!(value(&general, full, 0) > 0);
            }
        }
    }
}
