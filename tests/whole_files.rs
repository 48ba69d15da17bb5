//! Finished files are whole whatever happens: kills, full discs, power failures.
//!
//! The writers run as child processes: this test program itself, with a task in its environment.
#![cfg(all(unix, feature = "cli"))]

mod shared_data;

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use outflank::formats::atomic::write_whole;

/// What a child is to do: `TASK PATH`.
const TASK: &str = "OUTFLANK_TEST_TASK";
/// Length of the files that children write.
const LENGTH: usize = 300_000;

/// Not a test of its own: what the children do.
#[test]
fn child() {
    let Ok(task) = std::env::var(TASK) else { return };
    let (name, path) = task.split_once(' ').unwrap();
    let path = Path::new(path);
    match name {
        "once" => write_whole(path, b"new").unwrap(),
        "large" => {
            let error = write_whole(path, &vec![b'x'; LENGTH]).unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
        }
        "forever" => {
            for letter in (b'a'..=b'z').cycle() {
                write_whole(path, &vec![letter; LENGTH]).unwrap();
            }
        }
        other => panic!("{other}"),
    }
}

/// This program with a task; `wrapper` is put before it.
fn child_command(wrapper: &[&str], task: &str, path: &Path) -> Command {
    let program = std::env::current_exe().unwrap();
    let mut words = wrapper.to_vec();
    words.extend([program.to_str().unwrap(), "--exact", "child"]);
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env(TASK, format!("{task} {}", path.display()));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_kill_leaves_a_whole_file_and_the_next_run_cleans_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    write_whole(&path, &vec![b'_'; LENGTH]).unwrap();
    let mut left_over = 0;
    for round in 0..25 {
        let mut child = child_command(&[], "forever", &path).spawn().unwrap();
        thread::sleep(Duration::from_millis(40 + 7 * round % 60));
        child.kill().unwrap();
        child.wait().unwrap();
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len(), LENGTH, "round {round}");
        assert!(bytes.iter().all(|byte| *byte == bytes[0]), "round {round}: mixed");
        // at most the file of this kill: that of the one before was removed by this child, if it came so far
        left_over += names(folder.path()).len() - 1;
        assert!(names(folder.path()).len() <= 1 + round as usize + 1);
    }
    assert_ne!(fs::read(&path).unwrap()[0], b'_', "the children have written");
    println!("{left_over} temporary files were seen after kills");
    write_whole(&path, b"last").unwrap();
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
fn a_disc_that_is_full_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    write_whole(&path, b"old").unwrap();
    // a limit on the size of files stands for a full disc; without the trap the signal would end the child
    let shell = ["sh", "-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\""];
    let status = child_command(&shell, "large", &path).status().unwrap();
    assert!(status.success(), "the child got another error");
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["file"], "the temporary file is removed");
}

#[test]
fn everything_is_synced_in_the_right_order() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        shared_data::skipped("strace, to watch the order of system calls with");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (path, log) = (folder.path().join("file"), folder.path().join("strace.log"));
    write_whole(&path, b"old").unwrap();
    let calls = "trace=openat,write,fsync,fdatasync,rename,renameat,renameat2";
    let strace = ["strace", "-f", "-y", "-e", calls, "-o", log.to_str().unwrap()];
    let status = child_command(&strace, "once", &path).status().unwrap();
    let log = fs::read_to_string(&log).unwrap_or_default();
    if !status.success() && !log.contains("rename") {
        shared_data::skipped("a system where strace may trace");
        return;
    }
    assert_eq!(fs::read(&path).unwrap(), b"new");
    let place = |what: &str, test: &dyn Fn(&str) -> bool| {
        log.lines().position(test).unwrap_or_else(|| panic!("no {what} in\n{log}"))
    };
    let synced = |line: &str| line.contains("fsync(") || line.contains("fdatasync(");
    let in_folder = format!("<{}>", folder.path().canonicalize().unwrap().display());
    let written = place("write", &|line| line.contains("write(") && line.contains("/.file.") && line.contains("new"));
    let file = place("sync of the file", &|line| synced(line) && line.contains("/.file."));
    let renamed = place("rename", &|line| line.contains("rename") && line.contains("/.file."));
    let folder = place("sync of the folder", &|line| synced(line) && line.contains(&in_folder));
    assert!(written < file && file < renamed && renamed < folder, "{log}");
}

#[test]
fn errors_name_the_file_and_nothing_is_left() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.ggf");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o555)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_outflank"));
    command.args(["play", "-q"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if fs::write(folder.path().join("probe"), "").is_ok() {
        // root may write anywhere: somebody else has to try
        fs::remove_file(folder.path().join("probe")).unwrap();
        command.uid(65534).gid(65534);
    }
    let Ok(mut child) = command.spawn() else {
        shared_data::skipped("another user who may run the program");
        return;
    };
    let new = folder.path().join("new.ggf");
    let input = format!("f5\nsave {}\nsave {}\n", path.display(), new.display());
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    for name in ["game.ggf", "new.ggf"] {
        assert!(text.contains(&format!("{name}: Permission denied")), "{text}");
    }
    assert_eq!(fs::read(&path).unwrap(), b"old");
    assert_eq!(names(folder.path()), ["game.ggf"]);
}
