//! The search functions that call each other, compiled once for each kind of set.
//!
//! As in the search of othello the bodies are always inlined into thin functions that carry the tier's `#[target_feature]`, and all
//! recursion goes through those. The tier is a matter of the set: it is chosen where the search is entered. What runs at each node
//! has loops where iterators would do: closures that the standard library calls (`array::from_fn`, `find_map`) are functions of
//! their own, compiled for every machine, and often stay calls.

use super::set::{Set, U256};
use super::state::State;
#[cfg(target_arch = "x86_64")]
use super::v3::V3;
use super::worker::{Node, Worker};
use crate::kernel::features::tier_call;

/// Entry points of the search with sets of one kind.
pub(super) trait Entries: Set {
    fn search(w: &mut Worker<Self>, state: &State<Self>, moves: Self, node: Node, passed: bool) -> i32;
    fn solve_small(w: &mut Worker<Self>, state: &State<Self>, alpha: i32, beta: i32, passed: bool) -> i32;
    fn evaluate(w: &Worker<Self>, state: &State<Self>, moves: Self, empties: u32) -> i32;
}

macro_rules! entries {
    ($set:ty, $tier:ident) => {
        entries! { @all $set, $tier;
            search(w: &mut Worker<$set>, state: &State<$set>, moves: $set, node: Node, passed: bool);
            solve_small(w: &mut Worker<$set>, state: &State<$set>, alpha: i32, beta: i32, passed: bool);
            evaluate(w: &Worker<$set>, state: &State<$set>, moves: $set, empties: u32);
        }
    };
    (@all $set:ty, $tier:ident; $($name:ident($w:ident: $worker:ty, $($argument:ident: $type:ty),*);)*) => {
        impl Entries for $set {
            $(
                #[inline(always)]
                fn $name($w: $worker, $($argument: $type),*) -> i32 {
                    tier_call!($tier => ($w: $worker, $($argument: $type),*) -> i32, $w.$name($($argument),*))
                }
            )*
        }
    };
}

entries!(u64, portable);
entries!(u128, portable);
entries!(U256, portable);
#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;
    entries!(V3<u64>, v3);
    entries!(V3<u128>, v3);
    entries!(V3<U256>, v3);
}
