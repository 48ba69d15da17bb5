//! Labelled positions, split by game and freed of duplicates.

use rayon::prelude::*;

use super::games::Games;
use crate::board::Board;
use crate::eval::EMPTIES;

/// A position and the score it is expected to lead to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// One representative of the 8 symmetric images; the side to move is the player and has a move.
    pub board: Board,
    /// Score in discs for the side to move: the mean over all games that met the position.
    pub target: f32,
    /// How much the sample counts in the fit.
    pub weight: f32,
}

/// The samples with one number of empty squares.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Samples to fit.
    pub train: Vec<Sample>,
    /// Samples of the games left out, if their label can be trusted; positions that are in `train` are not among them.
    pub test: Vec<Sample>,
}

/// Labelled positions.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// By number of empty squares.
    pub stages: Vec<Stage>,
}

/// One game in this many is left out of training.
const TEST_SHARE: u64 = 20;
/// Least trust in a label to test against.
const TEST_TRUST: f32 = 0.9;
/// Meeting a position again says more about its value, but a mean over many games is not worth as many samples: what the
/// patterns cannot express remains. The ratio of the variance of one game's score to that of this remainder.
const REPEAT_WORTH: f32 = 25.0;

impl Dataset {
    /// Labels the positions of games; `seed` chooses the games to leave out.
    pub fn new(games: &Games, seed: u64) -> Dataset {
        let mut by_empties: Vec<Vec<Entry>> = vec![Vec::new(); EMPTIES];
        let parts: Vec<Vec<Entry>> = games.games.par_chunks(1024).map(|part| label(part, seed)).collect();
        for entry in parts.into_iter().flatten() {
            by_empties[entry.board.empty_count() as usize].push(entry);
        }
        Dataset { stages: by_empties.into_par_iter().map(merge).collect() }
    }

    /// Distinct positions to train on and to test.
    pub fn counts(&self) -> (usize, usize) {
        self.stages.iter().fold((0, 0), |(train, test), s| (train + s.train.len(), test + s.test.len()))
    }
}

#[derive(Clone, Copy)]
struct Entry {
    board: Board,
    test: bool,
    target: f32,
    trust: f32,
}

fn label(games: &[super::games::Game], seed: u64) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(games.len() * 60);
    for game in games {
        let test = game.hash(seed).is_multiple_of(TEST_SHARE);
        entries.extend(game.positions.iter().map(|&(board, black)| {
            let (score, trust) = game.expected_score(board.empty_count());
            Entry { board: board.canonical(), test, target: if black { score } else { -score }, trust }
        }));
    }
    entries
}

/// Joins equal positions; those that training games met are training positions.
fn merge(mut entries: Vec<Entry>) -> Stage {
    // a stable sort: sums are made in the games' order
    entries.sort_by_key(|e| (e.board, e.test));
    let mut stage = Stage::default();
    for same in entries.chunk_by(|a, b| a.board == b.board) {
        let test = same[0].test;
        let used = || same.iter().filter(|e| e.test == test);
        let trust: f32 = used().map(|e| e.trust).sum();
        let sample = Sample {
            board: same[0].board,
            target: used().map(|e| e.target * e.trust).sum::<f32>() / trust,
            weight: trust * (1.0 + REPEAT_WORTH) / (trust + REPEAT_WORTH),
        };
        match test {
            false => stage.train.push(sample),
            true if trust >= TEST_TRUST => stage.test.push(sample),
            true => {}
        }
    }
    stage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_positions_are_joined_and_split_by_game() {
        let entry = |player, test, target| Entry { board: Board { player, opponent: 0 }, test, target, trust: 1.0 };
        let entries = vec![
            entry(1, false, 4.0),
            entry(2, true, -6.0),
            entry(1, true, 60.0),
            entry(1, false, 8.0),
            entry(4, false, 0.0),
        ];
        let stage = merge(entries);
        let targets = |samples: &[Sample]| samples.iter().map(|s| (s.board.player, s.target)).collect::<Vec<_>>();
        assert_eq!(targets(&stage.train), [(1, 6.0), (4, 0.0)]);
        assert_eq!(targets(&stage.test), [(2, -6.0)]);
        assert_eq!(stage.train[1].weight, 1.0);
        assert!(stage.train[0].weight > 1.9 && stage.train[0].weight < 2.0);
    }
}
