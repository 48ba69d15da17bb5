//! `--eval FILE` in every command that evaluates.
#![cfg(feature = "cli")]

mod binary;

use std::fs;
use std::path::Path;
use std::process::Output;

use outflank::eval::{ErrorModel, Model, Weights};

/// What is sent to each command, and its arguments.
const COMMANDS: [(&str, &str); 10] = [
    ("analyze f5d6 --level 1", ""),
    ("bench --first 1", ""),
    ("cassio", "quit\n"),
    ("gtp", "quit\n"),
    ("nboard", "quit\n"),
    ("play --level 1", "quit\n"),
    ("--level 1", "name\nquit\n"),
    ("--level 1", "nboard 2\nquit\n"),
    ("selfplay --depth 1 --exact 4 --games 1 --out games.osp", ""),
    ("solve -", "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO-- X\n"),
];

fn run(folder: &Path, arguments: &str, input: &str) -> Output {
    binary::output(binary::outflank().args(arguments.split_whitespace()).current_dir(folder), input)
}

#[test]
fn weights_that_cannot_be_used_are_one_clear_error() {
    let folder = tempfile::tempdir().unwrap();
    let good = Model::zero().to_bytes();
    fs::write(folder.path().join("truncated.bin"), &good[..good.len() - 1]).unwrap();
    fs::write(folder.path().join("foreign.bin"), "an evaluation of another program").unwrap();
    let mut damaged = good.clone();
    damaged[24] ^= 1;
    fs::write(folder.path().join("damaged.bin"), damaged).unwrap();
    let mut old = good.clone();
    old[8] = 3;
    fs::write(folder.path().join("old.bin"), old).unwrap();
    let files = [
        ("old.bin", "old.bin: weights file of format 3, this program reads format 4: train them anew"),
        ("truncated.bin", "truncated.bin: weights file of "),
        ("foreign.bin", "foreign.bin: not an Outflank weights file"),
        ("damaged.bin", "damaged.bin: damaged weights file: the checksum does not match"),
        ("missing.bin", "cannot read 'missing.bin': "),
    ];
    for (command, input) in COMMANDS {
        for (file, expected) in files {
            let output = run(folder.path(), &format!("{command} --eval {file}"), input);
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{command}: {message}");
            assert!(message.starts_with(&format!("outflank: {expected}")), "{command}: {message}");
            assert_eq!(message.lines().count(), 1, "{command}: {message}");
            assert!(!folder.path().join("games.osp").exists());
        }
    }
}

#[test]
fn weights_of_a_file_are_used() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("zero.bin"), Model::zero().to_bytes()).unwrap();
    for (command, input) in COMMANDS {
        let output = run(folder.path(), &format!("{command} --eval zero.bin"), input);
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // to weights without knowledge every position is even
    let analyze = |eval: &str| {
        let output = run(folder.path(), &format!("analyze f5d6c3d3c4f4f6 --depth 2 --json --last {eval}"), "");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let scores: Vec<i64> =
            report["moves"].as_array().unwrap().iter().map(|mv| mv["score"].as_i64().unwrap()).collect();
        scores
    };
    assert!(analyze("--eval zero.bin").iter().all(|&score| score == 0), "{:?}", analyze("--eval zero.bin"));
    assert!(analyze("").iter().any(|&score| score != 0));
    let gtp = |eval: &str| {
        let output = run(
            folder.path(),
            &format!("gtp --level 1 --no-book {eval}"),
            "genmove b\ngenmove w\ngenmove b\ngenmove w\ngenmove b\n",
        );
        String::from_utf8(output.stdout).unwrap()
    };
    assert_ne!(gtp("--eval zero.bin"), gtp(""));
    let signature = |eval: &str| {
        let output = run(folder.path(), &format!("bench --first 1 --json {eval}"), "");
        String::from_utf8(output.stdout).unwrap().lines().last().unwrap().split_once("signature").unwrap().1.to_string()
    };
    assert_ne!(signature("--eval zero.bin"), signature(""));
}

/// A match by rules that the weights of a file are not for would compare two players that are the same.
#[test]
fn matches_refuse_weights_that_no_move_depends_on() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("zero.bin"), Model::zero().to_bytes()).unwrap();
    let play = |rules: &str| {
        let players = "outflank,eval=zero.bin outflank --level 1 --games 2 --json";
        let output = run(folder.path(), &format!("match {players} --rules {rules} --output {}", rules.len()), "");
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for rules in ["octagon", "othello:6x6", "othello:fewest", "othello:one"] {
        let told = format!(
            "outflank: outflank,eval=zero.bin: weights of a file are of othello on 8x8, and the rules are {rules}: no move depends on them\n"
        );
        assert_eq!(play(rules), (Some(2), String::new(), told));
    }
    // other rules of the same board, on which moves do
    for rules in ["ravensburger", "handicap:2"] {
        let (code, found, told) = play(rules);
        let found: serde_json::Value = serde_json::from_str(&found).unwrap_or_else(|_| panic!("{told}"));
        assert!(code == Some(0) && found["discs"]["mean"] != 0.0, "{rules}: {found}");
    }
}

#[test]
fn weights_bring_their_own_error_model() {
    let folder = tempfile::tempdir().unwrap();
    let mut model = Weights::embedded_model().unwrap();
    fs::write(folder.path().join("same.bin"), model.to_bytes()).unwrap();
    // margins that no probe gets over
    model.errors.midgame = ErrorModel { constant: 4.5, by_probe: 0.0, by_depth: 0.0, by_empties: 0.0 };
    fs::write(folder.path().join("timid.bin"), model.to_bytes()).unwrap();
    let nodes = |eval: &str| {
        let output =
            run(folder.path(), &format!("analyze f5d6c3d3c4f4f6 --depth 10 --selectivity 73 --json --last {eval}"), "");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["nodes"].as_u64().expect("a number of nodes")
    };
    let built_in = nodes("");
    assert_eq!(nodes("--eval same.bin"), built_in);
    assert!(nodes("--eval timid.bin") > 2 * built_in, "{built_in} {}", nodes("--eval timid.bin"));
}

#[test]
fn measured_errors_are_written_into_the_weights() {
    let folder = tempfile::tempdir().unwrap();
    let before = Model::zero().to_bytes();
    fs::write(folder.path().join("new.bin"), &before).unwrap();
    let fit = |arguments: &str| run(folder.path(), &format!("fit-probcut --depth 3 {arguments}"), "");
    let output = fit("--midgame 20 --endgame 2 --eval new.bin --write new.bin");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(message.contains("to fit an error model to: 'new.bin' is left as it was"), "{message}");
    assert!(fs::read(folder.path().join("new.bin")).unwrap() == before);
    let output = fit("--midgame 400 --endgame 120 --json --threads 2 --write new.bin");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let written = Model::load(&folder.path().join("new.bin")).unwrap();
    let built_in = Weights::embedded_model().unwrap();
    assert!(written.embedding == built_in.embedding && written.evaluation == built_in.evaluation);
    assert_ne!(written.errors, built_in.errors);
    let alone = fit("--midgame 400 --endgame 120 --json --threads 1");
    assert_eq!(alone.stdout, output.stdout, "on any number of threads");
    for (model, name) in [(written.errors.midgame, "midgame"), (written.errors.endgame, "endgame")] {
        assert_eq!(model.constant, found[name]["constant"].as_f64().unwrap() as f32);
        assert_eq!(model.by_probe, found[name]["by_probe"].as_f64().unwrap() as f32);
    }
    let output = fit("--midgame 1 --endgame 1 --write other.bin");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("'other.bin' is not made") && !folder.path().join("other.bin").exists(), "{message}");
    for too_many in ["--midgame 100000000000", "--midgame 18446744073709551615 --endgame 1"] {
        let output = fit(too_many);
        assert_eq!(output.status.code(), Some(2), "{too_many}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("not a whole number from 0 to 10000000"));
    }
    let output = fit("--midgame 0 --endgame 0");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), message.contains("nothing to be measured")), (Some(2), true), "{message}");
    let output = fit("--midgame 1 --endgame 1 --write no/such/folder/new.bin");
    assert_eq!(output.status.code(), Some(3), "found before the work");
}

#[test]
fn an_order_of_moves_is_written_as_source_text() {
    let folder = tempfile::tempdir().unwrap();
    let fit = |arguments: &str| run(folder.path(), &format!("fit-ordering --write cost.in {arguments}"), "");
    fs::write(folder.path().join("cost.in"), "as before").unwrap();
    let output = fit("--positions 2 --epochs 1");
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        message.contains("moves are too few to fit an order to (5000 would do): take more positions; "),
        "{message}"
    );
    assert!(message.contains("; 'cost.in' is left as it was"), "{message}");
    assert_eq!(fs::read_to_string(folder.path().join("cost.in")).unwrap(), "as before");
    let output = fit("--positions 24 --epochs 60 --json -t 1");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(found["log_loss"].as_f64() < found["base_log_loss"].as_f64(), "{found}");
    let written = fs::read_to_string(folder.path().join("cost.in")).unwrap();
    assert!(written.starts_with("Model {\n    inputs: [\n") && written.ends_with("],\n}\n"), "{written}");
}

/// Under a limit on memory, weights that do not fit are one clear error, wherever in reading them it shows.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_for_weights() {
    use std::process::Command;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("own.bin"), Weights::embedded_model().unwrap().to_bytes()).unwrap();
    let limited = |kib: u32, arguments: &str, input: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {kib}; exec \"$0\" {arguments}"), env!("CARGO_BIN_EXE_outflank")]);
        let output = binary::output(command.current_dir(folder.path()), input);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // what the program itself takes differs from build to build
    let base = (8..64).map(|mib| mib << 10).find(|&kib| limited(kib, "levels", "").0 == Some(0)).expect("it runs");
    let message = "not enough memory for the weights";
    for (command, input) in COMMANDS {
        if command.starts_with("analyze") || command.starts_with("selfplay") {
            // they start threads before, which take memory too
            continue;
        }
        let (status, errors) = limited(base + 2048, &format!("{command} --eval own.bin"), input);
        assert_eq!(status, Some(2), "{command}: {errors}");
        assert!(errors.contains(message), "{command}: {errors}");
    }
    let (mut refused, mut limit) = (0, base);
    while limit < base + (20 << 10) {
        let (status, errors) = limited(limit, "analyze f5d6 --level 1 --hash 1 --threads 1 --eval own.bin", "");
        assert!(status == Some(0) || status == Some(2), "{limit} KiB: {status:?} {errors}");
        refused += u32::from(errors.contains(message));
        limit += 1024;
    }
    assert!(refused > 5, "{refused}");
}
