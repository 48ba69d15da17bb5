//! Solving many positions side by side, with the results in the order of the input.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use outflank::engine::{Engine, Options};
use outflank::eval::Weights;
use outflank::formats::obf::{ObfError, Problem, Reader};
use outflank::search::{Limits, Report, StopToken};
use rayon::prelude::*;

use super::equals::add_equal_moves;
use super::output::LiveStatus;
use crate::commands::error::Error;

/// How often an interrupt is looked for while nothing else happens.
const POLL: Duration = Duration::from_millis(20);
/// How long an interrupt waits for searches to hand in what they have finished.
const GRACE: Duration = Duration::from_millis(200);

/// What to do with every problem.
pub struct Batch {
    /// Positions solved at the same time.
    pub jobs: usize,
    /// Options of each job's engine.
    pub options: Options,
    /// Weights of each job's engine, if not the built-in ones.
    pub weights: Option<Arc<Weights>>,
    /// Limits of each search.
    pub limits: Limits,
    /// Look for all moves that are as good as the best one.
    pub best_moves: bool,
    /// Ends the batch early.
    pub stop: StopToken,
    /// Where a lone job shows its iterations.
    pub status: LiveStatus,
}

/// A solved position.
pub struct Solved {
    /// Running number of the problem, from 1; bad lines have one too.
    pub number: u64,
    /// Line of the input, from 1.
    pub line: usize,
    /// The problem.
    pub problem: Problem,
    /// The answer.
    pub report: Report,
}

/// What comes out of a batch, in the order of the input.
pub enum Event {
    /// A position was solved.
    Solved(Box<Solved>),
    /// A line could not be read.
    BadLine {
        /// Line of the input, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The batch was stopped; nothing follows.
    Interrupted,
}

impl Batch {
    /// Starts the work on threads of its own and returns the events as they come. Problems are read one at a time, when a
    /// job is free for them, so that a pipe is answered line by line.
    pub fn run<R: BufRead + Send + 'static>(self, problems: Reader<R>) -> Result<Events, Error> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.jobs)
            .build()
            .map_err(|error| Error::input(format!("cannot start {} jobs: {error}", self.jobs)))?;
        let (sender, receiver) = mpsc::channel();
        let stop = self.stop.clone();
        // not a scoped thread: after an interrupt it may be blocked in a read that never ends
        thread::spawn(move || {
            let stop = self.stop.clone();
            let input = (1..).zip(problems).take_while(|_| !stop.is_stopped());
            pool.install(|| {
                input.par_bridge().for_each_init(
                    || (self.engine(), sender.clone()),
                    |(engine, sender), (number, (line, problem))| self.work(engine, sender, number, line, problem),
                );
            });
        });
        Ok(Events { receiver, waiting: BTreeMap::new(), next: 1, stop, state: State::Running })
    }

    /// An engine whose table is there before the first clock starts.
    fn engine(&self) -> Engine {
        let mut engine = Engine::new(self.options.clone()).with_weights(self.weights.clone());
        if let Err(error) = engine.allocate() {
            // the engine makes do with a smaller one
            log::warn!("{error}");
        }
        engine
    }

    fn work(
        &self,
        engine: &mut Engine,
        sender: &Sender<(u64, Event)>,
        number: u64,
        line: usize,
        problem: Result<Problem, ObfError>,
    ) {
        let event = match problem {
            Err(error) => Event::BadLine { line, message: error.to_string() },
            Ok(problem) => {
                let mut report = engine.search(&problem.position, &self.limits, &self.stop, &mut |report| {
                    self.status.iteration(number, report);
                });
                if self.best_moves {
                    report = report.and_then(|report| {
                        add_equal_moves(engine, &problem.position, &self.limits, &self.stop, report)
                    });
                }
                match report {
                    Ok(report) if report.stopped && self.stop.is_stopped() => return,
                    Ok(report) => Event::Solved(Box::new(Solved { number, line, problem, report })),
                    Err(error) => Event::BadLine { line, message: error.to_string() },
                }
            }
        };
        // nobody listens any more after an interrupt
        let _ = sender.send((number, event));
    }
}

/// Where the events come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    /// Interrupted: hand out what is there, gaps or not.
    Draining,
    Ended,
}

/// The events of a batch in the order of the input.
pub struct Events {
    receiver: Receiver<(u64, Event)>,
    /// Results that came before their turn.
    waiting: BTreeMap<u64, Event>,
    /// The number whose turn it is.
    next: u64,
    stop: StopToken,
    state: State,
}

impl Events {
    /// Takes in what arrives until the next event in order is there, the input ends, or the batch is interrupted.
    fn receive(&mut self) {
        while !self.waiting.contains_key(&self.next) {
            match self.receiver.recv_timeout(POLL) {
                Ok((number, event)) => drop(self.waiting.insert(number, event)),
                Err(RecvTimeoutError::Disconnected) => {
                    let interrupted = self.stop.is_stopped();
                    self.state = if interrupted { State::Draining } else { State::Ended };
                    return;
                }
                Err(RecvTimeoutError::Timeout) if self.stop.is_stopped() => {
                    self.state = State::Draining;
                    let deadline = Instant::now() + GRACE;
                    while let Ok((number, event)) =
                        self.receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()))
                    {
                        self.waiting.insert(number, event);
                    }
                    return;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        if self.state == State::Running {
            self.receive();
        }
        if let Some((number, event)) = self.waiting.pop_first() {
            self.next = number + 1;
            return Some(event);
        }
        match self.state {
            State::Draining => {
                self.state = State::Ended;
                Some(Event::Interrupted)
            }
            _ => None,
        }
    }
}
