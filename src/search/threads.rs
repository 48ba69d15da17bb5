//! Starting the threads of a search, and others that the system may refuse.

use std::io;
use std::thread::{Builder, JoinHandle, Scope};

/// Starts a thread that helps a search. When the system has none left, a line in the log says so and the result is `false`:
/// the search goes on with the threads it has.
pub(crate) fn start<'scope>(scope: &'scope Scope<'scope, '_>, work: impl FnOnce() + Send + 'scope) -> bool {
    #[cfg(test)]
    let work = match limit::take() {
        true => work,
        false => return false,
    };
    match Builder::new().name("search".into()).spawn_scoped(scope, work) {
        Ok(_) => true,
        Err(error) => {
            log::warn!("cannot start another thread: {error}");
            false
        }
    }
}

/// Starts a thread that works while the one that wants it goes on.
///
/// # Errors
/// When the system has none left.
pub(crate) fn start_apart<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    #[cfg(test)]
    if !limit::take() {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    Builder::new().name(name.into()).spawn(work)
}

/// A system that has few threads left, for tests.
#[cfg(test)]
pub(crate) mod limit {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// From now on this many threads can be started from this one.
    pub fn set(threads: usize) {
        LEFT.set(threads);
    }

    /// How many are left.
    pub fn left() -> usize {
        LEFT.get()
    }

    pub(super) fn take() -> bool {
        let left = LEFT.get();
        LEFT.set(left.saturating_sub(1));
        left > 0
    }
}
