//! Sums of table entries and of table rows: the inner loops of the evaluation.
//!
//! Single entries are added by plain loads on every tier: gathers take AMD's processors longer, and Intel's as long.

/// Entries summed up at once: the patterns of the evaluation, rounded up to whole vectors.
pub const LANES: usize = 48;
/// Numbers in a row.
pub const ROW: usize = 64;

/// Indices into a table.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Places(pub [u32; LANES]);

/// A row of a table, at its place, so that it never lies on two cache lines: [`ROW`] columns of 8 bits, two to a 16-bit number, as
/// they are quickest to add up. The upper byte of number `j` is column `ROW / 2 + j`, the lower one column `j` and [`OFFSET`]: so many
/// rows may be added as 16-bit numbers, and the upper bytes once more by themselves, and both columns are known.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Row([i16; ROW / 2]);

/// What the lower bytes are too large by, which makes them numbers without sign.
const OFFSET: i16 = 128;

impl Row {
    /// A row of these columns.
    pub fn new(columns: [i8; ROW]) -> Row {
        Row(std::array::from_fn(|j| (columns[ROW / 2 + j] as i16) << 8 | (columns[j] as i16 + OFFSET)))
    }
}

/// The sum of the entries at all places.
///
/// # Safety
/// Every place is inside `entries`.
#[inline(always)]
pub unsafe fn sum_entries(entries: &[i16], places: &Places) -> i32 {
    let mut sum = 0;
    for &place in &places.0 {
        // SAFETY: the caller's promise.
        sum += unsafe { *entries.get_unchecked(place as usize) } as i32;
    }
    sum
}

/// Adds the rows at all places to `sums`, wrapping. (Three operations for two columns; to widen each byte before it is added takes four,
/// and more where there is no instruction for it.)
///
/// # Safety
/// Every place is inside `rows`.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // iterator adapters would stay calls in functions with target features
pub unsafe fn sum_rows(rows: &[Row], places: &[u32], mut sums: [i16; ROW]) -> [i16; ROW] {
    const HALF: usize = ROW / 2;
    let (mut both, mut upper) = ([0i16; HALF], [0i16; HALF]);
    for &place in places {
        // SAFETY: the caller's promise.
        let row = unsafe { rows.get_unchecked(place as usize) };
        for j in 0..HALF {
            both[j] = both[j].wrapping_add(row.0[j]);
            upper[j] = upper[j].wrapping_add(row.0[j] >> 8);
        }
    }
    let offset = OFFSET.wrapping_mul(places.len() as i16);
    for j in 0..HALF {
        sums[j] = sums[j].wrapping_add(both[j].wrapping_sub(upper[j] << 8).wrapping_sub(offset));
        sums[HALF + j] = sums[HALF + j].wrapping_add(upper[j]);
    }
    sums
}
