//! The two colours and the 24 chips.

use std::fmt;
use std::str::FromStr;

use crate::plain::quote;

/// A colour: of a chip, or of the side of a disc that lies up.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Color {
    /// The first colour of the edition.
    Gold,
    /// The second colour of the edition.
    Black,
}

impl Color {
    /// Both colours, gold first.
    pub const ALL: [Color; 2] = [Color::Gold, Color::Black];

    /// 0 for gold, 1 for black.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `gold` or `black`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Gold => "gold",
            Color::Black => "black",
        }
    }

    /// `g` or `b`.
    pub const fn letter(self) -> char {
        match self {
            Color::Gold => 'g',
            Color::Black => 'b',
        }
    }

    /// The colour of a letter `g`, `b` or a name `gold`, `black`, in either case.
    pub fn from_name(text: &str) -> Option<Color> {
        let matches = |color: &Color| {
            text.eq_ignore_ascii_case(color.name())
                || (text.len() == 1 && text.starts_with([color.letter(), color.letter().to_ascii_uppercase()]))
        };
        Color::ALL.into_iter().find(matches)
    }
}

impl std::ops::Not for Color {
    type Output = Color;
    #[inline(always)]
    fn not(self) -> Color {
        match self {
            Color::Gold => Color::Black,
            Color::Black => Color::Gold,
        }
    }
}

/// Number of chips.
pub const CHIPS: usize = 24;
/// Highest number on a chip.
pub const TOP_NUMBER: u8 = 10;
/// Blank chips, both colours together.
pub const BLANKS: u32 = 4;

/// A chip: its colour and its number, 0 for a blank.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Chip {
    color: Color,
    number: u8,
}

impl Chip {
    /// The chip with this colour and number (1..=10, 0 for a blank), or `None` when there is no such number.
    pub const fn new(color: Color, number: u8) -> Option<Chip> {
        if number <= TOP_NUMBER { Some(Chip { color, number }) } else { None }
    }

    /// The 24 chips of the game: of each colour two blanks and the numbers 1 to 10.
    pub fn all() -> [Chip; CHIPS] {
        std::array::from_fn(|i| {
            let color = Color::ALL[i / (CHIPS / 2)];
            Chip { color, number: (i % (CHIPS / 2)).saturating_sub(1) as u8 }
        })
    }

    /// The colour printed on the chip.
    #[inline]
    pub const fn color(self) -> Color {
        self.color
    }

    /// The number printed on the chip, 0 for a blank.
    #[inline]
    pub const fn number(self) -> u8 {
        self.number
    }

    /// How many of this chip the game has: two of each blank, one of everything else.
    pub const fn copies(self) -> u8 {
        if self.number == 0 { 2 } else { 1 }
    }
}

/// `g7`, `b10`; a blank is `g-` or `b-`.
impl fmt::Display for Chip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            0 => write!(f, "{}-", self.color.letter()),
            number => write!(f, "{}{number}", self.color.letter()),
        }
    }
}

/// The text is not a chip.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not a chip: a colour g or b and a number 1..10, or '-' for a blank, e.g. g7 or b-", quote(.0))]
pub struct ParseChipError(pub String);

impl FromStr for Chip {
    type Err = ParseChipError;

    /// Reads `g7`, `b10`, `g-`, in either case.
    fn from_str(text: &str) -> Result<Chip, ParseChipError> {
        let error = || ParseChipError(text.to_string());
        let letter = text.get(..1).ok_or_else(error)?;
        let color = Color::from_name(letter).ok_or_else(error)?;
        let number = match &text[1..] {
            "-" => 0,
            digits if digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0') => {
                digits.parse().map_err(|_| error())?
            }
            _ => return Err(error()),
        };
        Chip::new(color, number).ok_or_else(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_set_is_complete() {
        let chips = Chip::all();
        for color in Color::ALL {
            let mut numbers: Vec<u8> = chips.iter().filter(|c| c.color == color).map(|c| c.number).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        }
    }

    #[test]
    fn text_round_trip() {
        for chip in Chip::all() {
            assert_eq!(chip.to_string().parse(), Ok(chip));
        }
        for bad in ["", "g", "7", "g0", "g11", "r3", "g-1", "b07", "é1", "b+1", "g999"] {
            assert!(bad.parse::<Chip>().is_err(), "{bad}");
        }
    }
}
