//! A window of text that moves over a stream, for formats whose games begin and end with brackets.

use std::io::{self, BufRead, Read};

use super::LONGEST_GAME;
use crate::formats::files::GameFileErrorKind;
use crate::formats::ggf::GgfError;
use crate::formats::record::GameRecord;
use crate::formats::sgf::SgfError;
use crate::formats::{Cursor, Location, without_mark};

/// How much is read at least at a time, in bytes.
const PIECE: usize = 128 * 1024;
/// An error so near the end of the window may be the window's and not the text's, in bytes.
const NEAR: usize = 1024;

/// An error of a reader, whose place can be moved.
pub(super) trait Placed: Into<GameFileErrorKind> {
    /// The name of the format.
    const FORMAT: &'static str;

    /// The place.
    fn place(&mut self) -> &mut Location;
}

impl Placed for GgfError {
    const FORMAT: &'static str = "GGF";

    fn place(&mut self) -> &mut Location {
        &mut self.at
    }
}

impl Placed for SgfError {
    const FORMAT: &'static str = "SGF";

    fn place(&mut self) -> &mut Location {
        &mut self.at
    }
}

/// A part of a stream as text.
pub(super) struct Window<R> {
    input: R,
    text: String,
    cursor: Cursor,
    /// Nothing follows the text.
    ended: bool,
    /// Bytes of a character that the last piece cut in two.
    carry: Vec<u8>,
    /// Where the text begins: lines before it, and characters of its first line that are gone.
    gone: (usize, usize),
    /// Nothing was found yet, neither a game nor an error.
    is_unfound: bool,
    /// Where the first text is that belongs to no game.
    passed_over: Option<Location>,
}

impl<R: BufRead> Window<R> {
    /// A window at the beginning of a stream.
    pub fn new(input: R) -> Window<R> {
        let (text, cursor) = (String::new(), Cursor::default());
        let (carry, gone) = (Vec::new(), (0, 0));
        Window { input, text, cursor, ended: false, carry, gone, is_unfound: true, passed_over: None }
    }

    /// The next game that a reader finds from the cursor on. Text that has no game at all, from its beginning to its end, is one
    /// error; blanks are none.
    pub fn next_game<E: Placed>(
        &mut self,
        read: impl Fn(&str, &mut Cursor) -> Option<Result<GameRecord, E>>,
    ) -> Option<Result<GameRecord, GameFileErrorKind>> {
        let found = self.find(read);
        let at = self.passed_over.take_if(|_| self.is_unfound && found.is_none());
        self.is_unfound &= found.is_none() && at.is_none();
        found.or(at.map(|at| Err(GameFileErrorKind::NoGame { at, format: E::FORMAT })))
    }

    fn find<E: Placed>(
        &mut self,
        read: impl Fn(&str, &mut Cursor) -> Option<Result<GameRecord, E>>,
    ) -> Option<Result<GameRecord, GameFileErrorKind>> {
        loop {
            let before = self.cursor.clone();
            let found = read(&self.text, &mut self.cursor);
            let left = self.text.len() - before.offset;
            let may_grow = !self.ended && left < LONGEST_GAME;
            // more text may make a game of what is none yet
            let is_cut = self.cursor.unclosed || self.text.len() - self.cursor.offset < NEAR;
            match found {
                None => {
                    // the beginning of a game may have been cut
                    let begun = self.text[before.offset..].rfind('(').filter(|_| may_grow);
                    let offset = begun.map_or(self.text.len(), |begun| before.offset + begun);
                    self.pass_over(before.offset, offset);
                    self.cursor = Cursor { offset, ..Cursor::default() };
                    if self.ended {
                        return None;
                    }
                }
                Some(Err(_)) if may_grow && is_cut => self.cursor = before,
                Some(Ok(record)) => return Some(Ok(record)),
                Some(Err(mut error)) => {
                    let place = error.place();
                    place.column += if place.line == 1 { self.gone.1 } else { 0 };
                    place.line += self.gone.0;
                    let is_too_long = is_cut && !self.ended;
                    let line = place.line;
                    return Some(Err(if is_too_long { super::too_long_game(line) } else { error.into() }));
                }
            }
            if let Err(error) = self.read_on() {
                self.ended = true;
                return Some(Err(error.into()));
            }
        }
    }

    /// Remembers where text begins that belongs to no game.
    fn pass_over(&mut self, from: usize, to: usize) {
        let blanks = self.text[from..to].find(|c: char| !c.is_whitespace());
        if let Some(blanks) = blanks.filter(|_| self.is_unfound && self.passed_over.is_none()) {
            let mut at = Location::of(&self.text, from + blanks);
            at.column += if at.line == 1 { self.gone.1 } else { 0 };
            at.line += self.gone.0;
            self.passed_over = Some(at);
        }
    }

    /// Forgets what lies before the cursor and reads on: as much as is left, so that long games are not begun again too often.
    fn read_on(&mut self) -> io::Result<()> {
        let dropped = &self.text[..self.cursor.offset];
        let lines = dropped.matches('\n').count();
        let columns = dropped[dropped.rfind('\n').map_or(0, |end| end + 1)..].chars().count();
        self.gone = (self.gone.0 + lines, columns + if lines == 0 { self.gone.1 } else { 0 });
        self.text.drain(..self.cursor.offset);
        self.cursor = Cursor::default();
        let mut bytes = std::mem::take(&mut self.carry);
        let wanted = PIECE.max(self.text.len());
        let count = self.input.by_ref().take(wanted as u64).read_to_end(&mut bytes)?;
        self.ended = count < wanted;
        let first = self.text.is_empty() && self.gone == (0, 0);
        let text = self.decode(bytes);
        self.text += if first { without_mark(&text) } else { &text };
        Ok(())
    }

    /// Text in UTF-8, or else in Latin-1; the beginning of a character at the end waits for the next piece.
    fn decode(&mut self, bytes: Vec<u8>) -> String {
        match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let cut = error.utf8_error().error_len().is_none().then(|| error.utf8_error().valid_up_to());
                let mut bytes = error.into_bytes();
                if let Some(cut) = cut.filter(|_| !self.ended) {
                    self.carry = bytes.split_off(cut);
                    return String::from_utf8(bytes).expect("checked");
                }
                bytes.into_iter().map(char::from).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;
    use std::sync::Arc;

    use super::*;
    use crate::formats::{ggf, sgf, transcript};
    use crate::rules::RuleSet;

    /// Moves and errors found through a window whose input comes in small pieces.
    fn found(text: &[u8], is_ggf: bool) -> Vec<String> {
        let rules = Arc::new(RuleSet::othello());
        let mut window = Window::new(BufReader::with_capacity(7, text));
        let mut next = || {
            if is_ggf {
                window.next_game(|text, cursor| ggf::next_game(text, cursor, &rules))
            } else {
                window.next_game(|text, cursor| sgf::next_game(text, cursor, &rules))
            }
        };
        let mut found = Vec::new();
        while let Some(game) = next() {
            found.push(game.map_or_else(|error| error.to_string(), |record| transcript::write(&record.game)));
        }
        found
    }

    /// Many windows long: what the readers find in the whole text is found, places included.
    #[test]
    fn games_and_errors_are_those_of_the_whole_text() {
        let rules = Arc::new(RuleSet::othello());
        let pad = "x".repeat(997);
        let pieces = ["(;GM[Othello]PB[\u{e4}]B[F5]W[D6];)", "\n(;B[A1];)", "\njunk (;B[C4] (;B[E6];)\n"];
        let text: String = (0..900).map(|i| format!("{}CO-{pad}\n", pieces[i % 3])).collect();
        assert!(text.len() > 6 * PIECE);
        let whole = ggf::games(&text, rules.clone());
        let expected: Vec<String> = whole
            .map(|game| game.map_or_else(|error| error.to_string(), |game| transcript::write(&game.game)))
            .collect();
        assert_eq!(expected.len(), 900 + 300);
        assert_eq!(found(text.as_bytes(), true), expected);

        let long = format!("(;GM[2]C[{}];B[f5];W[d6](;B[c3])(;B[d3]))", "remark\\] ".repeat(40_000));
        let text = format!("{long}\n(;GM[2];B[a1])\n  ( ;GM[2];B[d3])");
        let whole = sgf::games(&text, rules.clone());
        let expected: Vec<String> = whole
            .map(|game| game.map_or_else(|error| error.to_string(), |game| transcript::write(&game.game)))
            .collect();
        assert_eq!(expected.len(), 3);
        assert_eq!(found(text.as_bytes(), false), expected);
    }

    /// The end of a piece of input falls on every place of a game's beginning.
    #[test]
    fn games_that_begin_at_the_end_of_a_piece_are_found() {
        let (first, second) = ("(;GM[Othello]B[F5]W[D6];)", "(;GM[Othello]B[D3];)");
        for shift in 0..=second.len() {
            let gap = PIECE - first.len() - shift;
            for filler in ["x", "\n", "("] {
                let text = format!("{first}{}{second}(;", filler.repeat(gap));
                let found = found(text.as_bytes(), true);
                let expected = ["f5d6", "d3", &found[found.len() - 1]];
                assert_eq!(found, expected, "{shift} characters before the end of the piece, after {filler:?}");
                assert!(found[2].ends_with("the game does not end: ';)' is missing"), "{}", found[2]);
            }
        }
    }

    /// Text of another format is one error, wherever it begins; blanks are none, and text beside games is passed over.
    #[test]
    fn text_without_any_game_is_one_error() {
        let error = |place: &str, format: &str| {
            vec![format!(
                "{place}: no game of the format {format} is here, though the name or the beginning of the file says so"
            )]
        };
        assert_eq!(found(b"f5d6c3\nf5f6\n", true), error("line 1, column 1", "GGF"));
        assert_eq!(found(b"\n \t no games here (", false), error("line 2, column 4", "SGF"));
        assert_eq!(found(b"(", false), error("line 1, column 1", "SGF"));
        // several windows of it, the first ones blank
        for blank in [" ", "\n"] {
            let text = blank.repeat(2 * PIECE + 10) + &"x".repeat(2 * PIECE);
            let place = if blank == " " { (1, 2 * PIECE + 11) } else { (2 * PIECE + 11, 1) };
            assert_eq!(found(text.as_bytes(), true), error(&format!("line {}, column {}", place.0, place.1), "GGF"));
        }
        assert_eq!(found(&b" \r\n\t".repeat(PIECE), true), Vec::<String>::new());
        assert_eq!(found(b"by hand\n(;B[F5];)\nthe end\n", true), ["f5"]);
        assert_eq!(found(b"by hand\n(;B[F5]\nthe end\n", true).len(), 1);
    }

    #[test]
    fn latin1_and_marks_of_byte_order() {
        assert_eq!(found(b"\xef\xbb\xbf(;PB[Andr\xe9]B[F5];)", true), ["f5"]);
        assert_eq!(found(b"", true), Vec::<String>::new());
        assert_eq!(found(b"(;B[F5]", true), ["line 1, column 8: the game does not end: ';)' is missing"]);
    }
}
