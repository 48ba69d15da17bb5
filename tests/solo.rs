//! The solitaire against a plain second implementation of its rules (arrays and loops, nothing shared with `src/` but the
//! names of squares and chips), and its records against themselves.
#![cfg(feature = "tools")]

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use outflank::board::Square;
use outflank::solo::{
    Advisor, Budget, Chip, Color, Deal, Ending, Game, Greedy, Layout, Layouts, Move, Outlook, Player, Record, Scoring,
    Tally, View, play_out,
};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, RngExt, SeedableRng};

/// What lies on a square: colour 0 is gold, 1 black.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Cell {
    Free,
    Disc(usize),
    Chip { color: usize, number: u8, up: bool },
}

/// The rules, written down once more from the sheet: `cells[row][column]`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Plain {
    cells: [[Cell; 8]; 8],
    won: Vec<(usize, u8)>,
}

const AROUND: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];

impl Plain {
    fn new(deal: &Deal) -> Plain {
        let mut cells = [[Cell::Free; 8]; 8];
        cells[3][3] = Cell::Disc(1);
        cells[4][4] = Cell::Disc(1);
        cells[3][4] = Cell::Disc(0);
        cells[4][3] = Cell::Disc(0);
        for (square, chip) in deal.layout().squares().zip(deal.chips()) {
            let color = usize::from(chip.color() == Color::Black);
            cells[square.row() as usize][square.column() as usize] =
                Cell::Chip { color, number: chip.number(), up: false };
        }
        Plain { cells, won: Vec::new() }
    }

    fn at(&self, row: i32, column: i32) -> Option<Cell> {
        if (0..8).contains(&row) && (0..8).contains(&column) {
            Some(self.cells[row as usize][column as usize])
        } else {
            None
        }
    }

    /// Squares flipped and chips won by a disc, `None` when it may not be placed.
    fn consequences(&self, row: i32, column: i32, color: usize) -> Option<[Vec<(i32, i32)>; 2]> {
        if self.at(row, column) != Some(Cell::Free) {
            return None;
        }
        let mut flipped = Vec::new();
        for (dr, dc) in AROUND {
            let mut line = Vec::new();
            let (mut r, mut c) = (row + dr, column + dc);
            while self.at(r, c) == Some(Cell::Disc(1 - color)) {
                line.push((r, c));
                (r, c) = (r + dr, c + dc);
            }
            if self.at(r, c) == Some(Cell::Disc(color)) {
                flipped.extend(line);
            }
        }
        // discs flip first, then chips are won
        let mut after = self.clone();
        for &(r, c) in &flipped {
            after.cells[r as usize][c as usize] = Cell::Disc(color);
        }
        let mut won = Vec::new();
        for (dr, dc) in AROUND {
            if let Some(Cell::Chip { color: chip, up: true, .. }) = after.at(row + dr, column + dc)
                && chip != color
                && after.at(row + 2 * dr, column + 2 * dc) == Some(Cell::Disc(color))
            {
                won.push((row + dr, column + dc));
            }
        }
        if flipped.is_empty() && won.is_empty() { None } else { Some([flipped, won]) }
    }

    fn legal(&self) -> HashSet<(i32, i32, usize)> {
        let mut moves = HashSet::new();
        for row in 0..8 {
            for column in 0..8 {
                for color in 0..2 {
                    if self.consequences(row, column, color).is_some() {
                        moves.insert((row, column, color));
                    }
                }
            }
        }
        moves
    }

    fn play(&mut self, row: i32, column: i32, color: usize) {
        let [flipped, won] = self.consequences(row, column, color).expect("legal");
        self.cells[row as usize][column as usize] = Cell::Disc(color);
        for (r, c) in flipped {
            self.cells[r as usize][c as usize] = Cell::Disc(color);
        }
        for (r, c) in won {
            let Cell::Chip { color, number, .. } = self.cells[r as usize][c as usize] else { panic!("no chip to win") };
            self.won.push((color, number));
            self.cells[r as usize][c as usize] = Cell::Free;
        }
        for (dr, dc) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
            let (r, c) = (row + dr, column + dc);
            if let Some(Cell::Chip { color, number, .. }) = self.at(r, c) {
                self.cells[r as usize][c as usize] = Cell::Chip { color, number, up: true };
            }
        }
    }

    fn points(&self) -> u32 {
        let sum: u32 = self.won.iter().map(|(_, number)| u32::from(*number)).sum();
        let blanks = self.won.iter().filter(|(_, number)| *number == 0).count();
        if blanks == 4 { sum * 2 } else { sum }
    }

    fn hidden(&self) -> bool {
        self.cells.iter().flatten().any(|cell| matches!(cell, Cell::Chip { up: false, .. }))
    }

    /// Some sequence of turns wins a chip: plain search, without hidden chips.
    fn can_win(&self, visited: &mut HashSet<Plain>) -> bool {
        if !visited.insert(self.clone()) {
            return false;
        }
        self.legal().into_iter().any(|(row, column, color)| {
            let mut next = self.clone();
            next.play(row, column, color);
            next.won.len() > self.won.len() || next.can_win(visited)
        })
    }
}

fn compare(game: &Game, plain: &Plain) {
    let view = game.view();
    let position = view.position();
    for square in Square::all() {
        let cell = plain.cells[square.row() as usize][square.column() as usize];
        let bit = square.bit();
        assert_eq!(position.free() & bit != 0, cell == Cell::Free, "{square}");
        for (i, color) in Color::ALL.into_iter().enumerate() {
            assert_eq!(position.discs(color) & bit != 0, cell == Cell::Disc(i), "{square}");
            let up = matches!(cell, Cell::Chip { color, up: true, .. } if color == i);
            assert_eq!(position.face_up(color) & bit != 0, up, "{square}");
        }
        let down = matches!(cell, Cell::Chip { up: false, .. });
        assert_eq!(position.face_down() & bit != 0, down, "{square}");
        if let Cell::Chip { color, number, up } = cell {
            let chip = Chip::new(Color::ALL[color], number).unwrap();
            assert_eq!(view.chip_at(square), up.then_some(chip), "{square}");
        }
    }
    let moves: Vec<Move> = position.legal_moves().collect();
    let set: HashSet<(i32, i32, usize)> =
        moves.iter().map(|m| (i32::from(m.square.row()), i32::from(m.square.column()), m.color.index())).collect();
    assert_eq!(set.len(), moves.len(), "no move twice");
    assert_eq!(set, plain.legal());
    let score = view.score();
    assert_eq!((score.chips, score.points), (plain.won.len() as u32, plain.points()));
}

fn random_game(seed: u64, layout: Layout, mut each: impl FnMut(&Game, &Plain)) -> Game {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let deal = Deal::shuffled(layout, rng.next_u64());
    let (mut game, mut plain) = (Game::new(deal), Plain::new(&deal));
    loop {
        each(&game, &plain);
        let moves: Vec<Move> = game.view().position().legal_moves().collect();
        if moves.is_empty() {
            return game;
        }
        let mv = moves[rng.random_range(0..moves.len())];
        game.play(mv).unwrap();
        plain.play(i32::from(mv.square.row()), i32::from(mv.square.column()), mv.color.index());
    }
}

#[test]
fn random_games_agree_with_the_plain_rules() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2024);
    let (mut turns, mut won) = (0, 0);
    for seed in 0..400 {
        let layout = if seed % 2 == 0 { Layout::default() } else { Layout::seeded(rng.next_u64()) };
        let game = random_game(seed, layout, compare);
        turns += game.moves().len();
        won += game.view().score().chips;
    }
    assert!(turns > 4000 && won > 1000, "the games went somewhere: {turns} turns, {won} chips");
}

#[test]
fn the_end_agrees_with_plain_search() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut hopeless, mut hopeful) = (0, 0);
    for seed in 0..300 {
        let layout = if seed % 2 == 0 { Layout::default() } else { Layout::seeded(rng.next_u64()) };
        random_game(seed, layout, |game, plain| {
            let free = game.view().position().free().count_ones();
            let ending = game.ending();
            assert_eq!(ending == Some(Ending::NoTurn), plain.legal().is_empty() && plain.won.len() < 24);
            assert_eq!(ending == Some(Ending::AllWon), plain.won.len() == 24);
            if plain.hidden() {
                return;
            }
            // small enough for plain search, or the rules' own search must find a win that plain search confirms
            if free <= 9 && plain.won.len() < 24 && !plain.legal().is_empty() {
                let can_win = plain.can_win(&mut HashSet::new());
                assert_eq!(ending.is_none(), can_win, "seed {seed}\n{plain:?}");
                *(if can_win { &mut hopeful } else { &mut hopeless }) += 1;
            }
        });
    }
    assert!(hopeless >= 20 && hopeful >= 20, "both answers occur: {hopeless} hopeless, {hopeful} hopeful");
}

#[test]
fn records_round_trip() {
    for seed in 0..40 {
        let layout = Layout::seeded(seed);
        let mut game = random_game(seed, layout, |_, _| {});
        if seed % 3 == 0 {
            game.undo();
            game.help.hints = 2;
        }
        let scoring = if seed % 2 == 0 { Scoring::Count } else { Scoring::Points };
        // undone turns are gone from a record; the help they were stays
        let record = Record { game, seed: None, scoring };
        let text = record.to_string();
        assert_eq!(Record::parse(&text).unwrap(), record, "{text}");
        let json = record.to_json();
        assert_eq!(Record::parse(&json).unwrap(), record, "{json}");
        assert_eq!(Record::parse(&text.replace('\n', "\r\n")).unwrap(), record);
    }
    let game = Game::new(Deal::shuffled(Layout::default(), 42));
    let record = Record { game, seed: Some(42), scoring: Scoring::Count };
    assert_eq!(Record::parse(&record.to_string()).unwrap(), record);
    assert_eq!(Record::parse("outflank-solo 1\nseed: 42\n").unwrap(), record, "a seed is enough");
    assert_eq!(Record::parse(r#"{"format": "outflank-solo 1", "seed": 42}"#).unwrap(), record);
}

#[test]
fn bad_records_say_what_and_where() {
    let mut game = Game::new(Deal::shuffled(Layout::default(), 1));
    game.play("d3g".parse().unwrap()).unwrap();
    let record = Record { game, seed: Some(1), scoring: Scoring::Count };
    let text = record.to_string();
    let fails = |text: &str, message: &str| assert_eq!(Record::parse(text).unwrap_err().to_string(), message, "{text}");
    fails("", "line 1, column 1: the record is empty, expected 'outflank-solo 1'");
    fails("\n hello", "line 2, column 1: expected 'outflank-solo 1'");
    fails("outflank-solo 1\n", "record: neither chips nor a seed");
    fails(&text.replace("d3g", "d3g e9b"), "line 6, column 12: turn 2: 'e9' is not a square a1..h8");
    fails(&text.replace("d3g", "d3g d3b"), "line 6, column 12: turn 2: d3b: there is a disc on d3");
    fails(
        &text.replace("d3g", "a1g"),
        "line 6, column 8: turn 1: a1g: a gold disc on a1 flips no disc and wins no chip",
    );
    fails(&text.replace("won: 0", "won: 3"), "line 10, column 6: the record says 3 chips won, its turns give 0");
    fails(
        &text.replace("in-progress", "all-won"),
        "line 12, column 9: the record says 'all-won', its turns give 'in-progress'",
    );
    fails(&text.replace("seed: 1", "seed: 2"), "line 3, column 7: the seed's shuffle does not give the record's chips");
    fails(&text.replace("seed: 1", "seed: one"), "line 3, column 7: 'one' is not a number that fits here");
    fails(&text.replace("seed: 1", "seed: 1 2"), "line 3, column 9: '2' is one word too many");
    fails(&text.replace("seed: 1", "seed:"), "line 3, column 1: the value is missing");
    fails(&text.replace("seed: 1", "sead: 1"), "line 3, column 1: unknown key 'sead'");
    fails(&text.replace("seed: 1", "seed 1"), "line 3, column 1: expected 'key: value'");
    fails(&text.replace("chips: g6", "chips: g8"), "line 4, column 11: chip g8 is named too often");
    fails(&text.replace("chips: g6", "chips:"), "line 4, column 8: 23 chips instead of 24");
    fails(
        &text.replace("chips: g6", "chips: g12"),
        "line 4, column 8: 'g12' is not a chip: a colour g or b and a number 1..10, or '-' for a blank, e.g. g7 or b-",
    );
    fails(
        &text.replace("layout: c1", "layout: d4"),
        "line 2, column 9: d4 is a centre square: the four discs stand there",
    );
    fails(&text.replace("count", "coins"), "line 5, column 10: 'coins' is not a scoring: count or points");
    fails(&format!("{text}seed: 1\n"), "line 13, column 1: 'seed' is given twice");
    fails(&format!("{text}takebacks: 0\n"), "line 13, column 1: 'takebacks' is given twice");
    fails("{\"format\": 3}", "line 1, column 12: invalid type: integer `3`, expected a string");
    fails("{\"format\": \"x\"}", "format: 'x' is not 'outflank-solo 1'");
    let json = record.to_json();
    fails(&json.replace("d3g", "d3x"), "turns[0]: turn 1: 'x' is not a colour: g or gold, b or black");
    fails(&json.replace("\"won\": 0", "\"won\": 1"), "won: the record says 1 chips won, its turns give 0");
    fails(&json.replace("\"c1\"", "\"b9\""), "layout[0]: 'b9' is not a square a1..h8");
}

#[test]
fn broken_records_never_panic() {
    let record = Record { game: random_game(3, Layout::default(), |_, _| {}), seed: None, scoring: Scoring::Points };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for text in [record.to_string(), record.to_json()] {
        for _ in 0..3000 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..rng.random_range(1..4) {
                let at = rng.random_range(0..bytes.len().max(1));
                if bytes.len() < 2 {
                    break;
                }
                match rng.random_range(0..3) {
                    0 => bytes[at] = rng.random_range(0..=255),
                    1 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            let _ = Record::parse(&String::from_utf8_lossy(&bytes));
        }
    }
}

/// The view after `turns` turns of a random game.
fn view_after(seed: u64, turns: usize) -> Option<View> {
    let mut views = Vec::new();
    random_game(seed, Layout::default(), |game, _| views.push(*game.view()));
    views.get(turns).copied().filter(|view| view.ending().is_none())
}

#[test]
fn advice_depends_on_the_view_only() {
    // Two games on different deals that look the same to the player, reached by the same turns: the advice is the same.
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(99);
    let mut compared = 0;
    for seed in 0..12 {
        let game = random_game(seed, Layout::default(), |_, _| {});
        let turns = (seed as usize * 2).min(game.moves().len() / 2);
        let view = game.views()[turns];
        let other = view.sample(&mut rng);
        let replay = |deal: Deal| {
            let mut game = Game::new(deal);
            game_moves(&mut game, turns, seed);
            game
        };
        let (a, b) = (replay(game.deal().unwrap()), replay(other));
        assert_eq!(a.view(), b.view());
        if a.deal() == b.deal() || a.ending().is_some() {
            continue;
        }
        for scoring in [Scoring::Count, Scoring::Points] {
            let advice = |game: &Game| Advisor::new(scoring, Budget::Nodes(1500), 3).advise(game.view()).unwrap();
            assert_eq!(advice(&a), advice(&b), "seed {seed}");
        }
        compared += 1;
    }
    assert!(compared >= 5, "{compared}");
}

/// Plays the first turns of the random game of a seed.
fn game_moves(game: &mut Game, turns: usize, seed: u64) {
    let moves = random_game(seed, Layout::default(), |_, _| {}).moves().to_vec();
    moves.into_iter().take(turns).for_each(|mv| {
        game.play(mv).unwrap();
    });
}

#[test]
fn advice_is_reproducible_and_legal() {
    let (mut seen, mut outlooks) = (0, 0);
    for (seed, turns) in (0..16).map(|seed| (seed, 2 * seed as usize)) {
        let Some(view) = view_after(seed, turns) else { continue };
        let advise = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Advisor::new(Scoring::Count, Budget::Nodes(600), 5).advise(&view).unwrap())
        };
        let advice = advise(1);
        assert_eq!(advice, advise(4), "the number of threads does not matter");
        assert!(view.position().legal_moves().any(|mv| mv == advice.best.mv));
        let moves: HashSet<Move> = advice.ranking.iter().map(|candidate| candidate.mv).collect();
        assert_eq!(moves.len(), if advice.exact { 1 } else { view.position().legal_moves().count() });
        assert!(advice.exact || advice.nodes >= 600, "{} nodes: the budget is used", advice.nodes);
        for candidate in &advice.ranking {
            let Some(Outlook { chips, points, perfect }) = candidate.outlook else { continue };
            assert!((chips - candidate.value).abs() < 1e-9, "{chips} chips: the score is their number");
            assert!(chips <= 24.0 && perfect <= chips / 24.0, "{chips} {perfect}");
            // beside four blanks every chip won has a number
            assert!(points >= chips - 4.0 && points <= 220.0, "{points} for {chips} chips");
            outlooks += 1;
        }
        seen += 1;
    }
    assert!(seen >= 3 && outlooks >= 3, "{seen} {outlooks}");
}

/// The exact expectation by plain recursion over all turns and all orders in which the unseen chips can turn up;
/// `None` when that is too much work for a test.
fn plain_expectation(
    plain: &Plain,
    unseen: &[(usize, u8)],
    scoring: Scoring,
    memo: &mut HashMap<Plain, f64>,
) -> Option<f64> {
    if let Some(value) = memo.get(plain) {
        return Some(*value);
    }
    if memo.len() > 1500 {
        return None;
    }
    let score = match scoring {
        Scoring::Count => plain.won.len() as u32,
        Scoring::Points => plain.points(),
    };
    let mut best = f64::from(score);
    for (row, column, color) in plain.legal() {
        let down: Vec<(i32, i32)> = [(0, 1), (1, 0), (0, -1), (-1, 0)]
            .into_iter()
            .map(|(dr, dc)| (row + dr, column + dc))
            .filter(|(r, c)| matches!(plain.at(*r, *c), Some(Cell::Chip { up: false, .. })))
            .collect();
        let mut sum = 0.0;
        let orders = arrangements(unseen, down.len());
        for order in &orders {
            // put the assumed chips under the squares, and let the rules turn them up
            let mut next = plain.clone();
            for ((r, c), (color, number)) in down.iter().zip(order) {
                next.cells[*r as usize][*c as usize] = Cell::Chip { color: *color, number: *number, up: false };
            }
            next.play(row, column, color);
            next.won.sort_unstable();
            let mut left = unseen.to_vec();
            for chip in order {
                left.remove(left.iter().position(|c| c == chip).unwrap());
            }
            // hide what is under the others, so that equal knowledge is one entry of the memo
            for cell in next.cells.iter_mut().flatten() {
                if let Cell::Chip { up: false, .. } = cell {
                    *cell = Cell::Chip { color: 0, number: 0, up: false };
                }
            }
            sum += plain_expectation(&next, &left, scoring, memo)?;
        }
        best = best.max(sum / orders.len() as f64);
    }
    memo.insert(plain.clone(), best);
    Some(best)
}

/// All ordered choices of `count` chips.
fn arrangements(chips: &[(usize, u8)], count: usize) -> Vec<Vec<(usize, u8)>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for i in 0..chips.len() {
        let mut rest = chips.to_vec();
        let chip = rest.remove(i);
        all.extend(arrangements(&rest, count - 1).into_iter().map(|mut tail| {
            tail.insert(0, chip);
            tail
        }));
    }
    all
}

#[test]
fn exact_advice_agrees_with_plain_expectimax() {
    let (mut compared, mut hidden, mut uncertain) = (0, 0, 0);
    for seed in 0..1000 {
        if compared >= 100 && hidden >= 50 && uncertain >= 4 {
            break;
        }
        let layout = if seed % 2 == 0 { Layout::default() } else { Layout::seeded(seed) };
        random_game(seed, layout, |game, plain| {
            let view = game.view();
            let down = view.position().face_down().count_ones();
            let free = view.position().free().count_ones();
            // mostly positions with something to find out
            if free > 12 || down > 2 || (down == 0 && seed % 8 != 0) || game.ending().is_some() {
                return;
            }
            let unseen: Vec<(usize, u8)> = view.unseen().iter().map(|c| (c.color().index(), c.number())).collect();
            for scoring in [Scoring::Count, Scoring::Points] {
                let mut start = plain.clone();
                start.won.sort_unstable();
                let Some(expected) = plain_expectation(&start, &unseen, scoring, &mut HashMap::new()) else { return };
                let advice = Advisor::new(scoring, Budget::Nodes(200_000), 1).advise(view).unwrap();
                assert!(advice.exact, "seed {seed}: small enough to be exact");
                assert!((advice.best.value - expected).abs() < 1e-6, "seed {seed}: {} {expected}", advice.best.value);
                compared += 1;
                hidden += u32::from(down > 0);
                uncertain += u32::from(expected.fract() != 0.0);
            }
        });
    }
    assert!(compared >= 40 && hidden >= 10 && uncertain >= 4, "{compared} {hidden} {uncertain}");
}

#[test]
fn the_advisor_beats_the_simple_players() {
    let mean = |player: fn(u64) -> Box<dyn Player>| {
        let mut tally = Tally::default();
        for seed in 0..6 {
            let (game, _) = play_out(Layouts::Fixed(Layout::default()).deal(seed), player(seed).as_mut());
            tally.add(game.view().score(), game.moves().len());
        }
        tally.summary(Scoring::Count).unwrap().mean
    };
    let advisor = mean(|seed| Box::new(Advisor::new(Scoring::Count, Budget::Nodes(300), seed)));
    let greedy = mean(|seed| Box::new(Greedy::new(seed)));
    assert!(advisor >= 23.0 && advisor > greedy + 4.0, "{advisor} {greedy}");
}

#[test]
fn a_time_budget_is_kept() {
    let view = View::start(Layout::default());
    let start = std::time::Instant::now();
    let advice = Advisor::new(Scoring::Count, Budget::Time(Duration::from_millis(60)), 1).advise(&view).unwrap();
    assert!(advice.nodes > 0);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}
