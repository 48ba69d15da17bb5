//! Zeroed memory in large pages, for the tables that a search reads at random.
//!
//! A table of hundreds of megabytes in pages of 4 KiB misses the address translation caches at almost every access, and under
//! a hypervisor each miss costs two dozen memory reads: prefetching the table's lines then waits for the translation instead
//! of hiding it. Where the system offers large pages on request (Linux: transparent huge pages), they are requested. Where
//! memory cannot be mapped (WebAssembly), it is allocated as usual.
//!
//! A large page costs its two megabytes, and the time to zero them, at the first touch of any byte in it: who touches a table
//! in a few hundred places takes small pages until there is more to do.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Once;

/// Brings a place of a table into the nearest cache, where it will soon be looked at.
#[inline(always)]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching has no effect but on caches.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// Size of a large page on x86-64 and most others.
const LARGE_PAGE: usize = 2 << 20;

/// Memory of its own, zeroed, that begins at a large page.
#[cfg(not(target_family = "wasm"))]
struct Memory {
    map: memmap2::MmapMut,
    /// Where the first large page begins, and the bytes from there on: whole large pages.
    range: (usize, usize),
}

#[cfg(not(target_family = "wasm"))]
impl Memory {
    /// At least `bytes` of it from the pointer on, or `None` when there is not that much.
    ///
    /// The system hands out the pages as they are first touched: allocating takes microseconds whatever the size.
    fn zeroed(bytes: usize) -> Option<(Memory, NonNull<u8>)> {
        // only whole large pages are given: without the rest of its last one, a slice of a megabyte would lie in small ones
        let bytes = bytes.checked_next_multiple_of(LARGE_PAGE)?;
        let mut map = memmap2::MmapMut::map_anon(bytes.checked_add(LARGE_PAGE)?).ok()?;
        let offset = map.as_ptr().align_offset(LARGE_PAGE);
        debug_assert!(offset < LARGE_PAGE);
        // SAFETY: the mapping is larger than asked for by a large page, so that `bytes` are left from `offset` on.
        let start = NonNull::new(unsafe { map.as_mut_ptr().add(offset) })?;
        Some((Memory { map, range: (offset, bytes) }, start))
    }

    /// Asks for large or small pages from now on: for what has not been touched yet.
    #[cfg(all(target_os = "linux", not(miri)))]
    fn ask_for_pages(&self, large: bool) {
        let advice = if large { memmap2::Advice::HugePage } else { memmap2::Advice::NoHugePage };
        let (offset, bytes) = self.range;
        if let Err(error) = self.map.advise_range(advice, offset, bytes) {
            // a matter of speed only: kernels without large pages refuse
            log::debug!("no choice of pages: {error}");
        }
    }

    /// There is no choice, or Miri does not know the call.
    #[cfg(not(all(target_os = "linux", not(miri))))]
    fn ask_for_pages(&self, _large: bool) {
        let _ = (&self.map, self.range);
    }

    /// Gives the pages back that were touched, so that all bytes are zero again, and takes large ones from now on.
    ///
    /// # Safety
    /// As for [`LargeSlice::renew_in_large_pages`].
    #[cfg(all(target_os = "linux", not(miri)))]
    unsafe fn renew_in_large_pages(&self) {
        let (offset, bytes) = self.range;
        // SAFETY: the range is inside the private anonymous mapping, whose pages are zero when they are touched again; the
        // caller promises that nobody minds.
        let given_back = unsafe { self.map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, offset, bytes) };
        match given_back {
            Ok(()) => self.ask_for_pages(true),
            Err(error) => log::debug!("no choice of pages: {error}"),
        }
    }

    /// There is no choice, or Miri does not know the call.
    ///
    /// # Safety
    /// None is needed here.
    #[cfg(not(all(target_os = "linux", not(miri))))]
    unsafe fn renew_in_large_pages(&self) {}
}

/// Memory of its own, zeroed, that begins at a large page.
#[cfg(target_family = "wasm")]
struct Memory(NonNull<u8>, std::alloc::Layout);

#[cfg(target_family = "wasm")]
impl Memory {
    /// At least `bytes` of it from the pointer on, or `None` when there is not that much.
    fn zeroed(bytes: usize) -> Option<(Memory, NonNull<u8>)> {
        let layout = std::alloc::Layout::from_size_align(bytes.max(1), LARGE_PAGE).ok()?;
        // SAFETY: the layout has a size.
        let start = NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })?;
        Some((Memory(start, layout), start))
    }
}

#[cfg(target_family = "wasm")]
impl Memory {
    fn ask_for_pages(&self, _large: bool) {}

    /// There is no choice.
    ///
    /// # Safety
    /// None is needed here.
    unsafe fn renew_in_large_pages(&self) {}
}

#[cfg(target_family = "wasm")]
impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and freed once.
        unsafe { std::alloc::dealloc(self.0.as_ptr(), self.1) }
    }
}

/// A slice of zeroed values in memory of its own, aligned to [`LARGE_PAGE`].
pub(crate) struct LargeSlice<T> {
    values: NonNull<T>,
    len: usize,
    /// What the values lie in.
    memory: Memory,
    /// They have been renewed in large pages.
    renewed: Once,
}

// SAFETY: the slice owns its values, like a box.
unsafe impl<T: Send> Send for LargeSlice<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for LargeSlice<T> {}

impl<T> LargeSlice<T> {
    /// `len` zeroed values, or `None` when there is not that much memory.
    ///
    /// # Safety
    /// All-zero bytes must be a valid value of `T`, which is not dropped.
    pub unsafe fn zeroed(len: usize) -> Option<LargeSlice<T>> {
        // SAFETY: the caller's promise.
        unsafe { LargeSlice::in_pages(len, true) }
    }

    /// [`LargeSlice::zeroed`] in small pages, until [`LargeSlice::renew_in_large_pages`].
    ///
    /// # Safety
    /// As there.
    pub unsafe fn zeroed_in_small_pages(len: usize) -> Option<LargeSlice<T>> {
        // SAFETY: the caller's promise.
        unsafe { LargeSlice::in_pages(len, false) }
    }

    /// # Safety
    /// As for [`LargeSlice::zeroed`].
    unsafe fn in_pages(len: usize, large: bool) -> Option<LargeSlice<T>> {
        const { assert!(align_of::<T>() <= LARGE_PAGE) };
        let bytes = len.checked_mul(size_of::<T>())?;
        let (memory, start) = Memory::zeroed(bytes)?;
        memory.ask_for_pages(large);
        Some(LargeSlice { values: start.cast(), len, memory, renewed: Once::new() })
    }

    /// Values in small pages become zero, and are in large pages from then on; who asks meanwhile waits, and asking again changes
    /// nothing. Where the system offers no choice, nothing happens: the values stay.
    ///
    /// # Safety
    /// `T` is made of atomics, so that others may read and write the values meanwhile, and any mixture of what they were and
    /// zeros is valid.
    pub unsafe fn renew_in_large_pages(&self) {
        // SAFETY: the caller's promise.
        self.renewed.call_once(|| unsafe { self.memory.renew_in_large_pages() });
    }
}

impl<T> Deref for LargeSlice<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        // SAFETY: the memory has room for `len` values from there on; it is aligned for them, was zeroed or written as values,
        // and lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.values.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for LargeSlice<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above, and borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.values.as_ptr(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(len: usize) -> Option<LargeSlice<i16>> {
        // SAFETY: zero is a number.
        unsafe { LargeSlice::zeroed(len) }
    }

    #[test]
    fn slices_are_zeroed_aligned_and_writable() {
        // what needs several large pages takes Miri minutes
        for len in [0, 1, 1000, if cfg!(miri) { 5000 } else { 3 << 20 }] {
            let mut slice = numbers(len).unwrap();
            assert_eq!(slice.len(), len);
            assert_eq!(slice.as_ptr() as usize % LARGE_PAGE, 0);
            let (start, bytes) = slice.memory.range;
            assert!(bytes.is_multiple_of(LARGE_PAGE) && bytes >= size_of_val(&slice[..]), "{bytes}");
            assert!(start + bytes <= slice.memory.map.len(), "{start} {bytes}");
            assert!(slice.iter().all(|&value| value == 0));
            slice.iter_mut().enumerate().for_each(|(i, value)| *value = i as i16);
            assert!(slice.iter().enumerate().all(|(i, &value)| value == i as i16));
        }
    }

    #[test]
    fn pages_are_renewed_as_zeros_or_stay_as_they_are() {
        use std::sync::atomic::{AtomicU64, Ordering};
        let len = if cfg!(miri) { 2000 } else { 1 << 19 };
        // SAFETY: zero is a number.
        let slice: LargeSlice<AtomicU64> = unsafe { LargeSlice::zeroed_in_small_pages(len) }.unwrap();
        assert_eq!(slice.as_ptr() as usize % LARGE_PAGE, 0);
        let numbers = || (0..len).step_by(1000).map(|i| slice[i].load(Ordering::Relaxed));
        (0..len).for_each(|i| slice[i].store(1, Ordering::Relaxed));
        // SAFETY: atomic numbers, of which nobody expects anything.
        unsafe { slice.renew_in_large_pages() };
        let left: u64 = numbers().sum();
        let is_linux = cfg!(all(target_os = "linux", not(miri)));
        assert_eq!(left, if is_linux { 0 } else { numbers().count() as u64 });
        (0..len).for_each(|i| slice[i].store(2, Ordering::Relaxed));
        // SAFETY: as above.
        unsafe { slice.renew_in_large_pages() };
        assert!(numbers().all(|number| number == 2), "once");
    }

    #[test]
    fn too_much_is_refused() {
        assert!(numbers(usize::MAX / 2 + 1).is_none());
        // Miri ends the program where a system says no
        assert!(cfg!(miri) || numbers(1 << 60).is_none());
    }
}
