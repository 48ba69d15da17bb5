"""`outflank.scale` on a Ray cluster of two nodes on this machine."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest

ray = pytest.importorskip("ray")
pyarrow = pytest.importorskip("pyarrow")

import pyarrow.parquet as pq
from ray.cluster_utils import Cluster

from ray import cloudpickle

import outflank
from outflank import scale
from outflank.scale import _jobs, _pool, _read, _solve, _store
from outflank.scale.__main__ import main

ENDGAMES = Path(__file__).parents[2] / "tests" / "data" / "endgames-10-14.obf"


@pytest.fixture(scope="module")
def cluster():
    """Two nodes of one core each."""
    os.environ["RAY_DISABLE_MEMORY_MONITOR"] = "1"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="warning")
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def write_boards(path, count, empties, seed=1):
    positions = outflank.boards_from_numpy(outflank.random_positions(count, empties, seed))
    path.write_text("".join(f"{position}\n" for position in positions))
    return positions


def scores(positions):
    return outflank.solve_many(positions, hash=8)["score"].tolist()


def test_solve_gives_what_the_file_says(cluster, tmp_path):
    out = tmp_path / "out.parquet"
    summary = scale.solve(ENDGAMES, out, jobs=2, hash=8, window=16, quiet=True)
    table = pq.read_table(out).to_pylist()
    lines = [line for line in ENDGAMES.read_text().splitlines() if line and not line.startswith("%")]
    assert summary["positions"] == len(table) == len(lines) > 20
    assert [row["number"] for row in table] == list(range(1, len(lines) + 1)), "the order of the input"
    assert [row["position"] for row in table] == [line.split(";")[0] for line in lines]
    assert all(row["exact"] and row["score"] == row["listed"] for row in table)
    assert not (tmp_path / "out.parquet.work").exists()


def test_limits_of_nothing_are_limits(cluster, tmp_path):
    source = tmp_path / "in.txt"
    [position] = write_boards(source, 1, 22)
    engine = outflank.Engine(hash=1)
    for name, value, search in [("level", 0, engine.search), ("nodes", 0, engine.solve), ("time", 0.0, engine.solve)]:
        out = tmp_path / f"{name}.jsonl"
        scale.solve(source, out, jobs=1, hash=1, quiet=True, **{name: value})
        [row] = map(json.loads, out.read_text().splitlines())
        assert row["settings"]["limits"] == {name: value} and not row["exact"]
        # how far a search comes in no time is another matter
        if name != "time":
            expected = search(position, **{name: value})
            assert (row["score"], row["depth"], row["nodes"]) == (expected.score, expected.depth, expected.nodes)
    # what is not wanted is none
    scale.solve(source, tmp_path / "out.jsonl", jobs=1, hash=1, quiet=True, wld=False, nodes=None)
    assert json.loads((tmp_path / "out.jsonl").read_text())["settings"]["limits"] == {}
    assert _solve.cost_of(30, {"nodes": 0}) == 500.0


def test_outputs_and_inputs_of_every_kind(cluster, tmp_path):
    source = tmp_path / "in.txt"
    positions = write_boards(source, 12, 8)
    game = "f5d6c3d3c4f4f6f3"
    with open(source, "a") as file:
        file.write(f"nonsense\n{game}\n")
    expected = scores(positions)
    # a transcript of 52 empties is not for solving: shallow labels for all
    assert main(["label", str(source), str(tmp_path / "a.jsonl"), "--depth", "3", "--jobs", "1", "--quiet"]) == 2
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert len(rows) == 14 and "line 13, column" in rows[12]["error"] and "score" not in rows[12]
    assert (rows[13]["position"], rows[13]["depth"]) == (str(outflank.Position(game)), 3)
    # Parquet with two numbers a board, OBF out
    boards = outflank.boards_to_numpy(positions)
    pq.write_table(pyarrow.table({"player": boards[:, 0], "opponent": boards[:, 1]}), tmp_path / "in.parquet")
    scale.solve(tmp_path / "in.parquet", tmp_path / "b.obf", jobs=1, hash=1, best_moves=True, quiet=True)
    found = [line.split(";") for line in (tmp_path / "b.obf").read_text().splitlines() if line[0] != "%"]
    assert [int(entries[1].split(":")[1]) for entries in found] == expected
    # and OBF in again, with a folder as the input
    again = tmp_path / "again"
    again.mkdir()
    (tmp_path / "b.obf").rename(again / "b.obf")
    scale.solve([again], tmp_path / "c.parquet", jobs=1, hash=1, quiet=True)
    rows = pq.read_table(tmp_path / "c.parquet").to_pylist()
    assert [row["score"] for row in rows] == [row["listed"] for row in rows] == expected


def test_positions_of_other_rules_are_read_again(cluster, tmp_path):
    texts = [
        "othello:4x4 XOO1/4/4/4 O",
        "othello:4x4,own 4/1OX1/1XO1/4 X hands=6/6",
        "othello:4x4,own 4/1OX1/1XO1/4 X hands=5/7",
        str(outflank.Position("f5d6")),
        "octagon:6x6,one ##2##/#4#/2OX2/2XO2/#4#/##2## X",
        None,
        # 256 empty squares
        "othello:16x16,placement " + "/".join(["16"] * 16) + " X placing=4",
    ]
    pq.write_table(pyarrow.table({"position": texts}), tmp_path / "in.parquet")
    out, options = tmp_path / "out.obf", {"jobs": 1, "hash": 1, "quiet": True}
    scale.label(tmp_path / "in.parquet", out, depth=1, **options)
    rows = [row for row in _read.read([out])]
    assert [row.position for row in rows] == [text for text in texts if text] and not any(row.error for row in rows)
    assert rows[-1].empties == 255
    # so is the finished output
    assert scale.label(tmp_path / "in.parquet", out, depth=1, resume=True, **options)["positions"] == 0
    scale.label(out, tmp_path / "again.obf", depth=1, **options)
    without_numbers = [line for line in out.read_text().splitlines() if not line.startswith("% row")]
    assert (tmp_path / "again.obf").read_text().splitlines() == without_numbers


def test_nonsense_is_refused_before_anything_starts(tmp_path):
    source = tmp_path / "in.txt"
    write_boards(source, 1, 4)
    out = tmp_path / "out.parquet"
    for wrong in [{"level": 99}, {"depth": 0}, {"selectivity": 3}]:
        with pytest.raises(ValueError):
            scale.solve(source, out, **wrong)
    with pytest.raises(TypeError):
        scale.solve(source, out, colour="red")
    for wrong in [{"jobs": 0}, {"jobs": -1}, {"threads": 0}, {"threads": 257}, {"hash": 0}, {"hash": 2**20 + 1}]:
        [(name, value)] = wrong.items()
        with pytest.raises(ValueError, match=f"^{name} {value}: 1 "):
            scale.solve(source, out, **wrong)
        if name != "jobs":
            # the bounds are those of the engine
            with pytest.raises(ValueError, match=f"^{name} {value}: 1 "):
                outflank.Engine(**{"hash": 1, **wrong})
    with pytest.raises(ValueError, match="jobs 0"):
        scale.selfplay(2, tmp_path / "out.osp", jobs=0)
    for chunk in [0, -1]:
        for name in ["out.parquet", "out.osp"]:
            with pytest.raises(ValueError, match=f"^chunk {chunk}: 1 or more"):
                scale.selfplay(2, tmp_path / name, chunk=chunk)
    for wrong in [{"hash": 0}, {"plies": 0}, {"level": 61}, {"loss": (256, 0)}, {"drop_out": -1.0}, {"drop_out": float("nan")}]:
        with pytest.raises(ValueError, match=f"^{[*wrong][0]} "):
            scale.grow(tmp_path / "out.book", 2, **wrong)
    with pytest.raises(ValueError, match="threads 0"):
        scale.match("greedy", "random", 2, out, threads=0)
    with pytest.raises(ValueError, match="exclude each other"):
        scale.solve(source, out, wld=True, best_moves=True)
    # OBF has scores: a win would be read as one by a disc
    for name in ["out.obf", "out.txt"]:
        with pytest.raises(ValueError, match=f"{name}: .* wld finds none"):
            scale.solve(source, tmp_path / name, wld=True)
    with pytest.raises(ValueError, match="wizard"):
        scale.solve(source, out, rules="wizard")
    (tmp_path / "no.parquet").write_text("no table")
    with pytest.raises(ValueError, match="no.parquet: "):
        scale.solve(tmp_path / "no.parquet", out)
    with pytest.raises(ValueError, match="written as"):
        scale.solve(source, tmp_path / "out.doc")
    with pytest.raises(FileNotFoundError):
        scale.solve(tmp_path / "none", out)
    assert not list(tmp_path.glob("out*"))
    out.write_text("precious")
    with pytest.raises(FileExistsError):
        scale.solve(source, out)
    assert out.read_text() == "precious"


def test_labels_have_a_level_or_a_depth(tmp_path, monkeypatch, capsys):
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    write_boards(source, 1, 4)
    for label in [lambda: scale.label(source, out, level=3, depth=2), lambda: scale.label(source, out, depth=2, level=0)]:
        with pytest.raises(ValueError, match="^level and depth exclude each other$"):
            label()
    assert main(["label", str(source), str(out), "--level", "3", "--depth", "2"]) == 2
    assert capsys.readouterr().err == "outflank.scale: level and depth exclude each other\n"
    assert not list(tmp_path.glob("out*"))
    monkeypatch.setattr(scale, "solve", lambda _inputs, _out, **limits: limits)
    given = lambda **limits: {name: value for name, value in scale.label(source, out, **limits).items() if value is not None}
    assert given() == given(depth=None) == given(level=None, depth=None) == {"level": 24}
    assert given(level=3) == given(level=3, depth=None) == {"level": 3}
    assert given(depth=2) == given(level=None, depth=2) == {"depth": 2}
    assert given(nodes=5) == {"level": 24, "nodes": 5}
    for command in ["label", "selfplay"]:
        with pytest.raises(SystemExit):
            main([command, "--help"])
    assert "24 without --depth" in (text := " ".join(capsys.readouterr().out.split())) and "depth 6 at 73 %)" in text


def test_rows_of_parquet_without_a_position_and_of_other_rules(tmp_path):
    boards, bits = tmp_path / "boards.parquet", tmp_path / "bits.parquet"
    start, other = str(outflank.Position()), str(outflank.Position(rules="othello:6x6"))
    pq.write_table(pyarrow.table({"position": [start, None, "f5", other]}), boards)
    pq.write_table(pyarrow.table({"player": [1, None, 4], "opponent": [2, 2, None]}), bits)
    rows = list(_read.read([boards, bits]))
    assert [row.error for row in rows] == [None, "row 2: no position", None, None, None, "row 2: no position", "row 3: no position"]
    assert [row.position is None for row in rows] == [row.error is not None for row in rows]
    rows = list(_read.read([boards, bits], "othello:fewest"))
    positions = [row.position and outflank.Position(row.position) for row in rows]
    assert [position and str(position.rules) for position in positions[:5]] == ["othello:fewest", None, "othello:fewest", "othello:6x6", "othello:fewest"]
    assert positions[4].moves() == ["c1"] and positions[2] == outflank.Position("f5", "othello:fewest")
    # a board that does not fit the rules is not taken for one of othello
    [first, *_] = _read.read([boards], "othello:6x6")
    assert first.position is None and first.error.startswith("row 1: ")


def test_comments_are_no_positions_to_come(tmp_path):
    source = tmp_path / "in.txt"
    write_boards(source, 3, 8)
    source.write_text("% head\n\n# words\n \t\n" + source.read_text() + "  % tail")
    assert _read.count([source]) == 3 == len(list(_read.read([source])))
    source.write_bytes(b"x" * 200_000 + b"\nf5")
    assert _read.count([source]) == 2


def test_none_is_no_limit(cluster, tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    write_boards(source, 2, 4)
    scale.solve(source, out, jobs=1, hash=1, quiet=True, level=None, depth=None, selectivity=None, wld=None, time=None)
    assert [json.loads(line)["settings"]["limits"] for line in out.read_text().splitlines()] == [{}, {}]
    shallow = tmp_path / "shallow.jsonl"
    scale.solve(source, shallow, jobs=1, hash=1, quiet=True, level=2, wld=None, all_moves=False)
    assert [json.loads(line)["settings"]["limits"] for line in shallow.read_text().splitlines()] == [{"level": 2}] * 2


def test_errors_are_one_line_with_a_status(tmp_path, monkeypatch, capsys):
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    write_boards(source, 1, 4)
    solve = ["solve", str(source), str(out)]

    def fails(error, status, text):
        with monkeypatch.context() as patch:
            patch.setattr(scale, "solve", lambda *_, **__: (_ for _ in ()).throw(error))
            assert main(solve) == status
        assert capsys.readouterr().err == f"outflank.scale: {text}\n"

    traceback = "Traceback (most recent call last):\n  File x\nValueError: no such thing"
    fails(ray.exceptions.RayTaskError("do", traceback, ValueError("wrong")).as_instanceof_cause(), 1, "wrong")
    fails(ray.exceptions.RayActorError(), 1, str(ray.exceptions.RayActorError()).splitlines()[0])
    fails(RuntimeError(traceback), 1, "ValueError: no such thing")
    fails(scale.LostTask("task 3 has ended 3 workers"), 1, "task 3 has ended 3 workers")
    fails(OSError("disk full"), 3, "disk full")
    fails(KeyboardInterrupt(), 130, "interrupted; --resume goes on")
    with pytest.raises(AssertionError):
        fails(AssertionError(), 0, "")
    for arguments, text in [
        (["--jobs", "0"], "jobs 0: 1 or more is possible"),
        (["--threads", "0"], "threads 0: 1 to 256 are possible"),
        (["--hash", "0"], "hash 0: 1 to 1048576 are possible"),
        (["--eval", str(tmp_path)], f"{tmp_path}: Is a directory"),
    ]:
        assert main(solve + arguments) == 2
        assert capsys.readouterr().err == f"outflank.scale: {text}\n"
    # a file that is something else is bad input, a folder that is not there no output
    other, missing = str(source), str(tmp_path / "no" / "out")
    for command, status, text in [
        (["grow", other, "--positions", "1"], 2, f"{other}: not a book"),
        (["selfplay", other, "--games", "1"], 2, f"{other}: not an Outflank self-play file"),
        (["grow", missing, "--positions", "1"], 3, missing),
        (["selfplay", missing, "--games", "1"], 3, missing),
        (["match", "greedy", "random", missing, "--games", "2"], 3, missing),
    ]:
        assert main(command) == status
        assert capsys.readouterr().err.startswith(f"outflank.scale: {text}")
    openings = ["match", "greedy", "random", str(out), "--games", "2", "--openings", str(tmp_path)]
    assert main(openings) == 2 and "Is a directory" in capsys.readouterr().err
    assert [entry.name for entry in tmp_path.iterdir()] == ["in.txt"]


def test_what_is_left_of_an_interrupted_run_is_told(monkeypatch, capsys):
    stop = lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt)
    for name in ["selfplay", "grow"]:
        monkeypatch.setattr(scale, name, stop)
    for arguments, text in [
        (["selfplay", "a.parquet", "--games", "1"], "--resume goes on"),
        (["selfplay", "a.osp", "--games", "1"], "the same command goes on"),
        (["grow", "a.book", "--positions", "1"], "the book has what was found"),
    ]:
        assert main(arguments) == 130
        assert capsys.readouterr().err == f"outflank.scale: interrupted; {text}\n"


def test_a_cluster_that_is_not_there(monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    for error, text in [
        (ConnectionError("none runs"), "there is no Ray cluster at 'auto': none runs"),
        (Exception("The current node timed out"), "Ray does not start: The current node timed out"),
    ]:
        monkeypatch.setattr(ray, "init", lambda *_, **__: (_ for _ in ()).throw(error))
        with pytest.raises(ConnectionError, match=f"^{text}$"):
            with _pool.Cluster("auto"):
                pass
    # a bug of ours stays one
    monkeypatch.setattr(ray, "init", lambda *_, **__: (_ for _ in ()).throw(KeyError("x")))
    with pytest.raises(KeyError):
        _pool.Cluster("auto").__enter__()


def test_counts_have_nouns_that_fit():
    pool = types.SimpleNamespace(ready=1, nodes=1, lost=1)
    progress = _pool.Progress("games", 4, pool)
    assert ", 1 worker on 1 node, 1 task done again" in progress.text()
    pool.ready, pool.nodes, pool.lost = 2, 3, 4
    assert ", 2 workers on 3 nodes, 4 tasks done again" in progress.text()


def test_help_does_without_ray(tmp_path):
    program = "import sys; sys.modules['ray'] = None; import outflank.scale.__main__ as scale; sys.exit(scale.main(sys.argv[1:]))"
    run = lambda *arguments: subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True)
    done = run("--help")
    assert done.returncode == 0 and "label" in done.stdout
    done = run("solve", tmp_path, tmp_path / "out.jsonl")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1) and "needs Ray and pyarrow" in done.stderr
    assert set(scale.__all__) <= set(dir(scale))


# the workers do not have this file
cloudpickle.register_pickle_by_value(sys.modules[__name__])


class Slow:
    """Work that takes a while."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __call__(self, number):
        time.sleep(self.seconds)
        return os.getpid(), number


def test_a_killed_worker_loses_and_doubles_nothing(cluster):
    with scale._pool.Pool(Slow, {"seconds": 0.1}, jobs=2) as pool:
        found, killed = [], False
        for task, (pid, number) in pool.run(_pool.Task(n, n) for n in range(30)):
            found.append(number)
            if len(found) == 5 and not killed:
                os.kill(pid, signal.SIGKILL)
                killed = True
        assert sorted(found) == list(range(30)) and pool.lost <= 1
        assert pool.ready >= 1


class Deadly:
    """Work that ends its worker."""

    def __call__(self, number):
        if number == 3:
            os._exit(1)
        return number


def test_work_that_kills_again_and_again_is_given_up(cluster):
    with scale._pool.Pool(Deadly, {}, jobs=1) as pool:
        with pytest.raises(scale.LostTask, match="task 3"):
            for _ in pool.run(_pool.Task(n, n) for n in range(5)):
                pass


class Fragile:
    """Work that ends its worker the first time."""

    def __call__(self, mark):
        if not mark.exists():
            mark.touch()
            os._exit(1)
        return mark.name


def test_tasks_of_other_runs_have_other_deaths(cluster, tmp_path):
    with scale._pool.Pool(Fragile, {}, jobs=1) as pool:
        for batch in map(str, range(_pool.MOST_DEATHS)):
            assert [name for _, name in pool.run(iter([_pool.Task(0, tmp_path / batch)]))] == [batch]
        assert pool.lost == _pool.MOST_DEATHS


def test_a_removed_node_loses_and_doubles_nothing(tmp_path, cluster):
    source, out = tmp_path / "in.txt", tmp_path / "out.parquet"
    positions = write_boards(source, 160, 13)
    extra = cluster.add_node(num_cpus=1)
    folder = out.with_name(out.name + ".work")

    def remove():
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not list(folder.glob("w*.parquet")):
            time.sleep(0.02)
        cluster.remove_node(extra, allow_graceful=False)

    remover = threading.Thread(target=remove)
    remover.start()
    summary = scale.solve(source, out, jobs=3, hash=1, window=8, quiet=True)
    remover.join()
    rows = pq.read_table(out).to_pylist()
    assert summary["positions"] == 160
    assert [row["number"] for row in rows] == list(range(1, 161))
    assert [row["score"] for row in rows] == scores(positions)


DRIVER = """
import sys, outflank.scale as scale
scale.solve(sys.argv[1], sys.argv[2], jobs=1, hash=1, window=10, quiet=True)
"""


def test_resume_after_kill_9_of_the_driver(cluster, tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out.parquet"
    positions = write_boards(source, 300, 13, seed=9)
    driver = DRIVER.replace("jobs=1", f"address='{cluster.address}', jobs=1")
    process = subprocess.Popen([sys.executable, "-c", driver, source, out])
    folder = out.with_name(out.name + ".work")
    deadline = time.monotonic() + 120
    while len(list(folder.glob("w*.parquet"))) < 3:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert not out.exists()
    with pytest.raises(FileExistsError, match="resume"):
        scale.solve(source, out, jobs=1, quiet=True)
    with pytest.raises(scale.Different, match="limits was"):
        scale.solve(source, out, jobs=1, wld=True, window=10, resume=True, quiet=True)
    summary = scale.solve(source, out, jobs=1, hash=1, window=10, resume=True, quiet=True)
    assert summary["before"] >= 20 and summary["before"] + summary["positions"] == 300
    rows = pq.read_table(out).to_pylist()
    assert [row["number"] for row in rows] == list(range(1, 301))
    assert [row["score"] for row in rows] == scores(positions)
    assert scale.solve(source, out, window=10, resume=True)["positions"] == 0


def test_the_content_of_input_and_weights_is_part_of_the_settings(tmp_path):
    source, out, weights = tmp_path / "in.txt", tmp_path / "out.parquet", tmp_path / "w.bin"
    write_boards(source, 60, 8)
    weights.write_bytes(b"12345")

    def folder(resume):
        made = {"eval": _read.describe([weights])}
        return _solve.WorkFolder(out, {"inputs": _read.describe([source])}, made, resume)

    folder(False)
    length = source.stat().st_size
    write_boards(source, 60, 8, seed=2)
    assert source.stat().st_size == length
    with pytest.raises(scale.Different, match="inputs was"):
        folder(True)
    write_boards(source, 60, 8)
    folder(True)
    weights.write_bytes(b"54321")
    with pytest.raises(scale.Different, match="eval was"):
        folder(True)
    # and of earlier versions nothing is known
    note = tmp_path / "out.parquet.work" / "settings.json"
    note.write_text(json.dumps({**json.loads(note.read_text()), "version": 1}))
    with pytest.raises(scale.Different, match="version was 1"):
        folder(True)


def test_resume_refuses_other_boards_of_the_same_length(cluster, tmp_path, monkeypatch):
    source, out = tmp_path / "in.txt", tmp_path / "out.parquet"
    write_boards(source, 40, 8)
    stop = lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
    with monkeypatch.context() as patch:
        patch.setattr(_solve.WorkFolder, "finish", stop)
        with pytest.raises(KeyboardInterrupt):
            scale.solve(source, out, jobs=1, hash=1, quiet=True)
    write_boards(source, 40, 8, seed=2)
    with pytest.raises(scale.Different, match="inputs was"):
        scale.solve(source, out, jobs=1, hash=1, resume=True, quiet=True)


@pytest.mark.parametrize("ending", ["parquet", "obf", "jsonl"])
def test_finished_outputs_are_compared_with_the_input(cluster, tmp_path, ending):
    source, out = tmp_path / "in.txt", tmp_path / f"out.{ending}"
    write_boards(source, 20, 6)
    text = source.read_text() + "nonsense\n"
    source.write_text(text)
    scale.solve(source, out, jobs=1, hash=1, quiet=True)
    assert scale.solve(source, out, resume=True)["positions"] == 0
    before = out.read_bytes()
    lines = text.splitlines(keepends=True)
    write_boards(source, 20, 6, seed=2)
    for other, part in [
        (source.read_text(), "position 1 is"),
        ("".join(lines[:10]), "had more positions"),
        (text + lines[0], "position 22 is missing"),
    ]:
        source.write_text(other)
        with pytest.raises(scale.Different, match=f"of other input.* {part}"):
            scale.solve(source, out, resume=True)
    assert out.read_bytes() == before
    # other settings give other results
    source.write_text(text)
    for other, then in [({"all_moves": True}, "limits was {} then"), ({"rules": "reversi"}, "rules was None then")]:
        with pytest.raises(scale.Different, match=then):
            scale.solve(source, out, resume=True, **other)
    with pytest.raises(scale.Different, match="limits was {} then and is {'level': 2} now"):
        scale.label(source, out, level=2, resume=True)
    assert scale.solve(source, out, resume=True, threads=2, hash=2)["positions"] == 0
    assert out.read_bytes() == before
    out.write_text("precious")
    with pytest.raises(scale.Different):
        scale.solve(source, out, resume=True)


def test_finished_games_are_compared_with_their_settings(cluster, tmp_path):
    out = tmp_path / "out.parquet"
    scale.selfplay(2, out, jobs=1, depth=1, exact=4, quiet=True)
    assert scale.selfplay(2, out, depth=1, exact=4, resume=True)["games"] == 0
    with pytest.raises(scale.Different, match="selfplay was"):
        scale.selfplay(2, out, depth=2, exact=4, resume=True)


def test_no_work_folder_is_left_where_nothing_is_done(tmp_path, monkeypatch):
    source, out = tmp_path / "in.txt", tmp_path / "out.parquet"
    write_boards(source, 5, 6)

    def unreachable(self):
        raise ConnectionError("there is no cluster")

    monkeypatch.setattr(_pool.Cluster, "__enter__", unreachable)
    for run in [lambda: scale.solve(source, out), lambda: scale.selfplay(2, out, depth=1)]:
        with pytest.raises(ConnectionError):
            run()
        assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_a_work_folder_that_was_removed_in_part_is_none(tmp_path, monkeypatch):
    out, schema = tmp_path / "out.parquet", pyarrow.schema([("number", pyarrow.int64())])
    folder = _store.WorkFolder(out, {}, {"limits": 1}, False)
    for window in range(2):
        folder.add(window, 0, pyarrow.table({"number": [window]}, schema=schema))
        folder.close(window, "number")

    def killed(path, **_options):
        if path.exists():
            (path / "settings.json").unlink()
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_store.shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            folder.finish(schema, None)
    assert len([*tmp_path.rglob("w*.parquet")]) == 2
    # what is left belongs to nothing, whatever comes next
    assert _store.WorkFolder(out, {}, {"limits": 1}, True).complete
    assert [*tmp_path.iterdir()] == [out]
    out.unlink()
    folder = _store.WorkFolder(out, {}, {"limits": 2}, False)
    assert not folder.windows and not folder.blocks
    # nor is anything taken over of which nobody knows what it is
    for block in [False, True]:
        folder.add(0, 0, pyarrow.table({"number": [0]}, schema=schema))
        if not block:
            folder.close(0, "number")
        (folder.path / "settings.json").unlink()
        folder._lock.release()
        before = {path.name for path in folder.path.iterdir()}
        with pytest.raises(scale.Different, match="out.parquet.work: cannot resume, it has results and no settings.json"):
            _store.WorkFolder(out, {}, {"limits": 3}, True)
        assert {path.name for path in folder.path.iterdir()} == before, "all of it stays"
        _store.shutil.rmtree(folder.path)
        folder = _store.WorkFolder(out, {}, {"limits": 2}, False)


def test_two_runs_do_not_write_one_output(tmp_path):
    out = tmp_path / "out.parquet"
    first = _store.WorkFolder(out, {}, {"limits": 1}, False)
    first.add(0, 0, pyarrow.table({"number": [0]}))
    told = "out.parquet.work is in use by another process$"
    with pytest.raises(ValueError, match=told):
        _store.WorkFolder(out, {}, {"limits": 1}, True)
    # an error ends the work, and so does the end; what still refers to it, as a traceback does, keeps nobody out
    with pytest.raises(KeyboardInterrupt):
        with first:
            raise KeyboardInterrupt
    with pytest.raises(scale.Different) as kept:
        _store.WorkFolder(out, {}, {"limits": 2}, True)
    assert kept.tb
    second = _store.WorkFolder(out, {}, {"limits": 1}, True)
    with second:
        second.close(0, "number")
        with pytest.raises(ValueError, match=told):
            _store.WorkFolder(out, {}, {"limits": 1}, True)
    with pytest.raises(ValueError, match=told):
        _store.WorkFolder(out, {}, {"limits": 1}, True)
    second.finish(pyarrow.schema([("number", pyarrow.int64())]), None)
    assert pq.read_table(out)["number"].to_pylist() == [0] and [*tmp_path.iterdir()] == [out]


def test_no_file_is_left_where_no_cluster_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", lambda *_, **__: (_ for _ in ()).throw(ConnectionError("none runs")))
    runs = [
        lambda: scale.grow(tmp_path / "my.book", 2),
        lambda: scale.selfplay(2, tmp_path / "my.osp", depth=1),
        lambda: scale.match("greedy", "random", 2, tmp_path / "my", resume=True),
    ]
    for run in runs:
        with pytest.raises(ConnectionError):
            run()
        assert not [*tmp_path.iterdir()]
    # what was there before stays
    outflank._core.BookGrower(tmp_path / "my.book").save()
    outflank._core.SelfplayArchive(tmp_path / "my.osp", outflank._core.Selfplay(depth=1))
    outflank._core.Match("greedy", "random", 1).store(tmp_path / "my", False)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert {"my.book", "my.osp", "my.jsonl", "my.ggf"} <= {*before}
    for run in runs:
        with pytest.raises(ConnectionError):
            run()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_more_threads_than_a_node_has_cores_are_told(cluster):
    with pytest.warns(RuntimeWarning, match="takes 1000 cores of one node, and no node has more than 1"):
        with _pool.Cluster(threads=1000):
            pass


def test_more_threads_than_this_machine_has_cores_are_no_more_than_slow(tmp_path):
    source, out = tmp_path / "in.txt", tmp_path / "out.jsonl"
    write_boards(source, 5, 6)
    # not on the cluster of these tests
    alone = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    command = [sys.executable, "-m", "outflank.scale", "solve", source, out, "--threads", str(os.cpu_count() + 2), "--hash", "1"]
    subprocess.run(command, check=True, timeout=120, env=alone)
    assert len(out.read_text().splitlines()) == 5


def test_the_reader_takes_ten_million_lines_in_little_memory(tmp_path):
    source = tmp_path / "many.txt"
    lines = int(os.environ.get("OUTFLANK_SCALE_LINES", "200000"))
    write_boards(source, 1000, 20)
    block = source.read_bytes()
    with open(source, "wb") as file:
        for _ in range(lines // 1000):
            file.write(block)
    program = (
        "import resource, sys, outflank.scale._read as read\n"
        "from pathlib import Path\n"
        "files = [Path(sys.argv[1])]\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak()\n"
        "rows = sum(row.empties == 20 for row in read.read(files))\n"
        "print(rows, read.count(files), peak() - before)\n"
    )
    out = subprocess.run([sys.executable, "-c", program, source], capture_output=True, text=True, check=True).stdout
    rows, counted, grown = map(int, out.split())
    assert rows == counted == lines
    assert grown < 64 * 1024, "kilobytes more than before"


def test_hard_positions_come_alone_and_easy_ones_together(tmp_path):
    source = tmp_path / "in.txt"
    write_boards(source, 600, 6)
    hard = write_boards(tmp_path / "hard.txt", 3, 26)
    with open(source, "a") as file:
        file.writelines(f"{position}\n" for position in hard)
    folder = _solve.WorkFolder(tmp_path / "out.parquet", {}, {}, False)
    windows = _solve._Windows(_read.read([source]), folder, {}, 4096)
    tasks = list(windows)
    sizes = [len(task.payload) for task in tasks]
    assert sizes[:3] == [1, 1, 1] and sum(sizes) == 603 and max(sizes) == _solve.BLOCK
    assert [task.cost for task in tasks] == sorted((task.cost for task in tasks), reverse=True)
    assert [number for task in tasks[:3] for number, _ in task.payload] == [601, 602, 603]


def test_the_last_blocks_are_small(tmp_path):
    source = tmp_path / "in.txt"
    write_boards(source, 300, 20)
    windows = _solve._Windows(_read.read([source]), _solve.WorkFolder(tmp_path / "out.parquet", {}, {}, False), {}, 4096)
    sizes = [len(task.payload) for task in windows]
    assert sum(sizes) == 300 and sizes == sorted(sizes, reverse=True)
    # none is more than the others left over could make up for
    assert all(size <= sum(sizes[at:]) / 8 + 1 for at, size in enumerate(sizes))
    assert sizes[0] > 30 and sizes[-1] == 1


def test_a_searcher_goes_on_with_more_threads():
    searcher = _solve.Searcher(hash=16)
    [position] = outflank.boards_from_numpy(outflank.random_positions(1, 22, 4))
    expected = outflank.Engine(hash=16).solve(position).score
    timer = threading.Timer(0.05, lambda: searcher.boost(2))
    timer.start()
    [row] = searcher([(7, str(position))])
    timer.join()
    assert (row[0], row[1], row[6]) == (7, expected, True)
    assert searcher.engine.threads == 1


@pytest.mark.parametrize("limits", [{"depth": 5}, {"level": 4}, {"nodes": 3000}])
def test_what_is_no_proof_does_not_depend_on_the_positions_before(limits):
    [board] = outflank.random_positions(1, 30, seed=5)
    position, block = outflank.Position.from_bits(*board), []
    while len(block) < 8:
        block.append((len(block), str(position)))
        position = position.play(position.moves()[0])
    searcher = _solve.Searcher(hash=1, limits=limits)
    rows, others = searcher(block), searcher(block[::-1])
    # all but the seconds
    assert [row[:-1] for row in rows] == [row[:-1] for row in others[::-1]]


@pytest.mark.parametrize("limits", [{"nodes": 3_000_000}, {"time": 1.5}, {"level": 60, "time": 1.5}])
def test_a_searcher_with_more_threads_keeps_to_its_limits(limits):
    searcher, done, offers = _solve.Searcher(hash=4, limits=limits), threading.Event(), []

    def offer():
        while not done.wait(0.3) and len(offers) < 15:
            offers.append(searcher.boost(1))

    [board] = outflank.random_positions(1, 30)
    helper = threading.Thread(target=offer)
    helper.start()
    [(*_, depth, _, exact, nodes, seconds)] = searcher([(0, str(outflank.Position.from_bits(*board)))])
    done.set()
    helper.join()
    assert len(offers) > 1 and depth > 5 and not exact
    assert nodes < 3_200_000 if "nodes" in limits else seconds < 2


def test_an_offer_ends_no_search_of_another_position():
    class Slow:
        """An engine whose stop takes a moment: the next search would begin meanwhile."""

        def __init__(self, engine):
            self.engine, self.threads, self.solved = engine, 1, 0
            self.offered, self.second = threading.Event(), threading.Event()

        def clear(self):
            self.engine.clear()

        def solve(self, position, **limits):
            self.solved += 1
            (self.offered.wait if self.solved == 1 else lambda _: self.second.set())(10)
            return self.engine.solve(position, **limits)

        def stop(self):
            self.offered.set()
            if self.second.wait(0.5):
                time.sleep(0.1)
            self.engine.stop()

    searcher = _solve.Searcher(hash=4, limits={"nodes": 3_000_000})
    searcher.engine = Slow(searcher.engine)
    helper = threading.Thread(target=searcher.boost, args=(2,))
    helper.start()
    boards = [*outflank.random_positions(1, 8), *outflank.random_positions(1, 26)]
    rows = searcher([(number, str(outflank.Position.from_bits(*board))) for number, board in enumerate(boards)])
    helper.join()
    assert rows[0][6] and rows[1][7] >= 3_000_000, rows


def test_a_run_goes_on_where_the_traceback_of_another_is_kept(cluster, tmp_path, monkeypatch):
    # as a notebook keeps it
    def interrupted(self):
        if self.done > 0:
            raise KeyboardInterrupt
        return True

    players = ("outflank,level=1", "random")
    runs = [
        lambda: scale.selfplay(60, tmp_path / "a.osp", chunk=2, jobs=1, quiet=True, depth=1, exact=4),
        lambda: scale.grow(tmp_path / "my.book", 12, level=1, plies=12, hash=1, jobs=1, quiet=True),
        lambda: scale.match(*players, 12, tmp_path / "games", jobs=1, quiet=True, resume=True),
    ]
    for run in runs:
        with monkeypatch.context() as patch:
            patch.setattr(_pool.Progress, "tick", interrupted)
            with pytest.raises(KeyboardInterrupt) as kept:
                run()
        assert run() and kept
    with outflank.SelfplayArchive(tmp_path / "a.osp", outflank.Selfplay(depth=1, exact=4)) as archive:
        assert archive.games == 60


def test_whole_numbers_of_numpy(cluster, tmp_path):
    one = np.int64(1)
    write_boards(tmp_path / "in.txt", 3, 6)
    for _ in range(2):
        scale.solve(tmp_path / "in.txt", tmp_path / "out.jsonl", level=one, jobs=one, threads=one, window=one, resume=True, quiet=True)
        scale.selfplay(one, tmp_path / "out.parquet", chunk=one, jobs=one, depth=one, resume=True, quiet=True)
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[2])["settings"]["limits"] == {"level": 1}
    # others are refused before there is a file
    for run in [
        lambda: scale.selfplay(2.0, tmp_path / "new.osp"),
        lambda: scale.selfplay(2.0, tmp_path / "new.parquet"),
        lambda: scale.grow(tmp_path / "new.book", 2.0),
        lambda: scale.match("greedy", "random", 2.0, tmp_path / "new"),
    ]:
        with pytest.raises(TypeError, match="float"):
            run()
    assert not [*tmp_path.glob("new*")]


def test_a_solver_takes_no_rounded_boards():
    boards = outflank.random_positions(3, 6)
    solver, names = scale.Solver(hash=1), ("player", "opponent")
    expected = outflank.solve_many(boards, hash=1)["score"].tolist()
    for kind in [np.uint64, np.int64]:
        assert solver(dict(zip(names, boards.astype(kind).T)))["score"].tolist() == expected
    with pytest.raises(TypeError, match="^the column 'player' is of whole numbers without nulls, not of float64$"):
        solver(dict(zip(names, boards.astype(float).T)))


def test_no_search_gets_more_cores_than_an_engine_takes():
    lent = []
    boost = types.SimpleNamespace(remote=lent.append)
    pool = _pool.Pool(_solve.Searcher, {}, threads=3)
    pool._workers = [_pool._Worker(types.SimpleNamespace(boost=boost), "node", threads=3) for _ in range(128)]
    pool._workers[0].task = _pool.Task(0, [])
    pool._help()
    pool._help()
    assert lent == [_pool.MOST_THREADS], "once"
    _solve.Searcher(hash=1).engine.threads = lent[0]
    with pytest.raises(ValueError, match="threads 257: "):
        _solve.Searcher(hash=1).engine.threads = lent[0] + 1
    # two searches share what there is
    pool._workers[0].threads, pool._workers[1].task = 3, _pool.Task(1, [])
    pool._help()
    assert lent[1:] == [192, 192]


def test_selfplay_is_the_same_on_any_number_of_workers(cluster, tmp_path):
    settings = dict(seed=5, depth=1, exact=6)
    expected = outflank.Selfplay(**settings).play(list(range(20)))
    scale.selfplay(12, tmp_path / "a.osp", jobs=2, chunk=4, quiet=True, **settings)
    assert scale.selfplay(20, tmp_path / "a.osp", jobs=1, chunk=4, quiet=True, **settings)["games"] == 8
    games = outflank.SelfplayGames.read(tmp_path / "a.osp")
    assert sorted(games.indices) == list(range(20))
    scale.selfplay(20, tmp_path / "b.parquet", jobs=2, chunk=4, quiet=True, **settings)
    columns = expected.columns()
    table = pq.read_table(tmp_path / "b.parquet")
    assert all((table[name].to_numpy() == columns[name]).all() for name in columns)
    assert scale.selfplay(20, tmp_path / "b.parquet", chunk=4, resume=True, **settings)["games"] == 0
    with pytest.raises(scale.Different, match="with 20 games, not 30"):
        scale.selfplay(30, tmp_path / "b.parquet", chunk=4, resume=True, **settings)


def test_a_book_grows(cluster, tmp_path):
    book = tmp_path / "my.book"
    summary = scale.grow(book, 30, jobs=2, hash=4, level=2, plies=12, quiet=True)
    assert 29 <= summary["added"] == summary["positions"] <= 31
    again = scale.grow(book, 10, jobs=1, hash=4, quiet=True)
    assert again["positions"] - summary["positions"] == again["added"] >= 9


def test_a_match_is_played_once(cluster, tmp_path):
    out = tmp_path / "games"
    with pytest.raises(ValueError, match="even"):
        scale.match("greedy", "random", 3, out)
    result = scale.match("outflank,level=1", "random", 8, out, jobs=2, quiet=True)
    assert result["games"] == 8 and result["wins"] > 4 and result["verdict"] is None
    with pytest.raises(FileExistsError, match="resume"):
        scale.match("outflank,level=1", "random", 8, out, jobs=2, quiet=True)
    assert scale.match("outflank,level=1", "random", 8, out, jobs=2, resume=True, quiet=True)["games"] == 8
    tested = scale.match("outflank,level=1", "random", 400, tmp_path / "t", jobs=2, sprt=(-200, 0), quiet=True)
    assert tested["verdict"] == "H1" and tested["games"] < 400
    lines = (tmp_path / "t.jsonl").read_text().splitlines()
    assert len(lines) == tested["games"] + 1
    command = ["match", "outflank", "random", str(tmp_path / "c"), "--games", "2", "--level", "0", "--quiet", "--jobs", "1"]
    assert main(command) == 0 and len((tmp_path / "c.jsonl").read_text().splitlines()) == 3


def test_games_that_are_not_durable_are_told(tmp_path, monkeypatch, capsys):
    # the last error of the disc is told by closing, and by nothing else
    def close():
        raise OSError("games.jsonl: no space left")

    result = {"games": 2, "verdict": None}
    store = types.SimpleNamespace(result=lambda: result, has=lambda _: True, close=close)
    plan = types.SimpleNamespace(pairs=1, store=lambda *_: store)
    monkeypatch.setattr(_jobs, "Match", lambda *_, **__: plan)
    monkeypatch.setattr(_jobs, "Cluster", lambda *_: contextlib.nullcontext())
    pool = types.SimpleNamespace(run=lambda tasks, _tick: iter([*tasks]))
    monkeypatch.setattr(_jobs, "Pool", lambda *_, **__: contextlib.nullcontext(pool))
    assert main(["match", "greedy", "random", str(tmp_path / "games"), "--games", "2", "--quiet"]) == 3
    assert capsys.readouterr().err == "outflank.scale: games.jsonl: no space left\n"
    store.close = lambda: None
    assert scale.match("greedy", "random", 2, tmp_path / "games", quiet=True) == result


def test_a_strength_that_nobody_takes_is_an_error(tmp_path):
    for first, strength in [("greedy", {"level": 3}), ("outflank,level=1", {"depth": 3}), ("outflank,nodes=5", {"nodes": 9})]:
        with pytest.raises(ValueError, match="^level, depth and nodes are for `outflank` players without a strength of"):
            scale.match(first, "random", 2, tmp_path / "games", **strength)
    assert not [*tmp_path.iterdir()]
    assert outflank._core.Match("outflank,level=1", "outflank", 1, level=3).pairs == 1


def test_a_search_for_a_book_that_makes_no_sense_is_an_error():
    search = outflank._core.LeafSearcher(1).search
    player, opponent, d3 = 0x0000000810000000, 0x0000001008000000, 1 << 19
    assert search((player, opponent, d3, 1))[0] == 19
    with pytest.raises(ValueError, match="^the moves of the job are not all legal on its board$"):
        search((player, opponent, d3 | 1, 1))
    with pytest.raises(ValueError, match="^level 61: "):
        search((player, opponent, d3, 61))


def test_a_score_that_is_not_exact_is_not_listed(tmp_path):
    lines = ENDGAMES.read_text().splitlines()[-2:]
    (tmp_path / "a.obf").write_text(f"{lines[0]} % 4@73%\n{lines[1]}\n")
    exact, listed = zip(*((row.position is not None, row.listed is not None) for row in _read.read([tmp_path / "a.obf"])))
    assert exact == (True, True) and listed == (False, True)


def test_a_closed_match_takes_no_more_games(tmp_path):
    plan = outflank._core.Match("greedy", "random", 2)
    store = plan.store(tmp_path / "games")
    played = plan.play(0)
    for game in played:
        store.add(game)
    with pytest.raises(ValueError, match="games.jsonl"):
        plan.store(tmp_path / "games", resume=True)
    store.close()
    store.close()
    # the account stays, and games that are there already are left out as before
    assert store.result()["games"] == 2 and store.has(0)
    store.add(played[0])
    with pytest.raises(ValueError, match="closed"):
        store.add(plan.play(1)[0])
    assert plan.store(tmp_path / "games", resume=True).result() == store.result()


def test_a_match_goes_on_with_more_games_of_its_kind(tmp_path):
    match = outflank._core.Match
    out, players = tmp_path / "games", ("outflank", "random")
    store = match(*players, 1, nodes=50).store(out)
    for game in match(*players, 1, nodes=50).play(0):
        store.add(game)
    store.close()
    # the number of games, and the test, are not what makes it another match
    more = match(*players, 3, nodes=50, sprt=(0, 10))
    assert [more.store(out, resume=True).has(pair) for pair in range(3)] == [True, False, False]
    # the rest is, and it is told in the words of `outflank match`
    for change, then in [
        (dict(seed=2), "seed was 1 then and is 2 now"),
        (dict(nodes=60), "nodes was 50 then and is 60 now"),
        (dict(depth=3), "depth was nothing then and is 3 now"),
        (dict(time=0.5), "clock was .none. then and is .0.5 s/move. now"),
        (dict(random_plies=6), "openings was random plies 8 then and is random plies 6 now"),
        (dict(openings="f5d6"), "openings was random plies 8 then and is checksum"),
    ]:
        with pytest.raises(ValueError, match=then):
            match(*players, 3, **{"nodes": 50, **change}).store(out, resume=True)


def test_a_ray_dataset_is_solved(cluster):
    boards = outflank.random_positions(64, 8)
    dataset = ray.data.from_numpy_refs([ray.put(boards)])
    dataset = dataset.map_batches(lambda batch: {"player": batch["data"][:, 0], "opponent": batch["data"][:, 1]})
    rows = dataset.map_batches(scale.Solver, fn_constructor_kwargs={"hash": 1}, concurrency=1, batch_size=16).take_all()
    known = dict(zip(map(tuple, boards.tolist()), outflank.solve_many(boards, hash=1)["score"].tolist()))
    assert {(row["player"], row["opponent"]): row["score"] for row in rows} == known
