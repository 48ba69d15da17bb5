//! The evaluation on positions of random games: updating the features, evaluating, decoding the weights.
//! Each timing is for 1024 positions.

use divan::{Bencher, black_box};
use outflank::board::{Board, Square, Squares};
use outflank::eval::{Features, Weights};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn main() {
    divan::main();
}

/// A position and the move played in it.
struct Step {
    board: Board,
    features: Features,
    square: Square,
    flips: u64,
}

/// 1024 positions with 10 to 50 empties.
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
                steps.push(Step { board, features: Features::new(board), square, flips });
            }
            board = board.after(square, flips);
        }
    }
    steps.truncate(1024);
    steps
}

#[divan::bench]
fn update(bencher: Bencher) {
    let steps = steps();
    bencher.bench_local(|| update_all(&steps));
}

#[inline(always)]
fn update_all(steps: &[Step]) -> Features {
    let mut next = steps[0].features;
    for step in steps {
        black_box(&step.features).after_into(black_box(&mut next), 0, step.square, step.flips);
    }
    next
}

#[cfg(target_arch = "x86_64")]
#[divan::bench]
fn update_avx2(bencher: Bencher) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled_for_avx2(steps: &[Step]) -> Features {
        update_all(steps)
    }
    if !is_x86_feature_detected!("avx2") || !is_x86_feature_detected!("bmi2") {
        eprintln!("skipped: no AVX2 here");
        return;
    }
    let steps = steps();
    // SAFETY: the features were just detected (every CPU with AVX2 and BMI2 has the others)
    bencher.bench_local(|| unsafe { compiled_for_avx2(&steps) });
}

#[divan::bench]
fn evaluate(bencher: Bencher) {
    let (steps, weights) = (steps(), Weights::embedded());
    let value = |s: &Step| weights.evaluate(&s.features, 0, s.board.empty_count());
    bencher.bench_local(|| steps.iter().map(|s| black_box(value(black_box(s)))).sum::<i32>());
}

#[cfg(target_arch = "x86_64")]
#[divan::bench]
fn evaluate_avx2(bencher: Bencher) {
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
    fn compiled_for_avx2(steps: &[Step], weights: &Weights) -> i32 {
        steps.iter().map(|s| black_box(weights.evaluate(&s.features, 0, s.board.empty_count()))).sum()
    }
    if !is_x86_feature_detected!("avx2") || !is_x86_feature_detected!("bmi2") {
        eprintln!("skipped: no AVX2 here");
        return;
    }
    let (steps, weights) = (steps(), Weights::embedded());
    // SAFETY: the features were just detected (every CPU with AVX2 and BMI2 has the others)
    bencher.bench_local(|| unsafe { compiled_for_avx2(black_box(&steps), &weights) });
}

#[divan::bench]
fn linear_value(bencher: Bencher) {
    let (steps, weights) = (steps(), Weights::embedded());
    let value = |s: &Step| weights.linear_value(&s.features, 0, s.board.empty_count());
    bencher.bench_local(|| steps.iter().map(|s| black_box(value(black_box(s)))).sum::<i32>());
}

#[divan::bench]
fn ordering_value(bencher: Bencher) {
    let (steps, weights) = (steps(), Weights::embedded());
    let value = |s: &Step| weights.ordering_value(&s.features, 0, s.board.empty_count());
    bencher.bench_local(|| steps.iter().map(|s| black_box(value(black_box(s)))).sum::<i32>());
}

#[divan::bench]
fn from_scratch(bencher: Bencher) {
    let steps = steps();
    bencher.bench_local(|| {
        for step in &steps {
            black_box(Features::new(black_box(step.board)));
        }
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn decode_weights() -> Weights {
    static FILE: &[u8] = include_bytes!("../src/eval/weights/evaluation.bin");
    Weights::from_bytes(FILE).expect("the embedded weights are valid")
}
