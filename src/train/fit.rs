//! Weighted least squares for one phase, by preconditioned conjugate gradients.
//!
//! The problem is convex: the method needs no step size, and a dozen passes over the data settle it. Sums are
//! made in the same order on any number of threads, so that the same data gives the same weights.

use rayon::prelude::*;

/// The data is summed in this many parts whatever the number of threads.
const PARTS: usize = 8;
/// A fit is over when a step promises less than this share of what the first one did: going on only makes numbers too
/// small for the hardware to handle at speed.
const SOLVED: f64 = 1e-9;

/// Equations of the form "the unknowns at these `C` places add up to the target".
#[derive(Debug)]
pub struct Problem<const C: usize> {
    rows: Vec<[u32; C]>,
    targets: Vec<f32>,
    weights: Vec<f32>,
    unknowns: usize,
}

/// Progress of [`Problem::solve`] after one pass over the data.
#[derive(Debug)]
pub struct Iteration<'a> {
    /// The unknowns.
    pub theta: &'a [f32],
    /// What is minimised, divided by the sum of the weights: about the mean squared error.
    pub loss: f64,
}

impl<const C: usize> Problem<C> {
    /// No equations yet for this many unknowns.
    pub fn new(unknowns: usize) -> Problem<C> {
        Problem { rows: Vec::new(), targets: Vec::new(), weights: Vec::new(), unknowns }
    }

    /// Adds an equation.
    ///
    /// # Panics
    /// When a place is not below the number of unknowns.
    pub fn push(&mut self, row: [u32; C], target: f32, weight: f32) {
        assert!(row.iter().all(|&place| (place as usize) < self.unknowns), "a place outside the unknowns");
        self.rows.push(row);
        self.targets.push(target);
        self.weights.push(weight);
    }

    /// Number of equations.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no equation.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Minimises the weighted squared error plus `shrink` times the squared distance from the initial `theta`.
    ///
    /// Unknowns without data stay as they are. `after` sees the state after each of the `iterations`.
    pub fn solve(&self, theta: &mut [f32], shrink: f32, iterations: usize, mut after: impl FnMut(Iteration)) {
        let total: f64 = self.weights.iter().map(|&w| w as f64).sum();
        let error = |i: usize| self.targets[i] - self.sum(i, theta);
        let mut loss: f64 = (0..self.len()).map(|i| self.weights[i] as f64 * (error(i) as f64).powi(2)).sum();
        let mut residual = self.accumulate(|i| self.weights[i] * error(i));
        let diagonal: Vec<f32> = self.accumulate(|i| self.weights[i]).iter().map(|d| d + shrink).collect();
        let mut step: Vec<f32> = residual.iter().zip(&diagonal).map(|(r, d)| r / d).collect();
        let mut descent = product(&residual, &step);
        let mut direction = step.clone();
        let solved = descent * SOLVED;
        for _ in 0..iterations {
            if descent <= solved {
                break;
            }
            let mut image = self.accumulate(|i| self.weights[i] * self.sum(i, &direction));
            image.iter_mut().zip(&direction).for_each(|(q, d)| *q += shrink * d);
            let curvature = product(&direction, &image);
            let length = (descent / curvature) as f32;
            loss -= descent * descent / curvature;
            theta.iter_mut().zip(&direction).for_each(|(t, d)| *t += length * d);
            residual.iter_mut().zip(&image).for_each(|(r, q)| *r -= length * q);
            step.iter_mut().zip(&residual).zip(&diagonal).for_each(|((s, r), d)| *s = r / d);
            let next = product(&residual, &step);
            let keep = (next / descent) as f32;
            descent = next;
            direction.iter_mut().zip(&step).for_each(|(d, s)| *d = s + keep * *d);
            after(Iteration { theta, loss: loss / total });
        }
    }

    fn sum(&self, i: usize, theta: &[f32]) -> f32 {
        self.rows[i].iter().map(|&place| theta[place as usize]).sum()
    }

    /// Adds `value(i)` to the places of each equation `i`: the product with the transposed matrix.
    fn accumulate(&self, value: impl Fn(usize) -> f32 + Sync) -> Vec<f32> {
        let size = self.rows.len().div_ceil(PARTS).max(1);
        let one_part = |(part, rows): (usize, &[[u32; C]])| {
            let mut sums = vec![0f32; self.unknowns];
            for (i, row) in rows.iter().enumerate() {
                let value = value(part * size + i);
                row.iter().for_each(|&place| sums[place as usize] += value);
            }
            sums
        };
        let parts: Vec<Vec<f32>> = self.rows.par_chunks(size).enumerate().map(one_part).collect();
        let mut total = vec![0f32; self.unknowns];
        for part in &parts {
            total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
        }
        total
    }
}

fn product(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(&a, &b)| a as f64 * b as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unknowns 3, 5, -2 and one without data.
    fn example() -> Problem<2> {
        let mut problem = Problem::new(4);
        for (row, target) in [([0, 1], 8.0), ([1, 2], 3.0), ([0, 2], 1.0), ([0, 1], 8.0)] {
            problem.push(row, target, 2.0);
        }
        problem
    }

    #[test]
    fn finds_the_solution_and_leaves_the_unseen_alone() {
        let mut theta = [0.0, 0.0, 0.0, 7.0];
        let mut losses = Vec::new();
        example().solve(&mut theta, 1e-6, 20, |iteration| losses.push(iteration.loss));
        for (found, expected) in theta.iter().zip([3.0, 5.0, -2.0, 7.0]) {
            assert!((found - expected).abs() < 1e-2, "{theta:?}");
        }
        assert!(losses.is_sorted_by(|a, b| a >= b) && losses.last().unwrap().abs() < 1e-2, "{losses:?}");
    }

    #[test]
    fn shrinking_holds_back() {
        let mut theta = [0.0; 4];
        example().solve(&mut theta, 1e6, 20, |_| {});
        assert!(theta.iter().all(|t| t.abs() < 1e-3), "{theta:?}");
    }

    /// 2 (4 - x)^2 + 2 (x - 1)^2 is least at 2.5, where it is 9; its weight is 2.
    #[test]
    fn distance_from_the_start_counts_as_an_error() {
        let mut problem = Problem::<1>::new(1);
        problem.push([0], 4.0, 2.0);
        let (mut theta, mut losses) = ([1.0], Vec::new());
        problem.solve(&mut theta, 2.0, 5, |iteration| losses.push(iteration.loss));
        assert_eq!((theta, losses), ([2.5], vec![4.5]));
    }

    #[test]
    fn nothing_to_fit_changes_nothing() {
        let mut theta = [1.0; 4];
        Problem::<2>::new(4).solve(&mut theta, 1.0, 5, |_| {});
        assert_eq!(theta, [1.0; 4]);
    }
}
