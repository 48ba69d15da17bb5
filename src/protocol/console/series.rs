//! A series of games in which two players take turns in starting, as the Ravensburger sheet advises.

use crate::formats::quantity::plural;
use crate::rules::{Color, Position, RuleSet};

/// The games of a series so far.
#[derive(Clone, Debug)]
pub(super) struct Series {
    names: [String; 2],
    /// Wins of each player, then draws.
    results: [u32; 3],
}

impl Series {
    /// A series of two players; the first one begins the first game.
    pub fn new(names: [String; 2]) -> Series {
        Series { names, results: [0; 3] }
    }

    fn games(&self) -> u32 {
        self.results.iter().sum()
    }

    /// Who has the first colour in the game with this number, from 0.
    fn starter(&self, game: u32) -> &str {
        &self.names[game as usize % 2]
    }

    /// The result of the game that has ended: which player won, 2 for a draw.
    fn result(&self, end: &Position) -> usize {
        match end.winner() {
            None => 2,
            Some(color) => (self.games() as usize + usize::from(color == Color::White)) % 2,
        }
    }

    /// The players of the game that is being played, the one who begins first.
    pub fn players(&self) -> [&str; 2] {
        [self.starter(self.games()), self.starter(self.games() + 1)]
    }

    /// Counts a finished game.
    pub fn finish(&mut self, end: &Position) {
        self.results[self.result(end)] += 1;
    }

    /// Who plays what in the game that begins.
    pub fn begins(&self, rules: &RuleSet) -> String {
        let game = self.games();
        format!(
            "game {}: {} has {} and begins, {} has {}",
            game + 1,
            self.starter(game),
            rules.color_name(Color::Black),
            self.starter(game + 1),
            rules.color_name(Color::White),
        )
    }

    /// The results, the game that has just ended included.
    pub fn standing(&self, position: &Position) -> String {
        let mut with = self.clone();
        if position.is_game_over() {
            with.finish(position);
        }
        let ([first, second], [a, b, draws]) = (&self.names, with.results);
        let drawn = match draws {
            0 => String::new(),
            _ => format!(", {}", plural(draws.into(), "draw")),
        };
        format!("series: {first} {a}, {second} {b}{drawn} after {}", plural(with.games().into(), "game"))
    }

    /// The standing after a game, and who begins the next one.
    pub fn after(&self, end: &Position) -> String {
        format!("{}; {} begins the next game (`new`)", self.standing(end), self.starter(self.games() + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_take_turns_in_starting() {
        let mut series = Series::new(["Ann".to_string(), "Ben".to_string()]);
        let rules: RuleSet = "ravensburger".parse().unwrap();
        let end = |text: &str| -> Position { format!("ravensburger:4x4 {text} X").parse().unwrap() };
        assert_eq!(series.begins(&rules), "game 1: Ann has gold and begins, Ben has black");
        let gold = end("XXX1/4/4/4");
        assert_eq!(series.after(&gold), "series: Ann 1, Ben 0 after 1 game; Ben begins the next game (`new`)");
        series.finish(&gold);
        assert_eq!(series.players(), ["Ben", "Ann"]);
        assert_eq!(series.begins(&rules), "game 2: Ben has gold and begins, Ann has black");
        // equal counts: black, who moved second, wins, and that is Ann now
        assert_eq!(series.standing(&end("XX2/4/4/OO2")), "series: Ann 2, Ben 0 after 2 games");
        let draw: Position = "othello:4x4 XX2/4/4/OO2 X".parse().unwrap();
        assert_eq!(series.standing(&draw), "series: Ann 1, Ben 0, 1 draw after 2 games");
    }
}
