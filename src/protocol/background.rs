//! An engine that searches in a thread of its own while its session reads on.

use std::io;
use std::thread::{self, JoinHandle};

use crate::engine::Engine;
use crate::search::StopToken;

/// An engine, at rest or working.
#[derive(Debug)]
pub(super) struct Background {
    engine: Option<Engine>,
    work: Option<JoinHandle<(Engine, io::Result<()>)>>,
    stop: StopToken,
}

impl Background {
    /// The engine, at rest.
    pub fn new(engine: Engine) -> Background {
        Background { engine: Some(engine), work: None, stop: StopToken::new() }
    }

    /// Starts work in the background, after what was running has finished. The work must return soon after its token is set.
    ///
    /// # Errors
    /// When the work before could not write its results.
    pub fn start(
        &mut self,
        work: impl FnOnce(&mut Engine, &StopToken) -> io::Result<()> + Send + 'static,
    ) -> io::Result<()> {
        self.finish()?;
        let mut engine = self.engine.take().expect("the engine is back from the work before");
        let stop = StopToken::new();
        self.stop = stop.clone();
        self.work = Some(thread::spawn(move || {
            let result = work(&mut engine, &stop);
            (engine, result)
        }));
        Ok(())
    }

    /// Something is being worked on.
    pub fn is_working(&self) -> bool {
        self.work.as_ref().is_some_and(|work| !work.is_finished())
    }

    /// Stops the work, if there is any, and waits for it: nothing is written by it afterwards.
    ///
    /// # Errors
    /// When it could not write its results.
    pub fn stop(&mut self) -> io::Result<()> {
        self.stop.stop();
        self.finish()
    }

    /// Waits for the work to finish of its own accord.
    ///
    /// # Errors
    /// When it could not write its results.
    pub fn finish(&mut self) -> io::Result<()> {
        let Some(work) = self.work.take() else { return Ok(()) };
        let (engine, result) = work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        self.engine = Some(engine);
        result
    }

    /// The engine at rest, after the work running has finished.
    ///
    /// # Errors
    /// When that could not write its results.
    pub fn engine(&mut self) -> io::Result<&mut Engine> {
        self.finish()?;
        Ok(self.engine.as_mut().expect("the engine is back"))
    }
}

impl Drop for Background {
    /// Work must not outlive its session.
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(work) = self.work.take() {
            // its errors and panics have nowhere to go any more
            let _ = work.join();
        }
    }
}
