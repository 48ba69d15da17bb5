//! The files of a match: what is in them, what is left alone, and how a match goes on after a kill or a full disk.
#![cfg(all(unix, feature = "cli"))]

#[macro_use]
mod match_fakes;
mod waiting;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use match_fakes::driver::{fake, outflank, saved_games, status};
use outflank::formats::ggf;
use outflank::formats::quantity::plural;
use outflank::formats::record::GameResult;
use outflank::rules::RuleSet;
use serde_json::Value;
use waiting::wait_for;

fake_engines!();

#[test]
fn killed_match_resumes_to_the_same_games() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let engine = fake("gtp", "omit");
    let arguments = ["greedy", &engine, "--games", "24", "--jobs", "2"];
    // while this file is there, engines stop before their fourth game, so that the match is killed in its middle
    let gate = dir.join("gate");
    let (code, whole, _) = status(outflank(dir).args(arguments).args(["--output", "whole", "--json"]));
    assert_eq!(code, Some(0));

    for signal in ["-KILL", "-INT"] {
        let output = format!("killed{signal}");
        let file = dir.join(format!("{output}.jsonl"));
        fs::write(&gate, "").unwrap();
        let mut child = outflank(dir)
            .env("FAKE_GATE", &gate)
            .args(arguments)
            .args(["--output", &output])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while fs::read_to_string(&file).map_or(0, |text| text.lines().count()) < 6 {
            assert_eq!(child.try_wait().unwrap(), None, "ended before it could be killed");
            thread::sleep(Duration::from_millis(5));
        }
        let pid = child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
        let code = child.wait().unwrap().code();
        assert_eq!(code, if signal == "-INT" { Some(130) } else { None });
        let text = fs::read_to_string(&file).unwrap();
        let saved = text.lines().count();
        assert!((6..25).contains(&saved), "not killed in the middle");
        fs::remove_file(&gate).unwrap();
        // a line torn by the kill
        fs::write(&file, format!("{text}{}", &text.lines().last().unwrap()[..40])).unwrap();

        let (code, _, stderr) = status(outflank(dir).args(arguments).args(["--output", &output]));
        assert_eq!(code, Some(2));
        assert!(stderr.contains("--resume"), "{stderr}");
        let (code, stdout, stderr) =
            status(outflank(dir).args(arguments).args(["--output", &output, "--resume", "--json"]));
        assert_eq!(code, Some(0), "{stderr}");
        assert!(stderr.contains(&format!("resuming after {}", plural(saved as u64 - 1, "game"))), "{stderr}");
        assert_eq!(saved_games(&file), saved_games(&dir.join("whole.jsonl")));
        let [resumed, whole]: [serde_json::Value; 2] =
            [&stdout, &whole].map(|text| serde_json::from_str(text).unwrap());
        for field in ["games", "wins", "draws", "losses", "pairs", "elo", "los"] {
            assert_eq!(resumed[field], whole[field], "{field}");
        }
        let ggf = fs::read_to_string(dir.join(format!("{output}.ggf"))).unwrap();
        let ggf: Vec<_> = ggf::games(&ggf, Arc::new(RuleSet::othello())).map(Result::unwrap).collect();
        assert_eq!(ggf.len(), 24);
        assert!(ggf.iter().all(|game| game.result.is_some() && game.result == GameResult::of(game.game.position())));
        // another match is not mixed in
        let (code, _, stderr) =
            status(outflank(dir).args(arguments).args(["--output", &output, "--resume", "--seed", "9"]));
        assert_eq!(code, Some(2));
        assert!(stderr.contains("seed was 1 then and is 9 now"), "{stderr}");
        let (code, _, stderr) =
            status(outflank(dir).args(arguments).args(["--output", &output, "--resume", "--openings", "balanced"]));
        assert_eq!(code, Some(2));
        let openings = "openings was random plies 8 then and is checksum ";
        assert!(stderr.contains(openings), "{stderr}");
    }
}

/// The arguments of a match of this many games between players that are there already.
fn quick(games: u32) -> Vec<String> {
    ["random", "mobility", "--games", &games.to_string(), "--jobs", "2", "--json"].map(str::to_string).to_vec()
}

/// Whatever is in the place of either file is refused and stays as it is; with --resume, too.
#[test]
fn foreign_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let description = r#"{"outflank_matches":1}"#;
    for (i, (suffix, content)) in [
        ("ggf", "x\n"),
        ("ggf", "x"),
        ("ggf", "\n"),
        ("jsonl", "x\n"),
        ("jsonl", "x"),
        ("jsonl", "\n"),
        ("jsonl", "{}\n"),
        ("jsonl", "x\ny\nz\n"),
        ("jsonl", &format!("{description}\n")),
        ("jsonl", &"x".repeat(3_000_000)),
        ("ggf", &"(;GM[Othello]PC[elsewhere]TY[8]BO[8 - *]B[F5];)\n".repeat(10)),
    ]
    .into_iter()
    .enumerate()
    {
        let output = format!("match{i}");
        let file = dir.join(format!("{output}.{suffix}"));
        fs::write(&file, content).unwrap();
        for resume in [&[][..], &["--resume"]] {
            let (code, stdout, stderr) = status(outflank(dir).args(quick(2)).args(["--output", &output]).args(resume));
            assert!(code == Some(2) && stdout.is_empty(), "{suffix} {content:.20}: {code:?} {stdout} {stderr}");
            assert!(stderr.contains(&format!("{output}.{suffix} is there already")), "{content:.20}: {stderr}");
            assert_eq!(fs::read_to_string(&file).unwrap(), content);
        }
        let other = dir.join(format!("{output}.{}", if suffix == "ggf" { "jsonl" } else { "ggf" }));
        assert!(!other.exists(), "nothing is written before both files are known to be ours");
    }
    // what is no file is not read either: it could take for ever
    for suffix in ["jsonl", "ggf"] {
        let pipe = dir.join(format!("pipe-{suffix}.{suffix}"));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let (code, _, stderr) = status(outflank(dir).args(quick(2)).args(["--output", &format!("pipe-{suffix}")]));
        assert!(code == Some(2) && stderr.contains("is there already"), "{stderr}");
    }
}

/// Files may stand elsewhere, behind links that lead nowhere yet.
#[test]
fn files_behind_links_are_made() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    fs::create_dir(dir.join("far")).unwrap();
    let files = ["match.jsonl", "match.ggf", "why.pgn"];
    for name in files {
        symlink(Path::new("far").join(name), dir.join(name)).unwrap();
    }
    // a match that cannot start leaves nothing behind but what was there
    let missing = ["random", "gtp:/nonexistent/engine", "--games", "2", "--reasons", "why.pgn"];
    assert_eq!(status(outflank(dir).args(missing)).0, Some(2));
    let is_link = |name: &str| fs::symlink_metadata(dir.join(name)).is_ok_and(|file| file.is_symlink());
    assert!(files.into_iter().all(is_link) && fs::read_dir(dir.join("far")).unwrap().next().is_none());
    for (games, more) in [("2", &[][..]), ("4", &["--resume"])] {
        let arguments = ["random", "greedy", "--games", games, "--reasons", "why.pgn"];
        let (code, _, stderr) = status(outflank(dir).args(arguments).args(more));
        assert_eq!(code, Some(0), "{stderr}");
        let lines = |name: &str| fs::read_to_string(dir.join("far").join(name)).unwrap().lines().count();
        let count: usize = games.parse().unwrap();
        assert!(files.into_iter().all(is_link) && [lines("match.jsonl"), lines("match.ggf")] == [count + 1, count]);
    }
}

/// What a match goes on from is read game by game: not all of it has to fit in memory.
#[cfg(target_os = "linux")]
#[test]
fn resuming_takes_no_memory_for_each_game() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    assert_eq!(status(outflank(dir).args(["random", "greedy", "--games", "2", "--jobs", "1"])).0, Some(0));
    let text = fs::read_to_string(dir.join("match.jsonl")).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let (description, mut game) = (lines.next().unwrap(), lines.next().unwrap());
    // long names stand for many games, which would take longer
    game["white"] = "x".repeat(200_000).into();
    let mut file = std::io::BufWriter::new(fs::File::create(dir.join("match.jsonl")).unwrap());
    writeln!(file, "{description}").unwrap();
    for pair in 0..50 {
        for (leg, [black, white]) in [["black", "white"], ["white", "black"]].into_iter().enumerate() {
            let mut one = game.clone();
            (one["pair"], one["leg"], one["black"], one["white"]) =
                (pair.into(), leg.into(), game[black].clone(), game[white].clone());
            writeln!(file, "{one}").unwrap();
        }
    }
    drop(file);
    fs::remove_file(dir.join("match.ggf")).unwrap();
    // twice: the copy is made, then looked at
    for _ in 0..2 {
        let script = format!(
            "ulimit -v 110000; exec {} match random greedy --games 100 --jobs 1 --resume --json",
            env!("CARGO_BIN_EXE_outflank")
        );
        let (code, stdout, stderr) = status(Command::new("sh").arg("-c").arg(script).current_dir(dir));
        assert_eq!(code, Some(0), "{stderr:.500}");
        let found: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(found["games"], 100);
        assert_eq!(fs::read_to_string(dir.join("match.ggf")).unwrap().lines().count(), 100);
    }
}

/// Files without content lose nothing, nor does a match that ended before its first game.
#[test]
fn empty_files_are_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    for resume in [false, true] {
        let output = format!("empty-{resume}");
        let files = ["jsonl", "ggf"].map(|suffix| dir.join(format!("{output}.{suffix}")));
        files.iter().for_each(|file| fs::write(file, "").unwrap());
        let command = |games: u32| {
            let mut command = outflank(dir);
            command.args(quick(games)).args(["--output", &output]).args(resume.then_some("--resume"));
            status(&mut command)
        };
        let (code, stdout, stderr) = command(4);
        assert_eq!(code, Some(0), "{stderr}");
        let result: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(result["files"], serde_json::json!([format!("{output}.jsonl"), format!("{output}.ggf")]));
        assert_eq!(saved_games(&files[0]).len(), 4);
        // only the description, whole or begun
        let text = fs::read_to_string(&files[0]).unwrap();
        let description = text.lines().next().unwrap();
        for begun in [format!("{description}\n"), description.to_string(), description[..30].to_string()] {
            fs::write(&files[0], &begun).unwrap();
            fs::write(&files[1], "").unwrap();
            let (code, _, stderr) = command(2);
            assert_eq!(code, Some(0), "{begun}: {stderr}");
            assert_eq!(saved_games(&files[0]).len(), 2);
            assert!(fs::read_to_string(&files[0]).unwrap().starts_with(&format!("{description}\n")));
        }
    }
    // another match may begin where one has not begun, but not go on there
    let mut other = outflank(dir);
    other.args(["random", "greedy", "--games", "2", "--output", "empty-false"]);
    let text = fs::read_to_string(dir.join("empty-false.jsonl")).unwrap();
    fs::write(dir.join("empty-false.jsonl"), text.lines().next().unwrap().to_string() + "\n").unwrap();
    fs::write(dir.join("empty-false.ggf"), "").unwrap();
    assert_eq!(status(other.arg("--resume")).0, Some(2));
    let mut other = outflank(dir);
    assert_eq!(status(other.args(["random", "greedy", "--games", "2", "--output", "empty-false"])).0, Some(0));
}

/// A match whose players do not start leaves no files; files that were there, and those with games, stay.
#[test]
fn a_match_that_cannot_start_leaves_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let names = || {
        let files = fs::read_dir(dir).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        files.collect::<std::collections::BTreeSet<_>>()
    };
    let missing = ["random", "gtp:/nonexistent/engine", "--games", "2", "--reasons", "why.pgn"];
    let (code, _, stderr) = status(outflank(dir).args(missing));
    assert!(code == Some(2) && stderr.contains("cannot run '/nonexistent/engine'"), "{stderr}");
    assert!(names().is_empty(), "{:?}", names());
    // several players, of which only the last cannot play: that is known before the first game
    let field = |last: &str, more: &[&str]| {
        let players = ["random", "greedy", last, "--games", "2"];
        status(outflank(dir).args(players).args(more))
    };
    for (last, part) in [
        ("gtp:/nonexistent/engine", "cannot run '/nonexistent/engine'"),
        ("outflank,eval=nofile", "cannot read 'nofile'"),
        ("outflank,book=nofile", "nofile"),
    ] {
        let (code, stdout, stderr) = field(last, &[]);
        assert!(code == Some(2) && stdout.is_empty() && stderr.contains(part), "{stdout} {stderr}");
        assert!(names().is_empty(), "{:?}", names());
    }
    // one that starts, and does not know the game
    let program = dir.join("reversi8");
    fs::write(&program, "#!/bin/sh\nwhile read -r command rest; do case $command in boardsize) printf '? only 8\\n\\n';; *) printf '=\\n\\n';; esac; done\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let (code, stdout, stderr) = field("gtp:./reversi8", &["--rules", "othello:6x6"]);
    assert!(code == Some(2) && stdout.is_empty(), "{stdout}");
    assert_eq!(stderr, "outflank: ./reversi8 refuses 'boardsize 6': only 8\n");
    fs::remove_file(&program).unwrap();
    assert!(names().is_empty(), "{:?}", names());
    // nor are games played where another file is in the way of later ones
    for file in ["match-2-3.jsonl", "match-2-3.ggf"] {
        fs::write(dir.join(file), "hello\n").unwrap();
        let (code, stdout, stderr) = field("mobility", &[]);
        assert!(code == Some(2) && stdout.is_empty(), "{stdout}");
        assert!(stderr.contains(&format!("{file} is there already and is no file of this match")), "{stderr}");
        assert_eq!(names().into_iter().collect::<Vec<_>>(), [file]);
        fs::remove_file(dir.join(file)).unwrap();
    }
    // a program that is not there any more
    let engine = dir.join("engine");
    std::os::unix::fs::symlink("/nonexistent", &engine).unwrap();
    for file in ["match.jsonl", "match.ggf", "why.pgn"] {
        fs::write(dir.join(file), "").unwrap();
    }
    let before = names();
    assert_eq!(status(outflank(dir).args(missing)).0, Some(2));
    assert_eq!(names(), before);
}

/// An error that ends a match of several players later on leaves a table of the games that were played.
#[test]
fn an_error_between_several_players_loses_no_result() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    // a program that is there once only: for the check before the first game
    let engine = dir.join("once");
    let write_program = |first: &str| {
        let program = format!("#!/bin/sh\n{first}exec {} gtp --level 0\n", env!("CARGO_BIN_EXE_outflank"));
        fs::write(&engine, program).unwrap();
        fs::set_permissions(&engine, fs::Permissions::from_mode(0o755)).unwrap();
    };
    write_program("rm \"$0\"\n");
    let field = ["random", "greedy", "gtp:./once", "--games", "2", "--jobs", "1", "--output", "once"];
    let (code, table, stderr) = status(outflank(dir).args(field));
    assert!(code == Some(2) && stderr.contains("cannot run './once'"), "{stderr}");
    assert!(table.starts_with("3 players, round robin: 2 games, interrupted; --resume goes on\n"), "{table}");
    assert!(!dir.join("once-1-3.jsonl").exists());
    let points = |table: &str, player: &str| {
        let row = table.lines().find(|line| line.contains(player)).map(|line| line.split_whitespace().rev().take(5));
        row.map(|cells| cells.collect::<Vec<_>>()[4].to_string())
    };
    assert_eq!(points(&table, "gtp:./once").as_deref(), Some("0"), "{table}");
    // a program that all games were played with is not asked for
    write_program("");
    let (code, whole, stderr) = status(outflank(dir).args(field).arg("--resume"));
    assert!(code == Some(0) && whole.starts_with("3 players, round robin: 6 games\n"), "{whole} {stderr}");
    fs::remove_file(&engine).unwrap();
    let (code, again, stderr) = status(outflank(dir).args(field).arg("--resume"));
    assert!(code == Some(0) && again.starts_with("3 players, round robin: 6 games\n"), "{again} {stderr}");
    // what is saved of matches that it does not come to any more counts, too
    write_program("rm \"$0\"\n");
    let more = ["--games", "4", "--resume"];
    let (code, table, stderr) = status(outflank(dir).args(&field[..3]).args(&field[5..]).args(more));
    assert_eq!(code, Some(2), "{stderr}");
    assert!(table.starts_with("3 players, round robin: 8 games, interrupted; --resume goes on\n"), "{table}");
    assert!(table.contains(" Outflank ") && !table.contains("gtp:./once"), "{table}");
    // games of the match that the disk is full in count as well: no file may have more than 40 blocks
    let script = "trap '' XFSZ; ulimit -f 40; exec \"$@\"";
    let mut command = Command::new("sh");
    command.current_dir(dir).args(["-c", script, "sh", env!("CARGO_BIN_EXE_outflank"), "match"]);
    let players = ["random", "greedy", "mobility", "--games", "60", "--json"];
    let (code, value, stderr) = status(command.args(players));
    assert_eq!(code, Some(3), "{stderr}");
    let value: Value = serde_json::from_str(&value).unwrap();
    let saved = saved_games(&dir.join("match-1-2.jsonl")).len();
    assert!((1..60).contains(&saved) && value["matches"][0]["games"] == saved, "{saved} {value}");
    assert_eq!((&value["interrupted"], value["matches"].as_array().unwrap().len()), (&true.into(), 1));
}

/// The text for people has the games of earlier sessions also when it was not asked for then, and is read like other games.
#[test]
fn reasons_are_written_of_every_game() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let play = |games: u32, more: &[&str]| {
        let (code, _, stderr) = status(outflank(dir).args(quick(games)).args(["--rules", "othello:6x6"]).args(more));
        assert_eq!(code, Some(0), "{stderr}");
    };
    play(4, &[]);
    play(6, &["--resume", "--reasons", "why.pgn"]);
    let path = dir.join("why.pgn");
    let whole = fs::read_to_string(&path).unwrap();
    assert_eq!(whole.matches("[Reason ").count(), 6, "{whole}");
    // what is there already is not written again
    play(8, &["--resume", "--reasons", "why.pgn"]);
    let longer = fs::read_to_string(&path).unwrap();
    assert!(longer.starts_with(&whole) && longer.matches("[Reason ").count() == 8, "{longer}");
    for again in [None, Some("")] {
        fs::remove_file(&path).unwrap();
        again.iter().for_each(|text| fs::write(&path, text).unwrap());
        play(8, &["--resume", "--reasons", "why.pgn"]);
        assert_eq!(fs::read_to_string(&path).unwrap().len(), longer.len());
    }
    // the same games as in the other files, with their rules and dates
    let games = saved_games(&dir.join("match.jsonl"));
    let convert = |name: &str| {
        let arguments = ["games", "convert", name];
        let output = Command::new(env!("CARGO_BIN_EXE_outflank")).current_dir(dir).args(arguments).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!((games.len(), convert("why.pgn").len()), (8, 9), "and a line that names the rules");
    assert_eq!(convert("why.pgn"), convert("match.ggf"));
    let ggf = fs::read_to_string(dir.join("match.ggf")).unwrap();
    let date = ggf.split("DT[").nth(1).unwrap().split(']').next().unwrap();
    for tag in [format!("[Date \"{}\"]\n", date.replace('-', ".")), format!("[Ended \"{date} ")] {
        assert_eq!(longer.matches(&tag).count(), 8, "{tag}: {longer}");
    }
}

/// The text for people goes on with the match that it is of, whole; with another one, or beside anything else, it is refused and stays
/// as it is.
#[test]
fn reasons_are_those_of_one_match() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let (path, games) = (dir.join("why.pgn"), dir.join("match.jsonl"));
    let play = |players: &[&str], more: &[&str]| {
        status(outflank(dir).args(players).args(["--reasons", "why.pgn", "--resume"]).args(more))
    };
    let two = |count: &str| play(&["random", "greedy", "--seed", "1", "--games", count], &[]);
    assert_eq!(two("4").0, Some(0));
    let whole = fs::read_to_string(&path).unwrap();
    // a kill in the middle of a game
    fs::write(&path, &whole[..whole.len() - 20]).unwrap();
    assert_eq!(two("4").0, Some(0));
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    // the power failed, and the games have lost the last one, which is played again
    let saved = fs::read_to_string(&games).unwrap();
    fs::write(&games, &saved[..saved.trim_end().rfind('\n').unwrap() + 1]).unwrap();
    assert_eq!(two("4").0, Some(0));
    let again = fs::read_to_string(&path).unwrap();
    assert_eq!((again.matches("[Reason ").count(), saved_games(&games).len()), (4, 4), "{again}");
    // games of another match, of a part of this one, and notes
    let notes = again.clone() + "my notes\n";
    let swapped = again.replacen("random", "rundum", 1);
    for text in [&again, &notes, &swapped] {
        fs::write(&path, text).unwrap();
        let more = if *text == again { &["--output", "other"][..] } else { &[] };
        let (code, _, stderr) = play(&["random", "greedy", "--games", "6"], more);
        let problem = "why.pgn is there already and is no file of this match: move it away, or choose another name";
        assert!(code == Some(2) && stderr.contains(problem), "{stderr}");
        assert!(fs::read_to_string(&path).unwrap() == *text && !dir.join("other.jsonl").exists());
    }
    // files of the match itself
    fs::write(dir.join("lines.txt"), "f5d6\n").unwrap();
    for name in ["match.jsonl", "./match.ggf", "lines.txt"] {
        let before = fs::read_to_string(dir.join(name)).unwrap();
        let arguments = ["random", "greedy", "--openings", "lines.txt", "--games", "2", "--reasons", name];
        let (code, _, stderr) = status(outflank(dir).args(arguments).arg("--resume"));
        assert!(code == Some(2) && stderr.contains("the match has another use for this file"), "{stderr}");
        assert_eq!(fs::read_to_string(dir.join(name)).unwrap(), before);
    }
    // of several players: the games of all matches, in the order in which they ended
    fs::remove_file(&path).unwrap();
    for count in ["2", "4", "6", "6"] {
        let (code, _, stderr) = play(&["random", "greedy", "mobility", "--games", count], &["--output", "field"]);
        assert_eq!(code, Some(0), "{stderr}");
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("[Reason ").count(), 3 * count.parse::<usize>().unwrap(), "{text}");
    }
    // games that were saved without it, and those of one match: each once
    let text = fs::read_to_string(&path).unwrap();
    let games: Vec<&str> = text.split_inclusive("\n\n").collect();
    for kept in [String::new(), games[..games.len() / 2].concat()] {
        fs::write(&path, &kept).unwrap();
        let (code, _, stderr) = play(&["random", "greedy", "mobility", "--games", "6"], &["--output", "field"]);
        assert_eq!(code, Some(0), "{stderr}");
        let again = fs::read_to_string(&path).unwrap();
        assert!(again.starts_with(&kept), "{again}");
        let mut sorted = [&text, &again].map(|text| text.split("[Event ").map(str::to_string).collect::<Vec<_>>());
        sorted.iter_mut().for_each(|games| games.sort());
        assert_eq!(sorted[0], sorted[1]);
    }
}

/// Games had no dates once: such a match goes on, and its games get some.
#[test]
fn copies_without_dates_are_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    assert_eq!(status(outflank(dir).args(quick(4))).0, Some(0));
    let copy = dir.join("match.ggf");
    let dated = fs::read_to_string(&copy).unwrap();
    assert_eq!(dated.matches("DT[").count(), 4);
    let undated: String = dated
        .lines()
        .map(|line| {
            let (before, rest) = line.split_once("DT[").unwrap();
            format!("{before}{}\n", rest.split_once(']').unwrap().1)
        })
        .collect();
    fs::write(&copy, undated).unwrap();
    let (code, _, stderr) = status(outflank(dir).args(quick(4)).arg("--resume"));
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(fs::read_to_string(&copy).unwrap(), dated);
}

/// A GGF file that lost its end is completed, one that another program has changed is refused.
#[test]
fn the_copy_is_made_whole_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    assert_eq!(status(outflank(dir).args(quick(6))).0, Some(0));
    let copy = dir.join("match.ggf");
    let whole = fs::read_to_string(&copy).unwrap();
    let resume = || status(outflank(dir).args(quick(6)).arg("--resume"));
    for length in [0, 100, whole.len() / 2, whole.len() - 1, whole.len()] {
        fs::write(&copy, &whole[..length]).unwrap();
        let (code, _, stderr) = resume();
        assert_eq!(code, Some(0), "{stderr}");
        assert_eq!(fs::read_to_string(&copy).unwrap(), whole);
    }
    fs::remove_file(&copy).unwrap();
    assert_eq!(resume().0, Some(0));
    assert_eq!(fs::read_to_string(&copy).unwrap(), whole);
    let own = whole.lines().next().unwrap();
    for changed in [
        format!("{whole}mine"),
        format!("{whole}{own}\nmine"),
        format!("{whole}{own}\nmine\n{own}\n"),
        format!("{own}\n{whole}"),
        whole.replacen("B[", "B [", 1),
        "mine".to_string(),
    ] {
        fs::write(&copy, &changed).unwrap();
        let (code, _, stderr) = resume();
        assert!(code == Some(2) && stderr.contains("match.ggf is there already"), "{stderr}");
        assert_eq!(fs::read_to_string(&copy).unwrap(), changed);
    }
}

/// Where the power failed, the games may have lost the last of them, which their copies still have: they are played again.
#[test]
fn copies_with_more_games_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let resume = || status(outflank(dir).args(quick(6)).args(["--reasons", "why.pgn", "--resume"]));
    assert_eq!(resume().0, Some(0));
    let [file, copy, reasons] = ["match.jsonl", "match.ggf", "why.pgn"].map(|name| dir.join(name));
    let [games, whole, why] = [&file, &copy, &reasons].map(|path| fs::read_to_string(path).unwrap());
    let ends: Vec<usize> = games.match_indices('\n').map(|(end, _)| end + 1).collect();
    for left in [5, 4, 1] {
        for kept in [ends[left], ends[left] + 100] {
            for cut in [0, 1, 30] {
                fs::write(&file, &games[..kept]).unwrap();
                fs::write(&copy, &whole[..whole.len() - cut]).unwrap();
                fs::write(&reasons, &why[..why.len() - cut]).unwrap();
                let (code, _, stderr) = resume();
                assert!(code == Some(0) && stderr.contains(&format!("resuming after {left} game")), "{stderr}");
                assert_eq!(fs::read_to_string(&copy).unwrap().lines().count(), 6);
                assert_eq!(fs::read_to_string(&reasons).unwrap().matches("[Reason ").count(), 6);
            }
        }
    }
    // nothing says that several are of this match where it has none of its own
    fs::remove_file(&reasons).unwrap();
    fs::write(&file, &games[..ends[0]]).unwrap();
    fs::write(&copy, &whole).unwrap();
    let (code, _, stderr) = status(outflank(dir).args(quick(6)).arg("--resume"));
    assert!(code == Some(2) && stderr.contains("match.ggf is there already"), "{stderr}");
    // without its games a copy is all that there is
    fs::remove_file(&file).unwrap();
    fs::write(&copy, format!("{}\n", whole.lines().next().unwrap())).unwrap();
    for resume in [&[][..], &["--resume"]] {
        let (code, _, stderr) = status(outflank(dir).args(quick(6)).args(resume));
        assert!(code == Some(2) && stderr.contains("match.ggf is there already"), "{stderr}");
    }
}

/// Killed again and again at any moment, a match loses no game that was saved and comes to the same end.
#[test]
fn kills_at_any_moment_lose_no_game() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let games = 2000;
    assert_eq!(status(outflank(dir).args(quick(games)).args(["--output", "whole"])).0, Some(0));
    let whole = saved_games(&dir.join("whole.jsonl"));
    let file = dir.join("killed.jsonl");
    let mut saved = String::new();
    let mut kills = 0;
    for round in 0..100 {
        let mut command = outflank(dir);
        command.args(quick(games)).args(["--output", "killed", "--resume"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        // from before the files are opened until many games later
        thread::sleep(Duration::from_millis(3 * round % 70));
        child.kill().unwrap();
        let ended = child.wait().unwrap().success();
        let now = fs::read_to_string(&file).unwrap_or_default();
        let complete = &saved[..saved.rfind('\n').map_or(0, |end| end + 1)];
        assert!(now.starts_with(complete), "round {round}: a saved game is gone");
        saved = now;
        if ended {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 5, "killed {kills} times only");
    let (code, stdout, stderr) = status(outflank(dir).args(quick(games)).args(["--output", "killed", "--resume"]));
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(saved_games(&file), whole);
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap()["games"], games);
    assert_eq!(fs::read_to_string(dir.join("killed.ggf")).unwrap().lines().count(), games as usize);
}

/// A disk that is full in the middle of a line: status 3, the games before it are kept, and the match can go on.
#[test]
fn a_full_disk_loses_no_game() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    assert_eq!(status(outflank(dir).args(quick(60)).args(["--output", "whole"])).0, Some(0));
    for blocks in [0, 1, 8, 9, 40] {
        let output = format!("full{blocks}");
        let file = dir.join(format!("{output}.jsonl"));
        // no file may become longer than so many blocks of 512 bytes: the write that crosses the limit is cut short
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let mut command = Command::new("sh");
        command.current_dir(dir).args(["-c", &script, "sh", env!("CARGO_BIN_EXE_outflank"), "match"]);
        let (code, _, stderr) = status(command.args(quick(60)).args(["--output", &output]));
        assert_eq!(code, Some(3), "{stderr}");
        let text = fs::read_to_string(&file).unwrap();
        let saved = text.lines().count().saturating_sub(1);
        assert!(text.is_empty() || text.ends_with('\n'), "half a line was taken back: {text}");
        assert!(text.len() as u64 <= 512 * blocks && (blocks < 40 || saved > 1), "{saved}");
        let finished = if saved == 1 { "1 finished game is" } else { &format!("{saved} finished games are") };
        assert!(saved == 0 || stderr.contains(&format!("{finished} in {output}.jsonl")), "{stderr}");
        let (code, _, stderr) = status(outflank(dir).args(quick(60)).args(["--output", &output, "--resume"]));
        assert_eq!(code, Some(0), "{stderr}");
        assert!(saved == 0 || stderr.contains(&format!("resuming after {}", plural(saved as u64, "game"))), "{stderr}");
        assert_eq!(saved_games(&file), saved_games(&dir.join("whole.jsonl")));
    }
}

/// Records that are no games of this match are refused by line, and stay as they are.
#[test]
fn records_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    assert_eq!(status(outflank(dir).args(quick(4))).0, Some(0));
    let (file, copy) = (dir.join("match.jsonl"), dir.join("match.ggf"));
    let text = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let change = |line: &str, field: &str, value: Value| {
        let mut game: Value = serde_json::from_str(line).unwrap();
        game[field] = value;
        game.to_string()
    };
    let winner = if lines[1].contains(r#""winner":"black""#) { "white" } else { "black" };
    let mut cut: Value = serde_json::from_str(lines[1]).unwrap();
    cut["moves"].as_array_mut().unwrap().pop();
    let mut sides: Value = serde_json::from_str(lines[1]).unwrap();
    sides["moves"][0]["side"] = "white".into();
    for (bad, part) in [
        ("x".to_string(), "line 2: expected value"),
        (change(lines[1], "leg", 2.into()), "line 2: leg 2"),
        (change(lines[1], "winner", winner.into()), "line 2: winner and score"),
        (change(lines[1], "score", 3.into()), "line 2: winner and score"),
        (change(lines[1], "opening_plies", 99.into()), "line 2: 99 opening moves of"),
        (cut.to_string(), "line 2: the game is not over"),
        (sides.to_string(), "line 2: move 1: it is not white's turn"),
        (lines[2].to_string(), "line 3: pair"),
        ("y".repeat(2 << 20), "line 2: the line is too long"),
    ] {
        let changed = format!("{}\n{bad}\n{}\n", lines[0], lines[2]);
        fs::write(&file, &changed).unwrap();
        let games = fs::read_to_string(&copy).unwrap();
        let (code, _, stderr) = status(outflank(dir).args(quick(4)).arg("--resume"));
        assert!(code == Some(2) && stderr.contains(part), "{bad:.60}: {code:?} {stderr}");
        assert_eq!(fs::read_to_string(&file).unwrap(), changed);
        assert_eq!(fs::read_to_string(&copy).unwrap(), games);
    }
}

/// Two matches cannot play into the same files.
#[test]
fn files_in_use_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let asleep = dir.join("asleep");
    let mut child = outflank(dir)
        .env("FAKE_ASLEEP", &asleep)
        .args(["random", &fake("gtp", "hang"), "--games", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("the engine sleeps", || asleep.exists());
    for resume in [&[][..], &["--resume"]] {
        let (code, _, stderr) = status(outflank(dir).args(quick(2)).args(resume));
        assert!(code == Some(2) && stderr.contains("match.jsonl is in use"), "{stderr}");
    }
    // nor may a program of the match log there
    let games = fs::read_to_string(dir.join("match.jsonl")).unwrap();
    let log = |program: &mut Command| status(program.args(["gtp", "--log", "match.jsonl"]).stdin(Stdio::null()));
    let (code, _, stderr) = log(Command::new(env!("CARGO_BIN_EXE_outflank")).current_dir(dir));
    assert_eq!((code, stderr.as_str()), (Some(2), "outflank: --log match.jsonl is in use by another process\n"));
    assert_eq!(fs::read_to_string(dir.join("match.jsonl")).unwrap(), games);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The log of a match has what its programs are sent and what they answer.
#[test]
fn the_log_has_the_lines_of_programs() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    for (protocol, mode, asked, answered) in
        [("gtp", "omit", " > genmove black", " < = "), ("nboard", "good", " > go", " < === ")]
    {
        let log = format!("{protocol}.log");
        let arguments = [&fake(protocol, mode), "random", "--games", "2", "--output", protocol, "--log", &log];
        assert_eq!(status(outflank(dir).args(arguments)).0, Some(0));
        let text = fs::read_to_string(dir.join(&log)).unwrap();
        for part in [asked, answered] {
            assert!(text.lines().filter(|line| line.contains(part)).count() > 20, "{protocol}: {text}");
        }
    }
}

/// Every game reaches the disk: the last sync comes after the last game. Without strace nobody can see it.
#[test]
fn games_are_synced() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let traced = |program: &[&str]| {
        let mut command = Command::new("strace");
        command.current_dir(dir).args(["-f", "-qq", "-e", "trace=write,fdatasync,fsync,rename", "-o", "trace"]);
        command.args(program).output().is_ok_and(|output| output.status.success())
    };
    if !traced(&["true"]) {
        eprintln!("skipped: strace is not there, or may not trace");
        return;
    }
    let arguments = quick(10);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    assert!(traced(&[&[env!("CARGO_BIN_EXE_outflank"), "match"], &arguments[..]].concat()));
    let trace = fs::read_to_string(dir.join("trace")).unwrap();
    let position = |part: &str| trace.lines().collect::<Vec<_>>().iter().rposition(|line| line.contains(part));
    let (game, sync) = (position(r#"{\"pair\":"#), position("fdatasync("));
    assert!(game.is_some() && sync > game, "{game:?} {sync:?}");
    // the copy is whole before it has its name
    assert!(position("fsync(").is_some() && position("rename(").is_some(), "{trace}");
}

/// Runs a match of players that always play the same, and gives what it says before and after.
fn repetitive(dir: &Path, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let (code, stdout, stderr) = status(outflank(dir).args(arguments).arg("--json"));
    (code, serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}")), stderr)
}

/// A hundred games of which two are different are one pair: no test is decided by it, and it is said before.
#[test]
fn repeated_games_decide_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    fs::write(dir.join("one.txt"), "f5d6c3\n").unwrap();
    let engine = format!("gtp:'{}' gtp --level 1", env!("CARGO_BIN_EXE_outflank"));
    let fake = fake("gtp", "omit");
    let openings = ["--openings", "one.txt"];
    let with = |more: &[&'static str]| [&openings[..], more].concat();
    let players = [engine.as_str(), fake.as_str()];
    let arguments = [&players[..], &with(&["--games", "40", "--sprt", "-50", "0", "--jobs", "2"])].concat();
    let (code, result, stderr) = repetitive(dir, &arguments);
    assert!(stderr.contains("note: 1 different opening for up to 20 pairs of games"), "{stderr}");
    assert_eq!(
        (&result["games"], &result["distinct_games"], &result["repeated_pairs"]),
        (&40.into(), &2.into(), &19.into())
    );
    assert_eq!(result["pairs"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum::<u64>(), 1);
    assert_eq!((code, &result["sprt"]["verdict"]), (Some(4), &Value::Null), "{result}");
    let elo = &result["elo"];
    assert!(elo["low"].as_f64().unwrap() < 0.0 && elo["high"].as_f64().unwrap() > 100.0, "{elo}");
    assert!(result["los"].as_f64().unwrap() < 0.95, "{result}");

    // inside the process it is known before: without --games, only what can differ is played
    let players = ["outflank,level=1", "outflank,level=2"];
    let (_, result, stderr) = repetitive(dir, &[&players[..], &with(&["--output", "known"])].concat());
    assert!(stderr.contains("both players always play the same") && stderr.contains("2 games can differ"), "{stderr}");
    assert_eq!((&result["games"], &result["distinct_games"]), (&2.into(), &2.into()));
    let (_, result, _) = repetitive(dir, &[&players[..], &with(&["--output", "asked", "--games", "6"])].concat());
    assert_eq!((&result["games"], &result["distinct_games"]), (&6.into(), &2.into()));
    // the table says so as well
    let arguments = [&players[..], &with(&["--output", "table", "--games", "6"])].concat();
    let (_, stdout, _) = status(outflank(dir).args(arguments));
    assert!(stdout.contains("games  only 2 are different; 2 pairs with repeated games do not count"), "{stdout}");
    // players that vary need no openings
    let (_, result, stderr) = repetitive(dir, &[&["random", "greedy"], &with(&["--output", "vary"])[..]].concat());
    assert!(!stderr.contains("note:"), "{stderr}");
    assert_eq!((&result["games"], &result["distinct_games"]), (&100.into(), &100.into()));
}

/// The summary says where the games are; a single pair is not called certain.
#[test]
fn a_summary_of_one_pair() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["outflank,level=4", "random", "--games", "2", "--output", "pair"];
    let (code, stdout, stderr) = status(outflank(folder.path()).args(arguments));
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("files  pair.jsonl and pair.ggf\n"), "{stdout}");
    assert!(
        stdout.contains(" a game, over 1 pair played out\n") && !stdout.contains("(95 %) a game"),
        "the spread of one pair is not known: {stdout}"
    );
    let more = ["outflank,level=1", "random", "--games", "6", "--output", "pairs"];
    let (_, table, _) = status(outflank(folder.path()).args(more));
    assert!(table.contains(" (95 %) a game, over 3 pairs played out\n"), "{table}");
    assert!(
        !stdout.contains("inf") && !stdout.contains("100.0 %,") && stdout.contains("better with probability"),
        "{stdout}"
    );
}
