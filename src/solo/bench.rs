//! Playing many seeded deals, and what they average to.

use super::ending::Ending;
use super::game::Game;
use super::layout::{Deal, Layout};
use super::player::Player;
use super::view::{Score, Scoring};
use crate::search::StopToken;

/// Where the chips lie in a series of deals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layouts {
    /// The same squares for all.
    Fixed(Layout),
    /// Random squares (no centre, no corners) drawn from each deal's seed.
    Random,
}

impl Layouts {
    /// The deal of a seed.
    pub fn deal(self, seed: u64) -> Deal {
        match self {
            Layouts::Fixed(layout) => Deal::shuffled(layout, seed),
            Layouts::Random => Deal::shuffled(Layout::seeded(seed), seed),
        }
    }
}

/// Plays a deal to its end with one player.
///
/// # Panics
/// When the player chooses an illegal turn, or none while the game goes on.
pub fn play_out(deal: Deal, player: &mut dyn Player) -> (Game, Ending) {
    play_until_stopped(deal, player, &StopToken::new()).expect("nobody stops it")
}

/// Plays a deal to its end with one player; `None` when the token is set before.
///
/// # Panics
/// As [`play_out`].
pub fn play_until_stopped(deal: Deal, player: &mut dyn Player, stop: &StopToken) -> Option<(Game, Ending)> {
    let mut game = Game::new(deal);
    while !stop.is_stopped() {
        if let Some(ending) = game.ending() {
            return Some((game, ending));
        }
        let mv = player.choose(game.view()).expect("a turn is legal while the game goes on");
        game.play(mv).expect("players choose legal turns");
    }
    None
}

/// Sums over games, from which averages come. All are whole numbers, so the order of the games does not matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Games counted.
    pub games: u64,
    /// Turns played.
    pub turns: u64,
    /// Under the count, then under the points.
    scores: [Sums; 2],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Sums {
    sum: u64,
    squares: u64,
    best: u32,
    worst: Option<u32>,
    perfect: u64,
}

/// What the scores of a series of games come to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Summary {
    /// Average score.
    pub mean: f64,
    /// Standard error of the average, `None` for fewer than two games.
    pub standard_error: Option<f64>,
    /// Highest score.
    pub best: u32,
    /// Lowest score.
    pub worst: u32,
    /// Games with the highest score possible (24 or 220).
    pub perfect: u64,
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, score: Score, turns: usize) {
        self.games += 1;
        self.turns += turns as u64;
        for (sums, scoring) in self.scores.iter_mut().zip([Scoring::Count, Scoring::Points]) {
            let value = score.under(scoring);
            sums.sum += u64::from(value);
            sums.squares += u64::from(value) * u64::from(value);
            sums.best = sums.best.max(value);
            sums.worst = Some(sums.worst.map_or(value, |worst| worst.min(value)));
            sums.perfect += u64::from(value == scoring.perfect());
        }
    }

    /// The averages under a scoring, `None` before the first game.
    pub fn summary(&self, scoring: Scoring) -> Option<Summary> {
        let sums = self.scores[scoring as usize];
        let worst = sums.worst?;
        let games = self.games as f64;
        let mean = sums.sum as f64 / games;
        let squares = (sums.squares as f64 / games - mean * mean).max(0.0);
        let standard_error = (self.games > 1).then(|| (squares / (games - 1.0)).sqrt());
        Some(Summary { mean, standard_error, best: sums.best, worst, perfect: sums.perfect })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solo::{Greedy, Random};

    #[test]
    fn averages() {
        let mut tally = Tally::default();
        assert_eq!(tally.summary(Scoring::Count), None);
        for (chips, points) in [(20, 100), (22, 220), (24, 220)] {
            assert_eq!(tally.summary(Scoring::Count).and_then(|one| one.standard_error).is_some(), tally.games > 1);
            tally.add(Score { chips, points }, 40);
        }
        let count = tally.summary(Scoring::Count).unwrap();
        assert_eq!((count.mean, count.best, count.worst, count.perfect), (22.0, 24, 20, 1));
        // sample variance 4, over three games
        assert!((count.standard_error.unwrap() - (4.0f64 / 3.0).sqrt()).abs() < 1e-12);
        let points = tally.summary(Scoring::Points).unwrap();
        assert_eq!((points.mean, points.perfect), (180.0, 2));
        assert_eq!((tally.games, tally.turns), (3, 120));
    }

    #[test]
    fn greedy_beats_random() {
        let mean = |player: fn(u64) -> Box<dyn Player>| {
            let mut tally = Tally::default();
            for seed in 0..60 {
                let (game, _) = play_out(Layouts::Fixed(Layout::default()).deal(seed), player(seed).as_mut());
                tally.add(game.view().score(), game.moves().len());
            }
            tally.summary(Scoring::Count).unwrap().mean
        };
        let (greedy, random) = (mean(|seed| Box::new(Greedy::new(seed))), mean(|seed| Box::new(Random::new(seed))));
        assert!(greedy > random + 1.0, "{greedy} {random}");
    }
}
