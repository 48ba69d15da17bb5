//! Which positions the threads of a search are at, so that others turn to something else first.
//!
//! All threads search the same tree. Where another one is at a child already it is put off until the other children are done; by then the
//! table often knows its value. (Kerrigan's simplified ABDADA, 2016, after Weill 1996.)

use std::sync::atomic::{AtomicU64, Ordering};

/// Places for positions.
const PLACES: usize = 1 << 13;
/// Of these a position can be in so many.
const BUCKET: usize = 4;

/// The positions. Nothing depends on all of them being there, or none that has been left.
pub(super) struct Busy {
    /// Second hashes of positions; none where a thread is alone.
    places: Box<[AtomicU64]>,
}

impl Busy {
    /// For so many threads.
    pub fn new(threads: usize) -> Busy {
        let count = if threads > 1 { PLACES } else { 0 };
        Busy { places: (0..count).map(|_| AtomicU64::new(0)).collect() }
    }

    /// There are several threads.
    #[inline(always)]
    pub fn is_used(&self) -> bool {
        !self.places.is_empty()
    }

    fn bucket(&self, hash: [u64; 2]) -> &[AtomicU64] {
        let at = hash[0] as usize % (PLACES / BUCKET) * BUCKET;
        &self.places[at..at + BUCKET]
    }

    /// A thread is at the position with these hashes.
    fn has(&self, hash: [u64; 2]) -> bool {
        self.bucket(hash).iter().any(|place| place.load(Ordering::Relaxed) == hash[1])
    }

    /// This thread turns to a position, if there is one to tell others of, and is at it until what this returns is dropped; `None` where it
    /// may wait and another thread is there.
    #[inline(always)]
    pub fn visit(&self, hash: Option<[u64; 2]>, may_wait: bool) -> Option<Option<Visit<'_>>> {
        match hash {
            Some(hash) if may_wait && self.has(hash) => None,
            _ => Some(hash.map(|hash| self.enter(hash))),
        }
    }

    /// This thread begins with a position, and is at it until what this returns is dropped.
    fn enter(&self, hash: [u64; 2]) -> Visit<'_> {
        let bucket = self.bucket(hash);
        let free = bucket.iter().find(|place| place.load(Ordering::Relaxed) == 0);
        free.unwrap_or(&bucket[0]).store(hash[1], Ordering::Relaxed);
        Visit { bucket, hash: hash[1] }
    }
}

/// A thread is at a position.
pub(super) struct Visit<'a> {
    bucket: &'a [AtomicU64],
    hash: u64,
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        for place in self.bucket.iter().filter(|place| place.load(Ordering::Relaxed) == self.hash) {
            place.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_there_until_they_are_left() {
        assert!(!Busy::new(1).is_used());
        let busy = Busy::new(2);
        let hash = |i: u64| [i * 0x9E37_79B9, i | 1 << 63];
        assert!(busy.is_used() && !busy.has(hash(1)));
        let mut visits: Vec<Visit> = (0..100).map(|i| busy.enter(hash(i))).collect();
        assert!((0..100).all(|i| busy.has(hash(i))));
        visits.truncate(50);
        assert!((0..50).all(|i| busy.has(hash(i))) && (50..100).all(|i| !busy.has(hash(i))));
        // more in a place than it holds: the last is there
        let visits: Vec<Visit> = (0..9).map(|i| busy.enter([7, 1000 + i])).collect();
        assert!(busy.has([7, 1008]));
        drop(visits);
        assert!((0..9).all(|i| !busy.has([7, 1000 + i])));
    }
}
