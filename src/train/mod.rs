//! Fitting the evaluation to game records: `outflank train`.
//!
//! Games are replayed ([`games`]), one late position of each is solved ([`exact`]), all positions are
//! labelled with the score they lead to ([`dataset`]), one linear least-squares problem is solved for each phase ([`linear`], [`fit`]), and what the result is
//! worth is measured on games that were left out ([`metrics`]). The [`embedding`] is trained on what that leaves.

pub mod checkpoint;
pub mod dataset;
pub mod embedding;
pub mod exact;
pub mod fit;
pub mod games;
pub mod linear;
pub mod metrics;
pub mod plot;
pub mod probcut;
