//! Running the binary.

use std::process::{Command, Output};

use serde_json::Value;

use crate::binary;

/// Othello's start position as a board string.
pub const START: &str = "---------------------------OX------XO--------------------------- X";

/// The positions of `tests/data/endgames.obf`, which have the scores of all moves.
pub const ENDGAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/endgames.obf");

/// What a run left behind.
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// The command with these arguments (blank-separated), not yet started.
pub fn command(arguments: &str) -> Command {
    let mut command = binary::outflank();
    command.args(arguments.split_whitespace());
    command
}

/// Runs the binary with blank-separated arguments and this input.
pub fn run_with(arguments: &str, input: &str) -> Run {
    run_args(&arguments.split_whitespace().collect::<Vec<_>>(), input)
}

/// Runs the binary without input.
pub fn run(arguments: &str) -> Run {
    run_with(arguments, "")
}

/// Runs the binary with these arguments and this input.
pub fn run_args(arguments: &[&str], input: &str) -> Run {
    let Output { status, stdout, stderr } = binary::output(binary::outflank().args(arguments), input);
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Run { status: status.code().expect("no signal"), stdout: text(stdout), stderr: text(stderr) }
}

impl Run {
    /// Every line of stdout as JSON.
    pub fn json(&self) -> Vec<Value> {
        let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        self.stdout.lines().map(parse).collect()
    }

    /// The only line on stderr, without its prefix.
    pub fn error(&self) -> &str {
        let line = self.stderr.trim_end();
        assert!(!line.contains('\n'), "one line of error: {line}");
        line.strip_prefix("outflank: ").unwrap_or_else(|| panic!("prefix missing: {line}"))
    }
}
