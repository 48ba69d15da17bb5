//! Lists of balanced openings, made as the well-known XOT lists of Othello players are: lines drawn at random, those kept
//! after which the engine sees neither side ahead.

use std::collections::HashSet;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use crate::board::{Board, Square, Squares};
use crate::engine::Engine;
use crate::rules::{Color, Position};
use crate::search::{Goal, Level, Limits, SearchError, Selectivity, StopToken};
use crate::workers::in_order;

/// Plies of the search that sorts out lines far from even at once, and how much further from even than allowed it must see
/// them, in discs.
const FIRST_LOOK: (u8, i32) = (8, 8);

/// Lines that may be judged before it is their turn, an engine.
const AHEAD: usize = 1000;

/// What lines are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Moves of a line, from 1 to 20.
    pub plies: usize,
    /// Level of the search that judges a line.
    pub level: Level,
    /// Discs that one side may be ahead by that search.
    pub discs: i32,
    /// Chooses the lines.
    pub seed: u64,
}

/// How many lines were looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Drawn.
    pub drawn: usize,
    /// Kept.
    pub kept: usize,
}

/// What is told of a line that is kept: its moves, its value for the side to move, and how many lines were looked at so far.
pub type OnLine<'a, E> = dyn FnMut(&[Square], i32, Tally) -> Result<(), E> + 'a;

/// A line with the board it leads to.
type Line = (Vec<Square>, Board);

/// Random lines of othello that begin with f5 (the four first moves are images of each other), each to another position than
/// those before it, seen from all eight sides; the same lines for a seed.
pub struct Lines {
    rng: StdRng,
    plies: usize,
    seen: HashSet<Board>,
}

impl Lines {
    /// The lines of a seed.
    pub fn new(plies: usize, seed: u64) -> Lines {
        Lines { rng: StdRng::seed_from_u64(seed), plies, seen: HashSet::new() }
    }

    /// A line; `None` when the game ended or a side had to pass on the way.
    fn draw(&mut self) -> Option<Line> {
        let first: Square = "f5".parse().ok()?;
        let mut board = Board::START.play(first)?;
        let mut line = vec![first];
        while line.len() < self.plies {
            let moves: Vec<Square> = Squares(board.legal_moves()).collect();
            let square = *moves.choose(&mut self.rng)?;
            board = board.play(square)?;
            line.push(square);
        }
        (board.legal_moves() != 0).then_some((line, board))
    }
}

impl Iterator for Lines {
    type Item = Line;

    /// The next line; `None` when ten thousand draws in a row led to positions seen before.
    fn next(&mut self) -> Option<Line> {
        (0..10_000).find_map(|_| {
            let (line, board) = self.draw()?;
            self.seen.insert(board.canonical()).then_some((line, board))
        })
    }
}

/// Draws lines until `count` are kept, judging as many at a time as there are engines, and gives each line kept to `on_line` with
/// its value for the side to move. The lines and their order depend on what is wanted alone, as long as the engines have one
/// thread each. Ends early when no line is left or `stop` is set.
///
/// # Errors
/// The first error of an engine, or of `on_line`.
pub fn balanced_lines<E: From<SearchError>>(
    engines: &mut [Engine],
    wanted: &Wanted,
    count: usize,
    stop: &StopToken,
    on_line: &mut OnLine<'_, E>,
) -> Result<Tally, E> {
    let ahead = AHEAD * engines.len();
    let workers =
        engines.iter_mut().map(|engine| move |(line, board): Line| Some((line, judge(engine, wanted, board, stop))));
    in_order(workers, Lines::new(wanted.plies, wanted.seed), ahead, |lines| {
        let mut tally = Tally::default();
        while tally.kept < count
            && let Some((line, value)) = lines.next()
        {
            // what a stopped search says is no judgement, and neither is what comes after it
            let Some(value) = value? else { break };
            tally.drawn += 1;
            if value.abs() <= wanted.discs {
                tally.kept += 1;
                on_line(&line, value, tally)?;
            }
        }
        Ok(tally)
    })
}

/// The value of a board for the side to move, by a search that knows nothing of others.
fn judge(engine: &mut Engine, wanted: &Wanted, board: Board, stop: &StopToken) -> Result<Option<i32>, SearchError> {
    let position = Position::from_board(board, Color::Black);
    engine.clear();
    let (depth, far) = FIRST_LOOK;
    // a level that looks no deeper decides by itself: it would find what the first look has left in the table
    let first = (wanted.level.get() > depth).then_some(Goal::Depth(depth, Selectivity::NONE));
    let mut value = 0;
    for goal in first.into_iter().chain([Goal::Level(wanted.level)]) {
        value = engine.search(&position, &Limits::new(goal), stop, &mut |_| {})?.score;
        if stop.is_stopped() {
            return Ok(None);
        }
        if value.abs() > wanted.discs + far {
            break;
        }
    }
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Options;

    fn wanted(seed: u64) -> Wanted {
        Wanted { plies: 8, level: Level::new(4).unwrap(), discs: 2, seed }
    }

    fn make(wanted: &Wanted, count: usize, engines: usize) -> (Vec<(String, i32)>, Tally) {
        let mut engines: Vec<Engine> = (0..engines).map(|_| Engine::new(Options { hash_mib: 2, threads: 1 })).collect();
        let mut lines = Vec::new();
        let tally =
            balanced_lines::<SearchError>(&mut engines, wanted, count, &StopToken::new(), &mut |line, value, _| {
                lines.push((line.iter().map(Square::to_string).collect(), value));
                Ok(())
            });
        (lines, tally.unwrap())
    }

    #[test]
    fn lines_are_even_and_the_same_on_any_number_of_threads() {
        let (lines, tally) = make(&wanted(1), 40, 1);
        assert_eq!((lines.len(), tally.kept), (40, 40));
        assert!(tally.drawn > 60, "most random lines are not even: {tally:?}");
        assert_eq!(make(&wanted(1), 40, 3), (lines.clone(), tally));
        assert_ne!(make(&wanted(2), 40, 1).0, lines);
        let mut boards = HashSet::new();
        for (line, value) in &lines {
            assert!(line.starts_with("f5") && line.len() == 16 && value.abs() <= 2, "{line}: {value}");
            let game = crate::formats::transcript::parse(&Position::default(), line).unwrap();
            assert!(boards.insert(game.position().fast_board().unwrap().0.canonical()), "{line} is there twice");
        }
    }

    #[test]
    fn lines_that_are_far_from_even_are_looked_at_once() {
        let mut engine = Engine::new(Options { hash_mib: 2, threads: 1 });
        let (depth, far) = FIRST_LOOK;
        let wanted = Wanted { level: Level::new(depth + 1).unwrap(), ..wanted(3) };
        let (mut once, mut differ) = (0, 0);
        const LINES: u32 = 300;
        for (_, board) in Lines::new(8, 3).take(LINES as usize) {
            let judged = judge(&mut engine, &wanted, board, &StopToken::new()).unwrap().unwrap();
            engine.clear();
            let position = Position::from_board(board, Color::Black);
            let [first, second] = [Goal::Depth(depth, Selectivity::NONE), Goal::Level(wanted.level)].map(|goal| {
                engine.search(&position, &Limits::new(goal), &StopToken::new(), &mut |_| {}).unwrap().score
            });
            let is_far = first.abs() > wanted.discs + far;
            assert_eq!(judged, if is_far { first } else { second });
            (once, differ) = (once + u32::from(is_far), differ + u32::from(is_far && first != second));
        }
        assert!(once < LINES && differ > 0, "{once} far from even, {differ} of them otherwise at the level");
    }

    #[test]
    fn levels_that_look_no_deeper_judge_by_themselves() {
        let mut engine = Engine::new(Options { hash_mib: 2, threads: 1 });
        for level in [0, 4, FIRST_LOOK.0] {
            let wanted = Wanted { level: Level::new(level).unwrap(), ..wanted(3) };
            for (_, board) in Lines::new(8, 4).take(40) {
                let judged = judge(&mut engine, &wanted, board, &StopToken::new()).unwrap();
                engine.clear();
                let limits = Limits::new(Goal::Level(wanted.level));
                let position = Position::from_board(board, Color::Black);
                let alone = engine.search(&position, &limits, &StopToken::new(), &mut |_| {}).unwrap();
                assert_eq!(judged, Some(alone.score), "level {level}");
            }
        }
    }

    #[test]
    fn lines_end_when_there_are_no_more() {
        // after f5 and an answer there are three positions: diagonal, perpendicular, parallel
        let few = Wanted { plies: 2, discs: 64, ..wanted(1) };
        let (lines, tally) = make(&few, 100, 1);
        assert_eq!((lines.len(), tally), (3, Tally { drawn: 3, kept: 3 }));
        let stop = StopToken::new();
        stop.stop();
        let mut engines = [Engine::new(Options { hash_mib: 2, threads: 1 })];
        let mut none = |_: &[Square], _, _| panic!("a line after a stop");
        assert_eq!(balanced_lines::<SearchError>(&mut engines, &few, 3, &stop, &mut none).unwrap(), Tally::default());
    }
}
