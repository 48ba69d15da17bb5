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
    // the move that has shown the larger lower bound stays beside it, whichever search ends last
    let shows_most = found.score > found.alpha && found.score >= data.lower as i32;
    // the best move of a search that failed low says little, but it is better than none
    if found.best != NO_MOVE && (shows_most || data.best == NO_MOVE) && data.best != found.best {
        data.second = data.best;
        data.best = found.best;
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    /// What a result says by itself: within its window the score, outside it a bound.
    fn interval(found: &Found) -> (i32, i32) {
        let lower = if found.score > found.alpha { found.score } else { -64 };
        let upper = if found.score < found.beta { found.score } else { 64 };
        (lower, upper)
    }

    fn random_data(rng: &mut StdRng) -> Data {
        let lower = rng.random_range(-64..=64);
        Data {
            lower,
            upper: rng.random_range(lower..=64),
            best: rng.random_range(0..=4),
            second: rng.random_range(60..=NO_MOVE),
            depth: rng.random_range(10..=11),
            selectivity: rng.random_range(4..=5),
            cost: rng.random_range(0..=40),
            age: rng.random(),
        }
    }

    fn random_found(rng: &mut StdRng) -> Found {
        let alpha = rng.random_range(-65..64);
        Found {
            depth: rng.random_range(10..=11),
            selectivity: rng.random_range(4..=5),
            alpha,
            beta: rng.random_range(alpha + 1..=65),
            score: rng.random_range(-64..=64),
            best: *[0, 1, 2, 3, 4, NO_MOVE].get(rng.random_range(0..6)).unwrap(),
            nodes: 1 << rng.random_range(0..40),
        }
    }

    #[test]
    fn words_hold_all_of_an_entry() {
        let mut rng = StdRng::seed_from_u64(61);
        for _ in 0..1000 {
            let data = random_data(&mut rng);
            assert_eq!(Data::unpack(data.pack()), data);
        }
    }

    #[test]
    fn entries_cover_searches_that_are_no_deeper_and_no_surer() {
        let mut rng = StdRng::seed_from_u64(62);
        for _ in 0..1000 {
            let (data, found) = (random_data(&mut rng), random_found(&mut rng));
            let enough = u32::from(data.depth) >= found.depth && data.selectivity >= found.selectivity;
            assert_eq!(data.covers(found.depth, found.selectivity), enough, "{data:?} {found:?}");
        }
    }

    #[test]
    fn bounds_of_the_same_search_are_put_together_and_others_forgotten() {
        let mut rng = StdRng::seed_from_u64(63);
        let (mut joined, mut contradicted, mut fresh) = (0, 0, 0);
        for _ in 0..20_000 {
            let old = rng.random_bool(0.9).then(|| random_data(&mut rng));
            let (found, age) = (random_found(&mut rng), rng.random());
            let data = merge(old, &found, age);
            let (lower, upper) = interval(&found);
            let cost = (found.nodes.ilog2() + 1) as u8;
            let same = old.filter(|old| u32::from(old.depth) == found.depth && old.selectivity == found.selectivity);
            let both = same.map(|old| (lower.max(old.lower.into()), upper.min(old.upper.into())));
            let expected = match both {
                Some((lower, upper)) if lower <= upper => {
                    joined += 1;
                    (lower, upper)
                }
                Some(_) => {
                    contradicted += 1;
                    (lower, upper)
                }
                None => {
                    fresh += 1;
                    (lower, upper)
                }
            };
            assert_eq!((i32::from(data.lower), i32::from(data.upper)), expected, "{old:?} {found:?}");
            assert_eq!((u32::from(data.depth), data.selectivity, data.age), (found.depth, found.selectivity, age));
            assert_eq!(data.cost, same.map_or(cost, |old| old.cost.max(cost)));
        }
        assert!(joined > 1000 && contradicted > 1000 && fresh > 1000, "{joined} {contradicted} {fresh}");
    }

    #[test]
    fn a_new_best_move_pushes_the_old_one_back() {
        let old = random_data(&mut StdRng::seed_from_u64(64));
        let result = |best, score| Found { depth: 9, selectivity: 5, alpha: 0, beta: 10, score, best, nodes: 1 };
        let moves = |old: Option<Data>, best, score| {
            let data = merge(old, &result(best, score), 0);
            (data.best, data.second)
        };
        let old = Data { best: 7, second: 9, ..old };
        for score in [1, 5, 10] {
            assert_eq!(moves(Some(old), 12, score), (12, 7), "a better one");
            assert_eq!(moves(Some(old), 7, score), (7, 9), "the same");
        }
        assert_eq!(moves(Some(old), 9, 5), (9, 7), "the second becomes the first");
        assert_eq!(moves(Some(old), NO_MOVE, 5), (7, 9), "none");
        assert_eq!(moves(Some(old), 12, 0), (7, 9), "a search that failed low knows nothing better");
        assert_eq!(moves(Some(Data { best: NO_MOVE, second: NO_MOVE, ..old }), 12, -3), (12, NO_MOVE), "but something");
        // of two searches at once the one that ends last may have shown less: the bound is the other's, and so is the move
        let shown = Data { lower: 12, upper: 64, depth: 9, selectivity: 5, ..old };
        assert_eq!(moves(Some(shown), 12, 10), (7, 9), "a smaller bound");
        assert_eq!(moves(Some(shown), 12, 12), (12, 7), "as large a one");
        assert_eq!(moves(Some(Data { depth: 8, ..shown }), 12, 10), (12, 7), "a bound of another depth is gone");
        assert_eq!(moves(None, 12, -3), (12, NO_MOVE));
        assert_eq!(moves(None, NO_MOVE, 3), (NO_MOVE, NO_MOVE));
    }
}
