//! The best moves of a position, judged together.

use super::symmetry::MoveClasses;
use crate::engine::Engine;
use crate::rules::{Move, Position};
use crate::search::{Limits, Report, SearchError, StopToken, Time};

/// Searches a position as [`Engine::search`] does, with two things more for several lines: moves that are images of each other
/// in a symmetric position get the same score, searched once, and they all count as lines.
///
/// # Errors
/// Those of the search.
pub fn best_moves(
    engine: &mut Engine,
    position: &Position,
    limits: &Limits,
    stop: &StopToken,
    on_report: &mut dyn FnMut(&Report),
) -> Result<Report, SearchError> {
    limits.check(position)?;
    if limits.time != Time::Unlimited {
        // nobody waits for this as for a player: all of the time is for the search
        engine.prepare(position);
    }
    // each once, whatever the list says
    let mut considered = position.legal_moves();
    considered.retain(|mv| limits.moves.as_ref().is_none_or(|moves| moves.contains(mv)));
    let classes = MoveClasses::new(position, &considered);
    if !classes.has_images() {
        return engine.search(position, limits, stop, on_report);
    }
    let firsts = Limits {
        moves: Some(classes.firsts()),
        include: limits.include.iter().map(|&mv| classes.first_of(mv)).collect(),
        ..limits.clone()
    };
    let with_images = |report: &Report| {
        let lines = report.lines.iter().flat_map(|line| classes.images(line)).enumerate();
        let is_wanted = |rank: usize, mv: Move| rank < limits.multi_pv || limits.include.contains(&mv);
        let lines = lines.filter(|(rank, line)| is_wanted(*rank, line.mv)).map(|(_, line)| line).collect();
        Report { lines, ..report.clone() }
    };
    let report = engine.search(position, &firsts, stop, &mut |report| on_report(&with_images(report)))?;
    Ok(with_images(&report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;
    use crate::search::{Goal, Selectivity, Time};

    fn search_from(position: &Position, limits: &Limits) -> Report {
        let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
        best_moves(&mut engine, position, limits, &StopToken::new(), &mut |_| {}).unwrap()
    }

    fn search(limits: &Limits) -> Report {
        search_from(&Position::default(), limits)
    }

    /// The search of boards that are no bitboards does not look for images itself.
    #[test]
    fn images_on_large_boards_are_searched_once() {
        let start = Position::start(std::sync::Arc::new("othello:10x10".parse().unwrap()));
        let limits = Limits { multi_pv: 4, ..Limits::new(Goal::Depth(4, Selectivity::NONE)) };
        let report = search_from(&start, &limits);
        assert_eq!(report.lines.len(), 4);
        assert!(
            report.lines.iter().all(|line| line.score == report.score && line.pv.len() == report.lines[0].pv.len())
        );
        assert_eq!(report.nodes, search_from(&start, &Limits { multi_pv: 1, ..limits }).nodes);
    }

    #[test]
    fn images_share_a_score_and_are_lines() {
        let limits = Limits { multi_pv: 3, ..Limits::new(Goal::Depth(6, Selectivity::MOST)) };
        let report = search(&limits);
        assert_eq!(report.lines.len(), 3);
        assert!(report.lines.iter().all(|line| line.score == report.score && line.pv[0] == line.mv), "{report:?}");
        // searched once
        assert_eq!(report.nodes, search(&Limits { multi_pv: 1, ..limits.clone() }).nodes);
        let e6 = Position::default().legal_moves()[3];
        let report = search(&Limits { multi_pv: 1, include: vec![e6], ..limits.clone() });
        assert_eq!(report.lines.iter().map(|line| line.mv.to_string()).collect::<Vec<_>>(), ["d3", "e6"]);
        let report = search(&Limits { moves: Some(vec![e6]), ..limits.clone() });
        assert_eq!(report.lines.iter().map(|line| line.mv).collect::<Vec<_>>(), [e6]);
        let d3 = Position::default().legal_moves()[0];
        let twice = search(&Limits { moves: Some(vec![e6, d3, e6]), ..limits.clone() });
        assert_eq!(twice.lines.iter().map(|line| line.mv).collect::<Vec<_>>(), [d3, e6]);
        // one move that is asked about is not a forced one, on which no time would be spent
        let time = Time::PerMove(std::time::Duration::from_secs(60));
        let report = search(&Limits { moves: Some(vec![e6]), time, ..limits.clone() });
        assert_eq!((report.depth, report.stopped), (6, false));
        let report = search(&Limits { time, ..limits });
        assert_eq!((report.depth, report.lines.len()), (6, 3), "the four first moves are one, searched as deep");
    }
}
