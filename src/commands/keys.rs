//! A key stops a search that is shown at a terminal.

use std::sync::mpsc::{RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use outflank::search::StopToken;

/// A search is only listened for when it takes longer than this: until then typed lines wait for their turn.
const PATIENCE: Duration = Duration::from_millis(250);

/// Listens until it is dropped.
pub struct Keys {
    over: Option<Sender<()>>,
    listener: Option<JoinHandle<()>>,
}

impl Keys {
    /// Sets the token when a key is pressed.
    pub fn listen(stop: &StopToken) -> Keys {
        let (over, ended) = channel();
        let stop = stop.clone();
        let listener = thread::Builder::new().name("keys".to_string()).spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                raw::wait_for_key(&mut || ended.try_recv().is_err_and(|error| error == TryRecvError::Empty), &stop);
            }
        });
        Keys { over: Some(over), listener: listener.ok() }
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(listener) = self.listener.take() {
            // it has put the terminal back before the next line is read
            let _ = listener.join();
        }
    }
}

pub use raw::Terminal;

#[cfg(unix)]
mod raw {
    use std::io::stdin;

    use outflank::search::StopToken;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::getpgrp;
    use rustix::termios::{
        LocalModes, OptionalActions, QueueSelector, Termios, tcflush, tcgetattr, tcgetpgrp, tcsetattr,
    };

    /// How the terminal of standard input was: what reads keys one by one is to leave it so, also when it is ended.
    pub struct Terminal(Option<Termios>);

    impl Terminal {
        /// As it is now.
        pub fn now() -> Terminal {
            Terminal(tcgetattr(stdin()).ok())
        }

        /// Makes it what it was, unless another program uses it by now.
        pub fn restore(&self) {
            let is_ours = || tcgetpgrp(stdin()).map_or(true, |group| group == getpgrp());
            if let Some(modes) = self.0.as_ref().filter(|_| is_ours()) {
                // one that is gone needs nothing
                let _ = tcsetattr(stdin(), OptionalActions::Now, modes);
            }
        }
    }

    /// How long to wait for a key before looking whether the search is over.
    const STEP: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
    const NOW: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

    fn has_input(wait: &Timespec) -> bool {
        let stdin = stdin();
        let mut descriptors = [PollFd::new(&stdin, PollFlags::IN)];
        poll(&mut descriptors, Some(wait)).is_ok_and(|ready| ready > 0)
    }

    /// Waits for a key while `goes_on`; the terminal gives keys instead of lines meanwhile.
    pub fn wait_for_key(goes_on: &mut dyn FnMut() -> bool, stop: &StopToken) {
        // lines that are there already were typed or pasted as commands to come
        let Ok(before) =
            tcgetattr(stdin()).map_err(drop).and_then(|modes| if has_input(&NOW) { Err(()) } else { Ok(modes) })
        else {
            return;
        };
        let mut keys = before.clone();
        keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        if tcsetattr(stdin(), OptionalActions::Now, &keys).is_err() {
            return;
        }
        while goes_on() {
            if has_input(&STEP) {
                stop.stop();
                let _ = tcflush(stdin(), QueueSelector::IFlush);
                break;
            }
        }
        let _ = tcsetattr(stdin(), OptionalActions::Now, &before);
    }
}

#[cfg(not(unix))]
mod raw {
    use outflank::search::StopToken;

    /// How the terminal was: its modes are nobody's concern on this system.
    pub struct Terminal;

    impl Terminal {
        /// As it is now.
        pub fn now() -> Terminal {
            Terminal
        }

        /// Does nothing.
        pub fn restore(&self) {}
    }

    /// Keys are not listened for on this system: Ctrl-C stops a search.
    pub fn wait_for_key(_goes_on: &mut dyn FnMut() -> bool, _stop: &StopToken) {}
}
