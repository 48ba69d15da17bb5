//! What the referee asks of a player, and how a player can fail.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::formats::acts;
use crate::game::Game;
use crate::play::clock::{RunningClock, TimeControl};
use crate::rules::{Color, Move, Position};

/// Why a player lost otherwise than on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// A move that the rules forbid, or text that is no move.
    Illegal,
    /// The program ended or closed its output.
    Crash,
    /// No answer; the program was killed.
    Hang,
    /// More time used than the clock had, the margin included.
    Time,
    /// Something other than the protocol allows, such as refusing a legal move.
    Protocol,
    /// The player resigned.
    Resign,
}

impl FailureKind {
    /// The word used in records and tables.
    pub const fn name(self) -> &'static str {
        match self {
            FailureKind::Illegal => "illegal",
            FailureKind::Crash => "crash",
            FailureKind::Hang => "hang",
            FailureKind::Time => "time",
            FailureKind::Protocol => "protocol",
            FailureKind::Resign => "resign",
        }
    }
}

/// A failure that loses the game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {detail}", kind.name())]
pub struct Failure {
    /// What kind.
    pub kind: FailureKind,
    /// The circumstances, for people.
    pub detail: String,
}

impl Failure {
    /// A failure of this kind. Details may quote programs: they are made fit for a line of a terminal.
    pub fn new(kind: FailureKind, detail: impl AsRef<str>) -> Failure {
        Failure { kind, detail: plain_text(detail.as_ref(), DETAIL_LENGTH) }
    }
}

/// Longest details of a failure, in characters: a quoted command, an exit status and a few lines of standard error.
const DETAIL_LENGTH: usize = 1200;

/// Longest name taken from a program, in characters: every game is saved with it.
pub(super) const NAME_LENGTH: usize = 80;

/// Text from a program for people: one line that does nothing to a terminal, at most so many characters long.
pub(super) fn plain_text(text: &str, length: usize) -> String {
    let plain = text.trim().chars().map(|c| if acts(c) { ' ' } else { c });
    let mut short: String = plain.take(length + 1).collect();
    if short.chars().count() > length {
        short = short.chars().take(length - 3).collect::<String>() + "...";
    }
    short
}

/// Why a player gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayerError {
    /// The player loses the game.
    #[error(transparent)]
    Failure(#[from] Failure),
    /// The match is being stopped; nobody loses.
    #[error("stopped")]
    Stopped,
    /// The player cannot be started, or cannot play these rules: the match cannot go on.
    #[error("{0}")]
    Start(String),
}

impl PlayerError {
    /// What a program fails with while it starts is an error of the configuration, not a loss.
    pub(super) fn at_start(self, command: &[String]) -> PlayerError {
        match self {
            PlayerError::Failure(failure) => {
                PlayerError::Start(format!("'{}' does not start: {failure}", command.join(" ")))
            }
            other => other,
        }
    }
}

/// What a player may use for one move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The referee's clock of the player.
    pub clock: RunningClock,
    /// How long to wait for an answer before the player counts as hanging.
    pub patience: Duration,
}

/// What a player is told before a game.
#[derive(Clone, Copy, Debug)]
pub struct GameSetup<'a> {
    /// The start position, before the opening moves.
    pub start: &'a Position,
    /// The opening moves, passes included; legal in sequence.
    pub opening: &'a [Move],
    /// The player's colour.
    pub color: Color,
    /// The time control.
    pub control: TimeControl,
    /// A number for players that choose at random: the same game of the same match always has the same.
    pub seed: u64,
}

/// A player's answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The move.
    pub mv: Move,
    /// Its score for the mover, in discs, where the player tells.
    pub score: Option<f64>,
    /// Search depth in plies, where the player tells.
    pub depth: Option<u8>,
    /// Nodes searched, where the player tells.
    pub nodes: Option<u64>,
}

impl From<Move> for Choice {
    fn from(mv: Move) -> Choice {
        Choice { mv, score: None, depth: None, nodes: None }
    }
}

/// Someone who plays games for the referee. Every method returns within its time, whatever the program behind it does.
pub trait Player: Send {
    /// The name for tables and records.
    fn name(&self) -> &str;

    /// Prepares for a game; starts the program anew if it is not running.
    ///
    /// # Errors
    /// See [`PlayerError`].
    fn start_game(&mut self, setup: &GameSetup<'_>) -> Result<(), PlayerError>;

    /// Chooses a move in the present position of the game, where the player is to move and need not pass.
    ///
    /// # Errors
    /// See [`PlayerError`].
    fn choose(&mut self, game: &Game, allowance: &Allowance) -> Result<Choice, PlayerError>;

    /// Learns of a move: the opponent's, its own choice (`own`), or a forced pass of either side. `before` is the
    /// position it was played in; the move is legal there.
    ///
    /// # Errors
    /// See [`PlayerError`].
    fn observe(&mut self, before: &Position, mv: Move, own: bool) -> Result<(), PlayerError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_say_is_made_plain() {
        assert_eq!(plain_text(" a\u{1b}[2Jb\nc\t\n", 20), "a [2Jb c");
        assert_eq!(plain_text("12345", 5), "12345");
        assert_eq!(plain_text("ééééééé", 5), "éé...");
        let failure = Failure::new(FailureKind::Crash, "x".repeat(1 << 20));
        assert_eq!(failure.detail.chars().count(), DETAIL_LENGTH);
    }
}
