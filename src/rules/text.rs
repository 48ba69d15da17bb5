//! The text form of rule sets: a preset's name, or `name:change,change,...`.
//!
//! | dimension | tokens |
//! |---|---|
//! | board | `ROWSxCOLUMNS`, each even, 4 to 16: `6x6`, `10x8` |
//! | start | `crossed`, `crossed-mirrored`, `parallel`, `placement`, `start=BOARD` |
//! | flips | `all`, `one` |
//! | supply | `shared`, `own` |
//! | equal counts | `draw`, `second-wins` |
//! | objective | `most`, `fewest` (also written `anti`) |
//! | colour names | `colors=FIRST/SECOND` |
//!
//! `BOARD` gives the rows from the top, separated by `/`: `X` is a disc of the first player (who moves first), `O`
//! one of the second, `-` or `.` an empty square and a number that many of them, as in
//! `othello:6x6,start=6/6/2OX2/2XO2/6/6`.
//!
//! Letter case does not matter except in colour names; blanks around tokens are ignored. A change that makes a
//! preset into another one takes that one's name: `othello:crossed-mirrored` is `reveris`. What `Display` prints
//! is the shortest text of this kind: the preset's name, and only what differs from it.

use std::fmt;
use std::str::FromStr;

use super::presets::{self, PRESETS};
use super::{Bits, Equality, Flips, InvalidRules, Objective, Point, RuleSet, Start, Supply};

/// The text is not a rule set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseRulesError {
    /// No preset has this name.
    #[error("unknown rule set '{0}': expected one of {names}", names = preset_names())]
    UnknownPreset(String),
    /// The solitaire is not a game for two.
    #[error("'{0}' is the solitaire, which has its own command: outflank solo")]
    Solitaire(String),
    /// A change that means nothing.
    #[error(
        "unknown rule '{0}': expected a size such as 6x6; a start: crossed, crossed-mirrored, parallel, placement or \
         start=BOARD; flips: all or one; supply: shared or own; equal counts: draw or second-wins; objective: most or \
         fewest; or colors=FIRST/SECOND"
    )]
    UnknownToken(String),
    /// Two changes of the same dimension.
    #[error("'{1}' contradicts '{0}': both set the {2}")]
    Twice(String, String, &'static str),
    /// `start=` is followed by something that is not a board of the rules' size.
    #[error("start position '{text}': {problem}")]
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
        if let Some(board) = lower.strip_prefix("start=") {
            return Ok(Change::Board(board.to_string()));
        }
        if lower.starts_with("colors=") {
            let (first, second) = token["colors=".len()..].split_once('/').unwrap_or((token, ""));
            return Ok(Change::Colors(first.to_string(), second.to_string()));
        }
        Ok(match lower.as_str() {
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
                // numbers too large for a byte are sizes out of range, not unknown words
                let number = |text: &str| text.parse::<u32>().map(|n| n.min(255) as u8).map_err(|_| unknown());
                Change::Size(number(rows)?, number(columns)?)
            }
        })
    }

    fn dimension(&self) -> &'static str {
        match self {
            Change::Size(..) => "board size",
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
            let change = Change::parse(token)?;
            let dimension = change.dimension();
            if let Some((_, first)) = seen.iter().find(|other| other.0 == dimension) {
                return Err(ParseRulesError::Twice(first.to_string(), token.to_string(), dimension));
            }
            seen.push((dimension, token));
            match change {
                Change::Size(rows, columns) => (rules.rows, rules.columns) = (rows, columns),
                Change::Start(start) => rules.start = start,
                Change::Board(text) => board = Some(text),
                Change::Flips(flips) => rules.flips = flips,
                Change::Supply(supply) => rules.supply = supply,
                Change::Equality(equality) => rules.equality = equality,
                Change::Objective(objective) => rules.objective = objective,
                Change::Colors(first, second) => rules.colors = [first, second],
            }
        }
        rules.validate()?;
        if let Some(text) = board {
            let problem = |problem| ParseRulesError::Board { text: text.clone(), problem };
            let (black, white) = parse_board(&text, rules.rows, rules.columns).map_err(problem)?;
            rules.start = Start::Explicit(black, white);
            rules.validate()?;
        }
        Ok(rules.renamed())
    }
}

impl RuleSet {
    /// The same rules under the name of the preset that they equal, if it is another one.
    fn renamed(mut self) -> RuleSet {
        if presets::find(&self.name).is_some_and(|preset| preset.rules() == self) {
            return self;
        }
        let same = |preset: &&presets::Preset| RuleSet { name: self.name.clone(), ..preset.rules() } == self;
        if let Some(preset) = PRESETS.iter().find(same) {
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
        push(self.start != base.start, &self.start_token());
        push(self.flips != base.flips, self.flips.name());
        push(self.supply != base.supply, self.supply.name());
        push(self.equality != base.equality, self.equality.name());
        push(self.objective != base.objective, self.objective.name());
        push(self.colors != base.colors, &format!("colors={}/{}", self.colors[0], self.colors[1]));
        changes
    }

    /// The start as written in the text form: `crossed`, ..., or `start=BOARD`.
    pub fn start_token(&self) -> String {
        match &self.start {
            Start::Crossed => "crossed".to_string(),
            Start::CrossedMirrored => "crossed-mirrored".to_string(),
            Start::Parallel => "parallel".to_string(),
            Start::Placement => "placement".to_string(),
            Start::Explicit(black, white) => format!("start={}", board_text(*black, *white, self.rows, self.columns)),
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

/// Reads the rows of a board (see the [module](self)): the first player's and the second's discs, or what is wrong.
pub(super) fn parse_board(text: &str, rows: u8, columns: u8) -> Result<(Bits, Bits), String> {
    let mut discs = [Bits::EMPTY; 2];
    let lines: Vec<&str> = text.split('/').collect();
    if lines.len() != rows as usize {
        return Err(format!("{} rows, but the board has {rows}", lines.len()));
    }
    for (row, line) in (0..rows).zip(lines) {
        let mut column = 0u32;
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let mut width = 1;
            if digits > 0 {
                // more digits than any board has squares: surely too wide
                width = if digits <= 3 { rest[..digits].parse::<u32>().unwrap_or(999) } else { 999 };
            } else if let Some(color) = "xo".find(c.to_ascii_lowercase()) {
                if column < columns as u32 {
                    discs[color].insert(Point { row, column: column as u8 });
                }
            } else if c != '-' && c != '.' {
                return Err(format!("'{c}' in row {}: expected X, O, -, or a number of empty squares", row + 1));
            }
            column += width;
            rest = &rest[digits.max(c.len_utf8())..];
        }
        if column != columns as u32 {
            return Err(format!("row {} ('{line}') does not have {columns} squares", row + 1));
        }
    }
    Ok((discs[0], discs[1]))
}

/// The rows of a board in the form that [`parse_board`] reads.
pub(super) fn board_text(black: Bits, white: Bits, rows: u8, columns: u8) -> String {
    let line = |row| {
        let mut text = String::new();
        let mut empty = 0;
        for column in 0..columns {
            let point = Point { row, column };
            let disc = if black.contains(point) { 'X' } else { 'O' };
            if !(black | white).contains(point) {
                empty += 1;
                continue;
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            empty = 0;
            text.push(disc);
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        text
    };
    (0..rows).map(line).collect::<Vec<String>>().join("/")
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
            ("othello:crossed-mirrored", "reveris"),
            ("ravensburger:one", "ravensburger-one"),
            ("traveller:all", "traveller-all"),
            ("traveller-all:one,6x6", "traveller-all:6x6,one"),
            ("reversi", "reversi"),
            ("reversi:crossed", "reversi"),
            ("othello:anti", "othello:fewest"),
            ("othello:colors=Gold/Noir", "othello:colors=Gold/Noir"),
            ("othello:start=8/8/8/3OX3/3XO3/8/8/8", "othello:start=8/8/8/3OX3/3XO3/8/8/8"),
            ("othello:4x4,start=----/-xo./1OX-/4", "othello:4x4,start=4/1XO1/1OX1/4"),
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
            ("othello:5x6", "board 5x6: rows and columns must be even numbers from 4 to 16"),
            ("othello:8x18", "board 8x18"),
            ("othello:300x8", "board 255x8"),
            ("othello:-4x4", "unknown rule '-4x4'"),
            ("othello:6x6,8x8", "'8x8' contradicts '6x6': both set the board size"),
            ("othello:parallel,start=8", "'start=8' contradicts 'parallel': both set the start"),
            ("othello:4x4,start=4/4/4", "start position '4/4/4': 3 rows, but the board has 4"),
            ("othello:4x4,start=4/1XO/4/4", "start position '4/1xo/4/4': row 2 ('1xo') does not have 4 squares"),
            ("othello:4x4,start=4/1XOOO/4/4", "start position '4/1xooo/4/4': row 2"),
            ("othello:4x4,start=4/99999999999/4/4", "start position '4/99999999999/4/4': row 2"),
            ("othello:4x4,start=4/1Xé1/4/4", "start position '4/1xé1/4/4': 'é' in row 2"),
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
            for size in ["4x4", "8x8", "6x10", "16x16"] {
                for start in ["crossed", "crossed-mirrored", "parallel", "placement"] {
                    for bits in 0..16 {
                        let pick = |bit: u32, names: [&'static str; 2]| names[(bits >> bit & 1) as usize];
                        let flips = pick(0, ["all", "one"]);
                        let supply = pick(1, ["shared", "own"]);
                        let equality = pick(2, ["draw", "second-wins"]);
                        let objective = pick(3, ["most", "fewest"]);
                        let text = format!("{}:{size},{start},{flips},{supply},{equality},{objective}", preset.name);
                        let rules = parse(&text);
                        assert_eq!(parse(&rules.to_string()), rules, "{text}");
                        count += 1;
                    }
                }
            }
        }
        assert_eq!(count, 8 * 4 * 4 * 16);
    }
}
