"""Work on the actors of a Ray cluster: every task's result comes exactly once, whatever is lost on the way."""

from __future__ import annotations

import collections
import dataclasses
import operator
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any, Callable, Generic, Hashable, Iterable, Iterator, TypeVar

import ray
from ray.exceptions import ObjectLostError, RayActorError, RayTaskError, WorkerCrashedError

#: A task that has ended so many workers is not tried again.
MOST_DEATHS = 3
#: Tasks that have run for less than this, in seconds, get no help at the end.
LONG = 2.0
#: Cores of a worker and MiB of its table at most, as `Engine` takes them.
MOST_THREADS, MOST_HASH = 256, 1 << 20
#: How often the cluster is asked for new cores, in seconds.
LOOK = 10.0
#: Behind the last task.
_END = object()

#: What results are known by.
Key = TypeVar("Key", bound=Hashable)


def not_there(*names: str | Path) -> list[Path]:
    """Those of the files that are not there yet."""
    return [Path(name) for name in names if not os.path.lexists(name)]


def check(jobs: int | None, threads: int = 1, hash: int = 1) -> tuple[int | None, int, int]:
    """Refuses numbers of workers, cores and MiB that make no sense: nobody would do the work, or each worker would fail anew.

    The table itself is made by the workers; this machine may not have the memory. Gives them back as `int`: Ray takes no other
    whole numbers.
    """
    jobs = None if jobs is None else operator.index(jobs)
    threads, hash = operator.index(threads), operator.index(hash)
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs {jobs}: 1 or more is possible")
    for name, value, most in [("threads", threads, MOST_THREADS), ("hash", hash, MOST_HASH)]:
        if not 1 <= value <= most:
            raise ValueError(f"{name} {value}: 1 to {most} are possible")
    return jobs, threads, hash


@dataclasses.dataclass(frozen=True)
class Task(Generic[Key]):
    """A piece of work: its key is what results are known by; the costliest is begun first."""

    key: Key
    payload: Any
    cost: float = 1.0


class LostTask(RuntimeError):
    """A task has ended its worker again and again."""


class _Host:
    """What runs in an actor: the work, and help for it while it runs."""

    def __init__(self, make: Callable[..., Any], arguments: dict[str, Any]) -> None:
        self.work = make(**arguments)

    def node(self) -> str:
        return str(ray.get_runtime_context().get_node_id())

    def do(self, payload: Any) -> Any:
        return self.work(payload)

    def boost(self, threads: int) -> None:
        boost = getattr(self.work, "boost", None)
        if boost:
            boost(threads)


@dataclasses.dataclass
class _Worker:
    actor: Any
    node: str | None = None
    task: Task[Any] | None = None
    since: float = 0.0
    threads: int = 1


class Pool:
    """Workers of a cluster, each an actor with an object of its own that does the tasks.

    `make(**arguments)` builds that object in the actor. `jobs` is the number of workers: by default one for every `threads`
    cores of the cluster, also of nodes that come later. Workers that die are replaced when there are cores for them.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        arguments: dict[str, Any],
        *,
        jobs: int | None = None,
        threads: int = 1,
    ) -> None:
        self.make, self.arguments, self.jobs, self.threads = make, arguments, jobs, threads
        # one slot for the work, one for help while it runs
        self._host = ray.remote(_Host).options(
            num_cpus=threads, max_concurrency=2, max_restarts=0, scheduling_strategy="SPREAD"
        )
        self._workers: list[_Worker] = []
        self._refs: dict[Any, tuple[str, _Worker]] = {}
        self._deaths: collections.Counter[Hashable] = collections.Counter()
        self._looked = 0.0
        #: Workers in a row that died before they had begun.
        self._unborn = 0
        #: Tasks whose workers died, and which were given to others.
        self.lost = 0

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_exception: Any) -> None:
        for worker in self._workers:
            ray.kill(worker.actor)
        self._workers.clear()
        self._refs.clear()

    @property
    def ready(self) -> int:
        """Workers that have begun."""
        return sum(worker.node is not None for worker in self._workers)

    @property
    def nodes(self) -> int:
        """Nodes with workers."""
        return len({worker.node for worker in self._workers if worker.node})

    def _wanted(self) -> int:
        if self.jobs is not None:
            return self.jobs
        return max(1, int(ray.cluster_resources().get("CPU", 1)) // self.threads)

    def _hire(self) -> None:
        """Starts the workers that are missing; those for which there are no cores wait until there are."""
        if time.monotonic() - self._looked < LOOK and self._workers:
            return
        self._looked = time.monotonic()
        for _ in range(self._wanted() - len(self._workers)):
            worker = _Worker(self._host.remote(self.make, self.arguments), threads=self.threads)
            self._workers.append(worker)
            self._refs[worker.actor.node.remote()] = ("begin", worker)

    def _bury(self, worker: _Worker, queue: collections.deque[Task[Any]], error: BaseException) -> None:
        """Takes a dead worker out; its task goes back to the front."""
        if worker not in self._workers:
            return
        self._workers.remove(worker)
        self._refs = {ref: entry for ref, entry in self._refs.items() if entry[1] is not worker}
        self._looked = 0.0
        if worker.task is None:
            # one that cannot even begin, again and again, has a reason that will not go away
            self._unborn += worker.node is None
            if self._unborn >= MOST_DEATHS:
                raise error
            return
        self.lost += 1
        self._deaths[worker.task.key] += 1
        if self._deaths[worker.task.key] >= MOST_DEATHS:
            first = str(error).partition("\n")[0]
            raise LostTask(f"task {worker.task.key} has ended {MOST_DEATHS} workers: {first}") from error
        queue.appendleft(worker.task)

    def _give(self, worker: _Worker, task: Task[Any]) -> None:
        worker.task, worker.since, worker.threads = task, time.monotonic(), self.threads
        self._refs[worker.actor.do.remote(task.payload)] = ("done", worker)

    def _help(self) -> None:
        """Lends the cores of idle workers to what still runs on their nodes."""
        by_node: dict[str, tuple[int, list[_Worker]]] = {}
        for worker in self._workers:
            if worker.node is None:
                continue
            idle, busy = by_node.get(worker.node, (0, []))
            busy = busy + [worker] if worker.task else busy
            by_node[worker.node] = (idle + (worker.task is None), busy)
        for idle, busy in by_node.values():
            for place, worker in enumerate(busy):
                threads = self.threads * (1 + idle // len(busy) + (place < idle % len(busy)))
                # of a larger node the rest stays idle: an engine refuses more
                threads = min(threads, MOST_THREADS)
                if threads > worker.threads and time.monotonic() - worker.since > LONG:
                    worker.threads = threads
                    worker.actor.boost.remote(threads)

    def run(
        self, tasks: Iterator[Task[Key] | None], tick: Callable[[], bool] = lambda: True
    ) -> Iterator[tuple[Task[Key], Any]]:
        """Does the tasks and yields each with its result, in the order in which they end.

        Tasks are taken when a worker is free for them; `None` instead of one says that there is none yet. `tick` is called at
        least every second; when it gives `False` no more tasks are begun. Exceptions of the work are raised here.
        """
        queue: collections.deque[Task[Key]] = collections.deque()
        tasks, ended = iter(tasks), False
        # keys tell the tasks of one run apart, not those of another
        self._deaths.clear()
        while True:
            self._hire()
            ended = ended or not tick()
            for worker in [w for w in self._workers if w.node is not None and w.task is None]:
                if not queue and not ended:
                    task = next(tasks, _END)
                    ended = task is _END
                    if isinstance(task, Task):
                        queue.append(task)
                if queue:
                    self._give(worker, queue.popleft())
            busy = any(worker.task for worker in self._workers)
            if ended and not queue:
                if not busy:
                    return
                self._help()
            if not self._refs:
                time.sleep(0.05)
                continue
            done, _ = ray.wait(list(self._refs), num_returns=1, timeout=1.0)
            for ref in done:
                if ref not in self._refs:
                    continue
                kind, worker = self._refs.pop(ref)
                try:
                    value = ray.get(ref)
                except RayTaskError as error:
                    raise error.as_instanceof_cause() from None
                except (RayActorError, WorkerCrashedError, ObjectLostError) as error:
                    self._bury(worker, queue, error)
                    continue
                if kind == "begin":
                    worker.node, self._unborn = value, 0
                    continue
                done_task, worker.task = worker.task, None
                assert done_task is not None, "only a worker with a task gives a result"
                yield done_task, value


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


class Progress:
    """A line on stderr now and then: how much is done, how fast, and when it will be over."""

    def __init__(self, unit: str, total: int | None, pool: Pool, *, every: float = 5.0, quiet: bool = False) -> None:
        self.unit, self.total, self.pool, self.every, self.quiet = unit, total, pool, every, quiet
        self.begin = self.shown = time.monotonic()
        #: Done in this run, and before it.
        self.done = self.before = 0

    def seconds(self) -> float:
        """Since the workers were sent for."""
        return max(time.monotonic() - self.begin, 1e-9)

    def text(self) -> str:
        """The line."""
        seconds = self.seconds()
        rate, have = self.done / seconds, self.done + self.before
        text = f"{have:,} of {self.total:,} {self.unit}" if self.total is not None else f"{have:,} {self.unit}"
        text += f", {rate:,.1f}/s, {_plural(self.pool.ready, 'worker')} on {_plural(self.pool.nodes, 'node')}"
        if self.pool.lost:
            text += f", {_plural(self.pool.lost, 'task')} done again"
        if self.total and rate > 0:
            left = max(self.total - have, 0) / rate
            text += f", {int(left // 3600)}:{int(left % 3600 // 60):02}:{int(left % 60):02} left"
        return text

    def tick(self) -> bool:
        """Shows the line when it is time."""
        if not self.quiet and time.monotonic() - self.shown >= self.every:
            self.shown = time.monotonic()
            print(self.text(), file=sys.stderr, flush=True)
        return True


class Cluster:
    """A connection to a Ray cluster for the time of a `with`: one that is there already is kept, others are closed.

    `threads` are the cores that a worker wants of one node. A cluster that is started here has them, as it has those of `cores`,
    whether the machine has so many or not; of one that is there already it is said when no node has them. Without a cluster
    nothing is done: `made`, files that were made for the work and have none of it yet, go again.
    """

    def __init__(
        self, address: str | None = None, cores: int | None = None, threads: int = 1, made: Iterable[Path] = ()
    ) -> None:
        # told nothing, Ray would also join whatever was last started on this machine
        self.address = address or os.environ.get("RAY_ADDRESS") or "local"
        self.cores, self.threads, self.made, self.own = cores, threads, made, False

    def __enter__(self) -> Cluster:
        try:
            self._connect()
        except BaseException:
            for file in self.made:
                file.unlink(missing_ok=True)
            raise
        if (most := self._most()) < self.threads:
            lack = f"a worker takes {self.threads} cores of one node, and no node has more than {most}"
            # workers that nobody can take in would wait without a word; clusters of others may grow
            warnings.warn(f"{lack}: waiting for one that has them", RuntimeWarning, stacklevel=3)
        return self

    def _connect(self) -> None:
        if not ray.is_initialized():
            self._begin(self.cores)
        if self.own and self.address == "local" and self._most() < self.threads:
            ray.shutdown()
            self._begin(self.threads)

    def _begin(self, cores: int | None) -> None:
        settings = {"num_cpus": cores} if self.address == "local" else {}
        try:
            ray.init(self.address, log_to_driver=False, logging_level="warning", include_dashboard=False, **settings)
        except ConnectionError as error:
            raise ConnectionError(f"there is no Ray cluster at '{self.address}': {error}") from error
        except Exception as error:
            # so Ray says that it has not come up in time
            if type(error) is not Exception:
                raise
            raise ConnectionError(f"Ray does not start: {error}") from error
        self.own = True

    @staticmethod
    def _most() -> int:
        """Cores of the largest node."""
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        return max((int(node.get("CPU", 0)) for node in nodes), default=0)

    def __exit__(self, *_exception: Any) -> None:
        if self.own:
            ray.shutdown()
