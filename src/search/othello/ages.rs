//! Which entries of the table still count: the numbers of the searches that made them.

/// Which searches made entries that still count, by their numbers modulo 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ages {
    /// The present search.
    pub now: u8,
    /// The first one since the table was cleared.
    first: u8,
    /// The first one whose number entries in memory may have, cleared or not.
    oldest: u8,
}

/// What must be removed from memory before numbers are given out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wipe {
    Nothing,
    /// The entries that these ages do not count.
    Cleared(Ages),
    Everything,
}

impl Ages {
    /// Of an empty table.
    pub const NEW: Ages = Ages { now: 1, first: 1, oldest: 1 };

    /// Entries of search number `age` have not been cleared.
    #[inline(always)]
    pub fn count(self, age: u8) -> bool {
        age.wrapping_sub(self.first) <= self.now.wrapping_sub(self.first)
    }

    /// The ages when another search begins.
    pub fn after_search(self) -> (Ages, Wipe) {
        let mut ages = Ages { now: self.now.wrapping_add(1), ..self };
        if ages.now != ages.oldest {
            return (ages, Wipe::Nothing);
        }
        if ages.first == ages.oldest {
            // nothing was cleared for 256 searches: whatever its number, every entry counts
            ages.first = ages.now.wrapping_add(1);
            ages.oldest = ages.first;
            return (ages, Wipe::Nothing);
        }
        ages.oldest = ages.first;
        (ages, Wipe::Cleared(self))
    }

    /// The ages when everything is forgotten.
    pub fn after_clear(self) -> (Ages, Wipe) {
        let now = self.now.wrapping_add(1);
        let wipe = if now == self.oldest { Wipe::Everything } else { Wipe::Nothing };
        (Ages { now, first: now, ..self }, wipe)
    }

    /// As a word.
    #[inline(always)]
    pub fn pack(self) -> u32 {
        u32::from_le_bytes([self.now, self.first, self.oldest, 0])
    }

    /// The ages in a word.
    #[inline(always)]
    pub fn unpack(word: u32) -> Ages {
        let [now, first, oldest, _] = word.to_le_bytes();
        Ages { now, first, oldest }
    }
}
