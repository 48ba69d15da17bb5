//! The transposition table of the general search: shared by the threads without locks.
//!
//! An entry is two words: the data, and the data XORed with the position's second hash, so that an entry
//! torn by two writers is not recognised (Hyatt's scheme). The place comes from the first hash; 64 bits of
//! the independent second one make a mistaken identity about as likely as 4 n / 2^64 in n probes: 2 in ten
//! million for 10^12 probes, which take days. (A test counts collisions of parts of the hashes.)

use std::alloc::{Layout, handle_alloc_error};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use super::state::Code;
use crate::pages::{LargeSlice, prefetch};
use crate::search::{Bound, Selectivity};

/// Entries that share a cache line.
const BUCKET: usize = 4;
/// Depth of entries that searched the game to its end.
pub(super) const TO_THE_END: u8 = 255;

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// In units of the search.
    pub value: i32,
    /// In plies, or [`TO_THE_END`].
    pub depth: u8,
    /// How sure it is.
    pub selectivity: Selectivity,
    pub bound: Bound,
    /// Square and direction of the best move.
    pub best: Code,
}

/// Entries in a cache line: a key and its data each.
type Bucket = [AtomicU64; 2 * BUCKET];

/// The table.
pub(super) struct Table {
    slots: LargeSlice<Bucket>,
    /// Counts the searches, so that entries of earlier ones give way.
    generation: AtomicU8,
}

impl Table {
    /// A table of about this many MiB (at least one, rounded down to a power of two); a smaller one when the machine
    /// does not have that much.
    pub fn new(mib: usize) -> Table {
        let mut size = buckets_of(mib);
        let slots = loop {
            // SAFETY: zeroed words are valid atomics.
            match unsafe { LargeSlice::zeroed_in_small_pages(size) } {
                Some(slots) => break slots,
                None if size > 1 => {
                    log::warn!("no memory for a table of {} MiB; trying half", size >> 14);
                    size /= 2;
                }
                None => handle_alloc_error(Layout::new::<Bucket>()),
            }
        };
        Table { slots, generation: AtomicU8::new(0) }
    }

    /// A search begins that will fill much of the table: from now on it is in large pages, and what smaller ones have found before
    /// is forgotten.
    pub fn expect_much(&self) {
        // SAFETY: slots are atomics; an entry whose words do not belong together has no position's hash, or no data.
        unsafe { self.slots.renew_in_large_pages() };
    }

    /// From now on the present entries are old.
    pub fn age(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }

    fn bucket(&self, hash: [u64; 2]) -> &Bucket {
        &self.slots[hash[0] as usize & (self.slots.len() - 1)]
    }

    /// Asks for the memory where a position is that will soon be looked up.
    #[inline(always)]
    pub fn prefetch(&self, hash: [u64; 2]) {
        prefetch(self.bucket(hash));
    }

    /// What is known of the position with these hashes.
    #[inline]
    pub fn probe(&self, hash: [u64; 2]) -> Option<Entry> {
        let bucket = self.bucket(hash);
        for i in 0..BUCKET {
            let data = bucket[2 * i + 1].load(Ordering::Relaxed);
            let key = bucket[2 * i].load(Ordering::Relaxed);
            if key ^ data == hash[1] && data != 0 {
                return Some(unpack(data));
            }
        }
        None
    }

    /// Remembers an entry in place of the same position's, of an old one, or of the shallowest.
    #[inline]
    pub fn store(&self, hash: [u64; 2], entry: Entry) {
        let bucket = self.bucket(hash);
        let generation = u64::from(self.generation.load(Ordering::Relaxed));
        let mut place = 0;
        let mut lowest = u64::MAX;
        for i in 0..BUCKET {
            let data = bucket[2 * i + 1].load(Ordering::Relaxed);
            if bucket[2 * i].load(Ordering::Relaxed) ^ data == hash[1] {
                place = i;
                break;
            }
            let is_present = data >> 48 & 0xFF == generation;
            let worth = (data >> 16 & 0xFF) + if is_present { 256 } else { 0 };
            if worth < lowest {
                (place, lowest) = (i, worth);
            }
        }
        let data = pack(entry) | generation << 48;
        bucket[2 * place].store(hash[1] ^ data, Ordering::Relaxed);
        bucket[2 * place + 1].store(data, Ordering::Relaxed);
    }
}

/// How many buckets a table of this many MiB has, a power of two: those of the largest one where `usize` does not count so many.
fn buckets_of(mib: usize) -> usize {
    const A_MIB: usize = (1 << 20) / size_of::<Bucket>();
    1 << mib.max(1).saturating_mul(A_MIB).ilog2()
}

fn pack(entry: Entry) -> u64 {
    let bound = match entry.bound {
        Bound::Exact => 1u64,
        Bound::Lower => 2,
        Bound::Upper => 3,
    };
    (entry.value as i16 as u16) as u64
        | (entry.depth as u64) << 16
        | (entry.best.0 as u64) << 24
        | (entry.best.1 as u64) << 32
        | bound << 40
        | (entry.selectivity.index() as u64) << 42
}

fn unpack(data: u64) -> Entry {
    let bound = match data >> 40 & 3 {
        1 => Bound::Exact,
        2 => Bound::Lower,
        _ => Bound::Upper,
    };
    Entry {
        value: (data as u16 as i16) as i32,
        depth: (data >> 16) as u8,
        selectivity: Selectivity::new((data >> 42 & 7) as u8).unwrap_or(Selectivity::MOST),
        bound,
        best: ((data >> 24) as u8, (data >> 32) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::super::set::{Set, U256};
    use super::super::state::{Rules, State};
    use super::*;
    use crate::rules::Position;
    use std::sync::Arc;

    /// Hashes of different states: of random games, and of boards that differ in a few squares only.
    fn hashes<B: Set>(text: &str, games: usize) -> Vec<[u64; 2]> {
        let start = Position::start(Arc::new(text.parse().unwrap()));
        let rules: Rules<B> = Rules::new(&start, false);
        let mut list = Vec::new();
        let mut random = 1u64;
        for _ in 0..games {
            let mut position = start.clone();
            while !position.is_game_over() {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let legal = position.legal_moves();
                position = position.play(legal[(random >> 33) as usize % legal.len()]).unwrap();
                list.push(rules.state(&position).hash(rules.seed));
            }
        }
        let none = B::default();
        let squares = rules.geometry.board.count() as usize;
        for (i, j) in (0..squares).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let (a, b) = (B::bit(i), B::bit(j));
            for (player, opponent) in [(a | b, none), (a, b), (b, a), (none, a | b)] {
                list.push(State { player, opponent, ..rules.state(&start) }.hash(rules.seed));
            }
        }
        // games reach a state more than once
        list.sort_unstable();
        list.dedup();
        list
    }

    #[test]
    fn hashes_collide_no_more_often_than_random_numbers() {
        let lists = [
            hashes::<u64>("othello", 2000),
            hashes::<u64>("traveller:8x8,one", 1000),
            hashes::<u128>("othello:10x10,own", 500),
            hashes::<U256>("othello:16x16,one", 100),
        ];
        for list in lists {
            let n = list.len() as f64;
            assert!(n > 30_000.0, "{n}");
            let collisions = |part: &dyn Fn(&[u64; 2]) -> u64| {
                let mut parts: Vec<u64> = list.iter().map(part).collect();
                parts.sort_unstable();
                parts.windows(2).filter(|pair| pair[0] == pair[1]).count() as f64
            };
            // every 32 bits of the hash that decides, and the place with 16 of them
            for shift in (0..=32).step_by(4) {
                let expected = n * n / 2.0 / 2f64.powi(32);
                let found = collisions(&|hash| hash[1] >> shift & 0xFFFF_FFFF);
                assert!(found <= expected + 6.0 * expected.sqrt() + 3.0, "{found} instead of {expected} at {shift}");
            }
            let found = collisions(&|hash| (hash[0] & 0xFFFF) << 16 | hash[1] >> 24 & 0xFFFF);
            let expected = n * n / 2.0 / 2f64.powi(32);
            assert!(found <= expected + 6.0 * expected.sqrt() + 3.0, "{found} instead of {expected}");
        }
    }

    #[test]
    fn sizes_are_powers_of_two_however_much_is_asked_for() {
        assert_eq!([0, 1, 3, 64, 100].map(|mib| buckets_of(mib) >> 14), [1, 1, 2, 64, 64]);
        // as many MiB as 4096 are to 32 bits: what they are in bytes is counted by no `usize`
        let too_many = 1 << (usize::BITS - 20);
        assert_eq!([too_many, usize::MAX].map(|mib| buckets_of(mib) >> 20 > 0), [true; 2]);
    }

    #[test]
    fn newer_entries_of_a_position_take_the_place_of_its_own() {
        let table = Table::new(1);
        let entry =
            |n: u8| Entry { value: 3, depth: n, selectivity: Selectivity::NONE, bound: Bound::Exact, best: (4, 5) };
        // as many positions as a bucket holds
        for round in 1..=5 {
            for n in 0..BUCKET as u8 {
                table.store([0, 0x1234_5678_9ABC_DEF1 * (u64::from(n) + 1)], entry(10 * round + n));
            }
        }
        for n in 0..BUCKET as u8 {
            assert_eq!(table.probe([0, 0x1234_5678_9ABC_DEF1 * (u64::from(n) + 1)]), Some(entry(50 + n)));
        }
    }

    #[test]
    fn the_shallowest_of_old_entries_goes_first() {
        let table = Table::new(1);
        let entry =
            |n: u8| Entry { value: -1, depth: n, selectivity: Selectivity::MOST, bound: Bound::Lower, best: (1, 2) };
        for depth in [40, 30, 10, 20] {
            table.store([0, u64::from(depth)], entry(depth));
        }
        table.age();
        table.store([0, 1], entry(1));
        table.store([0, 2], entry(2));
        let left = [40u8, 30, 10, 20, 1, 2].map(|depth| table.probe([0, u64::from(depth)]).is_some());
        assert_eq!(left, [true, true, false, false, true, true]);
    }

    #[test]
    fn entries_come_back() {
        let table = Table::new(1);
        let entry = |n: u8| Entry {
            value: -37 * n as i32,
            depth: n,
            selectivity: Selectivity::ALL[n as usize % 6],
            bound: Bound::Upper,
            best: (200, n % 9),
        };
        for n in 0..200u8 {
            table.store([n as u64, n as u64 * 77 + 1], entry(n));
        }
        for n in 0..200u8 {
            assert_eq!(table.probe([n as u64, n as u64 * 77 + 1]), Some(entry(n)));
            assert_eq!(table.probe([n as u64, n as u64 * 77 + 2]), None);
        }
        // deep entries stay when five positions share a bucket
        for n in 0..5u64 {
            table.store([0, 1000 + n], entry(100 + n as u8));
        }
        assert_eq!(table.probe([0, 1004]), Some(entry(104)));
        assert_eq!(table.probe([0, 1001]), Some(entry(101)));
        assert_eq!(table.probe([0, 1000]), None);
        // those of earlier searches go first
        table.age();
        table.store([0, 2000], entry(1));
        table.store([0, 2001], entry(2));
        assert_eq!(table.probe([0, 2000]), Some(entry(1)));
    }
}
