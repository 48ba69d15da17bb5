"""A few lines of minimax against the engine: `python minimax.py [DEPTH [LEVEL]]`."""

import sys

from outflank import Board, Engine, Position

# what squares are worth to a beginner, by row and column
WEIGHTS = [[100, -20, 10, 5], [-20, -50, -2, -2], [10, -2, 1, 1], [5, -2, 1, 1]]


def value(position: Position) -> int:
    """Squares held, for the side to move."""
    discs = position.to_numpy()
    total = sum(
        int(discs[row, column]) * WEIGHTS[min(row, 7 - row)][min(column, 7 - column)]
        for row in range(8)
        for column in range(8)
    )
    return total if position.side_to_move == "black" else -total


def minimax(position: Position, depth: int, alpha: int, beta: int) -> int:
    """Alpha-beta to a depth."""
    if (score := position.score) is not None:
        return 1000 * (score if position.side_to_move == "black" else -score)
    if depth <= 0:
        return value(position)
    for move in position.moves():
        alpha = max(alpha, -minimax(position.play(move), depth - 1, -beta, -alpha))
        if alpha >= beta:
            break
    return alpha


def main() -> None:
    depth = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    level = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    engine, board = Engine(hash=16), Board()
    while not board.is_over:
        position = board.position
        if position.must_pass:
            move = "pass"
        elif position.side_to_move == "black":
            move = max(position.moves(), key=lambda move: -minimax(position.play(move), depth - 1, -(10**6), 10**6))
        else:
            move = engine.search(position, level=level).pv[0]
        board.play(move)
    print(board.game().transcript)
    print(f"minimax {board.position.black}, engine at level {level} {board.position.white}")


if __name__ == "__main__":
    main()
