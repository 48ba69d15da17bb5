//! Games that have been seen before.

use std::hash::{BuildHasher, Hasher};

use hashbrown::{DefaultHashBuilder, HashSet};

use crate::board::{Board, Square, transform_square};
use crate::formats::{board_text, transcript};
use crate::game::Game;
use crate::rules::Position;

/// The games seen so far. Two games are the same when they have the same moves from the same start; games of othello are also
/// the same when one is the other seen from another side (`f5d6` and `d3c5`). 16 bytes a game are kept: two different games
/// pass for one with a chance of one in 10^26 among a million.
#[derive(Debug)]
pub struct Seen {
    keys: HashSet<u128>,
    hashers: [DefaultHashBuilder; 2],
}

impl Default for Seen {
    fn default() -> Seen {
        Seen { keys: HashSet::new(), hashers: [DefaultHashBuilder::default(), DefaultHashBuilder::default()] }
    }
}

impl Seen {
    /// Takes a game; true when it is the first of its kind.
    pub fn is_new(&mut self, game: &Game) -> bool {
        let text = canonical(game);
        let [low, high] = [0, 1].map(|i| {
            let mut hasher = self.hashers[i].build_hasher();
            // the two keys must differ even if both builders have one seed
            hasher.write_usize(i);
            hasher.write(text.as_bytes());
            u128::from(hasher.finish())
        });
        self.keys.insert(high << 64 | low)
    }
}

/// A text that is the same for all views of a game.
fn canonical(game: &Game) -> String {
    let squares: Option<Vec<Square>> =
        game.moves().iter().filter(|mv| **mv != crate::rules::Move::Pass).map(|mv| mv.square()).collect();
    let Some(squares) = squares.filter(|_| *game.start() == Position::default()) else {
        let start = game.start();
        return format!("{} {} {}", start.rules(), board_text::write(start), transcript::write(game));
    };
    let views = (0..8).filter(|&view| Board::START.symmetry(view) == Board::START);
    let seen = |view| squares.iter().map(|&square| transform_square(square, view).to_string()).collect::<String>();
    views.map(seen).min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn views_of_a_game_are_one_game() {
        let mut seen = Seen::default();
        let mut is_new = |rules: &str, moves: &str| {
            let start = Position::start(Arc::new(rules.parse().unwrap()));
            seen.is_new(&transcript::parse(&start, moves).unwrap())
        };
        assert!(is_new("othello", "f5d6c3"));
        for moves in ["f5d6c3", "d3c5f6", "e6f4c3", "c4e3f6"] {
            assert!(!is_new("othello", moves), "{moves}");
        }
        assert!(is_new("othello", "f5d6c4"));
        assert!(is_new("othello", "f5d6"));
        assert!(is_new("othello", "") && !is_new("othello", ""));
        assert!(is_new("othello:fewest", "f5d6c3"), "another game");
    }
}
