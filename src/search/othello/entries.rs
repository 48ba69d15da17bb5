//! The search functions that call each other, compiled once for each instruction-set tier.
//!
//! The bodies are generic over [`Entries`] and always inlined into thin functions that carry the tier's
//! `#[target_feature]`; all recursion goes through those, so that every kernel is inlined where it is used and
//! the tier is chosen exactly once, where the search is entered.

use super::worker::{Node, Worker};
use super::{last, local, nws, pvs};
use crate::kernel::features::tier_call;
use crate::kernel::{Isa, Portable};

/// Entry points of the search for one tier.
pub(crate) trait Entries: Isa {
    fn solve_2(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32) -> i32;
    fn solve_3(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32) -> i32;
    fn solve_4(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32) -> i32;
    fn solve_5(w: &mut Worker, player: u64, opponent: u64, moves: u64, alpha: i32, parity: u32) -> i32;
    fn nws_local(w: &mut Worker, player: u64, opponent: u64, moves: u64, alpha: i32, parity: u32) -> i32;
    fn leaf(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32) -> i32;
    fn nws(w: &mut Worker, node: Node, alpha: i32, depth: u32, expect_cut: bool) -> i32;
    fn pvs(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32) -> i32;
}

macro_rules! entries {
    ($isa:ty, $tier:ident) => {
        entries! { @all $isa, $tier;
            solve_2 => last::solve_2(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32);
            solve_3 => last::solve_3(w: &mut Worker, player: u64, opponent: u64, alpha: i32, xs: u32);
            solve_4 => last::solve_4(w: &mut Worker, player: u64, opponent: u64, alpha: i32, parity: u32);
            solve_5 => last::solve_5(
                w: &mut Worker, player: u64, opponent: u64, moves: u64, alpha: i32, parity: u32
            );
            nws_local => local::nws_local(
                w: &mut Worker, player: u64, opponent: u64, moves: u64, alpha: i32, parity: u32
            );
            leaf => nws::leaf(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32);
            nws => nws::nws(w: &mut Worker, node: Node, alpha: i32, depth: u32, expect_cut: bool);
            pvs => pvs::pvs(w: &mut Worker, node: Node, alpha: i32, beta: i32, depth: u32);
        }
    };
    (@all $isa:ty, $tier:ident; $($name:ident => $room:ident::$body:ident($($argument:ident: $type:ty),*);)*) => {
        impl Entries for $isa {
            $(
                #[inline(always)]
                fn $name($($argument: $type),*) -> i32 {
                    tier_call!($tier => ($($argument: $type),*) -> i32, $room::$body::<$isa>($($argument),*))
                }
            )*
        }
    };
}

entries!(Portable<false>, portable);
entries!(Portable<true>, portable);
#[cfg(target_arch = "aarch64")]
mod arm {
    use super::*;
    use crate::kernel::Neon;
    // NEON is among the features that everything is compiled with
    entries!(Neon<false>, portable);
    entries!(Neon<true>, portable);
}
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    use crate::kernel::{V3, V4};
    entries!(V3<false>, v3);
    entries!(V3<true>, v3);
    entries!(V4<false>, v4);
    entries!(V4<true>, v4);
}
