//! One training, from labelled positions to the bytes of a weights file.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

use super::checkpoint::Checkpoints;
use super::dataset::Dataset;
use super::embedding::{self, Epoch};
use super::linear::{self, PhaseCurve};
use super::metrics::{self, StageErrors};
use super::{parity, tempo};
use crate::eval::{EMPTIES, Model, Weights};

/// What to fit, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// How the linear part is fitted.
    pub linear: linear::Settings,
    /// How the embedding is trained, if there is to be one.
    pub embedding: Option<embedding::Settings>,
    /// How the difference between odd and even numbers of empties is measured; no games: not at all.
    pub parity: parity::Settings,
    /// Draws what the embedding begins with and the order of its positions.
    pub seed: u64,
}

/// A model that a training takes something from.
#[derive(Clone, Debug)]
pub struct Base {
    /// The model: its linear part is taken as it is.
    pub model: Model,
    /// What tells its file from others.
    pub checksum: u64,
    /// The embedding begins with that of the model, if it has one, instead of at random.
    pub goes_on: bool,
}

/// What a training has got done.
#[derive(Debug)]
pub enum Progress<'a> {
    /// A phase of the linear part.
    Phase(&'a PhaseCurve),
    /// This many positions more in a pass over the data.
    Positions(usize),
    /// A pass.
    Pass(&'a Epoch),
    /// All passes: what odd and even numbers of empties are worth is measured now.
    Parity,
}

/// A finished training.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The weights file, with ProbCut's error model of the embedded weights.
    pub bytes: Vec<u8>,
    /// How the fit of each phase went; those that a checkpoint of an earlier version had are not among them.
    pub curves: Vec<PhaseCurve>,
    /// How each pass went.
    pub epochs: Vec<Epoch>,
    /// What was added for the side to move, in discs by number of empties.
    pub tempo: [f32; EMPTIES],
    /// What was added after that because the number of empties is odd or even.
    pub parity: [f32; EMPTIES],
    /// Errors on the test positions, of the file as it is read back.
    pub stages: Vec<StageErrors>,
}

/// Trains, from nothing or from a `base`. What is done is kept in the folder `checkpoints`, from which the same training goes on
/// after a kill; remove them when its result is safe ([`checkpoint::remove`](super::checkpoint::remove)).
/// The result does not depend on the number of threads.
///
/// # Errors
/// When a checkpoint cannot be written.
pub fn train(
    dataset: &Dataset,
    plan: &Plan,
    base: Option<Base>,
    checkpoints: &Path,
    progress: &mut dyn FnMut(Progress),
) -> io::Result<Trained> {
    let of_data = fingerprint(plan, dataset);
    let phases = Checkpoints::new(checkpoints, of_data)?;
    let mut curves = Vec::new();
    let (mut model, begins, base) = match base {
        Some(Base { mut model, checksum, goes_on }) => {
            let embedding = model.embedding.take().filter(|_| goes_on);
            (model, embedding, (checksum, goes_on))
        }
        None => {
            let fitted = linear::fit(dataset, &plan.linear, &phases, &mut |curve| {
                progress(Progress::Phase(&curve));
                curves.push(curve);
            });
            (fitted?, None, (0, false))
        }
    };
    let mut epochs = Vec::new();
    if let Some(settings) = &plan.embedding {
        let mut hasher = DefaultHasher::new();
        (of_data, base, format!("{settings:?}")).hash(&mut hasher);
        let passes = Checkpoints::new(checkpoints, hasher.finish())?;
        let begins = begins.as_ref();
        epochs = embedding::fit(dataset, &mut model, begins, settings, plan.seed, &passes, &mut |seen, epoch| {
            progress(Progress::Positions(seen));
            if let Some(epoch) = epoch {
                progress(Progress::Pass(&epoch));
            }
        })?;
    }
    let tempo = tempo::correct(&mut model, dataset);
    if plan.parity.games > 0 {
        progress(Progress::Parity);
    }
    let parity = parity::correct(&mut model, &plan.parity);
    // the errors of new weights are not known yet; those of weights that are much alike are nearer than a guess
    model.errors = *Weights::embedded().errors();
    let bytes = model.to_bytes();
    // test what the search will see: the file, read back
    let weights = Weights::from_bytes(&bytes).map_err(io::Error::other)?;
    let stages = metrics::test(dataset, &weights);
    Ok(Trained { bytes, curves, epochs, tempo, parity, stages })
}

/// Tells apart trainings with other settings or data.
fn fingerprint(plan: &Plan, dataset: &Dataset) -> u64 {
    let mut hasher = DefaultHasher::new();
    format!("{:?} {}", plan.linear, plan.seed).hash(&mut hasher);
    for sample in dataset.stages.iter().flat_map(|stage| &stage.train) {
        (sample.board, sample.target.to_bits(), sample.weight.to_bits()).hash(&mut hasher);
    }
    hasher.finish()
}
