//! A whole match: pairs of games with colours swapped, several side by side.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;
use std::vec::IntoIter;

use super::factory::create_player;
use super::finished::Finished;
use super::openings::Opening;
use super::player::{Player, PlayerError};
use super::record::GameRecord;
use super::referee::{GameNumber, Referee, play_game};
use super::spec::{PlayerContext, PlayerSpec};
use super::sprt::{Sprt, Verdict};
use super::statistics::Statistics;
use crate::search::StopToken;

/// How often the caller's stop token is looked at while no game ends.
const POLL: Duration = Duration::from_millis(50);

/// The pair and the game in it.
type GameId = (usize, u8);

/// What to play.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The players; results are seen by the first.
    pub players: [PlayerSpec; 2],
    /// What the players share.
    pub context: PlayerContext,
    /// The conditions of the games.
    pub referee: Referee,
    /// One opening for each pair of games.
    pub openings: Vec<Opening>,
    /// Games side by side, at least 1.
    pub jobs: usize,
    /// The test that may end the match early.
    pub sprt: Option<Sprt>,
    /// For players that choose at random.
    pub seed: u64,
}

/// How a match ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The results, games of an earlier session included.
    pub statistics: Statistics,
    /// What the test decided.
    pub verdict: Option<Verdict>,
    /// The match was stopped before its end and before a decision.
    pub interrupted: bool,
}

/// A match that cannot go on; the games finished before are safe.
#[derive(Debug, thiserror::Error)]
pub enum MatchError<E: std::error::Error> {
    /// A player cannot be started.
    #[error("{0}")]
    Player(String),
    /// What is done with finished games failed.
    #[error(transparent)]
    Games(E),
}

/// Stops the workers when the match leaves the loop that hears them, be it because `on_game` panicked: the panic would
/// otherwise wait until they have played everything.
struct StopOnDrop<'a>(&'a StopToken);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// What a worker reports.
enum Event {
    Game(Box<GameRecord>),
    Failed(String),
}

/// Plays a match; `finished` are the games of earlier sessions of the same plan. `on_game` is called, on the
/// calling thread, after each game with the results so far.
///
/// # Errors
/// [`MatchError`] when a player cannot be started, or with what `on_game` returns.
pub fn run<E: std::error::Error>(
    plan: &Plan,
    finished: &Finished,
    on_game: &mut dyn FnMut(&GameRecord, &Statistics) -> Result<(), E>,
) -> Result<Outcome, MatchError<E>> {
    let mut statistics = finished.statistics().clone();
    let decide = |statistics: &Statistics| plan.sprt.and_then(|sprt| sprt.verdict(sprt.llr(statistics.pairs())));
    let mut verdict = decide(&statistics);
    let tasks = tasks(plan.openings.len(), finished);
    let mut left: usize = tasks.iter().map(Vec::len).sum();
    let tasks = Mutex::new(tasks.into_iter());
    // the workers have a token of their own: a decision stops them, and the caller's token stays as it is
    let mut plan = plan.clone();
    let caller = std::mem::take(&mut plan.context.stop);
    let (plan, stop) = (&plan, &plan.context.stop);
    let mut error = None;
    if verdict.is_none() {
        thread::scope(|scope| {
            let _stop = StopOnDrop(stop);
            let (sender, events) = channel();
            let start = |_| {
                let (sender, tasks) = (sender.clone(), &tasks);
                thread::Builder::new().spawn_scoped(scope, move || work(plan, tasks, &sender))
            };
            // threads that the system does not give leave their games to the others
            let (started, refused): (Vec<_>, Vec<_>) = (0..plan.jobs.max(1)).map(start).partition(Result::is_ok);
            if let Some(Err(problem)) = refused.first().filter(|_| started.is_empty()) {
                error = Some(MatchError::Player(format!("cannot start the threads: {problem}")));
            }
            drop(sender);
            loop {
                let event = events.recv_timeout(POLL);
                // whatever has come: games may end faster than anybody waits for one
                if caller.is_stopped() {
                    stop.stop();
                }
                let event = match event {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => continue,
                };
                // after a decision or an error, games still under way count no more
                if verdict.is_some() || error.is_some() {
                    continue;
                }
                match event {
                    Event::Failed(message) => error = Some(MatchError::Player(message)),
                    Event::Game(game) => {
                        left -= 1;
                        statistics.add(&game);
                        verdict = decide(&statistics);
                        error = on_game(&game, &statistics).err().map(MatchError::Games);
                    }
                }
                if verdict.is_some() || error.is_some() {
                    stop.stop();
                }
            }
        });
    }
    match error {
        Some(error) => Err(error),
        None => {
            let interrupted = verdict.is_none() && left > 0 && caller.is_stopped();
            Ok(Outcome { statistics, verdict, interrupted })
        }
    }
}

/// Plays pairs until none is left; both games of a pair on the same worker, one after the other.
fn work(plan: &Plan, tasks: &Mutex<IntoIter<Vec<GameId>>>, events: &Sender<Event>) {
    if let Err(PlayerError::Start(message)) = work_through(plan, tasks, events) {
        // the receiver outlives the workers
        let _ = events.send(Event::Failed(message));
    }
}

fn work_through(plan: &Plan, tasks: &Mutex<IntoIter<Vec<GameId>>>, events: &Sender<Event>) -> Result<(), PlayerError> {
    let take = || tasks.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
    let mut next = take();
    if next.is_none() {
        // no more programs are started than there are pairs to play
        return Ok(());
    }
    let [mut first, mut second] = create_players(plan)?;
    while let Some(games) = next {
        for (pair, leg) in games {
            if plan.context.stop.is_stopped() {
                return Err(PlayerError::Stopped);
            }
            let record = play_one(plan, [first.as_mut(), second.as_mut()], (pair, leg))?;
            let _ = events.send(Event::Game(Box::new(record)));
        }
        next = take();
    }
    Ok(())
}

/// Plays one game of the plan between its players, first and second.
fn play_one(
    plan: &Plan,
    [first, second]: [&mut dyn Player; 2],
    (pair, leg): GameId,
) -> Result<GameRecord, PlayerError> {
    let by_color = if leg == 0 { [first, second] } else { [second, first] };
    let number = GameNumber { pair, leg, seed: game_seed(plan.seed, pair, leg) };
    let mut record = play_game(&plan.referee, by_color, &plan.openings[pair], number)?;
    if record.black == record.white {
        let (black, white) = if leg == 0 { (1, 2) } else { (2, 1) };
        record.black = format!("{} #{black}", record.black);
        record.white = format!("{} #{white}", record.white);
    }
    Ok(record)
}

/// Plays both games of one pair of the plan, as [`run`] does on a worker: for those who spread the pairs of a match over several
/// machines. `players` are made by the first call, and kept for the next.
///
/// # Errors
/// [`PlayerError::Start`] and [`PlayerError::Stopped`]; failures are losses, not errors.
///
/// # Panics
/// When the plan has no opening for the pair.
pub fn play_pair(
    plan: &Plan,
    players: &mut Option<[Box<dyn Player>; 2]>,
    pair: usize,
) -> Result<[GameRecord; 2], PlayerError> {
    if players.is_none() {
        *players = Some(create_players(plan)?);
    }
    let [first, second] = players.as_mut().expect("they were just made");
    let mut play = |leg| play_one(plan, [first.as_mut(), second.as_mut()], (pair, leg));
    Ok([play(0)?, play(1)?])
}

/// Makes both players.
fn create_players(plan: &Plan) -> Result<[Box<dyn Player>; 2], PlayerError> {
    let [first, second] = &plan.players;
    Ok([create_player(first, &plan.context)?, create_player(second, &plan.context)?])
}

/// A number for the game that depends on nothing but the match and the game.
fn game_seed(seed: u64, pair: usize, leg: u8) -> u64 {
    // the multiplier spreads the pairs over all bits (Knuth's 64-bit MMIX constant)
    (seed ^ (pair as u64 + 1).wrapping_mul(6_364_136_223_846_793_005)).wrapping_add(2 * u64::from(leg))
}

/// The games to play, pair by pair.
fn tasks(pairs: usize, finished: &Finished) -> Vec<Vec<GameId>> {
    (0..pairs)
        .map(|pair| [0, 1].into_iter().filter(|&leg| !finished.has(pair, leg)).map(|leg| (pair, leg)).collect())
        .filter(|games: &Vec<_>| !games.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;
    use crate::tournament::{TimeControl, random_openings};
    use std::collections::HashSet;
    use std::convert::Infallible;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::time::Instant;

    fn plan(first: &str, second: &str, pairs: usize) -> Plan {
        let start = Position::default();
        let openings = random_openings(start.rules(), 8, pairs, 1).unwrap();
        let (control, patience) = (TimeControl::None, Duration::from_secs(60));
        let context = PlayerContext { stop: StopToken::new(), goal: None, nodes: None, control, patience };
        let referee = Referee { start, control, grace: Duration::ZERO, patience };
        let players = [first, second].map(|text| text.parse().unwrap());
        Plan { players, context, referee, openings, jobs: 4, sprt: None, seed: 1 }
    }

    /// No two players of a match that choose at random have the same numbers: black takes the seed, white the next one.
    #[test]
    fn every_game_has_its_own_seeds() {
        let games = (0..1000).flat_map(|pair| [(pair, 0), (pair, 1)]);
        let seeds: HashSet<u64> =
            games.flat_map(|(pair, leg)| [0, 1].map(|color| game_seed(7, pair, leg).wrapping_add(color))).collect();
        assert_eq!(seeds.len(), 4000);
    }

    /// A decision ends the match: no further game is counted, and those that are not begun are not played.
    #[test]
    fn a_decision_ends_the_match() {
        let mut plan = plan("mobility", "random", 1);
        // hours of games, should nobody stop them
        plan.openings = vec![Vec::new(); 1_000_000];
        plan.sprt = Some(Sprt::new(-200.0, 0.0, 0.05, 0.05).unwrap());
        let start = Instant::now();
        let mut games = Vec::new();
        let outcome = run::<Infallible>(&plan, &Finished::new(), &mut |game, statistics| {
            assert_eq!(statistics.games(), games.len() as u64 + 1);
            games.push(game.clone());
            // meanwhile others end
            thread::sleep(Duration::from_millis(5));
            Ok(())
        });
        let outcome = outcome.unwrap();
        assert_eq!((outcome.verdict, outcome.interrupted), (Some(Verdict::H1), false));
        assert_eq!(outcome.statistics.games(), games.len() as u64);
        let decided = |games: &[GameRecord]| {
            let mut statistics = Statistics::new();
            games.iter().for_each(|game| statistics.add(game));
            plan.sprt.unwrap().verdict(plan.sprt.unwrap().llr(statistics.pairs()))
        };
        assert_eq!((decided(&games), decided(&games[..games.len() - 1])), (Some(Verdict::H1), None));
        assert!(games.len() < 1000 && start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
        // what was decided in an earlier session is not played again
        let outcome = run::<Infallible>(&plan, &games.iter().collect(), &mut |_, _| panic!("a game too much")).unwrap();
        assert_eq!((outcome.verdict, outcome.statistics.games()), (Some(Verdict::H1), games.len() as u64));
    }

    /// Games that end faster than they are waited for leave time to look at the caller's token; who stops a match behind its last
    /// game has interrupted nothing.
    #[test]
    fn the_caller_stops_a_match_of_fast_games() {
        let mut plan = plan("random", "random", 1);
        let play = |openings: usize, plan: &mut Plan| {
            plan.openings = vec![Vec::new(); openings];
            plan.context.stop = StopToken::new();
            let (stop, mut games) = (plan.context.stop.clone(), 0);
            let outcome = run::<Infallible>(plan, &Finished::new(), &mut |_, _| {
                games += 1;
                if games == 10 {
                    stop.stop();
                }
                Ok(())
            });
            (outcome.unwrap(), games)
        };
        // seconds of games
        let (outcome, games) = play(5000, &mut plan);
        assert!(outcome.interrupted && games < 5000, "{games} games");
        assert_eq!(outcome.statistics.games(), games);
        let (outcome, games) = play(5, &mut plan);
        assert_eq!((outcome.interrupted, games), (false, 10));
    }

    #[test]
    fn a_panic_ends_the_match() {
        let mut plan = plan("random", "random", 1);
        plan.openings = vec![Vec::new(); 1_000_000];
        let panicking = || run::<Infallible>(&plan, &Finished::new(), &mut |_, _| panic!("on purpose"));
        assert!(catch_unwind(AssertUnwindSafe(panicking)).is_err());
    }

    /// A pair played alone is the pair of the match, whatever was played before.
    #[test]
    fn pairs_alone_are_those_of_the_match() {
        let plan = plan("greedy", "random", 4);
        let mut games = Vec::new();
        let mut collect = |game: &GameRecord, _: &Statistics| {
            games.push(game.clone());
            Ok::<(), Infallible>(())
        };
        run(&plan, &Finished::new(), &mut collect).unwrap();
        let mut players = None;
        for pair in [2, 0, 3, 1] {
            for alone in play_pair(&plan, &mut players, pair).unwrap() {
                let same = games.iter().find(|game| (game.pair, game.leg) == (pair, alone.leg)).unwrap();
                let moves = |game: &GameRecord| game.moves.iter().map(|one| one.mv.clone()).collect::<Vec<_>>();
                assert_eq!((moves(&alone), alone.score), (moves(same), same.score));
            }
        }
    }

    /// The games of an earlier session are not played again, and the others are.
    #[test]
    fn finished_games_are_left_out() {
        let plan = plan("greedy", "random", 6);
        let mut games = Vec::new();
        let mut collect = |game: &GameRecord, _: &Statistics| {
            games.push(game.clone());
            Ok::<(), Infallible>(())
        };
        run(&plan, &Finished::new(), &mut collect).unwrap();
        games.sort_by_key(|game| (game.pair, game.leg));
        let (saved, missing): (Vec<GameRecord>, Vec<GameRecord>) =
            games.iter().cloned().partition(|game| game.pair % 3 == 0 || (game.pair, game.leg) == (1, 1));
        let mut played = Vec::new();
        let outcome = run::<Infallible>(&plan, &saved.iter().collect(), &mut |game, _| {
            played.push(game.clone());
            Ok(())
        });
        assert_eq!(outcome.unwrap().statistics.games(), 12);
        played.sort_by_key(|game| (game.pair, game.leg));
        let key = |game: &GameRecord| (game.pair, game.leg, game.score, game.moves.len());
        assert_eq!(played.iter().map(key).collect::<Vec<_>>(), missing.iter().map(key).collect::<Vec<_>>());
    }
}
