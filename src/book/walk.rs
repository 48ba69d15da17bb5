//! The positions that lie near good play, and how far from it.

use std::collections::HashMap;

use super::graph::known_moves;
use super::store::Book;
use crate::board::Board;

/// What one side may lose on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Losses {
    /// Discs that one move may be worse than the best known.
    pub by_move: u8,
    /// Discs that all moves together may lose.
    pub in_all: u8,
}

impl Losses {
    /// Best play.
    pub const NONE: Losses = Losses { by_move: 0, in_all: 0 };
    /// Anything.
    pub const ANY: Losses = Losses { by_move: 128, in_all: 255 };
}

/// What both sides may lose: one walk through the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The side that moves first in the start position of the walk.
    pub first: Losses,
    /// The other side.
    pub second: Losses,
}

/// Where a walk begins and what it keeps to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Start, in any orientation, with a move to make.
    pub start: Board,
    /// Walks, one after the other: a position that any of them reaches is reached.
    pub deviations: Vec<Deviation>,
    /// Moves whose value is further than this from the start's are not followed.
    pub window: Option<u8>,
    /// Plies from the start of the game on that are walked.
    pub max_ply: u32,
}

/// A position reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Where it is among the nodes of the book.
    pub node: usize,
    /// Discs lost on the way by the first and the second side.
    pub lost: (u8, u8),
    /// The first side is to move.
    pub first_to_move: bool,
    /// Which of [`Route::deviations`].
    pub deviation: usize,
    /// Plies from the start of the walk.
    pub plies: u32,
}

/// Losses on the ways to a node, by whether the first side is to move there.
type Layer = HashMap<(usize, bool), Vec<(u8, u8)>>;

/// Ways that are kept for one position: more are rare, and differ by little.
const WAYS: usize = 8;

/// Visits every way to every position that a route reaches, ways that lose more than another one left out. Positions come in
/// the order of their empties.
pub fn walk(book: &Book, route: &Route, mut visit: impl FnMut(&Reached)) {
    let Some(start) = book.position(&route.start.canonical()) else { return };
    let start_value = i32::from(book.nodes()[start].value);
    for (number, deviation) in route.deviations.iter().enumerate() {
        // by empties
        let mut layers: Vec<Layer> = (0..=64).map(|_| Layer::new()).collect();
        let begin = route.start.empty_count() as usize;
        layers[begin].insert((start, true), vec![(0, 0)]);
        for empties in (0..=begin).rev() {
            let mut layer: Vec<_> = std::mem::take(&mut layers[empties]).into_iter().collect();
            layer.sort_unstable_by_key(|((node, first), _)| (book.nodes()[*node].key(), *first));
            for ((at, first), ways) in layer {
                let node = &book.nodes()[at];
                for &lost in &ways {
                    let plies = (begin - empties) as u32;
                    visit(&Reached { node: at, lost, first_to_move: first, deviation: number, plies });
                }
                if node.ply() >= route.max_ply {
                    continue;
                }
                let losses = if first { deviation.first } else { deviation.second };
                for known in known_moves(book, node.board) {
                    let Some(child) = known.node else { continue };
                    let loss = i32::from(node.value) - i32::from(known.value);
                    let for_start = if first { i32::from(known.value) } else { -i32::from(known.value) };
                    let outside = route.window.is_some_and(|window| (for_start - start_value).abs() > window.into());
                    if loss > losses.by_move.into() || outside {
                        continue;
                    }
                    let loss = loss.max(0) as u8;
                    let child_at = book.position(&child.board).expect("it was just found");
                    let key = (child_at, first == known.passed);
                    let next = layers[child.empties() as usize].entry(key).or_default();
                    for &way in &ways {
                        if let Some(lost) = add(way, first, loss, deviation) {
                            keep(next, lost);
                        }
                    }
                }
            }
        }
    }
}

/// Losses with one more; `None` when a side has lost too much.
fn add(lost: (u8, u8), first: bool, loss: u8, deviation: &Deviation) -> Option<(u8, u8)> {
    let (a, b) = if first { (lost.0.saturating_add(loss), lost.1) } else { (lost.0, lost.1.saturating_add(loss)) };
    (a <= deviation.first.in_all && b <= deviation.second.in_all).then_some((a, b))
}

/// Keeps a way unless another one loses no more on either side.
fn keep(ways: &mut Vec<(u8, u8)>, lost: (u8, u8)) {
    if ways.iter().any(|way| way.0 <= lost.0 && way.1 <= lost.1) {
        return;
    }
    ways.retain(|way| !(lost.0 <= way.0 && lost.1 <= way.1));
    ways.push(lost);
    ways.sort_unstable();
    ways.truncate(WAYS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_side_may_lose_so_much_in_all() {
        let losses = |in_all| Losses { by_move: 4, in_all };
        let deviation = Deviation { first: losses(4), second: losses(1) };
        assert_eq!(add((3, 0), true, 1, &deviation), Some((4, 0)));
        assert_eq!(add((3, 0), true, 2, &deviation), None);
        assert_eq!(add((3, 0), false, 1, &deviation), Some((3, 1)));
        assert_eq!(add((3, 1), false, 1, &deviation), None);
        assert_eq!(
            add((200, 255), true, 100, &Deviation { first: Losses::ANY, second: Losses::ANY }),
            Some((255, 255))
        );
    }

    #[test]
    fn ways_that_lose_more_are_dropped() {
        let mut ways = vec![(2, 2)];
        keep(&mut ways, (3, 2));
        assert_eq!(ways, [(2, 2)]);
        keep(&mut ways, (0, 4));
        keep(&mut ways, (1, 3));
        assert_eq!(ways, [(0, 4), (1, 3), (2, 2)]);
        keep(&mut ways, (0, 2));
        assert_eq!(ways, [(0, 2)]);
    }
}
