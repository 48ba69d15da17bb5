//! Signals. To work with an end Ctrl-C, SIGTERM and SIGHUP say the same: the first stops it cleanly, a second one that finds it
//! still stopping ends the process. A console goes on after Ctrl-C, at a terminal, and ends on the others.

use std::io;
use std::process;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use outflank::search::StopToken;

use super::error::Error;
use super::keys::Terminal;

/// How often an interrupt is looked for while nothing else happens.
const POLL: Duration = Duration::from_millis(20);

/// The exit status of a process that a signal has ended is this and the signal's number.
const ENDED_BY: i32 = 128;

/// The number of Ctrl-C's signal.
const CTRL_C: i32 = 2;

/// Installs the handler and returns the token it sets, which is ended when nobody reads the results any more: that ends the
/// work, too. To be called once in the process.
pub fn stop_token() -> StopToken {
    let token = ctrl_c();
    super::gone::watch(token.clone());
    token
}

/// Installs the handler and returns the token it sets, for work whose results do not go to the output. To be called once in
/// the process.
pub fn ctrl_c() -> StopToken {
    let token = StopToken::new();
    let handler_token = token.clone();
    handle(move |_| {
        if handler_token.is_stopped() {
            process::exit(ENDED_BY + CTRL_C);
        }
        handler_token.stop();
    });
    token
}

/// Installs the handler of a console and returns its token. Without a terminal every signal ends the session, after the answer
/// that a search can still give. At a terminal Ctrl-C only stops a search, or ends the process when that does not help; the
/// others end the process. To be called once in the process.
pub fn console_token(at_terminal: bool) -> StopToken {
    let token = StopToken::new();
    super::gone::watch(token.clone());
    let handler_token = token.clone();
    if at_terminal {
        let terminal = Terminal::now();
        handle(move |signal| {
            if signal != CTRL_C || handler_token.is_stopped() {
                terminal.restore();
                process::exit(ENDED_BY + signal);
            }
            handler_token.stop();
        });
    } else {
        handle(move |signal| {
            if handler_token.is_ended() {
                process::exit(ENDED_BY + signal);
            }
            handler_token.end();
        });
    }
    token
}

/// Calls the handler with the number of each signal that asks for an end, on a thread of its own.
fn handle(handler: impl FnMut(i32) + Send + 'static) {
    if let Err(problem) = install(handler) {
        // without a handler signals end the process: worse manners, same safety
        log::warn!("no handler of signals: {problem}");
    }
}

#[cfg(unix)]
fn install(mut handler: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
    let wait = move || signals.forever().for_each(&mut handler);
    thread::Builder::new().name("signals".to_string()).spawn(wait).map(drop)
}

#[cfg(not(unix))]
fn install(mut handler: impl FnMut(i32) + Send + 'static) -> io::Result<()> {
    ctrlc::set_handler(move || handler(CTRL_C)).map_err(io::Error::other)
}

/// Makes a file that would grow beyond what the shell allows (`ulimit -f`) an error of who writes it: the system's signal would end
/// the process without a word. A handler, and not a signal that is ignored, for programs that are started would inherit that.
#[cfg(unix)]
pub fn survive_file_limits() {
    use std::sync::atomic::AtomicBool;

    use rustix::process::Signal;

    // nobody asks: the writer is told
    static REACHED: AtomicBool = AtomicBool::new(false);
    if let Err(problem) = signal_hook::flag::register(Signal::XFSZ.as_raw(), &REACHED) {
        log::warn!("no handler of file size limits: {problem}");
    }
}

/// There are no such limits.
#[cfg(not(unix))]
pub fn survive_file_limits() {}

/// What an iterator gives, until the token is set: at once, whatever the iterator is waiting for or busy with. It runs on
/// a thread of its own, one item ahead, because a read cannot be interrupted but waiting for one can.
///
/// # Errors
/// When the system gives no thread.
///
/// # Panics
/// What is returned does, when the iterator has: its end would pass for that of the items.
pub fn until_stopped<I: Iterator<Item: Send> + Send + 'static>(
    items: I,
    stop: &StopToken,
) -> Result<impl Iterator<Item = I::Item> + use<I>, Error> {
    let (sender, receiver) = sync_channel(1);
    // not joined before its end: it may be in a read that never comes back
    let reader = thread::Builder::new().spawn(move || {
        for item in items {
            if sender.send(item).is_err() {
                return;
            }
        }
    });
    let mut reader = Some(reader.map_err(Error::threads)?);
    let stop = stop.clone();
    Ok(std::iter::from_fn(move || {
        while !stop.is_stopped() {
            match receiver.recv_timeout(POLL) {
                Ok(item) => return Some(item),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    if let Some(Err(panic)) = reader.take().map(JoinHandle::join) {
                        std::panic::resume_unwind(panic);
                    }
                    return None;
                }
            }
        }
        None
    }))
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_is_no_end_of_the_items() {
        let read = |most: u8| {
            let items = (0..5).inspect(move |item| assert!(*item < most, "on purpose"));
            let items = until_stopped(items, &StopToken::new()).unwrap();
            catch_unwind(AssertUnwindSafe(|| items.count())).ok()
        };
        assert_eq!((read(5), read(3)), (Some(5), None));
    }
}
