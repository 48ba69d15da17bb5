//! Game records with what the engine says: for SGF values, remarks, marks and variations, for GGF values.

use super::label::Label;
use super::{GameReport, Judgement};
use crate::analysis::json::{BoundJson, LineJson};
use crate::analysis::text::score_text;
use crate::formats::quantity::plural;
use crate::formats::record::{GameRecord, MoveNote};
use crate::formats::sgf::{self, Annotation, Mark, Variation};
use crate::rules::Move;

/// By so many discs the only good move is better than the next one.
const ONLY_MOVE: i32 = 4;

/// The game as SGF: the value of every move (`V`), a remark with its score, loss and better move, the marks `TE` (the only good
/// move, by 4 discs or more, was found), `DO` (inaccuracy), `BM` (mistake; doubled: blunder), `DM` (nobody is ahead), and the
/// engine's alternatives as variations.
pub fn sgf(record: &GameRecord, report: &GameReport) -> String {
    let mut annotated = record.clone();
    annotated.comment = Some(remark(record, report));
    let mut annotations = vec![Annotation::default(); report.moves.len()];
    annotated.notes.resize(report.moves.len(), MoveNote::default());
    for ((one, note), annotation) in report.moves.iter().zip(&mut annotated.notes).zip(&mut annotations) {
        let Some(judged) = &one.judged else { continue };
        note.eval = Some(f64::from(judged.score));
        let text = words(judged);
        note.comment = Some(note.comment.take().map_or(text.clone(), |comment| format!("{comment}\n{text}")));
        *annotation = Annotation {
            mark: mark(judged),
            even: judged.score == 0 && judged.exact,
            variations: judged.alternatives.iter().filter_map(variation).collect(),
        };
    }
    sgf::write_annotated(&annotated, &annotations)
}

/// The game with the engine's values as those of the moves, for formats that know nothing else (GGF).
pub fn with_values(record: &GameRecord, report: &GameReport) -> GameRecord {
    let mut annotated = record.clone();
    annotated.comment = Some(remark(record, report));
    annotated.notes.resize(report.moves.len(), MoveNote::default());
    for (one, note) in report.moves.iter().zip(&mut annotated.notes) {
        if let Some(judged) = &one.judged {
            note.eval = Some(f64::from(judged.score));
        }
    }
    annotated
}

/// What is said about the whole game, after what the record says.
fn remark(record: &GameRecord, report: &GameReport) -> String {
    let sums = report.players.iter().map(|player| {
        format!("{}: {} lost in {}", player.name, discs(player.discs_lost), plural(player.choices.into(), "choice"))
    });
    let sums: Vec<String> = sums.collect();
    let said = format!("Outflank, {}. {} {}.", report.search, report.exactness(), sums.join("; "));
    record.comment.as_ref().map_or(said.clone(), |comment| format!("{comment}\n{said}"))
}

fn discs(count: u32) -> String {
    plural(count.into(), "disc")
}

/// `-04 (exact), a mistake: 6 discs lost; c4 +02`.
fn words(judged: &Judgement) -> String {
    let mut text = score_text(judged.score);
    match judged.played.bound {
        BoundJson::Exact => text += " (exact)",
        _ => text += &format!(" (depth {})", judged.depth),
    }
    if judged.label != Label::None {
        text += &format!(", {}", judged.label.name());
    }
    if judged.loss > 0 {
        text += &format!(": {} lost", discs(judged.loss));
        if let Some(better) = judged.alternatives.first() {
            text += &format!("; {} {}", better.mv, score_text(better.score));
        }
    }
    text
}

fn mark(judged: &Judgement) -> Option<Mark> {
    match judged.label {
        Label::Inaccuracy => Some(Mark::Doubtful),
        Label::Mistake => Some(Mark::Bad),
        Label::Blunder => Some(Mark::VeryBad),
        Label::None => {
            let next = judged.alternatives.first()?;
            (judged.loss == 0 && judged.score - next.score >= ONLY_MOVE).then_some(Mark::Good)
        }
    }
}

fn variation(line: &LineJson) -> Option<Variation> {
    let moves: Result<Vec<Move>, _> = line.pv.iter().map(|mv| mv.parse()).collect();
    Some(Variation { moves: moves.ok().filter(|moves| !moves.is_empty())?, value: f64::from(line.score) })
}
