//! `outflank analyze`.

use serde_json::Value;

use super::run::{START, run, run_args, run_with};

#[test]
fn a_position_with_its_best_moves() {
    let run = run("analyze f5d6c3 --moves 3 --depth 4 --json");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let values = run.json();
    let last = values.last().unwrap();
    assert_eq!((&last["final"], &last["depth"]), (&true.into(), &4.into()));
    assert_eq!(last["moves"].as_array().unwrap().len(), 3);
    assert!(values[..values.len() - 1].iter().all(|value| value["final"] == false));
    assert!(last["position"].as_str().unwrap().ends_with(" O"));
}

#[test]
fn the_same_position_in_every_form() {
    let board = run_args(&["analyze", START, "--depth", "3", "--last", "--json"], "").json();
    let problem = run_args(&["analyze", &format!("{START}; d3:+0;"), "--depth", "3", "--last", "--json"], "").json();
    let piped = run_with("analyze - --depth 3 --last --json", &format!("{START}\n")).json();
    assert_eq!(board.len(), 1);
    for other in [problem, piped] {
        assert_eq!(other.len(), 1);
        assert_eq!(other[0]["moves"], board[0]["moves"]);
    }
}

/// Whatever a file may hold is taken as an argument.
#[test]
fn a_board_with_moves_behind_it() {
    let moves = |argument: &str| run_args(&["analyze", argument, "--depth", "3", "--last", "--json"], "").json();
    let plain = moves("f5d6c3");
    assert_eq!(plain.len(), 1);
    for other in [format!("{START} f5d6c3"), "(;GM[Othello]B[F5]W[D6]B[C3];)".to_string()] {
        assert_eq!(moves(&other)[0]["moves"], plain[0]["moves"], "{other}");
    }
    let bad = run_args(&["analyze", &format!("{START} f5a1")], "");
    assert!(bad.status == 2 && bad.error().contains("line 1: move 2 (column 70)"), "{}", bad.stderr);
}

#[test]
fn only_the_moves_that_are_asked_for() {
    let value = run("analyze f5d6c3 --moves f4,D3 --depth 4 --last --json").json();
    let mut names: Vec<&str> =
        value[0]["moves"].as_array().unwrap().iter().map(|line| line["move"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["d3", "f4"]);
    // with a limit of time one move is searched like others, and not taken for a forced one
    let value = run("analyze f5d6c3 --moves g5 --depth 4 --time 60 --last --json").json();
    assert_eq!((&value[0]["depth"], &value[0]["best"]["move"]), (&4.into(), &"g5".into()));
    for (arguments, part) in [
        ("f5d6c3 --moves a1", "white cannot play 'a1'"),
        ("f5d6c3 --moves f4,", "a move is missing"),
        ("f5d6c3 --as game --moves f4", "of a game it takes a number"),
        ("f5d6c3 --moves 0", "not a number from 1"),
    ] {
        let run = run(&format!("analyze {arguments}"));
        assert!(run.status == 2 && run.stderr.contains(part), "{arguments}: {}", run.stderr);
    }
}

#[test]
fn the_table_of_a_position() {
    let run = run("analyze f5 --moves 2 --depth 3");
    assert_eq!(run.status, 0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[1].contains("principal variation"));
    assert!(lines.last().unwrap().starts_with("------+"));
}

#[test]
fn the_errors_of_a_game() {
    // after f5d6c3d3c4 white plays a poor b3; then both sides' sums
    let run = run("analyze f5d6c3d3c4f4c5b3c2 --as game --depth 6 --moves 2 --json");
    assert_eq!(run.status, 0, "{}", run.stderr);
    let values = run.json();
    assert_eq!(values.len(), 9 + 1);
    let (moves, summary) = (&values[..9], &values[9]);
    let plies: Vec<u64> = moves.iter().map(|one| one["ply"].as_u64().unwrap()).collect();
    assert_eq!(plies, (1..=9).collect::<Vec<u64>>());
    for one in moves {
        let (best, score) = (one["best"].as_i64().unwrap(), one["score"].as_i64().unwrap());
        assert_eq!(one["loss"].as_i64().unwrap(), best - score, "{one}");
        assert!(best >= score);
        assert_eq!(one["alternatives"].as_array().unwrap().len(), 2, "{one}");
    }
    assert_eq!(summary["moves"], "f5d6c3d3c4f4c5b3c2");
    let lost = |side: usize| summary["summary"][side]["discs_lost"].as_u64().unwrap();
    let sum = |name: &str| -> u64 {
        moves.iter().filter(|one| one["side"] == name).map(|one| one["loss"].as_u64().unwrap()).sum()
    };
    assert_eq!((lost(0), lost(1)), (sum("black"), sum("white")));
}

/// The four first moves are one move seen from four sides.
#[test]
fn moves_that_are_images_have_the_same_score() {
    let values = run("analyze f5d6c3 --as game --depth 8 --moves 3 --json").json();
    let first = &values[0];
    assert_eq!((&first["loss"], &first["stopped"], &values[3]["complete"]), (&0.into(), &false.into(), &true.into()));
    let others = first["alternatives"].as_array().unwrap();
    assert!(others.len() == 3 && others.iter().all(|line| line["score"] == first["score"]), "{first}");
    let position = run_args(&["analyze", START, "--depth", "8", "--moves", "4", "--last", "--json"], "").json();
    let moves = position[0]["moves"].as_array().unwrap();
    assert!(moves.len() == 4 && moves.iter().all(|line| line["score"] == moves[0]["score"]), "{position:?}");
}

/// `exact` says that a score is proved, and so does the bound `exact`; others are estimates.
#[test]
fn bound_and_exact_agree() {
    let values = run("analyze f5d6c3 --depth 3 --json").json();
    for value in values {
        let bounds: Vec<&Value> = value["moves"].as_array().unwrap().iter().map(|line| &line["bound"]).collect();
        assert!(value["exact"] == false && bounds.iter().all(|bound| *bound == "estimate"), "{value}");
    }
    let values = run_args(&["analyze", "-----OX--XO----- X", "--rules", "othello:4x4", "--last", "--json"], "").json();
    assert_eq!((&values[0]["exact"], &values[0]["best"]["bound"]), (&true.into(), &"exact".into()), "{values:?}");
}

#[test]
fn files_of_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.txt");
    std::fs::write(&path, "f5d6c3\nf5f6e6f4\nf5f5\n").unwrap();
    let path = path.to_str().unwrap();
    let all = run_args(&["analyze", path, "--depth", "2", "--json"], "");
    assert_eq!(all.status, 2, "the third game is bad");
    assert!(all.error().contains("line 3"), "{}", all.stderr);
    let summaries: Vec<u64> = all
        .json()
        .iter()
        .filter(|value| value["summary"].is_array())
        .map(|value| value["game"].as_u64().unwrap())
        .collect();
    assert_eq!(summaries, [1, 2]);
    let second = run_args(&["analyze", path, "--depth", "2", "--game", "2"], "");
    assert_eq!(second.status, 0);
    assert!(second.stdout.starts_with("game 2\n"), "{}", second.stdout);
    let missing = run_args(&["analyze", path, "--depth", "2", "--game", "9"], "");
    assert_eq!(missing.status, 2);
}

#[test]
fn unusable_input() {
    for (argument, part) in [("zzz", "neither a file"), ("f5f5", "move 2"), ("XO", "neither")] {
        let run = run(&format!("analyze {argument}"));
        assert_eq!(run.status, 2, "{argument}");
        assert!(run.error().contains(part), "{argument}: {}", run.stderr);
    }
}

/// A file with as many bad games as good ones is analysed all the same.
#[test]
fn a_bad_game_among_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.txt");
    std::fs::write(&path, "f5d6c3\nf5 d6 x9\n").unwrap();
    let run = run(&format!("analyze {} --level 1 --json --jobs 2", path.display()));
    let bad = format!("outflank: {}: line 2: move 3 (column 7): 'x9' is not on the board (a1 to h8)\n", path.display());
    let (told, judged) = run.stderr.split_at(bad.len().min(run.stderr.len()));
    assert_eq!((run.status, told, run.json().len()), (2, &*bad, 4));
    assert!(judged.starts_with("1 game judged in ") && judged.lines().count() == 1, "{judged}");
    // also where an earlier session has met it
    let output = folder.path().join("judged.jsonl");
    for told in ["1 game judged in ", "0 games judged (1 before) in "] {
        let run =
            super::run::run(&format!("analyze {} --level 1 --resume --output {}", path.display(), output.display()));
        assert!(run.status == 2 && run.stderr.lines().last().unwrap().starts_with(told), "{}", run.stderr);
    }
}

/// Names of files are any bytes.
#[cfg(unix)]
#[test]
fn names_that_are_no_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"g\xff.txt"));
    for is_there in [false, true] {
        if is_there {
            std::fs::write(&path, "f5d6c3\n").unwrap();
        }
        for words in [&["board"][..], &["analyze", "--level", "1"], &["games", "find"]] {
            let more = words[0] == "games";
            let mut command = super::run::command("");
            command.args(words).arg(&path).args(more.then_some(&path));
            let output = crate::binary::output(&mut command, "");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(if is_there { 0 } else { 2 }), "{words:?}: {errors}");
            let told =
                errors.starts_with("outflank: '") && errors.ends_with("' is neither a file nor a position nor moves\n");
            assert_eq!(told, !is_there, "{words:?}: {errors}");
        }
    }
}

/// A folder of WTHOR games, side by side and in a file that goes on after a kill.
#[test]
fn many_games_are_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let wthor = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/wthor");
    let output = folder.path().join("judged.jsonl");
    let analyze = |more: &str| run(&format!("analyze {wthor} --depth 1 --json {more}"));
    let plain = analyze("");
    let seconds = |text: &str| -> Vec<Value> {
        let parse = |line: &str| {
            let mut one: Value = serde_json::from_str(line).unwrap();
            one.as_object_mut().unwrap().remove("seconds");
            one
        };
        text.lines().map(parse).collect()
    };
    let whole = analyze(&format!("--jobs 2 --output {}", output.display()));
    assert_eq!((plain.status, whole.status), (0, 0), "{}", whole.stderr);
    let expected = seconds(&plain.stdout);
    assert_eq!(seconds(&whole.stdout), expected);
    let text = std::fs::read_to_string(&output).unwrap();
    assert_eq!(seconds(&text), expected);
    assert!(expected.iter().filter(|one| one.get("summary").is_some()).count() > 1, "several games");
    // there are games already
    let again = analyze(&format!("--output {}", output.display()));
    assert_eq!(again.status, 2);
    assert!(again.error().contains("has results already"), "{}", again.stderr);
    // a kill in the middle of the second game
    let first_end = text.find("\"summary\"").unwrap();
    let cut = first_end + text[first_end..].find('\n').unwrap() + 700;
    std::fs::write(&output, &text[..cut]).unwrap();
    let rest = analyze(&format!("--jobs 3 --resume --output {}", output.display()));
    assert_eq!(rest.status, 0, "{}", rest.stderr);
    assert_eq!(seconds(&std::fs::read_to_string(&output).unwrap()), expected);
    assert!(rest.json().iter().all(|one| one["game"].as_u64().unwrap() > 1), "the first game is not judged again");
    let deeper = analyze(&format!("--moves 2 --resume --output {}", output.display()));
    assert_eq!(deeper.status, 2);
    assert!(deeper.error().contains("the review of game 1 was made with --"), "{}", deeper.stderr);
    assert!(deeper.error().ends_with("--moves 2"), "{}", deeper.stderr);
    let other = run(&format!("analyze f5d6 --as game --depth 1 --resume --output {}", output.display()));
    assert_eq!(other.status, 2);
    assert!(other.error().ends_with("game 1 was another one then"), "{}", other.stderr);
    // moves that a limit cut short are those of that limit
    let cut = folder.path().join("cut");
    let limited = |options: &str| analyze(&format!("--output {} {options}", cut.display()));
    assert_eq!(limited("--nodes 20").status, 0);
    assert_eq!(limited("--nodes 20 --resume").status, 0);
    for options in ["", "--nodes 2000"] {
        let other = limited(&format!("--resume {options}"));
        assert!(other.status == 2 && other.error().contains("--nodes 20 then, not with"), "{}", other.stderr);
    }
    let position = run("analyze f5d6 --jobs 2");
    assert!(position.error().contains("--jobs and --output are for all games"), "{}", position.stderr);
}

/// A pipe gives its beginning once, whatever it is called.
#[cfg(unix)]
#[test]
fn pipes_have_names() {
    let game = "(;GM[Othello]PB[a]PW[b]B[F5]W[D6]B[C3];)\n";
    let named = run_with("analyze /dev/stdin --level 1", game);
    assert_eq!((named.status, named.stderr.as_str()), (0, ""));
    assert!(named.stdout.contains(" c3 "), "{}", named.stdout);
    let piped = run_with("analyze - --level 1", game);
    assert_eq!(named.stdout, piped.stdout);
}
