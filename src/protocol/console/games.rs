//! How games of the console begin, and how the engine plays in them.

use std::io::Write;

use super::command::{Beginning, SeriesCommand, Sides};
use super::series::Series;
use super::session::{Console, Done};
use super::{view, words};
use crate::analysis::symmetry;
use crate::book::names;
use crate::game::Game;
use crate::play::balanced_opening;
use crate::rules::Color;

impl<W: Write> Console<W> {
    /// Begins the first game.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn begin(&mut self) -> Done {
        if let Some(beginning) = self.opening.take() {
            return self.open(beginning);
        }
        self.show_board()?;
        self.engine_moves()
    }

    /// Begins a game with an opening.
    pub(super) fn open(&mut self, beginning: Beginning) -> Done {
        let name = match beginning {
            Beginning::Balanced(seed) => return self.balanced(seed),
            Beginning::Named(name) => name,
        };
        match names::game_of(&name, self.rules()) {
            Some(game) => self.start(game),
            None => {
                Ok(Err(format!("opening: {} does not begin as othello does, which has the names", self.rules()).into()))
            }
        }
    }

    /// Begins a game with an opening after which neither side is ahead.
    fn balanced(&mut self, seed: Option<u64>) -> Done {
        let seed = seed.unwrap_or(self.seed);
        self.seed = seed.wrapping_add(1);
        let (rules, stop) = (self.rules().clone(), self.stop.clone());
        let (opening, score) = match balanced_opening(self.player.engine(), &rules, seed, &stop) {
            Ok(opening) => opening,
            Err(error) => return Ok(Err(format!("opening: {error}").into())),
        };
        let mut game = Game::new(rules);
        opening.into_iter().for_each(|mv| game.play(mv).expect("openings are legal"));
        let moves = view::moves(&game, self.dialect());
        let side = game.position().rules().color_name(game.position().side_to_move()).to_string();
        self.tell(&[format!("opening {seed}: {moves} ({score:+} for {side}, who is to move)")])?;
        self.start(game)
    }

    /// Why the side to move can or cannot play on a square.
    pub(super) fn why(&mut self, text: &str) -> Done {
        let dialect = self.dialect();
        match words::why(self.player.position(), dialect, text) {
            Ok(answer) => self.say(&answer),
            Err(error) => Ok(Err(format!("why: {error}").into())),
        }
    }

    /// Turns or mirrors the game, which goes on.
    pub(super) fn turn(&mut self, symmetry: u8) -> Done {
        let Some(game) = symmetry::image(self.game(), symmetry) else {
            return Ok(Err(format!("the board of {} does not look the same from there", self.rules()).into()));
        };
        self.kept.turn(self.player.game(), game.clone());
        self.player.set_game(game);
        self.redo.clear();
        self.show_board()?;
        self.engine_moves()
    }

    /// Starts again from the position the game started from.
    pub(super) fn new_game(&mut self) -> Done {
        self.start(Game::from_position(self.game().start().clone()))
    }

    /// The present game makes way for another one: in a series its result counts, when it is over, and the engine goes on
    /// playing for the same player.
    pub(super) fn count_game(&mut self) {
        let end = self.player.position();
        if let Some(series) = self.series.as_mut().filter(|_| end.is_game_over()) {
            series.finish(end);
            self.sides = match self.sides {
                Sides::Black => Sides::White,
                Sides::White => Sides::Black,
                other => other,
            };
        }
    }

    /// The players of the present game: as named or known, or else those of the series.
    pub(super) fn names(&self) -> [String; 2] {
        let names = self.kept.names(self.game());
        match &self.series {
            Some(series) if names == ["", ""] => series.players().map(str::to_string),
            _ => names,
        }
    }

    /// Names the players, or tells their names.
    pub(super) fn players(&mut self, names: Option<[String; 2]>) -> Done {
        if let Some(names) = names {
            self.kept.name(names);
            return Ok(Ok(()));
        }
        let names = self.names();
        let text = [Color::Black, Color::White].map(|color| {
            let name = names[color.index()].as_str();
            format!("{}: {}", self.rules().color_name(color), if name.is_empty() { "not named" } else { name })
        });
        self.say(&text.join(", "))
    }

    pub(super) fn series(&mut self, command: SeriesCommand) -> Done {
        match command {
            SeriesCommand::Show => match &self.series {
                Some(series) => {
                    let text = series.standing(self.player.position());
                    self.say(&text)
                }
                None => Ok(Err("no series is being played: `series NAME NAME` begins one".into())),
            },
            SeriesCommand::Off => {
                self.series = None;
                Ok(Ok(()))
            }
            SeriesCommand::Begin(names) => {
                self.series = Some(Series::new(names));
                let game = Game::new(self.rules().clone());
                self.player.start_game(game);
                self.new_game()
            }
        }
    }
}
