//! The published rule sheets as named rule sets.

use super::{Equality, Flips, RuleSet, Shape, Start, Supply};

/// A named rule set with its explanation.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Name on the command line and in the text form of rules.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What is particular.
    pub details: &'static str,
    /// What was decided where the sheet is silent, lost or contradicts itself, a sentence or two each.
    pub readings: &'static [&'static str],
    /// What the sheet advises.
    pub advice: &'static [&'static str],
    build: fn(RuleSet) -> RuleSet,
}

impl Preset {
    /// The rules.
    pub fn rules(&self) -> RuleSet {
        RuleSet { name: self.name.to_string(), ..(self.build)(RuleSet::othello()) }
    }
}

/// Name of the solitaire of the Ravensburger sheet: no rule set of this kind, it has its own command.
pub const SOLITAIRE: &str = "ravensburger-solo";

/// The preset with this name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

fn colors(first: &str, second: &str) -> [String; 2] {
    [first.to_string(), second.to_string()]
}

fn ravensburger(rules: RuleSet) -> RuleSet {
    RuleSet { equality: Equality::SecondWins, colors: colors("gold", "black"), ..rules }
}

fn traveller(rules: RuleSet) -> RuleSet {
    RuleSet { start: Start::Placement, supply: Supply::Own, colors: colors("red", "green"), ..rules }
}

/// So many of [`PRESETS`] come first that are published sheets' games; the others are boards that players know.
pub const SHEETS: usize = 8;

/// All presets, the reference first.
pub const PRESETS: [Preset; 11] = [
    Preset {
        name: "othello",
        summary: "the reference: 8x8, crossed start, black moves first",
        details: "White starts on d4 and e5, black on d5 and e4. All outflanked discs turn; equal counts are a draw. \
                  Scores are disc differences with the empty squares given to the winner.",
        readings: &[],
        advice: &[],
        build: |rules| rules,
    },
    Preset {
        name: "reveris",
        summary: "the same game as othello, in chess coordinates on its sheet",
        details: "White starts on d4 and e5, black on d5 and e4; black moves first, and nobody may pass who can move. Equal \
                  counts are a draw.",
        readings: &[
            "The sheet gives its start (white e4 and d5, black e5 and d4) in chess coordinates, whose row 1 is at the bottom: \
             read so it is exactly othello's, and its figures, which count rows from the top, all fit. The mirrored start is \
             othello:crossed-mirrored.",
            "Its figure 5b shows 41-23 on a board that is not full: its counter gives the empty squares to the winner, as \
             scores do here; results of games are counts of discs.",
        ],
        advice: &[],
        build: |rules| rules,
    },
    Preset {
        name: "ravensburger",
        summary: "gold and black, gold first; with equal counts the second player wins",
        details: "Each player has 32 discs; a player to move who has none left receives one from the opponent, so supply never \
                  binds. All outflanked discs turn. With equal counts the player who moved second wins.",
        readings: &["The picture of the start is lost: crossed, as in othello, with gold in black's place."],
        advice: RAVENSBURGER_ADVICE,
        build: ravensburger,
    },
    Preset {
        name: "ravensburger-one",
        summary: "ravensburger for children: a move turns one direction only",
        details: "Of several outflanked lines the mover chooses one: a move is a square and a direction, written f5:NE.",
        readings: &["The picture of the start is lost: crossed, as in othello, with gold in black's place."],
        advice: RAVENSBURGER_ADVICE,
        build: |rules| RuleSet { flips: Flips::One, ..ravensburger(rules) },
    },
    Preset {
        name: "traveller",
        summary: "red and green; the players place the centre discs; one direction turns; own discs only",
        details: "Red places two discs on two of the four centre squares, then green two on the others, then red moves. Each \
                  player has 32 discs (those placed on the centre included); with none in hand a player passes. Of several \
                  outflanked lines the mover chooses one. Equal counts are a draw.",
        readings: TRAVELLER_READINGS,
        advice: &[],
        build: |rules| RuleSet { flips: Flips::One, ..traveller(rules) },
    },
    Preset {
        name: "traveller-all",
        summary: "traveller where all outflanked lines turn",
        details: "As traveller, but every outflanked line turns.",
        readings: TRAVELLER_READINGS,
        advice: &[],
        build: traveller,
    },
    Preset {
        name: "hungarian",
        summary: "o and O on any board; o moves first",
        details: "The sheet numbers rows from the bottom and puts o on d5 and e4, O on e5 and d4. This project numbers rows \
                  from the top, where these squares are d4 and e5 for o, e4 and d5 for O: crossed-mirrored here. Any \
                  smaller or larger board, as in hungarian:10x10. All outflanked discs turn; equal counts are a draw. Boards \
                  are written o, O and # (empty), and case counts; traditionally o is red and O is blue.",
        readings: &["The sheet names nobody who begins: o moves first."],
        advice: &[],
        build: |rules| RuleSet { start: Start::CrossedMirrored, colors: colors("o", "O"), ..rules },
    },
    Preset {
        name: "reversi",
        summary: "othello; the start may also be parallel, as in reversi:parallel",
        details: "The overview sheet: as othello, and it allows equal colours side by side at the start. It names three endings: \
                  a full board, a board on which nobody can move, and a player without discs.",
        readings: &[],
        advice: &[],
        build: |rules| rules,
    },
    Preset {
        name: "reversi10",
        summary: "othello's rules on a board of ten rows and columns",
        details: "The large board of many editions: 100 squares, crossed start, otherwise as othello.",
        readings: &[],
        advice: &[],
        build: |rules| RuleSet { rows: 10, columns: 10, ..rules },
    },
    Preset {
        name: "octagon",
        summary: "othello's rules on the octagonal board: 10x10 with the corners cut off, 88 squares",
        details: "Three squares are missing at each corner, so that there are eight ends of edges that never turn instead of \
                  four corners. Lines stop where squares are missing.",
        readings: &[],
        advice: &[],
        build: |rules| RuleSet { rows: 10, columns: 10, shape: Shape::Octagon, ..rules },
    },
    Preset {
        name: "handicap",
        summary: "othello where black starts with corners: handicap:2 gives two (1 without a number)",
        details: "Black's discs hold one to four corners at the start: a1, then h8, h1 and a8. Black moves first.",
        readings: &["Which corners come first, and that black still moves first, is chosen here: no sheet says it."],
        advice: &["Let the weaker player take black, and one corner less after every game that black wins."],
        build: |rules| RuleSet { corners: 1, ..rules },
    },
];

const RAVENSBURGER_ADVICE: &[&str] = &[
    "Take squares on the edges, and above all corners, as soon as you can.",
    "The first mover has a slight edge: take turns in starting from game to game (`series` in `outflank play`).",
];

const TRAVELLER_READINGS: &[&str] = &[
    "Discs \"at the centre\" go on the four centre squares.",
    "The first player, who placed first, also moves first.",
    "The 32 discs of a player are a limit: nobody gives discs to the opponent.",
    "The sheet says that a player has the right to turn a line: a move must turn one.",
    "The sheet is silent about equal counts: a draw.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_valid_and_distinctly_named() {
        for (i, preset) in PRESETS.iter().enumerate() {
            let rules = preset.rules();
            assert_eq!(rules.validate(), Ok(()), "{}", preset.name);
            assert_eq!(rules.name, preset.name);
            assert!(PRESETS[..i].iter().all(|other| other.name != preset.name));
        }
        assert!(PRESETS[SHEETS].name == "reversi10");
        assert!(find("traveller").unwrap().rules().flips == Flips::One);
        assert!(find(SOLITAIRE).is_none());
    }
}
