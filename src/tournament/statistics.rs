//! The results of a match: games, pairs, discs, times, and what was repeated.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet};
use std::hash::{Hash, Hasher};

use super::pentanomial::Pentanomial;
use super::record::{Ending, GameRecord, PlayerIndex};
use crate::rules::Color;
use crate::student::student95;

/// Running mean and variance of a sample (Welford's method).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mean {
    count: u64,
    mean: f64,
    squares: f64,
    max: f64,
}

impl Mean {
    /// Adds a value.
    pub fn add(&mut self, value: f64) {
        self.max = if self.count == 0 { value } else { self.max.max(value) };
        self.count += 1;
        let delta = value - self.mean;
        self.mean += delta / self.count as f64;
        self.squares += delta * (value - self.mean);
    }

    /// How many values.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean, `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then_some(self.mean)
    }

    /// The largest value, `None` without values.
    pub fn max(&self) -> Option<f64> {
        (self.count > 0).then_some(self.max)
    }

    /// Half the width of the 95 % interval of the mean, by Student's t distribution: the spread of few values is hardly known. `None`
    /// with fewer than two values.
    pub fn error(&self) -> Option<f64> {
        let n = self.count as f64;
        let degrees = self.count.checked_sub(1).filter(|&degrees| degrees > 0)?;
        Some(student95(degrees) * (self.squares / (n - 1.0) / n).sqrt())
    }
}

/// What is known of one player of a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerStatistics {
    /// Seconds a move, opening moves not counted.
    pub seconds: Mean,
    /// Depth a move, where the player tells.
    pub depth: Mean,
    /// Nodes a move, where the player tells.
    pub nodes: Mean,
    /// Seconds spent on the moves that `nodes` counts.
    pub node_seconds: f64,
    /// Games lost otherwise than on the board, by kind of failure (`time`, `crash`, ...).
    pub forfeits: BTreeMap<&'static str, u64>,
}

/// The finished game of a pair, seen by the first player.
#[derive(Clone, Copy, Debug)]
struct HalfPair {
    half_points: usize,
    discs: Option<i32>,
    /// Of the game, see [`hash_of_game`].
    hash: u64,
}

/// Tells whether two games are the same: the players' colours, the moves and the end, not names, times and scores, nor how many of
/// the moves were the opening: one opening may go on as another one does.
fn hash_of_game(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    (game.leg, game.winner.map(Color::index)).hash(&mut hasher);
    game.moves.iter().for_each(|played| played.mv.hash(&mut hasher));
    hasher.finish()
}

/// The results of a match so far, seen by the first player.
///
/// Players that always answer the same way repeat their games when an opening comes again. A game that was played
/// before says nothing new, so that a pair with a game that counted before counts as played, but not for Elo, discs and
/// the test.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    wins: u64,
    draws: u64,
    losses: u64,
    /// Pairs of two games that had not counted before.
    pairs: Pentanomial,
    /// The other finished pairs.
    repeated_pairs: u64,
    /// The pairs of which only one game is finished.
    open: BTreeMap<usize, HalfPair>,
    /// Hashes of all games, to tell repeated ones. Of a million games, two different ones are taken for the same with a
    /// probability of 3e-8.
    known: HashSet<u64>,
    /// Those of the games that the pairs above are made of.
    counted: HashSet<u64>,
    /// Mean disc difference of the pairs in which both games were played out.
    discs: Mean,
    players: [PlayerStatistics; 2],
}

impl Statistics {
    /// No games.
    pub fn new() -> Statistics {
        Statistics::default()
    }

    /// Counts a finished game.
    pub fn add(&mut self, game: &GameRecord) {
        let first = game.color_of(PlayerIndex::First);
        let half_points = match game.winner {
            None => 1,
            Some(color) if color == first => 2,
            Some(_) => 0,
        };
        match half_points {
            2 => self.wins += 1,
            1 => self.draws += 1,
            _ => self.losses += 1,
        }
        let discs = game.score.map(|score| if first == Color::Black { score } else { -score });
        let half = HalfPair { half_points, discs, hash: hash_of_game(game) };
        self.known.insert(half.hash);
        match self.open.remove(&game.pair) {
            Some(other) => self.add_pair(half, other),
            None => {
                self.open.insert(game.pair, half);
            }
        }
        self.add_players(game);
    }

    fn add_pair(&mut self, one: HalfPair, other: HalfPair) {
        // looked at only now: of equal pairs that are played side by side, the one that ends first counts
        if self.counted.contains(&one.hash) || self.counted.contains(&other.hash) {
            self.repeated_pairs += 1;
            return;
        }
        self.counted.extend([one.hash, other.hash]);
        self.pairs.add(one.half_points + other.half_points);
        if let (Some(a), Some(b)) = (one.discs, other.discs) {
            self.discs.add(f64::from(a + b) / 2.0);
        }
    }

    fn add_players(&mut self, game: &GameRecord) {
        for played in &game.moves {
            let Some(seconds) = played.seconds else { continue };
            let player = &mut self.players[game.player_of(played.side) as usize];
            player.seconds.add(seconds);
            if let Some(depth) = played.depth {
                player.depth.add(f64::from(depth));
            }
            if let Some(nodes) = played.nodes {
                player.nodes.add(nodes as f64);
                player.node_seconds += seconds;
            }
        }
        if let Ending::Forfeit { loser, kind, .. } = &game.ending {
            *self.players[game.player_of(*loser) as usize].forfeits.entry(kind.name()).or_default() += 1;
        }
    }

    /// Games finished.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Games won, drawn and lost by the first player.
    pub fn wins_draws_losses(&self) -> (u64, u64, u64) {
        (self.wins, self.draws, self.losses)
    }

    /// Share of the points that the first player made (0 to 1), `None` without games.
    pub fn score(&self) -> Option<f64> {
        (self.games() > 0).then(|| (self.wins as f64 + self.draws as f64 / 2.0) / self.games() as f64)
    }

    /// Games that were not the same as one before.
    pub fn distinct_games(&self) -> u64 {
        self.known.len() as u64
    }

    /// Finished pairs with a game that counted before.
    pub fn repeated_pairs(&self) -> u64 {
        self.repeated_pairs
    }

    /// The finished pairs of two games that did not count before.
    pub fn pairs(&self) -> &Pentanomial {
        &self.pairs
    }

    /// Disc difference a game for the first player: mean over the pairs whose games were both played out.
    pub fn discs(&self) -> &Mean {
        &self.discs
    }

    /// What is known of a player.
    pub fn player(&self, index: PlayerIndex) -> &PlayerStatistics {
        &self.players[index as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::super::record::MoveRecord;
    use super::*;

    fn game(pair: usize, leg: u8, moves: &[&str], score: i32) -> GameRecord {
        let moves = moves.iter().map(|mv| MoveRecord {
            side: Color::Black,
            mv: mv.to_string(),
            seconds: Some(pair as f64),
            score: None,
            depth: None,
            nodes: None,
        });
        GameRecord {
            pair,
            leg,
            black: String::new(),
            white: String::new(),
            ended_at: pair as u64,
            opening_plies: 0,
            moves: moves.collect(),
            winner: [Color::White, Color::Black].get((score > 0) as usize).copied().filter(|_| score != 0),
            score: Some(score),
            ending: Ending::Board,
        }
    }

    /// 107 games of which 2 were different: one pair.
    #[test]
    fn repeated_games_count_once() {
        let mut statistics = Statistics::new();
        for pair in 0..53 {
            statistics.add(&game(pair, 0, &["f5", "d6"], 10));
            statistics.add(&game(pair, 1, &["f5", "f6"], -4));
        }
        statistics.add(&game(53, 0, &["f5", "d6"], 10));
        assert_eq!((statistics.games(), statistics.distinct_games(), statistics.repeated_pairs()), (107, 2, 52));
        assert_eq!(statistics.pairs().counts(), [0, 0, 0, 0, 1]);
        assert_eq!((statistics.discs().count(), statistics.discs().mean()), (1, Some(7.0)));
        // other colours, other moves or another end make another game; one repeated game spoils its pair
        statistics.add(&game(60, 0, &["f5", "f6"], -4));
        statistics.add(&game(60, 1, &["f5", "d6"], 10));
        assert_eq!((statistics.distinct_games(), statistics.pairs().counts()), (4, [1, 0, 0, 0, 1]));
        statistics.add(&game(61, 0, &["f5", "f6"], -4));
        statistics.add(&game(61, 1, &["f5", "d6"], 0));
        assert_eq!((statistics.distinct_games(), statistics.pairs().total(), statistics.repeated_pairs()), (5, 2, 53));
        // an opening that another one begins with may lead to the same game
        for leg in [0, 1] {
            statistics.add(&GameRecord { opening_plies: 1, ..game(62, leg, &["f5", "d6"], 10) });
        }
        assert_eq!((statistics.distinct_games(), statistics.pairs().total(), statistics.repeated_pairs()), (5, 2, 54));
    }

    /// Two equal pairs side by side, whose games end in any order, are one pair; a drawn game is half a point.
    #[test]
    fn the_order_of_ends_does_not_matter() {
        let games = [(0, 0, 10), (0, 1, 0), (1, 0, 10), (1, 1, 0)];
        for order in [[0, 1, 2, 3], [0, 2, 3, 1], [2, 1, 0, 3], [3, 0, 1, 2]] {
            let mut statistics = Statistics::new();
            for (pair, leg, score) in order.map(|i: usize| games[i]) {
                statistics.add(&game(pair, leg, &["f5"], score));
            }
            assert_eq!(statistics.pairs().counts(), [0, 0, 0, 1, 0], "{order:?}");
            assert_eq!((statistics.wins_draws_losses(), statistics.repeated_pairs()), ((2, 2, 0), 1));
            assert_eq!(statistics.score(), Some(0.75));
        }
    }

    /// What a player did is its own, whatever its colour was.
    #[test]
    fn players_keep_their_times_when_colours_change() {
        let mut statistics = Statistics::new();
        for leg in [0, 1] {
            let mut game = game(0, leg, &["f5", "d6"], 10);
            game.moves[1].side = Color::White;
            for (color, played) in [Color::Black, Color::White].into_iter().zip(&mut game.moves) {
                // the first player: 1 s, 100 nodes, depth 1; the second one: twice as much
                let factor = if (color == Color::Black) == (leg == 0) { 1 } else { 2 };
                played.seconds = Some(f64::from(factor));
                (played.nodes, played.depth) = (Some(100 * u64::from(factor)), Some(factor));
            }
            statistics.add(&game);
        }
        for (index, factor) in [(PlayerIndex::First, 1.0), (PlayerIndex::Second, 2.0)] {
            let player = statistics.player(index);
            assert_eq!(
                (player.seconds.count(), player.seconds.mean(), player.seconds.max()),
                (2, Some(factor), Some(factor))
            );
            assert_eq!((player.nodes.mean(), player.depth.mean()), (Some(100.0 * factor), Some(factor)));
            assert_eq!(player.node_seconds, 2.0 * factor);
        }
    }

    /// The intervals are those of the tables of Student's distribution, down to two values.
    #[test]
    fn few_values_have_wide_intervals() {
        for (values, table) in [(2, 12.706), (3, 4.303), (4, 3.182), (5, 2.776), (6, 2.571), (11, 2.228), (101, 1.984)]
        {
            let mut mean = Mean::default();
            (0..values).for_each(|value| mean.add(f64::from(value)));
            // the variance of 0, 1, ... n - 1
            let n = f64::from(values);
            let quantile = mean.error().unwrap() / ((n + 1.0) / 12.0).sqrt();
            assert!((quantile / table - 1.0).abs() < 0.01, "{values}: {quantile}");
        }
    }

    #[test]
    fn mean_and_its_error() {
        let mut mean = Mean::default();
        for value in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            mean.add(value);
        }
        // sample variance 32 / 7
        assert!((mean.mean().unwrap() - 5.0).abs() < 1e-12);
        assert!((mean.error().unwrap() - student95(7) * (32.0f64 / 7.0 / 8.0).sqrt()).abs() < 1e-12);
        assert_eq!(mean.max(), Some(9.0));
        let none = Mean::default();
        assert_eq!((none.mean(), none.max(), none.error()), (None, None, None));
        let mut one = Mean::default();
        one.add(-3.0);
        assert_eq!((one.mean(), one.max(), one.error()), (Some(-3.0), Some(-3.0), None));
    }
}
