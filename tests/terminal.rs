//! The console at a terminal: a real one, as far as programs can tell.
#![cfg(all(unix, feature = "cli"))]

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program at a terminal.
struct Session {
    program: Child,
    keyboard: File,
    screen: Receiver<Vec<u8>>,
    /// What has been shown and not been looked at.
    shown: String,
}

/// A terminal of 80 columns and 24 lines: its keyboard, and what a program opens.
fn terminal() -> (File, File) {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&keyboard).unwrap();
    unlockpt(&keyboard).unwrap();
    let name = ptsname(&keyboard, Vec::new()).unwrap();
    let terminal = File::from(open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap());
    tcsetwinsize(&terminal, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    (File::from(keyboard), terminal)
}

/// `outflank play` at a terminal, waiting for its first command.
fn play(folder: &Path, arguments: &str, variables: &[(&str, &str)]) -> Session {
    let mut session = start(folder, &format!("play {arguments}"), variables);
    if !arguments.contains("--quiet") {
        session.until("Type a move, or `help`.");
    }
    session.prompt();
    session
}

/// A command at a terminal.
fn start(folder: &Path, arguments: &str, variables: &[(&str, &str)]) -> Session {
    let (keyboard, terminal) = terminal();
    let stream = || terminal.try_clone().unwrap();
    let program = Command::new(env!("CARGO_BIN_EXE_outflank"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .envs(variables.iter().copied())
        .stdin(stream())
        .stdout(stream())
        .stderr(stream())
        .spawn()
        .unwrap();
    drop(terminal);
    Session::new(program, keyboard)
}

impl Session {
    /// A program that has been started at the terminal with this keyboard.
    fn new(program: Child, keyboard: File) -> Session {
        let mut reader = keyboard.try_clone().unwrap();
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Session { program, keyboard, screen, shown: String::new() }
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    /// What is shown until `end` finds where that is.
    fn shown_until(&mut self, what: &str, end: impl Fn(&str) -> Option<usize>) -> String {
        let start = Instant::now();
        loop {
            if let Some(end) = end(&self.shown) {
                let rest = self.shown.split_off(end);
                return std::mem::replace(&mut self.shown, rest);
            }
            match self.screen.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
                Ok(bytes) => self.shown += &String::from_utf8_lossy(&bytes),
                Err(error) => panic!("no {what} ({error}): {:?}", self.shown),
            }
        }
    }

    fn until(&mut self, text: &str) -> String {
        self.shown_until(text, |shown| shown.find(text).map(|at| at + text.len()))
    }

    /// What is shown until a new line begins with the prompt; the editor draws a line that is being typed without a new line.
    fn prompt(&mut self) -> String {
        self.shown_until("prompt", |shown| {
            let (mut in_escape, mut before) = (false, [' '; 2]);
            for (at, c) in shown.char_indices() {
                match c {
                    '\x1b' => in_escape = true,
                    _ if in_escape => in_escape = !c.is_ascii_alphabetic(),
                    '\r' => {}
                    ' ' if before == ['\n', '>'] => return Some(at + 1),
                    _ => before = [before[1], c],
                }
            }
            None
        })
    }

    /// Types a line and returns what is shown up to the next prompt.
    fn answer(&mut self, line: &str) -> String {
        self.press(&format!("{line}\r"));
        self.until("\n");
        self.prompt()
    }

    /// The program ends by itself.
    fn ends(mut self) {
        let start = Instant::now();
        while self.program.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < PATIENCE, "it goes on: {:?}", self.shown);
            thread::sleep(Duration::from_millis(10));
        }
        assert!(self.program.wait().unwrap().success());
    }

    fn quit(mut self) {
        self.press("quit\r");
        self.ends();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

#[test]
fn moves_are_marked_completed_and_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none --no-book --level 2", &[("NO_COLOR", "1")]);
    // Tab after the letter completes the only move that begins with it
    let board = session.answer("f\t");
    assert!(board.contains("  5 - - - X(X[X]- - 5"), "{board}");
    let board = session.answer("d6");
    assert!(board.contains("last move: white d6"), "{board}");
    // the line before the last one again: f5 is no longer possible
    let problem = session.answer("\u{1b}[A\u{1b}[A");
    assert!(problem.contains("outflank: move 3") && problem.contains("f5"), "{problem}");
    assert!(session.answer("moves").contains("f5d6"));
    session.quit();
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
        let board = session.answer("f5");
        assert_eq!(board.contains(reversed), expected, "{arguments} {variables:?}: {board:?}");
        session.quit();
    }
}

#[test]
fn help_fits_the_screen_and_ctrl_c_says_how_to_leave() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none", &[]);
    for page in ["help", "help playing", "help thinking", "help games", "help files", "help session", "help hint"] {
        let text = session.answer(page);
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert!(lines.len() <= 24 && lines.iter().all(|line| line.chars().count() <= 80), "{page}: {text}");
        assert!(text.contains("hint") || !matches!(page, "help" | "help thinking" | "help hint"), "{page}: {text}");
    }
    session.press("half a li\u{3}");
    session.until("`quit` or Ctrl-D leaves");
    session.prompt();
    session.press("\u{4}");
    session.ends();
}

#[test]
fn lines_that_come_together_are_all_answered() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none --no-book --quiet --level 2", &[]);
    // typed ahead, or pasted where the terminal does not mark what is pasted
    session.press("f5\rd6\rgo\rmoves\rversion\r");
    session.until("Outflank plays");
    session.until("f5d6");
    session.until("Outflank 0");
    session.prompt();
    session.quit();
}

#[test]
fn pasted_lines_are_a_command_each() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none --no-book --quiet --level 2", &[]);
    // as terminals mark it
    session.press("\u{1b}[200~f5\rd6\rgo\r\rmoves\rversion\u{1b}[201~");
    session.press("\r");
    session.until("> go\r\n");
    session.until("Outflank plays");
    session.until("> moves\r\n");
    session.until("f5d6");
    session.until("Outflank 0");
    session.prompt();
    // a board is one command
    let rows = ["--------", "--------", "--------", "--OOO---", "---XO---", "--------", "--------", "-------- X"];
    session.press(&format!("\u{1b}[200~setboard {}\rf3\rmoves\u{1b}[201~\r", rows.join("\r")));
    let shown = session.shown_until("the end", |shown| shown.find("> moves\r\n").map(|at| at + 9));
    assert!(!shown.contains("outflank:"), "{shown}");
    session.until("f3");
    session.prompt();
    session.quit();
}

#[test]
fn bytes_that_are_no_text_do_not_end_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none", &[]);
    session.answer("f5");
    for bytes in [&b"d6\xff\xfe\r"[..], b"\xe9a\r"] {
        session.keyboard.write_all(bytes).unwrap();
        session.until("outflank: unknown command '\u{fffd}'");
        session.prompt();
    }
    assert!(session.answer("moves").contains("f5"));
    session.quit();
}

#[test]
fn a_key_stops_a_search() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none --no-book --level 60 --threads 1", &[]);
    for command in ["hint", "go"] {
        session.press(&format!("{command}\r"));
        // the line deepens for hours, if nobody stops it; however long the best line is, 80 columns say how to
        session.until("depth 16@");
        session.until("(a key stops)");
        session.press(" ");
        session.until(if command == "go" { "Outflank plays" } else { "------+-----" });
        session.prompt();
    }
    // lines are read as lines again
    assert!(session.answer("version").contains("Outflank "), "the terminal is as before");
    session.quit();
}

#[test]
fn no_key_stops_a_search_that_a_pipe_has_asked_for() {
    let (keyboard, terminal) = terminal();
    let mut program = Command::new(env!("CARGO_BIN_EXE_outflank"))
        .args(["play", "--quiet", "--no-book", "--level", "60"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(terminal)
        .spawn()
        .unwrap();
    program.stdin.as_mut().unwrap().write_all(b"go\n").unwrap();
    let mut session = Session::new(program, keyboard);
    session.until("depth 16@");
    let line = session.until("depth ");
    assert!(line.contains(" nodes  ") && !line.contains("a key stops"), "{line}");
}

/// Sends a signal to the program.
fn send(session: &Session, signal: &str) {
    let status = Command::new("kill").args([signal, &session.program.id().to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn ctrl_c_stops_a_search_and_other_signals_end_the_program() {
    let folder = tempfile::tempdir().unwrap();
    for (signal, status) in [("-TERM", 143), ("-HUP", 129)] {
        for is_searching in [false, true] {
            let mut session = play(folder.path(), "--engine none --no-book --level 60 --threads 1", &[]);
            let modes = || tcgetattr(&session.keyboard).unwrap().local_modes;
            assert!(!modes().contains(LocalModes::ICANON), "the editor reads keys");
            session.press("hint\r");
            session.until("depth 16@");
            send(&session, "-INT");
            session.until("------+-----");
            session.prompt();
            if is_searching {
                session.press("go\r");
                session.until("depth 16@");
            }
            send(&session, signal);
            let start = Instant::now();
            let ended = loop {
                match session.program.try_wait().unwrap() {
                    Some(ended) => break ended,
                    None => assert!(start.elapsed() < PATIENCE, "{signal}: it goes on"),
                }
                thread::sleep(Duration::from_millis(10));
            };
            assert_eq!(ended.code(), Some(status), "{signal}, searching: {is_searching}");
            let modes = tcgetattr(&session.keyboard).unwrap().local_modes;
            assert!(modes.contains(LocalModes::ICANON), "{signal}: the terminal is as it was");
        }
    }
}

/// The solitaire asks, too, and the answer is no command.
#[test]
fn solo_asks_before_it_writes_over_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.txt");
    std::fs::write(&path, "precious\n").unwrap();
    let mut session = start(folder.path(), "solo --seed 1", &[]);
    session.until("Type a turn such as d3g, or `help`.");
    session.prompt();
    session.answer("d3g");
    for (reply, result, begin) in [("undo", "nothing was written", "precious"), ("y", "saved to", "outflank-solo 1")] {
        session.press("save game.txt\r");
        session.until("game.txt exists; write over it? (y/N) ");
        session.press(&format!("{reply}\r"));
        session.until(result);
        session.prompt();
        assert!(std::fs::read_to_string(&path).unwrap().starts_with(begin));
    }
    assert!(std::fs::read_to_string(&path).unwrap().contains("turns: d3g"));
    session.quit();
}

#[test]
fn save_says_where_and_asks_before_it_writes_over_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = play(folder.path(), "--engine none", &[]);
    session.answer("f5");
    let said = session.answer("save game.sgf").replace("\r\n", "");
    assert!(said.contains("written to ") && said.contains("game.sgf (1 move)"), "{said}");
    session.answer("d6");
    // Ctrl-C is an answer, too
    let replies =
        [("\x03", "nothing was written", 1), ("n\n", "nothing was written", 1), ("y\n", "game.sgf (2 moves)", 2)];
    for (reply, result, moves) in replies {
        session.press("save game.sgf\r");
        session.until("game.sgf exists; write over it? (y/N) ");
        session.press(reply);
        session.until(result);
        session.prompt();
        let written = std::fs::read_to_string(folder.path().join("game.sgf")).unwrap();
        let found = written.matches(";B[").count() + written.matches(";W[").count();
        assert_eq!(found, moves, "{written}");
    }
    session.quit();
}
