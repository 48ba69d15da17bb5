//! A search in the background.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use outflank::{Engine, Limits, Position, Report, SearchError, StopToken};
use pyo3::exceptions::{PyRuntimeError, PyTimeoutError};
use pyo3::prelude::*;

use crate::engine::Running;
use crate::errors;
use crate::report::PyReport;

/// How often signals are looked for while nothing happens.
const POLL: Duration = Duration::from_millis(30);

/// How a search ended.
type Ended = Option<Result<Report, Failure>>;

/// Why a search ended without a result.
#[derive(Clone)]
enum Failure {
    Search(SearchError),
    Panic(String),
}

/// The end of a search, for those who wait for it.
#[derive(Default)]
struct End {
    ended: Mutex<Ended>,
    signal: Condvar,
}

/// A search that runs on a thread of its own.
///
/// Iterating gives a report for each iteration as it comes. Dropping the object stops the search. Whoever stops it by that or by
/// Ctrl-C finds the engine free.
#[pyclass(name = "Search", module = "outflank", frozen)]
pub struct PySearch {
    stop: StopToken,
    reports: Mutex<Receiver<Report>>,
    end: Arc<End>,
    /// The process that it runs in.
    process: u32,
}

impl PySearch {
    /// Starts the search, unless the engine is busy.
    pub fn start(
        engine: Arc<Mutex<Engine>>,
        running: Running,
        position: Position,
        limits: Limits,
    ) -> PyResult<PySearch> {
        let (stop, end) = (StopToken::new(), Arc::new(End::default()));
        let (sender, receiver) = channel();
        let (begun, wait) = channel::<PyErr>();
        let (token, result) = (stop.clone(), end.clone());
        let work = move || {
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                // here and now: who looked whether it is free, and then waited for it, could wait for what another thread begins
                let mut engine = match running.begin(&engine, &token) {
                    Ok(engine) => engine,
                    Err(busy) => {
                        let _ = begun.send(busy);
                        return None;
                    }
                };
                drop(begun);
                let search = engine.search(&position, &limits, &token, &mut |report| {
                    let _ = sender.send(report.clone());
                });
                Some(search)
            }));
            let ended = match ended {
                Ok(None) => return,
                Ok(Some(ended)) => ended.map_err(Failure::Search),
                Err(cause) => Err(Failure::Panic(errors::panic_text(cause))),
            };
            *result.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
            result.signal.notify_all();
            // behind the last report the search is done
            drop(sender);
        };
        thread::Builder::new().name("outflank search".to_string()).spawn(work).map_err(errors::thread)?;
        // the engine is taken: what is called next finds it busy
        if let Ok(busy) = wait.recv() {
            return Err(busy);
        }
        Ok(PySearch { stop, reports: Mutex::new(receiver), end, process: std::process::id() })
    }

    /// Waits for something without the lock, looking for signals; `None` when the time is over.
    fn poll<T: Send>(
        &self,
        py: Python<'_>,
        timeout: Option<f64>,
        step: impl Fn() -> Option<T> + Sync,
    ) -> PyResult<Option<T>> {
        // what is no number is no time
        let seconds_of = |seconds: f64| Duration::from_secs_f64(if seconds > 0.0 { seconds.min(1e9) } else { 0.0 });
        let deadline = timeout.map(|seconds| Instant::now() + seconds_of(seconds));
        loop {
            let found = py.detach(&step);
            // whatever has come: a signal that is left to the interpreter would end the caller's loop, but not the search, which lives
            // as long as the traceback
            if let Err(error) = py.check_signals() {
                py.detach(|| self.end());
                return Err(error);
            }
            if found.is_some() {
                return Ok(found);
            }
            if self.is_forked() {
                return Err(PyRuntimeError::new_err("the search runs in the process that this one was forked from"));
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(None);
            }
        }
    }

    /// This process was forked from the one of the search, and does not have its thread.
    fn is_forked(&self) -> bool {
        std::process::id() != self.process
    }

    /// Stops the search, and waits the milliseconds that it takes to end.
    fn end(&self) {
        self.stop.stop();
        if self.is_forked() {
            return;
        }
        let guard = self.end.ended.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.end.signal.wait_while(guard, |ended| ended.is_none()));
    }

    fn ended(&self) -> Ended {
        self.end.ended.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl PySearch {
    /// Asks the search to stop; it ends within milliseconds.
    fn stop(&self) {
        self.stop.stop();
    }

    /// The search has ended.
    #[getter]
    fn done(&self) -> bool {
        self.ended().is_some()
    }

    /// Nodes so far.
    #[getter]
    fn nodes(&self) -> u64 {
        self.stop.nodes()
    }

    /// Waits for the end and returns the final report; `TimeoutError` when it does not come within `timeout` seconds.
    #[pyo3(signature = (timeout = None))]
    fn result(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<PyReport> {
        let wait = || {
            let guard = self.end.ended.lock().unwrap_or_else(PoisonError::into_inner);
            let (guard, _) = self
                .end
                .signal
                .wait_timeout_while(guard, POLL, |ended| ended.is_none())
                .unwrap_or_else(PoisonError::into_inner);
            guard.clone()
        };
        match self.poll(py, timeout, wait)? {
            Some(Ok(report)) => Ok(PyReport(report)),
            Some(Err(Failure::Search(error))) => Err(errors::search(error)),
            Some(Err(Failure::Panic(text))) => Err(PyRuntimeError::new_err(text)),
            None => Err(PyTimeoutError::new_err("the search goes on")),
        }
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyReport>> {
        let wait = || {
            let reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
            match reports.recv_timeout(POLL) {
                Ok(report) => Some(Some(PyReport(report))),
                Err(RecvTimeoutError::Disconnected) => Some(None),
                Err(RecvTimeoutError::Timeout) => None,
            }
        };
        Ok(self.poll(py, None, wait)?.flatten())
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        self.stop.stop();
        self.result(py, None).map(drop)
    }
}

impl Drop for PySearch {
    /// The search needs no interpreter lock to end.
    fn drop(&mut self) {
        self.end();
    }
}
