//! Every reader of the library, with inputs that it understands, and what must hold of what it has read.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use outflank::book::exchange::{self, Date};
use outflank::book::negamax::negamax;
use outflank::book::{Book, Leaf};
use outflank::eval::Weights;
use outflank::formats::openings::parse_openings;
use outflank::formats::stream::{FileKind, GameStream};
use outflank::formats::wthor::{Names, WthorFile};
use outflank::formats::{board_text, fen, files, ggs, obf, parse_move, pgn, transcript};
use outflank::game::Game;
use outflank::rules::{Move, Position, RuleSet};
use outflank::selfplay::{Archive, GameRecord, Header, Kind, Ply, Reader};
use outflank::solo::{Layouts, Record};
use outflank::tournament::Store;
use serde_json::json;

use super::books;
use super::games::{any_games, full_games, play, rule_sets};

/// Reads an input and counts what it has understood; panics when something that must hold does not.
type Read = Box<dyn Fn(&[u8]) -> usize>;

/// A reader.
pub struct Target {
    pub name: &'static str,
    /// Of how many inputs it gets one.
    pub share: u64,
    pub seeds: Vec<Vec<u8>>,
    pub read: Read,
}

/// All readers; those that read files do it in `folder`.
pub fn targets(folder: PathBuf) -> Vec<Target> {
    let texts = |list: Vec<String>| list.into_iter().map(String::into_bytes).collect::<Vec<_>>();
    let games = any_games(1);
    let some: Vec<Game> = some_rules().iter().map(|rules| play(rules, (0..40).map(|i| i * i))).collect();
    let boards: Vec<String> = some.iter().map(|game| board_text::write(game.position())).collect();
    let target = |name, share, seeds, read: Read| Target { name, share, seeds, read };
    let records: Vec<_> = games.iter().cloned().map(outflank::formats::GameRecord::new).collect();
    let all = |format| {
        records.iter().map(|record| files::games_to_text(std::slice::from_ref(record), format).unwrap()).collect()
    };
    let (ggfs, sgfs): (Vec<String>, Vec<String>) = (all(FileKind::Ggf), all(FileKind::Sgf));
    let lists: Vec<String> = all(FileKind::Text);
    let rules: Vec<String> = rule_sets().iter().map(|rules| rules.to_string()).collect();
    let problem = |game: &Game| {
        let (rules, board) = (game.position().rules(), board_text::write(game.position()));
        format!("% rules: {rules}\n{board}; +8;\n{board}\n{}\n", diagram(&board))
    };
    let problems = games.iter().map(problem).collect();
    // after an opening there is something left to play
    let begun = some_rules().map(|rules| play(&rules, (0..10).map(|i| i * i)));
    let openings = begun.iter().map(|game| format!("# a comment\n{}\n", transcript::write(game))).collect();
    let boards = boards.iter().flat_map(|board| [board.clone(), diagram(board)]).collect();
    let solo: Vec<Record> = (0..4).map(solo_record).collect();
    let solos = solo.iter().flat_map(|record| [record.to_string(), record.to_json()]).collect();
    let weights = fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/src/eval/weights/evaluation.bin")).unwrap();
    let book = book();
    let (own, journalled) = (folder.join("own.book"), folder.join("journalled.book"));
    let asked: Vec<_> = book.nodes().iter().map(|node| node.board.symmetry(3)).collect();
    let journal = books::journal(&book, &journalled);
    let (selfplay, matches) = (folder.join("fuzz.osp"), folder.join("match"));
    vec![
        target("obf", 10, texts(problems), Box::new(read_problems)),
        target("boards", 10, texts(boards), Box::new(read_board)),
        target(
            "moves",
            10,
            texts(["f5", "p16:NE", "pass", "--", "@@"].map(str::to_string).to_vec()),
            Box::new(read_move),
        ),
        target("transcripts", 10, texts(lists), Box::new(|bytes| read_games(bytes, FileKind::Text))),
        target("ggf", 10, texts(ggfs), Box::new(|bytes| read_games(bytes, FileKind::Ggf))),
        target("sgf", 10, texts(sgfs), Box::new(|bytes| read_games(bytes, FileKind::Sgf))),
        target("streams", 10, streams(&games), Box::new(read_stream)),
        target("wthor", 10, vec![wthor(60), wthor(0), wthor(33)], Box::new(read_wthor)),
        target("openings", 10, texts(openings), Box::new(read_openings)),
        target("rules", 10, texts(rules), Box::new(read_rules)),
        target(
            "positions",
            10,
            texts(games.iter().map(|game| game.position().to_string()).collect()),
            Box::new(read_position),
        ),
        target("solo", 20, texts(solos), Box::new(read_solo)),
        target("selfplay", 40, vec![selfplay_file()], Box::new(move |bytes| read_selfplay(bytes, &selfplay))),
        target("matches", 40, vec![match_file()], Box::new(move |bytes| read_match(bytes, &matches))),
        target(
            "books",
            20,
            vec![outflank::book::file::to_bytes(&book)],
            Box::new(move |bytes| books::read_book(bytes, &own, &asked)),
        ),
        target("journals", 200, vec![journal], Box::new(move |bytes| books::read_journal(bytes, &journalled))),
        book_target("edax books", exchange::Format::Edax, vec![bytes_of(&book, exchange::Format::Edax)]),
        book_target("edax text", exchange::Format::EdaxText, vec![bytes_of(&book, exchange::Format::EdaxText)]),
        book_target("egbk3", exchange::Format::Egbk3, vec![bytes_of(&book, exchange::Format::Egbk3)]),
        book_target("egbk2", exchange::Format::Egbk2, vec![egbk2(&book, 1), egbk2(&book, 4)]),
        book_target("zebra", exchange::Format::Zebra, zebra()),
        book_target("book lines", exchange::Format::Lines, vec![bytes_of(&book, exchange::Format::Lines)]),
        // much of a file has to be inflated before a fault in it shows: the beginning is tried more often than the rest
        target(
            "weights",
            1000,
            vec![weights[..4096].to_vec(), weights[..64].to_vec()],
            Box::new(|bytes| usize::from(Weights::from_bytes(bytes).is_ok())),
        ),
    ]
}

fn othello() -> Arc<RuleSet> {
    Arc::new(RuleSet::othello())
}

/// Rules of a small, a usual and a large board.
fn some_rules() -> [Arc<RuleSet>; 3] {
    ["othello:6x6,one,own,placement", "othello", "othello:16x16"].map(|name| Arc::new(name.parse().unwrap()))
}

fn diagram(board: &str) -> String {
    let squares = board.split(' ').next().unwrap();
    let width = (4..=16).find(|n| n * n == squares.len()).unwrap_or(squares.len());
    let rows = squares.as_bytes().chunks(width).enumerate();
    rows.map(|(i, row)| format!("{} {}\n", i + 1, String::from_utf8_lossy(row))).collect()
}

/// Games and positions in the formats that only streams read.
fn streams(games: &[Game]) -> Vec<Vec<u8>> {
    let plain = games.iter().filter(|game| *game.start().rules() == othello());
    let names = |text: String| format!("Black: Ann (1650)\nann vs bob\nDate: 2024\nResult: 40-24\n{text}\n");
    let texts = plain.flat_map(|game| {
        let record = outflank::formats::GameRecord::new(game.clone());
        let position = game.position();
        [pgn::write(&record).repeat(2), fen::write(position), ggs::write(position), names(transcript::write(game))]
    });
    texts.map(String::into_bytes).collect()
}

fn read_stream(bytes: &[u8]) -> usize {
    let games = GameStream::from_reader(Box::new(std::io::Cursor::new(bytes.to_vec())), "fuzz", &othello());
    let mut understood = 0;
    for record in games.flatten() {
        understood += 1;
        reads_back(&record);
    }
    understood
}

/// What is written of a game, in any format, is that game again, also for a reader that has to find out the format.
fn reads_back(record: &outflank::formats::GameRecord) {
    for format in [FileKind::Ggf, FileKind::Sgf, FileKind::Pgn, FileKind::Text] {
        // a game without moves from the start of the rules is no line of a text file
        if format == FileKind::Text && transcript::write(&record.game).is_empty() {
            continue;
        }
        let text = files::games_to_text(std::slice::from_ref(record), format).unwrap();
        for told in [Some(format), None] {
            let again = GameStream::from_text(text.as_str(), "again", told, &othello());
            let again: Vec<_> = again.map(|game| game.unwrap_or_else(|error| panic!("{error}\n{text}")).game).collect();
            assert_eq!(again, std::slice::from_ref(&record.game), "{format:?}, {told:?}: {text}");
        }
    }
}

fn read_problems(bytes: &[u8]) -> usize {
    let mut understood = 0;
    for (_, problem) in obf::Reader::new(bytes, othello()) {
        let Ok(problem) = problem else { continue };
        let line = obf::write(&problem);
        let again =
            obf::parse_line(&line, 1, problem.position.rules()).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert_eq!(again, Some(problem), "{line}");
        understood += 1;
    }
    understood
}

fn read_board(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut understood = 0;
    for rules in some_rules() {
        if let Ok(position) = board_text::parse(&text, &rules) {
            let written = board_text::write(&position);
            assert_eq!(board_text::parse(&written, &rules), Ok(position), "{written}");
            understood += 1;
        }
        if let Ok((_, count)) = board_text::parse_words(&words, &rules) {
            assert!((1..=words.len()).contains(&count));
        }
    }
    understood
}

fn read_move(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let mv = text.parse::<Move>();
    if let Ok(mv) = mv {
        assert_eq!(mv.to_string().parse(), Ok(mv), "{text}");
    }
    for rules in some_rules() {
        let position = Position::start(rules);
        if let Ok(mv) = parse_move(&position, &text) {
            assert_eq!(parse_move(&position, &mv.to_string()), Ok(mv), "{text}");
        }
    }
    usize::from(mv.is_ok())
}

fn read_games(bytes: &[u8], format: FileKind) -> usize {
    let _ = FileKind::of_content(bytes);
    let mut understood = 0;
    for record in GameStream::from_text(bytes, "fuzz", Some(format), &othello()).flatten() {
        reads_back(&record);
        understood += 1;
    }
    understood
}

fn wthor(moves: usize) -> Vec<u8> {
    let mut bytes = vec![20, 7, 5, 22, 1, 0, 0, 0, 0, 0, 0xB9, 7, 8, 0, 24, 0];
    bytes.extend([1, 0, 2, 0, 3, 0, 40, 40]);
    let game = &full_games(1)[0];
    let squares = game.moves().iter().filter_map(|mv| mv.square());
    bytes.extend(squares.take(moves).map(|square| (square.row() + 1) * 10 + square.column() + 1));
    bytes.resize(16 + 68, 0);
    bytes
}

fn read_wthor(bytes: &[u8]) -> usize {
    let names = [Names::players(bytes), Names::tournaments(bytes)];
    let Ok(file) = WthorFile::from_bytes(bytes.to_vec()) else { return names.iter().flatten().count() };
    let rules = Arc::new(file.rules());
    for game in file.games() {
        let (board, full) = (game.replay(|_| ()), game.to_game(&rules));
        if let (Ok(end), Ok(full)) = (board, &full) {
            assert_eq!(full.position().fast_board().map(|(board, _)| board), Some(end.board));
        }
        let _ = (game.score(), game.theoretical_score());
    }
    file.len()
}

fn read_openings(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let mut understood = 0;
    for rules in some_rules() {
        for opening in parse_openings(&rules, &text).into_iter().flatten() {
            let mut game = Game::new(rules.clone());
            opening.into_iter().for_each(|mv| game.play(mv).unwrap());
            understood += 1;
        }
    }
    understood
}

fn read_rules(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let rules = text.parse::<RuleSet>();
    if let Ok(rules) = &rules {
        assert_eq!(rules.to_string().parse().as_ref(), Ok(rules), "{text}");
    }
    usize::from(rules.is_ok())
}

fn read_position(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let position = text.parse::<Position>();
    if let Ok(position) = &position {
        assert_eq!(position.to_string().parse().as_ref(), Ok(position), "{text}");
    }
    usize::from(position.is_ok())
}

fn solo_record(seed: u64) -> Record {
    let mut game = outflank::solo::Game::new(Layouts::Random.deal(seed));
    for _ in 0..6 * seed {
        let Some(mv) = game.view().position().legal_moves().next() else { break };
        game.play(mv).unwrap();
    }
    Record { game, seed: Some(seed), scoring: Default::default() }
}

fn read_solo(bytes: &[u8]) -> usize {
    let Ok(record) = Record::parse(&String::from_utf8_lossy(bytes)) else { return 0 };
    assert_eq!(Record::parse(&record.to_string()).as_ref(), Ok(&record));
    assert_eq!(Record::parse(&record.to_json()), Ok(record));
    1
}

/// A file of three random games; the number of the last one is as large as numbers get.
fn selfplay_file() -> Vec<u8> {
    let mut bytes = Header { seed: 5, settings: "depth=6\n".to_string() }.to_bytes();
    for (game, index) in full_games(3).iter().zip([0, 1, 0xFFFF_FFF0]) {
        let kind = Kind::Search { depth: 6, selective: true };
        let ply = |square| Ply { square, kind, value: 128 };
        let plies = game.moves().iter().filter_map(|mv| mv.square()).map(ply).collect();
        let result = game.position().final_score(false) as i8;
        bytes.extend(GameRecord { index, opening_plies: 0, result, plies }.to_bytes());
    }
    bytes
}

fn read_selfplay(bytes: &[u8], path: &Path) -> usize {
    fs::write(path, bytes).unwrap();
    let Ok(mut reader) = Reader::open(path) else { return 0 };
    let header = reader.header().clone();
    let mut written = header.to_bytes();
    let is_sound = reader.by_ref().all(|game| game.map(|game| written.extend(game.to_bytes())).is_ok());
    assert_eq!(reader.offset(), written.len() as u64);
    assert_eq!(bytes[..written.len()], written);
    match Archive::open(path, &header) {
        Ok(_) => assert_eq!(fs::read(path).unwrap(), written, "what is sound stays, the rest goes"),
        Err(_) => assert!(!is_sound && fs::read(path).unwrap() == bytes, "a damaged file is left alone"),
    }
    written.len() - header.to_bytes().len()
}

const MATCH: &str = r#"{"outflank_match":"1","players":["random","greedy"],"games":2}"#;

/// The lines of a match with one game.
fn match_file() -> Vec<u8> {
    let moves = [("black", "f5"), ("white", "d6"), ("black", "c3")]
        .map(|(side, mv)| json!({"side": side, "move": mv, "score": 1.5, "seconds": 0.25, "depth": 3}));
    let game = json!({
        "pair": 0, "leg": 0, "black": "random", "white": "greedy", "ended_at": 1, "opening_plies": 1, "moves": moves,
        "winner": "black", "score": null, "ending": {"by": "forfeit", "loser": "white", "kind": "time", "detail": "slow"},
    });
    serde_json::from_value::<outflank::tournament::GameRecord>(game.clone()).expect("a game of a match");
    format!("{MATCH}\n{game}\n").into_bytes()
}

fn read_match(bytes: &[u8], prefix: &Path) -> usize {
    let path = prefix.with_extension("jsonl");
    fs::write(&path, bytes).unwrap();
    let _ = fs::remove_file(prefix.with_extension("ggf"));
    let description = serde_json::from_str(MATCH).unwrap();
    Store::open(prefix, &description, &othello(), true).map_or(0, |(_, games)| games.statistics().games() as usize)
}

/// A book of some games with links, leaves and unknown leaves.
fn book() -> Book {
    let line = |game: &Game| {
        let length = game.moves().len() / 3;
        let moves: String = game.moves()[..length].iter().map(|mv| mv.to_string()).collect();
        format!("{moves} {:+}\n", length % 7)
    };
    let text: String = full_games(4).iter().map(line).collect();
    let mut book = exchange::import(text.as_bytes(), exchange::Format::Lines).expect("lines").book;
    for mut node in book.sorted().into_iter().step_by(2) {
        let open = outflank::book::graph::unknown_moves(&book, node.board);
        if let Some(square) = outflank::board::Squares(open).last() {
            node.set_leaf(Leaf::Move { square, score: (node.empties() % 9) as i8 }, 12);
            node.level = 12;
            book.put(node);
        }
    }
    negamax(&mut book, |_| {});
    book
}

fn bytes_of(book: &Book, format: exchange::Format) -> Vec<u8> {
    let date = Date { year: 2025, month: 3, day: 1, hour: 12, minute: 0, second: 0 };
    exchange::export(book, format, date).expect("a format that is written").bytes
}

/// An older book of Egaroucid, with all legal moves of the first positions.
fn egbk2(book: &Book, width: usize) -> Vec<u8> {
    let nodes = &book.sorted()[..30];
    let mut bytes = b"DICUORAGE\x02".to_vec();
    bytes.extend((nodes.len() as i32).to_le_bytes());
    for node in nodes {
        bytes.extend([node.board.player.to_le_bytes(), node.board.opponent.to_le_bytes()].concat());
        let moves: Vec<u8> =
            outflank::board::Squares(node.board.legal_moves()).map(|square| square.index() as u8).collect();
        bytes.extend([node.value as u8, node.level, moves.len() as u8]);
        bytes.extend(vec![0; width - 1]);
        bytes.extend(moves.iter().flat_map(|square| [3, *square]));
    }
    bytes
}

/// Books of Zebra: a whole game, and start with f5, as they are and gzipped.
fn zebra() -> Vec<Vec<u8>> {
    let game = full_games(1).remove(0);
    let squares = game.moves().iter().filter_map(|mv| mv.square());
    let moves: Vec<i16> = squares.map(|square| i16::from(10 * (square.row() + 1) + square.column() + 1)).collect();
    let file = |moves: &[i16]| {
        let positions = moves.len() + 1;
        let mut bytes = [(positions as i32).to_le_bytes(), (moves.len() as i32).to_le_bytes()].concat();
        let mut put = |number: i16| bytes.extend(number.to_le_bytes());
        (0..positions).for_each(|at| put(i16::from(at < moves.len())));
        moves.iter().for_each(|mv| put(*mv));
        (0..2 * positions).for_each(|at| put(at as i16 * 30));
        (0..positions).for_each(|at| put([33, 44, -1][at % 3]));
        (0..positions).for_each(|at| put([100, 9999, 30_004][at % 3]));
        (0..positions).for_each(|at| put(i16::from((at % 30) as u8) << 10));
        bytes
    };
    let files = [file(&moves), file(&moves[..1])];
    let gzipped = files.iter().map(|bytes| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a Vec takes everything")
    });
    files.iter().cloned().chain(gzipped).collect()
}

fn book_target(name: &'static str, format: exchange::Format, seeds: Vec<Vec<u8>>) -> Target {
    Target { name, share: 10, seeds, read: Box::new(move |bytes| read_book(bytes, format)) }
}

/// A book that is read makes sense, and keeps its positions and values when it is written and read again.
fn read_book(bytes: &[u8], format: exchange::Format) -> usize {
    let _ = exchange::Format::of_content(bytes);
    let mut book = match exchange::import(bytes, format) {
        Ok(imported) => imported.book,
        Err(error) => {
            assert!(!error.to_string().contains('\n'), "{error}");
            return 0;
        }
    };
    for node in book.nodes() {
        assert_eq!(node.fault(), None, "{node:?}");
        assert!(!outflank::book::graph::leaf_is_stale(&book, node), "{node:?}");
    }
    negamax(&mut book, |change| panic!("values were not consistent: {change:?}"));
    // lines of a book without the start are refused
    if format.is_writable() && !book.is_empty() {
        let again = exchange::import(&bytes_of(&book, format), format).unwrap_or_else(|error| panic!("{error}")).book;
        let values = |book: &Book| book.sorted().iter().map(|node| (node.board, node.value)).collect::<Vec<_>>();
        assert_eq!(values(&again), values(&book));
    }
    book.len()
}
