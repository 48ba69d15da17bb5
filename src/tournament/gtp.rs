//! A player behind the Go Text Protocol.
//!
//! The dialects of the programs in use differ in small ways, which are found out by trying:
//! - passes: most accept or need `play COLOUR pass`, gtp-rhino refuses it and takes the next move of the same
//!   colour as a sign of the pass (see [`PassDialect`]); nobody is ever asked for a move where only a pass is legal;
//! - clocks: whole seconds are safe everywhere, fractions are sent until the program refuses one. `time_settings M B S`
//!   means B seconds for S moves; with S = 0 and B > 0 it is an increment, as the engines of this field read it.
//!   `time_left` is sent to the player whose turn it is, right before `genmove`;
//! - squares are in upper case, and on boards wider than 8 the letter `i` is left out, as GTP has it;
//! - framing: text outside of a reply is ignored, an id after `=` or `?` too.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::player::{Allowance, Choice, Failure, FailureKind, GameSetup, NAME_LENGTH, Player, PlayerError, plain_text};
use super::process::{NoLine, Process, Program, REPLY_LIMIT};
use super::spec::{ExternalConfig, PassDialect, PlayerContext};
use crate::formats::gtp_notation::{MoveError, format_move, parse_move};
use crate::game::Game;
use crate::play::clock::TimeControl;
use crate::rules::{Color, Flips, Move, Objective, Position, RuleSet, Shape, Start, Supply};
use crate::search::StopToken;

/// A player behind the Go Text Protocol.
pub(super) struct GtpPlayer {
    config: ExternalConfig,
    name: String,
    process: Option<Process>,
    /// What `list_commands` named; empty when the program has no such command.
    commands: HashSet<String>,
    sends_passes: bool,
    sends_fractions: bool,
    sends_clock: bool,
    /// The rules the running program was told about.
    rules: Option<RuleSet>,
    stop: StopToken,
    patience: Duration,
}

enum Reply {
    Done(String),
    Refused(String),
}

impl GtpPlayer {
    pub(super) fn new(
        name: Option<String>,
        config: ExternalConfig,
        context: &PlayerContext,
    ) -> Result<GtpPlayer, PlayerError> {
        let mut player = GtpPlayer {
            sends_passes: config.passes != PassDialect::Omit,
            name: name.clone().unwrap_or_else(|| config.command[0].clone()),
            config,
            process: None,
            commands: HashSet::new(),
            sends_fractions: true,
            sends_clock: true,
            rules: None,
            stop: context.stop.clone(),
            patience: context.patience,
        };
        player.start()?;
        if name.is_none() {
            if let Ok(Reply::Done(own)) = player.request("name", context.patience) {
                player.name = plain_text(own.lines().next().unwrap_or_default(), NAME_LENGTH);
            }
            if player.name.is_empty() {
                player.name = player.config.command[0].clone();
            }
        }
        Ok(player)
    }

    /// The command is in the program's list, or it gave no list.
    fn knows(&self, command: &str) -> bool {
        self.commands.is_empty() || self.commands.contains(command)
    }

    /// Sends a command and waits for its reply.
    fn request(&mut self, command: &str, patience: Duration) -> Result<Reply, PlayerError> {
        let until = Instant::now() + patience;
        log::debug!("{} > {command}", self.name);
        let Some(process) = &mut self.process else {
            return Err(Failure::new(FailureKind::Crash, "the program is not running").into());
        };
        if let Err(reason) = process.send(command) {
            return Err(self.lost(reason, command, patience));
        }
        let mut reply: Option<(bool, Vec<String>)> = None;
        let mut length = 0;
        loop {
            let line = match process.read_line(until, &self.stop) {
                Ok(line) => line,
                // a program that ends right after its answer, as after `quit`, may leave the empty line out
                Err(NoLine::Closed) if reply.is_some() => String::new(),
                Err(reason) => return Err(self.lost(reason, command, patience)),
            };
            log::debug!("{} < {line}", self.name);
            match &mut reply {
                None => {
                    let line = line.trim_start();
                    let done = line.starts_with('=');
                    if done || line.starts_with('?') {
                        let text = line[1..].trim_start_matches(|c: char| c.is_ascii_digit());
                        reply = Some((done, vec![text.trim().to_string()]));
                    }
                }
                Some((done, lines)) if line.trim().is_empty() => {
                    let text = lines.join("\n");
                    return Ok(if *done { Reply::Done(text) } else { Reply::Refused(text) });
                }
                Some((_, lines)) => {
                    length += line.len() + 1;
                    if length > REPLY_LIMIT {
                        return Err(self.lost(NoLine::TooLong, command, patience));
                    }
                    lines.push(line.trim_end().to_string());
                }
            }
        }
    }

    /// The program gave no answer: forgets it and says why.
    fn lost(&mut self, reason: NoLine, command: &str, patience: Duration) -> PlayerError {
        Process::lost(self.process.take(), reason, command, patience)
    }

    /// Sends a command that must succeed.
    fn demand(&mut self, command: &str) -> Result<String, PlayerError> {
        match self.request(command, self.patience)? {
            Reply::Done(text) => Ok(text),
            Reply::Refused(text) => {
                Err(Failure::new(FailureKind::Protocol, format!("'{command}' was refused: {text}")).into())
            }
        }
    }

    /// Tells the program the rules if it has not heard them yet.
    fn announce_rules(&mut self, rules: &RuleSet) -> Result<(), PlayerError> {
        if self.rules.as_ref() == Some(rules) {
            return Ok(());
        }
        let plain = *rules.start() == Start::Crossed
            && (rules.shape(), rules.corners()) == (Shape::Rectangle, 0)
            && rules.flips() == Flips::All
            && rules.supply() == Supply::Shared
            && rules.objective() == Objective::Most
            && rules.rows() == rules.columns();
        // a size alone says neither what equal counts are nor, of an odd one, where the first discs stand
        let command = if self.knows(RULES_COMMAND) && !self.commands.is_empty() {
            format!("{RULES_COMMAND} {rules}")
        } else if plain {
            format!("boardsize {}", rules.rows())
        } else {
            return Err(PlayerError::Start(format!("{} cannot be told the rules '{rules}' over GTP", self.name)));
        };
        match self.request(&command, self.patience)? {
            Reply::Done(_) => {
                self.rules = Some(rules.clone());
                Ok(())
            }
            Reply::Refused(text) => {
                let text = plain_text(&text, NAME_LENGTH);
                Err(PlayerError::Start(format!("{} refuses '{command}': {text}", self.name)))
            }
        }
    }

    fn send_time_settings(&mut self, control: TimeControl) -> Result<(), PlayerError> {
        let Some((main, period, moves)) = control.to_gtp() else { return Ok(()) };
        if !self.sends_clock || !self.knows("time_settings") {
            return Ok(());
        }
        let accepted =
            self.send_seconds(&[main, period], |texts| format!("time_settings {} {} {moves}", texts[0], texts[1]))?;
        if !accepted {
            log::warn!("{} refuses time_settings: it plays without knowing its clock", self.name);
            self.sends_clock = false;
        }
        Ok(())
    }

    fn send_time_left(&mut self, color: Color, allowance: &Allowance) -> Result<(), PlayerError> {
        let Some(remaining) = allowance.clock.remaining() else { return Ok(()) };
        let moves = match allowance.clock.control() {
            TimeControl::PerMove(_) => 1,
            _ => allowance.clock.moves().unwrap_or(0),
        };
        if self.sends_clock && self.knows("time_left") {
            self.send_seconds(&[remaining], |texts| format!("time_left {} {} {moves}", color.name(), texts[0]))?;
        }
        Ok(())
    }

    /// Sends a command with times in it: with fractions of seconds where there are any, then, if the program
    /// refuses, in whole seconds (rounded down, so that it never believes to have more than it has). Says
    /// whether it was accepted.
    fn send_seconds(&mut self, times: &[Duration], command: impl Fn(&[String]) -> String) -> Result<bool, PlayerError> {
        let whole: Vec<String> = times.iter().map(|time| time.as_secs().to_string()).collect();
        let exact: Vec<String> = times
            .iter()
            .zip(&whole)
            .map(
                |(time, whole)| {
                    if time.subsec_nanos() == 0 { whole.clone() } else { format!("{:.3}", time.as_secs_f64()) }
                },
            )
            .collect();
        if self.sends_fractions && exact != whole {
            if let Reply::Done(_) = self.request(&command(&exact), self.patience)? {
                return Ok(true);
            }
            self.sends_fractions = false;
        }
        if times.iter().all(|time| time.as_secs() == 0) && times.iter().any(|time| !time.is_zero()) {
            // "no seconds" would say something else
            return Ok(false);
        }
        Ok(matches!(self.request(&command(&whole), self.patience)?, Reply::Done(_)))
    }

    /// Tells the program of a move by somebody.
    fn send_move(&mut self, before: &Position, mv: Move) -> Result<(), PlayerError> {
        let (color, columns) = (before.side_to_move(), before.rules().columns());
        let command = format!("play {} {}", color.name(), format_move(mv, columns));
        if mv != Move::Pass {
            return self.demand(&command).map(drop);
        }
        if !self.sends_passes {
            return Ok(());
        }
        match self.request(&command, self.patience)? {
            Reply::Refused(text) if self.config.passes == PassDialect::Send => {
                Err(Failure::new(FailureKind::Protocol, format!("'{command}' was refused: {text}")).into())
            }
            Reply::Refused(_) => {
                self.sends_passes = false;
                Ok(())
            }
            Reply::Done(_) => Ok(()),
        }
    }
}

/// Outflank's own GTP command that selects a rule set.
const RULES_COMMAND: &str = "outflank-rules";

impl Program for GtpPlayer {
    fn config(&self) -> &ExternalConfig {
        &self.config
    }

    fn process(&mut self) -> &mut Option<Process> {
        &mut self.process
    }

    fn greet(&mut self) -> Result<(), PlayerError> {
        self.rules = None;
        match self.request("protocol_version", self.patience)? {
            Reply::Done(version) if version.trim() != "2" => {
                log::warn!("{}: GTP version '{version}', expected 2", self.name);
            }
            _ => {}
        }
        if let Reply::Done(list) = self.request("list_commands", self.patience)? {
            self.commands = list.split_whitespace().map(str::to_string).collect();
        }
        if self.knows("set_game") && !self.commands.is_empty() {
            // GRhino and others are for this one game anyway: a refusal is no reason to stop
            let _ = self.request("set_game Othello", self.patience)?;
        }
        for command in self.config.init.clone() {
            self.demand(&command)?;
        }
        Ok(())
    }
}

impl Player for GtpPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn start_game(&mut self, setup: &GameSetup<'_>) -> Result<(), PlayerError> {
        self.revive()?;
        self.announce_rules(setup.start.rules())?;
        self.demand("clear_board")?;
        self.send_time_settings(setup.control)?;
        let mut position = setup.start.clone();
        for &mv in setup.opening {
            self.send_move(&position, mv)?;
            position = position.play(mv).map_err(|error| Failure::new(FailureKind::Protocol, error.to_string()))?;
        }
        Ok(())
    }

    fn choose(&mut self, game: &Game, allowance: &Allowance) -> Result<Choice, PlayerError> {
        let position = game.position();
        let color = position.side_to_move();
        self.send_time_left(color, allowance)?;
        let command = format!("genmove {}", color.name());
        let text = match self.request(&command, allowance.patience)? {
            Reply::Done(text) => text,
            Reply::Refused(text) => {
                return Err(Failure::new(FailureKind::Protocol, format!("'{command}' was refused: {text}")).into());
            }
        };
        if text.eq_ignore_ascii_case("resign") {
            return Err(Failure::new(FailureKind::Resign, "resigned").into());
        }
        parse_move(&text, position).map(Choice::from).map_err(|error| {
            let shown: String = text.chars().take(40).collect();
            let reason = match error {
                MoveError::Syntax => "is no move",
                MoveError::OffBoard => "is not on the board",
                MoveError::Ambiguous(_) => "needs a direction",
            };
            Failure::new(FailureKind::Illegal, format!("'{shown}' {reason}")).into()
        })
    }

    fn observe(&mut self, before: &Position, mv: Move, own: bool) -> Result<(), PlayerError> {
        // its own choice is on its board already; a forced pass is not, for nobody asked for it
        if own && mv != Move::Pass { Ok(()) } else { self.send_move(before, mv) }
    }
}

impl Drop for GtpPlayer {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            process.quit("quit");
        }
    }
}
