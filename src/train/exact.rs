//! Exact scores late in the games, by the engine's own solver.
//!
//! Human players give away a dozen discs in the last 24 moves; the result of a game says little about the positions
//! before its end. One solved position a game makes good labels of the plies around it.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use rayon::prelude::*;

use super::SEARCHES;
use super::games::{Anchor, Game, Games};
use crate::board::Board;
use crate::engine::{Engine, Options};
use crate::formats::atomic::write_whole;
use crate::rules::{Color, Position};
use crate::search::{Goal, Limits, StopToken};

/// Games solved between two writes to the file.
const BLOCK: usize = 1024;
/// What the file says of a game that has no position with the number of empties asked for.
const NO_POSITION: i8 = i8::MIN;

/// Solves each game's position with `empties` empty squares and makes the score an anchor of the game.
///
/// The scores are appended to `file` as they are found (one byte a game after the 8 bytes of `fingerprint`), and taken
/// from there when it begins with the same fingerprint; a file of another one is replaced. `progress` is told how many more games are done.
///
/// # Errors
/// When the file cannot be written.
pub fn anchor_games(
    games: &mut Games,
    empties: u32,
    file: &PathBuf,
    fingerprint: u64,
    progress: &mut dyn FnMut(usize),
) -> io::Result<()> {
    let known = match fs::read(file) {
        Ok(bytes) if bytes.starts_with(&fingerprint.to_le_bytes()) => bytes[8..].iter().map(|&b| b as i8).collect(),
        _ => {
            write_whole(file, &fingerprint.to_le_bytes())?;
            Vec::new()
        }
    };
    let mut out = fs::OpenOptions::new().append(true).open(file)?;
    let mut scores: Vec<i8> = known;
    scores.truncate(games.games.len());
    progress(scores.len());
    while scores.len() < games.games.len() {
        let end = (scores.len() + BLOCK).min(games.games.len());
        let block = &games.games[scores.len()..end];
        let solved: Vec<i8> =
            block.par_iter().with_min_len(64).map_init(solver, |engine, game| solve(engine, game, empties)).collect();
        out.write_all(&solved.iter().map(|&s| s as u8).collect::<Vec<u8>>())?;
        // scores that took seconds, and that nobody could tell from what a power failure makes of them
        out.sync_data()?;
        progress(solved.len());
        scores.extend(solved);
    }
    for (game, score) in games.games.iter_mut().zip(scores) {
        if score != NO_POSITION {
            game.add_anchor(Anchor { empties, score: score as f32 });
        }
    }
    Ok(())
}

fn solver() -> Engine {
    Engine::new(Options { hash_mib: 4, threads: 1 })
}

/// Black's exact score of the game's position with this many empties.
fn solve(engine: &mut Engine, game: &Game, empties: u32) -> i8 {
    let Some(&(board, black)) = game.positions.iter().find(|(board, _)| board.empty_count() == empties) else {
        return NO_POSITION;
    };
    let score = exact_score(engine, board) as i8;
    if black { score } else { -score }
}

/// The exact score of a position in which a side can move.
fn exact_score(engine: &mut Engine, board: Board) -> i32 {
    let position = Position::from_board(board, Color::Black);
    engine.search(&position, &Limits::new(Goal::Exact), &StopToken::new(), &mut |_| {}).expect(SEARCHES).score
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Square;

    /// A game that always plays the first legal move.
    fn first_move_game() -> Game {
        let (mut board, mut black, mut positions) = (Board::START, true, Vec::new());
        while !board.is_game_over() {
            if board.legal_moves() == 0 {
                (board, black) = (board.pass(), !black);
            }
            positions.push((board, black));
            board = board.play(Square::of_lowest_bit(board.legal_moves())).unwrap();
            black = !black;
        }
        let score = if black { board.final_score() } else { -board.final_score() } as f32;
        Game { positions, anchors: vec![Anchor { empties: 0, score }] }
    }

    fn minimax(board: Board) -> i32 {
        if board.legal_moves() == 0 {
            return if board.is_game_over() { board.final_score() } else { -minimax(board.pass()) };
        }
        crate::board::Squares(board.legal_moves()).map(|s| -minimax(board.play(s).unwrap())).max().unwrap()
    }

    #[test]
    fn anchors_are_exact_and_kept_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("exact-07.i8");
        let mut games = Games { games: vec![first_move_game()], rejected: 0 };
        let mut done = 0;
        anchor_games(&mut games, 7, &file, 5, &mut |n| done += n).unwrap();
        let &(board, black) = games.games[0].positions.iter().find(|(b, _)| b.empty_count() == 7).unwrap();
        let expected = if black { minimax(board) } else { -minimax(board) } as f32;
        assert_eq!((done, games.games[0].expected_score(7)), (1, (expected, 1.0)));
        // a second run takes the score from the file, whatever it is, unless the fingerprint differs
        fs::write(&file, [&5u64.to_le_bytes()[..], &[9]].concat()).unwrap();
        let mut again = Games { games: vec![first_move_game()], rejected: 0 };
        anchor_games(&mut again, 7, &file, 5, &mut |_| {}).unwrap();
        assert_eq!(again.games[0].expected_score(7), (9.0, 1.0));
        let mut other = Games { games: vec![first_move_game()], rejected: 0 };
        anchor_games(&mut other, 7, &file, 6, &mut |_| {}).unwrap();
        assert_eq!(other.games[0].expected_score(7), (expected, 1.0));
        // the new file takes the place of the old one, which stays whole under another name
        let kept = folder.path().join("kept");
        fs::hard_link(&file, &kept).unwrap();
        let before = fs::read(&kept).unwrap();
        anchor_games(&mut other, 7, &file, 7, &mut |_| {}).unwrap();
        assert_eq!(
            (fs::read(&kept).unwrap(), fs::read(&file).unwrap()[..8].to_vec()),
            (before, 7u64.to_le_bytes().to_vec())
        );
    }
}
