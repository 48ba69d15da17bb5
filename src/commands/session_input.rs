//! Standard input as sessions read it: without a mark of byte order, and with errors that are told from those of the output.

use std::io::{self, BufReader, Read, Stdin};

/// Standard input could not be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read standard input: {0}")]
pub struct InputFailed(io::Error);

/// What editors and shells of Windows begin a text with.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Standard input of a session, below its buffer.
#[derive(Debug)]
pub struct SessionInput<R> {
    inner: R,
    has_begun: bool,
}

/// Standard input, of which nothing has been read.
pub fn session_input() -> BufReader<SessionInput<Stdin>> {
    BufReader::new(SessionInput { inner: io::stdin(), has_begun: false })
}

/// An error that says what failed, unless reading is to be tried again.
fn failed(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::Interrupted { error } else { io::Error::new(error.kind(), InputFailed(error)) }
}

impl<R: Read> Read for SessionInput<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(into).map_err(failed)?;
        let is_marked = !self.has_begun && into[..length].starts_with(BYTE_ORDER_MARK);
        self.has_begun = true;
        if !is_marked {
            return Ok(length);
        }
        into.copy_within(BYTE_ORDER_MARK.len()..length, 0);
        match length - BYTE_ORDER_MARK.len() {
            // no bytes would be the end of the input
            0 => self.read(into),
            rest => Ok(rest),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> String {
        let mut text = String::new();
        SessionInput { inner: bytes, has_begun: false }.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_mark_of_byte_order_is_left_out_at_the_beginning_only() {
        assert_eq!(text("\u{feff}nboard 2\n\u{feff}".as_bytes()), "nboard 2\n\u{feff}");
        assert_eq!(text(b"name\n"), "name\n");
        assert_eq!(text(b""), "");
        // alone in what is read first, and what is too short to be one
        let mut apart = SessionInput { inner: "\u{feff}".as_bytes().chain(&b"name"[..]), has_begun: false };
        let mut rest = String::new();
        apart.read_to_string(&mut rest).unwrap();
        assert_eq!((rest.as_str(), text(b"pi").as_str()), ("name", "pi"));
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
        let error = |kind| SessionInput { inner: Broken(kind), has_begun: false }.read(&mut [0; 8]).unwrap_err();
        let found = error(io::ErrorKind::IsADirectory);
        assert!(found.get_ref().is_some_and(|inner| inner.is::<InputFailed>()), "{found}");
        assert_eq!(found.to_string(), "cannot read standard input: is a directory");
        // whoever reads tries again
        assert!(error(io::ErrorKind::Interrupted).get_ref().is_none());
    }
}
