//! What the results of paired games say: score, Elo with error bars, likelihood of superiority, discs, times.

use super::record::{Ending, GameRecord, PlayerIndex};
use crate::rules::Color;

/// Two-sided 95 % quantile of the normal distribution.
const Z95: f64 = 1.959_963_984_540_054;

/// Expected score of a player better by `elo` (logistic scale).
pub(super) fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference that gives this expected score; infinite at 0 and 1.
fn elo_of_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// How many pairs of games gave the first player 0, 1/2, 1, 3/2 and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Pentanomial([u64; 5]);

impl Pentanomial {
    /// The distribution with these counts, fewest points first.
    pub fn new(counts: [u64; 5]) -> Pentanomial {
        Pentanomial(counts)
    }

    /// The counts, fewest points first.
    pub fn counts(&self) -> [u64; 5] {
        self.0
    }

    /// Number of pairs.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean and variance of a pair's score (0 to 1), `None` without pairs.
    pub fn mean_and_variance(&self) -> Option<(f64, f64)> {
        let total = self.total() as f64;
        if total == 0.0 {
            return None;
        }
        let moment = |power: i32| -> f64 {
            self.0.iter().enumerate().map(|(i, &count)| count as f64 * (i as f64 / 4.0).powi(power)).sum::<f64>()
                / total
        };
        let mean = moment(1);
        Some((mean, (moment(2) - mean * mean).max(0.0)))
    }

    /// The Elo difference with its 95 % interval, `None` without pairs.
    pub fn elo(&self) -> Option<Elo> {
        let (mean, variance) = self.mean_and_variance()?;
        let error = Z95 * (variance / self.total() as f64).sqrt();
        Some(Elo { value: elo_of_score(mean), low: elo_of_score(mean - error), high: elo_of_score(mean + error) })
    }
}

/// An Elo difference; infinite when all or no points were made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elo {
    /// The estimate.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
}

impl Elo {
    /// Half the width of the 95 % interval.
    pub fn error(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// The probability that the first player is the better one, given these pairs and no other knowledge.
pub fn likelihood_of_superiority(pairs: &Pentanomial) -> Option<f64> {
    let (mean, variance) = pairs.mean_and_variance()?;
    let error = (variance / pairs.total() as f64).sqrt();
    if error == 0.0 {
        return Some((1.0 + (mean - 0.5).signum() * f64::from(mean != 0.5)) / 2.0);
    }
    Some(normal_cdf((mean - 0.5) / error))
}

/// Distribution function of the standard normal distribution, by the rational approximation 7.1.26 of Abramowitz
/// and Stegun's handbook; absolute error below 1.5e-7.
fn normal_cdf(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let polynomial =
        t * (0.254_829_592 + t * (-0.284_496_736 + t * (1.421_413_741 + t * (-1.453_152_027 + t * 1.061_405_429))));
    let erf = 1.0 - polynomial * (-z * z).exp();
    (1.0 + x.signum() * erf) / 2.0
}

/// Running mean and variance of a sample (Welford's method).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    count: u64,
    mean: f64,
    squares: f64,
    max: f64,
}

impl Mean {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.max = if self.count == 0 { value } else { self.max.max(value) };
        self.count += 1;
        let delta = value - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (value - self.mean);
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean, `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// The largest value, `None` without values.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// Half the width of the 95 % interval of the mean, `None` with fewer than two values.
    pub fn error(&self) -> Option<f64> {
        let n = self.count as f64;
        (self.count > 1).then(|| Z95 * (self.squares / (n - 1.0) / n).sqrt())
    }
}

/// What is known of one player of a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerStatistics {
    /// Seconds a move, opening moves not counted.
    pub seconds: Mean,
    /// Depth a move, where the player tells.
    pub depth: Mean,
    /// Nodes a move, where the player tells.
    pub nodes: Mean,
    /// Seconds spent on the moves that `nodes` counts.
    pub node_seconds: f64,
    /// Games lost otherwise than on the board, by kind of failure (`time`, `crash`, ...).
    pub forfeits: std::collections::BTreeMap<&'static str, u64>,
}

/// The results of a match so far, seen by the first player.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    wins: u64,
    draws: u64,
    losses: u64,
    pairs: Pentanomial,
    /// Half points of the pairs of which only one game is finished.
    open: std::collections::BTreeMap<usize, (u32, Option<i32>)>,
    /// Mean disc difference of the pairs in which both games were played out.
    discs: Mean,
    players: [PlayerStatistics; 2],
}

impl Statistics {
    /// No games.
    pub fn new() -> Statistics {
        Statistics::default()
    }

    /// Counts a finished game.
    pub fn add(&mut self, game: &GameRecord) {
        let first = game.color_of(PlayerIndex::First);
        let half_points = match game.winner {
            None => 1,
            Some(color) if color == first => 2,
            Some(_) => 0,
        };
        match half_points {
            2 => self.wins += 1,
            1 => self.draws += 1,
            _ => self.losses += 1,
        }
        let discs = game.score.map(|score| if first == Color::Black { score } else { -score });
        match self.open.remove(&game.pair) {
            Some((other, other_discs)) => {
                self.pairs.0[(half_points + other) as usize] += 1;
                if let (Some(a), Some(b)) = (discs, other_discs) {
                    self.discs.add(f64::from(a + b) / 2.0);
                }
            }
            None => {
                self.open.insert(game.pair, (half_points, discs));
            }
        }
        self.add_players(game);
    }

    fn add_players(&mut self, game: &GameRecord) {
        for played in &game.moves {
            let Some(seconds) = played.seconds else { continue };
            let player = &mut self.players[game.player_of(played.side) as usize];
            player.seconds.add(seconds);
            if let Some(depth) = played.depth {
                player.depth.add(f64::from(depth));
            }
            if let Some(nodes) = played.nodes {
                player.nodes.add(nodes as f64);
                player.node_seconds += seconds;
            }
        }
        if let Ending::Forfeit { loser, kind, .. } = &game.ending {
            *self.players[game.player_of(*loser) as usize].forfeits.entry(kind.name()).or_default() += 1;
        }
    }

    /// Games finished.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Games won, drawn and lost by the first player.
    pub fn wins_draws_losses(&self) -> (u64, u64, u64) {
        (self.wins, self.draws, self.losses)
    }

    /// Share of the points that the first player made (0 to 1), `None` without games.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / self.games() as f64)
    }

    /// The finished pairs.
    pub fn pairs(&self) -> &Pentanomial {
        &self.pairs
    }

    /// Disc difference a game for the first player: mean over the pairs whose games were both played out.
    pub fn discs(&self) -> &Mean {
        &self.discs
    }

    /// What is known of a player.
    pub fn player(&self, index: PlayerIndex) -> &PlayerStatistics {
        &self.players[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_by_hand() {
        // 75 % is 400 log10(3)
        assert!((elo_of_score(0.75) - 190.848_501_887_864_97).abs() < 1e-9);
        assert!((expected_score(190.848_501_887_864_97) - 0.75).abs() < 1e-12);
        assert_eq!(elo_of_score(0.5), 0.0);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
        // 10 pairs of each kind: mean 1/2, variance 1/8, error 1.96 sqrt(1/400)
        let elo = Pentanomial::new([10; 5]).elo().unwrap();
        assert!(elo.value.abs() < 1e-9);
        assert!((elo.high - elo_of_score(0.5 + 0.097_998_2)).abs() < 1e-3, "{elo:?}");
        assert!((elo.error() - elo.high).abs() < 1e-6);
        assert_eq!(Pentanomial::default().elo(), None);
    }

    #[test]
    fn normal_distribution_at_known_points() {
        for (x, p) in [(0.0, 0.5), (1.0, 0.841_344_746), (1.959_964, 0.975), (-2.326_348, 0.01), (4.0, 0.999_968_3)] {
            assert!((normal_cdf(x) - p).abs() < 2e-7, "{x}");
        }
    }

    #[test]
    fn superiority() {
        let los = |counts| likelihood_of_superiority(&Pentanomial::new(counts));
        assert_eq!(los([0; 5]), None);
        assert_eq!(los([0, 0, 0, 0, 3]), Some(1.0));
        assert_eq!(los([3, 0, 0, 0, 0]), Some(0.0));
        assert_eq!(los([0, 0, 3, 0, 0]), Some(0.5));
        assert!((los([10; 5]).unwrap() - 0.5).abs() < 1e-7);
        // mean 0.6, variance 0.24 / ... : 40 losses and 60 wins of whole pairs, z = 0.1 / sqrt(0.24 / 100)
        assert!((los([40, 0, 0, 0, 60]).unwrap() - normal_cdf(0.1 / 0.0024f64.sqrt())).abs() < 1e-12);
    }

    #[test]
    fn mean_and_its_error() {
        let mut mean = Mean::default();
        for value in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            mean.add(value);
        }
        // sample variance 32 / 7
        assert!((mean.mean().unwrap() - 5.0).abs() < 1e-12);
        assert!((mean.error().unwrap() - Z95 * (32.0f64 / 7.0 / 8.0).sqrt()).abs() < 1e-12);
        assert_eq!(mean.max(), Some(9.0));
        assert_eq!(Mean::default().error(), None);
    }
}
