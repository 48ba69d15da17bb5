//! The published rule sheets as named rule sets.

use super::{Equality, Flips, RuleSet, Start, Supply};

/// A named rule set with its explanation.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Name on the command line and in the text form of rules.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// What is particular, and which reading was chosen where the sheet is unclear.
    pub details: &'static str,
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

/// All presets, the reference first.
pub const PRESETS: [Preset; 8] = [
    Preset {
        name: "othello",
        summary: "the reference: 8x8, crossed start, black moves first",
        details: "White starts on d4 and e5, black on d5 and e4. All outflanked discs turn; equal counts are a draw. \
                  Scores are disc differences with the empty squares given to the winner.",
        build: |rules| rules,
    },
    Preset {
        name: "reveris",
        summary: "othello with the colours of the start exchanged",
        details: "White starts on e4 and d5, black on e5 and d4; black moves first: the mirror image of othello. Reading: \
                  the sheet's figure 2 (first move f5) contradicts its start squares; the start squares hold.",
        build: |rules| RuleSet { start: Start::CrossedMirrored, ..rules },
    },
    Preset {
        name: "ravensburger",
        summary: "gold and black, gold first; with equal counts the second player wins",
        details: "A player without discs receives one from the opponent, so supply never binds. All outflanked discs turn.",
        build: ravensburger,
    },
    Preset {
        name: "ravensburger-one",
        summary: "ravensburger for children: a move turns one direction only",
        details: "Of several outflanked lines the mover chooses one: a move is a square and a direction, written f5:NE.",
        build: |rules| RuleSet { flips: Flips::One, ..ravensburger(rules) },
    },
    Preset {
        name: "traveller",
        summary: "red and green; the players place the centre discs; one direction turns; own discs only",
        details: "Reading: red places two discs on two of the four centre squares, then green two on the others, then \
                  red moves. Each player has 32 discs (those placed on the centre included); with none in hand a player \
                  passes. Of several outflanked lines the mover chooses one. Equal counts are a draw.",
        build: |rules| RuleSet { flips: Flips::One, ..traveller(rules) },
    },
    Preset {
        name: "traveller-all",
        summary: "traveller where all outflanked lines turn",
        details: "As traveller, but every outflanked line turns.",
        build: traveller,
    },
    Preset {
        name: "hungarian",
        summary: "o and O on any board; o moves first",
        details: "The sheet numbers rows from the bottom and puts o on d5 and e4, O on e5 and d4. This project numbers rows \
                  from the top, where these squares are d4 and e5 for o, e4 and d5 for O: crossed-mirrored here. Any \
                  even board size, as in hungarian:10x10.",
        build: |rules| RuleSet { start: Start::CrossedMirrored, colors: colors("o", "O"), ..rules },
    },
    Preset {
        name: "reversi",
        summary: "othello; the start may also be parallel, as in reversi:parallel",
        details: "The overview sheet: as othello, and it allows equal colours side by side at the start.",
        build: |rules| rules,
    },
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
        assert!(find("traveller").unwrap().rules().flips == Flips::One);
        assert!(find(SOLITAIRE).is_none());
    }
}
