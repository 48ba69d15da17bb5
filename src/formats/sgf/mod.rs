//! SGF for Othello (`GM[2]`): the files of Quarry, GoGui and Edax.
//!
//! Squares come in three habits, told apart by themselves: letter and number (Edax, `B[f5]`), two letters with
//! row `a` at the top (Quarry, `B[fe]`), two letters with row `a` at the bottom (GoGui, `B[fd]`). Both two-letter
//! habits are tried, and a game that only one of them makes legal is read by that one; a game that both make legal
//! (from a symmetric set-up position) is read by the habit of the program in `AP`, and by Quarry's otherwise.
//! Passes may be `B[]`, `B[tt]`, spelled out, or left out. Of variations the main line is read: the first child
//! at each fork. Set-up stones (`AB`, `AW`, `AE`, `PL`) must come before the first move.
//!
//! Writing uses Quarry's habit, so that Quarry opens the file, and leaves passes out because the colours tell; a
//! pass at the very end is written `B[]`.
//!
//! Extensions of this program: under one-direction rules the direction follows the square (`B[fe:W]`); `RU[traveller]`
//! names rules other than othello's (see [`named_rules`](super::named_rules)); `HANDS[12/10]` has the discs in hand of a
//! position that is set up, where they are not plain to see.

mod tree;
mod write;

pub use write::{Annotation, Mark, Variation, write, write_annotated};

use std::sync::Arc;

use crate::game::Game;
use crate::rules::text::ParseRulesError;
use crate::rules::{Bits, Color, Point, Position, RuleSet};

use super::board_text::{self, BoardTextErrorKind};
use super::notation::is_pass;
use super::play::{PlayError, play_as};
use super::record::{Ending, GameRecord, GameResult, MoveNote, add_line, one_line};
use super::{Cursor, Location, quote};
use tree::{Node, Value};

/// Where and why a text is not an SGF game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {kind}")]
pub struct SgfError {
    /// Where in the text.
    pub at: Location,
    /// What is wrong there.
    pub kind: SgfErrorKind,
}

/// What is wrong with an SGF text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SgfErrorKind {
    /// No `(;` anywhere.
    #[error("no game: a game begins with '(;'")]
    NoGame,
    /// The text ends within a game.
    #[error("the game does not end: ')' is missing")]
    Unclosed,
    /// The text ends within a property's value.
    #[error("the value of {0} does not end: ']' is missing")]
    UnclosedValue(String),
    /// Something other than a node, a variation or a property.
    #[error("{} is not a property (NAME[value])", quote(.0))]
    NotAProperty(String),
    /// `GM` is not 2.
    #[error("the game is number {}, not Othello (GM[2])", quote(.0))]
    OtherGame(String),
    /// `SZ` is no size of a board.
    #[error("{} is not a board size (4 to 16)", quote(.0))]
    Size(String),
    /// `RU` begins with the name of rules and goes on wrong.
    #[error("RU: {0}")]
    Rules(ParseRulesError),
    /// The stones that are set up, the side to move and the discs in hand do not go together.
    #[error("set-up: {0}")]
    Setup(BoardTextErrorKind),
    /// A value of `AB`, `AW`, `AE` is no square of the board.
    #[error("{} is not a square of the board", quote(.0))]
    Square(String),
    /// `PL` is neither black nor white.
    #[error("{} is neither B nor W", quote(.0))]
    Side(String),
    /// Stones are set up in the middle of the game.
    #[error("{0} after the first move is not supported")]
    LateSetup(String),
    /// A move.
    #[error("move {ply}: {error}")]
    Move {
        /// Its number, from 1, passes counted.
        ply: usize,
        /// What is wrong with it.
        error: PlayError,
    },
}

/// An error with the byte offset of its place.
type Located = (usize, SgfErrorKind);

/// Reads the first game of a text under the rules of othello.
///
/// # Errors
/// [`SgfError`] with the place of the first thing wrong.
///
/// ```
/// use outflank::formats::sgf;
/// let record = sgf::parse_game("(;GM[2]SZ[8]PB[Ann];B[cd];W[ec])").unwrap();
/// assert_eq!(record.game.moves()[1].to_string(), "e3");
/// ```
pub fn parse_game(text: &str) -> Result<GameRecord, SgfError> {
    let rules = Arc::new(RuleSet::othello());
    games(text, rules).next().unwrap_or(Err(SgfError { at: Location::of(text, 0), kind: SgfErrorKind::NoGame }))
}

/// The games of a text, one after the other, played by `rules` except for the rules and the size that a game states
/// itself; after a bad game reading goes on with the next one.
pub fn games(text: &str, rules: Arc<RuleSet>) -> impl Iterator<Item = Result<GameRecord, SgfError>> {
    let mut cursor = Cursor::default();
    std::iter::from_fn(move || next_game(text, &mut cursor, &rules))
}

/// Reads the next game from the cursor on and moves it behind the game.
pub(super) fn next_game(text: &str, cursor: &mut Cursor, rules: &Arc<RuleSet>) -> Option<Result<GameRecord, SgfError>> {
    tree::find_game(text, &mut cursor.offset)?;
    let result = tree::main_line(text, cursor).and_then(|nodes| record(&nodes, rules));
    Some(result.map_err(|(at, kind)| SgfError { at: cursor.locator.locate(text, at), kind }))
}

/// Where row `a` of a two-letter square is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// At the top, as in Quarry.
    Downwards,
    /// At the bottom, as in GoGui.
    Upwards,
}

fn record(nodes: &[Node], rules: &Arc<RuleSet>) -> Result<GameRecord, Located> {
    let rules = game_rules(nodes, rules)?;
    let by_gogui = value_of(nodes, "AP").is_some_and(|program| program.text.starts_with("GoGui"));
    let habits = if by_gogui { [Rows::Upwards, Rows::Downwards] } else { [Rows::Downwards, Rows::Upwards] };
    let read = |rows| Reader { rows, rules: &rules }.record(nodes);
    let mut record = read(habits[0]).or_else(|error| read(habits[1]).map_err(|_| error))?;
    header(&mut record, nodes);
    Ok(record)
}

fn value_of<'a>(nodes: &'a [Node], name: &str) -> Option<&'a Value> {
    nodes.iter().flat_map(|node| &node.properties).find(|property| property.name == name)?.values.first()
}

/// The rules that the game names, or else those of the reader, with the game's board size.
fn game_rules(nodes: &[Node], rules: &Arc<RuleSet>) -> Result<Arc<RuleSet>, Located> {
    if let Some(game) = value_of(nodes, "GM").filter(|game| game.text.trim() != "2") {
        return Err((game.offset, SgfErrorKind::OtherGame(game.text.clone())));
    }
    let named = value_of(nodes, "RU").map(|value| (value.offset, value.text.parse::<RuleSet>()));
    let rules = &match named {
        Some((_, Ok(named))) => Arc::new(named),
        // words of another program
        None | Some((_, Err(ParseRulesError::UnknownPreset(_)))) => rules.clone(),
        Some((offset, Err(error))) => return Err((offset, SgfErrorKind::Rules(error))),
    };
    let Some(size) = value_of(nodes, "SZ") else { return Ok(rules.clone()) };
    let (columns, rows) = size.text.split_once(':').unwrap_or((&size.text, &size.text));
    let number = |text: &str| text.trim().parse().ok().filter(|size: &u8| (4..=16).contains(size));
    let (Some(rows), Some(columns)) = (number(rows), number(columns)) else {
        return Err((size.offset, SgfErrorKind::Size(size.text.clone())));
    };
    if (rows, columns) == (rules.rows(), rules.columns()) {
        return Ok(rules.clone());
    }
    let sized = rules.to_builder().size(rows, columns).build();
    sized.map(|rules| Arc::new(rules.renamed())).map_err(|_| (size.offset, SgfErrorKind::Size(size.text.clone())))
}

/// Reads set-up and moves by one habit.
struct Reader<'a> {
    rows: Rows,
    rules: &'a Arc<RuleSet>,
}

impl Reader<'_> {
    fn record(&self, nodes: &[Node]) -> Result<GameRecord, Located> {
        let mut record = GameRecord::new(Game::from_position(self.start(nodes)?));
        let mut in_game = false;
        for node in nodes {
            let mut note = MoveNote::default();
            let mut played = None;
            let mut clocks = [None; 2];
            for property in &node.properties {
                let Some(value) = property.values.first() else { continue };
                let number = || value.text.trim().parse().ok().filter(|number: &f64| number.is_finite());
                match property.name.as_str() {
                    "B" => played = Some((Color::Black, value)),
                    "W" => played = Some((Color::White, value)),
                    "AB" | "AW" | "AE" | "PL" if in_game => {
                        return Err((value.offset, SgfErrorKind::LateSetup(property.name.clone())));
                    }
                    "C" => note.comment = Some(value.text.trim().to_string()).filter(|text| !text.is_empty()),
                    "BL" => clocks[0] = number(),
                    "WL" => clocks[1] = number(),
                    "V" => note.eval = number(),
                    _ => {}
                }
            }
            let Some((side, value)) = played else {
                // a remark before the first move is about the game, a later one about the move before it
                note.comment.iter().for_each(|comment| record.add_remark(comment));
                continue;
            };
            in_game = true;
            let before = record.game.moves().len();
            play_as(&mut record.game, side, &self.move_text(&value.text))
                .map_err(|error| (value.offset, SgfErrorKind::Move { ply: before + 1, error }))?;
            if record.game.moves().len() > before {
                // SGF counts for black, a note for the mover; some programs say both clocks
                note.clock = clocks[side.index()];
                note.eval = note.eval.map(|eval| if side == Color::Black { eval } else { 0.0 - eval });
                record.annotate_last(note);
            } else {
                // a pass behind the end
                note.comment.iter().for_each(|comment| record.add_remark(comment));
            }
        }
        Ok(record)
    }

    /// The start position: set up, or that of the rules.
    fn start(&self, nodes: &[Node]) -> Result<Position, Located> {
        let mut discs = [Bits::EMPTY; 2];
        let mut set_up_at = None;
        let (mut side, mut side_at) = (None, 0);
        let mut hands = None;
        for property in nodes.iter().take_while(|node| !node.has_move()).flat_map(|node| &node.properties) {
            let color = match property.name.as_str() {
                "AB" => Some(Color::Black),
                "AW" => Some(Color::White),
                "AE" => None,
                "PL" => {
                    side = Some(self.side(&property.values)?);
                    side_at = property.values.first().map_or(0, |value| value.offset);
                    continue;
                }
                "HANDS" => {
                    hands = property.values.first();
                    continue;
                }
                _ => continue,
            };
            set_up_at = set_up_at.or(property.values.first().map(|value| value.offset));
            for value in &property.values {
                for point in self.points(value)? {
                    discs.iter_mut().for_each(|set| set.remove(point));
                    color.into_iter().for_each(|color| discs[color.index()].insert(point));
                }
            }
        }
        let start = if let Some(offset) = set_up_at {
            let side = side.or_else(|| nodes.iter().find_map(Node::first_mover));
            board_text::build(self.rules, discs, side).map_err(|kind| (offset, SgfErrorKind::Setup(kind)))?
        } else {
            let start = Position::start(self.rules.clone());
            match side {
                Some(side) if !start.may_be_turn_of(side) => {
                    let name = self.rules.color_name(side).to_string();
                    return Err((side_at, SgfErrorKind::Setup(BoardTextErrorKind::PlacementSide(name))));
                }
                Some(side) => start.with_side(side),
                None => start,
            }
        };
        let Some(hands) = hands else { return Ok(start) };
        let wrong = || (hands.offset, SgfErrorKind::Setup(BoardTextErrorKind::Hands(hands.text.clone())));
        board_text::parse_hands(&start, hands.text.trim()).ok_or_else(wrong)
    }

    fn side(&self, values: &[Value]) -> Result<Color, Located> {
        let Some(value) = values.first() else { return Ok(Color::Black) };
        match value.text.trim().chars().next().map(|c| c.to_ascii_uppercase()) {
            Some('B') => Ok(Color::Black),
            Some('W') => Ok(Color::White),
            _ => Err((value.offset, SgfErrorKind::Side(value.text.clone()))),
        }
    }

    /// The points of a set-up value: one, or a rectangle `aa:cc`.
    fn points(&self, value: &Value) -> Result<Vec<Point>, Located> {
        let (first, last) = value.text.split_once(':').unwrap_or((&value.text, &value.text));
        let (Some(first), Some(last)) = (self.point(first.trim()), self.point(last.trim())) else {
            return Err((value.offset, SgfErrorKind::Square(value.text.clone())));
        };
        let rows = first.row.min(last.row)..=first.row.max(last.row);
        let columns = first.column.min(last.column)..=first.column.max(last.column);
        Ok(rows.flat_map(|row| columns.clone().map(move |column| Point { row, column })).collect())
    }

    /// A square of the board in any of the habits.
    fn point(&self, text: &str) -> Option<Point> {
        let &[column, second, ..] = text.as_bytes() else { return None };
        let column = column.to_ascii_lowercase().wrapping_sub(b'a');
        let row = if second.is_ascii_digit() {
            text[1..].parse::<u8>().ok()?.checked_sub(1)?
        } else {
            let row = second.to_ascii_lowercase().wrapping_sub(b'a');
            match self.rows {
                _ if text.len() != 2 => return None,
                Rows::Downwards => row,
                Rows::Upwards => self.rules.rows().checked_sub(1)?.checked_sub(row)?,
            }
        };
        (row < self.rules.rows() && column < self.rules.columns()).then_some(Point { row, column })
    }

    /// A move as [`parse_move`](super::parse_move) reads it: `f5`, `f5:NE` or `pass`; what is no square stays as it is.
    fn move_text(&self, text: &str) -> String {
        let text = text.trim();
        let (square, direction) = text.split_at(text.find(':').unwrap_or(text.len()));
        match self.point(square) {
            Some(point) => format!("{point}{direction}"),
            None if text.is_empty() || text == "tt" || is_pass(text) => "pass".to_string(),
            None => text.to_string(),
        }
    }
}

/// Names, result and everything else that is no move.
fn header(record: &mut GameRecord, nodes: &[Node]) {
    let rules = record.game.start().rules().clone();
    let root = nodes.first().map(|node| node.properties.as_slice()).unwrap_or_default();
    for property in root {
        let Some(value) = property.values.first() else { continue };
        let text = value.text.trim();
        let filled = || Some(one_line(text)).filter(|text| !text.is_empty());
        let rating = text.parse().ok().filter(|rating: &f64| rating.is_finite());
        match (property.name.as_str(), rating) {
            ("PB", _) => record.players[0].name = one_line(text),
            ("PW", _) => record.players[1].name = one_line(text),
            ("BR", Some(_)) => record.players[0].rating = rating,
            ("WR", Some(_)) => record.players[1].rating = rating,
            ("EV", _) => record.event = filled(),
            ("PC", _) => record.place = filled(),
            ("DT", _) => record.date = filled(),
            ("GC", _) => {
                // what is said of the game goes before remarks at its beginning
                let mut comment = Some(text.to_string()).filter(|text| !text.is_empty());
                record.comment.take().iter().for_each(|remark| add_line(&mut comment, remark));
                record.comment = comment;
            }
            // a clock in words, which files of other programs have beside the seconds in TM
            ("OT", _) if !root.iter().any(|property| property.name == "TM") => {
                record.players.iter_mut().for_each(|player| player.clock = filled());
            }
            ("RE", _) => match parse_result(text, &rules) {
                Some(result) => record.result = Some(result),
                None if matches!(text, "" | "?") => {}
                None => record.tags.push(("RE".to_string(), text.to_string())),
            },
            ("RU", _) if text.parse::<RuleSet>().is_ok() => {}
            (
                "GM" | "FF" | "CA" | "AP" | "SZ" | "AB" | "AW" | "AE" | "PL" | "HANDS" | "B" | "W" | "C" | "V" | "BL"
                | "WL",
                _,
            ) => {}
            _ => record.tags.push((property.name.clone(), text.to_string())),
        }
    }
    if record.result.is_none() {
        record.result = GameResult::of(record.game.position());
    }
}

/// The result in `B+12`, `W+R`, `W+T`, `0`, `Draw`; `None` for `?`, `Void` and other words.
fn parse_result(text: &str, rules: &RuleSet) -> Option<GameResult> {
    if matches!(text, "0" | "Draw" | "draw") {
        return Some(GameResult::under(rules, 0.0, Ending::Played));
    }
    let (color, score) = text.split_once('+')?;
    let winner = match color.trim() {
        "B" | "b" => Color::Black,
        "W" | "w" => Color::White,
        _ => return None,
    };
    let ending = match score.trim() {
        "" => Ending::Played,
        "R" | "Resign" | "r" => Ending::Resignation,
        "T" | "Time" | "t" => Ending::Time,
        number => {
            let score: f64 = number.parse().ok().filter(|score| (0.0..=f64::from(rules.squares())).contains(score))?;
            // no negative zero
            let score = if winner == Color::Black { score } else { 0.0 - score };
            return Some(GameResult { winner: Some(winner), score: Some(score), ending: Ending::Played });
        }
    };
    Some(GameResult { winner: Some(winner), score: None, ending })
}

#[cfg(test)]
mod tests;
