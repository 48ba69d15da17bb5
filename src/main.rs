//! The `outflank` command: parses arguments and calls the library.

mod commands;

fn main() -> std::process::ExitCode {
    commands::run()
}
