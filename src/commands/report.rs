//! Reports of judged games: `analyze --report` and `--svg`.

use std::path::{Path, PathBuf};

use clap::Args;
use outflank::analysis::report::totals::{PlayerTotals, totals};
use outflank::analysis::report::{GameReport, annotate, graph, markdown, page};
use outflank::analysis::review::Review;
use outflank::analysis::text::time_text;
use outflank::formats::atomic::write_whole;
use outflank::formats::ggf;
use outflank::formats::quantity::plural;
use outflank::formats::record::GameRecord;
use outflank::search::{Goal, Limits, Selectivity, Time};
use serde::Serialize;

use super::error::Error;
use super::output::{check_is_no_input, check_targets, first_repeated, is_one_file, json_line};

/// What is written about judged games.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Report options")]
pub struct ReportOptions {
    /// Write a report of the games to this file, in the form of its extension: .html (one page with graphs and boards), .md, .json,
    /// .svg (the graph), .sgf (with values, marks and variations), .ggf (with values); may be given several times
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,

    /// Write the graph of value by move to this file as SVG; of several games to FILE-1.svg, FILE-2.svg ...
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// A form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Page,
    Markdown,
    Json,
    Graph,
    Sgf,
    Ggf,
}

impl Form {
    fn of(path: &Path) -> Option<Form> {
        Some(match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "html" | "htm" => Form::Page,
            "md" | "markdown" => Form::Markdown,
            "json" => Form::Json,
            "svg" => Form::Graph,
            "sgf" => Form::Sgf,
            "ggf" => Form::Ggf,
            _ => return None,
        })
    }
}

impl ReportOptions {
    /// Something is to be written.
    pub fn is_wanted(&self) -> bool {
        !self.report.is_empty() || self.svg.is_some()
    }

    /// The reports of games of this input that are judged within these limits.
    ///
    /// # Errors
    /// For extensions that stand for no form, and files that cannot be written or are the input: before the work, not after it.
    pub fn reports(&self, input: &Path, limits: &Limits) -> Result<Reports, Error> {
        let form = |path: &PathBuf| {
            let form = Form::of(path).ok_or_else(|| {
                Error::input(format!("{}: a report is .html, .md, .json, .svg, .sgf or .ggf", path.display()))
            });
            Ok::<_, Error>((path.clone(), form?))
        };
        let mut files = self.report.iter().map(form).collect::<Result<Vec<_>, _>>()?;
        files.extend(self.svg.iter().map(|path| (path.clone(), Form::Graph)));
        let paths = || files.iter().map(|(path, _)| path);
        if let Some(path) = first_repeated(paths()) {
            return Err(Error::input(format!("{}: two reports cannot go to one file", path.display())));
        }
        if let Some((path, graph)) = taken_by_graphs(&files) {
            let (path, graph) = (path.display(), graph.display());
            return Err(Error::input(format!(
                "{path}: the graphs of several games in {graph} would go to the same files"
            )));
        }
        paths().try_for_each(|path| check_is_no_input(path, [input]))?;
        check_targets(paths())?;
        Ok(Reports { files, search: search(limits), records: Vec::new(), reports: Vec::new() })
    }
}

/// How positions were searched, in words.
fn search(limits: &Limits) -> String {
    let mut text = match limits.goal {
        Goal::Level(level) => format!("level {}", level.get()),
        Goal::Depth(depth, Selectivity::NONE) => format!("depth {depth}"),
        Goal::Depth(depth, selectivity) => format!("depth {depth} ({selectivity})"),
        Goal::Exact | Goal::WinDrawLoss => "full depth".to_string(),
        Goal::Unlimited => "any depth".to_string(),
    };
    if let Time::PerMove(time) = limits.time {
        text += &format!(", {} a position", time_text(time));
    }
    if let Some(nodes) = limits.nodes {
        text += &format!(", {} a position", plural(nodes, "node"));
    }
    text
}

/// The games judged so far.
pub struct Reports {
    files: Vec<(PathBuf, Form)>,
    search: String,
    records: Vec<GameRecord>,
    reports: Vec<GameReport>,
}

/// A report as JSON.
#[derive(Serialize)]
struct ReportJson<'a> {
    games: &'a [GameReport],
    players: Vec<PlayerTotals>,
}

impl Reports {
    /// Takes a game.
    pub fn add(&mut self, record: &GameRecord, review: &Review) {
        if !self.files.is_empty() {
            self.reports.push(GameReport::new(self.reports.len() + 1, record, review, &self.search));
            self.records.push(record.clone());
        }
    }

    /// Writes all files, and says so on stderr. One that cannot be written leaves the others their games.
    ///
    /// # Errors
    /// The last that cannot be written; those before are told.
    pub fn finish(self) -> Result<(), Error> {
        let reports = &self.reports;
        if reports.is_empty() {
            return Ok(());
        }
        let write = |path: &Path, text: &str| {
            write_whole(path, text.as_bytes()).map_err(|error| Error::write(path, error))?;
            tell!("{} written to {}", plural(reports.len() as u64, "game"), path.display());
            Ok::<(), Error>(())
        };
        let mut outcome = Ok(());
        for (path, form) in &self.files {
            let written = match form {
                Form::Page => write(path, &page::write(reports)),
                Form::Markdown => write(path, &markdown::write(reports)),
                Form::Json => {
                    let json = ReportJson { games: reports, players: totals(reports) };
                    write(path, &(json_line(&json) + "\n"))
                }
                Form::Sgf => write(path, &self.annotated(annotate::sgf)),
                Form::Ggf => write(
                    path,
                    &self.annotated(|record, report| ggf::write(&annotate::with_values(record, report)) + "\n"),
                ),
                Form::Graph => write_graphs(path, reports),
            };
            if written.is_err()
                && let Err(before) = std::mem::replace(&mut outcome, written)
            {
                tell!("outflank: {before}");
            }
        }
        outcome
    }

    fn annotated(&self, write: impl Fn(&GameRecord, &GameReport) -> String) -> String {
        self.records.iter().zip(&self.reports).map(|(record, report)| write(record, report)).collect()
    }
}

/// Writes the graph of each game, of several to files of their own, and says where they are.
fn write_graphs(path: &Path, reports: &[GameReport]) -> Result<(), Error> {
    let place = |report: &GameReport| if reports.len() == 1 { path.into() } else { numbered(path, report.number) };
    for report in reports {
        let path = place(report);
        write_whole(&path, graph::svg(report).as_bytes()).map_err(|error| Error::write(&path, error))?;
    }
    let ends = [reports.first(), reports.last().filter(|_| reports.len() > 1)];
    let ends: Vec<String> = ends.into_iter().flatten().map(|report| place(report).display().to_string()).collect();
    tell!("{} written to {}", plural(reports.len() as u64, "graph"), ends.join(" ... "));
    Ok(())
}

/// A file that the graph of one of several games would be written to (see [`numbered`]), and what these graphs are named after.
/// How many games there are is known when all are judged.
fn taken_by_graphs(files: &[(PathBuf, Form)]) -> Option<(&Path, &Path)> {
    let is_taken = |path: &Path, form: Form, graph: &Path| {
        let of_one = path.file_stem().and_then(|stem| stem.to_str()?.rsplit_once('-')?.1.parse().ok());
        of_one.is_some_and(|number| is_one_file(path, &numbered(graph, number)))
            || form == Form::Graph && is_one_file(&numbered(path, 1), &numbered(graph, 1))
    };
    let others = |graph: &Path| {
        let found = files.iter().find(|(path, form)| path != graph && is_taken(path, *form, graph));
        found.map(|(path, _)| path.as_path())
    };
    let mut graphs = files.iter().filter(|(_, form)| *form == Form::Graph);
    graphs.find_map(|(graph, _)| Some((others(graph)?, graph.as_path())))
}

/// `graph-2.svg`.
fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{number}.svg"))
}
