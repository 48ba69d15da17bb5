//! The letters in which a rule set's boards are written.
//!
//! Each edition has its own: `G` and `B` for gold and black, `R` and `G` for red and green, `o` and `O` (case counts) and `#`
//! for an empty square in hungarian. Besides them `X`, `O` and `-` mean the first player's disc, the second's and an empty
//! square everywhere, which is also how boards are written in files. Where a letter means one thing in one spelling and another
//! in the other (`B` is the *second* player's disc of gold and black), the rule set's own meaning holds, and a board that mixes
//! both spellings is refused: it could mean two things.

use super::{Color, RuleSet};

/// What a character says about a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Letter {
    /// A disc.
    Disc(Color),
    /// No disc.
    Empty,
    /// `#`: a hole where the rules have one, and an empty square in rule sets that write it so.
    Hash,
}

/// The letters of a rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Letters {
    /// The two players' own letters.
    own: [char; 2],
    /// They differ in case only.
    case: bool,
    /// The colours are black and white: `B` and `W` agree with `X` and `O`.
    plain: bool,
    /// `#` is an empty square.
    hash: bool,
}

/// The spellings met on one board so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spelling {
    own: Option<char>,
    general: Option<char>,
}

/// Letters of two spellings on one board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{own}' and '{general}' on one board are ambiguous under these rules: write {first} and {second} for the two players, \
     or X and O"
)]
pub struct Mixed {
    /// A letter of the rule set's own.
    pub own: char,
    /// One of `X` and `O`, in either case.
    pub general: char,
    /// The first player's own letter.
    pub first: char,
    /// The second player's.
    pub second: char,
}

impl Spelling {
    /// Takes note of a disc's character.
    ///
    /// # Errors
    /// [`Mixed`] when it belongs to another spelling than one before it.
    pub fn note(&mut self, letters: &Letters, c: char) -> Result<(), Mixed> {
        let (is_own, is_general) = (letters.own_disc(c), letters.general_disc(c));
        if is_own.is_some() && (is_general != is_own) {
            self.own = self.own.or(Some(c));
        } else if is_own.is_none() && is_general.is_some() && !letters.plain {
            self.general = self.general.or(Some(c));
        }
        match (self.own, self.general) {
            (Some(own), Some(general)) => Err(Mixed { own, general, first: letters.own[0], second: letters.own[1] }),
            _ => Ok(()),
        }
    }
}

impl Letters {
    /// What a character means on a board; `None` when it is no square.
    pub fn read(&self, c: char) -> Option<Letter> {
        match c {
            '-' | '.' | '_' => Some(Letter::Empty),
            '#' => Some(Letter::Hash),
            _ => self.own_disc(c).or_else(|| self.general_disc(c)).map(Letter::Disc),
        }
    }

    /// `#` is an empty square.
    pub fn hash_is_empty(&self) -> bool {
        self.hash
    }

    fn own_disc(&self, c: char) -> Option<Color> {
        let same = |own: char| if self.case { own == c } else { own.eq_ignore_ascii_case(&c) };
        match self.own.map(same) {
            [true, _] => Some(Color::Black),
            [_, true] => Some(Color::White),
            _ => None,
        }
    }

    fn general_disc(&self, c: char) -> Option<Color> {
        match c {
            'X' | 'x' | '*' => Some(Color::Black),
            'O' | 'o' => Some(Color::White),
            'B' | 'b' if self.plain => Some(Color::Black),
            'W' | 'w' if self.plain => Some(Color::White),
            _ => None,
        }
    }
}

/// What may stand on a board: `X, O or -`, `G, B or -`.
impl std::fmt::Display for Letters {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {} or {}", self.own[0], self.own[1], if self.hash { '#' } else { '-' })
    }
}

impl Letters {
    /// The letters for the side to move: `X or O`, `G or B`.
    pub(crate) fn sides(&self) -> String {
        format!("{} or {}", self.own[0], self.own[1])
    }
}

impl RuleSet {
    /// The letters of this edition's boards.
    pub fn letters(&self) -> Letters {
        let own = self.symbols();
        Letters {
            own,
            case: own[0].eq_ignore_ascii_case(&own[1]),
            plain: self.colors == ["black", "white"],
            hash: self.name == "hungarian",
        }
    }

    /// The characters for the two colours' discs on a text board: the initials of their names in this edition
    /// (`G` and `B` for gold and black), `X` and `O` for black and white and where the initials would not do (the first
    /// player's cannot be an `O`, nor the second's an `X`).
    pub fn symbols(&self) -> [char; 2] {
        const PLAIN: [char; 2] = ['X', 'O'];
        if self.colors == ["black", "white"] {
            return PLAIN;
        }
        let initials = [0, 1].map(|i| self.colors[i].chars().next().unwrap_or('?'));
        let upper = initials.map(|c| c.to_ascii_uppercase());
        let own = if upper[0] != upper[1] { upper } else { initials };
        if own[0] == own[1] || own[0] == 'O' || own[1] == 'X' { PLAIN } else { own }
    }

    /// The player that a word names: one of the edition's colours, or `black` and `white` for the first and the second player
    /// where these are no colours of the edition.
    pub fn side_named(&self, word: &str) -> Option<Color> {
        let general = || {
            let own = |name: &str| self.colors.iter().any(|color| color.eq_ignore_ascii_case(name));
            let sides = [Color::Black, Color::White];
            if own("black") || own("white") {
                return None;
            }
            sides.into_iter().find(|color| word.eq_ignore_ascii_case(color.name()))
        };
        self.color_named(word).or_else(general)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Letters {
        text.parse::<RuleSet>().unwrap().letters()
    }

    /// What a board's characters mean, or why not.
    fn read(rules: &str, text: &str) -> Result<String, String> {
        let letters = letters(rules);
        let mut spelling = Spelling::default();
        let mut meaning = String::new();
        for c in text.chars() {
            meaning.push(match letters.read(c).ok_or(format!("'{c}'?"))? {
                Letter::Disc(color) => {
                    spelling.note(&letters, c).map_err(|error| error.to_string())?;
                    ['1', '2'][color.index()]
                }
                Letter::Empty => '-',
                Letter::Hash => '#',
            });
        }
        Ok(meaning)
    }

    #[test]
    fn every_edition_has_its_letters_and_x_and_o() {
        for (rules, text, meaning) in [
            ("othello", "XxBb*OoWw-._", "111112222---"),
            ("ravensburger", "GgBb-", "1122-"),
            ("ravensburger", "X*oO.", "1122-"),
            ("traveller", "RrGg-", "1122-"),
            ("hungarian", "oOo#-O", "121#-2"),
            ("hungarian", "XOx*O", "12112"),
            ("othello:colors=red/olive", "RrOo", "1122"),
            ("othello:colors=red/olive", "XO", "12"),
        ] {
            assert_eq!(read(rules, text).as_deref(), Ok(meaning), "{rules} {text}");
        }
    }

    #[test]
    fn mixed_spellings_and_foreign_letters_are_refused() {
        for (rules, text) in [("hungarian", "oOX"), ("hungarian", "xo"), ("ravensburger", "GO"), ("traveller", "XG")] {
            assert!(read(rules, text).unwrap_err().contains("ambiguous"), "{rules} {text}");
        }
        for (rules, text) in [("ravensburger", "W"), ("hungarian", "B"), ("othello", "G"), ("traveller", "B")] {
            assert!(read(rules, text).unwrap_err().ends_with("?"), "{rules} {text}");
        }
    }

    #[test]
    fn initials_that_contradict_x_and_o_are_not_used() {
        let symbols = |text: &str| text.parse::<RuleSet>().unwrap().symbols();
        assert_eq!(symbols("othello:colors=orange/blue"), ['X', 'O']);
        assert_eq!(symbols("othello:colors=blue/xanthic"), ['X', 'O']);
        assert_eq!(symbols("othello:colors=O/o"), ['X', 'O']);
        assert_eq!(symbols("othello:colors=rot/rosa"), ['X', 'O']);
        assert_eq!(symbols("othello:colors=red/blue"), ['R', 'B']);
    }

    #[test]
    fn words_for_the_side() {
        let side = |rules: &str, word: &str| rules.parse::<RuleSet>().unwrap().side_named(word).map(Color::index);
        assert_eq!([side("ravensburger", "black"), side("ravensburger", "Gold")], [Some(1), Some(0)]);
        assert_eq!(side("ravensburger", "white"), None, "gold and black have no white");
        assert_eq!([side("traveller", "green"), side("traveller", "white")], [Some(1), Some(1)]);
        assert_eq!([side("othello", "BLACK"), side("hungarian", "O")], [Some(0), Some(1)]);
    }
}
