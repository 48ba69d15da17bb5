//! What is played after a search: the best move, one of those nearly as good, or what a person would play.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use super::grade::Grade;
use crate::rules::{Move, Position};
use crate::search::{Limits, Line, Report, SearchError, Source};

/// A move and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move; [`Move::Pass`] when there is no other, also where the game is over (and nothing can be played).
    pub mv: Move,
    /// Where it comes from.
    pub source: Source,
    /// What is known about it; `None` for a forced pass, for which nothing is searched.
    pub report: Option<Report>,
}

/// Choosing among moves that are nearly as good as the best, so that games differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variety {
    /// Discs a move may be worse than the best one. The best eight moves at most are chosen among.
    pub discs: u32,
    /// Placements from the start of the game on in which it is done.
    pub plies: u32,
    /// The same seed makes the same choices.
    pub seed: u64,
}

impl Default for Variety {
    /// A disc in the first twelve plies.
    fn default() -> Variety {
        Variety { discs: 1, plies: 12, seed: 0 }
    }
}

/// How a player chooses among the moves of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub variety: Option<Variety>,
    pub grade: Option<Grade>,
}

/// The reply expected to a choice, and the position it is expected in.
pub(super) fn expected(position: &Position, choice: &Choice) -> Option<(Position, Move)> {
    let line = choice.report.as_ref()?.lines.iter().find(|line| line.mv == choice.mv)?;
    let reply = *line.pv.get(1)?;
    Some((position.play(choice.mv).ok()?, reply))
}

/// The move of a search: the best one, or with variety one of those nearly as good, or what a person would play, who may want a
/// second `look` unless the first one was cut short.
///
/// # Errors
/// That of the second look.
pub(super) fn choice_of(
    position: &Position,
    mut report: Report,
    manner: Manner,
    random: &mut StdRng,
    look: impl FnOnce(&Limits) -> Result<Report, SearchError>,
) -> Result<Choice, SearchError> {
    let moves = position.legal_moves();
    let source = if moves.len() == 1 { Source::OnlyMove } else { Source::Search };
    report.source = source;
    let best = report.score;
    let near =
        |line: &&Line| manner.variety.is_some_and(|variety| line.score >= best.saturating_sub_unsigned(variety.discs));
    let candidates: Vec<Move> = report.lines.iter().filter(near).map(|line| line.mv).collect();
    // a search stopped before its first iteration may have nothing to say
    let first = report.best().map(|line| line.mv).or(moves.first().copied()).unwrap_or(Move::Pass);
    let mv = match manner.grade {
        Some(grade) => {
            let second = grade.second_look(position).filter(|_| !report.stopped);
            let second = second.map(|limits| look(&limits)).transpose()?;
            grade.choose(position, &report, second.as_ref(), random)
        }
        None => candidates.choose(random).copied(),
    };
    let mv = mv.unwrap_or(first);
    Ok(Choice { mv, source, report: Some(report) })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use rand::SeedableRng;

    use super::*;
    use crate::engine::{Engine, Options};
    use crate::formats::board_text;
    use crate::rules::RuleSet;
    use crate::search::StopToken;

    /// A clock that has ended the first look has nothing left for another one.
    #[test]
    fn a_look_that_was_cut_short_is_the_last() {
        let text = "----OX-----O-OOO---OOOO---OOOXX-X--OXXXOOXOOOOXO--XXXO-O-XXXX-O- O";
        let position = board_text::parse(text, &Arc::new(RuleSet::othello())).unwrap();
        let grade: Grade = "club".parse().unwrap();
        let manner = Manner { variety: None, grade: Some(grade) };
        for is_stopped in [false, true] {
            let stop = StopToken::new();
            if is_stopped {
                stop.stop();
            }
            let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
            let report = engine.search(&position, &grade.limits(&position), &stop, &mut |_| {}).unwrap();
            let mut looks = 0;
            let again = report.clone();
            let choice = choice_of(&position, report, manner, &mut StdRng::seed_from_u64(0), |_| {
                looks += 1;
                Ok(again)
            });
            assert!(position.legal_moves().contains(&choice.unwrap().mv));
            assert_eq!(looks, u32::from(!is_stopped));
        }
    }
}
