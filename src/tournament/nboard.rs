//! A player behind the NBoard protocol (version 2): Othello on 8x8.
//!
//! The program mirrors the position it is shown and never changes it by itself: its own choices are sent back
//! as moves too. There is no clock in the protocol; the referee measures all the same.

use std::time::{Duration, Instant};

use super::player::{Allowance, Choice, Failure, FailureKind, GameSetup, NAME_LENGTH, Player, PlayerError, plain_text};
use super::process::{NoLine, Process, Program};
use super::spec::{ExternalConfig, PlayerContext};
use crate::formats::record::GameRecord;
use crate::formats::{ggf, parse_move};
use crate::game::Game;
use crate::play::clock::TimeControl;
use crate::rules::{Flips, Move, Objective, Position, RuleSet, Shape, Start, Supply};
use crate::search::StopToken;

/// Characters sent back of what a program says behind its move: evaluation and time are about twenty.
const REMARKS_LENGTH: usize = 100;

/// A player behind the NBoard protocol.
pub(super) struct NBoardPlayer {
    config: ExternalConfig,
    name: String,
    named: bool,
    process: Option<Process>,
    pings: u32,
    /// The text after the move of the last `===`, to be sent back with it.
    remarks: String,
    stop: StopToken,
    patience: Duration,
}

impl NBoardPlayer {
    pub(super) fn new(
        name: Option<String>,
        config: ExternalConfig,
        context: &PlayerContext,
    ) -> Result<NBoardPlayer, PlayerError> {
        let mut player = NBoardPlayer {
            named: name.is_some(),
            name: name.unwrap_or_else(|| config.command[0].clone()),
            config,
            process: None,
            pings: 0,
            remarks: String::new(),
            stop: context.stop.clone(),
            patience: context.patience,
        };
        player.start()?;
        Ok(player)
    }

    fn send(&mut self, line: &str) -> Result<(), PlayerError> {
        log::debug!("{} > {line}", self.name);
        let sent = self.process.as_mut().map_or(Err(NoLine::Closed), |process| process.send(line));
        sent.map_err(|reason| self.lost(reason, line, Duration::ZERO))
    }

    /// Waits for a line that begins with a word and returns the rest of it; takes the name if it passes by.
    fn expect(&mut self, word: &str, request: &str, patience: Duration) -> Result<String, PlayerError> {
        let until = Instant::now() + patience;
        loop {
            let Some(process) = &mut self.process else { return Err(self.lost(NoLine::Closed, request, patience)) };
            let line = match process.read_line(until, &self.stop) {
                Ok(line) => line,
                Err(reason) => return Err(self.lost(reason, request, patience)),
            };
            log::debug!("{} < {line}", self.name);
            if let Some(name) = line.strip_prefix("set myname ") {
                let name = plain_text(name, NAME_LENGTH);
                if !self.named && !name.is_empty() {
                    self.name = name;
                }
            } else if let Some(rest) = line.strip_prefix(word) {
                return Ok(rest.trim().to_string());
            }
        }
    }

    /// Waits until the program has dealt with everything sent so far.
    fn synchronise(&mut self) -> Result<(), PlayerError> {
        self.pings += 1;
        let (ping, pong) = (format!("ping {}", self.pings), format!("pong {}", self.pings));
        self.send(&ping)?;
        self.expect(&pong, &ping, self.patience).map(drop)
    }

    /// The program gave no answer: forgets it and says why.
    fn lost(&mut self, reason: NoLine, request: &str, patience: Duration) -> PlayerError {
        // games and remarks are long: the word says enough
        let word = request.split_whitespace().next().unwrap_or_default();
        Process::lost(self.process.take(), reason, word, patience)
    }
}

/// The protocol's boards and games: 8x8 from any crossed, parallel or explicit start.
fn can_play(rules: &RuleSet) -> bool {
    (rules.rows(), rules.columns(), rules.shape()) == (8, 8, Shape::Rectangle)
        && rules.flips() == Flips::All
        && rules.supply() == Supply::Shared
        && rules.objective() == Objective::Most
        && *rules.start() != Start::Placement
}

/// The game so far on one line, as `set game` wants it.
fn game_line(setup: &GameSetup<'_>) -> Result<String, PlayerError> {
    let mut game = Game::from_position(setup.start.clone());
    for &mv in setup.opening {
        game.play(mv).map_err(|error| Failure::new(FailureKind::Protocol, error.to_string()))?;
    }
    let mut record = GameRecord::new(game);
    if let TimeControl::Game { main, increment } = setup.control {
        let clock = |time: Duration| format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60);
        let text = format!("{}/{}", clock(main), clock(increment));
        record.players.iter_mut().for_each(|player| player.clock = Some(text.clone()));
    }
    Ok(ggf::write(&record))
}

impl Program for NBoardPlayer {
    fn config(&self) -> &ExternalConfig {
        &self.config
    }

    fn process(&mut self) -> &mut Option<Process> {
        &mut self.process
    }

    fn greet(&mut self) -> Result<(), PlayerError> {
        self.send("nboard 2")?;
        if let Some(level) = self.config.level {
            self.send(&format!("set depth {level}"))?;
        }
        self.synchronise()
    }
}

impl Player for NBoardPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn start_game(&mut self, setup: &GameSetup<'_>) -> Result<(), PlayerError> {
        if !can_play(setup.start.rules()) {
            return Err(PlayerError::Start(format!("{}: the NBoard protocol is for Othello on 8x8", self.name)));
        }
        self.revive()?;
        self.send(&format!("set game {}", game_line(setup)?))?;
        self.synchronise()
    }

    fn choose(&mut self, game: &Game, allowance: &Allowance) -> Result<Choice, PlayerError> {
        self.send("go")?;
        let answer = self.expect("===", "go", allowance.patience)?;
        // `F5/1.50/0.1`, `F5//0.1`, or with blanks
        let mut fields = answer.split(['/', ' ']);
        let text = fields.next().unwrap_or_default();
        self.remarks =
            answer[text.len()..].chars().take(REMARKS_LENGTH).map(|c| if c == ' ' { '/' } else { c }).collect();
        let mv =
            parse_move(game.position(), text).map_err(|error| Failure::new(FailureKind::Illegal, error.to_string()))?;
        let score = fields.next().and_then(|score| score.parse().ok()).filter(|score: &f64| score.is_finite());
        Ok(Choice { score, ..Choice::from(mv) })
    }

    fn observe(&mut self, _before: &Position, mv: Move, own: bool) -> Result<(), PlayerError> {
        let remarks = if own && mv != Move::Pass { std::mem::take(&mut self.remarks) } else { String::new() };
        self.send(&format!("move {}{remarks}", ggf::move_text(mv)))?;
        self.synchronise()
    }
}

impl Drop for NBoardPlayer {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            process.quit("quit");
        }
    }
}
