//! The evaluation on 1024 positions of random games, on every tier of this machine: updating the features, evaluating,
//! decoding the weights: `cargo bench --bench eval`. A position's time is a thousandth of the time shown, or the inverse
//! of the items a second.

use divan::{Bencher, black_box, counter::ItemsCount};
use outflank::board::{Board, Squares};
use outflank::engine::{Engine, Options};
use outflank::eval::{Features, Weights};
use outflank::internals::{Batch, Step};
use outflank::kernel::Tier;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn main() {
    divan::main();
}

/// 1024 positions with 11 to 50 empties, and the moves played there.
fn steps() -> Vec<Step> {
    let mut rng = StdRng::seed_from_u64(1);
    let mut steps = Vec::new();
    while steps.len() < 1024 {
        let mut board = Board::START;
        while !board.is_game_over() && board.empty_count() > 10 {
            if board.legal_moves() == 0 {
                board = board.pass();
            }
            let moves = board.legal_moves();
            let square = Squares(moves).nth(rng.random_range(0..moves.count_ones()) as usize).expect("a move");
            let flips = board.flips(square);
            if board.empty_count() <= 50 {
                let (features, empties) = (Features::new(board), board.empty_count());
                steps.push(Step { board, features, empties, square, flips });
            }
            board = board.after(square, flips);
        }
    }
    steps.truncate(1024);
    steps
}

fn tiers() -> impl Iterator<Item = Tier> {
    Tier::ALL.into_iter().filter(|tier| tier.is_supported())
}

/// Both views, as for an inner node.
#[divan::bench(args = tiers())]
fn update(bencher: Bencher, tier: Tier) {
    let (batch, steps) = (Batch::new(tier).expect("supported"), steps());
    bencher.counter(ItemsCount::new(steps.len())).bench(|| batch.update(black_box(&steps)));
}

/// The whole evaluation of positions whose features are there.
#[divan::bench(args = tiers())]
fn evaluate(bencher: Bencher, tier: Tier) {
    let (batch, steps, weights) = (Batch::new(tier).expect("supported"), steps(), Weights::embedded());
    bencher.counter(ItemsCount::new(steps.len())).bench(|| batch.evaluate(black_box(&steps), &weights));
}

/// Its linear part.
#[divan::bench(args = tiers())]
fn evaluate_linear(bencher: Bencher, tier: Tier) {
    let (batch, steps, weights) = (Batch::new(tier).expect("supported"), steps(), Weights::embedded());
    bencher.counter(ItemsCount::new(steps.len())).bench(|| batch.evaluate_linear(black_box(&steps), &weights));
}

/// A leaf: the features that the side to move sees after a move, and the whole evaluation.
#[divan::bench(args = tiers())]
fn evaluate_reply(bencher: Bencher, tier: Tier) {
    let (batch, steps, weights) = (Batch::new(tier).expect("supported"), steps(), Weights::embedded());
    bencher.counter(ItemsCount::new(steps.len())).bench(|| batch.evaluate_reply(black_box(&steps), &weights));
}

/// Whole boards from scratch, as Python's `evaluate_many` hands them over (`benches/python.py`).
#[divan::bench]
fn evaluate_boards(bencher: Bencher) {
    let engine = Engine::new(Options { hash_mib: 1, threads: 1 });
    let boards: Vec<Board> = steps().into_iter().map(|step| step.board).collect();
    engine.evaluate_boards(&boards);
    bencher.counter(ItemsCount::new(boards.len())).bench_local(|| engine.evaluate_boards(black_box(&boards)));
}

#[divan::bench]
fn from_scratch(bencher: Bencher) {
    let boards: Vec<Board> = steps().into_iter().map(|step| step.board).collect();
    bencher.counter(ItemsCount::new(boards.len())).bench_local(|| {
        for board in &boards {
            black_box(Features::new(black_box(*board)));
        }
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn decode_weights() -> Weights {
    static FILE: &[u8] = include_bytes!("../src/eval/weights/evaluation.bin");
    Weights::from_bytes(FILE).expect("the embedded weights are valid")
}
