//! The weights of the patterns, ready for use: what a filling is worth in each phase of the game.

use std::sync::{Arc, OnceLock};

use super::features::Features;
use super::pattern::{FEATURES, FILLINGS, OFFSETS};

/// Internal units in a disc.
pub const UNITS_PER_DISC: i32 = 128;
/// Evaluations stay within this many discs: only a finished game is a win by 64.
const MAX_DISCS: i32 = 62;
/// Entries of one phase: one for each filling, then the constant term, rounded up to whole cache lines.
const STRIDE: usize = (FILLINGS + 1).next_multiple_of(32);
/// Where the constant term is.
const CONSTANT: usize = FILLINGS;
/// Entries after the last phase, so that any 16-bit filling stays inside the table.
const TAIL: usize = 1 << 16;

/// The trained weights: values positions by their [`Features`].
///
/// About half a megabyte a phase; share one through an [`Arc`].
pub struct Weights {
    /// `phases` times [`STRIDE`] entries, then [`TAIL`]; in internal units.
    table: Box<[i16]>,
    /// Where the phase of each number of empties begins in `table`; every entry leaves `STRIDE + TAIL` after it.
    begin: [u32; 64],
}

impl Weights {
    /// The weights built into the program, decoded on first use.
    pub fn embedded() -> Arc<Weights> {
        static EMBEDDED: OnceLock<Arc<Weights>> = OnceLock::new();
        EMBEDDED.get_or_init(|| Arc::new(Weights::zero())).clone()
    }

    /// Weights to which every position is even.
    fn zero() -> Weights {
        Weights { table: vec![0; STRIDE + TAIL].into_boxed_slice(), begin: [0; 64] }
    }

    /// The score the side of `view` (0 or 1), which is to move, is heading for, in discs within ±62.
    /// `empties` is the number of empty squares and chooses the phase.
    #[inline(always)]
    pub fn evaluate(&self, features: &Features, view: usize, empties: u32) -> i32 {
        to_discs(self.evaluate_fine(features, view, empties))
    }

    /// [`Weights::evaluate`] in internal units ([`UNITS_PER_DISC`]), unbounded.
    #[inline(always)]
    pub fn evaluate_fine(&self, features: &Features, view: usize, empties: u32) -> i32 {
        let begin = self.begin[(empties & 63) as usize] as usize;
        let phase = &self.table[begin..][..STRIDE + TAIL];
        let fillings = features.fillings(view);
        let mut sum = phase[CONSTANT] as i32;
        for f in 0..FEATURES {
            let index = OFFSETS[f] as usize + fillings[f] as usize;
            // SAFETY: offsets are below STRIDE and a filling is below TAIL, so the index is inside the slice
            sum += unsafe { *phase.get_unchecked(index) } as i32;
        }
        sum
    }

    /// A cheaper and rougher value in internal units, for ordering moves.
    #[inline(always)]
    pub fn ordering_value(&self, features: &Features, view: usize, empties: u32) -> i32 {
        self.evaluate_fine(features, view, empties)
    }
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Weights").field("phases", &((self.table.len() - TAIL) / STRIDE)).finish_non_exhaustive()
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

    #[test]
    fn rounding_is_symmetric() {
        assert_eq!([0, 63, 64, 128, 191, 192, 1 << 20].map(to_discs), [0, 0, 1, 1, 1, 2, 62]);
        for units in -10_000..10_000 {
            assert_eq!(to_discs(units), -to_discs(-units));
        }
    }
}
