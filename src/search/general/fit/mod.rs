//! Where the evaluation's numbers come from: least squares of the final scores of games that the search plays
//! against itself, and how far searches are off with it.
//!
//! Tests that are asked for by name, in this order (`cargo test --profile quick --lib search::general::fit -- --ignored --nocapture NAME`):
//! `play_games` writes games to a folder (OUTFLANK_FIT, or `target/fit`), `fit_corners` fits the values of corners to them and writes
//! the files that `src/eval/weights` has, `measure_errors` prints how far searches with the built-in ones are off. `fit_weights` prints the weights
//! of features alone, which boards without such values are evaluated by and the fits of corners start from.

mod corners;
mod errors;
mod features;
mod games;
