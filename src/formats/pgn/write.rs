//! Writing PGN.

use std::fmt::Write as _;

use super::asides::is_no_move;
use super::evaluation;
use crate::formats::bounded::MAX_LINE;
use crate::formats::fen;
use crate::formats::record::{GameRecord, decimal, one_line, remark_lines};
use crate::rules::{Move, Objective, ParseRulesError, RuleSet};

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
pub(in crate::formats) fn write_counting(record: &GameRecord) -> (String, u64) {
    let (mut text, mut cut) = (String::new(), 0);
    let mut tag = |name: &str, value: &str| {
        let value = one_line(value);
        let fits = LONGEST_VALUE.min(value.len());
        let end = (0..=fits).rev().find(|&end| value.is_char_boundary(end)).unwrap_or(0);
        cut += u64::from(end < value.len());
        let value = value[..end].replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(text, "[{name} \"{value}\"]");
    };
    let known = |value: &Option<String>| value.clone().unwrap_or("?".to_string());
    tag("Event", &known(&record.event));
    tag("Site", &known(&record.place));
    tag("Date", &date(record));
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
        let is_other =
            |word: &&str| matches!(one_line(word).parse::<RuleSet>(), Err(ParseRulesError::UnknownPreset(_)));
        record.tag("Variant").filter(is_other).iter().for_each(|word| tag("Variant", word));
    }
    if record.game.has_own_start() {
        tag("SetUp", "1");
        tag("FEN", &fen::write(start));
    }
    record.tags.iter().filter(|(name, _)| is_kept(name)).for_each(|(name, value)| tag(name, value));
    text.push('\n');
    let comment = record.comment.as_deref().into_iter().flat_map(remark_lines).map(|line| remark(&line));
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

/// `2001.02.??`: what is not known of a day is `??`.
fn date(record: &GameRecord) -> String {
    record.ordered_date('.', Some("??")).unwrap_or_else(|| "????.??.??".to_string())
}

/// Numbers, moves and remarks.
fn move_words(record: &GameRecord) -> impl Iterator<Item = String> {
    record.game.moves().iter().enumerate().flat_map(|(i, mv)| {
        let number = (i % 2 == 0).then(|| format!("{}.", i / 2 + 1));
        let mv = if *mv == Move::Pass { "pass".to_string() } else { mv.to_string() };
        let note = record.note(i);
        let eval = note.and_then(|note| note.eval).map(|eval| format!("{{{eval:+.2}}}"));
        let has_eval = eval.is_some();
        let lines = note.and_then(|note| note.comment.as_deref()).into_iter().flat_map(remark_lines);
        let remarks = lines.map(move |line| match evaluation(&line) {
            // the first number would be read as an evaluation
            Some(_) if !has_eval => remark(&format!("'{line}'")),
            _ => remark(&line),
        });
        [number, Some(mv), eval].into_iter().flatten().chain(remarks)
    })
}

/// Lines are shorter, where there are blanks.
pub(super) const WIDTH: usize = 80;
/// Values of tags are cut after so many bytes: a tag is one line, in which each of them may need two and the name some.
const LONGEST_VALUE: usize = MAX_LINE / 4;
/// Words without blanks are cut after so many bytes, for no line may have more than [`MAX_LINE`].
const LONGEST_WORD: usize = MAX_LINE / 2;

/// One line of a remark in braces, broken into lines at blanks; not where a line would begin with `[` or `%`, which say something
/// else there.
fn remark(text: &str) -> String {
    let text = text.replace(['{', '}'], "'");
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
    let rules = record.game.start().rules();
    let squares = f64::from(rules.squares());
    let Some(result) = record.result else {
        let word = record.tag("Result").filter(|word| is_no_move(word) && !word.contains(char::is_whitespace));
        return word.unwrap_or("*").to_string();
    };
    let score = result.score_or_all(rules.squares());
    if score.abs() > squares || score.fract() != 0.0 {
        return "*".to_string();
    }
    // an odd score leaves a square to nobody
    let [more, fewer] = [score, -score].map(|lead| ((squares + lead) / 2.0).floor());
    match rules.objective() {
        Objective::Most => format!("{more}-{fewer}"),
        Objective::Fewest => format!("{fewer}-{more}"),
    }
}
