//! A recorded game: what every game format is read into and written from.

use crate::game::Game;
use crate::rules::{Color, Equality, Position, RuleSet};

/// A game with everything that is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// Start position and moves.
    pub game: Game,
    /// The players, by colour.
    pub players: [Player; 2],
    /// Tournament or match.
    pub event: Option<String>,
    /// Where it was played: a town, a server, a program.
    pub place: Option<String>,
    /// When, in the words of the file.
    pub date: Option<String>,
    /// The recorded result.
    pub result: Option<GameResult>,
    /// A remark about the whole game.
    pub comment: Option<String>,
    /// What is known about each move, by its index in [`Game::moves`]; may be shorter when nothing follows.
    pub notes: Vec<MoveNote>,
    /// Tags of the file's format that have no field here, in order; each writer keeps those of its own format.
    pub tags: Vec<(String, String)>,
}

/// A player.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Player {
    /// Name, empty when unknown.
    pub name: String,
    /// Rating, on the scale of the place.
    pub rating: Option<f64>,
    /// Clock setting, in the words of the file (`5:00`, `01:00//02:00`).
    pub clock: Option<String>,
}

/// What is known about a move.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MoveNote {
    /// Evaluation in discs for the side that moved.
    pub eval: Option<f64>,
    /// Time spent, in seconds.
    pub seconds: Option<f64>,
    /// Time left on the mover's clock after the move, in seconds.
    pub clock: Option<f64>,
    /// A remark.
    pub comment: Option<String>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ending {
    /// Played out.
    #[default]
    Played,
    /// One side gave up.
    Resignation,
    /// One side ran out of time.
    Time,
    /// The sides agreed on the result.
    Agreement,
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GameResult {
    /// Who won, `None` for a draw.
    pub winner: Option<Color>,
    /// Black's score in discs, where it is known.
    pub score: Option<f64>,
    /// How the game ended.
    pub ending: Ending,
}

impl GameResult {
    /// A result by black's score.
    pub fn from_score(score: f64, ending: Ending) -> GameResult {
        let winner = if score > 0.0 {
            Some(Color::Black)
        } else if score < 0.0 {
            Some(Color::White)
        } else {
            None
        };
        GameResult { winner, score: Some(score), ending }
    }

    /// A result by black's score under these rules, which may give equal counts to the second player.
    pub fn under(rules: &RuleSet, score: f64, ending: Ending) -> GameResult {
        let result = GameResult::from_score(score, ending);
        let second = (rules.equality() == Equality::SecondWins).then_some(Color::White);
        GameResult { winner: result.winner.or(second), ..result }
    }

    /// Black's score in discs; where it is not known that of a win of all squares, or of a draw.
    pub fn score_or_all(&self, squares: u32) -> f64 {
        let all = f64::from(squares);
        self.score.unwrap_or(match self.winner {
            Some(Color::Black) => all,
            Some(Color::White) => -all,
            None => 0.0,
        })
    }

    /// Who won, by how many discs, and how: `black won by 4 (resignation)`. The whole board is no score of a game that was given up
    /// or lost on time: files have it where they have to have one.
    pub fn words(&self, rules: &RuleSet) -> String {
        let winner = self.winner.map_or("draw".to_string(), |color| format!("{} won", rules.color_name(color)));
        let (how, is_cut_short) = match self.ending {
            Ending::Played => ("", false),
            Ending::Resignation => (" (resignation)", true),
            Ending::Time => (" (time)", true),
            Ending::Agreement => (" (agreed)", false),
        };
        let whole = f64::from(rules.squares());
        let score = self.score.map(f64::abs).filter(|score| *score > 0.0 && !(is_cut_short && *score == whole));
        winner + &score.map_or(String::new(), |score| format!(" by {score}")) + how
    }

    /// The result of a finished position, empty squares counted for the winner; `None` when play can go on.
    pub fn of(position: &Position) -> Option<GameResult> {
        position.is_game_over().then(|| GameResult {
            winner: position.winner(),
            score: Some(position.final_score(false) as f64),
            ending: Ending::Played,
        })
    }
}

impl GameRecord {
    /// A record of a game about which nothing else is known; a finished game has its result.
    pub fn new(game: Game) -> GameRecord {
        GameRecord {
            result: GameResult::of(game.position()),
            game,
            players: Default::default(),
            event: None,
            place: None,
            date: None,
            comment: None,
            notes: Vec::new(),
            tags: Vec::new(),
        }
    }

    /// Goes on to a game: what was said about moves that are no longer there, and about another end, is left out. The result is how
    /// many moves both have.
    pub fn follow(&mut self, game: &Game) -> usize {
        let same = match self.game.start() == game.start() {
            true => self.game.moves().iter().zip(game.moves()).take_while(|(one, other)| one == other).count(),
            false => 0,
        };
        if self.game != *game {
            self.notes.truncate(same);
            // results that other programs mean something else by
            self.tags.retain(|(name, _)| name != "RE" && name != "Result");
            self.result = GameResult::of(game.position());
            self.game = game.clone();
        }
        same
    }

    /// The player of a colour.
    pub fn player(&self, color: Color) -> &Player {
        &self.players[color.index()]
    }

    /// What is known about the move with this index, if anything.
    pub fn note(&self, index: usize) -> Option<&MoveNote> {
        self.notes.get(index).filter(|note| **note != MoveNote::default())
    }

    /// Sets the note of the last move played; without a move nothing is kept.
    pub fn annotate_last(&mut self, note: MoveNote) {
        if note != MoveNote::default()
            && let Some(last) = self.last_note()
        {
            *last = note;
        }
    }

    /// The note of the last move played, made if there is none; `None` before the first move.
    pub(super) fn last_note(&mut self) -> Option<&mut MoveNote> {
        self.notes.resize(self.game.moves().len(), MoveNote::default());
        self.notes.last_mut()
    }

    /// Adds a remark about the last move, or about the game where there is none yet, on a line of its own behind earlier ones.
    pub fn add_remark(&mut self, remark: &str) {
        match self.last_note() {
            Some(note) => add_line(&mut note.comment, remark),
            None => add_line(&mut self.comment, remark),
        }
    }

    /// The year of the date: its first number of four digits that is one, or the first four of a number of eight that is a day.
    pub fn year(&self) -> Option<u16> {
        self.day().map(|(year, _, _)| year)
    }

    /// Year, month and day of the date; the last two are 0 unless they follow the year (`2001-02-03`, `2001.02`, `20010203`), with a
    /// point, a stroke or the words of Japan between them: behind anything else, and behind a year that ends a date (`3.5.1977`),
    /// stand times of day.
    pub fn day(&self) -> Option<(u16, u8, u8)> {
        let part = |text: Option<&str>, most: u8| {
            text.and_then(|text| text.parse().ok()).filter(|part| (1..=most).contains(part))
        };
        let day_of = |month: Option<&str>, day: Option<&str>| {
            part(month, 12).map_or((0, 0), |month| (month, part(day, 31).unwrap_or(0)))
        };
        let mut rest = self.date.as_deref()?;
        let mut ends_date = false;
        loop {
            let (number, behind) = split_digits(&rest[rest.find(|c: char| c.is_ascii_digit())?..]);
            let next = joined_number(behind);
            // zones of time have four digits, too (`+0100`), up to 14 hours
            if number.len() == 4 && number > "1400" {
                let month = next.filter(|(_, behind)| !ends_date && !behind.starts_with(':'));
                let day = month.and_then(|(_, behind)| joined_number(behind));
                let (month, day) = day_of(month.map(|part| part.0), day.map(|part| part.0));
                return Some((number.parse().ok()?, month, day));
            }
            if number.len() == 8 {
                let (month, day) = day_of(number.get(4..6), number.get(6..));
                if day > 0 {
                    return Some((number[..4].parse().ok()?, month, day));
                }
            }
            (rest, ends_date) = (behind, next.is_some());
        }
    }

    /// The date as a format has it that orders its parts: year, month and day, with this between them. `unknown` stands for a part that
    /// is not known; without it such parts are left out, as is what follows the day. Words that say more of the day than
    /// [`GameRecord::day`] takes from them (`3 May 1977`) stay.
    pub(super) fn ordered_date(&self, separator: char, unknown: Option<&str>) -> Option<String> {
        let words = self.date.as_ref()?;
        let says_more = |year: u16| words.replacen(&format!("{year:04}"), "", 1).contains(char::is_alphanumeric);
        let (year, month, day) = match self.day() {
            None => return Some(words.clone()),
            Some((year, 0, _)) if says_more(year) => return Some(words.clone()),
            Some(known) => known,
        };
        let part = |number: u8| match number {
            0 => unknown.map(str::to_string),
            _ => Some(format!("{number:02}")),
        };
        let parts = [month, day].into_iter().filter_map(part);
        Some(parts.fold(format!("{year:04}"), |date, part| format!("{date}{separator}{part}")))
    }

    /// The value of a tag without a field of its own.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }
}

/// The digits at the front of a text, and what is behind them.
fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// The next number of a date, behind one of the characters that stand between its numbers, and what follows.
fn joined_number(text: &str) -> Option<(&str, &str)> {
    let (number, behind) = split_digits(text.strip_prefix(['.', '-', '/', '年', '月'])?);
    (!number.is_empty()).then_some((number, behind))
}

/// Adds a line to a text of any number of them.
pub(super) fn add_line(text: &mut Option<String>, line: &str) {
    match text {
        Some(text) => {
            text.push('\n');
            text.push_str(line);
        }
        None => *text = Some(line.to_string()),
    }
}

/// The lines of a remark that say something, for formats in which each is a remark of its own.
pub(super) fn remark_lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(one_line).filter(|line| !line.is_empty())
}

/// A text as one line, as names are: line breaks and what else acts on a terminal are blanks, of which there are none around it.
pub(super) fn one_line(text: &str) -> String {
    text.replace(super::acts, " ").trim().to_string()
}

/// A number as files write it: at most two decimals.
pub(super) fn decimal(value: f64) -> String {
    format!("{value:.2}")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::formats::parse_move;

    #[test]
    fn results() {
        let loss = GameResult::from_score(-2.0, Ending::Time);
        assert_eq!((loss.winner, loss.score), (Some(Color::White), Some(-2.0)));
        assert_eq!(GameResult::from_score(0.0, Ending::Played).winner, None);
        assert_eq!(GameResult::of(&Position::default()), None);
    }

    /// In all formats: where equal counts are a win of the second player, and where the fewest discs win.
    #[test]
    fn results_are_those_of_the_rules() {
        use crate::formats::files::games_to_text;
        use crate::formats::stream::{FileKind, GameStream};

        for (rules, black, white, counts) in [
            ("ravensburger", 0.0, true, "32-32"),
            ("othello", 0.0, false, "32-32"),
            ("othello:fewest", 24.0, false, "20-44"),
        ] {
            let rules: Arc<RuleSet> = Arc::new(rules.parse().unwrap());
            let mut record = GameRecord::new(Game::new(rules.clone()));
            record.game.play(record.game.position().legal_moves()[0]).unwrap();
            record.result = Some(GameResult::under(&rules, black, Ending::Played));
            let winner = if white { Some(Color::White) } else { GameResult::from_score(black, Ending::Played).winner };
            assert_eq!(record.result.and_then(|result| result.winner), winner);
            let page = games_to_text(std::slice::from_ref(&record), FileKind::Pgn).unwrap();
            assert!(page.contains(&format!("[Result \"{counts}\"]")), "{page}");
            let lines = format!("# rules: {rules}\nResult: {counts}\n{}\n", record.game.moves()[0]);
            let written = [FileKind::Ggf, FileKind::Sgf, FileKind::Pgn]
                .map(|kind| (kind, games_to_text(std::slice::from_ref(&record), kind).unwrap()));
            for (kind, text) in written.into_iter().chain([(FileKind::Text, lines)]) {
                let othello = Arc::new(RuleSet::othello());
                let again = GameStream::from_text(text.as_str(), "text", Some(kind), &othello).next().unwrap().unwrap();
                assert_eq!(again.result, record.result, "{text}");
                let ggf = games_to_text(&[again], FileKind::Ggf).unwrap();
                assert!(ggf.contains(&format!("RE[{black:+.2}]")), "no negative zero: {ggf}");
            }
        }
    }

    #[test]
    fn remarks_are_lines() {
        let mut record = GameRecord::new(Game::default());
        ["one", "two"].into_iter().for_each(|remark| record.add_remark(remark));
        record.game.play(parse_move(record.game.position(), "f5").unwrap()).unwrap();
        record.game.play(parse_move(record.game.position(), "d6").unwrap()).unwrap();
        ["three", "four"].into_iter().for_each(|remark| record.add_remark(remark));
        assert_eq!(record.comment.as_deref(), Some("one\ntwo"));
        assert_eq!((record.note(0), record.notes[1].comment.as_deref()), (None, Some("three\nfour")));
    }

    #[test]
    fn another_end_leaves_no_result_behind() {
        let mut game = Game::default();
        let mut record = GameRecord::new(game.clone());
        for (name, value) in [("RE", "0"), ("Result", "32-32"), ("Round", "3")] {
            record.tags.push((name.to_string(), value.to_string()));
        }
        assert_eq!((record.follow(&game), record.tags.len()), (0, 3));
        game.play(parse_move(game.position(), "f5").unwrap()).unwrap();
        assert_eq!(record.follow(&game), 0);
        assert_eq!(record.tags, [("Round".to_string(), "3".to_string())]);
        assert_eq!((record.follow(&game), record.game.moves().len()), (1, 1));
    }

    #[test]
    fn years_are_found_in_dates_of_any_form() {
        let year = |date: &str| GameRecord { date: Some(date.to_string()), ..GameRecord::new(Game::default()) }.year();
        let years = ["3 May 1977", "77", "2001-02-03", "20010203", "98765432", ""].map(year);
        assert_eq!(years, [Some(1977), None, Some(2001), Some(2001), None, None]);
        assert_eq!(GameRecord::new(Game::default()).year(), None);
        let day = |date: &str| GameRecord { date: Some(date.to_string()), ..GameRecord::new(Game::default()) }.day();
        let days = ["3.5.1977", "2001-02-03", "2001.02", "20010203", "2001.13.03", "2003.12.15_10:20:30.MDT"].map(day);
        let days = days.map(|day| day.unwrap());
        let expected = [(1977, 0, 0), (2001, 2, 3), (2001, 2, 0), (2001, 2, 3), (2001, 0, 0), (2003, 12, 15)];
        assert_eq!(days, expected);
        // what stands between the numbers of a date, and not before a time of day
        for (date, expected) in [
            ("2001/02/03 10:11", (2001, 2, 3)),
            ("2001-02-03T10:11", (2001, 2, 3)),
            ("2001-02-03:10:11", (2001, 2, 3)),
            ("2001年2月3日", (2001, 2, 3)),
            ("2001.02 10:11", (2001, 2, 0)),
            ("10:11 2001-02-03", (2001, 2, 3)),
            ("12/03/1997 11:20", (1997, 0, 0)),
            ("1997 10:30", (1997, 0, 0)),
            ("1997-10:30", (1997, 0, 0)),
            ("3.5.1997-10.5.1997", (1997, 0, 0)),
            ("10:00 +0100 1997-02-03", (1997, 2, 3)),
        ] {
            assert_eq!(day(date), Some(expected), "{date}");
        }
        for zone in ["3 Feb 97 10:00 +0100", "3 Feb 97 10:00:00-0500", "97-02-03 +1400"] {
            assert_eq!(day(zone), None, "{zone}");
        }
    }

    /// In PGN and SGF, which order the parts of a date; GGF has the words of the file.
    #[test]
    fn dates_are_written_in_the_order_of_the_format() {
        use crate::formats::files::games_to_text;
        use crate::formats::stream::{FileKind, GameStream};

        for (date, pgn, sgf, read) in [
            ("2003.12.15_10:20:30.MDT", "2003.12.15", "2003-12-15", "2003.12.15"),
            ("2026-11-20 23:25:31 GMT", "2026.11.20", "2026-11-20", "2026.11.20"),
            ("20010203", "2001.02.03", "2001-02-03", "2001.02.03"),
            ("2001.2", "2001.02.??", "2001-02", "2001.02"),
            ("1977", "1977.??.??", "1977", "1977"),
            ("1977.??.??", "1977.??.??", "1977", "1977"),
            ("1996-12-27,28", "1996.12.27", "1996-12-27,28", "1996.12.27"),
            // nothing is lost of what is not understood
            ("3 May 1977", "3 May 1977", "3 May 1977", "3 May 1977"),
            ("3.5.1977", "3.5.1977", "3.5.1977", "3.5.1977"),
            ("12/03/1997 11:20", "12/03/1997 11:20", "12/03/1997 11:20", "12/03/1997 11:20"),
            ("1 Feb 2003 10:11", "1 Feb 2003 10:11", "1 Feb 2003 10:11", "1 Feb 2003 10:11"),
            (
                "Mon, 3 Feb 1997 10:00:00",
                "Mon, 3 Feb 1997 10:00:00",
                "Mon, 3 Feb 1997 10:00:00",
                "Mon, 3 Feb 1997 10:00:00",
            ),
            ("1997 10:30", "1997 10:30", "1997 10:30", "1997 10:30"),
            ("spring", "spring", "spring", "spring"),
            ("12.5", "12.5", "12.5", "12.5"),
            ("????-10", "????-10", "????-10", ""),
        ] {
            let record = GameRecord { date: Some(date.to_string()), ..GameRecord::new(Game::default()) };
            for (kind, expected) in [
                (FileKind::Pgn, format!("[Date \"{pgn}\"]")),
                (FileKind::Sgf, format!("DT[{sgf}]")),
                (FileKind::Ggf, format!("DT[{date}]")),
            ] {
                let text = games_to_text(std::slice::from_ref(&record), kind).unwrap();
                assert!(text.contains(&expected), "{date}: {text}");
                if kind == FileKind::Pgn {
                    let rules = Arc::new(RuleSet::othello());
                    let again = GameStream::from_text(text.as_str(), "text", Some(kind), &rules).next().unwrap();
                    assert_eq!(again.unwrap().date.as_deref().unwrap_or_default(), read);
                }
            }
        }
    }

    #[test]
    fn notes_belong_to_the_last_move() {
        let mut record = GameRecord::new(Game::default());
        let note = MoveNote { eval: Some(1.5), ..MoveNote::default() };
        record.annotate_last(note.clone());
        assert!(record.notes.is_empty());
        for square in ["f5", "d6"] {
            let mv = parse_move(record.game.position(), square).unwrap();
            record.game.play(mv).unwrap();
        }
        record.annotate_last(note.clone());
        assert_eq!((record.note(0), record.note(1), record.note(2)), (None, Some(&note), None));
    }
}
