//! A line on stderr that shows what is going on, at a terminal only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use outflank::analysis::text;
use outflank::search::Report;

/// The status line; clones share it.
#[derive(Clone)]
pub struct Live(ProgressBar);

impl Live {
    /// A status line; `template` is indicatif's, and may use `{spinner}`, `{elapsed_precise}`, `{pos}` and `{msg}`.
    pub fn new(template: &str) -> Live {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template(template).expect("the template is valid"));
        bar.enable_steady_tick(Duration::from_millis(100));
        Live(bar)
    }

    /// A status line for one search.
    pub fn search() -> Live {
        Live::new("{spinner} {elapsed_precise}  {wide_msg}")
    }

    /// A bar for this many pieces of work.
    pub fn bar(total: u64) -> Live {
        let live = Live::new("{spinner} {elapsed_precise}  {wide_bar} {pos}/{len}  {msg}");
        live.0.set_length(total);
        live
    }

    /// Shows the state of a search with its best line.
    pub fn line(&self, report: &Report) {
        let (depth, nodes) = (report.depth_text(), text::count_text(report.nodes));
        let pv = report.best().map_or(&[][..], |line| &line.pv);
        let pv: Vec<String> = pv.iter().map(ToString::to_string).collect();
        let score = text::score_text(report.score);
        self.0.set_message(format!("depth {depth} {score}  {}  {nodes} nodes (a key stops)", pv.join(" ")));
    }

    /// Shows the state of a search.
    pub fn report(&self, label: &str, report: &Report) {
        let (depth, nodes) = (report.depth_text(), text::count_text(report.nodes));
        let score = text::score_text(report.score);
        self.0.set_message(format!("{label}depth {depth} score {score} {nodes} nodes"));
    }

    /// Shows how many pieces of work are done.
    pub fn position(&self, done: u64) {
        self.0.set_position(done);
    }

    /// Prints something without the status line in the way.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.suspend(print)
    }

    /// Removes the line.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
