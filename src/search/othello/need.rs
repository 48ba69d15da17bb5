//! What a search will need, known before it begins: weights that nobody asks for are not unpacked, and a table that stays nearly
//! empty is not put into large pages.

use std::ops::RangeInclusive;

use super::root::schedule;
use crate::search::{Goal, Selectivity, Stage};

/// Endgames of at most this many empty squares are solved without the trained weights. Below the root they would only order the
/// moves of the principal variation: without them 121 positions of 12 empty squares take 2 % more nodes, a quarter of a
/// millisecond in all, and unpacking the weights takes twenty. (13 empty squares would take 11 % more.)
const UNVALUED: u32 = 12;
/// Endgames with fewer empty squares store a few thousand positions at most.
const SMALL_ENDGAME: u32 = 15;
/// So do midgame searches of at most this depth.
const SMALL_DEPTH: u32 = 10;

/// The search orders moves without the trained weights, and ends where nothing is left to value.
pub(super) fn is_unvalued(goal: Goal, empties: u32) -> bool {
    let solves = |stage: &Stage| stage.depth as u32 >= empties && stage.selectivity == Selectivity::NONE;
    empties <= UNVALUED && schedule(goal, empties, false).iter().all(solves)
}

/// The numbers of empty squares of the positions that a search of plain othello may value; `None` when it values nothing.
pub(super) fn valued(goal: Goal, empties: u32) -> Option<RangeInclusive<u32>> {
    if is_unvalued(goal, empties) {
        return None;
    }
    // a search to the end orders the moves of its principal variation to the end; others stop where their leaves are, for
    // passes take no depth
    let deepest = schedule(goal, empties, false).iter().map(|stage| stage.depth as u32).max().unwrap_or(0);
    // the moves of the root are ordered by the values of the replies to them
    Some(empties.saturating_sub(deepest.max(2))..=empties)
}

/// The search ends with the end of the game, at whatever confidence.
pub(super) fn reaches_end(goal: Goal, empties: u32) -> bool {
    schedule(goal, empties, false).iter().any(|stage| stage.depth as u32 >= empties)
}

/// The search will store enough to fill a good part of a table.
pub(super) fn fills_table(goal: Goal, empties: u32, general: bool) -> bool {
    let deepest = schedule(goal, empties, general).iter().map(|stage| stage.depth as u32).max().unwrap_or(0);
    if deepest >= empties { empties >= SMALL_ENDGAME } else { deepest > SMALL_DEPTH }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Level;

    fn level(level: u32) -> Goal {
        Goal::Level(Level::new(level as u8).unwrap())
    }

    #[test]
    fn searches_value_what_their_leaves_and_orders_reach() {
        assert_eq!(valued(Goal::Exact, 12), None);
        assert_eq!(valued(Goal::WinDrawLoss, 1), None);
        assert_eq!(valued(Goal::Exact, 13), Some(0..=13));
        assert_eq!(valued(Goal::Exact, 30), Some(0..=30));
        assert_eq!(valued(level(10), 60), Some(50..=60));
        assert_eq!(valued(level(0), 60), Some(58..=60));
        assert_eq!(valued(level(0), 1), Some(0..=1));
        // to the end, but not surely
        let selective = Goal::Depth(12, Selectivity::MOST);
        assert_eq!(valued(selective, 12), Some(0..=12));
        assert_eq!(valued(Goal::Depth(12, Selectivity::NONE), 12), None);
        assert_eq!(valued(Goal::Depth(11, Selectivity::NONE), 12), Some(1..=12));
    }

    #[test]
    fn solves_levels_and_depths_reach_the_end() {
        assert!(reaches_end(Goal::Exact, 30) && reaches_end(Goal::WinDrawLoss, 1) && reaches_end(Goal::Unlimited, 60));
        assert!(reaches_end(Goal::Depth(20, Selectivity::MOST), 20));
        assert!(!reaches_end(Goal::Depth(19, Selectivity::NONE), 20));
        assert!(!reaches_end(level(10), 60) && reaches_end(level(60), 1));
    }

    #[test]
    fn tables_are_filled_by_deep_searches() {
        assert!(!fills_table(Goal::Exact, 14, false) && fills_table(Goal::Exact, 15, false));
        assert!(!fills_table(level(10), 60, false) && fills_table(level(11), 60, false));
        assert!(fills_table(Goal::Unlimited, 60, true) && !fills_table(level(60), 12, true));
    }
}
