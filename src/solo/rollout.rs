//! Playing a sampled deal to its end with the evaluation's one-turn choice, as fast as possible.
//!
//! The deal's hidden chips decide what is turned up, but the player that is simulated does not see them: it knows the
//! position and which chips are unseen, like the real one. So an average over deals is an honest estimate of what this way
//! of playing achieves, without the optimism of methods that plan with the sampled chips in sight.

use super::chip::{Chip, Color};
use super::eval::{Judge, Knowledge, numbers_by_square};
use super::layout::Deal;
use super::position::{Move, Position};
use super::view::{Score, View};
use crate::board::Squares;

/// A position of a game on a fully known deal, seen by a player who does not know it.
#[derive(Clone)]
pub(super) struct Rollout {
    pub position: Position,
    gold: u64,
    numbers: [u8; 64],
    layout: u64,
    won: f32,
    unseen: [f32; 4],
}

impl Rollout {
    /// Continues from a view with a deal consistent with it.
    pub fn new(view: &View, deal: &Deal) -> Rollout {
        let numbers = numbers_by_square(deal.layout().squares().zip(deal.chips().iter().copied()));
        let unseen = view.unseen();
        let count = |keep: fn(&Chip) -> bool| unseen.iter().filter(|chip| keep(chip)).count() as f32;
        Rollout {
            position: *view.position(),
            gold: deal.gold(),
            numbers,
            layout: deal.layout().bits(),
            won: Squares(view.won()).map(|square| f32::from(numbers[square.index()])).sum(),
            unseen: [
                count(|_| true),
                count(|chip| chip.color() == Color::Gold),
                count(|chip| chip.number() == 0),
                unseen.iter().map(|chip| f32::from(chip.number())).sum(),
            ],
        }
    }

    /// What the simulated player knows.
    pub fn knowledge(&self) -> Knowledge<'_> {
        Knowledge { numbers: &self.numbers, won: self.won, unseen: self.unseen }
    }

    /// Plays a legal turn.
    pub fn play(&mut self, mv: Move) {
        let effect = self.position.effect_unchecked(mv);
        for square in Squares(effect.won) {
            self.won += f32::from(self.numbers[square.index()]);
        }
        for square in Squares(effect.turned) {
            let number = self.numbers[square.index()];
            self.unseen[0] -= 1.0;
            self.unseen[1] -= if self.gold & square.bit() != 0 { 1.0 } else { 0.0 };
            self.unseen[2] -= if number == 0 { 1.0 } else { 0.0 };
            self.unseen[3] -= f32::from(number);
        }
        self.position = self.position.after(mv, effect);
        self.position.turn_up(effect.turned, self.gold);
    }

    /// Plays on to the end; returns the number of turns played.
    pub fn finish(&mut self, judge: &Judge) -> u64 {
        let mut turns = 0;
        while self.position.chips() != 0 {
            let Some((mv, _)) = judge.best(&self.position, &self.knowledge()) else { break };
            self.play(mv);
            turns += 1;
        }
        turns
    }

    /// The score so far.
    pub fn score(&self) -> Score {
        let won = self.layout & !self.position.chips();
        Score::of(Squares(won).map(|square| {
            let color = if self.gold & square.bit() != 0 { Color::Gold } else { Color::Black };
            Chip::new(color, self.numbers[square.index()]).expect("numbers of chips")
        }))
    }
}
