//! What bounds in the table hold for: engines with different rules or weights may share a table, but not an entry.

use std::any::Any;
use std::sync::{Arc, Weak};

use super::worker::Rules;

/// The rules and weights that a table has met.
#[derive(Debug, Default)]
pub(super) struct Contexts {
    known: Vec<Context>,
    /// How many there have been.
    count: u64,
}

#[derive(Debug)]
struct Context {
    rules: Rules,
    /// Keeps the address from being given to other weights.
    weights: Weak<dyn Any + Send + Sync>,
    number: u64,
}

impl Contexts {
    /// The words that entries of these rules and weights are marked with (by XOR with the board): nought for the first. Two
    /// boards of different contexts would have to differ by exactly 128 random bits to be taken for each other.
    pub fn key<W: Any + Send + Sync>(&mut self, rules: &Rules, weights: &Arc<W>) -> [u64; 2] {
        let is_same = |context: &Context| {
            context.rules == *rules && context.weights.as_ptr().cast::<()>() == Arc::as_ptr(weights).cast()
        };
        let number = match self.known.iter().find(|context| is_same(context)) {
            Some(context) => context.number,
            None => {
                // weights that are gone never come back
                self.known.retain(|context| context.weights.strong_count() > 0);
                let number = self.count;
                self.count += 1;
                let weights: Weak<W> = Arc::downgrade(weights);
                self.known.push(Context { rules: *rules, weights, number });
                number
            }
        };
        [scramble(2 * number), scramble(2 * number + 1)].map(|word| if number == 0 { 0 } else { word })
    }
}

/// A random word for each number (the finalizer of SplitMix64, Steele, Lea and Flood 2014).
fn scramble(number: u64) -> u64 {
    let mut word = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_rules_and_weights() {
        let mut contexts = Contexts::default();
        let weights = Arc::new("weights");
        let othello = Rules::othello();
        let discs = Rules::new(u64::MAX, true, false);
        let fewest = Rules::new(u64::MAX, false, true);
        let small = Rules::new(0x3F3F_3F3F_3F3F, false, false);
        let keys = [othello, discs, fewest, small].map(|rules| contexts.key(&rules, &weights));
        assert_eq!(keys[0], [0, 0]);
        for i in 0..4 {
            assert!((0..i).all(|j| (keys[i][0] ^ keys[j][0]).count_ones() > 10 && keys[i][1] != keys[j][1]));
        }
        assert_eq!([othello, discs, fewest, small].map(|rules| contexts.key(&rules, &weights)), keys);
        let mut seen = keys.to_vec();
        for _ in 0..10 {
            // the same value, and perhaps in the same place once the others are gone
            let others = Arc::new("weights");
            let key = contexts.key(&othello, &others);
            assert_eq!(contexts.key(&othello, &others), key);
            assert!(!seen.contains(&key));
            seen.push(key);
        }
        assert!(contexts.known.len() <= 6, "weights that are gone are forgotten");
        assert_eq!(contexts.key(&othello, &weights), keys[0]);
    }
}
