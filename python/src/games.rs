//! Games: played move by move, read from files, written to them.

use std::path::PathBuf;
use std::sync::Mutex;

use outflank::formats::atomic::check_is_replaceable;
use outflank::formats::files;
use outflank::formats::quantity::plural;
use outflank::formats::record::{Ending, GameRecord, GameResult, MoveNote, Player};
use outflank::formats::stream::GameStream;
use outflank::formats::{ggf, parse_move, sgf, transcript};
use outflank::{Color, Game, Move, StopToken};
use pyo3::prelude::*;

use crate::errors;
use crate::position::{PyPosition, PyRuleSet, color_of, move_of, position_of, position_or_start, rules_of};
use crate::svg;

/// A board to play on: a position with the moves that led to it, and undo.
#[pyclass(name = "Board", module = "outflank")]
#[derive(Clone)]
pub struct PyBoard(Game);

/// The game that led to a position: that of a board or a game, or one that begins here.
pub fn game_of(any: &Bound<'_, PyAny>) -> PyResult<Game> {
    if let Ok(board) = any.cast::<PyBoard>() {
        return Ok(board.try_borrow()?.0.clone());
    }
    match any.cast::<PyGame>() {
        Ok(game) => Ok(game.get().0.game.clone()),
        Err(_) => Ok(Game::from_position(position_of(any)?)),
    }
}

#[pymethods]
impl PyBoard {
    /// A board at this position: text, a `Position`, or the start of the rules.
    #[new]
    #[pyo3(signature = (position = None, rules = None))]
    fn new(position: Option<&Bound<'_, PyAny>>, rules: Option<&Bound<'_, PyAny>>) -> PyResult<PyBoard> {
        position_or_start(position, rules).map(|start| PyBoard(Game::from_position(start)))
    }

    /// The present position.
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(self.0.position().clone())
    }

    /// `black` or `white`.
    #[getter]
    fn side_to_move(&self) -> &'static str {
        self.0.position().side_to_move().name()
    }

    /// Neither side can move.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.position().is_game_over()
    }

    /// Black's final score in discs; `None` while the game goes on.
    #[getter]
    fn score(&self) -> Option<i32> {
        let position = self.0.position();
        position.is_game_over().then(|| position.final_score(false))
    }

    /// The moves played, passes included.
    #[getter]
    fn history(&self) -> Vec<String> {
        self.0.moves().iter().map(Move::to_string).collect()
    }

    /// Legal moves.
    fn moves(&self) -> Vec<String> {
        self.0.position().legal_moves().iter().map(Move::to_string).collect()
    }

    /// Plays a move (a forced pass before it is made); returns the position after it.
    fn play(&mut self, mv: &Bound<'_, PyAny>) -> PyResult<PyPosition> {
        let mv = move_of(self.0.position(), mv)?;
        self.0.play_passing(mv).map_err(errors::illegal)?;
        Ok(self.position())
    }

    /// Takes the last move back and returns it; `None` at the start.
    fn undo(&mut self) -> Option<String> {
        self.0.undo().map(|mv| mv.to_string())
    }

    /// The moves as a game.
    fn game(&self) -> PyGame {
        PyGame(GameRecord::new(self.0.clone()))
    }

    /// The text of the position.
    fn __str__(&self) -> String {
        self.position().__str__()
    }

    fn __repr__(&self) -> String {
        format!("Board('{}')", self.__str__())
    }

    /// A board from what a pickle holds of it.
    #[staticmethod]
    fn _restore(start: &PyPosition, moves: Vec<String>) -> PyResult<PyBoard> {
        game_from(start, &moves).map(PyBoard)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, BoardState)> {
        Ok((py.get_type::<PyBoard>().getattr("_restore")?, parts_of(&self.0)))
    }

    fn _repr_svg_(&self) -> String {
        svg::board(self.0.position(), self.0.moves().last().copied())
    }
}

/// What pickles hold of a board: its start and the moves from there, passes included.
type BoardState = (PyPosition, Vec<String>);

fn parts_of(game: &Game) -> BoardState {
    (PyPosition(game.start().clone()), game.moves().iter().map(Move::to_string).collect())
}

/// The game of these parts.
fn game_from(start: &PyPosition, moves: &[String]) -> PyResult<Game> {
    let mut game = Game::from_position(start.0.clone());
    for text in moves {
        let mv = parse_move(game.position(), text).map_err(errors::parse)?;
        game.play(mv).map_err(errors::illegal)?;
    }
    Ok(game)
}

/// A player, as pickles hold it: name, rating, clock.
type PlayerState = (String, Option<f64>, Option<String>);

/// What is known about a move: evaluation, seconds, clock, comment.
type NoteState = (Option<f64>, Option<f64>, Option<f64>, Option<String>);

/// All of a record but its moves: the players; event, place, date and comment; winner, score and ending; notes; tags.
type DetailsState = (
    [PlayerState; 2],
    [Option<String>; 4],
    Option<(Option<String>, Option<f64>, String)>,
    Vec<NoteState>,
    Vec<(String, String)>,
);

/// All that pickles hold of a game: its start, its moves, and the rest.
type GameState = (PyPosition, Vec<String>, DetailsState);

/// The names of endings in pickles.
const ENDINGS: [(Ending, &str); 4] = [
    (Ending::Played, "played"),
    (Ending::Resignation, "resignation"),
    (Ending::Time, "time"),
    (Ending::Agreement, "agreement"),
];

fn details_of(record: &GameRecord) -> DetailsState {
    // every field by its name: one that is added is not forgotten
    let GameRecord { game: _, players, event, place, date, result, comment, notes, tags } = record.clone();
    let player = |player: Player| (player.name, player.rating, player.clock);
    let result = result.map(|GameResult { winner, score, ending }| {
        let (_, ending) = ENDINGS.into_iter().find(|(one, _)| *one == ending).unwrap_or(ENDINGS[0]);
        (winner.map(|winner| winner.name().to_string()), score, ending.to_string())
    });
    let note = |MoveNote { eval, seconds, clock, comment }| (eval, seconds, clock, comment);
    (players.map(player), [event, place, date, comment], result, notes.into_iter().map(note).collect(), tags)
}

fn record_from(game: Game, details: DetailsState) -> PyResult<GameRecord> {
    let (players, [event, place, date, comment], result, notes, tags) = details;
    let result = result.map(|(winner, score, ending)| {
        let winner = winner.as_deref().map(color_of).transpose()?;
        let known = ENDINGS.into_iter().find(|(_, name)| *name == ending);
        let (ending, _) = known.ok_or_else(|| errors::value(format!("'{ending}' is no ending of a game")))?;
        Ok::<_, PyErr>(GameResult { winner, score, ending })
    });
    let notes = notes.into_iter().map(|(eval, seconds, clock, comment)| MoveNote { eval, seconds, clock, comment });
    let players = players.map(|(name, rating, clock)| Player { name, rating, clock });
    let (result, notes) = (result.transpose()?, notes.collect());
    Ok(GameRecord { game, players, event, place, date, result, comment, notes, tags })
}

/// A recorded game: start, moves, players, result.
#[pyclass(name = "Game", module = "outflank", frozen)]
#[derive(Clone)]
pub struct PyGame(pub GameRecord);

#[pymethods]
impl PyGame {
    /// A game from a transcript such as `f5d6c3`; passes may be left out.
    #[new]
    #[pyo3(signature = (moves = "", start = None, *, black = "", white = "", event = None, date = None))]
    fn new(
        moves: &str,
        start: Option<&Bound<'_, PyAny>>,
        black: &str,
        white: &str,
        event: Option<String>,
        date: Option<String>,
    ) -> PyResult<PyGame> {
        let start = start.map(position_of).transpose()?.unwrap_or_default();
        let mut record = GameRecord::new(transcript::parse_some(&start, moves).map_err(errors::parse)?);
        record.players[0].name = black.to_string();
        record.players[1].name = white.to_string();
        (record.event, record.date) = (event, date);
        Ok(PyGame(record))
    }

    /// All games of a text in GGF, SGF, PGN or transcripts, a game a line; the content tells which.
    #[staticmethod]
    #[pyo3(signature = (text, rules = None))]
    fn parse_all(py: Python<'_>, text: &str, rules: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<PyGame>> {
        /// Less takes no time that anybody notices.
        const MANY: usize = 1 << 17;
        let rules = rules_of(rules)?;
        let stop = StopToken::new();
        let games = crate::interrupt::run(py, &stop, text.len() >= MANY, || {
            let games = GameStream::from_text(text, "text", None, &rules);
            games.take_while(|_| !stop.is_stopped()).collect::<Result<Vec<_>, _>>()
        })?;
        Ok(games.map_err(errors::games)?.into_iter().map(PyGame).collect())
    }

    /// The only game of a text in GGF, SGF or PGN, or a transcript.
    #[staticmethod]
    #[pyo3(signature = (text, rules = None))]
    fn parse(py: Python<'_>, text: &str, rules: Option<&Bound<'_, PyAny>>) -> PyResult<PyGame> {
        let mut games = PyGame::parse_all(py, text, rules)?;
        match games.len() {
            1 => Ok(games.remove(0)),
            found => Err(errors::parse(format!("the text has {found} games, not one"))),
        }
    }

    /// Rules of the game.
    #[getter]
    fn rules(&self) -> PyRuleSet {
        PyRuleSet(self.0.game.position().rules().clone())
    }

    /// The moves played, passes included.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.0.game.moves().iter().map(Move::to_string).collect()
    }

    /// Every position, from the start to the end: one more than there are moves.
    #[getter]
    fn positions(&self) -> Vec<PyPosition> {
        self.0.game.positions().iter().cloned().map(PyPosition).collect()
    }

    /// The last position.
    #[getter]
    fn position(&self) -> PyPosition {
        PyPosition(self.0.game.position().clone())
    }

    /// Name of the black player, empty when unknown.
    #[getter]
    fn black(&self) -> &str {
        &self.0.player(Color::Black).name
    }

    /// Name of the white player.
    #[getter]
    fn white(&self) -> &str {
        &self.0.player(Color::White).name
    }

    /// Tournament or match.
    #[getter]
    fn event(&self) -> Option<&str> {
        self.0.event.as_deref()
    }

    /// When, in the words of the file.
    #[getter]
    fn date(&self) -> Option<&str> {
        self.0.date.as_deref()
    }

    /// Black's recorded score in discs; without one that of the finished game, else `None`.
    #[getter]
    fn score(&self) -> Option<f64> {
        let recorded = self.0.result.and_then(|result| result.score);
        recorded.or_else(|| GameResult::of(self.0.game.position())?.score)
    }

    /// The moves in one word.
    #[getter]
    fn transcript(&self) -> String {
        transcript::write(&self.0.game)
    }

    /// The game in GGF.
    fn to_ggf(&self) -> String {
        ggf::write(&self.0)
    }

    /// The game in SGF.
    fn to_sgf(&self) -> String {
        sgf::write(&self.0)
    }

    fn __len__(&self) -> usize {
        self.0.game.moves().len()
    }

    fn __eq__(&self, other: &Bound<'_, PyGame>) -> bool {
        other.get().0 == self.0
    }

    fn __repr__(&self) -> String {
        let score = self.score().map_or(String::new(), |score| format!(", {score:+}"));
        let names = match (self.black(), self.white()) {
            ("", "") => String::new(),
            (black, white) => {
                let [black, white] = [black, white].map(|name| if name.is_empty() { "?" } else { name });
                format!(" {black} - {white},")
            }
        };
        format!("<Game{names} {}{score}>", plural(self.__len__() as u64, "move"))
    }

    /// A game from what a pickle holds of it: all of it, more than any format of files.
    #[staticmethod]
    fn _restore(start: &PyPosition, moves: Vec<String>, details: DetailsState) -> PyResult<PyGame> {
        record_from(game_from(start, &moves)?, details).map(PyGame)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, GameState)> {
        let (start, moves) = parts_of(&self.0.game);
        Ok((py.get_type::<PyGame>().getattr("_restore")?, (start, moves, details_of(&self.0))))
    }

    fn _repr_svg_(&self) -> String {
        svg::board(self.0.game.position(), self.0.game.moves().last().copied())
    }
}

/// The games of a file or folder, one at a time.
#[pyclass(name = "GameReader", module = "outflank", frozen)]
pub struct PyGames(Mutex<GameStream>);

#[pymethods]
impl PyGames {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> Option<PyResult<PyGame>> {
        let next = || self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
        py.detach(next).map(|game| game.map(PyGame).map_err(errors::games))
    }
}

/// Reads the games of a file (WTHOR, GGF, SGF, PGN, transcripts) or of all game files of a folder; positions are games without
/// moves.
///
/// Games come one at a time. A bad one raises `ParseError`; the next step of the iterator goes on behind it.
#[pyfunction]
#[pyo3(signature = (path, rules = None))]
pub fn read_games(path: PathBuf, rules: Option<&Bound<'_, PyAny>>) -> PyResult<PyGames> {
    let games = files::read_games(&path, &rules_of(rules)?).map_err(errors::games)?;
    Ok(PyGames(Mutex::new(games)))
}

/// Writes games to a file whose extension says how: `.ggf`, `.sgf`, `.pgn`, or `.txt` for transcripts. The file is whole or not there,
/// and a book of Outflank or a file of self-play games is not overwritten.
#[pyfunction]
pub fn write_games(py: Python<'_>, path: PathBuf, games: Vec<Bound<'_, PyGame>>) -> PyResult<()> {
    check_is_replaceable(&path).map_err(errors::value)?;
    let records: Vec<GameRecord> = games.iter().map(|game| game.get().0.clone()).collect();
    py.detach(|| files::write_games(&path, &records)).map_err(errors::games)
}
