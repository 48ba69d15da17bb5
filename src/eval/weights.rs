//! The weights of the patterns, ready for use: what a filling is worth in each phase of the game.
//!
//! The built-in weights unfold as they are needed: a search asks for the phases that its iterations can reach
//! ([`Weights::prepare`]). A game does not wait for the weights of the opening and of the end at its first move, and solving a
//! dozen empty squares, which evaluates nothing, waits for none.

mod phases;

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use self::phases::{Phases, Section};
use super::embedding::{Heads, Rows};
use super::error_model::ErrorModels;
use super::features::{Features, Fillings, places};
use super::file::{Packed, WeightsError, side_by_side};
use super::model::Model;
use super::regions;
use crate::board::Board;
use crate::checksum::crc32;
use crate::kernel::sums::Places;
use crate::kernel::{Isa, Portable};

/// Internal units in a disc.
pub const UNITS_PER_DISC: i32 = 128;
/// Evaluations stay within this many discs: only a finished game is a win by 64.
pub(crate) const MAX_DISCS: i32 = 62;

/// The weights file built into the program; `weights/MODEL.md` says how it was made.
static EMBEDDED_FILE: &[u8] = include_bytes!("weights/evaluation.bin");

/// The trained weights: values positions by their [`Features`].
///
/// About 0.5 MB for each phase and 14.8 MB for the embedding; share one through an [`Arc`].
pub struct Weights {
    phases: Phases,
    heads: Heads,
    /// `None` without an embedding: nothing is added to the linear value.
    rows: Option<OnceLock<Rows>>,
    errors: ErrorModels,
    /// Where the parts come from that have not been asked for yet.
    packed: Option<Packed<'static>>,
    /// Held by whom unpacks: who comes second waits instead of doing the same work.
    unpacking: Mutex<()>,
}

/// A part that is unpacked for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Section(usize),
    Rows,
}

impl Part {
    fn section(self) -> Option<usize> {
        match self {
            Part::Section(section) => Some(section),
            Part::Rows => None,
        }
    }
}

impl Weights {
    /// The weights built into the program. They are unpacked as they are needed.
    ///
    /// # Panics
    /// When there is not enough memory: [`Weights::try_embedded`] says so instead.
    pub fn embedded() -> Arc<Weights> {
        Weights::try_embedded().expect("the embedded weights are tested, and some hundred KB are to be had")
    }

    /// The weights built into the program. They are unpacked as they are needed: see [`Weights::prepare`].
    ///
    /// # Errors
    /// [`WeightsError::Memory`]; a later call may succeed.
    pub fn try_embedded() -> Result<Arc<Weights>, WeightsError> {
        static EMBEDDED: OnceLock<Arc<Weights>> = OnceLock::new();
        static OPENING: Mutex<()> = Mutex::new(());
        if let Some(weights) = EMBEDDED.get() {
            return Ok(weights.clone());
        }
        let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        if EMBEDDED.get().is_none() {
            let _ = EMBEDDED.set(Arc::new(Weights::open(EMBEDDED_FILE)?));
        }
        Ok(EMBEDDED.get().expect("it was just set").clone())
    }

    /// Weights of a file that stays where it is and is known to be undamaged.
    fn open(bytes: &'static [u8]) -> Result<Weights, WeightsError> {
        let packed = Packed::trusted(bytes)?;
        let first = &packed.first;
        Ok(Weights {
            phases: Phases::empty(&first.evaluation, first.section_count()),
            heads: Heads::new(first.heads.as_ref().map(|(_, heads)| &heads[..])),
            rows: first.heads.as_ref().map(|_| OnceLock::new()),
            errors: first.errors,
            packed: Some(packed),
            unpacking: Mutex::new(()),
        })
    }

    /// Makes ready what positions with a number of empty squares in this range need, by several threads; what is ready already
    /// costs nothing. Values that were not prepared for are the same, but the first of them takes milliseconds.
    ///
    /// # Errors
    /// [`WeightsError::Memory`]; a later call may succeed.
    pub fn prepare(&self, empties: RangeInclusive<u32>) -> Result<(), WeightsError> {
        if self.is_ready(empties.clone()) {
            return Ok(());
        }
        let _unpacking = self.unpacking.lock().unwrap_or_else(PoisonError::into_inner);
        let sections = self.phases.missing(empties).map(Part::Section);
        let rows = self.are_rows_missing().then_some(Part::Rows);
        self.unpack(&sections.chain(rows).collect::<Vec<_>>())
    }

    /// The built-in weights once more, of which nobody has unpacked anything, for tests.
    #[cfg(test)]
    pub(crate) fn packed() -> Weights {
        Weights::open(EMBEDDED_FILE).expect("memory for the first section")
    }

    /// How many parts are unpacked: sections of phases, and the rows.
    #[cfg(test)]
    pub(crate) fn ready_parts(&self) -> usize {
        let sections = self.phases.section_count();
        let ready = (0..sections).filter(|&section| self.phases.get(section).is_some()).count();
        ready + self.rows.as_ref().is_some_and(|rows| rows.get().is_some()) as usize
    }

    fn is_ready(&self, empties: RangeInclusive<u32>) -> bool {
        self.phases.missing(empties).next().is_none() && !self.are_rows_missing()
    }

    fn are_rows_missing(&self) -> bool {
        self.rows.as_ref().is_some_and(|rows| rows.get().is_none())
    }

    /// Unpacks parts that are missing, side by side.
    fn unpack(&self, parts: &[Part]) -> Result<(), WeightsError> {
        let Some(packed) = &self.packed else { return Ok(()) };
        let group_count = if parts.contains(&Part::Rows) { packed.group_count() } else { 0 };
        let sections: Vec<usize> = parts.iter().filter_map(|part| part.section()).collect();
        let job = |i: usize| match sections.get(i) {
            Some(&section) => self.unpack_section(packed, section).map(|()| None),
            None => packed.columns(i - sections.len()).map(Some),
        };
        let done: Result<Vec<Option<Vec<u8>>>, _> =
            side_by_side(sections.len() + group_count, job).into_iter().collect();
        let columns: Vec<Vec<u8>> = done?.into_iter().flatten().collect();
        if let (Some(rows), false) = (&self.rows, columns.is_empty()) {
            let folded = packed.rows(&columns)?;
            drop(columns);
            assert!(rows.set(Rows::new(&folded).ok_or(WeightsError::Memory)?).is_ok(), "who unpacks is alone");
        }
        Ok(())
    }

    fn unpack_section(&self, packed: &Packed, section: usize) -> Result<(), WeightsError> {
        let mut unfolded = Section::zeroed(packed.phase_count(section)).ok_or(WeightsError::Memory)?;
        packed.phases(section, |phase, weights| unfolded.unfold(phase, weights))?;
        self.phases.set(section, unfolded);
        Ok(())
    }

    /// [`Weights::unpack`] for a value that nobody prepared for.
    #[cold]
    #[inline(never)]
    fn unpack_late(&self, part: Part) {
        let _unpacking = self.unpacking.lock().unwrap_or_else(PoisonError::into_inner);
        let is_missing = match part {
            Part::Section(section) => self.phases.get(section).is_none(),
            Part::Rows => self.are_rows_missing(),
        };
        if is_missing {
            self.unpack(&[part]).expect("who has little memory prepares, and hears of it");
        }
    }

    /// The model of the weights built into the program, to make others of.
    ///
    /// # Errors
    /// [`WeightsError::Memory`].
    pub fn embedded_model() -> Result<Model, WeightsError> {
        Model::from_bytes(EMBEDDED_FILE)
    }

    /// Tells embedded weights apart: the CRC-32 of their file.
    pub fn embedded_checksum() -> u64 {
        Weights::checksum(EMBEDDED_FILE)
    }

    /// Tells weights files apart: the CRC-32 of the bytes.
    pub fn checksum(bytes: &[u8]) -> u64 {
        crc32(bytes).into()
    }

    /// Weights from a file that `outflank train` wrote.
    ///
    /// # Errors
    /// [`WeightsError`] says why it cannot be used.
    pub fn load(path: &Path) -> Result<Weights, WeightsError> {
        Model::load(path).and_then(|model| Weights::try_new(&model))
    }

    /// Weights from the bytes of such a file.
    ///
    /// # Errors
    /// [`WeightsError`] says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Weights, WeightsError> {
        Model::from_bytes(bytes).and_then(|model| Weights::try_new(&model))
    }

    /// Weights of a model.
    ///
    /// # Panics
    /// When the model is not valid ([`Model::is_valid`]), or there is not enough memory.
    pub fn new(model: &Model) -> Weights {
        Weights::try_new(model).expect("memory for the weights")
    }

    /// [`Weights::new`] that says when there is not enough memory.
    ///
    /// # Errors
    /// [`WeightsError::Memory`].
    ///
    /// # Panics
    /// When the model is not valid ([`Model::is_valid`]).
    pub fn try_new(model: &Model) -> Result<Weights, WeightsError> {
        assert!(model.is_valid(), "readers and trainers check models");
        let embedding = model.embedding.as_ref();
        let phases = Phases::new(&model.evaluation).ok_or(WeightsError::Memory)?;
        let rows = match embedding {
            Some(embedding) => Some(OnceLock::from(Rows::new(&embedding.rows).ok_or(WeightsError::Memory)?)),
            None => None,
        };
        let heads = Heads::new(embedding.map(|embedding| &embedding.heads[..]));
        Ok(Weights { phases, heads, rows, errors: model.errors, packed: None, unpacking: Mutex::new(()) })
    }

    /// How far searches with these weights are off: ProbCut's margins are made of it.
    #[inline(always)]
    pub fn errors(&self) -> &ErrorModels {
        &self.errors
    }

    /// The score the side to move is heading for, in discs within ±62.
    pub fn evaluate(&self, board: Board) -> i32 {
        to_discs(self.evaluate_fine(board))
    }

    /// [`Weights::evaluate`] in internal units ([`UNITS_PER_DISC`]), unbounded.
    pub fn evaluate_fine(&self, board: Board) -> i32 {
        self.units::<Portable<false>>(Features::new(board).fillings(0), board, board.empty_count())
    }

    /// The linear part of [`Weights::evaluate_fine`] alone.
    pub fn linear_value(&self, board: Board) -> i32 {
        self.linear_units(Features::new(board).fillings(0), board.empty_count())
    }

    /// [`Weights::evaluate`] with the kernels of an instruction set, of a board whose fillings and number of empty squares, which
    /// chooses the phase, the caller has.
    #[inline(always)]
    pub(crate) fn discs<I: Isa>(&self, fillings: &Fillings, board: Board, empties: u32) -> i32 {
        to_discs(self.units::<I>(fillings, board, empties))
    }

    /// [`Weights::discs`] for a search that only asks whether the value is above `alpha` or below `beta` (discs): the value
    /// if it is between them, else a bound on the same side. Where the linear value is too far outside for the embedding to
    /// bring it back, it is all that is looked at.
    #[inline(always)]
    pub(crate) fn discs_within<I: Isa>(
        &self,
        fillings: &Fillings,
        board: Board,
        empties: u32,
        alpha: i32,
        beta: i32,
    ) -> i32 {
        let places = places(fillings);
        let linear = self.linear(&places, empties);
        let (least, most) = self.heads.reach(empties, linear);
        // rounding keeps the order: these are bounds in discs
        let (low, high) = (to_discs(linear + least), to_discs(linear + most));
        if high <= alpha {
            return high;
        }
        if low >= beta {
            return low;
        }
        to_discs(linear + self.added::<I>(&places, board, empties, linear))
    }

    /// [`Weights::evaluate_fine`] with the kernels of an instruction set.
    #[inline(always)]
    pub(crate) fn units<I: Isa>(&self, fillings: &Fillings, board: Board, empties: u32) -> i32 {
        let places = places(fillings);
        let linear = self.linear(&places, empties);
        linear + self.added::<I>(&places, board, empties, linear)
    }

    /// [`Weights::units`] of fillings whose linear value the caller knows.
    #[inline(always)]
    pub(crate) fn whole_units<I: Isa>(&self, fillings: &Fillings, board: Board, empties: u32, linear: i32) -> i32 {
        linear + self.added::<I>(&places(fillings), board, empties, linear)
    }

    /// [`Weights::linear_value`] of fillings that the caller has.
    #[inline(always)]
    pub(crate) fn linear_units(&self, fillings: &Fillings, empties: u32) -> i32 {
        self.linear(&places(fillings), empties)
    }

    #[inline(always)]
    fn linear(&self, places: &Places, empties: u32) -> i32 {
        if let Some(value) = self.phases.sum(places, empties) {
            return value;
        }
        self.unpack_late(Part::Section(self.phases.section(empties)));
        self.phases.sum(places, empties).expect("it was just unpacked")
    }

    /// What the embedding adds to a linear value.
    #[inline(always)]
    fn added<I: Isa>(&self, places: &Places, board: Board, empties: u32, linear: i32) -> i32 {
        let Some(rows) = &self.rows else { return 0 };
        let rows = rows.get().unwrap_or_else(|| {
            self.unpack_late(Part::Rows);
            rows.get().expect("they were just unpacked")
        });
        let (moves, others) = (I::moves(board.player, board.opponent), I::moves(board.opponent, board.player));
        self.heads.value(rows, places, &regions::looks(board, moves, others), empties, linear)
    }
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rows = self.rows.as_ref().map(|rows| rows.get().is_some());
        f.debug_struct("Weights").field("phases", &self.phases).field("rows", &rows).finish_non_exhaustive()
    }
}

/// Rounds internal units to the nearest disc (halves away from zero) and bounds them.
#[inline(always)]
fn to_discs(units: i32) -> i32 {
    ((units + UNITS_PER_DISC / 2 + (units >> 31)) >> UNITS_PER_DISC.trailing_zeros()).clamp(-MAX_DISCS, MAX_DISCS)
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::board::Board;
    use crate::eval::embedding::tests::{self as embedding_tests, extreme_embedding, random_embedding};
    use crate::eval::embedding::{MAX_BIAS, Reach};
    use crate::eval::features::tests::walk_random_games;
    use crate::eval::model::Linear;
    use crate::eval::model::tests::random_model;
    use crate::eval::pattern::{OFFSETS, folding};
    use crate::kernel::tests::any_boards;

    #[test]
    fn rounding_is_symmetric() {
        assert_eq!([0, 63, 64, 128, 191, 192, 1 << 20].map(to_discs), [0, 0, 1, 1, 1, 2, 62]);
        for units in -10_000..10_000 {
            assert_eq!(to_discs(units), -to_discs(-units));
        }
    }

    /// The sum written down from the stored model, without tables or increments.
    fn reference(linear: &Linear, board: Board) -> i32 {
        let empties = board.empty_count() as usize;
        let phase = &linear.phases[linear.phase_of[empties] as usize];
        let fresh = Features::new(board);
        let filled = fresh.fillings(0).iter().zip(OFFSETS);
        let weights = filled.map(|(f, offset)| phase[folding().folded[offset as usize + *f as usize] as usize] as i32);
        linear.constants[empties] as i32 + weights.sum::<i32>()
    }

    #[test]
    fn values_are_the_sums_of_the_model_and_symmetric() {
        let model = random_model(3);
        let weights = Weights::new(&model);
        walk_random_games(60, 2, |board, features, view| {
            let units = |view: usize, board: Board| {
                weights.units::<Portable<false>>(features.fillings(view), board, board.empty_count())
            };
            let value = units(view, board);
            assert_eq!(value, reference(&model.evaluation, board));
            assert_eq!((weights.evaluate_fine(board), weights.evaluate(board)), (value, to_discs(value)));
            // the other view values the position with the other side to move
            assert_eq!(units(view ^ 1, board.pass()), weights.evaluate_fine(board.pass()));
            for symmetry in 1..8 {
                assert_eq!(weights.evaluate_fine(board.symmetry(symmetry)), value, "symmetry {symmetry}");
            }
        });
    }

    /// [`Weights::units`] and [`Weights::discs_within`] as they are compiled for each tier of this machine: all say the same.
    fn in_all_tiers(weights: &Weights, board: Board, [alpha, beta]: [i32; 2]) -> (i32, i32) {
        let (features, empties) = (Features::new(board), board.empty_count());
        let fillings = features.fillings(0);
        let both = (
            weights.units::<Portable<false>>(fillings, board, empties),
            weights.discs_within::<Portable<false>>(fillings, board, empties, alpha, beta),
        );
        #[cfg(target_arch = "x86_64")]
        {
            use crate::kernel::features::tier_call;
            use crate::kernel::{Tier, V3, V4};
            macro_rules! compiled_for {
                ($tier:ident, $isa:ty) => {
                    tier_call!($tier => (
                        weights: &Weights, fillings: &Fillings, board: Board, empties: u32, alpha: i32, beta: i32
                    ) -> (i32, i32), (
                        weights.units::<$isa>(fillings, board, empties),
                        weights.discs_within::<$isa>(fillings, board, empties, alpha, beta),
                    ))
                };
            }
            if Tier::V3.is_supported() {
                assert_eq!(compiled_for!(v3, V3<false>), both, "{board:?}");
            }
            if Tier::V4.is_supported() {
                assert_eq!(compiled_for!(v4, V4<false>), both, "{board:?}");
            }
        }
        both
    }

    /// With the largest numbers that a file may hold, on boards of any discs: sums are those of wide integers, in every tier.
    #[test]
    fn the_largest_numbers_are_added_up_right_in_every_tier() {
        let mut rng = StdRng::seed_from_u64(9);
        let ends = |rng: &mut StdRng| [i16::MIN, i16::MAX, rng.random()][rng.random_range(0..3)];
        let linear_of = |fill: &mut dyn FnMut() -> i16| {
            let mut linear = random_model(9).evaluation;
            linear.constants.fill_with(&mut *fill);
            linear.phases.iter_mut().for_each(|phase| phase.fill_with(&mut *fill));
            linear
        };
        // sums at all places, from the least to the largest, and nothing of what they make is cut
        let mut far = random_embedding(10, 127);
        for head in &mut far.heads {
            head.bias =
                std::array::from_fn(|_| [-MAX_BIAS, MAX_BIAS, rng.random_range(-200..200)][rng.random_range(0..3)]);
            head.reach = [Reach::WIDEST; 2];
        }
        let models = [
            (linear_of(&mut || i16::MIN), extreme_embedding(-1)),
            (linear_of(&mut || i16::MAX), extreme_embedding(1)),
            (linear_of(&mut || i16::MIN), extreme_embedding(1)),
            (linear_of(&mut || ends(&mut rng)), random_embedding(9, 127)),
            (linear_of(&mut || 0), far),
        ];
        let mut rng = StdRng::seed_from_u64(10);
        for (linear, embedding) in models {
            let model = Model { embedding: Some(embedding.clone()), ..Model::linear(linear.clone()) };
            let weights = Weights::new(&model);
            for board in any_boards(1600).filter(|board| board.empty_count() <= 60) {
                let value = reference(&linear, board);
                let value = value + embedding_tests::reference(&embedding, board, value);
                let alpha = rng.random_range(-64..64);
                let window = [alpha, rng.random_range(alpha + 1..=64)];
                let (units, within) = in_all_tiers(&weights, board, window);
                assert_eq!(units, value, "{board:?}");
                let discs = (value as f64 / 128.0).round().clamp(-62.0, 62.0) as i32;
                assert_eq!(weights.evaluate(board), discs, "{board:?}");
                let as_expected = match within {
                    _ if within <= window[0] => discs <= within,
                    _ if within >= window[1] => discs >= within,
                    _ => discs == within,
                };
                assert!(as_expected, "{within} of {discs} in {window:?}: {board:?}");
            }
        }
    }

    #[test]
    fn values_within_a_window_are_exact_and_others_bounds() {
        let weights = Weights::new(&Model { embedding: Some(random_embedding(8, 20)), ..random_model(8) });
        let (mut cheap, mut inside) = (0, 0);
        walk_random_games(20, 5, |board, features, view| {
            let empties = board.empty_count();
            let value = weights.evaluate(board);
            for alpha in (-64..64).step_by(4) {
                for beta in [alpha + 1, alpha + 3, 64] {
                    let fillings = features.fillings(view);
                    let found = weights.discs_within::<Portable<false>>(fillings, board, empties, alpha, beta);
                    match value {
                        _ if found <= alpha => assert!(value <= found, "{value} {found}"),
                        _ if found >= beta => assert!(value >= found, "{value} {found}"),
                        _ => assert_eq!(found, value),
                    }
                    cheap += (found != value) as u32;
                    inside += (alpha < found && found < beta) as u32;
                }
            }
        });
        assert!(cheap > 1000 && inside > 1000, "{cheap} {inside}");
    }

    #[test]
    fn impossible_arguments_stay_inside_the_table() {
        let weights = Weights::new(&random_model(4));
        let board = Board::START;
        // turning discs that are not there gives fillings that do not exist
        let features = Features::new(board).after(7, crate::board::Square::of_lowest_bit(1), u64::MAX);
        weights.discs::<Portable<false>>(features.fillings(9), board, u32::MAX);
    }

    #[test]
    fn embedded_weights_know_a_corner_is_good() {
        let weights = Weights::embedded();
        let with_corner = Board::new(0x0000_0008_1000_0001, 0x0000_0010_0800_0000).unwrap();
        let value = |board: Board| weights.discs::<Portable<false>>(Features::new(board).fillings(0), board, 40);
        assert!(value(with_corner) > value(with_corner.pass()), "{} {}", value(with_corner), value(with_corner.pass()));
    }

    #[test]
    fn parts_are_unpacked_when_they_are_needed_and_all_ways_give_the_same_values() {
        let whole = Weights::from_bytes(EMBEDDED_FILE).expect("the checksum and every section are right");
        let [prepared, late, early, opening] = [(); 4].map(|()| Weights::packed());
        assert!(!prepared.is_ready(1..=1));
        early.prepare(0..=12).unwrap();
        assert!(early.is_ready(0..=12) && !early.is_ready(60..=60), "the opening is not wanted yet");
        opening.prepare(50..=60).unwrap();
        assert!(opening.is_ready(50..=60) && !opening.is_ready(0..=0) && !opening.is_ready(40..=60), "nor the end");
        prepared.prepare(0..=60).unwrap();
        assert!(prepared.is_ready(0..=60) && !late.is_ready(12..=12));
        walk_random_games(20, 6, |board, _, _| {
            let value = |weights: &Weights| weights.evaluate_fine(board);
            let expected = value(&whole);
            assert_eq!([&prepared, &late, &early, &opening].map(value), [expected; 4]);
        });
        assert!([late, early, opening].iter().all(|weights| weights.is_ready(0..=60)));
    }

    #[test]
    fn many_threads_may_want_the_same_part() {
        let weights = Weights::packed();
        let values: Vec<i32> = std::thread::scope(|scope| {
            let value = |i: u32| {
                if i.is_multiple_of(2) {
                    weights.prepare(0..=60).unwrap();
                }
                weights.evaluate_fine(Board::START)
            };
            let threads: Vec<_> = (0..8).map(|i| scope.spawn(move || value(i))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(values.iter().all(|&value| value == values[0]));
    }
}
