"""The engine: searches, reports, interrupts."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import outflank
from conftest import PROBLEM, minimax
from outflank import Game, Position, SearchError


def small(count, empties, seed=1):
    return outflank.boards_from_numpy(outflank.random_positions(count, empties, seed))


def test_solves_are_exact(engine):
    for position in small(12, 7):
        report = engine.solve(position)
        assert report.exact and report.score == minimax(position)
        assert report.best in position.moves() and report.pv[0] == report.best
        assert engine.solve(position, wld=True).score == np.sign(report.score)
        everything = engine.solve(position, all_moves=True).lines
        assert {line.move: line.score for line in everything} == {
            move: -minimax(position.play(move)) for move in position.moves()
        }
        best = engine.solve(position, best_moves=True).lines
        assert {line.move for line in best} == {line.move for line in everything if line.score == report.score}


def test_the_problem_of_the_documentation(engine):
    reports = []
    report = engine.solve(PROBLEM, on_report=reports.append)
    assert (report.score, report.exact, report.empties) == (4, True, 16)
    assert reports and reports[-1].score == 4
    assert '"score":4' in report.to_json()


def test_search_limits(engine):
    assert engine.search("f5d6c3", depth=6).depth == 6
    assert engine.search("f5d6c3", level=5).depth == 5
    assert engine.search("f5d6c3", depth=8, selectivity=73).selectivity == 73
    limited = engine.search("f5d6c3", nodes=10_000)
    assert limited.stopped and limited.nodes <= 10_300
    begin = time.monotonic()
    assert engine.search("f5d6c3", time=0.2).stopped
    assert time.monotonic() - begin < 5
    only = engine.search("f5d6c3", depth=4, moves=["f4"], lines=1)
    assert [line.move for line in only.lines] == ["f4"]
    lines = engine.search("f5d6c3", depth=4, lines=3).lines
    assert len(lines) == 3 and lines[0].score >= lines[1].score >= lines[2].score


def test_nonsense_is_refused(engine):
    for arguments, text in [
        ({"level": 61}, "levels are 0 to 60"),
        ({"level": 3, "depth": 3}, "exclude each other"),
        ({"level": -1}, "level -1: levels are 0 to 60"),
        ({"depth": 0}, "depth 0: 1 to 255 are possible"),
        ({"depth": -1}, "depth -1: 1 to 255 are possible"),
        ({"depth": 1000}, "depth 1000: 1 to 255 are possible"),
        ({"depth": 10**60}, "1 to 255 are possible"),
        ({"depth": 4, "selectivity": -73}, "selectivity -73: 73, 87"),
        ({"nodes": -1}, "nodes -1: 0 or more is possible"),
        ({"nodes": 2**64}, "nodes 18446744073709551616: 0 to 18446744073709551615 are possible"),
        ({"depth": 4, "selectivity": 50}, "73, 87"),
        ({"selectivity": 73}, "needs a depth"),
        ({"time": -1.0}, "-1 seconds"),
        ({"lines": 0}, "^lines 0: 1 or more is possible$"),
        ({"lines": -3}, "^lines -3: 1 or more is possible$"),
        ({"time": float("nan")}, "NaN seconds"),
        ({"depth": 3, "moves": ["a1"]}, "not legal"),
    ]:
        with pytest.raises(SearchError, match=text):
            engine.search(Position(), **arguments)
    for hash in [0, -1, 2**20 + 1, 2**70]:
        with pytest.raises(SearchError, match=f"hash {hash}: 1 to 1048576 are possible"):
            outflank.Engine(hash=hash)
    for threads in [0, -1, 257]:
        with pytest.raises(SearchError, match=f"threads {threads}: 1 to 256 are possible"):
            outflank.Engine(hash=1, threads=threads)
        with pytest.raises(SearchError, match=f"threads {threads}: 1 to 256 are possible"):
            engine.threads = threads
    assert engine.threads == 1


@pytest.mark.parametrize("number", [10**60, -(10**60)])
def test_numbers_of_any_size_are_refused_by_name(engine, number):
    for call, name in [
        (lambda: outflank.Engine(hash=number), "hash"),
        (lambda: outflank.Engine(threads=number), "threads"),
        (lambda: engine.search("f5", depth=1, lines=number), "lines"),
        (lambda: engine.start("f5", depth=1, lines=number), "lines"),
        (lambda: engine.hint("f5", number, depth=1), "n"),
        (lambda: engine.analyze_game(Game("f5"), depth=1, alternatives=number), "alternatives"),
        (lambda: engine.solve_many([PROBLEM], jobs=number), "jobs"),
        (lambda: outflank.random_positions(1, 10, seed=number), "seed"),
        (lambda: outflank.selfplay(1, seed=number), "seed"),
        (lambda: outflank.selfplay(1, exact=number), "exact"),
        (lambda: outflank.selfplay(1, hash=number), "hash"),
        (lambda: outflank.selfplay(1, threads=number), "threads"),
    ]:
        with pytest.raises(outflank.OutflankError, match=f"^{name} .* (is|are) possible$"):
            call()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda engine: engine.solve(PROBLEM, nodes=-1), "nodes -1: 0 or more is possible"),
        (lambda engine: engine.start("f5", depth=-1), "depth -1: 1 to 255 are possible"),
        (lambda engine: engine.start("f5", lines=0), "lines 0: 1 or more is possible"),
        (lambda engine: engine.hint("f5", 0), "n 0: 1 or more is possible"),
        (lambda engine: engine.hint("f5", level=99), "level 99: levels are 0 to 60"),
        (lambda engine: engine.choose("f5", -1), "level -1: levels are 0 to 60"),
        (lambda engine: engine.choose("f5", nodes=-1), "nodes -1: 0 or more"),
        (lambda engine: engine.choose("f5", seed=-1), "seed -1: 0 or more"),
        (lambda engine: engine.analyze_game(Game("f5"), depth=256), "depth 256: 1 to 255"),
        (lambda engine: engine.analyze_game(Game("f5"), depth=1, alternatives=-1), "alternatives -1: 0 or more"),
        (lambda engine: engine.solve_many([PROBLEM], jobs=0), "jobs 0: 1 to 256"),
        (lambda engine: engine.solve_many([PROBLEM], jobs=-1), "jobs -1: 1 to 256"),
        (lambda engine: engine.solve(PROBLEM, wld=True, best_moves=True), "wld and best_moves exclude each other"),
        (lambda engine: engine.solve_many([PROBLEM], wld=True, level=4), "wld excludes a level and a depth"),
        (lambda engine: engine.solve_many([PROBLEM], wld=True, depth=4), "wld excludes a level and a depth"),
        (lambda engine: engine.solve((-1, 1)), "player -1: 0 or more"),
        (lambda engine: engine.search("f5", depth=1, moves=[-1]), "-1 is no square: 0 to 63 are"),
        (lambda engine: outflank.perft("f5", -1), "depth -1: 0 or more"),
        (lambda engine: outflank.random_positions(-1, 10), "count -1: 0 or more"),
        (lambda engine: outflank.random_positions(1, 61), "empties 61: 1 to 60"),
        (lambda engine: outflank.random_positions(1, 10, seed=-1), "seed -1: 0 or more"),
        (lambda engine: outflank.selfplay(-1), "games -1: 0 or more"),
        (lambda engine: outflank.selfplay([-1]), "game -1: 0 or more"),
        (lambda engine: outflank.selfplay(1, threads=0), "threads 0: 1 to 256"),
        (lambda engine: outflank.selfplay(1, exact=-1), "exact -1: 0 to 30"),
        (lambda engine: outflank.selfplay(1, hash=4097), "hash 4097: 1 to 4096"),
        (lambda engine: outflank.selfplay(1, seed=2**64), "seed 18446744073709551616: 0 to"),
        (lambda engine: outflank.selfplay(1, balance=-1), "balance -1: 0 or more"),
        (lambda engine: outflank.selfplay(1, random_plies=(-1, 300)), r"random_plies \(-1, 300\)"),
        (lambda engine: outflank.selfplay(1, random_plies=(8, 7)), r"random_plies \(8, 7\)"),
    ],
)
def test_numbers_out_of_range_are_errors_of_the_package(call, text, engine):
    with pytest.raises(outflank.OutflankError, match=text):
        call(engine)


def test_files_of_weights(tmp_path):
    missing, damaged = tmp_path / "none.bin", tmp_path / "damaged.bin"
    damaged.write_bytes(b"no weights")
    for make in [lambda path: outflank.Engine(hash=1, eval=path), lambda path: outflank.Selfplay(eval=path)]:
        with pytest.raises(FileNotFoundError) as caught:
            make(missing)
        assert str(caught.value).count("none.bin") == 1 and "No such file" in str(caught.value)
        with pytest.raises(outflank.ParseError) as caught:
            make(damaged)
        assert str(caught.value).count("damaged.bin") == 1


def test_reports_and_lines_are_pickled_and_copied(engine):
    one_direction = Position(rules="ravensburger-one")
    reports = [
        engine.solve(PROBLEM, all_moves=True),
        engine.solve(PROBLEM, wld=True),
        engine.search("f5d6c3", nodes=3000, lines=2),
        engine.search("X" * 62 + "O- O", depth=3),
        engine.search("X" * 64 + " X", depth=3),
        engine.search(one_direction.play(one_direction.moves()[0]), depth=4),
    ]
    everything = [name for name in dir(outflank.Report) if not name.startswith("_") and name not in ["lines", "to_json"]]
    assert {"score", "best", "pv", "depth", "stopped", "seconds"} <= set(everything)
    for report in reports:
        for again in [pickle.loads(pickle.dumps(report)), copy.copy(report), copy.deepcopy(report)]:
            assert again.to_json() == report.to_json() and repr(again) == repr(report)
            assert [getattr(again, name) for name in everything] == [getattr(report, name) for name in everything]
        for line in report.lines:
            for again in [pickle.loads(pickle.dumps(line)), copy.copy(line), copy.deepcopy(line)]:
                assert [getattr(again, name) for name in ["move", "score", "bound", "pv"]] == [
                    getattr(line, name) for name in ["move", "score", "bound", "pv"]
                ]
    assert reports[0].exact and len(reports[0].lines) > 1 and reports[2].stopped and reports[3].best == "pass"


def test_players_have_levels_and_grades(engine):
    assert outflank.grades()[0] == "beginner" and len(outflank.grades()) == 10
    position = Position("f5d6c3d3c4f4f6f3e6e7")
    for level in [*outflank.grades(), 0, 3, None]:
        limits = {"nodes": 500} if level is None else {}
        move = engine.choose(position, level, seed=4, **limits)
        assert move in position.moves() and engine.choose(position, level, seed=4, **limits) == move
    # beginners differ where masters agree, without a book
    played = {grade: {engine.choose(position, grade, seed=seed) for seed in range(30)} for grade in ["beginner", "master"]}
    assert len(played["beginner"]) > len(played["master"]) >= 1
    # the book answers at once, on its own square of the board
    assert engine.choose(Position(), 60, seed=1) in Position().moves()
    board = outflank.Board(PROBLEM)
    while not board.is_over:
        board.play(engine.choose(board, 20, book=False))
    assert board.score == 4 and engine.choose(board) is None
    for level, text in [("wizard", "'wizard' is not a grade"), (61, "levels are 0 to 60")]:
        with pytest.raises(SearchError, match=text):
            engine.choose(position, level)
    with pytest.raises(SearchError, match="excludes nodes"):
        engine.choose(position, "club", nodes=5)


def test_hints_share_scores_of_images(engine):
    hints = engine.hint(Position(), n=4, depth=6)
    assert sorted(line.move for line in hints) == ["c4", "d3", "e6", "f5"]
    assert len({line.score for line in hints}) == 1


def test_analysis_of_a_game(engine):
    judged = engine.analyze_game(Game("f5d6c3d3c4f4f6f3"), depth=4)
    assert [one["move"] for one in judged["judged"]] == ["f5", "d6", "c3", "d3", "c4", "f4", "f6", "f3"]
    assert judged["complete"] and judged["judged"][0]["loss"] == 0
    assert [side["side"] for side in judged["summary"]] == ["black", "white"]


def test_static_values(engine):
    positions = small(50, 30) + [Position("X" * 60 + "OOO- O"), Position("X" * 63 + "- O"), Position("-" * 63 + "X X")]
    array = outflank.boards_to_numpy(positions)
    values = engine.evaluate_many(array)
    assert values.dtype == np.int32 and values.tolist() == [engine.evaluate(position) for position in positions]
    assert engine.evaluate(array).tolist() == engine.evaluate_many(positions).tolist() == values.tolist()
    # strided views are boards as well
    assert engine.evaluate_many(np.repeat(array, 2, axis=0)[::2]).tolist() == values.tolist()


def test_a_report_hears_and_its_error_comes_back(engine):
    def fail(report):
        raise KeyError(report.depth)

    with pytest.raises(KeyError):
        engine.search(Position(), depth=20, on_report=fail)
    assert engine.search(Position(), depth=3).depth == 3


def test_background_search(engine):
    with engine.start(Position("f5d6c3")) as search:
        reports = [next(search) for _ in range(5)]
        assert [report.depth for report in reports] == sorted(report.depth for report in reports)
        with pytest.raises(RuntimeError, match="the engine is searching"):
            engine.solve(PROBLEM)
        other = engine.sharing()
        assert other.search("f5", depth=4).depth == 4
        with pytest.raises(TimeoutError):
            search.result(timeout=0.05)
        for over in [-1, float("nan")]:
            with pytest.raises(TimeoutError):
                search.result(timeout=over)
        assert search.nodes > 0 and not search.done
        search.stop()
        last = search.result(timeout=5)
    assert last.stopped and search.done
    rest = list(search)
    assert all(report.depth <= last.depth for report in rest)
    # and the engine is free again
    assert engine.search("f5", depth=2).depth == 2
    whole = engine.start("f5d6", depth=5)
    assert [report.depth for report in whole][-1] == 5 and whole.result().depth == 5


def test_a_search_that_is_left_leaves_the_engine_free(engine):
    for _ in range(10):
        for report in engine.start("f5d6"):
            if report.depth > 2:
                break
        assert engine.search("f5", depth=1).depth == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked as Unix does")
def test_a_fork_does_not_wait_for_the_search_of_its_parent():
    # `search` is dropped in both processes, and runs in one
    program = (
        "import os, sys, outflank\n"
        "engine = outflank.Engine(hash=1)\n"
        "search = engine.start('f5d6')\n"
        "child = os.fork()\n"
        "search = None\n"
        "if child: sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=60)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked as Unix does")
@pytest.mark.parametrize("wait", ["search.result()", "list(search)", "search.__exit__()"])
def test_a_fork_is_told_that_the_search_runs_elsewhere(wait):
    program = (
        "import os, signal, sys, outflank\n"
        "search = outflank.Engine(hash=1).start('f5d6')\n"
        "if child := os.fork(): sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "signal.alarm(30)\n"
        f"try: {wait}\n"
        "except RuntimeError as error: os._exit('forked' not in str(error))\n"
        "os._exit(2)\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=60)


def test_a_search_is_done_behind_its_last_report(engine):
    for _ in range(200):
        search = engine.start("f5d6", depth=1)
        assert [report.depth for report in search] == [1] and search.done
        assert engine.search("f5", depth=1).depth == 1


def test_a_search_begins_or_the_engine_is_busy():
    # the call of the main thread waits for the interpreter, which `start` held while it waited for the engine
    program = (
        "import outflank, threading, time\n"
        "engine, end, begun = outflank.Engine(hash=1), time.monotonic() + 1.5, 0\n"
        "def start():\n"
        "    global begun\n"
        "    while time.monotonic() < end:\n"
        "        try: begun += engine.start('f5d6', depth=2).result().depth == 2\n"
        "        except RuntimeError: pass\n"
        "thread = threading.Thread(target=start)\n"
        "thread.start()\n"
        "while time.monotonic() < end:\n"
        "    try: engine.search('f5d6c3', depth=6, on_report=lambda report: None)\n"
        "    except RuntimeError: pass\n"
        "thread.join()\n"
        "assert begun\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=30)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as Linux does")
@pytest.mark.parametrize("call", ["engine.search('f5d6c3', depth=8)", "engine.start('f5')", "outflank.perft('f5', 5)"])
def test_a_machine_without_threads_is_told(call):
    program = (
        "import outflank, resource\n"
        "engine = outflank.Engine(hash=1)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (1 << 20, 1 << 20))\n"
        f"try: {call}\n"
        "except RuntimeError as error: assert 'cannot start a thread' in str(error), error\n"
        "else: raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_a_search_in_the_background_is_stopped_by_its_engine(engine):
    search = engine.start("f5d6c3")
    next(search)
    engine.stop()
    assert search.result(timeout=10).stopped
    assert engine.search("f5", depth=2).depth == 2


def test_a_call_is_stopped_from_another_thread(engine):
    found = []
    thread = threading.Thread(target=lambda: found.append(engine.search("f5d6c3", depth=50)))
    thread.start()
    time.sleep(0.3)
    engine.stop()
    thread.join(timeout=10)
    assert found[0].stopped and found[0].depth > 3


def test_refused_calls_leave_the_search_to_be_stopped(engine):
    heard, refused = threading.Event(), []

    def call(report):
        if not heard.is_set():
            for other in [
                lambda: engine.search("f5", depth=2),
                lambda: engine.choose("f5", 1),
                lambda: engine.analyze_game(Game("f5"), depth=1),
                lambda: engine.solve_many([PROBLEM]),
            ]:
                try:
                    other()
                except RuntimeError as error:
                    refused.append(str(error))
            heard.set()

    found = []
    thread = threading.Thread(target=lambda: found.append(engine.search("f5d6c3", time=30, on_report=call)))
    thread.start()
    assert heard.wait(timeout=10)
    for _ in range(3):
        with pytest.raises(RuntimeError, match="the engine is searching"):
            engine.solve(PROBLEM)
    begin = time.monotonic()
    engine.stop()
    thread.join(timeout=20)
    assert found[0].stopped and time.monotonic() - begin < 10 and len(refused) == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked as Unix does")
def test_forked_processes_count_too():
    # in a process of its own: what this one has begun would be in the fork as well
    program = (
        "import multiprocessing, outflank\n"
        "def count(depth): return outflank.perft(outflank.Position(), depth)\n"
        "expected = [count(depth) for depth in (1, 5, 9)]\n"
        "with multiprocessing.get_context('fork').Pool(1) as pool:\n"
        "    assert pool.map_async(count, (1, 5, 9)).get(timeout=60) == expected == [4, 1396, 3005288]\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=120)


def test_a_dropped_search_stops(engine):
    search = engine.start(Position())
    next(search)
    del search
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            engine.search("f5", depth=1)
            return
        except RuntimeError:
            time.sleep(0.01)
    raise AssertionError("the search goes on")


def test_other_threads_run_meanwhile(engine):
    counted = 0
    done = threading.Event()

    def count():
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    engine.search(Position(), time=0.5)
    done.set()
    thread.join()
    assert counted > 20, "the search holds no lock"


CTRL_C = """
import outflank, signal, sys
# tests that run in the background of a shell were told to ignore it
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
engine = outflank.Engine(hash=8)
try:
    {call}
except KeyboardInterrupt:
    # the engine goes on
    print("interrupted", engine.search("f5", depth=2).depth, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as Unix does")
@pytest.mark.parametrize(
    "call",
    [
        "engine.search('f5d6c3', depth=60)",
        "engine.solve_many(outflank.random_positions(50, 40))",
        "engine.evaluate_many(__import__('numpy').tile(outflank.random_positions(1000, 30), (5000, 1)))",
        "engine.start('f5d6c3').result()",
        "[report for report in engine.start('f5d6c3')]",
        "outflank.perft('f5', 40)",
        "outflank.perft(outflank.Position(rules='othello:10x10'), 40)",
        "engine.analyze_game(outflank.Game('f5d6c3d3c4'), depth=40)",
        "outflank.Game.parse_all('f5d6c3d3c4f4f6f3e6e7\\n' * 5_000_000)",
        "[engine.search('f5d6c3', depth=40) for thread in [0]]",
    ],
)
def test_ctrl_c_stops(call):
    program = [sys.executable, "-c", CTRL_C.format(call=call)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        out, _ = process.communicate(timeout=60)
        assert out == "interrupted 2\n"
        assert time.monotonic() - begin < 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked as Unix does")
def test_ctrl_c_stops_in_the_fork_of_a_thread():
    # which is the main thread there
    call = "engine.search('f5d6c3', time=20)"
    work = (
        "engine.search('f5d6', depth=6)\n"
        "    if child := os.fork(): time.sleep(1), os.kill(child, signal.SIGINT), os.waitpid(child, 0)\n"
        f"    else: exec(INNER) or os._exit(0)"
    )
    program = (
        f"INNER = {CTRL_C.format(call=call).partition('ready')[2].partition(chr(10))[2]!r}\n"
        "import outflank, os, signal, threading, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "engine = outflank.Engine(hash=1)\n"
        f"def work():\n    {work}\n"
        "threading.Thread(target=work).start()\n"
    )
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=60, capture_output=True, text=True)
    assert done.stdout == "interrupted 2\n" and time.monotonic() - begin < 15


def test_two_engines_in_two_threads_over_one_table(engine):
    positions = small(20, 12, seed=5)
    expected = [outflank.Engine(hash=1).solve(position).score for position in positions]
    results = {}

    def solve(name, one):
        results[name] = [one.solve(position).score for position in positions]

    threads = [threading.Thread(target=solve, args=(n, one)) for n, one in enumerate([engine, engine.sharing()])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {0: expected, 1: expected}
