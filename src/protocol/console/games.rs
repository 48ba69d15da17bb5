//! How games of the console begin, and how the engine plays in them.

use std::io::Write;

use super::command::{Command, SeriesCommand, Sides};
use super::series::Series;
use super::session::{Console, Done};
use super::{view, words};
use crate::analysis::levels;
use crate::game::Game;
use crate::play::balanced_opening;
use crate::search::Goal;

impl<W: Write> Console<W> {
    /// Begins the first game.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn begin(&mut self) -> Done {
        if std::mem::take(&mut self.opening) {
            return self.balanced(None);
        }
        self.show_board()?;
        self.engine_moves()
    }

    /// Begins a game with an opening after which neither side is ahead.
    pub(super) fn balanced(&mut self, seed: Option<u64>) -> Done {
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

    /// Starts again from the position the game started from; in a series the next game, when this one is over.
    pub(super) fn new_game(&mut self) -> Done {
        let game = Game::from_position(self.game().start().clone());
        let end = self.player.position().clone();
        if let Some(series) = self.series.as_mut().filter(|_| end.is_game_over()) {
            series.finish(&end);
            self.sides = match self.sides {
                Sides::Black => Sides::White,
                Sides::White => Sides::Black,
                other => other,
            };
        }
        let lines: Vec<String> = self.series.iter().map(|series| series.begins(game.position().rules())).collect();
        self.tell(&lines)?;
        self.start(game)
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

    pub(super) fn set_strength(&mut self, command: Command) -> Done {
        let mut strength = self.player.strength().clone();
        match command {
            Command::Level(None) => return self.tell_strength(),
            Command::Level(Some(level)) => strength.goal = Some(Goal::Level(level)),
            Command::Depth(depth, selectivity) => strength.goal = Some(Goal::Depth(depth, selectivity)),
            Command::Time(time) => strength.time = time,
            other => unreachable!("{other:?} does not set the strength"),
        }
        self.player.set_strength(strength);
        Ok(Ok(()))
    }

    /// What the strength in force means here and now.
    fn tell_strength(&mut self) -> Done {
        let strength = self.player.strength().clone();
        let empties = u8::try_from(self.player.position().empty_count()).unwrap_or(u8::MAX);
        let mut text = match strength.goal(false) {
            Goal::Level(level) => {
                let stage = level.stage(empties);
                format!("{} (now depth {} at {})", levels::describe(level), stage.depth, stage.selectivity)
            }
            Goal::Depth(depth, selectivity) => format!("depth {depth} at {selectivity}"),
            Goal::Exact => "every position is solved exactly".to_string(),
            Goal::WinDrawLoss => "every position is solved for win, draw or loss".to_string(),
            Goal::Unlimited => "as deep as the limits allow".to_string(),
        };
        if let Some(time) = strength.time {
            text += &format!(", at most {} s a move", time.as_secs_f64());
        }
        if let Some(nodes) = strength.nodes {
            text += &format!(", at most {nodes} nodes a move");
        }
        self.say(&text)
    }
}
