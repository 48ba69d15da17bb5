//! The state of the console, and its commands.

use std::io::{self, Write};
use std::sync::Arc;

use outflank::analysis::best_moves::best_moves;
use outflank::analysis::{review, text};
use outflank::engine::Engine as Searcher;
use outflank::formats::{board_text, notation, transcript};
use outflank::game::Game;
use outflank::rules::{Color, Move, RuleSet};
use outflank::search::{Goal, Level, Limits, Report, StopToken};

use super::command::{self, Command, Engine};
use super::{PlayArguments, files, view};
use crate::commands::live::Live;
use crate::commands::options::SearchOptions;
use crate::commands::{levels, output};

/// What follows a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The next command.
    Prompt,
    /// The end.
    Quit,
}

/// What a command returns: an error of writing ends the session, a problem with the command does not.
type Executed = io::Result<Result<Next, String>>;

/// A session of the console.
pub struct Console {
    game: Game,
    /// Moves taken back, the next one to redo last.
    redo: Vec<Move>,
    searcher: Searcher,
    strength: SearchOptions,
    engine: Engine,
    verbose: u8,
    stop: StopToken,
}

impl Console {
    /// A session at the start of the rules, where `searcher` plays the sides of `engine`; `stop` is set by Ctrl-C.
    pub fn new(arguments: &PlayArguments, searcher: Searcher, engine: Engine, stop: StopToken) -> Console {
        Console {
            game: Game::new(arguments.rules.rules.clone()),
            redo: Vec::new(),
            searcher,
            strength: arguments.search.clone(),
            engine,
            verbose: if arguments.quiet { 0 } else { 1 },
            stop,
        }
    }

    /// Carries out a command.
    pub fn execute(&mut self, command: Command) -> Executed {
        self.stop.reset();
        let result = match command {
            Command::Empty => Ok(()),
            Command::Quit => return Ok(Ok(Next::Quit)),
            Command::Help(name) => help(name.as_deref())?,
            Command::Version => say(&format!("Outflank {}", env!("CARGO_PKG_VERSION")))?,
            Command::Init => self.start(Game::new(self.rules().clone()))?,
            Command::New => self.start(Game::from_position(self.game.start().clone()))?,
            Command::SetBoard(text) => match board_text::parse(&text, self.rules()) {
                Ok(position) => self.start(Game::from_position(position))?,
                Err(error) => Err(format!("setboard: {error}")),
            },
            Command::Rules(None) => say(&format!("rules: {} (`outflank rules {0}` explains them)", self.rules()))?,
            Command::Rules(Some(rules)) => self.start(Game::new(rules))?,
            Command::Play(moves) => self.play(&moves)?,
            Command::Undo(count) => self.undo(count)?,
            Command::Redo(count) => self.redo(count)?,
            Command::Go => self.go()?,
            Command::Hint(count) => self.hint(count)?,
            Command::Analyze(alternatives) => self.analyze(alternatives)?,
            Command::Show => say(&view::board(&self.game))?,
            Command::Moves => say(&transcript::write(&self.game))?,
            Command::Mode(engine) => {
                self.engine = engine;
                self.engine_moves()?;
                Ok(())
            }
            Command::Save(path) => files::save(&self.game, &path),
            Command::Load(path) => match files::load(&path, self.rules()) {
                Ok(game) => self.start(game)?,
                Err(error) => Err(error),
            },
            Command::Verbose(verbose) => {
                self.verbose = verbose;
                Ok(())
            }
            strength => self.set_strength(strength)?,
        };
        Ok(result.map(|()| Next::Prompt))
    }

    fn rules(&self) -> &Arc<RuleSet> {
        self.game.position().rules()
    }

    fn set_strength(&mut self, command: Command) -> io::Result<Result<(), String>> {
        match command {
            Command::Level(None) => {
                let level = self.strength.level.unwrap_or(Level::DEFAULT);
                let stage = level.stage(u8::try_from(self.game.position().empty_count()).unwrap_or(u8::MAX));
                let now = format!("now depth {} at {}", stage.depth, stage.selectivity);
                return say(&format!("{} ({now})", levels::describe(level)));
            }
            Command::Level(level) => {
                self.strength.level = level;
                self.strength.depth = None;
            }
            Command::Depth(depth, selectivity) => {
                self.strength.depth = Some(depth);
                self.strength.selectivity = Some(selectivity);
                self.strength.level = None;
            }
            Command::Time(time) => self.strength.time = time,
            other => unreachable!("{other:?} does not set the strength"),
        }
        Ok(Ok(()))
    }

    /// Begins another game.
    fn start(&mut self, game: Game) -> io::Result<Result<(), String>> {
        self.game = game;
        self.redo.clear();
        self.show_board()?;
        self.engine_moves()?;
        Ok(Ok(()))
    }

    /// Plays moves as typed; those before a bad one stay played.
    fn play(&mut self, moves: &str) -> io::Result<Result<(), String>> {
        // a pass that the console has already made for a player without moves
        if notation::is_pass(moves.trim()) && self.game.moves().last() == Some(&Move::Pass) {
            return Ok(Ok(()));
        }
        let before = self.game.moves().len();
        let result = transcript::play(&mut self.game, moves).map_err(|error| error.to_string());
        if self.game.moves().len() > before {
            self.redo.clear();
            self.show_board()?;
        }
        if result.is_ok() {
            self.engine_moves()?;
        }
        Ok(result)
    }

    /// Takes back `count` moves, or as many as lead back to the player's own turn.
    fn undo(&mut self, count: usize) -> io::Result<Result<(), String>> {
        if self.game.moves().is_empty() {
            return Ok(Err("there is no move to take back".to_string()));
        }
        let mut taken = 0;
        while let Some(mv) = self.game.undo() {
            self.redo.push(mv);
            // a forced pass belongs to the move after it
            taken += usize::from(mv != Move::Pass);
            let enough = if count == 0 { taken > 0 && !self.is_engines_turn() } else { taken >= count };
            if enough {
                break;
            }
        }
        self.show_board()?;
        Ok(Ok(()))
    }

    /// Plays again `count` moves that were taken back, or as many as lead to the player's own turn.
    fn redo(&mut self, count: usize) -> io::Result<Result<(), String>> {
        if self.redo.is_empty() {
            return Ok(Err("there is no move to play again".to_string()));
        }
        let mut played = 0;
        while let Some(mv) = self.redo.pop() {
            self.game.play(mv).expect("it was legal before");
            played += usize::from(mv != Move::Pass);
            let enough = if count == 0 { played > 0 && !self.is_engines_turn() } else { played >= count };
            if enough {
                break;
            }
        }
        self.show_board()?;
        Ok(Ok(()))
    }

    fn is_engines_turn(&self) -> bool {
        let side = self.game.position().side_to_move();
        match self.engine {
            Engine::Both => true,
            Engine::None => false,
            Engine::Black => side == Color::Black,
            Engine::White => side == Color::White,
        }
    }

    /// Lets the engine move as long as it is its turn; players without a move pass by themselves meanwhile.
    pub fn engine_moves(&mut self) -> io::Result<()> {
        if self.engine == Engine::None {
            return Ok(());
        }
        while !self.game.position().is_game_over() && !self.stop.is_stopped() {
            if self.game.position().must_pass() {
                let side = self.rules().color_name(self.game.position().side_to_move()).to_string();
                self.game.play(Move::Pass).expect("a forced pass");
                if self.verbose > 0 {
                    writeln!(io::stdout(), "{side} has no move and passes")?;
                    self.show_board()?;
                }
            } else if self.is_engines_turn() {
                self.engine_move()?;
            } else {
                break;
            }
        }
        if self.stop.is_stopped() && self.engine == Engine::Both {
            self.engine = Engine::None;
            writeln!(io::stdout(), "interrupted: the engine plays no side now (mode 3)")?;
        }
        Ok(())
    }

    fn go(&mut self) -> io::Result<Result<(), String>> {
        if self.game.position().is_game_over() {
            return Ok(Err(view::result(self.game.position())));
        }
        self.engine_move()?;
        self.engine_moves()?;
        Ok(Ok(()))
    }

    /// Searches and plays the best move.
    fn engine_move(&mut self) -> io::Result<()> {
        let report = self.search(1)?;
        let mv = report.best().map_or(Move::Pass, |line| line.mv);
        self.game.play(mv).expect("the engine plays legal moves");
        self.redo.clear();
        let name = if mv == Move::Pass { "PA".to_string() } else { format!("{mv:#}") };
        writeln!(io::stdout(), "\nOutflank plays {name}")?;
        self.show_board()
    }

    fn hint(&mut self, count: usize) -> io::Result<Result<(), String>> {
        if self.game.position().is_game_over() {
            return Ok(Err(view::result(self.game.position())));
        }
        let verbose = self.verbose;
        // the result is all that a hint is about, so it is shown even when quiet
        self.verbose = verbose.max(1);
        let result = self.search(count);
        self.verbose = verbose;
        result.map(|_| Ok(()))
    }

    /// Searches the present position and prints its table, unless quiet.
    fn search(&mut self, moves: usize) -> io::Result<Report> {
        let position = self.game.position().clone();
        let limits = Limits { multi_pv: moves, ..self.limits() };
        let (verbose, width) = (self.verbose, output::terminal_width());
        let rows = |report: &Report| -> io::Result<()> {
            for i in 0..report.lines.len() {
                let row = text::row(&position, report, report.lines.get(i), i == 0);
                writeln!(io::stdout(), "{}", text::fit(row, width))?;
            }
            Ok(())
        };
        if verbose > 0 {
            writeln!(io::stdout(), "\n{}\n{}", text::HEADER, text::RULE)?;
        }
        let live = Live::search();
        let mut last_shown = None;
        let report = best_moves(&mut self.searcher, &position, &limits, &self.stop, &mut |report| {
            live.report("", report);
            if verbose > 1 {
                // an output that is gone shows at the next line
                let _ = live.suspend(|| rows(report));
                last_shown = Some((report.depth_text(), report.lines.clone()));
            }
        });
        live.finish();
        if verbose > 0 {
            if last_shown.is_none_or(|shown| shown != (report.depth_text(), report.lines.clone())) {
                rows(&report)?;
            }
            writeln!(io::stdout(), "{}", text::RULE)?;
        }
        Ok(report)
    }

    fn limits(&self) -> Limits {
        self.strength.limits(Goal::Level(Level::DEFAULT))
    }

    fn analyze(&mut self, alternatives: usize) -> io::Result<Result<(), String>> {
        let live = Live::bar(self.game.moves().len() as u64);
        let limits = self.limits();
        let review = review::review(&mut self.searcher, &self.game, &limits, alternatives, &self.stop, &mut |one| {
            live.position((self.game.moves().len() - one.ply + 1) as u64);
        });
        live.finish();
        write!(io::stdout(), "{}", text::reviewed_game(&self.game, &review))?;
        Ok(Ok(()))
    }

    /// Shows the board, unless quiet.
    pub fn show_board(&self) -> io::Result<()> {
        if self.verbose > 0 {
            writeln!(io::stdout(), "\n{}", view::board(&self.game))?;
        }
        Ok(())
    }
}

fn say(text: &str) -> io::Result<Result<(), String>> {
    writeln!(io::stdout(), "{text}")?;
    Ok(Ok(()))
}

fn help(name: Option<&str>) -> io::Result<Result<(), String>> {
    let mut out = io::stdout().lock();
    let mut write = |entry: &command::Entry| {
        let usage = format!("{} {}", entry.names[0], entry.arguments);
        let others = match &entry.names[1..] {
            [] => String::new(),
            names => format!(" (also: {})", names.join(", ")),
        };
        writeln!(out, "  {usage:<20} {}{others}", entry.help)
    };
    match name.map(command::find) {
        None => command::ENTRIES.iter().try_for_each(write)?,
        Some(Some(entry)) => write(entry)?,
        Some(None) => return Ok(Err(format!("help: there is no command '{}'", name.unwrap_or_default()))),
    }
    Ok(Ok(()))
}
