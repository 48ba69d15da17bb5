//! Games that have been seen before.

use std::hash::{BuildHasher, Hasher};

use hashbrown::{DefaultHashBuilder, HashSet};

use crate::analysis::symmetry::canonical_game;
use crate::formats::board_text;
use crate::game::Game;

/// The games seen so far. Two games are the same when they have the same moves from the same start by the same rules, also when
/// one is the other seen from another side (`f5d6` and `d3c5`). 16 bytes a game are kept: two different games pass for one with
/// a chance of one in 10^26 among a million.
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
    let (start, moves) = canonical_game(game);
    format!("{} {} {moves}", start.rules(), board_text::write(&start))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::analysis::symmetry::image;
    use crate::formats::transcript;
    use crate::rules::Position;

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

    /// By all rules, and where the start is another one.
    #[test]
    fn games_on_other_boards_are_turned_too() {
        let mut seen = Seen::default();
        for rules in ["othello", "othello:6x6", "othello:6x8", "othello:10x10,one", "hungarian", "traveller", "reversi"]
        {
            let mut game = Game::new(Arc::new(rules.parse().unwrap()));
            for choice in [0, 1, 0, 2, 1, 0, 3, 1, 0, 2] {
                let moves = game.position().legal_moves();
                game.play(moves[choice % moves.len()]).unwrap();
            }
            let mut late = Game::from_position(game.position().clone());
            late.play(late.position().legal_moves()[0]).unwrap();
            for game in [game, late] {
                assert!(seen.is_new(&game), "{rules}");
                let images = (0..8).filter_map(|index| image(&game, index)).collect::<Vec<_>>();
                assert!(images.len() >= 4 && images.iter().all(|image| !seen.is_new(image)), "{rules}");
            }
        }
    }
}
