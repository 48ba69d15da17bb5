//! Multi-ProbCut (Buro 1995/1997): a shallow search predicts a deep one well enough to cut.

use super::entries::Entries;
use super::worker::{Node, Worker};

/// Standard deviation of (deep - shallow) search values, in discs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ErrorModel {
    /// `s = by_empties * empties + by_depth * depth + by_probe * probe depth`, ...
    pub by_empties: f32,
    pub by_depth: f32,
    pub by_probe: f32,
    /// ... `sigma = quadratic * s * s + linear * s + constant`.
    pub quadratic: f32,
    pub linear: f32,
    pub constant: f32,
}

impl ErrorModel {
    /// The model in use.
    pub const DEFAULT: ErrorModel = ErrorModel {
        by_empties: -0.100,
        by_depth: 0.310,
        by_probe: -0.578,
        quadratic: 0.0759,
        linear: 1.165,
        constant: 5.417,
    };

    /// Standard deviation in discs.
    #[inline(always)]
    pub fn sigma(&self, empties: u32, depth: u32, probe: u32) -> f32 {
        let s = self.by_empties * empties as f32 + self.by_depth * depth as f32 + self.by_probe * probe as f32;
        self.quadratic * s * s + self.linear * s + self.constant
    }
}

/// How many standard deviations each selectivity level asks for (73, 87, 95, 98, 99 %; 100 % never cuts).
pub(super) const DEVIATIONS: [f32; 5] = [1.1, 1.5, 2.0, 2.6, 3.3];

/// Least depth at which cutting is tried.
const MIN_DEPTH: u32 = 3;

/// Depth of the search that predicts one of `depth`.
#[inline(always)]
pub(super) fn probe_depth(depth: u32) -> u32 {
    2 * (depth / 4) + (depth & 1)
}

/// The value's bound that a shallow search makes sure enough, if any: a score beyond the window `(alpha, alpha + 1)`.
#[inline(always)]
pub(super) fn probcut<I: Entries>(w: &mut Worker, node: Node, alpha: i32, depth: u32, expect_cut: bool) -> Option<i32> {
    let level = w.selectivity as usize;
    if level >= DEVIATIONS.len() || w.probing || depth < MIN_DEPTH || I::GENERAL {
        return None;
    }
    let beta = alpha + 1;
    let probe = probe_depth(depth);
    let t = DEVIATIONS[level];
    let margin = (t * w.shared.errors.sigma(node.empties, depth, probe)).ceil() as i32;
    // the static value must point the same way before a search is spent on it
    let gate = (t * w.shared.errors.sigma(node.empties, depth, 0) * 0.5) as i32;
    let value = w.evaluate::<I>(node);
    let high = beta + margin;
    let mut result = None;
    w.probing = true;
    if high <= 64 && value >= beta + margin - gate {
        let score = I::nws(w, node, high - 1, probe, expect_cut);
        if score >= high {
            result = Some(beta);
        }
    }
    let low = alpha - margin;
    if result.is_none() && low >= -64 && value <= alpha - margin + gate {
        let score = I::nws(w, node, low, probe, expect_cut);
        if score <= low {
            result = Some(alpha);
        }
    }
    w.probing = false;
    result
}
