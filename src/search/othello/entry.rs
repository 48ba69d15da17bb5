//! What the table knows about a position.

/// No move stored.
pub(crate) const NO_MOVE: u8 = 64;

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Data {
    /// The value is at least this ...
    pub lower: i8,
    /// ... and at most this.
    pub upper: i8,
    /// Best move known, [`NO_MOVE`] for none.
    pub best: u8,
    /// The best move before that one.
    pub second: u8,
    /// Depth of the search that proved the bounds.
    pub depth: u8,
    /// Its selectivity (0..=5).
    pub selectivity: u8,
    /// Binary logarithm of the nodes it took.
    pub cost: u8,
    /// Number of the search, modulo 256.
    pub age: u8,
}

impl Data {
    pub fn pack(self) -> u64 {
        u64::from_le_bytes([
            self.lower as u8,
            self.upper as u8,
            self.best,
            self.second,
            self.depth,
            self.selectivity,
            self.cost,
            self.age,
        ])
    }

    pub fn unpack(word: u64) -> Data {
        let [lower, upper, best, second, depth, selectivity, cost, age] = word.to_le_bytes();
        Data { lower: lower as i8, upper: upper as i8, best, second, depth, selectivity, cost, age }
    }

    /// The bounds hold for a search of this depth and selectivity.
    #[inline(always)]
    pub fn covers(&self, depth: u32, selectivity: u8) -> bool {
        self.depth as u32 >= depth && self.selectivity >= selectivity
    }
}

/// A result to be stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub depth: u32,
    pub selectivity: u8,
    pub alpha: i32,
    pub beta: i32,
    pub score: i32,
    pub best: u8,
    pub nodes: u64,
}

/// The entry after a result: `old` is what was known about the same position.
pub(super) fn merge(old: Option<Data>, found: &Found, age: u8) -> Data {
    let cost = (64 - found.nodes.leading_zeros()) as u8;
    let mut data = Data {
        lower: -64,
        upper: 64,
        best: NO_MOVE,
        second: NO_MOVE,
        depth: found.depth as u8,
        selectivity: found.selectivity,
        cost,
        age,
    };
    if let Some(old) = old {
        data.best = old.best;
        data.second = old.second;
        if old.depth == data.depth && old.selectivity == data.selectivity {
            data.lower = old.lower;
            data.upper = old.upper;
            data.cost = old.cost.max(cost);
        }
    }
    if found.score < found.beta && found.score < data.upper as i32 {
        data.upper = found.score as i8;
    }
    if found.score > found.alpha && found.score > data.lower as i32 {
        data.lower = found.score as i8;
    }
    if data.lower > data.upper {
        // selective searches may contradict each other: the newest counts
        data.lower = if found.score > found.alpha { found.score as i8 } else { -64 };
        data.upper = if found.score < found.beta { found.score as i8 } else { 64 };
    }
    // the best move of a search that failed low says little, but it is better than none
    if found.best != NO_MOVE && (found.score > found.alpha || data.best == NO_MOVE) && data.best != found.best {
        data.second = data.best;
        data.best = found.best;
    }
    data
}
