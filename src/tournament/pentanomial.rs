//! What the results of pairs of games say of the players' strength: Elo with its interval, likelihood of superiority.

use crate::student::{student_cdf, student95};

/// Before the first pair, each of the five results of a pair is taken to have been seen this often, one pair in all
/// (Perks' prior of a multinomial distribution): a hundred pairs won do not say "infinitely better". Larger ones pull
/// the estimate of a large difference towards zero, out of the interval after a few pairs.
const PRIOR: f64 = 0.2;

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

    /// Counts a pair with so many half points.
    pub(super) fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
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

    /// Mean of a pair's score (0 to 1) and its standard error, each result counted [`PRIOR`] times more than it was
    /// seen; `None` without pairs.
    fn estimate(&self) -> Option<(f64, f64)> {
        if self.total() == 0 {
            return None;
        }
        let weights = self.0.map(|count| count as f64 + PRIOR);
        let total: f64 = weights.iter().sum();
        let points = |i: usize| i as f64 / 4.0;
        let mean = (0..5).map(|i| weights[i] * points(i)).sum::<f64>() / total;
        let variance = (0..5).map(|i| weights[i] * (points(i) - mean).powi(2)).sum::<f64>() / total;
        Some((mean, (variance / total).sqrt()))
    }

    /// The Elo difference with its 95 % interval, `None` without pairs. The interval is symmetric in Elo (delta method),
    /// and with the prior it is finite, and wide after few pairs.
    pub fn elo(&self) -> Option<Elo> {
        let (mean, error) = self.estimate()?;
        let value = elo_of_score(mean);
        // the derivative of Elo by score
        let error = student95(self.total()) * error * 400.0 / std::f64::consts::LN_10 / (mean * (1.0 - mean));
        Some(Elo { value, low: value - error, high: value + error })
    }
}

/// An Elo difference.
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

/// The probability that the first player is the better one, given these pairs, the same prior as for Elo and the same distribution:
/// few pairs say little of their own spread; `None` without pairs.
pub fn likelihood_of_superiority(pairs: &Pentanomial) -> Option<f64> {
    let (elo, degrees) = (pairs.elo()?, pairs.total());
    Some(student_cdf(student95(degrees) * elo.value / elo.error(), degrees))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    #[test]
    fn elo_by_hand() {
        // 75 % is 400 log10(3)
        assert!((elo_of_score(0.75) - 190.848_501_887_864_97).abs() < 1e-9);
        assert!((expected_score(190.848_501_887_864_97) - 0.75).abs() < 1e-12);
        assert_eq!(elo_of_score(0.5), 0.0);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
        // 10 pairs of each kind and a fifth of one before: mean 1/2, variance 1/8, 50 degrees of freedom
        let elo = Pentanomial::new([10; 5]).elo().unwrap();
        assert!(elo.value.abs() < 1e-9);
        assert!((elo.high - 2.008_56 * (0.125f64 / 51.0).sqrt() * 4.0 * 173.717_793).abs() < 1e-2, "{elo:?}");
        assert!((elo.error() - elo.high).abs() < 1e-6 && (elo.low + elo.high).abs() < 1e-6);
        assert_eq!(Pentanomial::default().elo(), None);
        // the prior fades away: 60 % is 70.4 Elo
        let elo = Pentanomial::new([4_000, 0, 0, 0, 6_000]).elo().unwrap();
        assert!((elo.value - 70.436).abs() < 0.01, "{elo:?}");
    }

    /// One pair says little, and no number of pairs says "infinitely".
    #[test]
    fn few_pairs_say_little() {
        let one = Pentanomial::new([0, 0, 0, 0, 1]);
        let elo = one.elo().unwrap();
        assert!(elo.low < -1000.0 && elo.high > 1000.0 && (0.0..200.0).contains(&elo.value), "{elo:?}");
        assert!((0.7..0.75).contains(&likelihood_of_superiority(&one).unwrap()));
        let equal = Pentanomial::new([0, 0, 1, 0, 0]).elo().unwrap();
        assert!(equal.value.abs() < 1e-9 && equal.error() > 300.0, "{equal:?}");
        let all = Pentanomial::new([0, 0, 0, 0, 1000]).elo().unwrap();
        assert!(all.value.is_finite() && all.low > 500.0 && all.high.is_finite(), "{all:?}");
    }

    /// At any length and true difference, the interval holds the truth in about 95 of 100 matches.
    #[test]
    fn intervals_hold_what_they_promise() {
        let mut rng = StdRng::seed_from_u64(5);
        for results in [
            [0.05, 0.2, 0.5, 0.2, 0.05],
            [0.02, 0.05, 0.23, 0.3, 0.4],
            [0.2, 0.0, 0.6, 0.0, 0.2],
            [0.0, 0.05, 0.9, 0.05, 0.0],
            [0.0, 0.0, 0.05, 0.15, 0.8],
        ] {
            let mean: f64 = results.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
            let truth = elo_of_score(mean);
            for pairs in [1, 2, 4, 10, 30, 300] {
                let held = (0..1000).filter(|_| {
                    let mut counts = [0; 5];
                    for _ in 0..pairs {
                        let mut x: f64 = rng.random();
                        let result = results.iter().position(|p| {
                            x -= p;
                            x < 0.0
                        });
                        counts[result.unwrap_or(4)] += 1;
                    }
                    let elo = Pentanomial::new(counts).elo().unwrap();
                    (elo.low..=elo.high).contains(&truth)
                });
                let held = held.count();
                assert!(held >= 925, "{held} of 1000 with {pairs} pairs of {results:?}");
            }
        }
    }

    #[test]
    fn few_pairs_have_students_interval() {
        // drawn pairs and a fifth of one of each result, whose squared distances from the mean are 1/8
        // together
        for (pairs, table) in [(1, 12.706), (2, 4.303), (5, 2.571)] {
            let elo = Pentanomial::new([0, 0, pairs, 0, 0]).elo().unwrap();
            let error = (0.125 / (1.0 + pairs as f64).powi(2)).sqrt() * 400.0 / std::f64::consts::LN_10 / 0.25;
            assert!((elo.error() / error / table - 1.0).abs() < 0.0005, "{pairs}: {elo:?}");
        }
    }

    #[test]
    fn superiority() {
        let los = |counts| likelihood_of_superiority(&Pentanomial::new(counts));
        assert_eq!(los([0; 5]), None);
        assert!((0.5..0.999).contains(&los([0, 0, 0, 0, 3]).unwrap()));
        assert!((los([0, 0, 0, 0, 3]).unwrap() + los([3, 0, 0, 0, 0]).unwrap() - 1.0).abs() < 1e-7);
        assert!(los([0, 0, 0, 0, 100]).unwrap() > 0.999);
        assert!((los([0, 0, 3, 0, 0]).unwrap() - 0.5).abs() < 1e-7 && (los([10; 5]).unwrap() - 0.5).abs() < 1e-7);
        // mean 60.3 / 101, by the formulas above elsewhere
        assert!((los([40, 0, 0, 0, 60]).unwrap() - 0.974882043).abs() < 2e-9);
    }
}
