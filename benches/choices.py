#!/usr/bin/env python3
"""What moves cost that two engines choose: where they choose different ones, a long search says what either is worth.

    benches/choices.py FIRST SECOND [--rules R] [--positions N] [--nodes N] [--referee N] [--program P] [--seed N] [--jobs N]

FIRST and SECOND are commands of GTP engines, without rules and limits if they are programs of this project: `old/outflank gtp
--threads 1 --no-book`. Positions come up after random moves, and then moves of 800 nodes of which one in twelve is random.
Most positions say nothing, since both choose the same move, and what the others say has no opponent's luck in it: 2,000
positions tell what a match of ten times as many games does. That is so of changes of the search; evaluations are judged by
the referee's own (`--program`), which takes the side of its like.
"""
import argparse
import concurrent.futures
import math
import random
import shlex
import subprocess


class Engine:
    def __init__(self, command):
        words = shlex.split(command)
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, command):
        """The answer to a command; `None` when it failed."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while line := self.process.stdout.readline():
            if line.strip():
                lines.append(line.strip())
            elif lines:
                break
        if not lines:
            raise SystemExit(f"{self.process.args[0]} has ended")
        return "\n".join(lines)[1:].strip() if lines[0].startswith("=") else None

    def set_up(self, moves):
        self.ask("clear_board")
        for side, move in moves:
            self.ask(f"play {side} {move}")

    def side(self):
        return self.ask("gogui-rules_side_to_move")


class Trial:
    """The engines of a job."""

    def __init__(self, options):
        # the quick one and the referee are this program
        own = f"{options.program} gtp --no-book --threads 1 --rules {options.rules}"
        limits = f" --nodes {options.nodes} --rules {options.rules}"
        self.quick, self.referee = Engine(f"{own} --nodes 800"), Engine(f"{own} --nodes {options.referee}")
        self.players = [Engine(command + limits) for command in (options.first, options.second)]

    def random_move(self, rng):
        """A random legal move, for which a square is enough."""
        side, squares = self.quick.side(), self.quick.ask("gogui-rules_legal_moves").split()
        rng.shuffle(squares)
        return next(((side, square) for square in squares if self.quick.ask(f"play {side} {square}") is not None), None)

    def position(self, rng):
        """Moves from the start; `None` when there is nothing to choose after them."""
        self.quick.ask("clear_board")
        squares = self.quick.ask("gogui-rules_board").count(".")
        moves, opening, plies = [], rng.randrange(6, 12), rng.randrange(10, squares * 2 // 3)
        while len(moves) < plies:
            is_random = len(moves) < opening or rng.randrange(12) == 0
            move = self.random_move(rng) if is_random else None
            if move is None:
                side = self.quick.side()
                if side not in ("black", "white"):
                    return None
                move = (side, self.quick.ask(f"genmove {side}"))
            moves.append(move)
        return moves if len(self.quick.ask("gogui-rules_legal_moves").split()) > 2 else None

    def worth(self, moves, side, move):
        """What a move is worth for the side that makes it."""
        self.referee.set_up([*moves, (side, move)])
        mover = self.referee.side()
        if mover not in ("black", "white"):
            winner, _, discs = self.referee.ask("final_score").partition("+")
            return (1 if winner.lower() == side[0] else -1) * float(discs or 0)
        # a bound where the search has ended just after it had found a better move
        score = float(self.referee.ask("outflank-hint").split()[1].strip("<>="))
        return score if mover == side else -score

    def run(self, seed):
        """How much more the first one's move is worth, and whether it is another one; `None` where there is nothing to choose."""
        moves = self.position(random.Random(seed))
        if moves is None:
            return None
        chosen = []
        for player in self.players:
            player.set_up(moves)
            side = player.side()
            chosen.append(player.ask(f"reg_genmove {side}"))
        if chosen[0] == chosen[1]:
            return 0.0, False
        first, second = (self.worth(moves, side, move) for move in chosen)
        return first - second, True


def work(options, seeds):
    trial = Trial(options)
    return [result for seed in seeds if (result := trial.run(seed)) is not None]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--rules", default="othello")
    parser.add_argument("--positions", type=int, default=2000)
    parser.add_argument("--nodes", type=int, default=5000, help="of a choice")
    parser.add_argument("--referee", type=int, default=100_000, help="nodes of a move's worth")
    parser.add_argument("--program", default="target/release/outflank", help="the referee")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    seeds = [options.seed << 32 | i for i in range(options.positions)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        parts = pool.map(lambda job: work(options, seeds[job :: options.jobs]), range(options.jobs))
        results = [result for part in parts for result in part]
    count, other = len(results), sum(is_other for _, is_other in results)
    mean = sum(value for value, _ in results) / count
    error = math.sqrt(sum((value - mean) ** 2 for value, _ in results) / count / count)
    print(f"{options.rules}: {count} positions, {other} other moves; the first one's are worth {mean:+.3f} +- {error:.3f} discs more a move")


if __name__ == "__main__":
    main()
