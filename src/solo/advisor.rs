//! The advisor: the best turn for what the player sees.
//!
//! 1. When few chips are face down (none included), the [solver](super::solver) looks for the exact expectation with up to
//!    half of the budget. Its answer is marked exact.
//! 2. Otherwise, or when that was too much, every legal turn is tried on sampled deals that agree with the view, each
//!    played to its end by the evaluation's one-turn choice ([rollouts](super::rollout)). Sequential halving (Karnin, Koren
//!    and Somekh, 2013) spends the budget: all turns share the same deals, and after each round the worse half drops out.
//!
//! This is one step of policy improvement (Tesauro and Galperin's rollouts, 1996) on a simulated player who does not know
//! the sampled chips; the advisor is given a [`View`] and so cannot know the real ones either.

use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::eval::{Judge, Model};
use super::player::Player;
use super::position::Move;
use super::rollout::Rollout;
use super::solver::Solver;
use super::view::{Score, Scoring, View};
use crate::search::StopToken;
use crate::workers;

/// Face-down chips up to which the exact solver is tried, by scoring (numbers matter for points, so outcomes are more).
const fn exact_hidden(scoring: Scoring) -> u32 {
    match scoring {
        Scoring::Count => 8,
        Scoring::Points => 4,
    }
}

/// States the exact solver may keep, about 100 bytes each, however large the budget.
const MAX_STATES: u64 = 4_000_000;

/// Rollouts of every turn still in the running between two looks at the budget.
const BATCH: u64 = 8;

/// How much work a piece of advice may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Turns simulated and states solved; advice is then the same on every machine.
    Nodes(u64),
    /// Wall-clock time; advice then depends on the machine's speed.
    Time(Duration),
}

impl Default for Budget {
    /// 20 000 nodes: some tenths of a second early in the game.
    fn default() -> Budget {
        Budget::Nodes(20_000)
    }
}

/// A turn that was considered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Candidate {
    /// The turn.
    pub mv: Move,
    /// Expected final score under the advisor's scoring.
    pub value: f64,
    /// Rollouts behind the value, 0 when it is exact.
    pub samples: u64,
    /// What the rollouts came to besides, `None` when the value is exact.
    pub outlook: Option<Outlook>,
}

/// What a turn leads to on average.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Outlook {
    /// Chips won in the end.
    pub chips: f64,
    /// Points in the end.
    pub points: f64,
    /// Share of games in which all 24 chips are won, 0 to 1.
    pub perfect: f64,
}

/// A recommended turn.
#[derive(Clone, PartialEq, Debug)]
pub struct Advice {
    /// The turn, and what it is worth.
    pub best: Candidate,
    /// The value is exact: no way of playing expects more, and this turn reaches it.
    pub exact: bool,
    /// Work done, in the unit of [`Budget::Nodes`].
    pub nodes: u64,
    /// All turns considered, the best first; only the best one when the advice is exact.
    pub ranking: Vec<Candidate>,
}

/// Advises on solitaire turns; unless stopped, a pure function of view, scoring, seed and node budget.
pub struct Advisor {
    model: Model,
    scoring: Scoring,
    budget: Budget,
    seed: u64,
    stop: StopToken,
}

/// A turn in the running.
struct Arm {
    mv: Move,
    outlook: f32,
    sum: u64,
    samples: u64,
    chips: u64,
    points: u64,
    perfect: u64,
}

impl Arm {
    fn mean(&self) -> f64 {
        self.sum as f64 / self.samples as f64
    }

    fn candidate(&self) -> Candidate {
        let share = |sum: u64| sum as f64 / self.samples as f64;
        let outlook = Outlook { chips: share(self.chips), points: share(self.points), perfect: share(self.perfect) };
        Candidate { mv: self.mv, value: self.mean(), samples: self.samples, outlook: Some(outlook) }
    }
}

/// Part of the budget used so far.
struct Meter {
    budget: Budget,
    start: Instant,
    nodes: u64,
}

impl Meter {
    /// 0 at the start, 1 or more when the budget is used up.
    fn used(&self) -> f64 {
        match self.budget {
            Budget::Nodes(nodes) => self.nodes as f64 / nodes.max(1) as f64,
            Budget::Time(time) => self.start.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-6),
        }
    }
}

impl Advisor {
    /// An advisor who plays for this scoring.
    pub fn new(scoring: Scoring, budget: Budget, seed: u64) -> Advisor {
        Advisor { model: Model::fitted(), scoring, budget, seed, stop: StopToken::new() }
    }

    /// Once this token is set, advice is what is known by then.
    pub fn with_stop(self, stop: StopToken) -> Advisor {
        Advisor { stop, ..self }
    }

    /// The turn recommended for a view, `None` when the game is over.
    pub fn advise(&self, view: &View) -> Option<Advice> {
        if view.ending().is_some() {
            return None;
        }
        let mut meter = Meter { budget: self.budget, start: Instant::now(), nodes: 0 };
        // nodes a solver may use when time is the budget: it expands some 100 000 a second
        let limit = match self.budget {
            Budget::Nodes(nodes) => nodes / 2,
            Budget::Time(time) => (time.as_secs_f64() * 50_000.0) as u64,
        };
        let mut solver =
            Solver::new(&self.model, self.scoring, view.layout(), limit.min(MAX_STATES)).with_stop(self.stop.clone());
        if view.position().face_down().count_ones() <= exact_hidden(self.scoring) {
            let solved = solver.solve(view);
            meter.nodes += solver.nodes;
            if let Ok(best) = solved {
                let (mv, value) = best?;
                let best = Candidate { mv, value, samples: 0, outlook: None };
                return Some(Advice { best, exact: true, nodes: meter.nodes, ranking: vec![best] });
            }
        }
        let arms = self.sample(view, solver.bound(view), &mut meter);
        let ranking: Vec<Candidate> = arms.iter().map(Arm::candidate).collect();
        let best = *ranking.first()?;
        Some(Advice { best, exact: false, nodes: meter.nodes, ranking })
    }

    /// Sequential halving; the arms in order of merit, those that dropped out early last. `bound` is the highest
    /// score possible.
    fn sample(&self, view: &View, bound: f64, meter: &mut Meter) -> Vec<Arm> {
        let judge = Judge { model: &self.model, scoring: self.scoring };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let known = Rollout::new(view, &view.sample(&mut rng));
        let outlook = |mv| judge.outlook(view.position(), mv, &known.knowledge());
        let arm = |mv| Arm { mv, outlook: outlook(mv), sum: 0, samples: 0, chips: 0, points: 0, perfect: 0 };
        let mut arms: Vec<Arm> = view.position().legal_moves().map(arm).collect();
        if arms.is_empty() {
            return arms;
        }
        let rounds = arms.len().next_power_of_two().ilog2().max(1);
        let mut running = arms.len();
        for round in 1..=rounds {
            loop {
                self.batch(view, &judge, &mut arms[..running], &mut rng, meter);
                if meter.used() >= f64::from(round) / f64::from(rounds) || self.stop.is_stopped() {
                    break;
                }
                if arms[..running].iter().all(|arm| arm.mean() >= bound) {
                    break;
                }
            }
            arms[..running].sort_by(|a, b| b.mean().total_cmp(&a.mean()).then(b.outlook.total_cmp(&a.outlook)));
            running = running.div_ceil(2);
        }
        arms
    }

    /// Plays every arm on the same new deals.
    fn batch(&self, view: &View, judge: &Judge, arms: &mut [Arm], rng: &mut Xoshiro256PlusPlus, meter: &mut Meter) {
        let starts: Vec<Rollout> = (0..BATCH).map(|_| Rollout::new(view, &view.sample(rng))).collect();
        let tasks: Vec<(usize, &Rollout)> =
            (0..arms.len()).flat_map(|arm| starts.iter().map(move |start| (arm, start))).collect();
        let play = |(arm, start): (usize, &Rollout)| {
            let mut game = start.clone();
            game.play(arms[arm].mv);
            let turns = game.finish(judge) + 1;
            (arm, game.score(), turns)
        };
        workers::ready();
        let results: Vec<(usize, Score, u64)> = tasks.into_par_iter().map(play).collect();
        for (arm, score, turns) in results {
            let arm = &mut arms[arm];
            arm.sum += u64::from(score.under(self.scoring));
            arm.samples += 1;
            arm.chips += u64::from(score.chips);
            arm.points += u64::from(score.points);
            arm.perfect += u64::from(score.chips == Scoring::Count.perfect());
            meter.nodes += turns;
        }
    }
}

impl Player for Advisor {
    fn choose(&mut self, view: &View) -> Option<Move> {
        self.advise(view).map(|advice| advice.best.mv)
    }
}
