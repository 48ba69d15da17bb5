//! The handle of a running search: stop it, give it a deadline, see how far it is.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use crate::time::Instant;

/// What times are counted from, so that they fit an atomic.
static EPOCH: LazyLock<Instant> = LazyLock::new(Instant::now);

/// No deadline.
const NEVER: u64 = u64::MAX;

/// Nanoseconds since [`EPOCH`]; times before it are as good as passed.
fn nanoseconds(time: Instant) -> u64 {
    u64::try_from(time.saturating_duration_since(*EPOCH).as_nanos()).unwrap_or(NEVER)
}

/// A search's handle for other threads: stops it, gives it a deadline while it runs, and counts its nodes. Clones are handles
/// of the same search.
///
/// ```
/// use outflank::engine::{Engine, Options};
/// use outflank::rules::Position;
/// use outflank::search::{Goal, Limits, StopToken};
/// use std::time::{Duration, Instant};
///
/// // thinks without a limit; another thread learns how much time there is
/// let token = StopToken::new();
/// let handle = token.clone();
/// let clock = std::thread::spawn(move || {
///     let now = Instant::now();
///     handle.set_deadline(now + Duration::from_millis(20), now + Duration::from_millis(50));
/// });
/// let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
/// let report = engine.search(&Position::default(), &Limits::new(Goal::Unlimited), &token, &mut |_| {}).unwrap();
/// assert!(report.stopped && report.nodes == token.nodes());
/// # clock.join().unwrap();
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopToken(Arc<State>);

#[derive(Debug)]
struct State {
    stop: AtomicBool,
    /// Whoever wanted results is gone; shared by siblings.
    ended: Arc<AtomicBool>,
    /// Begin no iteration after this (see [`nanoseconds`]).
    soft: AtomicU64,
    /// Stop here.
    hard: AtomicU64,
    nodes: AtomicU64,
}

impl Default for State {
    fn default() -> State {
        State {
            stop: AtomicBool::new(false),
            ended: Arc::default(),
            soft: AtomicU64::new(NEVER),
            hard: AtomicU64::new(NEVER),
            nodes: AtomicU64::new(0),
        }
    }
}

impl StopToken {
    /// A token that is not set.
    pub fn new() -> StopToken {
        StopToken::default()
    }

    /// Another token, for a search of its own: only [`StopToken::end`] of either reaches both.
    pub fn sibling(&self) -> StopToken {
        StopToken(Arc::new(State { ended: Arc::clone(&self.0.ended), ..State::default() }))
    }

    /// Asks the search to stop; it returns within milliseconds with what it knows.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
    }

    /// Asks this search to stop and every later one, those of siblings too: nobody wants results any more.
    /// [`StopToken::reset`] leaves that as it is.
    pub fn end(&self) {
        self.0.ended.store(true, Ordering::Release);
    }

    /// The search has been asked to stop.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::Acquire) || self.is_ended()
    }

    /// [`StopToken::end`] has been called, here or on a sibling.
    pub fn is_ended(&self) -> bool {
        self.0.ended.load(Ordering::Acquire)
    }

    /// Makes the token usable for another search, unless it has been ended: not stopped, no deadline.
    pub fn reset(&self) {
        self.0.soft.store(NEVER, Ordering::Relaxed);
        self.0.hard.store(NEVER, Ordering::Relaxed);
        self.0.stop.store(false, Ordering::Release);
    }

    /// Gives the search a deadline, running or still to start: it begins no iteration after `soft` and stops at `hard`. Limits
    /// that it was started with stay in force; a later call replaces an earlier one. In force until [`StopToken::reset`].
    pub fn set_deadline(&self, soft: Instant, hard: Instant) {
        self.0.soft.store(nanoseconds(soft), Ordering::Relaxed);
        self.0.hard.store(nanoseconds(hard), Ordering::Relaxed);
    }

    /// Nodes of the search that runs with this token, or of the last one, in all its threads: a moment behind while it runs.
    /// (Searches that share a token at the same time are counted together.)
    pub fn nodes(&self) -> u64 {
        self.0.nodes.load(Ordering::Relaxed)
    }

    /// Gives the token this deadline, unless it has an earlier one, until the result is dropped: it has the one of before then.
    pub(crate) fn until(&self, end: Instant) -> Until<'_> {
        let (soft, hard) = (&self.0.soft, &self.0.hard);
        let end = nanoseconds(end);
        let before = (soft.fetch_min(end, Ordering::Relaxed), hard.fetch_min(end, Ordering::Relaxed));
        Until { token: self, end, before }
    }

    /// A deadline has been set.
    pub(crate) fn has_deadline(&self) -> bool {
        self.0.hard.load(Ordering::Relaxed) != NEVER
    }

    /// The time after which no iteration should begin has come.
    pub(crate) fn is_soft_over(&self) -> bool {
        has_come(self.0.soft.load(Ordering::Relaxed)) || self.is_hard_over()
    }

    /// The time to stop has come.
    pub(crate) fn is_hard_over(&self) -> bool {
        has_come(self.0.hard.load(Ordering::Relaxed))
    }

    /// A search begins: its nodes are counted from nought.
    pub(crate) fn begin(&self) {
        self.0.nodes.store(0, Ordering::Relaxed);
    }

    /// This many nodes more have been searched.
    pub(crate) fn add_nodes(&self, nodes: u64) {
        self.0.nodes.fetch_add(nodes, Ordering::Relaxed);
    }
}

/// A deadline that [`StopToken::until`] has given.
#[derive(Debug)]
pub(crate) struct Until<'a> {
    token: &'a StopToken,
    end: u64,
    before: (u64, u64),
}

impl Drop for Until<'_> {
    fn drop(&mut self) {
        let State { soft, hard, .. } = &*self.token.0;
        for (deadline, before) in [(soft, self.before.0), (hard, self.before.1)] {
            // another one that was given meanwhile stays
            let _ = deadline.compare_exchange(self.end, before, Ordering::Relaxed, Ordering::Relaxed);
        }
    }
}

/// The clock is read only where there is something to compare with.
fn has_come(time: u64) -> bool {
    time != NEVER && nanoseconds(Instant::now()) >= time
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn deadlines_come_and_are_cleared() {
        let token = StopToken::new();
        let now = Instant::now();
        assert!(!token.has_deadline() && !token.is_soft_over() && !token.is_hard_over());
        token.set_deadline(now, now + Duration::from_secs(1000));
        assert!(token.has_deadline() && token.is_soft_over() && !token.is_hard_over());
        token.set_deadline(now + Duration::from_secs(1000), now + Duration::from_secs(1000));
        assert!(!token.is_soft_over());
        // whatever the soft one says
        token.set_deadline(now + Duration::from_secs(1000), now);
        assert!(token.is_soft_over() && token.is_hard_over());
        // long ago, and longer than an atomic counts
        token.clone().set_deadline(now.checked_sub(Duration::from_secs(1)).unwrap_or(now), now);
        assert!(token.is_hard_over());
        token.stop();
        token.reset();
        assert!(!token.has_deadline() && !token.is_soft_over() && !token.is_hard_over() && !token.is_stopped());
    }

    #[test]
    fn a_deadline_for_a_while_leaves_the_one_before() {
        let token = StopToken::new();
        let (now, late) = (Instant::now(), Instant::now() + Duration::from_secs(1000));
        for before in [None, Some(late)] {
            if let Some(before) = before {
                token.set_deadline(before, before);
            }
            let until = token.until(now);
            assert!(token.is_soft_over() && token.is_hard_over());
            drop(until);
            assert!(!token.is_soft_over() && !token.is_hard_over() && token.has_deadline() == before.is_some());
        }
        let until = token.until(late + Duration::from_secs(1));
        token.set_deadline(now, now);
        drop(until);
        assert!(token.is_hard_over(), "what was said meanwhile holds");
    }

    #[test]
    fn an_end_is_for_all_searches() {
        let token = StopToken::new();
        let sibling = token.sibling();
        sibling.stop();
        assert!(sibling.is_stopped() && !token.is_stopped(), "a stop is for one");
        sibling.reset();
        assert!(!sibling.is_stopped());
        token.end();
        token.reset();
        sibling.reset();
        for token in [&token, &sibling, &sibling.sibling()] {
            assert!(token.is_stopped() && token.is_ended());
        }
        assert!(!StopToken::new().is_stopped());
    }
}
