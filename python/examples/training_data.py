"""Training data as arrays that PyTorch takes: `python training_data.py [GAMES [OUT.npz]]`.

`torch.from_numpy(planes)` and `torch.from_numpy(values)` share the memory of the arrays; nothing here needs PyTorch.
"""

import sys

import numpy as np

import outflank


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    columns = outflank.selfplay(games, seed=1, depth=4, selectivity=73, exact=10)
    boards = np.stack([columns["player"], columns["opponent"]], axis=1)
    # inputs of shape (n, 2, 8, 8), targets in (-1, 1)
    planes = outflank.planes(boards)
    values = (columns["value"] / 64).astype(np.float32)
    squares = columns["square"].astype(np.int64)
    print(f"{len(planes)} positions of {games} games: planes {planes.shape}, values {values.shape}, moves {squares.shape}")
    static = outflank.evaluate_many(boards)
    print(f"the static evaluation is {np.abs(static - columns['value']).mean():.2f} discs away from the labels")
    if len(sys.argv) > 2:
        np.savez_compressed(sys.argv[2], planes=planes.astype(np.uint8), values=values, squares=squares)


if __name__ == "__main__":
    main()
