//! A judgement of positions: how likely is each chip to be won in the end?
//!
//! A chip can be won along the four *axes* through its square: the disc placed last lies at one end, a disc of the same
//! colour at the other. Discs never leave the board, so an axis with discs at both ends is dead for good, and a chip whose
//! axes are all dead is lost. What lies at the ends of the axes is the whole input, together with mobility (a player without
//! a legal turn wins nothing): a logistic model adds one weight for the pair of orthogonal axes, one for the pair of diagonal
//! ones, one for mobility, and for a face-down chip one for the number of free squares beside it from which it can be turned
//! up. The weights come from games the model played against the deals itself, see [`fit`](super::fit).
//!
//! The idea of summing learned local patterns is the one behind Othello evaluation (Buro, 1997); the axes are this game's.

use super::chip::{Chip, Color};
use super::position::{Effect, Move, Position};
use super::view::Scoring;
use super::weights::{MODEL, UNIT};
use crate::board::Squares;

/// What lies at one end of an axis.
const FREE: u8 = 0;
const CHIP: u8 = 3;
const OUTSIDE: u8 = 4;

/// Kinds of an axis: dead, or what lies at its two ends, where a disc is "right" when its colour can win the chip.
const AXIS_KINDS: usize = 8;
/// Unordered pairs of axis kinds.
const PAIRS: usize = AXIS_KINDS * (AXIS_KINDS + 1) / 2;
/// Mobility is counted up to here.
const MOBILITY: usize = 32;

/// Where the groups of weights begin in [`Model`].
const UP_ORTHOGONAL: usize = 0;
const UP_DIAGONAL: usize = PAIRS;
const DOWN_ORTHOGONAL: usize = 2 * PAIRS;
const DOWN_DIAGONAL: usize = 3 * PAIRS;
const UP_MOBILITY: usize = 4 * PAIRS;
const DOWN_MOBILITY: usize = UP_MOBILITY + MOBILITY;
const TURNABLE: usize = DOWN_MOBILITY + MOBILITY;
/// Number of weights.
pub(super) const WEIGHTS: usize = TURNABLE + 6;
const UP_BIAS: usize = TURNABLE + 5;

/// What is known of a chip: its colour (0 gold, 1 black), or that it lies face down.
const HIDDEN: usize = 2;

/// The kind of an axis by what is known of the chip and what lies at either end.
static KIND: [[[u8; 5]; 5]; 3] = axis_kinds();

const fn axis_kinds() -> [[[u8; 5]; 5]; 3] {
    let mut table = [[[0; 5]; 5]; 3];
    let mut i = 0;
    while i < 75 {
        let (known, a, b) = (i / 25, i / 5 % 5, i % 5);
        table[known][a][b] = axis_kind(known, if a < b { [a, b] } else { [b, a] });
        i += 1;
    }
    table
}

/// Ends in ascending order of their codes.
const fn axis_kind(known: usize, ends: [usize; 2]) -> u8 {
    const GOLD: usize = 1;
    const BLACK: usize = 2;
    // a gold chip is won by black discs, a black one by gold discs; for a hidden one either may turn out right
    let right = match ends {
        [GOLD, _] | [_, GOLD] => known != 0,
        _ => known != 1,
    };
    match ends {
        [_, 4] | [1 | 2, 1 | 2] => 0,
        [0, 0] => 1,
        [0, 3] => 2,
        [3, 3] => 3,
        [0, BLACK | GOLD] => {
            if right {
                4
            } else {
                5
            }
        }
        _ => {
            if right {
                6
            } else {
                7
            }
        }
    }
}

/// The ends of the axes through each square: two orthogonal axes, then two diagonal ones; 64 is outside the board.
static ENDS: [[[u8; 2]; 4]; 64] = axis_ends();

const fn axis_ends() -> [[[u8; 2]; 4]; 64] {
    const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (-1, 1), (1, 1)];
    let mut ends = [[[64; 2]; 4]; 64];
    let mut i = 0;
    while i < 256 {
        let (x, y, (dx, dy)) = (i / 4 % 8, i / 32, STEPS[i as usize % 4]);
        let inside = (dx == 0 || (x > 0 && x < 7)) && (dy == 0 || (y > 0 && y < 7));
        if inside {
            ends[i as usize / 4][i as usize % 4] = [((y + dy) * 8 + x + dx) as u8, ((y - dy) * 8 + x - dx) as u8];
        }
        i += 1;
    }
    ends
}

/// Index of an unordered pair of axis kinds.
static PAIR: [[u8; AXIS_KINDS]; AXIS_KINDS] = {
    let mut table = [[0; AXIS_KINDS]; AXIS_KINDS];
    let mut next = 0;
    let mut a = 0;
    while a < AXIS_KINDS {
        let mut b = a;
        while b < AXIS_KINDS {
            table[a][b] = next;
            table[b][a] = next;
            next += 1;
            b += 1;
        }
        a += 1;
    }
    table
};

/// The weights of a chip's features, in natural-logarithm odds.
#[derive(Clone, Debug, PartialEq)]
pub struct Model(pub(super) [f32; WEIGHTS]);

/// Indices of the weights that speak about one chip.
pub(super) type Features = [usize; 4];

/// A position prepared for looking at its chips.
pub(super) struct Scan {
    ends: [u8; 65],
    free: u64,
    mobility: usize,
}

impl Scan {
    pub(super) fn new(position: &Position) -> Scan {
        let free = position.free();
        let mut ends = [CHIP; 65];
        ends[64] = OUTSIDE;
        Squares(free).for_each(|square| ends[square.index()] = FREE);
        for color in Color::ALL {
            Squares(position.discs(color)).for_each(|square| ends[square.index()] = 1 + color.index() as u8);
        }
        let moves = |color| position.legal_squares(color).count_ones() as usize;
        let mobility = (moves(Color::Gold) + moves(Color::Black)).min(MOBILITY - 1);
        Scan { ends, free, mobility }
    }

    /// The features of the chip on a square, `None` when all its axes are dead.
    #[inline(always)]
    pub(super) fn features(&self, square: usize, known: usize) -> Option<Features> {
        let axes = &ENDS[square];
        let kind = |axis: usize| {
            let [a, b] = axes[axis];
            KIND[known][self.ends[a as usize & 127] as usize][self.ends[b as usize & 127] as usize] as usize
        };
        let (a, b, c, d) = (kind(0), kind(1), kind(2), kind(3));
        if a | b | c | d == 0 {
            return None;
        }
        let (orthogonal, diagonal) = (PAIR[a][b] as usize, PAIR[c][d] as usize);
        Some(if known == HIDDEN {
            let beside = super::position::orthogonal(1 << square) & self.free;
            let turnable = TURNABLE + beside.count_ones() as usize;
            [DOWN_ORTHOGONAL + orthogonal, DOWN_DIAGONAL + diagonal, DOWN_MOBILITY + self.mobility, turnable]
        } else {
            [UP_ORTHOGONAL + orthogonal, UP_DIAGONAL + diagonal, UP_MOBILITY + self.mobility, UP_BIAS]
        })
    }
}

impl Model {
    /// The fitted weights that come with the program.
    pub fn fitted() -> Model {
        Model(MODEL.map(|weight| f32::from(weight) / UNIT))
    }

    /// Nothing known yet: every living chip is as likely won as not.
    pub fn blank() -> Model {
        Model([0.0; WEIGHTS])
    }

    /// Probability that a chip with these features is won in the end.
    #[inline(always)]
    pub(super) fn probability(&self, features: Option<Features>) -> f32 {
        let Some(features) = features else { return 0.0 };
        let sum: f32 = features.iter().map(|i| self.0[*i]).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

/// What the player knows about the chips beyond the position: enough to judge what a turn is worth.
pub(super) struct Knowledge<'a> {
    /// Numbers by square; only those of face-up chips are looked at.
    pub numbers: &'a [u8; 64],
    /// Sum of the numbers won so far.
    pub won: f32,
    /// Unseen chips: all, gold ones, blanks, and the sum of their numbers.
    pub unseen: [f32; 4],
}

/// Judges turns with a model under a scoring.
pub(super) struct Judge<'a> {
    pub model: &'a Model,
    pub scoring: Scoring,
}

impl Judge<'_> {
    /// The legal turn with the best outlook: expected final score, as far as the model can tell.
    pub(super) fn best(&self, position: &Position, known: &Knowledge) -> Option<(Move, f32)> {
        let mut best: Option<(Move, f32)> = None;
        for mv in position.legal_moves() {
            let value = self.outlook(position, mv, known);
            if best.is_none_or(|(_, highest)| value > highest) {
                best = Some((mv, value));
            }
        }
        best
    }

    /// Expected score (chips still to be won, or final points) after a legal turn; chips it turns up count with
    /// the average of both colours.
    pub(super) fn outlook(&self, position: &Position, mv: Move, known: &Knowledge) -> f32 {
        let effect = position.effect_unchecked(mv);
        let after = position.after(mv, effect);
        let scan = Scan::new(&after);
        match self.scoring {
            Scoring::Count => self.chips(&after, &scan, effect, known),
            Scoring::Points => self.points(&after, &scan, effect, known),
        }
    }

    /// Probability that a chip lying face down, or just being turned up, is won.
    #[inline(always)]
    fn hidden(&self, scan: &Scan, square: usize, turned: bool, known: &Knowledge) -> f32 {
        if !turned {
            return self.model.probability(scan.features(square, HIDDEN));
        }
        let gold = known.unseen[1] / known.unseen[0];
        gold * self.model.probability(scan.features(square, 0))
            + (1.0 - gold) * self.model.probability(scan.features(square, 1))
    }

    fn chips(&self, after: &Position, scan: &Scan, effect: Effect, known: &Knowledge) -> f32 {
        let mut sum = effect.won.count_ones() as f32;
        for color in Color::ALL {
            for square in Squares(after.face_up(color)) {
                sum += self.model.probability(scan.features(square.index(), color.index()));
            }
        }
        for square in Squares(after.face_down()) {
            sum += self.hidden(scan, square.index(), effect.turned & square.bit() != 0, known);
        }
        sum
    }

    fn points(&self, after: &Position, scan: &Scan, effect: Effect, known: &Knowledge) -> f32 {
        let number = |square: crate::board::Square| f32::from(known.numbers[square.index()]);
        let mut sum = known.won + Squares(effect.won).map(number).sum::<f32>();
        let mut all_blanks = 1.0;
        for color in Color::ALL {
            for square in Squares(after.face_up(color)) {
                let probability = self.model.probability(scan.features(square.index(), color.index()));
                match known.numbers[square.index()] {
                    0 => all_blanks *= probability,
                    number => sum += probability * f32::from(number),
                }
            }
        }
        let [chips, _, blanks, numbers] = known.unseen;
        for square in Squares(after.face_down()) {
            let probability = self.hidden(scan, square.index(), effect.turned & square.bit() != 0, known);
            all_blanks *= 1.0 - blanks / chips * (1.0 - probability);
            sum += probability * numbers / chips;
        }
        sum * (1.0 + all_blanks)
    }
}

/// The numbers of a set of chips by square, 0 elsewhere.
pub(super) fn numbers_by_square(chips: impl Iterator<Item = (crate::board::Square, Chip)>) -> [u8; 64] {
    let mut numbers = [0; 64];
    chips.for_each(|(square, chip)| numbers[square.index()] = chip.number());
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solo::rollout::Rollout;
    use crate::solo::view::tests::arbitrary_game;
    use crate::solo::{Deal, Layout};

    #[test]
    fn what_speaks_for_a_chip_makes_it_likelier() {
        let mut model = Model([0.0; WEIGHTS]);
        let features = [0, 1, 2, 3];
        assert_eq!((model.probability(None), model.probability(Some(features))), (0.0, 0.5));
        model.0[2] = 1.0;
        assert!((model.probability(Some(features)) - 0.7311).abs() < 1e-4);
    }

    #[test]
    fn outlooks_are_sums_over_chips() {
        let model = Model::fitted();
        let (mut blanks_up, mut dead, mut won) = (0, 0, 0);
        for seed in 0..8 {
            let deal = Deal::shuffled(Layout::seeded(seed), seed);
            arbitrary_game(&deal, seed, |view, turn, behind| {
                let rollout = Rollout::new(view, &deal);
                let known = rollout.knowledge();
                let [unseen, _, blanks, numbers] = known.unseen;
                for mv in view.position().legal_moves() {
                    let effect = view.position().effect_unchecked(mv);
                    let after = view.position().after(mv, effect);
                    let scan = Scan::new(&after);
                    let (mut chips, mut points, mut all_blanks) = (effect.won.count_ones() as f32, known.won, 1.0);
                    points += Squares(effect.won).map(|square| f32::from(known.numbers[square.index()])).sum::<f32>();
                    won += effect.won.count_ones();
                    for square in Squares(after.chips()) {
                        let chance = |known| model.probability(scan.features(square.index(), known));
                        let at = square.bit();
                        let is_up = after.face_down() & at == 0;
                        let color = usize::from(after.face_up(Color::Gold) & at == 0);
                        let probability = match (is_up, effect.turned & at != 0) {
                            (true, _) => chance(color),
                            (false, false) => chance(HIDDEN),
                            (false, true) => {
                                let gold = known.unseen[1] / unseen;
                                gold * chance(0) + (1.0 - gold) * chance(1)
                            }
                        };
                        dead += u32::from(probability == 0.0);
                        chips += probability;
                        let (blank, number) = if !is_up {
                            (blanks / unseen, numbers / unseen)
                        } else {
                            let number = f32::from(known.numbers[square.index()]);
                            blanks_up += u32::from(number == 0.0);
                            (f32::from(u8::from(number == 0.0)), number)
                        };
                        points += probability * number;
                        all_blanks *= 1.0 - blank * (1.0 - probability);
                    }
                    let outlook = |scoring| Judge { model: &model, scoring }.outlook(view.position(), mv, &known);
                    assert!((outlook(Scoring::Count) - chips).abs() < 1e-3, "{mv}");
                    let wanted = points * (1.0 + all_blanks);
                    assert!((outlook(Scoring::Points) - wanted).abs() < 1e-3 * wanted, "{mv}");
                }
                // what a simulated player learns by a turn is what the view behind it has
                let (mut played, seen) = (rollout.clone(), Rollout::new(behind, &deal));
                played.play(turn);
                let learnt = |player: &Rollout| (player.knowledge().won, player.knowledge().unseen);
                assert_eq!(learnt(&played), learnt(&seen));
            });
        }
        assert!(blanks_up > 0 && dead > 0 && won > 0, "{blanks_up} {dead} {won}");
    }
}
