//! The searches of a book: the best move that leads out of it.

use super::graph::unknown_moves;
use super::node::{Leaf, Node, Origin, promised, search_level};
use super::store::{Book, Nodes};
use super::sweep::{Moves, all, select};
use crate::board::{Board, Square, Squares};
use crate::engine::Engine;
use crate::rules::{Color, Move, Position};
use crate::search::{Goal, Limits, SearchError, StopToken};
use crate::workers::side_by_side;

/// A leaf to be searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The canonical board.
    pub board: Board,
    /// Moves that lead out of the book: those to search.
    pub moves: u64,
    /// Level of the search.
    pub level: u8,
}

impl Job {
    /// The search for the leaf of a node as the book stands.
    pub fn of(nodes: &impl Nodes, board: Board, level: u8) -> Job {
        Job { board, moves: unknown_moves(nodes, board), level }
    }

    /// Searches; `None` when it was stopped before its end.
    ///
    /// # Errors
    /// When the engine cannot search at all.
    pub fn run(&self, engine: &mut Engine, stop: &StopToken) -> Result<Option<Leaf>, SearchError> {
        let moves = distinct(self.board, self.moves);
        if moves.is_empty() {
            return Ok(Some(Leaf::None));
        }
        let position = Position::from_board(self.board, Color::Black);
        let limits = Limits {
            moves: Some(moves.into_iter().map(Move::from).collect()),
            ..Limits::new(Goal::Level(search_level(self.level)))
        };
        let report = engine.search(&position, &limits, stop, &mut |_| {})?;
        if report.stopped {
            return Ok(None);
        }
        let best = report.best().and_then(|line| Some((line.mv.square()?, line.score)));
        Ok(best.map(|(square, score)| Leaf::Move { square, score: score.clamp(-64, 64) as i8 }))
    }
}

/// The moves without those that a symmetry of the board makes the same.
fn distinct(board: Board, moves: u64) -> Vec<Square> {
    let mut seen: Vec<Board> = Vec::new();
    Squares(moves)
        .filter(|&square| {
            let after = board.play(square).expect("a legal move").canonical();
            let new = !seen.contains(&after);
            seen.push(after);
            new
        })
        .collect()
}

/// The level at which the leaf of a canonical board is searched when this one is asked for: that of the leaf it has, if that is
/// higher, so that no search takes the place of a deeper one. Levels that are none of ours (a human's word) promise no search.
pub fn level_of(book: &Book, board: &Board, level: u8) -> u8 {
    let known = book.get(board).filter(|node| node.leaf() != Leaf::Unknown);
    known.map_or(level, |node| level.max(promised(node.leaf_level())))
}

/// Searches leaves on as many threads as there are engines and gives each to `found` as it comes, with the number of its job;
/// jobs are begun in their order. After a stop the rest is left out.
///
/// # Errors
/// The first error of an engine, or of `found`; what was found before has been given, and the token is stopped, so that the other
/// searches end ([`StopToken::reset`] makes it usable again). [`SearchError::Threads`] where there are jobs and no engine.
pub fn search_all<E: From<SearchError>>(
    engines: &mut [Engine],
    jobs: &[Job],
    stop: &StopToken,
    mut found: impl FnMut(usize, Leaf) -> Result<(), E>,
) -> Result<(), E> {
    if engines.is_empty() && !jobs.is_empty() {
        return Err(SearchError::Threads(0).into());
    }
    let workers = engines
        .iter_mut()
        .map(|engine| move |(number, job): (usize, &Job)| (!is_over(stop)).then(|| (number, job.run(engine, stop))));
    side_by_side(workers, jobs.iter().enumerate(), |results| {
        for (number, result) in results {
            let taken = match result {
                Ok(Some(leaf)) => found(number, leaf),
                Ok(None) => Ok(()),
                Err(error) => Err(error.into()),
            };
            // after an error nobody takes what the others find
            taken.inspect_err(|_| stop.stop())?;
        }
        Ok(())
    })
}

/// Stopped, or out of time.
pub(crate) fn is_over(stop: &StopToken) -> bool {
    stop.is_stopped() || stop.is_hard_over()
}

/// Enters a leaf that was found: the node has been searched at this level by this engine.
pub fn enter(node: &mut Node, leaf: Leaf, level: u8) {
    node.set_leaf(leaf, level);
    node.level = promised(node.level).max(level);
    if node.origin() != Origin::Outflank {
        // links keep their own origins; what this node says for itself is now ours
        node.set_origin(Origin::Outflank);
    }
}

/// Nodes whose leaf is unknown or no longer holds, in the order of the book.
pub fn unsearched(book: &Book) -> Vec<usize> {
    stale(book, &all(book), true)
}

/// Nodes among those at these places whose leaf no longer holds, or has not been searched.
pub(super) fn stale(book: &Book, places: &[u32], unknown: bool) -> Vec<usize> {
    let is_wanted =
        |node: &Node, moves: Moves<'_>| (unknown || node.leaf() != Leaf::Unknown) && is_unsearched(node, moves);
    select(book, places, |at, moves| is_wanted(&book.nodes()[at], moves).then_some(at))
}

/// The leaf of a node with these moves no longer holds, or has not been searched.
pub(super) fn is_unsearched(node: &Node, moves: Moves<'_>) -> bool {
    match node.leaf() {
        Leaf::Unknown => true,
        Leaf::None => !moves.are_all(node.board),
        Leaf::Move { square, .. } => moves.has(square) || node.board.play(square).is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;

    #[test]
    fn leaves_are_the_best_moves_out_of_the_book() {
        let mut engine = Engine::new(Options { hash_mib: 1, threads: 1 });
        let f5 = Board::START.play("f5".parse().unwrap()).unwrap().canonical();
        let empty = Book::default();
        let job = Job::of(&empty, f5, 6);
        let Some(Leaf::Move { square, score }) = job.run(&mut engine, &StopToken::new()).unwrap() else {
            panic!("three moves")
        };
        assert!((-8..=4).contains(&score));
        // with that move in the book it is another one, and no better (to within a search of six plies)
        let child = f5.play(square).unwrap().canonical();
        let book: Book = [Node::new(child, Origin::Outflank)].into_iter().collect();
        let Some(Leaf::Move { square: second, score: less }) =
            Job::of(&book, f5, 6).run(&mut engine, &StopToken::new()).unwrap()
        else {
            panic!("two moves")
        };
        assert!(second != square && less <= score + 1, "{square} {score}, {second} {less}");
        // with all of them there is none
        let all: Book = Squares(f5.legal_moves())
            .map(|square| Node::new(f5.play(square).unwrap().canonical(), Origin::Outflank))
            .collect();
        assert_eq!(Job::of(&all, f5, 6).run(&mut engine, &StopToken::new()).unwrap(), Some(Leaf::None));
        let stop = StopToken::new();
        stop.stop();
        assert_eq!(job.run(&mut engine, &stop).unwrap(), None, "a search that was stopped finds nothing");
    }

    #[test]
    fn symmetric_moves_are_searched_once() {
        assert_eq!(distinct(Board::START, Board::START.legal_moves()).len(), 1);
        let f5 = Board::START.play("f5".parse().unwrap()).unwrap();
        assert_eq!(distinct(f5, f5.legal_moves()).len(), 3);
    }

    #[test]
    fn many_engines_find_what_one_finds() {
        let f5 = Board::START.play("f5".parse().unwrap()).unwrap();
        let boards: Vec<Board> = Squares(f5.legal_moves()).map(|square| f5.play(square).unwrap().canonical()).collect();
        let jobs: Vec<Job> = boards.iter().map(|board| Job::of(&Book::default(), *board, 4)).collect();
        let found = |threads: usize| {
            let engine = Engine::new(Options { hash_mib: 1, threads: 1 });
            let mut engines: Vec<Engine> = (0..threads).map(|_| engine.sharing()).collect();
            let mut leaves = vec![None; jobs.len()];
            search_all::<SearchError>(&mut engines, &jobs, &StopToken::new(), |number, leaf| {
                leaves[number] = Some(leaf);
                Ok(())
            })
            .unwrap();
            leaves
        };
        let one = found(1);
        assert!(one.iter().all(Option::is_some));
        assert_eq!(found(3).iter().filter(|leaf| leaf.is_some()).count(), jobs.len());
    }
}
