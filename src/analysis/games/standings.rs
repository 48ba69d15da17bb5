//! Who has played, and with which points: the table of a tournament.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use super::tally::{SideResult, Tally, is_name};
use crate::formats::record::GameRecord;
use crate::rules::Color;

/// What a player has against one opponent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opponent {
    /// The name.
    pub name: String,
    /// Games against it.
    pub games: u64,
    /// Points of the player in them.
    pub points: f64,
}

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The name.
    pub name: String,
    /// Games with either colour, also those without a result.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Draws.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// A win is a point, a draw half a point.
    pub points: f64,
    /// Points in percent of the games with a result.
    pub percent: Option<f64>,
    /// Mean score in discs, of the games with one.
    pub mean: Option<f64>,
    /// Those it has met, in the order of the table.
    pub opponents: Vec<Opponent>,
}

/// Games and points of every player of some games.
#[derive(Debug, Default)]
pub struct Standings {
    players: HashMap<String, (Tally, HashMap<String, Tally>)>,
}

impl Standings {
    /// Counts a game for those of its players who have names.
    pub fn add(&mut self, record: &GameRecord) {
        let result = SideResult::of(record);
        for side in [Color::Black, Color::White] {
            let [name, other] = [side, !side].map(|color| record.player(color).name.as_str());
            if !is_name(name) {
                continue;
            }
            let (all, against) = self.players.entry_ref(name).or_default();
            all.add(result.seen_by(side));
            if is_name(other) {
                against.entry_ref(other).or_default().add(result.seen_by(side));
            }
        }
    }

    /// The table: most points first; of equal points the better mean score, then in the order of the names.
    pub fn table(&self) -> Vec<Standing> {
        let mut players: Vec<_> = self.players.iter().collect();
        players.sort_by(|(name, (one, _)), (other, (two, _))| {
            let by_points = two.points().total_cmp(&one.points());
            let by_discs = two.mean().unwrap_or_default().total_cmp(&one.mean().unwrap_or_default());
            by_points.then(by_discs).then_with(|| name.cmp(other))
        });
        let places: HashMap<&str, usize> =
            players.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
        let line = |(name, (all, against)): &(&String, &(Tally, HashMap<String, Tally>))| {
            let met = |(name, tally): (&String, &Tally)| Opponent {
                name: name.clone(),
                games: tally.games,
                points: tally.points(),
            };
            let mut opponents: Vec<Opponent> = against.iter().map(met).collect();
            opponents.sort_by_key(|opponent| places.get(opponent.name.as_str()));
            Standing {
                name: name.to_string(),
                games: all.games,
                wins: all.wins,
                draws: all.draws,
                losses: all.losses(),
                points: all.points(),
                percent: all.percent(),
                mean: all.mean(),
                opponents,
            }
        };
        players.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::record::{Ending, GameResult};
    use crate::game::Game;

    fn game(black: &str, white: &str, score: Option<f64>) -> GameRecord {
        let mut record = GameRecord::new(Game::default());
        (record.players[0].name, record.players[1].name) = (black.to_string(), white.to_string());
        record.result = score.map(|score| GameResult::from_score(score, Ending::Played));
        record
    }

    #[test]
    fn points_discs_and_opponents() {
        let mut standings = Standings::default();
        for record in [
            game("Ann", "Bob", Some(2.0)),
            game("Bob", "Ann", Some(0.0)),
            game("Cid", "Bob", Some(-10.0)),
            game("Ann", "", Some(-4.0)),
            game("???", "Cid", None),
        ] {
            standings.add(&record);
        }
        let table = standings.table();
        let lines: Vec<_> = table.iter().map(|one| (one.name.as_str(), one.games, one.points)).collect();
        assert_eq!(lines, [("Bob", 3, 1.5), ("Ann", 3, 1.5), ("Cid", 2, 0.0)], "equal points: by discs");
        let ann = &table[1];
        assert_eq!((ann.wins, ann.draws, ann.losses), (1, 1, 1));
        assert_eq!((ann.percent, ann.mean), (Some(50.0), Some(-2.0 / 3.0)));
        assert_eq!(ann.opponents, [Opponent { name: "Bob".to_string(), games: 2, points: 1.5 }]);
        let met: Vec<&str> = table[0].opponents.iter().map(|opponent| opponent.name.as_str()).collect();
        assert_eq!(met, ["Ann", "Cid"]);
        assert_eq!((table[2].percent, table[2].mean), (Some(0.0), Some(-10.0)), "of games with a result");
    }
}
