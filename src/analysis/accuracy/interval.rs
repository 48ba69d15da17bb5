//! 95 % intervals of means and shares over positions.
//!
//! Positions are the units: what several searches find about one position is not independent, so a position with several
//! searches counts with its mean. Means have the interval of Student's t distribution, which is wider than the normal one where
//! positions are few; shares have Wilson's, which stays between 0 and 1 and does not close to a point where every position agrees.

use serde::{Deserialize, Serialize};

use crate::student::{Z95, student95};

/// Where the true figure is with 95 % confidence, if the positions are a random sample of those that are meant.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Mean of values, one a position (at least one), and the variance of that mean.
fn mean_and_variance(values: &[f64], divisor: f64) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, squares / divisor / count)
}

impl Interval {
    /// Of the mean of values, one a position: the mean and so many standard errors on each side as Student's t distribution says.
    /// `None` for fewer than two.
    pub fn of_mean(values: &[f64]) -> Option<Interval> {
        if values.len() < 2 {
            return None;
        }
        let degrees = values.len() as u64 - 1;
        let (mean, variance) = mean_and_variance(values, degrees as f64);
        let half = student95(degrees) * variance.sqrt();
        Some(Interval { low: mean - half, high: mean + half })
    }

    /// Of a share, from the share of each position (0 or 1 where it was searched once): Wilson's score interval. Positions
    /// with several searches are worth as many independent ones as give a mean the same variance. `None` for fewer than two.
    pub fn of_share(shares: &[f64]) -> Option<Interval> {
        if shares.len() < 2 {
            return None;
        }
        let (share, variance) = mean_and_variance(shares, shares.len() as f64);
        let count = if variance > 0.0 { share * (1.0 - share) / variance } else { shares.len() as f64 };
        let spread = Z95 * Z95 / count;
        let middle = (share + spread / 2.0) / (1.0 + spread);
        let half = Z95 / (1.0 + spread) * (share * (1.0 - share) / count + spread / (4.0 * count)).sqrt();
        Some(Interval { low: (middle - half).max(0.0), high: (middle + half).min(1.0) })
    }

    /// Half its width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn near(found: Option<Interval>, low: f64, high: f64) {
        let found = found.expect("an interval");
        assert!((found.low - low).abs() < 1e-4 && (found.high - high).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn means_have_students_interval() {
        // standard deviation 2, standard error 1
        let values = [-1.0, 1.0, 3.0, 1.0].map(|value| 1.0 + (value - 1.0) * 2f64.sqrt() * 3f64.sqrt() / 2.0);
        near(Interval::of_mean(&values), 1.0 - 3.182_446, 1.0 + 3.182_446);
        // of many values it is the normal one
        let many: Vec<f64> = (0..10_000).map(|i| f64::from(i % 2)).collect();
        near(Interval::of_mean(&many), 0.5 - 0.0098, 0.5 + 0.0098);
        assert_eq!(Interval::of_mean(&[5.0]), None);
        assert_eq!(Interval::of_mean(&[2.0; 9]), Some(Interval { low: 2.0, high: 2.0 }));
        assert_eq!(Interval { low: -1.0, high: 2.0 }.half_width(), 1.5);
    }

    #[test]
    fn shares_have_wilsons_interval() {
        let shares = |ones: usize, count: usize| (0..count).map(|i| (i < ones) as u8 as f64).collect::<Vec<_>>();
        // published values (Newcombe 1998, table I)
        near(Interval::of_share(&shares(81, 263)), 0.255_3, 0.366_2);
        near(Interval::of_share(&shares(0, 20)), 0.0, 0.161_1);
        near(Interval::of_share(&shares(1, 29)), 0.006_1, 0.171_8);
        near(Interval::of_share(&shares(29, 29)), 0.883_0, 1.0);
        assert_eq!(Interval::of_share(&[1.0]), None);
    }

    #[test]
    fn searches_that_agree_add_nothing() {
        let once: Vec<f64> = (0..50).map(|i| (i % 5 < 3) as u8 as f64).collect();
        // two searches with the same outcome are one; the mean of independent ones is narrower
        let independent: Vec<f64> = (0..50).map(|i| ((i % 5 < 3) as u8 + (i / 5 % 5 < 3) as u8) as f64 / 2.0).collect();
        let (once, both) = (Interval::of_share(&once).unwrap(), Interval::of_share(&independent).unwrap());
        assert!(both.half_width() < 0.75 * once.half_width(), "{once:?} {both:?}");
    }

    #[test]
    fn intervals_hold_the_truth_as_often_as_they_say() {
        let mut rng = StdRng::seed_from_u64(5);
        let (mut means, mut shares) = (0, 0);
        let rounds = 2000;
        for _ in 0..rounds {
            let values: Vec<f64> = (0..60).map(|_| rng.random_range(0.0..1.0)).collect();
            let within: Vec<f64> = values.iter().map(|&value| (value < 0.9) as u8 as f64).collect();
            let (mean, share) = (Interval::of_mean(&values).unwrap(), Interval::of_share(&within).unwrap());
            means += (mean.low..=mean.high).contains(&0.5) as usize;
            shares += (share.low..=share.high).contains(&0.9) as usize;
        }
        for held in [means, shares] {
            assert!((0.93..0.975).contains(&(held as f64 / rounds as f64)), "{means} {shares} of {rounds}");
        }
    }
}
