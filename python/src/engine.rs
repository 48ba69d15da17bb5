//! The engine: searches that hold no interpreter lock.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use numpy::PyArray1;
use outflank::analysis::batch::MAX_JOBS;
use outflank::analysis::best_moves::best_moves;
use outflank::analysis::equal_moves::add_equal_moves;
use outflank::analysis::json::{GameJson, MoveJson};
use outflank::analysis::review::review;
use outflank::play::{OpeningBook, ParseGradeError};
use outflank::{Engine, Goal, Level, Limits, Options, Player, PlayerOptions, Position, Report, SearchError};
use outflank::{StopToken, Strength, Time, Weights};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arrays;
use crate::errors;
use crate::games::{PyGame, game_of};
use crate::interrupt;
use crate::limits::{Wanted, is_long, level_of, lines_of, moves_of, seconds_of};
use crate::numbers::{BITS_64, COUNTS, HASH_MIB, THREADS, Whole, nearest};
use crate::position::position_of;
use crate::report::{PyLine, PyReport};
use crate::search::PySearch;

/// An engine: searches positions, remembering what it learned in its table.
#[pyclass(name = "Engine", module = "outflank", frozen)]
pub struct PyEngine {
    engine: Arc<Mutex<Engine>>,
    /// Never searches, so that others can share its table at any time.
    twin: Mutex<Engine>,
    /// Those of a file, if not the built-in ones.
    weights: Option<Arc<Weights>>,
    running: Running,
}

/// Stops what runs.
#[derive(Clone, Default)]
pub struct Running(Arc<Mutex<StopToken>>);

impl Running {
    /// Takes the engine for what `stop` ends; who finds it busy leaves the other's token alone.
    pub fn begin<'a>(&self, engine: &'a Mutex<Engine>, stop: &StopToken) -> PyResult<MutexGuard<'a, Engine>> {
        let engine = lock(engine)?;
        *self.token() = stop.clone();
        Ok(engine)
    }

    fn token(&self) -> MutexGuard<'_, StopToken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The engine, unless it is busy.
fn lock(engine: &Mutex<Engine>) -> Result<MutexGuard<'_, Engine>, PyErr> {
    match engine.try_lock() {
        Ok(guard) => Ok(guard),
        // a search that panicked leaves a table of proofs and estimates, all of them whole
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
            "the engine is searching: stop that search or wait for it, or search with engine.sharing() meanwhile",
        )),
    }
}

/// A callback of Python that hears of reports: its first exception stops the search.
struct Listener<'a> {
    call: Option<&'a Py<PyAny>>,
    stop: &'a StopToken,
    raised: Option<PyErr>,
}

impl Listener<'_> {
    fn hear(&mut self, report: &Report) {
        let (Some(call), None) = (self.call, &self.raised) else { return };
        if let Err(error) = Python::attach(|py| call.call1(py, (PyReport(report.clone()),)).map(drop)) {
            self.stop.stop();
            self.raised = Some(error);
        }
    }
}

/// What to do with the engine.
type Work<'a> =
    dyn Fn(&mut Engine, &StopToken, &mut dyn FnMut(&Report)) -> Result<Report, SearchError> + Send + Sync + 'a;

impl PyEngine {
    fn of(engine: Engine, weights: Option<Arc<Weights>>) -> PyEngine {
        PyEngine {
            twin: Mutex::new(engine.sharing()),
            engine: Arc::new(Mutex::new(engine)),
            weights,
            running: Running::default(),
        }
    }

    /// Runs a search with the engine.
    fn run(&self, py: Python<'_>, long: bool, on_report: Option<Py<PyAny>>, work: &Work<'_>) -> PyResult<PyReport> {
        let call = on_report.as_ref();
        self.call(py, long, |engine, stop| {
            let mut listener = Listener { call, stop, raised: None };
            let report = work(engine, stop, &mut |report| listener.hear(report));
            match listener.raised {
                Some(error) => Err(error),
                None => report.map(PyReport).map_err(errors::search),
            }
        })
    }

    /// Runs a call that has the engine for itself and that `stop` ends.
    fn call<T: Send>(
        &self,
        py: Python<'_>,
        long: bool,
        work: impl FnOnce(&mut Engine, &StopToken) -> PyResult<T> + Send,
    ) -> PyResult<T> {
        let stop = StopToken::new();
        interrupt::run(py, &stop, long, || {
            let mut engine = self.running.begin(&self.engine, &stop)?;
            work(&mut engine, &stop)
        })?
    }

    /// The options in force.
    fn options(&self) -> PyResult<Options> {
        Ok(lock(&self.engine)?.options().clone())
    }
}

/// Limits of a search for the best moves.
fn search_limits(position: &Position, wanted: &Wanted, lines: usize) -> PyResult<Limits> {
    let limits = wanted.limits(Goal::Level(Level::DEFAULT))?;
    let limits = Limits { multi_pv: lines, ..limits };
    limits.check(position).map_err(errors::search)?;
    Ok(limits)
}

/// How hard a player thinks: a level, or the name of a grade.
fn strength_of(level: Option<&Bound<'_, PyAny>>, time: Option<f64>, nodes: Option<Whole>) -> PyResult<Strength> {
    let strength = match level {
        None => Strength::default(),
        Some(level) => match level.extract::<String>() {
            Ok(name) => {
                Strength::grade(name.parse().map_err(|error: ParseGradeError| errors::search(error.to_string()))?)
            }
            Err(_) => Strength::level(level_of(level.extract()?)?),
        },
    };
    if strength.grade.is_some() && nodes.is_some() {
        return Err(errors::search("a grade excludes nodes"));
    }
    let nodes = Wanted { nodes, ..Wanted::default() }.nodes()?;
    Ok(Strength { nodes, time: time.map(seconds_of).transpose()?, ..strength })
}

/// Another number each time.
fn any_seed() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[pymethods]
impl PyEngine {
    /// An engine with a table of `hash` MiB that searches with `threads` threads, and with the weights of the file `eval`.
    #[new]
    #[pyo3(signature = (hash = 64, threads = 1, eval = None))]
    fn new(
        #[pyo3(from_py_with = nearest)] hash: i128,
        #[pyo3(from_py_with = nearest)] threads: i128,
        eval: Option<PathBuf>,
    ) -> PyResult<PyEngine> {
        let hash_mib = Whole(hash).within("hash", HASH_MIB).map_err(errors::search)?;
        let threads = Whole(threads).within("threads", THREADS).map_err(errors::search)?;
        let in_file = |path: PathBuf| Weights::load(&path).map(Arc::new).map_err(|error| errors::weights(&path, error));
        let weights = eval.map(in_file).transpose()?;
        let mut engine = Engine::new(Options { hash_mib, threads }).with_weights(weights.clone());
        // what is wrong with the numbers is said now, and no clock pays for the table
        engine.allocate().map_err(errors::search)?;
        Ok(PyEngine::of(engine, weights))
    }

    /// Another engine over the same table, to search at the same time in another thread.
    fn sharing(&self) -> PyResult<PyEngine> {
        let engine = lock(&self.twin)?.sharing();
        Ok(PyEngine::of(engine, self.weights.clone()))
    }

    /// MiB of the table.
    #[getter]
    fn hash(&self) -> PyResult<usize> {
        Ok(self.options()?.hash_mib)
    }

    /// Threads that search one position.
    #[getter]
    fn threads(&self) -> PyResult<usize> {
        Ok(self.options()?.threads)
    }

    #[setter]
    fn set_threads(&self, threads: Whole) -> PyResult<()> {
        let threads = threads.within("threads", THREADS).map_err(errors::search)?;
        let (mut engine, mut twin) = (lock(&self.engine)?, lock(&self.twin)?);
        let options = Options { threads, ..engine.options().clone() };
        twin.set_options(options.clone());
        engine.set_options(options);
        Ok(())
    }

    /// Stops the call of this engine that runs in another thread, or its search in the background, if there is one: it returns what it
    /// has found so far.
    fn stop(&self) {
        self.running.token().stop();
    }

    /// Forgets everything learned.
    fn clear(&self) -> PyResult<()> {
        lock(&self.engine)?.clear();
        Ok(())
    }

    /// Solves a position: the exact score with best play, or only who wins.
    #[pyo3(signature = (position, *, wld = false, all_moves = false, best_moves = false, discs_only = false, time = None,
                        nodes = None, on_report = None))]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    fn solve(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        wld: bool,
        all_moves: bool,
        best_moves: bool,
        discs_only: bool,
        time: Option<f64>,
        nodes: Option<Whole>,
        on_report: Option<Py<PyAny>>,
    ) -> PyResult<PyReport> {
        if wld && best_moves {
            return Err(errors::search("wld and best_moves exclude each other"));
        }
        let position = position_of(position)?;
        let wanted = Wanted { time, nodes, ..Wanted::default() };
        let limits = wanted.limits(if wld { Goal::WinDrawLoss } else { Goal::Exact })?;
        let limits = Limits { multi_pv: if all_moves { usize::MAX } else { 1 }, discs_only, ..limits };
        self.run(py, is_long(&position, &limits), on_report, &|engine, stop, hear| {
            let report = engine.search(&position, &limits, stop, hear)?;
            if best_moves && !all_moves {
                return add_equal_moves(engine, &position, &limits, stop, report);
            }
            Ok(report)
        })
    }

    /// Searches a position to a level, a depth, for a time or a number of nodes.
    #[pyo3(signature = (position, *, level = None, depth = None, selectivity = None, time = None, nodes = None, lines = 1,
                        moves = None, on_report = None))]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    fn search(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        level: Option<Whole>,
        depth: Option<Whole>,
        selectivity: Option<Whole>,
        time: Option<f64>,
        nodes: Option<Whole>,
        #[pyo3(from_py_with = nearest)] lines: i128,
        moves: Option<Vec<Bound<'_, PyAny>>>,
        on_report: Option<Py<PyAny>>,
    ) -> PyResult<PyReport> {
        let position = position_of(position)?;
        let wanted = Wanted { level, depth, selectivity, time, nodes };
        let moves = moves_of(&position, moves)?;
        let limits = Limits { moves, ..search_limits(&position, &wanted, lines_of("lines", Whole(lines))?)? };
        let long = is_long(&position, &limits);
        self.run(py, long, on_report, &|engine, stop, hear| engine.search(&position, &limits, stop, hear))
    }

    /// Starts a search in the background: iterate over its reports, `stop()` it, or wait for its `result()`.
    #[pyo3(signature = (position, *, level = None, depth = None, selectivity = None, time = None, nodes = None, lines = 1))]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    fn start(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        level: Option<Whole>,
        depth: Option<Whole>,
        selectivity: Option<Whole>,
        time: Option<f64>,
        nodes: Option<Whole>,
        #[pyo3(from_py_with = nearest)] lines: i128,
    ) -> PyResult<PySearch> {
        let position = position_of(position)?;
        let wanted = Wanted { level, depth, selectivity, time, nodes };
        // without any limit it goes on until it is stopped or the position is solved
        let limits = Limits { multi_pv: lines_of("lines", Whole(lines))?, ..wanted.limits(Goal::Unlimited)? };
        limits.check(&position).map_err(errors::search)?;
        let (engine, running) = (self.engine.clone(), self.running.clone());
        py.detach(|| PySearch::start(engine, running, position, limits))
    }

    /// The `n` best moves with their scores; images of a move in a symmetric position share its score.
    #[pyo3(signature = (position, n = 3, *, level = None, depth = None, selectivity = None, time = None, nodes = None))]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    fn hint(
        &self,
        py: Python<'_>,
        position: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = nearest)] n: i128,
        level: Option<Whole>,
        depth: Option<Whole>,
        selectivity: Option<Whole>,
        time: Option<f64>,
        nodes: Option<Whole>,
    ) -> PyResult<Vec<PyLine>> {
        let position = position_of(position)?;
        let wanted = Wanted { level, depth, selectivity, time, nodes };
        let limits = search_limits(&position, &wanted, lines_of("n", Whole(n))?)?;
        let long = is_long(&position, &limits);
        let report =
            self.run(py, long, None, &|engine, stop, hear| best_moves(engine, &position, &limits, stop, hear))?.0;
        Ok(report.lines.iter().map(|line| PyLine::new(line, &report)).collect())
    }

    /// The move that a player of this level chooses: a level 0 to 60 (21 when neither time nor nodes are given), or
    /// a grade, which plays as people of that strength do. `None` when the game is over.
    #[pyo3(signature = (game, level = None, *, time = None, nodes = None, book = true, seed = None))]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    fn choose(
        &self,
        py: Python<'_>,
        game: &Bound<'_, PyAny>,
        level: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        nodes: Option<Whole>,
        book: bool,
        seed: Option<Whole>,
    ) -> PyResult<Option<String>> {
        let game = game_of(game)?;
        if game.position().is_game_over() {
            return Ok(None);
        }
        let strength = strength_of(level, time, nodes)?;
        let long = strength.grade.is_none() && is_long(game.position(), &strength.limits(Time::Unlimited));
        // every move of a game has luck of its own, and the same seed makes the same moves
        let seed = seed.map(|seed| seed.within("seed", BITS_64)).transpose().map_err(errors::search)?;
        let seed = seed.unwrap_or_else(any_seed).wrapping_add((game.moves().len() as u64) << 32);
        let choice = self.call(py, long, |engine, stop| {
            let options = PlayerOptions { strength, seed, stop: stop.clone(), ..PlayerOptions::default() };
            let mut player = Player::new(engine.sharing(), game, options);
            player.set_book(book.then(|| OpeningBook::embedded(seed)));
            player.choose(&mut |_| {}).map_err(errors::search)
        })?;
        Ok(Some(choice.mv.to_string()))
    }

    /// Judges every move of a game; returns what `outflank analyze --json` prints: the game's object with the moves in it.
    #[pyo3(signature = (game, *, level = None, depth = None, selectivity = None, time = None, nodes = None, alternatives = 1))]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    fn analyze_game<'py>(
        &self,
        py: Python<'py>,
        game: &Bound<'_, PyGame>,
        level: Option<Whole>,
        depth: Option<Whole>,
        selectivity: Option<Whole>,
        time: Option<f64>,
        nodes: Option<Whole>,
        #[pyo3(from_py_with = nearest)] alternatives: i128,
    ) -> PyResult<Bound<'py, PyDict>> {
        let limits = Wanted { level, depth, selectivity, time, nodes }.limits(Goal::Level(Level::DEFAULT))?;
        let alternatives = Whole(alternatives).within("alternatives", COUNTS).map_err(errors::search)?;
        let record = &game.get().0;
        let review = self.call(py, true, |engine, stop| {
            review(engine, &record.game, &limits, alternatives, stop, &mut |_| {}).map_err(errors::search)
        })?;
        let rules = record.game.position().rules();
        let moves: Vec<MoveJson> = review.moves.iter().map(|one| MoveJson::new(1, rules, one)).collect();
        let mut object = serde_json::to_value(GameJson::new(1, record, &review)).expect("plain data");
        object["judged"] = serde_json::to_value(moves).expect("plain data");
        Ok(py.import("json")?.call_method1("loads", (object.to_string(),))?.cast_into()?)
    }

    /// Static value in discs for the side to move: of a position, or of an array of boards as an array of `int32`.
    fn evaluate<'py>(&self, py: Python<'py>, position: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // what is wrong with an array is said of an array
        if position.hasattr("__array__")? || position.is_instance_of::<pyo3::types::PyList>() {
            return Ok(self.evaluate_many(py, position)?.into_any());
        }
        let position = position_of(position)?;
        let value = lock(&self.engine)?.evaluate(&position);
        Ok(value.into_pyobject(py)?.into_any())
    }

    /// Static values of many boards in discs for their sides to move, without looking ahead.
    fn evaluate_many<'py>(&self, py: Python<'py>, boards: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i32>>> {
        /// Fewer take no time that anybody notices.
        const MANY: usize = 10_000;
        let boards = arrays::Boards::of(boards)?;
        let values = self.call(py, boards.len() >= MANY, |engine, stop| Ok(boards.evaluate(engine, stop)))?;
        Ok(PyArray1::from_vec(py, values))
    }

    /// Solves many boards, `jobs` of them side by side; see `outflank.solve_many`.
    #[pyo3(signature = (boards, *, jobs = 1, wld = false, level = None, depth = None, selectivity = None, nodes = None))]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    fn solve_many<'py>(
        &self,
        py: Python<'py>,
        boards: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = nearest)] jobs: i128,
        wld: bool,
        level: Option<Whole>,
        depth: Option<Whole>,
        selectivity: Option<Whole>,
        nodes: Option<Whole>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let wanted = Wanted { level, depth, selectivity, time: None, nodes };
        if wld && wanted.goal()?.is_some() {
            return Err(errors::search("wld excludes a level and a depth"));
        }
        let limits = wanted.limits(if wld { Goal::WinDrawLoss } else { Goal::Exact })?;
        let jobs = Whole(jobs).within("jobs", 1..=MAX_JOBS as i128).map_err(errors::search)?;
        let boards = arrays::Boards::of(boards)?;
        let solved = self.call(py, true, |engine, stop| boards.solve(engine, &self.weights, jobs, &limits, stop))?;
        solved.into_columns(py)
    }

    fn __repr__(&self) -> String {
        match self.options() {
            Ok(options) => format!("Engine(hash={}, threads={})", options.hash_mib, options.threads),
            Err(_) => "<Engine, searching>".to_string(),
        }
    }
}
