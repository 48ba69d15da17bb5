//! What the instruction-set tiers consist of, written once.
//!
//! `v3!` and `v4!` compile the function inside for their tier; [`tier_call`](macro@tier_call) does so with a body that is generic
//! over the tier and calls it, which is how code written once becomes code of every tier.

/// Compiles a function for the x86-64-v3 tier.
#[cfg(target_arch = "x86_64")]
macro_rules! v3 {
    ($($function:tt)*) => {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        $($function)*
    };
}

/// Compiles a function for the x86-64-v4 tier.
#[cfg(target_arch = "x86_64")]
macro_rules! v4 {
    ($($function:tt)*) => {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
        $($function)*
    };
}

/// `tier_call!(v3 => (argument: Type, ...) -> Result, expression)`: the expression as a function of its own that is compiled for
/// the tier, called with the arguments. To be used where the tier is known to be supported (see [`super::Isa`]).
macro_rules! tier_call {
    (portable => ($($argument:ident: $type:ty),*) -> $result:ty, $body:expr) => {
        $body
    };
    ($tier:ident => ($($argument:ident: $type:ty),*) -> $result:ty, $body:expr) => {{
        $crate::kernel::features::$tier! {
            fn tier($($argument: $type),*) -> $result {
                $body
            }
        }
        // SAFETY: code of this tier runs only on machines that support it (see `Isa`).
        unsafe { tier($($argument),*) }
    }};
}

pub(crate) use tier_call;
#[cfg(target_arch = "x86_64")]
pub(crate) use {v3, v4};
