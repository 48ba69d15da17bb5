//! A log of everything that goes over the wire of a session: each line in and out, for `OUTFLANK_LOG=debug`.

use std::io::{self, BufRead, Read, Write};

use log::Level;

/// Collects bytes and logs each line as it is complete.
#[derive(Debug, Default)]
struct Lines {
    sign: &'static str,
    begun: Vec<u8>,
}

impl Lines {
    /// Longest part of a line that is logged, in bytes.
    const LONGEST: usize = 4096;

    fn new(sign: &'static str) -> Lines {
        Lines { sign, begun: Vec::new() }
    }

    fn take(&mut self, bytes: &[u8]) {
        if !log::log_enabled!(target: "outflank::wire", Level::Debug) {
            return;
        }
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = Self::LONGEST.saturating_sub(self.begun.len());
            self.begun.extend(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                self.log();
            }
        }
    }

    fn log(&mut self) {
        let text = String::from_utf8_lossy(&self.begun);
        log::debug!(target: "outflank::wire", "{} {}", self.sign, text.trim_end_matches(['\r', '\n']));
        self.begun.clear();
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        if !self.begun.is_empty() {
            self.log();
        }
    }
}

/// An input whose lines are logged, with `<`, as they are read.
#[derive(Debug)]
pub struct Heard<R> {
    inner: R,
    lines: Lines,
}

impl<R> Heard<R> {
    /// Logs what is read of `inner`.
    pub fn new(inner: R) -> Heard<R> {
        Heard { inner, lines: Lines::new("<") }
    }
}

impl<R: BufRead> Read for Heard<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let length = available.read(into)?;
        self.consume(length);
        Ok(length)
    }
}

impl<R: BufRead> BufRead for Heard<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // nothing is consumed at the end, behind which a terminal would wait for more
        if amount == 0 {
            return;
        }
        // what is consumed has been filled in: this reads nothing
        if let Ok(buffer) = self.inner.fill_buf() {
            self.lines.take(&buffer[..amount.min(buffer.len())]);
        }
        self.inner.consume(amount);
    }
}

/// An output whose lines are logged, with `>`, as they are written.
#[derive(Debug)]
pub struct Said<W> {
    inner: W,
    lines: Lines,
}

impl<W> Said<W> {
    /// Logs what is written to `inner`.
    pub fn new(inner: W) -> Said<W> {
        Said { inner, lines: Lines::new(">") }
    }
}

impl<W: Write> Write for Said<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.lines.take(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::input::read_line;

    #[test]
    fn streams_are_what_they_were() {
        let text = "one\r\ntwo\n\nlast";
        let mut heard = Heard::new(io::BufReader::with_capacity(3, text.as_bytes()));
        let mut line = String::new();
        heard.read_line(&mut line).unwrap();
        assert_eq!(line, "one\r\n");
        let mut rest = String::new();
        heard.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "two\n\nlast");
        let mut bytes = Vec::new();
        let mut said = Said::new(&mut bytes);
        write!(said, "{text}").unwrap();
        said.flush().unwrap();
        drop(said);
        assert_eq!(bytes, text.as_bytes());
    }

    /// What a terminal has given, a piece at a time; Ctrl-D is an empty one, behind which it waits for more.
    struct Terminal(Vec<&'static str>);

    impl Read for Terminal {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.0.remove(0).as_bytes().read(into)
        }
    }

    #[test]
    fn the_end_of_a_terminal_is_read_once() {
        let mut heard = Heard::new(io::BufReader::new(Terminal(vec!["one\n", "", "two\n"])));
        let lines: Vec<String> = std::iter::from_fn(|| read_line(&mut heard).unwrap()).collect();
        assert_eq!((lines, heard.inner.get_ref().0.as_slice()), (vec!["one".to_string()], &["two\n"][..]));
    }
}
