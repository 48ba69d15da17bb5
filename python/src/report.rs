//! What searches found.

use outflank::analysis::json::{LineJson, ReportJson};
use outflank::{Line, Move, Report};
use pyo3::prelude::*;

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

    fn __repr__(&self) -> String {
        format!("<Line {} {:+} ({})>", self.0.mv, self.0.score, self.bound())
    }
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

    fn __repr__(&self) -> String {
        let best = self.best().unwrap_or_else(|| "game over".to_string());
        format!("<Report {best} {:+} at depth {}, {} nodes>", self.0.score, self.0.depth_text(), self.0.nodes)
    }
}
