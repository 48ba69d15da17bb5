//! Work without the interpreter lock that Ctrl-C can stop.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use outflank::StopToken;
use pyo3::prelude::*;

use crate::errors;

/// How often Python's signal handlers get their turn.
const POLL: Duration = Duration::from_millis(30);

thread_local! {
    /// Whether this thread is the one that Python handles signals on, once known, and the process of which it is: in a fork it is the
    /// one that has called it.
    static IS_MAIN: Cell<Option<(bool, u32)>> = const { Cell::new(None) };
}

fn is_main_thread(py: Python<'_>) -> bool {
    let process = std::process::id();
    if let Some((known, _)) = IS_MAIN.get().filter(|(_, of)| *of == process) {
        return known;
    }
    let ask = || -> PyResult<bool> {
        let threading = py.import("threading")?;
        let main = threading.call_method0("main_thread")?.getattr("ident")?;
        threading.call_method0("get_ident")?.eq(main)
    };
    let known = ask().unwrap_or(true);
    IS_MAIN.set(Some((known, process)));
    known
}

/// Runs `work` without the interpreter lock.
///
/// On Python's main thread work that may be `long` moves to another thread, while this one looks for signals: an exception of
/// a handler (Ctrl-C) sets `stop` and is raised once the work has ended. Handing over costs some 20 microseconds, which short
/// work does not pay. Other threads get no signals, so that they do the work themselves.
///
/// # Errors
/// The exception of a signal handler; `RuntimeError` when the work panicked, or no thread can be started for it.
pub fn run<T: Send>(py: Python<'_>, stop: &StopToken, long: bool, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    if !long || !is_main_thread(py) {
        return py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(errors::panicked);
    }
    py.detach(|| {
        thread::scope(|scope| {
            let (sender, done) = channel::<()>();
            let handed_over = move || {
                let result = work();
                drop(sender);
                result
            };
            let worker = thread::Builder::new().spawn_scoped(scope, handed_over).map_err(errors::thread)?;
            let mut raised = None;
            while done.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none()
                    && let Err(error) = Python::attach(|py| py.check_signals())
                {
                    stop.stop();
                    raised = Some(error);
                }
            }
            let result = worker.join().map_err(errors::panicked)?;
            raised.map_or(Ok(result), Err)
        })
    })
}
