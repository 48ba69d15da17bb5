//! GGF, the game format of the GGS server and of NBoard's `set game`.
//!
//! `(;GM[Othello]PB[name]...BO[8 64-squares *]B[F5/1.50/2.0]W[D6]...;)`: tags in any case; a move carries an
//! evaluation in discs for its side and a time in seconds; passes are `PA` or `PASS` and may be left out where the
//! tag's colour tells. Several games may stand in a file or on a line, with or without their count before them
//! (synchro pairs). Evaluations, times, ratings and results that are no numbers do not make a game unreadable.
//!
//! The format knows no rules but a size and "anti" games (`TY[8a]`). Extensions of this program, which other readers may
//! refuse: boards that are not square have the size `ROWSxCOLUMNS`, other rules are named in `RU[traveller]` (see
//! [`named_rules`]), and discs in hand follow the board in `BO` where they are not plain to see.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::game::Game;
use crate::rules::text::ParseRulesError;
use crate::rules::{Color, Move, Objective, Position, RuleSet};

use super::board_text::{self, BoardTextErrorKind};
use super::named_rules;
use super::play::{PlayError, play_as};
use super::quantity::parse_span;
use super::record::{Ending, GameRecord, GameResult, MoveNote, add_line, decimal, one_line, remark_lines};
use super::{Cursor, Location, first_word, quote};

/// Where and why a text is not a GGF game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {kind}")]
pub struct GgfError {
    /// Where in the text.
    pub at: Location,
    /// What is wrong there.
    pub kind: GgfErrorKind,
}

/// What is wrong with a GGF text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GgfErrorKind {
    /// No `(;` anywhere.
    #[error("no game: a game begins with '(;'")]
    NoGame,
    /// The text ends within a game.
    #[error("the game does not end: ';)' is missing")]
    Unclosed,
    /// The text ends within a tag's value.
    #[error("the value of {0} does not end: ']' is missing")]
    UnclosedValue(String),
    /// Something other than `TAG[value]`.
    #[error("{} is not a tag (TAG[value])", quote(.0))]
    NotATag(String),
    /// `GM` names another game.
    #[error("the game is {}, not Othello", quote(.0))]
    OtherGame(String),
    /// The size of the board in `BO` or `TY`.
    #[error("{} is not a board size (4 to 16)", quote(.0))]
    Size(String),
    /// The rules in `RU`.
    #[error("RU: {0}")]
    Rules(ParseRulesError),
    /// The board in `BO`.
    #[error("BO: {0}")]
    Board(BoardTextErrorKind),
    /// A move.
    #[error("move {ply}: {error}")]
    Move {
        /// Its number, from 1, passes counted.
        ply: usize,
        /// What is wrong with it.
        error: PlayError,
    },
}

/// Reads the first game of a text, such as the argument of NBoard's `set game`, under the rules of othello.
///
/// # Errors
/// [`GgfError`] with the place of the first thing wrong.
///
/// ```
/// use outflank::formats::ggf;
/// let record = ggf::parse_game("(;GM[Othello]PB[Ann]TY[8]B[F5/1.50/2.0]W[D6];)").unwrap();
/// assert_eq!(record.game.moves().len(), 2);
/// assert_eq!(record.notes[0].eval, Some(1.5));
/// ```
pub fn parse_game(text: &str) -> Result<GameRecord, GgfError> {
    let rules = Arc::new(RuleSet::othello());
    games(text, rules).next().unwrap_or(Err(GgfError { at: Location::of(text, 0), kind: GgfErrorKind::NoGame }))
}

/// The games of a text, one after the other, played by `rules` except for the rules, the size and the objective that a game states
/// itself; after a bad game reading goes on with the next one.
pub fn games(text: &str, rules: Arc<RuleSet>) -> impl Iterator<Item = Result<GameRecord, GgfError>> {
    let mut cursor = Cursor::default();
    std::iter::from_fn(move || next_game(text, &mut cursor, &rules))
}

/// Reads the next game from the cursor on and moves it behind the game.
pub(super) fn next_game(text: &str, cursor: &mut Cursor, rules: &Arc<RuleSet>) -> Option<Result<GameRecord, GgfError>> {
    cursor.offset += text[cursor.offset..].find("(;")? + 2;
    let result = scan_tags(text, cursor).and_then(|tags| record(&tags, rules));
    Some(result.map_err(|(at, kind)| GgfError { at: cursor.locator.locate(text, at), kind }))
}

/// An error with the byte offset of its place.
type Located = (usize, GgfErrorKind);

/// A tag of a game.
struct Tag<'a> {
    /// Where the value begins in the text.
    offset: usize,
    /// In capitals.
    name: String,
    value: &'a str,
}

/// Reads the tags up to the end of the game and moves the cursor behind it, or, on an error, only so far that the
/// next game can still be found.
fn scan_tags<'a>(text: &'a str, cursor: &mut Cursor) -> Result<Vec<Tag<'a>>, Located> {
    let mut tags = Vec::new();
    loop {
        let rest = &text[cursor.offset..];
        let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';');
        cursor.offset += rest.len() - trimmed.len();
        if trimmed.starts_with(')') {
            cursor.offset += 1;
            return Ok(tags);
        }
        if trimmed.is_empty() {
            return Err((cursor.offset, GgfErrorKind::Unclosed));
        }
        let name_length = trimmed.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let value = trimmed[name_length..].trim_start();
        if name_length == 0 || !value.starts_with('[') {
            let token = first_word(trimmed, |c| c.is_whitespace() || c == '[');
            return Err((cursor.offset, GgfErrorKind::NotATag(token.to_string())));
        }
        let name = trimmed[..name_length].to_ascii_uppercase();
        let value_offset = text.len() - value.len() + 1;
        let length = if cursor.unclosed { None } else { text[value_offset..].find(']') };
        let Some(length) = length else {
            cursor.unclosed = true;
            return Err((cursor.offset, GgfErrorKind::UnclosedValue(name)));
        };
        let value = &text[value_offset..value_offset + length];
        tags.push(Tag { offset: value_offset, name, value });
        cursor.offset = value_offset + length + 1;
    }
}

fn record(tags: &[Tag<'_>], rules: &Arc<RuleSet>) -> Result<GameRecord, Located> {
    let start = start(tags, rules)?;
    let mut record = GameRecord::new(Game::from_position(start));
    for tag in tags {
        let text = tag.value.trim();
        let value = || Some(one_line(text)).filter(|text| !text.is_empty());
        let rating = text.parse().ok().filter(|rating: &f64| rating.is_finite());
        match (tag.name.as_str(), rating) {
            ("GM", _) if !text.eq_ignore_ascii_case("othello") => {
                return Err((tag.offset, GgfErrorKind::OtherGame(text.to_string())));
            }
            ("GM" | "BO" | "RU", _) => {}
            ("PC", _) => record.place = value(),
            ("DT", _) => record.date = value(),
            ("EV", _) => record.event = value(),
            ("CO", _) if text.is_empty() => {}
            ("CO", _) => add_line(&mut record.comment, text),
            ("PB", _) => record.players[0].name = one_line(text),
            ("PW", _) => record.players[1].name = one_line(text),
            ("RB", Some(_)) => record.players[0].rating = rating,
            ("RW", Some(_)) => record.players[1].rating = rating,
            ("TB", _) => record.players[0].clock = value(),
            ("TW", _) => record.players[1].clock = value(),
            ("TI", _) => record.players.iter_mut().for_each(|player| player.clock = value()),
            ("B", _) => play(&mut record, Color::Black, tag)?,
            ("W", _) => play(&mut record, Color::White, tag)?,
            // a game has one type, the first, which `start` has read
            ("TY", _) if record.tag("TY").is_some() => {}
            _ => record.tags.push((tag.name.clone(), text.to_string())),
        }
    }
    record.result = GameResult::of(record.game.position());
    let rules = record.game.start().rules().clone();
    let recorded = record.tag("RE").and_then(|text| parse_result(text, &rules));
    let plain_type = board_type(&rules);
    record.tags.retain(|(name, value)| match name.as_str() {
        "RE" => recorded.is_none() && !matches!(value.as_str(), "" | "?"),
        "TY" => *value != plain_type,
        _ => true,
    });
    record.result = recorded.or(record.result);
    Ok(record)
}

/// The start position: from `BO`, or the start of the rules on a board of the size in `TY`.
fn start(tags: &[Tag<'_>], rules: &Arc<RuleSet>) -> Result<Position, Located> {
    let find = |name| tags.iter().find(|tag| tag.name == name);
    let named = find("RU").map(|tag| tag.value.parse().map_err(|error| (tag.offset, GgfErrorKind::Rules(error))));
    let rules = &named.transpose()?.map_or_else(|| rules.clone(), Arc::new);
    let anti = find("TY").is_some_and(|tag| is_anti(tag.value));
    let objective = if anti { Objective::Fewest } else { rules.objective() };
    let sized = |text: &str, offset| {
        let (rows, columns) = size(text).ok_or_else(|| (offset, GgfErrorKind::Size(text.to_string())))?;
        if (rows, columns, objective) == (rules.rows(), rules.columns(), rules.objective()) {
            return Ok(rules.clone());
        }
        let sized = rules.to_builder().size(rows, columns).objective(objective).build();
        sized.map(|rules| Arc::new(rules.renamed())).map_err(|_| (offset, GgfErrorKind::Size(text.to_string())))
    };
    if let Some(tag) = find("BO") {
        let trimmed = tag.value.trim_start();
        let offset = tag.offset + tag.value.len() - trimmed.len();
        let length = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        let rules = sized(&trimmed[..length], offset)?;
        let board = &trimmed[length..];
        return board_text::parse(board, &rules).map_err(|error| (offset + length, GgfErrorKind::Board(error.kind)));
    }
    let Some(tag) = find("TY") else {
        return sized(&format!("{}x{}", rules.rows(), rules.columns()), 0).map(Position::start);
    };
    let digits = tag.value.trim_start_matches(|c: char| !c.is_ascii_digit());
    let length = digits.find(|c: char| !c.is_ascii_digit() && c != 'x').unwrap_or(digits.len());
    let text = if length == 0 { "8" } else { &digits[..length] };
    sized(text, tag.offset).map(Position::start)
}

/// Rows and columns of `8` or `4x6`.
fn size(text: &str) -> Option<(u8, u8)> {
    let (rows, columns) = text.split_once('x').unwrap_or((text, text));
    let number = |text: &str| text.parse().ok().filter(|size: &u8| (4..=16).contains(size));
    Some((number(rows)?, number(columns)?))
}

/// Plays `F5/EVAL/TIME`.
fn play(record: &mut GameRecord, side: Color, tag: &Tag<'_>) -> Result<(), Located> {
    let mut fields = tag.value.split('/').map(str::trim);
    let before = record.game.moves().len();
    play_as(&mut record.game, side, fields.next().unwrap_or_default())
        .map_err(|error| (tag.offset, GgfErrorKind::Move { ply: before + 1, error }))?;
    if record.game.moves().len() > before {
        let eval = fields.next().and_then(|text| text.parse().ok()).filter(|eval: &f64| eval.is_finite());
        let seconds = fields.next().and_then(|text| parse_span(text).ok()).map(|time| time.as_secs_f64());
        record.annotate_last(MoveNote { eval, seconds, ..MoveNote::default() });
    }
    Ok(())
}

/// The result in `+12.00`, `-2:r`; `None` for `?` and for scores that no game of these rules can have.
pub(crate) fn parse_result(text: &str, rules: &RuleSet) -> Option<GameResult> {
    let (score, suffix) = text.split_once(':').unwrap_or((text, ""));
    let score: f64 = score.trim().parse().ok()?;
    let ending = match suffix.trim() {
        "r" | "R" => Ending::Resignation,
        "t" | "T" => Ending::Time,
        "s" | "S" => Ending::Agreement,
        _ => Ending::Played,
    };
    // no negative zero
    (score.abs() <= f64::from(rules.squares())).then(|| GameResult::under(rules, score + 0.0, ending))
}

/// Tags without a field in [`GameRecord`] that belong to this format, but for the type.
const KEPT_TAGS: [&str; 3] = ["KB", "KW", "KM"];

/// The size in `BO`: `8`, or `4x6` for a board that is not square.
fn board_size(rules: &RuleSet) -> String {
    if rules.rows() == rules.columns() {
        rules.rows().to_string()
    } else {
        format!("{}x{}", rules.rows(), rules.columns())
    }
}

/// The type of a game in `TY` says that the fewest discs win.
fn is_anti(text: &str) -> bool {
    text.contains(['a', 'A'])
}

/// The plain type of a game in `TY`: the size, and `a` when the fewest discs win.
fn board_type(rules: &RuleSet) -> String {
    let anti = if rules.objective() == Objective::Fewest { "a" } else { "" };
    format!("{}{anti}", board_size(rules))
}

/// A game on one line, with only the tags that NBoard knows (it refuses others) unless its rules need to be named or it has both
/// a place and an event: an event alone takes the place's tag, which is empty without either. Each line of a remark about the game is a
/// tag of its own; remarks on single moves are left out. The start position is always written. A win without a score is one of all
/// squares.
pub fn write(record: &GameRecord) -> String {
    write_counting(record).0
}

/// The same, and how many values are changed, since the format has no way to write a closing bracket.
pub(crate) fn write_counting(record: &GameRecord) -> (String, u64) {
    let start = record.game.start();
    let rules = start.rules();
    let mut text = String::from("(;");
    let mut changed = 0;
    let mut tag = |name: &str, value: &str| {
        changed += u64::from(value.contains(']'));
        let _ = write!(text, "{name}[{}]", one_line(value).replace(']', ")"));
    };
    tag("GM", "Othello");
    tag("PC", record.place.as_deref().or(record.event.as_deref()).unwrap_or_default());
    if record.place.is_some() {
        record.event.iter().for_each(|event| tag("EV", event));
    }
    record.date.iter().for_each(|date| tag("DT", date));
    let [black, white] = &record.players;
    for (player, [name, rating]) in [(black, ["PB", "RB"]), (white, ["PW", "RW"])] {
        tag(name, &player.name);
        player.rating.iter().for_each(|value| tag(rating, &decimal(*value)));
    }
    if black.clock == white.clock {
        black.clock.iter().for_each(|clock| tag("TI", clock));
    } else {
        black.clock.iter().for_each(|clock| tag("TB", clock));
        white.clock.iter().for_each(|clock| tag("TW", clock));
    }
    // a type may say less than the rules do, or, if another format gave it, something else
    let kept_type = record.tag("TY").filter(|text| is_anti(text) == (rules.objective() == Objective::Fewest));
    tag("TY", kept_type.unwrap_or(&board_type(rules)));
    for (name, value) in record.tags.iter().filter(|(name, _)| KEPT_TAGS.contains(&name.as_str())) {
        tag(name, value);
    }
    record.comment.as_deref().into_iter().flat_map(remark_lines).for_each(|line| tag("CO", &line));
    if !named_rules::is_sized_or_anti_othello(rules) {
        tag("RU", &rules.to_string());
    }
    tag("RE", &recorded_result(record));
    tag("BO", &format!("{} {}", board_size(rules), board_text::write(start).replace('X', "*")));
    for (i, mv) in record.game.moves().iter().enumerate() {
        let name = if record.game.positions()[i].side_to_move() == Color::Black { "B" } else { "W" };
        tag(name, &write_move(*mv, record.note(i)));
    }
    text.push_str(";)");
    (text, changed)
}

fn recorded_result(record: &GameRecord) -> String {
    let rules = record.game.start().rules();
    let Some(result) = record.result else {
        // a score that no game can have; words are another format's
        let number = |text: &&str| {
            text.split(':').next().is_some_and(|score| score.trim().parse::<f64>().is_ok())
                && parse_result(text, rules).is_none()
        };
        return record.tag("RE").filter(number).unwrap_or("?").to_string();
    };
    write_result(&result, rules)
}

/// A result as [`parse_result`] reads it; the whole board where no score is known.
pub(crate) fn write_result(result: &GameResult, rules: &RuleSet) -> String {
    let score = result.score_or_all(rules.squares());
    let suffix = match result.ending {
        Ending::Played => "",
        Ending::Resignation => ":r",
        Ending::Time => ":t",
        Ending::Agreement => ":s",
    };
    format!("{score:+.2}{suffix}")
}

/// A move as GGF and NBoard write it: `F5`, `PA`.
pub(crate) fn move_text(mv: Move) -> String {
    if mv == Move::Pass { "PA".to_string() } else { format!("{mv:#}") }
}

/// `F5`, `F5/1.50`, `F5//2.00`, `PA`.
fn write_move(mv: Move, note: Option<&MoveNote>) -> String {
    let mut text = move_text(mv);
    let Some(note) = note else { return text };
    if note.eval.is_some() || note.seconds.is_some() {
        text.push('/');
        text.push_str(&note.eval.map(decimal).unwrap_or_default());
    }
    if let Some(seconds) = note.seconds {
        text.push('/');
        text.push_str(&decimal(seconds));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_no_game_has_stay() {
        for (result, written) in [("-127.000", "-127.000"), ("-127:r", "-127:r"), ("Void", "?"), ("?", "?"), ("", "?")]
        {
            let record = parse_game(&format!("(;GM[Othello]RE[{result}]B[F5];)")).unwrap();
            assert_eq!(record.result, None);
            assert!(write(&record).contains(&format!("RE[{written}]")), "{}", write(&record));
        }
        // what is no result in another format is none here
        let mut record = parse_game("(;GM[Othello]RE[?]B[F5];)").unwrap();
        record.tags = vec![("RE".to_string(), "+5".to_string())];
        assert!(write(&record).contains("RE[?]"));
    }

    const START: &str = "8 ---------------------------O*------*O--------------------------- *";

    #[test]
    fn a_game_of_nboard() {
        let text = format!(
            "(;GM[Othello]PC[NBoard]DT[2026-11-20 23:25:31 GMT]PB[Stub12]PW[]RE[?]TI[5:00]TY[8]BO[{START}]\
             B[D3/1.50/0.05]W[E3//2.5]B[F2];)"
        );
        let record = parse_game(&text).unwrap();
        assert_eq!(record.player(Color::Black).name, "Stub12");
        assert_eq!(record.player(Color::White).clock.as_deref(), Some("5:00"));
        assert_eq!((record.result, record.game.moves().len()), (None, 3));
        let notes: Vec<_> = record.notes.iter().map(|note| (note.eval, note.seconds)).collect();
        assert_eq!(notes, [(Some(1.5), Some(0.05)), (None, Some(2.5))]);
        assert_eq!(parse_game(&write(&record)), Ok(record));
    }

    #[test]
    fn a_game_has_one_type_that_means_what_its_rules_say() {
        // the first type is a plain one, the second would make it a game of fewest discs
        let record = parse_game("(;GM[Othello]PC[x]TY[6]TY[4 anti]B[E4];)").unwrap();
        assert_eq!((record.game.start().rules().rows(), record.tag("TY")), (6, None));
        assert_eq!(parse_game(&write(&record)), Ok(record));
        let mut record = parse_game("(;GM[Othello]TY[8]B[F5];)").unwrap();
        record.tags = vec![("TY".to_string(), "standard".to_string())];
        let written = write(&record);
        assert!(written.contains("TY[8]"), "{written}");
        assert_eq!(parse_game(&written).unwrap().game, record.game);
        // the rules say so, the type does not
        let named = parse_game("(;GM[Othello]PC[x]TY[8r]RU[othello:fewest]B[F5];)").unwrap();
        assert!(write(&named).contains("TY[8a]"));
        assert_eq!(parse_game(&write(&named)).unwrap().game, named.game);
        let anti = parse_game("(;GM[Othello]PC[x]TY[8ar]B[F5];)").unwrap();
        assert!(write(&anti).contains("TY[8ar]"));
        assert_eq!(parse_game(&write(&anti)), Ok(anti));
    }

    /// Rules of a preset on a board of another size may be those of another preset.
    #[test]
    fn rules_of_another_size_have_the_name_that_reading_gives_them() {
        let record = parse_game("(;GM[Othello]RU[reversi10]TY[8]B[F5];)").unwrap();
        assert_eq!(*record.game.start().rules().as_ref(), RuleSet::othello());
        assert_eq!(parse_game(&write(&record)).unwrap().game, record.game);
    }

    #[test]
    fn spellings() {
        let rows = START.replace("O*------*O", "O* --- ---*O");
        let text = format!("1 (; gm[OTHELLO] ty[s8r20]\n bo[{rows}]\r\nre[-12.00:R]\n b [f5]w[d6/bad/1:02.5] ; )");
        let record = parse_game(&text).unwrap();
        assert_eq!(record.notes[1], MoveNote { seconds: Some(62.5), ..MoveNote::default() });
        for (time, seconds) in
            [("1:00:00", Some(3600.0)), ("0", Some(0.0)), ("2:-3", None), ("-1", None), ("1e3", None)]
        {
            let record = parse_game(&format!("(;B[F5/+1/{time}];)")).unwrap();
            assert_eq!(record.notes[0].seconds, seconds, "{time}");
        }
        let result = record.result.unwrap();
        assert_eq!((result.score, result.ending), (Some(-12.0), Ending::Resignation));
        assert_eq!(record.tag("TY"), Some("s8r20"));
        assert!(write(&record).contains("TY[s8r20]RE[-12.00:r]"));
        // an artefact of unfinished games, and an unknown result: kept in words
        for result in ["-127.000", "abandoned"] {
            let record = parse_game(&format!("(;RE[{result}]B[f5];)")).unwrap();
            assert_eq!((record.result, record.tag("RE")), (None, Some(result)));
        }
        let anti = parse_game("(;TY[10a]B[e4];)").unwrap();
        let rules = anti.game.start().rules();
        assert_eq!((rules.rows(), rules.objective()), (10, Objective::Fewest));
    }

    #[test]
    fn players_may_have_clocks_of_their_own() {
        let text = format!("(;GM[Othello]PC[here]TB[5:00]TW[10:00]TY[8]BO[{START}]B[D3];)");
        let record = parse_game(&text).unwrap();
        let clocks = [Color::Black, Color::White].map(|color| record.player(color).clock.as_deref());
        assert_eq!(clocks, [Some("5:00"), Some("10:00")]);
        assert_eq!(parse_game(&write(&record)).as_ref(), Ok(&record), "{}", write(&record));
    }

    #[test]
    fn all_comments_are_kept() {
        let record = parse_game("(;GM[Othello]PB[A\u{1b}nn]CO[one]CO[]CO[two]B[F5]CO[three];)").unwrap();
        assert_eq!((record.comment.as_deref(), record.players[0].name.as_str()), (Some("one\ntwo\nthree"), "A nn"));
        // each for itself, as they were read
        let again = parse_game(&write(&record)).unwrap();
        assert_eq!(again.comment, record.comment, "{}", write(&record));
        let empty = GameRecord { comment: Some("\r\n \none\r\n\ntwo\n".to_string()), ..record };
        assert!(write(&empty).contains("CO[one]CO[two]RE["), "{}", write(&empty));
    }

    #[test]
    fn a_place_and_an_event_are_both_kept() {
        let text = "(;GM[Othello]PC[Rome]EV[World Championship]DT[1977]PB[Ann]PW[Ben]B[F5];)";
        let record = parse_game(text).unwrap();
        assert_eq!((record.place.as_deref(), record.event.as_deref()), (Some("Rome"), Some("World Championship")));
        assert_eq!(parse_game(&write(&record)), Ok(record.clone()));
        // without a place the event is where readers of the format look for one
        assert!(write(&GameRecord { place: None, ..record.clone() }).contains("PC[World Championship]DT["));
        // and where there is neither, none is made up
        let nowhere = GameRecord { place: None, event: None, ..record };
        assert!(write(&nowhere).starts_with("(;GM[Othello]PC[]DT["), "{}", write(&nowhere));
        assert_eq!(parse_game(&write(&nowhere)), Ok(nowhere));
    }

    #[test]
    fn several_games() {
        let text = "2 (;B[F5];)(;B[D3]W[c3];)\n1 (;B[A1];)\njunk (;B[C4] (;B[E6];)";
        let games: Vec<Result<GameRecord, GgfError>> = games(text, Arc::new(RuleSet::othello())).collect();
        let lengths: Vec<Option<usize>> =
            games.iter().map(|game| game.as_ref().ok().map(|record| record.game.moves().len())).collect();
        assert_eq!(lengths, [Some(1), Some(2), None, None, Some(1)]);
        let message = |i: usize| games[i].as_ref().unwrap_err().to_string();
        assert_eq!(message(2), "line 2, column 7: move 1: black cannot play 'A1': the disc would turn nothing");
        assert_eq!(message(3), "line 3, column 14: '(;B' is not a tag (TAG[value])");
    }

    #[test]
    fn passes() {
        let board = "8 -------- -------- ---***** ---*OOOO ---**OOO ----**OO ------*O -------O *";
        let explicit = parse_game(&format!("(;BO[{board}]B[PA//0.5]W[G8];)")).unwrap();
        assert_eq!(explicit.game.moves().len(), 2);
        assert_eq!(explicit.notes[0].seconds, Some(0.5));
        let implicit = parse_game(&format!("(;BO[{board}]W[G8/2];)")).unwrap();
        assert_eq!(implicit.game, explicit.game);
        assert_eq!((implicit.note(0), implicit.notes[1].eval), (None, Some(2.0)));
        assert!(write(&explicit).ends_with("B[PA//0.50]W[G8];)"));
    }

    #[test]
    fn errors() {
        for (text, message) in [
            ("", "line 1, column 1: no game: a game begins with '(;'"),
            ("(;PB[x]", "line 1, column 8: the game does not end: ';)' is missing"),
            ("(;PB[x", "line 1, column 3: the value of PB does not end: ']' is missing"),
            ("(;PB x;)", "line 1, column 3: 'PB' is not a tag (TAG[value])"),
            ("(;GM[Chess];)", "line 1, column 6: the game is 'Chess', not Othello"),
            ("(;TY[3];)", "line 1, column 6: '3' is not a board size (4 to 16)"),
            ("(;BO[8 ---- *];)", "line 1, column 7: BO: the board has 5 squares, not 64"),
            ("(;B[F5]\nB[D6];)", "line 2, column 3: move 2: black plays 'D6', but white is to move"),
            ("(;B[F5]W[];)", "line 1, column 10: move 2: a move is missing"),
            ("(;B[F5]W[PASS];)", "line 1, column 10: move 2: white cannot pass, it has a legal move"),
        ] {
            assert_eq!(parse_game(text).unwrap_err().to_string(), message, "{text}");
        }
    }
}
