//! Systems of linear equations, for fits and ratings: few unknowns, solved by elimination.

/// What is smaller than this tells nothing of an unknown.
const NOTHING: f64 = 1e-12;

/// The solution of as many equations as unknowns; unknowns that the equations say nothing about are 0.
pub(crate) fn solve<const N: usize>(matrix: &[[f64; N]], right: &[f64; N]) -> [f64; N] {
    let row = |(factors, &right): (&[f64; N], &f64)| factors.iter().copied().chain([right]).collect();
    let solved = eliminated(matrix.iter().zip(right).map(row).collect());
    std::array::from_fn(|unknown| solved[unknown][0])
}

/// The inverse of a matrix that has one.
pub(crate) fn inverse(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|j| if i == j { 1.0 } else { 0.0 }));
    }
    eliminated(matrix)
}

/// Gauss and Jordan's elimination, with the largest pivots. Right of the square matrix stand the right sides of one system or more;
/// for each unknown its solutions.
fn eliminated(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = rows.len();
    let mut used = 0;
    let mut row_of = vec![None; size];
    for column in 0..size {
        let largest = |&a: &usize, &b: &usize| rows[a][column].abs().total_cmp(&rows[b][column].abs());
        let Some(pivot) = (used..size).max_by(largest).filter(|&row| rows[row][column].abs() > NOTHING) else {
            continue;
        };
        rows.swap(used, pivot);
        let factor = rows[used][column];
        rows[used].iter_mut().for_each(|value| *value /= factor);
        let chosen = rows[used].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|(row, _)| *row != used) {
            let factor = other[column];
            other.iter_mut().zip(&chosen).for_each(|(value, pivot)| *value -= factor * pivot);
        }
        row_of[column] = Some(used);
        used += 1;
    }
    let solutions =
        |row: Option<usize>| row.map_or_else(|| vec![0.0; rows[0].len() - size], |row| rows[row][size..].to_vec());
    row_of.into_iter().map(solutions).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn random_equations_are_solved() {
        let mut rng = StdRng::seed_from_u64(3);
        for _ in 0..200 {
            let matrix: [[f64; 6]; 6] = std::array::from_fn(|_| std::array::from_fn(|_| rng.random_range(-9.0..9.0)));
            let unknowns: [f64; 6] = std::array::from_fn(|_| rng.random_range(-9.0..9.0));
            let times = |row: &[f64], unknowns: &[f64]| row.iter().zip(unknowns).map(|(a, b)| a * b).sum::<f64>();
            let right = std::array::from_fn(|i| times(&matrix[i], &unknowns));
            let inverse = inverse(matrix.iter().map(|row| row.to_vec()).collect());
            for (i, (found, unknown)) in solve(&matrix, &right).into_iter().zip(unknowns).enumerate() {
                assert!((found - unknown).abs() < 1e-6, "{matrix:?}");
                assert!((times(&inverse[i], &right) - unknown).abs() < 1e-6, "{matrix:?}");
            }
        }
    }

    /// The first pivot is 0, and nothing is said of one unknown, whichever it is.
    #[test]
    fn rows_change_places_and_what_is_not_said_is_zero() {
        let (matrix, unknowns) = ([[0.0, 2.0], [4.0, 1.0]], [2.0, 3.0]);
        for unsaid in 0..3 {
            let place = |i: usize| i + usize::from(i >= unsaid);
            let (mut wide, mut right, mut expected) = ([[0.0; 3]; 3], [0.0; 3], [0.0; 3]);
            for (i, row) in matrix.iter().enumerate() {
                (right[place(i)], expected[place(i)]) = ([6.0, 11.0][i], unknowns[i]);
                row.iter().enumerate().for_each(|(j, &factor)| wide[place(i)][place(j)] = factor);
            }
            assert_eq!(solve(&wide, &right), expected, "{unsaid}");
        }
    }
}
