//! What makes two matches the same match: the first line of its files.

use std::sync::Arc;

use serde_json::{Value, json};

use super::openings::{Opening, OpeningError, checksum, random_openings, select_openings};
use super::runner::Plan;
use super::spec::Checksums;
use crate::rules::RuleSet;
use crate::search::{Goal, Level};

/// Where the openings of a match come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// So many random plies, passes not counted.
    Random(usize),
    /// A list, in an order that the seed gives.
    List(Vec<Opening>),
}

impl OpeningSource {
    /// One opening for each pair of games; with more pairs the first ones are the same.
    ///
    /// # Errors
    /// [`OpeningError::TooLong`] when no game lasts for so many random plies.
    pub fn openings(&self, rules: &Arc<RuleSet>, pairs: usize, seed: u64) -> Result<Vec<Opening>, OpeningError> {
        match self {
            OpeningSource::Random(plies) => random_openings(rules, *plies, pairs, seed),
            OpeningSource::List(list) => Ok(select_openings(list, pairs, seed)),
        }
    }

    fn describe(&self) -> Value {
        match self {
            OpeningSource::Random(plies) => json!({ "random_plies": plies }),
            OpeningSource::List(list) => {
                json!({ "openings": list.len(), "checksum": format!("{:016x}", checksum(list)) })
            }
        }
    }
}

/// The description of a match, which [`Store`](super::Store) writes before its games and compares when it goes on. The number of
/// games, the games at a time and the test may change: they say how long to play, not what.
pub fn describe(plan: &Plan, openings: &OpeningSource, checksums: [Checksums; 2]) -> Value {
    let (level, depth) = match plan.context.goal {
        Some(Goal::Level(level)) => (Some(level), None),
        Some(Goal::Depth(depth, _)) => (None, Some(depth)),
        _ => (None, None),
    };
    let mut description = json!({
        "outflank_match": env!("CARGO_PKG_VERSION"),
        "first": plan.players[0].text,
        "second": plan.players[1].text,
        "rules": plan.referee.start.rules().to_string(),
        "openings": openings.describe(),
        "seed": plan.seed,
        "level": level.map(Level::get),
        "depth": depth,
        "nodes": plan.context.nodes,
        "clock": plan.context.control.to_string(),
        "margin_seconds": plan.referee.grace.as_secs_f64(),
        "timeout_seconds": plan.referee.patience.as_secs_f64(),
    });
    for (sums, which) in checksums.into_iter().zip(["first", "second"]) {
        description[format!("{which}_eval")] = sums.weights.map(|sum| format!("{sum:016x}")).into();
        description[format!("{which}_book")] = sums.book.map(|sum| format!("{sum:08x}")).into();
    }
    description
}
