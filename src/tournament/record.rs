//! The record of one finished game, as it is saved.

use serde::{Deserialize, Serialize};

use super::player::FailureKind;
use crate::formats::{calendar, parse_move, record};
use crate::game::Game;
use crate::rules::{Color, Position};

/// Where the games of a match say that they were played.
pub(super) const PLACE: &str = "Outflank match";

/// One of the two players of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerIndex {
    /// The player named first.
    First = 0,
    /// The player named second.
    Second = 1,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "by")]
pub enum Ending {
    /// Neither side could move.
    Board,
    /// A player lost otherwise.
    Forfeit {
        /// Who lost.
        #[serde(with = "color_name")]
        loser: Color,
        /// Why.
        kind: FailureKind,
        /// The circumstances, for people.
        detail: String,
    },
}

/// One move of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveRecord {
    /// Who moved.
    #[serde(with = "color_name")]
    pub side: Color,
    /// The move: `f5`, `f5:NE` under one-direction rules, `pass`.
    #[serde(rename = "move")]
    pub mv: String,
    /// Seconds it took; absent for opening moves and passes, which nobody thought about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The player's score for itself, in discs, where it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Search depth in plies, where the player tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// Nodes searched, where the player tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
}

/// One finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// Which opening, counted from 0; both games of a pair have the same.
    pub pair: usize,
    /// 0: the first player has black; 1: the second has.
    pub leg: u8,
    /// Name of the player with the black discs (who moves first).
    pub black: String,
    /// Name of the player with the white discs.
    pub white: String,
    /// When the game ended: seconds since 1970, UTC.
    pub ended_at: u64,
    /// How many of the moves are the opening.
    pub opening_plies: usize,
    /// All moves, passes included.
    pub moves: Vec<MoveRecord>,
    /// Who won, `None` for a draw.
    #[serde(with = "winner_name")]
    pub winner: Option<Color>,
    /// Black's final disc difference, empty squares to the winner; absent when the game was not played out.
    pub score: Option<i32>,
    /// How it ended.
    pub ending: Ending,
}

impl GameRecord {
    /// A game from its line in a file of games, if it is one that the rules of `start` allow and that ended as it says.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_line(line: &[u8], start: &Position) -> Result<GameRecord, String> {
        let game: GameRecord = serde_json::from_slice(line).map_err(|error| error.to_string())?;
        if game.leg > 1 {
            return Err(format!("leg {}: a pair has games 0 and 1", game.leg));
        }
        if game.opening_plies > game.moves.len() {
            return Err(format!("{} opening moves of {}", game.opening_plies, game.moves.len()));
        }
        if let Some(seconds) = game.moves.iter().filter_map(|played| played.seconds).find(|&seconds| seconds < 0.0) {
            return Err(format!("a move that took {seconds} seconds"));
        }
        let replay = game.replay(start)?;
        let end = replay.position();
        let (winner, score) = match game.ending {
            Ending::Board if !end.is_game_over() => return Err("the game is not over after its last move".to_string()),
            Ending::Board => (end.winner(), Some(end.final_score(false))),
            Ending::Forfeit { loser, .. } => (Some(!loser), None),
        };
        if (winner, score) != (game.winner, game.score) {
            return Err("winner and score are not those of the moves".to_string());
        }
        Ok(game)
    }

    /// The moves, played from the start position.
    ///
    /// # Errors
    /// The first move that is not possible.
    pub fn replay(&self, start: &Position) -> Result<Game, String> {
        let mut replay = Game::from_position(start.clone());
        for (number, played) in self.moves.iter().enumerate() {
            let at = |error: String| format!("move {}: {error}", number + 1);
            if played.side != replay.position().side_to_move() {
                return Err(at(format!("it is not {}'s turn", played.side.name())));
            }
            let mv = parse_move(replay.position(), &played.mv).map_err(|error| at(error.to_string()))?;
            replay.play(mv).map_err(|error| at(error.to_string()))?;
        }
        Ok(replay)
    }

    /// What the first player is called, and the second.
    pub fn players(&self) -> [&str; 2] {
        if self.leg == 0 { [&self.black, &self.white] } else { [&self.white, &self.black] }
    }

    /// The day on which the game ended, in UTC: `2026-11-22`.
    pub(super) fn date(&self) -> String {
        calendar::time(self.ended_at)[..10].to_string()
    }

    /// The game as other formats have it, without date and notes.
    ///
    /// # Panics
    /// For moves that are not possible. The referee has played those of a match, and [`GameRecord::from_line`] has checked them.
    pub(super) fn to_record(&self, start: &Position) -> record::GameRecord {
        let mut record = record::GameRecord::new(self.replay(start).expect("moves that were played"));
        record.place = Some(PLACE.to_string());
        for (player, name) in record.players.iter_mut().zip([&self.black, &self.white]) {
            player.name = name.clone();
        }
        let ending = match &self.ending {
            Ending::Board => record::Ending::Played,
            Ending::Forfeit { kind: FailureKind::Time, .. } => record::Ending::Time,
            // no format knows another way to lose early
            Ending::Forfeit { .. } => record::Ending::Resignation,
        };
        record.result = Some(record::GameResult { winner: self.winner, score: self.score.map(f64::from), ending });
        record
    }

    /// The colour a player had.
    pub fn color_of(&self, player: PlayerIndex) -> Color {
        match (player, self.leg) {
            (PlayerIndex::First, 0) | (PlayerIndex::Second, 1) => Color::Black,
            _ => Color::White,
        }
    }

    /// The player who had a colour.
    pub fn player_of(&self, color: Color) -> PlayerIndex {
        if self.color_of(PlayerIndex::First) == color { PlayerIndex::First } else { PlayerIndex::Second }
    }
}

fn color_of_name(name: &str) -> Option<Color> {
    [Color::Black, Color::White].into_iter().find(|color| color.name() == name)
}

mod color_name {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::rules::Color;

    pub fn serialize<S: Serializer>(color: &Color, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(color.name())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Color, D::Error> {
        let name = String::deserialize(deserializer)?;
        super::color_of_name(&name).ok_or_else(|| D::Error::custom(format!("'{name}' is not black or white")))
    }
}

mod winner_name {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::rules::Color;

    pub fn serialize<S: Serializer>(winner: &Option<Color>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(winner.map_or("draw", Color::name))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Color>, D::Error> {
        let name = String::deserialize(deserializer)?;
        match super::color_of_name(&name) {
            None if name != "draw" => Err(D::Error::custom(format!("'{name}' is not black, white or draw"))),
            winner => Ok(winner),
        }
    }
}
