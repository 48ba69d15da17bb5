//! The games of a WTHOR file, read one after the other.

use std::io::{self, Read};

use super::{HEADER_BYTES, Header, WthorErrorKind, WthorGame};
use crate::formats::bounded::MAX_FILE;
use crate::rules::RuleSet;

/// Games from a stream; one record is in memory at a time.
#[derive(Debug)]
pub struct Records<R> {
    input: R,
    header: Header,
    record: Vec<u8>,
    /// Games read.
    count: usize,
    /// The end of the file has been looked at.
    is_ended: bool,
}

impl<R: Read> Records<R> {
    /// Reads the header of a file of games.
    ///
    /// # Errors
    /// [`WthorErrorKind`] when it cannot be read or is no such header.
    pub fn new(mut input: R) -> Result<Records<R>, WthorErrorKind> {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        input.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut bytes)?;
        let header = Header::parse(&bytes)?;
        header.check_games()?;
        Ok(Records { input, record: vec![0; header.game_bytes()], header, count: 0, is_ended: false })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The rules the games were played by: othello of the file's board size.
    pub fn rules(&self) -> RuleSet {
        self.header.rules()
    }

    /// The next game; `None` after as many as the header announces. What follows them is an error.
    pub fn next_game(&mut self) -> Option<Result<WthorGame<'_>, WthorErrorKind>> {
        let announced = self.header.games as usize;
        if self.count >= announced {
            return self.rest().map(Err);
        }
        match self.input.read_exact(&mut self.record) {
            Ok(()) => {
                self.count += 1;
                Some(Ok(WthorGame::new(&self.header, &self.record)))
            }
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                let bytes = |games: usize| HEADER_BYTES + games * self.header.game_bytes();
                let (expected, found) = (bytes(announced), bytes(self.count));
                self.is_ended = true;
                self.header.games = self.count as u32;
                Some(Err(WthorErrorKind::Length { count: announced, what: "game", expected, found }))
            }
            Err(error) => {
                self.is_ended = true;
                self.header.games = self.count as u32;
                Some(Err(error.into()))
            }
        }
    }

    /// What is wrong with the end of the file, the first time: something follows the last game.
    fn rest(&mut self) -> Option<WthorErrorKind> {
        if std::mem::replace(&mut self.is_ended, true) {
            return None;
        }
        match io::copy(&mut self.input.by_ref().take(MAX_FILE), &mut io::sink()) {
            Ok(0) => None,
            Ok(rest) => {
                let expected = HEADER_BYTES + self.count * self.header.game_bytes();
                let found = expected + rest as usize;
                Some(WthorErrorKind::Length { count: self.count, what: "game", expected, found })
            }
            Err(error) => Some(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::wthor::tests::header;
    use crate::rules::Color;

    #[test]
    fn games_come_one_after_the_other_until_the_file_ends() {
        let mut bytes = header(3, 0, 8);
        for black in [1, 2] {
            bytes.extend([0, 0, black, 0, 0, 0, 32, 32, 56]);
            bytes.resize(bytes.len() + 59, 0);
        }
        let mut records = Records::new(&bytes[..]).unwrap();
        assert_eq!((records.header().games, records.rules()), (3, RuleSet::othello()));
        for black in [1, 2] {
            let game = records.next_game().unwrap().unwrap();
            assert_eq!((game.player(Color::Black), game.codes()), (black, &[56][..]));
        }
        let error = records.next_game().unwrap().unwrap_err().to_string();
        assert!(error.starts_with("truncated file: the header announces 3 games"), "{error}");
        assert!(records.next_game().is_none());
        // more than the header announces, whole games or not
        bytes[4] = 1;
        for (cut, found) in [(0, 152), (60, 92)] {
            let mut records = Records::new(&bytes[..bytes.len() - cut]).unwrap();
            assert!(records.next_game().unwrap().is_ok());
            let error = records.next_game().unwrap().unwrap_err().to_string();
            let message = "overlong file: the header announces 1 game (84 bytes), but the file has";
            assert_eq!(error, format!("{message} {found} bytes"));
            assert!(records.next_game().is_none());
        }
        assert!(Records::new(&b"short"[..]).is_err());
    }
}
