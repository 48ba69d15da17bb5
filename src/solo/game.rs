//! A game in progress: the deal, the turns, and what the player has seen.

use super::ending::Ending;
use super::layout::Deal;
use super::position::{Effect, IllegalTurn, Move};
use super::view::View;

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

/// A deal, the turns played on it and every view they led to.
///
/// Only [`Game::view`] is meant for the player's eyes; whoever advises is given that and not the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    deal: Deal,
    views: Vec<View>,
    moves: Vec<Move>,
    /// Help taken so far.
    pub help: Help,
}

impl Game {
    /// A game at its start.
    pub fn new(deal: Deal) -> Game {
        Game { deal, views: vec![View::start(deal.layout())], moves: Vec::new(), help: Help::default() }
    }

    /// The whole truth.
    pub fn deal(&self) -> &Deal {
        &self.deal
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
    /// [`IllegalTurn`] when the rules forbid it; the game is unchanged.
    pub fn play(&mut self, mv: Move) -> Result<Effect, IllegalTurn> {
        let mut view = *self.view();
        let effect = view.play(mv, |square| self.deal.chip_at(square).expect("chips lie on the layout's squares"))?;
        self.views.push(view);
        self.moves.push(mv);
        Ok(effect)
    }

    /// Takes the last turn back; `None` at the start. Chips it had turned up lie face down again, and since the player has
    /// seen them the takeback counts as a peek.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        let after = self.views.pop().expect("a view for every turn");
        if after.position().face_down() == self.view().position().face_down() {
            self.help.takebacks += 1;
        } else {
            self.help.peeks += 1;
        }
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
}
