//! Labelled positions, split by game and freed of duplicates.

use rayon::prelude::*;

use super::games::{Games, mix_boards};
use super::labels::Labels;
use crate::board::Board;
use crate::eval::EMPTIES;
use crate::selfplay::{GameRecord, Labelled};

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
    /// Labels the positions of game records; `seed` chooses the games to leave out.
    pub fn new(games: &Games, seed: u64) -> Dataset {
        let mut collector = Collector::new(seed);
        collector.add_games(games, true);
        collector.finish()
    }

    /// Distinct positions to train on and to test.
    pub fn counts(&self) -> (usize, usize) {
        self.stages.iter().fold((0, 0), |(train, test), s| (train + s.train.len(), test + s.test.len()))
    }
}

/// Collects labelled positions of several sources.
#[derive(Debug)]
pub struct Collector {
    seed: u64,
    by_empties: Vec<Vec<Entry>>,
}

impl Collector {
    /// Nothing yet; `seed` chooses the games to leave out.
    pub fn new(seed: u64) -> Collector {
        Collector { seed, by_empties: vec![Vec::new(); EMPTIES] }
    }

    /// Adds game records. Some are left out to test with if `tests` is set; otherwise all are trained on.
    pub fn add_games(&mut self, games: &Games, tests: bool) {
        let label = |part| label(part, tests.then_some(self.seed));
        self.add(games.games.par_chunks(1024).map(label).collect());
    }

    /// Adds the labelled positions of self-play games, some games being left out to test with. Opening moves are no
    /// positions to learn from. Targets are those of `labels`, measured on games of the same generation.
    pub fn add_selfplay(&mut self, games: &[GameRecord], labels: &Labels) {
        let seed = self.seed;
        let label = |part: &[GameRecord]| part.iter().flat_map(|game| label_selfplay(game, labels, seed)).collect();
        self.add(games.par_chunks(256).map(label).collect());
    }

    fn add(&mut self, parts: Vec<Vec<Entry>>) {
        for entry in parts.into_iter().flatten() {
            self.by_empties[entry.board.empty_count() as usize].push(entry);
        }
    }

    /// The collected positions, equal ones joined.
    pub fn finish(self) -> Dataset {
        Dataset { stages: self.by_empties.into_par_iter().map(merge).collect() }
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    board: Board,
    test: bool,
    target: f32,
    trust: f32,
}

fn label(games: &[super::games::Game], test_seed: Option<u64>) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(games.len() * 60);
    for game in games {
        let test = test_seed.is_some_and(|seed| game.hash(seed).is_multiple_of(TEST_SHARE));
        entries.extend(game.positions.iter().map(|&(board, black)| {
            let (score, trust) = game.expected_score(board.empty_count());
            Entry { board: board.canonical(), test, target: if black { score } else { -score }, trust }
        }));
    }
    entries
}

fn label_selfplay(game: &GameRecord, labels: &Labels, seed: u64) -> Vec<Entry> {
    // games from the same start are much alike: they go to the same side
    let test = mix_boards(seed, [game.start().canonical()]).is_multiple_of(TEST_SHARE);
    let positions: Vec<_> = game.positions().collect();
    let targets = labels.targets(&positions);
    let entry =
        |(position, target): (&Labelled, f32)| Entry { board: position.board.canonical(), test, target, trust: 1.0 };
    positions.iter().zip(targets).map(entry).collect()
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
    use std::collections::HashMap;

    use super::*;
    use crate::search::{Goal, Selectivity, StopToken};
    use crate::selfplay::{Settings, play};

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

    #[test]
    fn selfplay_games_give_their_labels() {
        let settings = Settings { goal: Goal::Depth(1, Selectivity::NONE), exact: 4, ..Settings::default() };
        let games: Vec<GameRecord> =
            (0..60).map(|index| play(&settings, index, &StopToken::new()).expect("nothing stops it")).collect();
        let labels = Labels::new(&games, 0.25);
        let mut collector = Collector::new(1);
        collector.add_selfplay(&games, &labels);
        let dataset = collector.finish();
        let positions = || {
            games.iter().flat_map(|game| {
                let positions: Vec<_> = game.positions().collect();
                let targets = labels.targets(&positions);
                positions.into_iter().zip(targets).map(move |(position, target)| (game, position, target))
            })
        };
        let mut times_met = HashMap::new();
        positions().for_each(|(_, position, _)| *times_met.entry(position.board.canonical()).or_insert(0) += 1);
        assert_eq!(dataset.counts().0 + dataset.counts().1, times_met.len());
        let (mut train, mut test) = (0, 0);
        for (game, position, target) in positions() {
            let board = position.board.canonical();
            if times_met[&board] > 1 {
                continue;
            }
            let stage = &dataset.stages[board.empty_count() as usize];
            let left_out = mix_boards(1, [game.start().canonical()]).is_multiple_of(TEST_SHARE);
            let samples = if left_out { &stage.test } else { &stage.train };
            let sample = samples.iter().find(|sample| sample.board == board).expect("it is on its game's side");
            assert_eq!(sample.target, target);
            *if left_out { &mut test } else { &mut train } += 1;
        }
        assert!(train > 1000 && test > 20, "{train} {test}");
    }
}
