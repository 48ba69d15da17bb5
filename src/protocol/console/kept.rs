//! What is known about the present game beside its moves: players, date, remarks, evaluations.

use crate::formats::record::{GameRecord, GameResult, MoveNote};
use crate::game::Game;
use crate::rules::Color;

/// What a file said about the game, or what the session itself knows.
pub(super) struct Kept {
    /// With the game as it was loaded or when its last note was taken.
    record: GameRecord,
    /// The names come from a file or from a person.
    named: bool,
    /// The colours that the engine has moved for.
    engine: [bool; 2],
}

impl Kept {
    /// Of a game that begins here, today.
    pub fn of_own(game: Game, today: Option<String>) -> Kept {
        let record = GameRecord { date: today, ..GameRecord::new(game) };
        Kept { record, named: false, engine: [false; 2] }
    }

    /// Of a game from a file.
    pub fn loaded(record: GameRecord) -> Kept {
        Kept { record, named: true, engine: [false; 2] }
    }

    /// Names the players.
    pub fn name(&mut self, names: [String; 2]) {
        for (player, name) in self.record.players.iter_mut().zip(names) {
            player.name = name;
        }
        self.named = true;
    }

    /// Notes what is known about the last move of the game, which the engine has just made.
    pub fn note(&mut self, game: &Game, color: Color, note: MoveNote) {
        self.follow(game);
        self.engine[color.index()] = true;
        self.record.annotate_last(note);
    }

    /// Goes on to a game: what was said about moves that are no longer there, and about another end, is left out.
    fn follow(&mut self, game: &Game) {
        let record = &mut self.record;
        if record.game == *game {
            return;
        }
        let same = match record.game.start() == game.start() {
            true => record.game.moves().iter().zip(game.moves()).take_while(|(one, other)| one == other).count(),
            false => 0,
        };
        record.notes.truncate(same);
        record.tags.retain(|(name, _)| name != "RE");
        record.result = GameResult::of(game.position());
        record.game = game.clone();
    }

    /// The players: as named, or else by the part that the engine took.
    pub fn names(&self) -> [String; 2] {
        if self.named || self.engine == [false; 2] {
            return self.record.players.each_ref().map(|player| player.name.clone());
        }
        self.engine.map(|engine| if engine { crate::protocol::NAME } else { "Human" }.to_string())
    }

    /// Everything about the game as it is now.
    pub fn record(&self, game: &Game) -> GameRecord {
        let names = self.names();
        let mut now = Kept { record: self.record.clone(), ..*self };
        now.follow(game);
        while now.record.notes.last() == Some(&MoveNote::default()) {
            now.record.notes.pop();
        }
        now.name(names);
        now.record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::ggf;
    use crate::formats::transcript;
    use crate::rules::Position;

    fn game(moves: &str) -> Game {
        transcript::parse(&Position::default(), moves).unwrap()
    }

    #[test]
    fn a_record_that_is_played_on_keeps_what_still_holds() {
        let record =
            ggf::parse_game("(;GM[Othello]PB[Ann]PW[Ben]DT[1977]RE[+4:r]CO[x]B[F5/1/2]W[D6//3]B[C3/2];)").unwrap();
        let kept = Kept::loaded(record.clone());
        assert_eq!(kept.record(&record.game), record);
        let other = kept.record(&game("f5d6c4"));
        assert_eq!((other.players, other.date, other.comment), (record.players, record.date, record.comment));
        assert_eq!((other.notes, other.result), (record.notes[..2].to_vec(), None));
        // and what was taken back is there again
        assert_eq!(kept.record(&record.game).notes.len(), 3);
    }

    #[test]
    fn own_games_have_players_a_date_and_what_the_engine_thought() {
        let mut kept = Kept::of_own(game(""), Some("2026-11-22".to_string()));
        assert_eq!(kept.record(&game("f5")).players[0].name, "");
        let note = MoveNote { eval: Some(-1.0), seconds: Some(0.5), ..MoveNote::default() };
        kept.note(&game("f5d6"), Color::White, note.clone());
        let record = kept.record(&game("f5d6c3"));
        assert_eq!(record.players.each_ref().map(|player| player.name.as_str()), ["Human", "Outflank"]);
        assert_eq!((record.date.as_deref(), record.note(1)), (Some("2026-11-22"), Some(&note)));
        kept.name(["Ann".to_string(), "Ben".to_string()]);
        assert_eq!(kept.record(&game("f5")).players[1].name, "Ben");
        assert_eq!(kept.record(&game("f5")).notes, []);
    }
}
