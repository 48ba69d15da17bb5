//! Helpers of the protocol tests: recordings of real clients, and the binary as a child process.
#![allow(dead_code)] // each test uses its part

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use outflank::play::Strength;
use outflank::protocol::{Config, gtp};
use outflank::search::Level;

#[path = "../binary/mod.rs"]
mod binary;
#[path = "../shared_data/mod.rs"]
pub mod shared_data;

/// One exchange of a recording: a line of the client and what the engine of that time answered.
pub struct Exchange {
    pub sent: String,
    pub received: Vec<String>,
}

/// A recording of our own (`tests/data/sessions`), or one of the reference material: `None`, and counted as skipped, where
/// that is absent.
pub fn recording(name: &str) -> Option<Vec<Exchange>> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sessions").join(name);
    let path = if own.exists() { own } else { shared_data::path(&format!("docs/transcripts/{name}"))? };
    let text = std::fs::read_to_string(&path).expect("a readable recording");
    let mut exchanges: Vec<Exchange> = Vec::new();
    for line in text.lines() {
        let Some((mark, rest)) = line.trim_start().split_once(' ').and_then(|(_, line)| line.split_at_checked(2))
        else {
            continue;
        };
        // what the recorder wrote escaped: line ends
        let rest = rest.replace("\\n", "\n");
        match mark {
            "> " => exchanges.push(Exchange { sent: rest.trim_end().to_string(), received: Vec::new() }),
            "< " => exchanges.last_mut().expect("an answer follows a question").received.push(rest),
            _ => {}
        }
    }
    assert!(exchanges.len() > 50, "{name}: a recording has many lines");
    Some(exchanges)
}

/// Asserts that something takes less than a limit; a busy machine may delay a try or two, but not all five.
pub fn assert_within(limit: Duration, mut action: impl FnMut()) {
    let mut times = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        action();
        times.push(start.elapsed());
        if start.elapsed() < limit {
            return;
        }
    }
    panic!("not within {limit:?}: {times:?}");
}

pub fn config(level: u8) -> Config {
    Config { strength: Strength::level(Level::new(level).unwrap()), ..Config::default() }
}

/// The output of a client that has gone.
pub struct Broken;

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::BrokenPipe.into())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session that tests talk to.
pub struct Talk(pub gtp::Session);

impl Talk {
    pub fn new() -> Talk {
        Talk(gtp::Session::new(config(2)))
    }

    pub fn with_rules(rules: &str) -> Talk {
        let mut talk = Talk::new();
        talk.ok(&format!("outflank-rules {rules}"));
        talk
    }

    /// The answer without its end.
    pub fn ask(&mut self, line: &str) -> String {
        let answer = self.0.answer(line).unwrap_or_else(|| panic!("no answer to {line:?}"));
        let text = answer.strip_suffix("\n\n").unwrap_or_else(|| panic!("{answer:?} has no end"));
        assert!(!text.contains("\n\n") && !text.ends_with(' '), "{text:?}");
        text.to_string()
    }

    /// The text of a success.
    pub fn ok(&mut self, line: &str) -> String {
        let answer = self.ask(line);
        let text = answer.strip_prefix('=').unwrap_or_else(|| panic!("{line}: {answer}"));
        text.strip_prefix(' ').unwrap_or(text).to_string()
    }

    /// The text of a failure.
    pub fn fail(&mut self, line: &str) -> String {
        let answer = self.ask(line);
        answer.strip_prefix("? ").unwrap_or_else(|| panic!("{line}: {answer}")).to_string()
    }

    pub fn side(&mut self) -> String {
        self.ok("gogui-rules_side_to_move")
    }

    pub fn all_ok(&mut self, lines: &[&str]) {
        for line in lines {
            self.ok(line);
        }
    }
}

/// The engine as a child process, its output read by a thread.
pub struct Process {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Process {
    pub fn start(arguments: &[&str]) -> Process {
        let mut child = binary::spawn(binary::outflank().args(arguments));
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                if sender.send(line.expect("UTF-8 output")).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Process { child, input, lines }
    }

    pub fn send(&mut self, text: &str) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(text.as_bytes()).expect("the process reads");
        input.flush().expect("the process reads");
    }

    /// CPU time of the process so far, `None` where the system does not tell.
    pub fn cpu(&self) -> Option<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // behind the name in brackets: state is the first field, user and system time the twelfth and thirteenth
        let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
        let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
        // Linux counts in hundredths of a second
        Some(Duration::from_millis(ticks * 10))
    }

    /// Memory of the process that is in use now, in KiB; `None` where the system does not tell.
    pub fn memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.trim().split(' ').next()?.parse().ok()
    }

    /// The next line of output.
    pub fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(20)).expect("a line within 20 seconds")
    }

    /// A GTP answer: the lines up to the empty one.
    pub fn answer(&self) -> String {
        let mut lines = vec![self.line()];
        loop {
            let line = self.line();
            if line.is_empty() {
                return lines.join("\n");
            }
            lines.push(line);
        }
    }

    pub fn ask(&mut self, command: &str) -> String {
        self.send(&format!("{command}\n"));
        self.answer()
    }

    /// Closes the input and waits for the end; the rest of the output, what was on stderr, and the exit status.
    pub fn finish(mut self) -> (Vec<String>, String, Option<i32>) {
        drop(self.input.take());
        let mut errors = String::new();
        let mut stderr = self.child.stderr.take().expect("piped");
        std::io::Read::read_to_string(&mut stderr, &mut errors).expect("UTF-8 errors");
        let status = self.child.wait().expect("the process ends");
        (self.lines.iter().collect(), errors, status.code())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // harmless when it has ended
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An output in memory that several threads write and the test reads.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    /// The lines written so far.
    pub fn lines(&self) -> Vec<String> {
        let bytes = self.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap().lines().map(str::to_string).collect()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
