//! An external program: lines to its standard input, lines from its standard output, each with a time limit.
//!
//! Reader threads own the output pipes, so that nothing the program does, or fails to do, can block the referee:
//! a program that floods its output is held back by a bounded queue, standard error is drained and its last
//! lines kept for reports, and whatever is still running when the value is dropped is killed.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::search::StopToken;

/// Longest line read, in bytes; the rest of a longer one arrives as further lines.
const LINE_LIMIT: u64 = 1 << 20;
/// Lines of output waiting to be read.
const QUEUE: usize = 1024;
/// Lines of standard error kept.
const ERROR_LINES: usize = 5;
/// How often a wait looks at the stop token.
const POLL: Duration = Duration::from_millis(50);
/// How long a program has to end after being asked to.
const FAREWELL: Duration = Duration::from_millis(500);

/// A running program.
pub(super) struct Process {
    child: Child,
    /// `None` once closed.
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Arc<Mutex<VecDeque<String>>>,
    error_reader: JoinHandle<()>,
}

/// Why no line came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoLine {
    /// Not in time.
    TimedOut,
    /// The program closed its output.
    Closed,
    /// The match is being stopped.
    Stopped,
}

impl Process {
    /// Starts a program.
    pub(super) fn spawn(command: &[String], directory: Option<&Path>) -> io::Result<Process> {
        let mut builder = Command::new(&command[0]);
        builder.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = directory {
            builder.current_dir(directory);
        }
        // a group of its own: the terminal's interrupt goes to us only, and helpers it starts can be killed with it
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut builder, 0);
        let mut child = builder.spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().expect("piped");
        let error_output = child.stderr.take().expect("piped");
        let (sender, lines) = sync_channel(QUEUE);
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        let kept = errors.clone();
        thread::spawn(move || forward_lines(output, &sender));
        let error_reader = thread::spawn(move || keep_lines(error_output, &kept));
        Ok(Process { child, input, lines, errors, error_reader })
    }

    /// Sends a line; an error means that the program no longer reads.
    pub(super) fn send(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(format!("{line}\n").as_bytes())?;
        input.flush()
    }

    /// The next line of output, without its line end.
    pub(super) fn read_line(&mut self, until: Instant, stop: &StopToken) -> Result<String, NoLine> {
        loop {
            let wait = until.saturating_duration_since(Instant::now()).min(POLL);
            match self.lines.recv_timeout(wait) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Closed),
                Err(RecvTimeoutError::Timeout) if stop.is_stopped() => return Err(NoLine::Stopped),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => return Err(NoLine::TimedOut),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The program has not ended.
    pub(super) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// How the program ended and the last lines of its standard error, for reports.
    pub(super) fn describe_end(&mut self) -> String {
        let deadline = Instant::now() + Duration::from_millis(200);
        let mut text = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status.to_string(),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                _ => break "output closed".to_string(),
            }
        };
        // its last words may still be on the way; a program that it started may keep the pipe open
        while !self.error_reader.is_finished() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        let errors = self.errors.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if !errors.is_empty() {
            let lines: Vec<&str> = errors.iter().map(String::as_str).collect();
            text.push_str("; stderr: ");
            text.push_str(&lines.join(" / "));
        }
        text
    }

    /// Asks the program to end by a last line and by closing its input; kills it if it does not.
    pub(super) fn quit(mut self, farewell: &str) {
        let _ = self.send(farewell);
        self.input = None;
        let deadline = Instant::now() + FAREWELL;
        while self.is_running() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn kill(&mut self) {
        if !self.is_running() {
            return;
        }
        #[cfg(unix)]
        {
            // the whole group: a wrapper script does not take its engine along
            let group = format!("-{}", self.child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn forward_lines(output: impl Read, sender: &SyncSender<String>) {
    let mut reader = BufReader::new(output);
    while let Some(line) = next_line(&mut reader) {
        if sender.send(line).is_err() {
            return;
        }
    }
}

fn keep_lines(output: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(output);
    while let Some(line) = next_line(&mut reader) {
        log::debug!("engine stderr: {line}");
        if line.trim().is_empty() {
            continue;
        }
        let mut kept = kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if kept.len() == ERROR_LINES {
            kept.pop_front();
        }
        kept.push_back(line.chars().take(200).collect());
    }
}

/// The next line, whatever bytes it has; `None` at the end.
fn next_line(reader: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    match reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_string()),
    }
}
