//! The network while it is trained: embedding rows, the head on their sum, and their gradients.
//!
//! Every batch is worked off in two passes that share nothing but reading: forward by sample, then the updates by owner
//! (a family of patterns, or the head), each in the order of the batch. So the number of threads changes nothing.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use super::examples::{Example, INPUTS, family_begins};
use super::quantise::{MIN_UPDATES, MOST_ENTRY, UNITS};
use crate::eval::pattern::{FAMILIES, FEATURES, PATTERNS};
use crate::eval::regions::{self, KINDS, REGIONS};
use crate::eval::{self, EMPTIES, Embedding, UNITS_PER_DISC, WIDTH};

/// Samples of the forward pass that a thread takes at a time.
const PART: usize = 128;
/// Where sums are clipped: what the arithmetic of the evaluation has for 1.
const ONE: f32 = eval::ONE as f32 / UNITS;
/// Bound of the entries of rows: what 8 bits can hold.
const ROW_BOUND: f32 = MOST_ENTRY / UNITS;
/// Bound of the bias; sums never come near it.
const BIAS_BOUND: f32 = 60.0;
/// The weights of the head are discs, rows and bias shares of the clipping range: steps that suit both differ.
const HEAD_RATE: f32 = 5.0;
/// What the weights of a new column of a network that goes on are worth, as a share of those of a new network.
const NEW_COLUMN: f32 = 0.05;
/// Keeps steps finite where gradients are zero.
const EPSILON: f32 = 1e-6;
/// Squared gradients are averaged over this many updates at most.
const MEMORY: f32 = 1000.0;

/// The rows of one family of patterns, or of one kind of regions, with what the optimiser knows of them.
#[derive(Clone, Debug)]
struct Family {
    rows: Vec<[f32; WIDTH]>,
    states: Vec<RowState>,
    /// Rows that the batch has met.
    touched: Vec<u16>,
    /// The family's instances among the inputs.
    instances: std::ops::Range<usize>,
}

#[derive(Clone, Copy, Debug)]
struct RowState {
    gradient: [f32; WIDTH],
    /// Mean of the squared gradients.
    square: [f32; WIDTH],
    /// Updates so far.
    updates: u32,
    /// In the list of touched rows.
    touched: bool,
}

/// Everything above the rows, in one vector: the optimiser need not know what is what.
#[derive(Clone, Debug)]
struct Head {
    values: Vec<f32>,
    gradient: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: u32,
}

/// Places in the head's vectors, by number of empties: where sums begin, what squares are worth, and a constant.
const BIAS: usize = 0;
const WEIGHTS: usize = EMPTIES * WIDTH;
const CONSTANTS: usize = 2 * EMPTIES * WIDTH;
const HEAD: usize = CONSTANTS + EMPTIES;

/// What the forward pass leaves for the updates.
#[derive(Clone, Copy, Debug)]
struct Trace {
    /// Gradient of the loss by the sums.
    sums: [f32; WIDTH],
    /// Gradient by the weights.
    weights: [f32; WIDTH],
    /// Gradient by the output.
    output: f32,
    /// Output minus target.
    error: f32,
}

/// The network: see [`crate::eval::Embedding`], here in discs and shares of the clipping range.
#[derive(Clone, Debug)]
pub struct Network {
    families: Vec<Family>,
    head: Head,
    /// Kept for the next batch: no new memory each time.
    traces: Vec<Trace>,
}

impl Network {
    /// Small random rows, squares worth a little, half of them for each side.
    pub fn new(seed: u64) -> Network {
        let mut rng = StdRng::seed_from_u64(seed);
        let begins = family_begins();
        let fresh = RowState { gradient: [0.0; WIDTH], square: [0.0; WIDTH], updates: 0, touched: false };
        let mut family = |len: usize, instances: std::ops::Range<usize>| Family {
            rows: (0..len).map(|_| std::array::from_fn(|_| rng.random_range(-0.02f32..0.02))).collect(),
            states: vec![fresh; len],
            touched: Vec::new(),
            instances,
        };
        let mut families: Vec<Family> = Vec::with_capacity(FAMILIES + KINDS);
        for of in 0..FAMILIES {
            let instances = || PATTERNS.iter().enumerate().filter(|(_, pattern)| pattern.family == of);
            let first = instances().next().map_or(0, |(f, _)| f);
            let len = (begins[of + 1] - begins[of]) as usize;
            families.push(family(len, first..first + instances().count()));
        }
        let mut first = FEATURES;
        for kind in 0..KINDS {
            let count = (0..REGIONS).filter(|&region| regions::kind(region) == kind).count();
            families.push(family(regions::ROWS[kind], first..first + count));
            first += count;
        }
        let mut values = vec![0.0; HEAD];
        values[BIAS..WEIGHTS].fill(0.4);
        for (i, weight) in values[WEIGHTS..CONSTANTS].iter_mut().enumerate() {
            *weight = if i % 2 == 0 { 2.0 } else { -2.0 };
        }
        let zero = vec![0.0; HEAD];
        let head = Head { values, gradient: zero.clone(), mean: zero.clone(), square: zero, steps: 0 };
        Network { families, head, traces: Vec::new() }
    }

    /// What an embedding was rounded from, as far as can be told; the optimiser knows nothing yet. Columns that say nothing, as
    /// those that a narrower file did not have, begin at random like new ones, worth next to nothing.
    pub fn of(embedding: &Embedding) -> Network {
        let mut network = Network::new(0);
        let used: [bool; WIDTH] = std::array::from_fn(|i| embedding.heads.iter().any(|head| head.weights[i] != 0));
        let own = network.families.iter_mut().flat_map(|family| family.rows.iter_mut().zip(&mut family.states));
        for ((row, state), rounded) in own.zip(&embedding.rows) {
            for i in (0..WIDTH).filter(|&i| used[i]) {
                row[i] = f32::from(rounded[i]) / UNITS;
            }
            // it has something to say already
            state.updates = MIN_UPDATES;
        }
        for (empties, head) in embedding.heads.iter().enumerate() {
            let values = &mut network.head.values;
            for i in 0..WIDTH {
                let weight = &mut values[WEIGHTS + empties * WIDTH + i];
                if !used[i] {
                    *weight *= NEW_COLUMN;
                    continue;
                }
                *weight = f32::from(head.weights[i]) / UNITS_PER_DISC as f32;
                values[BIAS + empties * WIDTH + i] = f32::from(head.bias[i]) / UNITS;
            }
            values[CONSTANTS + empties] = f32::from(head.constant) / UNITS_PER_DISC as f32;
        }
        network
    }

    #[inline(always)]
    fn sums(&self, example: &Example) -> [f32; WIDTH] {
        let mut sums = self.head.of(BIAS, example);
        for family in &self.families {
            for f in family.instances.clone() {
                let row = &family.rows[example.rows[f % INPUTS] as usize];
                sums.iter_mut().zip(row).for_each(|(sum, entry)| *sum += entry);
            }
        }
        sums
    }

    #[inline(always)]
    fn value(&self, example: &Example, sums: &[f32; WIDTH]) -> f32 {
        let weights = self.head.of(WEIGHTS, example);
        let squares = sums.iter().map(|sum| clip(*sum) * clip(*sum));
        let constant = self.head.values[CONSTANTS + example.empties as usize];
        squares.zip(weights).fold(constant, |value, (square, weight)| value + weight * square)
    }

    /// Discs to add to the linear value.
    pub fn output(&self, example: &Example) -> f32 {
        self.value(example, &self.sums(example))
    }

    fn trace(&self, example: &Example) -> Trace {
        let sums = self.sums(example);
        let error = self.value(example, &sums) - example.residual;
        let output = error * example.weight;
        let mut trace = Trace { sums, weights: [0.0; WIDTH], output, error };
        let by_row = trace.sums.iter_mut().zip(&mut trace.weights).zip(self.head.of(WEIGHTS, example));
        for ((sum, by_weight), weight) in by_row {
            let clipped = clip(*sum);
            *by_weight = output * clipped * clipped;
            // beyond the clip a sum has no influence
            *sum = if clipped == *sum { output * weight * 2.0 * clipped } else { 0.0 };
        }
        trace
    }

    /// One step on a batch; returns the sum of the weighted squared errors before it.
    pub fn train(&mut self, batch: &[Example], rate: f32) -> f64 {
        let mut traces = std::mem::take(&mut self.traces);
        batch.par_iter().with_min_len(PART).map(|example| self.trace(example)).collect_into_vec(&mut traces);
        let (head, families) = (&mut self.head, &mut self.families);
        rayon::join(
            || head.step(batch, &traces, rate),
            || families.par_iter_mut().with_max_len(1).for_each(|family| family.step(batch, &traces, rate)),
        );
        let loss = |(trace, example): (&Trace, &Example)| example.weight as f64 * (trace.error as f64).powi(2);
        let total = traces.iter().zip(batch).map(loss).sum();
        self.traces = traces;
        total
    }

    /// The rows in the order of an [`Embedding`], with the number of updates each has seen.
    pub fn rows(&self) -> impl Iterator<Item = (&[f32; WIDTH], u32)> {
        self.families.iter().flat_map(|family| family.rows.iter().zip(family.states.iter().map(|state| state.updates)))
    }

    /// Bias, weights and constant for a number of empties.
    pub fn head(&self, empties: usize) -> (&[f32], &[f32], f32) {
        let part = |place: usize| &self.head.values[place + empties * WIDTH..][..WIDTH];
        (part(BIAS), part(WEIGHTS), self.head.values[CONSTANTS + empties])
    }

    /// Everything that training goes on from, as numbers to save.
    pub fn state(&self) -> Vec<f32> {
        let mut numbers = vec![f32::from_bits(self.head.steps)];
        for part in [&self.head.values, &self.head.mean, &self.head.square] {
            numbers.extend_from_slice(part);
        }
        for (row, state) in self.families.iter().flat_map(|family| family.rows.iter().zip(&family.states)) {
            numbers.extend_from_slice(row);
            numbers.extend_from_slice(&state.square);
            numbers.push(f32::from_bits(state.updates));
        }
        numbers
    }

    /// How many numbers a state has.
    pub fn state_len(&self) -> usize {
        1 + 3 * HEAD + self.families.iter().map(|family| family.rows.len()).sum::<usize>() * (2 * WIDTH + 1)
    }

    /// Goes back to what [`Network::state`] returned.
    ///
    /// # Panics
    /// When there are not [`Network::state_len`] numbers.
    pub fn restore(&mut self, numbers: &[f32]) {
        assert_eq!(numbers.len(), self.state_len(), "the state of another network");
        let (head, rows) = numbers.split_at(1 + 3 * HEAD);
        self.head.steps = head[0].to_bits();
        let parts = [&mut self.head.values, &mut self.head.mean, &mut self.head.square];
        parts.into_iter().zip(head[1..].chunks_exact(HEAD)).for_each(|(part, saved)| part.copy_from_slice(saved));
        let own = self.families.iter_mut().flat_map(|family| family.rows.iter_mut().zip(&mut family.states));
        for ((row, state), saved) in own.zip(rows.chunks_exact(2 * WIDTH + 1)) {
            row.copy_from_slice(&saved[..WIDTH]);
            state.square.copy_from_slice(&saved[WIDTH..2 * WIDTH]);
            state.updates = saved[2 * WIDTH].to_bits();
        }
    }
}

#[inline(always)]
fn clip(sum: f32) -> f32 {
    sum.clamp(0.0, ONE)
}

impl Family {
    /// Adds up the gradients of the rows that the batch has met and moves them. (RMSprop that knows how often it has seen a
    /// row: rare rows would take giant steps otherwise.)
    fn step(&mut self, batch: &[Example], traces: &[Trace], rate: f32) {
        for (example, trace) in batch.iter().zip(traces) {
            for f in self.instances.clone() {
                let row = example.rows[f % INPUTS];
                let state = &mut self.states[row as usize];
                if !state.touched {
                    state.touched = true;
                    self.touched.push(row);
                }
                state.gradient.iter_mut().zip(&trace.sums).for_each(|(gradient, by_sum)| *gradient += by_sum);
            }
        }
        for place in self.touched.drain(..) {
            let (state, row) = (&mut self.states[place as usize], &mut self.rows[place as usize]);
            state.touched = false;
            state.updates = state.updates.saturating_add(1);
            // the plain mean of the first squares, then a moving one
            let share = 1.0 / (state.updates as f32).min(MEMORY);
            for ((entry, gradient), square) in row.iter_mut().zip(&mut state.gradient).zip(&mut state.square) {
                *square += share * (*gradient * *gradient - *square);
                *entry = (*entry - rate * *gradient / (square.sqrt() + EPSILON)).clamp(-ROW_BOUND, ROW_BOUND);
                *gradient = 0.0;
            }
        }
    }
}

impl Head {
    #[inline(always)]
    fn of(&self, place: usize, example: &Example) -> [f32; WIDTH] {
        let at = place + example.empties as usize * WIDTH;
        self.values[at..at + WIDTH].try_into().expect("a slice of that length")
    }

    /// Adds up the gradients and takes a step of Adam.
    fn step(&mut self, batch: &[Example], traces: &[Trace], rate: f32) {
        for (example, trace) in batch.iter().zip(traces) {
            let at = example.empties as usize * WIDTH;
            let mut add = |place: usize, by: &[f32; WIDTH]| {
                let gradient = &mut self.gradient[place + at..][..WIDTH];
                gradient.iter_mut().zip(by).for_each(|(gradient, by)| *gradient += by);
            };
            add(BIAS, &trace.sums);
            add(WEIGHTS, &trace.weights);
            self.gradient[CONSTANTS + example.empties as usize] += trace.output;
        }
        self.steps += 1;
        let unbias = |beta: f32| 1.0 / (1.0 - beta.powi(self.steps as i32));
        let (mean_scale, square_scale) = (unbias(0.9), unbias(0.999));
        for i in 0..HEAD {
            let gradient = std::mem::take(&mut self.gradient[i]);
            self.mean[i] += 0.1 * (gradient - self.mean[i]);
            self.square[i] += 0.001 * (gradient * gradient - self.square[i]);
            let rate = if i < WEIGHTS { rate } else { HEAD_RATE * rate };
            let step = rate * self.mean[i] * mean_scale / ((self.square[i] * square_scale).sqrt() + EPSILON);
            self.values[i] = (self.values[i] - step).clamp(-BIAS_BOUND, BIAS_BOUND);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(empties: u8) -> Example {
        Example { rows: [0; INPUTS], empties, residual: 3.0, weight: 1.0 }
    }

    /// The mean of equal squares is that square, so that steps stay as long as the rate.
    #[test]
    fn rows_take_steps_of_equal_length() {
        let fresh = RowState { gradient: [0.0; WIDTH], square: [0.0; WIDTH], updates: 0, touched: false };
        let mut family =
            Family { rows: vec![[0.5; WIDTH]; 2], states: vec![fresh; 2], touched: Vec::new(), instances: 0..1 };
        let trace = Trace { sums: [2.0; WIDTH], weights: [0.0; WIDTH], output: 0.0, error: 0.0 };
        for steps in 1..=3 {
            family.step(&[example(20)], &[trace], 0.01);
            let entry = 0.5 - 0.01 * steps as f32;
            assert!((family.rows[0][0] - entry).abs() < 1e-5 && family.rows[1] == [0.5; WIDTH], "{steps}");
            assert_eq!((family.states[0].square[0], family.states[0].updates), (4.0, steps));
        }
    }

    #[test]
    fn the_head_of_each_number_of_empties_learns_alone() {
        let mut network = Network::new(3);
        let before = network.clone();
        network.train(&[example(20), example(20)], 0.01);
        for empties in 0..EMPTIES {
            let (bias, weights, constant) = network.head(empties);
            let (old_bias, old_weights, old_constant) = before.head(empties);
            let changed = [bias != old_bias, weights != old_weights, constant != old_constant];
            assert_eq!(changed, [empties == 20; 3], "{empties}");
        }
    }
}
