//! Fitting the evaluation to game records: `outflank train`.
//!
//! Games are replayed ([`games`]), one late position of each is solved ([`exact`]), the searches of self-play games are
//! made into labels ([`labels`], [`generation`]), all positions are labelled with the score they lead to ([`dataset`]), one linear
//! least-squares problem is solved for each phase ([`linear`], [`fit`]), the [`embedding`] is trained on what that leaves,
//! constants for the side to move ([`tempo`]) and for odd and even numbers of empty squares ([`parity`]) are added, and what the
//! result is worth is measured on games that were left out ([`metrics`]). [`session`] is one such training, a [`recipe`] a
//! chain of games, trainings and measurements.
//!
//! Two models of the search are fitted to searches with the result: the errors of shallow ones ([`probcut`]), which are part of
//! the weights, and what moves of solves cost ([`ordering`]), which is compiled in.

pub mod charts;
pub mod checkpoint;
pub mod dataset;
pub mod embedding;
pub mod exact;
pub mod fit;
pub mod games;
pub mod generation;
pub mod labels;
pub mod linear;
pub mod metrics;
pub mod ordering;
pub mod parity;
pub mod plot;
pub mod probcut;
pub mod recipe;
pub mod session;
pub mod tempo;

/// Why the searches of this module always begin: their limits and tables are its own.
const SEARCHES: &str = "limits that make sense, and memory for a small table";
