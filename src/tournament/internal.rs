//! Players inside the process: configurations of this engine, and simple reference players.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::clock::{Allowance, TimeControl};
use super::player::{Choice, Failure, FailureKind, GameSetup, Player, PlayerError};
use super::spec::{EngineConfig, PlayerContext};
use crate::engine::Engine;
use crate::game::Game;
use crate::rules::{Move, Objective, Position};
use crate::search::{Goal, Level, Limits, Report, SearchError, StopToken, Time};

/// How long a search has to return after being stopped.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

enum Request {
    NewGame,
    Search(Box<(Position, Limits)>),
}

/// The thread that an engine lives on, so that a search that does not return cannot hold up the referee.
struct Worker {
    requests: Sender<Request>,
    reports: Receiver<Result<Report, SearchError>>,
    stop: StopToken,
}

impl Worker {
    fn spawn(config: &EngineConfig) -> Result<Worker, PlayerError> {
        let mut engine = Engine::new(config.options.clone());
        if let Some(weights) = &config.weights {
            engine.set_weights(weights.clone());
        }
        // a table that does not fit is an error of the configuration, not a crash
        engine.allocate().map_err(|error| PlayerError::Start(error.to_string()))?;
        let (requests, inbox) = channel::<Request>();
        let (outbox, reports) = channel();
        let stop = StopToken::new();
        let token = stop.clone();
        thread::spawn(move || {
            for request in inbox {
                match request {
                    Request::NewGame => engine.clear(),
                    Request::Search(search) => {
                        let (position, limits) = *search;
                        let report = engine.search(&position, &limits, &token, &mut |_| ());
                        if outbox.send(report).is_err() {
                            return;
                        }
                    }
                }
            }
        });
        Ok(Worker { requests, reports, stop })
    }
}

/// A configuration of this engine. Every game begins with an empty table, so that at fixed depth, level or nodes
/// and one thread the games do not depend on which were played before.
pub(super) struct EnginePlayer {
    name: String,
    config: EngineConfig,
    limits: Limits,
    stop: StopToken,
    worker: Option<Worker>,
}

impl EnginePlayer {
    pub(super) fn new(name: String, config: EngineConfig, context: &PlayerContext) -> EnginePlayer {
        let nodes = config.nodes.or(if config.goal.is_none() { context.nodes } else { None });
        let timed = context.control != TimeControl::None || config.time.is_some() || nodes.is_some();
        let goal = config.goal.or(if config.nodes.is_none() { context.goal } else { None });
        let goal = goal.unwrap_or(if timed { Goal::Unlimited } else { Goal::Level(Level::DEFAULT) });
        let mut limits = Limits::new(goal);
        limits.nodes = nodes;
        EnginePlayer { name, config, limits, stop: context.stop.clone(), worker: None }
    }

    fn crash(&mut self) -> PlayerError {
        self.worker = None;
        Failure::new(FailureKind::Crash, "the engine's thread panicked").into()
    }

    /// Stops the search; a late report is thrown away, and so is an engine that does not even stop.
    fn abandon(&mut self) {
        if let Some(worker) = self.worker.take() {
            worker.stop.stop();
            if worker.reports.recv_timeout(STOP_PATIENCE).is_ok() {
                worker.stop.reset();
                self.worker = Some(worker);
            }
        }
    }
}

impl Player for EnginePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn start_game(&mut self, _setup: &GameSetup<'_>) -> Result<(), PlayerError> {
        let worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::spawn(&self.config)?,
        };
        let sent = worker.requests.send(Request::NewGame).is_ok();
        self.worker = Some(worker);
        if sent { Ok(()) } else { Err(self.crash()) }
    }

    fn choose(&mut self, game: &Game, allowance: &Allowance) -> Result<Choice, PlayerError> {
        let mut limits = self.limits.clone();
        limits.time = match self.config.time {
            Some(time) => Time::PerMove(allowance.limit.map_or(time, |limit| time.min(limit))),
            None => allowance.time,
        };
        let until = Instant::now() + allowance.patience;
        let request = Request::Search(Box::new((game.position().clone(), limits)));
        if self.worker.as_ref().is_none_or(|worker| worker.requests.send(request).is_err()) {
            return Err(self.crash());
        }
        loop {
            let wait = until.saturating_duration_since(Instant::now()).min(Duration::from_millis(50));
            let Some(worker) = &self.worker else { return Err(self.crash()) };
            match worker.reports.recv_timeout(wait) {
                Ok(Ok(report)) => return choice_of(&report),
                Ok(Err(error)) => return Err(PlayerError::Start(error.to_string())),
                Err(RecvTimeoutError::Disconnected) => return Err(self.crash()),
                Err(RecvTimeoutError::Timeout) if self.stop.is_stopped() => {
                    self.abandon();
                    return Err(PlayerError::Stopped);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    self.abandon();
                    let detail = format!("no move within {:.1} s", allowance.patience.as_secs_f64());
                    return Err(Failure::new(FailureKind::Hang, detail).into());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn observe(&mut self, _before: &Position, _mv: Move, _own: bool) -> Result<(), PlayerError> {
        Ok(())
    }
}

impl Drop for EnginePlayer {
    fn drop(&mut self) {
        if let Some(worker) = &self.worker {
            worker.stop.stop();
        }
    }
}

fn choice_of(report: &Report) -> Result<Choice, PlayerError> {
    let Some(line) = report.best() else {
        return Err(Failure::new(FailureKind::Protocol, "the search found no move").into());
    };
    Ok(Choice { mv: line.mv, score: Some(f64::from(line.score)), depth: Some(report.depth), nodes: Some(report.nodes) })
}

/// What a reference player looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimpleStyle {
    /// Nothing: any legal move.
    Random,
    /// The discs after the move: as many as possible (as few under the fewest-discs objective).
    Greedy,
    /// The opponent's moves after the move: as few as possible.
    Mobility,
}

impl SimpleStyle {
    /// All of them.
    pub const ALL: [SimpleStyle; 3] = [SimpleStyle::Random, SimpleStyle::Greedy, SimpleStyle::Mobility];

    /// The name in player texts.
    pub const fn name(self) -> &'static str {
        match self {
            SimpleStyle::Random => "random",
            SimpleStyle::Greedy => "greedy",
            SimpleStyle::Mobility => "mobility",
        }
    }

    fn value(self, position: &Position, mv: Move) -> i32 {
        match self {
            SimpleStyle::Random => 0,
            SimpleStyle::Greedy => match position.rules().objective() {
                Objective::Most => position.flips(mv).count() as i32,
                Objective::Fewest => -(position.flips(mv).count() as i32),
            },
            SimpleStyle::Mobility => position.play(mv).map_or(i32::MIN, |next| {
                // no answer is better than any number of answers
                if next.can_place(next.side_to_move()) { -(next.legal_moves().len() as i32) } else { 1 }
            }),
        }
    }
}

/// A reference player: the best move by a simple rule, at random among equals.
pub(super) struct SimplePlayer {
    name: String,
    style: SimpleStyle,
    rng: StdRng,
}

impl SimplePlayer {
    pub(super) fn new(name: String, style: SimpleStyle) -> SimplePlayer {
        SimplePlayer { name, style, rng: StdRng::seed_from_u64(0) }
    }
}

impl Player for SimplePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn start_game(&mut self, setup: &GameSetup<'_>) -> Result<(), PlayerError> {
        self.rng = StdRng::seed_from_u64(setup.seed);
        Ok(())
    }

    fn choose(&mut self, game: &Game, _allowance: &Allowance) -> Result<Choice, PlayerError> {
        let position = game.position();
        let valued: Vec<(i32, Move)> =
            position.legal_moves().into_iter().map(|mv| (self.style.value(position, mv), mv)).collect();
        let best = valued.iter().map(|&(value, _)| value).max();
        let moves: Vec<Move> = valued.iter().filter(|&&(value, _)| Some(value) == best).map(|&(_, mv)| mv).collect();
        match moves.choose(&mut self.rng) {
            Some(&mv) => Ok(mv.into()),
            None => Err(Failure::new(FailureKind::Protocol, "no legal move").into()),
        }
    }

    fn observe(&mut self, _before: &Position, _mv: Move, _own: bool) -> Result<(), PlayerError> {
        Ok(())
    }
}
