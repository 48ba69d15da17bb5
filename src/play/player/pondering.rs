//! Thinking on the opponent's time: a search after the expected reply, which is the one for the next move if that reply comes.

use super::Player;
use super::work::Done;
use crate::rules::{Move, Position};
use crate::search::{Goal, Limits, Report, SearchError, Time};
use crate::time::Instant;

/// How often thinking on the opponent's time was about the move that came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PonderCounts {
    /// The expected reply came.
    pub hits: u64,
    /// Something else happened.
    pub misses: u64,
}

/// What is being thought about on the opponent's time.
#[derive(Debug)]
pub(super) struct Pondering {
    /// Where it began: after the player's own move.
    since: Position,
    /// The expected reply.
    reply: Move,
    /// After the expected reply, which is what is searched.
    expected: Position,
    /// How it is searched.
    limits: Limits,
}

impl Player {
    /// Thinks on about the reply expected to the move chosen last, once that has been played. Does nothing unless it is
    /// switched on, a reply is expected and the system has a thread for it.
    pub fn ponder(&mut self) {
        // a person of some grade does not think ahead as a machine does
        if !self.options.ponder
            || self.options.strength.grade.is_some()
            || self.pondering.is_some()
            || self.background.is_working()
        {
            return;
        }
        let Some((since, reply)) = self.expected.take() else { return };
        if since != *self.game.position() {
            return;
        }
        let Ok(expected) = since.play(reply) else { return };
        if expected.is_game_over() || expected.must_pass() {
            return;
        }
        let timed = self.clocks.is_running(expected.side_to_move());
        let limits = self.ponder_limits(&expected);
        if limits.goal == Goal::Unlimited && limits.nodes.is_none() && !timed && self.options.strength.time.is_none() {
            return;
        }
        let (position, searched) = (expected.clone(), limits.clone());
        let started = self.background.try_start(move |engine, stop| {
            let report = engine.search(&position, &searched, stop, &mut |_| {});
            Done { report: Some(report), expected: None, output: Ok(()) }
        });
        self.pondering = started.is_ok().then_some(Pondering { since, reply, expected, limits });
    }

    /// The limits of a search for a move here while it is still the opponent's time: those that do not count time, which begins
    /// when the opponent has moved.
    pub(in crate::play) fn ponder_limits(&self, position: &Position) -> Limits {
        let goal = self.options.strength.goal(self.clocks.is_running(position.side_to_move()));
        let multi_pv = self.multi_pv(position);
        Limits { goal, time: Time::Unlimited, multi_pv, only_move_at_once: true, ..self.analysis_limits() }
    }

    /// The reply that the engine is thinking about.
    pub fn expected_reply(&self) -> Option<Move> {
        self.pondering.as_ref().map(|pondering| pondering.reply)
    }

    /// The engine is thinking on the opponent's time.
    pub fn is_pondering(&self) -> bool {
        self.pondering.is_some()
    }

    /// After a change of the position: thinking on the opponent's time goes on while it may still be of use.
    pub(super) fn settle(&mut self) {
        let Some(pondering) = &self.pondering else { return };
        if pondering.expected == *self.game.position() {
            self.counts.hits += 1;
        } else if pondering.since != *self.game.position() {
            self.counts.misses += 1;
            self.stop_pondering();
        }
    }

    /// After a change of a clock: thinking on the opponent's time goes on if this clock has no other limits for it.
    pub(super) fn settle_clock(&mut self) {
        if self.pondering.as_ref().is_some_and(|pondering| pondering.limits != self.ponder_limits(&pondering.expected))
        {
            self.stop_pondering();
        }
    }

    /// The expected reply came: waits for the search that has been running since.
    pub(super) fn hit(&mut self) -> Option<Result<Report, SearchError>> {
        if !self.takes_over() {
            return None;
        }
        let stop = &self.options.stop;
        self.background.finish_while(&mut |search| {
            if stop.is_stopped() {
                search.stop();
            }
        });
        self.background.take_result()?.report
    }

    /// The expected reply came: the search that has been running since is now the one for the next move, with what the clock
    /// allows from now on. `false` when there is none, or when it began with other limits than a search has now: one for a
    /// clock that is switched off by now would never end.
    pub(super) fn takes_over(&mut self) -> bool {
        let position = self.game.position();
        let limits = self.ponder_limits(position);
        let taken = self.pondering.take_if(|pondering| pondering.expected == *position && pondering.limits == limits);
        if taken.is_none() {
            return false;
        }
        let now = Instant::now();
        if let Some((soft, hard)) = self.limits().time.deadline(now, self.position().empty_count()) {
            // thinking does not change a forced move
            let (soft, hard) = if self.position().legal_moves().len() == 1 { (now, now) } else { (soft, hard) };
            self.background.token().set_deadline(soft, hard);
        }
        true
    }

    /// Hits and misses of thinking on the opponent's time so far.
    pub fn ponder_counts(&self) -> PonderCounts {
        self.counts
    }

    /// Stops thinking on the opponent's time: [`Player::ponder`] begins it again if it is still of use.
    pub(super) fn stop_pondering(&mut self) {
        if let Some(Pondering { since, reply, .. }) = self.pondering.take() {
            self.background.stop();
            self.background.take_result();
            self.expected = Some((since, reply));
        }
    }
}
