//! How far a shallow search is from a deep one with the same evaluation: what ProbCut's margins are made of. Each set of
//! weights has errors of its own, so they travel in the weights file; `outflank fit-probcut` measures them.

/// Standard deviation of (deep - shallow) search values in discs. Its logarithm is linear, because it must stay positive and
/// grows by a factor with each ply (the form is Neural Reversi's):
/// `ln sigma = constant + by_probe * probe + by_depth * depth + by_empties * empties`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorModel {
    /// ln sigma at zero.
    pub constant: f32,
    /// For each ply of the shallow search.
    pub by_probe: f32,
    /// For each ply of the deep search; 0 in searches to the end, where it equals the empties.
    pub by_depth: f32,
    /// For each empty square of the position.
    pub by_empties: f32,
}

/// Standard deviations in discs that a model may give: outside, margins mean nothing or leave the arithmetic.
const SANE: std::ops::RangeInclusive<f32> = 1e-4..=1e4;

/// The errors of an evaluation of boards of all sizes: the logarithm of the standard deviation in discs is the sum of a constant and,
/// times these, plies of the shallower search, plies of the deeper one, the share of empty squares and the logarithm of the number of
/// squares.
pub(crate) type BoardErrors = [f32; 5];

impl ErrorModel {
    /// That of a board of so many squares.
    pub(crate) fn of_board(errors: BoardErrors, squares: u32) -> ErrorModel {
        let [constant, by_probe, by_depth, by_share, by_size] = errors;
        let squares = squares as f32;
        ErrorModel { constant: constant + by_size * squares.ln(), by_probe, by_depth, by_empties: by_share / squares }
    }

    /// A guess on the safe side, for evaluations whose errors nobody has measured.
    pub const GUESS: ErrorModel = ErrorModel { constant: 1.8, by_probe: -0.05, by_depth: 0.0, by_empties: 0.0 };

    /// The standard deviation in discs, at a position with `empties` empty squares, of a search of `depth` plies minus one of
    /// `probe` plies.
    #[inline(always)]
    pub fn sigma(&self, empties: u32, depth: u32, probe: u32) -> f32 {
        let ln = self.constant
            + self.by_probe * probe as f32
            + self.by_depth * depth as f32
            + self.by_empties * empties as f32;
        ln.exp()
    }

    /// Its numbers are finite and give deviations from 0.0001 to 10,000 discs wherever they are used.
    pub fn is_valid(&self) -> bool {
        // linear: the corners have the extremes, within some percent; a probe is half as deep as the search, or less than a ply deeper
        let corners = [(0, 0, 0), (60, 0, 0), (60, 60, 0), (60, 60, 31)];
        corners.iter().all(|&(empties, depth, probe)| SANE.contains(&self.sigma(empties, depth, probe)))
    }
}

/// The errors of one evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorModels {
    /// Of searches to a depth before the end of the game.
    pub midgame: ErrorModel,
    /// Of searches to the end of the game.
    pub endgame: ErrorModel,
}

impl ErrorModels {
    /// [`ErrorModel::GUESS`] for both.
    pub const GUESS: ErrorModels = ErrorModels { midgame: ErrorModel::GUESS, endgame: ErrorModel::GUESS };

    /// Both are valid.
    pub fn is_valid(&self) -> bool {
        self.midgame.is_valid() && self.endgame.is_valid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_the_exponential_of_the_linear_form() {
        let model = ErrorModel { constant: 1.0, by_probe: -0.1, by_depth: 0.05, by_empties: -0.01 };
        let expected = (1.0f32 - 0.4 + 0.5 - 0.3).exp();
        assert!((model.sigma(30, 10, 4) - expected).abs() < 1e-5);
        assert!(model.is_valid() && ErrorModels::GUESS.is_valid());
    }

    #[test]
    fn numbers_that_make_no_margins_are_not_valid() {
        for bad in [f32::NAN, f32::INFINITY, 1e9, -1e9] {
            assert!(!ErrorModel { constant: bad, ..ErrorModel::GUESS }.is_valid(), "{bad}");
            assert!(!ErrorModel { by_empties: bad, ..ErrorModel::GUESS }.is_valid(), "{bad}");
            assert!(!ErrorModel { by_depth: bad, ..ErrorModel::GUESS }.is_valid(), "{bad}");
            assert!(!ErrorModel { by_probe: bad, ..ErrorModel::GUESS }.is_valid(), "{bad}");
        }
        assert!(
            !ErrorModels { endgame: ErrorModel { constant: 20.0, ..ErrorModel::GUESS }, ..ErrorModels::GUESS }
                .is_valid()
        );
    }
}
