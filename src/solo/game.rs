//! A game in progress: the deal, the turns, and what the player has seen.

use super::chip::{CHIPS, Chip};
use super::ending::Ending;
use super::layout::{Deal, Layout};
use super::position::{Effect, IllegalTurn, Move};
use super::view::View;
use crate::board::{Square, Squares};

/// Help the player took, which a record must show.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Help {
    /// Turns taken back that had turned no chip up.
    pub takebacks: u32,
    /// Turns taken back after they had turned chips up: the player has seen what lies there.
    pub peeks: u32,
    /// Hints asked for.
    pub hints: u32,
}

/// A chip that cannot have been turned up on a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RevealError {
    /// No chip lies (or lay) there.
    #[error("there is no chip on {0}")]
    NoChip(Square),
    /// Another chip has been turned up there.
    #[error("the chip on {0} is {1}")]
    Known(Square, Chip),
    /// The chip lies elsewhere.
    #[error("{chip} has been found on {square}")]
    Elsewhere {
        /// The chip.
        chip: Chip,
        /// Where it lies.
        square: Square,
    },
}

/// A deal, the turns played on it and every view they led to.
///
/// Of a game with the real box only those chips are known that have been turned up and [revealed](Game::reveal); all are of a
/// game that was shuffled here. Only [`Game::view`] is meant for the player's eyes; whoever advises is given that and not the
/// game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    layout: Layout,
    /// In the order of the layout's squares; `None` where nobody knows yet.
    chips: [Option<Chip>; CHIPS],
    views: Vec<View>,
    moves: Vec<Move>,
    /// Help taken so far.
    pub help: Help,
}

impl Game {
    /// A game at its start.
    pub fn new(deal: Deal) -> Game {
        Game::with_chips(deal.layout(), deal.chips().map(Some))
    }

    /// A game with the real box: nobody knows what lies under.
    pub fn unknown(layout: Layout) -> Game {
        Game::with_chips(layout, [None; CHIPS])
    }

    /// A game of which these chips are known, in the order of the layout's squares.
    pub(super) fn with_chips(layout: Layout, chips: [Option<Chip>; CHIPS]) -> Game {
        Game { layout, chips, views: vec![View::start(layout)], moves: Vec::new(), help: Help::default() }
    }

    /// The whole truth, if it is known.
    pub fn deal(&self) -> Option<Deal> {
        let chips: Option<Vec<Chip>> = self.chips.into_iter().collect();
        Deal::new(self.layout, chips?.try_into().ok()?)
    }

    /// Where the chips lay at the start.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The chips that are known (to the program, not to the player), in the order of the layout's squares.
    pub fn chips(&self) -> &[Option<Chip>; CHIPS] {
        &self.chips
    }

    /// The chip on a square of the layout, if it is known.
    fn chip_at(&self, square: Square) -> Option<Chip> {
        self.slot(square).and_then(|slot| self.chips[slot])
    }

    fn slot(&self, square: Square) -> Option<usize> {
        let bits = self.layout.bits();
        (bits & square.bit() != 0).then(|| (bits & (square.bit() - 1)).count_ones() as usize)
    }

    /// Enters what was turned up on squares of the real board. Chips that no turn has turned up yet may be entered again, also
    /// exchanged.
    ///
    /// # Errors
    /// [`RevealError`] when one of the chips cannot lie there; the game is unchanged.
    pub fn reveal(&mut self, entries: &[(Square, Chip)]) -> Result<(), RevealError> {
        let mut chips = self.chips;
        // what was entered before on all of these squares holds no more
        for &(square, _) in entries {
            let slot = self.slot(square).ok_or(RevealError::NoChip(square))?;
            chips[slot] = self.view().chip_at(square);
        }
        for &(square, chip) in entries {
            let slot = self.slot(square).expect("seen above");
            match chips[slot] {
                Some(known) if known == chip => continue,
                Some(known) => return Err(RevealError::Known(square, known)),
                None => {}
            }
            let places = self.layout.squares().zip(chips).filter(|(at, known)| *at != square && *known == Some(chip));
            let places: Vec<Square> = places.map(|(at, _)| at).collect();
            if places.len() >= usize::from(chip.copies()) {
                return Err(RevealError::Elsewhere { chip, square: places[0] });
            }
            chips[slot] = Some(chip);
        }
        self.chips = chips;
        Ok(())
    }

    /// The squares that a turn would turn up and whose chips are not known: they must be [revealed](Game::reveal) before it can
    /// be played.
    ///
    /// # Errors
    /// [`IllegalTurn`] when the rules forbid the turn.
    pub fn unknown_after(&self, mv: Move) -> Result<Vec<Square>, IllegalTurn> {
        let effect = self.view().position().effect(mv)?;
        Ok(Squares(effect.turned).filter(|square| self.chip_at(*square).is_none()).collect())
    }

    /// What the player sees now.
    pub fn view(&self) -> &View {
        self.views.last().expect("a game has a start")
    }

    /// What the player saw before each turn, and now: one more than there are turns.
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// The turns played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a turn.
    ///
    /// # Errors
    /// [`IllegalTurn`] when the rules forbid it, or when it turns up chips that nobody knows; the game is unchanged.
    pub fn play(&mut self, mv: Move) -> Result<Effect, IllegalTurn> {
        if let Some(square) = self.unknown_after(mv)?.first() {
            return Err(IllegalTurn::Unknown(mv, *square));
        }
        let mut view = *self.view();
        let effect = view.play(mv, |square| self.chip_at(square).expect("all chips turned up are known"))?;
        self.views.push(view);
        self.moves.push(mv);
        Ok(effect)
    }

    /// Takes the last turn back; `None` at the start. Chips it had turned up lie face down again, and since the player has
    /// seen them the takeback counts as a peek.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        let after = self.views.pop().expect("a view for every turn");
        let is_peek = after.position().face_down() != self.view().position().face_down();
        let count = if is_peek { &mut self.help.peeks } else { &mut self.help.takebacks };
        *count = count.saturating_add(1);
        Some(mv)
    }

    /// Why the game is over, `None` while it goes on.
    pub fn ending(&self) -> Option<Ending> {
        self.view().ending()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solo::Layout;

    #[test]
    fn undo_tells_peeks_from_takebacks() {
        let mut game = Game::new(Deal::shuffled(Layout::default(), 3));
        // d3 turns up d2 and c3; c4 is orthogonally adjacent to b4 and c3
        let effect = game.play("d3g".parse().unwrap()).unwrap();
        assert_eq!(effect.turned.count_ones(), 2);
        assert!(game.view().chip_at("d2".parse().unwrap()).is_some());
        assert_eq!(game.undo(), Some("d3g".parse().unwrap()));
        assert_eq!(game.help, Help { peeks: 1, ..Help::default() });
        assert_eq!(game.view(), &View::start(Layout::default()));
        assert_eq!(game.undo(), None);
        assert!(game.play("a1g".parse().unwrap()).is_err());
        assert!(game.moves().is_empty());
    }

    /// A game with the real box, with what its player enters.
    fn entered(turns: &[(&str, &str)]) -> Game {
        let mut game = Game::unknown(Layout::LATTICE);
        for (mv, chips) in turns {
            for (square, chip) in chips.split_whitespace().filter_map(|word| word.split_once('=')) {
                game.reveal(&[(square.parse().unwrap(), chip.parse().unwrap())]).unwrap();
            }
            game.play(mv.parse().unwrap()).unwrap_or_else(|error| panic!("{mv}: {error}"));
        }
        game
    }

    #[test]
    fn the_example_of_the_sheet_happens_on_the_lattice() {
        // "one number chip is won, three other chips are turned up" by the same disc
        let mut game = entered(&[("d3g", "d2=b1 c3=g9"), ("e3b", "e2=g3 f3=g7")]);
        for (square, chip) in [("g2", "b-"), ("h3", "b4"), ("g4", "g-")] {
            game.reveal(&[(square.parse().unwrap(), chip.parse().unwrap())]).unwrap();
        }
        let effect = game.play("g3b".parse().unwrap()).unwrap();
        assert_eq!((effect.won.count_ones(), effect.turned.count_ones(), effect.flipped), (1, 3, 0));
        assert_eq!(game.view().score(), crate::solo::Score { chips: 1, points: 7 });
    }

    #[test]
    fn chips_of_the_real_box_are_revealed_before_a_turn_counts() {
        let mut game = Game::unknown(Layout::LATTICE);
        let (d3, [d2, c3, a1]) =
            ("d3g".parse().unwrap(), ["d2", "c3", "a1"].map(|name| name.parse::<Square>().unwrap()));
        assert_eq!(game.unknown_after(d3), Ok(vec![d2, c3]));
        let refused = game.play(d3).unwrap_err().to_string();
        assert_eq!(refused, "d3g: turns up the chip on d2, which is not known yet");
        let chip = |name: &str| name.parse::<Chip>().unwrap();
        assert_eq!(game.reveal(&[(a1, chip("g1"))]), Err(RevealError::NoChip(a1)));
        game.reveal(&[(d2, chip("g5"))]).unwrap();
        game.reveal(&[(d2, chip("g4"))]).unwrap();
        assert_eq!(game.reveal(&[(c3, chip("g4"))]).unwrap_err().to_string(), "g4 has been found on d2");
        game.reveal(&[(c3, chip("b-"))]).unwrap();
        game.play(d3).unwrap();
        assert_eq!(game.reveal(&[(d2, chip("g5"))]).unwrap_err().to_string(), "the chip on d2 is g4");
        assert_eq!(game.reveal(&[(d2, chip("g4"))]), Ok(()));
        assert_eq!((game.deal(), game.view().unseen().len()), (None, 22));
        // confused, taken back, and entered the right way round
        game.undo();
        let before = game.clone();
        assert_eq!(game.reveal(&[(d2, chip("b-")), (c3, chip("b-")), (a1, chip("g4"))]), Err(RevealError::NoChip(a1)));
        assert!(game.reveal(&[(d2, chip("g5")), (c3, chip("g5"))]).is_err());
        // nor two chips for one square
        assert_eq!(game.reveal(&[(d2, chip("g5")), (d2, chip("b-"))]), Err(RevealError::Known(d2, chip("g5"))));
        assert_eq!(game, before, "all of the entries or none");
        game.reveal(&[(d2, chip("b-")), (c3, chip("g4"))]).unwrap();
        game.play(d3).unwrap();
        assert_eq!((game.view().chip_at(d2), game.view().chip_at(c3)), (Some(chip("b-")), Some(chip("g4"))));
    }
}
