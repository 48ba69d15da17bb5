//! Ratings of several players from matches of two.

use super::pentanomial::Elo;
use crate::equations::inverse;
use crate::student::Z95;

/// How strong a player of a field is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Elo, the mean of all players who have met directly or through others being 0.
    pub value: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
}

/// The ratings of so many players that explain the Elo differences `(one, other, difference)` of their matches best: those with
/// the least squares of errors, each match weighed by what its interval says it is worth. `None` for players without a match.
///
/// Matches that do not connect all players give each connected group its own mean of 0.
pub fn ratings(players: usize, matches: &[(usize, usize, Elo)]) -> Vec<Option<Rating>> {
    let mut rated = vec![None; players];
    let mut groups: Vec<Vec<usize>> = (0..players).map(|player| vec![player]).collect();
    for &(one, other, _) in matches {
        let of = |groups: &[Vec<usize>], player| groups.iter().position(|group| group.contains(&player));
        if let (Some(one), Some(other)) = (of(&groups, one), of(&groups, other))
            && one != other
        {
            let moved = std::mem::take(&mut groups[other]);
            groups[one].extend(moved);
        }
    }
    for mut group in groups.into_iter().filter(|group| group.len() > 1) {
        group.sort_unstable();
        for (player, rating) in group.iter().zip(rate_group(&group, matches)) {
            rated[*player] = Some(rating);
        }
    }
    rated
}

/// The ratings of players who are connected by matches: the solution of the normal equations, whose inverse has the variances.
/// That ratings are known up to a constant only is mended by a multiple of the matrix of ones, which sets their mean to 0.
fn rate_group(group: &[usize], matches: &[(usize, usize, Elo)]) -> Vec<Rating> {
    let size = group.len();
    let share = 1.0 / size as f64;
    let mut normal = vec![vec![share; size]; size];
    let mut sums = vec![0.0; size];
    let index = |player: usize| group.iter().position(|&member| member == player);
    for (one, other, elo) in matches {
        let (Some(one), Some(other)) = (index(*one), index(*other)) else { continue };
        let weight = (Z95 / elo.error()).powi(2);
        for (player, sign) in [(one, 1.0), (other, -1.0)] {
            normal[player][player] += weight;
            sums[player] += sign * weight * elo.value;
        }
        normal[one][other] -= weight;
        normal[other][one] -= weight;
    }
    let inverse = inverse(normal);
    let rating = |player: usize| {
        let value = inverse[player].iter().zip(&sums).map(|(factor, sum)| factor * sum).sum();
        let variance: f64 = inverse[player][player] - share;
        Rating { value, error: Z95 * variance.max(0.0).sqrt() }
    };
    (0..size).map(rating).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elo(value: f64, error: f64) -> Elo {
        Elo { value, low: value - error, high: value + error }
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn two_players_have_half_the_difference_each() {
        let rated = ratings(3, &[(0, 2, elo(100.0, 30.0))]);
        let [first, none, last] = rated[..] else { panic!("three players") };
        let (first, last) = (first.unwrap(), last.unwrap());
        assert!(close(first.value, 50.0) && close(last.value, -50.0) && none.is_none());
        // each has half of the difference's error
        assert!(close(first.error, 15.0) && close(last.error, 15.0), "{first:?}");
    }

    #[test]
    fn consistent_matches_give_their_differences_and_others_a_compromise() {
        let field = [(0, 1, elo(10.0, 5.0)), (1, 2, elo(20.0, 5.0)), (0, 2, elo(30.0, 5.0))];
        let rated: Vec<Rating> = ratings(3, &field).into_iter().flatten().collect();
        assert!(close(rated[0].value - rated[1].value, 10.0) && close(rated[1].value - rated[2].value, 20.0));
        assert!(close(rated.iter().map(|rating| rating.value).sum(), 0.0));
        // a match that is worth little moves them little
        let field = [(0, 1, elo(10.0, 1.0)), (1, 2, elo(20.0, 1.0)), (0, 2, elo(90.0, 100.0))];
        let rated: Vec<Rating> = ratings(3, &field).into_iter().flatten().collect();
        assert!((rated[0].value - rated[2].value - 30.0).abs() < 0.1, "{rated:?}");
        // the more is played, the more is known
        let twice: Vec<_> = field.iter().chain(&field).copied().collect();
        assert!(ratings(3, &twice)[0].unwrap().error < rated[0].error);
    }

    #[test]
    fn groups_that_never_met_are_rated_apart() {
        let rated = ratings(5, &[(0, 1, elo(10.0, 5.0)), (3, 4, elo(-40.0, 5.0))]);
        assert!(rated[2].is_none());
        assert!(close(rated[3].unwrap().value, -20.0) && close(rated[0].unwrap().value, 5.0));
    }
}
