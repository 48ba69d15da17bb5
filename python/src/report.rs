//! What searches found.

use std::time::Duration;

use outflank::analysis::json::{LineJson, ReportJson};
use outflank::rules::{Direction, Point};
use outflank::search::Bound as ScoreBound;
use outflank::{Line, Move, Report, Selectivity, Source};
use pyo3::prelude::*;

use crate::errors;

/// One move, its score and the continuation.
#[pyclass(name = "Line", module = "outflank", frozen)]
#[derive(Clone)]
pub struct PyLine(LineJson);

impl PyLine {
    /// A line of a report.
    pub fn new(line: &Line, report: &Report) -> PyLine {
        PyLine(LineJson::new(line, report))
    }
}

#[pymethods]
impl PyLine {
    /// The move; `pass` when the side to move is stuck.
    #[getter(r#move)]
    fn mv(&self) -> &str {
        &self.0.mv
    }

    /// Score in discs for the side to move.
    #[getter]
    fn score(&self) -> i32 {
        self.0.score
    }

    /// `exact`, `estimate`, `lower` or `upper`.
    #[getter]
    fn bound(&self) -> String {
        serde_json::to_value(self.0.bound).ok().and_then(|v| v.as_str().map(str::to_string)).unwrap_or_default()
    }

    /// Best play that begins with the move, passes included.
    #[getter]
    fn pv(&self) -> Vec<String> {
        self.0.pv.clone()
    }

    /// A line from what a pickle holds of it.
    #[staticmethod]
    fn _restore(json: &str) -> PyResult<PyLine> {
        serde_json::from_str(json).map(PyLine).map_err(errors::parse)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let json = serde_json::to_string(&self.0).expect("plain data");
        Ok((py.get_type::<PyLine>().getattr("_restore")?, (json,)))
    }

    fn __repr__(&self) -> String {
        format!("<Line {} {:+} ({})>", self.0.mv, self.0.score, self.bound())
    }
}

/// A move, as pickles hold it: row, column and direction, or a pass.
type MoveState = Option<(u8, u8, Option<u8>)>;

/// A line: move, score, bound, continuation.
type LineState = (MoveState, i32, u8, Vec<MoveState>);

/// Depth, selectivity, empty squares; score, nodes, nanoseconds; whether it was stopped, and was about winning only.
type Numbers = ((u8, u8, u8), (i32, u64, u64), (bool, bool));

/// All that pickles hold of a report.
type ReportState = (Numbers, Vec<LineState>, &'static str);

const BOUNDS: [ScoreBound; 3] = [ScoreBound::Exact, ScoreBound::Lower, ScoreBound::Upper];
const SOURCES: [Source; 4] = [Source::Search, Source::Book, Source::Forced, Source::OnlyMove];

fn state_of(report: &Report) -> ReportState {
    // every field by its name: one that is added is not forgotten
    let Report { depth, selectivity, empties, lines, score, nodes, elapsed, stopped, win_draw_loss, source } = report;
    let place = |mv: &Move| match *mv {
        Move::Pass => None,
        Move::Place { at, direction } => Some((at.row, at.column, direction.map(|direction| direction as u8))),
    };
    let bound = |bound| BOUNDS.iter().position(|one| *one == bound).map_or(0, |at| at as u8);
    let line = |Line { mv, score, bound: what, pv }: &Line| {
        (place(mv), *score, bound(*what), pv.iter().map(place).collect::<Vec<MoveState>>())
    };
    let numbers = (
        (*depth, selectivity.index() as u8, *empties),
        (*score, *nodes, elapsed.as_nanos() as u64),
        (*stopped, *win_draw_loss),
    );
    (numbers, lines.iter().map(line).collect(), source.name())
}

fn report_from(numbers: Numbers, lines: Vec<LineState>, source: &str) -> Option<Report> {
    let ((depth, selectivity, empties), (score, nodes, nanoseconds), (stopped, win_draw_loss)) = numbers;
    let place = |state: MoveState| {
        let Some((row, column, direction)) = state else { return Some(Move::Pass) };
        let direction = direction.map(|at| Direction::ALL.get(usize::from(at)).copied().ok_or(())).transpose().ok()?;
        Some(Move::Place { at: Point { row, column }, direction })
    };
    let line = |(mv, score, bound, pv): LineState| {
        let pv = pv.into_iter().map(place).collect::<Option<Vec<Move>>>()?;
        Some(Line { mv: place(mv)?, score, bound: *BOUNDS.get(usize::from(bound))?, pv })
    };
    let (selectivity, elapsed) = (Selectivity::new(selectivity)?, Duration::from_nanos(nanoseconds));
    let lines = lines.into_iter().map(line).collect::<Option<Vec<Line>>>()?;
    let source = SOURCES.into_iter().find(|one| one.name() == source)?;
    Some(Report { depth, selectivity, empties, lines, score, nodes, elapsed, stopped, win_draw_loss, source })
}

/// The state of a search after an iteration, or at its end.
#[pyclass(name = "Report", module = "outflank", frozen)]
#[derive(Clone)]
pub struct PyReport(pub Report);

#[pymethods]
impl PyReport {
    /// Score in discs for the side to move: of the best line, or the final score.
    #[getter]
    fn score(&self) -> i32 {
        self.0.score
    }

    /// The best move, `None` when the game is over.
    #[getter]
    fn best(&self) -> Option<String> {
        self.0.best().map(|line| line.mv.to_string())
    }

    /// Best play, beginning with the best move.
    #[getter]
    fn pv(&self) -> Vec<String> {
        self.0.best().map_or(Vec::new(), |line| line.pv.iter().map(Move::to_string).collect())
    }

    /// The lines found, best first.
    #[getter]
    fn lines(&self) -> Vec<PyLine> {
        self.0.lines.iter().map(|line| PyLine::new(line, &self.0)).collect()
    }

    /// Depth in plies; at least `empties` when the game was searched to its end.
    #[getter]
    fn depth(&self) -> u8 {
        self.0.depth
    }

    /// Confidence in percent: 100 is full width.
    #[getter]
    fn selectivity(&self) -> u32 {
        self.0.selectivity.percent()
    }

    /// Empty squares of the position.
    #[getter]
    fn empties(&self) -> u8 {
        self.0.empties
    }

    /// The score is proved.
    #[getter]
    fn exact(&self) -> bool {
        ReportJson::new(&self.0, false).exact
    }

    /// A limit or a stop cut the search short.
    #[getter]
    fn stopped(&self) -> bool {
        self.0.stopped
    }

    /// Nodes of the search so far.
    #[getter]
    fn nodes(&self) -> u64 {
        self.0.nodes
    }

    /// Time of the search so far.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.elapsed.as_secs_f64()
    }

    /// The report as the object that `outflank solve --json` prints.
    fn to_json(&self) -> String {
        serde_json::to_string(&ReportJson::new(&self.0, true)).expect("plain data")
    }

    /// A report from what a pickle holds of it.
    #[staticmethod]
    fn _restore(numbers: Numbers, lines: Vec<LineState>, source: &str) -> PyResult<PyReport> {
        report_from(numbers, lines, source)
            .map(PyReport)
            .ok_or_else(|| errors::parse("this is no report of this version of Outflank"))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, ReportState)> {
        Ok((py.get_type::<PyReport>().getattr("_restore")?, state_of(&self.0)))
    }

    fn __repr__(&self) -> String {
        let best = self.best().unwrap_or_else(|| "game over".to_string());
        format!("<Report {best} {:+} at depth {}, {} nodes>", self.0.score, self.0.depth_text(), self.0.nodes)
    }
}
