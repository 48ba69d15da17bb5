//! Results as they come: server-sent events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use http_body::Frame;
use serde::Serialize;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::games::GameSession;
use super::pool::Ticket;

/// How often a line goes to a client who hears of nothing else: it finds out about connections that have ended silently.
const PING: Duration = Duration::from_secs(10);

/// An event as it goes over the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event(String);

impl Event {
    /// An event of a kind, with its data.
    pub fn new(kind: &str, data: &impl Serialize) -> Event {
        // JSON has no line breaks outside strings, and none unescaped in them
        let data = serde_json::to_string(data).unwrap_or_else(|_| "null".to_string());
        Event(format!("event: {kind}\ndata: {data}\n\n"))
    }
}

/// The events of a piece of work, as the body of an answer. When the client goes the body is dropped, and with it the ticket.
struct Events<T> {
    news: UnboundedReceiver<T>,
    tell: Box<dyn FnMut(T) -> Event + Send>,
    ping: Interval,
    /// Dropped with the body.
    _ticket: Ticket,
    /// In use as long.
    _session: Arc<GameSession>,
}

// nothing in it is pinned
impl<T> Unpin for Events<T> {}

impl<T> http_body::Body for Events<T> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = |Event(text): Event| Poll::Ready(Some(Ok(Frame::data(Bytes::from(text)))));
        match self.news.poll_recv(context) {
            Poll::Ready(Some(news)) => {
                let event = (self.tell)(news);
                frame(event)
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                ready!(self.ping.poll_tick(context));
                // the next tick must wake this task, too
                context.waker().wake_by_ref();
                frame(Event(": \n\n".to_string()))
            }
        }
    }
}

/// The type of every stream.
const STREAM: &str = "text/event-stream";

/// What every stream is announced with.
const HEADERS: [(&str, &str); 2] = [("content-type", STREAM), ("x-accel-buffering", "no")];

/// An answer tells the news of some work, as long as that goes on.
pub(crate) fn is_stream(answer: &Response) -> bool {
    answer.headers().get(axum::http::header::CONTENT_TYPE).is_some_and(|kind| kind == STREAM)
}

/// The answer to somebody who asks only whether there would be a stream: no work is done for it.
pub(crate) fn head() -> Response {
    HEADERS.into_response()
}

/// The answer that tells the news of some work for the game of a session.
pub(crate) fn answer<T: Send + 'static>(
    (session, ticket): (Arc<GameSession>, Ticket),
    news: UnboundedReceiver<T>,
    tell: impl FnMut(T) -> Event + Send + 'static,
) -> Response {
    let mut ping = interval(PING);
    ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // an interval begins with a tick at once
    ping.reset();
    let body = Body::new(Events { news, tell: Box::new(tell), ping, _ticket: ticket, _session: session });
    (HEADERS, body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_two_lines_and_an_empty_one() {
        let event = Event::new("iteration", &"two\nlines");
        assert_eq!(event.0, "event: iteration\ndata: \"two\\nlines\"\n\n");
    }
}
