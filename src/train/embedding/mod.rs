//! Training the embedding on what the linear model leaves to explain.

pub mod examples;
pub mod network;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use serde::Serialize;

use self::examples::Example;
use self::network::{Network, Step};

/// How to train.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Entries in a row.
    pub width: usize,
    /// Activations of both signs.
    pub signed: bool,
    /// Passes over the data.
    pub epochs: usize,
    /// Samples a step.
    pub batch: usize,
    /// Learning rate at the start.
    pub rate: f32,
    /// Weight decay.
    pub decay: f32,
    /// Bound of row entries.
    pub clip: f32,
    /// Errors beyond this many discs count linearly.
    pub huber: f32,
    /// Numbers of moves are inputs.
    pub mobility: bool,
}

/// One pass over the data.
#[derive(Clone, Debug, Serialize)]
pub struct Epoch {
    /// Root mean squared error while training.
    pub train_rmse: f64,
    /// By number of empties: (count, MAE, RMSE).
    pub test: Vec<(usize, f64, f64)>,
}

/// Trains.
pub fn train<const K: usize, const SIGNED: bool>(
    train: &[Example],
    test: &[Example],
    settings: &Settings,
    seed: u64,
    progress: &mut dyn FnMut(Epoch),
) -> Network<K, SIGNED> {
    let mut network = Network::<K, SIGNED>::new(seed, settings.mobility);
    let mut order: Vec<u32> = (0..train.len() as u32).collect();
    let total = (settings.epochs * train.len().div_ceil(settings.batch)) as f32;
    let mut steps = 0;
    for epoch in 0..settings.epochs {
        order.shuffle(&mut StdRng::seed_from_u64(seed ^ (epoch as u64 + 1) << 32));
        let (mut loss, mut weight) = (0.0, 0.0);
        for part in order.chunks(settings.batch) {
            let batch: Vec<&Example> = part.iter().map(|&i| &train[i as usize]).collect();
            let share = steps as f32 / total;
            let rate = settings.rate * (0.5 + 0.5 * (std::f32::consts::PI * share).cos()).max(0.002);
            let step = Step { rate, clip: settings.clip, decay: settings.decay, huber: settings.huber };
            let (l, w) = network.train(&batch, &step);
            loss += l;
            weight += w;
            steps += 1;
        }
        progress(Epoch { train_rmse: (loss / weight).sqrt(), test: errors(&network, test) });
    }
    network
}

fn errors<const K: usize, const SIGNED: bool>(
    network: &Network<K, SIGNED>,
    test: &[Example],
) -> Vec<(usize, f64, f64)> {
    let mut sums = vec![(0, 0.0, 0.0); 61];
    for example in test {
        let error = (network.output(example) - example.residual) as f64;
        let sum = &mut sums[example.empties as usize];
        *sum = (sum.0 + 1, sum.1 + error.abs(), sum.2 + error * error);
    }
    sums.iter().map(|&(n, a, s)| (n, a / n.max(1) as f64, (s / n.max(1) as f64).sqrt())).collect()
}
