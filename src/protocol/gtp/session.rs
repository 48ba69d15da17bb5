//! A GTP session's state, and what is no matter of the game.

use std::fmt::Write;
use std::sync::Arc;

use super::super::{Config, clock::Clocks};
use super::{COMMANDS, Error, find, is_number};
use crate::engine::Engine;
use crate::rules::{Position, RuleSet};
use crate::search::{Goal, Level, Limits, Report, StopToken};

/// A GTP session: the engine, the position it mirrors, and how to take moves back.
#[derive(Debug)]
pub struct Session {
    pub(super) engine: Engine,
    pub(super) level: Level,
    pub(super) position: Position,
    /// For each command that `undo` takes back, the position before it.
    pub(super) history: Vec<Position>,
    pub(super) clocks: Clocks,
    stop: StopToken,
    quit: bool,
}

impl Session {
    /// A session at the start of a game. The engine's tables come with its first search.
    pub fn new(config: Config) -> Session {
        Session {
            engine: Engine::new(config.options).with_weights(config.weights),
            level: config.level,
            position: Position::start(config.rules),
            history: Vec::new(),
            clocks: Clocks::default(),
            stop: StopToken::new(),
            quit: false,
        }
    }

    /// The token that interrupts a search from another thread. It stays set: reset it before the next command.
    pub fn stop_token(&self) -> StopToken {
        self.stop.clone()
    }

    /// The client has said `quit`.
    pub fn has_quit(&self) -> bool {
        self.quit
    }

    /// The answer to a line, with the empty line that ends it; `None` for lines that are empty or only a comment.
    pub fn answer(&mut self, line: &str) -> Option<String> {
        let line: String = line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace().peekable();
        words.peek()?;
        let number = words.next_if(|word| is_number(word)).unwrap_or_default();
        let name = words.next().unwrap_or_default();
        let arguments: Vec<&str> = words.collect();
        let result = find(name).ok_or(Error::UnknownCommand).and_then(|handler| handler(self, &arguments));
        let (mark, text) = match &result {
            Ok(text) => ('=', text.clone()),
            Err(error) => ('?', error.to_string()),
        };
        let space = if text.is_empty() { "" } else { " " };
        Some(format!("{mark}{number}{space}{text}\n\n"))
    }

    /// The rules in force.
    pub(super) fn rules(&self) -> &Arc<RuleSet> {
        self.position.rules()
    }

    /// Makes a position the present one, as a step that `undo` takes back.
    pub(super) fn advance(&mut self, next: Position) {
        self.history.push(std::mem::replace(&mut self.position, next));
    }

    /// Starts over from a position: nothing can be taken back, the clocks are at their start.
    pub(super) fn restart(&mut self, start: Position) {
        self.position = start;
        self.history.clear();
        self.clocks.restart();
    }

    /// Limits that only the level sets.
    pub(super) fn level_limits(&self) -> Limits {
        Limits::new(Goal::Level(self.level))
    }

    /// Searches a position.
    pub(super) fn search(&mut self, position: &Position, limits: &Limits) -> Result<Report, Error> {
        self.engine.search(position, limits, &self.stop, &mut |_| {}).map_err(|error| Error::Other(error.to_string()))
    }
}

pub(super) fn known_command(_: &mut Session, arguments: &[&str]) -> Result<String, Error> {
    let name = arguments.first().ok_or(Error::Syntax)?;
    Ok(find(name).is_some().to_string())
}

pub(super) fn list_commands(_: &mut Session, _: &[&str]) -> Result<String, Error> {
    let names: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    Ok(names.join("\n"))
}

pub(super) fn quit(session: &mut Session, _: &[&str]) -> Result<String, Error> {
    session.quit = true;
    Ok(String::new())
}

/// CPU time of the process in seconds.
pub(super) fn cputime(_: &mut Session, _: &[&str]) -> Result<String, Error> {
    let time = cpu_time::ProcessTime::try_now().map_err(|error| Error::Other(format!("no CPU time: {error}")))?;
    let mut text = String::new();
    let _ = write!(text, "{:.3}", time.as_duration().as_secs_f64());
    Ok(text)
}
