//! The exceptions of the module: the library's error texts in Python's classes.

use std::fmt::Display;
use std::io;
use std::path::Path;

use outflank::book::BookFileError;
use outflank::eval::WeightsError;
use outflank::formats::files::{GameFileError, GameFileErrorKind};
use outflank::selfplay::SelfplayError;
use outflank::tournament::StoreError;
use pyo3::create_exception;
use pyo3::exceptions::{PyFileExistsError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    outflank,
    OutflankError,
    PyValueError,
    "What all errors of this package are, but for those of files."
);
create_exception!(
    outflank,
    ParseError,
    OutflankError,
    "A text is not what it should be; says what is wrong and where."
);
create_exception!(outflank, IllegalMoveError, OutflankError, "The rules forbid the move in this position.");
create_exception!(outflank, SearchError, OutflankError, "What is asked of a search makes no sense.");

/// A text that cannot be read.
pub fn parse(error: impl Display) -> PyErr {
    ParseError::new_err(error.to_string())
}

/// A move that cannot be played.
pub fn illegal(error: impl Display) -> PyErr {
    IllegalMoveError::new_err(error.to_string())
}

/// A search that cannot begin.
pub fn search(error: impl Display) -> PyErr {
    SearchError::new_err(error.to_string())
}

/// Any other argument that makes no sense.
pub fn value(error: impl Display) -> PyErr {
    OutflankError::new_err(error.to_string())
}

/// A file that cannot be read: `OSError`, or the one of its kinds that Python has for this, such as `FileNotFoundError`.
pub fn file(source: &io::Error, error: impl Display) -> PyErr {
    numbered(io::Error::new(source.kind(), error.to_string()).into(), source)
}

/// A file that cannot be written: `OSError`. (That something is not there is said of what is read.)
pub fn output(source: &io::Error, error: impl Display) -> PyErr {
    numbered(PyOSError::new_err(error.to_string()), source)
}

/// The same with the system's number of the error as `errno`, if it has one: by that programs tell a full disk from a missing folder.
fn numbered(error: PyErr, source: &io::Error) -> PyErr {
    // other systems' numbers are not those of the module `errno`
    if let Some(number) = source.raw_os_error().filter(|_| cfg!(unix)) {
        Python::attach(|py| error.value(py).setattr("errno", number)).expect("an `OSError` has it");
    }
    error
}

/// A file of weights: that it cannot be read is about the file, anything else about what stands in it.
pub fn weights(path: &Path, error: WeightsError) -> PyErr {
    match error {
        WeightsError::Io { ref source, .. } => file(source, &error),
        _ => parse(format!("{}: {error}", path.display())),
    }
}

/// Files of self-play, as those of weights; one that is good, but not for this, is a matter of the arguments.
pub fn selfplay(error: SelfplayError) -> PyErr {
    match error {
        SelfplayError::Io { ref source, .. } => file(source, &error),
        SelfplayError::Different { .. } | SelfplayError::InUse(_) => value(error),
        SelfplayError::Search(_) => search(error),
        _ => parse(error),
    }
}

/// Files of self-play that are written.
pub fn archive(error: SelfplayError) -> PyErr {
    match error {
        SelfplayError::Io { ref source, .. } => output(source, &error),
        _ => selfplay(error),
    }
}

/// Books that are grown, as files of self-play.
pub fn book(error: BookFileError) -> PyErr {
    match error {
        BookFileError::Io { ref source, .. } => output(source, &error),
        BookFileError::Content { .. } => parse(error),
        _ => value(error),
    }
}

/// Files of matches, as those of self-play. Others of their names are not overwritten.
pub fn matches(error: StoreError) -> PyErr {
    match error {
        StoreError::Io { error: ref source, .. } => output(source, &error),
        StoreError::Exists(_) => {
            PyFileExistsError::new_err(format!("{error}: go on with resume, or choose another name"))
        }
        StoreError::Foreign(_) => PyFileExistsError::new_err(error.to_string()),
        StoreError::Line { .. } => parse(error),
        _ => value(error),
    }
}

/// Files of games: those of the file system are `OSError`, the rest is about what stands in them, or how they are to be written.
pub fn games(error: GameFileError) -> PyErr {
    match error.kind {
        GameFileErrorKind::Io(ref source) => file(source, &error),
        GameFileErrorKind::NotWritable => value(error),
        _ => parse(error),
    }
}

/// The system has no thread left.
pub fn thread(error: impl Display) -> PyErr {
    PyRuntimeError::new_err(format!("cannot start a thread: {error}"))
}

/// A bug of ours: work that panicked.
pub fn panicked(cause: Box<dyn std::any::Any + Send>) -> PyErr {
    PyRuntimeError::new_err(panic_text(cause))
}

/// What is said of work that panicked.
pub fn panic_text(cause: Box<dyn std::any::Any + Send>) -> String {
    let text = cause.downcast_ref::<String>().map(String::as_str).or(cause.downcast_ref::<&str>().copied());
    format!("internal error: {}", text.unwrap_or("a panic without words"))
}

/// Makes the exceptions known to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("OutflankError", py.get_type::<OutflankError>())?;
    module.add("ParseError", py.get_type::<ParseError>())?;
    module.add("IllegalMoveError", py.get_type::<IllegalMoveError>())?;
    module.add("SearchError", py.get_type::<SearchError>())
}
