//! Games with certain players, years, results, openings or positions.

use std::ops::RangeInclusive;

use super::target::Target;
use crate::book::names::opening_of;
use crate::formats::record::GameRecord;
use crate::rules::Color;

/// How a game went for black.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Black won.
    Black,
    /// White won.
    White,
    /// Nobody won.
    Draw,
    /// The result is not known.
    Unknown,
}

impl Outcome {
    /// The outcome of a recorded game.
    pub fn of(record: &GameRecord) -> Outcome {
        match record.result.map(|result| result.winner) {
            None => Outcome::Unknown,
            Some(None) => Outcome::Draw,
            Some(Some(Color::Black)) => Outcome::Black,
            Some(Some(Color::White)) => Outcome::White,
        }
    }
}

/// What games must be like; a field that is not set (or empty) asks for nothing. Texts are found anywhere in a name, whatever
/// the case of their letters.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// These play in the game, with either colour; two of them against each other. More than two never do.
    pub players: Vec<String>,
    /// Part of black's name.
    pub black: Option<String>,
    /// Part of white's name.
    pub white: Option<String>,
    /// Years of the date.
    pub years: Option<RangeInclusive<u16>>,
    /// Part of the event's name, or of the place.
    pub event: Option<String>,
    /// How the game ended.
    pub outcome: Option<Outcome>,
    /// Black's score in discs.
    pub score: Option<RangeInclusive<i32>>,
    /// Part of the opening's name.
    pub opening: Option<String>,
    /// A position that occurs.
    pub position: Option<Target>,
    /// Moves of the game, passes counted.
    pub moves: Option<RangeInclusive<usize>>,
}

impl Filter {
    /// The game is as asked for.
    pub fn accepts(&self, record: &GameRecord) -> bool {
        let names = [Color::Black, Color::White].map(|color| record.player(color).name.to_lowercase());
        let has = |text: &str, part: &Option<String>| {
            part.as_ref().is_none_or(|part| text.to_lowercase().contains(&part.to_lowercase()))
        };
        let event = format!("{}\n{}", record.event.as_deref().unwrap_or(""), record.place.as_deref().unwrap_or(""));
        let plays = |side: usize, part: &String| names[side].contains(&part.to_lowercase());
        let players = match self.players.as_slice() {
            [] => true,
            [one] => plays(0, one) || plays(1, one),
            [one, other] => plays(0, one) && plays(1, other) || plays(1, one) && plays(0, other),
            _ => false,
        };
        let score = || record.result.and_then(|result| result.score);
        let in_years = |years: &RangeInclusive<u16>| record.year().is_some_and(|year| years.contains(&year));
        let scored = |range: &RangeInclusive<i32>| {
            score().is_some_and(|score| (f64::from(*range.start())..=f64::from(*range.end())).contains(&score))
        };
        players
            && has(&names[0], &self.black)
            && has(&names[1], &self.white)
            && has(&event, &self.event)
            && self.years.as_ref().is_none_or(in_years)
            && self.outcome.is_none_or(|outcome| outcome == Outcome::of(record))
            && self.score.as_ref().is_none_or(scored)
            && self.moves.as_ref().is_none_or(|moves| moves.contains(&record.game.moves().len()))
            && (self.opening.is_none() || opening_of(&record.game).is_some_and(|name| has(name, &self.opening)))
            && self.position.as_ref().is_none_or(|target| target.find(&record.game).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::record::GameResult;
    use crate::formats::transcript;
    use crate::rules::Position;

    fn record() -> GameRecord {
        let mut record = GameRecord::new(transcript::parse(&Position::default(), "f5d6c3d3c4").unwrap());
        record.players[0].name = "Tamenori Hideshi".to_string();
        record.players[1].name = "Shaman David".to_string();
        record.event = Some("World Championship".to_string());
        record.date = Some("2001".to_string());
        record.result = Some(GameResult::from_score(6.0, Default::default()));
        record
    }

    #[test]
    fn each_field_accepts_and_refuses() {
        let text = |text: &str| Some(text.to_string());
        let position = |moves: &str| {
            let game = transcript::parse(&Position::default(), moves).unwrap();
            Some(Target::new(game.position()).unwrap())
        };
        let none = Filter::default;
        for (accepted, refused) in [
            (
                Filter { players: vec!["TAMENORI".into(), "shaman".into()], ..none() },
                Filter { players: vec!["rose".into()], ..none() },
            ),
            (
                Filter { players: vec!["david".into()], ..none() },
                Filter { players: vec!["tamenori".into(), "HIDESHI".into()], ..none() },
            ),
            (
                Filter { players: vec!["shaman".into(), "a".into()], ..none() },
                Filter { players: vec!["shaman".into(), "tamenori".into(), "david".into()], ..none() },
            ),
            (Filter { black: text("hideshi"), ..none() }, Filter { black: text("shaman"), ..none() }),
            (Filter { white: text("david"), ..none() }, Filter { white: text("hideshi"), ..none() }),
            (Filter { years: Some(2000..=2001), ..none() }, Filter { years: Some(2002..=2005), ..none() }),
            (Filter { event: text("world"), ..none() }, Filter { event: text("paris"), ..none() }),
            (Filter { outcome: Some(Outcome::Black), ..none() }, Filter { outcome: Some(Outcome::Draw), ..none() }),
            (Filter { score: Some(6..=64), ..none() }, Filter { score: Some(-64..=5), ..none() }),
            (Filter { opening: text("tiger"), ..none() }, Filter { opening: text("rose"), ..none() }),
            (Filter { moves: Some(5..=5), ..none() }, Filter { moves: Some(6..=60), ..none() }),
            // the game comes to this seen from another side, and to that with other discs
            (Filter { position: position("d3c5f6"), ..none() }, Filter { position: position("f5f6"), ..none() }),
        ] {
            assert!(accepted.accepts(&record()), "{accepted:?}");
            assert!(!refused.accepts(&record()), "{refused:?}");
        }
        // the pass that its record lacks is as good as made
        let before_a_pass = GameRecord::new(transcript::parse(&Position::default(), "f5f6d3g5h5h4f7h6").unwrap());
        assert!(Filter { position: position("f5f6d3g5h5h4f7h6pa"), ..none() }.accepts(&before_a_pass));
        // the same discs are another position where the fewest win
        let fewest = Position::start(std::sync::Arc::new("othello:fewest".parse().unwrap()));
        let fewest = GameRecord { game: transcript::parse(&fewest, "f5d6c3d3c4").unwrap(), ..record() };
        assert!(!Filter { position: position("f5d6"), ..none() }.accepts(&fewest));
        let of_fewest = Target::new(&fewest.game.positions()[2]).unwrap();
        assert!(Filter { position: Some(of_fewest), ..none() }.accepts(&fewest));
        let unknown = GameRecord { result: None, date: None, ..record() };
        assert_eq!(
            (Outcome::of(&unknown), Filter { years: Some(0..=9999), ..none() }.accepts(&unknown)),
            (Outcome::Unknown, false)
        );
    }
}
