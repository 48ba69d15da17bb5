//! What the selective cuts of both searches have in common (multi-ProbCut, Buro 1995/1997).

/// How many standard deviations each selectivity asks for (73, 87, 95, 98, 99 %; 100 % never cuts), where nothing else is known.
pub(crate) const DEVIATIONS: [f32; 5] = [1.1, 1.5, 2.0, 2.6, 3.3];

/// Probes within one another before the end of the game: a probe may be cut by a shallower one, which may not. Without that the probe
/// of a deep search is a search at full width that takes most of its nodes (`src/eval/weights/MODEL.md`).
pub(super) const PROBES: u8 = 2;

/// Depth of the search that predicts one of `depth` that ends before the game does: half as deep, and of the same parity.
#[inline(always)]
pub(crate) fn probe_depth(depth: u32) -> u32 {
    2 * (depth / 4) + (depth & 1)
}
