//! The engine as the Python module `outflank._core`; the package around it is `outflank`.
//!
//! Everything here is a thin layer: arguments in, the library's call without the interpreter lock, results out. Errors of the
//! library become exceptions with the same text.

use outflank::book::{embedded, probe};
use outflank::perft::{Leaves, perft as count};
use outflank::play::Grade;
use outflank::{Position, StopToken};
use pyo3::prelude::*;
use rayon::prelude::*;

use numbers::Whole;

mod arrays;
mod cluster;
mod engine;
mod errors;
mod games;
mod interrupt;
mod limits;
mod numbers;
mod position;
mod report;
mod search;
mod selfplay;
mod svg;

/// The plies that the library counts without other threads.
const ALONE: u32 = 3;

/// Counts the move sequences of a length from a position, passes counted as moves.
#[pyfunction]
fn perft(py: Python<'_>, position: &Bound<'_, PyAny>, depth: Whole) -> PyResult<u64> {
    let position = position::position_of(position)?;
    let depth = depth.within("depth", 0..=u32::MAX.into()).map_err(errors::value)?;
    let (stop, at_once) = (StopToken::new(), plies_at_once(&position));
    if depth <= ALONE {
        return interrupt::run(py, &stop, false, || count_until(&position, depth, at_once, &stop));
    }
    // not Rayon's own pool: a process that was forked from this one would have it without its threads
    let pool = rayon::ThreadPoolBuilder::new().build().map_err(errors::thread)?;
    interrupt::run(py, &stop, depth > at_once, || pool.install(|| count_until(&position, depth, at_once, &stop)))
}

/// The plies that are counted without looking whether to stop: some tenths of a second. The library plays the first four of them by
/// rules, and only those below on bitboards: with fewer it would be many times slower.
fn plies_at_once(position: &Position) -> u32 {
    if position.fast_board().is_some() { 8 } else { 3 }
}

/// What `perft` counts; anything when it was stopped.
fn count_until(position: &Position, depth: u32, at_once: u32, stop: &StopToken) -> u64 {
    if stop.is_stopped() {
        return 0;
    }
    if depth <= at_once {
        return count(position, depth, Leaves::Bulk);
    }
    let moves = position.legal_moves();
    if moves.is_empty() {
        return 1;
    }
    let below = |&mv| count_until(&position.play(mv).expect("a legal move"), depth - 1, at_once, stop);
    moves.par_iter().map(below).sum()
}

/// The names of the grades that `Engine.choose` plays as, from a child's to a master's.
#[pyfunction]
fn grades() -> Vec<&'static str> {
    Grade::ALL.iter().map(|grade| grade.name()).collect()
}

/// What the built-in book knows of a position: `(move, score)` for each move it has, best first.
#[pyfunction]
fn book_moves(position: &Bound<'_, PyAny>) -> PyResult<Vec<(String, i32)>> {
    let position = position::position_of(position)?;
    let known = probe(&*embedded(), &position);
    let moves = known.map_or(Vec::new(), |known| known.moves);
    Ok(moves.iter().map(|one| (one.square.to_string(), i32::from(one.score))).collect())
}

/// The engine's part of the package.
#[pymodule(gil_used = true)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    errors::add(module)?;
    module.add_class::<position::PyRuleSet>()?;
    module.add_class::<position::PyPosition>()?;
    module.add_class::<games::PyBoard>()?;
    module.add_class::<games::PyGame>()?;
    module.add_class::<games::PyGames>()?;
    module.add_class::<report::PyLine>()?;
    module.add_class::<report::PyReport>()?;
    module.add_class::<engine::PyEngine>()?;
    module.add_class::<search::PySearch>()?;
    module.add_class::<selfplay::PySelfplay>()?;
    module.add_class::<selfplay::PySelfplayGames>()?;
    module.add_class::<selfplay::PyArchive>()?;
    module.add_class::<cluster::PyProblemReader>()?;
    module.add_class::<cluster::PyProblemWriter>()?;
    module.add_class::<cluster::PyFolderLock>()?;
    module.add_class::<cluster::PyLeafSearcher>()?;
    module.add_class::<cluster::PyBookGrower>()?;
    module.add_class::<cluster::PyMatch>()?;
    module.add_class::<cluster::PyMatchStore>()?;
    module.add_function(wrap_pyfunction!(perft, module)?)?;
    module.add_function(wrap_pyfunction!(book_moves, module)?)?;
    module.add_function(wrap_pyfunction!(grades, module)?)?;
    module.add_function(wrap_pyfunction!(games::read_games, module)?)?;
    module.add_function(wrap_pyfunction!(games::write_games, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::boards_to_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::boards_from_numpy, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::legal_many, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::random_positions, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
