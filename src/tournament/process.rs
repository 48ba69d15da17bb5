//! An external program: lines to its standard input, lines from its standard output, each with a time limit.
//!
//! Threads own the pipes, so that nothing the program does, or fails to do, can block the referee or fill the memory:
//! its output waits in a queue of a few lines of limited length and is held back beyond that, what is sent to it waits
//! in another one, standard error is drained and its last lines kept for reports. When the value is dropped, the
//! program and everything it started is killed, whether the program itself is still running or not.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::group::Group;
use super::player::{Failure, FailureKind, Player, PlayerError, plain_text};
use super::spec::ExternalConfig;
use crate::search::{StopToken, threads};

/// Longest line and longest reply of a program, in bytes. The longest known are lists of commands and drawn boards of
/// about two thousand bytes; what is so much longer has no end.
pub(super) const REPLY_LIMIT: usize = 1 << 16;
/// Lines of output waiting to be read: with [`REPLY_LIMIT`], what a program can make us keep is 4 MiB.
const OUTPUT_QUEUE: usize = 64;
/// Lines waiting to be taken by the program. The drivers send at most about seventy (an opening) without an answer.
const INPUT_QUEUE: usize = 256;
/// Lines of standard error kept.
const ERROR_LINES: usize = 5;
/// Characters kept of each.
const ERROR_LENGTH: usize = 200;
/// How often a wait looks at the stop token.
const POLL: Duration = Duration::from_millis(50);
/// How long a program has to end after being asked to.
const FAREWELL: Duration = Duration::from_millis(500);
/// How often a program that fails to start between two games is tried.
const START_ATTEMPTS: u32 = 3;
/// How long after a failure it is tried again.
const START_PAUSE: Duration = Duration::from_millis(100);
/// How long the last words of a program that has ended are waited for.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A running program.
pub(super) struct Process {
    child: Child,
    /// `None` once it has been killed.
    group: Option<Group>,
    /// `None` once closed.
    input: Option<SyncSender<String>>,
    lines: Receiver<Option<String>>,
    errors: Arc<Mutex<VecDeque<String>>>,
    error_reader: Option<JoinHandle<()>>,
}

/// Why no line came, or none went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoLine {
    /// Not in time.
    TimedOut,
    /// The program has ended, or closed its output or its input.
    Closed,
    /// A line or a reply beyond [`REPLY_LIMIT`].
    TooLong,
    /// The program does not read what it is sent.
    Deaf,
    /// The match is being stopped.
    Stopped,
}

/// A player that is another program.
pub(super) trait Program: Player {
    /// How it is run.
    fn config(&self) -> &ExternalConfig;

    /// The running program.
    fn process(&mut self) -> &mut Option<Process>;

    /// Learns what a program knows that has just been run.
    fn greet(&mut self) -> Result<(), PlayerError>;

    /// Runs the program.
    fn launch(&mut self) -> Result<(), PlayerError> {
        let ExternalConfig { command, directory, .. } = self.config();
        let process = Process::spawn(command, directory.as_deref()).map_err(|error| {
            // a folder that is not there is told as a program that is not there
            let place = directory.as_ref().map(|folder| format!(" in the folder '{}'", folder.display()));
            PlayerError::Start(format!("cannot run '{}'{}: {error}", command[0], place.unwrap_or_default()))
        })?;
        *self.process() = Some(process);
        self.greet()
    }

    /// Runs the program for the first time. What it fails with is an error of the configuration, not a loss.
    fn start(&mut self) -> Result<(), PlayerError> {
        self.launch().map_err(|error| error.at_start(&self.config().command))
    }

    /// Makes sure that the program is running: one that fails to start between two games is tried again.
    fn revive(&mut self) -> Result<(), PlayerError> {
        if self.process().as_mut().is_some_and(Process::is_running) {
            return Ok(());
        }
        for _ in 1..START_ATTEMPTS {
            *self.process() = None;
            match self.launch() {
                Err(PlayerError::Failure(failure)) => log::warn!("{}: {failure}; starting it again", self.name()),
                end => return end,
            }
            thread::sleep(START_PAUSE);
        }
        *self.process() = None;
        self.start()
    }
}

impl Process {
    /// Starts a program.
    pub(super) fn spawn(command: &[String], directory: Option<&Path>) -> io::Result<Process> {
        let mut builder = Command::new(&command[0]);
        builder.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = directory {
            builder.current_dir(directory);
        }
        Group::prepare(&mut builder);
        let mut child = builder.spawn()?;
        let group = Some(Group::of(&child));
        let input = child.stdin.take().expect("piped");
        let output = child.stdout.take().expect("piped");
        let error_output = child.stderr.take().expect("piped");
        let (sender, lines) = sync_channel(OUTPUT_QUEUE);
        let (outbox, inbox) = sync_channel(INPUT_QUEUE);
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        let kept = errors.clone();
        // dropped when a thread cannot be started, which ends the program
        let mut process = Process { child, group, input: Some(outbox), lines, errors, error_reader: None };
        start_thread(move || feed_lines(input, &inbox))?;
        start_thread(move || forward_lines(output, &sender))?;
        process.error_reader = Some(start_thread(move || keep_lines(error_output, &kept))?);
        Ok(process)
    }

    /// Sends a line.
    ///
    /// # Errors
    /// [`NoLine::Closed`] or [`NoLine::Deaf`].
    pub(super) fn send(&mut self, line: &str) -> Result<(), NoLine> {
        let input = self.input.as_ref().ok_or(NoLine::Closed)?;
        input.try_send(format!("{line}\n")).map_err(|error| match error {
            TrySendError::Full(_) => NoLine::Deaf,
            TrySendError::Disconnected(_) => NoLine::Closed,
        })
    }

    /// The next line of output, without its line end.
    ///
    /// # Errors
    /// Any other [`NoLine`]. A program has ended when it has ended, even if somebody keeps its output open.
    pub(super) fn read_line(&mut self, until: Instant, stop: &StopToken) -> Result<String, NoLine> {
        let mut ended: Option<Instant> = None;
        loop {
            let now = Instant::now();
            match self.lines.recv_timeout(until.saturating_duration_since(now).min(POLL)) {
                // a flood of lines that are no answer ends, too
                Ok(_) if stop.is_stopped() => return Err(NoLine::Stopped),
                Ok(_) if now > until => return Err(NoLine::TimedOut),
                Ok(Some(line)) => return Ok(line),
                Ok(None) => return Err(NoLine::TooLong),
                Err(RecvTimeoutError::Disconnected) => return Err(NoLine::Closed),
                Err(RecvTimeoutError::Timeout) if stop.is_stopped() => return Err(NoLine::Stopped),
                Err(RecvTimeoutError::Timeout) if Instant::now() >= until => return Err(NoLine::TimedOut),
                Err(RecvTimeoutError::Timeout) if self.is_running() => {}
                Err(RecvTimeoutError::Timeout) => {
                    if ended.get_or_insert_with(Instant::now).elapsed() >= LAST_WORDS {
                        return Err(NoLine::Closed);
                    }
                }
            }
        }
    }

    /// The program has not ended.
    pub(super) fn is_running(&mut self) -> bool {
        self.group.as_ref().is_some_and(|group| !group.leader_has_ended(&mut self.child))
    }

    /// How the program ended and the last lines of its standard error, for reports.
    fn describe_end(&mut self) -> String {
        let deadline = Instant::now() + LAST_WORDS;
        while self.is_running() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        let mut text = "output closed".to_string();
        if !self.is_running()
            && let Some(status) = self.kill()
        {
            text = status.to_string();
        }
        // its last words may still be on the way
        while self.error_reader.as_ref().is_some_and(|reader| !reader.is_finished()) && Instant::now() < deadline {
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

    /// What a program is blamed for that did not do as `request` says within its time; kills it.
    pub(super) fn lost(process: Option<Process>, reason: NoLine, request: &str, patience: Duration) -> PlayerError {
        let kilobytes = REPLY_LIMIT >> 10;
        let (kind, detail) = match reason {
            NoLine::Stopped => return PlayerError::Stopped,
            NoLine::TimedOut => {
                (FailureKind::Hang, format!("no answer to '{request}' within {:.1} s", patience.as_secs_f64()))
            }
            NoLine::Deaf => (FailureKind::Hang, format!("does not read its input: '{request}'")),
            NoLine::TooLong => (FailureKind::Protocol, format!("more than {kilobytes} KiB in answer to '{request}'")),
            NoLine::Closed => {
                let end = process.map_or_else(|| "not running".to_string(), |mut process| process.describe_end());
                (FailureKind::Crash, format!("ended during '{request}' ({end})"))
            }
        };
        Failure::new(kind, detail).into()
    }

    /// Asks the program to end by a last line and by closing its input; kills it if it does not, and in any case what
    /// it has started.
    pub(super) fn quit(mut self, farewell: &str) {
        let _ = self.send(farewell);
        self.input = None;
        let deadline = Instant::now() + FAREWELL;
        while self.is_running() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Kills the program and all it has started, once; returns how it ended.
    fn kill(&mut self) -> Option<ExitStatus> {
        self.group.take()?.kill(&mut self.child);
        self.child.wait().ok()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn start_thread(work: impl FnOnce() + Send + 'static) -> io::Result<JoinHandle<()>> {
    let no_thread = |error: io::Error| io::Error::new(error.kind(), format!("no thread to talk to it: {error}"));
    threads::start_apart("program", work).map_err(no_thread)
}

/// Writes lines as they come; the input is closed when no more can come.
fn feed_lines(mut input: ChildStdin, lines: &Receiver<String>) {
    for line in lines {
        if input.write_all(line.as_bytes()).is_err() {
            return;
        }
    }
}

/// Sends lines as they come; `None`, and no more, when one has no end. What a program that has ended had begun to say is no line:
/// half an answer could pass for another one.
fn forward_lines(output: impl Read, sender: &SyncSender<Option<String>>) {
    let mut reader = BufReader::new(output);
    while let Some(bytes) = next_line(&mut reader) {
        let is_whole = bytes.len() < REPLY_LIMIT;
        if is_whole && !bytes.ends_with(b"\n") {
            return;
        }
        let line = is_whole.then(|| String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_string());
        if sender.send(line).is_err() || !is_whole {
            return;
        }
    }
}

fn keep_lines(output: impl Read, kept: &Mutex<VecDeque<String>>) {
    let mut reader = BufReader::new(output);
    while let Some(bytes) = next_line(&mut reader) {
        let line = plain_text(&String::from_utf8_lossy(&bytes), ERROR_LENGTH);
        log::debug!("engine stderr: {line}");
        if line.is_empty() {
            continue;
        }
        let mut kept = kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if kept.len() == ERROR_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
    }
}

/// The next line with its end, or the first [`REPLY_LIMIT`] bytes of it; `None` at the end of the output.
fn next_line(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    match reader.by_ref().take(REPLY_LIMIT as u64).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(bytes),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::search::threads::limit;

    fn shell(script: &str) -> Process {
        Process::spawn(&["sh", "-c", script].map(str::to_string), None).unwrap()
    }

    fn read(process: &mut Process, seconds: u64) -> Result<String, NoLine> {
        process.read_line(Instant::now() + Duration::from_secs(seconds), &StopToken::new())
    }

    #[test]
    fn lines_come_and_go() {
        let mut cat = shell("exec cat");
        cat.send("one").unwrap();
        cat.send("two \r").unwrap();
        assert_eq!((read(&mut cat, 20), read(&mut cat, 20)), (Ok("one".to_string()), Ok("two ".to_string())));
        assert_eq!(read(&mut cat, 0), Err(NoLine::TimedOut));
        let start = Instant::now();
        cat.quit("three");
        assert!(start.elapsed() < FAREWELL, "it ends at the end of its input");
    }

    /// A program that nobody can talk to does not stay behind.
    #[test]
    fn a_system_without_threads() {
        let folder = tempfile::tempdir().unwrap();
        let script = ["sh", "-c", "echo $$ > pid; exec sleep 60"].map(str::to_string);
        for left in 0..3 {
            limit::set(left);
            let refused = Process::spawn(&script, Some(folder.path())).map(drop).unwrap_err();
            assert!(refused.to_string().starts_with("no thread to talk to it: "), "{refused}");
            // it may be ended before it says who it is
            let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap_or_default();
            let is_there = |pid: &str| Path::new("/proc").join(pid).exists();
            assert!(pid.trim().is_empty() || !is_there(pid.trim()), "{pid}");
        }
        limit::set(3);
        assert!(Process::spawn(&script, Some(folder.path())).is_ok());
    }

    /// What is sent to a program that does not read fills the pipe and the queue, and then fails at once.
    #[test]
    fn a_deaf_program_does_not_block() {
        let mut deaf = shell("exec sleep 60");
        let line = "x".repeat(1000);
        let start = Instant::now();
        // the queue may be full before the pipe is, and has room again then: they are filled until both stay full
        let mut sent = 0;
        while sent < 2000 {
            let more = (sent..2000).take_while(|_| deaf.send(&line).is_ok()).count();
            if more == 0 {
                break;
            }
            sent += more;
            thread::sleep(Duration::from_millis(200));
        }
        assert!((INPUT_QUEUE..2000).contains(&sent), "{sent}");
        assert_eq!(deaf.send("quit"), Err(NoLine::Deaf));
        drop(deaf);
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    /// A flood of lines does not hide that time is over, or that the match is stopped.
    #[test]
    fn floods_are_timed() {
        let mut flood = shell("exec yes");
        let (until, token) = (Instant::now() + Duration::from_millis(200), StopToken::new());
        let last = (0..).find_map(|_| flood.read_line(until, &token).err());
        assert_eq!(last, Some(NoLine::TimedOut));
        assert!(Instant::now() < until + Duration::from_secs(10));
        // the queue is full, and time is over
        thread::sleep(Duration::from_millis(200));
        assert_eq!(flood.read_line(Instant::now() - Duration::from_millis(1), &token), Err(NoLine::TimedOut));
        token.stop();
        let until = Instant::now() + Duration::from_secs(20);
        assert_eq!(flood.read_line(until, &token), Err(NoLine::Stopped));
    }

    #[test]
    fn lines_have_an_end() {
        let mut endless = shell("exec cat /dev/zero");
        assert_eq!(read(&mut endless, 20), Err(NoLine::TooLong));
        let limit = REPLY_LIMIT - 1;
        let mut long = shell(&format!("head -c {limit} /dev/zero | tr '\\0' x; echo; echo end"));
        // with its line end it is as long as the limit
        assert_eq!(read(&mut long, 20), Err(NoLine::TooLong));
        let mut longest = shell(&format!("head -c {} /dev/zero | tr '\\0' x; echo; echo end", limit - 1));
        assert_eq!(read(&mut longest, 20).map(|line| line.len()), Ok(limit - 1));
        assert_eq!(read(&mut longest, 20), Ok("end".to_string()));
    }

    /// A program that ends in the middle of a line has said nothing with it.
    #[test]
    fn half_a_line_is_none() {
        let mut half = shell("echo one; printf '= f'; exit 3");
        assert_eq!((read(&mut half, 20), read(&mut half, 20)), (Ok("one".to_string()), Err(NoLine::Closed)));
        assert!(half.describe_end().contains("exit status: 3"));
    }

    /// A child that keeps the output open does not make a program that has ended a hanging one.
    #[test]
    fn the_end_of_the_program_is_the_end() {
        let mut forked = shell("sleep 60 & echo started; exit 7");
        assert_eq!(read(&mut forked, 20), Ok("started".to_string()));
        let start = Instant::now();
        assert_eq!(read(&mut forked, 20), Err(NoLine::Closed));
        assert!(!forked.is_running());
        assert!(forked.describe_end().contains("exit status: 7"));
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}
