//! What one searching thread owns, and what all of them share.

use std::sync::{Arc, Mutex};

use super::entries::Entries;
use super::local::LocalCache;
use super::sampling::Sampler;
use super::split::{Pool, SplitPoint};
use super::tt::{Found, View};
use super::walls::General;
use crate::board::Board;
use crate::board::stability::{EdgeTable, stable_discs, stable_discs_within};
use crate::eval::ErrorModel;
use crate::eval::{Features, Weights};
use crate::search::Watch;

/// No stability test below this alpha, by empties: it would rarely cut. (The idea is shared by Edax, Edax-AVX and Neural Reversi; 99
/// switches it off.) Up to eleven empties the discs that can be turned at once tell most tests in vain beforehand.
pub(super) const STABILITY_MIN_ALPHA: [i32; 65] = {
    let mut table = [99; 65];
    let near = [99, 99, 99, 99, -4, -2, 0, 2, 2, 4, 6, 8];
    let mut n = 0;
    while n < 65 {
        table[n] = if n < near.len() { near[n] } else { 2 * n as i32 };
        n += 1;
    }
    table
};

/// If all of these discs of the opponent were stable, they would bound the score by at most `alpha`; below `min_alpha` nobody asks.
#[inline(always)]
pub(super) fn could_bound(discs: u64, alpha: i32, min_alpha: i32) -> bool {
    alpha >= min_alpha && 64 - 2 * discs.count_ones() as i32 <= alpha
}

/// What scores mean and which squares exist: read by the general (not plain othello) search only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Squares of the board.
    pub mask: u64,
    /// Its four corner squares.
    pub corners: u64,
    /// The quadrant (one of four bits) of each square.
    pub quadrants: [u8; 64],
    /// Union of the quadrants in each of the 16 sets of them.
    pub quadrant_masks: [u64; 16],
    /// Final scores count discs only.
    pub discs_only: bool,
    /// Fewest discs win.
    pub fewest: bool,
}

impl Rules {
    /// Plain othello on the whole board.
    pub fn othello() -> Rules {
        Rules::new(u64::MAX, false, false)
    }

    /// Rules for the board `mask`, a rectangle with a corner in a1.
    pub fn new(mask: u64, discs_only: bool, fewest: bool) -> Rules {
        let columns = (mask & 0xFF).count_ones();
        let rows = mask.count_ones() / columns.max(1);
        let corner = |x: u32, y: u32| 1u64 << (y * 8 + x);
        let corners = corner(0, 0) | corner(columns - 1, 0) | corner(0, rows - 1) | corner(columns - 1, rows - 1);
        let mut quadrants = [0; 64];
        let mut quadrant_masks = [0; 16];
        for (square, quadrant) in quadrants.iter_mut().enumerate() {
            let (x, y) = (square as u32 % 8, square as u32 / 8);
            *quadrant = 1 << ((x >= columns / 2) as u32 + 2 * (y >= rows / 2) as u32);
            for (set, union) in quadrant_masks.iter_mut().enumerate() {
                if set as u8 & *quadrant != 0 {
                    *union |= 1 << square;
                }
            }
        }
        Rules { mask, corners, quadrants, quadrant_masks, discs_only, fewest }
    }

    /// The fast search without its general branches applies.
    pub fn is_plain(&self) -> bool {
        self.mask == u64::MAX && !self.discs_only && !self.fewest
    }

    /// Score of a finished game for the side with `discs`.
    #[inline(always)]
    pub fn score(&self, discs: i32, others: i32, empties: i32) -> i32 {
        let difference = discs - others;
        let score = if self.discs_only { difference } else { difference + difference.signum() * empties };
        if self.fewest { -score } else { score }
    }
}

const PLAIN_QUADRANTS: [u8; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = 1 << ((square % 8 >= 4) as u32 + 2 * (square / 8 >= 4) as u32);
        square += 1;
    }
    table
};

const PLAIN_QUADRANT_MASKS: [u64; 16] = {
    let mut table = [0; 16];
    let quadrants = [0x0F0F_0F0F, 0xF0F0_F0F0, 0x0F0F_0F0F << 32, 0xF0F0_F0F0 << 32];
    let mut set = 0;
    while set < 16 {
        let mut i = 0;
        while i < 4 {
            if set >> i & 1 != 0 {
                table[set] |= quadrants[i];
            }
            i += 1;
        }
        set += 1;
    }
    table
};

/// Corners of the 8x8 board.
pub(super) const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The squares diagonally next to them.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;

/// What all threads of a search share.
pub(crate) struct Shared<'a> {
    pub table: View<'a>,
    pub weights: &'a Weights,
    pub edges: &'static EdgeTable,
    pub rules: Rules,
    /// The evaluation where there are no trained weights.
    pub general: General,
    /// How many standard deviations ProbCut asks for in the midgame, by selectivity.
    pub midgame_deviations: &'static [f32; 5],
    /// How far searches before the end of the game are off where there are no trained weights; `None` in solves, which cut little
    /// there.
    pub general_errors: Option<ErrorModel>,
    /// Moves are ordered by what the evaluation says, too: not where a whole solve takes less time than unpacking its weights.
    pub values: bool,
    pub pool: Pool,
    /// Keeps what moves cost, where that is wanted.
    pub sampler: Option<&'a Mutex<Sampler>>,
    /// The limits, and the nodes of all threads.
    pub watch: Watch<'a>,
}

/// A position in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub player: u64,
    pub opponent: u64,
    /// Index of its features on the worker's stack: placements since the root.
    pub ply: u32,
    /// Which view of the features belongs to the side to move.
    pub view: usize,
    /// Number of empty squares.
    pub empties: u32,
}

impl Node {
    /// Its position.
    #[inline(always)]
    pub fn board(self) -> Board {
        Board { player: self.player, opponent: self.opponent }
    }

    /// The same position with the other side to move.
    #[inline(always)]
    pub fn pass(self) -> Node {
        Node { player: self.opponent, opponent: self.player, view: self.view ^ 1, ..self }
    }
}

/// One searching thread.
pub(crate) struct Worker<'a> {
    pub shared: &'a Shared<'a>,
    pub nodes: u64,
    pub cache: &'a mut LocalCache,
    /// Features of the positions from the root to here.
    pub stack: Box<[Features]>,
    /// The square of the move that led to each ply of the stack.
    pub placed: [u8; 66],
    /// See [`Worker::countermoves`].
    countermoves: [[u64; 2]; 128],
    /// Selectivity of this iteration (index of [`crate::search::Selectivity`]).
    pub selectivity: u8,
    /// Inside so many ProbCut probes.
    pub probing: u8,
    /// The split point this worker searches for, innermost.
    pub split: Option<Arc<SplitPoint>>,
    /// The number of nodes up to which those in vain have been counted.
    pub in_vain_until: u64,
    /// Positions that this thread stored and the table did not know, since it looked at the limits.
    stored: u64,
    /// Nodes of this thread that [`Shared::watch`] knows of.
    reported: u64,
    /// The number of nodes at which it looks at the limits next; 0 when the search is over.
    next_look: u64,
}

impl<'a> Worker<'a> {
    pub fn new(shared: &'a Shared<'a>, cache: &'a mut LocalCache) -> Worker<'a> {
        let stack = vec![Features::new(Board::START); 66].into_boxed_slice();
        let next_look = shared.watch.look(0).unwrap_or(0);
        Worker {
            shared,
            nodes: 0,
            cache,
            stack,
            placed: [0; 66],
            countermoves: [[0; 2]; 128],
            selectivity: 5,
            probing: 0,
            split: None,
            in_vain_until: 0,
            stored: 0,
            reported: 0,
            next_look,
        }
    }

    /// The search is over, or what this worker searches is no longer wanted: unwind, results do not count.
    #[inline(always)]
    pub fn is_stopped(&mut self) -> bool {
        if self.is_over() || self.shared.watch.is_over() {
            return true;
        }
        let mut split = &self.split;
        while let Some(point) = split {
            if point.is_cut() {
                return true;
            }
            split = &point.parent;
        }
        false
    }

    /// The search is over, as far as this thread knows: it looks at the limits when enough nodes have gone by. Cheap enough
    /// for every node.
    #[inline(always)]
    pub fn is_over(&mut self) -> bool {
        self.nodes >= self.next_look && self.look()
    }

    /// [`Worker::is_over`] has been true: what came back from searches means nothing.
    #[inline(always)]
    pub fn is_void(&self) -> bool {
        self.next_look == 0
    }

    #[cold]
    #[inline(never)]
    fn look(&mut self) -> bool {
        self.shared.table.grow(std::mem::take(&mut self.stored));
        let more = self.shared.watch.look(self.nodes - self.reported);
        self.reported = self.nodes;
        self.next_look = more.map_or(0, |more| self.nodes + more);
        more.is_none()
    }

    /// Stores what was found about a position.
    #[inline(always)]
    pub fn store(&mut self, hash: u64, player: u64, opponent: u64, found: &Found) {
        self.stored += u64::from(self.shared.table.store(hash, player, opponent, found));
    }

    /// The two different moves that cut latest after the move that led to a node, for the side that is to move there, as sets of one
    /// square, or none (countermoves, Uiterwijk 1992). They order the moves of the last plies, which is where values cost most.
    #[inline(always)]
    pub fn countermoves(&self, node: Node) -> [u64; 2] {
        self.countermoves[self.countermove_index(node)]
    }

    /// A move on `x` cut at this node.
    #[inline(always)]
    pub fn note_countermove(&mut self, node: Node, x: usize) {
        let index = self.countermove_index(node);
        let [latest, earlier] = &mut self.countermoves[index];
        if *latest != 1 << x {
            (*latest, *earlier) = (1 << x, *latest);
        }
    }

    #[inline(always)]
    fn countermove_index(&self, node: Node) -> usize {
        (self.placed[node.ply as usize] & 63) as usize | (node.view & 1) << 6
    }

    /// Reports this thread's nodes; returns those of all threads.
    pub fn report_nodes(&mut self) -> u64 {
        let total = self.shared.watch.add(self.nodes - self.reported);
        self.reported = self.nodes;
        total
    }

    /// Squares of the board.
    #[inline(always)]
    pub fn mask<I: Entries>(&self) -> u64 {
        if I::GENERAL { self.shared.rules.mask } else { u64::MAX }
    }

    #[inline(always)]
    pub fn empties<I: Entries>(&self, player: u64, opponent: u64) -> u64 {
        !(player | opponent) & self.mask::<I>()
    }

    #[inline(always)]
    pub fn corners<I: Entries>(&self) -> u64 {
        if I::GENERAL { self.shared.rules.corners } else { CORNERS }
    }

    /// The squares diagonally next to the corners: mostly bad moves.
    #[inline(always)]
    pub fn x_squares<I: Entries>(&self) -> u64 {
        if I::GENERAL { 0 } else { X_SQUARES }
    }

    /// The quadrant of a square, one of four bits.
    #[inline(always)]
    pub fn quadrant<I: Entries>(&self, x: usize) -> u32 {
        if I::GENERAL { self.shared.rules.quadrants[x & 63] as u32 } else { PLAIN_QUADRANTS[x & 63] as u32 }
    }

    /// All squares of the quadrants in the set `parity`.
    #[inline(always)]
    pub fn odd_quadrants<I: Entries>(&self, parity: u32) -> u64 {
        let set = (parity & 15) as usize;
        if I::GENERAL { self.shared.rules.quadrant_masks[set] } else { PLAIN_QUADRANT_MASKS[set] }
    }

    /// The set of quadrants with an odd number of empty squares.
    #[inline(always)]
    pub fn parity<I: Entries>(&self, player: u64, opponent: u64) -> u32 {
        let empties = self.empties::<I>(player, opponent);
        (0..4).fold(0, |parity, i| parity | ((empties & self.odd_quadrants::<I>(1 << i)).count_ones() & 1) << i)
    }

    /// Score of a finished game.
    #[inline(always)]
    pub fn final_score<I: Entries>(&self, player: u64, opponent: u64) -> i32 {
        let (discs, others) = (player.count_ones() as i32, opponent.count_ones() as i32);
        if I::GENERAL {
            let empties = self.empties::<I>(player, opponent).count_ones() as i32;
            return self.shared.rules.score(discs, others, empties);
        }
        match discs.cmp(&others) {
            std::cmp::Ordering::Greater => 64 - 2 * others,
            std::cmp::Ordering::Less => 2 * discs - 64,
            std::cmp::Ordering::Equal => 0,
        }
    }

    /// The opponent's stable discs bound the score from above: that bound, if it is at most `alpha`. None of `turned`, which moves of the
    /// side to move turn, is stable: when the rest is too little, no more is worked out.
    #[inline(always)]
    pub fn stability_cutoff<I: Entries>(
        &self,
        player: u64,
        opponent: u64,
        turned: u64,
        alpha: i32,
        min_alpha: i32,
    ) -> Option<i32> {
        if I::GENERAL {
            return self.general_stability_cutoff(player, opponent, alpha);
        }
        if !could_bound(opponent & !turned, alpha, min_alpha) {
            return None;
        }
        let bound = 64 - 2 * stable_discs(self.shared.edges, opponent, player).count_ones() as i32;
        (bound <= alpha).then_some(bound)
    }

    /// The same for other boards and scores: whose discs must stay, for the side to move not to score more, depends on
    /// whether most or fewest win.
    #[inline(always)]
    fn general_stability_cutoff(&self, player: u64, opponent: u64, alpha: i32) -> Option<i32> {
        let rules = &self.shared.rules;
        let squares = rules.mask.count_ones() as i32;
        let (holder, other) = if rules.fewest { (player, opponent) } else { (opponent, player) };
        if squares - 2 * holder.count_ones() as i32 > alpha {
            return None;
        }
        let bound = squares - 2 * stable_discs_within(rules.mask, holder, other).count_ones() as i32;
        (bound <= alpha).then_some(bound)
    }
}
