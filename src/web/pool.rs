//! The threads that search: a fixed number for all clients.
//!
//! Work that nobody waits for any more is stopped at once ([`Ticket`]). When others wait, work that can be interrupted gives its
//! place up after a slice of time and goes to the end of the queue; every slice is twice as long as the one before, up to
//! a limit for work that goes on from where it was, and without one for work that has to begin anew: so it comes to an end.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;

use super::error::Problem;
use crate::engine::{Engine, Options};
use crate::game::Game;
use crate::play::{Player, PlayerOptions};
use crate::search::StopToken;
use crate::search::threads::start_apart;
use crate::time::Instant;

/// The first slice of interruptible work when others wait.
const SLICE: Duration = Duration::from_millis(400);

/// The longest slice of work that gets on in every one.
const LONGEST_SLICE: Duration = Duration::from_secs(8);

/// How often overdue work is looked for.
const LOOK: Duration = Duration::from_millis(25);

/// Work that may wait; more is refused.
const MOST_WAITING: usize = 1000;

/// The table of reviews, in MiB: a review clears it for every estimate, which the shared table must not suffer.
const REVIEW_HASH_MIB: usize = 16;

/// What a thread of the pool searches with.
pub(crate) struct Worker {
    /// Chooses moves; its engine shares the table with all others.
    pub player: Player,
    /// An engine that may forget what it likes.
    reviewer: Option<Engine>,
    stop: StopToken,
}

impl Worker {
    fn new(engine: &Engine) -> Worker {
        let stop = StopToken::new();
        let options = PlayerOptions { stop: stop.clone(), ..PlayerOptions::default() };
        Worker { player: Player::new(engine.sharing(), Game::default(), options), reviewer: None, stop }
    }

    /// An engine with a table of its own.
    pub fn reviewer(&mut self) -> &mut Engine {
        let engine = self.player.engine();
        self.reviewer.get_or_insert_with(|| {
            let options = engine.options().clone();
            let mut own = engine.sharing();
            own.set_options(Options { hash_mib: REVIEW_HASH_MIB.min(options.hash_mib), ..options.clone() });
            if own.options() == &options {
                // the same size would be the same table
                own.set_options(Options { hash_mib: options.hash_mib + 1, ..options });
            }
            own
        })
    }
}

/// What becomes of work after its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing is left of it.
    Done,
    /// It goes on when others have had their turn.
    Again,
    /// The same, but its slice was too short for anything: the next one begins from nothing.
    Anew,
}

/// The slice that follows on one with this progress.
fn next_slice(slice: Duration, progress: Progress) -> Duration {
    let twice = slice.saturating_mul(2);
    match progress {
        Progress::Done => slice,
        // one that has had to be longer has still to be
        Progress::Again => slice.max(twice.min(LONGEST_SLICE)),
        Progress::Anew => twice,
    }
}

/// Work: called until it is done.
pub(crate) type Job = Box<dyn FnMut(&mut Worker, &Turn) -> Progress + Send>;

/// The turn of a piece of work.
pub(crate) struct Turn<'a> {
    state: &'a JobState,
    scheduler: &'a Scheduler,
    /// Set when the work should end or make room.
    pub stop: &'a StopToken,
}

impl Turn<'_> {
    /// The work should make room for others, and will go on later.
    pub fn makes_room(&self) -> bool {
        self.state.preempted.load(Ordering::SeqCst) && !self.is_over()
    }

    /// Sets the token of this turn after so long. A search that knew of the limit would not look far where there is only one
    /// move, as is right in a game and wrong in an analysis.
    pub fn limit(&self, time: Duration) {
        *self.state.until() = Instant::now().checked_add(time);
        // not between the keeper's look and its sleep
        drop(self.scheduler.jobs());
        self.scheduler.has_waiting.notify_one();
    }

    /// The work has been stopped for good.
    pub fn is_over(&self) -> bool {
        self.state.over.load(Ordering::SeqCst)
    }
}

/// What is known about a job outside its thread.
#[derive(Default)]
struct JobState {
    /// It should end with what it has.
    over: AtomicBool,
    /// Nobody waits for it.
    gone: AtomicBool,
    preempted: AtomicBool,
    /// When its turn ends at the latest.
    until: Mutex<Option<Instant>>,
    /// Its search, while it has its turn.
    current: Mutex<Option<StopToken>>,
}

impl JobState {
    fn current(&self) -> MutexGuard<'_, Option<StopToken>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn until(&self) -> MutexGuard<'_, Option<Instant>> {
        self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.over.store(true, Ordering::SeqCst);
        self.interrupt();
    }

    fn interrupt(&self) {
        if let Some(token) = &*self.current() {
            token.stop();
        }
    }
}

/// Who waits for a piece of work has its ticket; when it is dropped, the work is stopped and its result is nobody's.
pub(crate) struct Ticket(Arc<JobState>);

impl Ticket {
    /// What stops the work with the result that it has.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.0))
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.gone.store(true, Ordering::SeqCst);
        self.0.stop();
    }
}

/// Stops a piece of work, which then delivers what it has.
pub(crate) struct Stopper(Arc<JobState>);

impl Stopper {
    /// Stops it, now or when its turn comes.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// It stops the work of this ticket.
    pub fn is_of(&self, ticket: &Ticket) -> bool {
        Arc::ptr_eq(&self.0, &ticket.0)
    }

    /// Nobody waits for it any more, or it has ended.
    pub fn is_gone(&self) -> bool {
        self.0.gone.load(Ordering::SeqCst)
    }
}

/// A job in the queue.
struct Queued {
    job: Job,
    state: Arc<JobState>,
    slice: Duration,
    /// May be interrupted and go on later.
    patient: bool,
}

/// A job that has its turn.
struct Running {
    state: Arc<JobState>,
    since: Instant,
    slice: Duration,
    patient: bool,
}

/// All jobs.
struct Jobs {
    queue: VecDeque<Queued>,
    running: Vec<Option<Running>>,
    closed: bool,
}

/// Whose turn it is: what the workers, the keeper of the order and the pool share.
struct Scheduler {
    jobs: Mutex<Jobs>,
    /// There is work, or the end has come.
    has_work: Condvar,
    /// Somebody waits, or the end has come.
    has_waiting: Condvar,
    engine: Engine,
}

impl Jobs {
    /// Work in the queue that somebody waits for.
    fn waiting(&self) -> usize {
        self.queue.iter().filter(|queued| !queued.state.gone.load(Ordering::SeqCst)).count()
    }
}

impl Scheduler {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        // jobs run without the lock, and what is done under it does not panic
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much there is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Load {
    /// Searches that run now.
    pub searching: usize,
    /// Searches that wait for their turn.
    pub waiting: usize,
    /// Threads that search: the most that run at the same time.
    pub threads: usize,
    /// Games and solitaires in memory.
    pub games: usize,
}

/// A fixed number of threads, and the queue before them.
pub(crate) struct Pool {
    scheduler: Arc<Scheduler>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts the threads, each with an engine over this one's table: as many as there are to be had, if not all.
    ///
    /// # Errors
    /// When the system gives no thread that searches, or none that keeps order: every request would wait for ever.
    pub fn new(engine: Engine, threads: usize) -> io::Result<Pool> {
        let threads = threads.max(1);
        let jobs = Jobs { queue: VecDeque::new(), running: (0..threads).map(|_| None).collect(), closed: false };
        let scheduler = Arc::new(Scheduler {
            jobs: Mutex::new(jobs),
            has_work: Condvar::new(),
            has_waiting: Condvar::new(),
            engine,
        });
        // dropped on an error, it ends those that have started
        let mut pool = Pool { scheduler, threads: Vec::with_capacity(threads + 1) };
        pool.start("keeper", keep_order)?;
        for at in 0..threads {
            match pool.start(&format!("search-{at}"), move |scheduler| serve(scheduler, at)) {
                Ok(()) => {}
                Err(error) if at == 0 => return Err(error),
                Err(error) => {
                    log::warn!("{at} of {threads} searches can run at the same time: no other thread starts: {error}");
                    pool.scheduler.jobs().running.truncate(at);
                    break;
                }
            }
        }
        Ok(pool)
    }

    fn start(&mut self, name: &str, work: impl FnOnce(&Scheduler) + Send + 'static) -> io::Result<()> {
        let scheduler = Arc::clone(&self.scheduler);
        self.threads.push(start_apart(name, move || work(&scheduler))?);
        Ok(())
    }

    /// Puts work at the end of the queue. Patient work may be interrupted for others: its token is set, and it returns
    /// [`Progress::Again`] or [`Progress::Anew`].
    ///
    /// # Errors
    /// When too much is waiting.
    pub fn submit(&self, patient: bool, job: Job) -> Result<Ticket, Problem> {
        let state = Arc::new(JobState::default());
        let mut jobs = self.scheduler.jobs();
        if jobs.queue.len() >= MOST_WAITING {
            jobs.queue.retain(|queued| !queued.state.gone.load(Ordering::SeqCst));
        }
        if jobs.queue.len() >= MOST_WAITING {
            return Err(Problem::busy("too many searches are waiting"));
        }
        jobs.queue.push_back(Queued { job, state: Arc::clone(&state), slice: SLICE, patient });
        drop(jobs);
        self.scheduler.has_work.notify_one();
        self.scheduler.has_waiting.notify_one();
        Ok(Ticket(state))
    }

    /// What runs and waits.
    pub fn load(&self) -> Load {
        let jobs = self.scheduler.jobs();
        let waiting = jobs.waiting();
        let searching = jobs.running.iter().flatten().count();
        Load { searching, waiting, threads: jobs.running.len(), games: 0 }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut jobs = self.scheduler.jobs();
        jobs.closed = true;
        jobs.queue.clear();
        jobs.running.iter().flatten().for_each(|running| running.state.stop());
        drop(jobs);
        self.scheduler.has_work.notify_all();
        self.scheduler.has_waiting.notify_all();
        for thread in self.threads.drain(..) {
            // a thread of the pool catches its panics
            let _ = thread.join();
        }
    }
}

/// What a thread of the pool does.
fn serve(scheduler: &Scheduler, at: usize) {
    let mut worker = Worker::new(&scheduler.engine);
    while let Some(mut queued) = next(scheduler, at) {
        worker.stop.reset();
        {
            let mut current = queued.state.current();
            *current = Some(worker.stop.clone());
            if queued.state.over.load(Ordering::SeqCst) {
                worker.stop.stop();
            }
        }
        let stop = worker.stop.clone();
        let turn = Turn { state: &queued.state, scheduler, stop: &stop };
        let job = &mut queued.job;
        let outcome = catch_unwind(AssertUnwindSafe(|| (job)(&mut worker, &turn)));
        *queued.state.current() = None;
        *queued.state.until() = None;
        scheduler.jobs().running[at] = None;
        match outcome {
            Ok(Progress::Done) => {}
            Ok(progress) => {
                queued.slice = next_slice(queued.slice, progress);
                let mut jobs = scheduler.jobs();
                if !jobs.closed {
                    jobs.queue.push_back(queued);
                }
            }
            Err(_) => {
                log::error!("a search panicked: its client is told, the others go on");
                worker = Worker::new(&scheduler.engine);
            }
        }
    }
}

/// The next piece of work that somebody waits for, which runs from now on; `None` at the end.
fn next(scheduler: &Scheduler, at: usize) -> Option<Queued> {
    let mut jobs = scheduler.jobs();
    loop {
        if jobs.closed {
            return None;
        }
        // what has been stopped before its turn takes no time, and somebody waits for what it says
        let stopped = jobs.queue.iter().position(|queued| queued.state.over.load(Ordering::SeqCst));
        match jobs.queue.remove(stopped.unwrap_or(0)) {
            Some(queued) if queued.state.gone.load(Ordering::SeqCst) => {}
            Some(queued) => {
                queued.state.preempted.store(false, Ordering::SeqCst);
                let (state, since) = (Arc::clone(&queued.state), Instant::now());
                jobs.running[at] = Some(Running { state, since, slice: queued.slice, patient: queued.patient });
                return Some(queued);
            }
            None => jobs = scheduler.has_work.wait(jobs).unwrap_or_else(PoisonError::into_inner),
        }
    }
}

/// Ends turns whose time is over, and interrupts patient work whose slice is over while others wait.
fn keep_order(scheduler: &Scheduler) {
    let mut jobs = scheduler.jobs();
    while !jobs.closed {
        let now = Instant::now();
        let mut limited = false;
        for running in jobs.running.iter().flatten() {
            let until = *running.state.until();
            limited |= until.is_some();
            if until.is_some_and(|until| now >= until) {
                running.state.interrupt();
            }
        }
        let mut waiting = jobs.waiting();
        if waiting == 0 && !limited {
            jobs = scheduler.has_waiting.wait(jobs).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let overdue = |running: &&Running| running.patient && running.since.elapsed() >= running.slice;
        for running in jobs.running.iter().flatten().filter(overdue) {
            if waiting == 0 {
                break;
            }
            waiting -= 1;
            running.state.preempted.store(true, Ordering::SeqCst);
            running.state.interrupt();
        }
        jobs = scheduler.has_waiting.wait_timeout(jobs, LOOK).unwrap_or_else(PoisonError::into_inner).0;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::search::threads::limit;

    fn pool(threads: usize) -> Pool {
        Pool::new(Engine::new(Options { hash_mib: 1, threads: 1 }), threads).expect("threads")
    }

    /// Work that waits until it is stopped.
    fn endless(name: &'static str, log: std::sync::mpsc::Sender<&'static str>) -> Job {
        Box::new(move |_, turn| {
            log.send(name).unwrap();
            while !turn.stop.is_stopped() {
                std::thread::sleep(Duration::from_millis(1));
            }
            if turn.makes_room() { Progress::Again } else { Progress::Done }
        })
    }

    #[test]
    fn work_without_a_waiter_ends() {
        let pool = pool(1);
        let (log, heard) = channel();
        let ticket = pool.submit(true, endless("a", log.clone())).unwrap();
        assert_eq!(heard.recv_timeout(Duration::from_secs(10)), Ok("a"));
        assert_eq!((pool.load().searching, pool.load().waiting), (1, 0));
        let second = pool.submit(false, endless("b", log)).unwrap();
        drop(ticket);
        assert_eq!(heard.recv_timeout(Duration::from_secs(10)), Ok("b"));
        let stopper = second.stopper();
        assert!(!stopper.is_gone());
        stopper.stop();
        let start = Instant::now();
        while pool.load().searching > 0 {
            assert!(start.elapsed() < Duration::from_secs(10));
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn patient_work_makes_room_and_goes_on() {
        let pool = pool(1);
        let (log, heard) = channel();
        let _tickets = [true, true].map(|patient| pool.submit(patient, endless("x", log.clone())).unwrap());
        let _third = pool.submit(true, endless("y", log)).unwrap();
        // both x before y, and then again
        let order: Vec<_> = (0..5).map(|_| heard.recv_timeout(Duration::from_secs(20)).unwrap()).collect();
        assert_eq!(order, ["x", "x", "y", "x", "x"]);
    }

    #[test]
    fn work_that_is_stopped_before_its_turn_has_it_next() {
        let pool = pool(1);
        let (log, heard) = channel();
        let tickets = ["a", "b", "c"].map(|name| pool.submit(false, endless(name, log.clone())).unwrap());
        assert_eq!(heard.recv_timeout(Duration::from_secs(10)), Ok("a"));
        tickets[2].stopper().stop();
        tickets[0].stopper().stop();
        let order: Vec<_> = (0..2).map(|_| heard.recv_timeout(Duration::from_secs(10)).unwrap()).collect();
        assert_eq!(order, ["c", "b"]);
    }

    #[test]
    fn work_that_nobody_waits_for_takes_no_place() {
        let pool = pool(1);
        let (log, heard) = channel();
        let _first = pool.submit(false, endless("a", log)).unwrap();
        heard.recv_timeout(Duration::from_secs(10)).unwrap();
        let submit = || pool.submit(false, Box::new(|_, _| Progress::Done));
        let waiting: Vec<Ticket> = (0..MOST_WAITING).map(|_| submit().ok().unwrap()).collect();
        assert_eq!(pool.load().waiting, MOST_WAITING);
        assert_eq!(submit().err().unwrap().status, 429);
        drop(waiting);
        let _next = submit().ok().unwrap();
        assert_eq!(pool.load().waiting, 1);
    }

    #[test]
    fn work_that_begins_anew_gets_a_slice_that_suffices() {
        let slices = |needed: Duration| {
            let progress = |slice| if slice < needed { Progress::Anew } else { Progress::Again };
            let next = |slice: &Duration| Some(next_slice(*slice, progress(*slice)));
            std::iter::successors(Some(SLICE), next).take(12).collect::<Vec<_>>()
        };
        assert_eq!(slices(Duration::ZERO).last(), Some(&LONGEST_SLICE));
        // a move of a review that takes ten seconds, again and again
        let enough = slices(Duration::from_secs(10));
        assert!(enough.is_sorted() && enough[5..].iter().all(|slice| *slice == SLICE * 32), "{enough:?}");
    }

    #[test]
    fn a_system_with_few_threads() {
        let start = |threads: usize, wanted: usize| {
            limit::set(threads);
            let pool = Pool::new(Engine::new(Options { hash_mib: 1, threads: 1 }), wanted);
            limit::set(usize::MAX);
            pool
        };
        // one keeps order
        let pool = start(3, 4).expect("two that search");
        assert_eq!(pool.load().threads, 2);
        let (log, heard) = channel();
        let _tickets = ["a", "b", "c"].map(|name| pool.submit(false, endless(name, log.clone())).unwrap());
        let mut first: Vec<_> = (0..2).map(|_| heard.recv_timeout(Duration::from_secs(10)).unwrap()).collect();
        first.sort_unstable();
        assert_eq!((first, pool.load().searching, pool.load().waiting), (vec!["a", "b"], 2, 1));
        assert!(start(0, 4).is_err() && start(1, 4).is_err(), "nothing could be searched, or nothing ended");
    }

    #[test]
    fn a_panic_is_one_search_lost() {
        let pool = pool(1);
        let _bad = pool.submit(false, Box::new(|_, _| panic!("on purpose"))).unwrap();
        let (log, heard) = channel();
        let _good = pool.submit(true, endless("good", log)).unwrap();
        assert_eq!(heard.recv_timeout(Duration::from_secs(10)), Ok("good"));
    }

    #[test]
    fn reviews_have_a_table_of_their_own() {
        for hash_mib in [1, 16, 17] {
            let mut worker = Worker::new(&Engine::new(Options { hash_mib, threads: 1 }));
            assert_ne!(worker.reviewer().options().hash_mib, hash_mib);
            assert!(worker.reviewer().options().hash_mib <= 17);
        }
    }
}
