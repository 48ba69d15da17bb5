//! Sums of table entries and of table rows: the inner loops of the evaluation.
//!
//! Both take the [`Places`] of 48 entries at once. 512-bit vectors add rows faster than what compilers make of the plain loop; single
//! entries are added by plain loads on every tier: gathers take AMD's processors longer, and Intel's as long.

/// Entries summed up at once: the patterns of the evaluation, rounded up to whole vectors.
pub const LANES: usize = 48;
/// Numbers in a row.
pub const ROW: usize = 64;

/// Indices into a table.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Places(pub [u32; LANES]);

/// A row of a table, at its place, so that it never lies on two cache lines.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Row(pub [i8; ROW]);

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

/// Adds the rows at all places to `sums`, wrapping.
///
/// # Safety
/// Every place is inside `rows`.
#[inline(always)]
#[allow(clippy::needless_range_loop)] // iterator adapters would stay calls in functions with target features
pub unsafe fn sum_rows(rows: &[Row], places: &[u32], mut sums: [i16; ROW]) -> [i16; ROW] {
    for &place in places {
        // SAFETY: the caller's promise.
        let row = unsafe { rows.get_unchecked(place as usize) };
        for j in 0..ROW {
            sums[j] = sums[j].wrapping_add(row.0[j] as i16);
        }
    }
    sums
}

/// The same with AVX-512.
#[cfg(target_arch = "x86_64")]
pub mod avx512 {
    use std::arch::x86_64::*;

    use super::super::features::v4;
    use super::{ROW, Row};

    v4! {
        /// See [`super::sum_rows`].
        ///
        /// # Safety
        /// As there.
        #[inline]
        pub unsafe fn sum_rows(rows: &[Row], places: &[u32], sums: [i16; ROW]) -> [i16; ROW] {
            // SAFETY: both are 128 bytes of integers.
            let [mut low, mut high] = unsafe { std::mem::transmute::<[i16; ROW], [__m512i; 2]>(sums) };
            for &place in places {
                // SAFETY: the caller promises that places are inside; a row is 64 bytes aligned to 64.
                let row = unsafe { _mm512_load_si512(rows.as_ptr().add(place as usize).cast()) };
                low = _mm512_add_epi16(low, _mm512_cvtepi8_epi16(_mm512_castsi512_si256(row)));
                high = _mm512_add_epi16(high, _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64::<1>(row)));
            }
            // SAFETY: as above.
            unsafe { std::mem::transmute::<[__m512i; 2], [i16; ROW]>([low, high]) }
        }
    }
}
