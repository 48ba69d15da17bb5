//! Six to eleven empty squares: fastest-first ordering and small tables of the thread's own.
//!
//! Down here the shared table costs more than it saves (a cache miss is worth dozens of nodes), so each
//! worker keeps direct-mapped tables that stay in its core's caches; children are looked up in them while
//! they are ordered, which serves as an enhanced transposition cut-off (idea: Egaroucid).

use arrayvec::ArrayVec;

use super::entries::Entries;
use super::worker::{STABILITY_MIN_ALPHA, Worker};
use crate::kernel::KEYS;
use crate::pages::{LargeSlice, prefetch};
use crate::search::TableSizeError;

/// Fewest empties that this search handles; below, looking children up does not pay.
pub(super) const LOCAL_MIN: u32 = 6;
/// Most empties that it handles; above, the shared table and ordering by value take over.
pub(super) const LOCAL_MAX: u32 = 11;

/// By empties, from five on: by how much hashes are shifted to the right for the places of such positions, and where those begin. Two
/// numbers of empties share their entries from six on, so that the many positions of few empties do not push out those that took more
/// nodes. All of them (1 MB) stay in the core's caches, those that are asked most often in the nearer ones.
const TABLES: [(u32, usize); 16] = tables([12, 12, 12, 12, 12, 12, 13, 13, 14, 14, 15, 15, 15, 15, 15, 15]);
/// Entries in all.
const ENTRIES: usize = (1 << 12) + (1 << 13) + (1 << 14) + (1 << 15);
/// Bits of a hash that every place tells, and that entries use for what they know: the least of any table.
const PLACE_BITS: u32 = 12;

/// Tables of these sizes, powers of two, one behind the other.
const fn tables(bits: [u32; 16]) -> [(u32, usize); 16] {
    let mut tables = [(0, 0); 16];
    let mut n = 0;
    while n < tables.len() {
        // each is twice as large as the one before, so that those before it are as large as it is but for the first one's size
        tables[n] = (64 - bits[n], (1 << bits[n]) - (1 << bits[0]));
        n += 1;
    }
    tables
}

/// One proved position in 16 bytes, so that more of them are in the nearer caches.
///
/// The player's discs and the hash tell the opponent's: multiplying by an odd number can be undone. The place of an entry tells the top
/// bits of its hash, and [`PLACE_BITS`] of them leave room for a bound.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Entry {
    player: u64,
    /// The hash without its top bits; below it twice the distance of the bound from -64, odd for an upper one.
    rest: u64,
}

impl Entry {
    /// No position has it in most places; where one does, it says that scores are at least -64.
    const EMPTY: Entry = Entry { player: 0, rest: 0 };

    /// What a null-window search `(alpha, alpha + 1)` that found `score` says of a position.
    #[inline(always)]
    pub(super) fn bound(hash: u64, player: u64, score: i32, alpha: i32) -> Entry {
        debug_assert!((-64..=64).contains(&score));
        let is_upper = u64::from(score <= alpha);
        Entry { player, rest: hash << PLACE_BITS | ((score + 64) as u64) << 1 | is_upper }
    }

    /// The bound that decides the window `(alpha, alpha + 1)` of this position, if the entry is about it and knows one.
    #[inline(always)]
    fn cutoff(&self, hash: u64, player: u64, alpha: i32) -> Option<i32> {
        let bound = self.rest ^ hash << PLACE_BITS;
        if (self.player ^ player) | bound >> PLACE_BITS != 0 {
            return None;
        }
        let (score, is_upper) = ((bound >> 1) as i32 - 64, bound & 1 != 0);
        ((score > alpha) != is_upper).then_some(score)
    }
}

/// Direct-mapped tables of bounds proved without selectivity.
pub(super) struct LocalCache {
    entries: LargeSlice<Entry>,
}

impl std::fmt::Debug for LocalCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LocalCache({} entries)", self.entries.len())
    }
}

impl LocalCache {
    /// Empty tables.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub(super) fn new() -> Result<LocalCache, TableSizeError> {
        // SAFETY: an entry consists of integers; all zero is `Entry::EMPTY`.
        let entries = unsafe { LargeSlice::zeroed(ENTRIES) }.ok_or(TableSizeError(1))?;
        Ok(LocalCache { entries })
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entries.fill(Entry::EMPTY);
    }

    /// Two positions with the same player's discs have different hashes, see [`Entry`].
    #[inline(always)]
    pub(super) fn hash(player: u64, opponent: u64) -> u64 {
        // its top bits count, and depend on all squares; half a board apart, the last rows of both sides do not make up for each other
        let (player, opponent) = (player, opponent.rotate_left(32));
        player.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(opponent.wrapping_mul(0xC2B2_AE3D_27D4_EB4F))
    }

    /// Where a position of this number of empties, five to [`LOCAL_MAX`], has its entry.
    #[inline(always)]
    fn index(empties: u32, hash: u64) -> usize {
        let (shift, start) = TABLES[empties as usize % TABLES.len()];
        start + (hash >> shift) as usize
    }

    /// Brings the entry of a position nearer.
    #[inline(always)]
    pub(super) fn prefetch(&self, empties: u32, hash: u64) {
        prefetch(self.at(LocalCache::index(empties, hash)));
    }

    /// The entry at such an index.
    #[inline(always)]
    fn at(&self, index: usize) -> &Entry {
        debug_assert!(index < self.entries.len());
        // SAFETY: an index is where a table begins and the top bits of a hash, as many as count its entries.
        unsafe { self.entries.get_unchecked(index) }
    }

    /// The bound that decides the window `(alpha, alpha + 1)` of a position with this hash, if one is known.
    #[inline(always)]
    pub(super) fn cutoff(&self, empties: u32, hash: u64, player: u64, alpha: i32) -> Option<i32> {
        self.at(LocalCache::index(empties, hash)).cutoff(hash, player, alpha)
    }

    /// Keeps what a null-window search `(alpha, alpha + 1)` found about a position with this hash.
    #[inline(always)]
    pub(super) fn store(&mut self, empties: u32, hash: u64, player: u64, score: i32, alpha: i32) {
        let index = LocalCache::index(empties, hash);
        debug_assert!(index < self.entries.len());
        // SAFETY: as above.
        *unsafe { self.entries.get_unchecked_mut(index) } = Entry::bound(hash, player, score, alpha);
    }
}

/// Which of a node's children are still to be searched: a key each, least first.
pub(super) struct Queue {
    keys: [u16; KEYS],
    /// The least key, and whose it is.
    first: u32,
}

impl Queue {
    /// Of no children.
    #[inline(always)]
    pub(super) fn new() -> Queue {
        Queue { keys: [u16::MAX; KEYS], first: u32::MAX }
    }

    /// Adds child `i`.
    #[inline(always)]
    pub(super) fn push(&mut self, i: usize, key: u32) {
        self.keys[i % KEYS] = key as u16;
        // mostly the first child cuts: it is known when all keys are
        self.first = self.first.min(key << 16 | i as u32);
    }

    /// Takes the first child out. To be followed by [`Queue::advance`].
    #[inline(always)]
    pub(super) fn take(&mut self) -> Option<usize> {
        if self.first >= (u16::MAX as u32) << 16 {
            return None;
        }
        let i = self.first as usize % KEYS;
        self.keys[i] = u16::MAX;
        Some(i)
    }

    /// Finds the next one.
    #[inline(always)]
    pub(super) fn advance<I: Entries>(&mut self) {
        let (i, key) = I::least(&self.keys);
        self.first = (key as u32) << 16 | i as u32;
    }
}

/// The place of a child in the queue: few replies first, corners count twice, then squares of quadrants with an odd number of empties.
#[inline(always)]
pub(super) fn key(replies: u64, corners: u64, is_odd: bool) -> u32 {
    let mobility = replies.count_ones() + (replies & corners).count_ones();
    2 * mobility + u32::from(!is_odd)
}

/// A position that a move leads to.
#[derive(Clone, Copy)]
struct Child {
    next: u64,
    other: u64,
    moves: u64,
    hash: u64,
}

/// Null-window search `(alpha, alpha + 1)` at [`LOCAL_MIN`] to [`LOCAL_MAX`] empties;
/// `moves` are the legal moves.
#[inline(always)]
pub(super) fn nws_local<I: Entries>(
    w: &mut Worker,
    player: u64,
    opponent: u64,
    moves: u64,
    alpha: i32,
    parity: u32,
) -> i32 {
    if w.is_over() {
        return alpha;
    }
    w.nodes += 1;
    let empties = w.empties::<I>(player, opponent);
    let count = empties.count_ones();
    if moves == 0 {
        let replies = I::moves(opponent, player) & w.mask::<I>();
        if replies == 0 {
            return w.final_score::<I>(player, opponent);
        }
        return -I::nws_local(w, opponent, player, replies, -alpha - 1, parity);
    }
    let hash = LocalCache::hash(player, opponent);
    if let Some(score) = w.cache.cutoff(count, hash, player, alpha) {
        return score;
    }
    // the move to a child is the only one of these squares that is taken there
    let square = |child: &Child| (child.other & empties).trailing_zeros() as usize & 63;
    let search = |w: &mut Worker, child: &Child| {
        let parity = parity ^ w.quadrant::<I>(square(child));
        if count > LOCAL_MIN {
            -I::nws_local(w, child.next, child.other, child.moves, -alpha - 1, parity)
        } else {
            -I::solve_5(w, child.next, child.other, child.moves, -alpha - 1, parity)
        }
    };
    let probe_children = count > LOCAL_MIN;
    let mut children = ArrayVec::<Child, KEYS>::new();
    let mut turned = 0;
    let mut rest = moves;
    // the cache lines of all children are on their way before the first is looked at
    while rest != 0 {
        let x = rest.trailing_zeros() as usize & 63;
        rest &= rest - 1;
        let flips = I::flips(x, player, opponent);
        turned |= flips;
        let (next, other) = (opponent ^ flips, player ^ flips | 1 << x);
        let mut hash = 0;
        if probe_children {
            hash = LocalCache::hash(next, other);
            w.cache.prefetch(count - 1, hash);
        }
        children.push(Child { next, other, moves: 0, hash });
    }
    if let Some(score) = w.stability_cutoff::<I>(player, opponent, turned, alpha, STABILITY_MIN_ALPHA[count as usize]) {
        return score;
    }
    let corners = w.corners::<I>();
    let odd = w.odd_quadrants::<I>(parity) & empties;
    let mut best = -127;
    // children stay where they are; those that are still to be searched are in the queue
    let mut queue = Queue::new();
    for (i, child) in children.iter_mut().enumerate() {
        if probe_children && let Some(known) = w.cache.cutoff(count - 1, child.hash, child.next, -alpha - 1) {
            if -known > alpha {
                return -known;
            }
            // cannot raise alpha
            best = best.max(-known);
            continue;
        }
        child.moves = I::moves(child.next, child.other) & w.mask::<I>();
        if child.moves == 0 {
            // the opponent must pass: likely the best move, looked at before the others are (idea: Egaroucid)
            best = best.max(search(w, child));
            if best > alpha {
                queue = Queue::new();
                break;
            }
            continue;
        }
        queue.push(i, key(child.moves, corners, child.other & odd != 0));
    }
    while let Some(i) = queue.take() {
        let child = children[i];
        best = best.max(search(w, &child));
        if best > alpha {
            break;
        }
        queue.advance::<I>();
    }
    if w.is_void() {
        return alpha;
    }
    w.cache.store(count, hash, player, best, alpha);
    best
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::kernel::Portable;

    #[test]
    fn tables_lie_one_behind_the_other() {
        let ranges = TABLES.map(|(shift, start)| start..start + (1 << (64 - shift)));
        assert!(TABLES.iter().all(|(shift, _)| 64 - shift >= PLACE_BITS));
        assert_eq!(ranges[0], ranges[5]);
        for n in 5..=LOCAL_MAX as usize {
            assert!(ranges[n].end <= ENTRIES);
            let next = ranges.get(n + 1).filter(|next| **next != ranges[n]);
            assert!(next.is_none_or(|next| next.start == ranges[n].end), "{n}");
        }
        assert_eq!(ranges[LOCAL_MAX as usize].end, ENTRIES);
        let mut rng = StdRng::seed_from_u64(1);
        for _ in 0..10_000 {
            let (player, opponent) = (rng.random(), rng.random());
            for n in 0..=LOCAL_MAX + 1 {
                let index = LocalCache::index(n, LocalCache::hash(player, opponent));
                assert!(ranges[n as usize].contains(&index), "{n}: {index}");
            }
        }
    }

    #[test]
    fn children_come_by_their_keys() {
        let mut rng = StdRng::seed_from_u64(2);
        for _ in 0..2_000 {
            let mut keys: Vec<(u32, usize)> =
                (0..rng.random_range(0..=KEYS)).map(|i| (rng.random_range(0..30), i)).collect();
            let mut queue = Queue::new();
            keys.iter().for_each(|&(key, i)| queue.push(i, key));
            let mut taken = Vec::new();
            while let Some(i) = queue.take() {
                taken.push(i);
                queue.advance::<Portable<false>>();
            }
            // of equal keys the first
            keys.sort_unstable();
            assert_eq!(taken, keys.into_iter().map(|(_, i)| i).collect::<Vec<_>>());
        }
    }

    #[test]
    fn entries_decide_the_windows_beyond_their_bound() {
        let hash = LocalCache::hash(1, 2);
        for (score, alpha) in [(5, 4), (4, 4), (-10, -3), (64, 63), (-64, -64)] {
            let entry = Entry::bound(hash, 1, score, alpha);
            for other in -64..64 {
                let decided = if score > alpha { other < score } else { other >= score };
                let answer = entry.cutoff(hash, 1, other);
                assert_eq!(answer, decided.then_some(score), "{score} at {alpha}, asked at {other}");
            }
        }
        assert!((-64..64).all(|alpha| Entry::EMPTY.cutoff(0, 0, alpha).is_none()));
    }

    #[test]
    fn tables_know_what_was_stored_and_nothing_else() {
        let mut rng = StdRng::seed_from_u64(3);
        let mut cache = LocalCache::new().unwrap();
        // many positions come to each place
        for _ in 0..100_000 {
            let discs: u64 = rng.random::<u64>() | rng.random::<u64>();
            let player = discs & rng.random::<u64>();
            let hash = LocalCache::hash(player, discs & !player);
            let score = 2 * rng.random_range(-32..=32);
            // of the two numbers of empties that share a table one
            for empties in [5, 7, 9, 11] {
                // every bound decides one of these windows
                assert_eq!([-65, 64].map(|alpha| cache.cutoff(empties, hash, player, alpha)), [None; 2]);
                cache.store(empties, hash, player, score, score);
                assert_eq!(cache.cutoff(empties, hash, player, score), Some(score));
                cache.store(empties, hash, player, score, score - 1);
                assert_eq!(cache.cutoff(empties, hash, player, score - 1), Some(score));
            }
        }
    }
}
