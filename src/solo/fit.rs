//! Fits the evaluation by playing: each game is played with the weights as they are, then every chip of every position is
//! a sample whose label is whether that chip was won in the end.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use super::chip::Color;
use super::eval::{Judge, Model, Scan};
use super::layout::{CENTRE, Deal, Layout, below};
use super::position::Position;
use super::rollout::Rollout;
use super::view::{Score, Scoring, View};
use crate::board::Squares;

/// First step of the gradient descent, in log odds for an error of one; it falls linearly to a twentieth.
const STEP: f32 = 0.02;
/// Share of random turns in the first game; it falls linearly to none.
const EXPLORATION: f64 = 0.05;
/// One game in so many is played on a random layout, so that the weights mean something there, too.
const RANDOM_LAYOUT_EVERY: u64 = 5;

/// Plays `games` games and fits a model to them; `progress` is called with the index and score of each.
pub fn fit(games: u64, seed: u64, mut progress: impl FnMut(u64, Score)) -> Model {
    let mut model = Model::blank();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for game in 0..games {
        let layout = if game % RANDOM_LAYOUT_EVERY == RANDOM_LAYOUT_EVERY - 1 {
            Layout::random(&mut rng)
        } else {
            Layout::default()
        };
        let left = 1.0 - game as f64 / games as f64;
        let deal = Deal::shuffled(layout, rng.next_u64());
        let mut positions = Vec::new();
        let score = explore(&model, &deal, EXPLORATION * left, &mut rng, &mut positions);
        let lost = positions.last().map_or(0, Position::chips);
        let step = STEP * left.max(0.05) as f32;
        positions.iter().for_each(|position| learn(&mut model, position, lost, step));
        progress(game, score);
    }
    model
}

/// Plays a game, some turns at random; the positions in order, the final one last.
fn explore(
    model: &Model,
    deal: &Deal,
    random: f64,
    rng: &mut Xoshiro256PlusPlus,
    positions: &mut Vec<Position>,
) -> Score {
    let judge = Judge { model, scoring: Scoring::Count };
    let mut game = Rollout::new(&View::start(deal.layout()), deal);
    loop {
        positions.push(game.position);
        if game.position.chips() == 0 {
            return game.score();
        }
        let mv = if below(rng, 1 << 20) as f64 >= random * f64::from(1 << 20) {
            judge.best(&game.position, &game.knowledge()).map(|(mv, _)| mv)
        } else {
            let moves: Vec<_> = game.position.legal_moves().collect();
            (!moves.is_empty()).then(|| moves[below(rng, moves.len())])
        };
        match mv {
            Some(mv) => game.play(mv),
            None => return game.score(),
        }
    }
}

/// One step of logistic regression for each living chip of a position.
fn learn(model: &mut Model, position: &Position, lost: u64, step: f32) {
    let scan = Scan::new(position);
    let sets = [position.face_up(Color::Gold), position.face_up(Color::Black), position.face_down()];
    for (known, set) in sets.into_iter().enumerate() {
        for square in Squares(set) {
            if let Some(features) = scan.features(square.index(), known) {
                let label = if lost & square.bit() == 0 { 1.0 } else { 0.0 };
                let change = step * (label - model.probability(Some(features)));
                features.iter().for_each(|i| model.0[*i] += change);
            }
        }
    }
}

impl Layout {
    /// 24 random squares outside the centre and the corners (a chip in a corner cannot be won).
    pub fn random(rng: &mut Xoshiro256PlusPlus) -> Layout {
        const CORNERS: u64 = 0x8100_0000_0000_0081;
        let mut squares = 0u64;
        while squares.count_ones() < 24 {
            squares |= (1 << below(rng, 64)) & !CENTRE & !CORNERS;
        }
        Layout::new(squares).expect("24 squares outside the centre")
    }
}

impl Model {
    /// The weights as whole numbers of 1/256, as they are kept in the source.
    pub fn quantised(&self) -> Vec<i16> {
        self.0.iter().map(|weight| (weight * super::weights::UNIT).round().clamp(-32_768.0, 32_767.0) as i16).collect()
    }
}
