//! Rule sets of one's own, dimension by dimension, and what is checked about every rule set.

use std::sync::Arc;

use super::{Bits, Color, Equality, Flips, Objective, Point, Position, RuleSet, Shape, Start, Supply};
use crate::plain::quote;

/// Rules that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidRules {
    /// Too small or too large.
    #[error("board {0}x{1}: rows and columns must be numbers from 4 to 16")]
    Size(u8, u8),
    /// A disc of the explicit start lies outside the board.
    #[error("the start position has a disc on {0}, outside the {1}x{2} board")]
    Outside(Point, u8, u8),
    /// Both players have a disc on a square of the explicit start.
    #[error("the start position has discs of both players on {0}")]
    Overlap(Point),
    /// Under own supply nobody can have placed more than half of all discs.
    #[error("the start position has {count} {color} discs, but with own supply each player has only {half}")]
    TooManyDiscs {
        /// What the discs are called.
        color: String,
        /// How many stand on the board.
        count: u32,
        /// Half the squares.
        half: u32,
    },
    /// The game would be over at once.
    #[error("neither player can move in the start position")]
    NoMoves,
    /// Not two different names of letters.
    #[error("colours {} and {}: two different names of letters are needed", quote(.0), quote(.1))]
    Colors(String, String),
    /// The start needs this square, and it is a hole.
    #[error("the start needs a disc on {0}, which is a hole of this board")]
    Hole(Point),
    /// A hole outside the board.
    #[error("the hole {0} lies outside the {1}x{2} board")]
    HoleOutside(Point, u8, u8),
    /// Three squares cannot be cut at each corner of so small a board.
    #[error("an octagon needs a board of at least 6x6, not {0}x{1}")]
    Octagon(u8, u8),
    /// Corners are given to the first player of a start that has its discs already, or of a board without corners, or too many.
    #[error("corners={0}: 0 to 4 corners of a board that has them, with a crossed or parallel start")]
    Corners(u8),
}
/// Puts a rule set together from the dimensions in which the sheets differ; [`RuleSetBuilder::build`] checks the whole.
///
/// ```
/// use outflank::rules::{InvalidRules, Objective, RuleSet};
///
/// let rules = RuleSet::othello().to_builder().size(6, 8).objective(Objective::Fewest).build()?;
/// assert_eq!(rules.to_string(), "othello:6x8,fewest");
/// assert!(matches!(RuleSet::othello().to_builder().size(18, 8).build(), Err(InvalidRules::Size(18, 8))));
/// # Ok::<(), InvalidRules>(())
/// ```
#[derive(Clone, Debug)]
pub struct RuleSetBuilder {
    pub(super) rules: RuleSet,
}

impl RuleSetBuilder {
    /// The name of the preset that the result belongs to, which stays whatever else is changed. Rules that come from text have the name
    /// of the preset that they equal (see [`text`](super::text)), and where this is none, othello's: two sets that differ by their names
    /// alone are not equal, and `rules.to_string().parse()` is the one that readers of files make.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> RuleSetBuilder {
        self.rules.name = name.into();
        self
    }

    /// Rows and columns, from 4 to 16.
    #[must_use]
    pub fn size(mut self, rows: u8, columns: u8) -> RuleSetBuilder {
        (self.rules.rows, self.rules.columns) = (rows, columns);
        self
    }

    /// Which squares of the rectangle exist.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> RuleSetBuilder {
        self.rules.shape = shape;
        self
    }

    /// How many corners the first player's discs hold at the start, 0 to 4.
    #[must_use]
    pub fn corners(mut self, corners: u8) -> RuleSetBuilder {
        self.rules.corners = corners;
        self
    }

    /// How the centre discs get onto the board.
    #[must_use]
    pub fn start(mut self, start: Start) -> RuleSetBuilder {
        self.rules.start = start;
        self
    }

    /// Which outflanked lines a move turns.
    #[must_use]
    pub fn flips(mut self, flips: Flips) -> RuleSetBuilder {
        self.rules.flips = flips;
        self
    }

    /// Whose discs are placed.
    #[must_use]
    pub fn supply(mut self, supply: Supply) -> RuleSetBuilder {
        self.rules.supply = supply;
        self
    }

    /// Who wins with equal disc counts.
    #[must_use]
    pub fn equality(mut self, equality: Equality) -> RuleSetBuilder {
        self.rules.equality = equality;
        self
    }

    /// What wins.
    #[must_use]
    pub fn objective(mut self, objective: Objective) -> RuleSetBuilder {
        self.rules.objective = objective;
        self
    }

    /// What the first and the second player's discs are called: two different names of letters.
    #[must_use]
    pub fn colors(mut self, first: impl Into<String>, second: impl Into<String>) -> RuleSetBuilder {
        self.rules.colors = [first.into(), second.into()];
        self
    }

    /// The rule set, if its parts go together.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn build(self) -> Result<RuleSet, InvalidRules> {
        self.rules.validate()?;
        Ok(self.rules)
    }
}

impl RuleSet {
    /// Checks that the parts go together. Rule sets that come from text have been checked.
    ///
    /// # Errors
    /// The first contradiction found.
    pub fn validate(&self) -> Result<(), InvalidRules> {
        let good = |n: u8| (4..=16).contains(&n);
        if !good(self.rows) || !good(self.columns) {
            return Err(InvalidRules::Size(self.rows, self.columns));
        }
        let [a, b] = &self.colors;
        let letters = |name: &str| !name.is_empty() && name.chars().all(char::is_alphabetic);
        if a == b || !letters(a) || !letters(b) {
            return Err(InvalidRules::Colors(a.clone(), b.clone()));
        }
        self.validate_shape()?;
        if let Start::Explicit(black, white) = self.start {
            return self.validate_start(black, white);
        }
        let corner_hole = self.handicap_corners().iter().any(|point| self.holes().contains(*point));
        if self.corners > 4 || (self.corners > 0 && (corner_hole || self.start == Start::Placement)) {
            return Err(InvalidRules::Corners(self.corners));
        }
        if let Some(point) = (self.centre() & self.holes()).iter().next() {
            return Err(InvalidRules::Hole(point));
        }
        if self.holes().is_empty() {
            return Ok(());
        }
        match self.start != Start::Placement && Position::start(Arc::new(self.clone())).is_game_over() {
            true => Err(InvalidRules::NoMoves),
            false => Ok(()),
        }
    }

    fn validate_shape(&self) -> Result<(), InvalidRules> {
        if self.shape == Shape::Octagon && (self.rows < 6 || self.columns < 6) {
            return Err(InvalidRules::Octagon(self.rows, self.columns));
        }
        let outside = self.holes() & !Bits::board(self.rows, self.columns);
        match outside.iter().next() {
            Some(point) => Err(InvalidRules::HoleOutside(point, self.rows, self.columns)),
            None => Ok(()),
        }
    }

    fn validate_start(&self, black: Bits, white: Bits) -> Result<(), InvalidRules> {
        if self.corners > 0 {
            return Err(InvalidRules::Corners(self.corners));
        }
        if let Some(point) = (black & white).iter().next() {
            return Err(InvalidRules::Overlap(point));
        }
        let outside = (black | white) & !Bits::board(self.rows, self.columns);
        if let Some(point) = outside.iter().next() {
            return Err(InvalidRules::Outside(point, self.rows, self.columns));
        }
        if let Some(point) = ((black | white) & self.holes()).iter().next() {
            return Err(InvalidRules::Hole(point));
        }
        if self.supply == Supply::Own {
            for (discs, color) in [(black, Color::Black), (white, Color::White)] {
                let half = self.discs_each(color);
                if discs.count() > half {
                    let color = self.color_name(color).to_string();
                    return Err(InvalidRules::TooManyDiscs { color, count: discs.count(), half });
                }
            }
        }
        if Position::start(Arc::new(self.clone())).is_game_over() {
            return Err(InvalidRules::NoMoves);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::presets::PRESETS;

    /// Each part that a rule set has can be given to the builder, and the whole is what the text of the rules says.
    #[test]
    fn every_rule_set_can_be_built_from_its_parts() {
        let changed = [
            "othello:6x8,own,fewest",
            "hungarian:12x10,parallel",
            "octagon:8x8,one,second-wins",
            "othello:holes=a1,h8",
            "handicap:corners=3,colors=red/blue",
        ];
        for text in PRESETS.iter().map(|preset| preset.name).chain(changed) {
            let rules: RuleSet = text.parse().unwrap();
            let [first, second] = rules.colors().clone();
            let built = RuleSet::othello()
                .to_builder()
                .name(rules.name())
                .size(rules.rows(), rules.columns())
                .shape(rules.shape())
                .corners(rules.corners())
                .start(rules.start().clone())
                .flips(rules.flips())
                .supply(rules.supply())
                .equality(rules.equality())
                .objective(rules.objective())
                .colors(first, second)
                .build();
            assert_eq!(built.as_ref(), Ok(&rules), "{text}");
            assert_eq!(built.unwrap().to_string().parse(), Ok(rules), "{text}");
        }
    }

    #[test]
    fn parts_that_contradict_each_other_are_refused() {
        let othello = || RuleSet::othello().to_builder();
        let colors = |first: &str, second: &str| othello().colors(first, second).build().unwrap_err();
        assert_eq!(colors("red", "red"), InvalidRules::Colors("red".into(), "red".into()));
        assert_eq!(colors("red", "blue 2"), InvalidRules::Colors("red".into(), "blue 2".into()));
        assert_eq!(othello().corners(5).build(), Err(InvalidRules::Corners(5)));
        assert_eq!(othello().corners(1).start(Start::Placement).build(), Err(InvalidRules::Corners(1)));
        assert_eq!(othello().size(4, 8).shape(Shape::Octagon).build(), Err(InvalidRules::Octagon(4, 8)));
    }
}
