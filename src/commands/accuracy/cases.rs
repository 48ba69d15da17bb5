//! Where the positions of `accuracy` come from.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use outflank::board::Board;
use outflank::formats::obf::{Problem, Reader};
use outflank::formats::wthor::Database;
use outflank::rules::{Color, Position, RuleSet};
use outflank::train::games::{Game, Games};

use crate::commands::error::Error;
use crate::commands::input;

/// A position and what is known about it.
pub(super) struct Case {
    pub problem: Problem,
    pub board: Board,
    pub exact: i32,
}

/// Every `every`-th position of a file, or of a WTHOR folder.
pub(super) fn read_cases(file: &Path, every: usize, name: &str) -> Result<Vec<Case>, Error> {
    let is_wthor = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("wtb"));
    let cases = if is_wthor || file.is_dir() { wthor_cases(file)? } else { obf_cases(file, name)? };
    if cases.is_empty() {
        return Err(Error::input(format!("{name}: no position")));
    }
    Ok(cases.into_iter().step_by(every).collect())
}

fn obf_cases(file: &Path, name: &str) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    for (line, problem) in Reader::new(input::open(file)?, Arc::new(RuleSet::othello())) {
        let problem = problem.map_err(|error| Error::input(format!("{name}: {error}")))?;
        let bad = |what: &str| Error::input(format!("{name}: line {line}: {what}"));
        let exact = problem.best_score().ok_or_else(|| bad("the position comes without a score"))?;
        let (board, _) = problem.position.fast_board().ok_or_else(|| bad("not a position of Othello"))?;
        if problem.position.is_game_over() {
            return Err(bad("the game is over"));
        }
        cases.push(Case { problem, board, exact });
    }
    Ok(cases)
}

/// The different positions of the games for which the database has a score with perfect play.
fn wthor_cases(path: &Path) -> Result<Vec<Case>, Error> {
    let database = Database::open(path).map_err(|error| Error::input(error.to_string()))?;
    let mut met = HashSet::new();
    let games = Games::from_wthor(&database).games;
    Ok(games.iter().filter_map(wthor_case).filter(|case| met.insert(case.board.canonical())).collect())
}

/// The position with the known score. Which moves keep it the database does not say.
fn wthor_case(game: &Game) -> Option<Case> {
    let [known, _] = game.anchors[..] else { return None };
    let &(board, black) = game.positions.iter().find(|(board, _)| board.empty_count() == known.empties)?;
    let (color, sign) = if black { (Color::Black, 1) } else { (Color::White, -1) };
    let exact = sign * known.score as i32;
    let problem = Problem { position: Position::from_board(board, color), scores: Vec::new(), score: Some(exact) };
    Some(Case { problem, board, exact })
}
