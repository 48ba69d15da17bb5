//! The solitaire in a session.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use utoipa::ToSchema;

use super::error::Problem;
use crate::board::{Square, Squares};
use crate::solo::{Advice, Color, Ending, Game, Layouts, Record, Scoring, View};

/// A solitaire of a client.
pub(crate) struct Solitaire {
    record: Mutex<Record>,
}

impl Solitaire {
    /// A new deal.
    pub fn new(layouts: Layouts, seed: u64, scoring: Scoring) -> Solitaire {
        let record = Record { game: Game::new(layouts.deal(seed)), seed: Some(seed), scoring };
        Solitaire { record: Mutex::new(record) }
    }

    /// The record, for one request at a time.
    pub fn record(&self) -> MutexGuard<'_, Record> {
        // a turn is played whole or not at all
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Plays a turn such as `d3g`.
    ///
    /// # Errors
    /// When it is no turn, or the rules forbid it.
    pub fn play(&self, text: &str) -> Result<(), Problem> {
        let mv = text.parse().map_err(|error: crate::solo::ParseMoveError| Problem::bad(error.to_string()))?;
        let mut record = self.record();
        if let Some(ending) = record.game.ending() {
            return Err(Problem::refused(format!("the game is over: {}", why(ending))));
        }
        record.game.play(mv).map(drop).map_err(|error| Problem::refused(error.to_string()))
    }

    /// Takes the last turn back.
    ///
    /// # Errors
    /// At the start.
    pub fn undo(&self) -> Result<(), Problem> {
        self.record().game.undo().map(drop).ok_or_else(|| Problem::refused("no turn has been played"))
    }
}

/// Why a game is over, in words.
fn why(ending: Ending) -> &'static str {
    match ending {
        Ending::AllWon => "all 24 chips are won",
        Ending::NoTurn => "no turn is legal",
        Ending::Hopeless => "no sequence of turns can win another chip",
    }
}

/// A square of the solitaire on which something lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct PieceJson {
    /// The square.
    pub square: String,
    /// `disc`, `chip`, or `hidden` for a chip that lies face down.
    pub kind: &'static str,
    /// `gold` or `black`; none of a hidden chip.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<&'static str>,
    /// Number of a chip, 0 for a blank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u8>,
}

/// A turn that can be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct TurnJson {
    /// The turn as requests write it: `d3g` puts a disc on d3, gold side up.
    pub turn: String,
    /// The square.
    pub square: String,
    /// The colour that lies up.
    pub color: &'static str,
    /// Discs that turn.
    pub flips: Vec<String>,
    /// Squares of chips that are won.
    pub wins: Vec<String>,
    /// Squares of chips that are turned up.
    pub turns_up: Vec<String>,
}

/// What the player of a solitaire sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct SolitaireJson {
    /// Name of the session.
    pub id: String,
    /// The seed of the deal: the same seed, the same chips.
    pub seed: Option<u64>,
    /// What counts: `count` or `points`.
    pub scoring: &'static str,
    /// Discs and chips.
    pub pieces: Vec<PieceJson>,
    /// Turns that can be played; none when the game is over.
    pub legal: Vec<TurnJson>,
    /// Chips won.
    pub chips: u32,
    /// Points of the chips won, doubled with all four blanks.
    pub points: u32,
    /// Chips that still lie face down, as `g7` or `b-`.
    pub unseen: Vec<String>,
    /// Turns played.
    pub turns: Vec<String>,
    /// Turns taken back, and those of them that had turned chips up.
    pub taken_back: [u32; 2],
    /// Hints asked for.
    pub hints: u32,
    /// Why the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<&'static str>,
}

fn squares(set: u64) -> Vec<String> {
    Squares(set).map(|square| square.to_string()).collect()
}

impl SolitaireJson {
    /// What the player sees now: nothing of what lies under the chips.
    pub fn new(id: &str, record: &Record) -> SolitaireJson {
        let game = &record.game;
        let view = game.view();
        let ending = game.ending();
        let turn = |mv: crate::solo::Move| {
            let effect = view.position().effect(mv).unwrap_or_default();
            TurnJson {
                turn: mv.to_string(),
                square: mv.square.to_string(),
                color: mv.color.name(),
                flips: squares(effect.flipped),
                wins: squares(effect.won),
                turns_up: squares(effect.turned),
            }
        };
        let score = view.score();
        SolitaireJson {
            id: id.to_string(),
            seed: record.seed,
            scoring: record.scoring.name(),
            pieces: pieces(view),
            legal: if ending.is_some() { Vec::new() } else { view.position().legal_moves().map(turn).collect() },
            chips: score.chips,
            points: score.points,
            unseen: view.unseen().iter().map(|chip| chip.to_string()).collect(),
            turns: game.moves().iter().map(|mv| mv.to_string()).collect(),
            taken_back: [game.help.takebacks + game.help.peeks, game.help.peeks],
            hints: game.help.hints,
            ending: ending.map(why),
        }
    }
}

fn pieces(view: &View) -> Vec<PieceJson> {
    let position = view.position();
    let piece = |square: Square| {
        let at = |kind, color: Option<Color>, number| PieceJson {
            square: square.to_string(),
            kind,
            color: color.map(Color::name),
            number,
        };
        let disc = Color::ALL.into_iter().find(|color| position.discs(*color) & square.bit() != 0);
        if disc.is_some() {
            Some(at("disc", disc, None))
        } else if position.face_down() & square.bit() != 0 {
            Some(at("hidden", None, None))
        } else if position.chips() & square.bit() != 0 {
            let chip = view.chip_at(square);
            Some(at("chip", chip.map(|chip| chip.color()), chip.map(|chip| chip.number())))
        } else {
            None
        }
    };
    Squares(u64::MAX).filter_map(piece).collect()
}

/// The advisor's opinion.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct AdviceJson {
    /// The values are exact.
    pub exact: bool,
    /// Turns, best first.
    pub turns: Vec<AdvisedJson>,
}

/// A turn and what it leads to.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct AdvisedJson {
    /// The turn.
    pub turn: String,
    /// The expected score at the end, in what counts.
    pub value: f64,
    /// Share of the sampled games in which all chips are won, 0 to 1; null when the value is exact.
    pub perfect: Option<f64>,
}

impl From<Advice> for AdviceJson {
    fn from(advice: Advice) -> AdviceJson {
        let turn = |one: &crate::solo::Candidate| AdvisedJson {
            turn: one.mv.to_string(),
            value: one.value,
            perfect: one.outlook.map(|outlook| outlook.perfect),
        };
        AdviceJson { exact: advice.exact, turns: advice.ranking.iter().take(5).map(turn).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solo::Layout;

    #[test]
    fn what_lies_face_down_is_not_told() {
        let solitaire = Solitaire::new(Layouts::Fixed(Layout::default()), 1, Scoring::Count);
        let start = SolitaireJson::new("id", &solitaire.record());
        let hidden: Vec<_> = start.pieces.iter().filter(|piece| piece.kind == "hidden").collect();
        assert_eq!((hidden.len(), start.pieces.len(), start.unseen.len()), (24, 28, 24));
        assert!(hidden.iter().all(|piece| piece.color.is_none() && piece.number.is_none()));
        solitaire.play("d3g").unwrap();
        let after = SolitaireJson::new("id", &solitaire.record());
        assert_eq!(after.unseen.len(), 22);
        assert!(after.pieces.iter().any(|piece| piece.kind == "chip" && piece.number == Some(9)), "{after:?}");
        solitaire.undo().unwrap();
        assert_eq!(SolitaireJson::new("id", &solitaire.record()).taken_back, [1, 1]);
        assert_eq!(solitaire.undo().unwrap_err().status, 409);
        assert_eq!(solitaire.play("a1").unwrap_err().status, 400);
        assert!(solitaire.play("a1g").unwrap_err().message.contains("a1"), "the reason names the square");
    }
}
