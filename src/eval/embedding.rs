//! The part of the evaluation that is not linear: embedding rows, added up and squared.
//!
//! Every folded filling has a row of [`WIDTH`] numbers, shared by all plies, and so has every look of a region of the
//! board (see [`regions`]). The rows of the 46 patterns and of the 20 regions are added to a bias, each sum is clipped,
//! squared and weighed; bias and weights depend on the number of empty squares. What it adds to the linear value is
//! what pairs of patterns and regions say together, kept between bounds that depend on the number of empty squares and
//! on the sign of the linear value: they are part of the model, so that a search which has the linear value knows how
//! far the whole can be from it. (The numbers alone bound nothing: the weights of a head add up to 50 discs, of which
//! positions see 10.) (A square of a sum is a sum of products of pairs: a factorisation machine with a clip. Neural
//! Reversi has shown what rows for pattern fillings are worth.)
//!
//! Sums are in units of 1/[`ONE`] of the clipping range. Rows are 8-bit numbers: 66 of them and a bias that the reader
//! has checked cannot overflow 16 bits, so the order of the additions does not matter and every tier gives the same value.

use super::pattern::{EMPTIES, FEATURES, FILLINGS, folded_count, folding};
use super::regions::{self, LOOKS, NO_ROW, REGION_ROWS, REGIONS};
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
    /// A row for each folded filling, then one for each look of a region of each kind.
    pub rows: Vec<[i8; WIDTH]>,
}

/// Rows of an embedding.
pub(crate) const fn row_count() -> usize {
    folded_count() + REGION_ROWS
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
    /// What is added in all is within the first of these where the linear value is not negative, else within the second: what
    /// leads away from zero may be more than what leads back.
    pub reach: [Reach; 2],
}

/// Bounds of what is added, in internal units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Not less.
    pub least: i16,
    /// Not more.
    pub most: i16,
}

impl Reach {
    /// Nothing is added.
    pub const ZERO: Reach = Reach { least: 0, most: 0 };
    /// As far as numbers go.
    pub const WIDEST: Reach = Reach { least: i16::MIN, most: i16::MAX };
}

impl Head {
    /// Worth nothing.
    pub const ZERO: Head = Head { bias: [0; WIDTH], weights: [0; WIDTH], constant: 0, reach: [Reach::ZERO; 2] };

    /// Its numbers are small enough for the arithmetic, and its bounds in order.
    pub fn is_valid(&self) -> bool {
        self.reach.iter().all(|reach| reach.least <= reach.most)
            && self.bias.iter().all(|b| b.unsigned_abs() <= MAX_BIAS.unsigned_abs())
            && self.weights.iter().map(|&w| (w as i32).abs()).sum::<i32>() <= MAX_WEIGHT
    }
}

impl Embedding {
    /// Numbers of rows and heads are right and every head is valid.
    pub fn is_valid(&self) -> bool {
        self.heads.len() == EMPTIES && self.rows.len() == row_count() && self.heads.iter().all(Head::is_valid)
    }
}

/// What the sums of rows are made into values by, ready for use.
pub(super) struct Heads {
    heads: [Head; 64],
    /// The bounds of the heads once more, side by side: a search looks at them more often than at the rest.
    reach: [[Reach; 2]; 64],
}

/// The rows of an embedding unfolded: one for each filling, then one for each look of each kind of region, then rows without meaning up
/// to [`TAIL`] after those of the fillings.
pub(super) struct Rows(LargeSlice<Row>);

impl Rows {
    /// The rows of a valid embedding; `None` when there is not that much memory.
    pub fn new(folded: &[[i8; WIDTH]]) -> Option<Rows> {
        // SAFETY: rows are integers, for which zero is a value
        let mut rows: LargeSlice<Row> = unsafe { LargeSlice::zeroed(FILLINGS + TAIL) }?;
        for (row, &place) in rows.iter_mut().zip(&folding().folded) {
            *row = Row::new(folded[place as usize]);
        }
        for (row, &place) in rows[FILLINGS..].iter_mut().zip(regions::rows()).filter(|&(_, &place)| place != NO_ROW) {
            *row = Row::new(folded[folded_count() + place as usize]);
        }
        Some(Rows(rows))
    }
}

impl Heads {
    /// The heads of a valid embedding, or of none.
    pub fn new(heads: Option<&[Head]>) -> Heads {
        // positions of the 8x8 board never have more than 60 empties
        let of = |empties: usize| heads.map_or(Head::ZERO, |heads| heads[empties.min(EMPTIES - 1)]);
        let heads: [Head; 64] = std::array::from_fn(of);
        Heads { heads, reach: heads.map(|head| head.reach) }
    }

    /// [`Heads::value`] for this linear value is never below the first of these nor above the second.
    #[inline(always)]
    pub fn reach(&self, empties: u32, linear: i32) -> (i32, i32) {
        let Reach { least, most } = self.reach[(empties & 63) as usize][(linear < 0) as usize];
        (least as i32, most as i32)
    }

    /// What the embedding adds to this linear value, in internal units; `places` are those of a position's fillings, `looks` those of
    /// its regions.
    /// Plain loops over arrays become vector code of the instruction set of the function this is inlined into.
    #[allow(clippy::needless_range_loop, clippy::manual_clamp)]
    #[inline(always)]
    pub fn value(&self, rows: &Rows, places: &Places, looks: &[u32; REGIONS], empties: u32, linear: i32) -> i32 {
        let head = &self.heads[(empties & 63) as usize];
        let mut of_regions = [0; REGIONS];
        for i in 0..REGIONS {
            of_regions[i] = FILLINGS as u32 + looks[i];
        }
        const { assert!(LOOKS <= TAIL) };
        let rows = &rows.0[..FILLINGS + TAIL];
        // SAFETY: places are at most FILLINGS and a 16-bit number, and there are that many rows; those of regions are below
        // FILLINGS + LOOKS
        let sums = unsafe { sums::sum_rows(rows, &places.0[..FEATURES], sums::sum_rows(rows, &of_regions, head.bias)) };
        let mut value = 0i32;
        for j in 0..WIDTH {
            let clipped = sums[j].max(0).min(ONE);
            // at most 32512: the square is a 16-bit number without sign, its half one with sign
            let square = (clipped.wrapping_mul(clipped) as u16 >> 1) as i16;
            value = value.wrapping_add(square as i32 * head.weights[j] as i32);
        }
        let value = head.constant as i32 + ((value + (1 << (SQUARE_BITS - 1))) >> SQUARE_BITS);
        let (least, most) = self.reach(empties, linear);
        value.max(least).min(most)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::board::{Board, Square};
    use crate::eval::features::tests::walk_random_games;
    use crate::eval::features::{Features, Fillings, places};
    use crate::eval::pattern::OFFSETS;
    use crate::kernel::Tier;
    #[cfg(target_arch = "x86_64")]
    use crate::kernel::features::tier_call;

    /// An embedding of random numbers up to `largest` in its rows.
    pub fn random_embedding(seed: u64, largest: i8) -> Embedding {
        let mut rng = StdRng::seed_from_u64(seed);
        let heads = (0..EMPTIES)
            .map(|_| Head {
                bias: std::array::from_fn(|_| rng.random_range(-200..200)),
                weights: std::array::from_fn(|_| rng.random_range(-1000..1000)),
                constant: rng.random_range(-500..500),
                reach: std::array::from_fn(|_| Reach {
                    least: rng.random_range(-1500..0),
                    most: rng.random_range(0..1500),
                }),
            })
            .collect();
        let mut row = |_| std::array::from_fn(|_| rng.random_range(-largest..=largest));
        Embedding { heads, rows: (0..row_count()).map(&mut row).collect() }
    }

    /// The largest numbers that are valid, all of one sign.
    pub fn extreme_embedding(sign: i16) -> Embedding {
        let row = [if sign < 0 { i8::MIN } else { i8::MAX }; WIDTH];
        let head = Head {
            bias: [MAX_BIAS * sign; WIDTH],
            weights: [(MAX_WEIGHT / WIDTH as i32) as i16 * sign; WIDTH],
            constant: i16::MAX * sign,
            reach: [Reach::WIDEST; 2],
        };
        Embedding { heads: vec![head; EMPTIES], rows: vec![row; row_count()] }
    }

    fn looks_of(board: Board) -> [u32; REGIONS] {
        regions::looks(board, board.legal_moves(), board.pass().legal_moves())
    }

    /// The definition, in wide integers and from scratch.
    pub fn reference(embedding: &Embedding, board: Board, linear: i32) -> i32 {
        let head = &embedding.heads[board.empty_count() as usize];
        let fresh = Features::new(board);
        let places = fresh.fillings(0).iter().zip(OFFSETS).map(|(&f, o)| folding().folded[o as usize + f as usize]);
        let looks = looks_of(board);
        let of_regions = looks.map(|look| folded_count() as u32 + regions::rows()[look as usize] as u32);
        let places: Vec<u32> = places.chain(of_regions).collect();
        let mut value = 0i64;
        for j in 0..WIDTH {
            let rows = places.iter().map(|&place| embedding.rows[place as usize][j] as i64);
            let sum = head.bias[j] as i64 + rows.sum::<i64>();
            let clipped = sum.clamp(0, 255);
            value += clipped * clipped / 2 * head.weights[j] as i64;
        }
        let Reach { least, most } = head.reach[if linear >= 0 { 0 } else { 1 }];
        (head.constant as i32 + ((value + 16_384) >> 15) as i32).clamp(least as i32, most as i32)
    }

    fn table_of(embedding: &Embedding) -> (Heads, Rows) {
        assert!(embedding.is_valid());
        (Heads::new(Some(&embedding.heads)), Rows::new(&embedding.rows).unwrap())
    }

    /// [`Heads::value`] as it is compiled for a tier.
    fn value_in(
        tier: Tier,
        (heads, rows): &(Heads, Rows),
        (fillings, board, linear): (&Fillings, Board, i32),
        empties: u32,
    ) -> i32 {
        let (places, looks) = (&places(fillings), &looks_of(board));
        #[cfg(target_arch = "x86_64")]
        macro_rules! compiled_for {
            ($tier:ident) => {
                tier_call!($tier => (
                    heads: &Heads, rows: &Rows, places: &Places, looks: &[u32; REGIONS], empties: u32, linear: i32
                ) -> i32, heads.value(rows, places, looks, empties, linear))
            };
        }
        match tier {
            #[cfg(target_arch = "x86_64")]
            Tier::V3 => compiled_for!(v3),
            #[cfg(target_arch = "x86_64")]
            Tier::V4 => compiled_for!(v4),
            _ => heads.value(rows, places, looks, empties, linear),
        }
    }

    fn check(embedding: &Embedding, games: usize) {
        let table = table_of(embedding);
        let tiers: Vec<Tier> = Tier::ALL.into_iter().filter(|tier| tier.is_supported()).collect();
        walk_random_games(games, 3, |board, features, view| {
            let empties = board.empty_count();
            for linear in [-1, 0] {
                let expected = reference(embedding, board, linear);
                let input = (features.fillings(view), board, linear);
                for &tier in &tiers {
                    assert_eq!(value_in(tier, &table, input, empties), expected, "{tier} {board:?}");
                }
                let passed = value_in(tiers[0], &table, (features.fillings(view ^ 1), board.pass(), linear), empties);
                assert_eq!(passed, reference(embedding, board.pass(), linear));
                for symmetry in 1..8 {
                    let image = board.symmetry(symmetry);
                    let features = Features::new(image);
                    let value = value_in(tiers[0], &table, (features.fillings(0), image, linear), empties);
                    assert_eq!(value, expected, "symmetry {symmetry}");
                }
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
    fn values_stay_within_reach_and_touch_both_ends() {
        let embedding = random_embedding(6, 40);
        let table = table_of(&embedding);
        let (mut low, mut high) = (0, 0);
        walk_random_games(30, 4, |board, features, view| {
            let empties = board.empty_count();
            for linear in [-300, 300] {
                let (least, most) = table.0.reach(empties, linear);
                let value = value_in(Tier::best(), &table, (features.fillings(view), board, linear), empties);
                assert!((least..=most).contains(&value), "{value} {least} {most}");
                low += (value == least) as u32;
                high += (value == most) as u32;
            }
        });
        assert!(low > 10 && high > 10, "{low} {high}");
    }

    #[test]
    fn without_an_embedding_nothing_is_in_reach() {
        let heads = Heads::new(None);
        assert!((0..64).all(|empties| [-9, 9].iter().all(|&linear| heads.reach(empties, linear) == (0, 0))));
    }

    #[test]
    fn impossible_arguments_stay_inside_the_table() {
        let table = table_of(&extreme_embedding(1));
        // turning discs that are not there gives fillings that do not exist
        let features = Features::new(Board::START).after(7, Square::of_lowest_bit(1), u64::MAX);
        for tier in Tier::ALL.into_iter().filter(|tier| tier.is_supported()) {
            value_in(tier, &table, (features.fillings(9), Board { player: u64::MAX, opponent: 0 }, i32::MIN), u32::MAX);
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
        assert!(!with(&|e| e.heads[9].reach[1] = Reach { least: 5, most: 4 }));
        assert!(!with(&|e| e.heads.truncate(60)));
        assert!(!with(&|e| e.rows.truncate(100_000)));
    }
}
