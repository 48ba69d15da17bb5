//! The text form of rule sets: a preset's name, or `name:change,change,...`.
//!
//! | dimension | tokens |
//! |---|---|
//! | board | `ROWSxCOLUMNS`, each from 4 to 16: `6x6`, `10x8`, `7x8` |
//! | shape | `rectangle`, `octagon` (three squares cut off at each corner), `holes=a1,h1,...` |
//! | handicap | `corners=N`: the first player's discs hold N corners at the start; in `handicap` the number alone |
//! | start | `crossed`, `crossed-mirrored`, `parallel`, `placement`, `start=BOARD` |
//! | flips | `all`, `one` |
//! | supply | `shared`, `own` |
//! | equal counts | `draw`, `second-wins` |
//! | objective | `most`, `fewest` (also written `anti`) |
//! | colour names | `colors=FIRST/SECOND` |
//!
//! `BOARD` gives the rows from the top, separated by `/`: `X` is a disc of the first player (who moves first), `O`
//! one of the second (or the letters of the rule set), `-` or `.` an empty square, a number that many of them, and `#` a
//! hole, as in `othello:6x6,start=6/6/2OX2/2XO2/6/6`.
//!
//! Letter case does not matter except in colour names; blanks around tokens are ignored. A change that makes a
//! preset into another one takes that one's name: `traveller:all` is `traveller-all`. What `Display` prints
//! is the shortest text of this kind: the preset's name, and only what differs from it.

mod board;

use std::fmt;
use std::str::FromStr;

use self::board::parse_cells;
pub(super) use self::board::{board_text, parse_board};
use super::presets::{self, PRESETS};
use super::{Bits, Equality, Flips, InvalidRules, Objective, Point, RuleSet, Shape, Start, Supply};
use crate::plain::quote;

/// The text is not a rule set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseRulesError {
    /// No preset has this name.
    #[error("unknown rule set {}: expected one of {names}", quote(.0), names = preset_names())]
    UnknownPreset(String),
    /// The solitaire is not a game for two.
    #[error("'{0}' is the solitaire, which has its own command: outflank solo")]
    Solitaire(String),
    /// A change that means nothing.
    #[error(
        "unknown rule {}: expected a size such as 6x6; a start: crossed, crossed-mirrored, parallel, placement or \
         start=BOARD; a shape: rectangle, octagon or holes=a1,h1; corners=N; flips: all or one; supply: shared or own; equal counts: draw or second-wins; objective: most or \
         fewest; or colors=FIRST/SECOND",
        quote(.0)
    )]
    UnknownToken(String),
    /// A board of sizes that no byte holds.
    #[error("board {0}: rows and columns must be numbers from 4 to 16")]
    Size(String),
    /// Two changes of the same dimension.
    #[error("{second} contradicts {first}: both set the {2}", second = quote(.1), first = quote(.0))]
    Twice(String, String, &'static str),
    /// `start=` is followed by something that is not a board of the rules' size.
    #[error("start position {}: {problem}", quote(text))]
    Board {
        /// The text after `start=`.
        text: String,
        /// What is wrong with it, and where.
        problem: String,
    },
    /// The parts do not go together.
    #[error(transparent)]
    Invalid(#[from] InvalidRules),
}

fn preset_names() -> String {
    PRESETS.map(|preset| preset.name).join(", ")
}

/// What a token sets. The board of an explicit start is read when the size is known.
enum Change {
    Size(u8, u8),
    Shape(Shape),
    Corners(u8),
    Start(Start),
    Board(String),
    Flips(Flips),
    Supply(Supply),
    Equality(Equality),
    Objective(Objective),
    Colors(String, String),
}

impl Change {
    /// Reads one token, already without blanks.
    fn parse(token: &str) -> Result<Change, ParseRulesError> {
        let lower = token.to_ascii_lowercase();
        if lower.starts_with("start=") {
            return Ok(Change::Board(token["start=".len()..].to_string()));
        }
        if let Some(square) = lower.strip_prefix("holes=") {
            let mut holes = Bits::EMPTY;
            holes.insert(square_of(square).ok_or_else(|| ParseRulesError::UnknownToken(token.to_string()))?);
            return Ok(Change::Shape(Shape::Holes(holes)));
        }
        let count = lower.strip_prefix("corners=").unwrap_or(&lower);
        if let [digit @ b'0'..=b'9'] = count.as_bytes() {
            return Ok(Change::Corners(digit - b'0'));
        }
        if lower.starts_with("colors=") {
            let (first, second) = token["colors=".len()..].split_once('/').unwrap_or((token, ""));
            return Ok(Change::Colors(first.to_string(), second.to_string()));
        }
        Ok(match lower.as_str() {
            "rectangle" => Change::Shape(Shape::Rectangle),
            "octagon" => Change::Shape(Shape::Octagon),
            "crossed" => Change::Start(Start::Crossed),
            "crossed-mirrored" => Change::Start(Start::CrossedMirrored),
            "parallel" => Change::Start(Start::Parallel),
            "placement" => Change::Start(Start::Placement),
            "all" => Change::Flips(Flips::All),
            "one" => Change::Flips(Flips::One),
            "shared" => Change::Supply(Supply::Shared),
            "own" => Change::Supply(Supply::Own),
            "draw" => Change::Equality(Equality::Draw),
            "second-wins" => Change::Equality(Equality::SecondWins),
            "most" => Change::Objective(Objective::Most),
            "fewest" | "anti" => Change::Objective(Objective::Fewest),
            _ => {
                let unknown = || ParseRulesError::UnknownToken(token.to_string());
                let (rows, columns) = lower.split_once('x').ok_or_else(unknown)?;
                let number = |text: &str| text.parse::<u32>().map_err(|_| unknown());
                let size = (u8::try_from(number(rows)?), u8::try_from(number(columns)?));
                let (Ok(rows), Ok(columns)) = size else { return Err(ParseRulesError::Size(lower)) };
                Change::Size(rows, columns)
            }
        })
    }

    fn dimension(&self) -> &'static str {
        match self {
            Change::Size(..) => "board size",
            Change::Shape(_) => "shape of the board",
            Change::Corners(_) => "number of corners",
            Change::Start(_) | Change::Board(_) => "start",
            Change::Flips(_) => "flips",
            Change::Supply(_) => "supply",
            Change::Equality(_) => "meaning of equal counts",
            Change::Objective(_) => "objective",
            Change::Colors(..) => "colour names",
        }
    }
}

impl FromStr for RuleSet {
    type Err = ParseRulesError;

    /// Reads the text form (see the [module](self)).
    fn from_str(text: &str) -> Result<RuleSet, ParseRulesError> {
        let (name, changes) = text.split_once(':').map_or((text, None), |(name, changes)| (name, Some(changes)));
        let name = name.trim().to_ascii_lowercase();
        if name == presets::SOLITAIRE {
            return Err(ParseRulesError::Solitaire(name));
        }
        let preset = presets::find(&name).ok_or(ParseRulesError::UnknownPreset(name))?;
        let mut rules = preset.rules();
        let mut board = None;
        let mut seen: Vec<(&'static str, &str)> = Vec::new();
        for token in changes.into_iter().flat_map(|changes| changes.split(',')).map(str::trim) {
            // the squares after the first one of `holes=`
            if let (Some(("shape of the board", first)), Some(hole)) = (seen.last(), square_of(token))
                && let (true, Shape::Holes(holes)) = (first.contains('='), &mut rules.shape)
            {
                holes.insert(hole);
                continue;
            }
            let change = Change::parse(token)?;
            let dimension = change.dimension();
            if let Some((_, first)) = seen.iter().find(|other| other.0 == dimension) {
                return Err(ParseRulesError::Twice(first.to_string(), token.to_string(), dimension));
            }
            seen.push((dimension, token));
            match change {
                Change::Size(rows, columns) => (rules.rows, rules.columns) = (rows, columns),
                Change::Shape(shape) => rules.shape = shape,
                Change::Corners(corners) => rules.corners = corners,
                Change::Start(start) => rules.start = start,
                Change::Board(text) => board = Some(text),
                Change::Flips(flips) => rules.flips = flips,
                Change::Supply(supply) => rules.supply = supply,
                Change::Equality(equality) => rules.equality = equality,
                Change::Objective(objective) => rules.objective = objective,
                Change::Colors(first, second) => rules.colors = [first, second],
            }
        }
        if let Some(text) = board {
            // of the present start only the size matters
            RuleSet { start: Start::Crossed, shape: Shape::Rectangle, corners: 0, ..rules.clone() }.validate()?;
            let problem = |problem| ParseRulesError::Board { text: text.clone(), problem };
            let cells = parse_cells(&text, &rules).map_err(problem)?;
            rules.start = Start::Explicit(cells.discs[0], cells.discs[1]);
            match cells.hashes {
                Bits::EMPTY => {}
                _ if rules.letters().hash_is_empty() => {}
                holes if rules.shape == Shape::Rectangle => rules.shape = Shape::Holes(holes),
                holes if rules.holes() == holes => {}
                _ => return Err(problem("its holes (#) are not those of the rules".to_string())),
            }
        }
        rules.validate()?;
        Ok(rules.renamed())
    }
}

impl RuleSet {
    /// The same rules under the name of the preset that they equal, if it is another one.
    pub(crate) fn renamed(mut self) -> RuleSet {
        if presets::find(&self.name).is_some_and(|preset| preset.rules() == self) {
            return self;
        }
        let same = |preset: &&presets::Preset| RuleSet { name: self.name.clone(), ..preset.rules() } == self;
        if let Some(preset) = PRESETS[..presets::SHEETS].iter().find(same) {
            self.name = preset.name.to_string();
        }
        self
    }

    /// The tokens in which the rules differ from others, in the order of the table in [`text`](self).
    fn changes_from(&self, base: &RuleSet) -> Vec<String> {
        let mut changes = Vec::new();
        let mut push = |changed: bool, token: &str| {
            if changed {
                changes.push(token.to_string());
            }
        };
        let size = format!("{}x{}", self.rows, self.columns);
        push((self.rows, self.columns) != (base.rows, base.columns), &size);
        push(self.shape != base.shape, &self.shape_token());
        let number = if base.corners > 0 { "" } else { "corners=" };
        push(self.corners != base.corners, &format!("{number}{}", self.corners));
        push(self.start != base.start, &self.start_token());
        push(self.flips != base.flips, self.flips.name());
        push(self.supply != base.supply, self.supply.name());
        push(self.equality != base.equality, self.equality.name());
        push(self.objective != base.objective, self.objective.name());
        push(self.colors != base.colors, &format!("colors={}/{}", self.colors[0], self.colors[1]));
        changes
    }

    /// The shape as written in the text form: `rectangle`, `octagon` or `holes=a1,h1`.
    pub fn shape_token(&self) -> String {
        match self.shape {
            Shape::Rectangle => "rectangle".to_string(),
            Shape::Octagon => "octagon".to_string(),
            Shape::Holes(holes) => {
                let names: Vec<String> = holes.iter().map(|point| point.to_string()).collect();
                format!("holes={}", names.join(","))
            }
        }
    }

    /// The start as written in the text form: `crossed`, ..., or `start=BOARD`.
    pub fn start_token(&self) -> String {
        match &self.start {
            Start::Crossed => "crossed".to_string(),
            Start::CrossedMirrored => "crossed-mirrored".to_string(),
            Start::Parallel => "parallel".to_string(),
            Start::Placement => "placement".to_string(),
            // the shape names the holes, and behind a `#` GTP hears nothing
            Start::Explicit(black, white) => format!("start={}", board_text(*black, *white, Bits::EMPTY, self)),
        }
    }
}

impl Flips {
    /// As written in the text form: `all` or `one`.
    pub const fn name(self) -> &'static str {
        ["all", "one"][self as usize]
    }
}

impl Supply {
    /// As written in the text form: `shared` or `own`.
    pub const fn name(self) -> &'static str {
        ["shared", "own"][self as usize]
    }
}

impl Equality {
    /// As written in the text form: `draw` or `second-wins`.
    pub const fn name(self) -> &'static str {
        ["draw", "second-wins"][self as usize]
    }
}

impl Objective {
    /// As written in the text form: `most` or `fewest`.
    pub const fn name(self) -> &'static str {
        ["most", "fewest"][self as usize]
    }
}

/// The text form: see [`text`](self).
impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base = presets::find(&self.name).unwrap_or(&PRESETS[0]).rules();
        let changes = self.changes_from(&base);
        f.write_str(&base.name)?;
        if !changes.is_empty() {
            write!(f, ":{}", changes.join(","))?;
        }
        Ok(())
    }
}

/// A square `a1` to `p16`, in lower or upper case.
fn square_of(text: &str) -> Option<Point> {
    let letter = text.bytes().next()?.to_ascii_lowercase();
    let column = letter.checked_sub(b'a').filter(|column| *column < 16)?;
    let digits = &text[1..];
    let row: u8 = digits.parse().ok().filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))?;
    (1..=16).contains(&row).then(|| Point { row: row - 1, column })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> RuleSet {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn shortest_form() {
        for (text, shortest) in [
            ("othello", "othello"),
            (" Othello : 8X8 , crossed ", "othello"),
            ("hungarian:parallel,6x6", "hungarian:6x6,parallel"),
            ("othello:crossed-mirrored", "othello:crossed-mirrored"),
            ("othello:5x7", "othello:5x7"),
            ("othello:10x10", "othello:10x10"),
            ("octagon:12x12", "octagon:12x12"),
            ("othello:octagon,10x10", "othello:10x10,octagon"),
            ("octagon:rectangle", "octagon:rectangle"),
            ("handicap", "handicap"),
            ("handicap:3", "handicap:3"),
            ("othello:corners=2,6x6", "othello:6x6,corners=2"),
            ("othello:holes=H8,a1 , h1,one", "othello:holes=a1,h1,h8,one"),
            ("othello:4x5,start=#4/1XO2/1OX2/5", "othello:4x5,holes=a1,start=5/1XO2/1OX2/5"),
            ("hungarian:4x4,start=####/#oO#/#Oo#/####", "hungarian:4x4,start=4/1XO1/1OX1/4"),
            ("ravensburger:one", "ravensburger-one"),
            ("traveller:all", "traveller-all"),
            ("traveller-all:one,6x6", "traveller-all:6x6,one"),
            ("reversi", "reversi"),
            ("reversi:crossed", "reversi"),
            ("othello:anti", "othello:fewest"),
            ("othello:colors=Gold/Noir", "othello:colors=Gold/Noir"),
            ("othello:start=8/8/8/3OX3/3XO3/8/8/8", "othello:start=8/8/8/3OX3/3XO3/8/8/8"),
            ("othello:4x4,start=----/-xo./1OX-/4", "othello:4x4,start=4/1XO1/1OX1/4"),
            // a hole where the usual start has discs, and a start that goes around it
            ("othello:6x6,holes=c3,start=6/6/6/1XO3/1OX3/6", "othello:6x6,holes=c3,start=6/6/6/1XO3/1OX3/6"),
            ("ravensburger:10x16,one,own,draw,fewest", "ravensburger:10x16,one,own,draw,fewest"),
        ] {
            assert_eq!(parse(text).to_string(), shortest);
            assert_eq!(parse(shortest), parse(text));
        }
    }

    #[test]
    fn errors_name_the_token() {
        for (text, error) in [
            ("chess", "unknown rule set 'chess': expected one of othello, reveris, ravensburger,"),
            ("", "unknown rule set ''"),
            ("ravensburger-solo", "'ravensburger-solo' is the solitaire"),
            ("othello:", "unknown rule '': expected a size such as 6x6; a start: crossed,"),
            ("othello:6x6,,one", "unknown rule ''"),
            ("othello:wide", "unknown rule 'wide'"),
            ("othello:6x", "unknown rule '6x'"),
            ("othello:3x6", "board 3x6: rows and columns must be numbers from 4 to 16"),
            ("othello:holes=d4", "the start needs a disc on d4, which is a hole"),
            ("othello:holes=x4", "unknown rule 'holes=x4'"),
            // what comes from files does nothing to a terminal, and may be of any length
            ("a\u{1b}[2J\u{9b}", "unknown rule set 'a\\u{1b}[2j\\u{9b}': expected"),
            ("othello:\u{1b}", "unknown rule '\\u{1b}': expected"),
            ("othello:start=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "start position 'xxxxxxxxxxxxxxxxxxxxxxxx...': the board"),
            ("othello:6x6,holes=a1,h1", "the hole h1 lies outside the 6x6 board"),
            ("othello:holes=a1,octagon", "'octagon' contradicts 'holes=a1': both set the shape"),
            ("othello:5x8,octagon", "an octagon needs a board of at least 6x6"),
            ("othello:8x5,octagon", "an octagon needs a board of at least 6x6"),
            ("othello:17x4", "board 17x4"),
            ("othello:4x17", "board 4x17"),
            ("othello:colors=re1/blue", "colours 're1' and 'blue'"),
            ("othello:colors=red/blu3", "colours 'red' and 'blu3'"),
            ("othello:colors=/blue", "colours '' and 'blue'"),
            ("othello:4x4,octagon", "an octagon needs a board of at least 6x6"),
            ("handicap:5", "corners=5: 0 to 4 corners"),
            ("handicap:2,placement", "corners=2: 0 to 4 corners of a board that has them, with"),
            ("octagon:10x10,corners=1", "corners=1: 0 to 4 corners of a board that has them"),
            ("othello:4x4,holes=a1,start=#3/1XO1/1OX1/3#", "start position '#3/1XO1/1OX1/3#': its holes"),
            (
                "hungarian:4x4,start=4/1XO1/1oX1/4",
                "start position '4/1XO1/1oX1/4': 'o' and 'X' on one board are ambiguous",
            ),
            ("othello:8x18", "board 8x18"),
            ("othello:300x8", "board 300x8: rows and columns must be numbers from 4 to 16"),
            ("othello:-4x4", "unknown rule '-4x4'"),
            ("othello:6x6,8x8", "'8x8' contradicts '6x6': both set the board size"),
            ("othello:parallel,start=8", "'start=8' contradicts 'parallel': both set the start"),
            ("othello:4x4,start=4/4/4", "start position '4/4/4': the board has 4 rows, not 3"),
            ("othello:4x4,start=4/1XO/4/4", "start position '4/1XO/4/4': row 2 ('1XO') does not have 4 squares"),
            ("othello:4x4,start=4/1XOOO/4/4", "start position '4/1XOOO/4/4': row 2"),
            ("othello:4x4,start=4/99999999999/4/4", "start position '4/99999999999/4/4': row 2"),
            ("othello:4x4,start=4/1Xé1/4/4", "start position '4/1Xé1/4/4': 'é' in row 2"),
            ("othello:4x4,start=4/4/4/4", "neither player can move"),
            ("othello:colors=red/red", "colours 'red' and 'red'"),
            ("othello:colors=red", "colours"),
            ("othello:4x4,own,start=XXXX/XXXX/X3/XO2", "the start position has 10 black discs, but with own supply"),
        ] {
            let message = text.parse::<RuleSet>().expect_err(text).to_string();
            assert!(message.starts_with(error), "{text}: {message}");
        }
    }

    #[test]
    fn every_combination_round_trips() {
        let mut count = 0;
        for preset in &PRESETS {
            for size in ["4x4", "8x8", "7x10", "16x16"] {
                for start in ["crossed", "crossed-mirrored", "parallel", "placement"] {
                    for bits in 0..16 {
                        let pick = |bit: u32, names: [&'static str; 2]| names[(bits >> bit & 1) as usize];
                        let flips = pick(0, ["all", "one"]);
                        let supply = pick(1, ["shared", "own"]);
                        let equality = pick(2, ["draw", "second-wins"]);
                        let objective = pick(3, ["most", "fewest"]);
                        let text = format!("{}:{size},{start},{flips},{supply},{equality},{objective}", preset.name);
                        // an octagon needs more squares, a handicap a start
                        if (preset.name, size) == ("octagon", "4x4")
                            || (preset.name, start) == ("handicap", "placement")
                        {
                            continue;
                        }
                        let rules = parse(&text);
                        assert_eq!(parse(&rules.to_string()), rules, "{text}");
                        count += 1;
                    }
                }
            }
        }
        assert_eq!(count, 11 * 4 * 4 * 16 - 64 - 64);
    }
}
