//! `outflank selfplay` as a program: games survive a kill, text comes out, bad input is named.
#![cfg(feature = "cli")]

mod waiting;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use outflank::eval::{Model, Weights};
use outflank::selfplay::{Archive, GameRecord, Reader};
use waiting::wait_for_bytes;

fn outflank(arguments: &[&str], out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
    command.arg("selfplay").args(arguments).arg("--out").arg(out);
    command
}

fn run(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// The games of a file by index.
fn games(path: &Path) -> Vec<GameRecord> {
    let mut games: Vec<GameRecord> = Reader::open(path).unwrap().map(Result::unwrap).collect();
    games.sort_by_key(|game| game.index);
    games
}

const QUICK: [&str; 8] = ["--depth", "2", "--exact", "8", "--threads", "2", "--seed", "7"];

#[test]
fn killed_games_go_on_where_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, torn) = (folder.path().join("whole.osp"), folder.path().join("torn.osp"));
    let arguments = [&QUICK[..], &["--games", "3000"]].concat();
    assert!(run(&mut outflank(&arguments, &whole)).status.success());
    let mut kills = 0;
    for part in 1..4 {
        let mut child = outflank(&arguments, &torn).stdout(Stdio::null()).spawn().unwrap();
        wait_for_bytes(&torn, fs::metadata(&whole).unwrap().len() * part / 4);
        child.kill().unwrap();
        kills += (!child.wait().unwrap().success()) as usize;
        let left = games(&torn).len();
        assert!(left >= 600 * part as usize, "{left} games after kill {part}");
    }
    assert!(kills >= 2, "the program was done before it was killed");
    // what a power cut in the middle of a write would leave
    let mut bytes = fs::read(&torn).unwrap();
    bytes.extend_from_slice(&fs::read(&whole).unwrap()[200..300]);
    fs::write(&torn, bytes).unwrap();
    let last = run(outflank(&arguments, &torn).arg("--json"));
    assert!(last.status.success(), "{}", text(&last.stderr));
    let summary: serde_json::Value = serde_json::from_slice(&last.stdout).unwrap();
    assert_eq!((&summary["games"], &summary["complete"]), (&3000.into(), &true.into()));
    assert!(summary["games_played"].as_u64().unwrap() < 1800, "{summary}");
    let (whole, torn) = (games(&whole), games(&torn));
    assert_eq!(whole.len(), 3000);
    assert!(whole == torn, "the games are other ones");
    // another thousand games, on one thread
    let more = folder.path().join("torn.osp");
    let arguments = ["--depth", "2", "--exact", "8", "--threads", "1", "--seed", "7", "--games", "3010"];
    assert!(run(&mut outflank(&arguments, &more)).status.success());
    assert_eq!(games(&more).len(), 3010);
}

/// The openings that come with the program need no file.
#[test]
fn games_begin_with_balanced_openings() {
    let folder = tempfile::tempdir().unwrap();
    let play = |name: &str, openings: &str| {
        let path = folder.path().join(name);
        let output = run(&mut outflank(&[&QUICK[..], &["--games", "4", "--openings", openings]].concat(), &path));
        assert!(output.status.success(), "{}", text(&output.stderr));
        games(&path)
    };
    let file = folder.path().join("list");
    fs::write(&file, outflank::formats::openings::BALANCED).unwrap();
    assert!(play("a.osp", "balanced") == play("b.osp", file.to_str().unwrap()));
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_whole_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.osp");
    let arguments = [&QUICK[..], &["--games", "1M", "--json"]].concat();
    let child = outflank(&arguments, &path).stdout(Stdio::piped()).spawn().unwrap();
    wait_for_bytes(&path, 20_000);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut reader = Reader::open(&path).unwrap();
    let count = reader.by_ref().map(Result::unwrap).count();
    assert_eq!((&summary["games"], &summary["complete"]), (&count.into(), &false.into()));
    assert_eq!(reader.offset(), fs::metadata(&path).unwrap().len());
}

#[cfg(unix)]
#[test]
fn an_interrupt_behind_the_last_game_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.osp");
    let command = outflank(&[&QUICK[..], &["--games", "3"]].concat(), &path);
    let are_there = || Reader::open(&path).is_ok_and(|reader| reader.filter_map(Result::ok).count() == 3);
    assert_eq!(waiting::interrupted_behind_its_work(command, "three games", are_there), Some(0));
}

#[cfg(unix)]
#[test]
fn a_full_disc_costs_nothing_but_time() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, full) = (folder.path().join("whole.osp"), folder.path().join("full.osp"));
    let arguments = ["--depth", "2", "--exact", "8", "--threads", "1", "--seed", "7", "--games", "300"];
    assert!(run(&mut outflank(&arguments, &whole)).status.success());
    // a limit on the size of files stands for the disc; without the trap the signal would end the program
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 32; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_outflank"), "selfplay"]);
    let output = run(shell.args(arguments).arg("--out").arg(&full));
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(message.contains("cannot write") && message.contains("full.osp"), "{message}");
    // whole games up to the end, and the same command goes on
    let mut reader = Reader::open(&full).unwrap();
    let left = reader.by_ref().map(Result::unwrap).count();
    assert!((20..300).contains(&left), "{left} games");
    assert_eq!(reader.offset(), fs::metadata(&full).unwrap().len());
    assert!(run(&mut outflank(&arguments, &full)).status.success());
    assert!(fs::read(&whole).unwrap() == fs::read(&full).unwrap(), "the games are other ones");
}

#[test]
fn text_and_statistics() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.osp");
    let output = run(&mut outflank(&["--depth", "2", "--exact", "10", "--games", "20"], &path));
    assert!(output.status.success());
    let positions: usize = games(&path).iter().map(|game| game.positions().count()).sum();
    assert!(text(&output.stdout).contains(&format!("games.osp: 20 games, {positions} positions")));
    let outflank = |arguments: &[&str]| {
        let output = run(Command::new(env!("CARGO_BIN_EXE_outflank")).args(arguments).current_dir(&folder));
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let lines = outflank(&["selfplay", "--export", "games.osp"]);
    assert_eq!(lines.lines().count(), positions);
    // the solver agrees with the exact scores of the text
    let exact: String = lines.lines().filter(|line| line.contains(" exact ")).map(|line| format!("{line}\n")).collect();
    assert!(exact.lines().count() >= 150);
    fs::write(folder.path().join("exact.obf"), &exact).unwrap();
    outflank(&["solve", "exact.obf"]);
    // as games: what the values are of, and what others find in them
    let ggf = outflank(&["selfplay", "--export", "games.osp", "--to", "ggf"]);
    assert_eq!((ggf.lines().count(), ggf.matches('/').count()), (20, positions));
    fs::write(folder.path().join("games.ggf"), &ggf).unwrap();
    let checked = outflank(&["games", "check", "games.ggf", "--json"]);
    let sums: serde_json::Value = serde_json::from_str(checked.lines().last().unwrap()).unwrap();
    let nothing = ["unreadable", "wrong_results", "unfinished"].map(|name| sums[name].as_u64());
    assert_eq!((&sums["games"], nothing), (&20.into(), [Some(0); 3]));
    let refused = |arguments: &[&str]| {
        let output = run(Command::new(env!("CARGO_BIN_EXE_outflank")).args(arguments).current_dir(&folder));
        (output.status.code(), text(&output.stderr))
    };
    let (status, error) = refused(&["games", "check", "games.osp"]);
    assert_eq!((status, error.lines().count()), (Some(2), 1), "{error}");
    assert!(error.contains("the file has self-play games: export them first"), "{error}");
    let (status, error) = refused(&["selfplay", "--export", "games.osp", "--to", "wthor"]);
    assert!(status == Some(2) && error.contains("WTHOR needs a file"), "{error}");
    let table = outflank(&["selfplay", "--stats", "games.osp"]);
    assert!(table.contains("20 games from "), "{table}");
    let json: serde_json::Value =
        serde_json::from_str(&outflank(&["selfplay", "--json", "--stats", "games.osp", "games.osp"])).unwrap();
    assert_eq!((&json["games"], &json["positions"]), (&40.into(), &(2 * positions).into()));
    assert!(json["distinct"].as_u64().unwrap() <= positions as u64);
}

#[test]
fn training_on_selfplay_games() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--depth", "1", "--exact", "6", "--games", "400", "--random-plies", "20-40", "--stray", "0"];
    for (name, seed) in [("a.osp", "1"), ("b.osp", "2")] {
        let made = run(outflank(&arguments, &folder.path().join(name)).args(["--seed", seed]));
        assert!(made.status.success(), "{}", text(&made.stderr));
    }
    let train = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
        command.args(["train", "--iterations", "2", "--window", "1"]).args(arguments).current_dir(&folder);
        let output = run(&mut command);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let both = ["--selfplay", "a.osp", "b.osp", "--json"];
    let (status, json, _) = train(&[&both[..], &["--out", "1.bin", "--threads", "1"]].concat());
    assert_eq!(status, Some(0));
    let metrics: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&metrics["games"], &metrics["selfplay_games"]), (&0.into(), &800.into()));
    let count = |name: &str| metrics[name].as_u64().unwrap() as usize;
    let games = [games(&folder.path().join("a.osp")), games(&folder.path().join("b.osp"))].concat();
    let positions: usize = games.iter().map(|game| game.positions().count()).sum();
    let (known, tested) = (count("train_positions") + count("test_positions"), count("test_positions"));
    assert!(known <= positions && known > positions * 9 / 10, "{known} of {positions}");
    assert!((positions / 60..positions / 8).contains(&tested), "{tested} of {positions}");
    let mae = |stage: &serde_json::Value, name: &str| stage[name].as_f64().unwrap();
    let stages = metrics["stages"].as_array().unwrap();
    let stage = stages.iter().find(|stage| stage["empties"] == 10).unwrap();
    assert!(mae(stage, "mae") < 0.9 * mae(stage, "zero_mae") && mae(stage, "built_in_mae") > 0.0, "{stage}");
    // searches with them use the built-in error model until their own is measured
    assert_eq!(metrics["error_model"], "built-in weights");
    let built_in = Weights::embedded_model().unwrap().errors;
    assert_eq!(Model::load(&folder.path().join("1.bin")).unwrap().errors, built_in);
    // the same on two threads, other weights from fewer games
    train(&[&both[..], &["--out", "2.bin", "--threads", "2"]].concat());
    let weights = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(weights("1.bin") == weights("2.bin"), "the weights depend on the number of threads");
    // somebody's folder is called as that of the checkpoints
    fs::create_dir_all(folder.path().join("checkpoints/best")).unwrap();
    let others = folder.path().join("checkpoints/best/model");
    fs::write(&others, "the work of weeks").unwrap();
    let fewer = ["--selfplay", "a.osp", "--selfplay-games", "100", "--json", "--out", "3.bin", "--report", "."];
    let (_, json, _) = train(&fewer);
    assert!(others.exists() && !folder.path().join("2.bin.report/checkpoints").exists());
    assert_eq!(fs::read_dir(folder.path().join("checkpoints")).unwrap().count(), 1);
    assert!(json.contains("\"selfplay_games\":100,"), "{json}");
    assert!(weights("1.bin") != weights("3.bin"));

    // as a recipe keeps games with new labels
    let reader = Reader::open(&folder.path().join("a.osp")).unwrap();
    let header = reader.header().clone();
    let last = reader.map(Result::unwrap).max_by_key(|game| game.index).unwrap();
    let number = last.index.to_string();
    Archive::open(&folder.path().join("late.osp"), &header).unwrap().append(&last).unwrap();
    let none = format!("late.osp: no games with an index below {number}");
    for (arguments, expected) in [
        (&["--selfplay", "late.osp", "--selfplay-games", &number][..], none.as_str()),
        (&["--selfplay", "1.bin"], "1.bin: not an Outflank self-play file"),
        (&["--selfplay", "missing.osp"], "cannot read 'missing.osp'"),
        (&[], "nothing to learn from: give --games, --selfplay, --recipe or --correct"),
        (&["--selfplay", "a.osp", "--lambda", "1.5"], "not a number from 0 to 1"),
    ] {
        let (status, _, message) = train(&[arguments, &["--out", "4.bin"]].concat());
        assert_eq!(status, Some(2), "{message}");
        assert!(message.contains(expected), "{message}");
        assert!(!folder.path().join("4.bin").exists());
    }
    // before anything is read: an hour of training would be lost
    let (status, _, message) = train(&["--selfplay", "missing.osp", "--out", "nowhere/4.bin"]);
    assert_eq!(status, Some(3));
    assert!(message.contains("cannot write 'nowhere/4.bin'"), "{message}");
}

/// Names of games and of weights stand side by side on a command line, and are easily swapped.
#[test]
fn games_are_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.osp");
    assert!(run(&mut outflank(&["--depth", "1", "--exact", "4", "--games", "2"], &path)).status.success());
    let before = fs::read(&path).unwrap();
    fs::write(folder.path().join("games.txt"), "f5d6c3\n").unwrap();
    // nor are other things that weights are learnt from
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/recipe-small.txt"), folder.path().join("r.txt")).unwrap();
    for learnt_from in ["--recipe r.txt", "--selfplay games.osp --from r.txt", "--selfplay games.osp --linear r.txt"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
        command.args(["train", "--out", "./r.txt"]).args(learnt_from.split(' '));
        let output = run(command.current_dir(folder.path()));
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(text(&output.stderr), "outflank: ./r.txt: the command reads this file, which is not overwritten\n");
    }
    assert!(!folder.path().join("r.txt.recipe").exists());
    for arguments in [
        "train --selfplay games.osp --iterations 1 --parity-games 0 --out games.osp",
        "games convert games.txt --to sgf -o games.osp",
        "board f5d6 --svg games.osp",
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
        let output = run(command.args(arguments.split(' ')).current_dir(folder.path()));
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {error}");
        assert_eq!(error, "outflank: games.osp: a file of self-play games, which is not overwritten\n", "{arguments}");
        assert!(fs::read(&path).unwrap() == before, "{arguments}");
    }
}

#[test]
fn bad_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.osp");
    let foreign = folder.path().join("foreign");
    fs::write(&foreign, "no weights, no games, no openings").unwrap();
    assert!(run(&mut outflank(&["--depth", "1", "--exact", "4", "--games", "2"], &path)).status.success());
    let before = fs::read(&path).unwrap();
    let foreign = foreign.to_str().unwrap();
    let cases: [(&[&str], &str); 10] = [
        (
            &["--depth", "2", "--exact", "4"],
            "cannot go on, search was 'depth 1 at 100%' then and is 'depth 2 at 100%' now",
        ),
        (&["--depth", "1", "--exact", "4", "--seed", "2"], "seed was '1' then and is '2' now"),
        (&["--time", "1"], "limit --nodes instead"),
        (&["--random-plies", "9-3"], "not a range of plies"),
        (&["--stray", "101"], "not a number from 0 to 100"),
        (&["--stray", "5%%"], "not a number from 0 to 100"),
        (&["--eval", foreign], "foreign: not an Outflank weights file"),
        (&["--openings", foreign], "foreign: line 1"),
        (&["--games", "5G"], "--games 5000000000: at most"),
        // the list of those that are missing would take four gigabytes
        (&["--games", "1G"], "--games 1000000000: at most 100000000"),
    ];
    for (arguments, expected) in cases {
        let output = run(&mut outflank(arguments, &path));
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert_eq!(fs::read(&path).unwrap(), before);
    }
    // smaller tables than the file says would make other games; no file is left that says so
    let large = folder.path().join("large.osp");
    let output = run(&mut outflank(&["--games", "2", "--depth", "1", "--hash", "1048576"], &large));
    let told = "outflank: cannot allocate a transposition table of 1048576 MiB\n";
    assert_eq!((output.status.code(), text(&output.stderr).as_str(), large.exists()), (Some(2), told, false));
    // to read from a pipe would be to wait for ever
    #[cfg(unix)]
    {
        let pipe = folder.path().join("pipe.osp");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let output = run(&mut outflank(&["--games", "2"], &pipe));
        let told = format!("outflank: cannot write '{}': not a plain file\n", pipe.display());
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(3), told));
        // which gives its games once
        let mut train = Command::new(env!("CARGO_BIN_EXE_outflank"));
        train.args(["train", "--selfplay", "pipe.osp", "--out", "new.bin"]).current_dir(folder.path());
        let output = run(&mut train);
        let told = "outflank: pipe.osp: not a plain file: its games are read more than once\n";
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(2), told));
    }
    let output = run(&mut outflank(&["--games", "2"], Path::new(foreign)));
    assert!(text(&output.stderr).contains("not an Outflank self-play file"));
    let output = run(Command::new(env!("CARGO_BIN_EXE_outflank")).args(["selfplay", "--export", foreign]));
    assert_eq!(output.status.code(), Some(2));
    let output = run(Command::new(env!("CARGO_BIN_EXE_outflank")).args(["selfplay", "--stats", "missing.osp"]));
    assert!(text(&output.stderr).contains("cannot read 'missing.osp'"), "{}", text(&output.stderr));
    let mut damaged = before.clone();
    damaged[before.len() * 2 / 3] ^= 0xFF;
    fs::write(folder.path().join("damaged.osp"), damaged).unwrap();
    let linear = outflank::eval::Model { embedding: None, ..outflank::eval::Model::zero() };
    fs::write(folder.path().join("linear.bin"), linear.to_bytes()).unwrap();
    // found before anything is made
    for (arguments, expected) in [
        (
            "--selfplay games.osp --from linear.bin",
            "linear.bin: these weights have no embedding to go on with: --linear",
        ),
        ("--selfplay games.osp missing.osp", "cannot read 'missing.osp'"),
        ("--selfplay foreign", "foreign: not an Outflank self-play file"),
        ("--games missing", "cannot read 'missing'"),
        ("--selfplay games.osp --from missing.bin", "cannot read 'missing.bin'"),
        ("--selfplay games.osp --linear foreign", "foreign: not an Outflank weights file"),
        ("--selfplay damaged.osp", "damaged.osp: damaged at byte "),
    ] {
        let mut train = Command::new(env!("CARGO_BIN_EXE_outflank"));
        train.args(["train", "--out", "new.bin"]).args(arguments.split(' ')).current_dir(folder.path());
        let output = run(&mut train);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {message}");
        assert!(message.starts_with(&format!("outflank: {expected}")), "{arguments}: {message}");
        assert!(!folder.path().join("new.bin.report").exists(), "{arguments}");
    }
}

/// In place, too, and with nothing to go by the weights stay as they are.
#[test]
fn where_nothing_is_measured_nothing_is_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("w.bin");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/src/eval/weights/evaluation.bin"), &weights).unwrap();
    let before = fs::read(&weights).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
    command.args(["train", "--correct", "w.bin", "--out", "w.bin", "--parity-games", "0"]);
    let output = run(command.current_dir(folder.path()));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "nothing to correct was found in 0 games; 'w.bin' has the weights as they were\n");
    assert!(fs::read(&weights).unwrap() == before);
}
