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

type Plain = Portable<false>;

/// Enough for a thread to start, to be woken some times and to end; a thread that spins for the time of these tests takes more.
const NEXT_TO_NOTHING: Duration = Duration::from_millis(40);
/// For which threads have nothing to do.
const LONG: Duration = Duration::from_millis(250);

/// A split point of the start position without children, and with so many helpers.
fn point(w: &mut Worker, parent: Option<Arc<SplitPoint>>, helpers: usize) -> SplitPoint {
    let node = root(w, Board::START);
    SplitPoint {
        parent,
        task: Task { node, alpha: 0, beta: 1, depth: 3, expect_cut: true, best: -127, best_move: 64 },
        features: w.stack[0],
        selectivity: 4,
        probing: 0,
        progress: Mutex::new(Progress { children: Vec::new(), alpha: 0, best: -127, best_move: 64 }),
        left: AtomicUsize::new(0),
        helpers: AtomicUsize::new(helpers),
        cut: AtomicBool::new(false),
    }
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

#[test]
fn sleepers_are_woken_for_children_and_cores() {
    let pool = Pool::default();
    pool.idle.store(6, Ordering::Relaxed);
    assert_eq!([2, 4, 9].map(|children| pool.woken(children, 6)), [1, 3, 6], "one child is the owner's");
    assert_eq!(pool.woken(9, 5), 5, "one of those without work waits for helpers of its own");
    assert_eq!(pool.woken(1, 6), 0);
    pool.surplus.store(4, Ordering::Relaxed);
    assert_eq!([2, 4, 9].map(|children| pool.woken(children, 6)), [1, 2, 2], "cores");
    pool.surplus.store(6, Ordering::Relaxed);
    assert_eq!(pool.woken(9, 6), 0);
    pool.surplus.store(9, Ordering::Relaxed);
    assert_eq!(pool.woken(9, 6), 0, "fewer sleep than there are no cores for");
}

/// With more threads than cores: who has gone on from waiting has taken the core of one that helped.
#[test]
fn a_helper_without_a_core_leaves_work_alone() {
    with_worker(1, |w| {
        for surplus in [0, 1] {
            let mut point = point(w, None, 0);
            (point.task.alpha, point.task.beta) = (63, 64);
            let all = Children::new::<Plain>(w, point.task.node, Board::START.legal_moves(), true).remaining(0);
            *point.left.get_mut() = all.len();
            point.progress().children = all;
            let (point, pool) = (Arc::new(point), &w.shared.pool);
            pool.open().points = vec![point.clone()];
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
            assert_eq!((point.progress().children.len(), point.left.load(Ordering::Relaxed)), (left, left));
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
        let point = Arc::new(point(w, None, 1));
        let shared = w.shared;
        shared.pool.open().points.push(point.clone());
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
        assert_eq!(point.helpers.load(Ordering::Relaxed), 0);
        assert!(shared.pool.open().points.is_empty());
        assert_eq!(shared.pool.idle.load(Ordering::Relaxed), 0);
    });
}

#[test]
fn a_helper_leaves_everything_as_it_was() {
    with_worker(1, |w| {
        let own = Arc::new(point(w, None, 1));
        let board = Board::START;
        let node = root(w, board);
        let square = crate::board::Squares(board.legal_moves()).next().unwrap();
        let next = w.push::<Plain>(node, square.index(), board.flips(square));
        let features = w.stack[next.ply as usize];
        let other = SplitPoint { features, probing: 1, selectivity: 2, ..point(w, Some(own.clone()), 1) };
        other.cut.store(true, Ordering::Relaxed);
        let other = Arc::new(other);
        w.split = Some(own.clone());
        (w.selectivity, w.probing) = (4, 0);
        let before = *w.stack[0].fillings(0);
        help::<Plain>(w, &other);
        assert!(w.split.as_ref().is_some_and(|split| Arc::ptr_eq(split, &own)));
        assert_eq!((w.selectivity, w.probing), (4, 0));
        assert_eq!(*w.stack[0].fillings(0), before);
        assert_eq!(other.helpers.load(Ordering::Relaxed), 0);
    });
}
