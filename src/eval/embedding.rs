//! The part of the evaluation that is not linear: embedding rows, added up and squared.
//!
//! Every folded filling has a row of [`WIDTH`] numbers, shared by all plies. The rows of the 46 patterns are added to a
//! bias, each sum is clipped, squared and weighed; bias and weights depend on the number of empty squares. What it adds to the
//! linear value is what pairs of patterns say together. (A square of a sum is a sum of products of pairs: a
//! factorisation machine with a clip. Neural Reversi has shown what rows for pattern fillings are worth.)
//!
//! Sums are in units of 1/[`ONE`] of the clipping range. Rows are 8-bit numbers: 46 of them and a bias that the reader
//! has checked cannot overflow 16 bits, so the order of the additions does not matter and every tier gives the same value.

use super::pattern::{EMPTIES, FEATURES, FILLINGS, folded_count, folding};
use crate::kernel::Isa;
use crate::kernel::sums::{self, Places, Row};
use crate::pages::LargeSlice;

/// Numbers in a row.
pub const WIDTH: usize = sums::ROW;
/// Sums are clipped to 0..=ONE.
pub const ONE: i16 = 255;
/// The largest bias, either sign.
pub const MAX_BIAS: i16 = 16_384;
/// The largest sum of absolute weights of one number of empties, in internal units (511 discs): the weighed squares then add
/// up in 32 bits.
pub const MAX_WEIGHT: i32 = 65_535;
/// The square of [`ONE`] has this many bits after its halving.
const SQUARE_BITS: u32 = 15;
/// Rows after the last one, so that any 16-bit filling stays inside the table.
const TAIL: usize = 1 << 16;

/// What training makes: see the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedding {
    /// By number of empties.
    pub heads: Vec<Head>,
    /// A row for each folded filling.
    pub rows: Vec<[i8; WIDTH]>,
}

/// What depends on the number of empties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Head {
    /// Where the sums begin, in units of 1/256.
    pub bias: [i16; WIDTH],
    /// What a square of 1 is worth, in internal units.
    pub weights: [i16; WIDTH],
    /// What is added in any case, in internal units.
    pub constant: i16,
}

impl Head {
    /// Worth nothing.
    pub const ZERO: Head = Head { bias: [0; WIDTH], weights: [0; WIDTH], constant: 0 };

    /// Its numbers are small enough for the arithmetic.
    pub fn is_valid(&self) -> bool {
        self.bias.iter().all(|b| b.unsigned_abs() <= MAX_BIAS.unsigned_abs())
            && self.weights.iter().map(|&w| (w as i32).abs()).sum::<i32>() <= MAX_WEIGHT
    }
}

impl Embedding {
    /// Numbers of rows and heads are right and every head is valid.
    pub fn is_valid(&self) -> bool {
        self.heads.len() == EMPTIES && self.rows.len() == folded_count() && self.heads.iter().all(Head::is_valid)
    }
}

/// The embedding unfolded, ready for use.
pub(super) struct EmbeddingTable {
    /// A row for each filling, then [`TAIL`] zeros; empty without an embedding.
    rows: LargeSlice<Row>,
    heads: [Head; 64],
}

impl EmbeddingTable {
    /// The table of a valid embedding, or of none.
    pub fn new(embedding: Option<&Embedding>) -> EmbeddingTable {
        // SAFETY: rows are integers, for which zero is a value
        let table = |len: usize| unsafe { LargeSlice::zeroed(len) }.expect("memory for the weights");
        let Some(embedding) = embedding else {
            return EmbeddingTable { rows: table(0), heads: [Head::ZERO; 64] };
        };
        assert!(embedding.is_valid(), "readers and trainers check embeddings");
        let mut rows: LargeSlice<Row> = table(FILLINGS + TAIL);
        for (row, &place) in rows.iter_mut().zip(&folding().folded) {
            row.0 = embedding.rows[place as usize];
        }
        EmbeddingTable { rows, heads: std::array::from_fn(|empties| embedding.heads[empties.min(EMPTIES - 1)]) }
    }

    /// There is no embedding: its value is 0.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What the embedding adds to the linear value, in internal units; `places` are those of a position's fillings.
    /// Plain loops over arrays become vector code of the instruction set of the function this is inlined into.
    #[allow(clippy::needless_range_loop, clippy::manual_clamp)]
    #[inline(always)]
    pub fn value<I: Isa>(&self, places: &Places, empties: u32) -> i32 {
        if self.is_empty() {
            return 0;
        }
        let head = &self.heads[(empties & 63) as usize];
        // SAFETY: places are at most FILLINGS and a 16-bit number, and there are that many rows
        let sums = unsafe { I::sum_rows(&self.rows[..FILLINGS + TAIL], places, FEATURES, head.bias) };
        let mut value = 0i32;
        for j in 0..WIDTH {
            let clipped = sums[j].max(0).min(ONE);
            // at most 32512: the square is a 16-bit number without sign, its half one with sign
            let square = (clipped.wrapping_mul(clipped) as u16 >> 1) as i16;
            value = value.wrapping_add(square as i32 * head.weights[j] as i32);
        }
        head.constant as i32 + ((value + (1 << (SQUARE_BITS - 1))) >> SQUARE_BITS)
    }
}

impl std::fmt::Debug for EmbeddingTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EmbeddingTable").field("rows", &self.rows.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Square};
    use crate::eval::features::tests::walk_random_games;
    use crate::eval::features::{Features, places};
    use crate::eval::model::tests::{extreme_embedding, random_embedding};
    use crate::eval::pattern::OFFSETS;
    use crate::kernel::{Portable, Tier};

    /// The definition, in wide integers and from scratch.
    fn reference(embedding: &Embedding, board: Board) -> i32 {
        let head = &embedding.heads[board.empty_count() as usize];
        let fresh = Features::new(board);
        let places = fresh.fillings(0).iter().zip(OFFSETS).map(|(&f, o)| folding().folded[o as usize + f as usize]);
        let places: Vec<u32> = places.collect();
        let mut value = 0i64;
        for j in 0..WIDTH {
            let rows = places.iter().map(|&place| embedding.rows[place as usize][j] as i64);
            let sum = head.bias[j] as i64 + rows.sum::<i64>();
            let clipped = sum.clamp(0, 255);
            value += clipped * clipped / 2 * head.weights[j] as i64;
        }
        head.constant as i32 + ((value + 16_384) >> 15) as i32
    }

    /// [`EmbeddingTable::value`] with the kernels of a tier.
    fn value_in(tier: Tier, table: &EmbeddingTable, features: &Features, view: usize, empties: u32) -> i32 {
        let places = places(features.fillings(view));
        match tier {
            Tier::Portable => table.value::<Portable<false>>(&places, empties),
            #[cfg(target_arch = "x86_64")]
            Tier::V3 => table.value::<crate::kernel::V3<false>>(&places, empties),
            #[cfg(target_arch = "x86_64")]
            Tier::V4 => table.value::<crate::kernel::V4<false>>(&places, empties),
            #[cfg(not(target_arch = "x86_64"))]
            _ => unreachable!("not supported"),
        }
    }

    fn check(embedding: &Embedding, games: usize) {
        assert!(embedding.is_valid());
        let table = EmbeddingTable::new(Some(embedding));
        let tiers: Vec<Tier> = Tier::ALL.into_iter().filter(|tier| tier.is_supported()).collect();
        walk_random_games(games, 3, |board, features, view| {
            let empties = board.empty_count();
            let expected = reference(embedding, board);
            for &tier in &tiers {
                assert_eq!(value_in(tier, &table, features, view, empties), expected, "{tier} {board:?}");
            }
            assert_eq!(value_in(tiers[0], &table, features, view ^ 1, empties), reference(embedding, board.pass()));
            for symmetry in 1..8 {
                let image = Features::new(board.symmetry(symmetry));
                assert_eq!(value_in(tiers[0], &table, &image, 0, empties), expected, "symmetry {symmetry}");
            }
        });
    }

    #[test]
    fn every_tier_computes_the_definition_and_all_images_are_worth_the_same() {
        // small rows seldom reach the clip, large ones nearly always
        check(&random_embedding(1, 6), 20);
        check(&random_embedding(2, 6), 20);
        check(&random_embedding(3, 127), 20);
        check(&random_embedding(4, 40), 20);
    }

    #[test]
    fn the_largest_valid_numbers_do_not_overflow() {
        check(&extreme_embedding(1), 3);
        check(&extreme_embedding(-1), 3);
    }

    #[test]
    fn no_embedding_is_worth_nothing() {
        let table = EmbeddingTable::new(None);
        assert!(table.is_empty());
        assert_eq!(value_in(Tier::best(), &table, &Features::new(Board::START), 0, 60), 0);
    }

    #[test]
    fn impossible_arguments_stay_inside_the_table() {
        let table = EmbeddingTable::new(Some(&extreme_embedding(1)));
        // turning discs that are not there gives fillings that do not exist
        let features = Features::new(Board::START).after(7, Square::of_lowest_bit(1), u64::MAX);
        for tier in Tier::ALL.into_iter().filter(|tier| tier.is_supported()) {
            value_in(tier, &table, &features, 9, u32::MAX);
        }
    }

    #[test]
    fn too_large_numbers_are_not_valid() {
        let good = random_embedding(5, 1);
        let with = |change: &dyn Fn(&mut Embedding)| {
            let mut embedding = good.clone();
            change(&mut embedding);
            embedding.is_valid()
        };
        assert!(with(&|_| ()));
        assert!(!with(&|e| e.heads[3].bias[0] = MAX_BIAS + 1));
        assert!(!with(&|e| e.heads[60].bias[WIDTH - 1] = i16::MIN));
        assert!(!with(&|e| e.heads[0].weights = [(MAX_WEIGHT / WIDTH as i32) as i16 + 1; WIDTH]));
        assert!(!with(&|e| e.heads[0].weights = [i16::MIN; WIDTH]));
        assert!(!with(&|e| e.heads.truncate(60)));
        assert!(!with(&|e| e.rows.truncate(100_000)));
    }
}
