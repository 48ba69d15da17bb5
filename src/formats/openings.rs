//! Opening lists: read from a file of transcripts, or random plies; chosen by a seed.

use std::collections::HashSet;
use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};

use crate::checksum::{FNV_BASIS, fnv1a};
use crate::game::Game;
use crate::rules::text::ParseRulesError;
use crate::rules::{Move, Position, RuleSet};

use super::transcript::{self, TranscriptError};
use super::{named_rules, without_mark};

/// The moves before the players take over; passes included, legal from the start position.
pub type Opening = Vec<Move>;

/// The built-in list of balanced openings: 5,000 lines of eight random moves each, to as many positions (seen from all eight
/// sides), after which a search of level 16 sees neither side ahead by more than two discs. `outflank openings` has made it.
pub const BALANCED: &str = include_str!("balanced.txt");

/// An opening list that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpeningError {
    /// A line that is no transcript.
    #[error("line {line}: {error}")]
    Transcript {
        /// From 1.
        line: usize,
        /// What is wrong.
        error: TranscriptError,
    },
    /// A line after which there is nothing left to play.
    #[error("line {0}: the game is over after this opening")]
    GameOver(usize),
    /// A comment that names rules, and not those that are played.
    #[error("line {line}: these openings are of '{found}', not of '{asked}'")]
    OtherRules {
        /// From 1.
        line: usize,
        /// As named.
        found: String,
        /// Those that are played.
        asked: String,
    },
    /// A comment that names rules that do not exist.
    #[error("line {line}: {error}")]
    Rules {
        /// From 1.
        line: usize,
        /// What is wrong.
        error: ParseRulesError,
    },
    /// No openings at all.
    #[error("no openings: every line is empty or a comment")]
    Empty,
    /// Random openings of this length do not exist.
    #[error("no game lasts {0} random plies under these rules")]
    TooLong(usize),
}

/// Reads a list: one transcript a line; blank lines and what follows `#` are ignored, but for `# rules: NAME`, which must
/// be the rules of the match.
///
/// # Errors
/// [`OpeningError`] naming the line.
pub fn parse_openings(rules: &Arc<RuleSet>, text: &str) -> Result<Vec<Opening>, OpeningError> {
    let start = Position::start(rules.clone());
    let mut openings = Vec::new();
    for (number, line) in without_mark(text).lines().enumerate() {
        match named_rules::in_comment(line) {
            Some(Ok(found)) if found != *rules => {
                let (found, asked) = (found.to_string(), rules.to_string());
                return Err(OpeningError::OtherRules { line: number + 1, found, asked });
            }
            Some(Err(error)) => return Err(OpeningError::Rules { line: number + 1, error }),
            _ => {}
        }
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let game = transcript::parse_some(&start, line)
            .map_err(|error| OpeningError::Transcript { line: number + 1, error })?;
        if game.position().is_game_over() {
            return Err(OpeningError::GameOver(number + 1));
        }
        openings.push(game.moves().to_vec());
    }
    if openings.is_empty() { Err(OpeningError::Empty) } else { Ok(openings) }
}

/// Chooses `pairs` openings of a list: all of them in an order given by the seed, again and again (in a new order
/// each time) when more are wanted than there are.
pub fn select_openings(list: &[Opening], pairs: usize, seed: u64) -> Vec<Opening> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..list.len()).collect();
    let mut chosen = Vec::with_capacity(pairs);
    while chosen.len() < pairs && !list.is_empty() {
        order.shuffle(&mut rng);
        chosen.extend(order.iter().take(pairs - chosen.len()).map(|&i| list[i].clone()));
    }
    chosen
}

/// Makes `pairs` openings of random plies (forced passes not counted), leading to different positions as long as
/// there are enough.
///
/// # Errors
/// [`OpeningError::TooLong`] when no game lasts so long.
pub fn random_openings(
    rules: &Arc<RuleSet>,
    plies: usize,
    pairs: usize,
    seed: u64,
) -> Result<Vec<Opening>, OpeningError> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut seen: HashSet<Position> = HashSet::new();
    let mut openings = Vec::with_capacity(pairs);
    let mut failures = 0;
    while openings.len() < pairs {
        let Some(game) = random_game(rules, plies, &mut rng) else {
            failures += 1;
            if failures > 1000 && openings.is_empty() {
                return Err(OpeningError::TooLong(plies));
            }
            continue;
        };
        // after a hundred repetitions in a row few new positions can be left: repeat some
        if seen.insert(game.position().clone()) || failures >= 100 {
            openings.push(game.moves().to_vec());
            failures = 0;
        } else {
            failures += 1;
        }
    }
    Ok(openings)
}

/// A game of random moves in which somebody can still move; `None` when it ended early.
fn random_game(rules: &Arc<RuleSet>, plies: usize, rng: &mut StdRng) -> Option<Game> {
    let mut game = Game::new(rules.clone());
    for _ in 0..plies {
        if game.position().must_pass() {
            game.play(Move::Pass).ok()?;
        }
        let mv = *game.position().legal_moves().choose(rng)?;
        game.play(mv).ok()?;
    }
    (!game.position().is_game_over()).then_some(game)
}

/// A number that tells opening lists apart, to recognise the list of a saved match.
pub fn checksum(openings: &[Opening]) -> u64 {
    let text = |opening: &Opening| opening.iter().map(Move::to_string).collect::<String>() + "\n";
    fnv1a(FNV_BASIS, openings.iter().flat_map(|opening| text(opening).into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> Arc<RuleSet> {
        Arc::new(RuleSet::othello())
    }

    #[test]
    fn lists_with_comments() {
        let list = parse_openings(&rules(), "# XOT\nf5d6c3 # first\n\n F5 F6 \r\n").unwrap();
        assert_eq!(list.iter().map(Vec::len).collect::<Vec<_>>(), [3, 2]);
        assert_eq!(parse_openings(&rules(), "\u{feff}f5d6c3\r\n").unwrap().len(), 1);
        let error = |text: &str| parse_openings(&rules(), text).unwrap_err().to_string();
        assert!(error("f5d6\nf5f5").starts_with("line 2: "), "{}", error("f5d6\nf5f5"));
        assert!(error("zz").contains("line 1"));
        assert_eq!(error("f5d6\n...\n"), "line 2: move 1 (column 1): '...' is not a move (such as f5 or pass)");
        assert_eq!(error("# nothing\n"), "no openings: every line is empty or a comment");
        // a wipe-out in nine moves
        let over = error("f5d6\n# more\ne6f4e3f6g5d6e7f5c5");
        assert!(over.starts_with("line 3: ") && over.contains("game is over"), "{over}");
        assert!(error("f5\n# rules: reveris\nf5").starts_with("line 2: "), "{}", error("f5\n# rules: reveris\nf5"));
        assert!(error("f5\n\n# rules: chess\n").starts_with("line 3: "), "{}", error("f5\n\n# rules: chess\n"));
    }

    #[test]
    fn the_built_in_list_has_different_lines() {
        let list = parse_openings(&rules(), BALANCED).unwrap();
        assert_eq!(list.len(), 5000);
        let mut seen = HashSet::new();
        for opening in &list {
            assert_eq!((opening.len(), opening[0].to_string().as_str()), (8, "f5"));
            let mut game = Game::new(rules());
            opening.iter().for_each(|&mv| game.play(mv).unwrap());
            let (board, _) = game.position().fast_board().unwrap();
            assert!(seen.insert(board.canonical()), "{opening:?}");
        }
    }

    #[test]
    fn selection_is_a_permutation_that_depends_on_the_seed_only() {
        let list = random_openings(&rules(), 4, 50, 1).unwrap();
        let chosen = select_openings(&list, 50, 7);
        assert_eq!(chosen, select_openings(&list, 50, 7));
        assert_ne!(chosen, select_openings(&list, 50, 8));
        assert_eq!(chosen.iter().collect::<HashSet<_>>().len(), 50);
        assert_eq!(&select_openings(&list, 120, 7)[..50], chosen, "more games continue the same list");
    }

    #[test]
    fn random_openings_differ_and_repeat_for_a_seed() {
        let list = random_openings(&rules(), 8, 200, 42).unwrap();
        assert_eq!(list, random_openings(&rules(), 8, 200, 42).unwrap());
        assert_ne!(checksum(&list), checksum(&random_openings(&rules(), 8, 200, 43).unwrap()));
        let positions: HashSet<Position> = list
            .iter()
            .map(|moves| {
                let mut game = Game::new(rules());
                moves.iter().for_each(|&mv| game.play(mv).unwrap());
                game.position().clone()
            })
            .collect();
        assert_eq!(positions.len(), 200);
        // 4 first moves lead to 4 positions: repeats are allowed when nothing else is left
        assert_eq!(random_openings(&rules(), 1, 10, 1).unwrap().len(), 10);
        assert!(random_openings(&rules(), 61, 1, 1).is_err());
        // where most games are over by then, others are drawn
        let small = Arc::new("othello:4x4".parse().unwrap());
        assert!((1..=20).all(|seed| random_openings(&small, 11, 3, seed).unwrap().len() == 3));
    }
}
