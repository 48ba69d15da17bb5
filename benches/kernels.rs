//! Board kernels over what a search of real endgames asks of them, on every tier of this machine:
//! `cargo bench --bench kernels`.

use divan::{Bencher, black_box, counter::ItemsCount};
use outflank::board::{Board, Squares};
use outflank::formats::obf;
use outflank::internals::Batch;
use outflank::kernel::Tier;
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

/// What a search of real endgames asks of the kernels, call by call: an alpha-beta search of the test suite's problems
/// (8 to 12 empty squares) writes down every 16th of its calls.
#[derive(Default)]
struct Trace {
    calls: usize,
    moves: Vec<Board>,
    flips: Vec<(Board, usize)>,
    last_flips: Vec<(Board, usize)>,
}

/// Entries of a trace: some hundred kilobytes, more than fits a first-level cache.
const TRACE: usize = 1 << 14;

impl Trace {
    fn record() -> Trace {
        let file = include_bytes!("../tests/data/endgames.obf");
        let mut trace = Trace::default();
        for (_, problem) in obf::Reader::new(file.as_slice(), Arc::new(RuleSet::othello())) {
            let board = problem.expect("the file is right").position.fast_board().expect("8x8");
            trace.search(board.0, -64, 64);
        }
        trace
    }

    fn search(&mut self, board: Board, mut alpha: i32, beta: i32) -> i32 {
        let full = self.moves.len() >= TRACE && self.flips.len() >= TRACE && self.last_flips.len() >= TRACE;
        if full {
            return alpha;
        }
        self.calls += 1;
        let keep = self.calls.is_multiple_of(16);
        if board.empty_count() == 1 && keep && self.last_flips.len() < TRACE {
            self.last_flips.push((board, board.empties().trailing_zeros() as usize));
        }
        if keep && self.moves.len() < TRACE {
            self.moves.push(board);
        }
        if board.legal_moves() == 0 {
            let passed = board.pass();
            if passed.legal_moves() == 0 {
                return board.final_score();
            }
            return -self.search(passed, -beta, -alpha);
        }
        let mut next: Vec<(u32, Board)> = Vec::new();
        for square in Squares(board.legal_moves()) {
            if keep && self.flips.len() < TRACE {
                self.flips.push((board, square.index()));
            }
            let child = board.play(square).expect("legal");
            next.push((child.legal_moves().count_ones(), child));
        }
        next.sort_by_key(|(mobility, _)| *mobility);
        for (_, child) in next {
            alpha = alpha.max(-self.search(child, -beta, -alpha));
            if alpha >= beta {
                break;
            }
        }
        alpha
    }
}

fn tiers() -> impl Iterator<Item = Tier> {
    Tier::ALL.into_iter().filter(|tier| tier.is_supported())
}

#[divan::bench(args = tiers())]
fn moves(bencher: Bencher, tier: Tier) {
    let (batch, trace) = (Batch::new(tier).expect("supported"), Trace::record().moves);
    bencher.counter(ItemsCount::new(trace.len())).bench(|| batch.moves(black_box(&trace)));
}

#[divan::bench(args = tiers())]
fn flips(bencher: Bencher, tier: Tier) {
    let (batch, trace) = (Batch::new(tier).expect("supported"), Trace::record().flips);
    bencher.counter(ItemsCount::new(trace.len())).bench(|| batch.flips(black_box(&trace)));
}

#[divan::bench(args = tiers())]
fn last_flips(bencher: Bencher, tier: Tier) {
    let (batch, trace) = (Batch::new(tier).expect("supported"), Trace::record().last_flips);
    bencher.counter(ItemsCount::new(trace.len())).bench(|| batch.last_flips(black_box(&trace)));
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

/// The same without bitboards' tricks: every empty square, eight directions, one square after the other.
#[divan::bench(sample_count = 20)]
fn perft_8_plain(bencher: Bencher) {
    fn flips(board: Board, at: usize) -> u64 {
        let mut all = 0;
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)] {
            let (mut x, mut y, mut line) = ((at % 8) as i32 + dx, (at / 8) as i32 + dy, 0);
            while (0..8).contains(&x) && (0..8).contains(&y) && board.opponent >> (8 * y + x) & 1 == 1 {
                line |= 1 << (8 * y + x);
                (x, y) = (x + dx, y + dy);
            }
            if (0..8).contains(&x) && (0..8).contains(&y) && board.player >> (8 * y + x) & 1 == 1 {
                all |= line;
            }
        }
        all
    }
    fn count(board: Board, depth: u32) -> u64 {
        let mut sum = 0;
        for square in Squares(!(board.player | board.opponent)) {
            let flips = flips(board, square.index());
            if flips != 0 {
                sum += if depth == 1 { 1 } else { count(board.after(square, flips), depth - 1) };
            }
        }
        // up to this depth nobody has to pass
        sum
    }
    assert_eq!(count(Board::START, 6), perft::PUBLISHED[6]);
    bencher.counter(ItemsCount::new(perft::PUBLISHED[8])).bench(|| count(black_box(Board::START), 8));
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
