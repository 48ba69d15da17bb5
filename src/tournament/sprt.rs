//! The sequential probability ratio test on paired games.
//!
//! The log-likelihood ratio is the exact one of the multinomial model: each hypothesis fixes only the mean of the
//! five pair results, and is represented by the distribution closest to the observed one that has this mean (the
//! maximum-likelihood estimate under the constraint). The method is M. Van den Bergh's "generalized SPRT", the
//! one chess engine testing uses; pairs make it insensitive to unbalanced openings.

use super::pentanomial::{Pentanomial, expected_score};

/// Counts of zero are replaced by this many pairs, so that one-sided results keep finite likelihoods.
const REGULARISATION: f64 = 1e-3;

/// A test of "the first player is better by `elo0`" (H0) against "by `elo1`" (H1), Elo in the logistic scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// What a test decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// H1 accepted: the first player is better by about `elo1` or more.
    H1,
    /// H0 accepted: it is not.
    H0,
}

/// Parameters that make no test.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SprtError {
    /// `elo0 >= elo1`, beyond [`Sprt::MOST_ELO`], or not numbers.
    #[error("SPRT bounds [{0}, {1}]: the first must be smaller than the second, and both from -{most} to {most}", most = Sprt::MOST_ELO)]
    Bounds(f64, f64),
    /// An error probability outside (0, 0.5).
    #[error("SPRT error probability {0}: must be above 0 and below 0.5")]
    Probability(f64),
}

impl Sprt {
    /// Bounds are at most this far from 0: the score that is expected of a player better by more cannot be told from 1.
    pub const MOST_ELO: f64 = 5000.0;

    /// A test with these Elo bounds and probabilities of a false acceptance of H1 (`alpha`) and of H0 (`beta`).
    ///
    /// # Errors
    /// [`SprtError`] when the bounds are not in order or too far apart, or a probability is not within (0, 0.5).
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Sprt, SprtError> {
        // written so that a NaN fails
        if !(-Sprt::MOST_ELO <= elo0 && elo0 < elo1 && elo1 <= Sprt::MOST_ELO) {
            return Err(SprtError::Bounds(elo0, elo1));
        }
        for probability in [alpha, beta] {
            if !(probability > 0.0 && probability < 0.5) {
                return Err(SprtError::Probability(probability));
            }
        }
        Ok(Sprt { elo0, elo1, alpha, beta })
    }

    /// The two hypotheses, in Elo.
    pub fn elo_bounds(&self) -> (f64, f64) {
        (self.elo0, self.elo1)
    }

    /// The log-likelihood ratios at which H0 and H1 are accepted (Wald's bounds).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of H1 over H0 after these pairs; 0 without pairs.
    pub fn llr(&self, pairs: &Pentanomial) -> f64 {
        let total = pairs.total();
        if total == 0 {
            return 0.0;
        }
        let counts = pairs.counts().map(|count| if count == 0 { REGULARISATION } else { count as f64 });
        let sum: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / sum);
        let [h0, h1] = [self.elo0, self.elo1].map(|elo| closest_with_mean(&observed, expected_score(elo)));
        (0..5).map(|i| sum * observed[i] * (h1[i] / h0[i]).ln()).sum()
    }

    /// The decision at this log-likelihood ratio, `None` while the test goes on.
    pub fn verdict(&self, llr: f64) -> Option<Verdict> {
        let (lower, upper) = self.bounds();
        if llr >= upper {
            Some(Verdict::H1)
        } else if llr <= lower {
            Some(Verdict::H0)
        } else {
            None
        }
    }
}

/// The distribution over the pair scores 0, 1/4, ... 1 with this mean that makes the observed frequencies most
/// likely: p / (1 + t (a - mean)) with the t that gives it that mean. All of `observed` must be positive.
fn closest_with_mean(observed: &[f64; 5], mean: f64) -> [f64; 5] {
    let deviation = |i: usize| i as f64 / 4.0 - mean;
    let excess = |t: f64| -> f64 { (0..5).map(|i| observed[i] * deviation(i) / (1.0 + t * deviation(i))).sum() };
    // the excess falls from +inf to -inf between the poles
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if excess(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let t = (low + high) / 2.0;
    std::array::from_fn(|i| observed[i] / (1.0 + t * deviation(i)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    fn sprt(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05).unwrap()
    }

    #[test]
    fn bounds_are_walds() {
        let (lower, upper) = sprt(0.0, 5.0).bounds();
        assert!((upper - 19f64.ln()).abs() < 1e-12 && (lower + 19f64.ln()).abs() < 1e-12);
        let (lower, upper) = Sprt::new(0.0, 5.0, 0.01, 0.1).unwrap().bounds();
        assert!((upper - 90f64.ln()).abs() < 1e-9 && (lower - (0.1f64 / 0.99).ln()).abs() < 1e-9);
    }

    #[test]
    fn constrained_distribution_has_its_mean_and_sums_to_one() {
        let observed = [0.1, 0.2, 0.3, 0.25, 0.15];
        for mean in [0.05, 0.3, 0.5, 0.54, 0.95] {
            let p = closest_with_mean(&observed, mean);
            let sum: f64 = p.iter().sum();
            let got: f64 = p.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{mean}: {sum}");
            assert!((got - mean).abs() < 1e-9, "{mean}: {got}");
        }
    }

    /// Two outcomes only: the constrained estimate is determined by its mean, so that the ratio is a sum of two
    /// logarithms that can be written down.
    #[test]
    fn two_outcomes_by_hand() {
        let pairs = Pentanomial::new([40, 0, 0, 0, 60]);
        let (s0, s1) = (0.5f64, expected_score(50.0));
        let by_hand = 60.0 * (s1 / s0).ln() + 40.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        let llr = sprt(0.0, 50.0).llr(&pairs);
        assert!((llr - by_hand).abs() < 0.02, "{llr} {by_hand}");
    }

    /// One result only: the rest of the distribution that a hypothesis needs is as good as unseen.
    #[test]
    fn one_outcome_by_hand() {
        let by_hand = 20.0 * (expected_score(50.0) / 0.5).ln();
        for (counts, sign) in [([0, 0, 0, 0, 20], 1.0), ([20, 0, 0, 0, 0], -1.0)] {
            let test = if sign > 0.0 { sprt(0.0, 50.0) } else { sprt(-50.0, 0.0) };
            let llr = test.llr(&Pentanomial::new(counts));
            assert!((llr - sign * by_hand).abs() < 0.02, "{llr} {by_hand}");
        }
    }

    /// Seen by the other player, every ratio is the same with the other sign.
    #[test]
    fn differences_beyond_measure_are_decided_alike() {
        for bound in [3000.0, Sprt::MOST_ELO] {
            for counts in [[3, 8, 20, 9, 4], [0, 0, 10, 0, 0], [0, 0, 0, 0, 50]] {
                let reversed: [u64; 5] = std::array::from_fn(|i| counts[4 - i]);
                let llr = sprt(0.0, bound).llr(&Pentanomial::new(counts));
                let other = sprt(-bound, 0.0).llr(&Pentanomial::new(reversed));
                assert!((llr + other).abs() < 1e-3 * llr.abs(), "{bound} {counts:?}: {llr} {other}");
                let verdict = if counts[4] == 50 { Verdict::H1 } else { Verdict::H0 };
                assert_eq!(sprt(0.0, bound).verdict(llr), Some(verdict), "{bound} {counts:?}: {llr}");
            }
        }
    }

    /// For close hypotheses the ratio tends to N (s1 - s0) (2 mean - s0 - s1) / (2 variance).
    #[test]
    fn agrees_with_the_normal_approximation() {
        let pairs = Pentanomial::new([310, 2040, 4600, 2310, 420]);
        let (mean, variance) = pairs.mean_and_variance().unwrap();
        let (s0, s1) = (expected_score(0.0), expected_score(5.0));
        let approximation = pairs.total() as f64 * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let llr = sprt(0.0, 5.0).llr(&pairs);
        assert!((llr - approximation).abs() < 0.01 * approximation.abs(), "{llr} {approximation}");
    }

    #[test]
    fn verdicts_and_bad_parameters() {
        let test = sprt(0.0, 5.0);
        assert_eq!(test.llr(&Pentanomial::default()), 0.0);
        assert_eq!(
            (test.verdict(2.9), test.verdict(3.0), test.verdict(-3.0)),
            (None, Some(Verdict::H1), Some(Verdict::H0))
        );
        // the bounds themselves decide
        let (lower, upper) = test.bounds();
        assert_eq!((test.verdict(lower), test.verdict(upper)), (Some(Verdict::H0), Some(Verdict::H1)));
        assert!(Sprt::new(5.0, 0.0, 0.05, 0.05).is_err());
        assert!(Sprt::new(5.0, 5.0, 0.05, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.5, 0.05).is_err() && Sprt::new(0.0, 5.0, 0.05, 0.5).is_err());
        assert!(Sprt::new(f64::NAN, 0.0, 0.05, 0.05).is_err() && Sprt::new(0.0, f64::NAN, 0.05, 0.05).is_err());
        assert!(Sprt::new(-5001.0, 0.0, 0.05, 0.05).is_err() && Sprt::new(0.0, 5001.0, 0.05, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.0, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.05, 0.6).is_err());
    }

    /// The ratio is a number however far the bounds are from what was seen.
    #[test]
    fn far_bounds_have_a_ratio() {
        let (far, near) = (sprt(-Sprt::MOST_ELO, Sprt::MOST_ELO), sprt(-Sprt::MOST_ELO, 0.0));
        let won = Pentanomial::new([0, 0, 0, 0, 1]);
        // 10^12.5 to 1, and half of that
        assert!((far.llr(&won) - 28.8).abs() < 0.1 && (near.llr(&won) - 28.1).abs() < 0.1);
        assert!((far.llr(&Pentanomial::new([1, 0, 0, 0, 0])) + 28.8).abs() < 0.1);
        assert!(far.llr(&Pentanomial::new([1, 0, 5, 0, 1])).abs() < 1e-3);
    }

    /// Pairs drawn at the mean of H0 must be accepted as H1 in about `alpha` of the runs, and the reverse.
    #[test]
    fn simulated_error_rates() {
        let test = Sprt::new(0.0, 40.0, 0.1, 0.1).unwrap();
        let base = [0.05, 0.2, 0.5, 0.2, 0.05];
        let mut rng = StdRng::seed_from_u64(1);
        for (elo, wrong) in [(0.0, Verdict::H1), (40.0, Verdict::H0)] {
            let p = closest_with_mean(&base, expected_score(elo));
            let errors = (0..400)
                .filter(|_| {
                    let mut counts = [0; 5];
                    loop {
                        let mut x: f64 = rng.random();
                        let outcome = p.iter().position(|p| {
                            x -= p;
                            x < 0.0
                        });
                        counts[outcome.unwrap_or(4)] += 1;
                        if let Some(verdict) = test.verdict(test.llr(&Pentanomial::new(counts))) {
                            return verdict == wrong;
                        }
                    }
                })
                .count();
            // 400 runs at 10 %: 40 expected, standard deviation 6
            assert!((10..=62).contains(&errors), "{errors} of 400 wrong at {elo} Elo");
        }
    }
}
