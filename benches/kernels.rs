//! Board kernels over the positions of real games, not random boards: `cargo bench --bench kernels`.

use divan::{Bencher, counter::ItemsCount};
use outflank::board::{Board, Squares};
use outflank::isa::portable;
use outflank::perft::{self, Leaves};
use outflank::rules::{Position, RuleSet};
use std::sync::Arc;

fn main() {
    divan::main();
}

/// Every position of 64 games of random moves from a fixed seed, with a legal move each.
fn positions() -> Vec<Board> {
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut positions = Vec::new();
    for _ in 0..64 {
        let mut board = Board::START;
        loop {
            let moves = board.legal_moves();
            if moves == 0 {
                if board.pass().legal_moves() == 0 {
                    break;
                }
                board = board.pass();
                continue;
            }
            positions.push(board);
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let square = Squares(moves).nth(random as usize % moves.count_ones() as usize).expect("a move");
            board = board.play(square).expect("legal");
        }
    }
    positions
}

/// Every legal move of these positions.
fn moves() -> Vec<(Board, usize)> {
    let moves_of = |board: Board| Squares(board.legal_moves()).map(move |square| (board, square.index()));
    positions().into_iter().flat_map(moves_of).collect()
}

#[divan::bench]
fn portable_moves(bencher: Bencher) {
    let positions = positions();
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench(|| positions.iter().fold(0, |all, board| all ^ portable::moves(board.player, board.opponent)));
}

#[divan::bench]
fn portable_flips(bencher: Bencher) {
    let moves = moves();
    bencher.counter(ItemsCount::new(moves.len())).bench(|| {
        moves.iter().fold(0, |all, (board, square)| all ^ portable::flips(*square, board.player, board.opponent))
    });
}

#[divan::bench]
fn canonical(bencher: Bencher) {
    let positions = positions();
    bencher
        .counter(ItemsCount::new(positions.len()))
        .bench(|| positions.iter().fold(0, |all, board| all ^ board.canonical().player));
}

/// One thread, 390,216 leaves.
#[divan::bench(args = [Leaves::Bulk, Leaves::Played], sample_count = 20)]
fn perft_8(bencher: Bencher, leaves: Leaves) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("one thread");
    bencher
        .counter(ItemsCount::new(perft::PUBLISHED[8]))
        .bench(|| pool.install(|| perft::perft(&Position::default(), 8, leaves)));
}

/// Positions under any rules: legal moves and a move played, 100 plies of them.
#[divan::bench(args = ["othello", "ravensburger-one", "othello:10x10"])]
fn general_play(bencher: Bencher, rules: &str) {
    let rules = Arc::new(rules.parse::<RuleSet>().expect("a rule set"));
    bencher.counter(ItemsCount::new(100_u32)).bench(|| {
        let mut position = Position::start(rules.clone());
        for i in 0..100 {
            let moves = position.legal_moves();
            match moves.get(i % moves.len().max(1)) {
                Some(&mv) => position = position.play(mv).expect("legal"),
                None => position = Position::start(rules.clone()),
            }
        }
        position
    });
}
