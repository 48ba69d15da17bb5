//! The patterns: groups of squares whose joint filling is looked up as one number.
//!
//! A filling is written in base 3 (0 empty, 1 own disc, 2 opponent's), the pattern's first square
//! being the lowest digit. A *family* is a pattern with all its images under the 8 symmetries of
//! the board; the images share one table of weights. A family whose base is its own mirror image
//! has fillings that must weigh the same: folding gives both one *folded* index, the unit that is
//! trained and stored.

use std::sync::OnceLock;

use crate::board::transform;

/// Number of pattern instances, and so of table look-ups an evaluation makes.
pub const FEATURES: usize = 46;
/// Numbers of empties a table has constants for: 0..=60.
pub const EMPTIES: usize = 61;
/// Number of families.
pub const FAMILIES: usize = 12;
/// Most squares in a pattern: 3^10 fillings fit 16 bits.
const MAX_SQUARES: usize = 10;

/// One image of each family, its squares in digit order.
const FAMILY_SQUARES: [&str; FAMILIES] = [
    "a1b1c1a2b2c2a3b3c3",
    "b2a1b1c1d1e1f1g1h1g2",
    "a1b2c3d4e5f6g7h8",
    "a2b2c2d2e2f2g2h2",
    "a5a4a3a2a1b2b1c1d1e1",
    "a1c1d1c2d2e2f2e1f1h1",
    "a3b3c3d3e3f3g3h3",
    "a4b4c4d4e4f4g4h4",
    "b1c2d3e4f5g6h7",
    "c1d2e3f4g5h6",
    "d1e2f3g4h5",
    "d1c2b3a4",
];

/// The squares of one instance of a family.
#[derive(Clone, Copy, Debug)]
pub struct Pattern {
    /// Square indices in digit order, the first `len` of them used.
    squares: [u8; MAX_SQUARES],
    len: usize,
    /// Index of the family.
    pub family: usize,
}

impl Pattern {
    /// Square indices, lowest digit first.
    pub fn squares(&self) -> &[u8] {
        &self.squares[..self.len]
    }

    const fn set(&self) -> u64 {
        let mut set = 0;
        let mut i = 0;
        while i < self.len {
            set |= 1 << self.squares[i];
            i += 1;
        }
        set
    }

    const fn image(&self, symmetry: usize) -> Pattern {
        let mut image = *self;
        let mut i = 0;
        while i < self.len {
            image.squares[i] = transform(1 << self.squares[i], symmetry).trailing_zeros() as u8;
            i += 1;
        }
        image
    }
}

/// All instances, those of a family side by side, families in order.
pub static PATTERNS: [Pattern; FEATURES] = PATTERNS_CONST;
const PATTERNS_CONST: [Pattern; FEATURES] = instances();

/// Fillings in each family: 3 to the number of its squares.
pub const FAMILY_SIZES: [usize; FAMILIES] = {
    let mut sizes = [0; FAMILIES];
    let mut family = 0;
    while family < FAMILIES {
        sizes[family] = 3usize.pow((FAMILY_SQUARES[family].len() / 2) as u32);
        family += 1;
    }
    sizes
};

/// Where each family's fillings begin in a table of all families.
pub const FAMILY_OFFSETS: [usize; FAMILIES] = {
    let mut offsets = [0; FAMILIES];
    let mut family = 1;
    while family < FAMILIES {
        offsets[family] = offsets[family - 1] + FAMILY_SIZES[family - 1];
        family += 1;
    }
    offsets
};

/// Fillings of all families: the length of a table with one entry for each.
pub const FILLINGS: usize = FAMILY_OFFSETS[FAMILIES - 1] + FAMILY_SIZES[FAMILIES - 1];

/// Where each instance's fillings begin in a table of all families.
pub const OFFSETS: [u32; FEATURES] = {
    let mut offsets = [0; FEATURES];
    let mut i = 0;
    while i < FEATURES {
        offsets[i] = FAMILY_OFFSETS[PATTERNS_CONST[i].family] as u32;
        i += 1;
    }
    offsets
};

/// What an own disc on each square adds to each instance's filling (an opponent's adds twice that).
pub const DIGITS: [[u16; FEATURES]; 64] = {
    let mut digits = [[0; FEATURES]; 64];
    let mut f = 0;
    while f < FEATURES {
        let pattern = &PATTERNS_CONST[f];
        let mut power = 1u16;
        let mut i = 0;
        while i < pattern.len {
            digits[pattern.squares[i] as usize][f] = power;
            power = power.wrapping_mul(3);
            i += 1;
        }
        f += 1;
    }
    digits
};

const fn base(family: usize) -> Pattern {
    let text = FAMILY_SQUARES[family].as_bytes();
    let mut pattern = Pattern { squares: [0; MAX_SQUARES], len: text.len() / 2, family };
    let mut i = 0;
    while i < pattern.len {
        pattern.squares[i] = (text[2 * i + 1] - b'1') * 8 + text[2 * i] - b'a';
        i += 1;
    }
    pattern
}

/// The distinct images of every family.
const fn instances() -> [Pattern; FEATURES] {
    let mut all = [base(0); FEATURES];
    let mut count = 0;
    let mut family = 0;
    while family < FAMILIES {
        let first = count;
        let mut symmetry = 0;
        while symmetry < 8 {
            let image = base(family).image(symmetry);
            let mut known = false;
            let mut i = first;
            while i < count {
                known |= all[i].set() == image.set();
                i += 1;
            }
            if !known {
                all[count] = image;
                count += 1;
            }
            symmetry += 1;
        }
        family += 1;
    }
    assert!(count == FEATURES);
    all
}

/// Maps each filling (family offset included) to its folded index.
///
/// Folded indices count up in the order of the fillings, family after family.
#[derive(Debug)]
pub struct Folding {
    /// Folded index of each of the [`FILLINGS`].
    pub folded: Vec<u32>,
    /// Number of folded indices.
    pub count: usize,
}

/// Folded indices of all families, which are known without the [`folding`] itself.
pub const fn folded_count() -> usize {
    FOLDED
}

const FOLDED: usize = {
    let mut count = 0;
    let mut family = 0;
    while family < FAMILIES {
        // a filling and its mirror image share one index
        count += (FAMILY_SIZES[family] + own_images(family)) / 2;
        family += 1;
    }
    count
};

/// Fillings of a family that are their own mirror images: squares that stay and pairs that change places are free.
const fn own_images(family: usize) -> usize {
    let base = base(family);
    let mut symmetry = 1;
    while symmetry < 8 {
        let image = base.image(symmetry);
        let mut stay = 0;
        let mut i = 0;
        while i < base.len {
            stay += (image.squares[i] == base.squares[i]) as usize;
            i += 1;
        }
        if image.set() == base.set() && stay < base.len {
            return 3usize.pow((stay + (base.len - stay) / 2) as u32);
        }
        symmetry += 1;
    }
    panic!("every family is its own mirror image")
}

/// The folding of all families; made on first use (under a millisecond).
pub fn folding() -> &'static Folding {
    static FOLDING: OnceLock<Folding> = OnceLock::new();
    FOLDING.get_or_init(|| {
        let mut folded = vec![0; FILLINGS];
        let mut count = 0;
        for family in 0..FAMILIES {
            let mirror = mirrored_fillings(family);
            let table = &mut folded[FAMILY_OFFSETS[family]..][..FAMILY_SIZES[family]];
            for (filling, &image) in mirror.iter().enumerate() {
                table[filling] = if (image as usize) < filling {
                    table[image as usize]
                } else {
                    count += 1;
                    count as u32 - 1
                };
            }
        }
        Folding { folded, count }
    })
}

/// For each filling of the family's base pattern, the filling of its mirror image.
fn mirrored_fillings(family: usize) -> Vec<u32> {
    let base = base(family);
    // the digit values of the squares after the symmetry that maps the pattern's squares onto themselves, moving some
    let powers: Vec<u32> = (1..8)
        .map(|symmetry| base.image(symmetry))
        .find(|image| image.set() == base.set() && image.squares != base.squares)
        .expect("every family is its own mirror image")
        .squares()
        .iter()
        .map(|square| 3u32.pow(base.squares().iter().position(|s| s == square).expect("same set") as u32))
        .collect();
    let mut mirror = vec![0];
    for power in powers {
        let known = mirror.len();
        for digit in 1..3 {
            mirror.extend_from_within(..known);
            mirror[digit * known..].iter_mut().for_each(|filling| *filling += digit as u32 * power);
        }
    }
    mirror
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_the_published_set() {
        assert_eq!(FILLINGS, 226_314);
        assert_eq!([folding().count, folded_count()], [114_363; 2]);
        let instances = |family| PATTERNS.iter().filter(|p| p.family == family).count();
        assert_eq!((0..FAMILIES).map(instances).collect::<Vec<_>>(), [4, 4, 2, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
    }

    #[test]
    fn every_square_is_covered_and_families_are_symmetric() {
        for (square, row) in DIGITS.iter().enumerate() {
            let image = transform(1 << square, 5).trailing_zeros() as usize;
            let sorted = |mut row: [u16; FEATURES]| {
                row.sort_unstable();
                row.iter().filter(|&&d| d != 0).count()
            };
            assert!(sorted(*row) >= 4, "square {square}");
            assert_eq!(sorted(*row), sorted(DIGITS[image]));
        }
    }

    #[test]
    fn folding_joins_mirrored_fillings_only() {
        for (family, &offset) in FAMILY_OFFSETS.iter().enumerate() {
            let mirror = mirrored_fillings(family);
            let folded = &folding().folded[offset..];
            for (filling, &image) in mirror.iter().enumerate() {
                assert_eq!(mirror[image as usize] as usize, filling, "a mirror image twice is the identity");
                assert_eq!(folded[filling], folded[image as usize]);
            }
        }
    }
}
