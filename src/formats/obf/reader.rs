//! Files of problems, read line by line.

use std::io::BufRead;
use std::sync::Arc;

use super::{ObfError, ObfErrorKind, Problem, parse_line, read_entries, split_comment};
use crate::formats::board_text::{self, DiagramLine};
use crate::formats::bounded::{self, LineRead, MAX_LINE};
use crate::formats::{Location, named_rules, transcript, without_mark};
use crate::rules::{Position, RuleSet};

/// Reads problems line by line, so that a pipe is answered as it comes.
///
/// Yields the number of each line that is not blank or a comment, with the problem or the error in it.
///
/// ```
/// use std::sync::Arc;
/// use outflank::{formats::obf, rules::RuleSet};
/// let file = "% two lines\n---- X;\n---------------------------OX------XO--------------------------- X; D3:+0;\n";
/// let problems: Vec<_> = obf::Reader::new(file.as_bytes(), Arc::new(RuleSet::othello())).collect();
/// assert_eq!(problems[0].1.as_ref().unwrap_err().to_string(), "line 2, column 7: ';' is not a square (X, O or -)");
/// assert_eq!(problems[1].1.as_ref().unwrap().best_score(), Some(0));
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    rules: Arc<RuleSet>,
    /// Lines read.
    line: usize,
    bytes: Vec<u8>,
    /// A line that was read to see whether it belongs to the diagram before it; not among the lines read.
    pending: Option<Result<String, ObfErrorKind>>,
    failed: bool,
    /// Lines may be transcripts.
    takes_moves: bool,
    /// The latest problem began as diagrams do.
    is_diagram: bool,
}

impl<R: BufRead> Reader<R> {
    /// A reader of positions under a rule set.
    pub fn new(input: R, rules: Arc<RuleSet>) -> Reader<R> {
        let (bytes, pending) = (Vec::new(), None);
        Reader { input, rules, line: 0, bytes, pending, failed: false, takes_moves: false, is_diagram: false }
    }

    /// The latest problem began with a row of a board or with the column letters: it was meant as a diagram, good or bad.
    pub(in crate::formats) fn is_diagram(&self) -> bool {
        self.is_diagram
    }

    /// The same reader, for which a line of moves (`f5d6c3`, `1. f5 d6`) is the position that they lead to from the start of the
    /// rules. Lines that begin with a later move number go on with the moves of a line that begins with the first.
    #[must_use]
    pub fn with_transcripts(self) -> Reader<R> {
        Reader { takes_moves: true, ..self }
    }

    /// The next line.
    fn next_line(&mut self) -> Option<Result<String, ObfErrorKind>> {
        if let Some(line) = self.pending.take() {
            self.line += 1;
            return Some(line);
        }
        let read = match bounded::read_line(&mut self.input, &mut self.bytes, MAX_LINE) {
            Ok(LineRead::End) => return None,
            Ok(read) => read,
            Err(error) => {
                self.line += 1;
                self.failed = true;
                return Some(Err(error.into()));
            }
        };
        self.line += 1;
        if self.line == 1
            && let Err(error) = bounded::check_is_text(&self.bytes)
        {
            self.failed = true;
            return Some(Err(error.into()));
        }
        if read == LineRead::TooLong {
            return Some(Err(ObfErrorKind::TooLong));
        }
        let text = match str::from_utf8(&self.bytes) {
            Ok(text) => text,
            // only a comment is in another encoding
            Err(error) => {
                let text = str::from_utf8(&self.bytes[..error.valid_up_to()]).unwrap_or_default();
                let is_comment = text.trim_start().starts_with('#') && !board_text::is_row(text, &self.rules);
                if !is_comment && !text.contains('%') {
                    return Some(Err(ObfErrorKind::NotText));
                }
                text
            }
        };
        Some(Ok(if self.line == 1 { without_mark(text) } else { text }.to_string()))
    }

    /// The line is the next one again.
    fn put_back(&mut self, line: Result<String, ObfErrorKind>) {
        self.line -= 1;
        self.pending = Some(line);
    }

    /// The lines of a diagram that begins with a row of the board, or with the column letters.
    fn diagram(&mut self, first: &str, is_row: bool) -> String {
        let rows = self.rules.rows() as usize;
        let mut text = without_comment(first) + "\n";
        let mut found = usize::from(is_row);
        while let Some(line) = self.next_line() {
            let content = without_comment(line.as_deref().unwrap_or_default());
            let (is_part, is_end) = match board_text::diagram_line(&content, &self.rules) {
                DiagramLine::Row => (found < rows, false),
                DiagramLine::Header | DiagramLine::Frame => (found == rows, false),
                // the side may follow the last row, and something about the position the side
                DiagramLine::LastRow => (found + 1 == rows, true),
                DiagramLine::Side => (found == rows, true),
                DiagramLine::Other => (false, true),
            };
            if !is_part {
                self.put_back(line);
                break;
            }
            found += usize::from(found < rows);
            text += &content;
            text.push('\n');
            if is_end {
                break;
            }
        }
        text
    }

    /// The lines of a numbered game.
    fn numbered(&mut self, first: String) -> String {
        let mut text = first;
        while text.len() < MAX_LINE
            && let Some(line) = self.next_line()
        {
            let is_row = |line: &str| {
                matches!(board_text::diagram_line(line, &self.rules), DiagramLine::Row | DiagramLine::LastRow)
            };
            match line {
                Ok(line) if transcript::continues(&line) && !is_row(&line) => {
                    text = without_comment(&text) + " " + &line;
                }
                line => {
                    self.put_back(line);
                    break;
                }
            }
        }
        text
    }
}

/// The line begins with moves, with the number of the first move or without it, and not with a board.
fn begins_with_moves(line: &str) -> bool {
    let mut first = transcript::after_first_number(line).unwrap_or(line.trim_start()).chars();
    first.next().is_some_and(|c| c.is_ascii_alphabetic()) && first.next().is_some_and(|c| c.is_ascii_digit())
}

fn without_comment(line: &str) -> String {
    line.split('%').next().unwrap_or_default().trim_end().to_string()
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = (usize, Result<Problem, ObfError>);

    fn next(&mut self) -> Option<Self::Item> {
        while !self.failed || self.pending.is_some() {
            let text = self.next_line()?;
            let line = self.line;
            let error = |kind| Some((line, Err(ObfError { line, column: 1, kind })));
            let text = match text {
                Ok(text) => text,
                Err(kind) => return error(kind),
            };
            match named_rules::in_comment(&text) {
                Some(Ok(rules)) => self.rules = rules,
                Some(Err(inner)) => {
                    self.failed = true;
                    return error(inner.into());
                }
                None => {}
            }
            let kind = board_text::diagram_line(&without_comment(&text), &self.rules);
            let begins_one = matches!(kind, DiagramLine::Row | DiagramLine::Header);
            let text = if begins_one { self.diagram(&text, kind == DiagramLine::Row) } else { text };
            // a row alone may be a line of dashes
            self.is_diagram = begins_one && text.lines().nth(1).is_some();
            let takes_more =
                self.takes_moves && transcript::after_first_number(&text).is_some() && begins_with_moves(&text);
            let text = if takes_more { self.numbered(text) } else { text };
            let moves = if self.takes_moves { parse_moves(&text, line, &self.rules) } else { None };
            if let Some(result) = moves.or_else(|| parse_line(&text, line, &self.rules).transpose()) {
                return Some((line, result));
            }
        }
        None
    }
}

/// Reads a line with the moves of a game from the start of the rules, for the position after them; scores may follow behind a
/// semicolon. `None` when it does not begin with a move.
fn parse_moves(text: &str, line: usize, rules: &Arc<RuleSet>) -> Option<Result<Problem, ObfError>> {
    let (text, searched) = split_comment(text);
    if !begins_with_moves(text) {
        return None;
    }
    let moves = text.split(';').next().unwrap_or(text);
    let error = |column, kind| Some(Err(ObfError { line, column, kind }));
    let game = match transcript::parse(&Position::start(rules.clone()), moves) {
        Ok(game) => game,
        Err(inner) => return error(1, inner.into()),
    };
    let mut problem = Problem { searched, ..Problem::new(game.position().clone()) };
    match read_entries(&mut problem, text, moves.len() + 1) {
        Ok(()) => Some(Ok(problem)),
        Err((at, kind)) => error(Location::of(text, at).column, kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::obf::write;

    const START: &str = "---------------------------OX------XO---------------------------";

    fn read(text: &str) -> Vec<(usize, Result<Problem, ObfError>)> {
        Reader::new(text.as_bytes(), Arc::new(RuleSet::othello())).collect()
    }

    #[test]
    fn transcripts_where_they_are_wanted() {
        let text = format!("f5d6c3d3c4\nF5 d6; C3:+0; +1; % note\n{START} X; d3:+2;\nf5d6z9\nf5; a1:+2;\n");
        let reader = Reader::new(text.as_bytes(), Arc::new(RuleSet::othello())).with_transcripts();
        let found: Vec<_> = reader.map(|(line, problem)| (line, problem.map_err(|error| error.to_string()))).collect();
        let first = found[0].1.as_ref().unwrap();
        assert_eq!((first.position.empty_count(), first.best_score()), (55, None));
        let second = found[1].1.as_ref().unwrap();
        assert_eq!((second.position.empty_count(), second.best_score(), second.scores.len()), (58, Some(1), 1));
        assert_eq!(found[2].1.as_ref().unwrap().best_score(), Some(2));
        assert!(found[3].1.as_ref().unwrap_err().starts_with("line 4, column 1: move 3 (column 5)"), "{:?}", found[3]);
        assert_eq!(found[4].1.as_ref().unwrap_err(), "line 5, column 5: 'a1' is not legal in this position");
        assert!(read("f5d6c3\n")[0].1.is_err(), "only where they are wanted");
    }

    #[test]
    fn transcripts_with_numbers() {
        let text = format!(
            "1. f5 d6\n1.f5 2.d6; C3:+0;\n1) f5 d6 % note\n 2) c3 d3 % 4@73%\n3. c4 f4; +1;\n1 f5 d6\n2. c3\n\n2. c3\n{START} X\n1. f5 d6\n\
             8 - - - - - - - -\n1. b2\n"
        );
        let reader = Reader::new(text.as_bytes(), Arc::new(RuleSet::othello())).with_transcripts();
        let found: Vec<_> = reader
            .map(|(line, problem)| {
                (line, problem.map(|problem| problem.position.empty_count()).map_err(|error| error.to_string()))
            })
            .collect();
        assert_eq!(found[..4], [(1, Ok(58)), (2, Ok(58)), (3, Ok(54)), (6, Ok(57))]);
        let (line, error) = &found[4];
        assert!(*line == 9 && error.is_err(), "nothing goes on there: {found:?}");
        assert_eq!(found[5..7], [(10, Ok(60)), (11, Ok(58))]);
        assert_eq!(
            found.last().unwrap().1,
            Err("line 13, column 1: move 1 (column 4): black cannot play 'b2': the disc would turn nothing".into())
        );
        assert!(read("1. f5 d6\n")[0].1.is_err(), "only where they are wanted");
    }

    /// One error, not one a line.
    #[test]
    fn what_is_no_text_ends_with_one_error() {
        let utf16: Vec<u8> =
            format!("\u{feff}{START} X;\n{START} O;\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let compressed = b"\x1f\x8b\x08\n\n---\n".to_vec();
        for (bytes, what) in [
            (utf16, "the text is in UTF-16: save it as UTF-8"),
            (compressed, "the file is compressed: unpack it first"),
            (b"OUTFPLAY\0\n\n".to_vec(), "the file has self-play games: export them first"),
            (b"OUTFBOOK\0\n\n".to_vec(), "the file is a book: export it first"),
        ] {
            let errors: Vec<_> = Reader::new(bytes.as_slice(), Arc::new(RuleSet::othello()))
                .map(|(line, problem)| (line, problem.unwrap_err().to_string()))
                .collect();
            assert_eq!(errors, [(1, format!("line 1, column 1: cannot read: {what}"))]);
        }
    }

    /// Only what is said must be UTF-8, not remarks: many files of problems are older.
    #[test]
    fn comments_may_be_in_another_encoding() {
        let text = format!("% Andr\u{e9}\n# caf\u{e9}\n{START} X; d3:+0; % \u{e9}t\u{e9}\n{START}\u{e9} X;\n");
        let latin1: Vec<u8> = text.chars().map(|c| c as u8).collect();
        let problems: Vec<_> = Reader::new(latin1.as_slice(), Arc::new(RuleSet::othello())).collect();
        assert_eq!(problems.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(problems[0].1.as_ref().unwrap().best_score(), Some(0));
        assert_eq!(problems[1].1.as_ref().unwrap_err().to_string(), "line 4, column 1: this is not text");
    }

    #[test]
    fn bad_lines_are_named_and_skipped() {
        let mut text = format!("{START} X; d3:+0;\n{START} X; a1:+0;\n").into_bytes();
        text.extend_from_slice(b"\xff\xfe\n");
        text.extend_from_slice(format!("{START} X; d3:+0").as_bytes());
        let problems: Vec<_> = Reader::new(text.as_slice(), Arc::new(RuleSet::othello())).collect();
        let good: Vec<bool> = problems.iter().map(|(_, result)| result.is_ok()).collect();
        assert_eq!(good, [true, false, false, true]);
        let message = problems[1].1.as_ref().unwrap_err().to_string();
        assert_eq!(message, "line 2, column 69: 'a1' is not legal in this position");
        assert_eq!(problems[2].1.as_ref().unwrap_err().to_string(), "line 3, column 1: this is not text");
    }

    #[test]
    fn diagrams_are_one_board() {
        let rows: Vec<&str> = (0..8).map(|row| &START[8 * row..8 * row + 8]).collect();
        let numbered: String = rows.iter().enumerate().map(|(i, row)| format!("{0} {row} {0}\n", i + 1)).collect();
        let plain = rows.join("\n");
        let expected = |side: &str| format!("{START} {side};");
        for (text, side) in [
            (plain.clone(), "X"),
            (plain.clone() + "\nO\n", "O"),
            (plain.clone() + " O", "O"),
            (plain.clone() + "O\n", "O"),
            (plain.clone() + "\nwhite\n", "O"),
            (plain.replace('\n', "% note\r\n") + "\r\nO % to move\r\n", "O"),
            (format!("  A B C D E F G H\n{numbered}  A B C D E F G H\n O"), "O"),
            (format!("|{}|\nO", rows.join("|\n|")), "O"),
            // of the GGS server
            (format!("|{}\n|  A B C D E F G H\n|\n|O to move", rows.join("\n|")), "O"),
        ] {
            let problems = read(&format!("{START} X;\n{text}\n\n{START} O;\n"));
            let found: Vec<String> = problems.iter().map(|(_, result)| write(result.as_ref().unwrap())).collect();
            assert_eq!(found, [expected("X"), expected(side), expected("O")], "{text}");
            assert_eq!(problems[1].0, 2);
        }
        // a score after the side, and two diagrams without a line between them
        let problems = read(&format!("{plain} X; +0;\n{plain}\nO\n{plain}"));
        assert_eq!(problems.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 9, 18]);
        assert_eq!(problems[0].1.as_ref().unwrap().score, Some(0));
        // what is wrong is said once, with its place, and the next line is read again
        let short = read(&format!("{}\n{START} X;\n{}\nX", rows[..7].join("\n"), rows[1..].join("\n")));
        let message = |i: usize| short[i].1.as_ref().unwrap_err().to_string();
        assert_eq!(message(0), "line 7, column 9: the board has 56 squares, not 64");
        assert!(short[1].1.is_ok());
        assert_eq!(message(2), "line 15, column 9: the board has 56 squares, not 64");
        let bad = read(&plain.replace("---OX---\n", "---OX--\n"));
        assert!(bad.iter().all(|(_, result)| result.is_err()));
    }

    #[test]
    fn endless_lines_are_one_error() {
        let text = format!("{}\n{START} X;\n", "-".repeat(5_000_000));
        let problems = read(&text);
        assert_eq!(
            problems[0].1.as_ref().unwrap_err().to_string(),
            "line 1, column 1: the line has more than 65536 bytes"
        );
        assert!(problems[1].1.is_ok() && problems.len() == 2);
    }
}
