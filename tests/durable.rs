//! What the commands write, when the power fails or somebody kills them.
//!
//! The order of their system calls is watched with strace: a file that has its name without its content on the disc, or
//! that is finished without being there, would be lost with the power. Where strace is missing, that is skipped and said.
#![cfg(all(unix, feature = "cli"))]

mod binary;
mod shared_data;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use binary::output;

const ENDGAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/endgames-10-14.obf");

/// What a power failure could take, by the system calls of a program.
#[derive(Debug, Default)]
struct Disc {
    /// Files with content that is not on the disc.
    unsynced: BTreeSet<String>,
    /// Folders with names that are not on the disc.
    unnamed: BTreeSet<String>,
    /// Files that are there.
    known: BTreeSet<String>,
    /// What was done wrong.
    faults: Vec<String>,
    /// How often each call was seen.
    calls: BTreeMap<&'static str, usize>,
}

impl Disc {
    /// The path in `<...>` behind the first argument, which strace writes for open files.
    fn open_file(arguments: &str) -> Option<String> {
        let start = arguments.find('<')? + 1;
        Some(arguments[start..start + arguments[start..].find('>')?].to_string())
    }

    fn call(&mut self, folder: &str, line: &str) {
        // behind the number of the thread
        let line = line.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ' ');
        let Some((name, rest)) = line.split_once('(') else { return };
        if rest.contains(" = -1 ") {
            return;
        }
        let quoted: Vec<&str> = rest.split('"').skip(1).step_by(2).collect();
        let inside = |path: &str| path.starts_with(&format!("{folder}/"));
        match name {
            "openat" => {
                let Some(path) = quoted.first().filter(|path| inside(path)) else { return };
                if rest.contains("O_CREAT") && self.known.insert(path.to_string()) {
                    self.unnamed.insert(folder_of(path));
                }
            }
            "write" | "pwrite64" => {
                let Some(path) = Disc::open_file(rest).filter(|path| inside(path)) else { return };
                *self.calls.entry("write").or_default() += 1;
                self.unsynced.insert(path);
            }
            "fsync" | "fdatasync" => {
                let Some(path) = Disc::open_file(rest) else { return };
                *self.calls.entry("sync").or_default() += 1;
                self.unsynced.remove(&path);
                self.unnamed.remove(&path);
            }
            "rename" | "renameat" | "renameat2" => {
                let [from, to] = quoted[..] else { return };
                *self.calls.entry("rename").or_default() += 1;
                if self.unsynced.remove(from) {
                    self.faults.push(format!("{to} has its name before its content is on the disc"));
                }
                self.known.remove(from);
                self.known.insert(to.to_string());
                self.unnamed.insert(folder_of(to));
            }
            "unlink" | "unlinkat" => quoted.iter().for_each(|path| {
                self.unsynced.remove(*path);
                self.known.remove(*path);
            }),
            _ => {}
        }
    }

    /// What is wrong when the program has ended.
    fn end(&mut self) -> &[String] {
        for path in &self.unsynced {
            self.faults.push(format!("the content of {path} is not on the disc at the end"));
        }
        for path in &self.unnamed {
            self.faults.push(format!("names in {path} are not on the disc at the end"));
        }
        &self.faults
    }
}

fn folder_of(path: &str) -> String {
    path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_string())
}

/// Runs the program in a folder under strace; `None` where that is not possible.
fn watched(folder: &Path, arguments: &[&str], input: &str) -> Option<Disc> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-qq", "-e", "signal=none", "-o"]).arg(log.path());
    command.args(["-e", "trace=openat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat"]);
    command.arg(env!("CARGO_BIN_EXE_outflank")).args(arguments).current_dir(folder);
    let ended = output(&mut command, input);
    let trace = fs::read_to_string(log.path()).unwrap();
    if trace.is_empty() {
        return None;
    }
    let text = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.success(), "{arguments:?}: {text}");
    let mut disc = Disc::default();
    let folder = folder.to_str().unwrap();
    trace.lines().for_each(|line| disc.call(folder, line));
    Some(disc)
}

fn can_strace() -> bool {
    let possible = Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).output();
    let possible = possible.is_ok_and(|output| output.status.success());
    if !possible {
        shared_data::skipped("strace, and a system where it may trace");
    }
    possible
}

#[test]
fn every_writer_syncs_in_the_right_order() {
    if !can_strace() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let path = |name: &str| folder.join(name).to_str().unwrap().to_string();
    let names = ["a.osp", "match", "results.jsonl", "weights.bin", "report", "game.ggf", "game.obf", "solo.json"];
    let [games, prefix, results, weights, report, ggf, obf, solo] = names.map(path);
    let problems = path("problems.obf");
    let text = fs::read_to_string(ENDGAMES).unwrap();
    fs::write(&problems, text.lines().take(12).flat_map(|line| [line, "\n"]).collect::<String>()).unwrap();
    let console = format!("f5\nsave {ggf}\nsave {obf}\nquit\n");
    let solitaire = format!("save {solo}\nquit\n");
    let selfplay = ["selfplay", "--depth", "1", "--exact", "4", "--games", "200", "--seed", "1", "--threads", "2"];
    let train = ["train", "--iterations", "1", "--window", "1", "--selfplay", &games, "--out", &weights];
    for (arguments, input, renames) in [
        ([&selfplay[..], &["--out", &games]].concat(), "", 0),
        (vec!["match", "random", "greedy", "--games", "6", "--jobs", "2", "--output", &prefix], "", 1),
        (vec!["solve", &problems, "--output", &results], "", 0),
        ([&train[..], &["--report", &report]].concat(), "", 3),
        (vec!["play", "-q"], &console, 2),
        (vec!["solo", "--seed", "1"], &solitaire, 1),
    ] {
        let mut disc = watched(&folder, &arguments, input).expect("strace has said something");
        let faults = disc.end();
        assert!(faults.is_empty(), "{arguments:?}: {faults:#?}");
        let count = |call: &str| disc.calls.get(call).copied().unwrap_or_default();
        assert!(count("write") > 0 && count("sync") > 0, "{arguments:?}: {disc:?}");
        assert!(count("rename") >= renames, "{arguments:?}: {disc:?}");
    }
    for name in [&games, &results, &weights, &ggf, &obf, &solo] {
        assert!(fs::metadata(name).unwrap().len() > 0, "{name}");
    }
}

/// The judge of the test above, on programs that do it wrong.
#[test]
fn wrong_orders_are_seen() {
    let open = r#"12 openat(AT_FDCWD</d>, "/d/.a.tmp", O_WRONLY|O_CREAT|O_EXCL, 0666) = 3</d/.a.tmp>"#;
    let write = r#"12 write(3</d/.a.tmp>, "x", 1) = 1"#;
    let sync = "12 fsync(3</d/.a.tmp>) = 0";
    let rename = r#"12 rename("/d/.a.tmp", "/d/a") = 0"#;
    let folder = "13 fsync(4</d>) = 0";
    let faults = |lines: &[&str]| {
        let mut disc = Disc::default();
        lines.iter().for_each(|line| disc.call("/d", line));
        disc.end().to_vec()
    };
    assert_eq!(faults(&[open, write, sync, rename, folder]), [""; 0]);
    assert_eq!(faults(&[open, write, rename, sync, folder]), ["/d/a has its name before its content is on the disc"]);
    assert_eq!(faults(&[open, write, sync, folder, rename]), ["names in /d are not on the disc at the end"]);
    assert_eq!(faults(&[open, sync, write, folder]), ["the content of /d/.a.tmp is not on the disc at the end"]);
    let failed = "12 fsync(3</d/.a.tmp>) = -1 EIO (Input/output error)";
    assert_eq!(faults(&[open, write, failed, folder]).len(), 1);
}

/// Killed again and again at any moment, a batch loses no result that was written and comes to the same end.
#[test]
fn killed_batches_go_on_where_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (whole, torn) = (path("whole.jsonl"), path("torn.jsonl"));
    let solve = |name: &str| {
        let mut command = binary::outflank();
        command.args(["solve", ENDGAMES, "--threads", "1", "--resume", "--output", name]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    assert!(solve(&whole).status().unwrap().success());
    let (mut saved, mut kills) = (String::new(), 0);
    for round in 0..60 {
        let mut child = solve(&torn).spawn().unwrap();
        thread::sleep(Duration::from_millis(5 + 17 * round % 90));
        child.kill().unwrap();
        let ended = child.wait().unwrap().success();
        let now = fs::read_to_string(&torn).unwrap_or_default();
        let complete = &saved[..saved.rfind('\n').map_or(0, |end| end + 1)];
        assert!(now.starts_with(complete), "round {round}: a result is gone");
        saved = now;
        if ended {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 3, "killed {kills} times only");
    assert!(solve(&torn).status().unwrap().success());
    let results = |name: &str| -> Vec<serde_json::Value> {
        let lines = fs::read_to_string(name).unwrap();
        let parsed = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        // how long it took is another matter
        parsed.map(|line| serde_json::json!([line["position"], line["score"], line["exact"]])).collect()
    };
    assert_eq!(results(&torn).len(), fs::read_to_string(ENDGAMES).unwrap().lines().count() - 1);
    assert_eq!(results(&torn), results(&whole));
    assert!(results(&whole).iter().all(|line| line[0].is_string() && line[1].is_i64() && line[2] == true));
}

/// A training that is killed leaves no half of a weights file, and nothing in its place that was not whole.
#[test]
fn a_killed_training_leaves_the_old_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (games, weights) = (path("a.osp"), path("weights.bin"));
    let selfplay = ["selfplay", "--depth", "1", "--exact", "4", "--games", "100", "--seed", "1", "--out", &games];
    assert!(output(binary::outflank().args(selfplay), "").status.success());
    fs::write(&weights, "old").unwrap();
    let train = || {
        let mut command = binary::outflank();
        command.args(["train", "--iterations", "1", "--window", "1", "--selfplay", &games, "--out", &weights]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let mut kills = 0;
    for round in 0..12 {
        let mut child = train().spawn().unwrap();
        thread::sleep(Duration::from_millis(10 + 150 * round));
        child.kill().unwrap();
        let ended = child.wait().unwrap().success();
        let bytes = fs::read(&weights).unwrap();
        assert!(bytes == b"old" || outflank::eval::Model::from_bytes(&bytes).is_ok(), "round {round}: half a file");
        if ended {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 1, "done before it was killed");
    assert!(train().status().unwrap().success());
    assert!(outflank::eval::Model::from_bytes(&fs::read(&weights).unwrap()).is_ok());
}
