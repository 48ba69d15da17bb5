//! Tests of what is split, who is woken, and of threads that have nothing to do.

use std::time::Duration;

use cpu_time::ThreadTime;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::super::children::Children;
use super::super::local::LocalCache;
use super::super::tests::{random_board, root, with_worker};
use super::*;
use crate::board::Board;
use crate::kernel::Portable;
use crate::time::Instant;

type Plain = Portable<false>;

/// Enough for a thread to start, to be woken some times and to end; a thread that spins for the time of these tests takes more.
const NEXT_TO_NOTHING: Duration = Duration::from_millis(40);
/// What does not happen in this time never does, however busy the machine is.
const FOR_EVER: Duration = Duration::from_secs(60);
/// For which threads have nothing to do.
const LONG: Duration = Duration::from_millis(250);

/// A split point of the start position with these children and so many helpers; no child is worth more than its alpha, 63.
fn point(w: &mut Worker, parent: Option<Arc<SplitPoint>>, children: Vec<Child>, helpers: usize) -> SplitPoint {
    let node = root(w, Board::START);
    let task = Task { node, alpha: 63, beta: 64, depth: 3, expect_cut: true, best: -127, best_move: 64 };
    let mut point = SplitPoint::new(w, parent, task, children);
    *point.work.helpers.get_mut() = helpers;
    point
}

/// The children of the start position.
fn children(w: &mut Worker) -> Vec<Child> {
    let node = root(w, Board::START);
    Children::new::<Plain>(w, node, Board::START.legal_moves(), true).remaining(0)
}

/// Puts a split point on the list and wakes nobody.
fn open(w: &Worker, point: &Arc<SplitPoint>) {
    point.work.is_open.store(true, Ordering::Relaxed);
    w.shared.pool.open().points.push(point.clone());
}

/// The processor time of this many helpers while `body` runs.
fn time_of_helpers<'a>(w: &mut Worker<'a>, helpers: usize, body: impl FnOnce(&mut Worker<'a>)) -> Duration {
    let shared = w.shared;
    let mut caches: Vec<LocalCache> = (0..helpers).map(|_| LocalCache::new().unwrap()).collect();
    std::thread::scope(|scope| {
        let help = |cache| {
            move || {
                let mut worker = Worker::new(shared, cache);
                let start = ThreadTime::now();
                helper::<Plain>(&mut worker);
                start.elapsed()
            }
        };
        let threads: Vec<_> = caches.iter_mut().map(|cache| scope.spawn(help(cache))).collect();
        shared.pool.set_threads(1 + helpers);
        while shared.pool.open().helpers < helpers {
            std::thread::sleep(Duration::from_millis(1));
        }
        body(w);
        shared.pool.close();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

#[test]
fn nodes_are_split_for_cores_that_are_idle() {
    with_worker(1, |w| {
        let start = root(w, Board::START);
        let node = |empties| Node { empties, ..start };
        let pool = &w.shared.pool;
        let cores = std::thread::available_parallelism().unwrap().get();
        let small = READY_EMPTIES - 1;
        let wanted = |empties, depth, searched, left| wanted(w, node(empties), depth, searched, left, true);
        for surplus in [0, 1, 5] {
            pool.set_threads(cores + surplus);
            for idle in 0..surplus + 4 {
                pool.idle.store(idle, Ordering::Relaxed);
                let is_core_idle = idle > surplus;
                assert_eq!(pool.idle_cores(), idle.saturating_sub(surplus));
                let text = format!("{idle} threads idle, {surplus} more than cores");
                assert_eq!(wanted(small, small, 1, 2), is_core_idle, "{text}");
                assert_eq!(wanted(small, small, 0, 9), is_core_idle, "{text}");
                assert_eq!(wanted(20, MIN_DEPTH, 1, 2), is_core_idle, "{text}");
            }
        }
        // a core is idle now
        assert!(!wanted(20, 20, 1, 1), "the last child is the owner's");
        assert!(!wanted(20, MIN_DEPTH - 1, 1, 9), "too shallow");
        assert!(wanted(MIN_EMPTIES, MIN_EMPTIES, 1, 2));
        assert!(!wanted(MIN_EMPTIES - 1, MIN_EMPTIES - 1, 1, 9), "too near to the end");
        assert!(wanted(MIN_EMPTIES - 1, MIN_EMPTIES - 2, 1, 2), "a midgame search");
        assert!(!wanted(30, 20, 0, 9), "a midgame search whose first child orders the others");
        assert!(!wanted(UNTRIED_EMPTIES - 1, UNTRIED_EMPTIES - 1, 0, 9), "too near to the end for its first child");
        assert!(!super::wanted(w, node(20), 20, 0, 9, false), "the first child will probably do");
        assert!(super::wanted(w, node(20), 20, 1, 9, false), "it has not done");
        // fewer threads than cores: all of them may search
        pool.set_threads(1);
        pool.idle.store(1, Ordering::Relaxed);
        assert!(wanted(20, 20, 1, 2));
    });
}

#[test]
fn large_nodes_are_split_before_a_core_is_idle() {
    with_worker(1, |w| {
        let start = root(w, Board::START);
        let wanted = |w: &Worker, empties, depth, searched, all| {
            super::wanted(w, Node { empties, ..start }, depth, searched, 2, all)
        };
        assert!(!wanted(w, 30, 30, 1, true), "by a thread that is alone, never");
        w.shared.pool.parallel.store(true, Ordering::Relaxed);
        assert!(wanted(w, READY_EMPTIES, READY_EMPTIES, 1, true));
        assert!(!wanted(w, READY_EMPTIES - 1, READY_EMPTIES - 1, 1, true));
        assert!(!wanted(w, 30, 30, 1, false), "the next child may cut");
        assert!(!wanted(w, 30, 30, 0, true), "the first child is not searched");
        assert!(wanted(w, 30, READY_DEPTH, 1, true), "a midgame search");
        assert!(!wanted(w, 30, READY_DEPTH - 1, 1, true));
        w.shared.pool.set_threads(1);
        assert!(!wanted(w, 30, 30, 1, true), "alone again");
    });
}

/// Opens a split point with so many children below `parent`; returns how many helpers it has called.
fn called(w: &mut Worker, parent: Option<&Arc<SplitPoint>>, children: usize) -> usize {
    let pool = &w.shared.pool;
    let point = Arc::new(point(w, parent.cloned(), Vec::new(), 0));
    pool.add(&point, children);
    let called = std::mem::take(&mut pool.open().called);
    // they find nothing and sleep again
    pool.open().helpers += called;
    pool.idle.fetch_add(called, Ordering::Relaxed);
    pool.remove(&point);
    assert!(pool.open().points.is_empty());
    called
}

#[test]
fn sleepers_are_called_for_children_and_cores() {
    with_worker(1, |w| {
        let pool = &w.shared.pool;
        pool.open().helpers = 6;
        pool.idle.store(6, Ordering::Relaxed);
        assert_eq!([1, 2, 4, 9].map(|children| called(w, None, children)), [0, 1, 3, 6], "one child is the owner's");
        pool.open().helpers = 5;
        assert_eq!(called(w, None, 9), 5, "one of those without work waits for helpers of its own");
        pool.open().helpers = 6;
        pool.surplus.store(4, Ordering::Relaxed);
        assert_eq!([2, 4, 9].map(|children| called(w, None, children)), [1, 2, 2], "cores");
        for surplus in [6, 9] {
            pool.surplus.store(surplus, Ordering::Relaxed);
            assert_eq!(called(w, None, 9), 0, "as many sleep as there are no cores for, or fewer");
        }
    });
}

#[test]
fn owners_that_wait_are_called_to_what_their_helpers_share_out() {
    with_worker(1, |w| {
        let pool = &w.shared.pool;
        let top = Arc::new(point(w, None, Vec::new(), 1));
        let below = Arc::new(point(w, Some(top.clone()), Vec::new(), 1));
        let other = Arc::new(point(w, None, Vec::new(), 1));
        assert!(below.is_below(&top) && !top.is_below(&below) && !below.is_below(&below) && !below.is_below(&other));
        let wait = |points: &[&Arc<SplitPoint>]| {
            for point in [&top, &below, &other] {
                point.work.is_awaited.store(points.iter().any(|waits| Arc::ptr_eq(waits, point)), Ordering::Relaxed);
            }
            pool.open().helpers = 3;
            pool.idle.store(3 + points.len(), Ordering::Relaxed);
        };
        let wait_still = || [&top, &below, &other].map(|point| point.work.is_awaited.load(Ordering::Relaxed));
        wait(&[&top, &other]);
        assert_eq!(called(w, Some(&below), 4), 2, "of three who may help one is the owner");
        assert_eq!((wait_still(), pool.idle.load(Ordering::Relaxed)), ([false, false, true], 4));
        wait(&[&top, &below]);
        assert_eq!((called(w, Some(&below), 2), wait_still()), (0, [true, false, false]), "the nearest");
        wait(&[&top, &below]);
        assert_eq!(
            (called(w, Some(&below), 1), wait_still()),
            (0, [true, true, false]),
            "the only child is for who splits"
        );
        wait(&[&top, &other]);
        assert_eq!(
            (called(w, None, 9), wait_still()),
            (3, [true, false, true]),
            "what is not below them is not theirs"
        );
    });
}

/// The list is what helpers look through with all others waiting: what has been finished is not on it.
#[test]
fn a_point_without_children_is_off_the_list() {
    with_worker(1, |w| {
        let pool = &w.shared.pool;
        for (beta, left) in [(64, 0), (-63, 3)] {
            let all = children(w);
            let mut point = point(w, None, all, 1);
            (point.task.alpha, point.task.beta) = (beta - 1, beta);
            point.progress().alpha = beta - 1;
            let point = Arc::new(point);
            open(w, &point);
            w.split = Some(point.clone());
            work::<Plain>(w, &point, Event::Own);
            w.split = None;
            assert_eq!(point.progress().children.len(), left, "the first child cuts, or none does");
            assert_eq!(point.is_cut(), left > 0);
            assert!(pool.open().points.is_empty() && !point.has_work());
        }
        // a search that was stopped leaves children
        let all = children(w);
        let point = Arc::new(point(w, None, all, 0));
        open(w, &point);
        await_helpers::<Plain>(w, &point);
        assert!(pool.open().points.is_empty() && point.has_work());
    });
}

/// With more threads than cores: who has gone on from waiting has taken the core of one that helped.
#[test]
fn a_helper_without_a_core_leaves_work_alone() {
    with_worker(1, |w| {
        for surplus in [0, 1] {
            let all = children(w);
            let (point, pool) = (Arc::new(point(w, None, all, 0)), &w.shared.pool);
            open(w, &point);
            pool.surplus.store(surplus, Ordering::Relaxed);
            pool.closed.store(false, Ordering::Relaxed);
            let (shared, mut cache) = (w.shared, LocalCache::new().unwrap());
            std::thread::scope(|scope| {
                scope.spawn(|| helper::<Plain>(&mut Worker::new(shared, &mut cache)));
                while pool.open().helpers == 0 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                pool.close();
            });
            let left = if surplus == 0 { 0 } else { 4 };
            assert_eq!((point.progress().children.len(), point.work.left.load(Ordering::Relaxed)), (left, left));
            let open = pool.open();
            assert_eq!((open.points.len(), open.helpers, open.called), (surplus, 0, 0));
            assert_eq!(pool.idle.load(Ordering::Relaxed), 0);
        }
    });
}

#[test]
fn helpers_without_work_use_no_processor_time() {
    with_worker(1, |w| {
        let time = time_of_helpers(w, 6, |_| std::thread::sleep(LONG));
        assert!(time < NEXT_TO_NOTHING, "{time:?}");
    });
}

/// What one thread searches is not worth splitting, and the others are not woken for it.
#[test]
fn helpers_of_a_thread_that_works_alone_use_no_processor_time() {
    with_worker(1, |w| {
        let time = time_of_helpers(w, 6, |w| {
            let (mut rng, start) = (StdRng::seed_from_u64(33), ThreadTime::now());
            while start.elapsed() < LONG {
                let node = root(w, random_board(&mut rng, MIN_EMPTIES - 1));
                Plain::nws(w, node, 0, node.empties, false);
            }
            assert!(w.nodes > 100_000, "{}", w.nodes);
        });
        assert!(time < NEXT_TO_NOTHING, "{time:?}");
    });
}

#[test]
fn an_owner_that_waits_for_its_helpers_uses_no_processor_time() {
    with_worker(1, |w| {
        let point = Arc::new(point(w, None, Vec::new(), 1));
        let shared = w.shared;
        open(w, &point);
        std::thread::scope(|scope| {
            let joined = Joined { shared, point: &point };
            scope.spawn(move || {
                std::thread::sleep(LONG);
                drop(joined);
            });
            let start = ThreadTime::now();
            await_helpers::<Plain>(w, &point);
            let time = start.elapsed();
            assert!(time < NEXT_TO_NOTHING, "{time:?}");
        });
        assert_eq!(point.work.helpers.load(Ordering::Relaxed), 0);
        assert!(shared.pool.open().points.is_empty());
        assert_eq!(shared.pool.idle.load(Ordering::Relaxed), 0);
    });
}

#[test]
fn a_helper_leaves_everything_as_it_was() {
    with_worker(1, |w| {
        let own = Arc::new(point(w, None, Vec::new(), 1));
        let board = Board::START;
        let node = root(w, board);
        let square = crate::board::Squares(board.legal_moves()).next().unwrap();
        let next = w.push::<Plain>(node, square.index(), board.flips(square));
        let features = w.stack[next.ply as usize];
        let other = SplitPoint { features, probing: 1, selectivity: 2, ..point(w, Some(own.clone()), Vec::new(), 1) };
        other.cut.store(true, Ordering::Relaxed);
        let other = Arc::new(other);
        w.split = Some(own.clone());
        (w.selectivity, w.probing) = (4, 0);
        let before = *w.stack[0].fillings(0);
        help::<Plain>(w, &other);
        assert!(w.split.as_ref().is_some_and(|split| Arc::ptr_eq(split, &own)));
        assert_eq!((w.selectivity, w.probing), (4, 0));
        assert_eq!(*w.stack[0].fillings(0), before);
        assert_eq!(other.work.helpers.load(Ordering::Relaxed), 0);
    });
}

#[test]
fn an_owner_whose_helpers_have_returned_does_not_wait() {
    with_worker(1, |w| {
        let pool = &w.shared.pool;
        let point = point(w, None, Vec::new(), 0);
        drop(pool.wait(pool.open(), &point));
        assert!(!point.work.is_awaited.load(Ordering::Relaxed));
        assert_eq!(pool.idle.load(Ordering::Relaxed), 0);
    });
}

#[test]
fn the_last_helper_wakes_the_owner() {
    with_worker(1, |w| {
        let point = Arc::new(point(w, None, Vec::new(), 2));
        let is_awaited = || point.work.is_awaited.load(Ordering::Relaxed);
        point.work.is_awaited.store(true, Ordering::Relaxed);
        w.shared.pool.idle.store(1, Ordering::Relaxed);
        let helpers = [0, 1].map(|_| Joined { shared: w.shared, point: &point });
        let mut left = [true, false].into_iter();
        for helper in helpers {
            drop(helper);
            assert_eq!(Some(is_awaited()), left.next());
        }
        assert_eq!(w.shared.pool.idle.load(Ordering::Relaxed), 0);
    });
}

/// A helper that sleeps takes a child of what is opened; an owner that waits takes one of what its helper opens.
#[test]
fn who_is_called_helps() {
    with_worker(1, |w| {
        let all = children(w);
        let top = Arc::new(point(w, None, Vec::new(), 1));
        let below = Arc::new(point(w, Some(top.clone()), all.clone(), 0));
        let free = Arc::new(point(w, None, all, 0));
        let (shared, mut cache) = (w.shared, LocalCache::new().unwrap());
        let pool = &shared.pool;
        let until = |is_so: &dyn Fn() -> bool| {
            let begun = Instant::now();
            while !is_so() {
                if begun.elapsed() > FOR_EVER {
                    // helpers end, and so does the test
                    pool.close();
                    panic!("nobody has come");
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| helper::<Plain>(&mut Worker::new(shared, &mut cache)));
            until(&|| pool.open().helpers == 1);
            pool.add(&free, 4);
            until(&|| free.work.left.load(Ordering::Relaxed) == 0 && pool.open().helpers == 1);
            {
                let open = pool.open();
                assert_eq!((open.called, open.points.len()), (0, 0));
            }
            pool.close();
        });
        std::thread::scope(|scope| {
            let (joined, top, below, until) = (Joined { shared, point: &top }, &top, &below, &until);
            scope.spawn(move || {
                until(&|| top.work.is_awaited.load(Ordering::Relaxed));
                shared.pool.add(below, 4);
                until(&|| below.work.left.load(Ordering::Relaxed) == 0);
                drop(joined);
            });
            await_helpers::<Plain>(w, top);
        });
        assert_eq!(pool.idle.load(Ordering::Relaxed), 0);
    });
}
