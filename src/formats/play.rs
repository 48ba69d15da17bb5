//! Playing the moves of a file on a game, with the passes that files leave out.

use crate::game::Game;
use crate::rules::{Color, Move, Position, Reason, Refusal};

use super::notation::{Dialect, MoveError, Scanned, parse_move, resolve_in};
use super::quote;

/// Why a move of a list or a file cannot be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// It is no move of this board.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// The rules forbid it.
    #[error("{} cannot play {}: {}", .refusal.side, quote(.token), .refusal.reason)]
    Illegal {
        /// Who cannot, and why not.
        refusal: Box<Refusal>,
        /// The move as written.
        token: String,
    },
    /// A pass although the side could place a disc.
    #[error("{0} cannot pass, it has a legal move")]
    NeedlessPass(String),
    /// The side that plays it must pass.
    #[error("{} cannot play {}: it must pass, {}", .refusal.side, quote(.token), stuck(&.refusal.reason))]
    MustPass {
        /// Who must pass, and why.
        refusal: Box<Refusal>,
        /// The move as written.
        token: String,
    },
    /// The other side is to move, and it could.
    #[error("{} plays {}, but {} is to move", .sides[0], quote(.token), .sides[1])]
    WrongTurn {
        /// What the side is called that plays it, and the one that is to move.
        sides: Box<[String; 2]>,
        /// The move as written.
        token: String,
    },
    /// More moves after the end of the game.
    #[error("{} comes after the end of the game", quote(.0))]
    GameOver(String),
}

/// Plays one move of a transcript, of whichever side can move. A pass at the end of the game is accepted and not
/// recorded: some programs play two of them to end it.
pub(super) fn play_scanned(dialect: Dialect, game: &mut Game, scanned: Scanned, token: &str) -> Result<(), PlayError> {
    let mv = resolve_in(dialect, game.position(), scanned, token)?;
    play_move(game, mv, token)
}

/// Plays one move that a file gives to a side: inserts the other side's forced pass before it.
pub(super) fn play_as(game: &mut Game, side: Color, token: &str) -> Result<(), PlayError> {
    if game.position().side_to_move() != side {
        if game.position().must_pass() {
            play_move(game, Move::Pass, token)?;
        } else if !game.position().is_game_over() {
            let rules = game.position().rules();
            let sides = Box::new([side, !side].map(|color| rules.color_name(color).to_string()));
            return Err(PlayError::WrongTurn { sides, token: token.to_string() });
        }
    } else if game.position().must_pass() && !matches!(parse_move(game.position(), token)?, Move::Pass) {
        let refusal = Box::new(Refusal {
            mv: Move::Pass,
            side: game.position().rules().color_name(side).to_string(),
            reason: game.position().why_stuck().expect("it must pass"),
        });
        return Err(PlayError::MustPass { refusal, token: token.to_string() });
    }
    let mv = parse_move(game.position(), token)?;
    play_move(game, mv, token)
}

/// Why the side to move must pass, in words.
pub fn why_pass(position: &Position) -> &'static str {
    stuck(&position.why_stuck().unwrap_or(Reason::TurnsNothing))
}

/// The outcome of a finished game in words: `game over: black wins 40-24`.
pub fn result_text(position: &Position) -> String {
    let rules = position.rules();
    let [black, white] = [Color::Black, Color::White].map(|color| position.discs(color).count());
    match position.winner() {
        None => format!("game over: draw, {black}-{white}"),
        Some(winner) => {
            let (own, other) = if winner == Color::Black { (black, white) } else { (white, black) };
            let why = if own == other { " (equal counts: the player who moved second wins)" } else { "" };
            format!("game over: {} wins {own}-{other}{why}", rules.color_name(winner))
        }
    }
}

const fn stuck(reason: &Reason) -> &'static str {
    match reason {
        Reason::NoDisc => "it has no disc in hand",
        _ => "no square turns a disc",
    }
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
    let position = position.clone();
    game.play_passing(mv).map_err(|_| match mv {
        Move::Pass => PlayError::NeedlessPass(position.rules().color_name(side).to_string()),
        Move::Place { .. } => {
            let refusal = position.with_side(mover).refusal(mv).expect("it was refused");
            PlayError::Illegal { refusal: Box::new(refusal), token: token.to_string() }
        }
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
        assert_eq!(play_as(&mut game, Color::White, "pass"), Err(PlayError::NeedlessPass("white".to_string())));
        // black is stuck: its pass may be left out, but its placement is illegal
        let text = "-------- -------- ---XXXXX ---XOOOO ---XXOOO ----XXOO ------XO -------O X";
        let start = board_text::parse(text, &Arc::new(RuleSet::othello())).unwrap();
        let mut game = Game::from_position(start.clone());
        let error = play_as(&mut game, Color::Black, "g8").unwrap_err();
        assert_eq!(error.to_string(), "black cannot play 'g8': it must pass, no square turns a disc");
        play_as(&mut game, Color::White, "g8").unwrap();
        let mut other = Game::from_position(start);
        play_as(&mut other, Color::Black, "PA").unwrap();
        play_as(&mut other, Color::White, "G8").unwrap();
        assert_eq!(game, other);
    }

    #[test]
    fn the_winner_of_equal_counts_is_explained() {
        let end: Position = "ravensburger:4x4 XX2/4/4/OO2 X".parse().unwrap();
        assert_eq!(result_text(&end), "game over: black wins 2-2 (equal counts: the player who moved second wins)");
        let end: Position = "othello:4x4 XX2/4/4/OO2 X".parse().unwrap();
        assert_eq!(result_text(&end), "game over: draw, 2-2");
    }
}
