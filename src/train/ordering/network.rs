//! The network of [`cost`] in floating point, its training and its rounding.
//!
//! Its loss is that of the chance (cross entropy of its logistic function and whether the move cuts) and, for moves
//! that cut, the squared error of ln nodes. What a move that fails to cut has taken says nothing of what a cut takes.

use std::f64::consts::PI;

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use super::{ln_nodes, mean, row};
use crate::search::othello::Sample;
use crate::search::othello::cost::{
    CHANCE, CLASSES, COST, EMPTIES, INPUTS, KEY_BITS, LAYER_BITS, Model, OUTPUT_BITS, UNIT_BITS, UNITS,
};

/// Samples of a step.
const BATCH: usize = 1024;
/// Step size of Adam at the start; it falls to nothing along half a cosine.
const RATE: f64 = 3e-3;
/// How much of its means of gradients and of their squares Adam keeps in a step.
const KEPT: [f64; 2] = [0.9, 0.999];
/// Keeps Adam's steps finite where there is no gradient.
const EPSILON: f64 = 1e-8;
/// Weight of the chance's loss beside that of ln nodes.
const CHANCE_WEIGHT: f64 = 2.0;
/// The most that comes out of a unit, as in [`Model::outputs`].
const MOST_UNIT: f64 = 32.0;

/// What training sees of a sample.
struct Example {
    row: usize,
    class: usize,
    numbers: [f64; INPUTS],
    cuts: bool,
    ln_nodes: f64,
}

impl Example {
    fn of(sample: &Sample) -> Example {
        Example {
            row: row(sample),
            class: sample.inputs.class as usize,
            numbers: sample.inputs.numbers.map(f64::from),
            cuts: sample.cuts,
            ln_nodes: ln_nodes(sample),
        }
    }
}

/// Mean and standard deviation of every input: steps of one size suit inputs of one size only.
struct Spread([(f64, f64); INPUTS]);

impl Spread {
    fn of(examples: &[Example]) -> Spread {
        Spread(std::array::from_fn(|i| {
            let middle = mean(examples.iter().map(|example| example.numbers[i])).unwrap_or_default();
            let variance = mean(examples.iter().map(|example| (example.numbers[i] - middle).powi(2)));
            // an input that never changes is only shifted
            (middle, variance.filter(|variance| *variance > 0.0).unwrap_or(1.0).sqrt())
        }))
    }

    fn standardise(&self, example: &mut Example) {
        for (number, (middle, deviation)) in example.numbers.iter_mut().zip(self.0) {
            *number = (*number - middle) / deviation;
        }
    }
}

/// The numbers of the network, each where [`Model`] has it; also a gradient by them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Network {
    inputs: [[f64; UNITS]; INPUTS],
    classes: [[f64; UNITS]; CLASSES],
    empties: [[f64; UNITS]; EMPTIES],
    outputs: [[f64; UNITS]; 2],
    constants: [[f64; 2]; EMPTIES],
}

impl Network {
    const ZERO: Network = Network {
        inputs: [[0.0; UNITS]; INPUTS],
        classes: [[0.0; UNITS]; CLASSES],
        empties: [[0.0; UNITS]; EMPTIES],
        outputs: [[0.0; UNITS]; 2],
        constants: [[0.0; 2]; EMPTIES],
    };

    /// Random where units must differ to learn different things: weights that keep sums of as many numbers within the size of
    /// one. The outputs begin at what is true of all moves.
    fn random(rng: &mut StdRng, examples: &[Example]) -> Network {
        let mut network = Network::ZERO;
        let mut uniform = |count: usize| {
            let bound = 1.0 / (count as f64).sqrt();
            rng.random_range(-bound..=bound)
        };
        network.inputs.as_flattened_mut().fill_with(|| uniform(INPUTS));
        let biases: [f64; UNITS] = std::array::from_fn(|_| uniform(INPUTS));
        network.empties.fill(biases);
        network.outputs.as_flattened_mut().fill_with(|| uniform(UNITS));
        let mut start = [0.0; 2];
        start[COST] =
            mean(examples.iter().filter(|example| example.cuts).map(|example| example.ln_nodes)).unwrap_or(0.0);
        network.constants.fill(start);
        network
    }

    fn numbers(&self) -> impl Iterator<Item = &f64> {
        let layer = [self.inputs.as_flattened(), self.classes.as_flattened(), self.empties.as_flattened()];
        let rest = [self.outputs.as_flattened(), self.constants.as_flattened()];
        layer.into_iter().chain(rest).flatten()
    }

    fn numbers_mut(&mut self) -> impl Iterator<Item = &mut f64> {
        let layer = [self.inputs.as_flattened_mut(), self.classes.as_flattened_mut(), self.empties.as_flattened_mut()];
        let rest = [self.outputs.as_flattened_mut(), self.constants.as_flattened_mut()];
        layer.into_iter().chain(rest).flatten()
    }

    /// What goes into the units.
    fn sums(&self, example: &Example) -> [f64; UNITS] {
        let mut sums = self.empties[example.row];
        add(&mut sums, 1.0, &self.classes[example.class]);
        for (number, weights) in example.numbers.iter().zip(&self.inputs) {
            add(&mut sums, *number, weights);
        }
        sums
    }

    /// What comes out, given what comes out of the units.
    fn outputs(&self, example: &Example, units: &[f64; UNITS]) -> [f64; 2] {
        let mut outputs = self.constants[example.row];
        for (output, weights) in outputs.iter_mut().zip(&self.outputs) {
            *output += units.iter().zip(weights).map(|(unit, weight)| unit * weight).sum::<f64>();
        }
        outputs
    }

    /// Adds the gradient of one example's loss, so many times.
    fn add_gradient(&self, example: &Example, times: f64, gradient: &mut Network) {
        let sums = self.sums(example);
        let units = sums.map(out_of_unit);
        let outputs = self.outputs(example, &units);
        let mut by_outputs = [0.0; 2];
        by_outputs[CHANCE] = times * CHANCE_WEIGHT * (logistic(outputs[CHANCE]) - example.cuts as u32 as f64);
        if example.cuts {
            by_outputs[COST] = times * 2.0 * (outputs[COST] - example.ln_nodes);
        }
        let mut by_sums = [0.0; UNITS];
        for (o, by_output) in by_outputs.into_iter().enumerate() {
            gradient.constants[example.row][o] += by_output;
            add(&mut gradient.outputs[o], by_output, &units);
            add(&mut by_sums, by_output, &self.outputs[o]);
        }
        for (by_sum, sum) in by_sums.iter_mut().zip(sums) {
            if sum <= 0.0 || sum >= MOST_UNIT {
                *by_sum = 0.0;
            }
        }
        add(&mut gradient.empties[example.row], 1.0, &by_sums);
        add(&mut gradient.classes[example.class], 1.0, &by_sums);
        for (number, weights) in example.numbers.iter().zip(&mut gradient.inputs) {
            add(weights, *number, &by_sums);
        }
    }

    /// The network that makes of plain inputs what this one makes of standardised ones.
    fn of_plain_inputs(mut self, spread: &Spread) -> Network {
        for (weights, (middle, deviation)) in self.inputs.iter_mut().zip(spread.0) {
            weights.iter_mut().for_each(|weight| *weight /= deviation);
            self.empties.iter_mut().for_each(|row| add(row, -middle, weights));
        }
        self
    }

    /// The network in whole numbers. [`Model::outputs`] rounds down where it leaves bits out; half of the last one that stays is added
    /// before, to rows that enter once, so that it rounds to the nearest.
    ///
    /// Nothing overflows while sums of units stay within 2^17 and outputs within 2^11: products may wrap, since sums wrap back.
    pub(super) fn quantised(&self) -> Model {
        let layer = f64::from(1 << LAYER_BITS);
        let half_unit = f64::from(1 << (LAYER_BITS - UNIT_BITS)) / 2.0;
        let constants = f64::from(1 << (UNIT_BITS + OUTPUT_BITS));
        let half_output = f64::from(1 << (UNIT_BITS + OUTPUT_BITS - KEY_BITS)) / 2.0;
        Model {
            inputs: rounded(&self.inputs, layer, 0.0),
            classes: rounded(&self.classes, layer, 0.0),
            empties: rounded(&self.empties, layer, half_unit),
            outputs: rounded(&self.outputs, f64::from(1 << OUTPUT_BITS), 0.0),
            constants: rounded(&self.constants, constants, half_output),
        }
    }
}

/// Numbers in parts of one, and more by so many parts.
fn rounded<const N: usize, const M: usize>(rows: &[[f64; N]; M], parts: f64, more: f64) -> [[i32; N]; M] {
    rows.map(|row| row.map(|number| (number * parts + more).round() as i32))
}

fn add(sums: &mut [f64; UNITS], times: f64, numbers: &[f64; UNITS]) {
    sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += times * number);
}

fn out_of_unit(sum: f64) -> f64 {
    sum.clamp(0.0, MOST_UNIT)
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Minus the logarithm of the chance that a logit gives to what happened; finite however sure it was.
pub(super) fn log_loss(logit: f64, happened: bool) -> f64 {
    let against = if happened { -logit } else { logit };
    against.max(0.0) + (-against.abs()).exp().ln_1p()
}

/// The optimizer: a step goes by the mean of gradients so far, per root of the mean of their squares.
struct Adam {
    steps: i32,
    mean: Network,
    square: Network,
}

impl Adam {
    fn step(&mut self, network: &mut Network, gradient: &Network, rate: f64) {
        self.steps += 1;
        // means begin at nothing: divided by the share of them that is there already
        let [there, square_there] = KEPT.map(|kept| 1.0 - kept.powi(self.steps));
        let means = self.mean.numbers_mut().zip(self.square.numbers_mut());
        for ((number, gradient), (mean, square)) in network.numbers_mut().zip(gradient.numbers()).zip(means) {
            *mean = KEPT[0] * *mean + (1.0 - KEPT[0]) * gradient;
            *square = KEPT[1] * *square + (1.0 - KEPT[1]) * gradient * gradient;
            *number -= rate * (*mean / there) / ((*square / square_there).sqrt() + EPSILON);
        }
    }
}

/// Trains a network with so many passes over the samples. The same seed gives the same network.
pub(super) fn train(samples: &[Sample], epochs: u32, seed: u64) -> Network {
    let mut examples: Vec<Example> = samples.iter().map(Example::of).collect();
    let spread = Spread::of(&examples);
    examples.iter_mut().for_each(|example| spread.standardise(example));
    let mut rng = StdRng::seed_from_u64(seed);
    let mut network = Network::random(&mut rng, &examples);
    let mut adam = Adam { steps: 0, mean: Network::ZERO, square: Network::ZERO };
    let mut order: Vec<u32> = (0..examples.len() as u32).collect();
    let steps = epochs as usize * order.len().div_ceil(BATCH);
    for _ in 0..epochs {
        order.shuffle(&mut rng);
        for batch in order.chunks(BATCH) {
            let mut gradient = Network::ZERO;
            for &i in batch {
                network.add_gradient(&examples[i as usize], 1.0 / batch.len() as f64, &mut gradient);
            }
            let rate = RATE * (0.5 + 0.5 * (PI * f64::from(adam.steps) / steps as f64).cos());
            adam.step(&mut network, &gradient, rate);
        }
    }
    network.of_plain_inputs(&spread)
}

#[cfg(test)]
mod tests {
    use super::super::tests::made_up;
    use super::*;

    fn outputs(network: &Network, example: &Example) -> [f64; 2] {
        network.outputs(example, &network.sums(example).map(out_of_unit))
    }

    fn loss(network: &Network, example: &Example) -> f64 {
        let outputs = outputs(network, example);
        let of_cost = if example.cuts { (outputs[COST] - example.ln_nodes).powi(2) } else { 0.0 };
        CHANCE_WEIGHT * log_loss(outputs[CHANCE], example.cuts) + of_cost
    }

    #[test]
    fn gradients_are_differences_of_the_loss() {
        let mut examples: Vec<Example> = made_up(40, 5).iter().map(Example::of).collect();
        let spread = Spread::of(&examples);
        examples.iter_mut().for_each(|example| spread.standardise(example));
        let mut network = Network::random(&mut StdRng::seed_from_u64(9), &examples);
        let mut gradient = Network::ZERO;
        examples.iter().for_each(|example| network.add_gradient(example, 1.0, &mut gradient));
        let step = 1e-6;
        for (i, found) in gradient.numbers().enumerate() {
            let mut at = |by: f64| {
                let number = network.numbers_mut().nth(i).unwrap();
                let before = std::mem::replace(number, *number + by);
                let loss: f64 = examples.iter().map(|example| loss(&network, example)).sum();
                *network.numbers_mut().nth(i).unwrap() = before;
                loss
            };
            let difference = (at(step) - at(-step)) / (2.0 * step);
            assert!((found - difference).abs() < 1e-4 * (1.0 + found.abs()), "{i}: {found} {difference}");
        }
        assert!(gradient.numbers().filter(|number| **number != 0.0).count() > 150);
    }

    #[test]
    fn inputs_that_never_change_are_only_shifted() {
        let mut examples: Vec<Example> = made_up(40, 5).iter().map(Example::of).collect();
        examples.iter_mut().for_each(|example| example.numbers[3] = 7.0);
        let spread = Spread::of(&examples);
        examples.iter_mut().for_each(|example| spread.standardise(example));
        assert!(examples.iter().all(|example| example.numbers[3] == 0.0));
        let squares = mean(examples.iter().map(|example| example.numbers[0].powi(2))).unwrap();
        assert!((squares - 1.0).abs() < 1e-9, "{squares}");
    }

    #[test]
    fn whole_numbers_say_what_the_network_says() {
        let samples = made_up(5000, 3);
        let network = train(&samples, 100, 1);
        let model = network.quantised();
        let (mut squares, mut units, mut least, mut most) = (0.0, 0, f64::MAX, f64::MIN);
        for sample in &samples {
            let example = Example::of(sample);
            let exact = outputs(&network, &example);
            let whole = model.outputs(sample.empties, &sample.inputs).map(|output| f64::from(output) / 1024.0);
            for (exact, whole) in exact.into_iter().zip(whole) {
                assert!((exact - whole).abs() < 20.0 / 1024.0, "{sample:?}: {exact} {whole}");
                squares += (exact - whole).powi(2);
                units += 1;
            }
            (least, most) = (exact[COST].min(least), exact[COST].max(most));
        }
        assert!(most - least > 2.0, "outputs differ: {least} {most}");
        assert!((squares / f64::from(units)).sqrt() < 5.0 / 1024.0, "{}", (squares / f64::from(units)).sqrt());
    }

    #[test]
    fn units_stop_where_those_of_the_search_do() {
        let mut sample = made_up(1, 3)[0];
        let mut network = Network::ZERO;
        network.inputs[2][0] = 1.0;
        network.outputs[CHANCE][0] = 0.5;
        network.outputs[COST][0] = -0.25;
        let model = network.quantised();
        for (number, expected) in [(-5, [0.0, 0.0]), (10, [5.0, -2.5]), (32, [16.0, -8.0]), (60, [16.0, -8.0])] {
            sample.inputs.numbers[2] = number;
            assert_eq!(outputs(&network, &Example::of(&sample)), expected);
            let whole = model.outputs(sample.empties, &sample.inputs).map(|output| f64::from(output) / 1024.0);
            assert_eq!(whole, expected, "{number}");
        }
    }

    #[test]
    fn a_seed_gives_one_network() {
        let samples = made_up(500, 4);
        assert_eq!(train(&samples, 2, 1), train(&samples, 2, 1));
        assert_ne!(train(&samples, 2, 1), train(&samples, 2, 2));
    }

    #[test]
    fn losses_of_sure_chances_are_finite() {
        assert!((log_loss(0.0, true) - 2_f64.ln()).abs() < 1e-12);
        assert!((log_loss(1.5, true) + logistic(1.5).ln()).abs() < 1e-12);
        assert!((log_loss(1.5, false) + (1.0 - logistic(1.5)).ln()).abs() < 1e-12);
        assert_eq!((log_loss(900.0, false), log_loss(900.0, true)), (900.0, 0.0));
    }
}
