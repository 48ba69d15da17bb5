//! Games into books.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::deepen::to_fix;
use super::leaf::is_over;
use super::negamax::negamax;
use super::node::CENTRE;
use super::probe::{NoBook, board_of, has_book};
use super::shelf::Shelf;
use super::store::Book;
use super::work::{WorkError, search_boards};
use crate::board::Board;
use crate::engine::Engine;
use crate::game::Game;
use crate::search::StopToken;

/// How often positions occur in games.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    games: HashMap<Board, u32>,
}

impl Counts {
    /// Counts the positions of a game up to a ply, each once.
    pub fn add(&mut self, game: &Game, max_ply: u32) {
        let boards = game.positions().iter().filter_map(board_of);
        self.add_boards(boards, max_ply);
    }

    /// Counts these positions of a game, each once; without those that no book has.
    pub fn add_boards(&mut self, boards: impl Iterator<Item = Board>, max_ply: u32) {
        let near = |board: &Board| board.legal_moves() != 0 && 60u32.saturating_sub(board.empty_count()) <= max_ply;
        // a game may begin from any position
        let has_centre = |board: &Board| board.empties() & CENTRE == 0;
        let mut seen: Vec<Board> = boards.filter(near).filter(has_centre).map(Board::canonical).collect();
        seen.sort_unstable();
        seen.dedup();
        for board in seen {
            *self.games.entry(board).or_default() += 1;
        }
    }

    /// The positions that occur in at least this many games, fullest boards first: a position is searched after those that
    /// its moves lead to.
    pub fn frequent(&self, games: u32) -> Vec<Board> {
        let mut boards: Vec<Board> = self.games.iter().filter(|(_, n)| **n >= games).map(|(board, _)| *board).collect();
        boards.sort_unstable_by_key(|board| (board.empty_count(), *board));
        boards
    }
}

/// Puts positions (canonical boards, as [`Counts`] has them) into a book, each with a search of its leaf, fullest boards first, and
/// sets all values. Positions that the book has are not searched again, unless a new one follows on them. `progress` gets the number
/// of searches made.
///
/// # Errors
/// The engine cannot search, or the book cannot be written.
pub fn store(
    shelf: &mut Shelf,
    engines: &mut [Engine],
    boards: &[Board],
    level: u8,
    stop: &StopToken,
    progress: &mut dyn FnMut(usize),
) -> Result<usize, WorkError> {
    let before = shelf.book().len();
    let new: Vec<Board> = boards.iter().filter(|board| !shelf.book().contains(board)).copied().collect();
    let mut done = 0;
    let mut search = |shelf: &mut Shelf, boards: &[Board]| {
        search_boards(shelf, engines, boards, level, stop, &mut |_| {
            done += 1;
            progress(done);
        })
    };
    search(shelf, &new)?;
    // after a stop nothing is searched, and to look for it takes as long as ever
    if !is_over(stop) {
        let followed = followed(shelf.book(), boards);
        search(shelf, &followed)?;
    }
    negamax(shelf.edit(), |_| {});
    shelf.save()?;
    Ok(shelf.book().len() - before)
}

/// A book has all of these positions, and nothing of them is left to be searched: [`store`] has not been cut short.
pub fn is_stored(book: &Book, boards: &[Board]) -> bool {
    boards.iter().all(|board| book.contains(board)) && followed(book, boards).is_empty()
}

/// Those of the boards whose leaf is to be searched: a new position may be what it was, and what a book of another program says
/// of it may be of no use.
fn followed(book: &Book, boards: &[Board]) -> Vec<Board> {
    let boards: HashSet<&Board> = boards.iter().collect();
    to_fix(book).into_iter().filter(|board| boards.contains(board)).collect()
}

/// Stores a game that was just played in the book of a file, up to the book's largest ply; the number of positions added. The
/// level is the book's when none is given.
///
/// # Errors
/// The book cannot be read or written, the engine cannot search, or the rules of the game have no book.
pub fn learn(
    path: &Path,
    game: &Game,
    engine: &mut Engine,
    level: Option<u8>,
    stop: &StopToken,
) -> Result<usize, WorkError> {
    let rules = game.position().rules();
    if !has_book(rules) {
        return Err(NoBook(rules.clone()).into());
    }
    let mut shelf = Shelf::open(path)?;
    let settings = shelf.book().settings;
    let mut counts = Counts::default();
    counts.add(game, settings.max_ply.into());
    let boards = counts.frequent(1);
    let level = level.unwrap_or(settings.level);
    store(&mut shelf, std::slice::from_mut(engine), &boards, level, stop, &mut |_| {})
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::node::{Node, Origin};
    use super::super::shelf::create_empty;
    use super::super::store::Settings;
    use super::super::verify::{faults, unreachable};
    use super::*;
    use crate::engine::Options;
    use crate::formats::{board_text, transcript};
    use crate::rules::{Position, RuleSet};

    fn game(moves: &str) -> Game {
        transcript::parse(&Position::default(), moves).unwrap()
    }

    #[test]
    fn frequent_positions_are_counted_once_a_game() {
        let mut counts = Counts::default();
        for moves in ["f5d6c3d3c4", "f5d6c4d3c3", "e6f4c3", "f5f6"] {
            counts.add(&game(moves), 4);
        }
        // start 4, f5 4, f5d6 3 (e6f4 is its mirror image), then f5d6c3 2: e6f4c3 is another image of it
        assert_eq!(counts.frequent(4).len(), 2);
        assert_eq!(counts.frequent(3).len(), 3);
        assert!(counts.frequent(1).iter().all(|board| board.empty_count() >= 56));
        let frequent = counts.frequent(1);
        assert!(frequent.windows(2).all(|pair| pair[0].empty_count() <= pair[1].empty_count()));
    }

    #[test]
    fn games_are_stored_with_what_their_moves_are_worth() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf =
            create_empty(&folder.path().join("book"), Settings { level: 3, ..Settings::default() }).unwrap();
        let mut engines = [Engine::new(Options { hash_mib: 4, threads: 1 })];
        let mut add = |shelf: &mut Shelf, moves: &str| {
            let mut counts = Counts::default();
            counts.add(&game(moves), 20);
            store(shelf, &mut engines, &counts.frequent(1), 3, &StopToken::new(), &mut |_| {}).unwrap()
        };
        assert_eq!(add(&mut shelf, "f5d6c3d3c4f4c5b3c2"), 10);
        assert_eq!(add(&mut shelf, "f5d6c3d3c4f4c5b3c2e6"), 1);
        assert_eq!(add(&mut shelf, "f5d6c3d3c4f4e3"), 1, "one position is new");
        assert_eq!(add(&mut shelf, "f5d6c3d3c4f4e3"), 0);
        assert_eq!((faults(shelf.book()), unreachable(shelf.book())), (vec![], 0));
    }

    /// A book with such a position could not be opened any more.
    #[test]
    fn positions_without_a_centre_are_not_stored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        drop(create_empty(&path, Settings { level: 1, ..Settings::default() }).unwrap());
        let start = board_text::parse(&format!("{:-<27}XO-----XO{:-<28} X", "", ""), &Arc::new(RuleSet::othello()));
        let mut engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        // the first move fills the centre
        let game = transcript::parse(&start.unwrap(), "e5c6").unwrap();
        assert_eq!(learn(&path, &game, &mut engine, None, &StopToken::new()).unwrap(), 2);
        assert_eq!(faults(Shelf::open(&path).unwrap().book()), vec![]);
    }

    #[test]
    fn many_positions_are_looked_through_once() {
        let mut boards = vec![Board::START];
        for at in 0.. {
            if boards.len() > 150_000 {
                break;
            }
            let board: Board = boards[at];
            boards.extend(super::super::graph::followers(board).filter(|next| next.empty_count() < 60));
        }
        boards.sort_unstable();
        boards.dedup();
        // as another program may leave them: none of the leaves is known
        let mut book: Book = boards.iter().map(|board| Node::new(*board, Origin::Edax)).collect();
        book.put(Node::new(game("f5f6d3g5h5h4f7").position().fast_board().unwrap().0.canonical(), Origin::Edax));
        let begun = cpu_time::ThreadTime::now();
        assert_eq!(followed(&book, &boards).len(), boards.len());
        assert!(begun.elapsed() < std::time::Duration::from_secs(2), "each of them is looked for among all");
    }

    #[test]
    fn a_game_with_a_pass_and_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf =
            create_empty(&folder.path().join("book"), Settings { level: 2, ..Settings::default() }).unwrap();
        let mut engines = [Engine::new(Options { hash_mib: 4, threads: 1 })];
        for moves in ["f5f6d3g5h5h4f7h6", "f5d6c5f4e7f6g5e6e3"] {
            let mut counts = Counts::default();
            counts.add(&game(moves), 60);
            store(&mut shelf, &mut engines, &counts.frequent(1), 2, &StopToken::new(), &mut |_| {}).unwrap();
        }
        assert_eq!((faults(shelf.book()), unreachable(shelf.book())), (vec![], 0));
        let before = board_of(game("f5d6c5f4e7f6g5e6").position()).unwrap().canonical();
        assert_eq!(shelf.book().get(&before).unwrap().value, 64, "the wipe-out is known");
    }
}
