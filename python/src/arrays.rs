//! Many boards at once.

use std::sync::Arc;

use numpy::{
    PyArray1, PyArray2, PyArrayDescrMethods, PyArrayMethods, PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods,
};
use outflank::analysis::batch::{Batch, Event, Numbered};
use outflank::formats::obf::Problem;
use outflank::rules::Bits;
use outflank::{Board, Color, Engine, Goal, Limits, Move, Position, Report, RuleSet, StopToken, Weights};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::errors;
use crate::numbers::{BITS_64, COUNTS, Whole, nearest};
use crate::position::{PyPosition, board_of, othello, position_of};

/// What stands for no move in an array of moves.
const NONE: i16 = -1;

/// Positions: any, or rows of an array.
pub enum Boards {
    /// Positions of any rules.
    Positions(Vec<Position>),
    /// `(player, opponent)` of othello.
    Bits(Vec<[u64; 2]>),
}

impl Boards {
    /// Positions, or an array of `uint64` with two columns.
    pub fn of(boards: &Bound<'_, PyAny>) -> PyResult<Boards> {
        if let Ok(array) = boards.extract::<PyReadonlyArray2<'_, u64>>() {
            return if has_whole_steps(&array) {
                Boards::of_array(&array)
            } else {
                Boards::of_array(&boards.call_method0("copy")?.extract()?)
            };
        }
        if is_of_other_machines(boards) {
            return Boards::of(&boards.call_method1("astype", ("uint64",))?);
        }
        // arrays of other libraries and their tables, which would give the names of their columns
        if boards.hasattr("__array__")? {
            return Err(PyTypeError::new_err("boards in an array are uint64 of shape (n, 2): player and opponent"));
        }
        if boards.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("boards are an array or a list of positions, not one text"));
        }
        let list = boards.py().get_type::<PyList>().call1((boards,))?.cast_into::<PyList>()?;
        list.iter().map(|item| position_of(&item)).collect::<PyResult<_>>().map(Boards::Positions)
    }

    fn of_array(array: &PyReadonlyArray2<'_, u64>) -> PyResult<Boards> {
        if array.shape()[1] != 2 {
            return Err(PyTypeError::new_err("boards in an array are uint64 of shape (n, 2): player and opponent"));
        }
        // by its columns: the numbers of an array may lie in any order, with gaps between them
        let view = array.as_array();
        let rows: Vec<[u64; 2]> =
            view.column(0).iter().zip(view.column(1)).map(|(&player, &opponent)| [player, opponent]).collect();
        match rows.iter().position(|[player, opponent]| player & opponent != 0) {
            Some(at) => Err(errors::value(format!("board {at}: a square has a disc of both players"))),
            None => Ok(Boards::Bits(rows)),
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Boards::Positions(positions) => positions.len(),
            Boards::Bits(rows) => rows.len(),
        }
    }

    /// The positions, one by one.
    fn into_positions(self) -> Box<dyn Iterator<Item = Position> + Send> {
        match self {
            Boards::Positions(positions) => Box::new(positions.into_iter()),
            Boards::Bits(rows) => {
                let rules = othello();
                Box::new(rows.into_iter().map(move |row| position(&rules, row)))
            }
        }
    }

    /// Static values; those that a stop leaves time for.
    pub fn evaluate(&self, engine: &Engine, stop: &StopToken) -> Vec<i32> {
        /// Boards that are valued without looking whether to stop.
        const BLOCK: usize = 1 << 10;
        let mut values = Vec::with_capacity(self.len());
        let goes_on = || !stop.is_stopped();
        match self {
            Boards::Positions(positions) => {
                let blocks = positions.chunks(BLOCK).take_while(|_| goes_on());
                values.extend(blocks.flatten().map(|position| engine.evaluate(position)));
            }
            Boards::Bits(rows) => {
                for rows in rows.chunks(BLOCK).take_while(|_| goes_on()) {
                    let boards = rows.iter().map(|&[player, opponent]| Board { player, opponent });
                    values.extend(engine.evaluate_boards(&boards.collect::<Vec<Board>>()));
                }
            }
        }
        values
    }

    /// Solves the boards: one after the other with this engine, or several at a time with engines like it. What is no proof is left to
    /// those in any case, since what this one knows would change it ([`Batch`] has more about that).
    pub fn solve(
        self,
        engine: &mut Engine,
        weights: &Option<Arc<Weights>>,
        jobs: usize,
        limits: &Limits,
        stop: &StopToken,
    ) -> PyResult<Solved> {
        let mut solved = Solved::with_capacity(self.len());
        let proves = limits.nodes.is_none() && matches!(limits.goal, Goal::Exact | Goal::WinDrawLoss);
        if jobs == 1 && proves {
            for position in self.into_positions() {
                let report = engine.search(&position, limits, stop, &mut |_| {}).map_err(errors::search)?;
                // what a stop has cut short is no result
                if stop.is_stopped() {
                    break;
                }
                solved.push(position.rules(), &report);
            }
            return Ok(solved);
        }
        let batch = Batch {
            jobs,
            options: engine.options().clone(),
            weights: weights.clone(),
            limits: limits.clone(),
            best_moves: false,
            stop: stop.clone(),
            on_report: None,
        };
        let number = |(number, position)| {
            let problem = Ok(Problem::new(position));
            Numbered { number, source: 0, line: number as usize, problem }
        };
        for event in batch.run((1..).zip(self.into_positions()).map(number)).map_err(errors::search)? {
            match event {
                Event::Solved(one) if one.number == solved.len() + 1 => {
                    solved.push(one.problem.position.rules(), &one.report);
                }
                // behind a stop come boards out of turn, and no column says which they are
                Event::Solved(_) | Event::Interrupted => break,
                Event::Unsearched { error, .. } => return Err(errors::search(error)),
                Event::BadLine { error, .. } => return Err(errors::parse(error)),
            }
        }
        Ok(solved)
    }
}

/// An array of `uint64` in the order of bytes that this machine does not have, as files of others hold them.
fn is_of_other_machines(boards: &Bound<'_, PyAny>) -> bool {
    boards.cast::<PyUntypedArray>().is_ok_and(|array| {
        let kind = array.dtype();
        kind.kind() == b'u' && kind.itemsize() == size_of::<u64>() && kind.is_native_byteorder() == Some(false)
    })
}

/// The numbers lie at whole multiples of their size, as in all arrays but those over packed records and other bytes.
fn has_whole_steps(array: &PyReadonlyArray2<'_, u64>) -> bool {
    let size = size_of::<u64>();
    array.data().addr() % size == 0 && array.strides().iter().all(|step| step % size as isize == 0)
}

fn position(rules: &Arc<RuleSet>, [player, opponent]: [u64; 2]) -> Position {
    Position::from_discs(rules.clone(), Bits::from_u64(player), Bits::from_u64(opponent), Color::Black)
        .expect("overlaps have been looked for")
}

/// The number of a move on its board: squares row by row from 0, and their number for a pass.
fn number_of(rules: &RuleSet, mv: Move) -> i16 {
    let (rows, columns) = (i16::from(rules.rows()), i16::from(rules.columns()));
    match mv {
        Move::Pass => rows * columns,
        Move::Place { at, .. } => i16::from(at.row) * columns + i16::from(at.column),
    }
}

/// Results of many searches, column by column.
#[derive(Default)]
pub struct Solved {
    score: Vec<i16>,
    best: Vec<i16>,
    depth: Vec<u8>,
    exact: Vec<bool>,
    nodes: Vec<u64>,
    seconds: Vec<f32>,
}

impl Solved {
    fn with_capacity(count: usize) -> Solved {
        Solved { score: Vec::with_capacity(count), best: Vec::with_capacity(count), ..Solved::default() }
    }

    fn len(&self) -> u64 {
        self.score.len() as u64
    }

    fn push(&mut self, rules: &RuleSet, report: &Report) {
        let best = report.best().map_or(NONE, |line| number_of(rules, line.mv));
        self.score.push(report.score as i16);
        self.best.push(best);
        self.depth.push(report.depth);
        self.exact.push(report.is_exact());
        self.nodes.push(report.nodes);
        self.seconds.push(report.elapsed.as_secs_f32());
    }

    /// A dictionary of arrays.
    pub fn into_columns(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let columns = PyDict::new(py);
        columns.set_item("score", PyArray1::from_vec(py, self.score))?;
        columns.set_item("best", PyArray1::from_vec(py, self.best))?;
        columns.set_item("depth", PyArray1::from_vec(py, self.depth))?;
        columns.set_item("exact", PyArray1::from_vec(py, self.exact))?;
        columns.set_item("nodes", PyArray1::from_vec(py, self.nodes))?;
        columns.set_item("seconds", PyArray1::from_vec(py, self.seconds))?;
        Ok(columns)
    }
}

/// Boards as an array with two columns.
pub fn to_array<'py>(py: Python<'py>, boards: &[[u64; 2]]) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let flat: Vec<u64> = boards.as_flattened().to_vec();
    PyArray1::from_vec(py, flat).reshape([boards.len(), 2])
}

/// Positions as an array of `uint64` with two columns: the discs of the player (the side to move) and of the opponent.
#[pyfunction]
pub fn boards_to_numpy<'py>(py: Python<'py>, boards: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let bits = |position: Position| board_of(&position).map(|board| [board.player, board.opponent]);
    let rows: PyResult<Vec<[u64; 2]>> = Boards::of(boards)?.into_positions().map(bits).collect();
    to_array(py, &rows?)
}

/// The boards of an array as positions, black to move.
#[pyfunction]
pub fn boards_from_numpy(boards: &Bound<'_, PyAny>) -> PyResult<Vec<PyPosition>> {
    Ok(Boards::of(boards)?.into_positions().map(PyPosition).collect())
}

/// Legal moves of many boards as sets of bits; 0 where the side to move must pass or the game is over.
#[pyfunction]
pub fn legal_many<'py>(py: Python<'py>, boards: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let Boards::Bits(rows) = Boards::of(boards)? else {
        return Err(PyTypeError::new_err("boards in an array are uint64 of shape (n, 2): player and opponent"));
    };
    let moves = |[player, opponent]: [u64; 2]| Board { player, opponent }.legal_moves();
    Ok(PyArray1::from_vec(py, py.detach(|| rows.into_iter().map(moves).collect())))
}

/// Positions reached by random moves, with so many empty squares and a move to make, as an array of boards.
///
/// The same seed gives the same positions, and more of them begin with the same ones.
#[pyfunction]
#[pyo3(signature = (count, empties, seed = 1))]
pub fn random_positions(
    py: Python<'_>,
    count: Whole,
    empties: Whole,
    #[pyo3(from_py_with = nearest)] seed: i128,
) -> PyResult<Bound<'_, PyArray2<u64>>> {
    let count: usize = count.within("count", COUNTS).map_err(errors::value)?;
    let empties = empties.within("empties", 1..=60).map_err(errors::value)?;
    let seed = Whole(seed).within("seed", BITS_64).map_err(errors::value)?;
    let stop = StopToken::new();
    let boards = crate::interrupt::run(py, &stop, true, || {
        let mut rng = StdRng::seed_from_u64(seed);
        let boards = (0..count).map_while(|_| (!stop.is_stopped()).then(|| random_board(empties, &mut rng)));
        boards.collect::<Vec<_>>()
    })?;
    to_array(py, &boards)
}

fn random_board(empties: u32, rng: &mut StdRng) -> [u64; 2] {
    loop {
        let mut board = Board::START;
        while board.empty_count() > empties || board.legal_moves() == 0 {
            if board.legal_moves() == 0 {
                board = board.pass();
            }
            let moves = board.legal_moves();
            if moves == 0 || board.empty_count() < empties {
                break;
            }
            if board.empty_count() > empties {
                let nth = rng.random_range(0..moves.count_ones()) as usize;
                let square = outflank::board::Squares(moves).nth(nth).expect("one of the moves");
                board = board.play(square).expect("a legal move");
            }
        }
        if board.empty_count() == empties && board.legal_moves() != 0 {
            return [board.player, board.opponent];
        }
    }
}
