//! What the threads of searches do with their time: counted by builds with the cargo feature `statistics`; in all others nothing
//! here takes any time.

#[cfg(feature = "statistics")]
pub(crate) use counted::{Counters, Since};
#[cfg(feature = "statistics")]
pub use counted::{ThreadStatistics, thread_statistics};
#[cfg(not(feature = "statistics"))]
pub(crate) use uncounted::{Counters, Since};

/// Why a thread does not search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// It has nothing to do.
    Idle,
    /// It waits for those that help it.
    Wait,
}

/// What threads take from others to search, and what comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A node was shared out.
    Split,
    /// Its owner took a child of it.
    Own,
    /// A helper did.
    Stolen,
    /// A thread was woken and found nothing to do.
    InVain,
}

#[cfg(feature = "statistics")]
mod counted {
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::{Event, Pause};
    use crate::time::Instant;

    /// What the threads of all searches of this process have done that had several threads. Only in builds with the cargo feature
    /// `statistics`.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct ThreadStatistics {
        /// Searches.
        pub searches: u64,
        /// Time of their threads, those that wait included: two threads have two seconds a second.
        pub time: Duration,
        /// Time without work.
        pub idle: Duration,
        /// How often a thread had none.
        pub pauses: u64,
        /// Time in which owners of nodes that were shared out waited for their helpers, with nothing to help them with.
        pub waiting: Duration,
        /// How often they did.
        pub waits: u64,
        /// How often a thread was woken for nothing.
        pub woken_in_vain: u64,
        /// Nodes that were shared out.
        pub splits: u64,
        /// Children of them that their owners searched.
        pub own: u64,
        /// Children that others searched.
        pub stolen: u64,
        /// Searches of such children that were given up because another child had decided the node.
        pub given_up: u64,
        /// Nodes of all threads.
        pub nodes: u64,
        /// Nodes of the searches that were given up.
        pub nodes_in_vain: u64,
    }

    #[derive(Debug, Default)]
    struct Numbers {
        searches: AtomicU64,
        /// In nanoseconds, as all times.
        time: AtomicU64,
        pauses: [AtomicU64; 2],
        paused: [AtomicU64; 2],
        events: [AtomicU64; 4],
        given_up: AtomicU64,
        nodes: AtomicU64,
        nodes_in_vain: AtomicU64,
    }

    static TOTAL: Numbers = Numbers {
        searches: AtomicU64::new(0),
        time: AtomicU64::new(0),
        pauses: [const { AtomicU64::new(0) }; 2],
        paused: [const { AtomicU64::new(0) }; 2],
        events: [const { AtomicU64::new(0) }; 4],
        given_up: AtomicU64::new(0),
        nodes: AtomicU64::new(0),
        nodes_in_vain: AtomicU64::new(0),
    };

    /// What has been counted since the process began.
    pub fn thread_statistics() -> ThreadStatistics {
        let of = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let time = |number: &AtomicU64| Duration::from_nanos(of(number));
        let event = |event: Event| of(&TOTAL.events[event as usize]);
        ThreadStatistics {
            searches: of(&TOTAL.searches),
            time: time(&TOTAL.time),
            idle: time(&TOTAL.paused[Pause::Idle as usize]),
            pauses: of(&TOTAL.pauses[Pause::Idle as usize]),
            waiting: time(&TOTAL.paused[Pause::Wait as usize]),
            waits: of(&TOTAL.pauses[Pause::Wait as usize]),
            woken_in_vain: event(Event::InVain),
            splits: event(Event::Split),
            own: event(Event::Own),
            stolen: event(Event::Stolen),
            given_up: of(&TOTAL.given_up),
            nodes: of(&TOTAL.nodes),
            nodes_in_vain: of(&TOTAL.nodes_in_vain),
        }
    }

    /// Counts what the threads of a search do.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Counters;

    /// A moment.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Since(Instant);

    impl Since {
        /// This one.
        pub fn now() -> Since {
            Since(Instant::now())
        }

        fn nanoseconds(self) -> u64 {
            self.0.elapsed().as_nanos() as u64
        }
    }

    fn add(number: &AtomicU64, amount: u64) {
        number.fetch_add(amount, Ordering::Relaxed);
    }

    impl Counters {
        /// Something has happened.
        pub fn count(self, event: Event) {
            add(&TOTAL.events[event as usize], 1);
        }

        /// A thread has not searched for a while.
        pub fn paused(self, pause: Pause, since: Since) {
            add(&TOTAL.pauses[pause as usize], 1);
            add(&TOTAL.paused[pause as usize], since.nanoseconds());
        }

        /// A search of so many nodes was given up.
        pub fn given_up(self, nodes: u64) {
            add(&TOTAL.given_up, 1);
            add(&TOTAL.nodes_in_vain, nodes);
        }

        /// A whole search by several threads has ended.
        pub fn searched(self, threads: usize, since: Since, nodes: u64) {
            if threads > 1 {
                add(&TOTAL.searches, 1);
                add(&TOTAL.time, threads as u64 * since.nanoseconds());
                add(&TOTAL.nodes, nodes);
            }
        }
    }
}

#[cfg(not(feature = "statistics"))]
mod uncounted {
    use super::{Event, Pause};

    /// Counts nothing.
    #[derive(Clone, Copy, Debug, Default)]
    pub(crate) struct Counters;

    /// No moment.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Since;

    impl Since {
        #[inline(always)]
        pub fn now() -> Since {
            Since
        }
    }

    impl Counters {
        #[inline(always)]
        pub fn count(self, _event: Event) {}

        #[inline(always)]
        pub fn paused(self, _pause: Pause, _since: Since) {}

        #[inline(always)]
        pub fn given_up(self, _nodes: u64) {}

        #[inline(always)]
        pub fn searched(self, _threads: usize, _since: Since, _nodes: u64) {}
    }
}
