//! OBF problem files: one position a line, with the known scores of its moves.
//!
//! `64 squares SIDE; MOVE:SCORE; MOVE:SCORE; ...`, where `%` starts a comment and a score alone (` +18;`) is the
//! position's. Scores are disc differences for the side to move. A plain board string is a problem without
//! scores, so that one reader serves both. Placeholders such as `--:-127` (a score no game can have) are skipped. A comment that
//! begins with the depth of a search (`% 12@73%` or `% depth 12`) says that the scores of its line are that search's, not exact.
//!
//! A board may also stand as a diagram, one row a line with or without row numbers and column letters, the side after the
//! last row or on a line of its own.
//!
//! A bad line is an error with its number, and the reader goes on with the next one. A comment `% rules: NAME` says which
//! rules the lines after it belong to; names that do not exist end the reading.

mod reader;

pub use reader::Reader;

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use crate::game::Game;
use crate::rules::text::ParseRulesError;
use crate::rules::{Move, Position, RuleSet};

use super::board_text::{self, BoardTextError, BoardTextErrorKind};
use super::bounded::MAX_LINE;
use super::notation::{MoveError, parse_move};
use super::record::GameRecord;
use super::transcript::TranscriptError;
use super::{Location, quote};

/// A position with what is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The position.
    pub position: Position,
    /// The listed moves, in the order of the line.
    pub scores: Vec<MoveScore>,
    /// The position's score where the line gives one without a move.
    pub score: Option<i32>,
    /// The depth of the search that the scores are of where they are not exact: `12@73%` or `depth 12`.
    pub searched: Option<String>,
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
    /// A position of which nothing is known.
    pub fn new(position: Position) -> Problem {
        Problem { position, scores: Vec::new(), score: None, searched: None }
    }

    /// The position's score: the one given alone, or the highest listed.
    pub fn best_score(&self) -> Option<i32> {
        self.score.or_else(|| self.scores.iter().map(|entry| entry.score).max())
    }

    /// [`Problem::best_score`] where it is exact.
    pub fn exact_score(&self) -> Option<i32> {
        self.best_score().filter(|_| self.searched.is_none())
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
#[non_exhaustive]
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
    /// The line is not UTF-8 text, before a comment.
    #[error("this is not text")]
    NotText,
    /// Reading failed; nothing more comes.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
}

/// Reads one line, or the lines of a diagram; `None` when it is blank or a comment. `line` is its number for errors.
///
/// # Errors
/// [`ObfError`] with the place and the text at fault.
pub fn parse_line(text: &str, line: usize, rules: &Arc<RuleSet>) -> Result<Option<Problem>, ObfError> {
    let (text, searched) = split_comment(text);
    if text.trim().is_empty() || text.trim_start().starts_with('#') && !board_text::is_row(first_line(text), rules) {
        return Ok(None);
    }
    let located = |at: Location, kind| ObfError { line: line + at.line - 1, column: at.column, kind };
    let error = |offset: usize, kind| located(Location::of(text, offset), kind);
    let in_board = |inner: BoardTextError| located(inner.at, inner.kind.into());
    let (position, offset) = board_text::parse_prefix(text, rules).map_err(in_board)?;
    board_text::too_long(text, offset, rules).map_err(in_board)?;
    let mut problem = Problem { searched, ..Problem::new(position) };
    let rest = text[offset..].trim_start();
    if !rest.is_empty() && !rest.starts_with(';') && !starts_with_score(rest) {
        return Err(error(text.len() - rest.len(), board_text::trailing(rest, rules).into()));
    }
    read_entries(&mut problem, text, offset).map_err(|(at, kind)| error(at, kind))?;
    Ok(Some(problem))
}

/// A line without its comment, and the depth of a search with which the comment begins.
fn split_comment(line: &str) -> (&str, Option<String>) {
    let (text, comment) = line.split_once('%').unwrap_or((line, ""));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_level = |word: &str| {
        let parts = word.strip_suffix('%').and_then(|word| word.split_once('@'));
        parts.is_some_and(|(plies, percent)| is_number(plies) && is_number(percent))
    };
    let mut words = comment.split_whitespace();
    let depth = match (words.next(), words.next()) {
        (Some(level), _) if is_level(level) => Some(level.to_string()),
        (Some("depth"), Some(plies)) if is_number(plies) => Some(format!("depth {plies}")),
        _ => None,
    };
    (text, depth)
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
    board_text::write(&problem.position) + ";" + &said(problem)
}

/// What a line says of its position: ` G8:+18; H1:+12;`.
fn said(problem: &Problem) -> String {
    let mut line = String::new();
    if let Some(score) = problem.score {
        let _ = write!(line, " {score:+};");
    }
    for MoveScore { mv, score } in &problem.scores {
        let _ = match mv {
            Move::Pass => write!(line, " --:{score:+};"),
            Move::Place { .. } => write!(line, " {mv:#}:{score:+};"),
        };
    }
    if let Some(depth) = &problem.searched {
        let _ = write!(line, " % {depth}");
    }
    line
}

/// The tag of a record with the scores of its line: no other format has tags with blanks in their names.
const SCORES: &str = "scores of OBF";

/// A game without moves, which keeps the scores of the problem for [`write_position`].
pub(super) fn to_record(problem: Problem) -> GameRecord {
    let said = said(&problem);
    let mut record = GameRecord::new(Game::from_position(problem.position));
    record.tags.extend((!said.is_empty()).then(|| (SCORES.to_string(), said)));
    record
}

/// A position of a record as a line: where it was that of a problem with the scores.
pub(super) fn write_position(record: &GameRecord, position: &Position) -> String {
    let said = record.tag(SCORES).filter(|_| position == record.game.start());
    board_text::write(position) + &said.map_or(String::new(), |said| format!(";{said}"))
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
    fn a_score_that_is_said_again() {
        let problems = read(&format!("{START} X; +0; d3:+0; D3:+0; +0;"));
        let problem = problems[0].1.as_ref().unwrap();
        assert_eq!((problem.scores.len(), problem.score), (1, Some(0)));
    }

    #[test]
    fn a_comment_says_that_scores_are_not_exact() {
        for (comment, searched) in [
            (" % 10@73%", Some("10@73%")),
            ("%4@100% by Outflank", Some("4@100%")),
            (" % depth 6 selective", Some("depth 6")),
            (" % depth", None),
            (" % of depth 6", None),
            (" % 10", None),
            (" % by 10@73%", None),
            (" % @73%", None),
            (" % 10@x%", None),
        ] {
            let problem = read(&format!("{START} X; D3:+2;{comment}\n")).remove(0).1.unwrap();
            assert_eq!(problem.searched.as_deref(), searched, "{comment}");
            let note = searched.map_or(String::new(), |depth| format!(" % {depth}"));
            assert_eq!(write(&problem), format!("{START} X; D3:+2;{note}"));
        }
    }

    #[test]
    fn a_scored_pass() {
        let text = "-------- -------- ---XXXXX ---XOOOO ---XXOOO ----XXOO ------XO -------O X; --:-20; +4;";
        let problem = parse_line(text, 1, &Arc::new(RuleSet::othello())).unwrap().unwrap();
        assert_eq!(problem.score_of(Move::Pass), Some(-20));
        assert!(write(&problem).ends_with(" X; +4; --:-20;"));
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
