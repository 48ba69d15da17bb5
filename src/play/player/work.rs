//! What a player's engine does in the background while its session reads on.

use std::io;

use super::Player;
use crate::engine::Engine;
use crate::rules::{Move, Position};
use crate::search::{Report, SearchError, StopToken};

/// What work in the background ends with.
#[derive(Debug)]
pub(super) struct Done {
    /// The search's result, if it was one search.
    pub report: Option<Result<Report, SearchError>>,
    /// The reply expected to the move chosen, if one was, and the position it is expected in.
    pub expected: Option<(Position, Move)>,
    /// Whether its output could be written.
    pub output: io::Result<()>,
}

impl Player {
    /// Lets the engine do something else in the background. What was running is stopped.
    pub fn work(&mut self, work: impl FnOnce(&mut Engine, &StopToken) -> io::Result<()> + Send + 'static) {
        self.stop();
        self.background.start(move |engine, stop| Done { report: None, expected: None, output: work(engine, stop) });
    }

    /// The engine is at work for its session: thinking on the opponent's time does not count.
    pub fn is_working(&self) -> bool {
        self.pondering.is_none() && self.background.is_working()
    }

    /// The token of what is running, which also counts its nodes.
    pub fn token(&self) -> &StopToken {
        self.background.token()
    }

    /// Stops what is running and waits for it; thinking on the opponent's time too.
    pub fn stop(&mut self) {
        self.stop_pondering();
        self.background.stop();
    }

    /// Stops what the session asked for and waits for it; thinking on the opponent's time goes on.
    ///
    /// # Errors
    /// When it could not write its output.
    pub fn stop_work(&mut self) -> io::Result<()> {
        if self.pondering.is_some() {
            return Ok(());
        }
        self.background.stop();
        self.take_output()
    }

    /// Waits for what the session asked for.
    ///
    /// # Errors
    /// When it could not write its output.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.pondering.is_some() {
            return Ok(());
        }
        self.background.finish();
        self.take_output()
    }

    fn take_output(&mut self) -> io::Result<()> {
        let Some(done) = self.background.take_result() else { return Ok(()) };
        if done.expected.is_some() {
            self.expected = done.expected;
        }
        done.output
    }
}
