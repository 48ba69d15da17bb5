//! How a player chooses a move: a pass or a move of the book at once, what else by a search, here or in the background.

use std::io;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::Player;
use super::work::Done;
use crate::engine::Engine;
use crate::play::choice::{Choice, Manner, choice_of, expected};
use crate::rules::{Move, Position};
use crate::search::{Limits, Report, SearchError, Source, StopToken, with_output};
use crate::time::Instant;

/// A second look at a position, in what is left of the time for its move.
fn look_again(
    engine: &mut Engine,
    position: &Position,
    limits: &Limits,
    stop: &StopToken,
    end: Option<Instant>,
) -> Result<Report, SearchError> {
    let _until = end.map(|end| stop.until(end));
    engine.search(position, limits, stop, &mut |_| {})
}

/// Called after each finished iteration of a search.
pub type OnReport = Box<dyn FnMut(&Report) -> io::Result<()> + Send>;

impl Player {
    /// What needs no search: a forced pass, or a move of the book.
    fn ready(&mut self) -> Option<Choice> {
        let position = self.game.position();
        if position.is_game_over() || position.must_pass() {
            return Some(Choice { mv: Move::Pass, source: Source::Forced, report: None });
        }
        let empties = position.empty_count();
        let random = self.book.next_random();
        let line = self.open_book()?.choose(&self.game, random)?;
        if !self.game.position().legal_moves().contains(&line.mv) {
            log::warn!("the book's move {} is not legal", line.mv);
            return None;
        }
        let (mv, source) = (line.mv, Source::Book);
        Some(Choice { mv, source, report: Some(Report::of_book(line, empties)) })
    }

    /// How many moves a search for a move is to value: more than one only for the sake of variety.
    pub(super) fn multi_pv(&self, position: &Position) -> usize {
        /// Moves that variety chooses among.
        const CANDIDATES: usize = 8;
        let variety = self.options.variety.filter(|variety| {
            let start = Position::start(position.rules().clone());
            start.empty_count().saturating_sub(position.empty_count()) < variety.plies
        });
        if variety.is_some() { CANDIDATES } else { 1 }
    }

    /// The limits of a search for the next move, and of how many moves it values.
    pub(in crate::play) fn move_limits(&self) -> Limits {
        let Limits { time, .. } = self.limits();
        match self.options.strength.grade {
            Some(grade) => Limits { time, only_move_at_once: true, ..grade.limits(self.position()) },
            None => Limits { time, ..self.ponder_limits(self.position()) },
        }
    }

    fn manner(&self) -> Manner {
        Manner { variety: self.options.variety, grade: self.options.strength.grade }
    }

    /// Chooses a move in the present position, which stays as it is. The clock of the side to move limits the search and is not
    /// charged. A search that is stopped gives the best move so far. What was running is stopped, as by [`Player::start`].
    ///
    /// # Errors
    /// [`SearchError`] when the engine cannot search at all.
    pub fn choose(&mut self, on_report: &mut dyn FnMut(&Report)) -> Result<Choice, SearchError> {
        if let Some(choice) = self.ready() {
            self.stop();
            return Ok(self.chosen(choice));
        }
        let end = self.end();
        let report = match self.hit() {
            Some(report) => report?,
            None => {
                self.stop();
                let limits = self.move_limits();
                let position = self.game.position().clone();
                let stop = self.options.stop.clone();
                self.background.engine().search(&position, &limits, &stop, on_report)?
            }
        };
        on_report(&report);
        let choice = self.choice_of(report, end)?;
        Ok(self.chosen(choice))
    }

    /// When the time for a move that is begun now is over.
    fn end(&self) -> Option<Instant> {
        self.limits().time.deadline(Instant::now(), self.position().empty_count()).map(|(_, hard)| hard)
    }

    /// The move of a finished search, within the time for both.
    fn choice_of(&mut self, report: Report, end: Option<Instant>) -> Result<Choice, SearchError> {
        let manner = self.manner();
        let (position, stop) = (self.game.position(), &self.options.stop);
        let engine = self.background.engine();
        choice_of(position, report, manner, &mut self.random, |limits| look_again(engine, position, limits, stop, end))
    }

    /// Remembers what is expected next.
    fn chosen(&mut self, choice: Choice) -> Choice {
        self.expected = expected(self.game.position(), &choice);
        choice
    }

    /// Starts choosing a move in the background; `answer` is called there with the choice, after the last of `on_report`. When that
    /// one fails, the search is stopped and there is no answer: [`Player::finish`] has the error. What was running is stopped;
    /// thinking on the opponent's time goes on if the expected reply has come, of which `on_report` does not hear.
    ///
    /// A panic of either comes out of the next call that waits for the work, and leaves the player without an engine.
    pub fn start(
        &mut self,
        on_report: OnReport,
        answer: impl FnOnce(Result<&Choice, &SearchError>) -> io::Result<()> + Send + 'static,
    ) {
        if let Some(choice) = self.ready() {
            self.stop();
            self.expected = expected(self.game.position(), &choice);
            self.background.start(move |_, _| Done { report: None, expected: None, output: answer(Ok(&choice)) });
            return;
        }
        let position = self.game.position().clone();
        let (manner, end) = (self.manner(), self.end());
        let mut random = StdRng::seed_from_u64(self.random.random());
        let finish = {
            let position = position.clone();
            move |report: Result<Report, SearchError>, engine: &mut Engine, stop: &StopToken| {
                let choice = report.clone().and_then(|report| {
                    choice_of(&position, report, manner, &mut random, |limits| {
                        look_again(engine, &position, limits, stop, end)
                    })
                });
                let expected = choice.as_ref().ok().and_then(|choice| expected(&position, choice));
                Done { report: Some(report), expected, output: answer(choice.as_ref()) }
            }
        };
        self.expected = None;
        if self.takes_over() {
            self.background.then(move |done, engine, stop| match done.report {
                Some(report) => finish(report, engine, stop),
                None => done,
            });
            return;
        }
        self.stop();
        let limits = self.move_limits();
        self.background.start(move |engine, stop| {
            let (report, output) = with_output(stop, on_report, |hear| engine.search(&position, &limits, stop, hear));
            match output {
                Ok(()) => finish(report, engine, stop),
                Err(error) => Done { report: Some(report), expected: None, output: Err(error) },
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;
    use crate::search::{Goal, Selectivity};

    #[test]
    fn a_second_look_has_the_time_that_is_left() {
        let (mut engine, stop) = (Engine::new(Options { hash_mib: 1, threads: 1 }), StopToken::new());
        let limits = Limits::new(Goal::Depth(9, Selectivity::NONE));
        let mut look = |end| look_again(&mut engine, &Position::default(), &limits, &stop, end).unwrap();
        assert!(look(Some(Instant::now())).stopped);
        assert_eq!(look(None).depth, 9, "the next search is not meant");
    }
}
