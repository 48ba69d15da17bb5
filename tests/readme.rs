//! The commands in README.md, run as printed.
//!
//! Every `console` block is run by a shell in an empty folder beside `tests`, and its output compared with the printed one. All of
//! them search with one thread to a fixed depth and choose by a seed, so moves, scores and numbers of nodes are compared as
//! they are; what is measured (times, rates) is left out. Every `sh` block is run too, in a folder of its own, and must succeed.
//! `UPDATE_README=1 cargo test --test readme` prints the present outputs into the README where they differ.
#![cfg(all(unix, feature = "cli"))]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command with the output printed below it.
struct Example {
    line: usize,
    command: String,
    output: Vec<String>,
}

fn examples(readme: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut inside = false;
    for (i, text) in readme.lines().enumerate() {
        match text {
            "```console" => inside = true,
            "```" => inside = false,
            _ if !inside => {}
            _ => match text.strip_prefix("$ ") {
                Some(command) => {
                    examples.push(Example { line: i + 1, command: command.to_string(), output: Vec::new() });
                }
                None => {
                    let example = examples.last_mut().expect("a block begins with a command");
                    example.output.push(text.to_string());
                }
            },
        }
    }
    examples
}

/// The text is digits, or digits with one dot.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && text != "."
}

/// A time as tables have it: `0:00.111`, `1:02:03.004`.
fn is_time(text: &str) -> bool {
    text.contains(':') && text.rsplit_once('.').is_some_and(|(_, fraction)| fraction.len() == 3) && {
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'))
    }
}

/// A line without what is measured: times, and nodes or leaves per second.
fn values(line: &str) -> String {
    if line.starts_with('{') {
        return json_values(line);
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut i = 0;
    while i < words.len() {
        let next = |k: usize| words.get(i + k).copied().unwrap_or_default();
        let word = words[i];
        i += 1 + match word {
            // a row of a search: the time, the nodes, and a rate if the time was long enough for one
            _ if is_time(word) => {
                kept.push("TIME");
                let nodes = is_number(next(1));
                kept.extend(nodes.then(|| next(1)));
                usize::from(nodes) + usize::from(nodes && is_number(next(2)))
            }
            // a row of perft: seconds, and millions of leaves per second
            _ if is_number(word) && next(1) == "s" => {
                kept.push("TIME");
                1 + if next(2) == "-" { 1 } else { 2 * usize::from(is_number(next(2))) }
            }
            "time" if is_number(next(1)) => {
                kept.push("TIME");
                1
            }
            // a rate in parentheses
            _ if word.starts_with('(') && next(1) == "nodes/s)" => 1,
            _ => {
                kept.push(word);
                0
            }
        };
    }
    kept.join(" ")
}

/// A JSON object without its times and rates.
fn json_values(line: &str) -> String {
    let mut value: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    let members = value.as_object_mut().expect("an object");
    members.retain(|name, _| !matches!(name.as_str(), "seconds" | "nodes_per_second"));
    value.to_string()
}

/// The values of lines; empty ones at the end don't count.
fn all_values<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<String> = lines.map(values).collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// The `sh` blocks with the lines where they begin; what builds this program is left out.
fn scripts(readme: &str) -> Vec<(usize, String)> {
    let mut scripts: Vec<(usize, String)> = Vec::new();
    let mut inside = false;
    for (i, text) in readme.lines().enumerate() {
        match text {
            "```sh" => {
                inside = true;
                scripts.push((i + 1, String::new()));
            }
            "```" => inside = false,
            _ if inside && !text.starts_with("cargo ") && !text.trim_start().starts_with('#') => {
                scripts.last_mut().expect("inside a block").1 += &format!("{text}\n");
            }
            _ => {}
        }
    }
    scripts.retain(|(_, text)| !text.is_empty());
    scripts
}

/// A path on which the program is found by its name.
fn path() -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_outflank")).parent().unwrap();
    format!("{}:{}", binary.display(), std::env::var("PATH").unwrap())
}

/// The README with the outputs of its examples replaced.
fn update(readme: &str, outputs: &[String]) -> String {
    let mut outputs = outputs.iter();
    let mut updated = String::new();
    let (mut inside, mut printed) = (false, false);
    for text in readme.lines() {
        inside = if inside { text != "```" } else { text == "```console" };
        printed &= inside;
        if !printed {
            updated += &format!("{text}\n");
        }
        if inside && text.starts_with("$ ") {
            if printed {
                updated += &format!("{text}\n");
            }
            let output = outputs.next().expect("an output for each example").trim_end();
            if !output.is_empty() {
                updated += &format!("{output}\n");
            }
            printed = true;
        }
    }
    updated
}

#[test]
fn every_printed_command_runs_as_printed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let examples = examples(&readme);
    let mut outputs = Vec::new();
    assert!(examples.len() >= 10, "the README has lost its examples");
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root.join("tests"), folder.path().join("tests")).unwrap();
    let mut wrong = String::new();
    for example in &examples {
        let run = Command::new("sh")
            .args(["-c", &format!("{{ {}\n}} 2>&1", example.command)])
            .current_dir(folder.path())
            .env("PATH", path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let found = String::from_utf8(run.stdout).unwrap();
        let same = all_values(found.lines()) == all_values(example.output.iter().map(String::as_str));
        if !same || !run.status.success() {
            wrong += &format!("README.md:{}: $ {}\n{found}({})\n\n", example.line, example.command, run.status);
        }
        // what is printed and still right stays: only measurements differ
        outputs.push(if same { example.output.join("\n") } else { found });
    }
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(root.join("README.md"), update(&readme, &outputs)).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "these commands print something else:\n{wrong}");
}

#[test]
fn every_script_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scripts = scripts(&fs::read_to_string(root.join("README.md")).unwrap());
    assert!(scripts.len() >= 3, "the README has lost its scripts");
    let mut wrong = String::new();
    for (line, script) in &scripts {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(root.join("tests"), folder.path().join("tests")).unwrap();
        let run = Command::new("sh")
            .args(["-e", "-c", script])
            .current_dir(folder.path())
            .env("PATH", path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        if !run.status.success() {
            let errors = String::from_utf8_lossy(&run.stderr);
            wrong += &format!("README.md:{line}:\n{script}{errors}({})\n\n", run.status);
        }
    }
    assert!(wrong.is_empty(), "these scripts fail:\n{wrong}");
}

#[test]
fn values_are_kept_and_measurements_are_not() {
    let row = |time: &str, rate: &str| values(&format!("  1|   14   +18        {time}    36407  {rate}  g8 H7 pa"));
    assert_eq!(row("0:00.008", "4550875"), row("1:10.000", ""));
    assert_eq!(row("0:00.008", ""), "1| 14 +18 TIME 36407 g8 H7 pa");
    assert_ne!(values("  1|   14   +18  0:00.008  36407 g8"), values("  1|   14   +18  0:00.008  36408 g8"));
    assert_ne!(values("Outflank plays D3"), values("Outflank plays C4"));
    assert_eq!(values("12 nodes in 0:00.001 (12000 nodes/s)"), values("12 nodes in 0:00.000"));
    assert_ne!(values("12 nodes in 0:00.001"), values("13 nodes in 0:00.001"));
    assert_eq!(values("    8   390216   0.001 s   331.4 M  ok"), values("    8   390216   0.000 s   -  ok"));
    assert_eq!(values("D3c5, node 1129, time 0.073"), values("D3c5, node 1129, time 1.5"));
    assert_eq!(values("{\"nodes\":7,\"seconds\":0.1}"), values("{\"nodes\":7,\"seconds\":0.2}"));
    assert_ne!(values("{\"nodes\":7}"), values("{\"nodes\":8}"));
    assert_eq!(all_values("a 1\nb\n\n".lines()), ["a 1", "b"]);
}
