//! A line on stderr that shows what is going on, at a terminal only.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
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

    /// Shows the state of a search, which a key may stop, with its best line: last, since it is what a narrow screen may cut.
    pub fn line(&self, report: &Report, key_stops: bool) {
        let (depth, nodes) = (report.depth_text(), text::count_text(report.nodes));
        let pv = report.best().map_or(&[][..], |line| &line.pv);
        let pv: Vec<String> = pv.iter().map(ToString::to_string).collect();
        let score = text::score_text(report.score);
        let how = if key_stops { " (a key stops)" } else { "" };
        self.0.set_message(format!("depth {depth} {score}  {nodes} nodes{how}  {}", pv.join(" ")));
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
        let style = estimating("{spinner} {elapsed_precise}  {pos} of {len}, {left} left  {msg}", self.1.clone());
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

/// What this run has done of the pieces that a bar counts.
#[derive(Default)]
struct Done {
    /// The pieces that are there when the bar is first drawn, and when that is.
    first: OnceLock<(u64, Instant)>,
    /// The pieces that an earlier run has done.
    before: Arc<AtomicU64>,
}

impl Done {
    /// The pieces and the time that they took, where the bar stands here.
    fn at(&self, position: u64) -> (u64, Duration) {
        let (first, begun) = self.first.get_or_init(|| (position, Instant::now()));
        (position.saturating_sub((*first).max(self.before.load(Ordering::Relaxed))), begun.elapsed())
    }
}

/// The style of a bar whose template may have `{rate}`, pieces a second, and `{left}`, the time for the rest, by what this run has done:
/// indicatif's own count what is there already, and begin with no time left.
pub fn estimating(template: &str, before: Arc<AtomicU64>) -> ProgressStyle {
    let of_rate = Arc::new(Done { before, ..Done::default() });
    let of_left = Arc::clone(&of_rate);
    ProgressStyle::with_template(template)
        .expect("the template is valid")
        .with_key("rate", move |state: &ProgressState, text: &mut dyn fmt::Write| {
            let (done, elapsed) = of_rate.at(state.pos());
            let _ = write!(text, "{}", rate(done, elapsed));
        })
        .with_key("left", move |state: &ProgressState, text: &mut dyn fmt::Write| {
            let (done, elapsed) = of_left.at(state.pos());
            let rest = state.len().unwrap_or_default().saturating_sub(state.pos());
            let _ = write!(text, "{}", left(done, rest, elapsed));
        })
}

/// So many pieces in this time: `12.5`, or `?`.
fn rate(done: u64, elapsed: Duration) -> String {
    if done == 0 { "?".to_string() } else { format!("{:.1}", done as f64 / elapsed.as_secs_f64().max(1e-3)) }
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
        assert_eq!((rate(0, Duration::from_secs(3)), rate(5, Duration::from_secs(2))), ("?".into(), "2.5".into()));
    }

    #[test]
    fn estimates_are_of_what_this_run_has_done() {
        let done = Done::default();
        assert_eq!([900, 900, 903].map(|position| done.at(position).0), [0, 0, 3]);
        done.before.store(901, Ordering::Relaxed);
        assert_eq!(done.at(903).0, 2);
    }
}
