//! Six to eleven empty squares: fastest-first ordering and a small table of the thread's own.
//!
//! Down here the shared table costs more than it saves (a cache miss is worth dozens of nodes), so each
//! worker keeps a direct-mapped table that stays in its core's cache; children are looked up in it while
//! they are ordered, which serves as an enhanced transposition cut-off (idea: Egaroucid).

use arrayvec::ArrayVec;

use super::children::MAX_MOVES;
use super::entries::Entries;
use super::worker::{STABILITY_MIN_ALPHA, Worker};
use crate::pages::LargeSlice;
use crate::search::TableSizeError;

/// Fewest empties that this search handles; below, ordering does not pay.
pub(super) const LOCAL_MIN: u32 = 6;
/// Most empties that it handles; above, the shared table and ordering by value take over.
pub(super) const LOCAL_MAX: u32 = 11;

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

/// A direct-mapped table of bounds proved without selectivity.
pub(super) struct LocalCache {
    entries: LargeSlice<Entry>,
    shift: u32,
}

impl std::fmt::Debug for LocalCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "LocalCache({} entries)", self.entries.len())
    }
}

impl LocalCache {
    /// A table of `2^bits` entries of 24 bytes. An empty entry is all zero: a board without discs, which is never searched.
    ///
    /// # Errors
    /// When there is not that much memory.
    pub(super) fn new(bits: u32) -> Result<LocalCache, TableSizeError> {
        // SAFETY: an entry consists of integers.
        let entries = unsafe { LargeSlice::zeroed(1 << bits) }.ok_or(TableSizeError(1))?;
        Ok(LocalCache { entries, shift: 64 - bits })
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entries.fill(Entry { player: 0, opponent: 0, lower: 0, upper: 0, best: 0 });
    }

    #[inline(always)]
    fn index(&self, player: u64, opponent: u64) -> usize {
        let hash =
            player.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ opponent.wrapping_mul(0xC2B2_AE3D_27D4_EB4F).rotate_left(32);
        (hash.wrapping_mul(0xD6E8_FEB8_6659_FD93) >> self.shift) as usize
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

    #[inline(always)]
    fn at(&self, index: usize) -> &Entry {
        debug_assert!(index < self.entries.len());
        // SAFETY: `index` keeps the top `bits` bits of a 64-bit number, and there are `2^bits` entries.
        unsafe { self.entries.get_unchecked(index) }
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
    let index = w.cache.index(player, opponent);
    let entry = w.cache.at(index);
    let (mut hash_move, mut lower, mut upper) = (64, -64, 64);
    if entry.player == player && entry.opponent == opponent {
        lower = entry.lower as i32;
        upper = entry.upper as i32;
        if lower > alpha {
            return lower;
        }
        if upper <= alpha {
            return upper;
        }
        hash_move = entry.best;
    }
    let corners = w.corners::<I>();
    let probe_children = count > LOCAL_MIN;
    let odd = w.odd_quadrants::<I>(parity);
    let mut children = ArrayVec::<Child, MAX_MOVES>::new();
    let mut best = -127;
    let mut best_move = 64u8;
    let mut rest = moves;
    // the cache lines of all children are on their way before the first is looked at
    while rest != 0 {
        let x = rest.trailing_zeros() as usize & 63;
        rest &= rest - 1;
        let flips = I::flips(x, player, opponent);
        let (next, other) = (opponent ^ flips, player ^ flips | 1 << x);
        if !I::GENERAL && next == 0 {
            return 64;
        }
        let mut index = 0;
        if probe_children {
            index = w.cache.index(next, other);
            w.cache.prefetch(index);
        }
        children.push(Child { next, other, moves: 0, index: index as u32, square: x as u8 });
    }
    // children stay where they are: what is sorted is their keys, each with its child's place in the low byte
    let mut keys = ArrayVec::<u32, MAX_MOVES>::new();
    for (i, child) in children.iter_mut().enumerate() {
        if probe_children {
            let known = w.cache.at(child.index as usize);
            if known.player == child.next && known.opponent == child.other {
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
        }
        let replies = I::moves(child.next, child.other) & w.mask::<I>();
        child.moves = replies;
        let mobility = replies.count_ones() + (replies & corners).count_ones();
        let even = (odd >> child.square & 1 ^ 1) as u32;
        let key = if child.square == hash_move { 0 } else { 2 + 2 * mobility + even };
        keys.push(key << 8 | i as u32);
    }
    for i in 0..keys.len() {
        // selection sort, one step at a time: mostly the first move cuts
        let mut first = keys[i];
        let mut place = i;
        for j in i + 1..keys.len() {
            let key = keys[j];
            place = if key < first { j } else { place };
            first = first.min(key);
        }
        keys[place] = keys[i];
        let child = children[(first & 0xFF) as usize];
        let parity = parity ^ w.quadrant::<I>(child.square as usize);
        let score = if count > LOCAL_MIN {
            -I::nws_local(w, child.next, child.other, child.moves, -alpha - 1, parity)
        } else {
            -I::solve_5(w, child.next, child.other, -alpha - 1, parity)
        };
        if score > best {
            best = score;
            best_move = child.square;
            if score > alpha {
                break;
            }
        }
    }
    if w.is_void() {
        return alpha;
    }
    if best > alpha {
        lower = lower.max(best);
    } else {
        upper = upper.min(best);
    }
    // SAFETY: as in `LocalCache::at`.
    *unsafe { w.cache.entries.get_unchecked_mut(index) } =
        Entry { player, opponent, lower: lower as i8, upper: upper as i8, best: best_move };
    best
}
