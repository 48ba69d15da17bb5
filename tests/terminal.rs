//! The console at a terminal: a real one, as far as programs can tell.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use rexpect::session::{PtySession, spawn_command};

/// How long anything may take, in milliseconds.
const PATIENCE: u64 = 60_000;

/// A session of `play` on a screen of 80 columns and 24 lines.
fn play(folder: &Path, arguments: &str, variables: &[(&str, &str)]) -> PtySession {
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_outflank");
    command.args(["-c", &format!("stty rows 24 cols 80; exec '{program}' play {arguments}")]).current_dir(folder);
    command.env("TERM", "xterm").env_remove("NO_COLOR").envs(variables.iter().copied());
    let mut session = spawn_command(command, Some(PATIENCE)).expect("a terminal");
    session.exp_string("Type a move, or `help`.").unwrap();
    session.exp_string("> ").unwrap();
    session
}

/// What is shown up to the next prompt.
fn answer(session: &mut PtySession, line: &str) -> String {
    session.send(&format!("{line}\r")).unwrap();
    session.flush().unwrap();
    // the editor shows the line again as it is typed
    session.exp_regex("\r?\n").unwrap();
    session.exp_regex("\n(\u{1b}\\[[?0-9]*[hlK])*\r?> ").unwrap().0
}

fn quit(mut session: PtySession) {
    session.send("quit\r").unwrap();
    session.flush().unwrap();
    session.exp_eof().unwrap();
}

#[test]
fn moves_are_marked_completed_and_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none --no-book --level 2", &[("NO_COLOR", "1")]);
    // Tab after the letter completes the only move that begins with it
    let board = answer(&mut session, "f\t");
    assert!(board.contains("  5 - - - X(X[X]- - 5"), "{board}");
    let board = answer(&mut session, "d6");
    assert!(board.contains("last move: white d6"), "{board}");
    // the line before the last one, and it is no longer possible
    let problem = answer(&mut session, "\u{1b}[A\u{1b}[A");
    assert!(problem.contains("outflank: move 3"), "{problem}");
    assert!(answer(&mut session, "moves").contains("f5d6"));
    quit(session);
}

#[test]
fn colours_where_they_are_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let reversed = "\u{1b}[1;7;36mX";
    for (arguments, variables, expected) in [
        ("", &[][..], true),
        ("", &[("NO_COLOR", "1")][..], false),
        ("", &[("TERM", "dumb")][..], false),
        ("--color never", &[][..], false),
        ("--color always", &[("NO_COLOR", "1")][..], true),
    ] {
        let mut session = play(folder.path(), &format!("--engine none {arguments}"), variables);
        let board = answer(&mut session, "f5");
        assert_eq!(board.contains(reversed), expected, "{arguments} {variables:?}: {board:?}");
        quit(session);
    }
}

#[test]
fn help_fits_the_screen_and_ctrl_c_says_how_to_leave() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none", &[]);
    for page in ["help", "help playing", "help thinking", "help games", "help files", "help session", "help hint"] {
        let text = answer(&mut session, page);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert!(lines.len() <= 23 && lines.iter().all(|line| line.chars().count() <= 80), "{page}: {text}");
        assert!(text.contains("hint") || !matches!(page, "help" | "help thinking" | "help hint"), "{page}: {text}");
    }
    session.send_control('c').unwrap();
    session.exp_string("`quit` or Ctrl-D leaves").unwrap();
    session.exp_string("> ").unwrap();
    session.send_control('d').unwrap();
    session.exp_eof().unwrap();
}

#[test]
fn a_key_stops_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none --no-book --level 60 --threads 1", &[]);
    for command in ["hint", "go"] {
        session.send(&format!("{command}\r")).unwrap();
        session.flush().unwrap();
        // hours, if nobody stopped it
        session.exp_string("(a key stops)").unwrap();
        session.send(" ").unwrap();
        session.flush().unwrap();
        session.exp_string(if command == "go" { "Outflank plays" } else { "------+-----" }).unwrap();
        session.exp_string("> ").unwrap();
    }
    // lines are read as lines again
    assert!(answer(&mut session, "version").contains("Outflank "), "the terminal is as before");
    quit(session);
}

#[test]
fn save_says_where_and_asks_before_it_writes_over_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none", &[]);
    answer(&mut session, "f5");
    let said = answer(&mut session, "save game.sgf");
    assert!(said.contains("written to ") && said.contains("game.sgf (1 move)"), "{said}");
    answer(&mut session, "d6");
    for (reply, result, moves) in [("n", "nothing was written", 1), ("y", "game.sgf (2 moves)", 2)] {
        session.send("save game.sgf\r").unwrap();
        session.flush().unwrap();
        session.exp_string("game.sgf exists; write over it? (y/N) ").unwrap();
        session.send_line(reply).unwrap();
        session.exp_string(result).unwrap();
        session.exp_string("> ").unwrap();
        let written = std::fs::read_to_string(folder.path().join("game.sgf")).unwrap();
        assert_eq!(written.matches("];").count(), moves, "{written}");
    }
    quit(session);
}
