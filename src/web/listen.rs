//! The port: connections in limited number, each with limited patience.

use std::future::{Future, poll_fn};
use std::io;
use std::net::TcpListener;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use axum::response::Response;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::connection::Connection;
use super::events::is_stream;
use super::{Router, Service};
use crate::search::StopToken;
use crate::search::threads::start_apart;

/// Connections at the same time; more wait. A page has two, one of them for what it studies.
const CONNECTIONS: usize = 1000;

/// How long a client may take for the head of a request, rest between two, and take nothing of an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long each request is worked on whose client sends no more. Most clients have gone then, and a search is for nobody; some
/// only say that they have asked for everything, and get what is at hand: the whole of an answer that has an end.
const FAREWELL: Duration = Duration::from_millis(100);

/// The largest head of a request, in bytes.
const HEAD: usize = 16 << 10;

/// How often the token is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// Threads that read and write; searches have their own.
const WRITERS: usize = 2;

/// Whether the client of a request sends no more. It is probably gone: nothing should change for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gone(Arc<AtomicBool>);

impl Gone {
    /// It sends no more.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// How far the answers of a connection have come.
#[derive(Debug, Default)]
struct Answers {
    /// Those that have begun.
    begun: AtomicUsize,
    /// The last request has its answer, and nothing is searched for it: it only has to be written.
    is_at_hand: AtomicBool,
}

impl Answers {
    /// A request has come.
    fn asked(&self) {
        self.is_at_hand.store(false, Ordering::SeqCst);
    }

    /// Its answer begins.
    fn begin(&self, answer: &Response) {
        self.is_at_hand.store(!is_stream(answer), Ordering::SeqCst);
        self.begun.fetch_add(1, Ordering::SeqCst);
    }

    /// Waits until a request has been worked on for long enough, whose client sends no more.
    async fn end(&self) {
        loop {
            let begun = self.begun.load(Ordering::SeqCst);
            sleep(FAREWELL).await;
            // a client that does not take what is at hand loses its connection by the patience
            if !self.is_at_hand.load(Ordering::SeqCst) && self.begun.load(Ordering::SeqCst) == begun {
                return;
            }
        }
    }
}

/// Answers connections until the token is set; searches end with it.
///
/// # Errors
/// When the runtime cannot be made, or the listener is of no use.
pub fn serve(service: Service, listener: TcpListener, stop: &StopToken) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        accept(&service.router(), &listener, stop).await;
        Ok(())
    });
    // connections end with the runtime, whatever they are about
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}

/// What reads and writes: with threads of its own, or on this one where the system gives no others. (The runtime would panic then.)
fn runtime() -> io::Result<Runtime> {
    if !has_threads(WRITERS) {
        log::warn!("one thread reads and writes for all connections: no other starts");
        return Builder::new_current_thread().enable_all().build();
    }
    Builder::new_multi_thread().worker_threads(WRITERS).thread_name("web").enable_all().build()
}

/// The system gives so many threads at the same time.
fn has_threads(count: usize) -> bool {
    let (end, wait) = channel::<()>();
    let wait = Arc::new(Mutex::new(wait));
    let start = |_| {
        let wait = Arc::clone(&wait);
        start_apart("web", move || drop(wait.lock().map(|wait| wait.recv()))).ok()
    };
    let threads: Vec<_> = (0..count).map_while(start).collect();
    let all = threads.len() == count;
    drop(end);
    threads.into_iter().for_each(|thread| drop(thread.join()));
    all
}

async fn accept(router: &Router, listener: &tokio::net::TcpListener, stop: &StopToken) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    while !stop.is_stopped() {
        // both can be given up and begun again without losing anything
        let Ok(Ok(place)) = timeout(LOOK, Arc::clone(&places).acquire_owned()).await else { continue };
        let stream = match timeout(LOOK, listener.accept()).await {
            Ok(Ok((stream, _))) => stream,
            Ok(Err(error)) => {
                // no file descriptors left, or a connection that ended before it began
                log::warn!("a connection could not be accepted: {error}");
                sleep(LOOK).await;
                continue;
            }
            Err(_) => continue,
        };
        let _ = stream.set_nodelay(true);
        let router = router.clone();
        tokio::spawn(async move {
            answer(router, stream).await;
            drop(place);
        });
    }
}

/// Answers the requests of a connection until its client has gone.
async fn answer(router: Router, stream: TcpStream) {
    let (connection, watch) = Connection::new(stream, PATIENCE);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(PATIENCE).max_buf_size(HEAD);
    // hyper would drop the request of a client that sends no more, and not see that one is gone that has sent the next request
    http.half_close(true);
    let (router, client, progress) = (TowerToHyperService::new(router), Gone::default(), Arc::<Answers>::default());
    let (known, begun) = (client.clone(), Arc::clone(&progress));
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(known.clone());
        begun.asked();
        let (answer, begun) = (router.call(request), Arc::clone(&begun));
        async move { answer.await.inspect(|answer| begun.begin(answer)) }
    });
    let mut answers = pin!(http.serve_connection(TokioIo::new(connection), service));
    let mut gone = pin!(async {
        watch.closed().await;
        client.0.store(true, Ordering::SeqCst);
        progress.end().await;
    });
    let end = poll_fn(|context| match answers.as_mut().poll(context) {
        Poll::Pending => gone.as_mut().poll(context).map(|()| None),
        ended => ended.map(Some),
    });
    // what goes wrong with a connection is its client's affair
    if let Some(Err(error)) = end.await {
        log::debug!("a connection ended: {error}");
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::RuntimeFlavor;

    use super::*;
    use crate::search::threads::limit;

    #[test]
    fn a_system_with_few_threads() {
        for (threads, flavor) in
            [(0, RuntimeFlavor::CurrentThread), (1, RuntimeFlavor::CurrentThread), (2, RuntimeFlavor::MultiThread)]
        {
            limit::set(threads);
            let runtime = runtime().unwrap();
            limit::set(usize::MAX);
            assert_eq!(runtime.handle().runtime_flavor(), flavor, "{threads}");
            // work that is begun goes on beside what is waited for, on either
            let sum = async { tokio::spawn(async { 20 + 22 }).await.unwrap() };
            assert_eq!(runtime.block_on(sum), 42);
        }
    }
}
