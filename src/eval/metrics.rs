//! How far evaluations are off.

/// Errors over a set of samples.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    count: usize,
    absolute: f64,
    squared: f64,
}

impl Errors {
    /// Adds one error, in discs.
    pub fn add(&mut self, error: f32) {
        self.count += 1;
        self.absolute += error.abs() as f64;
        self.squared += (error as f64).powi(2);
    }

    /// Samples added.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Mean absolute error in discs; 0 without samples.
    pub fn mae(&self) -> f64 {
        self.absolute / self.count.max(1) as f64
    }

    /// Root of the mean squared error in discs; 0 without samples.
    pub fn rmse(&self) -> f64 {
        (self.squared / self.count.max(1) as f64).sqrt()
    }
}
