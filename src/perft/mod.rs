//! Perft: how many move sequences of a given length there are, the classic check of a move generator.
//!
//! A pass counts as a move. A game that ends before the depth is reached counts as one sequence. These
//! are the conventions of the published counts ([`PUBLISHED`]), found independently by several authors.

mod count;

use rayon::prelude::*;

use self::count::sequences;
use crate::kernel::Tier;

use crate::rules::{Move, Position};
use crate::workers;

/// Published counts from the Othello start position at depths 0, 1, 2, ...
pub const PUBLISHED: [u64; 13] =
    [1, 4, 12, 56, 244, 1396, 8200, 55_092, 390_216, 3_005_288, 24_571_284, 212_258_800, 1_939_886_636];

/// How the last ply is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// By the number of legal moves, without playing them.
    Bulk,
    /// By playing every move: slower, and a measure of the flip kernels too.
    Played,
}

/// Counts the move sequences of length `depth` from a position, on the threads of the current rayon pool.
pub fn perft(position: &Position, depth: u32, leaves: Leaves) -> u64 {
    if depth == 0 {
        return 1;
    }
    divide(position, depth, leaves).iter().map(|entry| entry.1).sum::<u64>().max(1)
}

/// The count below each legal move of the position, in the order of [`Position::legal_moves`]; empty when the game is
/// over, or at depth 0, where no move is played.
pub fn divide(position: &Position, depth: u32, leaves: Leaves) -> Vec<(Move, u64)> {
    // three plies of the tree make some hundreds of independent pieces, enough to keep every thread busy
    const SPLIT: u32 = 3;
    let Some(below) = depth.checked_sub(1) else { return Vec::new() };
    let tier = Tier::detect();
    let moves = position.legal_moves();
    let play = |mv| position.play(mv).expect("a legal move");
    workers::ready();
    let count = |mv: Move| match below {
        0 => 1,
        rest if rest <= SPLIT => count_below(tier, &play(mv), rest, leaves),
        rest => frontier(play(mv), SPLIT)
            .par_iter()
            .map(|(position, plies)| count_below(tier, position, rest - plies, leaves))
            .sum(),
    };
    moves.into_iter().map(|mv| (mv, count(mv))).collect()
}

/// The positions `plies` below, and the ends of games above that, each with its distance.
fn frontier(position: Position, plies: u32) -> Vec<(Position, u32)> {
    let mut level = vec![position];
    let mut ended = Vec::new();
    for ply in 0..plies {
        let mut next = Vec::new();
        for position in level {
            let moves = position.legal_moves();
            next.extend(moves.iter().map(|&mv| position.play(mv).expect("a legal move")));
            if moves.is_empty() {
                ended.push((position, ply));
            }
        }
        level = next;
    }
    ended.extend(level.into_iter().map(|position| (position, plies)));
    ended
}

/// Sequential count below one position: on bitboards when the rules fit them.
fn count_below(tier: Tier, position: &Position, depth: u32, leaves: Leaves) -> u64 {
    match position.fast_board() {
        Some((board, mask)) => match leaves {
            Leaves::Bulk => sequences::<false>(tier, board, mask, depth),
            Leaves::Played => sequences::<true>(tier, board, mask, depth),
        },
        None => count_general(position, depth, leaves),
    }
}

/// Under any rules.
fn count_general(position: &Position, depth: u32, leaves: Leaves) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.legal_moves();
    if depth == 1 && leaves == Leaves::Bulk {
        return moves.len().max(1) as u64;
    }
    let below = |&mv: &Move| count_general(&position.play(mv).expect("a legal move"), depth - 1, leaves);
    moves.iter().map(below).sum::<u64>().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::{Board, Square};

    #[test]
    fn published_counts_to_depth_9() {
        for depth in 0..=9 {
            assert_eq!(perft(&Position::default(), depth, Leaves::Bulk), PUBLISHED[depth as usize], "depth {depth}");
        }
    }

    #[test]
    #[ignore = "a minute; run by `cargo test --release -- --ignored perft`"]
    fn published_counts_to_depth_12() {
        for depth in 10..=12 {
            assert_eq!(perft(&Position::default(), depth, Leaves::Bulk), PUBLISHED[depth as usize], "depth {depth}");
        }
    }

    #[test]
    fn every_way_of_counting_agrees() {
        for depth in 1..=7 {
            let expected = PUBLISHED[depth as usize];
            assert_eq!(perft(&Position::default(), depth, Leaves::Played), expected);
            for tier in Tier::ALL.into_iter().filter(|tier| tier.is_supported()) {
                assert_eq!(sequences::<true>(tier, Board::START, u64::MAX, depth), expected, "{tier}");
                assert_eq!(sequences::<false>(tier, Board::START, u64::MAX, depth), expected, "{tier}");
            }
            if depth <= 5 {
                assert_eq!(count_general(&Position::default(), depth, Leaves::Played), expected);
                assert_eq!(count_general(&Position::default(), depth, Leaves::Bulk), expected);
            }
        }
    }

    #[test]
    fn passes_and_ends_count_as_documented() {
        // the shortest game: black wipes white out with the ninth move
        let mut board = Board::START;
        for square in ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"] {
            board = board.play(square.parse::<Square>().unwrap()).expect("legal");
        }
        assert!(board.is_game_over());
        let over = Position::from_board(board, crate::rules::Color::White);
        assert!(divide(&over, 3, Leaves::Bulk).is_empty() && divide(&Position::default(), 0, Leaves::Bulk).is_empty());
        for depth in 0..5 {
            assert_eq!(perft(&over, depth, Leaves::Bulk), 1);
            assert_eq!(perft(&over, depth, Leaves::Played), 1);
        }
        // b1 and b2 cannot outflank a1 and a2: a forced pass, then c1, c2 or c3
        let board = Board { player: 0x0202, opponent: 0x0101 };
        for leaves in [Leaves::Bulk, Leaves::Played] {
            let position = Position::from_board(board, crate::rules::Color::Black);
            assert_eq!(divide(&position, 1, leaves), [(Move::Pass, 1)]);
            assert_eq!(divide(&position, 2, leaves), [(Move::Pass, 3)]);
        }
    }
}
