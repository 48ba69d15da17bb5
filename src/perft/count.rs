//! Counting move sequences on bitboards, compiled for each tier: the loop of perft.

use crate::board::{Board, Squares};
use crate::kernel::{Isa, Portable, Tier};
#[cfg(target_arch = "x86_64")]
use crate::kernel::{V3, V4, features::v3 as for_v3, features::v4 as for_v4};

/// The move sequences of `depth` plies from a board whose squares are `mask`. A pass counts as a move and a game that ends early as
/// one sequence. The last ply is played if `PLAYED` is set, else its moves are counted.
///
/// # Panics
/// When this machine does not support the tier.
pub(super) fn sequences<const PLAYED: bool>(tier: Tier, board: Board, mask: u64, depth: u32) -> u64 {
    assert!(tier.is_supported(), "{tier} is not supported");
    match tier {
        Tier::Portable => portable::<PLAYED>(board, mask, depth),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the tier is supported.
        Tier::V3 => unsafe { v3::<PLAYED>(board, mask, depth) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Tier::V4 => unsafe { v4::<PLAYED>(board, mask, depth) },
        #[cfg(target_arch = "aarch64")]
        Tier::Neon => neon::<PLAYED>(board, mask, depth),
        _ => unreachable!("not supported"),
    }
}

fn portable<const PLAYED: bool>(board: Board, mask: u64, depth: u32) -> u64 {
    count::<Portable<false>, PLAYED>(board, mask, depth, portable::<PLAYED>)
}

#[cfg(target_arch = "x86_64")]
for_v3! {
    fn v3<const PLAYED: bool>(board: Board, mask: u64, depth: u32) -> u64 {
        count::<V3<false>, PLAYED>(board, mask, depth, |board, mask, depth| v3::<PLAYED>(board, mask, depth))
    }
}

#[cfg(target_arch = "x86_64")]
for_v4! {
    fn v4<const PLAYED: bool>(board: Board, mask: u64, depth: u32) -> u64 {
        count::<V4<false>, PLAYED>(board, mask, depth, |board, mask, depth| v4::<PLAYED>(board, mask, depth))
    }
}

#[cfg(target_arch = "aarch64")]
fn neon<const PLAYED: bool>(board: Board, mask: u64, depth: u32) -> u64 {
    count::<crate::kernel::Neon<false>, PLAYED>(board, mask, depth, neon::<PLAYED>)
}

/// One node; `below` counts what comes after a move.
#[inline(always)]
fn count<I: Isa, const PLAYED: bool>(
    board: Board,
    mask: u64,
    depth: u32,
    below: impl Fn(Board, u64, u32) -> u64,
) -> u64 {
    if depth == 0 {
        // the position must be computed even though nobody looks at it
        std::hint::black_box(board);
        return 1;
    }
    let moves = I::moves(board.player, board.opponent) & mask;
    if moves == 0 {
        let over = I::moves(board.opponent, board.player) & mask == 0;
        return if over { 1 } else { below(board.pass(), mask, depth - 1) };
    }
    if depth == 1 && !PLAYED {
        return u64::from(moves.count_ones());
    }
    Squares(moves)
        .map(|square| {
            let next = board.after(square, I::flips(square.index(), board.player, board.opponent));
            if PLAYED && depth == 1 {
                std::hint::black_box(next);
                return 1;
            }
            below(next, mask, depth - 1)
        })
        .sum()
}
