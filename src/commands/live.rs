//! A line on stderr that shows what is going on, at a terminal only.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use outflank::analysis::text;
use outflank::search::Report;

/// The status line; clones share it.
#[derive(Clone)]
pub struct Live(ProgressBar, Arc<AtomicU64>);

impl Live {
    /// A status line; `template` is indicatif's, and may use `{spinner}`, `{elapsed_precise}`, `{pos}` and `{msg}`.
    pub fn new(template: &str) -> Live {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(ProgressStyle::with_template(template).expect("the template is valid"));
        // it takes a thread, and a panic where there is none
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        Live(bar, Arc::default())
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

    /// A bar over so many bytes of input; 0 when that is not known.
    pub fn input(total: u64) -> Live {
        let bar = if total > 0 { "{wide_bar} {bytes}/{total_bytes}" } else { "{bytes}" };
        let live = Live::new(&format!("{{spinner}} {{elapsed_precise}}  {bar}  {{msg}}"));
        if total > 0 {
            live.0.set_length(total);
        }
        live
    }

    /// Shows a remark behind the bar.
    pub fn message(&self, message: String) {
        self.0.set_message(message);
    }

    /// Shows the state of a search with its best line: last, since it is what a narrow screen may cut.
    pub fn line(&self, report: &Report) {
        let (depth, nodes) = (report.depth_text(), text::count_text(report.nodes));
        let pv = report.best().map_or(&[][..], |line| &line.pv);
        let pv: Vec<String> = pv.iter().map(ToString::to_string).collect();
        let score = text::score_text(report.score);
        self.0.set_message(format!("depth {depth} {score}  {nodes} nodes (a key stops)  {}", pv.join(" ")));
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

    /// One of the pieces that are done was done by an earlier run.
    pub fn had_before(&self) {
        self.1.fetch_add(1, Ordering::Relaxed);
    }

    /// Somebody can see the line.
    pub fn is_shown(&self) -> bool {
        !self.0.is_hidden()
    }

    /// Shows from now on how many pieces there are, and when they will be done.
    pub fn total(&self, total: u64) {
        let (before, begun) = (self.1.clone(), Instant::now());
        let first = self.0.position();
        let style = ProgressStyle::with_template("{spinner} {elapsed_precise}  {pos} of {len}, {left} left  {msg}")
            .expect("the template is valid")
            .with_key("left", move |state: &ProgressState, text: &mut dyn fmt::Write| {
                let done = state.pos().saturating_sub(first.max(before.load(Ordering::Relaxed)));
                let _ = write!(text, "{}", left(done, total.saturating_sub(state.pos()), begun.elapsed()));
            });
        self.0.set_length(total);
        self.0.set_style(style);
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

/// How long the rest will take after so many pieces in this time: `2 minutes`, or `?`.
fn left(done: u64, rest: u64, elapsed: Duration) -> String {
    if done == 0 {
        return "?".to_string();
    }
    let seconds = elapsed.as_secs_f64() * rest as f64 / done as f64;
    HumanDuration(Duration::from_secs_f64(seconds.min(1e9))).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_over_input_is_as_long_as_that() {
        assert_eq!([0, 100].map(|total| Live::input(total).0.length()), [None, Some(100)]);
    }

    #[test]
    fn the_rest_takes_as_long_as_the_beginning_did() {
        assert_eq!(left(0, 10, Duration::from_secs(3)), "?");
        assert_eq!(left(10, 20, Duration::from_secs(60)), "2 minutes");
        assert_eq!(left(10, 0, Duration::from_secs(60)), "0 seconds");
    }
}
