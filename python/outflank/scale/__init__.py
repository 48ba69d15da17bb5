"""The engine on many machines, through Ray (`pip install outflank[scale]`).

`solve` and `label` work through files of positions, `selfplay` makes training games, `grow` a book, `match` plays two players
against each other; `python -m outflank.scale` is the command for all of them. Work that is lost with a worker or a node is done
again, every result comes once, and a run that was killed goes on where it was.

`Solver` is for pipelines of Ray Data:

    dataset.map_batches(outflank.scale.Solver, fn_constructor_kwargs={"limits": {"level": 16}}, concurrency=8)
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable

import numpy as np
import numpy.typing as npt

from .. import Engine

__all__ = ["Different", "LostTask", "Solver", "grow", "label", "match", "selfplay", "solve"]

if TYPE_CHECKING:
    from ._jobs import grow, match, selfplay
    from ._pool import LostTask
    from ._solve import solve
    from ._store import Different
else:
    # Ray is for those who work with it: `--help` does without
    _PLACES = {"grow": "_jobs", "match": "_jobs", "selfplay": "_jobs", "LostTask": "_pool", "solve": "_solve", "Different": "_store"}

    def __getattr__(name):
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            import pyarrow  # noqa: F401
            import ray  # noqa: F401
        except ImportError as error:
            raise ImportError("outflank.scale needs Ray and pyarrow: pip install 'outflank[scale]'") from error
        return getattr(importlib.import_module(f".{_PLACES[name]}", __name__), name)

    def __dir__():
        return sorted({*globals(), *__all__})


def label(
    inputs: str | Path | Iterable[str | Path],
    out: str | Path,
    *,
    level: int | None = None,
    depth: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Gives every position of the input the value of a deeper search: `solve` with a level (24 when neither it nor a depth is
    given), or with `depth` and `selectivity`."""
    from . import solve

    if level is None and depth is None:
        level = 24
    return solve(inputs, out, level=level, depth=depth, **options)


class Solver:
    """Solves batches with the columns `player` and `opponent` for `map_batches` of Ray Data; adds `score`, `best`, `depth`,
    `exact`, `nodes` and `seconds`. `limits` are those of `Engine.solve_many`."""

    def __init__(self, *, hash: int = 64, eval: str | None = None, limits: dict[str, Any] | None = None) -> None:
        self.engine, self.limits = Engine(hash=hash, eval=eval), dict(limits or {})

    def __call__(self, batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        boards = np.stack([_bits(name, batch[name]) for name in ("player", "opponent")], axis=1)
        return {**batch, **self.engine.solve_many(boards, **self.limits)}


def _bits(name: str, column: np.ndarray) -> npt.NDArray[np.uint64]:
    # a column with nulls comes as one of floats, which do not hold 64 squares
    if column.dtype.kind not in "iu":
        raise TypeError(f"the column '{name}' is of whole numbers without nulls, not of {column.dtype}")
    return column.astype(np.uint64)
