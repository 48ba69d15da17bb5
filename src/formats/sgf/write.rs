//! Writing SGF that Quarry opens.

use std::fmt::Write as _;

use crate::rules::{Bits, Color, Move, Point, Position};

use crate::formats::record::{Ending, GameRecord, GameResult, decimal};
use crate::formats::{board_text, named_rules};

/// Properties without a field in [`GameRecord`] that are kept.
const KEPT_TAGS: [&str; 12] = ["GN", "BT", "WT", "TM", "OT", "RU", "RO", "ON", "AN", "US", "SO", "CP"];

/// A game as SGF, its header on the first line, ten moves on each of the others.
pub fn write(record: &GameRecord) -> String {
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
    for (name, value) in [("EV", &record.event), ("PC", &record.place), ("DT", &record.date), ("GC", &record.comment)] {
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
    property("RE", &record.result.as_ref().map_or("?".to_string(), write_result));
    write_setup(&mut text, start);
    write_moves(&mut text, record);
    text.push_str(")\n");
    text
}

/// The set-up stones, unless the game begins at the start of its rules.
fn write_setup(text: &mut String, start: &Position) {
    if *start == Position::start(start.rules().clone()) {
        return;
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

fn write_moves(text: &mut String, record: &GameRecord) {
    let moves = record.game.moves();
    let mut written = 0;
    for (i, mv) in moves.iter().enumerate() {
        let note = record.note(i);
        let square = match mv {
            // the next move's colour tells of a pass, unless there is none or the pass has a note
            Move::Pass if i + 1 < moves.len() && note.is_none() => continue,
            Move::Pass => String::new(),
            Move::Place { at, direction: None } => letters(*at),
            Move::Place { at, direction: Some(direction) } => format!("{}:{}", letters(*at), direction.name()),
        };
        let side = record.game.positions()[i].side_to_move();
        text.push_str(if written % 10 == 0 { "\n" } else { "" });
        written += 1;
        let _ = write!(text, ";{}[{square}]", color_letter(side));
        if let Some(eval) = note.and_then(|note| note.eval) {
            // SGF counts for black
            let eval = if side == Color::Black { eval } else { -eval };
            let _ = write!(text, "V[{}]", decimal(eval));
        }
        if let Some(clock) = note.and_then(|note| note.clock) {
            let _ = write!(text, "{}L[{}]", color_letter(side), decimal(clock));
        }
        if let Some(comment) = note.and_then(|note| note.comment.as_ref()) {
            let _ = write!(text, "C[{}]", escape(comment));
        }
    }
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
