//! Games in files.

use std::path::Path;
use std::sync::Arc;

use crate::formats::files::{write_games, write_whole};
use crate::formats::items::{self, Item};
use crate::formats::{board_text, named_rules, record::GameRecord};
use crate::game::Game;
use crate::rules::RuleSet;

/// Writes a game (`.ggf`, `.sgf`, `.txt`) or its present position (`.obf`).
pub fn save(game: &Game, path: &Path) -> Result<(), String> {
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("obf")) {
        let rules = game.position().rules();
        let mut text = board_text::write(game.position()) + ";\n";
        if **rules != RuleSet::othello() {
            text.insert_str(0, &named_rules::comment(rules));
        }
        return write_whole(path, text.as_bytes()).map_err(|error| format!("{}: {error}", path.display()));
    }
    write_games(path, &[GameRecord::new(game.clone())]).map_err(|error| error.to_string())
}

/// Reads the first game (or position) of a file.
pub fn load(path: &Path, rules: &Arc<RuleSet>) -> Result<Game, String> {
    // standard input is where the commands come from
    if path == Path::new("-") {
        return Err("load: '-' is no file here, the session reads its commands there".to_string());
    }
    match items::read_file(path, rules).map_err(|error| error.to_string())?.next() {
        None => Err(format!("{}: there is no game in it", path.display())),
        Some(Err(error)) => Err(error),
        Some(Ok(Item::Game(record))) => Ok(record.game),
        Some(Ok(Item::Position(position))) => Ok(Game::from_position(*position)),
    }
}
