//! Reference players: the best move by a simple rule, at random among equals.

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::player::{Allowance, Choice, Failure, FailureKind, GameSetup, Player, PlayerError};
use super::spec::SimpleStyle;
use crate::game::Game;
use crate::rules::{Move, Objective, Position};

impl SimpleStyle {
    /// What the player goes for: the larger, the better.
    fn value(self, position: &Position, mv: Move) -> i32 {
        match self {
            SimpleStyle::Random => 0,
            SimpleStyle::Greedy => match position.rules().objective() {
                Objective::Most => position.flips(mv).count() as i32,
                Objective::Fewest => -(position.flips(mv).count() as i32),
            },
            SimpleStyle::Mobility => position.play(mv).map_or(i32::MIN, |next| {
                // no answer is better than any number of answers
                if next.can_place(next.side_to_move()) { -(next.legal_moves().len() as i32) } else { 1 }
            }),
        }
    }
}

/// A reference player: the best move by a simple rule, at random among equals.
pub(super) struct SimplePlayer {
    name: String,
    style: SimpleStyle,
    rng: StdRng,
}

impl SimplePlayer {
    pub(super) fn new(name: String, style: SimpleStyle) -> SimplePlayer {
        SimplePlayer { name, style, rng: StdRng::seed_from_u64(0) }
    }
}

impl Player for SimplePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn start_game(&mut self, setup: &GameSetup<'_>) -> Result<(), PlayerError> {
        self.rng = StdRng::seed_from_u64(setup.seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game, _allowance: &Allowance) -> Result<Choice, PlayerError> {
        let position = game.position();
        let valued: Vec<(i32, Move)> =
            position.legal_moves().into_iter().map(|mv| (self.style.value(position, mv), mv)).collect();
        let best = valued.iter().map(|&(value, _)| value).max();
        let moves: Vec<Move> = valued.iter().filter(|&&(value, _)| Some(value) == best).map(|&(_, mv)| mv).collect();
        match moves.choose(&mut self.rng) {
            Some(&mv) => Ok(mv.into()),
            None => Err(Failure::new(FailureKind::Protocol, "no legal move").into()),
        }
    }

    fn observe(&mut self, _before: &Position, _mv: Move, _own: bool) -> Result<(), PlayerError> {
        Ok(())
    }
}
