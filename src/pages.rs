//! Zeroed memory in large pages, for the tables that a search reads at random.
//!
//! A table of hundreds of megabytes in pages of 4 KiB misses the address translation caches at almost every access, and under
//! a hypervisor each miss costs two dozen memory reads: prefetching the table's lines then waits for the translation instead
//! of hiding it. Where the system offers large pages on request (Linux: transparent huge pages), they are requested. Where
//! memory cannot be mapped (WebAssembly), it is allocated as usual.

use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Size of a large page on x86-64 and most others.
const LARGE_PAGE: usize = 2 << 20;

/// Memory of its own, zeroed, that begins at a large page.
#[cfg(not(target_family = "wasm"))]
struct Memory {
    _map: memmap2::MmapMut,
}

#[cfg(not(target_family = "wasm"))]
impl Memory {
    /// At least `bytes` of it from the pointer on, or `None` when there is not that much.
    ///
    /// The system hands out the pages as they are first touched: allocating takes microseconds whatever the size.
    fn zeroed(bytes: usize) -> Option<(Memory, NonNull<u8>)> {
        let mut map = memmap2::MmapMut::map_anon(bytes.checked_add(LARGE_PAGE)?).ok()?;
        let offset = map.as_ptr().align_offset(LARGE_PAGE);
        debug_assert!(offset < LARGE_PAGE);
        // Miri does not know the call
        #[cfg(all(target_os = "linux", not(miri)))]
        if let Err(error) = map.advise_range(memmap2::Advice::HugePage, offset, bytes) {
            // a matter of speed only: kernels without large pages refuse
            log::debug!("no large pages: {error}");
        }
        // SAFETY: the mapping is larger than asked for by a large page, so that `bytes` are left from `offset` on.
        let start = NonNull::new(unsafe { map.as_mut_ptr().add(offset) })?;
        Some((Memory { _map: map }, start))
    }
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
    _memory: Memory,
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
        const { assert!(align_of::<T>() <= LARGE_PAGE) };
        let bytes = len.checked_mul(size_of::<T>())?;
        let (memory, start) = Memory::zeroed(bytes)?;
        Some(LargeSlice { values: start.cast(), len, _memory: memory })
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
            assert!(slice.iter().all(|&value| value == 0));
            slice.iter_mut().enumerate().for_each(|(i, value)| *value = i as i16);
            assert!(slice.iter().enumerate().all(|(i, &value)| value == i as i16));
        }
    }

    #[test]
    fn too_much_is_refused() {
        assert!(numbers(usize::MAX / 2 + 1).is_none());
        assert!(numbers(1 << 60).is_none());
    }
}
