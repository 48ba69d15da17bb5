//! The shared transposition table.
//!
//! Lock-free: an entry is three relaxed atomics, the board XORed with the data, so that an entry torn by a race
//! does not match any board (Hyatt's trick). The whole board is stored: a hit is never another position, which
//! exact scores need.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::pages::LargeSlice;
use crate::search::TableSizeError;

/// Two entries of three words in a cache line.
#[repr(C, align(64))]
struct Bucket([AtomicU64; 8]);

/// No move stored.
pub(crate) const NO_MOVE: u8 = 64;

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Data {
    /// The value is at least this ...
    pub lower: i8,
    /// ... and at most this.
    pub upper: i8,
    /// Best move known, [`NO_MOVE`] for none.
    pub best: u8,
    /// The best move before that one.
    pub second: u8,
    /// Depth of the search that proved the bounds.
    pub depth: u8,
    /// Its selectivity (0..=5).
    pub selectivity: u8,
    /// Binary logarithm of the nodes it took.
    pub cost: u8,
    /// Number of the search, modulo 256.
    pub age: u8,
}

impl Data {
    fn pack(self) -> u64 {
        u64::from_le_bytes([
            self.lower as u8,
            self.upper as u8,
            self.best,
            self.second,
            self.depth,
            self.selectivity,
            self.cost,
            self.age,
        ])
    }

    fn unpack(word: u64) -> Data {
        let [lower, upper, best, second, depth, selectivity, cost, age] = word.to_le_bytes();
        Data { lower: lower as i8, upper: upper as i8, best, second, depth, selectivity, cost, age }
    }

    /// The bounds hold for a search of this depth and selectivity.
    #[inline(always)]
    pub fn covers(&self, depth: u32, selectivity: u8) -> bool {
        self.depth as u32 >= depth && self.selectivity >= selectivity
    }
}

/// A result to be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub depth: u32,
    pub selectivity: u8,
    pub alpha: i32,
    pub beta: i32,
    pub score: i32,
    pub best: u8,
    pub nodes: u64,
}

/// Which searches made entries that still count, by their numbers modulo 256.
#[derive(Clone, Copy, Debug)]
struct Ages {
    /// The present search.
    now: u8,
    /// The first one since the table was cleared.
    first: u8,
    /// The first one whose number entries in memory may have, cleared or not.
    oldest: u8,
}

impl Ages {
    /// Entries of search number `age` have not been cleared.
    #[inline(always)]
    fn count(self, age: u8) -> bool {
        age.wrapping_sub(self.first) <= self.now.wrapping_sub(self.first)
    }
}

/// The table.
pub(crate) struct Table {
    buckets: LargeSlice<Bucket>,
    ages: Ages,
}

impl Table {
    /// A table of this many MiB (at least one).
    ///
    /// # Errors
    /// When the memory cannot be allocated.
    pub fn new(mib: usize) -> Result<Table, TableSizeError> {
        let error = TableSizeError(mib);
        let bytes = mib.max(1).checked_mul(1 << 20).ok_or_else(|| error.clone())?;
        // SAFETY: zeroed words are valid atomics; an all-zero entry matches only the board without discs, which is never
        // searched.
        let buckets = unsafe { LargeSlice::zeroed(bytes / size_of::<Bucket>()) }.ok_or(error)?;
        Ok(Table { buckets, ages: Ages { now: 1, first: 1, oldest: 1 } })
    }

    /// A new search begins: older entries are given up first.
    pub fn next_search(&mut self) {
        let ages = &mut self.ages;
        ages.now = ages.now.wrapping_add(1);
        if ages.now == ages.oldest {
            if ages.first == ages.oldest {
                // nothing was cleared for 256 searches: whatever its number, every entry counts
                ages.first = ages.now.wrapping_add(1);
                ages.oldest = ages.first;
            } else {
                self.wipe_cleared();
            }
        }
    }

    /// Forgets everything, as a rule at once: entries of earlier searches count no more. Writing the whole table would take
    /// longer than most endgames.
    pub fn clear(&mut self) {
        let ages = &mut self.ages;
        ages.now = ages.now.wrapping_add(1);
        ages.first = ages.now;
        if ages.now == ages.oldest {
            for bucket in self.buckets.iter_mut() {
                bucket.0.iter_mut().for_each(|word| *word.get_mut() = 0);
            }
        }
    }

    /// Removes the cleared entries from memory, before their numbers are given out again.
    #[cold]
    fn wipe_cleared(&mut self) {
        // the present number is about to be used anew
        let ages = Ages { now: self.ages.now.wrapping_sub(1), ..self.ages };
        for bucket in self.buckets.iter_mut() {
            for i in [0, 3] {
                if !ages.count(Data::unpack(*bucket.0[i + 2].get_mut()).age) {
                    bucket.0[i..i + 3].iter_mut().for_each(|word| *word.get_mut() = 0);
                }
            }
        }
        self.ages.oldest = self.ages.first;
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &Bucket {
        let index = ((hash as u128 * self.buckets.len() as u128) >> 64) as usize;
        // SAFETY: the high half of hash * len is below len.
        unsafe { self.buckets.get_unchecked(index) }
    }

    /// Brings the position's line into the cache.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: prefetching has no effect but on caches.
            unsafe { _mm_prefetch::<_MM_HINT_T0>((self.bucket(hash) as *const Bucket).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = hash;
    }

    /// What is known about a position.
    #[inline(always)]
    pub fn probe(&self, hash: u64, player: u64, opponent: u64) -> Option<Data> {
        let words = &self.bucket(hash).0;
        for i in [0, 3] {
            let data = words[i + 2].load(Ordering::Relaxed);
            if words[i].load(Ordering::Relaxed) ^ data == player
                && words[i + 1].load(Ordering::Relaxed) ^ data.rotate_left(32) == opponent
            {
                let data = Data::unpack(data);
                return self.ages.count(data.age).then_some(data);
            }
        }
        None
    }

    /// Stores a result; bounds already known for the same depth and selectivity are kept and sharpened.
    pub fn store(&self, hash: u64, player: u64, opponent: u64, found: &Found) {
        let age = self.ages.now;
        let words = &self.bucket(hash).0;
        let mut victim = 0;
        let mut lowest = i32::MAX;
        for i in [0, 3] {
            let word = words[i + 2].load(Ordering::Relaxed);
            let data = Data::unpack(word);
            let same = words[i].load(Ordering::Relaxed) ^ word == player
                && words[i + 1].load(Ordering::Relaxed) ^ word.rotate_left(32) == opponent;
            let counts = self.ages.count(data.age);
            if same {
                self.write(words, i, player, opponent, merge(counts.then_some(data), found, age));
                return;
            }
            // cleared entries go first, then those of older searches, then what was cheap to find
            let worth = match data.age {
                _ if !counts => -512,
                now if now == age => data.cost as i32 + data.depth as i32,
                _ => data.cost as i32 + data.depth as i32 - 256,
            };
            if worth < lowest {
                lowest = worth;
                victim = i;
            }
        }
        self.write(words, victim, player, opponent, merge(None, found, age));
    }

    #[inline(always)]
    fn write(&self, words: &[AtomicU64; 8], i: usize, player: u64, opponent: u64, data: Data) {
        let data = data.pack();
        words[i].store(player ^ data, Ordering::Relaxed);
        words[i + 1].store(opponent ^ data.rotate_left(32), Ordering::Relaxed);
        words[i + 2].store(data, Ordering::Relaxed);
    }
}

/// The entry after a result: `old` is what was known about the same position.
fn merge(old: Option<Data>, found: &Found, age: u8) -> Data {
    let cost = (64 - found.nodes.leading_zeros()) as u8;
    let mut data = Data {
        lower: -64,
        upper: 64,
        best: NO_MOVE,
        second: NO_MOVE,
        depth: found.depth as u8,
        selectivity: found.selectivity,
        cost,
        age,
    };
    if let Some(old) = old {
        data.best = old.best;
        data.second = old.second;
        if old.depth == data.depth && old.selectivity == data.selectivity {
            data.lower = old.lower;
            data.upper = old.upper;
            data.cost = old.cost.max(cost);
        }
    }
    if found.score < found.beta && found.score < data.upper as i32 {
        data.upper = found.score as i8;
    }
    if found.score > found.alpha && found.score > data.lower as i32 {
        data.lower = found.score as i8;
    }
    if data.lower > data.upper {
        // selective searches may contradict each other: the newest counts
        data.lower = if found.score > found.alpha { found.score as i8 } else { -64 };
        data.upper = if found.score < found.beta { found.score as i8 } else { 64 };
    }
    // the best move of a search that failed low says little, but it is better than none
    if found.best != NO_MOVE && (found.score > found.alpha || data.best == NO_MOVE) && data.best != found.best {
        data.second = data.best;
        data.best = found.best;
    }
    data
}

impl std::fmt::Debug for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Table({} buckets)", self.buckets.len())
    }
}

/// Hash of a position, all 64 bits good.
#[inline(always)]
pub(crate) fn hash(player: u64, opponent: u64) -> u64 {
    let product = (player ^ 0x9E37_79B9_7F4A_7C15) as u128 * (opponent ^ 0xD1B5_4A32_D192_ED03) as u128;
    let folded = product as u64 ^ (product >> 64) as u64;
    folded.wrapping_mul(0x9FB2_1C65_1E98_DF25)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(depth: u32, alpha: i32, score: i32, best: u8) -> Found {
        Found { depth, selectivity: 5, alpha, beta: alpha + 1, score, best, nodes: 1000 }
    }

    #[test]
    fn bounds_from_both_sides_meet() {
        let table = Table::new(1).unwrap();
        let (p, o) = (0x12, 0x21);
        let h = hash(p, o);
        assert_eq!(table.probe(h, p, o), None);
        table.store(h, p, o, &found(10, 3, 4, 7));
        table.store(h, p, o, &found(10, 5, 4, 9));
        let data = table.probe(h, p, o).unwrap();
        assert_eq!((data.lower, data.upper, data.best, data.second), (4, 4, 7, NO_MOVE));
        assert!(data.covers(10, 5) && !data.covers(11, 5));
        // another depth starts afresh but keeps the move
        table.store(h, p, o, &found(12, 3, 2, 9));
        let data = table.probe(h, p, o).unwrap();
        assert_eq!((data.lower, data.upper, data.best, data.depth), (-64, 2, 7, 12));
    }

    #[test]
    fn other_boards_do_not_match() {
        let table = Table::new(1).unwrap();
        for i in 1..100_000u64 {
            let (p, o) = (i, i << 32);
            table.store(hash(p, o), p, o, &found(8, 0, 2, 3));
            assert!(table.probe(hash(p, o), p, o).is_some());
            assert!(table.probe(hash(p, o), p + 1, o).is_none());
        }
    }

    #[test]
    fn what_was_cleared_never_comes_back() {
        let mut table = Table::new(1).unwrap();
        let store = |table: &Table, i: u64| table.store(hash(i, i << 32), i, i << 32, &found(8, 0, 2, 3));
        let knows = |table: &Table, i: u64| table.probe(hash(i, i << 32), i, i << 32).is_some();
        store(&table, 1);
        table.next_search();
        store(&table, 2);
        assert!(knows(&table, 1) && knows(&table, 2));
        table.clear();
        store(&table, 3);
        for _ in 0..1000 {
            assert!(!knows(&table, 1) && !knows(&table, 2) && knows(&table, 3));
            table.next_search();
        }
        table.clear();
        assert!(!knows(&table, 3));
        for i in 1000..3000 {
            table.clear();
            assert!(!knows(&table, i - 1) && !knows(&table, 3));
            store(&table, i);
            if i % 3 == 0 {
                table.next_search();
            }
            assert!(knows(&table, i));
        }
    }

    #[test]
    fn a_cleared_table_replaces_as_a_new_one_does() {
        let (mut cleared, new) = (Table::new(1).unwrap(), Table::new(1).unwrap());
        let board = |i: u64| (i, i << 32);
        let store = |table: &Table, i: u64, nodes: u64| {
            let (p, o) = board(i);
            table.store(hash(p, o), p, o, &Found { nodes, ..found(8, 0, 2, 3) });
        };
        (1..200_000).for_each(|i| store(&cleared, i, i % 1000));
        cleared.clear();
        for i in 1..200_000 {
            [&cleared, &new].iter().for_each(|table| store(table, i, i * 7 % 1000));
        }
        for i in 1..200_000 {
            let (p, o) = board(i);
            let found = |table: &Table| table.probe(hash(p, o), p, o).map(|data| Data { age: 0, ..data });
            assert_eq!(found(&cleared), found(&new), "{i}");
        }
    }

    #[test]
    fn impossible_size_is_an_error() {
        assert_eq!(Table::new(usize::MAX / 2).err(), Some(TableSizeError(usize::MAX / 2)));
        assert!(Table::new(1 << 40).is_err());
    }
}
