//! Games and positions that take a line each, or a few.
//!
//! A line may be a game (moves, with or without a board before them; lines that begin with a move number go on with it), a
//! position (a board string, OBF, FEN), or a line of a board as the GGS server shows it. Texts of Othello Quest and the like have
//! names and dates above the moves: `Black: ann (1650)`, `White: bob`, `ann (1650) vs bob (1600)`, `Date: ...`, `Result: 40-24`,
//! `Moves: f5d6c3`, in English or Japanese; they belong to the game after them. No sample of Othello Quest's own texts was at
//! hand when this was written.

use std::io::BufRead;
use std::sync::Arc;

use crate::formats::bounded::{self, LineRead, MAX_LINE};
use crate::formats::files::GameFileErrorKind;
use crate::formats::ggs::BoardLines;
use crate::formats::record::{GameRecord, GameResult, Player, one_line};
use crate::formats::{board_text, fen, named_rules, obf, pgn, transcript};
use crate::game::Game;
use crate::rules::{Position, RuleSet};

/// The games of a stream of lines.
pub(super) struct Lines<R> {
    input: R,
    rules: Arc<RuleSet>,
    bytes: Vec<u8>,
    /// Lines read.
    count: usize,
    /// A line, or what is wrong with it, that was read to see whether it goes on with the game before it.
    pending: Option<Result<String, GameFileErrorKind>>,
    boards: BoardLines,
    about: About,
    /// What follows cannot be understood.
    failed: bool,
}

/// What lines above a game say about it.
#[derive(Default)]
struct About {
    players: [Player; 2],
    event: Option<String>,
    place: Option<String>,
    date: Option<String>,
    result: Option<GameResult>,
}

impl About {
    /// The game or position that the lines stand above.
    fn said_of(self, record: GameRecord) -> GameRecord {
        GameRecord {
            players: self.players,
            event: self.event,
            place: self.place,
            date: self.date,
            result: self.result.or(record.result),
            ..record
        }
    }
}

/// What a line above a game is about, in the words of several programs.
const KEYS: [(&str, &[&str]); 7] = [
    ("black", &["black", "黒", "先手", "first"]),
    ("white", &["white", "白", "後手", "second"]),
    ("event", &["event", "tournament", "大会"]),
    ("place", &["place", "site", "場所"]),
    ("date", &["date", "日付", "日時", "対局日"]),
    ("result", &["result", "score", "結果"]),
    ("moves", &["moves", "transcript", "kifu", "棋譜"]),
];

impl<R: BufRead> Lines<R> {
    /// The games of a stream, played by these rules where it does not name others.
    pub fn new(input: R, rules: Arc<RuleSet>) -> Lines<R> {
        let (boards, about) = (BoardLines::default(), About::default());
        Lines { input, rules, bytes: Vec::new(), count: 0, pending: None, boards, about, failed: false }
    }

    /// The next game or position (a game without moves).
    pub fn next_game(&mut self) -> Option<Result<GameRecord, GameFileErrorKind>> {
        while !self.failed || self.pending.is_some() {
            let line = match self.next_line()? {
                Ok(line) => line,
                Err(error) => {
                    // what was said before was said of the game that cannot be read, if it is one
                    if !is_remark(&decode(&self.bytes)) {
                        self.about = About::default();
                    }
                    return Some(Err(error));
                }
            };
            let number = self.count;
            match named_rules::in_comment(&line) {
                Some(Ok(rules)) => self.rules = rules,
                Some(Err(error)) => {
                    self.failed = true;
                    return Some(Err(GameFileErrorKind::Rules { line: number, error }));
                }
                None => {}
            }
            let found = match self.position(&line, number) {
                Some(found) => found,
                None if line.trim_start().starts_with('|') => None,
                None => match self.moves(line) {
                    Some(text) => self.game(text, number),
                    None => None,
                },
            };
            if let Some(found) = found {
                let about = std::mem::take(&mut self.about);
                return Some(found.map(|record| about.said_of(record)));
            }
        }
        None
    }

    /// The position that ends with this line: `None` when it is no position, `Some(None)` when it belongs to one.
    #[allow(clippy::type_complexity)]
    fn position(&mut self, line: &str, number: usize) -> Option<Option<Result<GameRecord, GameFileErrorKind>>> {
        let record = |position: Position| GameRecord::new(Game::from_position(position));
        let wrong = |problem: String| GameFileErrorKind::Line { line: number, problem };
        let trimmed = line.trim();
        if let Some(rest) = trimmed.strip_prefix('|') {
            let board = self.boards.take(rest.trim_end_matches('|'), &self.rules);
            return board.map(|board| Some(board.map(record).map_err(|error| wrong(error.to_string()))));
        }
        if fen::looks_like(trimmed) {
            let position = fen::parse(trimmed, &self.rules);
            return Some(Some(position.map(record).map_err(|error| wrong(error.to_string()))));
        }
        if trimmed.contains(';') && trimmed.find(';') > Some(self.rules.cells() as usize) {
            let problem = obf::parse_line(trimmed, number, &self.rules);
            return match problem {
                Ok(Some(problem)) => Some(Some(Ok(obf::to_record(problem)))),
                Ok(None) => Some(None),
                Err(_) => None,
            };
        }
        None
    }

    /// The moves in a line; `None` when it is a line about the game, which is kept.
    fn moves(&mut self, line: String) -> Option<String> {
        let trimmed = line.trim();
        if is_remark(trimmed) {
            return Some(line);
        }
        // what stands in a comment is nothing about the game
        let said = trimmed.split(['#', '%']).next().unwrap_or_default();
        if said.contains("://") || trimmed.to_lowercase().starts_with("othello quest") {
            return None;
        }
        let known = trimmed.split_once([':', '：']).and_then(|(key, value)| {
            let key = key.trim().to_lowercase();
            KEYS.iter().find(|(_, words)| words.contains(&key.as_str())).map(|(key, _)| (*key, value))
        });
        let Some((key, value)) = known else {
            let Some((black, white)) = said.split_once(" vs ").or_else(|| said.split_once(" vs. ")) else {
                return Some(line);
            };
            self.about.players = [player(black), player(white)];
            return None;
        };
        let filled = Some(one_line(value)).filter(|value| !value.is_empty());
        match key {
            "black" => self.about.players[0] = player(value),
            "white" => self.about.players[1] = player(value),
            "event" => self.about.event = filled,
            "place" => self.about.place = filled,
            "date" => self.about.date = filled,
            "result" => self.about.result = pgn::counted(value.trim(), &self.rules),
            _ => {
                // blanks keep the columns right
                let before = line.chars().count() - line.trim_start().chars().count() + trimmed.chars().count();
                return Some(" ".repeat(before - value.chars().count()) + value);
            }
        }
        None
    }

    /// The game whose moves begin in a line; `None` when there is nothing but comments.
    fn game(&mut self, mut text: String, number: usize) -> Option<Result<GameRecord, GameFileErrorKind>> {
        while text.len() < MAX_LINE {
            match self.next_line() {
                Some(Ok(line)) if transcript::continues(&line) => text += &line,
                Some(Ok(line)) => {
                    self.count -= 1;
                    self.pending = Some(Ok(line));
                    break;
                }
                // the rest of the game
                Some(Err(error)) if transcript::continues(&decode(&self.bytes)) => return Some(Err(error)),
                Some(Err(error)) => {
                    self.count -= 1;
                    self.pending = Some(Err(error));
                    break;
                }
                None => break,
            }
        }
        transcript_record(&text, number, &self.rules)
    }

    fn next_line(&mut self) -> Option<Result<String, GameFileErrorKind>> {
        self.count += 1;
        if let Some(line) = self.pending.take() {
            return Some(line);
        }
        match bounded::read_line(&mut self.input, &mut self.bytes, MAX_LINE) {
            Ok(LineRead::End) => {
                self.count -= 1;
                None
            }
            Ok(LineRead::Line) => Some(Ok(decode(&self.bytes))),
            Ok(LineRead::TooLong) => Some(Err(too_long(self.count))),
            Err(error) => {
                self.failed = true;
                Some(Err(error.into()))
            }
        }
    }
}

/// The game of a block; `None` when there is nothing but comments.
fn transcript_record(block: &str, line: usize, rules: &Arc<RuleSet>) -> Option<Result<GameRecord, GameFileErrorKind>> {
    // comments become blanks, so that columns stay right
    let mut text = String::with_capacity(block.len());
    for line in block.split_inclusive('\n') {
        // a board may have `#` for its squares
        let board =
            if board_text::is_row(line, rules) { line.find(char::is_whitespace).unwrap_or(line.len()) } else { 0 };
        let end = line[board..].find(['#', '%']).map_or(line.len(), |end| board + end);
        text.push_str(&line[..end]);
        text.push(' ');
    }
    let mut moves = text.trim();
    if moves.is_empty() {
        return None;
    }
    let (start, read): (_, fn(&Position, &str) -> _) =
        match begins_with_board(moves, rules).then(|| board_text::parse_prefix(moves, rules)) {
            None => (Position::start(rules.clone()), transcript::parse_some),
            Some(Ok((start, length))) => {
                moves = &moves[length..];
                (start, transcript::parse)
            }
            Some(Err(error)) => return Some(Err(GameFileErrorKind::Board { line, error: error.kind })),
        };
    // the column counts from the beginning of the line
    let offset = moves.as_ptr() as usize - text.as_ptr() as usize;
    let blanks = " ".repeat(text[..offset].chars().count());
    let game = read(&start, &(blanks + moves));
    Some(match game {
        Ok(game) => Ok(GameRecord::new(game)),
        Err(error) => Err(GameFileErrorKind::Transcript { line, error }),
    })
}

/// The text begins with a whole board, in one word, also with the side to move joined to it, or in a word for each row.
pub(in crate::formats) fn begins_with_board(text: &str, rules: &RuleSet) -> bool {
    let are_squares = |word: &str| word.chars().all(|c| board_text::is_square(c, rules));
    let word = text.split_whitespace().next().unwrap_or_default();
    let cells = rules.cells() as usize;
    if [cells, cells + 1].contains(&word.len()) {
        return are_squares(word);
    }
    let (rows, columns) = (rules.rows() as usize, rules.columns() as usize);
    let words = || text.split(|c: char| c.is_whitespace() || c == '/').take(rows);
    words().count() == rows && words().all(|row| row.len() == columns && are_squares(row))
}

/// The whole line is a remark.
pub(super) fn is_remark(line: &str) -> bool {
    line.trim_start().starts_with(['#', '%'])
}

/// A line in UTF-8, or else in Latin-1, without a mark of byte order.
pub(super) fn decode(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).map(str::to_string);
    let text = text.unwrap_or_else(|_| bytes.iter().map(|&byte| char::from(byte)).collect());
    text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text)
}

pub(super) fn too_long(line: usize) -> GameFileErrorKind {
    GameFileErrorKind::Line { line, problem: format!("the line has more than {MAX_LINE} bytes") }
}

/// `ann (1650)`.
fn player(text: &str) -> Player {
    let text = text.trim();
    let rated = text.strip_suffix(')').and_then(|text| text.rsplit_once('('));
    let rating = rated.and_then(|(name, rating)| Some((name, rating.trim().parse().ok()?)));
    match rating.filter(|(_, rating): &(&str, f64)| rating.is_finite()) {
        Some((name, rating)) => Player { name: one_line(name), rating: Some(rating), clock: None },
        None => Player { name: one_line(text), ..Player::default() },
    }
}
