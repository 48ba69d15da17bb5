//! What the loss of a move is called.

use serde::{Deserialize, Serialize};

/// The name of a loss. The limits are ours: estimates are wrong by a disc or two, so that a smaller loss says nothing; four discs
/// are two squares that changed hands, eight seldom come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// Less than an inaccuracy.
    None,
    /// 2 or 3 discs.
    Inaccuracy,
    /// 4 to 7 discs.
    Mistake,
    /// 8 discs or more.
    Blunder,
}

impl Label {
    /// Those with a name, by growing loss.
    pub const NAMED: [Label; 3] = [Label::Inaccuracy, Label::Mistake, Label::Blunder];

    /// The least loss in discs that has this name.
    pub const fn from_discs(self) -> u32 {
        match self {
            Label::None => 0,
            Label::Inaccuracy => 2,
            Label::Mistake => 4,
            Label::Blunder => 8,
        }
    }

    /// The name of a loss in discs.
    pub fn of(loss: u32) -> Label {
        let named = Label::NAMED.into_iter().rev().find(|label| loss >= label.from_discs());
        named.unwrap_or(Label::None)
    }

    /// In a word; nothing for none.
    pub const fn name(self) -> &'static str {
        match self {
            Label::None => "",
            Label::Inaccuracy => "inaccuracy",
            Label::Mistake => "mistake",
            Label::Blunder => "blunder",
        }
    }

    /// As players mark moves: `?!`, `?`, `??`.
    pub const fn sign(self) -> &'static str {
        match self {
            Label::None => "",
            Label::Inaccuracy => "?!",
            Label::Mistake => "?",
            Label::Blunder => "??",
        }
    }

    /// The limits in words.
    pub fn explanation() -> String {
        "?! inaccuracy: a loss of 2 or 3 discs; ? mistake: 4 to 7; ?? blunder: 8 or more".to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_are_those_that_are_explained() {
        let names: Vec<&str> = [0, 1, 2, 3, 4, 7, 8, 64].map(|loss| Label::of(loss).sign()).to_vec();
        assert_eq!(names, ["", "", "?!", "?!", "?", "?", "??", "??"]);
        for label in Label::NAMED {
            assert!(Label::explanation().contains(&format!("{} {}", label.sign(), label.name())));
        }
    }
}
