//! The other moves that are worth as much as the best one.

use crate::engine::Engine;
use crate::rules::{Move, Position};
use crate::search::{Bound, Goal, Limits, Line, Report, SearchError, StopToken, Time};

/// Adds a line to an exact report of one line for every other move with the same score, of those that the limits name if they name
/// any; nodes and time are added up.
///
/// All other moves together are asked whether one of them reaches the score, while the table still knows what the solve
/// found, and the rest of them again as long as one does: narrow windows, so that moves which are worth less need no value.
/// Each that does is searched once more for its line of best play.
/// Limits of nodes, and of time a move, are for the solve and for this together.
/// A stopped report stays as it is, or gets a part of the moves and says that it was stopped.
///
/// # Errors
/// When a search cannot begin.
pub fn add_equal_moves(
    engine: &mut Engine,
    position: &Position,
    limits: &Limits,
    stop: &StopToken,
    mut report: Report,
) -> Result<Report, SearchError> {
    let best = report.score;
    let lowest = if limits.goal == Goal::WinDrawLoss { -1 } else { -(position.rules().squares() as i32) };
    // nothing is below the lowest score: there the window stays open
    // (nothing is above the best one either; the general search knows best play of both sides for a value inside its window only)
    let above = if position.fast_board().is_some() { best } else { best + 1 };
    let window = if best > lowest { (best - 1, above) } else { limits.window };
    let mut others = position.legal_moves();
    others.retain(|mv| limits.moves.as_ref().is_none_or(|moves| moves.contains(mv)));
    let mut ask = |report: &mut Report, window: (i32, i32), moves: Vec<Move>| -> Result<Option<Line>, SearchError> {
        let nodes = limits.nodes.map(|nodes| nodes.saturating_sub(report.nodes));
        let time = match limits.time {
            Time::PerMove(time) => Time::PerMove(time.saturating_sub(report.elapsed)),
            other => other,
        };
        let limits = Limits { window, moves: Some(moves), nodes, time, ..limits.clone() };
        let found = engine.search(position, &limits, stop, &mut |_| {})?;
        report.nodes += found.nodes;
        report.elapsed += found.elapsed;
        report.stopped = found.stopped;
        Ok(found.lines.into_iter().next().filter(|_| !found.stopped))
    };
    while !report.stopped {
        others.retain(|mv| report.lines.iter().all(|line| line.mv != *mv));
        if others.is_empty() {
            break;
        }
        // no move is worth more than the best one, so that a bound from below is the value
        let Some(mut line) = ask(&mut report, window, others.clone())?.filter(|line| line.score >= best) else { break };
        if line.bound != Bound::Exact {
            // the replies of a line that only shows a bound need not be the best ones
            let Some(again) = ask(&mut report, (best - 1, best + 1), vec![line.mv])? else { break };
            line = again;
        }
        report.lines.push(Line { score: best, bound: Bound::Exact, ..line });
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::time::Duration;

    use crate::board::Board;
    use crate::engine::Options;
    use crate::rules::Color;
    use crate::search::{Goal, Selectivity};
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    /// A position of a random game with at most this many empty squares.
    fn random_position(rng: &mut StdRng, rules: &str, empties: u32) -> Position {
        let rules = Arc::new(rules.parse().expect("rules"));
        let mut position = Position::start(rules);
        while !position.is_game_over() && position.empty_count() > empties {
            let moves = position.legal_moves();
            position = position.play(moves[rng.random_range(0..moves.len())]).expect("a legal move");
        }
        position
    }

    fn solve(engine: &mut Engine, position: &Position, limits: &Limits) -> Report {
        engine.search(position, limits, &StopToken::new(), &mut |_| {}).unwrap()
    }

    fn with_equal_moves(position: &Position, limits: &Limits) -> Report {
        let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
        let report = solve(&mut engine, position, limits);
        add_equal_moves(&mut engine, position, limits, &StopToken::new(), report).unwrap()
    }

    /// The moves of the best score, sorted.
    fn best_moves(report: &Report) -> Vec<String> {
        let mut moves: Vec<String> =
            report.lines.iter().filter(|line| line.score == report.score).map(|line| line.mv.to_string()).collect();
        moves.sort();
        moves
    }

    #[test]
    fn equals_the_scores_of_all_moves() {
        let mut rng = StdRng::seed_from_u64(4);
        let exact = Limits::new(Goal::Exact);
        for (rules, count) in [
            ("othello", 200),
            ("othello:6x6", 60),
            ("othello:8x10", 20),
            ("othello:6x6,one", 20),
            ("othello:fewest", 50),
        ] {
            let mut several = 0;
            for i in 0..count {
                let position = random_position(&mut rng, rules, 4 + i % 9);
                let limits = Limits { discs_only: i % 5 == 0, ..exact.clone() };
                let found = with_equal_moves(&position, &limits);
                let all = Limits { multi_pv: usize::MAX, ..limits.clone() };
                let all = solve(&mut Engine::new(Options { hash_mib: 1, threads: 1 }), &position, &all);
                assert_eq!(found.score, all.score, "{rules} {i}");
                assert_eq!(best_moves(&found), best_moves(&all), "{rules} {i}");
                assert_eq!(found.lines.len(), best_moves(&found).len(), "{rules} {i}");
                assert!(found.lines.iter().all(|line| line.pv[0] == line.mv && line.bound == Bound::Exact));
                for line in &found.lines {
                    let end = line.pv.iter().fold(position.clone(), |position, mv| position.play(*mv).unwrap());
                    let score = end.final_score(limits.discs_only);
                    let score = if position.side_to_move() == Color::Black { score } else { -score };
                    assert_eq!((end.is_game_over(), score), (true, line.score), "{rules} {i}: {line:?}");
                }
                several += u32::from(found.lines.len() > 1);
            }
            assert!(several > count / 10, "{rules}: {several} positions with several best moves");
        }
    }

    #[test]
    fn other_moves_than_those_asked_for_are_left_out() {
        let mut rng = StdRng::seed_from_u64(8);
        let mut left_out = 0;
        for _ in 0..40 {
            let position = random_position(&mut rng, "othello", 6);
            let all = best_moves(&with_equal_moves(&position, &Limits::new(Goal::Exact)));
            let Some(first) = position.legal_moves().into_iter().find(|mv| all.contains(&mv.to_string())) else {
                continue;
            };
            let limits = Limits { moves: Some(vec![first]), ..Limits::new(Goal::Exact) };
            assert_eq!(best_moves(&with_equal_moves(&position, &limits)), [first.to_string()]);
            left_out += all.len() - 1;
        }
        assert!(left_out > 0);
    }

    /// With so many empty squares the first moves of a line are the table's; where it only knew a bound they gave discs away.
    #[test]
    fn lines_keep_the_score_from_their_first_moves_on() {
        for (board, others) in [
            ("XOOOO-X-XXOOOOOOXXXOXXXXXXOXXXXXXOXXXXXXO---XXX-----XX-X----X--- X", 1),
            ("-XXXXX--XXXXXXXOXXXXX-O-XX-XXOX-XXXXOXX--X-OOXX---OOOO-----OO-O- X", 1),
        ] {
            let position = crate::formats::board_text::parse(board, &Arc::new("othello".parse().unwrap())).unwrap();
            let found = with_equal_moves(&position, &Limits::new(Goal::Exact));
            assert_eq!(found.lines.len(), 1 + others, "{board}");
            for line in &found.lines {
                let end = line.pv.iter().fold(position.clone(), |position, mv| position.play(*mv).unwrap());
                assert_eq!((end.is_game_over(), end.final_score(false)), (true, found.score), "{board}: {line:?}");
            }
        }
    }

    #[test]
    fn when_all_is_lost_all_moves_are_best() {
        let mut rng = StdRng::seed_from_u64(5);
        let mut lost = 0;
        // a few black discs among white ones, and up to six empty squares
        for _ in 0..4000 {
            let mut squares = || (0..6).fold(0u64, |set, _| set | 1 << rng.random_range(0..64));
            let (empty, player) = (squares(), squares());
            let board = Board { player: player & !empty, opponent: !player & !empty };
            let position = Position::from_board(board, Color::Black);
            if board.legal_moves().count_ones() < 2 {
                continue;
            }
            let report = with_equal_moves(&position, &Limits::new(Goal::Exact));
            if report.score == -64 {
                lost += 1;
                assert_eq!(report.lines.len(), position.legal_moves().len());
            }
        }
        assert!(lost > 0, "no position with a choice is lost by 64");
    }

    /// What a solve has left of its nodes or its time is what the other moves have.
    #[test]
    fn limits_are_those_of_the_whole_question() {
        let mut rng = StdRng::seed_from_u64(6);
        let mut cut_short = 0;
        for _ in 0..30 {
            let position = random_position(&mut rng, "othello", 13);
            let limits = Limits::new(Goal::Exact);
            let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
            let report = solve(&mut engine, &position, &limits);
            let nodes = report.nodes + 300;
            let limits = Limits { nodes: Some(nodes), ..limits };
            let found = add_equal_moves(&mut engine, &position, &limits, &StopToken::new(), report).unwrap();
            assert!(found.nodes <= nodes + nodes / 100 + 500, "{} of {nodes} nodes", found.nodes);
            assert!(found.stopped || found.nodes <= nodes, "{found:?}");
            cut_short += u32::from(found.stopped);
        }
        assert!(cut_short > 5, "{cut_short}");
        // all of the time has been taken by what stands for a solve of the whole game
        let half_a_minute = Duration::from_secs(30);
        let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
        let glance = solve(&mut engine, &Position::default(), &Limits::new(Goal::Depth(2, Selectivity::NONE)));
        let report = Report { elapsed: half_a_minute, ..glance };
        let limits = Limits { time: Time::PerMove(half_a_minute), ..Limits::new(Goal::Exact) };
        let found = add_equal_moves(&mut engine, &Position::default(), &limits, &StopToken::new(), report).unwrap();
        assert!(found.stopped && found.elapsed < half_a_minute * 3 / 2, "{found:?}");
    }

    /// Equal counts are a win of the second player, which no count of discs is.
    #[test]
    fn outcomes_are_compared_by_who_wins_with_equal_counts() {
        let mut rng = StdRng::seed_from_u64(7);
        let mut several = 0;
        for i in 0..300 {
            let position = random_position(&mut rng, "othello:4x6,second-wins", 2 + i % 6);
            let limits = Limits::new(Goal::WinDrawLoss);
            let all = Limits { multi_pv: usize::MAX, ..limits.clone() };
            let all = solve(&mut Engine::new(Options { hash_mib: 1, threads: 1 }), &position, &all);
            let found = with_equal_moves(&position, &limits);
            assert_eq!((found.score, best_moves(&found)), (all.score, best_moves(&all)), "{position}");
            several += u32::from(found.lines.len() > 1);
        }
        assert!(several > 100, "{several}");
    }

    #[test]
    fn a_stopped_report_stays_as_it_is() {
        let limits = Limits { nodes: Some(1000), ..Limits::new(Goal::Exact) };
        let report = with_equal_moves(&Position::default(), &limits);
        assert!(report.stopped && report.lines.len() == 1);
    }
}
