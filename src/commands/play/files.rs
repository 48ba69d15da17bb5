//! Games in files.

use std::path::Path;
use std::sync::Arc;

use outflank::formats::{board_text, transcript};
use outflank::game::Game;
use outflank::rules::RuleSet;

use crate::commands::error::Error;
use crate::commands::games::{self, Material};
use crate::commands::output_file;

/// Writes a game; the extension tells the format.
pub fn save(game: &Game, path: &Path) -> Result<(), Error> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("").to_ascii_lowercase();
    let text = match extension.as_str() {
        "txt" => transcript::write(game) + "\n",
        "obf" => board_text::write(game.position()) + ";\n",
        _ => return Err(Error::input(format!("'{}': the extension must be .txt or .obf", path.display()))),
    };
    output_file::write(path, text.as_bytes())
}

/// Reads the first game of a file.
pub fn load(path: &Path, rules: &Arc<RuleSet>) -> Result<Game, Error> {
    match games::read_file(path, rules)? {
        Material::Moves(game) => Ok(*game),
        Material::Games(games) => Ok(games.into_iter().next().expect("a file of games has one")),
        Material::Positions(positions) => {
            Ok(Game::from_position(positions.into_iter().next().expect("a file of positions has one")))
        }
    }
}
