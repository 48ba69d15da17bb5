//! The network while it is trained: embedding rows, the head on their sum, and their gradients.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::examples::{Example, family_begins};
use crate::eval::EMPTIES;
use crate::eval::pattern::{FAMILIES, FEATURES, PATTERNS};

/// Numbers of moves that are told apart.
pub const MOBILITIES: usize = 32;

/// Where a number of moves of a side (0: to move) is among the mobility rows.
fn mobility_row(side: usize, moves: u8) -> usize {
    side * MOBILITIES + (moves as usize).min(MOBILITIES - 1)
}

/// The rows of one family with what the optimiser knows of them.
#[derive(Clone, Debug)]
pub struct Family<const K: usize> {
    /// The rows.
    pub rows: Vec<[f32; K]>,
    state: Vec<State<K>>,
    touched: Vec<u16>,
    /// The family's instances among the patterns.
    instances: std::ops::Range<usize>,
}

/// What the optimiser keeps for a row.
#[derive(Clone, Copy, Debug)]
struct State<const K: usize> {
    gradient: [f32; K],
    /// Mean of the squared gradients.
    square: [f32; K],
    /// Updates so far.
    count: u32,
    /// In the list of touched rows.
    touched: bool,
}

/// Everything above the rows, in one vector so that the optimiser need not know what is what.
#[derive(Clone, Debug)]
pub struct Head<const K: usize> {
    values: Vec<f32>,
    gradient: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: u32,
}

/// Places in the head's vector.
struct Place<const K: usize>;

impl<const K: usize> Place<K> {
    const BIAS: usize = 0;
    const SLOPE: usize = EMPTIES * K;
    const CONSTANT: usize = 2 * EMPTIES * K;
    const MOBILITY: usize = Self::CONSTANT + EMPTIES;
    const MOBILITY_LINEAR: usize = Self::MOBILITY + 2 * MOBILITIES * K;
    const LEN: usize = Self::MOBILITY_LINEAR + EMPTIES * 2 * MOBILITIES;
}

/// What the forward pass leaves for the backward pass.
#[derive(Clone, Copy, Debug)]
struct Trace<const K: usize> {
    /// Gradient of the loss by the sum.
    sum: [f32; K],
    /// Activations times gradient by the output.
    active: [f32; K],
    /// Gradient by the output.
    output: f32,
}

/// How rows and head are updated.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Learning rate.
    pub rate: f32,
    /// Bound of each entry of a row.
    pub clip: f32,
    /// Share of a row that decays for each unit of rate.
    pub decay: f32,
    /// Errors beyond this many discs count linearly.
    pub huber: f32,
}

/// A network of width `K`; `SIGNED`: activations are squares of sums clipped to -1..=1, else to 0..=1.
#[derive(Clone, Debug)]
pub struct Network<const K: usize, const SIGNED: bool> {
    /// By family.
    pub families: Vec<Family<K>>,
    /// The rest.
    pub head: Head<K>,
    mobility: bool,
    traces: Vec<Trace<K>>,
}

impl<const K: usize, const SIGNED: bool> Network<K, SIGNED> {
    /// Small random numbers.
    pub fn new(seed: u64, mobility: bool) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let begins = family_begins();
        let families = (0..FAMILIES)
            .map(|family| {
                let len = (begins[family + 1] - begins[family]) as usize;
                let first = PATTERNS.iter().position(|p| p.family == family).expect("every family has patterns");
                let count = PATTERNS.iter().filter(|p| p.family == family).count();
                let row = |_| std::array::from_fn(|_| rng.random_range(-0.02f32..0.02));
                Family {
                    rows: (0..len).map(row).collect(),
                    state: vec![State { gradient: [0.0; K], square: [0.0; K], count: 0, touched: false }; len],
                    touched: Vec::new(),
                    instances: first..first + count,
                }
            })
            .collect();
        let mut values = vec![0.0; Place::<K>::LEN];
        let bias = if SIGNED { 0.0 } else { 0.4 };
        values[..Place::<K>::SLOPE].fill(bias);
        for (i, slope) in values[Place::<K>::SLOPE..Place::<K>::CONSTANT].iter_mut().enumerate() {
            *slope = if (i % K).is_multiple_of(2) { 2.0 } else { -2.0 };
        }
        let zero = vec![0.0; Place::<K>::LEN];
        let head = Head { values, gradient: zero.clone(), mean: zero.clone(), square: zero, steps: 0 };
        Network { families, head, mobility, traces: Vec::new() }
    }

    #[inline(always)]
    fn sum(&self, example: &Example) -> [f32; K] {
        let at = Place::<K>::BIAS + example.empties as usize * K;
        let mut sum: [f32; K] = self.head.values[at..at + K].try_into().expect("K values");
        for (family, table) in self.families.iter().enumerate() {
            debug_assert_eq!(PATTERNS[table.instances.start].family, family);
            for f in table.instances.clone() {
                let row = &table.rows[example.rows[f % FEATURES] as usize];
                for j in 0..K {
                    sum[j] += row[j];
                }
            }
        }
        if self.mobility {
            for side in 0..2 {
                let at = Place::<K>::MOBILITY + mobility_row(side, example.mobility[side]) * K;
                let row = &self.head.values[at..at + K];
                for j in 0..K {
                    sum[j] += row[j];
                }
            }
        }
        sum
    }

    #[inline(always)]
    fn clip(value: f32) -> f32 {
        value.max(if SIGNED { -1.0 } else { 0.0 }).min(1.0)
    }

    /// Discs to add to the linear value.
    pub fn output(&self, example: &Example) -> f32 {
        self.output_of(example, &self.sum(example))
    }

    fn output_of(&self, example: &Example, sum: &[f32; K]) -> f32 {
        let empties = example.empties as usize;
        let slope = &self.head.values[Place::<K>::SLOPE + empties * K..][..K];
        let mut output = self.head.values[Place::<K>::CONSTANT + empties];
        for j in 0..K {
            let clipped = Self::clip(sum[j]);
            output += slope[j] * clipped * clipped;
        }
        if self.mobility {
            for side in 0..2 {
                let row = empties * 2 * MOBILITIES + mobility_row(side, example.mobility[side]);
                output += self.head.values[Place::<K>::MOBILITY_LINEAR + row];
            }
        }
        output
    }

    fn trace(&self, example: &Example, huber: f32) -> (Trace<K>, f32) {
        let sum = self.sum(example);
        let error = self.output_of(example, &sum) - example.residual;
        let output = error.clamp(-huber, huber) * example.weight;
        let slope = &self.head.values[Place::<K>::SLOPE + example.empties as usize * K..][..K];
        let mut trace = Trace { sum: [0.0; K], active: [0.0; K], output };
        for j in 0..K {
            let clipped = Self::clip(sum[j]);
            trace.active[j] = output * clipped * clipped;
            trace.sum[j] = if clipped == sum[j] { output * slope[j] * 2.0 * clipped } else { 0.0 };
        }
        (trace, error)
    }

    /// One step on a batch; returns the sum of weighted squared errors and the sum of weights.
    pub fn train(&mut self, batch: &[&Example], step: &Step) -> (f64, f64) {
        let mut traces = std::mem::take(&mut self.traces);
        let parts: Vec<Vec<(Trace<K>, f32)>> =
            batch.par_chunks(128).map(|part| part.iter().map(|e| self.trace(e, step.huber)).collect()).collect();
        traces.clear();
        let mut loss = (0.0, 0.0);
        for ((trace, error), example) in parts.iter().flatten().zip(batch) {
            traces.push(*trace);
            loss.0 += example.weight as f64 * (*error as f64).powi(2);
            loss.1 += example.weight as f64;
        }
        let (head, mobility) = (&mut self.head, self.mobility);
        rayon::join(
            || head.step(batch, &traces, step.rate, mobility),
            || self.families.par_iter_mut().with_max_len(1).for_each(|family| family.step(batch, &traces, step)),
        );
        self.traces = traces;
        loss
    }
}

impl<const K: usize> Family<K> {
    /// Adds up the gradients of the rows in the order of the batch and moves the rows.
    fn step(&mut self, batch: &[&Example], traces: &[Trace<K>], step: &Step) {
        for (example, trace) in batch.iter().zip(traces) {
            for f in self.instances.clone() {
                let row = example.rows[f % FEATURES];
                let state = &mut self.state[row as usize];
                if !state.touched {
                    state.touched = true;
                    self.touched.push(row);
                }
                state.gradient.iter_mut().zip(&trace.sum).for_each(|(gradient, by_sum)| *gradient += by_sum);
            }
        }
        for row in self.touched.drain(..) {
            let (state, row) = (&mut self.state[row as usize], &mut self.rows[row as usize]);
            state.count += 1;
            state.touched = false;
            // the plain mean of the first squares, then a moving one
            let share = (1.0 / state.count as f32).max(0.001);
            for ((entry, &gradient), square) in row.iter_mut().zip(&state.gradient).zip(&mut state.square) {
                *square += share * (gradient * gradient - *square);
                let moved = *entry * (1.0 - step.rate * step.decay) - step.rate * gradient / (square.sqrt() + 1e-6);
                *entry = moved.clamp(-step.clip, step.clip);
            }
            state.gradient = [0.0; K];
        }
    }
}

impl<const K: usize> Head<K> {
    fn step(&mut self, batch: &[&Example], traces: &[Trace<K>], rate: f32, mobility: bool) {
        for (example, trace) in batch.iter().zip(traces) {
            let empties = example.empties as usize;
            let gradient = &mut self.gradient;
            for j in 0..K {
                gradient[Place::<K>::BIAS + empties * K + j] += trace.sum[j];
                gradient[Place::<K>::SLOPE + empties * K + j] += trace.active[j];
            }
            gradient[Place::<K>::CONSTANT + empties] += trace.output;
            if mobility {
                for side in 0..2 {
                    let row = mobility_row(side, example.mobility[side]);
                    for j in 0..K {
                        gradient[Place::<K>::MOBILITY + row * K + j] += trace.sum[j];
                    }
                    gradient[Place::<K>::MOBILITY_LINEAR + empties * 2 * MOBILITIES + row] += trace.output;
                }
            }
        }
        self.steps += 1;
        let unbias = |beta: f32| 1.0 - beta.powi(self.steps as i32);
        let (mean_scale, square_scale) = (1.0 / unbias(0.9), 1.0 / unbias(0.999));
        // slopes and constants are discs, the rest shares of the clipping range
        for i in 0..self.values.len() {
            let gradient = std::mem::take(&mut self.gradient[i]);
            self.mean[i] += 0.1 * (gradient - self.mean[i]);
            self.square[i] += 0.001 * (gradient * gradient - self.square[i]);
            let in_discs = (Place::<K>::SLOPE..Place::<K>::MOBILITY).contains(&i) || i >= Place::<K>::MOBILITY_LINEAR;
            let rate = if in_discs { 5.0 * rate } else { rate };
            self.values[i] -= rate * self.mean[i] * mean_scale / ((self.square[i] * square_scale).sqrt() + 1e-6);
        }
    }
}
