//! What a session says.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The output of a session, shared with its searching thread; lines are flushed one by one.
#[derive(Debug)]
pub(super) struct Output<W>(Arc<Mutex<W>>);

impl<W> Clone for Output<W> {
    fn clone(&self) -> Output<W> {
        Output(Arc::clone(&self.0))
    }
}

impl<W: Write> Output<W> {
    pub fn new(output: W) -> Output<W> {
        Output(Arc::new(Mutex::new(output)))
    }

    /// Writes a line.
    pub fn line(&self, text: &str) -> io::Result<()> {
        // a writer that panicked in the middle of a line has lost that line only
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        writeln!(output, "{text}")?;
        output.flush()
    }
}

#[cfg(test)]
impl Output<Vec<u8>> {
    /// What has been written.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }
}
