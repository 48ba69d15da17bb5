//! OBF problem files: one position a line, with the known scores of its moves.
//!
//! `64 squares SIDE; MOVE:SCORE; MOVE:SCORE; ...`, where `%` starts a comment and a score alone (` +18;`) is the
//! position's. Scores are disc differences for the side to move. A plain board string is a problem without
//! scores, so that one reader serves both. Placeholders such as `--:-127` (a score no game can have) are skipped.
//!
//! A board may also stand as a diagram, one row a line with or without row numbers and column letters, the side after the
//! last row or on a line of its own.
//!
//! A bad line is an error with its number, and the reader goes on with the next one. A comment `% rules: NAME` says which
//! rules the lines after it belong to; names that do not exist end the reading.

use std::fmt::Write as _;
use std::io::{self, BufRead};
use std::sync::Arc;

use crate::rules::text::ParseRulesError;
use crate::rules::{Move, Position, RuleSet};

use super::board_text::{self, BoardTextError, BoardTextErrorKind, DiagramLine};
use super::bounded::{self, LineRead, MAX_LINE};
use super::notation::{MoveError, parse_move};
use super::transcript::{self, TranscriptError};
use super::{Location, named_rules, quote, without_mark};

/// A position with what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The position.
    pub position: Position,
    /// The listed moves, in the order of the line.
    pub scores: Vec<MoveScore>,
    /// The position's score where the line gives one without a move.
    pub score: Option<i32>,
}

/// A legal move and its score in discs for the side that plays it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveScore {
    /// The move.
    pub mv: Move,
    /// Disc difference at the end with best play.
    pub score: i32,
}

impl Problem {
    /// The position's score: the one given alone, or the highest listed.
    pub fn best_score(&self) -> Option<i32> {
        self.score.or_else(|| self.scores.iter().map(|entry| entry.score).max())
    }

    /// The listed score of a move.
    pub fn score_of(&self, mv: Move) -> Option<i32> {
        self.scores.iter().find(|entry| entry.mv == mv).map(|entry| entry.score)
    }
}

/// Where and why a line is not a problem.
#[derive(Debug, thiserror::Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct ObfError {
    /// Line, from 1.
    pub line: usize,
    /// Character in the line, from 1.
    pub column: usize,
    /// What is wrong there.
    pub kind: ObfErrorKind,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum ObfErrorKind {
    /// The board or the side to move.
    #[error(transparent)]
    Board(#[from] BoardTextErrorKind),
    /// The text of a move.
    #[error(transparent)]
    Move(#[from] MoveError),
    /// A move that is not legal in the position.
    #[error("{} is not legal in this position", quote(.0))]
    Illegal(String),
    /// Something other than `MOVE:SCORE` or a score.
    #[error("{} is neither MOVE:SCORE nor a score", quote(.0))]
    Entry(String),
    /// Not a whole number, or more discs than the board has squares.
    #[error("{} is not a score of this board", quote(.0))]
    Score(String),
    /// A move, or the position, has two scores that differ.
    #[error("{} contradicts the score before it, {before:+}", quote(.entry))]
    Twice {
        /// The second one.
        entry: String,
        /// The score that was there.
        before: i32,
    },
    /// The moves of a transcript.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// The rules in a comment; nothing more comes.
    #[error(transparent)]
    Rules(#[from] ParseRulesError),
    /// Longer than anything that makes sense.
    #[error("the line has more than {MAX_LINE} bytes")]
    TooLong,
    /// The line is not UTF-8 text.
    #[error("this is not text")]
    NotText,
    /// Reading failed; nothing more comes.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
}

/// Reads a line with the moves of a game from the start of the rules, for the position after them; scores may follow behind a
/// semicolon. `None` when it does not begin with a move.
fn parse_moves(text: &str, line: usize, rules: &Arc<RuleSet>) -> Option<Result<Problem, ObfError>> {
    let text = text.split('%').next().unwrap_or(text);
    let mut first = text.trim_start().chars();
    if !first.next()?.is_ascii_alphabetic() || !first.next()?.is_ascii_digit() {
        return None;
    }
    let moves = text.split(';').next().unwrap_or(text);
    let error = |column, kind| Some(Err(ObfError { line, column, kind }));
    let game = match transcript::parse(&Position::start(rules.clone()), moves) {
        Ok(game) => game,
        Err(inner) => return error(1, inner.into()),
    };
    let mut problem = Problem { position: game.position().clone(), scores: Vec::new(), score: None };
    match read_entries(&mut problem, text, moves.len() + 1) {
        Ok(()) => Some(Ok(problem)),
        Err((at, kind)) => error(Location::of(text, at).column, kind),
    }
}

/// Reads one line, or the lines of a diagram; `None` when it is blank or a comment. `line` is its number for errors.
///
/// # Errors
/// [`ObfError`] with the place and the text at fault.
pub fn parse_line(text: &str, line: usize, rules: &Arc<RuleSet>) -> Result<Option<Problem>, ObfError> {
    let text = text.split('%').next().unwrap_or(text);
    if text.trim().is_empty() || text.trim_start().starts_with('#') && !board_text::is_row(first_line(text), rules) {
        return Ok(None);
    }
    let located = |at: Location, kind| ObfError { line: line + at.line - 1, column: at.column, kind };
    let error = |offset: usize, kind| located(Location::of(text, offset), kind);
    let in_board = |inner: BoardTextError| located(inner.at, inner.kind.into());
    let (position, offset) = board_text::parse_prefix(text, rules).map_err(in_board)?;
    board_text::too_long(text, offset, rules).map_err(in_board)?;
    let mut problem = Problem { position, scores: Vec::new(), score: None };
    let rest = text[offset..].trim_start();
    if !rest.is_empty() && !rest.starts_with(';') && !starts_with_score(rest) {
        let kind = BoardTextErrorKind::Trailing(rest.trim_end().to_string());
        return Err(error(text.len() - rest.len(), kind.into()));
    }
    read_entries(&mut problem, text, offset).map_err(|(at, kind)| error(at, kind))?;
    Ok(Some(problem))
}

/// Reads the entries of a line from this byte on; an error comes with its byte.
fn read_entries(problem: &mut Problem, text: &str, mut offset: usize) -> Result<(), (usize, ObfErrorKind)> {
    for entry in text.get(offset..).unwrap_or_default().split(';') {
        let start = offset + entry.len() - entry.trim_start().len();
        offset += entry.len() + 1;
        let token = entry.trim();
        if !token.is_empty() {
            read_entry(problem, token).map_err(|(inner, kind)| (start + inner, kind))?;
        }
    }
    Ok(())
}

fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or_default()
}

fn starts_with_score(text: &str) -> bool {
    text.starts_with(['+', '-']) || text.starts_with(|c: char| c.is_ascii_digit())
}

/// Reads `MOVE:SCORE` or a score into the problem; an error comes with its byte offset in the token.
fn read_entry(problem: &mut Problem, token: &str) -> Result<(), (usize, ObfErrorKind)> {
    let squares = problem.position.rules().squares() as i32;
    // the last colon: one-direction moves have one of their own
    let Some(colon) = token.rfind(':') else {
        if !starts_with_score(token) {
            return Err((0, ObfErrorKind::Entry(token.to_string())));
        }
        let score = parse_score(token, squares).ok_or((0, ObfErrorKind::Score(token.to_string())))?;
        once(problem.score, score, token)?;
        problem.score = Some(score);
        return Ok(());
    };
    let (move_text, score_text) = (token[..colon].trim(), token[colon + 1..].trim());
    let mv = parse_move(&problem.position, move_text).map_err(|kind| (0, kind.into()))?;
    let score = parse_score(score_text, i32::MAX);
    if mv == Move::Pass && score.is_some_and(|score| score.abs() > squares) {
        return Ok(());
    }
    let score = score.filter(|score| score.abs() <= squares);
    let score_offset = token.len() - token[colon + 1..].trim_start().len();
    let score = score.ok_or_else(|| (score_offset, ObfErrorKind::Score(score_text.to_string())))?;
    if !problem.position.is_legal(mv) {
        return Err((0, ObfErrorKind::Illegal(move_text.to_string())));
    }
    if once(problem.score_of(mv), score, token)? {
        problem.scores.push(MoveScore { mv, score });
    }
    Ok(())
}

/// Whether a score is the first one of its move; the same score again is none, another one an error.
fn once(before: Option<i32>, score: i32, entry: &str) -> Result<bool, (usize, ObfErrorKind)> {
    match before {
        Some(before) if before != score => Err((0, ObfErrorKind::Twice { entry: entry.to_string(), before })),
        before => Ok(before.is_none()),
    }
}

fn parse_score(text: &str, limit: i32) -> Option<i32> {
    text.parse().ok().filter(|score: &i32| score.checked_abs().is_some_and(|score| score <= limit))
}

/// A problem as a line (without line break): `squares SIDE; G8:+18; H1:+12;`.
pub fn write(problem: &Problem) -> String {
    let mut line = board_text::write(&problem.position);
    line.push(';');
    if let Some(score) = problem.score {
        let _ = write!(line, " {score:+};");
    }
    for MoveScore { mv, score } in &problem.scores {
        let _ = match mv {
            Move::Pass => write!(line, " --:{score:+};"),
            Move::Place { .. } => write!(line, " {mv:#}:{score:+};"),
        };
    }
    line
}

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
    pub(super) fn is_diagram(&self) -> bool {
        self.is_diagram
    }

    /// The same reader, for which a line of moves (`f5d6c3`) is the position that they lead to from the start of the rules.
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
        if read == LineRead::TooLong {
            return Some(Err(ObfErrorKind::TooLong));
        }
        let Ok(text) = str::from_utf8(&self.bytes) else { return Some(Err(ObfErrorKind::NotText)) };
        Some(Ok(if self.line == 1 { without_mark(text) } else { text }.to_string()))
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
                DiagramLine::Header => (found == rows, false),
                // the side may follow the last row, and something about the position the side
                DiagramLine::LastRow => (found + 1 == rows, true),
                DiagramLine::Side => (found == rows, true),
                DiagramLine::Other => (false, true),
            };
            if !is_part {
                self.line -= 1;
                self.pending = Some(line);
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
            let moves = if self.takes_moves { parse_moves(&text, line, &self.rules) } else { None };
            if let Some(result) = moves.or_else(|| parse_line(&text, line, &self.rules).transpose()) {
                return Some((line, result));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "---------------------------OX------XO---------------------------";

    fn read(text: &str) -> Vec<(usize, Result<Problem, ObfError>)> {
        Reader::new(text.as_bytes(), Arc::new(RuleSet::othello())).collect()
    }

    fn error(text: &str) -> String {
        parse_line(text, 7, &Arc::new(RuleSet::othello())).unwrap_err().to_string()
    }

    #[test]
    fn problems_boards_and_comments() {
        let text = format!(
            "\u{feff}% header\n\n{START} X; d3:+2; C4:-4; --:-127; % note\r\n{START}\n# note\n{START} O; +18;\n{START} X +18\n"
        );
        let problems = read(&text);
        let lines: Vec<usize> = problems.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [3, 4, 6, 7]);
        let first = problems[0].1.as_ref().unwrap();
        assert_eq!(first.scores.len(), 2);
        assert_eq!(first.best_score(), Some(2));
        assert_eq!(first.score_of(first.scores[1].mv), Some(-4));
        assert_eq!(first.score_of(Move::Pass), None);
        assert_eq!(write(first), format!("{START} X; D3:+2; C4:-4;"));
        let second = problems[1].1.as_ref().unwrap();
        assert_eq!((second.best_score(), write(second)), (None, format!("{START} X;")));
        assert_eq!(write(problems[2].1.as_ref().unwrap()), format!("{START} O; +18;"));
        assert_eq!(problems[3].1.as_ref().unwrap().best_score(), Some(18));
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
    fn a_score_that_is_said_again() {
        let problems = read(&format!("{START} X; +0; d3:+0; D3:+0; +0;"));
        let problem = problems[0].1.as_ref().unwrap();
        assert_eq!((problem.scores.len(), problem.score), (1, Some(0)));
    }

    #[test]
    fn a_scored_pass() {
        let text = "-------- -------- ---XXXXX ---XOOOO ---XXOOO ----XXOO ------XO -------O X; --:-20; +4;";
        let problem = parse_line(text, 1, &Arc::new(RuleSet::othello())).unwrap().unwrap();
        assert_eq!(problem.score_of(Move::Pass), Some(-20));
        assert!(write(&problem).ends_with(" X; +4; --:-20;"));
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

    #[test]
    fn errors_name_column_and_token() {
        for (tail, message) in [
            (" X; d3:+", "column 72: '+' is not a score of this board"),
            (" X; d3: +65", "column 73: '+65' is not a score of this board"),
            (" X; d3:", "column 72: '' is not a score of this board"),
            (" X; d3", "column 69: 'd3' is neither MOVE:SCORE nor a score"),
            (" X; d9:+1", "column 69: 'd9' is not on the board (a1 to h8)"),
            (" X; --:+4", "column 69: '--' is not legal in this position"),
            (" X; +99;", "column 69: '+99' is not a score of this board"),
            (" X; d3:+0; D3:+2;", "column 76: 'D3:+2' contradicts the score before it, +0"),
            (" X; +1; -1;", "column 73: '-1' contradicts the score before it, +1"),
            (" Q; d3:+1", "column 66: 'Q; d3:+1' follows the board, where only the side to move (X or O) is expected"),
        ] {
            assert_eq!(error(&format!("{START}{tail}")), format!("line 7, {message}"), "{tail}");
        }
        assert_eq!(error("---"), "line 7, column 4: the board has 3 squares, not 64");
        for (tail, found) in [("- X", 65), ("-O X", 66), ("-; d3:+1", 65)] {
            let message = format!("line 7, column 65: the board has {found} squares, not 64");
            assert_eq!(error(&format!("{START}{tail}")), message, "{tail}");
        }
    }
}
