//! Workers side by side: each takes the next task of those that are left, and one thread listens to what they find.

use std::collections::BTreeMap;
use std::iter;
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread::{self, Builder};
use std::{env, io};

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Results that wait to be heard of: whoever listens slowly, to print them into a pipe, holds the workers back and not their results.
const UNHEARD: usize = 64;

/// Gives the workers the tasks, each the next one when it is through with the last; a worker that answers `None` gets no more.
/// `listen` hears, on this thread, of the results as they come. When it returns, having heard enough or not, no further task
/// is begun; those under way are waited for.
///
/// Each worker has a thread of its own, unless there is one only, or no other has got a thread: it works on this one whenever
/// `listen` wants a result. Threads that the system does not give leave their share to the others.
///
/// # Panics
/// When a worker or `listen` does.
pub(crate) fn side_by_side<T, R, W, O>(
    workers: impl IntoIterator<Item = W>,
    tasks: impl Iterator<Item = T> + Send,
    listen: impl FnOnce(&mut dyn Iterator<Item = R>) -> O,
) -> O
where
    R: Send,
    W: FnMut(T) -> Option<R> + Send,
{
    let mut workers = workers.into_iter();
    let Some(mut first) = workers.next() else { return listen(&mut iter::empty()) };
    let tasks = Mutex::new(tasks);
    let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    thread::scope(|scope| {
        let (sender, results) = sync_channel(UNHEARD);
        let start = |mut worker: W| {
            let (sender, next) = (sender.clone(), &next);
            Builder::new().spawn_scoped(scope, move || {
                while let Some(result) = next().and_then(&mut worker) {
                    if sender.send(result).is_err() {
                        break;
                    }
                }
            })
        };
        if workers.filter_map(|worker| start(worker).ok()).count() == 0 {
            return listen(&mut iter::from_fn(|| next().and_then(&mut first)));
        }
        // should it get no thread, there are others
        let _ = start(first);
        drop(sender);
        listen(&mut results.into_iter())
    })
}

/// As [`side_by_side`], with the results in the order of the tasks. A result is kept until its turn, and no task is begun that is
/// `ahead` tasks or more behind the one whose result is wanted next: one that takes long does not fill the memory with what the
/// others find meanwhile. After a task without a result nothing has a turn any more, and nothing is begun.
///
/// # Panics
/// As [`side_by_side`].
pub(crate) fn in_order<T, R, W, O>(
    workers: impl IntoIterator<Item = W>,
    tasks: impl Iterator<Item = T> + Send,
    ahead: usize,
    listen: impl FnOnce(&mut dyn Iterator<Item = R>) -> O,
) -> O
where
    R: Send,
    W: FnMut(T) -> Option<R> + Send,
{
    let lead = &Lead::new(ahead as u64);
    let tasks = (0..).take_while(|&turn| lead.may_begin(turn)).zip(tasks);
    let workers = workers.into_iter().map(|mut worker| {
        move |(turn, task)| {
            let _end = lead.end_with_a_panic();
            let result = worker(task);
            if result.is_none() {
                lead.end();
            }
            Some((turn, result?))
        }
    });
    side_by_side(workers, tasks, |results| {
        let _end = lead.end_with_this();
        let mut waiting = BTreeMap::new();
        let mut in_order = (0..).map_while(|turn| {
            while !waiting.contains_key(&turn) {
                let (number, result) = results.next()?;
                waiting.insert(number, result);
            }
            lead.take(turn);
            waiting.remove(&turn)
        });
        listen(&mut in_order)
    })
}

/// To be called before work is given to all cores by rayon: where the system does not give a thread for each, rayon panics. It has
/// those that there are then; without any, the main thread works alone.
pub(crate) fn ready() {
    static STARTED: Once = Once::new();
    // in a pool of its own
    if rayon::current_thread_index().is_none() {
        STARTED.call_once(start_pool);
    }
}

fn start_pool() {
    let (started, hand) = start(None);
    let builder = ThreadPoolBuilder::new().num_threads(started.max(1));
    let is_alone = started == 0 && thread::current().name() == Some("main");
    if started == 0 && !is_alone {
        return;
    }
    let builder = if is_alone { builder.use_current_thread() } else { builder };
    if let Err(error) = builder.spawn_handler(hand).build_global() {
        log::debug!("{error}");
    }
}

/// A pool of so many threads, otherwise of one for each core, that work on one thing together; of those that there are, where the
/// system does not give so many.
///
/// # Errors
/// It gives none.
pub fn pool(threads: Option<usize>) -> Result<ThreadPool, ThreadPoolBuildError> {
    let (started, hand) = start(threads);
    match started {
        // rayon's own attempt says why
        0 => ThreadPoolBuilder::new().num_threads(1).build(),
        _ => ThreadPoolBuilder::new().num_threads(started).spawn_handler(hand).build(),
    }
}

/// Starts so many threads, otherwise one for each core, or those that the system gives, before rayon is told how many there are;
/// returns their number, and what hands them their part in a pool.
fn start(threads: Option<usize>) -> (usize, impl FnMut(ThreadBuilder) -> io::Result<()>) {
    let asked = || env::var("RAYON_NUM_THREADS").ok()?.parse().ok().filter(|&count: &usize| count > 0);
    let wanted = threads.or_else(asked).unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let (hand, taken) = channel::<ThreadBuilder>();
    let taken = Arc::new(Mutex::new(taken));
    let start = |_: &usize| {
        let taken = taken.clone();
        let work = move || {
            let thread = taken.lock().unwrap_or_else(PoisonError::into_inner).recv();
            // without one, another pool is there already
            if let Ok(thread) = thread {
                thread.run();
            }
        };
        Builder::new().spawn(work).inspect_err(|error| log::warn!("cannot start another thread: {error}")).is_ok()
    };
    let started = (0..wanted).take_while(start).count();
    (started, move |thread| hand.send(thread).map_err(|_| io::ErrorKind::BrokenPipe.into()))
}

/// How far tasks with the numbers 0, 1, 2 and so on may be ahead of those whose results have been taken, in their order.
#[derive(Debug)]
pub(crate) struct Lead {
    most: u64,
    state: Mutex<LeadState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct LeadState {
    /// Results taken.
    taken: u64,
    /// Nothing more is to be begun.
    is_over: bool,
}

impl Lead {
    /// So many tasks, from 1 on, whose results have not been taken may have been begun.
    pub fn new(most: u64) -> Lead {
        Lead { most: most.max(1), state: Mutex::default(), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, LeadState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the task with this number may be begun; false when nothing more is to be begun.
    pub fn may_begin(&self, number: u64) -> bool {
        let is_far = |state: &mut LeadState| !state.is_over && number.saturating_sub(state.taken) >= self.most;
        let state = self.changed.wait_while(self.state(), is_far).unwrap_or_else(PoisonError::into_inner);
        !state.is_over
    }

    /// The result with this number has been taken, and all before it.
    pub fn take(&self, number: u64) {
        self.state().taken = number + 1;
        self.changed.notify_all();
    }

    /// Nothing more is begun; who waits is told.
    pub fn end(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// Nothing more is to be begun.
    pub fn is_over(&self) -> bool {
        self.state().is_over
    }

    /// Ends when what is returned is dropped.
    fn end_with_this(&self) -> impl Drop + '_ {
        End { lead: self, always: true }
    }

    /// Ends when what is returned is dropped by a panic: the result that others would wait for does not come.
    pub fn end_with_a_panic(&self) -> impl Drop + '_ {
        End { lead: self, always: false }
    }
}

struct End<'a> {
    lead: &'a Lead,
    always: bool,
}

impl Drop for End<'_> {
    fn drop(&mut self) {
        if self.always || thread::panicking() {
            self.lead.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    /// Squares of the numbers, by workers that wait for each other before each.
    fn squares(workers: usize, count: usize) -> Vec<(usize, usize)> {
        let all_work = Barrier::new(workers);
        let square = |number| {
            all_work.wait();
            Some((number, number * number))
        };
        side_by_side(vec![square; workers], 0..count, |results| results.collect())
    }

    #[test]
    fn tasks_are_shared_by_all_workers() {
        let one: Vec<_> = (0..60).map(|number| (number, number * number)).collect();
        assert_eq!(squares(1, 60), one);
        let mut several = squares(4, 60);
        several.sort_unstable();
        assert_eq!(several, one);
        assert_eq!(squares(3, 0), []);
    }

    #[test]
    fn nothing_is_begun_that_nobody_waits_for() {
        for workers in [1, 3] {
            // the tasks never end: a worker that went on would be waited for in vain
            let heard = side_by_side(vec![Some; workers], 0.., |results: &mut dyn Iterator<Item = usize>| {
                results.take(5).count()
            });
            assert_eq!(heard, 5);
            // nor do workers go on that want no more
            let modest = |task: usize| (task < 3).then_some(task);
            assert_eq!(side_by_side(vec![modest; workers], 0.., |results| results.count()), 3);
        }
    }

    #[test]
    fn results_wait_for_their_turn() {
        for workers in [1, 3] {
            // the later ones are found first
            let late = |task: u64| {
                thread::sleep(Duration::from_millis(4 - task % 4));
                Some(task)
            };
            let found: Vec<u64> = in_order(vec![late; workers], 0..20, 5, |results| results.collect());
            assert_eq!(found, (0..20).collect::<Vec<_>>());
            // nothing has a turn behind one that is not found
            let some = |task: u64| (task != 7).then_some(task);
            assert_eq!(in_order(vec![some; workers], 0.., 5, |results| results.count()), 7);
            assert_eq!(in_order(vec![Some; workers], 0.., 1, |results| results.take(9).sum::<u64>()), 36);
        }
    }

    #[test]
    fn nobody_is_far_ahead() {
        let (begun, most) = (AtomicUsize::new(0), 20);
        let worker = |task: usize| {
            begun.fetch_add(1, Ordering::SeqCst);
            let deadline = Instant::now() + Duration::from_secs(60);
            // the others come as far as they may
            while task == 0 && begun.load(Ordering::SeqCst) < most && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(1));
            }
            if task == 0 {
                thread::sleep(Duration::from_millis(50));
            }
            Some(begun.load(Ordering::SeqCst))
        };
        let first = in_order(vec![&worker; 3], 0.., most, |results| results.next());
        assert_eq!(first, Some(most));
        // nor is anybody ahead of one who does not listen
        begun.store(0, Ordering::SeqCst);
        let work = |_: usize| Some(begun.fetch_add(1, Ordering::SeqCst));
        side_by_side(vec![&work; 3], 0.., |results| {
            results.next();
            thread::sleep(Duration::from_millis(50));
            assert!(begun.load(Ordering::SeqCst) <= UNHEARD + 5);
        });
    }

    #[test]
    fn a_panic_ends_the_work() {
        let worker = |task: usize| if task == 5 { panic!("on purpose") } else { Some(task) };
        let work = || in_order(vec![worker; 3], 0.., 4, |results| results.count());
        assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
    }
}
