//! The file of a batch's results, from which an interrupted batch goes on.
//!
//! A JSON line for each problem ([`SolvedJson`], [`BadLineJson`]), written in one piece as soon as the problem is solved. A
//! kill leaves at most one line incomplete; it is dropped, and its problem solved again. Several jobs leave lines out of turn
//! and gaps, which the batch that goes on fills first; when it ends, the lines are put in the order of the input.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::batch::Numbered;
use super::json::{BadLineJson, LineJson, SolvedJson};
use super::line_file::{Kind, LineFile, Place, line_of};
use super::made_with::{By, MadeWith};
use crate::formats::board_text;
use crate::formats::obf::{MoveScore, Problem};

pub use super::line_file::ResultFileError;

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

const RESULTS: Kind = Kind { begin: "{\"number\":", otherwise: "this is not a result of a batch" };

/// A result that the file had before, checked against its problem.
#[derive(Clone, Debug)]
pub enum Saved {
    /// A solved problem.
    Solved {
        /// The result.
        solved: Box<SolvedJson>,
        /// Its problem.
        problem: Problem,
        /// The moves found with their scores, the best one first; none when the game is over.
        found: Vec<MoveScore>,
    },
    /// A line that could not be read, and cannot be now.
    BadLine(BadLineJson),
}

/// Of a line the number of its problem alone.
#[derive(Deserialize)]
struct Turn {
    number: u64,
}

/// The file of a batch's results.
#[derive(Debug)]
pub struct ResultFile {
    file: LineFile,
    /// Where the lines found are, by problem: what they say is read again when it is wanted.
    found: BTreeMap<u64, Place>,
    order: Order,
}

/// Whether the lines stand in the order of the input.
#[derive(Debug)]
struct Order {
    is_kept: bool,
    /// Highest number of a line.
    last: u64,
}

impl Order {
    fn note(&mut self, number: u64) {
        self.is_kept &= number > self.last;
        self.last = self.last.max(number);
    }
}

impl ResultFile {
    /// Opens the file, or makes it. With `resume` the results that it has are kept.
    ///
    /// # Errors
    /// [`ResultFileError`]: it has results and `resume` is not set, a line is no result, or it cannot be read or written.
    pub fn open(path: &Path, resume: bool) -> Result<ResultFile, ResultFileError> {
        let mut file = LineFile::open(path, resume)?;
        let (mut found, mut order) = (BTreeMap::new(), Order { is_kept: true, last: 0 });
        file.read(&RESULTS, &mut |place, result: ResultLine| {
            let number = result.number();
            order.note(number);
            match found.insert(number, place) {
                None => Ok(true),
                Some(Place { line, .. }) => Err(format!("problem {number} is in line {line} already")),
            }
        })?;
        Ok(ResultFile { file, found, order })
    }

    /// Number of results that the file had.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// The file had no results.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Reads the problems as far as the file has results, checks that these belong to them and come from these options, hands
    /// them out to `on_saved` and returns the problems that are left.
    ///
    /// # Errors
    /// [`ResultFileError::Line`] for a result of another problem, or of other options.
    pub fn resume<I>(
        &mut self,
        mut problems: I,
        made_with: &MadeWith,
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
                Some(place) => {
                    let line = self.file.line(place)?;
                    let result = serde_json::from_slice(&line).map_err(|_| RESULTS.otherwise.to_string());
                    let saved = result.and_then(|result| check(result, problem, made_with));
                    on_saved(saved.map_err(|problem| self.file.bad(place.line, problem))?);
                }
            }
        }
        match found.first_key_value() {
            Some((number, place)) => Err(self.file.bad(place.line, format!("the input has no problem {number}"))),
            None => Ok(left.into_iter().chain(problems)),
        }
    }

    /// Appends a result in one write.
    ///
    /// # Errors
    /// [`ResultFileError::Io`], for instance when the disc is full.
    pub fn add(&mut self, result: &ResultLine) -> Result<(), ResultFileError> {
        self.order.note(result.number());
        self.file.add(&line_of(result))
    }

    /// Ends the writing: lines that stand out of turn are sorted, and everything is on the disc.
    ///
    /// # Errors
    /// [`ResultFileError::Io`]; the file is then as it was, with all its lines.
    pub fn finish(mut self) -> Result<(), ResultFileError> {
        if self.order.is_kept {
            return self.file.sync();
        }
        let mut places = BTreeMap::new();
        self.file.read(&RESULTS, &mut |place, Turn { number }| {
            places.insert(number, place);
            Ok(true)
        })?;
        self.file.keep(places.into_values())
    }
}

/// Checks that a result belongs to a problem and comes from these options.
fn check(result: ResultLine, problem: Numbered, made_with: &MadeWith) -> Result<Saved, String> {
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
    let by = By { options: &solved.options, is_cut: report.stopped, rules: solved.rules.as_deref() };
    by.check(("result", &format!("problem {number}")), made_with, problem.position.rules())?;
    let legal = problem.position.legal_moves();
    let scored = |LineJson { mv, score, .. }: &LineJson| match legal.iter().find(|legal| legal.to_string() == *mv) {
        None => Err(format!("{mv} is not legal in problem {number}")),
        Some(&mv) => Ok(MoveScore { mv, score: *score }),
    };
    let found = report.lines().iter().map(scored).collect::<Result<_, _>>()?;
    Ok(Saved::Solved { solved, problem, found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::{fs, io};

    use crate::analysis::batch::{Batch, Event, numbered};
    use crate::analysis::verdict::{Asked, Verdict};
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
        let (mut saved, was_empty) = (0, file.is_empty());
        let left = file.resume(problems(input), &MadeWith::default(), &mut |_| saved += 1)?;
        assert_eq!(was_empty, saved == 0);
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
                    let verdict = Verdict::new(&solved.problem, &solved.report, Asked::default());
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
        // the line that is no problem, a line further down
        let moved = input().replacen("nonsense", "% a remark\nnonsense", 1);
        let message = "line 4: problem 4 (line 5 of the input) was another one then";
        assert!(error(&moved).ends_with(message), "{}", error(&moved));
        let shorter: String = input().lines().take(2).map(|line| format!("{line}\n")).collect();
        assert!(error(&shorter).ends_with("line 3: the input has no problem 3"), "{}", error(&shorter));
        let open = |resume| ResultFile::open(&path, resume).map(|file| file.len()).map_err(|error| error.to_string());
        assert_eq!(open(true), Ok(4));
        assert!(open(false).unwrap_err().contains("has results already"));
        let mut file = ResultFile::open(&path, true).unwrap();
        let wld = MadeWith { options: "--wld".to_string(), ..MadeWith::default() };
        let resumed = file.resume(problems(&input()), &wld, &mut |_| {}).map(drop);
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
