//! Positions for tests of the search.
#![allow(dead_code, reason = "not every file of tests uses all of them")]

use outflank::board::{Board, Squares, transform};
use rand::RngExt;
use rand::rngs::StdRng;

/// A position with this many empties from a random game.
pub fn random_position(rng: &mut StdRng, empties: u32) -> Board {
    'game: loop {
        let mut board = Board::START;
        while board.empty_count() > empties {
            if board.legal_moves() == 0 {
                board = board.pass();
                if board.legal_moves() == 0 {
                    continue 'game;
                }
            }
            let moves = board.legal_moves();
            let nth = rng.random_range(0..moves.count_ones()) as usize;
            board = board.play(Squares(moves).nth(nth).unwrap()).unwrap();
        }
        if !board.is_game_over() {
            return board;
        }
    }
}

/// Boards on which one side has few discs, so that many games end with the other's last disc turned.
pub fn nearly_wiped_out(rng: &mut StdRng, empties: u32) -> Board {
    loop {
        let board = random_position(rng, empties);
        let keep = (0..rng.random_range(1..6)).fold(0u64, |set, _| set | 1 << rng.random_range(0..64u32));
        let few = board.opponent & keep;
        let most = (board.player | board.opponent) ^ few;
        let board = Board::new(most, few).unwrap();
        let board = if rng.random_bool(0.5) { board } else { board.pass() };
        if !board.is_game_over() {
            return board;
        }
    }
}

/// A board with this many empties, one of which nobody can take at first: the lines from there are of one colour each.
pub fn with_a_dead_square(rng: &mut StdRng, empties: u32) -> Board {
    loop {
        let mut black: u64 = rng.random();
        let dead = rng.random_range(0..64);
        let mut open = 1u64 << dead;
        while open.count_ones() < empties {
            open |= 1 << rng.random_range(0..64u32);
        }
        for (right, down) in [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)] {
            let colour = rng.random_bool(0.5);
            let (mut x, mut y) = (dead % 8 + right, dead / 8 + down);
            while (0..8).contains(&x) && (0..8).contains(&y) {
                let bit = 1u64 << (8 * y + x);
                black = if colour { black | bit } else { black & !bit };
                (x, y) = (x + right, y + down);
            }
        }
        let board = Board::new(black & !open, !black & !open).unwrap();
        if !board.is_game_over() {
            return board;
        }
    }
}

/// A position with up to 12 empty squares that one of the symmetries of the square leaves as it is, and a side to move that can.
pub fn symmetric_position(rng: &mut StdRng) -> Board {
    loop {
        let index = rng.random_range(1..8);
        let (mut player, mut opponent, mut rest) = (0, 0, u64::MAX);
        while rest != 0 {
            let square = rest & rest.wrapping_neg();
            let mut orbit = square;
            // five of the seven are their own opposites; the two quarter turns come home after four
            for _ in 0..3 {
                orbit |= transform(orbit, index);
            }
            rest &= !orbit;
            match rng.random_range(0..20) {
                0..=1 => {}
                2..=10 => player |= orbit,
                _ => opponent |= orbit,
            }
        }
        let board = Board::new(player, opponent).unwrap();
        if board.empty_count() <= 12 && board.legal_moves() != 0 {
            return board;
        }
    }
}
