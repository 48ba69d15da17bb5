//! Solving many positions side by side, with the results in the order of the input.

use std::any::Any;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use rayon::ThreadPool;
use rayon::prelude::*;

use super::equal_moves::add_equal_moves;
use super::review::aims_at_proof;
use super::verdict::scores_of;
use crate::engine::{Engine, Options};
use crate::eval::Weights;
use crate::formats::obf::{ObfError, Problem};
use crate::formats::quantity::plural;
use crate::search::{Limits, Report, SearchError, StopToken, Time};
use crate::time::Instant;
use crate::workers::{self, Lead};

/// How often an interrupt is looked for while nothing else happens.
const POLL: Duration = Duration::from_millis(20);
/// How long an interrupt waits for searches to hand in what they have finished.
const GRACE: Duration = Duration::from_millis(200);

/// Results that may wait for their turn, or for somebody who takes them, a job: of positions some take a million times as long as
/// others.
const AHEAD: u64 = if cfg!(test) { 10 } else { 1000 };

/// Most jobs.
pub const MAX_JOBS: usize = 256;

/// The threads of the jobs cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobsError {
    /// A number of jobs outside 1 to [`MAX_JOBS`].
    #[error("cannot work on {0} positions at a time: 1 to {MAX_JOBS} are possible")]
    Number(usize),
    /// The system gives no thread. Where it gives some, they do the jobs of all.
    #[error("cannot start {}: {source}", plural(*jobs as u64, "job"))]
    Threads {
        /// Number of jobs asked for.
        jobs: usize,
        /// Why not.
        source: rayon::ThreadPoolBuildError,
    },
}

/// Why an analysis cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnalysisError {
    /// The threads of the jobs cannot be started.
    #[error(transparent)]
    Jobs(#[from] JobsError),
    /// An engine cannot search.
    #[error(transparent)]
    Search(#[from] SearchError),
}

/// A thread for each job; fewer where the system does not give them.
pub(super) fn pool(jobs: usize) -> Result<ThreadPool, JobsError> {
    if !(1..=MAX_JOBS).contains(&jobs) {
        return Err(JobsError::Number(jobs));
    }
    workers::pool(Some(jobs)).map_err(|source| JobsError::Threads { jobs, source })
}

/// Hears of the iterations of the search of the problem with this number, on a job's thread.
pub type OnReport = Arc<dyn Fn(u64, &Report) + Send + Sync>;

/// What to do with every problem. With one thread a search, what is found of a problem that no limit of time cuts short does not
/// depend on the others, nor on the number of jobs: its score, or all of it where it is no proof (of moves that are proved to be
/// equal one or another may come first).
///
/// ```
/// use std::sync::Arc;
/// use outflank::analysis::batch::{Batch, Event, numbered};
/// use outflank::formats::obf::Reader;
/// use outflank::{Goal, Limits, Options, RuleSet};
///
/// // lines of a file, as the engine's command reads them
/// let lines = "--XXXXX---XOOX-OOOOOXOXO-OOXOOOOOOOOOOOOXXOOOOOO--XOOO----OXO--- X\nnonsense\n";
/// let problems = Reader::new(lines.as_bytes(), Arc::new(RuleSet::othello()));
/// let batch = Batch {
///     jobs: 2,
///     options: Options { hash_mib: 1, threads: 1 },
///     ..Batch::new(Limits::new(Goal::Exact))
/// };
/// let mut scores = Vec::new();
/// for event in batch.run(numbered(problems))? {
///     match event {
///         Event::Solved(solved) => scores.push(solved.report.score),
///         Event::BadLine { line, error, .. } => eprintln!("line {line}: {error}"),
///         Event::Unsearched { line, error, .. } => eprintln!("line {line}: {error}"),
///         Event::Interrupted => break,
///     }
/// }
/// assert_eq!(scores, [4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Batch {
    /// Positions solved at the same time, each on an engine of its own.
    pub jobs: usize,
    /// Options of each job's engine.
    pub options: Options,
    /// Weights of each job's engine, if not the built-in ones.
    pub weights: Option<Arc<Weights>>,
    /// Limits of each search.
    pub limits: Limits,
    /// Look for all moves that are as good as the best one (see [`add_equal_moves`]).
    pub best_moves: bool,
    /// Ends the batch early. A deadline ([`StopToken::set_deadline`]) does not: from then on no search goes on or deeper than its first
    /// look, and the reports of what is left say so ([`Report::stopped`]).
    pub stop: StopToken,
    /// Hears of iterations.
    pub on_report: Option<OnReport>,
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Batch { jobs, options, limits, best_moves, .. } = self;
        write!(f, "Batch {{ jobs: {jobs}, options: {options:?}, limits: {limits:?}, best_moves: {best_moves}, .. }}")
    }
}

/// A problem of the input, or why a line is none.
#[derive(Debug)]
pub struct Numbered {
    /// Running number of the problem, from 1; bad lines have one too.
    pub number: u64,
    /// Which input it is from, from 0.
    pub source: usize,
    /// Line of that input, from 1.
    pub line: usize,
    /// The problem.
    pub problem: Result<Problem, ObfError>,
}

/// Numbers what an OBF [`Reader`](crate::formats::obf::Reader) reads, lazily. To begin after the first `n` problems, skip them:
/// `numbered(reader).skip(n)`.
pub fn numbered<I>(problems: I) -> impl Iterator<Item = Numbered> + use<I>
where
    I: Iterator<Item = (usize, Result<Problem, ObfError>)>,
{
    numbered_all([problems])
}

/// Numbers what several readers read, one after the other: the numbers go on, the lines begin again with each.
pub fn numbered_all<I>(inputs: impl IntoIterator<Item = I>) -> impl Iterator<Item = Numbered>
where
    I: Iterator<Item = (usize, Result<Problem, ObfError>)>,
{
    let lines = inputs.into_iter().enumerate().flat_map(|(source, problems)| problems.map(move |line| (source, line)));
    (1..).zip(lines).map(|(number, (source, (line, problem)))| Numbered { number, source, line, problem })
}

/// A solved position.
#[derive(Clone, Debug)]
pub struct Solved {
    /// Running number of the problem, from 1; bad lines have one too.
    pub number: u64,
    /// Which input it is from, from 0.
    pub source: usize,
    /// Line of that input, from 1.
    pub line: usize,
    /// The problem.
    pub problem: Problem,
    /// The answer.
    pub report: Report,
}

impl Solved {
    /// The position with the scores found, of all lines or of the best one; where it has no move, with its own.
    pub fn to_problem(&self, all_lines: bool) -> Problem {
        let lines = &self.report.lines;
        let lines = if all_lines { lines } else { &lines[..lines.len().min(1)] };
        Problem {
            position: self.problem.position.clone(),
            scores: scores_of(lines),
            score: lines.is_empty().then_some(self.report.score),
            searched: self.report.searched(),
        }
    }
}

/// What comes out of a batch, in the order of the input.
#[derive(Debug)]
pub enum Event {
    /// A position was solved, or searched as far as the limits allow: [`Report::stopped`] tells.
    Solved(Box<Solved>),
    /// A line could not be read.
    BadLine {
        /// Running number, from 1, as problems have.
        number: u64,
        /// Which input, from 0.
        source: usize,
        /// Line of that input, from 1.
        line: usize,
        /// What is wrong.
        error: ObfError,
    },
    /// A position could not be searched.
    Unsearched {
        /// Running number, from 1.
        number: u64,
        /// Which input, from 0.
        source: usize,
        /// Line of that input, from 1.
        line: usize,
        /// Why not.
        error: SearchError,
    },
    /// The batch was stopped; nothing follows. Positions solved out of turn came before this, with gaps in their numbers.
    Interrupted,
}

impl Batch {
    /// Searches with these limits, one position at a time.
    pub fn new(limits: Limits) -> Batch {
        Batch {
            jobs: 1,
            options: Options::default(),
            weights: None,
            limits,
            best_moves: false,
            stop: StopToken::new(),
            on_report: None,
        }
    }

    /// Starts the work on threads of its own and returns the events as they come. Problems are read one at a time, when a
    /// job is free for them, so that a pipe is answered line by line, and no further than a thousand a job beyond the event that is
    /// wanted next, so that no number of them fills the memory. When the events are dropped, searches under way are the last.
    ///
    /// # Errors
    /// [`JobsError`] when the threads cannot be started.
    pub fn run(self, problems: impl Iterator<Item = Numbered> + Send + 'static) -> Result<Events, JobsError> {
        let pool = pool(self.jobs)?;
        let (sender, receiver) = mpsc::channel();
        let lead = Arc::new(Lead::new(AHEAD * self.jobs as u64));
        let (stop, shared) = (self.stop.clone(), lead.clone());
        let (cause, panicked) = mpsc::channel();
        // nobody waits for it: after an interrupt it may be blocked in a read that never ends
        pool.spawn(move || {
            let last = sender.clone();
            // the pool would end the process with a panic; it is for who hears the events, and there before their end
            if let Err(panic) = panic::catch_unwind(AssertUnwindSafe(|| self.work_through(problems, &shared, sender))) {
                let _ = cause.send(panic);
            }
            drop(last);
        });
        Ok(Events { receiver, panicked, waiting: BTreeMap::new(), turn: 0, lead, stop, state: State::Running })
    }

    /// Works on the problems on the threads of this pool.
    fn work_through(&self, problems: impl Iterator<Item = Numbered> + Send, lead: &Lead, sender: Sender<(u64, Event)>) {
        let turns = (0..).take_while(|&turn| lead.may_begin(turn));
        let input = turns.zip(problems).take_while(|_| !self.stop.is_stopped() && !lead.is_over());
        input.par_bridge().for_each_init(
            || (self.engine(), sender.clone()),
            |(engine, sender), (turn, problem)| {
                let _end = lead.end_with_a_panic();
                if let Some(event) = self.work(engine, problem)
                    && sender.send((turn, event)).is_err()
                {
                    lead.end();
                }
            },
        );
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

    /// What becomes of one problem; `None` when the batch was stopped meanwhile.
    fn work(&self, engine: &mut Engine, Numbered { number, source, line, problem }: Numbered) -> Option<Event> {
        let problem = match problem {
            Ok(problem) => problem,
            Err(error) => return Some(Event::BadLine { number, source, line, error }),
        };
        let report = match self.solve(engine, number, &problem) {
            Ok(report) => report,
            Err(error) => return Some(Event::Unsearched { number, source, line, error }),
        };
        let is_cut = report.stopped && self.stop.is_stopped();
        (!is_cut).then(|| Event::Solved(Box::new(Solved { number, source, line, problem, report })))
    }

    fn solve(&self, engine: &mut Engine, number: u64, problem: &Problem) -> Result<Report, SearchError> {
        let has_time = self.limits.time != Time::Unlimited;
        // what is known of the problems before says nothing wrong, and proofs come sooner by it; but what is no proof would depend on
        // them, and so on the number of jobs and on where the batch was resumed
        if has_time || self.limits.nodes.is_some() || !aims_at_proof(self.limits.goal, &problem.position) {
            engine.clear();
        }
        if has_time {
            // the first position would have less than the others
            engine.prepare(&problem.position);
        }
        let report = engine.search(&problem.position, &self.limits, &self.stop, &mut |report| {
            if let Some(on_report) = &self.on_report {
                on_report(number, report);
            }
        });
        if !self.best_moves {
            return report;
        }
        add_equal_moves(engine, &problem.position, &self.limits, &self.stop, report?)
    }
}

/// Where the events come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    /// Interrupted: hand out what is there, gaps or not.
    Draining,
    Ended,
}

/// The events of a batch in the order of the input.
#[derive(Debug)]
pub struct Events {
    receiver: Receiver<(u64, Event)>,
    /// What a job, or the reading of the problems, has panicked with.
    panicked: Receiver<Box<dyn Any + Send>>,
    /// Results that came before their turn.
    waiting: BTreeMap<u64, Event>,
    /// Whose turn it is, by the order of the input.
    turn: u64,
    /// Lets the jobs go on when events have been taken.
    lead: Arc<Lead>,
    stop: StopToken,
    state: State,
}

impl Drop for Events {
    fn drop(&mut self) {
        self.lead.end();
    }
}

impl Events {
    /// Takes in what arrives until the next event in order is there, the input ends, or the batch is interrupted.
    fn receive<E>(&mut self, hear: &mut dyn FnMut(&Event) -> Result<(), E>) -> Result<(), E> {
        while !self.waiting.contains_key(&self.turn) {
            match self.receiver.recv_timeout(POLL) {
                Ok((turn, event)) => {
                    hear(&event)?;
                    self.waiting.insert(turn, event);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    if let Ok(panic) = self.panicked.try_recv() {
                        panic::resume_unwind(panic);
                    }
                    let interrupted = self.stop.is_stopped();
                    self.state = if interrupted { State::Draining } else { State::Ended };
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout) if self.stop.is_stopped() => {
                    self.state = State::Draining;
                    let deadline = Instant::now() + GRACE;
                    while let Ok((turn, event)) =
                        self.receiver.recv_timeout(deadline.saturating_duration_since(Instant::now()))
                    {
                        hear(&event)?;
                        self.waiting.insert(turn, event);
                    }
                    return Ok(());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        Ok(())
    }
}

impl Events {
    /// The next event in the order of the input. `hear` is told of every event as it comes, also of those that have to wait for
    /// their turn, so that what is solved can be saved at once; [`Event::Interrupted`] is no result and is not told.
    ///
    /// # Errors
    /// What `hear` returns.
    ///
    /// # Panics
    /// When a job has panicked, or the problems: that some are left out would not be noticed otherwise.
    pub fn next_hearing<E>(&mut self, hear: &mut dyn FnMut(&Event) -> Result<(), E>) -> Result<Option<Event>, E> {
        if self.state == State::Running {
            self.receive(hear)?;
        }
        if let Some((turn, event)) = self.waiting.pop_first() {
            self.turn = turn + 1;
            self.lead.take(turn);
            return Ok(Some(event));
        }
        Ok(match self.state {
            State::Draining => {
                self.state = State::Ended;
                Some(Event::Interrupted)
            }
            _ => None,
        })
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        match self.next_hearing::<Infallible>(&mut |_| Ok(())) {
            Ok(event) => event,
        }
    }
}

#[cfg(test)]
mod tests;
