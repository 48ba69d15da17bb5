//! The position that the general search works on: everything from the view of the side to move.

use super::geometry::Geometry;
use super::set::{Set, fold};
use crate::rules::{Bits, Color, Direction, Flips, Move, Objective, Point, Position, Supply};

/// Direction number of a move that turns every line, and of a placement.
pub(super) const ALL_DIRECTIONS: u8 = 8;

/// A move as square and direction.
pub(super) type Code = (u8, u8);
/// A pass.
pub(super) const PASS: Code = (0, 9);
/// No move.
pub(super) const NONE: Code = (0, 15);

/// A game state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct State<B> {
    /// Discs of the side to move.
    pub player: B,
    /// Discs of the other side.
    pub opponent: B,
    /// Discs in hand of the side to move and of the other; zero under shared supply.
    pub hands: [u8; 2],
    /// Discs of the placement phase still to come.
    pub placing: u8,
}

/// A placement: where, which line (or [`ALL_DIRECTIONS`]), and what it turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement<B> {
    pub square: u8,
    pub direction: u8,
    pub flips: B,
    /// Where the other side may move then, once the search has looked.
    pub replies: B,
    /// For sorting, best highest.
    pub key: i32,
}

impl<B> Placement<B> {
    #[inline(always)]
    pub fn code(&self) -> Code {
        (self.square, self.direction)
    }
}

/// The board's tables and the rules as the search needs them.
pub(super) struct Rules<B> {
    pub geometry: Geometry<B>,
    /// A move turns one line only.
    pub one: bool,
    /// Hands are limited.
    pub own: bool,
    /// Fewer discs win.
    pub fewest: bool,
    /// Scores do not give empty squares to the winner.
    pub discs_only: bool,
    /// Differs between rules, so that one table can serve several.
    pub seed: u64,
}

impl<B: Set> Rules<B> {
    pub fn new(position: &Position, discs_only: bool) -> Rules<B> {
        let rules = position.rules();
        Rules {
            geometry: Geometry::new(rules.rows(), rules.columns(), {
                let stride = B::stride(usize::from(rules.columns()));
                let index = |point: Point| usize::from(point.row) * stride + usize::from(point.column);
                rules.holes().iter().fold(B::default(), |set, point| set | B::bit(index(point)))
            }),
            one: rules.flips() == Flips::One,
            own: rules.supply() == Supply::Own,
            fewest: rules.objective() == Objective::Fewest,
            discs_only,
            seed: seed(position, discs_only),
        }
    }

    /// The state of a position.
    pub fn state(&self, position: &Position) -> State<B> {
        let stride = self.geometry.stride as usize;
        let set = |bits: Bits| {
            let index = |point: Point| point.row as usize * stride + point.column as usize;
            bits.iter().fold(B::default(), |set, point| set | B::bit(index(point)))
        };
        let side = position.side_to_move();
        let hand = |color: Color| position.in_hand(color).unwrap_or(0) as u8;
        State {
            player: set(position.discs(side)),
            opponent: set(position.discs(!side)),
            hands: [hand(side), hand(!side)],
            placing: position.placements_left(),
        }
    }

    /// Square and direction of a move.
    pub fn encode(&self, mv: Move) -> Code {
        match mv {
            Move::Pass => PASS,
            Move::Place { at, direction } => {
                (at.row * self.geometry.stride + at.column, direction.map_or(ALL_DIRECTIONS, |d| d as u8))
            }
        }
    }

    /// The move with this square and direction.
    pub fn decode(&self, code: Code) -> Move {
        if code == PASS {
            return Move::Pass;
        }
        let stride = self.geometry.stride;
        let at = Point { row: code.0 / stride, column: code.0 % stride };
        Move::Place { at, direction: Direction::ALL.get(code.1 as usize).copied() }
    }

    #[inline(always)]
    pub fn empties(&self, state: &State<B>) -> B {
        self.geometry.board & !(state.player | state.opponent)
    }

    /// Squares open to the side to move (past the placement phase).
    #[inline(always)]
    pub fn moves(&self, state: &State<B>) -> B {
        if self.own && state.hands[0] == 0 {
            return B::default();
        }
        self.geometry.moves(state.player, state.opponent)
    }

    /// Squares that would be open to the other side.
    #[inline(always)]
    pub fn opponent_moves(&self, state: &State<B>) -> B {
        if self.own && state.hands[1] == 0 {
            return B::default();
        }
        self.geometry.moves(state.opponent, state.player)
    }

    /// Appends the placements on the squares `moves`, all legal.
    #[inline(always)]
    pub fn generate(&self, state: &State<B>, moves: B, list: &mut Vec<Placement<B>>) {
        let mut add = |square: usize, direction: u8, flips: B| {
            list.push(Placement { square: square as u8, direction, flips, replies: B::default(), key: 0 });
        };
        for square in moves.iter() {
            if self.one {
                for (direction, flips) in (0..).zip(self.geometry.lines(square, state.player, state.opponent)) {
                    if flips.any() {
                        add(square, direction, flips);
                    }
                }
            } else {
                add(square, ALL_DIRECTIONS, self.geometry.flips(square, state.player, state.opponent));
            }
        }
    }

    /// The placement with this code, if it is one on the squares `moves`.
    #[inline(always)]
    pub fn placement(&self, state: &State<B>, moves: B, code: Code) -> Option<Placement<B>> {
        let (square, direction) = (code.0 as usize, code.1);
        let is_move = if self.one { direction < ALL_DIRECTIONS } else { direction == ALL_DIRECTIONS };
        let flips = match is_move && moves.has(square) {
            true => self.geometry.flips_in(square, direction, state.player, state.opponent),
            false => B::default(),
        };
        flips.any().then_some(Placement { square: square as u8, direction, flips, replies: B::default(), key: 0 })
    }

    /// The state after a placement of the game proper.
    #[inline(always)]
    pub fn after(&self, state: &State<B>, square: usize, flips: B) -> State<B> {
        State {
            player: state.opponent & !flips,
            opponent: state.player | flips | B::bit(square),
            hands: [state.hands[1], state.hands[0] - u8::from(self.own)],
            placing: 0,
        }
    }

    /// The state after a disc of the placement phase, and whether the same side goes on.
    pub fn after_setup(&self, state: &State<B>, square: usize) -> (State<B>, bool) {
        let next = State { placing: state.placing - 1, ..self.after(state, square, B::default()) };
        let same = matches!(next.placing, 3 | 1);
        (if same { next.passed() } else { next }, same)
    }

    /// The state after a move of any kind, and whether the same side goes on.
    pub fn after_code(&self, state: &State<B>, code: Code) -> (State<B>, bool) {
        let square = code.0 as usize;
        if code == PASS {
            return (state.passed(), false);
        }
        if state.placing > 0 {
            return self.after_setup(state, square);
        }
        let flips = self.geometry.flips_in(square, code.1, state.player, state.opponent);
        (self.after(state, square, flips), false)
    }

    /// The final score for the side to move, in discs.
    #[inline(always)]
    pub fn final_score(&self, state: &State<B>) -> i32 {
        let (own, other) = (state.player.count() as i32, state.opponent.count() as i32);
        self.score_of_counts(own, other, self.empties(state).count() as i32)
    }

    /// The final score of these counts.
    #[inline(always)]
    pub fn score_of_counts(&self, own: i32, other: i32, empties: i32) -> i32 {
        let difference = own - other;
        let rest = if self.discs_only { 0 } else { difference.signum() * empties };
        if self.fewest { -(difference + rest) } else { difference + rest }
    }
}

/// A number for what the value of a state depends on besides the state. (Equality is left out: scores are in discs.)
fn seed(position: &Position, discs_only: bool) -> u64 {
    let rules = position.rules();
    let words = [
        u64::from(rules.rows()) << 8 | u64::from(rules.columns()),
        rules.flips() as u64,
        rules.supply() as u64,
        rules.objective() as u64,
        u64::from(discs_only),
    ];
    // boards without holes have the numbers they always had
    let holes = if rules.holes().is_empty() { Vec::new() } else { rules.holes().0.to_vec() };
    // the low 16 bits are left to the hands
    words.into_iter().chain(holes).fold(0xA409_3822_299F_31D0, fold) << 16
}

impl<B: Set> State<B> {
    /// The other side to move.
    #[inline(always)]
    pub fn passed(&self) -> State<B> {
        State { player: self.opponent, opponent: self.player, hands: [self.hands[1], self.hands[0]], ..*self }
    }

    /// Two hashes: where in the table, and what to recognise the entry by.
    #[inline(always)]
    pub fn hash(&self, seed: u64) -> [u64; 2] {
        let extra = seed ^ u64::from(self.hands[0]) ^ u64::from(self.hands[1]) << 8;
        let seeds = [0x243F_6A88_85A3_08D3 ^ extra, fold(0x1319_8A2E_0370_7344, extra)];
        self.opponent.mix(self.player.mix(seeds))
    }
}

#[cfg(test)]
mod tests {
    use super::super::set::U256;
    use super::*;
    use crate::rules::RuleSet;
    use std::collections::BTreeSet;
    use std::sync::Arc;

    fn names<B: Set>(rules: &Rules<B>, list: &[Placement<B>]) -> BTreeSet<String> {
        list.iter().map(|placement| rules.decode(placement.code()).to_string()).collect()
    }

    /// Plays a game, the moves chosen by a counter, and compares every state with the reference position.
    fn check<B: Set>(text: &str, seed: usize) {
        let mut position = Position::start(Arc::new(text.parse::<RuleSet>().unwrap()));
        let rules: Rules<B> = Rules::new(&position, false);
        let mut random = seed;
        while !position.is_game_over() {
            let state = rules.state(&position);
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let legal = position.legal_moves();
            let mv = legal[(random >> 33) % legal.len()];
            let after = position.play(mv).unwrap();
            assert_eq!(rules.decode(rules.encode(mv)), mv);
            let square = rules.encode(mv).0 as usize;
            if state.placing > 0 {
                let (next, same) = rules.after_setup(&state, square);
                assert_eq!(next, rules.state(&after), "{text}");
                assert_eq!(same, after.side_to_move() == position.side_to_move());
            } else if mv == Move::Pass {
                assert!(!rules.moves(&state).any() && rules.opponent_moves(&state).any());
                assert_eq!(state.passed(), rules.state(&after));
            } else {
                let mut list = Vec::new();
                rules.generate(&state, rules.moves(&state), &mut list);
                assert_eq!(names(&rules, &list), legal.iter().map(Move::to_string).collect(), "{text}");
                let placement = list.iter().find(|placement| placement.code() == rules.encode(mv)).unwrap();
                assert_eq!(rules.after(&state, square, placement.flips), rules.state(&after), "{text} {mv}");
                assert_ne!(state.hash(rules.seed), rules.state(&after).hash(rules.seed));
            }
            position = after;
        }
        let state = rules.state(&position);
        assert!(!rules.moves(&state).any() && !rules.opponent_moves(&state).any());
        let sign = if position.side_to_move() == Color::Black { 1 } else { -1 };
        assert_eq!(rules.final_score(&state), sign * position.final_score(false));
    }

    #[test]
    fn states_follow_positions() {
        for (i, text) in ["othello", "traveller", "ravensburger-one", "traveller-all:fewest"].iter().enumerate() {
            for (j, size) in ["4x4", "6x6", "8x8", "4x16", "16x4", "6x10", "5x5", "7x8"].iter().enumerate() {
                let separator = if text.contains(':') { ',' } else { ':' };
                let text = format!("{text}{separator}{size}");
                for game in 0..10 {
                    match size.len() {
                        3 | 4 if *size != "6x10" => check::<u64>(&text, 100 * i + 10 * j + game),
                        _ => check::<u128>(&text, 100 * i + 10 * j + game),
                    }
                    check::<U256>(&text, game);
                }
            }
            let separator = if text.contains(':') { ',' } else { ':' };
            for size in ["10x10", "8x16", "16x8"] {
                check::<u128>(&format!("{text}{separator}{size}"), i);
            }
            for size in ["12x12", "16x16", "10x14", "11x13", "15x15", "13x12,octagon"] {
                check::<U256>(&format!("{text}{separator}{size}"), i);
            }
            for size in ["9x9", "10x10,octagon", "9x14,holes=a1,i9,e5,f4"] {
                check::<u128>(&format!("{text}{separator}{size}"), i);
            }
            for (game, size) in ["5x7,holes=a1,g5,c1", "7x9,octagon", "8x8,holes=c3,f6,a4"].iter().enumerate() {
                check::<u64>(&format!("{text}{separator}{size}"), game);
            }
        }
    }
}
