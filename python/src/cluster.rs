//! What `outflank.scale` needs of the library: the parts of solving, growing and matches that stay in one place.

use std::any::Any;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use outflank::book::grow::{Plan as Growth, next_boards, stale_boards};
use outflank::book::leaf::Job;
use outflank::book::negamax::negamax;
use outflank::book::shelf::create_empty;
use outflank::book::{Leaf, Losses, Shelf, Work};
use outflank::formats::atomic::lock_folder;
use outflank::formats::named_rules::Naming;
use outflank::formats::{board_text, obf};
use outflank::tournament::{
    Finished, GameRecord, OpeningSource, Plan, Player, PlayerContext, PlayerSpec, Referee, Sprt, Store, TimeControl,
    Verdict, describe, parse_openings, play_pair,
};
use outflank::{Board, Engine, Level, Options, Position, Square, StopToken};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors;
use crate::interrupt;
use crate::limits::{Wanted, level_of};
use crate::numbers::{BITS_64, COUNTS, HASH_MIB, Whole, nearest};
use crate::position::{othello, position_of, rules_of};

/// A line of a file of problems: its number, the position as text (or what is wrong with it), its empty squares, the score
/// that the file gives, if it is exact.
type ProblemLine = (u64, Option<String>, Option<String>, u8, Option<i32>);

/// Reads a file of boards, OBF problems or transcripts line by line, in little memory.
#[pyclass(name = "ProblemReader", module = "outflank", frozen)]
pub struct PyProblemReader(Mutex<obf::Reader<BufReader<File>>>);

#[pymethods]
impl PyProblemReader {
    /// Opens the file.
    #[new]
    #[pyo3(signature = (path, rules = None))]
    fn new(path: PathBuf, rules: Option<&Bound<'_, PyAny>>) -> PyResult<PyProblemReader> {
        let file = File::open(&path).map_err(|error| errors::file(&error, format!("{}: {error}", path.display())))?;
        let reader = obf::Reader::new(BufReader::with_capacity(1 << 16, file), rules_of(rules)?);
        Ok(PyProblemReader(Mutex::new(reader.with_transcripts())))
    }

    /// The next `count` lines at most, none at the end; blank lines and comments are left out.
    fn read(&self, py: Python<'_>, count: usize) -> Vec<ProblemLine> {
        let line = |(line, problem): (usize, Result<obf::Problem, obf::ObfError>)| match problem {
            Ok(problem) => {
                let position = &problem.position;
                let is_plain = **position.rules() == *othello();
                let text = if is_plain { board_text::write(position) } else { position.to_string() };
                (line as u64, Some(text), None, position.empty_count().min(255) as u8, problem.exact_score())
            }
            Err(error) => (line as u64, None, Some(error.to_string()), 0, None),
        };
        py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).by_ref().take(count).map(line).collect())
    }
}

/// Writes positions as a file of OBF problems has them, one after the other.
#[pyclass(name = "ProblemWriter", module = "outflank", frozen)]
pub struct PyProblemWriter(Mutex<Naming>);

#[pymethods]
impl PyProblemWriter {
    /// A writer of a file of its own.
    #[new]
    fn new() -> PyProblemWriter {
        PyProblemWriter(Mutex::default())
    }

    /// The board and the side to move, with a comment line before them where the rules are not those of the position before.
    fn write(&self, position: &Bound<'_, PyAny>) -> PyResult<String> {
        let position = position_of(position)?;
        let rules = self.0.lock().unwrap_or_else(PoisonError::into_inner).before(position.rules());
        Ok(rules + &board_text::write(&position))
    }
}

/// Keeps other processes out of a folder until it is released, or ends with this one.
#[pyclass(name = "FolderLock", module = "outflank", frozen)]
pub struct PyFolderLock(Mutex<Option<Box<dyn Any + Send>>>);

#[pymethods]
impl PyFolderLock {
    /// Locks a folder that is there.
    #[new]
    fn new(path: PathBuf) -> PyResult<PyFolderLock> {
        let lock =
            lock_folder(&path).map_err(|error| errors::output(&error, format!("{}: {error}", path.display())))?;
        let in_use = || errors::value(format!("{} is in use by another process", path.display()));
        Ok(PyFolderLock(Mutex::new(Some(Box::new(lock.ok_or_else(in_use)?)))))
    }

    /// Lets others in.
    fn release(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// An engine that searches leaves of books.
#[pyclass(name = "LeafSearcher", module = "outflank", frozen)]
pub struct PyLeafSearcher(Mutex<Engine>);

#[pymethods]
impl PyLeafSearcher {
    /// An engine with a table of `hash` MiB.
    #[new]
    #[pyo3(signature = (hash = 64))]
    fn new(#[pyo3(from_py_with = nearest)] hash: i128) -> PyResult<PyLeafSearcher> {
        let hash_mib = Whole(hash).within("hash", HASH_MIB).map_err(errors::search)?;
        let mut engine = Engine::new(Options { hash_mib, threads: 1 });
        engine.allocate().map_err(errors::search)?;
        Ok(PyLeafSearcher(Mutex::new(engine)))
    }

    /// Searches the moves of a job; the best square and its score, or `None` when nothing is left to search.
    fn search(&self, py: Python<'_>, job: (u64, u64, u64, u8)) -> PyResult<Option<(u8, i8)>> {
        let board = Board::new(job.0, job.1).ok_or_else(|| errors::value("a square has a disc of both players"))?;
        if job.2 & !board.legal_moves() != 0 {
            return Err(errors::value("the moves of the job are not all legal on its board"));
        }
        level_of(Whole(job.3.into()))?;
        let (job, stop) = (Job { board, moves: job.2, level: job.3 }, StopToken::new());
        let leaf = interrupt::run(py, &stop, true, || {
            job.run(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner), &stop)
        })?;
        match leaf.map_err(errors::search)? {
            Some(Leaf::Move { square, score }) => Ok(Some((square.index() as u8, score))),
            _ => Ok(None),
        }
    }
}

/// A book that grows by searches made elsewhere.
#[pyclass(name = "BookGrower", module = "outflank", frozen)]
pub struct PyBookGrower(Mutex<Option<Grower>>);

struct Grower {
    shelf: Shelf,
    plan: Growth,
    work: Option<Work>,
    /// Positions when it was opened.
    before: usize,
    ending: bool,
}

impl PyBookGrower {
    fn lock(&self) -> MutexGuard<'_, Option<Grower>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Grower) -> PyResult<T>) -> PyResult<T> {
        work(self.lock().as_mut().ok_or_else(|| errors::value("the book is closed"))?)
    }
}

#[pymethods]
impl PyBookGrower {
    /// Opens the book, or makes it. `level` and `plies` are by default the book's (of a new one 16 and 36).
    #[new]
    #[pyo3(signature = (path, *, level = None, plies = None, loss = (4, 8), drop_out = 3.0),
           // PyO3 has no words for a pair
           text_signature = "(path, *, level=None, plies=None, loss=(4, 8), drop_out=3.0)")]
    fn new(
        path: PathBuf,
        level: Option<Whole>,
        plies: Option<Whole>,
        loss: (i128, i128),
        drop_out: f64,
    ) -> PyResult<PyBookGrower> {
        let default = outflank::book::Settings::default();
        let level = level.map(level_of).transpose()?.map(Level::get);
        let plies = plies.map(|plies| plies.within::<u8>("plies", 1..=60)).transpose().map_err(errors::value)?;
        let discs = |loss| Whole(loss).within("loss", 0..=u8::MAX.into()).map_err(errors::value);
        let losses = Losses { by_move: discs(loss.0)?, in_all: discs(loss.1)? };
        if !(0.0..=1000.0).contains(&drop_out) {
            return Err(errors::value(format!("drop_out {drop_out}: 0 to 1000 plies are possible")));
        }
        let shelf = if path.exists() {
            Shelf::open(&path)
        } else {
            let level = level.unwrap_or(default.level);
            create_empty(
                &path,
                outflank::book::Settings { level, max_ply: plies.unwrap_or(default.max_ply), ..default },
            )
        };
        let shelf = shelf.map_err(errors::book)?;
        let settings = shelf.book().settings;
        let mut plan = Growth::new(level.unwrap_or(settings.level), plies.unwrap_or(settings.max_ply).into(), losses);
        (plan.leaf_loss, plan.plies_per_disc) = (u8::MAX, drop_out);
        let before = shelf.book().len();
        Ok(PyBookGrower(Mutex::new(Some(Grower { shelf, plan, work: None, before, ending: false }))))
    }

    /// The next searches, for about so many workers, with at most `left` new positions: none when the plan is fulfilled.
    /// All results of the searches before have been entered.
    fn next(&self, py: Python<'_>, workers: usize, left: u64) -> PyResult<Vec<(u64, u64, u64, u8)>> {
        let next = |grower: &mut Grower| {
            let Grower { shelf, plan, ending, .. } = grower;
            negamax(shelf.edit(), |_| {});
            shelf.sync().map_err(errors::book)?;
            let (mut boards, _) =
                if *ending || left == 0 { (Vec::new(), 0) } else { next_boards(shelf.book(), plan, workers, left) };
            if boards.is_empty() && !*ending {
                *ending = true;
                boards = stale_boards(shelf.book());
            }
            let work = Work::new(shelf.book(), &boards, plan.level);
            let jobs = work.jobs().iter().map(|job| (job.board.player, job.board.opponent, job.moves, job.level));
            let jobs = jobs.collect();
            grower.work = Some(work);
            Ok(jobs)
        };
        py.detach(|| self.with(next))
    }

    /// Enters the result of a search of the last `next`, by its place there.
    fn enter(&self, number: usize, leaf: Option<(u8, i8)>) -> PyResult<()> {
        self.with(|Grower { shelf, work, .. }| {
            let work = work.as_mut().filter(|work| number < work.jobs().len());
            let work = work.ok_or_else(|| errors::value(format!("there is no search {number}")))?;
            let leaf = leaf.and_then(|(square, score)| Some(Leaf::Move { square: Square::new(square)?, score }));
            work.enter(shelf, number, leaf.unwrap_or(Leaf::None)).map_err(errors::book)
        })
    }

    /// Puts the whole book into its file.
    fn save(&self, py: Python<'_>) -> PyResult<()> {
        let save = |grower: &mut Grower| {
            negamax(grower.shelf.edit(), |_| {});
            grower.shelf.save().map_err(errors::book)
        };
        py.detach(|| self.with(save))
    }

    /// Lets others change the book; what has been entered since `save` is beside it.
    fn close(&self) {
        self.lock().take();
    }

    /// Positions added since it was opened.
    #[getter]
    fn added(&self) -> PyResult<usize> {
        self.with(|grower| Ok(grower.shelf.book().len() - grower.before))
    }

    fn __len__(&self) -> PyResult<usize> {
        self.with(|grower| Ok(grower.shelf.book().len()))
    }
}

/// A match whose pairs of games can be played anywhere.
#[pyclass(name = "Match", module = "outflank", frozen)]
pub struct PyMatch {
    plan: Plan,
    description: serde_json::Value,
    players: Mutex<Option<[Box<dyn Player>; 2]>>,
}

#[pymethods]
impl PyMatch {
    /// Two players in the words of `outflank match`, and how many pairs of games they are to play.
    #[new]
    #[pyo3(signature = (first, second, pairs, *, openings = None, random_plies = 8, seed = 1, level = None, depth = None,
                        nodes = None, time = None, sprt = None, alpha = 0.05, beta = 0.05))]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    fn new(
        first: &str,
        second: &str,
        pairs: Whole,
        openings: Option<&str>,
        #[pyo3(from_py_with = nearest)] random_plies: i128,
        #[pyo3(from_py_with = nearest)] seed: i128,
        level: Option<Whole>,
        depth: Option<Whole>,
        nodes: Option<Whole>,
        time: Option<f64>,
        sprt: Option<(f64, f64)>,
        alpha: f64,
        beta: f64,
    ) -> PyResult<PyMatch> {
        let pairs: usize = pairs.within("pairs", 0..=10_000_000).map_err(errors::value)?;
        let random_plies = Whole(random_plies).within("random_plies", COUNTS).map_err(errors::value)?;
        let seed: u64 = Whole(seed).within("seed", BITS_64).map_err(errors::value)?;
        let specs = [first, second].map(|text| text.parse::<PlayerSpec>().map_err(errors::parse));
        let [first_spec, second_spec] = specs;
        let mut players = [first_spec?, second_spec?];
        let [first_sums, second_sums] = players.each_mut().map(|player| player.load().map_err(errors::parse));
        let checksums = [first_sums?, second_sums?];
        let source = match openings {
            None => OpeningSource::Random(random_plies),
            Some(text) => OpeningSource::List(parse_openings(&othello(), text).map_err(errors::parse)?),
        };
        let openings = source.openings(&othello(), pairs, seed).map_err(errors::parse)?;
        let wanted = Wanted { level, depth, nodes, ..Wanted::default() };
        let (goal, nodes) = (wanted.goal()?, wanted.nodes()?);
        if (goal.is_some() || nodes.is_some()) && !players.iter().any(PlayerSpec::takes_strength) {
            let whose = "`outflank` players without a strength of their own, and none plays";
            return Err(errors::value(format!("level, depth and nodes are for {whose}")));
        }
        let control = match time {
            None => TimeControl::None,
            Some(seconds) => TimeControl::PerMove(crate::limits::seconds_of(seconds)?),
        };
        let patience = Duration::from_secs(60);
        let context = PlayerContext { stop: StopToken::new(), goal, nodes, control, patience };
        let referee = Referee { start: Position::default(), control, grace: Duration::from_millis(100), patience };
        let test = sprt.map(|(elo0, elo1)| Sprt::new(elo0, elo1, alpha, beta)).transpose().map_err(errors::value)?;
        let plan = Plan { players, context, referee, openings, jobs: 1, sprt: test, seed };
        let description = describe(&plan, &source, checksums);
        Ok(PyMatch { plan, description, players: Mutex::new(None) })
    }

    /// Pairs of games.
    #[getter]
    fn pairs(&self) -> usize {
        self.plan.openings.len()
    }

    /// Plays both games of a pair; a JSON object each.
    fn play(&self, py: Python<'_>, pair: Whole) -> PyResult<Vec<String>> {
        let place = usize::try_from(pair.0).ok().filter(|pair| *pair < self.plan.openings.len());
        let pair = place.ok_or_else(|| errors::value(format!("there is no pair {pair}")))?;
        let games = interrupt::run(py, &self.plan.context.stop, true, || {
            play_pair(&self.plan, &mut self.players.lock().unwrap_or_else(PoisonError::into_inner), pair)
        })?;
        let games = games.map_err(|error| errors::value(error.to_string()))?;
        Ok(games.iter().map(|game| serde_json::to_string(game).expect("plain data")).collect())
    }

    /// The file of the games, `PREFIX.jsonl` and `PREFIX.ggf`; with `resume` it goes on with the games that it has.
    #[pyo3(signature = (prefix, resume = false))]
    fn store(&self, prefix: PathBuf, resume: bool) -> PyResult<PyMatchStore> {
        let rules = self.plan.referee.start.rules();
        let (store, finished) = Store::open(&prefix, &self.description, rules, resume).map_err(errors::matches)?;
        let (start, sprt) = (self.plan.referee.start.clone(), self.plan.sprt);
        Ok(PyMatchStore(Mutex::new(Stored { store: Some(store), finished, start, sprt })))
    }
}

struct Stored {
    /// None when closed.
    store: Option<Store>,
    finished: Finished,
    start: Position,
    sprt: Option<Sprt>,
}

/// The games of a match, saved as they come, with one account of the result.
#[pyclass(name = "MatchStore", module = "outflank", frozen)]
pub struct PyMatchStore(Mutex<Stored>);

impl PyMatchStore {
    fn stored(&self) -> MutexGuard<'_, Stored> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyMatchStore {
    /// Both games of the pair are there.
    fn has(&self, pair: usize) -> bool {
        let stored = self.stored();
        [0, 1].iter().all(|&leg| stored.finished.has(pair, leg))
    }

    /// Adds a game; one that is there already is left out.
    fn add(&self, game: &str) -> PyResult<()> {
        let mut stored = self.stored();
        let game = GameRecord::from_line(game.as_bytes(), &stored.start).map_err(errors::parse)?;
        // what could not be saved may be tried again
        if !stored.finished.has(game.pair, game.leg) {
            let store = stored.store.as_mut().ok_or_else(|| errors::value("the games of this match are closed"))?;
            store.add(&game).map_err(errors::matches)?;
            stored.finished.add(&game);
        }
        Ok(())
    }

    /// Waits until every game is durable, and says when one cannot be: what nobody closes does not tell. The account of the
    /// result stays.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        // taken out first: who waits for the account may hold the interpreter
        let store = self.stored().store.take();
        store.map_or(Ok(()), |store| py.detach(|| store.close())).map_err(errors::matches)
    }

    /// The result so far, seen by the first player.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stored = self.stored();
        let (statistics, result) = (stored.finished.statistics(), PyDict::new(py));
        let (wins, draws, losses) = statistics.wins_draws_losses();
        result.set_item("games", statistics.games())?;
        result.set_item("wins", wins)?;
        result.set_item("draws", draws)?;
        result.set_item("losses", losses)?;
        result.set_item("score", statistics.score())?;
        result.set_item("discs", statistics.discs().mean())?;
        let elo = statistics.pairs().elo();
        result.set_item("elo", elo.map(|elo| (elo.value, elo.low, elo.high)))?;
        let llr = stored.sprt.map(|sprt| sprt.llr(statistics.pairs()));
        result.set_item("llr", llr)?;
        let verdict = stored.sprt.and_then(|sprt| sprt.verdict(llr?));
        result.set_item("verdict", verdict.map(|verdict| if verdict == Verdict::H1 { "H1" } else { "H0" }))?;
        Ok(result)
    }
}
