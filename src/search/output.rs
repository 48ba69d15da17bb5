//! Searches whose output may fail.

use super::{Report, StopToken};

/// Runs a search whose reports are written somewhere. An error of writing cannot leave the search: it sets the token that stops
/// it, nothing more is written, and the error is returned beside what the search has found.
pub fn with_output<T, E>(
    stop: &StopToken,
    mut write: impl FnMut(&Report) -> Result<(), E>,
    search: impl FnOnce(&mut dyn FnMut(&Report)) -> T,
) -> (T, Result<(), E>) {
    let mut written = Ok(());
    let found = search(&mut |report| {
        if written.is_ok() {
            written = write(report);
            if written.is_err() {
                stop.stop();
            }
        }
    });
    (found, written)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Move;
    use crate::search::{Bound, Line};

    #[test]
    fn output_that_fails_stops_the_search() {
        let line = Line { mv: Move::Pass, score: 0, pv: Vec::new(), bound: Bound::Exact };
        let report = Report::of_book(line, 20);
        let (stop, mut written) = (StopToken::new(), 0);
        let write = |_: &Report| {
            written += 1;
            if written == 2 { Err("no room") } else { Ok(()) }
        };
        let iterations = |hear: &mut dyn FnMut(&Report)| (0..4).map(|_| hear(&report)).count();
        assert_eq!(with_output(&stop, write, iterations), (4, Err("no room")));
        assert!(written == 2 && stop.is_stopped());
    }
}
