"""Many boards at once, self-play."""

import errno
import pickle
import threading
import time

import numpy as np
import pytest

import outflank
from conftest import minimax
from outflank import Engine, Position, Selfplay, SelfplayArchive, SelfplayGames


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
    # nor does what is no proof depend on the boards before
    [game] = outflank.random_positions(1, 30, seed=5)
    line, boards = outflank.Position.from_bits(*game), []
    while len(boards) < 12:
        boards.append(line)
        line = line.play(line.moves()[0])
    for limits in [{"depth": 5}, {"level": 4}, {"nodes": 3000}]:
        engine = outflank.Engine(hash=1)
        engine.solve_many(boards[3:], **limits)
        found = engine.solve_many(boards, **limits)
        for other in [engine.solve_many(boards[::-1], **limits), engine.solve_many(boards[::-1], jobs=2, **limits)]:
            assert all((found[name] == other[name][::-1]).all() for name in ("score", "best", "depth", "nodes"))
    empty = outflank.solve_many(np.zeros((0, 2), dtype=np.uint64))
    assert all(len(column) == 0 for column in empty.values())


def orders(boards):
    """The same boards, in memory in every way that numpy knows."""
    wide = np.zeros((len(boards), 5), dtype=np.uint64)
    wide[:, 1:3] = boards
    yield np.asfortranarray(boards)
    yield np.array([boards[:, 0], boards[:, 1]]).T
    yield np.repeat(boards, 2, axis=0)[::2]
    yield boards[::-1].copy()[::-1]
    yield boards[:, ::-1].copy()[:, ::-1]
    yield wide[:, 1:3]
    yield np.asfortranarray(wide)[:, 1:3]
    yield np.stack([boards[:, 0], boards[:, 0], boards[:, 1]], axis=1)[:, ::2]
    # records of other sizes than whole numbers of boards, which begin anywhere
    for fields in [[("flag", "u1"), ("board", "<u8", (2,))], [("board", "<u8", (2,)), ("flag", "<u4")]]:
        records = np.zeros(len(boards), dtype=fields)
        records["board"] = boards
        yield records["board"]
    shifted = np.zeros(boards.nbytes + 3, dtype=np.uint8)[3:].view(np.uint64).reshape(-1, 2)
    shifted[:] = boards
    yield shifted
    # numbers of machines with the other order of bytes
    yield boards.astype(boards.dtype.newbyteorder())


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_stop_leaves_the_first_boards(jobs):
    boards = outflank.random_positions(40, 8, seed=5)
    # takes minutes, while the other job goes on behind it
    boards[3] = outflank.random_positions(1, 34, seed=9)[0]
    expected = outflank.solve_many(boards[:3], hash=1)["score"].tolist()
    engine, found = Engine(hash=1), []
    thread = threading.Thread(target=lambda: found.append(engine.solve_many(boards, jobs=jobs)))
    thread.start()
    time.sleep(1)
    engine.stop()
    thread.join(timeout=20)
    assert found[0]["score"].tolist() == expected and found[0]["exact"].all()


def test_arrays_in_any_order(engine):
    boards = outflank.random_positions(6, 8, seed=5)
    positions = outflank.boards_from_numpy(boards)
    legal, planes = outflank.legal_many(boards).tolist(), outflank.planes(boards)
    values, scores = engine.evaluate_many(boards).tolist(), engine.solve_many(boards)["score"].tolist()
    for same in orders(boards):
        assert (same == boards).all()
        assert outflank.boards_from_numpy(same) == positions
        assert (outflank.boards_to_numpy(same) == boards).all()
        assert outflank.legal_many(same).tolist() == legal
        assert engine.evaluate_many(same).tolist() == engine.evaluate(same).tolist() == values
        assert outflank.evaluate_many(same).tolist() == values
        assert outflank.solve_many(same, hash=1)["score"].tolist() == scores
        assert outflank.solve_many(same, hash=1, jobs=2)["score"].tolist() == scores
        assert (outflank.planes(same) == planes).all()
    for few in [boards[:1], boards[:0]]:
        assert outflank.legal_many(np.asfortranarray(few)).tolist() == legal[: len(few)]


def test_solve_many_of_every_board():
    # all discs but one are black's after p16, a pass on 16x16, a game that is over
    large = "othello:16x16 " + "X" * 254
    boards = [Position(large + "O- X"), Position(large + "O- O"), Position(large + "XX X")]
    solved = outflank.solve_many(boards, hash=1)
    assert solved["score"].tolist() == [256, -256, 256]
    assert solved["best"].tolist() == [255, 256, -1]
    assert (solved["score"].dtype, solved["best"].dtype) == (np.int16, np.int16)
    # the same numbers as ever on 8x8
    boards = [Position("X" * 62 + "O- X"), Position("X" * 62 + "O- O"), Position("X" * 64 + " X")]
    solved = outflank.solve_many(boards, hash=1, jobs=2)
    assert (solved["score"].tolist(), solved["best"].tolist()) == ([64, -64, 64], [63, 64, -1])


@pytest.mark.parametrize("rules", ["othello", "othello:6x6", "othello:10x10", "othello:6x10", "ravensburger-one"])
def test_numbers_of_moves_are_played(rules, engine):
    position = Position(rules=rules)
    for _ in range(9):
        best = int(engine.solve_many([position], depth=2)["best"][0])
        report = engine.search(position, depth=2)
        assert engine.clear() is None and divmod(best, position.rules.columns) == (
            int(report.best.split(":")[0][1:]) - 1,
            ord(report.best[0]) - ord("a"),
        )
        if ":" not in report.best:
            assert position.play(best) == position.play(report.best)
        # the same numbers as those of arrays of squares
        if not position.must_pass:
            assert position.legal_mask().ravel()[best]
        position = position.play(report.best)
    squares = position.rules.rows * position.rules.columns
    with pytest.raises(outflank.OutflankError, match=f"{squares} is no square: 0 to {squares - 1} are"):
        position.play(squares)


def test_discs_alone_do_not_say_everything():
    [fewest] = outflank.boards_to_numpy([outflank.Position(rules="othello:fewest")]).tolist()
    assert tuple(fewest) == outflank.Position().bits
    for rules in ["ravensburger-one", "othello:6x6"]:
        position = outflank.Position(rules=rules)
        for bits in [lambda: position.bits, lambda: outflank.boards_to_numpy([position])]:
            with pytest.raises(outflank.OutflankError, match="only positions on 8x8 with othello's moves"):
                bits()


def test_text_is_no_list_of_boards(engine):
    for function in [outflank.solve_many, outflank.evaluate_many, outflank.boards_to_numpy, engine.solve_many]:
        with pytest.raises(TypeError, match="not one text"):
            function("f5d6")


def test_arrays_of_the_wrong_shape(engine):
    for wrong in [np.zeros((3, 3), dtype=np.uint64), np.zeros(4, dtype=np.uint64), np.zeros((3, 2), dtype=np.int32)]:
        for function in [outflank.evaluate_many, engine.evaluate]:
            with pytest.raises(TypeError, match=r"uint64 of shape \(n, 2\)"):
                function(wrong)
    # a table of another library, which would be taken for a list of the names of its columns
    class Table(dict):
        def __array__(self, dtype=None, copy=None):
            return np.stack([*self.values()], axis=1)

    boards = outflank.random_positions(3, 8)
    table = Table(player=boards[:, 0], opponent=boards[:, 1])
    for function in [outflank.evaluate_many, outflank.boards_to_numpy, outflank.planes]:
        with pytest.raises(TypeError, match=r"uint64 of shape \(n, 2\)"):
            function(table)
    assert outflank.evaluate_many(np.asarray(table)).tolist() == outflank.evaluate_many(boards).tolist()
    for function in [outflank.evaluate_many, outflank.boards_to_numpy, outflank.planes]:
        with pytest.raises(outflank.OutflankError, match="board 1: a square has a disc of both players"):
            function(np.array([[1, 2], [3, 1]], dtype=np.uint64))


def test_planes_are_of_boards_only():
    boards = outflank.random_positions(5, 30)
    for wrong in [boards.astype(np.float64), boards.astype(np.int64), boards.ravel(), boards.T, boards.astype(">i8")]:
        with pytest.raises(TypeError, match=r"uint64 of shape \(n, 2\)"):
            outflank.planes(wrong)
    with pytest.raises(TypeError):
        outflank.planes(["f5", 3.5])
    assert (outflank.planes(outflank.boards_from_numpy(boards)) == outflank.planes(boards)).all()
    assert outflank.planes(boards[:0]).shape == (0, 2, 8, 8)


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


def test_games_are_whole_numbers():
    settings = dict(seed=7, depth=1, exact=4)
    one = outflank.selfplay([1], **settings)
    for same in [(1,), np.array([1]), [np.int64(1)], range(1, 2)]:
        assert outflank.selfplay(same, **settings)["value"].tolist() == one["value"].tolist()
    assert set(outflank.selfplay(np.int64(2), **settings)["game"]) == {0, 1}
    for wrong in [[1.5], 1.5, b"x", "12", None, ["1"]]:
        with pytest.raises(TypeError):
            outflank.selfplay(wrong, **settings)


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


def test_games_are_in_the_order_of_their_indices():
    player = Selfplay(depth=1, exact=4)
    assert player.play([2, 0, 2, 1, 0], threads=2).indices == [2, 0, 2, 1, 0]


def test_archives(tmp_path):
    settings = Selfplay(seed=3, depth=1, exact=6)
    path = tmp_path / "games.osp"
    archive = SelfplayArchive(path, settings)
    archive.append(settings.play([0, 2]))
    archive.sync()
    assert (archive.games, archive.missing(4)) == (2, [1, 3])
    # this process has it, no other one
    with pytest.raises(outflank.OutflankError, match="games.osp is in use: something appends games to it already$"):
        SelfplayArchive(path, settings)
    del archive
    assert SelfplayArchive(path, settings).games == 2
    assert SelfplayGames.read(path).to_bytes() == settings.play([0, 2]).to_bytes()
    with pytest.raises(FileNotFoundError, match="none.osp") as missing:
        SelfplayGames.read(tmp_path / "none.osp")
    with pytest.raises(OSError, match="^[^[].*no/games.osp: ") as unwritten:
        SelfplayArchive(tmp_path / "no" / "games.osp", settings)
    assert (missing.value.errno, unwritten.value.errno) == (errno.ENOENT, errno.ENOENT)
    # not about the file, which is good: about what is asked of it
    with pytest.raises(outflank.OutflankError, match="seed was '3' then and is '4' now"):
        SelfplayArchive(path, Selfplay(seed=4, depth=1, exact=6))
    # games know how they were made, wherever they went
    archive = SelfplayArchive(path, settings)
    other = Selfplay(seed=3, depth=2, exact=6).play([1])
    for games in (other, pickle.loads(pickle.dumps(other))):
        with pytest.raises(outflank.OutflankError, match="search was 'depth 1 at 100%' then"):
            archive.append(games)
    archive.append(pickle.loads(pickle.dumps(settings.play([1]))))
    archive.append(SelfplayGames.from_bytes(settings.play([3]).to_bytes()))
    assert archive.missing(4) == []
    archive.close()
    archive.close()
    for call in [lambda: archive.games, lambda: archive.missing(4), lambda: archive.append(other), lambda: archive.sync()]:
        with pytest.raises(outflank.OutflankError, match="^the archive is closed$"):
            call()
    # an error that is kept keeps the archive, but not the lock
    with pytest.raises(KeyError) as kept, SelfplayArchive(path, settings) as archive:
        assert archive.games == 4
        raise KeyError
    assert SelfplayArchive(path, settings).games == 4 and kept
    foreign = tmp_path / "foreign.osp"
    foreign.write_text("f5d6")
    with pytest.raises(outflank.ParseError, match="foreign.osp"):
        SelfplayArchive(foreign, settings)


def test_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    table = outflank.selfplay([5], seed=7, depth=1, exact=6, arrow=True)
    assert isinstance(table, pyarrow.Table) and table.num_rows > 10
    assert table["game"].to_pylist() == [5] * table.num_rows
