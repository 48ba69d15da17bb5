"""What the compiled part of the package has."""

from os import PathLike
from typing import Any, Callable, Iterator, Sequence, TypeAlias, TypeVar, final, overload

import numpy as np
import numpy.typing as npt

__version__: str
__all__ = [
    "Board",
    "BookGrower",
    "Engine",
    "FolderLock",
    "Game",
    "GameReader",
    "IllegalMoveError",
    "LeafSearcher",
    "Line",
    "Match",
    "MatchStore",
    "OutflankError",
    "ParseError",
    "Position",
    "ProblemReader",
    "ProblemWriter",
    "Report",
    "RuleSet",
    "Search",
    "SearchError",
    "Selfplay",
    "SelfplayArchive",
    "SelfplayGames",
    "__version__",
    "boards_from_numpy",
    "boards_to_numpy",
    "book_moves",
    "grades",
    "legal_many",
    "perft",
    "random_positions",
    "read_games",
    "write_games",
]

# a position in any way that functions take one; a tuple is `(player, opponent)` as sets of bits
PositionLike: TypeAlias = Position | Board | Game | str | tuple[int, int]
# lists hold what they were made with: a `list[Position]` is no `list[PositionLike]`
_AnyPosition = TypeVar("_AnyPosition", bound=PositionLike)
# an array of shape (n, 2), player and opponent, or positions
Boards: TypeAlias = npt.NDArray[np.uint64] | Sequence[PositionLike]
# text such as `f5`, or the number of a square row by row, `row * columns + column`; a forced pass is `pass` or the number of squares
Move: TypeAlias = str | int

class OutflankError(ValueError): ...
class ParseError(OutflankError): ...
class IllegalMoveError(OutflankError): ...
class SearchError(OutflankError): ...

@final
class RuleSet:
    """The rules of a game: a preset, or one with changes as in `hungarian:6x6,parallel`. Raises `ParseError`."""

    def __new__(cls, text: str = "othello") -> RuleSet: ...
    @staticmethod
    def presets() -> list[str]: ...
    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def squares(self) -> int: ...
    def start(self) -> Position: ...

@final
class Position:
    """A position, immutable and hashable. Text is a board in any form, a FEN, a line of OBF, rules and a board, or moves; of a `Board`
    or a `Game` it is the last position."""

    def __new__(cls, text: PositionLike | None = None, rules: RuleSet | str | None = None) -> Position: ...
    @staticmethod
    def from_bits(player: int, opponent: int, side: str = "black") -> Position: ...
    @property
    def rules(self) -> RuleSet: ...
    @property
    def side_to_move(self) -> str: ...
    @property
    def empties(self) -> int: ...
    @property
    def black(self) -> int: ...
    @property
    def white(self) -> int: ...
    @property
    def bits(self) -> tuple[int, int]: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def must_pass(self) -> bool: ...
    @property
    def score(self) -> int | None: ...
    @property
    def winner(self) -> str | None: ...
    def moves(self) -> list[str]: ...
    def is_legal(self, mv: Move) -> bool: ...
    def play(self, mv: Move) -> Position: ...
    def with_side(self, side: str) -> Position: ...
    def to_numpy(self) -> npt.NDArray[np.int8]: ...
    def legal_mask(self) -> npt.NDArray[np.bool_]: ...
    def _repr_svg_(self) -> str: ...

@final
class Board:
    """A board to play on, with undo. A forced pass before a move is made."""

    def __new__(cls, position: PositionLike | None = None, rules: RuleSet | str | None = None) -> Board: ...
    @property
    def position(self) -> Position: ...
    @property
    def side_to_move(self) -> str: ...
    @property
    def is_over(self) -> bool: ...
    @property
    def score(self) -> int | None: ...
    @property
    def history(self) -> list[str]: ...
    def moves(self) -> list[str]: ...
    def play(self, mv: Move) -> Position: ...
    def undo(self) -> str | None: ...
    def game(self) -> Game: ...
    def _repr_svg_(self) -> str: ...

@final
class Game:
    """A recorded game: start, moves, players, result."""

    def __new__(
        cls,
        moves: str = "",
        start: PositionLike | None = None,
        *,
        black: str = "",
        white: str = "",
        event: str | None = None,
        date: str | None = None,
    ) -> Game: ...
    @staticmethod
    def parse(text: str, rules: RuleSet | str | None = None) -> Game: ...
    @staticmethod
    def parse_all(text: str, rules: RuleSet | str | None = None) -> list[Game]: ...
    @property
    def rules(self) -> RuleSet: ...
    @property
    def moves(self) -> list[str]: ...
    @property
    def positions(self) -> list[Position]: ...
    @property
    def position(self) -> Position: ...
    @property
    def black(self) -> str: ...
    @property
    def white(self) -> str: ...
    @property
    def event(self) -> str | None: ...
    @property
    def date(self) -> str | None: ...
    @property
    def score(self) -> float | None: ...
    @property
    def transcript(self) -> str: ...
    def to_ggf(self) -> str: ...
    def to_sgf(self) -> str: ...
    def __len__(self) -> int: ...
    def _repr_svg_(self) -> str: ...

@final
class GameReader(Iterator[Game]):
    def __iter__(self) -> GameReader: ...
    def __next__(self) -> Game: ...

@final
class Line:
    """One move, its score in discs for the side to move, and the continuation."""

    @property
    def move(self) -> str: ...
    @property
    def score(self) -> int: ...
    @property
    def bound(self) -> str: ...
    @property
    def pv(self) -> list[str]: ...

@final
class Report:
    """The state of a search after an iteration, or at its end."""

    @property
    def score(self) -> int: ...
    @property
    def best(self) -> str | None: ...
    @property
    def pv(self) -> list[str]: ...
    @property
    def lines(self) -> list[Line]: ...
    @property
    def depth(self) -> int: ...
    @property
    def selectivity(self) -> int: ...
    @property
    def empties(self) -> int: ...
    @property
    def exact(self) -> bool: ...
    @property
    def stopped(self) -> bool: ...
    @property
    def nodes(self) -> int: ...
    @property
    def seconds(self) -> float: ...
    def to_json(self) -> str: ...

@final
class Search(Iterator[Report]):
    """A search in the background: iterate over its reports, `stop()` it, wait for its `result()`. It ends with the object, too."""

    def stop(self) -> None: ...
    @property
    def done(self) -> bool: ...
    @property
    def nodes(self) -> int: ...
    def result(self, timeout: float | None = None) -> Report: ...
    def __iter__(self) -> Search: ...
    def __next__(self) -> Report: ...
    def __enter__(self) -> Search: ...
    def __exit__(self, *exception: Any) -> None: ...

@final
class Engine:
    """An engine with a table of `hash` MiB that searches one position at a time with `threads` threads.

    Raises `SearchError` for numbers outside their ranges, `OSError` for a weights file that cannot be read, `ParseError` for one
    that cannot be used, and `RuntimeError` when it is asked for something while it searches in another thread.
    """

    def __new__(cls, hash: int = 64, threads: int = 1, eval: str | PathLike[str] | None = None) -> Engine: ...
    threads: int
    @property
    def hash(self) -> int: ...
    def sharing(self) -> Engine: ...
    def stop(self) -> None:
        """Ends the call that runs in another thread, or the search that `start` began, with what has been found so far."""
    def clear(self) -> None: ...
    def solve(
        self,
        position: PositionLike,
        *,
        wld: bool = False,
        all_moves: bool = False,
        best_moves: bool = False,
        discs_only: bool = False,
        time: float | None = None,
        nodes: int | None = None,
        on_report: Callable[[Report], Any] | None = None,
    ) -> Report:
        """The exact score with best play, or (`wld`) only who wins, with the best line, those of all moves that are worth as much
        (`best_moves`, which `wld` excludes) or of all moves."""
    def search(
        self,
        position: PositionLike,
        *,
        level: int | None = None,
        depth: int | None = None,
        selectivity: int | None = None,
        time: float | None = None,
        nodes: int | None = None,
        lines: int = 1,
        moves: Sequence[Move] | None = None,
        on_report: Callable[[Report], Any] | None = None,
    ) -> Report: ...
    def start(
        self,
        position: PositionLike,
        *,
        level: int | None = None,
        depth: int | None = None,
        selectivity: int | None = None,
        time: float | None = None,
        nodes: int | None = None,
        lines: int = 1,
    ) -> Search: ...
    def hint(
        self,
        position: PositionLike,
        n: int = 3,
        *,
        level: int | None = None,
        depth: int | None = None,
        selectivity: int | None = None,
        time: float | None = None,
        nodes: int | None = None,
    ) -> list[Line]: ...
    def choose(
        self,
        game: PositionLike,
        level: int | str | None = None,
        *,
        time: float | None = None,
        nodes: int | None = None,
        book: bool = True,
        seed: int | None = None,
    ) -> str | None:
        """The move of a player: of a level 0 to 60, or of a grade (`outflank.grades()`), which errs as people do. `time` is in
        seconds. The built-in book is asked first (not by the lower grades, and not at level 0); the same `seed` makes the same
        choices. `None` when the game is over. Raises `SearchError` for what is neither a level nor a grade."""
    def analyze_game(
        self,
        game: Game,
        *,
        level: int | None = None,
        depth: int | None = None,
        selectivity: int | None = None,
        time: float | None = None,
        nodes: int | None = None,
        alternatives: int = 1,
    ) -> dict[str, Any]: ...
    @overload
    def evaluate(self, position: PositionLike) -> int: ...
    @overload
    def evaluate(self, position: npt.NDArray[np.uint64] | list[PositionLike]) -> npt.NDArray[np.int32]: ...
    @overload
    def evaluate(self, position: list[_AnyPosition]) -> npt.NDArray[np.int32]: ...
    def evaluate_many(self, boards: Boards) -> npt.NDArray[np.int32]:
        """Static values for the sides to move. Where `stop` ends the call those of the first boards alone."""
    def solve_many(
        self,
        boards: Boards,
        *,
        jobs: int = 1,
        wld: bool = False,
        level: int | None = None,
        depth: int | None = None,
        selectivity: int | None = None,
        nodes: int | None = None,
    ) -> dict[str, npt.NDArray[Any]]:
        """See `outflank.solve_many`. Where `stop` ends the call the arrays have the first boards alone, as many as were solved."""

@final
class Selfplay:
    def __new__(
        cls,
        *,
        seed: int = 1,
        level: int | None = None,
        depth: int | None = None,
        selectivity: int | None = None,
        nodes: int | None = None,
        exact: int = 14,
        random_plies: tuple[int, int] | None = None,
        balance: int | None = None,
        stray: float = 4.0,
        openings: str | None = None,
        hash: int = 1,
        eval: str | PathLike[str] | None = None,
    ) -> Selfplay: ...
    @property
    def settings(self) -> str: ...
    def play(self, indices: Sequence[int], threads: int = 1) -> SelfplayGames: ...

@final
class SelfplayGames:
    @staticmethod
    def from_bytes(bytes: bytes) -> SelfplayGames: ...
    @staticmethod
    def read(path: str | PathLike[str]) -> SelfplayGames: ...
    def to_bytes(self) -> bytes: ...
    @property
    def indices(self) -> list[int]: ...
    def columns(self) -> dict[str, npt.NDArray[Any]]: ...
    def __len__(self) -> int: ...

@final
class SelfplayArchive:
    """A file that games are appended to; opening it again goes on. Until it is closed nobody else can append to it: use `with`."""

    def __new__(cls, path: str | PathLike[str], selfplay: Selfplay) -> SelfplayArchive: ...
    @property
    def games(self) -> int: ...
    @property
    def positions(self) -> int: ...
    def missing(self, games: int) -> list[int]: ...
    def append(self, games: SelfplayGames) -> None: ...
    def sync(self) -> None: ...
    def close(self) -> None: ...
    def __enter__(self) -> SelfplayArchive: ...
    def __exit__(self, *exception: Any) -> None: ...

@final
class ProblemReader:
    def __new__(cls, path: str | PathLike[str], rules: RuleSet | str | None = None) -> ProblemReader: ...
    def read(self, count: int) -> list[tuple[int, str | None, str | None, int, int | None]]: ...

@final
class ProblemWriter:
    def __new__(cls) -> ProblemWriter: ...
    def write(self, position: PositionLike) -> str: ...

@final
class FolderLock:
    def __new__(cls, path: str | PathLike[str]) -> FolderLock: ...
    def release(self) -> None: ...

@final
class LeafSearcher:
    def __new__(cls, hash: int = 64) -> LeafSearcher: ...
    def search(self, job: tuple[int, int, int, int]) -> tuple[int, int] | None: ...

@final
class BookGrower:
    def __new__(
        cls,
        path: str | PathLike[str],
        *,
        level: int | None = None,
        plies: int | None = None,
        loss: tuple[int, int] = (4, 8),
        drop_out: float = 3.0,
    ) -> BookGrower: ...
    def next(self, workers: int, left: int) -> list[tuple[int, int, int, int]]: ...
    def enter(self, number: int, leaf: tuple[int, int] | None) -> None: ...
    def save(self) -> None: ...
    def close(self) -> None: ...
    @property
    def added(self) -> int: ...
    def __len__(self) -> int: ...

@final
class Match:
    def __new__(
        cls,
        first: str,
        second: str,
        pairs: int,
        *,
        openings: str | None = None,
        random_plies: int = 8,
        seed: int = 1,
        level: int | None = None,
        depth: int | None = None,
        nodes: int | None = None,
        time: float | None = None,
        sprt: tuple[float, float] | None = None,
        alpha: float = 0.05,
        beta: float = 0.05,
    ) -> Match: ...
    @property
    def pairs(self) -> int: ...
    def play(self, pair: int) -> list[str]: ...
    def store(self, prefix: str | PathLike[str], resume: bool = False) -> MatchStore: ...

@final
class MatchStore:
    def has(self, pair: int) -> bool: ...
    def add(self, game: str) -> None: ...
    def close(self) -> None: ...
    def result(self) -> dict[str, Any]: ...

def perft(position: PositionLike, depth: int) -> int:
    """Counts the move sequences of a length from a position, passes counted as moves. Ctrl-C stops it."""

def grades() -> list[str]:
    """The names of the grades that `Engine.choose` plays as, from a child's to a master's."""

def book_moves(position: PositionLike) -> list[tuple[str, int]]:
    """What the built-in book knows of a position: move and score, best first; nothing when it is not in it."""

def read_games(path: str | PathLike[str], rules: RuleSet | str | None = None) -> GameReader:
    """The games of a file (WTHOR, GGF, SGF, PGN, transcripts; positions are games without moves) or folder, one at a time. A bad
    game raises `ParseError`; the next step goes on behind it. Raises `OSError` when the file cannot be read or the folder has no
    files of games."""

def write_games(path: str | PathLike[str], games: Sequence[Game]) -> None:
    """Writes `.ggf`, `.sgf`, `.pgn` or `.txt` (transcripts); the file is whole or not there, and a book is not overwritten."""

def boards_to_numpy(boards: Boards) -> npt.NDArray[np.uint64]:
    """Positions of 8x8 as an array of shape (n, 2): discs of the side to move and of the other, bit 0 is a1."""

def boards_from_numpy(boards: Boards) -> list[Position]:
    """The boards of an array as positions, black to move."""

def legal_many(boards: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Legal moves of each board as a set of bits."""

def random_positions(count: int, empties: int, seed: int = 1) -> npt.NDArray[np.uint64]:
    """Positions reached by random moves, with so many empty squares and a move to make."""
