//! What a corner and the squares around it are worth where there are no trained patterns: on rectangular boards of any size
//! under any rules, and on octagons where all lines turn and most discs win.
//!
//! Six fillings of each corner have trained values in each phase of the game: three by three squares, two by four along either
//! edge, and the same again a square or two further in. (An octagon's corner lacks three of their squares, which count as empty.) They take
//! the place of the features of [`super::handmade`] that count corners and the squares beside them. `search::general::fit` makes the values,
//! for all sizes of boards together; the built-in ones unfold when first asked for.

use std::io::Read;
use std::sync::OnceLock;

use flate2::read::ZlibDecoder;

use super::error_model::{BoardErrors, ErrorModel};
use super::handmade::family;
use crate::rules::{Flips, Objective, RuleSet, Shape};

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

/// The numbers of a corner's fillings: at the edges a block of three by three squares, two by four squares along the corner's row, and two
/// by four along its column; then the same of what is a square (block) or two (the others) further in.
pub(crate) type Fillings = [usize; 6];

/// What a disc adds to the number of a window of squares (rows, columns) that begins at `first`, counted in the order of its rows.
const fn place([row, column]: [usize; 2], first: [usize; 2], shape: [usize; 2]) -> u64 {
    let (row, column) = (row.wrapping_sub(first[0]), column.wrapping_sub(first[1]));
    if row < shape[0] && column < shape[1] { 3u64.pow((shape[1] * row + column) as u32) } else { 0 }
}

/// What two rows of four squares of one side add to a corner's filling numbers, by their discs (the row nearer to the edge in the lower four
/// bits): to the block's in the lowest 16 bits, then to the number along the row, then to that across the rows; first of the fillings at the
/// edges, then of those further in. For corners that begin their row and those that end it; the two rows at the edge and the two behind them.
static ROWS: [[[[u64; 2]; 256]; 2]; 2] = {
    let mut rows = [[[[0; 2]; 256]; 2]; 2];
    let mut at = 0;
    while at < 2 * 2 * 256 * 8 {
        let (right, pair, discs, bit) = (at / 4096, at / 2048 % 2, at / 8 % 256, at % 8);
        if discs >> bit & 1 != 0 {
            let column = if right == 1 { 3 - bit % 4 } else { bit % 4 };
            let row = 2 * pair + bit / 4;
            let mut further = 0;
            while further < 2 {
                let block = place([row, column], [further, further], [3, 3]);
                let along = place([row, column], [2 * further, 0], [2, 4]);
                let across = place([column, row], [2 * further, 0], [2, 4]);
                rows[right][pair][discs][further] += block | along << 16 | across << 32;
                further += 1;
            }
        }
        at += 1;
    }
    rows
};

/// The numbers of a corner's fillings. `own` and `other` have the discs of its first two rows of four squares and of the next two, the
/// first of two in the lower four bits of eight; `right`: the corner is the last square of its row.
#[inline(always)]
pub(crate) fn fillings(own: [u8; 2], other: [u8; 2], right: bool) -> Fillings {
    let [near, far] = &ROWS[usize::from(right)];
    let [own_near, own_far] = [near[usize::from(own[0])], far[usize::from(own[1])]];
    let [other_near, other_far] = [near[usize::from(other[0])], far[usize::from(other[1])]];
    let edge = own_near[0] + own_far[0] + 2 * (other_near[0] + other_far[0]);
    let inner = own_near[1] + own_far[1] + 2 * (other_near[1] + other_far[1]);
    let number = |fillings: u64, nth: u32| usize::from((fillings >> (16 * nth)) as u16);
    [number(edge, 0), number(edge, 1), number(edge, 2), number(inner, 0), number(inner, 1), number(inner, 2)]
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
    /// At the edges, and further in.
    blocks: Box<[[i16; BLOCKS]; 2]>,
    edges: Box<[[i16; EDGES]; 2]>,
    /// On 8x8, and what is added to them for each unit of [`size`].
    weights: [Weights; 2],
}

impl Phase {
    fn empty() -> Phase {
        Phase { blocks: Box::new([[0; BLOCKS]; 2]), edges: Box::new([[0; EDGES]; 2]), weights: Default::default() }
    }
}

/// The values for some rules, on boards of all sizes.
struct Tables {
    phases: [Phase; PHASES],
}

/// Where octagons stand behind the [families](family) of rectangles.
pub(crate) const OCTAGON: usize = 4;

/// Which values these rules have, if any.
fn kind(rules: &RuleSet) -> Option<usize> {
    match (rules.shape(), family(rules.flips(), rules.objective())) {
        (Shape::Rectangle, family) => Some(family),
        (Shape::Octagon, 0) => Some(OCTAGON),
        _ => None,
    }
}

impl Tables {
    /// The built-in ones of a [`kind`].
    fn of(kind: usize) -> &'static Tables {
        static EMBEDDED: [(&[u8], OnceLock<Tables>); 5] = [
            (include_bytes!("weights/all-most.bin"), OnceLock::new()),
            (include_bytes!("weights/one-most.bin"), OnceLock::new()),
            (include_bytes!("weights/all-fewest.bin"), OnceLock::new()),
            (include_bytes!("weights/one-fewest.bin"), OnceLock::new()),
            (include_bytes!("weights/octagon.bin"), OnceLock::new()),
        ];
        let (file, tables) = &EMBEDDED[kind];
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
            for blocks in phase.blocks.iter_mut() {
                for (block, &image) in images.iter().enumerate() {
                    blocks[block] = if image < block { blocks[image] } else { value()? };
                }
            }
            for edge in phase.edges.as_flattened_mut() {
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

// by kind; measured by `search::general::fit` on boards of 6x6 to 10x10: standard deviations are 21 to 27 % off, those of octagons 40 %
const MEASURED: [BoardErrors; 5] = [
    [4.1087, -0.2000, 0.1165, -2.1229, -0.5320],
    [1.6274, -0.1744, 0.1097, -2.2022, 0.0988],
    [0.0639, -0.1839, 0.0711, -1.3632, 0.2432],
    [-1.2573, -0.1971, 0.1161, -0.0614, 0.3279],
    [1.5164, -0.2271, 0.0859, -0.7039, -0.0430],
];

/// How far searches before the end of the game are off with these values, on a rectangle of so many squares.
pub(crate) fn errors_of(flips: Flips, objective: Objective, squares: u32) -> ErrorModel {
    ErrorModel::of_board(MEASURED[family(flips, objective)], squares)
}

/// The same under these rules, if there are values for them.
pub(crate) fn errors_under(rules: &RuleSet) -> Option<ErrorModel> {
    kind(rules).map(|kind| ErrorModel::of_board(MEASURED[kind], rules.squares()))
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
    /// For rectangles of so many squares.
    pub fn new(flips: Flips, objective: Objective, squares: u32) -> Corners {
        Corners::of(Tables::of(family(flips, objective)), squares)
    }

    /// For these rules, if there are values for them.
    pub fn under(rules: &RuleSet) -> Option<Corners> {
        kind(rules).map(|kind| Corners::of(Tables::of(kind), rules.squares()))
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
    pub fn value(&self, empties: u32, features: [i32; FEATURES], corners: [Fillings; 4]) -> i32 {
        let at = usize::from(self.phases[empties as usize]);
        let (phase, weights) = (&self.tables.phases[at], &self.weights[at]);
        let ([blocks, inner_blocks], [edges, inner_edges]) = (&*phase.blocks, &*phase.edges);
        let mut sum = 0;
        for [block, along, across, inner_block, inner_along, inner_across] in corners {
            sum += i32::from(blocks[block]) + i32::from(edges[along]) + i32::from(edges[across]);
            sum += i32::from(inner_blocks[inner_block]);
            sum += i32::from(inner_edges[inner_along]) + i32::from(inner_edges[inner_across]);
        }
        let mut value = sum * weights[FEATURES] / 256;
        for (feature, weight) in features.iter().zip(weights) {
            value += feature * weight;
        }
        value
    }
}

/// The values of one phase before they are packed: blocks, edges (at the edges of the board, and further in), weights.
#[cfg(test)]
pub(crate) type Fitted = ([Vec<f32>; 2], [Vec<f32>; 2], [Weights; 2]);

/// The values of all phases as a file, which [`Tables::unpack`] reads.
#[cfg(test)]
pub(crate) fn pack(phases: &[Fitted]) -> Vec<u8> {
    use std::io::Write;
    let step = |value: f32| (value / STEP as f32).round().clamp(-127.0, 127.0) as i8 as u8;
    let mut bytes = Vec::new();
    for (blocks, edges, _) in phases {
        for blocks in blocks {
            bytes.extend((0..BLOCKS).filter(|&block| mirrored(block) >= block).map(|block| step(blocks[block])));
        }
        bytes.extend(edges.iter().flatten().map(|&value| step(value)));
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
    fn plainly(own: [u8; 2], other: [u8; 2], right: bool) -> Fillings {
        let square = |row: usize, column: usize| {
            let bit = row % 2 * WIDTH + if right { WIDTH - 1 - column } else { column };
            usize::from(own[row / 2] >> bit & 1) + 2 * usize::from(other[row / 2] >> bit & 1)
        };
        let number = |squares: &[(usize, usize)]| {
            squares.iter().rev().fold(0, |sum, &(row, column)| 3 * sum + square(row, column))
        };
        let window = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
            number(&rows.flat_map(|row| columns.clone().map(move |column| (row, column))).collect::<Vec<_>>())
        };
        let across = |columns: std::ops::Range<usize>| {
            number(&columns.flat_map(|column| (0..4).map(move |row| (row, column))).collect::<Vec<_>>())
        };
        [window(0..3, 0..3), window(0..2, 0..4), across(0..2), window(1..4, 1..4), window(2..4, 0..4), across(2..4)]
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
                let [block, along, across, inner, inner_along, inner_across] = found;
                assert_eq!(image, [mirrored(block), across, along, mirrored(inner), inner_across, inner_along]);
            }
        }
    }

    #[test]
    fn values_come_back_from_their_file() {
        let blocks = [200, 150].map(|count| {
            (0..BLOCKS).map(|block| (block.min(mirrored(block)) % count) as f32 * 8.0 - 800.0).collect::<Vec<_>>()
        });
        let edges = [120, 90].map(|count| (0..EDGES).map(|edge| (edge % count) as f32 * -8.0).collect::<Vec<_>>());
        let weights = |phase: usize| [[phase as f32, 0., 0., 0., 0., 0., 1.], [0., 10., 0., 0., 0., 0., 0.5]];
        let phases: Vec<_> = (0..PHASES).map(|phase| (blocks.clone(), edges.clone(), weights(phase))).collect();
        let file = pack(&phases);
        assert!(Tables::unpack(&file[..file.len() / 2]).is_none());
        let tables: &Tables = Box::leak(Box::new(Tables::unpack(&file).unwrap()));
        let corners = Corners::of(tables, 64);
        let empty = corners.value(64, [0; FEATURES], [[0; 6]; 4]);
        assert_eq!(empty, 8 * -800);
        for (empties, phase) in [(0, 0), (7, 0), (13, 1), (50, 6), (64, 7)] {
            assert_eq!(corners.value(empties, [3, 0, 0, 0, 0, 0], [[0; 6]; 4]) - empty, 3 * phase);
            for (block, (&edge, &inner)) in blocks[0].iter().zip(&blocks[1]).enumerate() {
                let found =
                    corners.value(empties, [0; FEATURES], [[block, 7, 119, block, 5, 89], [0; 6], [0; 6], [0; 6]]);
                assert_eq!(found - empty, (edge + inner) as i32 + 1600 - 56 - 952 - 40 - 712);
            }
        }
        // a board e times as large
        let corners = Corners::of(tables, 174);
        assert_eq!(corners.value(0, [0, 1, 0, 0, 0, 0], [[0; 6]; 4]), 10 + 8 * -800 * 3 / 2);
    }

    #[test]
    fn the_built_in_values_unfold() {
        for flips in [Flips::All, Flips::One] {
            for objective in [Objective::Most, Objective::Fewest] {
                let corners = Corners::new(flips, objective, 64);
                let value = |own, other| {
                    corners.value(32, [0; FEATURES], [fillings([own, 0], [other, 0], false), [0; 6], [0; 6], [0; 6]])
                };
                // an own corner, where the board is half empty
                assert_eq!(value(1, 0) > value(0, 1), objective == Objective::Most, "{flips:?} {objective:?}");
            }
        }
    }

    #[test]
    fn octagons_have_values_of_their_own() {
        let under = |rules: &str| Corners::under(&rules.parse().unwrap());
        let octagon = under("octagon").unwrap();
        // an own end of an edge (c1), where the board is half empty
        let value = |own, other| octagon.value(44, [0; FEATURES], [fillings([own, 0], [other, 0], false); 4]);
        assert!(value(4, 0) > value(0, 4));
        assert!(under("othello:8x8,octagon").is_some() && under("othello:7x9").is_some());
        for rules in ["octagon:one", "octagon:fewest", "othello:holes=c3"] {
            assert!(under(rules).is_none(), "{rules}");
        }
    }
}
