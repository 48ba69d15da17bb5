//! The 24 squares that carry the chips, and a shuffle of the chips onto them.

use std::fmt;
use std::str::FromStr;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{Rng, SeedableRng};

use super::chip::{CHIPS, Chip, Color};
use crate::board::{ParseSquareError, Square, Squares};

/// The four centre squares, which carry the discs at the start.
pub const CENTRE: u64 = 0x0000_0018_1800_0000;

/// 24 squares outside the centre: where the chips lie at the start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Layout(u64);

/// The squares do not make a layout.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// A word is not a square.
    #[error(transparent)]
    Square(#[from] ParseSquareError),
    /// A square is named twice.
    #[error("square {0} is named twice")]
    Repeated(Square),
    /// A square of the centre, where the discs stand.
    #[error("{0} is a centre square: the four discs stand there")]
    Centre(Square),
    /// Not 24 squares.
    #[error("a layout has 24 squares, not {0}")]
    Count(u32),
}

impl Layout {
    /// The layout of these squares.
    ///
    /// # Errors
    /// When they are not 24, or one is in the centre.
    pub fn new(squares: u64) -> Result<Layout, LayoutError> {
        if squares & CENTRE != 0 {
            return Err(LayoutError::Centre(Square::of_lowest_bit(squares & CENTRE)));
        }
        match squares.count_ones() {
            24 => Ok(Layout(squares)),
            count => Err(LayoutError::Count(count)),
        }
    }

    /// 24 random squares outside the centre and the corners (a chip in a corner can never be won), the same on every
    /// machine for a seed.
    pub fn seeded(seed: u64) -> Layout {
        const CORNERS: u64 = 0x8100_0000_0000_0081;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut squares = 0u64;
        while squares.count_ones() < 24 {
            squares |= (1 << below(&mut rng, 64)) & !CENTRE & !CORNERS;
        }
        Layout(squares)
    }

    /// The squares as a bitboard.
    #[inline(always)]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The squares, row by row.
    pub fn squares(self) -> impl Iterator<Item = Square> {
        Squares(self.0)
    }
}

impl Layout {
    /// c1 f1, b2 d2 e2 g2, a3 c3 f3 h3, b4 g4 and the same below: the reading of the sheet (see the [module](crate::solo)).
    pub const LATTICE: Layout = Layout(0x245A_A542_42A5_5A24);

    /// The ring b2..g7 (20 squares) and c3, f3, c6, f6.
    pub const RING: Layout = Layout(0x007E_6642_4266_7E00);

    /// The name of a layout that has one: `lattice` or `ring`.
    pub fn name(self) -> Option<&'static str> {
        [(Layout::LATTICE, "lattice"), (Layout::RING, "ring")]
            .into_iter()
            .find(|named| named.0 == self)
            .map(|named| named.1)
    }
}

impl Default for Layout {
    /// The [lattice](Layout::LATTICE).
    fn default() -> Layout {
        Layout::LATTICE
    }
}

/// The squares separated by spaces, row by row.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, square) in self.squares().enumerate() {
            write!(f, "{}{square}", if i == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl FromStr for Layout {
    type Err = LayoutError;

    /// Reads 24 squares separated by spaces or commas, in any order, or `lattice` (also `default`) or `ring`.
    fn from_str(text: &str) -> Result<Layout, LayoutError> {
        match text.trim() {
            "default" | "lattice" => return Ok(Layout::LATTICE),
            "ring" => return Ok(Layout::RING),
            _ => {}
        }
        let mut squares = 0;
        for word in text.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
            let square: Square = word.parse()?;
            if squares & square.bit() != 0 {
                return Err(LayoutError::Repeated(square));
            }
            squares |= square.bit();
        }
        Layout::new(squares)
    }
}

/// Every chip on its square: the whole truth of a game, which the player does not see.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Deal {
    layout: Layout,
    /// In the order of the layout's squares.
    chips: [Chip; CHIPS],
}

impl Deal {
    /// These chips on the layout's squares, row by row; `None` unless they are the 24 chips of the game.
    pub fn new(layout: Layout, chips: [Chip; CHIPS]) -> Option<Deal> {
        let (mut have, mut want) = (chips, Chip::all());
        have.sort_unstable();
        want.sort_unstable();
        (have == want).then_some(Deal { layout, chips })
    }

    /// The shuffle of a seed. It is the same on every machine and in every version of this program:
    /// `xoshiro256++` seeded by SplitMix64 (both fixed, published algorithms) drives a plain Fisher-Yates shuffle
    /// written here, because a library's shuffle may change between its versions.
    pub fn shuffled(layout: Layout, seed: u64) -> Deal {
        let mut chips = Chip::all();
        shuffle(&mut chips, &mut Xoshiro256PlusPlus::seed_from_u64(seed));
        Deal { layout, chips }
    }

    /// Where the chips lie.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The chips in the order of the layout's squares.
    pub fn chips(&self) -> &[Chip; CHIPS] {
        &self.chips
    }

    /// The chip dealt to a square of the layout.
    pub fn chip_at(&self, square: Square) -> Option<Chip> {
        let bits = self.layout.bits();
        (bits & square.bit() != 0).then(|| self.chips[(bits & (square.bit() - 1)).count_ones() as usize])
    }

    /// The squares that carry gold chips.
    pub fn gold(&self) -> u64 {
        self.layout
            .squares()
            .zip(self.chips)
            .filter(|(_, chip)| chip.color() == Color::Gold)
            .fold(0, |bits, (square, _)| bits | square.bit())
    }
}

/// Fisher-Yates from the last item down, with the index drawn as the high half of a 64x64-bit product
/// (its bias, 24 in 2^64, is far below anything a bench could show).
pub(super) fn shuffle<T>(items: &mut [T], rng: &mut Xoshiro256PlusPlus) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(rng, last + 1));
    }
}

/// A number in `0..end`.
pub(super) fn below(rng: &mut Xoshiro256PlusPlus, end: usize) -> usize {
    ((u128::from(rng.next_u64()) * end as u128) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lattice_and_ring() {
        let lattice = "c1 f1 b2 d2 e2 g2 a3 c3 f3 h3 b4 g4 b5 g5 a6 c6 f6 h6 b7 d7 e7 g7 c8 f8";
        let ring = "b2 c2 d2 e2 f2 g2 b3 c3 f3 g3 b4 g4 b5 g5 b6 c6 f6 g6 b7 c7 d7 e7 f7 g7";
        for (text, layout, name) in [(lattice, Layout::LATTICE, "lattice"), (ring, Layout::RING, "ring")] {
            assert_eq!(layout.to_string(), text);
            assert_eq!([text.parse(), name.parse()], [Ok(layout), Ok(layout)]);
            assert_eq!(layout.name(), Some(name));
        }
        assert_eq!("default".parse(), Ok(Layout::LATTICE));
        assert_eq!((Layout::default(), Layout::seeded(1).name()), (Layout::LATTICE, None));
    }

    #[test]
    fn seeded_layouts_are_layouts() {
        for seed in 0..100 {
            let layout = Layout::seeded(seed);
            assert_eq!(Layout::new(layout.bits()), Ok(layout));
            assert_eq!(layout.to_string().parse(), Ok(layout));
        }
        assert_ne!(Layout::seeded(1), Layout::seeded(2));
    }

    #[test]
    fn bad_layouts_are_refused() {
        let text = Layout::default().to_string();
        let error = |text: &str| text.parse::<Layout>().unwrap_err().to_string();
        assert_eq!(error("a1 b2"), "a layout has 24 squares, not 2");
        assert_eq!(error(&format!("{text} b2")), "square b2 is named twice");
        assert_eq!(error(&text.replace("c3", "d4")), "d4 is a centre square: the four discs stand there");
        assert_eq!(error(&text.replace("c3", "x9")), "'x9' is not a square a1..h8");
    }

    #[test]
    fn shuffles_are_pinned() {
        // a change here breaks every seed users have written down; the text comes from an independent script
        let deal = Deal::shuffled(Layout::default(), 1);
        let text: Vec<String> = deal.chips().iter().map(Chip::to_string).collect();
        assert_eq!(text.join(" "), "g6 g8 b1 b3 g5 g4 b10 g9 b7 b5 b- g- g3 b- b8 g- g7 b9 g10 g2 b2 g1 b4 b6");
        assert_eq!(Deal::new(deal.layout(), *deal.chips()), Some(deal));
        assert_ne!(Deal::shuffled(Layout::default(), 2), deal);
    }

    #[test]
    fn a_deal_knows_its_squares() {
        let deal = Deal::shuffled(Layout::default(), 7);
        assert_eq!(deal.gold().count_ones(), 12);
        for (square, chip) in deal.layout().squares().zip(deal.chips()) {
            assert_eq!(deal.chip_at(square), Some(*chip));
            assert_eq!(deal.gold() & square.bit() != 0, chip.color() == Color::Gold);
        }
        assert_eq!(deal.chip_at("a1".parse().unwrap()), None);
        let mut twice = *deal.chips();
        twice[0] = twice[1];
        assert_eq!(Deal::new(deal.layout(), twice), None);
    }
}
