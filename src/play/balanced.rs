//! Random openings after which neither side is ahead, as the XOT lists of Othello players have them, for any rules.

use std::sync::Arc;

use crate::engine::Engine;
use crate::formats::openings::{Opening, OpeningError, random_openings};
use crate::game::Game;
use crate::rules::RuleSet;
use crate::search::{Goal, Limits, SearchError, Selectivity, StopToken};

/// Plies of such an opening after any placement phase: as many as XOT's, less on small boards.
const PLIES: usize = 8;
/// Openings tried before the most balanced one is taken.
const TRIES: u64 = 60;
/// Discs that one side may be ahead.
const BALANCED: i32 = 1;
/// Plies of the search that judges an opening, and nodes at most.
const DEPTH: u8 = 8;
const NODES: u64 = 50_000;

/// Why there is no opening.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BalancedError {
    /// Games of these rules are too short.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The engine cannot search.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// A random opening whose position a short search values at most one disc from even, with that value for the side to move; or the
/// nearest to even of sixty. The same for a seed.
///
/// # Errors
/// [`BalancedError`] when no games of these rules are long enough, or the engine's options make no sense.
pub fn balanced_opening(
    engine: &mut Engine,
    rules: &Arc<RuleSet>,
    seed: u64,
    stop: &StopToken,
) -> Result<(Opening, i32), BalancedError> {
    let start = Game::new(rules.clone());
    let placements = usize::from(start.position().placements_left());
    let plies = placements + PLIES.min(start.position().empty_count() as usize / 4);
    let limits = Limits { nodes: Some(NODES), ..Limits::new(Goal::Depth(DEPTH, Selectivity::NONE)) };
    let mut best: Option<(Opening, i32)> = None;
    for opening in random_openings(rules, plies, TRIES as usize, seed)? {
        let mut game = start.clone();
        opening.iter().for_each(|&mv| game.play(mv).expect("openings are legal"));
        let score = engine.search(game.position(), &limits, stop, &mut |_| {})?.score;
        if best.as_ref().is_none_or(|(_, other)| score.abs() < other.abs()) {
            best = Some((opening, score));
        }
        if score.abs() <= BALANCED || stop.is_stopped() {
            break;
        }
    }
    Ok(best.expect("sixty openings"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;

    #[test]
    fn openings_are_balanced_and_repeat_for_a_seed() {
        for rules in ["othello", "traveller", "octagon", "othello:5x5,one", "othello:4x4"] {
            let rules: Arc<RuleSet> = Arc::new(rules.parse().unwrap());
            let find = |seed| {
                let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
                balanced_opening(&mut engine, &rules, seed, &StopToken::new()).unwrap()
            };
            let (opening, score) = find(1);
            assert_eq!(find(1), (opening.clone(), score), "{rules}");
            // 4x4 has few games, and none of its openings need be even
            assert!(score.abs() <= 2 || rules.rows() == 4, "{rules}: {score}");
            let mut game = Game::new(rules.clone());
            opening.iter().for_each(|&mv| game.play(mv).unwrap());
            assert!(!game.position().is_game_over());
        }
        let othello = Arc::new(RuleSet::othello());
        let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        let mut find = |seed| balanced_opening(&mut engine, &othello, seed, &StopToken::new()).unwrap().0;
        assert_ne!(find(1), find(2));
    }
}
