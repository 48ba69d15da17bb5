//! How a command ends: its exit status, and the errors that end it early.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fmt, io};

use outflank::formats::items::ItemsError;
use outflank::search::SearchError;

use super::gone;
use super::session_input::InputFailed;

/// How a command that ran to its end came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything was right: exit status 0.
    Success,
    /// The work was done, but something checked was wrong (a score in a problem file, a published count): 1.
    CheckFailed,
    /// Part of the input could not be read; the rest was done: 2, as for every bad input.
    BadInput,
    /// The work was done, but a file could not be written, which the user has been told: 3.
    Unwritten,
    /// A statistical test came to no decision: 4.
    Undecided,
    /// The user interrupted it (Ctrl-C); what was done so far has been reported: 130.
    Interrupted,
}

/// What a command returns.
pub type Outcome = Result<Status, Error>;

/// Why a command ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The arguments or the input make no sense; the text says what and where. Exit status 2.
    #[error("{0}")]
    Input(String),
    /// A file could not be read. Exit status 2.
    #[error("cannot read '{}': {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file could not be written. Exit status 3.
    #[error("cannot write '{}': {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard output could not be written. Exit status 3; a reader that went away (`| head`) is no error.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
    /// A search could not begin. Exit status 2.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        match error.get_ref() {
            Some(inner) if inner.is::<InputFailed>() => Error::Input(inner.to_string()),
            _ => Error::Output(error),
        }
    }
}

impl From<ItemsError> for Error {
    fn from(error: ItemsError) -> Error {
        match error {
            ItemsError::Text(message) => Error::Input(message),
            ItemsError::Read { path, source } => Error::Read { path, source },
        }
    }
}

impl Error {
    /// Bad input, described.
    pub fn input(message: impl Into<String>) -> Error {
        Error::Input(message.into())
    }

    /// Threads that the system does not give.
    pub fn threads(problem: impl fmt::Display) -> Error {
        Error::Input(format!("cannot start the threads: {problem}"))
    }

    /// A file that could not be read.
    pub fn read(path: &Path, source: io::Error) -> Error {
        Error::Read { path: path.to_path_buf(), source }
    }

    /// A file that could not be written.
    pub fn write(path: &Path, source: io::Error) -> Error {
        Error::Write { path: path.to_path_buf(), source }
    }
}

/// Prints the error of a command, if any, as one line, and gives the exit status.
pub fn finish(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(Status::Success) => ExitCode::SUCCESS,
        Ok(Status::CheckFailed) => ExitCode::from(1),
        Ok(Status::BadInput) => ExitCode::from(2),
        Ok(Status::Unwritten) => ExitCode::from(3),
        Ok(Status::Undecided) => ExitCode::from(4),
        // a reader that went away (`| head`) is no error
        Ok(Status::Interrupted) if gone::is_gone() => ExitCode::SUCCESS,
        Ok(Status::Interrupted) => ExitCode::from(130),
        Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            tell!("outflank: {error}");
            match error {
                Error::Input(_) | Error::Read { .. } | Error::Search(_) => ExitCode::from(2),
                Error::Write { .. } | Error::Output(_) => ExitCode::from(3),
            }
        }
    }
}
