//! Game records as text and as JSON.
//!
//! Text, one `key: value` a line, `#` begins a comment line; `turns` may be repeated to keep lines short:
//!
//! ```text
//! outflank-solo 1
//! layout: c1 f1 b2 d2 e2 g2 a3 c3 f3 h3 b4 g4 b5 g5 a6 c6 f6 h6 b7 d7 e7 g7 c8 f8
//! seed: 1
//! chips: g6 g8 b1 b3 g5 g4 b10 g9 b7 b5 b- g- g3 b- b8 g- g7 b9 g10 g2 b2 g1 b4 b6
//! scoring: count
//! turns: d3g e3b
//! takebacks: 0
//! peeks: 0
//! hints: 0
//! won: 0
//! points: 0
//! ending: in-progress
//! ```
//!
//! Either `chips` (in the order of the layout's squares, row by row; `??` for one that nobody knows) or `seed` may be missing;
//! the rest has defaults. What `??` leaves open is filled in from the seed; without one it is a game with the real box. `won`,
//! `points` and `ending`, when present, are checked against the turns. JSON has the same keys in one object, with
//! `"format": "outflank-solo 1"`, and lists for `layout`, `chips` and `turns`. A record holds the chips in clear: whoever
//! opens the file of an unfinished game sees them.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use super::chip::{CHIPS, Chip};
use super::game::{Game, Help};
use super::layout::{Deal, Layout};
use super::position::Move;
use super::view::Scoring;
use crate::formats::quantity::plural;
use crate::formats::without_mark;

/// First line of the text form, value of `format` in the JSON form.
pub const FORMAT: &str = "outflank-solo 1";

/// A chip that nobody knows, in a record.
const UNKNOWN: &str = "??";

/// A game with what a record adds to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The deal, the turns and the help taken.
    pub game: Game,
    /// The seed the deal was shuffled from, if it was.
    pub seed: Option<u64>,
    /// The scoring the player plays for.
    pub scoring: Scoring,
}

/// Where in a record something is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Line and column of the text form, both from 1; columns count characters.
    Text(usize, usize),
    /// A field of the JSON form.
    Field(&'static str),
    /// An item of a list of the JSON form, from 0.
    Item(&'static str, usize),
    /// The record as a whole.
    Whole,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Text(line, column) => write!(f, "line {line}, column {column}"),
            Place::Field(name) => write!(f, "{name}"),
            Place::Item(name, index) => write!(f, "{name}[{index}]"),
            Place::Whole => write!(f, "record"),
        }
    }
}

/// What is wrong with a record, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct RecordError {
    /// Where.
    pub place: Place,
    /// What.
    pub reason: String,
}

fn error(place: Place, reason: impl fmt::Display) -> RecordError {
    RecordError { place, reason: reason.to_string() }
}

/// The JSON form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Json {
    format: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    layout: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    chips: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scoring: Option<String>,
    #[serde(default)]
    turns: Vec<String>,
    #[serde(default)]
    takebacks: u32,
    #[serde(default)]
    peeks: u32,
    #[serde(default)]
    hints: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    won: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    points: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ending: Option<String>,
}

/// The words of a record with their places, before they are understood.
#[derive(Default)]
struct Draft {
    layout: Option<Vec<(Place, String)>>,
    seed: Option<(Place, u64)>,
    chips: Option<Vec<(Place, String)>>,
    scoring: Option<(Place, String)>,
    turns: Vec<(Place, String)>,
    /// Turns taken back, peeks and hints.
    help: [Option<u32>; 3],
    won: Option<(Place, u32)>,
    points: Option<(Place, u32)>,
    ending: Option<(Place, String)>,
}

impl Record {
    /// Reads either form: JSON when the first character is `{`.
    ///
    /// # Errors
    /// [`RecordError`] names the place and what is wrong there.
    pub fn parse(text: &str) -> Result<Record, RecordError> {
        let text = without_mark(text);
        if text.trim_start().starts_with('{') { Record::from_json(text) } else { Record::from_text(text) }
    }

    /// Reads the text form.
    ///
    /// # Errors
    /// [`RecordError`] with line and column.
    pub fn from_text(text: &str) -> Result<Record, RecordError> {
        let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line)).filter(|(_, line)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('#')
        });
        match lines.next() {
            Some((_, line)) if line.trim() == FORMAT => {}
            Some((number, _)) => return Err(error(Place::Text(number, 1), format!("expected '{FORMAT}'"))),
            None => return Err(error(Place::Text(1, 1), format!("the record is empty, expected '{FORMAT}'"))),
        }
        let mut draft = Draft::default();
        for (number, line) in lines {
            draft.read_line(number, line)?;
        }
        draft.build()
    }

    /// Reads the JSON form.
    ///
    /// # Errors
    /// [`RecordError`] with line and column for broken JSON, with the field otherwise.
    pub fn from_json(text: &str) -> Result<Record, RecordError> {
        let json: Json = serde_json::from_str(text).map_err(|e| {
            let message = e.to_string();
            let reason = message.split(" at line ").next().unwrap_or_default().to_string();
            error(Place::Text(e.line(), e.column()), reason)
        })?;
        if json.format != FORMAT {
            return Err(error(Place::Field("format"), format!("'{}' is not '{FORMAT}'", json.format)));
        }
        let items = |name: &'static str, list: Vec<String>| {
            list.into_iter().enumerate().map(|(i, word)| (Place::Item(name, i), word)).collect::<Vec<_>>()
        };
        let draft = Draft {
            layout: json.layout.map(|list| items("layout", list)),
            seed: json.seed.map(|seed| (Place::Field("seed"), seed)),
            chips: json.chips.map(|list| items("chips", list)),
            scoring: json.scoring.map(|name| (Place::Field("scoring"), name)),
            turns: items("turns", json.turns),
            help: [json.takebacks, json.peeks, json.hints].map(Some),
            won: json.won.map(|won| (Place::Field("won"), won)),
            points: json.points.map(|points| (Place::Field("points"), points)),
            ending: json.ending.map(|name| (Place::Field("ending"), name)),
        };
        draft.build()
    }

    /// The JSON form, indented.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(&self.json()).expect("strings and numbers always serialise")
    }

    /// The JSON form on one line, without the line break.
    pub fn to_json_line(&self) -> String {
        serde_json::to_string(&self.json()).expect("strings and numbers always serialise")
    }

    fn json(&self) -> Json {
        let strings = |items: &mut dyn Iterator<Item = String>| items.collect::<Vec<_>>();
        let score = self.game.view().score();
        Json {
            format: FORMAT.to_string(),
            layout: Some(strings(&mut self.game.layout().squares().map(|square| square.to_string()))),
            seed: self.seed,
            chips: Some(self.chip_words()),
            scoring: Some(self.scoring.name().to_string()),
            turns: strings(&mut self.game.moves().iter().map(Move::to_string)),
            takebacks: self.game.help.takebacks,
            peeks: self.game.help.peeks,
            hints: self.game.help.hints,
            won: Some(score.chips),
            points: Some(score.points),
            ending: Some(ending_name(&self.game).to_string()),
        }
    }
}

impl Record {
    /// The chips in the order of the layout's squares, `??` for those that nobody knows.
    fn chip_words(&self) -> Vec<String> {
        let word = |chip: &Option<Chip>| chip.map_or(UNKNOWN.to_string(), |chip| chip.to_string());
        self.game.chips().iter().map(word).collect()
    }

    /// The record as its player may see it: without the chips that have not been turned up, and without the seed that would
    /// tell them. It loads as a game with the real box.
    #[must_use]
    pub fn without_hidden_chips(&self) -> Record {
        let view = self.game.view();
        let seen: Vec<Option<Chip>> = view.layout().squares().map(|square| view.chip_at(square)).collect();
        let seen = seen.try_into().expect("a layout has a square for each chip");
        let mut game = Game::with_chips(view.layout(), seen);
        for mv in self.game.moves() {
            game.play(*mv).expect("all that these turns turned up has been seen");
        }
        game.help = self.game.help;
        Record { game, seed: None, scoring: self.scoring }
    }
}

fn ending_name(game: &Game) -> &'static str {
    game.ending().map_or("in-progress", |ending| ending.name())
}

/// The text form.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FORMAT}")?;
        writeln!(f, "layout: {}", self.game.layout())?;
        if let Some(seed) = self.seed {
            writeln!(f, "seed: {seed}")?;
        }
        writeln!(f, "chips: {}", self.chip_words().join(" "))?;
        writeln!(f, "scoring: {}", self.scoring.name())?;
        for turns in self.game.moves().chunks(20) {
            let line = turns.iter().fold(String::new(), |mut line, mv| {
                let _ = write!(line, " {mv}");
                line
            });
            writeln!(f, "turns:{line}")?;
        }
        let Help { takebacks, peeks, hints } = self.game.help;
        writeln!(f, "takebacks: {takebacks}\npeeks: {peeks}\nhints: {hints}")?;
        let score = self.game.view().score();
        writeln!(f, "won: {}\npoints: {}\nending: {}", score.chips, score.points, ending_name(&self.game))
    }
}

/// The words of a line and their columns, counted in characters from 1.
fn words(line: &str, number: usize, from: usize) -> Vec<(Place, String)> {
    let mut words: Vec<(Place, String)> = Vec::new();
    let mut inside = false;
    for (column, c) in line.chars().enumerate().skip(from) {
        if c.is_whitespace() {
            inside = false;
        } else if inside {
            words.last_mut().expect("inside a word").1.push(c);
        } else {
            words.push((Place::Text(number, column + 1), c.to_string()));
            inside = true;
        }
    }
    words
}

/// The only word of a line.
fn single(place: Place, words: Vec<(Place, String)>) -> Result<(Place, String), RecordError> {
    match <[_; 1]>::try_from(words) {
        Ok([word]) => Ok(word),
        Err(words) => Err(match words.into_iter().nth(1) {
            None => error(place, "the value is missing"),
            Some((place, word)) => error(place, format!("'{word}' is one word too many")),
        }),
    }
}

fn number<T: std::str::FromStr>((place, word): (Place, String)) -> Result<(Place, T), RecordError> {
    match word.parse() {
        Ok(value) => Ok((place, value)),
        Err(_) => Err(error(place, format!("'{word}' is not a number that fits here"))),
    }
}

/// Fills a field once.
fn once<T>(slot: &mut Option<T>, place: Place, key: &str, value: T) -> Result<(), RecordError> {
    if slot.replace(value).is_some() {
        return Err(error(place, format!("'{key}' is given twice")));
    }
    Ok(())
}

impl Draft {
    fn read_line(&mut self, line_number: usize, line: &str) -> Result<(), RecordError> {
        let place = Place::Text(line_number, 1);
        let Some(colon) = line.find(':') else { return Err(error(place, "expected 'key: value'")) };
        let key = line[..colon].trim();
        let values = words(line, line_number, line[..colon].chars().count() + 1);
        match key {
            "layout" => once(&mut self.layout, place, key, values),
            "chips" => once(&mut self.chips, place, key, values),
            "turns" => {
                self.turns.extend(values);
                Ok(())
            }
            "seed" => once(&mut self.seed, place, key, number(single(place, values)?)?),
            "scoring" => once(&mut self.scoring, place, key, single(place, values)?),
            "won" => once(&mut self.won, place, key, number(single(place, values)?)?),
            "points" => once(&mut self.points, place, key, number(single(place, values)?)?),
            "ending" => once(&mut self.ending, place, key, single(place, values)?),
            "takebacks" => once(&mut self.help[0], place, key, number(single(place, values)?)?.1),
            "peeks" => once(&mut self.help[1], place, key, number(single(place, values)?)?.1),
            "hints" => once(&mut self.help[2], place, key, number(single(place, values)?)?.1),
            _ => Err(error(place, format!("unknown key '{key}'"))),
        }
    }

    /// Understands the words and replays the turns.
    fn build(self) -> Result<Record, RecordError> {
        let layout = self.layout()?;
        let seed = self.seed.map(|(_, seed)| seed);
        let chips = self.chips(layout)?;
        let scoring = match &self.scoring {
            None => Scoring::default(),
            Some((place, name)) => Scoring::from_name(name)
                .ok_or_else(|| error(*place, format!("'{name}' is not a scoring: count or points")))?,
        };
        let mut game = Game::with_chips(layout, chips);
        for (i, (place, word)) in self.turns.iter().enumerate() {
            let turn = |reason: &dyn fmt::Display| error(*place, format!("turn {}: {reason}", i + 1));
            let mv: Move = word.parse().map_err(|e| turn(&e))?;
            game.play(mv).map_err(|e| turn(&e))?;
        }
        let [takebacks, peeks, hints] = self.help.map(Option::unwrap_or_default);
        game.help = Help { takebacks, peeks, hints };
        self.check_result(&game)?;
        Ok(Record { game, seed, scoring })
    }

    fn layout(&self) -> Result<Layout, RecordError> {
        let Some(words) = &self.layout else { return Ok(Layout::default()) };
        let mut squares = 0;
        for (place, word) in words {
            let square: crate::board::Square = word.parse().map_err(|e| error(*place, e))?;
            if squares & square.bit() != 0 {
                return Err(error(*place, format!("square {square} is named twice")));
            }
            squares |= square.bit();
        }
        Layout::new(squares).map_err(|e| error(words.first().map_or(Place::Whole, |(place, _)| *place), e))
    }

    fn chips(&self, layout: Layout) -> Result<[Option<Chip>; CHIPS], RecordError> {
        let shuffled = self.seed.map(|(place, seed)| (place, *Deal::shuffled(layout, seed).chips()));
        let Some(words) = &self.chips else {
            let chips = shuffled.map(|(_, chips)| chips.map(Some));
            return chips.ok_or_else(|| error(Place::Whole, "neither chips nor a seed"));
        };
        let start = words.first().map_or(Place::Whole, |(place, _)| *place);
        let mut left = Chip::all().to_vec();
        let mut chips = Vec::new();
        for (place, word) in words {
            if word == UNKNOWN {
                chips.push(None);
                continue;
            }
            let chip: Chip = word.parse().map_err(|e| error(*place, e))?;
            let at = left.iter().position(|c| *c == chip);
            let at = at.ok_or_else(|| error(*place, format!("chip {chip} is named too often")))?;
            left.swap_remove(at);
            chips.push(Some(chip));
        }
        let chips: [Option<Chip>; CHIPS] = chips
            .try_into()
            .map_err(|c: Vec<_>| error(start, format!("{} instead of {CHIPS}", plural(c.len() as u64, "chip"))))?;
        let Some((place, shuffled)) = shuffled else { return Ok(chips) };
        if chips.iter().zip(shuffled).any(|(chip, dealt)| chip.is_some_and(|chip| chip != dealt)) {
            return Err(error(place, "the seed's shuffle does not give the record's chips"));
        }
        Ok(shuffled.map(Some))
    }

    fn check_result(&self, game: &Game) -> Result<(), RecordError> {
        let score = game.view().score();
        for (claim, is, what) in [(self.won, score.chips, "chips won"), (self.points, score.points, "points")] {
            if let Some((place, said)) = claim.filter(|(_, said)| *said != is) {
                return Err(error(place, format!("the record says {said} {what}, its turns give {is}")));
            }
        }
        match &self.ending {
            Some((place, said)) if said != ending_name(game) => {
                Err(error(*place, format!("the record says '{said}', its turns give '{}'", ending_name(game))))
            }
            _ => Ok(()),
        }
    }
}
