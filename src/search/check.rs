//! What is asked of a search is checked before it begins: nothing that makes no sense is silently put right.

use std::fmt;

use super::{Goal, Limits, ParseLevelError, TableSizeError};
use crate::rules::{Move, Position};

/// Most threads that search one position.
pub(crate) const MAX_THREADS: usize = 256;
/// Largest transposition table that can be asked for, in MiB (one TiB).
pub(crate) const MAX_HASH_MIB: usize = 1 << 20;

/// Why a search cannot begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A number of threads outside 1 to 256.
    #[error("cannot search with {0} threads: 1 to {MAX_THREADS} are possible")]
    Threads(usize),
    /// A size of the table outside 1 MiB to 1 TiB.
    #[error("a transposition table cannot have {0} MiB: 1 to {MAX_HASH_MIB} are possible")]
    Hash(usize),
    /// A number that is no level.
    #[error("level {0}: {ParseLevelError}")]
    Level(u8),
    /// No score lies inside the window (alpha, beta): alpha is not below beta, or all scores are on one side of it.
    #[error(
        "the window ({alpha}, {beta}) contains no score: scores are from -{most} to {most}, and alpha is below beta"
    )]
    Window {
        /// The lower bound asked for.
        alpha: i32,
        /// The upper bound asked for.
        beta: i32,
        /// The highest score of the board, or 1 in a win/draw/loss search.
        most: i32,
    },
    /// Values of no line at all were asked for.
    #[error("multi_pv is 0: ask for 1 line or more")]
    NoLines,
    /// The list of moves to consider is empty.
    #[error("the list of moves to consider is empty")]
    NoMoves,
    /// Moves to consider, or to include, that the rules forbid in this position.
    #[error("not legal here: {}", Moves(.0))]
    IllegalMoves(Vec<Move>),
    /// There is no memory for the weights of the evaluation.
    #[error("not enough memory for the weights")]
    Weights,
    /// There is no memory even for a table of 1 MiB.
    #[error(transparent)]
    Memory(#[from] TableSizeError),
}

/// Moves with commas between them.
struct Moves<'a>(&'a [Move]);

impl fmt::Display for Moves<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(Move::to_string).collect();
        f.write_str(&names.join(", "))
    }
}

impl Limits {
    /// Checks that these limits make sense for a search of this position; every search begins with it.
    ///
    /// # Errors
    /// The first thing that is wrong: the window, the number of lines, or the moves to consider.
    pub fn check(&self, position: &Position) -> Result<(), SearchError> {
        let most = if self.goal == Goal::WinDrawLoss { 1 } else { position.rules().squares() as i32 };
        let (alpha, beta) = self.window;
        if alpha >= beta || alpha >= most || beta <= -most {
            return Err(SearchError::Window { alpha, beta, most });
        }
        if self.multi_pv == 0 {
            return Err(SearchError::NoLines);
        }
        if self.moves.as_ref().is_some_and(Vec::is_empty) {
            return Err(SearchError::NoMoves);
        }
        let moves = self.moves.iter().flatten().chain(&self.include);
        let illegal: Vec<Move> = moves.copied().filter(|mv| !position.is_legal(*mv)).collect();
        if illegal.is_empty() { Ok(()) } else { Err(SearchError::IllegalMoves(illegal)) }
    }
}

/// Checks what a searcher is made with.
pub(crate) fn check_resources(hash_mib: usize, threads: usize) -> Result<(), SearchError> {
    if !(1..=MAX_THREADS).contains(&threads) {
        return Err(SearchError::Threads(threads));
    }
    if !(1..=MAX_HASH_MIB).contains(&hash_mib) {
        return Err(SearchError::Hash(hash_mib));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn check(change: impl FnOnce(&mut Limits)) -> Result<(), String> {
        let mut limits = Limits::new(Goal::Exact);
        change(&mut limits);
        limits.check(&Position::default()).map_err(|error| error.to_string())
    }

    fn mv(text: &str) -> Move {
        Move::from(text.parse::<crate::board::Square>().expect("a square"))
    }

    #[test]
    fn windows_must_contain_a_score() {
        for window in [(-64, 64), (-1, 1), (63, 64), (-64, -63), (i32::MIN, i32::MAX), (-100, 10)] {
            assert_eq!(check(|limits| limits.window = window), Ok(()), "{window:?}");
        }
        for window in [(10, -10), (0, 0), (64, 65), (-70, -64), (100, 200), (i32::MAX, i32::MIN)] {
            let error = check(|limits| limits.window = window).unwrap_err();
            assert!(error.contains(&format!("({}, {})", window.0, window.1)), "{error}");
        }
        let small = Position::start(Arc::new("othello:6x6".parse().unwrap()));
        let check = |window, goal| Limits { window, ..Limits::new(goal) }.check(&small).is_ok();
        assert!(check((35, 36), Goal::Exact) && !check((36, 37), Goal::Exact));
        assert!(check((0, 1), Goal::WinDrawLoss) && !check((1, 2), Goal::WinDrawLoss));
    }

    #[test]
    fn moves_must_be_legal() {
        assert_eq!(check(|limits| limits.moves = Some(vec![mv("d3"), mv("f5")])), Ok(()));
        assert_eq!(
            check(|limits| limits.moves = Some(vec![mv("d3"), mv("a1"), Move::Pass])),
            Err("not legal here: a1, pass".to_string())
        );
        assert_eq!(check(|limits| limits.include = vec![mv("a1")]), Err("not legal here: a1".to_string()));
        assert!(check(|limits| limits.moves = Some(Vec::new())).is_err());
        assert!(check(|limits| limits.multi_pv = 0).is_err());
    }

    #[test]
    fn resources_have_ranges() {
        assert_eq!(check_resources(1, 1), Ok(()));
        assert_eq!(check_resources(MAX_HASH_MIB, MAX_THREADS), Ok(()));
        for (hash, threads) in [(0, 1), (1, 0), (usize::MAX, 1), (1, usize::MAX)] {
            assert!(check_resources(hash, threads).is_err(), "{hash} {threads}");
        }
    }
}
