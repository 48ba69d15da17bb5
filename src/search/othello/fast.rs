//! The fast 8x8 search as a whole: memory, threads, and the one place where the instruction-set tier is chosen.

use std::sync::{Arc, Mutex};

use super::entries::Entries;
use super::local::LocalCache;
use super::need;
use super::probcut::{general_errors, midgame_deviations};
use super::root::{self, Iteration, Task};
use super::sampling::Sampler;
use super::split;
use super::tt::Table;
use super::walls::General;
use super::worker::{Rules, Shared, Worker};
use crate::board::stability::edge_table;
use crate::eval::Weights;
use crate::kernel::{Portable, Tier};
use crate::search::statistics::{Counters, Since};
use crate::search::{SearchError, Slot, StopToken, TableSizeError, Watch, threads};

/// Memory that lives from search to search.
#[derive(Debug)]
pub(crate) struct Memory {
    table: Arc<Table>,
    weights: Arc<Weights>,
    caches: Vec<LocalCache>,
    /// The rules that the caches hold for.
    rules: Rules,
    /// How often the table had been cleared when they were filled.
    clears: u64,
    #[cfg_attr(
        not(any(target_arch = "x86_64", target_arch = "aarch64")),
        expect(dead_code, reason = "there is only the portable tier")
    )]
    tier: Tier,
}

/// Where the table of one or several engines is, or will be.
pub(crate) type TableSlot = Slot<Table>;

/// What limits a search besides its task.
pub(crate) struct Control<'a> {
    pub token: &'a StopToken,
    pub nodes: Option<u64>,
    pub threads: usize,
    /// Keeps what moves cost, where that is wanted.
    pub sampler: Option<&'a Mutex<Sampler>>,
}

impl Memory {
    /// Allocates the first thread's cache, and the table unless there is one.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new(
        table: &TableSlot,
        hash_mib: usize,
        tier: Tier,
        weights: Arc<Weights>,
    ) -> Result<Memory, TableSizeError> {
        let caches = vec![LocalCache::new()?];
        let table = table.get_or_make(|| Table::new(hash_mib))?;
        let clears = table.clears();
        Ok(Memory { table, weights, caches, rules: Rules::othello(), clears, tier })
    }

    /// Makes ready what any search from so many empty squares evaluates with.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn prepare(&self, empties: u32) -> Result<(), SearchError> {
        self.weights.prepare(0..=empties).map_err(|_| SearchError::Weights)
    }

    /// Makes ready what this search of plain othello evaluates with.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn prepare_for(&self, task: &Task) -> Result<(), SearchError> {
        match need::valued(task.goal, task.board.empty_count()) {
            Some(empties) => self.weights.prepare(empties).map_err(|_| SearchError::Weights),
            None => Ok(()),
        }
    }

    /// Searches under `rules`; the second result is whether a limit or a stop has ended the search.
    pub fn search(
        &mut self,
        rules: Rules,
        task: &Task,
        control: &Control,
        on_iteration: &mut dyn FnMut(&Iteration),
    ) -> (Iteration, bool) {
        // whoever of those that share the table has cleared it
        let clears = self.table.clears();
        if (&self.rules, self.clears) != (&rules, clears) {
            self.caches.iter_mut().for_each(LocalCache::clear);
            (self.rules, self.clears) = (rules, clears);
        }
        let plain = rules.is_plain();
        #[cfg(target_arch = "x86_64")]
        {
            use crate::kernel::{V3, V4};
            // a tier that the machine lacks is never entered, whatever was asked for
            match (self.tier, plain) {
                (Tier::V4, true) if Tier::V4.is_supported() => {
                    return self.run::<V4<false>>(rules, task, control, on_iteration);
                }
                (Tier::V4, false) if Tier::V4.is_supported() => {
                    return self.run::<V4<true>>(rules, task, control, on_iteration);
                }
                (Tier::V3, true) if Tier::V3.is_supported() => {
                    return self.run::<V3<false>>(rules, task, control, on_iteration);
                }
                (Tier::V3, false) if Tier::V3.is_supported() => {
                    return self.run::<V3<true>>(rules, task, control, on_iteration);
                }
                _ => {}
            }
        }
        #[cfg(target_arch = "aarch64")]
        {
            use crate::kernel::Neon;
            match (self.tier, plain) {
                (Tier::Neon, true) => return self.run::<Neon<false>>(rules, task, control, on_iteration),
                (Tier::Neon, false) => return self.run::<Neon<true>>(rules, task, control, on_iteration),
                _ => {}
            }
        }
        if plain {
            self.run::<Portable<false>>(rules, task, control, on_iteration)
        } else {
            self.run::<Portable<true>>(rules, task, control, on_iteration)
        }
    }

    fn run<I: Entries>(
        &mut self,
        rules: Rules,
        task: &Task,
        control: &Control,
        on_iteration: &mut dyn FnMut(&Iteration),
    ) -> (Iteration, bool) {
        self.table.next_search();
        let empties = (rules.mask & task.board.empties()).count_ones();
        if need::fills_table(task.goal, empties, I::GENERAL) {
            self.table.expect_much();
        }
        // a thread costs more to start than a small endgame to solve
        let threads = if empties < SHARED_ENDGAME { 1 } else { control.threads.max(1) };
        while self.caches.len() < threads {
            match LocalCache::new() {
                Ok(cache) => self.caches.push(cache),
                Err(_) => break,
            }
        }
        // without memory for their caches, fewer threads search
        let threads = threads.min(self.caches.len());
        let values = I::GENERAL || !need::is_unvalued(task.goal, empties);
        let table = if values { Table::view } else { Table::small_view };
        let shared = Shared {
            table: table(&self.table, &rules, &self.weights),
            weights: &self.weights,
            edges: edge_table(),
            general: General::new(&rules),
            midgame_deviations: midgame_deviations(task.goal, empties),
            general_errors: general_errors(task.goal, &rules),
            values,
            rules,
            pool: split::Pool::default(),
            sampler: control.sampler,
            watch: Watch::new(
                control.token,
                task.budget.and_then(|budget| task.start.checked_add(budget.hard)),
                control.nodes,
                threads,
            ),
        };
        let since = Since::now();
        let (own, others) = self.caches.split_first_mut().expect("at least one cache");
        let others = &mut others[..threads - 1];
        let (mut iteration, stopped) = std::thread::scope(|scope| {
            // whatever becomes of the search, its threads end
            let _ending = Ending(&shared);
            let mut started = 1;
            for cache in others {
                let shared = &shared;
                let is_started = threads::start(scope, move || {
                    let mut worker = Worker::new(shared, cache);
                    split::helper::<I>(&mut worker);
                });
                if !is_started {
                    break;
                }
                started += 1;
            }
            shared.pool.set_threads(started);
            let mut worker = Worker::new(&shared, own);
            let result = root::search::<I>(&mut worker, task, on_iteration);
            let stopped = shared.watch.end();
            (result, stopped)
        });
        iteration.nodes = shared.watch.nodes();
        Counters.searched(threads, since, iteration.nodes);
        (iteration, stopped)
    }
}

/// Lets the helpers go at the end of a search, also when a callback panics.
struct Ending<'a, 'b>(&'a Shared<'b>);

impl Drop for Ending<'_, '_> {
    fn drop(&mut self) {
        self.0.watch.end();
        self.0.pool.close();
    }
}

/// Endgames with fewer empties are searched by one thread.
const SHARED_ENDGAME: u32 = 15;
