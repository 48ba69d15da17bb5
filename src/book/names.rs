//! Names of openings (to come).
use crate::game::Game;
/// Name.
pub fn opening_of(_game: &Game) -> Option<&'static str> {
    None
}
