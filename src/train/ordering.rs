//! The order of moves near the end, fitted: which moves cut, and what that takes.
//!
//! Positions come from the engine's own games and are solved with some moves drawn at random searched first
//! (`search::othello::sampling`). A small network learns from these moves with what chance one cuts and how many nodes one that cuts takes
//! (`network`), and is written as the whole numbers that the search counts in (`search::othello::cost`). Every tenth position is left out,
//! and what the whole numbers are worth is measured on its moves.

mod network;

use std::ops::RangeInclusive;
use std::sync::Arc;

use rand::RngExt;
use rayon::prelude::*;
use serde::Serialize;

use super::probcut::{own_game, rng_of};
use crate::engine::{Engine, Options};
use crate::eval::Weights;
use crate::search::SearchError;
use crate::search::othello::cost::{self, CHANCE, COST, Model};
use crate::search::othello::{Sample, samples};
use crate::workers;

/// What to fit the order to.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Positions to be solved; some 430 moves come out of each.
    pub positions: usize,
    /// Empty squares of these positions. Below 17 there are few moves to draw.
    pub empties: RangeInclusive<u32>,
    /// Seed of the games, of the moves that are drawn and of the training.
    pub seed: u64,
    /// Passes of the training over the moves.
    pub epochs: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { positions: 2000, empties: 17..=22, seed: 1, epochs: 20 }
    }
}

/// One of so many positions is left out of the training, for testing.
const TEST_ONE_IN: usize = 10;
/// Fewer moves to train with do not tell what orders moves: a network of 216 numbers learns them by heart.
const LEAST_SAMPLES: usize = 5000;

/// The moves that were drawn at nodes with one number of empty squares.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Drawn {
    /// Empty squares of the nodes.
    pub empties: u32,
    /// Moves, all of them at nodes that some move cuts.
    pub count: usize,
    /// Share (0 to 1) of these moves that cut; none without moves.
    pub cuts: Option<f64>,
    /// Mean natural logarithm of the nodes that searching a move has taken, over those that cut; none without any.
    pub ln_nodes: Option<f64>,
}

/// Why no search should order moves by a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It was fitted to this number of moves only.
    #[error("{0} moves are too few to fit an order to ({LEAST_SAMPLES} would do): take more positions")]
    TooFew(usize),
    /// Its estimates for test moves are no better than means are.
    #[error("the network has learned nothing that helps with test moves: take more positions or epochs")]
    Untaught,
}

/// The fitted network, with what it was fitted to and what it is worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// Moves that the network was trained with.
    pub train_samples: usize,
    /// Moves that it was tested with, of positions left out of the training.
    pub test_samples: usize,
    /// All these moves, by rising number of empty squares.
    pub empties: Vec<Drawn>,
    /// Mean of minus the natural logarithm of the chance that the network gave to what a test move did: to cut, or not. None without
    /// test moves.
    pub log_loss: Option<f64>,
    /// The same of the share of training moves that cut with as many empty squares: what is known without looking at a move.
    pub base_log_loss: Option<f64>,
    /// Share (at most 1) of the variance of ln nodes among the test moves that cut which the network explains; none
    /// without two different ones.
    pub r_squared: Option<f64>,
    #[serde(skip)]
    model: Model,
}

impl Fit {
    /// Whether the search may order moves by the network.
    ///
    /// # Errors
    /// When it was fitted to too few moves, or tests do not show that it has learned anything.
    pub fn check(&self) -> Result<(), Unfit> {
        if self.train_samples < LEAST_SAMPLES {
            return Err(Unfit::TooFew(self.train_samples));
        }
        let knows_chances = self.log_loss.zip(self.base_log_loss).is_some_and(|(loss, base)| loss < base);
        let knows_costs = self.r_squared.is_some_and(|share| share > 0.0);
        if knows_chances && knows_costs { Ok(()) } else { Err(Unfit::Untaught) }
    }

    /// The network as the file src/search/othello/cost.in has it, which is compiled in: a Rust expression.
    pub fn source(&self) -> String {
        let Model { inputs, classes, empties, outputs, constants } = &self.model;
        format!(
            "Model {{\n{}{}{}{}{}}}\n",
            field("inputs", inputs),
            field("classes", classes),
            field("empties", empties),
            field("outputs", outputs),
            field("constants", constants)
        )
    }
}

/// A field of rows, one a line.
fn field<const N: usize>(name: &str, rows: &[[i32; N]]) -> String {
    let width = rows.as_flattened().iter().map(|number| number.to_string().len()).max().unwrap_or_default();
    let mut text = format!("    {name}: [\n");
    for row in rows {
        let numbers = row.map(|number| format!("{number:>width$}"));
        text += &format!("        [{}],\n", numbers.join(", "));
    }
    text + "    ],\n"
}

/// Solves positions with `weights` and fits the network to what their moves cost. `progress` is called once for every position solved.
///
/// The same settings and weights give the same fit, on any number of threads.
///
/// # Errors
/// When there is not enough memory for the solves.
pub fn fit(settings: &Settings, weights: &Arc<Weights>, progress: &(dyn Fn() + Sync)) -> Result<Fit, SearchError> {
    workers::ready();
    let solved: Vec<Vec<Sample>> = (0..settings.positions)
        .into_par_iter()
        .map_init(
            || Engine::new(Options { hash_mib: 16, threads: 1 }).with_weights(Some(weights.clone())),
            |engine, i| {
                let drawn = samples_of(engine, settings, weights, i);
                progress();
                drawn
            },
        )
        .collect::<Result<_, _>>()?;
    let (mut train, mut test) = (Vec::new(), Vec::new());
    for (i, drawn) in solved.into_iter().enumerate() {
        if i % TEST_ONE_IN == 0 { &mut test } else { &mut train }.extend(drawn);
    }
    Ok(fitted(&train, &test, settings))
}

/// Samples of the `i`-th position's solve.
fn samples_of(
    engine: &mut Engine,
    settings: &Settings,
    weights: &Arc<Weights>,
    i: usize,
) -> Result<Vec<Sample>, SearchError> {
    let mut rng = rng_of(settings.seed, i);
    // what the table remembers of other games would depend on which thread had them
    engine.clear();
    let board = loop {
        let empties = rng.random_range(settings.empties.clone());
        if let Some(board) = own_game(engine, &mut rng, empties) {
            break board;
        }
    };
    samples(board, weights, rng.random())
}

/// Trains with some samples and tests with others.
fn fitted(train: &[Sample], test: &[Sample], settings: &Settings) -> Fit {
    let model = network::train(train, settings.epochs, settings.seed).quantised();
    let outputs = |sample: &Sample| {
        let parts = (1 << cost::KEY_BITS) as f64;
        model.outputs(sample.empties, &sample.inputs).map(|output| output as f64 / parts)
    };
    let shares = shares(train);
    let log_loss = mean(test.iter().map(|sample| network::log_loss(outputs(sample)[CHANCE], sample.cuts)));
    let base_log_loss = mean(test.iter().map(|sample| {
        let share = shares[row(sample)];
        -if sample.cuts { share } else { 1.0 - share }.ln()
    }));
    let costs: Vec<(f64, f64)> =
        test.iter().filter(|sample| sample.cuts).map(|sample| (outputs(sample)[COST], ln_nodes(sample))).collect();
    Fit {
        train_samples: train.len(),
        test_samples: test.len(),
        empties: by_empties(train.iter().chain(test)),
        log_loss,
        base_log_loss,
        r_squared: r_squared(&costs),
        model,
    }
}

/// The place of a sample's number of empty squares in the rows of the network.
fn row(sample: &Sample) -> usize {
    (sample.empties - cost::LEAST) as usize
}

/// What the network estimates the nodes of a move by. (A child that the table knows takes none.)
fn ln_nodes(sample: &Sample) -> f64 {
    (sample.nodes.max(1) as f64).ln()
}

/// Shares of moves that cut, by numbers of empty squares. Of few moves they lean to one half (Laplace's rule), so that none is
/// certain.
fn shares(samples: &[Sample]) -> [f64; cost::EMPTIES] {
    let mut counts = [(0, 0); cost::EMPTIES];
    for sample in samples {
        let (all, cuts) = &mut counts[row(sample)];
        *all += 1;
        *cuts += sample.cuts as u32;
    }
    counts.map(|(all, cuts)| (cuts + 1) as f64 / (all + 2) as f64)
}

fn by_empties<'a>(samples: impl Iterator<Item = &'a Sample> + Clone) -> Vec<Drawn> {
    let drawn = |empties: u32| {
        let here = samples.clone().filter(|sample| sample.empties == empties);
        Drawn {
            empties,
            count: here.clone().count(),
            cuts: mean(here.clone().map(|sample| sample.cuts as u32 as f64)),
            ln_nodes: mean(here.filter(|sample| sample.cuts).map(ln_nodes)),
        }
    };
    (cost::LEAST..=cost::MOST).map(drawn).collect()
}

/// The mean, if there is one.
fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = numbers.fold((0, 0.0), |(count, sum), number| (count + 1, sum + number));
    (count > 0).then(|| sum / count as f64)
}

/// Of pairs of an estimate and the truth: 1 less the estimates' squared errors per squared error of the mean.
fn r_squared(pairs: &[(f64, f64)]) -> Option<f64> {
    let middle = mean(pairs.iter().map(|(_, truth)| *truth))?;
    let errors: f64 = pairs.iter().map(|(estimate, truth)| (estimate - truth).powi(2)).sum();
    let variation: f64 = pairs.iter().map(|(_, truth)| (truth - middle).powi(2)).sum();
    (variation > 0.0).then(|| 1.0 - errors / variation)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use super::*;
    use crate::search::othello::cost::{CLASSES, Inputs};

    /// Moves that cut the likelier the higher their linear value, and cost the more the more replies they leave.
    pub(super) fn made_up(count: usize, seed: u64) -> Vec<Sample> {
        let mut rng = StdRng::seed_from_u64(seed);
        let sample = |_| {
            let mut numbers = [0; cost::INPUTS];
            numbers.iter_mut().for_each(|number| *number = rng.random_range(-8..=8));
            numbers[0] = rng.random_range(0..16);
            numbers[4] = rng.random_range(-80..=80);
            let empties = rng.random_range(cost::LEAST..=cost::MOST);
            let chance = 1.0 / (1.0 + (-0.05 * numbers[4] as f64).exp());
            let nodes = (4.0 + 0.4 * numbers[0] as f64 + 0.5 * (empties - cost::LEAST) as f64).exp();
            let class = rng.random_range(0..CLASSES) as u8;
            Sample { empties, inputs: Inputs { numbers, class }, cuts: rng.random_bool(chance), nodes: nodes as u64 }
        };
        (0..count).map(sample).collect()
    }

    #[test]
    fn a_known_rule_is_recovered() {
        let (train, test) = (made_up(20_000, 1), made_up(2000, 2));
        let found = fitted(&train, &test, &Settings::default());
        assert_eq!((found.train_samples, found.test_samples), (20_000, 2000));
        assert!(found.r_squared.unwrap() > 0.98, "{found:?}");
        // 0.69 is a coin's; the rule itself, tested with endless moves, has about 0.4
        let (loss, base) = (found.log_loss.unwrap(), found.base_log_loss.unwrap());
        assert!(loss < 0.45 && base > 0.65, "{loss} {base}");
        assert_eq!(found.check(), Ok(()));
        for untaught in [
            Fit { log_loss: Some(base), ..found.clone() },
            Fit { r_squared: Some(-0.1), ..found.clone() },
            Fit { r_squared: None, ..found.clone() },
        ] {
            assert_eq!(untaught.check(), Err(Unfit::Untaught));
        }
        let at = |replies: i32, value: i32| {
            let mut numbers = [0; cost::INPUTS];
            (numbers[0], numbers[4]) = (replies, value);
            Inputs { numbers, class: 3 }
        };
        for empties in cost::LEAST..=cost::MOST {
            let outputs = |replies, value| found.model.outputs(empties, &at(replies, value));
            let key = |replies, value| found.model.key(empties, &at(replies, value));
            // cheaper of equal chance, likelier of equal cost
            assert!(key(3, 0) > key(5, 0) && key(5, 40) > key(5, -40), "{empties}");
            // four more replies cost a factor exp(1.6)
            let more = (outputs(9, 0)[COST] - outputs(5, 0)[COST]) as f64 / 1024.0;
            assert!((more - 1.6).abs() < 0.2, "{empties}: {more}");
            let logit = outputs(7, 20)[CHANCE] as f64 / 1024.0;
            assert!((logit - 1.0).abs() < 0.35, "{empties}: {logit}");
        }
    }

    #[test]
    fn figures_by_empties_are_those_of_the_moves() {
        let inputs = Inputs { numbers: [0; cost::INPUTS], class: 0 };
        let sample = |empties, cuts, nodes| Sample { empties, inputs, cuts, nodes };
        let samples = [sample(13, true, 100), sample(13, true, 10_000), sample(13, false, 5), sample(16, false, 7)];
        let found = by_empties(samples.iter());
        assert_eq!(
            found.iter().map(|drawn| (drawn.empties, drawn.count)).collect::<Vec<_>>(),
            [(13, 3), (14, 0), (15, 0), (16, 1)]
        );
        assert_eq!(found[0].cuts, Some(2.0 / 3.0));
        assert!((found[0].ln_nodes.unwrap() - 1000_f64.ln()).abs() < 1e-9);
        assert_eq!((found[1].cuts, found[3].cuts, found[3].ln_nodes), (None, Some(0.0), None));
        assert_eq!(shares(&samples), [0.6, 0.5, 0.5, 1.0 / 3.0]);
        assert_eq!(r_squared(&[(1.0, 1.0), (3.0, 3.0)]), Some(1.0));
        assert_eq!(r_squared(&[(2.0, 1.0), (2.0, 3.0)]), Some(0.0));
        assert_eq!((r_squared(&[(2.0, 1.0)]), r_squared(&[])), (None, None));
    }

    #[test]
    fn the_source_is_the_model() {
        let mut rng = StdRng::seed_from_u64(7);
        let mut found = fitted(&[], &[], &Settings::default());
        let model = &mut found.model;
        let rows = [&mut model.inputs[..], &mut model.classes, &mut model.empties, &mut model.outputs];
        rows.into_iter().flatten().flatten().for_each(|number| *number = rng.random_range(-99_999..99_999));
        model.constants.as_flattened_mut().fill_with(|| rng.random_range(-9_999_999..9_999_999));
        let source = found.source();
        let mut read = source
            .split(|c: char| !c.is_ascii_digit() && c != '-')
            .filter(|word| !word.is_empty())
            .map(|word| word.parse::<i32>().unwrap());
        let mut next = |name: &str, numbers: &[i32]| {
            assert!(source.contains(&format!("\n    {name}: [\n")), "{name}");
            numbers.iter().for_each(|number| assert_eq!(read.next(), Some(*number), "{name}"));
        };
        next("inputs", found.model.inputs.as_flattened());
        next("classes", found.model.classes.as_flattened());
        next("empties", found.model.empties.as_flattened());
        next("outputs", found.model.outputs.as_flattened());
        next("constants", found.model.constants.as_flattened());
        assert_eq!(read.next(), None);
        // a row a line, between those of the struct and its five fields
        let rows = cost::INPUTS + CLASSES + cost::EMPTIES + 2 + cost::EMPTIES;
        assert_eq!(source.lines().count(), rows + 2 + 5 * 2);
        assert!(source.starts_with("Model {\n") && source.ends_with("\n}\n"));
    }

    #[test]
    fn a_small_fit_is_reproducible_on_any_number_of_threads() {
        let settings = Settings { positions: 5, empties: 16..=17, seed: 3, epochs: 2 };
        let weights = Weights::embedded();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let done = std::sync::atomic::AtomicUsize::new(0);
            let count = || _ = done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let found = pool.install(|| fit(&settings, &weights, &count)).unwrap();
            assert_eq!(done.into_inner(), 5);
            found
        };
        let first = on(1);
        assert_eq!(first, on(3));
        assert!(first.train_samples > 10 && first.test_samples > 0, "{first:?}");
        assert_eq!(
            first.empties.iter().map(|drawn| drawn.count).sum::<usize>(),
            first.train_samples + first.test_samples
        );
        assert_eq!(first.check(), Err(Unfit::TooFew(first.train_samples)));
        let other = fit(&Settings { seed: 4, ..settings }, &weights, &|| {}).unwrap();
        assert_ne!(first, other);
    }

    #[test]
    fn a_fit_to_nothing_says_so() {
        let found = fit(&Settings { positions: 0, ..Settings::default() }, &Weights::embedded(), &|| {}).unwrap();
        assert_eq!((found.train_samples, found.test_samples, found.check()), (0, 0, Err(Unfit::TooFew(0))));
        assert_eq!((found.log_loss, found.base_log_loss, found.r_squared), (None, None, None));
    }
}
