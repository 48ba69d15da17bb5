//! The exact solver on positions of this engine's games, on every tier of this machine: `cargo bench --bench endgame`.
//!
//! The table is empty at the beginning of each sample, so that samples do the same work.

use std::sync::Arc;

use divan::{Bencher, counter::ItemsCount};
use outflank::engine::{Engine, Options};
use outflank::formats::obf;
use outflank::kernel::Tier;
use outflank::rules::{Position, RuleSet};
use outflank::search::{Goal, Limits, StopToken};

fn main() {
    divan::main();
}

/// The problems of the test suite, 8 to 12 empty squares.
fn problems() -> Vec<Position> {
    let file = include_bytes!("../tests/data/endgames.obf");
    let problems = obf::Reader::new(file.as_slice(), Arc::new(RuleSet::othello()));
    problems.map(|(_, problem)| problem.expect("the file is right").position).collect()
}

fn tiers() -> impl Iterator<Item = Tier> {
    Tier::ALL.into_iter().filter(|tier| tier.is_supported())
}

fn solve_all(bencher: Bencher, tier: Tier, goal: Goal) {
    let problems = problems();
    let limits = Limits::new(goal);
    let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
    assert!(engine.set_tier(tier));
    bencher.counter(ItemsCount::new(problems.len())).bench_local(|| {
        engine.clear();
        problems
            .iter()
            .map(|problem| engine.search(problem, &limits, &StopToken::new(), &mut |_| {}).unwrap().nodes)
            .sum::<u64>()
    });
}

#[divan::bench(args = tiers())]
fn exact(bencher: Bencher, tier: Tier) {
    solve_all(bencher, tier, Goal::Exact);
}

#[divan::bench(args = tiers())]
fn win_draw_loss(bencher: Bencher, tier: Tier) {
    solve_all(bencher, tier, Goal::WinDrawLoss);
}
