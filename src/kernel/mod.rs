//! Kernels for each instruction set, and the choice between them.
//!
//! The search is generic over an instruction-set type (`Isa`), so that each tier gets a copy of the whole search with its
//! kernels inlined; [`Tier::detect`] picks the tier once, when an engine is made.

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod features;
#[cfg(target_arch = "x86_64")]
mod last;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod portable;
pub(crate) mod sums;
pub(crate) mod tables;

use std::fmt;
use std::str::FromStr;

/// An instruction-set tier that the hot code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Plain integer code, any machine.
    Portable,
    /// AVX2, BMI1, BMI2, LZCNT, POPCNT.
    V3,
    /// AVX-512 F, BW, CD, DQ and VL on top of V3.
    V4,
    /// Any 64-bit ARM machine.
    Neon,
}

/// Environment variable that forces a tier: `portable`, `x86-64-v3`, `x86-64-v4` or `neon`.
pub const TIER_VARIABLE: &str = "OUTFLANK_TIER";

impl Tier {
    /// The tiers of this kind of machine, slowest first.
    #[cfg(not(target_arch = "aarch64"))]
    pub const ALL: [Tier; 3] = [Tier::Portable, Tier::V3, Tier::V4];
    /// The tiers of this kind of machine, slowest first.
    #[cfg(target_arch = "aarch64")]
    pub const ALL: [Tier; 2] = [Tier::Portable, Tier::Neon];

    /// This machine can run the tier.
    pub fn is_supported(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let v3 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            match self {
                Tier::Portable => true,
                Tier::V3 => v3,
                Tier::V4 => {
                    v3 && is_x86_feature_detected!("avx512f")
                        && is_x86_feature_detected!("avx512bw")
                        && is_x86_feature_detected!("avx512cd")
                        && is_x86_feature_detected!("avx512dq")
                        && is_x86_feature_detected!("avx512vl")
                }
                Tier::Neon => false,
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Tier::Portable || self == Tier::Neon && cfg!(target_arch = "aarch64")
        }
    }

    /// The best tier of this machine.
    pub fn best() -> Tier {
        Tier::ALL.into_iter().rev().find(|tier| tier.is_supported()).unwrap_or(Tier::Portable)
    }

    /// The tier that [`TIER_VARIABLE`] asks for, if it is set.
    ///
    /// # Errors
    /// When it names no tier, or one that this machine does not support.
    pub fn requested() -> Result<Option<Tier>, RequestedTierError> {
        let Some(name) = std::env::var_os(TIER_VARIABLE) else { return Ok(None) };
        match name.to_string_lossy().parse::<Tier>()? {
            tier if tier.is_supported() => Ok(Some(tier)),
            tier => Err(RequestedTierError::Unsupported(tier)),
        }
    }

    /// The tier that [`TIER_VARIABLE`] names when this machine supports it, else the best one.
    pub fn detect() -> Tier {
        match Tier::requested() {
            Ok(requested) => requested.unwrap_or_else(Tier::best),
            Err(error) => {
                log::warn!("{error}");
                Tier::best()
            }
        }
    }
}

/// `portable`, `x86-64-v3`, `x86-64-v4`, `neon`.
impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tier::Portable => "portable",
            Tier::V3 => "x86-64-v3",
            Tier::V4 => "x86-64-v4",
            Tier::Neon => "neon",
        })
    }
}

/// The tier that [`TIER_VARIABLE`] asks for is not to be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestedTierError {
    /// It names no tier.
    #[error("{TIER_VARIABLE}: {0}")]
    Unknown(#[from] ParseTierError),
    /// This machine cannot run it.
    #[error("{TIER_VARIABLE}: this machine does not support {0}")]
    Unsupported(Tier),
}

/// The text names no tier.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not one of portable, x86-64-v3, x86-64-v4, neon")]
pub struct ParseTierError(String);

impl FromStr for Tier {
    type Err = ParseTierError;

    fn from_str(text: &str) -> Result<Tier, ParseTierError> {
        match text.to_ascii_lowercase().as_str() {
            "portable" => Ok(Tier::Portable),
            "x86-64-v3" | "v3" | "avx2" => Ok(Tier::V3),
            "x86-64-v4" | "v4" | "avx512" => Ok(Tier::V4),
            "neon" | "aarch64" => Ok(Tier::Neon),
            _ => Err(ParseTierError(text.to_string())),
        }
    }
}

/// How many keys [`portable::least`] looks at: more than a position has moves in which the local search orders them.
pub(crate) const KEYS: usize = 16;

/// The kernels of one tier, as a type parameter of the search.
///
/// A tier replaces those methods that it has better kernels for. All are always inlined forwarders: inside a function compiled
/// for the tier they cost no call.
///
/// # Safety
/// Code instantiated for a tier may only run where [`Tier::is_supported`] says so; whoever enters the generic
/// search vouches for that.
pub(crate) unsafe trait Isa: Copy + Send + Sync + 'static {
    /// Boards with walls or other scoring than othello's: everything that takes 8x8 for granted is off.
    const GENERAL: bool;
    /// Flips are so cheap that computing one in vain costs less than a wrongly predicted branch.
    const EAGER: bool;
    /// See [`portable::moves`].
    #[inline(always)]
    fn moves(player: u64, opponent: u64) -> u64 {
        portable::moves(player, opponent)
    }
    /// See [`portable::flips`].
    #[inline(always)]
    fn flips(square: usize, player: u64, opponent: u64) -> u64 {
        portable::flips(square, player, opponent)
    }
    /// See [`portable::last_flips`].
    #[inline(always)]
    fn last_flips(square: usize, player: u64) -> u32 {
        portable::last_flips(square, player)
    }
    /// See [`portable::last_flips_both`].
    #[inline(always)]
    fn last_flips_both(square: usize, player: u64) -> (u32, u32) {
        portable::last_flips_both(square, player)
    }
    /// See [`portable::least`].
    #[inline(always)]
    fn least(keys: &[u16; KEYS]) -> (usize, u16) {
        portable::least(keys)
    }
}

/// The portable tier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable<const GENERAL: bool>;

// SAFETY: runs anywhere.
unsafe impl<const G: bool> Isa for Portable<G> {
    const GENERAL: bool = G;
    const EAGER: bool = false;
}

/// The x86-64-v3 tier.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct V3<const GENERAL: bool>;

// SAFETY: instantiated only behind `Tier::V3.is_supported()`.
#[cfg(target_arch = "x86_64")]
unsafe impl<const G: bool> Isa for V3<G> {
    const GENERAL: bool = G;
    const EAGER: bool = true;
    #[inline(always)]
    fn moves(player: u64, opponent: u64) -> u64 {
        // SAFETY: the tier is supported, see the trait.
        unsafe { avx2::moves(player, opponent) }
    }
    #[inline(always)]
    fn flips(square: usize, player: u64, opponent: u64) -> u64 {
        // SAFETY: as above.
        unsafe { avx2::flips(square, player, opponent) }
    }
    #[inline(always)]
    fn last_flips(square: usize, player: u64) -> u32 {
        // SAFETY: as above.
        unsafe { avx2::last_flips(square, player) }
    }
    #[inline(always)]
    fn last_flips_both(square: usize, player: u64) -> (u32, u32) {
        // SAFETY: as above.
        unsafe { avx2::last_flips_both(square, player) }
    }
    #[inline(always)]
    fn least(keys: &[u16; KEYS]) -> (usize, u16) {
        // SAFETY: as above.
        unsafe { avx2::least(keys) }
    }
}

/// The x86-64-v4 tier.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct V4<const GENERAL: bool>;

// SAFETY: instantiated only behind `Tier::V4.is_supported()`.
#[cfg(target_arch = "x86_64")]
unsafe impl<const G: bool> Isa for V4<G> {
    const GENERAL: bool = G;
    const EAGER: bool = true;
    #[inline(always)]
    fn moves(player: u64, opponent: u64) -> u64 {
        // SAFETY: the tier is supported, see the trait.
        unsafe { avx2::moves(player, opponent) }
    }
    #[inline(always)]
    fn flips(square: usize, player: u64, opponent: u64) -> u64 {
        // SAFETY: as above.
        unsafe { avx512::flips(square, player, opponent) }
    }
    #[inline(always)]
    fn last_flips(square: usize, player: u64) -> u32 {
        // SAFETY: as above.
        unsafe { avx2::last_flips(square, player) }
    }
    #[inline(always)]
    fn last_flips_both(square: usize, player: u64) -> (u32, u32) {
        // SAFETY: as above.
        unsafe { avx2::last_flips_both(square, player) }
    }
    #[inline(always)]
    fn least(keys: &[u16; KEYS]) -> (usize, u16) {
        // SAFETY: as above.
        unsafe { avx2::least(keys) }
    }
}

/// The tier of 64-bit ARM machines.
#[cfg(target_arch = "aarch64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon<const GENERAL: bool>;

// SAFETY: NEON is part of every 64-bit ARM machine.
#[cfg(target_arch = "aarch64")]
unsafe impl<const G: bool> Isa for Neon<G> {
    const GENERAL: bool = G;
    const EAGER: bool = true;
    #[inline(always)]
    fn moves(player: u64, opponent: u64) -> u64 {
        neon::moves(player, opponent)
    }
    #[inline(always)]
    fn flips(square: usize, player: u64, opponent: u64) -> u64 {
        neon::flips(square, player, opponent)
    }
    #[inline(always)]
    fn least(keys: &[u16; KEYS]) -> (usize, u16) {
        neon::least(keys)
    }
}

#[cfg(test)]
pub(crate) mod tests;
