//! A game in a session: its moves, also those taken back, and who it belongs to.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::error::Problem;
use super::pool::{Stopper, Ticket};
use crate::formats::notation::{Dialect, in_dialect, parse_move_in};
use crate::formats::quantity::plural;
use crate::formats::record::{GameRecord, GameResult, Player};
use crate::formats::{acts, why_pass};
use crate::game::Game;
use crate::rules::{Move, Position, Refusal, RuleSet};

/// How a client sees the rows of a board counted: as the sheet of the rules has it.
pub(crate) fn dialect(rules: &RuleSet) -> Dialect {
    if rules.name() == "hungarian" { Dialect::FromBottom } else { Dialect::Plain }
}

/// A game with a place in it: moves behind the place have been taken back and can be played again.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// All moves, with what a text has said of them that still holds.
    record: GameRecord,
    ply: usize,
    /// Chooses among good moves of this game.
    pub seed: u64,
}

impl Line {
    /// A game at its end.
    pub fn new(game: Game) -> Line {
        Line::of_record(GameRecord::new(game))
    }

    /// The game of a record, at its end.
    pub fn of_record(record: GameRecord) -> Line {
        Line { ply: record.game.moves().len(), record, seed: rand::random() }
    }

    /// All moves, those taken back too.
    pub fn whole(&self) -> &Game {
        &self.record.game
    }

    /// Everything that is known about the game.
    pub fn record(&self) -> &GameRecord {
        &self.record
    }

    /// Moves up to the present place.
    pub fn ply(&self) -> usize {
        self.ply
    }

    /// The position at the present place.
    pub fn position(&self) -> &Position {
        &self.whole().positions()[self.ply]
    }

    /// The game up to the present place.
    pub fn game(&self) -> Game {
        let mut game = self.whole().clone();
        while game.moves().len() > self.ply {
            game.undo();
        }
        game
    }

    /// Names the players, whatever a record called them.
    pub fn name(&mut self, names: [Option<String>; 2]) {
        name_players(&mut self.record.players, names);
    }

    /// Rates the players, whatever a record said of them.
    pub fn rate(&mut self, ratings: [Option<f64>; 2]) {
        for (player, rating) in self.record.players.iter_mut().zip(ratings) {
            player.rating = rating.or(player.rating);
        }
    }

    /// The game has this result, whatever a record said of its end.
    pub fn end(&mut self, result: GameResult) {
        self.record.result = Some(result);
    }

    /// The result that the board does not tell: that of a game that was not played to its end.
    pub fn recorded(&self) -> Option<GameResult> {
        let told = GameResult::of(self.whole().position());
        self.record.result.filter(|result| told.is_none_or(|told| told.winner != result.winner))
    }

    /// The names and ratings of the players, if they are known.
    pub fn players(&self) -> &[Player; 2] {
        &self.record.players
    }

    /// The game is at the place that a request is about, if it says which one.
    ///
    /// # Errors
    /// When the game is elsewhere by now.
    pub fn expect(&self, ply: Option<usize>) -> Result<(), Problem> {
        match ply {
            Some(ply) if ply != self.ply => {
                let here = plural(self.ply as u64, "move");
                Err(Problem::refused(format!("the game has gone elsewhere: it is after {here}, not after {ply}")))
            }
            _ => Ok(()),
        }
    }

    /// Goes to a place.
    ///
    /// # Errors
    /// When the game has fewer moves.
    pub fn go_to(&mut self, ply: usize) -> Result<(), Problem> {
        let last = self.whole().moves().len();
        if ply > last {
            let moves = plural(last as u64, "move");
            return Err(Problem::bad(format!("the game has {moves}: there is no place {ply} in it")));
        }
        self.ply = ply;
        Ok(())
    }

    /// Takes back so many placements, with the passes behind them.
    ///
    /// # Errors
    /// At the start.
    pub fn undo(&mut self, count: usize) -> Result<(), Problem> {
        if self.ply == 0 {
            return Err(Problem::refused("there is no move to take back"));
        }
        let mut left = count;
        while left > 0 && self.ply > 0 {
            self.ply -= 1;
            left -= usize::from(self.whole().moves()[self.ply] != Move::Pass);
        }
        Ok(())
    }

    /// Plays so many placements again, with the passes behind them: the places are those that taking back comes to. At a pass that
    /// is a step alone.
    ///
    /// # Errors
    /// At the end.
    pub fn redo(&mut self, count: usize) -> Result<(), Problem> {
        let moves = self.record.game.moves();
        if self.ply == moves.len() {
            return Err(Problem::refused("there is no move to play again"));
        }
        for _ in 0..count.min(moves.len() - self.ply) {
            self.ply += usize::from(moves.get(self.ply).is_some_and(|mv| *mv != Move::Pass));
            self.ply += moves[self.ply..].iter().take_while(|mv| **mv == Move::Pass).count();
        }
        Ok(())
    }

    /// Plays a move at the present place, with the forced pass before it; another one than was played there before drops what
    /// followed.
    ///
    /// # Errors
    /// When the text is no move, or the rules forbid it: the reason is in the words of the edition.
    pub fn play_text(&mut self, text: &str) -> Result<(), Problem> {
        let position = self.position();
        // requests have plain squares, whatever the sheet counts; what is said about them is in the sheet's
        let mv = parse_move_in(Dialect::Plain, position, text).map_err(|error| Problem::bad(error.to_string()))?;
        self.play(mv)
    }

    /// Plays a move, see [`Line::play_text`].
    ///
    /// # Errors
    /// When the rules forbid it.
    pub fn play(&mut self, mv: Move) -> Result<(), Problem> {
        let ahead = &self.whole().moves()[self.ply..];
        if ahead.starts_with(&[mv]) || ahead.starts_with(&[Move::Pass, mv]) {
            self.ply += if ahead[0] == mv { 1 } else { 2 };
            return Ok(());
        }
        let mut game = self.game();
        if game.play_passing(mv).is_err() {
            return Err(Problem::refused(refusal(self.position(), mv)));
        }
        self.ply = game.moves().len();
        self.record.follow(&game);
        Ok(())
    }
}

/// Gives players the names that are there: as long as a name may be, and on one line.
pub(crate) fn name_players(players: &mut [Player; 2], names: [Option<String>; 2]) {
    for (player, name) in players.iter_mut().zip(names) {
        if let Some(name) = name {
            player.name = name.chars().filter(|c| !acts(*c)).take(60).collect();
        }
    }
}

/// Why the side to move cannot play a move, with the square as the sheet counts it.
fn refusal(position: &Position, mv: Move) -> String {
    let rules = position.rules();
    if position.must_pass() && mv != Move::Pass {
        return format!("{} must pass: {}", rules.color_name(position.side_to_move()), why_pass(position));
    }
    let shown = in_dialect(dialect(rules), rules.rows(), mv);
    position
        .refusal(mv)
        .map(|refusal| Refusal { mv: shown, ..refusal }.to_string())
        .unwrap_or_else(|| format!("'{shown}' cannot be played"))
}

/// What a search for a game is about: it is of no use when that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// The present place.
    Place,
    /// All moves of the game.
    Game,
    /// The engine's move at the present place.
    Move,
}

/// A game of a client, and what is being searched for it.
pub(crate) struct GameSession {
    line: Mutex<Line>,
    searches: Mutex<Vec<(About, Stopper)>>,
}

impl GameSession {
    /// A session with this game.
    pub fn new(line: Line) -> GameSession {
        GameSession { line: Mutex::new(line), searches: Mutex::default() }
    }

    /// The game, for one request at a time.
    pub fn line(&self) -> MutexGuard<'_, Line> {
        // moves are played on a copy, which replaces the game when that has worked
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn searches(&self) -> MutexGuard<'_, Vec<(About, Stopper)>> {
        self.searches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a search, which ends those before it: a client looks at one thing at a time. Only a move that the engine is
    /// looking for is looked for on: cut short it would be played all the same.
    ///
    /// The game is locked since the search's position was taken from it: a change finds the search.
    pub fn follow(&self, _: &MutexGuard<'_, Line>, ticket: &Ticket, about: About) {
        let mut searches = self.searches();
        searches.retain(|(about, search)| {
            let keep = *about == About::Move && !search.is_gone();
            if !keep {
                search.stop();
            }
            keep
        });
        searches.push((about, ticket.stopper()));
    }

    /// What this search is about has not changed since it began.
    pub fn follows(&self, ticket: &Ticket) -> bool {
        self.searches().iter().any(|(_, search)| search.is_of(ticket))
    }

    /// Stops what is searched about something that has changed: its threads are others' now.
    pub fn stop_other_than(&self, before: &Line, now: &Line) {
        let other_game = before.whole() != now.whole();
        let other_place = before.ply() != now.ply() || before.position() != now.position();
        self.searches().retain(|(about, search)| {
            let changed = if *about == About::Game { other_game } else { other_place };
            if changed {
                search.stop();
            }
            !changed
        });
    }

    /// Stops what is searched for this game; the result is whether there was anything.
    pub fn stop(&self) -> bool {
        // one that is just beginning is known before the game is free again
        let _line = self.line();
        let mut searches = self.searches();
        searches.retain(|(_, search)| !search.is_gone());
        searches.iter().for_each(|(_, search)| search.stop());
        !searches.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::transcript;

    fn line(rules: &str, moves: &str) -> Line {
        let start = Position::start(Arc::new(rules.parse().unwrap()));
        Line::new(transcript::parse(&start, moves).unwrap())
    }

    #[test]
    fn moves_taken_back_can_be_played_again() {
        let mut line = line("othello", "f5d6c3d3");
        line.undo(2).unwrap();
        assert_eq!((line.ply(), line.game().moves().len(), line.whole().moves().len()), (2, 2, 4));
        line.redo(1).unwrap();
        assert_eq!(line.ply(), 3);
        assert!(line.go_to(5).is_err());
        line.go_to(2).unwrap();
        // the same move keeps what follows, another one does not
        line.play_text("c3").unwrap();
        assert_eq!((line.ply(), line.whole().moves().len()), (3, 4));
        line.go_to(2).unwrap();
        line.play_text("c4").unwrap();
        assert_eq!((line.ply(), line.whole().moves().len()), (3, 3));
        assert_eq!(line.redo(1).unwrap_err().status, 409);
        line.go_to(0).unwrap();
        assert_eq!(line.undo(1).unwrap_err().message, "there is no move to take back");
    }

    /// A game on a small board, where passes are frequent, whose moves are like this.
    fn game_with(wanted: impl Fn(&[Move]) -> bool) -> Line {
        for first in 0..200u64 {
            let mut game = Game::new(Arc::new("othello:4x4".parse().unwrap()));
            let mut choice = first;
            while !game.position().is_game_over() {
                let moves = game.position().legal_moves();
                choice = choice.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                game.play(moves[(choice >> 33) as usize % moves.len()]).unwrap();
            }
            if wanted(game.moves()) {
                return Line::new(game);
            }
        }
        panic!("none of the games is like this");
    }

    #[test]
    fn a_move_behind_a_pass_keeps_what_follows() {
        let pass_of = |moves: &[Move]| moves.iter().position(|mv| *mv == Move::Pass);
        let mut line = game_with(|moves| pass_of(moves).is_some_and(|pass| pass + 2 < moves.len()));
        let moves = line.whole().moves().to_vec();
        let pass = pass_of(&moves).unwrap();
        line.go_to(pass).unwrap();
        line.play(moves[pass + 1]).unwrap();
        assert_eq!((line.ply(), line.whole().moves()), (pass + 2, &moves[..]));
    }

    #[test]
    fn passes_go_with_the_move_before_them() {
        let mut line = game_with(|moves| moves.iter().rev().nth(1) == Some(&Move::Pass));
        let plies = line.ply();
        line.undo(1).unwrap();
        assert_eq!(line.ply(), plies - 1);
        line.undo(1).unwrap();
        assert_eq!(line.ply(), plies - 3);
        // the pass is behind the move that is played again, as it was when that was taken back
        line.redo(1).unwrap();
        assert_eq!(line.ply(), plies - 1);
        line.go_to(plies - 2).unwrap();
        line.redo(1).unwrap();
        assert_eq!(line.ply(), plies - 1, "the turn is that of who moves after the pass");
        line.undo(1).unwrap();
        line.redo(2).unwrap();
        assert_eq!(line.ply(), plies);
    }

    #[test]
    fn refusals_are_in_the_words_of_the_edition() {
        let why = |rules: &str, mv: &str| line(rules, "").play_text(mv).unwrap_err();
        assert_eq!(why("ravensburger", "d4").message, "gold cannot play 'd4': a disc of black stands there");
        // a1 of the file is the upper left corner, which this sheet calls a8
        assert_eq!(why("hungarian", "a1").message, "o cannot play 'a8': the disc would turn nothing");
        assert_eq!(why("othello", "d4").status, 409);
        assert_eq!(why("othello", "z9").status, 400);
    }
}
