"""What calls of the Python package cost, and how two workers of `outflank.scale` share work.

    target/venv/bin/python benches/python.py [PROBLEMS]

wants the package installed from a release wheel (the one that `.ci/run` puts into target/venv is a quick build: several
times slower in small calls), for the second part also Ray and a file of problems
(`../shared/data/obf/hard-20.obf`) and two idle cores. The rate of `evaluate_many` is to be compared with that of
`cargo bench --bench eval -- evaluate_boards`: both evaluate whole boards from scratch on one thread.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import outflank


def seconds(work, rounds=7):
    """The middle of several times."""
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def calls():
    engine = outflank.Engine(hash=1)
    position = outflank.Position()
    count = 100_000

    def each(call):
        def work():
            for _ in range(count):
                call()

        return seconds(work) / count * 1e6

    print("a call, microseconds (a loop in Python included)")
    for name, call in [
        ("Engine.evaluate", lambda: engine.evaluate(position)),
        ("Position.play", lambda: position.play("f5")),
        ("Position.is_legal", lambda: position.is_legal("f5")),
        ("Position.moves", lambda: position.moves()),
    ]:
        print(f"  {name:20} {each(call):8.2f}")
    boards = outflank.random_positions(1024, 30, seed=1)
    many = boards.repeat(64, axis=0)
    engine.evaluate_many(boards)
    for name, rows in [("1,024 boards", boards), ("65,536 boards", many)]:
        rate = len(rows) / seconds(lambda: engine.evaluate_many(rows), 15)
        print(f"  evaluate_many of {name:14} {rate / 1e6:8.3f} million a second")


def share(problems):
    import outflank.scale as scale

    with tempfile.TemporaryDirectory() as folder:
        times = {1: [], 2: []}
        import ray

        # a cluster that is there already: its start is not what is to be timed
        ray.init(num_cpus=2, log_to_driver=False, include_dashboard=False)
        for turn in range(3):
            for jobs in (1, 2):
                out = Path(folder) / f"{turn}-{jobs}.parquet"
                summary = scale.solve(problems, out, address="auto", jobs=jobs, quiet=True)
                times[jobs].append(summary["seconds"])
        for jobs, all_times in times.items():
            print(f"  {jobs} worker{'s' * (jobs > 1)}: {', '.join(f'{t:.1f}' for t in all_times)} s")
        ratio = statistics.median(times[1]) / statistics.median(times[2])
        print(f"  twice the workers are {ratio:.2f} times as fast (the start of their processes counted, Ray's own not)")


calls()
if len(sys.argv) > 1:
    print(f"solving {sys.argv[1]}")
    share(sys.argv[1])
