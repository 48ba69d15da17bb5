//! How much of the table is in use: a part from the beginning on that grows with what is stored (linear hashing, Litwin 1980).
//!
//! Nobody has touched the rest: a solve that stores a hundred thousand positions does not spread them over a gigabyte whose pages the
//! system zeroes one by one, which under a hypervisor takes seconds.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use crossbeam_utils::CachePadded;

/// Buckets in use at first: 8 MiB.
const FIRST: usize = 1 << 17;
/// Buckets that one call makes at most: a quarter of a megabyte, so that no search looks at its limits late.
const STEP: usize = 1 << 12;
/// Buckets that are made before other threads learn of them.
const PUBLISHED: usize = 1 << 6;

/// The size of a table that grows from [`FIRST`] buckets to all it has.
#[derive(Debug)]
pub(super) struct Growth {
    /// Read at each look into the table; apart from what threads count.
    used: AtomicUsize,
    /// The most that has been in use since the table was made.
    touched: AtomicUsize,
    most: usize,
    counted: CachePadded<Counted>,
}

/// What threads change all the time.
#[derive(Debug, Default)]
struct Counted {
    /// Positions that were stored since the table was cleared.
    stored: AtomicU64,
    /// Held by the thread that makes buckets.
    growing: Mutex<()>,
}

impl Growth {
    /// Of a table with so many buckets.
    pub fn new(most: usize) -> Growth {
        let used = FIRST.min(most);
        Growth { used: AtomicUsize::new(used), touched: AtomicUsize::new(used), most, counted: CachePadded::default() }
    }

    /// Buckets in use.
    #[inline(always)]
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Buckets that something may have been written to.
    pub fn touched(&self) -> usize {
        self.touched.load(Ordering::Relaxed)
    }

    /// Until what is returned is dropped, no buckets are made.
    pub fn not_growing(&self) -> MutexGuard<'_, ()> {
        self.counted.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table was cleared: it is as small as a new one.
    pub fn restart(&self) {
        let _growing = self.not_growing();
        self.counted.stored.store(0, Ordering::Relaxed);
        self.used.store(FIRST.min(self.most), Ordering::Relaxed);
    }

    /// So many more positions were stored: as long as there are more than buckets (which hold two), `split` makes another one, with what
    /// belongs there of an earlier one: it is told how many are in use, which is the new one's index.
    pub fn stored(&self, positions: u64, split: impl Fn(usize)) {
        let stored = self.counted.stored.fetch_add(positions, Ordering::Relaxed) + positions;
        let wanted = usize::try_from(stored).unwrap_or(usize::MAX).min(self.most);
        if self.used() >= wanted {
            return;
        }
        let _growing = match self.counted.growing.try_lock() {
            Ok(growing) => growing,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // another thread is at it
            Err(TryLockError::WouldBlock) => return,
        };
        let used = self.used();
        let wanted = wanted.min(used + STEP);
        self.touched.fetch_max(wanted, Ordering::Relaxed);
        for index in used..wanted {
            split(index);
            // the other threads read this all the time; until they know, they miss what has just been moved, and what they store there
            // is not found later
            if index % PUBLISHED == PUBLISHED - 1 || index + 1 == wanted {
                self.used.store(index + 1, Ordering::Relaxed);
            }
        }
    }
}

/// The bucket of a hash where `used` are in use, at least two of them.
#[inline(always)]
pub(super) fn bucket_of(hash: u64, used: usize) -> usize {
    let all = usize::MAX >> (used - 1).leading_zeros();
    let index = hash as usize & all;
    // the second half of the buckets is not complete: what would be there is still in the first
    if index < used { index } else { index & all >> 1 }
}

/// The bucket that shares its positions with a new one, of this index.
pub(super) fn bucket_before(index: usize) -> usize {
    index ^ 1 << index.ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_bucket_takes_from_one_only() {
        for used in 2..300usize {
            for hash in 0..2000u64 {
                let hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 7;
                let (before, after) = (bucket_of(hash, used), bucket_of(hash, used + 1));
                assert!(before < used);
                if after != before {
                    assert_eq!((after, before), (used, bucket_before(used)));
                }
            }
        }
    }

    #[test]
    fn hashes_reach_every_bucket() {
        for used in [2, 3, 100, 128, 129, 1000] {
            let mut hits = vec![0; used];
            (0..used as u64 * 64).for_each(|hash| hits[bucket_of(hash, used)] += 1);
            // those that are not yet divided get twice as much
            assert!(hits.iter().all(|&hits| (32..=128).contains(&hits)), "{used}");
        }
    }

    #[test]
    fn the_table_grows_by_what_is_stored_up_to_its_size() {
        let split = |_: usize| {};
        let small = Growth::new(1000);
        small.stored(1 << 40, split);
        assert_eq!((small.used(), small.touched()), (1000, 1000));
        let growth = Growth::new(FIRST + 10_000);
        growth.stored(FIRST as u64, split);
        assert_eq!(growth.used(), FIRST);
        growth.stored(100, split);
        assert_eq!(growth.used(), FIRST + 100);
        // others learn of new buckets while there are more to make, and never too early
        growth.stored(1000, |index| {
            let known = growth.used();
            assert!(known <= index && index - known < PUBLISHED && growth.touched() == FIRST + 1100, "{known} {index}");
        });
        growth.stored(1 << 40, split);
        assert_eq!(growth.used(), FIRST + 1100 + STEP);
        (0..3).for_each(|_| growth.stored(0, split));
        assert_eq!(growth.used(), FIRST + 10_000);
        growth.restart();
        assert_eq!((growth.used(), growth.touched()), (FIRST, FIRST + 10_000));
        growth.stored(1, split);
        assert_eq!(growth.used(), FIRST);
    }
}
