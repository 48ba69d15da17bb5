//! Exact values: expectimax over everything that face-down chips can turn out to be.
//!
//! The state is what the player knows: the position, the numbers of face-up chips and the multiset of unseen ones. Every
//! sequence of turns is searched depth-first with a table of solved states. Two bounds keep that small: no state is worth
//! more than winning everything the relaxation of [`winnable`] leaves open, and a turn is given up as soon as
//! its outcomes so far plus the bounds of the rest cannot beat the best one. Since good play usually wins every chip that can
//! be won at all, the first line tried mostly meets the bound, and the search ends there with a proof.

use std::collections::HashMap;

use super::chip::{CHIPS, Chip, Color, TOP_NUMBER};
use super::ending::winnable;
use super::eval::{Judge, Knowledge, Model};
use super::layout::Layout;
use super::position::{Move, Position};
use super::view::{Scoring, View};
use crate::board::Squares;
use crate::search::StopToken;

/// Kinds of chips: colour times number.
const KINDS: usize = 2 * (TOP_NUMBER as usize + 1);
/// Differences of expected scores below this are rounding.
const EPSILON: f64 = 1e-9;

/// What the player knows. Under the count every chip is treated as a numbered 1, so that states differing in
/// numbers only are one.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    position: Position,
    /// Numbers of face-up chips in the order of the layout's squares, 0 elsewhere.
    numbers: [u8; CHIPS],
    /// Unseen chips by kind.
    unseen: [u8; KINDS],
}

/// The node budget was used up before the value was known.
pub(super) struct Exhausted;

/// A solver for one view.
pub(super) struct Solver<'a> {
    model: &'a Model,
    scoring: Scoring,
    layout: Layout,
    table: HashMap<State, f64>,
    /// States expanded so far.
    pub nodes: u64,
    limit: u64,
    stop: StopToken,
}

fn kind(chip: Chip) -> usize {
    chip.color().index() * (TOP_NUMBER as usize + 1) + chip.number() as usize
}

impl<'a> Solver<'a> {
    pub fn new(model: &'a Model, scoring: Scoring, layout: Layout, limit: u64) -> Solver<'a> {
        Solver { model, scoring, layout, table: HashMap::new(), nodes: 0, limit, stop: StopToken::new() }
    }

    /// Gives up, as at its limit, once this token is set.
    pub fn with_stop(self, stop: StopToken) -> Solver<'a> {
        Solver { stop, ..self }
    }

    /// The best turn of a view and its exact expected final score; `None` without a legal turn.
    pub fn solve(&mut self, view: &View) -> Result<Option<(Move, f64)>, Exhausted> {
        let state = self.state(view);
        let highest = self.highest(&state);
        let mut best: Option<(Move, f64)> = None;
        for mv in self.ordered(&state) {
            let value = self.expected(&state, mv, best.map_or(-1.0, |(_, value)| value))?;
            if best.is_none_or(|(_, other)| value > other + EPSILON) {
                best = Some((mv, value));
            }
            if value >= highest - EPSILON {
                break;
            }
        }
        Ok(best)
    }

    /// No way of playing can expect a higher final score than this.
    pub fn bound(&self, view: &View) -> f64 {
        self.highest(&self.state(view))
    }

    fn state(&self, view: &View) -> State {
        let worth = |chip: Chip| match self.scoring {
            Scoring::Count => Chip::new(chip.color(), 1).expect("a number of the game"),
            Scoring::Points => chip,
        };
        let mut state = State { position: *view.position(), numbers: [0; CHIPS], unseen: [0; KINDS] };
        for (slot, square) in self.layout.squares().enumerate() {
            if let Some(chip) = view.chip_at(square).filter(|_| state.position.chips() & square.bit() != 0) {
                state.numbers[slot] = worth(chip).number();
            }
        }
        view.unseen().into_iter().for_each(|chip| state.unseen[kind(worth(chip))] += 1);
        state
    }

    fn slot(&self, bit: u64) -> usize {
        (self.layout.bits() & (bit - 1)).count_ones() as usize
    }

    fn unseen_by_color(state: &State) -> [u32; 2] {
        let (gold, black) = state.unseen.split_at(KINDS / 2);
        [gold, black].map(|kinds| kinds.iter().map(|n| u32::from(*n)).sum())
    }

    /// Sum of numbers, and blanks, on the board among the face-up chips in a set.
    fn face_up(&self, state: &State, set: u64) -> (u32, u32) {
        let numbers = Squares(set & !state.position.face_down()).map(|s| u32::from(state.numbers[self.slot(s.bit())]));
        numbers.fold((0, 0), |(sum, blanks), number| (sum + number, blanks + u32::from(number == 0)))
    }

    /// The final score if every chip is won but those with this sum and this many blanks.
    fn score(&self, lost: u32, lost_blanks: u32) -> f64 {
        let total = match self.scoring {
            Scoring::Count => return f64::from(CHIPS as u32 - lost),
            Scoring::Points => 110 - lost,
        };
        f64::from(if lost_blanks == 0 { 2 * total } else { total })
    }

    /// The final score if no further chip is won.
    fn lowest(&self, state: &State) -> f64 {
        let (mut lost, mut blanks) = self.face_up(state, state.position.chips());
        for (kind, count) in state.unseen.iter().enumerate() {
            let number = kind as u32 % (u32::from(TOP_NUMBER) + 1);
            lost += u32::from(*count) * number;
            blanks += if number == 0 { u32::from(*count) } else { 0 };
        }
        self.score(lost, blanks)
    }

    /// The final score if everything is won that may be winnable, and the cheapest chips lie where nothing can be.
    fn highest(&self, state: &State) -> f64 {
        let position = &state.position;
        let open = winnable(position, Solver::unseen_by_color(state), true);
        let (lost, blanks) = self.face_up(state, position.chips() & !open);
        let hidden = (position.face_down() & !open).count_ones();
        // numbers of the unseen chips, ascending
        let numbers = (0..KINDS as u32 / 2)
            .flat_map(|n| [n; 2].into_iter().zip([n as usize, n as usize + KINDS / 2]))
            .flat_map(|(n, kind)| std::iter::repeat_n(n, state.unseen[kind].into()));
        let cheapest: Vec<u32> = numbers.clone().take(hidden as usize).collect();
        let cheapest_blanks = cheapest.iter().filter(|n| **n == 0).count() as u32;
        let any = self.score(lost + cheapest.iter().sum::<u32>(), blanks + cheapest_blanks);
        let numbered: Vec<u32> = numbers.filter(|n| *n > 0).take(hidden as usize).collect();
        if numbered.len() < hidden as usize {
            return any;
        }
        any.max(self.score(lost + numbered.iter().sum::<u32>(), blanks))
    }

    /// Legal turns, the most promising first.
    fn ordered(&self, state: &State) -> Vec<Move> {
        let [gold, black] = Solver::unseen_by_color(state).map(|n| n as f32);
        let known = Knowledge { numbers: &[0; 64], won: 0.0, unseen: [(gold + black).max(1.0), gold, 0.0, 0.0] };
        let judge = Judge { model: self.model, scoring: Scoring::Count };
        let mut moves: Vec<(f32, Move)> =
            state.position.legal_moves().map(|mv| (judge.outlook(&state.position, mv, &known), mv)).collect();
        moves.sort_by(|a, b| b.0.total_cmp(&a.0));
        moves.into_iter().map(|(_, mv)| mv).collect()
    }

    /// The exact value of a state.
    fn value(&mut self, state: &State) -> Result<f64, Exhausted> {
        let (mut best, highest) = (self.lowest(state), self.highest(state));
        if best >= highest - EPSILON {
            return Ok(best);
        }
        if let Some(value) = self.table.get(state) {
            return Ok(*value);
        }
        self.nodes += 1;
        if self.nodes > self.limit || self.stop.is_stopped() {
            return Err(Exhausted);
        }
        for mv in self.ordered(state) {
            best = best.max(self.expected(state, mv, best)?);
            if best >= highest - EPSILON {
                break;
            }
        }
        self.table.insert(*state, best);
        Ok(best)
    }

    /// The exact expectation of a turn if it is above `alpha`, otherwise something not above it.
    fn expected(&mut self, state: &State, mv: Move, alpha: f64) -> Result<f64, Exhausted> {
        let outcomes = self.outcomes(state, mv);
        let bounds: Vec<f64> = outcomes.iter().map(|(_, next)| self.highest(next)).collect();
        let mut sum: f64 = outcomes.iter().zip(&bounds).map(|((p, _), bound)| p * bound).sum();
        for ((probability, next), bound) in outcomes.iter().zip(bounds) {
            if sum <= alpha + EPSILON {
                return Ok(sum.min(alpha));
            }
            sum += probability * (self.value(next)? - bound);
        }
        Ok(sum)
    }

    /// The states a turn can lead to, with their probabilities.
    fn outcomes(&self, state: &State, mv: Move) -> Vec<(f64, State)> {
        let effect = state.position.effect_unchecked(mv);
        let mut after = State { position: state.position.after(mv, effect), ..*state };
        Squares(effect.won).for_each(|square| after.numbers[self.slot(square.bit())] = 0);
        let mut outcomes = vec![(1.0, after)];
        for square in Squares(effect.turned) {
            let slot = self.slot(square.bit());
            let mut next = Vec::new();
            for (probability, state) in outcomes {
                let all: u32 = state.unseen.iter().map(|n| u32::from(*n)).sum();
                for kind in (0..KINDS).filter(|kind| state.unseen[*kind] > 0) {
                    let mut state = state;
                    let share = f64::from(state.unseen[kind]) / f64::from(all);
                    state.unseen[kind] -= 1;
                    state.numbers[slot] = (kind % (KINDS / 2)) as u8;
                    let gold = if kind < KINDS / 2 { square.bit() } else { 0 };
                    state.position.turn_up(square.bit(), gold);
                    next.push((probability * share, state));
                }
            }
            outcomes = next;
        }
        outcomes
    }
}

/// Unused colours keep the kinds in two halves.
const _: () = assert!(Color::Gold as usize == 0 && Color::Black as usize == 1);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solo::Deal;
    use crate::solo::view::tests::arbitrary_game;

    /// At the start everything may be won; no value is above the bound, and it never rises.
    #[test]
    fn bounds_hold() {
        let model = Model::fitted();
        let (mut solved, mut tight) = (0, 0);
        for seed in 0..12 {
            for (scoring, most) in [(Scoring::Count, 24.0), (Scoring::Points, 220.0)] {
                let deal = Deal::shuffled(Layout::default(), seed);
                let mut solver = Solver::new(&model, scoring, deal.layout(), 20_000);
                let mut last = solver.bound(&View::start(deal.layout()));
                assert_eq!(last, most);
                arbitrary_game(&deal, seed, |view, _, _| {
                    let bound = solver.bound(view);
                    assert!(bound <= last + EPSILON, "{bound} after {last}");
                    last = bound;
                    if view.position().free().count_ones() < 20
                        && let Ok(Some((_, value))) = solver.solve(view)
                    {
                        assert!(value <= bound + EPSILON, "{value} above {bound}");
                        solved += 1;
                        tight += u32::from(value > bound - EPSILON);
                    }
                });
            }
        }
        assert!(solved > 20 && tight > 0, "{solved} {tight}");
    }
}
