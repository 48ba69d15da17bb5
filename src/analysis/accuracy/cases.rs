//! Where positions with known exact scores come from.

use std::collections::HashSet;
use std::io::BufRead;

use crate::board::Board;
use crate::formats::obf::{ObfError, Problem, Reader};
use crate::formats::wthor::{Database, WthorFile, WthorGame};
use crate::rules::{Color, Position};

/// A position and what is known about it.
#[derive(Clone, Debug)]
pub struct Case {
    /// The position of othello on 8x8, with the scores of moves where they are known.
    pub problem: Problem,
    /// Its board.
    pub board: Board,
    /// The score with perfect play in discs, for the side to move.
    pub exact: i32,
}

/// A problem that does not serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaseError {
    /// The line is no problem.
    #[error(transparent)]
    Problem(#[from] ObfError),
    /// No score comes with it.
    #[error("line {0}: the position comes without a score")]
    NoScore(usize),
    /// The score is not exact.
    #[error("line {line}: the score is that of a search ({depth}), not exact")]
    NotExact {
        /// The line.
        line: usize,
        /// How deep the search was.
        depth: String,
    },
    /// Not a position that the evaluation is made for: another board, or other rules.
    #[error("line {0}: not a position of othello on 8x8")]
    NotOthello(usize),
    /// There is nothing to search.
    #[error("line {0}: the game is over")]
    GameOver(usize),
}

impl Case {
    /// A case from the problem on a line.
    ///
    /// # Errors
    /// [`CaseError`] when the score is missing or not exact, the game over, or the position not one of othello on 8x8.
    pub fn new(problem: Problem, line: usize) -> Result<Case, CaseError> {
        let exact = problem.best_score().ok_or(CaseError::NoScore(line))?;
        if let Some(depth) = problem.searched {
            return Err(CaseError::NotExact { line, depth });
        }
        // the static evaluation knows nothing of smaller boards, and takes more discs for better
        let board = problem.position.othello_board().ok_or(CaseError::NotOthello(line))?;
        if problem.position.is_game_over() {
            return Err(CaseError::GameOver(line));
        }
        Ok(Case { problem, board, exact })
    }
}

/// All problems of a file of OBF lines.
///
/// # Errors
/// [`CaseError`] for the first line that does not serve.
pub fn from_problems<R: BufRead>(problems: Reader<R>) -> Result<Vec<Case>, CaseError> {
    problems.map(|(line, problem)| Case::new(problem?, line)).collect()
}

/// The different positions of the games for which the database has a score with perfect play. Games that do not replay to
/// an end with the recorded score are left out.
pub fn from_wthor(database: &Database) -> Vec<Case> {
    let mut met = HashSet::new();
    let cases = database.files.iter().flat_map(|(_, file)| file.games().filter_map(|game| wthor_case(file, &game)));
    cases.filter(|case| met.insert(case.board.canonical())).collect()
}

/// The position with the known score. Which moves keep it the database does not say.
fn wthor_case(file: &WthorFile, game: &WthorGame) -> Option<Case> {
    let empties = u32::from(file.header().theoretical_empties);
    // some records hold a zero instead of the count; a true wipe-out by perfect play is as good as never met
    if empties == 0 || game.theoretical_black_discs() == 0 {
        return None;
    }
    let mut known = None;
    let visit = |step: crate::formats::wthor::Step| {
        if step.board.empty_count() == empties {
            known = Some((step.board, step.side));
        }
    };
    let end = game.replay(visit).ok()?;
    if !end.is_complete() || end.black_discs() != game.black_discs() {
        return None;
    }
    let (board, side) = known?;
    let black = game.theoretical_score();
    let exact = if side == Color::Black { black } else { -black };
    let problem = Problem { score: Some(exact), ..Problem::new(Position::from_board(board, side)) };
    Some(Case { problem, board, exact })
}
