//! The games that weights are fitted to: the search plays against itself after moves of which some are random.

use std::fs::OpenOptions;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

use crate::eval::corners::OCTAGON;
use crate::rules::{Position, RuleSet};
use crate::search::general::Searcher;
use crate::search::general::set::U256;
use crate::search::general::state::{Code, Rules};
use crate::search::{Goal, Limits, StopToken};

/// Rules that have values of their own, by the names of their files.
pub(super) const FAMILIES: [(&str, &str); 5] = [
    ("all-most", "all"),
    ("one-most", "one"),
    ("all-fewest", "all,fewest"),
    ("one-fewest", "one,fewest"),
    ("octagon", "octagon"),
];
/// Sizes of boards, each as often as it stands here.
const SIZES: [(u8, u8); 8] = [(8, 8), (10, 10), (8, 8), (6, 6), (8, 8), (10, 10), (6, 8), (12, 12)];
/// Those of octagons, most of which are the one that is known.
const OCTAGONS: [(u8, u8); 8] = [(10, 10), (10, 10), (8, 8), (10, 10), (10, 10), (12, 12), (10, 10), (10, 10)];
const STARTS: [&str; 2] = ["crossed", "parallel"];
/// Nodes a move.
const NODES: u64 = 700;
/// Games that are played side by side before any is written.
const BATCH: u64 = 256;
/// Bytes of a game in a file before its moves.
const HEAD: usize = 9;

/// A game that has been played.
pub(super) struct Game {
    rows: u8,
    columns: u8,
    start: u8,
    /// Plies after which nothing is random any more.
    pub settled: u16,
    /// The final score for the first mover.
    pub score: i16,
    moves: Vec<Code>,
}

impl Game {
    /// The position that it begins with.
    pub fn start(&self, family: usize) -> Position {
        let (rules, start) = (FAMILIES[family].1, STARTS[usize::from(self.start)]);
        let text = format!("othello:{}x{},{start},{rules}", self.rows, self.columns);
        Position::start(Arc::new(text.parse::<RuleSet>().expect("rules")))
    }

    /// Its moves.
    pub fn moves(&self) -> &[Code] {
        &self.moves
    }

    /// Plays one; `round` makes other random moves.
    fn play(family: usize, round: u64, index: u64) -> Game {
        let mut rng = StdRng::seed_from_u64(round << 40 | (family as u64) << 32 | index);
        let sizes = if family == OCTAGON { OCTAGONS } else { SIZES };
        let (rows, columns) = sizes[(index % sizes.len() as u64) as usize];
        let start = u8::from(rng.random_bool(0.5));
        let mut game = Game { rows, columns, start, settled: 0, score: 0, moves: Vec::new() };
        let mut position = game.start(family);
        let rules: Rules<U256> = Rules::new(&position, false);
        let squares = position.rules().squares();
        let exact_from = if rules.one { 8 } else { 10 };
        let mixed = rng.random_range(8..squares as usize * 3 / 4);
        let mut searcher = Searcher::new(1);
        while !position.is_game_over() {
            let ply = game.moves.len();
            let mv = if ply < mixed && (ply < 8 || rng.random_range(0..3) == 0) {
                game.settled = ply as u16 + 1;
                *position.legal_moves().choose(&mut rng).expect("moves")
            } else {
                let goal = if position.empty_count() <= exact_from { Goal::Exact } else { Goal::Unlimited };
                let nodes = (goal == Goal::Unlimited).then_some(NODES);
                let limits = Limits { nodes, ..Limits::new(goal) };
                searcher.search(&position, &limits, 1, &StopToken::new(), &mut |_| {}).unwrap().lines[0].mv
            };
            game.moves.push(rules.encode(mv));
            position = position.play(mv).expect("legal");
        }
        game.score = position.final_score(false) as i16;
        game
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend([self.rows, self.columns, self.start]);
        bytes.extend(self.settled.to_le_bytes());
        bytes.extend(self.score.to_le_bytes());
        bytes.extend((self.moves.len() as u16).to_le_bytes());
        self.moves.iter().for_each(|&(square, direction)| bytes.extend([square, direction]));
    }

    /// The bytes that it takes in a file.
    fn len(&self) -> u64 {
        (HEAD + 2 * self.moves.len()) as u64
    }

    fn read(from: &mut impl Read) -> Option<Game> {
        let mut head = [0; HEAD];
        from.read_exact(&mut head).ok()?;
        let word = |at: usize| u16::from_le_bytes([head[at], head[at + 1]]);
        let mut moves = vec![0; 2 * usize::from(word(7))];
        from.read_exact(&mut moves).ok()?;
        Some(Game {
            rows: head[0],
            columns: head[1],
            start: head[2],
            settled: word(3),
            score: word(5) as i16,
            moves: moves.chunks(2).map(|code| (code[0], code[1])).collect(),
        })
    }
}

/// Where the games are.
pub(super) fn folder() -> PathBuf {
    std::env::var_os("OUTFLANK_FIT").map_or_else(|| "target/fit".into(), Into::into)
}

/// The games of a family that have been written.
pub(super) fn read(folder: &Path, family: usize) -> Vec<Game> {
    let Ok(file) = std::fs::File::open(folder.join(FAMILIES[family].0)) else { return Vec::new() };
    let mut file = BufReader::new(file);
    std::iter::from_fn(|| Game::read(&mut file)).collect()
}

/// How many games of a family there are, after what a kill has left of another is gone: nothing behind that could be read.
fn count_whole(folder: &Path, family: usize) -> u64 {
    let games = read(folder, family);
    if let Ok(file) = OpenOptions::new().write(true).open(folder.join(FAMILIES[family].0)) {
        file.set_len(games.iter().map(Game::len).sum()).expect("shortened");
    }
    games.len() as u64
}

/// A number from the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}: `{text}` is not a number")))
}

/// Plays games of all families by turns, or of the one that OUTFLANK_FIT_FAMILY names, and appends them to their files, until each has as
/// many as OUTFLANK_FIT_GAMES says, or 10,000; each OUTFLANK_FIT_ROUND has random moves of its own.
#[test]
#[ignore = "hours; writes games"]
fn play_games() {
    let folder = folder();
    std::fs::create_dir_all(&folder).expect("a folder");
    let (wanted, round) = (number("OUTFLANK_FIT_GAMES").unwrap_or(10_000), number("OUTFLANK_FIT_ROUND").unwrap_or(0));
    let only = std::env::var("OUTFLANK_FIT_FAMILY").ok();
    let families: Vec<usize> =
        (0..FAMILIES.len()).filter(|&i| only.as_deref().is_none_or(|only| only == FAMILIES[i].0)).collect();
    assert!(!families.is_empty(), "OUTFLANK_FIT_FAMILY: there is no {only:?}");
    let mut counts: Vec<u64> = (0..FAMILIES.len()).map(|family| count_whole(&folder, family)).collect();
    while let Some(&family) = families.iter().filter(|&&i| counts[i] < wanted).min_by_key(|&&i| counts[i]) {
        let games: Vec<Game> = (counts[family]..counts[family] + BATCH)
            .into_par_iter()
            .map(|index| Game::play(family, round, index))
            .collect();
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write(&mut bytes));
        let path = folder.join(FAMILIES[family].0);
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .and_then(|mut file| file.write_all(&bytes))
            .expect("written");
        counts[family] += BATCH;
        let (_, name) = FAMILIES[family];
        println!("{name}: {} games", counts[family]);
    }
}

#[test]
fn half_a_game_goes_before_others_follow() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = |moves: u8| Game { rows: 8, columns: 8, start: 1, settled: 3, score: -7, moves: vec![(moves, 8); 5] };
    let mut bytes = Vec::new();
    [game(1), game(2)].iter().for_each(|game| game.write(&mut bytes));
    let whole = bytes.len();
    game(3).write(&mut bytes);
    let path = folder.path().join(FAMILIES[1].0);
    std::fs::write(&path, &bytes[..bytes.len() - 4]).expect("written");
    assert_eq!((count_whole(folder.path(), 0), count_whole(folder.path(), 1)), (0, 2));
    assert_eq!(std::fs::read(&path).expect("read"), bytes[..whole]);
    let read = read(folder.path(), 1);
    assert_eq!((read[1].moves(), read[1].score, read[1].settled), (&[(2, 8); 5][..], -7, 3));
}
