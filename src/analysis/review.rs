//! A game judged after the fact: what each move cost.

use super::best_moves::best_moves;
use crate::engine::Engine;
use crate::game::Game;
use crate::rules::{Color, Move, Position};
use crate::search::{Goal, Limits, Line, Report, SearchError, Selectivity, StopToken};

/// One move of a game, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Number of the move in the game, from 1, passes counted.
    pub ply: usize,
    /// Who moved.
    pub side: Color,
    /// What was played.
    pub played: Line,
    /// Score of the best move, for the side that moved.
    pub best: i32,
    /// Number of legal moves.
    pub choices: usize,
    /// The best other moves, best first.
    pub alternatives: Vec<Line>,
    /// How the position before the move was searched. It has no lines of its own: they are `played` and `alternatives`.
    pub report: Report,
}

impl Judged {
    /// Takes the move played out of the lines of the search.
    fn new(ply: usize, position: &Position, mv: Move, mut report: Report, alternatives: usize) -> Judged {
        let mut others = std::mem::take(&mut report.lines);
        let best = others[0].score;
        let at = others.iter().position(|line| line.mv == mv).expect("the move was to be included");
        let played = others.remove(at);
        others.truncate(alternatives);
        let choices = position.legal_moves().len();
        Judged { ply, side: position.side_to_move(), played, best, choices, alternatives: others, report }
    }

    /// Discs lost by the move.
    pub fn loss(&self) -> u32 {
        self.best.abs_diff(self.played.score)
    }

    /// There was nothing to choose.
    pub fn is_forced(&self) -> bool {
        self.choices == 1
    }
}

/// A game judged.
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// The judged moves in the order of the game; passes are left out.
    pub moves: Vec<Judged>,
    /// Moves of the game that could be judged, passes left out.
    pub total: usize,
}

impl Review {
    /// Every move of the game has been judged; if not, those missing are the first of the game.
    pub fn is_complete(&self) -> bool {
        self.moves.len() == self.total
    }

    /// The sums of one side over the judged moves.
    pub fn summary(&self, side: Color) -> SideSummary {
        SideSummary::of(&self.moves, side)
    }
}

/// Judges the moves of a game, from the last to the first. `alternatives` is how many other moves are wanted; `on_judged` hears
/// of each move as it is judged.
///
/// `limits` says how to search each position; its lines, moves and window are the review's own. All scores of a position come
/// from one search: the move played is searched in the same iterations as the best ones, images of a move in a symmetric
/// position share its score (see [`best_moves`]), and of a search cut short by a limit the last iteration counts that valued
/// them all. What the engine remembers of later positions helps with the earlier ones where it proves something; estimates
/// start without it, for it would favour the moves played: only what follows those has been looked at.
///
/// Stops early, before the move being judged, when the token is set.
///
/// # Errors
/// When the engine cannot search (see [`SearchError`]).
///
/// ```
/// use outflank::analysis::review::review;
/// use outflank::formats::transcript;
/// use outflank::{Color, Engine, Goal, Limits, Options, Position, Selectivity, StopToken};
///
/// let game = transcript::parse(&Position::default(), "f5d6c3d3c4f4c5b3c2")?;
/// let limits = Limits::new(Goal::Depth(4, Selectivity::NONE));
/// let mut engine = Engine::new(Options::default());
/// let review = review(&mut engine, &game, &limits, 1, &StopToken::new(), &mut |_| {})?;
/// for judged in review.moves.iter().filter(|judged| judged.loss() > 0) {
///     // scores are those of the side that moved
///     println!("{}. {} loses {} discs", judged.ply, judged.played.mv, judged.loss());
/// }
/// assert_eq!((review.moves.len(), review.summary(Color::White).choices), (9, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn review(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    alternatives: usize,
    stop: &StopToken,
    on_judged: &mut dyn FnMut(&Judged),
) -> Result<Review, SearchError> {
    let total = game.moves().iter().filter(|mv| **mv != Move::Pass).count();
    let mut review = Review { moves: Vec::with_capacity(total), total };
    // all moves are judged, each with its full value
    let whole = Limits::new(limits.goal);
    let Limits { moves, window, .. } = whole;
    let limits = Limits { multi_pv: alternatives.saturating_add(1), moves, window, ..limits.clone() };
    // the table holds nothing but proofs
    let mut proofs_only = false;
    for (i, &mv) in game.moves().iter().enumerate().rev().filter(|(_, mv)| **mv != Move::Pass) {
        if stop.is_stopped() {
            break;
        }
        let position = &game.positions()[i];
        if !(proofs_only && aims_at_proof(limits.goal, position)) {
            engine.clear();
            proofs_only = false;
        }
        let limits = Limits { include: vec![mv], ..limits.clone() };
        let mut report = best_moves(engine, position, &limits, stop, &mut |_| {})?;
        if proofs_only && !report.is_exact() && !stop.is_stopped() {
            engine.clear();
            report = best_moves(engine, position, &limits, stop, &mut |_| {})?;
        }
        proofs_only = report.is_exact();
        if report.stopped && stop.is_stopped() {
            break;
        }
        let judged = Judged::new(i + 1, position, mv, report, alternatives);
        on_judged(&judged);
        review.moves.push(judged);
    }
    review.moves.reverse();
    Ok(review)
}

/// A search with this goal may end with a proof.
pub(super) fn aims_at_proof(goal: Goal, position: &Position) -> bool {
    let empties = position.empty_count();
    let proves = |depth: u8, selectivity| u32::from(depth) >= empties && selectivity == Selectivity::NONE;
    match goal {
        Goal::Level(level) => {
            let stage = Engine::stage_of(position, level);
            proves(stage.depth, stage.selectivity)
        }
        Goal::Depth(depth, selectivity) => proves(depth, selectivity),
        Goal::Exact | Goal::WinDrawLoss | Goal::Unlimited => true,
    }
}

/// The sums of one side.
#[derive(Clone, Copy, Debug, Default)]
pub struct SideSummary {
    /// Moves judged that had an alternative.
    pub choices: u32,
    /// Moves that lost discs.
    pub errors: u32,
    /// Discs lost.
    pub discs: u32,
}

impl SideSummary {
    /// The sums of one side over these moves.
    pub fn of(judged: &[Judged], side: Color) -> SideSummary {
        let mut summary = SideSummary::default();
        for judged in judged.iter().filter(|judged| judged.side == side && !judged.is_forced()) {
            summary.choices += 1;
            summary.errors += u32::from(judged.loss() > 0);
            summary.discs += judged.loss();
        }
        summary
    }

    /// Discs lost a move, over the moves that had an alternative.
    pub fn mean_loss(&self) -> f64 {
        f64::from(self.discs) / f64::from(self.choices.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::engine::Options;
    use crate::formats::transcript;
    use crate::search::Level;

    /// The last plies of a game of arbitrary moves.
    fn ending(rules: &str, plies: usize) -> Game {
        let mut game = Game::new(Arc::new(rules.parse().unwrap()));
        let mut choice = 7;
        while !game.position().is_game_over() {
            let moves = game.position().legal_moves();
            choice = (choice * 31 + 11) % 1009;
            game.play(moves[choice % moves.len()]).unwrap();
        }
        let first = game.moves().len() - plies;
        let mut late = Game::from_position(game.positions()[first].clone());
        game.moves()[first..].iter().for_each(|&mv| late.play(mv).unwrap());
        late
    }

    /// From the last ply backwards, against plain minimax from every position; with both searches, and with the move played
    /// among the best ones or not.
    #[test]
    fn the_last_moves_of_a_game_are_judged_exactly() {
        let mut losses = 0;
        for (rules, plies) in [("othello", 9), ("othello:4x4,one", 7), ("othello:6x6,own", 8)] {
            let late = ending(rules, plies);
            for alternatives in [0, 2] {
                let (limits, stop) = (Limits::new(Goal::Exact), StopToken::new());
                let mut heard = Vec::new();
                let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
                let mut hear = |one: &Judged| heard.push(one.ply);
                let review = review(&mut engine, &late, &limits, alternatives, &stop, &mut hear).unwrap();
                assert!(review.moves.iter().all(|one| late.moves()[one.ply - 1] == one.played.mv));
                assert_eq!(review.moves.iter().rev().map(|one| one.ply).collect::<Vec<_>>(), heard);
                // every move is judged, the last one first, and passes are not
                let placements = late.moves().iter().filter(|mv| **mv != Move::Pass).count();
                assert!(heard.len() == placements && heard.is_sorted_by(|a, b| a > b), "{rules}");
                assert!(placements > plies / 2, "{rules}: the game has something to judge");
                for one in &review.moves {
                    let before = &late.positions()[one.ply - 1];
                    assert_eq!(one.best, plain(before), "{rules}: ply {} of {}", one.ply, transcript::write(&late));
                    let after = before.play(one.played.mv).unwrap();
                    let sign = if after.side_to_move() == one.side { 1 } else { -1 };
                    assert_eq!(one.played.score, sign * plain(&after), "{rules}: ply {}", one.ply);
                    losses += one.loss();
                }
            }
        }
        assert!(losses > 0, "some of the moves are errors");
    }

    /// Plain minimax to the end.
    fn plain(position: &Position) -> i32 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            let score = position.final_score(false);
            return if position.side_to_move() == Color::Black { score } else { -score };
        }
        moves.iter().map(|&mv| -plain(&position.play(mv).unwrap())).max().unwrap()
    }

    fn reviewed(moves: &str, limits: &Limits, alternatives: usize) -> Review {
        let game = transcript::parse(&Position::default(), moves).unwrap();
        let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        review(&mut engine, &game, limits, alternatives, &StopToken::new(), &mut |_| {}).unwrap()
    }

    const GAME: &str = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7";

    #[test]
    fn losses_are_means_of_choices() {
        let summary = SideSummary { choices: 4, errors: 2, discs: 6 };
        assert_eq!(summary.mean_loss(), 1.5);
        assert_eq!(SideSummary::default().mean_loss(), 0.0);
    }

    #[test]
    fn proofs_are_for_searches_to_the_end() {
        let late = ending("othello", 9);
        let position = &late.positions()[0];
        let empties = u8::try_from(position.empty_count()).unwrap();
        let level = |level| Goal::Level(Level::new(level).unwrap());
        for (goal, aims) in [
            (Goal::Exact, true),
            (Goal::WinDrawLoss, true),
            (Goal::Depth(empties, Selectivity::NONE), true),
            (Goal::Depth(empties - 1, Selectivity::NONE), false),
            (Goal::Depth(empties, Selectivity::MOST), false),
            (level(20), true),
            (level(1), false),
        ] {
            assert_eq!(aims_at_proof(goal, position), aims, "{goal:?}");
        }
    }

    /// All four first moves are the same move seen from four sides: none of them can be an error.
    #[test]
    fn no_first_move_is_an_error() {
        for (moves, goal) in [
            (GAME, Goal::Depth(8, Selectivity::MOST)),
            ("e6f4c3c4d3", Goal::Depth(5, Selectivity::NONE)),
            ("c4e3f4", Goal::Level(Level::new(7).unwrap())),
            ("d3", Goal::Depth(11, Selectivity::MOST)),
        ] {
            for alternatives in [1, 3, 7] {
                let review = reviewed(moves, &Limits::new(goal), alternatives);
                let first = &review.moves[0];
                assert_eq!(first.loss(), 0, "{moves}: {first:?}");
                assert_eq!(first.alternatives.len(), alternatives.min(3));
                assert!(first.alternatives.iter().all(|line| line.score == first.played.score), "{moves}: {first:?}");
            }
        }
    }

    /// The value of a move does not depend on its having been played, nor on what was played later.
    #[test]
    fn the_same_moves_have_the_same_scores_in_other_games() {
        let limits = Limits::new(Goal::Depth(6, Selectivity::MOST));
        let [long, short] = [GAME, &GAME[..8]].map(|moves| reviewed(moves, &limits, 2));
        for (long, short) in long.moves.iter().zip(&short.moves) {
            assert_eq!((&long.played, &long.alternatives), (&short.played, &short.alternatives));
        }
    }

    /// A move below the best ones gets its value at the same depth and confidence, and counts in the loss.
    #[test]
    fn poor_moves_are_valued_in_the_same_search() {
        let limits = Limits::new(Goal::Depth(4, Selectivity::NONE));
        for alternatives in [0, 1] {
            let review = reviewed("f5d6c3d3c4f4c5b3b2", &limits, alternatives);
            let poor = &review.moves[8];
            let full = Limits { multi_pv: usize::MAX, ..limits.clone() };
            let position = transcript::parse(&Position::default(), "f5d6c3d3c4f4c5b3").unwrap().position().clone();
            let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
            let all = engine.search(&position, &full, &StopToken::new(), &mut |_| {}).unwrap();
            let b2 = all.lines.iter().find(|line| line.mv == poor.played.mv).unwrap();
            assert_eq!(poor.played.score, b2.score);
            assert_eq!(poor.alternatives.len(), alternatives);
            assert!(poor.loss() > 0 && poor.best == all.score, "{poor:?}");
        }
    }

    #[test]
    fn limits_and_interrupts_leave_a_part_that_says_so() {
        let nodes = Limits { nodes: Some(20_000), ..Limits::new(Goal::Unlimited) };
        let review = reviewed(GAME, &nodes, 1);
        assert!(review.is_complete() && review.moves.iter().all(|one| one.report.stopped));
        let game = transcript::parse(&Position::default(), GAME).unwrap();
        let (mut engine, stop) = (Engine::new(Options { hash_mib: 4, threads: 1 }), StopToken::new());
        let limits = Limits::new(Goal::Depth(3, Selectivity::NONE));
        let part = super::review(&mut engine, &game, &limits, 1, &stop, &mut |one| {
            if one.ply == 12 {
                stop.stop();
            }
        });
        let part = part.unwrap();
        assert!(!part.is_complete());
        assert_eq!(part.moves.iter().map(|one| one.ply).collect::<Vec<_>>(), [12, 13, 14, 15, 16]);
        assert_eq!(part.total, 16);
    }
}
