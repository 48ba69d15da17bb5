"""What the tests share."""

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

# the sources of the package and its pyproject.toml: beside this folder, or above that (in the source distribution)
ABOVE = Path(__file__).resolve().parents
SOURCES = next((folder for folder in ABOVE[1:3] if (folder / "outflank" / "_core.pyi").exists()), ABOVE[1])
# `python -m pytest` there would find them before the package that is installed, and they have no compiled part
if not any((SOURCES / "outflank" / f"_core{suffix}").exists() for suffix in EXTENSION_SUFFIXES):
    sys.path[:] = [path for path in sys.path if Path(path or os.curdir).resolve() != SOURCES]

try:
    import outflank
except ModuleNotFoundError as error:
    raise pytest.UsageError(f"{error}: the tests are those of the installed package, `pip install {SOURCES}` makes it") from None

# four empties to twelve: problems of tests/data/endgames.obf with their scores
PROBLEM = "--XXXXX---XOOX-OOOOOXOXO-OOXOOOOOOOOOOOOXXOOOOOO--XOOO----OXO--- X"


@pytest.fixture(autouse=True, scope="session")
def elsewhere(tmp_path_factory):
    """Tests run in another folder: processes that they start, and Ray's, do not find the sources either."""
    before = Path.cwd()
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
    yield
    os.chdir(before)


@pytest.fixture
def engine():
    return outflank.Engine(hash=8)


def minimax(position):
    """Plain minimax for the side to move."""
    if position.is_over:
        return position.score if position.side_to_move == "black" else -position.score
    return max(-minimax(position.play(move)) for move in position.moves())
