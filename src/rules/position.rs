//! A complete game state under any rule set.

use std::sync::Arc;

use super::{Bits, Color, Direction, Equality, Flips, IllegalMove, Move, Objective, Point, RuleSet, Start, Supply};
use crate::board::Board;

/// A complete game state: discs, side to move, discs in hand, and how much of the placement phase is left.
///
/// ```
/// use std::sync::Arc;
/// use outflank::{Color, Position, RuleSet};
///
/// let rules: RuleSet = "othello:6x6".parse()?;
/// let mut position = Position::start(Arc::new(rules));
/// // passes are moves, too: there is a legal move as long as the game is not over
/// while let Some(&mv) = position.legal_moves().first() {
///     position = position.play(mv)?;
/// }
/// assert!(position.is_game_over());
/// let score = position.final_score(false);
/// assert_eq!(position.winner(), if score > 0 { Some(Color::Black) } else { (score < 0).then_some(Color::White) });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
        let mut discs: [Bits; 2] = discs;
        rules.handicap_corners().into_iter().for_each(|corner| discs[0].insert(corner));
        Position::with_discs(rules, discs, Color::Black, placements)
    }

    /// Discs as at the start of a game: under own supply each player's come out of that player's half.
    fn with_discs(rules: Arc<RuleSet>, discs: [Bits; 2], side: Color, placements: u8) -> Position {
        let hands = match rules.supply {
            Supply::Shared => [0; 2],
            Supply::Own => [Color::Black, Color::White]
                .map(|color| rules.discs_each(color).saturating_sub(discs[color.index()].count()) as u16),
        };
        Position { rules, discs, side, hands, placements }
    }

    /// A position with these discs under the rules, past any placement phase; `None` when the sets
    /// overlap or leave the board.
    ///
    /// Under own supply the discs on the board are taken to have been placed by both players in turn: half by each,
    /// an odd one by the player not to move. [`with_hands`](Position::with_hands) says otherwise.
    pub fn from_discs(rules: Arc<RuleSet>, black: Bits, white: Bits, side: Color) -> Option<Position> {
        let outside = !rules.area();
        if !(black & white).is_empty() || !((black | white) & outside).is_empty() {
            return None;
        }
        let mut position = Position::with_discs(rules, [black, white], side, 0);
        if position.rules.supply == Supply::Own {
            let empties = position.empty_count() as u16;
            let [own, other] = [side, !side].map(|color| position.rules.discs_each(color) as u16);
            // both together have the empty squares, and neither more than its half of the board
            position.hands[side.index()] = empties.div_ceil(2).clamp(empties.saturating_sub(other), own);
            position.hands[(!side).index()] = empties - position.hands[side.index()];
        }
        Some(position)
    }

    /// The same position with these numbers of discs in hand; `None` under shared supply, when a number exceeds half
    /// the squares, or when both together are not the number of empty squares (no disc leaves the game).
    #[must_use]
    pub fn with_hands(&self, black: u16, white: u16) -> Option<Position> {
        let [first, second] = [Color::Black, Color::White].map(|color| self.rules.discs_each(color));
        let (b, w) = (u32::from(black), u32::from(white));
        let fits = b <= first && w <= second && b + w == self.empty_count();
        (self.rules.supply == Supply::Own && fits).then(|| Position { hands: [black, white], ..self.clone() })
    }

    /// The same discs in the placement phase with this many discs still to come; `None` when the rules have no such
    /// phase, or discs, side to move and number do not fit together.
    #[must_use]
    pub fn with_placements(&self, left: u8) -> Option<Position> {
        let (black, white, side) = match left {
            4 => (0, 0, Color::Black),
            3 => (1, 0, Color::Black),
            2 => (2, 0, Color::White),
            1 => (2, 1, Color::White),
            _ => return None,
        };
        let in_centre = ((self.discs[0] | self.discs[1]) & !self.rules.centre()).is_empty();
        let counts = self.discs.map(|set| set.count()) == [black, white];
        let fits = self.rules.start == Start::Placement && in_centre && counts && self.side == side;
        fits.then(|| Position::with_discs(self.rules.clone(), self.discs, side, left))
    }

    /// An othello position from an 8x8 board whose `player` discs belong to `side`, who is to move.
    ///
    /// # Panics
    /// When a square has discs of both, which [`Board::new`] refuses.
    pub fn from_board(board: Board, side: Color) -> Position {
        assert!(board.player & board.opponent == 0, "a square of {board:?} has discs of both players");
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

    /// The disc on a square, if any; a point outside the board has none.
    pub fn disc_at(&self, point: Point) -> Option<Color> {
        if !self.rules.has(point) {
            return None;
        }
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
        self.rules.area() & !(self.discs[0] | self.discs[1])
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

    /// [`Position::fast_board`] where it is the whole board of 8x8.
    pub fn whole_board(&self) -> Option<Board> {
        self.fast_board().and_then(|(board, mask)| (mask == u64::MAX).then_some(board))
    }

    /// [`Position::whole_board`] where most discs win, as in othello: what books and the evaluation of 8x8 know. Who wins
    /// with equal counts does not matter to their values, so the boxes whose game is othello's in all else are among them.
    pub fn othello_board(&self) -> Option<Board> {
        self.whole_board().filter(|_| self.rules.objective() == Objective::Most)
    }

    /// [`Position::fast_board`] as it would be with this side to move.
    fn fast_board_of(&self, color: Color) -> Option<(Board, u64)> {
        let (board, mask) = self.fast_board()?;
        Some((if color == self.side { board } else { board.pass() }, mask))
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
        if let Some(direction) = direction {
            return self.line(at, direction, color);
        }
        // lines end at the edge of a smaller board as at an empty square
        if let Some(((board, _), square)) = self.fast_board_of(color).zip(at.square()) {
            return Bits::from_u64(board.flips(square));
        }
        Direction::ALL.into_iter().fold(Bits::EMPTY, |flips, direction| flips | self.line(at, direction, color))
    }

    /// Discs the move turns (none for a pass or a placement); the move must be legal.
    pub fn flips(&self, mv: Move) -> Bits {
        match mv {
            Move::Place { at, direction } if self.placements == 0 => self.flips_of(at, direction, self.side),
            _ => Bits::EMPTY,
        }
    }

    /// A move of this position is a square and a direction (one-direction rules, past the placement phase).
    pub fn chooses_direction(&self) -> bool {
        self.rules.flips == Flips::One && self.placements == 0
    }

    /// The player has a disc to place: not so only under own supply with none in hand.
    fn has_disc(&self, color: Color) -> bool {
        self.rules.supply == Supply::Shared || self.hands[color.index()] > 0
    }

    /// Legal placements on one square: several only under one-direction rules.
    pub fn moves_at(&self, at: Point) -> Vec<Move> {
        let mut moves = Vec::new();
        if self.is_open(at) {
            self.push_moves_at(at, self.side, &mut moves);
        }
        moves
    }

    /// The side to move has a disc to place, and the square is there and empty.
    fn is_open(&self, at: Point) -> bool {
        self.rules.has(at) && !self.rules.holes().contains(at) && self.disc_at(at).is_none() && self.has_disc(self.side)
    }

    /// Appends the placements that `color`, who has a disc, may make on an empty square.
    fn push_moves_at(&self, at: Point, color: Color, moves: &mut Vec<Move>) {
        let mut push = |direction| {
            if self.placement_flips(at, direction, color).is_some() {
                moves.push(Move::Place { at, direction });
            }
        };
        if self.chooses_direction() {
            Direction::ALL.map(Some).into_iter().for_each(push);
        } else {
            push(None);
        }
    }

    /// The discs that `color`, who has a disc, turns with it on an empty square; none of a placement that the rules forbid.
    fn placement_flips(&self, at: Point, direction: Option<Direction>, color: Color) -> Option<Bits> {
        if direction.is_some() != self.chooses_direction() {
            return None;
        }
        if self.placements > 0 {
            return self.rules.centre().contains(at).then_some(Bits::EMPTY);
        }
        let flips = self.flips_of(at, direction, color);
        (!flips.is_empty()).then_some(flips)
    }

    /// Placements (not passes) open to `color`.
    fn placements_of(&self, color: Color) -> Vec<Move> {
        if let Some((board, mask)) = self.fast_board_of(color) {
            let points = Bits::from_u64(board.legal_moves() & mask);
            return points.iter().map(|at| Move::Place { at, direction: None }).collect();
        }
        let mut moves = Vec::new();
        if self.has_disc(color) {
            for at in self.empties().iter() {
                self.push_moves_at(at, color, &mut moves);
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
        if let Some((board, mask)) = self.fast_board_of(color) {
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
        self.legal_flips(mv).is_some()
    }

    /// What [`Position::flips`] says of a legal move; none of others.
    fn legal_flips(&self, mv: Move) -> Option<Bits> {
        match mv {
            Move::Pass => self.must_pass().then_some(Bits::EMPTY),
            Move::Place { at, direction } if self.is_open(at) => self.placement_flips(at, direction, self.side),
            Move::Place { .. } => None,
        }
    }

    /// The position after a legal move.
    ///
    /// # Errors
    /// [`IllegalMove`] when the rules forbid it.
    pub fn play(&self, mv: Move) -> Result<Position, IllegalMove> {
        let flips = self.legal_flips(mv).ok_or(IllegalMove(mv))?;
        let mut next = self.clone();
        next.side = !self.side;
        if let Move::Place { at, .. } = mv {
            let (own, other) = (self.side.index(), (!self.side).index());
            next.discs[own] = self.discs[own] | flips;
            next.discs[own].insert(at);
            next.discs[other] = self.discs[other] & !flips;
            if self.rules.supply == Supply::Own {
                next.hands[own] = self.hands[own].saturating_sub(1);
            }
            if self.placements > 0 {
                next.placements -= 1;
                // both players place two discs in a row: the first, then the second; then the first moves
                next.side = if matches!(next.placements, 3 | 1) { self.side } else { !self.side };
            }
        }
        Ok(next)
    }

    /// The same position with this side to move, legal or not (for setting up positions); see
    /// [`may_be_turn_of`](Position::may_be_turn_of).
    #[must_use]
    pub fn with_side(&self, side: Color) -> Position {
        Position { side, ..self.clone() }
    }

    /// The turn may be given to this side: to either, but as long as discs are placed on the centre the rules say whose it is.
    pub fn may_be_turn_of(&self, side: Color) -> bool {
        self.placements == 0 || self.side == side
    }

    /// Black's discs minus white's, empty squares not counted.
    pub fn disc_difference(&self) -> i32 {
        self.discs[0].count() as i32 - self.discs[1].count() as i32
    }

    /// Black's score of a finished game: the disc difference, empty squares counted for whoever has more discs
    /// unless `discs_only`. Under the fewest-discs objective the sign is turned, so that more is always better and
    /// empty squares again enlarge the winner's margin.
    pub fn final_score(&self, discs_only: bool) -> i32 {
        let difference = self.disc_difference();
        let empties = if discs_only { 0 } else { self.empty_count() as i32 };
        let score = difference + difference.signum() * empties;
        match self.rules.objective {
            Objective::Most => score,
            Objective::Fewest => -score,
        }
    }

    /// [`Position::final_score`] for the side to move.
    pub fn own_final_score(&self, discs_only: bool) -> i32 {
        let score = self.final_score(discs_only);
        if self.side == Color::Black { score } else { -score }
    }

    /// The winner of a finished game, `None` for a draw.
    pub fn winner(&self) -> Option<Color> {
        match (self.final_score(true).signum(), self.rules.equality) {
            (1, _) => Some(Color::Black),
            (-1, _) | (_, Equality::SecondWins) => Some(Color::White),
            _ => None,
        }
    }

    /// Win, draw or loss (+1, 0, -1) of the side to move when the counts are equal at the end.
    pub fn equal_outcome(&self) -> i32 {
        match (self.rules.equality, self.side_to_move()) {
            (Equality::Draw, _) => 0,
            (Equality::SecondWins, Color::Black) => -1,
            (Equality::SecondWins, Color::White) => 1,
        }
    }

    /// Win, draw or loss (+1, 0, -1) of the side to move where it has this score in discs.
    pub fn outcome_of(&self, score: i32) -> i32 {
        if score == 0 { self.equal_outcome() } else { score.signum() }
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

    #[test]
    fn points_that_no_board_has_are_told_and_empty() {
        let position = Position::default();
        for (row, column, name) in [(8, 3, "d9"), (4, 16, "q5"), (255, 0, "a256"), (0, 255, "\u{ff}1")] {
            let at = Point { row, column };
            let mv = Move::Place { at, direction: None };
            assert_eq!((position.disc_at(at), position.moves_at(at), position.is_legal(mv)), (None, Vec::new(), false));
            assert_eq!(position.play(mv).unwrap_err().to_string(), format!("illegal move {name}"));
        }
        // its index in a set is that of e5
        assert_eq!(position.disc_at(Point { row: 3, column: 20 }), None);
        assert_eq!((Color::White.to_string(), format!("{:6}|", Color::Black)), ("white".into(), "black |".into()));
    }

    #[test]
    #[should_panic(expected = "has discs of both players")]
    fn boards_with_two_discs_on_a_square_are_refused() {
        Position::from_board(Board { player: 3, opponent: 2 }, Color::Black);
    }
}
