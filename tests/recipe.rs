//! `outflank train --recipe`: from seeds to weights, whatever comes in between.
#![cfg(feature = "cli")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Instant;

use outflank::eval::Model;
use outflank::train::recipe::{self, Event};

const SMALL: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/recipe-small.txt");

fn train(recipe: &Path, out: &Path, threads: usize) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
    command.args(["train", "--threads", &threads.to_string(), "--recipe"]).arg(recipe).arg("--out").arg(out);
    command.stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// The notes of finished stages in a folder.
fn notes(folder: &Path) -> usize {
    let Ok(files) = fs::read_dir(folder) else { return 0 };
    files.flatten().filter(|file| file.path().extension().is_some_and(|extension| extension == "json")).count()
}

#[test]
fn killed_at_any_moment_a_recipe_ends_with_the_same_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let begun = Instant::now();
    let output = run(train(Path::new(SMALL), &path("whole.bin"), 2).arg("--json"));
    let time = begun.elapsed();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let whole = fs::read(path("whole.bin")).unwrap();
    assert_eq!(summary["file_bytes"], whole.len());
    assert!(Model::from_bytes(&whole).unwrap().embedding.is_some());
    // the report: figures with intervals, and a picture of them
    let report = path("whole.bin.recipe");
    let stages = summary["stages"].as_array().unwrap();
    let figures = |name: &str| &stages.iter().find(|stage| stage["name"] == name).unwrap()["figures"];
    let judged = &figures("midgame")["depths"];
    assert!(judged[3]["intervals"]["mean_error"]["low"].is_number(), "{judged}");
    let epochs = figures("final")["epochs"].as_array().unwrap();
    assert_eq!(epochs.len(), 2);
    let svg = fs::read_to_string(report.join("report.svg")).unwrap();
    for title in ["final: Error on games left out", "final: Bias on games", "midgame: Bias of searches", "<polygon"] {
        assert!(svg.contains(title), "{title}");
    }
    // the same with one thread, killed again and again at moments that hit every kind of stage sooner or later
    let (torn, mut kills) = (path("torn.bin"), 0);
    for part in 1..8 {
        let mut child = train(Path::new(SMALL), &torn, 1).stdout(Stdio::null()).spawn().unwrap();
        sleep(time * part / 12);
        child.kill().unwrap();
        kills += (!child.wait().unwrap().success()) as usize;
    }
    assert!(kills >= 3 && notes(&path("torn.bin.recipe")) >= 2, "{kills} kills");
    let output = run(&mut train(Path::new(SMALL), &torn, 1));
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("(done before)"), "{}", text(&output.stdout));
    assert!(fs::read(&torn).unwrap() == whole, "other weights");
    // what is done is not done again; what was tampered with is
    let begun = Instant::now();
    let again = run(&mut train(Path::new(SMALL), &torn, 1));
    assert_eq!(text(&again.stdout).matches("(done before)").count(), stages.len(), "{}", text(&again.stdout));
    assert!(begun.elapsed() < time);
    fs::write(path("torn.bin.recipe").join("errors.bin"), b"no weights").unwrap();
    let again = run(&mut train(Path::new(SMALL), &torn, 2));
    // the comparison that follows finds the same weights as before
    assert_eq!(text(&again.stdout).matches("(done before)").count(), stages.len() - 1, "{}", text(&again.stdout));
    assert!(fs::read(&torn).unwrap() == whole, "other weights");
}

/// Without its note a training would be made anew: what is kept of it stays until then.
#[test]
fn checkpoints_go_when_their_training_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("r.txt"), folder.path().join("w.bin"));
    let training = "[train b]\ngames = a\niterations = 1\nparity-games = 0\n";
    fs::write(&file, format!("[selfplay a]\ngames = 30\ndepth = 1\nexact = 6\neval = zero\n{training}")).unwrap();
    let [note, checkpoints] = ["b.json", "b.checkpoints"].map(|name| folder.path().join("w.bin.recipe").join(name));
    // a folder is not written over
    fs::create_dir_all(&note).unwrap();
    let output = run(&mut train(&file, &out, 2));
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    assert_eq!(fs::read_dir(&checkpoints).unwrap().count(), 60);
    fs::remove_dir(&note).unwrap();
    assert!(run(&mut train(&file, &out, 2)).status.success());
    assert!(note.is_file() && !checkpoints.exists());
}

#[test]
fn changed_games_are_not_mixed_with_old_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("r.txt"), folder.path().join("w.bin"));
    let recipe = |depth: u8, games: &str| {
        format!(
            "[selfplay a]\ngames = {games}\ndepth = {depth}\nexact = 6\neval = zero\n[train b]\ngames = a\niterations = 1\n\
             parity-games = 0\n"
        )
    };
    fs::write(&file, recipe(1, "30")).unwrap();
    let output = run(&mut train(&file, &out, 2));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let first = fs::read(&out).unwrap();
    // more games: those that are there serve
    fs::write(&file, recipe(1, "40")).unwrap();
    assert!(run(&mut train(&file, &out, 2)).status.success());
    assert!(fs::read(&out).unwrap() != first);
    fs::write(&file, recipe(2, "40")).unwrap();
    let output = run(&mut train(&file, &out, 2));
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("cannot go on, search was 'depth 1 at 73%'"), "{message}");
    fs::write(&file, recipe(1, "40\nseed = 7")).unwrap();
    let seeds = text(&run(&mut train(&file, &out, 2)).stderr);
    assert!(seeds.contains("cannot go on, seed was '1'"), "{seeds}");
    fs::write(&file, recipe(2, "40")).unwrap();
    // the way out that it names leads on
    let games = folder.path().join("w.bin.recipe").join("a.osp");
    let way = format!("; remove '{}' to make them anew, or choose another --out\n", games.display());
    assert!(message.ends_with(&way), "{message}");
    fs::remove_file(&games).unwrap();
    assert!(run(&mut train(&file, &out, 2)).status.success());
    assert!(run(&mut train(&file, &folder.path().join("other.bin"), 2)).status.success());
    assert!(fs::read(&out).unwrap() == fs::read(folder.path().join("other.bin")).unwrap());
}

#[test]
fn other_weights_are_judged_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("r.txt"), folder.path().join("w.bin"));
    let problems = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/midgame-26.obf");
    let judged = |games: u32, out: &Path| {
        let games = format!("[selfplay a]\ngames = {games}\ndepth = 1\nexact = 6\neval = zero\n");
        let learn = "[train b]\ngames = a\niterations = 1\nparity-games = 0\n";
        let judge = format!("[judge c]\neval = b\nproblems = {problems}\nevery = 40\ndepths = 0\n");
        fs::write(&file, [&games, learn, &judge].concat()).unwrap();
        let output = run(train(&file, out, 2).arg("--json"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        summary["stages"][2]["figures"].clone()
    };
    let first = judged(30, &out);
    let other = judged(60, &out);
    assert!(first["depths"][0]["mae"].is_number() && other != first, "{first} {other}");
    assert_eq!(other, judged(60, &folder.path().join("fresh.bin")));
}

#[test]
fn games_of_before_that_are_no_longer_asked_for_have_no_say() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("r.txt"), folder.path().join("w.bin"));
    // the weights, and what is said of the stages
    let follow = |games: u32, range: &str, out: &Path| {
        let games = format!("[selfplay first]\ngames = {games}\ndepth = 1\nexact = 4\neval = zero\n");
        let deep = format!("[reanalyse deep]\nof = first:{range}\ndepth = 1\nexact = 6\neval = zero\n");
        let of = |name: &str| format!("[train by-{name}]\ngames = {name}\niterations = 1\nparity-games = 0\n");
        fs::write(&file, [games, deep, of("first"), of("deep")].concat()).unwrap();
        let output = run(&mut train(&file, out, 2));
        assert!(output.status.success(), "{}", text(&output.stderr));
        let lines: Vec<String> = text(&output.stdout).lines().map(str::to_string).collect();
        (fs::read(out).unwrap(), lines[..4].to_vec())
    };
    let first = follow(60, "0-50", &out);
    // a higher lower bound: 40 games have no use any more
    let (weights, lines) = follow(60, "40-50", &out);
    assert!(lines[1].contains(" 10 games") && !lines[1].contains("before"), "{lines:?}");
    assert!(weights != first.0);
    let (fresh, new) = follow(60, "40-50", &folder.path().join("fresh.bin"));
    assert!(weights == fresh, "games that do not belong were learned from");
    assert_eq!(lines[1..].to_vec(), [&new[1], &format!("{} (done before)", new[2]), &new[3]].map(String::clone));
    // they are there still
    assert!(follow(60, "0-50", &out).0 == first.0);
    // fewer games: as if there had never been more, but they are kept
    let games = folder.path().join("w.bin.recipe").join("first.osp");
    let length = fs::metadata(&games).unwrap().len();
    fs::remove_file(folder.path().join("w.bin.recipe").join("deep.osp")).unwrap();
    let (weights, lines) = follow(45, "40-50", &out);
    assert!(lines[0].contains(" 45 games") && lines[1].contains(" 5 games"), "{lines:?}");
    let fresh = follow(45, "40-50", &folder.path().join("fewer.bin"));
    assert!(weights == fresh.0 && lines == fresh.1, "{lines:?}, {:?}", fresh.1);
    assert_eq!(fs::metadata(&games).unwrap().len(), length);
}

#[test]
fn without_test_positions_nothing_is_said_of_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("r.txt"), folder.path().join("w.bin"));
    let games = "[selfplay a]\ngames = 1\ndepth = 1\nexact = 4\neval = zero\n";
    fs::write(
        &file,
        format!("{games}[train b]\ngames = a\niterations = 1\nparity-games = 0\nmodel = embedding\nepochs = 1\n"),
    )
    .unwrap();
    let output = run(train(&file, &out, 2).arg("--json"));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json = text(&output.stdout);
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(report["stages"][0]["summary"].as_str().unwrap().starts_with("1 game, "), "{json}");
    let summary = report["stages"][1]["summary"].as_str().unwrap();
    assert!(summary.ends_with(" positions, no others to test on"), "{summary}");
    assert!(report["stages"][1]["figures"]["epochs"][0]["test_mae"].is_null(), "{json}");
    // and the command without a recipe
    let games = folder.path().join("w.bin.recipe").join("a.osp");
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
    command
        .args(["train", "--iterations", "1", "--parity-games", "0", "--json", "--selfplay"])
        .arg(games)
        .arg("--out")
        .arg(&out);
    let json = text(&run(&mut command).stdout);
    let metrics: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&metrics["mae"], &metrics["test_positions"]), (&serde_json::Value::Null, &0.into()));
    for stage in metrics["stages"].as_array().unwrap() {
        for error in ["mae", "rmse", "mean_error", "linear_mae", "built_in_mae", "zero_mae"] {
            assert!(stage[error].is_null(), "{error}: {stage}");
        }
    }
    assert_eq!(metrics["parity"].as_array().unwrap().iter().filter(|discs| **discs != 0.0).count(), 0);
}

#[test]
fn bad_recipes_are_one_error() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("r.txt"), folder.path().join("w.bin"));
    fs::write(&file, "[selfplay a]\ngames = 10\ndepht = 3\n").unwrap();
    let output = run(&mut train(&file, &out, 1));
    assert_eq!(output.status.code(), Some(2));
    let message = text(&output.stderr);
    assert!(message.contains("r.txt: line 3: 'depht': no setting of a selfplay stage"), "{message}");
    assert!(!out.exists() && notes(folder.path()) == 0);
    for (bytes, said) in [([0xff, 0xfd], "not UTF-8 text"), ([0xff, 0xfe], "the text is in UTF-16: save it as UTF-8")] {
        fs::write(&file, bytes).unwrap();
        let message = text(&run(&mut train(&file, &out, 1)).stderr);
        assert!(message.contains(said), "{message}");
    }
}

#[test]
fn what_cannot_be_written_is_status_3_and_what_cannot_be_read_2() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let failed = |recipe: &str, out: &str| {
        fs::write(path("r.txt"), recipe).unwrap();
        let output = run(&mut train(&path("r.txt"), &path(out), 1));
        (output.status.code(), text(&output.stderr))
    };
    let games = "[selfplay s]\ngames = 1\ndepth = 1\nexact = 2\n";
    let weights = "[train t]\ngames = s\niterations = 1\nparity-games = 0\n";
    // where the file of games is to be, there is a folder; the same of checkpoints and of the folder itself
    fs::create_dir_all(path("games.recipe/s.osp")).unwrap();
    let (status, message) = failed(&format!("{games}{weights}"), "games");
    assert!(status == Some(3) && message.starts_with("outflank: cannot write "), "{message}");
    fs::create_dir(path("weights.recipe")).unwrap();
    fs::write(path("weights.recipe/t.checkpoints"), "").unwrap();
    let (status, message) = failed(&format!("{games}{weights}"), "weights");
    assert!(status == Some(3) && message.starts_with("outflank: cannot write "), "{message}");
    fs::write(path("folder.recipe"), "").unwrap();
    let (status, message) = failed(&format!("{games}{weights}"), "folder");
    assert!(status == Some(3) && message.starts_with("outflank: cannot write "), "{message}");
    // found before the games are played
    let judge = "[judge j]\neval = t\nproblems = none.obf\ndepths = 1\n";
    let (status, message) = failed(&format!("{games}{weights}{judge}"), "problems");
    assert!(status == Some(2) && message.starts_with("outflank: cannot read "), "{message}");
    assert!(!path("problems.recipe").exists());
}

#[test]
fn the_result_takes_the_place_of_nothing_that_the_recipe_needs() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let problem = "-XXXXX--XOXOXX-OXOOXOXOXXOXOOOXXXOXXOXOXXOXXOOOXXOOXOOO-XOOOO--- X; G8:+8;\n";
    fs::write(path("p.obf"), problem).unwrap();
    let train_of = |name: &str| format!("[train {name}]\ngames = s\niterations = 1\nparity-games = 0\n");
    let games = "[selfplay s]\ngames = 4\ndepth = 1\nexact = 2\n";
    let judge = "[judge j]\neval = one\nproblems = p.obf\ndepths = 0\n";
    fs::write(path("r.txt"), [games, &train_of("one"), &train_of("two"), judge].concat()).unwrap();
    fs::create_dir(path("kept")).unwrap();
    let follow = |out: &str| run(train(&path("r.txt"), &path(out), 1).arg("--report").arg(path("kept")));
    fs::create_dir(path("kept/one.checkpoints")).unwrap();
    let checkpoint = "kept/one.checkpoints/embedding-07.json";
    for out in
        [checkpoint, "p.obf", "kept/one.bin", "kept/s.osp", "kept/one.json", "kept/report.json", "kept/report.svg"]
    {
        let output = follow(out);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{out}: {message}");
        let refused = "--out would take the place of a file of the recipe\n";
        assert!(message.contains(&path(out).display().to_string()) && message.ends_with(refused), "{message}");
    }
    assert!(fs::read_to_string(path("p.obf")).unwrap() == problem && notes(&path("kept")) == 0);
    // that of the last weights it may be: it is the same
    assert!(follow("kept/two.bin").status.success());
    let again = text(&follow("kept/two.bin").stdout);
    assert_eq!(again.matches("(done before)").count(), 4, "{again}");
}

/// A slip in the names is noticed before the work, and costs no file.
#[test]
fn trainings_refuse_names_that_do_not_go_together() {
    let folder = tempfile::tempdir().unwrap();
    let games =
        "[selfplay s]\ngames = 2\ndepth = 1\nexact = 2\n[train t]\ngames = s\niterations = 1\nparity-games = 0\n";
    fs::write(folder.path().join("r.txt"), games).unwrap();
    let outflank = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
        run(command.args(arguments.split(' ')).current_dir(folder.path()).stdin(Stdio::null()))
    };
    assert!(outflank("selfplay --games 2 --depth 1 --exact 2 --out a.osp").status.success());
    fs::create_dir_all(folder.path().join("rr/checkpoints")).unwrap();
    let everything = || {
        let mut names = Vec::new();
        let mut folders = vec![folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            let entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            folders.extend(entries.iter().filter(|path| path.is_dir()).cloned());
            names.extend(entries);
        }
        names.sort();
        names
    };
    let before = everything();
    let own = "--out would take the place of a file of the report";
    for (arguments, told) in [
        ("--selfplay a.osp --out rr/metrics.json --report rr", format!("rr/metrics.json: {own}")),
        ("--selfplay a.osp --out rr/../rr/loss.svg --report rr", format!("rr/../rr/loss.svg: {own}")),
        (
            "--selfplay a.osp --out rr/checkpoints/evaluation-00.f32 --report rr",
            format!("rr/checkpoints/evaluation-00.f32: {own}"),
        ),
        ("--games thor --exact 12 --out rr/exact-12.i8 --report rr", format!("rr/exact-12.i8: {own}")),
        (
            "--selfplay a.osp --out z.bin --report z.bin",
            "z.bin: --out is no folder, as --report z.bin asks".to_string(),
        ),
        (
            "--selfplay a.osp --out z.bin --report ./z.bin/rep",
            "z.bin: --out is no folder, as --report ./z.bin/rep asks".to_string(),
        ),
        ("--recipe r.txt --out z.bin --report z.bin", "z.bin: --out is no folder, as --report z.bin asks".to_string()),
        (
            "--selfplay a.osp rr/../a.osp --out z.bin",
            "rr/../a.osp: given twice, its games would count twice".to_string(),
        ),
        (
            "--selfplay a.osp --out z.bin --from none.bin --model linear",
            "--model linear: --from goes on with an embedding; --linear takes the linear part alone".to_string(),
        ),
    ] {
        let output = outflank(&format!("train {arguments}"));
        assert_eq!(
            (output.status.code(), text(&output.stderr)),
            (Some(2), format!("outflank: {told}\n")),
            "{arguments}"
        );
        assert_eq!(everything(), before, "{arguments}");
    }
    // names of others in the folders of a report
    let quick = "--iterations 1 --window 0 --parity-games 0";
    for out in ["rr/checkpoints/w.bin", "rr/w.bin"] {
        let output = outflank(&format!("train --selfplay a.osp --out {out} --report rr {quick}"));
        assert!(output.status.success() && folder.path().join(out).is_file(), "{}", text(&output.stderr));
    }
}

/// Nothing lies beside a device: the folder of a report has to be named.
#[cfg(unix)]
#[test]
fn no_folder_is_made_beside_a_device() {
    let folder = tempfile::tempdir().unwrap();
    let outflank = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
        run(command.args(arguments.split(' ')).current_dir(folder.path()).stdin(Stdio::null()))
    };
    // a pipe, in whose folder anything can be made
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap().success());
    assert!(outflank("selfplay --games 2 --depth 1 --exact 2 --out a.osp").status.success());
    for out in ["/dev/null", "pipe"] {
        for source in ["--selfplay a.osp", "--recipe r.txt"] {
            let output = outflank(&format!("train {source} --out {out}"));
            let told = format!("outflank: {out}: no plain file: --report names the folder of the report\n");
            assert_eq!((output.status.code(), text(&output.stderr)), (Some(2), told));
        }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    let quick = "--iterations 1 --window 0 --parity-games 0";
    let output = outflank(&format!("train --selfplay a.osp --out /dev/null --report rr {quick}"));
    assert!(output.status.success() && folder.path().join("rr/metrics.json").is_file(), "{}", text(&output.stderr));
}

/// Whoever reads of the stages may go; that there are no weights is told all the same.
#[test]
fn a_reader_that_is_gone_hides_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (folder.path().join("r.txt"), folder.path().join("w.bin"));
    let games = "games = 2\ndepth = 1\nexact = 4\n";
    let train = |seed: u8| {
        let stages = format!("[selfplay a]\n{games}[selfplay b]\n{games}seed = {seed}\n[train c]\ngames = a\n");
        fs::write(&file, stages + "iterations = 1\nparity-games = 0\n").unwrap();
        train(&file, &out, 1)
    };
    assert!(run(&mut train(1)).status.success());
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = run(train(2).stdout(writer));
    let errors = text(&output.stderr);
    assert!(output.status.code() == Some(2) && errors.contains("b.osp: cannot go on, seed was '1'"), "{errors}");
}

#[test]
fn stages_tell_how_far_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let of_probcut = "[probcut p]\neval = zero\nmidgame = 6\nendgame = 2\ndepth = 2\nmax-empties = 13\n";
    let recipe = recipe::parse(of_probcut).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let (mut expected, mut done) = (0, 0);
    let places = (folder.path(), folder.path(), folder.path().join("w.bin"));
    let outcome = recipe::run(&recipe, (places.0, places.1, &places.2), &pool, &mut |event| match event {
        Event::Begin(_, count) => expected += count,
        Event::Advance(count) => done += count,
        Event::End(..) => {}
    });
    let problem = outcome.unwrap_err().to_string();
    assert!(problem.contains("too few positions"), "{problem}");
    assert_eq!((expected, done), (8, 8));
}

#[cfg(unix)]
#[test]
fn two_do_not_train_in_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let locked = |name: &str| {
        fs::create_dir(path(name)).unwrap();
        let file = fs::File::open(path(name)).unwrap();
        file.lock().unwrap();
        file
    };
    let refused = |command: &mut Command| {
        let output = run(command);
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        assert!(message.contains("is in use by another process that trains"), "{message}");
    };
    let lock = locked("a.bin.recipe");
    refused(&mut train(Path::new(SMALL), &path("a.bin"), 1));
    drop(lock);
    let games = path("g.osp");
    let mut selfplay = Command::new(env!("CARGO_BIN_EXE_outflank"));
    selfplay.args(["selfplay", "--games", "2", "--depth", "1", "--exact", "2", "--out"]).arg(&games);
    assert!(run(&mut selfplay).status.success());
    let mut train = Command::new(env!("CARGO_BIN_EXE_outflank"));
    train.args(["train", "--parity-games", "0", "--iterations", "1", "--selfplay"]).arg(&games);
    train.arg("--out").arg(path("b.bin"));
    let lock = locked("b.bin.report");
    refused(&mut train);
    assert!(!path("b.bin").exists());
    drop(lock);
    assert!(run(&mut train).status.success() && path("b.bin").exists());
}

#[test]
fn the_recipes_of_the_project_can_be_read() {
    for name in ["recipe-small.txt", "recipe.txt"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches").join(name);
        let recipe = recipe::parse(&fs::read_to_string(path).unwrap()).unwrap();
        assert!(recipe.stages.len() > 5, "{name}");
    }
}
