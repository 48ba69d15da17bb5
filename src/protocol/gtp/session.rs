//! A GTP session's state, and what is no matter of the game.

use std::sync::Arc;

use std::time::Duration;

use super::super::Config;
use super::{COMMANDS, Error, find, is_number};
use crate::game::Game;
use crate::play::{Overhead, Player};
use crate::rules::{Color, Position, RuleSet};
use crate::search::{Limits, Report, StopToken};

/// A GTP session: the player with the game it mirrors, and how to take commands back.
#[derive(Debug)]
pub struct Session {
    pub(super) player: Player,
    /// The rules that the client has asked for: whatever begins another game goes by them, also after one of a file with rules of its
    /// own.
    asked: Arc<RuleSet>,
    /// For each command that `undo` takes back, the game before it; `None` where it changed nothing, of which a client may send
    /// any number after the end of the game.
    pub(super) history: Vec<Option<Box<Game>>>,
    quit: bool,
}

impl Session {
    /// A session at the start of a game. The engine's tables come with its first search.
    pub fn new(config: Config) -> Session {
        let asked = Arc::clone(&config.rules);
        Session { player: config.player(Overhead::PIPE), asked, history: Vec::new(), quit: false }
    }

    /// The token that interrupts a search from another thread. It stays set: reset it before the next command.
    pub fn stop_token(&self) -> StopToken {
        self.player.stop_token()
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

    /// Thinks on the opponent's time, if that is switched on and the engine has just moved. To be called when the answer has
    /// been sent.
    pub fn ponder(&mut self) {
        self.player.ponder();
    }

    /// The player behind the session.
    pub fn player(&self) -> &Player {
        &self.player
    }

    pub(super) fn position(&self) -> &Position {
        self.player.position()
    }

    /// The rules in force.
    pub(super) fn rules(&self) -> &Arc<RuleSet> {
        self.position().rules()
    }

    /// The rules of games that begin without others of their own.
    pub(super) fn asked_rules(&self) -> &Arc<RuleSet> {
        &self.asked
    }

    /// Begins a game by the rules asked for.
    pub(super) fn begin(&mut self) {
        self.restart(Game::new(Arc::clone(&self.asked)));
    }

    /// The client asks for these rules: a game by them begins.
    pub(super) fn begin_by(&mut self, rules: Arc<RuleSet>) {
        self.asked = rules;
        self.begin();
    }

    /// Goes on with this game, as a step that `undo` takes back.
    pub(super) fn advance(&mut self, next: Game) {
        let before = self.player.game().clone();
        self.player.set_game(next);
        self.remember(before);
    }

    /// The last command is a step that `undo` takes back to this game.
    pub(super) fn remember(&mut self, before: Game) {
        let changed = before != *self.player.game();
        self.history.push(changed.then(|| Box::new(before)));
    }

    /// Starts over: nothing can be taken back, the clocks are at their start.
    pub(super) fn restart(&mut self, game: Game) {
        self.history.clear();
        self.player.start_game(game);
    }

    /// Charges a side for the time since `elapsed` began.
    pub(super) fn charge(&mut self, side: Color, elapsed: Duration) {
        self.player.spend(side, elapsed);
    }

    /// The grade or the level.
    pub(super) fn strength_name(&self) -> String {
        let strength = self.player.strength();
        strength.grade.map_or_else(|| strength.named_level().get().to_string(), |grade| grade.to_string())
    }

    /// Searches the present position for the values of this many moves; no clock limits it.
    pub(super) fn analyze(&mut self, moves: usize) -> Result<Report, Error> {
        let limits = Limits { multi_pv: moves, ..self.player.analysis_limits() };
        let (position, stop) = (self.position().clone(), self.stop_token());
        let searched = self.player.engine().search(&position, &limits, &stop, &mut |_| {});
        searched.map_err(|error| Error::Other(error.to_string()))
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
    let seconds = cpu_seconds().map_err(|error| Error::Other(format!("no CPU time: {error}")))?;
    Ok(format!("{seconds:.3}"))
}

#[cfg(not(target_family = "wasm"))]
fn cpu_seconds() -> std::io::Result<f64> {
    cpu_time::ProcessTime::try_now().map(|time| time.as_duration().as_secs_f64())
}

#[cfg(target_family = "wasm")]
fn cpu_seconds() -> std::io::Result<f64> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;

    /// A client may send passes for ever after the end of the game, and take each of them back.
    #[test]
    fn commands_that_change_nothing_keep_no_games() {
        let mut session = Session::new(Config::default());
        let mut say = |line: &str| session.answer(line).unwrap();
        assert_eq!(
            say("outflank-setboard XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO X"),
            "=\n\n"
        );
        for line in ["play b pass", "play w pass", "genmove b", "genmove w"] {
            assert!(say(line).starts_with('='), "{line}");
        }
        assert!(session.history[session.history.len() - 4..].iter().all(Option::is_none));
        let before = session.player.game().clone();
        for line in ["undo", "gg-undo 3"] {
            assert!(session.answer(line).unwrap().starts_with('='), "{line}");
        }
        assert_eq!(before, *session.player.game());
    }

    /// The engine may be short of memory; no table of this size is another reason.
    #[test]
    fn a_move_that_cannot_be_searched_changes_nothing() {
        let options = Options { hash_mib: 0, threads: 1 };
        let mut session = Session::new(Config { options, ..Config::default() });
        for command in ["genmove w", "reg_genmove w"] {
            assert!(session.answer(command).unwrap().starts_with("? "), "{command}");
            assert_eq!(session.answer("gogui-rules_side_to_move").unwrap(), "= black\n\n", "{command}");
        }
        assert_eq!(session.answer("undo").unwrap(), "? cannot undo\n\n");
    }

    /// `gogui-setup_player` is no step of its own: whoever takes back the one before it has the side to move back that it had.
    #[test]
    fn a_side_that_was_set_behind_a_command_without_effect_is_taken_back_with_it() {
        let mut session = Session::new(Config::default());
        let over = "outflank-setboard XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO X";
        for line in [over, "play b pass", "play b pass", "gogui-setup_player w"] {
            assert!(session.answer(line).unwrap().starts_with('='), "{line}");
        }
        for turn in ["white", "black", "black"] {
            assert_eq!(session.answer("gogui-rules_side_to_move").unwrap(), format!("= {turn}\n\n"));
            session.answer("undo");
        }
    }
}
