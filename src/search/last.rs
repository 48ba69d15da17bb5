//! The last four empty squares: hand-written solvers without hashing or ordering beyond parity.
//!
//! All return exact fail-soft null-window values for the window `(alpha, alpha + 1)`.

use super::entries::Entries;
use super::worker::Worker;
use crate::isa::tables::NEIGHBOURS;

/// Lower than any score.
const NONE: i32 = -127;

/// Score for the side to move when `x` is the only empty square.
#[inline(always)]
pub(super) fn solve_1<I: Entries>(w: &mut Worker, player: u64, opponent: u64, x: usize) -> i32 {
    w.nodes += 1;
    if I::GENERAL {
        let (discs, others) = (player.count_ones() as i32, opponent.count_ones() as i32);
        let flips = I::last_flips(x, player) as i32;
        if flips > 0 {
            return w.shared.rules.score(discs + 1 + flips, others - flips, 0);
        }
        let flips = I::last_flips(x, opponent) as i32;
        if flips > 0 {
            return w.shared.rules.score(discs - flips, others + 1 + flips, 0);
        }
        return w.shared.rules.score(discs, others, 1);
    }
    // the score if the last square stays with the opponent
    let base = 2 * player.count_ones() as i32 - 64;
    let flips = I::last_flips(x, player) as i32;
    if flips > 0 {
        return base + 2 + 2 * flips;
    }
    let flips = I::last_flips(x, opponent) as i32;
    if flips > 0 {
        return base - 2 * flips;
    }
    // the empty square goes to the winner
    if base >= 0 { base + 2 } else { base }
}

/// Two empty squares.
#[inline(always)]
pub(super) fn solve_2<I: Entries>(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: [usize; 2]) -> i32 {
    w.nodes += 1;
    let [x1, x2] = xs;
    let orders = [(x1, [x2]), (x2, [x1])];
    best_of::<I, 1, 2>(w, player, opponent, alpha, orders, |w, player, opponent, _, [last]| {
        solve_1::<I>(w, player, opponent, last)
    })
}

/// Three empty squares, tried in the given order.
#[inline(always)]
pub(super) fn solve_3<I: Entries>(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: [usize; 3]) -> i32 {
    w.nodes += 1;
    let [x1, x2, x3] = xs;
    let orders = [(x1, [x2, x3]), (x2, [x1, x3]), (x3, [x1, x2])];
    best_of::<I, 2, 3>(w, player, opponent, alpha, orders, I::solve_2)
}

/// Four empty squares. A quadrant with a single empty square comes first: whoever plays there keeps parity.
#[inline(always)]
pub(super) fn solve_4<I: Entries>(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32) -> i32 {
    w.nodes += 1;
    let mut rest = w.empties::<I>(player, opponent);
    let mut xs = [0usize; 4];
    for x in &mut xs {
        *x = rest.trailing_zeros() as usize & 63;
        rest &= rest.wrapping_sub(1);
    }
    // with two odd quadrants the split is 1+1+2 or 1+3; otherwise (2+2, 4, 1+1+1+1) no order helps
    if parity != 0 && parity != 15 {
        order_by_quadrant::<I>(w, &mut xs);
    }
    let [x1, x2, x3, x4] = xs;
    let orders = [(x1, [x2, x3, x4]), (x2, [x1, x3, x4]), (x3, [x4, x1, x2]), (x4, [x3, x1, x2])];
    best_of::<I, 3, 4>(w, player, opponent, alpha, orders, I::solve_3)
}

/// Tries the squares in order; each comes with the `K` others, which `solve` takes over.
#[inline(always)]
fn best_of<I: Entries, const K: usize, const N: usize>(
    w: &mut Worker,
    player: u64,
    opponent: u64,
    alpha: i32,
    orders: [(usize, [usize; K]); N],
    solve: impl Fn(&mut Worker, u64, u64, i32, [usize; K]) -> i32,
) -> i32 {
    let mut best = NONE;
    for (x, others) in orders {
        if NEIGHBOURS[x & 63] & opponent != 0 {
            let flips = I::flips(x, player, opponent);
            if flips != 0 {
                let score = -solve(w, opponent ^ flips, player ^ flips | 1 << x, -alpha - 1, others);
                if score > alpha {
                    return score;
                }
                best = best.max(score);
            }
        }
    }
    if best != NONE {
        return best;
    }
    // pass: the opponent looks for its own maximum
    let mut worst = -NONE;
    for (x, others) in orders {
        if NEIGHBOURS[x & 63] & player != 0 {
            let flips = I::flips(x, opponent, player);
            if flips != 0 {
                let score = solve(w, player ^ flips, opponent ^ flips | 1 << x, alpha, others);
                if score <= alpha {
                    return score;
                }
                worst = worst.min(score);
            }
        }
    }
    if worst != -NONE { worst } else { w.final_score::<I>(player, opponent) }
}

/// Squares alone in their quadrant first; squares of one quadrant side by side.
#[inline(always)]
fn order_by_quadrant<I: Entries>(w: &Worker, xs: &mut [usize; 4]) {
    let quadrants = xs.map(|x| w.quadrant::<I>(x));
    let mut ordered = [0; 4];
    let mut front = 0;
    let mut back = 3;
    for i in 0..4 {
        let alone = (0..4).all(|j| j == i || quadrants[j] != quadrants[i]);
        if alone {
            ordered[front] = xs[i];
            front += 1;
        }
    }
    for i in (0..4).rev() {
        let alone = (0..4).all(|j| j == i || quadrants[j] != quadrants[i]);
        if !alone {
            ordered[back] = xs[i];
            back = back.wrapping_sub(1);
        }
    }
    *xs = ordered;
}
