//! The rule sets of the game as values, and positions that obey them.
//!
//! A [`RuleSet`] is a combination of the dimensions in which the published sheets differ (board size,
//! start, flips, disc supply, what equality means, who wins); the presets are named combinations
//! (see [`presets`], and the [`guide`] for a chapter on each). A rule set has a short text form such as `hungarian:6x6,parallel`, read by
//! [`RuleSet::from_str`](std::str::FromStr) and printed by `Display` (see [`text`]).
//!
//! A [`Position`] is a complete game state under a rule set, on any board from 4x4 to 16x16, odd sides and
//! holes included; when the
//! rules allow it, [`Position::fast_board`] gives the 8x8 bitboard that the fast kernels work on.

mod bits;
mod builder;
pub mod guide;
mod letters;
mod moves;
mod notation;
mod position;
pub mod presets;
mod refusal;
mod shape;
pub mod text;

pub use bits::Bits;
pub use builder::{InvalidRules, RuleSetBuilder};
pub use letters::{Letter, Letters, Mixed, Spelling};
pub use moves::{Color, Direction, IllegalMove, Move, Point};
pub use notation::ParsePositionError;
pub use position::Position;
pub use refusal::{Beyond, Reason, Refusal, Sight};
pub use shape::Shape;
pub use text::ParseRulesError;

/// How the four centre discs get onto the board.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Start {
    /// Othello's: the first mover has the upper right and lower left of the four centre squares.
    Crossed,
    /// Crossed with the colours exchanged.
    CrossedMirrored,
    /// Equal colours side by side: the second player's discs in the upper row of the centre, the first's below.
    Parallel,
    /// The first player places two discs on two of the four centre squares, the second two on the others;
    /// then the first player moves.
    Placement,
    /// These discs of the first and of the second player, the first to move.
    Explicit(Bits, Bits),
}

/// Which outflanked lines a move turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flips {
    /// All of them.
    All,
    /// One direction, chosen by the mover.
    One,
}

/// Whose discs are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Supply {
    /// A player without discs receives one from the opponent: never binding.
    Shared,
    /// Each player owns half as many discs as there are squares; with none in hand a player must pass.
    ///
    /// The discs of the start position come out of these halves: on 8x8 each player has 32, two of them stand
    /// on the board at the start (or are placed in the placement phase), 30 are in hand. A disc that is turned
    /// stays on the board and belongs to nobody's hand any more: only placing a disc costs one.
    Own,
}

/// Who wins with equal disc counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Equality {
    /// Nobody.
    Draw,
    /// The player who moved second: always [`Color::White`], also after a placement phase (there the first
    /// player places first and moves first) and in positions set up with white to move.
    SecondWins,
}

/// What wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Objective {
    /// More discs.
    Most,
    /// Fewer discs ("anti" Othello).
    Fewest,
}

/// A complete set of rules.
///
/// ```
/// use outflank::rules::{RuleSet, Start};
///
/// let rules: RuleSet = "hungarian:6x6,parallel".parse()?;
/// assert_eq!((rules.rows(), rules.columns(), rules.start()), (6, 6, &Start::Parallel));
/// assert_eq!(rules.to_string(), "hungarian:6x6,parallel");
/// # Ok::<(), outflank::rules::ParseRulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuleSet {
    /// Name of the preset this set was made from, such as `othello`.
    name: String,
    /// Rows, 4 to 16.
    rows: u8,
    /// Columns, 4 to 16.
    columns: u8,
    /// Which squares of the rectangle exist.
    shape: Shape,
    /// Corners that the first player's discs hold at the start.
    corners: u8,
    /// The start.
    start: Start,
    /// Which lines are turned.
    flips: Flips,
    /// Whose discs are placed.
    supply: Supply,
    /// What equal counts mean.
    equality: Equality,
    /// What wins.
    objective: Objective,
    /// What the first and the second player's discs are called: (`black`, `white`), (`gold`, `black`), ...
    colors: [String; 2],
}

impl RuleSet {
    /// Othello on 8x8.
    pub fn othello() -> RuleSet {
        RuleSet {
            name: "othello".to_string(),
            rows: 8,
            columns: 8,
            shape: Shape::Rectangle,
            corners: 0,
            start: Start::Crossed,
            flips: Flips::All,
            supply: Supply::Shared,
            equality: Equality::Draw,
            objective: Objective::Most,
            colors: ["black".to_string(), "white".to_string()],
        }
    }

    /// The same rules as a builder, to change some of them.
    pub fn to_builder(&self) -> RuleSetBuilder {
        RuleSetBuilder { rules: self.clone() }
    }

    /// Name of the preset this set was made from, such as `othello`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Rows of the board, 4 to 16.
    #[inline]
    pub fn rows(&self) -> u8 {
        self.rows
    }

    /// Columns of the board, 4 to 16.
    #[inline]
    pub fn columns(&self) -> u8 {
        self.columns
    }

    /// How the centre discs get onto the board.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Which outflanked lines a move turns.
    #[inline]
    pub fn flips(&self) -> Flips {
        self.flips
    }

    /// Whose discs are placed.
    #[inline]
    pub fn supply(&self) -> Supply {
        self.supply
    }

    /// Who wins with equal disc counts.
    pub fn equality(&self) -> Equality {
        self.equality
    }

    /// What wins.
    #[inline]
    pub fn objective(&self) -> Objective {
        self.objective
    }

    /// What the first and the second player's discs are called: (`black`, `white`), (`gold`, `black`), ...
    pub fn colors(&self) -> &[String; 2] {
        &self.colors
    }

    /// Number of squares of the board, holes not counted.
    pub fn squares(&self) -> u32 {
        match self.shape {
            Shape::Rectangle => self.cells(),
            _ => self.area().count(),
        }
    }

    /// The point lies within rows and columns.
    fn has(&self, point: Point) -> bool {
        point.row < self.rows && point.column < self.columns
    }

    /// The rules allow the fast 8x8 kernels: at most 8 rows and columns without holes, an even number of squares (the search
    /// counts on even scores), all directions turn, supply never binds.
    pub fn is_fast(&self) -> bool {
        self.rows <= 8
            && self.columns <= 8
            && self.shape == Shape::Rectangle
            && self.cells().is_multiple_of(2)
            && self.flips == Flips::All
            && self.supply == Supply::Shared
    }

    /// The discs of a player under own supply, those of the start included: half the squares; of an odd number of squares the
    /// first player, who moves first, has the odd one.
    pub fn discs_each(&self, color: Color) -> u32 {
        match color {
            Color::Black => self.squares().div_ceil(2),
            Color::White => self.squares() / 2,
        }
    }

    /// What a colour is called in this edition: `black`, `gold`, `o`, ...
    pub fn color_name(&self, color: Color) -> &str {
        &self.colors[color.index()]
    }

    /// The colour with this name in this edition, in any letter case when that is unambiguous.
    pub fn color_named(&self, name: &str) -> Option<Color> {
        let sides = [Color::Black, Color::White];
        let exact = sides.into_iter().find(|color| self.color_name(*color) == name);
        let same = |color: &Color| self.color_name(*color).eq_ignore_ascii_case(name);
        exact.or_else(|| match sides.iter().filter(|color| same(color)).count() {
            1 => sides.into_iter().find(|color| same(color)),
            _ => None,
        })
    }
}

impl Default for RuleSet {
    fn default() -> RuleSet {
        RuleSet::othello()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_are_refused() {
        let with = |change: &dyn Fn(&mut RuleSet)| {
            let mut rules = RuleSet::othello();
            change(&mut rules);
            rules.validate().unwrap_err()
        };
        let point = |column, row| Point { row, column };
        let set = |points: &[Point]| points.iter().copied().collect::<Bits>();
        assert_eq!(with(&|r| r.rows = 3), InvalidRules::Size(3, 8));
        assert_eq!(with(&|r| r.columns = 18), InvalidRules::Size(8, 18));
        let d4 = set(&[point(3, 3)]);
        assert_eq!(with(&|r| r.start = Start::Explicit(d4, d4)), InvalidRules::Overlap(point(3, 3)));
        let far = set(&[point(9, 3)]);
        assert_eq!(with(&|r| r.start = Start::Explicit(d4, far)), InvalidRules::Outside(point(9, 3), 8, 8));
        assert_eq!(with(&|r| r.start = Start::Explicit(d4, Bits::EMPTY)), InvalidRules::NoMoves);
        assert_eq!(with(&|r| r.colors[1] = "black".into()), InvalidRules::Colors("black".into(), "black".into()));
        let many = Bits::from_u64(0x1FF_FFFF_FFFF);
        let error = with(&|r| (r.start, r.supply) = (Start::Explicit(many, Bits::EMPTY), Supply::Own));
        assert_eq!(error, InvalidRules::TooManyDiscs { color: "black".into(), count: 41, half: 32 });
        assert_eq!(RuleSet::othello().validate(), Ok(()));
    }

    #[test]
    fn colors_of_the_editions() {
        let symbols = |text: &str| text.parse::<RuleSet>().unwrap().symbols();
        assert_eq!(symbols("othello"), ['X', 'O']);
        assert_eq!(symbols("ravensburger"), ['G', 'B']);
        assert_eq!(symbols("traveller"), ['R', 'G']);
        assert_eq!(symbols("hungarian"), ['o', 'O']);
        let hungarian: RuleSet = "hungarian".parse().unwrap();
        assert_eq!(hungarian.color_named("O"), Some(Color::White));
        assert_eq!(RuleSet::othello().color_named("BLACK"), Some(Color::Black));
        assert_eq!(RuleSet::othello().color_named("gold"), None);
    }
}
