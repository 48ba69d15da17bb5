//! The binary as a child process.
#![allow(dead_code)] // each test uses its part

use std::io::Write;
use std::process::{Child, Command, Output, Stdio};

/// The command without arguments, not yet started.
pub fn outflank() -> Command {
    Command::new(env!("CARGO_BIN_EXE_outflank"))
}

/// Starts a command with its input, output and errors in pipes.
pub fn spawn(command: &mut Command) -> Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Runs a command on an input to its end.
pub fn output(command: &mut Command, input: &str) -> Output {
    let mut child = spawn(command);
    // a program that does not read its input may be gone already
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}
