//! The evaluation of boards with walls and of other scores, for which there are no trained pattern weights: the values of
//! [`crate::eval::corners`] on bitboards. And a value for solves of a few squares, which do not wait for weights.

use super::entries::Entries;
use super::worker::{Node, Rules};
use crate::eval::corners::{self, Corners, WIDTH, fillings};
use crate::eval::handmade::{self, DISC, blend, to_discs};
use crate::rules::{Flips, Objective};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// A corner.
#[derive(Clone, Copy, Debug, Default)]
struct Corner {
    square: u32,
    /// It is in the last row.
    low: bool,
    /// It is the last square of its row.
    right: bool,
    /// Its diagonal neighbour (X square).
    x: u64,
    /// Its neighbours on the edges (C squares).
    c: u64,
    /// Steps along the two edges.
    steps: [i32; 2],
}

/// What the evaluation looks up, for one set of rules.
pub(crate) struct General {
    mask: u64,
    corners: [Corner; 4],
    border: u64,
    /// Squares along an edge: columns, rows.
    lengths: [i32; 2],
    /// `None` where the trained weights are used.
    values: Option<Corners>,
    /// No score is higher.
    most: i32,
}

impl General {
    pub fn new(rules: &Rules) -> General {
        let mask = rules.mask;
        let columns = (mask & 0xFF).count_ones();
        let rows = mask.count_ones() / columns;
        let corner = |low: bool, right: bool| {
            let (x, y) = (if right { columns - 1 } else { 0 }, if low { rows - 1 } else { 0 });
            let steps = [if right { -1 } else { 1 }, if low { -8 } else { 8 }];
            let square = y * 8 + x;
            let beside = |step: i32| 1 << square.wrapping_add_signed(step);
            Corner { square, low, right, x: beside(steps[0] + steps[1]), c: beside(steps[0]) | beside(steps[1]), steps }
        };
        let corners =
            [(false, false), (false, true), (true, false), (true, true)].map(|(low, right)| corner(low, right));
        let inner = mask & mask << 8 & mask >> 8 & mask << 1 & mask >> 1 & !FILE_A & !FILE_H;
        let squares = mask.count_ones();
        let objective = if rules.fewest { Objective::Fewest } else { Objective::Most };
        General {
            mask,
            corners,
            border: mask & !inner,
            lengths: [columns as i32, rows as i32],
            values: (!rules.is_plain()).then(|| Corners::new(Flips::All, objective, squares)),
            most: squares as i32 - 2,
        }
    }

    /// A value in discs for the side to move; 0 where the trained weights are used.
    #[inline(always)]
    pub fn value<I: Entries>(&self, node: Node) -> i32 {
        let Some(values) = &self.values else { return 0 };
        let mut corners = [[0; 6]; 4];
        for (found, corner) in corners.iter_mut().zip(&self.corners) {
            *found = fillings(self.rows(corner, node.player), self.rows(corner, node.opponent), corner.right);
        }
        let value = values.value(node.empties, self.features::<I>(node), corners);
        to_discs(value).clamp(-self.most, self.most)
    }

    /// A rough value of a position of othello in discs for the side to move, which needs nothing that must be unpacked first.
    pub fn rough_value<I: Entries>(&self, node: Node) -> i32 {
        let empties = self.mask & !(node.player | node.opponent);
        let difference = |set: u64| difference(node, set);
        let is_open = |corner: &&Corner| empties >> corner.square & 1 != 0;
        let open =
            |set: fn(&Corner) -> u64| self.corners.iter().filter(is_open).map(|corner| difference(set(corner))).sum();
        let taken = self.corners.iter().map(|corner| difference(1 << corner.square)).sum();
        let [mobility, potential, runs, border, discs, tempo] = self.features::<I>(node);
        let features =
            [mobility, potential, taken, open(|corner| corner.x), open(|corner| corner.c), runs, border, discs, tempo];
        let weights = blend(&handmade::ALL_MOST, node.empties, self.mask.count_ones());
        let sum: i32 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
        (sum / DISC).clamp(-self.most, self.most)
    }

    /// The features beside the corners.
    #[inline(always)]
    fn features<I: Entries>(&self, node: Node) -> [i32; corners::FEATURES] {
        let (own, other) = (node.player, node.opponent);
        let empties = self.mask & !(own | other);
        let moves = |player, opponent| (I::moves(player, opponent) & self.mask).count_ones() as i32;
        let frontier = |discs: u64| (around(discs) & empties).count_ones() as i32;
        let taken = self.corners.iter().filter(|corner| empties >> corner.square & 1 == 0);
        [
            moves(own, other) - moves(other, own),
            frontier(other) - frontier(own),
            taken.map(|corner| self.runs(corner, own, other)).sum(),
            difference(node, self.border),
            own.count_ones() as i32 - other.count_ones() as i32,
            if node.empties % 2 == 1 { 1 } else { -1 },
        ]
    }

    /// The discs of the four rows of four squares at a corner, as [`fillings`] takes them.
    #[inline(always)]
    fn rows(&self, corner: &Corner, set: u64) -> [u8; 2] {
        let [columns, rows] = self.lengths;
        let from_edge = if corner.low { set.swap_bytes() >> (64 - 8 * rows) } else { set };
        let from_corner = if corner.right { from_edge >> (columns - WIDTH as i32) } else { from_edge };
        let pairs = from_corner & 0x0F0F_0F0F;
        let [first, _, next, ..] = (pairs | pairs >> 4).to_le_bytes();
        [first, next]
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

/// How many discs more the side to move has in a set.
#[inline(always)]
fn difference(node: Node, set: u64) -> i32 {
    (set & node.player).count_ones() as i32 - (set & node.opponent).count_ones() as i32
}

/// The squares next to a set, and the set itself.
#[inline(always)]
fn around(set: u64) -> u64 {
    let wide = set | (set & !FILE_H) << 1 | (set & !FILE_A) >> 1;
    wide | wide << 8 | wide >> 8
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom;

    use super::*;
    use crate::kernel::Portable;
    use crate::rules::Position;
    use crate::search::general::static_value;

    fn value(general: &General, player: u64, opponent: u64) -> i32 {
        let empties = (general.mask & !(player | opponent)).count_ones();
        let node = Node { player, opponent, ply: 0, view: 0, empties };
        let value = general.value::<Portable<true>>(node);
        #[cfg(target_arch = "x86_64")]
        {
            use crate::kernel::features::tier_call;
            use crate::kernel::{Tier, V3, V4};
            if Tier::V3.is_supported() {
                let found = tier_call!(v3 => (general: &General, node: Node) -> i32, general.value::<V3<true>>(node));
                assert_eq!(found, value, "{node:?}");
            }
            if Tier::V4.is_supported() {
                let found = tier_call!(v4 => (general: &General, node: Node) -> i32, general.value::<V4<true>>(node));
                assert_eq!(found, value, "{node:?}");
            }
        }
        value
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

    /// The general search says the same of positions that both play.
    #[test]
    fn values_are_those_of_the_general_search() {
        for text in ["othello:6x6", "othello:4x8", "othello:8x6", "othello:8x8,fewest", "othello:6x4,fewest"] {
            let start = Position::start(Arc::new(text.parse().unwrap()));
            let (rows, columns) = (start.rules().rows(), start.rules().columns());
            let mask = (0..rows).fold(0, |mask, y| mask | ((1u64 << columns) - 1) << (8 * y));
            let general = General::new(&Rules::new(mask, false, start.rules().objective() == Objective::Fewest));
            let mut rng = StdRng::seed_from_u64(7);
            for _ in 0..20 {
                let mut position = start.clone();
                while !position.is_game_over() {
                    let set = |color| {
                        let points = position.discs(color).iter();
                        points.fold(0, |set, point| set | 1u64 << (8 * point.row + point.column))
                    };
                    let side = position.side_to_move();
                    let found = value(&general, set(side), set(!side));
                    assert_eq!(
                        found,
                        static_value(&position).clamp(-general.most, general.most),
                        "{text}: {position:?}"
                    );
                    position = position.play(*position.legal_moves().choose(&mut rng).unwrap()).unwrap();
                }
            }
        }
    }

    #[test]
    fn every_size_up_to_8x8_has_its_tables() {
        for rows in (4..=8).step_by(2) {
            for columns in (4..=8).step_by(2) {
                let row = (1u64 << columns) - 1;
                let mask = (0..rows).fold(0, |mask, y| mask | row << (8 * y));
                let rules = Rules::new(mask, false, false);
                let general = General::new(&rules);
                assert_eq!(general.border.count_ones(), 2 * (rows + columns) as u32 - 4);
                let full = general.corners.iter().fold(0, |set, corner| set | 1u64 << corner.square);
                assert_eq!(full, rules.corners);
                // othello itself has trained weights instead, and a rough value beside them
                let node = Node { player: full, opponent: 0, ply: 0, view: 0, empties: mask.count_ones() - 4 };
                let rough = general.rough_value::<Portable<true>>(node);
                assert!(rough > 0 && (mask == u64::MAX || value(&general, full, 0) > 0));
            }
        }
    }
}
