//! Six to eleven empty squares: fastest-first ordering and a small table of the thread's own.
//!
//! Down here the shared table costs more than it saves (a cache miss is worth dozens of nodes), so each
//! worker keeps direct-mapped tables that stay in its core's cache; children are looked up in it while
//! they are ordered, which serves as an enhanced transposition cut-off (idea: Egaroucid).

use arrayvec::ArrayVec;

use super::entries::Entries;
use super::worker::{STABILITY_MIN_ALPHA, Worker};
use crate::kernel::KEYS;
use crate::pages::LargeSlice;
use crate::search::TableSizeError;

/// Fewest empties that this search handles; below, ordering does not pay.
pub(super) const LOCAL_MIN: u32 = 6;
/// Most empties that it handles; above, the shared table and ordering by value take over.
pub(super) const LOCAL_MAX: u32 = 11;

/// Entries for six empty squares and more: 2^14 x 24 bytes stay in the core's second-level cache ...
const BITS: u32 = 14;
/// ... beside those for five, 2^12.
const FIVE_BITS: u32 = 12;

/// One proved position.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Entry {
    player: u64,
    opponent: u64,
    lower: i8,
    upper: i8,
    best: u8,
}

impl Entry {
    /// No position: a board without discs, which is never searched.
    const EMPTY: Entry = Entry { player: 0, opponent: 0, lower: 0, upper: 0, best: 0 };

    /// What is known about the value of a position without its best move.
    #[inline(always)]
    pub(super) fn bound(player: u64, opponent: u64, lower: i32, upper: i32) -> Entry {
        Entry { player, opponent, lower: lower as i8, upper: upper as i8, best: 64 }
    }

    /// The entry, if it is about this position.
    #[inline(always)]
    pub(super) fn known(&self, player: u64, opponent: u64) -> Option<&Entry> {
        (self.player == player && self.opponent == opponent).then_some(self)
    }

    /// The bound that decides the window `(alpha, alpha + 1)`, if one does.
    #[inline(always)]
    pub(super) fn cutoff(&self, alpha: i32) -> Option<i32> {
        let (lower, upper) = (self.lower as i32, self.upper as i32);
        if lower > alpha {
            return Some(lower);
        }
        (upper <= alpha).then_some(upper)
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
        let entries = unsafe { LargeSlice::zeroed((1 << BITS) + (1 << FIVE_BITS)) }.ok_or(TableSizeError(1))?;
        Ok(LocalCache { entries })
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entries.fill(Entry::EMPTY);
    }

    #[inline(always)]
    fn hash(player: u64, opponent: u64) -> u64 {
        let hash =
            player.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ opponent.wrapping_mul(0xC2B2_AE3D_27D4_EB4F).rotate_left(32);
        hash.wrapping_mul(0xD6E8_FEB8_6659_FD93)
    }

    /// Where a position of [`LOCAL_MIN`] to [`LOCAL_MAX`] empties has its entry.
    #[inline(always)]
    fn index(player: u64, opponent: u64) -> usize {
        (LocalCache::hash(player, opponent) >> (64 - BITS)) as usize
    }

    /// Where a position of five empties has its entry.
    #[inline(always)]
    pub(super) fn index_of_five(player: u64, opponent: u64) -> usize {
        (1 << BITS) + (LocalCache::hash(player, opponent) >> (64 - FIVE_BITS)) as usize
    }

    #[inline(always)]
    fn prefetch(&self, index: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: prefetching has no effect but on caches.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self.at(index)).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = index;
    }

    /// The entry at an index of one of the two functions above.
    #[inline(always)]
    pub(super) fn at(&self, index: usize) -> &Entry {
        debug_assert!(index < self.entries.len());
        // SAFETY: an index keeps the top bits of a hash, and there are as many entries, those for five after the others.
        unsafe { self.entries.get_unchecked(index) }
    }

    /// Replaces the entry at such an index.
    #[inline(always)]
    pub(super) fn store(&mut self, index: usize, entry: Entry) {
        debug_assert!(index < self.entries.len());
        // SAFETY: as above.
        *unsafe { self.entries.get_unchecked_mut(index) } = entry;
    }
}

/// A move with the position it leads to.
#[derive(Clone, Copy)]
struct Child {
    next: u64,
    other: u64,
    moves: u64,
    index: u32,
    square: u8,
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
    let count = w.empties::<I>(player, opponent).count_ones();
    if moves == 0 {
        let replies = I::moves(opponent, player) & w.mask::<I>();
        if replies == 0 {
            return w.final_score::<I>(player, opponent);
        }
        return -I::nws_local(w, opponent, player, replies, -alpha - 1, parity);
    }
    if let Some(score) = w.stability_cutoff::<I>(player, opponent, alpha, STABILITY_MIN_ALPHA[count as usize]) {
        return score;
    }
    let index = LocalCache::index(player, opponent);
    let (mut hash_move, mut lower, mut upper) = (64, -64, 64);
    if let Some(entry) = w.cache.at(index).known(player, opponent) {
        if let Some(score) = entry.cutoff(alpha) {
            return score;
        }
        (hash_move, lower, upper) = (entry.best, entry.lower as i32, entry.upper as i32);
    }
    let search = |w: &mut Worker, child: &Child| {
        let parity = parity ^ w.quadrant::<I>(child.square as usize);
        if count > LOCAL_MIN {
            -I::nws_local(w, child.next, child.other, child.moves, -alpha - 1, parity)
        } else {
            -I::solve_5(w, child.next, child.other, child.moves, -alpha - 1, parity)
        }
    };
    let corners = w.corners::<I>();
    let probe_children = count > LOCAL_MIN;
    let odd = w.odd_quadrants::<I>(parity);
    let mut children = ArrayVec::<Child, KEYS>::new();
    let mut best = -127;
    let mut best_move = 64u8;
    let mut rest = moves;
    // the cache lines of all children are on their way before the first is looked at
    while rest != 0 {
        let x = rest.trailing_zeros() as usize & 63;
        rest &= rest - 1;
        let flips = I::flips(x, player, opponent);
        let (next, other) = (opponent ^ flips, player ^ flips | 1 << x);
        let mut index = 0;
        if probe_children {
            index = LocalCache::index(next, other);
            w.cache.prefetch(index);
        }
        children.push(Child { next, other, moves: 0, index: index as u32, square: x as u8 });
    }
    // children stay where they are; those that are still to be searched have a key
    let mut keys = [u16::MAX; KEYS];
    let mut first = u32::MAX;
    for (i, child) in children.iter_mut().enumerate() {
        if probe_children && let Some(known) = w.cache.at(child.index as usize).known(child.next, child.other) {
            if -(known.upper as i32) > alpha {
                return -(known.upper as i32);
            }
            if -(known.lower as i32) <= alpha {
                // cannot raise alpha
                if -(known.lower as i32) > best {
                    best = -(known.lower as i32);
                    best_move = child.square;
                }
                continue;
            }
        }
        let replies = I::moves(child.next, child.other) & w.mask::<I>();
        child.moves = replies;
        if replies == 0 {
            // the opponent must pass: likely the best move, looked at before the others are (idea: Egaroucid)
            let score = search(w, child);
            if score > best {
                best = score;
                best_move = child.square;
                if score > alpha {
                    first = u32::MAX;
                    break;
                }
            }
            continue;
        }
        let mobility = replies.count_ones() + (replies & corners).count_ones();
        let even = (odd >> child.square & 1 ^ 1) as u32;
        let key = if child.square == hash_move { 0 } else { 2 + 2 * mobility + even };
        keys[i % KEYS] = key as u16;
        // mostly the first move cuts: it is known when all keys are
        first = first.min(key << 16 | i as u32);
    }
    while first < (u16::MAX as u32) << 16 {
        let i = first as usize % KEYS;
        keys[i] = u16::MAX;
        let child = children[i];
        let score = search(w, &child);
        best_move = if score > best { child.square } else { best_move };
        best = best.max(score);
        if score > alpha {
            break;
        }
        let (i, key) = I::least(&keys);
        first = (key as u32) << 16 | i as u32;
    }
    if w.is_void() {
        return alpha;
    }
    if best > alpha {
        lower = lower.max(best);
    } else {
        upper = upper.min(best);
    }
    w.cache.store(index, Entry { best: best_move, ..Entry::bound(player, opponent, lower, upper) });
    best
}
