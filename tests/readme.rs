//! The commands in README.md, run as printed.
//!
//! Every `console` block is run by a shell in an empty folder beside `tests`, and its output compared with the printed
//! one. Speed, node counts, scores and moves differ between machines and versions, so lines are compared by shape: numbers
//! and moves of any value are equal, and so are runs of them. `UPDATE_README=1 cargo test --test readme` prints the present
//! outputs into the README instead.
#![cfg(unix)]

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

/// A line with its numbers and moves made equal.
fn shape(line: &str) -> String {
    let bytes = line.as_bytes();
    let mut shape = String::new();
    let mut i = 0;
    while i < bytes.len() {
        let next = bytes.get(i + 1).copied().unwrap_or(b' ');
        let alone = i == 0 || !bytes[i - 1].is_ascii_lowercase();
        let (part, length) = match bytes[i] {
            b'a'..=b'h' | b'A'..=b'H' if alone && (b'1'..=b'8').contains(&next) => ("@", 2),
            b'p' | b'P' if alone && next.eq_ignore_ascii_case(&b'a') && !letter(bytes.get(i + 2)) => ("@", 2),
            b'+' | b'-' if next.is_ascii_digit() => ("", 1),
            // a rate that is not known yet (or an empty square)
            b'-' if next == b' ' && (i == 0 || bytes[i - 1] == b' ') => ("#", 1),
            b'0'..=b'9' => ("#", 1),
            b' ' => (" ", 1),
            _ => (&line[i..i + 1], 1),
        };
        // runs of numbers, of moves and of blanks are one
        let repeats = matches!(part, "#" | "@" | " ") && shape.ends_with(part);
        if !repeats {
            shape.push_str(part);
        }
        i += length;
    }
    // speeds are left out when the time is too short to tell
    let shape = shape.replace(" (# nodes/s)", "").replace("null", "#").replace("#.#", "#").replace("# M", "#");
    let mut words: Vec<&str> = shape.split(' ').filter(|word| !word.is_empty()).collect();
    words.dedup();
    words.join(" ")
}

fn letter(byte: Option<&u8>) -> bool {
    byte.is_some_and(u8::is_ascii_lowercase)
}

/// The shapes of lines, equal neighbours only once.
fn shapes<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut shapes: Vec<String> = lines.map(shape).collect();
    shapes.dedup();
    while shapes.last().is_some_and(String::is_empty) {
        shapes.pop();
    }
    shapes
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
    let binary = Path::new(env!("CARGO_BIN_EXE_outflank")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut wrong = String::new();
    for example in &examples {
        let run = Command::new("sh")
            .args(["-c", &format!("{{ {}\n}} 2>&1", example.command)])
            .current_dir(folder.path())
            .env("PATH", &path)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let found = String::from_utf8(run.stdout).unwrap();
        let same = shapes(found.lines()) == shapes(example.output.iter().map(String::as_str));
        if !same || !run.status.success() {
            wrong += &format!("README.md:{}: $ {}\n{found}({})\n\n", example.line, example.command, run.status);
        }
        outputs.push(found);
    }
    if std::env::var_os("UPDATE_README").is_some() {
        fs::write(root.join("README.md"), update(&readme, &outputs)).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "these commands print something else:\n{wrong}");
}

#[test]
fn shapes_keep_words_and_forget_values() {
    assert_eq!(shape("  1|   14   +18        0:00.008  36407 g8 H7 pa"), shape(" 12|    9   -02        1:10.000 7 a1"));
    assert_eq!(shape("=== D3/1.50/0.05"), "=== @/#/#");
    assert_eq!(shape("12 nodes in 0:00.001 (12000 nodes/s)"), shape("12 nodes in 0:00.000"));
    assert_eq!(shape("=== F5/-1.50/0.05"), "=== @/#/#");
    assert_ne!(shape("Outflank plays D3"), shape("Outflank passes D3"));
    assert_ne!(shape("12 of 12 as in the file"), shape("12 of 12 in the file"));
    assert_eq!(shapes("a 1\na 2\nb\n\n".lines()), ["a #", "b"]);
}
