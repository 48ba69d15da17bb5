//! A game as it is recorded.

use crate::board::{Board, Square};
use crate::checksum::crc32;
use crate::eval::UNITS_PER_DISC;

/// Bytes of a record besides its plies: before and after them.
const HEAD: usize = 8;
const CRC: usize = 4;
/// Bytes of a ply.
const PLY: usize = 4;
/// No record is longer.
pub(super) const MAX_BYTES: usize = HEAD + 60 * PLY + CRC;

/// Bit of a kind that says the search was selective.
const SELECTIVE: u8 = 64;
/// The kind of exact scores.
const EXACT: u8 = 128;

/// Where the label of a position comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// There is none: the move belongs to the opening.
    Opening,
    /// From a search.
    Search {
        /// Plies, 1 to 60.
        depth: u8,
        /// With selective cut-offs.
        selective: bool,
    },
    /// The exact score.
    Exact,
}

impl Kind {
    fn to_byte(self) -> u8 {
        match self {
            Kind::Opening => 0,
            Kind::Search { depth, selective } => depth | if selective { SELECTIVE } else { 0 },
            Kind::Exact => EXACT,
        }
    }

    fn from_byte(byte: u8) -> Option<Kind> {
        match byte {
            0 => Some(Kind::Opening),
            EXACT => Some(Kind::Exact),
            _ => {
                let depth = byte & !SELECTIVE;
                (1..=60).contains(&depth).then_some(Kind::Search { depth, selective: byte & SELECTIVE != 0 })
            }
        }
    }
}

/// A move and the label of the position it was played in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// Where the disc was placed.
    pub square: Square,
    /// What the label is worth.
    pub kind: Kind,
    /// Value of the position before the move for the side that moves, in 1/128 disc; 0 for opening moves.
    pub value: i16,
}

/// A recorded game: legal moves from the start of Othello to the end of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// With the seed of the file, which game it is.
    pub index: u32,
    /// Plies of the opening.
    pub opening_plies: u8,
    /// Final score for black in discs, empty squares counted for the winner.
    pub result: i8,
    /// The moves; passes are left out.
    pub plies: Vec<Ply>,
}

/// A position of a game and what is known about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labelled {
    /// The position; its player moves and can.
    pub board: Board,
    /// The player is black.
    pub black: bool,
    /// Plies played before.
    pub ply: u8,
    /// The move that was played.
    pub square: Square,
    /// What the value is worth.
    pub kind: Kind,
    /// Value for the side to move in 1/128 disc.
    pub value: i16,
    /// Final score of the game for the side to move, in discs.
    pub result: i8,
}

impl Labelled {
    /// The value in discs.
    pub fn discs(&self) -> f32 {
        self.value as f32 / UNITS_PER_DISC as f32
    }
}

impl GameRecord {
    /// Every position in which a move was played, opening included, in order.
    pub fn all_positions(&self) -> impl Iterator<Item = Labelled> + '_ {
        let (mut board, mut black) = (Board::START, true);
        self.plies.iter().enumerate().map_while(move |(ply, &Ply { square, kind, value })| {
            if board.legal_moves() == 0 {
                (board, black) = (board.pass(), !black);
            }
            let result = if black { self.result } else { -self.result };
            let labelled = Labelled { board, black, ply: ply as u8, square, kind, value, result };
            (board, black) = (board.play(square)?, !black);
            Some(labelled)
        })
    }

    /// The positions that have a label: those after the opening.
    pub fn positions(&self) -> impl Iterator<Item = Labelled> + '_ {
        self.all_positions().skip(self.opening_plies as usize)
    }

    /// The position after the opening: games with the same one should be on the same side of a split.
    pub fn start(&self) -> Board {
        self.positions().next().map_or(Board::START, |labelled| labelled.board)
    }

    /// The moves are legal and lead to the end of the game, whose score is the result.
    pub(super) fn is_sound(&self) -> bool {
        let (mut board, mut black) = (Board::START, true);
        for ply in &self.plies {
            if board.legal_moves() == 0 {
                (board, black) = (board.pass(), !black);
            }
            let Some(next) = board.play(ply.square) else { return false };
            (board, black) = (next, !black);
        }
        let score = if black { board.final_score() } else { -board.final_score() };
        board.is_game_over() && score == self.result as i32
    }

    /// The bytes of the record.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(MAX_BYTES);
        bytes.extend_from_slice(&self.index.to_le_bytes());
        bytes.extend_from_slice(&[self.plies.len() as u8, self.opening_plies, self.result as u8, 0]);
        for ply in &self.plies {
            bytes.extend_from_slice(&[ply.square.index() as u8, ply.kind.to_byte()]);
            bytes.extend_from_slice(&ply.value.to_le_bytes());
        }
        let crc = crc32(&bytes);
        bytes.extend_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads records that stand one behind the other, as [`GameRecord::to_bytes`] makes them, and checks that their games can be
    /// played.
    ///
    /// # Errors
    /// What is wrong with the first bad one.
    pub fn all_from_bytes(mut bytes: &[u8]) -> Result<Vec<GameRecord>, &'static str> {
        let mut games = Vec::new();
        while !bytes.is_empty() {
            let (game, length) = GameRecord::from_bytes(bytes).map_err(|bad| match bad {
                BadRecord::Incomplete => "the last game is incomplete",
                BadRecord::Damaged(what) => what,
            })?;
            if !game.is_sound() {
                return Err("a game with an illegal move or a wrong result");
            }
            games.push(game);
            bytes = &bytes[length..];
        }
        Ok(games)
    }

    /// Reads the record at the front of `bytes`; also says how long it is. The moves are not looked at.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<(GameRecord, usize), BadRecord> {
        let head = bytes.first_chunk::<HEAD>().ok_or(BadRecord::Incomplete)?;
        let plies = head[4] as usize;
        if !(1..=60).contains(&plies) {
            return Err(BadRecord::Damaged("a game of this number of plies does not exist"));
        }
        let end = HEAD + plies * PLY;
        let (content, rest) = bytes.split_at_checked(end).ok_or(BadRecord::Incomplete)?;
        let crc = rest.first_chunk::<CRC>().ok_or(BadRecord::Incomplete)?;
        if u32::from_le_bytes(*crc) != crc32(content) {
            return Err(BadRecord::Damaged("the checksum of the game does not match"));
        }
        let plies = content[HEAD..].chunks_exact(PLY).map(|ply| {
            let square = Square::new(ply[0])?;
            Some(Ply { square, kind: Kind::from_byte(ply[1])?, value: i16::from_le_bytes([ply[2], ply[3]]) })
        });
        let record = GameRecord {
            index: u32::from_le_bytes([head[0], head[1], head[2], head[3]]),
            opening_plies: head[5],
            result: head[6] as i8,
            plies: plies.collect::<Option<_>>().ok_or(BadRecord::Damaged("a ply of the game makes no sense"))?,
        };
        let opening = record.plies.iter().take_while(|ply| ply.kind == Kind::Opening).count();
        if opening != record.opening_plies as usize {
            return Err(BadRecord::Damaged("the game has another opening than it says"));
        }
        Ok((record, end + CRC))
    }
}

/// Why bytes are no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadRecord {
    /// They end too early.
    Incomplete,
    /// They are something else.
    Damaged(&'static str),
}

#[cfg(test)]
pub(super) mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::board::Squares;

    /// A game of random moves with arbitrary labels after the opening.
    pub fn random_game(index: u32) -> GameRecord {
        let mut rng = StdRng::seed_from_u64(index as u64);
        let (mut board, mut black, mut plies) = (Board::START, true, Vec::new());
        let opening_plies = rng.random_range(0..30);
        while !board.is_game_over() {
            if board.legal_moves() == 0 {
                (board, black) = (board.pass(), !black);
            }
            let moves = board.legal_moves();
            let square = Squares(moves).nth(rng.random_range(0..moves.count_ones()) as usize).unwrap();
            let kind = match plies.len() {
                ply if ply < opening_plies => Kind::Opening,
                46.. => Kind::Exact,
                ply => Kind::Search { depth: 1 + ply as u8 % 60, selective: ply % 2 == 0 },
            };
            let value = if kind == Kind::Opening { 0 } else { rng.random_range(-8000..8000) };
            plies.push(Ply { square, kind, value });
            (board, black) = (board.play(square).unwrap(), !black);
        }
        let result = (if black { board.final_score() } else { -board.final_score() }) as i8;
        GameRecord { index, opening_plies: opening_plies as u8, result, plies }
    }

    #[test]
    fn bytes_round_trip() {
        for index in 0..200 {
            let game = random_game(index);
            assert!(game.is_sound());
            let bytes = game.to_bytes();
            assert!(bytes.len() <= MAX_BYTES);
            let tail = [&bytes[..], &[7; 3]].concat();
            assert_eq!(GameRecord::from_bytes(&tail), Ok((game, bytes.len())));
            for length in 0..bytes.len() {
                assert_eq!(GameRecord::from_bytes(&bytes[..length]), Err(BadRecord::Incomplete));
            }
        }
    }

    #[test]
    fn several_records_are_read() {
        let games: Vec<GameRecord> = (0..5).map(random_game).collect();
        let bytes: Vec<u8> = games.iter().flat_map(GameRecord::to_bytes).collect();
        assert_eq!(GameRecord::all_from_bytes(&bytes), Ok(games));
        assert_eq!(GameRecord::all_from_bytes(&bytes[..bytes.len() - 1]), Err("the last game is incomplete"));
        assert_eq!(GameRecord::all_from_bytes(&[]), Ok(Vec::new()));
    }

    #[test]
    fn no_flipped_bit_goes_unnoticed() {
        let good = random_game(3).to_bytes();
        for bit in 0..8 * good.len() {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(GameRecord::from_bytes(&bytes).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn unsound_games_are_told_apart() {
        let game = random_game(5);
        let mut other = game.clone();
        other.result += 2;
        assert!(!other.is_sound());
        let mut other = game.clone();
        other.plies.pop();
        assert!(!other.is_sound());
        let mut other = game.clone();
        other.plies.swap(0, 1);
        assert!(!other.is_sound());
    }

    #[test]
    fn positions_are_labelled_for_the_side_to_move() {
        let mut passes = 0;
        for index in 0..50 {
            let game = random_game(index);
            let all: Vec<Labelled> = game.all_positions().collect();
            assert_eq!(all.len(), game.plies.len());
            let mut black = true;
            for (labelled, ply) in all.iter().zip(&game.plies) {
                assert!(labelled.board.play(ply.square).is_some());
                assert_eq!(labelled.result, if labelled.black { game.result } else { -game.result });
                assert_eq!((labelled.square, labelled.kind, labelled.value), (ply.square, ply.kind, ply.value));
                assert_eq!(labelled.board.empty_count() + labelled.ply as u32, 60);
                passes += (labelled.black != black) as usize;
                black = !labelled.black;
            }
            let labelled: Vec<Labelled> = game.positions().collect();
            assert_eq!(labelled, all[game.opening_plies as usize..]);
            assert!(labelled.iter().all(|l| l.kind != Kind::Opening));
            assert_eq!(game.start(), labelled[0].board);
        }
        assert!(passes > 10);
    }
}
