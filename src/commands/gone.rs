//! Noticing that nobody reads the output any more: a search for nobody ends.

use std::sync::atomic::{AtomicBool, Ordering};

use outflank::search::StopToken;

static GONE: AtomicBool = AtomicBool::new(false);

/// The reader of standard output has been found gone.
pub fn is_gone() -> bool {
    GONE.load(Ordering::Acquire)
}

/// A token that is ended when the reader of standard output is gone. The end of standard input is no such sign: scripts send
/// everything at once and wait for the answers.
pub fn stop_token() -> StopToken {
    let token = StopToken::new();
    watch(token.clone());
    token
}

/// Ends the token when the reader of standard output is gone: also searches that are asked for later are for nobody.
#[cfg(unix)]
pub fn watch(token: StopToken) {
    use rustix::event::{PollFd, PollFlags, poll};

    // sleeps in the kernel until then; it ends with the process
    let watcher = std::thread::Builder::new().name("output watcher".to_string()).spawn(move || {
        let stdout = std::io::stdout();
        // without any event asked for, only errors and hang-ups of the other end are told
        let mut descriptors = [PollFd::new(&stdout, PollFlags::empty())];
        while let Err(rustix::io::Errno::INTR) = poll(&mut descriptors, None) {}
        if descriptors[0].revents().intersects(PollFlags::ERR | PollFlags::HUP) {
            GONE.store(true, Ordering::Release);
            token.end();
        }
    });
    if let Err(error) = watcher {
        log::warn!("nobody watches for a client that goes away: {error}");
    }
}

/// Ends the token when the reader of standard output is gone: not on this system.
#[cfg(not(unix))]
pub fn watch(_token: StopToken) {}
