//! Aspiration: a narrow window around the expected score, opened where the score turns out to be outside.

use super::worker::Rules;

/// The window of a root search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Aspiration {
    pub alpha: i32,
    pub beta: i32,
    /// The widest window.
    full: (i32, i32),
    /// All scores are even: odd bounds decide two values at once.
    odd: bool,
    width: i32,
}

impl Aspiration {
    /// Everything at once.
    pub fn full(full: (i32, i32)) -> Aspiration {
        Aspiration { alpha: full.0, beta: full.1, full, odd: false, width: 2 }
    }

    /// A window around an expected score, of a search to the end of the game if `is_endgame`.
    pub fn around(guess: i32, full: (i32, i32), is_endgame: bool, rules: &Rules) -> Aspiration {
        // a board has an even number of squares: final scores are even when the winner gets the empty ones
        let even = is_endgame && !rules.discs_only;
        let guess = guess.clamp(full.0, full.1);
        let (alpha, beta) = if even {
            let even = guess & !1;
            (even - 1, even + 1)
        } else {
            (guess - 2, guess + 2)
        };
        Aspiration { alpha: alpha.max(full.0), beta: beta.min(full.1), full, odd: even, width: 2 }.or_full()
    }

    /// Selective searches and the table can contradict each other for ever: the full window settles it.
    fn or_full(mut self) -> Aspiration {
        if self.alpha >= self.beta || self.width > 64 {
            (self.alpha, self.beta) = self.full;
        }
        self
    }

    /// Opens the window on the side where `score` lies outside; `false` when the score stands.
    pub fn widen(&mut self, score: i32) -> bool {
        let (low, high) = self.full;
        if score <= self.alpha && self.alpha > low {
            self.beta = score + 1;
            self.alpha = score - self.width;
        } else if score >= self.beta && self.beta < high {
            self.alpha = score - 1;
            self.beta = score + self.width;
        } else {
            return false;
        }
        if self.odd {
            self.alpha = (self.alpha - 1) | 1;
            self.beta |= 1;
        }
        self.alpha = self.alpha.max(low);
        self.beta = self.beta.min(high);
        self.width *= 2;
        *self = self.or_full();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: (i32, i32) = (-64, 64);

    /// Around a guess, where all scores are even and where they are not.
    fn around(guess: i32, full: (i32, i32), even: bool) -> Aspiration {
        Aspiration::around(guess, full, true, &Rules::new(u64::MAX, !even, false))
    }

    fn bounds(window: Aspiration) -> (i32, i32) {
        (window.alpha, window.beta)
    }

    #[test]
    fn windows_have_odd_bounds_where_scores_are_even_only() {
        assert_eq!(bounds(around(4, FULL, true)), (3, 5));
        assert_eq!(bounds(around(4, FULL, false)), (2, 6));
        assert_eq!(bounds(around(3, FULL, false)), (1, 5));
        assert_eq!(bounds(Aspiration::around(4, FULL, false, &Rules::othello())), (2, 6));
        // two discs further than the score that was outside, then four
        for (score, wide, wider) in [(0, (-3, 1), (-11, -5)), (8, (7, 11), (15, 21))] {
            let mut window = around(4, FULL, true);
            assert!(window.widen(score));
            assert_eq!(bounds(window), wide);
            assert!(window.widen(if score > 4 { 16 } else { -6 }));
            assert_eq!(bounds(window), wider);
        }
        for guess in -64..=64 {
            for score in -64..=64 {
                for even in [true, false].into_iter().filter(|even| !even || score % 2 == 0) {
                    let mut window = around(guess, FULL, even);
                    // a search that returns the very value, or the bound that it ran into
                    for fails_hard in [false, true] {
                        let mut searches = 1;
                        while window.widen(if fails_hard { score.clamp(window.alpha, window.beta) } else { score }) {
                            let bounds = [window.alpha, window.beta];
                            let is_odd = |bound: &i32| bound % 2 != 0 || bound.abs() == 64;
                            assert!(bounds.iter().all(is_odd) || !even, "{window:?}");
                            assert!(
                                even || fails_hard || bounds.contains(&(score + 1)) || bounds.contains(&(score - 1))
                            );
                            searches += 1;
                        }
                        assert!(searches <= 8 && window.alpha.max(-63) <= score.max(-63), "{guess} {score} {searches}");
                        assert!(score > window.alpha && score < window.beta || score.abs() == 64, "{score} {window:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn contradictions_end_in_the_full_window() {
        let mut window = around(0, FULL, true);
        let mut searches = 0;
        // whatever is asked, the answer is the opposite
        while window.widen(if searches % 2 == 0 { 10 } else { -10 }) {
            searches += 1;
            assert!(searches < 12);
        }
        assert_eq!(bounds(window), FULL);
        // in a window that the caller gave
        assert_eq!(bounds(around(30, (-1, 1), true)), (-1, 1));
        assert_eq!(bounds(Aspiration::full((-7, 9))), (-7, 9));
        let mut narrow = around(0, (-3, 9), false);
        assert!(narrow.widen(-2) && narrow.alpha == -3 && !narrow.widen(-5));
    }
}
