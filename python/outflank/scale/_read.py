"""Reading positions: OBF, boards, transcripts or Parquet, one or many files, in little memory."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Iterable, Iterator, NamedTuple

import pyarrow.parquet as pq

from .. import Position
from .._core import ProblemReader

#: Lines that are read at a time.
CHUNK = 1024


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
    #: The score that the file gives, if it does.
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
    with open(file, "rb") as stream:
        while piece := stream.read(1 << 20):
            found.update(piece)
    return found.hexdigest()


def count(files: list[Path]) -> int:
    """Rows of all files: of text, its lines, blank ones and comments too."""
    total = 0
    for file in files:
        if file.suffix == ".parquet":
            total += pq.read_metadata(file).num_rows
            continue
        with open(file, "rb") as stream:
            last = b"\n"
            while piece := stream.read(1 << 20):
                total += piece.count(b"\n")
                last = piece[-1:]
            total += last != b"\n"
    return total


def read(files: list[Path], rules: str | None = None) -> Iterator[Row]:
    """The rows of all files, one by one."""
    number = 0
    for index, file in enumerate(files):
        rows = _parquet(file) if file.suffix == ".parquet" else _text(file, rules)
        for line, position, error, empties, listed in rows:
            number += 1
            yield Row(number, index, line, position, error, empties, listed)


def _text(file: Path, rules: str | None) -> Iterator[tuple[int, str | None, str | None, int, int | None]]:
    reader = ProblemReader(file, rules)
    while rows := reader.read(CHUNK):
        yield from rows


def _parquet(file: Path) -> Iterator[tuple[int, str | None, str | None, int, int | None]]:
    parquet = pq.ParquetFile(file)
    names = parquet.schema_arrow.names
    if "position" in names:
        columns = ["position"]
    elif {"player", "opponent"} <= set(names):
        columns = ["player", "opponent"]
    else:
        raise ValueError(f"{file}: neither a column 'position' nor columns 'player' and 'opponent'")
    line = 0
    for batch in parquet.iter_batches(CHUNK, columns=columns):
        for row in zip(*(batch.column(name).to_pylist() for name in columns)):
            line += 1
            try:
                position = Position(row[0]) if len(row) == 1 else Position.from_bits(*row)
            except (TypeError, ValueError) as error:
                yield line, None, f"row {line}: {error}", 0, None
            else:
                yield line, str(position), None, position.empties, None
