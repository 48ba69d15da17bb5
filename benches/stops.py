#!/usr/bin/env python3
"""How long the program takes to stop: from writing `stop` to reading the answer.

    benches/stops.py [PROGRAM] [STOPS]

Solves of positions with 26 empty squares are stopped after 1 to 60 ms, 200 times each with 1, 2 and 4 threads, in a session of
Cassio's protocol. For root the program runs with real-time priorities (what reads before what searches), as on an idle
machine, with pauses in which the others go on; without them the numbers are those of the machine's load.
"""
import os
import random
import select
import subprocess
import sys
import time

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/release/outflank"
STOPS = int(sys.argv[2]) if len(sys.argv) > 2 else 200


class Session:
    def __init__(self, threads):
        command = [PROGRAM, "cassio", "--threads", str(threads), "--hash", "16"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.buffer = b""

    def send(self, line):
        self.process.stdin.write(f"ENGINE-PROTOCOL {line}\n".encode())

    def is_ready(self, seconds):
        """Whether `ready.` comes within this time."""
        end = time.perf_counter() + seconds
        while True:
            while b"\n" in self.buffer:
                line, self.buffer = self.buffer.split(b"\n", 1)
                if line.strip() == b"ready.":
                    return True
            left = end - time.perf_counter()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return False
            self.buffer += os.read(self.process.stdout.fileno(), 65536)

    def drain(self, seconds):
        """Reads until nothing has come for this time."""
        while self.is_ready(seconds):
            pass

    def prioritise(self):
        """What reads comes before what searches: the first thread, and those that it starts later."""
        try:
            for thread in map(int, os.listdir(f"/proc/{self.process.pid}/task")):
                level = 10 if thread == self.process.pid else 20
                os.sched_setscheduler(thread, os.SCHED_RR, os.sched_param(level))
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(20))
        except OSError:
            print("no real-time priority: the times are those of the machine's load", file=sys.stderr)


def main():
    made = subprocess.run(
        [PROGRAM, "games", "random", "--empties", "26", "--count", "100", "--margin", "20", "--depth", "1"],
        capture_output=True, text=True, check=True,
    )
    positions = [line[:64] + line[65] for line in made.stdout.splitlines()]
    print("threads  median ms     90 %     99 %      max")
    for threads in [1, 2, 4]:
        rng = random.Random(threads)
        session = Session(threads)
        session.send("init")
        assert session.is_ready(30), "no answer to init"
        session.prioritise()
        times = []
        while len(times) < STOPS:
            session.send("empty-hash")
            assert session.is_ready(30), "no answer to empty-hash"
            session.send(f"endgame-search {rng.choice(positions)} -64 64 100")
            if session.is_ready(rng.uniform(0.001, 0.06)):
                # the search is over, or this was a late answer to something else: everything stands still before the next one
                session.send("stop")
                session.drain(0.1)
                continue
            begun = time.perf_counter()
            session.send("stop")
            assert session.is_ready(30), "no answer to stop"
            times.append((time.perf_counter() - begun) * 1000)
            # a stop is answered as well, when the search was over before it came
            session.drain(0.03)
        session.send("quit")
        session.process.wait(30)
        times.sort()
        at = [times[(len(times) - 1) * percent // 100] for percent in (50, 90, 99, 100)]
        print(f"{threads:7} {at[0]:10.2f} {at[1]:8.2f} {at[2]:8.2f} {at[3]:8.2f}", flush=True)


main()
