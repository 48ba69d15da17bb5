//! A connection as the server reads and writes it: one that takes nothing is given up, and one whose client goes is noticed.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{Sleep, sleep};

/// How often a connection is looked at that has more to read than anybody wants yet.
const LOOK: Duration = Duration::from_millis(25);

/// A connection whose writes fail when its client takes nothing for too long.
pub(crate) struct Connection {
    reader: Arc<OwnedReadHalf>,
    writer: OwnedWriteHalf,
    /// How long the client may take nothing.
    patience: Duration,
    /// When that is over; `None` while it takes what comes.
    stalled: Option<Pin<Box<Sleep>>>,
}

/// Notices that a client has gone.
pub(crate) struct Watch(Arc<OwnedReadHalf>);

impl Connection {
    /// A connection, and what notices its end.
    pub fn new(stream: TcpStream, patience: Duration) -> (Connection, Watch) {
        let (reader, writer) = stream.into_split();
        let reader = Arc::new(reader);
        let watch = Watch(Arc::clone(&reader));
        (Connection { reader, writer, patience, stalled: None }, watch)
    }

    /// What becomes of a write: one that has got nowhere ends with the patience.
    fn within_patience<T>(&mut self, context: &mut Context<'_>, write: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if write.is_ready() {
            self.stalled = None;
            return write;
        }
        let patience = self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl Watch {
    /// Waits until the client sends no more. Whether it still reads is not to be known without writing to it.
    pub async fn closed(&self) {
        while let Ok(ready) = self.0.ready(Interest::READABLE).await {
            if ready.is_read_closed() {
                return;
            }
            // there is a request that waits for the one before it
            sleep(LOOK).await;
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let stream = self.reader.as_ref().as_ref();
        loop {
            ready!(stream.poll_read_ready(context))?;
            match stream.try_read(buffer.initialize_unfilled()) {
                Ok(count) => {
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                // it was not ready after all
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.writer).poll_write(context, bytes);
        self.within_patience(context, write)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let write = Pin::new(&mut self.writer).poll_write_vectored(context, parts);
        self.within_patience(context, write)
    }

    fn is_write_vectored(&self) -> bool {
        self.writer.is_write_vectored()
    }
}
