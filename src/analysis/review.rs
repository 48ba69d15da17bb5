//! A game judged after the fact: what each move cost.

use crate::engine::Engine;
use crate::game::Game;
use crate::rules::{Color, Move, Position};
use crate::search::{Limits, Line, Report, SearchError, StopToken};

/// One move of a game, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Number of the move in the game, from 1, passes counted.
    pub ply: usize,
    /// Who moved.
    pub side: Color,
    /// What was played.
    pub played: Line,
    /// Other moves that are at least as good as the one played, or the next best ones; best first.
    pub alternatives: Vec<Line>,
    /// How the position before the move was searched.
    pub report: Report,
}

impl Judged {
    /// Score of the best move, for the side that moved.
    pub fn best_score(&self) -> i32 {
        self.alternatives.first().map_or(self.played.score, |best| best.score.max(self.played.score))
    }

    /// Discs lost by the move.
    pub fn loss(&self) -> u32 {
        self.best_score().abs_diff(self.played.score)
    }

    /// There was nothing to choose.
    pub fn is_forced(&self) -> bool {
        self.alternatives.is_empty()
    }
}

/// A game judged.
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// The judged moves in the order of the game; passes are left out.
    pub moves: Vec<Judged>,
}

impl Review {
    /// The sums of one side.
    pub fn summary(&self, side: Color) -> SideSummary {
        SideSummary::of(&self.moves, side)
    }
}

/// Judges the moves of a game from the last to the first, so that what the engine remembers of later positions helps
/// with the earlier ones. `alternatives` is how many other moves are wanted. `on_judged` hears of each move as it is judged.
///
/// Stops early, before the move being judged, when the token is set.
///
/// # Errors
/// When the engine cannot search (see [`SearchError`]).
pub fn review(
    engine: &mut Engine,
    game: &Game,
    limits: &Limits,
    alternatives: usize,
    stop: &StopToken,
    on_judged: &mut dyn FnMut(&Judged),
) -> Result<Review, SearchError> {
    let mut review = Review::default();
    for (i, &mv) in game.moves().iter().enumerate().rev() {
        if mv == Move::Pass {
            continue;
        }
        let Some(mut judged) = judge(engine, &game.positions()[i], mv, limits, alternatives, stop)? else { break };
        judged.ply = i + 1;
        on_judged(&judged);
        review.moves.push(judged);
    }
    review.moves.reverse();
    Ok(review)
}

/// Judges one move; `None` when stopped.
fn judge(
    engine: &mut Engine,
    position: &Position,
    mv: Move,
    limits: &Limits,
    alternatives: usize,
    stop: &StopToken,
) -> Result<Option<Judged>, SearchError> {
    let limits = Limits { multi_pv: alternatives.saturating_add(1), ..limits.clone() };
    let mut report = engine.search(position, &limits, stop, &mut |_| {})?;
    let played = match report.lines.iter().position(|line| line.mv == mv) {
        Some(at) => report.lines.remove(at),
        None => {
            // the same search of this move alone
            let limits = Limits { multi_pv: 1, moves: Some(vec![mv]), ..limits };
            let alone = engine.search(position, &limits, stop, &mut |_| {})?;
            report.nodes += alone.nodes;
            report.elapsed += alone.elapsed;
            match alone.lines.into_iter().next() {
                Some(line) => line,
                None => return Ok(None),
            }
        }
    };
    if stop.is_stopped() {
        return Ok(None);
    }
    let mut others = std::mem::take(&mut report.lines);
    others.truncate(alternatives);
    Ok(Some(Judged { ply: 0, side: position.side_to_move(), played, alternatives: others, report }))
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
    use crate::engine::Options;
    use crate::formats::transcript;
    use crate::search::Goal;

    /// How many plies before the end the test goes back.
    const PLIES: usize = 9;

    /// A whole game, from the last ply backwards, against a plain search of every final position.
    #[test]
    fn the_last_moves_of_a_game_are_judged_exactly() {
        let mut game = Game::default();
        let mut choice = 7;
        while !game.position().is_game_over() {
            let moves = game.position().legal_moves();
            choice = (choice * 31 + 11) % 1009;
            game.play(moves[choice % moves.len()]).unwrap();
        }
        let limits = Limits::new(Goal::Exact);
        let mut heard = Vec::new();
        let stop = StopToken::new();
        let mut engine = Engine::new(Options::default());
        // only the last plies: plain minimax must follow
        let first = game.moves().len() - PLIES;
        let mut late = Game::from_position(game.positions()[first].clone());
        game.moves()[first..].iter().for_each(|&mv| late.play(mv).unwrap());
        let review = review(&mut engine, &late, &limits, 2, &stop, &mut |one| heard.push(one.ply)).unwrap();
        assert!(review.moves.iter().all(|one| late.moves()[one.ply - 1] == one.played.mv));
        assert_eq!(review.moves.iter().rev().map(|one| one.ply).collect::<Vec<_>>(), heard);
        assert!(heard.len() > PLIES - 2 && heard.is_sorted_by(|a, b| a > b));
        for one in &review.moves {
            let before = &late.positions()[one.ply - 1];
            assert_eq!(one.best_score(), plain(before), "ply {} of {}", one.ply, transcript::write(&late));
            let after = before.play(one.played.mv).unwrap();
            let sign = if after.side_to_move() == one.side { 1 } else { -1 };
            assert_eq!(one.played.score, sign * plain(&after));
        }
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
}
