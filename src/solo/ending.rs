//! The end of the game: when can no chip be won any more?
//!
//! "No legal turn" is seen at once. That no *sequence* of turns can win is a reachability question, answered from the
//! player's point of view (a face-down chip may be any unseen one, so the answer leaks nothing) in two steps:
//!
//! 1. A relaxation in which nothing is ever used up: a square that can be free stays free, a disc that can lie with either
//!    colour up lies with both. What cannot be won there cannot be won in the game, so an empty result is a proof.
//! 2. Otherwise all sequences of flipping turns up to the next win, with each chip turned up taking either colour still
//!    unseen. Each turn uses up a free square, so this is finite; it is cut off after [`MAX_POSITIONS`] positions, and then
//!    the game just goes on. Scores do not depend on that: it only means that a player may place a few discs in vain.

use std::collections::HashSet;

use super::chip::Color;
use super::position::{Move, Position, orthogonal, shift};
use super::view::View;
use crate::board::Squares;

/// Positions that the exact test visits before it gives up and lets the game go on.
pub const MAX_POSITIONS: usize = 20_000;

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// All 24 chips are won.
    AllWon,
    /// No turn is legal.
    NoTurn,
    /// Turns are legal, but no sequence of them wins another chip.
    Hopeless,
}

impl Ending {
    /// `all-won`, `no-turn` or `hopeless`.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::AllWon => "all-won",
            Ending::NoTurn => "no-turn",
            Ending::Hopeless => "hopeless",
        }
    }
}

impl View {
    /// Why the game is over, or `None` while it goes on (see the module's head for how "no sequence can win" is decided).
    pub fn ending(&self) -> Option<Ending> {
        let position = self.position();
        if position.chips() == 0 {
            Some(Ending::AllWon)
        } else if !position.can_move() {
            Some(Ending::NoTurn)
        } else if is_hopeless(position, self.unseen_by_color()) {
            Some(Ending::Hopeless)
        } else {
            None
        }
    }

    /// Number of chips not yet turned up, gold and black.
    pub(super) fn unseen_by_color(&self) -> [u32; 2] {
        let hidden = self.position().face_down().count_ones();
        let seen = Squares(self.layout().bits()).filter_map(|square| self.chip_at(square));
        let gold = 12 - seen.filter(|chip| chip.color() == Color::Gold).count() as u32;
        [gold, hidden - gold]
    }
}

/// No sequence of turns wins a chip, whatever lies under the face-down ones; `unseen` counts those by colour.
pub(super) fn is_hopeless(position: &Position, unseen: [u32; 2]) -> bool {
    if wins_at_once(position) {
        return false;
    }
    if winnable(position, unseen, false) == 0 {
        return true;
    }
    let mut visited = HashSet::new();
    !can_reach_win(position, unseen, &mut visited)
}

fn wins_at_once(position: &Position) -> bool {
    Color::ALL.into_iter().any(|color| position.winning_squares(color) != 0)
}

/// Depth-first over flipping turns until one wins; `true` also when the search was cut off.
fn can_reach_win(position: &Position, unseen: [u32; 2], visited: &mut HashSet<Position>) -> bool {
    debug_assert_eq!(unseen[0] + unseen[1], position.face_down().count_ones(), "every chip face down has a colour");
    if wins_at_once(position) || visited.len() >= MAX_POSITIONS {
        return true;
    }
    if !visited.insert(*position) {
        return false;
    }
    for color in Color::ALL {
        for square in Squares(position.flipping_squares(color)) {
            let mv = Move { square, color };
            let effect = position.effect_unchecked(mv);
            let after = position.after(mv, effect);
            for gold in colourings(effect.turned, unseen) {
                let mut next = after;
                next.turn_up(effect.turned, gold);
                let golds = gold.count_ones();
                let left = [unseen[0] - golds, unseen[1] - (effect.turned.count_ones() - golds)];
                if can_reach_win(&next, left, visited) {
                    return true;
                }
            }
        }
    }
    false
}

/// Every choice of gold squares among those turned up that the unseen chips allow.
fn colourings(turned: u64, unseen: [u32; 2]) -> impl Iterator<Item = u64> {
    // the subsets of a bit set, by counting in its bits only
    let mut next = Some(0u64);
    std::iter::from_fn(move || {
        let gold = next?;
        next = (gold != turned).then(|| gold.wrapping_sub(turned) & turned);
        Some(gold)
    })
    .filter(move |gold| gold.count_ones() <= unseen[0] && (turned & !gold).count_ones() <= unseen[1])
}

/// Chips that could be won if nothing were ever used up: no other chip can ever be won from here. With `onward` the squares
/// of won chips become free in turn (a bound on everything that is still to come), otherwise only the next win counts.
pub(super) fn winnable(position: &Position, unseen: [u32; 2], onward: bool) -> u64 {
    let mut free = position.free();
    let mut discs = position.discs;
    let mut up = position.up;
    let mut won = 0;
    loop {
        let before = (free, discs, up);
        for color in [0, 1] {
            let placed =
                free & (reached(discs[color], discs[1 - color], free) | wins(discs[color], up[1 - color], free).0);
            discs[color] |= placed | flippable(discs[color], discs[1 - color], free);
            let turned = orthogonal(placed) & position.down;
            up[0] |= if unseen[0] > 0 { turned } else { 0 };
            up[1] |= if unseen[1] > 0 { turned } else { 0 };
        }
        for color in [0, 1] {
            won |= wins(discs[color], up[1 - color], free).1;
        }
        if onward {
            free |= won;
        }
        if before == (free, discs, up) {
            return won;
        }
    }
}

/// Free squares from which a disc beside an `own` disc would enclose one of the chips, and those chips.
fn wins(own: u64, chips: u64, free: u64) -> (u64, u64) {
    let (mut squares, mut won) = (0, 0);
    for direction in 0..8 {
        let chip = shift(own, direction) & chips;
        let square = shift(chip, direction) & free;
        squares |= square;
        won |= shift(square, (direction + 4) % 8);
    }
    (squares, won)
}

/// Squares of `ends` at the end of a line of `other` discs that begins beside an `own` disc (the sets may overlap).
fn reached(own: u64, other: u64, ends: u64) -> u64 {
    (0..8).fold(0, |all, direction| all | (shift(line(own, other, direction), direction) & ends))
}

/// `other` discs between an `own` disc and a free square.
fn flippable(own: u64, other: u64, free: u64) -> u64 {
    (0..8).fold(0, |all, direction| all | (line(own, other, direction) & line(free, other, (direction + 4) % 8)))
}

/// `other` discs reached from the squares of `from` in one direction without a gap.
fn line(from: u64, other: u64, direction: usize) -> u64 {
    let mut line = shift(from, direction) & other;
    for _ in 0..5 {
        line |= shift(line, direction) & other;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;
    use crate::solo::Layout;

    fn set(text: &str) -> u64 {
        text.split_whitespace().fold(0, |bits, square| bits | square.parse::<Square>().unwrap().bit())
    }

    #[test]
    fn colourings_respect_what_is_unseen() {
        let turned = set("a1 b1 c1");
        assert_eq!(colourings(turned, [5, 5]).count(), 8);
        assert_eq!(colourings(turned, [0, 5]).collect::<Vec<_>>(), [0]);
        assert_eq!(colourings(turned, [1, 5]).count(), 4);
        assert_eq!(colourings(0, [0, 0]).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn the_start_is_not_hopeless() {
        let position = Position::start(Layout::default());
        assert!(!is_hopeless(&position, [12, 12]));
        assert_eq!(winnable(&position, [12, 12], true).count_ones(), 24);
    }

    #[test]
    fn chips_in_corners_are_never_won() {
        // a black chip in the corner; a flip is still possible
        let position = Position { discs: [set("e4"), set("d4")], up: [0, set("a1")], down: 0 };
        assert!(position.can_move());
        assert!(is_hopeless(&position, [0, 0]));
        // a black chip on the rim can be won along the rim only: b1 and d1 hold discs for good
        let position = Position { discs: [set("b1 e4"), set("d1 d4")], up: [0, set("c1")], down: 0 };
        assert!(position.can_move());
        assert_eq!(winnable(&position, [0, 0], true), 0);
    }

    #[test]
    fn a_win_two_turns_away_is_found() {
        // the black chip c1 needs gold on both b1 and d1: gold on b1 flips b2 (held by b3), then gold on d1 wins
        let position = Position { discs: [set("b3"), set("b2")], up: [0, set("c1")], down: 0 };
        assert!(!wins_at_once(&position));
        assert_eq!(winnable(&position, [0, 0], false), set("c1"));
        assert!(!is_hopeless(&position, [0, 0]));
        // were the chip gold, black discs would be needed: black on b4 flips b3, and then no flip is left
        let position = Position { up: [set("c1"), 0], ..position };
        assert!(position.can_move());
        assert!(is_hopeless(&position, [0, 0]));
    }
}
