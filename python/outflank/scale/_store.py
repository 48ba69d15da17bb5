"""Results on the way: a work folder beside the output, from which a killed run goes on."""

from __future__ import annotations

import json
import operator
import os
import re
import shutil
from pathlib import Path
from typing import Any, Callable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from .._core import FolderLock

#: Version of the work folder; 1 did not have checksums of the input and of weights.
VERSION = 2
#: The name under which an output has the settings that its results come from.
SETTINGS = "outflank.scale"


class Different(ValueError):
    """The work folder or the finished output belongs to other input or other settings."""


def write_table(table: pa.Table, path: Path) -> None:
    """Writes a Parquet file whole: under another name, on the disc, then renamed."""
    part = path.with_name(path.name + ".tmp")
    pq.write_table(table, part, compression="zstd")
    _into_place(part, path)


def _into_place(part: Path, path: Path) -> None:
    with open(part, "rb+") as file:
        os.fsync(file.fileno())
    os.replace(part, path)
    _sync_folder_of(path)


def _sync_folder_of(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def settings_of(out: Path) -> dict[str, Any] | None:
    """The settings that the results of a finished output come from; none when the output does not tell."""
    try:
        if out.suffix == ".parquet":
            text = (pq.read_schema(out).metadata or {}).get(SETTINGS.encode(), b"null")
        else:
            with open(out, encoding="utf-8", errors="replace") as lines:
                line = lines.readline()
            text = line if out.suffix == ".jsonl" else line.partition(f"% {SETTINGS} ")[2] or "null"
        found = json.loads(text)
        found = found.get("settings") if found and out.suffix == ".jsonl" else found
    except (pa.ArrowException, ValueError, AttributeError) as error:
        raise Different(f"{out}: not written by this command: {error}") from error
    return found if isinstance(found, dict) else None


def _refuse_others(path: Path, then: dict[str, Any], now: dict[str, Any]) -> None:
    # of another version everything may differ
    for name in sorted(then.keys() | now.keys(), key=lambda name: (name != "version", name)):
        if then.get(name) != now.get(name):
            raise Different(f"{path}: cannot resume, {name} was {then.get(name)} then and is {now.get(name)} now")


def column(out: Path, name: str) -> Iterator[Any]:
    """A column of a finished output."""
    try:
        file = pq.ParquetFile(out)
    except pa.ArrowException as error:
        raise Different(f"{out}: {error}") from error
    if name not in file.schema_arrow.names:
        raise Different(f"{out}: not written by this command, it has no column '{name}'")
    for batch in file.iter_batches(columns=[name]):
        yield from batch.column(0).to_pylist()


class WorkFolder:
    """The blocks of windows that are done, a Parquet file each; whole windows become one file.

    A window is a stretch of the input, a block a part of it that one worker does. Both are found again from the same input
    and settings, which is what `settings` describes; `made` are those of them that a result depends on, whatever its input, and
    that the output has. Where a `with` fails before anything is done, the folder goes. Nobody else works in it until then, or until
    the output is finished.
    """

    def __init__(self, out: Path, settings: dict[str, Any], made: dict[str, Any], resume: bool) -> None:
        self.out, self.path = out, out.with_name(out.name + ".work")
        # what a kill has left of the folder while it was removed
        self._done = out.with_name(self.path.name + ".done")
        shutil.rmtree(self._done, ignore_errors=True)
        # through JSON, as they will be compared with what is read back; whole numbers may be those of NumPy
        self.made: dict[str, Any] = json.loads(json.dumps(made, default=operator.index))
        settings = json.loads(json.dumps({"version": VERSION, **settings, **made}, default=operator.index))
        self.complete = False
        if not resume and (out.exists() or self.path.exists()):
            raise FileExistsError(f"{out} has results already: go on with resume, or choose another output")
        if out.exists() and not self.path.exists():
            self.complete = True
            if (then := settings_of(out)) is None:
                raise Different(f"{out}: complete already, and it does not tell by which settings")
            _refuse_others(out, then, self.made)
            return
        out.parent.mkdir(parents=True, exist_ok=True)
        self.path.mkdir(exist_ok=True)
        self._lock = FolderLock(self.path)
        try:
            self._look(settings)
        except BaseException:
            self._lock.release()
            raise

    def _look(self, settings: dict[str, Any]) -> None:
        """Finds what is done, by these settings and no others."""
        names = [entry.name for entry in os.scandir(self.path)]
        self.windows = {int(found[1]) for name in names if (found := re.fullmatch(r"w(\d+)\.parquet", name))}
        self.blocks: dict[int, set[int]] = {}
        for name in names:
            if found := re.fullmatch(r"w(\d+)-b(\d+)\.parquet", name):
                self.blocks.setdefault(int(found[1]), set()).add(int(found[2]))
        note = self.path / "settings.json"
        if note.exists():
            _refuse_others(self.path, json.loads(note.read_text()), settings)
        elif self.windows or self.blocks:
            lack = "it has results and no settings.json that says what of: remove it to begin anew"
            raise Different(f"{self.path}: cannot resume, {lack}")
        else:
            part = note.with_name("settings.json.tmp")
            part.write_text(json.dumps(settings, indent=1))
            _into_place(part, note)

    def __enter__(self) -> WorkFolder:
        return self

    def __exit__(self, error: type[BaseException] | None, *_more: Any) -> None:
        if error:
            if not self.windows and not self.blocks:
                shutil.rmtree(self.path)
            self._lock.release()

    def _window(self, window: int) -> Path:
        return self.path / f"w{window:07}.parquet"

    def _block(self, window: int, block: int) -> Path:
        return self.path / f"w{window:07}-b{block:05}.parquet"

    def has(self, window: int, block: int | None = None) -> bool:
        """The window, or a block of it, is done."""
        return window in self.windows or block is not None and block in self.blocks.get(window, ())

    def add(self, window: int, block: int, table: pa.Table) -> None:
        """Keeps the results of a block."""
        write_table(table, self._block(window, block))
        self.blocks.setdefault(window, set()).add(block)

    def close(self, window: int, order: str) -> None:
        """Makes one file of the blocks of a window that is done, sorted by a column."""
        blocks = sorted(self.blocks.pop(window, ()))
        tables = [pq.read_table(self._block(window, block)) for block in blocks]
        write_table(pa.concat_tables(tables).sort_by(order), self._window(window))
        self.windows.add(window)
        for block in blocks:
            self._block(window, block).unlink()

    def tables(self) -> Iterator[pa.Table]:
        """The windows in the order of the input."""
        for window in sorted(self.windows):
            yield pq.read_table(self._window(window))

    def rows(self) -> int:
        """Rows in the files that are there."""
        blocks = (self._block(window, block) for window, blocks in self.blocks.items() for block in blocks)
        files = [*(self._window(window) for window in self.windows), *blocks]
        return sum(pq.read_metadata(file).num_rows for file in files)

    def finish(self, schema: pa.Schema, lines: Callable[[Iterator[pa.Table], dict[str, Any]], Iterator[str]] | None) -> None:
        """Writes the output with its settings, Parquet or (with `lines`) text, window after window, and removes the folder."""
        try:
            self._finish(schema, lines)
        finally:
            self._lock.release()

    def _finish(self, schema: pa.Schema, lines: Callable[[Iterator[pa.Table], dict[str, Any]], Iterator[str]] | None) -> None:
        part = self.out.with_name(self.out.name + ".tmp")
        if lines is None:
            schema = schema.with_metadata({SETTINGS: json.dumps(self.made)})
            with pq.ParquetWriter(part, schema, compression="zstd") as writer:
                for table in self.tables():
                    writer.write_table(table.cast(schema))
        else:
            with open(part, "w", encoding="utf-8") as file:
                file.writelines(line + "\n" for line in lines(self.tables(), self.made))
        _into_place(part, self.out)
        # at once: a part of it would pass for the results of whatever comes next
        self.path.rename(self._done)
        _sync_folder_of(self._done)
        shutil.rmtree(self._done)
