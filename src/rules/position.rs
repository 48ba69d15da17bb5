//! A complete game state under any rule set.

use std::fmt;
use std::sync::Arc;

use super::{Bits, Equality, Flips, Objective, RuleSet, Start, Supply};
use crate::board::{Board, Square};

/// A side. Black is the first player of the rule set, whatever the edition calls its colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Color {
    /// The first player.
    Black,
    /// The second player.
    White,
}

impl Color {
    /// 0 for black, 1 for white.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `black` or `white`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Black => "black",
            Color::White => "white",
        }
    }
}

impl std::ops::Not for Color {
    type Output = Color;
    #[inline]
    fn not(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

/// A square of a board up to 16x16; row and column are counted from 0, row 0 at the top.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Point {
    /// Row, 0 at the top.
    pub row: u8,
    /// Column, 0 at the left (`a`).
    pub column: u8,
}

impl Point {
    /// Index in a grid of 16 columns.
    #[inline]
    pub const fn index(self) -> usize {
        self.row as usize * 16 + self.column as usize
    }

    /// The square of the 8x8 board at this place, if it has one.
    pub const fn square(self) -> Option<Square> {
        Square::at(self.column, self.row)
    }

    /// The neighbour in a direction, if it is on a board of this size.
    #[inline]
    pub fn step(self, direction: Direction, rows: u8, columns: u8) -> Option<Point> {
        let (dx, dy) = direction.steps();
        let row = self.row.wrapping_add_signed(dy);
        let column = self.column.wrapping_add_signed(dx);
        (row < rows && column < columns).then_some(Point { row, column })
    }
}

impl From<Square> for Point {
    fn from(square: Square) -> Point {
        Point { row: square.row(), column: square.column() }
    }
}

/// Lower case `f5`, `p16`; the alternate form `{:#}` is upper case.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = if f.alternate() { b'A' } else { b'a' };
        write!(f, "{}{}", (base + self.column) as char, self.row + 1)
    }
}

/// One of the eight directions in which discs are outflanked; north is towards row 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Direction {
    N,
    NE,
    E,
    SE,
    S,
    SW,
    W,
    NW,
}

impl Direction {
    /// All eight, clockwise from north.
    pub const ALL: [Direction; 8] = [
        Direction::N,
        Direction::NE,
        Direction::E,
        Direction::SE,
        Direction::S,
        Direction::SW,
        Direction::W,
        Direction::NW,
    ];

    /// (column step, row step).
    #[inline]
    pub const fn steps(self) -> (i8, i8) {
        match self {
            Direction::N => (0, -1),
            Direction::NE => (1, -1),
            Direction::E => (1, 0),
            Direction::SE => (1, 1),
            Direction::S => (0, 1),
            Direction::SW => (-1, 1),
            Direction::W => (-1, 0),
            Direction::NW => (-1, -1),
        }
    }

    /// `N`, `NE`, ...
    pub const fn name(self) -> &'static str {
        ["N", "NE", "E", "SE", "S", "SW", "W", "NW"][self as usize]
    }
}

/// A move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// A forced pass.
    Pass,
    /// A disc on a square. `direction` is given exactly when the rules turn one direction only
    /// (and the game is past the placement phase).
    Place {
        /// Where the disc goes.
        at: Point,
        /// The line that is turned, under one-direction rules.
        direction: Option<Direction>,
    },
}

impl Move {
    /// The square of an 8x8 move, `None` for a pass or off the 8x8 board.
    pub fn square(self) -> Option<Square> {
        match self {
            Move::Pass => None,
            Move::Place { at, .. } => at.square(),
        }
    }
}

impl From<Square> for Move {
    fn from(square: Square) -> Move {
        Move::Place { at: square.into(), direction: None }
    }
}

/// `f5`, `f5:NE` with a direction, `pass`; the alternate form `{:#}` is upper case.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Pass => f.write_str(if f.alternate() { "PASS" } else { "pass" }),
            Move::Place { at, direction } => {
                fmt::Display::fmt(at, f)?;
                match direction {
                    Some(direction) => write!(f, ":{}", direction.name()),
                    None => Ok(()),
                }
            }
        }
    }
}

/// The move is not legal in the position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("illegal move {0}")]
pub struct IllegalMove(pub Move);

/// A complete game state: discs, side to move, discs in hand, and how much of the placement phase is left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    rules: Arc<RuleSet>,
    discs: [Bits; 2],
    side: Color,
    /// Discs in hand, by colour; meaningful under own supply.
    hands: [u16; 2],
    /// Discs still to be placed on the centre before the game proper begins (4 to 0).
    placements: u8,
}

impl Position {
    /// The start position of a rule set.
    pub fn start(rules: Arc<RuleSet>) -> Position {
        let (r, c) = (rules.rows / 2, rules.columns / 2);
        let set = |points: [(u8, u8); 2]| {
            let mut bits = Bits::EMPTY;
            points.iter().for_each(|&(row, column)| bits.insert(Point { row, column }));
            bits
        };
        let falling = set([(r - 1, c - 1), (r, c)]);
        let rising = set([(r - 1, c), (r, c - 1)]);
        let (discs, placements) = match rules.start {
            Start::Crossed => ([rising, falling], 0),
            Start::CrossedMirrored => ([falling, rising], 0),
            Start::Parallel => ([set([(r, c - 1), (r, c)]), set([(r - 1, c - 1), (r - 1, c)])], 0),
            Start::Placement => ([Bits::EMPTY; 2], 4),
            Start::Explicit(black, white) => ([black, white], 0),
        };
        Position::with_discs(rules, discs, Color::Black, placements)
    }

    fn with_discs(rules: Arc<RuleSet>, discs: [Bits; 2], side: Color, placements: u8) -> Position {
        let half = (rules.squares() / 2) as u16;
        let hands = discs.map(|set| half.saturating_sub(set.count() as u16));
        Position { rules, discs, side, hands, placements }
    }

    /// A position with these discs under the rules, past any placement phase; `None` when the sets
    /// overlap or leave the board.
    pub fn from_discs(rules: Arc<RuleSet>, black: Bits, white: Bits, side: Color) -> Option<Position> {
        let outside = !Bits::board(rules.rows, rules.columns);
        if !(black & white).is_empty() || !((black | white) & outside).is_empty() {
            return None;
        }
        Some(Position::with_discs(rules, [black, white], side, 0))
    }

    /// An othello position from an 8x8 board whose `player` discs belong to `side`, who is to move.
    pub fn from_board(board: Board, side: Color) -> Position {
        let mut discs = [Bits::from_u64(board.player), Bits::from_u64(board.opponent)];
        if side == Color::White {
            discs.swap(0, 1);
        }
        Position::with_discs(Arc::new(RuleSet::othello()), discs, side, 0)
    }

    /// The rules in force.
    pub fn rules(&self) -> &Arc<RuleSet> {
        &self.rules
    }

    /// The side to move.
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// All discs of a colour.
    pub fn discs(&self, color: Color) -> Bits {
        self.discs[color.index()]
    }

    /// The disc on a square, if any.
    pub fn disc_at(&self, point: Point) -> Option<Color> {
        [Color::Black, Color::White].into_iter().find(|color| self.discs[color.index()].contains(point))
    }

    /// Discs in hand under own supply, `None` when supply is shared.
    pub fn in_hand(&self, color: Color) -> Option<u16> {
        (self.rules.supply == Supply::Own).then_some(self.hands[color.index()])
    }

    /// Discs still to be placed on the centre before the game proper begins.
    pub fn placements_left(&self) -> u8 {
        self.placements
    }

    /// Empty squares of the board.
    pub fn empties(&self) -> Bits {
        Bits::board(self.rules.rows, self.rules.columns) & !(self.discs[0] | self.discs[1])
    }

    /// Number of empty squares of the board.
    pub fn empty_count(&self) -> u32 {
        self.rules.squares() - self.discs[0].count() - self.discs[1].count()
    }

    /// The bitboard of the side to move and the mask of the squares that exist, when the rules fit the
    /// fast kernels (see [`RuleSet::is_fast`]) and the placement phase is over.
    pub fn fast_board(&self) -> Option<(Board, u64)> {
        if !self.rules.is_fast() || self.placements > 0 {
            return None;
        }
        let player = self.discs[self.side.index()].to_u64();
        let opponent = self.discs[(!self.side).index()].to_u64();
        Some((Board { player, opponent }, Bits::board(self.rules.rows, self.rules.columns).to_u64()))
    }

    /// Discs outflanked from `at` in one direction by `color`.
    fn line(&self, at: Point, direction: Direction, color: Color) -> Bits {
        let (rows, columns) = (self.rules.rows, self.rules.columns);
        let mut line = Bits::EMPTY;
        let mut next = at.step(direction, rows, columns);
        while let Some(point) = next {
            if self.discs[color.index()].contains(point) {
                return line;
            }
            if !self.discs[(!color).index()].contains(point) {
                return Bits::EMPTY;
            }
            line.insert(point);
            next = point.step(direction, rows, columns);
        }
        Bits::EMPTY
    }

    /// Discs that `color` would turn with a disc on the empty square `at`: in all directions, or in the given one.
    fn flips_of(&self, at: Point, direction: Option<Direction>, color: Color) -> Bits {
        match direction {
            Some(direction) => self.line(at, direction, color),
            None => {
                Direction::ALL.into_iter().fold(Bits::EMPTY, |flips, direction| flips | self.line(at, direction, color))
            }
        }
    }

    /// Discs the move turns (none for a pass or a placement); the move must be legal.
    pub fn flips(&self, mv: Move) -> Bits {
        match mv {
            Move::Place { at, direction } if self.placements == 0 => self.flips_of(at, direction, self.side),
            _ => Bits::EMPTY,
        }
    }

    /// Placements (not passes) open to `color`.
    fn placements_of(&self, color: Color) -> Vec<Move> {
        if self.rules.supply == Supply::Own && self.hands[color.index()] == 0 {
            return Vec::new();
        }
        let mut moves = Vec::new();
        for at in self.empties().iter() {
            if self.placements > 0 {
                let (r, c) = (self.rules.rows / 2, self.rules.columns / 2);
                if (r - 1..=r).contains(&at.row) && (c - 1..=c).contains(&at.column) {
                    moves.push(Move::Place { at, direction: None });
                }
            } else if self.rules.flips == Flips::One {
                for direction in Direction::ALL {
                    if !self.line(at, direction, color).is_empty() {
                        moves.push(Move::Place { at, direction: Some(direction) });
                    }
                }
            } else if !self.flips_of(at, None, color).is_empty() {
                moves.push(Move::Place { at, direction: None });
            }
        }
        moves
    }

    /// All legal moves, row by row; only [`Move::Pass`] when the side to move is stuck, nothing when the game is over.
    pub fn legal_moves(&self) -> Vec<Move> {
        let moves = self.placements_of(self.side);
        if moves.is_empty() && self.can_place(!self.side) {
            return vec![Move::Pass];
        }
        moves
    }

    /// This side could place a disc if it were to move.
    pub fn can_place(&self, color: Color) -> bool {
        if let Some((board, mask)) = self.fast_board() {
            let board = if color == self.side { board } else { board.pass() };
            return board.legal_moves() & mask != 0;
        }
        !self.placements_of(color).is_empty()
    }

    /// The side to move can only pass.
    pub fn must_pass(&self) -> bool {
        !self.can_place(self.side) && self.can_place(!self.side)
    }

    /// Neither side can place.
    pub fn is_game_over(&self) -> bool {
        !self.can_place(self.side) && !self.can_place(!self.side)
    }

    /// The move is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        match mv {
            Move::Pass => self.must_pass(),
            Move::Place { at, direction } => {
                if at.row >= self.rules.rows || at.column >= self.rules.columns || self.disc_at(at).is_some() {
                    return false;
                }
                if self.rules.supply == Supply::Own && self.hands[self.side.index()] == 0 {
                    return false;
                }
                if self.placements > 0 {
                    return direction.is_none() && self.placements_of(self.side).contains(&mv);
                }
                if direction.is_some() != (self.rules.flips == Flips::One) {
                    return false;
                }
                !self.flips_of(at, direction, self.side).is_empty()
            }
        }
    }

    /// The position after a legal move.
    ///
    /// # Errors
    /// [`IllegalMove`] when the rules forbid it.
    pub fn play(&self, mv: Move) -> Result<Position, IllegalMove> {
        if !self.is_legal(mv) {
            return Err(IllegalMove(mv));
        }
        let mut next = self.clone();
        next.side = !self.side;
        if let Move::Place { at, .. } = mv {
            let flips = self.flips(mv);
            let (own, other) = (self.side.index(), (!self.side).index());
            next.discs[own] = self.discs[own] | flips;
            next.discs[own].insert(at);
            next.discs[other] = self.discs[other] & !flips;
            next.hands[own] = self.hands[own].saturating_sub(1);
            if self.placements > 0 {
                next.placements -= 1;
                // both players place two discs in a row: the first, then the second; then the first moves
                next.side = if matches!(next.placements, 3 | 1) { self.side } else { !self.side };
            }
        }
        Ok(next)
    }

    /// The same position with the other side to move, legal or not (for setting up positions).
    #[must_use]
    pub fn with_side(&self, side: Color) -> Position {
        Position { side, ..self.clone() }
    }

    /// Black's discs minus white's, empty squares not counted.
    pub fn disc_difference(&self) -> i32 {
        self.discs[0].count() as i32 - self.discs[1].count() as i32
    }

    /// Black's score of a finished game: the disc difference, empty squares counted for whoever has more discs
    /// unless `discs_only`. Under the fewest-discs objective the sign is turned, so that more is always better.
    pub fn final_score(&self, discs_only: bool) -> i32 {
        let difference = self.disc_difference();
        let empties = if discs_only { 0 } else { self.empty_count() as i32 };
        let score = difference + difference.signum() * empties;
        match self.rules.objective {
            Objective::Most => score,
            Objective::Fewest => -score,
        }
    }

    /// The winner of a finished game, `None` for a draw.
    pub fn winner(&self) -> Option<Color> {
        match (self.final_score(true).signum(), self.rules.equality) {
            (1, _) => Some(Color::Black),
            (-1, _) | (_, Equality::SecondWins) => Some(Color::White),
            _ => None,
        }
    }
}

impl Default for Position {
    /// Othello's start position.
    fn default() -> Position {
        Position::start(Arc::new(RuleSet::othello()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn othello_start_matches_the_bitboard() {
        let position = Position::default();
        assert_eq!(position.fast_board(), Some((Board::START, u64::MAX)));
        let moves: Vec<String> = position.legal_moves().iter().map(Move::to_string).collect();
        assert_eq!(moves, ["d3", "c4", "f5", "e6"]);
    }
}
