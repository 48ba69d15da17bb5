"""Positions of any number, solved or searched on a cluster."""

from __future__ import annotations

import heapq
import json
import sys
import threading
from pathlib import Path
from typing import Any, Iterable, Iterator

import pyarrow as pa

from .. import Engine, Position, Report, RuleSet
from .._core import ProblemWriter
from ._pool import Cluster, Pool, Progress, Task, check
from ._read import Row, count, describe, files_of, read
from ._store import SETTINGS, Different, WorkFolder, column

#: Lines of a window: what is sorted, and one file of the work folder when it is done.
WINDOW = 4096
#: Windows that are read but not done: what bounds the memory.
OPEN_WINDOWS = 32
#: Positions of a block, and the nodes that it may be expected to take: two seconds of a core.
BLOCK, BLOCK_COST = 256, 5e7
#: Towards the end of a window blocks get smaller, so that no worker waits long for the others' last ones: a block is at most
#: this share of the work that is left, but not less than so many nodes.
BLOCK_SHARE, BLOCK_LEAST = 8, 1e6
#: The block of the lines that could not be read: behind all others.
BAD = 99_999

SCHEMA = pa.schema(
    [
        ("number", pa.int64()),
        ("file", pa.int32()),
        ("line", pa.int64()),
        ("position", pa.string()),
        ("empties", pa.uint8()),
        ("score", pa.int16()),
        ("best", pa.string()),
        ("moves", pa.string()),
        ("depth", pa.uint8()),
        ("selectivity", pa.uint8()),
        ("exact", pa.bool_()),
        ("nodes", pa.uint64()),
        ("seconds", pa.float64()),
        ("listed", pa.int16()),
        ("error", pa.string()),
    ]
)


def cost_of(empties: int, limits: dict[str, Any]) -> float:
    """Nodes that a position may be expected to take: only their order and rough size matter."""
    nodes = 1e6 * 3.0 ** (min(empties, 60) - 20)
    if limits.get("nodes") is not None:
        nodes = min(nodes, limits["nodes"])
    depth = limits.get("depth") or limits.get("level")
    if depth is not None:
        nodes = min(nodes, 2e3 * 1.9 ** min(depth, 40)) if empties > 2 * depth or limits.get("depth") else nodes
    return max(nodes, 500.0)


def _has(limits: dict[str, Any], *names: str) -> bool:
    """One of these limits is given."""
    return any(limits.get(name) is not None for name in names)


class Searcher:
    """Searches blocks of positions on one engine. For proofs its table lives from block to block; what is no proof would depend on
    which positions had been there before."""

    def __init__(
        self, *, hash: int = 64, threads: int = 1, eval: str | None = None, limits: dict[str, Any] | None = None
    ) -> None:
        self.engine = Engine(hash=hash, threads=threads, eval=eval)
        self.threads, self.limits = threads, dict(limits or {})
        #: Threads to go on with; none when nobody has offered help.
        self.offered: int | None = None
        # a stop that came after its offer had been taken would end the search of another position
        self._offering = threading.Lock()

    def boost(self, threads: int) -> None:
        """Goes on with more threads: the search begins again on a table that knows what it has found."""
        with self._offering:
            self.offered = threads
            self.engine.stop()

    def _offer(self) -> int | None:
        """Takes the threads that have been offered."""
        with self._offering:
            threads, self.offered = self.offered, None
        return threads

    def _search(self, position: str, limits: dict[str, Any]) -> Report:
        if _has(limits, "level", "depth", "selectivity"):
            return self.engine.search(position, **limits)
        return self.engine.solve(position, **limits)

    def _left(self, nodes: int, seconds: float) -> dict[str, Any]:
        """The limits less what has been spent of them."""
        left = dict(self.limits)
        for name, spent in [("nodes", nodes), ("time", seconds)]:
            if left.get(name) is not None:
                left[name] = max(left[name] - spent, 0)
        return left

    def _go_on(self, position: str) -> tuple[Report, int, float]:
        """Searches a position, again with more threads when some are offered; what was found, the nodes and the seconds."""
        best, nodes, seconds = self._search(position, self.limits), 0, 0.0
        report = best
        while True:
            nodes, seconds = nodes + report.nodes, seconds + report.seconds
            # with little left a search does not come as far again
            if (report.depth, report.selectivity) >= (best.depth, best.selectivity):
                best = report
            if (threads := self._offer()) is None:
                return best, nodes, seconds
            self.engine.threads = threads
            left = self._left(nodes, seconds)
            if not report.stopped or 0 in (left.get("nodes"), left.get("time")):
                return best, nodes, seconds
            report = self._search(position, left)

    def __call__(self, block: list[tuple[int, str]]) -> list[tuple[Any, ...]]:
        rows, proves = [], not _has(self.limits, "level", "depth", "selectivity", "nodes", "time")
        self._offer()
        for number, position in block:
            if not proves:
                self.engine.clear()
            report, nodes, seconds = self._go_on(position)
            moves = " ".join(f"{line.move}:{line.score:+}" for line in report.lines)
            rows.append(
                (number, report.score, report.best, moves, report.depth, report.selectivity, report.exact, nodes, seconds)
            )
        self.engine.threads = self.threads
        return rows


class _Windows:
    """Windows of the input as tasks: each is sorted by what its positions may cost, and cut into blocks."""

    def __init__(self, rows: Iterator[Row], folder: WorkFolder, limits: dict[str, Any], window: int) -> None:
        self.rows, self.folder, self.limits, self.size = rows, folder, limits, window
        self.number = 0
        #: Blocks of each open window that are not done, and the rows of each block.
        self.open: dict[int, set[int]] = {}
        self.block_rows: dict[tuple[int, int], list[Row]] = {}
        self.heap: list[tuple[float, int, int, Task[tuple[int, int]]]] = []
        self.before = self.bad = 0

    def blocks(self, rows: list[Row]) -> Iterator[tuple[float, list[Row]]]:
        """Rows sorted by cost, the costliest first, in blocks of about the same cost, the last ones smaller."""
        costs = sorted(((cost_of(row.empties, self.limits), row) for row in rows), key=lambda one: (-one[0], one[1].number))
        left = sum(cost for cost, _ in costs)
        block: list[Row] = []
        total = 0.0
        for cost, row in costs:
            most = min(BLOCK_COST, max(left / BLOCK_SHARE, BLOCK_LEAST))
            if block and (len(block) >= BLOCK or total + cost > most):
                yield total, block
                left -= total
                block, total = [], 0.0
            block.append(row)
            total += cost
        if block:
            yield total, block

    def _read_window(self) -> bool:
        rows = [row for _, row in zip(range(self.size), self.rows)]
        if not rows:
            return False
        window, self.number = self.number, self.number + 1
        bad = [row for row in rows if row.position is None]
        self.bad += len(bad)
        if self.folder.has(window):
            self.before += len(rows)
            return True
        todo: set[int] = set()
        good = [row for row in rows if row.position is not None]
        for block, (cost, block_rows) in enumerate(self.blocks(good)):
            if self.folder.has(window, block):
                self.before += len(block_rows)
                continue
            todo.add(block)
            self.block_rows[window, block] = block_rows
            payload = [(row.number, row.position) for row in block_rows]
            heapq.heappush(self.heap, (-cost, window, block, Task((window, block), payload, cost)))
        # lines that could not be read are a block of their own, behind the others
        if bad and not self.folder.has(window, BAD):
            self.folder.add(window, BAD, _table([(row, None) for row in bad]))
        self.open[window] = todo
        self.close(window)
        return True

    def close(self, window: int) -> None:
        """Puts a window away when all of it is done."""
        if not self.open[window]:
            del self.open[window]
            self.folder.close(window, "number")

    def done(self, key: tuple[int, int], results: list[tuple[Any, ...]]) -> int:
        """Keeps what came back for a block; returns its number of positions."""
        window, block = key
        rows = {row.number: row for row in self.block_rows.pop(key)}
        assert rows.keys() == {result[0] for result in results}, "a block comes back whole"
        self.folder.add(window, block, _table([(rows[result[0]], result) for result in results]))
        self.open[window].discard(block)
        self.close(window)
        return len(rows)

    def __iter__(self) -> Iterator[Task[tuple[int, int]] | None]:
        more = True
        while more or self.heap:
            # a window ahead, so that the costliest blocks are begun in time
            while more and len(self.heap) < 64 and len(self.open) < OPEN_WINDOWS:
                more = self._read_window()
            if self.heap:
                yield heapq.heappop(self.heap)[3]
            elif more:
                # all windows that may be open are being worked on
                yield None


def _table(rows: list[tuple[Row, tuple[Any, ...] | None]]) -> pa.Table:
    columns: dict[str, list[Any]] = {name: [] for name in SCHEMA.names}
    for row, result in rows:
        values = dict(zip(("score", "best", "moves", "depth", "selectivity", "exact", "nodes", "seconds"), (result or ())[1:]))
        values.update(number=row.number, file=row.file, line=row.line, position=row.position, listed=row.listed)
        values.update(error=row.error, empties=row.empties if row.position else None)
        for name, column in columns.items():
            column.append(values.get(name))
    return pa.table(columns, schema=SCHEMA)


def obf_lines(tables: Iterator[pa.Table], settings: dict[str, Any]) -> Iterator[str]:
    """Results as OBF problems; their settings, rules other than othello's and lines that could not be read are comments."""
    writer = ProblemWriter()
    yield f"% {SETTINGS} {json.dumps(settings)}"
    for row in _rows(tables):
        if row["error"] is not None:
            yield f"% {row['error']}"
            continue
        entries = [entry.rsplit(":", 1) for entry in row["moves"].split()]
        text = "".join(f" {'--' if move == 'pass' else move.upper()}:{score};" for move, score in entries)
        note = "" if row["exact"] else f" % {row['depth']}@{row['selectivity']}%"
        yield f"{writer.write(row['position'])};{text or ' %+d;' % row['score']}{note}"


def json_lines(tables: Iterator[pa.Table], settings: dict[str, Any]) -> Iterator[str]:
    """Results as JSON objects, each with its settings."""
    for row in _rows(tables):
        known = {name: value for name, value in row.items() if value is not None}
        yield json.dumps({**known, "settings": settings})


def _rows(tables: Iterator[pa.Table]) -> Iterator[dict[str, Any]]:
    return (row for table in tables for row in table.to_pylist())


WRITERS = {".parquet": None, ".obf": obf_lines, ".txt": obf_lines, ".jsonl": json_lines}


def _positions_in(out: Path) -> Iterator[str | None]:
    """The positions of a finished output, one for every row of its input; none where one could not be read."""
    if out.suffix == ".parquet":
        yield from column(out, "position")
        return
    rules = None
    with open(out, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith(f"% {SETTINGS} "):
                continue
            if out.suffix != ".jsonl":
                if line.startswith(named := "# rules: "):
                    rules = line.removeprefix(named).strip()
                else:
                    yield None if line.startswith("%") else _as_read(line.split(";", 1)[0], rules)
                continue
            try:
                yield json.loads(line).get("position")
            except (ValueError, AttributeError):
                raise Different(f"{out}: not written by this command") from None


def _as_read(board: str, rules: str | None) -> str:
    """The text that the rows of the input have for a board of OBF; what is none stays as it is."""
    try:
        return board if rules is None else str(Position(board, rules))
    except ValueError:
        return board


def _compare(out: Path, rows: Iterator[Row]) -> None:
    """A finished output tells of its input the positions: these must be the same ones now."""
    found = _positions_in(out)
    for row in rows:
        # no position has an empty text
        if (there := next(found, "")) != row.position:
            said = "is missing" if there == "" else f"is {there}"
            raise Different(f"{out}: complete already, of other input: position {row.number} {said}, not {row.position}")
    if next(found, "") != "":
        raise Different(f"{out}: complete already, of other input, which had more positions")


def solve(
    inputs: str | Path | Iterable[str | Path],
    out: str | Path,
    *,
    address: str | None = None,
    jobs: int | None = None,
    threads: int = 1,
    hash: int = 64,
    eval: str | None = None,
    rules: str | None = None,
    resume: bool = False,
    quiet: bool = False,
    window: int = WINDOW,
    **limits: Any,
) -> dict[str, Any]:
    """Solves every position of the input files on a Ray cluster and writes the results to `out`, in the order of the input.

    `inputs` are files or folders of OBF problems, boards, transcripts or Parquet (column `position`, or `player` and
    `opponent`); `out` ends in `.parquet`, `.obf`, `.txt` (OBF) or `.jsonl`. `address` is that of a cluster (`auto`: the one
    of this machine); without one a cluster is started on this machine's cores. `jobs` workers with `threads` cores and a
    table of `hash` MiB each; `eval` is a file of weights, under the same path here and on the workers' machines. `limits` are
    those of `Engine.solve` (`wld`, `best_moves`, `all_moves`, `nodes`, `time`) or, to search instead, of `Engine.search`
    (`level`, `depth`, `selectivity`, `lines`, `nodes`, `time`). What `wld` finds are no scores, and not written as OBF.

    While it works, results are in `OUT.work`; with `resume` a run that was stopped goes on from there. Only the caller's
    machine needs the files. Returns a summary. Raises `FileExistsError` when there are results already, `ValueError` for
    results of other settings or input; of the input of a finished output the positions are compared.
    """
    out, files = Path(out), files_of(inputs)
    if out.suffix not in WRITERS:
        raise ValueError(f"{out}: results are written as .parquet, .obf, .txt or .jsonl")
    # what says nothing; 0 is a limit: it is equal to False, but not the same
    limits = {name: value for name, value in limits.items() if value is not None and value is not False}
    if "wld" in limits and WRITERS[out.suffix] is obf_lines:
        raise ValueError(f"{out}: OBF has scores, and wld finds none: results of it are written as .parquet or .jsonl")
    # nonsense is found before anything is started: a finished game takes no time
    jobs, threads, hash = check(jobs, threads, hash)
    describe([Path(eval)] if eval else [])
    RuleSet(rules or "othello")
    Searcher(hash=1, eval=eval, limits=limits)([(0, "X" * 64 + " X")])
    if not 1 <= window <= 50_000:
        raise ValueError(f"window {window}: 1 to 50000 lines are possible")
    # the last is what a window and a block are
    settings = {"inputs": describe(files), "cut": [window, BLOCK, BLOCK_COST, BLOCK_SHARE, BLOCK_LEAST]}
    made = {"limits": limits, "rules": rules, "eval": eval and describe([Path(eval)])}
    total = count(files)
    folder = WorkFolder(out, settings, made, resume)
    if folder.complete:
        _compare(out, read(files, rules))
        return {"out": str(out), "positions": 0, "before": None, "complete": True}
    windows = _Windows(read(files, rules), folder, limits, window)
    arguments = {"hash": hash, "threads": threads, "eval": eval, "limits": limits}
    cluster = Cluster(address, jobs and jobs * threads, threads)
    with folder, cluster, Pool(Searcher, arguments, jobs=jobs, threads=threads) as pool:
        progress = Progress("positions", total, pool, quiet=quiet)
        nodes = 0

        def tick() -> bool:
            progress.before = windows.before
            return progress.tick()

        for task, results in pool.run(iter(windows), tick):
            progress.done += windows.done(task.key, results)
            nodes += sum(result[7] for result in results)
        lost, seconds = pool.lost, progress.seconds()
        if not quiet:
            print(progress.text(), file=sys.stderr)
    folder.finish(SCHEMA, WRITERS[out.suffix])
    return {
        "out": str(out),
        "positions": progress.done,
        "before": windows.before,
        "bad_lines": windows.bad,
        "nodes": nodes,
        "seconds": seconds,
        "tasks_done_again": lost,
        "complete": True,
    }
