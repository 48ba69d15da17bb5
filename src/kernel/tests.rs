//! Every kernel of every tier against a plain loop over squares, on boards from random games.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

#[cfg(target_arch = "x86_64")]
use super::features::tier_call;
use super::sums::{ROW, Row};
use super::*;
use crate::board::{Board, Squares};

#[path = "../../tests/shared_data/mod.rs"]
mod shared_data;

/// How many random boards and tables are tried; Miri takes a thousand times as long for each.
const ROUNDS: usize = if cfg!(miri) { 100 } else { 100_000 };

/// Entries of the tables that sums are taken from.
const ENTRIES: usize = if cfg!(miri) { 200 } else { 5000 };

/// Flips by walking square by square.
fn naive_flips(square: usize, board: Board) -> u64 {
    let mut flips = 0;
    for (dx, dy) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
        let (mut x, mut y) = (square as i32 % 8 + dx, square as i32 / 8 + dy);
        let mut run = 0;
        while (0..8).contains(&x) && (0..8).contains(&y) {
            let bit = 1u64 << (y * 8 + x);
            if board.player & bit != 0 {
                flips |= run;
                break;
            }
            if board.opponent & bit == 0 {
                break;
            }
            run |= bit;
            x += dx;
            y += dy;
        }
    }
    flips
}

fn naive_moves(board: Board) -> u64 {
    Squares(board.empties()).filter(|s| naive_flips(s.index(), board) != 0).fold(0, |moves, s| moves | s.bit())
}

/// Calls `check` with `count` boards met in random games.
fn for_random_boards(count: usize, mut check: impl FnMut(Board)) {
    let mut rng = StdRng::seed_from_u64(7);
    let mut board = Board::START;
    for _ in 0..count {
        check(board);
        let moves = naive_moves(board);
        if moves == 0 {
            board = board.pass();
            if naive_moves(board) == 0 {
                board = Board::START;
            }
            continue;
        }
        let nth = rng.random_range(0..moves.count_ones()) as usize;
        let square = Squares(moves).nth(nth).unwrap();
        board = board.after(square, naive_flips(square.index(), board));
    }
}

/// The least key and its place, on lists with many equal keys, all sixteen and hardly any still to come.
fn check_least<I: Isa>() {
    let mut rng = StdRng::seed_from_u64(11);
    for _ in 0..ROUNDS {
        let highest = [3, 100, u16::MAX - 1][rng.random_range(0..3)];
        let taken = rng.random_range(0..=100);
        let keys: [u16; KEYS] = std::array::from_fn(|_| {
            if rng.random_range(0..100) < taken { u16::MAX } else { rng.random_range(0..=highest) }
        });
        let (place, key) = (0..KEYS).map(|i| (i, keys[i])).min_by_key(|&(_, key)| key).unwrap();
        assert_eq!(I::least(&keys), (place, key), "{keys:?}");
    }
}

/// Boards of any discs, from nearly none to all squares, such as no game brings.
pub fn any_boards(count: usize) -> impl Iterator<Item = Board> {
    let mut rng = StdRng::seed_from_u64(12);
    (0..count).map(move |_| {
        let (filled, own) = (rng.random_range(0.02..1.0), rng.random_range(0.0..1.0));
        let mut bits = |share: f64| (0..64).fold(0, |bits, square| bits | u64::from(rng.random_bool(share)) << square);
        let (discs, player): (u64, u64) = (bits(filled), bits(own));
        Board { player: discs & player, opponent: discs & !player }
    })
}

fn check_tier<I: Isa>() {
    check_least::<I>();
    let check = |board: Board| {
        assert_eq!(I::moves(board.player, board.opponent), naive_moves(board), "{board:x?}");
        for square in Squares(board.empties()) {
            let flips = I::flips(square.index(), board.player, board.opponent);
            assert_eq!(flips, naive_flips(square.index(), board), "{square} {board:x?}");
        }
    };
    for_random_boards(ROUNDS, check);
    any_boards(ROUNDS / 4).for_each(check);
}

fn check_last_flips<I: Isa>() {
    let mut rng = StdRng::seed_from_u64(9);
    for _ in 0..ROUNDS {
        let square = rng.random_range(0..64);
        // sparse, even and dense boards
        let player = match rng.random_range(0..3) {
            0 => rng.random::<u64>() & rng.random::<u64>(),
            1 => rng.random::<u64>(),
            _ => rng.random::<u64>() | rng.random::<u64>(),
        } & !(1 << square);
        let board = Board { player, opponent: !player & !(1 << square) };
        let own = naive_flips(square, board).count_ones();
        assert_eq!(I::last_flips(square, player), own, "{square} {player:x}");
        let (both, other) = I::last_flips_both(square, player);
        assert_eq!(both, own, "{square} {player:x}");
        if own == 0 {
            assert_eq!(other, naive_flips(square, board.pass()).count_ones(), "{square} {player:x}");
        }
    }
}

#[test]
fn portable_kernels() {
    check_tier::<Portable<false>>();
    check_last_flips::<Portable<false>>();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn v3_kernels() {
    if !Tier::V3.is_supported() {
        shared_data::skipped("a machine with AVX2");
        return;
    }
    check_tier::<V3<false>>();
    check_last_flips::<V3<false>>();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn v4_kernels() {
    if !Tier::V4.is_supported() {
        shared_data::skipped("a machine with AVX-512");
        return;
    }
    check_tier::<V4<false>>();
    check_last_flips::<V4<false>>();
}

#[cfg(target_arch = "aarch64")]
#[test]
fn neon_kernels() {
    check_tier::<Neon<false>>();
    check_last_flips::<Neon<false>>();
}

#[test]
fn tier_names() {
    for tier in [Tier::Portable, Tier::V3, Tier::V4, Tier::Neon] {
        assert_eq!(tier.to_string().parse(), Ok(tier));
    }
    assert!("sse".parse::<Tier>().is_err());
    assert!(Tier::best().is_supported());
}

/// Sums as they are compiled where this is inlined, against wide integers.
#[inline(always)]
fn check_sums() {
    const LAST: u32 = ENTRIES as u32 - 1;
    let mut rng = StdRng::seed_from_u64(8);
    let entries: Vec<i16> = (0..ENTRIES).map(|_| rng.random()).collect();
    let columns: Vec<[i8; ROW]> = (0..ENTRIES).map(|_| std::array::from_fn(|_| rng.random())).collect();
    let rows: Vec<Row> = columns.iter().map(|&columns| Row::new(columns)).collect();
    for round in 0..ROUNDS / 50 {
        let mut places = sums::Places(std::array::from_fn(|_| rng.random_range(0..=LAST)));
        // the ends of the table
        places.0[round % sums::LANES] = LAST * (round as u32 & 1);
        let sum: i64 = places.0.iter().map(|&place| entries[place as usize] as i64).sum();
        // SAFETY: places are at most LAST.
        assert_eq!(unsafe { sums::sum_entries(&entries, &places) } as i64, sum);
        let (count, bias) = (round % (sums::LANES + 1), std::array::from_fn(|_| rng.random()));
        // SAFETY: as above.
        let found = unsafe { sums::sum_rows(&rows, &places.0[..count], bias) };
        for j in 0..ROW {
            let column = places.0[..count].iter().map(|&place| columns[place as usize][j] as i64);
            assert_eq!(found[j], (bias[j] as i64 + column.sum::<i64>()) as i16);
        }
    }
}

#[test]
fn sums_are_those_of_wide_integers() {
    check_sums();
    #[cfg(target_arch = "x86_64")]
    {
        if Tier::V3.is_supported() {
            tier_call!(v3 => () -> (), check_sums());
        }
        if Tier::V4.is_supported() {
            tier_call!(v4 => () -> (), check_sums());
        }
    }
}
