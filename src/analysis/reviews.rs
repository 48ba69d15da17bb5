//! Many games judged side by side, and handed over in the order of the input.

use std::sync::Arc;

use super::batch::{JobsError, MAX_JOBS};
use super::review::{Review, review};
use crate::engine::{Engine, Options};
use crate::eval::Weights;
use crate::formats::record::GameRecord;
use crate::search::{Limits, SearchError, StopToken};
use crate::workers::in_order;

/// Judged games that may wait for their turn, a job: they are large, and one game takes some times as long as another one at most.
const AHEAD: usize = 16;

/// A game of the input with its number, from 1, or what is wrong with it.
pub type NumberedGame = (u32, Result<GameRecord, String>);

/// A game judged.
#[derive(Debug)]
pub struct Reviewed {
    /// Its number in the input, from 1.
    pub number: u32,
    /// The game and what its moves cost, all of them; or why it could not be read.
    pub outcome: Result<(Box<GameRecord>, Review), String>,
}

/// How games are judged.
#[derive(Clone, Debug)]
pub struct Reviews {
    /// Games at a time, each on an engine of its own.
    pub jobs: usize,
    /// Options of each engine.
    pub options: Options,
    /// Weights of each engine, if not the built-in ones.
    pub weights: Option<Arc<Weights>>,
    /// Limits of each search.
    pub limits: Limits,
    /// Other moves wanted beside the one played.
    pub alternatives: usize,
    /// Ends the work early.
    pub stop: StopToken,
}

/// Why games cannot be judged, or not to the end.
#[derive(Debug, thiserror::Error)]
pub enum ReviewsError<E: std::error::Error> {
    /// The number of jobs.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// An engine cannot search.
    #[error(transparent)]
    Search(SearchError),
    /// What is done with a judged game failed.
    #[error(transparent)]
    Games(E),
}

impl Reviews {
    /// Searches with these limits, one game at a time, and one other move beside the one played.
    pub fn new(limits: Limits) -> Reviews {
        Reviews { jobs: 1, options: Options::default(), weights: None, limits, alternatives: 1, stop: StopToken::new() }
    }

    /// Judges the games and calls `on_reviewed` for each, on this thread and in the order of the input. Games are read when a job
    /// is free for them, and not many before the one that is handed over next. Stops early when the token is set: games that are
    /// not judged to their end are left out then.
    ///
    /// # Errors
    /// [`ReviewsError`]; games that were handed over before are done.
    pub fn run<E: std::error::Error>(
        &self,
        games: impl Iterator<Item = NumberedGame> + Send,
        on_reviewed: &mut dyn FnMut(Reviewed) -> Result<(), E>,
    ) -> Result<(), ReviewsError<E>> {
        if !(1..=MAX_JOBS).contains(&self.jobs) {
            return Err(JobsError::Number(self.jobs).into());
        }
        let workers = (0..self.jobs).map(|_| {
            let mut engine = Engine::new(self.options.clone()).with_weights(self.weights.clone());
            move |(number, game)| (!self.stop.is_stopped()).then(|| self.judge(&mut engine, number, game))
        });
        in_order(workers, games, AHEAD * self.jobs, |results| {
            for outcome in results {
                if self.stop.is_stopped() {
                    break;
                }
                // from a game that was cut short on, there is nothing in order any more
                let Some(reviewed) = outcome.map_err(ReviewsError::Search)? else { break };
                on_reviewed(reviewed).map_err(ReviewsError::Games)?;
            }
            Ok(())
        })
    }

    /// Judges a game; `None` when it was stopped before its end.
    fn judge(
        &self,
        engine: &mut Engine,
        number: u32,
        game: Result<GameRecord, String>,
    ) -> Result<Option<Reviewed>, SearchError> {
        let record = match game {
            Ok(record) => record,
            Err(problem) => return Ok(Some(Reviewed { number, outcome: Err(problem) })),
        };
        let review = review(engine, &record.game, &self.limits, self.alternatives, &self.stop, &mut |_| {})?;
        // a stop can cut the last search of a game whose moves have all been judged
        let is_whole = review.is_complete() && !self.stop.is_stopped();
        Ok(is_whole.then(|| Reviewed { number, outcome: Ok((Box::new(record), review)) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::io;

    use crate::formats::transcript;
    use crate::rules::Position;
    use crate::search::{Goal, Selectivity};

    const GAMES: [&str; 5] = ["f5d6c3d3c4f4f6f3e6e7", "f5f6", "f5d6c3d3c4", "d3c3c4c5b4", "f5f4e3"];

    fn games() -> impl Iterator<Item = NumberedGame> + Send {
        let game = |text: &str| match text {
            "f5f4e3" => Err("not read".to_string()),
            _ => Ok(GameRecord::new(transcript::parse(&Position::default(), text).unwrap())),
        };
        (1..).zip(GAMES.map(game))
    }

    fn reviews(jobs: usize) -> Reviews {
        Reviews {
            jobs,
            options: Options { hash_mib: 1, threads: 1 },
            weights: None,
            limits: Limits::new(Goal::Depth(3, Selectivity::NONE)),
            alternatives: 1,
            stop: StopToken::new(),
        }
    }

    /// Number and scores of the moves, none for a game that could not be read.
    fn judged(reviews: &Reviews) -> Vec<(u32, Option<Vec<i32>>)> {
        let mut found = Vec::new();
        let outcome = reviews.run::<Infallible>(games(), &mut |one| {
            let scores = |(_, review): (_, Review)| review.moves.iter().map(|one| one.played.score).collect();
            found.push((one.number, one.outcome.ok().map(scores)));
            Ok(())
        });
        outcome.unwrap();
        found
    }

    #[test]
    fn games_come_in_order_with_any_number_of_jobs() {
        let one = judged(&reviews(1));
        assert_eq!(one.iter().map(|one| one.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert_eq!(one.iter().map(|one| one.1.as_ref().map_or(0, Vec::len)).collect::<Vec<_>>(), [10, 2, 5, 5, 0]);
        assert_eq!(judged(&reviews(3)), one);
        assert!(matches!(reviews(0).run::<Infallible>(games(), &mut |_| Ok(())), Err(ReviewsError::Jobs(_))));
    }

    #[test]
    fn stops_and_errors_end_the_work() {
        let reviews = reviews(2);
        let mut count = 0;
        let mut stop = |_| {
            count += 1;
            reviews.stop.stop();
            Ok::<(), Infallible>(())
        };
        reviews.run(games(), &mut stop).unwrap();
        assert_eq!(count, 1);
        let full = |_| Err(io::Error::other("full"));
        let error =
            super::Reviews { stop: StopToken::new(), ..reviews.clone() }.run(games(), &mut { full }).unwrap_err();
        assert_eq!(error.to_string(), "full");
    }
}
