"""The examples and the session of the README, as printed."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

import outflank
from conftest import SOURCES

FOLDER = Path(__file__).parents[1]


def run(name, *arguments, folder):
    program = [sys.executable, FOLDER / "examples" / name, *map(str, arguments)]
    done = subprocess.run(program, capture_output=True, text=True, cwd=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_session_of_the_readme():
    failed, tried = doctest.testfile(str(FOLDER / "PYTHON.md"), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried > 20 and failed == 0


def test_the_package_says_what_it_does():
    failed, tried = doctest.testmod(outflank)
    assert tried > 0 and failed == 0


def test_minimax(tmp_path):
    assert "engine at level 1 " in run("minimax.py", 1, 1, folder=tmp_path)


def test_training_data(tmp_path):
    assert "planes (" in run("training_data.py", 2, "out.npz", folder=tmp_path)
    assert (tmp_path / "out.npz").exists()


def test_plot(tmp_path):
    pytest.importorskip("matplotlib")
    assert "moves" in run("plot_game.py", folder=tmp_path)
    assert (tmp_path / "game.png").read_bytes().startswith(b"\x89PNG")


def test_stubs_name_what_there_is():
    stub = (SOURCES / "outflank" / "_core.pyi").read_text()
    from outflank import _core

    for name in dir(_core):
        thing = getattr(_core, name)
        if name.startswith("_") or name == "__version__":
            continue
        assert f"class {name}" in stub or f"def {name}(" in stub, name
        if isinstance(thing, type) and not issubclass(thing, Exception):
            block = re.split(rf"class {name}\b", stub, maxsplit=1)[1].split("\nclass ", 1)[0]
            for member in vars(thing):
                if not member.startswith("_"):
                    assert f"def {member}(" in block or f"    {member}: " in block, f"{name}.{member}"
