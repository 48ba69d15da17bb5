//! The search functions that call each other, compiled once for each instruction-set tier.
//!
//! The bodies are generic over [`Entries`] and always inlined into thin functions that carry the tier's
//! `#[target_feature]`; all recursion goes through those, so that every kernel is inlined where it is used and
//! the tier is chosen exactly once, where the search is entered.

use super::worker::{Node, Worker};
use super::{last, local, nws, pvs};
use crate::kernel::{Isa, Portable};

/// Entry points of the search for one tier.
pub(crate) trait Entries: Isa {
    fn solve_2(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32) -> i32;
    fn solve_3(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32) -> i32;
    fn solve_4(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32) -> i32;
    fn solve_5(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32) -> i32;
    fn nws_local(w: &mut Worker, player: u64, opponent: u64, moves: u64, alpha: i32, parity: u32) -> i32;
    fn leaf(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32) -> i32;
    fn nws(w: &mut Worker, node: Node, alpha: i32, depth: u32, expect_cut: bool) -> i32;
    fn pvs(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32) -> i32;
}

macro_rules! entries {
    ($tier:ty $(, $features:literal)?) => {
        impl Entries for $tier {
            #[inline(always)]
            fn solve_2(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32) -> i32 {
                $(#[target_feature(enable = $features)])?
                fn tier(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32) -> i32 {
                    last::solve_2::<$tier>(w, player, opponent, alpha, xs)
                }
                entries!(@call $($features)? => tier(w, player, opponent, alpha, xs))
            }
            #[inline(always)]
            fn solve_3(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32) -> i32 {
                $(#[target_feature(enable = $features)])?
                fn tier(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32) -> i32 {
                    last::solve_3::<$tier>(w, player, opponent, alpha, xs)
                }
                entries!(@call $($features)? => tier(w, player, opponent, alpha, xs))
            }
            #[inline(always)]
            fn solve_4(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32) -> i32 {
                $(#[target_feature(enable = $features)])?
                fn tier(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32) -> i32 {
                    last::solve_4::<$tier>(w, player, opponent, alpha, parity)
                }
                entries!(@call $($features)? => tier(w, player, opponent, alpha, parity))
            }
            #[inline(always)]
            fn solve_5(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32) -> i32 {
                $(#[target_feature(enable = $features)])?
                fn tier(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32) -> i32 {
                    last::solve_5::<$tier>(w, player, opponent, alpha, parity)
                }
                entries!(@call $($features)? => tier(w, player, opponent, alpha, parity))
            }
            #[inline(always)]
            fn nws_local(w: &mut Worker, player: u64, opponent: u64, moves: u64, alpha: i32, parity: u32) -> i32 {
                $(#[target_feature(enable = $features)])?
                fn tier(w: &mut Worker, player: u64, opponent: u64, moves: u64, alpha: i32, parity: u32) -> i32 {
                    local::nws_local::<$tier>(w, player, opponent, moves, alpha, parity)
                }
                entries!(@call $($features)? => tier(w, player, opponent, moves, alpha, parity))
            }
            #[inline(always)]
            fn leaf(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32) -> i32 {
                $(#[target_feature(enable = $features)])?
                fn tier(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32) -> i32 {
                    nws::leaf::<$tier>(w, node, alpha, beta, depth)
                }
                entries!(@call $($features)? => tier(w, node, alpha, beta, depth))
            }
            #[inline(always)]
            fn nws(w: &mut Worker, node: Node, alpha: i32, depth: u32, expect_cut: bool) -> i32 {
                $(#[target_feature(enable = $features)])?
                fn tier(w: &mut Worker, node: Node, alpha: i32, depth: u32, expect_cut: bool) -> i32 {
                    nws::nws::<$tier>(w, node, alpha, depth, expect_cut)
                }
                entries!(@call $($features)? => tier(w, node, alpha, depth, expect_cut))
            }
            #[inline(always)]
            fn pvs(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32) -> i32 {
                $(#[target_feature(enable = $features)])?
                fn tier(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32) -> i32 {
                    pvs::pvs::<$tier>(w, node, alpha, beta, depth)
                }
                entries!(@call $($features)? => tier(w, node, alpha, beta, depth))
            }
        }
    };
    (@call $features:literal => $($call:tt)*) => {{
        // SAFETY: code of this tier runs only on machines that support it (see `Isa`).
        unsafe { $($call)* }
    }};
    (@call => $($call:tt)*) => {
        $($call)*
    };
}

entries!(Portable<false>);
entries!(Portable<true>);
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use crate::kernel::{V3, V4};
    entries!(V3<false>, "avx2,bmi1,bmi2,lzcnt,popcnt");
    entries!(V3<true>, "avx2,bmi1,bmi2,lzcnt,popcnt");
    entries!(V4<false>, "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl");
    entries!(V4<true>, "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl");
}
