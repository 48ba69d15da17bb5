//! Playing levels 0 to 60, as users of Othello programs know them: from the number of empties a level gives
//! depth and selectivity. The scale is Edax's, so that strengths can be compared level by level.

use std::fmt;
use std::str::FromStr;

use super::Selectivity;

/// A playing level, 0..=60. Its text is the number.
///
/// ```
/// use outflank::Level;
///
/// let level: Level = "8".parse()?;
/// assert_eq!((level, level.get()), (Level::new(8).expect("at most 60"), 8));
/// assert!("61".parse::<Level>().is_err());
/// # Ok::<(), outflank::search::ParseLevelError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(u8);

/// What a level means at a number of empties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Depth in plies; equals the number of empties when the level solves to the end.
    pub depth: u8,
    /// Confidence.
    pub selectivity: Selectivity,
}

/// For a range of levels: (last level, exact when empties <= this, selective solves as (selectivity index, empties)).
type Row = (u8, u8, &'static [(u8, u8)]);

const ROWS: [Row; 9] = [
    (12, 21, &[(3, 24)]),
    (18, 21, &[(3, 24), (1, 27)]),
    (21, 24, &[(3, 27), (1, 30)]),
    (24, 24, &[(4, 27), (2, 30), (0, 33)]),
    (27, 27, &[(3, 30), (1, 33)]),
    (29, 27, &[(4, 30), (2, 33), (0, 36)]),
    (31, 30, &[(3, 33), (1, 36)]),
    (33, 30, &[(4, 33), (2, 36), (0, 39)]),
    (35, 30, &[(4, 33), (3, 36), (1, 39)]),
];

impl Level {
    /// The strongest level: solves everything.
    pub const MAX: Level = Level(60);
    /// The level used when nothing is said.
    pub const DEFAULT: Level = Level(21);

    /// A level 0..=60.
    pub const fn new(level: u8) -> Option<Level> {
        if level <= 60 { Some(Level(level)) } else { None }
    }

    /// The number 0..=60.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// Depth and selectivity at this number of empties.
    pub fn stage(self, empties: u8) -> Stage {
        let solve = |selectivity| Stage { depth: empties, selectivity };
        let none = Selectivity::NONE;
        let level = self.0;
        let selective = |index: u8| Selectivity::new(index).expect("table index");
        match level {
            60 => return solve(none),
            0..=10 => {
                return if empties <= 2 * level { solve(none) } else { Stage { depth: level, selectivity: none } };
            }
            _ => {}
        }
        if level <= 35 {
            let (_, exact, passes) = ROWS.iter().find(|row| level <= row.0).expect("levels to 35");
            if empties <= *exact {
                return solve(none);
            }
            if let Some(&(index, _)) = passes.iter().find(|pass| empties <= pass.1) {
                return solve(selective(index));
            }
        } else {
            const STEPS: [(i32, u8); 6] = [(-6, 5), (-3, 4), (0, 3), (3, 2), (6, 1), (9, 0)];
            let over = empties as i32 - level as i32;
            if let Some(&(_, index)) = STEPS.iter().find(|step| over <= step.0) {
                return solve(selective(index));
            }
        }
        Stage { depth: level.min(empties), selectivity: Selectivity::MOST }
    }
}

impl Default for Level {
    fn default() -> Level {
        Level::DEFAULT
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The text is no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a level is a number from 0 to 60")]
pub struct ParseLevelError;

impl FromStr for Level {
    type Err = ParseLevelError;

    fn from_str(text: &str) -> Result<Level, ParseLevelError> {
        text.parse().ok().and_then(Level::new).ok_or(ParseLevelError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_follow_the_published_table() {
        let stage = |level, empties| {
            let s = Level::new(level).unwrap().stage(empties);
            (s.depth, s.selectivity.percent())
        };
        assert_eq!(stage(0, 30), (0, 100));
        assert_eq!(stage(6, 13), (6, 100));
        assert_eq!(stage(6, 12), (12, 100));
        assert_eq!(stage(12, 24), (24, 98));
        assert_eq!(stage(12, 25), (12, 73));
        assert_eq!(stage(21, 24), (24, 100));
        assert_eq!(stage(21, 28), (28, 87));
        assert_eq!(stage(21, 31), (21, 73));
        assert_eq!(stage(40, 34), (34, 100));
        assert_eq!(stage(40, 49), (49, 73));
        assert_eq!(stage(40, 50), (40, 73));
        assert_eq!(stage(60, 60), (60, 100));
    }
}
