//! How good a book's values are, measured by deeper searches of a sample.

use rand::rngs::StdRng;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};

use super::leaf::is_over;
use super::node::{promised, search_level};
use super::probe::{Kind, probe_board};
use super::store::Book;
use crate::board::Board;
use crate::engine::Engine;
use crate::rules::{Color, Move, Position};
use crate::search::{Goal, Limits, SearchError, StopToken};

/// A position of the sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// The canonical board.
    pub board: Board,
    /// The book's value.
    pub value: i8,
    /// What the deeper search says.
    pub deeper: i32,
    /// By how much the deeper search prefers a move that the book lists neither as a link nor as its leaf to the best one that
    /// it lists; 0 when it does not.
    pub missed: i32,
}

/// What a sample says of a book.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Positions looked at.
    pub positions: usize,
    /// Mean of |value - deeper value|, in discs.
    pub error: f64,
    /// Mean of value - deeper value, in discs.
    pub bias: f64,
    /// Share of positions in which a move that is not listed is really better.
    pub missed: f64,
    /// Share of positions in which it is better by [`CLEARLY`] discs or more.
    pub missed_clearly: f64,
}

/// Discs by which searches of neighbouring levels hardly ever differ by chance: the book's bounds beside midgame values.
pub const CLEARLY: i32 = 2;

impl Quality {
    /// The sums of a sample; `None` without any.
    pub fn of(sample: &[Sampled]) -> Option<Quality> {
        if sample.is_empty() {
            return None;
        }
        let n = sample.len() as f64;
        let difference = |one: &Sampled| f64::from(i32::from(one.value) - one.deeper);
        let missed = |by: i32| sample.iter().filter(|one| one.missed >= by).count() as f64 / n;
        Some(Quality {
            positions: sample.len(),
            error: sample.iter().map(|one| difference(one).abs()).sum::<f64>() / n,
            bias: sample.iter().map(difference).sum::<f64>() / n,
            missed: missed(1),
            missed_clearly: missed(CLEARLY),
        })
    }
}

/// Searches `count` positions of a book, chosen by the seed, so many levels deeper than they were; each by itself, on an empty
/// table, so that the result does not depend on their order. After a stop the sample is smaller.
///
/// # Errors
/// The engine cannot search.
pub fn measure(
    book: &Book,
    engine: &mut Engine,
    count: usize,
    deeper: u8,
    seed: u64,
    stop: &StopToken,
    found: &mut dyn FnMut(&Sampled),
) -> Result<Vec<Sampled>, SearchError> {
    let nodes = book.sorted();
    let mut random = StdRng::seed_from_u64(seed);
    let mut chosen = sample(&mut random, nodes.len(), count.min(nodes.len())).into_vec();
    chosen.sort_unstable();
    let mut sampled = Vec::with_capacity(chosen.len());
    for at in chosen {
        let node = &nodes[at];
        // a turned board, so that symmetric images are looked at as well
        let board = node.board.symmetry(random.random_range(0..8));
        let knowledge = probe_board(book, board).expect("a position of the book");
        let level = search_level(promised(node.level).saturating_add(deeper).min(60));
        let mut search = |moves: Option<Vec<Move>>| -> Result<Option<(Move, i32)>, SearchError> {
            engine.clear();
            let limits = Limits { moves, ..Limits::new(Goal::Level(level)) };
            let report = engine.search(&Position::from_board(board, Color::Black), &limits, stop, &mut |_| {})?;
            Ok(report.best().filter(|_| !report.stopped).map(|line| (line.mv, line.score)))
        };
        let Some((best, score)) = search(None)? else { break };
        let listed: Vec<Move> = knowledge.moves.iter().map(|mv| Move::from(mv.square)).collect();
        let missed = match (listed.contains(&best), listed.is_empty()) {
            (false, false) => match search(Some(listed))? {
                Some((_, listed)) => (score - listed).max(0),
                None => break,
            },
            _ => 0,
        };
        let one = Sampled { board: node.board, value: node.value, deeper: score, missed };
        found(&one);
        sampled.push(one);
        if is_over(stop) {
            break;
        }
    }
    Ok(sampled)
}

/// What a book says along a line of moves from the start, as long as it knows the positions: value for the side to move, and
/// how many discs the line's next move is worse than the best, if the book lists it. Passes are no moves here.
pub fn along(book: &Book, moves: &[Move]) -> Vec<(i8, Option<i32>)> {
    let mut position = Position::default();
    let mut values = Vec::new();
    for &mv in moves {
        if position.must_pass() {
            let Ok(next) = position.play(Move::Pass) else { break };
            position = next;
        }
        // books hold the position after it
        if mv == Move::Pass {
            continue;
        }
        let Some(knowledge) = super::probe::probe(book, &position) else { break };
        let best = knowledge.best().map(|best| best.score);
        let played = knowledge.moves.iter().find(|known| Some(known.square) == mv.square());
        values.push((
            knowledge.node.value,
            played.zip(best).map(|(played, best)| i32::from(best) - i32::from(played.score)),
        ));
        if played.is_none_or(|played| played.kind != Kind::Link) {
            break;
        }
        let Ok(next) = position.play(mv) else { break };
        position = next;
    }
    values
}

#[cfg(test)]
mod tests {
    use super::super::grow::{Plan, grow};
    use super::super::node::{Node, Origin};
    use super::super::shelf::create_empty;
    use super::super::store::Settings;
    use super::super::walk::Losses;
    use super::*;
    use crate::engine::Options;

    #[test]
    fn a_sample_is_measured() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf =
            create_empty(&folder.path().join("book"), Settings { level: 2, ..Settings::default() }).unwrap();
        let mut engines = [Engine::new(Options { hash_mib: 4, threads: 1 })];
        let plan = Plan { positions: Some(60), ..Plan::new(2, 12, Losses { by_move: 6, in_all: 12 }) };
        grow(&mut shelf, &mut engines, &plan, &StopToken::new(), &mut |_| {}).unwrap();
        let mut measured =
            |seed| measure(shelf.book(), &mut engines[0], 20, 4, seed, &StopToken::new(), &mut |_| {}).unwrap();
        let sample = measured(1);
        assert_eq!((sample.len(), &sample), (20, &measured(1)));
        assert_ne!(sample, measured(2));
        let quality = Quality::of(&sample).expect("positions");
        assert!(quality.error > 0.1 && quality.error < 10.0 && quality.bias.abs() <= quality.error, "{quality:?}");
        assert!((0.0..=1.0).contains(&quality.missed));
        let line: Vec<Move> =
            ["f5", "d6", "c3", "d3"].map(|mv| mv.parse::<crate::board::Square>().unwrap().into()).into();
        let along = along(shelf.book(), &line);
        assert!(!along.is_empty() && along[0].1 == Some(0), "all first moves are the same: {along:?}");
    }

    /// As no search is behind it, one of a few levels is deeper: the deepest of all would take for ever.
    #[test]
    fn a_humans_word_is_measured_like_what_was_never_searched() {
        let mut node = Node::new(Board::START.canonical(), Origin::Egaroucid);
        node.level = 70;
        let book: Book = [node].into_iter().collect();
        let stop = StopToken::new();
        let _until = stop.until(crate::time::Instant::now() + std::time::Duration::from_secs(20));
        let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
        assert_eq!(measure(&book, &mut engine, 1, 2, 1, &stop, &mut |_| {}).unwrap().len(), 1);
    }

    #[test]
    fn sums_are_means() {
        let one = |value, deeper, missed| Sampled { board: Board::START, value, deeper, missed };
        let quality = Quality::of(&[one(2, 0, 0), one(-1, 1, 3), one(0, 0, 1), one(1, 1, 0)]);
        let expected = Quality { positions: 4, error: 1.0, bias: 0.0, missed: 0.5, missed_clearly: 0.25 };
        assert_eq!(quality, Some(expected));
        assert_eq!(Quality::of(&[]), None);
    }
}
