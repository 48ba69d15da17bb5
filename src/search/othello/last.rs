//! The last five empty squares: hand-written solvers. Five are ordered like more and have a table, fewer only by parity.
//!
//! All return exact fail-soft null-window values for the window `(alpha, alpha + 1)`. Lists of squares are packed, a byte each
//! from the lowest on, so that they travel in a register.

use super::entries::Entries;
use super::local::{LocalCache, Queue, key};
use super::worker::{STABILITY_MIN_ALPHA, Worker, could_bound};
use crate::kernel::tables::NEIGHBOURS;

/// Lower than any score.
const NONE: i32 = -127;

/// The `i`-th of a packed list of squares.
#[inline(always)]
fn square(xs: u32, i: u32) -> usize {
    (xs >> (8 * i) & 63) as usize
}

/// A packed list.
#[inline(always)]
fn pack<const N: usize>(xs: [usize; N]) -> u32 {
    let mut packed = 0;
    let mut i = 0;
    while i < N {
        packed |= (xs[i] as u32) << (8 * i);
        i += 1;
    }
    packed
}

/// Discs that `player` turns on `x`. Where flips are dear, squares that touch no opponent disc are dismissed first;
/// where they are cheap, a branch that is hard to predict costs more.
#[inline(always)]
fn flips<I: Entries>(x: usize, player: u64, opponent: u64) -> u64 {
    if !I::EAGER && NEIGHBOURS[x & 63] & opponent == 0 { 0 } else { I::flips(x, player, opponent) }
}

/// Score for the side to move when `x` is the only empty square.
#[inline(always)]
pub(super) fn solve_1<I: Entries>(w: &mut Worker, player: u64, opponent: u64, x: usize) -> i32 {
    w.nodes += 1;
    last_score::<I>(w, player, opponent, x)
}

/// [`solve_1`] without counting the node.
#[inline(always)]
fn last_score<I: Entries>(w: &Worker, player: u64, opponent: u64, x: usize) -> i32 {
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
    let (own, other) = I::last_flips_both(x, player);
    // the score if the last square stays with the opponent
    let base = 2 * player.count_ones() as i32 - 64;
    // nobody can move there: it goes to the winner
    let nobody = if base >= 0 { base + 2 } else { base };
    let passed = if other > 0 { base - 2 * other as i32 } else { nobody };
    if own > 0 { base + 2 + 2 * own as i32 } else { passed }
}

/// Two empty squares.
#[inline(always)]
pub(super) fn solve_2<I: Entries>(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32) -> i32 {
    w.nodes += 1;
    let (x1, x2) = (square(xs, 0), square(xs, 1));
    let best = best_of_two::<I>(w, player, opponent, alpha, x1, x2);
    if best != NONE {
        return best;
    }
    let best = best_of_two::<I>(w, opponent, player, -alpha - 1, x1, x2);
    if best != NONE { -best } else { w.final_score::<I>(player, opponent) }
}

/// The better of two last moves but one, [`NONE`] when neither is legal.
#[inline(always)]
fn best_of_two<I: Entries>(w: &mut Worker, player: u64, opponent: u64, alpha: i32, x1: usize, x2: usize) -> i32 {
    let flips1 = flips::<I>(x1, player, opponent);
    if I::EAGER && !I::GENERAL {
        // no branch but on the result: both moves cost less than one wrong prediction
        let flips2 = I::flips(x2, player, opponent);
        let score1 = -last_score::<I>(w, opponent ^ flips1, player, x2);
        let score2 = -last_score::<I>(w, opponent ^ flips2, player, x1);
        let score1 = if flips1 != 0 { score1 } else { NONE };
        let score2 = if flips2 != 0 { score2 } else { NONE };
        let second = (flips2 != 0) & (score1 <= alpha);
        w.nodes += (flips1 != 0) as u64 + second as u64;
        return if second { score1.max(score2) } else { score1 };
    }
    let mut best = NONE;
    if flips1 != 0 {
        best = -solve_1::<I>(w, opponent ^ flips1, player ^ flips1 | 1 << x1, x2);
        if best > alpha {
            return best;
        }
    }
    let flips2 = flips::<I>(x2, player, opponent);
    if flips2 != 0 {
        best = best.max(-solve_1::<I>(w, opponent ^ flips2, player ^ flips2 | 1 << x2, x1));
    }
    best
}

/// Three empty squares, tried in the given order.
#[inline(always)]
pub(super) fn solve_3<I: Entries>(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32) -> i32 {
    w.nodes += 1;
    let [x1, x2, x3] = [square(xs, 0), square(xs, 1), square(xs, 2)];
    let orders = [(x1, xs >> 8), (x2, pack([x1, x3])), (x3, pack([x1, x2]))];
    let ahead = all_flips::<I, 3>(player, opponent, &orders);
    best_of::<I, 3>(w, player, opponent, alpha, orders, ahead, I::solve_2)
}

/// Four empty squares. A quadrant with a single empty square comes first: whoever plays there keeps parity.
#[inline(always)]
pub(super) fn solve_4<I: Entries>(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32) -> i32 {
    w.nodes += 1;
    let empties = w.empties::<I>(player, opponent);
    let [x1, x2, x3, x4] = by_parity::<I>(w, empties, parity);
    let orders =
        [(x1, pack([x2, x3, x4])), (x2, pack([x1, x3, x4])), (x3, pack([x4, x1, x2])), (x4, pack([x3, x1, x2]))];
    // where flips are dear they are not computed for a stability test that cannot cut
    let asked = !I::GENERAL && could_bound(opponent, alpha, STABILITY_MIN_ALPHA[4]);
    let mut ahead = None;
    if I::EAGER || asked {
        let [a, b, c, d] = flips_of_all::<I, 4>(player, opponent, &orders);
        if !I::GENERAL
            && let Some(score) = w.stability_cutoff::<I>(player, opponent, a | b | c | d, alpha, STABILITY_MIN_ALPHA[4])
        {
            return score;
        }
        ahead = Some([a, b, c, d]);
    }
    best_of::<I, 4>(w, player, opponent, alpha, orders, ahead, I::solve_3)
}

/// Five empty squares, of which `moves` are legal moves: ordered as in the local search, each move's discs turned before any is searched.
#[inline(always)]
pub(super) fn solve_5<I: Entries>(
    w: &mut Worker,
    player: u64,
    opponent: u64,
    moves: u64,
    alpha: i32,
    parity: u32,
) -> i32 {
    w.nodes += 1;
    if moves == 0 {
        let replies = I::moves(opponent, player) & w.mask::<I>();
        if replies == 0 {
            return w.final_score::<I>(player, opponent);
        }
        return -I::solve_5(w, opponent, player, replies, -alpha - 1, parity);
    }
    let hash = LocalCache::hash(player, opponent);
    if let Some(score) = w.cache.cutoff(5, hash, player, alpha) {
        return score;
    }
    // there are at most five; places for eight make every index one of them without a check
    let mut boards = [(0, 0); 8];
    let mut squares = [0u8; 8];
    let (mut count, mut turned) = (0, 0);
    let mut rest = moves;
    while rest != 0 {
        let x = rest.trailing_zeros() as usize & 63;
        rest &= rest - 1;
        let flips = I::flips(x, player, opponent);
        turned |= flips;
        boards[count % 8] = (opponent ^ flips, player ^ flips | 1 << x);
        squares[count % 8] = x as u8;
        count += 1;
    }
    if let Some(score) = w.stability_cutoff::<I>(player, opponent, turned, alpha, STABILITY_MIN_ALPHA[5]) {
        return score;
    }
    // nothing to order
    if count == 1 {
        let (next, other) = boards[0];
        let score = -I::solve_4(w, next, other, -alpha - 1, parity ^ w.quadrant::<I>(squares[0] as usize));
        w.cache.store(5, hash, player, score, alpha);
        return score;
    }
    let odd = w.odd_quadrants::<I>(parity);
    let corners = w.corners::<I>();
    let mut queue = Queue::new();
    for i in 0..count {
        let (next, other) = boards[i % 8];
        let replies = I::moves(next, other) & w.mask::<I>();
        queue.push(i, key(replies, corners, odd >> squares[i % 8] & 1 != 0));
    }
    let mut best = NONE;
    while let Some(i) = queue.take() {
        let (next, other) = boards[i % 8];
        let parity = parity ^ w.quadrant::<I>(squares[i % 8] as usize);
        best = best.max(-I::solve_4(w, next, other, -alpha - 1, parity));
        if best > alpha {
            break;
        }
        queue.advance::<I>();
    }
    w.cache.store(5, hash, player, best, alpha);
    best
}

/// Four squares, those alone in their quadrant first and those of one quadrant side by side.
#[inline(always)]
fn by_parity<I: Entries>(w: &Worker, empties: u64, parity: u32) -> [usize; 4] {
    let odd = empties & w.odd_quadrants::<I>(parity);
    // no odd quadrant: no order helps
    let mut first = if odd == 0 { empties } else { odd };
    if odd == empties && parity.count_ones() == 2 {
        // one square and three
        let quadrant = w.odd_quadrants::<I>(parity & parity.wrapping_neg());
        let some = empties & quadrant;
        let alone = if some.count_ones() == 1 { some } else { empties & !quadrant };
        let [x2, x3, x4] = lowest::<3>(empties ^ alone);
        return [alone.trailing_zeros() as usize & 63, x2, x3, x4];
    }
    let x1 = first.trailing_zeros() as usize & 63;
    first &= first.wrapping_sub(1);
    let x2 = first.trailing_zeros() as usize & 63;
    let [x3, x4] = lowest::<2>(empties & !(1 << x1 | 1 << x2));
    [x1, x2, x3, x4]
}

/// The `N` lowest squares of a set.
#[inline(always)]
fn lowest<const N: usize>(mut set: u64) -> [usize; N] {
    let mut squares = [0; N];
    for square in &mut squares {
        *square = set.trailing_zeros() as usize & 63;
        set &= set.wrapping_sub(1);
    }
    squares
}

/// Tries the squares in order; each comes with the packed others, which `solve` takes over. `ahead` is what each turns, where that is
/// known already.
#[inline(always)]
fn best_of<I: Entries, const N: usize>(
    w: &mut Worker,
    player: u64,
    opponent: u64,
    alpha: i32,
    orders: [(usize, u32); N],
    ahead: Option<[u64; N]>,
    solve: impl Fn(&mut Worker, u64, u64, i32, u32) -> i32,
) -> i32 {
    let mut best = NONE;
    for (i, (x, others)) in orders.into_iter().enumerate() {
        let flips = match ahead {
            Some(ahead) => ahead[i],
            None => flips::<I>(x, player, opponent),
        };
        if flips != 0 {
            let score = -solve(w, opponent ^ flips, player ^ flips | 1 << x, -alpha - 1, others);
            if score > alpha {
                return score;
            }
            best = best.max(score);
        }
    }
    if best != NONE {
        return best;
    }
    // pass: the opponent looks for its own maximum
    let mut worst = -NONE;
    let ahead = all_flips::<I, N>(opponent, player, &orders);
    for (i, (x, others)) in orders.into_iter().enumerate() {
        let flips = match ahead {
            Some(ahead) => ahead[i],
            None => flips::<I>(x, opponent, player),
        };
        if flips != 0 {
            let score = solve(w, player ^ flips, opponent ^ flips | 1 << x, alpha, others);
            if score <= alpha {
                return score;
            }
            worst = worst.min(score);
        }
    }
    if worst != -NONE { worst } else { w.final_score::<I>(player, opponent) }
}

/// All flips before any is needed, where that is cheap: they are computed side by side.
#[inline(always)]
fn all_flips<I: Entries, const N: usize>(player: u64, opponent: u64, orders: &[(usize, u32); N]) -> Option<[u64; N]> {
    if I::EAGER { Some(flips_of_all::<I, N>(player, opponent, orders)) } else { None }
}

/// What each of the moves turns. A plain loop: closures would stay calls in functions with target features.
#[inline(always)]
fn flips_of_all<I: Entries, const N: usize>(player: u64, opponent: u64, orders: &[(usize, u32); N]) -> [u64; N] {
    let mut all = [0; N];
    let mut i = 0;
    while i < N {
        all[i] = flips::<I>(orders[i].0, player, opponent);
        i += 1;
    }
    all
}
