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
//! Idle threads sleep, and no more of them are woken than there are children to search; an owner that waits for its helpers is woken by
//! the last of them, or when one shares something out and a core is idle. Where there are more threads than the machine has cores, some sleep always: a node is split when a
//! core is idle, not when a thread is.
//!
//! With many threads what one of them writes is what the others wait for: what all of them read, at each node, has cache lines of its own.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crossbeam_utils::CachePadded;

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
    /// So many split points are above this one.
    level: u32,
    task: Task,
    features: Features,
    selectivity: u8,
    probing: u8,
    cut: AtomicBool,
    work: CachePadded<Work>,
}

/// What is left of a split point, and who is at it.
struct Work {
    progress: Mutex<Progress>,
    /// Children not yet taken.
    left: AtomicUsize,
    helpers: AtomicUsize,
    /// It is among [`Open::points`], and nobody is about to take it off.
    is_open: AtomicBool,
    /// The owner sleeps and nobody has called it. Set with the list of points in hand.
    is_awaited: AtomicBool,
    /// Where the owner sleeps.
    call: Condvar,
}

impl SplitPoint {
    /// Of a node with these children, worst first, that a worker has come to.
    fn new(w: &Worker, parent: Option<Arc<SplitPoint>>, task: Task, children: Vec<Child>) -> SplitPoint {
        let left = AtomicUsize::new(children.len());
        let progress = Progress { children, alpha: task.alpha, best: task.best, best_move: task.best_move };
        SplitPoint {
            level: parent.as_ref().map_or(0, |parent| parent.level + 1),
            parent,
            task,
            features: w.stack[task.node.ply as usize],
            selectivity: w.selectivity,
            probing: w.probing,
            cut: AtomicBool::new(false),
            work: CachePadded::new(Work {
                progress: Mutex::new(progress),
                left,
                helpers: AtomicUsize::new(0),
                is_open: AtomicBool::new(false),
                is_awaited: AtomicBool::new(false),
                call: Condvar::new(),
            }),
        }
    }

    /// A cut-off was found: work on this node is in vain.
    #[inline(always)]
    pub fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.work.progress.lock().expect("no thread panics holding it")
    }

    fn has_work(&self) -> bool {
        self.work.left.load(Ordering::Relaxed) > 0 && !self.is_cut()
    }

    fn is_below(&self, ancestor: &SplitPoint) -> bool {
        let mut up = self;
        while up.level > ancestor.level {
            let Some(parent) = &up.parent else { return false };
            if std::ptr::eq(&**parent, ancestor) {
                return true;
            }
            up = parent;
        }
        false
    }
}

/// The threads of a search and the split points open to them.
#[derive(Default)]
pub(crate) struct Pool {
    /// Threads that have no work, or that wait for their helpers, and that nobody has called.
    idle: CachePadded<AtomicUsize>,
    /// Threads that there are no cores for.
    surplus: AtomicUsize,
    /// Several threads can search at the same time.
    parallel: AtomicBool,
    closed: AtomicBool,
    counters: Counters,
    list: CachePadded<List>,
}

/// What is written at every split.
#[derive(Default)]
struct List {
    open: Mutex<Open>,
    /// Helpers without work sleep here.
    opened: Condvar,
}

/// What is open to threads without work, and how many there are of them.
#[derive(Default)]
struct Open {
    /// Those that children are left of, the oldest first, but for some that have just been finished.
    points: Vec<Arc<SplitPoint>>,
    /// Helpers that sleep and that nobody has called.
    helpers: usize,
    /// Helpers that were called and do not know yet.
    called: usize,
}

impl Pool {
    fn open(&self) -> MutexGuard<'_, Open> {
        // a list of points is valid whoever panicked
        self.list.open.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.list.opened.notify_all();
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

    /// Opens a split point with so many children, and calls who may help.
    fn add(&self, point: &Arc<SplitPoint>, children: usize) {
        let mut open = self.open();
        point.work.is_open.store(true, Ordering::Relaxed);
        open.points.push(point.clone());
        // one child is the owner's
        let mut wanted = (children - 1).min(self.idle_cores());
        let mut above = point.parent.as_ref();
        // an owner that waits may help here only
        while let Some(ancestor) = above
            && wanted > 0
        {
            wanted -= usize::from(self.call_owner(ancestor));
            above = ancestor.parent.as_ref();
        }
        let called = self.call_helpers(&mut open, wanted);
        drop(open);
        (0..called).for_each(|_| self.list.opened.notify_one());
    }

    /// Takes a split point off the list, whoever is the first to see that nothing is left to take.
    fn remove(&self, point: &SplitPoint) {
        if point.work.is_open.swap(false, Ordering::AcqRel) {
            self.open().points.retain(|other| !std::ptr::eq(&**other, point));
        }
    }

    /// So many helpers that sleep, or all that do, are no longer idle; they are to be notified.
    fn call_helpers(&self, open: &mut Open, wanted: usize) -> usize {
        let called = wanted.min(open.helpers);
        open.helpers -= called;
        open.called += called;
        self.idle.fetch_sub(called, Ordering::Relaxed);
        called
    }

    /// Wakes the owner of this split point if it waits. To be called with the list of points in hand, so that it does not fall asleep
    /// meanwhile.
    fn call_owner(&self, point: &SplitPoint) -> bool {
        let is_asleep = point.work.is_awaited.swap(false, Ordering::SeqCst);
        if is_asleep {
            self.idle.fetch_sub(1, Ordering::Relaxed);
            point.work.call.notify_one();
        }
        is_asleep
    }

    /// A helper without work sleeps until it is called or let go.
    fn sleep<'a>(&'a self, mut open: MutexGuard<'a, Open>) -> MutexGuard<'a, Open> {
        let since = Since::now();
        self.idle.fetch_add(1, Ordering::Relaxed);
        open.helpers += 1;
        while open.called == 0 && !self.closed.load(Ordering::Relaxed) {
            open = self.list.opened.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
        if open.called == 0 {
            // let go without a call
            self.call_helpers(&mut open, 1);
        }
        open.called -= 1;
        self.counters.paused(Pause::Idle, since);
        open
    }

    /// The owner of a split point with helpers sleeps until the last of them has returned, or one has shared something out.
    fn wait<'a>(&'a self, mut open: MutexGuard<'a, Open>, point: &SplitPoint) -> MutexGuard<'a, Open> {
        let since = Since::now();
        point.work.is_awaited.store(true, Ordering::SeqCst);
        // who returns from now on sees that it is awaited, and waits for the list
        if point.work.helpers.load(Ordering::SeqCst) == 0 {
            point.work.is_awaited.store(false, Ordering::SeqCst);
            return open;
        }
        self.idle.fetch_add(1, Ordering::Relaxed);
        // the core is free for somebody who can help others
        if self.idle_cores() > 0
            && open.points.iter().any(|other| other.has_work())
            && self.call_helpers(&mut open, 1) > 0
        {
            self.list.opened.notify_one();
        }
        while point.work.is_awaited.load(Ordering::SeqCst) {
            open = point.work.call.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
        self.counters.paused(Pause::Wait, since);
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
    let parent = w.split.take();
    let point = Arc::new(SplitPoint::new(w, parent, task, children));
    let pool = &w.shared.pool;
    pool.counters.count(Event::Split);
    pool.add(&point, count);
    w.split = Some(point.clone());
    work::<I>(w, &point, Event::Own);
    await_helpers::<I>(w, &point);
    w.split = point.parent.clone();
    let progress = point.progress();
    (progress.best, progress.best_move)
}

/// Closes a split point whose owner has nothing left to do there: it helps its helpers, or sleeps, until they have returned.
#[inline(always)]
fn await_helpers<I: Entries>(w: &mut Worker, point: &SplitPoint) {
    let pool = &w.shared.pool;
    // who took it off the list, a helper perhaps, has done so before it is counted out: without helpers nobody can join any more
    pool.remove(point);
    if point.work.helpers.load(Ordering::SeqCst) == 0 {
        return;
    }
    let mut open = pool.open();
    while point.work.helpers.load(Ordering::SeqCst) > 0 {
        // only helpers of ours may be helped: anything else could keep us from returning
        if let Some(other) = open.points.iter().find(|other| other.is_below(point) && other.has_work()).cloned() {
            other.work.helpers.fetch_add(1, Ordering::SeqCst);
            drop(open);
            help::<I>(w, &other);
            open = pool.open();
        } else {
            open = pool.wait(open, point);
        }
    }
}

/// Takes children of a split point until none is left or it is cut.
#[inline(always)]
fn work<I: Entries>(w: &mut Worker, point: &SplitPoint, taken: Event) {
    let (task, pool) = (&point.task, &w.shared.pool);
    let mut progress = point.progress();
    loop {
        if point.is_cut() {
            return;
        }
        let Some(child) = progress.children.pop() else { return };
        let (left, alpha) = (progress.children.len(), progress.alpha);
        point.work.left.store(left, Ordering::Relaxed);
        drop(progress);
        if left == 0 {
            pool.remove(point);
        }
        pool.counters.count(taken);
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
        progress = point.progress();
        if score > progress.best {
            progress.best = score;
            progress.best_move = child.square;
            progress.alpha = progress.alpha.max(score);
            if score >= task.beta {
                point.cut.store(true, Ordering::Relaxed);
                drop(progress);
                pool.remove(point);
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
        let (pool, work) = (&self.shared.pool, &self.point.work);
        if work.helpers.fetch_sub(1, Ordering::SeqCst) == 1 && work.is_awaited.load(Ordering::SeqCst) {
            let _open = pool.open();
            pool.call_owner(self.point);
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
            point.work.helpers.fetch_add(1, Ordering::SeqCst);
            drop(open);
            help::<I>(w, &point);
            open = pool.open();
            was_asleep = false;
        } else {
            if was_asleep {
                pool.counters.count(Event::InVain);
            }
            open = pool.sleep(open);
            was_asleep = true;
        }
    }
}

#[cfg(test)]
mod tests;
