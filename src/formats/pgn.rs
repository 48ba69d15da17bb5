//! Games in the manner of chess's PGN, as PlayOK gives them and Edax writes them: tags, then numbered moves.
//!
//! ```text
//! [Site "PlayOK"]
//! [Black "ann"]
//! [White "bob"]
//! [Result "37-27"]
//!
//! 1. f5 d6 2. c3 d3 3. c4 f4 37-27
//! ```
//!
//! Remarks in braces belong to the move before them, and may go over several lines; a number alone is an evaluation for the side
//! that moved. Variations in parentheses are left out. `?` and `-` are no names. A result of two numbers is the count of black's
//! and white's discs; `1-0` says something else in different places and is only kept as a tag, as are tags without a meaning here
//! (`Round`). A win without a score is written as one of all discs. A game whose first move is impossible but possible with rows
//! counted from the bottom is read that way. No sample of PlayOK's own files was at hand when this was written.
//!
//! An extension of this program: rules other than othello's on 8x8, its other sizes among them, are named in
//! `[Variant "traveller:6x6"]` (see [`named_rules`](super::named_rules)).

use std::fmt::Write as _;
use std::sync::Arc;

use crate::game::Game;
use crate::rules::text::ParseRulesError;
use crate::rules::{Color, Move, Position, RuleSet};

use super::bounded::MAX_LINE;
use super::fen;
use super::notation::Dialect;
use super::record::{Ending, GameRecord, GameResult, MoveNote, decimal};
use super::transcript::{self, TranscriptError};
use super::{Location, quote};

/// Where and why a text is not a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {kind}")]
pub struct PgnError {
    /// Where in the text.
    pub at: Location,
    /// What is wrong there.
    pub kind: PgnErrorKind,
}

/// What is wrong with a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PgnErrorKind {
    /// A line in brackets is not `[Name "value"]`.
    #[error("{} is not a tag ([Name \"value\"])", quote(.0))]
    Tag(String),
    /// The tag `Variant` begins with the name of rules and goes on wrong.
    #[error("Variant: {0}")]
    Rules(ParseRulesError),
    /// The start position in the tag `FEN`.
    #[error(transparent)]
    Start(#[from] fen::FenError),
    /// A remark or a variation does not end.
    #[error("'{0}' is not closed")]
    Unclosed(char),
    /// A move.
    #[error("move {}: {}", .0.ply, .0.kind)]
    Move(TranscriptError),
}

/// The text begins with a tag, and so is a game of this format.
pub(crate) fn looks_like(text: &str) -> bool {
    let line = text.trim_start_matches('\u{feff}').trim_start().lines().next().unwrap_or_default();
    is_tag(line)
}

/// The line is a tag and nothing else.
pub(super) fn is_tag(line: &str) -> bool {
    tag(line.trim()).is_some()
}

/// `[Name "value"]`.
fn tag(line: &str) -> Option<(&str, String)> {
    let (name, value) = line.strip_prefix('[')?.trim_end().strip_suffix(']')?.trim().split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then(|| (name, value.replace("\\\"", "\"").replace("\\\\", "\\")))
}

/// Reads one game; `text` holds no other. It is played by `rules`, unless it names its own.
///
/// # Errors
/// [`PgnError`] with the place of the first thing wrong.
///
/// ```
/// use std::sync::Arc;
/// use outflank::{formats::pgn, rules::RuleSet};
/// let record = pgn::parse_game("[Black \"ann\"]\n\n1. f5 d6 2. c3 *", &Arc::new(RuleSet::othello())).unwrap();
/// assert_eq!((record.players[0].name.as_str(), record.game.moves().len()), ("ann", 3));
/// ```
pub fn parse_game(text: &str, rules: &Arc<RuleSet>) -> Result<GameRecord, PgnError> {
    let error = |offset, kind| PgnError { at: Location::of(text, offset), kind };
    let mut tags = Vec::new();
    let mut named = None;
    let mut fen = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start_matches('\u{feff}').trim();
        if !trimmed.is_empty() {
            if !trimmed.starts_with('[') {
                break;
            }
            let (name, value) = tag(trimmed).ok_or_else(|| error(offset, PgnErrorKind::Tag(trimmed.to_string())))?;
            if name.eq_ignore_ascii_case("FEN") {
                fen = Some((offset, value.clone()));
            } else if name.eq_ignore_ascii_case("Variant") {
                match value.parse::<RuleSet>() {
                    Ok(rules) => named = Some(Arc::new(rules)),
                    // a word of another program
                    Err(ParseRulesError::UnknownPreset(_)) => {}
                    Err(kind) => return Err(error(offset, PgnErrorKind::Rules(kind))),
                }
            }
            tags.push((name.to_string(), value));
        }
        offset += line.len();
    }
    let rules = named.as_ref().unwrap_or(rules);
    let start = match fen {
        Some((at, value)) => fen::parse(&value, rules).map_err(|kind| error(at, kind.into()))?,
        None => Position::start(rules.clone()),
    };
    let (moves, remarks) =
        moves_only(&text[offset..]).map_err(|(at, c)| error(offset + at, PgnErrorKind::Unclosed(c)))?;
    let game = play(&start, &moves, &remarks).map_err(|found| {
        let at = text[offset..].char_indices().nth(found.column - 1).map_or(text.len(), |(at, _)| offset + at);
        error(at, PgnErrorKind::Move(found))
    })?;
    let mut record = game;
    header(&mut record, tags);
    Ok(record)
}

/// Remarks with the number of characters before their end.
type Remarks = Vec<(usize, String)>;

/// What a character of the moves is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Of a move or between moves.
    Move,
    /// Of a remark or a variation, or one of its brackets.
    Aside,
    /// The end of a remark that is in no variation; where it began.
    RemarkEnd(usize),
}

/// Remarks and variations while the moves are read.
#[derive(Clone, Debug, Default)]
pub(super) struct Asides {
    /// The first bracket that is open, with its place.
    first: Option<(usize, char)>,
    /// How many variations are open: any number, in texts of nothing else.
    variations: usize,
    /// Where the remark that is open begins; they do not nest.
    remark: Option<usize>,
    /// In a remark to the end of the line.
    is_line: bool,
}

impl Asides {
    /// Takes the next character.
    fn take(&mut self, at: usize, c: char) -> Part {
        let keeps = !self.is_open() && !self.is_line;
        match (c, self.remark) {
            ('\n', _) => self.is_line = false,
            ('}', Some(from)) => {
                self.remark = None;
                if self.variations == 0 {
                    self.first = None;
                    return Part::RemarkEnd(from);
                }
            }
            (_, Some(_)) => {}
            _ if self.is_line => {}
            ('{' | '(', None) => {
                self.first.get_or_insert((at, c));
                if c == '{' {
                    self.remark = Some(at);
                } else {
                    self.variations += 1;
                }
                return Part::Aside;
            }
            (')', None) if self.variations > 0 => {
                self.variations -= 1;
                if self.variations == 0 {
                    self.first = None;
                }
            }
            (';', None) if keeps => {
                self.is_line = true;
                return Part::Aside;
            }
            _ => {}
        }
        if keeps { Part::Move } else { Part::Aside }
    }

    /// Takes a line of moves.
    pub fn take_line(&mut self, line: &str) {
        for c in line.chars() {
            self.take(0, c);
        }
    }

    /// In a remark or a variation.
    pub fn is_open(&self) -> bool {
        self.first.is_some()
    }
}

/// The moves alone, everything else blanked out so that places stay right; an error has the offset and the character of what is
/// not closed.
fn moves_only(text: &str) -> Result<(String, Remarks), (usize, char)> {
    let mut moves = String::with_capacity(text.len());
    let mut remarks = Vec::new();
    let mut asides = Asides::default();
    for (count, (at, c)) in text.char_indices().enumerate() {
        let part = asides.take(at, c);
        if let Part::RemarkEnd(from) = part {
            // lines are broken at blanks
            remarks.push((count, text[from + 1..at].replace("\r\n", " ").replace('\n', " ").trim().to_string()));
        }
        // as many characters as before; columns count characters
        moves.push(if part == Part::Move { c } else { ' ' });
    }
    match asides.first {
        Some(place) => Err(place),
        None => Ok((moves, remarks)),
    }
}

/// A word of the moves that is none: a result, a numeric annotation, marks behind a move.
fn is_no_move(word: &str) -> bool {
    let result = word.split_once(['-', ':']).is_some_and(|(black, white)| {
        let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'/');
        number(black) && number(white)
    });
    result || word == "*" || word.starts_with('$') || word.chars().all(|c| matches!(c, '!' | '?' | '.'))
}

/// Plays the moves with the remarks between them; rows are counted from the bottom where only that makes the first move legal.
fn play(start: &Position, moves: &str, remarks: &Remarks) -> Result<GameRecord, TranscriptError> {
    let mut text: Vec<char> = moves.chars().collect();
    blank_words(&mut text);
    let read = |dialect| {
        let mut record = GameRecord::new(Game::from_position(start.clone()));
        let mut from = 0;
        let end = (text.len(), String::new());
        for (to, remark) in remarks.iter().chain([&end]) {
            let part: String = text[from..*to].iter().collect();
            transcript::play_in(dialect, &mut record.game, &part)
                .map_err(|error| TranscriptError { column: error.column + from, ..error })?;
            note(&mut record, remark);
            from = *to;
        }
        record.result = GameResult::of(record.game.position());
        Ok(record)
    };
    read(Dialect::Plain).or_else(|error: TranscriptError| {
        let turned = if error.ply == 1 { read(Dialect::FromBottom).ok() } else { None };
        turned.ok_or(error)
    })
}

/// Words that are no moves become blanks.
fn blank_words(text: &mut [char]) {
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].iter().take_while(|c| !c.is_whitespace()).count();
        let word: String = text[at..at + length].iter().collect();
        if length > 0 && is_no_move(&word) {
            text[at..at + length].fill(' ');
        } else {
            // marks behind a move
            text[at..at + length].iter_mut().filter(|c| matches!(c, '!' | '?')).for_each(|c| *c = ' ');
        }
        at += length.max(1);
    }
}

/// Keeps a remark: as the comment of the last move, or of the game; a number alone is an evaluation for the mover.
fn note(record: &mut GameRecord, remark: &str) {
    let moves = record.game.moves().len();
    if remark.is_empty() {
        return;
    }
    let Some(index) = moves.checked_sub(1) else {
        record.comment.get_or_insert_with(|| remark.to_string());
        return;
    };
    record.notes.resize(moves, MoveNote::default());
    match remark.parse().ok().filter(|value: &f64| value.is_finite()) {
        Some(value) => record.notes[index].eval = Some(value),
        None => record.notes[index].comment = Some(remark.to_string()),
    }
}

/// Names, result and everything else that is no move.
fn header(record: &mut GameRecord, tags: Vec<(String, String)>) {
    let squares = record.game.start().rules().squares() as i32;
    for (name, value) in tags {
        let filled = Some(value.clone()).filter(|value| !value.is_empty() && value != "?" && value != "-");
        let rating = value.parse().ok().filter(|rating: &f64| rating.is_finite());
        match name.to_ascii_lowercase().as_str() {
            "black" => record.players[0].name = filled.unwrap_or_default(),
            "white" => record.players[1].name = filled.unwrap_or_default(),
            "blackelo" | "blackrating" => record.players[0].rating = rating,
            "whiteelo" | "whiterating" => record.players[1].rating = rating,
            "event" => record.event = filled,
            "site" => record.place = filled,
            "date" => record.date = filled.filter(|date| !date.starts_with("????")),
            "timecontrol" => record.players.iter_mut().for_each(|player| player.clock = filled.clone()),
            "fen" | "setup" => {}
            "variant" if value.parse::<RuleSet>().is_ok() => {}
            "result" => match discs(&value, squares) {
                Some(score) => record.result = Some(GameResult::from_score(score, Ending::Played)),
                None if matches!(value.as_str(), "" | "*" | "?") => {}
                None => record.tags.push((name, value)),
            },
            _ => record.tags.push((name, value)),
        }
    }
}

/// Black's score of `37-27`, of a board with so many squares.
pub(super) fn discs(text: &str, squares: i32) -> Option<f64> {
    let (black, white) = text.split_once(['-', ':'])?;
    let (black, white): (i32, i32) = (black.trim().parse().ok()?, white.trim().parse().ok()?);
    let possible = black >= 0 && white >= 0 && (3..=squares).contains(&(black.checked_add(white)?));
    possible.then(|| f64::from(black - white))
}

/// The tag belongs to this format: names of tags of the others are in capitals. What has a field, or is written otherwise, is no
/// such tag.
fn is_kept(name: &str) -> bool {
    let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_written = ["result", "variant"].iter().any(|written| name.eq_ignore_ascii_case(written));
    is_word && !is_written && name.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// A game, with a blank line behind it. Values of tags that are too long for a line are cut.
pub fn write(record: &GameRecord) -> String {
    write_counting(record).0
}

/// The same, with the number of values that were cut.
pub(super) fn write_counting(record: &GameRecord) -> (String, u64) {
    let (mut text, mut cut) = (String::new(), 0);
    let mut tag = |name: &str, value: &str| {
        let value = value.replace(char::is_control, " ");
        let fits = LONGEST_VALUE.min(value.len());
        let end = (0..=fits).rev().find(|&end| value.is_char_boundary(end)).unwrap_or(0);
        cut += u64::from(end < value.len());
        let value = value[..end].replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    let known = |value: &Option<String>| value.clone().unwrap_or("?".to_string());
    tag("Event", &known(&record.event));
    tag("Site", &known(&record.place));
    tag("Date", &record.date.clone().unwrap_or("????.??.??".to_string()));
    for (player, [name, rating]) in record.players.iter().zip([["Black", "BlackElo"], ["White", "WhiteElo"]]) {
        tag(name, if player.name.is_empty() { "?" } else { &player.name });
        player.rating.iter().for_each(|value| tag(rating, &decimal(*value)));
    }
    let result = write_result(record);
    tag("Result", &result);
    let [black, white] = &record.players;
    black.clock.iter().filter(|_| black.clock == white.clock).for_each(|clock| tag("TimeControl", clock));
    let start = record.game.start();
    if **start.rules() != RuleSet::othello() {
        tag("Variant", &start.rules().to_string());
    } else {
        record.tag("Variant").iter().for_each(|word| tag("Variant", word));
    }
    if *start != Position::start(start.rules().clone()) {
        tag("SetUp", "1");
        tag("FEN", &fen::write(start));
    }
    record.tags.iter().filter(|(name, _)| is_kept(name)).for_each(|(name, value)| tag(name, value));
    text.push('\n');
    let comment = record.comment.iter().map(|comment| remark(comment));
    let mut column = 0;
    for word in comment.chain(move_words(record)).chain([result]) {
        let first_line = word.find('\n').unwrap_or(word.len());
        if column + first_line >= WIDTH {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
        }
        column = word.rfind('\n').map_or(column + word.len(), |end| word.len() - end - 1) + 1;
        text += &word;
    }
    (text + "\n\n", cut)
}

/// Numbers, moves and remarks.
fn move_words(record: &GameRecord) -> impl Iterator<Item = String> {
    record.game.moves().iter().enumerate().flat_map(|(i, mv)| {
        let number = (i % 2 == 0).then(|| format!("{}.", i / 2 + 1));
        let mv = if *mv == Move::Pass { "pass".to_string() } else { mv.to_string() };
        let note = record.note(i);
        let eval = note.and_then(|note| note.eval).map(|eval| format!("{{{eval:+.2}}}"));
        let remark = note.and_then(|note| note.comment.as_ref()).map(|text| remark(text));
        [number, Some(mv), eval, remark].into_iter().flatten()
    })
}

/// Lines are shorter, where there are blanks.
const WIDTH: usize = 80;
/// Values of tags are cut after so many bytes: a tag is one line, in which each of them may need two and the name some.
const LONGEST_VALUE: usize = MAX_LINE / 4;
/// Words without blanks are cut after so many bytes, for no line may have more than [`MAX_LINE`].
const LONGEST_WORD: usize = MAX_LINE / 2;

/// A remark in braces, broken into lines at blanks; not where a line would begin with `[` or `%`, which say something else there.
fn remark(text: &str) -> String {
    let text = text.replace(['{', '}'], "'").replace(char::is_control, " ");
    let mut out = String::from("{");
    let mut column = 1;
    for (i, word) in text.split(' ').enumerate() {
        if i > 0 {
            let may_break = !word.is_empty() && !word.starts_with(['[', '%']);
            let breaks = column >= LONGEST_WORD || may_break && column + word.len() >= WIDTH;
            out.push(if breaks { '\n' } else { ' ' });
            column = if breaks { 0 } else { column + 1 };
        }
        for c in word.chars() {
            if column >= LONGEST_WORD {
                out.push('\n');
                column = 0;
            }
            out.push(c);
            column += c.len_utf8();
        }
    }
    out + "}"
}

/// `37-27`: the discs of black and white, empty squares counted for the winner; for a score that no discs on this board have what
/// the file has said, or else `*`.
fn write_result(record: &GameRecord) -> String {
    let squares = f64::from(record.game.start().rules().squares());
    let Some(GameResult { winner, score, .. }) = record.result else {
        let word = record.tag("Result").filter(|word| is_no_move(word) && !word.contains(char::is_whitespace));
        return word.unwrap_or("*").to_string();
    };
    let score = score.unwrap_or(match winner {
        Some(Color::Black) => squares,
        Some(Color::White) => -squares,
        None => 0.0,
    });
    if score.abs() > squares || score.fract() != 0.0 {
        return "*".to_string();
    }
    // an odd score leaves a square to nobody
    format!("{}-{}", ((squares + score) / 2.0).floor(), ((squares - score) / 2.0).floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<GameRecord, String> {
        parse_game(text, &Arc::new(RuleSet::othello())).map_err(|error| error.to_string())
    }

    #[test]
    fn a_game_with_everything() {
        let text = "[Event \"Cup\"]\r\n[Site \"PlayOK\"]\r\n[Black \"ann\"]\r\n[White \"b\\\"ob\"]\r\n[WhiteElo \"1500\"]\r\n\
                    [Result \"33-31\"]\r\n\r\n1. f5 {good} d6?! 2. c3 (2. c4 d3) D3 $4 3. c4 ; rest\r\n{-1.50} 33-31\r\n";
        let record = parse(text).unwrap();
        assert_eq!(transcript::write(&record.game), "f5d6c3d3c4");
        assert_eq!((record.event.as_deref(), record.place.as_deref()), (Some("Cup"), Some("PlayOK")));
        assert_eq!((record.players[1].name.as_str(), record.players[1].rating), ("b\"ob", Some(1500.0)));
        assert_eq!(record.result, Some(GameResult::from_score(2.0, Ending::Played)));
        assert_eq!((record.notes[0].comment.as_deref(), record.notes[4].eval), (Some("good"), Some(-1.5)));
        assert_eq!(parse(&write(&record)).as_ref(), Ok(&record), "{}", write(&record));
    }

    #[test]
    fn rules_are_named() {
        for name in ["othello:6x6", "traveller", "hungarian:6x4,fewest", "othello:one"] {
            let rules: Arc<RuleSet> = Arc::new(name.parse().unwrap());
            let mut game = Game::from_position(Position::start(rules));
            for _ in 0..8 {
                game.play(game.position().legal_moves()[0]).unwrap();
            }
            // whole, and from a position that is set up
            for start in [game.start().clone(), game.position().clone()] {
                let mut record = GameRecord::new(Game::from_position(start));
                record.game.play(record.game.position().legal_moves()[0]).unwrap();
                let text = write(&record);
                assert!(text.contains(&format!("\n[Variant \"{name}\"]\n")), "{text}");
                assert_eq!(parse(&text).as_ref(), Ok(&record), "{text}");
                // the tags come in any order
                let mut lines: Vec<&str> = text.lines().collect();
                let end = lines.iter().position(|line| line.is_empty()).unwrap();
                lines[..end].reverse();
                assert_eq!(parse(&lines.join("\n")).as_ref(), Ok(&record), "{text}");
            }
        }
        assert!(!write(&parse("f5 d6").unwrap()).contains("Variant"));
        // words of other programs are no rules; ours that are wrong are an error
        assert_eq!(parse("[Variant \"Blitz\"]\n\n1. f5").unwrap().tag("Variant"), Some("Blitz"));
        let error = parse("[Black \"a\"]\n[Variant \"traveller:quick\"]\n\n1. f5").unwrap_err();
        assert!(error.starts_with("line 2, column 1: Variant: unknown rule 'quick'"), "{error}");
    }

    #[test]
    fn rows_from_the_bottom_and_other_starts() {
        let turned = parse("[Black \"a\"]\n\n1. f4 d3 2. c6 *").unwrap();
        assert_eq!(transcript::write(&turned.game), "f5d6c3");
        let late = transcript::parse(&Position::default(), "f5d6").unwrap();
        let mut game = Game::from_position(late.position().clone());
        transcript::play(&mut game, "c3d3").unwrap();
        let record = GameRecord::new(game);
        assert_eq!(parse(&write(&record)), Ok(record));
    }

    #[test]
    fn errors_have_places() {
        for (text, message) in [
            ("[Black ann]\n\nf5", "line 1, column 1: '[Black ann]' is not a tag ([Name \"value\"])"),
            ("[Black \"a\"]\n\n1. f5 d6\n2. c3 a1 *", "line 4, column 7: move 4: white cannot play 'a1': "),
            ("[Black \"a\"]\n\n1. f5 {good} d6\n2. c3 a1 *", "line 4, column 7: move 4: white cannot play 'a1': "),
            ("1. f5 {good} a1 (c4) *", "line 1, column 14: move 2: white cannot play 'a1': "),
            ("[Black \"a\"]\n\n1. f5 {d6", "line 3, column 7: '{' is not closed"),
            ("[FEN \"8/8 w\"]\n\nf5", "line 1, column 1: FEN: 2 rows, not 8"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
        assert!(looks_like("\u{feff}\n[Event \"x\"]\n") && !looks_like("[f5]") && !looks_like("f5d6"));
    }

    #[test]
    fn results_that_are_not_discs_stay_tags() {
        let record = parse("[Result \"1-0\"]\n\n1. f5 d6 1-0").unwrap();
        assert_eq!((record.result, record.tag("Result")), (None, Some("1-0")));
        for text in ["70:-6", "2-0", "64-1", "60:60", "-3-67", "x-3", "37"] {
            let record = parse(&format!("[Result \"{text}\"]\n\n1. f5 d6 *")).unwrap();
            assert_eq!((record.result, record.tag("Result")), (None, Some(text)));
        }
        for (text, score) in [("64-0", 64.0), ("0:64", -64.0), ("3-0", 3.0), ("32 : 32", 0.0)] {
            let record = parse(&format!("[Result \"{text}\"]\n\n1. f5 d6 *")).unwrap();
            assert_eq!(record.result, Some(GameResult::from_score(score, Ending::Played)));
            assert_eq!(record.tag("Result"), None);
        }
    }

    #[test]
    fn tags_without_a_meaning_are_kept() {
        let text = "[Black \"a\"]\n[Round \"3.1\"]\n[Result \"0-1\"]\n[Variant \"Blitz\"]\n[TimeControl \"5:00\"]\n\n1. f5 0-1";
        let record = parse(text).unwrap();
        assert_eq!((record.tag("Round"), record.tag("Result")), (Some("3.1"), Some("0-1")));
        let mut again = parse(&write(&record)).unwrap();
        assert!(write(&record).ends_with("1. f5 0-1\n\n"), "{}", write(&record));
        again.tags.sort_by_key(|(name, _)| record.tags.iter().position(|(known, _)| known == name));
        assert_eq!(again, record, "{}", write(&record));
        // tags of other formats, and a result that is none
        let mut other = parse("1. f5").unwrap();
        other.tags = ["KB", "Result", "not a tag"].map(|name| (name.to_string(), "Ann says".to_string())).to_vec();
        assert_eq!(parse(&write(&other)).unwrap().tags, []);
    }

    #[test]
    fn remarks_of_any_length_are_read_again() {
        let mut record = parse("1. f5 d6 2. c3 *").unwrap();
        let long = "word ".repeat(15_000).trim().to_string();
        let brackets = "[%clk 0:05] ".repeat(9_000) + "[Event \"x\"] % y   z; (";
        for text in ["good", &long, &brackets, &format!("a{}z", " ".repeat(90_000))] {
            record.comment = Some(text.to_string());
            record.notes =
                vec![MoveNote::default(), MoveNote { comment: record.comment.clone(), ..MoveNote::default() }];
            let page = write(&record);
            assert!(
                page.lines().all(|line| line.len() < MAX_LINE && !is_tag(line) || line.len() < WIDTH),
                "{}",
                page.len()
            );
            let mut again = parse(&page).unwrap();
            again.notes.truncate(2);
            assert_eq!((again.comment, again.notes), (record.comment.clone(), record.notes.clone()));
        }
        assert!(
            write(&GameRecord { comment: Some(long), notes: Vec::new(), ..record })
                .lines()
                .all(|line| line.len() <= WIDTH)
        );
        // a word without end gets blanks
        let mut endless = parse("1. f5 *").unwrap();
        endless.comment = Some("ä".repeat(50_000));
        let again = parse(&write(&endless)).unwrap();
        assert_eq!(again.comment.unwrap().replace(' ', ""), endless.comment.unwrap());
        assert_eq!(parse("{one\r\ntwo}\n1. f5\n").unwrap().comment.as_deref(), Some("one two"));
    }

    #[test]
    fn tags_of_any_length_are_read_again() {
        let mut record = parse("1. f5 *").unwrap();
        record.players[0].name = "ä\"".repeat(100_000);
        record.event = Some("Cup".to_string());
        let (page, cut) = write_counting(&record);
        assert!(cut == 1 && page.lines().all(|line| line.len() < MAX_LINE), "{cut}");
        let again = parse(&page).unwrap();
        assert!(again.players[0].name.len() > 10_000 && record.players[0].name.starts_with(&again.players[0].name));
        assert_eq!(again.event, record.event);
    }

    #[test]
    fn results_that_are_written_are_read_again() {
        let mut record = parse("1. f5 d6 2. c3 d3 3. c4 f4 *").unwrap();
        for (score, text) in [(3.0, "33-30"), (-3.0, "30-33"), (64.0, "64-0"), (-63.0, "0-63"), (0.0, "32-32")] {
            record.result = Some(GameResult::from_score(score, Ending::Played));
            assert!(write(&record).ends_with(&format!(" {text}\n\n")), "{}", write(&record));
            assert_eq!(parse(&write(&record)).as_ref(), Ok(&record), "{}", write(&record));
        }
        for score in [-204.0, 66.0, 3.5] {
            record.result = Some(GameResult::from_score(score, Ending::Played));
            let again = parse(&write(&record)).unwrap();
            assert_eq!((again.result, transcript::write(&again.game).as_str()), (None, "f5d6c3d3c4f4"));
        }
    }

    #[test]
    fn remarks_and_variations_hide_each_other() {
        for text in [
            "1. f5 (1. d3 ; c3) d6 2. c3",
            "1. f5 {; ( )} d6 2. c3",
            "1. f5 (1. d3 {)} (c3 c4) e3) d6 2. c3",
            "1. f5 ; a remark ( { to the end of the line\nd6 2. c3",
        ] {
            assert_eq!(parse(text).map(|record| transcript::write(&record.game)).as_deref(), Ok("f5d6c3"), "{text}");
        }
        for text in ["1. f5 ) d6", "1. f5 } d6", "1. f5 (d6 {)", "1. f5 {d6", "1. f5 (d6 (c3)"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
