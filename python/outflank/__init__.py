"""Outflank: an engine for Othello and Reversi.

Scores are discs for the side to move, times are seconds. Errors about texts, moves and arguments are `OutflankError` (a
`ValueError`), errors of files `OSError`, those of wrong types `TypeError`. Searches release the interpreter lock, and Ctrl-C stops them.

    >>> import outflank
    >>> engine = outflank.Engine(hash=16)
    >>> engine.solve("--XXXXX---XOOX-OOOOOXOXO-OOXOOOOOOOOOOOOXXOOOOOO--XOOO----OXO--- X").score
    4
"""

from __future__ import annotations

import operator
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Sequence, overload

import numpy as np
import numpy.typing as npt

from ._core import (
    Board,
    Engine,
    Game,
    GameReader,
    IllegalMoveError,
    Line,
    OutflankError,
    ParseError,
    Position,
    Report,
    RuleSet,
    Search,
    SearchError,
    Selfplay,
    SelfplayArchive,
    SelfplayGames,
    __version__,
    boards_from_numpy,
    boards_to_numpy,
    book_moves,
    grades,
    legal_many,
    perft,
    random_positions,
    read_games,
    write_games,
)

if TYPE_CHECKING:
    import pyarrow

    from ._core import Boards

__all__ = [
    "Board",
    "Engine",
    "Game",
    "GameReader",
    "IllegalMoveError",
    "Line",
    "OutflankError",
    "ParseError",
    "Position",
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
    "evaluate_many",
    "grades",
    "legal_many",
    "perft",
    "planes",
    "random_positions",
    "read_games",
    "selfplay",
    "solve_many",
    "write_games",
]


def solve_many(
    boards: Boards,
    *,
    jobs: int = 1,
    hash: int = 64,
    eval: str | PathLike[str] | None = None,
    **limits: Any,
) -> dict[str, npt.NDArray[Any]]:
    """Solves many boards, `jobs` of them side by side, each with a table of `hash` MiB.

    `boards` is an array of `uint64` of shape (n, 2), the discs of the player and of the opponent (bit 0 is a1), or a list of
    positions of any rules. `limits` are those of `Engine.solve_many`: `wld`, or `level`, `depth`, `selectivity`, `nodes`.

    Returns arrays of length n: `score` (`int16`, discs for the side to move), `best` (`int16`), `depth`, `exact`, `nodes`,
    `seconds`. `best` is the number of a square, row by row: 0 to 63 on 8x8, in general `row * columns + column`, as
    `Position.play` takes it; a pass is the number of squares (64 on 8x8), -1 says that the game is over. Where a move chooses one
    line to turn, `best` is the square alone; `Engine.solve` says the line. Neither the order of the boards nor `jobs` changes a score,
    proved or not. Raises `SearchError` for arguments that make no sense.
    """
    return Engine(hash=hash, eval=eval).solve_many(boards, jobs=jobs, **limits)


def evaluate_many(boards: Boards, *, eval: str | PathLike[str] | None = None) -> npt.NDArray[np.int32]:
    """Static values of many boards in discs for their sides to move, as an array of `int32`, without looking ahead."""
    return Engine(hash=1, eval=eval).evaluate_many(boards)


def planes(boards: Boards, dtype: Any = np.float32) -> npt.NDArray[Any]:
    """Boards (an array of `uint64` of shape (n, 2), or positions of 8x8) as planes of shape (n, 2, 8, 8) for networks: 1 where
    the player, or the opponent, has a disc."""
    array = np.ascontiguousarray(boards_to_numpy(boards), dtype="<u8")
    bits = np.unpackbits(array.view(np.uint8).reshape(-1, 2, 8), axis=2, bitorder="little")
    return bits.reshape(-1, 2, 8, 8).astype(dtype)


@overload
def selfplay(
    games: int | Sequence[int], *, threads: int = 1, arrow: Literal[False] = False, **settings: Any
) -> dict[str, npt.NDArray[Any]]: ...
@overload
def selfplay(games: int | Sequence[int], *, threads: int = 1, arrow: Literal[True], **settings: Any) -> pyarrow.Table: ...
@overload
def selfplay(
    games: int | Sequence[int], *, threads: int = 1, arrow: bool, **settings: Any
) -> dict[str, npt.NDArray[Any]] | pyarrow.Table: ...
def selfplay(
    games: int | Sequence[int],
    *,
    threads: int = 1,
    arrow: bool = False,
    **settings: Any,
) -> dict[str, npt.NDArray[Any]] | pyarrow.Table:
    """Plays games of the engine against itself and returns their labelled positions, column by column.

    `games` is a number of games, or their indices. The same `settings`, seed and index give the same game on any number of
    threads. Settings: `seed`; how each position is searched (`level`, or `depth` and `selectivity`, or `nodes`; by default
    depth 6 at 73 %); `exact`, solve from so many empty squares on (14); `random_plies=(8, 40)`, `balance`, `stray` (percent),
    `openings` (text of transcripts), `hash`, `eval`, as in `outflank selfplay --help`.

    Columns: `game`, `ply`, `player` and `opponent` (bits), `black` (the player is), `square` (the move played), `value`
    (discs for the player), `depth`, `exact`, `result` (of the game, for the player). With `arrow` a `pyarrow.Table`.
    """
    columns = Selfplay(**settings).play(_indices(games), threads).columns()
    if not arrow:
        return columns
    import pyarrow

    return pyarrow.table(columns)


def _indices(games: int | Sequence[int]) -> list[int]:
    """The indices of so many games, or these; only whole numbers are numbers of games."""
    try:
        count = operator.index(games)  # type: ignore[arg-type]
    except TypeError:
        if isinstance(games, (str, bytes, bytearray)):
            raise TypeError("games are a number of games or a list of their indices, not one text") from None
        return [operator.index(index) for index in games]  # type: ignore[union-attr]
    if count < 0:
        raise OutflankError(f"games {count}: 0 or more is possible")
    return list(range(count))
