//! Reading lines, and reading ahead of a session that is busy searching.

#[cfg(unix)]
use std::fs;
use std::io::{self, BufRead};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::formats::bounded::{self, LineRead};
use crate::search::StopToken;

/// Longest line kept, in bytes; what follows up to the line's end is dropped. A whole game on one line has under 10 KiB.
const MAX_LINE: usize = 1 << 20;

/// How many lines are read ahead of a session.
const READ_AHEAD: usize = 4096;

/// Reads one line without its end (`\n` or `\r\n`); bytes that are not UTF-8 become U+FFFD. `None` at the end of input.
pub(super) fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if bounded::read_line(input, &mut bytes, MAX_LINE)? == LineRead::End {
        return Ok(None);
    }
    while matches!(bytes.last(), Some(b'\n' | b'\r')) {
        bytes.pop();
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// This name is that of standard input, where a session's commands come from: `/dev/stdin`, or that of its terminal or pipe. To
/// read a game there would take the commands away. (A plain file is read from its beginning by whoever opens it.)
#[cfg(unix)]
pub fn is_input(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let key = |path: &Path| {
        let found = fs::metadata(path).ok().filter(|found| !found.is_file() && !found.is_dir())?;
        Some((found.dev(), found.ino(), found.rdev()))
    };
    key(path).is_some_and(|named| key(Path::new("/dev/stdin")) == Some(named))
}

/// There are no such names elsewhere.
#[cfg(not(unix))]
pub fn is_input(_: &Path) -> bool {
    false
}

/// What the reading thread has seen, for the session that handles lines later.
#[derive(Debug)]
struct Interrupts {
    /// Lines read.
    read: Arc<AtomicU64>,
    /// Lines before this number (counted from 1) have been interrupted.
    before: AtomicU64,
    stop: StopToken,
}

/// Lines read by a thread of their own, so that an interrupt reaches a search that is running.
///
/// An interrupt stops the searches of all lines sent before it, also of those not begun yet, and of no later line.
#[derive(Debug)]
pub(super) struct ReadAhead {
    lines: Receiver<io::Result<String>>,
    interrupts: Arc<Interrupts>,
    taken: u64,
}

impl ReadAhead {
    /// Starts reading; `stop` is the token that interrupts set, `is_interrupt` tells which lines are interrupts. `read` is how many lines
    /// have been read: each is counted before anything comes of it.
    ///
    /// # Errors
    /// When the system has no thread left to read with.
    pub fn start(
        mut input: impl BufRead + Send + 'static,
        stop: StopToken,
        is_interrupt: fn(&str) -> bool,
        read: Arc<AtomicU64>,
    ) -> io::Result<ReadAhead> {
        let (sender, lines) = sync_channel(READ_AHEAD);
        let interrupts = Arc::new(Interrupts { read, before: AtomicU64::new(0), stop });
        let shared = Arc::clone(&interrupts);
        // not joined: it may wait for input for ever after the session has quit
        thread::Builder::new().name("input".into()).spawn(move || {
            let mut number = 0;
            while let Some(line) = read_line(&mut input).transpose() {
                number += 1;
                shared.read.store(number, Ordering::SeqCst);
                if line.as_ref().is_ok_and(|line| is_interrupt(line)) {
                    shared.before.store(number, Ordering::SeqCst);
                    shared.stop.stop();
                }
                let failed = line.is_err();
                if sender.send(line).is_err() || failed {
                    return;
                }
            }
        })?;
        Ok(ReadAhead { lines, interrupts, taken: 0 })
    }

    /// The next line; `None` at the end of input. Afterwards the stop token is set exactly when an interrupt
    /// for this line has arrived already.
    pub fn next_line(&mut self) -> io::Result<Option<String>> {
        let Ok(line) = self.lines.recv() else { return Ok(None) };
        self.taken += 1;
        // The order matters: an interrupt stores the number first and stops second, so that whichever way the two
        // threads interleave the token ends up set. It cannot hit a later line: those are sent after it.
        self.interrupts.stop.reset();
        if self.interrupts.before.load(Ordering::SeqCst) > self.taken {
            self.interrupts.stop.stop();
        }
        line.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn line_ends_and_bad_bytes() {
        let mut input = Cursor::new(b"a\r\n\n\xffb\nlast".to_vec());
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input).unwrap() {
            lines.push(line);
        }
        assert_eq!(lines, ["a", "", "\u{fffd}b", "last"]);
    }

    #[test]
    fn endless_lines_are_cut() {
        let mut text = vec![b'x'; 3 * MAX_LINE];
        text.extend_from_slice(b"\nnext\n");
        let mut input = Cursor::new(text);
        assert_eq!(read_line(&mut input).unwrap().unwrap().len(), MAX_LINE);
        assert_eq!(read_line(&mut input).unwrap().unwrap(), "next");
    }

    /// Input that a signal interrupts before every piece.
    struct Interrupted {
        pieces: Cursor<Vec<u8>>,
        is_told: bool,
    }

    impl io::Read for Interrupted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.is_told = !self.is_told;
            if self.is_told { Err(io::ErrorKind::Interrupted.into()) } else { self.pieces.read(buffer) }
        }
    }

    #[test]
    fn signals_within_a_line_end_nothing() {
        let text = [vec![b'x'; 2 * MAX_LINE], b"\nnext\n".to_vec()].concat();
        let mut input = io::BufReader::new(Interrupted { pieces: Cursor::new(text), is_told: false });
        assert_eq!(read_line(&mut input).unwrap().unwrap().len(), MAX_LINE);
        assert_eq!(read_line(&mut input).unwrap().as_deref(), Some("next"));
        assert_eq!(read_line(&mut input).unwrap(), None);
    }

    #[test]
    fn an_interrupt_is_for_the_lines_before_it() {
        let stop = StopToken::new();
        let input = Cursor::new("one\ntwo\ninterrupt\nthree\n");
        let mut lines = ReadAhead::start(input, stop.clone(), |line| line == "interrupt", Arc::default()).unwrap();
        let mut seen = Vec::new();
        // wait until the reader has seen the interrupt
        while !stop.is_stopped() {
            thread::yield_now();
        }
        while let Some(line) = lines.next_line().unwrap() {
            seen.push((line, stop.is_stopped()));
        }
        let expected = [("one", true), ("two", true), ("interrupt", false), ("three", false)];
        assert_eq!(seen, expected.map(|(line, stopped)| (line.to_string(), stopped)));
    }
}
