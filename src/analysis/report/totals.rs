//! Sums by player over many games.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::GameReport;

/// A player's games together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayerTotals {
    /// Name.
    pub name: String,
    /// Games.
    pub games: u32,
    /// Points, a draw being half a point, of the games whose result is known.
    pub points: f64,
    /// Games whose result is known.
    pub finished: u32,
    /// Moves judged that had an alternative.
    pub choices: u32,
    /// Of these, moves that lost nothing.
    pub best_moves: u32,
    /// Discs lost.
    pub discs_lost: u32,
    /// Inaccuracies, mistakes, blunders.
    pub labels: [u32; 3],
}

impl PlayerTotals {
    /// Discs lost a choice.
    pub fn mean_loss(&self) -> f64 {
        f64::from(self.discs_lost) / f64::from(self.choices.max(1))
    }

    /// Choices that lost nothing, in percent.
    pub fn best_percent(&self) -> f64 {
        100.0 * f64::from(self.best_moves) / f64::from(self.choices.max(1))
    }
}

/// The sums of every player with a name, those with the most games first.
pub fn totals(reports: &[GameReport]) -> Vec<PlayerTotals> {
    let mut players: BTreeMap<&str, PlayerTotals> = BTreeMap::new();
    for report in reports {
        for player in report.players.iter().filter(|player| player.named) {
            let totals = players.entry(&player.name).or_default();
            totals.name = player.name.clone();
            totals.games += 1;
            totals.choices += player.choices;
            totals.best_moves += player.best_moves;
            totals.discs_lost += player.discs_lost;
            for (sum, count) in totals.labels.iter_mut().zip(player.labels) {
                *sum += count;
            }
            if let Some(points) = player.points {
                totals.finished += 1;
                totals.points += points;
            }
        }
    }
    let mut players: Vec<PlayerTotals> = players.into_values().collect();
    players.sort_by(|a, b| b.games.cmp(&a.games).then(a.mean_loss().total_cmp(&b.mean_loss())));
    players
}
