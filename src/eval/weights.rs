//! The weights of the patterns, ready for use: what a filling is worth in each phase of the game.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::embedding::EmbeddingTable;
use super::error_model::ErrorModels;
use super::features::{Features, Fillings, places};
use super::file::{WeightsError, crc32};
use super::model::{Linear, Model};
use super::pattern::{EMPTIES, FILLINGS, folding};
use crate::kernel::sums::Places;
use crate::kernel::{Isa, Portable};
use crate::pages::LargeSlice;

/// Internal units in a disc.
pub const UNITS_PER_DISC: i32 = 128;
/// Evaluations stay within this many discs: only a finished game is a win by 64.
const MAX_DISCS: i32 = 62;
/// Entries after the last phase, so that any 16-bit filling stays inside the table.
const TAIL: usize = 1 << 16;

/// The weights file built into the program; `weights/MODEL.md` says how it was made.
static EMBEDDED_FILE: &[u8] = include_bytes!("weights/evaluation.bin");

/// The trained weights: values positions by their [`Features`].
///
/// About 0.6 MB for each phase and 5 MB for the embedding; share one through an [`Arc`].
#[derive(Debug)]
pub struct Weights {
    evaluation: Table,
    embedding: EmbeddingTable,
    errors: ErrorModels,
}

impl Weights {
    /// The weights built into the program, decoded on first use.
    ///
    /// # Panics
    /// When there is not enough memory: [`Weights::try_embedded`] says so instead.
    pub fn embedded() -> Arc<Weights> {
        Weights::try_embedded().expect("the embedded weights are tested, and 30 MB are to be had")
    }

    /// The weights built into the program, decoded on first use.
    ///
    /// # Errors
    /// [`WeightsError::Memory`]; a later call may succeed.
    pub fn try_embedded() -> Result<Arc<Weights>, WeightsError> {
        static EMBEDDED: OnceLock<Arc<Weights>> = OnceLock::new();
        static DECODING: Mutex<()> = Mutex::new(());
        if let Some(weights) = EMBEDDED.get() {
            return Ok(weights.clone());
        }
        // who comes second waits instead of doing the same work
        let _decoding = DECODING.lock().unwrap_or_else(PoisonError::into_inner);
        if EMBEDDED.get().is_none() {
            let _ = EMBEDDED.set(Arc::new(Weights::from_bytes(EMBEDDED_FILE)?));
        }
        Ok(EMBEDDED.get().expect("it was just set").clone())
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
    /// When the model is not valid, or there is not enough memory.
    pub fn new(model: &Model) -> Weights {
        Weights::try_new(model).expect("memory for the weights")
    }

    /// [`Weights::new`] that says when there is not enough memory.
    ///
    /// # Errors
    /// [`WeightsError::Memory`].
    pub fn try_new(model: &Model) -> Result<Weights, WeightsError> {
        let make = || EmbeddingTable::new(model.embedding.as_ref());
        let (evaluation, embedding) = std::thread::scope(|scope| {
            // where no thread is to be had, this one does both
            let embedding = std::thread::Builder::new().spawn_scoped(scope, make);
            let evaluation = Table::new(&model.evaluation);
            let embedding = match embedding {
                Ok(thread) => thread.join().expect("no panic with a valid model"),
                Err(_) => make(),
            };
            (evaluation, embedding)
        });
        let evaluation = evaluation.ok_or(WeightsError::Memory)?;
        let embedding = embedding.ok_or(WeightsError::Memory)?;
        Ok(Weights { evaluation, embedding, errors: model.errors })
    }

    /// How far searches with these weights are off: ProbCut's margins are made of it.
    #[inline(always)]
    pub fn errors(&self) -> &ErrorModels {
        &self.errors
    }

    /// The score the side of `view` (0 or 1), which is to move, is heading for, in discs within ±62.
    /// `empties` is the number of empty squares and chooses the phase.
    pub fn evaluate(&self, features: &Features, view: usize, empties: u32) -> i32 {
        self.discs::<Portable<false>>(features.fillings(view), empties)
    }

    /// [`Weights::evaluate`] in internal units ([`UNITS_PER_DISC`]), unbounded.
    pub fn evaluate_fine(&self, features: &Features, view: usize, empties: u32) -> i32 {
        self.units::<Portable<false>>(features.fillings(view), empties)
    }

    /// The linear part of [`Weights::evaluate_fine`] alone.
    pub fn linear_value(&self, features: &Features, view: usize, empties: u32) -> i32 {
        self.linear_units::<Portable<false>>(features.fillings(view), empties)
    }

    /// [`Weights::evaluate`] with the kernels of an instruction set.
    #[inline(always)]
    pub(crate) fn discs<I: Isa>(&self, fillings: &Fillings, empties: u32) -> i32 {
        to_discs(self.units::<I>(fillings, empties))
    }

    /// [`Weights::discs`] for a search that only asks whether the value is above `alpha` or below `beta` (discs): the value
    /// if it is between them, else a bound on the same side. Where the linear value is too far outside for the embedding to
    /// bring it back, it is all that is looked at.
    #[inline(always)]
    pub(crate) fn discs_within<I: Isa>(&self, fillings: &Fillings, empties: u32, alpha: i32, beta: i32) -> i32 {
        let places = places(fillings);
        let linear = self.evaluation.sum::<I>(&places, empties);
        let (least, most) = self.embedding.reach(empties, linear);
        // rounding keeps the order: these are bounds in discs
        let (low, high) = (to_discs(linear + least), to_discs(linear + most));
        if high <= alpha {
            return high;
        }
        if low >= beta {
            return low;
        }
        to_discs(linear + self.embedding.value::<I>(&places, empties, linear))
    }

    /// [`Weights::evaluate_fine`] with the kernels of an instruction set.
    #[inline(always)]
    pub(crate) fn units<I: Isa>(&self, fillings: &Fillings, empties: u32) -> i32 {
        let places = places(fillings);
        let linear = self.evaluation.sum::<I>(&places, empties);
        linear + self.embedding.value::<I>(&places, empties, linear)
    }

    /// [`Weights::linear_value`] with the kernels of an instruction set.
    #[inline(always)]
    pub(crate) fn linear_units<I: Isa>(&self, fillings: &Fillings, empties: u32) -> i32 {
        self.evaluation.sum::<I>(&places(fillings), empties)
    }
}

/// The weights of the patterns, unfolded and by phase.
struct Table {
    /// For each phase an entry for each filling, phases side by side, then [`TAIL`] zeros.
    entries: LargeSlice<i16>,
    /// By number of empties: where its phase begins in `entries`, with all fillings and `TAIL` still to come.
    begin: [u32; 64],
    /// By number of empties.
    constants: [i16; 64],
}

impl Table {
    /// Entries of a phase: whole cache lines.
    const STRIDE: usize = FILLINGS.next_multiple_of(32);

    /// `None` when there is not enough memory.
    fn new(linear: &Linear) -> Option<Table> {
        let len = linear.phases.len() * Self::STRIDE + TAIL;
        // SAFETY: zero is a weight.
        let mut entries = unsafe { LargeSlice::zeroed(len) }?;
        let folded = &folding().folded[..FILLINGS];
        for (phase, weights) in entries.chunks_exact_mut(Self::STRIDE).zip(&linear.phases) {
            phase.iter_mut().zip(folded).for_each(|(entry, &place)| *entry = weights[place as usize]);
        }
        // positions of the 8x8 board never have more than 60 empties
        let known = |empties: usize| empties.min(EMPTIES - 1);
        Some(Table {
            entries,
            begin: std::array::from_fn(|e| (linear.phase_of[known(e)] as usize * Self::STRIDE) as u32),
            constants: std::array::from_fn(|e| linear.constants[known(e)]),
        })
    }

    /// The entries of a phase and what follows them, and the constant.
    #[inline(always)]
    fn phase(&self, empties: u32) -> (&[i16], i32) {
        let empties = (empties & 63) as usize;
        let phase = &self.entries[self.begin[empties] as usize..][..Self::STRIDE + TAIL];
        (phase, self.constants[empties] as i32)
    }

    #[inline(always)]
    fn sum<I: Isa>(&self, places: &Places, empties: u32) -> i32 {
        const { assert!(Self::STRIDE > FILLINGS + 1, "the lanes too many find a zero") };
        let (phase, constant) = self.phase(empties);
        // SAFETY: places are at most FILLINGS and a 16-bit number, the phase is longer by two
        constant + unsafe { I::sum_entries(phase, places) }
    }
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

/// Rounds internal units to the nearest disc (halves away from zero) and bounds them.
#[inline(always)]
fn to_discs(units: i32) -> i32 {
    ((units + UNITS_PER_DISC / 2 + (units >> 31)) >> UNITS_PER_DISC.trailing_zeros()).clamp(-MAX_DISCS, MAX_DISCS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::eval::embedding::tests::random_embedding;
    use crate::eval::features::tests::walk_random_games;
    use crate::eval::model::tests::random_model;
    use crate::eval::pattern::OFFSETS;

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
            let empties = board.empty_count();
            let value = weights.evaluate_fine(features, view, empties);
            assert_eq!(value, reference(&model.evaluation, board));
            assert_eq!(weights.evaluate(features, view, empties), to_discs(value));
            // the other view values the position with the other side to move
            let passed = weights.evaluate_fine(features, view ^ 1, empties);
            assert_eq!(passed, weights.evaluate_fine(&Features::new(board.pass()), 0, empties));
            for symmetry in 1..8 {
                let image = Features::new(board.symmetry(symmetry));
                assert_eq!(weights.evaluate_fine(&image, 0, empties), value, "symmetry {symmetry}");
            }
        });
    }

    #[test]
    fn values_within_a_window_are_exact_and_others_bounds() {
        let weights = Weights::new(&Model { embedding: Some(random_embedding(8, 20)), ..random_model(8) });
        let (mut cheap, mut inside) = (0, 0);
        walk_random_games(20, 5, |board, features, view| {
            let empties = board.empty_count();
            let value = weights.evaluate(features, view, empties);
            for alpha in (-64..64).step_by(4) {
                for beta in [alpha + 1, alpha + 3, 64] {
                    let found = weights.discs_within::<Portable<false>>(features.fillings(view), empties, alpha, beta);
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
        weights.evaluate(&features, 9, u32::MAX);
    }

    #[test]
    fn embedded_weights_know_a_corner_is_good() {
        let weights = Weights::embedded();
        let with_corner = Board::new(0x0000_0008_1000_0001, 0x0000_0010_0800_0000).unwrap();
        let value = |board: Board| weights.evaluate(&Features::new(board), 0, 40);
        assert!(value(with_corner) > value(with_corner.pass()), "{} {}", value(with_corner), value(with_corner.pass()));
    }
}
