//! What a playing level means.

use serde::Serialize;

use crate::rules::Position;
use crate::search::{Level, Selectivity, Stage, general};

/// Squares of the board that the levels are made for.
pub const MOST_EMPTIES: u8 = 60;

/// What a level means, as `levels --json` prints it.
#[cfg_attr(feature = "web", derive(utoipa::ToSchema))]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LevelJson {
    /// The level, 0 to 60.
    pub level: u8,
    /// Depth in plies with too many empties for a solve.
    pub depth: u8,
    /// Confidence of that search in percent.
    pub selectivity: u32,
    /// The most empties with which the game is searched to its end at least with this confidence: 100, 99, 98, ...
    pub solves: Vec<(u32, u8)>,
}

/// The most empties at which a level solves to the end with at least this confidence.
fn solves_from(level: Level, selectivity: Selectivity) -> u8 {
    let solves = |empties: &u8| {
        let stage = level.stage(*empties);
        stage.depth >= *empties && stage.selectivity >= selectivity
    };
    (1..=MOST_EMPTIES).take_while(solves).last().unwrap_or(0)
}

impl LevelJson {
    /// What this level means.
    pub fn new(level: Level) -> LevelJson {
        let midgame = level.stage(MOST_EMPTIES);
        let solves = Selectivity::ALL.iter().rev().map(|&s| (s.percent(), solves_from(level, s))).collect();
        LevelJson { level: level.get(), depth: midgame.depth, selectivity: midgame.selectivity.percent(), solves }
    }
}

/// What a level means in othello, in a sentence.
pub fn describe(level: Level) -> String {
    let row = LevelJson::new(level);
    let exact = row.solves[0].1;
    let widest = row.solves.iter().map(|solve| solve.1).max().unwrap_or(0);
    sentence(level, level.stage(MOST_EMPTIES), exact, widest)
}

/// What a level means in the game of a position, in a sentence: see [`Engine::stage_of`](crate::Engine::stage_of).
pub fn describe_in(position: &Position, level: Level) -> String {
    // the moves that place the first discs are few
    if position.rules().is_fast() {
        return describe(level);
    }
    let stage = |empties: u8| general::stage(position.rules(), empties.into(), level);
    let exact = (1..=u8::MAX).take_while(|&empties| stage(empties).depth >= empties).last().unwrap_or(0);
    sentence(level, stage(u8::MAX), exact, exact)
}

/// A level that looks so deep in the midgame, to the end exactly and selectively from so many empty squares on.
fn sentence(level: Level, midgame: Stage, exact: u8, widest: u8) -> String {
    let midgame = format!("depth {} at {}", midgame.depth, midgame.selectivity);
    match (exact, widest) {
        (MOST_EMPTIES.., _) => format!("level {level}: solves every position exactly"),
        (0, 0) => format!("level {level}: {midgame}"),
        _ if widest == exact => format!("level {level}: {midgame}; exact with {exact} empty squares or fewer"),
        _ => {
            format!(
                "level {level}: {midgame}; to the end selectively from {widest} empty squares, exactly from {exact}"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn descriptions() {
        let describe = |level| describe(Level::new(level).unwrap());
        assert_eq!(describe(0), "level 0: depth 0 at 100%");
        assert_eq!(describe(6), "level 6: depth 6 at 100%; exact with 12 empty squares or fewer");
        assert_eq!(
            describe(21),
            "level 21: depth 21 at 73%; to the end selectively from 30 empty squares, exactly from 24"
        );
        assert_eq!(describe(60), "level 60: solves every position exactly");
    }

    #[test]
    fn other_boards_have_levels_of_their_own() {
        let describe = |rules: &str, level| {
            let position = Position::start(Arc::new(rules.parse().unwrap()));
            describe_in(&position, Level::new(level).unwrap())
        };
        for rules in ["othello", "othello:6x6", "othello:placement"] {
            assert_eq!(describe(rules, 21), super::describe(Level::DEFAULT), "{rules}");
        }
        let large = "level 21: depth 14 at 73%; exact with 14 empty squares or fewer";
        assert_eq!(describe("othello:16x16", 21), large);
        assert_eq!(describe("traveller", 6), "level 6: depth 3 at 100%; exact with 7 empty squares or fewer");
        assert_eq!(describe("octagon", 0), "level 0: depth 0 at 100%");
        assert_eq!(describe("octagon", 60), "level 60: solves every position exactly");
    }
}
