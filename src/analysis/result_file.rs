//! The file of a batch's results, from which an interrupted batch goes on.
//!
//! A JSON line for each problem ([`SolvedJson`], [`BadLineJson`]), written in one piece as soon as the problem is solved. A
//! kill leaves at most one line incomplete; it is dropped, and its problem solved again. Several jobs leave lines out of turn
//! and gaps, which the batch that goes on fills first; when it ends, the lines are put in the order of the input.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::batch::Numbered;
use super::json::{BadLineJson, SolvedJson};
use crate::formats::atomic;
use crate::formats::board_text;
use crate::formats::files::write_whole;
use crate::formats::obf::Problem;
use crate::rules::Move;

/// A line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ResultLine {
    /// A solved problem.
    Solved(Box<SolvedJson>),
    /// A line of the input that could not be read.
    BadLine(BadLineJson),
}

impl ResultLine {
    /// The number of the problem.
    fn number(&self) -> u64 {
        match self {
            ResultLine::Solved(solved) => solved.number,
            ResultLine::BadLine(bad) => bad.number,
        }
    }
}

/// What is wrong with other lines.
const NO_RESULT: &str = "this is not a result of a batch";

/// A result that the file had before, checked against its problem.
#[derive(Clone, Debug)]
pub enum Saved {
    /// A solved problem.
    Solved {
        /// The result.
        solved: Box<SolvedJson>,
        /// Its problem.
        problem: Problem,
        /// The best move, none when the game is over.
        best: Option<Move>,
    },
    /// A line that could not be read, and cannot be now.
    BadLine(BadLineJson),
}

/// A file of results that cannot be used.
#[derive(Debug, thiserror::Error)]
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
    #[error("{} has results already: go on with --resume, or choose another --output", .0.display())]
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

/// The file of a batch's results.
#[derive(Debug)]
pub struct ResultFile {
    path: PathBuf,
    file: File,
    /// Lines found, by problem, with their place in the file from 1.
    found: BTreeMap<u64, (usize, ResultLine)>,
    /// Highest number of a line.
    last: u64,
    /// The lines stand in the order of the input.
    is_sorted: bool,
}

/// Opens a file of results that other processes do not write into, or makes it.
///
/// # Errors
/// [`ResultFileError`]: it has results and `resume` is not set, or it cannot be read or written.
pub(super) fn open_results(path: &Path, resume: bool) -> Result<File, ResultFileError> {
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
    Ok(file)
}

/// What a kill left of a last line that would have begun like this. Anything else is not ours to cut off.
pub(super) fn is_cut_off(rest: &[u8], begin: &[u8]) -> bool {
    rest.starts_with(begin) || begin.starts_with(rest)
}

impl ResultFile {
    /// Opens the file, or makes it. With `resume` the results that it has are kept.
    ///
    /// # Errors
    /// [`ResultFileError`]: it has results and `resume` is not set, a line is no result, or it cannot be read or written.
    pub fn open(path: &Path, resume: bool) -> Result<ResultFile, ResultFileError> {
        let file = open_results(path, resume)?;
        let path = path.to_path_buf();
        let mut file = ResultFile { path, file, found: BTreeMap::new(), last: 0, is_sorted: true };
        file.read()?;
        Ok(file)
    }

    fn io(&self, error: io::Error) -> ResultFileError {
        ResultFileError::Io { path: self.path.clone(), error }
    }

    fn bad(&self, line: usize, problem: impl ToString) -> ResultFileError {
        ResultFileError::Line { path: self.path.clone(), line, problem: problem.to_string() }
    }

    /// Reads the complete lines and cuts off an incomplete last one.
    fn read(&mut self) -> Result<(), ResultFileError> {
        let mut reader = BufReader::new(self.file.try_clone().map_err(|error| self.io(error))?);
        let (mut complete, mut bytes) = (0, Vec::new());
        for line in 1.. {
            bytes.clear();
            let length = reader.read_until(b'\n', &mut bytes).map_err(|error| self.io(error))?;
            if bytes.last() != Some(&b'\n') {
                if !is_cut_off(&bytes, b"{\"number\":") {
                    return Err(self.bad(line, NO_RESULT));
                }
                break;
            }
            complete += length as u64;
            let result: ResultLine = serde_json::from_slice(&bytes).map_err(|_| self.bad(line, NO_RESULT))?;
            let number = result.number();
            self.note(number);
            if let Some((first, _)) = self.found.insert(number, (line, result)) {
                return Err(self.bad(line, format!("problem {number} is in line {first} already")));
            }
        }
        self.file.set_len(complete).map_err(|error| self.io(error))?;
        self.file.seek(SeekFrom::Start(complete)).map_err(|error| self.io(error))?;
        Ok(())
    }

    /// Number of results that the file had.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// The file had no results.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    fn note(&mut self, number: u64) {
        self.is_sorted &= number > self.last;
        self.last = self.last.max(number);
    }

    /// Reads the problems as far as the file has results, checks that these belong to them and come from these options, hands
    /// them out to `on_saved` and returns the problems that are left.
    ///
    /// # Errors
    /// [`ResultFileError::Line`] for a result of another problem, or of other options.
    pub fn resume<I>(
        &mut self,
        mut problems: I,
        options: &str,
        on_saved: &mut dyn FnMut(Saved),
    ) -> Result<impl Iterator<Item = Numbered> + use<I>, ResultFileError>
    where
        I: Iterator<Item = Numbered>,
    {
        let mut left = Vec::new();
        let mut found = std::mem::take(&mut self.found);
        while !found.is_empty() {
            let Some(problem) = problems.next() else { break };
            match found.remove(&problem.number) {
                None => left.push(problem),
                Some((line, result)) => {
                    let saved = check(result, problem, options).map_err(|problem| self.bad(line, problem))?;
                    on_saved(saved);
                }
            }
        }
        match found.first_key_value() {
            Some((number, (line, _))) => Err(self.bad(*line, format!("the input has no problem {number}"))),
            None => Ok(left.into_iter().chain(problems)),
        }
    }

    /// Appends a result in one write.
    ///
    /// # Errors
    /// [`ResultFileError::Io`], for instance when the disc is full.
    pub fn add(&mut self, result: &ResultLine) -> Result<(), ResultFileError> {
        self.note(result.number());
        let line = serde_json::to_string(result).expect("plain data") + "\n";
        self.file.write_all(line.as_bytes()).map_err(|error| self.io(error))
    }

    /// Ends the writing: lines that stand out of turn are sorted, and everything is on the disc.
    ///
    /// # Errors
    /// [`ResultFileError::Io`]; the file is then as it was, with all its lines.
    pub fn finish(mut self) -> Result<(), ResultFileError> {
        if self.is_sorted {
            return self.file.sync_data().map_err(|error| self.io(error));
        }
        self.file.rewind().map_err(|error| self.io(error))?;
        let mut lines = BTreeMap::new();
        for line in BufReader::new(&self.file).lines() {
            let line = line.map_err(|error| self.io(error))?;
            let result: ResultLine = serde_json::from_str(&line).map_err(|error| self.io(error.into()))?;
            lines.insert(result.number(), line);
        }
        let text: String = lines.values().flat_map(|line| [line.as_str(), "\n"]).collect();
        write_whole(&self.path, text.as_bytes()).map_err(|error| self.io(error))
    }
}

/// What is wrong with results of the options `then` beside those of the options `now`.
pub(super) fn other_options(then: &str, now: &str) -> Option<String> {
    let named =
        |options: &str| if options.is_empty() { "without options".to_string() } else { format!("with {options}") };
    (then != now).then(|| format!("was made {} then, not {}", named(then), named(now)))
}

/// Checks that a result belongs to a problem and comes from these options.
fn check(result: ResultLine, problem: Numbered, options: &str) -> Result<Saved, String> {
    let Numbered { number, line, problem, .. } = problem;
    let (solved, problem) = match (result, problem) {
        (ResultLine::Solved(solved), Ok(problem)) => (solved, problem),
        (ResultLine::BadLine(bad), Err(_)) if bad.line == line => return Ok(Saved::BadLine(bad)),
        _ => return Err(format!("problem {number} (line {line} of the input) was another one then")),
    };
    let board = board_text::write(&problem.position);
    if board != solved.position || line != solved.line {
        let (then, there) = (&solved.position, solved.line);
        return Err(format!("problem {number} was {then} (line {there}) then, and is {board} (line {line}) now"));
    }
    let report = &solved.report;
    if let Some(difference) = other_options(&solved.options, options) {
        return Err(format!("the result of problem {number} {difference}"));
    }
    let mut legal = problem.position.legal_moves().into_iter();
    let best = match &report.best {
        None => None,
        Some(best) => match legal.find(|mv| mv.to_string() == best.mv) {
            None => return Err(format!("{} is not legal in problem {number}", best.mv)),
            found => found,
        },
    };
    Ok(Saved::Solved { solved, problem, best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::analysis::batch::{Batch, Event, numbered};
    use crate::analysis::verdict::Verdict;
    use crate::engine::Options;
    use crate::formats::obf::Reader;
    use crate::rules::RuleSet;
    use crate::search::{Goal, Limits, StopToken};

    /// Twelve problems, and a line that is none after the third.
    fn input() -> String {
        let problems = include_str!("../../tests/data/endgames.obf").lines().filter(|line| !line.starts_with('%'));
        let mut lines: Vec<&str> = problems.collect();
        lines.insert(3, "nonsense");
        lines.join("\n")
    }

    fn problems(input: &str) -> impl Iterator<Item = Numbered> + use<> {
        let bytes = io::Cursor::new(input.as_bytes().to_vec());
        numbered(Reader::new(bytes, Arc::new(RuleSet::othello())))
    }

    /// Solves what the file lacks, at most `most` problems; how many the file had and how many were solved.
    fn go_on(path: &Path, input: &str, jobs: usize, most: usize) -> Result<(usize, usize), ResultFileError> {
        let mut file = ResultFile::open(path, true)?;
        let mut saved = 0;
        let left = file.resume(problems(input), "", &mut |_| saved += 1)?;
        let batch = Batch {
            jobs,
            options: Options { hash_mib: 1, threads: 1 },
            weights: None,
            limits: Limits::new(Goal::Exact),
            best_moves: false,
            stop: StopToken::new(),
            on_report: None,
        };
        let mut solved = 0;
        for event in batch.run(left).unwrap().take(most) {
            file.add(&match event {
                Event::Solved(solved) => {
                    let verdict = Verdict::new(&solved.problem, &solved.report, false);
                    ResultLine::Solved(Box::new(SolvedJson::new(&solved, None, false, verdict)))
                }
                Event::BadLine { number, line, error, .. } => {
                    ResultLine::BadLine(BadLineJson { number, source: None, line, error: error.to_string() })
                }
                Event::Unsearched { .. } | Event::Interrupted => unreachable!("nothing is wrong, nobody stops it"),
            })?;
            solved += 1;
        }
        file.finish()?;
        Ok((saved, solved))
    }

    /// Number, position and score of each line.
    fn summary(path: &Path) -> Vec<(u64, String, Option<i32>)> {
        let text = fs::read_to_string(path).unwrap();
        let line = |line| match serde_json::from_str(line).unwrap() {
            ResultLine::Solved(solved) => (solved.number, solved.position, Some(solved.report.score)),
            ResultLine::BadLine(bad) => (bad.number, bad.error, None),
        };
        text.lines().map(line).collect()
    }

    #[test]
    fn a_batch_goes_on_where_it_ended() {
        let folder = tempfile::tempdir().unwrap();
        let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
        assert_eq!(go_on(&whole, &input(), 1, usize::MAX).unwrap(), (0, 13));
        assert_eq!(go_on(&parts, &input(), 3, 5).unwrap(), (0, 5));
        // a kill in the middle of a line
        let mut text = fs::read_to_string(&parts).unwrap();
        text.truncate(text.len() - 20);
        fs::write(&parts, text).unwrap();
        assert_eq!(go_on(&parts, &input(), 2, 4).unwrap(), (4, 4));
        assert_eq!(go_on(&parts, &input(), 1, usize::MAX).unwrap(), (8, 5));
        assert_eq!(summary(&parts), summary(&whole));
        assert_eq!(go_on(&parts, &input(), 1, usize::MAX).unwrap(), (13, 0));
    }

    #[test]
    fn gaps_are_filled_and_the_lines_sorted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results");
        go_on(&path, &input(), 1, usize::MAX).unwrap();
        let whole = summary(&path);
        let lines: Vec<String> = fs::read_to_string(&path).unwrap().lines().map(str::to_string).collect();
        let with_gaps: String = [0, 1, 5, 9, 3].map(|at: usize| lines[at].clone() + "\n").concat();
        fs::write(&path, with_gaps).unwrap();
        assert_eq!(go_on(&path, &input(), 2, usize::MAX).unwrap(), (5, 8));
        assert_eq!(summary(&path), whole);
    }

    #[test]
    fn results_of_something_else_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results");
        go_on(&path, &input(), 1, 4).unwrap();
        let error = |input: &str| go_on(&path, input, 1, 0).unwrap_err().to_string();
        let without_first = input().split_once('\n').unwrap().1.to_string();
        assert!(error(&without_first).contains("line 1: problem 1 was "), "{}", error(&without_first));
        let shorter: String = input().lines().take(2).map(|line| format!("{line}\n")).collect();
        assert!(error(&shorter).ends_with("line 3: the input has no problem 3"), "{}", error(&shorter));
        let open = |resume| ResultFile::open(&path, resume).map(|file| file.len()).map_err(|error| error.to_string());
        assert_eq!(open(true), Ok(4));
        assert!(open(false).unwrap_err().contains("has results already"));
        let mut file = ResultFile::open(&path, true).unwrap();
        let resumed = file.resume(problems(&input()), "--wld", &mut |_| {}).map(drop);
        let message = "line 1: the result of problem 1 was made without options then, not with --wld";
        assert!(resumed.unwrap_err().to_string().ends_with(message));
        drop(file);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.clone() + text.lines().next().unwrap() + "\n").unwrap();
        assert!(open(true).unwrap_err().ends_with("line 5: problem 1 is in line 1 already"));
        fs::write(&path, "{\"game\": 1}\n").unwrap();
        assert!(open(true).unwrap_err().ends_with("line 1: this is not a result of a batch"));
        // nothing was lost by trying
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"game\": 1}\n");
        // nor where no line is complete: only what a kill left of a result is cut off
        for other in ["my notes", "--XO-- X; a1:+2", "{\"game\":1", "{\"number\""] {
            fs::write(&path, other).unwrap();
            let is_ours = other == "{\"number\"";
            match open(true) {
                Ok(found) => assert!(found == 0 && is_ours, "{other}"),
                Err(error) => {
                    assert!(error.ends_with("line 1: this is not a result of a batch") && !is_ours, "{error}")
                }
            }
            assert_eq!(fs::read_to_string(&path).unwrap(), if is_ours { "" } else { other });
        }
    }

    #[test]
    fn results_are_kept_in_files_only() {
        let folder = tempfile::tempdir().unwrap();
        let error = |path: &Path| ResultFile::open(path, true).map(drop).unwrap_err().to_string();
        assert!(
            error(folder.path()).ends_with("is not a file that results can be kept in"),
            "{}",
            error(folder.path())
        );
        #[cfg(unix)]
        assert!(error(Path::new("/dev/null")).starts_with("/dev/null is not a file"));
    }
}
