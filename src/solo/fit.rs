//! Fits the evaluation by playing: each game is played with the weights as they are, then every chip of every position is
//! a sample whose label is whether that chip was won in the end.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use super::chip::Color;
use super::eval::{Judge, Model, Scan};
use super::layout::{Deal, Layout, below};
use super::position::Position;
use super::rollout::Rollout;
use super::view::{Score, Scoring, View};
use super::weights::UNIT;
use crate::board::Squares;

/// First step of the gradient descent, in log odds for an error of one; it falls linearly to a twentieth.
const STEP: f32 = 0.02;
/// Share of random turns in the first game; it falls linearly to none.
const EXPLORATION: f64 = 0.05;
/// One game in so many is played on a random layout and one on the ring, so that the weights mean something there, too; all
/// others on the lattice.
const LAYOUTS: u64 = 5;

/// Plays `games` games and fits a model to them; `progress` is called with the index and score of each.
pub fn fit(games: u64, seed: u64, mut progress: impl FnMut(u64, Score)) -> Model {
    let mut model = Model::blank();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for game in 0..games {
        let layout = match game % LAYOUTS {
            0 => Layout::seeded(rng.next_u64()),
            1 => Layout::RING,
            _ => Layout::LATTICE,
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

impl Model {
    /// The source file that keeps these weights in the program, made by `command`.
    pub fn source(&self, command: &str) -> String {
        let quantise = |weight: &f32| ((weight * UNIT).round().clamp(-32_768.0, 32_767.0) as i16).to_string();
        let weights: Vec<String> = self.0.iter().map(quantise).collect();
        let lines: Vec<String> = weights.chunks(16).map(|line| format!("    {},", line.join(", "))).collect();
        format!(
            "//! The fitted weights of the evaluation, written by `{command}`.\n\n\
             /// A weight of this size is one unit of natural-logarithm odds.\n\
             pub(super) const UNIT: f32 = {UNIT:?};\n\n\
             /// In the groups of `eval.rs`.\n\
             #[rustfmt::skip]\n\
             pub(super) const MODEL: [i16; super::eval::WEIGHTS] = [\n{}\n];\n",
            lines.join("\n")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_won_better_with_what_they_taught() {
        let mut chips = Vec::new();
        let model = fit(600, 1, |game, score| {
            assert_eq!(game, chips.len() as u64);
            chips.push(score.chips);
        });
        let mean = |games: &[u32]| f64::from(games.iter().sum::<u32>()) / games.len() as f64;
        let (first, last) = (mean(&chips[..100]), mean(&chips[500..]));
        assert!(chips.len() == 600 && last > first + 2.0, "{first} {last}");
        assert_ne!(model, Model::blank());
        assert_eq!(fit(20, 7, |_, _| {}), fit(20, 7, |_, _| {}));
        assert_ne!(fit(20, 7, |_, _| {}), fit(20, 8, |_, _| {}));
    }

    #[test]
    fn the_source_has_the_weights() {
        let source = include_str!("weights.rs");
        let command = source.split('`').nth(1).unwrap();
        assert_eq!(Model::fitted().source(command), source);
    }
}
