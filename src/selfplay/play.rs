//! One game.

use std::collections::VecDeque;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::game::{GameRecord, Kind, Ply};
use super::settings::Settings;
use crate::board::{Board, Square, Squares};
use crate::engine::Engine;
use crate::eval::UNITS_PER_DISC;
use crate::rules::{Color, Position};
use crate::search::{Goal, Limits, Report, SearchError, Selectivity, StopToken};

/// Positions with more empties are solved again at every ply: above, a line of the search is not proved move by move.
const PROVED_LINE_EMPTIES: u32 = 14;
/// Openings that cannot be used are drawn again; after so many, any will do, without random plies if need be.
const OPENING_TRIES: usize = 1000;

/// Plays games one after the other; every game begins with an empty table and so depends on nothing but its index.
#[derive(Debug)]
pub struct Player<'a> {
    settings: &'a Settings,
    openings: &'a [Vec<Square>],
    engine: Engine,
}

/// What is known about a position that was searched.
struct Label {
    kind: Kind,
    /// In discs, for the side to move.
    value: i32,
    best: Square,
    /// After an exact score: best play after `best`, proved move by move; empty when it is not known.
    line: VecDeque<Square>,
}

/// Plays one game; `None` when it was stopped.
pub fn play(settings: &Settings, index: u32, stop: &StopToken) -> Option<GameRecord> {
    Player::new(settings, &opening_squares(settings)).play(index, stop)
}

/// The openings of the list without passes.
pub(super) fn opening_squares(settings: &Settings) -> Vec<Vec<Square>> {
    let squares = |opening: &Vec<crate::rules::Move>| opening.iter().filter_map(|mv| mv.square()).collect();
    settings.openings.iter().map(squares).collect()
}

impl<'a> Player<'a> {
    /// A player with an engine of its own.
    pub(super) fn new(settings: &'a Settings, openings: &'a [Vec<Square>]) -> Player<'a> {
        Player { settings, openings, engine: settings.engine() }
    }

    /// Makes the engine's table, of the size that the settings say: a search by itself makes do with a smaller one.
    pub(super) fn allocate(&mut self) -> Result<(), SearchError> {
        self.engine.allocate()
    }

    /// Plays the game with this index; `None` when it was stopped.
    pub fn play(&mut self, index: u32, stop: &StopToken) -> Option<GameRecord> {
        let mut rng = StdRng::seed_from_u64(mix(self.settings.seed, index));
        self.engine.clear();
        let mut game = Game::start();
        for square in self.balanced_opening(&mut rng, stop)? {
            game.play(Ply { square, kind: Kind::Opening, value: 0 });
        }
        let opening_plies = game.plies.len() as u8;
        let (mut line, mut value) = (VecDeque::new(), 0);
        while game.turn() {
            let label = match line.pop_front() {
                Some(best) => Label { kind: Kind::Exact, value, best, line },
                None => self.label(game.board, stop)?,
            };
            let stray = rng.random_bool(self.settings.stray_percent / 100.0);
            let square = if stray { random_move(game.board, &mut rng) } else { label.best };
            // what follows is the line, unless another move is played
            line = if square == label.best { label.line } else { VecDeque::new() };
            let units = (label.value * UNITS_PER_DISC) as i16;
            let mover = game.black;
            game.play(Ply { square, kind: label.kind, value: units });
            // the value for the next side to move
            value = if game.turn() && game.black == mover { label.value } else { -label.value };
        }
        Some(GameRecord { index, opening_plies, result: game.result(), plies: game.plies })
    }

    /// The game with new labels: moves and exact scores stay. `None` when it was stopped.
    pub(super) fn relabel(&mut self, game: &GameRecord, stop: &StopToken) -> Option<GameRecord> {
        self.engine.clear();
        let mut plies = game.plies.clone();
        for position in game.positions().filter(|position| position.kind != Kind::Exact) {
            let label = self.label(position.board, stop)?;
            let ply = &mut plies[position.ply as usize];
            (ply.kind, ply.value) = (label.kind, (label.value * UNITS_PER_DISC) as i16);
        }
        Some(GameRecord { plies, ..game.clone() })
    }

    /// Searches a position in which the side to move can move.
    fn label(&mut self, board: Board, stop: &StopToken) -> Option<Label> {
        let position = Position::from_board(board, Color::Black);
        let empties = board.empty_count();
        let mut report = self.search(&position, &self.settings.limits(empties), stop)?;
        if report.depth == 0 {
            // too few nodes for anything
            report = self.search(&position, &Limits::new(Goal::Depth(1, Selectivity::NONE)), stop)?;
        }
        let best = report.best()?;
        let mut squares = best.pv.iter().filter_map(|mv| mv.square());
        let mut label = Label {
            kind: match report.is_exact() {
                true => Kind::Exact,
                false => Kind::Search {
                    depth: report.depth.min(empties as u8),
                    selective: report.selectivity != Selectivity::NONE,
                },
            },
            value: report.score,
            best: squares.next()?,
            line: VecDeque::new(),
        };
        if label.kind == Kind::Exact && empties <= PROVED_LINE_EMPTIES {
            label.line = squares.collect();
            if !leads_to(board, &label) {
                log::warn!("the line of {board:?} does not lead to its score {}", label.value);
                label.line.clear();
            }
        }
        Some(label)
    }

    fn search(&mut self, position: &Position, limits: &Limits, stop: &StopToken) -> Option<Report> {
        let report =
            self.engine.search(position, limits, stop, &mut |_| {}).expect("settings of a search that can begin");
        (!stop.is_stopped()).then_some(report)
    }

    /// An opening after which no side is too far ahead.
    fn balanced_opening(&mut self, rng: &mut StdRng, stop: &StopToken) -> Option<Vec<Square>> {
        for _ in 0..OPENING_TRIES {
            let opening = self.opening(rng);
            let Some(balance) = self.settings.balance else { return Some(opening) };
            let mut game = Game::start();
            opening.iter().for_each(|&square| game.play(Ply { square, kind: Kind::Opening, value: 0 }));
            game.turn();
            if self.label(game.board, stop)?.value.unsigned_abs() <= balance {
                return Some(opening);
            }
        }
        Some(self.opening(rng))
    }

    /// The moves of an opening after which somebody can still move.
    fn opening(&self, rng: &mut StdRng) -> Vec<Square> {
        let list = match self.openings.len() {
            0 => &[][..],
            n => &self.openings[rng.random_range(0..n)],
        };
        let range = self.settings.random_plies;
        for _ in 0..OPENING_TRIES {
            let mut draw = || rng.random_range(range.min..=range.max);
            let random = draw().min(draw());
            let mut game = Game::start();
            for &square in list {
                game.play(Ply { square, kind: Kind::Opening, value: 0 });
            }
            for _ in 0..random {
                if game.turn() {
                    let square = random_move(game.board, rng);
                    game.play(Ply { square, kind: Kind::Opening, value: 0 });
                }
            }
            if game.turn() {
                return game.plies.iter().map(|ply| ply.square).collect();
            }
        }
        list.to_vec()
    }
}

/// The state of a game.
struct Game {
    board: Board,
    black: bool,
    plies: Vec<Ply>,
}

impl Game {
    fn start() -> Game {
        Game { board: Board::START, black: true, plies: Vec::with_capacity(60) }
    }

    /// Makes a side that can move the side to move; `false` when the game is over.
    fn turn(&mut self) -> bool {
        if self.board.legal_moves() != 0 {
            return true;
        }
        if self.board.pass().legal_moves() == 0 {
            return false;
        }
        (self.board, self.black) = (self.board.pass(), !self.black);
        true
    }

    fn play(&mut self, ply: Ply) {
        self.turn();
        self.board = self.board.play(ply.square).expect("moves come from the legal ones");
        self.black = !self.black;
        self.plies.push(ply);
    }

    /// Black's final score.
    fn result(&self) -> i8 {
        let score = self.board.final_score() as i8;
        if self.black { score } else { -score }
    }
}

/// The line reaches the end of the game with the score of the label.
fn leads_to(board: Board, label: &Label) -> bool {
    let mut game = Game { board, black: true, plies: Vec::new() };
    for &square in std::iter::once(&label.best).chain(&label.line) {
        if !game.turn() || game.board.play(square).is_none() {
            return false;
        }
        game.play(Ply { square, kind: Kind::Exact, value: 0 });
    }
    !game.turn() && game.result() as i32 == label.value
}

fn random_move(board: Board, rng: &mut StdRng) -> Square {
    let moves = board.legal_moves();
    Squares(moves).nth(rng.random_range(0..moves.count_ones()) as usize).expect("the side to move can move")
}

/// The seed of a game (the finalizer of SplitMix64).
fn mix(seed: u64, index: u32) -> u64 {
    let mut z = seed.wrapping_add((index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::openings::parse_openings;
    use crate::rules::RuleSet;
    use crate::selfplay::{PlyRange, generate, reanalyse};

    fn settings() -> Settings {
        Settings {
            seed: 3,
            goal: Goal::Depth(1, Selectivity::NONE),
            nodes: None,
            exact: 8,
            random_plies: PlyRange { min: 4, max: 50 },
            balance: None,
            stray_percent: 20.0,
            openings: Vec::new(),
            weights: None,
            hash_mib: 1,
        }
    }

    fn minimax(board: Board) -> i32 {
        if board.legal_moves() == 0 {
            return if board.is_game_over() { board.final_score() } else { -minimax(board.pass()) };
        }
        Squares(board.legal_moves()).map(|s| -minimax(board.play(s).unwrap())).max().unwrap()
    }

    #[test]
    fn labels_are_what_they_say() {
        let (settings, stop) = (settings(), StopToken::new());
        let mut engine = settings.engine();
        let (mut exact, mut searched, mut strays, mut passes) = (0, 0, 0, 0);
        for game in (0..60).map(|index| play(&settings, index, &stop).unwrap()) {
            assert!(game.is_sound());
            assert!((4..=50).contains(&game.opening_plies));
            let mut black = None;
            for position in game.positions() {
                passes += (black == Some(position.black)) as usize;
                black = Some(position.black);
                let empties = position.board.empty_count();
                if empties <= settings.exact {
                    assert_eq!(position.kind, Kind::Exact);
                    if empties <= 7 {
                        assert_eq!(position.value as i32, minimax(position.board) * UNITS_PER_DISC);
                        exact += 1;
                    }
                    continue;
                }
                assert_eq!(position.kind, Kind::Search { depth: 1, selective: false });
                engine.clear();
                let root = Position::from_board(position.board, Color::Black);
                let report = engine.search(&root, &Limits::new(settings.goal), &stop, &mut |_| {}).unwrap();
                assert_eq!(position.value as i32, report.score * UNITS_PER_DISC);
                searched += 1;
                strays += (report.best().unwrap().mv.square() != Some(position.square)) as usize;
            }
        }
        assert!(exact > 350 && searched > 1000 && passes > 3, "{exact} {searched} {passes}");
        // a fifth of the moves is drawn at random, and some of those are the best ones
        assert!((searched / 20..searched / 4).contains(&strays), "{strays} of {searched}");
    }

    /// An exact score comes with its line: what follows is not searched again.
    #[test]
    fn exact_labels_have_lines_that_lead_to_them() {
        let (settings, stop) = (settings(), StopToken::new());
        let mut player = Player::new(&settings, &[]);
        let mut met = 0;
        for game in (0..20).map(|index| play(&settings, index, &stop).unwrap()) {
            for position in game.positions().filter(|position| (3..=8).contains(&position.board.empty_count())) {
                let mut label = player.label(position.board, &stop).unwrap();
                let next = position.board.play(label.best).unwrap();
                assert_eq!(label.line.is_empty(), next.is_game_over(), "{:?}", position.board);
                assert!(leads_to(position.board, &label));
                label.value += 2;
                assert!(!leads_to(position.board, &label));
                label.value -= 2;
                if label.line.pop_back().is_some() {
                    assert!(!leads_to(position.board, &label), "it breaks off");
                    met += 1;
                }
            }
        }
        assert!(met > 50, "{met}");
    }

    #[test]
    fn seeds_are_those_of_splitmix64() {
        // its first numbers from the seed 0, as Java's SplittableRandom has them
        assert_eq!(
            [0, 1, 2].map(|index| mix(0, index)),
            [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]
        );
    }

    #[test]
    fn games_depend_on_seed_and_index_only() {
        let settings = Settings { goal: Goal::Depth(3, Selectivity::NONE), exact: 10, ..settings() };
        let stop = StopToken::new();
        let indices: Vec<u32> = (0..24).collect();
        let alone: Vec<GameRecord> = indices.iter().rev().map(|&i| play(&settings, i, &stop).unwrap()).rev().collect();
        for threads in [1, 3] {
            let mut games = Vec::new();
            let mut collect = |game| {
                games.push(game);
                Ok::<(), SearchError>(())
            };
            generate(&settings, &indices, threads, &stop, &mut collect).unwrap();
            games.sort_by_key(|game| game.index);
            assert_eq!(games, alone, "{threads} threads");
        }
        let other = Settings { seed: 4, ..settings };
        assert_ne!(play(&other, 0, &stop).unwrap().plies, alone[0].plies);
    }

    #[test]
    fn games_get_better_labels_and_keep_their_moves() {
        let (settings, stop) = (settings(), StopToken::new());
        let games: Vec<GameRecord> = (0..12).map(|index| play(&settings, index, &stop).unwrap()).collect();
        let deeper = Settings { goal: Goal::Depth(3, Selectivity::NONE), exact: 10, ..settings };
        let mut found = Vec::new();
        let sources: Vec<&GameRecord> = games.iter().collect();
        let mut collect = |game| {
            found.push(game);
            Ok::<(), SearchError>(())
        };
        reanalyse(&deeper, &sources, 2, &stop, &mut collect).unwrap();
        found.sort_by_key(|game| game.index);
        let mut changed = 0;
        for (old, new) in games.iter().zip(&found) {
            assert!(new.is_sound() && new.opening_plies == old.opening_plies);
            for (before, after) in old.positions().zip(new.positions()) {
                assert_eq!((before.board, before.square), (after.board, after.square));
                let expected = match before.board.empty_count() {
                    0..=10 => Kind::Exact,
                    _ => Kind::Search { depth: 3, selective: false },
                };
                assert_eq!(after.kind, expected);
                assert!(before.kind != Kind::Exact || before.value == after.value);
                changed += (before.value != after.value) as usize;
            }
        }
        assert!(changed > 100, "{changed}");
    }

    #[test]
    fn generation_ends_with_the_first_error_and_when_stopped() {
        let (settings, stop) = (settings(), StopToken::new());
        let indices: Vec<u32> = (0..1_000_000).collect();
        let mut games = 0;
        let outcome = generate(&settings, &indices, 2, &stop, &mut |_| {
            games += 1;
            if games == 3 { Err(Box::<dyn std::error::Error>::from("full")) } else { Ok(()) }
        });
        assert_eq!((outcome.unwrap_err().to_string().as_str(), games), ("full", 3));
        let outcome = generate(&settings, &indices, 2, &stop, &mut |_| {
            stop.stop();
            Ok::<(), SearchError>(())
        });
        assert_eq!(outcome, Ok(()));
    }

    #[test]
    fn balanced_openings() {
        let stop = StopToken::new();
        let first_values = |settings: &Settings| -> Vec<i32> {
            let games = (0..80).map(|index| play(settings, index, &stop).unwrap());
            games.map(|game| game.positions().next().unwrap().value as i32 / UNITS_PER_DISC).collect()
        };
        let wild = settings();
        let balanced = Settings { balance: Some(5), ..settings() };
        assert!(first_values(&wild).iter().filter(|value| value.abs() > 5).count() > 30);
        let values = first_values(&balanced);
        assert!(
            values.iter().all(|value| value.abs() <= 5) && values.iter().any(|value| value.abs() == 5),
            "{values:?}"
        );
    }

    #[test]
    fn openings_of_a_list_come_first() {
        let text = "f5d6c3d3c4f4 # Tiger\nf5f6e6f4\n";
        let openings = parse_openings(&RuleSet::othello().into(), text).unwrap();
        let settings = Settings { openings, random_plies: PlyRange { min: 0, max: 2 }, exact: 4, ..settings() };
        let squares = opening_squares(&settings);
        let mut met = [0, 0];
        for index in 0..40 {
            let game = play(&settings, index, &StopToken::new()).unwrap();
            let list = squares.iter().position(|list| {
                let moves = game.plies.iter().map(|ply| ply.square);
                moves.take(list.len()).eq(list.iter().copied())
            });
            let list = list.expect("it begins with an opening of the list");
            met[list] += 1;
            assert!((0..=2).contains(&(game.opening_plies as usize - squares[list].len())));
        }
        assert!(met.iter().all(|&count| count > 5), "{met:?}");
    }
}
