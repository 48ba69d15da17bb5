"""What the tests share."""

import pytest

import outflank

# four empties to twelve: problems of tests/data/endgames.obf with their scores
PROBLEM = "--XXXXX---XOOX-OOOOOXOXO-OOXOOOOOOOOOOOOXXOOOOOO--XOOO----OXO--- X"


@pytest.fixture
def engine():
    return outflank.Engine(hash=8)


def minimax(position):
    """Plain minimax for the side to move."""
    if position.is_over:
        return position.score if position.side_to_move == "black" else -position.score
    return max(-minimax(position.play(move)) for move in position.moves())
