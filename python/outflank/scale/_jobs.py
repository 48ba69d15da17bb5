"""Self-play, growing books and matches on a cluster."""

from __future__ import annotations

import contextlib
import operator
import sys
import time
from pathlib import Path
from typing import Any, Iterator

import pyarrow as pa

from .._core import BookGrower, LeafSearcher, Match, Selfplay, SelfplayArchive, SelfplayGames
from ._pool import Cluster, Pool, Progress, Task, check, not_there
from ._store import Different, WorkFolder, column

#: Games of a task.
CHUNK = 64
#: Seconds between savings of a growing book.
SAVE_EVERY = 1800.0

SELFPLAY_SCHEMA = pa.schema(
    [
        ("game", pa.uint32()),
        ("ply", pa.uint8()),
        ("player", pa.uint64()),
        ("opponent", pa.uint64()),
        ("black", pa.bool_()),
        ("square", pa.uint8()),
        ("value", pa.float32()),
        ("depth", pa.uint8()),
        ("exact", pa.bool_()),
        ("result", pa.int8()),
    ]
)


class _GamePlayer:
    """Plays games by their indices."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.selfplay = Selfplay(**settings)

    def __call__(self, indices: list[int]) -> SelfplayGames:
        return self.selfplay.play(indices)


def selfplay(
    games: int,
    out: str | Path,
    *,
    address: str | None = None,
    jobs: int | None = None,
    resume: bool = False,
    quiet: bool = False,
    chunk: int = CHUNK,
    **settings: Any,
) -> dict[str, Any]:
    """Plays games of the engine against itself until `out` has so many.

    `out` is an archive as `outflank selfplay --out` writes it, or ends in `.parquet` and gets the columns of
    `outflank.selfplay`. `settings` are those of `outflank.selfplay`; with the same ones any number of workers plays the same
    set of games. An archive goes on with what it has; for Parquet `resume` says so. `chunk` games are one task. Returns a summary.
    """
    out, player = Path(out), Selfplay(**settings)
    jobs, *_ = check(jobs)
    games, chunk = operator.index(games), operator.index(chunk)
    if not 0 <= games < 1 << 32:
        raise ValueError(f"{games} games: 0 to {2**32 - 1} are possible")
    if chunk < 1:
        raise ValueError(f"chunk {chunk}: 1 or more is possible")
    archive = folder = None
    made = not_there(out)
    if out.suffix == ".parquet":
        folder = WorkFolder(out, {"games": games, "chunk": chunk}, {"selfplay": player.settings}, resume)
        if folder.complete:
            # numbered from 0
            if (there := max(column(out, "game"), default=-1) + 1) != games:
                raise Different(f"{out}: complete already, with {there} games, not {games}")
            return {"out": str(out), "games": 0, "complete": True}
        starts = [start for start in range(0, games, chunk) if not folder.has(start // chunk)]
        chunks = ([*range(start, min(start + chunk, games))] for start in starts)
        before = games - sum(min(start + chunk, games) - start for start in starts)
    else:
        archive = SelfplayArchive(out, player)
        missing = archive.missing(games)
        chunks = (missing[at : at + chunk] for at in range(0, len(missing), chunk))
        before = games - len(missing)
    tasks = (Task(indices[0], indices) for indices in chunks)
    arguments = {"settings": settings}
    cluster = Cluster(address, jobs, made=made)
    # closed whatever happens: the traceback of what went wrong keeps it, and with it the lock of its file
    with folder or archive or contextlib.nullcontext(), cluster, Pool(_GamePlayer, arguments, jobs=jobs) as pool:
        progress = Progress("games", games, pool, quiet=quiet)
        progress.before = before
        for task, played in pool.run(tasks, progress.tick):
            if archive is not None:
                archive.append(played)
            elif folder is not None:
                table = pa.table(played.columns(), schema=SELFPLAY_SCHEMA)
                folder.add(task.key // chunk, 0, table)
                folder.close(task.key // chunk, "game")
            progress.done += len(played)
        if not quiet:
            print(progress.text(), file=sys.stderr)
        lost = pool.lost
    if folder is not None:
        folder.finish(SELFPLAY_SCHEMA, None)
    return {"out": str(out), "games": progress.done, "before": before, "tasks_done_again": lost, "complete": True}


class _LeafWorker:
    """Searches leaves of a book."""

    def __init__(self, hash: int) -> None:
        self.searcher = LeafSearcher(hash)

    def __call__(self, job: tuple[int, int, int, int]) -> tuple[int, int] | None:
        return self.searcher.search(job)


def grow(
    book: str | Path,
    positions: int,
    *,
    address: str | None = None,
    jobs: int | None = None,
    hash: int = 64,
    quiet: bool = False,
    **plan: Any,
) -> dict[str, Any]:
    """Adds positions to a book, best first, as `outflank book grow` does: leaves are searched on the cluster, one writer enters
    them in batches.

    The book is made when there is none. `plan`: `level`, `plies`, `loss=(by one move, in all)`, `drop_out`. A run that was
    killed loses the searches in flight only; the same call goes on. Returns a summary.
    """
    # before there is a book
    jobs, _, hash = check(jobs, hash=hash)
    positions = operator.index(positions)
    made = not_there(book)
    grower = BookGrower(book, **plan)
    searches, saved = 0, time.monotonic()
    with contextlib.closing(grower), Cluster(address, jobs, made=made), Pool(_LeafWorker, {"hash": hash}, jobs=jobs) as pool:
        progress = Progress("positions added", positions, pool, quiet=quiet)
        try:
            while leaves := grower.next(jobs or max(pool.ready, 1), max(positions - grower.added, 0)):
                tasks: Iterator[Task[int]] = (Task(number, leaf) for number, leaf in enumerate(leaves))
                for task, leaf in pool.run(tasks, progress.tick):
                    grower.enter(task.key, leaf)
                    searches += 1
                    progress.done = grower.added
                if time.monotonic() - saved > SAVE_EVERY:
                    grower.save()
                    saved = time.monotonic()
        finally:
            grower.save()
        if not quiet:
            print(progress.text(), file=sys.stderr)
        added = {"added": grower.added, "positions": len(grower)}
        return {"book": str(book), **added, "searches": searches, "tasks_done_again": pool.lost}


class _PairPlayer:
    """Plays pairs of games."""

    def __init__(self, arguments: tuple[Any, ...], settings: dict[str, Any]) -> None:
        self.match = Match(*arguments, **settings)

    def __call__(self, pair: int) -> list[str]:
        return self.match.play(pair)


def match(
    first: str,
    second: str,
    games: int,
    out: str | Path,
    *,
    address: str | None = None,
    jobs: int | None = None,
    threads: int = 1,
    resume: bool = False,
    quiet: bool = False,
    **settings: Any,
) -> dict[str, Any]:
    """Plays a match in pairs of games spread over the cluster, with one account of the result.

    Players are written as for `outflank match`. Games go to `OUT.jsonl` and `OUT.ggf` as they end; with `resume` a match that
    was stopped goes on. `settings`: `level`, `depth`, `nodes` or `time` (seconds a move) of players without their own;
    `openings` (text of transcripts) or `random_plies`, `seed`; `sprt=(elo0, elo1)`, `alpha`, `beta` end it as soon as the test
    is decided. `threads` cores are taken for each worker. Returns the result, seen by the first player.
    """
    jobs, threads, _ = check(jobs, threads)
    games = operator.index(games)
    if games < 2 or games % 2:
        raise ValueError(f"{games} games: games are played in pairs, the number must be even")
    arguments = (first, second, games // 2)
    plan = Match(*arguments, **settings)
    made = not_there(f"{out}.jsonl", f"{out}.ggf")
    store = plan.store(out, resume)
    result = store.result()
    tasks = (Task(pair, pair) for pair in range(plan.pairs) if not store.has(pair))
    host = {"arguments": arguments, "settings": settings}
    cluster = Cluster(address, jobs and jobs * threads, threads, made)
    # what is closed says whether all of it is durable
    with contextlib.closing(store), cluster, Pool(_PairPlayer, host, jobs=jobs, threads=threads) as pool:
        progress = Progress("games", games, pool, quiet=quiet)
        progress.before = result["games"]
        if result["verdict"] is None:
            for _, played in pool.run(tasks, progress.tick):
                for game in played:
                    store.add(game)
                progress.done += len(played)
                result = store.result()
                if result["verdict"] is not None:
                    break
        if not quiet:
            print(progress.text(), file=sys.stderr)
    return result
