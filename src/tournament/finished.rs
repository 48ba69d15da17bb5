//! What a match keeps of the games of earlier sessions: their results, and which they are, not their moves.

use std::collections::HashSet;

use super::record::GameRecord;
use super::statistics::Statistics;

/// The games that a match has already, without their moves: of a hundred thousand games those would fill a gigabyte.
#[derive(Clone, Debug, Default)]
pub struct Finished {
    statistics: Statistics,
    /// Pair and game in it.
    games: HashSet<(usize, u8)>,
    names: Option<[String; 2]>,
}

impl Finished {
    /// No games.
    pub fn new() -> Finished {
        Finished::default()
    }

    /// Counts a game; false when it is there already, and counts no more.
    pub fn add(&mut self, game: &GameRecord) -> bool {
        let is_new = self.games.insert((game.pair, game.leg));
        if is_new {
            self.statistics.add(game);
            self.names = Some(game.players().map(str::to_string));
        }
        is_new
    }

    /// This game is there.
    pub fn has(&self, pair: usize, leg: u8) -> bool {
        self.games.contains(&(pair, leg))
    }

    /// The results.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// What the players were called in the last game, first and second; `None` without games.
    pub fn names(&self) -> Option<&[String; 2]> {
        self.names.as_ref()
    }
}

impl<'a> FromIterator<&'a GameRecord> for Finished {
    fn from_iter<I: IntoIterator<Item = &'a GameRecord>>(games: I) -> Finished {
        let mut finished = Finished::new();
        games.into_iter().for_each(|game| _ = finished.add(game));
        finished
    }
}
