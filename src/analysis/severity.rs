//! What a lost disc is called: how bad a move was, in a word.

use std::fmt;

/// A move that lost discs, by how many. Smaller losses are within the error of an estimate and have no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// 2 or 3 discs.
    Inaccuracy,
    /// 4 to 7 discs.
    Mistake,
    /// 8 discs or more.
    Blunder,
}

impl Severity {
    /// All of them, the smallest first.
    pub const ALL: [Severity; 3] = [Severity::Inaccuracy, Severity::Mistake, Severity::Blunder];

    /// The least loss in discs that has this name.
    pub const fn from_discs(self) -> u32 {
        match self {
            Severity::Inaccuracy => 2,
            Severity::Mistake => 4,
            Severity::Blunder => 8,
        }
    }

    /// `inaccuracy`, `mistake` or `blunder`.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Inaccuracy => "inaccuracy",
            Severity::Mistake => "mistake",
            Severity::Blunder => "blunder",
        }
    }

    /// The name of a loss; `None` when it is too small for one.
    ///
    /// ```
    /// use outflank::analysis::severity::Severity;
    ///
    /// let names = [1, 2, 4, 7, 8, 64].map(|discs| Severity::of(discs).map(Severity::name));
    /// assert_eq!(names, [None, Some("inaccuracy"), Some("mistake"), Some("mistake"), Some("blunder"), Some("blunder")]);
    /// ```
    pub fn of(loss: u32) -> Option<Severity> {
        Severity::ALL.into_iter().rev().find(|severity| loss >= severity.from_discs())
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
