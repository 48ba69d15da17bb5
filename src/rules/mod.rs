//! The rule sets of the game as values, and positions that obey them.
//!
//! A [`RuleSet`] is a combination of the dimensions in which the published sheets differ (board size,
//! start, flips, disc supply, what equality means, who wins); the presets are named combinations.
//! A [`Position`] is a complete game state under a rule set, on any board from 4x4 to 16x16; when the
//! rules allow it, [`Position::fast_board`] gives the 8x8 bitboard that the fast kernels work on.

mod bits;
mod position;

pub use bits::Bits;
pub use position::{Color, Direction, IllegalMove, Move, Point, Position};

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
    Own,
}

/// Who wins with equal disc counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Equality {
    /// Nobody.
    Draw,
    /// The player who moved second.
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RuleSet {
    /// Name of the preset this set was made from, such as `othello`.
    pub name: String,
    /// Rows, even, 4 to 16.
    pub rows: u8,
    /// Columns, even, 4 to 16.
    pub columns: u8,
    /// The start.
    pub start: Start,
    /// Which lines are turned.
    pub flips: Flips,
    /// Whose discs are placed.
    pub supply: Supply,
    /// What equal counts mean.
    pub equality: Equality,
    /// What wins.
    pub objective: Objective,
    /// What the first and the second player's discs are called: (`black`, `white`), (`gold`, `black`), ...
    pub colors: [String; 2],
}

impl RuleSet {
    /// Othello on 8x8.
    pub fn othello() -> RuleSet {
        RuleSet {
            name: "othello".to_string(),
            rows: 8,
            columns: 8,
            start: Start::Crossed,
            flips: Flips::All,
            supply: Supply::Shared,
            equality: Equality::Draw,
            objective: Objective::Most,
            colors: ["black".to_string(), "white".to_string()],
        }
    }

    /// Number of squares of the board.
    pub fn squares(&self) -> u32 {
        self.rows as u32 * self.columns as u32
    }

    /// The rules allow the fast 8x8 kernels: at most 8 rows and columns, all directions turn, supply never binds.
    pub fn is_fast(&self) -> bool {
        self.rows <= 8 && self.columns <= 8 && self.flips == Flips::All && self.supply == Supply::Shared
    }
}

impl Default for RuleSet {
    fn default() -> RuleSet {
        RuleSet::othello()
    }
}
