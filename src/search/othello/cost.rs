//! Order of moves near the end by what they are likely to cost: of the moves that cut, the one whose proof is cheapest comes first.
//!
//! A small network looks at a move and says with what chance it cuts and how many nodes that takes; moves come in the order of
//! `3 ln chance - ln nodes`. It wants to know what the whole evaluation says of the move, which is dear where a few hundred nodes decide
//! one, so that only moves are looked at that a glance finds likely to be first. (That the first move cuts is nearly certain in solves;
//! that it is the cheapest one that does is not. The usual key, fewest replies first, is a guess of the same cost.) The network has been
//! fitted by `outflank fit-ordering` to nodes of solves whose first move was drawn at random ([`super::sampling`]). It counts in whole
//! numbers, so that all tiers order alike.

use arrayvec::ArrayVec;

use super::children::{CLOSELY, Child, Children, Few, Glance, MOST_FEW, potential_mobility};
use super::entries::Entries;
use super::worker::{Node, Worker};
use crate::board::MAX_MOVES;
use crate::board::stability::stable_discs;
use crate::eval::UNITS_PER_DISC;

/// Fewest empties of nodes that are ordered so. (At 12 it takes fewer nodes, too, but no less time.)
pub(crate) const LEAST: u32 = 13;
/// Most empties of such nodes. Above, searches of a ply and more order the moves.
pub(crate) const MOST: u32 = 16;
/// Numbers of empties.
pub(crate) const EMPTIES: usize = (MOST - LEAST + 1) as usize;
/// The moves that are looked at.
const FEW: Few = Few { most: MOST_FEW, margin: 40 };
/// Numbers that the network sees of each move.
pub(crate) const INPUTS: usize = 10;
/// Kinds of squares: those that are images of one another.
pub(crate) const CLASSES: usize = 10;
/// Units in its layer.
pub(crate) const UNITS: usize = 8;
/// Of the two numbers that come out, the one that the chance of a cut is made of: its logistic function.
pub(crate) const CHANCE: usize = 0;
/// And the logarithm of the nodes of a move that cuts.
pub(crate) const COST: usize = 1;

/// Places among the inputs of what moves are compared by.
const REPLIES: usize = 0;
const VALUE: usize = 5;
const MORE_REPLIES: usize = 8;
const LESS_VALUE: usize = 9;

/// Parts of a disc in which values are seen.
const VALUE_PARTS: i32 = 8;
/// Values further from the window than so many discs are as good as so far.
const FARTHEST: i32 = 30;
/// Weights of the layer are in units of 1/2^LAYER_BITS.
pub(crate) const LAYER_BITS: u32 = 14;
/// Weights of the outputs are in units of 1/2^OUTPUT_BITS.
pub(crate) const OUTPUT_BITS: u32 = 12;
/// What comes out of units is in units of 1/2^UNIT_BITS, and at most 2^(UNIT_BITS + 5).
pub(crate) const UNIT_BITS: u32 = 8;
/// Keys are in units of 1/2^KEY_BITS.
pub(crate) const KEY_BITS: u32 = 10;

/// What the network sees of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inputs {
    /// Replies; replies in corners; empty squares that touch a disc of the mover after it; whether the square is in a quadrant with an odd
    /// number of empties; its linear and its whole value, in parts of a disc above the window; the mover's stable discs; alpha; how many
    /// replies more than the move with the fewest; how much less value than the one with the most.
    pub numbers: [i32; INPUTS],
    /// The kind of its square, below [`CLASSES`].
    pub class: u8,
}

/// The network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    /// What each input adds to each unit.
    pub inputs: [[i32; UNITS]; INPUTS],
    /// What each kind of square adds.
    pub classes: [[i32; UNITS]; CLASSES],
    /// What each number of empties adds, from [`LEAST`] on.
    pub empties: [[i32; UNITS]; EMPTIES],
    /// What each unit adds to [`CHANCE`] and [`COST`].
    pub outputs: [[i32; UNITS]; 2],
    /// What each number of empties adds.
    pub constants: [[i32; 2]; EMPTIES],
}

/// The fitted network.
pub(crate) static MODEL: Model = include!("cost.in");

impl Model {
    /// [`CHANCE`] and [`COST`] of a move at a node with so many empties, both in units of 1/2^KEY_BITS.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, clippy::manual_clamp)] // calls stay in functions with target features
    pub fn outputs(&self, empties: u32, inputs: &Inputs) -> [i32; 2] {
        let row = (empties - LEAST) as usize % EMPTIES;
        let mut units = self.empties[row];
        let class = &self.classes[inputs.class as usize % CLASSES];
        for j in 0..UNITS {
            units[j] += class[j];
        }
        for i in 0..INPUTS {
            for j in 0..UNITS {
                units[j] = units[j].wrapping_add(inputs.numbers[i].wrapping_mul(self.inputs[i][j]));
            }
        }
        let mut sums = self.constants[row];
        for j in 0..UNITS {
            let unit = (units[j] >> (LAYER_BITS - UNIT_BITS)).max(0).min(1 << (UNIT_BITS + 5));
            sums[CHANCE] = sums[CHANCE].wrapping_add(unit.wrapping_mul(self.outputs[CHANCE][j]));
            sums[COST] = sums[COST].wrapping_add(unit.wrapping_mul(self.outputs[COST][j]));
        }
        sums.map(|sum| sum >> (UNIT_BITS + OUTPUT_BITS - KEY_BITS))
    }

    /// The key of a move, within ±2^24 whatever the network (outputs are within ±2^21): higher is searched earlier.
    #[inline(always)]
    pub fn key(&self, empties: u32, inputs: &Inputs) -> i32 {
        let outputs = self.outputs(empties, inputs);
        3 * ln_logistic(outputs[CHANCE]) - outputs[COST]
    }
}

/// What the network sees of a move that leads to `child`, but for what compares it with others, given its linear value.
#[inline(always)]
#[allow(clippy::manual_clamp)] // as above
fn inputs<I: Entries>(w: &mut Worker, node: Node, child: &Child, odd: u64, alpha: i32, linear: i32) -> Inputs {
    let whole = w.whole_reply::<I>(node, child.square as usize, child.flips, linear);
    let above = |units: i32| {
        let parts = -units * VALUE_PARTS / UNITS_PER_DISC - alpha * VALUE_PARTS;
        parts.max(-FARTHEST * VALUE_PARTS).min(FARTHEST * VALUE_PARTS)
    };
    let replies = child.moves.count_ones() as i32;
    let stable = stable_discs(w.shared.edges, child.opponent, child.player).count_ones() as i32;
    let numbers = [
        replies,
        (child.moves & w.corners::<I>()).count_ones() as i32,
        potential_mobility(child.player, child.opponent, w.mask::<I>()),
        (odd >> child.square & 1) as i32,
        above(linear),
        above(whole),
        stable,
        alpha,
        0,
        0,
    ];
    Inputs { numbers, class: CLASS[child.square as usize & 63] }
}

/// Compares moves with one another; `fewest` replies are left by a move of the node.
#[inline(always)]
fn compare(all: &mut [Inputs], fewest: i32) {
    let mut most = i32::MIN;
    for inputs in all.iter() {
        most = most.max(inputs.numbers[VALUE]);
    }
    for inputs in all {
        inputs.numbers[MORE_REPLIES] = inputs.numbers[REPLIES] - fewest;
        inputs.numbers[LESS_VALUE] = inputs.numbers[VALUE] - most;
    }
}

/// The fewest replies that a move leaves.
#[inline(always)]
fn fewest_replies(children: &Children) -> i32 {
    let mut fewest = u32::MAX;
    for child in children.iter() {
        fewest = fewest.min(child.moves.count_ones());
    }
    fewest as i32
}

/// What the network sees of the moves that lead to `children`.
#[inline(always)]
pub(super) fn all_inputs<I: Entries>(
    w: &mut Worker,
    node: Node,
    children: &Children,
    alpha: i32,
) -> ArrayVec<Inputs, MAX_MOVES> {
    let odd = w.odd_quadrants::<I>(w.parity::<I>(node.player, node.opponent));
    let mut all = ArrayVec::new();
    for child in children.iter() {
        let linear = w.linear_reply::<I>(node, child.square as usize, child.flips);
        all.push(inputs::<I>(w, node, child, odd, alpha, linear));
    }
    compare(&mut all, fewest_replies(children));
    all
}

/// Orders the likeliest first moves, by the keys that `glance` has given them, by what they are likely to cost.
#[inline(always)]
pub(super) fn look<I: Entries>(w: &mut Worker, node: Node, children: &mut Children, alpha: i32, glance: &Glance) {
    let places = children.few(FEW);
    if places.len() < 2 {
        return;
    }
    let mut all: ArrayVec<Inputs, MOST_FEW> = ArrayVec::new();
    for &place in &places {
        let child = *children.get(place as usize);
        all.push(inputs::<I>(w, node, &child, glance.odd, alpha, glance.linear[place as usize]));
    }
    compare(&mut all, fewest_replies(children));
    for i in 0..places.len() {
        children.set_key(places[i] as usize, CLOSELY + MODEL.key(node.empties, &all[i]));
    }
}

/// The kind of each square: by its distances from the nearest edges.
const CLASS: [u8; 64] = {
    let mut classes = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (x, y) = (square % 8, square / 8);
        let (x, y) = (if x < 4 { x } else { 7 - x }, if y < 4 { y } else { 7 - y });
        let (near, far) = if x < y { (x, y) } else { (y, x) };
        classes[square] = ([0, 4, 7, 9][near] + far - near) as u8;
        square += 1;
    }
    classes
};

/// `ln(1 / (1 + exp(-x)))`, argument and result in units of 1/2^10. (A parabola for the bend: within 0.07.)
#[inline(always)]
fn ln_logistic(x: i32) -> i32 {
    const LN_2: i32 = 710;
    let bend = ((4 << KEY_BITS) - x.abs()).max(0);
    x.min(0) - ((((bend * bend) >> 10) * LN_2) >> 14)
}
