//! How moves are made and taken back, by a person and by the engine, and what follows the end of a game.

use std::io::{self, Write};

use super::command::Sides;
use super::session::{AfterGame, Console, Done, Next, Problem};
use super::table::Table;
use super::{Style, words};
use crate::book::names;
use crate::formats::record::MoveNote;
use crate::formats::{notation, result_text, transcript, why_pass};
use crate::game::Game;
use crate::rules::{Color, Move};
use crate::time::Instant;

impl<W: Write> Console<W> {
    /// Plays moves as typed, or the opening of that name; those before a bad one stay played.
    pub(super) fn play(&mut self, moves: &str) -> Done {
        // a pass that the console has already made for a player without moves
        if notation::is_pass(moves.trim()) && self.game().moves().last() == Some(&Move::Pass) {
            return Ok(Ok(()));
        }
        let mut game = self.game().clone();
        let before = game.moves().len();
        let dialect = self.dialect();
        // no name is a move
        let result = match names::game_of(moves, self.rules()) {
            Some(named) if before == 0 && game.start() == named.start() => {
                game = named;
                Ok(())
            }
            Some(_) => Err(format!("play: this opening begins a game (`opening {moves}` starts one)").into()),
            None => transcript::play_in(dialect, &mut game, moves).map_err(|error| Problem::Command(error.to_string())),
        };
        if game.moves().len() > before {
            let passes = words::passes(&game, before);
            self.player.set_game(game);
            self.redo.clear();
            self.tell(&passes)?;
            self.show_board()?;
            self.announce_end()?;
        }
        if result.is_ok() { self.engine_moves() } else { Ok(result) }
    }

    /// Takes back `count` moves, or as many as lead back to the player's own turn.
    pub(super) fn undo(&mut self, count: usize) -> Done {
        if self.game().moves().is_empty() {
            return Ok(Err("there is no move to take back".into()));
        }
        let mut taken = 0;
        while let Some(mv) = self.player.undo() {
            self.redo.push(mv);
            // a forced pass belongs to the move after it
            taken += usize::from(mv != Move::Pass);
            // with the engine on both sides there is no turn of the player's to go back to; one with nothing but a pass is none
            let own_turn = self.sides == Sides::Both || !self.is_engines_turn();
            let has_choice = own_turn && !self.player.position().must_pass();
            let enough = if count == 0 { taken > 0 && has_choice } else { taken >= count };
            if enough {
                break;
            }
        }
        self.show_board()?;
        Ok(Ok(()))
    }

    /// Plays again `count` moves that were taken back, or as many as lead to the player's own turn.
    pub(super) fn redo(&mut self, count: usize) -> Done {
        if self.redo.is_empty() {
            return Ok(Err("there is no move to play again".into()));
        }
        let mut played = 0;
        while let Some(mv) = self.redo.pop() {
            self.player.play(mv).expect("it was legal before");
            played += usize::from(mv != Move::Pass);
            let own_turn = self.sides == Sides::Both || !self.is_engines_turn();
            let enough = if count == 0 { played > 0 && own_turn } else { played >= count };
            // a forced pass is made at once, so that the game is again what it was
            if enough && self.redo.last() != Some(&Move::Pass) {
                break;
            }
        }
        self.show_board()?;
        Ok(Ok(()))
    }

    fn is_engines_turn(&self) -> bool {
        self.is_engines(self.player.position().side_to_move())
    }

    /// The engine plays this side by itself.
    pub(super) fn is_engines(&self, side: Color) -> bool {
        match self.sides {
            Sides::Both => true,
            Sides::None => false,
            Sides::Black => side == Color::Black,
            Sides::White => side == Color::White,
        }
    }

    /// Lets the engine move as long as it is its turn; players without a move pass by themselves meanwhile.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn engine_moves(&mut self) -> Done {
        if self.sides == Sides::None {
            return Ok(Ok(()));
        }
        while !self.player.position().is_game_over() && !self.stop.is_stopped() {
            if self.player.position().must_pass() {
                let (line, is_answer) = (words::pass(self.player.position()), self.is_engines_turn());
                self.player.play(Move::Pass).expect("a forced pass");
                // one that was taken back is played again by this; behind another one nothing fits
                if self.redo.pop() != Some(Move::Pass) {
                    self.redo.clear();
                }
                self.tell(&[line])?;
                // scripts wait for the engine's move; people have been told
                if is_answer && !self.screen.people {
                    self.tell_move(Move::Pass)?;
                }
                self.show_board()?;
            } else if self.is_engines_turn() {
                if let Err(problem) = self.engine_move()? {
                    return Ok(Err(problem));
                }
            } else {
                break;
            }
        }
        if self.stop.is_stopped() && self.sides == Sides::Both {
            self.sides = Sides::None;
            writeln!(self.out, "interrupted: the engine plays no side now (mode 3)")?;
        }
        Ok(Ok(()))
    }

    /// Thinks on while the other side does, if that is switched on. To be called before waiting for a command.
    pub fn ponder(&mut self) {
        if matches!(self.sides, Sides::Black | Sides::White) {
            self.player.ponder();
        }
    }

    /// Scripts written for Edax wait for these words; a series is told after each game.
    fn announce_end(&mut self) -> io::Result<()> {
        if self.player.position().is_game_over() {
            let lines: Vec<String> = self.series.iter().map(|series| series.after(self.player.position())).collect();
            self.tell(&lines)?;
        } else if self.sides == Sides::None && self.player.position().must_pass() {
            let (side, why) = (self.player.position().side_to_move(), why_pass(self.player.position()));
            let line = format!("{} must pass: {why} (`pass`, or the other side's move)", self.rules().color_name(side));
            self.tell(&[line])?;
        }
        if self.style == Style::Edax && self.player.position().is_game_over() {
            writeln!(self.out, "\n*** Game Over ***")?;
        }
        Ok(())
    }

    /// Does what is to follow the end of a game, if the game has ended. To be called before waiting for a command.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn after_game(&mut self) -> io::Result<Result<Next, Problem>> {
        self.came_over &= self.player.position().is_game_over();
        while self.player.position().is_game_over() && !self.came_over {
            let AfterGame { repeat, quit, start, swap } = self.after_game;
            if repeat == 0 && quit {
                return Ok(Ok(Next::Quit));
            }
            if repeat == 0 && (!start || self.sides == Sides::Both) {
                break;
            }
            self.after_game.repeat = repeat.saturating_sub(1);
            // in a series the engine plays for one of the players
            let swap = swap && self.series.is_none();
            self.sides = match self.sides {
                Sides::White if swap => Sides::Black,
                Sides::Black if swap => Sides::White,
                sides => sides,
            };
            let again = Game::from_position(self.game().start().clone());
            if let Err(problem) = self.start(again)? {
                return Ok(Err(problem));
            }
        }
        Ok(Ok(Next::Prompt))
    }

    pub(super) fn go(&mut self) -> Done {
        if self.style == Style::Edax && self.player.position().is_game_over() {
            self.announce_end()?;
            return Ok(Ok(()));
        }
        if self.player.position().is_game_over() {
            return Ok(Err(result_text(self.player.position()).into()));
        }
        match self.engine_move()? {
            Ok(()) => self.engine_moves(),
            problem => Ok(problem),
        }
    }

    /// Chooses a move, shows what it is based on unless quiet, and plays it.
    fn engine_move(&mut self) -> Done {
        let start = Instant::now();
        let dialect = self.dialect();
        let mut table = Table::begin(self.verbose, dialect, &*self.watch, &mut self.out)?;
        let position = self.player.position().clone();
        let choice = self.player.choose(&mut |report| table.iteration(&position, report));
        let choice = match choice {
            Ok(choice) => choice,
            Err(error) => return Ok(Err(error.to_string().into())),
        };
        table.end(&position, choice.report.as_ref())?;
        self.player.play(choice.mv).expect("players choose legal moves");
        let used = start.elapsed();
        self.player.spend(position.side_to_move(), used);
        self.redo.clear();
        let eval = choice.report.as_ref().map(|report| f64::from(report.score));
        let note = MoveNote { eval, seconds: Some(used.as_secs_f64()), ..MoveNote::default() };
        self.kept.note(self.player.game(), position.side_to_move(), note);
        self.tell_move(choice.mv)?;
        self.show_board()?;
        self.announce_end()?;
        Ok(Ok(()))
    }

    /// Tells the engine's move, in the words that scripts wait for.
    fn tell_move(&mut self, mv: Move) -> io::Result<()> {
        let shown = notation::in_dialect(self.dialect(), self.player.position().rules().rows(), mv);
        let name = if mv == Move::Pass { "PA".to_string() } else { format!("{shown:#}") };
        writeln!(self.out, "\n{} plays {name}", self.style.name())
    }
}
