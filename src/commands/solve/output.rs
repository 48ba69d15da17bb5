//! What `solve` prints: a table, JSON lines or OBF problems on stdout, errors and progress on stderr.

use std::fmt::Display;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use outflank::analysis::batch::{Event, OnReport, Solved};
use outflank::analysis::json::{BadLineJson, SolvedJson};
use outflank::analysis::made_with::MadeWith;
use outflank::analysis::result_file::{ResultLine, Saved};
use outflank::analysis::text;
use outflank::analysis::verdict::{Asked, Tally, Verdict, WrongScore};
use outflank::formats::named_rules::Naming;
use outflank::formats::obf::{self, Problem};
use outflank::formats::quantity::plural;
use outflank::rules::Move;

use crate::commands::error::Error;
use crate::commands::gone;
use crate::commands::live::Live;
use crate::commands::output::{Screen, json_line, terminal_width};

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
    /// The input, or how many files it is.
    name: String,
    /// The files.
    names: Vec<String>,
    format: Format,
    /// Show every line of a report, not only the best one.
    all_lines: bool,
    asked: Asked,
    made_with: MadeWith,
    screen: Screen,
    live: Live,
    width: Option<usize>,
    /// Digits that the numbers of the table have room for.
    digits: usize,
    tally: Tally,
    bad_lines: u64,
    /// Positions that had been solved before, and their nodes.
    saved: (u64, u64),
    /// Positions whose scores in the file are not exact, and are not compared.
    inexact: u64,
    /// The answers that disagree with the file, described.
    wrong: Vec<String>,
    naming: Naming,
}

impl Printer {
    /// A printer for the problems of these files.
    pub fn new(
        names: Vec<String>,
        (format, screen): (Format, Screen),
        all_lines: bool,
        asked: Asked,
        made_with: MadeWith,
    ) -> Printer {
        Printer {
            name: match names.as_slice() {
                [name] => name.clone(),
                names => plural(names.len() as u64, "file"),
            },
            names,
            format,
            all_lines,
            asked,
            made_with,
            screen,
            live: Live::new("{spinner} {elapsed_precise}  {pos} solved  {msg}"),
            width: terminal_width(),
            digits: 3,
            tally: Tally::default(),
            bad_lines: 0,
            saved: (0, 0),
            inexact: 0,
            wrong: Vec::new(),
            naming: Naming::default(),
        }
    }

    /// Where the number of problems can be shown once it is known.
    pub fn live(&self) -> Live {
        self.live.clone()
    }

    /// The file of a problem, where there are several.
    fn source(&self, source: usize) -> Option<&str> {
        (self.names.len() > 1).then(|| self.names[source].as_str())
    }

    /// Shows the iterations of the only search there is at a time.
    pub fn on_report(&self) -> OnReport {
        let live = self.live.clone();
        Arc::new(move |number, report| live.report(&format!("#{number}: "), report))
    }

    /// Prints the titles of the table, whose numbers have so many digits at most.
    pub fn begin(&mut self, digits: usize) -> io::Result<()> {
        self.digits = digits.max(3);
        if self.format != Format::Table {
            return Ok(());
        }
        self.print(&format!("{:>1$} |{2}\n{3}", '#', self.digits - 1, text::HEADER, self.rule()))
    }

    fn rule(&self) -> String {
        format!("{}+{}", "-".repeat(self.digits), text::RULE)
    }

    /// Counts a result of an earlier run.
    pub fn saved(&mut self, saved: &Saved) {
        let Saved::Solved { solved, problem, found } = saved else {
            self.bad_lines += 1;
            return;
        };
        let report = &solved.report;
        let compared = self.asked.compared(report.win_draw_loss, report.exact);
        let place = Place { number: solved.number, source: solved.source.clone(), line: solved.line };
        let best = found.first().map(|best| best.mv);
        self.count(place, problem, best, report.nodes, Verdict::compare(problem, found, report.score, compared));
        self.live.had_before();
        self.saved = (self.saved.0 + 1, self.saved.1 + report.nodes);
    }

    fn count(&mut self, place: Place, problem: &Problem, best: Option<Move>, nodes: u64, verdict: Option<Verdict>) {
        self.tally.add(nodes, verdict.as_ref());
        self.inexact += u64::from(problem.searched.is_some() && problem.best_score().is_some());
        self.live.position(self.tally.positions);
        if let Some(verdict) = verdict.filter(Verdict::disagrees) {
            self.wrong.push(describe(&place, problem, best, &verdict));
        }
    }

    /// The line of an event in a file of results.
    pub fn result_line(&self, event: &Event) -> Option<ResultLine> {
        match event {
            Event::Solved(solved) => Some(ResultLine::Solved(Box::new(self.json(solved)))),
            Event::BadLine { number, source, line, error } => {
                Some(ResultLine::BadLine(self.bad_json(*number, *source, *line, error)))
            }
            Event::Unsearched { .. } | Event::Interrupted => None,
        }
    }

    fn json(&self, solved: &Solved) -> SolvedJson {
        let source = self.source(solved.source);
        let verdict = Verdict::new(&solved.problem, &solved.report, self.asked);
        let json = SolvedJson::new(solved, source, self.all_lines, verdict);
        SolvedJson { options: self.made_with.of(solved.report.stopped), ..json }
    }

    fn bad_json(&self, number: u64, source: usize, line: usize, error: &dyn Display) -> BadLineJson {
        let source = self.source(source).map(str::to_string);
        BadLineJson { number, source, line, error: error.to_string() }
    }

    /// Prints a result and counts it.
    pub fn solved(&mut self, solved: &Solved) -> io::Result<()> {
        let Solved { number, source, line, problem, report } = solved;
        let source = self.source(*source).map(str::to_string);
        let verdict = Verdict::new(problem, report, self.asked);
        let place = Place { number: *number, source, line: *line };
        self.count(place, problem, report.best().map(|line| line.mv), report.nodes, verdict);
        match self.format {
            Format::Table => self.print(&self.rows(solved)),
            Format::Json => self.print(&json_line(&self.json(solved))),
            Format::Obf => {
                let rules = self.naming.before(solved.problem.position.rules());
                self.print(&(rules + &self.obf(solved)))
            }
        }
    }

    /// The rows of a result, without the last line break.
    fn rows(&self, Solved { number, problem, report, .. }: &Solved) -> String {
        let lines = if self.all_lines { report.lines.len().max(1) } else { 1 };
        let digits = self.digits;
        let row = |i: usize| {
            let label = if i == 0 { number.to_string() } else { String::new() };
            let row = text::row(&problem.position, report, report.lines.get(i), i == 0);
            text::fit(format!("{label:>digits$}|{row}"), self.width)
        };
        (0..lines).map(row).collect::<Vec<_>>().join("\n")
    }

    /// The position with the scores found.
    fn obf(&self, solved: &Solved) -> String {
        obf::write(&solved.to_problem(self.all_lines))
    }

    /// Reports a line that could not be read and counts it.
    pub fn bad_line(&mut self, number: u64, source: usize, line: usize, error: &dyn Display) -> io::Result<()> {
        self.bad_lines += 1;
        self.live.suspend(|| tell!("outflank: {}: {error}", self.names[source]));
        if self.format == Format::Json {
            self.print(&json_line(&self.bad_json(number, source, line, error)))?;
        }
        Ok(())
    }

    /// Prints the totals (to stderr when stdout has lines for programs) and returns them with the number of bad lines.
    pub fn finish(mut self, elapsed: Duration, interrupted: bool) -> Result<(Tally, u64), Error> {
        let totals = self.totals(elapsed, interrupted);
        self.live.finish();
        match self.format {
            Format::Table => self.print(&format!("{}\n{totals}", self.rule()))?,
            // nobody wants totals of what nobody read
            Format::Json | Format::Obf if gone::is_gone() => {}
            Format::Json | Format::Obf => totals.lines().for_each(|line| tell!("{line}")),
        }
        self.screen.finish()?;
        Ok((self.tally, self.bad_lines))
    }

    fn totals(&self, elapsed: Duration, interrupted: bool) -> String {
        let Tally { positions, nodes, .. } = self.tally;
        let before = match self.saved {
            (0, _) => String::new(),
            (count, _) => format!(" ({count} of them before)"),
        };
        let (name, count, time) = (&self.name, plural(positions, "position"), text::time_text(elapsed));
        let mut text = format!("{name}: {count}{before}, {} in {time}", plural(nodes, "node"));
        // what earlier runs found says nothing about this one
        let new = nodes - self.saved.1;
        if new > 0
            && let Some(rate) = text::rate(new, elapsed)
        {
            text += &format!(" ({rate} nodes/s)");
        }
        if let Some(summary) = self.tally.summary() {
            text += &format!("\n{}: {summary}", self.name);
        }
        for wrong in &self.wrong {
            text += &format!("\n  {wrong}");
        }
        if self.inexact > 0 {
            let positions = plural(self.inexact, "position");
            text += &format!("\n{}: not compared: {positions} whose scores are not exact in the file", self.name);
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
    fn print(&mut self, text: &str) -> io::Result<()> {
        let Printer { live, screen, .. } = self;
        live.suspend(|| screen.print(&format!("{text}\n")))
    }
}

/// Where a problem stands.
struct Place {
    number: u64,
    /// The file, where there are several.
    source: Option<String>,
    line: usize,
}

/// `#3 (line 5): f5 +2, the file has g8 +4; c4 -2, the file has +0`.
fn describe(place: &Place, problem: &Problem, best: Option<Move>, verdict: &Verdict) -> String {
    let Place { number, source, line } = place;
    let file = source.as_ref().map_or(String::new(), |source| format!("{source}, "));
    let best = verdict.best_disagrees().then(|| describe_best(problem, best, verdict));
    let other = |WrongScore { mv, score, listed }: &WrongScore| {
        let score = score.map_or("is worse".to_string(), |score| format!("{score:+}"));
        format!("{mv} {score}, the file has {listed:+}")
    };
    let wrong: Vec<String> = best.into_iter().chain(verdict.others.iter().map(other)).collect();
    format!("#{number} ({file}line {line}): {}", wrong.join("; "))
}

/// `f5 +2, the file has g8 +4`.
fn describe_best(problem: &Problem, best: Option<Move>, verdict: &Verdict) -> String {
    let mv = best.map_or("no move".to_string(), |mv| mv.to_string());
    let mut text = format!("{mv} {:+}, the file has", verdict.score);
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
