//! The kinds of work that clients ask for.

use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::pool::{Job, Progress};
use crate::analysis::best_moves::best_moves;
use crate::analysis::review::{Judged, review};
use crate::game::Game;
use crate::play::{Choice, OpeningBook, Strength, Variety};
use crate::rules::Position;
use crate::search::{Goal, Level, Limits, Report, SearchError};
use crate::solo::{Advice, Advisor, Budget, Scoring, View};
use crate::time::Instant;

/// The level of a move that is wanted at once: milliseconds.
const HASTY: u8 = 4;

/// What comes from a search.
#[derive(Clone, Debug)]
pub(crate) enum SearchNews {
    /// A deeper iteration than those before.
    Iteration(Report),
    /// The last one.
    End(Report),
    /// It cannot be searched.
    Failed(SearchError),
}

/// What comes from a review.
#[derive(Clone, Debug)]
pub(crate) enum ReviewNews {
    /// A move has been judged: the last one of the game first.
    Judged(Box<Judged>),
    /// That was all: every move has been judged unless the review was stopped.
    End,
    /// It cannot be searched.
    Failed(SearchError),
}

/// How deep a report is: those of one search grow.
fn depth_of(report: &Report) -> (u8, usize) {
    (report.depth, report.selectivity.index())
}

/// A search of at most `time`, whose turns go on from each other.
pub(crate) fn search(position: Position, limits: Limits, time: Duration, out: UnboundedSender<SearchNews>) -> Job {
    let (mut spent, mut nodes) = (Duration::ZERO, 0);
    let mut best: Option<Report> = None;
    Box::new(move |worker, turn| {
        let start = Instant::now();
        turn.limit(time.saturating_sub(spent));
        let whole =
            |report: &Report| Report { nodes: nodes + report.nodes, elapsed: spent + report.elapsed, ..report.clone() };
        let mut deepest = best.clone();
        let mut on_report = |report: &Report| {
            if deepest.as_ref().is_none_or(|best| depth_of(report) > depth_of(best)) {
                let report = whole(report);
                deepest = Some(report.clone());
                // who does not listen any more drops the ticket
                let _ = out.send(SearchNews::Iteration(report));
            }
        };
        let report = match best_moves(worker.player.engine(), &position, &limits, turn.stop, &mut on_report) {
            Ok(report) => whole(&report),
            Err(error) => {
                let _ = out.send(SearchNews::Failed(error));
                return Progress::Done;
            }
        };
        let deepest = match deepest {
            Some(best) if depth_of(&best) > depth_of(&report) => {
                Report { stopped: report.stopped, nodes: report.nodes, elapsed: report.elapsed, ..best }
            }
            _ => report.clone(),
        };
        spent += start.elapsed();
        nodes = report.nodes;
        if report.stopped && turn.makes_room() && spent < time {
            best = Some(deepest);
            return Progress::Again;
        }
        let _ = out.send(SearchNews::End(deepest));
        Progress::Done
    })
}

/// A review of a game, from its last move to its first.
pub(crate) fn game_review(
    mut game: Game,
    limits: Limits,
    alternatives: usize,
    out: UnboundedSender<ReviewNews>,
) -> Job {
    Box::new(move |worker, turn| {
        let mut first = None;
        let mut on_judged = |judged: &Judged| {
            first = Some(judged.ply);
            let _ = out.send(ReviewNews::Judged(Box::new(judged.clone())));
        };
        let reviewed = review(worker.reviewer(), &game, &limits, alternatives, turn.stop, &mut on_judged);
        let complete = match reviewed {
            Ok(review) => review.is_complete(),
            Err(error) => {
                let _ = out.send(ReviewNews::Failed(error));
                return Progress::Done;
            }
        };
        if !complete && turn.makes_room() {
            // the move that was being judged has come to nothing
            let Some(first) = first else { return Progress::Anew };
            // those judged are done with; estimates never know what follows them, proofs are only found faster with it
            while game.moves().len() >= first {
                game.undo();
            }
            return Progress::Again;
        }
        let _ = out.send(ReviewNews::End);
        Progress::Done
    })
}

/// How the engine is to choose a move.
#[derive(Clone, Debug)]
pub(crate) struct Choosing {
    pub strength: Strength,
    pub book: Option<OpeningBook>,
    pub variety: Option<Variety>,
    /// Makes a grade's errors.
    pub seed: u64,
}

/// The move has been searched for without any depth.
fn is_blind(choice: &Choice) -> bool {
    choice.report.as_ref().is_some_and(|report| report.depth == 0)
}

/// The engine's move in a game.
pub(crate) fn choose(game: Game, choosing: Choosing, out: UnboundedSender<Result<Choice, SearchError>>) -> Job {
    Box::new(move |worker, turn| {
        let player = &mut worker.player;
        player.set_game(game.clone());
        player.set_strength(choosing.strength.clone());
        player.set_book(choosing.book.clone());
        player.set_variety(choosing.variety);
        player.set_seed(choosing.seed);
        let mut choice = player.choose(&mut |_| {});
        // stopped before it has looked at anything
        if turn.is_over() && choice.as_ref().is_ok_and(is_blind) {
            turn.stop.reset();
            let level = match choosing.strength.goal {
                Some(Goal::Level(level)) => level.get().min(HASTY),
                _ => HASTY,
            };
            player.set_strength(Strength { goal: Level::new(level).map(Goal::Level), ..choosing.strength.clone() });
            choice = player.choose(&mut |_| {});
        }
        let _ = out.send(choice);
        Progress::Done
    })
}

/// The advisor's opinion about a solitaire.
pub(crate) fn advise(view: View, scoring: Scoring, budget: Budget, out: UnboundedSender<Option<Advice>>) -> Job {
    Box::new(move |_, turn| {
        if !turn.is_over() {
            let _ = out.send(Advisor::new(scoring, budget, 1).with_stop(turn.stop.clone()).advise(&view));
        }
        Progress::Done
    })
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;
    use crate::engine::{Engine, Options};
    use crate::formats::transcript;
    use crate::search::{Selectivity, Time};
    use crate::solo::{Layout, Layouts};
    use crate::web::pool::Pool;

    fn pool() -> Pool {
        Pool::new(Engine::new(Options { hash_mib: 4, threads: 1 }), 1).expect("threads")
    }

    #[test]
    fn searches_deepen_and_end() {
        let (pool, (out, mut news)) = (pool(), unbounded_channel());
        let limits = Limits { multi_pv: usize::MAX, ..Limits::new(Goal::Depth(6, Selectivity::NONE)) };
        let _ticket = pool.submit(true, search(Position::default(), limits, Duration::from_secs(60), out)).unwrap();
        let mut depths = Vec::new();
        let last = loop {
            match news.blocking_recv().expect("an end") {
                SearchNews::Iteration(report) => depths.push(report.depth),
                SearchNews::End(report) => break report,
                SearchNews::Failed(error) => panic!("{error}"),
            }
        };
        assert!(depths.len() > 1 && depths.is_sorted_by(|a, b| a < b), "{depths:?}");
        assert_eq!((last.depth, last.stopped, last.lines.len()), (6, false, 4));
    }

    #[test]
    fn searches_that_made_room_go_on() {
        let (pool, (out, mut news)) = (pool(), unbounded_channel());
        let limits = Limits::new(Goal::Unlimited);
        let long = search(Position::default(), limits.clone(), Duration::from_millis(2500), out);
        let _long = pool.submit(true, long).unwrap();
        let (out, mut other) = unbounded_channel();
        let _other = pool.submit(true, search(Position::default(), limits, Duration::from_millis(100), out)).unwrap();
        while !matches!(other.blocking_recv().expect("an end"), SearchNews::End(_)) {}
        let mut deepest = 0;
        loop {
            match news.blocking_recv().expect("an end") {
                SearchNews::Iteration(report) => {
                    assert!(report.depth >= deepest);
                    deepest = report.depth;
                }
                SearchNews::End(report) => {
                    assert!(report.elapsed >= Duration::from_secs(1), "{report:?}");
                    assert_eq!(report.depth, deepest);
                    break;
                }
                SearchNews::Failed(error) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn reviews_that_made_room_judge_every_move_once() {
        let game = transcript::parse(&Position::default(), "f5d6c3d3c4f4c5b3c2").unwrap();
        let (pool, (out, mut news)) = (pool(), unbounded_channel());
        let limits = Limits::new(Goal::Level(Level::new(10).unwrap()));
        let _ticket = pool.submit(true, game_review(game, limits.clone(), 1, out)).unwrap();
        let (other_out, _other_news) = unbounded_channel();
        let _other = pool.submit(true, search(Position::default(), limits, Duration::from_secs(5), other_out)).unwrap();
        let mut plies = Vec::new();
        loop {
            match news.blocking_recv().expect("an end") {
                ReviewNews::Judged(judged) => plies.push(judged.ply),
                ReviewNews::End => break,
                ReviewNews::Failed(error) => panic!("{error}"),
            }
        }
        assert_eq!(plies, [9, 8, 7, 6, 5, 4, 3, 2, 1]);
    }

    #[test]
    fn a_move_that_is_wanted_at_once_is_not_a_blind_one() {
        let (pool, (out, mut choices), (other_out, _news)) = (pool(), unbounded_channel(), unbounded_channel());
        let other = search(Position::default(), Limits::new(Goal::Unlimited), Duration::from_secs(60), other_out);
        let other = pool.submit(false, other).unwrap();
        let strength = Strength { time: Some(Duration::from_secs(60)), ..Strength::level(Level::MAX) };
        let choosing = Choosing { strength, book: None, variety: None, seed: 0 };
        let game = transcript::parse(&Position::default(), "f5d6c3d3").unwrap();
        let ticket = pool.submit(false, choose(game, choosing, out)).unwrap();
        // it waits
        ticket.stopper().stop();
        other.stopper().stop();
        let choice = choices.blocking_recv().unwrap().unwrap();
        assert!(choice.report.is_some_and(|report| report.depth >= 4));
    }

    #[test]
    fn a_review_that_judged_nothing_begins_anew() {
        let game = transcript::parse(&Position::default(), "f5d6c3d3").unwrap();
        let (pool, (out, mut news)) = (pool(), unbounded_channel());
        let limits = Limits { time: Time::PerMove(Duration::from_secs(1)), ..Limits::new(Goal::Level(Level::MAX)) };
        let (mut review, (told, heard)) = (game_review(game, limits, 0, out), std::sync::mpsc::channel());
        let watched: Job = Box::new(move |worker, turn| {
            let progress = review(worker, turn);
            told.send(progress).unwrap();
            progress
        });
        let _ticket = pool.submit(true, watched).unwrap();
        let (other_out, _other_news) = unbounded_channel();
        let endless = search(Position::default(), Limits::new(Goal::Unlimited), Duration::from_secs(60), other_out);
        let _other = pool.submit(true, endless).unwrap();
        // 0.4 and 0.8 s are too little for a move, 1.6 s are not
        let progress: Vec<_> = (0..3).map(|_| heard.recv_timeout(Duration::from_secs(60)).unwrap()).collect();
        assert_eq!(progress, [Progress::Anew, Progress::Anew, Progress::Again]);
        assert!(matches!(news.blocking_recv(), Some(ReviewNews::Judged(judged)) if judged.ply == 4));
    }

    #[test]
    fn advice_that_nobody_waits_for_ends() {
        let game = crate::solo::Game::new(Layouts::Fixed(Layout::LATTICE).deal(1));
        let (pool, (out, _advice)) = (pool(), unbounded_channel());
        let long = advise(*game.view(), Scoring::Count, Budget::Nodes(u64::MAX), out);
        let ticket = pool.submit(false, long).unwrap();
        let start = Instant::now();
        while pool.load().searching == 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(ticket);
        while pool.load().searching > 0 {
            assert!(start.elapsed() < Duration::from_secs(20), "it goes on");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn what_is_stopped_delivers_what_it_has() {
        let (pool, (out, mut news)) = (pool(), unbounded_channel());
        let job = search(Position::default(), Limits::new(Goal::Unlimited), Duration::from_secs(60), out);
        let ticket = pool.submit(true, job).unwrap();
        assert!(matches!(news.blocking_recv(), Some(SearchNews::Iteration(_))));
        ticket.stopper().stop();
        let start = Instant::now();
        while !matches!(news.blocking_recv().expect("an end"), SearchNews::End(_)) {}
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}
