//! Growing a book: best first, within what both sides may lose.
//!
//! A leaf is the best move that leads out of the book. Growing makes the position behind it a node with a leaf of its own, and
//! searches the next best move of the node it came from: two searches for a position. Which leaf is next follows T. Lincke's
//! drop-out expansion: the number of plies to it, plus so many plies for each disc that the way to it loses.

use std::time::Duration;

use super::graph::{Next, leaf_is_stale};
use super::leaf::{is_over, stale};
use super::negamax::negamax;
use super::node::Leaf;
use super::shelf::Shelf;
use super::store::Book;
use super::sweep::all;
use super::walk::{Deviation, Losses, Route, walk};
use super::work::{WorkError, search_boards};
use crate::board::Board;
use crate::engine::Engine;
use crate::search::StopToken;
use crate::time::Instant;

/// What to grow, and how far.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Where, and what both sides may lose.
    pub route: Route,
    /// Discs that a leaf may be worse than its node.
    pub leaf_loss: u8,
    /// How many plies one disc of loss is worth, 0 or more: 0 grows in breadth, large numbers follow the best lines only. 3 by
    /// default.
    pub plies_per_disc: f64,
    /// Level of the searches, 0 to 60; where the leaf of a node came from a deeper one, that of the next leaf is as deep.
    pub level: u8,
    /// Positions to add at most.
    pub positions: Option<u64>,
    /// Time to take at most.
    pub time: Option<Duration>,
    /// Time between savings of the whole book.
    pub save_every: Duration,
}

impl Plan {
    /// Best-first growth from the start of the game, of which either side may lose this much, without limits of positions and
    /// time: what `outflank book grow` does without other options than `--loss`.
    pub fn new(level: u8, max_ply: u32, losses: Losses) -> Plan {
        let deviations = vec![Deviation { first: losses, second: losses }];
        Plan {
            route: Route { start: Board::START, deviations, window: None, max_ply },
            leaf_loss: losses.by_move,
            plies_per_disc: 3.0,
            level,
            positions: None,
            time: None,
            save_every: Duration::from_secs(3600),
        }
    }

    /// Edax's `book deviate relative absolute`: one side may lose `relative` discs a move while the other plays its best
    /// moves, then the other way round; values stay within `absolute` discs of the start's.
    #[must_use]
    pub fn edax(mut self, relative: u8, absolute: u8) -> Plan {
        self.one_side_at_a_time(Losses { by_move: relative, in_all: u8::MAX });
        self.route.window = Some(absolute);
        self.leaf_loss = relative;
        self
    }

    /// Egaroucid's learning: largest ply, discs lost by one move, in all, and by a leaf; one side deviates at a time.
    #[must_use]
    pub fn egaroucid(mut self, max_ply: u32, by_move: u8, in_all: u8, leaf: u8) -> Plan {
        self.one_side_at_a_time(Losses { by_move, in_all });
        self.route.max_ply = max_ply;
        self.leaf_loss = leaf;
        self
    }

    fn one_side_at_a_time(&mut self, losses: Losses) {
        let deviation = |first, second| Deviation { first, second };
        self.route.deviations = vec![deviation(losses, Losses::NONE), deviation(Losses::NONE, losses)];
    }
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Positions in the book.
    pub positions: usize,
    /// Positions added.
    pub added: u64,
    /// Leaves searched.
    pub searches: u64,
    /// Leaves within the limits when the last batch was chosen.
    pub open: usize,
    /// Value of the start for its side to move.
    pub value: i8,
    /// Time since the beginning.
    pub elapsed: Duration,
}

/// Why growing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Every leaf within the limits is a node.
    Dry,
    /// The number of positions asked for has been added.
    Positions,
    /// The time that the plan gives is over.
    Time,
    /// It was stopped.
    Stopped,
}

/// A leaf that may be next.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    node: usize,
    /// Plies and losses, in thousandths of a ply: the least is next.
    priority: u64,
    /// The position behind the leaf; `None` when the node's own leaf is to be searched again.
    child: Option<Board>,
}

/// Grows a book until the plan is fulfilled or `stop` is set, saves it, and says why it ended. The book is left negamaxed;
/// after a stop everything found until then is in it.
///
/// ```
/// use outflank::book::grow::{End, Plan, grow};
/// use outflank::book::{Book, Losses, Settings, Shelf, probe};
/// use outflank::{Engine, Game, Options, StopToken};
///
/// # let folder = std::env::temp_dir().join(format!("outflank-grow-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("my.book");
/// let mut shelf = Shelf::create(&path, Book::new(Settings { level: 2, ..Settings::default() }))?;
/// // two searches side by side over one table
/// let engine = Engine::new(Options { hash_mib: 4, threads: 1 });
/// let mut engines = [engine.sharing(), engine];
/// let plan = Plan { positions: Some(4), ..Plan::new(2, 20, Losses { by_move: 2, in_all: 4 }) };
/// let end = grow(&mut shelf, &mut engines, &plan, &StopToken::new(), &mut |progress| {
///     println!("{} positions", progress.positions);
/// })?;
/// assert_eq!(end, End::Positions);
/// assert!(probe(shelf.book(), Game::default().position()).is_some());
/// # drop(shelf);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The engine cannot search (or there is none: [`SearchError::Threads`](crate::search::SearchError::Threads)), the book cannot be
/// written, or the plan's start is no position that a book can hold; what was found is in the journal then, and the token may be
/// stopped (see [`search_all`](super::leaf::search_all)).
pub fn grow(
    shelf: &mut Shelf,
    engines: &mut [Engine],
    plan: &Plan,
    stop: &StopToken,
    progress: &mut dyn FnMut(&Progress),
) -> Result<End, WorkError> {
    let start = Instant::now();
    let mut saved = start;
    // a time that no clock can tell is none
    let _until = plan.time.and_then(|time| Some(stop.until(start.checked_add(time)?)));
    let root = plan.route.start.canonical();
    let (before, threads) = (shelf.book().len(), engines.len());
    let (mut searches, mut open) = (0, 0);
    let mut run = |shelf: &mut Shelf, boards: &[Board], open: usize| {
        search_boards(shelf, engines, boards, plan.level, stop, &mut |book| {
            searches += 1;
            let value = book.get(&root).map_or(0, |node| node.value);
            let added = (book.len() - before) as u64;
            progress(&Progress { positions: book.len(), added, searches, open, value, elapsed: start.elapsed() });
        })
    };
    if !shelf.book().contains(&root) && plan.positions != Some(0) {
        run(shelf, &[root], 0)?;
    }
    let mut end = loop {
        negamax(shelf.edit(), |_| {});
        shelf.sync()?;
        if saved.elapsed() >= plan.save_every {
            shelf.save()?;
            saved = Instant::now();
        }
        if let Some(end) = cut_short(stop) {
            break end;
        }
        let added = (shelf.book().len() - before) as u64;
        let left = plan.positions.map_or(u64::MAX, |most| most.saturating_sub(added));
        if left == 0 {
            break End::Positions;
        }
        let boards;
        (boards, open) = next_boards(shelf.book(), plan, threads, left);
        if boards.is_empty() {
            break End::Dry;
        }
        run(shelf, &boards, open)?;
    };
    if matches!(end, End::Dry | End::Positions) {
        let boards = stale_boards(shelf.book());
        run(shelf, &boards, open)?;
        negamax(shelf.edit(), |_| {});
        end = cut_short(stop).unwrap_or(end);
    }
    shelf.save()?;
    Ok(end)
}

/// Why nothing more is to be searched, if so.
fn cut_short(stop: &StopToken) -> Option<End> {
    is_over(stop).then(|| if stop.is_stopped() { End::Stopped } else { End::Time })
}

/// The boards whose leaves are to be searched next, for about so many searches side by side, at most `left` new ones, and how
/// many leaves are within the plan's limits. The book is negamaxed. What [`grow`] does again and again, for those who search
/// elsewhere (see [`Work`](super::Work)).
pub fn next_boards(book: &Book, plan: &Plan, threads: usize, left: u64) -> (Vec<Board>, usize) {
    let root = plan.route.start.canonical();
    if !book.contains(&root) {
        return (vec![root], 0);
    }
    let candidates = candidates(book, plan);
    (batch(book, &candidates, threads, left), candidates.len())
}

/// New nodes may be the leaves of others than those they came from: these are to be searched again, when growing ends.
pub fn stale_boards(book: &Book) -> Vec<Board> {
    stale(book, &all(book), false).into_iter().map(|at| book.nodes()[at].board).collect()
}

/// Leaves within the limits of a plan, next first.
fn candidates(book: &Book, plan: &Plan) -> Vec<Candidate> {
    // at most one for each node: the least
    let mut best: Vec<Option<Candidate>> = vec![None; book.len()];
    let start_value = book.get(&plan.route.start.canonical()).map_or(0, |node| i32::from(node.value));
    walk(book, &plan.route, |reached| {
        let node = &book.nodes()[reached.node];
        let deviation = &plan.route.deviations[reached.deviation];
        let losses = if reached.first_to_move { deviation.first } else { deviation.second };
        let lost = u32::from(reached.lost.0) + u32::from(reached.lost.1);
        let (loss, child) = match node.leaf() {
            Leaf::None => return,
            Leaf::Unknown => (0, None),
            Leaf::Move { .. } if leaf_is_stale(book, node) => (0, None),
            Leaf::Move { square, score } => {
                let own = if reached.first_to_move { reached.lost.0 } else { reached.lost.1 };
                let loss = (i32::from(node.value) - i32::from(score)).max(0) as u32;
                let for_start = if reached.first_to_move { i32::from(score) } else { -i32::from(score) };
                let outside = plan.route.window.is_some_and(|window| (for_start - start_value).abs() > window.into());
                let most = u32::from(plan.leaf_loss.min(losses.by_move));
                if outside || loss > most || u32::from(own) + loss > losses.in_all.into() {
                    return;
                }
                let Next::Board { board, .. } = Next::of(node.board, square) else { return };
                let board = board.canonical();
                if 60u32.saturating_sub(board.empty_count()) > plan.route.max_ply {
                    return;
                }
                (loss, Some(board))
            }
        };
        let plies = f64::from(reached.plies) + f64::from(lost + loss) * plan.plies_per_disc;
        let candidate = Candidate { node: reached.node, priority: (plies * 1000.0) as u64, child };
        let place = &mut best[reached.node];
        if place.is_none_or(|old| candidate.priority < old.priority) {
            *place = Some(candidate);
        }
    });
    let mut found: Vec<Candidate> = best.into_iter().flatten().collect();
    found.sort_unstable_by_key(|candidate| (candidate.priority, book.nodes()[candidate.node].key()));
    found
}

/// The boards to search next: each new position and then the node that it comes from, at most `left` new ones.
fn batch(book: &Book, candidates: &[Candidate], threads: usize, left: u64) -> Vec<Board> {
    // choosing anew costs a sweep: less often when that takes longer
    let size = (4 * threads.max(1)).max(book.len() / 1000);
    let (mut boards, mut added) = (Vec::new(), 0);
    for candidate in &candidates[..size.min(candidates.len())] {
        if let Some(child) = candidate.child.filter(|child| !boards.contains(child)) {
            if added == left {
                break;
            }
            added += 1;
            boards.push(child);
        }
        let node = book.nodes()[candidate.node].board;
        if !boards.contains(&node) {
            boards.push(node);
        }
    }
    boards
}

#[cfg(test)]
mod tests {
    use super::super::file::to_bytes;
    use super::super::graph::{followers, unknown_moves};
    use super::super::negamax::valued;
    use super::super::node::{Node, Origin};
    use super::super::shelf::create_empty;
    use super::super::store::Settings;
    use super::super::verify::faults;
    use super::*;
    use crate::board::Squares;
    use crate::engine::Options;

    fn engines(threads: usize) -> Vec<Engine> {
        let engine = Engine::new(Options { hash_mib: 4, threads: 1 });
        (0..threads).map(|_| engine.sharing()).collect()
    }

    fn settings() -> Settings {
        Settings { level: 3, ..Settings::default() }
    }

    fn small() -> Plan {
        Plan::new(3, 20, Losses { by_move: 3, in_all: 6 })
    }

    #[test]
    fn growth_is_best_first_and_the_same_every_time() {
        let folder = tempfile::tempdir().unwrap();
        let grown = |name: &str, threads: usize| {
            let mut shelf = create_empty(&folder.path().join(name), settings()).unwrap();
            let plan = Plan { positions: Some(150), ..small() };
            let mut calls = 0;
            let end = grow(&mut shelf, &mut engines(threads), &plan, &StopToken::new(), &mut |_| calls += 1).unwrap();
            assert_eq!(end, End::Positions);
            assert!((149..=151).contains(&shelf.book().len()) && calls > 200);
            shelf
        };
        let shelf = grown("a", 1);
        let book = shelf.book();
        assert_eq!(faults(book), []);
        // the node that lost least is grown furthest
        assert!(book.nodes().iter().map(|node| node.ply()).max().unwrap() >= 8);
        assert!(book.nodes().iter().all(|node| valued(book, *node).0 == *node));
        assert_eq!(to_bytes(grown("b", 1).book()), to_bytes(book));
        assert_eq!(faults(grown("c", 3).book()), []);
    }

    /// The first move (all are the same one) and four after it, each with a leaf of one of these scores beside the next; the board they
    /// begin with.
    fn chain(scores: [i8; 5]) -> (Book, Board) {
        let mut boards: Vec<Board> = followers(Board::START).take(1).collect();
        while boards.len() < 5 {
            boards.push(followers(*boards.last().unwrap()).next().unwrap());
        }
        let bare = |board: &Board| Node::new(*board, Origin::Outflank);
        let chain: Book = boards.iter().map(bare).collect();
        let leaf = |(board, score): (&Board, i8)| {
            let mut node = bare(board);
            let square = Squares(unknown_moves(&chain, *board)).next().unwrap();
            node.set_leaf(Leaf::Move { square, score }, 3);
            node
        };
        let mut book: Book = boards.iter().zip(scores).map(leaf).collect();
        negamax(&mut book, |_| {});
        (book, boards[0])
    }

    /// The window is around the value of the start, for both sides: of leaves that lose a disc and of moves that lose none.
    #[test]
    fn values_outside_the_window_are_left() {
        let (book, start) = chain([3, -5, 3, -5, 4]);
        assert_eq!(book.get(&start).unwrap().value, 4);
        for (window, taken_up) in [(None, 5), (Some(1), 5), (Some(0), 1)] {
            let mut plan = small();
            (plan.route.start, plan.route.window) = (start, window);
            assert_eq!(candidates(&book, &plan).len(), taken_up, "{window:?}");
        }
    }

    /// A leaf that loses two discs at the start against one that loses none four plies later.
    #[test]
    fn a_lost_disc_is_worth_so_many_plies() {
        let (book, start) = chain([-2, -2, -2, -2, 0]);
        for (plies_per_disc, first) in [(0.0, 1), (1.9, 1), (2.1, 5)] {
            let mut plan = Plan { plies_per_disc, ..small() };
            plan.route.start = start;
            let order: Vec<u32> = candidates(&book, &plan).iter().map(|one| book.nodes()[one.node].ply()).collect();
            assert_eq!((order.len(), order[0]), (5, first), "{plies_per_disc}: {order:?}");
        }
    }

    #[test]
    fn without_engines_nothing_grows() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf = create_empty(&folder.path().join("none.book"), settings()).unwrap();
        let error = grow(&mut shelf, &mut [], &small(), &StopToken::new(), &mut |_| {}).unwrap_err();
        assert!(matches!(error, WorkError::Search(crate::search::SearchError::Threads(0))), "{error}");
    }

    #[test]
    fn growth_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let mut shelf = create_empty(&path, settings()).unwrap();
        let plan = Plan { positions: Some(40), ..small() };
        let stop = StopToken::new();
        let mut searches = 0;
        let end = grow(&mut shelf, &mut engines(1), &plan, &stop, &mut |_| {
            searches += 1;
            if searches == 25 {
                stop.stop();
            }
        });
        assert_eq!(end.unwrap(), End::Stopped);
        let before = shelf.book().len();
        assert!(before > 5 && before < 40);
        drop(shelf);
        let mut shelf = Shelf::open(&path).unwrap();
        assert_eq!((shelf.book().len(), shelf.recovered().positions), (before, 0));
        let old: Vec<Board> = shelf.book().nodes().iter().map(|node| node.board).collect();
        let told = &mut |told: &Progress| assert_eq!(told.added as usize, told.positions - before);
        grow(&mut shelf, &mut engines(1), &plan, &StopToken::new(), told).unwrap();
        assert_eq!(shelf.book().len(), before + 40);
        assert!(old.iter().all(|board| shelf.book().contains(board)), "growth only adds");
        assert_eq!(faults(shelf.book()), []);
    }

    #[test]
    fn limits_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf = create_empty(&folder.path().join("book"), settings()).unwrap();
        let plan = Plan::new(2, 5, Losses { by_move: 1, in_all: 1 });
        let end = grow(&mut shelf, &mut engines(2), &plan, &StopToken::new(), &mut |_| {}).unwrap();
        assert_eq!(end, End::Dry);
        let book = shelf.book();
        assert!(book.nodes().iter().all(|node| node.ply() <= 5));
        assert_eq!(candidates(book, &plan).len(), 0);
        let wider = Plan::new(2, 5, Losses { by_move: 4, in_all: 8 });
        assert!(!candidates(book, &wider).is_empty());
        let time = Plan { time: Some(Duration::from_millis(50)), ..Plan::new(12, 30, Losses::ANY) };
        let (start, stop) = (Instant::now(), StopToken::new());
        assert_eq!(grow(&mut shelf, &mut engines(1), &time, &stop, &mut |_| {}).unwrap(), End::Time);
        assert!(start.elapsed() < Duration::from_secs(5));
        // the token is good for what comes then, and for ever is a time, too
        let ever = Plan { time: Some(Duration::MAX), positions: Some(1), ..Plan::new(1, 30, Losses::ANY) };
        assert_eq!(grow(&mut shelf, &mut engines(1), &ever, &stop, &mut |_| {}).unwrap(), End::Positions);
        assert_eq!(faults(shelf.book()).iter().filter(|fault| !fault.is_open()).count(), 0);
    }

    #[test]
    fn no_positions_are_none_and_no_engines_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let mut shelf = create_empty(&folder.path().join("book"), settings()).unwrap();
        let mut grow = |threads, positions| {
            let plan = Plan { positions: Some(positions), ..small() };
            let end = grow(&mut shelf, &mut engines(threads), &plan, &StopToken::new(), &mut |_| {});
            (end.map_err(|error| error.to_string()), shelf.book().len())
        };
        let error = crate::search::SearchError::Threads(0).to_string();
        assert_eq!(grow(1, 0), (Ok(End::Positions), 0));
        assert_eq!(grow(0, 1), (Err(error.clone()), 0));
        assert_eq!(grow(1, 1), (Ok(End::Positions), 1));
        assert_eq!(grow(0, 1), (Err(error), 1), "there are leaves within the limits");
    }

    /// Books have no such positions, and none that has one could be opened again.
    #[test]
    fn a_start_that_no_book_can_hold_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        let mut shelf = create_empty(&path, settings()).unwrap();
        grow(&mut shelf, &mut engines(1), &Plan { positions: Some(3), ..small() }, &StopToken::new(), &mut |_| {})
            .unwrap();
        let finished = Board { player: u64::MAX, opponent: 0 };
        for (start, problem) in [(finished, "no move"), (Board { player: 1, opponent: 2 }, "centre square")] {
            let mut plan = Plan { positions: Some(3), ..small() };
            plan.route.start = start;
            let error = grow(&mut shelf, &mut engines(1), &plan, &StopToken::new(), &mut |_| {}).unwrap_err();
            assert!(error.to_string().contains(problem), "{error}");
        }
        drop(shelf);
        assert_eq!(super::super::shelf::Shelf::open(&path).unwrap().book().len(), 3);
    }

    #[test]
    fn edax_deviates_one_side_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let grown = |plan: Plan, name: &str| {
            let mut shelf = create_empty(&folder.path().join(name), settings()).unwrap();
            grow(&mut shelf, &mut engines(1), &plan, &StopToken::new(), &mut |_| {}).unwrap();
            shelf
        };
        let count = |plan: Plan, name: &str| grown(plan, name).book().len();
        // (with two discs books grow along such different paths that either may get the larger)
        let base = || Plan::new(3, 6, Losses { by_move: 3, in_all: 255 });
        let both = count(base(), "both");
        let edax = count(base().edax(3, 64), "edax");
        let narrow = count(base().edax(3, 1), "narrow");
        let none = count(base().edax(0, 64), "none");
        assert!(both > edax && edax > narrow && edax > none && none >= 6, "{both} {edax} {narrow} {none}");
        let egaroucid = count(base().egaroucid(6, 3, 3, 3), "egaroucid");
        assert!(egaroucid <= edax && egaroucid > 6, "{egaroucid} {edax}");
        // from a book with deviations of both sides on, what it takes up is some of what these do (by more discs, so that there are some)
        let wide = || Plan::new(3, 6, Losses { by_move: 6, in_all: 255 });
        let small = grown(Plan { route: Route { max_ply: 5, ..wide().route }, ..wide() }, "small");
        let nodes =
            |plan| candidates(small.book(), &plan).into_iter().map(|candidate| candidate.node).collect::<Vec<_>>();
        let (all, of_one) = (nodes(wide()), nodes(wide().edax(6, 64)));
        assert!(!of_one.is_empty() && all.len() > of_one.len(), "{of_one:?} {all:?}");
        assert!(of_one.iter().all(|node| all.contains(node)), "{of_one:?} {all:?}");
    }
}
