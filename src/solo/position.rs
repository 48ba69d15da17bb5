//! What lies on the board, as bitboards, and the rules of a turn.
//!
//! A [`Position`] holds discs, face-down chips, and face-up chips by colour. It does not know what is printed under a
//! face-down chip, and nothing in the rules needs to: face-down chips only block. Turning a chip up is a separate step
//! ([`Position::turn_up`]), fed by whoever knows the colours (the [`Game`](super::Game), or a sampled deal).

use std::fmt;
use std::str::FromStr;

use super::chip::Color;
use super::layout::Layout;
use crate::board::{Board, ParseSquareError, Square, Squares};
use crate::plain::quote;

/// A turn: a disc with this colour up on a free square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Move {
    /// Where the disc goes.
    pub square: Square,
    /// The colour that lies up.
    pub color: Color,
}

/// Square and colour letter: `d3g`, `b3b`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.square, self.color.letter())
    }
}

/// The text is not a move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseMoveError {
    /// The first two characters are not a square.
    #[error(transparent)]
    Square(#[from] ParseSquareError),
    /// No colour follows the square.
    #[error("'{0}' lacks the disc's colour: write {0}g (gold up) or {0}b (black up)")]
    NoColor(Square),
    /// Something else follows the square.
    #[error("{} is not a colour: g or gold, b or black", quote(.0))]
    Color(String),
}

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Reads `d3g`, `d3 g`, `d3:gold`, `D3 Black`.
    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        let text = text.trim();
        let end = text.char_indices().nth(2).map_or(text.len(), |(i, _)| i);
        let square = text[..end].parse()?;
        let rest = text[end..].trim_start().trim_start_matches(':').trim_start();
        if rest.is_empty() {
            return Err(ParseMoveError::NoColor(square));
        }
        let color = Color::from_name(rest).ok_or_else(|| ParseMoveError::Color(rest.to_string()))?;
        Ok(Move { square, color })
    }
}

/// Why a turn is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum IllegalTurn {
    /// A disc lies there.
    #[error("{0}: there is a disc on {sq}", sq = .0.square)]
    Disc(Move),
    /// A chip lies there.
    #[error("{0}: there is a chip on {sq}", sq = .0.square)]
    Chip(Move),
    /// The disc would flip nothing and win nothing.
    #[error("{0}: a {color} disc on {sq} flips no disc and wins no chip", sq = .0.square, color = .0.color.name())]
    NoEffect(Move),
    /// A chip that it turns up is not known (of a game with the real box).
    #[error("{0}: turns up the chip on {1}, which is not known yet")]
    Unknown(Move, Square),
}

/// What a turn did.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Effect {
    /// Discs flipped.
    pub flipped: u64,
    /// Chips won.
    pub won: u64,
    /// Face-down chips to be turned up.
    pub turned: u64,
}

/// Discs and chips on the board, without what is printed under the face-down chips.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Position {
    /// Discs, gold and black.
    pub(super) discs: [u64; 2],
    /// Chips face up, gold and black.
    pub(super) up: [u64; 2],
    /// Chips face down.
    pub(super) down: u64,
}

const NOT_A: u64 = 0xFEFE_FEFE_FEFE_FEFE;
const NOT_H: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// The set moved one step in direction 0..8 (E, S, SW, SE, then their opposites W, N, NE, NW); what leaves the board is lost.
#[inline(always)]
pub(super) const fn shift(bits: u64, direction: usize) -> u64 {
    match direction {
        0 => (bits & NOT_H) << 1,
        1 => bits << 8,
        2 => (bits & NOT_A) << 7,
        3 => (bits & NOT_H) << 9,
        4 => (bits & NOT_A) >> 1,
        5 => bits >> 8,
        6 => (bits & NOT_H) >> 7,
        _ => (bits & NOT_A) >> 9,
    }
}

/// The up to four squares orthogonally adjacent to the set.
#[inline(always)]
pub(super) const fn orthogonal(bits: u64) -> u64 {
    shift(bits, 0) | shift(bits, 1) | shift(bits, 4) | shift(bits, 5)
}

impl Position {
    /// The start: all chips face down, gold discs on e4 and d5, black ones on d4 and e5.
    pub const fn start(layout: Layout) -> Position {
        let Board { player, opponent } = Board::START;
        Position { discs: [player, opponent], up: [0; 2], down: layout.bits() }
    }

    /// Discs lying with this colour up.
    #[inline]
    pub const fn discs(&self, color: Color) -> u64 {
        self.discs[color.index()]
    }

    /// Chips of this colour lying face up.
    #[inline]
    pub const fn face_up(&self, color: Color) -> u64 {
        self.up[color.index()]
    }

    /// Chips lying face down.
    #[inline]
    pub const fn face_down(&self) -> u64 {
        self.down
    }

    /// Chips still on the board.
    #[inline(always)]
    pub const fn chips(&self) -> u64 {
        self.down | self.up[0] | self.up[1]
    }

    /// Squares with neither disc nor chip.
    #[inline(always)]
    pub const fn free(&self) -> u64 {
        !(self.discs[0] | self.discs[1] | self.chips())
    }

    #[inline(always)]
    const fn board(&self, color: Color) -> Board {
        Board { player: self.discs[color.index()], opponent: self.discs[1 - color.index()] }
    }

    /// Squares where a disc of this colour may be placed because it flips.
    #[inline]
    pub fn flipping_squares(&self, color: Color) -> u64 {
        self.board(color).legal_moves() & self.free()
    }

    /// Squares where a disc of this colour may be placed because it wins a chip.
    #[inline]
    pub fn winning_squares(&self, color: Color) -> u64 {
        let (own, chips) = (self.discs[color.index()], self.up[1 - color.index()]);
        let mut squares = 0;
        for direction in 0..8 {
            squares |= shift(shift(own, direction) & chips, direction);
        }
        squares & self.free()
    }

    /// Squares where a disc of this colour may be placed.
    #[inline]
    pub fn legal_squares(&self, color: Color) -> u64 {
        self.flipping_squares(color) | self.winning_squares(color)
    }

    /// All legal turns: gold ones first, each colour by square.
    pub fn legal_moves(&self) -> impl Iterator<Item = Move> + use<> {
        let sets = Color::ALL.map(|color| (color, self.legal_squares(color)));
        sets.into_iter().flat_map(|(color, squares)| Squares(squares).map(move |square| Move { square, color }))
    }

    /// Some turn is legal.
    #[inline]
    pub fn can_move(&self) -> bool {
        Color::ALL.into_iter().any(|color| self.legal_squares(color) != 0)
    }

    /// Chips that a disc of this colour on this free square wins.
    #[inline]
    fn wins(&self, mv: Move) -> u64 {
        let (own, chips) = (self.discs[mv.color.index()], self.up[1 - mv.color.index()]);
        let disc = mv.square.bit();
        let mut won = 0;
        for direction in 0..8 {
            let chip = shift(disc, direction) & chips;
            if shift(chip, direction) & own != 0 {
                won |= chip;
            }
        }
        won
    }

    /// What a turn would do, or why it is not allowed.
    ///
    /// # Errors
    /// [`IllegalTurn`] with the reason.
    pub fn effect(&self, mv: Move) -> Result<Effect, IllegalTurn> {
        let bit = mv.square.bit();
        if self.chips() & bit != 0 {
            return Err(IllegalTurn::Chip(mv));
        }
        if self.free() & bit == 0 {
            return Err(IllegalTurn::Disc(mv));
        }
        let effect = self.effect_unchecked(mv);
        if effect.flipped | effect.won == 0 {
            return Err(IllegalTurn::NoEffect(mv));
        }
        Ok(effect)
    }

    /// What a legal turn does.
    #[inline(always)]
    pub(super) fn effect_unchecked(&self, mv: Move) -> Effect {
        // A disc flipped by this turn never encloses a chip together with the disc just placed: the chip in between
        // would have interrupted the line. So looking for won chips before flipping finds the same ones.
        Effect {
            flipped: self.board(mv.color).flips(mv.square),
            won: self.wins(mv),
            turned: orthogonal(mv.square.bit()) & self.down,
        }
    }

    /// The position after a turn with this effect; the chips to be turned up are still face down.
    #[inline(always)]
    #[must_use]
    pub(super) fn after(&self, mv: Move, effect: Effect) -> Position {
        let mut next = *self;
        let (own, other) = (mv.color.index(), 1 - mv.color.index());
        next.discs[own] |= effect.flipped | mv.square.bit();
        next.discs[other] &= !effect.flipped;
        next.up[other] &= !effect.won;
        next
    }

    /// Turns face-down chips up; those in `gold` are gold, the others black.
    #[inline(always)]
    pub(super) fn turn_up(&mut self, turned: u64, gold: u64) {
        debug_assert_eq!(turned & !self.down, 0);
        self.down &= !turned;
        self.up[0] |= turned & gold;
        self.up[1] |= turned & !gold;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mv(text: &str) -> Move {
        text.parse().unwrap()
    }

    fn set(text: &str) -> u64 {
        text.split_whitespace().fold(0, |bits, square| bits | square.parse::<Square>().unwrap().bit())
    }

    #[test]
    fn move_text() {
        assert_eq!(mv("d3g"), mv("D3 Gold"));
        assert_eq!(mv("b3b"), mv("b3:black"));
        assert_eq!(mv("b3b").to_string(), "b3b");
        let error = |text: &str| text.parse::<Move>().unwrap_err().to_string();
        assert_eq!(error("d3"), "'d3' lacks the disc's colour: write d3g (gold up) or d3b (black up)");
        assert_eq!(error("d3 red"), "'red' is not a colour: g or gold, b or black");
        assert_eq!(error("i9g"), "'i9' is not a square a1..h8");
        assert_eq!(error("é"), "'é' is not a square a1..h8");
    }

    #[test]
    fn first_turns_are_othellos_for_either_colour() {
        let moves: Vec<String> = Position::start(Layout::default()).legal_moves().map(|m| m.to_string()).collect();
        assert_eq!(moves, ["d3g", "c4g", "f5g", "e6g", "e3b", "f4b", "c5b", "d6b"]);
    }

    #[test]
    fn refusals_say_why() {
        let position = Position::start(Layout::default());
        let error = |text: &str| position.effect(mv(text)).unwrap_err().to_string();
        assert_eq!(error("d4g"), "d4g: there is a disc on d4");
        assert_eq!(error("b2b"), "b2b: there is a chip on b2");
        assert_eq!(error("e3g"), "e3g: a gold disc on e3 flips no disc and wins no chip");
    }

    #[test]
    fn a_turn_flips_wins_and_turns_up() {
        // gold to c3: flips d3 (held by e3), wins the black chip c4 (gold disc on c5) but neither the gold chip d4
        // nor the black chip b2 on the diagonal without a disc behind it; turns up b3 and c2, not the diagonal d2
        let position =
            Position { discs: [set("e3 c5 e5"), set("d3")], up: [set("d4"), set("c4 b2")], down: set("b3 c2 d2 h8") };
        let effect = position.effect(mv("c3g")).unwrap();
        assert_eq!(effect, Effect { flipped: set("d3"), won: set("c4"), turned: set("b3 c2") });
        let mut next = position.after(mv("c3g"), effect);
        next.turn_up(effect.turned, set("c2"));
        assert_eq!(next.discs, [set("c3 d3 e3 c5 e5"), 0]);
        assert_eq!(next.up, [set("c2 d4"), set("b2 b3")]);
        assert_eq!(next.down, set("d2 h8"));
    }

    #[test]
    fn chips_interrupt_lines_and_are_won_singly() {
        // two chips in a row are not won, and a chip inside a line of discs stops the flip
        let position = Position { discs: [set("d1 h4"), set("f4")], up: [0, set("b1 c1 g4")], down: 0 };
        assert_eq!(position.effect(mv("a1g")), Err(IllegalTurn::NoEffect(mv("a1g"))));
        assert_eq!(position.effect(mv("e4g")), Err(IllegalTurn::NoEffect(mv("e4g"))));
        assert_eq!(position.legal_squares(Color::Gold), 0);
    }

    #[test]
    fn several_chips_at_once() {
        let position = Position { discs: [set("a1 c1 e5"), 0], up: [0, set("b2 c2 d4")], down: 0 };
        assert_eq!(position.effect(mv("c3g")).unwrap().won, set("b2 c2 d4"));
    }
}
