//! Ctrl-C: the first press stops the work cleanly, a second one that finds it still stopping ends the process.

use std::process;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use outflank::search::StopToken;

/// How often an interrupt is looked for while nothing else happens.
const POLL: Duration = Duration::from_millis(20);

/// Installs the handler and returns the token it sets, which is also set when nobody reads the results any more: that ends the
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
    let installed = ctrlc::set_handler(move || {
        if handler_token.is_stopped() {
            process::exit(130);
        }
        handler_token.stop();
    });
    if let Err(error) = installed {
        // without a handler Ctrl-C ends the process: worse manners, same safety
        log::warn!("no Ctrl-C handler: {error}");
    }
    token
}

/// What an iterator gives, until the token is set: at once, whatever the iterator is waiting for or busy with. It runs on
/// a thread of its own, one item ahead, because a read cannot be interrupted but waiting for one can.
pub fn until_stopped<T: Send + 'static>(
    items: impl Iterator<Item = T> + Send + 'static,
    stop: &StopToken,
) -> impl Iterator<Item = T> {
    let (sender, receiver) = sync_channel(1);
    // not joined: it may be in a read that never ends
    thread::spawn(move || {
        for item in items {
            if sender.send(item).is_err() {
                return;
            }
        }
    });
    let stop = stop.clone();
    std::iter::from_fn(move || {
        while !stop.is_stopped() {
            match receiver.recv_timeout(POLL) {
                Ok(item) => return Some(item),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    })
}
