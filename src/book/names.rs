//! Names of openings.
//!
//! A name belongs to a position in whichever orientation, not to a list of moves: transpositions have one name. The list is
//! `book/openings.txt`.

use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;

use super::probe::{begins_as_othello, board_of};
use crate::board::Board;
use crate::formats::transcript::{self, TranscriptError};
use crate::game::Game;
use crate::rules::{Position, RuleSet};

/// The list: moves from the start, a blank, the name; `#` begins a comment.
const LIST: &str = include_str!("../../book/openings.txt");

type Names = HashMap<Board, &'static str>;

/// The list by canonical boards, read when a name is first asked for.
fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    // what cannot be read is no name; a test says that there is no such line
    NAMES.get_or_init(|| {
        openings().filter_map(|(moves, name)| Some((position(moves).ok()?.canonical(), name))).collect()
    })
}

/// All openings with a name: the moves from the start to the position that it belongs to, and the name.
pub fn openings() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = LIST.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).map(|line| line.split_once(' ').unwrap_or((line, "")))
}

/// The board after some moves.
fn position(moves: &str) -> Result<Board, TranscriptError> {
    let game = transcript::parse(&Position::default(), moves)?;
    Ok(board_of(game.position()).unwrap_or_default())
}

/// The name of a position of othello, in any orientation.
///
/// ```
/// use outflank::{Board, book::names};
/// let f5 = Board::START.play("f5".parse()?).expect("a legal move");
/// assert_eq!(names::name_of(f5.play("f4".parse()?).expect("a legal move")), Some("Parallel"));
/// assert_eq!(names::name_of(f5), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn name_of(board: Board) -> Option<&'static str> {
    names().get(&board.canonical()).copied()
}

/// The moves of the opening with this name, as people type it: in any case, without its hyphens, dots and blanks, and by one of two
/// names.
///
/// ```
/// use outflank::book::names;
/// assert_eq!(names::moves_of("tiger"), Some("f5d6c3d3c4"));
/// assert_eq!(names::moves_of("no cat"), names::moves_of("Ganglion/No-Cat"));
/// assert_eq!(names::moves_of("f5d6"), None);
/// ```
pub fn moves_of(name: &str) -> Option<&'static str> {
    letters(name).next()?;
    let is_typed = |known: &str| letters(known).eq(letters(name));
    let has_name = |known: &str| is_typed(known) || known.split('/').any(is_typed);
    openings().find(|(_, known)| has_name(known)).map(|(moves, _)| moves)
}

/// The game that the opening of this name is; `None` also by rules whose games do not begin as othello's do.
pub fn game_of(name: &str, rules: &Arc<RuleSet>) -> Option<Game> {
    let moves = moves_of(name)?;
    if !begins_as_othello(rules) {
        return None;
    }
    transcript::parse(&Position::start(rules.clone()), moves).ok()
}

/// What tells a name from others.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The opening of a game: the name of the last position on its way that has one. `None` when no position has a name, or the
/// rules have no book ([`has_book`](super::probe::has_book)).
pub fn opening_of(game: &Game) -> Option<&'static str> {
    // every named position has at most 24 discs, however the game goes on
    let begun = game.positions().iter().take(24);
    begun.rev().find_map(|position| name_of(board_of(position)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(moves: &str) -> Game {
        transcript::parse(&Position::default(), moves).unwrap()
    }

    #[test]
    fn every_line_is_a_position_with_a_name_of_its_own() {
        let mut seen: HashMap<Board, &str> = HashMap::new();
        for (moves, name) in openings() {
            let board = position(moves).unwrap_or_else(|error| panic!("{moves}: {error}"));
            assert!(!name.is_empty() && moves.starts_with("f5"), "{moves}");
            assert!(game(moves).positions().len() <= 24, "{moves}: opening_of does not look that far");
            let other = seen.insert(board.canonical(), name);
            assert!(other.is_none(), "{moves} {name} is {other:?} too");
        }
        assert!(seen.len() >= 66 && names().len() == seen.len());
    }

    #[test]
    fn a_name_is_that_of_one_opening_and_no_move() {
        for (moves, name) in openings() {
            let parts = name.split('/').filter(|_| name.contains('/'));
            for typed in parts.chain([name]).flat_map(|name| [name.to_uppercase(), name.replace(['-', ' '], "")]) {
                assert_eq!(moves_of(&typed), Some(moves), "{typed}");
                assert!(transcript::parse(&Position::default(), &typed).is_err(), "{typed}");
            }
        }
        for other in ["", "-", "rose bill x", "f5", "tig"] {
            assert_eq!(moves_of(other), None, "{other}");
        }
        for (rules, is_there) in
            [("othello", true), ("ravensburger", true), ("hungarian", false), ("othello:6x6", false)]
        {
            let game = game_of("cow", &Arc::new(rules.parse().unwrap()));
            assert_eq!(game.as_ref().map(opening_of), is_there.then_some(Some("Cow")), "{rules}");
        }
    }

    #[test]
    fn transpositions_have_one_name() {
        for moves in ["f5d6c3d3c4", "f5d6c4d3c3", "d3c5f6f5e6", "c4e3f6e6f5", "e6f4c3c4d3"] {
            assert_eq!(opening_of(&game(moves)), Some("Tiger"), "{moves}");
        }
        let board = position("f5f6e6f4g6").unwrap();
        assert!((0..8).all(|image| name_of(board.symmetry(image)) == Some("Snake/Peasant")));
    }

    #[test]
    fn games_keep_the_name_of_their_last_named_position() {
        assert_eq!(opening_of(&game("")), None);
        assert_eq!(opening_of(&game("f5")), None);
        assert_eq!(opening_of(&game("f5d6c3d3")), Some("Perpendicular"));
        assert_eq!(opening_of(&game("f5d6c3d3c4f4c5b3")), Some("Tiger"));
        assert_eq!(opening_of(&game("f5d6c3d3c4f4c5b3c2b4")), Some("Central Rose-Bill"));
        let long =
            "F5D6C3D3C4F4F6F3E6E7D7C5B6D8C6C7D2B5A5A6A7G5E3B4C8G6G4C2E8D1F7E2G3H4F1E1F2G1B1F8G8B3H3B2H5B7A3A4A1A2";
        assert_eq!(opening_of(&game(long)), Some("Comp'Oth"));
    }

    #[test]
    fn other_rules_have_no_openings() {
        let start = |rules: &str| Position::start(Arc::new(rules.parse().unwrap()));
        assert_eq!(opening_of(&Game::from_position(start("othello:6x6"))), None);
        let fewest = transcript::parse(&start("othello:fewest"), "f5d6").unwrap();
        assert_eq!(opening_of(&fewest), None);
        // the hungarian start is the mirror image of othello's
        let mirrored = transcript::parse(&start("hungarian"), "c5e6").unwrap();
        assert_eq!(opening_of(&mirrored), Some("Perpendicular"));
    }
}
