"""The stubs: what type checkers find, and that they are those of the compiled part."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SOURCES as FOLDER

EXAMPLES = Path(__file__).parents[1] / "examples"

# lines that end in `wrong` must be found, no others
PROGRAM = """\
from pathlib import Path

import numpy as np
import numpy.typing as npt
import outflank
from outflank import Board, Engine, Game, Position, RuleSet

engine = Engine(hash=1, eval=Path("weights"))
position = Position("f5")
engine.solve(position)
engine.solve(Board(position))
engine.solve(Game("f5"))
engine.solve((1, 2))
engine.solve("f5")
engine.solve(3.5)  # wrong
engine.solve(b"f5")  # wrong
engine.solve(None)  # wrong
engine.search("f5", depth="3")  # wrong
engine.search("f5", moves=["f5", 3])
engine.search("f5", moves=[2.5])  # wrong
engine.choose(position, level="club")
engine.choose(position, level=1.5)  # wrong
Position(position)
Position(Board(), rules=RuleSet())
Position(3)  # wrong
position.play(5).play("f5")
position.play(2.5)  # wrong
Board().play(None)  # wrong
Game("f5", start=1)  # wrong
outflank.perft(position, 3)
outflank.perft(7, 3)  # wrong
outflank.book_moves(None)  # wrong
value: int = engine.evaluate(position)
text: str = engine.evaluate(position)  # wrong
engine.evaluate(2.5)  # wrong
boards = outflank.random_positions(3, 10)
values: npt.NDArray[np.int32] = engine.evaluate(boards)
values = engine.evaluate([position, position])
values = engine.evaluate([position, "f5", (1, 2)])
positions = [position, position]
values = engine.evaluate(positions)
engine.evaluate([1, 2])  # wrong
engine.evaluate_many(["f5", position, (1, 2)])
engine.evaluate_many(values)  # wrong
engine.solve_many([position] * 2)["score"].tolist()
engine.solve_many([1, 2])  # wrong
outflank.solve_many(boards, jobs=2, eval=Path("weights"))
outflank.solve_many(7)  # wrong
outflank.legal_many(boards)
columns: dict[str, npt.NDArray[np.int8]] = outflank.selfplay(2)
engine.guess(position)  # wrong
class Mine(Position): ...  # wrong
"""

# names that only type checkers know
ALIASES = ["Boards", "Move", "PositionLike"]


def run(*arguments, folder):
    # not beside the sources: what is installed is looked at
    done = subprocess.run([sys.executable, "-m", *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=600)
    return done.stdout + done.stderr


def test_aliases_are_types():
    stub = ast.parse((FOLDER / "outflank" / "_core.pyi").read_text())
    found = {one.target.id: one for one in stub.body if isinstance(one, ast.AnnAssign) and one.value is not None}
    for name in ALIASES:
        # a string would be a value of that type, which every argument fits
        assert ast.unparse(found[name].annotation) == "TypeAlias" and isinstance(found[name].value, ast.BinOp), name


def test_a_type_checker_finds_what_is_wrong(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    out = run("mypy", "--strict", "--no-pretty", "--cache-dir", tmp_path / "cache", "program.py", folder=tmp_path)
    found = {int(line.split(":")[1]) for line in out.splitlines() if ": error:" in line}
    expected = {number for number, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")}
    assert found == expected, out


def test_stubs_are_those_of_the_compiled_part(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "allowed").write_text("".join(f"outflank._core.{name}\n" for name in ALIASES))
    config = FOLDER / "pyproject.toml"
    out = run("mypy.stubtest", "outflank._core", "--allowlist", "allowed", "--mypy-config-file", config, folder=tmp_path)
    assert "Success" in out, out


def test_examples_have_the_types_they_say(tmp_path):
    pytest.importorskip("mypy")
    out = run("mypy", "--config-file", FOLDER / "pyproject.toml", "--cache-dir", tmp_path / "cache", EXAMPLES, folder=tmp_path)
    assert "Success" in out, out


def test_the_package_has_the_types_it_says(tmp_path):
    pytest.importorskip("mypy")
    config, cache = FOLDER / "pyproject.toml", tmp_path / "cache"
    out = run("mypy", "--config-file", config, "--cache-dir", cache, FOLDER / "outflank", folder=tmp_path)
    assert "Success" in out, out
