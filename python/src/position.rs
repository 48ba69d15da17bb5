//! Rule sets and positions.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use numpy::{PyArray2, PyArrayMethods};
use outflank::formats::board_text::{self, BoardTextErrorKind};
use outflank::formats::{fen, obf, parse_move, transcript};
use outflank::rules::{Bits, Point, presets};
use outflank::{Board, Color, Move, Position, RuleSet};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};

use crate::errors;
use crate::numbers::{BITS_64, Whole};
use crate::svg;

/// The rules of a game: a preset, or one with changes as in `hungarian:6x6,parallel`.
#[pyclass(name = "RuleSet", module = "outflank", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PyRuleSet(pub Arc<RuleSet>);

#[pymethods]
impl PyRuleSet {
    /// Reads rules from text.
    #[new]
    #[pyo3(signature = (text = "othello"))]
    fn new(text: &str) -> PyResult<PyRuleSet> {
        let rules: RuleSet = text.parse().map_err(errors::parse)?;
        Ok(PyRuleSet(Arc::new(rules)))
    }

    /// Names of all presets.
    #[staticmethod]
    fn presets() -> Vec<&'static str> {
        presets::PRESETS.iter().map(|preset| preset.name).collect()
    }

    /// Rows of the board.
    #[getter]
    fn rows(&self) -> u8 {
        self.0.rows()
    }

    /// Columns of the board.
    #[getter]
    fn columns(&self) -> u8 {
        self.0.columns()
    }

    /// Squares of the board.
    #[getter]
    fn squares(&self) -> u32 {
        self.0.squares()
    }

    /// The position that a game starts from.
    fn start(&self) -> PyPosition {
        PyPosition(Position::start(self.0.clone()))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("RuleSet('{}')", self.0)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<PyRuleSet>(), (self.0.to_string(),))
    }
}

/// Rules given as an object, as text, or not at all (othello).
pub fn rules_of(rules: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<RuleSet>> {
    match rules {
        None => Ok(othello()),
        Some(any) => match any.cast::<PyRuleSet>() {
            Ok(rules) => Ok(rules.get().0.clone()),
            Err(_) => Ok(PyRuleSet::new(any.extract()?)?.0),
        },
    }
}

/// The rules of othello, made once.
pub fn othello() -> Arc<RuleSet> {
    static OTHELLO: std::sync::LazyLock<Arc<RuleSet>> = std::sync::LazyLock::new(|| Arc::new(RuleSet::othello()));
    OTHELLO.clone()
}

/// A position of othello with the player's and the opponent's discs as sets of bits (bit 0 is a1, bit 63 h8).
fn of_bits(player: Whole, opponent: Whole, side: Color) -> PyResult<Position> {
    let bits = |name, bits: Whole| bits.within(name, BITS_64).map(Bits::from_u64).map_err(errors::value);
    let (player, opponent) = (bits("player", player)?, bits("opponent", opponent)?);
    let (black, white) = if side == Color::Black { (player, opponent) } else { (opponent, player) };
    Position::from_discs(othello(), black, white, side)
        .ok_or_else(|| errors::value("a square has a disc of both players"))
}

/// A position, immutable: discs, side to move, and what the rules need besides.
#[pyclass(name = "Position", module = "outflank", frozen)]
#[derive(Clone)]
pub struct PyPosition(pub Position);

/// Reads a position: a board in any form, rules and a board, a FEN, a line of OBF, or moves from the start.
pub fn parse_position(text: &str, rules: Option<&Arc<RuleSet>>) -> PyResult<Position> {
    if fen::looks_like(text) {
        return fen::parse(text, rules.unwrap_or(&othello())).map_err(errors::parse);
    }
    let board = match rules {
        None => text.parse::<Position>().map_err(|error| error.to_string()),
        Some(rules) => board_text::parse(text, rules).map_err(|error| error.to_string()),
    };
    let of_obf = |board: String| match obf::parse_line(text, 1, &rules.cloned().unwrap_or_else(othello)) {
        Ok(Some(problem)) => Ok(problem.position),
        // scores were meant
        Err(error) if text.contains(';') => Err(error.to_string()),
        _ => Err(board),
    };
    board.or_else(of_obf).or_else(|board| {
        let start = Position::start(rules.cloned().unwrap_or_else(othello));
        match transcript::parse_some(&start, text) {
            Ok(game) if !text.trim().is_empty() => Ok(game.position().clone()),
            // moves were meant: some of them can be played, or the first is a square, and not in a row of a FEN board (`o7/8/...`)
            Err(moves) if moves.ply > 1 || begins_with_square(&moves.token) && !text.contains('/') => {
                Err(errors::parse(moves))
            }
            _ => Err(errors::parse(board)),
        }
    })
}

/// The text begins with a letter and a digit, as squares do.
fn begins_with_square(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, digit, ..] if letter.is_ascii_alphabetic() && digit.is_ascii_digit())
}

/// A position given as an object, as text, or as `(player, opponent)`.
pub fn position_of(any: &Bound<'_, PyAny>) -> PyResult<Position> {
    if let Ok(position) = any.cast::<PyPosition>() {
        return Ok(position.get().0.clone());
    }
    if let Ok(text) = any.cast::<PyString>() {
        return parse_position(&text.to_cow()?, None);
    }
    if any.cast::<PyTuple>().is_ok_and(|tuple| tuple.len() == 2) {
        let (player, opponent) = any.extract()?;
        return of_bits(player, opponent, Color::Black);
    }
    // boards and games have one
    match any.getattr("position").and_then(|position| Ok(position.cast::<PyPosition>()?.get().0.clone())) {
        Ok(position) => Ok(position),
        Err(_) => Err(pyo3::exceptions::PyTypeError::new_err(
            "a position is a Position, a Board, a Game, text, or a tuple (player, opponent)",
        )),
    }
}

/// A position given in any way, or the start of the rules.
pub fn position_or_start(any: Option<&Bound<'_, PyAny>>, rules: Option<&Bound<'_, PyAny>>) -> PyResult<Position> {
    match (any, rules) {
        (None, rules) => Ok(Position::start(rules_of(rules)?)),
        (Some(any), None) => position_of(any),
        (Some(any), Some(rules)) => {
            let rules = rules_of(Some(rules))?;
            if let Ok(text) = any.cast::<PyString>() {
                return parse_position(&text.to_cow()?, Some(&rules));
            }
            let position = position_of(any)?;
            if *position.rules() != rules {
                return Err(errors::value(format!("the position has rules of its own: {}", position.rules())));
            }
            Ok(position)
        }
    }
}

/// A move given as text, or as the number of a square, row by row (0 is a1; on 8x8 63 is h8); the number behind the last is the pass of
/// a side that must pass, as in the results of `solve_many`.
pub fn move_of(position: &Position, any: &Bound<'_, PyAny>) -> PyResult<Move> {
    if let Ok(text) = any.cast::<PyString>() {
        return parse_move(position, &text.to_cow()?).map_err(errors::parse);
    }
    let (rows, columns) = (position.rules().rows(), position.rules().columns());
    let (number, last): (Whole, _) = (any.extract()?, u16::from(rows) * u16::from(columns) - 1);
    if number.0 == i128::from(last) + 1 && position.must_pass() {
        return Ok(Move::Pass);
    }
    let index = u8::try_from(number.0).ok().filter(|index| u16::from(*index) <= last);
    let index = index.ok_or_else(|| errors::value(format!("{number} is no square: 0 to {last} are")))?;
    let point = Point { row: index / columns, column: index % columns };
    // as text, which stands for the only line that can be turned where one has to be chosen
    parse_move(position, &point.to_string()).map_err(errors::parse)
}

/// `X` or `black`, `O` or `white`.
pub fn color_of(text: &str) -> PyResult<Color> {
    match text {
        "X" | "x" | "*" | "b" | "B" | "black" => Ok(Color::Black),
        "O" | "o" | "w" | "W" | "white" => Ok(Color::White),
        _ => Err(errors::value(format!("'{text}' is no side: 'black' and 'white' are"))),
    }
}

/// The discs of the player and of the opponent, where they say all that othello's moves depend on.
pub fn board_of(position: &Position) -> PyResult<Board> {
    match position.fast_board() {
        Some((board, mask)) if mask == u64::MAX => Ok(board),
        _ => Err(errors::value("only positions on 8x8 with othello's moves fit two numbers of 64 bits")),
    }
}

#[pymethods]
impl PyPosition {
    /// A position from text, or that of a `Board` or a `Game`; without either the start of the rules.
    #[new]
    #[pyo3(signature = (text = None, rules = None))]
    fn new(text: Option<&Bound<'_, PyAny>>, rules: Option<&Bound<'_, PyAny>>) -> PyResult<PyPosition> {
        position_or_start(text, rules).map(PyPosition)
    }

    /// A position of othello from two sets of bits.
    #[staticmethod]
    #[pyo3(signature = (player, opponent, side = "black"))]
    fn from_bits(player: Whole, opponent: Whole, side: &str) -> PyResult<PyPosition> {
        of_bits(player, opponent, color_of(side)?).map(PyPosition)
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> PyRuleSet {
        PyRuleSet(self.0.rules().clone())
    }

    /// `black` or `white`.
    #[getter]
    fn side_to_move(&self) -> &'static str {
        self.0.side_to_move().name()
    }

    /// Empty squares.
    #[getter]
    fn empties(&self) -> u32 {
        self.0.empty_count()
    }

    /// Black discs.
    #[getter]
    fn black(&self) -> u32 {
        self.0.discs(Color::Black).count()
    }

    /// White discs.
    #[getter]
    fn white(&self) -> u32 {
        self.0.discs(Color::White).count()
    }

    /// `(player, opponent)` as sets of bits; the player is the side to move.
    #[getter]
    fn bits(&self) -> PyResult<(u64, u64)> {
        board_of(&self.0).map(|board| (board.player, board.opponent))
    }

    /// Neither side can move.
    #[getter]
    fn is_over(&self) -> bool {
        self.0.is_game_over()
    }

    /// The side to move can only pass.
    #[getter]
    fn must_pass(&self) -> bool {
        self.0.must_pass()
    }

    /// Black's final score in discs, empty squares to the winner; `None` while the game goes on.
    #[getter]
    fn score(&self) -> Option<i32> {
        self.0.is_game_over().then(|| self.0.final_score(false))
    }

    /// `black`, `white`, or `None` for a draw or while the game goes on.
    #[getter]
    fn winner(&self) -> Option<&'static str> {
        self.0.is_game_over().then(|| self.0.winner()).flatten().map(Color::name)
    }

    /// Legal moves, row by row; `['pass']` when the side to move is stuck, nothing when the game is over.
    fn moves(&self) -> Vec<String> {
        self.0.legal_moves().iter().map(Move::to_string).collect()
    }

    /// The move is legal here.
    fn is_legal(&self, mv: &Bound<'_, PyAny>) -> PyResult<bool> {
        match move_of(&self.0, mv) {
            Ok(mv) => Ok(self.0.is_legal(mv)),
            Err(error) if error.is_instance_of::<errors::OutflankError>(mv.py()) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The position after a move.
    fn play(&self, mv: &Bound<'_, PyAny>) -> PyResult<PyPosition> {
        let mv = move_of(&self.0, mv)?;
        self.0.play(mv).map(PyPosition).map_err(errors::illegal)
    }

    /// The same discs with this side to move; as long as discs are placed on the centre the rules say whose turn it is.
    fn with_side(&self, side: &str) -> PyResult<PyPosition> {
        let side = color_of(side)?;
        if !self.0.may_be_turn_of(side) {
            return Err(errors::value(BoardTextErrorKind::PlacementSide(side.name().to_string())));
        }
        Ok(PyPosition(self.0.with_side(side)))
    }

    /// Discs as an array of `int8`, a row a row: 1 black, -1 white, 0 empty.
    fn to_numpy<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<i8>> {
        let disc = |color| if color == Color::Black { 1 } else { -1 };
        self.grid(py, |point| self.0.disc_at(point).map_or(0, disc))
    }

    /// Squares on which the side to move can place a disc, as an array of `bool`.
    fn legal_mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<bool>> {
        let moves = self.0.legal_moves();
        let legal = |point| moves.iter().any(|mv| matches!(mv, Move::Place { at, .. } if *at == point));
        self.grid(py, legal)
    }

    /// The board and the side to move: 64 squares row by row, a blank, `X` or `O`; for other rules, these before it.
    pub fn __str__(&self) -> String {
        match **self.0.rules() == *othello() {
            true => board_text::write(&self.0),
            false => self.0.to_string(),
        }
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.__str__())
    }

    /// The board as a picture, for notebooks.
    fn _repr_svg_(&self) -> String {
        svg::board(&self.0, None)
    }

    // what is none may know how to compare itself with one
    fn __eq__(&self, other: &Bound<'_, PyPosition>) -> bool {
        other.get().0 == self.0
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String,)) {
        (py.get_type::<PyPosition>(), (self.0.to_string(),))
    }
}

impl PyPosition {
    /// An array with a value for each square.
    fn grid<'py, T: numpy::Element + Copy>(
        &self,
        py: Python<'py>,
        value: impl Fn(Point) -> T,
    ) -> Bound<'py, PyArray2<T>> {
        let (rows, columns) = (self.0.rules().rows(), self.0.rules().columns());
        let row = |row| (0..columns).map(|column| value(Point { row, column })).collect::<Vec<T>>();
        let values: Vec<T> = (0..rows).flat_map(row).collect();
        let flat = numpy::PyArray1::from_vec(py, values);
        flat.reshape([usize::from(rows), usize::from(columns)]).expect("as many values as squares")
    }
}
