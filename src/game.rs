//! A game in progress: a start position and the moves played from it, with undo.

use std::sync::Arc;

use crate::rules::{IllegalMove, Move, Position, RuleSet};

/// A start position, the moves (passes included) and every position they led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    positions: Vec<Position>,
    moves: Vec<Move>,
}

impl Game {
    /// A game at the start of a rule set.
    pub fn new(rules: Arc<RuleSet>) -> Game {
        Game::from_position(Position::start(rules))
    }

    /// A game that starts from a given position.
    pub fn from_position(start: Position) -> Game {
        Game { positions: vec![start], moves: Vec::new() }
    }

    /// The position the game started from.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The game did not begin as its rules say.
    pub fn has_own_start(&self) -> bool {
        *self.start() != Position::start(self.start().rules().clone())
    }

    /// The present position.
    pub fn position(&self) -> &Position {
        self.positions.last().expect("a game has a start position")
    }

    /// Every position, from the start to the present one: one more than there are moves.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The moves played, passes included.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a move.
    ///
    /// # Errors
    /// [`IllegalMove`] when the rules forbid it; the game is unchanged.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let next = self.position().play(mv)?;
        self.positions.push(next);
        self.moves.push(mv);
        Ok(())
    }

    /// Plays a placement, inserting the pass before it when the side to move is stuck.
    ///
    /// # Errors
    /// [`IllegalMove`] when it is not legal either way; the game is unchanged.
    pub fn play_passing(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if mv != Move::Pass && self.position().must_pass() {
            let passed = self.position().play(Move::Pass)?;
            let next = passed.play(mv)?;
            self.positions.extend([passed, next]);
            self.moves.extend([Move::Pass, mv]);
            return Ok(());
        }
        self.play(mv)
    }

    /// Takes the last move back; `None` at the start.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        Some(mv)
    }
}

impl Default for Game {
    /// Othello from the start.
    fn default() -> Game {
        Game::from_position(Position::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    #[test]
    fn play_and_undo() {
        let mut game = Game::default();
        let f5: Square = "f5".parse().unwrap();
        game.play(f5.into()).unwrap();
        assert!(game.play(f5.into()).is_err());
        assert_eq!(game.moves().len(), 1);
        assert_eq!(game.undo(), Some(f5.into()));
        assert_eq!(game, Game::default());
        assert_eq!(game.undo(), None);
    }
}
