//! Players that choose a turn from what they see, and the two simple ones that others are measured against.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use super::layout::below;
use super::position::{Move, Position};
use super::view::View;

/// Chooses turns. It is given a [`View`], so it cannot know what lies under the face-down chips.
pub trait Player {
    /// A legal turn of the view, `None` when there is none.
    fn choose(&mut self, view: &View) -> Option<Move>;
}

/// Plays any legal turn, all equally likely.
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// A player whose choices depend only on the seed.
    pub fn new(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }
}

impl Player for Random {
    fn choose(&mut self, view: &View) -> Option<Move> {
        let moves: Vec<Move> = view.position().legal_moves().collect();
        pick(&moves, &mut self.0)
    }
}

/// Wins as many chips as it can this turn, then turns up as many as it can; ties at random.
pub struct Greedy(Xoshiro256PlusPlus);

impl Greedy {
    /// A player whose tie-breaks depend only on the seed.
    pub fn new(seed: u64) -> Greedy {
        Greedy(Xoshiro256PlusPlus::seed_from_u64(seed))
    }
}

impl Player for Greedy {
    fn choose(&mut self, view: &View) -> Option<Move> {
        let position = view.position();
        let gain = |mv: &Move| gain(position, *mv);
        let best = position.legal_moves().map(|mv| gain(&mv)).max()?;
        let moves: Vec<Move> = position.legal_moves().filter(|mv| gain(mv) == best).collect();
        pick(&moves, &mut self.0)
    }
}

/// Chips won and chips turned up by a legal turn.
fn gain(position: &Position, mv: Move) -> (u32, u32) {
    let effect = position.effect_unchecked(mv);
    (effect.won.count_ones(), effect.turned.count_ones())
}

fn pick(moves: &[Move], rng: &mut Xoshiro256PlusPlus) -> Option<Move> {
    if moves.is_empty() { None } else { Some(moves[below(rng, moves.len())]) }
}
