//! Games of PGN's kind in a stream: tags, then moves.

use std::io::BufRead;
use std::sync::Arc;

use super::LONGEST_GAME;
use crate::formats::bounded::{self, LineRead, MAX_LINE};
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
    pending: Option<Result<String, GameFileErrorKind>>,
}

/// The text of a game as far as it has been read.
#[derive(Default)]
struct Page {
    text: String,
    /// Something other than tags has come.
    has_moves: bool,
    /// Brackets that are open among the moves.
    asides: pgn::Asides,
}

impl Page {
    /// The line begins the next game. Remarks may have lines that look like tags at first.
    fn ends_before(&self, line: &str) -> bool {
        self.has_moves && line.trim_start().starts_with('[') && (!self.asides.is_open() || pgn::is_tag(line))
    }

    fn add(&mut self, line: &str, keep: bool) {
        self.has_moves |= !line.trim().is_empty() && !line.trim_start().starts_with('[');
        if self.has_moves {
            self.asides.take_line(line);
        }
        if keep {
            self.text += line;
        }
    }
}

impl<R: BufRead> Pages<R> {
    /// The games of a stream, played by these rules.
    pub fn new(input: R, rules: Arc<RuleSet>) -> Pages<R> {
        Pages { input, rules, bytes: Vec::new(), lines: 0, pending: None }
    }

    /// The next game; a game ends where tags begin again.
    pub fn next_game(&mut self) -> Option<Result<GameRecord, GameFileErrorKind>> {
        let mut page = Page::default();
        let mut first = self.lines;
        // of a game with a line too many, or too long, the rest is passed over
        let mut problem = None;
        loop {
            let line = match self.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error @ GameFileErrorKind::Line { .. }) => {
                    let beginning = super::lines::decode(&self.bytes);
                    if page.ends_before(&beginning) {
                        self.lines -= 1;
                        self.pending = Some(Err(error));
                        break;
                    }
                    problem.get_or_insert(error);
                    // its end is not known
                    page.add(&beginning, false);
                    continue;
                }
                Err(error) => return Some(Err(error)),
            };
            if page.ends_before(&line) {
                self.lines -= 1;
                self.pending = Some(Ok(line));
                break;
            }
            if page.text.is_empty() {
                // as in front of other formats, there may be remarks
                if line.trim().is_empty() || super::lines::is_remark(&line) {
                    continue;
                }
                first = self.lines - 1;
            }
            page.add(&line, problem.is_none());
            if page.text.len() > LONGEST_GAME && problem.is_none() {
                problem = Some(super::too_long_game(first + 1));
            }
        }
        if let Some(problem) = problem {
            return Some(Err(problem));
        }
        if page.text.is_empty() {
            return None;
        }
        Some(pgn::parse_game(&page.text, &self.rules).map_err(|mut error| {
            error.at.line += first;
            Box::new(error).into()
        }))
    }

    fn next_line(&mut self) -> Result<Option<String>, GameFileErrorKind> {
        self.lines += 1;
        if let Some(line) = self.pending.take() {
            return line.map(Some);
        }
        match bounded::read_line(&mut self.input, &mut self.bytes, MAX_LINE)? {
            LineRead::End => {
                self.lines -= 1;
                Ok(None)
            }
            LineRead::Line => Ok(Some(super::lines::decode(&self.bytes))),
            LineRead::TooLong => Err(super::lines::too_long(self.lines)),
        }
    }
}
