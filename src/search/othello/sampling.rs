//! What moves of solves cost, for fitting the model that orders them ([`super::cost`]).
//!
//! At some nodes that are solved exactly a move drawn at random is searched first, in the tables of a real solve; what it took is a
//! sample if the node turns out to be one that some move cuts. Drawn at random, since of moves that an order chose only those costs
//! would be known that the order likes.

use std::sync::Mutex;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::children::Children;
use super::cost::{self, Inputs};
use super::entries::Entries;
use super::worker::{Node, Worker};
use crate::search::Selectivity;

/// One of so many nodes is sampled, by its number of empties from [`cost::LEAST`] on: those of few empties are many.
const ONE_IN: [u32; cost::EMPTIES] = [6, 4, 3, 3];

/// A move of a node that some move cuts.
#[cfg_attr(not(feature = "tools"), expect(dead_code, reason = "for `fit-ordering` only"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Empties of the node.
    pub empties: u32,
    /// What is known of the move.
    pub inputs: Inputs,
    /// It cuts.
    pub cuts: bool,
    /// Nodes that searching it alone has taken.
    pub nodes: u64,
}

/// Draws nodes and moves, and keeps what they cost.
#[derive(Debug)]
pub(crate) struct Sampler {
    rng: StdRng,
    /// Below a node that is sampled nothing is drawn.
    is_busy: bool,
    samples: Vec<Sample>,
}

impl Sampler {
    /// Draws by a seed.
    #[cfg_attr(not(feature = "tools"), expect(dead_code, reason = "for `fit-ordering` only"))]
    fn new(seed: u64) -> Sampler {
        Sampler { rng: StdRng::seed_from_u64(seed), is_busy: false, samples: Vec::new() }
    }

    /// This node is to be sampled; the move, of so many.
    fn draw(&mut self, empties: u32, moves: usize) -> Option<usize> {
        let one_in = ONE_IN[(empties - cost::LEAST) as usize];
        if self.is_busy || self.rng.random_range(0..one_in) != 0 {
            return None;
        }
        self.is_busy = true;
        Some(self.rng.random_range(0..moves))
    }
}

/// Samples a node that is searched to the end, if it is drawn: its value then, as [`super::nws::nws`] finds it.
#[inline(always)]
pub(super) fn sample<I: Entries>(
    w: &mut Worker,
    node: Node,
    children: &Children,
    alpha: i32,
    expect_cut: bool,
) -> Option<i32> {
    let sampler = w.shared.sampler?;
    sample_by::<I>(w, sampler, node, children, alpha, expect_cut)
}

/// [`sample`] with a sampler: out of the way of searches without one, whose frames on the stack it would make larger.
#[cold]
#[inline(never)]
fn sample_by<I: Entries>(
    w: &mut Worker,
    sampler: &Mutex<Sampler>,
    node: Node,
    children: &Children,
    alpha: i32,
    expect_cut: bool,
) -> Option<i32> {
    let is_exact = w.selectivity == Selectivity::NONE.index() as u8 && w.probing == 0;
    let is_wanted = (cost::LEAST..=cost::MOST).contains(&node.empties) && children.len() > 1;
    if I::GENERAL || !is_exact || !is_wanted {
        return None;
    }
    let drawn = sampler.lock().expect("no sampler panics").draw(node.empties, children.len())?;
    let inputs = cost::all_inputs::<I>(w, node, children, alpha)[drawn];
    let child = children.iter().nth(drawn).expect("it was drawn from these");
    let next = w.push::<I>(node, child.square as usize, child.flips);
    let before = w.nodes;
    let mut score = -I::nws(w, next, -alpha - 1, node.empties - 1, !expect_cut);
    let (cuts, nodes) = (score > alpha, w.nodes - before);
    if !cuts {
        score = I::nws(w, node, alpha, node.empties, expect_cut);
    }
    let mut sampler = sampler.lock().expect("no sampler panics");
    sampler.is_busy = false;
    if score > alpha && !w.is_void() {
        sampler.samples.push(Sample { empties: node.empties, inputs, cuts, nodes });
    }
    Some(score)
}

/// Samples of a solve of `board` by one thread; they depend on nothing but board, weights and seed.
///
/// # Errors
/// When there is not enough memory for the search.
#[cfg(feature = "tools")]
pub(crate) fn samples(
    board: crate::board::Board,
    weights: &std::sync::Arc<crate::eval::Weights>,
    seed: u64,
) -> Result<Vec<Sample>, crate::search::SearchError> {
    use super::fast::{Control, Memory, TableSlot};
    use super::root::Task;
    use super::worker::Rules;
    use crate::search::{Goal, StopToken};

    let task = Task {
        board,
        moves: board.legal_moves(),
        include: 0,
        goal: Goal::Exact,
        window: (-64, 64),
        multi_pv: 1,
        only_move_at_once: false,
        budget: None,
        start: crate::time::Instant::now(),
    };
    let sampler = Mutex::new(Sampler::new(seed));
    let token = StopToken::new();
    let control = Control { token: &token, nodes: None, threads: 1, sampler: Some(&sampler) };
    let mut memory = Memory::new(&TableSlot::default(), 64, crate::kernel::Tier::detect(), weights.clone())?;
    memory.prepare_for(&task)?;
    memory.search(Rules::othello(), &task, &control, &mut |_| {});
    Ok(sampler.into_inner().expect("no sampler panics").samples)
}
