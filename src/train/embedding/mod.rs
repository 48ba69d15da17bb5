//! Training the embedding on what the linear value leaves to explain.
//!
//! The linear model stays as it is; stochastic gradients fit the rows and the heads to the rest, and the result is
//! rounded to the integers the search computes with.

mod examples;
mod network;
mod quantise;
mod reach;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use self::examples::{Example, Examples};
use self::network::Network;
use super::checkpoint::{Checkpoints, EMBEDDING};
use super::dataset::{Dataset, Sample};
use crate::eval::Errors;
use crate::eval::{Embedding, Model, WIDTH, Weights};

/// What front ends let people ask for as [`Settings::rate`]: more than the whole clipping range a step teaches nothing, and far above it
/// numbers are none any more.
pub const RATES: std::ops::RangeInclusive<f64> = 1e-9..=1.0;

/// How to train.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Passes over the data.
    pub epochs: usize,
    /// Samples a step.
    pub batch: usize,
    /// Learning rate at the start; it falls to nearly nothing along a cosine.
    pub rate: f32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { epochs: 4, batch: 2048, rate: 1e-3 }
    }
}

/// How one pass over the data went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Root mean squared error on the samples as they came, in discs.
    pub train_rmse: f64,
    /// Root mean squared error on the test positions after it; none without any.
    pub test_rmse: Option<f64>,
    /// Mean absolute error on them.
    pub test_mae: Option<f64>,
}

/// The lowest learning rate as a share of the first.
const LAST_RATE: f32 = 0.002;

/// Adds an embedding to a linear model, beginning with `start`, or else at random. `progress` sees the samples seen so
/// far and each finished pass; passes that `checkpoints` has are not made again.
///
/// # Errors
/// When a checkpoint cannot be written.
pub fn fit(
    dataset: &Dataset,
    model: &mut Model,
    start: Option<&Embedding>,
    settings: &Settings,
    seed: u64,
    checkpoints: &Checkpoints,
    progress: &mut dyn FnMut(usize, Option<Epoch>),
) -> std::io::Result<Vec<Epoch>> {
    model.embedding = None;
    let linear = Weights::new(model);
    let examples = Examples::new(&linear);
    let train: Vec<&Sample> = dataset.stages.iter().flat_map(|stage| &stage.train).collect();
    let test: Vec<&Sample> = dataset.stages.iter().flat_map(|stage| &stage.test).collect();
    let network = start.map_or_else(|| Network::new(seed), Network::of);
    let mut training = Training::new(&train, examples, network, settings, seed);
    training.resume(checkpoints);
    while training.epochs.len() < settings.epochs {
        let epoch = training.pass(&test, &mut |seen| progress(seen, None));
        progress(0, Some(epoch));
        checkpoints.save(EMBEDDING, WIDTH, &training.state())?;
    }
    quantise::install(&training.network, model);
    reach::bound(model, dataset);
    Ok(training.epochs)
}

/// A training under way.
struct Training<'a> {
    train: &'a [&'a Sample],
    examples: Examples<'a>,
    settings: &'a Settings,
    seed: u64,
    network: Network,
    epochs: Vec<Epoch>,
}

/// Numbers that an epoch is saved as.
const EPOCH_NUMBERS: usize = 3;

impl Training<'_> {
    fn new<'a>(
        train: &'a [&'a Sample],
        examples: Examples<'a>,
        network: Network,
        settings: &'a Settings,
        seed: u64,
    ) -> Training<'a> {
        Training { train, examples, settings, seed, network, epochs: Vec::new() }
    }

    /// One pass over the data, in an order that depends on the seed and the number of the pass.
    fn pass(&mut self, test: &[&Sample], progress: &mut dyn FnMut(usize)) -> Epoch {
        let mut order: Vec<u32> = (0..self.train.len() as u32).collect();
        order.shuffle(&mut StdRng::seed_from_u64(self.seed.wrapping_add(self.epochs.len() as u64 + 1)));
        let batches = self.train.len().div_ceil(self.settings.batch);
        let total = (batches * self.settings.epochs) as f32;
        let (mut loss, mut weight) = (0.0, 0.0);
        let (mut samples, mut batch): (Vec<&Sample>, Vec<Example>) = (Vec::new(), Vec::new());
        for (i, part) in order.chunks(self.settings.batch).enumerate() {
            samples.clear();
            samples.extend(part.iter().map(|&i| self.train[i as usize]));
            self.examples.of_batch(&samples, &mut batch);
            let done = (self.epochs.len() * batches + i) as f32 / total;
            let share = 0.5 + 0.5 * (std::f32::consts::PI * done).cos();
            loss += self.network.train(&batch, self.settings.rate * share.max(LAST_RATE));
            weight += batch.iter().map(|example| example.weight as f64).sum::<f64>();
            progress(batch.len());
        }
        let mut errors = Errors::default();
        let error = |sample: &&Sample| {
            let example = self.examples.of(sample);
            self.network.output(&example) - example.residual
        };
        // added up in their order
        test.par_iter().map(error).collect::<Vec<f32>>().into_iter().for_each(|error| errors.add(error));
        let known = |figure: f64| (errors.count() > 0).then_some(figure as f32 as f64);
        let epoch = Epoch {
            train_rmse: (loss / weight.max(f64::MIN_POSITIVE)).sqrt() as f32 as f64,
            test_rmse: known(errors.rmse()),
            test_mae: known(errors.mae()),
        };
        self.epochs.push(epoch);
        epoch
    }

    /// The finished epochs, room for those to come, and the network.
    fn state(&self) -> Vec<f32> {
        let mut numbers = vec![f32::from_bits(self.epochs.len() as u32)];
        let of_epoch =
            |e: &Epoch| [Some(e.train_rmse), e.test_rmse, e.test_mae].map(|x| x.map_or(f32::NAN, |x| x as f32));
        numbers.extend(self.epochs.iter().flat_map(of_epoch));
        numbers.resize(1 + EPOCH_NUMBERS * self.settings.epochs, 0.0);
        numbers.extend(self.network.state());
        numbers
    }

    fn resume(&mut self, checkpoints: &Checkpoints) {
        let head = 1 + EPOCH_NUMBERS * self.settings.epochs;
        let Some(numbers) = checkpoints.load(EMBEDDING, WIDTH, head + self.network.state_len()) else { return };
        let saved = numbers[1..head].chunks_exact(EPOCH_NUMBERS).take(numbers[0].to_bits() as usize);
        let known = |x: f32| (!x.is_nan()).then_some(x as f64);
        let epoch = |e: &[f32]| Epoch { train_rmse: e[0] as f64, test_rmse: known(e[1]), test_mae: known(e[2]) };
        self.epochs = saved.map(epoch).collect();
        self.network.restore(&numbers[head..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Squares};
    use crate::eval::UNITS_PER_DISC;
    use crate::train::dataset::Stage;
    use rand::RngExt;

    /// Positions of random games, worth a share of the square of the disc difference: nothing that a sum over single
    /// patterns can express.
    fn dataset(games: usize) -> Dataset {
        let mut rng = StdRng::seed_from_u64(11);
        let mut stages = vec![Stage::default(); 61];
        for game in 0..games {
            let mut board = Board::START;
            while board.empty_count() > 1 && !board.is_game_over() {
                if board.legal_moves() == 0 {
                    board = board.pass();
                }
                let moves = board.legal_moves();
                let square = Squares(moves).nth(rng.random_range(0..moves.count_ones()) as usize).expect("a move");
                board = board.after(square, board.flips(square));
                let difference = board.player.count_ones() as f32 - board.opponent.count_ones() as f32;
                let target = 0.04 * difference * difference;
                let stage = &mut stages[board.empty_count() as usize];
                let sample = Sample { board, target, weight: 1.0 };
                if game % 10 == 0 { stage.test.push(sample) } else { stage.train.push(sample) }
            }
        }
        Dataset { stages }
    }

    fn fit_in(dataset: &Dataset, settings: &Settings, threads: usize, folder: &std::path::Path) -> (Model, Vec<Epoch>) {
        let checkpoints = Checkpoints::new(folder, 7).unwrap();
        let mut model = Model::zero();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let epochs =
            pool.install(|| fit(dataset, &mut model, None, settings, 3, &checkpoints, &mut |_, _| {})).unwrap();
        (model, epochs)
    }

    #[test]
    fn learns_what_pairs_of_patterns_say_and_rounding_costs_little() {
        let dataset = dataset(600);
        let settings = Settings { epochs: 6, batch: 256, rate: 2e-3 };
        let folder = tempfile::tempdir().unwrap();
        let (model, epochs) = fit_in(&dataset, &settings, 2, folder.path());
        let zero = {
            let mut errors = Errors::default();
            dataset.stages.iter().flat_map(|s| &s.test).for_each(|s| errors.add(s.target));
            errors.rmse()
        };
        let last = epochs.last().unwrap();
        let test_rmse = last.test_rmse.unwrap();
        assert!(test_rmse < 0.7 * zero && epochs[0].train_rmse > last.train_rmse, "{zero} {epochs:?}");
        let weights = Weights::new(&model);
        let mut errors = Errors::default();
        for sample in dataset.stages.iter().flat_map(|stage| &stage.test) {
            let value = weights.evaluate_fine(sample.board);
            errors.add(value as f32 / UNITS_PER_DISC as f32 - sample.target);
        }
        assert!((errors.rmse() - test_rmse).abs() < 0.02 * test_rmse, "{} {last:?}", errors.rmse());
    }

    #[test]
    fn what_was_learned_is_where_it_goes_on() {
        let (first, more) = (dataset(200), dataset(40));
        let folders: Vec<_> = (0..2).map(|_| tempfile::tempdir().unwrap()).collect();
        let settings = Settings { epochs: 4, batch: 256, rate: 2e-3 };
        let (learned, epochs) = fit_in(&first, &settings, 2, folders[0].path());
        let embedding = learned.embedding.as_ref().unwrap();
        let go_on = |rate: f32, epochs: usize| {
            let checkpoints = Checkpoints::new(&folders[1].path().join(epochs.to_string()), 8).unwrap();
            let mut model = learned.clone();
            let settings = Settings { epochs, rate, ..settings };
            let epochs = fit(&more, &mut model, Some(embedding), &settings, 3, &checkpoints, &mut |_, _| {}).unwrap();
            (model.embedding.unwrap(), epochs)
        };
        // with no step to speak of it is the same embedding
        let (same, before) = go_on(1e-9, 1);
        assert_eq!(same.rows, embedding.rows);
        for (new, old) in same.heads.iter().zip(&embedding.heads) {
            assert_eq!((new.bias, new.weights, new.constant), (old.bias, old.weights, old.constant));
        }
        assert!(before[0].train_rmse < 0.8 * epochs[0].train_rmse, "{before:?} {epochs:?}");
        let (other, after) = go_on(1e-3, 3);
        assert!(after[2].train_rmse < before[0].train_rmse && other.rows != same.rows, "{after:?} {before:?}");
    }

    #[test]
    fn columns_that_say_nothing_learn_too() {
        let data = dataset(100);
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings { epochs: 2, batch: 256, rate: 2e-3 };
        let (learned, _) = fit_in(&data, &settings, 2, &folder.path().join("first"));
        let mut narrow = learned.embedding.clone().unwrap();
        narrow.rows.iter_mut().for_each(|row| row[WIDTH / 2..].fill(0));
        for head in &mut narrow.heads {
            head.bias[WIDTH / 2..].fill(0);
            head.weights[WIDTH / 2..].fill(0);
        }
        let go_on = |rate: f32| {
            let checkpoints = Checkpoints::new(&folder.path().join(rate.to_string()), 8).unwrap();
            let mut model = learned.clone();
            let settings = Settings { rate, ..settings };
            fit(&data, &mut model, Some(&narrow), &settings, 3, &checkpoints, &mut |_, _| {}).unwrap();
            model.embedding.unwrap()
        };
        let begun = go_on(1e-9);
        for (new, old) in begun.rows.iter().zip(&narrow.rows) {
            assert_eq!(new[..WIDTH / 2], old[..WIDTH / 2]);
        }
        let largest = |embedding: &Embedding| {
            embedding.heads.iter().flat_map(|head| &head.weights[WIDTH / 2..]).map(|weight| weight.abs()).max()
        };
        assert!(largest(&begun) < Some(20), "they begin with next to no weight");
        let trained = go_on(2e-3);
        assert!(largest(&trained) > largest(&begun), "{:?} {:?}", largest(&trained), largest(&begun));
        assert_ne!(trained.rows, begun.rows);
    }

    #[test]
    fn threads_and_interruptions_change_nothing() {
        let dataset = dataset(40);
        let settings = Settings { epochs: 3, batch: 300, rate: 1e-3 };
        let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
        let whole = fit_in(&dataset, &settings, 1, folders[0].path());
        assert!(whole == fit_in(&dataset, &settings, 4, folders[1].path()), "four threads");
        // an interrupted one: two passes, then the rest from the checkpoint
        let checkpoints = Checkpoints::new(folders[2].path(), 7).unwrap();
        let linear = Weights::new(&Model::zero());
        let train: Vec<&Sample> = dataset.stages.iter().flat_map(|stage| &stage.train).collect();
        let test: Vec<&Sample> = dataset.stages.iter().flat_map(|stage| &stage.test).collect();
        let mut training = Training::new(&train, Examples::new(&linear), Network::new(3), &settings, 3);
        training.pass(&test, &mut |_| {});
        training.pass(&test, &mut |_| {});
        checkpoints.save(EMBEDDING, WIDTH, &training.state()).unwrap();
        let (mut model, mut passes) = (Model::zero(), 0);
        let mut progress = |_, epoch: Option<Epoch>| passes += usize::from(epoch.is_some());
        let epochs = fit(&dataset, &mut model, None, &settings, 3, &checkpoints, &mut progress).unwrap();
        assert!(whole == (model, epochs), "interrupted");
        assert_eq!(passes, 1, "finished passes are not made again");
        assert!(whole.0.embedding.is_some() && whole.1.len() == 3);
    }
}
