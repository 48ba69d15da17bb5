//! Workers side by side: each takes the next task of those that are left, and one thread listens to what they find.

use std::collections::BTreeMap;
use std::iter;
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

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
        let (sender, results) = channel();
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

/// Results that have the numbers 0, 1, 2 and so on, in the order of the numbers: each is kept until its turn.
pub(crate) fn in_order<R>(results: &mut dyn Iterator<Item = (usize, R)>) -> impl Iterator<Item = R> {
    let mut waiting = BTreeMap::new();
    (0..).map_while(move |turn| {
        while !waiting.contains_key(&turn) {
            let (number, result) = results.next()?;
            waiting.insert(number, result);
        }
        waiting.remove(&turn)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

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
        let mut results = [(2, 'c'), (0, 'a'), (1, 'b'), (4, 'e')].into_iter();
        assert_eq!(in_order(&mut results).collect::<String>(), "abc");
    }
}
