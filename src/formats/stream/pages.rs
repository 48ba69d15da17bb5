//! Games of PGN's kind in a stream: tags, then moves.

use std::io::BufRead;
use std::sync::Arc;

use super::LONGEST_GAME;
use crate::formats::bounded::{self, LineRead};
use crate::formats::files::GameFileErrorKind;
use crate::formats::pgn;
use crate::formats::record::GameRecord;
use crate::rules::RuleSet;

/// The games of a stream.
pub(super) struct Pages<R> {
    input: R,
    rules: Arc<RuleSet>,
    bytes: Vec<u8>,
    /// Lines read.
    lines: usize,
    /// The first line of the next game.
    pending: Option<String>,
}

impl<R: BufRead> Pages<R> {
    /// The games of a stream, played by these rules.
    pub fn new(input: R, rules: Arc<RuleSet>) -> Pages<R> {
        Pages { input, rules, bytes: Vec::new(), lines: 0, pending: None }
    }

    /// The next game; a game ends where tags begin again.
    pub fn next_game(&mut self) -> Option<Result<GameRecord, GameFileErrorKind>> {
        let mut text = String::new();
        let mut first = self.lines;
        let mut has_moves = false;
        loop {
            let line = match self.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => return Some(Err(error)),
            };
            let is_tag = line.trim_start().starts_with('[');
            if is_tag && has_moves {
                self.lines -= 1;
                self.pending = Some(line);
                break;
            }
            if text.is_empty() {
                if line.trim().is_empty() {
                    continue;
                }
                first = self.lines - 1;
            }
            has_moves |= !is_tag && !line.trim().is_empty();
            text += &line;
            if text.len() > LONGEST_GAME {
                let problem = format!("the game has more than {LONGEST_GAME} bytes");
                return Some(Err(GameFileErrorKind::Line { line: first + 1, problem }));
            }
        }
        if text.is_empty() {
            return None;
        }
        Some(pgn::parse_game(&text, &self.rules).map_err(|mut error| {
            error.at.line += first;
            Box::new(error).into()
        }))
    }

    fn next_line(&mut self) -> Result<Option<String>, GameFileErrorKind> {
        self.lines += 1;
        if let Some(line) = self.pending.take() {
            return Ok(Some(line));
        }
        match bounded::read_line(&mut self.input, &mut self.bytes)? {
            LineRead::End => {
                self.lines -= 1;
                Ok(None)
            }
            LineRead::Line => Ok(Some(super::lines::decode(&self.bytes))),
            LineRead::TooLong => Err(super::lines::too_long(self.lines)),
        }
    }
}
