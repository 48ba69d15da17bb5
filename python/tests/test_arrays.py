"""Many boards at once, self-play."""

import pickle

import numpy as np
import pytest

import outflank
from conftest import minimax
from outflank import Selfplay, SelfplayArchive, SelfplayGames


def test_random_positions():
    boards = outflank.random_positions(40, 20, seed=3)
    assert boards.shape == (40, 2) and boards.dtype == np.uint64
    assert (boards[:, 0] & boards[:, 1] == 0).all() and outflank.legal_many(boards).all()
    positions = outflank.boards_from_numpy(boards)
    assert all(position.empties == 20 and not position.must_pass for position in positions)
    assert (outflank.boards_to_numpy(positions) == boards).all()
    assert (outflank.random_positions(10, 20, seed=3) == boards[:10]).all()
    assert not (outflank.random_positions(40, 20, seed=4) == boards).all()
    with pytest.raises(outflank.OutflankError):
        outflank.random_positions(1, 0)


def test_solve_many():
    boards = outflank.random_positions(20, 7, seed=2)
    solved = outflank.solve_many(boards, hash=1)
    positions = outflank.boards_from_numpy(boards)
    assert solved["score"].tolist() == [minimax(position) for position in positions]
    assert solved["exact"].all() and (solved["nodes"] > 0).all()
    for position, best, score in zip(positions, solved["best"], solved["score"]):
        assert -minimax(position.play(int(best))) == score
    side_by_side = outflank.solve_many(positions, jobs=2, hash=1)
    assert side_by_side["score"].tolist() == solved["score"].tolist()
    signs = outflank.solve_many(boards, hash=1, wld=True)["score"]
    assert signs.tolist() == np.sign(solved["score"]).tolist()
    shallow = outflank.solve_many(boards, hash=1, depth=2)
    assert (shallow["depth"] == 2).all() and not shallow["exact"].any()
    empty = outflank.solve_many(np.zeros((0, 2), dtype=np.uint64))
    assert all(len(column) == 0 for column in empty.values())


def test_arrays_of_the_wrong_shape():
    for wrong in [np.zeros((3, 3), dtype=np.uint64), np.zeros(4, dtype=np.uint64), np.zeros((3, 2), dtype=np.int32)]:
        with pytest.raises(TypeError, match=r"uint64 of shape \(n, 2\)"):
            outflank.evaluate_many(wrong)
    with pytest.raises(outflank.OutflankError, match="board 1: a square has a disc of both players"):
        outflank.evaluate_many(np.array([[1, 2], [3, 1]], dtype=np.uint64))


def test_planes():
    boards = outflank.random_positions(5, 30)
    planes = outflank.planes(boards)
    assert planes.shape == (5, 2, 8, 8) and planes.dtype == np.float32
    for plane, position in zip(planes, outflank.boards_from_numpy(boards)):
        assert (plane[0] - plane[1] == position.to_numpy()).all()


def test_selfplay_columns():
    columns = outflank.selfplay(3, seed=7, depth=1, exact=8, random_plies=(10, 20))
    assert set(columns["game"]) == {0, 1, 2}
    assert len({len(column) for column in columns.values()}) == 1
    boards = np.stack([columns["player"], columns["opponent"]], axis=1)
    legal = outflank.legal_many(boards)
    assert ((legal >> columns["square"].astype(np.uint64)) & np.uint64(1)).all(), "the move played is legal"
    exact = outflank.solve_many(boards[columns["exact"]], hash=1)
    assert (exact["score"] == columns["value"][columns["exact"]]).all()


def test_games_do_not_depend_on_threads_or_order():
    settings = dict(seed=3, depth=1, exact=6)
    whole = Selfplay(**settings).play(list(range(8)))
    assert Selfplay(**settings).play(list(range(8)), threads=3).to_bytes() == whole.to_bytes()
    late = Selfplay(**settings).play([6, 2])
    assert late.indices == [6, 2]
    assert SelfplayGames.from_bytes(whole.to_bytes()).to_bytes() == whole.to_bytes()
    assert pickle.loads(pickle.dumps(late)).to_bytes() == late.to_bytes()
    with pytest.raises(outflank.ParseError):
        SelfplayGames.from_bytes(whole.to_bytes()[:-1])


def test_archives(tmp_path):
    settings = Selfplay(seed=3, depth=1, exact=6)
    path = tmp_path / "games.osp"
    archive = SelfplayArchive(path, settings)
    archive.append(settings.play([0, 2]))
    archive.sync()
    assert (archive.games, archive.missing(4)) == (2, [1, 3])
    del archive
    assert SelfplayArchive(path, settings).games == 2
    assert SelfplayGames.read(path).to_bytes() == settings.play([0, 2]).to_bytes()
    with pytest.raises(OSError):
        SelfplayArchive(path, Selfplay(seed=4, depth=1, exact=6))


def test_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    table = outflank.selfplay([5], seed=7, depth=1, exact=6, arrow=True)
    assert isinstance(table, pyarrow.Table) and table.num_rows > 10
    assert table["game"].to_pylist() == [5] * table.num_rows
