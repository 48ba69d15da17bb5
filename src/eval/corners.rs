//! What a corner and the squares around it are worth where there are no trained patterns: on rectangular boards of any size,
//! under any rules.
//!
//! Three fillings of each corner have trained values in each phase of the game: three by three squares, and two by four along
//! either edge. They take the place of the features of [`super::handmade`] that count corners and the squares beside them.
//! `search::general::fit` makes the values, for all sizes of boards together; the built-in ones unfold when first asked for.

use std::io::Read;
use std::sync::OnceLock;

use flate2::read::ZlibDecoder;

use super::error_model::{BoardErrors, ErrorModel};
use super::handmade::family;
use crate::rules::{Flips, Objective};

/// Squares of the largest board.
const MOST_SQUARES: usize = 256;
/// Phases of the game, by the share of empty squares.
pub(crate) const PHASES: usize = 8;
/// Fillings of three by three squares.
pub(crate) const BLOCKS: usize = 19_683;
/// Fillings of two by four squares.
pub(crate) const EDGES: usize = 6_561;
/// Squares that a row of a corner has.
pub(crate) const WIDTH: usize = 4;
/// Features beside the corners: see [`Corners::value`].
pub(crate) const FEATURES: usize = 6;
/// Steps of the stored values, in units of [`super::handmade::DISC`].
pub(crate) const STEP: i32 = 8;

/// What two rows of four squares of one side add to a corner's filling numbers, by their discs (the row nearer to the edge in the lower four
/// bits): to the block's in the lowest 16 bits, then to the edge's along the row, then to the edge's across the rows. For corners that
/// begin their row and those that end it; the two rows at the edge and the two behind them.
static ROWS: [[[u64; 256]; 2]; 2] = {
    let mut rows = [[[0; 256]; 2]; 2];
    let mut at = 0;
    while at < 2 * 2 * 256 * 8 {
        let (right, pair, discs, bit) = (at / 4096, at / 2048 % 2, at / 8 % 256, at % 8);
        if discs >> bit & 1 != 0 {
            let column = if right == 1 { 3 - bit % 4 } else { bit % 4 } as u32;
            let row = (2 * pair + bit / 4) as u32;
            let block = if row < 3 && column < 3 { 3u64.pow(3 * row + column) } else { 0 };
            let along = if row < 2 { 3u64.pow(4 * row + column) } else { 0 };
            let across = if column < 2 { 3u64.pow(4 * column + row) } else { 0 };
            rows[right][pair][discs] += block | along << 16 | across << 32;
        }
        at += 1;
    }
    rows
};

/// The numbers of a corner's fillings: three by three squares, two by four along its row, two by four along its column. `own` and
/// `other` have the discs of its first two rows of four squares and of the next two, the first of two in the lower four bits of eight;
/// `right`: the corner is the last square of its row.
#[inline(always)]
pub(crate) fn fillings(own: [u8; 2], other: [u8; 2], right: bool) -> [usize; 3] {
    let [near, far] = &ROWS[usize::from(right)];
    let discs = |[first, next]: [u8; 2]| near[usize::from(first)] + far[usize::from(next)];
    let sum = discs(own) + 2 * discs(other);
    [sum as usize & 0xFFFF, (sum >> 16) as usize & 0xFFFF, (sum >> 32) as usize]
}

/// The number of the block that mirrors this one at the diagonal through the corner.
pub(crate) fn mirrored(block: usize) -> usize {
    let column = |row: usize| row % 3 + row / 3 % 3 * 27 + row / 9 * 729;
    column(block % 27) + 3 * column(block / 27 % 27) + 9 * column(block / 729)
}

/// How large a board is beside 8x8: the natural logarithm of the ratio of their squares.
pub(crate) fn size(squares: u32) -> f32 {
    (squares as f32 / 64.0).ln()
}

/// Weights of the [`FEATURES`], and of what all corners are worth.
pub(crate) type Weights = [f32; FEATURES + 1];

/// The values of one phase.
struct Phase {
    blocks: Box<[i16; BLOCKS]>,
    edges: Box<[i16; EDGES]>,
    /// On 8x8, and what is added to them for each unit of [`size`].
    weights: [Weights; 2],
}

impl Phase {
    fn empty() -> Phase {
        Phase { blocks: Box::new([0; BLOCKS]), edges: Box::new([0; EDGES]), weights: Default::default() }
    }
}

/// The values for some rules, on boards of all sizes.
struct Tables {
    phases: [Phase; PHASES],
}

impl Tables {
    /// The built-in ones.
    fn of(flips: Flips, objective: Objective) -> &'static Tables {
        static EMBEDDED: [(&[u8], OnceLock<Tables>); 4] = [
            (include_bytes!("weights/all-most.bin"), OnceLock::new()),
            (include_bytes!("weights/one-most.bin"), OnceLock::new()),
            (include_bytes!("weights/all-fewest.bin"), OnceLock::new()),
            (include_bytes!("weights/one-fewest.bin"), OnceLock::new()),
        ];
        let (file, tables) = &EMBEDDED[family(flips, objective)];
        tables.get_or_init(|| Tables::unpack(file).expect("the embedded values are tested"))
    }

    /// Reads what [`pack`] has written.
    fn unpack(file: &[u8]) -> Option<Tables> {
        let mut bytes = Vec::new();
        ZlibDecoder::new(file).read_to_end(&mut bytes).ok()?;
        let mut bytes = bytes.into_iter();
        let mut value = || bytes.next().map(|byte| i16::from(byte as i8) * STEP as i16);
        let images: Vec<usize> = (0..BLOCKS).map(mirrored).collect();
        let mut phases: [Phase; PHASES] = std::array::from_fn(|_| Phase::empty());
        for phase in &mut phases {
            for (block, &image) in images.iter().enumerate() {
                phase.blocks[block] = if image < block { phase.blocks[image] } else { value()? };
            }
            for edge in phase.edges.iter_mut() {
                *edge = value()?;
            }
        }
        for weight in phases.iter_mut().flat_map(|phase| phase.weights.iter_mut().flatten()) {
            let mut byte = || bytes.next();
            *weight = f32::from_le_bytes([byte()?, byte()?, byte()?, byte()?]);
        }
        bytes.next().is_none().then_some(Tables { phases })
    }
}

// by family; measured by `search::general::fit` on boards of 6x6 to 10x10: standard deviations are 21 to 27 % off
const MEASURED: [BoardErrors; 4] = [
    [2.4865, -0.1949, 0.1141, -2.2147, -0.1427],
    [1.3845, -0.1899, 0.0908, -1.6010, 0.0853],
    [0.5905, -0.2329, 0.0756, -1.2172, 0.0719],
    [-0.8129, -0.1683, 0.0854, -1.2103, 0.4007],
];

/// How far searches before the end of the game are off with these values, on a board of so many squares.
pub(crate) fn errors_of(flips: Flips, objective: Objective, squares: u32) -> ErrorModel {
    ErrorModel::of_board(MEASURED[family(flips, objective)], squares)
}

/// What an evaluation of boards of one size under some rules looks up.
pub(crate) struct Corners {
    tables: &'static Tables,
    /// The phase of each number of empty squares.
    phases: [u8; MOST_SQUARES + 1],
    /// By phase: of the features in units of [`super::handmade::DISC`], and of the corners in 256ths.
    weights: [[i32; FEATURES + 1]; PHASES],
}

impl Corners {
    /// For boards of so many squares.
    pub fn new(flips: Flips, objective: Objective, squares: u32) -> Corners {
        Corners::of(Tables::of(flips, objective), squares)
    }

    fn of(tables: &'static Tables, squares: u32) -> Corners {
        let size = size(squares);
        let weights = std::array::from_fn(|phase| {
            let [middle, slope] = &tables.phases[phase].weights;
            std::array::from_fn(|i| {
                let weight = middle[i] + slope[i] * size;
                (if i == FEATURES { 256.0 * weight } else { weight }).round() as i32
            })
        });
        let phases = std::array::from_fn(|empties| (empties * PHASES / squares as usize).min(PHASES - 1) as u8);
        Corners { tables, phases, weights }
    }

    /// A value for the side to move, in units of [`super::handmade::DISC`]: what its features and the [`fillings`] of the four corners say
    /// with so many empty squares. The features are mobility, potential mobility, runs of discs from corners along edges, discs on
    /// the border, discs, and tempo.
    #[inline(always)]
    pub fn value(&self, empties: u32, features: [i32; FEATURES], corners: [[usize; 3]; 4]) -> i32 {
        let at = usize::from(self.phases[empties as usize]);
        let (phase, weights) = (&self.tables.phases[at], &self.weights[at]);
        let corners: i32 = corners
            .iter()
            .map(|&[block, along, across]| {
                i32::from(phase.blocks[block]) + i32::from(phase.edges[along]) + i32::from(phase.edges[across])
            })
            .sum();
        let features: i32 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
        features + corners * weights[FEATURES] / 256
    }
}

/// The values of one phase before they are packed: blocks, edges, weights.
#[cfg(test)]
pub(crate) type Fitted = (Vec<f32>, Vec<f32>, [Weights; 2]);

/// The values of all phases as a file, which [`Tables::unpack`] reads.
#[cfg(test)]
pub(crate) fn pack(phases: &[Fitted]) -> Vec<u8> {
    use std::io::Write;
    let step = |value: f32| (value / STEP as f32).round().clamp(-127.0, 127.0) as i8 as u8;
    let mut bytes = Vec::new();
    for (blocks, edges, _) in phases {
        bytes.extend((0..BLOCKS).filter(|&block| mirrored(block) >= block).map(|block| step(blocks[block])));
        bytes.extend(edges.iter().map(|&value| step(value)));
    }
    let weights = phases.iter().flat_map(|(_, _, weights)| weights.iter().flatten());
    weights.for_each(|weight| bytes.extend(weight.to_le_bytes()));
    let mut file = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    file.write_all(&bytes).and_then(|()| file.finish()).expect("memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filling numbers square by square.
    fn plainly(own: [u8; 2], other: [u8; 2], right: bool) -> [usize; 3] {
        let square = |row: usize, column: usize| {
            let bit = row % 2 * WIDTH + if right { WIDTH - 1 - column } else { column };
            usize::from(own[row / 2] >> bit & 1) + 2 * usize::from(other[row / 2] >> bit & 1)
        };
        let number = |squares: &[(usize, usize)]| {
            squares.iter().rev().fold(0, |sum, &(row, column)| 3 * sum + square(row, column))
        };
        let block: Vec<_> = (0..9).map(|i| (i / 3, i % 3)).collect();
        let along: Vec<_> = (0..8).map(|i| (i / 4, i % 4)).collect();
        let across: Vec<_> = (0..8).map(|i| (i % 4, i / 4)).collect();
        [number(&block), number(&along), number(&across)]
    }

    #[test]
    fn fillings_are_numbers_of_squares() {
        let mut random = 1u64;
        for _ in 0..10_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let [discs, owners] = [16, 32].map(|shift| ((random >> shift) as u16).to_le_bytes());
            let own = [discs[0] & owners[0], discs[1] & owners[1]];
            let other = [discs[0] & !owners[0], discs[1] & !owners[1]];
            for right in [false, true] {
                let found = fillings(own, other, right);
                assert_eq!(found, plainly(own, other, right));
                // mirrored at the diagonal
                let turned = |rows: [u8; 2]| {
                    let place =
                        |row: usize, column: usize| row * WIDTH + if right { WIDTH - 1 - column } else { column };
                    let all = u16::from_le_bytes(rows);
                    let bits = (0..16).map(|i| (all >> place(i % 4, i / 4) & 1) << place(i / 4, i % 4));
                    bits.sum::<u16>().to_le_bytes()
                };
                let image = fillings(turned(own), turned(other), right);
                assert_eq!(image, [mirrored(found[0]), found[2], found[1]]);
            }
        }
    }

    #[test]
    fn values_come_back_from_their_file() {
        let blocks: Vec<f32> =
            (0..BLOCKS).map(|block| (block.min(mirrored(block)) % 200) as f32 * 8.0 - 800.0).collect();
        let edges: Vec<f32> = (0..EDGES).map(|edge| (edge % 120) as f32 * -8.0).collect();
        let weights = |phase: usize| [[phase as f32, 0., 0., 0., 0., 0., 1.], [0., 10., 0., 0., 0., 0., 0.5]];
        let phases: Vec<_> = (0..PHASES).map(|phase| (blocks.clone(), edges.clone(), weights(phase))).collect();
        let file = pack(&phases);
        assert!(Tables::unpack(&file[..file.len() / 2]).is_none());
        let tables: &Tables = Box::leak(Box::new(Tables::unpack(&file).unwrap()));
        let corners = Corners::of(tables, 64);
        let empty = corners.value(64, [0; FEATURES], [[0; 3]; 4]);
        assert_eq!(empty, 4 * -800);
        for (empties, phase) in [(0, 0), (7, 0), (13, 1), (50, 6), (64, 7)] {
            assert_eq!(corners.value(empties, [3, 0, 0, 0, 0, 0], [[0; 3]; 4]) - empty, 3 * phase);
            for (block, &value) in blocks.iter().enumerate() {
                let found = corners.value(empties, [0; FEATURES], [[block, 7, 119], [0; 3], [0; 3], [0; 3]]);
                assert_eq!(found - empty, value as i32 + 800 - 56 - 952);
            }
        }
        // a board e times as large
        let corners = Corners::of(tables, 174);
        assert_eq!(corners.value(0, [0, 1, 0, 0, 0, 0], [[0; 3]; 4]), 10 + 4 * -800 * 3 / 2);
    }

    #[test]
    fn the_built_in_values_unfold() {
        for flips in [Flips::All, Flips::One] {
            for objective in [Objective::Most, Objective::Fewest] {
                let corners = Corners::new(flips, objective, 64);
                let value = |own, other| {
                    corners.value(32, [0; FEATURES], [fillings([own, 0], [other, 0], false), [0; 3], [0; 3], [0; 3]])
                };
                // an own corner, where the board is half empty
                assert_eq!(value(1, 0) > value(0, 1), objective == Objective::Most, "{flips:?} {objective:?}");
            }
        }
    }
}
