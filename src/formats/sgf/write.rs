//! Writing SGF that Quarry opens.

use std::fmt::Write as _;

use crate::rules::{Bits, Color, Move, Point, Position};

use crate::formats::record::{Ending, GameRecord, GameResult, decimal};
use crate::formats::{board_text, named_rules};

/// Properties without a field in [`GameRecord`] that are kept.
const KEPT_TAGS: [&str; 12] = ["GN", "BT", "WT", "TM", "OT", "RU", "RO", "ON", "AN", "US", "SO", "CP"];

/// What is said about a move beside its note.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Annotation {
    /// The move is good or bad.
    pub mark: Option<Mark>,
    /// Neither side is ahead after the move (`DM`).
    pub even: bool,
    /// What could have been played instead, best first.
    pub variations: Vec<Variation>,
}

/// What SGF knows to say about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A good move (`TE`).
    Good,
    /// A doubtful move (`DO`).
    Doubtful,
    /// A bad move (`BM[1]`).
    Bad,
    /// A very bad move (`BM[2]`).
    VeryBad,
}

/// A line that was not played.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// Its moves, from the position before the move that was played; passes included.
    pub moves: Vec<Move>,
    /// Value of its first move, in discs for the side that plays it.
    pub value: f64,
}

/// A game as SGF, its header on the first line, ten moves on each of the others. The format has a score or how the game ended: of
/// games that were given up or lost on time the score is left out. Variations and marks of the file that was read are not kept.
pub fn write(record: &GameRecord) -> String {
    write_annotated(record, &[])
}

/// A game as SGF with marks and variations, which are given by the index of the move.
pub fn write_annotated(record: &GameRecord, annotations: &[Annotation]) -> String {
    let start = record.game.start();
    let rules = start.rules();
    let mut text = format!("(;GM[2]FF[4]CA[UTF-8]AP[Outflank:{}]", env!("CARGO_PKG_VERSION"));
    if rules.rows() == rules.columns() {
        let _ = write!(text, "SZ[{}]", rules.rows());
    } else {
        let _ = write!(text, "SZ[{}:{}]", rules.columns(), rules.rows());
    }
    let mut property = |name: &str, value: &str| {
        let _ = write!(text, "{name}[{}]", escape(value));
    };
    for (player, [name, rating]) in record.players.iter().zip([["PB", "BR"], ["PW", "WR"]]) {
        property(name, &player.name);
        player.rating.iter().for_each(|value| property(rating, &decimal(*value)));
    }
    // several days, which only this format can say
    let is_list =
        |date: &String| date.contains(',') && date.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b','));
    let date = record.date.clone().filter(is_list).or_else(|| record.ordered_date('-', None));
    for (name, value) in [("EV", &record.event), ("PC", &record.place), ("DT", &date), ("GC", &record.comment)] {
        value.iter().for_each(|value| property(name, value));
    }
    let names_rules = !named_rules::is_sized_othello(rules);
    if names_rules {
        property("RU", &rules.to_string());
    }
    for (name, value) in record.tags.iter().filter(|(name, _)| KEPT_TAGS.contains(&name.as_str())) {
        if name != "RU" || !names_rules {
            property(name, value);
        }
    }
    // the format has one clock for both sides
    if let ([Some(clock), other], None) =
        (record.players.each_ref().map(|player| player.clock.as_ref()), record.tag("TM"))
        && other == Some(clock)
    {
        property("OT", clock);
    }
    // what is no result here, such as `Void`; numbers are another format's
    let word = record.tag("RE").filter(|text| !text.starts_with(|c: char| !c.is_alphabetic())).unwrap_or("?");
    property("RE", &record.result.as_ref().map_or(word.to_string(), write_result));
    write_setup(&mut text, start);
    write_moves(&mut text, record, annotations);
    text.push_str(")\n");
    text
}

/// The set-up stones, unless the game begins at the start of its rules.
fn write_setup(text: &mut String, start: &Position) {
    let usual = Position::start(start.rules().clone());
    if *start == usual {
        return;
    }
    // no disc is no set-up, which would be the usual one
    let is_bare = |position: &Position| position.empty_count() == position.rules().squares();
    if is_bare(start) && !is_bare(&usual) {
        let last = Point { row: start.rules().rows() - 1, column: start.rules().columns() - 1 };
        let _ = write!(text, "AE[aa:{}]", letters(last));
    }
    for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
        let discs: Bits = start.discs(color);
        if !discs.is_empty() {
            text.push_str(name);
            discs.iter().for_each(|point| {
                let _ = write!(text, "[{}]", letters(point));
            });
        }
    }
    let _ = write!(text, "PL[{}]", color_letter(start.side_to_move()));
    if let Some(hands) = board_text::hands(start) {
        let _ = write!(text, "HANDS[{hands}]");
    }
}

fn write_moves(text: &mut String, record: &GameRecord, annotations: &[Annotation]) {
    let moves = record.game.moves();
    let mut written = 0;
    // variations follow the whole rest of the game, the last ones first
    let mut open: Vec<String> = Vec::new();
    for (i, mv) in moves.iter().enumerate() {
        let note = record.note(i);
        let annotation = annotations.get(i);
        // the next move's colour tells of a pass, unless there is none or the pass has a note
        if *mv == Move::Pass && i + 1 < moves.len() && note.is_none() {
            continue;
        }
        let variations = annotation.map_or(&[][..], |annotation| &annotation.variations);
        text.push_str(if written % 10 == 0 || !variations.is_empty() { "\n" } else { "" });
        written += 1;
        if !variations.is_empty() {
            text.push('(');
            let position = &record.game.positions()[i];
            open.push(variations.iter().map(|variation| write_variation(position, variation)).collect());
        }
        let side = record.game.positions()[i].side_to_move();
        let _ = write!(text, ";{}[{}]", color_letter(side), square(*mv));
        if let Some(eval) = note.and_then(|note| note.eval) {
            write_value(text, side, eval);
        }
        if let Some(annotation) = annotation {
            write_marks(text, annotation);
        }
        if let Some(clock) = note.and_then(|note| note.clock) {
            let _ = write!(text, "{}L[{}]", color_letter(side), decimal(clock));
        }
        if let Some(comment) = note.and_then(|note| note.comment.as_ref()) {
            let _ = write!(text, "C[{}]", escape(comment));
        }
    }
    while let Some(variations) = open.pop() {
        text.push(')');
        text.push_str(&variations);
    }
}

/// A branch of its own, passes left out.
fn write_variation(position: &Position, variation: &Variation) -> String {
    let mut text = String::from("\n(");
    let mut position = position.clone();
    for (i, mv) in variation.moves.iter().enumerate() {
        let side = position.side_to_move();
        if *mv != Move::Pass {
            let _ = write!(text, ";{}[{}]", color_letter(side), square(*mv));
            if i == 0 {
                write_value(&mut text, side, variation.value);
            }
        }
        let Ok(next) = position.play(*mv) else { break };
        position = next;
    }
    text + ")"
}

fn square(mv: Move) -> String {
    match mv {
        Move::Pass => String::new(),
        Move::Place { at, direction: None } => letters(at),
        Move::Place { at, direction: Some(direction) } => format!("{}:{}", letters(at), direction.name()),
    }
}

/// SGF counts for black.
fn write_value(text: &mut String, side: Color, eval: f64) {
    let eval = if side == Color::Black { eval } else { -eval };
    // no negative zero
    let _ = write!(text, "V[{}]", decimal(eval + 0.0));
}

fn write_marks(text: &mut String, annotation: &Annotation) {
    text.push_str(match annotation.mark {
        None => "",
        Some(Mark::Good) => "TE[1]",
        Some(Mark::Doubtful) => "DO[]",
        Some(Mark::Bad) => "BM[1]",
        Some(Mark::VeryBad) => "BM[2]",
    });
    text.push_str(if annotation.even { "DM[1]" } else { "" });
}

const fn color_letter(color: Color) -> char {
    match color {
        Color::Black => 'B',
        Color::White => 'W',
    }
}

/// Column and row letter, row `a` at the top.
fn letters(point: Point) -> String {
    [point.column, point.row].map(|i| (b'a' + i) as char).iter().collect()
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace(']', "\\]")
}

/// `B+12`, `W+R`, `W+T`, `0`.
fn write_result(result: &GameResult) -> String {
    let Some(winner) = result.winner else { return "0".to_string() };
    let amount = match (result.ending, result.score) {
        (Ending::Resignation, _) => "R".to_string(),
        (Ending::Time, _) => "T".to_string(),
        (_, Some(score)) if score.fract() == 0.0 => format!("{}", score.abs()),
        (_, Some(score)) => decimal(score.abs()),
        (_, None) => String::new(),
    };
    format!("{}+{amount}", color_letter(winner))
}
