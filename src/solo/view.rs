//! What the player sees.

use rand::rngs::Xoshiro256PlusPlus;

use super::chip::{BLANKS, CHIPS, Chip, Color};
use super::layout::{Deal, Layout, shuffle};
use super::position::{Effect, IllegalTurn, Move, Position};
use crate::board::{Square, Squares};

/// How a game is scored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scoring {
    /// The number of chips won, 0 to 24.
    #[default]
    Count,
    /// The sum of their numbers, doubled when all four blanks are won, 0 to 220.
    Points,
}

impl Scoring {
    /// `count` or `points`.
    pub const fn name(self) -> &'static str {
        match self {
            Scoring::Count => "count",
            Scoring::Points => "points",
        }
    }

    /// The scoring of a name `count` or `points`.
    pub fn from_name(name: &str) -> Option<Scoring> {
        [Scoring::Count, Scoring::Points].into_iter().find(|scoring| scoring.name() == name)
    }

    /// The highest score: 24 or 220.
    pub const fn perfect(self) -> u32 {
        match self {
            Scoring::Count => 24,
            Scoring::Points => 220,
        }
    }
}

/// The result so far under both scorings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Score {
    /// Chips won, 0 to 24.
    pub chips: u32,
    /// Sum of their numbers, doubled when all four blanks are won, 0 to 220.
    pub points: u32,
}

impl Score {
    /// The score of these won chips.
    pub fn of(won: impl IntoIterator<Item = Chip>) -> Score {
        let (mut chips, mut sum, mut blanks) = (0, 0, 0);
        for chip in won {
            chips += 1;
            sum += u32::from(chip.number());
            blanks += u32::from(chip.number() == 0);
        }
        Score { chips, points: if blanks == BLANKS { 2 * sum } else { sum } }
    }

    /// The value under one scoring.
    pub const fn under(self, scoring: Scoring) -> u32 {
        match scoring {
            Scoring::Count => self.chips,
            Scoring::Points => self.points,
        }
    }
}

/// Everything the player knows, and nothing else: discs, where chips lie face down, and every chip that has been turned up
/// (won ones included). Code that takes a `View` cannot peek.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct View {
    layout: Layout,
    position: Position,
    /// In the order of the layout's squares; `None` while face down.
    seen: [Option<Chip>; CHIPS],
}

impl View {
    /// The start: nothing turned up.
    pub fn start(layout: Layout) -> View {
        View { layout, position: Position::start(layout), seen: [None; CHIPS] }
    }

    /// Where the chips lay at the start.
    #[inline]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Discs and chips on the board.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Squares whose chips have been won.
    #[inline]
    pub fn won(&self) -> u64 {
        self.layout.bits() & !self.position.chips()
    }

    /// The chip that was dealt to a square, once it has been turned up.
    pub fn chip_at(&self, square: Square) -> Option<Chip> {
        self.slot(square).and_then(|slot| self.seen[slot])
    }

    fn slot(&self, square: Square) -> Option<usize> {
        let bits = self.layout.bits();
        (bits & square.bit() != 0).then(|| (bits & (square.bit() - 1)).count_ones() as usize)
    }

    /// The chips not yet turned up, sorted: which ones lie face down is known, where is not.
    pub fn unseen(&self) -> Vec<Chip> {
        let mut left = Chip::all().to_vec();
        for chip in self.seen.iter().flatten() {
            let at = left.iter().position(|c| c == chip).expect("seen chips are chips of the game");
            left.swap_remove(at);
        }
        left.sort_unstable();
        left
    }

    /// The score so far.
    pub fn score(&self) -> Score {
        Score::of(Squares(self.won()).filter_map(|square| self.chip_at(square)))
    }

    /// A deal the player must hold possible; all of them are equally likely.
    pub fn sample(&self, rng: &mut Xoshiro256PlusPlus) -> Deal {
        let mut unseen = self.unseen();
        shuffle(&mut unseen, rng);
        let chips =
            self.seen.map(|chip| chip.unwrap_or_else(|| unseen.pop().expect("one unseen chip per hidden square")));
        Deal::new(self.layout, chips).expect("seen and unseen chips are the game's chips")
    }

    /// Plays a turn; `chip_under` is asked for each chip turned up. The view is unchanged on an error.
    ///
    /// # Errors
    /// [`IllegalTurn`] when the rules forbid the turn.
    pub fn play(&mut self, mv: Move, mut chip_under: impl FnMut(Square) -> Chip) -> Result<Effect, IllegalTurn> {
        let effect = self.position.effect(mv)?;
        self.position = self.position.after(mv, effect);
        let mut gold = 0;
        for square in Squares(effect.turned) {
            let chip = chip_under(square);
            if chip.color() == Color::Gold {
                gold |= square.bit();
            }
            let slot = self.slot(square).expect("chips lie on the layout's squares");
            self.seen[slot] = Some(chip);
        }
        self.position.turn_up(effect.turned, gold);
        Ok(effect)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use rand::SeedableRng;

    /// Plays a game of arbitrary turns; `each` gets the view before a turn, the turn, and the view behind it.
    pub(in crate::solo) fn arbitrary_game(deal: &Deal, seed: u64, mut each: impl FnMut(&View, Move, &View)) {
        let mut view = View::start(deal.layout());
        let mut choice = seed as usize;
        loop {
            let moves: Vec<Move> = view.position().legal_moves().collect();
            choice = (choice * 31 + 11) % 1009;
            let Some(&mv) = moves.get(choice % moves.len().max(1)) else { return };
            let before = view;
            view.play(mv, |square| deal.chip_at(square).unwrap()).unwrap();
            each(&before, mv, &view);
        }
    }

    /// The view can arise in a game with that deal.
    fn can_arise(view: &View, deal: &Deal) -> bool {
        let is_chip = |(seen, chip): (&Option<Chip>, &Chip)| seen.is_none_or(|seen| seen == *chip);
        deal.layout() == view.layout && view.seen.iter().zip(deal.chips()).all(is_chip)
    }

    #[test]
    fn scores() {
        assert_eq!(Score::of(Chip::all()), Score { chips: 24, points: 220 });
        assert_eq!(Score::of(Chip::all().into_iter().skip(1)), Score { chips: 23, points: 110 });
        let without_ten = Chip::all().into_iter().filter(|c| *c != Chip::new(Color::Black, 10).unwrap());
        assert_eq!(Score::of(without_ten), Score { chips: 23, points: 200 });
        assert_eq!(Score::of([]), Score::default());
    }

    #[test]
    fn samples_agree_with_what_was_seen() {
        let deal = Deal::shuffled(Layout::default(), 5);
        let mut view = View::start(deal.layout());
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..20 {
            let Some(mv) = view.position().legal_moves().last() else { break };
            view.play(mv, |square| deal.chip_at(square).unwrap()).unwrap();
            assert!(can_arise(&view, &deal));
            assert!(can_arise(&view, &view.sample(&mut rng)));
            let hidden = view.position().face_down().count_ones() as usize;
            assert_eq!(view.unseen().len(), hidden);
            let of = |color| view.unseen().iter().filter(|chip| chip.color() == color).count() as u32;
            assert_eq!(view.unseen_by_color(), Color::ALL.map(of));
        }
        assert!(view.unseen().len() < CHIPS, "the game turned chips up");
        assert!((0..50).any(|_| view.sample(&mut rng) != deal), "samples vary");
    }
}
