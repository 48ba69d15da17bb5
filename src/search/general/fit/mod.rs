//! Where the evaluation's numbers come from: least squares of the final scores of games that the search plays
//! against itself, and how far searches are off with it.
//!
//! Tests that are asked for by name, in this order (`cargo test --profile quick --lib search::general::fit -- --ignored --nocapture NAME`):
//! `play_games` writes games to a folder (OUTFLANK_FIT, or `target/fit`), `fit_corners` fits the values of corners to them and writes
//! the files that `src/eval/weights` has, `measure_errors` prints how far searches with the built-in ones are off. `fit_weights` prints the weights
//! of features alone, which boards with holes are evaluated by and the values of corners start from.

mod corners;
mod errors;
mod features;
mod games;

/// The solution of linear equations: gaussian elimination.
fn solve<const N: usize>(mut matrix: Vec<[f64; N]>, mut right: [f64; N]) -> [f64; N] {
    for i in 0..N {
        let pivot = (i..N).max_by(|a, b| matrix[*a][i].abs().total_cmp(&matrix[*b][i].abs())).expect("rows");
        matrix.swap(i, pivot);
        right.swap(i, pivot);
        for j in i + 1..N {
            let factor = matrix[j][i] / matrix[i][i];
            (i..N).for_each(|k| matrix[j][k] -= factor * matrix[i][k]);
            right[j] -= factor * right[i];
        }
    }
    for i in (0..N).rev() {
        let sum: f64 = (i + 1..N).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - sum) / matrix[i][i];
    }
    right
}
