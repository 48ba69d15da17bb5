//! Five to a few more empty squares: no hashing, no mobility, squares in order of parity.

use super::entries::Entries;
use super::worker::{STABILITY_MIN_ALPHA, Worker};
use crate::isa::tables::NEIGHBOURS;

/// Most empties that this search handles; above, ordering by mobility pays.
pub(super) const SHALLOW_MAX: u32 = 6;

/// Null-window search `(alpha, alpha + 1)` at 5 to [`SHALLOW_MAX`] empties.
#[inline(always)]
pub(super) fn nws_shallow<I: Entries>(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32) -> i32 {
    w.nodes += 1;
    let empties = w.empties::<I>(player, opponent);
    let count = empties.count_ones();
    if let Some(score) = w.stability_cutoff::<I>(player, opponent, alpha, STABILITY_MIN_ALPHA[count as usize]) {
        return score;
    }
    let odd = w.odd_quadrants::<I>(parity);
    let corners = w.corners::<I>();
    let mut best = -127;
    for group in [odd & corners, odd & !corners, !odd & corners, !odd & !corners] {
        let mut squares = empties & group;
        while squares != 0 {
            let x = squares.trailing_zeros() as usize & 63;
            squares &= squares - 1;
            if NEIGHBOURS[x] & opponent == 0 {
                continue;
            }
            let flips = I::flips(x, player, opponent);
            if flips == 0 {
                continue;
            }
            let (next, other) = (opponent ^ flips, player ^ flips | 1 << x);
            let parity = parity ^ w.quadrant::<I>(x);
            let score = if count == 5 {
                -I::solve_4(w, next, other, -alpha - 1, parity)
            } else {
                -I::nws_shallow(w, next, other, -alpha - 1, parity)
            };
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
    }
    if best != -127 {
        return best;
    }
    if I::moves(opponent, player) & empties != 0 {
        return -I::nws_shallow(w, opponent, player, -alpha - 1, parity);
    }
    w.final_score::<I>(player, opponent)
}
