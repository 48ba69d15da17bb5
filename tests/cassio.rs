//! Sessions in Cassio's ENGINE-PROTOCOL.
#![cfg(feature = "cli")]

mod sessions;
mod waiting;

use std::io::{self, Cursor};
use std::sync::Arc;
use std::time::Duration;

use outflank::protocol::{Config, cassio};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use sessions::{Broken, Process, Shared};
use waiting::wait_for;

const START: &str = "---------------------------OX------XO---------------------------X";
/// 11 empty squares, black to move.
const ENDGAME: &str = "XXXXXX---OXXXXX-OOXXOXXXOOOXXOXXOOOOXXXXOOOXXXXO-OXXXX-O--XXX---X";

fn run(input: &str) -> Vec<String> {
    let output = Shared::default();
    cassio::run(Cursor::new(input.as_bytes().to_vec()), output.clone(), Config::default()).unwrap();
    output.lines()
}

/// The fields of a result line, checked for form.
struct Found {
    mv: String,
    depth: u32,
    percent: u32,
    low: String,
    high: String,
    pv: String,
}

fn parse(line: &str, position: &str) -> Found {
    let words: Vec<&str> = line.split(' ').collect();
    assert_eq!(words.len(), 16, "{line}");
    assert_eq!(words[0].trim_end_matches(','), position);
    assert_eq!((words[1], words[3], words[7], words[8], words[9]), ("move", "depth", "<=", "v", "<="), "{line}");
    assert_eq!((words[12], words[14]), ("node", "time"), "{line}");
    let field = |i: usize| words[i].trim_end_matches(',').to_string();
    words[13].trim_end_matches(',').parse::<u64>().unwrap();
    words[15].parse::<f64>().unwrap();
    Found {
        mv: field(2),
        depth: field(4).parse().unwrap(),
        percent: field(5).trim_matches(['@', '%']).parse().unwrap(),
        low: field(6),
        high: field(10),
        pv: field(11),
    }
}

#[test]
fn a_whole_session() {
    let input = format!(
        "ENGINE-PROTOCOL init\nENGINE-PROTOCOL get-version\nENGINE-PROTOCOL midgame-search {START} -64 64 6 73\n\
         ENGINE-PROTOCOL endgame-search {ENDGAME} -64 64 100\n"
    );
    let lines = run(&input);
    // these end what was asked for before, so they come in a session of their own
    let rest = run(&format!(
        "ENGINE-PROTOCOL new-position\nENGINE-PROTOCOL empty-hash\nENGINE-PROTOCOL feed-hash {START} -2 2 10 73 F5d6\n\nENGINE-PROTOCOL stop\nENGINE-PROTOCOL foo\nfoo bar\n\
         ENGINE-PROTOCOL quit\nENGINE-PROTOCOL init\n"
    ));
    assert_eq!(lines[..3], ["ready.", concat!("version: Outflank ", env!("CARGO_PKG_VERSION")), "ready."]);
    let midgame = parse(&lines[3], START);
    assert_eq!((midgame.depth, midgame.percent), (6, 73));
    assert!(["D3", "C4", "F5", "E6"].contains(&midgame.mv.as_str()) && midgame.pv.starts_with(&midgame.mv));
    // in small letters what white plays
    let cases: Vec<bool> = midgame.pv.as_bytes().chunks(2).map(|mv| mv[0].is_ascii_uppercase()).collect();
    assert!(
        cases.len() > 1 && cases.iter().zip([true, false].iter().cycle()).all(|(is, must)| is == must),
        "{}",
        midgame.pv
    );
    assert!(midgame.low.starts_with("B+") || midgame.low.starts_with("B-"), "{}", midgame.low);
    assert_eq!(lines[4], "ready.");
    let endgame = parse(&lines[5], ENDGAME);
    assert_eq!((endgame.depth, endgame.percent), (11, 100));
    assert_eq!(endgame.low, endgame.high);
    assert_eq!(lines[6..], ["ready."]);
    let expected = ["ready."; 5].into_iter().chain([
        "ERROR: Unknown protocol \"foo\"",
        "ready.",
        "ERROR: Unknown protocol \"foo\"",
        "ready.",
        "bye bye.",
    ]);
    assert_eq!(rest, expected.collect::<Vec<_>>());
}

#[test]
fn white_speaks_for_itself() {
    let white = format!("{}O", &START[..64]);
    let lines = run(&format!("ENGINE-PROTOCOL midgame-search {white} -64 64 4 100\n"));
    let found = parse(&lines[0], &white);
    assert!(found.low.starts_with('W'));
    assert!(found.mv.starts_with(|c: char| c.is_ascii_lowercase()), "white's moves are in small letters: {}", found.mv);
    // the side apart from the board
    let lines = run(&format!("ENGINE-PROTOCOL midgame-search {} O -64 64 4 100\n", &START[..64]));
    assert_eq!(parse(&lines[0], &white).mv, found.mv);
}

#[test]
fn stuck_and_finished_positions_pass() {
    let stuck = "-------O------XO----XXOO---XXOOO---XOOOO---XXXXX----------------O";
    let black_stuck = "------OO------OO----XXOO---XXOOO---XOOOO---XXXXX----------------X";
    for (position, mv) in [(black_stuck, "PA"), (stuck, "")] {
        let lines = run(&format!("ENGINE-PROTOCOL endgame-search {position} -64 64 73\nENGINE-PROTOCOL stop\n"));
        let found = parse(&lines[0], position);
        assert!(found.mv.starts_with(mv) && found.pv.starts_with(&found.mv), "{} {}", found.mv, found.pv);
    }
    let over = format!("{}OOO{}X", "-".repeat(20), "-".repeat(41));
    let lines = run(&format!("ENGINE-PROTOCOL endgame-search {over} -64 64 100\n"));
    let found = parse(&lines[0], &over);
    assert_eq!((found.mv.as_str(), found.low.as_str(), found.high.as_str()), ("PA", "B-64.00", "B-64.00"));
}

#[test]
fn windows_give_bounds() {
    let exact = parse(&run(&format!("ENGINE-PROTOCOL endgame-search {ENDGAME} -64 64 100\n"))[0], ENDGAME);
    let score: f64 = exact.low[1..].parse().unwrap();
    let above = (score as i32 + 2).min(62);
    let lines = run(&format!("ENGINE-PROTOCOL endgame-search {ENDGAME} {above} {} 100\n", above + 2));
    let found = parse(&lines[0], ENDGAME);
    let (low, high): (f64, f64) = (found.low[1..].parse().unwrap(), found.high[1..].parse().unwrap());
    assert!(low <= score && score <= high && low < high, "{score} in {low}..{high}");
}

/// Scores reach as far as there are squares, and so do the bounds of what lies beyond a window.
#[test]
fn windows_of_large_boards_are_as_wide_as_they() {
    let config = || Config { rules: Arc::new("reversi10".parse().unwrap()), ..Config::default() };
    let full = format!("-O{}O-", "X".repeat(96));
    for window in ["64 100 100", "-100 100 100", ""] {
        let (output, command) = (Shared::default(), format!("ENGINE-PROTOCOL endgame-search {full}O {window}\n"));
        cassio::run(Cursor::new(command.into_bytes()), output.clone(), config()).unwrap();
        let lines = output.lines();
        assert!(lines[0].contains("W-100.00 <= v <= W-100.00"), "{window}: {lines:?}");
    }
}

#[test]
fn errors_name_what_is_wrong() {
    for (command, wrong) in [
        ("midgame-search", "missing"),
        ("midgame-search XXX 0 0 0 0", "position"),
        (&format!("midgame-search {START} a 64 6 73"), "\"a\""),
        (&format!("midgame-search {START} -64 64 6 73%%"), "\"73%\""),
        (&format!("endgame-search {START} 10 -10 73"), "window"),
        (&format!("feed-hash {START}"), "LOWER"),
    ] {
        let lines = run(&format!("ENGINE-PROTOCOL {command}\n"));
        assert!(
            lines.len() == 2 && lines[0].starts_with("ERROR: ") && lines[0].contains(wrong),
            "{command}: {lines:?}"
        );
        assert_eq!(lines[1], "ready.", "clients wait for it");
    }
}

/// Whatever is said of them.
#[test]
fn words_are_repeated_as_one_short_line() {
    let long = "x".repeat(100_000);
    for (command, said) in [
        (format!("ENGINE-PROTOCOL {long}\n"), "ERROR: Unknown protocol \"xxxxxxxxxxxxxxxxxxxxxxxx...\"".to_string()),
        (format!("{long}\n"), "ERROR: Unknown protocol \"xxxxxxxxxxxxxxxxxxxxxxxx...\"".to_string()),
        ("\u{1b}[2J\n".to_string(), "ERROR: Unknown protocol \"\\u{1b}[2J\"".to_string()),
        (
            format!("ENGINE-PROTOCOL midgame-search {START} -64 \u{1b}\n"),
            "ERROR: \"\\u{1b}\" is not a number".to_string(),
        ),
    ] {
        assert_eq!(run(&command), [said.as_str(), "ready."]);
    }
}

#[test]
fn arguments_may_be_missing_equal_or_too_many() {
    let depth = |command: String| parse(&run(&format!("ENGINE-PROTOCOL {command}\n"))[0], ENDGAME).depth;
    for command in [
        format!("midgame-search {ENDGAME}"),
        format!("midgame-search {ENDGAME} -64 64 60"),
        format!("endgame-search {ENDGAME} -64 64"),
        format!("endgame-search {ENDGAME} -64 64 100 and more 7"),
    ] {
        assert_eq!(depth(command), 11);
    }
    let score: i32 = parse(&run(&format!("ENGINE-PROTOCOL endgame-search {ENDGAME}\n"))[0], ENDGAME).low[1..]
        .parse::<f64>()
        .unwrap() as i32;
    let equal = parse(&run(&format!("ENGINE-PROTOCOL endgame-search {ENDGAME} {score} {score} 100\n"))[0], ENDGAME);
    assert_eq!(equal.low[1..].parse::<f64>().unwrap(), f64::from(score));
    assert_eq!(equal.low, equal.high);
}

#[test]
fn quit_and_new_positions_do_not_wait_for_a_search() {
    for (last, answers) in [("quit", &["ready.", "bye bye."][..]), ("new-position", &["ready.", "ready."])] {
        let start = std::time::Instant::now();
        let search = format!("ENGINE-PROTOCOL midgame-search {START} -64 64 60 100\n");
        let lines = run(&format!("{search}{search}ENGINE-PROTOCOL {last}\n"));
        assert!(start.elapsed() < Duration::from_secs(5), "{last}");
        assert_eq!(lines[lines.len() - 2..], *answers, "{last}");
        assert_eq!(lines.len(), 5, "both searches have a result: {lines:?}");
    }
}

#[test]
fn nodes_are_counted_while_a_search_runs() {
    let output = Shared::default();
    let mut session = cassio::Session::new(output.clone(), Config::default());
    session.line(&format!("ENGINE-PROTOCOL midgame-search {START} -64 64 60 100")).unwrap();
    let nodes = |session: &mut cassio::Session<Shared>| -> u64 {
        session.line("ENGINE-PROTOCOL get-search-infos").unwrap();
        let line = output.lines().pop().unwrap();
        line.split([' ', ',']).nth(1).unwrap().parse().unwrap()
    };
    std::thread::sleep(Duration::from_millis(300));
    let first = nodes(&mut session);
    std::thread::sleep(Duration::from_millis(300));
    let second = nodes(&mut session);
    session.line("ENGINE-PROTOCOL stop").unwrap();
    assert!(first > 0 && second > first, "{first}, {second}");
}

#[test]
fn a_running_search_answers_and_stops() {
    let output = Shared::default();
    let mut session = cassio::Session::new(output.clone(), Config::default());
    session.line(&format!("ENGINE-PROTOCOL midgame-search {START} -64 64 60 100")).unwrap();
    session.line("").unwrap();
    session.line("ENGINE-PROTOCOL get-search-infos").unwrap();
    session.line("ENGINE-PROTOCOL stop").unwrap();
    session.line("").unwrap();
    let lines = output.lines();
    assert_eq!(lines[0], "ok.");
    assert!(lines[1].starts_with("node ") && lines[1].contains(", time "), "{}", lines[1]);
    parse(&lines[2], START);
    assert_eq!(lines[3..], ["ready.", "ready."]);
    sessions::assert_within(Duration::from_millis(50), || {
        session.line(&format!("ENGINE-PROTOCOL midgame-search {START} -64 64 60 100")).unwrap();
        session.line("ENGINE-PROTOCOL stop").unwrap();
    });
}

/// An output that takes a while after a search's `ready.`, as a thread that has something else to do then.
struct SlowAtEnds(Shared);

impl io::Write for SlowAtEnds {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.0.lines().last().is_some_and(|line| line == "ready.") {
            std::thread::sleep(Duration::from_millis(30));
        }
        Ok(())
    }
}

/// Who has read the `ready.` of a search finds the engine at rest, whatever the search's thread still has to do: such a `stop` was
/// not answered at all, and other lines were as if a search were running.
#[test]
fn after_ready_the_engine_is_at_rest() {
    let output = Shared::default();
    let mut session = cassio::Session::new(SlowAtEnds(output.clone()), Config::default());
    let answers = || output.lines().iter().filter(|line| *line == "ready.").count();
    for (number, line) in ["ENGINE-PROTOCOL stop", "", "ENGINE-PROTOCOL get-search-infos"].iter().enumerate() {
        session.line(&format!("ENGINE-PROTOCOL endgame-search {ENDGAME}")).unwrap();
        wait_for("the search has ended", || answers() > 2 * number);
        session.line(line).unwrap();
        assert_eq!((answers(), output.lines().len()), (2 * number + 2, 3 * (number + 1)), "{line}");
    }
}

#[test]
fn garbage_does_no_harm() {
    let mut rng = StdRng::seed_from_u64(3);
    let output = Shared::default();
    let mut session = cassio::Session::new(output.clone(), Config::default());
    let words = [
        "midgame-search",
        "endgame-search",
        "feed-hash",
        START,
        "X",
        "-64",
        "64",
        "1",
        "NaN",
        "1e99",
        "é",
        "stop",
        "-1",
    ];
    for _ in 0..3000 {
        let count = rng.random_range(0..7);
        let line: Vec<&str> = (0..count).map(|_| words[rng.random_range(0..words.len())]).collect();
        session.line(&format!("ENGINE-PROTOCOL {}", line.join(" "))).unwrap();
        session.line("ENGINE-PROTOCOL stop").unwrap();
    }
}

#[test]
fn arguments_that_a_command_has_no_use_for_are_left_alone() {
    let lines = run("ENGINE-PROTOCOL init x\nENGINE-PROTOCOL get-version x\nENGINE-PROTOCOL stop x\n\
         ENGINE-PROTOCOL get-search-infos x\nENGINE-PROTOCOL new-position x\nENGINE-PROTOCOL empty-hash x\n\
         ENGINE-PROTOCOL quit x\nENGINE-PROTOCOL init\n");
    assert!(lines[1].starts_with("version: "), "{lines:?}");
    let rest: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.starts_with("version: ")).collect();
    assert_eq!(rest, [&["ready."; 6][..], &["bye bye."]].concat());
    // while a search runs, too
    for (last, answers) in [("stop", &["ready."][..]), ("quit", &["ready.", "bye bye."])] {
        let output = Shared::default();
        let mut session = cassio::Session::new(output.clone(), Config::default());
        session.line(&format!("ENGINE-PROTOCOL midgame-search {START} -64 64 60 100")).unwrap();
        sessions::assert_within(Duration::from_millis(500), || {
            session.line("ENGINE-PROTOCOL get-search-infos please").unwrap();
            session.line(&format!("ENGINE-PROTOCOL {last} now")).unwrap();
        });
        let lines = output.lines();
        assert!(lines[0].starts_with("node "), "{lines:?}");
        parse(&lines[1], START);
        assert_eq!(lines[2..], *answers, "{last}");
    }
}

#[test]
fn a_client_that_has_gone_ends_the_session() {
    let input = format!("ENGINE-PROTOCOL midgame-search {START} -64 64 4 73\nENGINE-PROTOCOL init\n");
    let error = cassio::run(Cursor::new(input), Broken, Config::default()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn the_binary_speaks_it() {
    let mut process = Process::start(&["cassio"]);
    process.send("ENGINE-PROTOCOL init\n");
    assert_eq!(process.line(), "ready.");
    process.send("ENGINE-PROTOCOL quit\n");
    assert_eq!(process.finish(), (vec!["bye bye.".to_string()], String::new(), Some(0)));
}

#[test]
fn the_binary_takes_rules_and_what_edax_takes() {
    let small = "--------------OX----XO--------------X";
    let mut process = Process::start(&["cassio", "--rules", "othello:6x6"]);
    process.send(&format!("ENGINE-PROTOCOL midgame-search {small} -64 64 4 100\n"));
    let line = process.line();
    assert!(line.starts_with(&format!("{small}, move ")) && line.contains(", depth 4, "), "{line}");
    let mut process = Process::start(&["-cassio", "-l", "3", "-n", "1", "-h", "20", "-move-time", "1"]);
    process.send("ENGINE-PROTOCOL init\n");
    assert_eq!(process.line(), "ready.");
}
