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
//! that moved (of two the second is a remark). Variations in parentheses are left out, and remarks to the end of a line (`;`). `?`
//! and `-` are no names. A result of two numbers is the count of black's and white's discs; `1-0` says something else in different
//! places and is only kept as a tag, as are tags without a meaning here (`Round`). A win without a score is written as one of all
//! discs. A game whose first move is impossible but possible with rows counted from the bottom is read that way. No sample of
//! PlayOK's own files was at hand when this was written.
//!
//! An extension of this program: rules other than othello's on 8x8, its other sizes among them, are named in
//! `[Variant "traveller:6x6"]` (see [`named_rules`](super::named_rules)).

mod asides;
mod write;

pub(super) use asides::Asides;
pub use write::write;
pub(super) use write::write_counting;

use std::sync::Arc;

use crate::game::Game;
use crate::rules::text::ParseRulesError;
use crate::rules::{Objective, Position, RuleSet};

use super::fen;
use super::notation::Dialect;
use super::record::{Ending, GameRecord, GameResult, MoveNote, one_line};
use super::transcript::{self, TranscriptError};
use super::{Location, quote};
use asides::{Remarks, blank_words, moves_only};

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
#[non_exhaustive]
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

/// Keeps a remark: as the comment of the last move, or of the game; a number alone is an evaluation for the mover.
fn note(record: &mut GameRecord, remark: &str) {
    if remark.is_empty() {
        return;
    }
    match (record.last_note(), evaluation(remark)) {
        (Some(MoveNote { eval: eval @ None, .. }), Some(value)) => *eval = Some(value),
        _ => record.add_remark(remark),
    }
}

/// A month or a day that is not known, with the dot before it.
const UNKNOWN_PART: &str = ".??";

/// The evaluation that a remark is.
fn evaluation(remark: &str) -> Option<f64> {
    remark.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Names, result and everything else that is no move.
fn header(record: &mut GameRecord, tags: Vec<(String, String)>) {
    let rules = record.game.start().rules().clone();
    for (name, value) in tags {
        let says = |value: &String| !matches!(value.as_str(), "" | "?" | "-");
        let filled = Some(one_line(&value)).filter(says);
        let rating = value.parse().ok().filter(|rating: &f64| rating.is_finite());
        match name.to_ascii_lowercase().as_str() {
            "black" => record.players[0].name = filled.unwrap_or_default(),
            "white" => record.players[1].name = filled.unwrap_or_default(),
            "blackelo" | "blackrating" => record.players[0].rating = rating,
            "whiteelo" | "whiterating" => record.players[1].rating = rating,
            "event" => record.event = filled,
            "site" => record.place = filled,
            "date" => {
                let known = filled.map(|date| date.trim_end_matches(UNKNOWN_PART).trim_end().to_string());
                record.date = known.filter(|date| says(date) && !date.starts_with("????"));
            }
            "timecontrol" => record.players.iter_mut().for_each(|player| player.clock = filled.clone()),
            "fen" | "setup" => {}
            "variant" if value.parse::<RuleSet>().is_ok() => {}
            "result" => match counted(&value, &rules) {
                Some(result) => record.result = Some(result),
                None if matches!(value.as_str(), "" | "*" | "?") => {}
                None => record.tags.push((name, value)),
            },
            _ => record.tags.push((name, value)),
        }
    }
}

/// The result in `37-27`, the discs of black and white on a board of these rules.
pub(super) fn counted(text: &str, rules: &RuleSet) -> Option<GameResult> {
    let (black, white) = text.split_once(['-', ':'])?;
    let (black, white): (i32, i32) = (black.trim().parse().ok()?, white.trim().parse().ok()?);
    let discs = black.checked_add(white)?;
    let is_possible = black >= 0 && white >= 0 && (3..=rules.squares() as i32).contains(&discs);
    let score = match rules.objective() {
        Objective::Most => black - white,
        Objective::Fewest => white - black,
    };
    is_possible.then(|| GameResult::under(rules, f64::from(score), Ending::Played))
}

#[cfg(test)]
mod tests;
