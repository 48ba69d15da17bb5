//! Move lists: `f5d6c3d3c4...`.
//!
//! Reading is tolerant: any case; moves glued together or apart; blanks, commas, semicolons, dots and single
//! hyphens between them; move numbers (`1. f5 d6 2. c3`, `1 f5 2 d6`); passes in every spelling of
//! [`notation::is_pass`](super::notation::is_pass), or left out where they are forced. Boards of any size and
//! one-direction moves (`f5:NEd6:S`) work too. Writing is lower-case, glued, without the passes a reader will
//! insert again.

use crate::game::Game;
use crate::rules::{Move, Position};

use super::notation::{Dialect, MoveError, scan};
use super::play::{PlayError, play_scanned};
use super::quote;

/// Where and why a move list cannot be read or played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("move {ply} (column {column}): {kind}")]
pub struct TranscriptError {
    /// Number of the bad move in the game, from 1, passes counted.
    pub ply: usize,
    /// The character where it begins, from 1.
    pub column: usize,
    /// The text of the move.
    pub token: String,
    /// What is wrong with it.
    pub kind: TranscriptErrorKind,
}

/// What is wrong with a move of a list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptErrorKind {
    /// It is no move, or cannot be played.
    #[error(transparent)]
    Play(#[from] PlayError),
    /// A number that is not the next move's.
    #[error("{} is not the number of the next move", quote(.0))]
    Number(String),
}

/// Reads a game from a start position and its moves.
///
/// # Errors
/// [`TranscriptError`] for the first move that cannot be read or played.
///
/// ```
/// use outflank::{formats::transcript, rules::Position};
/// let game = transcript::parse(&Position::default(), "F5 d6 C3").unwrap();
/// assert_eq!(transcript::write(&game), "f5d6c3");
/// ```
pub fn parse(start: &Position, text: &str) -> Result<Game, TranscriptError> {
    let mut game = Game::from_position(start.clone());
    play(&mut game, text)?;
    Ok(game)
}

/// Reads a game as [`parse`] does, from a text that is not only numbers and what stands between moves: a row of dots is no game
/// without moves. (A text of blanks is one.)
///
/// # Errors
/// As [`parse`]; of a text without a move all of it is none.
pub fn parse_some(start: &Position, text: &str) -> Result<Game, TranscriptError> {
    let game = parse(start, text)?;
    let token = text.trim();
    if token.is_empty() || !is_void(token) {
        return Ok(game);
    }
    let before = text.len() - text.trim_start().len();
    let kind = PlayError::from(MoveError::NotAMove(token.to_string())).into();
    Err(TranscriptError { ply: 1, column: text[..before].chars().count() + 1, token: token.to_string(), kind })
}

/// Numbers and what stands between moves, and nothing else.
fn is_void(mut text: &str) -> bool {
    loop {
        let length = separators(text).max(number(text));
        if length == 0 {
            return text.is_empty();
        }
        text = &text[length..];
    }
}

/// Plays the moves of a text on a game. Passes at the end of the game are accepted and not recorded.
///
/// # Errors
/// [`TranscriptError`] for the first move that cannot be read or played; the moves before it stay played.
pub fn play(game: &mut Game, text: &str) -> Result<(), TranscriptError> {
    play_in(Dialect::Plain, game, text)
}

/// Plays the moves of a text as [`play`] does, in another dialect.
///
/// # Errors
/// As [`play`].
pub fn play_in(dialect: Dialect, game: &mut Game, text: &str) -> Result<(), TranscriptError> {
    let mut offset = 0;
    let digits = if game.position().rules().rows() > 9 { usize::MAX } else { 1 };
    loop {
        offset += separators(&text[offset..]);
        let rest = &text[offset..];
        if rest.is_empty() {
            return Ok(());
        }
        let number = number(rest);
        let (length, result) = if number > 0 {
            (number, check_number(game, &text[..offset], &rest[..number]))
        } else if let Some((scanned, length)) = scan(rest, digits) {
            (length, play_scanned(dialect, game, scanned, &rest[..length]).map_err(Into::into))
        } else {
            let token = rest.split(|c: char| c.is_whitespace() || c == ',' || c == ';').next().unwrap_or(rest);
            (token.len(), Err(PlayError::from(MoveError::NotAMove(token.to_string())).into()))
        };
        if let Err(kind) = result {
            return Err(TranscriptError {
                ply: game.moves().len() + 1,
                column: text[..offset].chars().count() + 1,
                token: rest[..length].to_string(),
                kind,
            });
        }
        offset += length;
    }
}

/// Bytes of blanks and punctuation between moves at the beginning of a text.
fn separators(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while let Some(c) = text[end..].chars().next() {
        let hyphen = c == '-' && bytes.get(end + 1) != Some(&b'-');
        if !(c.is_whitespace() || matches!(c, ',' | ';' | '.') || hyphen) {
            break;
        }
        end += c.len_utf8();
    }
    end
}

/// Bytes of a move number (`12`, `12.`, `12)`) at the beginning of a text, 0 if there is none.
fn number(text: &str) -> usize {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let closed = digits > 0 && matches!(text.as_bytes().get(digits), Some(b'.' | b')'));
    digits + usize::from(closed)
}

/// The move number that a line begins with, and what stands behind it.
fn line_number(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    let rest = rest.strip_prefix(['.', ')', ' ', '\t'])?;
    (digits > 0).then_some((number, rest.trim_start()))
}

/// The line begins with a move number other than 1: it goes on with the game of the line before it.
pub(super) fn continues(line: &str) -> bool {
    line_number(line).is_some_and(|(number, _)| number != "1")
}

/// What stands behind the number of the first move, where a line begins with that.
pub(super) fn after_first_number(line: &str) -> Option<&str> {
    line_number(line).filter(|(number, _)| *number == "1").map(|(_, rest)| rest)
}

/// A number with a dot is always a move number. A bare one must stand apart and be the number of the next ply
/// or of the next pair of plies, passes counted or not, so that a square that lost its letter is noticed.
fn check_number(game: &Game, before: &str, token: &str) -> Result<(), TranscriptErrorKind> {
    if token.ends_with(['.', ')']) {
        return Ok(());
    }
    let apart = before.chars().next_back().is_none_or(|c| !c.is_ascii_alphanumeric());
    let plies = game.moves().len() + 1;
    let discs = game.moves().iter().filter(|mv| **mv != Move::Pass).count() + 1;
    // a forced pass may not have been inserted yet
    let pending = plies + usize::from(game.position().must_pass());
    let expected = [plies, discs, pending, plies.div_ceil(2), discs.div_ceil(2), pending.div_ceil(2)];
    match token.parse() {
        Ok(number) if apart && expected.contains(&number) => Ok(()),
        _ => Err(TranscriptErrorKind::Number(token.to_string())),
    }
}

/// The moves of a game as a transcript: lower-case squares without blanks. Forced passes are left out, for
/// readers insert them, except one at the very end, which is written `pa`.
pub fn write(game: &Game) -> String {
    let mut text = String::with_capacity(2 * game.moves().len());
    for mv in game.moves().iter().filter(|mv| **mv != Move::Pass) {
        text.push_str(&mv.to_string());
    }
    if game.moves().last() == Some(&Move::Pass) {
        text.push_str("pa");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::board_text;
    use crate::rules::{Flips, RuleSet};

    fn read(text: &str) -> Result<String, String> {
        parse(&Position::default(), text).map(|game| write(&game)).map_err(|error| error.to_string())
    }

    #[test]
    fn spellings() {
        for text in [
            "f5d6c3d3",
            "F5D6C3D3",
            " f5 d6\tc3\r\nd3\n",
            "f5-D6-c3-D3",
            "f5,d6;c3, d3",
            "1. f5 d6 2. c3 d3",
            "1.f5 2.d6 3.c3 4.d3",
            "1 f5 2 d6 3 c3 4 d3",
            "1 f5 d6 2 c3 d3",
            "1) f5 2) d6 3) c3 4) d3",
            "1. f5 1... d6 2. c3 2... d3",
            "f52.d6c3d3",
        ] {
            assert_eq!(read(text).as_deref(), Ok("f5d6c3d3"), "{text}");
        }
        assert_eq!(read("").as_deref(), Ok(""));
    }

    #[test]
    fn errors_name_ply_column_and_token() {
        let error = parse(&Position::default(), "f5 d6 c9 d3").unwrap_err();
        assert_eq!((error.ply, error.column, error.token.as_str()), (3, 7, "c9"));
        assert_eq!(error.to_string(), "move 3 (column 7): 'c9' is not on the board (a1 to h8)");
        for (text, message) in [
            ("f5d6f5", "move 3 (column 5): black cannot play 'f5': a disc of black stands there"),
            ("f5pa", "move 2 (column 3): white cannot pass, it has a legal move"),
            ("f5 ü6 c3", "move 2 (column 4): 'ü6' is not a move (such as f5 or pass)"),
            ("ü", "move 1 (column 1): 'ü' is not a move (such as f5 or pass)"),
            ("f5 6 c3", "move 2 (column 4): '6' is not the number of the next move"),
            ("f5d62c3", "move 3 (column 5): '2' is not the number of the next move"),
            ("f5:N", "move 1 (column 1): 'f5:N' gives a direction, but this move does not choose one"),
        ] {
            assert_eq!(read(text), Err(message.to_string()), "{text}");
        }
    }

    #[test]
    fn what_stands_between_moves_is_no_game() {
        let some = |start: &Position, text: &str| parse_some(start, text).map(|game| write(&game));
        let start = Position::default();
        for text in ["....", "-", " ;", "1.", "1. - 2) ,", "…"] {
            let error = some(&start, text).unwrap_err();
            assert_eq!(error.to_string(), read_error(&error), "{text}");
            assert_eq!(error.token, text.trim(), "{text}");
        }
        assert_eq!((some(&start, ""), some(&start, " \n")), (Ok(String::new()), Ok(String::new())));
        assert_eq!(some(&start, "1. f5 - d6 ..."), Ok("f5d6".to_string()));
        // passes at the end of a game are not recorded, and moves all the same
        let over = board_text::parse(&("X".repeat(64) + " X"), start.rules()).unwrap();
        assert_eq!((some(&over, "--"), some(&over, "pa")), (Ok(String::new()), Ok(String::new())));
    }

    fn read_error(error: &TranscriptError) -> String {
        format!("move 1 (column {}): '{}' is not a move (such as f5 or pass)", error.column, error.token)
    }

    #[test]
    fn the_moves_before_an_error_stay_played() {
        let mut game = Game::default();
        assert!(play(&mut game, "f5d6a1").is_err());
        assert_eq!(write(&game), "f5d6");
    }

    /// Position B of the Hungarian sheet: black must pass, white's g8 is legal.
    fn pass_position() -> Position {
        let text = "-------- -------- ---XXXXX ---XOOOO ---XXOOO ----XXOO ------XO -------O X";
        board_text::parse(text, &Arc::new(RuleSet::othello())).unwrap()
    }

    #[test]
    fn forced_passes() {
        let start = pass_position();
        assert!(start.must_pass());
        let reply = "g8";
        let bare = parse(&start, reply).unwrap();
        assert_eq!(bare.moves().len(), 2);
        for pass in ["pa", "PASS", "ps", "--", "@@@@"] {
            assert_eq!(parse(&start, &format!("{pass}{reply}")).as_ref(), Ok(&bare), "{pass}");
            assert_eq!(parse(&start, &format!("{pass} 2 {reply}")).as_ref(), Ok(&bare), "{pass}");
        }
        // a bare number may count the pass that is not written
        assert_eq!(parse(&start, &format!("2 {reply}")).as_ref(), Ok(&bare));
        assert_eq!(write(&bare), reply);
        let only_pass = parse(&start, "pass").unwrap();
        assert_eq!(write(&only_pass), "pa");
    }

    #[test]
    fn passes_after_the_end_are_ignored() {
        let text = "X".repeat(63) + "O X";
        let over = board_text::parse(&text, &Arc::new(RuleSet::othello())).unwrap();
        assert_eq!(parse(&over, "pass pass").unwrap().moves(), []);
        let error = parse(&over, "f5").unwrap_err();
        assert_eq!(error.to_string(), "move 1 (column 1): 'f5' comes after the end of the game");
    }

    #[test]
    fn one_direction_and_large_boards() {
        let one = Position::start(Arc::new(RuleSet::othello().to_builder().flips(Flips::One).build().unwrap()));
        let game = parse(&one, "f5d6:n").unwrap();
        assert_eq!(write(&game), "f5:Wd6:N");
        assert_eq!(parse(&one, &write(&game)), Ok(game));
        let large = Position::start(Arc::new(RuleSet::othello().to_builder().size(16, 16).build().unwrap()));
        assert_eq!(write(&parse(&large, "I10H10").unwrap()), "i10h10");
        assert_eq!(parse(&large, "i10h1").unwrap_err().column, 4);
    }
}
