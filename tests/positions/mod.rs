//! Positions for tests of the search.

use outflank::board::{Board, Squares};
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
