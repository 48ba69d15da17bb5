//! Games of the engine against itself, for training.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::PyArray1;
use outflank::eval::read_file;
use outflank::formats::openings::parse_openings;
use outflank::selfplay::{
    Archive, GameRecord, Header, Kind, Labelled, PlyRange, Reader, SelfplayError, Settings, generate,
};
use outflank::{SearchError, StopToken, Weights};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};

use crate::errors;
use crate::interrupt;
use crate::limits::Wanted;
use crate::numbers::{BITS_64, THREADS, Whole, nearest};
use crate::position::othello;

/// How games are made; the same settings, seed and index give the same game.
#[pyclass(name = "Selfplay", module = "outflank", frozen)]
pub struct PySelfplay(Settings);

fn settings_of(
    wanted: &Wanted,
    exact: u32,
    random_plies: Option<(Whole, Whole)>,
    openings: Option<&str>,
) -> PyResult<Settings> {
    let default = Settings::default();
    let nodes = wanted.nodes()?;
    let goal = Settings::goal_for(wanted.goal()?, nodes);
    let openings = match openings {
        None => Vec::new(),
        Some(text) => parse_openings(&othello(), text).map_err(errors::parse)?,
    };
    let random_plies = match random_plies {
        None => Settings::random_plies_after(&openings),
        Some((Whole(min @ 0..=58), Whole(max @ 0..=58))) if min <= max => PlyRange { min: min as u8, max: max as u8 },
        Some((min, max)) => {
            return Err(errors::value(format!("random_plies ({min}, {max}): from few to many, at most 58")));
        }
    };
    Ok(Settings { goal, nodes, exact, random_plies, openings, ..default })
}

#[pymethods]
impl PySelfplay {
    /// Settings of games; see `outflank.selfplay` for what each means.
    #[new]
    #[pyo3(signature = (*, seed = 1, level = None, depth = None, selectivity = None, nodes = None, exact = 14,
                        random_plies = None, balance = None, stray = 4.0, openings = None, hash = 1, eval = None))]
    #[allow(clippy::too_many_arguments)] // keywords in Python
    fn new(
        #[pyo3(from_py_with = nearest)] seed: i128,
        level: Option<Whole>,
        depth: Option<Whole>,
        selectivity: Option<Whole>,
        nodes: Option<Whole>,
        #[pyo3(from_py_with = nearest)] exact: i128,
        random_plies: Option<(Whole, Whole)>,
        balance: Option<Whole>,
        stray: f64,
        openings: Option<&str>,
        #[pyo3(from_py_with = nearest)] hash: i128,
        eval: Option<PathBuf>,
    ) -> PyResult<PySelfplay> {
        if !(0.0..=100.0).contains(&stray) {
            return Err(errors::value(format!("stray {stray}: a probability from 0 to 100 percent is possible")));
        }
        let seed = Whole(seed).within("seed", BITS_64).map_err(errors::value)?;
        let exact = Whole(exact).within("exact", 0..=30).map_err(errors::value)?;
        let balance = balance.map(|discs| discs.within("balance", 0..=u32::MAX.into())).transpose();
        let balance = balance.map_err(errors::value)?;
        let hash_mib = Whole(hash).within("hash", 1..=4096).map_err(errors::value)?;
        let wanted = Wanted { level, depth, selectivity, time: None, nodes };
        let settings = settings_of(&wanted, exact, random_plies, openings)?;
        let weights = eval.map(|path| {
            let in_file = |error| errors::weights(&path, error);
            let bytes = read_file(&path).map_err(in_file)?;
            let weights = Weights::from_bytes(&bytes).map_err(in_file)?;
            Ok::<_, PyErr>((Arc::new(weights), Weights::checksum(&bytes)))
        });
        let weights = weights.transpose()?;
        Ok(PySelfplay(Settings { seed, balance, stray_percent: stray, weights, hash_mib, ..settings }))
    }

    /// The settings as they are recorded in archives, `name=value`, one a line.
    #[getter]
    fn settings(&self) -> String {
        format!("seed={}\n{}", self.0.seed, self.0.header().settings)
    }

    /// Plays the games with these indices on so many threads; the order of the games is that of the indices.
    #[pyo3(signature = (indices, threads = 1))]
    fn play(
        &self,
        py: Python<'_>,
        indices: Vec<Whole>,
        #[pyo3(from_py_with = nearest)] threads: i128,
    ) -> PyResult<PySelfplayGames> {
        let threads = Whole(threads).within("threads", THREADS).map_err(errors::value)?;
        let index = |index: Whole| index.within("game", 0..=u32::MAX.into()).map_err(errors::value);
        let indices = indices.into_iter().map(index).collect::<PyResult<Vec<u32>>>()?;
        let stop = StopToken::new();
        let mut games = HashMap::new();
        let mut collect = |game: GameRecord| {
            games.insert(game.index, game);
            Ok::<(), SearchError>(())
        };
        let played = interrupt::run(py, &stop, true, || generate(&self.0, &indices, threads, &stop, &mut collect))?;
        played.map_err(errors::search)?;
        // one by one: an index may be there twice
        let games = indices.iter().filter_map(|index| games.get(index).cloned()).collect();
        Ok(PySelfplayGames { games, header: Some(self.0.header()) })
    }
}

/// What `SelfplayGames._unpickled` takes: the records, and the seed and the settings where they are known.
type Pickled<'py> = (Bound<'py, PyBytes>, Option<(u64, String)>);

/// Games of self-play with a label for every position after the opening.
#[pyclass(name = "SelfplayGames", module = "outflank", frozen)]
pub struct PySelfplayGames {
    games: Vec<GameRecord>,
    /// How they were made, where that is known: bytes of records do not say.
    header: Option<Header>,
}

#[pymethods]
impl PySelfplayGames {
    /// Games from what `to_bytes` gave.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<PySelfplayGames> {
        let games = GameRecord::all_from_bytes(bytes).map_err(errors::parse)?;
        Ok(PySelfplayGames { games, header: None })
    }

    /// What `pickle` kept.
    #[staticmethod]
    fn _unpickled(bytes: &[u8], made_with: Option<(u64, String)>) -> PyResult<PySelfplayGames> {
        let header = made_with.map(|(seed, settings)| Header { seed, settings });
        Ok(PySelfplayGames { header, ..PySelfplayGames::from_bytes(bytes)? })
    }

    /// The games of an archive (`outflank selfplay --out FILE`).
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<PySelfplayGames> {
        let read = || {
            let reader = Reader::open(&path)?;
            let header = Some(reader.header().clone());
            Ok::<_, SelfplayError>(PySelfplayGames { header, games: reader.collect::<Result<_, _>>()? })
        };
        py.detach(read).map_err(errors::selfplay)
    }

    /// The games as the bytes of an archive's records.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes: Vec<u8> = self.games.iter().flat_map(GameRecord::to_bytes).collect();
        PyBytes::new(py, &bytes)
    }

    /// Indices of the games.
    #[getter]
    fn indices(&self) -> Vec<u32> {
        self.games.iter().map(|game| game.index).collect()
    }

    /// The labelled positions as a dictionary of arrays; see `outflank.selfplay`.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let labelled = || self.games.iter().flat_map(|game| game.positions().map(move |one| (game.index, one)));
        let columns = PyDict::new(py);
        fn column<'py, T: numpy::Element>(py: Python<'py>, values: impl Iterator<Item = T>) -> Bound<'py, PyArray1<T>> {
            PyArray1::from_vec(py, values.collect())
        }
        columns.set_item("game", column(py, labelled().map(|(game, _)| game)))?;
        columns.set_item("ply", column(py, labelled().map(|(_, one)| one.ply)))?;
        columns.set_item("player", column(py, labelled().map(|(_, one)| one.board.player)))?;
        columns.set_item("opponent", column(py, labelled().map(|(_, one)| one.board.opponent)))?;
        columns.set_item("black", column(py, labelled().map(|(_, one)| one.black)))?;
        columns.set_item("square", column(py, labelled().map(|(_, one)| one.square.index() as u8)))?;
        columns.set_item("value", column(py, labelled().map(|(_, one)| one.discs())))?;
        columns.set_item("depth", column(py, labelled().map(|(_, one)| depth_of(&one))))?;
        columns.set_item("exact", column(py, labelled().map(|(_, one)| one.kind == Kind::Exact)))?;
        columns.set_item("result", column(py, labelled().map(|(_, one)| one.result)))?;
        Ok(columns)
    }

    fn __len__(&self) -> usize {
        self.games.len()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let class: Bound<'py, PyType> = py.get_type::<PySelfplayGames>();
        let made_with = self.header.as_ref().map(|header| (header.seed, header.settings.clone()));
        Ok((class.getattr("_unpickled")?, (self.to_bytes(py), made_with)))
    }
}

/// Plies of the search; for exact scores the empty squares.
fn depth_of(one: &Labelled) -> u8 {
    match one.kind {
        Kind::Opening => 0,
        Kind::Search { depth, .. } => depth,
        Kind::Exact => one.board.empty_count() as u8,
    }
}

/// A file that games are appended to, as `outflank selfplay --out` writes it; opening it again goes on. Until it is closed nobody else
/// can append to it: use `with`.
#[pyclass(name = "SelfplayArchive", module = "outflank", frozen)]
pub struct PyArchive(Mutex<Option<Archive>>);

impl PyArchive {
    fn lock(&self) -> MutexGuard<'_, Option<Archive>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, work: impl FnOnce(&mut Archive) -> PyResult<T>) -> PyResult<T> {
        work(self.lock().as_mut().ok_or_else(|| errors::value("the archive is closed"))?)
    }
}

#[pymethods]
impl PyArchive {
    /// Opens or makes the file; games of other settings are refused.
    #[new]
    fn new(path: PathBuf, selfplay: &PySelfplay) -> PyResult<PyArchive> {
        Archive::open(&path, &selfplay.0.header())
            .map(|archive| PyArchive(Mutex::new(Some(archive))))
            .map_err(errors::archive)
    }

    /// Games in the file.
    #[getter]
    fn games(&self) -> PyResult<u64> {
        self.with(|archive| Ok(archive.games()))
    }

    /// Labelled positions in the file.
    #[getter]
    fn positions(&self) -> PyResult<u64> {
        self.with(|archive| Ok(archive.positions()))
    }

    /// Indices below `games` that the file lacks.
    fn missing(&self, games: Whole) -> PyResult<Vec<u32>> {
        let games = games.within("games", 0..=u32::MAX.into()).map_err(errors::value)?;
        self.with(|archive| Ok(archive.missing(games)))
    }

    /// Appends games; those with an index that is there already are left out. Games that are known to be made with other
    /// settings are refused.
    fn append(&self, games: &PySelfplayGames) -> PyResult<()> {
        self.with(|archive| {
            if let Some(header) = &games.header {
                archive.expect(header).map_err(errors::archive)?;
            }
            games.games.iter().try_for_each(|game| archive.append(game)).map_err(errors::archive)
        })
    }

    /// Puts everything on the disc.
    fn sync(&self) -> PyResult<()> {
        self.with(|archive| archive.sync().map_err(errors::archive))
    }

    /// Puts everything on the disc and lets others append to the file.
    fn close(&self) -> PyResult<()> {
        let archive = self.lock().take();
        archive.map_or(Ok(()), |mut archive| archive.sync()).map_err(errors::archive)
    }

    fn __enter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        self.close()
    }
}
