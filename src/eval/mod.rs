//! Evaluation of midgame positions: what score a board is heading for.
//!
//! The search keeps a [`Features`] beside each board on its stack, updates it with every move, and
//! asks a [`Weights`] for the value. Nothing outside this module knows what the model looks like,
//! so that a stronger one can take its place.
//!
//! The squares of the board are covered by 46 overlapping patterns in 12 families, every filling of a pattern has a
//! weight in each phase of the game, and the sum of 46 weights is the linear value. The idea is Michael Buro's (GLEM,
//! 1998); this set of patterns is the one Edax made known. An [`Embedding`] adds to it what patterns say together,
//! and what it sees in regions of the board, where both sides may move among it.

pub(crate) mod corners;
mod embedding;
mod error_model;
mod features;
mod file;
pub(crate) mod handmade;
mod metrics;
mod model;
pub mod pattern;
pub(crate) mod regions;
mod weights;

pub use embedding::{Embedding, Head, MAX_BIAS, MAX_WEIGHT, ONE, Reach, WIDTH};
pub use error_model::{ErrorModel, ErrorModels};
pub use features::Features;
pub use file::{WeightsError, read_file};
pub use metrics::Errors;
pub use model::{Linear, Model};
pub use pattern::EMPTIES;
pub(crate) use weights::MAX_DISCS;
pub use weights::{UNITS_PER_DISC, Weights};
