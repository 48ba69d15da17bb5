//! What every thread of a search looks at now and then: its limits, and the nodes of all threads.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

use super::StopToken;
use crate::time::Instant;

/// Most nodes between two looks of a thread: 50 microseconds at the end of a game, half a millisecond where much is evaluated.
const POLL: u64 = 2048;
/// Least nodes between two looks, when several threads share what is left of a limit.
const LEAST: u64 = 16;
/// Several threads look so often that what they have not reported is below this part of the limit of nodes.
const PART: u64 = 128;

/// The limits of a running search, for all its threads. Whichever of them is awake looks.
pub(crate) struct Watch<'a> {
    token: &'a StopToken,
    deadline: Option<Instant>,
    node_limit: Option<u64>,
    threads: u64,
    /// Read at each node; apart from what threads count.
    over: AtomicBool,
    nodes: CachePadded<AtomicU64>,
}

impl<'a> Watch<'a> {
    /// A search with so many threads begins.
    pub fn new(token: &'a StopToken, deadline: Option<Instant>, node_limit: Option<u64>, threads: usize) -> Watch<'a> {
        token.begin();
        Watch {
            token,
            deadline,
            node_limit,
            threads: threads.max(1) as u64,
            over: AtomicBool::new(false),
            nodes: CachePadded::new(AtomicU64::new(0)),
        }
    }

    /// The search is over, for whatever reason.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Ends the search; it had ended before if the result is `true`.
    pub fn end(&self) -> bool {
        self.over.swap(true, Ordering::Relaxed)
    }

    /// Nodes that have been reported.
    pub fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// A thread reports nodes; returns those of all threads.
    pub fn add(&self, nodes: u64) -> u64 {
        self.token.add_nodes(nodes);
        self.nodes.fetch_add(nodes, Ordering::Relaxed) + nodes
    }

    /// A thread reports nodes and looks at the limits: how many more it may search before it looks again, `None` when the
    /// search is over.
    pub fn look(&self, nodes: u64) -> Option<u64> {
        let total = self.add(nodes);
        let is_late = || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if self.is_over() || self.token.is_stopped() || self.token.is_hard_over() || is_late() {
            self.end();
            return None;
        }
        let Some(limit) = self.node_limit else { return Some(POLL) };
        if total >= limit {
            self.end();
            return None;
        }
        let left = limit - total;
        if self.threads == 1 {
            return Some(left.min(POLL));
        }
        let most = (limit / (PART * self.threads)).min(POLL);
        Some((left / self.threads).min(most).max(LEAST))
    }

    /// The token says that no iteration should begin any more.
    pub fn is_soft_over(&self) -> bool {
        self.token.is_soft_over()
    }

    /// The token has a deadline.
    pub fn has_deadline(&self) -> bool {
        self.token.has_deadline()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn one_thread_stops_at_its_limit() {
        let token = StopToken::new();
        let watch = Watch::new(&token, None, Some(5000), 1);
        let mut searched = 0;
        let mut step = 0;
        while let Some(next) = watch.look(step) {
            step = next;
            searched += step;
        }
        assert_eq!((searched, watch.nodes(), token.nodes()), (5000, 5000, 5000));
        assert!(watch.is_over() && watch.look(0).is_none());
        // the next search counts anew
        Watch::new(&token, None, None, 1).add(7);
        assert_eq!(token.nodes(), 7);
    }

    #[test]
    fn several_threads_overshoot_by_less_than_a_hundredth() {
        for limit in [10_000u64, 1_000_000] {
            for threads in [2usize, 8, 64] {
                let token = StopToken::new();
                let watch = Watch::new(&token, None, Some(limit), threads);
                // all threads hold what they have not reported while one goes on alone
                let held: Vec<u64> = (1..threads).map(|_| watch.look(0).unwrap()).collect();
                let mut step = 0;
                while let Some(next) = watch.look(step) {
                    step = next;
                }
                let searched = watch.nodes() + held.iter().sum::<u64>();
                let most = limit + limit / 100 + 64 * threads as u64;
                assert!((limit..=most).contains(&searched), "{threads} threads: {searched} of {limit}");
            }
        }
    }

    #[test]
    fn every_limit_ends_the_search_for_all() {
        let now = Instant::now();
        let stopped = StopToken::new();
        stopped.stop();
        assert!(Watch::new(&stopped, None, None, 2).look(0).is_none());
        let token = StopToken::new();
        assert!(Watch::new(&token, Some(now), None, 2).look(0).is_none());
        let watch = Watch::new(&token, Some(now + Duration::from_secs(1000)), None, 2);
        assert_eq!(watch.look(0), Some(POLL));
        token.set_deadline(now, now + Duration::from_secs(1000));
        assert!(watch.look(0).is_some() && watch.is_soft_over());
        token.set_deadline(now, now);
        assert!(watch.look(0).is_none() && watch.is_over() && watch.end());
    }
}
