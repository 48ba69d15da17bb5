//! An engine that works on a thread of its own while its session reads on.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::engine::Engine;
use crate::search::{StopToken, threads};

/// An engine, at rest or working. Work ends with a `T`, which waits here until it is asked for.
#[derive(Debug)]
pub(super) struct Background<T> {
    /// At rest.
    engine: Option<Engine>,
    work: Option<Work<T>>,
    /// What the last work ended with.
    result: Option<T>,
    stop: StopToken,
}

#[derive(Debug)]
struct Work<T> {
    thread: JoinHandle<(Engine, T)>,
    /// Closed when the work ends.
    ended: Receiver<()>,
}

impl<T: Send + 'static> Background<T> {
    /// The engine, at rest. All work ends when `session` is ended ([`StopToken::end`]).
    pub fn new(engine: Engine, session: &StopToken) -> Background<T> {
        Background { engine: Some(engine), work: None, result: None, stop: session.sibling() }
    }

    /// Starts work in the background, after what was running has finished; its result is lost. The work must return soon
    /// after the token it is given is set. Where the system gives no thread it is done here, before this returns.
    pub fn start(&mut self, work: impl FnOnce(&mut Engine, &StopToken) -> T + Send + 'static) {
        if let Err(work) = self.try_start(work) {
            let stop = self.stop.clone();
            self.result = Some(work(self.engine(), &stop));
        }
    }

    /// As [`Background::start`], but where the system gives no thread nothing is done.
    ///
    /// # Errors
    /// The work that no thread is there for.
    pub fn try_start<F>(&mut self, work: F) -> Result<(), F>
    where
        F: FnOnce(&mut Engine, &StopToken) -> T + Send + 'static,
    {
        self.finish();
        let engine = self.engine.take().expect("the engine is back from the work before");
        self.stop = self.stop.sibling();
        let stop = self.stop.clone();
        let on_thread = move |(mut engine, work): (Engine, F)| {
            let result = work(&mut engine, &stop);
            (engine, result)
        };
        match spawn((engine, work), on_thread) {
            Ok(running) => self.work = Some(running),
            Err((engine, work)) => {
                self.engine = Some(engine);
                return Err(work);
            }
        }
        Ok(())
    }

    /// When the running work ends, more is done with what it ended with (at once, if nothing is running and a result waits).
    /// The token stays the same. `false` when there is neither work nor result.
    pub fn then<F>(&mut self, mut more: F) -> bool
    where
        F: FnOnce(T, &mut Engine, &StopToken) -> T + Send + 'static,
    {
        let stop = self.stop.clone();
        if let Some(before) = self.work.take() {
            let stop = stop.clone();
            let wait = move |(before, more): (Work<T>, F)| {
                let (mut engine, result) = before.join();
                let result = more(result, &mut engine, &stop);
                (engine, result)
            };
            match spawn((before, more), wait) {
                Ok(running) => {
                    self.work = Some(running);
                    return true;
                }
                // it is done here, when the work has ended
                Err((before, unstarted)) => {
                    self.work = Some(before);
                    more = unstarted;
                }
            }
        }
        self.finish();
        let (Some(result), Some(engine)) = (self.result.take(), self.engine.as_mut()) else { return false };
        self.result = Some(more(result, engine, &stop));
        true
    }

    /// Something is being worked on.
    pub fn is_working(&self) -> bool {
        self.work.as_ref().is_some_and(|work| !work.thread.is_finished())
    }

    /// The token of the work that is running or ran last.
    pub fn token(&self) -> &StopToken {
        &self.stop
    }

    /// Stops the work, if there is any, and waits for it: nothing is done by it afterwards. What it ended with can be taken.
    pub fn stop(&mut self) {
        self.stop.stop();
        self.finish();
    }

    /// Waits for the work to finish of its own accord. What it ended with can be taken.
    ///
    /// # Panics
    /// When the work panicked, with what it panicked with.
    pub fn finish(&mut self) {
        let Some(work) = self.work.take() else { return };
        let (engine, result) = work.join();
        self.engine = Some(engine);
        self.result = Some(result);
    }

    /// Waits for the work to finish and meanwhile calls `look` every few milliseconds.
    pub fn finish_while(&mut self, look: &mut dyn FnMut(&StopToken)) {
        const TICK: Duration = Duration::from_millis(2);
        while let Some(work) = &self.work {
            match work.ended.recv_timeout(TICK) {
                Err(RecvTimeoutError::Timeout) => look(&self.stop),
                _ => break,
            }
        }
        self.finish();
    }

    /// What the last finished work ended with, once.
    pub fn take_result(&mut self) -> Option<T> {
        self.result.take()
    }

    /// The engine at rest, after the work running has finished.
    pub fn engine(&mut self) -> &mut Engine {
        self.finish();
        self.engine.as_mut().expect("the engine is back")
    }
}

impl<T> Work<T> {
    /// # Panics
    /// When the work panicked, with what it panicked with.
    fn join(self) -> (Engine, T) {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Works with what is given on a thread of its own; without one it is given back.
fn spawn<I: Send + 'static, T: Send + 'static>(
    given: I,
    work: impl FnOnce(I) -> (Engine, T) + Send + 'static,
) -> Result<Work<T>, I> {
    let (sender, ended) = channel();
    // a thread that cannot be started loses what it was to begin with
    let (hand, taken) = channel();
    let thread = threads::start_apart("search", move || {
        let result = work(taken.recv().expect("it is handed over at once"));
        drop::<Sender<()>>(sender);
        result
    });
    match thread {
        Ok(thread) => {
            hand.send(given).expect("the thread waits for it");
            Ok(Work { thread, ended })
        }
        Err(error) => {
            log::warn!("cannot start another thread: {error}");
            Err(given)
        }
    }
}

impl<T> Drop for Background<T> {
    /// Work must not outlive its session.
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(work) = self.work.take() {
            // its results and panics have nowhere to go any more
            let _ = work.thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;
    use crate::search::threads::limit;
    use std::thread;

    fn background() -> Background<u32> {
        Background::new(Engine::new(Options::default()), &StopToken::new())
    }

    #[test]
    fn work_ends_or_is_stopped() {
        let mut background = background();
        assert!(!background.is_working() && background.take_result().is_none());
        background.start(|_, _| 1);
        background.finish();
        assert_eq!(background.take_result(), Some(1));
        assert_eq!(background.take_result(), None);
        background.start(|_, stop| {
            while !stop.is_stopped() {
                thread::sleep(Duration::from_millis(1));
            }
            2
        });
        assert!(background.is_working());
        background.stop();
        assert_eq!(background.take_result(), Some(2));
        assert_eq!(background.engine().options(), &Options::default());
    }

    #[test]
    fn the_end_of_the_session_ends_all_work() {
        let session = StopToken::new();
        let mut background = Background::new(Engine::new(Options::default()), &session);
        for round in 0..3 {
            background.start(move |_, stop| {
                while !stop.is_stopped() {
                    thread::sleep(Duration::from_millis(1));
                }
                round
            });
            if round == 0 {
                // a stop is for one search
                session.stop();
                thread::sleep(Duration::from_millis(5));
                assert!(background.is_working());
                session.end();
            }
            background.finish();
            assert_eq!(background.take_result(), Some(round));
        }
    }

    #[test]
    fn more_is_done_after_running_and_after_finished_work() {
        let mut background = background();
        assert!(!background.then(|n, _, _| n));
        background.start(|_, _| 3);
        assert!(background.then(|n, _, _| n + 1));
        background.finish();
        assert!(background.then(|n, _, _| n * 10));
        assert_eq!(background.take_result(), Some(40));
    }

    /// Work that no thread is there for is done here; what may be left out is.
    #[test]
    fn a_system_without_threads() {
        let mut background = background();
        limit::set(0);
        background.start(|_, _| 3);
        assert!(!background.is_working() && background.then(|n, _, _| n + 1));
        assert_eq!(background.take_result(), Some(4));
        assert!(background.try_start(|_, _| 5).is_err());
        assert_eq!((background.take_result(), background.engine().options()), (None, &Options::default()));
        // the last thread works: what is to follow waits for it
        limit::set(1);
        background.start(|_, _| {
            thread::sleep(Duration::from_millis(20));
            6
        });
        assert!(background.then(|n, _, _| n * 10) && !background.is_working());
        assert_eq!(background.take_result(), Some(60));
    }

    #[test]
    fn waiting_looks_around() {
        let mut background = background();
        background.start(|_, stop| {
            while !stop.is_stopped() {
                thread::sleep(Duration::from_millis(1));
            }
            5
        });
        let mut looks = 0;
        background.finish_while(&mut |stop| {
            looks += 1;
            if looks == 3 {
                stop.stop();
            }
        });
        assert_eq!((background.take_result(), looks >= 3), (Some(5), true));
    }
}
