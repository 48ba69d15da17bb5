//! Standard input as sessions read it: without a mark of byte order, and with errors that are told from those of the output.

use std::io::{self, BufRead, Read};

/// Standard input could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read standard input: {0}")]
pub struct InputFailed(io::Error);

/// What editors and shells of Windows begin a text with.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Standard input of a session.
#[derive(Debug)]
pub struct SessionInput<R> {
    inner: R,
    has_begun: bool,
}

impl<R> SessionInput<R> {
    /// A session's input, of which nothing has been read.
    pub fn new(inner: R) -> SessionInput<R> {
        SessionInput { inner, has_begun: false }
    }
}

/// An error that says what failed, unless reading is to be tried again.
fn failed(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::Interrupted { error } else { io::Error::new(error.kind(), InputFailed(error)) }
}

impl<R: BufRead> BufRead for SessionInput<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if !self.has_begun {
            let is_marked = self.inner.fill_buf().map_err(failed)?.starts_with(BYTE_ORDER_MARK);
            self.has_begun = true;
            if is_marked {
                self.inner.consume(BYTE_ORDER_MARK.len());
            }
        }
        self.inner.fill_buf().map_err(failed)
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
    }
}

impl<R: BufRead> Read for SessionInput<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let length = available.read(into)?;
        self.consume(length);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        let mut text = String::new();
        SessionInput::new(bytes).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_mark_of_byte_order_is_left_out_at_the_beginning_only() {
        assert_eq!(text("\u{feff}nboard 2\n\u{feff}".as_bytes()), "nboard 2\n\u{feff}");
        assert_eq!(text(b"name\n"), "name\n");
        assert_eq!(text(b""), "");
    }

    /// Whatever is read fails so.
    struct Broken(io::ErrorKind);

    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
    }

    #[test]
    fn errors_say_that_the_input_failed() {
        let error = |kind| SessionInput::new(io::BufReader::new(Broken(kind))).fill_buf().unwrap_err();
        let found = error(io::ErrorKind::IsADirectory);
        assert!(found.get_ref().is_some_and(|inner| inner.is::<InputFailed>()), "{found}");
        assert_eq!(found.to_string(), "cannot read standard input: is a directory");
        // whoever reads tries again
        assert!(error(io::ErrorKind::Interrupted).get_ref().is_none());
    }
}
