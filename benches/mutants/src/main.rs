//! Tests mutants without a build for each: all of them are compiled into one program, and a variable of the environment says
//! which one is on (Untch, Offutt and Harrold 1993 call such a program a mutant schema).
//!
//! ```text
//! mutants write LIST TREE       changes the sources of TREE, a copy, so that every mutant of LIST can be switched on
//! mutants test LIST TREE        runs the tests of the changed TREE against them
//! ```
//!
//! LIST is what `cargo mutants --list --json` prints, filtered at will. benches/mutants.sh calls both.

mod build;
mod list;
mod run;
mod switch;

use std::path::Path;
use std::process::ExitCode;

/// Whatever goes wrong ends the program with a message.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["write", list, tree] => list::read(Path::new(list)).and_then(|list| build::write(list, Path::new(tree))),
        ["test", list, tree] => list::read(Path::new(list)).and_then(|list| run::test(&list, Path::new(tree))),
        _ => Err("usage: mutants write|test LIST TREE".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("mutants: {error}");
            ExitCode::from(2)
        }
    }
}
