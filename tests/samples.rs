//! Small samples of the reference material, made by this engine (`tests/data`): what reads the large files is tested on them
//! wherever the project is built.

mod round_trip;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outflank::analysis::accuracy;
use outflank::engine::{Engine, Options};
use outflank::formats::{GameRecord, read_games, transcript, wthor};
use outflank::game::Game;
use outflank::rules::{Color, Move, Position, RuleSet};
use outflank::search::{Goal, Limits, Selectivity, StopToken};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use round_trip::games_survive_other_formats;

const GAMES: usize = 10;
const OPENINGS: usize = 40;
/// Empty squares from which the games have a score with perfect play (24 in the database: here it is proved again and again).
const THEORETICAL: u32 = 18;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn engine() -> Engine {
    Engine::new(Options { hash_mib: 16, threads: 1 })
}

/// Black's score with perfect play, in discs.
fn proved(engine: &mut Engine, position: &Position) -> i32 {
    let report = engine.search(position, &Limits::new(Goal::Exact), &StopToken::new(), &mut |_| {}).unwrap();
    assert!(report.is_exact());
    if position.side_to_move() == Color::Black { report.score } else { -report.score }
}

fn random_moves(game: &mut Game, plies: usize, rng: &mut StdRng) {
    for _ in 0..plies {
        let moves = game.position().legal_moves();
        game.play(moves[rng.random_range(0..moves.len())]).unwrap();
    }
}

/// A game of random first moves and weak searches.
fn game(engine: &mut Engine, rng: &mut StdRng) -> Game {
    let mut game = Game::default();
    random_moves(&mut game, 6, rng);
    while !game.position().is_game_over() {
        let limits = Limits::new(Goal::Depth(1 + rng.random_range(0..3), Selectivity::NONE));
        let report = engine.search(game.position(), &limits, &StopToken::new(), &mut |_| {}).unwrap();
        game.play(report.best().unwrap().mv).unwrap();
    }
    game
}

fn header(games: usize, names: usize) -> Vec<u8> {
    let mut bytes = vec![20, 26, 11, 21];
    bytes.extend((games as u32).to_le_bytes());
    bytes.extend((names as u16).to_le_bytes());
    bytes.extend(2026u16.to_le_bytes());
    bytes.extend([8, 0, THEORETICAL as u8, 0]);
    bytes
}

/// The record of a game in a `.wtb` file.
fn record(engine: &mut Engine, number: usize, game: &Game) -> Vec<u8> {
    let discs = |black_score: i32| (32 + black_score / 2) as u8;
    let known = game.positions().iter().find(|position| position.empty_count() == THEORETICAL);
    let players = [1 + number as u16 % 3, 1 + (number as u16 + 1) % 3];
    let mut bytes: Vec<u8> = [1u16].into_iter().chain(players).flat_map(u16::to_le_bytes).collect();
    bytes.push(discs(game.position().final_score(false)));
    bytes.push(known.map_or(0, |position| discs(proved(engine, position))));
    for mv in game.moves() {
        if let Move::Place { at, .. } = mv {
            bytes.push((at.row + 1) * 10 + at.column + 1);
        }
    }
    bytes.resize(68, 0);
    bytes
}

fn names(names: &[&str], size: usize) -> Vec<u8> {
    let mut bytes = header(0, names.len());
    for name in names {
        let mut field = name.as_bytes().to_vec();
        field.resize(size, 0);
        bytes.extend(field);
    }
    bytes
}

/// `UPDATE_SAMPLES=1 cargo test --test samples -- --ignored` makes them anew; whoever runs all ignored tests does not mean that.
#[test]
#[ignore = "writes the samples anew with UPDATE_SAMPLES=1"]
fn make_the_samples() {
    if std::env::var_os("UPDATE_SAMPLES").is_none() {
        return;
    }
    let (mut engine, mut rng) = (engine(), StdRng::seed_from_u64(2026));
    let mut games = header(GAMES, 0);
    for number in 0..GAMES {
        let game = game(&mut engine, &mut rng);
        games.extend(record(&mut engine, number, &game));
    }
    fs::create_dir_all(data("wthor")).unwrap();
    fs::write(data("wthor/SAMPLE_2026.wtb"), games).unwrap();
    fs::write(data("wthor/SAMPLE.JOU"), names(&["?", "Outflank A", "Outflank B", "Outflank C"], 20)).unwrap();
    fs::write(data("wthor/SAMPLE.TRN"), names(&["?", "Sample tournament"], 26)).unwrap();
    let mut lines = std::collections::BTreeSet::new();
    while lines.len() < OPENINGS {
        let mut game = Game::default();
        random_moves(&mut game, 8, &mut rng);
        lines.insert(transcript::write(&game) + "\n");
    }
    fs::write(data("openings.txt"), lines.into_iter().collect::<String>()).unwrap();
}

#[test]
fn games_replay_on_both_boards_and_have_the_recorded_scores() {
    let database = wthor::Database::open(&data("wthor")).unwrap();
    assert_eq!((database.files.len(), database.players.len(), database.tournaments.len()), (1, 4, 2));
    let rules = Arc::new(RuleSet::othello());
    let mut passes = 0;
    for game in database.games() {
        let end = game.replay(|_| ()).unwrap();
        assert!(end.is_complete());
        assert_eq!(end.black_discs(), game.black_discs());
        let full = game.to_game(&rules).unwrap();
        assert_eq!(full.position().fast_board().unwrap().0, end.board);
        assert_eq!(full.position().side_to_move(), end.side);
        passes += full.moves().iter().filter(|mv| **mv == Move::Pass).count();
        assert_eq!(transcript::parse(full.start(), &transcript::write(&full)), Ok(full));
    }
    assert_eq!(database.games().count(), GAMES);
    assert!(passes > 0, "a game with a pass is among them");
}

#[test]
fn games_are_records_that_other_formats_keep() {
    let rules = Arc::new(RuleSet::othello());
    let records: Vec<GameRecord> =
        read_games(&data("wthor/SAMPLE_2026.wtb"), &rules).unwrap().map(|record| record.unwrap()).collect();
    assert_eq!(records.len(), GAMES);
    assert_eq!(records[0].event.as_deref(), Some("Sample tournament"));
    assert_eq!([&records[0].players[0].name, &records[0].players[1].name], ["Outflank A", "Outflank B"]);
    games_survive_other_formats(&records);
}

#[test]
fn known_scores_are_those_of_perfect_play() {
    let database = wthor::Database::open(&data("wthor")).unwrap();
    let cases = accuracy::from_wthor(&database);
    assert_eq!(cases.len(), GAMES);
    let mut engine = engine();
    for case in &cases[..2] {
        assert_eq!(case.problem.position.empty_count(), THEORETICAL);
        let sign = if case.problem.position.side_to_move() == Color::Black { 1 } else { -1 };
        assert_eq!(sign * case.exact, proved(&mut engine, &case.problem.position));
    }
}

#[test]
fn openings_are_lines_of_eight_plies() {
    let text = fs::read_to_string(data("openings.txt")).unwrap();
    let games: Vec<Game> = text.lines().map(|line| transcript::parse(&Position::default(), line).unwrap()).collect();
    assert_eq!(games.len(), OPENINGS);
    assert!(games.iter().all(|game| game.moves().len() == 8));
}
