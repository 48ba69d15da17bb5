"""Rule sets, positions, boards and games."""

import copy
import pickle
import unittest.mock
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
import pytest

import outflank
from conftest import PROBLEM
from outflank import Board, Game, IllegalMoveError, OutflankError, ParseError, Position, RuleSet

GAME = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8c6c7"


def test_start():
    start = Position()
    assert start.moves() == ["d3", "c4", "f5", "e6"]
    assert (start.empties, start.black, start.white, start.side_to_move) == (60, 2, 2, "black")
    assert start.bits == (0x0000000810000000, 0x0000001008000000)
    assert not start.is_over and start.score is None and start.winner is None
    assert Position(str(start)) == start == eval(repr(start), {"Position": Position})
    assert len({start, Position(), start.play("f5")}) == 2


def test_positions_from_any_text():
    after = Position().play("f5").play("d6")
    assert Position("f5d6") == Position("F5 D6") == after == Position(str(after))
    assert Position("othello 8/8/8/3OX3/3XO3/8/8/8 X") == Position()
    small = Position("othello:6x6,fewest 6/6/2OX2/2XO2/6/6 X")
    assert (small.rules.rows, small.to_numpy().shape) == (6, (6, 6))
    assert Position(rules="othello:placement").empties == 64
    assert Position.from_bits(*after.bits, side="black") == after
    # lines of OBF, with their scores
    assert Position(f"{after}; C3:+1; % 4@73%") == Position(f"{after};") == Position(f"{after} +2") == after
    assert Position("XOO------------- O; --:-16;", "othello:4x4").must_pass
    # FEN, whose white is the first player; rows of another kind have rules before them
    assert Position("8/8/8/3Pp3/3pP3/8/8/8 w - - 0 1") == Position()
    assert Position("6/6/2Pp2/2pP2/6/6 b", "othello:6x6") == Position(rules="othello:6x6").with_side("white")
    with pytest.raises(ParseError, match="FEN: the side to move is w or b, not 'x'"):
        Position("8/8/8/3Pp3/3pP3/8/8/8 x")
    with pytest.raises(ParseError, match="column 69: 'a1' is not legal"):
        Position(f"{after}; a1:+1;")


def test_errors_say_what_is_wrong_and_where():
    with pytest.raises(ParseError, match=r"line 1, column 37: the board has 36 squares, not 64"):
        Position("-" * 36)
    with pytest.raises(ParseError, match=r"move 3 \(column 5\)"):
        Position("f5d6z9")
    # what stands between moves is no game without moves
    with pytest.raises(ParseError, match="the board has 63 squares, not 64"):
        Position("." * 63)
    for text in ["...", ";", "1."]:
        with pytest.raises(ParseError):
            Position(text)
        with pytest.raises(ParseError, match="is not a move"):
            outflank.Game(text)
    with pytest.raises(IllegalMoveError, match="illegal move a1"):
        Position().play("a1")
    with pytest.raises(ParseError, match="chess"):
        RuleSet("chess")
    with pytest.raises(OutflankError, match="disc of both"):
        Position.from_bits(1, 1)
    for player, opponent, text in [(-1, 1, "player -1: 0 or more"), (1, 2**64, "opponent 18446744073709551616: 0 to")]:
        with pytest.raises(OutflankError, match=text):
            Position.from_bits(player, opponent)
        with pytest.raises(OutflankError, match=text):
            Position((player, opponent))
    placing = Position("d4", "traveller")
    assert placing.with_side("black") == placing
    with pytest.raises(OutflankError, match="white to move, but the discs on the centre"):
        placing.with_side("white")
    with pytest.raises(TypeError):
        outflank.Engine(hash=1).evaluate(3.5)
    assert issubclass(ParseError, OutflankError) and issubclass(OutflankError, ValueError)


def test_arrays_of_a_position():
    position = Position("f5")
    discs = position.to_numpy()
    assert discs.dtype == np.int8 and discs.shape == (8, 8)
    assert ((discs == 1).sum(), (discs == -1).sum()) == (position.black, position.white) == (4, 1)
    assert discs[4, 5] == 1
    mask = position.legal_mask()
    found = [f"{'abcdefgh'[column]}{row + 1}" for row, column in zip(*np.nonzero(mask))]
    assert found == position.moves()


def test_moves_by_square():
    assert Position().play(8 * 4 + 5) == Position().play("f5")
    for wrong in [64, -1, 10**40]:
        with pytest.raises(OutflankError, match="is no square: 0 to 63 are"):
            Position().play(wrong)
        assert not Position().is_legal(wrong)
        assert not Position().is_legal("z9")
        with pytest.raises(OutflankError, match="is no square"):
            Board().play(wrong)
    # what `solve_many` says of a side that must pass
    for stuck, number in [(Position("XO" + "-" * 62 + " O"), 64), (Position("othello:6x6 XO4/6/6/6/6/6 O"), 36)]:
        assert stuck.must_pass and stuck.is_legal(number) and stuck.play(number) == stuck.play("pass")
        board = Board(stuck)
        board.play(number)
        assert board.history == ["pass"]
    for wrong in [None, 3.5]:
        for call in [Position().is_legal, Position().play]:
            with pytest.raises(TypeError):
                call(wrong)
    small = Position(rules="othello:6x6")
    assert small.play(6 * 1 + 2) == small.play("c2") and small.is_legal(8)


def test_a_board_that_plays_is_busy(engine):
    class Square:
        def __index__(self):
            return [position for position in Position().moves() if engine.choose(board, 1)].index("d3")

    board = Board()
    with pytest.raises(RuntimeError, match="borrowed"):
        board.play(Square())
    assert board.history == [] and board.play("f5")


def test_pickles_and_copies():
    for rules in ["othello", "othello:6x6,own", "hungarian"]:
        position = Position(rules=rules)
        position = position.play(position.moves()[0])
        assert pickle.loads(pickle.dumps(position)) == position == copy.deepcopy(position)


def test_games_are_pickled_and_copied_whole():
    folder = Path(__file__).parents[2] / "tests" / "data"
    games = [Game(), Game("f5d6"), Game(GAME, black="A", white="B", event="World final", date="once")]
    games += [Game(GAME, start="f5d6c3") for GAME in ["d3", ""]]
    games += [Board(PROBLEM).game(), Game(start=Position(rules="hungarian"))]
    # with results, notes, clocks, ratings, comments and tags; one is decided by time
    games += Game.parse_all(
        "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[Saio1200]PW[Saio3000]RB[2197.01]RW[2199.72]TI[05:00//02:00]TY[8]"
        "RE[+0.000:t]KO[none]C[a comment]BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
        "B[F5//0.01]W[D6/-1.50/3.2]B[C3];)"
    )
    games += Game.parse_all("(;GM[2]FF[4]EV[Cup]PC[Rome]PB[Ann]PW[Bob]RE[B+Resign]GC[short];B[f5]C[begins];W[d6])")
    for kind in ["wthor/SAMPLE_2026.wtb"]:
        games += outflank.read_games(folder / kind)
    for rules in RuleSet.presets():
        board = Board(rules=rules)
        for _ in range(12):
            board.play(board.moves()[-1])
        games.append(board.game())
    assert len(games) > 20
    for game in games:
        for again in [pickle.loads(pickle.dumps(game)), copy.copy(game), copy.deepcopy(game)]:
            assert again == game
            assert (again.event, again.date, again.score) == (game.event, game.date, game.score)
            assert again.to_ggf() == game.to_ggf() and again.positions == game.positions


def test_boards_are_pickled_and_copied():
    # with a pass in it, and a start that is not the rules'
    passing = Board("f5f6e6f4g6")
    for move in ["g5", "g4", "h5"]:
        passing.play(move) if passing.position.is_legal(move) else None
    stuck = Board("-XO" + "-" * 40 + "XO-" + "-" * 18 + " X")
    stuck.play(stuck.moves()[0])
    for board in [Board(), Board(rules="othello:6x6"), passing, stuck]:
        for again in [pickle.loads(pickle.dumps(board)), copy.copy(board), copy.deepcopy(board)]:
            assert (again.history, again.position, again.game()) == (board.history, board.position, board.game())
            # it is another board
            before = board.position
            while again.undo():
                pass
            assert board.position == before


def test_positions_of_everything():
    position = Position("f5d6c3")
    for one in [position, Board(position), Game("f5d6c3"), "f5d6c3"]:
        assert Position(one) == Board(one).position == position
        assert Position(one, rules="othello") == Board(one, rules="othello").position == position
    assert Position((1, 2)) == Position.from_bits(1, 2)
    for make in [Position, Board]:
        with pytest.raises(OutflankError, match="rules of its own: othello"):
            make(position, rules="othello:6x6")
        for wrong in [3.5, 5, [1, 2], (1,), (1, 2, 3)]:
            with pytest.raises(TypeError, match="a position is a Position"):
                make(wrong)


def test_first_moves_that_cannot_be_played():
    for text, rules, message in [
        ("a1", None, r"^move 1 \(column 1\): black cannot play 'a1'"),
        ("A1 d6", None, "black cannot play 'A1'"),
        ("i9", None, "'i9' is not on the board"),
        ("f5", "traveller", r"^move 1 \(column 1\): .*'f5'"),
        ("g7", "othello:6x6", "'g7' is not on the board"),
    ]:
        with pytest.raises(ParseError, match=message):
            Position(text, rules=rules)
    # boards that are none are still that
    for text, message in [
        ("-" * 36, "has 36 squares"),
        ("chess", "chess"),
        ("o7/8/8/8/8/8/8", "o7"),
        ("othello:3x3", "3"),
    ]:
        with pytest.raises(ParseError, match=message) as caught:
            Position(text)
        assert "move 1" not in str(caught.value)


def test_board_plays_and_undoes():
    for rules in ["othello", "traveller", "othello:6x6"]:
        begun = Board(rules=rules)
        assert eval(repr(begun), {"Board": Board}).position == begun.position == Position(str(begun))
    board = Board()
    for move in ["f5", "d6", "c3"]:
        board.play(move)
    assert (board.history, board.position) == (["f5", "d6", "c3"], Position("f5d6c3"))
    assert board.undo() == "c3" and board.position == Position("f5d6")
    with pytest.raises(IllegalMoveError):
        board.play("a1")
    assert board.history == ["f5", "d6"]
    assert board.undo() and board.undo() and board.undo() is None
    assert board.game().transcript == ""


def test_pictures_are_pictures():
    for thing in [Position(), Board("f5d6"), Game(GAME), Position(rules="othello:10x10")]:
        picture = xml.fromstring(thing._repr_svg_())
        circles = [e for e in picture.iter() if e.tag.endswith("circle")]
        assert len(circles) >= 8, "four discs and four moves"


def test_games_in_words():
    assert repr(Game("f5")) == "<Game 1 move>"
    assert repr(Game("f5d6", black="Ann")) == "<Game Ann - ?, 2 moves>"
    assert repr(Game("f5d6", black="Ann", white="Bob")) == "<Game Ann - Bob, 2 moves>"


def test_games_round_trip(tmp_path):
    games = [Game(GAME, black="Ann", white="Bob"), Game("f5f6e6f4")]
    assert len(games[0]) == len(games[0].moves) == len(games[0].positions) - 1
    for kind in ["ggf", "sgf", "pgn", "txt"]:
        path = tmp_path / f"games.{kind}"
        outflank.write_games(path, games)
        read = list(outflank.read_games(path))
        assert [game.transcript for game in read] == [game.transcript for game in games], kind
        if kind != "txt":
            assert (read[0].black, read[0].white) == ("Ann", "Bob")
    assert Game.parse(games[0].to_ggf()).moves == games[0].moves
    assert Game.parse(games[0].to_sgf()).moves == games[0].moves
    with pytest.raises(OutflankError, match="games.wtb: games are written as") as caught:
        outflank.write_games(tmp_path / "games.wtb", games)
    assert not isinstance(caught.value, ParseError)
    for begin, what in [(b"OUTFBOOK", "a book of Outflank"), (b"OUTFPLAY", "a file of self-play games")]:
        kept = tmp_path / "kept.ggf"
        kept.write_bytes(begin + b" and what it has")
        with pytest.raises(OutflankError, match=what):
            outflank.write_games(kept, games)
        assert kept.read_bytes().startswith(begin)


def test_pages_of_tags_are_read(tmp_path):
    page = '[Black "Ann"]\n[White "Bob"]\n\n1. f5 d6 2. c3 *\n'
    for name in ["page.pgn", "page"]:
        (tmp_path / name).write_text(page)
        (game,) = outflank.read_games(tmp_path / name)
        assert (game.black, game.white, game.transcript) == ("Ann", "Bob", "f5d6c3"), name
    assert Game.parse(page).transcript == "f5d6c3"
    (tmp_path / "none").mkdir()
    with pytest.raises(OSError, match="no files of games"):
        outflank.read_games(tmp_path / "none")


def test_reading_goes_on_behind_a_bad_game(tmp_path):
    path = tmp_path / "games.txt"
    path.write_text("f5d6\nf5f5\nf5f6\n")
    games, errors = [], []
    reader = outflank.read_games(path)
    while True:
        try:
            games.append(next(reader))
        except StopIteration:
            break
        except ParseError as error:
            errors.append(str(error))
    assert [game.transcript for game in games] == ["f5d6", "f5f6"]
    assert len(errors) == 1 and "line 2" in errors[0]
    with pytest.raises(FileNotFoundError):
        outflank.read_games(tmp_path / "none.txt")


def test_wthor_files():
    folder = Path(__file__).parents[2] / "tests" / "data" / "wthor"
    games = list(outflank.read_games(folder / "SAMPLE_2026.wtb"))
    assert games and all(game.score is not None and len(game) > 10 for game in games)
    assert [game.moves for game in outflank.read_games(folder)] == [game.moves for game in games]


def test_perft():
    middle = Position("f5d6")
    assert outflank.perft(middle, 9) == sum(outflank.perft(middle.play(move), 8) for move in middle.moves())
    # in parts, as long counts are, and at once
    assert outflank.perft(Position(), 9) == 3_005_288
    # other boards, and games that end before the depth
    assert [outflank.perft(Position(rules="othello:4x4"), depth) for depth in [4, 8, 12, 20]] == [128, 9116, 57436, 60060]
    assert [outflank.perft(Position(), depth) for depth in range(7)] == [1, 4, 12, 56, 244, 1396, 8200]


def test_others_may_know_how_to_compare_themselves():
    for one in [Position(), Game("f5"), outflank.RuleSet()]:
        assert one == unittest.mock.ANY and not one != unittest.mock.ANY
        assert one != "f5" and not one == None and one in [None, one]  # noqa: E711
        with pytest.raises(TypeError):
            one < one
