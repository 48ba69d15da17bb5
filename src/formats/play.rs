//! Playing the moves of a file on a game, with the passes that files leave out.

use crate::game::Game;
use crate::rules::{Color, Move, Position};

use super::notation::{MoveError, Scanned, parse_move, resolve};
use super::quote;

/// Why a move of a list or a file cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlayError {
    /// It is no move of this board.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The rules forbid it.
    #[error("{} cannot play {}", .side.name(), quote(.token))]
    Illegal {
        /// The side that plays it.
        side: Color,
        /// The move as written.
        token: String,
    },
    /// A pass although the side could place a disc.
    #[error("{} cannot pass, it has a legal move", .0.name())]
    NeedlessPass(Color),
    /// The other side is to move, and it could.
    #[error("{} plays {}, but {} is to move", .side.name(), quote(.token), (!*.side).name())]
    WrongTurn {
        /// The side that plays it.
        side: Color,
        /// The move as written.
        token: String,
    },
    /// More moves after the end of the game.
    #[error("{} comes after the end of the game", quote(.0))]
    GameOver(String),
}

/// Plays one move of a transcript, of whichever side can move. A pass at the end of the game is accepted and not
/// recorded: some programs play two of them to end it.
pub(super) fn play_scanned(game: &mut Game, scanned: Scanned, token: &str) -> Result<(), PlayError> {
    let mv = resolve(game.position(), scanned, token)?;
    play_move(game, mv, token)
}

/// Plays one move that a file gives to a side: inserts the other side's forced pass before it.
pub(super) fn play_as(game: &mut Game, side: Color, token: &str) -> Result<(), PlayError> {
    if game.position().side_to_move() != side {
        if game.position().must_pass() {
            play_move(game, Move::Pass, token)?;
        } else if !game.position().is_game_over() {
            return Err(PlayError::WrongTurn { side, token: token.to_string() });
        }
    } else if game.position().must_pass() && !matches!(parse_move(game.position(), token)?, Move::Pass) {
        return Err(PlayError::Illegal { side, token: token.to_string() });
    }
    let mv = parse_move(game.position(), token)?;
    play_move(game, mv, token)
}

fn play_move(game: &mut Game, mv: Move, token: &str) -> Result<(), PlayError> {
    // the common case first: on large boards finding out whether a side can move takes time
    if game.play(mv).is_ok() {
        return Ok(());
    }
    let position: &Position = game.position();
    let side = position.side_to_move();
    if position.is_game_over() {
        return if mv == Move::Pass { Ok(()) } else { Err(PlayError::GameOver(token.to_string())) };
    }
    let mover = if position.must_pass() { !side } else { side };
    game.play_passing(mv).map_err(|_| match mv {
        Move::Pass => PlayError::NeedlessPass(side),
        Move::Place { .. } => PlayError::Illegal { side: mover, token: token.to_string() },
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::board_text;
    use crate::rules::RuleSet;

    #[test]
    fn turns() {
        let mut game = Game::default();
        let error = play_as(&mut game, Color::White, "f5").unwrap_err();
        assert_eq!(error.to_string(), "white plays 'f5', but black is to move");
        play_as(&mut game, Color::Black, "f5").unwrap();
        assert_eq!(play_as(&mut game, Color::White, "pass"), Err(PlayError::NeedlessPass(Color::White)));
        // black is stuck: its pass may be left out, but its placement is illegal
        let text = "-------- -------- ---XXXXX ---XOOOO ---XXOOO ----XXOO ------XO -------O X";
        let start = board_text::parse(text, &Arc::new(RuleSet::othello())).unwrap();
        let mut game = Game::from_position(start.clone());
        let error = play_as(&mut game, Color::Black, "g8").unwrap_err();
        assert_eq!(error.to_string(), "black cannot play 'g8'");
        play_as(&mut game, Color::White, "g8").unwrap();
        let mut other = Game::from_position(start);
        play_as(&mut other, Color::Black, "PA").unwrap();
        play_as(&mut other, Color::White, "G8").unwrap();
        assert_eq!(game, other);
    }
}
