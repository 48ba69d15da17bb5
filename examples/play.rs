//! A game between two players of different levels: `cargo run --release --example play -- [BLACK WHITE [RULES]]`.
//!
//! Levels go from 0 to 60; the rules are those of `outflank rules`, such as `othello:6x6` or `reversi`.

use std::sync::Arc;

use outflank::formats::transcript;
use outflank::rules::ParseRulesError;
use outflank::search::ParseLevelError;
use outflank::{Color, Engine, Game, Level, Options, Player, PlayerOptions, Position, RuleSet, Strength};

/// A player of a level; each has an engine of its own.
fn player(level: &str, start: &Position) -> Result<Player, Box<dyn std::error::Error>> {
    let level: Level = level.parse().map_err(|error: ParseLevelError| error.to_string())?;
    let options = PlayerOptions { strength: Strength::level(level), ..PlayerOptions::default() };
    Ok(Player::new(Engine::new(Options::default()), Game::from_position(start.clone()), options))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize, default: &'static str| arguments.get(at).map_or(default, String::as_str);
    let rules: RuleSet = argument(2, "othello").parse().map_err(|error: ParseRulesError| error.to_string())?;
    let start = Position::start(Arc::new(rules));
    let mut players = [player(argument(0, "6"), &start)?, player(argument(1, "1"), &start)?];
    while !players[0].position().is_game_over() {
        let side = players[0].position().side_to_move();
        let choice = players[side.index()].choose(&mut |_| {})?;
        // both keep the game, so both hear of the move
        for player in &mut players {
            player.play(choice.mv)?;
        }
        let score = choice
            .report
            .map_or(String::new(), |report| format!("{:+} at depth {}", report.score, report.depth_text()));
        println!("{:>2}. {:5} {:4} {score}", players[0].game().moves().len(), side, choice.mv.to_string());
    }
    let end = players[0].position();
    let [black, white] = [Color::Black, Color::White].map(|color| end.discs(color).count());
    println!("{}\nblack {black}, white {white}", transcript::write(players[0].game()));
    Ok(())
}
