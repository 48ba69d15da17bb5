"""The course of a game as a picture: `python plot_game.py [FILE [OUT.png]]` (needs matplotlib)."""

import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

import outflank

GAME = "d3e3f4c3f5e6f3c4e2g6c5c6d2c2b3d1e1f1b4b5f2g1c1b1a6g5g4h3h4h5f6f7g3a5a4a3a2g2d6d7b6a7a8b2a1h1h2b7c7c8b8d8e8e7f8h7g7g8h6"


def main() -> None:
    game = next(outflank.read_games(sys.argv[1])) if len(sys.argv) > 1 else outflank.Game(GAME)
    judged = outflank.Engine(hash=64).analyze_game(game, level=6)["judged"]
    # scores are for the side that moved: the picture is black's
    plies = [move["ply"] for move in judged]
    scores = [move["score"] if move["side"] == "black" else -move["score"] for move in judged]
    errors = [(move["ply"], score) for move, score in zip(judged, scores) if move["loss"] >= 2]
    plt.figure(figsize=(9, 4))
    plt.axhline(0, color="gray", linewidth=0.8)
    plt.step(plies, scores, where="mid")
    plt.plot(*zip(*errors), "ro", markersize=4) if errors else None
    plt.xlabel("move")
    plt.ylabel("discs for black")
    out = sys.argv[2] if len(sys.argv) > 2 else "game.png"
    plt.savefig(out, dpi=120)
    print(f"{out}: {len(judged)} moves, {len(errors)} that lose two discs or more")


if __name__ == "__main__":
    main()
