//! `outflank solo` as its users meet it: sessions over a pipe, replays, averages, and what it says to bad input.
#![cfg(feature = "cli")]

mod binary;
#[cfg(unix)]
mod waiting;

use outflank::solo::Record;

/// Runs `outflank solo` on an input; status, stdout and stderr.
fn solo(arguments: &[&str], input: &str) -> (i32, String, String) {
    let output = binary::output(binary::outflank().arg("solo").args(arguments), input);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_session_over_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (text, json) = (path("game.solo"), path("game.json"));
    let script = format!(
        "d3g\nhint 2\ne3b\nundo\nmoves\nunseen\nsave {text}\nsave {json}\nnew 5\nload {json}\nrecord\nquit\nd6b\n"
    );
    let (status, out, err) = solo(&["--seed", "1", "--budget", "300"], &script);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    assert!(out.contains("d3g: flips d4; turns up b3 on d2, g9 on c3\n"), "{out}");
    assert!(out.contains(" %) at the end, on average over "), "{out}");
    assert!(out.contains("\nd1g f5g e6g e3b c5b\n"), "{out}");
    assert!(!out.contains("d6b"), "nothing is read after quit: {out}");
    // the record on the screen shows the two chips that were turned up, and no other
    let chips = out.lines().rfind(|line| line.starts_with("chips: ")).unwrap();
    assert_eq!(chips.matches("??").count(), 22, "{chips}");
    for saved in [&text, &json] {
        let record = Record::parse(&std::fs::read_to_string(saved).unwrap()).unwrap();
        assert_eq!((record.seed, record.game.moves().len()), (Some(1), 1));
        assert_eq!((record.game.help.hints, record.game.help.peeks + record.game.help.takebacks), (1, 1));
    }
    let (status, out, err) = solo(&["--replay", &text], "");
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("\n1. d3g: flips d4"), "{out}");
    // the same record on one line
    let (_, out, _) = solo(&["--replay", &text, "--json"], "");
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    assert_eq!(value(&out), value(&std::fs::read_to_string(&json).unwrap()));
    assert_eq!((out.lines().count(), out.ends_with("}\n")), (1, true), "{out}");
}

#[test]
fn sessions_are_logged() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("solo.log");
    let (status, out, err) = solo(&["--seed", "1", "--log", log.to_str().unwrap()], "d3g\nmoves\n");
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let log = std::fs::read_to_string(log).unwrap();
    let lines = |sign: &str| -> String {
        log.lines().filter_map(|line| Some(format!("{}\n", line.split_once(&format!(" DEBUG {sign} "))?.1))).collect()
    };
    assert_eq!((lines("<"), lines(">")), ("d3g\nmoves\n".to_string(), out), "{log}");
}

#[test]
fn bad_input_gets_one_line_and_the_session_goes_on() {
    let script = "foo\nd9g\nd3\nd3r\nd4g\nb2g\na1g\nhint x\nhint 0\nundo\nundo 2\nnew -1\nload /nowhere/at.all\nsave\nload\nd3g\n\u{e9}\n";
    let (status, out, err) = solo(&["--seed", "1"], script);
    let problems: Vec<&str> = err.lines().collect();
    assert_eq!(status, 2);
    assert_eq!(problems.len(), 16, "{err}");
    assert!(problems.iter().all(|line| line.starts_with("outflank: ")), "{err}");
    assert_eq!(problems[0], "outflank: 'foo' is neither a turn such as d3g nor a command (`help` lists them)");
    assert_eq!(problems[4], "outflank: d4g: there is a disc on d4");
    assert!(out.contains("d3g: flips d4"), "{out}");
    // a game that could not be saved is worse
    let (status, _, err) = solo(&["--seed", "1"], "foo\nsave /nowhere/at.all\nd3g\nquit\n");
    assert_eq!((status, err.lines().count()), (3, 2), "{err}");
}

#[test]
fn words_are_repeated_as_one_short_line() {
    let long = "x".repeat(3 << 20);
    let script: String = ["", "d3", "undo ", "hint ", "new ", "reveal c3 ", "reveal ", "reveal c3 g1 "]
        .map(|start| format!("{start}{long}\n"))
        .concat();
    for arguments in [&["--seed", "1"][..], &["--box"]] {
        let (status, _, err) = solo(arguments, &script);
        assert_eq!((status, err.lines().count()), (2, 8), "{}", err.len());
        assert!(err.lines().all(|line| line.len() < 150), "{:?}", err.lines().map(str::len).collect::<Vec<_>>());
    }
}

/// What is wrong with a chip that is entered would tell where it lies.
#[test]
fn chips_of_a_deal_are_not_given_away() {
    for entry in ["c3 g7", "c3 g9", "a1 g1"] {
        let (status, out, err) = solo(&["--seed", "1"], &format!("reveal {entry}\n"));
        let told = "outflank: reveal: the program knows the chips of this game, and turns them up itself\n";
        assert_eq!((status, err.as_str()), (2, told), "{entry}: {out}");
    }
}

#[test]
fn files_of_a_session_are_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("many.solo").to_str().unwrap().to_string();
    // more hints than are counted
    let record = format!("outflank-solo 1\nseed: 1\nturns: d3g\npeeks: {0}\nhints: {0}\n", u32::MAX);
    std::fs::write(&path, record).unwrap();
    let script = format!("hint\nundo\nsave {path}\n");
    assert_eq!(solo(&["--load", &path, "--budget", "100"], &script).0, 0);
    let help = Record::parse(&std::fs::read_to_string(&path).unwrap()).unwrap().game.help;
    assert_eq!((help.hints, help.peeks), (u32::MAX, u32::MAX));
    let (status, _, err) = solo(&["--seed", "1"], "save -\n");
    assert_eq!(status, 3, "{err}");
    assert!(err.contains("'-': this output needs a file of its own"), "{err}");
    #[cfg(unix)]
    {
        let (status, out, err) = solo(&["--seed", "1"], "load /dev/stdin\nd3g\n");
        assert_eq!(status, 2);
        assert!(err.contains("load: '/dev/stdin' is no file here: the session reads its commands there"), "{err}");
        assert!(out.contains("d3g: flips d4"), "the commands behind it are carried out: {out}");
    }
}

#[test]
fn colours_of_the_board() {
    for (when, is_painted) in [("always", true), ("auto", false), ("never", false)] {
        let (status, out, _) = solo(&["--seed", "1", "--color", when], "board\n");
        assert_eq!((status, out.contains('\x1b')), (0, is_painted), "{when}");
    }
}

#[test]
fn bad_arguments_end_with_status_2() {
    let folder = tempfile::tempdir().unwrap();
    let good = folder.path().join("good.solo").to_string_lossy().into_owned();
    std::fs::write(&good, "outflank-solo 1\nseed: 1\nturns: d3g\n").unwrap();
    assert_eq!(solo(&["--replay", &good], "").0, 0);
    let bad = folder.path().join("bad.solo");
    std::fs::write(&bad, "outflank-solo 1\nseed: 1\nturns: d3g d3g\n").unwrap();
    let (status, _, err) = solo(&["--replay", bad.to_str().unwrap()], "");
    assert_eq!(status, 2);
    assert!(err.ends_with("bad.solo: line 3, column 12: turn 2: d3g: there is a disc on d3\n"), "{err}");
    let (_, _, err) = solo(&["--layout", "circle"], "");
    assert!(err.contains("the layouts with names are lattice, ring and random"), "{err}");
    for arguments in [
        &["--layout", "b2 c2"][..],
        &["--scoring", "coins"],
        &["--budget", "fast"],
        &["--bench", "0"],
        &["--bench", "3", "--players", "wizard"],
        &["--players", "greedy"],
        &["--replay", "/nowhere/at.all"],
        // nobody is asked for advice then
        &["--replay", &good, "--scoring", "points"],
        &["--replay", &good, "--budget", "5k"],
        &["--json"],
        &["--bench", "2", "--seed", "18446744073709551615"],
    ] {
        let (status, _, err) = solo(arguments, "");
        assert_eq!(status, 2, "{arguments:?}: {err}");
        assert!(!err.is_empty() && !err.contains("panicked"), "{err}");
    }
}

#[test]
fn the_bench_reports_averages() {
    let (status, out, err) = solo(&["--bench", "20", "--players", "greedy,random", "--json"], "");
    assert_eq!((status, err.as_str(), out.lines().count()), (0, "", 1));
    let value: serde_json::Value = serde_json::from_str(&out).unwrap();
    let players = value["players"].as_array().unwrap();
    assert_eq!(players.len(), 2);
    for player in players {
        assert_eq!(player["deals"], 20);
        let mean = player["chips"]["mean"].as_f64().unwrap();
        assert!((0.0..=24.0).contains(&mean));
    }
    let (_, again, _) = solo(&["--bench", "20", "--players", "greedy,random", "--json", "--threads", "1"], "");
    let again: serde_json::Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["players"][0]["chips"], value["players"][0]["chips"], "the same on one thread");
    let (_, text, _) = solo(&["--bench", "4", "--players", "random"], "");
    assert!(
        text.contains("\nrandom       4 |") && text.matches("  0.0 % |").count() == 2,
        "nothing was perfect: {text}"
    );
    assert!(text.starts_with("deals from seed 1, layout lattice\n\n"), "nobody has a budget: {text}");
    let (_, text, _) = solo(&["--bench", "1", "--players", "random,advisor", "--budget", "200"], "");
    assert!(text.starts_with("deals from seed 1, layout lattice; advisor: 200 nodes a turn, for count\n\n"), "{text}");
}

/// A player with the real chips: nothing is known but what is entered.
#[test]
fn the_real_box() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.solo").to_str().unwrap().to_string();
    let script = format!(
        "hint\nd3g\nreveal d2 b1 c3\nreveal d2 b1\nreveal c3 b1\nreveal c3 g7\nreveal a1 g1\nd1g\nundo\nrecord\n\
         save {path}\nquit\n"
    );
    let (status, out, err) = solo(&["--box", "--budget", "300"], &script);
    assert_eq!(status, 2, "{err}");
    assert!(out.contains(" chips ("), "advice by expectation: {out}");
    assert!(out.contains("d3g turns up d2, c3: enter them with `reveal d2 CHIP c3 CHIP`"), "{out}");
    assert!(out.contains("d3g turns up c3: enter them"), "{out}");
    assert!(out.contains("d3g: flips d4; turns up b1 on d2, g7 on c3\n"), "{out}");
    let problems: Vec<&str> = err.lines().collect();
    assert_eq!(
        problems,
        [
            "outflank: reveal: squares and chips must follow, as in `reveal c3 g7 d2 b-`",
            "outflank: reveal: b1 has been found on d2",
            "outflank: reveal: there is no chip on a1",
        ]
    );
    // what was printed and what was saved load again, with the chips that nobody knows
    let saved = std::fs::read_to_string(&path).unwrap();
    let from = out.find("outflank-solo 1").unwrap();
    let printed = &out[from..from + saved.len()];
    assert_eq!(printed, saved);
    assert_eq!(Record::parse(&saved).unwrap().to_string(), saved);
    let (status, out, err) = solo(&["--load", &path], "d1g\n");
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("d1g turns up c1: enter them with `reveal c1 CHIP`"), "{out}");
    let (status, out, err) = solo(&["--replay", &path], "");
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("\n1. d3g: flips d4; turns up b1 on d2, g7 on c3"), "{out}");
    assert_eq!(solo(&["--box", "--layout", "random"], "").0, 2);
    // chips that were confused: taken back, and entered the right way round
    let script = "d3g\nreveal d2 g7 c3 g5\nundo\nreveal d2 g5 c3 g7\nd3g\n";
    let (status, out, err) = solo(&["--box"], script);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("d3g: flips d4; turns up g5 on d2, g7 on c3\n"), "{out}");
    // also when all are known by now
    let squares = "c1 f1 b2 d2 e2 g2 a3 c3 f3 h3 b4 g4 b5 g5 a6 c6 f6 h6 b7 d7 e7 g7 c8 f8";
    let chips = "g- g- g1 g2 g3 g4 g5 g6 g7 g8 g9 g10 b- b- b1 b2 b3 b4 b5 b6 b7 b8 b9 b10";
    let all: Vec<String> = squares.split(' ').zip(chips.split(' ')).map(|(at, chip)| format!("{at} {chip}")).collect();
    let script = format!("reveal {}\nd3g\nundo\nreveal d2 g6 c3 g2\nd3g\n", all.join(" "));
    let (status, out, err) = solo(&["--box"], &script);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.contains("turns up g2 on d2, g6 on c3\n") && out.contains("turns up g6 on d2, g2 on c3\n"), "{out}");
    // what is refused leaves the turn that waits for its chips
    let (status, out, err) = solo(&["--box"], "d3g\ne3g\nnew x\nhint x\nreveal d2 g5 c3 g7\n");
    assert_eq!((status, err.lines().count()), (2, 3), "{err}");
    assert!(out.contains("d3g: flips d4; turns up g5 on d2, g7 on c3\n"), "{out}");
    // the record of a seeded game on the screen loads as well, as a game whose other chips are not known
    let (_, out, _) = solo(&["--seed", "1"], "d3g\nrecord\n");
    let record = Record::parse(&out[out.find("outflank-solo 1").unwrap()..]).unwrap();
    assert_eq!((record.seed, record.game.deal(), record.game.moves().len()), (None, None, 1));
}

/// Nobody has shuffled it, whatever was played before.
#[test]
fn another_game_with_the_real_box() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (dealt, table, next) = (path("dealt.solo"), path("table.solo"), path("next.solo"));
    assert_eq!(solo(&["--seed", "7", "--scoring", "points"], &format!("d3g\nsave {dealt}\n")).0, 0);
    let begin = |file: &str| format!("new\nd3g\nreveal d2 g1 c3 b10\nsave {file}\n");
    for (arguments, script, file) in [
        (&["--box"][..], format!("load {dealt}\n{}", begin(&table)), &table),
        (&["--load", &table], begin(&next), &next),
        (&["--seed", "1"], format!("load {table}\n{}", begin(&next)), &next),
    ] {
        let (status, out, err) = solo(arguments, &script);
        assert_eq!((status, err.as_str()), (0, ""), "{arguments:?}: {out}");
        let record = Record::parse(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert_eq!((record.seed, record.game.deal(), record.game.moves().len()), (None, None, 1), "{arguments:?}");
        assert_eq!(record.scoring.name(), "points");
        std::fs::remove_file(&next).ok();
    }
    // the advisor of a saved game may aim at something else
    for (arguments, scoring) in [(&[][..], "points"), (&["--scoring", "count"], "count")] {
        let (_, out, _) = solo(&[&["--load", &table], arguments].concat(), "record\n");
        assert!(out.contains(&format!("\nscoring: {scoring}\n")), "{arguments:?}: {out}");
    }
    // a game that was dealt is followed by another deal, and so is one with the real box when a seed asks for it
    for (arguments, script) in [(&["--seed", "1"][..], "new\n"), (&["--load", &table], "new 5\n")] {
        let (_, out, _) = solo(arguments, script);
        assert!(out.contains("\nseed "), "{arguments:?}: {out}");
    }
}

#[test]
fn a_game_that_is_over_has_no_turns() {
    let turns = "f5g f7g d6b b6b c7g h7g c5g f6b e3b f4g e1b g7g c4g e2g c2g g1b g3b a4g a5g b8b a7g d8g h2g h5g e6b \
                 g8b b3b e8b f2g h4b a6b b5b h6b b4g a8b g2b a2g e7g c6g d2g d3b f3b";
    let script: String = turns.split_whitespace().chain(["moves"]).map(|line| format!("{line}\n")).collect();
    let (status, out, err) = solo(&["--seed", "2"], &script);
    assert_eq!((status, err.as_str()), (0, ""));
    assert!(out.ends_with("\nnone\n"), "{out}");
    assert!(solo(&["--seed", "2"], &(script + "b1b\n")).2.contains("the game is over (hopeless)"));
}

/// Advice for hours is for nobody once the program is told to end, or nobody reads it any more.
#[cfg(unix)]
#[test]
fn advice_ends_with_the_session() {
    use std::io::{BufRead, BufReader, Write};
    use std::sync::Mutex;
    use std::time::Duration;

    for is_told in [true, false] {
        let mut child = binary::spawn(binary::outflank().args(["solo", "--seed", "1", "--budget", "4G"]));
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with("discs G")));
        child.stdin.as_mut().unwrap().write_all(b"hint\n").unwrap();
        // it is at work; if it is not yet, nothing has to end
        std::thread::sleep(Duration::from_millis(500));
        if is_told {
            let id = child.id().to_string();
            assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        } else {
            drop(lines);
        }
        let child = Mutex::new(child);
        waiting::wait_for("the end", || child.lock().unwrap().try_wait().unwrap().is_some());
        let status = child.into_inner().unwrap().wait().unwrap();
        assert!(status.code() == Some(130) || !is_told && status.success(), "told: {is_told}, {status}");
    }
}
