//! What `solve` prints: a table, JSON lines or OBF problems on stdout, errors and progress on stderr.

use std::io::{self, Write};
use std::time::Duration;

use outflank::formats::board_text;
use outflank::formats::obf::{self, MoveScore, Problem};
use outflank::search::Report;
use serde::Serialize;

use super::batch::Solved;
use super::tally::{Tally, Verdict};
use crate::commands::live::Live;
use crate::commands::table::{self, ReportJson, plural};

/// Shows the state of the search of one position, when there is only one at a time.
#[derive(Clone)]
pub struct LiveStatus {
    live: Live,
    shows_iterations: bool,
}

impl LiveStatus {
    /// Shows an iteration of the search of a problem.
    pub fn iteration(&self, number: u64, report: &Report) {
        if self.shows_iterations {
            self.live.report(&format!("#{number}: "), report);
        }
    }
}

/// The form of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Table,
    /// A JSON object a line.
    Json,
    /// A problem a line, as `solve` reads them.
    Obf,
}

/// Prints results and keeps the totals.
pub struct Printer {
    name: String,
    format: Format,
    /// Show every line of a report, not only the best one.
    all_lines: bool,
    discs_only: bool,
    live: Live,
    width: Option<usize>,
    tally: Tally,
    bad_lines: u64,
    /// The answers that disagree with the file, described.
    wrong: Vec<String>,
}

/// One line of `--json` output.
#[derive(Serialize)]
struct SolvedJson<'a> {
    number: u64,
    line: usize,
    position: String,
    #[serde(flatten)]
    report: ReportJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<FileJson<'a>>,
}

/// The comparison with the file's scores.
#[derive(Serialize)]
struct FileJson<'a> {
    best: i32,
    listed: Option<i32>,
    wrong_move: bool,
    wrong_score: bool,
    verdict: &'a str,
}

/// A line that could not be read.
#[derive(Serialize)]
struct BadLineJson<'a> {
    line: usize,
    error: &'a str,
}

impl Printer {
    /// A printer for the problems of `name`.
    pub fn new(name: &str, format: Format, all_lines: bool, discs_only: bool) -> Printer {
        Printer {
            name: name.to_string(),
            format,
            all_lines,
            discs_only,
            live: Live::new("{spinner} {elapsed_precise}  {pos} solved  {msg}"),
            width: table::terminal_width(),
            tally: Tally::default(),
            bad_lines: 0,
            wrong: Vec::new(),
        }
    }

    /// The status line for `jobs` searches at a time.
    pub fn status(&self, jobs: usize) -> LiveStatus {
        LiveStatus { live: self.live.clone(), shows_iterations: jobs == 1 }
    }

    /// Prints the titles of the table.
    pub fn begin(&self) -> io::Result<()> {
        if self.format != Format::Table {
            return Ok(());
        }
        self.print(&format!(" # |{}\n---+{}", table::HEADER, table::RULE))
    }

    /// Prints a result and counts it.
    pub fn solved(&mut self, solved: &Solved) -> io::Result<()> {
        let Solved { number, line, problem, report } = solved;
        let verdict = Verdict::new(problem, report, self.discs_only);
        self.tally.add(report, verdict);
        self.live.position(self.tally.positions);
        if let Some(verdict) = verdict.filter(Verdict::disagrees) {
            self.wrong.push(describe(*number, *line, problem, report, verdict));
        }
        match self.format {
            Format::Table => self.print(&self.rows(solved)),
            Format::Json => self.print(&self.json(solved, verdict)),
            Format::Obf => self.print(&self.obf(solved)),
        }
    }

    /// The rows of a result, without the last line break.
    fn rows(&self, Solved { number, problem, report, .. }: &Solved) -> String {
        let lines = if self.all_lines { report.lines.len().max(1) } else { 1 };
        let row = |i: usize| {
            let label = if i == 0 { number.to_string() } else { String::new() };
            let row = table::row(&problem.position, report, report.lines.get(i), i == 0);
            table::fit(format!("{label:>3}|{row}"), self.width)
        };
        (0..lines).map(row).collect::<Vec<_>>().join("\n")
    }

    fn json(&self, Solved { number, line, problem, report }: &Solved, verdict: Option<Verdict>) -> String {
        let value = SolvedJson {
            number: *number,
            line: *line,
            position: board_text::write(&problem.position),
            report: ReportJson::new(report, self.all_lines),
            file: verdict.map(|verdict| FileJson {
                best: verdict.best,
                listed: verdict.listed,
                wrong_move: verdict.is_wrong_move(),
                wrong_score: verdict.is_wrong_score(),
                verdict: if verdict.disagrees() { "wrong" } else { "right" },
            }),
        };
        serde_json::to_string(&value).expect("plain data")
    }

    /// The position with the scores found; the position's own only where it has no move.
    fn obf(&self, Solved { problem, report, .. }: &Solved) -> String {
        let lines = if self.all_lines { report.lines.len() } else { 1 };
        let scores = report.lines.iter().take(lines).map(|line| MoveScore { mv: line.mv, score: line.score });
        let solved = Problem {
            position: problem.position.clone(),
            scores: scores.collect(),
            score: report.lines.is_empty().then_some(report.score),
        };
        let mut text = obf::write(&solved);
        if !report.is_exact() {
            text += &format!(" % {}", report.depth_text());
        }
        text
    }

    /// Reports a line that could not be read and counts it.
    pub fn bad_line(&mut self, line: usize, message: &str) -> io::Result<()> {
        self.bad_lines += 1;
        self.live.suspend(|| eprintln!("outflank: {}: {message}", self.name));
        if self.format == Format::Json {
            let value = BadLineJson { line, error: message };
            self.print(&serde_json::to_string(&value).expect("plain data"))?;
        }
        Ok(())
    }

    /// Prints the totals (to stderr when stdout has lines for programs) and returns them with the number of bad lines.
    pub fn finish(self, elapsed: Duration, interrupted: bool) -> io::Result<(Tally, u64)> {
        let totals = self.totals(elapsed, interrupted);
        self.live.finish();
        match self.format {
            Format::Table => self.print(&format!("---+{}\n{totals}", table::RULE))?,
            Format::Json | Format::Obf => eprintln!("{totals}"),
        }
        Ok((self.tally, self.bad_lines))
    }

    fn totals(&self, elapsed: Duration, interrupted: bool) -> String {
        let Tally { positions, nodes, .. } = self.tally;
        let mut text =
            format!("{}: {}, {nodes} nodes in {}", self.name, plural(positions, "position"), table::time_text(elapsed));
        if let Some(rate) = table::rate(nodes, elapsed) {
            text += &format!(" ({rate} nodes/s)");
        }
        if let Some(summary) = self.tally.summary() {
            text += &format!("\n{}: {summary}", self.name);
        }
        for wrong in &self.wrong {
            text += &format!("\n  {wrong}");
        }
        if self.bad_lines > 0 {
            text += &format!("\n{}: {} could not be read", self.name, plural(self.bad_lines, "line"));
        }
        if interrupted {
            text += &format!("\n{}: interrupted", self.name);
        }
        text
    }

    /// Prints above the status line.
    fn print(&self, text: &str) -> io::Result<()> {
        self.live.suspend(|| {
            let mut out = io::stdout().lock();
            writeln!(out, "{text}")?;
            out.flush()
        })
    }
}

/// `#3 (line 5): f5 +2, the file has g8 +4`.
fn describe(number: u64, line: usize, problem: &Problem, report: &Report, verdict: Verdict) -> String {
    let mv = report.best().map_or("no move".to_string(), |line| line.mv.to_string());
    let mut text = format!("#{number} (line {line}): {mv} {:+}, the file has", verdict.score);
    let best: Vec<String> = problem
        .scores
        .iter()
        .filter(|entry| Some(entry.score) == problem.best_score())
        .map(|entry| entry.mv.to_string())
        .collect();
    text += &match best.as_slice() {
        [] => format!(" {:+}", verdict.best),
        names => format!(" {} {:+}", names.join(" "), verdict.best),
    };
    if let Some(listed) = verdict.listed.filter(|listed| *listed != verdict.best) {
        text += &format!(" and {mv} {listed:+}");
    }
    text
}
