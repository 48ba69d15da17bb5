//! Names of openings (to come).
use crate::game::Game;
/// Name.
pub fn name_of(_board: crate::board::Board) -> Option<&'static str> {
    None
}
/// Name.
pub fn opening_of(_game: &Game) -> Option<&'static str> {
    None
}
