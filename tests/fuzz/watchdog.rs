//! How long a fuzzer runs, and what ends it when an input does not end.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How many inputs are wanted: `OUTFLANK_FUZZ`, 10,000 when it is not set.
pub fn wanted() -> u64 {
    let text = std::env::var("OUTFLANK_FUZZ").unwrap_or_else(|_| "10000".to_string());
    text.parse().unwrap_or_else(|_| panic!("OUTFLANK_FUZZ={text}: not a number"))
}

/// The one input to try again, `NAME:NUMBER`.
pub fn only() -> Option<String> {
    std::env::var("OUTFLANK_FUZZ_INPUT").ok()
}

/// Ends the process when an input takes too long: nothing else ends a hang.
pub struct Watchdog {
    /// What is being done and since when.
    now: Arc<Mutex<(String, Instant)>>,
    done: Arc<AtomicU64>,
}

impl Watchdog {
    /// No input may take longer than `patience`.
    pub fn start(patience: Duration) -> Watchdog {
        let now = Arc::new(Mutex::new((String::new(), Instant::now())));
        let done = Arc::new(AtomicU64::new(0));
        let (watched, over) = (now.clone(), done.clone());
        thread::spawn(move || {
            while over.load(Ordering::Relaxed) == 0 {
                thread::sleep(Duration::from_millis(200));
                let (name, since) = watched.lock().unwrap().clone();
                if since.elapsed() > patience {
                    eprintln!("OUTFLANK_FUZZ_INPUT={name} goes on after {patience:?}");
                    process::exit(101);
                }
            }
        });
        Watchdog { now, done }
    }

    /// The next input begins.
    pub fn begins(&self, name: &str) {
        *self.now.lock().unwrap() = (name.to_string(), Instant::now());
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.done.store(1, Ordering::Relaxed);
    }
}
