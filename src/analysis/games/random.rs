//! Random positions after which neither side is far ahead.

use std::sync::Arc;

use hashbrown::HashSet;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use crate::analysis::symmetry::canonical;
use crate::engine::Engine;
use crate::game::Game;
use crate::rules::{Move, Position, RuleSet};
use crate::search::{Goal, Limits, Report, SearchError, Selectivity, StopToken};

/// Plies of the search that leaves out hopeless positions, and discs that it may be wrong.
const GLANCE: u8 = 2;
const DOUBT: u32 = 8;
/// Games tried before giving up.
const TRIES: u32 = 20_000;

/// Why there is no position.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RandomError {
    /// The engine cannot search.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// So many games in a row led to none.
    #[error("none of {TRIES} random games comes to a new position with {0} empty squares that is so even")]
    TooRare(u32),
}

/// Makes positions, each only once in whichever orientation; the same ones for a seed.
#[derive(Debug)]
pub struct Balanced {
    rules: Arc<RuleSet>,
    empties: u32,
    margin: u32,
    limits: Limits,
    rng: StdRng,
    seen: HashSet<Position>,
}

impl Balanced {
    /// Positions with so many empty squares in which a search within these limits finds nobody more than `margin` discs ahead.
    pub fn new(rules: Arc<RuleSet>, empties: u32, margin: u32, limits: Limits, seed: u64) -> Balanced {
        Balanced { rules, empties, margin, limits, rng: StdRng::seed_from_u64(seed), seen: HashSet::new() }
    }

    /// The next game that ends in such a position, and what the search found there; `None` when the token is set.
    ///
    /// # Errors
    /// [`RandomError`].
    pub fn next(&mut self, engine: &mut Engine, stop: &StopToken) -> Result<Option<(Game, Report)>, RandomError> {
        let glance = Limits::new(Goal::Depth(GLANCE, Selectivity::NONE));
        for _ in 0..TRIES {
            if stop.is_stopped() {
                return Ok(None);
            }
            let Some(game) = self.random_game() else { continue };
            let position = game.position();
            if self.seen.contains(&canonical(position)) {
                continue;
            }
            let seen = engine.search(position, &glance, stop, &mut |_| {})?;
            if seen.score.unsigned_abs() > self.margin.saturating_add(DOUBT) {
                continue;
            }
            let judged = engine.search(position, &self.limits, stop, &mut |_| {})?;
            if judged.score.unsigned_abs() <= self.margin && !(judged.stopped && stop.is_stopped()) {
                self.seen.insert(canonical(position));
                return Ok(Some((game, judged)));
            }
        }
        Err(RandomError::TooRare(self.empties))
    }

    /// Random moves down to the number of empty squares, with a move to make at the end; `None` when the game ends before.
    fn random_game(&mut self) -> Option<Game> {
        let mut game = Game::new(self.rules.clone());
        while game.position().empty_count() > self.empties || game.position().placements_left() > 0 {
            let mv = *game.position().legal_moves().choose(&mut self.rng)?;
            game.play(mv).ok()?;
        }
        if game.position().must_pass() {
            game.play(Move::Pass).ok()?;
        }
        let fits = game.position().empty_count() == self.empties && !game.position().is_game_over();
        fits.then_some(game)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;

    #[test]
    fn positions_are_even_new_and_repeat_for_a_seed() {
        let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        let mut make = |rules: &str, empties, margin, seed, count: usize| {
            let limits = Limits::new(Goal::Depth(4, Selectivity::NONE));
            let rules: Arc<RuleSet> = Arc::new(rules.parse().unwrap());
            let mut balanced = Balanced::new(rules, empties, margin, limits, seed);
            let mut next = || balanced.next(&mut engine, &StopToken::new());
            (0..count).map(|_| next().map(|made| made.unwrap())).collect::<Result<Vec<_>, _>>()
        };
        for (rules, empties) in [("othello", 40), ("othello", 12), ("traveller", 20)] {
            let made = make(rules, empties, 3, 5, 6).unwrap();
            let fits = |(game, report): &(Game, Report)| {
                game.position().empty_count() == empties && report.score.abs() <= 3 && !report.is_exact()
            };
            assert!(made.iter().all(fits));
            let distinct: HashSet<Position> = made.iter().map(|(game, _)| canonical(game.position())).collect();
            assert_eq!(distinct.len(), 6);
            let again = make(rules, empties, 3, 5, 6).unwrap();
            assert!(made.iter().zip(&again).all(|(one, other)| one.0 == other.0), "{rules} {empties}");
        }
        // anybody may be ahead by anything
        let mut any = |margin| make("othello", 20, margin, 7, 4).unwrap().into_iter().map(|(game, _)| game);
        assert!(any(u32::MAX).eq(any(64)));
        // there is one position after the first move
        for (rules, empties) in [("othello", 59), ("othello:6x6", 31)] {
            let error = make(rules, empties, 64, 1, 2).unwrap_err().to_string();
            assert!(error.starts_with("none of 20000 random games"), "{rules}: {error}");
        }
    }
}
