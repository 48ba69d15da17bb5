//! The text and file formats on real data and on random games: what is written reads back, and no input panics.

mod round_trip;
mod shared_data;

use std::fs;
use std::sync::Arc;
use std::time::Instant;

use outflank::analysis::games::{Balanced, Problems, Seen, Wanted};
use outflank::board::Board;
use outflank::formats::stream::{FileKind, GameSink, GameStream};
use outflank::formats::{GameRecord, MoveNote, board_text, files, ggf, items, obf, read_games, sgf, transcript, wthor};
use outflank::game::Game;
use outflank::rules::presets::PRESETS;
use outflank::rules::{Move, Position, RuleSet};
use outflank::search::{Goal, Limits};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use round_trip::games_survive_other_formats;

/// All presets, and changes of them.
fn rule_sets() -> Vec<Arc<RuleSet>> {
    let changed = [
        "othello:6x6,parallel",
        "othello:4x8",
        "othello:10x10",
        "othello:16x12",
        "othello:one",
        "othello:6x8,placement,one,own",
        "hungarian:6x4,fewest",
        "traveller-all:4x10,colors=Rot/Grün",
        "reversi:4x6,own,start=6/1XX1O1/2XOO1/6",
    ];
    let presets = PRESETS.iter().map(|preset| preset.name).chain(changed);
    presets.map(|name| Arc::new(name.parse().unwrap_or_else(|error| panic!("{name}: {error}")))).collect()
}

/// A game of random moves from a start, to its end or cut short.
fn random_game(start: Position, rng: &mut StdRng) -> Game {
    let mut game = Game::from_position(start);
    let length = if rng.random_bool(0.5) { usize::MAX } else { rng.random_range(0..70) };
    while game.moves().len() < length {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            break;
        }
        game.play(moves[rng.random_range(0..moves.len())]).unwrap();
    }
    game
}

/// A random game, half of them from a position that an earlier random game reached.
fn any_game(rules: &Arc<RuleSet>, rng: &mut StdRng) -> Game {
    let game = random_game(Position::start(rules.clone()), rng);
    if rng.random_bool(0.5) {
        return game;
    }
    let position = &game.positions()[rng.random_range(0..game.positions().len())];
    random_game(position.clone(), rng)
}

/// The input with a few bytes changed, removed, repeated or moved; always text.
fn mutate(text: &str, rng: &mut StdRng) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..rng.random_range(1..6) {
        let at = rng.random_range(0..=bytes.len());
        match rng.random_range(0..5) {
            0 if at < bytes.len() => bytes[at] = rng.random(),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"Xx*Oo-;:[]()/.% \n\t09azPpq\\"[rng.random_range(0..26)]),
            3 => bytes.truncate(at),
            _ => {
                let from = rng.random_range(0..=at);
                let piece = bytes[from..at].to_vec();
                bytes.extend(piece);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn transcripts_round_trip() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut passes = 0;
    for rules in rule_sets() {
        for _ in 0..50 {
            let game = any_game(&rules, &mut rng);
            passes += game.moves().iter().filter(|mv| **mv == Move::Pass).count();
            let text = transcript::write(&game);
            assert_eq!(transcript::parse(game.start(), &text).as_ref(), Ok(&game), "{text}");
            let spelled: Vec<String> = game.moves().iter().map(|mv| format!("{mv:#}")).collect();
            assert_eq!(transcript::parse(game.start(), &spelled.join(" ")), Ok(game));
        }
    }
    assert!(passes > 40, "random games have passes: {passes}");
}

#[test]
fn boards_round_trip() {
    let mut rng = StdRng::seed_from_u64(2);
    let mut with_hands = 0;
    for rules in rule_sets() {
        for _ in 0..20 {
            let game = any_game(&rules, &mut rng);
            for position in game.positions() {
                let text = board_text::write(position);
                with_hands += usize::from(text.contains("hands="));
                assert_eq!(board_text::parse(&text, &rules).as_ref(), Ok(position), "{text}");
            }
        }
    }
    assert!(with_hands > 30, "some discs in hand are not plain to see: {with_hands}");
    let rules = |text: &str| Arc::new(text.parse().unwrap());
    for (rules, hands) in [
        (rules("othello:4x4,own"), "hands=1/1"),
        (rules("othello:4x4,own"), "hands=9/3"),
        (rules("othello:4x4,own"), "hands=12"),
        (rules("othello:4x4"), "hands=6/6"),
    ] {
        let error = board_text::parse(&format!("-----OX--XO----- X {hands} "), &rules).unwrap_err().to_string();
        assert!(error.starts_with(&format!("line 1, column 20: '{hands}' does not fit")), "{error}");
    }
}

#[test]
fn obf_round_trips() {
    let mut rng = StdRng::seed_from_u64(3);
    for rules in rule_sets() {
        for _ in 0..40 {
            let position = any_game(&rules, &mut rng).position().clone();
            let limit = rules.squares() as i32;
            let scores = position.legal_moves().into_iter();
            let scores = scores.map(|mv| obf::MoveScore { mv, score: rng.random_range(-limit..=limit) }).collect();
            let score = rng.random_bool(0.3).then_some(limit);
            let problem = obf::Problem { scores, score, ..obf::Problem::new(position) };
            let line = obf::write(&problem);
            assert_eq!(obf::parse_line(&line, 1, &rules).unwrap(), Some(problem), "{line}");
        }
    }
}

#[test]
fn shared_problem_files() {
    let Some(folder) = shared_data::path("data/obf") else { return };
    let mut problems = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let file = std::io::BufReader::new(fs::File::open(&path).unwrap());
        for (line, problem) in obf::Reader::new(file, Arc::new(RuleSet::othello())) {
            let problem = problem.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert!(problem.best_score().is_some(), "{}:{line}", path.display());
            let moves = problem.position.legal_moves();
            assert!(problem.scores.iter().all(|entry| moves.contains(&entry.mv)));
            problems += 1;
        }
    }
    // the FFO test of 79, hard-20 and the first parts of hard-25 and hard-30
    assert_eq!(problems, 79 + 276 + 156 + 145);
}

#[test]
fn shared_openings() {
    let Some(folder) = shared_data::path("data/openings") else { return };
    let text = fs::read_to_string(folder.join("xot-large.txt")).unwrap();
    let start = Position::default();
    for line in text.lines() {
        let game = transcript::parse(&start, line).unwrap();
        assert_eq!(game.moves().len(), 8);
        let mut board = Board::START;
        game.moves().iter().for_each(|mv| board = board.play(mv.square().unwrap()).unwrap());
        assert_eq!(game.position().fast_board().unwrap().0, board);
    }
    assert_eq!(text.lines().count(), 10_784);
}

#[test]
fn mutated_text_never_panics() {
    let mut rng = StdRng::seed_from_u64(4);
    for rules in rule_sets() {
        let games: Vec<Game> = (0..20).map(|_| any_game(&rules, &mut rng)).collect();
        for i in 0..3_000 {
            let game = &games[i % games.len()];
            let _ = transcript::parse(game.start(), &mutate(&transcript::write(game), &mut rng));
            let board = board_text::write(game.position());
            let _ = board_text::parse(&mutate(&board, &mut rng), &rules);
            let line = mutate(&format!("{board}; d3:+2; --:-127; +8;"), &mut rng);
            let _ = obf::parse_line(&line, 1, &rules);
        }
    }
}

#[test]
fn shared_wthor_games_replay() {
    let Some(folder) = shared_data::path("data/wthor") else { return };
    let start = Instant::now();
    let database = wthor::Database::open(&folder).unwrap();
    let loaded = start.elapsed();
    let (mut games, mut positions, mut unfinished, mut odd_scores) = (0, 0u64, 0, 0);
    for (path, file) in &database.files {
        for (i, game) in file.games().enumerate() {
            let end = game.replay(|_| positions += 1);
            let end = end.unwrap_or_else(|error| panic!("{} game {}: {error}", path.display(), i + 1));
            games += 1;
            if !end.is_complete() {
                unfinished += 1;
            } else if end.black_discs() != game.black_discs() {
                odd_scores += 1;
            }
        }
    }
    let all = start.elapsed();
    eprintln!(
        "{games} games, {positions} positions, {unfinished} unfinished, {odd_scores} with another score: \
         loaded in {loaded:?}, replayed after {all:?}"
    );
    assert_eq!((games, database.players.len(), database.tournaments.len()), (137_548, 4448, 492));
    assert_eq!(odd_scores, 0);
    // the same through the rules, for a sample
    let rules = Arc::new(RuleSet::othello());
    for game in database.games().step_by(997) {
        let full = game.to_game(&rules).unwrap();
        let end = game.replay(|_| ()).unwrap();
        let (board, _) = full.position().fast_board().unwrap();
        assert_eq!((board, full.position().side_to_move()), (end.board, end.side));
        assert_eq!(transcript::parse(full.start(), &transcript::write(&full)), Ok(full));
    }
}

/// A record of a random game, with names and notes.
fn any_record(rules: &Arc<RuleSet>, rng: &mut StdRng) -> GameRecord {
    let mut record = GameRecord::new(any_game(rules, rng));
    record.place = Some("somewhere".to_string());
    record.date = Some("2026-11-21".to_string());
    record.comment = Some("a remark".to_string());
    record.players[0].name = "Ann".to_string();
    record.players[1].rating = Some(1720.5);
    for _ in 0..record.game.moves().len() {
        let eval = rng.random_bool(0.5).then(|| rng.random_range(-6400..6400) as f64 / 100.0);
        record.notes.push(MoveNote { eval, ..MoveNote::default() });
    }
    // notes are as long as the last one that says something
    while record.notes.last() == Some(&MoveNote::default()) {
        record.notes.pop();
    }
    record
}

#[test]
fn ggf_and_sgf_round_trip() {
    let mut rng = StdRng::seed_from_u64(5);
    // the files name their rules
    let othello = Arc::new(RuleSet::othello());
    for rules in rule_sets() {
        for _ in 0..20 {
            let mut record = any_record(&rules, &mut rng);
            let text = sgf::write(&record);
            assert_eq!(sgf::games(&text, othello.clone()).next(), Some(Ok(record.clone())), "{text}");
            for note in &mut record.notes {
                note.seconds = rng.random_bool(0.5).then(|| rng.random_range(0..100) as f64);
            }
            while record.notes.last() == Some(&MoveNote::default()) {
                record.notes.pop();
            }
            let text = ggf::write(&record);
            assert!(!text.contains('\n'));
            assert_eq!(ggf::games(&text, othello.clone()).next(), Some(Ok(record)), "{text}");
        }
    }
}

/// Games of all rule sets in one file, read by a reader who has been told other rules.
#[test]
fn files_name_the_rules_of_their_games() {
    let mut rng = StdRng::seed_from_u64(7);
    let rules = rule_sets();
    let mut records = Vec::new();
    while records.len() < 3 * rules.len() {
        let game = any_game(&rules[records.len() / 3], &mut rng);
        // a transcript of nothing is an empty line
        if !game.moves().is_empty() {
            records.push(GameRecord::new(game));
        }
    }
    let games: Vec<&Game> = records.iter().map(|record| &record.game).collect();
    let read = |text: &str, format, told: &str| -> Vec<Game> {
        let told = Arc::new(told.parse().unwrap());
        let games = GameStream::from_text(text, "text", Some(format), &told);
        games.map(|game| game.unwrap_or_else(|error| panic!("{error}: {text}")).game).collect()
    };
    for format in [FileKind::Ggf, FileKind::Sgf, FileKind::Pgn, FileKind::Text] {
        let text = files::games_to_text(&records, format).unwrap();
        assert_eq!(read(&text, format, "othello").iter().collect::<Vec<_>>(), games);
        // without those of othello, which say nothing and would be read by the rules that the reader was told
        let text = files::games_to_text(&records[3..6], format).unwrap();
        assert_eq!(read(&text, format, "traveller:6x6,fewest").iter().collect::<Vec<_>>(), games[3..6]);
    }
}

#[test]
fn rules_that_do_not_exist() {
    for (text, message) in [
        ("# rules: reversy\nf5\nd3", "stdin: line 1: unknown rule set 'reversy'"),
        ("f5\n% rules: othello:3x5\nd3", "stdin: line 2: "),
        ("(;GM[2]RU[traveller:quick];B[cd])", "stdin: line 1, column 11: RU: unknown rule 'quick'"),
        ("(;GM[Othello]RU[draughts]B[D3];)", "stdin: line 1, column 17: RU: unknown rule set 'draughts'"),
        ("(;GM[2]RU[othello:own]AB[ed]AW[dd]PL[B]HANDS[1/2];B[cd])", "stdin: line 1, column 46: set-up: '1/2' does"),
    ] {
        let games = GameStream::from_text(text, "stdin", None, &Arc::new(RuleSet::othello()));
        let errors: Vec<String> = games.filter_map(|game| game.err().map(|error| error.to_string())).collect();
        assert_eq!(errors.len(), 1, "{text}: {errors:?}");
        assert!(errors[0].starts_with(message), "{text}: {errors:?}");
    }
    // words of other programs are no names of rules
    let record = sgf::parse_game("(;GM[2]RU[Japanese];B[cd])").unwrap();
    assert_eq!(record.tag("RU"), Some("Japanese"));
    let board = "-----OX--XO----- X";
    let problems = format!("% rules: othello:4x4\n{board}; +2;\n% rules: go\n{board};\n");
    let problems: Vec<_> = obf::Reader::new(problems.as_bytes(), Arc::new(RuleSet::othello())).collect();
    assert_eq!(problems.len(), 2);
    assert_eq!(problems[0].1.as_ref().unwrap().position.rules().rows(), 4);
    assert!(problems[1].1.as_ref().unwrap_err().to_string().starts_with("line 3, column 1: unknown rule set 'go'"));
}

#[test]
fn mutated_games_never_panic() {
    let mut rng = StdRng::seed_from_u64(6);
    for rules in rule_sets() {
        let records: Vec<GameRecord> = (0..4).map(|_| any_record(&rules, &mut rng)).collect();
        let texts: Vec<[String; 3]> = records
            .iter()
            .map(|record| {
                [FileKind::Ggf, FileKind::Sgf, FileKind::Text]
                    .map(|format| files::games_to_text(&[record.clone(), record.clone()], format).unwrap())
            })
            .collect();
        for i in 0..120 {
            let [ggf, sgf, transcript] = &texts[i % texts.len()];
            for text in [ggf, sgf, transcript] {
                let text = mutate(text, &mut rng);
                let games = GameStream::from_text(text.as_str(), "mutated", None, &rules);
                assert!(games.count() < 20, "a bad game is reported once: {text}");
            }
        }
    }
    let mut wthor = vec![20, 7, 5, 22, 3, 0, 0, 0, 0, 0, 0xB9, 7, 8, 0, 24, 0];
    for _ in 0..3 {
        wthor.extend([0, 0, 1, 0, 2, 0, 32, 32, 56, 64, 33, 34, 43]);
        wthor.resize(wthor.len() + 55, 0);
    }
    assert_eq!(wthor::WthorFile::from_bytes(wthor.clone()).unwrap().games().len(), 3);
    for _ in 0..5_000 {
        let mut bytes = wthor.clone();
        for _ in 0..rng.random_range(1..10) {
            let at = rng.random_range(0..bytes.len());
            bytes[at] = rng.random();
        }
        bytes.truncate(if rng.random_bool(0.8) { bytes.len() } else { rng.random_range(0..bytes.len()) });
        if let Ok(file) = wthor::WthorFile::from_bytes(bytes) {
            let rules = Arc::new(file.rules());
            for game in file.games() {
                let (replayed, full) = (game.replay(|_| ()), game.to_game(&rules));
                assert!(file.header().board_size == 10 || replayed.is_ok() == full.is_ok());
            }
        }
    }
}

#[test]
fn games_that_nboard_sent() {
    let Some(folder) = shared_data::path("docs/transcripts") else { return };
    let mut longest = 0;
    let mut games = 0;
    for name in ["nboard_full.log", "nboard_pass.log"] {
        let log = fs::read_to_string(folder.join(name)).unwrap();
        for line in log.lines().filter_map(|line| line.split_once("set game ")) {
            // the log writes the line break as two characters
            let text = line.1.trim_end_matches("\\n");
            let record = ggf::parse_game(text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(ggf::parse_game(&ggf::write(&record)), Ok(record.clone()));
            longest = longest.max(record.game.moves().len());
            games += 1;
        }
    }
    assert!(games >= 6 && longest >= 60, "{games} games, the longest has {longest} moves");
}

#[test]
fn shared_wthor_games_as_records() {
    let Some(folder) = shared_data::path("data/wthor") else { return };
    let rules = Arc::new(RuleSet::othello());
    let records: Vec<GameRecord> =
        read_games(&folder.join("WTH_1977.wtb"), &rules).unwrap().map(|record| record.unwrap()).collect();
    assert_eq!(records.len(), 12);
    assert_eq!(records[0].event.as_deref(), Some("World Championship"));
    assert_eq!([&records[0].players[0].name, &records[0].players[1].name], ["Inoue Hiroshi", "Heiberg Thomas"]);
    assert_eq!(records[0].result.unwrap().score, Some(4.0));
    let best = records[0].comment.as_deref();
    assert_eq!(best, Some("with best play from 24 empty squares: +18 for black"), "41 to 23");
    games_survive_other_formats(&records);
}

/// Programs put these into structures of their own, and into threads.
#[test]
fn what_reads_and_writes_games_can_be_shown_and_sent() {
    fn show(what: impl std::fmt::Debug + Send, begin: &str) {
        let shown = format!("{what:?}");
        assert!(shown.starts_with(begin), "{shown}");
    }
    let rules = Arc::new(RuleSet::othello());
    show(GameStream::from_text("f5d6", "a game", None, &rules), "GameStream { path: \"a game\"");
    show(GameSink::to_stream(Box::new(Vec::new()), FileKind::Sgf).unwrap(), "GameSink { kind: Sgf, count: 0");
    show(wthor::Writer::create(tempfile::tempdir().unwrap().path()).unwrap(), "Writer { path: ");
    show(items::read("f5d6", &rules).unwrap().next().unwrap(), "Ok(Game(");
    show(Seen::default(), "Seen {");
    show(Problems::new(Wanted::OneWinningMove, 10..=12, false), "Problems {");
    show(Balanced::new(rules, 20, 4, Limits::new(Goal::Exact), 1), "Balanced {");
}
