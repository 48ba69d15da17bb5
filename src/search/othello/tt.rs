//! The shared transposition table.
//!
//! Lock-free: an entry is three relaxed atomics, the board XORed with the data, so that an entry torn by a race
//! does not match any board (Hyatt's trick). The whole board is stored: a hit is never another position, which
//! exact scores need. Engines that share a table see their own entries only, unless rules and weights are the same.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ages::{Ages, Wipe};
use super::context::Contexts;
use super::entry::merge;
pub(crate) use super::entry::{Data, Found, NO_MOVE};
use super::growth::{Growth, bucket_before, bucket_of};
use super::worker::Rules;
use crate::eval::Weights;
use crate::pages::{LargeSlice, prefetch};
use crate::search::TableSizeError;

/// Two entries of three words in a cache line.
#[repr(C, align(64))]
struct Bucket([AtomicU64; 8]);

/// Buckets of a small search: 64 KiB.
const SMALL: usize = 1 << 10;

/// The table. Several engines may search with it at the same time.
pub(crate) struct Table {
    buckets: LargeSlice<Bucket>,
    /// How many of them are in use.
    growth: Growth,
    /// [`Ages`], packed. Written only while `contexts` is held.
    ages: AtomicU32,
    /// How often it has been cleared.
    clears: AtomicU64,
    contexts: Mutex<Contexts>,
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
        let buckets = unsafe { LargeSlice::zeroed_in_small_pages(bytes / size_of::<Bucket>()) }.ok_or(error)?;
        let ages = AtomicU32::new(Ages::NEW.pack());
        let growth = Growth::new(buckets.len());
        Ok(Table { buckets, growth, ages, clears: AtomicU64::new(0), contexts: Mutex::default() })
    }

    /// A search begins that will fill much of the table: from now on it is in large pages. What small searches before the first
    /// large one have found is forgotten: it took less time than moving it would.
    pub fn expect_much(&self) {
        // SAFETY: buckets are atomics, and a torn entry matches no board.
        unsafe { self.buckets.renew_in_large_pages() };
    }

    fn contexts(&self) -> MutexGuard<'_, Contexts> {
        self.contexts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table as searches under these rules, with these weights, see it: entries of others do not exist.
    pub fn view(&self, rules: &Rules, weights: &Arc<Weights>) -> View<'_> {
        let key = self.contexts().key(rules, weights);
        View { buckets: &self.buckets, growth: Some(&self.growth), ages: &self.ages, key }
    }

    /// The table as searches see it that store some dozens of positions: in one place, so that few of its pages are touched. Other
    /// searches do not find what these do.
    pub fn small_view(&self, rules: &Rules, weights: &Arc<Weights>) -> View<'_> {
        let view = self.view(rules, weights);
        View { buckets: &view.buckets[..SMALL.min(view.buckets.len())], growth: None, ..view }
    }

    /// A new search begins: older entries are given up first.
    pub fn next_search(&self) {
        self.change(Ages::after_search);
    }

    /// Forgets everything, as a rule at once: entries of earlier searches count no more. Writing the whole table would take
    /// longer than most endgames. A search that runs meanwhile loses what it knew, and what it finds from then on is kept.
    pub fn clear(&self) {
        self.change(Ages::after_clear);
        self.growth.restart();
        self.clears.fetch_add(1, Ordering::Relaxed);
    }

    /// How often it has been cleared: what others keep beside it is to go, too.
    pub fn clears(&self) -> u64 {
        self.clears.load(Ordering::Relaxed)
    }

    /// Changes the ages, after removing from memory what would come to life again.
    fn change(&self, next: impl FnOnce(Ages) -> (Ages, Wipe)) {
        // one at a time
        let _contexts = self.contexts();
        let (ages, wipe) = next(Ages::unpack(self.ages.load(Ordering::Relaxed)));
        match wipe {
            Wipe::Nothing => {}
            Wipe::Cleared(before) => self.wipe(|age| !before.count(age)),
            Wipe::Everything => self.wipe(|_| true),
        }
        self.ages.store(ages.pack(), Ordering::Relaxed);
    }

    /// Removes the entries of some searches from memory.
    #[cold]
    fn wipe(&self, is_gone: impl Fn(u8) -> bool) {
        // what is moved meanwhile would be missed
        let _still = self.growth.not_growing();
        for bucket in &self.buckets[..self.growth.touched()] {
            for i in [0, 3] {
                if is_gone(Data::unpack(bucket.0[i + 2].load(Ordering::Relaxed)).age) {
                    bucket.0[i..i + 3].iter().for_each(|word| word.store(0, Ordering::Relaxed));
                }
            }
        }
    }
}

/// A table as one search sees it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    buckets: &'a [Bucket],
    /// `None` where all of them are in use.
    growth: Option<&'a Growth>,
    ages: &'a AtomicU32,
    /// Marks the entries (see [`Contexts::key`]).
    key: [u64; 2],
}

impl View<'_> {
    #[inline(always)]
    fn ages(&self) -> Ages {
        Ages::unpack(self.ages.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn bucket(&self, hash: u64) -> &Bucket {
        let used = self.growth.map_or(self.buckets.len(), Growth::used);
        debug_assert!(used <= self.buckets.len());
        // SAFETY: the index is below the number of buckets in use, which is at most that of all.
        unsafe { self.buckets.get_unchecked(bucket_of(hash, used)) }
    }

    /// So many positions more were stored that the table did not know: it grows as needed.
    pub fn grow(&self, positions: u64) {
        if let Some(growth) = self.growth {
            growth.stored(positions, |index| self.split(index));
        }
    }

    /// Fills a new bucket with what belongs there of the bucket that shares with it. Where an entry of other rules or weights belongs
    /// cannot be told: it is in both from now on.
    fn split(&self, index: usize) {
        let before = bucket_before(index);
        let (from, to) = (&self.buckets[before].0, &self.buckets[index].0);
        for i in [0, 3] {
            let words = [0, 1, 2].map(|word| from[i + word].load(Ordering::Relaxed));
            let board = [words[0] ^ words[2], words[1] ^ words[2].rotate_left(32)];
            let hash = hash(board[0], board[1]);
            let is_known = bucket_of(hash, index) == before;
            let moves = is_known && bucket_of(hash, index + 1) == index;
            let stays = is_known && !moves;
            for (word, value) in words.into_iter().enumerate() {
                to[i + word].store(if stays { 0 } else { value }, Ordering::Relaxed);
                if moves {
                    from[i + word].store(0, Ordering::Relaxed);
                }
            }
        }
    }

    /// Brings the position's line into the cache.
    #[inline(always)]
    pub fn prefetch(&self, hash: u64) {
        prefetch(self.bucket(hash));
    }

    /// What is known about a position.
    #[inline(always)]
    pub fn probe(&self, hash: u64, player: u64, opponent: u64) -> Option<Data> {
        let [player, opponent] = [player ^ self.key[0], opponent ^ self.key[1]];
        let words = &self.bucket(hash).0;
        for i in [0, 3] {
            let data = words[i + 2].load(Ordering::Relaxed);
            if words[i].load(Ordering::Relaxed) ^ data == player
                && words[i + 1].load(Ordering::Relaxed) ^ data.rotate_left(32) == opponent
            {
                let data = Data::unpack(data);
                return self.ages().count(data.age).then_some(data);
            }
        }
        None
    }

    /// Stores a result; bounds already known for the same depth and selectivity are kept and sharpened. `true` when nothing was known
    /// about the position.
    pub fn store(&self, hash: u64, player: u64, opponent: u64, found: &Found) -> bool {
        let [player, opponent] = [player ^ self.key[0], opponent ^ self.key[1]];
        let ages = self.ages();
        let age = ages.now;
        let words = &self.bucket(hash).0;
        let mut victim = 0;
        let mut lowest = i32::MAX;
        for i in [0, 3] {
            let word = words[i + 2].load(Ordering::Relaxed);
            let data = Data::unpack(word);
            let same = words[i].load(Ordering::Relaxed) ^ word == player
                && words[i + 1].load(Ordering::Relaxed) ^ word.rotate_left(32) == opponent;
            let counts = ages.count(data.age);
            if same {
                self.write(words, i, player, opponent, merge(counts.then_some(data), found, age));
                return false;
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
        true
    }

    #[inline(always)]
    fn write(&self, words: &[AtomicU64; 8], i: usize, player: u64, opponent: u64, data: Data) {
        let data = data.pack();
        words[i].store(player ^ data, Ordering::Relaxed);
        words[i + 1].store(opponent ^ data.rotate_left(32), Ordering::Relaxed);
        words[i + 2].store(data, Ordering::Relaxed);
    }
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

    /// Positions that a test stores; Miri takes a thousand times as long for each.
    const MANY: u64 = if cfg!(miri) { 300 } else { 200_000 };

    /// The table as the first rules and weights see it that it meets: without weights, which Miri would unpack for a minute.
    fn view(table: &Table) -> View<'_> {
        View { buckets: &table.buckets, growth: Some(&table.growth), ages: &table.ages, key: [0, 0] }
    }

    fn found(depth: u32, alpha: i32, score: i32, best: u8) -> Found {
        Found { depth, selectivity: 5, alpha, beta: alpha + 1, score, best, nodes: 1000 }
    }

    #[test]
    fn bounds_from_both_sides_meet() {
        let table = Table::new(1).unwrap();
        let table = view(&table);
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
    fn bounds_of_another_confidence_are_neither_taken_nor_kept() {
        let table = Table::new(1).unwrap();
        let table = view(&table);
        let (p, o) = (0x12, 0x21);
        let h = hash(p, o);
        let selective = |selectivity, alpha, score| Found { selectivity, ..found(10, alpha, score, 7) };
        table.store(h, p, o, &selective(2, 3, 6));
        let data = table.probe(h, p, o).unwrap();
        assert!(data.covers(10, 2) && data.covers(9, 0) && !data.covers(10, 3) && !data.covers(10, 5));
        // surer, then less sure: each time only the new bound
        table.store(h, p, o, &selective(5, 9, 8));
        let data = table.probe(h, p, o).unwrap();
        assert_eq!((data.lower, data.upper, data.selectivity, data.best), (-64, 8, 5, 7));
        table.store(h, p, o, &selective(3, -3, -2));
        let data = table.probe(h, p, o).unwrap();
        assert_eq!((data.lower, data.upper, data.selectivity), (-2, 64, 3));
    }

    #[test]
    fn contexts_do_not_see_each_other() {
        let table = Table::new(1).unwrap();
        let weights = Weights::embedded();
        let rules = [Rules::othello(), Rules::new(u64::MAX, true, false), Rules::new(u64::MAX, false, true)];
        let views = rules.map(|rules| table.view(&rules, &weights));
        let (p, o) = (0x12, 0x21);
        let h = hash(p, o);
        let lower = |view: &View| view.probe(h, p, o).map(|data| data.lower);
        views[0].store(h, p, o, &found(8, 0, 2, 3));
        assert_eq!([0, 1, 2].map(|i| lower(&views[i])), [Some(2), None, None]);
        // two fit a bucket
        views[1].store(h, p, o, &found(8, 0, 4, 3));
        assert_eq!([0, 1, 2].map(|i| lower(&views[i])), [Some(2), Some(4), None]);
        table.clear();
        assert_eq!([0, 1, 2].map(|i| lower(&views[i])), [None; 3]);
    }

    #[test]
    fn what_small_searches_find_is_kept_until_the_first_large_one() {
        let table = Table::new(1).unwrap();
        let store = |i: u64| view(&table).store(hash(i, i << 32), i, i << 32, &found(8, 0, 2, 3));
        let knows = |i: u64| view(&table).probe(hash(i, i << 32), i, i << 32).is_some();
        store(1);
        table.next_search();
        assert!(knows(1));
        table.expect_much();
        store(2);
        table.expect_much();
        assert!(knows(2));
    }

    #[test]
    fn small_searches_stay_in_their_place_and_see_what_they_left() {
        let table = Table::new(1).unwrap();
        let (rules, weights) = (Rules::othello(), Weights::embedded());
        let small = table.small_view(&rules, &weights);
        let board = |i: u64| (hash(i, i << 32), i, i << 32);
        for i in 1..100 {
            let (h, p, o) = board(i);
            small.store(h, p, o, &found(8, 0, 2, 3));
        }
        let stored = table.buckets.iter().map(|bucket| bucket.0[2].load(Ordering::Relaxed) != 0);
        assert!(stored.skip(SMALL).all(|is_stored| !is_stored));
        let again = table.small_view(&rules, &weights);
        let is_known = |i: u64| {
            let (h, p, o) = board(i);
            again.probe(h, p, o).is_some()
        };
        let known = (1..100).filter(|&i| is_known(i)).count();
        assert!(known > 90);
    }

    /// Also those of other rules, whose place cannot be told from what is in memory.
    #[test]
    fn a_growing_table_keeps_what_it_has() {
        let table = Table::new(24).unwrap();
        let weights = Weights::embedded();
        let rules = [Rules::othello(), Rules::new(u64::MAX, true, false)];
        let views = rules.map(|rules| table.view(&rules, &weights));
        let board = |i: u64| (hash(i, i << 32), i, i << 32);
        let places = table.growth.used() as u64;
        for i in 1..MANY / 4 {
            let (h, p, o) = board(i);
            assert!(views[i as usize % 2].store(h, p, o, &found(8, 0, 2, (i % 60) as u8)));
        }
        let is_known = |i: u64| {
            let (h, p, o) = board(i);
            assert_eq!(views[1 - i as usize % 2].probe(h, p, o), None);
            views[i as usize % 2].probe(h, p, o).is_some_and(|data| data.best == (i % 60) as u8)
        };
        let known: Vec<u64> = (1..MANY / 4).filter(|&i| is_known(i)).collect();
        assert!(known.len() as u64 > MANY / 5);
        let mut stored = places;
        while table.growth.used() < table.buckets.len() {
            views[0].grow(stored);
            stored = 1000;
        }
        assert!(known.iter().all(|&i| is_known(i)));
        // a cleared table is small and knows nothing
        assert_eq!(table.growth.touched(), table.buckets.len());
        table.clear();
        assert_eq!(table.growth.used() as u64, places);
        assert!(!known.iter().any(|&i| is_known(i)));
        // what lies in the part that is not in use stays forgotten when that is used again
        while table.growth.used() < table.buckets.len() {
            views[0].grow(places);
        }
        assert!(!known.iter().any(|&i| is_known(i)));
    }

    #[test]
    fn other_boards_do_not_match() {
        let table = Table::new(1).unwrap();
        let table = view(&table);
        // every look at the table is one at a million bytes for Miri
        for i in 1..MANY / if cfg!(miri) { 20 } else { 2 } {
            let (p, o) = (i, i << 32);
            table.store(hash(p, o), p, o, &found(8, 0, 2, 3));
            assert!(table.probe(hash(p, o), p, o).is_some());
            assert!(table.probe(hash(p, o), p + 1, o).is_none());
        }
    }

    #[test]
    fn what_was_cleared_never_comes_back() {
        let table = Table::new(1).unwrap();
        let store = |table: &Table, i: u64| view(table).store(hash(i, i << 32), i, i << 32, &found(8, 0, 2, 3));
        let knows = |table: &Table, i: u64| view(table).probe(hash(i, i << 32), i, i << 32).is_some();
        store(&table, 1);
        table.next_search();
        store(&table, 2);
        assert!(knows(&table, 1) && knows(&table, 2));
        table.clear();
        store(&table, 3);
        for _ in 0..MANY / 200 {
            assert!(!knows(&table, 1) && !knows(&table, 2) && knows(&table, 3));
            table.next_search();
        }
        table.clear();
        assert!(!knows(&table, 3));
        for i in 1000..1000 + MANY / 100 {
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
        let (cleared, new) = (Table::new(1).unwrap(), Table::new(1).unwrap());
        let board = |i: u64| (i, i << 32);
        let store = |table: &Table, i: u64, nodes: u64| {
            let (p, o) = board(i);
            view(table).store(hash(p, o), p, o, &Found { nodes, ..found(8, 0, 2, 3) });
        };
        (1..MANY).for_each(|i| store(&cleared, i, i % 1000));
        cleared.clear();
        for i in 1..MANY {
            [&cleared, &new].iter().for_each(|table| store(table, i, i * 7 % 1000));
        }
        for i in 1..MANY {
            let (p, o) = board(i);
            let found = |table: &Table| view(table).probe(hash(p, o), p, o).map(|data| Data { age: 0, ..data });
            assert_eq!(found(&cleared), found(&new), "{i}");
        }
    }

    #[test]
    fn impossible_size_is_an_error() {
        assert_eq!(Table::new(usize::MAX / 2).err(), Some(TableSizeError(usize::MAX / 2)));
        assert!(Table::new(1 << 40).is_err());
    }
}
