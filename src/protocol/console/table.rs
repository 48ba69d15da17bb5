//! The table of a search on its way.

use std::io::{self, Write};

use super::{Watch, view};
use crate::analysis::text;
use crate::formats::notation::Dialect;
use crate::rules::Position;
use crate::search::Report;

/// The table of a search on its way.
pub(super) struct Table<'a, W> {
    verbose: u8,
    /// Every row has time and nodes, not only the first one of an iteration.
    pub all_costs: bool,
    /// How squares are named.
    dialect: Dialect,
    /// Titles and rules stand around the rows.
    is_framed: bool,
    watch: &'a dyn Watch,
    out: &'a mut W,
    /// The iteration shown last.
    shown: Option<Report>,
    written: io::Result<()>,
}

impl<'a, W: Write> Table<'a, W> {
    /// A table with titles, nothing at all if nothing is to be shown.
    pub fn begin(verbose: u8, dialect: Dialect, watch: &'a dyn Watch, out: &'a mut W) -> io::Result<Table<'a, W>> {
        if verbose > 0 {
            writeln!(out, "\n{}\n{}", text::HEADER, text::RULE)?;
        }
        let table = Table::bare(verbose, dialect, watch, out);
        Ok(Table { is_framed: true, ..table })
    }

    /// Rows only.
    pub fn bare(verbose: u8, dialect: Dialect, watch: &'a dyn Watch, out: &'a mut W) -> Table<'a, W> {
        watch.begin(0);
        Table { verbose, all_costs: false, dialect, is_framed: false, watch, out, shown: None, written: Ok(()) }
    }

    /// Shows an iteration, if all are wanted.
    pub fn iteration(&mut self, position: &Position, report: &Report) {
        self.watch.report(&view::seen_report(self.dialect, position, report));
        if self.verbose > 1 && self.written.is_ok() && !self.has_shown(report) {
            self.written = self.rows(position, report);
            self.shown = Some(report.clone());
        }
    }

    fn has_shown(&self, report: &Report) -> bool {
        self.shown
            .as_ref()
            .is_some_and(|shown| shown.depth_text() == report.depth_text() && shown.lines == report.lines)
    }

    fn rows(&mut self, position: &Position, report: &Report) -> io::Result<()> {
        let (position, report) =
            (&view::seen(self.dialect, position), &view::seen_report(self.dialect, position, report));
        let (width, all_costs) = (self.watch.width(), self.all_costs);
        let rows: Vec<String> = report
            .lines
            .iter()
            .enumerate()
            .map(|(i, line)| text::fit(text::row(position, report, Some(line), i == 0 || all_costs), width))
            .collect();
        let out = &mut *self.out;
        let mut written = Ok(());
        self.watch.suspend(&mut || written = rows.iter().try_for_each(|row| writeln!(out, "{row}")));
        written
    }

    /// Shows the result, if it has not been shown.
    pub fn end(mut self, position: &Position, report: Option<&Report>) -> io::Result<()> {
        self.watch.end();
        std::mem::replace(&mut self.written, Ok(()))?;
        if self.verbose == 0 {
            return Ok(());
        }
        if let Some(report) = report.filter(|report| !self.has_shown(report)) {
            self.rows(position, report)?;
        }
        if self.is_framed { writeln!(self.out, "{}", text::RULE) } else { Ok(()) }
    }
}
