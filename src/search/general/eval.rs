//! The evaluation of boards of any size: the values of [`crate::eval::corners`] where there are some, and else the features of
//! [`crate::eval::handmade`] alone.

use super::set::Set;
use super::state::{Rules, State};
use crate::eval::corners::{self, Corners, Fillings, fillings};
use crate::eval::handmade::{self, DISC, Weights, blend};
use crate::rules::{Flips, Objective, RuleSet};

/// What few discs take from a side's value. (What was tried is in `benches/BENCHMARKS.md`, "Other rules".)
struct Danger {
    /// Most discs of a side that is in danger of losing them all at once, ...
    few: usize,
    /// ... and fewest of the other one.
    many: u32,
    /// What the danger takes from the value of a side with a single disc, in discs; with more of them it is as much less.
    discs: i32,
}

/// The largest `few` of all boards.
const MOST_FEW: usize = 32;

impl Danger {
    /// Where a side may be wiped out in the middle of a game: on boards larger than 8x8, and later where moves turn one line. The larger
    /// the board, the more discs it takes to be safe, and the more are lost. Nothing else in the evaluation knows of it, since sides that
    /// play well seldom are; where fewest discs win it is no danger.
    fn under(rules: &RuleSet) -> Option<Danger> {
        if rules.objective() == Objective::Fewest {
            return None;
        }
        Some(match (rules.flips(), rules.squares()) {
            (Flips::All, 65..100) => Danger { few: 10, many: 24, discs: 24 },
            (Flips::All, 100..196) | (Flips::One, 144..196) => Danger { few: 6, many: 12, discs: 60 },
            (Flips::All, 196..) => Danger { few: MOST_FEW, many: 12, discs: 960 },
            (Flips::One, 196..) => Danger { few: 10, many: 12, discs: 240 },
            _ => return None,
        })
    }
}

/// A side [may be wiped out](Danger::under).
pub(super) fn may_vanish(rules: &RuleSet) -> bool {
    Danger::under(rules).is_some()
}

/// What the evaluation looks up, for one set of rules.
pub(super) struct Evaluation {
    /// Weights of the features by number of empty squares, where there are no tables.
    weights: Vec<[i32; handmade::FEATURES]>,
    corners: Option<Corners>,
    squares: u32,
    /// Where a side may vanish.
    danger: Option<Dangers>,
}

/// What so few discs take from a side's value beside so many of the other one's.
struct Dangers {
    many: u32,
    /// By the side's discs; nothing beyond the few.
    values: [i32; MOST_FEW + 1],
}

impl Dangers {
    fn new(Danger { few, many, discs }: Danger) -> Dangers {
        let share = |own: usize| discs * DISC / own.max(1) as i32;
        let values = std::array::from_fn(|own| if own <= few { share(own) - share(few + 1) } else { 0 });
        Dangers { many, values }
    }

    /// What a side's value is less for its few discs beside those of the other one.
    #[inline(always)]
    fn of<B: Set>(&self, own: B, other: B) -> i32 {
        let value = self.values.get(own.count() as usize).filter(|_| other.count() >= self.many);
        value.copied().unwrap_or(0)
    }
}

impl Evaluation {
    /// Of these rules; with `weights`, features alone by these instead.
    pub fn new(rules: &RuleSet, weights: Option<&Weights>) -> Evaluation {
        let squares = rules.squares();
        let corners = if weights.is_none() { Corners::under(rules) } else { None };
        let weights = weights.unwrap_or(handmade::weights_for(rules));
        let count = if corners.is_some() { 0 } else { squares + 1 };
        let weights = (0..count).map(|empties| blend(weights, empties, squares)).collect();
        let danger = Danger::under(rules).map(Dangers::new);
        Evaluation { weights, corners, squares, danger }
    }

    /// Static value of a state past the placement phase with these moves and so many empty squares, in 1 / [`DISC`] for the side to
    /// move: the score if the game is over.
    #[inline(always)]
    pub fn value<B: Set>(&self, rules: &Rules<B>, state: &State<B>, moves: B, empties: u32) -> i32 {
        let replies = rules.opponent_moves(state);
        if !moves.any() && !replies.any() {
            return rules.final_score(state) * DISC;
        }
        let mobility = moves.count() as i32 - replies.count() as i32;
        let sum = match &self.corners {
            Some(corners) => corners.value(empties, everywhere(rules, state, mobility), corner_fillings(rules, state)),
            None => {
                let (values, weights) = (features_with(rules, state, mobility), &self.weights[empties as usize]);
                let mut sum = 0;
                for (value, weight) in values.iter().zip(weights) {
                    sum += value * weight;
                }
                sum
            }
        };
        let sum = match &self.danger {
            Some(danger) => sum + danger.of(state.opponent, state.player) - danger.of(state.player, state.opponent),
            None => sum,
        };
        let limit = self.squares as i32 * DISC - 1;
        sum.clamp(-limit, limit)
    }
}

/// The fillings of the board's four corners.
#[inline(always)]
pub(super) fn corner_fillings<B: Set>(rules: &Rules<B>, state: &State<B>) -> [Fillings; 4] {
    let corners = &rules.geometry.corner_rows;
    let pair = |set: B, first: usize, next: usize| (set.tail(first) & 15 | (set.tail(next) & 15) << 4) as u8;
    let mut all = [[0; 6]; 4];
    for (found, (rows, right)) in all.iter_mut().zip(corners) {
        let discs = |set: B| [pair(set, rows[0], rows[1]), pair(set, rows[2], rows[3])];
        *found = fillings(discs(state.player), discs(state.opponent), *right);
    }
    all
}

/// The features of a state past the placement phase.
#[cfg(test)]
pub(super) fn features<B: Set>(rules: &Rules<B>, state: &State<B>) -> [i32; handmade::FEATURES] {
    features_with(rules, state, rules.moves(state).count() as i32 - rules.opponent_moves(state).count() as i32)
}

/// The features of a state whose difference in moves is known.
#[inline(always)]
fn features_with<B: Set>(rules: &Rules<B>, state: &State<B>, mobility: i32) -> [i32; handmade::FEATURES] {
    let geometry = &rules.geometry;
    let empties = rules.empties(state);
    let [mobility, potential, runs, border, discs, tempo] = everywhere(rules, state, mobility);
    let (mut x, mut c) = (0, 0);
    for corner in &geometry.corners {
        if empties.has(corner.square) {
            x += difference(state, corner.x);
            c += difference(state, corner.c);
        }
    }
    [mobility, potential, difference(state, geometry.corner_set), x, c, runs, border, discs, tempo]
}

/// How many discs more the side to move has in a set.
#[inline(always)]
fn difference<B: Set>(state: &State<B>, set: B) -> i32 {
    (set & state.player).count() as i32 - (set & state.opponent).count() as i32
}

/// The features that do not look at the squares beside corners, of a state whose difference in moves is known.
#[inline(always)]
pub(super) fn everywhere<B: Set>(rules: &Rules<B>, state: &State<B>, mobility: i32) -> [i32; corners::FEATURES] {
    let geometry = &rules.geometry;
    let empties = rules.empties(state);
    let (own, other) = (state.player, state.opponent);
    let frontier = |discs: B| (geometry.around(discs) & empties).count() as i32;
    let mut runs = 0;
    for corner in &geometry.corners {
        if empties.has(corner.square) {
            continue;
        }
        let (discs, sign) = if own.has(corner.square) { (own, 1) } else { (other, -1) };
        for &(start, step, length) in &corner.edges {
            let mut at = start;
            for _ in 0..length {
                at = at.wrapping_add_signed(step);
                if !discs.has(at) {
                    break;
                }
                runs += sign;
            }
        }
    }
    [
        mobility,
        frontier(other) - frontier(own),
        runs,
        difference(state, geometry.border),
        own.count() as i32 - other.count() as i32,
        if empties.count() % 2 == 1 { 1 } else { -1 },
    ]
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::super::set::U256;
    #[cfg(target_arch = "x86_64")]
    use super::super::v3::V3;
    use super::*;
    use crate::eval::handmade::{FEATURES, PHASES};
    #[cfg(target_arch = "x86_64")]
    use crate::kernel::Tier;
    use crate::rules::{Bits, Color, Point, Position, Supply};

    type Square = (i64, i64);

    const STRAIGHT: [Square; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
    const DIAGONAL: [Square; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

    fn beyond((row, column): Square, (down, right): Square) -> Square {
        (row + down, column + right)
    }

    /// What the evaluation looks at, square by square.
    struct Plain<'a>(&'a Position);

    impl Plain<'_> {
        /// 1 and -1 are discs of the side to move and of the other one; there is no square beyond the edge, nor at a hole.
        fn at(&self, (row, column): Square) -> Option<i64> {
            let rules = self.0.rules();
            let (rows, columns) = (i64::from(rules.rows()), i64::from(rules.columns()));
            let is_inside = (0..rows).contains(&row) && (0..columns).contains(&column);
            let point = is_inside.then_some(Point { row: row as u8, column: column as u8 });
            let point = point.filter(|point| rules.area().contains(*point))?;
            let sign = |color| if color == self.0.side_to_move() { 1 } else { -1 };
            Some(self.0.disc_at(point).map_or(0, sign))
        }

        fn squares(&self) -> Vec<Square> {
            self.0.rules().area().iter().map(|point| (point.row.into(), point.column.into())).collect()
        }

        fn empty(&self) -> impl Iterator<Item = Square> {
            self.squares().into_iter().filter(|square| self.at(*square) == Some(0))
        }

        fn around(&self, square: Square) -> impl Iterator<Item = Square> {
            STRAIGHT.into_iter().chain(DIAGONAL).map(move |step| beyond(square, step))
        }

        /// Squares where a side may move.
        fn moves(&self, side: i64) -> i64 {
            let color = if side == 1 { self.0.side_to_move() } else { !self.0.side_to_move() };
            if self.0.in_hand(color) == Some(0) {
                return 0;
            }
            let turns = |square: Square, step: Square| {
                let mut at = beyond(square, step);
                let is_other = self.at(at) == Some(-side);
                while self.at(at) == Some(-side) {
                    at = beyond(at, step);
                }
                is_other && self.at(at) == Some(side)
            };
            self.empty().filter(|&s| STRAIGHT.into_iter().chain(DIAGONAL).any(|step| turns(s, step))).count() as i64
        }

        /// Empty squares that touch a disc of a side.
        fn touched(&self, side: i64) -> i64 {
            self.empty().filter(|&square| self.around(square).any(|near| self.at(near) == Some(side))).count() as i64
        }

        fn is_border(&self, square: Square) -> bool {
            self.at(square).is_some() && STRAIGHT.iter().any(|&step| self.at(beyond(square, step)).is_none())
        }

        /// A line cannot pass through it in any direction.
        fn is_corner(&self, square: Square) -> bool {
            let is_end =
                |step: &Square| [1, -1].iter().any(|n| self.at(beyond(square, (n * step.0, n * step.1))).is_none());
            STRAIGHT[..2].iter().chain(&DIAGONAL[..2]).all(is_end)
        }

        /// How many discs more the side to move has on these squares.
        fn sum(&self, squares: impl IntoIterator<Item = Square>) -> i64 {
            squares.into_iter().filter_map(|square| self.at(square)).sum()
        }

        fn features(&self) -> [i64; FEATURES] {
            let corners: Vec<Square> = self.squares().into_iter().filter(|square| self.is_corner(*square)).collect();
            let beside_open = |steps: [Square; 4]| {
                let open = corners.iter().filter(|corner| self.at(**corner) == Some(0));
                open.map(|corner| self.sum(steps.map(|step| beyond(*corner, step)))).sum()
            };
            let mut runs = 0;
            for (corner, step) in corners.iter().flat_map(|corner| STRAIGHT.map(|step| (*corner, step))) {
                let (side, mut next) = (self.at(corner), beyond(corner, step));
                while side != Some(0) && self.at(next) == side && self.is_border(next) {
                    runs += self.sum([next]);
                    next = beyond(next, step);
                }
            }
            [
                self.moves(1) - self.moves(-1),
                self.touched(-1) - self.touched(1),
                self.sum(corners.iter().copied()),
                beside_open(DIAGONAL),
                beside_open(STRAIGHT),
                runs,
                self.sum(self.squares().into_iter().filter(|square| self.is_border(*square))),
                self.sum(self.squares()),
                if self.empty().count() % 2 == 1 { 1 } else { -1 },
            ]
        }

        /// The numbers of the discs at the four corners of the rectangle.
        fn fillings(&self) -> [Fillings; 4] {
            let (rows, columns) = (i64::from(self.0.rules().rows()), i64::from(self.0.rules().columns()));
            [(false, false), (false, true), (true, false), (true, true)].map(|(low, right)| {
                let digit = |(row, column): Square| {
                    let square =
                        (if low { rows - 1 - row } else { row }, if right { columns - 1 - column } else { column });
                    [2, 0, 1][(self.at(square).unwrap_or(0) + 1) as usize]
                };
                let number = |height: i64, width: i64, first: Square, turned: bool| {
                    let squares = (0..height * width).rev().map(|i| beyond(first, (i / width, i % width)));
                    squares.fold(0, |sum, (row, column)| {
                        3 * sum + digit(if turned { (column, row) } else { (row, column) })
                    })
                };
                let all = |further: i64| {
                    let edge = (2 * further, 0);
                    [number(3, 3, (further, further), false), number(2, 4, edge, false), number(2, 4, edge, true)]
                };
                let ([a, b, c], [d, e, f]) = (all(0), all(1));
                [a, b, c, d, e, f]
            })
        }

        /// The value, with weights of the features alone, or with those of the corners.
        fn value(&self, weights: Option<&Weights>) -> i64 {
            let rules = self.0.rules();
            if self.moves(1) == 0 && self.moves(-1) == 0 {
                return i64::from(self.0.own_final_score(false)) * 64;
            }
            let (squares, empties) = (self.squares().len() as i64, self.empty().count() as i64);
            let features = self.features();
            let sum = match weights {
                Some(weights) => {
                    let at = (squares - empties) * 3 * 256 / squares;
                    let low = (at / 256).min(PHASES as i64 - 2);
                    let [before, after] = [0, 1].map(|next| weights[low as usize + next].map(i64::from));
                    let weight = |i: usize| before[i] + (after[i] - before[i]) * (at - 256 * low) / 256;
                    (0..FEATURES).map(|i| features[i] * weight(i)).sum()
                }
                None => {
                    let [mobility, potential, _, _, _, runs, border, discs, tempo] = features.map(|n| n as i32);
                    let others = [mobility, potential, runs, border, discs, tempo];
                    let corners = Corners::under(rules).expect("values of corners");
                    i64::from(corners.value(empties as u32, others, self.fillings()))
                }
            };
            // a side that may lose all of its few discs at once
            let count = |side: i64| self.squares().into_iter().filter(|s| self.at(*s) == Some(side)).count() as i64;
            let (few, many, most) = match (rules.flips(), squares) {
                _ if rules.objective() == Objective::Fewest => (-1, 0, 0),
                (Flips::All, 65..100) => (10, 24, 24),
                (Flips::All, 100..196) | (Flips::One, 144..196) => (6, 12, 60),
                (Flips::All, 196..) => (32, 12, 960),
                (Flips::One, 196..) => (10, 12, 240),
                _ => (-1, 0, 0),
            };
            let danger = |own: i64, other: i64| match own <= few && other >= many {
                true => most * 64 / own.max(1) - most * 64 / (few + 1),
                false => 0,
            };
            let sum = sum + danger(count(-1), count(1)) - danger(count(1), count(-1));
            sum.clamp(1 - 64 * squares, 64 * squares - 1)
        }
    }

    /// The value with sets of one kind.
    fn value<B: Set>(position: &Position, weights: Option<&Weights>) -> i64 {
        let rules: Rules<B> = Rules::new(position, false);
        let state = rules.state(position);
        let evaluation = Evaluation::new(position.rules(), weights);
        evaluation.value(&rules, &state, rules.moves(&state), position.empty_count()).into()
    }

    fn random_position(rules: &Arc<RuleSet>, rng: &mut StdRng) -> Position {
        // from nearly empty to full, and from one side's to the other's
        let (filled, own) = (rng.random_range(0.02..1.0), rng.random_range(0.0..1.0));
        let mut discs = [Bits::EMPTY; 2];
        for point in rules.area().iter() {
            if rng.random_bool(filled) {
                discs[usize::from(rng.random_bool(own))].insert(point);
            }
        }
        let side = if rng.random_bool(0.5) { Color::Black } else { Color::White };
        let position = Position::from_discs(rules.clone(), discs[0], discs[1], side).expect("discs on the board");
        if rules.supply() != Supply::Own || rng.random_bool(0.5) {
            return position;
        }
        // one side has as few discs left as it may have
        let empties = position.empty_count();
        let first = empties.saturating_sub(rules.discs_each(Color::White)) as u16;
        position.with_hands(first, empties as u16 - first).expect("no more than half the board each")
    }

    /// On boards of all kinds, with the largest numbers as weights, for all sets and tiers.
    #[test]
    fn values_are_those_of_their_definition() {
        let mut rng = StdRng::seed_from_u64(31);
        for text in [
            "othello:4x4",
            "othello:5x7,one",
            "othello:8x8,fewest",
            "othello:16x4,own",
            "othello:7x9,one,fewest",
            "octagon",
            "octagon:13x12,one",
            "traveller:6x10",
            "othello:10x10",
            "othello:8x16,one",
            "othello:12x12,one",
            "othello:14x15,one",
            "othello:9x14,holes=a1,i9,e5,f4",
            "othello:8x8,holes=c3,f6,a4",
            "othello:15x15,holes=j10,a1,o15,c4",
            "othello:16x16",
            "ravensburger-one:16x15,fewest",
        ] {
            let rules: Arc<RuleSet> = Arc::new(text.parse().expect(text));
            let ends = |rng: &mut StdRng| [i16::MIN, i16::MAX, rng.random()][rng.random_range(0..3)];
            for _ in 0..40 {
                let position = random_position(&rules, &mut rng);
                let weights: Weights = std::array::from_fn(|_| std::array::from_fn(|_| ends(&mut rng)));
                for weights in [Some(&weights), None] {
                    // what there are no values of corners for has weights of its own
                    let known = Corners::under(&rules).map_or(Some(handmade::weights_for(&rules)), |_| None);
                    let expected = Plain(&position).value(weights.or(known));
                    let check = |found: i64, set: &str| assert_eq!(found, expected, "{set}: {position}, {weights:?}");
                    let cells = rules.cells();
                    if cells <= 64 {
                        check(value::<u64>(&position, weights), "u64");
                    }
                    if cells <= 128 {
                        check(value::<u128>(&position, weights), "u128");
                    }
                    check(value::<U256>(&position, weights), "U256");
                    #[cfg(target_arch = "x86_64")]
                    if Tier::V3.is_supported() {
                        match cells {
                            0..=64 => check(value::<V3<u64>>(&position, weights), "V3<u64>"),
                            65..=128 => check(value::<V3<u128>>(&position, weights), "V3<u128>"),
                            _ => check(value::<V3<U256>>(&position, weights), "V3<U256>"),
                        }
                    }
                }
            }
        }
    }
}
