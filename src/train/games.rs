//! Game records to learn from.

use crate::board::Board;
use crate::formats::wthor::{Database, WthorFile, WthorGame};
use crate::rules::Color;

/// A score known for one point of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Number of empty squares at this point.
    pub empties: u32,
    /// Black's score in discs: of perfect play from here on, or at the end of the game.
    pub score: f32,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct Game {
    /// The positions in which a disc was placed, and whether black placed it. The board's player is the one who did.
    pub positions: Vec<(Board, bool)>,
    /// What is known about its score: by falling number of empties, the last one at the end (0 empties).
    pub anchors: Vec<Anchor>,
}

/// Games that can be learned from, and how many could not.
#[derive(Clone, Debug, Default)]
pub struct Games {
    /// Complete games.
    pub games: Vec<Game>,
    /// Games with an illegal move, without an end, or with a score that is not that of their last position.
    pub rejected: usize,
}

impl Games {
    /// The 8x8 games of a WTHOR folder.
    pub fn from_wthor(database: &Database) -> Games {
        let mut games = Games::default();
        for (_, file) in &database.files {
            for game in file.games() {
                match replay(file, &game) {
                    Some(game) => games.games.push(game),
                    None => games.rejected += 1,
                }
            }
        }
        games
    }
}

fn replay(file: &WthorFile, game: &WthorGame) -> Option<Game> {
    let mut positions = Vec::with_capacity(60);
    let end = game.replay(|step| positions.push((step.board, step.side == Color::Black))).ok()?;
    if !end.is_complete() || end.black_discs() != game.black_discs() {
        return None;
    }
    let from = file.header().theoretical_empties as u32;
    let mut anchors = vec![Anchor { empties: 0, score: game.score() as f32 }];
    // some records hold a zero instead of the count; a true wipe-out by perfect play is as good as never met
    if from > 0 && game.theoretical_black_discs() != 0 {
        anchors.insert(0, Anchor { empties: from, score: game.theoretical_score() as f32 });
    }
    Some(Game { positions, anchors })
}

impl Game {
    /// Adds a known score; it replaces one with the same number of empties.
    pub fn add_anchor(&mut self, anchor: Anchor) {
        self.anchors.retain(|known| known.empties != anchor.empties);
        let at = self.anchors.partition_point(|known| known.empties > anchor.empties);
        self.anchors.insert(at, anchor);
    }

    /// Black's score to expect of the position with this many empty squares, and how far to trust it (0 to 1).
    ///
    /// Between two anchors mistakes make the score drift from one to the other, nobody knows where: the expectation is
    /// taken in between and trusted the less the larger the drift.
    pub fn expected_score(&self, empties: u32) -> (f32, f32) {
        let Some(next) = self.anchors.iter().position(|anchor| anchor.empties <= empties) else { return (0.0, 0.0) };
        let after = self.anchors[next];
        if next == 0 || after.empties == empties {
            return (after.score, 1.0);
        }
        let before = self.anchors[next - 1];
        let share = (empties - after.empties) as f32 / (before.empties - after.empties) as f32;
        let drift = before.score - after.score;
        let variance = drift * drift * share * (1.0 - share);
        (share * before.score + (1.0 - share) * after.score, 1.0 / (1.0 + variance / TOLERATED_VARIANCE))
    }

    /// Mixes the moves and a seed into 48 bits, so that equal games fall on the same side of a split.
    pub fn hash(&self, seed: u64) -> u64 {
        mix_boards(seed, self.positions.iter().map(|&(board, _)| board))
    }
}

/// Mixes boards and a seed into 48 bits.
pub(super) fn mix_boards(seed: u64, boards: impl IntoIterator<Item = Board>) -> u64 {
    let mix = |h: u64, bits: u64| (h ^ bits).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let start = mix(0x0123_4567_89AB_CDEF, seed);
    boards.into_iter().fold(start, |h, board| mix(mix(h, board.player), board.opponent)) >> 16
}

/// A label with this variance (in square discs) counts half.
const TOLERATED_VARIANCE: f32 = 8.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_between_anchors() {
        let anchor = |empties, score| Anchor { empties, score };
        let game = Game { positions: Vec::new(), anchors: vec![anchor(24, 10.0), anchor(12, 2.0), anchor(0, 2.0)] };
        assert_eq!([60, 24, 12, 6, 0].map(|e| game.expected_score(e)).map(|s| s.0), [10.0, 10.0, 2.0, 2.0, 2.0]);
        assert_eq!([60, 24, 12, 6, 0].map(|e| game.expected_score(e)).map(|s| s.1), [1.0; 5]);
        let (score, trust) = game.expected_score(18);
        assert_eq!((score, trust), (6.0, 1.0 / 3.0));
        let (score, trust) = game.expected_score(21);
        assert!(score == 8.0 && trust > 1.0 / 3.0 && trust < 1.0);
    }
}
