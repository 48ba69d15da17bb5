//! What is known about the present game beside its moves: players, date, remarks, evaluations.

use crate::formats::record::{GameRecord, MoveNote};
use crate::game::Game;
use crate::rules::Color;

/// What a file said about the game, or what the session itself knows.
#[derive(Clone)]
pub(super) struct Kept {
    /// With the game as it was loaded or when its last note was taken.
    record: GameRecord,
    /// The names come from a file or from a person.
    named: bool,
    /// The moves that the engine has made, each with its colour.
    engine: Vec<(usize, Color)>,
}

impl Kept {
    /// Of a game that begins here, today.
    pub fn of_own(game: Game, today: Option<String>) -> Kept {
        let record = GameRecord { date: today, ..GameRecord::new(game) };
        Kept { record, named: false, engine: Vec::new() }
    }

    /// Of a game from a file.
    pub fn loaded(record: GameRecord) -> Kept {
        Kept { record, named: true, engine: Vec::new() }
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
        self.engine.push((game.moves().len(), color));
        self.record.annotate_last(note);
    }

    /// Goes on to a game, see [`GameRecord::follow`].
    fn follow(&mut self, game: &Game) {
        let same = self.record.follow(game);
        self.engine.retain(|(number, _)| *number <= same);
    }

    /// The game is seen from another side from now on: all that is known of it still holds.
    pub fn turn(&mut self, game: &Game, turned: Game) {
        self.follow(game);
        self.record.game = turned;
    }

    /// The players of the game as it is now: as named, or else by the part that the engine took.
    pub fn names(&self, game: &Game) -> [String; 2] {
        self.at(game).players()
    }

    fn at(&self, game: &Game) -> Kept {
        let mut now = self.clone();
        now.follow(game);
        now
    }

    fn players(&self) -> [String; 2] {
        if self.named || self.engine.is_empty() {
            return self.record.players.each_ref().map(|player| player.name.clone());
        }
        [Color::Black, Color::White].map(|color| {
            let is_engine = self.engine.iter().any(|(_, mover)| *mover == color);
            if is_engine { crate::protocol::NAME } else { "Human" }.to_string()
        })
    }

    /// Everything about the game as it is now.
    pub fn record(&self, game: &Game) -> GameRecord {
        let mut now = self.at(game);
        let names = now.players();
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
    use crate::formats::{ggf, pgn, transcript};
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
    fn a_game_that_is_turned_keeps_everything() {
        let record = ggf::parse_game("(;GM[Othello]PB[Ann]RE[+4:r]B[F5/1/2]W[D6//3];)").unwrap();
        let mut kept = Kept::loaded(record.clone());
        kept.turn(&record.game, game("c4e3"));
        assert_eq!(kept.record(&game("c4e3")), GameRecord { game: game("c4e3"), ..record });
    }

    /// `1-0` is no result here; of a game that has gone on it says nothing at all.
    #[test]
    fn the_words_of_another_end_are_left_out() {
        let rules = std::sync::Arc::new(crate::rules::RuleSet::othello());
        let record = pgn::parse_game("[Black \"a\"]\n[Result \"1-0\"]\n\n1. f5 d6 1-0\n", &rules).unwrap();
        let kept = Kept::loaded(record.clone());
        assert!(pgn::write(&kept.record(&record.game)).contains("\n[Result \"1-0\"]\n"));
        assert!(pgn::write(&kept.record(&game("f5d6c3"))).contains("\n[Result \"*\"]\n"));
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
        // of the engine's moves only those that are still there
        assert_eq!(kept.names(&game("f5d6")), ["Human", "Outflank"]);
        assert_eq!(kept.names(&game("d3")), ["", ""]);
        kept.name(["Ann".to_string(), "Ben".to_string()]);
        assert_eq!(kept.record(&game("f5")).players[1].name, "Ben");
        assert_eq!(kept.record(&game("f5")).notes, []);
    }
}
