//! Sums of table entries and of table rows: the inner loops of the evaluation.
//!
//! Both take the [`Places`] of 48 entries at once. Gathers and 512-bit vectors make AVX-512 about twice as fast as what
//! compilers make of the plain loops.

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
/// Every place and the one after it are inside `entries`.
#[inline(always)]
pub unsafe fn sum_entries(entries: &[i16], places: &Places) -> i32 {
    let mut sum = 0;
    for &place in &places.0 {
        // SAFETY: the caller's promise.
        sum += unsafe { *entries.get_unchecked(place as usize) } as i32;
    }
    sum
}

/// Adds the rows at the first `count` places to `sums`, wrapping.
///
/// # Safety
/// Every place is inside `rows`, and `count` is at most [`LANES`].
#[inline(always)]
#[allow(clippy::needless_range_loop)] // iterators would stay calls in functions with target features
pub unsafe fn sum_rows(rows: &[Row], places: &Places, count: usize, mut sums: [i16; ROW]) -> [i16; ROW] {
    for f in 0..count {
        // SAFETY: the caller's promise.
        let row = unsafe { rows.get_unchecked(*places.0.get_unchecked(f) as usize) };
        for j in 0..ROW {
            sums[j] = sums[j].wrapping_add(row.0[j] as i16);
        }
    }
    sums
}

/// The same with AVX2.
#[cfg(target_arch = "x86_64")]
pub mod avx2 {
    use std::arch::x86_64::*;

    use super::super::features::v3;
    use super::{LANES, Places};

    v3! {
        /// See [`super::sum_entries`].
        ///
        /// # Safety
        /// As there.
        #[inline]
        pub unsafe fn sum_entries(entries: &[i16], places: &Places) -> i32 {
            let low_half = _mm256_set1_epi32(1);
            let mut sum = _mm256_setzero_si256();
            for i in 0..LANES / 8 {
                // SAFETY: 8 places from a multiple of 8 on are inside the aligned array; each gathers an entry and the next one,
                // which the caller promises to be inside.
                let pairs = unsafe {
                    let places = _mm256_load_si256(places.0.as_ptr().add(8 * i).cast());
                    _mm256_i32gather_epi32::<2>(entries.as_ptr().cast(), places)
                };
                // times 1 and 0: the entry without the next one
                sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, low_half));
            }
            let half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
            let quarter = _mm_add_epi32(half, _mm_unpackhi_epi64(half, half));
            _mm_cvtsi128_si32(_mm_add_epi32(quarter, _mm_shuffle_epi32::<1>(quarter)))
        }
    }
}

/// The same with AVX-512.
#[cfg(target_arch = "x86_64")]
pub mod avx512 {
    use std::arch::x86_64::*;

    use super::super::features::v4;
    use super::{LANES, Places, ROW, Row};

    v4! {
        /// See [`super::sum_entries`].
        ///
        /// # Safety
        /// As there.
        #[inline]
        pub unsafe fn sum_entries(entries: &[i16], places: &Places) -> i32 {
            let low_half = _mm512_set1_epi32(1);
            let mut sum = _mm512_setzero_si512();
            for i in 0..LANES / 16 {
                // SAFETY: 16 places from a multiple of 16 on are inside the aligned array; each gathers an entry and the next
                // one, which the caller promises to be inside.
                let pairs = unsafe {
                    let places = _mm512_load_si512(places.0.as_ptr().add(16 * i).cast());
                    _mm512_i32gather_epi32::<2>(places, entries.as_ptr().cast())
                };
                // times 1 and 0: the entry without the next one
                sum = _mm512_add_epi32(sum, _mm512_madd_epi16(pairs, low_half));
            }
            _mm512_reduce_add_epi32(sum)
        }
    }

    v4! {
        /// See [`super::sum_rows`].
        ///
        /// # Safety
        /// As there.
        #[inline]
        pub unsafe fn sum_rows(rows: &[Row], places: &Places, count: usize, sums: [i16; ROW]) -> [i16; ROW] {
            // SAFETY: both are 128 bytes of integers.
            let [mut low, mut high] = unsafe { std::mem::transmute::<[i16; ROW], [__m512i; 2]>(sums) };
            for f in 0..count {
                // SAFETY: the caller promises that places are inside; a row is 64 bytes aligned to 64.
                let row = unsafe { _mm512_load_si512(rows.as_ptr().add(*places.0.get_unchecked(f) as usize).cast()) };
                low = _mm512_add_epi16(low, _mm512_cvtepi8_epi16(_mm512_castsi512_si256(row)));
                high = _mm512_add_epi16(high, _mm512_cvtepi8_epi16(_mm512_extracti64x4_epi64::<1>(row)));
            }
            // SAFETY: as above.
            unsafe { std::mem::transmute::<[__m512i; 2], [i16; ROW]>([low, high]) }
        }
    }
}
