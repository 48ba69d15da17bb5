//! One game of a WTHOR file.

use std::sync::Arc;

use super::{GAME_HEAD_BYTES, Header};
use crate::board::{Board, Square};
use crate::game::Game;
use crate::rules::{Color, Move, Point, Position, RuleSet};

/// A game as a view into its file.
///
/// The record: tournament, black player, white player (u16 each); black's final discs, empties counted for the
/// winner; black's theoretical discs; then the moves, one byte each: row * 10 + column, both from 1, and 0 after
/// the last one. Passes are not stored.
#[derive(Clone, Copy, Debug)]
pub struct WthorGame<'a> {
    header: &'a Header,
    record: &'a [u8],
}

/// Why a stored game cannot be replayed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("move {number}: {kind}")]
pub struct ReplayError {
    /// Number of the stored move, from 1.
    pub number: usize,
    /// What is wrong with it.
    pub kind: ReplayErrorKind,
}

/// What is wrong with a stored move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayErrorKind {
    /// The byte codes no square of the board.
    #[error("code {0} is not a square")]
    NotASquare(u8),
    /// The rules forbid it.
    #[error("{0} is not legal")]
    Illegal(Point),
    /// A move after the end mark.
    #[error("code {0} after the end of the game")]
    AfterEnd(u8),
    /// A 10x10 game has no 8x8 board: use [`WthorGame::to_game`].
    #[error("the game is not on an 8x8 board")]
    NotEightByEight,
}

/// A position of a replayed game and the move played in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The position; its `player` is the side that plays `square`, passes already made.
    pub board: Board,
    /// The side that plays.
    pub side: Color,
    /// The move.
    pub square: Square,
}

/// The end of a replayed game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The last position; its `player` is `side`.
    pub board: Board,
    /// The side to move.
    pub side: Color,
}

impl Replayed {
    /// The game was played to its end.
    pub fn is_complete(&self) -> bool {
        self.board.is_game_over()
    }

    /// Black's discs as WTHOR counts them: empty squares belong to the winner, 32 when equal.
    pub fn black_discs(&self) -> u8 {
        let score = match self.side {
            Color::Black => self.board.final_score(),
            Color::White => self.board.pass().final_score(),
        };
        (32 + score / 2) as u8
    }
}

impl<'a> WthorGame<'a> {
    pub(super) fn new(header: &'a Header, record: &'a [u8]) -> WthorGame<'a> {
        WthorGame { header, record }
    }

    fn u16_at(&self, offset: usize) -> u16 {
        u16::from_le_bytes([self.record[offset], self.record[offset + 1]])
    }

    /// Index of the tournament in the `.trn` file.
    pub fn tournament(&self) -> u16 {
        self.u16_at(0)
    }

    /// Index of a player in the `.jou` file.
    pub fn player(&self, color: Color) -> u16 {
        self.u16_at(2 + 2 * color.index())
    }

    /// Year in which the game was played.
    pub fn year(&self) -> u16 {
        self.header.year
    }

    /// Black's discs at the end, empty squares counted for the winner: 0 to 64 (100 on 10x10).
    pub fn black_discs(&self) -> u8 {
        self.record[6]
    }

    /// Black's discs with perfect play from the position with [`Header::theoretical_empties`] empties on.
    pub fn theoretical_black_discs(&self) -> u8 {
        self.record[7]
    }

    /// Black's final score in discs: the recorded count as a difference.
    pub fn score(&self) -> i32 {
        2 * self.black_discs() as i32 - self.squares()
    }

    /// Black's theoretical score in discs (see [`WthorGame::theoretical_black_discs`]).
    pub fn theoretical_score(&self) -> i32 {
        2 * self.theoretical_black_discs() as i32 - self.squares()
    }

    fn squares(&self) -> i32 {
        self.header.board_size as i32 * self.header.board_size as i32
    }

    /// The codes of the moves, up to the end mark; passes are not among them.
    pub fn codes(&self) -> &'a [u8] {
        let codes = &self.record[GAME_HEAD_BYTES..];
        let end = codes.iter().position(|&code| code == 0).unwrap_or(codes.len());
        &codes[..end]
    }

    /// Nothing may be stored after the end mark.
    fn check_tail(&self) -> Result<(), ReplayError> {
        let codes = &self.record[GAME_HEAD_BYTES..];
        let end = self.codes().len();
        match codes[end..].iter().position(|&code| code != 0) {
            None => Ok(()),
            Some(i) => Err(ReplayError { number: end + i + 1, kind: ReplayErrorKind::AfterEnd(codes[end + i]) }),
        }
    }

    /// Replays an 8x8 game on bitboards, calling `visit` for each position in which a disc was placed.
    ///
    /// # Errors
    /// [`ReplayError`] for the first move that is not legal; `visit` has been called for those before it.
    pub fn replay(&self, mut visit: impl FnMut(Step)) -> Result<Replayed, ReplayError> {
        if self.header.board_size != 8 {
            return Err(ReplayError { number: 1, kind: ReplayErrorKind::NotEightByEight });
        }
        let mut board = Board::START;
        let mut side = Color::Black;
        for (i, &code) in self.codes().iter().enumerate() {
            let error = |kind| ReplayError { number: i + 1, kind };
            let point = point(code, 8).ok_or(error(ReplayErrorKind::NotASquare(code)))?;
            let illegal = error(ReplayErrorKind::Illegal(point));
            let square = point.square().ok_or(illegal)?;
            if square.bit() & board.empties() == 0 {
                return Err(illegal);
            }
            let mut flips = board.flips(square);
            if flips == 0 {
                // legal only for the other side, after a forced pass
                if board.legal_moves() != 0 {
                    return Err(illegal);
                }
                board = board.pass();
                side = !side;
                flips = board.flips(square);
                if flips == 0 {
                    return Err(illegal);
                }
            }
            visit(Step { board, side, square });
            board = board.after(square, flips);
            side = !side;
        }
        self.check_tail()?;
        Ok(Replayed { board, side })
    }

    /// The game with every position, forced passes included; `rules` are those of
    /// [`WthorFile::rules`](super::WthorFile::rules).
    ///
    /// # Errors
    /// [`ReplayError`] for the first move that is not legal.
    pub fn to_game(&self, rules: &Arc<RuleSet>) -> Result<Game, ReplayError> {
        let mut game = Game::from_position(Position::start(rules.clone()));
        for (i, &code) in self.codes().iter().enumerate() {
            let error = |kind| ReplayError { number: i + 1, kind };
            let at = point(code, self.header.board_size).ok_or(error(ReplayErrorKind::NotASquare(code)))?;
            let mv = Move::Place { at, direction: None };
            game.play_passing(mv).map_err(|_| error(ReplayErrorKind::Illegal(at)))?;
        }
        self.check_tail()?;
        Ok(game)
    }
}

/// The square of a code: row * 10 + column from 1, where on 10x10 column 10 carries into the row.
fn point(code: u8, size: u8) -> Option<Point> {
    let code = code.checked_sub(11)?;
    let (row, column) = (code / 10, code % 10);
    (row < size && column < size).then_some(Point { row, column })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::wthor::{WthorFile, tests::header};

    /// A file with one game of these codes.
    fn file(size: u8, codes: &[u8]) -> WthorFile {
        let mut bytes = header(1, 0, size);
        bytes.extend([1, 0, 0x5A, 1, 0x4B, 3, 34, 41]);
        bytes.extend(codes);
        bytes.resize(16 + 8 + size as usize * size as usize - 4, 0);
        WthorFile::from_bytes(bytes).unwrap()
    }

    #[test]
    fn fields_and_replay() {
        let file = file(8, &[56, 64, 33]);
        let game = file.game(0).unwrap();
        assert_eq!((game.tournament(), game.player(Color::Black), game.player(Color::White)), (1, 346, 843));
        assert_eq!((game.black_discs(), game.theoretical_black_discs(), game.year()), (34, 41, 1977));
        assert_eq!((game.score(), game.theoretical_score()), (4, 18));
        let mut squares = Vec::new();
        let end = game.replay(|step| squares.push((step.side, step.square.to_string()))).unwrap();
        let expected = [(Color::Black, "f5"), (Color::White, "d6"), (Color::Black, "c3")];
        assert_eq!(squares, expected.map(|(color, square)| (color, square.to_string())));
        assert!(!end.is_complete());
        let full = game.to_game(&Arc::new(file.rules())).unwrap();
        assert_eq!(full.position().fast_board().unwrap().0, end.board);
        assert_eq!(full.position().side_to_move(), end.side);
    }

    #[test]
    fn codes_of_the_corners() {
        let names = |size, codes: &[u8]| -> Vec<String> {
            codes.iter().map(|&code| point(code, size).map_or("-".to_string(), |point| point.to_string())).collect()
        };
        assert_eq!(names(8, &[11, 18, 81, 88, 56]), ["a1", "h1", "a8", "h8", "f5"]);
        assert_eq!(names(8, &[0, 10, 19, 20, 91, 255]), ["-"; 6]);
        assert_eq!(names(10, &[11, 20, 101, 110, 111]), ["a1", "j1", "a10", "j10", "-"]);
    }

    #[test]
    fn bad_moves_are_named() {
        let error = |codes: &[u8]| {
            let file = file(8, codes);
            let game = file.game(0).unwrap();
            let error = game.replay(|_| ()).unwrap_err();
            assert_eq!(game.to_game(&Arc::new(file.rules())).unwrap_err(), error);
            error.to_string()
        };
        assert_eq!(error(&[56, 64, 56]), "move 3: f5 is not legal");
        assert_eq!(error(&[56, 11]), "move 2: a1 is not legal");
        assert_eq!(error(&[56, 99]), "move 2: code 99 is not a square");
        assert_eq!(error(&[56, 0, 0, 64]), "move 4: code 64 after the end of the game");
    }

    #[test]
    fn ten_by_ten() {
        // g6 for black: the four centre discs are on e5, f5, e6, f6
        let file = file(10, &[67]);
        let game = file.game(0).unwrap();
        assert_eq!(game.to_game(&Arc::new(file.rules())).unwrap().moves()[0].to_string(), "g6");
        assert_eq!(game.replay(|_| ()).unwrap_err().kind, ReplayErrorKind::NotEightByEight);
        assert_eq!(game.score(), 68 - 100);
    }
}
