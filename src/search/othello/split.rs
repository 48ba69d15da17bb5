//! Parallel search: split points that idle threads join (young brothers wait).
//!
//! When a node's first child has been searched without a cut-off and a thread is idle, the remaining children
//! become a [`SplitPoint`]. Helpers join it at any time while children are left, the owner works on it like
//! everybody else and, when nothing is left, helps its own helpers only. A cut-off sets a flag that every worker
//! below looks at.
//!
//! Two things keep threads from being idle for long. Large nodes, all of whose children are likely to be searched, are split before
//! anybody is idle: who gets idle finds work at once. And while somebody is, the first child of such a node is not waited for.
//!
//! Idle threads sleep, and no more of them are woken than there are children to search. Where there are more threads than the
//! machine has cores, some sleep always: a node is split when a core is idle, not when a thread is.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::children::Child;
use super::entries::Entries;
use super::pvs::pvs_child;
use super::worker::{Node, Shared, Worker};
use crate::eval::Features;
use crate::search::statistics::{Counters, Event, Pause, Since};

/// Least depth at which a node is split.
const MIN_DEPTH: u32 = 6;
/// Least number of empties at which an endgame node is split ...
const MIN_EMPTIES: u32 = 14;
/// ... and before its first child has been searched, where no child is expected to cut.
const UNTRIED_EMPTIES: u32 = 15;
/// Least number of empties at which such a node is split with the others at work: less is searched before they ask for it ...
const READY_EMPTIES: u32 = 16;
/// ... and least depth, in the midgame.
const READY_DEPTH: u32 = 10;

/// A node whose children are to be shared out, and what is known of it.
#[derive(Clone, Copy)]
pub(super) struct Task {
    pub node: Node,
    pub alpha: i32,
    pub beta: i32,
    pub depth: u32,
    pub expect_cut: bool,
    pub best: i32,
    pub best_move: u8,
}

/// The part of a split point that changes.
struct Progress {
    /// Children not yet taken, worst first.
    children: Vec<Child>,
    alpha: i32,
    best: i32,
    best_move: u8,
}

/// A node that several threads search together.
pub(crate) struct SplitPoint {
    /// The split point the owner was working for.
    pub parent: Option<Arc<SplitPoint>>,
    task: Task,
    features: Features,
    selectivity: u8,
    probing: u8,
    progress: Mutex<Progress>,
    /// Children not yet taken.
    left: AtomicUsize,
    helpers: AtomicUsize,
    cut: AtomicBool,
}

impl SplitPoint {
    /// A cut-off was found: work on this node is in vain.
    #[inline(always)]
    pub fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().expect("no thread panics holding it")
    }

    fn has_work(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0 && !self.is_cut()
    }

    fn is_below(&self, ancestor: &Arc<SplitPoint>) -> bool {
        let mut up = &self.parent;
        while let Some(point) = up {
            if Arc::ptr_eq(point, ancestor) {
                return true;
            }
            up = &point.parent;
        }
        false
    }
}

/// The threads of a search and the split points open to them.
#[derive(Default)]
pub(crate) struct Pool {
    open: Mutex<Open>,
    /// Helpers without work sleep here ...
    opened: Condvar,
    /// ... and here owners of split points whose last children are with helpers.
    returned: Condvar,
    /// Threads that do either.
    idle: AtomicUsize,
    /// Threads that there are no cores for.
    surplus: AtomicUsize,
    /// Several threads can search at the same time.
    parallel: AtomicBool,
    closed: AtomicBool,
    counters: Counters,
}

/// What is open to threads without work, and how many there are of them.
#[derive(Default)]
struct Open {
    points: Vec<Arc<SplitPoint>>,
    helpers: usize,
    owners: usize,
}

impl Pool {
    fn open(&self) -> MutexGuard<'_, Open> {
        // a list of points is valid whoever panicked
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many threads have been started.
    pub fn set_threads(&self, threads: usize) {
        static CORES: OnceLock<usize> = OnceLock::new();
        let cores = *CORES.get_or_init(|| std::thread::available_parallelism().map_or(usize::MAX, usize::from));
        self.surplus.store(threads.saturating_sub(cores), Ordering::Relaxed);
        self.parallel.store(threads.min(cores) > 1, Ordering::Relaxed);
    }

    /// Lets the helpers go.
    pub fn close(&self) {
        let _open = self.open();
        self.closed.store(true, Ordering::Relaxed);
        self.opened.notify_all();
        self.returned.notify_all();
    }

    /// Cores without a thread that searches.
    #[inline(always)]
    fn idle_cores(&self) -> usize {
        self.idle.load(Ordering::Relaxed).saturating_sub(self.surplus.load(Ordering::Relaxed))
    }

    /// There is a core for this thread, which is not counted as idle: when one that waited has gone on, there may be none.
    fn has_core(&self) -> bool {
        self.idle.load(Ordering::Relaxed) >= self.surplus.load(Ordering::Relaxed)
    }

    /// How many of the helpers that sleep are woken for so many children.
    fn woken(&self, children: usize, asleep: usize) -> usize {
        // one child is the owner's
        (children - 1).min(asleep).min(self.idle_cores())
    }

    /// Opens a split point with so many children, and wakes who may help.
    fn add(&self, point: Arc<SplitPoint>, children: usize) {
        let mut open = self.open();
        open.points.push(point);
        let woken = self.woken(children, open.helpers);
        let owners = open.owners;
        drop(open);
        for _ in 0..woken {
            self.opened.notify_one();
        }
        if owners > 0 {
            self.returned.notify_all();
        }
    }

    /// Sleeps until there may be something to do.
    fn sleep<'a>(&'a self, mut open: MutexGuard<'a, Open>, pause: Pause) -> MutexGuard<'a, Open> {
        let since = Since::now();
        self.idle.fetch_add(1, Ordering::Relaxed);
        let bell = match pause {
            Pause::Idle => {
                open.helpers += 1;
                &self.opened
            }
            Pause::Wait => {
                open.owners += 1;
                // the core is free for somebody who can help others
                if self.woken(2, open.helpers) > 0 && open.points.iter().any(|point| point.has_work()) {
                    self.opened.notify_one();
                }
                &self.returned
            }
        };
        open = bell.wait(open).unwrap_or_else(PoisonError::into_inner);
        match pause {
            Pause::Idle => open.helpers -= 1,
            Pause::Wait => open.owners -= 1,
        }
        self.idle.fetch_sub(1, Ordering::Relaxed);
        self.counters.paused(pause, since);
        open
    }
}

/// A node of this depth is worth splitting now, of whose children so many are searched and `left` are not; `all` of them will probably
/// have to be.
#[inline(always)]
pub(super) fn wanted(w: &Worker, node: Node, depth: u32, searched: usize, left: usize, all: bool) -> bool {
    let pool = &w.shared.pool;
    let endgame = depth >= node.empties;
    if left < 2 || searched == 0 && !(all && endgame) {
        return false;
    }
    if pool.idle_cores() == 0 {
        let least = if endgame { READY_EMPTIES } else { READY_DEPTH };
        return searched > 0 && all && depth >= least && pool.parallel.load(Ordering::Relaxed);
    }
    let least = match (endgame, searched) {
        (false, _) => MIN_DEPTH,
        (true, 0) => UNTRIED_EMPTIES,
        (true, _) => MIN_EMPTIES,
    };
    depth >= least
}

/// Searches the remaining children of a node together with idle threads; returns best score and move.
#[inline(always)]
pub(super) fn split<I: Entries>(w: &mut Worker, task: Task, mut children: Vec<Child>) -> (i32, u8) {
    let count = children.len();
    children.reverse();
    let progress = Progress { children, alpha: task.alpha, best: task.best, best_move: task.best_move };
    let point = Arc::new(SplitPoint {
        parent: w.split.take(),
        task,
        features: w.stack[task.node.ply as usize],
        selectivity: w.selectivity,
        probing: w.probing,
        progress: Mutex::new(progress),
        left: AtomicUsize::new(count),
        helpers: AtomicUsize::new(0),
        cut: AtomicBool::new(false),
    });
    let pool = &w.shared.pool;
    pool.counters.count(Event::Split);
    pool.add(point.clone(), count);
    w.split = Some(point.clone());
    work::<I>(w, &point, Event::Own);
    await_helpers::<I>(w, &point);
    w.split = point.parent.clone();
    let progress = point.progress();
    (progress.best, progress.best_move)
}

/// Closes a split point that has no children left: helps its helpers, or sleeps, until they have returned.
#[inline(always)]
fn await_helpers<I: Entries>(w: &mut Worker, point: &Arc<SplitPoint>) {
    let pool = &w.shared.pool;
    let mut open = pool.open();
    open.points.retain(|other| !Arc::ptr_eq(other, point));
    while point.helpers.load(Ordering::Acquire) > 0 {
        // only helpers of ours may be helped: anything else could keep us from returning
        if let Some(other) = open.points.iter().find(|other| other.is_below(point) && other.has_work()).cloned() {
            other.helpers.fetch_add(1, Ordering::AcqRel);
            drop(open);
            help::<I>(w, &other);
            open = pool.open();
        } else {
            open = pool.sleep(open, Pause::Wait);
        }
    }
}

/// Takes children of a split point until none is left or it is cut.
#[inline(always)]
fn work<I: Entries>(w: &mut Worker, point: &SplitPoint, taken: Event) {
    let task = &point.task;
    loop {
        let (child, alpha) = {
            let mut progress = point.progress();
            if point.is_cut() {
                return;
            }
            let Some(child) = progress.children.pop() else { return };
            point.left.store(progress.children.len(), Ordering::Relaxed);
            (child, progress.alpha)
        };
        w.shared.pool.counters.count(taken);
        let before = w.nodes;
        let next = w.push::<I>(task.node, child.square as usize, child.flips);
        let score = if task.beta == task.alpha + 1 {
            -I::nws(w, next, -alpha - 1, task.depth - 1, !task.expect_cut)
        } else {
            pvs_child::<I>(w, next, alpha, task.beta, task.depth - 1, false)
        };
        if w.is_stopped() {
            w.gave_up(before);
            return;
        }
        let mut progress = point.progress();
        if score > progress.best {
            progress.best = score;
            progress.best_move = child.square;
            progress.alpha = progress.alpha.max(score);
            if score >= task.beta {
                point.cut.store(true, Ordering::Relaxed);
                return;
            }
        }
    }
}

/// Works on another thread's split point; the caller has counted itself in already.
#[inline(always)]
fn help<I: Entries>(w: &mut Worker, point: &Arc<SplitPoint>) {
    let _joined = Joined { shared: w.shared, point };
    let (selectivity, probing) = (w.selectivity, w.probing);
    let split = w.split.replace(point.clone());
    let ply = point.task.node.ply as usize;
    let features = std::mem::replace(&mut w.stack[ply], point.features);
    w.selectivity = point.selectivity;
    w.probing = point.probing;
    work::<I>(w, point, Event::Stolen);
    w.stack[ply] = features;
    w.split = split;
    w.selectivity = selectivity;
    w.probing = probing;
    // before the owner goes on: its reports count all nodes
    w.report_nodes();
}

/// A helper of a split point: counted out at the end, also when it panics, because the owner waits for it.
struct Joined<'a> {
    shared: &'a Shared<'a>,
    point: &'a SplitPoint,
}

impl Worker<'_> {
    /// What this thread has searched since it was at so many nodes was in vain.
    fn gave_up(&mut self, before: u64) {
        // what lies further down has been counted
        self.shared.pool.counters.given_up(self.nodes - before.max(self.in_vain_until));
        self.in_vain_until = self.nodes;
    }
}

impl Drop for Joined<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.watch.end();
        }
        let _open = self.shared.pool.open();
        if self.point.helpers.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.shared.pool.returned.notify_all();
        }
    }
}

/// A helper thread: joins split points until the pool is closed.
pub(super) fn helper<I: Entries>(w: &mut Worker) {
    let pool = &w.shared.pool;
    let mut open = pool.open();
    let mut was_asleep = false;
    loop {
        if pool.closed.load(Ordering::Relaxed) {
            break;
        }
        // the oldest split points are nearest to the root and hold the most work
        let work = open.points.iter().find(|point| point.has_work() && pool.has_core());
        if let Some(point) = work.cloned() {
            point.helpers.fetch_add(1, Ordering::AcqRel);
            drop(open);
            help::<I>(w, &point);
            open = pool.open();
            was_asleep = false;
        } else {
            if was_asleep {
                pool.counters.count(Event::InVain);
            }
            open = pool.sleep(open, Pause::Idle);
            was_asleep = true;
        }
    }
}

#[cfg(test)]
mod tests;
