//! Problems from games: positions near the end in which one move matters.

use std::ops::RangeInclusive;

use hashbrown::HashSet;

use crate::analysis::best_moves::best_moves;
use crate::analysis::symmetry::canonical;
use crate::analysis::verdict::scores_of;
use crate::engine::Engine;
use crate::formats::obf::Problem;
use crate::game::Game;
use crate::rules::{Move, Position};
use crate::search::{Goal, Limits, Report, SearchError, StopToken};

/// Which positions make a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Exactly one move wins.
    OneWinningMove,
    /// The best move is at least so many discs better than any other.
    Swing(u32),
}

/// Finds problems in games; each position only once, in whichever orientation. What is kept between games are the
/// positions searched.
#[derive(Debug)]
pub struct Problems {
    wanted: Wanted,
    empties: RangeInclusive<u32>,
    /// Only where the player missed the move.
    missed: bool,
    seen: HashSet<Position>,
    searched: u64,
}

impl Problems {
    /// Problems with so many empty squares; `missed` asks for those whose solution was not played.
    pub fn new(wanted: Wanted, empties: RangeInclusive<u32>, missed: bool) -> Problems {
        Problems { wanted, empties, missed, seen: HashSet::new(), searched: 0 }
    }

    /// Positions searched so far.
    pub fn searched(&self) -> u64 {
        self.searched
    }

    /// The problems of a game, with the exact scores of all moves, the first of the game first. Ends early when the token is
    /// set.
    ///
    /// # Errors
    /// When the engine cannot search (see [`SearchError`]).
    pub fn of(&mut self, engine: &mut Engine, game: &Game, stop: &StopToken) -> Result<Vec<Problem>, SearchError> {
        let mut problems = Vec::new();
        // from the end: what the engine remembers then helps
        for (position, played) in game.positions().iter().zip(game.moves()).rev() {
            if stop.is_stopped() {
                break;
            }
            if !self.empties.contains(&position.empty_count()) || *played == Move::Pass {
                continue;
            }
            let seen = canonical(position);
            if self.seen.contains(&seen) {
                continue;
            }
            self.searched += 1;
            let best = self.wanted_move(engine, position, stop)?;
            // another game may miss what this one found
            if self.missed && best == Some(*played) {
                continue;
            }
            self.seen.insert(seen);
            if best.is_some() {
                problems.extend(problem(engine, position, stop)?);
            }
        }
        problems.reverse();
        Ok(problems)
    }

    /// The best move of a position that is wanted; none of others, or when the token was set.
    fn wanted_move(
        &self,
        engine: &mut Engine,
        position: &Position,
        stop: &StopToken,
    ) -> Result<Option<Move>, SearchError> {
        if position.legal_moves().len() < 2 {
            return Ok(None);
        }
        let report = exactly(engine, position, 2, stop)?;
        Ok((!report.stopped && self.is_wanted(position, &report)).then(|| report.lines[0].mv))
    }

    fn is_wanted(&self, position: &Position, report: &Report) -> bool {
        let [best, second] = &report.lines[..] else { return false };
        match self.wanted {
            Wanted::OneWinningMove => position.outcome_of(best.score) > 0 && position.outcome_of(second.score) <= 0,
            Wanted::Swing(discs) => best.score.abs_diff(second.score) >= discs,
        }
    }
}

/// The position with the exact scores of all moves; none when the token was set.
fn problem(engine: &mut Engine, position: &Position, stop: &StopToken) -> Result<Option<Problem>, SearchError> {
    let all = exactly(engine, position, usize::MAX, stop)?;
    Ok((!all.stopped).then(|| Problem { scores: scores_of(&all.lines), ..Problem::new(position.clone()) }))
}

fn exactly(engine: &mut Engine, position: &Position, multi_pv: usize, stop: &StopToken) -> Result<Report, SearchError> {
    best_moves(engine, position, &Limits { multi_pv, ..Limits::new(Goal::Exact) }, stop, &mut |_| {})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::symmetry::image;
    use crate::engine::Options;
    use crate::formats::transcript;
    use crate::rules::Color;

    /// A whole game of arbitrary moves.
    fn game(start: &Position, seed: usize) -> Game {
        let mut game = Game::from_position(start.clone());
        let mut choice = seed;
        while !game.position().is_game_over() {
            let moves = game.position().legal_moves();
            choice = (choice * 31 + 11) % 1009;
            game.play(moves[choice % moves.len()]).unwrap();
        }
        game
    }

    #[test]
    fn problems_are_what_was_asked_for() {
        let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        let stop = StopToken::new();
        let mut counts = [0, 0, 0];
        for seed in 0..12 {
            let kinds = [(Wanted::OneWinningMove, false), (Wanted::Swing(10), false), (Wanted::Swing(10), true)];
            for (i, (wanted, missed)) in kinds.into_iter().enumerate() {
                let mut problems = Problems::new(wanted, 4..=8, missed);
                let game = game(&Position::default(), seed);
                let found = problems.of(&mut engine, &game, &stop).unwrap();
                counts[i] += found.len();
                assert!(
                    problems.searched() >= problems.seen.len() as u64
                        && (missed || problems.searched() == problems.seen.len() as u64)
                );
                for problem in &found {
                    let moves = problem.position.legal_moves();
                    assert_eq!(problem.scores.len(), moves.len());
                    assert!((4..=8).contains(&problem.position.empty_count()));
                    let mut scores: Vec<i32> = problem.scores.iter().map(|entry| entry.score).collect();
                    scores.sort();
                    let [.., second, best] = scores[..] else { panic!("two moves at least") };
                    match wanted {
                        Wanted::OneWinningMove => assert!(best > 0 && second <= 0),
                        Wanted::Swing(discs) => assert!(best - second >= discs as i32),
                    }
                }
                assert!(problems.of(&mut engine, &game, &stop).unwrap().is_empty(), "each only once");
            }
        }
        assert!(counts.iter().all(|count| *count > 0) && counts[2] < counts[1], "{counts:?}");
    }

    /// Whoever finds the move does not keep the position from those who missed it.
    #[test]
    fn moves_that_another_game_found_can_be_missed() {
        let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        let stop = StopToken::new();
        let missing = game(&Position::default(), 3);
        let mut alone = Problems::new(Wanted::Swing(10), 4..=8, true);
        let expected = alone.of(&mut engine, &missing, &stop).unwrap();
        let [first, ..] = &expected[..] else { panic!("somebody missed something") };
        let ply = missing.positions().iter().position(|position| *position == first.position).unwrap();
        let mut finding = Game::from_position(Position::default());
        missing.moves()[..ply].iter().for_each(|mv| finding.play(*mv).unwrap());
        let best = first.scores.iter().max_by_key(|entry| entry.score).unwrap();
        finding.play(best.mv).unwrap();
        let mut both = Problems::new(Wanted::Swing(10), 4..=8, true);
        assert!(both.of(&mut engine, &finding, &stop).unwrap().iter().all(|found| found.position != first.position));
        let found = both.of(&mut engine, &missing, &stop).unwrap();
        assert!(found.iter().any(|found| found.position == first.position));
        assert!(both.of(&mut engine, &missing, &stop).unwrap().is_empty(), "each only once");
    }

    /// On other boards, too, and a position by other rules is another one.
    #[test]
    fn positions_are_taken_once_by_each_rules() {
        let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        let mut problems = Problems::new(Wanted::Swing(1), 4..=8, false);
        for rules in ["othello", "othello:fewest", "othello:6x6", "traveller"] {
            let game = game(&Position::start(std::sync::Arc::new(rules.parse().unwrap())), 3);
            let mut find = |game: &Game| {
                let before = problems.searched();
                problems.of(&mut engine, game, &StopToken::new()).unwrap();
                problems.searched() - before
            };
            assert!(find(&game) > 0, "{rules}");
            assert_eq!(find(&game), 0, "{rules}: the same game");
            if let Some(image) = image(&game, 3) {
                assert_eq!(find(&image), 0, "{rules}: the game turned");
            }
        }
    }

    #[test]
    fn who_wins_an_equal_end_is_a_matter_of_the_rules() {
        let rules: crate::rules::RuleSet = "ravensburger".parse().unwrap();
        let start = Position::start(rules.into());
        let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        let mut problems = Problems::new(Wanted::OneWinningMove, 3..=7, false);
        let mut equal_wins = [0, 0];
        for seed in 0..60 {
            for problem in problems.of(&mut engine, &game(&start, seed), &StopToken::new()).unwrap() {
                let (side, scores) = (problem.position.side_to_move(), problem.scores.iter().map(|entry| entry.score));
                // with equal counts the second player wins
                let wins = |score: &i32| if side == Color::White { *score >= 0 } else { *score > 0 };
                assert_eq!(scores.clone().filter(wins).count(), 1, "{side:?}: {:?}", scores.collect::<Vec<_>>());
                equal_wins[side.index()] += usize::from(scores.max() == Some(0));
            }
        }
        assert!(equal_wins[0] == 0 && equal_wins[1] > 0, "{equal_wins:?}");
    }

    #[test]
    fn a_stop_ends_it() {
        let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        let stop = StopToken::new();
        stop.stop();
        let game = transcript::parse(&Position::default(), "f5d6c3").unwrap();
        let mut problems = Problems::new(Wanted::Swing(0), 0..=60, false);
        assert!(problems.of(&mut engine, &game, &stop).unwrap().is_empty());
    }
}
