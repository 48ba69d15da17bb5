"""`python -m outflank.scale COMMAND`: the engine on a Ray cluster."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from . import label


def _cluster(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("cluster")
    group.add_argument("--address", help="address of the cluster; 'auto': the one of this machine (default: start one here)")
    group.add_argument("--jobs", type=int, metavar="N", help="workers (default: all cores of the cluster)")
    group.add_argument("--quiet", action="store_true", help="no progress on stderr")


def _search(parser: argparse.ArgumentParser, default: str) -> None:
    group = parser.add_argument_group("search")
    group.add_argument("--level", type=int, metavar="N", help=f"playing level 0 to 60 ({default})")
    group.add_argument("--depth", type=int, metavar="PLIES", help="a depth instead of a level")
    group.add_argument("--selectivity", type=int, metavar="PERCENT", help="with --depth: 73, 87, 95, 98, 99 or 100")
    group.add_argument("--nodes", type=int, metavar="N", help="nodes a position at most")


def _positions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("inputs", nargs="+", metavar="IN", help="files or folders of OBF, boards, transcripts, Parquet")
    parser.add_argument("out", metavar="OUT", help="results: .parquet, .obf, .txt or .jsonl")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="cores of each worker")
    parser.add_argument("--hash", type=int, default=64, metavar="MIB", help="table of each worker")
    parser.add_argument("--eval", metavar="FILE", help="weights, under the same path here and on the workers' machines")
    parser.add_argument("--rules", metavar="RULES", help="rules of boards that do not name theirs")
    parser.add_argument("--resume", action="store_true", help="go on with what is in OUT.work")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m outflank.scale", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    one = commands.add_parser("solve", help="solve the positions of files")
    _positions(one)
    one.add_argument("--wld", action="store_true", help="win, draw or loss only (not for OBF, which has scores)")
    one.add_argument("--best-moves", action="store_true", help="all moves that are worth as much as the best one")
    one.add_argument("--all-moves", action="store_true", help="the score of every move")
    one.add_argument("--nodes", type=int, metavar="N", help="nodes a position at most")
    _cluster(one)

    one = commands.add_parser("label", help="deeper values of the positions of files")
    _positions(one)
    _search(one, "default: 24 without --depth")
    _cluster(one)

    one = commands.add_parser("selfplay", help="training games")
    one.add_argument("out", metavar="OUT", help="an archive of games, or .parquet")
    one.add_argument("--games", type=int, required=True, metavar="N", help="games that OUT is to have in the end")
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--exact", type=int, default=14, metavar="EMPTIES", help="solve from so many empty squares on")
    one.add_argument("--random-plies", type=int, nargs=2, metavar=("MIN", "MAX"))
    one.add_argument("--balance", type=int, metavar="DISCS")
    one.add_argument("--stray", type=float, default=4.0, metavar="PERCENT")
    one.add_argument("--openings", type=Path, metavar="FILE")
    one.add_argument("--resume", action="store_true", help="for Parquet: go on with what is in OUT.work")
    _search(one, "default: depth 6 at 73 %%")
    _cluster(one)

    one = commands.add_parser("grow", help="grow a book")
    one.add_argument("book", metavar="BOOK")
    one.add_argument("--positions", type=int, required=True, metavar="N", help="positions to add")
    one.add_argument("--level", type=int, metavar="N", help="level of the searches (default: the book's)")
    one.add_argument("--plies", type=int, metavar="PLY", help="grow to this ply (default: the book's)")
    one.add_argument("--loss", type=int, nargs=2, default=(4, 8), metavar=("MOVE", "ALL"))
    one.add_argument("--drop-out", type=float, default=3.0, metavar="PLIES")
    one.add_argument("--hash", type=int, default=64, metavar="MIB")
    _cluster(one)

    one = commands.add_parser("match", help="play a match")
    one.add_argument("first", metavar="FIRST", help="player, as for `outflank match`")
    one.add_argument("second", metavar="SECOND")
    one.add_argument("out", metavar="OUT", help="games go to OUT.jsonl and OUT.ggf")
    one.add_argument("--games", type=int, required=True, metavar="N")
    one.add_argument("--threads", type=int, default=1, metavar="N", help="cores of each worker")
    one.add_argument("--level", type=int, metavar="N")
    one.add_argument("--depth", type=int, metavar="PLIES")
    one.add_argument("--nodes", type=int, metavar="N")
    one.add_argument("--time", type=float, metavar="SECONDS", help="time a move")
    one.add_argument("--openings", type=Path, metavar="FILE")
    one.add_argument("--random-plies", type=int, default=8, metavar="N")
    one.add_argument("--seed", type=int, default=1)
    one.add_argument("--sprt", type=float, nargs=2, metavar=("ELO0", "ELO1"))
    one.add_argument("--resume", action="store_true")
    _cluster(one)
    return parser


def _run(command: str, arguments: dict[str, Any]) -> dict[str, Any]:
    from . import grow, match, selfplay, solve
    from ._read import Unreadable

    # what was not given keeps its default
    arguments = {name: value for name, value in arguments.items() if value is not None}
    if isinstance(path := arguments.get("openings"), Path):
        try:
            arguments["openings"] = path.read_text()
        except OSError as error:
            raise Unreadable(f"{path}: {error.strerror}") from error
    for name in ("random_plies", "loss", "sprt"):
        if isinstance(arguments.get(name), list):
            arguments[name] = tuple(arguments[name])
    if command in ("solve", "label"):
        return {"solve": solve, "label": label}[command](arguments.pop("inputs"), arguments.pop("out"), **arguments)
    if command == "selfplay":
        return selfplay(arguments.pop("games"), arguments.pop("out"), **arguments)
    if command == "grow":
        return grow(arguments.pop("book"), arguments.pop("positions"), **arguments)
    # taken out before the rest is given
    places = [arguments.pop(name) for name in ("first", "second", "games", "out")]
    return match(*places, **arguments)


def _status(error: Exception) -> int | None:
    """The exit status for an error, none for those that nobody has thought of."""
    from ray.exceptions import RayError

    from ._read import Unreadable

    # what a worker has met is of the class of its error, too
    if isinstance(error, (RayError, ConnectionError, RuntimeError)):
        return 1
    if isinstance(error, (ValueError, TypeError, FileNotFoundError, FileExistsError, Unreadable)):
        return 2
    return 3 if isinstance(error, OSError) else None


def _line(error: Exception) -> str:
    """An error as one line: of one that a worker has met, with Ray's account of it, the last."""
    lines = [line.strip() for line in str(getattr(error, "cause", None) or error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    return lines[-1] if any("Traceback" in line or line.startswith("File ") for line in lines) else lines[0]


def _goes_on(command: str, out: str | None) -> str:
    """What is left of a run that was interrupted."""
    if command == "grow":
        return "the book has what was found"
    if command == "selfplay" and not str(out).endswith(".parquet"):
        return "the same command goes on"
    return "--resume goes on"


def main(argv: list[str] | None = None) -> int:
    """Runs a command; returns the exit status: 0, 1 when the cluster or a worker failed, 2 for bad input, 3 when a file could not
    be written, 130 for an interrupt."""
    arguments = vars(_parser().parse_args(argv))
    command, out = arguments.pop("command"), arguments.get("out")
    try:
        summary = _run(command, arguments)
    except KeyboardInterrupt:
        print(f"outflank.scale: interrupted; {_goes_on(command, out)}", file=sys.stderr)
        return 130
    except ImportError as error:
        print(f"outflank.scale: {error}", file=sys.stderr)
        return 1
    except Exception as error:
        status = _status(error)
        if status is None:
            raise
        print(f"outflank.scale: {_line(error)}", file=sys.stderr)
        return status
    print(json.dumps(summary))
    return 2 if summary.get("bad_lines") else 0


if __name__ == "__main__":
    sys.exit(main())
