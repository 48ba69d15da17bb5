//! The exceptions of the module: the library's error texts in Python's classes.

use std::fmt::Display;
use std::path::Path;

use outflank::eval::WeightsError;
use outflank::formats::files::{GameFileError, GameFileErrorKind};
use outflank::selfplay::SelfplayError;
use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
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

/// A file that cannot be read or written.
pub fn file(error: impl Display) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// A file of weights: that it cannot be read is about the file, anything else about what stands in it.
pub fn weights(path: &Path, error: WeightsError) -> PyErr {
    match error {
        WeightsError::Io { .. } => file(error),
        _ => parse(format!("{}: {error}", path.display())),
    }
}

/// Files of self-play, as those of weights.
pub fn selfplay(error: SelfplayError) -> PyErr {
    match error {
        SelfplayError::Io { .. } => file(error),
        _ => parse(error),
    }
}

/// Files of games: those of the file system are `OSError`, the rest is about what stands in them.
pub fn games(error: GameFileError) -> PyErr {
    match error.kind {
        GameFileErrorKind::Io(_) => file(error),
        _ => parse(error),
    }
}

/// A bug of ours: work that panicked.
pub fn panicked(cause: Box<dyn std::any::Any + Send>) -> PyErr {
    let text = cause.downcast_ref::<String>().map(String::as_str).or(cause.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!("internal error: {}", text.unwrap_or("a panic without words")))
}

/// Makes the exceptions known to the module.
pub fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("OutflankError", py.get_type::<OutflankError>())?;
    module.add("ParseError", py.get_type::<ParseError>())?;
    module.add("IllegalMoveError", py.get_type::<IllegalMoveError>())?;
    module.add("SearchError", py.get_type::<SearchError>())
}
