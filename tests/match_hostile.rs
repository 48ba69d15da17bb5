//! Matches against programs that flood, hang, fork and do not end: what they cost is bounded, and nothing is left.
#![cfg(all(unix, feature = "cli"))]

#[macro_use]
mod match_fakes;
mod waiting;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use match_fakes::driver::{assert_gone, fake, lost_by, marked, outflank, plan, play, status};
use outflank::tournament::{Ending, FailureKind};
use waiting::wait_for;

fake_engines!();

/// Memory of the match, in KiB: ten times what it needs with its programs, a hundredth of what a flood brings in.
const MEMORY_LIMIT: u32 = 1 << 20;

/// A player text for a fake engine whose processes can be found.
fn marked_fake(protocol: &str, mode: &str, mark: &str) -> String {
    fake(protocol, mode).replacen("env ", &format!("env FAKE_MARK={mark} "), 1)
}

/// The same behind a shell that waits: the engine is a grandchild.
fn behind_shell(player: &str) -> String {
    let (protocol, command) = player.split_once(':').unwrap();
    format!("{protocol}:sh -c \"{command}; true\"")
}

#[test]
fn hang_loses_and_everything_the_program_started_is_killed() {
    for protocol in ["gtp", "nboard"] {
        let mark = format!("hang-{protocol}");
        let mut plan = plan("random", &behind_shell(&marked_fake(protocol, "hang", &mark)), 1);
        plan.referee.patience = Duration::from_millis(400);
        let start = Instant::now();
        for detail in lost_by(&plan, FailureKind::Hang) {
            assert!(detail.contains("within 0.4 s"), "{detail}");
        }
        assert!(start.elapsed() < Duration::from_secs(20));
        assert_gone(&mark);
    }
}

/// Who waits for a move that takes longer than a minute learns how to: once, whichever protocol the player speaks.
#[test]
fn late_moves_are_told_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let slow = "outflank,depth=60,hash=1".to_string();
    for (i, player) in [fake("gtp", "hang"), fake("nboard", "hang"), slow].iter().enumerate() {
        let mut command = outflank(folder.path());
        command.args(["random", player, "--games", "2", "--timeout", "0.4", "--output", &i.to_string()]);
        let (code, _, stderr) = status(&mut command);
        assert_eq!((code, stderr.matches("loses, hang: ").count()), (Some(0), 2), "{player}: {stderr}");
        assert_eq!(stderr.matches("--timeout gives players more time").count(), 1, "{player}: {stderr}");
    }
}

#[test]
fn floods_lose_and_are_bounded() {
    for (protocol, mode, kind) in [
        ("gtp", "endless", FailureKind::Protocol),
        ("gtp", "line", FailureKind::Protocol),
        ("nboard", "line", FailureKind::Protocol),
        ("gtp", "noise", FailureKind::Hang),
        ("nboard", "noise", FailureKind::Hang),
        // every question is answered before it is asked, with nothing
        ("gtp", "spam", FailureKind::Illegal),
    ] {
        let mark = format!("flood-{protocol}-{mode}");
        let mut plan = plan("random", &marked_fake(protocol, mode, &mark), 2);
        plan.referee.patience = Duration::from_millis(500);
        let start = Instant::now();
        for detail in lost_by(&plan, kind) {
            assert!(kind != FailureKind::Protocol || detail.contains("more than 64 KiB in answer to"), "{detail}");
            assert!(detail.len() < 200, "{detail}");
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{mode}: {:?}", start.elapsed());
        assert_gone(&mark);
    }
}

/// The same through the command, with a ceiling for its memory; every flood lasts until its time is over.
#[test]
fn floods_fit_in_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    for (protocol, mode, kind) in [
        ("gtp", "endless", "protocol"),
        ("gtp", "line", "protocol"),
        ("nboard", "noise", "hang"),
        ("gtp", "spam", "illegal"),
    ] {
        let player = fake(protocol, mode);
        let script = format!("ulimit -v {MEMORY_LIMIT} && exec \"$@\"");
        let mut command = Command::new("sh");
        command.current_dir(folder.path()).args(["-c", &script, "sh", env!("CARGO_BIN_EXE_outflank"), "match"]);
        command.args(["random", &player, "--games", "4", "--timeout", "1", "--json", "--output", mode]);
        let (code, stdout, stderr) = status(&mut command);
        assert_eq!(code, Some(0), "{mode}: {stderr}");
        let result: serde_json::Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(result["players"][1]["forfeits"][kind], 4, "{mode}: {stdout}");
    }
}

/// Programs that have ended, or end as they should, leave children; others do not end when they are asked to.
#[test]
fn nothing_is_left_of_programs_that_fork_or_stay() {
    let (omit, crash) = (fake("gtp", "omit"), fake("gtp", "crash"));
    let (omit, crash) = (omit.split_once(':').unwrap().1, crash.split_once(':').unwrap().1);
    for (mark, script, crashes) in [
        ("fork-and-end", format!("sleep 120 & exec {omit}"), false),
        ("fork-and-crash", format!("sleep 120 & exec {crash}"), true),
        ("fork-behind-shell", format!("sleep 120 & {omit}; true"), false),
        ("deaf-fork", format!("(trap '' TERM HUP INT; sleep 120) & exec {omit}"), false),
    ] {
        let player = format!("gtp:env FAKE_MARK={mark} sh -c \"{script}\"");
        let (_, games) = play(&plan("random", &player, 1));
        for game in games.values() {
            assert_eq!(matches!(game.ending, Ending::Forfeit { .. }), crashes, "{mark}: {:?}", game.ending);
        }
        assert_gone(mark);
    }
    for player in
        [marked_fake("gtp", "stubborn", "stubborn"), behind_shell(&marked_fake("gtp", "stubborn", "stubborn"))]
    {
        let start = Instant::now();
        let (_, games) = play(&plan("random", &player, 1));
        assert!(games.values().all(|game| game.ending == Ending::Board));
        assert!(start.elapsed() < Duration::from_secs(20), "a program that stays is not waited for");
        assert_gone("stubborn");
    }
}

/// A leader that is gone while its child plays on is a crash, at once, and not a hang.
#[test]
fn a_program_ends_with_its_leader() {
    // the fifth line is the first genmove: from then on nobody answers, and the output stays open
    let script = "sleep 120 & while read line; do case $line in genmove*) exit 5;; esac; echo =; echo; done";
    let player = format!("gtp:env FAKE_MARK=leader sh -c \"{script}\"");
    let start = Instant::now();
    for detail in lost_by(&plan("random", &player, 1), FailureKind::Crash) {
        assert!(detail.contains("exit status: 5"), "{detail}");
    }
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_gone("leader");
}

fn send(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// A match that ends with the test, should the test fail.
struct Match(Child);

impl Drop for Match {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a match against a program that is asleep and does not end by itself, and waits until it is.
fn asleep(folder: &Path, mark: &str) -> Match {
    let file = folder.join(mark);
    let player = behind_shell(&fake("gtp", "hang"));
    let child = outflank(folder)
        .env("FAKE_MARK", mark)
        .env("FAKE_ASLEEP", &file)
        .args(["random", &player, "--games", "2", "--jobs", "1", "--output", &format!("{mark}-match")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let child = Match(child.unwrap());
    wait_for("the engine sleeps", || file.exists());
    if Path::new("/proc/self").exists() {
        // the match, the guard, the shell, the engine
        assert!(marked(mark).len() >= 4, "{:?}", marked(mark));
    }
    child
}

/// However the match ends, its programs end: those that are grandchildren and ignore the end of their input, too.
#[test]
fn nothing_is_left_of_a_killed_match() {
    let folder = tempfile::tempdir().unwrap();
    for (mark, signals, code) in [
        ("killed", &["-KILL"][..], None),
        ("aborted", &["-ABRT"], None),
        ("interrupted", &["-INT"], Some(130)),
        ("interrupted-twice", &["-INT", "-INT", "-INT"], Some(130)),
        ("hung-up", &["-HUP"], Some(130)),
    ] {
        let mut child = asleep(folder.path(), mark);
        for signal in signals {
            send(&child.0, signal);
        }
        assert_eq!(child.0.wait().unwrap().code(), code, "{mark}");
        assert_gone(mark);
    }
}

/// The guard is told of programs that have ended: it ends nobody else, and ends itself with the last of them.
#[test]
fn a_match_that_ends_leaves_no_guard() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, stderr) = status(outflank(folder.path()).env("FAKE_MARK", "ends").args([
        "random",
        &fake("gtp", "crash"),
        "--games",
        "20",
    ]));
    assert_eq!(code, Some(0), "{stderr}");
    assert_gone("ends");
    assert_eq!(fs::read_to_string(folder.path().join("match.jsonl")).unwrap().lines().count(), 21);
}
