//! NBoard sessions: the protocol's rules, recordings of the GUI, quick stops, and garbage.
#![cfg(feature = "cli")]

mod sessions;

use std::collections::BTreeSet;
use std::io::{self, Cursor};
use std::sync::Arc;
use std::time::{Duration, Instant};

use outflank::book::{Choosing, embedded};
use outflank::play::{OpeningBook, Strength};
use outflank::protocol::{Config, nboard};
use outflank::search::Level;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sessions::{Broken, Process, Shared};

fn config(level: u8) -> Config {
    Config { strength: Strength::level(Level::new(level).unwrap()), ..Config::default() }
}

/// A session that tests talk to.
struct Talk {
    session: nboard::Session<Shared>,
    output: Shared,
    read: usize,
}

impl Talk {
    fn with(config: Config) -> Talk {
        let output = Shared::default();
        Talk { session: nboard::Session::new(output.clone(), config), output, read: 0 }
    }

    fn new(level: u8) -> Talk {
        let mut talk = Talk::with(config(level));
        assert_eq!(talk.answer("nboard 2"), [format!("set myname Outflank{level}")]);
        talk
    }

    fn send(&mut self, line: &str) {
        assert!(self.session.line(line).unwrap());
    }

    /// What has been written since the last call.
    fn lines(&mut self) -> Vec<String> {
        let lines = self.output.lines();
        let new = lines[self.read..].to_vec();
        self.read = lines.len();
        new
    }

    /// Sends a line, waits for the search it starts to end, and returns what was written.
    fn answer(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.session.finish().unwrap();
        self.lines()
    }

    fn moves(&self) -> usize {
        self.session.game().moves().len()
    }
}

/// Checks the form of a line from the engine and returns its keyword.
fn check(line: &str) -> &str {
    let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
    let words: Vec<&str> = rest.split(' ').collect();
    match keyword {
        "status" | "learned" => {}
        "pong" => assert!(words.len() == 1, "{line}"),
        "set" => assert!(words.len() == 2 && words[0] == "myname", "{line}"),
        "nodestats" => {
            assert_eq!(words.len(), 2, "{line}");
            words[0].parse::<u64>().unwrap();
            assert!(words[1].parse::<f64>().unwrap() >= 0.0);
        }
        "===" => {
            let fields: Vec<&str> = rest.split('/').collect();
            assert!(fields[0] == "PA" || is_square(fields[0]), "{line}");
            for field in &fields[1..] {
                field.parse::<f64>().unwrap();
            }
        }
        "search" | "book" => {
            let [pv, eval, games, depth] = words[..] else { panic!("{line}") };
            assert!(pv.starts_with("PA") || is_square(&pv[..2]), "{line}");
            assert!(eval.parse::<f64>().unwrap().abs() <= 64.0 && games == "0", "{line}");
            depth.trim_end_matches('W').trim_end_matches('%').parse::<u32>().unwrap();
        }
        "analysis" => {
            words[0].parse::<usize>().unwrap();
            words[1].parse::<f64>().unwrap();
        }
        other => panic!("{other}: {line}"),
    }
    keyword
}

fn is_square(text: &str) -> bool {
    matches!(text.as_bytes(), [b'A'..=b'H', b'1'..=b'8'])
}

/// The moves and depth texts of the `search` lines.
fn hints(lines: &[String]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for line in lines {
        if check(line) == "search" {
            let words: Vec<&str> = line.split(' ').collect();
            found.push((words[1][..2].to_string(), words[4].to_string()));
        }
    }
    found
}

const GAME: &str = "(;GM[Othello]PC[NBoard]DT[2026-01-01 00:00:00 GMT]PB[]PW[]RE[?]TI[5:00]TY[8]\
    BO[8 ---------------------------O*------*O--------------------------- *]B[F5/1.00/0.05]W[D6];)";

#[test]
fn the_name_carries_the_level() {
    let mut talk = Talk::new(7);
    assert_eq!(talk.answer("set depth 12"), ["set myname Outflank12"]);
    assert_eq!(talk.answer("set depth 99"), ["set myname Outflank60"]);
    assert!(talk.answer("set depth x").is_empty());
}

#[test]
fn the_gui_alone_changes_the_position() {
    let mut talk = Talk::new(2);
    talk.send(&format!("set game {GAME}"));
    assert_eq!(talk.moves(), 2);
    for _ in 0..2 {
        let lines = talk.answer("go");
        assert_eq!(lines.iter().filter(|line| check(line) == "===").count(), 1, "{lines:?}");
        assert_eq!(talk.moves(), 2);
    }
    for (line, moves) in [("move C3/1.50/0.05", 3), ("move D3//2.01", 4), ("move c4", 5), ("move a1", 5), ("F4", 6)] {
        assert!(talk.answer(line).is_empty());
        assert_eq!(talk.moves(), moves, "{line}");
    }
    assert!(talk.answer("set game (;GM[Othello]BO[8 nonsense *];)").is_empty());
    assert_eq!(talk.moves(), 6, "a game that cannot be read changes nothing");
}

#[test]
fn boards_with_and_without_blanks() {
    for board in [
        "---------------------------O*------*O---------------------------",
        "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------",
    ] {
        let mut talk = Talk::new(2);
        talk.send("move f5");
        talk.send(&format!("set game (;GM[Othello]TY[8]BO[8 {board} *];)"));
        assert_eq!(talk.moves(), 0);
        assert_eq!(talk.session.game().position().legal_moves().len(), 4);
    }
}

#[test]
fn every_iteration_shows_all_its_moves_with_one_depth() {
    let mut talk = Talk::new(8);
    talk.send(&format!("set game {GAME}"));
    for (count, moves) in [(1, 1), (2, 2), (4, 4), (64, 5)] {
        let lines = talk.answer(&format!("hint {count}"));
        assert_eq!(lines[0], "status Analyzing (Perpendicular)");
        assert_eq!(lines.last().unwrap(), "status");
        let hints = hints(&lines);
        assert!(hints.len() > moves, "progressive: {lines:?}");
        for iteration in hints.chunks(moves) {
            assert!(iteration.iter().all(|hint| hint.1 == iteration[0].1), "{lines:?}");
            let different: BTreeSet<&str> = iteration.iter().map(|hint| hint.0.as_str()).collect();
            assert_eq!(different.len(), moves, "{lines:?}");
        }
        assert_eq!(hints.last().unwrap().1, "8");
    }
}

#[test]
fn solved_positions_say_so() {
    let mut talk = Talk::new(10);
    let board = "*******O*O******OOOOOOOO*OOO****OO*O***OOOO**OOO**O-----********";
    talk.send(&format!("set game (;GM[Othello]TY[8]BO[8 {board} O];)"));
    let lines = talk.answer("hint 1");
    assert_eq!(hints(&lines).last().map(|hint| hint.1.clone()), Some("100%".to_string()), "{lines:?}");
}

/// Figure B of the Hungarian sheet: after g1 black must pass.
const BEFORE_PASS: &str =
    "set game (;GM[Othello]TY[8]BO[8 -------O------*O----**OO---**OOO---*OOOO---*****---------------- O];)";

#[test]
fn passes() {
    let mut talk = Talk::new(4);
    talk.send(BEFORE_PASS);
    talk.send("move G1");
    let lines = talk.answer("go");
    assert_eq!(lines.last().map(String::as_str), Some("=== PA"));
    let hint = talk.answer("hint 4");
    let searched: Vec<&String> = hint.iter().filter(|line| check(line) == "search").collect();
    assert!(searched.iter().all(|line| line.starts_with("search PA-")), "{hint:?}");
    for pass in ["move PA", "move PA/1.50/0.05", "move pass", "move pa//0.1"] {
        talk.send(BEFORE_PASS);
        talk.send("move G1");
        talk.send(pass);
        assert_eq!(talk.moves(), 2, "{pass}");
    }
    // a pass that is not legal is nonsense
    talk.send("set game (;GM[Othello]TY[8];)");
    talk.send("move PA");
    assert_eq!(talk.moves(), 0);
}

#[test]
fn finished_games_are_no_trouble() {
    let mut talk = Talk::new(4);
    talk.send("set game (;GM[Othello]TY[8]BO[8 --------------------***----------------------------------------- *];)");
    assert_eq!(talk.answer("go").last().map(String::as_str), Some("=== PA"));
    assert!(hints(&talk.answer("hint 4")).is_empty());
    let analysis = talk.answer("analyze");
    assert!(analysis.contains(&"analysis 0 64.00".to_string()), "{analysis:?}");
}

#[test]
fn every_position_of_a_game_is_analyzed() {
    let mut talk = Talk::new(4);
    talk.send(&format!("set game {GAME}"));
    let lines = talk.answer("analyze");
    let mut numbers: Vec<&str> =
        lines.iter().filter(|line| check(line) == "analysis").map(|line| line.split(' ').nth(1).unwrap()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, ["0", "1", "2"]);
    assert_eq!(talk.moves(), 2);
}

/// A search that ends at its own limit has a value as well.
#[test]
fn limits_of_nodes_and_time_do_not_end_an_analysis() {
    for strength in [
        Strength { nodes: Some(2000), ..Strength::default() },
        Strength { time: Some(Duration::from_millis(20)), ..Strength::default() },
    ] {
        let mut talk = Talk::with(Config { strength, ..Config::default() });
        talk.send(&format!("set game {GAME}"));
        let lines = talk.answer("analyze");
        assert_eq!(lines.iter().filter(|line| check(line) == "analysis").count(), 3, "{lines:?}");
    }
}

#[test]
fn small_requests() {
    let mut talk = Talk::new(3);
    assert_eq!(talk.answer("ping 1"), ["pong 1"]);
    assert_eq!(talk.answer("learn"), ["status not learned: there is no book for it (--learn --book FILE)", "learned"]);
    assert_eq!(talk.answer("  ping 2\t"), ["pong 2"]);
    for line in ["set contempt 20", "set contempt 500", "set contempt x", "future 3 x", "set future", "", "   "] {
        assert!(talk.answer(line).is_empty(), "{line}");
    }
    assert_eq!(talk.session.contempt(), 100);
}

/// Any line stops a search; its `pong` is the last that is heard of older requests.
#[test]
fn a_ping_stops_a_long_search_at_once() {
    for request in ["hint 1", "hint 4", "hint 64", "go", "analyze"] {
        let mut talk = Talk::new(60);
        talk.send(&format!("set game {GAME}"));
        let mut ping = 0;
        let mut times = Vec::new();
        while times.last().is_none_or(|time| *time >= Duration::from_millis(50)) {
            // a busy machine may delay a try or two, but not all
            assert!(times.len() < 5, "{request}: {times:?}");
            talk.lines();
            ping += 1;
            talk.send(request);
            std::thread::sleep(Duration::from_millis(150));
            let start = Instant::now();
            talk.send(&format!("ping {ping}"));
            times.push(start.elapsed());
        }
        let lines = talk.lines();
        lines.iter().for_each(|line| {
            check(line);
        });
        assert_eq!(*lines.last().unwrap(), format!("pong {ping}"), "{request}");
        // an interrupted go still proposes a move: both of two requests sent at once are answered
        assert_eq!(lines.iter().filter(|line| line.starts_with("===")).count(), usize::from(request == "go"));
        std::thread::sleep(Duration::from_millis(100));
        assert!(talk.lines().is_empty(), "{request}: nothing follows the pong");
    }
}

#[test]
fn bursts_of_changes_are_quick() {
    let mut talk = Talk::new(60);
    let start = Instant::now();
    for ping in 0..50 {
        talk.send(&format!("set game {GAME}"));
        talk.send("move C3");
        talk.send(&format!("ping {ping}"));
        talk.send("hint 4");
    }
    talk.send("ping 50");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(talk.lines().iter().filter(|line| line.starts_with("pong")).count(), 51);
}

#[test]
fn unknown_words_stop_a_search_and_empty_lines_do_not() {
    let mut talk = Talk::new(60);
    talk.send("hint 1");
    talk.send("");
    std::thread::sleep(Duration::from_millis(50));
    assert_ne!(talk.lines().last().map(String::as_str), Some("status"), "the search goes on");
    talk.send("future");
    assert_eq!(talk.lines().last().map(String::as_str), Some("status"));
}

/// Sends a recording's lines of the GUI; answers are checked for form, and `go` and `hint` are let finish as the
/// recorded engine did, except where the GUI did not wait.
fn replay(name: &str) {
    let Some(exchanges) = sessions::recording(name) else { return };
    let output = Shared::default();
    let mut session = nboard::Session::new(output.clone(), config(1));
    let mut read = 0;
    for exchange in exchanges {
        session.line(&exchange.sent).unwrap();
        let keyword = exchange.sent.split(' ').next().unwrap();
        if exchange.sent.starts_with("set depth") {
            // a quick level will do: what is tested is the form
            session.line("set depth 1").unwrap();
        }
        if !exchange.received.is_empty() {
            session.finish().unwrap();
        }
        let lines = output.lines();
        let new = &lines[read..];
        read = lines.len();
        let keywords: Vec<&str> = new.iter().map(|line| check(line)).collect();
        match keyword {
            "ping" => assert_eq!(new, exchange.received.as_slice()),
            "go" if !exchange.received.is_empty() => {
                assert_eq!(keywords.iter().filter(|keyword| **keyword == "===").count(), 1);
                let recorded = exchange.received.iter().find(|line| line.starts_with("===")).unwrap();
                assert_eq!(new.last().unwrap().starts_with("=== PA"), recorded.starts_with("=== PA"), "{new:?}");
            }
            "hint" => {
                let count = |lines: &[String]| {
                    let moves: BTreeSet<String> = hints(lines).into_iter().map(|hint| hint.0).collect();
                    moves.len()
                };
                assert_eq!(count(new), count(&exchange.received), "{new:?}");
            }
            "analyze" => assert!(keywords.iter().filter(|keyword| **keyword == "analysis").count() > 60),
            "learn" => assert_eq!(keywords, ["status", "learned"]),
            "move" => assert!(new.is_empty()),
            _ => {}
        }
    }
}

#[test]
fn recorded_by_ourselves() {
    replay("nboard.log");
}

#[test]
fn recorded_gui() {
    replay("nboard_full.log");
    replay("nboard_pass.log");
}

#[test]
fn garbage_is_ignored() {
    let mut rng = StdRng::seed_from_u64(2);
    let mut talk = Talk::new(1);
    let words = [
        "set",
        "game",
        GAME,
        "(;GM[Othello]",
        ";)",
        "depth",
        "-1",
        "99999999999999999999",
        "move",
        "F5",
        "f5/",
        "//",
        "PA",
        "hint",
        "go",
        "contempt",
        "é",
        "🙂",
        "analyze",
        "ping",
        "nboard",
        "BO[8",
        "\u{0}",
    ];
    for _ in 0..3000 {
        let count = rng.random_range(0..5);
        let line: Vec<&str> = (0..count).map(|_| words[rng.random_range(0..words.len())]).collect();
        talk.send(&line.join(" "));
        talk.send("set depth 1");
    }
    assert_eq!(talk.answer("ping end").last().map(String::as_str), Some("pong end"));
}

#[test]
fn a_gui_that_has_gone_ends_the_search() {
    let start = Instant::now();
    let mut input = Cursor::new("hint 64\n");
    let error = nboard::run(&mut input, Broken, config(60)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert!(start.elapsed() < Duration::from_secs(1));
}

#[test]
fn the_end_of_the_input_waits_for_the_search() {
    let output = Shared::default();
    nboard::run(&mut Cursor::new("nboard 2\nset depth 6\ngo\n"), output.clone(), config(60)).unwrap();
    assert!(output.lines().last().unwrap().starts_with("=== "));
}

/// Without a command the binary recognises the protocol, and keeps stderr silent.
#[test]
fn the_binary_recognises_nboard() {
    let mut process = Process::start(&[]);
    process.send("nboard 2\r\n");
    assert_eq!(process.line(), "set myname Outflank21");
    process.send("set depth 3\r\nmove a1\r\nnonsense\r\nping 1\r\ngo\r\n");
    assert_eq!((process.line().as_str(), process.line().as_str()), ("set myname Outflank3", "pong 1"));
    while !process.line().starts_with("===") {}
    process.send("quit\r\n");
    assert_eq!(process.finish(), (Vec::new(), String::new(), Some(0)));
}

#[test]
fn the_binary_recognises_the_others() {
    for (first, answer) in
        [("3 name", "=3 Outflank"), ("ENGINE-PROTOCOL init", "ready."), ("# x\n\nname", "= Outflank")]
    {
        let mut process = Process::start(&[]);
        process.send(&format!("{first}\n"));
        assert_eq!(process.line(), answer);
        assert_eq!(process.finish().2, Some(0));
    }
}

/// The GUI keeps the lines with the two latest depth texts: the book's moves must not be among the others.
#[test]
fn moves_of_the_book_stay_in_view() {
    let book = OpeningBook { nodes: embedded(), choosing: Choosing::default(), seed: 1 };
    let mut talk = Talk::with(Config { book: Some(book), ..config(8) });
    for mv in ["F5", "D6", "C5"] {
        talk.send(&format!("move {mv}"));
    }
    let lines = talk.answer("hint 64");
    let of = |keyword: &str| lines.iter().filter(|line| check(line) == keyword).count();
    assert!(of("book") > 0 && of("search") > 0, "some moves are known and some are searched: {lines:?}");
    let mut depths: Vec<&str> = Vec::new();
    let mut view: Vec<(&str, &str)> = Vec::new();
    for line in lines.iter().filter(|line| ["book", "search"].contains(&check(line))) {
        let words: Vec<&str> = line.split(' ').collect();
        let (mv, depth) = (&words[1][..2], words[4]);
        if depths.last() != Some(&depth) {
            depths.push(depth);
        }
        let latest = &depths[depths.len().saturating_sub(2)..];
        view.retain(|seen| seen.0 != mv && latest.contains(&seen.1));
        view.push((mv, depth));
    }
    let legal = talk.session.game().position().legal_moves();
    assert_eq!(view.len(), legal.len(), "{view:?} of {lines:?}");
    // and all of them are of the last iteration
    assert!(view.iter().all(|seen| seen.1 == *depths.last().unwrap()), "{view:?}");
}

#[test]
fn a_grade_stays_and_its_name_is_one_word() {
    let mut talk = Talk::with(Config { strength: "club".parse().unwrap(), ..Config::default() });
    assert_eq!(talk.answer("nboard 2"), ["set myname Outflank-club"]);
    assert_eq!(talk.answer("set depth 12"), ["set myname Outflank-club"]);
    let strength = talk.session.player().strength();
    assert_eq!(strength.grade.map(|grade| grade.name()), Some("club"));
    assert_eq!(strength.goal, Strength::level(Level::new(12).unwrap()).goal, "the depth is that of hints");
    let limits = Strength { time: Some(Duration::from_secs(1)), nodes: Some(9000), ..Strength::default() };
    let mut talk = Talk::with(Config { strength: limits.clone(), ..Config::default() });
    talk.answer("set depth 12");
    let strength = talk.session.player().strength();
    assert_eq!((strength.time, strength.nodes), (limits.time, limits.nodes));
}

/// The GUI knows no rules but othello's, and sends a game before anything else.
#[test]
fn games_that_name_no_rules_are_by_those_of_the_session() {
    let mut talk = Talk::with(Config { rules: Arc::new("othello:fewest".parse().unwrap()), ..config(20) });
    let board = format!("{}OO--- *", "X".repeat(59));
    let value = |talk: &mut Talk, size: &str, named: &str| {
        talk.send(&format!("set game (;GM[Othello]PC[NBoard]TY[{size}]{named}BO[{size} {board}];)"));
        let lines = talk.answer("hint 1");
        lines.iter().find_map(|line| line.strip_prefix("search ").map(str::to_string)).unwrap_or_default()
    };
    assert_eq!(value(&mut talk, "8", ""), "F8 -64.00 0 100%");
    assert_eq!(value(&mut talk, "8", "RU[othello]"), "F8 64.00 0 100%");
    assert_eq!(value(&mut talk, "8", ""), "F8 -64.00 0 100%", "as before the game with rules of its own");
    // sizes are the game's
    talk.send("set game (;GM[Othello]TY[6];)");
    assert_eq!(talk.session.game().position().rules().to_string(), "othello:6x6,fewest");
}

#[test]
fn the_binary_takes_rules_and_limits() {
    let mut process = Process::start(&["nboard", "--rules", "othello:6x6", "--depth", "3", "--time", "5"]);
    process.send("nboard 2\ngo\n");
    assert_eq!(process.line(), "set myname Outflank21");
    let mv = loop {
        let line = process.line();
        if let Some(rest) = line.strip_prefix("=== ") {
            break rest[..2].to_string();
        }
    };
    assert!(["C2", "B3", "E4", "D5"].contains(&mv.as_str()), "{mv}");
    process.send("quit\n");
    assert_eq!(process.finish(), (Vec::new(), String::new(), Some(0)));
}
