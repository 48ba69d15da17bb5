//! The state of the console, and its commands but for those that make moves.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use super::command::{Beginning, Command, Rows, Sides};
use super::kept::Kept;
use super::series::Series;
use super::table::Table;
use super::{Config, Screen, Style, Watch, view};
use crate::analysis::best_moves::best_moves;
use crate::analysis::{review, text};
use crate::book::names;
use crate::formats::notation::Dialect;
use crate::formats::{board_text, result_text};
use crate::game::Game;
use crate::play::{Overhead, Player};
use crate::rules::{Move, RuleSet};
use crate::search::{Limits, SearchError, StopToken};

/// What follows a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// The next command.
    Prompt,
    /// The end.
    Quit,
}

/// Why a command did nothing, or not all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// The command or what it was given is wrong.
    Command(String),
    /// A file could not be written.
    Save(String),
}

impl Problem {
    /// The message.
    pub fn text(&self) -> &str {
        match self {
            Problem::Command(text) | Problem::Save(text) => text,
        }
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Problem {
        Problem::Command(text)
    }
}

impl From<&str> for Problem {
    fn from(text: &str) -> Problem {
        Problem::Command(text.to_string())
    }
}

/// What follows the end of a game that was played here. Without any of these, nothing does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AfterGame {
    /// So many games more are begun.
    pub repeat: u32,
    /// The session ends, after those.
    pub quit: bool,
    /// Another game is begun each time; not with the engine on both sides, which would never end.
    pub start: bool,
    /// The engine changes sides between games.
    pub swap: bool,
}

/// What a part of a command returns: an error of writing ends the session, a problem with the command does not.
pub(super) type Done = io::Result<Result<(), Problem>>;

/// A session of the console that writes to `W`.
pub struct Console<W> {
    pub(super) player: Player,
    /// The rules that were asked for, by which files are read that name none; the present game may be one of a file that named others.
    pub(super) asked: Arc<RuleSet>,
    /// Moves taken back, the next one to redo last.
    pub(super) redo: Vec<Move>,
    /// The sides the engine plays.
    pub(super) sides: Sides,
    pub(super) verbose: u8,
    pub(super) stop: StopToken,
    pub(super) out: W,
    /// Where `book store` puts games.
    pub(super) learn: Option<PathBuf>,
    pub(super) watch: Box<dyn Watch>,
    pub(super) screen: Screen,
    /// What is known about the game beside its moves.
    pub(super) kept: Kept,
    today: fn() -> Option<String>,
    pub(super) style: Style,
    /// Rows are numbered from the bottom, from the top, or as the rule set's sheet does.
    rows: Option<Rows>,
    /// Games of two people who take turns in starting.
    pub(super) series: Option<Series>,
    /// How the first game is still to begin.
    pub(super) opening: Option<Beginning>,
    /// The seed of the next balanced opening.
    pub(super) seed: u64,
    pub(super) after_game: AfterGame,
    /// The present game has come here with its end: nothing follows it.
    pub(super) came_over: bool,
}

impl<W: Write> Console<W> {
    /// A session at the start of the rules. Its table is made now: an error is better here than in the middle of a game.
    ///
    /// # Errors
    /// When the engine's options are outside their ranges, or its table does not fit the machine.
    pub fn new(config: Config, out: W) -> Result<Console<W>, SearchError> {
        let (stop, learn) = (config.session.stop.clone(), config.session.learn.clone());
        let asked = config.session.rules.clone();
        // who keeps the time beside the engine is another program or a person
        let mut player = config.session.player(Overhead::PIPE);
        player.engine().allocate()?;
        player.set_time_control(config.clock);
        let kept = Kept::of_own(player.game().clone(), (config.today)());
        let came_over = player.position().is_game_over();
        Ok(Console {
            player,
            asked,
            redo: Vec::new(),
            sides: config.sides,
            verbose: config.verbose,
            stop,
            out,
            learn,
            watch: config.watch,
            screen: config.screen,
            kept,
            today: config.today,
            style: config.style,
            rows: config.rows,
            series: None,
            opening: config.opening,
            seed: config.seed,
            after_game: config.after_game,
            came_over,
        })
    }

    pub(super) fn game(&self) -> &Game {
        self.player.game()
    }

    pub(super) fn say(&mut self, text: &str) -> Done {
        writeln!(self.out, "{text}")?;
        Ok(Ok(()))
    }

    /// The output, for the prompt between commands.
    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// The session's token has been ended: there is nobody to carry out commands for.
    pub(super) fn is_ended(&self) -> bool {
        self.stop.is_ended()
    }

    /// Carries out a command.
    pub(super) fn execute(&mut self, command: Command) -> io::Result<Result<Next, Problem>> {
        self.stop.reset();
        let result = match command {
            Command::Empty => Ok(()),
            Command::Quit => return Ok(Ok(Next::Quit)),
            Command::Help(name) => self.help(name.as_deref())?,
            Command::Version => self.say(&format!("{} {}", crate::protocol::NAME, crate::protocol::VERSION))?,
            Command::Init => self.start(Game::new(self.rules().clone()))?,
            Command::New => self.new_game()?,
            // there the word asks how the present game has begun
            Command::Opening(Beginning::Balanced(None)) if self.style == Style::Edax => {
                names::opening_of(self.game()).map_or(Ok(Ok(())), |name| self.say(name))?
            }
            Command::Opening(beginning) => self.open(beginning)?,
            Command::Why(text) => self.why(&text)?,
            Command::Rows(rows) => {
                self.rows = Some(rows);
                self.show_board()?;
                Ok(())
            }
            Command::Series(series) => self.series(series)?,
            Command::SetBoard(text) => match self.read_board(&text) {
                Ok(position) => self.start(Game::from_position(position))?,
                Err(error) => Err(format!("setboard: {error}").into()),
            },
            Command::Rules(None) => {
                let text = format!("rules: {} (`outflank rules {0}` explains them)", self.rules());
                self.say(&text)?
            }
            Command::Rules(Some(rules)) => {
                self.asked = rules.clone();
                self.start(Game::new(rules))?
            }
            Command::Turn(symmetry) => self.turn(symmetry)?,
            Command::Play(moves) => self.play(&moves)?,
            Command::Undo(count) => self.undo(count)?,
            Command::Redo(count) => self.redo(count)?,
            Command::Go => self.go()?,
            Command::Hint(count) => self.hint(count)?,
            Command::Analyze(alternatives) => self.analyze(alternatives)?,
            Command::Show => self.say(&view::board(self.player.game(), self.dialect(), self.screen.look()))?,
            Command::Moves => self.say(&view::moves(self.player.game(), self.dialect()))?,
            Command::Mode(sides) => {
                self.sides = sides;
                self.engine_moves()?
            }
            Command::Book(command) => self.book(command)?,
            Command::Ponder(on) => {
                self.player.set_ponder(on);
                Ok(())
            }
            Command::Save(path) => self.save(&path)?,
            Command::Load(text) => self.load(&text)?,
            Command::List(text) => self.list(&text)?,
            Command::Players(names) => self.players(names)?,
            Command::Clock(control) => {
                self.player.set_time_control(control);
                Ok(())
            }
            Command::Options => {
                self.show_options()?;
                Ok(())
            }
            Command::Verbose(verbose) => {
                self.verbose = verbose;
                Ok(())
            }
            Command::Strength(setting) => self.strength(setting)?,
        };
        Ok(result.map(|()| Next::Prompt))
    }

    /// How the squares of the present board are named.
    pub(super) fn dialect(&self) -> Dialect {
        let by_sheet =
            if self.rules().name() == "hungarian" && self.style == Style::Plain { Rows::Bottom } else { Rows::Top };
        match self.rows.unwrap_or(by_sheet) {
            Rows::Bottom => Dialect::FromBottom,
            Rows::Top => Dialect::Plain,
        }
    }

    fn read_board(&self, text: &str) -> Result<crate::rules::Position, board_text::BoardTextError> {
        match self.dialect() {
            Dialect::FromBottom => board_text::parse_from_bottom(text, self.rules()),
            _ => board_text::parse(text, self.rules()),
        }
    }

    pub(super) fn rules(&self) -> &Arc<RuleSet> {
        self.player.position().rules()
    }

    /// Begins another game; in a series the next one, when this one is over.
    pub(super) fn start(&mut self, game: Game) -> Done {
        self.count_game();
        let lines: Vec<String> = self.series.iter().map(|series| series.begins(game.position().rules())).collect();
        self.tell(&lines)?;
        let kept = Kept::of_own(game.clone(), (self.today)());
        self.go_on_with(game, kept)
    }

    /// Goes on with a game of which this is known.
    pub(super) fn go_on_with(&mut self, game: Game, kept: Kept) -> Done {
        // before the engine moves, what it thinks is noted there
        self.kept = kept;
        self.came_over = game.position().is_game_over();
        self.player.start_game(game);
        self.redo.clear();
        self.show_board()?;
        self.engine_moves()
    }

    /// Says something unless quiet.
    pub(super) fn tell(&mut self, lines: &[String]) -> io::Result<()> {
        if self.verbose == 0 {
            return Ok(());
        }
        lines.iter().try_for_each(|line| writeln!(self.out, "{line}"))
    }

    fn hint(&mut self, count: usize) -> Done {
        let position = self.player.position().clone();
        if position.is_game_over() {
            return Ok(Err(result_text(&position).into()));
        }
        let dialect = self.dialect();
        let limits = Limits { multi_pv: count, ..self.player.limits() };
        // the result is all that a hint is about, so it is shown even when quiet
        let mut table = if self.verbose == 0 && self.style == Style::Edax {
            Table::bare(1, dialect, &*self.watch, &mut self.out)
        } else {
            Table::begin(self.verbose.max(1), dialect, &*self.watch, &mut self.out)?
        };
        table.all_costs = true;
        let report = best_moves(self.player.engine(), &position, &limits, &self.stop, &mut |report| {
            table.iteration(&position, report);
        });
        match report {
            Ok(report) => table.end(&position, Some(&report))?,
            Err(error) => return Ok(Err(error.to_string().into())),
        }
        Ok(Ok(()))
    }

    fn analyze(&mut self, alternatives: usize) -> Done {
        let game = self.game().clone();
        let limits = self.player.analysis_limits();
        let total = game.moves().len();
        self.watch.begin(total as u64);
        let (stop, watch) = (self.stop.clone(), &self.watch);
        let reviewed = review::review(self.player.engine(), &game, &limits, alternatives, &stop, &mut |one| {
            watch.done((total - one.ply + 1) as u64);
        });
        self.watch.end();
        match reviewed {
            Ok(review) => {
                let review = view::seen_review(self.dialect(), &game, review);
                write!(self.out, "{}", text::reviewed_game(&game, &review))?;
            }
            Err(error) => return Ok(Err(error.to_string().into())),
        }
        Ok(Ok(()))
    }

    /// Shows the board, unless quiet.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub(super) fn show_board(&mut self) -> io::Result<()> {
        if self.verbose > 0 {
            writeln!(self.out, "\n{}", view::board(self.player.game(), self.dialect(), self.screen.look()))?;
            self.show_opening()?;
        }
        Ok(())
    }
}
