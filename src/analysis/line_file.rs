//! A file of JSON lines that work appends its results to, and goes on from after a kill.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::formats::atomic::{self, AtomicFile};

/// A file of results that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResultFileError {
    /// Reading or writing failed.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// There are results already.
    #[error("{} has results already", .0.display())]
    Exists(PathBuf),
    /// A pipe, a device or a folder: nothing that results can be read from again.
    #[error("{} is not a file that results can be kept in", .0.display())]
    NotAFile(PathBuf),
    /// Another process writes into it.
    #[error("{} is in use by another process", .0.display())]
    InUse(PathBuf),
    /// A line that is no result, or not one of these problems and settings.
    #[error("{}, line {line}: {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line of the file, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

/// The lines that a file is to have.
pub(super) struct Kind {
    /// How each begins. What a kill left of a last line is told by it; anything else is not ours to cut off.
    pub begin: &'static str,
    /// What is wrong with other lines.
    pub otherwise: &'static str,
}

/// A result as a line with its break.
pub(super) fn line_of(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data") + "\n"
}

/// Where a line is in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Its number, from 1.
    pub line: usize,
    begin: u64,
    end: u64,
}

/// A file of lines, locked against other writers.
#[derive(Debug)]
pub(super) struct LineFile {
    path: PathBuf,
    file: File,
}

impl LineFile {
    /// Opens a file that other processes do not write into, or makes it.
    ///
    /// # Errors
    /// [`ResultFileError`]: it has results and `resume` is not set, or it cannot be read or written.
    pub fn open(path: &Path, resume: bool) -> Result<LineFile, ResultFileError> {
        let io = |error| ResultFileError::Io { path: path.to_path_buf(), error };
        // before it is opened: a pipe would wait for its other end
        if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(ResultFileError::NotAFile(path.to_path_buf()));
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(io)?;
        if !atomic::try_lock(&file, path) {
            return Err(ResultFileError::InUse(path.to_path_buf()));
        }
        if !resume && file.metadata().map_err(io)?.len() > 0 {
            return Err(ResultFileError::Exists(path.to_path_buf()));
        }
        atomic::sync_folder_of(path).map_err(io)?;
        Ok(LineFile { path: path.to_path_buf(), file })
    }

    fn io(&self, error: io::Error) -> ResultFileError {
        ResultFileError::Io { path: self.path.clone(), error }
    }

    /// What is wrong with a line of this number.
    pub fn bad(&self, line: usize, problem: impl ToString) -> ResultFileError {
        ResultFileError::Line { path: self.path.clone(), line, problem: problem.to_string() }
    }

    /// Reads all lines, with their places; `take` says whether the result is complete that a line belongs to, or what is wrong. What
    /// a kill left of the last result is cut off, and what is appended follows on the others.
    pub fn read<T: DeserializeOwned>(
        &mut self,
        kind: &Kind,
        take: &mut dyn FnMut(Place, T) -> Result<bool, String>,
    ) -> Result<(), ResultFileError> {
        self.file.rewind().map_err(|error| self.io(error))?;
        let mut reader = BufReader::new(self.file.try_clone().map_err(|error| self.io(error))?);
        let (mut complete, mut length, mut bytes) = (0, 0, Vec::new());
        for line in 1.. {
            bytes.clear();
            let begin = length;
            length += reader.read_until(b'\n', &mut bytes).map_err(|error| self.io(error))? as u64;
            if bytes.last() != Some(&b'\n') {
                if !bytes.starts_with(kind.begin.as_bytes()) && !kind.begin.as_bytes().starts_with(&bytes) {
                    return Err(self.bad(line, kind.otherwise));
                }
                break;
            }
            let value = serde_json::from_slice(&bytes).map_err(|_| self.bad(line, kind.otherwise))?;
            if take(Place { line, begin, end: length }, value).map_err(|problem| self.bad(line, problem))? {
                complete = length;
            }
        }
        self.file.set_len(complete).map_err(|error| self.io(error))?;
        self.file.seek(SeekFrom::Start(complete)).map_err(|error| self.io(error))?;
        Ok(())
    }

    /// Appends a result, of one or more lines with their breaks, in one write.
    pub fn add(&mut self, text: &str) -> Result<(), ResultFileError> {
        self.file.write_all(text.as_bytes()).map_err(|error| self.io(error))
    }

    /// Everything is on the disc when it returns.
    pub fn sync(&self) -> Result<(), ResultFileError> {
        self.file.sync_data().map_err(|error| self.io(error))
    }

    /// A line again, with its break. What is appended follows on the others as before.
    pub fn line(&mut self, place: Place) -> Result<Vec<u8>, ResultFileError> {
        let mut read = || -> io::Result<Vec<u8>> {
            let mut bytes = vec![0; (place.end - place.begin) as usize];
            self.file.seek(SeekFrom::Start(place.begin))?;
            self.file.read_exact(&mut bytes)?;
            self.file.seek(SeekFrom::End(0))?;
            Ok(bytes)
        };
        read().map_err(|error| self.io(error))
    }

    /// Puts these lines, in their order, in the place of all, on the disc; on an error the file is as it was.
    pub fn keep(mut self, places: impl Iterator<Item = Place>) -> Result<(), ResultFileError> {
        let mut file = BufWriter::new(AtomicFile::create(&self.path).map_err(|error| self.io(error))?);
        for place in places {
            let line = self.line(place)?;
            file.write_all(&line).map_err(|error| self.io(error))?;
        }
        let file = file.into_inner().map_err(io::IntoInnerError::into_error);
        file.and_then(AtomicFile::commit).map_err(|error| self.io(error))
    }
}
