//! Configurations of this engine as players inside the process.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::player::{Allowance, Choice, Failure, FailureKind, GameSetup, Player, PlayerError};
use super::spec::{EngineConfig, PlayerContext};
use crate::engine::Engine;
use crate::game::Game;
use crate::play::{self, OpeningBook, Overhead, PlayerOptions, Strength, Variety};
use crate::rules::{Move, Position};
use crate::search::StopToken;

/// How long a search has to return after being stopped.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// A configuration of this engine. Every game begins with an empty table, so that at fixed depth, level or nodes
/// and one thread the games do not depend on which were played before.
pub(super) struct EnginePlayer {
    name: String,
    config: EngineConfig,
    strength: Strength,
    stop: StopToken,
    /// Its engine thinks on a thread of its own, so that a search that does not return cannot hold up the referee.
    player: Option<play::Player>,
}

impl EnginePlayer {
    pub(super) fn new(name: String, config: EngineConfig, context: &PlayerContext) -> EnginePlayer {
        let nodes = config.nodes.or(if config.goal.is_none() { context.nodes } else { None });
        let goal = config.goal.or(if config.nodes.is_none() { context.goal } else { None });
        let strength = Strength { goal, nodes, time: config.time, grade: config.grade };
        EnginePlayer { name, config, strength, stop: context.stop.clone(), player: None }
    }

    /// A player with an engine of its own.
    fn make(&self) -> Result<play::Player, PlayerError> {
        let mut engine = Engine::new(self.config.options.clone()).with_weights(self.config.weights.clone());
        // a table that does not fit is an error of the configuration, not a crash
        engine.allocate().map_err(|error| PlayerError::Start(error.to_string()))?;
        let options =
            PlayerOptions { strength: self.strength.clone(), overhead: Overhead::THREAD, ..PlayerOptions::default() };
        Ok(play::Player::new(engine, Game::default(), options))
    }

    /// The engine's thread has panicked: nothing that belongs to it is touched again.
    fn crash(&mut self) -> PlayerError {
        std::mem::forget(self.player.take());
        Failure::new(FailureKind::Crash, "the engine's thread panicked").into()
    }

    /// Stops the search; a late answer is thrown away, and so is an engine that does not even stop: waiting for its
    /// thread would hold up the match.
    fn abandon(&mut self, answers: &Receiver<Answer>) {
        let Some(player) = &self.player else { return };
        player.token().stop();
        if answers.recv_timeout(STOP_PATIENCE).is_err() {
            std::mem::forget(self.player.take());
        }
    }
}

/// What the engine's thread answers.
type Answer = Result<play::Choice, String>;

impl Player for EnginePlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn start_game(&mut self, setup: &GameSetup<'_>) -> Result<(), PlayerError> {
        let mut player = match self.player.take() {
            Some(player) => player,
            None => self.make()?,
        };
        player.forget();
        if let Some(nodes) = &self.config.book_file {
            let (nodes, choosing) = (Arc::clone(nodes), self.config.choosing);
            player.set_book(Some(OpeningBook { nodes, choosing, seed: setup.seed }));
        }
        player.set_variety(self.config.variety.map(|discs| Variety { discs, ..Variety::default() }));
        // after the variety, which has a seed of its own
        player.set_seed(setup.seed);
        player.set_game(Game::from_position(setup.start.clone()));
        // tables are there before the first clock runs
        player.engine().prepare(setup.start);
        self.player = Some(player);
        Ok(())
    }

    fn choose(&mut self, game: &Game, allowance: &Allowance) -> Result<Choice, PlayerError> {
        let until = Instant::now() + allowance.patience;
        let (sender, answers) = channel();
        let Some(player) = &mut self.player else { return Err(self.crash()) };
        player.set_game(game.clone());
        player.set_clock(game.position().side_to_move(), allowance.clock);
        player.start(Box::new(|_| Ok(())), move |choice| {
            // nobody listens any more to an engine that was given up
            let _ = sender.send(choice.cloned().map_err(ToString::to_string));
            Ok(())
        });
        loop {
            let wait = until.saturating_duration_since(Instant::now()).min(Duration::from_millis(50));
            match answers.recv_timeout(wait) {
                Ok(Ok(choice)) => return Ok(choice_of(&choice)),
                Ok(Err(error)) => return Err(PlayerError::Start(error)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.crash()),
                Err(RecvTimeoutError::Timeout) if self.stop.is_stopped() => {
                    self.abandon(&answers);
                    return Err(PlayerError::Stopped);
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                    self.abandon(&answers);
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

/// The referee's form of a choice.
fn choice_of(choice: &play::Choice) -> Choice {
    let report = choice.report.as_ref();
    Choice {
        mv: choice.mv,
        score: report.map(|report| f64::from(report.score)),
        depth: report.map(|report| report.depth),
        nodes: report.map(|report| report.nodes),
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::{PlayerKind, PlayerSpec};
    use super::*;
    use crate::play::clock::{RunningClock, TimeControl};
    use crate::rules::Color;

    fn player(text: &str, stop: &StopToken) -> EnginePlayer {
        let spec: PlayerSpec = text.parse().unwrap();
        let PlayerKind::Engine(config) = &spec.kind else { panic!("{text} is no engine") };
        let patience = Duration::from_secs(1);
        let context =
            PlayerContext { stop: stop.clone(), goal: None, nodes: None, control: TimeControl::None, patience };
        EnginePlayer::new("engine".to_string(), config.clone(), &context)
    }

    fn begin(player: &mut EnginePlayer, start: &Position) {
        let setup = GameSetup { start, opening: &[], color: Color::Black, control: TimeControl::None, seed: 1 };
        player.start_game(&setup).unwrap();
    }

    #[test]
    fn varied_games_follow_from_the_seed() {
        let mut player = player("outflank,level=1,variety=6,hash=1", &StopToken::new());
        let mut play = |seed| {
            let start = Position::default();
            let setup =
                GameSetup { start: &start, opening: &[], color: Color::Black, control: TimeControl::None, seed };
            player.start_game(&setup).unwrap();
            let mut game = Game::from_position(start.clone());
            for _ in 0..6 {
                let clock = RunningClock::new(TimeControl::None);
                let choice = player.choose(&game, &Allowance { clock, patience: Duration::from_secs(600) }).unwrap();
                game.play(choice.mv).unwrap();
            }
            game
        };
        let games: Vec<Game> = (1..=6).map(&mut play).collect();
        assert!(games.iter().any(|game| *game != games[0]), "six seeds, one game: {games:?}");
        assert_eq!((1..=6).map(&mut play).collect::<Vec<_>>(), games);
    }

    /// Whether the engine that thinks on is stopped: nothing of it is left to wait for.
    #[test]
    fn searches_that_nobody_waits_for_are_stopped() {
        let (game, begun) = (Game::default(), Instant::now());
        let choose = |player: &mut EnginePlayer, patience| {
            let allowance = Allowance { clock: RunningClock::new(TimeControl::None), patience };
            player.choose(&game, &allowance)
        };
        let mut slow = player("outflank,depth=60,hash=1", &StopToken::new());
        for _ in 0..2 {
            begin(&mut slow, game.start());
            let Err(PlayerError::Failure(failure)) = choose(&mut slow, Duration::from_millis(200)) else {
                panic!("60 plies in no time")
            };
            assert_eq!((failure.kind, failure.detail.as_str()), (FailureKind::Hang, "no move within 0.2 s"));
        }
        drop(slow);
        let stop = StopToken::new();
        let mut stopped = player("outflank,depth=60,hash=1", &stop);
        begin(&mut stopped, game.start());
        stop.stop();
        assert_eq!(choose(&mut stopped, Duration::from_secs(600)), Err(PlayerError::Stopped));
        drop(stopped);
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
        // and one that is quick enough answers
        let mut quick = player("outflank,depth=2,hash=1", &StopToken::new());
        begin(&mut quick, game.start());
        let choice = choose(&mut quick, Duration::from_secs(600)).unwrap();
        assert!(game.position().is_legal(choice.mv) && choice.depth == Some(2) && choice.nodes > Some(3), "{choice:?}");
    }
}
