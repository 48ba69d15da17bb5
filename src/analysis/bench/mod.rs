//! Fixed searches that measure speed and notice every change of the search.
//!
//! Each position is searched with an empty table. The signature is made of the nodes, scores and moves of all of them: with
//! one thread it stays the same as long as the search does the same, on every machine and instruction-set tier.

mod positions;

use std::time::Duration;

pub use positions::{Case, cases};

use crate::checksum::{FNV_BASIS, fnv1a};
use crate::engine::{Engine, Options};
use crate::kernel::Tier;
use crate::rules::Move;
use crate::search::{Report, SearchError, StopToken};
use crate::time::Instant;

/// Table size in MiB with which signatures are compared: they depend on it.
pub const HASH_MIB: usize = 16;

/// The sums over all positions.
#[derive(Clone, Debug, PartialEq)]
pub struct Totals {
    /// Positions searched: fewer than there are when the bench was stopped.
    pub positions: usize,
    /// All positions were searched: the signature is that of the search.
    pub is_complete: bool,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time spent searching.
    pub time: Duration,
    /// The engine's options.
    pub options: Options,
    /// The engine's instruction-set tier.
    pub tier: Tier,
    /// Eight hexadecimal digits; see [`Signature`].
    pub signature: String,
}

/// Searches positions one after the other; `on_searched` hears of each result. A set token ends it after the positions done.
///
/// # Errors
/// When the engine's table does not fit the machine: nothing has been searched then.
pub fn run<'a>(
    engine: &mut Engine,
    cases: &'a [Case],
    stop: &StopToken,
    on_searched: &mut dyn FnMut(&'a Case, &Report),
) -> Result<Totals, SearchError> {
    // the table is made before the first clock starts
    engine.allocate()?;
    let (mut positions, mut nodes, mut time) = (0, 0, Duration::ZERO);
    let mut signature = Signature::default();
    for case in cases {
        engine.clear();
        let start = Instant::now();
        let report = engine.search(&case.position, &case.limits, stop, &mut |_| {})?;
        if stop.is_stopped() {
            break;
        }
        time += start.elapsed();
        nodes += report.nodes;
        positions += 1;
        signature.add(&report);
        on_searched(case, &report);
    }
    let (options, tier) = (engine.options().clone(), engine.tier());
    let is_complete = positions == cases.len();
    Ok(Totals { positions, is_complete, nodes, time, options, tier, signature: signature.text() })
}

/// FNV-1a over the nodes, score and best move of every position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(u64);

impl Default for Signature {
    fn default() -> Signature {
        Signature(FNV_BASIS)
    }
}

impl Signature {
    /// Takes in the result of a position.
    pub fn add(&mut self, report: &Report) {
        let best = report.best().map_or(Move::Pass, |line| line.mv);
        let numbers = report.nodes.to_le_bytes().into_iter().chain(report.score.to_le_bytes());
        self.0 = fnv1a(self.0, numbers.chain(best.to_string().into_bytes()));
    }

    /// Eight hexadecimal digits.
    pub fn text(&self) -> String {
        format!("{:08x}", (self.0 >> 32) ^ (self.0 & 0xFFFF_FFFF))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::rules::RuleSet;
    use crate::search::{Goal, Limits, Selectivity};

    #[test]
    fn every_position_is_playable() {
        for rules in ["othello", "othello:6x6", "traveller", "othello:10x10"] {
            let cases = cases(&Arc::new(rules.parse::<RuleSet>().unwrap()));
            assert!(cases.len() >= 8);
            assert!(cases.iter().all(|case| !case.position.is_game_over()), "{rules}");
        }
    }

    #[test]
    fn the_signature_depends_on_nodes_and_scores() {
        let case = &cases(&Arc::new(RuleSet::othello()))[0];
        let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
        let limits = Limits::new(Goal::Depth(3, Selectivity::NONE));
        let report = engine.search(&case.position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
        let sign = |report: &Report| {
            let mut signature = Signature::default();
            signature.add(report);
            signature.text()
        };
        let more_nodes = Report { nodes: report.nodes + 1, ..report.clone() };
        let other_score = Report { score: report.score + 1, ..report.clone() };
        assert_eq!(sign(&report), sign(&report.clone()));
        assert_ne!(sign(&report), sign(&more_nodes));
        assert_ne!(sign(&report), sign(&other_score));
    }

    #[test]
    fn a_stopped_bench_tells_how_far_it_came() {
        let cases = cases(&Arc::new("othello:6x6".parse().unwrap()));
        let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
        let stop = StopToken::new();
        let mut searched = 0;
        let totals = run(&mut engine, &cases, &stop, &mut |_, _| {
            searched += 1;
            if searched == 2 {
                stop.stop();
            }
        });
        assert_eq!((searched, totals.unwrap().positions), (2, 2));
    }
}
