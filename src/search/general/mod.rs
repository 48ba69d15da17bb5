//! The general search: any rule set on any board.
//!
//! The fast search plays on 8x8 bitboards with all directions turning and shared supply. This one plays everything:
//! boards to 16x16, one-direction moves, own supply, the placement phase, and also what the fast one plays, so
//! that it doubles as an independent solver. It is a plain alpha-beta search (principal variation search with a
//! transposition table, iterative deepening, aspiration windows, sorting by replies, squares and parity; before the end of the game
//! with selective cuts, where full width is not asked for; several threads put off what others are at), generic over the width of
//! the board's bitsets and compiled for two instruction-set tiers: all machines', and x86-64-v3, whose lines run side by side in
//! registers.
//!
//! Scores follow the rule set: the objective decides the sign, empty squares go to the winner unless
//! [`Limits::discs_only`], and win/draw/loss searches know who wins with equal counts.

mod busy;
mod entries;
mod eval;
#[cfg(test)]
mod fit;
mod geometry;
mod last;
mod line;
mod plan;
mod probcut;
mod root;
mod set;
mod state;
mod table;
#[cfg(target_arch = "x86_64")]
mod v3;
mod worker;

use std::convert::Infallible;

pub(crate) use self::plan::stage;

use self::root::Resources;
use self::set::U256;
use self::table::Table;
#[cfg(target_arch = "x86_64")]
use self::v3::V3;
use crate::eval::handmade::Weights;
use crate::kernel::Tier;
use crate::rules::Position;
use crate::search::{Limits, Report, SearchError, Slot, StopToken, check_resources};

/// A searcher: keeps its table from search to search. One table serves all rules.
///
/// ```
/// use std::sync::Arc;
/// use outflank::rules::Position;
/// use outflank::search::{Goal, Limits, StopToken};
/// use outflank::search::general::Searcher;
///
/// let position = Position::start(Arc::new("othello:4x4,one".parse()?));
/// let mut searcher = Searcher::new(16);
/// let report = searcher.search(&position, &Limits::new(Goal::Exact), 1, &StopToken::new(), &mut |_| {})?;
/// assert!(report.is_exact());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Searcher {
    hash_mib: usize,
    /// Made with the first search.
    table: Slot<Table>,
    /// Instead of the built-in evaluation.
    weights: Option<Weights>,
    /// This machine has the x86-64-v3 tier, and may use it.
    is_v3: bool,
}

impl Searcher {
    /// A searcher with a table of this many MiB.
    pub fn new(hash_mib: usize) -> Searcher {
        Searcher {
            hash_mib,
            table: Slot::default(),
            weights: None,
            is_v3: matches!(Tier::detect(), Tier::V3 | Tier::V4),
        }
    }

    /// Another searcher over the same table. Both may search at the same time.
    #[must_use]
    pub fn sharing(&self) -> Searcher {
        Searcher { table: self.table.clone(), ..*self }
    }

    /// Makes the table now instead of with the first search, if its size makes sense: otherwise a search says what is wrong.
    pub fn prepare(&mut self) {
        if check_resources(self.hash_mib, 1).is_err() {
            return;
        }
        let Ok(_) = self.table.get_or_make(|| Ok::<_, Infallible>(Table::new(self.hash_mib)));
    }

    /// Forgets everything learned. Searches that share the table and run meanwhile go on with the old one.
    pub fn clear(&mut self) {
        self.table.empty();
    }

    /// Searches a position under any rules.
    ///
    /// `on_report` is called after each complete iteration, and when a move has beaten the best one before a stop. From a
    /// cleared table, with one thread and without a time limit, the result and the node count are reproducible.
    ///
    /// # Errors
    /// When limits, threads or the size of the table make no sense (see [`SearchError`]); nothing has been searched then.
    pub fn search(
        &mut self,
        position: &Position,
        limits: &Limits,
        threads: usize,
        stop: &StopToken,
        on_report: &mut dyn FnMut(&Report),
    ) -> Result<Report, SearchError> {
        check_resources(self.hash_mib, threads)?;
        limits.check(position)?;
        let made = self.table.get_or_make(|| Ok::<_, Infallible>(Table::new(self.hash_mib)));
        let Ok(table) = made;
        table.age();
        let resources = Resources { threads, table: &table, weights: self.weights.as_ref() };
        let search = match (position.rules().cells(), self.is_v3) {
            #[cfg(target_arch = "x86_64")]
            (0..=64, true) => root::search::<V3<u64>>,
            #[cfg(target_arch = "x86_64")]
            (65..=128, true) => root::search::<V3<u128>>,
            #[cfg(target_arch = "x86_64")]
            (_, true) => root::search::<V3<U256>>,
            (0..=64, _) => root::search::<u64>,
            (65..=128, _) => root::search::<u128>,
            _ => root::search::<U256>,
        };
        Ok(search(position, limits, resources, stop, on_report))
    }
}

/// Static value of a position in discs for the side to move, to the nearest disc, halves away from zero: its score if the game
/// is over, 0 while discs are placed in the centre.
pub fn static_value(position: &Position) -> i32 {
    match position.rules().cells() {
        0..=64 => root::static_value::<u64>(position),
        65..=128 => root::static_value::<u128>(position),
        _ => root::static_value::<U256>(position),
    }
}

/// Searches once, with a table for this search only: see [`Searcher::search`].
///
/// # Errors
/// As there.
pub fn search(
    position: &Position,
    limits: &Limits,
    threads: usize,
    hash_mib: usize,
    stop: &StopToken,
    on_report: &mut dyn FnMut(&Report),
) -> Result<Report, SearchError> {
    Searcher::new(hash_mib).search(position, limits, threads, stop, on_report)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::search::{Goal, Selectivity};

    #[test]
    fn all_tiers_search_the_same_nodes() {
        for rules in [
            "othello:8x8,one",
            "othello:10x10",
            "octagon",
            "othello:8x16,fewest",
            "othello:13x12,one,fewest",
            "traveller",
        ] {
            let mut position = Position::start(Arc::new(rules.parse().unwrap()));
            let goals = [Goal::Depth(5, Selectivity::MOST), Goal::Depth(4, Selectivity::NONE), Goal::Exact];
            for (goal, most_empties) in goals.into_iter().zip([200, 40, 7]) {
                for ply in 0.. {
                    let moves = position.legal_moves();
                    if ply >= 8 && position.empty_count() <= most_empties || moves.is_empty() {
                        break;
                    }
                    position = position.play(moves[ply * 5 % moves.len()]).unwrap();
                }
                let search = |is_v3: bool| {
                    let mut searcher = Searcher { is_v3, ..Searcher::new(1) };
                    let report =
                        searcher.search(&position, &Limits::new(goal), 1, &StopToken::new(), &mut |_| {}).unwrap();
                    (report.nodes, report.lines)
                };
                let plain = search(false);
                assert!(plain.0 > 0);
                assert_eq!(search(Tier::V3.is_supported()), plain, "{rules}, {goal:?}");
            }
        }
    }

    #[test]
    fn a_searcher_can_have_its_table_before_the_first_search() {
        let mut searcher = Searcher::new(1);
        let sharing = searcher.sharing();
        assert!(searcher.table.get().is_none());
        searcher.prepare();
        assert!(sharing.table.get().is_some());
        searcher.clear();
        assert!(sharing.table.get().is_none());
        for hash_mib in [0, usize::MAX] {
            let mut searcher = Searcher::new(hash_mib);
            searcher.prepare();
            assert!(searcher.table.get().is_none());
        }
    }
}
