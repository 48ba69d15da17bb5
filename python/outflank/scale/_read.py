"""Reading positions: OBF, boards, transcripts or Parquet, one or many files, in little memory."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, Iterable, Iterator, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from .. import Position, RuleSet
from .._core import ProblemReader

#: Lines that are read at a time.
CHUNK = 1024
#: How lines begin that hold no position.
_COMMENT = re.compile(rb"\s*(?:$|%|#\s)")


class Unreadable(OSError):
    """A file that is read, not written, and cannot be."""


class Row(NamedTuple):
    """A line of the input."""

    #: Running number over all files, from 1.
    number: int
    #: Number of the file, from 0.
    file: int
    #: Line of the file, or row of the Parquet file, from 1.
    line: int
    #: The position as text; none when the line could not be read.
    position: str | None
    #: What is wrong with the line.
    error: str | None
    empties: int
    #: The score that the file gives, if it does and it is exact.
    listed: int | None


def files_of(paths: str | Path | Iterable[str | Path]) -> list[Path]:
    """The files: folders stand for the files in them, in the order of their names."""
    paths = [paths] if isinstance(paths, (str, Path)) else list(paths)
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            found.extend(sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith(".")))
        elif path.exists():
            found.append(path)
        else:
            raise FileNotFoundError(f"there is no file or folder '{path}'")
    if not found:
        raise FileNotFoundError("there is no input")
    return found


def describe(files: list[Path]) -> list[list[object]]:
    """What tells the input of one run from that of another: the names, the sizes and what is in the files."""
    return [[str(file), file.stat().st_size, checksum(file)] for file in files]


def checksum(file: Path) -> str:
    """Tells the content of a file from others."""
    found = hashlib.blake2b(digest_size=8)
    try:
        with open(file, "rb") as stream:
            while piece := stream.read(1 << 20):
                found.update(piece)
    except OSError as error:
        raise Unreadable(f"{file}: {error.strerror}") from error
    return found.hexdigest()


def count(files: list[Path]) -> int:
    """Rows of all files: of text, its lines but for blank ones and comments; a diagram counts for all of its lines."""
    total = 0
    for file in files:
        if file.suffix == ".parquet":
            total += _open(file)[0].metadata.num_rows
            continue
        with open(file, "rb") as stream:
            begins = True
            # whatever passes for a line: not all of it is held
            while piece := stream.readline(1 << 16):
                total += begins and not _COMMENT.match(piece)
                begins = piece.endswith(b"\n")
    return total


def read(files: list[Path], rules: str | None = None) -> Iterator[Row]:
    """The rows of all files, one by one."""
    number = 0
    for index, file in enumerate(files):
        rows = _parquet(file, rules) if file.suffix == ".parquet" else _text(file, rules)
        for line, position, error, empties, listed in rows:
            number += 1
            yield Row(number, index, line, position, error, empties, listed)


def _text(file: Path, rules: str | None) -> Iterator[tuple[int, str | None, str | None, int, int | None]]:
    reader = ProblemReader(file, rules)
    while rows := reader.read(CHUNK):
        yield from rows


def _open(file: Path) -> tuple[pq.ParquetFile, list[str]]:
    """A Parquet file, and the columns of it that hold the positions."""
    try:
        parquet = pq.ParquetFile(file)
    except pa.ArrowException as error:
        raise ValueError(f"{file}: {error}") from error
    names = parquet.schema_arrow.names
    if "position" in names:
        return parquet, ["position"]
    if {"player", "opponent"} <= set(names):
        return parquet, ["player", "opponent"]
    raise ValueError(f"{file}: neither a column 'position' nor columns 'player' and 'opponent'")


def _position(row: tuple[Any, ...], rules: str | None) -> Position:
    """The position of a row: a text, or the discs of the player and of the opponent."""
    if None in row:
        raise ValueError("no position")
    if len(row) == 2:
        position = Position.from_bits(*row)
        return position if rules is None else Position(str(position), rules)
    if rules is None:
        return Position(row[0])
    try:
        return Position(row[0], rules)
    except ValueError as error:
        try:
            named = Position(row[0])
        except ValueError:
            raise error from None
        # a text may name rules of its own, as those of this package do
        if named.rules == RuleSet():
            raise
        return named


def _parquet(file: Path, rules: str | None) -> Iterator[tuple[int, str | None, str | None, int, int | None]]:
    parquet, columns = _open(file)
    line = 0
    for batch in parquet.iter_batches(CHUNK, columns=columns):
        for row in zip(*(batch.column(name).to_pylist() for name in columns)):
            line += 1
            try:
                position = _position(row, rules)
            except (TypeError, ValueError) as error:
                yield line, None, f"row {line}: {error}", 0, None
            else:
                # the empty 16x16 board has one more than fits, as in files of text
                yield line, str(position), None, min(position.empties, 255), None
